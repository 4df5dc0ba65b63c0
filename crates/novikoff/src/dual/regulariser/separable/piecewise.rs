//! A conjugate made of parabolas: slope `k1` of the link up to `|v_j| = tau`, then `k2`.
//!
//! `h` is `k1 v^2/2`, beyond tau `k1 tau^2/2 + k1 tau o + k2 o^2/2` with `o = |v| - tau`; `g` is `w^2/(2 k1)`, beyond `k1 tau`
//! `k1 tau^2/2 + tau o + o^2/(2 k2)` with `o = |w| - k1 tau`. `k1 = 0` is the elastic net, `k2 = 0` bounds the weights by
//! tau, a small `k1` with a large `k2` stands for the 1-norm.
//! Bound: `max(k1, k2) x.x`.
//! Paper: docs/theory/dual.md#regularisers.

use super::Coordinate;

/// Two parabolas a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piecewise {
    k1: f64,
    k2: f64,
    tau: f64,
}

impl Piecewise {
    /// `tau |w| + (eps/2) w^2`.
    pub fn elastic(tau: f64, eps: f64) -> Self {
        let k2 = 1.0 / eps;
        Piecewise { k1: 0.0, k2, tau }
    }

    /// Huber's function of w, plus a weak square on the tail.
    pub fn l1_substitute(delta: f64, eps: f64, tau: f64) -> Self {
        let (k1, k2) = (delta, 1.0 / eps);
        Piecewise { k1, k2, tau }
    }

    /// `w^2/2` for weights of at most tau.
    pub fn bounded(tau: f64) -> Self {
        let (k1, k2) = (1.0, 0.0);
        Piecewise { k1, k2, tau }
    }
}

impl Coordinate for Piecewise {
    fn value(&self, _j: usize, w: f64) -> f64 {
        let over = w.abs() - self.k1 * self.tau;
        if over <= 0.0 {
            if w == 0.0 {
                0.0
            } else {
                w * w / (2.0 * self.k1)
            }
        } else {
            0.5 * self.k1 * self.tau * self.tau + self.tau * over + over * over / (2.0 * self.k2)
        }
    }

    fn conjugate(&self, _j: usize, v: f64) -> f64 {
        let over = v.abs() - self.tau;
        if over <= 0.0 {
            0.5 * self.k1 * v * v
        } else {
            let line = self.k1 * self.tau * (0.5 * self.tau + over);
            line + 0.5 * self.k2 * over * over
        }
    }

    fn weight(&self, _j: usize, v: f64) -> f64 {
        let over = (v.abs() - self.tau).max(0.0);
        self.k1 * v.clamp(-self.tau, self.tau) + self.k2 * over.copysign(v)
    }

    fn curvature(&self, _j: usize, v: f64) -> f64 {
        if v.abs() < self.tau { self.k1 } else { self.k2 }
    }

    fn steepest(&self) -> Option<f64> {
        Some(self.k1.max(self.k2))
    }
}
