//! ROMMA, the ideal maximum margin algorithm and the whitened perceptron: T14 to T16 and T7.
//! Theory: docs/theory/romma.md, docs/theory/whitened.md.

use super::hull;
use super::multipliers::Multipliers;
use super::path::{BoundInputs, CandidateVector, Path};
use super::points::Points;
use super::reweighted::nearest_in_norm;
use super::search;
use super::{Ask, CertifiedRun, Chosen, NoCertificate};
use crate::certificate::NotApplicable;
use crate::certificate::romma::{KernelTrial, MaximumMargin};
use crate::dual::loss::margin::Margin;

/// Steps towards mu = 0 where the work is limited, and ratio of one.
const STEPS: u32 = 12;
const RATIO: f64 = 8.0;
/// The search ends after this many steps without a gain; one that shortens U by a smaller share is none.
const PATIENCE: u32 = 3;
const ENOUGH: f64 = 1e-3;

/// No theorem covers a row with a larger share outside of what the whitened perceptron sees.
const LOST: f64 = 1e-7;

/// A vector that separates the rows, of the largest margin for its length or as near to it as the path says; and how many problems
/// were solved.
pub(super) fn separate(path: &mut Path<'_>) -> (Option<CandidateVector>, u32) {
    if path.is_given() {
        let found = path.solve(1.0, Margin::HINGE);
        let separates = path.shape(&found, 1.0).least > 0.0;
        return (separates.then_some(found), 1);
    }
    if path.is_large() {
        return separate_along(path);
    }
    let of = &*path;
    let goes_on = &mut |work: f64| {
        of.spend(work);
        of.goes_on()
    };
    let exponent = of.dual_exponent();
    let nearest = if exponent == 2.0 {
        hull::nearest(&mut Points::new(of, None), goes_on)
    } else {
        nearest_in_norm(of, exponent, goes_on)
    };
    let Some(nearest) = nearest else {
        return (None, 1);
    };
    // the nearest point says most about the best margin
    let last = path.found_at(&nearest.shares);
    let margin = |path: &Path<'_>, found: &CandidateVector| {
        let shape = path.shape(found, 1.0);
        shape.least / shape.norm
    };
    let mut best = Some(last).filter(|last| margin(path, last) > 0.0);
    if let Some(shares) = nearest.separating {
        let found = path.found_at(&shares);
        let before = best.as_ref().map_or(0.0, |best| margin(path, best));
        if margin(path, &found) > before {
            best = Some(found);
        }
    }
    (best, 1)
}

/// A vector that separates the rows, if work is limited: solutions for smaller and smaller mu, each beginning where the last one ended.
fn separate_along(path: &mut Path<'_>) -> (Option<CandidateVector>, u32) {
    // a margin is as good as the least of all rows
    path.solve_well();
    let (mut mu, mut solves) = (path.mean_square(), 0);
    let mut best: Option<(f64, CandidateVector)> = None;
    let (mut fewest, mut idle) = (usize::MAX, 0);
    while solves < STEPS && idle < PATIENCE && path.goes_on() {
        mu /= RATIO;
        let found = path.solve(mu, Margin::HINGE);
        solves += 1;
        let shape = path.shape(&found, 1.0);
        idle += 1;
        if shape.least > 0.0 {
            let ratio = shape.norm / shape.least;
            let before = best.as_ref().map_or(f64::INFINITY, |(ratio, _)| *ratio);
            // solutions are not exact: one step without gain says little
            if ratio <= before * (1.0 - ENOUGH) {
                idle = 0;
            }
            if ratio < before {
                best = Some((ratio, found));
            }
        } else if best.is_none() && path.wrong(&found) < fewest {
            (fewest, idle) = (path.wrong(&found), 0);
        }
    }
    (best.map(|(_, found)| found), solves)
}

/// Scales a vector that separates the rows so that its least `y U.x` is 1, as the theorems have it.
fn one_at_least(path: &Path<'_>, found: &mut CandidateVector) {
    let least = path.shape(found, 1.0).least;
    // no rounding leaves a hinge loss
    let scale = (1.0 + 1e-12) / least;
    if scale.is_finite() && scale > 0.0 {
        found.scale(scale);
    }
}

impl Ask<'_, '_> {
    pub(super) fn romma(
        &self,
        aggressive: bool,
        noise: f64,
    ) -> Result<CertifiedRun, NoCertificate> {
        let theorem = MaximumMargin { aggressive, noise };
        let mut path = self.path();
        let (found, solves) = if noise > 0.0 {
            // sum xi^2 + noise |U|^2 over the examples, each once
            path.count_once();
            let mut found = path.solve_once(2.0 * noise, Margin::SQUARED_HINGE);
            let sum = |s: &BoundInputs| s.norm * s.norm + s.slacks / noise;
            search::fit(&mut path, &mut found, &sum);
            (Some(found), 1)
        } else {
            separate(&mut path)
        };
        let Some(mut found) = found else {
            return Err(NotApplicable::DoesNotSeparate.into());
        };
        if noise == 0.0 {
            one_at_least(&path, &mut found);
        }
        let least = if noise > 0.0 {
            let says = |m: &Multipliers| m.square_and_squares(1.0 / noise);
            path.least_of_solved(1.0 / noise, &says)
        } else {
            path.least(&Multipliers::separating)
        };
        let mut chosen = Chosen::new(found, None, solves);
        let rival = self.rival(&chosen.vector);
        let trials = self.trials.past.iter().zip(&self.trials.row);
        let values = trials.zip(rival.values()).zip(&self.trials.place);
        let values: Vec<KernelTrial> = values
            .map(|(((t, &row), &of_u), &place)| KernelTrial {
                norm_sq: self.trials.norms[row as usize],
                of_u,
                y: t.y,
                margin: if self.run.page.mistakes.get(place as usize) {
                    -t.y.sign()
                } else {
                    t.y.sign()
                },
                id: Some(u64::from(row)),
            })
            .collect();
        let certificate = theorem.certify_values(&values, rival.norm_sq().value());
        let certificate = certificate?;
        let term = |name: &str| certificate.ingredient(name).unwrap_or(0.0);
        let (longest, norm_sq) = (term("longest"), term("norm_sq"));
        let separable = (noise == 0.0).then(|| (1.0 / norm_sq.sqrt(), longest * norm_sq));
        // the bound is |U|^2 times what does not depend on U
        chosen.least = least.map(|least| certificate.bound * least / norm_sq);
        let (mut n, mut inverses) = (0.0, 0.0);
        let curve = self.curve(&rival, |k, t, _| {
            if values[k].margin * t.y.sign() < 0.0 {
                n += 1.0;
                inverses += 1.0 / (values[k].norm_sq + noise);
            }
            // what can be known beforehand, until there is a mistake
            if n > 0.0 {
                n * norm_sq / inverses * (1.0 + 1e-8)
            } else {
                longest * norm_sq
            }
        });
        let mut answer = self.answer(certificate, (&chosen, &rival), 0.0, "norm", false);
        (answer.curve, answer.separable) = (curve, separable);
        Ok(answer)
    }

    pub(super) fn whitened(&self, ridge: f64) -> Result<CertifiedRun, NoCertificate> {
        use crate::certificate::whitened;
        use crate::linalg;

        let rows = self.run.rows;
        if !self.is_affordable(rows.slots()) {
            return Err(super::second_order::too_wide(rows.slots()));
        }
        let mut matrix = Vec::new();
        linalg::triangle_grow_zero(&mut matrix, rows.slots());
        let trace: f64 = (0..rows.len())
            .map(|i| {
                linalg::triangle_add_outer(&mut matrix, &rows.row(i).iter());
                rows.row(i).norm_sq()
            })
            .sum();
        let least = 1e-10 * trace / rows.slots() as f64;
        let inverted = linalg::pseudoinverse(&matrix, ridge);
        let square = |i: usize| {
            rows.row(i).dot(&linalg::triangle_times(
                &inverted.inverse,
                rows.row(i).iter(),
            ))
        };
        let leverage = (0..rows.len()).map(square).fold(0.0, f64::max);
        // eigenvalues are wrong by a few units in the last place of the largest
        let wrong = rows.slots() as f64 * 16.0 * f64::EPSILON * inverted.largest / inverted.least;
        let leverage = leverage * (1.0 + wrong);
        // what M^+ leaves out, the learner never sees
        let lost = |i: usize| {
            let x = rows.row(i);
            let parts = inverted.left_out.iter().map(|q| x.dot(q));
            parts.map(|part| part * part).sum::<f64>() > LOST * LOST * x.norm_sq()
        };
        if self.trials.met().any(lost) {
            // twice as much as it takes, for the digits that are left out here
            let enough = 2.0 * linalg::RELATIVE_RANK_TOLERANCE * inverted.largest;
            return Err(NoCertificate::NearlySingular { ridge: enough });
        }
        let aims = self.trials.aims.clone();
        let path = Path::metric(rows, matrix, ridge.max(least), aims, self.options());
        let mut path = path.of(self.given());
        let (found, solves) = separate(&mut path);
        let Some(mut found) = found else {
            return Err(NotApplicable::NotSeparated.into());
        };
        one_at_least(&path, &mut found);
        let mut chosen = Chosen::new(found, None, solves);
        let data = (0..rows.len()).map(|i| rows.row(i));
        let past = &self.trials.past;
        let certificate = whitened::certify((ridge, leverage), past, data, chosen.slots());
        let certificate = certificate?;
        let bound = certificate.bound;
        // what was added to have a factor makes U'MU larger by at most this share, on all that the learner sees
        let added = (least - ridge).max(0.0);
        let inverse = &inverted.inverse;
        let diagonal = (0..linalg::triangle_order(inverse)).map(|i| inverse[i * (i + 3) / 2]);
        let more = 1.0 + added * diagonal.sum::<f64>();
        let term = |name: &str| certificate.ingredient(name).unwrap_or(0.0);
        let square = path.least(&Multipliers::separating);
        chosen.least = square.map(|square| term("leverage") * square / more);
        let rival = self.rival(&chosen.vector);
        let curve = self.curve(&rival, |_, _, _| bound);
        let mut answer = self.answer(certificate, (&chosen, &rival), 0.0, "norm", false);
        answer.curve = curve;
        Ok(answer)
    }
}
