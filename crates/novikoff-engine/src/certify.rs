//! Certificates of a finished run, class by class.

pub(crate) mod evidence;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use novikoff::certify::{Answer, Diary, Effort, Finished, Heard, certify as answer};
use novikoff::classes::Classes;
use novikoff::dual::Problem;
use novikoff::kernel::Kernel;
use novikoff::model::Model;
use novikoff::names::Names;
use novikoff::parameter::Parameters;
use novikoff::spec::Spec;
use novikoff_report::{CertificateReport, Certified, ComparatorReport, RunReport};

use crate::Error;
use crate::events::{Context, Phase};
use crate::parallel::side_by_side;
use crate::prepared::Prepared;
use crate::rows::HeldRows;
use evidence::{KnownRows, Seen, aims};

/// What certificate is asked for.
#[derive(Clone, Debug)]
pub struct CertifyOptions {
    /// How hard to look for a comparator.
    pub effort: Effort,
    /// A model whose weights are the comparator.
    pub comparator: Option<PathBuf>,
    /// Bytes of a stream that are kept for the search.
    pub spool: u128,
}

/// What certificates are made with.
pub(crate) struct Certifier<'a> {
    pub(crate) effort: Effort,
    pub(crate) comparator: Option<&'a Comparator>,
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
    names: &'m Names,
}

/// Evidence that is ready to be looked at.
enum Ready<'h> {
    Rows(&'h HeldRows, Box<Prepared<'h>>),
    Known(&'h KnownRows),
}

/// The weights to compete with.
pub(crate) struct Comparator {
    /// By class; a single one for a binary problem.
    weights: Vec<(String, Vec<f64>)>,
    is_binary: bool,
    names: Names,
}

/// The model to compete with, if one was named.
pub(crate) fn comparator(path: Option<&Path>, memory: u128) -> Result<Option<Comparator>, Error> {
    let Some(path) = path else {
        return Ok(None);
    };
    let model = novikoff_data::model::load(path, memory)?.model;
    if model.kernel != Kernel::LINEAR {
        let kernel = model.kernel;
        return Err(Error::plain(format!(
            "{}: a model with the kernel {kernel} has no weights of features; give one without a kernel",
            path.display()
        )));
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

impl Certifier<'_> {
    /// Puts the certificates of a finished run into its report.
    pub(crate) fn certify(
        &self,
        report: &mut RunReport,
        model: &Model,
        diary: &Diary,
        seen: Seen<'_>,
    ) {
        let ready = match self.ready(model, seen) {
            Ok(ready) => ready,
            Err(why) => {
                report.certificate = Some(Certified::Not(why));
                return;
            }
        };
        self.context.begin(Phase::Certifying, None);
        let answers = self.answers(model, diary, &ready);
        self.context.end();
        let certified: Vec<Certified> = answers
            .into_iter()
            .zip(&diary.pages)
            .map(|(answer, page)| {
                let trials = diary.order.len() as u64;
                self.report(answer, trials, page.mistakes.count())
            })
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
            Seen::Known(known) => (Ready::Known(known), known.is_weighted()),
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
    ) -> Vec<Result<Answer, String>> {
        let subject = Subject {
            spec: &model.spec,
            parameters: &model.parameters,
            kernel: model.kernel,
            classes: &model.classes,
            names: &model.names,
        };
        let classes = model.classes.list().len();
        let passes = AtomicU64::new(0);
        let goes_on = || {
            self.context.at(1 + passes.fetch_add(1, Ordering::Relaxed));
            !self.context.interrupt.is_requested()
        };
        let job = |class: usize| self.answer(subject, diary, ready, class, &goes_on);
        let results = side_by_side(classes, self.threads, |_| {}, |_| false, job);
        let ended = || Err("certifying ended unexpectedly".to_owned());
        results
            .into_iter()
            .map(|result| result.unwrap_or_else(ended))
            .collect()
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
            (Ready::Known(known), Some((which, _))) => {
                let problem = Problem::unseen(known.aims(class));
                ask(&problem, Some(known.of(*which)))
            }
            (Ready::Known(_), None) => Err("there is no vector to compete with".to_owned()),
        }
    }

    fn report(&self, answer: Result<Answer, String>, trials: u64, mistakes: u64) -> Certified {
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
            trials,
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
                solves: if given { 0 } else { answer.solves },
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
        sum.bound += one.bound;
        add(&mut sum.terms, &one.terms);
        add(&mut sum.ingredients, &one.ingredients);
        let both = sum.curve.iter_mut().zip(&one.curve);
        both.for_each(|(sum, one)| sum.1 += one.1);
        sum.comparator.norm = sum.comparator.norm.max(one.comparator.norm);
        sum.comparator.solves += one.comparator.solves;
        let gaps = sum.comparator.gap.zip(one.comparator.gap);
        sum.comparator.gap = gaps.map(|(gap, other)| gap.max(other));
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
