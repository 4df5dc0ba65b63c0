//! Selective sampling: as its definitions say; with a b so large that it always asks; its bounds by enumeration of
//! all coins.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::bound::comparators;
use common::certified::{label, small, streams};
use common::definition::wrong;
use common::gram::{
    Gram, SPACES, SelectivePerceptron, SelectiveSecondOrder, Space, Tally, beside, everywhere,
};
use common::matrix::{add_outer, dot, identity, log_det, plus, solve};
use common::stream::{Kind, Stream, stream};
use common::{run, same_trials, saved};
use novikoff::certificate::NotApplicable;
use novikoff::certificate::selective::SelectiveBound;
use novikoff::certificate::{PastRun, PastTrial, Rival};
use novikoff::random::SplitMix64;
use novikoff::space::Primal;

const KINDS: &[Kind] = &[
    Kind::Dense,
    Kind::Sparse,
    Kind::Binary,
    Kind::Integer,
    Kind::Repeated,
    Kind::Growing,
];

#[test]
fn the_perceptron_is_its_definition() {
    for (b, margin, seed) in [(0.5, 0.0, 0), (4.0, 0.0, 1), (2.0, 0.3, 2)] {
        let spec = format!("selective:b={b},margin={margin},seed={seed}");
        everywhere(&spec, KINDS, 200, || SelectivePerceptron {
            b,
            margin,
            random: SplitMix64::new(seed),
            list: Vec::new(),
            queries: 0,
        });
    }
}

fn slow_second_order(a: f64, b: f64, seed: u64) -> SelectiveSecondOrder {
    SelectiveSecondOrder {
        a,
        b,
        random: SplitMix64::new(seed),
        list: Vec::new(),
        queries: 0,
    }
}

#[test]
fn the_second_order_perceptron_is_its_definition() {
    for (a, b, seed) in [(1.0, 1.0, 0), (0.3, 0.1, 1), (20.0, 0.5, 2)] {
        let spec = format!("selective:base=second-order,a={a},b={b},seed={seed}");
        everywhere(&spec, KINDS, 60, || slow_second_order(a, b, seed));
        let mut tally = Tally::default();
        for form in ["primal", "dual"] {
            let spec = format!("{spec},form={form}");
            for &kind in KINDS {
                let stream = stream(kind, seed, 60);
                let gram = Gram::of(&stream, Space::Plain.kernel());
                let mut learner = Space::Plain.learner(&spec);
                let mut slow = slow_second_order(a, b, seed);
                beside(
                    &mut *learner,
                    &mut slow,
                    (&stream, &gram),
                    &spec,
                    &mut tally,
                );
            }
        }
        assert!(tally.left < 4, "{tally:?}");
    }
}

#[test]
fn what_was_asked_is_counted() {
    let stream = stream(Kind::Dense, 2, 200);
    let gram = Gram::of(&stream, Space::Plain.kernel());
    let mut slow = SelectivePerceptron {
        b: 1.0,
        margin: 0.0,
        random: SplitMix64::new(0),
        list: Vec::new(),
        queries: 0,
    };
    let mut learner = Space::Plain.learner("selective");
    beside(
        &mut *learner,
        &mut slow,
        (&stream, &gram),
        "selective",
        &mut Tally::default(),
    );
    let counted = saved(&*learner).take_u64("0/coins").unwrap()[1];
    assert_eq!(counted, slow.queries);
    let mut slow = slow_second_order(1.0, 0.2, 0);
    let mut learner = Space::Plain.learner("selective:base=second-order,b=0.2");
    beside(
        &mut *learner,
        &mut slow,
        (&stream, &gram),
        "selective",
        &mut Tally::default(),
    );
    let counted = saved(&*learner).take_u64("0/coins").unwrap()[1];
    assert_eq!(counted, slow.queries);
    assert!(counted > 20 && counted < 180, "{counted}");
}

#[test]
fn whoever_always_asks_is_the_learner_underneath() {
    for (base, selective) in [
        ("perceptron", "selective:b=1e300"),
        ("perceptron:margin=0.4", "selective:b=1e300,margin=0.4"),
        (
            "second-order:a=2",
            "selective:b=1e300,base=second-order,a=2",
        ),
        (
            "second-order:form=dual,margin=0.1",
            "selective:b=1e300,base=second-order,form=dual,margin=0.1",
        ),
    ] {
        for &kind in KINDS {
            let stream = stream(kind, 1, 150);
            for &space in SPACES {
                let [a, b] = [base, selective].map(|spec| {
                    let mut learner = space.learner(spec);
                    run(&mut *learner, &stream.samples)
                });
                same_trials(&a, &b, 0.0, selective);
            }
        }
    }
    // one form has no kernel
    let stream = stream(Kind::Dense, 1, 150);
    let [a, b] = [
        "second-order:form=primal",
        "selective:b=1e300,base=second-order,form=primal",
    ]
    .map(|spec| run(&mut *Space::Plain.learner(spec), &stream.samples));
    same_trials(&a, &b, 0.0, "form=primal");
}

/// What all coins together give, each trial's chance to be a mistake and to be an update.
#[derive(Clone)]
struct Expected {
    mistakes: Vec<f64>,
    updates: Vec<f64>,
    /// The mean of `sum ln(1 + lam/a)`.
    log_det: f64,
}

impl Expected {
    fn sum(chances: &[f64], of: impl Fn(usize) -> f64) -> f64 {
        chances.iter().enumerate().map(|(t, p)| p * of(t)).sum()
    }
}

/// The rows learned from so far, with y.
type Learned = Vec<(usize, f64)>;

/// Goes through all outcomes of the coins. `judge` gives the margin of a trial and how sure it is.
fn explore(
    rows: &[(Vec<f64>, f64)],
    b: f64,
    judge: &impl Fn(&Learned, usize) -> (f64, f64),
    at: (usize, f64),
    learned: &mut Learned,
    out: &mut Expected,
    end: &impl Fn(&Learned) -> f64,
) {
    let (t, chance) = at;
    if t == rows.len() {
        out.log_det += chance * end(learned);
        return;
    }
    let (margin, sure) = judge(learned, t);
    let y = rows[t].1;
    if !wrong(margin, y, 0.0) {
        // whatever the coin says, nothing happens
        return explore(rows, b, judge, (t + 1, chance), learned, out, end);
    }
    let asks = b / (b + sure);
    out.mistakes[t] += chance;
    out.updates[t] += chance * asks;
    learned.push((t, y));
    explore(rows, b, judge, (t + 1, chance * asks), learned, out, end);
    learned.pop();
    explore(
        rows,
        b,
        judge,
        (t + 1, chance * (1.0 - asks)),
        learned,
        out,
        end,
    );
}

fn expected(
    rows: &[(Vec<f64>, f64)],
    b: f64,
    judge: impl Fn(&Learned, usize) -> (f64, f64),
    end: impl Fn(&Learned) -> f64,
) -> Expected {
    let mut out = Expected {
        mistakes: vec![0.0; rows.len()],
        updates: vec![0.0; rows.len()],
        log_det: 0.0,
    };
    explore(rows, b, &judge, (0, 1.0), &mut Vec::new(), &mut out, &end);
    out
}

/// The first rows of a small stream.
fn tiny(seed: u64, n: usize) -> Stream {
    let mut stream = small(seed);
    stream.samples.truncate(n);
    stream
}

fn perceptron(rows: &[(Vec<f64>, f64)], b: f64) -> Expected {
    let judge = |learned: &Learned, t: usize| {
        let zero = vec![0.0; rows[0].0.len()];
        let v = learned
            .iter()
            .fold(zero, |v, (i, y)| plus(&v, *y, &rows[*i].0));
        let r = dot(&v, &rows[t].0);
        (r, r.abs())
    };
    expected(rows, b, judge, |_| 0.0)
}

fn second_order(rows: &[(Vec<f64>, f64)], a: f64, b: f64) -> Expected {
    let sum = |learned: &Learned, a: f64| {
        let mut sum = identity(rows[0].0.len(), a);
        for (i, _) in learned {
            add_outer(&mut sum, 1.0, &rows[*i].0);
        }
        sum
    };
    let judge = |learned: &Learned, t: usize| {
        let (x, mut matrix) = (&rows[t].0, sum(learned, a));
        let zero = vec![0.0; x.len()];
        let v = learned
            .iter()
            .fold(zero, |v, (i, y)| plus(&v, *y, &rows[*i].0));
        let quadratic = dot(x, &solve(matrix.clone(), x));
        add_outer(&mut matrix, 1.0, x);
        let r = dot(&v, &solve(matrix, x));
        (r, r.abs() + r * r / 2.0 * (1.0 + quadratic))
    };
    expected(rows, b, judge, |learned| log_det(&sum(learned, 0.0), a))
}

fn past_of(stream: &Stream) -> Vec<PastTrial<'_>> {
    let past = stream.samples.iter().map(|s| PastTrial {
        x: s.row(),
        y: label(s.y()),
        updated: false,
    });
    past.collect()
}

/// 9.1: the mean over all coins, against the spec's bound and the certificate.
#[test]
fn the_perceptron_keeps_its_bound_in_expectation() {
    let mut nearest = 0.0_f64;
    for seed in 0..streams() {
        let mut g = SplitMix64::new(seed);
        let stream = tiny(seed, 11);
        let rows = stream.plain();
        let r2 = rows.iter().map(|(x, _)| dot(x, x)).fold(0.0, f64::max);
        let b = r2 * [0.1, 0.5, 2.0][g.below(3)];
        let mean = perceptron(&rows, b);
        let m: f64 = mean.mistakes.iter().sum();
        let trials = past_of(&stream);
        for u in comparators(&stream, seed) {
            let xi = |t: usize| (1.0 - rows[t].1 * dot(&u, &rows[t].0)).max(0.0);
            let of_updates = Expected::sum(&mean.updates, xi);
            let norm = dot(&u, &u) * (2.0 * b + r2).powi(2) / (8.0 * b);
            let bound = (1.0 + r2 / (2.0 * b)) * of_updates + norm;
            assert!(m <= bound * (1.0 + 1e-9), "{}: {m} > {bound}", stream.name);
            let by = SelectiveBound { b, margin: 0.0 };
            let rival = Rival::new(&trials, &u);
            let said = by
                .perceptron(
                    &Primal::default(),
                    PastRun {
                        trials: &trials,
                        mistakes: 3,
                    },
                    &rival,
                )
                .unwrap();
            let hinge: f64 = (0..rows.len()).map(xi).sum();
            let want = (1.0 + r2 / (2.0 * b)) * hinge + norm;
            assert!(said.bound >= want * (1.0 - 1e-12) && said.bound <= want * (1.0 + 1e-9) + 1e-9);
            assert!(m <= said.bound && said.counted == 3);
            nearest = nearest.max(m / bound);
        }
    }
    assert!(nearest > 0.3, "{nearest}");
}

/// 9.2, likewise.
#[cfg(feature = "linalg")]
#[test]
fn the_second_order_perceptron_keeps_its_bound_in_expectation() {
    let mut nearest = 0.0_f64;
    for seed in 0..streams() {
        let mut g = SplitMix64::new(seed);
        let stream = tiny(seed, 9);
        let rows = stream.plain();
        let r2 = rows.iter().map(|(x, _)| dot(x, x)).fold(0.0, f64::max);
        let (a, b) = (
            r2 * [0.03, 0.3, 3.0][g.below(3)],
            [0.1, 0.5, 2.0][g.below(3)],
        );
        let mean = second_order(&rows, a, b);
        let m: f64 = mean.mistakes.iter().sum();
        let trials = past_of(&stream);
        let mut all = identity(stream.slots(), 0.0);
        for (x, _) in &rows {
            add_outer(&mut all, 1.0, x);
        }
        for u in comparators(&stream, seed) {
            let xi = |t: usize| (1.0 - rows[t].1 * dot(&u, &rows[t].0)).max(0.0);
            let squares = Expected::sum(&mean.updates, |t| dot(&u, &rows[t].0).powi(2));
            let quadratic = a * dot(&u, &u) + squares;
            let bound =
                Expected::sum(&mean.updates, xi) + b / 2.0 * quadratic + mean.log_det / (2.0 * b);
            assert!(m <= bound * (1.0 + 1e-9), "{}: {m} > {bound}", stream.name);
            let by = SelectiveBound { b, margin: 0.0 };
            let rival = Rival::new(&trials, &u);
            let said = by
                .second_order(
                    a,
                    PastRun {
                        trials: &trials,
                        mistakes: 3,
                    },
                    &rival,
                )
                .unwrap();
            let hinge: f64 = (0..rows.len()).map(xi).sum();
            let squares: f64 = rows.iter().map(|(x, _)| dot(&u, x).powi(2)).sum();
            let whole = a * dot(&u, &u) + squares;
            let want = hinge + b / 2.0 * whole + log_det(&all, a) / (2.0 * b);
            let close = said.bound >= want * (1.0 - 1e-12) && said.bound <= want * (1.0 + 1e-8);
            assert!(close, "{} and {want}", said.bound);
            assert!(m <= said.bound);
            nearest = nearest.max(m / bound);
            let mut gram = Vec::new();
            for (i, (x, _)) in rows.iter().enumerate() {
                gram.extend(rows[..=i].iter().map(|(z, _)| dot(x, z)));
            }
            let values: Vec<f64> = rows.iter().map(|(x, _)| dot(&u, x)).collect();
            let rival = Rival::within(dot(&u, &u), &values);
            let within = by
                .second_order_within(
                    a,
                    gram,
                    PastRun {
                        trials: &trials,
                        mistakes: 3,
                    },
                    &rival,
                )
                .unwrap();
            assert!((within.bound - said.bound).abs() <= 1e-8 * said.bound);
        }
    }
    assert!(nearest > 0.3, "{nearest}");
}

/// The learners' own coins: the mean over many seeds is the mean over all coins.
#[test]
fn seeds_are_coins() {
    const SEEDS: u64 = 3000;
    for seed in [2, 5, 8, 17] {
        let stream = tiny(seed, 11);
        let rows = stream.plain();
        let r2 = rows.iter().map(|(x, _)| dot(x, x)).fold(0.0, f64::max);
        for (spec, mean) in [
            (
                format!("selective:b={}", r2 / 8.0),
                perceptron(&rows, r2 / 8.0),
            ),
            (
                format!("selective:base=second-order,a={r2},b=0.2"),
                second_order(&rows, r2, 0.2),
            ),
        ] {
            let want: f64 = mean.mistakes.iter().sum();
            let mut counts = Vec::new();
            for seed in 0..SEEDS {
                let mut learner = Space::Plain.learner(&format!("{spec},seed={seed}"));
                let reported = run(&mut *learner, &stream.samples);
                let wrong = reported
                    .iter()
                    .zip(&rows)
                    .filter(|(t, (_, y))| wrong(t.0, *y, 0.0));
                counts.push(wrong.count() as f64);
            }
            let got = counts.iter().sum::<f64>() / SEEDS as f64;
            let variance = counts.iter().map(|c| (c - got).powi(2)).sum::<f64>() / SEEDS as f64;
            let error = 5.0 * (variance / SEEDS as f64).sqrt() + 1e-9;
            assert!((got - want).abs() <= error, "{spec}: {got}, not {want}");
        }
    }
}

#[test]
fn with_a_margin_there_is_no_certificate() {
    let stream = tiny(1, 10);
    let trials = past_of(&stream);
    let by = SelectiveBound {
        b: 1.0,
        margin: 0.5,
    };
    let rival = Rival::new(&trials, &stream.planted);
    let said = by.perceptron(
        &Primal::default(),
        PastRun {
            trials: &trials,
            mistakes: 0,
        },
        &rival,
    );
    assert_eq!(said, Err(NotApplicable::Margin));
}
