//! Half the square of a p-norm: `h(v) = N^2/2`, `N = |v|_q`, `1/p + 1/q = 1`.
//!
//! Link: `w_j = N^(2-q) sgn(v_j) |v_j|^(q-1)`, 0 at `v = 0`.
//! Bound: `(q-1) |x|_q^2` if `q >= 2`, that is `p <= 2`; else none.
//! A point keeps, relative to a unit of the size of v, the powers of its coordinates and their sum.
//! Paper: docs/theory/dual.md#regularisers.

use super::{Point, Regulariser, signed_power};
use crate::row::{Row, power};

/// Half the square of a p-norm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PNormRegulariser {
    p: f64,
    q: f64,
}

impl PNormRegulariser {
    /// For p > 1.
    pub fn new(p: f64) -> Self {
        let q = p / (p - 1.0);
        PNormRegulariser { p, q }
    }
}

/// Half the square of a norm of the given exponent.
fn half_square(v: &[f64], exponent: f64) -> f64 {
    let unit = v.iter().fold(0.0_f64, |top, v| top.max(v.abs()));
    if unit == 0.0 {
        return 0.0;
    }
    let sum: f64 = v.iter().map(|v| power(v.abs() / unit, exponent)).sum();
    let norm = unit * libm::pow(sum, 1.0 / exponent);
    0.5 * norm * norm
}

impl Regulariser for PNormRegulariser {
    type Point = Powers;

    fn value(&self, w: &[f64]) -> f64 {
        half_square(w, self.p)
    }

    fn conjugate(&self, v: &[f64]) -> f64 {
        half_square(v, self.q)
    }

    fn weights(&self, v: &[f64]) -> Vec<f64> {
        let point = self.point(v.to_vec());
        let factor = point.factor();
        point.of_each.iter().map(|power| factor * power).collect()
    }

    fn bound(&self, x: Row<'_>) -> Option<f64> {
        let norm = x.norm(self.q);
        (self.q >= 2.0).then_some((self.q - 1.0) * norm * norm)
    }

    fn point(&self, v: Vec<f64>) -> Powers {
        let mut point = Powers {
            q: self.q,
            of_each: vec![0.0; v.len()],
            v,
            unit: 0.0,
            sum: 0.0,
            sum_then: 0.0,
        };
        point.refresh();
        point
    }
}

/// A vector and the powers of its coordinates.
#[derive(Clone, Debug)]
pub struct Powers {
    q: f64,
    v: Vec<f64>,
    /// `sgn(v) |v/unit|^(q-1)`.
    of_each: Vec<f64>,
    /// The largest coordinate when all was computed last; 0 for the zero vector.
    unit: f64,
    /// `sum |v/unit|^q`.
    sum: f64,
    /// `sum |v/unit|^q` when all was computed last.
    sum_then: f64,
}

impl Powers {
    /// What the powers are to be multiplied by.
    fn factor(&self) -> f64 {
        if self.sum > 0.0 {
            self.unit * libm::pow(self.sum, (2.0 - self.q) / self.q)
        } else {
            0.0
        }
    }
}

impl Point for Powers {
    fn vector(&self) -> &[f64] {
        &self.v
    }

    fn margin(&self, x: Row<'_>) -> f64 {
        self.factor() * x.dot(&self.of_each)
    }

    fn along(&self, x: Row<'_>, c: f64) -> (f64, f64) {
        let q = self.q;
        // the zero vector has no unit yet
        let unit = if self.unit > 0.0 {
            self.unit
        } else {
            (c.abs() * x.norm_inf()).max(1e-100)
        };
        let (mut sum, mut first, mut second) = (self.sum, 0.0, 0.0);
        for (j, x) in x.iter() {
            let (old, new) = (self.v[j].abs() / unit, (self.v[j] + c * x) / unit);
            let size = new.abs();
            sum += power(size, q) - power(old, q);
            first += x * signed_power(new, q - 1.0);
            second += x
                * x
                * if q == 2.0 {
                    1.0
                } else {
                    libm::pow(size, q - 2.0)
                };
        }
        if sum <= 0.0 {
            let bound = (q - 1.0) * x.norm(q) * x.norm(q);
            return (0.0, if q >= 2.0 { bound } else { f64::INFINITY });
        }
        let factor = libm::pow(sum, (2.0 - q) / q);
        let turn = (2.0 - q) * first * first / sum;
        (unit * factor * first, factor * ((q - 1.0) * second + turn))
    }

    fn add(&mut self, x: Row<'_>, c: f64) {
        for (j, x) in x.iter() {
            let old = self.v[j];
            self.v[j] += c * x;
            if self.unit > 0.0 {
                let new = self.v[j] / self.unit;
                let size = power(new.abs(), self.q - 1.0);
                self.sum += size * new.abs() - (self.of_each[j] * (old / self.unit)).abs();
                self.of_each[j] = size.copysign(new);
            }
        }
        let sound = 1e-6 * self.sum_then..=1e100;
        if self.unit == 0.0 || !sound.contains(&self.sum) {
            self.refresh();
        }
    }

    fn set(&mut self, v: &[f64]) {
        self.v.copy_from_slice(v);
        self.refresh();
    }

    fn copy(&mut self, other: &Self) {
        self.v.copy_from_slice(&other.v);
        self.of_each.copy_from_slice(&other.of_each);
        (self.unit, self.sum, self.sum_then) = (other.unit, other.sum, other.sum_then);
    }

    fn refresh(&mut self) {
        let q = self.q;
        self.unit = self.v.iter().fold(0.0_f64, |top, v| top.max(v.abs()));
        self.sum = 0.0;
        for (kept, &v) in self.of_each.iter_mut().zip(&self.v) {
            *kept = 0.0;
            if v != 0.0 {
                *kept = signed_power(v / self.unit, q - 1.0);
                self.sum += (*kept * (v / self.unit)).abs();
            }
        }
        self.sum_then = self.sum;
    }
}
