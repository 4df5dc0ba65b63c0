//! Rows that a learner cannot take, and rows at the edge of that: finite answers or a refusal that leaves no trace.

use novikoff::random::SplitMix64;
use novikoff::{Refusal, Row};

use crate::harness::{MEMORY, assert_finite, cases, run, same_trials, state_bits, survey, trial};
use crate::stream::{Kind, Sample, some_slots};
use crate::subject::Subject;

/// Rows of the largest and smallest values there are.
fn extreme_rows(subject: &Subject, seed: u64) -> Vec<Sample> {
    let sizes = [
        f32::MAX,
        1e30,
        1e18,
        1.0,
        1e-18,
        1e-30,
        f32::MIN_POSITIVE,
        1e-45,
        0.0,
        -0.0,
    ];
    let mut g = SplitMix64::new(seed);
    let mut draw = || {
        let index = some_slots(&mut g, 6, 0.5);
        let sign = if subject.can().needs_non_negative {
            1.0
        } else {
            -1.0
        };
        let value = |_: &u32| sizes[g.below(10)] * if g.below(2) == 0 { 1.0 } else { sign };
        let value = index.iter().map(value).collect();
        let mut sample = Sample::new(index, value, g.below(2) == 0);
        if let Some(p) = subject.norm() {
            sample.divide_by_norm(p);
        }
        sample
    };
    (0..300)
        .map(|_| draw())
        .filter(|s| !s.row().is_zero())
        .collect()
}

/// Finite answers or a refusal, never NaN; and a refusal is not the end of the learner.
pub fn extreme_values(subject: &Subject) {
    for seed in 0..cases(4) {
        let samples = extreme_rows(subject, seed);
        let mut learner = subject.learner(6);
        survey(&mut *learner, &samples);
        let mut refused = 0;
        for sample in &samples {
            match trial(&mut *learner, sample.row(), sample.positive) {
                Ok((margin, _)) => assert!(margin.is_finite(), "{subject}: {margin}"),
                Err(Refusal::NotFinite) => refused += 1,
                Err(refusal) => panic!("{subject}: {refusal}"),
            }
            assert_finite(&*learner, &samples[..10], subject);
        }
        assert!(
            refused * 2 < samples.len(),
            "{subject}: {refused} rows refused"
        );
    }
}

/// Refuses the rows, and continues as if they had never come.
fn assert_refused_without_a_trace(subject: &Subject, memory: u128, rows: &[Row<'_>]) {
    let stream = subject.stream(Kind::Sparse, 3, 100);
    for before in [0, 1, 50] {
        let [mut a, mut b] = [(); 2].map(|()| {
            let mut learner = subject.learner_within(stream.width, memory);
            survey(&mut *learner, &stream.samples);
            run(&mut *learner, &stream.samples[..before]);
            learner
        });
        for row in rows {
            for positive in [true, false] {
                let answer = trial(&mut *a, *row, positive);
                assert!(
                    answer.is_err(),
                    "{subject} after {before} rows: {row:?} gave {answer:?}"
                );
            }
        }
        let rest = &stream.samples[before..];
        let context = format!("{subject}: a row refused after {before} others left a trace");
        same_trials(&run(&mut *a, rest), &run(&mut *b, rest), 0.0, &context);
        let bits = |w: Vec<f64>| w.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        let (a, b) = (bits(a.weights(0)), bits(b.weights(0)));
        assert!(a.starts_with(&b), "{context}");
    }
}

/// Values that are not finite are refused, and leave no trace.
pub fn rows_with_nan_or_infinity_are_refused(subject: &Subject) {
    for bad in [f32::NAN, f32::INFINITY] {
        let values = [1.0, bad];
        let rows = [
            Row::sparse(&[3], &values[1..]),
            Row::sparse(&[1, 4], &values),
            Row::sparse(&[1, 1000], &values),
        ];
        assert_refused_without_a_trace(subject, MEMORY, &rows);
    }
}

/// Features and classes that do not fit into the memory allowed are refused, and leave no trace.
pub fn too_little_memory_is_a_refusal(subject: &Subject) {
    // room for the features of the stream, and for their pairs
    let rows = [
        Row::sparse(&[1, 100_000], &[1.0, 1.0]),
        Row::sparse(&[u32::MAX - 1], &[1.0]),
    ];
    assert_refused_without_a_trace(subject, 300_000, &rows);
    let mut learner = subject.learner_within(10, 16_000);
    let small = Sample::new(vec![1, 3], vec![1.0, 2.0], false);
    survey(&mut *learner, std::slice::from_ref(&small));
    trial(&mut *learner, small.row(), false).unwrap();
    for row in rows {
        let answer = trial(&mut *learner, row, false);
        assert!(
            matches!(answer, Err(Refusal::Memory { .. })),
            "{subject}: {answer:?}"
        );
    }
    let lanes = (1..10_000)
        .take_while(|_| learner.add_lane(0).is_ok())
        .count();
    assert!(
        lanes < 3000,
        "{subject}: {lanes} classes of four slots in 64 kB"
    );
    trial(&mut *learner, small.row(), true).unwrap();
}

/// Whatever grows with the rows seen, the state stays within the memory allowed.
pub fn memory_does_not_grow_past_its_limit(subject: &Subject) {
    let mut learner = subject.learner_within(10, 200_000);
    let values = [1.0; 50];
    let mut samples: Vec<Sample> = [true, false]
        .map(|y| Sample::new((0..50).collect(), values.to_vec(), y))
        .to_vec();
    if let Some(p) = subject.norm() {
        for sample in &mut samples {
            sample.divide_by_norm(p);
        }
    }
    survey(&mut *learner, &samples);
    for _ in 0..2000 {
        for sample in &samples {
            if let Err(refusal) = trial(&mut *learner, sample.row(), sample.positive) {
                assert!(
                    matches!(refusal, Refusal::Memory { .. }),
                    "{subject}: {refusal}"
                );
            }
        }
    }
    let bytes: usize = state_bits(&*learner)
        .iter()
        .map(|(_, words)| words.len() * 4)
        .sum();
    assert!(
        bytes < 400_000,
        "{subject}: {bytes} bytes where 200000 are allowed"
    );
}
