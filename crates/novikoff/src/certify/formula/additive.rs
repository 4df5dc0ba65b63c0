//! Additive updates: T1 to T4, the forgetron, the projectron and the shifting perceptron (9.4, 9.6, 9.7), and logistic regression (LR).

use super::{
    CertifiedValues, EVERY_U, MathExpression, Notation, SEPARATING_U, Statement, given, margin_key,
    solved,
};

const SQUARE: Notation = Notation::Squared(&Notation::Norm("x", ""));
const SQUARE_P: Notation = Notation::Squared(&Notation::Norm("x", "p"));
const SQUARES: Notation = Notation::SumOver("M", &SQUARE);
const SQUARES_MEANING: &str = "sum of the squared lengths of the rows of the updates M";

/// T1, T2, T2'' and T3.
pub(super) fn first_order(run: &CertifiedValues<'_>, margin: f64) -> Option<Statement> {
    let squares = run.ingredient("squares", SQUARES, SQUARES_MEANING);
    let longest = run.ingredient(
        "longest",
        Notation::Letter("R"),
        "length of the longest row",
    );
    Some(match run.certificate.theorem {
        "T1" => {
            let observed = run.norm() * squares.root();
            let beforehand = longest.squared() * run.norm().squared();
            (observed.or_less(beforehand), SEPARATING_U)
        }
        "T2" => (run.hinge() + run.norm() * squares.root(), EVERY_U),
        "T2''" => {
            let slacks = run.ingredient(
                "slacks",
                Notation::SumOver("all", &Notation::Squared(&Notation::Letter("ξ"))),
                "sum over all trials of the squared hinge losses ξ = max(0, 1 − y U·x)",
            );
            ((longest * run.norm() + slacks.root()).squared(), EVERY_U)
        }
        "T3" => {
            let more = 2.0 * margin_key(margin, "β") * run.counted();
            (run.hinge() + run.norm() * (squares + more).root(), EVERY_U)
        }
        _ => return None,
    })
}

/// T4.
pub(super) fn p_norm(run: &CertifiedValues<'_>, p: f64, margin: f64) -> Statement {
    let norm = run.ingredient(
        "norm",
        Notation::Norm("U", "q"),
        "length of U in the norm dual to that of the rows, 1/p + 1/q = 1",
    );
    let squares = run.ingredient(
        "squares",
        Notation::SumOver("M", &SQUARE_P),
        "sum of the squared p-norms of the rows of the updates M",
    );
    let p = given(Notation::Letter("p"), "the norm, the learner's key", p);
    let mut under = (p - 1.0.into()) * squares;
    if margin > 0.0 {
        under = under + 2.0 * margin_key(margin, "β") * run.counted();
    }
    (run.hinge() + norm * under.root(), EVERY_U)
}

/// 9.4.
pub(super) fn forgetron(run: &CertifiedValues<'_>) -> Statement {
    let shrunk = run.ingredient(
        "shrunk",
        Notation::Letter("S"),
        "sum over the updates of (1 − f)/(1 + f), where f is the factor by which an update shrank all coefficients",
    );
    let cost = run.ingredient(
        "cost",
        Notation::Letter("Q"),
        "what forgetting rows cost in all, measured",
    );
    let cost = MathExpression::Greatest(vec![0.0.into(), cost]);
    let measured =
        run.norm().squared() * (MathExpression::from(1.0) + shrunk) + 2.0 * run.hinge() + cost;
    let bound = if run.has("theorem") {
        measured.or_less(2.0 * run.norm().squared() + 4.0 * run.hinge())
    } else {
        measured
    };
    (bound, EVERY_U)
}

/// 9.6.
pub(super) fn projectron(run: &CertifiedValues<'_>) -> Statement {
    let share = run.ingredient(
        "share",
        Notation::Letter("s"),
        "1 − η |U|, where η is the learner's key: how far a row may be from its projection",
    );
    let bound = if run.has("squares") {
        let squares = run.ingredient("squares", SQUARES, SQUARES_MEANING);
        (run.hinge() + run.norm() * squares.root()) / share
    } else {
        solved(run.hinge() / share.clone(), run.norm() / share)
    };
    (bound, "every vector U with η |U| < 1")
}

/// 9.7.
pub(super) fn shifting(run: &CertifiedValues<'_>) -> Statement {
    const WEIGHTED: Notation = Notation::Beside(&[Notation::Letter("c"), Notation::Letter("ξ")]);
    const LENGTHS: Notation = Notation::Beside(&[
        Notation::Letter("m"),
        Notation::Norm("U", ""),
        Notation::Norm("w", ""),
    ]);
    let hinge = run.ingredient(
        "hinge",
        Notation::Beside(&[Notation::Letter("m"), Notation::SumOver("all", &WEIGHTED)]),
        "mistakes times the weighted sum of the hinge losses of U; c is the share of the latest mistake in the learner's vector",
    );
    let norm = run.ingredient(
        "norm",
        LENGTHS,
        "mistakes times the length of U times the length of the learner's last vector w",
    );
    (hinge + norm, EVERY_U)
}

/// LR.
pub(super) fn logistic(run: &CertifiedValues<'_>) -> Statement {
    let loss = run.ingredient(
        "log_loss",
        Notation::Letter("L"),
        "log loss of U: the sum over all trials of ln(1 + e^(−y U·x))",
    );
    let regret = run.ingredient(
        "regret",
        Notation::Letter("ρ"),
        "what the learner's bets can lose against U, the sum over all weights of U",
    );
    let least = given(
        Notation::Letter("ln 2"),
        "the least log loss of a mistake",
        core::f64::consts::LN_2,
    );
    ((loss + regret) / least, EVERY_U)
}
