//! A vector together with its image under the gradient of half the squared p-norm.
//!
//! `g_j(v) = sgn(v_j) |v_j|^(p-1) / |v|_p^(p-2)`, the identity at p = 2 (Grove, Littlestone, Schuurmans
//! 2001; Gentile 2003). The weights hold `u_j = sgn(v_j) (|v_j|/base)^(p-1)` and one scalar holds
//! `sum_j (|v_j|/base)^p`, so that a step on `v` costs O(nnz) and the image is `u` times a factor.

use super::{Lane, Primal, grow};
use crate::row::{Row, power};
use crate::state::{State, StateError};

/// `v` of one class, with what is needed to scale its image. The image itself is in the weights.
#[derive(Clone, Debug)]
pub(crate) struct DualNorm {
    v: Vec<f64>,
    /// Powers are taken of `|v_j| / base`; 0 while v = 0.
    base: f64,
    /// `sum_j (|v_j| / base)^p`.
    sum: f64,
    /// Magnitudes added to and taken from `sum` since it was last computed from scratch: bounds its
    /// rounding error.
    churn: f64,
    /// What the image is to be multiplied by; follows from the others.
    factor: f64,
}

/// `sum` is trusted while its accumulated churn is below this multiple: relative error 1e-12.
const CHURN: f64 = 1e4;
const SUM_RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl DualNorm {
    /// v = 0.
    pub(crate) fn zero() -> Self {
        DualNorm {
            v: Vec::new(),
            base: 0.0,
            sum: 0.0,
            churn: 0.0,
            factor: 1.0,
        }
    }

    /// Grows to at least `slots` slots.
    pub(crate) fn reach(&mut self, slots: usize) {
        grow(&mut self.v, slots, 0.0);
    }

    /// `|v|_p`.
    pub(crate) fn norm(&self, p: f64) -> f64 {
        if self.base == 0.0 {
            0.0
        } else {
            self.base * libm::pow(self.sum, 1.0 / p)
        }
    }

    /// `g(v) = factor * u`.
    pub(crate) fn factor(&self) -> f64 {
        self.factor
    }

    fn update_factor(&mut self, p: f64) {
        self.factor = if self.base == 0.0 {
            1.0
        } else if p == 2.0 {
            self.base
        } else {
            self.base * libm::pow(self.sum, (2.0 - p) / p)
        };
    }

    /// `v <- c v`, c > 0; the image follows by its factor.
    pub(crate) fn scale(&mut self, p: f64, c: f64) {
        for v in &mut self.v {
            *v *= c;
        }
        self.base *= c;
        self.update_factor(p);
    }

    /// `v <- v + c x`, and its image with it.
    pub(crate) fn add(&mut self, p: f64, c: f64, x: Row<'_>, image: &mut Lane<'_, Primal>) {
        let base = self.base;
        for (j, xj) in x.iter() {
            let old = self.v[j];
            let new = old + c * xj;
            self.v[j] = new;
            if base > 0.0 {
                let t = new.abs() / base;
                let u = power(t, p - 1.0);
                let (gain, loss) = (u * t, image.get(j).abs() * (old.abs() / base));
                self.sum += gain - loss;
                self.churn += gain + loss;
                image.set(j, u.copysign(new));
            }
        }
        // negated, so that NaN takes this way too
        let sound = SUM_RANGE.contains(&self.sum) && self.churn <= CHURN * self.sum;
        if !sound {
            self.rebase(p, image);
        }
        self.update_factor(p);
    }

    /// Takes `base = max |v_j|` (at p = 2 the power of two above it, so that the image is exact) and
    /// computes image and sum from scratch.
    fn rebase(&mut self, p: f64, image: &mut Lane<'_, Primal>) {
        self.base = self.v.iter().fold(0.0, |m, v| v.abs().max(m));
        if p == 2.0 && self.base > 0.0 {
            self.base = libm::scalbn(1.0, libm::frexp(self.base).1);
        }
        self.sum = 0.0;
        for (j, &v) in self.v.iter().enumerate() {
            let t = if self.base > 0.0 {
                v.abs() / self.base
            } else {
                0.0
            };
            let u = power(t, p - 1.0);
            self.sum += u * t;
            image.set(j, u.copysign(v));
        }
        self.churn = self.sum;
    }

    /// Adds `v` and the scalars to a state.
    pub(crate) fn save<'a>(&'a self, state: &mut State<'a>) {
        state.put_f64("v", &self.v[..]);
        state.put_f64("powers", vec![self.base, self.sum, self.churn]);
    }

    /// Takes them out of a state.
    pub(crate) fn load(
        state: &mut State<'static>,
        slots: usize,
        p: f64,
    ) -> Result<Self, StateError> {
        let v = state.take_vector("v", slots)?;
        let [base, sum, churn] = state.take_scalars("powers")?;
        let mut loaded = DualNorm {
            v,
            base,
            sum,
            churn,
            factor: 1.0,
        };
        loaded.update_factor(p);
        Ok(loaded)
    }
}

/// `g(v)` in the place of v, computed at once.
pub(crate) fn gradient(v: &mut [f64], p: f64) {
    let top = v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if p == 2.0 || top == 0.0 {
        return;
    }
    let mut sum = 0.0;
    for v in &mut *v {
        let t = v.abs() / top;
        let u = power(t, p - 1.0);
        sum += u * t;
        *v = u.copysign(*v);
    }
    let factor = top * libm::pow(sum, (2.0 - p) / p);
    for v in v {
        *v *= factor;
    }
}

/// `g(x)` of a row: one number for each of its values.
pub(crate) fn gradient_of(x: Row<'_>, p: f64) -> Vec<f64> {
    let mut values: Vec<f64> = x.iter().map(|(_, v)| v).collect();
    gradient(&mut values, p);
    values
}
