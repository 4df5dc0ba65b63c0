//! The exponential loss `e^-t`.
//!
//! `c(a) = a ln a - a` for a >= 0; variables stay above 0.
//! Step: with `s = ln(b a')` the root of `s + e^s = ln b + b a - t`, by Newton, monotone from its start; `e^-t` for
//! `b = 0`.
//! Paper: docs/theory/dual.md#losses.

use super::{Loss, TINY};

/// The exponential loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential;

/// Variables stay below this.
const HUGE: f64 = 1e300;

impl Loss for Exponential {
    const HAS_ENDS: bool = false;

    fn value(&self, t: f64, _y: f64) -> f64 {
        libm::exp(-t)
    }

    fn slopes(&self, t: f64, _y: f64) -> (f64, f64) {
        let slope = -libm::exp(-t);
        (slope, slope)
    }

    fn is_smooth(&self) -> bool {
        true
    }

    fn bend(&self, t: f64, _y: f64) -> f64 {
        libm::exp(-t)
    }

    fn conjugate(&self, a: f64, _y: f64) -> f64 {
        if a > 0.0 {
            a * (libm::log(a) - 1.0)
        } else if a == 0.0 {
            0.0
        } else {
            f64::INFINITY
        }
    }

    fn conjugate_slopes(&self, a: f64, _y: f64) -> (f64, f64) {
        let slope = if a > 0.0 {
            libm::log(a)
        } else {
            f64::NEG_INFINITY
        };
        (slope, slope)
    }

    fn domain(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn start(&self) -> f64 {
        1e-3
    }

    fn step(&self, a: f64, t: f64, b: f64, _y: f64) -> f64 {
        if b == 0.0 {
            return libm::exp(-t).clamp(TINY, HUGE);
        }
        let ln_b = libm::log(b);
        let r = ln_b + b * a - t;
        let mut s = if r < 1.0 { r } else { libm::log(r) };
        for _ in 0..100 {
            let e = libm::exp(s);
            let next = s - (s + e - r) / (1.0 + e);
            let moved = (next - s).abs();
            s = next;
            if moved <= 1e-15 * s.abs() {
                break;
            }
        }
        libm::exp(s - ln_b).clamp(TINY, HUGE)
    }
}
