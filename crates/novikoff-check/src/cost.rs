//! How long a check takes.

use std::collections::BTreeSet;

use crate::{Run, Vector};

/// About how many multiplications [`evaluate`](crate::evaluate) does.
pub fn multiplications(run: &Run<'_>, theorem: &str) -> f64 {
    let values: usize = run.rows.iter().map(Vec::len).sum();
    let of_u = match run.comparator {
        Vector::Weights(_) => 1,
        Vector::Sum(terms) => terms.len(),
    };
    let slots = run.rows.iter().flatten().map(|(slot, _)| *slot);
    let slots = slots.collect::<BTreeSet<usize>>().len() as f64;
    let updates = run.trials.iter().filter(|t| t.updated).count() as f64;
    let trials = run.trials.len() as f64;
    let length = values as f64 / run.rows.len().max(1) as f64;
    let cube = |n: f64| n * n * n;
    let side = match run.comparator {
        Vector::Weights(_) => updates.min(slots),
        Vector::Sum(_) => updates,
    };
    let theorem = match theorem {
        "T7" => 30.0 * cube(slots),
        "T11" => updates * cube(side) + updates * updates * slots,
        "T8" | "T9" | "T10" | "AROW" => updates * cube(side) + updates * updates * length,
        "T12" | "T13" | "9.4" => updates * updates * length,
        "9.2" => cube(slots.min(trials)) + trials * slots * slots,
        // bettors of features and of differences, and the z of each
        "LR" => 50.0 * trials * 2.0 * length + 4000.0 * slots,
        "9.7" => updates * (slots + updates),
        _ => 0.0,
    };
    (values * of_u) as f64 + theorem
}
