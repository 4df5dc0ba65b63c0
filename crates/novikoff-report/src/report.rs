//! The values that reports are made of.

use novikoff::classes::Counts;
use novikoff::learner::Panel;
use novikoff::model::NotValidated;
pub use novikoff::model::Totals;
use novikoff::parameter::Parameters;
use novikoff::quantity::{percent, plural};
use novikoff::remark::{Paired, Remark};
use novikoff::remedy::{Door, said};

use crate::certificate::Certified;
use crate::orders::Permutations;
use crate::picture::{Moment, Picture};

/// The data of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct DataSummary {
    /// Rows.
    pub rows: u64,
    /// Highest feature number.
    pub features: u32,
    /// Classes, two for a binary problem.
    pub classes: usize,
}

/// Errors of a predictor among some rows: of a test, of a validation, of a solution.
#[derive(Clone, Copy, Debug)]
pub struct ErrorCount {
    /// Rows.
    pub rows: u64,
    /// Rows whose label was wrong.
    pub errors: u64,
}

impl ErrorCount {
    /// The share of wrong rows; 0 if there are none.
    pub fn error(&self) -> f64 {
        if self.rows == 0 {
            0.0
        } else {
            self.errors as f64 / self.rows as f64
        }
    }
}

/// What was counted of the predictor that a run saves: its errors in the first epoch, each row predicted before it is learned.
#[derive(Clone, Debug)]
pub enum Validated {
    /// The rows, and the errors among them.
    Counted(ErrorCount),
    /// Nothing, and why.
    Not {
        /// The reason.
        why: NotValidated,
        /// The reason as it is shown: its facts, until a door has worded its remedy.
        said: String,
    },
}

impl Validated {
    /// The rows and errors, if they were counted.
    pub fn counted(&self) -> Option<ErrorCount> {
        match self {
            Validated::Counted(report) => Some(*report),
            Validated::Not { .. } => None,
        }
    }

    /// The share of wrong rows, if they were counted.
    pub fn error(&self) -> Option<f64> {
        match self {
            Validated::Counted(report) => Some(report.error()),
            Validated::Not { .. } => None,
        }
    }
}

impl From<NotValidated> for Validated {
    fn from(why: NotValidated) -> Self {
        let said = why.to_string();
        Validated::Not { why, said }
    }
}

/// How a run stood when an epoch had ended.
#[derive(Clone, Debug, Default)]
pub struct EpochEnd {
    /// Errors of the predictor on held-out rows, if they were tested after each epoch.
    pub test: Option<ErrorCount>,
    /// Test errors of every predictor by its name, where the learner offers several.
    pub tests: Vec<(&'static str, ErrorCount)>,
    /// Rows that the weight vectors are made of, where they are sums of stored rows; those of all classes together.
    pub support: Option<u64>,
    /// Updates in the epoch that changed the matrix, all classes together, of learners whose updates may leave it as it is.
    pub matrix_updates: Option<u64>,
}

/// One class of several.
#[derive(Clone, Debug)]
pub struct ClassReport {
    /// Its label.
    pub class: String,
    /// Counts of its learner, epoch by epoch.
    pub epochs: Vec<Counts>,
    /// Its certificate, if that was asked for.
    pub certificate: Option<Certified>,
}

impl ClassReport {
    /// Mistakes in an epoch of a run with `all` epochs; a class that appeared later has counts of the last ones.
    fn mistakes_of(&self, epoch: usize, all: usize) -> u64 {
        let missing = all.saturating_sub(self.epochs.len());
        let place = epoch.checked_sub(missing);
        let counts = place.and_then(|place| self.epochs.get(place));
        counts.map_or(0, |counts| counts.mistakes)
    }
}

/// A remark, and its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Noted {
    /// The remark.
    pub remark: Remark,
    /// Its facts, until a door has worded its remedy.
    pub text: String,
}

impl From<Remark> for Noted {
    fn from(remark: Remark) -> Self {
        Noted {
            text: remark.to_string(),
            remark,
        }
    }
}

impl Noted {
    /// Words facts and remedy as a door does.
    pub fn word(&mut self, door: &dyn Door) {
        self.text = said(&self.remark, Some(&self.remark.remedy()), door);
    }
}

/// Errors of always answering the most frequent label so far, over the trials of the first epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineReport {
    /// The most frequent label at the end; several are joined by commas.
    pub label: String,
    /// The errors.
    pub errors: u64,
    /// The trials.
    pub rows: u64,
    /// The rows that only one of the run and the baseline answers right, if they were counted.
    pub paired: Option<Paired>,
    /// Rows of a test with a label that the model does not know.
    pub unknown: u64,
}

impl BaselineReport {
    /// The baseline in words.
    pub(crate) fn text(&self) -> String {
        self.answering("the most frequent label so far")
    }

    /// For people, of rows that are not learned from.
    pub(crate) fn of_others(&self) -> String {
        self.answering("their most frequent label")
    }

    fn answering(&self, what: &str) -> String {
        let label = match self.label.as_str() {
            "" => "no label",
            label => label,
        };
        format!(
            "{} ({}) of always answering {what} ({label})",
            plural(self.errors, "error"),
            percent(self.errors as f64 / self.rows.max(1) as f64),
        )
    }

    /// The baseline as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({"label": self.label, "errors": self.errors})
    }
}

/// Always answering the mean of labels that are quantities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanBaseline {
    /// The mean.
    pub mean: f64,
    /// The mean squared error of answering it.
    pub squared_error: f64,
}

impl MeanBaseline {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let MeanBaseline {
            mean,
            squared_error,
        } = self;
        format!("{squared_error:.6} mean squared error of always answering their mean ({mean:.6})")
    }

    /// The baseline as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({"mean": self.mean, "squared_error": self.squared_error})
    }
}

/// What a constant answer comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantAnswer {
    /// The most frequent label.
    Label(BaselineReport),
    /// The mean of labels that are quantities.
    Mean(MeanBaseline),
}

impl ConstantAnswer {
    /// For people, of rows that are answered in their order.
    pub(crate) fn text(&self) -> String {
        match self {
            ConstantAnswer::Label(baseline) => baseline.text(),
            ConstantAnswer::Mean(baseline) => baseline.text(),
        }
    }

    /// For people, of rows that are not learned from.
    pub(crate) fn of_others(&self) -> String {
        match self {
            ConstantAnswer::Label(baseline) => baseline.of_others(),
            ConstantAnswer::Mean(baseline) => baseline.text(),
        }
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        match self {
            ConstantAnswer::Label(baseline) => baseline.json(),
            ConstantAnswer::Mean(baseline) => baseline.json(),
        }
    }
}

/// What it takes to repeat a run, beside its learner, its kernel and its data.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// The constant feature.
    pub bias: Option<f32>,
    /// The exponent of the norm that rows are divided by.
    pub normalize: Option<f64>,
    /// Whether features are centred and scaled.
    pub standardize: bool,
    /// Passes over the data.
    pub epochs: u32,
    /// The seed of the orders of the rows.
    pub shuffle: Option<u64>,
    /// How the rows are read, where that was asked for: names and values.
    pub rows: Vec<(&'static str, String)>,
}

/// What one learner did on one stream.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// As typed.
    pub spec: String,
    /// The kernel.
    pub kernel: String,
    /// The map that makes features of rows, if there is one.
    pub map: Option<String>,
    /// All parameters.
    pub parameters: Parameters,
    /// The data.
    pub data: DataSummary,
    /// Mistakes and updates, epoch by epoch.
    pub epochs: Vec<Counts>,
    /// How the run stood at the end of its epochs; those of a run that goes on are missing at the beginning.
    pub ends: Vec<EpochEnd>,
    /// Whether the last epoch had no mistake, if epochs went on until one had none.
    pub separated: Option<bool>,
    /// Rows may have several labels, and a mistake is any label wrong.
    pub is_multilabel: bool,
    /// What always answering the most frequent label so far comes to.
    pub baseline: Option<BaselineReport>,
    /// Errors of the predictor that is saved, before learning (of the first order, if there are several).
    pub validation: Validated,
    /// One a class, in the order of their labels, if there are more than two.
    pub classes: Option<Vec<ClassReport>>,
    /// Errors on held-out rows.
    pub test: Option<ErrorCount>,
    /// What always answering the most frequent label of the held-out rows comes to.
    pub test_baseline: Option<BaselineReport>,
    /// The certificate, if it was asked for.
    pub certificate: Option<Certified>,
    /// What the model had done before and after, if it was resumed.
    pub resumed: Option<(Totals, Totals)>,
    /// How the run went, if it was certified.
    pub options: Option<RunSettings>,
    /// Where its trace is, if it was certified and has one.
    pub trace: Option<String>,
    /// Counts over several orders.
    pub permutations: Option<Permutations>,
    /// Bad lines passed over, and what is wrong with the first ones, if there were any.
    pub skipped: Option<(u64, Vec<String>)>,
    /// Bits of hashed slots, and how many names share theirs with an earlier one.
    pub collisions: Option<(u32, u64)>,
    /// The learners that it consists of, if it consists of several.
    pub panel: Option<Panel>,
    /// Moments of the run (of the first order, if there are several), its beginning and its end among them.
    pub course: Vec<Moment>,
    /// What else there is to draw, if that was asked for.
    pub picture: Option<Picture>,
    /// What the reader should know, each once.
    pub remarks: Vec<Noted>,
    /// Wall time.
    pub seconds: f64,
    /// Seconds that the test took beside, if there was one.
    pub test_seconds: Option<f64>,
}

/// Several runs on the same data.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The data.
    pub data: DataSummary,
    /// In the order of the learners.
    pub runs: Vec<RunReport>,
    /// What the reader should know about the data, each once.
    pub remarks: Vec<Noted>,
    /// Learners that were not run, and why.
    pub left_out: Vec<(String, String)>,
}

impl RunReport {
    /// All epochs together.
    pub fn total(&self) -> Counts {
        sum(&self.epochs)
    }

    /// How the run stood at the end of an epoch, counted from 0, if that is known.
    pub fn end_of(&self, epoch: usize) -> Option<&EpochEnd> {
        let missing = self.epochs.len().saturating_sub(self.ends.len());
        self.ends.get(epoch.checked_sub(missing)?)
    }

    /// Mistakes of the binary problems in an epoch, counted from 0, all classes together; none where there is one problem.
    pub fn binary_mistakes_of(&self, epoch: usize) -> Option<u64> {
        let classes = self.classes.as_ref()?.iter();
        let all = self.epochs.len();
        Some(classes.map(|class| class.mistakes_of(epoch, all)).sum())
    }

    /// Mistakes of the binary problems, all classes and epochs together; none where there is one problem.
    pub fn binary_mistakes(&self) -> Option<u64> {
        let classes = self.classes.as_ref()?.iter();
        Some(classes.map(|class| sum(&class.epochs).mistakes).sum())
    }

    /// Updates that changed the matrix, all epochs and classes together, of learners whose updates may leave it as it is.
    pub fn matrix_updates(&self) -> Option<u64> {
        let known = self.ends.len() == self.epochs.len();
        let all = self.ends.iter().map(|end| end.matrix_updates);
        all.sum::<Option<u64>>()
            .filter(|_| known && !self.ends.is_empty())
    }

    /// Whether the run was tested after each epoch.
    pub fn tests_every_epoch(&self) -> bool {
        self.ends.iter().any(|end| end.test.is_some())
    }

    /// What errors on other rows are called.
    pub(crate) fn error_noun(&self) -> &'static str {
        error_noun(self.is_multilabel)
    }

    /// Mistakes a trial.
    pub fn rate(&self) -> f64 {
        let trials = self.data.rows as f64 * self.epochs.len() as f64;
        if trials == 0.0 {
            0.0
        } else {
            self.total().mistakes as f64 / trials
        }
    }
}

/// What is said of errors where rows have several labels.
pub(crate) const SUBSET_ERROR: &str = "; subset error: any label wrong";

/// What a row with a wrong label is called; where rows have several labels, any of them may be wrong.
pub(crate) fn error_noun(is_multilabel: bool) -> &'static str {
    if is_multilabel {
        "subset error"
    } else {
        "error"
    }
}

pub(crate) fn sum(epochs: &[Counts]) -> Counts {
    epochs.iter().fold(Counts::default(), |sum, epoch| Counts {
        mistakes: sum.mistakes + epoch.mistakes,
        updates: sum.updates + epoch.updates,
    })
}
