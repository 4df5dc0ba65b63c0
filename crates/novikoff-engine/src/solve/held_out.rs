//! What a solution is worth on rows that it was not solved for, where there are no rows to test it on: a solution of some rows, on some others.

use novikoff::classes::Task;
use novikoff::random::SplitMix64;
use novikoff::remark::{Errors, Remark, ResultRemark, SquaredErrors};
use novikoff::rows::Rows;

use super::rows::Labelled;
use super::{ReadRows, Solve};
use crate::Error;
use crate::events::Context;
use crate::prepared::Prepared;
use crate::rows::HeldRows;
use crate::testing::{most_frequent, test_held};
use crate::worth;
use crate::worth::numbers::{are_quantities, test_numbers};

/// Rows that are looked at,
const ROWS: usize = 3000;

/// and the part of them that is held out: one row in three.
const HELD_OUT: usize = 3;

/// Fewer rows than this say nothing.
const FEWEST: usize = 60;

/// How well the solution of a part is found, and in how many passes; nothing is said of one that is not.
const GAP: f64 = 1e-2;
const MAX_PASSES: u32 = 1000;

impl Solve {
    /// A remark if a solution of some of the rows is no better than the baseline on others.
    pub(super) fn held_out(
        &self,
        read: &ReadRows,
        lambda: f64,
        context: Context<'_>,
    ) -> Result<Option<Remark>, Error> {
        let task = read.labelled.classes.task();
        let is_judged = match task {
            Task::Binary { .. } | Task::OneVsRest => true,
            Task::MultiLabel => false,
            Task::Regression => are_quantities(&self.loss),
        };
        // weights of classes ask for other errors than the baseline's
        if !is_judged || !self.class_weight.is_off() || read.held.len() < FEWEST {
            return Ok(None);
        }
        let mut places: Vec<usize> = (0..read.held.len()).collect();
        SplitMix64::new(0).shuffle(&mut places);
        places.truncate(ROWS);
        let out = places.len() / HELD_OUT;
        let (test, train) = places.split_at(out);
        let (test, train) = (part(&read.held, test), part(&read.held, train));
        let is_regression = matches!(task, Task::Regression);
        if !is_regression && train.label_counts().len() < 2 {
            return Ok(None);
        }
        let mut job = self.clone();
        job.gap = self.gap.max(GAP);
        job.max_passes = self.max_passes.min(MAX_PASSES);
        let solved_for = train.len() as u64;
        let read = ReadRows {
            labelled: Labelled::new(&job, &train, task.clone())?,
            held: train,
            preparation: read.preparation.clone(),
            baseline: None,
        };
        let prepared = Prepared::new(&read.held, &read.preparation, self.rows.memory)?;
        let (_, paths) = job.solutions(&read, &prepared, &[lambda], context.quiet())?;
        let solutions: Vec<_> = paths.iter().map(|path| &path[0]).collect();
        let mut gaps = solutions.iter().map(|solution| solution.report.certificate);
        if !gaps.all(|certificate| certificate.reaches(job.gap)) {
            return Ok(None);
        }
        let model = job.model(&solutions, &read, &prepared, lambda)?;
        if is_regression {
            let errors = test_numbers(&model, &test)?.errors();
            return Ok(self.numbers_held_out(errors, solved_for, &test));
        }
        let (report, baseline) = test_held(&model, &test, None, |_, _| ())?;
        let baseline = most_frequent(&baseline);
        let errors = Errors {
            errors: report.errors,
            rows: report.rows,
        };
        let advice = self.advice(&test);
        let advice = advice.on(worth::share(&baseline), model.classes().is_binary());
        let is_no_better = errors.is_no_better_than(baseline.errors, baseline.paired);
        Ok(is_no_better.then(|| {
            Remark::Result(ResultRemark::HeldOut {
                errors,
                solved_for,
                baseline: baseline.errors,
                label: baseline.label.clone(),
                advice,
            })
        }))
    }

    /// A remark if answers that are numbers are no better than the mean on rows held out.
    fn numbers_held_out(
        &self,
        errors: SquaredErrors,
        solved_for: u64,
        test: &HeldRows,
    ) -> Option<Remark> {
        let advice = self.number_advice(&errors, self.advice(test));
        errors.is_no_better().then_some({
            Remark::Result(ResultRemark::NumberHeldOut {
                errors,
                solved_for,
                advice,
            })
        })
    }
}

/// Some of the rows.
fn part(held: &HeldRows, places: &[usize]) -> HeldRows {
    let mut rows = Rows::new();
    for &place in places {
        let (block, row) = held.at(place);
        rows.copy_row(block, row);
    }
    held.with(rows)
}
