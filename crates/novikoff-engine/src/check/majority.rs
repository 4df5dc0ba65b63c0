//! The certificate of a majority: every expert runs again by itself, and the vote is repeated from their answers.

use novikoff::classes::Task;
use novikoff::grammar::OffOr;
use novikoff::kernel::{Kernel, KernelSpec};
use novikoff::model::{Model, Outcome};
use novikoff::preparation::Preparation;
use novikoff::run::{self, EpochOrders, Observer};
use novikoff::spec::Spec;
use novikoff_check::{Claim, MajorityFound, MajorityRun};
use novikoff_report::{CheckFound, CheckReport, CheckedClass};
use serde_json::Value;

use super::Check;
use super::claim::Claimed;
use super::composed::MajorityContext;
use crate::Error;
use crate::events::Context;
use crate::first_rows::FirstRows;
use crate::fit::{first_id, stretch, survey};
use crate::labels::Unlabelled;
use crate::options::{NewModel, RunOptions, no_rows};
use crate::rows::HeldRows;

/// A claimed bound may be so much larger than the recomputed one, relative to it: it was rounded up.
const ABOVE: f64 = 1e-6;

/// And so much smaller, for nothing but rounding.
const BELOW: f64 = 1e-9;

/// What an expert answered, trial by trial, and the truth: by class where each is a question of its own, else the class of the label.
#[derive(Default)]
struct Answers {
    /// Per trial: the class answered, or 1 and 0 by class.
    answered: Vec<Vec<usize>>,
    /// Per trial: what was answered for labels that had not appeared.
    background: Vec<usize>,
    truths: Vec<Vec<usize>>,
}

impl Observer for Answers {
    fn trial(&mut self, _epoch: u32, _row: u64, outcome: Outcome<'_>) {
        let classes = outcome.model().classes();
        let (answer, truth) = if matches!(classes.task(), Task::OneVsRest) {
            let answer = classes.best(|class| outcome.score(class)).unwrap_or(0);
            let truth = outcome.positives().next().unwrap_or(0);
            (vec![answer], vec![truth])
        } else {
            let all = 0..classes.list().len();
            let is_yes = |class: usize| outcome.class(class).mistake != outcome.is_positive(class);
            let (yes, truth) = (all.clone().map(is_yes), all.map(|c| outcome.is_positive(c)));
            (
                yes.map(usize::from).collect(),
                truth.map(usize::from).collect(),
            )
        };
        self.answered.push(answer);
        let background = outcome.background().is_some_and(|event| event.mistake);
        self.background.push(usize::from(background));
        self.truths.push(truth);
    }
}

/// The experts of a run, each run again by itself.
struct Repeated<'c> {
    claimed: &'c Claimed,
    /// One per expert.
    all: Vec<Answers>,
    /// The place of each class in the order of labels.
    order: Vec<usize>,
    /// The labels of the classes.
    labels: Vec<String>,
    is_multilabel: bool,
}

impl Repeated<'_> {
    /// The vote about a class, or about the one label.
    fn vote(&self, class: Option<usize>) -> MajorityFound {
        let (claimed, all) = (self.claimed, &self.all);
        let place = |list: &[usize], background: usize| match class {
            Some(class) => list.get(class).copied().unwrap_or(background),
            None if self.order.len() > 1 => self.order[list[0]],
            None => list[0],
        };
        let answer = |i: usize, t: usize| {
            let retired = claimed.experts[i].2.is_some_and(|row| t as u64 >= row);
            (!retired).then(|| place(&all[i].answered[t], all[i].background[t]))
        };
        let trials = 0..all[0].truths.len();
        let answers = trials
            .clone()
            .map(|t| (0..all.len()).map(|i| answer(i, t)).collect());
        let run = MajorityRun {
            experts: all.len(),
            beta: claimed.beta(),
            share: claimed.share(),
            answers: answers.collect(),
            truths: trials.map(|t| place(&all[0].truths[t], 0)).collect(),
        };
        run.evaluate()
    }

    /// Where each label is a question of its own, one certificate per label.
    fn compare_labels(&self, differences: &mut Vec<String>) -> Vec<CheckedClass> {
        let mut classes = Vec::new();
        for class in &self.claimed.classes {
            match self.labels.iter().position(|label| *label == class.name) {
                Some(k) => classes.push(compared(&class.name, &class.claim, &self.vote(Some(k)))),
                None => differences.push(format!("class {}: the data has none", class.name)),
            }
        }
        let bounds: Vec<f64> = classes.iter().map(|class| class.claimed).collect();
        differences.extend(self.claimed.about_sums(&bounds));
        classes
    }

    /// The certificate of the run.
    fn compare_run(&self, differences: &mut Vec<String>) -> (CheckedClass, MajorityFound) {
        let (claimed, found) = (self.claimed, self.vote(None));
        for ((text, mistakes, _), is) in claimed.experts.iter().zip(&found.of_experts) {
            if is != mistakes {
                differences.push(format!(
                    "mistakes of {text}: claimed {mistakes}, recomputed {is}"
                ));
            }
        }
        if claimed.mistakes != found.mistakes {
            let (claimed, is) = (claimed.mistakes, found.mistakes);
            differences.push(format!(
                "mistakes of the run: claimed {claimed}, recomputed {is}"
            ));
        }
        let name = claimed.classes.first().map_or("all", |class| &class.name);
        (compared(name, &claimed.whole, &found), found)
    }
}

impl Check {
    /// Recomputes the certificate of a majority.
    pub(super) fn majority(
        &self,
        claimed: &Claimed,
        context: Context<'_>,
    ) -> Result<CheckReport, Error> {
        let mut run = self.run.clone();
        claimed.set(&mut run)?;
        let shared = run.preparation();
        let mut reading = self.rows.reading(shared.bias, context);
        reading.options.centred = run.standardize;
        self.data.measure(&mut reading)?;
        let unlabelled = Unlabelled::of(run.task.as_ref());
        let held = self
            .data
            .load(&reading, self.rows.memory, unlabelled, context)?;
        if held.is_empty() {
            return Err(no_rows());
        }
        let mut differences = claimed.about_data(&held);
        if claimed.experts.is_empty() || claimed.by_epoch.len() != claimed.epochs as usize {
            differences.push("experts: the certificate names none, or other epochs".to_owned());
            return Ok(CheckReport {
                classes: Vec::new(),
                differences,
            });
        }
        let task = match &run.task {
            Some(task) => task.clone(),
            None => self.data.task(&held, true, &reading)?,
        };
        let shared = run.fitted(&run.preparation(), &held, self.rows.memory)?;
        let repeated = self.repeated(claimed, (&run, &shared), &held, &task)?;
        let classes = if repeated.is_multilabel {
            repeated.compare_labels(&mut differences)
        } else {
            let (mut one, found) = repeated.compare_run(&mut differences);
            if let Some(composed) = &claimed.composed {
                let context = MajorityContext {
                    check: self,
                    claimed,
                    run: &run,
                    shared: &shared,
                    held: &held,
                    reading: &reading,
                    task: &task,
                    labels: &repeated.labels,
                    context,
                };
                let about = context.compare_composed(composed, &found)?;
                one.differences.extend(about);
            }
            vec![one]
        };
        Ok(CheckReport {
            classes,
            differences,
        })
    }

    /// Every expert runs again by itself.
    fn repeated<'c>(
        &self,
        claimed: &'c Claimed,
        (run, shared): (&RunOptions, &Preparation),
        held: &HeldRows,
        task: &Task,
    ) -> Result<Repeated<'c>, Error> {
        let memory = self.rows.memory;
        let mut repeated = Repeated {
            claimed,
            all: Vec::new(),
            order: Vec::new(),
            labels: Vec::new(),
            is_multilabel: matches!(task, Task::MultiLabel),
        };
        for (text, _, _) in &claimed.experts {
            let alone = Spec::parse(text)?;
            let (run, own) = as_alone(run, shared, &alone);
            let mut model = run.new_model(NewModel {
                spec: &alone,
                first: FirstRows::of(held).view(),
                task: task.clone(),
                preparation: own,
                zero_based: self.rows.read.zero_based,
                width: Some(run.features.unwrap_or(held.width())),
                class_weights: None,
                memory,
                threads: self.rows.threads.max(1),
                side_by_side: 1,
            })?;
            let mut answers = Answers::default();
            repeat(&mut model, held, claimed, &mut answers)?;
            let classes = model.classes().list().iter();
            repeated.labels = classes.map(|class| class.label.name().to_owned()).collect();
            repeated.order = rank(&model);
            repeated.all.push(answers);
        }
        Ok(repeated)
    }
}

/// The options of an expert's own run, and what is done to its rows.
pub(super) fn as_alone(
    run: &RunOptions,
    shared: &Preparation,
    spec: &Spec,
) -> (RunOptions, Preparation) {
    let mut run = run.clone();
    let said = spec.preparation();
    let normalize = said.and_then(|said| said.normalize);
    let is_linear = run
        .kernel
        .is_none_or(|kernel| kernel == Kernel::LINEAR.into());
    if !is_linear && normalize.is_none() && spec.norm().is_some() {
        run.kernel = run.kernel.map(KernelSpec::with_cosine);
    }
    let own = Preparation {
        bias: said.and_then(|said| said.bias).and_then(OffOr::value),
        normalize: match normalize {
            Some(normalize) => normalize.value(),
            None => spec.norm().filter(|_| is_linear),
        },
        ..shared.clone()
    };
    (run, own)
}

/// The trials of the run again.
fn repeat(
    model: &mut Model,
    held: &HeldRows,
    claimed: &Claimed,
    watch: &mut Answers,
) -> Result<(), Error> {
    survey(model, held, 0..held.len())?;
    run::Ledger::begin(model);
    model.number_rows_from(first_id(claimed.epochs, 0));
    let mut orders = EpochOrders::new(held.len(), claimed.shuffle);
    for epoch in 0..claimed.epochs {
        let order = orders.next_epoch().to_vec();
        stretch(model, held, &order, epoch, watch).map_err(|stopped| held.failure(&stopped))?;
        let _ = model.end_pass();
    }
    Ok(())
}

/// The place of each class in the order of labels.
fn rank(model: &Model) -> Vec<usize> {
    let order = model.classes().order();
    let mut places = vec![0; order.len()];
    for (place, &class) in order.iter().enumerate() {
        places[class] = place;
    }
    places
}

fn compared(class: &str, claim: &Claim, found: &MajorityFound) -> CheckedClass {
    let mut all = Vec::new();
    let (mistakes, bound) = (claim.mistakes, claim.bound);
    if mistakes != found.mistakes {
        let is = found.mistakes;
        all.push(format!("mistakes: claimed {mistakes}, recomputed {is}"));
    }
    if !(bound >= found.bound * (1.0 - BELOW) && bound <= found.bound * (1.0 + ABOVE) + ABOVE) {
        all.push(format!(
            "bound: claimed {bound}, recomputed {}",
            found.bound
        ));
    }
    let terms = [
        ("expert", found.expert),
        ("experts", found.bound - found.expert),
    ];
    let lists = [
        ("term", &claim.terms, &terms[..]),
        ("ingredient", &claim.ingredients, &found.made_of[..]),
    ];
    for (kind, claimed, found) in lists {
        for (name, is) in found {
            let claimed = claimed.iter().find(|(other, _)| other == name);
            let claimed = claimed.map_or(0.0, |(_, value)| *value);
            if !is_near(claimed, *is) {
                all.push(format!("{kind} {name}: claimed {claimed}, recomputed {is}"));
            }
        }
    }
    if claim.holds != Some(mistakes as f64 <= bound) {
        all.push("holds: mistakes and bound say otherwise".to_owned());
    }
    CheckedClass {
        class: class.to_owned(),
        theorem: "WM".to_owned(),
        claimed: bound,
        found: Some(CheckFound {
            mistakes: found.mistakes,
            bound: found.bound,
        }),
        differences: all,
    }
}

pub(super) fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ABOVE * a.abs().max(b.abs()).max(1.0)
}

/// One expert as claimed: its spec, its mistakes, and the trial before which it was retired.
pub(super) type ClaimedExpert = (String, u64, Option<u64>);

/// The experts of a certificate.
pub(super) fn experts_of(json: &Value) -> Vec<ClaimedExpert> {
    let list = json.as_array().into_iter().flatten();
    let expert = |expert: &Value| {
        let spec = expert["spec"].as_str()?.to_owned();
        Some((
            spec,
            expert["mistakes"].as_u64()?,
            expert["retired"].as_u64(),
        ))
    };
    list.filter_map(expert).collect()
}
