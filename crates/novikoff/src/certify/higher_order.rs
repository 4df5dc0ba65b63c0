//! The higher-order perceptron: T12 and T13, on rows transformed as they were at their trials.
//! Theory: docs/theory/higher-order.md.

use super::multiplicative::LEAST_EXPONENT;
use super::multipliers::Multipliers;
use super::path::{BoundInputs, Path, push};
use super::search::{self, Goal};
use super::{Ask, CertifiedRun, Chosen, NoCertificate};
use crate::catalog::higher;
use crate::certificate::higher_order;
use crate::dual::Aim;
use crate::dual::loss::margin::Margin;
use crate::dual::named::AnyRegulariser;
use crate::dual::regulariser::p_norm::PNormRegulariser;
use crate::rows::Rows;

/// Multiplications that transforming all rows may take.
const WORK: f64 = 4e9;

impl Ask<'_, '_> {
    pub(super) fn higher_order(&self) -> Result<CertifiedRun, NoCertificate> {
        let by = higher(self.run.parameters);
        let past = &self.trials.past;
        let updates = past.iter().filter(|t| t.updated).count() as f64;
        let values: f64 = past.iter().map(|t| t.x.len() as f64).sum();
        let slots = self.run.rows.slots() as f64;
        let bytes = 8.0 * slots * past.len() as f64;
        if updates * values > WORK || bytes > self.run.memory as f64 {
            return Err(NoCertificate::Transforms);
        }
        let nothing = higher_order::certify(&by, past, &[])?;
        let term = |name: &str| nothing.ingredient(name).unwrap_or(0.0);
        let euclidean = nothing.theorem == "T12";
        let mut rows = Rows::new();
        let mut aims = Vec::new();
        let weigh = !euclidean;
        higher_order::transform(&by, past, |image, r, y| {
            push(&mut rows, image);
            aims.push(Aim {
                sign: y.sign(),
                target: 1.0,
                weight: if weigh { r.max(0.0) } else { 1.0 },
            });
        });
        let path = Path::instead(rows, aims.into(), self.options()).of(self.given());
        let (alpha, least) = (term("alpha"), term("least"));
        let more = 2.0 * by.margin;
        let (size, root) = if euclidean {
            let longest = term("longest");
            let c = term("c");
            ((longest * longest + more / (2.0 - c)).sqrt(), 0.0)
        } else {
            let squares = (by.p - 1.0) * term("squares");
            (0.0, (squares + more * term("weights")).sqrt())
        };
        let solved = move |hinge: f64, norm: f64| {
            if euclidean {
                let (l, b) = (alpha * hinge, alpha * norm * size);
                let root = f64::midpoint(b, (b * b + 4.0 * l).sqrt());
                root * root
            } else {
                (hinge + norm * root) / least
            }
        };
        let mut path = if euclidean || by.p == 2.0 {
            path
        } else {
            let q = (by.p / (by.p - 1.0)).max(LEAST_EXPONENT);
            path.regularised(AnyRegulariser::PNorm(PNormRegulariser::new(q)), q)
        };
        let bound = |shape: &BoundInputs| solved(shape.hinge, shape.norm);
        let mu = path.mean_square();
        let says = |m: &Multipliers| {
            if euclidean {
                // that of L scaled by alpha
                let scaled = Multipliers {
                    sum: alpha * m.sum,
                    norm: alpha * m.norm,
                    ..*m
                };
                scaled.solved(alpha * size)
            } else {
                m.sum_of_loss_and_norm(root) / least
            }
        };
        let goal = Goal {
            bound: &bound,
            least: Some(&says),
        };
        let best = search::best(&mut path, Margin::HINGE, mu, self.effort, goal);
        let found = if best.bound < nothing.bound {
            best.found
        } else {
            path.zero()
        };
        let mut chosen = Chosen::new(found, best.least, best.solves);
        let slacks = path.each_slack(chosen.slots());
        let certificate = higher_order::certify(&by, past, chosen.slots());
        let certificate = certificate?;
        let term = |name: &str| certificate.ingredient(name).unwrap_or(0.0);
        let norm = term("norm");
        let same = certificate.theorem == nothing.theorem;
        chosen.least = chosen.least.filter(|_| same);
        let (mut hinge, whole) = (0.0, certificate.bound);
        let rival = self.rival(&chosen.vector);
        let curve = self.curve(&rival, |k, _, _| {
            hinge += slacks[k];
            if same { solved(hinge, norm) } else { whole }
        });
        let hinge = if certificate.theorem == "T12" {
            (term("alpha") * term("hinge")).min(certificate.bound)
        } else {
            term("hinge") / term("least")
        };
        let (chosen, updates) = ((&chosen, &rival), by.margin > 0.0);
        let mut answer = self.answer(certificate, chosen, hinge, "norm", updates);
        (answer.curve, answer.norm) = (curve, norm);
        Ok(answer)
    }
}
