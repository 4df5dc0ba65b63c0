//! A run that was saved before it was done, in the header of a model file.

use std::borrow::Cow;
use std::sync::Arc;

use novikoff::classes::Counts;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, PartsError, Totals, Validation};
use novikoff::remark::Paired;
use novikoff::run::Ledger;
use novikoff::state::State;
use novikoff::text_statistics::TextStatistics;
use serde::{Deserialize, Serialize};

use super::header::{StoredCounts, StoredPending};

/// A run that was saved before it was done, so that it can be resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// Epochs in all, or the most of them.
    pub epochs: u32,
    /// It ends with the first epoch that has no mistake.
    pub until_separated: bool,
    /// The rows of the first epoch that only one of the deployed predictor and the baseline answered right; none if that was not counted.
    pub paired: Option<Paired>,
    /// The seed of the orders, if rows are shuffled.
    pub shuffle: Option<u64>,
    /// The epoch it is in.
    pub epoch: u32,
    /// How many trials of that epoch were made.
    pub done: u64,
    /// Rows of the data met so far.
    pub rows: u64,
    /// The highest feature number met in them.
    pub features: u32,
    /// The inputs' names, and their sizes where they have one.
    pub inputs: Vec<(String, Option<u64>)>,
    /// The options that say what the rows are.
    pub reading: String,
    /// What was done so far. Loaded in its first epoch, it has what was counted of the deployed predictor.
    pub ledger: Ledger,
    /// Bad lines passed over, and what is wrong with the first ones.
    pub skipped: (u64, Vec<String>),
    /// The statistics of words that it began with: its rows are read from the first on when it is resumed.
    pub text: Arc<TextStatistics>,
    /// Where its mistakes were made so far; none in files of earlier versions.
    pub course: Option<KeptCourse>,
}

/// Where the mistakes of a run were made: some of its moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptCourse {
    /// Trials between two moments.
    pub stride: u64,
    /// Trials until the next one.
    pub left: u64,
    /// Trials, mistakes and updates of each, and the rows stored then.
    pub moments: Vec<([u64; 3], Option<u64>)>,
}

impl KeptCourse {
    /// Whether it can be that of a run that has made this number of trials.
    pub fn is_before(&self, trials: u64) -> bool {
        let last = self.moments.last();
        last.is_some_and(|(counts, _)| counts[0] <= trials)
    }
}

impl Unfinished {
    /// Whether the model had learned from no row when the run began.
    pub fn began_without_model(&self) -> bool {
        let trials = u128::from(self.epoch) * u128::from(self.rows);
        u128::from(self.ledger.totals.trials) == trials
    }
}

/// A run in the header.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredRun<'a> {
    epochs: u32,
    shuffle: Option<u64>,
    epoch: u32,
    done: u64,
    rows: u64,
    features: u32,
    inputs: Cow<'a, [(String, Option<u64>)]>,
    reading: Cow<'a, str>,
    ledger_epochs: Vec<StoredCounts>,
    ledger_classes: Vec<Vec<StoredCounts>>,
    totals: (u64, u64, u64),
    class_totals: Vec<StoredCounts>,
    background: StoredCounts,
    /// Of the model: trials of earlier runs that are not settled, and mistakes of earlier runs found out in this one.
    pub(super) earlier: StoredPending,
    pub(super) settled_earlier: u64,
    skipped: u64,
    samples: Cow<'a, [String]>,
}

fn store_counts(counts: &[Counts]) -> Vec<StoredCounts> {
    counts.iter().map(|c| (c.mistakes, c.updates)).collect()
}

fn restore_counts(stored: Vec<StoredCounts>) -> Vec<Counts> {
    let counts = |(mistakes, updates)| Counts { mistakes, updates };
    stored.into_iter().map(counts).collect()
}

impl<'a> StoredRun<'a> {
    pub(super) fn of(run: &'a Unfinished, model: &Model) -> Self {
        let ledger = &run.ledger;
        let Totals {
            trials,
            mistakes,
            updates,
        } = ledger.totals;
        StoredRun {
            epochs: run.epochs,
            shuffle: run.shuffle,
            epoch: run.epoch,
            done: run.done,
            rows: run.rows,
            features: run.features,
            inputs: Cow::Borrowed(&run.inputs),
            reading: Cow::Borrowed(&run.reading),
            ledger_epochs: store_counts(&ledger.epochs),
            ledger_classes: ledger.classes.iter().map(|c| store_counts(c)).collect(),
            totals: (trials, mistakes, updates),
            class_totals: store_counts(&ledger.class_totals),
            background: (ledger.background.mistakes, ledger.background.updates),
            earlier: StoredPending::of(&model.classes().earlier),
            settled_earlier: model.settled_earlier(),
            skipped: run.skipped.0,
            samples: Cow::Borrowed(&run.skipped.1),
        }
    }

    /// The run, if it can be one of the model.
    pub(super) fn restore(
        self,
        model: &Model,
        validation: Option<Validation>,
        until_separated: bool,
        paired: Option<Paired>,
    ) -> Result<Unfinished, String> {
        let (trials, mistakes, updates) = self.totals;
        let classes = self.ledger_classes.into_iter();
        let ledger = Ledger {
            epochs: restore_counts(self.ledger_epochs),
            trials: u64::from(self.epoch).saturating_mul(self.rows),
            classes: classes.map(restore_counts).collect(),
            totals: Totals {
                trials,
                mistakes,
                updates,
            },
            class_totals: restore_counts(self.class_totals),
            background: Counts {
                mistakes: self.background.0,
                updates: self.background.1,
            },
            validation,
        };
        let in_an_epoch = ledger.epochs.len() == self.epoch as usize && self.epoch < self.epochs;
        if !in_an_epoch || !is_of(&ledger, model) {
            return Err(PartsError::Counts.to_string());
        }
        Ok(Unfinished {
            epochs: self.epochs,
            until_separated,
            paired,
            shuffle: self.shuffle,
            epoch: self.epoch,
            done: self.done,
            rows: self.rows,
            features: self.features,
            inputs: self.inputs.into_owned(),
            reading: self.reading.into_owned(),
            ledger,
            skipped: (self.skipped, self.samples.into_owned()),
            text: Arc::default(),
            course: None,
        })
    }
}

/// Whether a model can have come from the counts of a ledger.
fn is_of(ledger: &Ledger, model: &Model) -> bool {
    let (totals, list) = (model.totals(), model.classes().list());
    let sums = |c: &Counts| c.mistakes < 1 << 62 && c.updates < 1 << 62;
    let mut epochs_of_classes = ledger.classes.iter().map(Vec::len);
    let mut before = ledger.class_totals.iter().zip(list);
    ledger.class_totals.len() <= list.len()
        && ledger.classes.len() <= list.len()
        && epochs_of_classes.all(|epochs| epochs <= ledger.epochs.len())
        && ledger.epochs.iter().all(sums)
        && sums(&ledger.background)
        && before
            .all(|(was, is)| was.mistakes <= is.counts.mistakes && was.updates <= is.counts.updates)
        && ledger.totals.trials <= totals.trials
        && ledger.totals.mistakes <= totals.mistakes
        && ledger.totals.updates <= totals.updates
        && ledger.validation.is_none_or(|validation| {
            validation.errors <= validation.rows
                && validation.rows <= totals.trials
                && model.learner().hypotheses().contains(&validation.by)
        })
}

/// Where the errors of the deployed predictor in the first epoch are kept: rows, errors, the predictor. Files of earlier versions have none.
const VALIDATION: &str = "run/validation";

/// Adds what a run has counted of its deployed predictor.
pub(super) fn save_validation(run: &Unfinished, model: &Model, state: &mut State<'_>) {
    if let Some(Validation { by, rows, errors }) = run.ledger.validation.or(model.validation()) {
        state.put_u64(VALIDATION, vec![rows, errors, by.code()]);
    }
}

/// Takes it out again.
pub(super) fn load_validation(state: &mut State<'static>) -> Result<Option<Validation>, String> {
    if state.count(VALIDATION) == 0 {
        return Ok(None);
    }
    let counts = state.take_counts(VALIDATION);
    let [rows, errors, code] = counts.map_err(|error| error.to_string())?;
    let by = Hypothesis::from_code(code).ok_or("no such predictor")?;
    Ok(Some(Validation { by, rows, errors }))
}

/// Where the rows are counted that only one of the deployed predictor and the baseline answered right: better, worse. Files of earlier
/// versions have none.
const PAIRED: &str = "run/paired";

/// Adds what a run has counted beside its baseline.
pub(super) fn save_paired(run: &Unfinished, state: &mut State<'_>) {
    if let Some(Paired { better, worse }) = run.paired {
        state.put_u64(PAIRED, vec![better, worse]);
    }
}

/// Takes it out again.
pub(super) fn load_paired(state: &mut State<'static>) -> Result<Option<Paired>, String> {
    if state.count(PAIRED) == 0 {
        return Ok(None);
    }
    let counts = state.take_counts(PAIRED);
    let [better, worse] = counts.map_err(|error| error.to_string())?;
    Ok(Some(Paired { better, worse }))
}

/// Where the course of a run is kept: stride, trials until the next moment, and four numbers per moment. Files of earlier versions have none.
const COURSE: &str = "run/course";

/// Adds where the mistakes of a run were made.
pub(super) fn save_course(run: &Unfinished, state: &mut State<'_>) {
    if let Some(course) = &run.course {
        let mut numbers = vec![course.stride, course.left];
        for (counts, stored) in &course.moments {
            numbers.extend_from_slice(counts);
            // 0 is none
            numbers.push(stored.map_or(0, |rows| rows.saturating_add(1)));
        }
        state.put_u64(COURSE, numbers);
    }
}

/// Takes it out again.
pub(super) fn load_course(state: &mut State<'static>) -> Result<Option<KeptCourse>, String> {
    if state.count(COURSE) == 0 {
        return Ok(None);
    }
    let numbers = state.take_u64(COURSE).map_err(|error| error.to_string())?;
    let bad = || "a course of mistakes that no run leaves behind".to_owned();
    let (&[stride, left], rest) = numbers.split_first_chunk().ok_or_else(bad)?;
    let (moments, []) = rest.as_chunks::<4>() else {
        return Err(bad());
    };
    let is_rising = moments.is_sorted_by(|a, b| a[0] < b[0]);
    let is_even = (1..=stride).contains(&left) && stride.is_power_of_two();
    if moments.is_empty() || !is_rising || !is_even {
        return Err(bad());
    }
    let moment = |&[trials, mistakes, updates, stored]: &[u64; 4]| {
        ([trials, mistakes, updates], stored.checked_sub(1))
    };
    Ok(Some(KeptCourse {
        stride,
        left,
        moments: moments.iter().map(moment).collect(),
    }))
}

/// Where it is kept that a run ends with the first epoch that has no mistake: 1, or nothing at all. Files of earlier versions have none.
const UNTIL_SEPARATED: &str = "run/until-separated";

/// Adds whether a run ends with the first epoch that has no mistake.
pub(super) fn save_until_separated(run: &Unfinished, state: &mut State<'_>) {
    if run.until_separated {
        state.put_u64(UNTIL_SEPARATED, vec![1]);
    }
}

/// Takes it out again.
pub(super) fn load_until_separated(state: &mut State<'static>) -> Result<bool, String> {
    if state.count(UNTIL_SEPARATED) == 0 {
        return Ok(false);
    }
    let [flag] = state
        .take_counts(UNTIL_SEPARATED)
        .map_err(|error| error.to_string())?;
    Ok(flag == 1)
}
