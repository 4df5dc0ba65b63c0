//! Newton's method on the primal, for smooth losses with the square and few features.
//!
//! With many rows and few features the rows nearly depend on each other and coordinate steps get in each other's way, while the
//! weights are few. At any w, `a_i = -f'(t_i)` are dual variables, so that every step has a certificate of the same kind as
//! the ascent's: `P(w) - D(a) = lambda |w - v(a)|^2/2 = |grad P|^2/(2 lambda)`.
//! Update: `d` from `(lambda + (1/n) sum_i k_i f''(t_i) x_i x_i') d = -grad P` by conjugate gradients over the diagonal, then
//! `w <- w + theta d` with the best of the thetas 1, 1/2, 1/4, ... from the first one that lowers P enough. A free bias is one more feature, without
//! lambda. Where rows are many for the features, the first steps see one row in eight, which leads as near as rows differ by chance for an eighth
//! of the cost, and the conjugate gradients go over the factor of what one row in eight says of the matrix.
//! Cost: a pass over the rows per step of the conjugate gradients, three more per step of Newton.
//! Bound: P falls in every step; near the optimum the number of right digits doubles in each where `f''` is continuous.
//! Paper: docs/theory/dual.md#newtons-method (any primal point gives a dual one); Lin, Weng and Keerthi, Trust region Newton method for
//! large-scale logistic regression, 2008; Galli and Lin, A study on truncated Newton methods for linear classification, 2021.

use std::iter::zip;

use super::alike::AlikeRows;
use super::loss::Loss;
use super::primal::{Curvature, Judged, PrimalObjective, add, dot};
use super::problem::Problem;
use super::{Method, Report, Settings, Solution, SolveObserver, Stop, balance, coefficients};

/// Features, at most.
const MOST_SLOTS: usize = 1024;

/// Steps, at most.
const MOST_STEPS: u32 = 100;

/// Steps within which the gap, or P, should have become smaller.
const PATIENCE: u32 = 15;

/// Steps of the conjugate gradients, at most.
const MOST_TURNS: usize = 250;

/// Passes before the first step: all margins, all slopes.
const BEGINNING: u32 = 2;

/// Passes of a step beside its turns.
const STEP: u32 = 3;

/// Passes that compute again, without what rounding has added up, where a run ends.
const AGAIN: u32 = 2;

/// The first steps see one row in so many,
const SOME: usize = 8;

/// if that leaves so many rows per feature,
const ROWS_PER_SLOT: usize = 16;

/// and end at this relative gap.
const NEAR: f64 = 1e-2;

/// Features and values per row, at most, where conjugate gradients go over a factor.
const MOST_FACTORED: usize = 256;
const MOST_VALUES: usize = 32;

/// Whether this is the better way, or the only one that may be gone.
pub(super) fn suits<L: Loss>(problem: &Problem<'_>, loss: &L, settings: &Settings) -> bool {
    let Settings {
        newton,
        newton_only,
        max_passes,
        ..
    } = *settings;
    if newton_only {
        return loss.is_smooth();
    }
    let slots = problem.slots();
    newton
        && loss.is_smooth()
        && slots <= MOST_SLOTS
        && problem.len() >= 4 * slots
        && !problem.is_sparse()
        && turns_left(BEGINNING, max_passes) > 0
}

/// Where Newton's method led.
pub(super) enum Led {
    /// To the end of the run.
    There(Solution),
    /// Not far enough: the ascent continues from these variables and this bias, after `passes` passes.
    Near { a: Vec<f64>, bias: f64, passes: u32 },
}

/// Steps from `start`, dual variables if there are any, until the gap is small enough.
pub(super) fn solve<L: Loss>(
    problem: &Problem<'_>,
    loss: L,
    lambda: f64,
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &mut SolveObserver<'_>,
) -> Led {
    let Settings {
        free_bias,
        threads,
        gap,
        max_passes,
        ..
    } = *settings;
    let alike = AlikeRows::of(problem);
    let rows = (problem, alike.as_ref());
    let objective = || PrimalObjective::new(rows, loss, lambda, free_bias, threads);
    let sees_some = sees_some(problem, settings);
    let factors = sees_some && is_narrow(problem);
    let primal = objective().with_factors(factors);
    let mut passes = BEGINNING;
    let mut place = match start {
        None if sees_some => {
            let (w, of_some) = approach(&objective().of_some(SOME), (lambda, gap.max(NEAR)));
            passes += of_some.div_ceil(SOME as u32);
            primal.begin_at(w)
        }
        _ => primal.begin(start),
    };
    let mut judged = primal.judge(&place);
    let (mut best, mut lowest) = (f64::INFINITY, f64::INFINITY);
    let (mut best_at, mut first) = (0, None);
    // no step leads on
    let mut no_better = false;
    for step in 0_u32.. {
        if judged.certificate.reaches(gap) && step > 0 {
            place = primal.again(&place);
            judged = primal.judge(&place);
            passes += AGAIN;
        }
        let certificate = judged.certificate;
        let report = Report {
            method: Method::Newton,
            passes,
            certificate,
        };
        let goes_on = watch(&report);
        let stop = if certificate.reaches(gap) {
            Some(Stop::Converged)
        } else if !goes_on {
            Some(Stop::Asked)
        } else if turns_left(passes, max_passes) == 0 {
            Some(Stop::PassLimit)
        } else if no_better && settings.newton_only {
            Some(Stop::Stalled)
        } else {
            None
        };
        if let Some(stop) = stop {
            let a = primal.dual(&place, &judged);
            place.w.pop();
            return Led::There(Solution {
                weights: place.w,
                intercept: certificate.intercept,
                coefficients: coefficients(problem.aims(), &a, lambda),
                balance: free_bias.then(|| balance(problem.aims(), &a)),
                dual: a,
                margins: place.margins,
                report,
                stop,
            });
        }
        if certificate.gap < 0.99 * best || certificate.primal < lowest - 1e-6 * lowest.abs() {
            (best, best_at) = (certificate.gap.min(best), step);
        }
        lowest = certificate.primal.min(lowest);
        no_better = step - best_at >= PATIENCE || step >= MOST_STEPS;
        if no_better {
            if settings.newton_only {
                continue;
            }
            break;
        }
        let size = dot(&judged.gradient, &judged.gradient);
        let first = *first.get_or_insert(size);
        let most = if factors { 0.1 } else { 0.01 };
        let enough = enough(&judged, (size / first).min(most), lambda * gap);
        let curvature = primal.curvature(&place);
        let most = turns_left(passes, max_passes);
        let (direction, turns) = direction(&primal, &curvature, &judged, enough, most);
        let slope = dot(&judged.gradient, &direction);
        passes += turns + STEP;
        let Some(next) = primal.search(&place, &direction, slope) else {
            if settings.newton_only {
                no_better = true;
                continue;
            }
            break;
        };
        place = next;
        judged = primal.judge(&place);
    }
    Led::Near {
        a: primal.dual(&place, &judged),
        bias: judged.certificate.intercept,
        passes,
    }
}

/// Whether the first steps see some rows only: not where passes are counted.
fn sees_some(problem: &Problem<'_>, settings: &Settings) -> bool {
    problem.len() >= SOME * ROWS_PER_SLOT * problem.slots()
        && settings.max_passes >= MOST_STEPS * STEP
}

/// Whether a factor costs less than the turns it saves.
fn is_narrow(problem: &Problem<'_>) -> bool {
    problem.slots() <= MOST_FACTORED && problem.values() <= MOST_VALUES * problem.len()
}

/// The weights after steps that lead to a relative gap of `gap`, or not much further, and how many passes they took.
fn approach<L: Loss>(
    primal: &PrimalObjective<'_, L>,
    (lambda, gap): (f64, f64),
) -> (Vec<f64>, u32) {
    let mut place = primal.begin(None);
    let mut passes = BEGINNING;
    let mut first = None;
    for _ in 0..PATIENCE {
        let judged = primal.judge(&place);
        if judged.certificate.reaches(gap) {
            break;
        }
        let size = dot(&judged.gradient, &judged.gradient);
        let share = (size / *first.get_or_insert(size)).min(0.01);
        let enough = enough(&judged, share, lambda * gap);
        let curvature = primal.curvature(&place);
        let most = MOST_TURNS as u32;
        let (direction, turns) = direction(primal, &curvature, &judged, enough, most);
        let slope = dot(&judged.gradient, &direction);
        passes += turns + STEP;
        match primal.search(&place, &direction, slope) {
            Some(next) => place = next,
            None => break,
        }
    }
    (place.w, passes)
}

/// How small the square of an equation's rest must be: the nearer, the smaller, but no smaller than what is wanted. `share` is how much of
/// the first slopes' square is left, cut off where that is too much.
fn enough(judged: &Judged, share: f64, lambda_gap: f64) -> f64 {
    let size = dot(&judged.gradient, &judged.gradient);
    let wanted = 0.1 * lambda_gap * judged.certificate.size();
    (share.max(1e-6) * size).max(wanted.min(0.01 * size))
}

/// How many turns the next step may take so that it, and the look at where it ends, keep to all passes.
fn turns_left(passes: u32, max_passes: u32) -> u32 {
    max_passes.saturating_sub(passes + STEP + AGAIN)
}

/// Where the parabola at a place has its least value, nearly: the rest of its equation has a square of `enough`. And how many
/// times the second derivatives were asked, which is at most `most`.
fn direction<L: Loss>(
    primal: &PrimalObjective<'_, L>,
    curvature: &Curvature,
    judged: &Judged,
    enough: f64,
    most: u32,
) -> (Vec<f64>, u32) {
    let mut rest: Vec<f64> = judged.gradient.iter().map(|g| -g).collect();
    let mut d = vec![0.0; rest.len()];
    let mut scaled = curvature.over(&rest);
    let mut way = scaled.clone();
    let mut size = dot(&rest, &scaled);
    let mut turns = 0;
    for _ in 0..(2 * primal.places()).min(MOST_TURNS).min(most as usize) {
        let image = primal.image(curvature, &way);
        turns += 1;
        let bend = dot(&way, &image);
        if !(bend > 0.0 && size > 0.0) {
            break;
        }
        let step = size / bend;
        add(&mut d, step, &way);
        add(&mut rest, -step, &image);
        if dot(&rest, &rest) <= enough {
            break;
        }
        scaled = curvature.over(&rest);
        let next = dot(&rest, &scaled);
        let turn = next / size;
        zip(&mut way, &scaled).for_each(|(way, scaled)| *way = scaled + turn * *way);
        size = next;
    }
    (d, turns)
}
