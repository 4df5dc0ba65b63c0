//! Solutions of a path: one problem after another, each beginning where the last one ended.

use std::iter::zip;

use super::super::comparator::GivenComparator;
use super::super::multipliers::Multipliers;
use super::vector::{BoundInputs, CandidateVector, PathVector, length, plain};
use super::{ComparatorSpace, GAP, LEAST_GAP, Path, ROUGH_GAP, SHARE, SHARPER};
use crate::dual::loss::margin::Margin;
use crate::dual::loss::{AnyLoss, Logistic};
use crate::dual::named::AnyRegulariser;
use crate::dual::regulariser::Regulariser as _;
use crate::dual::{Method, Problem, Report, Settings, Solution, solve_by_name, solve_in_kernel};
use crate::inexact::Inexact;
use crate::linalg;

/// The length of the sum of rows that an ascent with the square ended at: its weights are that sum, but for the weight of a constant feature.
pub(super) fn norm_of_sum(problem: &Problem<'_>, solution: &Solution) -> f64 {
    let mut sum = solution.weights.clone();
    let coefficients = solution.coefficients.iter().enumerate();
    if let Some(first) = sum.first_mut().filter(|first| **first != 0.0) {
        *first = coefficients.map(|(i, c)| c * problem.constant(i)).sum();
    }
    length(&sum, 2.0)
}

impl Path<'_> {
    /// The minimiser for mu, one of several.
    pub(in crate::certify) fn solve(&mut self, mu: f64, loss: Margin) -> CandidateVector {
        self.solve_within(mu, AnyLoss::Margin(loss), SHARE)
    }

    /// The minimiser for mu, the only one that is needed.
    pub(in crate::certify) fn solve_once(&mut self, mu: f64, loss: Margin) -> CandidateVector {
        self.solve_well();
        self.solve_within(mu, AnyLoss::Margin(loss), 1.0)
    }

    /// The minimiser of the log loss for mu, one of several.
    pub(in crate::certify) fn solve_logistic(&mut self, mu: f64) -> CandidateVector {
        self.solve_within(mu, AnyLoss::Logistic(Logistic), SHARE)
    }

    /// The minimiser for mu, as good as a share of the work that is left allows.
    fn solve_within(&mut self, mu: f64, loss: AnyLoss, share: f64) -> CandidateVector {
        if let Some(given) = self.given {
            return self.found_given(given);
        }
        let lambda = mu / self.aims.len() as f64;
        if !(lambda > 0.0 && lambda.is_finite() && (self.goes_on)()) {
            return self.zero();
        }
        let start = self.last.take().filter(|(of, _)| *of == loss);
        let solution = self.solution(
            lambda,
            loss,
            start.as_ref().map(|(_, a)| a.as_slice()),
            share,
        );
        self.last = Some((loss, solution.dual.clone()));
        let rows = self.aims.len() as f64;
        self.objective = Some(rows * solution.report.certificate.dual);
        let norm = match (&self.space, &self.by, solution.report.method) {
            (
                ComparatorSpace::Linear(problem),
                AnyRegulariser::Square(_),
                Method::Ascent | Method::Both,
            ) => Some(norm_of_sum(problem, &solution)),
            _ => self.dual_norm(&solution.coefficients),
        };
        let a = zip(&*self.aims, &solution.dual);
        let weighted = a.map(|(aim, a)| (aim.weight, aim.weight * a));
        if let Some(norm) = norm {
            self.multipliers.push(Multipliers::new(weighted, mu * norm));
        }
        let found = match &self.space {
            ComparatorSpace::Linear(_) | ComparatorSpace::Instead(_) => CandidateVector {
                norm: length(&solution.weights, self.exponent),
                margins: solution.margins,
                vector: PathVector::Slots(solution.weights),
            },
            _ => self.found(&solution.weights, solution.coefficients),
        };
        if found.norm.is_finite() && found.margins.iter().all(|m| m.is_finite()) {
            found
        } else {
            self.zero()
        }
    }

    /// The minimiser for a mu that is a guess: roughly, if the problem is large.
    pub(in crate::certify) fn solve_guess(&mut self, mu: f64, loss: Margin) -> CandidateVector {
        let gap = self.settings.gap;
        if self.is_large {
            self.settings.gap = gap.max(ROUGH_GAP);
        }
        let found = self.solve(mu, loss);
        self.settings.gap = gap;
        found
    }

    /// Problems are solved at least as well as small ones.
    pub(in crate::certify) fn solve_well(&mut self) {
        self.settings.gap = self.settings.gap.min(GAP);
    }

    /// Problems are solved better from now on; false if they are solved as well as they can be.
    pub(in crate::certify) fn sharpen(&mut self) -> bool {
        self.settings.gap *= SHARPER;
        self.settings.gap >= LEAST_GAP
    }

    pub(super) fn solution(
        &self,
        lambda: f64,
        loss: AnyLoss,
        start: Option<&[f64]>,
        share: f64,
    ) -> Solution {
        let goes_on = self.goes_on;
        let mut passes = 0;
        let watch = &mut |report: &Report| {
            let since = f64::from(report.passes.saturating_sub(passes));
            passes = report.passes;
            // after an ascent's passes its free variables are polished for about as long; Newton's method counts all it does
            let taken = match report.method {
                Method::Newton => since,
                Method::Ascent | Method::Both => 2.0 * since + 2.0,
            };
            self.budget.spend(self.pass * taken);
            goes_on() && !self.budget.is_spent()
        };
        let settings = Settings {
            max_passes: (self.settings.max_passes).min(self.budget.passes(self.pass / share)),
            ..self.settings
        };
        let problem = match &self.space {
            ComparatorSpace::Linear(problem) => problem.with_aims(self.aims.clone()),
            ComparatorSpace::Metric { rows, .. }
            | ComparatorSpace::Instead(rows)
            | ComparatorSpace::KernelMetric { rows, .. } => {
                Problem::new(rows.view(), Vec::new(), self.aims.to_vec())
            }
            ComparatorSpace::Summaries(_) => Problem::unseen(self.aims.clone()),
            ComparatorSpace::Kernel(gram) => {
                let problem = gram.problem().with_aims(self.aims.clone());
                return solve_in_kernel(&problem, gram, loss, lambda, start, &settings, watch);
            }
        };
        let by = self.by.clone();
        solve_by_name(&problem, loss, by, lambda, start, &settings, watch)
    }

    /// The given vector, as if it had been solved for.
    pub(super) fn found_given(&self, given: GivenComparator<'_>) -> CandidateVector {
        let u = given.slots().unwrap_or(&[]);
        let norm = match (given, &self.space) {
            (GivenComparator::Sum { norm_sq, .. }, _) => norm_sq.max(0.0).sqrt(),
            // |C'U|
            (_, ComparatorSpace::Metric { factor, .. }) => {
                let n = linalg::triangle_order(factor);
                let mut image = vec![0.0; n];
                for (i, u) in u.iter().take(n).enumerate() {
                    let row = &factor[i * (i + 1) / 2..(i + 1) * (i + 2) / 2];
                    zip(&mut image, row).for_each(|(v, c)| *v += c * u);
                }
                length(&image, 2.0)
            }
            _ => length(u, self.exponent),
        };
        let inner = |i: usize| match (&self.original, &self.space) {
            (Some(problem), _) => problem.row(i).dot(u),
            (None, ComparatorSpace::Summaries(summaries)) => summaries.values[i].value,
            (None, _) => self.row(i).dot(u),
        };
        let vector = match &self.space {
            ComparatorSpace::Summaries(_) => PathVector::Multiple(1.0),
            _ => PathVector::Slots(u.to_vec()),
        };
        let aims = self.aims.iter().enumerate();
        CandidateVector {
            vector,
            margins: aims.map(|(i, aim)| aim.sign * inner(i)).collect(),
            norm,
        }
    }

    pub(super) fn found(&self, weights: &[f64], coefficients: Vec<f64>) -> CandidateVector {
        let signed = |inner: Vec<f64>| zip(inner, &*self.aims).map(|(t, aim)| t * aim.sign);
        let inner = || (0..self.aims.len()).map(|i| self.row(i).dot(weights));
        match &self.space {
            ComparatorSpace::Kernel(gram) => {
                let c = coefficients;
                let values = gram.combine(&c);
                let norm_sq: f64 = zip(&c, &values).map(|(c, v)| c * v.value).sum();
                CandidateVector {
                    margins: signed(plain(&values)).collect(),
                    norm: norm_sq.max(0.0).sqrt(),
                    vector: PathVector::Coefficients(c, values),
                }
            }
            ComparatorSpace::KernelMetric {
                gram, ridge, back, ..
            } => {
                let c = back(&coefficients);
                let values = gram.combine(&c);
                let mut norm_sq = 0.0;
                for (i, (c, Inexact { value, .. })) in zip(&c, &values).enumerate() {
                    let times = self.updates.get(i).copied().unwrap_or(0.0);
                    norm_sq += ridge * c * value + times * value * value;
                }
                CandidateVector {
                    margins: signed(plain(&values)).collect(),
                    norm: norm_sq.max(0.0).sqrt(),
                    vector: PathVector::Coefficients(c, values),
                }
            }
            ComparatorSpace::Metric { factor, .. } => {
                let mut u = weights.to_vec();
                u.resize(linalg::triangle_order(factor), 0.0);
                linalg::solve_upper(factor, &mut u);
                let inner = (0..self.aims.len()).map(|i| match self.original {
                    Some(problem) => problem.row(i).dot(&u),
                    None => self.row(i).dot(weights),
                });
                CandidateVector {
                    margins: signed(inner.collect()).collect(),
                    norm: length(weights, 2.0),
                    vector: PathVector::Slots(u),
                }
            }
            _ => CandidateVector {
                margins: signed(inner().collect()).collect(),
                norm: length(weights, self.exponent),
                vector: PathVector::Slots(weights.to_vec()),
            },
        }
    }

    /// The vector of shares of rows, times their labels, that sum to 1; remembered for what it says about the least bound.
    pub(in crate::certify) fn found_at(&mut self, shares: &[(usize, f64)]) -> CandidateVector {
        let mut weighted = vec![0.0; self.aims.len()];
        for &(i, share) in shares {
            weighted[i] = share;
        }
        let signed = zip(&weighted, &*self.aims).map(|(share, aim)| share * aim.sign);
        let coefficients: Vec<f64> = signed.collect();
        if let Some(norm) = self.dual_norm(&coefficients) {
            let all = zip(&*self.aims, weighted).map(|(aim, share)| (aim.weight, share));
            self.multipliers.push(Multipliers::new(all, norm));
        }
        let sum = || self.sum(&coefficients);
        let weights = match (&self.space, &self.by) {
            (
                ComparatorSpace::Kernel(_)
                | ComparatorSpace::KernelMetric { .. }
                | ComparatorSpace::Summaries(_),
                _,
            ) => Vec::new(),
            (ComparatorSpace::Metric { factor, .. }, _) => {
                let mut sum = sum();
                linalg::solve_lower(factor, &mut sum);
                sum
            }
            (_, AnyRegulariser::PNorm(by)) => by.weights(&sum()),
            _ => sum(),
        };
        self.found(&weights, coefficients)
    }

    /// What bounds look at, of `s U`.
    pub(in crate::certify) fn shape(&self, found: &CandidateVector, s: f64) -> BoundInputs {
        let mut shape = BoundInputs {
            hinge: 0.0,
            slacks: 0.0,
            squares: 0.0,
            least: f64::INFINITY,
            norm: s * found.norm,
        };
        for (i, (margin, aim)) in zip(&found.margins, &*self.aims).enumerate() {
            if aim.weight > 0.0 {
                let times = self.updates.get(i).copied().unwrap_or(0.0);
                shape.squares += times * (s * margin) * (s * margin);
                let xi = (aim.target - s * margin).max(0.0);
                shape.hinge += aim.weight * xi;
                shape.slacks += aim.weight * xi * xi;
                shape.least = shape.least.min(s * margin);
            }
        }
        shape
    }

    /// The sum of rows with these coefficients, by slot, where rows are at hand; before a metric changes it.
    pub(super) fn sum(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.slots()];
        let rows = coefficients.iter().enumerate().filter(|(_, c)| **c != 0.0);
        rows.for_each(|(i, c)| self.original_row(i).add_to(*c, &mut sum));
        sum
    }

    /// The length of the sum of rows with these coefficients, in the dual norm; nothing for a regulariser that is no norm.
    pub(super) fn dual_norm(&self, coefficients: &[f64]) -> Option<f64> {
        match (&self.space, &self.by) {
            (ComparatorSpace::Summaries(_), _) | (_, AnyRegulariser::NonNegative(_)) => None,
            (ComparatorSpace::Kernel(gram), _) => {
                let values = gram.combine(coefficients);
                let square: f64 = zip(coefficients, &values).map(|(c, v)| c * v.value).sum();
                Some(square.max(0.0).sqrt())
            }
            (ComparatorSpace::Metric { factor, .. }, _) => {
                let mut sum = self.sum(coefficients);
                linalg::solve_lower(factor, &mut sum);
                Some(length(&sum, 2.0))
            }
            // that of the sum is the norm of U, which is its image
            (ComparatorSpace::KernelMetric { .. }, _) => {
                Some(self.found(&[], coefficients.to_vec()).norm)
            }
            (ComparatorSpace::Linear(_) | ComparatorSpace::Instead(_), _) => {
                let sum = self.sum(coefficients);
                Some(length(&sum, self.dual_exponent()))
            }
        }
    }
}
