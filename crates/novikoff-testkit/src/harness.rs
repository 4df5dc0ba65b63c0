//! Learners tried, saved and compared: what the checks share.

use std::fmt;

use novikoff::learner::{Array, Learner, State, Trial};
use novikoff::{Hypothesis, Refusal, Row};

use crate::stream::Sample;

/// Plenty of memory for any check.
pub const MEMORY: u128 = 1 << 32;

/// How many random cases to run where the default is `n`: the environment variable `NOVIKOFF_CASES=k` runs k times as many.
pub fn cases(n: u64) -> u64 {
    let factor = std::env::var("NOVIKOFF_CASES")
        .ok()
        .and_then(|text| text.parse::<f64>().ok());
    ((n as f64 * factor.unwrap_or(1.0)).ceil() as u64).max(1)
}

/// Shows all rows to a learner that must see them first.
pub fn survey(learner: &mut dyn Learner, samples: &[Sample]) {
    if learner.surveys() {
        for sample in samples {
            learner.survey(sample.row()).unwrap();
        }
        learner.surveyed();
    }
}

/// One trial of a binary learner on a row that does not come again: its margin and whether it was updated.
pub fn trial(
    learner: &mut dyn Learner,
    row: Row<'_>,
    positive: bool,
) -> Result<(f64, bool), Refusal> {
    visit(learner, None, row, positive)
}

/// One trial of a binary learner on a row of a given id: its margin and whether it was updated.
pub fn visit(
    learner: &mut dyn Learner,
    id: Option<u64>,
    row: Row<'_>,
    positive: bool,
) -> Result<(f64, bool), Refusal> {
    let mut out = Trial {
        id,
        ..Trial::default()
    };
    learner.trial(row, if positive { &[0] } else { &[] }, &mut out)?;
    Ok((out.margin[0], out.updated[0]))
}

/// The trials of a binary run.
pub fn run(learner: &mut dyn Learner, samples: &[Sample]) -> Vec<(f64, bool)> {
    samples
        .iter()
        .map(|s| visit(learner, s.id, s.row(), s.positive).unwrap())
        .collect()
}

/// The score of a binary learner.
pub fn score(learner: &dyn Learner, row: Row<'_>, by: Hypothesis) -> f64 {
    let mut out = [0.0];
    learner.scores(row, by, &mut out);
    out[0]
}

/// A saved state that no longer borrows from its learner.
pub fn saved(learner: &dyn Learner) -> State<'static> {
    let mut state = State::new();
    learner.save(&mut state);
    copy(&state)
}

/// A copy of a state.
pub fn copy(state: &State<'_>) -> State<'static> {
    let mut owned = State::new();
    for (name, array) in state.arrays() {
        let array = match array {
            Array::F64(data) => Array::F64(data.to_vec().into()),
            Array::U64(data) => Array::U64(data.to_vec().into()),
            Array::F32(data) => Array::F32(data.to_vec().into()),
            Array::U32(data) => Array::U32(data.to_vec().into()),
        };
        owned.insert(name.to_owned(), array);
    }
    owned
}

/// The bits of a state: the name and the words of each array.
pub fn bits(state: &State<'_>) -> Vec<(String, Vec<u64>)> {
    let words = |array: &Array<'_>| match array {
        Array::F64(data) => data.iter().map(|v| v.to_bits()).collect(),
        Array::U64(data) => data.to_vec(),
        Array::F32(data) => data.iter().map(|v| u64::from(v.to_bits())).collect(),
        Array::U32(data) => data.iter().map(|&v| u64::from(v)).collect(),
    };
    state
        .arrays()
        .map(|(name, array)| (name.to_owned(), words(array)))
        .collect()
}

/// The bits of a learner's saved state.
pub fn state_bits(learner: &dyn Learner) -> Vec<(String, Vec<u64>)> {
    bits(&saved(learner))
}

/// Fails with the first array that differs.
pub fn assert_same_state(a: &dyn Learner, b: &dyn Learner, context: impl fmt::Display) {
    let (a, b) = (state_bits(a), state_bits(b));
    let names = |s: &[(String, Vec<u64>)]| s.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b), "{context}: other arrays");
    for ((name, a), (_, b)) in a.iter().zip(&b) {
        assert_eq!(a.len(), b.len(), "{context}: length of {name}");
        let at = a.iter().zip(b).position(|(a, b)| a != b);
        assert!(at.is_none(), "{context}: {name} differs at {at:?}");
    }
}

/// True if two runs had the same updates and (to `tolerance`, relative to the largest margin so far)
/// the same margins; false if they parted at a near tie. Fails if they differ otherwise.
pub fn same_trials(
    a: &[(f64, bool)],
    b: &[(f64, bool)],
    tolerance: f64,
    context: impl fmt::Display,
) -> bool {
    assert_eq!(a.len(), b.len());
    let mut size = 0.0_f64;
    for (t, (a, b)) in a.iter().zip(b).enumerate() {
        size = size.max(a.0.abs());
        let allowed = tolerance * size;
        assert!(
            (a.0 - b.0).abs() <= allowed,
            "{context}, trial {t}: {a:?}, {b:?}"
        );
        if a.1 != b.1 {
            // the edge of most rules is at 0, that of PA and AROW at 1
            let near = a.0.abs().min((a.0.abs() - 1.0).abs()) <= allowed;
            assert!(
                near && tolerance > 0.0,
                "{context}, trial {t}: {a:?}, {b:?}"
            );
            return false;
        }
    }
    true
}

/// Fails if a score or a weight is not finite.
pub fn assert_finite(learner: &dyn Learner, rows: &[Sample], context: impl fmt::Display) {
    for sample in rows {
        for &by in learner.hypotheses() {
            let got = score(learner, sample.row(), by);
            assert!(
                got.is_finite(),
                "{context}: {} score {got} of {sample:?}",
                by.name()
            );
        }
    }
    for k in 0..learner.lanes() {
        let weights = learner.weights(k);
        assert!(
            weights.iter().all(|w| w.is_finite()),
            "{context}: weights {weights:?}"
        );
    }
}
