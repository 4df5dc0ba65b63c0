//! What `train` and `compare` share: a run over rows that are held, its test and its report.

use std::time::{Duration, Instant};

use novikoff::certify::Diary;
use novikoff::classes::{LabelError, Task};
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Totals, TrialError};
use novikoff::rows::Block;
use novikoff::run::{self, Ledger, Orders, Stopped, Watch};
use novikoff_report::{ClassReport, DataSummary, Permutations, RunReport, TestReport};

use crate::args::RunArgs;
use crate::certify::Notary;
use crate::checkpoint::Keeper;
use crate::error::Failure;
use crate::input::Held;
use crate::job;
use crate::picture::Painter;
use crate::progress::Progress;
use crate::witness::Seen;

/// Shows a learner that asks for it all rows it will learn from beforehand.
pub(crate) fn survey(
    model: &mut Model,
    held: &Held,
    rows: impl Iterator<Item = usize>,
) -> Result<(), Failure> {
    if model.learner.surveys() {
        let mut buffer = Vec::new();
        for row in rows {
            let (block, i) = held.at(row);
            let x = model.preparation.apply(block.row(i), &mut buffer);
            let seen = model.learner.survey(x);
            seen.map_err(|error| {
                let error = TrialError::Refused(error);
                held.failure(&Stopped { row, error })
            })?;
        }
        model.learner.surveyed();
    }
    Ok(())
}

/// Rows in the order of an epoch, until they end or the run stops at one.
pub(crate) fn stretch(
    model: &mut Model,
    held: &Held,
    order: &[usize],
    epoch: u32,
    watch: &mut impl Watch,
) -> Result<(), Stopped> {
    let order = order.iter().copied();
    match held.single() {
        Some(block) => run::block(model, block, order, (epoch, 0), watch),
        None => run::blocks(model, |number| held.at(number), order, (epoch, 0), watch),
    }
}

/// The id of the first row of a run, if its rows come again; `trials` were made before it.
pub(crate) fn first_id(epochs: u32, trials: u64) -> Option<u64> {
    (epochs > 1).then_some(trials)
}

/// Epochs over rows that are held, from where the keeper's run stands.
pub(crate) fn run_held(
    model: &mut Model,
    held: &Held,
    ledger: &mut Ledger,
    keeper: &mut Keeper,
    watch: &mut impl Watch,
) -> Result<(), Failure> {
    let mut orders = Orders::new(held.len(), keeper.run.shuffle);
    let made = u64::from(keeper.run.epoch).wrapping_mul(held.len() as u64);
    model.first_id = first_id(keeper.run.epochs, ledger.totals.trials.wrapping_sub(made));
    for epoch in 0..keeper.run.epochs {
        let order = orders.next_epoch();
        if epoch < keeper.run.epoch {
            continue;
        }
        while (keeper.run.done as usize) < order.len() {
            let done = keeper.run.done as usize;
            let end = (done + keeper.stretch()).min(order.len());
            stretch(model, held, &order[done..end], epoch, watch)
                .map_err(|stopped| held.failure(&stopped))?;
            keeper.made(end - done);
            if keeper.is_due() && end < order.len() {
                keeper.keep(model, ledger)?;
            }
        }
        ledger.end_epoch(model);
        (keeper.run.epoch, keeper.run.done) = (epoch + 1, 0);
        if keeper.is_due() && keeper.run.epoch < keeper.run.epochs {
            keeper.keep(model, ledger)?;
        }
    }
    Ok(())
}

/// Errors of a predictor on a block of rows, or the first row whose labels do not fit.
pub(crate) fn errors(
    model: &Model,
    rows: Block<'_>,
    by: Option<Hypothesis>,
) -> Result<u64, (usize, LabelError)> {
    let multi = matches!(model.classes.task(), Task::MultiLabel);
    for row in 0..rows.len() {
        match rows.labels(row).len() {
            0 if !multi => return Err((row, LabelError::None)),
            count if count > 1 && !multi => return Err((row, LabelError::Several { count })),
            _ => {}
        }
    }
    let mut wrong = 0;
    let all = (0..rows.len()).map(|row| rows.row(row));
    model.scores_of(all, by, |row, scores| {
        wrong += u64::from(model.is_wrong(scores, rows.labels(row)));
    });
    Ok(wrong)
}

/// The test of a model on rows that are held.
pub(crate) fn test_held(
    model: &Model,
    held: &Held,
    by: Option<Hypothesis>,
) -> Result<TestReport, Failure> {
    let mut report = TestReport { rows: 0, errors: 0 };
    for block in held.blocks() {
        match errors(model, block, by) {
            Ok(errors) => report.errors += errors,
            Err((row, error)) => {
                let place = held.place(report.rows as usize + row);
                return Err(format!("{place}{error}").into());
            }
        }
        report.rows += block.len() as u64;
    }
    Ok(report)
}

/// The report of a run that began at `begun`.
pub(crate) fn report(
    model: &Model,
    ledger: Ledger,
    (rows, features): (u64, u32),
    begun: Instant,
) -> RunReport {
    let classes = (!model.classes.is_binary()).then(|| {
        let class = |&k: &usize| ClassReport {
            class: model.classes.list()[k].label.name().to_owned(),
            epochs: ledger.classes.get(k).cloned().unwrap_or_default(),
            certificate: None,
        };
        model.classes.order().iter().map(class).collect()
    });
    RunReport {
        spec: model.spec.text().to_owned(),
        kernel: model.kernel.to_string(),
        parameters: model.parameters.clone(),
        data: DataSummary {
            rows,
            features,
            classes: model.classes.count(),
        },
        epochs: ledger.epochs,
        classes,
        test: None,
        certificate: None,
        resumed: None,
        permutations: None,
        options: None,
        trace: None,
        skipped: None,
        collisions: model
            .names
            .bits()
            .map(|bits| (bits, model.names.collisions())),
        course: Vec::new(),
        picture: None,
        seconds: begun.elapsed().as_secs_f64(),
    }
}

/// Watches nothing.
pub(crate) struct Nobody;

impl Watch for Nobody {
    fn trial(&mut self, _epoch: u32, _row: u64, _model: &Model, _mistake: bool) {}
}

/// Whoever watches a run of several orders.
struct Onlookers {
    painter: Painter,
    diary: Option<Diary>,
}

impl Watch for Onlookers {
    fn trial(&mut self, epoch: u32, row: u64, model: &Model, mistake: bool) {
        self.painter.trial(epoch, row, model, mistake);
        if let Some(diary) = &mut self.diary {
            diary.trial(epoch, row, model, mistake);
        }
    }
}

/// The report of a run repeated over several orders: the first order's, with the spread of all.
pub(crate) fn over_orders(
    run: &RunArgs,
    held: &Held,
    test: Option<&Held>,
    by: Option<Hypothesis>,
    (notary, is_drawn): (Option<&Notary<'_>>, bool),
    progress: &Progress,
    fresh: impl Fn() -> Result<Model, Failure>,
) -> Result<RunReport, Failure> {
    if held.is_empty() {
        return Err(job::no_rows());
    }
    let mut first = None;
    let mut permutations = Permutations::default();
    let mut learning = Duration::ZERO;
    for n in 0..u64::from(run.permutations.unwrap_or(1)) {
        let seed = run
            .permutations
            .map(|_| run.shuffle.unwrap_or(0).wrapping_add(n))
            .or(run.shuffle);
        let mut model = fresh()?;
        let begun = Instant::now();
        survey(&mut model, held, 0..held.len())?;
        let mut ledger = Ledger::begin(&mut model);
        let mut orders = Orders::new(held.len(), seed);
        model.first_id = first_id(run.epochs(), model.totals.trials);
        let whole = n == 0 && is_drawn;
        let mut watch = Onlookers {
            painter: Painter::new(&model, Totals::default(), whole),
            diary: (n == 0 && notary.is_some()).then(Diary::default),
        };
        for epoch in 0..run.epochs() {
            stretch(&mut model, held, orders.next_epoch(), epoch, &mut watch)
                .map_err(|stopped| held.failure(&stopped))?;
            ledger.end_epoch(&mut model);
        }
        learning += begun.elapsed();
        let test = test.map(|rows| test_held(&model, rows, by)).transpose()?;
        permutations
            .runs
            .push((seed.unwrap_or(0), ledger.total(), test));
        if first.is_none() {
            let size = (held.len() as u64, held.width());
            let mut report = report(&model, ledger, size, begun);
            report.test = test;
            if whole || notary.is_some() {
                model.names = held.names.clone();
                model.table.clone_from(&held.table);
            }
            if let (Some(notary), Some(diary)) = (notary, &watch.diary) {
                let quiet = Progress::new(true);
                notary.certify(&mut report, &model, diary, Seen::Rows(held), &quiet)?;
            }
            (report.course, report.picture) = watch.painter.finish(&model);
            first = Some(report);
        }
        progress.at(n + 1);
    }
    let mut report = first.ok_or("no order was run")?;
    report.seconds = learning.as_secs_f64();
    report.permutations = run.permutations.map(|_| permutations);
    report.skipped = job::skipped(&held.skipped);
    Ok(report)
}
