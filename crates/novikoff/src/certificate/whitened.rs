//! The whitened perceptron: T7 of spec/online.md 7, for rows that U separates.
//!
//! With `M = ridge I + sum x x'` over the data and `y U.x >= 1` on all rows: `m <= max(x'M^+ x) U'MU`. U is divided by its least
//! `y U.x` (`least`). Terms: `leverage` is the largest `x'M^+ x`, which is at most 1, `quadratic` `U'MU`.

use super::{Certificate, Past, Up, inner, norm_sq};

/// Why there is no certificate.
pub const NOT_SEPARATED: &str =
    "the theorem is about rows that a vector separates, and none was found";

/// What the leverage may be wrong by: far more than rounding makes it.
const SLACK: f64 = 1e-9;

/// What the theorem says of the run, given U by slot: `leverage` is the largest `x'M^+ x`, as computed, and M is made of the
/// distinct rows `data`.
pub fn certify<'a>(
    (ridge, leverage): (f64, f64),
    trials: &[Past<'_>],
    data: impl Iterator<Item = crate::row::Row<'a>>,
    u: &[f64],
) -> Result<Certificate, &'static str> {
    let least = trials.iter().map(|t| {
        let (value, error) = inner(u, t.x);
        t.y.sign() * value - error
    });
    let least = least.fold(f64::INFINITY, f64::min);
    if least <= 0.0 {
        return Err(NOT_SEPARATED);
    }
    let square = |(value, error): (f64, f64)| {
        let size = Up::new(value.abs()) + Up::new(error);
        size * size
    };
    let quadratic = Up::new(ridge) * norm_sq(u) + data.map(|x| square(inner(u, x))).sum();
    let quadratic = quadratic.over((least * least).next_down());
    let leverage = Up::new((leverage + SLACK).min(1.0));
    Ok(Certificate {
        theorem: "T7",
        name: "whitened perceptron, separable rows",
        counted: trials.iter().filter(|t| t.updated).count() as u64,
        bound: (leverage * quadratic).value(),
        terms: vec![
            ("least", least),
            ("leverage", leverage.value()),
            ("quadratic", quadratic.value()),
        ],
    })
}
