//! Second-order perceptron, primal form.
//!
//! Keeps a number for each pair of features: the upper factor U of `S = a A^-1 = U U'`, which a rank-one
//! update keeps positive definite whatever the size of the rows (plain Sherman-Morrison does not).
//! Update: with `f = w.x`, iff `sgn(f) != y`, or `tau > 0` and `y r <= tau` for `r = f a/(a + x'Sx)`:
//! `w <- w + S x (y - f)/(a + x'Sx)`, `S <- S - S x x' S/(a + x'Sx)`, starting at `S = I`, `w = 0`.
//! Cost: O(nnz) per right answer (O(d nnz) if tau > 0), O(d nnz + d^2) per update; O(d^2) memory.
//! Bound: with X the rows of the n updates and lam the eigenvalues of XX':
//! `n <= L(U) + sqrt((a |U|^2 + U'XX'U) (sum ln(1 + lam/a) + 2 tau n))`.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 3; docs/theory/second-order.md#primal-form; T8.

use super::{INSTEAD, augmented};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal};
use crate::state::{State, StateError};

/// The primal form.
#[derive(Clone, Debug)]
pub struct SecondOrderPrimal {
    /// The larger, the nearer to the perceptron; > 0.
    pub a: f64,
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub margin: f64,
}

impl SecondOrderPrimal {
    /// Learns a row of label y on which the score was f; gives r.
    pub(super) fn update(
        &self,
        u: &mut [f64],
        w: &mut Lane<'_, Primal>,
        (x, f): (Row<'_>, f64),
        y: f64,
    ) -> f64 {
        let mut sx = Vec::new();
        let whole = linalg::factor_shrink(u, x.iter(), self.a, &mut sx);
        let step = (y - f) / whole;
        for (j, sx) in sx.iter().enumerate() {
            w.set(j, w.get(j) + step * sx);
        }
        augmented(f, self.a / whole)
    }

    /// r of a row as a share of `w.x`: `a/(a + x'Sx)`; S is the identity past the end of U.
    pub(in crate::online) fn share(&self, u: &[f64], x: Row<'_>) -> f64 {
        let inside = linalg::factor_square(u, x.iter());
        let order = linalg::triangle_order(u);
        let past = x.iter().filter(|&(j, _)| j >= order);
        self.a / (self.a + inside + past.map(|(_, v)| v * v).sum::<f64>())
    }

    /// Takes the factor for `slots` slots out of a state.
    pub(super) fn take(slots: usize, from: &mut State<'static>) -> Result<Vec<f64>, StateError> {
        let len = linalg::triangle_len(slots) as usize;
        from.take_vector("inverse-factor", len)
    }

    /// The form's state after the given updates of rows of up to `slots` slots, `w` included.
    pub(super) fn replay<'r>(
        &self,
        w: &mut Lane<'_, Primal>,
        slots: usize,
        updates: impl Iterator<Item = (Row<'r>, f64)>,
    ) -> Vec<f64> {
        let mut u = Vec::new();
        linalg::factor_grow(&mut u, slots);
        w.scale(0.0);
        for (x, y) in updates {
            let f = w.inner(x);
            self.update(&mut u, w, (x, f), y);
        }
        u
    }
}

impl Rule<Primal> for SecondOrderPrimal {
    /// U, column by column.
    type State = Vec<f64>;

    fn start(&self, _planes: &Primal) -> Vec<f64> {
        Vec::new()
    }

    fn learn(
        &self,
        u: &mut Vec<f64>,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let f = trial.margin;
        if self.margin > 0.0 {
            let r = augmented(f, self.share(u, trial.x));
            trial.prediction.margin.set(r);
            if !wants_update(r, y, self.margin) {
                return false;
            }
        } else if !wants_update(f, y, 0.0) {
            return false;
        }
        let r = self.update(u, &mut w, (trial.x, f), y.sign());
        trial.prediction.margin.set(r);
        true
    }

    fn reach(&self, u: &mut Vec<f64>, slots: usize) {
        linalg::factor_grow(u, slots);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, u: &'a Vec<f64>, out: &mut State<'a>) {
        out.put_f64("inverse-factor", &u[..]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Vec<f64>, StateError> {
        Self::take(planes.slots(), from)
    }
}

impl Memory for SecondOrderPrimal {
    fn state_bytes(&self, slots: usize) -> u128 {
        linalg::triangle_len(slots) * 8
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
