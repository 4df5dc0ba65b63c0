//! Several classes side by side: one-vs-rest with a background learner in lane 0.

use novikoff::learner::{Learner, Trial};
use novikoff::random::SplitMix64;

use crate::harness::{assert_same_state, same_trials, score, state_bits, trial};
use crate::stream::{Kind, Stream};
use crate::subject::Subject;

/// Rows of several classes; class `c` first appears some way into the stream.
fn classes(stream: &Stream, n: usize) -> Vec<usize> {
    let mut g = SplitMix64::new(7);
    let rows = stream.samples.len();
    (0..rows)
        .map(|t| g.below(1 + (n - 1).min(t * n / (rows / 2))))
        .collect()
}

/// Runs one-vs-rest with a background learner in lane 0; `reload` at these trials.
fn one_vs_rest(
    subject: &Subject,
    stream: &Stream,
    of: &[usize],
    reload: &[usize],
) -> (Box<dyn Learner>, Vec<Trial>) {
    let mut learner = subject.learner_for(stream);
    let mut lane_of: Vec<Option<usize>> = vec![None; of.iter().max().unwrap() + 1];
    let mut trials = Vec::new();
    for (t, sample) in stream.samples.iter().enumerate() {
        let lane = *lane_of[of[t]].get_or_insert_with(|| {
            learner.add_lane(0).unwrap();
            learner.lanes() - 1
        });
        let mut out = Trial::default();
        learner.trial(sample.row(), &[lane], &mut out).unwrap();
        trials.push(out);
        if reload.contains(&t) {
            learner = subject.reloaded(stream.width, &*learner);
        }
    }
    (learner, trials)
}

/// Classes that appear while the learner is saved and loaded are those of a run that never stopped.
pub fn one_vs_rest_saved_in_the_middle(subject: &Subject) {
    let stream = subject.stream(Kind::Growing, 1, 200);
    let of = classes(&stream, 10);
    let (whole, _) = one_vs_rest(subject, &stream, &of, &[]);
    let (parts, _) = one_vs_rest(subject, &stream, &of, &[0, 1, 17, 60, 61, 150, 199]);
    assert!(whole.lanes() > 9);
    assert_same_state(&*parts, &*whole, subject);
}

/// Lane c is the binary run of class c: bit for bit where sums are exact, else to rounding (one lane
/// alone adds in eight partial sums, several add in the order of the row).
pub fn a_lane_is_the_binary_run_of_its_class(subject: &Subject) {
    if subject.peculiar.shares_budget {
        return;
    }
    for kind in [Kind::Integer, Kind::Dense, Kind::Growing] {
        let stream = subject.stream(kind, 2, 300);
        let of = classes(&stream, 5);
        let (learner, trials) = one_vs_rest(subject, &stream, &of, &[]);
        let mut classes = Vec::new();
        for c in &of {
            if !classes.contains(c) {
                classes.push(*c);
            }
        }
        for (i, class) in classes.into_iter().enumerate() {
            let context = format!("{subject} on {}, class {class}", stream.name);
            let mut alone = subject.learner_for(&stream);
            let expected = stream
                .samples
                .iter()
                .zip(&of)
                .map(|(sample, c)| trial(&mut *alone, sample.row(), *c == class).unwrap());
            let expected: Vec<(f64, bool)> = expected.collect();
            // before the class appeared the background learner stood in for it
            let lane_at = |t: &Trial| if t.margin.len() > i + 1 { i + 1 } else { 0 };
            let lane = trials
                .iter()
                .map(|t| (t.margin[lane_at(t)], t.updated[lane_at(t)]));
            let lane: Vec<(f64, bool)> = lane.collect();
            let tolerance = if stream.exact && subject.peculiar.has_exact_sums {
                0.0
            } else {
                1e-9
            };
            if !same_trials(&expected, &lane, tolerance, &context) {
                continue;
            }
            for sample in &stream.samples {
                let mut out = vec![0.0; learner.lanes()];
                let by = learner.hypotheses()[0];
                learner.scores(sample.row(), by, &mut out);
                let one = score(&*alone, sample.row(), by);
                let error = (out[i + 1] - one).abs();
                let size = expected
                    .iter()
                    .fold(one.abs().max(1.0), |m, t| m.max(t.0.abs()));
                assert!(
                    error <= 1e-9 * size,
                    "{context}: score {}, not {one}",
                    out[i + 1]
                );
            }
        }
    }
}

/// The number of other lanes does not matter, bit for bit.
pub fn lanes_do_not_see_each_other(subject: &Subject) {
    if subject.peculiar.shares_budget {
        return;
    }
    let stream = subject.stream(Kind::Sparse, 1, 200);
    let of = classes(&stream, 4);
    let runs = [1, 3, 8, 11, 70].map(|others| {
        let mut learner = subject.learner_for(&stream);
        (0..others).for_each(|_| learner.add_lane(0).unwrap());
        let mut out = Trial::default();
        let mut margins = Vec::new();
        for (t, sample) in stream.samples.iter().enumerate() {
            let rest: Vec<usize> = (2..=others).filter(|k| (t + k) % 3 == 0).collect();
            let positive = if of[t] == 1 {
                [&[1][..], &rest].concat()
            } else {
                rest
            };
            learner.trial(sample.row(), &positive, &mut out).unwrap();
            assert_eq!(out.margin.len(), others + 1);
            margins.push((out.margin[1].to_bits(), out.updated[1]));
        }
        let weights: Vec<u64> = learner.weights(1).iter().map(|w| w.to_bits()).collect();
        (margins, weights)
    });
    assert!(runs.iter().all(|run| *run == runs[0]), "{subject}");
}

/// A class that appears is a clone of the background: a learner that saw its rows with y = -1.
pub fn a_new_lane_is_a_fresh_learner_that_saw_negatives(subject: &Subject) {
    for n in [0, 1, 40] {
        let stream = subject.stream(Kind::Sparse, 5, 80);
        let mut a = subject.learner_for(&stream);
        let mut b = subject.learner_for(&stream);
        for sample in &stream.samples[..n] {
            trial(&mut *a, sample.row(), false).unwrap();
            trial(&mut *b, sample.row(), false).unwrap();
        }
        a.add_lane(0).unwrap();
        let exact = |l: &dyn Learner, k: usize| {
            l.weights(k).iter().map(|w| w.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(exact(&*a, 1), exact(&*b, 0), "{subject} after {n} rows");
        let own = |l: &dyn Learner, k: usize| {
            let prefix = format!("{k}/");
            let all = state_bits(l).into_iter();
            let mine =
                all.filter_map(|(name, w)| Some((name.strip_prefix(&prefix)?.to_owned(), w)));
            mine.collect::<Vec<_>>()
        };
        assert_eq!(own(&*a, 1), own(&*b, 0), "{subject} after {n} rows");
    }
}
