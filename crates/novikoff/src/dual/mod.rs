//! Batch solution of regularised linear problems through their dual, to a certified gap.
//!
//! Given rows `x_i`, each with a sign `s_i` (labels; 1 for regression), a target and a weight `k_i`, find the weights `w` of least
//!
//! ```text
//! P(w) = (1/n) sum_i k_i f_i(s_i x_i.w) + lambda g(w)
//! ```
//!
//! for a convex [`loss`] `f` and [`regulariser`] `g`. The dual problem is to maximise
//!
//! ```text
//! D(a) = -(1/n) sum_i k_i c_i(a_i) - lambda h(v),   v = (1/(lambda n)) sum_i k_i a_i s_i x_i
//! ```
//!
//! with the conjugates `c` and `h`; `P >= D` for any two points, and at the optimum they meet, where `w = grad h(v)` and
//! `a_i` is minus a slope of `f_i`. The solver moves one `a_i` at a time (Algorithm 1); a bias that is not regularised takes the
//! augmented Lagrangian (Algorithm 2). Smooth losses with the square and few features are solved by Newton's method in the
//! weights instead, under the same certificate. Every answer comes with its [`GapCertificate`].
//! Paper: Zhang, On the dual formulation of regularized linear systems with convex risks, 2002; docs/theory/dual.md#problem-and-dual.

mod alike;
mod ascent;
mod certificate;
mod kernel;
mod lagrangian;
mod line;
pub mod local;
pub mod loss;
pub mod named;
mod newton;
mod order;
pub mod pair;
mod polish;
mod primal;
mod prior;
mod problem;
#[cfg(feature = "linalg")]
mod pursuit;
pub mod regulariser;
mod solve;
#[doc(hidden)] // models made of solutions are put together by the engine
pub mod solved;
mod space;

pub use certificate::GapCertificate;
pub use kernel::Gram;
pub use problem::{Aim, Problem};
#[cfg(feature = "linalg")]
pub(crate) use pursuit::{Pursuit, PursuitStep};

use loss::{AnyLoss, Loss, each};
use named::{AnyRegulariser, each_regulariser};
use regulariser::Regulariser;

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // each is asked by itself
pub struct Settings {
    /// The bias is not regularised.
    pub free_bias: bool,
    /// The relative gap to reach.
    pub gap: f64,
    /// Passes over the rows, at most; at least 1.
    pub max_passes: u32,
    /// The seed of the orders.
    pub seed: u64,
    /// Rows that seem sure to stay where they are are left out until the others are solved.
    pub shrinks: bool,
    /// Newton's method where it is the better one.
    pub newton: bool,
    /// Newton's method alone, for a smooth loss with the square, whatever the size; a run that it does not bring to its end has stalled.
    pub newton_only: bool,
    /// All passes are made, over all rows, however small the gap is before: the plain algorithm, without shrinking or polishing. Newton's
    /// method is not used.
    pub all_passes: bool,
    /// Rows are visited in the order of the data, and not in a new random order in each pass.
    pub in_order: bool,
    /// Threads; results do not depend on it.
    pub threads: usize,
    /// How many parts of the rows are worked on side by side; none: as many as the size of the problem asks for.
    pub parts: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            free_bias: false,
            gap: 1e-3,
            max_passes: 1000,
            seed: 0,
            shrinks: true,
            newton: true,
            newton_only: false,
            all_passes: false,
            in_order: false,
            threads: 1,
            parts: None,
        }
    }
}

/// How a run solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Dual coordinate ascent.
    Ascent,
    /// Newton's method on the primal.
    Newton,
    /// Newton's method, which did not get there, then ascent.
    Both,
}

impl Method {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Ascent => "ascent",
            Method::Newton => "newton",
            Method::Both => "newton, ascent",
        }
    }
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// How it got there.
    pub method: Method,
    /// Passes over the rows made.
    pub passes: u32,
    /// What is certain.
    pub certificate: GapCertificate,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The gap is as small as was asked for.
    Converged,
    /// All passes were made.
    PassLimit,
    /// Rounding, or the problem, lets the gap shrink no further.
    Stalled,
    /// The [`SolveObserver`] asked for it.
    Asked,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Solution {
    /// w, by slot; empty in the space of a kernel.
    pub weights: Vec<f64>,
    /// The free bias; 0 if there is none.
    pub intercept: f64,
    /// The dual variables, one per row: a start for another lambda.
    pub dual: Vec<f64>,
    /// `s_i (w.x_i + b)` of each row, b the intercept.
    pub margins: Vec<f64>,
    /// What each row is multiplied by in `v`, which is w where the regulariser is the square: exactly after an ascent, but for the weight of the constant
    /// feature, within `sqrt(2 gap/lambda)` there and after Newton's method.
    pub coefficients: Vec<f64>,
    /// `(1/n) sum_i k_i a_i s_i` of Algorithm 2, before the variables were balanced for the certificate: 0 at the optimum. None without a
    /// free bias.
    pub balance: Option<f64>,
    /// Where the run stood at its end.
    pub report: Report,
    /// Why it ended.
    pub stop: Stop,
}

/// Called with every certificate of a run; the answer is whether to continue.
pub type SolveObserver<'w> = dyn FnMut(&Report) -> bool + 'w;

/// Solves a problem; `start` holds the dual variables of another lambda, if there is one.
///
/// ```
/// use novikoff::dual::{Aim, Problem, Settings, Stop, loss::Margin, regulariser::Square, solve};
/// use novikoff::{Label, Row, Rows};
///
/// let (mut rows, mut aims) = (Rows::new(), Vec::new());
/// for t in 0..200_i16 {
///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
///     let y = Label::of(f64::from(x[0] + 2.0 * x[1]));
///     rows.add(y, Row::dense(&x));
///     aims.push(Aim::label(y));
/// }
/// let problem = Problem::new(rows.view(), Vec::new(), aims);
/// let settings = Settings { gap: 1e-6, ..Settings::default() };
/// // a support vector machine
/// let solution = solve(&problem, Margin::HINGE, Square, 0.01, None, &settings, &mut |_| true);
/// assert_eq!(solution.stop, Stop::Converged);
/// assert!(solution.report.certificate.relative_gap() <= 1e-6);
/// let ratio = solution.weights[2] / solution.weights[1];
/// assert!((ratio - 2.0).abs() < 0.2, "{ratio}");
/// ```
///
/// # Panics
/// If the problem has no row, or `start` another number of rows.
pub fn solve<L: Loss, R: Regulariser>(
    problem: &Problem<'_>,
    loss: L,
    by: R,
    lambda: f64,
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &mut SolveObserver<'_>,
) -> Solution {
    check_start(problem, start);
    let mut options = solve::SolveOptions {
        lambda,
        group: order::group_of(problem),
        bias: 0.0,
        method: Method::Ascent,
        passes: 0,
        settings,
    };
    let newton = !settings.all_passes && newton::suits(problem, &loss, settings);
    let a = if R::IS_SQUARE && newton {
        match newton::solve(problem, loss, lambda, start, settings, watch) {
            newton::Led::There(solution) => return solution,
            newton::Led::Near { a, bias, passes } => {
                (options.method, options.bias, options.passes) = (Method::Both, bias, passes);
                a
            }
        }
    } else {
        let cold = || first(problem, loss, lambda);
        match start {
            // links that are not linear may take the solution of another lambda far away
            Some(start) if !R::IS_SQUARE => nearest(problem, loss, &by, lambda, start, cold()),
            _ => begin(problem, start, cold),
        }
    };
    let space = space::LinearSpace::new(problem, by);
    let ended = solve::solve(loss, problem.aims(), space, a, options, watch);
    let mut weights = ended.space.weights();
    if let Some(constant) = weights.first_mut().filter(|_| ended.held != 0.0) {
        *constant += ended.held;
    }
    Solution {
        weights,
        ..finish(ended, problem.aims(), lambda)
    }
}

/// Solves a problem with a loss and a regulariser that may have been read from a text ([`named`]).
///
/// ```
/// use novikoff::dual::named::{NamedLoss, NamedRegulariser};
/// use novikoff::dual::{Aim, Problem, Settings, solve_by_name};
/// use novikoff::{Row, Rows};
///
/// let mut rows = Rows::new();
/// for x in [1.0, 2.0, 3.0] {
///     rows.add("0", Row::dense(&[x]));
/// }
/// let aims = [3.0, 5.0, 7.0].map(Aim::number).to_vec();
/// let problem = Problem::new(rows.view(), Vec::new(), aims);
/// let loss = NamedLoss::parse("squared")?.loss();
/// let by = NamedRegulariser::parse("l2")?.build(1, false, None)?;
/// let settings = Settings { free_bias: true, gap: 1e-9, ..Settings::default() };
/// let solution = solve_by_name(&problem, loss, by, 1e-6, None, &settings, &mut |_| true);
/// // the line 2 x + 1
/// assert!((solution.weights[1] - 2.0).abs() < 1e-3, "{:?}", solution.weights);
/// assert!((solution.intercept - 1.0).abs() < 1e-3, "{}", solution.intercept);
/// # Ok::<(), novikoff::dual::named::NameError>(())
/// ```
///
/// # Panics
/// If the problem has no row, or `start` another number of rows.
pub fn solve_by_name(
    problem: &Problem<'_>,
    loss: AnyLoss,
    by: AnyRegulariser,
    lambda: f64,
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &mut SolveObserver<'_>,
) -> Solution {
    // the one that is used most has its own code for every loss
    if let AnyRegulariser::Square(by) = by {
        return each!(loss, loss => solve(problem, loss, by, lambda, start, settings, watch));
    }
    each_regulariser!(by, by => solve(problem, loss, by, lambda, start, settings, watch))
}

/// Solves a problem with the square regulariser in the space of a kernel; `gram` is that of the problem's rows.
///
/// # Panics
/// If the problem has no row, or `start` another number of rows.
pub fn solve_in_kernel(
    problem: &Problem<'_>,
    gram: &Gram<'_>,
    loss: AnyLoss,
    lambda: f64,
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &mut SolveObserver<'_>,
) -> Solution {
    check_start(problem, start);
    let longest = (gram.largest()).sqrt();
    let a = begin(problem, start, || near_zero(loss, lambda, longest));
    let space = kernel::Kernelised::new(gram);
    let options = solve::SolveOptions {
        lambda,
        group: 1,
        bias: 0.0,
        method: Method::Ascent,
        passes: 0,
        settings,
    };
    let ended = each!(loss, loss => solve::solve(loss, problem.aims(), space, a, options, watch));
    finish(ended, problem.aims(), lambda)
}

fn check_start(problem: &Problem<'_>, start: Option<&[f64]>) {
    assert!(!problem.is_empty(), "a problem needs rows");
    let given = start.map_or(problem.len(), <[f64]>::len);
    assert_eq!(given, problem.len(), "one dual variable a row");
}

/// The start of the largest dual value: what another lambda ended with, less and less of it, or nothing of it.
fn nearest<L: Loss, R: Regulariser>(
    problem: &Problem<'_>,
    loss: L,
    by: &R,
    lambda: f64,
    start: &[f64],
    cold: f64,
) -> Vec<f64> {
    let n = problem.len() as f64;
    let value = |a: &[f64]| {
        let (mut v, mut sum) = (vec![0.0; problem.slots()], 0.0);
        for (i, (aim, a)) in problem.aims().iter().zip(a).enumerate() {
            problem
                .row(i)
                .add_to(aim.weight * aim.sign * a / (lambda * n), &mut v);
            sum += aim.weight * loss.conjugate(*a, aim.target);
        }
        -sum / n - lambda * by.conjugate(&v)
    };
    let some = |share: f64| start.iter().map(|a| share * a).collect::<Vec<f64>>();
    let mut best = vec![cold; start.len()];
    let mut most = value(&best);
    for share in [1.0, 0.1, 0.01] {
        let a = some(share);
        let value = value(&a);
        if value > most {
            (best, most) = (a, value);
        }
    }
    best
}

fn begin(problem: &Problem<'_>, start: Option<&[f64]>, first: impl Fn() -> f64) -> Vec<f64> {
    match start {
        Some(a) => a.to_vec(),
        None => vec![first(); problem.len()],
    }
}

/// `(1/n) sum_i k_i a_i s_i`.
fn balance(aims: &[Aim], a: &[f64]) -> f64 {
    let all = aims.iter().zip(a);
    let sum: f64 = all.map(|(aim, a)| aim.weight * aim.sign * a).sum();
    sum / aims.len() as f64
}

/// What each row is multiplied by in v.
fn coefficients(aims: &[Aim], a: &[f64], lambda: f64) -> Vec<f64> {
    let unit = 1.0 / (lambda * aims.len() as f64);
    let all = aims.iter().zip(a);
    all.map(|(aim, a)| unit * aim.weight * aim.sign * a)
        .collect()
}

fn finish<S>(ended: solve::Ended<S>, aims: &[Aim], lambda: f64) -> Solution {
    Solution {
        weights: Vec::new(),
        intercept: ended.report.certificate.intercept,
        coefficients: coefficients(aims, &ended.a, lambda),
        dual: ended.a,
        margins: ended.margins,
        balance: ended.balance,
        report: ended.report,
        stop: ended.stop,
    }
}

/// Where variables begin.
fn first(problem: &Problem<'_>, loss: impl Loss, lambda: f64) -> f64 {
    if loss.start() == 0.0 {
        return 0.0;
    }
    let mut sum = vec![0.0; problem.slots()];
    for (i, aim) in problem.aims().iter().enumerate() {
        problem.row(i).add_to(aim.weight * aim.sign, &mut sum);
    }
    let top = sum.iter().fold(0.0_f64, |top, v| top.max(v.abs()));
    near_zero(loss, lambda, top / problem.len() as f64)
}

/// A start so near to 0 that v stays within 1, if the mean of the rows is no larger than `size`.
fn near_zero(loss: impl Loss, lambda: f64, size: f64) -> f64 {
    if size > 0.0 {
        loss.start().min(lambda / size)
    } else {
        loss.start()
    }
}
