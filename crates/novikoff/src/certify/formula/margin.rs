//! Learners that look for a margin: ROMMA and the maximum margin algorithm (T14 to T16), the passive-aggressive ones, and ALMA (9.3).

use super::{CertifiedValues, EVERY_U, MathExpression, Notation, SEPARATING_U, Statement, given};
use crate::certificate::alma::AlmaBound;
use crate::online::passive_aggressive::Variant;

/// T14, T15 and T16.
pub(super) fn maximum_margin(run: &CertifiedValues<'_>, noise: f64) -> Statement {
    const SQUARE: Notation = Notation::Squared(&Notation::Norm("x", ""));
    const NOISY: Notation =
        Notation::Beside(&[SQUARE, Notation::Letter("+"), Notation::Letter("λ")]);
    const PLAIN_SUM: Notation = Notation::SumOver("mistakes", &Notation::Inverse(&SQUARE));
    const NOISY_SUM: Notation = Notation::SumOver("mistakes", &Notation::Inverse(&NOISY));
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
        let (notation, meaning) = if is_noisy {
            (
                NOISY_SUM,
                "sum over the mistakes of 1 over the squared length of the row plus λ",
            )
        } else {
            (
                PLAIN_SUM,
                "sum over the mistakes of 1 over the squared length of the row",
            )
        };
        run.counted() * price / run.ingredient("inverses", notation, meaning)
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
    let (sum, least) = match variant {
        Variant::Hard => (
            "sum over the mistakes of what each is worth, v = 1/|x|²",
            "least v = 1/|x|² of all trials",
        ),
        Variant::Capped => (
            "sum over the mistakes of what each is worth, v = min(c, 1/|x|²)",
            "least v = min(c, 1/|x|²) of all trials",
        ),
        Variant::Softened => (
            "sum over the mistakes of what each is worth, v = 1/(|x|² + 1/(2c))",
            "least v = 1/(|x|² + 1/(2c)) of all trials",
        ),
    };
    let bound = if run.certificate.counted == 0 {
        price / run.ingredient("least_worth", Notation::Sub("v", "least"), least)
    } else {
        let notation = Notation::SumOver("mistakes", &Notation::Letter("v"));
        run.counted() * price / run.ingredient("worth", notation, sum)
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
