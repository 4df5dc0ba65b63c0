//! A path that is followed pass by pass, from what the learner did.

use std::iter::zip;

use super::super::multipliers::Multipliers;
use super::vector::{CandidateVector, PathVector, length};
use super::{ComparatorSpace, Path};
use crate::dual::loss::AnyLoss;
use crate::dual::loss::margin::Margin;
use crate::dual::named::AnyRegulariser;
use crate::dual::{Problem, Pursuit, Settings};

impl<'r> Path<'r> {
    /// The problem of the path, where mu may move after every pass: the work is limited, the norm is that of the rows' own space, and the problem suits it.
    pub(in crate::certify) fn pursued(&self) -> Option<Problem<'r>> {
        match (&self.space, &self.by) {
            (ComparatorSpace::Linear(problem), AnyRegulariser::Square(_))
                if self.is_large && self.given.is_none() && Pursuit::suits(problem) =>
            {
                Some(problem.with_aims(self.aims.clone()))
            }
            _ => None,
        }
    }

    /// Follows a path of the hinge loss from mu and these multipliers on.
    pub(in crate::certify) fn pursuit<'p>(
        &self,
        problem: &'p Problem<'p>,
        mu: f64,
        start: Vec<f64>,
    ) -> Pursuit<'p> {
        let lambda = mu / problem.len() as f64;
        let Settings { seed, threads, .. } = self.settings;
        Pursuit::new(problem, Margin::HINGE, lambda, start, (seed, threads))
    }

    /// A pass was made; says whether there may be another.
    pub(in crate::certify) fn passed(&self) -> bool {
        self.budget.spend(self.pass);
        self.goes_on()
    }

    /// The sum of multipliers, each times the weight of its row.
    pub(in crate::certify) fn weighted_sum(&self, a: &[f64]) -> f64 {
        zip(&*self.aims, a).map(|(aim, a)| aim.weight * a).sum()
    }

    /// Remembers where a pursuit has come for this mu: what it says about the least bound, and for solves to begin with.
    pub(in crate::certify) fn pursued_to(&mut self, pursuit: &Pursuit<'_>, mu: f64) {
        let a = zip(&*self.aims, pursuit.dual());
        let weighted = a.map(|(aim, a)| (aim.weight, aim.weight * a));
        let norm = length(pursuit.weights(), self.exponent);
        self.multipliers.push(Multipliers::new(weighted, mu * norm));
        let loss = AnyLoss::Margin(Margin::HINGE);
        self.last = Some((loss, pursuit.dual().to_vec()));
        self.is_pursued = true;
    }

    /// The vector of a pursuit.
    pub(in crate::certify) fn found_by(&self, pursuit: &Pursuit<'_>) -> CandidateVector {
        self.budget.spend(self.pass);
        let found = CandidateVector {
            margins: pursuit.margins(),
            ..self.found_roughly(pursuit)
        };
        if found.margins.iter().all(|m| m.is_finite()) {
            found
        } else {
            self.zero()
        }
    }

    /// The same without its margins.
    pub(in crate::certify) fn found_roughly(&self, pursuit: &Pursuit<'_>) -> CandidateVector {
        let norm = length(pursuit.weights(), self.exponent);
        if !norm.is_finite() {
            return self.zero();
        }
        CandidateVector {
            vector: PathVector::Slots(pursuit.weights().to_vec()),
            margins: Vec::new(),
            norm,
        }
    }
}
