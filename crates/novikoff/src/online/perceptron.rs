//! Perceptron (Rosenblatt 1958; Novikoff 1962), with an optional margin.
//!
//! Predicts `sgn(w.x)` and corrects itself on mistakes; with `margin = beta > 0` also on right answers
//! that were not clear enough.
//! Update: `w <- w + y x` iff `sgn(w.x) != y`, or `beta > 0` and `y w.x <= beta`.
//! Cost: O(nnz) per trial, O(d) memory.
//! Bound: `m <= L(U) + |U| sqrt(sum over updates of |x|^2)`; `m <= R^2 |U|^2` on separable streams; with a
//! margin `n <= L(U) + |U| sqrt(sum |x|^2 + 2 beta n)` updates.
//! Paper: Block 1962, Novikoff 1962; docs/theory/perceptron.md#perceptron; T1-T3.

use crate::label::Label;
use crate::learner::{Rule, TrialRow};
use crate::space::{Lane, Planes};
use crate::state::{State, StateError};

/// The perceptron.
#[derive(Clone, Debug, Default)]
pub struct Perceptron {
    /// beta: right answers with `y w.x` up to this are corrected too; 0 = mistakes only.
    pub margin: f64,
}

impl<P: Planes> Rule<P> for Perceptron {
    type State = ();

    const WEIGHTED: bool = true;

    fn start(&self, _planes: &P) {}

    fn learn(&self, (): &mut (), mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let updates = wants_update(trial.margin, y, self.margin);
        if updates {
            w.add(y.sign() * trial.weight, trial.x);
        }
        updates
    }

    fn save<'a>(&self, (): &'a (), _out: &mut State<'a>) {}

    fn load(&self, _planes: &P, _from: &mut State<'static>) -> Result<(), StateError> {
        Ok(())
    }
}

/// A mistake, or (for beta > 0) a margin of at most beta.
pub(super) fn wants_update(margin: f64, y: Label, beta: f64) -> bool {
    Label::of(margin) != y || (beta > 0.0 && y.sign() * margin <= beta)
}
