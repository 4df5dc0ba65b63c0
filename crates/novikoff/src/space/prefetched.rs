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
        let mut values: Vec<Vec<f64>> = (0..coming.rows.len())
            .map(|i| remembered.take(coming.ids[i], coming.rows.row(i)))
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
        let mut rest = self.next..self.coming.rows.len();
        self.turn = rest.find(|&i| same(self.coming.rows.row(i), x));
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
        let first = self.turn.unwrap_or(self.next);
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

/// Values of rows that may come again, by their ids: with the first rows that vectors are made of.
#[derive(Debug, Default)]
pub(super) struct ValueCache {
    /// Bytes that they may take, and that they take.
    pub(super) room: usize,
    used: usize,
    values: HashMap<u64, (u64, Vec<f64>), FixedState>,
}

impl ValueCache {
    /// The rows of the vectors are no longer the same.
    pub(super) fn forget(&mut self) {
        self.values.clear();
        self.used = 0;
    }

    fn put(&mut self, id: Option<u64>, x: Row<'_>, values: Vec<f64>) {
        let bytes = size(&values);
        if let Some(id) = id
            && self.used + bytes <= self.room
        {
            self.used += bytes;
            if let Some((_, old)) = self.values.insert(id, (hash(x), values)) {
                self.used -= size(&old);
            }
        }
    }

    /// What is known of a row, maybe nothing.
    fn take(&mut self, id: Option<u64>, x: Row<'_>) -> Vec<f64> {
        let Some((stored, values)) = id.and_then(|id| self.values.remove(&id)) else {
            return Vec::new();
        };
        self.used -= size(&values);
        if stored == hash(x) {
            values
        } else {
            Vec::new()
        }
    }
}

/// Bytes, those of the map included.
fn size(values: &[f64]) -> usize {
    8 * values.len() + 64
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
        for tile in range.clone().step_by(TILE) {
            for (g, &first) in firsts.iter().enumerate() {
                let from = tile.max(first);
                let rows = (from..range.end.min(tile + TILE)).map(|i| (known.row(i), facts[i]));
                block.values(g, rows, |place, i, value| {
                    part[place][from - range.start + i] = value;
                });
            }
        }
    });
    values
}
