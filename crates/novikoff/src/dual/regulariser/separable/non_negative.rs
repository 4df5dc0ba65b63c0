//! `g(w) = sum (w_j - mu_j)^2/2` on `w >= 0`; `w_j = max(0, v_j + mu_j)`.
//!
//! Bound: `x.x`.
//! Paper: docs/theory/dual.md#regularisers.

use std::sync::Arc;

use super::Coordinate;

/// The square for weights that are not negative, drawn towards a prior.
#[derive(Clone, Debug, PartialEq)]
pub struct NonNegative {
    /// mu by slot; slots past its end have none.
    prior: Arc<[f64]>,
}

impl NonNegative {
    /// With the prior's numbers by slot.
    pub fn new(prior: Arc<[f64]>) -> Self {
        NonNegative { prior }
    }

    fn prior(&self, j: usize) -> f64 {
        self.prior.get(j).copied().unwrap_or(0.0)
    }
}

impl Coordinate for NonNegative {
    fn value(&self, j: usize, w: f64) -> f64 {
        if w >= 0.0 {
            let away = w - self.prior(j);
            0.5 * away * away
        } else {
            f64::INFINITY
        }
    }

    fn conjugate(&self, j: usize, v: f64) -> f64 {
        let (mu, w) = (self.prior(j), self.weight(j, v));
        0.5 * (w * w - mu * mu)
    }

    fn weight(&self, j: usize, v: f64) -> f64 {
        (v + self.prior(j)).max(0.0)
    }

    fn curvature(&self, j: usize, v: f64) -> f64 {
        if v + self.prior(j) >= 0.0 { 1.0 } else { 0.0 }
    }

    fn steepest(&self) -> Option<f64> {
        Some(1.0)
    }
}
