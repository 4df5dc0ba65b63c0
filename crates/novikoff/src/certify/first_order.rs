//! The perceptron, averaged and voted ones included: T1 to T3.
//! Theory: docs/theory/perceptron.md.

use super::maximum_margin::separate;
use super::multipliers::Multipliers;
use super::path::BoundInputs;
use super::search::{self, Best, Effort, Goal, Sum};
use super::{Ask, CertifiedRun, Chosen};
use crate::certificate::first_order::FirstOrder;
use crate::dual::loss::margin::Margin;

/// Freund and Schapire's bound is looked for on its own where the other bound's U gives at most this many times as much.
const PROMISING: f64 = 4.0;

impl Ask<'_, '_> {
    /// In what share of its trials each row was learned from: the multipliers of the learner's own vector, scaled.
    fn update_shares(&self) -> Vec<f64> {
        let updates = self.updates_of_rows().into_iter();
        let shares = updates.zip(self.trials.aims.iter());
        shares
            .map(|(times, aim)| times / aim.weight.max(1.0))
            .collect()
    }

    pub(super) fn first_order(&self, margin: f64) -> CertifiedRun {
        let norms = self.trials.norms_of_trials();
        let trials = self.trials.past.iter().zip(&norms);
        let updated = trials.filter(|(t, _)| t.updated).map(|(_, norm)| norm);
        let (count, squares) = updated.fold((0.0, 0.0), |(n, sum), norm| (n + 1.0, sum + norm));
        let kappa = (squares + 2.0 * margin * count).sqrt();
        let longest = norms.iter().copied().fold(0.0, f64::max).sqrt();
        let sum = |shape: &BoundInputs| shape.hinge + kappa * shape.norm;
        let squared = |shape: &BoundInputs| {
            let root = longest * shape.norm + shape.slacks.sqrt();
            root * root
        };
        let mut path = self.path();
        let mu = path.mean_square();
        let sum_least = |m: &Multipliers| m.sum_of_loss_and_norm(kappa);
        let squared_least = |m: &Multipliers| m.square_of_norms(longest);
        let sum = Sum {
            goal: Goal::new(&sum, &sum_least),
            kappa,
            start: &self.update_shares(),
        };
        let mut best = search::best_sum(&mut path, mu, self.effort, sum);
        let mut separable = None;
        // the best scale of a given vector depends on the bound
        if self.effort == Effort::Full || path.is_given() {
            let promising = squared(&path.shape(&best.found, 1.0)) < PROMISING * best.bound;
            if margin == 0.0 && promising && !path.is_large() {
                let goal = Goal::new(&squared, &squared_least);
                let loss = Margin::SQUARED_HINGE;
                let other = search::best(&mut path, loss, mu, self.effort, goal);
                let solves = best.solves + other.solves;
                if other.bound < best.bound {
                    best = other;
                }
                best.solves = solves;
            }
            // where the work is limited, only if it may well be so
            let (separated, solves) = if path.may_be_separable(&best.found) {
                separate(&mut path)
            } else {
                (None, 0)
            };
            best.solves += solves;
            if let Some(found) = separated {
                let shape = path.shape(&found, 1.0);
                let ratio = shape.norm / shape.least;
                separable = Some((1.0 / ratio, (longest * ratio) * (longest * ratio)));
                if kappa * ratio < best.bound * (1.0 + 1e-6) {
                    let mut found = found;
                    // no rounding leaves a hinge loss
                    found.scale((1.0 + 1e-12) / shape.least);
                    best = Best {
                        found,
                        bound: kappa * ratio,
                        ..best
                    };
                }
            }
        }
        let theorem = FirstOrder { margin };
        let mut chosen = Chosen::new(best.found, None, best.solves);
        let mut rival = self.rival(&chosen.vector);
        let mut certificate = theorem.certify(&self.trials.past, &norms, &rival);
        // the zero vector has a hinge loss of 1 everywhere
        if certificate.bound > self.trials.past.len() as f64 {
            chosen = Chosen::new(path.zero(), None, best.solves);
            rival = self.rival(&chosen.vector);
            certificate = theorem.certify(&self.trials.past, &norms, &rival);
        }
        chosen.least = match certificate.theorem {
            "T2''" => path.least(&squared_least),
            // the smaller of both
            "T1" => {
                let both = [path.least(&sum_least), path.least(&squared_least)];
                both.into_iter().flatten().reduce(f64::min)
            }
            _ => path.least(&sum_least),
        };
        let (mut hinge, mut slacks, mut squares, mut n) = (0.0, 0.0_f64, 0.0, 0.0);
        let (norm, is_squared) = (rival.norm().value(), certificate.theorem == "T2''");
        let curve = self.curve(&rival, |k, t, xi| {
            hinge += xi;
            slacks += xi * xi;
            if t.updated {
                squares += norms[k];
                n += 1.0;
            }
            if is_squared {
                let root = longest * norm + slacks.sqrt();
                root * root
            } else {
                hinge + norm * (squares + 2.0_f64 * margin * n).sqrt()
            }
        });
        let hinge = certificate.ingredient("hinge").unwrap_or(0.0);
        let (part, rest) = if is_squared {
            (0.0, "squared")
        } else {
            (hinge, "norm")
        };
        CertifiedRun {
            curve,
            separable,
            ..self.answer(certificate, (&chosen, &rival), part, rest, margin > 0.0)
        }
    }
}
