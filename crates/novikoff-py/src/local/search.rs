//! The best free bias by the losses of all partitions at several candidates.

use novikoff::dual::local::Candidates;
use pyo3::prelude::*;

use super::answer::PyAnswer;
use super::point::PyPoint;
use super::problem::PyLocalProblem;
use crate::words::refused;

/// Candidates for the bias of each class.
#[pyclass(module = "novikoff._native", name = "BiasSearch")]
pub(crate) struct PyBiasSearch {
    classes: Vec<Candidates>,
    best: Vec<f64>,
    /// How much less the loss may be elsewhere, per class.
    slack: Vec<f64>,
}

#[pymethods]
impl PyBiasSearch {
    /// Around the biases of a point.
    #[new]
    fn new(point: &PyPoint) -> Self {
        let best = point.intercepts();
        PyBiasSearch {
            classes: best.iter().map(|&b| Candidates::around(b, 1.0)).collect(),
            slack: vec![f64::INFINITY; best.len()],
            best,
        }
    }

    /// The candidates of each class.
    #[getter]
    fn candidates(&self) -> Vec<Vec<f64>> {
        let lists = self.classes.iter().map(|class| class.list().to_vec());
        lists.collect()
    }

    /// The best bias of each class so far.
    #[getter]
    fn best(&self) -> Vec<f64> {
        self.best.clone()
    }

    /// Narrows the candidates by the sums of all partitions. True once no class that was asked could gain more than `enough` by another
    /// bias, as a mean over the rows.
    fn narrow(
        &mut self,
        problem: &PyLocalProblem,
        answer: &PyAnswer,
        enough: f64,
    ) -> PyResult<bool> {
        let mut done = true;
        for (class, candidates) in self.classes.iter_mut().enumerate() {
            let Some(found) = answer.classes.get(class).and_then(Option::as_ref) else {
                continue;
            };
            let losses = &found.sums.candidates;
            if losses.len() != candidates.list().len() {
                return Err(refused("a search among other candidates"));
            }
            self.best[class] = candidates.best(losses);
            let slack = slack(candidates.list(), losses) / problem.words.rows as f64;
            self.slack[class] = slack;
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
