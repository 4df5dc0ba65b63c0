//! One learner over rows for some passes, measured on the way.

use std::time::Instant;

use novikoff::classes::Task;
use novikoff::kernel::KernelSpec;
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::rows::Block;
use novikoff::run::{self, EpochOrders, Ledger, Position};
use novikoff::spec::Spec;

use super::experiment::Measure;
use super::results::Values;
use crate::events::Context;
use crate::options::{NewModel, RunOptions};
use crate::{Error, StoppedWhile};

/// Trials between two looks at the request to stop.
const BETWEEN_LOOKS: usize = 64;

/// A learner that is to be run.
pub(super) struct OnlineRun<'a> {
    pub(super) learner: &'a str,
    pub(super) kernel: Option<&'a str>,
    pub(super) bias: Option<f32>,
    pub(super) task: Task,
    pub(super) epochs: u32,
    /// The passes after which it is measured.
    pub(super) report: &'a [u32],
    /// The seed of the orders, new in each pass; the order of the rows if none.
    pub(super) shuffle: Option<u64>,
    /// Predictors that are tested; none: the learner's own.
    pub(super) by: Vec<Option<Hypothesis>>,
    pub(super) memory: u128,
    /// How many runs there are at the same time.
    pub(super) side_by_side: usize,
    pub(super) context: Context<'a>,
}

/// The name of a value: the measure, after which pass, and of which predictor.
pub(super) fn value_name(measure: Measure, epoch: u32, by: Option<&str>) -> String {
    let key = measure.key();
    match by.filter(|_| matches!(measure, Measure::Errors | Measure::Wrong)) {
        Some(by) => format!("{by} {key}@{epoch}"),
        None => format!("{key}@{epoch}"),
    }
}

impl OnlineRun<'_> {
    fn stopped(&self) -> Result<(), Error> {
        if self.context.interrupt.is_requested() {
            return Err(Error::Stopped(StoppedWhile::Reproducing));
        }
        Ok(())
    }

    fn model(&self, first: Block<'_>) -> Result<Model, Error> {
        let spec = Spec::parse(self.learner)?;
        let kernel = self.kernel.map(KernelSpec::parse).transpose();
        let kernel = kernel.map_err(|error| Error::plain(error.to_string()))?;
        let options = RunOptions {
            epochs: Some(self.epochs),
            kernel,
            bias: Some(self.bias),
            ..RunOptions::default()
        };
        options.new_model(NewModel {
            spec: &spec,
            first,
            task: self.task.clone(),
            preparation: options.for_learner(&options.preparation(), &spec),
            zero_based: false,
            width: Some(first.width()),
            memory: self.memory,
            threads: 1,
            class_weights: None,
            side_by_side: self.side_by_side,
        })
    }

    /// Learns, and counts after each pass that is reported.
    pub(super) fn run(&self, train: Block<'_>, test: Block<'_>) -> Result<Values, Error> {
        let mut values = Values::new();
        self.measured(train, |model, ledger, epoch| {
            if self.report.contains(&epoch) {
                self.measure(model, ledger, epoch, test, &mut values)?;
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// Learns, and gives the model and the seconds that learning took.
    pub(super) fn learned(&self, train: Block<'_>) -> Result<(Model, f64), Error> {
        let begun = Instant::now();
        let model = self.measured(train, |_, _, _| Ok(()))?;
        Ok((model, begun.elapsed().as_secs_f64()))
    }

    fn measured(
        &self,
        train: Block<'_>,
        mut each: impl FnMut(&Model, &Ledger, u32) -> Result<(), Error>,
    ) -> Result<Model, Error> {
        let mut model = self.model(train)?;
        if model.learner().surveys() {
            for i in 0..train.len() {
                let seen = model.survey(train.row(i));
                seen.map_err(|error| Error::plain(format!("{}: {error}", self.learner)))?;
            }
            model.end_survey();
        }
        let mut ledger = Ledger::begin(&mut model);
        let mut orders = EpochOrders::new(train.len(), self.shuffle);
        model.number_rows_from((self.epochs > 1).then_some(0));
        for epoch in 0..self.epochs {
            let order = orders.next_epoch();
            let mut done = 0;
            while done < order.len() {
                self.stopped()?;
                let rows = model.learner().lookahead().max(BETWEEN_LOOKS);
                let end = (done + rows).min(order.len());
                let part = order[done..end].iter().copied();
                let position = Position { epoch, first: 0 };
                let made = run::block(&mut model, train, part, position, &mut ());
                made.map_err(|stopped| Error::plain(format!("{}: {stopped}", self.learner)))?;
                done = end;
            }
            ledger.end_epoch(&mut model);
            each(&model, &ledger, epoch + 1)?;
        }
        Ok(model)
    }

    fn measure(
        &self,
        model: &Model,
        ledger: &Ledger,
        epoch: u32,
        test: Block<'_>,
        values: &mut Values,
    ) -> Result<(), Error> {
        let total = ledger.total();
        let classes = ledger.classes.iter().flatten();
        let binary: u64 = classes.map(|counts| counts.mistakes).sum();
        let mut put = |measure: Measure, by: Option<&str>, value: f64| {
            values.insert(value_name(measure, epoch, by), value);
        };
        put(Measure::Mistakes, None, total.mistakes as f64);
        put(Measure::BinaryMistakes, None, binary as f64);
        put(Measure::Updates, None, total.updates as f64);
        let stored = model.learner().stored();
        if let Some(stored) = stored {
            put(Measure::Support, None, stored as f64);
        }
        for by in &self.by {
            let mut wrong = 0_u64;
            let rows = (0..test.len()).map(|i| test.row(i));
            model.scores_of(rows, *by, |i, scores| {
                wrong += u64::from(model.is_wrong(scores, test.labels(i)));
            });
            self.stopped()?;
            let name = by.map(Hypothesis::name);
            put(Measure::Wrong, name, wrong as f64);
            let percent = 100.0 * wrong as f64 / test.len().max(1) as f64;
            put(Measure::Errors, name, percent);
        }
        Ok(())
    }
}

/// The predictor of a name.
pub(super) fn hypothesis(name: &str) -> Option<Hypothesis> {
    let all = [Hypothesis::Final, Hypothesis::Averaged, Hypothesis::Voted];
    all.into_iter().find(|by| by.name() == name)
}
