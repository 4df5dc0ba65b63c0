//! Normalised perceptron, a baseline of the dual paper's experiment.
//!
//! The perceptron with a learning rate; after each pass over the data its vector is made to have length 1, so
//! that later passes move it by less than the first did.
//! Update: `w <- w + eta y x` iff `sgn(w.x) != y`; after a pass `w <- w / |w|`. A pass ends where an epoch of a run
//! does: half a stream and, resumed, the other half are two passes.
//! Cost: O(nnz) per trial, O(d) memory; with a kernel the end of a pass costs the square of the support.
//! Bound: none here; the first pass makes the perceptron's mistakes.
//! Paper: Zhang, "On the dual formulation of regularized linear systems with convex risks"; docs/theory/perceptron.md#normalised-perceptron.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Rule, TrialRow};
use crate::space::{Lane, Planes};
use crate::state::{State, StateError};

/// The perceptron whose vector has length 1 after each pass.
#[derive(Clone, Debug)]
pub(crate) struct NormalisedPerceptron {
    /// The learning rate, > 0.
    pub(crate) eta: f64,
}

impl<P: Planes> Rule<P> for NormalisedPerceptron {
    type State = ();

    const WEIGHTED: bool = true;

    fn start(&self, _planes: &P) {}

    fn learn(&self, (): &mut (), mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let updates = wants_update(trial.margin, y, 0.0);
        if updates {
            w.add(self.eta * y.sign() * trial.weight, trial.x);
        }
        updates
    }

    fn end_pass(&self, (): &mut (), mut w: Lane<'_, P>) {
        let length = w.norm_sq().sqrt();
        if length > 0.0 {
            w.scale(1.0 / length);
        }
    }

    fn save<'a>(&self, (): &'a (), _out: &mut State<'a>) {}

    fn load(&self, _planes: &P, _from: &mut State<'static>) -> Result<(), StateError> {
        Ok(())
    }
}
