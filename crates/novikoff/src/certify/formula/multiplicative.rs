//! Multiplicative updates: T5 and T6.

use super::{CertifiedValues, EVERY_U, Notation, Statement, given};

/// T5.
pub(super) fn eg(run: &CertifiedValues<'_>, eta: f64) -> Statement {
    let norm = run.ingredient(
        "norm",
        Notation::Norm("U", "1"),
        "1-norm of U: the sum of the magnitudes of its weights",
    );
    let start = run.ingredient(
        "start",
        Notation::Letter("A"),
        "ln(2d)/η for d features: what it costs to begin with equal weights",
    );
    let squares = run.ingredient(
        "squares",
        Notation::SumOver("M", &Notation::Squared(&Notation::Norm("x", "∞"))),
        "sum over the updates M of the squared largest value of the row",
    );
    let eta = given(
        Notation::Letter("η"),
        "learning rate: the key eta, or ln α for balanced Winnow",
        eta,
    );
    let price = start + eta / 2.0.into() * squares;
    (run.hinge() + norm * price, EVERY_U)
}

/// T6.
pub(super) fn winnow(run: &CertifiedValues<'_>, alpha: f64, theta: f64) -> Statement {
    let gap = given(
        Notation::Letter("δ"),
        "2 (α − 1), where α is the learner's key",
        2.0 * (alpha - 1.0),
    );
    let theta = given(Notation::Letter("θ"), "the learner's threshold", theta);
    let start = run.ingredient("start", Notation::Letter("A"), "8 d/(δ² θ) for d features");
    let sum = run.ingredient(
        "sum",
        Notation::SumOver("j", &Notation::Sub("μ", "j")),
        "sum of the weights μ ≥ 0 that are competed with",
    );
    let logarithm = given(
        Notation::Beside(&[Notation::Letter("ln"), Notation::Letter("θ")]),
        "logarithm of the learner's threshold θ",
        libm::log(theta.value()),
    );
    let factor = super::MathExpression::from(5.0) / gap.clone() + 14.0 * logarithm / gap.squared();
    (
        start + factor * sum,
        "all weights μ ≥ 0 with μ·x ≥ 1 where y = +1 and μ·x ≤ 1 − δ where y = −1",
    )
}
