//! The learners as their definitions say, slow and plain: the additive ones. Written from
//! docs/theory/perceptron.md, docs/theory/p-norm-winnow.md and docs/theory/passive-aggressive.md, not from the code under test.

use novikoff::learner::Hypothesis;

use super::matrix::{dot, length, norm, plus, times};

/// What a definition says about a trial before it happens.
pub(crate) struct Judgement {
    pub(crate) margin: f64,
    /// What the rounding of the margin is measured against: `|w| |x|` or its like.
    pub(crate) scale: f64,
    pub(crate) updates: bool,
    /// Distance of the trial from the edge between update and none, in units of the margin.
    pub(crate) edge: f64,
}

/// A learner, defined.
pub(crate) trait Definition {
    /// Looks at a row before its label has any effect.
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement;
    /// Ends the trial, with or without an update.
    fn learn(&mut self, x: &[f64], y: f64, update: bool);
    /// A pass over the stream has ended.
    fn end_pass(&mut self) {}
    /// The weights of the deployed predictor.
    fn weights(&self) -> Vec<f64>;
    /// A weight beside which rounding is measured where all weights are next to nothing.
    fn rounding(&self) -> f64 {
        0.0
    }
    /// The score of a predictor, and what its rounding is measured against.
    fn score(&self, x: &[f64], by: Hypothesis) -> (f64, f64);
}

/// `sgn(m) != y` with `sgn(0) = +1`; with `beta > 0` also `y m <= beta`.
pub(crate) fn wrong(margin: f64, y: f64, beta: f64) -> bool {
    let sgn = if margin >= 0.0 { 1.0 } else { -1.0 };
    sgn != y || (beta > 0.0 && y * margin <= beta)
}

fn judgement(margin: f64, scale: f64, y: f64, beta: f64) -> Judgement {
    Judgement {
        margin,
        scale: scale.max(beta),
        updates: wrong(margin, y, beta),
        edge: (y * margin - beta).abs(),
    }
}

/// Perceptron, averaged and voted perceptron (1.1, 1.3): keeps every vector and its count.
pub(crate) struct Perceptron {
    beta: f64,
    deploys: Hypothesis,
    /// All sums are exact, so that a tie is a tie.
    exact: bool,
    /// `v_0 = 0, v_1, ...`
    vectors: Vec<Vec<f64>>,
    /// `c_j`: the number of trials after which `v_j` was the current vector.
    counts: Vec<f64>,
}

impl Perceptron {
    pub(crate) fn new(slots: usize, beta: f64, deploys: Hypothesis, exact: bool) -> Self {
        let (vectors, counts) = (vec![vec![0.0; slots]], vec![0.0]);
        Perceptron {
            beta,
            deploys,
            exact,
            vectors,
            counts,
        }
    }

    fn last(&self) -> &[f64] {
        &self.vectors[self.vectors.len() - 1]
    }

    fn longest(&self) -> f64 {
        self.vectors.iter().map(|v| length(v)).fold(0.0, f64::max)
    }

    fn trials(&self) -> f64 {
        self.counts.iter().sum()
    }

    fn average(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.last().len()];
        for (vector, count) in self.vectors.iter().zip(&self.counts) {
            sum = plus(&sum, *count, vector);
        }
        times(1.0 / self.trials().max(1.0), &sum)
    }
}

impl Definition for Perceptron {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        judgement(
            dot(self.last(), x),
            length(self.last()) * length(x),
            y,
            self.beta,
        )
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            self.vectors.push(plus(self.last(), y, x));
            self.counts.push(0.0);
        }
        *self.counts.last_mut().unwrap() += 1.0;
    }

    fn weights(&self) -> Vec<f64> {
        match self.deploys {
            Hypothesis::Averaged => self.average(),
            _ => self.last().to_vec(),
        }
    }

    fn score(&self, x: &[f64], by: Hypothesis) -> (f64, f64) {
        match by {
            Hypothesis::Final | Hypothesis::Best => {
                (dot(self.last(), x), length(self.last()) * length(x))
            }
            Hypothesis::Averaged => (dot(&self.average(), x), self.longest() * length(x)),
            Hypothesis::Voted => {
                let mut sum = 0.0;
                let mut doubtful = 0.0;
                let near = 1e-9 * self.longest() * length(x);
                for (vector, count) in self.vectors.iter().zip(&self.counts) {
                    let inner = dot(vector, x);
                    sum += if inner >= 0.0 { *count } else { -*count };
                    if inner.abs() <= near && !self.exact {
                        doubtful += 2.0 * count;
                    }
                }
                // votes are whole numbers: exact unless some v_j.x is a near tie
                (sum, doubtful * 1e9)
            }
        }
    }
}

/// The perceptron whose vector has length 1 after each pass (docs/theory/perceptron.md#normalised-perceptron).
pub(crate) struct NormalisedPerceptron {
    eta: f64,
    w: Vec<f64>,
    /// The longest vector so far: steps may cancel.
    longest: f64,
}

impl NormalisedPerceptron {
    pub(crate) fn new(slots: usize, eta: f64) -> Self {
        NormalisedPerceptron {
            eta,
            w: vec![0.0; slots],
            longest: 0.0,
        }
    }
}

impl Definition for NormalisedPerceptron {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        judgement(dot(&self.w, x), self.longest * length(x), y, 0.0)
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            self.w = plus(&self.w, self.eta * y, x);
            self.longest = self.longest.max(length(&self.w));
        }
    }

    fn end_pass(&mut self) {
        if length(&self.w) > 0.0 {
            self.w = times(1.0 / length(&self.w), &self.w);
            self.longest = 1.0;
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn rounding(&self) -> f64 {
        self.longest
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.w, x), self.longest * length(x))
    }
}

/// The gradient of half the squared p-norm: `sign(v_i) |v_i|^(p-1) / |v|_p^(p-2)` (2.1), with `v`
/// divided by its largest magnitude before any power is taken.
pub(crate) fn link(v: &[f64], p: f64) -> Vec<f64> {
    let top = norm(v, f64::INFINITY);
    if top == 0.0 {
        return vec![0.0; v.len()];
    }
    let u = times(1.0 / top, v);
    let down = norm(&u, p).powf(p - 2.0);
    u.iter()
        .map(|u| top * u.signum() * u.abs().powf(p - 1.0) / down)
        .collect()
}

/// q with 1/p + 1/q = 1.
pub(crate) fn dual(p: f64) -> f64 {
    p / (p - 1.0)
}

/// The p-norm perceptron (2.1).
pub(crate) struct PNorm {
    p: f64,
    beta: f64,
    v: Vec<f64>,
}

impl PNorm {
    pub(crate) fn new(slots: usize, p: f64, beta: f64) -> Self {
        PNorm {
            p,
            beta,
            v: vec![0.0; slots],
        }
    }
}

impl Definition for PNorm {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        // |g(v)|_q = |v|_p
        judgement(
            dot(&link(&self.v, self.p), x),
            norm(&self.v, self.p) * norm(x, self.p),
            y,
            self.beta,
        )
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            self.v = plus(&self.v, y, x);
        }
    }

    fn weights(&self) -> Vec<f64> {
        link(&self.v, self.p)
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (
            dot(&link(&self.v, self.p), x),
            norm(&self.v, self.p) * norm(x, self.p),
        )
    }
}

/// ALMA_p (9.3).
pub(crate) struct Alma {
    p: f64,
    alpha: f64,
    theta: Vec<f64>,
    k: f64,
}

impl Alma {
    pub(crate) fn new(slots: usize, p: f64, alpha: f64) -> Self {
        Alma {
            p,
            alpha,
            theta: vec![0.0; slots],
            k: 1.0,
        }
    }

    fn unit(&self, x: &[f64]) -> Vec<f64> {
        times(1.0 / norm(x, self.p), x)
    }

    /// th stays in the unit ball and xh on its edge; steps are of order 1, and may cancel.
    fn scale(&self) -> f64 {
        if self.k > 1.0 { 1.0 } else { 0.0 }
    }
}

impl Definition for Alma {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let margin = dot(&link(&self.theta, self.p), &self.unit(x));
        let b = 8_f64.sqrt() / self.alpha;
        let wanted = (1.0 - self.alpha) * b * ((self.p - 1.0) / self.k).sqrt();
        Judgement {
            margin,
            scale: self.scale(),
            updates: y * margin <= wanted,
            edge: (y * margin - wanted).abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            let step = 2_f64.sqrt() / ((self.p - 1.0) * self.k).sqrt();
            let moved = plus(&self.theta, step * y, &self.unit(x));
            self.theta = times(1.0 / norm(&moved, self.p).max(1.0), &moved);
            self.k += 1.0;
        }
    }

    fn weights(&self) -> Vec<f64> {
        link(&self.theta, self.p)
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&link(&self.theta, self.p), &self.unit(x)), self.scale())
    }
}

/// PA, PA-I, PA-II (docs/theory/passive-aggressive.md#passive-aggressive-updates; Crammer et al. 2006).
pub(crate) struct PassiveAggressive {
    variant: &'static str,
    c: f64,
    w: Vec<f64>,
}

impl PassiveAggressive {
    pub(crate) fn new(slots: usize, variant: &'static str, c: f64) -> Self {
        PassiveAggressive {
            variant,
            c,
            w: vec![0.0; slots],
        }
    }
}

impl Definition for PassiveAggressive {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let margin = dot(&self.w, x);
        let loss = (1.0 - y * margin).max(0.0);
        Judgement {
            margin,
            scale: (length(&self.w) * length(x)).max(1.0),
            updates: loss > 0.0,
            edge: (1.0 - y * margin).abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            let loss = (1.0 - y * dot(&self.w, x)).max(0.0);
            let squared = dot(x, x);
            let tau = match self.variant {
                "pa" => loss / squared,
                "1" => self.c.min(loss / squared),
                _ => loss / (squared + 1.0 / (2.0 * self.c)),
            };
            self.w = plus(&self.w, tau * y, x);
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.w, x), length(&self.w) * length(x))
    }
}
