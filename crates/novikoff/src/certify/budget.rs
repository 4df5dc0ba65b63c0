//! The forgetron, the projectron and the shifting perceptron.

use super::multipliers::Multipliers;
use super::path::BoundInputs;
use super::search::{self, Goal};
use super::{Ask, CertifiedRun, Chosen, NoCertificate};
use crate::certificate::budget::Limits;
use crate::certificate::{Certificate, Rival, budget, shifting};
use crate::dual::loss::margin::Margin;
use crate::online::projectron::{self, Projectron};
use crate::online::shifting::Shifting;
use crate::space::RowBudget;
use crate::space::{Primal, Support};

impl Ask<'_, '_> {
    fn forgetron_of(&self, limits: &Limits, rival: &Rival) -> Result<Certificate, NoCertificate> {
        let past = &self.trials.past;
        let certificate = if self.is_linear() {
            budget::forgetron(&Primal::default(), limits, past, rival)
        } else {
            budget::forgetron(&Support::new(self.run.kernel), limits, past, rival)
        };
        Ok(certificate?)
    }

    /// What the budget of the model left to this problem at each of its updates.
    fn limits(&self, budget: usize) -> Limits {
        if self.run.appeared.len() < 2 {
            return Limits::Constant(budget);
        }
        let (budget, appeared) = (RowBudget::shared(budget), self.run.appeared);
        let trials = self.trials.past.iter().zip(&self.trials.place);
        let updates = trials.filter(|(trial, _)| trial.updated);
        let limit = updates.map(|(_, &place)| {
            let problems = appeared.iter().filter(|&&at| at <= place).count();
            budget.of_problem(problems)
        });
        Limits::AtUpdates(limit.collect())
    }

    pub(super) fn forgetron(&self, budget: usize) -> Result<CertifiedRun, NoCertificate> {
        let limits = &self.limits(budget);
        let mut path = self.path();
        let nothing = self.forgetron_of(limits, &self.rival(&path.zero().vector))?;
        let term = |name: &str| nothing.ingredient(name).unwrap_or(0.0);
        let (whole, cost) = (1.0 + term("shrunk"), term("cost").max(0.0));
        let limit = limits.constant().unwrap_or(0);
        let size = limit as f64 + 1.0;
        let own = limit >= budget::LEAST_BUDGET;
        let longest = (size / libm::log(size)).sqrt() / 4.0;
        let bound = |shape: &BoundInputs| {
            let square = shape.norm * shape.norm;
            let measured = square * whole + 2.0 * shape.hinge + cost;
            if own && shape.norm <= longest {
                measured.min(2.0 * square + 4.0 * shape.hinge)
            } else {
                measured
            }
        };
        let says = |m: &Multipliers| {
            let measured = whole * m.square_and_loss(1.0 / whole) + cost;
            if own {
                measured.min(2.0 * m.square_and_loss(1.0))
            } else {
                measured
            }
        };
        let goal = Goal {
            bound: &bound,
            least: Some(&says),
        };
        let best = search::best(&mut path, Margin::HINGE, whole, self.effort, goal);
        let chosen = Chosen::new(best.found, best.least, best.solves);
        let rival = self.rival(&chosen.vector);
        let certificate = self.forgetron_of(limits, &rival)?;
        let norm_sq = rival.norm_sq().value();
        let by_theorem = certificate.ingredient("theorem") == Some(certificate.bound);
        // Q may fall, so every prefix has its own
        let costs = if self.is_linear() {
            budget::forgetron_costs(&Primal::default(), limits, &self.trials.past)
        } else {
            budget::forgetron_costs(&Support::new(self.run.kernel), limits, &self.trials.past)
        };
        let mut costs = costs.into_iter();
        let (mut hinge, mut cost) = (0.0, 0.0_f64);
        let curve = self.curve(&rival, |_, t, xi| {
            hinge += xi;
            if t.updated {
                cost = costs.next().unwrap_or(cost);
            }
            if by_theorem {
                2.0 * norm_sq + 4.0 * hinge
            } else {
                norm_sq * whole + 2.0 * hinge + cost.max(0.0)
            }
        });
        let times = if by_theorem { 4.0 } else { 2.0 };
        let hinge = times * certificate.ingredient("hinge").unwrap_or(0.0);
        let mut answer = self.answer(certificate, (&chosen, &rival), hinge, "norm", false);
        answer.curve = curve;
        Ok(answer)
    }

    fn projectron_of(&self, by: &Projectron, rival: &Rival) -> Result<Certificate, NoCertificate> {
        let run = self.trials.past_run();
        let certificate = if self.is_linear() {
            budget::projectron(&Primal::default(), by, run, rival)
        } else {
            budget::projectron(&Support::new(self.run.kernel), by, run, rival)
        };
        Ok(certificate?)
    }

    pub(super) fn projectron(&self, eta: f64) -> Result<CertifiedRun, NoCertificate> {
        let plus = self.run.parameters.is_on("plus");
        let by = Projectron { eta, plus };
        let mut path = self.path();
        // the rows may be too long
        let nothing = self.projectron_of(&by, &self.rival(&path.zero().vector))?;
        let near = eta.max(projectron::LEAST.sqrt());
        // the sum over the updates so far, where it bounds the mistakes
        let solved = |hinge: f64, norm: f64, squares: Option<f64>| {
            let share = 1.0 - near * norm - 1e-9;
            if share <= 0.0 {
                return f64::INFINITY;
            }
            if let Some(squares) = squares {
                return (hinge + norm * squares.sqrt()) / share;
            }
            let (l, b) = (hinge / share, norm / share);
            let root = f64::midpoint(b, (b * b + 4.0 * l).sqrt());
            root * root
        };
        let squares = nothing.ingredient("squares");
        let bound = |shape: &BoundInputs| solved(shape.hinge, shape.norm, squares);
        let mu = path.mean_square() * 16.0;
        let says = |m: &Multipliers| match squares {
            Some(squares) => m.shared_with(squares.sqrt(), near),
            None => m.solved_with(1.0, near),
        };
        let goal = Goal {
            bound: &bound,
            least: Some(&says),
        };
        let best = search::best(&mut path, Margin::HINGE, mu, self.effort, goal);
        let found = if best.bound < self.trials.past.len() as f64 {
            best.found
        } else {
            path.zero()
        };
        let chosen = Chosen::new(found, best.least, best.solves);
        let rival = self.rival(&chosen.vector);
        let certificate = self.projectron_of(&by, &rival)?;
        let norm = rival.norm().value();
        let norms = self.trials.norms_of_trials();
        let (mut hinge, mut so_far) = (0.0, 0.0);
        let curve = self.curve(&rival, |k, t, xi| {
            hinge += xi;
            if t.updated {
                so_far += norms[k];
            }
            solved(hinge, norm, squares.map(|_| so_far))
        });
        let hinge = certificate.ingredient("hinge").unwrap_or(0.0);
        let mut answer = self.answer(certificate, (&chosen, &rival), hinge, "norm", false);
        answer.curve = curve;
        Ok(answer)
    }

    pub(super) fn shifting(&self, lambda: f64) -> Result<CertifiedRun, NoCertificate> {
        let by = Shifting { lambda };
        let past = &self.trials.past;
        let measured = shifting::measure(&by, past)?;
        let mut path = self.path();
        // a trial counts as much as its mistake
        let mut weights = vec![0.0; self.run.rows.len()];
        for (weight, &row) in measured.weights.iter().zip(&self.trials.row) {
            weights[row as usize] += measured.mistakes * weight;
        }
        path.weigh(&weights);
        let kappa = measured.mistakes * measured.length;
        let bound = |shape: &BoundInputs| shape.hinge + kappa * shape.norm;
        let mu = path.mean_square();
        let goal = Goal {
            bound: &bound,
            least: Some(&|m: &Multipliers| m.sum_of_loss_and_norm(kappa)),
        };
        let best = search::best(&mut path, Margin::HINGE, mu, self.effort, goal);
        let all: f64 = weights.iter().sum();
        let found = if best.bound < all {
            best.found
        } else {
            path.zero()
        };
        let chosen = Chosen::new(found, best.least, best.solves);
        let certificate = shifting::certify(&by, past, &[(0, chosen.slots())]);
        let certificate = certificate?;
        let rival = self.rival(&chosen.vector);
        // weights depend on how many mistakes there were in all
        let bound = certificate.bound;
        let curve = self.curve(&rival, |_, _, _| bound);
        let hinge = certificate.ingredient("hinge").unwrap_or(0.0);
        let mut answer = self.answer(certificate, (&chosen, &rival), hinge, "norm", false);
        answer.curve = curve;
        Ok(answer)
    }
}
