//! Selective sampling: what is expected of a run, over its coins.

use super::multipliers::Multipliers;
use super::path::BoundInputs;
use super::search;
use super::{Ask, CertifiedRun, Chosen, NoCertificate};
use crate::catalog::NoTheorem;
use crate::certificate::selective::SelectiveBound;
use crate::dual::loss::margin::Margin;
use crate::online::second_order::auto::few_pairs;
use crate::online::second_order::dual::raised;
use crate::space::{Primal, Support};

impl Ask<'_, '_> {
    pub(super) fn selective(&self) -> Result<CertifiedRun, NoCertificate> {
        let p = self.run.parameters;
        let theorem = SelectiveBound {
            b: p.real("b"),
            margin: p.real("margin"),
        };
        match p.word("base") {
            "second-order" => self.selective_second_order(theorem, p.real("a")),
            "perceptron" => self.selective_perceptron(theorem),
            other => {
                let learner = format!("base={other}");
                Err(NoTheorem::Unknown { learner }.into())
            }
        }
    }

    fn selective_perceptron(&self, theorem: SelectiveBound) -> Result<CertifiedRun, NoCertificate> {
        let run = self.trials.past_run();
        let mut path = self.path();
        let r2 = self.trials.norms.iter().copied().fold(0.0, f64::max);
        let b = theorem.b;
        let factor = 1.0 + r2 / (2.0 * b);
        let square = (2.0 * b + r2) * (2.0 * b + r2) / (8.0 * b);
        // factor L + square |U|^2
        let mut found = path.solve_once(2.0 * square / factor, Margin::HINGE);
        let sum = |s: &BoundInputs| factor * s.hinge + square * s.norm * s.norm;
        search::fit(&mut path, &mut found, &sum);
        let says = |m: &Multipliers| square * m.square_and_loss(factor / (2.0 * square));
        let least = path.least(&says);
        let chosen = Chosen::new(found, least, 1);
        let rival = self.rival(&chosen.vector);
        let certificate = if self.is_linear() {
            theorem.perceptron(&Primal::default(), run, &rival)
        } else {
            theorem.perceptron(&Support::new(self.run.kernel), run, &rival)
        };
        let certificate = certificate?;
        let norm_sq = rival.norm_sq().value();
        let mut hinge = 0.0;
        let curve = self.curve(&rival, |_, _, xi| {
            hinge += xi;
            factor * hinge + square * norm_sq
        });
        let hinge = factor * certificate.ingredient("hinge").unwrap_or(0.0);
        let mut answer = self.answer(certificate, (&chosen, &rival), hinge, "norm", false);
        (answer.curve, answer.expected) = (curve, true);
        Ok(answer)
    }

    fn selective_second_order(
        &self,
        theorem: SelectiveBound,
        a: f64,
    ) -> Result<CertifiedRun, NoCertificate> {
        use super::second_order::{PAIRS_UP_TO, too_wide};
        use crate::linalg;

        let rows = self.run.rows;
        if rows.slots() > PAIRS_UP_TO || !self.is_affordable(rows.slots()) {
            return Err(too_wide(rows.slots()));
        }
        let longest = self.trials.norms.iter().copied().fold(0.0, f64::max);
        let stays_dual = match self.run.parameters.word("form") {
            "primal" => false,
            "auto" => !few_pairs(rows.slots()),
            _ => true,
        };
        if stays_dual && raised(a, longest) > a {
            return Err(NoCertificate::Raised);
        }
        let run = self.trials.past_run();
        let mut matrix = Vec::new();
        linalg::triangle_grow_zero(&mut matrix, rows.slots());
        for t in &self.trials.past {
            linalg::triangle_add_outer(&mut matrix, &t.x.iter());
        }
        let aims = self.trials.aims.clone();
        let path = super::Path::metric(rows, matrix, a, aims, self.options());
        let mut path = path.of(self.given());
        // L + (b/2) U'A U
        let mut found = path.solve_once(theorem.b, Margin::HINGE);
        let sum = |s: &BoundInputs| s.hinge + theorem.b / 2.0 * s.norm * s.norm;
        search::fit(&mut path, &mut found, &sum);
        let value = sum(&path.shape(&found, 1.0));
        let says = |m: &Multipliers| theorem.b / 2.0 * m.square_and_loss(1.0 / theorem.b);
        let least = path.least(&says);
        let mut chosen = Chosen::new(found, None, 1);
        let rival = self.rival(&chosen.vector);
        let certificate = theorem.second_order(a, run, &rival);
        let certificate = certificate?;
        // the rest does not depend on U
        chosen.least = least.map(|least| certificate.bound - (value - least).max(0.0));
        let rest = certificate.bound - certificate.ingredient("hinge").unwrap_or(0.0);
        let mut hinge = 0.0;
        let curve = self.curve(&rival, |_, _, xi| {
            hinge += xi;
            hinge + rest
        });
        let hinge = certificate.ingredient("hinge").unwrap_or(0.0);
        let mut answer = self.answer(certificate, (&chosen, &rival), hinge, "spectral", false);
        (answer.curve, answer.expected) = (curve, true);
        Ok(answer)
    }
}
