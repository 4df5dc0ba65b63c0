//! The runs of an experiment: which there are, which are done, and the rest, side by side.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use novikoff::classes::Task;
use novikoff::learner::{Hypothesis, Tie};

use super::data::{SetCache, SetRows, Wanted};
use super::experiment::{Candidate, Choice, Experiment, Kind, Measure, Set, TableRow};
use super::online::{OnlineRun, hypothesis, value_name};
use super::orders::FOLDS;
use super::results::{Results, Values};
use super::stopwatch::Stopwatch;
use super::{margins, orders, splits, topics};
use crate::data::Data;
use crate::events::{Context, Phase};
use crate::options::RowOptions;
use crate::parallel::side_by_side;
use crate::{Error, StoppedWhile};

/// A part of a repetition that is run alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// One fold, to choose a setting.
    Fold(u32),
    /// One topic.
    Topic(String),
    /// One topic, judged on training rows to choose a setting.
    HeldOut(String),
}

/// One run.
#[derive(Clone, Debug)]
pub(super) struct Run<'e> {
    pub(super) set: &'e Set,
    pub(super) candidate: Candidate,
    pub(super) repetition: u32,
    pub(super) part: Part,
}

/// Makes the runs of one experiment.
pub(super) struct Runner<'r> {
    pub(super) experiment: &'r Experiment,
    pub(super) quick: bool,
    /// Repetitions, if they are not those of the experiment.
    pub(super) repetitions: Option<u32>,
    pub(super) options: &'r RowOptions,
    pub(super) cache: SetCache<'r>,
    pub(super) results: Results,
    pub(super) context: Context<'r>,
    /// Predictors that rows name, beside the learner's own.
    by: Vec<Option<Hypothesis>>,
    report: Vec<u32>,
    tie: Tie,
}

impl<'r> Runner<'r> {
    pub(super) fn new(
        experiment: &'r Experiment,
        quick: bool,
        repetitions: Option<u32>,
        options: &'r RowOptions,
        cache: SetCache<'r>,
        results: Results,
        context: Context<'r>,
    ) -> Self {
        let named = experiment.rows.iter().filter_map(|row| row.by.as_deref());
        let mut by = vec![None];
        by.extend(named.map(hypothesis));
        by.dedup();
        Runner {
            experiment,
            quick,
            repetitions,
            options,
            cache,
            results,
            context,
            by,
            report: experiment.report(quick),
            tie: experiment.tie(),
        }
    }

    /// How many orders of how many draws.
    fn repetitions(&self) -> u32 {
        let own = self.experiment.repetitions(self.quick);
        self.repetitions.unwrap_or(own.draws * own.orders)
    }

    /// The draw of a repetition: draws take turns, so that the first repetitions have different ones.
    fn draw(&self, repetition: u32) -> u32 {
        repetition % self.experiment.repetitions(self.quick).draws
    }

    /// The parts of a repetition.
    fn parts(&self, set: &Set, is_choice: bool) -> Vec<Part> {
        let topics = set.topics.iter().map(|(name, _)| name.clone());
        match (self.experiment.kind, is_choice) {
            (Kind::Topics, false) => topics.map(Part::Topic).collect(),
            (Kind::Topics, true) => topics.map(Part::HeldOut).collect(),
            (_, false) => vec![Part::Whole],
            (_, true) => (0..FOLDS).map(Part::Fold).collect(),
        }
    }

    /// All that the result of a run depends on.
    fn key(&self, run: &Run<'_>) -> String {
        let Set {
            train,
            test,
            held_out,
            shuffled,
            cycle,
            limit,
            split,
            bias,
            binary,
            features,
            ..
        } = run.set;
        let draw = self.draw(run.repetition);
        let mut key = format!("{train} draw {draw}");
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = write!(key, "; {name} {value}"); // writing to a String cannot fail
            }
        };
        add("test", test.clone());
        add("held out", held_out.map(|n| n.to_string()));
        add("shuffled", shuffled.then(|| "once".to_owned()));
        add("order", cycle.then(|| "of the first pass".to_owned()));
        add("first", limit.map(|n| n.to_string()));
        add("split", split.map(|n| n.to_string()));
        add("bias", bias.map(|b| b.to_string()));
        add("features, numbered from 1,", features.clone());
        add("values", binary.then(|| "1".to_owned()));
        add("learner", Some(run.candidate.text.clone()));
        add("ties", self.experiment.tie.clone());
        add(
            "passes",
            Some(self.experiment.epochs(self.quick).to_string()),
        );
        add("repetition", Some(run.repetition.to_string()));
        match &run.part {
            Part::Whole => {}
            Part::Fold(fold) => {
                let rows = self.experiment.choose_rows;
                add("choice on the first", rows.map(|n| n.to_string()));
                add("fold", Some(fold.to_string()));
            }
            Part::Topic(topic) => add("topic", Some(topic.clone())),
            Part::HeldOut(topic) => add("choice of topic", Some(topic.clone())),
        }
        key
    }

    /// The result of a run, if it is done and has all that is reported.
    fn known(&self, run: &Run<'_>) -> Option<Values> {
        let values = self.results.get(&self.key(run))?;
        let is_whole = match run.part {
            Part::Whole if self.experiment.kind != Kind::Margins => self.report.iter().all(|&at| {
                values.contains_key(&value_name(Measure::Mistakes, at, None))
                    && self.by.iter().all(|by| {
                        let by = by.map(Hypothesis::name);
                        self.offers(run, by).is_none_or(|by| {
                            values.contains_key(&value_name(Measure::Wrong, at, by))
                        })
                    })
            }),
            _ => true,
        };
        is_whole.then_some(values)
    }

    /// The predictor, if a row of this learner names it; the learner's own, which has no name, is always offered.
    #[allow(clippy::option_option)] // a predictor without a name is one
    fn offers<'b>(&self, run: &Run<'_>, by: Option<&'b str>) -> Option<Option<&'b str>> {
        let learner = &run.candidate.learner;
        let is_named = |row: &TableRow| row.by.as_deref() == by && row.learners.contains(learner);
        (by.is_none() || self.experiment.rows.iter().any(is_named)).then_some(by)
    }

    /// Runs that choose settings.
    fn choices(&self) -> Vec<Run<'r>> {
        let mut runs = Vec::new();
        for set in self.experiment.sets(self.quick) {
            for part in self.parts(set, true) {
                for row in self.experiment.rows_of(set, self.quick) {
                    let candidates = row.candidates(set);
                    if row.choose == Choice::Best || candidates.len() < 2 {
                        continue;
                    }
                    runs.extend(candidates.into_iter().map(|candidate| Run {
                        set,
                        candidate,
                        repetition: 0,
                        part: part.clone(),
                    }));
                }
            }
        }
        runs
    }

    /// The setting of a row that was chosen on training rows; none if all are run to the end.
    pub(super) fn chosen(&self, set: &'r Set, row: &TableRow) -> Option<usize> {
        let candidates = row.candidates(set);
        if candidates.len() < 2 {
            return Some(0);
        }
        if row.choose == Choice::Best {
            return None;
        }
        let parts = self.parts(set, true);
        let judged = candidates.into_iter().map(|candidate| {
            let values = parts.iter().filter_map(|part| {
                let run = Run {
                    set,
                    candidate: candidate.clone(),
                    repetition: 0,
                    part: part.clone(),
                };
                let values = self.known(&run)?;
                if row.choose == Choice::HeldOut {
                    // positives weigh topics, and less is better
                    return Some(-values.get("break-even")? * values.get("positives")?);
                }
                let last = self.experiment.epochs(self.quick);
                let name = value_name(Measure::Wrong, last, row.by.as_deref());
                values.get(&name).copied()
            });
            values.sum::<f64>()
        });
        let best = judged.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(place, _)| place)
    }

    /// The runs of the table itself.
    fn runs(&self) -> Vec<Run<'r>> {
        let mut runs: Vec<Run<'r>> = Vec::new();
        for set in self.experiment.sets(self.quick) {
            for repetition in 0..self.repetitions() {
                for part in self.parts(set, false) {
                    for row in self.experiment.rows_of(set, self.quick) {
                        let mut candidates = row.candidates(set);
                        if let Some(chosen) = self.chosen(set, row) {
                            candidates = candidates.drain(chosen..=chosen).collect();
                        }
                        runs.extend(candidates.into_iter().map(|candidate| Run {
                            set,
                            candidate,
                            repetition,
                            part: part.clone(),
                        }));
                    }
                }
            }
        }
        // rows share runs
        let mut seen = std::collections::HashSet::new();
        runs.retain(|run| seen.insert(self.key(run)));
        runs
    }

    /// Makes all runs that are not done. How many of how many are done at the end.
    pub(super) fn all(&self) -> Result<(), Error> {
        self.make(self.choices())?;
        self.make(self.runs())
    }

    fn make(&self, mut runs: Vec<Run<'r>>) -> Result<(), Error> {
        let mut seen = std::collections::HashSet::new();
        runs.retain(|run| seen.insert(self.key(run)) && self.known(run).is_none());
        if runs.is_empty() {
            return Ok(());
        }
        self.context.begin(Phase::Runs, Some(runs.len() as u64));
        let groups = groups(self.experiment.kind, runs);
        let counted = AtomicU64::new(0);
        let job = |k: usize| -> Result<(), Error> {
            if self.context.interrupt.is_requested() {
                return Err(Error::Stopped(StoppedWhile::Reproducing));
            }
            let group = &groups[k];
            let watch = Stopwatch::start();
            let all = match self.experiment.kind {
                Kind::Orders => orders::run(self, group),
                Kind::Splits => each(group, |run| splits::run(self, run)),
                Kind::Topics => each(group, |run| topics::run(self, run)),
                Kind::Margins => each(group, |run| margins::run(self, run)),
            }?;
            let seconds = watch.seconds() / group.len().max(1) as f64;
            for (run, values) in group.iter().zip(all) {
                self.results.keep(&self.key(run), values, seconds)?;
            }
            let done = group.len() as u64;
            self.context
                .at(done + counted.fetch_add(done, Ordering::Relaxed));
            Ok(())
        };
        let threads = self.options.threads.max(1);
        let done = side_by_side(groups.len(), threads, |_| {}, Result::is_err, job);
        self.context.end();
        let failed = done.into_iter().flatten().find_map(Result::err);
        match failed {
            // whatever part of a run was stopped, the finished ones are kept
            Some(Error::Stopped(_)) => Err(Error::Stopped(StoppedWhile::Reproducing)),
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// The rows of a run.
    pub(super) fn rows(
        &self,
        run: &Run<'_>,
        topic: Option<&String>,
    ) -> Result<Arc<SetRows>, Error> {
        let wanted = Wanted {
            set: run.set.name.clone(),
            draw: self.draw(run.repetition),
            topic: topic.cloned(),
        };
        self.cache.rows(run.set, &wanted, self.context)
    }

    /// The training rows of a run, as data for other jobs.
    pub(super) fn data(&self, run: &Run<'_>) -> Result<Data, Error> {
        self.cache.data(run.set, self.draw(run.repetition))
    }

    /// A learner's run; `shuffle` is the seed of its orders.
    pub(super) fn online<'o>(
        &'o self,
        run: &'o Run<'_>,
        task: Task,
        shuffle: Option<u64>,
    ) -> OnlineRun<'o> {
        let mut by = self.by.clone();
        by.retain(|by| self.offers(run, by.map(Hypothesis::name)).is_some());
        OnlineRun {
            learner: &run.candidate.learner,
            kernel: run.candidate.kernel.as_deref(),
            bias: run.set.bias,
            task,
            epochs: self.experiment.epochs(self.quick),
            report: &self.report,
            shuffle,
            by,
            tie: self.tie,
            memory: self.options.memory,
            side_by_side: self.options.threads.max(1),
            context: self.context,
        }
    }

    /// What a setting of a row came to in a repetition, part by part.
    pub(super) fn values(
        &self,
        set: &'r Set,
        candidate: &Candidate,
        repetition: u32,
        part: &Part,
    ) -> Option<Values> {
        self.known(&Run {
            set,
            candidate: candidate.clone(),
            repetition,
            part: part.clone(),
        })
    }

    /// Seconds of one core that all runs of the table took, whenever they were made.
    pub(super) fn seconds(&self) -> f64 {
        let all = self.choices().into_iter().chain(self.runs());
        let keys: std::collections::BTreeSet<String> = all.map(|run| self.key(&run)).collect();
        let known = keys.iter().filter_map(|key| self.results.seconds(key));
        known.sum()
    }

    /// The repetitions, by number.
    pub(super) fn all_repetitions(&self) -> std::ops::Range<u32> {
        0..self.repetitions()
    }

    /// The parts of a repetition of a set.
    pub(super) fn final_parts(&self, set: &Set) -> Vec<Part> {
        self.parts(set, false)
    }
}

/// Runs that are made together: those of learners with kernels that see the same rows in the same order, since they share the kernel's values.
/// Groups are in the order of their first runs.
fn groups<'r>(kind: Kind, runs: Vec<Run<'r>>) -> Vec<Vec<Run<'r>>> {
    let is_shared = |a: &Run<'_>, b: &Run<'_>| {
        kind == Kind::Orders
            && a.candidate.kernel.is_some()
            && a.candidate.kernel == b.candidate.kernel
            && a.set.name == b.set.name
            && a.repetition == b.repetition
            && a.part == b.part
    };
    let mut groups: Vec<Vec<Run<'r>>> = Vec::new();
    // the last groups are those of the same rows
    for run in runs {
        let recent = groups.iter_mut().rev().take(MOST_KERNELS);
        let own = recent.into_iter().find(|group| is_shared(&group[0], &run));
        match own {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups
}

/// More kernels than a set has.
const MOST_KERNELS: usize = 32;

/// The results of runs that are made one by one.
fn each(
    group: &[Run<'_>],
    run: impl Fn(&Run<'_>) -> Result<Values, Error>,
) -> Result<Vec<Values>, Error> {
    group.iter().map(run).collect()
}
