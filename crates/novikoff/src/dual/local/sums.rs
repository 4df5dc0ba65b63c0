//! What the rows of a partition add to the primal, the dual and the gap.

use std::iter::zip;

use crate::dual::certificate::GapCertificate;
use crate::dual::loss::Loss;
use crate::dual::problem::Aim;

/// Sums over rows, each term times the row's weight: plain f64 sums in the order of the rows, then of the partitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartitionSums {
    /// Of the losses `f_i(t_i)`.
    pub loss: f64,
    /// Of the conjugates `c_i(a_i)`.
    pub conjugate: f64,
    /// Of the `f_i(t_i) + c_i(a_i) + a_i t_i`, which are not negative.
    pub gap: f64,
    /// Of those `a_i s_i` that are positive,
    pub positive: f64,
    /// and of minus those that are negative.
    pub negative: f64,
    /// Rows whose variables are not 0; their weights do not count.
    pub support: usize,
    /// Of the losses at each candidate for b.
    pub candidates: Vec<f64>,
}

impl PartitionSums {
    /// Of the rows with `inner[i] = x_i.v`.
    pub(super) fn of(
        loss: impl Loss,
        aims: &[Aim],
        a: &[f64],
        inner: &[f64],
        b: f64,
        candidates: &[f64],
    ) -> Self {
        let mut sums = PartitionSums {
            candidates: vec![0.0; candidates.len()],
            ..PartitionSums::default()
        };
        for ((aim, &a), inner) in zip(zip(aims, a), inner) {
            let &Aim {
                sign,
                target,
                weight,
            } = aim;
            if weight == 0.0 {
                continue;
            }
            let t = sign * (inner + b);
            let (f, c) = (loss.value(t, target), loss.conjugate(a, target));
            sums.loss += weight * f;
            sums.conjugate += weight * c;
            sums.gap += weight * (f + c + a * t).max(0.0);
            let signed = weight * sign * a;
            sums.positive += signed.max(0.0);
            sums.negative += (-signed).max(0.0);
            sums.support += usize::from(a != 0.0);
            for (sum, b) in zip(&mut sums.candidates, candidates) {
                *sum += weight * loss.value(sign * (inner + b), target);
            }
        }
        sums
    }

    /// `sum_i k_i a_i s_i`.
    pub fn signed(&self) -> f64 {
        self.positive - self.negative
    }

    /// Adds the sums of the next partition, at the same candidates.
    ///
    /// # Panics
    /// If both have candidates, and not as many.
    pub fn add(&mut self, next: &PartitionSums) {
        self.loss += next.loss;
        self.conjugate += next.conjugate;
        self.gap += next.gap;
        self.positive += next.positive;
        self.negative += next.negative;
        self.support += next.support;
        if self.candidates.is_empty() {
            self.candidates = vec![0.0; next.candidates.len()];
        }
        let all = self.candidates.len();
        assert_eq!(all, next.candidates.len(), "the same candidates");
        zip(&mut self.candidates, &next.candidates).for_each(|(sum, next)| *sum += next);
    }

    /// The certificate of the whole problem, if these are the sums of all `n` rows and `v` is the sum of the rows at the same variables.
    /// With a free bias `b` the variables must be [balanced](super::Partition::balanced), else D is no bound.
    pub fn certificate(&self, n: usize, lambda: f64, v: &[f64], b: f64) -> GapCertificate {
        let n = n as f64;
        let h = 0.5 * v.iter().map(|v| v * v).sum::<f64>();
        let (loss, gap) = (self.loss / n, self.gap / n);
        let primal = loss + lambda * h;
        // rounding does not put D above P
        let dual = if gap.is_finite() {
            primal - gap
        } else {
            -self.conjugate / n - lambda * h
        };
        GapCertificate {
            primal,
            dual,
            gap,
            loss,
            support: self.support,
            intercept: b,
        }
    }
}
