//! What a job says while it runs: typed events for a listener.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use novikoff::dual::Report;
use novikoff::dual::pair::UnusualPair;
use novikoff::model::{Model, Totals};
use novikoff::remark::Remark;
use novikoff::remedy::Complaint;
use novikoff::run::{Ledger, Standing};
use novikoff::table::ColumnKind;
use novikoff_data::blocks::Format;
use novikoff_report::{Noted, RunReport};

use crate::{Error, Interrupt, Remedy, Setting};

/// A part of a job that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Rows are read; counted in bytes.
    Reading,
    /// Rows are copied to the cache; counted in bytes.
    Caching,
    /// Rows are learned from; counted in bytes.
    Learning,
    /// A model is measured; counted in bytes.
    Evaluating,
    /// Rows are written in another format; counted in bytes.
    Converting,
    /// A model answers; counted in bytes.
    Predicting,
    /// Certificates are searched; counted in passes, whose number is not known before.
    Certifying,
    /// Orders of the rows.
    Orders,
    /// Learners of a comparison.
    Learners,
    /// Classes of a problem.
    Classes,
    /// Candidates of a grid.
    Candidates,
    /// Candidates of a grid, on each fold.
    CandidatesAndFolds,
    /// Problems of the solver, on each fold.
    ProblemsAndFolds,
    /// The first rows of a stream are read to tell what its labels are; counted in rows, whose number is not known before.
    FirstRows,
    /// All labels are looked at before the run; not counted.
    Labels,
    /// Rows that are held are learned from; counted in rows of all epochs.
    Epochs,
    /// A model that has learned is tested; counted in bytes.
    Testing,
    /// A model that has learned is tested on rows that are held; counted in rows.
    TestRows,
    /// A problem is solved; counted in steps, whose number is not known before.
    Solving,
    /// Measures and curves are computed from all scores; not counted.
    Measures,
    /// Runs of a paper's table.
    Runs,
}

/// A part of a run of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPart {
    /// The learner learns; counted in rows of all epochs.
    Learning,
    /// What it has learned is tested; counted in rows.
    Testing,
    /// Its certificate is searched; not counted.
    Certifying,
}

/// Rows between two reports of how far a test is.
pub(crate) const ROWS_A_REPORT: usize = 64;

/// Something worth knowing about how a job goes.
#[derive(Debug)]
pub enum Notice {
    /// Bad lines were passed over.
    BadLines {
        /// How many.
        lines: u64,
        /// What is wrong with the first ones.
        samples: Vec<String>,
    },
    /// A detail: how much was read, and as what.
    ReadAs {
        /// Bytes.
        bytes: u64,
        /// The format of the last input.
        format: Option<Format>,
    },
    /// A detail: what the columns of a table were taken for.
    Columns {
        /// The label.
        label: Option<String>,
        /// Names, and what each holds.
        columns: Vec<(String, ColumnKind)>,
    },
    /// Nobody said which column is the label, and the name of one says so.
    GuessedLabel {
        /// The column.
        column: String,
    },
    /// A pipe is not cached.
    PipeNotCached,
    /// A cache is made.
    MakingCache {
        /// Where.
        path: PathBuf,
        /// Why.
        why: Complaint,
    },
    /// The cache could not be written.
    WithoutCache {
        /// Why.
        why: Complaint,
    },
    /// A detail: a cache is used.
    UsingCache {
        /// Where it is.
        path: PathBuf,
    },
    /// The rows take more memory than allowed and are in a temporary file.
    RowsSpooled {
        /// Megabytes allowed.
        limit: u128,
    },
    /// No row has a feature.
    NoFeatures,
    /// Labels of a stream are learned one against the rest.
    StreamOneVsRest,
    /// The model's probabilities were fitted again, on margins from before their rows were learned.
    Recalibrated {
        /// How many rows.
        rows: u64,
    },
    /// Which of two labels a threshold or costs decide for.
    DecidesFor {
        /// The positive label.
        positive: String,
        /// The model has probabilities; else margins decide.
        by_probability: bool,
    },
    /// Rows of a pipe that were learned before are passed over.
    PassingOver {
        /// How many.
        rows: u64,
    },
    /// A model was saved.
    ModelSaved {
        /// Where.
        path: PathBuf,
    },
    /// The vectors of certificates were saved, unless all are missing.
    ComparatorSaved {
        /// Where.
        path: PathBuf,
        /// Classes without a certificate.
        missing: usize,
        /// Classes.
        of: usize,
    },
    /// A check repeats what was not saved.
    CheckRepeats(Repeats),
    /// The best of a grid was saved.
    BestSaved {
        /// Where.
        path: PathBuf,
    },
    /// A learner is left out of a comparison.
    LeavingOut {
        /// Which.
        learner: String,
        /// Why.
        why: LeftOut,
    },
    /// Problems did not reach the gap asked for.
    GapNotReached {
        /// lambda.
        lambda: f64,
        /// How many.
        short: usize,
        /// Of how many.
        of: usize,
    },
    /// An unusual pair of loss and regulariser.
    UnusualPair {
        /// What is unusual.
        pair: UnusualPair,
    },
    /// There is not enough memory for curves.
    NoCurves,
    /// The format that is written has no names of features.
    NamesLost,
    /// No row has a label of several.
    LabelWithoutRows {
        /// The label.
        label: String,
    },
    /// On these rows higher margins are less likely the label.
    FallingProbability {
        /// The label.
        label: String,
    },
    /// A calibrated model was saved.
    Calibrated {
        /// By which method.
        method: &'static str,
        /// The number of rows it was fitted on.
        rows: u64,
        /// The file of the model.
        path: PathBuf,
    },
    /// A table of a paper is begun.
    TableBegun {
        /// Its name.
        name: String,
    },
    /// A table of a paper, or a part of it, is not run, since its data is missing.
    TableSkipped(SkippedTable),
    /// A file of results has lines that are no results; what they stood for is run again.
    DamagedResults {
        /// The file.
        path: PathBuf,
        /// How many lines.
        lines: u64,
    },
    /// A model was written for other programs.
    Exported {
        /// Where.
        path: PathBuf,
        /// How large the file is.
        bytes: u64,
    },
}

/// A table of a paper, or sets of it, that are not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedTable {
    /// Its name.
    pub name: String,
    /// The sets that are left out; none: all.
    pub sets: Vec<String>,
    /// The files of the data directory that are missing.
    pub missing: Vec<String>,
}

/// Why a check repeats a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// There is no trace.
    Trace,
    /// A trace of several classes does not say all.
    Classes,
    /// U was not saved.
    Comparator,
}

/// Why a learner is left out of a comparison.
#[derive(Clone, Debug)]
pub enum LeftOut {
    /// The rows have negative values, which it does not take.
    Negative,
    /// A row has a weight, which it does not take.
    Weights {
        /// The first such weight.
        weight: f64,
    },
    /// Its counted work is beyond the budget.
    Work {
        /// Multiply-adds, estimated.
        work: f64,
        /// Multiply-adds allowed.
        limit: f64,
    },
    /// It keeps a number for each pair of features.
    Memory {
        /// Bytes needed.
        needed: f64,
        /// Bytes allowed.
        limit: u128,
    },
    /// It cannot take the data.
    Unfit(Arc<Error>),
}

/// One thing that happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A phase begins.
    Begin {
        /// Which.
        phase: Phase,
        /// How long it is, where that is known.
        length: Option<u64>,
    },
    /// The phase has come so far.
    At(u64),
    /// The phase has ended.
    End,
    /// Where the run stands, as its report counts: sent after 1, 2, 5, 10, ... thousand trials, and at the end.
    Moment {
        /// Trials of the run.
        trials: u64,
        /// Mistakes of the run.
        mistakes: u64,
        /// Trials since the run began, or was resumed.
        made: u64,
    },
    /// A run of a comparison begins.
    RunBegun {
        /// Its learner.
        spec: &'e str,
    },
    /// A run of a comparison, or the order of several that is run, has come so far.
    RunAt {
        /// Its learner.
        spec: &'e str,
        /// Which part of it.
        part: RunPart,
        /// How much of the part is done.
        done: u64,
        /// How much there is.
        of: u64,
    },
    /// A run of a comparison has ended.
    RunEnded {
        /// Its learner.
        spec: &'e str,
        /// What it did; none if it failed or was stopped.
        report: Option<&'e RunReport>,
    },
    /// The solver computed its gap.
    Solving {
        /// What it is at.
        report: &'e Report,
        /// Seconds since it began with this lambda.
        seconds: f64,
        /// It is the first report of this lambda.
        first: bool,
    },
    /// The search for a comparator has made another solve.
    Searching {
        /// Solves so far.
        solves: u32,
        /// How far the bound is at most from the least one, relative to it.
        distance: Option<f64>,
    },
    /// Something worth knowing about how the job goes.
    Notice(Notice),
    /// Something worth knowing about the data or the result, which the outcome has too. Each comes once.
    Remark(&'e Remark),
}

/// Receives events, from several threads at once.
pub trait Listener: Sync {
    /// Something happened.
    fn event(&self, event: Event<'_>);

    /// Whether details are wanted, which cost time to put together.
    fn wants_details(&self) -> bool {
        false
    }
}

/// Listens to nothing.
pub struct Quiet;

impl Listener for Quiet {
    fn event(&self, _event: Event<'_>) {}
}

/// The remarks of a job, each once, in the order in which they were made.
#[derive(Default)]
pub(crate) struct RemarkLog(Mutex<Vec<Remark>>);

impl RemarkLog {
    /// Keeps a remark; false if it was made before.
    fn keep(&self, remark: &Remark) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !kept.contains(remark);
        if is_new {
            kept.push(remark.clone());
        }
        is_new
    }

    fn has(&self, kinds: &[&str]) -> bool {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().any(|remark| kinds.contains(&remark.kind()))
    }

    /// All remarks, for an outcome.
    pub(crate) fn finish(self) -> Vec<Noted> {
        let kept = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.into_iter().map(Noted::from).collect()
    }
}

/// What a job runs in.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// Receives the job's events.
    pub listener: &'c dyn Listener,
    /// A request to stop.
    pub interrupt: &'c Interrupt,
    /// Keeps the job's remarks for its outcome.
    log: Option<&'c RemarkLog>,
}

impl<'c> Context<'c> {
    /// A context that sends events to a listener.
    pub fn new(listener: &'c dyn Listener, interrupt: &'c Interrupt) -> Self {
        Context {
            listener,
            interrupt,
            log: None,
        }
    }

    /// A context whose remarks are kept.
    pub(crate) fn logging(self, log: &'c RemarkLog) -> Self {
        Context {
            log: Some(log),
            ..self
        }
    }

    /// A remark on data or a result: sent to the listener and kept for the outcome, once.
    pub(crate) fn remark(&self, remark: &Remark) {
        if self.log.is_none_or(|log| log.keep(remark)) {
            self.listener.event(Event::Remark(remark));
        }
    }

    /// Whether a remark of one of these kinds was made.
    pub(crate) fn has_remarked(&self, kinds: &[&str]) -> bool {
        self.log.is_some_and(|log| log.has(kinds))
    }

    /// A remark on what makes a result worthless: an error, unless the job is lenient.
    pub(crate) fn allow(&self, remark: &Remark, lenient: bool) -> Result<(), Error> {
        if lenient {
            self.remark(remark);
            return Ok(());
        }
        let go_on = Remedy::give(Setting::Lenient, "").aim("to go on all the same");
        let remedy = remark.remedy().or(go_on);
        Err(Error::refused(remark.to_string(), remedy))
    }

    pub(crate) fn begin(&self, phase: Phase, length: Option<u64>) {
        self.listener.event(Event::Begin { phase, length });
    }

    pub(crate) fn at(&self, position: u64) {
        self.listener.event(Event::At(position));
    }

    pub(crate) fn end(&self) {
        self.listener.event(Event::End);
    }

    pub(crate) fn notice(&self, notice: Notice) {
        self.listener.event(Event::Notice(notice));
    }

    /// A context with this interrupt token whose events nobody receives.
    pub(crate) fn quiet(&self) -> Context<'c> {
        Context {
            listener: &Quiet,
            interrupt: self.interrupt,
            log: None,
        }
    }
}

/// Sends a moment after 1, 2, 5, 10, 20, 50, ... thousand trials of a run.
pub(crate) struct ProgressMoments<'c> {
    context: Context<'c>,
    /// What the run had done when its epoch began; none before it begins.
    standing: Option<Standing>,
    /// Trials of the run when it began, or was resumed.
    begun: u64,
    /// Trials since then.
    made: u64,
    next: u64,
    last: u64,
}

const FIRST: u64 = 1000;

impl<'c> ProgressMoments<'c> {
    pub(crate) fn new(context: Context<'c>) -> Self {
        ProgressMoments {
            context,
            standing: None,
            begun: 0,
            made: 0,
            next: FIRST,
            last: 0,
        }
    }

    /// The run begins, or goes on, with this account.
    pub(crate) fn begin(&mut self, model: &Model, ledger: &Ledger) {
        let standing = ledger.standing();
        (self.begun, self.made) = (standing.now(model).trials, 0);
        self.standing = Some(standing);
        while self.next <= self.begun {
            self.next = following(self.next);
        }
    }

    pub(crate) fn epoch_ended(&mut self, ledger: &Ledger) {
        self.standing = Some(ledger.standing());
    }

    pub(crate) fn trial(&mut self, model: &Model) {
        self.made += 1;
        if self.begun + self.made == self.next {
            self.send(model);
            self.next = following(self.next);
        }
    }

    /// The last moment, unless it was just sent.
    pub(crate) fn end(&mut self, model: &Model) {
        let trials = self.begun + self.made;
        if self.made > 0 && trials > self.last && trials > FIRST {
            self.send(model);
        }
    }

    fn send(&mut self, model: &Model) {
        let Some(standing) = &self.standing else {
            return;
        };
        let Totals {
            trials, mistakes, ..
        } = standing.now(model);
        let made = self.made;
        self.last = trials;
        self.context.listener.event(Event::Moment {
            trials,
            mistakes,
            made,
        });
    }
}

/// What follows in 1, 2, 5, 10, 20, 50, ...
fn following(number: u64) -> u64 {
    let leading = number / 10_u64.pow(number.ilog10());
    if leading == 2 {
        number / 2 * 5
    } else {
        number * 2
    }
}
