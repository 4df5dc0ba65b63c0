//! Passive-aggressive learners.

use super::maximum_margin::separate;
use super::path::{Found, Path, Shape};
use super::search::{self, Best, Effort};
use super::{Answer, Ask, Chosen};
use crate::certificate::passive_aggressive::{PassiveAggressive, Variant};
use crate::dual::loss::margin::Margin;

impl Ask<'_, '_> {
    pub(super) fn passive_aggressive(&self) -> Answer {
        let p = self.run.parameters;
        let theorem = PassiveAggressive {
            variant: Variant::of(p.word("variant")),
            c: p.real("c"),
        };
        let norms = self.trials.norms_of_trials();
        let mut path = self.path();
        let mut separable = None;
        let best = match theorem.variant {
            Variant::Hard => {
                let (best, separating) = self.hard(&mut path, &theorem);
                let longest = norms.iter().copied().fold(0.0, f64::max);
                separable = separating.map(|ratio| (1.0 / ratio, longest * ratio * ratio));
                best
            }
            // |U|^2 + 2c L
            Variant::Capped => {
                let price = |s: &Shape| theorem.price(s.norm * s.norm, s.hinge);
                search::best(
                    &mut path,
                    Margin::HINGE,
                    1.0 / theorem.c,
                    Effort::Quick,
                    &price,
                )
            }
            // the same with squares
            Variant::Softened => {
                let price = |s: &Shape| theorem.price(s.norm * s.norm, s.slacks);
                let loss = Margin::SQUARED_HINGE;
                search::best(&mut path, loss, 1.0 / theorem.c, Effort::Quick, &price)
            }
        };
        let chosen = Chosen::new(best.found, best.solves);
        let rival = self.rival(&chosen.vector);
        let mistaken = self.trials.mistaken(&self.run.page);
        let past = &self.trials.past;
        let certificate = theorem.certify(past, (&norms, &mistaken), &rival);
        let least = certificate.term("least_worth").unwrap_or(0.0);
        let norm_sq = rival.norm_sq().value();
        let (mut loss, mut n, mut worth) = (0.0, 0.0, 0.0);
        let curve = self.curve(&rival, |k, _, xi| {
            loss += if theorem.variant == Variant::Capped {
                xi
            } else {
                theorem.weight(norms[k]) * xi * xi
            };
            if mistaken[k] {
                n += 1.0;
                worth += theorem.worth(norms[k]);
            }
            // what can be known beforehand, until there is a mistake
            let each = if n > 0.0 { worth / n } else { least };
            theorem.price(norm_sq, loss) / each * (1.0 + 1e-8)
        });
        let (hinge, rest) = match theorem.variant {
            Variant::Capped => {
                let price = certificate.bound / theorem.price(norm_sq, loss);
                (2.0 * theorem.c * loss * price, "norm")
            }
            Variant::Hard if loss == 0.0 => (0.0, "norm"),
            Variant::Hard | Variant::Softened => (0.0, "squared"),
        };
        Answer {
            curve,
            separable,
            ..self.answer(certificate, &chosen, (hinge, rest), false)
        }
    }

    /// The best U for PA; and `|U|` over the least `y U.x` of one that separates the rows.
    fn hard(&self, path: &mut Path<'_>, theorem: &PassiveAggressive) -> (Best, Option<f64>) {
        let (norms, aims) = (&self.trials.norms, &self.trials.aims);
        let rows = || norms.iter().zip(aims);
        let weigh = |(norm_sq, aim): (&f64, &crate::dual::Aim)| match aim.weight {
            0.0 => 0.0,
            times => times * theorem.weight(*norm_sq),
        };
        path.weigh(&rows().map(weigh).collect::<Vec<f64>>());
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
