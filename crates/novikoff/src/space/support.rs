//! Weight vectors in the feature space of a kernel: sums of rows that were learned from.
//!
//! `w_k = factor_k (sum of coefficient_ki x_i)`; all vectors share the rows. A row that comes again, in another
//! vector or later, is found by its values and not stored twice.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3;

use super::ahead::{Ahead, evaluate};
use super::primal::FACTOR_RANGE;
use super::{Planes, StoredRows};
use crate::kernel::{Block, Facts, Kernel, WIDE};
use crate::row::Row;
use crate::state::{State, StateError};

/// Bytes of values that are known ahead, and for how many rows at most.
const AHEAD_BYTES: usize = 64 << 20;
const MOST_AHEAD: usize = 256;

/// One or more vectors in the space of a kernel.
#[derive(Clone, Debug)]
pub struct Support {
    kernel: Kernel,
    rows: StoredRows,
    facts: Vec<Facts>,
    /// From the hash of a row to the first row that has it.
    places: BTreeMap<u64, u32>,
    /// Of each vector, for the first rows; the others have none yet.
    coefficients: Vec<Vec<f64>>,
    /// What the coefficients of each vector are still to be multiplied by.
    factors: Vec<f64>,
    /// One more than the highest slot met.
    slots: usize,
    ahead: Option<Ahead>,
}

impl Support {
    /// One zero vector.
    pub fn new(kernel: Kernel) -> Self {
        Support {
            kernel,
            rows: StoredRows::default(),
            facts: Vec::new(),
            places: BTreeMap::new(),
            coefficients: vec![Vec::new()],
            factors: vec![1.0],
            slots: 0,
            ahead: None,
        }
    }

    /// How many rows the vectors are made of.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// True if all vectors are zero.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// The rows, in the order in which they came.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.rows()
    }

    /// The coefficients of vector `k`, as many as there are rows.
    pub fn coefficients(&self, k: usize) -> impl Iterator<Item = f64> {
        let known = self.coefficients[k]
            .iter()
            .map(move |c| self.factors[k] * c);
        known.chain(std::iter::repeat(0.0)).take(self.len())
    }

    /// The values of all rows with one, in order; those known ahead are taken from there.
    fn values(&self, x: Row<'_>) -> impl Iterator<Item = f64> {
        let known = self.ahead.as_ref().and_then(|ahead| ahead.values(x));
        let (known, rest) = known.map_or((&[][..], 0), |known| (known, self.len()));
        let others = (rest..self.len()).map(|i| (self.rows.row(i), self.facts[i]));
        known.iter().copied().chain(self.kernel.between(others, x))
    }

    /// The inner products of the vectors with a row, given its values with all rows.
    fn combine(&self, values: impl Iterator<Item = f64>, out: &mut [f64]) {
        out.fill(0.0);
        for (i, value) in values.enumerate() {
            for (out, coefficients) in out.iter_mut().zip(&self.coefficients) {
                *out += coefficients.get(i).copied().unwrap_or(0.0) * value;
            }
        }
        for (out, factor) in out.iter_mut().zip(&self.factors) {
            *out *= factor;
        }
    }

    /// The place of a row, a new one if need be.
    fn place(&mut self, x: Row<'_>) -> usize {
        let hash = hash(x);
        if let Some(&place) = self.places.get(&hash)
            && same(self.rows.row(place as usize), x)
        {
            return place as usize;
        }
        let place = self.len();
        let facts = self.kernel.facts(x);
        self.rows.push(x);
        self.facts.push(facts);
        if let Some(ahead) = &mut self.ahead {
            ahead.add(x, facts);
        }
        self.places.entry(hash).or_insert(place as u32);
        place
    }
}

/// The values of a row as they are stored.
pub(crate) fn hash(x: Row<'_>) -> u64 {
    let (scale, values) = x.stored();
    let mut hash = Xxh3::new();
    hash.update(&scale.to_bits().to_le_bytes());
    for (slot, value) in values {
        hash.update(&slot.to_le_bytes());
        hash.update(&value.to_bits().to_le_bytes());
    }
    hash.digest()
}

/// Whether two rows are stored alike.
pub(crate) fn same(a: Row<'_>, b: Row<'_>) -> bool {
    let ((a_scale, a), (b_scale, b)) = (a.stored(), b.stored());
    a_scale == b_scale && a.eq(b)
}

impl Planes for Support {
    const GROWS: bool = true;

    fn single(&self) -> Self {
        Support::new(self.kernel)
    }

    fn lanes(&self) -> usize {
        self.coefficients.len()
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn reach(&mut self, slots: usize, _fresh: f64) {
        self.slots = self.slots.max(slots);
    }

    fn add_lane(&mut self, like: usize) {
        self.coefficients.push(self.coefficients[like].clone());
        self.factors.push(self.factors[like]);
    }

    fn bytes_at(&self, _slots: usize, lanes: usize) -> u128 {
        // facts, places and coefficients
        let row = 24 + 24 + 8 * lanes as u128;
        let ahead = self.ahead.as_ref().map_or(0, Ahead::bytes);
        self.rows.bytes() + row * self.len() as u128 + ahead
    }

    fn foresees(&self) -> usize {
        let fit = AHEAD_BYTES / (8 * self.len() + 1);
        fit.clamp(WIDE, MOST_AHEAD)
    }

    fn foresee(&mut self, coming: StoredRows, threads: usize) {
        self.ahead = None;
        let known = (&self.rows, &self.facts[..]);
        self.ahead = Some(Ahead::new(self.kernel, coming, known, threads));
    }

    fn turn(&mut self, x: Row<'_>) {
        if let Some(ahead) = &mut self.ahead {
            ahead.turn(x);
        }
    }

    fn is_zero(&self, x: Row<'_>) -> bool {
        self.norm_sq_of(x) == 0.0
    }

    fn inner_all(&self, x: Row<'_>, out: &mut [f64]) {
        self.combine(self.values(x), out);
    }

    fn inner_rows(&self, rows: &StoredRows, threads: usize, out: &mut [f64]) {
        let share = rows.len().div_ceil(threads.max(1)).next_multiple_of(WIDE);
        std::thread::scope(|scope| {
            for (k, out) in out.chunks_mut(share * self.lanes()).enumerate() {
                let mut part = StoredRows::default();
                let last = rows.len().min((k + 1) * share);
                (k * share..last).for_each(|i| part.push(rows.row(i)));
                let mut work = move || {
                    let block = Block::new(self.kernel, part.rows());
                    let values = evaluate(&block, &self.rows, &self.facts, 1);
                    for (values, out) in values.iter().zip(out.chunks_exact_mut(self.lanes())) {
                        self.combine(values.iter().copied(), out);
                    }
                };
                if last == rows.len() {
                    work();
                } else {
                    scope.spawn(work);
                }
            }
        });
    }

    fn inner(&self, k: usize, x: Row<'_>) -> f64 {
        let values = self.values(x).zip(&self.coefficients[k]);
        self.factors[k] * values.map(|(value, c)| c * value).sum::<f64>()
    }

    fn norm_sq(&self, k: usize) -> f64 {
        let rows = self.rows.rows().zip(&self.coefficients[k]);
        self.factors[k] * rows.map(|(row, c)| c * self.inner(k, row)).sum::<f64>()
    }

    fn between<'a>(
        &self,
        rows: impl Iterator<Item = Row<'a>>,
        x: Row<'_>,
    ) -> impl Iterator<Item = f64> {
        let kernel = self.kernel;
        kernel.between(rows.map(move |row| (row, kernel.facts(row))), x)
    }

    fn norm_sq_of(&self, x: Row<'_>) -> f64 {
        self.kernel.own(self.kernel.facts(x))
    }

    fn scale(&mut self, k: usize, c: f64) {
        let factor = self.factors[k] * c;
        if FACTOR_RANGE.contains(&factor.abs()) {
            self.factors[k] = factor;
        } else {
            for coefficient in &mut self.coefficients[k] {
                *coefficient = *coefficient * self.factors[k] * c;
            }
            self.factors[k] = 1.0;
        }
    }

    fn add(&mut self, k: usize, c: f64, x: Row<'_>) {
        let place = self.place(x);
        let coefficients = &mut self.coefficients[k];
        if coefficients.len() <= place {
            coefficients.resize(place + 1, 0.0);
        }
        coefficients[place] += c / self.factors[k];
    }

    /// There are no weights of features in a kernel's space.
    fn vector(&self, _k: usize) -> Vec<f64> {
        Vec::new()
    }

    fn save<'a>(&'a self, state: &mut State<'a>) {
        self.rows.save_as("support", state);
        let mut all = Vec::with_capacity(self.lanes() * self.len());
        for coefficients in &self.coefficients {
            all.extend(coefficients);
            all.resize(all.len() + self.len() - coefficients.len(), 0.0);
        }
        state.put_f64("coefficients", all);
        state.put_f64("factors", &self.factors[..]);
        state.put_u64("slots", vec![self.slots as u64]);
    }

    fn stored_slots(_state: &State<'static>, _lanes: usize) -> usize {
        0
    }

    fn load_like(&self, state: &mut State<'static>, lanes: usize) -> Result<Self, StateError> {
        let all = state.take_f64("coefficients")?;
        if lanes == 0 || all.len() % lanes != 0 {
            return Err(state.bad("coefficients", "no multiple of the number of vectors"));
        }
        let len = all.len() / lanes;
        let factors = state.take_vector("factors", lanes)?;
        let stored = StoredRows::load_as("support", state, len)?;
        let [slots] = state.take_counts("slots")?;
        let slots = usize::try_from(slots).unwrap_or(usize::MAX);
        if stored.slots() > slots || slots > 1 << 32 {
            return Err(state.bad("slots", "not what the rows need"));
        }
        let mut loaded = Support {
            factors,
            slots,
            ..Support::new(self.kernel)
        };
        for row in stored.rows() {
            loaded.place(row);
        }
        if loaded.len() != len {
            return Err(state.bad("support-ends", "a row is there twice"));
        }
        loaded.coefficients = if len == 0 {
            vec![Vec::new(); lanes]
        } else {
            all.chunks_exact(len).map(<[f64]>::to_vec).collect()
        };
        Ok(loaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_is_lazy_and_extreme_factors_are_folded_in() {
        let kernel = Kernel::parse("poly:degree=2").expect("a kernel");
        let (x, z) = (Row::dense(&[1.0]), Row::dense(&[0.0, 2.0]));
        let mut p = Support::new(kernel);
        p.reach(3, 0.0);
        p.add(0, 0.5, x);
        p.add_lane(0);
        p.scale(0, 0.25);
        p.add(0, 1.0, z);
        // K(x, x) = 4, K(z, z) = 25, K(x, z) = 1
        assert_eq!((p.inner(0, x), p.inner(0, z)), (1.5, 25.125));
        assert_eq!(p.norm_sq(0), 0.125 * 1.5 + 25.125);
        assert_eq!(p.coefficients(0).collect::<Vec<_>>(), [0.125, 1.0]);
        let mut both = [0.0; 2];
        p.inner_all(x, &mut both);
        assert_eq!(both, [1.5, 2.0]);
        for _ in 0..30 {
            p.scale(0, 1e-20);
        }
        assert_eq!(p.inner(0, x), 0.0);
        p.add(0, 3.0, x);
        assert_eq!((p.inner(0, x), p.inner(1, x)), (12.0, 2.0));
        p.scale(0, 0.0);
        p.add(0, 2.0, z);
        assert_eq!((p.inner(0, x), p.inner(0, z)), (2.0, 50.0));
    }
}
