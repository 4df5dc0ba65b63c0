//! A model: a learner, what its rows are, its classes and its counts.

mod answer;
mod build;
mod expert;
mod learn;
mod outcome;
mod probability;
mod sample;
mod snapshot;
mod validation;

use std::sync::Arc;

#[doc(hidden)]
pub use answer::PlainScores;
pub use build::{ModelBuilder, ModelParts, PartsError};
pub use learn::{Example, TrialError};
pub use outcome::{BackgroundEvent, ClassOutcome, Outcome};
pub use probability::ProbabilitySource;
pub(crate) use probability::probability_of;
#[doc(hidden)] // for jobs and readers of files
pub use sample::{RowSample, RowsAgain};
pub use snapshot::Snapshot;
pub use validation::{NotValidated, Validation};

use crate::calibration::Calibration;
use crate::class_weights::ClassWeights;
use crate::classes::{Classes, Task};
use crate::kernel::{Kernel, KernelShape};
use crate::learner::{Learner, Refusal, SharedValues, Tie, Trial};
use crate::map::FeatureMap;
use crate::names::Names;
use crate::parameter::Parameters;
use crate::preparation::{Preparation, PreparedRows, RowBuffer};
use crate::row::Row;
use crate::rows::Block;
use crate::schema::Schema;
use crate::sizes::Sizes;
use crate::spec::Spec;
use crate::table::{Column, ColumnKind, Table};

/// Trials, mistakes and updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Rows learned from.
    pub trials: u64,
    /// Trials whose final label was wrong.
    pub mistakes: u64,
    /// Changes of state, summed over the classes.
    pub updates: u64,
}

/// A learner with everything that is needed to continue learning or to predict.
///
/// A model changes by [`learn`](Model::learn) and by the few methods that take `&mut self`; each keeps the learner, the classes, the
/// counts and the calibration in step. A model that knows nothing comes from a [builder](Model::builder), one that was kept from the reader
/// of its file, in `novikoff-data`.
#[derive(Clone)]
pub struct Model {
    spec: Spec,
    parameters: Parameters,
    kernel: Kernel,
    /// Whether its gamma was `auto`.
    auto_gamma: bool,
    schema: Arc<Schema>,
    learner: Box<dyn Learner>,
    classes: Classes,
    totals: Totals,
    calibration: Option<Calibration>,
    /// What the weights of rows are multiplied by.
    class_weights: Option<ClassWeights>,
    /// The factor that makes log-odds of margins, where they are a multiple of them.
    log_odds: Option<f64>,
    settled_earlier: u64,
    /// Some of the rows learned from.
    learned: RowSample,
    /// Some of the rows that probabilities were fitted to.
    calibrated_on: RowSample,
    /// Errors of a predictor in the pass, if they are counted.
    validation: Option<Validation>,
    threads: usize,
    /// The id of the run's first row, where rows may come again.
    first_id: Option<u64>,
    /// No row of the run has been learned before.
    is_first_pass: bool,
    /// What a margin of 0 predicts in trials.
    tie: Tie,
    scratch: Scratch,
}

/// Memory that every trial uses again. A copy of a model begins with none.
#[derive(Default)]
struct Scratch {
    /// The last trial, lane by lane.
    trial: Trial,
    /// The lanes whose label was positive.
    positive: Vec<usize>,
    /// A prepared row.
    buffer: RowBuffer,
    /// Margins of the predictor that is calibrated, where another is validated.
    calibrated: Vec<f64>,
    /// Whether the validated predictor was wrong in the last trial, if one is.
    validation_error: Option<bool>,
}

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Model {
    /// The spec, as typed.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// All parameters of the learner.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The kernel of the learner.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Whether the kernel's gamma was `auto`: the first rows said what it is.
    #[doc(hidden)] // for readers and writers of files
    pub fn has_auto_gamma(&self) -> bool {
        self.auto_gamma
    }

    /// All parameters of the learner, and the gamma of the kernel or the map if it was `auto`.
    pub fn all_parameters(&self) -> Parameters {
        let mut all = self.parameters.clone();
        all.extend(self.auto_parameters());
        all
    }

    /// What the first rows of a table have decided about its columns of texts: those that hold ids, which are left out unless `asked` says why,
    /// and those that hold dates.
    #[doc(hidden)] // for reports of runs
    pub fn column_parameters(&self, asked: impl Fn(&str) -> bool) -> Parameters {
        let columns = self.table().map_or(&[][..], |table| &table.columns);
        let mut found = Parameters::default();
        let mut put = |name: &str, is_it: &dyn Fn(&Column) -> bool| {
            let columns = columns.iter().filter(|column| is_it(column));
            let names: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
            if !names.is_empty() {
                found.put_word(name, names.join(","));
            }
        };
        put("ids", &|column| {
            column.kind == ColumnKind::Ignored && !asked(&column.name)
        });
        put("dates", &|column| {
            matches!(column.kind, ColumnKind::Date(_))
        });
        found
    }

    /// The gamma of the kernel, or of the map, if it was `auto`.
    pub fn auto_parameters(&self) -> Parameters {
        let mut auto = Parameters::default();
        if let Some(map) = self.map().filter(|map| map.has_auto_gamma()) {
            auto.add("gamma", map.gamma());
        }
        if let (true, KernelShape::Gaussian { gamma }) = (self.auto_gamma, self.kernel.shape) {
            auto.add("gamma", gamma);
        }
        auto
    }

    /// What its rows are. A clone of the [`Arc`] shares it.
    #[doc(hidden)] // for readers and writers of files
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// What is done to its rows.
    #[doc(hidden)] // for readers of files and jobs
    pub fn preparation(&self) -> &Preparation {
        &self.schema.preparation
    }

    /// Rows as the learner sees them: with the constant feature, divided by their norm, or whatever else the model does to rows before a
    /// trial. [`Problem::prepared`](crate::dual::Problem::prepared) makes a problem of them. They are copied if a factor for each
    /// row does not do.
    ///
    /// ```
    /// use novikoff::dual::{Aim, Problem};
    /// use novikoff::{Label, Model, Row, Rows, learners::Perceptron};
    ///
    /// let mut rows = Rows::new();
    /// rows.add(Label::Pos, Row::dense(&[1.5, 2.0]));
    /// let model = Model::builder(Perceptron::default()).bias(1.0).normalize(1.0).build()?;
    /// let seen = model.prepared(rows.view());
    /// let problem = Problem::prepared(&seen, vec![Aim::label(Label::Pos)]);
    /// let values: Vec<(usize, f64)> = problem.row(0).iter().collect();
    /// assert_eq!(values, [(0, 1.0 / 4.5), (1, 1.5 / 4.5), (2, 2.0 / 4.5)]);
    /// # Ok::<(), novikoff::SpecError>(())
    /// ```
    pub fn prepared<'a>(&self, rows: Block<'a>) -> PreparedRows<'a> {
        PreparedRows::new(vec![rows], &self.schema.preparation)
    }

    /// The map that makes features of its rows, if there is one.
    #[doc(hidden)] // for readers and writers of files
    pub fn map(&self) -> Option<&FeatureMap> {
        self.schema.preparation.map.as_deref()
    }

    /// The names of its features, where they are not their numbers.
    #[doc(hidden)] // for readers of files
    pub fn names(&self) -> &Names {
        &self.schema.names
    }

    /// The columns of the table that it was trained on, if it was one.
    #[doc(hidden)] // for readers of tables
    pub fn table(&self) -> Option<&Table> {
        self.schema.table.as_ref()
    }

    /// The highest feature number met.
    pub fn width(&self) -> u32 {
        self.schema.width
    }

    /// Whether its data counts features from 0.
    #[doc(hidden)] // for reports of features
    pub fn is_zero_based(&self) -> bool {
        self.schema.zero_based
    }

    /// The learner; with several classes, lane 0 is the background and class `k` is lane `k + 1`.
    pub fn learner(&self) -> &dyn Learner {
        &*self.learner
    }

    /// The lane of a class in the learner.
    #[doc(hidden)] // for reports of classes
    pub fn lane(&self, class: usize) -> usize {
        class + usize::from(!self.classes.is_binary())
    }

    /// The classes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The counts.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// From margins to probabilities, if it was calibrated.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// What the weights of its rows are multiplied by, if they are.
    pub fn class_weights(&self) -> Option<&ClassWeights> {
        self.class_weights.as_ref()
    }

    /// Multiplies the weights of the rows to come by the factors of their labels. An error if the learner takes rows of weight 1 only, or
    /// rows may have several labels or are to be hit as numbers.
    pub fn set_class_weights(&mut self, weights: Option<ClassWeights>) -> Result<(), PartsError> {
        let task = self.classes.task();
        let single = matches!(task, Task::Binary { .. } | Task::OneVsRest);
        if weights.is_some() && !(single && self.learner.is_weighted()) {
            return Err(PartsError::ClassWeights);
        }
        self.class_weights = weights;
        Ok(())
    }

    /// A sample of the rows that it has learned from, as read.
    #[doc(hidden)] // for jobs and readers of files
    pub fn learned(&self) -> &RowSample {
        &self.learned
    }

    /// A sample of the rows that its probabilities were fitted to, as read.
    #[doc(hidden)] // for jobs and readers of files
    pub fn calibrated_on(&self) -> &RowSample {
        &self.calibrated_on
    }

    /// Keeps a sample of the rows that its probabilities were fitted to, as read.
    #[doc(hidden)] // for jobs and readers of files
    pub fn set_calibrated_on(&mut self, rows: RowSample) {
        self.calibrated_on = rows;
    }

    /// Mistakes of earlier runs found out in the current one; part of the totals.
    #[doc(hidden)] // for writers of checkpoints
    pub fn settled_earlier(&self) -> u64 {
        self.settled_earlier
    }

    /// The id of a row, where rows may come again. Rows are numbered from 0 in a run.
    #[doc(hidden)] // for the loop of a run
    pub fn id_of(&self, row: u64) -> Option<u64> {
        self.first_id.map(|first| first.wrapping_add(row))
    }

    /// The threads that it may use; at least 1.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// The bytes that the learner may use to remember what it computed of rows that come again. Changes no result.
    #[doc(hidden)] // for jobs over several epochs
    pub fn set_cache_bytes(&mut self, bytes: usize) {
        self.learner.set_cache_bytes(bytes);
    }

    /// Shares kernel values with the other models that are given the same pool and the same rows, block by block. Changes no result.
    #[doc(hidden)] // for runs of several learners
    pub fn share_values(&mut self, values: &SharedValues) {
        self.learner.share_values(values);
    }

    /// What a margin of 0 predicts in trials from now on, of learners that are not several; it is not kept in files.
    #[doc(hidden)] // for reproductions of papers
    pub fn set_tie(&mut self, tie: Tie) {
        self.tie = tie;
    }

    /// The names of its features, to give new ones their slots. Copies them first if a snapshot or a reader holds them too.
    #[doc(hidden)] // for readers of files
    pub fn names_mut(&mut self) -> &mut Names {
        &mut Arc::make_mut(&mut self.schema).names
    }

    /// Keeps how large the numbers of its first rows are.
    #[doc(hidden)] // for jobs
    pub fn set_sizes(&mut self, sizes: Sizes) {
        Arc::make_mut(&mut self.schema).sizes = Arc::new(sizes);
    }

    /// What its rows are, to give new names their slots and to count words. Copies it first if a snapshot or a reader holds it too.
    #[doc(hidden)] // for rows that come without a reader
    pub fn schema_mut(&mut self) -> &mut Schema {
        Arc::make_mut(&mut self.schema)
    }

    /// Takes over what a reader that began with its schema has met since: names, columns and width. How rows are prepared and counted stays.
    #[doc(hidden)] // for readers of files
    pub fn adopt(&mut self, read: Arc<Schema>) {
        self.schema.adopt(read);
    }

    /// Rows come that have features up to this number.
    #[doc(hidden)] // for the loop of a run
    pub fn reach(&mut self, width: u32) {
        self.schema.reach(width);
    }

    /// Keeps maps from margins to probabilities; an error if they are not those of its classes and predictors.
    pub fn calibrate(&mut self, calibration: Calibration) -> Result<(), PartsError> {
        build::check_calibration(&calibration, &self.classes, &*self.learner)?;
        self.calibration = Some(calibration);
        Ok(())
    }

    /// Fits the maps from margins to probabilities again, on the margins of the last rows from before they were learned. Gives how many
    /// rows these are; none if it is not calibrated, or they are too few and the maps stay.
    pub fn recalibrate(&mut self) -> Option<u64> {
        let classes = self.classes.list().len();
        let calibration = self.calibration.as_mut()?;
        calibration.refit(classes).then(|| {
            // these rows are among those learned from
            self.calibrated_on = RowSample::default();
            calibration.rows
        })
    }

    /// Shows a learner that [asks for it](crate::learner::Survey::surveys) a row as read before the first trial.
    pub fn survey(&mut self, x: Row<'_>) -> Result<(), Refusal> {
        let x = self.schema.preparation.apply(x, &mut self.scratch.buffer);
        self.learner.survey(x)
    }

    /// All rows were shown.
    pub fn end_survey(&mut self) {
        self.learner.surveyed();
    }

    /// A run begins: trials that are not settled belong to earlier runs, and no row has the id of an earlier one.
    #[doc(hidden)] // for the ledger
    pub fn begin_run(&mut self) {
        self.classes.begin_run();
        self.settled_earlier = 0;
        self.is_first_pass = true;
        self.first_id = Some(self.totals.trials);
    }

    /// The id of the run's first row; none if no row comes again.
    #[doc(hidden)] // for jobs over streams
    pub fn number_rows_from(&mut self, first_id: Option<u64>) {
        self.first_id = first_id;
    }

    /// A run goes on in a later pass: its rows have been learned before.
    #[doc(hidden)] // for jobs that resume
    pub fn skip_first_pass(&mut self) {
        self.is_first_pass = false;
    }

    /// A pass over the data has ended. Gives the mistakes of earlier runs that were found out in it.
    #[doc(hidden)] // for the ledger
    pub fn end_pass(&mut self) -> u64 {
        self.is_first_pass = false;
        self.learner.end_pass();
        std::mem::take(&mut self.settled_earlier)
    }
}
