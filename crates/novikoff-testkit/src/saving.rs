//! Saving, loading and resuming; states that do not fit.

use novikoff::Row;
use novikoff::learner::{Array, Hypothesis, Learner, State, Trial};
use novikoff::random::SplitMix64;

use crate::harness::{
    assert_same_state, bits, cases, copy, run, saved, score, state_bits, survey, trial,
};
use crate::stream::{Kind, MODERATE, Stream};
use crate::subject::Subject;

/// Runs a stream in one go and in pieces of at most `piece` rows, saved and loaded in between.
pub fn assert_pieces_make_the_whole(subject: &Subject, stream: &Stream, piece: usize) {
    let mut whole = subject.learner_for(stream);
    let at_once = run(&mut *whole, &stream.samples);
    let mut g = SplitMix64::new(piece as u64);
    let mut parts = subject.learner_for(stream);
    let mut trials = Vec::new();
    let mut rest = &stream.samples[..];
    while !rest.is_empty() {
        let (now, later) = rest.split_at(g.below(piece).min(rest.len()));
        trials.extend(run(&mut *parts, now));
        parts = subject.reloaded(stream.width, &*parts);
        rest = later;
    }
    let exact = |trials: Vec<(f64, bool)>| trials.into_iter().map(|t| (t.0.to_bits(), t.1));
    assert!(
        exact(trials).eq(exact(at_once)),
        "{subject} on {}",
        stream.name
    );
    assert_same_state(&*parts, &*whole, subject);
}

/// The half-stream law: half a stream, save, load and the other half are the whole stream, to the last bit.
pub fn saving_and_going_on_is_never_having_stopped(subject: &Subject) {
    for kind in [Kind::Swings, Kind::Growing, Kind::Dense, Kind::Tiny] {
        for seed in 0..cases(2) {
            assert_pieces_make_the_whole(subject, &subject.stream(kind, seed, 300), 60);
        }
    }
}

/// A learner that knows nothing can be saved and loaded too.
pub fn a_fresh_learner_survives_saving(subject: &Subject) {
    let fresh = subject.learner(10);
    let loaded = subject.reloaded(10, &*fresh);
    assert_eq!(
        loaded.surveys(),
        fresh.surveys(),
        "{subject}: forgot whether it has surveyed"
    );
    assert_same_state(&*loaded, &*fresh, subject);
}

fn resized<T: Clone + Default>(data: &[T], change: isize) -> Vec<T> {
    let mut data = data.to_vec();
    data.resize(data.len().saturating_add_signed(change), T::default());
    data
}

fn changed(array: &Array<'_>, change: isize) -> Array<'static> {
    match array {
        Array::F64(data) => Array::F64(resized(data, change).into()),
        Array::U64(data) => Array::U64(resized(data, change).into()),
        Array::F32(data) => Array::F32(resized(data, change).into()),
        Array::U32(data) => Array::U32(resized(data, change).into()),
    }
}

/// Another type with the same length.
fn retyped(array: &Array<'_>) -> Array<'static> {
    match array {
        Array::F64(data) => Array::U64(vec![1; data.len()].into()),
        Array::U64(data) => Array::U32(vec![1; data.len()].into()),
        Array::F32(data) => Array::F64(vec![1.0; data.len()].into()),
        Array::U32(data) => Array::F32(vec![1.0; data.len()].into()),
    }
}

fn replaced(state: &State<'_>, name: &str, by: Option<Array<'static>>) -> State<'static> {
    let mut other = State::new();
    for (n, array) in copy(state).arrays() {
        if n != name {
            other.insert(n.to_owned(), array.clone());
        }
    }
    if let Some(array) = by {
        other.insert(name.to_owned(), array);
    }
    other
}

fn trained(subject: &Subject, lanes: usize) -> (Box<dyn Learner>, Stream) {
    let stream = subject.stream(Kind::Sparse, 4, 120);
    let mut learner = subject.learner_for(&stream);
    (1..lanes).for_each(|_| learner.add_lane(0).unwrap());
    let mut out = Trial::default();
    for (t, sample) in stream.samples.iter().enumerate() {
        let positive: Vec<usize> = (0..lanes).filter(|k| (t + k) % 3 == 0).collect();
        learner.trial(sample.row(), &positive, &mut out).unwrap();
    }
    (learner, stream)
}

/// Every array missing, shorter, longer, empty, of another type: an error, and the learner as before.
pub fn a_state_that_does_not_fit_is_an_error(subject: &Subject) {
    let mut accepted = Vec::new();
    for lanes in [1, 3] {
        let (source, stream) = trained(subject, lanes);
        let state = saved(&*source);
        let fresh = || {
            let mut learner = subject.learner(stream.width);
            survey(&mut *learner, &stream.samples[..5]);
            learner
        };
        let mut target = fresh();
        let before = state_bits(&*target);
        for (name, array) in state.arrays() {
            let changes = [Some(retyped(array)), None].into_iter();
            let lengths = [-1, 1, -1000, 13].map(|change| Some(changed(array, change)));
            for by in changes.chain(lengths) {
                let what = format!("{lanes} lanes, {name}: {}", describe(by.as_ref()));
                let mut bad = replaced(&state, name, by);
                if bits(&bad) == bits(&state) {
                    continue;
                }
                if target.load(lanes, &mut bad).is_err() {
                    assert_eq!(before, state_bits(&*target), "{subject}, {what}");
                } else {
                    accepted.push((name.to_owned(), what));
                    target = fresh();
                }
            }
        }
        for wrong in [0, lanes + 1, 1000] {
            let answer = target.load(wrong, &mut copy(&state));
            assert!(answer.is_err(), "{subject}: {wrong} lanes");
        }
        let mut extra = copy(&state);
        extra.insert("extra".to_owned(), Array::F64(vec![1.0].into()));
        let refused = target.load(lanes, &mut extra).is_err();
        assert!(refused || extra.left() == Some("extra"), "{subject}");
    }
    accepted.retain(|(name, _)| !subject.peculiar.free_arrays.contains(&name.as_str()));
    assert!(accepted.is_empty(), "{subject} accepts {accepted:#?}");
}

fn describe(array: Option<&Array<'_>>) -> String {
    format!("replaced by {array:?}").chars().take(60).collect()
}

/// Numbers that no run could have left behind may be refused or taken, but nothing panics.
pub fn odd_numbers_in_a_state_do_not_panic(subject: &Subject) {
    let mut panics = Vec::new();
    let (source, stream) = trained(subject, 1);
    let state = saved(&*source);
    for (name, array) in state.arrays() {
        for odd in 0..5 {
            let by = match array {
                Array::F64(data) => {
                    let odd = [f64::NAN, f64::INFINITY, 0.0, -1.0, f64::MAX][odd];
                    Array::F64(vec![odd; data.len()].into())
                }
                Array::U64(data) => {
                    let odd = [0, 1, u64::MAX, 1 << 63, u64::MAX - 1][odd];
                    Array::U64(vec![odd; data.len()].into())
                }
                Array::F32(data) => {
                    let odd = [f32::NAN, f32::INFINITY, 0.0, -1.0, f32::MAX][odd];
                    Array::F32(vec![odd; data.len()].into())
                }
                Array::U32(data) => {
                    let odd = [0, 1, u32::MAX, 1 << 31, u32::MAX - 1][odd];
                    Array::U32(vec![odd; data.len()].into())
                }
            };
            let what = format!("{subject} {name} {}", describe(Some(&by)));
            let bad = replaced(&state, name, Some(by));
            let attempt = std::panic::catch_unwind(|| use_it(subject, &stream, bad));
            if attempt.is_err() {
                panics.push(what);
            }
        }
    }
    assert!(panics.is_empty(), "{panics:#?}");
}

fn use_it(subject: &Subject, stream: &Stream, mut state: State<'static>) {
    let mut learner = subject.learner(stream.width);
    if learner.load(1, &mut state).is_err() {
        return;
    }
    for sample in &stream.samples[..20] {
        let _ = trial(&mut *learner, sample.row(), sample.positive);
        for by in [Hypothesis::Final, Hypothesis::Averaged, Hypothesis::Voted] {
            let _ = score(&*learner, sample.row(), by);
        }
    }
    let _ = trial(
        &mut *learner,
        Row::sparse(&[stream.width + 70], &[1.0]),
        false,
    );
    let _ = (learner.weights(0), state_bits(&*learner));
}

/// Whatever the kind of rows: a state that was loaded says the same as the one that was saved.
pub fn a_loaded_learner_scores_alike(subject: &Subject) {
    for &kind in MODERATE {
        let stream = subject.stream(kind, 3, 100);
        let mut learner = subject.learner_for(&stream);
        run(&mut *learner, &stream.samples);
        let loaded = subject.reloaded(stream.width, &*learner);
        for sample in &stream.samples {
            for &by in learner.hypotheses() {
                let [a, b] = [&learner, &loaded].map(|l| score(&**l, sample.row(), by));
                assert_eq!(a.to_bits(), b.to_bits(), "{subject}");
            }
        }
    }
}
