//! WM: `M <= (m + ln N / eta_T) / F`, where F is the mean of `ln(2/(1 + exp(-eta)))/eta` over the trials on which the majority was wrong.
//!
//! With a fixed beta, eta is `ln(1/beta)` and the bound is `(m ln(1/beta) + ln N) / ln(2/(1+beta))`. With shared weight it is
//! `(m ln(1/beta) + ln N + k ln((N-1)(1-s)/s)) / (ln(2/(1+beta)) - ln(1/(1-s)))` for the best sequence of experts with k changes.
//! The vote itself is repeated here, from the answers of the experts alone.

use libm::{exp, log};

/// The answers of all experts, trial by trial.
#[derive(Clone, Debug, Default)]
pub struct MajorityRun {
    /// How many experts there are.
    pub experts: usize,
    /// beta, if it is fixed.
    pub beta: Option<f64>,
    /// The part of a weight that is shared.
    pub share: f64,
    /// One per trial: what each expert answered, by the place of the label in their order; none of one that is retired.
    pub answers: Vec<Vec<Option<usize>>>,
    /// One per trial: the right answer.
    pub truths: Vec<usize>,
}

/// What the theorem says of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct MajorityFound {
    /// Mistakes of the majority.
    pub mistakes: u64,
    /// Mistakes of each expert.
    pub of_experts: Vec<u64>,
    /// The bound; infinite where the denominator is not positive.
    pub bound: f64,
    /// The part of the bound that the best expert, or sequence, is.
    pub expert: f64,
    /// Mistakes of the best expert, or sequence; eta at the end; F.
    pub made_of: [(&'static str, f64); 3],
    /// What the bound of m mistakes of one expert is: `m` times the first plus the second.
    pub line: (f64, f64),
}

/// A sequence of experts: its mistakes and its changes.
type Sequence = (f64, f64);

impl MajorityRun {
    fn eta(&self, mistakes: &[u64]) -> f64 {
        let least = mistakes.iter().copied().min().unwrap_or(0) as f64;
        let falling = (8.0 * log(self.experts as f64) / (1.0 + least)).sqrt();
        self.beta
            .map_or_else(|| falling.min(log(2.0)), |beta| log(1.0 / beta))
    }

    /// The label with the most weight behind it; the lowest of several.
    fn majority(answers: &[Option<usize>], weights: &[f64]) -> usize {
        let labels = answers
            .iter()
            .flatten()
            .copied()
            .max()
            .map_or(0, |last| last + 1);
        let mut behind = vec![0.0; labels];
        for (answer, weight) in answers.iter().zip(weights) {
            if let Some(label) = answer {
                behind[*label] += weight;
            }
        }
        let mut best = None;
        for (label, weight) in behind.iter().enumerate() {
            let asked = answers.contains(&Some(label));
            if asked && best.is_none_or(|(_, most)| *weight > most) {
                best = Some((label, *weight));
            }
        }
        best.map_or(0, |(label, _)| label)
    }

    /// Every weight gives the part s of itself to the other experts that answer.
    fn shared(&self, weights: &[f64], answers: &[Option<usize>]) -> Vec<f64> {
        let mut after = vec![0.0; weights.len()];
        for (i, weight) in weights.iter().enumerate() {
            let others = (0..weights.len()).filter(|j| *j != i && answers[*j].is_some());
            let others: Vec<usize> = others.collect();
            if others.is_empty() {
                after[i] += weight;
                continue;
            }
            after[i] += (1.0 - self.share) * weight;
            for j in &others {
                after[*j] += self.share * weight / others.len() as f64;
            }
        }
        after
    }

    /// The vote again, and its bound.
    pub fn evaluate(&self) -> MajorityFound {
        let (n, s) = (self.experts as f64, self.share);
        let change = log((n - 1.0) * (1.0 - s) / s);
        let mut mistakes = vec![0_u64; self.experts];
        let mut weights = vec![1.0; self.experts];
        let mut sequences: Vec<Sequence> = vec![(0.0, 0.0); self.experts];
        let (mut wrong, mut sum) = (0_u64, 0.0);
        for (answers, truth) in self.answers.iter().zip(&self.truths) {
            let eta = self.eta(&mistakes);
            if s == 0.0 {
                let least = mistakes.iter().copied().min().unwrap_or(0);
                weights = mistakes
                    .iter()
                    .map(|m| exp(-eta * (m - least) as f64))
                    .collect();
            }
            let is_wrong = Self::majority(answers, &weights) != *truth;
            if is_wrong {
                wrong += 1;
                sum += progress(eta);
            }
            for i in 0..self.experts {
                if answers[i] != Some(*truth) {
                    mistakes[i] += 1;
                    weights[i] *= exp(-eta);
                    sequences[i].0 += 1.0;
                }
            }
            if s > 0.0 && is_wrong {
                weights = self.shared(&weights, answers);
                let price = |s: &Sequence| s.0 * eta + s.1 * change;
                let best = sequences
                    .iter()
                    .copied()
                    .min_by(|a, b| price(a).total_cmp(&price(b)));
                for (i, sequence) in sequences.iter_mut().enumerate() {
                    if let Some(best) = best.filter(|_| answers[i].is_some())
                        && price(sequence) > price(&best) + change
                    {
                        *sequence = (best.0, best.1 + 1.0);
                    }
                }
            }
            let total: f64 = weights.iter().sum();
            for weight in &mut weights {
                *weight /= total;
            }
        }
        // the rate that the counts have at the end
        let eta = self.eta(&mistakes);
        let mean = if wrong > 0 {
            sum / wrong as f64
        } else {
            progress(eta)
        };
        let ((factor, rest), (m, k)) = if s > 0.0 {
            let denominator = mean * eta - log(1.0 / (1.0 - s));
            let denominator = if denominator > 0.0 { denominator } else { 0.0 };
            let price = |s: &&Sequence| s.0 * eta + s.1 * change;
            let best = sequences
                .iter()
                .min_by(|a, b| price(a).total_cmp(&price(b)));
            (
                (eta / denominator, log(n) / denominator),
                best.copied().unwrap_or_default(),
            )
        } else {
            let over_eta = if n > 1.0 { log(n) / eta } else { 0.0 };
            let least = mistakes.iter().copied().min().unwrap_or(0) as f64;
            ((1.0 / mean, over_eta / mean), (least, 0.0))
        };
        let changes = if k > 0.0 {
            k * change * factor / eta
        } else {
            0.0
        };
        MajorityFound {
            mistakes: wrong,
            of_experts: mistakes,
            bound: m * factor + rest + changes,
            expert: m * factor,
            made_of: [("mistakes", m), ("eta", eta), ("progress", mean)],
            line: (factor, rest),
        }
    }
}

/// `ln(2/(1 + exp(-eta)))/eta`, and its limit.
fn progress(eta: f64) -> f64 {
    if eta < 1e-6 {
        0.5 - eta / 8.0
    } else {
        log(2.0 / (1.0 + exp(-eta))) / eta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_experts_by_hand() {
        // the first is right twice, the second once; at first they weigh the same, and the lowest label wins
        let run = MajorityRun {
            experts: 2,
            beta: Some(0.5),
            share: 0.0,
            answers: vec![
                vec![Some(1), Some(0)],
                vec![Some(1), Some(0)],
                vec![Some(0), Some(1)],
            ],
            truths: vec![1, 1, 1],
        };
        let found = run.evaluate();
        assert_eq!(found.of_experts, [1, 2]);
        // wrong by the tie of the first trial, right by weight in the second, wrong with the first expert in the third
        assert_eq!(found.mistakes, 2);
        let want = (log(2.0) + log(2.0)) / log(2.0 / 1.5);
        assert!((found.bound - want).abs() < 1e-12, "{} {want}", found.bound);
    }

    #[test]
    fn whoever_is_retired_is_wrong() {
        let run = MajorityRun {
            experts: 2,
            beta: None,
            share: 0.0,
            answers: vec![vec![Some(0), None]; 5],
            truths: vec![0; 5],
        };
        let found = run.evaluate();
        assert_eq!((found.mistakes, &found.of_experts[..]), (0, &[0, 5][..]));
    }
}
