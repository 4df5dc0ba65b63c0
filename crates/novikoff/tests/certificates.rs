//! The certificates of the second-order perceptron: T8 to T11 (docs/theory/second-order.md) hold on random streams,
//! separable and noisy, and their terms are what plain arithmetic says.
//!
//! `NOVIKOFF_STREAMS=10000` runs that many streams for each theorem; what was seen is printed.

#![cfg(feature = "linalg")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout)]

use crate::common;

use common::bound::{Run, comparators, separating};
use common::certified::{label, past, small, streams};
use common::gram::{Gram, Space};
use common::matrix::{add_outer, apply, dot, eigen, identity, log_det};
use common::planted::unit_rows;
use common::stream::Stream;
use common::trial;
use novikoff::certificate::second_order::{AddedDiagonal, SecondOrder};
use novikoff::certificate::{Certificate, PastTrial, Rival};
use novikoff::kernel::Kernel;
use novikoff::random::SplitMix64;

#[derive(Default)]
struct Seen {
    streams: u64,
    checks: u64,
    violations: Vec<String>,
    /// The largest shares that updates had, less the hinge loss, of the other term: of the theorem's own,
    /// and of the smaller one.
    theorem: f64,
    bound: f64,
}

impl Seen {
    fn check(&mut self, certificate: &Certificate, name: &str) {
        self.checks += 1;
        let (n, hinge) = (
            certificate.counted as f64,
            certificate.ingredient("hinge").unwrap(),
        );
        if !certificate.holds() {
            self.violations.push(format!("{name}: {certificate:?}"));
        }
        let (observed, spectral) = (
            certificate.ingredient("observed"),
            certificate.ingredient("spectral"),
        );
        assert!(observed.unwrap() <= n * (1.0 + 1e-9));
        if let (Some(observed), Some(spectral)) = (observed, spectral) {
            assert!(
                observed <= spectral * (1.0 + 1e-9) + 1e-9,
                "{name}: {certificate:?}"
            );
            let share = (n - hinge) / (certificate.ingredient("theorem").unwrap() - hinge);
            self.theorem = self.theorem.max(share);
        }
        self.bound = self.bound.max((n - hinge) / (certificate.bound - hinge));
    }

    fn report(&self, theorem: &str, least: f64) {
        println!(
            "{theorem}: {} streams, {} comparators, {} violations; (updates - hinge loss)/(bound - hinge loss) up to {:.4} for the theorem's bound, {:.4} for the smaller one",
            self.streams,
            self.checks,
            self.violations.len(),
            self.theorem,
            self.bound,
        );
        assert!(self.violations.is_empty(), "{:#?}", self.violations);
        assert!(self.bound > least, "never nearer than {}", self.bound);
    }
}

/// Runs a learner on many streams; `certify` says what its parameters were.
fn examine(
    theorem: &str,
    least: f64,
    certify: impl Fn(&mut SplitMix64, &Stream) -> (String, SecondOrder),
) {
    let mut seen = Seen::default();
    for seed in 0..streams() {
        let stream = small(seed);
        let mut g = SplitMix64::new(seed);
        let (spec, by) = certify(&mut g, &stream);
        let run = Run::of(&spec, &stream, 1 + g.below(3));
        let trials = past(&run, &stream);
        seen.streams += 1;
        for u in comparators(&stream, seed) {
            seen.check(&by.certify(&trials, &u), &run.name);
        }
    }
    seen.report(theorem, least);
}

fn tau(g: &mut SplitMix64) -> f64 {
    [0.0, 0.0, 0.3][g.below(3)]
}

#[test]
fn t8_fixed() {
    examine("T8", 0.7, |g, _| {
        let (a, margin) = (10_f64.powf(5.0 * g.uniform() - 2.5), tau(g));
        let form = ["auto", "primal", "dual"][g.below(3)];
        let spec = format!("second-order:a={a},margin={margin},form={form}");
        let added = AddedDiagonal::Fixed(a);
        (spec, SecondOrder { added, margin })
    });
}

#[test]
fn t10_adaptive() {
    examine("T10", 0.7, |g, stream| {
        let (c, margin) = (10_f64.powf(3.0 * g.uniform() - 2.0), tau(g));
        let longest = |m: f64, (x, _): &(Vec<f64>, f64)| m.max(dot(x, x));
        let r2 = stream.plain().iter().fold(0.0, longest) * [1.0, 0.3, 2.0][g.below(3)];
        let r2 = (g.below(3) > 0).then_some(r2);
        let given = r2.map_or(String::new(), |r2| format!(",r2={r2}"));
        let form = ["auto", "primal", "dual"][g.below(3)];
        let spec = format!("second-order:a=adaptive,c={c},margin={margin},form={form}{given}");
        let added = AddedDiagonal::Adaptive { c, r2 };
        (spec, SecondOrder { added, margin })
    });
}

#[test]
fn t11_without_a_parameter() {
    examine("T11", 0.5, |g, _| {
        let margin = tau(g);
        let spec = format!("second-order:a=pinv,margin={margin}");
        let added = AddedDiagonal::Nothing;
        (spec, SecondOrder { added, margin })
    });
}

/// Runs of a learner in the space of a kernel, and U by all labels, in several lengths.
fn examine_in_kernels(
    theorem: &str,
    least: f64,
    certify: impl Fn(&mut SplitMix64) -> (String, SecondOrder),
) {
    let mut seen = Seen::default();
    for seed in 0..streams() {
        let mut stream = small(seed);
        stream.samples.truncate(30);
        let mut g = SplitMix64::new(seed);
        let (spec, by) = certify(&mut g);
        let text = [
            "poly:degree=2",
            "gaussian:gamma=0.5",
            "poly:degree=3,cosine",
        ][g.below(3)];
        let space = Space::Rows(text);
        let gram = Gram::of(&stream, Kernel::parse(text).unwrap());
        let mut learner = space.learner(&spec);
        let mut past = Vec::new();
        for s in &stream.samples {
            let (_, updated) = trial(&mut *learner, s.row(), s.positive).unwrap();
            past.push(PastTrial {
                x: s.row(),
                y: label(s.y()),
                updated,
            });
        }
        let kept: Vec<usize> = (0..past.len()).filter(|t| past[*t].updated).collect();
        let triangle = kept.iter().enumerate();
        let triangle = triangle.flat_map(|(i, t)| kept[..=i].iter().map(|s| gram.values[*t][*s]));
        let norms: Vec<f64> = (0..past.len()).map(|t| gram.values[t][t]).collect();
        let factors = by.factors_in_kernel(triangle.collect(), &past, &norms);
        let values: Vec<f64> = gram
            .values
            .iter()
            .map(|row| dot(row, &gram.labels))
            .collect();
        let norm_sq = dot(&values, &gram.labels);
        let size = values.iter().map(|u| u.abs()).sum::<f64>() / past.len() as f64;
        seen.streams += 1;
        for c in [0.0, 0.1, 0.5, 1.0, 2.0, 5.0].map(|c| c / size) {
            let values: Vec<f64> = values.iter().map(|u| c * u).collect();
            let rival = Rival::within(c * c * norm_sq, &values);
            let name = format!("{spec} {text} on {}", stream.name);
            seen.check(&factors.against(&past, &rival), &name);
        }
    }
    seen.report(theorem, least);
}

#[test]
fn t9_kernel() {
    examine_in_kernels("T9", 0.7, |g| {
        let (a, margin) = (10_f64.powf(4.0 * g.uniform() - 2.0), tau(g));
        let spec = format!("second-order:a={a},margin={margin}");
        let added = AddedDiagonal::Fixed(a);
        (spec, SecondOrder { added, margin })
    });
}

#[test]
fn t10_kernel() {
    examine_in_kernels("T10 with a kernel", 0.7, |g| {
        let (c, margin) = (10_f64.powf(3.0 * g.uniform() - 2.0), tau(g));
        let r2 = (g.below(2) > 0).then_some(10_f64.powf(2.0 * g.uniform() - 1.0));
        let given = r2.map_or(String::new(), |r2| format!(",r2={r2}"));
        let spec = format!("second-order:a=adaptive,c={c},margin={margin}{given}");
        let added = AddedDiagonal::Adaptive { c, r2 };
        (spec, SecondOrder { added, margin })
    });
}

#[test]
fn t11_kernel() {
    examine_in_kernels("T11 with a kernel", 0.5, |g| {
        let margin = tau(g);
        let spec = format!("second-order:a=pinv,margin={margin}");
        let added = AddedDiagonal::Nothing;
        (spec, SecondOrder { added, margin })
    });
}

/// Every term by plain arithmetic.
#[test]
fn terms() {
    for seed in 0..60 {
        let stream = small(seed);
        let (a, tau, c) = (0.7, 0.1, 0.2);
        let fixed = (AddedDiagonal::Fixed(a), format!("a={a}"));
        let seen = (
            AddedDiagonal::Adaptive { c, r2: None },
            format!("a=adaptive,c={c}"),
        );
        let given = AddedDiagonal::Adaptive { c, r2: Some(3.0) };
        let given = (given, format!("a=adaptive,c={c},r2=3"));
        let without = (AddedDiagonal::Nothing, "a=pinv".to_owned());
        for (added, spec) in [fixed, seen, given, without] {
            let run = Run::of(&format!("second-order:{spec},margin={tau}"), &stream, 1);
            let trials = past(&run, &stream);
            let u = comparators(&stream, seed).swap_remove(3);
            let got = SecondOrder { added, margin: tau }.certify(&trials, &u);
            let near = |name: &str, want: f64| {
                let term = got.ingredient(name).unwrap();
                let least = want - 1e-9 * want.abs() - 1e-9;
                let most = want + 1e-7 * want.abs() + 1e-7;
                assert!(
                    (least..=most).contains(&term),
                    "{}: {name} {term}, not {want}",
                    run.name
                );
            };
            let want = plain(&run, added, &u);
            near("hinge", run.hinge(&u));
            near("quadratic", want.quadratic);
            near("observed", want.observed);
            assert_eq!(
                got.ingredient("spectral").is_some(),
                want.spectral.is_some()
            );
            if let Some(spectral) = want.spectral {
                near("spectral", spectral);
                let root = (want.quadratic * (spectral + 2.0 * tau * run.updates())).sqrt();
                near("theorem", run.hinge(&u) + root);
            }
            let root = (want.quadratic * (want.observed + 2.0 * tau * run.updates())).sqrt();
            let bound = run.hinge(&u) + root;
            assert!(
                (got.bound - bound).abs() <= 1e-6 * (1.0 + bound),
                "{got:?}: {bound}"
            );
        }
    }
}

struct Plain {
    quadratic: f64,
    spectral: Option<f64>,
    observed: f64,
}

fn plain(run: &Run, added: AddedDiagonal, u: &[f64]) -> Plain {
    let mut matrix = identity(u.len(), 0.0);
    let (mut a, mut longest, mut k) = (0.0, 0.0_f64, 0.0);
    let (mut observed, mut lowest, mut top) = (0.0, f64::INFINITY, 0.0_f64);
    for (x, updated) in run.past() {
        longest = longest.max(dot(x, x));
        if !updated {
            continue;
        }
        k += 1.0;
        top = top.max(dot(x, x));
        a = match added {
            AddedDiagonal::Fixed(a) | AddedDiagonal::Raised { a, .. } => a,
            AddedDiagonal::Adaptive { c, r2 } => c * r2.unwrap_or(longest) * k,
            AddedDiagonal::Nothing => 0.0,
        };
        add_outer(&mut matrix, 1.0, x);
        let (values, vectors) = eigen(matrix.clone());
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(*v));
        for (value, vector) in values.iter().zip(&vectors) {
            if *value > 1e-10 * largest {
                observed += dot(vector, x).powi(2) / (a + value);
                lowest = lowest.min(*value);
            }
        }
    }
    let quadratic = a * dot(u, u) + dot(u, &apply(&matrix, u));
    let spectral = match added {
        AddedDiagonal::Fixed(a) | AddedDiagonal::Raised { a, .. } => Some(log_det(&matrix, a)),
        AddedDiagonal::Adaptive { c, r2: Some(r2) } if k > 0.0 => {
            let s = c * r2;
            let growth = top / s * ((top + s * k) / (top + s)).ln();
            Some(growth + log_det(&matrix, a))
        }
        AddedDiagonal::Adaptive { r2, .. } => r2.map(|_| 0.0),
        AddedDiagonal::Nothing => {
            let (rank, _) = run.spectrum();
            let q = rank * (rank + 1.0) / 2.0;
            Some(rank + q * (top * k / (q.max(1.0) * lowest)).ln_1p())
        }
    };
    Plain {
        quadratic,
        spectral,
        observed,
    }
}

/// Unit rows: `n = d`, and the bound is `d sqrt((a + 1) ln(1 + 1/a))`, which tends to d.
#[test]
fn a_bound_that_is_nearly_reached() {
    let stream = unit_rows(10, 1.0);
    let u = separating(&stream).unwrap();
    let run = Run::of("second-order:a=100", &stream, 2);
    let trials = past(&run, &stream);
    let by = |a| SecondOrder {
        added: AddedDiagonal::Fixed(a),
        margin: 0.0,
    };
    let right = by(100.0).certify(&trials, &u);
    assert_eq!((right.counted, right.holds()), (10, true));
    assert!(
        right.bound < 10.01 && right.ingredient("theorem").unwrap() < 10.03,
        "{right:?}"
    );
    // an update less, and it is lower
    let mut fewer = trials.clone();
    for trial in &mut fewer {
        trial.updated &= trial.x.last_slot() != Some(1);
    }
    assert!(by(100.0).certify(&fewer, &u).bound < 9.5);
}
