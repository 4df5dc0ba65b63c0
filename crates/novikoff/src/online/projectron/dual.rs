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
//! per update; O(k^2 + the kept rows' nnz) memory. k is bounded wherever the rows are. `linear` is cheaper for thousands of
//! features.
//! Bound: rows of length at most 1 and `c = 1 - eta |U| > 0`: `m <= E(L(U)/c, |U|/c)` with
//! `E(L, b) = ((b + sqrt(b^2 + 4 L))/2)^2`, with plus as without; without plus also `m <= (L(U) + |U| sqrt(sum |x|^2))/c`, the sum
//! over the updates, which is no larger.
//! Paper: "Bounded kernel-based online learning", JMLR 10, 2009; docs/theory/budget-shifting.md#projectron.

use super::{Change, Parts, Projectron};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Planes, StoredRows};
use crate::state::{State, StateError};

/// The rows of one class.
#[derive(Clone, Debug)]
pub struct Basis {
    pub(super) rows: StoredRows,
    /// L, row by row.
    factor: Vec<f64>,
    /// The least `del^2/|x|^2` of the rows, at most 1.
    pub(super) apart: f64,
    /// One more than the rows' highest slot.
    pub(super) slots: usize,
}

impl Default for Basis {
    fn default() -> Self {
        Basis::of(StoredRows::default(), Vec::new())
    }
}

impl Basis {
    /// The basis of these rows, given L.
    fn of(rows: StoredRows, factor: Vec<f64>) -> Self {
        let (mut apart, mut rest) = (1.0_f64, &factor[..]);
        for at in 0..rows.len() {
            let (row, below) = rest.split_at(at + 1);
            (apart, rest) = (apart.min(share(row)), below);
        }
        let slots = rows.slots();
        Basis {
            rows,
            factor,
            apart,
            slots,
        }
    }

    /// The basis of these rows in the space of w.
    pub(super) fn in_space<P: Planes>(rows: StoredRows, w: &Lane<'_, P>) -> Self {
        let mut gram = Vec::with_capacity(linalg::triangle_len(rows.len()) as usize);
        for (i, x) in rows.rows().enumerate() {
            gram.extend(w.between(rows.rows().take(i), x));
            gram.push(w.norm_sq_of(x));
        }
        Basis::of(rows, linalg::cholesky(gram, 0.0))
    }

    /// Keeps a row, given `h` and `del^2`.
    fn keep(&mut self, x: Row<'_>, h: &[f64], rest: f64) {
        let start = self.factor.len();
        self.factor.extend_from_slice(h);
        self.factor.push(rest.sqrt());
        self.apart = self.apart.min(share(&self.factor[start..]));
        self.slots = self.slots.max(x.last_slot().map_or(0, |j| j as usize + 1));
        self.rows.push(x);
    }

    /// `w <- w + c sum z_i x_i`.
    fn add_projection<P: Planes>(&self, w: &mut Lane<'_, P>, c: f64, mut h: Vec<f64>) {
        linalg::solve_upper(&self.factor, &mut h);
        for (z, row) in h.iter().zip(self.rows.rows()) {
            w.add(c * z, row);
        }
    }
}

/// `del^2/|x|^2` of a row of L.
fn share(row: &[f64]) -> f64 {
    row.last()
        .map_or(1.0, |del| del * del / linalg::dot(row, row))
}

impl<P: Planes> Rule<P> for Projectron {
    type State = Basis;

    fn start(&self, _planes: &P) -> Basis {
        Basis::default()
    }

    fn learn(&self, state: &mut Basis, mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let any = !state.rows.is_empty();
        if !self.looks(trial.margin, y, any) {
            return false;
        }
        let norm_sq = w.norm_sq_of(trial.x);
        let mut h: Vec<f64> = w.between(state.rows.rows(), trial.x).collect();
        let rest = linalg::schur(&state.factor, &mut h, norm_sq, 0.0);
        let parts = Parts {
            norm_sq,
            inside: linalg::dot(&h, &h),
            rest,
        };
        let change = self.change(trial.margin, y, parts, any);
        match change {
            Change::Nothing => {}
            Change::Projection(c) => state.add_projection(&mut w, c, h),
            Change::Row(c) => {
                w.add(c, trial.x);
                state.keep(trial.x, &h, rest);
            }
        }
        change != Change::Nothing
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
        Ok(Basis::of(rows, factor))
    }
}

impl Memory for Projectron {
    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use a larger eta, which keeps fewer rows")
    }
}
