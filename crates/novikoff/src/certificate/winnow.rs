//! Winnow: T6 (docs/theory/p-norm-winnow.md#t6-winnow), for rows of zeros and ones.
//!
//! With `del = 2 (alpha - 1)`, at most 1, and a vector mu >= 0 with `mu.x >= 1` on rows of +1 and `mu.x <= 1 - del` on the others:
//! `m <= 8d/(del^2 theta) + (5/del + 14 ln(theta)/del^2) sum mu`. Terms: `start` is the first part, `factor` what the sum is
//! multiplied by, `sum` is `sum mu`.
//!
//! Rounding: del is exact, `del^2` rounded down, the logarithm up; `mu.x` may miss its limit by 1e-9, as alpha does.

use super::{Certificate, NotApplicable, PastTrial, Up, inner};
use crate::label::Label;

/// Sums that are so near to their limits are there: alpha is itself a rounded number.
const SLACK: f64 = 1e-9;

/// The run's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinnowBound {
    /// alpha.
    pub alpha: f64,
    /// theta.
    pub theta: f64,
}

impl WinnowBound {
    /// del.
    pub fn gap(&self) -> f64 {
        2.0 * (self.alpha - 1.0)
    }

    /// Whether the theorem is about such a run.
    pub fn fits(&self, trials: &[PastTrial<'_>]) -> Result<(), NotApplicable> {
        if !(self.gap() > 0.0 && self.gap() <= 1.0 && self.theta >= 1.0) {
            return Err(NotApplicable::Alpha);
        }
        let boolean = |t: &PastTrial<'_>| t.x.iter().all(|(_, v)| v == 0.0 || v == 1.0);
        if trials.iter().all(boolean) {
            Ok(())
        } else {
            Err(NotApplicable::NotBoolean)
        }
    }

    /// Whether mu is as the theorem wants it.
    pub fn separates(&self, trials: &[PastTrial<'_>], mu: &[f64]) -> bool {
        let kept = |t: &PastTrial<'_>| {
            let value = inner(mu, t.x).value;
            match t.y {
                Label::Pos => value >= 1.0 - SLACK,
                Label::Neg => value <= 1.0 - self.gap() + SLACK,
            }
        };
        mu.iter().all(|mu| *mu >= 0.0) && trials.iter().all(kept)
    }

    /// What the theorem says of the run with `features` features, given mu by slot, or why it says nothing.
    pub fn certify(
        &self,
        trials: &[PastTrial<'_>],
        features: usize,
        mu: &[f64],
    ) -> Result<Certificate, NotApplicable> {
        self.fits(trials)?;
        if !self.separates(trials, mu) {
            return Err(NotApplicable::NoWeights);
        }
        let del = self.gap();
        let square = (del * del).next_down();
        let sum: Up = mu.iter().map(|mu| Up::new(*mu)).sum();
        let log = Up::new(libm::log(self.theta).next_up());
        let start = Up::new(8.0 * features as f64).over((square * self.theta).next_down());
        let factor = Up::new(5.0).over(del) + (Up::new(14.0) * log).over(square);
        Ok(Certificate {
            theorem: "T6",
            name: "Winnow",
            counted: trials.iter().filter(|t| t.updated).count() as u64,
            bound: (start + factor * sum).value(),
            ingredients: vec![
                ("start", start.value()),
                ("factor", factor.value()),
                ("sum", sum.value()),
            ],
        })
    }
}
