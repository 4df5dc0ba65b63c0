//! The whitened perceptron: T7 (docs/theory/whitened.md#t7-whitened-perceptron-separable-rows), for rows that U separates.
//!
//! With `M = ridge I + sum x x'` over the data and `y U.x >= 1` on all rows: `m <= max(x'M^+ x) U'MU`. U is divided by its least
//! `y U.x` (`least`). Terms: `leverage` is the largest `x'M^+ x`, which is at most 1, `quadratic` `U'MU`.
//!
//! Rounding: `least` is rounded down; the leverage, which the caller has made larger by what a pseudo-inverse is wrong by, gets 1e-9
//! more.

use super::{Certificate, NotApplicable, PastTrial, Up, inner, least_margin, norm_sq, square};

/// What the leverage may be wrong by: far more than rounding makes it.
const SLACK: f64 = 1e-9;

/// What the theorem says of the run, given U by slot: `leverage` is the largest `x'M^+ x`, as computed, and M is made of the
/// distinct rows `data`.
pub fn certify<'a>(
    (ridge, leverage): (f64, f64),
    trials: &[PastTrial<'_>],
    data: impl Iterator<Item = crate::row::Row<'a>>,
    u: &[f64],
) -> Result<Certificate, NotApplicable> {
    let least = least_margin(trials.iter().map(|t| (inner(u, t.x), t.y)));
    if least <= 0.0 {
        return Err(NotApplicable::NotSeparated);
    }
    let quadratic = Up::new(ridge) * norm_sq(u) + data.map(|x| square(inner(u, x))).sum();
    let quadratic = quadratic.over((least * least).next_down());
    let leverage = Up::new((leverage + SLACK).min(1.0));
    Ok(Certificate {
        theorem: "T7",
        name: "whitened perceptron, separable rows",
        counted: trials.iter().filter(|t| t.updated).count() as u64,
        bound: (leverage * quadratic).value(),
        ingredients: vec![
            ("least", least),
            ("leverage", leverage.value()),
            ("quadratic", quadratic.value()),
        ],
    })
}
