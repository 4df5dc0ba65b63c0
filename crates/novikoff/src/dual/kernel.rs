//! The square regulariser in the space of a kernel.
//!
//! `w = (1/(lambda n)) sum_i k_i a_i s_i phi(x_i)` is never written down: what steps need are the inner products `u_i = phi(x_i).w` of all rows,
//! which a step changes by a column of the Gram matrix.
//! Cost: O(n) per step that changes something, nothing for one that does not, so that passes take the large steps first
//! (`ascent.rs`); O(n nnz) per column, each computed once as long as the memory allowed holds them, else the one that was not
//! needed for longest makes room. With room for all, what other columns hold already is not computed again: values of pairs are
//! the same to the bit both ways.
//! Paper: docs/theory/dual.md#kernels-of-the-solver.

use std::iter::zip;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::problem::Problem;
use super::space::DualSpace;
use crate::inexact::Inexact;
use crate::kernel::{Kernel, KernelBlock, RowFacts, WIDE};
use crate::parallel::{self, CHUNK};
use crate::simd::wide;

/// The kernel's values of all pairs of rows, as they are needed.
pub struct Gram<'p> {
    problem: &'p Problem<'p>,
    kernel: Kernel,
    facts: Vec<RowFacts>,
    own: Vec<f64>,
    threads: usize,
    /// Columns are computed in groups, for there is room for all.
    roomy: bool,
    columns: Mutex<Columns>,
    /// The thread that computes a group holds its lock, so that no other does the same.
    turns: Vec<Mutex<()>>,
    /// Is called with how often columns were used.
    observer: Option<&'p (dyn Fn(u64) + Sync)>,
    /// Whether to stop.
    stop: Option<&'p (dyn Fn() -> bool + Sync)>,
}

/// Uses of columns between two calls of an observer.
const USES_A_CALL: u64 = 256;

struct Columns {
    kept: Vec<Option<(Arc<[f64]>, u64)>>,
    count: usize,
    most: usize,
    /// Counts the uses.
    clock: u64,
}

impl<'p> Gram<'p> {
    /// No column yet; all may take `memory` bytes.
    pub fn new(problem: &'p Problem<'p>, kernel: Kernel, memory: u128, threads: usize) -> Self {
        let n = problem.len();
        let facts: Vec<RowFacts> = (0..n).map(|i| kernel.facts(problem.row(i))).collect();
        let own = facts.iter().map(|&facts| kernel.own(facts)).collect();
        let most = usize::try_from(memory / (8 * n.max(1) as u128)).unwrap_or(usize::MAX);
        Gram {
            problem,
            kernel,
            facts,
            own,
            threads,
            roomy: most >= n,
            columns: Mutex::new(Columns {
                kept: vec![None; n],
                count: 0,
                most: most.max(1),
                clock: 0,
            }),
            turns: (0..n.div_ceil(WIDE)).map(|_| Mutex::new(())).collect(),
            observer: None,
            stop: None,
        }
    }

    /// Asks `stop` before every step whether to go on. What is solved in this space ends early then, and says so; sums are those of the rows so far.
    #[must_use]
    pub fn stopped_by(self, stop: &'p (dyn Fn() -> bool + Sync)) -> Self {
        Gram {
            stop: Some(stop),
            ..self
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }

    /// Calls `observer` from time to time with the number of steps that needed a column.
    #[must_use]
    pub fn observed(self, observer: &'p (dyn Fn(u64) + Sync)) -> Self {
        Gram {
            observer: Some(observer),
            ..self
        }
    }

    /// The rows.
    pub fn problem(&self) -> &'p Problem<'p> {
        self.problem
    }

    /// `k(x, x)` of row `i`.
    pub fn own(&self, i: usize) -> f64 {
        self.own[i]
    }

    /// The value at each row of the sum of all rows with these coefficients, and how wrong rounding can have made it.
    pub fn combine(&self, coefficients: &[f64]) -> Vec<Inexact> {
        let mut values = vec![Inexact::default(); self.own.len()];
        let mut count = 4.0;
        for (i, &c) in coefficients.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            if self.is_stopped() {
                break;
            }
            count += 1.0;
            for (sum, k) in zip(&mut values, &*self.column(i)) {
                sum.value += c * k;
                sum.error += (c * k).abs();
            }
        }
        // so far the sums of magnitudes
        for sum in &mut values {
            sum.error *= count * f64::EPSILON;
        }
        values
    }

    /// The largest `k(x, x)`.
    pub(crate) fn largest(&self) -> f64 {
        self.own.iter().fold(0.0, |top, &own| own.max(top))
    }

    /// The values of all rows with row `i`.
    pub(crate) fn column(&self, i: usize) -> Arc<[f64]> {
        if let Some(column) = self.kept(i) {
            return column;
        }
        let _turn = self.turns[i / WIDE].lock();
        if let Some(column) = self.kept(i) {
            return column;
        }
        let rows = if self.roomy {
            let first = i / WIDE * WIDE;
            first..(first + WIDE).min(self.own.len())
        } else {
            i..i + 1
        };
        let known = self.known();
        let computed = self.computed(rows.clone(), &known);
        let wanted = Arc::clone(&computed[i - rows.start]);
        if let Ok(mut columns) = self.columns.lock() {
            for (k, column) in zip(rows, computed) {
                columns.keep(k, column);
            }
        }
        wanted
    }

    /// The column of row `i`, if it is there.
    fn kept(&self, i: usize) -> Option<Arc<[f64]>> {
        let mut columns = self.columns.lock().ok()?;
        columns.clock += 1;
        let clock = columns.clock;
        if let (Some(observer), true) = (self.observer, clock.is_multiple_of(USES_A_CALL)) {
            observer(clock);
        }
        let (column, used) = columns.kept[i].as_mut()?;
        *used = clock;
        Some(Arc::clone(column))
    }

    /// The columns there are, by row; none if there is no room for all.
    fn known(&self) -> Vec<Option<Arc<[f64]>>> {
        match self.columns.lock() {
            Ok(columns) if self.roomy => {
                let kept = columns.kept.iter();
                kept.map(|kept| kept.as_ref().map(|(column, _)| Arc::clone(column)))
                    .collect()
            }
            _ => vec![None; self.own.len()],
        }
    }

    /// The columns of adjacent rows, at most [`WIDE`].
    fn computed(&self, rows: Range<usize>, known: &[Option<Arc<[f64]>>]) -> Vec<Arc<[f64]>> {
        let (first, count, n) = (rows.start, rows.len(), self.own.len());
        let block = KernelBlock::new(self.kernel, rows.map(|i| self.problem.row(i)));
        let pieces = parallel::map(0..n.div_ceil(CHUNK), self.threads, |k| {
            let others = k * CHUNK..n.min((k + 1) * CHUNK);
            let length = others.len();
            let mut values = vec![0.0; count * length];
            let (mut new, start) = (Vec::with_capacity(length), others.start);
            for j in others {
                match &known[j] {
                    Some(column) => {
                        for (lane, value) in column[first..first + count].iter().enumerate() {
                            values[lane * length + j - start] = *value;
                        }
                    }
                    None => new.push(j),
                }
            }
            let with_facts = new.iter().map(|&j| (self.problem.row(j), self.facts[j]));
            block.values(
                0,
                with_facts,
                #[inline(always)]
                |lane, k, value| values[lane * length + new[k] - start] = value,
            );
            values
        });
        let column = |lane: usize| {
            let parts = pieces.iter().map(|piece| {
                let length = piece.len() / count;
                &piece[lane * length..(lane + 1) * length]
            });
            parts.collect::<Vec<_>>().concat().into()
        };
        (0..count).map(column).collect()
    }
}

impl Columns {
    fn keep(&mut self, i: usize, column: Arc<[f64]>) {
        if self.kept[i].is_some() {
            return;
        }
        if self.count == self.most {
            let used = |kept: &Option<(Arc<[f64]>, u64)>| kept.as_ref().map(|(_, used)| *used);
            let all = self.kept.iter().enumerate();
            let oldest = all.filter_map(|(k, kept)| used(kept).map(|used| (used, k)));
            if let Some((_, k)) = oldest.min() {
                self.kept[k] = None;
                self.count -= 1;
            }
        }
        self.kept[i] = Some((column, self.clock));
        self.count += 1;
    }
}

/// The vector w by its inner products with all rows.
#[derive(Clone)]
pub(crate) struct Kernelised<'g> {
    gram: &'g Gram<'g>,
    /// `phi(x_i) . w`.
    u: Vec<f64>,
    /// `w . w`, when it was set.
    norm_sq: f64,
}

impl<'g> Kernelised<'g> {
    /// The zero vector.
    pub(crate) fn new(gram: &'g Gram<'g>) -> Self {
        Kernelised {
            gram,
            u: vec![0.0; gram.own.len()],
            norm_sq: 0.0,
        }
    }
}

impl DualSpace for Kernelised<'_> {
    const IS_SQUARE: bool = true;

    const MARGINS_ARE_KEPT: bool = true;

    fn margin(&self, i: usize) -> f64 {
        self.u[i]
    }

    fn along(&self, i: usize, c: f64) -> (f64, f64) {
        let own = self.gram.own[i];
        (self.u[i] + c * own, own)
    }

    fn add(&mut self, i: usize, c: f64) {
        let column = self.gram.column(i);
        wide(
            #[inline(always)]
            || {
                for (u, k) in zip(&mut self.u, &*column) {
                    *u += c * k;
                }
            },
        );
    }

    fn bound(&self, i: usize) -> Option<f64> {
        Some(self.gram.own[i])
    }

    fn norm_sq(&self, i: usize) -> f64 {
        self.gram.own[i]
    }

    fn set(&mut self, c: &[f64], _threads: usize) {
        self.u.fill(0.0);
        for (i, &c) in c.iter().enumerate() {
            if c != 0.0 && !self.gram.is_stopped() {
                self.add(i, c);
            }
        }
        self.norm_sq = zip(c, &self.u).map(|(c, u)| c * u).sum();
    }

    fn margins(&self, out: &mut [f64], _threads: usize) {
        out.copy_from_slice(&self.u);
    }

    fn conjugate(&self) -> f64 {
        0.5 * self.norm_sq
    }

    fn inner(&self) -> f64 {
        self.norm_sq
    }

    fn parts(&self) -> usize {
        1
    }

    fn copy(&mut self, other: &Self) {
        self.u.copy_from_slice(&other.u);
        self.norm_sq = other.norm_sq;
    }

    fn merge<'s>(&mut self, parts: impl Iterator<Item = &'s Self> + Clone, share: f64)
    where
        Self: 's,
    {
        let before = self.u.clone();
        for part in parts {
            for ((u, part), before) in zip(zip(&mut self.u, &part.u), &before) {
                *u += share * (part - before);
            }
        }
    }

    fn refresh(&mut self) {}

    fn is_stopped(&self) -> bool {
        self.gram.is_stopped()
    }
}
