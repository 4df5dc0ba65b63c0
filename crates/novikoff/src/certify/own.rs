//! Theorems that were written outside of this library.

use super::{Ask, CertifiedRun, Chosen};
use crate::catalog::OwnTheorem;
use crate::dual::loss::margin::Margin;

/// Solves, from the longest rows' mu downwards, and the ratio of one to the next.
const SOLVES: u32 = 12;
const RATIO: f64 = 4.0;

impl Ask<'_, '_> {
    /// The least bound along the path of `L(U) + (mu/2) |U|^2`, the zero vector included.
    pub(super) fn own(&self, theorem: OwnTheorem) -> CertifiedRun {
        let mut path = self.path();
        let bound = |chosen: &Chosen| {
            let rival = self.rival(&chosen.vector);
            (theorem.bound)(self.run.parameters, &self.trials.past, &rival)
        };
        let mut best = Chosen::new(path.zero(), None, 0);
        let mut least = bound(&best);
        let (mut mu, mut solves) = (path.mean_square() * RATIO, 0);
        while solves < SOLVES && path.goes_on() {
            let chosen = Chosen::new(path.solve(mu, Margin::HINGE), None, solves);
            let certificate = bound(&chosen);
            if certificate.bound < least.bound || solves == 0 && path.is_given() {
                (best, least) = (chosen, certificate);
            }
            (mu, solves) = (mu / RATIO, solves + 1);
            if path.is_given() {
                break;
            }
        }
        best.solves = solves;
        let rival = self.rival(&best.vector);
        let whole = least.bound;
        let curve = self.curve(&rival, |_, _, _| whole);
        let facts = theorem.facts;
        let mut answer = self.answer(least, (&best, &rival), 0.0, "bound", facts.counts_updates);
        (answer.curve, answer.expected) = (curve, facts.expected);
        answer
    }
}
