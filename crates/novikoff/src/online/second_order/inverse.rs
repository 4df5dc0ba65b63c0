//! Second-order perceptron, with the inverse matrix of thousands of features and sparse rows.
//!
//! Keeps `S = a A^-1` itself, a number for each pair of features, and takes the squares `z z'` off it many at a time. A row's
//! `S x` costs only its own columns, where the primal form goes through its whole factor for every row. The
//! price is that S loses digits with the length of rows, so `auto` keeps rows of `|x|^2 > 1e4 a` away from
//! this form. The rows of the updates are kept too: every 512 updates w is corrected by what it misses of `A w = v`.
//! Update: with `f = w.x`, `z = S x` and `s = a + x.z`, iff `sgn(f) != y`, or `tau > 0` and `y r <= tau` for `r = f a/s`:
//! `w <- w + z (y - f)/s`, `S <- S - z z'/s`, starting at `S = I`, `w = 0`.
//! Cost: O(nnz) per right answer (O(nnz^2) if tau > 0), O(d nnz + d^2) per update, the latter 64 updates at a time;
//! O(d^2 + the kept rows' nnz) memory.
//! Bound: that of the primal form.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 3; docs/theory/second-order.md#inverse-form; T8.

use super::{INSTEAD, augmented, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg::Downdated;
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal, StoredRows};
use crate::state::{State, StateError};

/// The form that keeps the inverse.
#[derive(Clone, Debug)]
pub struct SecondOrderInverse {
    /// The larger, the nearer to the perceptron; > 0.
    pub a: f64,
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub margin: f64,
}

/// Updates after which w is corrected.
const CORRECTED: usize = 512;

/// The updates of one class.
#[derive(Clone, Debug, Default)]
pub struct Inverse {
    rows: StoredRows,
    /// y of each.
    labels: Vec<f64>,
    /// S.
    s: Downdated,
    /// One more than the rows' highest slot.
    slots: usize,
}

impl Inverse {
    /// Rows and labels, in order.
    pub(super) fn updates(self) -> (StoredRows, Vec<f64>) {
        (self.rows, self.labels)
    }

    /// Whether the pairs of this many slots are too many for the updates there were.
    pub(super) fn outreached(&self, slots: usize) -> bool {
        slots > Downdated::MOST_SLOTS && self.labels.len() < self.slots
    }

    /// Bytes of these rows and S at `slots` slots.
    pub(super) fn bytes(rows: &StoredRows, slots: usize) -> u128 {
        rows.bytes() + 8 * rows.len() as u128 + Downdated::bytes(slots)
    }
}

impl SecondOrderInverse {
    /// The form's state after these updates.
    pub(super) fn replay(&self, rows: StoredRows, labels: Vec<f64>) -> Inverse {
        let mut s = Downdated::default();
        for x in rows.rows() {
            s.reach(slots_of(x));
            self.shrink(&mut s, x);
        }
        let slots = rows.slots();
        Inverse {
            rows,
            labels,
            s,
            slots,
        }
    }

    /// `S <- S - S x x'S/(a + x'S x)`; gives `S x` before and `a + x'S x`.
    fn shrink(&self, s: &mut Downdated, x: Row<'_>) -> (Vec<f64>, f64) {
        let sx = s.times(x.iter());
        let whole = self.a + x.dot(&sx).max(0.0);
        let root = whole.sqrt();
        let z: Vec<f64> = sx.iter().map(|sx| sx / root).collect();
        s.subtract(&z);
        (sx, whole)
    }

    /// r of a row as a share of `w.x`: `a/(a + x'Sx)`.
    pub(in crate::online) fn share(&self, state: &Inverse, x: Row<'_>) -> f64 {
        self.a / (self.a + state.s.square(x.iter()).max(0.0))
    }

    /// Adds `A^-1 (v - A w)` to w, `v = sum y x`.
    fn correct(&self, state: &Inverse, w: &mut Lane<'_, Primal>) {
        let order = state.s.order();
        let mut missing = vec![0.0; order];
        for (j, missing) in missing.iter_mut().enumerate().take(w.slots()) {
            *missing = -self.a * w.get(j);
        }
        for (x, y) in state.rows.rows().zip(&state.labels) {
            x.add_to(y - w.inner(x), &mut missing);
        }
        let more = state.s.apply(&missing);
        for (j, more) in more.iter().enumerate().take(w.slots()) {
            w.set(j, w.get(j) + more / self.a);
        }
    }
}

impl Rule<Primal> for SecondOrderInverse {
    type State = Inverse;

    fn start(&self, _planes: &Primal) -> Inverse {
        Inverse::default()
    }

    fn learn(
        &self,
        state: &mut Inverse,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let (x, f) = (trial.x, trial.margin);
        if self.margin == 0.0 {
            if !wants_update(f, y, 0.0) {
                return false;
            }
        } else {
            let r = augmented(f, self.share(state, x));
            trial.prediction.margin.set(r);
            if !wants_update(r, y, self.margin) {
                return false;
            }
        }
        state.slots = state.slots.max(slots_of(x));
        state.s.reach(state.slots);
        let (sx, whole) = self.shrink(&mut state.s, x);
        trial.prediction.margin.set(augmented(f, self.a / whole));
        let step = (y.sign() - f) / whole;
        for (j, sx) in sx.iter().enumerate().take(w.slots()) {
            w.set(j, w.get(j) + step * sx);
        }
        state.rows.push(x);
        state.labels.push(y.sign());
        if state.labels.len().is_multiple_of(CORRECTED) {
            self.correct(state, &mut w);
        }
        true
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Inverse, slots: usize) -> u128 {
        let outreached = state.outreached(slots);
        let slots = if outreached { state.slots } else { slots };
        Inverse::bytes(&state.rows, slots)
    }

    fn save<'a>(&self, state: &'a Inverse, out: &mut State<'a>) {
        let (tiles, queue, waiting) = state.s.parts();
        out.put_f64("labels", &state.labels[..]);
        out.put_f64("inverse", tiles);
        out.put_f64("inverse-queue", queue);
        out.put_u64("inverse-waiting", vec![waiting as u64]);
        state.rows.save(out);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Inverse, StateError> {
        let labels = from.take_f64("labels")?;
        let (tiles, queue) = (from.take_f64("inverse")?, from.take_f64("inverse-queue")?);
        let [waiting] = from.take_counts("inverse-waiting")?;
        let waiting = usize::try_from(waiting).unwrap_or(usize::MAX);
        let rows = StoredRows::load(from, labels.len())?;
        let slots = rows.slots();
        let s = Downdated::of_parts(tiles, queue, waiting);
        match s.filter(|s| slots <= s.order().min(planes.slots())) {
            Some(s) => Ok(Inverse {
                rows,
                labels,
                s,
                slots,
            }),
            None => Err(from.bad("inverse", "it does not fit the rows")),
        }
    }
}

impl Memory for SecondOrderInverse {
    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
