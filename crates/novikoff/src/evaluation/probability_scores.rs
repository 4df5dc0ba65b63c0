//! How good probabilities are.
//!
//! Log loss: the mean of `-ln p` of what came true, p taken as at least 2^-52, as scikit-learn does. Brier score:
//! the mean squared distance of the probabilities from what came true; of two classes that of one of them, of three or
//! more summed over the classes, as scikit-learn does. With any number of labels per row, both are means over rows and labels.

/// The least probability that log loss distinguishes from 0.
const LEAST: f64 = f64::EPSILON;

/// Sums over forecasts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProbabilityScores {
    forecasts: u64,
    surprise: f64,
    distance: f64,
}

impl ProbabilityScores {
    /// A forecast of whether something is so.
    pub fn add_one(&mut self, probability: f64, truth: bool) {
        let of_truth = if truth {
            probability
        } else {
            1.0 - probability
        };
        self.forecasts += 1;
        self.surprise -= libm::log(of_truth.clamp(LEAST, 1.0 - LEAST));
        self.distance += (1.0 - of_truth) * (1.0 - of_truth);
    }

    /// A forecast of one of several; none of them if what came true is not among them.
    pub fn add(&mut self, probabilities: &[f64], truth: Option<usize>) {
        let of_truth = truth.map_or(0.0, |k| probabilities[k]);
        self.forecasts += 1;
        self.surprise -= libm::log(of_truth.clamp(LEAST, 1.0 - LEAST));
        // two classes are equally far away, and count once: the same rows as one problem have the same score
        let share = if probabilities.len() == 2 { 0.5 } else { 1.0 };
        for (k, p) in probabilities.iter().enumerate() {
            let away = p - f64::from(u8::from(truth == Some(k)));
            self.distance += share * away * away;
        }
    }

    /// The log loss; 0 without forecasts.
    pub fn log_loss(&self) -> f64 {
        self.surprise / self.forecasts.max(1) as f64
    }

    /// The Brier score; 0 without forecasts.
    pub fn brier(&self) -> f64 {
        self.distance / self.forecasts.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scikit-learn's examples of `log_loss` and `brier_score_loss`.
    #[test]
    fn the_examples_of_scikit_learn() {
        let mut probability_scores = ProbabilityScores::default();
        for (spam, truth) in [(0.9, true), (0.1, false), (0.2, false), (0.65, true)] {
            probability_scores.add_one(spam, truth);
        }
        assert!((probability_scores.log_loss() - 0.216_16).abs() < 5e-6); // as printed there
        let exact = -libm::log(0.9 * 0.9 * 0.8 * 0.65) / 4.0;
        assert!((probability_scores.log_loss() - exact).abs() < 1e-12);
        let mut probability_scores = ProbabilityScores::default();
        for (p, truth) in [(0.1, false), (0.9, true), (0.8, true), (0.3, false)] {
            probability_scores.add_one(p, truth);
        }
        assert!((probability_scores.brier() - 0.0375).abs() < 1e-15);
    }

    #[test]
    fn two_classes_score_as_one_problem_does() {
        let (mut one, mut two) = (ProbabilityScores::default(), ProbabilityScores::default());
        for (p, truth) in [(0.125, false), (0.75, true), (0.25, true), (1.0, false)] {
            one.add_one(p, truth);
            two.add(&[1.0 - p, p], Some(usize::from(truth)));
        }
        assert_eq!(one, two);
    }

    #[test]
    fn several_by_hand() {
        let mut probability_scores = ProbabilityScores::default();
        probability_scores.add(&[0.5, 0.25, 0.25], Some(0));
        probability_scores.add(&[0.5, 0.5, 0.0], Some(2));
        probability_scores.add(&[1.0, 0.0, 0.0], None);
        let lost = -libm::log(0.5) - 2.0 * libm::log(f64::EPSILON);
        assert!((probability_scores.log_loss() - lost / 3.0).abs() < 1e-12);
        assert!((probability_scores.brier() - (0.375 + 1.5 + 1.0) / 3.0).abs() < 1e-15);
        assert_eq!(ProbabilityScores::default().log_loss(), 0.0);
    }
}
