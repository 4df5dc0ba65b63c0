//! What experts cost together, in multiply-adds as the catalogue states them, and who is retired for it.

use crate::kernel::Kernel;

/// Multiply-adds that reading one value of a row counts as.
pub(crate) const READING: f64 = 10.0;

/// Experts are retired where this part of what is allowed was spent, so that the whole is never exceeded by much.
const CAUTION: f64 = 0.95;

/// The state of costs is kept as numbers of this many fields.
pub(super) const FIELDS: usize = 3;

/// Multiply-adds so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// Of everything.
    pub(super) spent: f64,
    /// Of the perceptron, reading included.
    pub(super) perceptron: f64,
    /// The highest slot of a value that is not zero, so far.
    pub(super) features: f64,
}

impl Costs {
    /// How many times what the perceptron would have spent.
    pub(super) fn ratio(&self) -> f64 {
        if self.perceptron > 0.0 {
            self.spent / self.perceptron
        } else {
            0.0
        }
    }

    /// Whether so much was spent that a cost per trial, in terms of the mean trial of the perceptron, must not go on.
    pub(super) fn is_too_much(&self, most: f64, per_trial: f64, trials: f64) -> bool {
        let limit = CAUTION * most;
        self.spent > limit * self.perceptron && per_trial * trials > limit * self.perceptron
    }

    pub(super) fn to_array(self) -> [f64; FIELDS] {
        [self.spent, self.perceptron, self.features]
    }

    /// From an array; none if no run leaves it behind.
    pub(super) fn from_array([spent, perceptron, features]: [f64; FIELDS]) -> Option<Self> {
        let sound = [spent, perceptron, features]
            .iter()
            .all(|v| (0.0..1e300).contains(v));
        sound.then_some(Costs {
            spent,
            perceptron,
            features,
        })
    }
}

/// How many stored rows the perceptron would have: no more than the expert with the fewest updates.
pub(super) fn updates_of_perceptron(kernel: Kernel, updates: impl Iterator<Item = f64>) -> f64 {
    if kernel == Kernel::LINEAR {
        0.0
    } else {
        let least = updates.fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }
}
