//! Kernel values that several learners over the same rows share.
//!
//! Learners that take the same rows in the same order, a block of rows at a time each, need the values of these rows with those that their
//! vectors are made of, and have most of them in common. What one of them has had evaluated the others find. Each adds up in the order of its
//! own rows, so no result depends on it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::prefetched::{PrefetchedRows, SupportRows, ValueCache};
use super::support::{hash, same};
use super::{StoredRows, UpcomingRows};
use crate::kernel::{Kernel, RowFacts};
use crate::row::Row;

/// Kernel values that learners share, one pool per kernel.
#[derive(Clone, Debug, Default)]
#[doc(hidden)] // for runs of several learners
pub struct SharedValues {
    pools: Arc<Mutex<Pools>>,
}

/// Pools with their kernels.
type Pools = Vec<(Kernel, Arc<Mutex<Pool>>)>;

/// The rows of all learners of one kernel, and their values with the rows to come.
#[derive(Debug, Default)]
struct Pool {
    rows: StoredRows,
    facts: Vec<RowFacts>,
    /// From the hash of a row to the first row that has it.
    places: BTreeMap<u64, u32>,
    ahead: Option<PrefetchedRows>,
    /// The number of that block of rows to come.
    block: u64,
    remembered: ValueCache,
}

/// One learner's view of a pool.
#[derive(Debug)]
pub(super) struct PoolView {
    pool: Arc<Mutex<Pool>>,
    kernel: Kernel,
    /// Where the pool has the rows of the vectors.
    places: Vec<u32>,
    /// The row whose trial it is, and its place in the block.
    now: StoredRows,
    turn: Option<usize>,
    /// The block that it is looked for in.
    block: u64,
    /// The first row whose trial may be next.
    next: usize,
    /// The values of that row with the rows of the vectors.
    values: Vec<f64>,
}

impl SharedValues {
    /// A view for a learner that has these rows and may remember this many bytes.
    pub(super) fn view<'a>(
        &self,
        kernel: Kernel,
        rows: impl Iterator<Item = Row<'a>>,
        room: usize,
    ) -> PoolView {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let known = pools.iter().find(|(of, _)| *of == kernel);
        let pool = known.map(|(_, pool)| Arc::clone(pool)).unwrap_or_default();
        if known.is_none() {
            pools.push((kernel, Arc::clone(&pool)));
        }
        let mut view = PoolView {
            pool,
            kernel,
            places: Vec::new(),
            now: StoredRows::default(),
            turn: None,
            block: 0,
            next: 0,
            values: Vec::new(),
        };
        view.remember(room);
        for x in rows {
            view.add(x);
        }
        view
    }
}

impl Pool {
    /// The place of a row, a new one if need be.
    fn place(&mut self, kernel: Kernel, x: Row<'_>) -> u32 {
        let hash = hash(x);
        if let Some(&place) = self.places.get(&hash)
            && same(self.rows.row(place as usize), x)
        {
            return place;
        }
        let place = self.facts.len() as u32;
        let facts = kernel.facts(x);
        self.rows.push(x);
        self.facts.push(facts);
        self.places.entry(hash).or_insert(place);
        if let Some(ahead) = &mut self.ahead {
            ahead.add_to_all(x, facts);
        }
        place
    }
}

impl PoolView {
    fn pool(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many rows the pool has.
    pub(super) fn len(&self) -> usize {
        self.pool().facts.len()
    }

    /// As many bytes as the learner that asks for most.
    pub(super) fn remember(&mut self, room: usize) {
        let mut pool = self.pool();
        pool.remembered.room = pool.remembered.room.max(room);
    }

    /// Rows whose trials come next.
    pub(super) fn prefetch(&mut self, coming: UpcomingRows, threads: usize) {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = &mut *pool;
        // another learner may have been here
        if !(pool.ahead.as_ref()).is_some_and(|ahead| ahead.is_of(&coming)) {
            if let Some(ahead) = pool.ahead.take() {
                ahead.end(&mut pool.remembered);
            }
            let known = SupportRows {
                rows: &pool.rows,
                facts: &pool.facts,
            };
            let remembered = &mut pool.remembered;
            let ahead = PrefetchedRows::new(self.kernel, coming, known, remembered, threads);
            pool.ahead = Some(ahead);
            pool.block += 1;
        }
        (self.turn, self.block, self.next) = (None, pool.block, 0);
    }

    /// The trial of a row begins.
    pub(super) fn turn(&mut self, x: Row<'_>) {
        self.turn = None;
        self.values.clear();
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(ahead) = pool.ahead.as_ref().filter(|_| pool.block == self.block) else {
            return;
        };
        if let Some(turn) = ahead.find(self.next, x) {
            let all = ahead.of(turn);
            let own = self.places.iter().map(|&place| all[place as usize]);
            self.values.extend(own);
            self.turn = Some(turn);
            self.next = turn + 1;
            self.now = StoredRows::default();
            self.now.push(x);
        }
    }

    /// The values of a row, if its trial it is.
    pub(super) fn values(&self, x: Row<'_>) -> Option<&[f64]> {
        (self.turn.is_some() && same(self.now.row(0), x)).then_some(&self.values[..])
    }

    /// The vectors are now made of one row more.
    pub(super) fn add(&mut self, x: Row<'_>) {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let place = pool.place(self.kernel, x);
        self.places.push(place);
        if let (Some(turn), Some(ahead)) = (self.turn, &pool.ahead) {
            if pool.block == self.block {
                self.values.push(ahead.of(turn)[place as usize]);
            } else {
                self.turn = None;
            }
        }
    }

    /// Some of the rows that the vectors were made of are gone.
    pub(super) fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        let mut place = 0..;
        self.places.retain(|_| place.next().is_some_and(&stays));
        let mut place = 0..;
        self.values.retain(|_| place.next().is_some_and(&stays));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::evaluated;
    use crate::random::SplitMix64;
    use crate::space::{Lookahead as _, Planes as _, Support};

    /// Three vectors over the same rows, each alone and all with one pool: the same bits, and hardly more work than one of them has. Rows
    /// come twice, and vectors lose rows.
    #[test]
    fn shared_values_are_those_of_each_alone() {
        let mut random = SplitMix64::new(11);
        let rows: Vec<[f32; 3]> = (0..600)
            .map(|_| [0; 3].map(|_| random.uniform() as f32))
            .collect();
        let kernel = Kernel::parse("poly:degree=3").expect("a kernel");
        let mut work = Vec::new();
        let mut all = Vec::new();
        for is_shared in [false, true] {
            let mut random = SplitMix64::new(12);
            let pool = SharedValues::default();
            let mut vectors: Vec<Support> = (0..3).map(|_| Support::new(kernel)).collect();
            // what a learner begins with
            vectors[1].add(0, 1.0, Row::EMPTY);
            for vector in &mut vectors {
                vector.reach(4, 0.0);
                vector.set_cache_bytes(1 << 20);
                if is_shared {
                    vector.share_values(&pool);
                }
            }
            let (begun, mut seen) = (evaluated(0), Vec::new());
            for _ in 0..2 {
                for (first, block) in rows.chunks(100).enumerate() {
                    for vector in &mut vectors {
                        let mut coming = UpcomingRows::default();
                        for (i, x) in block.iter().enumerate() {
                            coming.rows.push(Row::dense(x));
                            coming.ids.push(Some((100 * first + i) as u64));
                        }
                        vector.prefetch(coming, 1);
                        for x in block.iter().map(|x| Row::dense(x)) {
                            vector.turn(x);
                            let mut inner = [0.0];
                            vector.inner_all(x, &mut inner);
                            seen.push(inner[0].to_bits());
                            // most of them learn from the same rows
                            if hash(x).is_multiple_of(2) && random.uniform() < 0.9 {
                                vector.add(0, random.uniform() - 0.5, x);
                                seen.push(vector.inner(0, x).to_bits());
                            }
                            if random.uniform() < 0.2 {
                                let gone = Row::dense(&rows[random.below(600)]);
                                vector.remove(0, 0.0, gone);
                            }
                        }
                    }
                }
            }
            work.push(evaluated(0) - begun);
            all.push(seen);
        }
        assert_eq!(all[0], all[1]);
        assert!(2 * work[1] < work[0], "{work:?}");
    }

    /// A learner that is somewhere else than the others gets its values all the same.
    #[test]
    fn learners_that_do_not_keep_step_are_right_too() {
        let kernel = Kernel::parse("poly:degree=2").expect("a kernel");
        let rows = [[1.0, 2.0], [3.0, -1.0], [0.5, 0.5], [2.0, 2.0]];
        let pool = SharedValues::default();
        let [mut one, mut two, mut alone] = [(); 3].map(|()| Support::new(kernel));
        one.share_values(&pool);
        two.share_values(&pool);
        let prefetch = |of: &mut Support, rows: &[[f32; 2]]| {
            let mut coming = UpcomingRows::default();
            for x in rows {
                coming.rows.push(Row::dense(x));
                coming.ids.push(None);
            }
            of.prefetch(coming, 1);
        };
        let row = |i: usize| Row::dense(&rows[i]);
        for vector in [&mut one, &mut alone] {
            prefetch(vector, &rows[..2]);
            vector.turn(row(0));
            vector.add(0, 1.0, row(0));
            vector.turn(row(1));
        }
        prefetch(&mut two, &rows[2..]);
        two.turn(row(2));
        two.add(0, 1.0, row(2));
        for i in [1, 0, 2, 3] {
            one.add(0, 0.5, row(i));
            alone.add(0, 0.5, row(i));
            for j in 0..4 {
                assert_eq!(one.inner(0, row(j)), alone.inner(0, row(j)), "{i} {j}");
            }
        }
    }
}
