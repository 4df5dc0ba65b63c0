//! Passive-aggressive learners.

use super::maximum_margin::separate;
use super::multipliers::Multipliers;
use super::path::{BoundInputs, CandidateVector, Path};
use super::search::{self, Best, Effort, Goal};
use super::{Ask, CertifiedRun, Chosen};
use crate::certificate::passive_aggressive::{PassiveAggressiveBound, Price, Variant};
use crate::dual::Aim;
use crate::dual::loss::margin::Margin;

impl Ask<'_, '_> {
    pub(super) fn passive_aggressive(&self) -> CertifiedRun {
        let p = self.run.parameters;
        let by = |price: Price| PassiveAggressiveBound {
            variant: Variant::of(p.word("variant")),
            c: p.real("c"),
            price,
        };
        let mut path = self.path();
        let sum = (by(Price::Sum).variant != Variant::Hard)
            .then(|| self.paid(by(Price::Sum), cheapest_sum(&mut path, &by(Price::Sum))));
        let (best, ratio) = self.cheapest_root(&mut path, &by(Price::Root));
        let root = self.paid(by(Price::Root), best);
        let solves = root.solves + sum.as_ref().map_or(0, |sum| sum.solves);
        let least = match sum {
            Some(sum) if sum.bound < root.bound => sum,
            _ => root,
        };
        let longest = self
            .trials
            .norms_of_trials()
            .into_iter()
            .fold(0.0, f64::max);
        CertifiedRun {
            separable: ratio.map(|ratio| (1.0 / ratio, longest * ratio * ratio)),
            solves,
            ..least
        }
    }

    /// The answer for a price and its U.
    fn paid(&self, theorem: PassiveAggressiveBound, best: Best) -> CertifiedRun {
        let norms = self.trials.norms_of_trials();
        let mut chosen = Chosen::new(best.found, None, best.solves);
        let rival = self.rival(&chosen.vector);
        let mistaken = self.trials.mistaken(self.run.page);
        let past = &self.trials.past;
        let certificate = theorem.certify(past, (&norms, &mistaken), &rival);
        // the bound is the price times what does not depend on U
        chosen.least = best
            .least
            .map(|least| certificate.bound * least / best.bound);
        let least = certificate.ingredient("least_worth").unwrap_or(0.0);
        let norm_sq = rival.norm_sq().value();
        let (mut loss, mut n, mut worth) = (0.0, 0.0, 0.0);
        let curve = self.curve(&rival, |k, _, xi| {
            let xi = if theorem.is_squared() { xi * xi } else { xi };
            loss += theorem.weight(norms[k]) * xi;
            if mistaken[k] {
                n += 1.0;
                worth += theorem.worth(norms[k]);
            }
            // what can be known beforehand, until there is a mistake
            let each = if n > 0.0 { worth / n } else { least };
            theorem.price(norm_sq, loss) / each * (1.0 + 1e-8)
        });
        let (part, rest) = if loss == 0.0 {
            (0.0, "norm")
        } else if theorem.is_squared() {
            (0.0, "squared")
        } else {
            let share = 2.0 * theorem.c * loss / theorem.price(norm_sq, loss);
            (share * certificate.bound, "norm")
        };
        CertifiedRun {
            curve,
            ..self.answer(certificate, (&chosen, &rival), part, rest, false)
        }
    }

    /// The U of the least root; and `|U|` over the least `y U.x` of one that separates the rows.
    fn cheapest_root(
        &self,
        path: &mut Path<'_>,
        theorem: &PassiveAggressiveBound,
    ) -> (Best, Option<f64>) {
        let aims = self.trials.aims.iter();
        let weigh = |(norm_sq, aim): (&f64, &Aim)| match aim.weight {
            0.0 => 0.0,
            times => times * theorem.weight(*norm_sq),
        };
        let weights = self.trials.norms.iter().zip(aims).map(weigh);
        path.weigh(&weights.collect::<Vec<f64>>());
        let price = |s: &BoundInputs| theorem.price(s.norm * s.norm, s.slacks);
        let loss = Margin::SQUARED_HINGE;
        let goal = Goal {
            bound: &price,
            least: Some(&Multipliers::square_of_roots),
        };
        let mut best = search::best(path, loss, 1.0, self.effort, goal);
        let mut separating = ratio(path, &best.found).map(|_| best.found.clone());
        let hopeful = path.may_be_separable(&best.found);
        if self.effort == Effort::Full && hopeful {
            let (found, solves) = separate(path);
            best.solves += solves;
            best.least = path.least(&Multipliers::square_of_roots);
            separating = found.or(separating);
        }
        let Some(mut found) = separating else {
            return (best, None);
        };
        let ratio = ratio(path, &found);
        if let Some(ratio) = ratio.filter(|r| r * r < best.bound * (1.0 + 1e-6)) {
            // no rounding leaves a hinge loss
            found.scale((1.0 + 1e-12) * ratio / found.norm);
            (best.found, best.bound) = (found, ratio * ratio);
        }
        (best, ratio)
    }
}

/// The U of the least sum.
fn cheapest_sum(path: &mut Path<'_>, theorem: &PassiveAggressiveBound) -> Best {
    // |U|^2 + 2c loss
    let mu = 1.0 / theorem.c;
    if theorem.is_squared() {
        let price = |s: &BoundInputs| theorem.price(s.norm * s.norm, s.slacks);
        let goal = Goal {
            bound: &price,
            least: None,
        };
        let best = search::best(path, Margin::SQUARED_HINGE, mu, Effort::Quick, goal);
        let says = |m: &Multipliers| m.square_and_squares(2.0 * theorem.c);
        let least = path.least_of_solved(2.0 * theorem.c, &says);
        Best { least, ..best }
    } else {
        let price = |s: &BoundInputs| theorem.price(s.norm * s.norm, s.hinge);
        let goal = Goal {
            bound: &price,
            least: Some(&|m: &Multipliers| m.square_and_loss(theorem.c)),
        };
        search::best(path, Margin::HINGE, mu, Effort::Quick, goal)
    }
}

/// `|U|` over the least `y U.x`, if that is positive.
fn ratio(path: &Path<'_>, found: &CandidateVector) -> Option<f64> {
    let shape = path.shape(found, 1.0);
    (shape.least > 0.0).then(|| shape.norm / shape.least)
}
