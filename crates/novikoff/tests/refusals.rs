//! Rows that a learner cannot take, and rows at the edge of that: finite answers or a refusal that
//! leaves no trace.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::stream::{Kind, Sample, some_slots};
use common::{
    MEMORY, abilities, assert_finite, cases, every_spec, learner, learner_for, learner_within,
    norm_for, run, same_trials, state_bits, stream_for, survey, trial,
};
use novikoff::learner::Refusal;
use novikoff::random::SplitMix64;
use novikoff::row::Row;

/// Rows of the largest and smallest values there are.
fn extreme_rows(spec: &str, seed: u64) -> Vec<Sample> {
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
        let sign = if abilities(spec).needs_non_negative {
            1.0
        } else {
            -1.0
        };
        let value = |_: &u32| sizes[g.below(10)] * if g.below(2) == 0 { 1.0 } else { sign };
        let value = index.iter().map(value).collect();
        let mut sample = Sample::new(index, value, g.below(2) == 0);
        if let Some(p) = norm_for(spec) {
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
#[test]
fn extreme_values() {
    every_spec(|spec| {
        for seed in 0..cases(4) {
            let samples = extreme_rows(spec, seed);
            let mut learner = learner(spec, 6);
            survey(&mut *learner, &samples);
            let mut refused = 0;
            for sample in &samples {
                match trial(&mut *learner, sample.row(), sample.positive) {
                    Ok((margin, _)) => assert!(margin.is_finite(), "{spec}: {margin}"),
                    Err(Refusal::NotFinite) => refused += 1,
                    Err(refusal) => panic!("{spec}: {refusal}"),
                }
                assert_finite(&*learner, &samples[..10], spec);
            }
            assert!(
                refused * 2 < samples.len(),
                "{spec}: {refused} rows refused"
            );
        }
    });
}

/// Refuses the rows, and continues as if they had never come.
fn assert_refused_without_a_trace(spec: &str, memory: u128, rows: &[Row<'_>]) {
    let stream = stream_for(spec, Kind::Sparse, 3, 100);
    for before in [0, 1, 50] {
        let [mut a, mut b] = [(); 2].map(|()| {
            let mut learner = learner_within(spec, stream.width, memory);
            survey(&mut *learner, &stream.samples);
            run(&mut *learner, &stream.samples[..before]);
            learner
        });
        for row in rows {
            for positive in [true, false] {
                let answer = trial(&mut *a, *row, positive);
                assert!(
                    answer.is_err(),
                    "{spec} after {before} rows: {row:?} gave {answer:?}"
                );
            }
        }
        let rest = &stream.samples[before..];
        let context = format!("{spec}: a row refused after {before} others left a trace");
        same_trials(&run(&mut *a, rest), &run(&mut *b, rest), 0.0, &context);
        let bits = |w: Vec<f64>| w.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        let (a, b) = (bits(a.weights(0)), bits(b.weights(0)));
        assert!(a.starts_with(&b), "{context}");
    }
}

#[test]
fn rows_with_nan_or_infinity_are_refused() {
    every_spec(|spec| {
        for bad in [f32::NAN, f32::INFINITY] {
            let values = [1.0, bad];
            let rows = [
                Row::sparse(&[3], &values[1..]),
                Row::sparse(&[1, 4], &values),
                Row::sparse(&[1, 1000], &values),
            ];
            assert_refused_without_a_trace(spec, MEMORY, &rows);
        }
    });
}

#[test]
fn too_little_memory_is_a_refusal() {
    every_spec(|spec| {
        // room for the features of the stream, and for their pairs
        let rows = [
            Row::sparse(&[1, 100_000], &[1.0, 1.0]),
            Row::sparse(&[u32::MAX - 1], &[1.0]),
        ];
        assert_refused_without_a_trace(spec, 300_000, &rows);
        let mut learner = learner_within(spec, 10, 16_000);
        let small = Sample::new(vec![1, 3], vec![1.0, 2.0], false);
        survey(&mut *learner, std::slice::from_ref(&small));
        trial(&mut *learner, small.row(), false).unwrap();
        for row in rows {
            let answer = trial(&mut *learner, row, false);
            assert!(
                matches!(answer, Err(Refusal::Memory { .. })),
                "{spec}: {answer:?}"
            );
        }
        let lanes = (1..10_000)
            .take_while(|_| learner.add_lane(0).is_ok())
            .count();
        assert!(
            lanes < 3000,
            "{spec}: {lanes} classes of four slots in 64 kB"
        );
        trial(&mut *learner, small.row(), true).unwrap();
    });
}

#[cfg(feature = "linalg")]
#[test]
fn a_survey_refuses_nan_and_infinity() {
    for bad in [f32::NAN, f32::INFINITY] {
        let mut learner = learner("whitened", 3);
        assert_eq!(
            learner.survey(Row::dense(&[1.0, bad])),
            Err(Refusal::NotFinite)
        );
    }
}

#[test]
fn winnow_refuses_negative_values_and_keeps_its_state() {
    let stream = stream_for("winnow", Kind::Sparse, 3, 100);
    let mut learner = learner_for("winnow", &stream);
    run(&mut *learner, &stream.samples);
    let before = state_bits(&*learner);
    let answer = trial(&mut *learner, Row::sparse(&[2, 900], &[1.0, -0.5]), true);
    assert_eq!(
        answer,
        Err(Refusal::Negative {
            feature: 900,
            value: -0.5
        })
    );
    assert_eq!(before, state_bits(&*learner));
    trial(&mut *learner, Row::sparse(&[2], &[-0.0]), true).unwrap();
}

/// Whatever grows with the rows seen, the state stays within the memory allowed.
#[test]
fn memory_does_not_grow_past_its_limit() {
    every_spec(|spec| {
        let mut learner = learner_within(spec, 10, 200_000);
        let values = [1.0; 50];
        let mut samples: Vec<Sample> = [true, false]
            .map(|y| Sample::new((0..50).collect(), values.to_vec(), y))
            .to_vec();
        if let Some(p) = norm_for(spec) {
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
                        "{spec}: {refusal}"
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
            "{spec}: {bytes} bytes where 200000 are allowed"
        );
    });
}
