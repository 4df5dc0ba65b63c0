//! U as others give it to a certificate, and as a certificate gives it to others.

use super::path::PathVector;
use crate::dual::Problem;
use crate::inexact::Inexact;
use crate::kernel::Kernel;
use crate::row::Row;

/// U itself, as the certificate was computed with it.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparator {
    /// By slot.
    Slots(Vec<f64>),
    /// The sum of the run's rows with these coefficients, in the space of the kernel.
    Coefficients(Vec<f64>),
    /// This many times the vector that was given.
    Multiple(f64),
}

impl Comparator {
    pub(super) fn of(vector: &PathVector) -> Self {
        match vector {
            PathVector::Slots(u) => Comparator::Slots(u.clone()),
            PathVector::Coefficients(c, _) => Comparator::Coefficients(c.clone()),
            PathVector::Multiple(s) => Comparator::Multiple(*s),
        }
    }
}

/// A vector to compete with, instead of the best.
#[derive(Clone, Copy, Debug)]
pub enum GivenComparator<'r> {
    /// By slot.
    Slots(&'r [f64]),
    /// In the space of the run's kernel: a sum of rows that need not be the run's.
    Sum {
        /// `|U|^2`, or a little more.
        norm_sq: f64,
        /// `U(x)` of each row of the run, and how wrong rounding can have made it.
        values: &'r [Inexact],
    },
}

impl<'r> GivenComparator<'r> {
    /// The vector by slot, if it is given so.
    pub fn slots(self) -> Option<&'r [f64]> {
        match self {
            GivenComparator::Slots(u) => Some(u),
            GivenComparator::Sum { .. } => None,
        }
    }
}

/// What [`GivenComparator::Sum`] needs of `sum c s` over pairs of a coefficient c and a row s: `|U|^2`, and `U(x)` of each row of a problem.
#[doc(hidden)] // for jobs over streams
pub fn values_of_sum(
    kernel: Kernel,
    sum: &[(f64, Row<'_>)],
    problem: &Problem<'_>,
) -> (f64, Vec<Inexact>) {
    let terms = sum.iter().map(|(c, s)| (*c, kernel.row(*s)));
    let terms: Vec<_> = terms.collect();
    let at = |x: Row<'_>| {
        let x = kernel.row(x);
        let (mut value, mut size) = (0.0, 0.0);
        for &(c, s) in &terms {
            let term = c * kernel.value(x, s);
            value += term;
            size += term.abs();
        }
        Inexact {
            value,
            error: size * (terms.len() + 4) as f64 * f64::EPSILON,
        }
    };
    let mut norm_sq = 0.0;
    for &(c, s) in &terms {
        let Inexact { value, error } = at(s.row);
        norm_sq += c * value + c.abs() * error;
    }
    let rows = (0..problem.len()).map(|i| at(problem.row(i)));
    (norm_sq, rows.collect())
}
