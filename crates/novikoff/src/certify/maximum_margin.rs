//! ROMMA, the ideal maximum margin algorithm and the whitened perceptron: T14 to T16 and T7.

use super::path::{Found, Path, Shape};
use super::search;
use super::{Answer, Ask, Chosen};
use crate::certificate::romma::{MaximumMargin, NOT_SEPARATED, Value};
use crate::dual::loss::margin::Margin;

/// Steps towards mu = 0, and ratio of one.
const STEPS: u32 = 12;
const RATIO: f64 = 8.0;
/// A row of which a larger share is outside of what the whitened perceptron sees has no theorem.
const LOST: f64 = 1e-7;

/// So many steps that shorten U by less than this share are the last.
const ENOUGH: f64 = 1e-3;
const STALE: u32 = 2;

/// Steps without a row less on the wrong side, where a solve is cheap.
const PATIENCE: u32 = 6;

/// A vector that separates the rows, nearly as short as can be for its least margin; and how many problems were solved.
pub(super) fn separate(path: &mut Path<'_>, mu: f64) -> (Option<Found>, u32) {
    let (mut mu, mut solves) = (mu, 0);
    let patience = if path.is_large() { 2 } else { PATIENCE };
    let mut best: Option<(f64, Found)> = None;
    let (mut fewest, mut idle, mut stale) = (usize::MAX, 0, 0);
    for _ in 0..STEPS {
        mu /= RATIO;
        let found = path.solve(mu, Margin::HINGE);
        solves += 1;
        let shape = path.shape(&found, 1.0);
        if shape.least > 0.0 {
            let ratio = shape.norm / shape.least;
            let before = best.as_ref().map(|(ratio, _)| *ratio);
            if before.is_none_or(|before| ratio < before) {
                best = Some((ratio, found));
            }
            // solutions are not exact: one step without gain says little
            let gains = before.is_none_or(|before| ratio <= before * (1.0 - ENOUGH));
            stale = if gains { 0 } else { stale + 1 };
            if stale >= STALE {
                break;
            }
            continue;
        }
        if best.is_some() {
            stale += 1;
            if stale >= STALE {
                break;
            }
            continue;
        }
        let wrong = path.wrong(&found);
        if wrong < fewest {
            (fewest, idle) = (wrong, 0);
        } else {
            idle += 1;
        }
        if idle >= patience {
            break;
        }
    }
    (best.map(|(_, found)| found), solves)
}

impl Ask<'_, '_> {
    pub(super) fn romma(&self, aggressive: bool, noise: f64) -> Result<Answer, String> {
        let theorem = MaximumMargin { aggressive, noise };
        let mut path = self.path();
        let (found, solves) = if noise > 0.0 {
            // sum xi^2 + noise |U|^2 over the examples, each once
            path.count_once();
            let mut found = path.solve(2.0 * noise, Margin::SQUARED_HINGE);
            let sum = |s: &Shape| s.norm * s.norm + s.slacks / noise;
            search::fit(&mut path, &mut found, &sum);
            (Some(found), 1)
        } else {
            let mu = path.mean_square();
            separate(&mut path, mu)
        };
        let Some(found) = found else {
            return Err(NOT_SEPARATED.to_owned());
        };
        let chosen = Chosen::new(found, solves);
        let rival = self.rival(&chosen.vector);
        let trials = self.trials.past.iter().zip(&self.trials.row);
        let values = trials.zip(rival.values()).zip(&self.trials.place);
        let values: Vec<Value> = values
            .map(|(((t, &row), &of_u), &place)| Value {
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
        let certificate = certificate.map_err(str::to_owned)?;
        let term = |name: &str| certificate.term(name).unwrap_or(0.0);
        let (longest, norm_sq) = (term("longest"), term("norm_sq"));
        let separable = (noise == 0.0).then(|| (1.0 / norm_sq.sqrt(), longest * norm_sq));
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
        let mut answer = self.answer(certificate, &chosen, (0.0, "norm"), false);
        (answer.curve, answer.separable) = (curve, separable);
        // without noise that of U over its least margin
        answer.norm = norm_sq.sqrt();
        Ok(answer)
    }

    pub(super) fn whitened(&self, ridge: f64) -> Result<Answer, String> {
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
            return Err(format!(
                "the matrix of the rows is nearly singular, so that the learner sees only a part of some rows; use ridge={enough:.0e} or more"
            ));
        }
        let aims = self.trials.aims.clone();
        let path = Path::metric(rows, (matrix, ridge.max(least)), aims, self.manner());
        let mut path = path.of(self.run.given);
        let mu = path.mean_square();
        let (found, solves) = separate(&mut path, mu);
        let Some(found) = found else {
            return Err(whitened::NOT_SEPARATED.to_owned());
        };
        let chosen = Chosen::new(found, solves);
        let data = (0..rows.len()).map(|i| rows.row(i));
        let past = &self.trials.past;
        let certificate = whitened::certify((ridge, leverage), past, data, chosen.slots());
        let certificate = certificate.map_err(str::to_owned)?;
        let bound = certificate.bound;
        let rival = self.rival(&chosen.vector);
        let curve = self.curve(&rival, |_, _, _| bound);
        let mut answer = self.answer(certificate, &chosen, (0.0, "norm"), false);
        answer.curve = curve;
        Ok(answer)
    }
}
