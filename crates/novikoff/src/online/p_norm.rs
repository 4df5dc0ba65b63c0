//! p-norm perceptron (Grove, Littlestone, Schuurmans 2001; Gentile 2003).
//!
//! The perceptron seen through the gradient `g` of half the squared p-norm: p = 2 is the perceptron,
//! p of order ln d behaves like Winnow.
//! Update: predict `sgn(g(v).x)`; `v <- v + y x` iff that is wrong, or `beta > 0` and `y g(v).x <= beta`.
//! Cost: O(nnz) per trial (the image of v is kept up to date), O(d) memory.
//! Bound: `m <= L(U) + |U|_q sqrt((p-1) sum over updates of |x|_p^2)`, 1/p + 1/q = 1.
//! Paper: Gentile, "The robustness of the p-norm algorithms"; docs/theory/p-norm-winnow.md#p-norm-perceptron; T4.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::space::{DualNorm, Lane, Primal};
use crate::state::{State, StateError};

/// The p-norm perceptron. The weights hold the image of `v` up to a factor.
#[derive(Clone, Debug)]
pub(crate) struct PNorm {
    /// The norm, p >= 2.
    pub(crate) p: f64,
    /// beta, as for the perceptron.
    pub(crate) margin: f64,
}

impl Rule<Primal> for PNorm {
    type State = DualNorm;

    const WEIGHTED: bool = true;

    fn start(&self, _planes: &Primal) -> DualNorm {
        DualNorm::zero()
    }

    fn margin(&self, state: &DualNorm, inner: f64, _glance: f64) -> f64 {
        inner * state.factor()
    }

    fn learn(
        &self,
        state: &mut DualNorm,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let updates = wants_update(trial.margin, y, self.margin);
        if updates {
            state.add(self.p, y.sign() * trial.weight, trial.x, &mut w);
        }
        updates
    }

    fn factor(&self, state: &DualNorm) -> f64 {
        state.factor()
    }

    fn reach(&self, state: &mut DualNorm, slots: usize) {
        state.reach(slots);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, state: &'a DualNorm, out: &mut State<'a>) {
        state.save(out);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<DualNorm, StateError> {
        DualNorm::load(from, planes.slots(), self.p)
    }
}

impl Memory for PNorm {
    fn state_bytes(&self, slots: usize) -> u128 {
        slots as u128 * 8
    }
}
