//! `novikoff certify`, and `--certify` of `train` and `compare`: the proof beside the result.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use novikoff::certify::{Answer, Diary, Effort, Finished, Heard, certify as answer};
use novikoff::classes::Classes;
use novikoff::dual::Problem;
use novikoff::kernel::Kernel;
use novikoff::model::Model;
use novikoff::names::Names;
use novikoff::parameter::Parameters;
use novikoff::spec::Spec;
use novikoff_report::{CertificateReport, Certified, ComparatorReport, RunReport};

use crate::args::{CertifyArgs, EffortWord, ProofArgs, TrainArgs};
use crate::error::Failure;
use crate::input::Held;
use crate::progress::Progress;
use crate::solve::rows::Prepared;
use crate::train;
use crate::witness::{Hearing, Seen, aims};

/// `novikoff certify`: a run that ends in its certificate.
pub(crate) fn certify(args: &CertifyArgs) -> Result<(), Failure> {
    let mut end = args.end.clone();
    end.proof.certify.get_or_insert(EffortWord::Full);
    train::train(&TrainArgs {
        data: args.data.clone(),
        spec: Some(args.spec.clone()),
        output: None,
        resume: None,
        checkpoint: None,
        trace: None,
        run: args.run.clone(),
        end,
        spool: args.spool.clone(),
        rows: args.rows.clone(),
    })
}

impl ProofArgs {
    /// How hard to look, if a certificate is asked for.
    pub(crate) fn effort(&self) -> Option<Effort> {
        match self.certify {
            Some(EffortWord::Quick) => Some(Effort::Quick),
            Some(EffortWord::Full) => Some(Effort::Full),
            None if self.require_certificate || self.comparator.is_some() => Some(Effort::Full),
            None => None,
        }
    }
}

/// What certificates are made with.
pub(crate) struct Notary<'a> {
    pub(crate) effort: Effort,
    pub(crate) comparator: Option<&'a Comparator>,
    pub(crate) threads: usize,
    pub(crate) memory: u128,
    /// Not 0 once a signal came.
    pub(crate) interrupt: Option<&'static AtomicUsize>,
}

/// What a run was of.
#[derive(Clone, Copy)]
struct Subject<'m> {
    spec: &'m Spec,
    parameters: &'m Parameters,
    kernel: Kernel,
    classes: &'m Classes,
    names: &'m Names,
}

/// Evidence that is ready to be looked at.
enum Ready<'h> {
    Rows(&'h Held, Box<Prepared<'h>>),
    Heard(&'h Hearing),
}

/// The weights to compete with.
pub(crate) struct Comparator {
    /// By class; a single one for a binary problem.
    weights: Vec<(String, Vec<f64>)>,
    is_binary: bool,
    names: Names,
}

/// The model to compete with, if one was named.
pub(crate) fn comparator(proof: &ProofArgs, memory: u128) -> Result<Option<Comparator>, Failure> {
    let Some(path) = &proof.comparator else {
        return Ok(None);
    };
    let model = novikoff_data::model::load(path, memory)?.model;
    if model.kernel != Kernel::LINEAR {
        let kernel = model.kernel;
        return Err(format!("--comparator {}: a model with the kernel {kernel} has no weights of features; give one without a kernel", path.display()).into());
    }
    let classes = model.classes.list().iter().enumerate();
    let weights = classes.map(|(k, class)| {
        let name = class.label.name().to_owned();
        (name, model.learner.weights(model.lane(k)))
    });
    Ok(Some(Comparator {
        weights: weights.collect(),
        is_binary: model.classes.is_binary(),
        names: model.names,
    }))
}

impl Notary<'_> {
    /// Puts the certificates of a finished run into its report.
    pub(crate) fn certify(
        &self,
        report: &mut RunReport,
        model: &Model,
        diary: &Diary,
        seen: Seen<'_>,
        progress: &Progress,
    ) {
        let ready = match self.ready(model, seen) {
            Ok(ready) => ready,
            Err(why) => {
                report.certificate = Some(Certified::Not(why));
                return;
            }
        };
        progress.count("certifying, passes over the rows:");
        let answers = self.answers(model, diary, &ready, progress);
        progress.end();
        let certified: Vec<Certified> = answers
            .into_iter()
            .zip(&diary.pages)
            .map(|(answer, page)| self.report(answer, page.mistakes.count()))
            .collect();
        let mistakes = report.total().mistakes;
        match &mut report.classes {
            None => report.certificate = certified.into_iter().next(),
            Some(list) => {
                report.certificate = Some(together(&certified, model, mistakes));
                let mut by_class: Vec<Option<Certified>> =
                    certified.into_iter().map(Some).collect();
                for (class, &k) in list.iter_mut().zip(model.classes.order()) {
                    class.certificate = by_class[k].take();
                }
            }
        }
    }

    /// The evidence, or why there is none.
    fn ready<'h>(&self, model: &Model, seen: Seen<'h>) -> Result<Ready<'h>, String> {
        let (ready, weighted) = match seen {
            Seen::Rows(held) => {
                let mut rows = held
                    .blocks()
                    .flat_map(|b| (0..b.len()).map(move |i| (b, i)));
                let weighted = rows.any(|(block, i)| block.weight(i) != 1.0);
                let prepared = Prepared::new(held, &model.preparation, self.memory);
                (
                    Ready::Rows(held, Box::new(prepared.map_err(|e| e.to_string())?)),
                    weighted,
                )
            }
            Seen::Heard(hearing) => (Ready::Heard(hearing), hearing.is_weighted()),
            Seen::Lost(why) => return Err(why.to_owned()),
        };
        if weighted {
            return Err(
                "rows have weights other than 1, about which the theorems say nothing".to_owned(),
            );
        }
        Ok(ready)
    }

    /// One answer a class; classes are certified side by side.
    fn answers(
        &self,
        model: &Model,
        diary: &Diary,
        ready: &Ready<'_>,
        progress: &Progress,
    ) -> Vec<Result<Answer, String>> {
        let subject = Subject {
            spec: &model.spec,
            parameters: &model.parameters,
            kernel: model.kernel,
            classes: &model.classes,
            names: &model.names,
        };
        let classes = model.classes.list().len();
        let next = AtomicUsize::new(0);
        let threads = self.threads.min(classes).max(1);
        let slots: Vec<Mutex<Option<Result<Answer, String>>>> =
            (0..classes).map(|_| Mutex::new(None)).collect();
        // each class is certified once, by whoever drew its number
        let draw = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|k| *k < classes);
        let passes = AtomicU64::new(0);
        let goes_on = || {
            progress.at(1 + passes.fetch_add(1, Ordering::Relaxed));
            self.interrupt
                .is_none_or(|came| came.load(Ordering::Relaxed) == 0)
        };
        let work = |class: usize| {
            let result = self.answer(subject, diary, ready, class, &goes_on);
            if let Ok(mut slot) = slots[class].lock() {
                *slot = Some(result);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| std::iter::from_fn(draw).for_each(work));
            }
            std::iter::from_fn(draw).for_each(work);
        });
        let ended = || Err("certifying ended unexpectedly".to_owned());
        let taken = slots
            .into_iter()
            .map(|slot| slot.into_inner().ok().flatten());
        taken.map(|result| result.unwrap_or_else(ended)).collect()
    }

    /// That of one class.
    fn answer(
        &self,
        of: Subject<'_>,
        diary: &Diary,
        ready: &Ready<'_>,
        class: usize,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answer, String> {
        let classes = of.classes.list().len();
        let given = self.comparator.map(|other| {
            let which = other.which(of.classes, class)?;
            other.by_slot(which, of.names).map(|u| (which, u))
        });
        let given = given.transpose()?;
        let vector = given.as_ref().map(|(_, u)| &u[..]);
        let ask = |problem: &Problem<'_>, heard: Option<Heard<'_>>| {
            let run = Finished {
                spec: of.spec,
                parameters: of.parameters,
                kernel: of.kernel,
                rows: problem,
                order: &diary.order,
                page: &diary.pages[class],
                given: vector,
                heard,
                goes_on,
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
            (Ready::Heard(hearing), Some((which, _))) => {
                let problem = Problem::unseen(hearing.aims(class));
                ask(&problem, Some(hearing.of(*which)))
            }
            (Ready::Heard(_), None) => Err("there is no vector to compete with".to_owned()),
        }
    }

    fn report(&self, answer: Result<Answer, String>, mistakes: u64) -> Certified {
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => return Certified::Not(why),
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
            mistakes,
            counted: answer.counted,
            bound: answer.bound,
            terms: named(&answer.parts),
            ingredients: named(&answer.certificate.terms),
            comparator: ComparatorReport {
                norm: answer.norm,
                origin: if given {
                    "given, at its best scale"
                } else {
                    "solved"
                }
                .to_owned(),
                gap: (!given).then_some(answer.gap),
                solves: answer.solves,
            },
            curve: answer.curve,
            expected: answer.expected,
            separable: answer.separable,
        }))
    }
}

/// Where a label was wrong, some class was: the bounds of all classes together bound the run's mistakes.
fn together(certified: &[Certified], model: &Model, mistakes: u64) -> Certified {
    let mut sum: Option<Box<CertificateReport>> = None;
    let mut theorems = Vec::new();
    for (class, certified) in model.classes.list().iter().zip(certified) {
        let one = match certified {
            Certified::Not(why) => {
                let name = class.label.name();
                return Certified::Not(format!("class {name}: {why}"));
            }
            Certified::Bound(one) => one,
        };
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
        sum.comparator.norm = sum.comparator.norm.max(one.comparator.norm);
        sum.comparator.solves += one.comparator.solves;
        if let (Some(gap), Some(other)) = (&mut sum.comparator.gap, one.comparator.gap) {
            *gap = gap.max(other);
        }
        if !theorems.contains(&one.theorem) {
            theorems.push(one.theorem.clone());
        }
    }
    match sum {
        None => Certified::Not("there is no class".to_owned()),
        Some(mut sum) => {
            sum.theorem = theorems.join(", ");
            sum.name = format!("{}; the sum over the classes", sum.name);
            (sum.mistakes, sum.counted) = (mistakes, mistakes);
            (sum.counts_updates, sum.separable) = (false, None);
            sum.ingredients.clear();
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

impl Comparator {
    /// How many vectors there are.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Which vector is for a class of a run.
    fn which(&self, classes: &Classes, class: usize) -> Result<usize, String> {
        if self.is_binary {
            return if classes.is_binary() {
                Ok(0)
            } else {
                Err("the comparator is binary, but the run has several classes".to_owned())
            };
        }
        let name = classes.list()[class].label.name();
        let found = self.weights.iter().position(|(class, _)| class == name);
        found.ok_or_else(|| format!("the comparator knows no class {name}"))
    }

    /// A vector by the slots of other names.
    pub(crate) fn placed(&self, which: usize, names: &Names) -> Vec<f64> {
        let weights = &self.weights[which].1;
        let is_same = self.names.is_empty() && names.is_empty();
        if is_same || self.names.bits().is_some() {
            return weights.clone();
        }
        let mut placed = vec![0.0; weights.len()];
        for (slot, weight) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let here = match u32::try_from(slot) {
                Ok(0) => Some(0),
                Ok(slot) => match self.names.name(slot) {
                    Some(name) => names.slot(name.as_bytes()),
                    None => names.slot(slot.to_string().as_bytes()),
                },
                Err(_) => None,
            };
            // a feature that the run never met changes no margin
            if let Some(here) = here {
                let here = here as usize;
                if here >= placed.len() {
                    placed.resize(here + 1, 0.0);
                }
                placed[here] += weight;
            }
        }
        placed
    }

    /// The same at the end of a run, which must have met some of its features.
    fn by_slot(&self, which: usize, names: &Names) -> Result<Vec<f64>, String> {
        if let Some(bits) = self
            .names
            .bits()
            .filter(|_| self.names.bits() != names.bits())
        {
            return Err(format!(
                "the features of the comparator are hashed to {bits} bits, and those of the run are not; give --hash {bits}"
            ));
        }
        let placed = self.placed(which, names);
        let is_zero = |u: &[f64]| u.iter().all(|w| *w == 0.0);
        if is_zero(&placed) && !is_zero(&self.weights[which].1) {
            return Err("the comparator has no feature that the run met".to_owned());
        }
        Ok(placed)
    }
}

/// An error if a certificate was required and there is none, or the run did not keep to it.
pub(crate) fn require<'r>(
    proof: &ProofArgs,
    reports: impl IntoIterator<Item = &'r RunReport>,
) -> Result<(), Failure> {
    if !proof.require_certificate {
        return Ok(());
    }
    for report in reports {
        let spec = &report.spec;
        match &report.certificate {
            Some(Certified::Bound(c)) if c.holds() || c.expected => {}
            Some(Certified::Bound(c)) => {
                let (made, bound) = (c.counted, c.bound);
                return Err(Failure::Check(format!(
                    "{spec}: {made} mistakes, but theorem {} allows at most {bound}; that is a fault of novikoff, please report it",
                    c.theorem
                )));
            }
            Some(Certified::Not(why)) => {
                return Err(Failure::Check(format!("{spec}: no certificate: {why}")));
            }
            None => return Err(Failure::Check(format!("{spec}: no certificate"))),
        }
    }
    Ok(())
}
