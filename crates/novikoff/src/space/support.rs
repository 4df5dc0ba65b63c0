//! Weight vectors in the feature space of a kernel: sums of rows that were learned from.
//!
//! `w_k = factor_k (sum of coefficient_ki x_i)`; all vectors share the rows. A row that comes again, in another
//! vector or later, is found by its values and not stored twice. Rows that no vector has any more are dropped when
//! they are half of all.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::FixedState;

use super::coefficients::{Coefficients, stride};
use super::prefetched::{PrefetchedRows, SupportRows, ValueCache, evaluate};
use super::primal::FACTOR_RANGE;
use super::shared::PoolView;
use super::{Lookahead, Planes, SharedValues, StoredRows, UpcomingRows};
use crate::kernel::{Kernel, KernelBlock, RowFacts, WIDE};
use crate::parallel;
use crate::row::Row;
use crate::state::{State, StateError};

/// Bytes of values that are known ahead, and for how many rows at most. They do not count against a learner's
/// memory, for what fits must not depend on them.
const AHEAD_BYTES: usize = 64 << 20;
const MOST_AHEAD: usize = 256;

/// One or more vectors in the space of a kernel.
#[derive(Debug)]
pub struct Support {
    kernel: Kernel,
    rows: StoredRows,
    facts: Vec<RowFacts>,
    /// From the hash of a row to the first row that has it.
    places: BTreeMap<u64, u32>,
    coefficients: Coefficients,
    /// What the coefficients of each vector are still to be multiplied by.
    factors: Vec<f64>,
    /// How many vectors have each row, with a coefficient other than 0.
    users: Vec<u32>,
    /// How many rows no vector has.
    dead: usize,
    /// One more than the highest slot met.
    slots: usize,
    ahead: Option<PrefetchedRows>,
    remembered: ValueCache,
    /// The values are those of a pool that other learners have part in.
    shared: Option<PoolView>,
}

/// A copy without the values that were evaluated ahead or remembered.
impl Clone for Support {
    fn clone(&self) -> Self {
        Support {
            kernel: self.kernel,
            rows: self.rows.clone(),
            facts: self.facts.clone(),
            places: self.places.clone(),
            coefficients: self.coefficients.clone(),
            factors: self.factors.clone(),
            users: self.users.clone(),
            dead: self.dead,
            slots: self.slots,
            ahead: None,
            remembered: ValueCache::default(),
            shared: None,
        }
    }
}

/// Fewer dead rows than this stay where they are.
const DEAD: usize = 16;

impl Support {
    /// One zero vector.
    pub fn new(kernel: Kernel) -> Self {
        Support {
            kernel,
            rows: StoredRows::default(),
            facts: Vec::new(),
            places: BTreeMap::new(),
            coefficients: Coefficients::new(1),
            factors: vec![1.0],
            users: Vec::new(),
            dead: 0,
            slots: 0,
            ahead: None,
            remembered: ValueCache::default(),
            shared: None,
        }
    }

    /// How many rows are stored: those the vectors are made of, and at most as many that they had once.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// The rows, in the order in which they came.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.rows()
    }

    /// The coefficients of vector `k`, as many as there are rows.
    pub fn coefficients(&self, k: usize) -> impl Iterator<Item = f64> {
        self.coefficients.of(k).map(move |c| self.factors[k] * c)
    }

    /// The values of all rows with one, in order, if they are known ahead.
    fn known(&self, x: Row<'_>) -> Option<&[f64]> {
        match &self.shared {
            Some(shared) => shared.values(x),
            None => self.ahead.as_ref().and_then(|ahead| ahead.values(x)),
        }
    }

    /// Computes the values of all rows with one, in order.
    fn values(&self, x: Row<'_>) -> impl Iterator<Item = f64> {
        let rows = self.rows.rows().zip(self.facts.iter().copied());
        self.kernel.between(rows, x)
    }

    /// The inner products of the vectors with a row, given its values with all rows.
    pub(crate) fn combine(&self, values: &[f64], out: &mut [f64]) {
        self.coefficients.sums(values, out);
        self.multiply(out);
    }

    /// By the vectors' factors.
    fn multiply(&self, out: &mut [f64]) {
        for (out, factor) in out.iter_mut().zip(&self.factors) {
            *out *= factor;
        }
    }

    /// The places of rows, if all have one.
    pub(crate) fn places<'a>(&self, rows: impl Iterator<Item = Row<'a>>) -> Option<Vec<u32>> {
        rows.map(|x| self.find(x).map(|place| place as u32))
            .collect()
    }

    /// The place of a row, if it has one.
    fn find(&self, x: Row<'_>) -> Option<usize> {
        let place = *self.places.get(&hash(x))? as usize;
        same(self.rows.row(place), x).then_some(place)
    }

    /// The place of a row, a new one if need be.
    fn place(&mut self, x: Row<'_>) -> usize {
        if let Some(place) = self.find(x) {
            return place;
        }
        if self.dead >= DEAD && 2 * self.dead >= self.len() {
            self.drop_dead();
        }
        let place = self.store(x);
        if let Some(shared) = &mut self.shared {
            shared.add(x);
        }
        if let Some(ahead) = &mut self.ahead {
            ahead.add(x, self.facts[place]);
        }
        place
    }

    /// Stores a row that no vector has yet.
    fn store(&mut self, x: Row<'_>) -> usize {
        let place = self.len();
        self.rows.push(x);
        self.facts.push(self.kernel.facts(x));
        self.places.entry(hash(x)).or_insert(place as u32);
        self.coefficients.push();
        self.users.push(0);
        self.dead += 1;
        place
    }

    /// Drops the rows that no vector has. The others keep their order, and all sums their bits.
    fn drop_dead(&mut self) {
        let users = std::mem::take(&mut self.users);
        let rows = std::mem::take(&mut self.rows);
        self.places.clear();
        self.facts.clear();
        let kept = self.coefficients.kept(|place| users[place] > 0);
        self.coefficients = Coefficients::new(self.lanes());
        if let Some(ahead) = &mut self.ahead {
            ahead.retain(|place| users[place] > 0);
        }
        if let Some(shared) = &mut self.shared {
            shared.retain(|place| users[place] > 0);
        }
        self.remembered.forget();
        for (row, users) in rows.rows().zip(users) {
            if users > 0 {
                let place = self.store(row);
                self.users[place] = users;
            }
        }
        self.coefficients = kept;
        self.dead = 0;
    }

    /// Sets what vector `k` stores for the row at a place.
    fn set(&mut self, k: usize, place: usize, c: f64) {
        let before = std::mem::replace(self.coefficients.at(place, k), c);
        self.recount(place, before, c);
    }

    /// A coefficient of the row at a place has changed.
    fn recount(&mut self, place: usize, before: f64, after: f64) {
        let users = &mut self.users[place];
        if before == 0.0 && after != 0.0 {
            self.dead -= usize::from(*users == 0);
            *users += 1;
        } else if before != 0.0 && after == 0.0 {
            *users -= 1;
            self.dead += usize::from(*users == 0);
        }
    }
}

/// The values of a row as they are stored.
pub(crate) fn hash(x: Row<'_>) -> u64 {
    let (scale, values) = x.stored();
    let mut hash = FixedState::default().build_hasher();
    hash.write_u64(scale.to_bits());
    for (slot, value) in values {
        hash.write_u64(u64::from(slot) << 32 | u64::from(value.to_bits()));
    }
    hash.finish()
}

/// Whether two rows are stored alike.
pub(crate) fn same(a: Row<'_>, b: Row<'_>) -> bool {
    let ((a_scale, a), (b_scale, b)) = (a.stored(), b.stored());
    a_scale == b_scale && a.eq(b)
}

impl Lookahead for Support {
    fn lookahead(&self) -> usize {
        let rows = self.shared.as_ref().map_or(self.len(), PoolView::len);
        let fit = AHEAD_BYTES / (8 * rows + 1);
        fit.clamp(WIDE, MOST_AHEAD)
    }

    fn prefetch(&mut self, rows: UpcomingRows, threads: usize) {
        if let Some(shared) = &mut self.shared {
            return shared.prefetch(rows, threads);
        }
        if let Some(ahead) = self.ahead.take() {
            ahead.end(&mut self.remembered);
        }
        let known = SupportRows {
            rows: &self.rows,
            facts: &self.facts,
        };
        let remembered = &mut self.remembered;
        self.ahead = Some(PrefetchedRows::new(
            self.kernel,
            rows,
            known,
            remembered,
            threads,
        ));
    }

    fn set_cache_bytes(&mut self, bytes: usize) {
        match &mut self.shared {
            Some(shared) => shared.remember(bytes),
            None => self.remembered.room = bytes,
        }
    }

    fn share_values(&mut self, values: &SharedValues) {
        let room = std::mem::take(&mut self.remembered).room;
        self.ahead = None;
        self.shared = Some(values.view(self.kernel, self.rows.rows(), room));
    }
}

impl Planes for Support {
    const GROWS: bool = true;

    fn single(&self) -> Self {
        Support::new(self.kernel)
    }

    fn lanes(&self) -> usize {
        self.coefficients.lanes
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn stored(&self) -> Option<usize> {
        Some(self.len() - self.dead)
    }

    fn reach(&mut self, slots: usize, _fresh: f64) {
        self.slots = self.slots.max(slots);
    }

    fn add_lane(&mut self, like: usize) {
        for (users, c) in self.users.iter_mut().zip(self.coefficients.of(like)) {
            *users += u32::from(c != 0.0);
        }
        self.coefficients.add_lane(like);
        self.factors.push(self.factors[like]);
    }

    fn bytes_at(&self, _slots: usize, lanes: usize) -> u128 {
        // facts, places, users and coefficients
        let row = 32 + 24 + 4 + 8 * stride(lanes) as u128;
        self.rows.bytes() + row * self.len() as u128
    }

    fn turn(&mut self, x: Row<'_>) {
        if let Some(shared) = &mut self.shared {
            shared.turn(x);
        }
        if let Some(ahead) = &mut self.ahead {
            ahead.turn(x);
        }
    }

    fn is_zero(&self, x: Row<'_>) -> bool {
        self.norm_sq_of(x) == 0.0
    }

    fn inner_all(&self, x: Row<'_>, out: &mut [f64]) {
        if let Some(known) = self.known(x) {
            return self.combine(known, out);
        }
        out.fill(0.0);
        for (value, of_row) in self.values(x).zip(self.coefficients.rows()) {
            for (out, c) in out.iter_mut().zip(of_row) {
                *out += c * value;
            }
        }
        self.multiply(out);
    }

    fn inner_rows(&self, rows: &StoredRows, threads: usize, out: &mut [f64]) {
        self.values_rows(rows, threads, self.lanes(), out, |values, out| {
            self.combine(values, out);
        });
    }

    fn support(&self) -> Option<&Support> {
        Some(self)
    }

    fn values_rows(
        &self,
        rows: &StoredRows,
        threads: usize,
        numbers: usize,
        out: &mut [f64],
        each: impl Fn(&[f64], &mut [f64]) + Sync,
    ) {
        let share = rows.len().div_ceil(threads.max(1)).next_multiple_of(WIDE);
        let pieces = out.chunks_mut(share * numbers).enumerate();
        parallel::for_each(pieces, threads, |(k, out)| {
            let mut part = StoredRows::default();
            let last = rows.len().min((k + 1) * share);
            (k * share..last).for_each(|i| part.push(rows.row(i)));
            let block = KernelBlock::new(self.kernel, part.rows());
            let known = SupportRows {
                rows: &self.rows,
                facts: &self.facts,
            };
            let values = evaluate(&block, known, vec![Vec::new(); part.len()], 1);
            for (values, out) in values.iter().zip(out.chunks_exact_mut(numbers)) {
                each(values, out);
            }
        });
    }

    fn inner(&self, k: usize, x: Row<'_>) -> f64 {
        let sum = |values: &mut dyn Iterator<Item = f64>| -> f64 {
            let both = self.coefficients.of(k).zip(values);
            both.map(|(c, value)| c * value).sum()
        };
        let sum = match self.known(x) {
            Some(known) => sum(&mut known.iter().copied()),
            None => sum(&mut self.values(x)),
        };
        self.factors[k] * sum
    }

    fn norm_sq(&self, k: usize) -> f64 {
        let own = self.coefficients.of(k).enumerate();
        let own: Vec<(usize, f64)> = own.filter(|(_, c)| *c != 0.0).collect();
        let mut rows = StoredRows::default();
        let mut facts = Vec::with_capacity(own.len());
        let mut sum = 0.0;
        for part in own.chunks(MOST_AHEAD) {
            let before = rows.len();
            for &(i, _) in part {
                rows.push(self.rows.row(i));
                facts.push(self.facts[i]);
            }
            let block = KernelBlock::new(self.kernel, part.iter().map(|&(i, _)| self.rows.row(i)));
            let known = SupportRows {
                rows: &rows,
                facts: &facts,
            };
            let values = evaluate(&block, known, vec![Vec::new(); part.len()], 1);
            for (at, (values, (_, c))) in values.iter().zip(part).enumerate() {
                // each pair once, and the row with itself
                let with = own.iter().zip(&values[..before + at]);
                let inner: f64 = with.map(|((_, c), value)| c * value).sum();
                sum += c * self.factors[k] * (2.0 * inner + c * values[before + at]);
            }
        }
        self.factors[k] * sum
    }

    fn between<'a>(
        &self,
        rows: impl Iterator<Item = Row<'a>>,
        x: Row<'_>,
    ) -> impl Iterator<Item = f64> {
        let (known, x) = (self.known(x), self.kernel.row(x));
        rows.map(move |row| {
            // rows that vectors are made of were evaluated with this one for its margin
            let value = known.and_then(|known| Some(known[self.find(row)?]));
            value.unwrap_or_else(|| self.kernel.value(x, self.kernel.row(row)))
        })
    }

    fn norm_sq_of(&self, x: Row<'_>) -> f64 {
        self.kernel.own(self.kernel.facts(x))
    }

    fn scale(&mut self, k: usize, c: f64) {
        let factor = self.factors[k] * c;
        if FACTOR_RANGE.contains(&factor.abs()) {
            self.factors[k] = factor;
        } else {
            let factor = std::mem::replace(&mut self.factors[k], 1.0);
            for place in 0..self.len() {
                let value = *self.coefficients.at(place, k);
                self.set(k, place, value * factor * c);
            }
        }
    }

    fn add(&mut self, k: usize, c: f64, x: Row<'_>) {
        let place = self.place(x);
        let before = *self.coefficients.at(place, k);
        self.set(k, place, before + c / self.factors[k]);
    }

    fn remove(&mut self, k: usize, _c: f64, x: Row<'_>) {
        if let Some(place) = self.find(x) {
            self.set(k, place, 0.0);
        }
    }

    /// There are no weights of features in a kernel's space.
    fn vector(&self, _k: usize) -> Vec<f64> {
        Vec::new()
    }

    fn save<'a>(&'a self, state: &mut State<'a>) {
        self.rows.save_as("support", state);
        let mut all = Vec::with_capacity(self.lanes() * self.len());
        for k in 0..self.lanes() {
            all.extend(self.coefficients.of(k));
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
        loaded.coefficients = Coefficients::new(lanes);
        for row in stored.rows() {
            if loaded.find(row).is_some() {
                return Err(state.bad("support-ends", "a row is there twice"));
            }
            loaded.store(row);
        }
        for (i, c) in all.into_iter().enumerate() {
            loaded.set(i / len, i % len, c);
        }
        Ok(loaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::evaluated;
    use crate::random::SplitMix64;

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

    /// Sums for all vectors at once have the bits of one at a time, for any number of vectors.
    #[test]
    fn vectors_side_by_side() {
        let mut random = SplitMix64::new(3);
        let values: Vec<[f32; 3]> = (0..40)
            .map(|_| [0; 3].map(|_| random.uniform() as f32))
            .collect();
        let mut all = Support::new(Kernel::parse("poly:degree=3").expect("a kernel"));
        all.reach(4, 0.0);
        let mut rows = StoredRows::default();
        for x in &values {
            rows.push(Row::dense(x));
        }
        for lanes in 1..40 {
            for _ in 0..10 {
                let (k, i) = (random.below(lanes), random.below(40));
                all.add(k, random.uniform() - 0.5, Row::dense(&values[i]));
                all.scale(k, 0.9);
            }
            let mut one = Vec::new();
            for x in &values {
                one.extend((0..lanes).map(|k| all.inner(k, Row::dense(x))));
            }
            let mut together = vec![0.0; one.len()];
            all.inner_rows(&rows, 2, &mut together);
            assert_eq!(together, one, "{lanes}");
            let mut by_row = vec![0.0; one.len()];
            for (x, out) in values.iter().zip(by_row.chunks_exact_mut(lanes)) {
                all.inner_all(Row::dense(x), out);
            }
            assert_eq!(by_row, one, "{lanes}");
            let sums = |k: usize| {
                let w: Vec<f64> = all.coefficients(k).collect();
                let products = all.rows().zip(&w).map(|(x, c)| c * all.inner(k, x));
                products.sum::<f64>()
            };
            for k in 0..lanes {
                let error = all.norm_sq(k) - sums(k);
                assert!(error.abs() <= 1e-12 * sums(k), "{lanes} {error}");
            }
            all.add_lane(random.below(lanes));
        }
    }

    /// Ten vectors that share rows: hardly more values are evaluated than each row has with the rows that all
    /// vectors together are made of when its turn comes, and hardly any when the rows come again.
    #[test]
    fn ten_vectors_cost_one_evaluation() {
        let mut random = SplitMix64::new(7);
        let values: Vec<[f32; 3]> = (0..2000)
            .map(|_| [0; 3].map(|_| random.uniform() as f32))
            .collect();
        let mut all = Support::new(Kernel::parse("poly:degree=3").expect("a kernel"));
        all.reach(4, 0.0);
        all.set_cache_bytes(1 << 30);
        (1..10).for_each(|_| all.add_lane(0));
        let mut costs = Vec::new();
        for _ in 0..2 {
            let (begun, mut needed) = (evaluated(0), 0);
            for (first, block) in values.chunks(MOST_AHEAD).enumerate() {
                let mut coming = UpcomingRows::default();
                for (i, x) in block.iter().enumerate() {
                    coming.rows.push(Row::dense(x));
                    coming.ids.push(Some((first * MOST_AHEAD + i) as u64));
                }
                all.prefetch(coming, 1);
                for x in block.iter().map(|x| Row::dense(x)) {
                    all.turn(x);
                    needed += all.len() as u64;
                    all.inner_all(x, &mut [0.0; 10]);
                    // a third is learned from, by three vectors
                    if hash(x).is_multiple_of(3) {
                        (0..3).for_each(|_| all.add(random.below(10), 0.1, x));
                    }
                }
            }
            costs.push((evaluated(0) - begun) as f64 / needed as f64);
        }
        assert!((600..800).contains(&all.len()), "{}", all.len());
        // in the second epoch what was evaluated in the first is remembered: about half
        assert!(costs[0] < 1.1 && costs[1] < 0.6, "{costs:?}");
        assert!(costs[0] >= 1.0 && costs[1] >= 0.4, "{costs:?}");
    }

    /// Rows come and go in three vectors: dropping the dead changes no sum by a bit, and no more than half are dead.
    #[test]
    fn dropping_the_dead_changes_nothing() {
        let mut random = SplitMix64::new(1);
        let values: Vec<[f32; 3]> = (0..300)
            .map(|_| [0; 3].map(|_| random.uniform() as f32))
            .collect();
        let mut all = Support::new(Kernel::LINEAR);
        all.reach(4, 0.0);
        (0..2).for_each(|_| all.add_lane(0));
        let mut kept: Vec<(usize, usize)> = Vec::new();
        let mut most = 0;
        for t in 0..3000 {
            let (k, i) = (random.below(3), random.below(300));
            if !kept.contains(&(k, i)) {
                kept.push((k, i));
                all.add(k, random.uniform() - 0.5, Row::dense(&values[i]));
            }
            if kept.len() > 40 {
                let (k, i) = kept.swap_remove(random.below(40));
                all.remove(k, 0.0, Row::dense(&values[i]));
            }
            if t % 50 == 0 {
                all.scale(k, 0.7);
            }
            most = most.max(all.len());
            let mut fewer = all.clone();
            fewer.drop_dead();
            assert_eq!(fewer.len(), all.len() - all.dead);
            let x = Row::dense(&values[random.below(300)]);
            let [mut a, mut b] = [[0.0; 3]; 2];
            all.inner_all(x, &mut a);
            fewer.inner_all(x, &mut b);
            assert_eq!(a.map(f64::to_bits), b.map(f64::to_bits));
            assert_eq!(a, [0, 1, 2].map(|k| fewer.inner(k, x)));
            let users = |i: usize| (0..3).filter(|k| kept.contains(&(*k, i))).count();
            let live = (0..300).filter(|i| users(*i) > 0).count();
            assert_eq!(fewer.len(), live);
        }
        assert!((60..=100).contains(&most), "{most}");
    }
}
