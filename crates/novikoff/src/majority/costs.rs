//! What experts cost together, in multiply-adds as the catalogue states them, and who is retired for it.

use crate::kernel::Kernel;
use crate::state::{State, StateError};

/// Multiply-adds that reading one value of a row counts as.
pub(crate) const READING: f64 = 10.0;

/// Experts are retired where this part of what is allowed was spent, so that the whole is never exceeded by much.
const CAUTION: f64 = 0.95;

/// Nobody is retired for the first rows, which may be unlike the others, as long as they cost little.
const FIRST_TRIALS: f64 = 20.0;
const FIRST_COST: f64 = 1e6;

/// What weights will cost is what they cost in about so many trials: less and less, where something is learned.
const RECENT: f64 = 64.0;

/// Multiply-adds so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// Of everything.
    pub(super) spent: f64,
    /// Of the perceptron, reading included.
    pub(super) perceptron: f64,
    /// The highest slot of a value that is not zero, so far.
    pub(super) features: f64,
    /// Of the weights of the experts, and of those per trial of late.
    weights: f64,
    recent: f64,
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

    /// Pays for reading, answers and weights of a trial.
    pub(super) fn pay(&mut self, alike: f64, weights: f64) {
        self.spent += alike + weights;
        self.weights += weights;
        self.recent += (weights - self.recent) / RECENT;
    }

    /// Whether too much was spent in so many trials, and would be spent again in as many with the running experts, who spent `running`
    /// of what all experts did.
    pub(super) fn is_too_much(&self, most: f64, trials: f64, (running, all): (f64, f64)) -> bool {
        if trials <= FIRST_TRIALS && self.spent <= FIRST_COST {
            return false;
        }
        let limit = CAUTION * most * self.perceptron;
        let alike = self.spent - all - self.weights;
        self.spent > limit && running + alike + self.recent * trials > limit
    }

    pub(super) fn save(self, out: &mut State<'_>) {
        let shared = [self.spent, self.perceptron, self.features];
        out.put_f64(
            "costs",
            [&shared[..], &[self.weights, self.recent]].concat(),
        );
    }

    pub(super) fn load(from: &mut State<'static>) -> Result<Self, StateError> {
        // states of before have three numbers
        let all: [f64; 5] = if from.count("costs") == 3 {
            let [spent, perceptron, features] = from.take_scalars("costs")?;
            [spent, perceptron, features, 0.0, 0.0]
        } else {
            from.take_scalars("costs")?
        };
        let [spent, perceptron, features, weights, recent] = all;
        if !all.iter().all(|cost| (0.0..1e300).contains(cost)) {
            return Err(from.bad("costs", "no costs of a run"));
        }
        Ok(Costs {
            spent,
            perceptron,
            features,
            weights,
            recent,
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
