//! Certificates of a finished run, class by class.

pub(crate) mod comparator;
pub(crate) mod evidence;
mod majority;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use novikoff::certify::{
    CertifiedRun, Diary, Effort, Finished, GivenComparator, NoCertificate, RowSummaries,
    SearchProgress, certify as answer, values_of_sum,
};
use novikoff::classes::Classes;
use novikoff::dual::Problem;
use novikoff::kernel::Kernel;
use novikoff::model::Model;
use novikoff::parameter::Parameters;
use novikoff::remedy::Complaint;
use novikoff::spec::Spec;
use novikoff_report::{CertificateReport, Certified, ComparatorReport, RunReport};

use crate::Error;
use crate::events::{Context, Event, Notice, Phase};
use crate::parallel::side_by_side;
use crate::prepared::Prepared;
use crate::rows::HeldRows;
use comparator::{ComparatorContext, ComparatorModel, Sum};
use evidence::{EvidenceRef, KnownRows, aims};

/// What certificate is asked for.
#[derive(Clone, Debug)]
pub struct CertifyOptions {
    /// How hard to look for a comparator.
    pub effort: Effort,
    /// A model whose weights are the comparator.
    pub comparator: Option<PathBuf>,
    /// Where the vectors of the certificates are saved, if they are.
    pub save: Option<PathBuf>,
    /// Bytes of a stream that are kept for the search.
    pub spool: u128,
}

/// What certificates are made with.
pub(crate) struct Certifier<'a> {
    pub(crate) effort: Effort,
    pub(crate) comparator: Option<&'a ComparatorModel>,
    /// Where the vectors of the certificates are saved, if they are.
    pub(crate) save: Option<&'a Path>,
    pub(crate) threads: usize,
    pub(crate) memory: u128,
    pub(crate) context: Context<'a>,
}

/// What a run was of.
#[derive(Clone, Copy)]
struct Subject<'m> {
    spec: &'m Spec,
    parameters: &'m Parameters,
    kernel: Kernel,
    classes: &'m Classes,
    place: ComparatorContext<'m>,
}

/// Evidence that is ready to be looked at.
enum Ready<'h> {
    Rows(&'h HeldRows, Box<Prepared<'h>>),
    Known(&'h KnownRows),
}

impl Certifier<'_> {
    /// Puts the certificates of a finished run into its report.
    pub(crate) fn certify(
        &self,
        report: &mut RunReport,
        model: &Model,
        diary: &Diary,
        seen: EvidenceRef<'_>,
    ) -> Result<(), Error> {
        if let Some(panel) = model.learner().panel() {
            let (held, weighted) = match seen {
                EvidenceRef::Rows(held) => (Some(held), is_weighted(held)),
                EvidenceRef::Known(known) => (None, known.is_weighted()),
                EvidenceRef::Lost(_) => (None, false),
            };
            if weighted || model.class_weights().is_some() {
                report.certificate = Some(Certified::Not(NoCertificate::Weighted.into()));
            } else {
                self.certify_majority(report, (model, &panel), diary, held);
            }
            return Ok(());
        }
        let ready = match self.ready(model, seen) {
            Ok(ready) => ready,
            Err(why) => {
                report.certificate = Some(Certified::Not(why.into()));
                return Ok(());
            }
        };
        self.context.begin(Phase::Certifying, None);
        let answers = self.answers(model, diary, &ready);
        self.context.end();
        self.save(model, &ready, &answers)?;
        let classes = model.classes().list().iter();
        let certified: Vec<Certified> = answers
            .into_iter()
            .zip(diary.pages.iter().zip(classes))
            .map(|(answer, (page, class))| {
                let (trials, mistakes) = (diary.order.len() as u64, page.mistakes.count());
                self.report(answer, trials, mistakes, class.label.name())
            })
            .collect();
        let mistakes = report.total().mistakes;
        match &mut report.classes {
            None => report.certificate = certified.into_iter().next(),
            Some(list) => {
                report.certificate = Some(together(&certified, model, mistakes));
                let mut by_class: Vec<Option<Certified>> =
                    certified.into_iter().map(Some).collect();
                for (class, &k) in list.iter_mut().zip(model.classes().order()) {
                    class.certificate = by_class[k].take();
                }
            }
        }
        Ok(())
    }

    /// Saves the vectors of the certificates, if that was asked for.
    fn save(
        &self,
        model: &Model,
        ready: &Ready<'_>,
        answers: &[Result<CertifiedRun, NoCertificate>],
    ) -> Result<(), Error> {
        let Some(path) = self.save else {
            return Ok(());
        };
        let vectors = answers.iter().map(|answer| {
            let answer = answer.as_ref().ok()?;
            Some((&answer.comparator, answer.certificate.theorem))
        });
        let vectors: Vec<_> = vectors.collect();
        let (of, missing) = (
            vectors.len(),
            vectors.iter().filter(|v| v.is_none()).count(),
        );
        if missing < of {
            let problem = match ready {
                Ready::Rows(held, prepared) => {
                    Some(prepared.problem(aims(held, model.classes(), 0)))
                }
                Ready::Known(_) => None,
            };
            let (given, memory) = (self.comparator, self.memory);
            comparator::save(path, model, &vectors, problem.as_ref(), given, memory)?;
        }
        let path = path.to_owned();
        self.context
            .notice(Notice::ComparatorSaved { path, missing, of });
        Ok(())
    }

    /// The evidence, or why there is none.
    fn ready<'h>(&self, model: &Model, seen: EvidenceRef<'h>) -> Result<Ready<'h>, NoCertificate> {
        let (ready, weighted) = match seen {
            EvidenceRef::Rows(held) => {
                let weighted = is_weighted(held);
                let prepared = Prepared::new(held, model.preparation(), self.memory);
                let prepared = prepared.map_err(|e| NoCertificate::Rows(e.complaint()))?;
                (Ready::Rows(held, Box::new(prepared)), weighted)
            }
            EvidenceRef::Known(known) => (Ready::Known(known), known.is_weighted()),
            EvidenceRef::Lost(why) => return Err(why.clone()),
        };
        if weighted || model.class_weights().is_some() {
            return Err(NoCertificate::Weighted);
        }
        Ok(ready)
    }

    /// The answers for a run whose rows are held, by class.
    pub(crate) fn solve(
        &self,
        model: &Model,
        diary: &Diary,
        held: &HeldRows,
    ) -> Result<Vec<Result<CertifiedRun, NoCertificate>>, NoCertificate> {
        let ready = self.ready(model, EvidenceRef::Rows(held))?;
        Ok(self.answers(model, diary, &ready))
    }

    /// One answer per class; classes are certified side by side.
    fn answers(
        &self,
        model: &Model,
        diary: &Diary,
        ready: &Ready<'_>,
    ) -> Vec<Result<CertifiedRun, NoCertificate>> {
        let subject = Subject {
            spec: model.spec(),
            parameters: model.parameters(),
            kernel: model.kernel(),
            classes: model.classes(),
            place: ComparatorContext::of(model, model.names()),
        };
        let classes = model.classes().list().len();
        let passes = AtomicU64::new(0);
        let goes_on = || {
            self.context.at(1 + passes.fetch_add(1, Ordering::Relaxed));
            !self.context.interrupt.is_requested()
        };
        let step = |step: SearchProgress| {
            let SearchProgress { solves, distance } = step;
            let event = Event::Searching { solves, distance };
            self.context.listener.event(event);
        };
        let ways = (
            &goes_on as &(dyn Fn() -> bool + Sync),
            &step as &(dyn Fn(SearchProgress) + Sync),
        );
        let job = |class: usize| self.answer(subject, diary, ready, class, ways);
        let results = side_by_side(classes, self.threads, |_| {}, |_| false, job);
        let ended = || Err(NoCertificate::Ended);
        results
            .into_iter()
            .map(|result| result.unwrap_or_else(ended))
            .collect()
    }

    /// The answer of one class.
    fn answer(
        &self,
        of: Subject<'_>,
        diary: &Diary,
        ready: &Ready<'_>,
        class: usize,
        (goes_on, step): (&(dyn Fn() -> bool + Sync), &(dyn Fn(SearchProgress) + Sync)),
    ) -> Result<CertifiedRun, NoCertificate> {
        let classes = of.classes.list().len();
        let given = self.comparator.map(|other| {
            let which = other.which(of.classes, class)?;
            let vector = if other.is_linear() {
                GivenVector::Slots(other.by_slot(which, of.place)?)
            } else {
                GivenVector::Sum(Box::new(other.sum(which, of.place)?))
            };
            Ok::<_, Complaint>((which, vector))
        });
        let given = given.transpose().map_err(NoCertificate::Comparator)?;
        let ask = |problem: &Problem<'_>, summaries: Option<RowSummaries<'_>>| {
            let values = match &given {
                Some((_, GivenVector::Sum(sum))) => {
                    Some(values_of_sum(of.kernel, &sum.terms(), problem))
                }
                _ => None,
            };
            let vector = match (&given, &values) {
                (Some((_, GivenVector::Slots(u))), _) => Some(GivenComparator::Slots(u)),
                (_, Some((norm_sq, values))) => Some(GivenComparator::Sum {
                    norm_sq: *norm_sq,
                    values,
                }),
                _ => None,
            };
            let run = Finished {
                spec: of.spec,
                parameters: of.parameters,
                kernel: of.kernel,
                rows: problem,
                order: &diary.order,
                page: &diary.pages[class],
                appeared: &diary.appeared,
                given: vector,
                summaries,
                goes_on,
                stop: &|| self.context.interrupt.is_requested(),
                progress: step,
                threads: if classes > 1 { 1 } else { self.threads },
                // not a matter of threads, for what is done must not be
                memory: self.memory / classes as u128,
            };
            answer(&run, self.effort)
        };
        match (ready, &given) {
            (Ready::Rows(held, prepared), _) => {
                ask(&prepared.problem(aims(held, of.classes, class)), None)
            }
            (Ready::Known(known), Some((which, _))) => {
                let problem = Problem::unseen(known.aims(class));
                ask(&problem, Some(known.of(*which)))
            }
            (Ready::Known(_), None) => Err(NoCertificate::NoVector),
        }
    }

    fn report(
        &self,
        answer: Result<CertifiedRun, NoCertificate>,
        trials: u64,
        mistakes: u64,
        class: &str,
    ) -> Certified {
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => return Certified::Not(why.into()),
        };
        let named = |list: &[(&'static str, f64)]| {
            let pairs = list
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value));
            pairs.collect()
        };
        let given = self.comparator.is_some();
        Certified::Bound(Box::new(CertificateReport {
            theorem: answer.certificate.theorem.to_owned(),
            name: answer.certificate.name.to_owned(),
            scope: novikoff::certificate::SCOPE.to_owned(),
            counts_updates: answer.counts_updates,
            trials,
            mistakes,
            counted: answer.counted,
            bound: answer.bound,
            of_classes: Vec::new(),
            terms: named(&answer.terms),
            ingredients: named(&answer.certificate.ingredients),
            comparator: Some(ComparatorReport {
                norm: answer.norm,
                hinge: answer.hinge,
                class: Some(class.to_owned()),
                file: self.save.map(|path| path.display().to_string()),
                origin: if given {
                    "given, at its best scale"
                } else {
                    "solved"
                }
                .to_owned(),
                gap: answer.gap,
                solves: if given { 0 } else { answer.solves },
            }),
            composed: None,
            curve: answer.curve,
            expected: answer.expected,
            separable: answer.separable,
            formula: answer.formula,
        }))
    }
}

/// Whether a row has another weight than 1.
fn is_weighted(held: &HeldRows) -> bool {
    held.blocks()
        .any(|block| block.weights.iter().any(|weight| *weight != 1.0))
}

/// A vector that was given.
enum GivenVector {
    Slots(Vec<f64>),
    Sum(Box<Sum>),
}

/// Where a label was wrong, some class was: the bounds of all classes together bound the run's mistakes.
fn together(certified: &[Certified], model: &Model, mistakes: u64) -> Certified {
    let mut sum: Option<Box<CertificateReport>> = None;
    let (mut theorems, mut bounds) = (Vec::new(), Vec::new());
    for (class, certified) in model.classes().list().iter().zip(certified) {
        let one = match certified {
            Certified::Not(why) => {
                let class = class.label.name().to_owned();
                let why = Box::new(why.why.clone());
                return Certified::Not(NoCertificate::OfClass { class, why }.into());
            }
            Certified::Bound(one) => one,
        };
        bounds.push(one.bound);
        let Some(sum) = &mut sum else {
            theorems.push(one.theorem.clone());
            sum = Some(one.clone());
            continue;
        };
        sum.bound = (sum.bound + one.bound).next_up();
        add(&mut sum.terms, &one.terms);
        add(&mut sum.ingredients, &one.ingredients);
        let both = sum.curve.iter_mut().zip(&one.curve);
        both.for_each(|(sum, one)| sum.1 += one.1);
        if let (Some(sum), Some(one)) = (&mut sum.comparator, &one.comparator) {
            let losses = sum.hinge.zip(one.hinge);
            sum.hinge = losses.map(|(sum, one)| sum + one);
            sum.norm = sum.norm.max(one.norm);
            sum.solves += one.solves;
            let gaps = sum.gap.zip(one.gap);
            sum.gap = gaps.map(|(gap, other)| gap.max(other));
        }
        if !theorems.contains(&one.theorem) {
            theorems.push(one.theorem.clone());
        }
    }
    match sum {
        None => Certified::Not(NoCertificate::NoClass.into()),
        Some(mut sum) => {
            sum.of_classes = bounds;
            sum.theorem = theorems.join(", ");
            sum.name = format!("{}; the sum over the classes", sum.name);
            (sum.mistakes, sum.counted) = (mistakes, mistakes);
            (sum.counts_updates, sum.separable, sum.formula) = (false, None, None);
            sum.ingredients.clear();
            if let Some(comparator) = &mut sum.comparator {
                comparator.class = None;
            }
            Certified::Bound(sum)
        }
    }
}

fn add(sum: &mut Vec<(String, f64)>, more: &[(String, f64)]) {
    for (name, value) in more {
        match sum.iter_mut().find(|(other, _)| other == name) {
            Some((_, sum)) => *sum += value,
            None => sum.push((name.clone(), *value)),
        }
    }
}
