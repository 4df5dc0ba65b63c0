//! What the tests share: learners by spec, random streams, states compared bit by bit.

// every test binary uses its own part of this room; definitions take std's exp, ln and powf, so as
// not to share those of the code under test
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::needless_range_loop
)]

pub(crate) mod bound;
pub(crate) mod certified;
pub(crate) mod compare;
pub(crate) mod definition;
pub(crate) mod finished;
pub(crate) mod gram;
pub(crate) mod gram_second_order;
pub(crate) mod higher_order;
pub(crate) mod labelled;
pub(crate) mod matrix;
pub(crate) mod multiplicative;
pub(crate) mod planted;
pub(crate) mod quadratic;
pub(crate) mod second;
pub(crate) mod second_order;
pub(crate) mod stream;
pub(crate) mod twofold;

use novikoff::catalog::Capabilities;
use novikoff::learner::{Hypothesis, Learner, Refusal, Trial};
use novikoff::row::Row;
use novikoff::spec::Spec;
use novikoff::state::{Array, State};

use self::stream::{Kind, Sample, Stream};

/// Plenty of memory for any test.
pub(crate) const MEMORY: u128 = 1 << 32;

/// One spec of every catalogue entry, and the variants that run other code.
pub(crate) const SPECS: &[&str] = &[
    "perceptron",
    "perceptron:margin=0.5",
    "averaged",
    "voted",
    "p-norm",
    "p-norm:p=2",
    "p-norm:p=3.5",
    "p-norm:p=auto",
    "p-norm:margin=0.5",
    "winnow",
    "winnow:alpha=2,theta=3",
    "balanced-winnow",
    "eg",
    "eg:eta=2",
    "normalised-winnow",
    "normalised-winnow:eta=0.5,theta=-0.3",
    "normalised-perceptron",
    "normalised-perceptron:eta=3",
    #[cfg(feature = "linalg")]
    "whitened",
    #[cfg(feature = "linalg")]
    "whitened:ridge=0.5",
    "second-order",
    "second-order:a=0.3,margin=0.2",
    "second-order:form=primal",
    "second-order:form=primal,margin=0.2",
    "second-order:form=dual",
    "second-order:form=dual,margin=0.2",
    "second-order:a=adaptive",
    "second-order:a=adaptive,c=1,r2=40,margin=0.05",
    "second-order:a=adaptive,form=primal",
    "second-order:a=adaptive,form=primal,c=1,r2=40,margin=0.05",
    "second-order:a=adaptive,form=dual",
    "second-order:a=pinv",
    "second-order:a=pinv,margin=0.1",
    "second-order:a=pinv,form=dual",
    "second-order:form=diagonal",
    "second-order:form=diagonal,margin=0.2",
    "second-order:form=sketch,rank=4",
    "second-order:form=sketch,rank=2,margin=0.1",
    "higher-order",
    "higher-order:c=0.8,margin=0.2",
    "higher-order:form=primal,schedule=constant,c=0.1",
    "higher-order:form=dual",
    "higher-order:form=dual,schedule=sparse,c=0.8,margin=0.1",
    "higher-order:form=implicit,schedule=cap,c=0.7",
    "higher-order:form=low-rank",
    "higher-order:p=4",
    "higher-order:p=3.5,c=0",
    "higher-order:p=4,form=primal",
    "higher-order:p=4,form=implicit,schedule=sparse,margin=0.1",
    "higher-order:p=7,form=low-rank,c=0.2",
    "alma",
    "alma:p=4,alpha=0.5",
    "passive-aggressive:variant=pa",
    "passive-aggressive",
    "passive-aggressive:variant=2",
    "romma",
    "romma:noise=0.5",
    "romma:aggressive",
    "romma:aggressive,noise=2",
    "max-margin",
    "max-margin:noise=0.5",
    "arow",
    "arow:form=full",
    "forgetron",
    "forgetron:budget=7",
    "random-budget",
    "random-budget:budget=7,seed=3",
    "projectron",
    "projectron:eta=1.5",
    "projectron:plus,eta=0.5",
    "shifting",
    "shifting:lambda=1",
    "selective",
    "selective:b=5,seed=9,margin=0.5",
    "selective:base=second-order",
    "selective:base=second-order,form=primal,a=0.5,b=0.2",
    "selective:base=second-order,form=dual,margin=0.2",
];

/// Examines every spec and names all that fail; their messages are printed above.
pub(crate) fn every_spec(examine: impl Fn(&'static str) + std::panic::RefUnwindSafe) {
    let fails = |spec: &&&'static str| std::panic::catch_unwind(|| examine(spec)).is_err();
    let failed: Vec<_> = SPECS.iter().filter(fails).collect();
    assert!(failed.is_empty(), "broken by {failed:?}");
}

/// True if two runs had the same updates and (to `tolerance`, relative to the largest margin so far)
/// the same margins; false if they parted at a near tie. Fails if they differ otherwise.
pub(crate) fn same_trials(
    a: &[(f64, bool)],
    b: &[(f64, bool)],
    tolerance: f64,
    context: &str,
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
pub(crate) fn assert_finite(learner: &dyn Learner, rows: &[Sample], context: &str) {
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

/// How many random cases to run where the default is `n`: `NOVIKOFF_CASES=k` runs k times as many.
pub(crate) fn cases(n: u64) -> u64 {
    let factor = std::env::var("NOVIKOFF_CASES")
        .ok()
        .and_then(|text| text.parse::<f64>().ok());
    ((n as f64 * factor.unwrap_or(1.0)).ceil() as u64).max(1)
}

/// A learner for `width` features that may use `memory` bytes.
pub(crate) fn learner_within(spec: &str, width: u32, memory: u128) -> Box<dyn Learner> {
    let spec = Spec::parse(spec).unwrap();
    let parameters = spec.parameters(Some(width)).unwrap();
    (spec.entry().build)(&parameters, memory)
}

/// A learner for `width` features.
pub(crate) fn learner(spec: &str, width: u32) -> Box<dyn Learner> {
    learner_within(spec, width, MEMORY)
}

/// A learner that has surveyed the stream if it wants to.
pub(crate) fn learner_for(spec: &str, stream: &Stream) -> Box<dyn Learner> {
    let mut learner = learner(spec, stream.width);
    survey(&mut *learner, &stream.samples);
    learner
}

/// A stream that a learner takes: without negative values, or of rows of p-norm 1, if it needs that.
pub(crate) fn stream_for(spec: &str, kind: Kind, seed: u64, n: usize) -> Stream {
    let stream = stream::stream(kind, seed, n);
    match norm_for(spec) {
        _ if abilities(spec).needs_non_negative => stream.non_negative(),
        Some(p) => stream.unit(p),
        None => stream,
    }
}

/// What the catalogue says of a learner.
pub(crate) fn abilities(spec: &str) -> Capabilities {
    Spec::parse(spec).unwrap().entry().can
}

/// The norm by which a learner wants its rows divided.
pub(crate) fn norm_for(spec: &str) -> Option<f64> {
    Spec::parse(spec).unwrap().norm()
}

/// Shows all rows to a learner that must see them first.
pub(crate) fn survey(learner: &mut dyn Learner, samples: &[Sample]) {
    if learner.surveys() {
        for sample in samples {
            learner.survey(sample.row()).unwrap();
        }
        learner.surveyed();
    }
}

/// One trial of a binary learner on a row that does not come again: its margin and whether it was updated.
pub(crate) fn trial(
    learner: &mut dyn Learner,
    row: Row<'_>,
    positive: bool,
) -> Result<(f64, bool), Refusal> {
    visit(learner, None, row, positive)
}

/// One trial of a binary learner on a row of a given id: its margin and whether it was updated.
pub(crate) fn visit(
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
pub(crate) fn run(learner: &mut dyn Learner, samples: &[Sample]) -> Vec<(f64, bool)> {
    samples
        .iter()
        .map(|s| visit(learner, s.id, s.row(), s.positive).unwrap())
        .collect()
}

/// The score of a binary learner.
pub(crate) fn score(learner: &dyn Learner, row: Row<'_>, by: Hypothesis) -> f64 {
    let mut out = [0.0];
    learner.scores(row, by, &mut out);
    out[0]
}

/// A saved state that no longer borrows from its learner.
pub(crate) fn saved(learner: &dyn Learner) -> State<'static> {
    let mut state = State::new();
    learner.save(&mut state);
    copy(&state)
}

/// A copy of a state.
pub(crate) fn copy(state: &State<'_>) -> State<'static> {
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

/// A learner loaded from another one's state, with nothing left over.
pub(crate) fn reloaded(spec: &str, width: u32, from: &dyn Learner) -> Box<dyn Learner> {
    let mut state = saved(from);
    let mut learner = learner(spec, width);
    learner.load(from.lanes(), &mut state).unwrap();
    assert_eq!(state.left(), None, "{spec} does not take all it saved");
    learner
}

/// The bits of a state: the name and the words of each array.
pub(crate) fn bits(state: &State<'_>) -> Vec<(String, Vec<u64>)> {
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
pub(crate) fn state_bits(learner: &dyn Learner) -> Vec<(String, Vec<u64>)> {
    bits(&saved(learner))
}

/// Fails with the first array that differs.
pub(crate) fn assert_same_state(a: &dyn Learner, b: &dyn Learner, context: &str) {
    let (a, b) = (state_bits(a), state_bits(b));
    let names = |s: &[(String, Vec<u64>)]| s.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b), "{context}: other arrays");
    for ((name, a), (_, b)) in a.iter().zip(&b) {
        assert_eq!(a.len(), b.len(), "{context}: length of {name}");
        let at = a.iter().zip(b).position(|(a, b)| a != b);
        assert!(at.is_none(), "{context}: {name} differs at {at:?}");
    }
}
