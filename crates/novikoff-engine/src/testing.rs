//! Errors of a model on rows with labels.

use std::time::{Duration, Instant};

use novikoff::classes::{Classes, LabelError, Task};
use novikoff::evaluation::Baseline;
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::remark::{LabelRemark, Remark, UnknownLabels};
use novikoff::rows::Block;
use novikoff_report::{BaselineReport, EpochEnd, ErrorCount};

use crate::Error;
use crate::events::{Context, ROWS_A_REPORT};
use crate::rows::HeldRows;

/// Errors of a predictor on a block of rows, or the first row whose labels do not fit. The rows are added to `baseline`.
/// `at` is called with how many rows are done.
pub(crate) fn errors(
    model: &Model,
    rows: Block<'_>,
    by: Option<Hypothesis>,
    baseline: &mut Baseline,
    at: impl Fn(usize),
) -> Result<u64, (usize, LabelError)> {
    let by = by.unwrap_or(model.learner().hypotheses()[0]);
    let wrong = errors_of_each(model, rows, &[by], baseline, at)?;
    Ok(wrong.iter().sum())
}

/// The errors of each of several predictors on a block of rows; the baseline is compared with the first of them.
fn errors_of_each(
    model: &Model,
    rows: Block<'_>,
    by: &[Hypothesis],
    baseline: &mut Baseline,
    at: impl Fn(usize),
) -> Result<Vec<u64>, (usize, LabelError)> {
    let multi = matches!(model.classes().task(), Task::MultiLabel);
    for row in 0..rows.len() {
        match rows.labels(row).len() {
            0 if !multi => return Err((row, LabelError::None)),
            count if count > 1 && !multi => return Err((row, LabelError::Several { count })),
            _ => {}
        }
    }
    let mut wrong = vec![0; by.len()];
    let all = (0..rows.len()).map(|row| rows.row(row));
    model.scores_of_each(all, by, |row, predictor, scores| {
        let is_wrong = model.is_wrong(scores, rows.labels(row));
        wrong[predictor] += u64::from(is_wrong);
        if predictor == 0 {
            baseline.row_beside(rows.labels(row), is_wrong);
            if row.is_multiple_of(ROWS_A_REPORT) {
                at(row);
            }
        }
    });
    Ok(wrong)
}

/// What always answering the most frequent label of some rows comes to, if they were counted.
pub(crate) fn most_frequent(baseline: &Baseline) -> BaselineReport {
    BaselineReport {
        label: baseline.label(),
        errors: baseline.errors_of_most_frequent(),
        rows: baseline.rows(),
        paired: baseline.beside_most_frequent(),
        unknown: baseline.unknown().iter().map(|(_, times)| times).sum(),
    }
}

/// Refuses rows if none of them has a label that a model knows, unless the job is lenient, and remarks on labels that it does not know.
pub(crate) fn check_labels(
    baseline: &Baseline,
    lenient: bool,
    context: Context<'_>,
) -> Result<(), Error> {
    let (known, times) = baseline.known();
    let labels = baseline.unknown();
    let unknown = UnknownLabels {
        times: labels.iter().map(|(_, times)| times).sum(),
        labels: owned(labels),
        rows: baseline.rows(),
        known: known.into_iter().map(str::to_owned).collect(),
        none: times == 0,
    };
    refuse_unknown(unknown, lenient, context)
}

fn owned(labels: Vec<(&str, u64)>) -> Vec<(String, u64)> {
    let owned = labels.into_iter().map(|(l, times)| (l.to_owned(), times));
    owned.collect()
}

/// A remark on labels that a model does not know, if there are any; an error if there are no others, unless the job is lenient.
pub(crate) fn refuse_unknown(
    unknown: UnknownLabels,
    lenient: bool,
    context: Context<'_>,
) -> Result<(), Error> {
    if unknown.times == 0 {
        return Ok(());
    }
    let none = unknown.none;
    let remark = Remark::Label(LabelRemark::Unknown(unknown));
    context.allow(&remark, lenient || !none)
}

/// Checks, before anything is learned, whether learners of rows with these classes will know the labels of rows that they are tested on.
pub(crate) fn check_labels_of(
    held: &HeldRows,
    classes: &Classes,
    lenient: bool,
    context: Context<'_>,
) -> Result<(), Error> {
    let mut baseline = Baseline::of_test(classes);
    for labels in held.labels() {
        baseline.row(labels);
    }
    check_labels(&baseline, lenient, context)
}

/// What always answering the most frequent label of rows that are held comes to.
pub(crate) fn most_frequent_of(held: &HeldRows, classes: Classes) -> BaselineReport {
    let mut baseline = Baseline::new(classes);
    for labels in held.labels() {
        baseline.row(labels);
    }
    BaselineReport {
        paired: None,
        ..most_frequent(&baseline)
    }
}

/// The test of a model on rows that are held, and their baseline; `at` is called with how many rows are done, and of how many.
pub(crate) fn test_held(
    model: &Model,
    held: &HeldRows,
    by: Option<Hypothesis>,
    at: impl Fn(u64, u64),
) -> Result<(ErrorCount, Baseline), Error> {
    let by = by.unwrap_or(model.learner().hypotheses()[0]);
    let (tests, baseline) = test_each(model, held, &[by], at)?;
    let test = tests.first().copied();
    Ok((test.unwrap_or(ErrorCount { rows: 0, errors: 0 }), baseline))
}

/// The tests of several predictors of a model on rows that are held, and the baseline of these, compared with the first predictor.
fn test_each(
    model: &Model,
    held: &HeldRows,
    by: &[Hypothesis],
    at: impl Fn(u64, u64),
) -> Result<(Vec<ErrorCount>, Baseline), Error> {
    let of = held.len() as u64;
    let mut baseline = Baseline::of_test(model.classes());
    let mut tests = vec![ErrorCount { rows: 0, errors: 0 }; by.len()];
    let mut before = 0;
    for block in held.blocks() {
        let at = |row| at(before + row as u64, of);
        match errors_of_each(model, block, by, &mut baseline, at) {
            Ok(errors) => {
                for (test, errors) in tests.iter_mut().zip(errors) {
                    test.errors += errors;
                    test.rows += block.len() as u64;
                }
            }
            Err((row, error)) => {
                let place = held.place(before as usize + row);
                return Err(Error::at(&place, &error, error.remedy()));
            }
        }
        before += block.len() as u64;
    }
    Ok((tests, baseline))
}

/// How a run stood at the ends of its epochs.
pub(crate) struct EpochEnds<'t> {
    /// Rows that every predictor of the model is tested on after each epoch.
    test: Option<&'t HeldRows>,
    /// The predictor whose test is that of the run.
    by: Option<Hypothesis>,
    pub(crate) ends: Vec<EpochEnd>,
    /// The last test, and the baseline of its rows.
    pub(crate) last: Option<(ErrorCount, Baseline)>,
    /// How long the tests took.
    pub(crate) testing: Duration,
}

impl<'t> EpochEnds<'t> {
    pub(crate) fn new(test: Option<&'t HeldRows>, by: Option<Hypothesis>) -> Self {
        EpochEnds {
            test,
            by,
            ends: Vec::new(),
            last: None,
            testing: Duration::ZERO,
        }
    }

    /// An epoch has ended. `at` is called with how many rows of a test are done, and of how many.
    pub(crate) fn ended(&mut self, model: &Model, at: impl Fn(u64, u64)) -> Result<(), Error> {
        let begun = Instant::now();
        let mut end = EpochEnd {
            support: model.learner().stored().map(|rows| rows as u64),
            ..EpochEnd::default()
        };
        if let Some(held) = self.test {
            let offered = model.learner().hypotheses();
            let first = self.by.unwrap_or(offered[0]);
            let others = offered.iter().copied().filter(|other| *other != first);
            let all: Vec<Hypothesis> = std::iter::once(first).chain(others).collect();
            let (tests, baseline) = test_each(model, held, &all, at)?;
            end.test = tests.first().copied();
            self.last = end.test.map(|test| (test, baseline));
            if all.len() > 1 {
                let names = all.iter().map(|by| by.name());
                end.tests = names.zip(tests).collect();
            }
        }
        self.ends.push(end);
        self.testing += begun.elapsed();
        Ok(())
    }
}
