//! Kernel values of the rows that come next with those that vectors are made of.
//!
//! Learners take rows one by one; values are cheaper for many at once. So a block of rows is evaluated before its
//! trials, and what a trial adds is evaluated for the rows after it. Values of rows that may come again are
//! remembered while there is room. No value depends on any of that.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::support::{hash, same};
use super::{StoredRows, UpcomingRows};
use crate::kernel::{Kernel, KernelBlock, RowFacts, WIDE};
use crate::parallel;
use crate::row::Row;

/// Below this many values another thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 15;

/// Rows of the vectors that are evaluated with the whole block before the next ones: their values stay near.
const TILE: usize = 128;

/// The rows that vectors are made of, with what the kernel needs to know about each.
#[derive(Clone, Copy)]
pub(super) struct SupportRows<'a> {
    pub(super) rows: &'a StoredRows,
    pub(super) facts: &'a [RowFacts],
}

/// A block of rows to come.
#[derive(Debug)]
pub(super) struct PrefetchedRows {
    coming: UpcomingRows,
    block: KernelBlock,
    /// The row at each place of the block.
    order: Vec<usize>,
    /// Of each row to come, its values with the rows of the vectors.
    values: Vec<Vec<f64>>,
    /// The row whose trial it is.
    turn: Option<usize>,
    /// The first row whose trial may be next.
    next: usize,
}

impl PrefetchedRows {
    pub(super) fn new(
        kernel: Kernel,
        coming: UpcomingRows,
        known: SupportRows<'_>,
        remembered: &mut ValueCache,
        threads: usize,
    ) -> Self {
        // each trial adds a row at most: values are never moved to a larger place
        let room = known.rows.len() + coming.rows.len();
        let mut values: Vec<Vec<f64>> = (0..coming.rows.len())
            .map(|i| remembered.take(coming.ids[i], coming.rows.row(i), room))
            .collect();
        // rows that lack the same share the work
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&i| values[i].len());
        let block = KernelBlock::new(kernel, order.iter().map(|&i| coming.rows.row(i)));
        let begun = order.iter().map(|&i| std::mem::take(&mut values[i]));
        let done = evaluate(&block, known, begun.collect(), threads);
        for (&i, done) in order.iter().zip(done) {
            values[i] = done;
        }
        PrefetchedRows {
            coming,
            block,
            order,
            values,
            turn: None,
            next: 0,
        }
    }

    /// The trial of a row begins.
    pub(super) fn turn(&mut self, x: Row<'_>) {
        self.turn = self.find(self.next, x);
        if let Some(turn) = self.turn {
            self.next = turn + 1;
        }
    }

    /// The values of a row, if its trial it is.
    pub(super) fn values(&self, x: Row<'_>) -> Option<&[f64]> {
        let turn = self.turn.filter(|&i| same(self.coming.rows.row(i), x))?;
        Some(&self.values[turn])
    }

    /// The vectors are now made of one row more.
    pub(super) fn add(&mut self, x: Row<'_>, facts: RowFacts) {
        self.add_from(self.turn.unwrap_or(self.next), x, facts);
    }

    /// The values of one row more with all rows from a place on.
    fn add_from(&mut self, first: usize, x: Row<'_>, facts: RowFacts) {
        for g in 0..self.block.groups() {
            let (order, values) = (&self.order, &mut self.values);
            let rows = &order[g * WIDE..order.len().min((g + 1) * WIDE)];
            if rows.iter().all(|&row| row < first) {
                continue;
            }
            let one = std::iter::once((x, facts));
            self.block.values(g, one, |place, _, value| {
                if order[place] >= first {
                    values[order[place]].push(value);
                }
            });
        }
    }

    /// Whether these are the rows to come.
    pub(super) fn is_of(&self, coming: &UpcomingRows) -> bool {
        self.coming.ids == coming.ids
            && self.coming.rows.len() == coming.rows.len()
            && (self.coming.rows.rows().zip(coming.rows.rows())).all(|(a, b)| same(a, b))
    }

    /// The place of a row, looked for from a place on.
    pub(super) fn find(&self, from: usize, x: Row<'_>) -> Option<usize> {
        let mut rest = from..self.coming.rows.len();
        rest.find(|&i| same(self.coming.rows.row(i), x))
    }

    /// The values of the row at a place.
    pub(super) fn of(&self, place: usize) -> &[f64] {
        &self.values[place]
    }

    /// There is one row more, whose values all rows to come get, those whose trials some learner has had included.
    pub(super) fn add_to_all(&mut self, x: Row<'_>, facts: RowFacts) {
        self.add_from(0, x, facts);
    }

    /// Some of the rows that the vectors were made of are gone.
    pub(super) fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        for values in &mut self.values {
            let mut place = 0..;
            values.retain(|_| place.next().is_some_and(&stays));
        }
    }

    /// Its trials are over.
    pub(super) fn end(self, remembered: &mut ValueCache) {
        let ids = self.coming.ids.iter().zip(self.coming.rows.rows());
        for ((&id, x), values) in ids.zip(self.values) {
            remembered.put(id, x, values);
        }
    }
}

/// Bytes of a row in the map, which may be twice as large as its rows are, and of what the system needs to find its values.
const ROW_BYTES: usize = 144;

/// A list that must grow gets this part of its length more, so that it need not be moved again soon.
const SLACK: usize = 8;

/// Values of rows that may come again, by their ids: with the first rows that vectors are made of. They are handed over, never copied.
#[derive(Debug, Default)]
pub(super) struct ValueCache {
    /// Bytes that all of it may take.
    pub(super) room: usize,
    /// Bytes that are taken.
    used: usize,
    rows: HashMap<u64, Remembered, FixedState>,
}

/// What is remembered of a row.
#[derive(Debug)]
struct Remembered {
    hash: u64,
    values: Vec<f64>,
}

impl Remembered {
    /// How many bytes it takes.
    fn bytes(&self) -> usize {
        8 * self.values.capacity() + ROW_BYTES
    }
}

impl ValueCache {
    /// The rows of the vectors are no longer the same.
    pub(super) fn forget(&mut self) {
        self.rows.clear();
        self.used = 0;
    }

    fn put(&mut self, id: Option<u64>, x: Row<'_>, values: Vec<f64>) {
        let Some(id) = id else { return };
        self.remove(id);
        let mut row = Remembered {
            hash: hash(x),
            values,
        };
        let left = self.room.saturating_sub(self.used);
        if row.bytes() > left {
            if 8 * row.values.len() + ROW_BYTES > left {
                return;
            }
            row.values.shrink_to_fit();
        }
        if row.bytes() <= left {
            self.used += row.bytes();
            self.rows.insert(id, row);
        }
    }

    /// What is known of a row, maybe nothing, with room for `room` values.
    fn take(&mut self, id: Option<u64>, x: Row<'_>, room: usize) -> Vec<f64> {
        let known = id.and_then(|id| self.remove(id));
        let Some(row) = known.filter(|row| row.hash == hash(x)) else {
            return Vec::with_capacity(room);
        };
        let mut values = row.values;
        if values.capacity() < room {
            values.reserve_exact(room + room / SLACK - values.len());
        }
        values
    }

    fn remove(&mut self, id: u64) -> Option<Remembered> {
        let row = self.rows.remove(&id)?;
        self.used -= row.bytes();
        Some(row)
    }
}

/// The values of each row of a block with the known ones, where the first may be there already. The known rows
/// are shared out to threads.
pub(super) fn evaluate(
    block: &KernelBlock,
    known: SupportRows<'_>,
    mut values: Vec<Vec<f64>>,
    threads: usize,
) -> Vec<Vec<f64>> {
    let SupportRows { rows: known, facts } = known;
    let firsts: Vec<usize> = values
        .chunks(WIDE)
        .map(|group| group.iter().map(Vec::len).min().unwrap_or(0))
        .collect();
    let first = firsts.iter().copied().min().unwrap_or(0);
    for of in &mut values {
        of.resize(known.len(), 0.0);
    }
    let work: usize = firsts
        .iter()
        .map(|first| WIDE * (known.len() - first))
        .sum();
    let threads = threads.clamp(1, 1 + work / WORTH_A_THREAD);
    let share = (known.len() - first).div_ceil(threads).max(1);
    let mut rest: Vec<&mut [f64]> = values.iter_mut().map(|of| &mut of[first..]).collect();
    let mut parts = Vec::with_capacity(threads);
    for start in (first..known.len()).step_by(share) {
        let end = known.len().min(start + share);
        let mut part = Vec::with_capacity(rest.len());
        for of in &mut rest {
            let (now, later) = std::mem::take(of).split_at_mut(end - start);
            part.push(now);
            *of = later;
        }
        parts.push((start..end, part));
    }
    parallel::for_each(parts, threads, |(range, mut part)| {
        let mut near = vec![[0.0; WIDE]; TILE];
        for tile in range.clone().step_by(TILE) {
            for (g, &first) in firsts.iter().enumerate() {
                let (from, end) = (tile.max(first), range.end.min(tile + TILE));
                if from >= end {
                    continue;
                }
                let rows = (from..end).map(|i| (known.row(i), facts[i]));
                block.each(
                    g,
                    rows,
                    #[inline(always)]
                    |i, values| near[i] = values,
                );
                // many values of one row, then those of the next
                let places = from - range.start..end - range.start;
                for lane in 0..block.lanes(g) {
                    let out = &mut part[g * WIDE + lane][places.clone()];
                    for (out, values) in out.iter_mut().zip(&near) {
                        *out = values[lane];
                    }
                }
            }
        }
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// Values of random lengths come back as they were, and never more bytes are taken than there is room.
    #[test]
    fn the_cache_keeps_to_its_room() {
        for room in [0, 100, 5000, 100_000, 3 << 20] {
            let mut cache = ValueCache {
                room,
                ..ValueCache::default()
            };
            let mut random = SplitMix64::new(3);
            let mut known: Vec<Option<Vec<f64>>> = vec![None; 200];
            let (mut hits, mut most) = (0, 0);
            for t in 0..5000 {
                let id = random.below(200);
                let x = [id as f32, 1.0];
                let x = Row::dense(&x);
                let got = cache.take(Some(id as u64), x, 1000);
                assert!(got.capacity() >= 1000);
                match known[id].take() {
                    Some(values) if !got.is_empty() || values.is_empty() => {
                        assert_eq!(got, values);
                        hits += 1;
                    }
                    // there was no room, or nothing was put
                    _ => assert!(got.is_empty()),
                }
                let values: Vec<f64> = (0..random.below(900)).map(|k| (t + k) as f64).collect();
                cache.put(Some(id as u64), x, values.clone());
                known[id] = Some(values);
                if t == 4000 {
                    cache.forget();
                    known.fill(None);
                }
                let bytes: usize = cache.rows.values().map(Remembered::bytes).sum();
                assert!(bytes == cache.used && bytes <= room, "{room}");
                most = most.max(bytes);
            }
            // 200 rows of 450 values take less than a megabyte
            assert_eq!(hits > 2000, room > 1 << 20, "{room}: {hits}");
            assert!(
                room < 5000 || most > room.min(600_000) / 2,
                "{room}: {most}"
            );
        }
    }

    /// A row that has changed is another row.
    #[test]
    fn another_row_of_the_same_id_is_not_known() {
        let mut cache = ValueCache {
            room: 1 << 20,
            ..ValueCache::default()
        };
        cache.put(Some(1), Row::dense(&[1.0]), vec![5.0]);
        assert!(cache.take(Some(1), Row::dense(&[2.0]), 0).is_empty());
        cache.put(Some(1), Row::dense(&[1.0]), vec![5.0]);
        assert_eq!(cache.take(Some(1), Row::dense(&[1.0]), 0), [5.0]);
    }
}
