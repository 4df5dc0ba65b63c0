//! Projectron and projectron++ (Orabona, Keshet, Caputo 2009).
//!
//! A perceptron that keeps only rows that differ: one nearly in the span of those kept is not kept itself, its
//! projection is learned instead.
//! The plus form also corrects right answers of a margin below 1, if that needs no row more.
//! Update: with S the rows kept, g the inner products of x with them, L the Cholesky factor of those among themselves,
//! `h = L^-1 g`, `z = L'^-1 h` and `del^2 = x.x - |h|^2`; iff `sgn(w.x) != y`: if S is not empty and `del <= eta`,
//! `w <- w + y sum z_i x_i`; else `w <- w + y x`, keep x and append `(h', del)` to L. With plus, also iff
//! `l = 1 - y w.x > del/eta` on a right answer, with `p = |h|^2 > 0`: `w <- w + s y sum z_i x_i`,
//! `s = min(1, l/p, 2 (l - del/eta)/p)`. del counts as 0 up to `1e-5 |x|`, and l up to 1e-9.
//! Cost: k rows kept: O(nnz) per right answer (as an update if plus and its margin is below 1), O(k^2 + the kept rows' nnz)
//! per update; O(k^2 + the kept rows' nnz) memory. k is bounded wherever the rows are.
//! Bound: rows of length at most 1 and `c = 1 - eta |U| > 0`: `m <= E(L(U)/c, |U|/c)` with
//! `E(L, b) = ((b + sqrt(b^2 + 4 L))/2)^2`, with plus as without; without plus also `m <= (L(U) + |U| sqrt(sum |x|^2))/c`, the sum
//! over the updates, which is no larger.
//! Paper: "Bounded kernel-based online learning", JMLR 10, 2009; docs/theory/budget-shifting.md#projectron.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::remedy::Remedy;
use crate::space::{Lane, Planes, StoredRows};
use crate::state::{State, StateError};

/// The projectron.
#[derive(Clone, Debug)]
pub struct Projectron {
    /// How far from the others a row may be and not be kept; > 0.
    pub eta: f64,
    /// Right answers of a margin below 1 are corrected too.
    pub plus: bool,
}

/// The rows of one class.
#[derive(Clone, Debug, Default)]
pub struct Basis {
    rows: StoredRows,
    /// L, row by row.
    factor: Vec<f64>,
}

/// After an update the loss may be 0 up to rounding: so little counts as 0.
const ROUNDING: f64 = 1e-9;

/// `del^2` below this share of `|x|^2` is rounding.
pub const LEAST: f64 = 1e-10;

impl Basis {
    /// `w <- w + c sum z_i x_i`.
    fn add_projection<P: Planes>(&self, w: &mut Lane<'_, P>, c: f64, mut h: Vec<f64>) {
        linalg::solve_upper(&self.factor, &mut h);
        for (z, row) in h.iter().zip(self.rows.rows()) {
            w.add(c * z, row);
        }
    }
}

impl<P: Planes> Rule<P> for Projectron {
    type State = Basis;

    fn start(&self, _planes: &P) -> Basis {
        Basis::default()
    }

    fn learn(&self, state: &mut Basis, mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let wrong = wants_update(trial.margin, y, 0.0);
        let loss = 1.0 - y.sign() * trial.margin;
        let tight = self.plus && loss > ROUNDING && !state.rows.is_empty();
        if !wrong && !tight {
            return false;
        }
        let norm_sq = w.norm_sq_of(trial.x);
        let mut h: Vec<f64> = w.between(state.rows.rows(), trial.x).collect();
        let rest = linalg::schur(&state.factor, &mut h, norm_sq, 0.0);
        let far = if rest > LEAST * norm_sq {
            rest.sqrt()
        } else {
            0.0
        };
        if !wrong {
            let (inside, spare) = (linalg::dot(&h, &h), loss - far / self.eta);
            let moves = inside > 0.0 && spare > 0.0;
            if moves {
                let step = (loss / inside).min(2.0 * spare / inside).min(1.0);
                state.add_projection(&mut w, step * y.sign(), h);
            }
            return moves;
        }
        if far <= self.eta && !state.rows.is_empty() {
            state.add_projection(&mut w, y.sign(), h);
        } else {
            w.add(y.sign(), trial.x);
            state.rows.push(trial.x);
            state.factor.extend(h);
            state.factor.push(rest.sqrt());
        }
        true
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Basis, _slots: usize) -> u128 {
        state.rows.bytes() + 8 * state.factor.len() as u128
    }

    fn save<'a>(&self, state: &'a Basis, out: &mut State<'a>) {
        out.put_f64("gram-factor", &state.factor[..]);
        state.rows.save(out);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Basis, StateError> {
        let factor = from.take_f64("gram-factor")?;
        let order = linalg::triangle_order(&factor);
        if linalg::triangle_len(order) != factor.len() as u128 {
            return Err(from.bad("gram-factor", "no triangle"));
        }
        let rows = StoredRows::load(from, order)?;
        if rows.slots() > planes.slots() {
            return Err(from.bad("row-slots", "the stored rows are wider than the weights"));
        }
        Ok(Basis { rows, factor })
    }
}

impl Memory for Projectron {
    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use a larger eta, which keeps fewer rows")
    }
}
