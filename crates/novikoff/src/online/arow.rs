//! AROW, adaptive regularisation of weights (Crammer, Kulesza, Dredze 2009), diagonal or full.
//!
//! Keeps a confidence for every weight (the diagonal form) or every pair (the full form) and moves
//! unsure weights most.
//! Update: iff `y w.x < 1`: with `v = x'Sx`, `beta = 1/(v + r)`: `w <- w + (1 - y w.x) beta y S x`,
//! `S <- S - beta S x x' S`, S starting at I; the diagonal form keeps the diagonal of that S.
//! Cost: O(nnz) per trial and O(d) memory (diagonal); O(d nnz + d^2) per update and O(d^2) memory (full).
//! Bound: full form, X = sum of x x' over the updates, n of them right answers of margin below 1:
//! `m <= sqrt(r |U|^2 + U'XU) sqrt(ln det(I + X/r) + n) + (hinge losses of U over the updates) - n` (`certificate/arow.rs`).
//! Paper: Crammer, Kulesza and Dredze, NIPS 2009, theorem 1; docs/theory/second-order.md#arow.

use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::remedy::Remedy;
use crate::space::{Lane, Primal, grow};
use crate::state::{State, StateError};

/// AROW with a confidence for each weight.
#[derive(Clone, Debug)]
pub(crate) struct ArowDiagonal {
    /// The larger, the smaller the steps; > 0.
    pub(crate) r: f64,
}

impl Rule<Primal> for ArowDiagonal {
    /// The diagonal of S.
    type State = Vec<f64>;

    fn start(&self, _planes: &Primal) -> Vec<f64> {
        Vec::new()
    }

    fn learn(
        &self,
        s: &mut Vec<f64>,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let loss = 1.0 - y.sign() * trial.margin;
        if loss <= 0.0 {
            return false;
        }
        // the largest term apart, so that what is left of its S is no difference of large numbers
        let (mut largest, mut others) = ((0, 0.0), 0.0);
        for (j, xj) in trial.x.iter() {
            let term = s[j] * xj * xj;
            if term > largest.1 {
                others += largest.1;
                largest = (j, term);
            } else {
                others += term;
            }
        }
        let v_and_r = others + largest.1 + self.r;
        for (j, xj) in trial.x.iter() {
            let term = s[j] * xj * xj;
            w.set(j, w.get(j) + (loss / v_and_r) * y.sign() * (s[j] * xj));
            let rest = if j == largest.0 {
                others
            } else {
                others + largest.1 - term
            };
            s[j] *= (rest + self.r) / v_and_r;
        }
        true
    }

    fn reach(&self, s: &mut Vec<f64>, slots: usize) {
        grow(s, slots, 1.0);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, s: &'a Vec<f64>, out: &mut State<'a>) {
        out.put_f64("confidence", &s[..]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Vec<f64>, StateError> {
        from.take_vector("confidence", planes.slots())
    }
}

impl Memory for ArowDiagonal {
    fn state_bytes(&self, slots: usize) -> u128 {
        slots as u128 * 8
    }
}

/// AROW with a confidence for each pair of weights.
#[derive(Clone, Debug)]
pub(crate) struct ArowFull {
    /// The larger, the smaller the steps; > 0.
    pub(crate) r: f64,
}

impl Rule<Primal> for ArowFull {
    /// The upper factor U of S = U U', column by column.
    type State = Vec<f64>;

    fn start(&self, _planes: &Primal) -> Vec<f64> {
        Vec::new()
    }

    fn learn(
        &self,
        s: &mut Vec<f64>,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let loss = 1.0 - y.sign() * trial.margin;
        if loss <= 0.0 {
            return false;
        }
        let mut sx = Vec::new();
        let v_and_r = linalg::factor_shrink(s, trial.x.iter(), self.r, &mut sx);
        for (j, sx) in sx.iter().enumerate() {
            w.set(j, w.get(j) + (loss / v_and_r) * y.sign() * sx);
        }
        true
    }

    fn reach(&self, s: &mut Vec<f64>, slots: usize) {
        linalg::factor_grow(s, slots);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, s: &'a Vec<f64>, out: &mut State<'a>) {
        out.put_f64("covariance-factor", &s[..]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Vec<f64>, StateError> {
        from.take_vector(
            "covariance-factor",
            linalg::triangle_len(planes.slots()) as usize,
        )
    }
}

impl Memory for ArowFull {
    fn state_bytes(&self, slots: usize) -> u128 {
        linalg::triangle_len(slots) * 8
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use arow:form=diagonal")
    }
}
