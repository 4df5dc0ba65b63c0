//! What every learner of the catalogue promises, whatever its algorithm.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::stream::{Kind, Sample};
use common::{
    SPECS, abilities, assert_finite, assert_same_state, cases, every_spec, learner, learner_for,
    norm_for, run, same_trials, score, state_bits, stream_for, survey, trial,
};
use novikoff::catalog::CATALOG;
use novikoff::learner::Hypothesis;
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
            assert_eq!(zero != 0.0, abilities(spec).has_threshold, "{spec}");
            for row in [
                Row::sparse(&[], &[]),
                Row::dense(&[]),
                Row::dense(&[0.0, -0.0]),
            ] {
                let by = if spec == "voted" {
                    Hypothesis::Final
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
            // eigenvectors of a larger matrix are rounded differently
            let tolerance = if abilities(spec).needs_all_rows {
                1e-9
            } else {
                1e-12
            };
            same_trials(&a, &b, tolerance, spec);
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
                if let Some(p) = norm_for(spec) {
                    sample.divide_by_norm(p);
                }
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
            // its trials go by another number than its deployed scores
            if spec.starts_with("second-order:form=diagonal") {
                for (margin, _) in run(&mut *learner, &stream.samples) {
                    assert_eq!(margin >= 0.0, positive, "{spec}: {margin}");
                }
                continue;
            }
            // positive weights that sum to 1 cannot turn every row away
            if spec.starts_with("normalised-winnow") && !positive {
                continue;
            }
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
            // every update of these forms costs as much as all before it
            let long = ["form=dual", "form=implicit", "form=low-rank", "max-margin"];
            let times = if long.iter().any(|form| spec.contains(form)) {
                700
            } else {
                10_000
            };
            for t in 0..times {
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

#[test]
fn whoever_surveys_says_so() {
    every_spec(|spec| {
        let mut learner = learner(spec, 10);
        assert_eq!(learner.surveys(), abilities(spec).needs_all_rows, "{spec}");
        survey(&mut *learner, &[Sample::new(vec![1], vec![1.0], true)]);
        assert!(!learner.surveys(), "{spec}");
    });
}
