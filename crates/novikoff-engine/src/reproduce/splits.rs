//! Learners on random splits of one data set: some rows are learned from, in the order of the split, and the others are tests.

use novikoff::random::SplitMix64;

use super::data::picked;
use super::results::Values;
use super::runner::{Run, Runner};
use crate::Error;

/// One split: the same rows, in the same order, for all learners.
pub(super) fn run(runner: &Runner<'_>, run: &Run<'_>) -> Result<Values, Error> {
    let rows = runner.rows(run, None)?;
    let all = rows.train.view();
    let mut order: Vec<usize> = (0..all.len()).collect();
    SplitMix64::new(u64::from(run.repetition)).shuffle(&mut order);
    let cut = run.set.split.unwrap_or(all.len() * 2 / 3).min(all.len());
    let (train, test) = (picked(all, &order[..cut]), picked(all, &order[cut..]));
    // passes cycle over the training rows
    let online = runner.online(run, rows.task.clone(), None);
    online.run(train.view(), test.view())
}
