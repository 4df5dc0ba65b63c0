//! What `train` and `compare` share: a run over rows in memory, its test and its report.

use std::time::{Duration, Instant};

use novikoff::classes::{LabelError, Task};
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, TrialError};
use novikoff::rows::{Block, Rows};
use novikoff::run::{self, Ledger, Orders, Stopped, Watch};
use novikoff_report::{ClassReport, DataSummary, Permutations, RunReport, TestReport};

use crate::args::RunArgs;
use crate::error::Failure;
use crate::input::Memory;
use crate::job;
use crate::progress::Progress;

/// Epochs over rows in memory.
pub(crate) fn run_in_memory(
    model: &mut Model,
    rows: &Rows,
    epochs: u32,
    shuffle: Option<u64>,
    watch: &mut impl Watch,
) -> Result<Ledger, Stopped> {
    survey(model, rows)?;
    let mut ledger = Ledger::begin(model);
    let mut orders = Orders::new(rows.len(), shuffle);
    for epoch in 0..epochs {
        let order = orders.next_epoch().iter().copied();
        run::block(model, rows.view(), order, (epoch, 0), watch)?;
        ledger.end_epoch(model);
    }
    Ok(ledger)
}

/// Shows a learner that asks for it all rows beforehand.
fn survey(model: &mut Model, rows: &Rows) -> Result<(), Stopped> {
    if model.learner.surveys() {
        let mut buffer = Vec::new();
        for row in 0..rows.len() {
            let x = model.preparation.apply(rows.row(row), &mut buffer);
            let seen = model.learner.survey(x);
            seen.map_err(|error| Stopped {
                row,
                error: TrialError::Refused(error),
            })?;
        }
        model.learner.surveyed();
    }
    Ok(())
}

/// Errors of a predictor on a block of rows, or the first row whose labels do not fit.
pub(crate) fn errors(
    model: &Model,
    rows: Block<'_>,
    by: Option<Hypothesis>,
    scores: &mut Vec<f64>,
) -> Result<u64, (usize, LabelError)> {
    let mut wrong = 0;
    let multi = matches!(model.classes.task(), Task::MultiLabel);
    for row in 0..rows.len() {
        match rows.labels(row).len() {
            0 if !multi => return Err((row, LabelError::None)),
            count if count > 1 && !multi => return Err((row, LabelError::Several { count })),
            _ => {}
        }
        model.scores(rows.row(row), by, scores);
        wrong += u64::from(model.is_wrong(scores, rows.labels(row)));
    }
    Ok(wrong)
}

/// The test of a model on rows in memory.
pub(crate) fn test_in_memory(
    model: &Model,
    memory: &Memory,
    by: Option<Hypothesis>,
) -> Result<TestReport, Failure> {
    match errors(model, memory.rows.view(), by, &mut Vec::new()) {
        Ok(errors) => Ok(TestReport {
            rows: memory.rows.len() as u64,
            errors,
        }),
        Err((row, error)) => Err(format!("{}{error}", memory.place(row)).into()),
    }
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
        };
        model.classes.order().iter().map(class).collect()
    });
    RunReport {
        spec: model.spec.text().to_owned(),
        kernel: "linear".to_owned(),
        parameters: model.parameters.clone(),
        data: DataSummary {
            rows,
            features,
            classes: model.classes.count(),
        },
        epochs: ledger.epochs,
        classes,
        test: None,
        resumed: None,
        permutations: None,
        seconds: begun.elapsed().as_secs_f64(),
    }
}

/// Watches nothing.
struct Nobody;

impl Watch for Nobody {
    fn trial(&mut self, _epoch: u32, _row: u64, _model: &Model, _mistake: bool) {}
}

/// The report of a run repeated over several orders: the first order's, with the spread of all.
pub(crate) fn over_orders(
    run: &RunArgs,
    memory: &Memory,
    test: Option<&Memory>,
    by: Option<Hypothesis>,
    progress: &Progress,
    fresh: impl Fn() -> Result<Model, Failure>,
) -> Result<RunReport, Failure> {
    if memory.rows.is_empty() {
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
        let ledger = run_in_memory(&mut model, &memory.rows, run.epochs, seed, &mut Nobody)
            .map_err(|stopped| memory.failure(&stopped))?;
        learning += begun.elapsed();
        let test = test
            .map(|rows| test_in_memory(&model, rows, by))
            .transpose()?;
        permutations
            .runs
            .push((seed.unwrap_or(0), ledger.total(), test));
        if first.is_none() {
            let size = (memory.rows.len() as u64, memory.rows.width());
            let mut report = report(&model, ledger, size, begun);
            report.test = test;
            first = Some(report);
        }
        progress.at(n + 1);
    }
    let mut report = first.ok_or("no order was run")?;
    report.seconds = learning.as_secs_f64();
    report.permutations = run.permutations.map(|_| permutations);
    Ok(report)
}
