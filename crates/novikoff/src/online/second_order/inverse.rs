//! Second-order perceptron, with the inverse matrix of thousands of features and sparse rows.
//!
//! Keeps `S = a A^-1` itself, and takes the squares `z z'` off it many at a time. A row's
//! `S x` costs only its own columns, where the primal form goes through its whole factor for every row. Features that never meet in
//! a row, as most categories of a large column, stand apart: they follow from the others, the joined ones, and only pairs of these have a
//! number each. The price is that S loses digits with the length of rows, so `auto` keeps rows of `|x|^2 > 1e4 a` away from
//! this form. The rows of the updates are kept too: every 512 updates w is corrected by what it misses of `A w = v`.
//! Update: with `f = w.x`, `z = S x` and `s = a + x.z`, iff `sgn(f) != y`, or `tau > 0` and `y r <= tau` for `r = f a/s`:
//! `w <- w + z (y - f)/s`, `S <- S - z z'/s`, starting at `S = I`, `w = 0`.
//! Cost: O(nnz) per right answer (O(nnz^2) if tau > 0), O(d + j nnz + j^2 + the kept rows' nnz) per update with j joined features, j^2 for
//! 64 updates at a time; O(j^2 + the kept rows' nnz) memory.
//! Bound: that of the primal form.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 3; docs/theory/second-order.md#inverse-form; T8.

use super::{INSTEAD, augmented, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg::{ApartInverse, ApartParts, Downdated, Parting};
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
    s: ApartInverse,
    /// One more than the rows' highest slot.
    slots: usize,
}

impl Inverse {
    /// Rows and labels, in order.
    pub(super) fn updates(self) -> (StoredRows, Vec<f64>) {
        (self.rows, self.labels)
    }

    /// Whether a row of this many values may join too many features for the updates there were.
    pub(super) fn outreached(&self, values: usize) -> bool {
        let joined = self.s.joined() + values;
        joined > Downdated::MOST_SLOTS && self.labels.len() < joined
    }

    /// Bytes of these rows and S, which takes so many.
    pub(super) fn bytes_with(rows: &StoredRows, s: u128) -> u128 {
        rows.bytes() + 8 * rows.len() as u128 + s
    }

    /// Bytes of these rows and S, if all of `slots` slots are joined.
    pub(super) fn most_bytes(rows: &StoredRows, slots: usize) -> u128 {
        Self::bytes_with(rows, Downdated::bytes(slots))
    }
}

impl SecondOrderInverse {
    /// The form's state after these updates.
    pub(super) fn replay(&self, rows: StoredRows, labels: Vec<f64>) -> Inverse {
        let mut s = ApartInverse::parted(&Parting::of(rows.slots_of_each()));
        for x in rows.rows() {
            s.shrink(x.iter(), self.a);
        }
        let slots = rows.slots();
        Inverse {
            rows,
            labels,
            s,
            slots,
        }
    }

    /// r of a row as a share of `w.x`: `a/(a + x'Sx)`.
    pub(in crate::online) fn share(&self, state: &Inverse, x: Row<'_>) -> f64 {
        self.a / (self.a + state.s.square(x.iter()).max(0.0))
    }

    /// Adds `A^-1 (v - A w)` to w, `v = sum y x`.
    fn correct(&self, state: &Inverse, w: &mut Lane<'_, Primal>) {
        let mut missing = vec![0.0; state.s.slots()];
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
        let (sx, whole) = state.s.shrink(x.iter(), self.a);
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

    fn kept_bytes(&self, state: &Inverse, _slots: usize) -> u128 {
        Inverse::bytes_with(&state.rows, state.s.bytes())
    }

    fn save<'a>(&self, state: &'a Inverse, out: &mut State<'a>) {
        let (tiles, queue, waiting) = state.s.inverse().parts();
        let parts = state.s.parts();
        out.put_f64("labels", &state.labels[..]);
        out.put_f64("inverse", tiles);
        out.put_f64("inverse-queue", queue);
        out.put_u64("inverse-waiting", vec![waiting as u64]);
        out.put_u32("inverse-joined", parts.joined);
        out.put_u32("apart", parts.apart);
        out.put_f64("apart-diagonals", parts.diagonals);
        out.put_u64("apart-ends", parts.ends);
        out.put_u32("apart-with", parts.with);
        out.put_f64("apart-values", parts.values);
        state.rows.save(out);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Inverse, StateError> {
        let labels = from.take_f64("labels")?;
        let (tiles, queue) = (from.take_f64("inverse")?, from.take_f64("inverse-queue")?);
        let [waiting] = from.take_counts("inverse-waiting")?;
        let waiting = usize::try_from(waiting).unwrap_or(usize::MAX);
        let rows = StoredRows::load(from, labels.len())?;
        let slots = rows.slots();
        let parts = take_parts(from)?;
        let s = Downdated::of_parts(tiles, queue, waiting);
        let s = s.and_then(|s| ApartInverse::of_parts(s, parts));
        match s.filter(|s| slots <= s.slots().min(planes.slots())) {
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

/// What is kept of features apart. Models of versions that knew none have all of them joined.
fn take_parts(from: &mut State<'static>) -> Result<ApartParts, StateError> {
    if !from.has("inverse-joined") {
        return Ok(ApartParts::default());
    }
    Ok(ApartParts {
        joined: from.take_u32("inverse-joined")?,
        apart: from.take_u32("apart")?,
        diagonals: from.take_f64("apart-diagonals")?,
        ends: from.take_u64("apart-ends")?,
        with: from.take_u32("apart-with")?,
        values: from.take_f64("apart-values")?,
    })
}

impl Memory for SecondOrderInverse {
    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
