//! The largest margin of separable rows, and how far a bound is from the least, against slow definitions.
//!
//! Margins go down to 1e-4 of the longest row. The largest margin is the distance of the rows' convex hull from 0, found here by trying
//! every set of rows that can hold the nearest point.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]
#![cfg(feature = "linalg")]

use crate::common;

use common::certified::small;
use common::finished::Ended;
use common::matrix::{dot, solve};
use common::stream::{Sample, Stream, gaussian};
use novikoff::certify::Effort;
use novikoff::random::SplitMix64;

/// Rows in `d` dimensions that a vector separates, with a margin near to `10^-e` of their length, e from 0 to 4.
fn thin(seed: u64, d: usize) -> Stream {
    let mut g = SplitMix64::new(seed ^ 0x7411);
    let n = 8 + g.below(17);
    let size = 10_f64.powf(2.0 * g.uniform() - 1.0);
    let margin = 10_f64.powf(-4.0 * g.uniform());
    let u: Vec<f64> = (0..d).map(|_| gaussian(&mut g)).collect();
    let length = dot(&u, &u).sqrt();
    let mut samples = Vec::new();
    while samples.len() < n {
        let x: Vec<f64> = (0..d).map(|_| gaussian(&mut g)).collect();
        let along = dot(&x, &u) / length;
        // most rows as they are, some next to the plane
        let wanted = if g.uniform() < 0.5 {
            along.abs().max(margin)
        } else {
            margin * (1.0 + g.uniform())
        };
        let by = wanted.copysign(along) - along;
        let value = |(x, u): (&f64, &f64)| (size * (x + by * u / length)) as f32;
        let value = x.iter().zip(&u).map(value).collect();
        samples.push(Sample::new((1..=d as u32).collect(), value, along > 0.0));
    }
    Stream::of(&format!("thin {seed}, {d} features"), d as u32, samples)
}

/// The rows times their labels.
fn signed(stream: &Stream) -> Vec<Vec<f64>> {
    let width = stream.width as usize + 1;
    let row = |s: &Sample| s.dense(width).iter().map(|v| s.y() * v).collect();
    stream.samples.iter().map(row).collect()
}

fn products(rows: &[Vec<f64>], inner: impl Fn(&[f64], &[f64]) -> f64) -> Vec<Vec<f64>> {
    let row = |a: &Vec<f64>| rows.iter().map(|b| inner(a, b)).collect();
    rows.iter().map(row).collect()
}

/// The distance of the convex hull from 0, given all inner products: the least over the sets of up to `most` rows whose plane is
/// nearest to 0 within their own hull.
fn distance(gram: &[Vec<f64>], most: usize) -> f64 {
    let n = gram.len();
    let mut best = f64::INFINITY;
    let mut sets: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    for size in 1..=most {
        for set in &sets {
            // shares q with G q = c 1: those of the nearest point of the plane
            let shift = gram[set[0]][set[0]];
            let row = |&i: &usize| set.iter().map(|&j| gram[i][j] + shift).collect();
            let matrix: Vec<Vec<f64>> = set.iter().map(row).collect();
            let shares = solve(matrix, &vec![1.0; size]);
            let sum: f64 = shares.iter().sum();
            if shares.iter().any(|q| !q.is_finite() || *q / sum < 0.0) {
                continue;
            }
            let mut square = 0.0;
            for (&i, a) in set.iter().zip(&shares) {
                for (&j, b) in set.iter().zip(&shares) {
                    square += (a / sum) * (b / sum) * gram[i][j];
                }
            }
            best = best.min(square);
        }
        let longer = |set: &Vec<usize>| {
            let more = set[set.len() - 1] + 1..n;
            let with = |i| set.iter().copied().chain([i]).collect();
            more.map(with).collect::<Vec<Vec<usize>>>()
        };
        sets = sets.iter().flat_map(longer).collect();
    }
    best.sqrt()
}

/// A margin is the best one, and no larger.
fn assert_best(margin: f64, best: f64, context: &str) {
    let share = margin / best;
    assert!((0.9999..=1.0 + 1e-6).contains(&share), "{context}: {share}");
}

/// A bound is the least, and what is said about the distance is true.
fn assert_least(bound: f64, gap: Option<f64>, least: f64, context: &str) {
    let said = bound * (1.0 - gap.unwrap());
    assert!(bound <= 1.001 * least, "{context}: {bound}, not {least}");
    assert!(said <= least * (1.0 + 1e-6), "{context}: {said} > {least}");
    assert!(gap.unwrap() <= 1e-2, "{context}: {gap:?}");
}

#[test]
fn of_thin_rows() {
    for seed in 0..120 {
        let d = 2 + (seed % 2) as usize;
        let stream = thin(seed, d);
        let rows = signed(&stream);
        let best = distance(&products(&rows, dot), d);
        for spec in ["romma", "romma:aggressive", "max-margin"] {
            let ended = Ended::of(spec, "linear", &stream);
            let answer = ended.certify(Effort::Full, None).unwrap();
            let context = format!("{spec} on {}", stream.name);
            assert_best(answer.separable.unwrap().0, best, &context);
            let norm_sq = answer.certificate.ingredient("norm_sq").unwrap();
            let least = answer.bound / norm_sq / (best * best);
            assert_least(answer.bound, answer.gap, least, &context);
        }
        for spec in ["perceptron", "passive-aggressive:variant=pa"] {
            let answer = Ended::of(spec, "linear", &stream).certify(Effort::Full, None);
            let context = format!("{spec} on {}", stream.name);
            assert_best(answer.unwrap().separable.unwrap().0, best, &context);
        }
    }
}

#[test]
fn of_thin_rows_in_a_metric() {
    for seed in 0..60 {
        let stream = thin(seed, 2);
        let rows = signed(&stream);
        let ridge = [0.5, 0.0][(seed % 2) as usize];
        let mut metric = vec![vec![ridge, 0.0], vec![0.0, ridge]];
        for z in &rows {
            for (i, line) in metric.iter_mut().enumerate() {
                for (j, cell) in line.iter_mut().enumerate() {
                    *cell += z[i + 1] * z[j + 1];
                }
            }
        }
        let inner = |a: &[f64], b: &[f64]| dot(&a[1..], &solve(metric.clone(), &b[1..]));
        let best = distance(&products(&rows, inner), 2);
        let ended = Ended::of(&format!("whitened:ridge={ridge}"), "linear", &stream);
        let answer = ended.certify(Effort::Full, None).unwrap();
        let leverage = answer.certificate.ingredient("leverage").unwrap();
        let least = leverage / (best * best);
        assert_least(answer.bound, answer.gap, least, &stream.name);
    }
}

#[test]
fn of_rows_in_the_space_of_a_kernel() {
    let mut separable = 0;
    for seed in 0..60 {
        // one feature: the kernel's space has three dimensions
        let stream = thin(seed, 1);
        let rows = signed(&stream);
        let kernel = |a: &[f64], b: &[f64]| (1.0 + a[1] * b[1]) * (1.0 + a[1] * b[1]);
        let samples = &stream.samples;
        let gram: Vec<Vec<f64>> = samples
            .iter()
            .map(|a| {
                let (y, a) = (a.y(), a.dense(2));
                let with = samples.iter().map(|b| y * b.y() * kernel(&a, &b.dense(2)));
                with.collect()
            })
            .collect();
        assert_eq!(gram.len(), rows.len());
        let best = distance(&gram, 3);
        let answer = Ended::of("romma", "poly:degree=2", &stream).certify(Effort::Full, None);
        if best < 1e-6 {
            continue;
        }
        separable += 1;
        let answer = answer.unwrap();
        assert_best(answer.separable.unwrap().0, best, &stream.name);
        let norm_sq = answer.certificate.ingredient("norm_sq").unwrap();
        let least = answer.bound / norm_sq / (best * best);
        assert_least(answer.bound, answer.gap, least, &stream.name);
    }
    assert!(separable > 30, "{separable}");
}

/// In two dimensions every direction of U can be tried.
#[test]
fn of_thin_rows_in_a_p_norm() {
    for seed in 0..60 {
        let stream = thin(seed, 2);
        let p = [2.0, 3.0, 6.0, 12.0][(seed % 4) as usize];
        let q = p / (p - 1.0);
        let norm = |x: &[f64], e: f64| {
            let sum: f64 = x.iter().map(|x| x.abs().powf(e)).sum();
            sum.powf(1.0 / e)
        };
        let rows = signed(&stream);
        let rows: Vec<Vec<f64>> = rows.iter().map(|z| z[1..].to_vec()).collect();
        let margin = |angle: f64| {
            let u = [angle.cos(), angle.sin()];
            let least = rows.iter().map(|z| dot(z, &u) / norm(z, p));
            least.fold(f64::INFINITY, f64::min) / norm(&u, q)
        };
        let (mut at, mut step) = (0.0, std::f64::consts::PI / 20_000.0);
        for k in 0..40_000 {
            let angle = f64::from(k) * step;
            if margin(angle) > margin(at) {
                at = angle;
            }
        }
        while step > 1e-15 {
            let next = [at - step, at + step].into_iter();
            match next.max_by(|a, b| margin(*a).total_cmp(&margin(*b))) {
                Some(next) if margin(next) > margin(at) => at = next,
                _ => step *= 0.7,
            }
        }
        let best = margin(at);
        let ended = Ended::of(&format!("alma:p={p}"), "linear", &stream);
        let answer = ended.certify(Effort::Full, None).unwrap();
        let share = answer.separable.unwrap().0 / best;
        let context = format!("p = {p} on {}: {share}, {:?}", stream.name, answer.gap);
        assert!((0.99..=1.0 + 1e-6).contains(&share), "{context}");
        assert!(answer.gap.unwrap() <= 2e-2, "{context}");
    }
}

/// Learners and what their certificates are about.
const RUNS: &[&str] = &[
    "perceptron",
    "perceptron:margin=0.5",
    "p-norm",
    "p-norm:p=3",
    "eg:eta=0.3",
    "second-order",
    "second-order:a=adaptive",
    "arow:form=full",
    "romma:noise=2",
    "passive-aggressive",
    "passive-aggressive:c=0.05",
    "passive-aggressive:variant=2",
    "passive-aggressive:variant=pa",
];

/// No vector gives a bound below what the gap says is the least, and for few rows the gap is small.
#[test]
fn gaps_are_true_and_small() {
    for seed in 0..156 {
        let spec = RUNS[(seed % RUNS.len() as u64) as usize];
        let stream = if seed % 2 == 0 {
            small(seed)
        } else {
            thin(seed, 3)
        };
        let ended = Ended::of(spec, "linear", &stream);
        let answer = ended.certify(Effort::Full, None).unwrap();
        let gap = answer.gap.unwrap();
        let context = format!("{spec} on {}: {gap}", stream.name);
        assert!((0.0..=0.01).contains(&gap), "{context}");
        let said = answer.bound * (1.0 - gap);
        for u in common::bound::comparators(&stream, seed) {
            let other = ended.certify(Effort::Full, Some(&u)).unwrap();
            assert_eq!(other.gap, None);
            let same = other.certificate.theorem == answer.certificate.theorem;
            let more = 1.0 + 1e-9;
            assert!(
                !same || said <= other.bound * more,
                "{context} {}",
                other.bound
            );
        }
    }
}
