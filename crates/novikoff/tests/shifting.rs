//! The shifting perceptron: as its definition says; its relation to the perceptron; its bound with vectors that
//! take turns.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::bound::{Run, comparators};
use common::certified::{past, small, streams};
use common::gram::{SPACES, Shifting as Slow, everywhere};
use common::matrix::{dot, length, plus, times};
use common::stream::{Kind, stream};
use common::trial;
use novikoff::certificate::NotApplicable;
use novikoff::certificate::PastTrial;
use novikoff::certificate::shifting::{ComparatorStage, certify};
use novikoff::online::shifting::Shifting;
use novikoff::random::SplitMix64;

const KINDS: &[Kind] = &[
    Kind::Dense,
    Kind::Sparse,
    Kind::Binary,
    Kind::Integer,
    Kind::Repeated,
    Kind::Growing,
];

#[test]
fn it_is_its_definition() {
    for lambda in [0.3, 1.0, 2.0, 7.5] {
        let spec = format!("shifting:lambda={lambda}");
        let list = Vec::new;
        everywhere(&spec, KINDS, 150, || Slow {
            lambda,
            list: list(),
        });
    }
}

#[test]
fn lambda_one_predicts_as_the_perceptron() {
    let mut updates = 0;
    for &kind in KINDS {
        for seed in 0..4 {
            let stream = stream(kind, seed, 200);
            for &space in SPACES {
                let [mut a, mut b] = ["perceptron", "shifting:lambda=1"].map(|s| space.learner(s));
                let mut k = 0.0_f64;
                for sample in &stream.samples {
                    let x = sample.row();
                    if space.kernel().own(space.kernel().facts(x)) == 0.0 {
                        continue;
                    }
                    let [a, b] =
                        [&mut a, &mut b].map(|l| trial(&mut **l, x, sample.positive).unwrap());
                    let size = a.0.abs().max(1.0);
                    assert!((a.0 - b.0 * k.max(1.0)).abs() <= 1e-9 * size, "{a:?} {b:?}");
                    if a.1 != b.1 {
                        assert!(a.0.abs() < 1e-9, "{a:?} {b:?}");
                        break;
                    }
                    k += f64::from(u8::from(a.1));
                    updates += usize::from(a.1);
                }
            }
        }
    }
    assert!(updates > 4000, "{updates}");
}

/// The parts of the bound, by plain arithmetic.
fn parts(
    lambda: f64,
    trials: &[PastTrial<'_>],
    stages: &[ComparatorStage<'_>],
    slots: usize,
) -> [f64; 3] {
    let zero = vec![0.0; slots];
    let at = |t: usize| {
        let begun = stages.iter().rev().find(|(from, _)| *from <= t);
        begun.map_or(&zero[..], |(_, u)| u)
    };
    let dense = |t: usize| {
        let mut x = vec![0.0; slots];
        trials[t].x.iter().for_each(|(j, v)| x[j] = v);
        x
    };
    let mistakes: Vec<usize> = (0..trials.len()).filter(|&t| trials[t].updated).collect();
    let m = mistakes.len();
    let l = |k: usize| lambda / (lambda + k as f64);
    let rest = |from: usize| -> f64 { (from..m).map(|j| 1.0 - l(j)).product() };
    let c: Vec<f64> = (0..m).map(|k| l(k) * rest(k + 1)).collect();
    assert!(m == 0 || (c.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let mut w = vec![vec![0.0; slots]];
    for (k, &t) in mistakes.iter().enumerate() {
        let old = times(1.0 - l(k), &w[k]);
        w.push(plus(&old, l(k) * trials[t].y.sign(), &dense(t)));
    }
    let mut hinge = 0.0;
    let mut made = 0;
    for (t, trial) in trials.iter().enumerate() {
        made += usize::from(trial.updated);
        if m > 0 {
            let xi = (1.0 - trial.y.sign() * dot(at(t), &dense(t))).max(0.0);
            hinge += c[made.max(1) - 1] * xi;
        }
    }
    let last = mistakes
        .last()
        .map_or(0.0, |&t| length(at(t)) * length(&w[m]));
    let shift: f64 = (1..m)
        .map(|k| {
            let apart = plus(at(mistakes[k]), -1.0, at(mistakes[k - 1]));
            rest(k) * length(&apart) * length(&w[k])
        })
        .sum();
    [hinge, last, shift].map(|part| m as f64 * part)
}

#[test]
fn it_keeps_its_bound() {
    let (mut checks, mut nearest) = (0, 0.0_f64);
    for seed in 0..streams() {
        let mut g = SplitMix64::new(seed);
        let stream = small(seed).unit(2.0);
        let lambda = [0.5, 1.0, 2.0, 5.0][g.below(4)];
        let run = Run::of(
            &format!("shifting:lambda={lambda}"),
            &stream,
            1 + g.below(3),
        );
        let trials = past(&run, &stream);
        let rivals = comparators(&stream, seed);
        for (i, u) in rivals.iter().enumerate() {
            // alone, or followed by one or two others
            let mut stages: Vec<ComparatorStage<'_>> = vec![(0, u)];
            for n in 0..i % 3 {
                let from = trials.len() * (n + 1) / 3;
                stages.push((from, &rivals[g.below(rivals.len())]));
            }
            let said = certify(&Shifting { lambda }, &trials, &stages).unwrap();
            assert!(said.holds(), "{}: {said:?}", run.name);
            let theorem = said.ingredient("theorem").unwrap();
            assert!(said.bound <= theorem * (1.0 + 1e-9));
            let lengths: f64 = 1.0 + stages.iter().map(|(_, u)| length(u)).sum::<f64>();
            let want = parts(lambda, &trials, &stages, stream.slots());
            for (name, want) in ["hinge", "norm", "shift"].iter().zip(want) {
                let got = said.ingredient(name).unwrap();
                let size = lengths * trials.len() as f64;
                let close = got >= want * (1.0 - 1e-9) && got <= want + 1e-8 * size;
                assert!(close, "{name}: {got}, not {want}");
            }
            checks += 1;
            let hinge = said.ingredient("hinge").unwrap();
            nearest = nearest.max((said.counted as f64 - hinge) / (said.bound - hinge));
        }
    }
    assert!(checks > 1000 && nearest > 0.5, "{checks} {nearest}");
}

#[test]
fn rows_of_another_length_have_no_certificate() {
    let stream = stream(Kind::Integer, 2, 50);
    let run = Run::of("shifting", &stream, 1);
    let trials = past(&run, &stream);
    let said = certify(&Shifting { lambda: 2.0 }, &trials, &[(0, &stream.planted)]);
    assert_eq!(said, Err(NotApplicable::NotOne));
}
