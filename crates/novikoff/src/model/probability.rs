//! Probabilities: from the scores of a model to the chances of its labels.
//!
//! A calibrated model has one map per class. Without one, a model has probabilities where its margin is a multiple of the log-odds by
//! what it was trained for: `p = 1/(1 + exp(-k margin))` with k = 1 for the logistic loss and for learners that
//! [say so](crate::catalog::Capabilities::probabilities), k = 2 for the exponential loss. Where every row has one of several labels, the
//! probabilities of the classes are divided by their sum.

use super::Model;
use crate::calibration::{Calibration, sigmoid};
use crate::classes::Task;
use crate::learner::Hypothesis;

/// Where the probabilities of a model come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbabilitySource<'m> {
    /// Maps fitted on rows that it was not trained on.
    Calibrated(&'m Calibration),
    /// Its margin times this factor is the log-odds.
    Native(f64),
}

impl Model {
    /// Where its probabilities come from, if it has any.
    pub fn probability_source(&self) -> Option<ProbabilitySource<'_>> {
        if let Some(calibration) = &self.calibration {
            return Some(ProbabilitySource::Calibrated(calibration));
        }
        self.log_odds.map(ProbabilitySource::Native)
    }

    /// Whether the scores of a predictor (the deployed one) have probabilities: of a calibrated model those of the predictor that it was
    /// calibrated for, otherwise those of all that are one weight vector per class.
    pub fn has_probabilities(&self, by: Option<Hypothesis>) -> bool {
        let used = by.unwrap_or(self.learner.hypotheses()[0]);
        match self.probability_source() {
            Some(ProbabilitySource::Calibrated(calibration)) => calibration.hypothesis == used,
            Some(ProbabilitySource::Native(_)) => used != Hypothesis::Voted,
            None => false,
        }
    }

    /// The probability of every class in order of appearance, if the model has probabilities: of the positive label alone where there are
    /// two, and summing to 1 where every row has one of several. The scores are those of a predictor that
    /// [has them](Self::has_probabilities).
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Perceptron};
    ///
    /// let model = Model::builder(Perceptron::default()).build()?;
    /// // a perceptron has margins only; see `calibration`
    /// assert!(!model.probabilities(&[0.5], &mut Vec::new()));
    /// # Ok::<(), novikoff::SpecError>(())
    /// ```
    pub fn probabilities(&self, scores: &[f64], out: &mut Vec<f64>) -> bool {
        out.clear();
        match self.probability_source() {
            None => return false,
            Some(ProbabilitySource::Calibrated(calibration)) => {
                let maps = calibration.maps.iter();
                out.extend(maps.zip(scores).map(|(map, &score)| map.probability(score)));
            }
            Some(ProbabilitySource::Native(factor)) => {
                out.extend(scores.iter().map(|&score| sigmoid(factor * score)));
            }
        }
        if let Task::OneVsRest = self.classes.task() {
            let sum: f64 = out.iter().sum();
            let even = 1.0 / out.len() as f64;
            let share = |p: f64| if sum > 0.0 { p / sum } else { even };
            for p in out.iter_mut() {
                *p = share(*p);
            }
        }
        true
    }
}
