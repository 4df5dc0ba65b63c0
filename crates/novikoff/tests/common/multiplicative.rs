//! The multiplicative learners as their definitions say (docs/theory/p-norm-winnow.md).

use novikoff::learner::Hypothesis;

use super::definition::{Definition, Judgement, wrong};
use super::matrix::{dot, norm, plus};

/// Winnow2 (2.3): `w = 1`, margin `w.x - theta`, `w_i *= alpha^(y x_i)` on a mistake; keeps `ln w`.
pub(crate) struct Winnow {
    alpha: f64,
    theta: f64,
    ln_w: Vec<f64>,
}

impl Winnow {
    pub(crate) fn new(slots: usize, alpha: f64, theta: f64) -> Self {
        Winnow {
            alpha,
            theta,
            ln_w: vec![0.0; slots],
        }
    }
}

impl Definition for Winnow {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let (margin, scale) = self.score(x, Hypothesis::Final);
        Judgement {
            margin,
            scale,
            updates: wrong(margin, y, 0.0),
            edge: margin.abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            self.ln_w = plus(&self.ln_w, y * self.alpha.ln(), x);
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.ln_w.iter().map(|l| l.exp()).collect()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        let inner = dot(&self.weights(), x);
        (inner - self.theta, inner + self.theta)
    }
}

/// Winnow with weights that sum to 1 (docs/theory/p-norm-winnow.md#normalised-winnow); the constant feature is one of them once it has occurred.
pub(crate) struct NormalisedWinnow {
    eta: f64,
    theta: f64,
    /// The weights before they are divided by their sum.
    w: Vec<f64>,
}

impl NormalisedWinnow {
    pub(crate) fn new(slots: usize, eta: f64, theta: f64) -> Self {
        let mut w = vec![1.0; slots];
        w[0] = 0.0;
        NormalisedWinnow { eta, theta, w }
    }
}

impl Definition for NormalisedWinnow {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        if x[0] != 0.0 && self.w[0] == 0.0 {
            self.w[0] = 1.0;
        }
        let (margin, scale) = self.score(x, Hypothesis::Final);
        Judgement {
            margin,
            scale,
            updates: wrong(margin, y, 0.0),
            edge: margin.abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            for (w, x) in self.w.iter_mut().zip(x) {
                *w *= (self.eta * y * x).exp();
            }
        }
    }

    fn weights(&self) -> Vec<f64> {
        let sum: f64 = self.w.iter().sum();
        self.w.iter().map(|w| w / sum).collect()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        let inner = dot(&self.weights(), x);
        let scale = norm(x, f64::INFINITY) + self.theta.abs();
        (inner - self.theta, scale)
    }
}

/// Which features have occurred; the EG sum runs over these.
struct Features(Vec<bool>);

impl Features {
    fn see(&mut self, x: &[f64]) {
        for (seen, x) in self.0.iter_mut().zip(x) {
            *seen |= *x != 0.0;
        }
    }

    /// The sum of `terms` over the features seen.
    fn sum(&self, terms: impl Iterator<Item = f64>) -> f64 {
        self.0
            .iter()
            .zip(terms)
            .filter(|(seen, _)| **seen)
            .map(|(_, term)| term)
            .sum()
    }
}

/// Normalised EG+- (2.2).
pub(crate) struct Eg {
    eta: f64,
    v: Vec<f64>,
    features: Features,
}

impl Eg {
    pub(crate) fn new(slots: usize, eta: f64) -> Self {
        Eg {
            eta,
            v: vec![0.0; slots],
            features: Features(vec![false; slots]),
        }
    }
}

impl Definition for Eg {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        self.features.see(x);
        let (margin, scale) = self.score(x, Hypothesis::Final);
        Judgement {
            margin,
            scale,
            updates: wrong(margin, y, 0.0),
            edge: margin.abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            self.v = plus(&self.v, y, x);
        }
    }

    fn weights(&self) -> Vec<f64> {
        let top = self.eta * norm(&self.v, f64::INFINITY);
        let up = |v: &f64| (self.eta * v - top).exp();
        let down = |v: &f64| (-self.eta * v - top).exp();
        let sum = self.features.sum(self.v.iter().map(|v| up(v) + down(v)));
        // up - down without cancellation for small eta v
        let difference = |v: &f64| {
            let t = self.eta * v;
            if t.abs() < 1.0 {
                2.0 * t.sinh() * (-top).exp()
            } else {
                up(v) - down(v)
            }
        };
        let weights: Vec<f64> = self.v.iter().map(|v| difference(v) / sum).collect();
        // before any feature has occurred there is nothing to divide
        if sum > 0.0 {
            weights
        } else {
            vec![0.0; self.v.len()]
        }
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        let w = self.weights();
        (dot(&w, x), norm(&w, 1.0) * norm(x, f64::INFINITY))
    }
}

/// Balanced Winnow as two weights per feature, each multiplied by `alpha^(+-y x_i)`; the margin is
/// divided by the sum of all weights of the features seen, as EG's is.
pub(crate) struct BalancedWinnow {
    alpha: f64,
    plus: Vec<f64>,
    minus: Vec<f64>,
    features: Features,
}

impl BalancedWinnow {
    pub(crate) fn new(slots: usize, alpha: f64) -> Self {
        let ones = vec![1.0; slots];
        let features = Features(vec![false; slots]);
        BalancedWinnow {
            alpha,
            plus: ones.clone(),
            minus: ones,
            features,
        }
    }
}

impl Definition for BalancedWinnow {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        self.features.see(x);
        let (margin, scale) = self.score(x, Hypothesis::Final);
        Judgement {
            margin,
            scale,
            updates: wrong(margin, y, 0.0),
            edge: margin.abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            for ((plus, minus), x) in self.plus.iter_mut().zip(&mut self.minus).zip(x) {
                *plus *= self.alpha.powf(y * x);
                *minus *= self.alpha.powf(-y * x);
            }
        }
    }

    fn weights(&self) -> Vec<f64> {
        let pairs = || self.plus.iter().zip(&self.minus);
        let sum = self.features.sum(pairs().map(|(plus, minus)| plus + minus));
        pairs()
            .map(|(plus, minus)| (plus - minus) / sum.max(1.0))
            .collect()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        // w+ and w- cancel: rounding is relative to their sizes, at most 1 in all
        (dot(&self.weights(), x), norm(x, f64::INFINITY))
    }
}
