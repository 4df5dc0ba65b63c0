//! The weighted majority as its definition says, slow and plain, over the definitions of its experts. Written from
//! docs/theory/majority.md, not from the code under test.

use novikoff::kernel::{Kernel, KernelShape};
use novikoff::learner::Hypothesis;

use super::definition::{Definition, Judgement, wrong};
use super::matrix::dot;

/// One vote: who is heard, with what weight, and what comes of it.
pub(crate) struct SlowVote {
    pub(crate) beta: Option<f64>,
    pub(crate) share: f64,
    pub(crate) mistakes: Vec<u64>,
    /// With shared weight only.
    weights: Vec<f64>,
    /// Mistakes of the majority, and the sum of `f(eta)` over them.
    pub(crate) majority: u64,
    pub(crate) progress: f64,
}

impl SlowVote {
    pub(crate) fn new(experts: usize, beta: Option<f64>, share: f64) -> Self {
        SlowVote {
            beta,
            share,
            mistakes: vec![0; experts],
            weights: vec![1.0; experts],
            majority: 0,
            progress: 0.0,
        }
    }

    /// `sqrt(8 ln N / (1 + m))` and at most ln 2, or fixed.
    pub(crate) fn eta(&self) -> f64 {
        let least = *self.mistakes.iter().min().unwrap() as f64;
        let falling = (8.0 * (self.mistakes.len() as f64).ln() / (1.0 + least)).sqrt();
        self.beta
            .map_or(falling.min(2.0_f64.ln()), |beta| -beta.ln())
    }

    pub(crate) fn weights(&self) -> Vec<f64> {
        if self.share > 0.0 {
            return self.weights.clone();
        }
        let (eta, least) = (self.eta(), *self.mistakes.iter().min().unwrap());
        let weight = |m: &u64| (-eta * (m - least) as f64).exp();
        self.mistakes.iter().map(weight).collect()
    }

    /// The label with the most weight behind it, the lowest of several; none if two are too near to call and not the same by count.
    pub(crate) fn answer(&self, answers: &[Option<usize>], labels: usize) -> Option<usize> {
        let weights = self.weights();
        let behind = |label: usize| -> f64 {
            let said = answers.iter().zip(&weights);
            said.filter(|(a, _)| **a == Some(label))
                .map(|(_, w)| w)
                .sum()
        };
        let asked: Vec<usize> = (0..labels)
            .filter(|l| answers.contains(&Some(*l)))
            .collect();
        let top = asked.iter().map(|l| behind(*l)).fold(0.0, f64::max);
        let mut near = asked.iter().filter(|l| behind(**l) >= top * (1.0 - 1e-9));
        let first = *near.next()?;
        let counts = |label: usize| {
            let said = answers.iter().zip(&self.mistakes);
            let mut own: Vec<u64> = said
                .filter(|(a, _)| **a == Some(label))
                .map(|(_, m)| *m)
                .collect();
            own.sort_unstable();
            own
        };
        // equal counts are equal weights, unless weights have been shared
        let is_tie = |other: &usize| self.share == 0.0 && counts(*other) == counts(first);
        near.all(is_tie).then_some(first)
    }

    /// The trial is over, and the majority said `said`. Who gives no answer is wrong.
    pub(crate) fn learn(&mut self, answers: &[Option<usize>], truth: usize, said: usize) {
        let eta = self.eta();
        let n = answers.len();
        if said != truth {
            self.majority += 1;
            self.progress += (2.0 / (1.0 + (-eta).exp())).ln() / eta;
        }
        for i in 0..n {
            if answers[i] != Some(truth) {
                self.mistakes[i] += 1;
                self.weights[i] *= (-eta).exp();
            }
        }
        if said != truth && self.share > 0.0 {
            // every weight gives a part of itself to the other experts that run, in equal parts
            let before = self.weights.clone();
            for i in 0..n {
                let others: Vec<usize> =
                    (0..n).filter(|&j| j != i && answers[j].is_some()).collect();
                for &j in &others {
                    let part = self.share * before[i] / others.len() as f64;
                    self.weights[i] -= part;
                    self.weights[j] += part;
                }
            }
        }
    }
}

/// The kernel perceptron with margin, and passive-aggressive I with C = 1, as sums over rows.
pub(crate) struct InKernel {
    kernel: Kernel,
    /// The margin of a perceptron, or none: passive-aggressive.
    beta: Option<f64>,
    terms: Vec<(f64, Vec<f64>)>,
}

impl InKernel {
    pub(crate) fn new(kernel: Kernel, beta: Option<f64>) -> Self {
        let terms = Vec::new();
        InKernel {
            kernel,
            beta,
            terms,
        }
    }

    /// By its formula; slot 0 is the constant feature.
    pub(crate) fn value(&self, x: &[f64], z: &[f64]) -> f64 {
        let inner = |a: &[f64], b: &[f64]| dot(&a[1..], &b[1..]);
        let shaped = match self.kernel.shape {
            KernelShape::Linear => inner(x, z),
            KernelShape::Poly {
                degree,
                coef0,
                gamma,
            } => (coef0 + gamma * inner(x, z)).powi(degree as i32),
            KernelShape::Gaussian { gamma } => {
                (-gamma * (inner(x, x) + inner(z, z) - 2.0 * inner(x, z))).exp()
            }
        };
        shaped + x[0] * z[0]
    }
}

impl Definition for InKernel {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let (margin, scale) = self.score(x, Hypothesis::Final);
        let (updates, edge) = match self.beta {
            Some(beta) => (wrong(margin, y, beta), (y * margin - beta).abs()),
            None => (y * margin < 1.0, (y * margin - 1.0).abs()),
        };
        Judgement {
            margin,
            scale: scale.max(self.beta.unwrap_or(1.0)),
            updates,
            edge,
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            let (margin, _) = self.score(x, Hypothesis::Final);
            let step = match self.beta {
                Some(_) => 1.0,
                None => ((1.0 - y * margin) / self.value(x, x)).min(1.0),
            };
            self.terms.push((step * y, x.to_vec()));
        }
    }

    fn weights(&self) -> Vec<f64> {
        Vec::new()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        let values = self.terms.iter().map(|(c, z)| c * self.value(x, z));
        let own = self.value(x, x);
        let sizes = self
            .terms
            .iter()
            .map(|(c, z)| c.abs() * (own * self.value(z, z)).sqrt());
        (values.sum(), sizes.sum())
    }
}
