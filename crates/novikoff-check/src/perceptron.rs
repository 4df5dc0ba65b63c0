//! The perceptron, averaged and voted ones included: T1, T2, T2'' and T3.
//! Theory: docs/theory/perceptron.md.

use crate::view::{Said, View, solved};

/// T2: `m <= L + |U| sqrt(sum_M |x|^2)`.
fn sum(view: &View<'_>) -> f64 {
    let squares: f64 = view.updates().map(|t| t.square).sum();
    view.hinge() + view.norm() * squares.sqrt()
}

/// T2'': `m <= (R |U| + sqrt(sum xi^2))^2`.
fn squared(view: &View<'_>) -> f64 {
    let root = view.longest() * view.norm() + view.slacks().sqrt();
    root * root
}

/// The bound with its ingredients. `theorem` is what could be known beforehand: E(L, |U| sqrt(R^2 + 2 beta)).
fn said(view: &View<'_>, bound: f64, beta: f64) -> Said {
    let (hinge, norm, longest) = (view.hinge(), view.norm(), view.longest());
    let squares: f64 = view.updates().map(|t| t.square).sum();
    let b = norm * (longest * longest + 2.0 * beta).sqrt();
    Said::new(bound, hinge, "norm", norm).made_of(&[
        ("hinge", hinge),
        ("norm", norm),
        ("squares", squares),
        ("longest", longest),
        ("slacks", view.slacks()),
        ("theorem", solved(hinge, b)),
    ])
}

/// These are about mistakes alone.
fn without_margin(view: &View<'_>) -> Result<(), String> {
    if view.run.learner == "perceptron" && view.number("margin")? > 0.0 {
        return Err("the learner has a margin, about which T3 is".to_owned());
    }
    view.learns_from_mistakes_only()
}

/// T1, `y U.x >= 1` on all rows: `m <= |U| sqrt(sum_M |x|^2)`, and `m <= R^2 |U|^2`.
/// Theory: docs/theory/perceptron.md#t1-perceptron-separable-rows.
pub(crate) fn t1(view: &View<'_>) -> Result<Said, String> {
    without_margin(view)?;
    if view.hinge() > 1e-9 {
        let loss = view.hinge();
        return Err(format!(
            "T1 needs y U.x >= 1, and U has a hinge loss of {loss}"
        ));
    }
    Ok(said(view, sum(view).min(squared(view)), 0.0))
}

/// T2: `m <= L + |U| sqrt(sum_M |x|^2)`.
/// Theory: docs/theory/perceptron.md#t2-perceptron-hinge-loss.
pub(crate) fn t2(view: &View<'_>) -> Result<Said, String> {
    without_margin(view)?;
    Ok(said(view, sum(view), 0.0))
}

/// T2'': `m <= (R |U| + sqrt(sum xi^2))^2`.
/// Theory: docs/theory/perceptron.md#t2-perceptron-squared-hinge-loss.
pub(crate) fn t2_squared(view: &View<'_>) -> Result<Said, String> {
    without_margin(view)?;
    let mut said = said(view, squared(view), 0.0);
    (said.parts, said.rest) = (Vec::new(), "squared");
    Ok(said)
}

/// T3, a margin beta > 0, n updates: `n <= L + |U| sqrt(sum_M |x|^2 + 2 beta n)`.
/// Theory: docs/theory/perceptron.md#t3-perceptron-with-a-margin.
pub(crate) fn t3(view: &View<'_>) -> Result<Said, String> {
    let beta = view.number("margin")?;
    if beta <= 0.0 {
        return Err("T3 is about a margin above 0".to_owned());
    }
    view.learns_from_mistakes()?;
    let squares: f64 = view.updates().map(|t| t.square + 2.0 * beta).sum();
    let bound = view.hinge() + view.norm() * squares.sqrt();
    let mut said = said(view, bound, beta);
    said.counts_updates = true;
    Ok(said)
}
