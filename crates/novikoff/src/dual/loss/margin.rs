//! The hinge and its smooth variants: losses that vanish once the margin `t` reaches `y`.
//!
//! With `r = y - t`: 0 for `r <= 0`, `r^2/(2q)` while `r <= q top`, then a line of slope `top`;
//! `c(a) = q a^2/2 - y a` on `[0, top]`. Hinge `q = 0, top = 1`; squared hinge (without 1/2) `q = 1/2`, no top;
//! smoothed hinge `q = gamma, top = 1`; modified Huber `q = 1, top = 2`.
//! Step: `clip(a + (y - t - q a)/(q + b), 0, top)`.
//! Paper: docs/theory/dual.md#losses.

use super::Loss;

/// A loss of margins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// q: how strongly convex the conjugate is.
    curvature: f64,
    /// The steepest slope.
    top: f64,
}

impl Margin {
    /// `max(0, y - t)`.
    pub const HINGE: Margin = Margin {
        curvature: 0.0,
        top: 1.0,
    };
    /// `max(0, y - t)^2`.
    pub const SQUARED_HINGE: Margin = Margin {
        curvature: 0.5,
        top: f64::INFINITY,
    };
    /// `r^2/2` up to `r = 2`, then a line.
    pub const MODIFIED_HUBER: Margin = Margin {
        curvature: 1.0,
        top: 2.0,
    };

    /// `r^2/(2 gamma)` up to `r = gamma`, then a line of slope 1.
    pub fn smoothed_hinge(gamma: f64) -> Self {
        Margin {
            curvature: gamma,
            top: 1.0,
        }
    }
}

impl Loss for Margin {
    const HAS_ENDS: bool = true;

    fn is_quadratic(&self) -> bool {
        true
    }

    #[inline]
    fn value(&self, t: f64, y: f64) -> f64 {
        let (r, q) = (y - t, self.curvature);
        if r <= 0.0 {
            0.0
        } else if r < q * self.top {
            r * r / (2.0 * q)
        } else {
            self.top * (r - 0.5 * q * self.top)
        }
    }

    fn slopes(&self, t: f64, y: f64) -> (f64, f64) {
        let (r, q) = (y - t, self.curvature);
        let slope = if q > 0.0 {
            -(r.max(0.0) / q).min(self.top)
        } else if r > 0.0 {
            -self.top
        } else {
            0.0
        };
        if q == 0.0 && r == 0.0 {
            (-self.top, 0.0)
        } else {
            (slope, slope)
        }
    }

    fn is_smooth(&self) -> bool {
        self.curvature > 0.0
    }

    #[inline]
    fn bend(&self, t: f64, y: f64) -> f64 {
        let (r, q) = (y - t, self.curvature);
        if r > 0.0 && r < q * self.top {
            1.0 / q
        } else {
            0.0
        }
    }

    #[inline]
    fn conjugate(&self, a: f64, y: f64) -> f64 {
        if (0.0..=self.top).contains(&a) {
            a * (0.5 * self.curvature * a - y)
        } else {
            f64::INFINITY
        }
    }

    #[inline]
    fn conjugate_slopes(&self, a: f64, y: f64) -> (f64, f64) {
        let slope = self.curvature * a - y;
        let low = if a <= 0.0 { f64::NEG_INFINITY } else { slope };
        let high = if a >= self.top { f64::INFINITY } else { slope };
        (low, high)
    }

    fn curvature(&self) -> f64 {
        self.curvature
    }

    fn domain(&self) -> (f64, f64) {
        (0.0, self.top)
    }

    #[inline]
    fn step(&self, a: f64, t: f64, b: f64, y: f64) -> f64 {
        let (pull, stiff) = (y - t - self.curvature * a, self.curvature + b);
        if stiff > 0.0 {
            (a + pull / stiff).clamp(0.0, self.top)
        } else if pull > 0.0 {
            self.top
        } else if pull < 0.0 {
            0.0
        } else {
            a
        }
    }
}
