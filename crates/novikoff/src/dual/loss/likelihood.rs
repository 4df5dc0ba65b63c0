//! The likelihood `-ln t` of a density `t > 0`.
//!
//! `c(a) = -1 - ln a` for a > 0; variables stay above 0.
//! Step: the positive root of `b a'^2 + k a' - 1`, `k = t - b a`.
//! Paper: docs/theory/dual.md#losses.

use super::{Loss, TINY};

/// The negative log-likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likelihood;

/// Variables stay below this.
const HUGE: f64 = 1e300;

impl Loss for Likelihood {
    const HAS_ENDS: bool = false;

    fn value(&self, t: f64, _y: f64) -> f64 {
        if t > 0.0 {
            -libm::log(t)
        } else {
            f64::INFINITY
        }
    }

    fn slopes(&self, t: f64, _y: f64) -> (f64, f64) {
        let slope = if t > 0.0 { -1.0 / t } else { f64::NEG_INFINITY };
        (slope, slope)
    }

    fn conjugate(&self, a: f64, _y: f64) -> f64 {
        if a > 0.0 {
            -1.0 - libm::log(a)
        } else {
            f64::INFINITY
        }
    }

    fn conjugate_slopes(&self, a: f64, _y: f64) -> (f64, f64) {
        let slope = if a > 0.0 { -1.0 / a } else { f64::NEG_INFINITY };
        (slope, slope)
    }

    fn domain(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn start(&self) -> f64 {
        1.0
    }

    fn step(&self, a: f64, t: f64, b: f64, _y: f64) -> f64 {
        let k = t - b * a;
        let q = libm::hypot(k, 2.0 * b.sqrt());
        let root = if k > 0.0 {
            2.0 / (k + q)
        } else if b > 0.0 {
            (q - k) / (2.0 * b)
        } else {
            HUGE
        };
        root.clamp(TINY, HUGE)
    }
}
