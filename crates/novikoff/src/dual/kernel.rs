//! The square regulariser in the space of a kernel.
//!
//! `w = (1/(lambda n)) sum_i k_i a_i s_i phi(x_i)` is never written down: what steps need are the inner products `u_i = phi(x_i).w` of all rows,
//! which a step changes by a column of the Gram matrix.
//! Cost: O(n) per step that changes something, nothing for one that does not, so that passes take the large steps first
//! (`ascent.rs`); O(n nnz) per column, each computed once as long as the memory allowed holds them, else the one that was not
//! needed for longest makes room. A column that must be computed is computed together with those of rows that are about to move, which costs little
//! more than it does alone. Where rows are long and there is room for all columns, what other columns hold already is not computed again: values of pairs are
//! the same to the bit both ways.
//! Paper: docs/theory/dual.md#kernels-of-the-solver.

use std::iter::{empty, zip};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

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
    /// There is room for all columns.
    roomy: bool,
    /// Values that other columns hold are copied from there.
    copies: bool,
    columns: Mutex<Columns>,
    /// Some thread has computed columns.
    computed: Condvar,
    /// Is called with how often columns were used.
    observer: Option<&'p (dyn Fn(u64) + Sync)>,
    /// Whether to stop.
    stop: Option<&'p (dyn Fn() -> bool + Sync)>,
}

/// Uses of columns between two calls of an observer.
const USES_A_CALL: u64 = 256;

/// A problem is expected to come back to at most one column in this number.
const SHARE: usize = 4;

/// Values per row from which on it costs less to look a value up in another column, far away in memory, than to compute it.
const LONG: usize = 256;

/// The values of all rows with one row.
type Column = Arc<Vec<f64>>;

struct Columns {
    kept: Vec<Option<(Column, u64)>>,
    /// Columns that some thread is computing, so that no other does the same.
    claimed: Vec<bool>,
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
            copies: most >= n && problem.values() >= LONG * n,
            columns: Mutex::new(Columns {
                kept: vec![None; n],
                claimed: vec![false; n],
                count: 0,
                most: most.max(1),
                clock: 0,
            }),
            computed: Condvar::new(),
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

    /// Whether several problems over these rows, each with columns of its own, can be solved side by side: those of one would push out those that
    /// the others come back to.
    pub fn has_room_for(&self, problems: usize) -> bool {
        let most = self.lock().most;
        most.saturating_mul(SHARE) >= problems.saturating_mul(self.own.len())
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
        for (i, c, later) in not_zero(coefficients) {
            if self.is_stopped() {
                break;
            }
            count += 1.0;
            self.prepare(i, later, empty());
            for (sum, k) in zip(&mut values, self.column(i).iter()) {
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
    pub(crate) fn column(&self, i: usize) -> Column {
        let mut columns = self.lock();
        columns.clock += 1;
        let clock = columns.clock;
        if let (Some(observer), true) = (self.observer, clock.is_multiple_of(USES_A_CALL)) {
            observer(clock);
        }
        loop {
            if let Some((column, used)) = &mut columns.kept[i] {
                *used = clock;
                return Arc::clone(column);
            }
            if !columns.claimed[i] {
                return self.compute(columns, vec![i]);
            }
            let waited = self.computed.wait(columns);
            columns = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Computes the column of row `i`, unless it is there, together with those of rows that are needed `soon`; with room for all, also those that
    /// are needed `perhaps`.
    fn prepare(
        &self,
        i: usize,
        soon: impl Iterator<Item = usize>,
        perhaps: impl Iterator<Item = usize>,
    ) {
        let columns = self.lock();
        if !columns.is_missing(i) {
            return;
        }
        let mut rows = vec![i];
        let most = WIDE.min(columns.most);
        for j in soon.chain(perhaps.take_while(|_| self.roomy)) {
            if rows.len() == most {
                break;
            }
            if columns.is_missing(j) && !rows.contains(&j) {
                rows.push(j);
            }
        }
        self.compute(columns, rows);
    }

    fn lock(&self) -> MutexGuard<'_, Columns> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes the columns of some rows and keeps them; gives the first.
    fn compute(&self, mut columns: MutexGuard<'_, Columns>, rows: Vec<usize>) -> Column {
        for &i in &rows {
            columns.claimed[i] = true;
        }
        let known = if self.copies {
            columns.kept.clone()
        } else {
            Vec::new()
        };
        drop(columns);
        let claim = Claim { gram: self, rows };
        let computed = self.values(&claim.rows, &known);
        let first = Arc::clone(&computed[0]);
        let mut columns = self.lock();
        for (&i, column) in zip(&claim.rows, computed) {
            columns.keep(i, column);
        }
        drop(columns);
        first
    }

    /// The columns of at most [`WIDE`] rows; `known` are those there are, by row, if values are to be copied.
    fn values(&self, rows: &[usize], known: &[Option<(Column, u64)>]) -> Vec<Column> {
        let n = self.own.len();
        let block = KernelBlock::new(self.kernel, rows.iter().map(|&i| self.problem.row(i)));
        let mut columns = vec![vec![0.0; n]; rows.len()];
        // a piece has the values of some rows in all columns
        let mut pieces: Vec<Vec<&mut [f64]>> = Vec::new();
        pieces.resize_with(n.div_ceil(CHUNK), || Vec::with_capacity(rows.len()));
        for column in &mut columns {
            zip(&mut pieces, column.chunks_mut(CHUNK)).for_each(|(piece, part)| piece.push(part));
        }
        let pieces = pieces.into_iter().enumerate();
        parallel::for_each(pieces, self.threads, |(k, mut piece)| {
            let first = k * CHUNK;
            let mut new = Vec::with_capacity(CHUNK);
            for j in first..(first + CHUNK).min(n) {
                if let Some(Some((column, _))) = known.get(j) {
                    for (part, &i) in zip(&mut piece, rows) {
                        part[j - first] = column[i];
                    }
                } else {
                    new.push(j);
                }
            }
            let with_facts = new.iter().map(|&j| (self.problem.row(j), self.facts[j]));
            block.each(
                0,
                with_facts,
                #[inline(always)]
                |at, values| {
                    let place = new[at] - first;
                    for (part, value) in zip(&mut piece, values) {
                        part[place] = value;
                    }
                },
            );
        });
        columns.into_iter().map(Arc::new).collect()
    }
}

/// The coefficients that are not 0, each with its row and the rows of those that follow.
fn not_zero(c: &[f64]) -> impl Iterator<Item = (usize, f64, impl Iterator<Item = usize>)> {
    let place = |(i, &c): (usize, &f64)| (c != 0.0).then_some(i);
    let all = c.iter().enumerate().filter_map(place);
    all.clone().map(move |i| {
        let later = c[i + 1..].iter().enumerate().filter_map(place);
        (i, c[i], later.map(move |j| i + 1 + j))
    })
}

/// Columns that a thread is computing, until it has or fails.
struct Claim<'c, 'p> {
    gram: &'c Gram<'p>,
    rows: Vec<usize>,
}

impl Drop for Claim<'_, '_> {
    fn drop(&mut self) {
        let mut columns = self.gram.lock();
        self.rows.iter().for_each(|&i| columns.claimed[i] = false);
        drop(columns);
        self.gram.computed.notify_all();
    }
}

impl Columns {
    /// Whether the column of row `i` is neither there nor being computed.
    fn is_missing(&self, i: usize) -> bool {
        self.kept[i].is_none() && !self.claimed[i]
    }

    fn keep(&mut self, i: usize, column: Column) {
        if self.count == self.most {
            let used = |kept: &Option<(Column, u64)>| kept.as_ref().map(|(_, used)| *used);
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
                for (u, k) in zip(&mut self.u, column.iter()) {
                    *u += c * k;
                }
            },
        );
    }

    fn bounds(&self, _threads: usize) -> Vec<f64> {
        self.gram.own.clone()
    }

    fn norm_sq(&self, i: usize) -> f64 {
        self.gram.own[i]
    }

    fn set(&mut self, c: &[f64], _threads: usize) {
        self.u.fill(0.0);
        for (i, c, later) in not_zero(c) {
            if self.gram.is_stopped() {
                break;
            }
            self.gram.prepare(i, later, empty());
            self.add(i, c);
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

    fn merge<'s>(&mut self, before: &Self, parts: impl Iterator<Item = &'s Self>, share: f64)
    where
        Self: 's,
    {
        self.copy(before);
        for part in parts {
            for ((u, part), before) in zip(zip(&mut self.u, &part.u), &before.u) {
                *u += share * (part - before);
            }
        }
    }

    fn refresh(&mut self) {}

    fn prepare(
        &self,
        i: usize,
        soon: impl Iterator<Item = usize>,
        perhaps: impl Iterator<Item = usize>,
    ) {
        self.gram.prepare(i, soon, perhaps);
    }

    fn is_stopped(&self) -> bool {
        self.gram.is_stopped()
    }
}
