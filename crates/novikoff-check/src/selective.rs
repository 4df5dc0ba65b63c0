//! Selective sampling, 9.1 and 9.2: bounds of the expected number of mistakes.

use crate::second_order::log_det_of_all;
use crate::view::{Said, View};

fn fits(view: &View<'_>, base: &str) -> Result<f64, String> {
    if view.word("base") != base || view.number("margin")? > 0.0 {
        return Err(format!("the theorem is about base={base} and margin=0"));
    }
    match view.trials.iter().find(|t| t.updated && !t.mistake) {
        Some(t) => Err(format!(
            "row {} was an update and no mistake, which this learner does not do",
            t.row
        )),
        None => view.number("b"),
    }
}

/// 9.1: `E[m] <= (1 + R^2/(2b)) L + |U|^2 (2b + R^2)^2/(8b)`.
pub(crate) fn perceptron(view: &View<'_>) -> Result<Said, String> {
    let (b, longest) = (fits(view, "perceptron")?, view.longest());
    let r2 = longest * longest;
    let hinge = (1.0 + r2 / (2.0 * b)) * view.hinge();
    let bound = hinge + view.norm_sq * (2.0 * b + r2) * (2.0 * b + r2) / (8.0 * b);
    let mut said = Said::new(bound, hinge, "norm", view.norm()).made_of(&[
        ("hinge", view.hinge()),
        ("norm", view.norm()),
        ("longest", longest),
    ]);
    said.expected = true;
    Ok(said)
}

/// 9.2: `E[m] <= L + (b/2) U'AU + (1/(2b)) sum ln(1 + lam/a)`, `A = a I + sum x x'` over all trials, lam the eigenvalues of the sum.
pub(crate) fn second_order(view: &View<'_>) -> Result<Said, String> {
    view.weights()?;
    let (b, a) = (fits(view, "second-order")?, view.number("a")?);
    let squares: f64 = view.trials.iter().map(|t| t.value * t.value).sum();
    let quadratic = a * view.norm_sq + squares;
    let spectral = log_det_of_all(view, a);
    let bound = view.hinge() + b / 2.0 * quadratic + spectral / (2.0 * b);
    let mut said = Said::new(bound, view.hinge(), "spectral", view.norm()).made_of(&[
        ("hinge", view.hinge()),
        ("quadratic", quadratic),
        ("spectral", spectral),
    ]);
    said.expected = true;
    Ok(said)
}
