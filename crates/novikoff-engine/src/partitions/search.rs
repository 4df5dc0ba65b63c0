//! The best free bias by the losses of all partitions at several candidates.

use novikoff::dual::local::Candidates;

use super::answer::Answer;
use super::point::Point;
use super::problem::PartitionedProblem;
use crate::Error;

/// Candidates for the bias of each class.
#[derive(Clone, Debug)]
pub struct BiasSearch {
    classes: Vec<Candidates>,
    best: Vec<f64>,
}

impl BiasSearch {
    /// Around the biases of a point.
    pub fn around(point: &Point) -> Self {
        let best = point.intercepts();
        BiasSearch {
            classes: best.iter().map(|&b| Candidates::around(b, 1.0)).collect(),
            best,
        }
    }

    /// The candidates of each class.
    pub fn candidates(&self) -> Vec<Vec<f64>> {
        let lists = self.classes.iter().map(|class| class.list().to_vec());
        lists.collect()
    }

    /// The best bias of each class so far.
    pub fn best(&self) -> &[f64] {
        &self.best
    }

    /// Narrows the candidates by the sums of all partitions. True once no class that was asked could gain more than `enough` by another
    /// bias, as a mean over the rows.
    pub fn narrow(
        &mut self,
        problem: &PartitionedProblem,
        answer: &Answer,
        enough: f64,
    ) -> Result<bool, Error> {
        let mut done = true;
        for (class, candidates) in self.classes.iter_mut().enumerate() {
            let Some(found) = answer.classes.get(class).and_then(Option::as_ref) else {
                continue;
            };
            let losses = &found.sums.candidates;
            if losses.len() != candidates.list().len() {
                return Err(Error::plain("a search among other candidates"));
            }
            self.best[class] = candidates.best(losses);
            let slack = slack(candidates.list(), losses) / problem.facts.rows as f64;
            *candidates = candidates.narrowed(losses);
            done &= slack <= enough;
        }
        Ok(done)
    }
}

/// How much less than the least of these losses the loss can be anywhere: losses are convex in b, so the lines through the neighbours bound it
/// from below. Infinite where the least one is at an end.
fn slack(list: &[f64], losses: &[f64]) -> f64 {
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let first = losses.iter().position(|&loss| loss == least).unwrap_or(0);
    let last = losses.iter().rposition(|&loss| loss == least).unwrap_or(0);
    if first == 0 || last + 1 == losses.len() || last + 2 >= losses.len() || first < 2 {
        return f64::INFINITY;
    }
    let slope = |k: usize| (losses[k + 1] - losses[k]) / (list[k + 1] - list[k]);
    // left of the least, the line from further left; right of it, the line from further right
    let left = slope(first - 2) * (list[first] - list[first - 1]);
    let left = losses[first - 1] + left;
    let right = losses[last + 1] - slope(last + 1) * (list[last + 1] - list[last]);
    (least - left.min(right)).max(0.0)
}
