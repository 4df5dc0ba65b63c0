//! Passive-aggressive learners.

use super::maximum_margin::separate;
use super::path::{Found, Path, Shape};
use super::search::{self, Best, Effort};
use super::{Answer, Ask, Chosen};
use crate::certificate::passive_aggressive::{PassiveAggressive, Variant};
use crate::dual::Aim;
use crate::dual::loss::margin::Margin;

impl Ask<'_, '_> {
    pub(super) fn passive_aggressive(&self) -> Answer {
        let p = self.run.parameters;
        let theorem = PassiveAggressive {
            variant: Variant::of(p.word("variant")),
            c: p.real("c"),
        };
        let norms = self.trials.norms_of_trials();
        let longest = norms.iter().copied().fold(0.0, f64::max);
        let (best, ratio) = self.cheapest(&theorem);
        let chosen = Chosen::new(best.found, best.solves);
        let rival = self.rival(&chosen.vector);
        let mistaken = self.trials.mistaken(self.run.page);
        let past = &self.trials.past;
        let certificate = theorem.certify(past, (&norms, &mistaken), &rival);
        let least = certificate.term("least_worth").unwrap_or(0.0);
        let norm_sq = rival.norm_sq().value();
        let (mut loss, mut n, mut worth) = (0.0, 0.0, 0.0);
        let curve = self.curve(&rival, |k, _, xi| {
            loss += match theorem.variant {
                Variant::Capped => xi,
                Variant::Hard | Variant::Softened => theorem.weight(norms[k]) * xi * xi,
            };
            if mistaken[k] {
                n += 1.0;
                worth += theorem.worth(norms[k]);
            }
            // what can be known beforehand, until there is a mistake
            let each = if n > 0.0 { worth / n } else { least };
            theorem.price(norm_sq, loss) / each * (1.0 + 1e-8)
        });
        let parts = match theorem.variant {
            Variant::Capped => {
                let share = 2.0 * theorem.c * loss / theorem.price(norm_sq, loss);
                (share * certificate.bound, "norm")
            }
            Variant::Hard if loss == 0.0 => (0.0, "norm"),
            Variant::Hard | Variant::Softened => (0.0, "squared"),
        };
        Answer {
            curve,
            separable: ratio.map(|ratio| (1.0 / ratio, longest * ratio * ratio)),
            ..self.answer(certificate, &chosen, parts, false)
        }
    }

    /// The U of the least price; for PA also `|U|` over the least `y U.x` of one that separates the rows.
    fn cheapest(&self, theorem: &PassiveAggressive) -> (Best, Option<f64>) {
        let mut path = self.path();
        let (loss, mu) = match theorem.variant {
            Variant::Hard => return self.cheapest_hard(&mut path, theorem),
            // |U|^2 + 2c L
            Variant::Capped => (Margin::HINGE, 1.0 / theorem.c),
            // |U|^2 + 2c sum xi^2
            Variant::Softened => (Margin::SQUARED_HINGE, 1.0 / theorem.c),
        };
        let price = |s: &Shape| {
            let loss = match theorem.variant {
                Variant::Capped => s.hinge,
                Variant::Hard | Variant::Softened => s.slacks,
            };
            theorem.price(s.norm * s.norm, loss)
        };
        let best = search::best(&mut path, loss, mu, Effort::Quick, &price);
        (best, None)
    }

    fn cheapest_hard(
        &self,
        path: &mut Path<'_>,
        theorem: &PassiveAggressive,
    ) -> (Best, Option<f64>) {
        let aims = &self.trials.aims;
        let weigh = |(norm_sq, aim): (&f64, &Aim)| match aim.weight {
            0.0 => 0.0,
            times => times * theorem.weight(*norm_sq),
        };
        let weights = self.trials.norms.iter().zip(aims).map(weigh);
        path.weigh(&weights.collect::<Vec<f64>>());
        let price = |s: &Shape| theorem.price(s.norm * s.norm, s.slacks);
        let loss = Margin::SQUARED_HINGE;
        let mut best = search::best(path, loss, 1.0, self.effort, &price);
        let mut separating = ratio(path, &best.found).map(|_| best.found.clone());
        let hopeful = !path.is_large() || separating.is_some();
        if self.effort == Effort::Full && hopeful {
            path.weigh(&aims.iter().map(|aim| aim.weight).collect::<Vec<f64>>());
            let mu = path.mean_square();
            let (found, solves) = separate(path, mu);
            best.solves += solves;
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

/// `|U|` over the least `y U.x`, if that is positive.
fn ratio(path: &Path<'_>, found: &Found) -> Option<f64> {
    let shape = path.shape(found, 1.0);
    (shape.least > 0.0).then(|| shape.norm / shape.least)
}
