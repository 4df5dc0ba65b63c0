//! The certificate of a weighted majority, and what the theorems of its best experts make of it.

use novikoff::certificate::majority::{Rivalled, bound, curve};
use novikoff::certify::{Diary, Formula, NoCertificate};
use novikoff::classes::Task;
use novikoff::learner::{ExpertFacts, Panel, Votes};
use novikoff::model::Model;
use novikoff::run::{self, Position};
use novikoff_report::{CertificateReport, Certified, Composed, RunReport};

use super::{Certifier, together};
use crate::events::Phase;
use crate::rows::HeldRows;

/// How many experts are certified themselves: the best of those that have a theorem.
const CERTIFIED: usize = 3;

/// The names of what a bound is the sum of; other terms are what those are made of.
const SUMMANDS: [&str; 2] = ["expert", "experts"];

impl Certifier<'_> {
    /// Puts the certificate of a majority into the report of its run. `held` are its rows, where they were kept.
    pub(super) fn certify_majority(
        &self,
        report: &mut RunReport,
        (model, panel): (&Model, &Panel),
        diary: &Diary,
        held: Option<&HeldRows>,
    ) {
        let of_vote = |votes: &Votes| {
            let share = model.parameters().real("share");
            let certified = bound(votes, share, Rivalled::best(votes));
            certified.map_or_else(
                || Certified::Not(NoCertificate::Shared { share }.into()),
                |certificate| {
                    let mut report = written(&certificate, panel.trials);
                    report.curve = curve(panel, share);
                    Certified::Bound(Box::new(report))
                },
            )
        };
        let mistakes = report.total().mistakes;
        if let (Task::MultiLabel, Some(list)) = (model.classes().task(), &mut report.classes) {
            // the first vote is that of labels that have not appeared
            let certified: Vec<Certified> = panel.votes.iter().skip(1).map(of_vote).collect();
            report.certificate = Some(together(&certified, model, mistakes));
            for (class, &k) in list.iter_mut().zip(model.classes().order()) {
                class.certificate = certified.get(k).cloned();
            }
            return;
        }
        let mut certified = panel.votes.first().map(of_vote);
        if let (Some(Certified::Bound(whole)), Some(held)) = (&mut certified, held) {
            whole.composed = self.composed((model, panel), diary, held);
        }
        report.certificate = certified;
    }

    /// The smallest bound through the theorem of one of the best experts, if there is one.
    fn composed(
        &self,
        (model, panel): (&Model, &Panel),
        diary: &Diary,
        held: &HeldRows,
    ) -> Option<Composed> {
        let votes = panel.votes.first()?;
        let mut best: Vec<&ExpertFacts> = panel.experts.iter().collect();
        best.retain(|facts| facts.retired.is_none());
        best.sort_by_key(|facts| facts.mistakes);
        self.context.begin(Phase::Certifying, None);
        let alone = best.into_iter().filter_map(|facts| {
            let alone = model.fresh_expert(facts, self.memory)?;
            let theorem = alone.spec().theorem(alone.parameters(), alone.kernel());
            theorem
                .is_ok_and(|theorem| !theorem.facts().expected)
                .then_some((facts, alone))
        });
        let through = alone.take(CERTIFIED).filter_map(|(facts, alone)| {
            let certificate = self.of_expert(alone, facts, diary, held)?;
            let rival = Rivalled {
                mistakes: certificate.bound,
                switches: 0,
            };
            let whole = bound(votes, model.parameters().real("share"), rival)?;
            Some(Composed {
                bound: whole.bound,
                spec: facts.spec.clone(),
                certificate: Box::new(certificate),
            })
        });
        let least = through.min_by(|a, b| a.bound.total_cmp(&b.bound));
        self.context.end();
        least
    }

    /// The certificate of an expert, which is run again by itself over the same trials; none if it has none that bounds its mistakes.
    fn of_expert(
        &self,
        mut alone: Model,
        facts: &ExpertFacts,
        diary: &Diary,
        held: &HeldRows,
    ) -> Option<CertificateReport> {
        if self.context.interrupt.is_requested() {
            return None;
        }
        alone.set_threads(self.threads);
        // rows that come again have the same number
        let again = diary.order.len() > held.len();
        alone.number_rows_from(again.then_some(0));
        if alone.learner().surveys() {
            for row in 0..held.len() {
                let (block, place) = held.at(row);
                alone.survey(block.row(place)).ok()?;
            }
            alone.end_survey();
        }
        let mut own = Diary::default();
        let order = diary.order.iter().map(|&row| row as usize);
        let at = |row| held.at(row);
        run::blocks(&mut alone, at, order, Position::default(), &mut own).ok()?;
        let (total, is_binary) = (alone.totals(), alone.classes().is_binary());
        if is_binary && total.mistakes != facts.mistakes {
            // the theorem is about another run
            return None;
        }
        let certifier = Certifier {
            comparator: None,
            save: None,
            ..*self
        };
        let answers = certifier.solve(&alone, &own, held).ok()?;
        let classes = alone.classes().list().iter();
        let certified = answers.into_iter().zip(own.pages.iter().zip(classes));
        let certified = certified.map(|(answer, (page, class))| {
            let (trials, mistakes) = (own.order.len() as u64, page.mistakes.count());
            certifier.report(answer, trials, mistakes, class.label.name())
        });
        let certified: Vec<Certified> = certified.collect();
        let whole = if is_binary {
            certified.into_iter().next()?
        } else {
            together(&certified, &alone, total.mistakes)
        };
        match whole {
            Certified::Bound(certificate) if !certificate.expected => Some(*certificate),
            _ => None,
        }
    }
}

fn written(certificate: &novikoff::certificate::Certificate, trials: u64) -> CertificateReport {
    let named = |summands: bool| {
        let terms = certificate.ingredients.iter();
        let terms = terms.filter(|(name, _)| SUMMANDS.contains(name) == summands);
        terms
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect()
    };
    CertificateReport {
        theorem: certificate.theorem.to_owned(),
        name: certificate.name.to_owned(),
        scope: novikoff::certificate::SCOPE.to_owned(),
        counts_updates: false,
        trials,
        mistakes: certificate.counted,
        counted: certificate.counted,
        bound: certificate.bound,
        of_classes: Vec::new(),
        terms: named(true),
        ingredients: named(false),
        comparator: None,
        curve: Vec::new(),
        expected: false,
        separable: None,
        formula: Some(Formula::of_majority(certificate)),
        composed: None,
    }
}
