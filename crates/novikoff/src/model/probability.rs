//! Probabilities: from the scores of a model to the chances of its labels.
//!
//! A calibrated model has one map per class. Without one, a model has probabilities where its margin is a multiple of the log-odds by
//! what it was trained for: `p = 1/(1 + exp(-k margin))` with k = 1 for the logistic loss and for learners that
//! [say so](crate::catalog::Capabilities::probabilities), k = 2 for the exponential loss. Where every row has one of several labels, the
//! probabilities of the classes are divided by their sum.

use super::Model;
use crate::calibration::{Calibration, CalibrationMap, sigmoid};
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
                let unit = self.learner.score_unit(calibration.hypothesis);
                let maps = calibration.maps.iter().zip(scores);
                out.extend(maps.map(|(map, &score)| map.probability(score / unit)));
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

    /// Whether probabilities rise strictly with what [`log_odds`](Self::log_odds) gives: everywhere but after isotonic maps, which are flat in places.
    pub(crate) fn has_log_odds(&self) -> bool {
        match self.probability_source() {
            None => false,
            Some(ProbabilitySource::Native(_)) => true,
            Some(ProbabilitySource::Calibrated(calibration)) => {
                let is_sigmoid = |map: &CalibrationMap| matches!(map, CalibrationMap::Sigmoid(_));
                calibration.maps.iter().all(is_sigmoid)
            }
        }
    }

    /// The log-odds of the [probabilities](Self::probabilities), which tell rows apart whose probabilities are rounded to 0 or 1; of a
    /// model that [has them](Self::has_log_odds).
    pub(crate) fn log_odds(&self, scores: &[f64], out: &mut Vec<f64>) {
        out.clear();
        match self.probability_source() {
            Some(ProbabilitySource::Native(factor)) => {
                out.extend(scores.iter().map(|&score| factor * score));
            }
            Some(ProbabilitySource::Calibrated(calibration)) => {
                let unit = self.learner.score_unit(calibration.hypothesis);
                let maps = calibration.maps.iter().zip(scores);
                out.extend(maps.map(|(map, &score)| match map {
                    CalibrationMap::Sigmoid(map) => map.log_odds(score / unit),
                    CalibrationMap::Isotonic(map) => map.probability(score / unit),
                }));
            }
            None => {}
        }
        if let Task::OneVsRest = self.classes.task() {
            share_log_odds(out);
        }
    }
}

/// The probability of log-odds.
pub(crate) fn probability_of(log_odds: f64) -> f64 {
    sigmoid(log_odds)
}

/// `ln 1/(1 + e^-z)`, the logarithm of the probability of log-odds z.
fn log_probability(z: f64) -> f64 {
    if z <= 0.0 {
        z - libm::log1p(libm::exp(z))
    } else {
        -libm::log1p(libm::exp(-z))
    }
}

/// From the log-odds of each class alone to those of its probability divided by the sum of all: `ln p_k - ln (sum of the others)`.
fn share_log_odds(odds: &mut [f64]) {
    for z in odds.iter_mut() {
        *z = log_probability(*z);
    }
    let Some(best) = (0..odds.len()).max_by(|&a, &b| odds[a].total_cmp(&odds[b])) else {
        return;
    };
    let top = odds[best];
    let weight = |log: f64| libm::exp(log - top);
    let all: f64 = odds.iter().map(|&log| weight(log)).sum();
    let sum_of_others = |k: usize| -> f64 {
        if k == best {
            // the difference from the sum of all would be rounded away
            let others = odds.iter().enumerate().filter(|(j, _)| *j != k);
            let second = others
                .clone()
                .map(|(_, &log)| log)
                .fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = others.map(|(_, &log)| libm::exp(log - second)).sum();
            second + libm::log(sum)
        } else {
            top + libm::log(all - weight(odds[k]))
        }
    };
    let shared: Vec<f64> = (0..odds.len())
        .map(|k| odds[k] - sum_of_others(k))
        .collect();
    odds.copy_from_slice(&shared);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_of_shares_are_those_of_the_probabilities_divided_by_their_sum() {
        let mut random = crate::random::SplitMix64::new(7);
        for classes in 2..6 {
            for _ in 0..200 {
                let odds: Vec<f64> = (0..classes)
                    .map(|_| 12.0 * random.uniform() - 6.0)
                    .collect();
                let p: Vec<f64> = odds.iter().map(|&z| sigmoid(z)).collect();
                let sum: f64 = p.iter().sum();
                let mut shared = odds.clone();
                share_log_odds(&mut shared);
                for (z, p) in shared.iter().zip(&p) {
                    let share = p / sum;
                    assert!((sigmoid(*z) - share).abs() < 1e-12, "{odds:?}");
                }
            }
        }
    }

    #[test]
    fn certain_classes_differ_by_the_others() {
        let (mut near, mut far) = (vec![60.0, -50.0, -70.0], vec![60.0, -80.0, -90.0]);
        share_log_odds(&mut near);
        share_log_odds(&mut far);
        assert!(
            (near[0] - 50.0).abs() < 1e-6 && (far[0] - 80.0).abs() < 1e-3,
            "{near:?} {far:?}"
        );
        let mut one = vec![2.0];
        share_log_odds(&mut one);
        assert_eq!(one, [f64::INFINITY]);
    }
}
