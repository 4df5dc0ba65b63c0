//! `g(w) = sum |w_j|^p/p`, `h(v) = sum |v_j|^q/q`, `1/p + 1/q = 1`.
//!
//! Link: `w_j = sgn(v_j) |v_j|^(q-1)`. Bound: none but for p = 2.
//! Paper: docs/theory/dual.md#regularisers.

use super::super::signed_power;
use super::Coordinate;
use crate::row::power;

/// A power of each weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PPower {
    p: f64,
    q: f64,
}

impl PPower {
    /// For p > 1.
    pub fn new(p: f64) -> Self {
        let q = p / (p - 1.0);
        PPower { p, q }
    }
}

impl Coordinate for PPower {
    fn value(&self, _j: usize, w: f64) -> f64 {
        power(w.abs(), self.p) / self.p
    }

    fn conjugate(&self, _j: usize, v: f64) -> f64 {
        power(v.abs(), self.q) / self.q
    }

    fn weight(&self, _j: usize, v: f64) -> f64 {
        signed_power(v, self.q - 1.0)
    }

    fn curvature(&self, _j: usize, v: f64) -> f64 {
        if self.q == 2.0 {
            1.0
        } else {
            (self.q - 1.0) * libm::pow(v.abs(), self.q - 2.0)
        }
    }

    fn steepest(&self) -> Option<f64> {
        (self.q == 2.0).then_some(1.0)
    }
}
