//! What every learner of the catalogue promises, whatever its algorithm.

#![allow(clippy::unwrap_used)]

mod common;

use common::stream::{Kind, Sample, some_slots};
use common::{
    MEMORY, SPECS, assert_same_state, cases, every_spec, learner, learner_for, learner_within, run,
    same_trials, score, state_bits, stream_for, survey, trial,
};
use novikoff::catalog::CATALOG;
use novikoff::learner::{Learner, Refusal};
use novikoff::random::SplitMix64;
use novikoff::row::Row;

#[test]
fn every_entry_is_examined() {
    for entry in CATALOG {
        let examined = SPECS
            .iter()
            .any(|spec| spec.split(':').next() == Some(entry.name));
        assert!(examined, "{} is missing from SPECS", entry.name);
    }
}

fn assert_finite(learner: &dyn Learner, rows: &[Sample], context: &str) {
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

#[test]
fn scoring_changes_nothing() {
    every_spec(|spec| {
        for seed in 0..cases(3) {
            let stream = stream_for(spec, Kind::Growing, seed, 200);
            let mut learner = learner_for(spec, &stream);
            run(&mut *learner, &stream.samples[..100]);
            let before = state_bits(&*learner);
            // the later rows have features not met so far
            let first = stream
                .samples
                .iter()
                .map(|s| score(&*learner, s.row(), learner.hypotheses()[0]));
            let first: Vec<f64> = first.collect();
            let _ = (learner.weights(0), learner.zero_margin());
            assert_eq!(before, state_bits(&*learner), "{spec}");
            for (sample, first) in stream.samples.iter().zip(first) {
                let again = score(&*learner, sample.row(), learner.hypotheses()[0]);
                assert_eq!(again.to_bits(), first.to_bits(), "{spec}");
            }
        }
    });
}

/// The deployed score is `w.x` (Winnow: minus theta; ALMA: of the row over its norm; voted: a vote), and
/// features that never occurred weigh nothing (Winnow: 1).
#[test]
fn deployed_scores_are_the_weights_times_the_row() {
    every_spec(|spec| {
        if spec == "voted" {
            return;
        }
        for seed in 0..cases(3) {
            let stream = stream_for(spec, Kind::Sparse, seed, 300);
            let mut learner = learner_for(spec, &stream);
            run(&mut *learner, &stream.samples);
            let weights = learner.weights(0);
            for sample in &stream.samples {
                let mut wide = sample.clone();
                wide.index.extend([stream.width + 7, 3_000_000_000]);
                wide.value.extend([2.0, 0.25]);
                let rest = if spec.starts_with("winnow") { 1.0 } else { 0.0 };
                let weight = |j: usize| weights.get(j).copied().unwrap_or(rest);
                let terms = || wide.row().iter().map(|(j, x)| weight(j) * x);
                let p = if spec == "alma:p=4,alpha=0.5" {
                    4.0
                } else {
                    2.0
                };
                let over = if spec.starts_with("alma") {
                    wide.row().norm(p)
                } else {
                    1.0
                };
                let zero = learner.zero_margin();
                let want = terms().sum::<f64>() / over + zero;
                let size = terms().map(f64::abs).sum::<f64>() / over + zero.abs();
                let got = score(&*learner, wide.row(), learner.hypotheses()[0]);
                // an average is a difference of sums over all trials
                assert!(
                    (got - want).abs() <= 1e-11 * size.max(1.0),
                    "{spec}: {got}, not {want}"
                );
            }
        }
    });
}

#[test]
fn an_empty_row_scores_as_a_zero_row() {
    every_spec(|spec| {
        let stream = stream_for(spec, Kind::Sparse, 1, 100);
        let mut learner = learner_for(spec, &stream);
        for round in 0..2 {
            let zero = learner.zero_margin();
            let theta = spec.starts_with("winnow");
            assert_eq!(zero < 0.0, theta, "{spec}");
            for row in [
                Row::sparse(&[], &[]),
                Row::dense(&[]),
                Row::dense(&[0.0, -0.0]),
            ] {
                let by = if spec == "voted" {
                    novikoff::learner::Hypothesis::Final
                } else {
                    learner.hypotheses()[0]
                };
                assert_eq!(score(&*learner, row, by), zero, "{spec} round {round}");
            }
            run(&mut *learner, &stream.samples);
        }
    });
}

/// Stored zeros make a learner's memory longer and change nothing else.
#[test]
fn width_and_stored_zeros_do_not_matter() {
    every_spec(|spec| {
        for seed in 0..cases(3) {
            let narrow = stream_for(spec, Kind::Growing, seed, 200);
            let mut wide = narrow.clone();
            let top = narrow.width + 100;
            for sample in &mut wide.samples {
                sample.index.push(top);
                sample.value.push(0.0);
            }
            let mut a = learner_for(spec, &narrow);
            let mut b = learner(spec, narrow.width);
            survey(&mut *b, &wide.samples);
            let (a, b) = (run(&mut *a, &narrow.samples), run(&mut *b, &wide.samples));
            same_trials(&a, &b, 1e-12, spec);
        }
    });
}

#[test]
fn storage_does_not_matter() {
    every_spec(|spec| {
        for seed in 0..cases(3) {
            let mut stream = stream_for(spec, Kind::Sparse, seed, 300);
            for sample in &mut stream.samples {
                // slot 0 is out of reach of dense rows
                if sample.index[0] == 0 {
                    sample.index[0] = 1;
                    if sample.index.get(1) == Some(&1) {
                        sample.index.remove(1);
                        sample.value.remove(1);
                    }
                }
            }
            let full = |s: &Sample| -> Vec<f32> {
                let mut x = vec![0.0; stream.width as usize];
                s.index
                    .iter()
                    .zip(&s.value)
                    .for_each(|(j, v)| x[*j as usize - 1] = *v);
                x
            };
            let rows: Vec<Vec<f32>> = stream.samples.iter().map(full).collect();
            let slots: Vec<u32> = (1..=stream.width).collect();
            let pairs = || rows.iter().zip(&stream.samples);
            let dense = pairs()
                .map(|(x, s)| Row::dense(x).scaled(s.scale))
                .collect();
            let adjacent = pairs()
                .map(|(x, s)| Row::sparse(&slots, x).scaled(s.scale))
                .collect();
            let sparse = stream.samples.iter().map(Sample::row).collect();
            let [a, b, c] = [dense, adjacent, sparse].map(|rows: Vec<Row<'_>>| {
                let mut learner = learner(spec, stream.width);
                if learner.surveys() {
                    for row in &rows {
                        learner.survey(*row).unwrap();
                    }
                    learner.surveyed();
                }
                let trials = rows.iter().zip(&stream.samples);
                let trials = trials.map(|(row, s)| trial(&mut *learner, *row, s.positive).unwrap());
                (trials.collect::<Vec<_>>(), learner)
            });
            assert_same_state(&*a.1, &*b.1, spec);
            same_trials(&a.0, &b.0, 0.0, spec);
            same_trials(&a.0, &c.0, 1e-10, spec);
        }
    });
}

/// Rows with the constant feature, all of one class: the learner ends up saying that class.
#[test]
fn one_class_only() {
    every_spec(|spec| {
        for positive in [true, false] {
            let mut stream = stream_for(spec, Kind::Integer, 4, 60);
            for sample in &mut stream.samples {
                if sample.index[0] != 0 {
                    sample.index.insert(0, 0);
                    sample.value.insert(0, 1.0);
                }
                sample.value[0] = 3.0;
                sample.positive = positive;
            }
            let mut learner = learner_for(spec, &stream);
            let mut updates = 0;
            for _ in 0..100 {
                updates = run(&mut *learner, &stream.samples)
                    .iter()
                    .filter(|t| t.1)
                    .count();
            }
            assert_finite(&*learner, &stream.samples, spec);
            for sample in &stream.samples {
                let got = score(&*learner, sample.row(), learner.hypotheses()[0]);
                assert_eq!(
                    got >= 0.0,
                    positive,
                    "{spec}: {got}, {updates} updates in the last epoch"
                );
            }
        }
    });
}

#[test]
fn a_row_ten_thousand_times() {
    every_spec(|spec| {
        for alternating in [false, true] {
            let stream = stream_for(spec, Kind::Integer, 5, 20);
            let mut learner = learner_for(spec, &stream);
            let mut sample = stream.samples[3].clone();
            for t in 0..10_000 {
                sample.positive = alternating && t % 2 == 0;
                let (margin, _) = trial(&mut *learner, sample.row(), sample.positive).unwrap();
                assert!(margin.is_finite(), "{spec}");
            }
            assert_finite(&*learner, &stream.samples, spec);
            if !alternating {
                assert!(
                    score(&*learner, sample.row(), learner.hypotheses()[0]) < 0.0,
                    "{spec}"
                );
            }
        }
    });
}

#[test]
fn the_same_stream_gives_the_same_bytes() {
    every_spec(|spec| {
        let stream = stream_for(spec, Kind::Swings, 2, 400);
        let [a, b] = [(); 2].map(|()| {
            let mut learner = learner_for(spec, &stream);
            run(&mut *learner, &stream.samples);
            learner
        });
        assert_same_state(&*a, &*b, spec);
    });
}

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
        let sign = if spec.starts_with("winnow") {
            1.0
        } else {
            -1.0
        };
        let value = |_: &u32| sizes[g.below(10)] * if g.below(2) == 0 { 1.0 } else { sign };
        let value = index.iter().map(value).collect();
        Sample::new(index, value, g.below(2) == 0)
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

/// Refuses the rows, and goes on as if they had never come.
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
        let samples: Vec<Sample> = [true, false]
            .map(|y| Sample::new((0..50).collect(), values.to_vec(), y))
            .to_vec();
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

#[test]
fn whoever_surveys_says_so() {
    every_spec(|spec| {
        let mut learner = learner_within(spec, 10, MEMORY);
        assert_eq!(learner.surveys(), spec.starts_with("whitened"), "{spec}");
        survey(&mut *learner, &[Sample::new(vec![1], vec![1.0], true)]);
        assert!(!learner.surveys(), "{spec}");
    });
}
