//! Higher-order perceptron, dual form for p = 2.
//!
//! `A = B'B = I + sum D_ij x_i x_j'` over the updates with rho > 0: keeps those rows and the symmetric D, for
//! more features than updates. Needs inner products of rows only.
//! Update: with g the inner products of x with the kept rows, `b = D g`, `s = x.x + g.b`, `m = w.x` and
//! `r = 1 - rho (y v.x + x.x)`: `w <- w + y r (x + sum b_i x_i) - rho (m + y r s) x` (which is `A v` after the
//! update), `v <- v + y x`; if rho > 0 keep x and border D by `(-rho b', rho^2 s - 2 rho)`.
//! Cost: k updates with rho > 0 so far: O(nnz) per right answer, O(k^2 + the kept rows' nnz) per update;
//! O(d + k^2 + the kept rows' nnz) memory. The sparse schedule keeps k small.
//! Bound: that of the primal form.
//! Paper: Brotto, Gentile, Vitale 2007, section 3; docs/theory/higher-order.md#forms; T12.

use super::{HigherOrder, TransformStep, slots_of};
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
pub(super) const INSTEAD: &str =
    "use higher-order:form=primal for few features, form=implicit or schedule=sparse for many";

/// The dual form.
#[derive(Clone, Debug)]
pub(crate) struct HigherOrderDual(pub(crate) HigherOrder);

/// The updates of one class.
#[derive(Clone, Debug)]
pub(crate) struct HigherOrderExpansion<P> {
    /// How many updates.
    updates: u64,
    v: P,
    /// Those with rho > 0.
    rows: StoredRows,
    rho: Vec<f64>,
    /// D, row by row, its lower triangle.
    pairs: Vec<f64>,
    /// One more than the highest slot of all updates.
    slots: usize,
}

impl<P: Planes> HigherOrderExpansion<P> {
    /// No update yet; `v` is zero.
    fn new(v: P) -> Self {
        HigherOrderExpansion {
            updates: 0,
            v,
            rows: StoredRows::default(),
            rho: Vec::new(),
            pairs: Vec::new(),
            slots: 0,
        }
    }

    /// Bytes of all but v.
    fn bytes(&self) -> u128 {
        self.rows.bytes() + 8 * (self.pairs.len() + self.rho.len()) as u128
    }

    /// Learns a row of label y, whose margin was m; whether D changed.
    fn learn(
        &mut self,
        by: &HigherOrder,
        w: &mut Lane<'_, P>,
        (x, m): (Row<'_>, f64),
        y: f64,
    ) -> bool {
        self.updates = self.updates.saturating_add(1);
        let norm_sq = w.norm_sq_of(x);
        let known = self.v.inner(0, x);
        let TransformStep { rho, r } = by.step(self.updates, y, known, norm_sq);
        let g: Vec<f64> = w.between(self.rows.rows(), x).collect();
        let mut b = vec![0.0; g.len()];
        linalg::triangle_apply(&self.pairs, &g, &mut b);
        let s = norm_sq + linalg::dot(&g, &b);
        for (b, row) in b.iter().zip(self.rows.rows()) {
            if *b != 0.0 {
                w.add(y * r * b, row);
            }
        }
        w.add(y * r - rho * (m + y * r * s), x);
        self.v.add(0, y, x);
        self.slots = self.slots.max(slots_of(x));
        if rho > 0.0 {
            self.border(rho, &b, s);
            self.rows.push(x);
            self.rho.push(rho);
        }
        rho > 0.0
    }

    /// Adds a row to D.
    fn border(&mut self, rho: f64, b: &[f64], s: f64) {
        let needed = self.pairs.len() + b.len() + 1;
        if needed > self.pairs.capacity() {
            // the largest thing in memory: little slack
            let more = needed + needed / 8 - self.pairs.len();
            self.pairs.reserve_exact(more);
        }
        self.pairs.extend(b.iter().map(|b| -rho * b));
        self.pairs.push(rho * rho * s - 2.0 * rho);
    }
}

/// What the change to the primal form needs.
impl HigherOrderExpansion<Primal> {
    /// How many updates with rho > 0.
    pub(super) fn len(&self) -> usize {
        self.rho.len()
    }

    /// One more than the highest slot of all updates.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    /// How many updates, and v.
    pub(super) fn sum(&self) -> (u64, Vec<f64>) {
        let mut v = self.v.vector(0);
        v.truncate(self.slots);
        (self.updates, v)
    }

    /// Their rho and rows, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = (f64, Row<'_>)> {
        self.rho.iter().copied().zip(self.rows.rows())
    }

    /// Forgets D.
    pub(super) fn drop_pairs(&mut self) {
        self.pairs = Vec::new();
    }
}

impl<P: Planes> Rule<P> for HigherOrderDual {
    type State = HigherOrderExpansion<P>;

    fn start(&self, planes: &P) -> Self::State {
        HigherOrderExpansion::new(planes.single())
    }

    fn learn(
        &self,
        state: &mut Self::State,
        mut w: Lane<'_, P>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let updates = wants_update(trial.margin, y, self.0.margin);
        if updates {
            let changed = state.learn(&self.0, &mut w, (trial.x, trial.margin), y.sign());
            trial.prediction.matrix.set(Some(changed));
        }
        updates
    }

    fn reach(&self, state: &mut Self::State, slots: usize) {
        state.v.reach(slots, 0.0);
    }

    fn memory(&self) -> &dyn Memory {
        if P::GROWS { &InKernelSpace } else { self }
    }

    fn kept_bytes(&self, state: &Self::State, _slots: usize) -> u128 {
        let v = if P::GROWS { state.v.bytes_at(0, 1) } else { 0 };
        state.bytes() + v
    }

    fn save<'a>(&self, state: &'a Self::State, out: &mut State<'a>) {
        out.put_u64("updates", vec![state.updates, state.slots as u64]);
        state.v.save(out);
        out.put_f64("rho", &state.rho[..]);
        out.put_f64("pairs", &state.pairs[..]);
        state.rows.save(out);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Self::State, StateError> {
        let [updates, slots] = from.take_counts("updates")?;
        let v = planes.load_like(from, 1)?;
        if v.slots() != planes.slots() {
            return Err(from.bad("weights", "the sum and the weights differ in length"));
        }
        let rho = from.take_f64("rho")?;
        let pairs = from.take_vector("pairs", linalg::triangle_len(rho.len()) as usize)?;
        let rows = StoredRows::load(from, rho.len())?;
        let slots = usize::try_from(slots).unwrap_or(usize::MAX);
        if rows.slots() > slots || slots > planes.slots() {
            return Err(from.bad("row-slots", "the stored rows are wider than the weights"));
        }
        Ok(HigherOrderExpansion {
            updates,
            v,
            rows,
            rho,
            pairs,
            slots,
        })
    }
}

impl Memory for HigherOrderDual {
    fn state_bytes(&self, slots: usize) -> u128 {
        Primal::bytes(slots, 1)
    }

    fn keeps(&self) -> &'static str {
        KEEPS
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}

/// The needs where v is a sum of rows, whose bytes depend on what was learned.
struct InKernelSpace;

impl Memory for InKernelSpace {
    fn keeps(&self) -> &'static str {
        KEEPS
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
