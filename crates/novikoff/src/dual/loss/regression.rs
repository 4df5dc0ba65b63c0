//! Losses of the distance between a prediction `t` and its target `y`.
//!
//! With `r = |t - y| - eps`: 0 for `r <= 0`, `r^2/(2q)` while `r <= q top`, then a line of slope `top`;
//! `c(a) = q a^2/2 + eps |a| - y a` on `[-top, top]`. Squared `q = 1`, no top; Huber `q = 1, top = delta`; absolute
//! `q = 0, top = 1`; the last two with `eps > 0` are the insensitive ones.
//! Step: `clip(soft(b a + y - t, eps)/(q + b), -top, top)`, where `soft` moves towards 0 by `eps`.
//! Paper: docs/theory/dual.md#losses.

use super::Loss;

/// A loss of distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regression {
    /// q: how strongly convex the conjugate is.
    curvature: f64,
    /// Distances up to this cost nothing.
    eps: f64,
    /// The steepest slope.
    top: f64,
}

impl Regression {
    /// `(t - y)^2/2`.
    pub const SQUARED: Regression = Regression {
        curvature: 1.0,
        eps: 0.0,
        top: f64::INFINITY,
    };
    /// `|t - y|`.
    pub const ABSOLUTE: Regression = Regression::insensitive(0.0);

    /// `r^2/2` up to `|r| = delta`, then a line.
    pub fn huber(delta: f64) -> Self {
        Regression {
            top: delta,
            ..Self::SQUARED
        }
    }

    /// `max(0, |t - y| - eps)`.
    pub const fn insensitive(eps: f64) -> Self {
        Regression {
            curvature: 0.0,
            eps,
            top: 1.0,
        }
    }

    /// `max(0, |t - y| - eps)^2/2`.
    pub fn squared_insensitive(eps: f64) -> Self {
        Regression {
            eps,
            ..Self::SQUARED
        }
    }
}

impl Loss for Regression {
    const HAS_ENDS: bool = true;

    fn is_quadratic(&self) -> bool {
        true
    }

    #[inline]
    fn value(&self, t: f64, y: f64) -> f64 {
        let (r, q) = ((t - y).abs() - self.eps, self.curvature);
        if r <= 0.0 {
            0.0
        } else if r < q * self.top {
            r * r / (2.0 * q)
        } else {
            self.top * (r - 0.5 * q * self.top)
        }
    }

    fn slopes(&self, t: f64, y: f64) -> (f64, f64) {
        let (r, q) = ((t - y).abs() - self.eps, self.curvature);
        let steep = if q > 0.0 {
            (r.max(0.0) / q).min(self.top)
        } else if r >= 0.0 {
            self.top
        } else {
            0.0
        };
        // a kink lies where r is 0 and q is 0
        let flat = if q == 0.0 && r == 0.0 && self.eps > 0.0 {
            0.0
        } else {
            steep
        };
        if t > y {
            (flat, steep)
        } else if t < y {
            (-steep, -flat)
        } else {
            (-steep, steep)
        }
    }

    fn is_smooth(&self) -> bool {
        self.curvature > 0.0
    }

    #[inline]
    fn bend(&self, t: f64, y: f64) -> f64 {
        let (r, q) = ((t - y).abs() - self.eps, self.curvature);
        // without an eps the parabola has no gap in its middle
        let bends = r > 0.0 || self.eps == 0.0;
        if bends && r < q * self.top {
            1.0 / q
        } else {
            0.0
        }
    }

    #[inline]
    fn conjugate(&self, a: f64, y: f64) -> f64 {
        if a.abs() <= self.top {
            0.5 * self.curvature * a * a + self.eps * a.abs() - y * a
        } else {
            f64::INFINITY
        }
    }

    #[inline]
    fn conjugate_slopes(&self, a: f64, y: f64) -> (f64, f64) {
        let slope = self.curvature * a - y;
        let low = if a <= -self.top {
            f64::NEG_INFINITY
        } else {
            slope + if a > 0.0 { self.eps } else { -self.eps }
        };
        let high = if a >= self.top {
            f64::INFINITY
        } else {
            slope + if a < 0.0 { -self.eps } else { self.eps }
        };
        (low, high)
    }

    fn curvature(&self) -> f64 {
        self.curvature
    }

    fn piece(&self, a: f64) -> (f64, f64) {
        let (low, high) = self.domain();
        match self.eps > 0.0 {
            true if a > 0.0 => (0.0, high),
            true if a < 0.0 => (low, 0.0),
            _ => (low, high),
        }
    }

    fn domain(&self) -> (f64, f64) {
        (-self.top, self.top)
    }

    #[inline]
    fn step(&self, a: f64, t: f64, b: f64, y: f64) -> f64 {
        let (aim, stiff) = (b * a + y - t, self.curvature + b);
        let soft = aim - aim.clamp(-self.eps, self.eps);
        if soft == 0.0 {
            0.0
        } else if stiff > 0.0 {
            (soft / stiff).clamp(-self.top, self.top)
        } else {
            soft.signum() * self.top
        }
    }
}
