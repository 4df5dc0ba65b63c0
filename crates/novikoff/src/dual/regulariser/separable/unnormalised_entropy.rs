//! Entropy relative to a prior, of weights with no fixed sum.
//!
//! One-sided `g(w) = sum w ln(w/(e mu))` on `w >= 0`, `h(v) = sum mu e^v`. Signed, with `w = w+ - w-`:
//! `g(w) = sum w asinh(w/2mu) - sqrt(w^2 + 4 mu^2)`, `h(v) = 2 sum mu cosh v`.
//! Bound: none.
//! Paper: docs/theory/dual.md#regularisers.

use std::sync::Arc;

use super::Coordinate;

/// Unnormalised relative entropy.
#[derive(Clone, Debug, PartialEq)]
pub struct UnnormalisedEntropy {
    /// mu by slot; weights without a prior are 0.
    prior: Arc<[f64]>,
    signed: bool,
}

impl UnnormalisedEntropy {
    /// With the prior's numbers by slot; `signed` weights may be negative.
    pub fn new(prior: Arc<[f64]>, signed: bool) -> Self {
        UnnormalisedEntropy { prior, signed }
    }

    fn prior(&self, j: usize) -> f64 {
        self.prior.get(j).copied().unwrap_or(0.0)
    }
}

impl Coordinate for UnnormalisedEntropy {
    fn value(&self, j: usize, w: f64) -> f64 {
        let mu = self.prior(j);
        if mu == 0.0 {
            if w == 0.0 { 0.0 } else { f64::INFINITY }
        } else if self.signed {
            w * libm::asinh(w / (2.0 * mu)) - libm::hypot(w, 2.0 * mu)
        } else if w > 0.0 {
            w * (libm::log(w / mu) - 1.0)
        } else if w == 0.0 {
            0.0
        } else {
            f64::INFINITY
        }
    }

    fn conjugate(&self, j: usize, v: f64) -> f64 {
        match self.prior(j) {
            0.0 => 0.0,
            mu if self.signed => 2.0 * mu * libm::cosh(v),
            mu => mu * libm::exp(v),
        }
    }

    fn weight(&self, j: usize, v: f64) -> f64 {
        match self.prior(j) {
            0.0 => 0.0,
            mu if self.signed => 2.0 * mu * libm::sinh(v),
            mu => mu * libm::exp(v),
        }
    }

    fn curvature(&self, j: usize, v: f64) -> f64 {
        self.conjugate(j, v)
    }

    fn steepest(&self) -> Option<f64> {
        None
    }
}
