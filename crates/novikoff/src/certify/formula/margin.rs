//! Learners that look for a margin: ROMMA and the maximum margin algorithm (T14 to T16), the passive-aggressive ones, and ALMA (9.3).

use super::{CertifiedValues, EVERY_U, MathExpression, Notation, SEPARATING_U, Statement, given};
use crate::certificate::alma::AlmaBound;
use crate::online::passive_aggressive::Variant;

/// T14, T15 and T16.
pub(super) fn maximum_margin(run: &CertifiedValues<'_>, noise: f64) -> Statement {
    let is_noisy = noise > 0.0;
    let price = if is_noisy {
        run.ingredient(
            "norm_sq",
            Notation::Letter("N"),
            "|U|² + (1/λ) times the sum over the rows of ξ², ξ = max(0, 1 − y U·x); λ is the learner's key noise",
        )
    } else {
        run.ingredient(
            "norm_sq",
            Notation::Squared(&Notation::Norm("U", "")),
            "squared length of U; 1/|U| is the margin of the rows",
        )
    };
    let bound = if run.certificate.counted == 0 {
        let longest = run.ingredient(
            "longest",
            Notation::Squared(&Notation::Letter("R")),
            "squared length of the longest row, with noise control plus λ",
        );
        longest * price
    } else {
        let meaning = if is_noisy {
            "harmonic mean of |x|² + λ over the rows of the mistakes: m divided by the sum of 1/(|x|² + λ)"
        } else {
            "harmonic mean of |x|² over the rows of the mistakes: m divided by the sum of 1/|x|²"
        };
        let inverses = run.certificate.ingredient("inverses").unwrap_or(f64::NAN);
        let mean = run.certificate.counted as f64 / inverses;
        given(Notation::Letter("H"), meaning, mean) * price
    };
    (bound, if is_noisy { EVERY_U } else { SEPARATING_U })
}

/// PA, PA-I, PA-I', PA-II and PA-II'.
pub(super) fn passive_aggressive(run: &CertifiedValues<'_>, variant: Variant) -> Option<Statement> {
    let c = run.key("c", Notation::Letter("c"), "the learner's key");
    let price = match run.certificate.theorem {
        "PA-I" => run.norm().squared() + 2.0 * c * run.hinge(),
        "PA-II" => {
            let slacks = run.ingredient(
                "slacks",
                Notation::SumOver("all", &Notation::Squared(&Notation::Letter("ξ"))),
                "sum over all trials of the squared hinge losses ξ = max(0, 1 − y U·x)",
            );
            run.norm().squared() + 2.0 * c * slacks
        }
        "PA" | "PA-I'" | "PA-II'" => {
            let meaning = if variant == Variant::Softened {
                "sum over all trials of ξ²/(|x|² + 1/(2c)), ξ = max(0, 1 − y U·x)"
            } else {
                "sum over all trials of ξ²/|x|², ξ = max(0, 1 − y U·x)"
            };
            let shares =
                run.ingredient("shares", Notation::Squared(&Notation::Letter("B")), meaning);
            let inner = (run.norm().squared() + shares.clone()).root();
            (shares.root() + inner).squared()
        }
        _ => return None,
    };
    let (mean, least) = match variant {
        Variant::Hard => (
            "mean over the mistakes of what each is worth, 1/|x|²",
            "least 1/|x|² of all trials",
        ),
        Variant::Capped => (
            "mean over the mistakes of what each is worth, min(c, 1/|x|²)",
            "least min(c, 1/|x|²) of all trials",
        ),
        Variant::Softened => (
            "mean over the mistakes of what each is worth, 1/(|x|² + 1/(2c))",
            "least 1/(|x|² + 1/(2c)) of all trials",
        ),
    };
    let bound = if run.certificate.counted == 0 {
        price / run.ingredient("least_worth", Notation::Sub("v", "least"), least)
    } else {
        let worth = run.certificate.ingredient("worth").unwrap_or(f64::NAN);
        let worth = worth / run.certificate.counted as f64;
        price / given(Notation::Sub("v", "mean"), mean, worth)
    };
    Some((bound, EVERY_U))
}

/// 9.3.
pub(super) fn alma(run: &CertifiedValues<'_>, p: f64, alpha: f64) -> Option<Statement> {
    if run.certificate.theorem != "9.3" {
        return None;
    }
    let margin = run.ingredient(
        "margin",
        Notation::Letter("γ"),
        "least y U·x over all trials, where rows are divided by their p-norms and U by its q-norm",
    );
    let most = AlmaBound { p, alpha }.last_update(margin.value());
    let most = given(
        Notation::Sub("N", "γ"),
        "largest k with γ √(2/(p − 1)) S(k) ≤ 1, where S(0) = 0 and S(k) = (S(k−1) + 1/√k)/√(1 + (8/α − 6)/k)",
        most,
    );
    let p = given(Notation::Letter("p"), "the norm, the learner's key", p);
    let alpha = given(
        Notation::Letter("α"),
        "the learner's key: how near to the largest margin it aims",
        alpha,
    );
    let factor = 2.0 * (p - 1.0.into()) / margin.squared();
    let square = (MathExpression::from(2.0) / alpha - 1.0.into()).squared();
    Some((most.or_less(factor * square), SEPARATING_U))
}
