//! The p-norm perceptron, exponentiated gradient, balanced Winnow and Winnow: T4 to T6.
//! Theory: docs/theory/p-norm-winnow.md.

use std::sync::Arc;

use super::multipliers::Multipliers;
use super::path::{BoundInputs, Path, PathVector};
use super::search::{self, Goal};
use super::{Ask, CertifiedRun, Chosen, NoCertificate};
use crate::certificate::NotApplicable;
use crate::certificate::eg::EgBound;
use crate::certificate::p_norm::PNormBound;
use crate::certificate::winnow::WinnowBound;
use crate::dual::Problem;
use crate::dual::loss::margin::Margin;
use crate::dual::named::AnyRegulariser;
use crate::dual::regulariser::p_norm::PNormRegulariser;
use crate::dual::regulariser::separable::Separable;
use crate::dual::regulariser::separable::non_negative::NonNegative;
use crate::dual::regulariser::separable::piecewise::Piecewise;
use crate::label::Label;
use crate::rows::Rows;

/// Exponents of the regulariser are not smaller than this.
pub(super) const LEAST_EXPONENT: f64 = 1.0005;

/// How often the small square beside the 1-norm is made smaller, and by how much.
const SHRINKS: u32 = 4;
const SHRINK: f64 = 0.1;

/// Steps towards the weights of least sum, how long they are, and what a unit of hinge loss costs beside a unit of the sum.
const STEPS: u32 = 30;
const STRIDE: f64 = 0.5;
const PENALTY: f64 = 100.0;

impl Ask<'_, '_> {
    pub(super) fn p_norm(&self, p: f64, margin: f64) -> CertifiedRun {
        let theorem = PNormBound { p, margin };
        let past = &self.trials.past;
        let nothing = theorem.certify(past, &[]);
        let squares = nothing.ingredient("squares").unwrap_or(0.0);
        let kappa = ((p - 1.0) * squares + 2.0 * margin * nothing.counted as f64).sqrt();
        let q = (p / (p - 1.0)).max(LEAST_EXPONENT);
        let by = AnyRegulariser::PNorm(PNormRegulariser::new(q));
        let path = Path::linear(self.run.rows, self.trials.aims.clone(), self.options());
        let mut path = path.regularised(by, q).of(self.given());
        let mu = path.mean_square();
        let bound = |shape: &BoundInputs| shape.hinge + kappa * shape.norm;
        let goal = Goal {
            bound: &bound,
            least: Some(&|m: &Multipliers| m.sum_of_loss_and_norm(kappa)),
        };
        let best = search::best(&mut path, Margin::HINGE, mu, self.effort, goal);
        let found = if best.bound < past.len() as f64 {
            best.found
        } else {
            path.zero()
        };
        let chosen = Chosen::new(found, best.least, best.solves);
        let certificate = theorem.certify(past, chosen.slots());
        let rival = self.rival(&chosen.vector);
        let norm = certificate.ingredient("norm").unwrap_or(0.0);
        let (mut hinge, mut squares, mut n) = (0.0, 0.0, 0.0);
        let curve = self.curve(&rival, |_, t, xi| {
            hinge += xi;
            if t.updated {
                let length = t.x.norm(p);
                squares += length * length;
                n += 1.0;
            }
            hinge + norm * ((p - 1.0) * squares + 2.0 * margin * n).sqrt()
        });
        let hinge = certificate.ingredient("hinge").unwrap_or(0.0);
        let mut answer = self.answer(certificate, (&chosen, &rival), hinge, "norm", margin > 0.0);
        (answer.curve, answer.norm) = (curve, norm);
        answer
    }

    pub(super) fn eg(&self, eta: f64) -> CertifiedRun {
        let theorem = EgBound { eta };
        let past = &self.trials.past;
        let features = self.features();
        let nothing = theorem.certify(past, features, &[]);
        let squares = nothing.ingredient("squares").unwrap_or(0.0);
        let start = theorem.start(features);
        let kappa = start + eta / 2.0 * squares;
        let bound = |shape: &BoundInputs| shape.hinge + kappa * shape.norm;
        let aims = self.trials.aims.clone();
        let mut best = (past.len() as f64, None);
        let mut least: Option<f64> = None;
        // L + kappa (|U|_1 + (eps/2) |U|^2), for smaller and smaller eps
        let mut eps = 1.0 / self.largest_entry().max(f64::MIN_POSITIVE);
        let mut solves = 0;
        for _ in 0..SHRINKS {
            let by = AnyRegulariser::Piecewise(Separable(Piecewise::elastic(1.0, eps)));
            let path = Path::linear(self.run.rows, aims.clone(), self.options());
            let mut path = path.regularised(by, 1.0).of(self.given());
            let mut found = path.solve(kappa, Margin::HINGE);
            search::fit(&mut path, &mut found, &bound);
            solves += 1;
            let value = bound(&path.shape(&found, 1.0));
            let before = best.0;
            if value < before {
                best = (value, Some(found.vector));
            }
            let says = path.least(&|m: &Multipliers| m.sum_of_loss_and_norm(kappa));
            least = [least, says].into_iter().flatten().reduce(f64::max);
            if !path.goes_on() {
                break;
            }
            if self.effort == search::Effort::Quick || value > before * (1.0 - 1e-3) && solves > 1 {
                break;
            }
            eps *= SHRINK;
        }
        let u = match best.1 {
            Some(PathVector::Slots(u)) => u,
            _ => Vec::new(),
        };
        let certificate = theorem.certify(past, features, &u);
        let norm = certificate.ingredient("norm").unwrap_or(0.0);
        let chosen = Chosen::by_slot(u, least, solves);
        let rival = self.rival(&chosen.vector);
        let (mut hinge, mut squares) = (0.0, 0.0);
        let curve = self.curve(&rival, |_, t, xi| {
            hinge += xi;
            if t.updated {
                squares += t.x.norm_inf() * t.x.norm_inf();
            }
            hinge + norm * (start + eta / 2.0 * squares)
        });
        let hinge = certificate.ingredient("hinge").unwrap_or(0.0);
        let mut answer = self.answer(certificate, (&chosen, &rival), hinge, "entropy", false);
        (answer.curve, answer.norm) = (curve, norm);
        answer
    }

    /// How many slots some row has a value in.
    fn features(&self) -> usize {
        let mut met = vec![false; self.run.rows.slots()];
        for i in self.trials.met() {
            for (j, _) in self.run.rows.row(i).iter() {
                met[j] = true;
            }
        }
        met.iter().filter(|met| **met).count()
    }

    fn largest_entry(&self) -> f64 {
        let rows = self.trials.met().map(|i| self.run.rows.row(i).norm_inf());
        rows.fold(0.0, f64::max)
    }

    pub(super) fn winnow(&self, alpha: f64, theta: f64) -> Result<CertifiedRun, NoCertificate> {
        let theorem = WinnowBound { alpha, theta };
        let past = &self.trials.past;
        theorem.fits(past)?;
        let (mu, norm, solves) = self.least_sum(&theorem)?;
        let features = self.features();
        let certificate = theorem.certify(past, features, &mu);
        let certificate = certificate?;
        let chosen = Chosen::by_slot(mu, None, solves);
        let bound = certificate.bound;
        let rival = self.rival(&chosen.vector);
        let curve = self.curve(&rival, |_, _, _| bound);
        let mut answer = self.answer(certificate, (&chosen, &rival), 0.0, "entropy", false);
        (answer.curve, answer.norm, answer.hinge) = (curve, norm, None);
        Ok(answer)
    }

    /// Weights that are not negative, of nearly the least sum, with a sum of at least 1 on all rows of +1 and of at most `1 - del` on the
    /// others: by proximal steps. Their sum and the number of solves beside them.
    fn least_sum(&self, theorem: &WinnowBound) -> Result<(Vec<f64>, f64, u32), NoCertificate> {
        let (rows, del) = (self.run.rows, theorem.gap());
        let slots = rows.slots();
        let mut aims = self.trials.aims.to_vec();
        let is_positive = |i: usize| Label::of(rows.aims()[i].sign) == Label::Pos;
        // where nothing is allowed on rows of -1, their features have no weight
        let mut barred = vec![false; slots];
        for i in self.trials.met() {
            aims[i].weight = 1.0;
            if is_positive(i) {
                continue;
            }
            if del >= 1.0 {
                rows.row(i).iter().for_each(|(j, _)| barred[j] = true);
                aims[i].weight = 0.0;
            } else {
                aims[i].target = -(1.0 - del);
            }
        }
        let mut allowed = Rows::new();
        for i in 0..rows.len() {
            for (slot, _) in rows.row(i).iter().filter(|(j, _)| !barred[*j]) {
                allowed.push(slot as u32, 1.0);
            }
            allowed.end_row(0);
        }
        let allowed = Problem::new(allowed.view(), Vec::new(), aims.clone());
        let aims = Arc::new(aims);
        let mut prior = vec![0.0; slots];
        let mut best: Option<(f64, Vec<f64>)> = None;
        let mut solves = 0;
        for _ in 0..STEPS {
            for prior in &mut prior {
                *prior -= STRIDE;
            }
            let by = NonNegative::new(Arc::from(prior.clone()));
            let by = AnyRegulariser::NonNegative(Separable(by));
            let path = Path::linear(&allowed, Arc::clone(&aims), self.options());
            let mut path = path.regularised(by, 1.0).of(self.given());
            let found = path.solve(1.0 / (STRIDE * PENALTY), Margin::HINGE);
            solves += 1;
            let PathVector::Slots(mut mu) = found.vector else {
                break;
            };
            mu.resize(slots, 0.0);
            prior.copy_from_slice(&mu);
            let before = best.as_ref().map(|(sum, ..)| *sum);
            for mu in candidates(&mu) {
                let sum: f64 = mu.iter().sum();
                let better = best.as_ref().is_none_or(|(best, ..)| sum < *best);
                if better && theorem.separates(&self.trials.past, &mu) {
                    best = Some((sum, mu));
                }
            }
            let after = best.as_ref().map(|(sum, ..)| *sum);
            if before.is_some() && after >= before.map(|before| before * (1.0 - 1e-4)) {
                break;
            }
        }
        let (sum, mu) = best.ok_or(NotApplicable::NoWeights)?;
        Ok((mu, sum, solves))
    }
}

/// Weights, a little more of them, and those nearest to them that are fractions with a small denominator: of rows of zeros and ones the best weights often
/// are, and then nothing is left for rounding.
fn candidates(mu: &[f64]) -> impl Iterator<Item = Vec<f64>> {
    let more = [1.0, 1.0001, 1.001, 1.01].into_iter();
    let more = more.map(|s| mu.iter().map(|mu| s * mu).collect());
    let fractions = (1..=12).map(|n| {
        let n = f64::from(n);
        mu.iter().map(|mu| (mu * n).round() / n).collect()
    });
    more.chain(fractions)
}
