//! Entropy relative to a prior, of weights that sum to 1.
//!
//! One-sided `g(w) = sum w ln(w/mu)` on the simplex, `h(v) = ln sum mu e^v`, `w` the softmax. Signed, with
//! `w = w+ - w-` and (w+, w-) in the simplex of twice as many, prior mu/2 each: `h(v) = ln sum mu cosh v`.
//! Bound: a quarter of the square of the row's range, zeros included unless the row is dense; signed the largest
//! `x_j^2`.
//! A point keeps `E_j = mu_j e^(v_j - shift)` and their sum Z.
//! Paper: docs/theory/dual.md#regularisers; with the squared hinge docs/theory/dual.md#regularised-winnow; with the squared hinge regularised Winnow (28).

use std::sync::Arc;

use super::{Point, Regulariser};
use crate::row::Row;

/// Relative entropy.
#[derive(Clone, Debug, PartialEq)]
pub struct Entropy {
    /// mu by slot, of sum 1; weights without a prior are 0.
    prior: Arc<[f64]>,
    signed: bool,
}

impl Entropy {
    /// With the prior's numbers by slot, which sum to 1; `signed` weights may be negative.
    pub fn new(prior: Arc<[f64]>, signed: bool) -> Self {
        Entropy { prior, signed }
    }

    /// The signed value: `w+` and `w-` are those of least entropy for their difference.
    ///
    /// With `w+ - w- = w` and `w+ w- = (mu/2)^2 r` the sum of both is `sqrt(w^2 + mu^2 r)`; r is such that
    /// these sum to 1.
    fn signed_value(&self, w: &[f64]) -> f64 {
        let pairs = || w.iter().zip(&*self.prior);
        let total = |r: f64| pairs().map(|(w, mu)| libm::hypot(*w, mu * r)).sum::<f64>();
        if total(0.0) > 1.0 || w.len() > self.prior.len() {
            return f64::INFINITY;
        }
        // the priors sum to 1, so that r = 1 is enough
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if total(middle) > 1.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        let share = |part: f64, mu: f64| {
            if part > 0.0 {
                part * libm::log(2.0 * part / mu)
            } else {
                0.0
            }
        };
        let both = pairs().filter(|(_, mu)| **mu > 0.0).map(|(w, mu)| {
            let sum = libm::hypot(*w, mu * low);
            let large = 0.5 * (sum + w.abs());
            let small = if large > 0.0 {
                0.25 * (mu * low) * (mu * low) / large
            } else {
                0.0
            };
            share(large, *mu) + share(small, *mu)
        });
        both.sum()
    }
}

impl Regulariser for Entropy {
    type Point = Shares;

    fn value(&self, w: &[f64]) -> f64 {
        if self.signed {
            return self.signed_value(w);
        }
        let away = (w.iter().sum::<f64>() - 1.0).abs();
        let mut sum = 0.0;
        for (j, &w) in w.iter().enumerate() {
            let mu = self.prior.get(j).copied().unwrap_or(0.0);
            if w < 0.0 || (w > 0.0 && mu == 0.0) || away > 1e-9 {
                return f64::INFINITY;
            }
            if w > 0.0 {
                sum += w * libm::log(w / mu);
            }
        }
        sum
    }

    fn conjugate(&self, v: &[f64]) -> f64 {
        let point = self.point(v.to_vec());
        point.shift + libm::log(point.total)
    }

    fn weights(&self, v: &[f64]) -> Vec<f64> {
        let point = self.point(v.to_vec());
        let mut w: Vec<f64> = point.plus.iter().map(|e| e / point.total).collect();
        for (w, e) in w.iter_mut().zip(&point.minus) {
            *w -= e / point.total;
        }
        w
    }

    fn bound(&self, x: Row<'_>) -> Option<f64> {
        if self.signed {
            let top = x.norm_inf();
            return Some(top * top);
        }
        let has_prior = |j: usize| self.prior.get(j).is_some_and(|mu| *mu > 0.0);
        let met = x.iter().filter(|(j, _)| has_prior(*j)).count();
        let all = self.prior.iter().filter(|mu| **mu > 0.0).count();
        let zero = (met < all).then_some(0.0);
        let values = x.iter().filter(|(j, _)| has_prior(*j)).map(|(_, v)| v);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.chain(zero) {
            (low, high) = (low.min(value), high.max(value));
        }
        let range = (high - low).max(0.0);
        Some(0.25 * range * range)
    }

    fn point(&self, v: Vec<f64>) -> Shares {
        let minus = if self.signed { v.len() } else { 0 };
        let mut point = Shares {
            prior: Arc::clone(&self.prior),
            plus: vec![0.0; v.len()],
            minus: vec![0.0; minus],
            v,
            shift: 0.0,
            total: 0.0,
            total_then: 0.0,
        };
        point.refresh();
        point
    }
}

/// A vector and its exponentials.
#[derive(Clone, Debug)]
pub struct Shares {
    prior: Arc<[f64]>,
    v: Vec<f64>,
    /// `mu e^(v - shift)`; signed: half of it.
    plus: Vec<f64>,
    /// Signed: `(mu/2) e^(-v - shift)`; else empty.
    minus: Vec<f64>,
    shift: f64,
    /// Z, the sum of all.
    total: f64,
    /// Z when all was computed last.
    total_then: f64,
}

/// `e^x` of numbers that come in a row, mostly the same: binary rows need one.
struct Exponentials {
    of: f64,
    is: f64,
}

impl Exponentials {
    fn new() -> Self {
        Exponentials { of: 0.0, is: 1.0 }
    }

    fn of(&mut self, x: f64) -> f64 {
        if x != self.of {
            (self.of, self.is) = (x, libm::exp(x));
        }
        self.is
    }
}

impl Point for Shares {
    fn vector(&self) -> &[f64] {
        &self.v
    }

    fn margin(&self, x: Row<'_>) -> f64 {
        let for_it = x.dot(&self.plus);
        let against = if self.minus.is_empty() {
            0.0
        } else {
            x.dot(&self.minus)
        };
        (for_it - against) / self.total
    }

    fn along(&self, x: Row<'_>, c: f64) -> (f64, f64) {
        let mut exp = Exponentials::new();
        let (mut total, mut first, mut second) = (self.total, 0.0, 0.0);
        for (j, x) in x.iter() {
            let grown = exp.of(c * x);
            let plus = self.plus[j] * grown;
            total += plus - self.plus[j];
            first += x * plus;
            second += x * x * plus;
            if let Some(minus) = self.minus.get(j) {
                let shrunk = minus / grown;
                total += shrunk - minus;
                first -= x * shrunk;
                second += x * x * shrunk;
            }
        }
        let mean = first / total;
        (mean, (second / total - mean * mean).max(0.0))
    }

    fn add(&mut self, x: Row<'_>, c: f64) {
        let mut exp = Exponentials::new();
        for (j, x) in x.iter() {
            self.v[j] += c * x;
            let grown = exp.of(c * x);
            let plus = self.plus[j];
            self.plus[j] = plus * grown;
            self.total += self.plus[j] - plus;
            if let Some(minus) = self.minus.get_mut(j) {
                let old = *minus;
                *minus = old / grown;
                self.total += *minus - old;
            }
        }
        let sound = (1e-6 * self.total_then).max(1e-100)..=1e100;
        if !sound.contains(&self.total) {
            self.refresh();
        }
    }

    fn set(&mut self, v: &[f64]) {
        self.v.copy_from_slice(v);
        self.refresh();
    }

    fn copy(&mut self, other: &Self) {
        self.v.copy_from_slice(&other.v);
        self.plus.copy_from_slice(&other.plus);
        self.minus.copy_from_slice(&other.minus);
        (self.shift, self.total, self.total_then) = (other.shift, other.total, other.total_then);
    }

    fn refresh(&mut self) {
        let signed = !self.minus.is_empty();
        let at = || self.v.iter().zip(&*self.prior).filter(|(_, mu)| **mu > 0.0);
        let height = |v: f64| if signed { v.abs() } else { v };
        let top = at().fold(f64::NEG_INFINITY, |top, (v, _)| top.max(height(*v)));
        self.shift = if top.is_finite() { top } else { 0.0 };
        self.total = 0.0;
        for (j, (&v, &mu)) in self.v.iter().zip(&*self.prior).enumerate() {
            if mu > 0.0 {
                let mu = if signed { 0.5 * mu } else { mu };
                self.plus[j] = mu * libm::exp(v - self.shift);
                self.total += self.plus[j];
                if signed {
                    self.minus[j] = mu * libm::exp(-v - self.shift);
                    self.total += self.minus[j];
                }
            }
        }
        self.total_then = self.total;
    }
}
