//! Hundreds and thousands of features: the forms for them against the plain ones.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::compare::compare;
use common::second::ArowRidge;
use common::second_order::SecondOrderRidge;
use common::stream::{MODERATE, Sample, Stream, gaussian, stream};
use common::{MEMORY, assert_same_state, cases, learner, reloaded, run, same_trials, saved};
use novikoff::learner::{Learner, Linear};
use novikoff::online::projectron::Projectron;
use novikoff::online::second_order::inverse::SecondOrderInverse;
use novikoff::online::second_order::primal::SecondOrderPrimal;
use novikoff::random::SplitMix64;
use novikoff_testkit::harness::copy;

/// This many features make the learners use the forms for wide rows.
const WIDTH: u32 = 2050;

/// A one-hot table of several columns and a number, with labels that are often wrong. Some rows come again, with the other
/// label too, and some are multiples of others.
fn table(seed: u64, rows: usize) -> Stream {
    let mut g = SplitMix64::new(seed ^ 0x7ab1e);
    let columns = [50, 300, 700, WIDTH as usize - 1051];
    let weight: Vec<f64> = (0..=WIDTH).map(|_| gaussian(&mut g)).collect();
    let mut samples: Vec<Sample> = Vec::new();
    for t in 0..rows {
        if t % 9 == 8 {
            let again = &samples[g.below(samples.len())];
            let by = [1.0, -1.0, 0.5, 3.0][g.below(4)];
            let value = again.value.iter().map(|v| by * v).collect();
            let positive = again.positive != (g.below(2) == 0);
            samples.push(Sample::new(again.index.clone(), value, positive));
            continue;
        }
        let mut first = 2;
        let mut index = vec![1];
        for levels in columns {
            // the first row reaches the last feature
            let level = if t == 0 { levels - 1 } else { g.below(levels) };
            index.push((first + level) as u32);
            first += levels;
        }
        let value = vec![gaussian(&mut g) as f32, 1.0, 1.0, 1.0, 1.0];
        let score: f64 = index.iter().map(|j| weight[*j as usize]).sum();
        let positive = t == 0 || (score > 0.0) != (g.uniform() < 0.3);
        samples.push(Sample::new(index, value, positive));
    }
    Stream::of(&format!("table {seed}"), WIDTH, samples)
}

/// The whole stream at once, and with a learner that is saved and loaded at these trials.
fn run_resumed(spec: &str, stream: &Stream, at: &[usize]) -> Vec<(f64, bool)> {
    let mut whole = learner(spec, stream.width);
    let trials = run(&mut *whole, &stream.samples);
    let mut resumed = learner(spec, stream.width);
    let mut start = 0;
    for &end in at {
        run(&mut *resumed, &stream.samples[start..end]);
        resumed = reloaded(spec, stream.width, &*resumed);
        start = end;
    }
    run(&mut *resumed, &stream.samples[start..]);
    assert_same_state(&*whole, &*resumed, spec);
    trials
}

fn has(learner: &dyn Learner, name: &str) -> bool {
    saved(learner).arrays().any(|(array, _)| array == name)
}

/// `S = a A^-1` against the factor of it that loses nothing: trial by trial, whatever the number of features.
#[test]
fn the_inverse_is_that_of_the_factor() {
    let mut updates = 0;
    for (a, margin) in [(1.0, 0.0), (30.0, 0.0), (1.0, 0.3)] {
        for &kind in MODERATE {
            for seed in 0..cases(3) {
                // long enough for w to be corrected
                let stream = stream(kind, seed, 900);
                let mut plain = Linear::new(SecondOrderPrimal { a, margin }, MEMORY);
                let mut inverse = Linear::new(SecondOrderInverse { a, margin }, MEMORY);
                let want = run(&mut plain, &stream.samples);
                let got = run(&mut inverse, &stream.samples);
                same_trials(&want, &got, 1e-9, &stream.name);
                updates += got.iter().filter(|(_, updated)| *updated).count();
                for (want, got) in plain
                    .copy()
                    .weights(0)
                    .iter()
                    .zip(inverse.copy().weights(0))
                {
                    assert!(
                        (want - got).abs() <= 1e-9 * (1.0 + want.abs()),
                        "{}",
                        stream.name
                    );
                }
            }
        }
    }
    assert!(updates > 5000, "{updates}");
}

/// Half of it, saved, loaded, and the other half: the same bits.
#[test]
fn the_inverse_goes_on_where_it_was() {
    for &kind in MODERATE {
        let stream = stream(kind, 5, 300);
        let new = || {
            Linear::new(
                SecondOrderInverse {
                    a: 2.0,
                    margin: 0.0,
                },
                MEMORY,
            )
        };
        let (mut whole, mut first, mut second) = (new(), new(), new());
        run(&mut whole, &stream.samples);
        run(&mut first, &stream.samples[..170]);
        second.load(1, &mut copy(&saved(&first))).unwrap();
        run(&mut second, &stream.samples[170..]);
        assert_same_state(&whole, &second, &stream.name);
    }
}

/// Mistakes a quarter of the features: the inverse, until a long row comes.
#[test]
fn second_order() {
    let mut stream = table(1, 1500);
    let spec = "second-order";
    let auto = run_resumed(spec, &stream, &[700, 1300, 1450]);
    let plain = run(
        &mut *learner("second-order:form=dual", WIDTH),
        &stream.samples,
    );
    same_trials(&plain, &auto, 1e-9, spec);
    let mut learned = learner(spec, WIDTH);
    run(&mut *learned, &stream.samples);
    assert!(has(&*learned, "0/inverse"));
    // |x|^2 > 1e4 a, and a mistake
    let long = Sample::new(vec![1, 40], vec![150.0, 1.0], true);
    let positive = common::score(&*learned, long.row(), learned.hypotheses()[0]) < 0.0;
    let long = Sample::new(vec![1, 40], vec![150.0, 1.0], positive);
    run(&mut *learned, std::slice::from_ref(&long));
    assert!(!has(&*learned, "0/inverse"));
    stream.samples.push(long);
    stream.samples.extend(table(2, 30).samples);
    let auto = run(&mut *learner(spec, WIDTH), &stream.samples);
    let plain = run(
        &mut *learner("second-order:form=dual", WIDTH),
        &stream.samples,
    );
    same_trials(&plain, &auto, 1e-9, "a long row");
}

/// A row of more features than all pairs are kept of: it stands apart in the inverse, and ends the other form.
#[test]
fn rows_of_more_features() {
    let mut stream = table(6, 3600);
    let far = Sample::new(vec![1, 9000], vec![3.0, 1.0], true);
    let mut end = stream.samples.clone();
    stream.samples.truncate(3500);
    end.drain(..3500);
    for (spec, kept) in [("second-order", "0/inverse"), ("projectron", "0/outside")] {
        let mut wide = learner(spec, 9000);
        run(&mut *wide, &stream.samples);
        assert!(has(&*wide, kept), "{spec}");
        let mut far = far.clone();
        far.positive = common::score(&*wide, far.row(), wide.hypotheses()[0]) < 0.0;
        run(&mut *wide, std::slice::from_ref(&far));
        assert_eq!(has(&*wide, kept), spec == "second-order", "{spec}");
        let samples: Vec<Sample> = stream
            .samples
            .iter()
            .chain([&far])
            .chain(&end)
            .cloned()
            .collect();
        let got = run(&mut *learner(spec, 9000), &samples);
        let rule = Projectron {
            eta: 0.1,
            plus: false,
        };
        let want = match spec {
            "projectron" => run(&mut Linear::new(rule, MEMORY), &samples),
            _ => run(&mut *learner("second-order:form=dual", 9000), &samples),
        };
        same_trials(&want, &got, 1e-9, spec);
    }
}

/// Columns of more categories than all pairs are kept of: the inverse, once the mistakes are as many as the features that do not stand apart.
#[test]
fn thousands_of_categories() {
    let (width, columns) = (9000, [7, 90, 8903]);
    let mut g = SplitMix64::new(9);
    let weight: Vec<f64> = (0..=width).map(|_| gaussian(&mut g)).collect();
    let samples: Vec<Sample> = (0..1500)
        .map(|t| {
            let mut first = 1;
            let mut index = Vec::new();
            for levels in columns {
                let level = if t == 0 { levels - 1 } else { g.below(levels) };
                index.push((first + level) as u32);
                first += levels;
            }
            let score: f64 = index.iter().map(|j| weight[*j as usize]).sum();
            Sample::new(index, vec![1.0; 3], (score > 0.0) != (g.uniform() < 0.3))
        })
        .collect();
    let stream = Stream::of("categories", width, samples);
    let spec = "second-order";
    let auto = run_resumed(spec, &stream, &[300, 800, 1300]);
    let plain = run(
        &mut *learner("second-order:form=dual", width),
        &stream.samples,
    );
    same_trials(&plain, &auto, 1e-9, spec);
    let mut learned = learner(spec, width);
    run(&mut *learned, &stream.samples);
    assert!(has(&*learned, "0/inverse"));
    // few of the pairs have a number: 97 features in common, and some categories that met before they were known to
    let pairs = saved(&*learned);
    let pairs = pairs.arrays().find(|(name, _)| *name == "0/inverse-joined");
    let novikoff::state::Array::U32(joined) = pairs.unwrap().1 else {
        unreachable!("slots")
    };
    assert!((97..300).contains(&joined.len()), "{}", joined.len());
}

/// Rows kept half of the features: what is outside of their span, until a row comes that is nearly inside.
#[test]
fn projectron() {
    let mut stream = table(3, 3500);
    let spec = "projectron:plus";
    let rule = Projectron {
        eta: 0.1,
        plus: true,
    };
    let linear = run_resumed(spec, &stream, &[700, 2700, 3400]);
    let mut plain = Linear::new(rule.clone(), MEMORY);
    same_trials(&run(&mut plain, &stream.samples), &linear, 1e-9, spec);
    let mut learned = learner(spec, WIDTH);
    run(&mut *learned, &stream.samples);
    assert!(has(&*learned, "0/outside"));
    // a multiple of the first row that was kept, with something new that is small for it and large for eta
    let mut near = stream.samples.iter().find(|s| !s.positive).unwrap().clone();
    near.value = near.value.iter().map(|v| 1000.0 * v).collect();
    near.index.push(WIDTH);
    near.value.push(0.5);
    near.positive = common::score(&*learned, near.row(), learned.hypotheses()[0]) < 0.0;
    run(&mut *learned, std::slice::from_ref(&near));
    assert!(!has(&*learned, "0/outside"));
    stream.samples.push(near);
    stream.samples.extend(table(4, 30).samples);
    let linear = run(&mut *learner(spec, WIDTH), &stream.samples);
    let mut plain = Linear::new(rule, MEMORY);
    same_trials(
        &run(&mut plain, &stream.samples),
        &linear,
        1e-9,
        "nearly inside",
    );
}

/// This many features make the primal form keep the inverse.
const HUNDREDS: u32 = 140;

/// Sparse and dense rows of some length with labels that are often wrong.
fn hundreds(seed: u64, rows: usize, length: f64) -> Stream {
    let mut g = SplitMix64::new(seed ^ 0x4d1);
    let weight: Vec<f64> = (0..=HUNDREDS).map(|_| gaussian(&mut g)).collect();
    let sample = |t: usize| {
        let part = if t.is_multiple_of(4) { 1.0 } else { 0.2 };
        // the first row reaches the last feature, and is a mistake
        let index: Vec<u32> = (1..=HUNDREDS)
            .filter(|j| (t == 0 && *j == HUNDREDS) || g.uniform() < part)
            .collect();
        let value: Vec<f64> = index.iter().map(|_| gaussian(&mut g)).collect();
        let norm = value.iter().map(|v| v * v).sum::<f64>().sqrt();
        let value: Vec<f32> = value.iter().map(|v| (length * v / norm) as f32).collect();
        let scored = index.iter().zip(&value);
        let score: f64 = scored
            .map(|(j, v)| weight[*j as usize] * f64::from(*v))
            .sum();
        let positive = t > 0 && (score > 0.0) != (g.uniform() < 0.2);
        Sample::new(index, value, positive)
    };
    let samples = (0..rows).map(sample).collect();
    Stream::of(&format!("hundreds {seed}, {length}"), HUNDREDS, samples)
}

/// The inverse of hundreds of features against the definition in 32 digits, and half of it, saved, loaded, and the other half.
#[test]
fn hundreds_of_features() {
    for (seed, length) in [(1, 1.0), (2, 12.0), (3, 95.0)] {
        let stream = hundreds(seed, 500, length);
        for spec in [
            "second-order:form=primal",
            "second-order",
            "second-order:a=1.2,margin=0.05",
        ] {
            let trials = run_resumed(spec, &stream, &[1, 100, 333]);
            assert!(trials.iter().filter(|(_, updated)| *updated).count() > 150);
            let mut learned = learner(spec, HUNDREDS);
            run(&mut *learned, &stream.samples);
            assert!(has(&*learned, "0/inverse-triangle"), "{spec}");
            if spec.contains("margin") {
                let plain = "second-order:a=1.2,margin=0.05,form=dual";
                let plain = run(&mut *learner(plain, HUNDREDS), &stream.samples);
                same_trials(&plain, &trials, 1e-9, spec);
            } else {
                let by = SecondOrderRidge(ArowRidge::new(stream.slots(), 1.0));
                compare(spec, Box::new(by), &stream, false);
            }
        }
    }
}

/// A row that is too long for the inverse, and more features than it is for: the factor, and the same results.
#[test]
fn hundreds_of_features_and_then_others() {
    let long = Sample::new(vec![3, 90], vec![400.0, 30.0], true);
    let far = Sample::new(vec![3, 2500], vec![0.5, 0.25], true);
    for end in [long, far] {
        let mut stream = hundreds(4, 300, 1.0);
        let width = HUNDREDS.max(end.index[1]);
        let spec = "second-order:form=primal";
        let mut learned = learner(spec, width);
        run(&mut *learned, &stream.samples);
        assert!(has(&*learned, "0/inverse-triangle"));
        let mut end = end;
        end.positive = common::score(&*learned, end.row(), learned.hypotheses()[0]) < 0.0;
        run(&mut *learned, std::slice::from_ref(&end));
        assert!(has(&*learned, "0/inverse-factor"));
        stream.samples.push(end);
        stream.samples.extend(hundreds(5, 100, 1.0).samples);
        let stream = Stream::of("and then others", width, stream.samples);
        let got = run_resumed(spec, &stream, &[300, 301, 350]);
        let dual = run(
            &mut *learner("second-order:form=dual", width),
            &stream.samples,
        );
        same_trials(&dual, &got, 1e-9, spec);
    }
}
