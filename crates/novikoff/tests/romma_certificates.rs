//! The certificates of ROMMA and the ideal maximum margin algorithm: T14 to T16 (docs/theory/romma.md) hold on random
//! streams, and their terms are what plain arithmetic says.
//!
//! `NOVIKOFF_STREAMS=10000` runs that many streams for each theorem; what was seen is printed.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common;

use std::collections::BTreeSet;

use common::bound::{comparators, separating};
use common::certified::{label, small, streams};
use common::matrix::{dot, times};
use common::planted::unit_rows;
use common::quadratic::shortest;
use common::stream::Stream;
use common::{MEMORY, learner, visit};
use novikoff::certificate::romma::{KernelTrial, MaximumMargin, Visit};
use novikoff::certificate::{Certificate, Inexact, NotApplicable};
use novikoff::kernel::Kernel;
use novikoff::random::SplitMix64;
use novikoff::spec::Spec;

/// A finished run, the rows in another order in each epoch.
struct Run {
    name: String,
    /// Which row, and its margin.
    trials: Vec<(usize, f64)>,
}

impl Run {
    fn of(spec: &str, stream: &Stream, epochs: usize, g: &mut SplitMix64) -> Self {
        let mut learner = learner(spec, stream.width);
        let mut trials = Vec::new();
        for _ in 0..epochs {
            let mut order: Vec<usize> = (0..stream.samples.len()).collect();
            g.shuffle(&mut order);
            for i in order {
                let s = &stream.samples[i];
                let id = Some(i as u64);
                let (margin, _) = visit(&mut *learner, id, s.row(), s.positive).unwrap();
                trials.push((i, margin));
            }
        }
        let name = format!("{spec} on {}", stream.name);
        Run { name, trials }
    }

    fn visits<'a>(&self, stream: &'a Stream) -> Vec<Visit<'a>> {
        let visit = |(i, margin): &(usize, f64)| Visit {
            x: stream.samples[*i].row(),
            y: label(stream.samples[*i].y()),
            margin: *margin,
            id: Some(*i as u64),
        };
        self.trials.iter().map(visit).collect()
    }
}

#[derive(Default)]
struct Seen {
    streams: u64,
    checks: u64,
    violations: Vec<String>,
    /// The largest share of the theorem's bound, and of the sharper one.
    theorem: f64,
    bound: f64,
}

impl Seen {
    fn check(&mut self, certificate: &Certificate, name: &str) {
        self.checks += 1;
        if !certificate.holds() {
            self.violations.push(format!("{name}: {certificate:?}"));
        }
        let theorem = certificate.ingredient("theorem").unwrap();
        assert!(certificate.bound <= theorem * (1.0 + 1e-9), "{name}");
        let n = certificate.counted as f64;
        self.theorem = self.theorem.max(n / theorem);
        self.bound = self.bound.max(n / certificate.bound);
    }

    fn report(&self, theorem: &str, least: f64) {
        println!(
            "{theorem}: {} streams, {} comparators, {} violations; trials counted up to {:.4} of the theorem's bound, {:.4} of the sharper one",
            self.streams,
            self.checks,
            self.violations.len(),
            self.theorem,
            self.bound,
        );
        assert!(self.violations.is_empty(), "{:#?}", self.violations);
        assert!(self.checks >= streams() / 3, "only {}", self.checks);
        assert!(self.bound > least, "never nearer than {}", self.bound);
    }
}

/// Vectors that separate a stream: the planted one, and on every tenth stream the best there is.
fn separators(stream: &Stream, seed: u64) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = separating(stream).into_iter().collect();
    if !all.is_empty() && seed.is_multiple_of(10) {
        let rows: Vec<Vec<f64>> = stream.plain().iter().map(|(x, y)| times(*y, x)).collect();
        all.extend(shortest(&rows, f64::INFINITY));
    }
    all
}

/// From phi(0) the sum of T14 is at most `|U|^2 - K(0, 0)` for every U with `U.phi(0) >= K(0, 0)`. The kernel 1/16 + x.z is the inner
/// product of rows with the feature 1/4.
#[test]
fn from_phi0_mistakes_are_bounded() {
    let kernel = Kernel::parse("poly:degree=1,coef0=0.0625").unwrap();
    let (mut checks, mut nearest) = (0, 0.0_f64);
    for seed in 0..60 {
        let stream = small(3 * seed);
        let extended = |x: &[f64]| [x, &[0.25]].concat();
        let rows = stream.plain();
        let mut asked: Vec<Vec<f64>> = rows.iter().map(|(x, y)| times(*y, &extended(x))).collect();
        let mut origin = vec![0.0; asked[0].len()];
        origin[asked[0].len() - 1] = 4.0;
        asked.push(origin);
        let Some(u) = shortest(&asked, f64::INFINITY) else {
            continue;
        };
        for name in ["romma", "romma:aggressive", "max-margin"] {
            let joint = if name.contains(':') { "," } else { ":" };
            let spec = Spec::parse(&format!("{name}{joint}start=phi0")).unwrap();
            let parameters = spec.parameters(None).unwrap();
            let mut learner = spec.learner(&parameters, kernel, MEMORY).unwrap();
            let mut sum = 0.0;
            for i in (0..3).flat_map(|_| 0..rows.len()) {
                let (s, (x, y)) = (&stream.samples[i], &rows[i]);
                let (margin, _) = visit(&mut *learner, s.id, s.row(), s.positive).unwrap();
                if (margin >= 0.0) != (*y > 0.0) {
                    sum += 1.0 / (0.0625 + dot(x, x));
                }
            }
            let most = dot(&u, &u) - 0.0625;
            assert!(
                sum <= most * (1.0 + 1e-6) + 1e-9,
                "{spec} on {}: {sum} > {most}",
                stream.name
            );
            if most > 0.0 {
                nearest = nearest.max(sum / most);
            }
            checks += 1;
        }
    }
    assert!(checks > 50 && nearest > 0.05, "{checks}, {nearest}");
}

/// T14, T15: the streams that are separable, of three times as many.
fn separable(spec: &str, by: MaximumMargin, dels: &[f64], least: f64) {
    let mut seen = Seen::default();
    let mut seed = 0;
    while seen.streams < streams() {
        // one in three has no noise
        let stream = small(3 * seed);
        let comparators = separators(&stream, seed);
        seed += 1;
        if comparators.is_empty() {
            continue;
        }
        let mut g = SplitMix64::new(seed);
        let epochs = 1 + g.below(4);
        let run = Run::of(spec, &stream, epochs, &mut g);
        seen.streams += 1;
        for u in comparators {
            let visits = run.visits(&stream);
            seen.check(&by.certify(&visits, &u).unwrap(), &run.name);
            for del in dels {
                seen.check(&by.certify_short(*del, &visits, &u).unwrap(), &run.name);
            }
        }
    }
    let stream = unit_rows(10, 3.0);
    let run = Run::of(spec, &stream, 3, &mut SplitMix64::new(1));
    let u = separating(&stream).unwrap();
    let sharp = by.certify(&run.visits(&stream), &u).unwrap();
    // reached: every row once
    assert_eq!((sharp.counted, sharp.bound.floor()), (10, 10.0));
    seen.check(&sharp, "unit rows");
    seen.report(spec, least);
}

const PLAIN: MaximumMargin = MaximumMargin {
    aggressive: false,
    noise: 0.0,
};

const AGGRESSIVE: MaximumMargin = MaximumMargin {
    aggressive: true,
    noise: 0.0,
};

#[test]
fn t14_romma() {
    separable("romma", PLAIN, &[], 0.9999);
}

#[test]
fn t14_max_margin() {
    separable("max-margin", PLAIN, &[0.9, 0.3, 0.01], 0.9999);
}

#[test]
fn t15_aggressive() {
    separable("romma:aggressive", AGGRESSIVE, &[0.9, 0.3, 0.01], 0.9999);
}

/// T16: any U, any labels.
#[test]
fn t16_noise() {
    for name in ["romma:", "romma:aggressive,", "max-margin:"] {
        let mut seen = Seen::default();
        for seed in 0..streams() {
            let stream = small(seed);
            let mut g = SplitMix64::new(seed);
            let longest = stream
                .plain()
                .iter()
                .map(|(x, _)| dot(x, x))
                .fold(0.0, f64::max);
            let noise = longest * libm::pow(10.0, 4.0 * g.uniform() - 3.0);
            let by = MaximumMargin {
                aggressive: name.contains("aggressive"),
                noise,
            };
            let epochs = 1 + g.below(3);
            let run = Run::of(&format!("{name}noise={noise}"), &stream, epochs, &mut g);
            seen.streams += 1;
            let visits = run.visits(&stream);
            for u in comparators(&stream, seed) {
                let certificate = by.certify(&visits, &u).unwrap();
                assert_eq!(certificate.theorem, "T16");
                seen.check(&certificate, &run.name);
                if name != "romma:" {
                    for del in [0.5, 0.05] {
                        let short = by.certify_short(del, &visits, &u).unwrap();
                        seen.check(&short, &run.name);
                    }
                }
            }
        }
        seen.report(&format!("{name}noise"), 0.3);
    }
}

/// Every term by plain arithmetic.
#[test]
fn terms() {
    for seed in 0..60 {
        let stream = small(seed);
        let rows = stream.plain();
        let mut g = SplitMix64::new(seed);
        let noise = [0.0, 0.7][(seed % 2) as usize];
        let by = MaximumMargin {
            aggressive: true,
            noise,
        };
        let run = Run::of(
            &format!("romma:aggressive,noise={noise}"),
            &stream,
            2,
            &mut g,
        );
        let visits = run.visits(&stream);
        let u = comparators(&stream, seed).pop().unwrap();
        let least = rows
            .iter()
            .map(|(x, y)| y * dot(&u, x))
            .fold(f64::INFINITY, f64::min);
        let got = by.certify(&visits, &u);
        if noise == 0.0 && least <= 0.0 {
            assert_eq!(got.unwrap_err(), NotApplicable::DoesNotSeparate);
            continue;
        }
        let got = got.unwrap();
        let near = |name: &str, want: f64| {
            let term = got.ingredient(name).unwrap();
            assert!(
                (term - want).abs() <= 1e-8 * want.abs() + 1e-12,
                "{name}: {term}, not {want}"
            );
        };
        let square = |x: &[f64]| dot(x, x) + noise;
        let norm_sq = if noise > 0.0 {
            let slack = |(x, y): &(Vec<f64>, f64)| (1.0 - y * dot(&u, x)).max(0.0);
            let slacks: f64 = rows.iter().map(|row| slack(row) * slack(row)).sum();
            near("slacks", slacks);
            dot(&u, &u) + slacks / noise
        } else {
            near("least", least);
            dot(&u, &u) / (least * least)
        };
        near("norm_sq", norm_sq);
        let wrong = |(i, m): &&(usize, f64)| (*m >= 0.0) != (rows[*i].1 > 0.0);
        let wrong: Vec<usize> = run.trials.iter().filter(wrong).map(|(i, _)| *i).collect();
        assert_eq!(got.counted, wrong.len() as u64);
        let inverses: f64 = wrong.iter().map(|i| 1.0 / square(&rows[*i].0)).sum();
        near("inverses", inverses);
        let longest = rows.iter().map(|(x, _)| square(x)).fold(0.0, f64::max);
        near("longest", longest);
        near("theorem", longest * norm_sq);
        if !wrong.is_empty() {
            let bound = wrong.len() as f64 * norm_sq / inverses;
            assert!((got.bound - bound).abs() <= 1e-8 * bound);
        }
    }
}

/// With a kernel: U by its values.
#[test]
fn values_of_a_kernel_do_as_well() {
    let stream = unit_rows(6, 2.0);
    let run = Run::of("romma", &stream, 2, &mut SplitMix64::new(3));
    let u = separating(&stream).unwrap();
    let visits = run.visits(&stream);
    let value = |v: &Visit<'_>| KernelTrial {
        norm_sq: v.x.norm_sq(),
        of_u: Inexact::exact(v.x.dot(&u)),
        y: v.y,
        margin: v.margin,
        id: v.id,
    };
    let values: Vec<KernelTrial> = visits.iter().map(value).collect();
    let (a, b) = (
        PLAIN.certify(&visits, &u).unwrap(),
        PLAIN.certify_values(&values, dot(&u, &u)).unwrap(),
    );
    assert_eq!((a.counted, a.theorem), (b.counted, b.theorem));
    assert!((a.bound - b.bound).abs() < 1e-9);
}

/// An example counts once, however often it comes.
#[test]
fn slacks_are_those_of_examples() {
    let stream = small(1);
    let mut g = SplitMix64::new(5);
    let by = MaximumMargin {
        aggressive: false,
        noise: 1.0,
    };
    let run = Run::of("romma:noise=1", &stream, 3, &mut g);
    let visits = run.visits(&stream);
    let u = comparators(&stream, 1).swap_remove(1);
    let slacks = |visits: &[Visit<'_>]| {
        let certificate = by.certify(visits, &u).unwrap();
        certificate.ingredient("slacks").unwrap()
    };
    let ids: BTreeSet<_> = visits.iter().map(|v| v.id).collect();
    assert_eq!(ids.len(), stream.samples.len());
    let mut anonymous = visits.clone();
    for v in &mut anonymous {
        v.id = None;
    }
    assert!((3.0 * slacks(&visits) - slacks(&anonymous)).abs() < 1e-9 * slacks(&anonymous));
}
