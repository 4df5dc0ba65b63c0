//! Kernel values of the rows that come next with those that vectors are made of.
//!
//! Learners take rows one by one; values are cheaper for many at once. So a block of rows is evaluated before its
//! trials, and what a trial adds is evaluated for the rows after it. No value depends on the block.

use super::StoredRows;
use super::support::same;
use crate::kernel::{Block, Facts, Kernel};
use crate::row::Row;

/// Below so many values another thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 15;

/// Rows of the vectors that are evaluated with the whole block before the next ones: their values stay near.
const TILE: usize = 128;

/// A block of rows to come.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    coming: StoredRows,
    block: Block,
    /// Of each row of the block, its values with the rows of the vectors.
    values: Vec<Vec<f64>>,
    /// The row whose trial it is.
    turn: Option<usize>,
    /// The first row whose trial may be next.
    next: usize,
}

impl Ahead {
    pub(super) fn new(
        kernel: Kernel,
        coming: StoredRows,
        (known, facts): (&StoredRows, &[Facts]),
        threads: usize,
    ) -> Self {
        let block = Block::new(kernel, coming.rows());
        let values = evaluate(&block, known, facts, threads);
        Ahead {
            coming,
            block,
            values,
            turn: None,
            next: 0,
        }
    }

    /// The trial of a row begins.
    pub(super) fn turn(&mut self, x: Row<'_>) {
        let mut rest = self.next..self.coming.len();
        self.turn = rest.find(|&i| same(self.coming.row(i), x));
        if let Some(turn) = self.turn {
            self.next = turn + 1;
        }
    }

    /// The values of a row, if its trial it is.
    pub(super) fn values(&self, x: Row<'_>) -> Option<&[f64]> {
        let turn = self.turn.filter(|&i| same(self.coming.row(i), x))?;
        Some(&self.values[turn])
    }

    /// The vectors are now made of one row more.
    pub(super) fn add(&mut self, x: Row<'_>, facts: Facts) {
        let first = self.turn.unwrap_or(self.next);
        let values = &mut self.values;
        let one = std::iter::once((x, facts));
        self.block
            .values(first, &one, |coming, _, value| values[coming].push(value));
    }

    /// Some of the rows that the vectors were made of are gone.
    pub(super) fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        for values in &mut self.values {
            let mut place = 0..;
            values.retain(|_| place.next().is_some_and(&stays));
        }
    }
}

/// The values of each row of a block with the known ones, which are shared out to threads.
pub(super) fn evaluate(
    block: &Block,
    known: &StoredRows,
    facts: &[Facts],
    threads: usize,
) -> Vec<Vec<f64>> {
    let mut values = vec![vec![0.0; known.len()]; block.len()];
    let threads = threads.clamp(1, 1 + known.len() * block.len() / WORTH_A_THREAD);
    let share = known.len().div_ceil(threads).max(1);
    let mut rest: Vec<&mut [f64]> = values.iter_mut().map(|of| &mut of[..]).collect();
    std::thread::scope(|scope| {
        for start in (0..known.len()).step_by(share) {
            let end = known.len().min(start + share);
            let mut part = Vec::with_capacity(rest.len());
            for of in &mut rest {
                let (now, later) = std::mem::take(of).split_at_mut(end - start);
                part.push(now);
                *of = later;
            }
            let mut work = move || {
                for tile in (start..end).step_by(TILE) {
                    let rows = (tile..end.min(tile + TILE)).map(|i| (known.row(i), facts[i]));
                    block.values(0, &rows, |coming, i, value| {
                        part[coming][tile - start + i] = value;
                    });
                }
            };
            if end == known.len() {
                work();
            } else {
                scope.spawn(work);
            }
        }
    });
    values
}
