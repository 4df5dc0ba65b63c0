//! ALMA: the number of its updates on separable rows.

use super::maximum_margin::separate;
use super::multiplicative::LEAST_EXPONENT;
use super::multipliers::Multipliers;
use super::path::Path;
use super::{Ask, CertifiedRun, Chosen, NoCertificate};
use crate::certificate::NotApplicable;
use crate::certificate::alma::AlmaBound;
use crate::dual::named::AnyRegulariser;
use crate::dual::regulariser::p_norm::PNormRegulariser;

impl Ask<'_, '_> {
    pub(super) fn alma(&self, p: f64, alpha: f64) -> Result<CertifiedRun, NoCertificate> {
        let rows = self.run.rows;
        let over_norm = |i: usize| match rows.row(i).norm(p) {
            norm if norm > 0.0 => 1.0 / norm,
            _ => 1.0,
        };
        let over_norms: Vec<f64> = (0..rows.len()).map(over_norm).collect();
        let unit = rows.scaled(&over_norms);
        let aims = self.trials.aims.clone();
        let mut path = Path::linear(&unit, aims, self.options()).of(self.given());
        if p > 2.0 {
            let q = (p / (p - 1.0)).max(LEAST_EXPONENT);
            path = path.regularised(AnyRegulariser::PNorm(PNormRegulariser::new(q)), q);
        }
        path.count_once();
        let (found, solves) = separate(&mut path);
        let mut chosen = Chosen::new(found.ok_or(NotApplicable::NotSeparated)?, None, solves);
        let alma = AlmaBound { p, alpha };
        let certificate = alma.certify(&self.trials.past, chosen.slots())?;
        let term = |name: &str| certificate.ingredient(name).unwrap_or(0.0);
        let (margin, norm, bound) = (term("margin"), term("norm"), certificate.bound);
        let square = path.least(&Multipliers::separating);
        chosen.least = square.map(|square| alma.bound_for(square.sqrt()));
        let rival = self.rival(&chosen.vector);
        let curve = self.curve(&rival, |_, _, _| bound);
        Ok(CertifiedRun {
            curve,
            norm,
            // rows have length 1
            separable: Some((margin, 1.0 / (margin * margin))),
            ..self.answer(certificate, (&chosen, &rival), 0.0, "margin", true)
        })
    }
}
