//! No bound is smaller for having been computed: every theorem's formula (docs/theory/README.md#the-theorems) in 32 digits, on small streams of every
//! scale, beside what the library makes of it.
//!
//! The formulas hold for any U and any set of updates, so most streams have random ones; where a bound depends on what a
//! run measured, the learner is run. `NOVIKOFF_STREAMS=10000` tries as many streams; what was seen is printed.

#![cfg(feature = "linalg")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::needless_range_loop,
    clippy::disallowed_methods
)]

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::certified::{label, streams};
use common::stream::{Sample, Stream, gaussian, sign};
use common::twofold::{Twofold, dot, solve};
use common::{learner_for, run};
use novikoff::catalog::Theorem;
use novikoff::certificate::alma::AlmaBound;
use novikoff::certificate::arow::Arow;
use novikoff::certificate::budget;
use novikoff::certificate::eg::EgBound;
use novikoff::certificate::first_order::FirstOrder;
use novikoff::certificate::higher_order;
use novikoff::certificate::logistic::Replay;
use novikoff::certificate::p_norm::PNormBound;
use novikoff::certificate::passive_aggressive::{PassiveAggressiveBound, Price, Variant};
use novikoff::certificate::romma::{MaximumMargin, Visit};
use novikoff::certificate::second_order::{AddedDiagonal, SecondOrder};
use novikoff::certificate::selective::SelectiveBound;
use novikoff::certificate::shifting;
use novikoff::certificate::whitened;
use novikoff::certificate::winnow::WinnowBound;
use novikoff::certificate::{Certificate, Inexact, PastRun, PastTrial, Rival};
use novikoff::online::higher_order::{HigherOrder, Schedule};
use novikoff::online::projectron::Projectron;
use novikoff::online::shifting::Shifting;
use novikoff::random::SplitMix64;
use novikoff::space::Primal;

/// By how much a bound may be larger than the formula, relative to it: what is added on purpose for what a run measured, or
/// for eigenvalues; else a few units in the last place.
const SLACK: &[(&str, f64)] = &[
    // |x|^2 counts as larger by 1e-10
    ("T1", 2e-10),
    ("T2", 2e-10),
    ("T2''", 2e-10),
    ("T3", 2e-10),
    ("T4", 2e-10),
    ("T5", 5e-14),
    ("T6", 3e-14),
    // the leverage counts as larger by 1e-9
    ("T7", 1e-7),
    // eigenvalues and what was observed
    ("T8", 3e-11),
    ("T9", 1e-10),
    ("T10", 1e-10),
    ("T10 with a kernel", 1e-10),
    ("T11", 1e-10),
    ("T11 with a kernel", 1e-7),
    // what a run measured counts as wrong by 1e-9
    ("T12", 5e-8),
    ("T13", 5e-8),
    ("T14", 5e-9),
    ("T15", 5e-9),
    ("T16", 5e-9),
    ("9.1", 5e-10),
    ("9.2", 3e-11),
    ("9.3", 5e-9),
    ("9.4", 5e-8),
    ("9.6", 2e-8),
    ("9.7", 3e-9),
    ("PA", 3e-9),
    ("PA-I", 3e-9),
    ("PA-I'", 3e-9),
    ("PA-II", 3e-9),
    ("PA-II'", 3e-9),
    ("AROW", 1e-10),
    // what a run measured counts as larger by 1e-9
    ("LR", 1e-8),
];

/// What the cases below end in: each gives its line to [`Seen::report`].
const FIRST_ORDER: &[&str] = &["T1", "T2", "T2''", "T3"];
const OTHER_NORMS: &[&str] = &["T4", "T5"];
const WINNOW: &[&str] = &["T6"];
const WHITENED: &[&str] = &["T7"];
const SECOND_ORDER: &[&str] = &["T8", "T10", "AROW", "9.1", "9.2"];
const WITHOUT_A_PARAMETER: &[&str] = &["T11", "T11 with a kernel"];
const KERNELS: &[&str] = &["T9", "T10 with a kernel"];
const HIGHER_ORDERS: &[&str] = &["T12", "T13"];
const MAXIMUM_MARGIN: &[&str] = &["T14", "T15", "T16"];
const ALMA: &[&str] = &["9.3"];
const PASSIVE_AGGRESSIVE: &[&str] = &["PA", "PA-I", "PA-I'", "PA-II", "PA-II'"];
const BUDGETS: &[&str] = &["9.4", "9.6"];
const SHIFTING_TARGETS: &[&str] = &["9.7"];
const LOGISTIC: &[&str] = &["LR"];

/// A theorem without a case here, or without a slack, is one whose rounding nobody looked at. WM is a quotient of whole numbers and
/// logarithms: `majority.rs` has it.
#[test]
fn every_theorem_has_a_case() {
    let cases = [
        FIRST_ORDER,
        OTHER_NORMS,
        WINNOW,
        WHITENED,
        SECOND_ORDER,
        WITHOUT_A_PARAMETER,
        KERNELS,
        HIGHER_ORDERS,
        MAXIMUM_MARGIN,
        ALMA,
        PASSIVE_AGGRESSIVE,
        BUDGETS,
        SHIFTING_TARGETS,
        LOGISTIC,
    ];
    let tried: BTreeSet<&str> = cases.into_iter().flatten().copied().collect();
    let slack: BTreeSet<&str> = SLACK.iter().map(|(name, _)| *name).collect();
    assert_eq!(tried, slack);
    let all = Theorem::NAMES.iter().copied().filter(|name| *name != "WM");
    let all: BTreeSet<&str> = all.collect();
    let named = tried.iter();
    let named = named.map(|name| name.trim_end_matches(" with a kernel"));
    assert_eq!(named.collect::<BTreeSet<&str>>(), all);
}

#[derive(Default)]
struct Seen(BTreeMap<&'static str, (u64, f64)>);

impl Seen {
    fn check(&mut self, theorem: &str, bound: f64, exact: Twofold, context: &str) {
        let known = SLACK.iter().find(|(name, _)| *name == theorem);
        let (name, slack) = known.unwrap_or_else(|| panic!("{theorem} has no slack"));
        let over = (of(bound) - exact).value() / exact.value().max(f64::MIN_POSITIVE);
        assert!(
            of(bound) >= exact,
            "{theorem}, {context}: {bound} is less than {} by {over:e} of it",
            exact.value()
        );
        assert!(
            over <= *slack,
            "{theorem}, {context}: {bound} is more than {} by {over:e} of it",
            exact.value()
        );
        let (count, most) = self.0.entry(*name).or_default();
        *count += 1;
        *most = most.max(over);
    }

    fn report(&self, theorems: &[&str]) {
        for (theorem, (count, most)) in &self.0 {
            println!("{theorem}: {count} bounds, larger by at most {most:.1e}");
        }
        for theorem in theorems {
            assert!(self.0.contains_key(theorem), "{theorem} was never seen");
        }
    }
}

fn of(value: f64) -> Twofold {
    Twofold::from(value)
}

fn all_of(values: &[f64]) -> Vec<Twofold> {
    values.iter().map(|v| of(*v)).collect()
}

/// A stream with U, the updates, and all of it in 32 digits.
struct Case {
    stream: Stream,
    u: Vec<f64>,
    updated: Vec<bool>,
    /// About the length of a row.
    size: f64,
    /// For whatever else is drawn.
    random: SplitMix64,
}

impl Case {
    /// Rows of few features at any scale; U separates them if asked for.
    fn new(seed: u64, separable: bool) -> Self {
        let mut g = SplitMix64::new(seed ^ 0x0DD5);
        let (d, n) = (1 + g.below(4), 6 + g.below(12));
        let size = 10_f64.powi(g.below(13) as i32 - 6);
        let mut part = || (0.3 + g.uniform()) * f64::from(sign(&mut g)) / size;
        let u: Vec<f64> = (0..=d).map(|_| part()).collect();
        let mut samples = Vec::new();
        while samples.len() < n {
            let value: Vec<f32> = (0..d).map(|_| (size * gaussian(&mut g)) as f32).collect();
            let mut sample = Sample::new((1..=d as u32).collect(), value, g.below(2) == 0);
            let inner: f64 = sample.row().iter().map(|(j, v)| u[j] * v).sum();
            if separable {
                sample.positive = inner > 0.0;
            }
            if !separable || inner.abs() > 0.1 {
                samples.push(sample);
            }
        }
        // sometimes nobody learns, and only the hinge loss is left
        let share = if seed.is_multiple_of(5) { 0.0 } else { 0.7 };
        let updated = (0..n).map(|_| g.uniform() < share).collect();
        Case {
            stream: Stream::of(&format!("rows {seed}"), d as u32, samples),
            u,
            updated,
            size,
            random: g,
        }
    }

    /// Rows of one feature and nearly one length, all updates, that U almost separates by 1.
    fn nearly_separable(mut self) -> Self {
        for sample in &mut self.stream.samples {
            let value = self.size * (1.0 + 0.05 * self.random.uniform());
            let sign = if sample.positive { 1.0 } else { -1.0 };
            sample.value.fill(0.0);
            sample.value[0] = (sign * value) as f32;
        }
        self.u.fill(0.0);
        self.u[1] = 0.97 / self.size;
        self.updated.fill(true);
        self
    }

    /// Scales the rows to length 1, and U to match.
    fn unit(mut self, p: f64) -> Self {
        self.stream = self.stream.unit(p);
        self.u.iter_mut().for_each(|u| *u *= self.size);
        self.size = 1.0;
        self
    }

    /// The updates of a learner.
    fn of_run(mut self, spec: &str) -> Self {
        let trials = run(&mut *learner_for(spec, &self.stream), &self.stream.samples);
        self.updated = trials.iter().map(|(_, updated)| *updated).collect();
        self
    }

    fn past(&self) -> Vec<PastTrial<'_>> {
        let samples = self.stream.samples.iter().zip(&self.updated);
        let past = samples.map(|(s, updated)| PastTrial {
            x: s.row(),
            y: label(s.y()),
            updated: *updated,
        });
        past.collect()
    }

    fn norms(&self) -> Vec<f64> {
        let rows = self.stream.samples.iter();
        rows.map(|s| s.row().norm_sq()).collect()
    }

    fn exact(&self) -> Exact {
        let slots = self.stream.slots();
        let row = |s: &Sample| {
            let mut x = vec![0.0; slots];
            s.row().iter().for_each(|(j, v)| x[j] = v);
            all_of(&x)
        };
        let samples = &self.stream.samples;
        Exact {
            x: samples.iter().map(row).collect(),
            y: samples.iter().map(|s| of(s.y())).collect(),
            u: all_of(&self.u),
            updated: self.updated.clone(),
        }
    }
}

struct Exact {
    x: Vec<Vec<Twofold>>,
    y: Vec<Twofold>,
    u: Vec<Twofold>,
    updated: Vec<bool>,
}

impl Exact {
    fn trials(&self) -> std::ops::Range<usize> {
        0..self.x.len()
    }

    fn updates(&self) -> impl Iterator<Item = usize> + Clone {
        self.trials().filter(|t| self.updated[*t])
    }

    fn n(&self) -> Twofold {
        of(self.updates().count() as f64)
    }

    fn value(&self, t: usize) -> Twofold {
        dot(&self.u, &self.x[t])
    }

    fn xi(&self, t: usize) -> Twofold {
        (of(1.0) - self.y[t] * self.value(t)).max(of(0.0))
    }

    fn hinge(&self) -> Twofold {
        self.trials().map(|t| self.xi(t)).sum()
    }

    fn slacks(&self) -> Twofold {
        self.trials().map(|t| self.xi(t).square()).sum()
    }

    fn norm_sq(&self) -> Twofold {
        dot(&self.u, &self.u)
    }

    fn norm(&self) -> Twofold {
        self.norm_sq().sqrt()
    }

    fn square(&self, t: usize) -> Twofold {
        dot(&self.x[t], &self.x[t])
    }

    fn squares(&self) -> Twofold {
        self.updates().map(|t| self.square(t)).sum()
    }

    fn longest(&self) -> Twofold {
        let squares = self.trials().map(|t| self.square(t));
        squares.fold(of(0.0), Twofold::max)
    }

    /// The least `y U.x`.
    fn least(&self) -> Twofold {
        let margins = self.trials().map(|t| self.y[t] * self.value(t));
        margins.reduce(Twofold::min).unwrap()
    }

    /// `a I + sum x x'` over some trials.
    fn matrix(&self, a: Twofold, trials: impl Iterator<Item = usize>) -> Vec<Vec<Twofold>> {
        let d = self.u.len();
        let mut matrix = vec![vec![of(0.0); d]; d];
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] = a;
        }
        for t in trials {
            for i in 0..d {
                for j in 0..d {
                    matrix[i][j] = matrix[i][j] + self.x[t][i] * self.x[t][j];
                }
            }
        }
        matrix
    }

    /// `sum ln(1 + lam/a)`.
    fn log_det(&self, a: Twofold, trials: impl Iterator<Item = usize>) -> Twofold {
        let d = self.u.len();
        let (_, det) = solve(self.matrix(a, trials), &vec![of(0.0); d]);
        let whole = (0..d).fold(of(1.0), |product, _| product * a);
        (det / whole).ln()
    }

    /// `x'A^-1 x` of each update, A just after it.
    fn observed(&self, added: &[Twofold]) -> Vec<Twofold> {
        let updates: Vec<usize> = self.updates().collect();
        let term = |k: usize| {
            let matrix = self.matrix(added[k], updates[..=k].iter().copied());
            let x = &self.x[updates[k]];
            dot(x, &solve(matrix, x).0)
        };
        (0..updates.len()).map(term).collect()
    }

    /// `a |U|^2 + sum of (U.x)^2` over the updates.
    fn quadratic(&self, a: Twofold) -> Twofold {
        let squares = self.updates().map(|t| self.value(t).square());
        a * self.norm_sq() + squares.sum()
    }
}

/// `E(L, b)`.
fn solved(hinge: Twofold, b: Twofold) -> Twofold {
    ((b + (b.square() + of(4.0) * hinge).sqrt()) / of(2.0)).square()
}

/// `|v|_p`.
fn norm(v: &[Twofold], p: Twofold) -> Twofold {
    let sum: Twofold = v.iter().map(|v| v.abs().powf(p)).sum();
    sum.powf(of(1.0) / p)
}

fn terms(certificate: &Certificate, name: &str) -> f64 {
    certificate.ingredient(name).unwrap()
}

/// As many streams as others have.
fn cases() -> u64 {
    streams()
}

#[test]
fn first_order() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let mut case = Case::new(seed, seed % 3 == 0);
        let e = case.exact();
        if seed % 3 == 0 {
            // U separates with a margin above 1
            let least = e.least().value();
            case.u.iter_mut().for_each(|u| *u *= 1.001 / least);
        } else if seed % 3 == 1 {
            case.u.iter_mut().for_each(|u| *u *= 0.01);
        } else if seed % 4 == 1 {
            case = case.nearly_separable();
        }
        let (past, norms) = (case.past(), case.norms());
        let rival = Rival::new(&past, &case.u);
        for margin in [0.0, 0.3] {
            let e = case.exact();
            let got = FirstOrder { margin }.certify(&past, &norms, &rival);
            let more = of(2.0 * margin);
            let sum = e.hinge() + e.norm() * (e.squares() + more * e.n()).sqrt();
            let root = e.longest().sqrt() * e.norm() + e.slacks().sqrt();
            let exact = match got.theorem {
                "T1" => sum.min(root.square()),
                "T2''" => root.square(),
                _ => sum,
            };
            seen.check(got.theorem, got.bound, exact, &case.stream.name);
            let beforehand = solved(e.hinge(), e.norm() * (e.longest() + more).sqrt());
            seen.check(
                got.theorem,
                terms(&got, "theorem"),
                beforehand,
                "beforehand",
            );
        }
    }
    seen.report(FIRST_ORDER);
}

#[test]
fn other_norms() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let case = Case::new(seed, false);
        let (past, e) = (case.past(), case.exact());
        let (p, margin) = (
            [2.0, 3.0, 7.5][seed as usize % 3],
            [0.0, 0.2][seed as usize % 2],
        );
        let got = PNormBound { p, margin }.certify(&past, &case.u);
        let q = of(p) / (of(p) - of(1.0));
        let squares: Twofold = e.updates().map(|t| norm(&e.x[t], of(p)).square()).sum();
        let root = ((of(p) - of(1.0)) * squares + of(2.0 * margin) * e.n()).sqrt();
        let exact = e.hinge() + norm(&e.u, q) * root;
        seen.check("T4", got.bound, exact, &case.stream.name);

        let eta = 0.1 / case.size / case.size;
        let features = case.stream.width as usize;
        let got = EgBound { eta }.certify(&past, features, &case.u);
        let largest = |t: usize| e.x[t].iter().fold(of(0.0), |m, v| m.max(v.abs()));
        let squares: Twofold = e.updates().map(|t| largest(t).square()).sum();
        let length: Twofold = e.u.iter().map(|u| u.abs()).sum();
        let start = of(2.0 * features as f64).ln() / of(eta);
        let exact = e.hinge() + length * (start + of(eta) / of(2.0) * squares);
        seen.check("T5", got.bound, exact, &case.stream.name);
    }
    seen.report(OTHER_NORMS);
}

#[test]
fn winnow() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let mut g = SplitMix64::new(seed);
        let d = 2 + g.below(6);
        // the first feature alone decides
        let mut samples = Vec::new();
        for _ in 0..12 {
            let value: Vec<f32> = (0..d).map(|_| g.below(2) as f32).collect();
            let positive = value[0] > 0.0;
            samples.push(Sample::new((1..=d as u32).collect(), value, positive));
        }
        let past: Vec<PastTrial<'_>> = samples
            .iter()
            .map(|s| PastTrial {
                x: s.row(),
                y: label(s.y()),
                updated: true,
            })
            .collect();
        let mut mu = vec![0.0; d + 1];
        mu[1] = 1.0 + 0.1 * g.uniform();
        let (alpha, theta) = (1.0 + 0.5 * g.uniform(), 1.0 + d as f64 * g.uniform());
        let got = WinnowBound { alpha, theta }.certify(&past, d, &mu).unwrap();
        let del = of(2.0) * (of(alpha) - of(1.0));
        let log = of(14.0) * of(theta).ln() / del.square();
        let exact =
            of(8.0 * d as f64) / (del.square() * of(theta)) + (of(5.0) / del + log) * of(mu[1]);
        seen.check("T6", got.bound, exact, &format!("{seed}"));
    }
    seen.report(WINNOW);
}

#[test]
fn whitened_rows() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let case = Case::new(seed, true);
        let (past, e) = (case.past(), case.exact());
        let ridge = case.size * case.size * [0.01, 1.0][seed as usize % 2];
        let matrix = || e.matrix(of(ridge), e.trials());
        let square = |t: usize| dot(&e.x[t], &solve(matrix(), &e.x[t]).0);
        let leverage = e.trials().map(square).reduce(Twofold::max).unwrap();
        let data = past.iter().map(|t| t.x);
        let got = whitened::certify((ridge, leverage.value()), &past, data, &case.u).unwrap();
        let all: Twofold = e.trials().map(|t| e.value(t).square()).sum();
        let quadratic = of(ridge) * e.norm_sq() + all;
        let exact = leverage * quadratic / e.least().square();
        seen.check("T7", got.bound, exact, &case.stream.name);
    }
    seen.report(WHITENED);
}

/// The bound of a second-order perceptron, from what it has whatever U is.
fn second(e: &Exact, a: Twofold, (spectral, observed): (Twofold, Twofold), tau: f64) -> Twofold {
    let factor = spectral.min(observed) + of(2.0) * of(tau) * e.n();
    e.hinge() + (e.quadratic(a) * factor).sqrt()
}

#[test]
fn second_order() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let mut case = Case::new(seed, false);
        let scale = 10_f64.powf(4.0 * case.random.uniform() - 2.0);
        let a = scale * case.size * case.size;
        let (past, e) = (case.past(), case.exact());
        let margin = [0.0, 0.1][seed as usize % 2];
        let n = e.updates().count();
        let name = &case.stream.name;

        let by = |added| SecondOrder { added, margin };
        let got = by(AddedDiagonal::Fixed(a)).certify(&past, &case.u);
        let observed: Twofold = e.observed(&vec![of(a); n]).into_iter().sum();
        let spectral = e.log_det(of(a), e.updates());
        // without updates there is no a
        let last = |a: f64| if n == 0 { of(0.0) } else { of(a) };
        let exact = second(&e, last(a), (spectral, observed), margin);
        seen.check("T8", got.bound, exact, name);

        let (c, r2) = (0.3, case.size * case.size * 0.9);
        let added: Vec<f64> = (1..=n).map(|k| c * r2 * k as f64).collect();
        let longest = e.updates().map(|t| e.square(t)).fold(of(0.0), Twofold::max);
        let observed: Twofold = e.observed(&all_of(&added)).into_iter().sum();
        let a = added.last().copied().unwrap_or(0.0);
        let spectral = if n == 0 {
            of(0.0)
        } else {
            let (s, m) = (of(c) * of(r2), of(n as f64));
            let ratio = (longest + s * m) / (longest + s);
            longest / s * ratio.ln() + e.log_det(of(a), e.updates())
        };
        let adaptive = AddedDiagonal::Adaptive { c, r2: Some(r2) };
        let got = by(adaptive).certify(&past, &case.u);
        let exact = second(&e, of(a), (spectral, observed), margin);
        seen.check("T10", got.bound, exact, name);
        let own = e.hinge() + (e.quadratic(of(a)) * (spectral + of(2.0 * margin) * e.n())).sqrt();
        seen.check("T10", terms(&got, "theorem"), own, name);

        let mistakes: Vec<bool> = e
            .updated
            .iter()
            .enumerate()
            .map(|(t, u)| *u && t % 3 > 0)
            .collect();
        let r = scale * case.size * case.size;
        let got = Arow::new(r, &past, &mistakes).certify(&past, &case.u);
        let each = e.observed(&vec![of(r); n]);
        let made = e.updates().zip(each).filter(|(t, _)| mistakes[*t]);
        let observed: Twofold = made.map(|(_, term)| term).sum();
        let spectral = e.log_det(of(r), e.updates());
        let right = of(e.updates().filter(|t| !mistakes[*t]).count() as f64);
        let root = (e.quadratic(of(r)) * (observed.min(spectral) + right)).sqrt();
        let exact = (e.hinge() + root - right).max(of(0.0));
        if exact.value() > 0.1 {
            seen.check("AROW", got.bound, exact, name);
        }

        let b = 0.7;
        let rival = Rival::new(&past, &case.u);
        let asks = SelectiveBound { b, margin: 0.0 };
        let got = asks
            .second_order(
                r,
                PastRun {
                    trials: &past,
                    mistakes: 0,
                },
                &rival,
            )
            .unwrap();
        let all: Twofold = e.trials().map(|t| e.value(t).square()).sum();
        let quadratic = of(r) * e.norm_sq() + all;
        let spectral = e.log_det(of(r), e.trials());
        let exact = e.hinge() + of(b) / of(2.0) * quadratic + spectral / (of(2.0) * of(b));
        seen.check("9.2", got.bound, exact, name);
        let b = b * case.size * case.size;
        let asks = SelectiveBound { b, margin: 0.0 };
        let got = asks
            .perceptron(
                &Primal::default(),
                PastRun {
                    trials: &past,
                    mistakes: 0,
                },
                &rival,
            )
            .unwrap();
        let (b, r2) = (of(b), e.longest());
        let factor = of(1.0) + r2 / (of(2.0) * b);
        let exact = factor * e.hinge() + e.norm_sq() * (of(2.0) * b + r2).square() / (of(8.0) * b);
        seen.check("9.1", got.bound, exact, name);
    }
    seen.report(SECOND_ORDER);
}

/// What was observed without a parameter: 1 per update that brings something new, which the first d do.
fn without(e: &Exact, d: usize) -> Twofold {
    let updates: Vec<usize> = e.updates().collect();
    let term = |k: usize| {
        if k < d {
            return of(1.0);
        }
        // slot 0 is empty
        let matrix = e.matrix(of(0.0), updates[..=k].iter().copied());
        let matrix: Vec<Vec<Twofold>> = matrix[1..].iter().map(|row| row[1..].to_vec()).collect();
        let x = &e.x[updates[k]][1..];
        dot(x, &solve(matrix, x).0)
    };
    (0..updates.len()).map(term).sum()
}

#[test]
fn without_a_parameter() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let case = Case::new(seed, false);
        let (past, e) = (case.past(), case.exact());
        let (d, margin) = (case.stream.width as usize, [0.0, 0.1][seed as usize % 2]);
        let by = SecondOrder {
            added: AddedDiagonal::Nothing,
            margin,
        };
        let observed = without(&e, d);
        let exact = second(&e, of(0.0), (observed, observed), margin);
        let got = by.certify(&past, &case.u);
        seen.check("T11", got.bound, exact, &case.stream.name);
        // the same rows by their inner products
        let updates: Vec<usize> = e.updates().collect();
        let mut gram = Vec::new();
        for (k, i) in updates.iter().enumerate() {
            gram.extend(
                updates[..=k]
                    .iter()
                    .map(|j| dot(&e.x[*i], &e.x[*j]).value()),
            );
        }
        let rival = Rival::new(&past, &case.u);
        let factors = by.factors_in_kernel(gram, &past, &case.norms());
        let got = factors.against(&past, &rival);
        seen.check("T11 with a kernel", got.bound, exact, &case.stream.name);
    }
    seen.report(WITHOUT_A_PARAMETER);
}

/// Values that may be wrong: the hinge loss takes them on one side, the squares on both.
#[test]
fn kernels() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let mut case = Case::new(seed, false);
        let scale = 10_f64.powf(4.0 * case.random.uniform() - 2.0);
        let mut random = case.random.clone();
        let (past, e, norms) = (case.past(), case.exact(), case.norms());
        let updates: Vec<usize> = e.updates().collect();
        let n = updates.len();
        let mut gram = Vec::new();
        for (k, i) in updates.iter().enumerate() {
            gram.extend(
                updates[..=k]
                    .iter()
                    .map(|j| dot(&e.x[*i], &e.x[*j]).value()),
            );
        }
        let at = |i: usize, j: usize| of(gram[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)]);
        let values: Vec<Inexact> = e
            .trials()
            .map(|t| Inexact {
                value: e.value(t).value(),
                error: 0.2 * random.uniform(),
            })
            .collect();
        let norm_sq = e.norm_sq().value();
        let rival = Rival::about(norm_sq, values.clone());
        let xi =
            |t: usize| (of(1.0) - e.y[t] * of(values[t].value) + of(values[t].error)).max(of(0.0));
        let hinge: Twofold = e.trials().map(xi).sum();
        let size = |t: usize| of(values[t].value).abs() + of(values[t].error);
        let squares: Twofold = e.updates().map(|t| size(t).square()).sum();
        // x'A^-1 x = 1 - a (a I + G)^-1 at the end of its diagonal
        let matrix = |k: usize, a: Twofold| -> Vec<Vec<Twofold>> {
            let entry = |i: usize, j: usize| at(i, j) + if i == j { a } else { of(0.0) };
            (0..k)
                .map(|i| (0..k).map(|j| entry(i, j)).collect())
                .collect()
        };
        let factors = |added: &[f64]| -> (Twofold, Twofold) {
            let mut observed = of(0.0);
            for (k, a) in added.iter().enumerate() {
                let mut end = vec![of(0.0); k + 1];
                end[k] = of(1.0);
                let inverse = solve(matrix(k + 1, of(*a)), &end).0;
                observed = observed + of(1.0) - of(*a) * inverse[k];
            }
            let a = of(added.last().copied().unwrap_or(1.0));
            let (_, det) = solve(matrix(n, a), &vec![of(0.0); n]);
            let whole = (0..n).fold(of(1.0), |product, _| product * a);
            ((det / whole).ln(), observed)
        };
        let a = scale * case.size * case.size;
        let fixed = SecondOrder {
            added: AddedDiagonal::Fixed(a),
            margin: 0.0,
        };
        let exact = |added: &[f64]| {
            let (spectral, observed) = factors(added);
            let a = of(added.last().copied().unwrap_or(0.0));
            let quadratic = a * of(norm_sq) + squares;
            hinge + (quadratic * observed.min(spectral)).sqrt()
        };
        let got = fixed.factors_in_kernel(gram.clone(), &past, &norms);
        let got = got.against(&past, &rival);
        seen.check("T9", got.bound, exact(&vec![a; n]), &case.stream.name);

        let c = scale;
        let mut largest = 0.0_f64;
        let mut added = Vec::new();
        for (norm_sq, updated) in norms.iter().zip(&e.updated) {
            largest = largest.max(*norm_sq);
            if *updated {
                added.push(c * largest * (added.len() + 1) as f64);
            }
        }
        let adaptive = SecondOrder {
            added: AddedDiagonal::Adaptive { c, r2: None },
            margin: 0.0,
        };
        let got = adaptive.factors_in_kernel(gram.clone(), &past, &norms);
        let got = got.against(&past, &rival);
        // R^2 was not given: no bound but what was observed
        let observed = factors(&added).1;
        let a = of(added.last().copied().unwrap_or(0.0));
        let exact = hinge + ((a * of(norm_sq) + squares) * observed).sqrt();
        seen.check("T10 with a kernel", got.bound, exact, &case.stream.name);
    }
    seen.report(KERNELS);
}

#[test]
fn higher_orders() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let p = [2.0, 4.0][seed as usize % 2];
        let case = Case::new(seed, false).unit(p);
        let (past, e) = (case.past(), case.exact());
        let (c, tau) = (0.3, [0.0, 0.1][seed as usize % 2]);
        let by = HigherOrder {
            p,
            c,
            schedule: Schedule::Harmonic,
            margin: tau,
        };
        let (d, one) = (e.u.len(), of(1.0));
        let gradient = |x: &[Twofold]| -> Vec<Twofold> {
            let length = norm(x, of(p));
            let entry = |v: &Twofold| match p {
                2.0 => *v,
                _ => *v * v.square() / length.square(),
            };
            x.iter().map(entry).collect()
        };
        let (mut v, mut factors) = (vec![of(0.0); d], Vec::new());
        let (mut hinge, mut weighted) = (of(0.0), of(0.0));
        let (mut least, mut most, mut weights) = (one, one, of(0.0));
        let (mut squares, mut longest, mut k) = (of(0.0), of(0.0), 0.0);
        for t in e.trials() {
            let x = &e.x[t];
            let (g, length) = (gradient(x), norm(x, of(p)));
            let rho = of(c) / of(k + 1.0);
            let r = one - rho * e.y[t] * dot(&g, &v) - rho * length.square();
            let mut z = x.clone();
            for (rho, x, g) in factors.iter().rev() {
                let (rho, x, g): (&Twofold, &Vec<Twofold>, &Vec<Twofold>) = (rho, x, g);
                let part = *rho * dot(g, &z);
                z.iter_mut().zip(x).for_each(|(z, x)| *z = *z - part * *x);
            }
            let xi = (one - e.y[t] * dot(&e.u, &z)).max(of(0.0));
            hinge = hinge + xi;
            weighted = weighted + r * xi;
            if e.updated[t] {
                k += 1.0;
                (least, most) = (least.min(r), most.max(r));
                weights = weights + r;
                squares = squares + (r * norm(&z, of(p))).square();
                longest = longest.max(length);
                v.iter_mut().zip(x).for_each(|(v, x)| *v = *v + e.y[t] * *x);
                factors.push((rho, x.clone(), g));
            }
        }
        if p == 2.0 {
            let got = higher_order::euclidean(&by, &past, &case.u).unwrap();
            let c = least.min(of(2.0) - most);
            let alpha = (of(2.0) - c) / c;
            let size = (longest.square() + of(2.0 * tau) / (of(2.0) - c)).sqrt();
            let exact = solved(alpha * hinge, alpha * e.norm() * size);
            seen.check("T12", got.bound, exact, &case.stream.name);
        }
        let got = higher_order::any_norm(&by, &past, &case.u).unwrap();
        let q = of(p) / (of(p) - one);
        let root = ((of(p) - one) * squares + of(2.0 * tau) * weights).sqrt();
        let exact = (weighted + norm(&e.u, q) * root) / least;
        seen.check("T13", got.bound, exact, &case.stream.name);
    }
    seen.report(HIGHER_ORDERS);
}

#[test]
fn maximum_margin() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let mut case = Case::new(seed, seed % 2 == 0);
        let e = case.exact();
        let noise = if seed % 2 == 0 {
            0.0
        } else {
            case.size * case.size
        };
        let aggressive = seed % 4 < 2;
        let margins: Vec<f64> = e.trials().map(|_| gaussian(&mut case.random)).collect();
        let samples = case.stream.samples.iter().zip(&margins);
        let visits: Vec<Visit<'_>> = samples
            .map(|(s, margin)| Visit {
                x: s.row(),
                y: label(s.y()),
                margin: *margin,
                id: None,
            })
            .collect();
        let by = MaximumMargin { aggressive, noise };
        let got = by.certify(&visits, &case.u).unwrap();
        let norm_sq = if noise > 0.0 {
            e.norm_sq() + e.slacks() / of(noise)
        } else {
            e.norm_sq() / e.least().square()
        };
        let wrong = e
            .trials()
            .filter(|t| (margins[*t] >= 0.0) != (e.y[*t].value() > 0.0));
        let inverse = |t: usize| of(1.0) / (e.square(t) + of(noise));
        let (n, inverses) = (of(wrong.clone().count() as f64), wrong.map(inverse).sum());
        let theorem = norm_sq * (e.longest() + of(noise));
        let exact = if n.value() > 0.0 {
            n * norm_sq / inverses
        } else {
            theorem
        };
        seen.check(got.theorem, got.bound, exact, &case.stream.name);
        seen.check(
            got.theorem,
            terms(&got, "theorem"),
            theorem,
            &case.stream.name,
        );
    }
    seen.report(MAXIMUM_MARGIN);
}

#[test]
fn alma() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let case = Case::new(seed, true);
        let (past, e) = (case.past(), case.exact());
        let (p, alpha) = (
            [2.0, 3.0][seed as usize % 2],
            [0.9, 1.0, 0.4][seed as usize % 3],
        );
        let got = AlmaBound { p, alpha }.certify(&past, &case.u).unwrap();
        let (p, one) = (of(p), of(1.0));
        let length = norm(&e.u, p / (p - one));
        let margin = |t: usize| e.y[t] * e.value(t) / (norm(&e.x[t], p) * length);
        let g = e.trials().map(margin).reduce(Twofold::min).unwrap();
        let factor = of(2.0) / of(alpha) - one;
        let theorem = of(2.0) * (p - one) / g.square() * factor.square();
        seen.check("9.3", terms(&got, "theorem"), theorem, &case.stream.name);
        // the last n with g sqrt(2/(p-1)) S(n) <= 1, where that is not far
        let (a, limit) = (
            of(8.0) / of(alpha) - of(6.0),
            ((p - one) / of(2.0)).sqrt() / g,
        );
        let (mut s, mut last) = (of(0.0), 0.0);
        for k in (1..1 << 14).map(f64::from) {
            s = (s + one / of(k).sqrt()) / (one + a / of(k)).sqrt();
            if s <= limit {
                last = k;
            }
        }
        if last < 1e4 {
            seen.check("9.3", got.bound, of(last).min(theorem), &case.stream.name);
        }
    }
    seen.report(ALMA);
}

#[test]
fn passive_aggressive() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let case = Case::new(seed, seed % 4 == 0);
        let mut random = case.random.clone();
        let (past, norms, e) = (case.past(), case.norms(), case.exact());
        let rival = Rival::new(&past, &case.u);
        let mistakes: Vec<bool> = e.trials().map(|_| random.below(2) == 0).collect();
        let c = 0.3 / case.size / case.size;
        let (one, half) = (of(1.0), of(0.5) / of(c));
        for (variant, price) in [
            (Variant::Hard, Price::Root),
            (Variant::Capped, Price::Sum),
            (Variant::Capped, Price::Root),
            (Variant::Softened, Price::Sum),
            (Variant::Softened, Price::Root),
        ] {
            let by = PassiveAggressiveBound { variant, c, price };
            let got = by.certify(&past, (&norms, &mistakes), &rival);
            let worth = |t: usize| match variant {
                Variant::Hard => one / e.square(t),
                Variant::Capped => of(c).min(one / e.square(t)),
                Variant::Softened => one / (e.square(t) + half),
            };
            let share = |t: usize| match variant {
                Variant::Softened => e.xi(t).square() / (e.square(t) + half),
                _ => e.xi(t).square() / e.square(t),
            };
            let price = match (price, variant) {
                (Price::Sum, Variant::Capped) => e.norm_sq() + of(2.0) * of(c) * e.hinge(),
                (Price::Sum, _) => e.norm_sq() + of(2.0) * of(c) * e.slacks(),
                (Price::Root, _) => {
                    let b: Twofold = e.trials().map(share).sum();
                    (b.sqrt() + (e.norm_sq() + b).sqrt()).square()
                }
            };
            let least = e.trials().map(worth).reduce(Twofold::min).unwrap();
            let made = e.trials().filter(|t| mistakes[*t]);
            let n = of(made.clone().count() as f64);
            let exact = if n.value() > 0.0 {
                n * price / made.map(worth).sum()
            } else {
                price / least
            };
            seen.check(got.theorem, got.bound, exact, &case.stream.name);
            seen.check(
                got.theorem,
                terms(&got, "theorem"),
                price / least,
                "theorem",
            );
        }
    }
    seen.report(PASSIVE_AGGRESSIVE);
}

#[test]
fn budgets() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let limit = 1 + seed as usize % 4;
        let case = Case::new(seed, false).unit(2.0);
        let case = case.of_run(&format!("forgetron:budget={limit}"));
        let (past, e) = (case.past(), case.exact());
        let rival = Rival::new(&past, &case.u);
        let got = budget::forgetron(&Primal::default(), &limit.into(), &past, &rival).unwrap();
        let (mut list, mut q, mut n): (Vec<(usize, Twofold)>, _, f64) = (Vec::new(), of(0.0), 0.0);
        let mut shrunk = of(0.0);
        for t in e.updates() {
            n += 1.0;
            list.push((t, of(1.0)));
            if list.len() <= limit {
                continue;
            }
            let (r, sig) = list[0];
            let part = |&(i, sig): &(usize, Twofold)| e.y[i] * sig * dot(&e.x[i], &e.x[r]);
            let mu = e.y[r] * list.iter().map(part).sum();
            let a0 = sig.square() - of(2.0) * sig * mu;
            let (b0, c0) = (of(2.0) * sig, q - of(15.0 * n) / of(32.0));
            let phi = if a0 + b0 + c0 <= of(0.0) {
                of(1.0)
            } else {
                -of(2.0) * c0 / (b0 + (b0.square() - of(4.0) * a0 * c0).sqrt())
            };
            q = q + (phi * sig).square() + of(2.0) * phi * sig - of(2.0) * phi.square() * sig * mu;
            shrunk = shrunk + (of(1.0) - phi) / (of(1.0) + phi);
            list.remove(0);
            for (_, sig) in &mut list {
                *sig = *sig * phi;
            }
        }
        let exact = e.norm_sq() * (of(1.0) + shrunk) + of(2.0) * e.hinge() + q;
        seen.check("9.4", got.bound, exact, &case.stream.name);
        let own = budget::forgetron(&Primal::default(), &1000.into(), &past, &rival).unwrap();
        if let Some(own) = own.ingredient("theorem") {
            let exact = of(2.0) * e.norm_sq() + of(4.0) * e.hinge();
            seen.check("9.4", own, exact, &case.stream.name);
        }

        let eta = 0.2 / (1.0 + e.norm().value());
        let run = PastRun {
            trials: &past,
            mistakes: e.updates().count() as u64,
        };
        let got = |plus: bool| {
            let by = Projectron { eta, plus };
            budget::projectron(&Primal::default(), &by, run, &rival).unwrap()
        };
        let c = of(1.0) - of(eta) * e.norm();
        let by_root = solved(e.hinge() / c, e.norm() / c);
        seen.check("9.6", got(true).bound, by_root, &case.stream.name);
        let by_sum = (e.hinge() + e.norm() * e.squares().sqrt()) / c;
        let least = if by_sum.value() < by_root.value() {
            by_sum
        } else {
            by_root
        };
        seen.check("9.6", got(false).bound, least, &case.stream.name);
    }
    seen.report(BUDGETS);
}

#[test]
fn shifting_targets() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let case = Case::new(seed, false).unit(2.0).of_run("shifting");
        let (past, e) = (case.past(), case.exact());
        let lambda = 2.0;
        let got = shifting::certify(&Shifting { lambda }, &past, &[(0, &case.u)]).unwrap();
        let (mut w, mut shares) = (vec![of(0.0); e.u.len()], Vec::new());
        for (k, t) in e.updates().enumerate() {
            let l = of(lambda) / of(lambda + k as f64);
            let entry = |(w, x): (&Twofold, &Twofold)| (of(1.0) - l) * *w + l * e.y[t] * *x;
            w = w.iter().zip(&e.x[t]).map(entry).collect();
            shares.push(l);
        }
        let weight = |k: usize| {
            let later = shares[k + 1..].iter();
            later.fold(shares[k], |product, l| product * (of(1.0) - *l))
        };
        let (mut made, mut hinge) = (0_usize, of(0.0));
        for t in e.trials() {
            made += usize::from(e.updated[t]);
            if !shares.is_empty() {
                hinge = hinge + weight(made.max(1) - 1) * e.xi(t);
            }
        }
        let exact = e.n() * (hinge + e.norm() * dot(&w, &w).sqrt());
        seen.check("9.7", got.bound, exact, &case.stream.name);
    }
    seen.report(SHIFTING_TARGETS);
}

/// A bettor of logistic regression in 32 digits.
#[derive(Clone)]
struct Bettor {
    largest: Twofold,
    first: Twofold,
    gain: Twofold,
    squares: Twofold,
    wealth: Twofold,
    shortfall: Twofold,
}

impl Bettor {
    fn new() -> Self {
        let none = of(0.0);
        Bettor {
            largest: none,
            first: none,
            gain: none,
            squares: none,
            wealth: of(1.0),
            shortfall: none,
        }
    }

    fn room(&self) -> Twofold {
        self.squares + self.largest.square()
    }

    fn fraction(&self) -> Twofold {
        if self.largest.value() == 0.0 {
            return of(0.0);
        }
        let most = of(0.5) / self.largest;
        let v = self.gain / (of(2.0) * self.room());
        v.min(most).max(-most)
    }

    fn notice(&mut self, value: Twofold) {
        self.largest = self.largest.max(value.abs());
        if self.first.value() == 0.0 {
            self.first = value.abs();
        }
    }

    fn settle(&mut self, g: Twofold) {
        let v = self.fraction();
        self.wealth = self.wealth + g * self.wealth * v;
        self.gain = self.gain + g;
        self.squares = self.squares + g.square();
        if self.largest.value() > 0.0 {
            let turn = g * (of(1.0) - of(2.0) * v * g);
            self.shortfall = self.shortfall + turn.square() / (of(4.0) * self.room());
        }
    }

    /// rho with some R, z by Newton's method.
    fn regret(&self, u: Twofold, r: Twofold) -> Twofold {
        if self.largest.value() == 0.0 {
            return of(0.0);
        }
        if u.value() == 0.0 {
            return of(1.0) - (-r).exp();
        }
        let room = self.room();
        let k = of(2.0) * (u.abs().ln() + r) + (of(2.0) * room).ln();
        let mut y = if k.value() > 1.0 { k } else { k.exp() };
        for _ in 0..8 {
            y = y * (of(1.0) + k - y.ln()) / (of(1.0) + y);
        }
        let z = (y / (of(2.0) * room)).sqrt().min(of(0.5) / self.largest);
        let times = u.abs() / z;
        of(1.0) + times * (times.ln() - of(1.0) + z.square() * room + r)
    }
}

#[test]
fn logistic_regression() {
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let mut case = Case::new(seed, seed % 3 == 0);
        let has_constant = seed.is_multiple_of(2);
        for sample in case.stream.samples.iter_mut().filter(|_| has_constant) {
            sample.index.insert(0, 0);
            sample.value.insert(0, (2.0 * case.size) as f32);
        }
        if seed % 7 == 0 {
            case.u[1] = 0.0;
        }
        let (past, e) = (case.past(), case.exact());
        let slots = e.u.len();
        let base = if has_constant { slots - 1 } else { 0 };
        let mut bettors = vec![Bettor::new(); slots + base];
        for t in e.trials() {
            let mut x = e.x[t].clone();
            for j in 1..=base {
                x.push(e.x[0][0] * e.x[t][j] - e.x[0][j] * e.x[t][0]);
            }
            let mut margin = of(0.0);
            for (bettor, x) in bettors.iter_mut().zip(&x) {
                bettor.notice(*x);
                margin = margin + bettor.wealth * bettor.fraction() * *x;
            }
            let c = e.y[t] / (of(1.0) + (e.y[t] * margin).exp());
            for (bettor, x) in bettors.iter_mut().zip(&x) {
                bettor.settle(c * *x);
            }
        }
        let mut plain = e.u.clone();
        plain.resize(bettors.len(), of(0.0));
        let mut splits = vec![plain];
        if has_constant {
            let mut other = splits[0].clone();
            for j in 1..=base {
                let own = e.u[j] / e.x[0][0];
                other[slots + j - 1] = own;
                other[j] = of(0.0);
                other[0] = other[0] + e.x[0][j] * own;
            }
            splits.push(other);
        }
        let sum = |r: &dyn Fn(&Bettor) -> Twofold| {
            let of_split = |u: &Vec<Twofold>| {
                let all = bettors.iter().zip(u);
                all.map(|(b, u)| b.regret(*u, r(b))).sum::<Twofold>()
            };
            splits.iter().map(of_split).reduce(Twofold::min).unwrap()
        };
        let loss = |t: usize| (of(1.0) + (-(e.y[t] * e.value(t))).exp()).ln();
        let losses: Twofold = e.trials().map(loss).sum();
        let two = of(2.0).ln();
        let got = Replay::of(&past).certify(&past, 0, &case.u);
        let name = &case.stream.name;
        let exact = (losses + sum(&|b| b.shortfall)) / two;
        seen.check("LR", got.bound, exact, name);
        let known = |b: &Bettor| match b.first.value() {
            0.0 => of(0.0),
            _ => (b.room() / b.first.square()).ln(),
        };
        let exact = (losses + sum(&known)) / two;
        seen.check("LR", terms(&got, "theorem"), exact, name);
    }
    seen.report(LOGISTIC);
}
