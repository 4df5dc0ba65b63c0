//! AROW with a full matrix.

use super::path::BoundInputs;
use super::{Ask, CertifiedRun, NoCertificate};
use crate::certificate::arow::Arow;

impl Ask<'_, '_> {
    pub(super) fn arow(&self, r: f64) -> Result<CertifiedRun, NoCertificate> {
        self.eigenvalues_are_affordable()?;
        let past = &self.trials.past;
        let mistaken = self.trials.mistaken(self.run.page);
        let theorem = Arow::new(r, past, &mistaken);
        let right = theorem.right() as f64;
        let factor = theorem.least() + right;
        let (mut path, quadratic, is_norm) = self.path_of_updates(r);
        let bound = |shape: &BoundInputs| shape.hinge + (quadratic(shape) * factor).sqrt();
        let kappa = is_norm.then(|| factor.sqrt());
        let mut chosen = self.second_order_search(&mut path, &bound, kappa);
        chosen.least = chosen.least.map(|least| (least - right).max(0.0));
        let rival = self.rival(&chosen.vector);
        let certificate = theorem.against(past, &rival);
        let (norm_sq, series) = (rival.norm_sq().value(), theorem.series());
        let values: Vec<f64> = rival.values().map(|u| u.value).collect();
        let (mut hinge, mut squares, mut updates, mut right_until) = (0.0, 0.0, 0, 0.0);
        let curve = self.curve(&rival, |k, t, xi| {
            hinge += xi;
            if t.updated {
                squares += values[k] * values[k];
                updates += 1;
                right_until += f64::from(u8::from(!mistaken[k]));
            }
            let until = match updates {
                0 => 0.0,
                n => series[n - 1],
            };
            hinge + ((r * norm_sq + squares) * (until + right_until)).sqrt() - right_until
        });
        let term = |name: &str| certificate.ingredient(name).unwrap_or(0.0);
        let hinge = term("hinge");
        let mut answer = self.answer(certificate, (&chosen, &rival), hinge, "spectral", false);
        // the root and what is taken off apart
        if let Some((_, part)) = answer
            .terms
            .iter_mut()
            .find(|(name, _)| *name == "spectral")
        {
            *part += right;
        }
        if right > 0.0 {
            answer.terms.push(("right_answers", -right));
        }
        answer.curve = curve;
        Ok(answer)
    }
}
