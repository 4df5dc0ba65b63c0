//! Tuning: the best of several candidates, by progressive validation or on folds.

mod edge;
mod folds;
mod judge;
mod online;
mod solver;

use std::path::PathBuf;

use novikoff::kernel::KernelSpec;
use novikoff::map::MapSpec;
use novikoff::quantity::plural;
use novikoff::remark::{Advice, Errors, Measured, OrderRemark, Remark, ResultRemark};
use novikoff::spec::Spec;
use novikoff_report::{BaselineReport, ConstantAnswer, DataSummary, Measure, Noted, TriedReport};

use crate::Error;
use crate::data::Data;
use crate::events::Context;
use crate::options::{RowOptions, RunOptions};
use crate::profile::following;
use crate::rows::HeldRows;
use crate::solve::Solve;
use crate::worth;
use folds::FoldScore;
pub use judge::TuneBy;

/// A learner to be tried, with its kernel and its map.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The learner.
    pub spec: Spec,
    /// The kernel, if one is asked for.
    pub kernel: Option<KernelSpec>,
    /// The map that makes features of rows, if one is asked for.
    pub map: Option<MapSpec>,
}

/// Learners to be tried on the same rows.
#[derive(Clone, Debug)]
pub struct TuneLearners {
    /// The rows.
    pub data: Data,
    /// What is tried.
    pub candidates: Vec<Candidate>,
    /// Parts of the rows; if none, candidates are judged by the validation of their first pass, or by its mistakes where there is none.
    pub folds: Option<u32>,
    /// What candidates are judged by; all but errors on folds only.
    pub by: TuneBy,
    /// The seed of the folds.
    pub seed: u64,
    /// How learners run; the kernel and the map are the candidate's.
    pub run: RunOptions,
    /// How rows are read.
    pub rows: RowOptions,
    /// Where the best, trained on all rows, is saved.
    pub output: Option<PathBuf>,
}

/// Problems of the solver to be tried on the same folds. They differ in loss, regulariser, kernel and map; their lambdas are all tried.
#[derive(Clone, Debug)]
pub struct TuneSolver {
    /// What is tried.
    pub problems: Vec<Solve>,
    /// Parts of the rows.
    pub folds: u32,
    /// What problems are judged by; those that predict numbers by their squared error.
    pub by: TuneBy,
    /// The seed of the folds.
    pub seed: u64,
    /// Where the best, solved for all rows, is saved.
    pub output: Option<PathBuf>,
}

/// What tuning came to.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The data.
    pub data: DataSummary,
    /// What candidates were compared by.
    pub measure: Measure,
    /// In the order of the candidates; of the solver problem by problem, each with all lambdas. Those that were not done when it was asked to
    /// stop are left out.
    pub tried: Vec<TriedReport>,
    /// The number of each of them among all.
    pub numbers: Vec<usize>,
    /// How many were not done because it was asked to stop. The best is not saved then.
    pub stopped: usize,
    /// The best of them.
    pub best: usize,
    /// What always answering the most frequent label so far comes to, or the mean of labels that are quantities.
    pub baseline: Option<ConstantAnswer>,
    /// What answers that say nothing of a row come to in the measure, if it is none of the baseline's and is known.
    pub constant: Option<f64>,
    /// What is worth knowing, each once.
    pub remarks: Vec<Noted>,
}

/// What is worth saying of the best of a grid, judged by errors if there is a baseline.
fn remark_on(
    tried: &[TriedReport],
    best: usize,
    measure: Measure,
    baseline: Option<(&BaselineReport, Advice)>,
    constant: Option<f64>,
    held: &HeldRows,
    context: Context<'_>,
) {
    if baseline.is_some()
        && let Some(remark) = few_rows(held)
    {
        context.remark(&remark);
    }
    let by_errors = baseline.filter(|_| measure == Measure::Errors);
    if let (Some((baseline, advice)), Some(top)) = (by_errors, tried.get(best)) {
        let (rows, lost) = top.parts.iter().fold((0, 0.0), |(rows, lost), part| {
            (rows + part.0, lost + part.1)
        });
        // several orders have the rows several times
        let times = (rows as f64 / baseline.rows.max(1) as f64).max(1.0);
        let errors = Errors {
            errors: (lost / times).round() as u64,
            rows: baseline.rows,
        };
        if let Some(remark) = worth::against(Measured::Grid, errors, baseline, advice) {
            context.remark(&remark);
        }
    }
    if let (Some((_, advice)), Some(constant), Some(top)) = (baseline, constant, tried.get(best))
        && let Some(remark) = against_constant(top, measure, constant, advice)
    {
        context.remark(&remark);
    }
    for remark in edge::remarks(tried, best, measure) {
        context.remark(&remark);
    }
}

/// A remark on rows that are dealt to folds at random, although their labels follow each other; or those of rows with the same category, so that the label of
/// the row before does better than the best of the grid.
fn of_folds(held: &HeldRows, best: &TriedReport, measure: Measure) -> Option<Remark> {
    let following = following(held);
    if let Some(order) = following.neighbours {
        return Some(Remark::Order(OrderRemark::Folds(order)));
    }
    let parts = best.parts.iter().filter(|_| measure == Measure::Errors);
    let lost: f64 = parts.map(|part| part.1).sum();
    let errors = Errors {
        errors: lost.round() as u64,
        rows: held.len() as u64,
    };
    worth::row_before(errors, following)
}

/// A remark if a candidate is better in a measure than answers that say nothing of a row by no more than two standard errors over the folds.
fn against_constant(
    top: &TriedReport,
    measure: Measure,
    constant: f64,
    advice: Advice,
) -> Option<Remark> {
    let (spread, parts) = (top.score(measure), top.parts.len());
    let gain = if measure.is_maximised() {
        spread.mean - constant
    } else {
        constant - spread.mean
    };
    let is_no_better = parts > 1 && gain <= 2.0 * spread.sd / (parts as f64).sqrt();
    let of = measure.constant().filter(|_| is_no_better)?;
    Some(Remark::Result(ResultRemark::ConstantMeasure {
        measure: measure.words(),
        value: spread.mean,
        deviation: spread.sd,
        folds: parts as u64,
        is_worse: gain <= 0.0,
        constant,
        of,
        // it is judged by another measure than errors
        advice: Advice {
            rare: false,
            weighted: false,
            ..advice
        },
    }))
}

/// Rows of each label that a choice should have at least.
const ROWS_OF_LABEL: u64 = 10;

/// A remark if there are few rows to choose by.
fn few_rows(held: &HeldRows) -> Option<Remark> {
    let rarest = held.label_counts().iter().map(|(_, rows)| *rows).min()?;
    (rarest < ROWS_OF_LABEL).then_some(Remark::Result(ResultRemark::FewRows {
        what: "the settings",
        rows: held.len() as u64,
        rarest,
        instead: None,
    }))
}

fn check_folds(folds: u32, rows: usize) -> Result<(), Error> {
    if folds == 0 {
        return Err(Error::plain(
            "0 folds: there must be at least one part of the rows",
        ));
    }
    if folds as usize > rows {
        let rows = plural(rows as u64, "row");
        let what = format!("{folds} folds of {rows}: every fold needs one");
        return Err(Error::refused(what, "give fewer folds"));
    }
    Ok(())
}

fn tried(words: Vec<(&'static str, String)>, parts: &[FoldScore]) -> TriedReport {
    TriedReport {
        words,
        parts: parts.iter().map(|part| (part.rows, part.lost)).collect(),
        seconds: parts.iter().map(|part| part.seconds).sum(),
    }
}

/// A map as a word of a report.
fn map_word(map: Option<MapSpec>) -> String {
    map.map_or("off".to_owned(), |map| map.to_string())
}

/// The places of those that were done.
fn numbers<T>(results: &[Option<T>]) -> Vec<usize> {
    let done = results.iter().enumerate();
    let done = done.filter(|(_, result)| result.is_some());
    done.map(|(number, _)| number).collect()
}

/// The best by a measure; of equals, the first.
fn best(tried: &[TriedReport], measure: Measure) -> usize {
    let mut best = 0;
    for (k, one) in tried.iter().enumerate() {
        if one.beats(&tried[best], measure) {
            best = k;
        }
    }
    best
}
