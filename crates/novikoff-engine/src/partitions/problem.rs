//! A problem whose rows are in several partitions: what the driver knows of it, and what it makes of their answers.

use novikoff::dual::GapCertificate;
use novikoff::dual::local::FreeBias;
use novikoff::dual::loss::{AnyLoss, Loss as _};
use novikoff::dual::named::NamedLoss;

use super::answer::Answer;
use super::point::Point;
use crate::Error;

/// What is known of a problem on every node.
#[derive(Clone, Debug)]
pub struct ProblemFacts {
    /// The loss, as it is typed.
    pub loss: String,
    /// The weight of the square regulariser.
    pub lambda: f64,
    /// The labels in their order; of two, the negative one first. None if numbers are to be predicted.
    pub labels: Vec<String>,
    /// What the rows of each label count; empty if all count 1.
    pub class_weight: Vec<f64>,
    /// The rows of all partitions.
    pub rows: u64,
    /// Slots of a vector.
    pub slots: usize,
    /// Partitions that have rows.
    pub partitions: u64,
    /// The sum of all `|x|^2`.
    pub norm_sq: f64,
    /// No weight times value of a row is larger.
    pub largest: f64,
    /// The constant feature.
    pub constant: Option<f32>,
    /// Whether there is a bias that is not regularised.
    pub free_bias: bool,
}

/// A problem whose rows are in several partitions.
#[derive(Clone, Debug)]
pub struct PartitionedProblem {
    pub(super) facts: ProblemFacts,
    pub(super) loss: AnyLoss,
}

impl PartitionedProblem {
    /// The problem, if its facts go together.
    pub fn new(facts: ProblemFacts) -> Result<Self, Error> {
        let loss = NamedLoss::parse(&facts.loss)?.loss();
        if loss.classifies() == facts.labels.is_empty() {
            return Err(Error::plain(
                "labels are for losses of classes, and every such loss needs them",
            ));
        }
        if !facts.class_weight.is_empty() && facts.class_weight.len() != facts.labels.len() {
            return Err(Error::plain("class weights: there must be one per label"));
        }
        if facts.rows == 0 || facts.slots == 0 || facts.partitions == 0 {
            return Err(Error::plain("there are no rows"));
        }
        Ok(PartitionedProblem { facts, loss })
    }

    /// What is known of it.
    pub fn facts(&self) -> &ProblemFacts {
        &self.facts
    }

    /// How many problems there are: one, or one per label if there are more than two.
    pub fn problems(&self) -> usize {
        match self.facts.labels.len() {
            0..=2 => 1,
            labels => labels,
        }
    }

    /// Where dual variables begin.
    pub fn start(&self) -> f64 {
        let (start, size) = (self.loss.start(), self.facts.largest);
        // so near to 0 that v stays within 1
        if size > 0.0 {
            start.min(self.facts.lambda / size)
        } else {
            start
        }
    }

    /// The point of variables that are all 0: right where they begin with 0.
    pub fn origin(&self) -> Point {
        let bias = FreeBias {
            multiplier: 0.0,
            rho: 0.1 * self.mean_norm_sq(),
            v: 0.0,
        };
        let biases = if self.facts.free_bias {
            self.problems()
        } else {
            0
        };
        Point {
            vectors: vec![vec![0.0; self.facts.slots]; self.problems()],
            bias: vec![bias; biases],
        }
    }

    /// The point after a round: the sum of the shares, and the next multipliers, unless they stay (`fixed`). Classes that were not asked stay where
    /// they are.
    #[must_use]
    pub fn next(&self, point: &Point, answer: &Answer, fixed: bool) -> Point {
        let lambda_n = self.lambda_n();
        let answers = (0..point.vectors.len()).map(|class| answer.classes.get(class)?.as_ref());
        let answers: Vec<_> = answers.collect();
        let vectors = point.vectors.iter().zip(&answers).map(|(own, answer)| {
            let mut vector = answer.map_or_else(|| own.clone(), |answer| answer.share.clone());
            vector.resize(self.facts.slots, 0.0);
            vector
        });
        let bias = point.bias.iter().zip(&answers).map(|(bias, answer)| {
            let Some(answer) = answer else { return *bias };
            let mut next = FreeBias {
                v: (answer.positive - answer.negative) / lambda_n,
                ..*bias
            };
            if !fixed {
                // the proximal point method in b
                next.multiplier = next.b();
            }
            next
        });
        Point {
            vectors: vectors.collect(),
            bias: bias.collect(),
        }
    }

    /// The certificate of each class that was asked, at the point and these biases. The answer is about the variables whose sum of rows the point is.
    pub fn certificates(
        &self,
        point: &Point,
        answer: &Answer,
        intercepts: &[f64],
    ) -> Vec<Option<GapCertificate>> {
        let (n, lambda) = (self.facts.rows as usize, self.facts.lambda);
        let of = |(class, vector): (usize, &Vec<f64>)| {
            let found = answer.classes.get(class)?.as_ref()?;
            let b = intercepts.get(class).copied().unwrap_or(0.0);
            Some(found.sums.certificate(n, lambda, vector, b))
        };
        point.vectors.iter().enumerate().map(of).collect()
    }

    pub(super) fn lambda_n(&self) -> f64 {
        self.facts.lambda * self.facts.rows as f64
    }

    fn mean_norm_sq(&self) -> f64 {
        let mean = self.facts.norm_sq / self.facts.rows.max(1) as f64;
        if mean > 0.0 { mean } else { 1.0 }
    }
}
