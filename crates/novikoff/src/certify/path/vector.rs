//! Vectors of a path, and what bounds look at.

use crate::inexact::Inexact;

/// A vector by slot, as the sum of rows with these coefficients, or as a multiple of the given one.
#[derive(Clone, Debug)]
pub(in crate::certify) enum PathVector {
    Slots(Vec<f64>),
    /// With its values at the rows, and how wrong rounding can have made these.
    Coefficients(Vec<f64>, Vec<Inexact>),
    Multiple(f64),
}

/// A vector with what the search needs to know.
#[derive(Clone, Debug)]
pub(in crate::certify) struct CandidateVector {
    pub(in crate::certify) vector: PathVector,
    /// `y U.x` of each row.
    pub(in crate::certify) margins: Vec<f64>,
    /// Its length in the norm of the path.
    pub(in crate::certify) norm: f64,
}

impl CandidateVector {
    /// `U <- s U`.
    pub(in crate::certify) fn scale(&mut self, s: f64) {
        let numbers = match &mut self.vector {
            PathVector::Slots(all) => &mut all[..],
            PathVector::Multiple(times) => std::slice::from_mut(times),
            PathVector::Coefficients(all, values) => {
                for value in values {
                    *value = times(s, *value);
                }
                &mut all[..]
            }
        };
        for value in numbers.iter_mut().chain(&mut self.margins) {
            *value *= s;
        }
        self.norm *= s;
    }
}

/// s times a number.
pub(in crate::certify) fn times(s: f64, number: Inexact) -> Inexact {
    let value = s * number.value;
    let error = s.abs() * number.error + 2.0 * f64::EPSILON * value.abs();
    Inexact { value, error }
}

pub(super) fn plain(values: &[Inexact]) -> Vec<f64> {
    values.iter().map(|number| number.value).collect()
}

/// What bounds look at.
#[derive(Clone, Copy, Debug)]
pub(in crate::certify) struct BoundInputs {
    /// L(U), over all trials.
    pub(in crate::certify) hinge: f64,
    /// `sum xi^2`, over all trials.
    pub(in crate::certify) slacks: f64,
    /// `sum (U.x)^2`, over the updates.
    pub(in crate::certify) squares: f64,
    /// The least `y U.x`.
    pub(in crate::certify) least: f64,
    /// `|U|`.
    pub(in crate::certify) norm: f64,
}

/// A norm of the given exponent.
pub(in crate::certify) fn length(w: &[f64], exponent: f64) -> f64 {
    let top = w.iter().fold(0.0_f64, |top, w| top.max(w.abs()));
    if top == 0.0 {
        0.0
    } else if exponent == 2.0 {
        top * w.iter().map(|w| (w / top) * (w / top)).sum::<f64>().sqrt()
    } else if exponent == 1.0 {
        w.iter().map(|w| w.abs()).sum()
    } else if exponent == f64::INFINITY {
        top
    } else {
        let sum: f64 = w.iter().map(|w| libm::pow(w.abs() / top, exponent)).sum();
        top * libm::pow(sum, 1.0 / exponent)
    }
}
