//! Minimisers of `L(U) + (mu/2) |U|^2` by the dual solver, for one mu after another, in several spaces.

mod pursued;
mod solution;
mod vector;

use std::iter::zip;
use std::sync::Arc;

use super::budget_of_work::Budget;
use super::comparator::GivenComparator;
use super::multipliers::{self, Multipliers};
use super::trials::{RowSummaries, SearchProgress};
use crate::dual::loss::AnyLoss;
use crate::dual::named::AnyRegulariser;
use crate::dual::regulariser::square::Square;
use crate::dual::{Aim, Gram, Problem, Settings};
use crate::inexact::Inexact;
use crate::linalg;
use crate::row::Row;
use crate::rows::Rows;
pub(super) use vector::{BoundInputs, CandidateVector, PathVector, length, times};

/// Where vectors live.
pub(super) enum ComparatorSpace<'r> {
    /// Rows as they are.
    Linear(&'r Problem<'r>),
    /// `C^-1 x`, where `C C'` is the metric, so that `|C'U|` is the norm.
    Metric { rows: Rows, factor: Vec<f64> },
    /// Other rows, in the place of the first ones.
    Instead(Rows),
    /// Rows that were not kept; the given vector is the only one.
    Summaries(RowSummaries<'r>),
    /// The space of a kernel.
    Kernel(Box<Gram<'r>>),
    /// The space of a kernel with a metric: rows with the inner products of the metric's kernel.
    KernelMetric {
        rows: Rows,
        gram: Box<Gram<'r>>,
        /// What the metric has on its diagonal.
        ridge: f64,
        back: Box<Back<'r>>,
    },
}

/// From coefficients in a metric's space to those of U.
type Back<'r> = dyn Fn(&[f64]) -> Vec<f64> + 'r;

/// How to solve.
#[derive(Clone)]
pub(super) struct PathOptions<'r> {
    pub(super) threads: usize,
    /// Asked after every pass.
    pub(super) goes_on: &'r (dyn Fn() -> bool + Sync),
    /// Called after every solve.
    pub(super) progress: &'r (dyn Fn(SearchProgress) + Sync),
    /// The work that is left for this certificate.
    pub(super) budget: Budget,
    /// Whether large problems are solved roughly.
    pub(super) is_rough: bool,
}

/// A path of solutions, each beginning where the last one ended.
pub(super) struct Path<'r> {
    pub(super) space: ComparatorSpace<'r>,
    pub(super) aims: Arc<Vec<Aim>>,
    /// How often each row was learned from, where that matters.
    updates: Vec<f64>,
    by: AnyRegulariser,
    /// The exponent of the norm.
    exponent: f64,
    last: Option<(AnyLoss, Vec<f64>)>,
    is_large: bool,
    /// Whether it was followed pass by pass.
    is_pursued: bool,
    /// The work of a pass over the rows.
    pass: f64,
    budget: Budget,
    /// What the solves so far leave to say about the least bound.
    multipliers: Vec<Multipliers>,
    /// What the last solve's objective, `loss + (mu/2) |U|^2`, is at least.
    objective: Option<f64>,
    /// A vector that is every solution.
    given: Option<GivenComparator<'r>>,
    /// The rows before a metric changed them.
    original: Option<&'r Problem<'r>>,
    settings: Settings,
    goes_on: &'r (dyn Fn() -> bool + Sync),
    progress: &'r (dyn Fn(SearchProgress) + Sync),
}

/// Relative gaps: small problems are solved well, and large ones roughly where only one solution is asked for, or its mu is a guess.
const GAP: f64 = 1e-3;
const GAP_OF_MANY: f64 = 5e-3;
const ROUGH_GAP: f64 = 6e-2;
/// Where the work is limited, rows are taken for separable if at most one in this many is on the wrong side of a good vector,
const HOPEFUL: usize = 20;
/// or one in this many where the path is followed pass by pass and rows are so many that noise is unlikely to be separable: more than this many times the
/// slots (Cover 1965),
const HOPEFUL_OF_SPARSE: usize = 100;
const SEPARABLE_NOISE: usize = 2;
/// and if this many passes are left for the first solve.
const FEW_PASSES: u32 = 4;
/// How much of the work that is left one of several solves may take.
const SHARE: f64 = 1.0 / 3.0;
/// How many times as much a step takes whose norm has powers.
const POWERS: f64 = 4.0;
/// What a multiplication by a dense triangle takes, where one by a row takes 1.
pub(super) const DENSE: f64 = 0.1;
/// How much smaller the next one is, where that is not enough, and the last.
const SHARPER: f64 = 0.1;
const LEAST_GAP: f64 = 1e-7;

impl<'r> Path<'r> {
    fn within(
        space: ComparatorSpace<'r>,
        aims: Arc<Vec<Aim>>,
        values: usize,
        options: PathOptions<'r>,
    ) -> Self {
        let large = options.budget.is_limited();
        let pass = Budget::of_pass(aims.len(), values);
        let passes = (600_000_000 / values.max(1)).clamp(20, 3000);
        Path {
            space,
            aims,
            updates: Vec::new(),
            by: AnyRegulariser::Square(Square),
            exponent: 2.0,
            last: None,
            is_large: large,
            is_pursued: false,
            pass,
            budget: options.budget,
            multipliers: Vec::new(),
            objective: None,
            given: None,
            original: None,
            goes_on: options.goes_on,
            progress: options.progress,
            settings: Settings {
                gap: match (large, options.is_rough) {
                    (false, _) => GAP,
                    (true, false) => GAP_OF_MANY,
                    (true, true) => ROUGH_GAP,
                },
                max_passes: passes as u32,
                threads: options.threads,
                ..Settings::default()
            },
        }
    }

    /// The rows of a problem, with other aims.
    pub(super) fn linear(
        problem: &'r Problem<'r>,
        aims: Arc<Vec<Aim>>,
        options: PathOptions<'r>,
    ) -> Self {
        let values = problem.values();
        Self::within(ComparatorSpace::Linear(problem), aims, values, options)
    }

    /// With one vector by slot for all solutions.
    pub(super) fn of(mut self, given: Option<&'r [f64]>) -> Self {
        self.given = given.map(GivenComparator::Slots);
        self
    }

    /// The given vector alone, with what it says of rows that were not kept.
    pub(super) fn of_summaries(
        summaries: RowSummaries<'r>,
        given: GivenComparator<'r>,
        aims: Arc<Vec<Aim>>,
    ) -> Self {
        let options = PathOptions {
            threads: 1,
            goes_on: &|| true,
            progress: &|_| (),
            budget: Budget::unlimited(),
            is_rough: false,
        };
        Path {
            given: Some(given),
            ..Self::within(ComparatorSpace::Summaries(summaries), aims, 0, options)
        }
    }

    /// By another regulariser, with the norm of an exponent.
    pub(super) fn regularised(mut self, by: AnyRegulariser, exponent: f64) -> Self {
        (self.by, self.exponent) = (by, exponent);
        self.pass *= POWERS;
        self
    }

    /// Rows in a metric: the lower triangle of a symmetric positive matrix.
    pub(super) fn metric(
        problem: &'r Problem<'r>,
        matrix: Vec<f64>,
        ridge: f64,
        aims: Arc<Vec<Aim>>,
        options: PathOptions<'r>,
    ) -> Self {
        let factor = linalg::cholesky(matrix, ridge);
        let slots = linalg::triangle_order(&factor);
        let images = problem.len() as f64 * slots as f64 * slots as f64;
        options.budget.spend(DENSE * images);
        let mut rows = Rows::new();
        for i in 0..problem.len() {
            let mut x = vec![0.0; slots];
            problem.row(i).before(slots).add_to(1.0, &mut x);
            linalg::solve_lower(&factor, &mut x);
            push(&mut rows, &x);
        }
        let values = rows.values();
        let space = ComparatorSpace::Metric { rows, factor };
        Path {
            original: Some(problem),
            ..Self::within(space, aims, values, options)
        }
    }

    /// Other rows, each with its aim.
    pub(super) fn instead(rows: Rows, aims: Arc<Vec<Aim>>, options: PathOptions<'r>) -> Self {
        let values = rows.values();
        Self::within(ComparatorSpace::Instead(rows), aims, values, options)
    }

    /// In the space of a kernel.
    pub(super) fn kernel(gram: Gram<'r>, aims: Arc<Vec<Aim>>, options: PathOptions<'r>) -> Self {
        let values = aims.len() * aims.len();
        Self::within(
            ComparatorSpace::Kernel(Box::new(gram)),
            aims,
            values,
            options,
        )
    }

    /// There in a metric whose kernel has the values `matrix` (lower triangle): rows with those inner products stand for the
    /// rows, and `back` gives the coefficients of U from those of the solution.
    pub(super) fn kernel_metric(
        gram: Gram<'r>,
        ridge: f64,
        matrix: Vec<f64>,
        back: Box<Back<'r>>,
        aims: Arc<Vec<Aim>>,
        options: PathOptions<'r>,
    ) -> Self {
        let n = aims.len();
        let top = (0..n).fold(0.0_f64, |top, i| top.max(matrix[i * (i + 1) / 2 + i]));
        let factor = linalg::cholesky(matrix, 1e-12 * top);
        let mut rows = Rows::new();
        for i in 0..n {
            // slot 0 is that of a constant feature
            let row = &factor[i * (i + 1) / 2..(i + 1) * (i + 2) / 2];
            for (slot, value) in (1..).zip(row) {
                push_value(&mut rows, slot, *value);
            }
            rows.end_row(0);
        }
        let values = rows.values();
        let space = ComparatorSpace::KernelMetric {
            rows,
            gram: Box::new(gram),
            ridge,
            back,
        };
        Self::within(space, aims, values, options)
    }

    /// The mean of `|x|^2` there over all trials: a first mu.
    pub(super) fn mean_square(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (i, aim) in self.aims.iter().enumerate() {
            if aim.weight > 0.0 {
                let square = match &self.space {
                    ComparatorSpace::Kernel(gram) => gram.own(i),
                    ComparatorSpace::Linear(problem) if self.exponent == 2.0 => {
                        problem.norms(self.settings.threads)[i]
                    }
                    _ if self.exponent == 2.0 => self.row(i).norm_sq(),
                    _ => {
                        let dual = self.dual_exponent();
                        let norm = self.row(i).norm(dual);
                        (dual - 1.0) * norm * norm
                    }
                };
                sum += aim.weight * square;
                count += aim.weight;
            }
        }
        if sum > 0.0 && sum.is_finite() {
            sum / count
        } else {
            1.0
        }
    }

    pub(super) fn row(&self, i: usize) -> Row<'_> {
        match &self.space {
            ComparatorSpace::Linear(problem) => problem.row(i),
            ComparatorSpace::Metric { rows, .. }
            | ComparatorSpace::Instead(rows)
            | ComparatorSpace::KernelMetric { rows, .. } => rows.row(i),
            ComparatorSpace::Kernel(_) | ComparatorSpace::Summaries(_) => Row::dense(&[]),
        }
    }

    /// A row before a metric changed it.
    pub(super) fn original_row(&self, i: usize) -> Row<'_> {
        self.original
            .map_or_else(|| self.row(i), |problem| problem.row(i))
    }

    /// How many slots the rows have.
    pub(super) fn slots(&self) -> usize {
        match &self.space {
            ComparatorSpace::Linear(problem) => problem.slots(),
            ComparatorSpace::Metric { factor, .. } => linalg::triangle_order(factor),
            ComparatorSpace::Instead(rows) | ComparatorSpace::KernelMetric { rows, .. } => {
                rows.view().width() as usize + 1
            }
            ComparatorSpace::Kernel(_) | ComparatorSpace::Summaries(_) => 0,
        }
    }

    /// The zero vector.
    pub(super) fn zero(&self) -> CandidateVector {
        let vector = match &self.space {
            ComparatorSpace::Kernel(_) | ComparatorSpace::KernelMetric { .. } => {
                let n = self.aims.len();
                PathVector::Coefficients(vec![0.0; n], vec![Inexact::default(); n])
            }
            ComparatorSpace::Summaries(_) => PathVector::Multiple(0.0),
            _ => PathVector::Slots(Vec::new()),
        };
        CandidateVector {
            vector,
            margins: vec![0.0; self.aims.len()],
            norm: 0.0,
        }
    }

    /// Whether one vector is every solution.
    pub(super) fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// Whether so few rows are on the wrong side of a vector that another one may separate all, or all may be tried.
    pub(super) fn may_be_separable(&self, found: &CandidateVector) -> bool {
        let are_many = self.aims.len() > SEPARABLE_NOISE * self.slots();
        let hopeful = if self.is_pursued && are_many {
            HOPEFUL_OF_SPARSE
        } else {
            HOPEFUL
        };
        !self.is_large
            || (self.wrong(found) * hopeful <= self.aims.len()
                && self.budget.passes(self.pass / SHARE) >= FEW_PASSES)
    }

    /// Whether the work is limited, so that solutions should be few.
    pub(super) fn is_large(&self) -> bool {
        self.is_large
    }

    /// How often each row was learned from.
    pub(super) fn count_updates(&mut self, updates: &[f64]) {
        self.updates = updates.to_vec();
    }

    /// Every row that came counts once.
    pub(super) fn count_once(&mut self) {
        self.multipliers.clear();
        let met = Arc::make_mut(&mut self.aims)
            .iter_mut()
            .filter(|aim| aim.weight > 0.0);
        met.for_each(|aim| aim.weight = 1.0);
    }

    /// Gives each row its weight.
    pub(super) fn weigh(&mut self, weights: &[f64]) {
        self.multipliers.clear();
        for (aim, weight) in zip(Arc::make_mut(&mut self.aims), weights) {
            aim.weight = *weight;
        }
    }

    /// How many rows a vector has on the wrong side.
    pub(super) fn wrong(&self, found: &CandidateVector) -> usize {
        let met = zip(&found.margins, &*self.aims).filter(|(_, aim)| aim.weight > 0.0);
        met.filter(|(margin, _)| **margin <= 0.0).count()
    }

    /// The weighted hinge loss of each row.
    pub(super) fn each_slack(&self, u: &[f64]) -> Vec<f64> {
        let rows = self.aims.iter().enumerate();
        let slack =
            |(i, aim): (usize, &Aim)| aim.weight * (1.0 - aim.sign * self.row(i).dot(u)).max(0.0);
        rows.map(slack).collect()
    }

    /// No vector makes a bound smaller than this, given what multipliers say of it; nothing if there are none.
    pub(super) fn least(&self, says: &dyn Fn(&Multipliers) -> f64) -> Option<f64> {
        (!self.multipliers.is_empty()).then(|| multipliers::most(&self.multipliers, says))
    }

    /// No vector makes a bound that is `times` the objective of the last solve smaller than this: Newton's method knows that better than
    /// by its multipliers.
    pub(super) fn least_of_solved(
        &self,
        times: f64,
        says: &dyn Fn(&Multipliers) -> f64,
    ) -> Option<f64> {
        let solved = self.objective.map(|objective| times * objective);
        [self.least(says), solved]
            .into_iter()
            .flatten()
            .reduce(f64::max)
    }

    /// The exponent of the dual norm.
    pub(super) fn dual_exponent(&self) -> f64 {
        if self.exponent > 1.0 {
            self.exponent / (self.exponent - 1.0)
        } else {
            f64::INFINITY
        }
    }

    /// Counts work that was not a solve.
    pub(super) fn spend(&self, work: f64) {
        self.budget.spend(work);
    }

    /// Says where the search stands.
    pub(super) fn report(&self, solves: u32, distance: Option<f64>) {
        (self.progress)(SearchProgress { solves, distance });
    }

    /// Whether the search may continue.
    pub(super) fn goes_on(&self) -> bool {
        !self.budget.is_spent() && (self.goes_on)()
    }
}

/// Adds a row of `f64`, as near as `f32` is.
pub(super) fn push(rows: &mut Rows, x: &[f64]) {
    for (slot, value) in (0..).zip(x) {
        push_value(rows, slot, *value);
    }
    rows.end_row(0);
}

fn push_value(rows: &mut Rows, slot: u32, value: f64) {
    let value = value as f32;
    if value != 0.0 && value.is_finite() {
        rows.push(slot, value);
    }
}
