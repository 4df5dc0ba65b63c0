//! Tuning: the best of several candidates, by progressive validation or on folds.

mod folds;
mod online;
mod solver;

use std::path::PathBuf;

use novikoff::kernel::KernelSpec;
use novikoff::quantity::plural;
use novikoff::spec::Spec;
use novikoff_report::{DataSummary, Measure, Noted, TriedReport};

use crate::Error;
use crate::data::Data;
use crate::options::{RowOptions, RunOptions};
use crate::solve::Solve;
use folds::FoldScore;

/// A learner to be tried, with its kernel.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The learner.
    pub spec: Spec,
    /// The kernel, if one is asked for.
    pub kernel: Option<KernelSpec>,
}

/// Learners to be tried on the same rows.
#[derive(Clone, Debug)]
pub struct TuneLearners {
    /// The rows.
    pub data: Data,
    /// What is tried.
    pub candidates: Vec<Candidate>,
    /// Parts of the rows; if none, candidates are judged by the mistakes of their first pass.
    pub folds: Option<u32>,
    /// The seed of the folds.
    pub seed: u64,
    /// How learners run; the kernel is the candidate's.
    pub run: RunOptions,
    /// How rows are read.
    pub rows: RowOptions,
    /// Where the best, trained on all rows, is saved.
    pub output: Option<PathBuf>,
}

/// Problems of the solver to be tried on the same folds. They differ in loss, regulariser and kernel; their lambdas are all tried.
#[derive(Clone, Debug)]
pub struct TuneSolver {
    /// What is tried.
    pub problems: Vec<Solve>,
    /// Parts of the rows.
    pub folds: u32,
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
    /// In the order of the candidates; of the solver problem by problem, each with all lambdas.
    pub tried: Vec<TriedReport>,
    /// The best of them.
    pub best: usize,
    /// What is worth knowing, each once.
    pub remarks: Vec<Noted>,
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

/// The least mean error; of equals, the first.
fn best(tried: &[TriedReport]) -> usize {
    let mut best = 0;
    for (k, one) in tried.iter().enumerate() {
        if one.error().mean < tried[best].error().mean {
            best = k;
        }
    }
    best
}
