//! What learners cost in multiply-adds, by formula and never by a clock.
//!
//! A row has nnz values and vectors have d slots; k updates were made before. An exponential, a logarithm or a power
//! counts as [`FUNCTION`] multiply-adds. Costs are of one class.

use crate::cost::{Cost, FUNCTION, Size};
use crate::kernel::{Kernel, KernelShape};
use crate::majority::READING;
use crate::parameter::Parameters;

fn cost(trial: f64, update: f64) -> Cost {
    Cost { trial, update }
}

/// The values of a kernel with `rows` stored rows.
fn kernel_values(kernel: Kernel, rows: f64, s: Size) -> f64 {
    let shape = match kernel.shape {
        KernelShape::Linear => 0.0,
        KernelShape::Poly { degree, .. } => 2.0 + 2.0 * libm::log2(f64::from(degree)),
        KernelShape::Gaussian { .. } => 3.0 + FUNCTION,
    };
    rows * (s.nnz + shape)
}

/// An inner product per trial, and per update `vectors` sums of it and a vector. With a kernel: the values of all rows
/// learned from.
fn additive(kernel: Kernel, s: Size, vectors: f64) -> Cost {
    if kernel == Kernel::LINEAR {
        cost(s.nnz, vectors * s.nnz)
    } else {
        cost(kernel_values(kernel, s.updates, s), vectors)
    }
}

/// The perceptron and those that differ in the size of the step.
pub(super) fn one_vector(_p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    additive(kernel, s, 1.0)
}

/// Those that keep a second vector, or the length of the first.
pub(super) fn two_vectors(_p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    additive(kernel, s, 2.0)
}

/// The p-norm perceptron and ALMA: for p = 2 the function is the identity.
pub(super) fn p_norm(p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    if p.real("p") == 2.0 {
        cost(s.nnz, 2.0 * s.nnz)
    } else {
        through_a_function(p, kernel, s)
    }
}

/// Weights that are a function of a sum, computed when it changes.
pub(super) fn through_a_function(_p: &Parameters, _kernel: Kernel, s: Size) -> Cost {
    cost(s.nnz, s.nnz * (1.0 + FUNCTION))
}

/// The pairs of features of each row beforehand. The inverse, d^3 once, is not counted.
#[cfg(feature = "linalg")]
pub(super) fn whitened(_p: &Parameters, _kernel: Kernel, s: Size) -> Cost {
    cost(s.nnz + s.nnz * s.nnz, s.features * s.nnz)
}

/// A matrix of features, or one of updates, or the cheaper of both: what it says of a row, and an update.
fn matrix(form: &str, kernel: Kernel, s: Size) -> (f64, f64) {
    let look = s.features * s.nnz;
    let primal = (look, look + s.features * s.features);
    let both = s.updates * s.updates + s.updates * s.nnz;
    let dual = (both, both);
    match form {
        _ if kernel != Kernel::LINEAR => (s.updates * s.updates, s.updates * s.updates),
        "primal" => primal,
        "dual" => dual,
        _ if primal.1 < dual.1 => primal,
        _ => dual,
    }
}

pub(super) fn second_order(p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    let inner = additive(kernel, s, 1.0).trial;
    let rank = s.updates.min(s.features);
    let form = p.word("form");
    let (look, update) = match (p.word("a"), form) {
        ("pinv", _) => {
            let turn = s.features * rank;
            return cost(inner + turn, turn + rank * rank);
        }
        // some 20 or 30 passes over the factor
        ("adaptive", _) => {
            let dual = 20.0 * (s.updates * s.updates + s.updates * s.nnz);
            let primal = 30.0 * s.features * s.features;
            let update = match form {
                "primal" => primal,
                "dual" => dual,
                _ => primal.min(dual),
            };
            (update, update)
        }
        (_, "diagonal") => return cost(2.0 * s.nnz, 2.0 * s.nnz),
        (_, "sketch") => {
            let m = p.real("rank");
            // every 4m updates the sketch is made smaller
            let shrink = (m * m * s.features + m * m * m) / (4.0 * m);
            return cost(m * s.nnz, m * s.nnz + m * m + shrink);
        }
        _ => matrix(form, kernel, s),
    };
    // with a margin every trial asks the inverse about the row
    let look = if p.real("margin") > 0.0 { look } else { 0.0 };
    cost(inner + look, update)
}

pub(super) fn higher_order(p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    let inner = additive(kernel, s, 1.0).trial;
    let (d, k) = (s.features, s.updates);
    let is_two = p.real("p") == 2.0;
    let primal = if is_two { d * s.nnz + d } else { d * d };
    let (dual, implicit, low_rank) = (k * k + k * s.nnz, d + k * s.nnz, d * k);
    let update = match p.word("form") {
        _ if kernel != Kernel::LINEAR => k * k,
        "primal" => primal,
        "dual" => dual,
        "implicit" => implicit,
        "low-rank" => low_rank,
        _ if is_two => primal.min(dual),
        _ => primal.min(implicit).min(low_rank),
    };
    cost(inner, update)
}

/// The weights of the active rows are solved for when a row comes in or is refused, and if it is not refused, margins of rows so far are
/// computed again. No more rows are active than there are features. With more features than rows no row is refused, and once all have
/// come in nothing changes. Noise control gives every row a dimension of its own, so all of them may be active.
pub(super) fn max_margin(p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    let inner = additive(kernel, s, 1.0).trial;
    if kernel != Kernel::LINEAR {
        let rows = kernel_values(kernel, s.trials, s);
        let solves = SOLVES + s.updates / LEAVING;
        return cost(inner, solves * s.updates * s.updates + rows);
    }
    let noise = p.real("noise") > 0.0;
    let most = s.features + 1.0 + if noise { s.trials } else { 0.0 };
    if !noise && most > s.trials && s.updates > s.trials {
        return cost(inner, 0.0);
    }
    let active = s.updates.min(most);
    let lasting = (2.0 * most / s.updates.max(1.0)).min(1.0);
    let looks = lasting * s.trials * s.nnz;
    cost(inner, SOLVES * active * active + active * s.nnz + looks)
}

/// Passes over the factor of the active rows per update of the maximum margin algorithm: rows leave and come in, and a solution is
/// corrected.
const SOLVES: f64 = 4.0;

/// With a kernel any labels can be separated, noise too. Then the active rows are many, and one in so many of them leaves or comes in per update.
const LEAVING: f64 = 8.0;

pub(super) fn arow(p: &Parameters, _kernel: Kernel, s: Size) -> Cost {
    if p.word("form") == "full" {
        cost(s.nnz, s.features * s.nnz + s.features * s.features)
    } else {
        cost(2.0 * s.nnz, 2.0 * s.nnz)
    }
}

/// Every trial is learned from: two bettors for each value at worst, and a function for the slope. An update writes the weights beside.
pub(super) fn logistic(_p: &Parameters, _kernel: Kernel, s: Size) -> Cost {
    cost(s.nnz + 2.0 * BETTOR * s.nnz + FUNCTION, s.nnz)
}

/// Multiply-adds of a bettor in one trial.
const BETTOR: f64 = 8.0;

/// No more rows than the budget.
pub(super) fn budget(p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    let kept = s.updates.min(p.real("budget"));
    let s = Size { updates: kept, ..s };
    let plain = additive(kernel, s, 2.0);
    cost(plain.trial, plain.update + kept)
}

/// At worst all rows learned from are kept.
pub(super) fn projectron(_p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    let inner = additive(kernel, s, 1.0).trial;
    cost(inner, matrix("dual", kernel, s).1)
}

pub(super) fn selective(p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    let plain = additive(kernel, s, 1.0);
    match p.word("base") {
        "second-order" => {
            let (look, update) = matrix(p.word("form"), kernel, s);
            cost(plain.trial + look, update)
        }
        _ => plain,
    }
}

/// As much as it is allowed to cost, of rows that were read.
pub(super) fn auto(p: &Parameters, kernel: Kernel, s: Size) -> Cost {
    let alone = additive(kernel, s, 1.0);
    cost(
        p.real("cost") * (READING * s.nnz + alone.trial),
        alone.update,
    )
}
