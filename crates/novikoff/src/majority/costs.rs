//! What experts cost together, in multiply-adds as the catalogue states them, and who is retired for it.

use crate::kernel::Kernel;
use crate::state::{State, StateError};

/// Multiply-adds that reading one value of a row counts as.
pub(crate) const READING: f64 = 10.0;

/// Experts are retired where this part of what is allowed was spent, so that the whole is never exceeded by much.
const CAUTION: f64 = 0.95;

/// The first rows may be unlike the others. As long as they cost little, they retire nobody.
const FIRST: (f64, f64) = (10.0, 1e6);

/// Early rows are learned from more often than later ones. As long as they cost little, they retire only experts that cost too much alone.
const EARLY: (f64, f64) = (50.0, 1e7);

/// What weights will cost is what they cost in about this number of trials: less and less, where something is learned.
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

/// Who spends too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    /// The costliest expert, even alone.
    Costliest,
    /// All together.
    Together,
}

/// Multiply-adds of experts so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spending {
    /// Of all.
    pub(super) all: f64,
    /// Of those that run.
    pub(super) running: f64,
    /// Of the one of these that spent most.
    pub(super) costliest: f64,
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

    /// Who spends too much after `trials` trials: nobody, one expert alone, or all together, if too much was spent and would be spent again in
    /// as many trials with the experts that run.
    pub(super) fn excess(&self, most: f64, trials: f64, spending: &Spending) -> Option<Excess> {
        let limit = CAUTION * most * self.perceptron;
        let alike = self.spent - spending.all - self.weights;
        let is_within = |(rows, cost): (f64, f64)| trials <= rows && self.spent <= cost;
        if is_within(FIRST) {
            None
        } else if is_within(EARLY) {
            (alike + spending.costliest > limit).then_some(Excess::Costliest)
        } else {
            let again = alike + spending.running + self.recent * trials;
            (self.spent > limit && again > limit).then_some(Excess::Together)
        }
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
