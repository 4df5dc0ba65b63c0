//! Second-order perceptron, dual form.
//!
//! Keeps the rows of the updates and the Cholesky factor L of `a I + G`, G their inner products, bordered
//! at every update: for more features than mistakes. Needs inner products of rows only, and they have a
//! price: the condition of `a I + G` is `|G|/a` as soon as rows depend on each other, however well w itself is
//! determined, so a counts as at least 1e-9 of the longest row's `|x|^2`. The primal form has no such limit.
//! Update: with `g` the inner products of x with the kept rows and `s = a + x.x - |L^-1 g|^2`, iff
//! `sgn(f) != y` for `f = w.x`, or `tau > 0` and `y r <= tau` for `r = f a/s`: keep x and y, append
//! `((L^-1 g)', sqrt(s))` to L; then `w = sum al_i x_i` with `al = (L L')^-1 (y_1, y_2, ...)`.
//! Cost: k updates so far: O(nnz) per right answer (as an update if tau > 0), O(k^2 + the kept rows' nnz) per
//! update; O(k^2 + the kept rows' nnz) memory.
//! Bound: that of the primal form, lam the eigenvalues of G; where a was raised, `U'AU` has the a of the last update.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 3.2; docs/theory/second-order.md#dual-form; T8, T9.

use super::{augmented, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Planes, Primal, StoredRows};
use crate::state::{State, StateError};

/// What to do when the mistakes do not fit.
pub(super) const KEEPS: &str = "it keeps every row it was mistaken on";

/// What to use instead when memory does not suffice.
pub(super) const INSTEAD: &str = "use second-order:form=primal for few features, the approximations form=sketch or form=diagonal for many";

/// The dual form.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderDual {
    /// The larger, the nearer to the perceptron; > 0.
    pub(crate) a: f64,
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub(crate) margin: f64,
}

/// a counts as at least this share of the longest row's square: in inner products of 16 digits nothing
/// smaller is left.
const LEAST: f64 = 1e-9;

/// When a row is longer than all before it, there is room for longer ones.
const ROOM: f64 = 4.0;

/// What a counts as once a row of this square was kept.
pub(crate) fn raised(a: f64, norm_sq: f64) -> f64 {
    if LEAST * norm_sq > a {
        ROOM * LEAST * norm_sq
    } else {
        a
    }
}

/// The updates of one class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expansion {
    rows: StoredRows,
    /// y of each.
    labels: Vec<f64>,
    /// L, row by row.
    factor: Vec<f64>,
    /// `L^-1 (y_1, y_2, ...)`.
    target: Vec<f64>,
    /// `sum of |x|^2`.
    trace: f64,
    /// The largest `|x|^2`.
    longest: f64,
    /// The a of L, with a fixed a.
    base: f64,
    /// One more than the rows' highest slot.
    slots: usize,
}

impl Expansion {
    /// How many updates.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// `sum of |x|^2`: over a, the condition of the problem is at most 1 more than that.
    pub(super) fn trace(&self) -> f64 {
        self.trace
    }

    /// The largest `|x|^2`.
    pub(super) fn longest(&self) -> f64 {
        self.longest
    }

    /// What a counts as.
    pub(super) fn base(&self) -> f64 {
        self.base
    }

    /// One more than the rows' highest slot.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    /// The form's state after these updates, none of them raising a.
    pub(super) fn of<P: Planes>(
        (rows, labels): (StoredRows, Vec<f64>),
        w: &Lane<'_, P>,
        a: f64,
    ) -> Self {
        let norms_sq = rows.rows().map(|x| x.norm_sq());
        let (trace, longest) = norms_sq.fold((0.0, 0.0_f64), |(sum, most), norm_sq| {
            (sum + norm_sq, most.max(norm_sq))
        });
        let mut state = Expansion {
            slots: rows.slots(),
            rows,
            labels,
            trace,
            longest,
            base: a,
            ..Expansion::default()
        };
        state.refactor(w, a);
        state
    }

    /// The rows, which are lent.
    pub(super) fn kept(&self) -> &StoredRows {
        &self.rows
    }

    /// The rows and labels alone.
    pub(super) fn into_updates(self) -> (StoredRows, Vec<f64>) {
        (self.rows, self.labels)
    }

    /// Rows and labels, in order.
    pub(super) fn updates(&self) -> impl Iterator<Item = (Row<'_>, f64)> {
        self.rows.rows().zip(self.labels.iter().copied())
    }

    /// Forgets all but the updates.
    pub(super) fn drop_factor(&mut self) {
        self.factor = Vec::new();
    }

    /// Bytes of all this.
    pub(super) fn bytes(&self) -> u128 {
        self.rows.bytes() + 8 * (self.factor.len() + 2 * self.labels.len()) as u128
    }

    /// The inner products of a row with the kept ones.
    pub(super) fn products<P: Planes>(&self, w: &Lane<'_, P>, x: Row<'_>) -> Vec<f64> {
        w.between(self.rows.rows(), x).collect()
    }

    /// What a row adds to the factor, in place of its `products`; gives the Schur complement.
    pub(super) fn schur(&self, products: &mut [f64], norm_sq: f64, a: f64) -> f64 {
        linalg::schur(&self.factor, products, norm_sq, a)
    }

    /// Keeps a row with what [`schur`](Self::schur) found.
    pub(super) fn border(&mut self, (known, s): (&[f64], f64), x: Row<'_>, y: f64) {
        let needed = self.factor.len() + known.len() + 1;
        if needed > self.factor.capacity() {
            // the largest thing in memory: little slack
            let more = needed + needed / 8 - self.factor.len();
            self.factor.reserve_exact(more);
        }
        self.factor.extend_from_slice(known);
        self.factor.push(s.sqrt());
        let predicted = linalg::dot(known, &self.target);
        self.target.push((y - predicted) / s.sqrt());
        self.rows.push(x);
        self.labels.push(y);
        let norm_sq = x.norm_sq();
        self.trace += norm_sq;
        self.longest = self.longest.max(norm_sq);
        self.slots = self.slots.max(slots_of(x));
    }

    /// Puts `w = sum al_i x_i` with `al = (L L')^-1 (y_1, y_2, ...)` in its place.
    fn weigh<P: Planes>(&self, w: &mut Lane<'_, P>) {
        let mut al = self.target.clone();
        linalg::solve_upper(&self.factor, &mut al);
        self.combine(&al, w);
    }

    /// Recomputes the factor, for another a.
    pub(super) fn refactor<P: Planes>(&mut self, w: &Lane<'_, P>, a: f64) {
        let mut gram = std::mem::take(&mut self.factor);
        gram.clear();
        for (i, x) in self.rows.rows().enumerate() {
            gram.extend(w.between(self.rows.rows().take(i), x));
            gram.push(w.norm_sq_of(x));
        }
        self.factor = linalg::cholesky(gram, a);
        self.target.clone_from(&self.labels);
        linalg::solve_lower(&self.factor, &mut self.target);
    }

    /// `(a I + G)^-1 b`, the factor being that of some a near this one.
    pub(super) fn solve(&self, b: &[f64], (a, slots): (f64, usize)) -> Vec<f64> {
        let mut sum = vec![0.0; slots];
        // G p = X'(X p): the rows are sparser than their inner products
        let times = |p: &[f64], out: &mut [f64]| {
            sum.fill(0.0);
            for (row, p) in self.rows.rows().zip(p) {
                row.add_to(*p, &mut sum);
            }
            for ((out, p), row) in out.iter_mut().zip(p).zip(self.rows.rows()) {
                *out = a * p + row.dot(&sum);
            }
        };
        linalg::solve_near(&self.factor, times, b)
    }

    /// Recomputes the factor from all inner products, for another a.
    pub(super) fn refactor_by(&mut self, gram: &[f64], a: f64) {
        let mut factor = std::mem::take(&mut self.factor);
        factor.clear();
        factor.extend_from_slice(gram);
        self.factor = linalg::cholesky(factor, a);
        self.target.clone_from(&self.labels);
        linalg::solve_lower(&self.factor, &mut self.target);
    }

    /// `(a I + G)^-1 b` by all inner products, the factor being that of some a near this one.
    pub(super) fn solve_by(&self, gram: &[f64], b: &[f64], a: f64) -> Vec<f64> {
        let times = |p: &[f64], out: &mut [f64]| {
            linalg::triangle_apply(gram, p, out);
            for (out, p) in out.iter_mut().zip(p) {
                *out += a * p;
            }
        };
        linalg::solve_near(&self.factor, times, b)
    }

    /// Puts `w = sum al_i x_i` with `al = (a I + G)^-1 (y_1, y_2, ...)` in its place, by all inner products.
    pub(super) fn weigh_by<P: Planes>(&self, gram: &[f64], a: f64, w: &mut Lane<'_, P>) {
        let al = self.solve_by(gram, &self.labels, a);
        self.combine(&al, w);
    }

    /// Puts `w = sum al_i x_i` with `al = (a I + G)^-1 (y_1, y_2, ...)` in its place.
    pub(super) fn weigh_for(&self, a: f64, w: &mut Lane<'_, Primal>) {
        let al = self.solve(&self.labels, (a, w.slots()));
        self.combine(&al, w);
    }

    fn combine<P: Planes>(&self, al: &[f64], w: &mut Lane<'_, P>) {
        w.scale(0.0);
        for (al, row) in al.iter().zip(self.rows.rows()) {
            w.add(*al, row);
        }
    }

    /// Adds all to a state.
    pub(super) fn save<'a>(&'a self, out: &mut State<'a>) {
        out.put_f64("labels", &self.labels[..]);
        out.put_f64("gram-factor", &self.factor[..]);
        out.put_f64("target", &self.target[..]);
        out.put_f64("trace", vec![self.trace, self.base]);
        self.rows.save(out);
    }

    /// Takes it out again.
    pub(super) fn load<P: Planes>(
        planes: &P,
        from: &mut State<'static>,
    ) -> Result<Self, StateError> {
        let labels = from.take_f64("labels")?;
        let k = labels.len();
        let [trace, base] = from.take_scalars("trace")?;
        let factor = from.take_vector("gram-factor", linalg::triangle_len(k) as usize)?;
        let target = from.take_vector("target", k)?;
        let rows = StoredRows::load(from, k)?;
        let slots = rows.slots();
        if slots > planes.slots() {
            return Err(from.bad("row-slots", "the stored rows are wider than the weights"));
        }
        let longest = rows.rows().fold(0.0, |most: f64, x| most.max(x.norm_sq()));
        Ok(Expansion {
            rows,
            labels,
            factor,
            target,
            trace,
            longest,
            base,
            slots,
        })
    }
}

impl SecondOrderDual {
    /// r of a row as a share of `w.x`: `1/(1 + x'A^-1 x)`.
    pub(in crate::online) fn share<P: Planes>(
        &self,
        state: &Expansion,
        w: &Lane<'_, P>,
        x: Row<'_>,
    ) -> f64 {
        let a = state.base.max(self.a);
        a / state.schur(&mut state.products(w, x), w.norm_sq_of(x), a)
    }
}

impl<P: Planes> Rule<P> for SecondOrderDual {
    type State = Expansion;

    fn start(&self, _planes: &P) -> Expansion {
        Expansion::default()
    }

    fn learn(
        &self,
        state: &mut Expansion,
        mut w: Lane<'_, P>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let f = trial.margin;
        if self.margin == 0.0 && !wants_update(f, y, 0.0) {
            return false;
        }
        let norm_sq = w.norm_sq_of(trial.x);
        let a = state.base.max(self.a);
        let products = state.products(&w, trial.x);
        let mut known = products.clone();
        let mut s = state.schur(&mut known, norm_sq, a);
        let r = augmented(f, a / s);
        trial.prediction.margin.set(r);
        if !wants_update(r, y, self.margin) {
            return false;
        }
        state.base = raised(a, norm_sq);
        if state.base > a {
            state.refactor(&w, state.base);
            known = products;
            s = state.schur(&mut known, norm_sq, state.base);
        }
        state.border((&known, s), trial.x, y.sign());
        state.weigh(&mut w);
        true
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Expansion, _slots: usize) -> u128 {
        state.bytes()
    }

    fn save<'a>(&self, state: &'a Expansion, out: &mut State<'a>) {
        state.save(out);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Expansion, StateError> {
        Expansion::load(planes, from)
    }
}

impl Memory for SecondOrderDual {
    fn keeps(&self) -> &'static str {
        KEEPS
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
