//! Runs over rows that are held: epochs in orders, tests and reports.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use novikoff::certify::Diary;
use novikoff::classes::{Counts, Task};
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, NotValidated, Outcome, TrialError, Validation};
use novikoff::remark::Paired;
use novikoff::run::{self, Ledger, Observer, Stopped};
use novikoff_report::{
    BaselineReport, ClassReport, DataSummary, ErrorCount, OrderReport, Permutations, RunReport,
    Validated,
};

use crate::certify::Certifier;
use crate::certify::evidence::EvidenceRef;
use crate::checkpoint::Checkpointer;
use crate::events::{Context, Event, Phase, RunPart};
use crate::matrix_updates::MatrixUpdates;
use crate::options::{RunOptions, no_rows, skipped};
use crate::picture::PictureRecorder;
use crate::profile::Profile;
use crate::rows::HeldRows;
use crate::split::{Split, Splits};
use crate::testing::{EpochEnds, most_frequent, test_held};
use crate::{Error, StoppedWhile};

/// Shows a learner that asks for it all rows it will learn from beforehand.
pub(crate) fn survey(
    model: &mut Model,
    held: &HeldRows,
    rows: impl Iterator<Item = usize>,
) -> Result<(), Error> {
    if model.learner().surveys() {
        for row in rows {
            let (block, i) = held.at(row);
            let seen = model.survey(block.row(i));
            seen.map_err(|error| {
                let error = TrialError::Refused(error);
                held.failure(&Stopped { row, error })
            })?;
        }
        model.end_survey();
    }
    Ok(())
}

/// Rows in the order of an epoch, until they end or the run stops at one.
pub(crate) fn stretch(
    model: &mut Model,
    held: &HeldRows,
    order: &[usize],
    epoch: u32,
    watch: &mut impl Observer,
) -> Result<(), Stopped> {
    let order = order.iter().copied();
    match held.single() {
        Some(block) => run::block(
            model,
            block,
            order,
            run::Position { epoch, first: 0 },
            watch,
        ),
        None => run::blocks(
            model,
            |number| held.at(number),
            order,
            run::Position { epoch, first: 0 },
            watch,
        ),
    }
}

/// The id of the first row of a run, if its rows come again; `trials` were made before it.
pub(crate) fn first_id(epochs: u32, trials: u64) -> Option<u64> {
    (epochs > 1).then_some(trials)
}

/// Epochs over rows that are held, from where the checkpointer's run stands.
pub(crate) fn run_held(
    model: &mut Model,
    held: &HeldRows,
    checkpointer: &mut Checkpointer,
    watch: &mut impl Observer,
    ends: &mut EpochEnds<'_>,
    context: Context<'_>,
) -> Result<(), Error> {
    let mut orders = run::EpochOrders::new(held.len(), checkpointer.run.shuffle);
    let rows = held.len() as u64;
    let length = rows.saturating_mul(u64::from(checkpointer.run.epochs));
    context.begin(Phase::Epochs, Some(length));
    let made = u64::from(checkpointer.run.epoch).wrapping_mul(held.len() as u64);
    let before = checkpointer.run.ledger.totals.trials.wrapping_sub(made);
    model.number_rows_from(first_id(checkpointer.run.epochs, before));
    for epoch in 0..checkpointer.run.epochs {
        let order = orders.next_epoch();
        if epoch < checkpointer.run.epoch {
            continue;
        }
        while (checkpointer.run.done as usize) < order.len() {
            let done = checkpointer.run.done as usize;
            let end = (done + checkpointer.stretch()).min(order.len());
            stretch(model, held, &order[done..end], epoch, watch)
                .map_err(|stopped| held.failure(&stopped))?;
            checkpointer.made(end - done);
            context.at(rows.saturating_mul(u64::from(epoch)) + end as u64);
            if checkpointer.is_due() && end < order.len() {
                checkpointer.save(model, model.schema())?;
            }
        }
        checkpointer.run.ledger.end_epoch(model);
        watch.epoch_ended(&checkpointer.run.ledger);
        ends.ended(model, |_, _| {})?;
        (checkpointer.run.epoch, checkpointer.run.done) = (epoch + 1, 0);
        if checkpointer.run.until_separated && checkpointer.run.ledger.is_separated() {
            break;
        }
        if checkpointer.is_due() && checkpointer.run.epoch < checkpointer.run.epochs {
            checkpointer.save(model, model.schema())?;
        }
    }
    context.end();
    Ok(())
}

/// The counts of each class's learner, epoch by epoch, in the order of the labels; none if there is one problem.
fn class_counts(model: &Model, ledger: &Ledger) -> Option<Vec<(String, Vec<Counts>)>> {
    if model.classes().is_binary() {
        return None;
    }
    let class = |&k: &usize| {
        let name = model.classes().list()[k].label.name().to_owned();
        (name, ledger.classes.get(k).cloned().unwrap_or_default())
    };
    Some(model.classes().order().iter().map(class).collect())
}

/// The report of a run that began at `begun`.
pub(crate) fn report(
    model: &Model,
    by: Option<Hypothesis>,
    ledger: Ledger,
    (rows, features): (u64, u32),
    begun: Instant,
) -> RunReport {
    let classes = class_counts(model, &ledger).map(|classes| {
        let class = |(class, epochs)| ClassReport {
            class,
            epochs,
            certificate: None,
        };
        classes.into_iter().map(class).collect()
    });
    let validation = match (ledger.validation, model.validated(by)) {
        (Some(Validation { rows, errors, .. }), _) => {
            Validated::Counted(ErrorCount { rows, errors })
        }
        (None, Err(why)) => why.into(),
        (None, Ok(_)) => NotValidated::BegunWithout.into(),
    };
    RunReport {
        spec: model.spec().text().to_owned(),
        kernel: model.kernel().to_string(),
        map: model.map().map(ToString::to_string),
        parameters: model.all_parameters(),
        data: DataSummary {
            rows,
            features,
            classes: model.classes().count(),
        },
        epochs: ledger.epochs,
        ends: Vec::new(),
        separated: None,
        is_multilabel: matches!(model.classes().task(), Task::MultiLabel),
        baseline: None,
        validation,
        classes,
        test: None,
        test_baseline: None,
        certificate: None,
        resumed: None,
        permutations: None,
        options: None,
        trace: None,
        skipped: None,
        panel: model.learner().panel(),
        collisions: model
            .names()
            .bits()
            .map(|bits| (bits, model.names().collisions())),
        course: Vec::new(),
        picture: None,
        remarks: Vec::new(),
        seconds: begun.elapsed().as_secs_f64(),
        test_seconds: None,
    }
}

/// Watches a run of several orders.
struct OrderObservers<'p> {
    picture: PictureRecorder,
    diary: Option<Diary>,
    /// Whether the baseline was wrong on each row, in their order, and how many were tried.
    baseline: (&'p VecDeque<bool>, usize),
    paired: Paired,
    matrix: MatrixUpdates,
}

impl Observer for OrderObservers<'_> {
    fn epoch_ended(&mut self, ledger: &Ledger) {
        self.picture.epoch_ended(ledger);
        self.matrix.end_epoch();
    }

    fn trial(&mut self, epoch: u32, row: u64, outcome: Outcome<'_>) {
        self.matrix.trial(outcome);
        self.picture.trial(epoch, row, outcome);
        let (wrong, tried) = &mut self.baseline;
        if epoch == 0
            && let (Some(&other), Some(is_wrong)) =
                (wrong.get(*tried), outcome.is_validation_error())
        {
            self.paired.row(is_wrong, other);
            *tried += 1;
        }
        if let Some(diary) = &mut self.diary {
            diary.trial(epoch, row, outcome);
        }
    }
}

/// Trials between two looks at the request to stop.
const BETWEEN_LOOKS: usize = 64;

/// Rows divided into those that are learned from and those that are tested on.
struct Division {
    of: Splits,
    split: Split,
    test: HeldRows,
}

/// A run repeated over several orders.
pub(crate) struct OrderedRuns<'o> {
    pub(crate) run: &'o RunOptions,
    pub(crate) held: &'o HeldRows,
    pub(crate) test: Option<&'o HeldRows>,
    pub(crate) by: Option<Hypothesis>,
    /// Validates all orders, and not the first alone.
    pub(crate) validates_all: bool,
    /// Certifies the first order.
    pub(crate) certifier: Option<&'o Certifier<'o>>,
    /// The rows in the first order.
    pub(crate) profile: &'o Profile,
    /// Gathers more than mistakes for charts of the first order.
    pub(crate) charts: bool,
    pub(crate) context: Context<'o>,
    /// Listens to how far each run is; `context` may have no listener.
    pub(crate) shown: Context<'o>,
}

impl OrderedRuns<'_> {
    /// The report of the first order, with the spread of all. Each begins with a model that knows nothing.
    #[allow(clippy::too_many_lines)] // the steps of a run, in order
    pub(crate) fn run(&self, fresh: impl Fn() -> Result<Model, Error>) -> Result<RunReport, Error> {
        let (run, held) = (self.run, self.held);
        if held.is_empty() {
            return Err(no_rows());
        }
        let mut first = None;
        let mut permutations = Permutations::default();
        let (mut learning, mut testing) = (Duration::ZERO, Duration::ZERO);
        for n in 0..u64::from(run.repeats().unwrap_or(1)) {
            let seed = run.seed_of(n);
            let division = self.division(seed)?;
            let rows = division
                .as_ref()
                .map_or(held.len(), |d| d.split.train.len());
            let mut model = fresh()?;
            let begun = Instant::now();
            match &division {
                None => survey(&mut model, held, 0..held.len())?,
                Some(division) => survey(&mut model, held, division.split.train.iter().copied())?,
            }
            let mut ledger = Ledger::begin(&mut model);
            if n == 0 || self.validates_all {
                // the report says why, if it cannot be
                let _ = model.validate(self.by);
            }
            let orders = division.as_ref().map(|division| division.split.orders);
            let mut orders = run::EpochOrders::new(rows, orders.or(seed));
            model.number_rows_from(first_id(run.epochs(), model.totals().trials));
            let whole = n == 0 && self.charts;
            let length = (rows as u64).saturating_mul(u64::from(run.epochs()));
            let mut made = 0;
            let mut watch = OrderObservers {
                picture: PictureRecorder::new(&model, &ledger, whole, None),
                diary: (n == 0 && self.certifier.is_some()).then(Diary::default),
                baseline: (self.profile.wrong(), 0),
                paired: Paired::default(),
                matrix: MatrixUpdates::new(model.classes().list().len()),
            };
            watch.picture.held(held);
            let test = self
                .test
                .or(division.as_ref().map(|division| &division.test));
            let mut ends = EpochEnds::new(test.filter(|_| run.test_every_epoch), self.by);
            for epoch in 0..run.epochs() {
                let mut order = Cow::Borrowed(orders.next_epoch());
                if let Some(Division { split, .. }) = &division {
                    order = order.iter().map(|&place| split.train[place]).collect();
                }
                let mut done = 0;
                while done < order.len() {
                    if self.context.interrupt.is_requested() {
                        return Err(Error::Stopped(StoppedWhile::Orders));
                    }
                    let rows = model.learner().lookahead().max(BETWEEN_LOOKS);
                    let end = (done + rows).min(order.len());
                    stretch(&mut model, held, &order[done..end], epoch, &mut watch)
                        .map_err(|stopped| held.failure(&stopped))?;
                    made += (end - done) as u64;
                    done = end;
                    self.show(&model, RunPart::Learning, made, length);
                }
                ledger.end_epoch(&mut model);
                watch.epoch_ended(&ledger);
                ends.ended(&model, |done, of| {
                    self.show(&model, RunPart::Testing, done, of);
                })?;
                if run.until_separated && ledger.is_separated() {
                    break;
                }
            }
            watch.matrix.put_into(&mut ends.ends);
            let separated = run.until_separated.then(|| ledger.is_separated());
            learning += begun.elapsed().saturating_sub(ends.testing);
            let tested = Instant::now();
            let last = match (ends.last.take(), test) {
                (Some(last), _) => Some(last),
                (None, Some(rows)) => {
                    let at = |done, of| self.show(&model, RunPart::Testing, done, of);
                    Some(test_held(&model, rows, self.by, at)?)
                }
                (None, None) => None,
            };
            let (test, test_baseline) = last.unzip();
            testing += ends.testing + tested.elapsed();
            let counted = |v: &Validation| ErrorCount {
                rows: v.rows,
                errors: v.errors,
            };
            permutations.runs.push(OrderReport {
                seed: seed.unwrap_or(0),
                epochs: ledger.epochs.clone(),
                ends: ends.ends.clone(),
                classes: class_counts(&model, &ledger).unwrap_or_default(),
                test,
                validation: ledger.validation.as_ref().map(counted),
            });
            if first.is_none() {
                let facts = |division: &Division| division.split.facts(&division.of);
                permutations.split = division.as_ref().map(facts);
                let size = (rows as u64, held.width());
                let mut report = report(&model, self.by, ledger, size, begun);
                (report.test, report.separated) = (test, separated);
                report.ends = ends.ends;
                report.test_baseline = test_baseline.as_ref().map(most_frequent);
                report.baseline = Some(BaselineReport {
                    paired: Some(watch.paired),
                    ..self.profile.baseline()
                });
                if whole || self.certifier.is_some() {
                    model.adopt(Arc::clone(&held.schema));
                }
                if let (Some(certifier), Some(diary)) = (self.certifier, &watch.diary) {
                    self.show(&model, RunPart::Certifying, 0, 1);
                    certifier.certify(&mut report, &model, diary, EvidenceRef::Rows(held))?;
                }
                (report.course, report.picture) = watch.picture.finish(&model);
                first = Some(report);
            }
            self.context.at(n + 1);
        }
        let mut report = first.ok_or_else(|| Error::plain("no order was run"))?;
        report.seconds = learning.as_secs_f64();
        let has_test = self.test.is_some() || run.splits.is_some();
        report.test_seconds = has_test.then_some(testing.as_secs_f64());
        report.permutations = run.repeats().map(|_| permutations);
        report.skipped = skipped(&held.skipped);
        Ok(report)
    }

    /// The division of a seed, if rows are divided.
    fn division(&self, seed: Option<u64>) -> Result<Option<Division>, Error> {
        let Some(of) = self.run.splits else {
            return Ok(None);
        };
        let split = of.split(self.held, seed.unwrap_or(0))?;
        let test = split.test_rows(self.held);
        Ok(Some(Division { of, split, test }))
    }

    fn show(&self, model: &Model, part: RunPart, done: u64, of: u64) {
        let spec = model.spec().text();
        self.shown.listener.event(Event::RunAt {
            spec,
            part,
            done,
            of,
        });
    }
}
