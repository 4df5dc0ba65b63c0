//! Minimisers of `L(U) + (mu/2) |U|^2` by the dual solver, for one mu after another, in several spaces.

use std::iter::zip;

use super::budget_of_work::Budget;
use super::comparator::GivenComparator;
use super::multipliers::{self, Multipliers};
use super::trials::{RowSummaries, SearchProgress};
use crate::dual::loss::margin::Margin;
use crate::dual::loss::{AnyLoss, Logistic};
use crate::dual::named::AnyRegulariser;
use crate::dual::regulariser::Regulariser as _;
use crate::dual::regulariser::square::Square;
use crate::dual::{
    Aim, Gram, Method, Problem, Pursuit, Report, Settings, Solution, solve_by_name, solve_in_kernel,
};
use crate::inexact::Inexact;
use crate::linalg;
use crate::row::Row;
use crate::rows::Rows;

/// A vector by slot, as the sum of rows with these coefficients, or as a multiple of the given one.
#[derive(Clone, Debug)]
pub(super) enum PathVector {
    Slots(Vec<f64>),
    /// With its values at the rows, and how wrong rounding can have made these.
    Coefficients(Vec<f64>, Vec<Inexact>),
    Multiple(f64),
}

/// A vector with what the search needs to know.
#[derive(Clone, Debug)]
pub(super) struct CandidateVector {
    pub(super) vector: PathVector,
    /// `y U.x` of each row.
    pub(super) margins: Vec<f64>,
    /// Its length in the norm of the path.
    pub(super) norm: f64,
}

impl CandidateVector {
    /// `U <- s U`.
    pub(super) fn scale(&mut self, s: f64) {
        let numbers = match &mut self.vector {
            PathVector::Slots(all) => &mut all[..],
            PathVector::Multiple(times) => std::slice::from_mut(times),
            PathVector::Coefficients(all, values) => {
                for value in values {
                    *value = times(s, *value);
                }
                &mut all[..]
            }
        };
        for value in numbers.iter_mut().chain(&mut self.margins) {
            *value *= s;
        }
        self.norm *= s;
    }
}

/// s times a number.
pub(super) fn times(s: f64, number: Inexact) -> Inexact {
    let value = s * number.value;
    let error = s.abs() * number.error + 2.0 * f64::EPSILON * value.abs();
    Inexact { value, error }
}

fn plain(values: &[Inexact]) -> Vec<f64> {
    values.iter().map(|number| number.value).collect()
}

/// What bounds look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundInputs {
    /// L(U), over all trials.
    pub(super) hinge: f64,
    /// `sum xi^2`, over all trials.
    pub(super) slacks: f64,
    /// `sum (U.x)^2`, over the updates.
    pub(super) squares: f64,
    /// The least `y U.x`.
    pub(super) least: f64,
    /// `|U|`.
    pub(super) norm: f64,
}

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
    pub(super) aims: Vec<Aim>,
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
        aims: Vec<Aim>,
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
        aims: Vec<Aim>,
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
        aims: Vec<Aim>,
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
        aims: Vec<Aim>,
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
    pub(super) fn instead(rows: Rows, aims: Vec<Aim>, options: PathOptions<'r>) -> Self {
        let values = rows.values();
        Self::within(ComparatorSpace::Instead(rows), aims, values, options)
    }

    /// In the space of a kernel.
    pub(super) fn kernel(gram: Gram<'r>, aims: Vec<Aim>, options: PathOptions<'r>) -> Self {
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
        aims: Vec<Aim>,
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
        let met = self.aims.iter_mut().filter(|aim| aim.weight > 0.0);
        met.for_each(|aim| aim.weight = 1.0);
    }

    /// Gives each row its weight.
    pub(super) fn weigh(&mut self, weights: &[f64]) {
        self.multipliers.clear();
        for (aim, weight) in zip(&mut self.aims, weights) {
            aim.weight = *weight;
        }
    }

    /// How many rows a vector has on the wrong side.
    pub(super) fn wrong(&self, found: &CandidateVector) -> usize {
        let met = zip(&found.margins, &self.aims).filter(|(_, aim)| aim.weight > 0.0);
        met.filter(|(margin, _)| **margin <= 0.0).count()
    }

    /// The weighted hinge loss of each row.
    pub(super) fn each_slack(&self, u: &[f64]) -> Vec<f64> {
        let rows = self.aims.iter().enumerate();
        let slack =
            |(i, aim): (usize, &Aim)| aim.weight * (1.0 - aim.sign * self.row(i).dot(u)).max(0.0);
        rows.map(slack).collect()
    }

    /// The minimiser for mu, one of several.
    pub(super) fn solve(&mut self, mu: f64, loss: Margin) -> CandidateVector {
        self.solve_within(mu, AnyLoss::Margin(loss), SHARE)
    }

    /// The minimiser for mu, the only one that is needed.
    pub(super) fn solve_once(&mut self, mu: f64, loss: Margin) -> CandidateVector {
        self.solve_well();
        self.solve_within(mu, AnyLoss::Margin(loss), 1.0)
    }

    /// The minimiser of the log loss for mu, one of several.
    pub(super) fn solve_logistic(&mut self, mu: f64) -> CandidateVector {
        self.solve_within(mu, AnyLoss::Logistic(Logistic), SHARE)
    }

    /// The minimiser for mu, as good as a share of the work that is left allows.
    fn solve_within(&mut self, mu: f64, loss: AnyLoss, share: f64) -> CandidateVector {
        if let Some(given) = self.given {
            return self.found_given(given);
        }
        let lambda = mu / self.aims.len() as f64;
        if !(lambda > 0.0 && lambda.is_finite() && (self.goes_on)()) {
            return self.zero();
        }
        let start = self.last.take().filter(|(of, _)| *of == loss);
        let solution = self.solution(
            lambda,
            loss,
            start.as_ref().map(|(_, a)| a.as_slice()),
            share,
        );
        self.last = Some((loss, solution.dual.clone()));
        let rows = self.aims.len() as f64;
        self.objective = Some(rows * solution.report.certificate.dual);
        let norm = match (&self.space, &self.by, solution.report.method) {
            (
                ComparatorSpace::Linear(problem),
                AnyRegulariser::Square(_),
                Method::Ascent | Method::Both,
            ) => Some(norm_of_sum(problem, &solution)),
            _ => self.dual_norm(&solution.coefficients),
        };
        let a = zip(&self.aims, &solution.dual);
        let weighted = a.map(|(aim, a)| (aim.weight, aim.weight * a));
        if let Some(norm) = norm {
            self.multipliers.push(Multipliers::new(weighted, mu * norm));
        }
        let found = match &self.space {
            ComparatorSpace::Linear(_) | ComparatorSpace::Instead(_) => CandidateVector {
                norm: length(&solution.weights, self.exponent),
                margins: solution.margins,
                vector: PathVector::Slots(solution.weights),
            },
            _ => self.found(&solution.weights, solution.coefficients),
        };
        if found.norm.is_finite() && found.margins.iter().all(|m| m.is_finite()) {
            found
        } else {
            self.zero()
        }
    }

    /// The problem of the path, where mu may move after every pass: the work is limited, the norm is that of the rows' own space, and the problem suits it.
    pub(super) fn pursued(&self) -> Option<Problem<'r>> {
        match (&self.space, &self.by) {
            (ComparatorSpace::Linear(problem), AnyRegulariser::Square(_))
                if self.is_large && self.given.is_none() && Pursuit::suits(problem) =>
            {
                Some(problem.with_aims(self.aims.clone()))
            }
            _ => None,
        }
    }

    /// Follows a path of the hinge loss from mu and these multipliers on.
    pub(super) fn pursuit<'p>(
        &self,
        problem: &'p Problem<'p>,
        mu: f64,
        start: Vec<f64>,
    ) -> Pursuit<'p> {
        let lambda = mu / problem.len() as f64;
        let Settings { seed, threads, .. } = self.settings;
        Pursuit::new(problem, Margin::HINGE, lambda, start, (seed, threads))
    }

    /// A pass was made; says whether there may be another.
    pub(super) fn passed(&self) -> bool {
        self.budget.spend(self.pass);
        self.goes_on()
    }

    /// The sum of multipliers, each times the weight of its row.
    pub(super) fn weighted_sum(&self, a: &[f64]) -> f64 {
        zip(&self.aims, a).map(|(aim, a)| aim.weight * a).sum()
    }

    /// Remembers where a pursuit has come for this mu: what it says about the least bound, and for solves to begin with.
    pub(super) fn pursued_to(&mut self, pursuit: &Pursuit<'_>, mu: f64) {
        let a = zip(&self.aims, pursuit.dual());
        let weighted = a.map(|(aim, a)| (aim.weight, aim.weight * a));
        let norm = length(pursuit.weights(), self.exponent);
        self.multipliers.push(Multipliers::new(weighted, mu * norm));
        let loss = AnyLoss::Margin(Margin::HINGE);
        self.last = Some((loss, pursuit.dual().to_vec()));
        self.is_pursued = true;
    }

    /// The vector of a pursuit.
    pub(super) fn found_by(&self, pursuit: &Pursuit<'_>) -> CandidateVector {
        self.budget.spend(self.pass);
        let found = CandidateVector {
            margins: pursuit.margins(),
            ..self.found_roughly(pursuit)
        };
        if found.margins.iter().all(|m| m.is_finite()) {
            found
        } else {
            self.zero()
        }
    }

    /// The same without its margins.
    pub(super) fn found_roughly(&self, pursuit: &Pursuit<'_>) -> CandidateVector {
        let norm = length(pursuit.weights(), self.exponent);
        if !norm.is_finite() {
            return self.zero();
        }
        CandidateVector {
            vector: PathVector::Slots(pursuit.weights().to_vec()),
            margins: Vec::new(),
            norm,
        }
    }

    /// The given vector, as if it had been solved for.
    fn found_given(&self, given: GivenComparator<'_>) -> CandidateVector {
        let u = given.slots().unwrap_or(&[]);
        let norm = match (given, &self.space) {
            (GivenComparator::Sum { norm_sq, .. }, _) => norm_sq.max(0.0).sqrt(),
            // |C'U|
            (_, ComparatorSpace::Metric { factor, .. }) => {
                let n = linalg::triangle_order(factor);
                let mut image = vec![0.0; n];
                for (i, u) in u.iter().take(n).enumerate() {
                    let row = &factor[i * (i + 1) / 2..(i + 1) * (i + 2) / 2];
                    zip(&mut image, row).for_each(|(v, c)| *v += c * u);
                }
                length(&image, 2.0)
            }
            _ => length(u, self.exponent),
        };
        let inner = |i: usize| match (&self.original, &self.space) {
            (Some(problem), _) => problem.row(i).dot(u),
            (None, ComparatorSpace::Summaries(summaries)) => summaries.values[i].value,
            (None, _) => self.row(i).dot(u),
        };
        let vector = match &self.space {
            ComparatorSpace::Summaries(_) => PathVector::Multiple(1.0),
            _ => PathVector::Slots(u.to_vec()),
        };
        let aims = self.aims.iter().enumerate();
        CandidateVector {
            vector,
            margins: aims.map(|(i, aim)| aim.sign * inner(i)).collect(),
            norm,
        }
    }

    fn solution(&self, lambda: f64, loss: AnyLoss, start: Option<&[f64]>, share: f64) -> Solution {
        let goes_on = self.goes_on;
        let mut passes = 0;
        let watch = &mut |report: &Report| {
            let since = f64::from(report.passes.saturating_sub(passes));
            passes = report.passes;
            // after an ascent's passes its free variables are polished for about as long; Newton's method counts all it does
            let taken = match report.method {
                Method::Newton => since,
                Method::Ascent | Method::Both => 2.0 * since + 2.0,
            };
            self.budget.spend(self.pass * taken);
            goes_on() && !self.budget.is_spent()
        };
        let settings = Settings {
            max_passes: (self.settings.max_passes).min(self.budget.passes(self.pass / share)),
            ..self.settings
        };
        let problem = match &self.space {
            ComparatorSpace::Linear(problem) => problem.with_aims(self.aims.clone()),
            ComparatorSpace::Metric { rows, .. }
            | ComparatorSpace::Instead(rows)
            | ComparatorSpace::KernelMetric { rows, .. } => {
                Problem::new(rows.view(), Vec::new(), self.aims.clone())
            }
            ComparatorSpace::Summaries(_) => Problem::unseen(self.aims.clone()),
            ComparatorSpace::Kernel(gram) => {
                let problem = gram.problem().with_aims(self.aims.clone());
                return solve_in_kernel(&problem, gram, loss, lambda, start, &settings, watch);
            }
        };
        let by = self.by.clone();
        solve_by_name(&problem, loss, by, lambda, start, &settings, watch)
    }

    /// The sum of rows with these coefficients, by slot, where rows are at hand; before a metric changes it.
    fn sum(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.slots()];
        let rows = coefficients.iter().enumerate().filter(|(_, c)| **c != 0.0);
        rows.for_each(|(i, c)| self.original_row(i).add_to(*c, &mut sum));
        sum
    }

    /// The length of the sum of rows with these coefficients, in the dual norm; nothing for a regulariser that is no norm.
    fn dual_norm(&self, coefficients: &[f64]) -> Option<f64> {
        match (&self.space, &self.by) {
            (ComparatorSpace::Summaries(_), _) | (_, AnyRegulariser::NonNegative(_)) => None,
            (ComparatorSpace::Kernel(gram), _) => {
                let values = gram.combine(coefficients);
                let square: f64 = zip(coefficients, &values).map(|(c, v)| c * v.value).sum();
                Some(square.max(0.0).sqrt())
            }
            (ComparatorSpace::Metric { factor, .. }, _) => {
                let mut sum = self.sum(coefficients);
                linalg::solve_lower(factor, &mut sum);
                Some(length(&sum, 2.0))
            }
            // that of the sum is the norm of U, which is its image
            (ComparatorSpace::KernelMetric { .. }, _) => {
                Some(self.found(&[], coefficients.to_vec()).norm)
            }
            (ComparatorSpace::Linear(_) | ComparatorSpace::Instead(_), _) => {
                let sum = self.sum(coefficients);
                Some(length(&sum, self.dual_exponent()))
            }
        }
    }

    /// The vector of shares of rows, times their labels, that sum to 1; remembered for what it says about the least bound.
    pub(super) fn found_at(&mut self, shares: &[(usize, f64)]) -> CandidateVector {
        let mut weighted = vec![0.0; self.aims.len()];
        for &(i, share) in shares {
            weighted[i] = share;
        }
        let signed = zip(&weighted, &self.aims).map(|(share, aim)| share * aim.sign);
        let coefficients: Vec<f64> = signed.collect();
        if let Some(norm) = self.dual_norm(&coefficients) {
            let all = zip(&self.aims, weighted).map(|(aim, share)| (aim.weight, share));
            self.multipliers.push(Multipliers::new(all, norm));
        }
        let sum = || self.sum(&coefficients);
        let weights = match (&self.space, &self.by) {
            (
                ComparatorSpace::Kernel(_)
                | ComparatorSpace::KernelMetric { .. }
                | ComparatorSpace::Summaries(_),
                _,
            ) => Vec::new(),
            (ComparatorSpace::Metric { factor, .. }, _) => {
                let mut sum = sum();
                linalg::solve_lower(factor, &mut sum);
                sum
            }
            (_, AnyRegulariser::PNorm(by)) => by.weights(&sum()),
            _ => sum(),
        };
        self.found(&weights, coefficients)
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

    /// Problems are solved better from now on; false if they are solved as well as they can be.
    pub(super) fn sharpen(&mut self) -> bool {
        self.settings.gap *= SHARPER;
        self.settings.gap >= LEAST_GAP
    }

    /// The minimiser for a mu that is a guess: roughly, if the problem is large.
    pub(super) fn solve_guess(&mut self, mu: f64, loss: Margin) -> CandidateVector {
        let gap = self.settings.gap;
        if self.is_large {
            self.settings.gap = gap.max(ROUGH_GAP);
        }
        let found = self.solve(mu, loss);
        self.settings.gap = gap;
        found
    }

    /// Problems are solved at least as well as small ones.
    pub(super) fn solve_well(&mut self) {
        self.settings.gap = self.settings.gap.min(GAP);
    }

    /// Says where the search stands.
    pub(super) fn report(&self, solves: u32, distance: Option<f64>) {
        (self.progress)(SearchProgress { solves, distance });
    }

    /// Whether the search may continue.
    pub(super) fn goes_on(&self) -> bool {
        !self.budget.is_spent() && (self.goes_on)()
    }

    fn found(&self, weights: &[f64], coefficients: Vec<f64>) -> CandidateVector {
        let signed = |inner: Vec<f64>| zip(inner, &self.aims).map(|(t, aim)| t * aim.sign);
        let inner = || (0..self.aims.len()).map(|i| self.row(i).dot(weights));
        match &self.space {
            ComparatorSpace::Kernel(gram) => {
                let c = coefficients;
                let values = gram.combine(&c);
                let norm_sq: f64 = zip(&c, &values).map(|(c, v)| c * v.value).sum();
                CandidateVector {
                    margins: signed(plain(&values)).collect(),
                    norm: norm_sq.max(0.0).sqrt(),
                    vector: PathVector::Coefficients(c, values),
                }
            }
            ComparatorSpace::KernelMetric {
                gram, ridge, back, ..
            } => {
                let c = back(&coefficients);
                let values = gram.combine(&c);
                let mut norm_sq = 0.0;
                for (i, (c, Inexact { value, .. })) in zip(&c, &values).enumerate() {
                    let times = self.updates.get(i).copied().unwrap_or(0.0);
                    norm_sq += ridge * c * value + times * value * value;
                }
                CandidateVector {
                    margins: signed(plain(&values)).collect(),
                    norm: norm_sq.max(0.0).sqrt(),
                    vector: PathVector::Coefficients(c, values),
                }
            }
            ComparatorSpace::Metric { factor, .. } => {
                let mut u = weights.to_vec();
                u.resize(linalg::triangle_order(factor), 0.0);
                linalg::solve_upper(factor, &mut u);
                let inner = (0..self.aims.len()).map(|i| match self.original {
                    Some(problem) => problem.row(i).dot(&u),
                    None => self.row(i).dot(weights),
                });
                CandidateVector {
                    margins: signed(inner.collect()).collect(),
                    norm: length(weights, 2.0),
                    vector: PathVector::Slots(u),
                }
            }
            _ => CandidateVector {
                margins: signed(inner().collect()).collect(),
                norm: length(weights, self.exponent),
                vector: PathVector::Slots(weights.to_vec()),
            },
        }
    }

    /// What bounds look at, of `s U`.
    pub(super) fn shape(&self, found: &CandidateVector, s: f64) -> BoundInputs {
        let mut shape = BoundInputs {
            hinge: 0.0,
            slacks: 0.0,
            squares: 0.0,
            least: f64::INFINITY,
            norm: s * found.norm,
        };
        for (i, (margin, aim)) in zip(&found.margins, &self.aims).enumerate() {
            if aim.weight > 0.0 {
                let times = self.updates.get(i).copied().unwrap_or(0.0);
                shape.squares += times * (s * margin) * (s * margin);
                let xi = (aim.target - s * margin).max(0.0);
                shape.hinge += aim.weight * xi;
                shape.slacks += aim.weight * xi * xi;
                shape.least = shape.least.min(s * margin);
            }
        }
        shape
    }
}

/// The length of the sum of rows that an ascent with the square ended at: its weights are that sum, but for the weight of a constant feature.
fn norm_of_sum(problem: &Problem<'_>, solution: &Solution) -> f64 {
    let mut sum = solution.weights.clone();
    let coefficients = solution.coefficients.iter().enumerate();
    if let Some(first) = sum.first_mut().filter(|first| **first != 0.0) {
        *first = coefficients.map(|(i, c)| c * problem.constant(i)).sum();
    }
    length(&sum, 2.0)
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

/// A norm of the given exponent.
pub(super) fn length(w: &[f64], exponent: f64) -> f64 {
    let top = w.iter().fold(0.0_f64, |top, w| top.max(w.abs()));
    if top == 0.0 {
        0.0
    } else if exponent == 2.0 {
        top * w.iter().map(|w| (w / top) * (w / top)).sum::<f64>().sqrt()
    } else if exponent == 1.0 {
        w.iter().map(|w| w.abs()).sum()
    } else if exponent == f64::INFINITY {
        top
    } else {
        let sum: f64 = w.iter().map(|w| libm::pow(w.abs() / top, exponent)).sum();
        top * libm::pow(sum, 1.0 / exponent)
    }
}
