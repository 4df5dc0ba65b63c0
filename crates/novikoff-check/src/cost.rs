//! How long a check takes: about how many multiplications the function of a theorem does.

use std::collections::BTreeSet;

use crate::{Run, Vector, theorem};

/// About how many multiplications [`evaluate`](crate::evaluate) does; nothing if there is no such theorem.
pub fn multiplications(run: &Run<'_>, theorem: &str) -> Option<f64> {
    let values: usize = run.rows.iter().map(Vec::len).sum();
    let of_u = match run.comparator {
        Vector::Weights(_) => 1,
        Vector::Sum(terms) => terms.len(),
    };
    let cost = theorem::entry(theorem).ok()?.cost;
    Some((values * of_u) as f64 + cost(&Size::of(run)))
}

/// How large a run is.
pub(crate) struct Size {
    /// Slots in which some row has a value.
    slots: f64,
    updates: f64,
    trials: f64,
    /// Values per row.
    length: f64,
    /// The side of the smaller matrix of the updates: of slots, or of pairs of rows, which a kernel needs.
    side: f64,
}

impl Size {
    fn of(run: &Run<'_>) -> Self {
        let values: usize = run.rows.iter().map(Vec::len).sum();
        let slots = run.rows.iter().flatten().map(|(slot, _)| *slot);
        let slots = slots.collect::<BTreeSet<usize>>().len() as f64;
        let updates = run.trials.iter().filter(|t| t.updated).count() as f64;
        Size {
            slots,
            updates,
            trials: run.trials.len() as f64,
            length: values as f64 / run.rows.len().max(1) as f64,
            side: match run.comparator {
                Vector::Weights(_) => updates.min(slots),
                Vector::Sum(_) => updates,
            },
        }
    }
}

fn cube(n: f64) -> f64 {
    n * n * n
}

/// Sums over trials, beside which those of `U.x` are most.
pub(crate) fn sums(_: &Size) -> f64 {
    0.0
}

/// Jacobi's eigenvalues of a matrix of slots.
pub(crate) fn eigenvalues(size: &Size) -> f64 {
    30.0 * cube(size.slots)
}

/// A system of equations per update.
pub(crate) fn matrices(size: &Size) -> f64 {
    size.updates * cube(size.side) + size.updates * size.updates * size.length
}

/// A system of equations per update, without a parameter that makes it regular.
pub(crate) fn pseudo_inverses(size: &Size) -> f64 {
    size.updates * cube(size.side) + size.updates * size.updates * size.slots
}

/// Inner products of all pairs of updates.
pub(crate) fn pairs(size: &Size) -> f64 {
    size.updates * size.updates * size.length
}

/// A matrix that all trials enter.
pub(crate) fn matrix_of_all(size: &Size) -> f64 {
    cube(size.slots.min(size.trials)) + size.trials * size.slots * size.slots
}

/// Bettors of features and of differences, and the z of each.
pub(crate) fn bettors(size: &Size) -> f64 {
    50.0 * size.trials * 2.0 * size.length + 4000.0 * size.slots
}

/// A vector per update.
pub(crate) fn vectors(size: &Size) -> f64 {
    size.updates * (size.slots + size.updates)
}
