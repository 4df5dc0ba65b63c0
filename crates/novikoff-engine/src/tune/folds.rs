//! Rows dealt to folds, and jobs done side by side.

use novikoff::random::SplitMix64;
use novikoff::remark::Paired;

use crate::Error;
use crate::events::Context;
use crate::parallel::side_by_side;
use crate::rows::HeldRows;
use crate::split::label_groups;
use crate::worth::numbers::NumberTally;

/// The fold of each row: rows are shuffled from the seed, put together by label, and dealt in turn, so that folds
/// differ by one row at most, and by one row of each label.
pub(super) fn deal(held: &HeldRows, folds: u32, seed: u64, by_label: bool) -> Vec<u32> {
    let group = if by_label {
        label_groups(held)
    } else {
        vec![0; held.len()]
    };
    let mut order: Vec<usize> = (0..held.len()).collect();
    SplitMix64::new(seed).shuffle(&mut order);
    order.sort_by_key(|&row| group[row]);
    let mut fold = vec![0; held.len()];
    for (place, row) in order.into_iter().enumerate() {
        fold[row] = (place % folds as usize) as u32;
    }
    fold
}

/// How a candidate did on some rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FoldScore {
    pub(super) rows: u64,
    /// Rows with a wrong label, a sum over the rows, or a value of all of them: see `judge.rs`.
    pub(super) lost: f64,
    pub(super) seconds: f64,
    /// The rows that only one of the candidate and the baseline answered right, if they were counted.
    pub(super) paired: Option<Paired>,
    /// Labels and answers that are numbers.
    pub(super) numbers: Option<NumberTally>,
}

/// Results of jobs 0 .. `count` in order, or the first failure in that order. If it was asked to stop, jobs that were not done have none.
pub(super) fn all_parts<T: Send>(
    count: usize,
    threads: usize,
    context: Context<'_>,
    job: impl Fn(usize) -> Result<T, Error> + Sync,
) -> Result<Vec<Option<T>>, Error> {
    let at = |done| context.at(done);
    let mut results = Vec::new();
    for result in side_by_side(count, threads, at, Result::is_err, job) {
        results.push(match result {
            Some(Ok(result)) => Some(result),
            Some(Err(Error::Stopped(_))) | None => None,
            Some(Err(error)) => return Err(error),
        });
    }
    if results.iter().any(Option::is_none) && !context.interrupt.is_requested() {
        return Err(Error::plain("a run ended unexpectedly"));
    }
    Ok(results)
}
