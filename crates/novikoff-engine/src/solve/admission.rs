//! A problem, checked before a byte of data is read.

use novikoff::dual::loss::{AnyLoss, Loss as _};
use novikoff::dual::pair::check_pair;
use novikoff::kernel::Kernel;
use novikoff::remedy::Complaint;

use super::{Solve, SolveMethod};
use crate::data::Reading;
use crate::events::{Context, Notice};
use crate::files::{check_writable, read_as_data};
use crate::options::{check_map, stream_twice};
use crate::{Error, Remedy, Setting};

impl Solve {
    /// Checks it before a byte of data is read.
    pub(crate) fn check(&self, context: Context<'_>) -> Result<Reading, Error> {
        let (loss, is_kernel) = (self.loss.loss(), self.kernel() != Kernel::LINEAR);
        let threshold = self.run.bias.flatten().is_some() || self.free_bias || self.theta.is_some();
        let typed = self.run.kernel.unwrap_or(Kernel::LINEAR.into());
        check_map(self.run.map, typed)?;
        let remark = check_pair(&self.loss, &self.reg, self.free_bias, is_kernel, threshold);
        let remark = remark.map_err(|error| Complaint {
            what: error.to_string(),
            remedy: error.remedy(),
        })?;
        if !loss.classifies() && !self.class_weight.is_off() {
            let what = format!(
                "class weights: {} predicts numbers, which have no classes",
                self.loss.name()
            );
            return Err(Error::plain(what));
        }
        if (self.theta.is_some() || self.alpha.is_some()) && !loss.has_movable_target() {
            let what = format!("{} has no target that could be moved", self.loss.name());
            let remedy = Remedy::leave_out(&[Setting::Theta, Setting::Alpha]);
            return Err(Error::refused(what, remedy));
        }
        self.check_method(loss, is_kernel)?;
        if self.lambdas.is_empty() {
            return Err(Error::plain("there is no lambda to solve for"));
        }
        if let Some(path) = &self.output {
            if self.lambdas.len() > 1 {
                return Err(Error::refused(
                    "one model is saved, but there are several lambdas",
                    "give one lambda",
                ));
            }
            check_writable(path)?;
            if self.data.reads(path) || self.test.as_ref().is_some_and(|test| test.reads(path)) {
                return Err(read_as_data(path));
            }
        }
        let mut reading = self.rows.reading(self.run.bias.flatten(), context);
        reading.options.centred = self.run.standardize;
        self.data.measure(&mut reading)?;
        if let Some(test) = &self.test {
            test.check(&reading)?;
            if test.is_stream() && self.data.is_stream() {
                return Err(stream_twice());
            }
        }
        if let Some(pair) = remark {
            context.notice(Notice::UnusualPair { pair });
        }
        Ok(reading)
    }

    /// Newton's method is for smooth problems in the weights, and has no passes over rows in an order.
    fn check_method(&self, loss: AnyLoss, is_kernel: bool) -> Result<(), Error> {
        if self.steps.method != SolveMethod::Newton {
            return Ok(());
        }
        let why = if is_kernel {
            "works on weights, which there are not in the space of a kernel".to_owned()
        } else if !loss.is_smooth() {
            format!("needs a smooth loss, and {} is not", self.loss.name())
        } else if !self.reg.is_square() {
            format!(
                "needs the regulariser l2, and {} is another",
                self.reg.name()
            )
        } else if self.steps.all_passes || self.steps.in_order {
            "decides itself how many passes it makes, and rows have no order in it".to_owned()
        } else {
            return Ok(());
        };
        let what = format!("Newton's method {why}");
        let ascent = Remedy::give(Setting::Method, "ascent");
        Err(Error::refused(what, ascent).about(Setting::Method, "newton"))
    }
}
