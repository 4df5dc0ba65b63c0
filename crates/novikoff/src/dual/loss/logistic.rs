//! The logistic loss `ln(1 + e^-t)`.
//!
//! `c(a) = a ln a + (1-a) ln(1-a)` on [0, 1]; variables stay inside.
//! Step: in `s = ln(a/(1-a))` the root of `F(s) = s + b sigma(s) + t - b a`, whose slope is in [1, 1 + b/4]. F is
//! convex for s <= 0 and concave for s >= 0; Newton kept on the root's side of 0 is monotone after one step. It begins at `-t`, which is within b of
//! the root, where b is small, and at the s of `a` elsewhere.
//! Paper: docs/theory/dual.md#losses.

use super::{Loss, LossSlopes, TINY};

/// The logistic loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logistic;

/// The largest number below 1.
const ALMOST_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

fn sigma(s: f64) -> f64 {
    if s >= 0.0 {
        1.0 / (1.0 + libm::exp(-s))
    } else {
        let e = libm::exp(s);
        e / (1.0 + e)
    }
}

/// `x ln x`, 0 at 0.
fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * libm::log(x) } else { 0.0 }
}

fn logit(a: f64) -> f64 {
    libm::log(a) - libm::log1p(-a)
}

impl Loss for Logistic {
    const HAS_ENDS: bool = false;

    fn value(&self, t: f64, _y: f64) -> f64 {
        if t >= 0.0 {
            libm::log1p(libm::exp(-t))
        } else {
            libm::log1p(libm::exp(t)) - t
        }
    }

    fn slopes(&self, t: f64, _y: f64) -> (f64, f64) {
        let slope = -sigma(-t);
        (slope, slope)
    }

    fn is_smooth(&self) -> bool {
        true
    }

    fn bend(&self, t: f64, _y: f64) -> f64 {
        sigma(t) * sigma(-t)
    }

    /// With one exponential for all of them.
    fn look(&self, t: f64, _y: f64) -> LossSlopes {
        let e = libm::exp(-t.abs());
        let value = libm::log1p(e) + (-t).max(0.0);
        // sigma of |t| and of -|t|
        let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
        LossSlopes {
            value,
            slope: if t >= 0.0 { -small } else { -large },
            bend: large * small,
        }
    }

    fn conjugate(&self, a: f64, _y: f64) -> f64 {
        if (0.0..=1.0).contains(&a) {
            x_ln_x(a)
                + if a < 1.0 {
                    (1.0 - a) * libm::log1p(-a)
                } else {
                    0.0
                }
        } else {
            f64::INFINITY
        }
    }

    fn conjugate_slopes(&self, a: f64, _y: f64) -> (f64, f64) {
        if a <= 0.0 {
            (f64::NEG_INFINITY, f64::NEG_INFINITY)
        } else if a >= 1.0 {
            (f64::INFINITY, f64::INFINITY)
        } else {
            let slope = logit(a);
            (slope, slope)
        }
    }

    fn domain(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    fn start(&self) -> f64 {
        1e-3
    }

    fn step(&self, a: f64, t: f64, b: f64, _y: f64) -> f64 {
        let a = a.clamp(TINY, ALMOST_ONE);
        let constant = t - b * a;
        // the side of 0 on which the root lies
        let negative = 0.5 * b + constant > 0.0;
        let side = |s: f64| if negative { s.min(0.0) } else { s.max(0.0) };
        let mut s = side(if b <= 1.0 { -t } else { logit(a) });
        for _ in 0..100 {
            let p = sigma(s);
            let next = side(s - (s + b * p + constant) / (1.0 + b * p * (1.0 - p)));
            let moved = (next - s).abs();
            s = next;
            if moved <= 1e-15 * s.abs() {
                break;
            }
        }
        sigma(s).clamp(TINY, ALMOST_ONE)
    }
}
