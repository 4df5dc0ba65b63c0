//! Learners over training rows in random orders, tested on other rows after some passes.

use novikoff::random::SplitMix64;
use novikoff::rows::Block;

use super::data::picked;
use super::online::{OnlineRun, together};
use super::results::Values;
use super::runner::{Part, Run, Runner};
use crate::Error;

/// How many parts the training rows are cut into to choose a setting.
pub(super) const FOLDS: u32 = 5;

/// The seed of the folds, and of the orders of runs that choose a setting.
const CHOICE: u64 = 0x5eed;

/// One order, or one fold of a choice, of learners that differ in nothing else.
pub(super) fn run(runner: &Runner<'_>, group: &[Run<'_>]) -> Result<Vec<Values>, Error> {
    let Some(run) = group.first() else {
        return Ok(Vec::new());
    };
    let rows = runner.rows(run, None)?;
    let (train, test) = (rows.train.view(), rows.test.view());
    let online = |shuffle: Option<u64>| -> Vec<OnlineRun<'_>> {
        let of = |run| runner.online(run, rows.task.clone(), shuffle);
        group.iter().map(of).collect()
    };
    match run.part {
        Part::Fold(fold) => {
            let (learn, judge) = fold_of(train, runner.experiment.choose_rows, fold);
            let (learn, judge) = (picked(train, &learn), picked(train, &judge));
            together(&online(Some(CHOICE)), learn.view(), judge.view())
        }
        _ if run.set.cycle => {
            let mut order: Vec<usize> = (0..train.len()).collect();
            SplitMix64::new(u64::from(run.repetition)).shuffle(&mut order);
            let train = picked(train, &order);
            together(&online(None), train.view(), test)
        }
        _ => together(&online(Some(u64::from(run.repetition))), train, test),
    }
}

/// The rows that are learned from and those that judge, of one fold.
fn fold_of(train: Block<'_>, limit: Option<usize>, fold: u32) -> (Vec<usize>, Vec<usize>) {
    let rows = limit.unwrap_or(usize::MAX).min(train.len());
    let mut order: Vec<usize> = (0..rows).collect();
    SplitMix64::new(CHOICE).shuffle(&mut order);
    let is_judge = |place: &usize| place % FOLDS as usize == fold as usize;
    let pick = |judges: bool| {
        let places = (0..rows).filter(|place| is_judge(place) == judges);
        places.map(|place| order[place]).collect()
    };
    (pick(false), pick(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use novikoff::{Label, Row, Rows};

    #[test]
    fn folds_are_disjoint_and_complete() {
        let mut rows = Rows::new();
        for _ in 0..23 {
            rows.add(Label::Pos, Row::dense(&[1.0]));
        }
        let mut judged = Vec::new();
        for fold in 0..FOLDS {
            let (learn, judge) = fold_of(rows.view(), None, fold);
            assert_eq!(learn.len() + judge.len(), 23);
            assert!(judge.iter().all(|row| !learn.contains(row)));
            judged.extend(judge);
        }
        judged.sort_unstable();
        assert_eq!(judged, (0..23).collect::<Vec<_>>());
        let (learn, judge) = fold_of(rows.view(), Some(10), 0);
        assert_eq!((learn.len(), judge.len()), (8, 2));
        assert!(learn.iter().chain(&judge).all(|&row| row < 10));
    }
}
