//! Errors of a model on rows with labels.

use novikoff::classes::{Classes, LabelError, Task};
use novikoff::evaluation::Baseline;
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::rows::Block;
use novikoff_report::{BaselineReport, ErrorCount};

use crate::Error;
use crate::events::ROWS_A_REPORT;
use crate::rows::HeldRows;

/// Errors of a predictor on a block of rows, or the first row whose labels do not fit.
/// `at` is called with how many rows are done.
pub(crate) fn errors(
    model: &Model,
    rows: Block<'_>,
    by: Option<Hypothesis>,
    at: impl Fn(usize),
) -> Result<u64, (usize, LabelError)> {
    let multi = matches!(model.classes().task(), Task::MultiLabel);
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
        if row.is_multiple_of(ROWS_A_REPORT) {
            at(row);
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
    }
}

/// What always answering the most frequent label of rows that are held comes to.
pub(crate) fn most_frequent_of(held: &HeldRows, classes: Classes) -> BaselineReport {
    let mut baseline = Baseline::new(classes);
    for labels in held.labels() {
        baseline.row(labels);
    }
    most_frequent(&baseline)
}

/// The test of a model on rows that are held; `at` is called with how many rows are done, and of how many.
pub(crate) fn test_held(
    model: &Model,
    held: &HeldRows,
    by: Option<Hypothesis>,
    at: impl Fn(u64, u64),
) -> Result<ErrorCount, Error> {
    let of = held.len() as u64;
    let mut report = ErrorCount { rows: 0, errors: 0 };
    for block in held.blocks() {
        let before = report.rows;
        match errors(model, block, by, |row| at(before + row as u64, of)) {
            Ok(errors) => report.errors += errors,
            Err((row, error)) => {
                let place = held.place(report.rows as usize + row);
                return Err(Error::at(&place, &error, error.remedy()));
            }
        }
        report.rows += block.len() as u64;
    }
    Ok(report)
}
