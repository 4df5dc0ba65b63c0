//! The mistake bounds T1-T7 (docs/theory/README.md#the-theorems), and those in the docs of ALMA, PA and AROW, on random
//! streams: separable ones with the planted hyperplane, noisy ones with comparators of all sorts (any U
//! is valid) and the hinge loss summed over all trials. `certificates.rs` has T8-T11.
//!
//! Each test also demands that some run came near its bound, so that a bound that cannot fail is found
//! out; where equality is possible a stream that reaches it is tried.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::bound::{Checks, Run, comparators, dual_norm, separating, solved};
use common::cases;
use common::matrix::{apply, dot, length, log_det, norm, times};
use common::planted::{one_of_many, threshold_rows, unit_rows};
use common::stream::{KINDS, Kind, Stream, stream};

/// Streams of all kinds; of every three seeds one is separable, one noisy, one random.
fn streams(
    kinds: &'static [Kind],
    seeds: u64,
    trials: usize,
) -> impl Iterator<Item = (Stream, u64)> {
    let seeds = cases(seeds);
    kinds
        .iter()
        .flat_map(move |&kind| (0..seeds).map(move |s| (stream(kind, s, trials), s)))
}

fn separable(kinds: &'static [Kind], trials: usize) -> impl Iterator<Item = (Stream, Vec<f64>)> {
    let all = streams(kinds, 9, trials);
    all.filter_map(|(stream, _)| separating(&stream).map(|u| (stream, u)))
}

fn squared(x: &[f64]) -> f64 {
    dot(x, x)
}

#[test]
fn t1_perceptron_on_separable_rows() {
    let mut checks = Checks::default();
    for (stream, u) in separable(KINDS, 150) {
        let run = Run::of("perceptron", &stream, 20);
        let r = run.largest(length);
        checks.check(&run, "T1", run.mistakes(), squared(&u) * r * r);
        let sharper = length(&u) * run.over_updates(squared).sqrt();
        checks.check(&run, "T1 sharper", run.mistakes(), sharper);
    }
    let stream = unit_rows(12, 3.0);
    let run = Run::of("perceptron", &stream, 5);
    let u = separating(&stream).unwrap();
    checks.check(&run, "T1", run.mistakes(), squared(&u) * 9.0);
    checks.came_within(1.0 - 1e-9);
}

#[test]
fn t2_perceptron_on_any_rows() {
    let mut checks = Checks::default();
    for (stream, seed) in streams(KINDS, 6, 300) {
        for spec in ["perceptron", "averaged", "voted"] {
            let run = Run::of(spec, &stream, 2);
            let (m, r) = (run.mistakes(), run.largest(length));
            let sum = run.over_updates(squared);
            for u in comparators(&stream, seed) {
                let (hinge, size) = (run.hinge(&u), length(&u));
                checks.check(&run, "T2", m, hinge + size * sum.sqrt());
                checks.check(&run, "T2'", m, solved(hinge, r * size));
                let squares: f64 = run.slacks(&u).map(|xi| xi * xi).sum();
                checks.check(&run, "T2''", m, (r * size + squares.sqrt()).powi(2));
            }
        }
    }
    checks.came_within(0.5);
    let stream = unit_rows(12, 1.0);
    let run = Run::of("perceptron", &stream, 3);
    let size = length(&separating(&stream).unwrap());
    for bound in [size * run.over_updates(squared).sqrt(), solved(0.0, size)] {
        let mut tight = Checks::default();
        tight.check(&run, "T2", run.mistakes(), bound);
        assert!(tight.tightest > 1.0 - 1e-9);
    }
}

#[test]
#[should_panic(expected = "T1: 12 > 11.99")]
fn a_bound_too_small_is_found_out() {
    let stream = unit_rows(12, 1.0);
    let run = Run::of("perceptron", &stream, 1);
    let u = separating(&stream).unwrap();
    Checks::default().check(&run, "T1", run.mistakes(), 0.99999 * squared(&u));
}

#[test]
fn t3_margin_perceptron() {
    let mut checks = Checks::default();
    for beta in [0.001, 0.5, 3.0, 100.0] {
        for (stream, seed) in streams(KINDS, 3, 300) {
            let run = Run::of(&format!("perceptron:margin={beta}"), &stream, 2);
            let (n, r) = (run.updates(), run.largest(length));
            let sum = run.over_updates(squared);
            for u in comparators(&stream, seed) {
                let (hinge, size) = (run.hinge(&u), length(&u));
                checks.check(&run, "T3", n, hinge + size * (sum + 2.0 * beta * n).sqrt());
                let b = size * (r * r + 2.0 * beta).sqrt();
                checks.check(&run, "T3 solved", n, solved(hinge, b));
            }
        }
    }
    checks.came_within(0.5);
    // one row again and again: about half the bound, so without the term in beta it would break
    let mut repeated = Checks::default();
    let mut stream = unit_rows(1, 1.0);
    stream.samples = vec![stream.samples[0].clone(); 200];
    let run = Run::of("perceptron:margin=100", &stream, 1);
    let n = run.updates();
    assert_eq!(n, 101.0); // v = 0, 1, ..., 100 are not enough
    repeated.check(&run, "T3", n, (n + 200.0 * n).sqrt());
    assert!(repeated.tightest > 0.7);
}

#[test]
fn t4_p_norm() {
    let mut checks = Checks::default();
    for p in [2.0, 3.5, 8.0, 20.0] {
        for beta in [0.0, 1.0] {
            for (stream, seed) in streams(KINDS, 3, 250) {
                let run = Run::of(&format!("p-norm:p={p},margin={beta}"), &stream, 2);
                let (n, r) = (run.updates(), run.largest(|x| norm(x, p)));
                let sum = (p - 1.0) * run.over_updates(|x| norm(x, p).powi(2));
                for u in comparators(&stream, seed) {
                    let (hinge, size) = (run.hinge(&u), dual_norm(&u, p));
                    let root = (sum + 2.0 * beta * n).sqrt();
                    checks.check(&run, "T4", n, hinge + size * root);
                    let b = size * ((p - 1.0) * r * r + 2.0 * beta).sqrt();
                    checks.check(&run, "T4 solved", n, solved(hinge, b));
                }
            }
        }
    }
    checks.came_within(0.5);
    // one feature decides: U is a unit vector, R_p^2 = d^(2/p), and there is no hinge loss
    let mut tight = Checks::default();
    for seed in 0..cases(12) {
        let stream = one_of_many(seed, 50);
        for p in [4.0, 8.0] {
            let run = Run::of(&format!("p-norm:p={p}"), &stream, 1);
            let sum = (p - 1.0) * run.over_updates(|x| norm(x, p).powi(2));
            tight.check(&run, "T4", run.mistakes(), sum.sqrt());
        }
    }
    tight.came_within(0.3);
}

#[test]
fn t5_eg() {
    let mut checks = Checks::default();
    for (spec, eta) in [
        ("eg:eta=0.1", 0.1),
        ("eg:eta=0.01", 0.01),
        ("eg:eta=1", 1.0),
        ("balanced-winnow:alpha=1.1", 1.1_f64.ln()),
    ] {
        for (stream, seed) in streams(KINDS, 3, 300) {
            let run = Run::of(spec, &stream, 2);
            let m = run.mistakes();
            let top = run.largest(|x| norm(x, f64::INFINITY));
            let sum = run.over_updates(|x| norm(x, f64::INFINITY).powi(2));
            let start = (2.0 * stream.slots() as f64).ln() / eta;
            for u in comparators(&stream, seed) {
                let (hinge, size) = (run.hinge(&u), norm(&u, 1.0));
                checks.check(&run, "T5", m, hinge + size * (start + eta / 2.0 * sum));
                let below = 1.0 - size * eta * top * top / 2.0;
                if below > 0.0 {
                    checks.check(&run, "T5 solved", m, (hinge + size * start) / below);
                }
            }
        }
    }
    checks.came_within(0.5);
    let mut tight = Checks::default();
    for seed in 0..cases(12) {
        let stream = one_of_many(seed, 50);
        let run = Run::of("eg:eta=1", &stream, 1);
        tight.check(
            &run,
            "T5 solved",
            run.mistakes(),
            100_f64.ln() / (1.0 - 0.5),
        );
    }
    tight.came_within(0.3);
}

#[test]
fn t6_winnow() {
    let mut checks = Checks::default();
    for seed in 0..cases(10) {
        for (d, k, r) in [
            (100, 1, 1),
            (100, 5, 1),
            (300, 3, 1),
            (60, 6, 2),
            (60, 9, 3),
            (20, 5, 3),
        ] {
            let stream = threshold_rows(seed, d, k, r);
            // mu = 1/r on the relevant features: >= 1 on positives, <= 1 - 1/r on negatives
            let (delta, sum_mu) = (1.0 / r as f64, k as f64 / r as f64);
            for theta in [f64::from(d), f64::from(d) / 2.0, 4.0] {
                let spec = format!("winnow:alpha={},theta={theta}", 1.0 + delta / 2.0);
                let run = Run::of(&spec, &stream, 3);
                let bound = 8.0 * f64::from(d) / (delta * delta * theta)
                    + (5.0 / delta + 14.0 * theta.ln() / (delta * delta)) * sum_mu;
                checks.check(&run, "T6", run.mistakes(), bound);
            }
        }
    }
    checks.came_within(0.2);
}

#[cfg(feature = "linalg")]
#[test]
fn t7_whitened() {
    const FEW: &[Kind] = &[
        Kind::Dense,
        Kind::Integer,
        Kind::Binary,
        Kind::Sparse,
        Kind::Repeated,
    ];
    let mut checks = Checks::default();
    for (stream, u) in separable(FEW, 150) {
        let run = Run::of("whitened", &stream, 10);
        let rows: Vec<Vec<f64>> = stream.plain().into_iter().map(|(x, _)| x).collect();
        let m = common::second::correlation(&rows, 0.0);
        let inverse = common::matrix::pseudoinverse(&m);
        let leverage = run.largest(|x| dot(x, &apply(&inverse, x)));
        assert!(leverage <= 1.0 + 1e-9);
        checks.check(
            &run,
            "T7",
            run.mistakes(),
            leverage * dot(&u, &apply(&m, &u)),
        );
    }
    let stream = unit_rows(12, 3.0);
    let run = Run::of("whitened", &stream, 5);
    // M = 9 I, U = -1/3 everywhere
    checks.check(&run, "T7", run.mistakes(), 12.0);
    checks.came_within(1.0 - 1e-9);
}

#[test]
fn diagonal_second_order() {
    let mut checks = Checks::default();
    for (a, tau) in [(0.1, 0.0), (1.0, 0.0), (1.0, 0.5)] {
        for (stream, seed) in streams(KINDS, 3, 200) {
            let spec = format!("second-order:form=diagonal,a={a},margin={tau}");
            let run = Run::of(&spec, &stream, 2);
            let n = run.updates();
            let squares: Vec<f64> = (0..stream.slots())
                .map(|j| run.over_updates(|x| x[j] * x[j]))
                .collect();
            let logs: f64 = squares.iter().map(|d| (d / a).ln_1p()).sum();
            for u in comparators(&stream, seed) {
                let term = |(u, d): (&f64, &f64)| (a + d) * u * u;
                let quadratic: f64 = u.iter().zip(&squares).map(term).sum();
                let root = (quadratic * (logs + 2.0 * tau * n)).sqrt();
                checks.check(&run, "diagonal T8", n, run.hinge(&u) + root);
            }
        }
    }
    checks.came_within(0.5);
}

#[test]
fn passive_aggressive() {
    let mut checks = [(); 3].map(|()| Checks::default());
    for c in [0.05, 1.0, 10.0] {
        for (stream, seed) in streams(KINDS, 3, 300) {
            let [first, second] = ["1", "2"].map(|variant| {
                Run::of(
                    &format!("passive-aggressive:variant={variant},c={c}"),
                    &stream,
                    2,
                )
            });
            let r2 = first.largest(squared);
            for u in comparators(&stream, seed) {
                let size = squared(&u);
                let bound = r2.max(1.0 / c) * (size + 2.0 * c * first.hinge(&u));
                checks[1].check(&first, "PA-I", first.mistakes(), bound);
                let squares: f64 = second.slacks(&u).map(|xi| xi * xi).sum();
                let bound = (r2 + 0.5 / c) * (size + 2.0 * c * squares);
                let losses: f64 = second.losses().map(|l| l * l).sum();
                checks[2].check(&second, "PA-II", losses, bound);
            }
        }
    }
    for (stream, u) in separable(KINDS, 150) {
        let run = Run::of("passive-aggressive:variant=pa", &stream, 10);
        let losses: f64 = run.losses().map(|l| l * l).sum();
        checks[0].check(&run, "PA", losses, run.largest(squared) * squared(&u));
    }
    // unit rows reach all three
    let stream = unit_rows(10, 1.0);
    let u = separating(&stream).unwrap();
    let specs = [
        ("passive-aggressive:variant=pa", 0.0),
        ("passive-aggressive:c=1", 0.0),
        ("passive-aggressive:variant=2,c=0.5", 1.0),
    ];
    for (checks, (spec, c)) in checks.iter_mut().zip(specs) {
        let run = Run::of(spec, &stream, 1);
        // PA-II: the best U is 2c/(1 + 2c) of the separating one, here half of it
        let best = times(if c == 0.0 { 1.0 } else { 0.5 }, &u);
        let squares: f64 = run.slacks(&best).map(|xi| xi * xi).sum();
        let bound = (1.0 + c) * (squared(&best) + squares);
        let losses: f64 = run.losses().map(|l| l * l).sum();
        assert_eq!((losses, run.mistakes()), (10.0, 10.0));
        checks.check(&run, "PA", losses, bound);
        checks.came_within(1.0 - 1e-9);
    }
}

#[test]
fn arow() {
    const KEPT: &[Kind] = &[
        Kind::Dense,
        Kind::Integer,
        Kind::Binary,
        Kind::Sparse,
        Kind::Repeated,
    ];
    let mut checks = Checks::default();
    let mut check = |run: &Run, r: f64, comparators: &[Vec<f64>]| {
        let x = run.correlation();
        let n = run
            .trials
            .iter()
            .filter(|t| t.updated && !t.mistake())
            .count() as f64;
        let spectrum = log_det(&x, r) + n;
        for u in comparators {
            let root = ((r * squared(u) + dot(u, &apply(&x, u))) * spectrum).sqrt();
            let updates = run
                .trials
                .iter()
                .zip(run.slacks(u))
                .filter(|(t, _)| t.updated);
            let hinge: f64 = updates.map(|(_, xi)| xi).sum();
            checks.check(run, "AROW", run.mistakes(), root + hinge - n);
            checks.check(
                run,
                "AROW, all trials",
                run.mistakes(),
                root + run.hinge(u) - n,
            );
        }
        checks.tightest
    };
    for r in [0.1, 1.0, 10.0] {
        for (stream, seed) in streams(KEPT, 3, 150) {
            let run = Run::of(&format!("arow:form=full,r={r}"), &stream, 2);
            check(&run, r, &comparators(&stream, seed));
        }
    }
    // unit rows come as near as 1/(4r); nothing came nearer
    let stream = unit_rows(10, 1.0);
    let run = Run::of("arow:form=full,r=100", &stream, 1);
    assert_eq!(run.mistakes(), 10.0);
    assert!(check(&run, 100.0, &[separating(&stream).unwrap()]) > 0.997);
}

#[test]
fn alma() {
    let mut checks = Checks::default();
    let mut margins = Checks::default();
    for (p, alpha) in [(2.0_f64, 0.9_f64), (2.0, 0.5), (2.0, 1.0), (5.0, 0.8)] {
        for (stream, u) in separable(KINDS, 60) {
            // the planted vector's margin on rows of p-norm 1: at most g*
            let least = |(x, y): (Vec<f64>, f64)| y * dot(&u, &x) / norm(&x, p);
            let planted = stream
                .plain()
                .into_iter()
                .map(least)
                .fold(f64::INFINITY, f64::min);
            let g = planted / dual_norm(&u, p);
            let updates =
                2.0 * (p - 1.0) / (g * g) * (2.0 / alpha - 1.0).powi(2) + 8.0 / alpha - 4.0;
            let epochs = 400;
            let run = Run::of(&format!("alma:p={p},alpha={alpha}"), &stream, epochs);
            checks.check(&run, "ALMA", run.updates(), updates);
            let last = &run.trials[run.trials.len() - stream.samples.len()..];
            if last.iter().all(|t| !t.updated) {
                let reached = last
                    .iter()
                    .map(|t| t.y * t.margin)
                    .fold(f64::INFINITY, f64::min);
                margins.check(&run, "ALMA's margin", (1.0 - alpha) * g, reached);
            }
        }
    }
    margins.came_within(0.1);
    // unit rows, alpha = 1: g* = 1/sqrt(d), d updates and a bound of 2d + 4
    let run = Run::of("alma:alpha=1", &unit_rows(40, 1.0), 3);
    checks.check(&run, "ALMA", run.updates(), 84.0);
    checks.came_within(0.45);
}
