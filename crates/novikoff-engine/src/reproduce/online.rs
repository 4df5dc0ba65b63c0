//! One learner over rows for some passes, measured on the way.

use novikoff::classes::Task;
use novikoff::kernel::KernelSpec;
use novikoff::learner::{Hypothesis, SharedValues, Tie};
use novikoff::model::{Model, Outcome};
use novikoff::rows::Block;
use novikoff::run::{self, EpochOrders, Ledger, Observer, Position};
use novikoff::spec::Spec;

use super::experiment::Measure;
use super::results::Values;
use super::stopwatch::Stopwatch;
use crate::events::Context;
use crate::matrix_updates::MatrixUpdates;
use crate::options::{NewModel, RunOptions};
use crate::{Error, StoppedWhile};

/// Trials of one learner before the next one's turn, and between two looks at the request to stop: as many as learners with kernels look ahead.
const TOGETHER: usize = 256;

/// A learner that is to be run.
pub(super) struct OnlineRun<'a> {
    pub(super) learner: &'a str,
    pub(super) kernel: Option<&'a str>,
    pub(super) bias: Option<f32>,
    pub(super) task: Task,
    pub(super) epochs: u32,
    /// The passes after which it is measured.
    pub(super) report: &'a [u32],
    /// The seed of the orders, new in each pass; the order of the rows if none.
    pub(super) shuffle: Option<u64>,
    /// Predictors that are tested; none: the learner's own.
    pub(super) by: Vec<Option<Hypothesis>>,
    /// What a margin of 0 predicts in training.
    pub(super) tie: Tie,
    pub(super) memory: u128,
    /// How many runs there are at the same time.
    pub(super) side_by_side: usize,
    pub(super) context: Context<'a>,
}

/// Where a run stands.
struct RunState {
    model: Model,
    ledger: Ledger,
    watch: Watch,
}

impl RunState {
    fn end_pass(&mut self) {
        self.ledger.end_epoch(&mut self.model);
        self.watch.0.end_epoch();
    }
}

/// Several learners over the same rows in the same orders, and what each came to. They take turns, some rows at a time, and share the values of
/// kernels: nothing else depends on the others.
pub(super) fn together(
    runs: &[OnlineRun<'_>],
    train: Block<'_>,
    test: Block<'_>,
) -> Result<Vec<Values>, Error> {
    let Some(first) = runs.first() else {
        return Ok(Vec::new());
    };
    let shared = SharedValues::default();
    let mut states = Vec::with_capacity(runs.len());
    for run in runs {
        let mut state = run.begin(train)?;
        if runs.len() > 1 {
            state.model.share_values(&shared);
        }
        states.push(state);
    }
    let mut all = vec![Values::new(); runs.len()];
    let mut orders = EpochOrders::new(train.len(), first.shuffle);
    for epoch in 0..first.epochs {
        let order = orders.next_epoch();
        for part in order.chunks(TOGETHER) {
            for (run, state) in runs.iter().zip(&mut states) {
                run.advance(state, train, part, epoch)?;
            }
        }
        for ((run, state), values) in runs.iter().zip(&mut states).zip(&mut all) {
            state.end_pass();
            if run.report.contains(&(epoch + 1)) {
                run.measure(state, epoch + 1, test, values)?;
            }
        }
    }
    Ok(all)
}

/// Counts updates of the matrix.
struct Watch(MatrixUpdates);

impl Observer for Watch {
    fn trial(&mut self, _epoch: u32, _row: u64, outcome: Outcome<'_>) {
        self.0.trial(outcome);
    }
}

/// The name of a value: its measure, pass and predictor.
pub(super) fn value_name(measure: Measure, epoch: u32, by: Option<&str>) -> String {
    let key = measure.key();
    match by.filter(|_| matches!(measure, Measure::Errors | Measure::Wrong)) {
        Some(by) => format!("{by} {key}@{epoch}"),
        None => format!("{key}@{epoch}"),
    }
}

impl OnlineRun<'_> {
    fn stopped(&self) -> Result<(), Error> {
        if self.context.interrupt.is_requested() {
            return Err(Error::Stopped(StoppedWhile::Reproducing));
        }
        Ok(())
    }

    fn model(&self, first: Block<'_>) -> Result<Model, Error> {
        let spec = Spec::parse(self.learner)?;
        let kernel = self.kernel.map(KernelSpec::parse).transpose();
        let kernel = kernel.map_err(|error| Error::plain(error.to_string()))?;
        let options = RunOptions {
            epochs: Some(self.epochs),
            kernel,
            bias: Some(self.bias),
            tie: self.tie,
            ..RunOptions::default()
        };
        options.new_model(NewModel {
            spec: &spec,
            first,
            task: self.task.clone(),
            preparation: options.for_learner(&options.preparation(), &spec),
            zero_based: false,
            width: Some(first.width()),
            memory: self.memory,
            threads: 1,
            class_weights: None,
            side_by_side: self.side_by_side,
        })
    }

    /// Learns, and counts after each pass that is reported.
    pub(super) fn run(&self, train: Block<'_>, test: Block<'_>) -> Result<Values, Error> {
        let all = together(std::slice::from_ref(self), train, test)?;
        Ok(all.into_iter().next().unwrap_or_default())
    }

    /// Learns, and gives the model and the seconds that learning took.
    pub(super) fn learned(&self, train: Block<'_>) -> Result<(Model, f64), Error> {
        let watch = Stopwatch::start();
        let mut state = self.begin(train)?;
        let mut orders = EpochOrders::new(train.len(), self.shuffle);
        for epoch in 0..self.epochs {
            let order = orders.next_epoch();
            for part in order.chunks(TOGETHER) {
                self.advance(&mut state, train, part, epoch)?;
            }
            state.end_pass();
        }
        Ok((state.model, watch.seconds()))
    }

    /// The learner before its first trial.
    fn begin(&self, train: Block<'_>) -> Result<RunState, Error> {
        let mut model = self.model(train)?;
        if model.learner().surveys() {
            for i in 0..train.len() {
                let seen = model.survey(train.row(i));
                seen.map_err(|error| Error::plain(format!("{}: {error}", self.learner)))?;
            }
            model.end_survey();
        }
        let ledger = Ledger::begin(&mut model);
        let watch = Watch(MatrixUpdates::new(model.classes().list().len()));
        model.number_rows_from((self.epochs > 1).then_some(0));
        Ok(RunState {
            model,
            ledger,
            watch,
        })
    }

    /// Trials of some rows.
    fn advance(
        &self,
        state: &mut RunState,
        train: Block<'_>,
        rows: &[usize],
        epoch: u32,
    ) -> Result<(), Error> {
        self.stopped()?;
        let position = Position { epoch, first: 0 };
        let (model, watch) = (&mut state.model, &mut state.watch);
        let made = run::block(model, train, rows.iter().copied(), position, watch);
        made.map_err(|stopped| Error::plain(format!("{}: {stopped}", self.learner)))
    }

    fn measure(
        &self,
        state: &RunState,
        epoch: u32,
        test: Block<'_>,
        values: &mut Values,
    ) -> Result<(), Error> {
        let RunState {
            model,
            ledger,
            watch,
        } = state;
        let total = ledger.total();
        let classes = ledger.classes.iter().flatten();
        let binary: u64 = classes.map(|counts| counts.mistakes).sum();
        let mut put = |measure: Measure, by: Option<&str>, value: f64| {
            values.insert(value_name(measure, epoch, by), value);
        };
        put(Measure::Mistakes, None, total.mistakes as f64);
        put(Measure::BinaryMistakes, None, binary as f64);
        put(Measure::Updates, None, total.updates as f64);
        let stored = model.learner().stored();
        if let Some(stored) = stored {
            put(Measure::Support, None, stored as f64);
        }
        if let Some(updates) = watch.0.total() {
            put(Measure::MatrixUpdates, None, updates as f64);
        }
        // one look at the rows for all predictors
        let own = model.learner().hypotheses()[0];
        let by: Vec<Hypothesis> = self.by.iter().map(|by| by.unwrap_or(own)).collect();
        let mut wrong = vec![0_u64; by.len()];
        let rows = (0..test.len()).map(|i| test.row(i));
        model.scores_of_each(rows, &by, |i, predictor, scores| {
            wrong[predictor] += u64::from(model.is_wrong(scores, test.labels(i)));
        });
        self.stopped()?;
        for (by, wrong) in self.by.iter().zip(wrong) {
            let name = by.map(Hypothesis::name);
            put(Measure::Wrong, name, wrong as f64);
            let percent = 100.0 * wrong as f64 / test.len().max(1) as f64;
            put(Measure::Errors, name, percent);
        }
        Ok(())
    }
}

/// The predictor of a name.
pub(super) fn hypothesis(name: &str) -> Option<Hypothesis> {
    let all = [Hypothesis::Final, Hypothesis::Averaged, Hypothesis::Voted];
    all.into_iter().find(|by| by.name() == name)
}
