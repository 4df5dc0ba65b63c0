//! Learners that change the metric: T7 to T13, AROW, and selective sampling (9.1, 9.2).

use super::{
    CertifiedValues, EVERY_U, MathExpression, Notation, SEPARATING_U, Statement, given, margin_key,
    solved,
};

const QUADRATIC: Notation = Notation::Beside(&[
    Notation::Letter("U′"),
    Notation::Letter("A"),
    Notation::Letter("U"),
]);
const IN_DATA: Notation = Notation::Beside(&[
    Notation::Letter("U′"),
    Notation::Letter("M"),
    Notation::Letter("U"),
]);

/// T7.
pub(super) fn whitened(run: &CertifiedValues<'_>) -> Statement {
    let leverage = run.ingredient(
        "leverage",
        Notation::Letter("λ"),
        "largest x′M⁺x of a row, where M is the sum of x x′ over the data, plus the ridge; at most 1",
    );
    let quadratic = run.ingredient("quadratic", IN_DATA, "squared length of U in the metric M");
    (leverage * quadratic, SEPARATING_U)
}

/// The smaller of the factor that was observed and the theorem's own, where it has one.
fn factor(run: &CertifiedValues<'_>) -> MathExpression {
    let observed = run.ingredient(
        "observed",
        Notation::Letter("Q"),
        "sum over the updates of x′A⁻¹x, where A is the matrix just after the update",
    );
    if !run.has("spectral") {
        return observed;
    }
    let spectral = run.ingredient(
        "spectral",
        Notation::Letter("Λ"),
        "the theorem's own factor, from the eigenvalues of the sum of x x′ over the updates",
    );
    spectral.or_less(observed)
}

fn quadratic(run: &CertifiedValues<'_>) -> MathExpression {
    run.ingredient(
        "quadratic",
        QUADRATIC,
        "squared length of U in the metric of the learner: a |U|² + the sum of (U·x)² over the updates",
    )
}

/// T8 to T11.
pub(super) fn second_order(run: &CertifiedValues<'_>, margin: f64) -> Statement {
    let mut inner = factor(run);
    if margin > 0.0 {
        inner = inner + 2.0 * margin_key(margin, "τ") * run.counted();
    }
    (run.hinge() + (quadratic(run) * inner).root(), EVERY_U)
}

/// AROW.
pub(super) fn arow(run: &CertifiedValues<'_>) -> Statement {
    let right = run.ingredient("right", Notation::Letter("h"), "updates on right answers");
    let root = (quadratic(run) * (factor(run) + right.clone())).root();
    (run.hinge() + root - right, EVERY_U)
}

/// T12 and T13.
pub(super) fn higher_order(run: &CertifiedValues<'_>, p: f64, margin: f64) -> Option<Statement> {
    let tau = margin_key(margin, "τ");
    let bound = match run.certificate.theorem {
        "T12" => {
            let alpha = run.ingredient(
                "alpha",
                Notation::Letter("α"),
                "(2 − c)/c, where c measures how much of its row every update added",
            );
            let loss = run.ingredient(
                "hinge",
                Notation::Letter("L"),
                "hinge loss of U on the rows as they were transformed at their trials",
            );
            let longest = run.ingredient(
                "longest",
                Notation::Sub("R", "M"),
                "length of the longest row of an update",
            );
            let mut square = longest.squared();
            if margin > 0.0 {
                let c = run.ingredient(
                    "c",
                    Notation::Letter("c"),
                    "least share of its row that an update added",
                );
                square = square + 2.0 * tau / (MathExpression::from(2.0) - c);
            }
            solved(alpha.clone() * loss, alpha * run.norm() * square.root())
        }
        "T13" => {
            let loss = run.ingredient(
                "hinge",
                Notation::Letter("L"),
                "hinge loss of U on the transformed rows, each times the share r of its row that an update adds",
            );
            let squares = run.ingredient(
                "squares",
                Notation::Letter("S"),
                "sum over the updates of r² |Bx|², in the p-norm; B is the transformation at the update",
            );
            let norm = run.ingredient(
                "norm",
                Notation::Norm("U", "q"),
                "length of U in the norm dual to that of the rows, 1/p + 1/q = 1",
            );
            let least = run.ingredient(
                "least",
                Notation::Letter("r"),
                "least share of its row that an update added, at most 1",
            );
            let p = given(Notation::Letter("p"), "the norm, the learner's key", p);
            let mut under = (p - 1.0.into()) * squares;
            if margin > 0.0 {
                let weights = run.ingredient(
                    "weights",
                    Notation::Letter("W"),
                    "sum of the shares r of the updates",
                );
                under = under + 2.0 * tau * weights;
            }
            (loss + norm * under.root()) / least
        }
        _ => return None,
    };
    Some((bound, EVERY_U))
}

/// 9.1 and 9.2.
pub(super) fn selective(run: &CertifiedValues<'_>, second_order: bool) -> Statement {
    let b = run.key(
        "b",
        Notation::Letter("b"),
        "the learner's key: the larger, the more labels are asked for",
    );
    if second_order {
        let quadratic = run.ingredient(
            "quadratic",
            QUADRATIC,
            "a |U|² + the sum of (U·x)² over all trials",
        );
        let spectral = run.ingredient(
            "spectral",
            Notation::Letter("Λ"),
            "sum of ln(1 + λ/a) over the eigenvalues λ of the sum of x x′ over all trials",
        );
        let price = b.clone() / 2.0.into() * quadratic;
        return (run.hinge() + price + spectral / (2.0 * b), EVERY_U);
    }
    let longest = run.ingredient(
        "longest",
        Notation::Letter("R"),
        "length of the longest row",
    );
    let factor = MathExpression::from(1.0) + longest.clone().squared() / (2.0 * b.clone());
    let both = 2.0 * b.clone() + longest.squared();
    let price = run.norm().squared() * (both.squared() / (8.0 * b));
    (factor * run.hinge() + price, EVERY_U)
}
