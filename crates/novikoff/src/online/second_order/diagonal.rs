//! Second-order perceptron with the diagonal of its matrix: an approximation at first-order cost.
//!
//! The definition with `D = diag(XX')` in the place of `XX'`: features are scaled, not decorrelated. The row
//! in question is inside the matrix here too, but now that can change the sign: trials go by r, deployed
//! scores are `w.x`.
//! Update: with D over the updates, `r = sum_j v_j x_j/(a + D_j + x_j^2)`; iff `sgn(r) != y`, or `tau > 0` and
//! `y r <= tau`: `v <- v + y x`, `D_j <- D_j + x_j^2`, `w_j = v_j/(a + D_j)`.
//! Cost: O(nnz) per trial, O(d) memory.
//! Bound: `n <= L(U) + sqrt(sum_j (a + D_j) U_j^2 (sum_j ln(1 + D_j/a) + 2 tau n))`, n the updates: the proof of
//! T8 needs of the matrix only that it grows by at least what the theorem counts.
//! Paper: the form of Cesa-Bianchi, Conconi, Gentile 2005, section 3, with a diagonal matrix; docs/theory/second-order.md#diagonal-form.

use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::online::perceptron::wants_update;
use crate::space::{Lane, Primal, grow};
use crate::state::{State, StateError};

/// The diagonal form.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderDiagonal {
    /// The larger, the nearer to the perceptron; > 0.
    pub(crate) a: f64,
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub(crate) margin: f64,
}

/// One class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Diagonal {
    v: Vec<f64>,
    /// D.
    squares: Vec<f64>,
}

impl Rule<Primal> for SecondOrderDiagonal {
    type State = Diagonal;

    fn start(&self, _planes: &Primal) -> Diagonal {
        Diagonal::default()
    }

    fn learn(
        &self,
        state: &mut Diagonal,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let term = |(j, x): (usize, f64)| state.v[j] * (x / (self.a + state.squares[j] + x * x));
        let r: f64 = trial.x.iter().map(term).sum();
        trial.prediction.margin.set(r);
        // the sign of w.x may be another
        trial.prediction.score.set(r);
        if !wants_update(r, y, self.margin) {
            return false;
        }
        for (j, x) in trial.x.iter() {
            state.v[j] += y.sign() * x;
            state.squares[j] += x * x;
            w.set(j, state.v[j] / (self.a + state.squares[j]));
        }
        true
    }

    fn reach(&self, state: &mut Diagonal, slots: usize) {
        grow(&mut state.v, slots, 0.0);
        grow(&mut state.squares, slots, 0.0);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, state: &'a Diagonal, out: &mut State<'a>) {
        out.put_f64("v", &state.v[..]);
        out.put_f64("squares", &state.squares[..]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Diagonal, StateError> {
        Ok(Diagonal {
            v: from.take_vector("v", planes.slots())?,
            squares: from.take_vector("squares", planes.slots())?,
        })
    }
}

impl Memory for SecondOrderDiagonal {
    fn state_bytes(&self, slots: usize) -> u128 {
        slots as u128 * 16
    }
}
