//! The certificates of the higher-order perceptron: T12 and T13 (docs/theory/higher-order.md) hold on random streams,
//! separable and noisy, and their terms are what plain arithmetic says.
//!
//! `NOVIKOFF_STREAMS=10000` runs that many streams for each theorem; what was seen is printed.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout)]

use crate::common;

use common::bound::{Run, comparators, dual_norm, separating, solved};
use common::certified::{past, small, streams};
use common::definition::Definition as _;
use common::higher_order::{HigherOrder as Defined, Keys};
use common::matrix::{apply, dot, length, norm};
use common::planted::unit_rows;
use common::stream::{Kind, Stream, stream};
use novikoff::certificate::higher_order::{any_norm, bytes, certify, euclidean};
use novikoff::certificate::{Certificate, NotApplicable};
use novikoff::online::higher_order::{HigherOrder, Schedule};
use novikoff::random::SplitMix64;

fn parameters(keys: Keys) -> HigherOrder {
    let schedule = match keys.schedule {
        "harmonic" => Schedule::Harmonic,
        "sparse" => Schedule::Sparse,
        "cap" => Schedule::Cap,
        _ => Schedule::Constant,
    };
    HigherOrder {
        p: keys.p,
        c: keys.c,
        schedule,
        margin: keys.tau,
    }
}

fn draw(g: &mut SplitMix64, p: f64) -> Keys {
    let schedule = ["harmonic", "harmonic", "sparse", "cap", "constant"][g.below(5)];
    let c = match schedule {
        "cap" => 0.1 + 0.9 * g.uniform(),
        "constant" => 0.3 * g.uniform(),
        _ => 0.95 * g.uniform(),
    };
    let tau = [0.0, 0.0, 0.2][g.below(3)];
    Keys {
        p,
        c,
        schedule,
        tau,
    }
}

/// A stream of rows of p-norm 1: mostly small ones of any kind.
fn rows(seed: u64, p: f64) -> Stream {
    if seed % 5 == 4 {
        stream([Kind::Sparse, Kind::Repeated][seed as usize % 2], seed, 60).unit(p)
    } else {
        small(seed).unit(p)
    }
}

#[derive(Default)]
struct Seen {
    checks: u64,
    withheld: u64,
    violations: Vec<String>,
    /// The largest share of the bound on updates, and of the theorem's own.
    bound: f64,
    theorem: f64,
}

impl Seen {
    fn check(&mut self, certificate: Result<Certificate, NotApplicable>, name: &str) {
        let Ok(certificate) = certificate else {
            self.withheld += 1;
            return;
        };
        self.checks += 1;
        let n = certificate.counted as f64;
        let theorem = certificate.ingredient("theorem");
        // of T13 the theorem bounds the weights
        let count = certificate.ingredient("weights").unwrap_or(n);
        let kept = theorem.is_none_or(|theorem| count <= theorem * (1.0 + 1e-8));
        if !certificate.holds() || !kept {
            self.violations.push(format!("{name}: {certificate:?}"));
        }
        if n > 0.0 {
            self.bound = self.bound.max(n / certificate.bound);
            self.theorem = self.theorem.max(theorem.map_or(0.0, |t| count / t));
        }
    }

    fn report(&self, theorem: &str, least: f64) {
        println!(
            "{theorem}: {} streams, {} comparators ({} withheld), {} violations; largest share of the bound {:.4}, of the theorem's own {:.4}",
            streams(),
            self.checks,
            self.withheld,
            self.violations.len(),
            self.bound,
            self.theorem,
        );
        assert!(self.violations.is_empty(), "{:#?}", self.violations);
        assert!(self.bound > least, "never nearer than {}", self.bound);
        assert!(self.withheld * 4 < self.checks);
    }
}

#[test]
fn t12_euclidean() {
    let mut seen = Seen::default();
    for seed in 0..streams() {
        let mut g = SplitMix64::new(seed);
        let (stream, keys) = (rows(seed, 2.0), draw(&mut g, 2.0));
        let form = ["auto", "primal", "dual", "implicit", "low-rank"][g.below(5)];
        let run = Run::of(&keys.spec(form), &stream, 1 + g.below(3));
        let trials = past(&run, &stream);
        for u in comparators(&stream, seed) {
            seen.check(euclidean(&parameters(keys), &trials, &u), &run.name);
        }
    }
    seen.report("T12", 0.5);
}

#[test]
fn t13_any_norm() {
    let mut seen = Seen::default();
    for seed in 0..streams() {
        let mut g = SplitMix64::new(seed ^ 0x7135);
        let p = [2.0, 3.0, 4.0, 7.0, 10.0][g.below(5)];
        let (stream, keys) = (rows(seed, p), draw(&mut g, p));
        let form = ["auto", "primal", "implicit", "low-rank"][g.below(4)];
        let run = Run::of(&keys.spec(form), &stream, 1 + g.below(3));
        let trials = past(&run, &stream);
        for u in comparators(&stream, seed) {
            seen.check(any_norm(&parameters(keys), &trials, &u), &run.name);
        }
    }
    seen.report("T13", 0.5);
}

/// Every term by plain arithmetic, B written out.
#[test]
fn terms() {
    for seed in 0..60 {
        for p in [2.0, 3.0, 7.0] {
            let stream = small(seed).unit(p);
            let schedule = ["harmonic", "sparse", "cap"][seed as usize % 3];
            let keys = Keys {
                tau: 0.1,
                ..Keys::new(p, schedule, 0.6)
            };
            let run = Run::of(&keys.spec("auto"), &stream, 2);
            let (trials, by) = (past(&run, &stream), parameters(keys));
            let u = comparators(&stream, seed).swap_remove(3);
            let mut defined = Defined::new(stream.slots(), keys);
            let (mut hinge, mut weighted, mut weights, mut squares) = (0.0, 0.0, 0.0, 0.0);
            let (mut least, mut most, mut longest) = (1.0_f64, 1.0_f64, 0.0_f64);
            let rows: Vec<(Vec<f64>, f64)> = stream.plain();
            for ((x, y), trial) in rows.iter().cycle().zip(&trials) {
                let bx = apply(defined.b(), x);
                let (_, r) = defined.rho(x, *y);
                let xi = (1.0 - y * dot(&u, &bx)).max(0.0);
                hinge += xi;
                weighted += r.max(0.0) * xi;
                if trial.updated {
                    weights += r;
                    squares += r * r * norm(&bx, p).powi(2);
                    (least, most) = (least.min(r), most.max(r));
                    longest = longest.max(norm(x, p));
                }
                defined.learn(x, *y, trial.updated);
            }
            let near = |got: &Certificate, name: &str, want: f64| {
                let term = got.ingredient(name).unwrap();
                let name = format!("{}: {name} {term}, not {want}", run.name);
                assert!((term - want).abs() <= 1e-6 * (1.0 + want.abs()), "{name}");
            };
            let t13 = any_norm(&by, &trials, &u).unwrap();
            near(&t13, "hinge", weighted);
            near(&t13, "weights", weights);
            near(&t13, "squares", squares);
            near(&t13, "least", least);
            near(&t13, "norm", dual_norm(&u, p));
            let root = ((p - 1.0) * squares + 0.2 * weights).sqrt();
            let right = weighted + dual_norm(&u, p) * root;
            near(&t13, "theorem", right);
            assert!((t13.bound - right / least).abs() <= 1e-6 * (1.0 + t13.bound));
            assert!(bytes(&trials) > 0);
            if p == 2.0 {
                let t12 = euclidean(&by, &trials, &u).unwrap();
                let c = least.min(2.0 - most);
                let alpha = (2.0 - c) / c;
                near(&t12, "hinge", hinge);
                near(&t12, "c", c);
                near(&t12, "alpha", alpha);
                near(&t12, "norm", length(&u));
                near(&t12, "longest", longest);
                let b = alpha * length(&u) * (longest * longest + 0.2 / (2.0 - c)).sqrt();
                let bound = solved(alpha * hinge, b);
                assert!((t12.bound - bound).abs() <= 1e-5 * (1.0 + bound));
                let smaller = certify(&by, &trials, &u).unwrap().bound;
                assert!(smaller <= t12.bound && smaller <= t13.bound);
            } else {
                assert!(euclidean(&by, &trials, &u).is_err());
                assert_eq!(certify(&by, &trials, &u), Ok(t13));
            }
        }
    }
}

/// Unit rows: `n = d`, and with c = 0 the bound is d; with c > 0 it is not far.
#[test]
fn a_bound_that_is_nearly_reached() {
    let stream = unit_rows(10, 1.0);
    let u = separating(&stream).unwrap();
    for (p, c, most) in [(2.0, 0.0, 10.001), (2.0, 0.1, 15.1), (2.0, 0.5, 91.0)] {
        let keys = Keys::new(p, "harmonic", c);
        let run = Run::of(&keys.spec("auto"), &stream, 2);
        let trials = past(&run, &stream);
        let right = certify(&parameters(keys), &trials, &u).unwrap();
        assert_eq!((right.counted, right.holds()), (10, true));
        assert!(right.bound < most, "{right:?}");
        // an update more than there can be
        let mut more = trials.clone();
        more[12].updated = true;
        if c == 0.0 {
            assert!(!certify(&parameters(keys), &more, &u).unwrap().holds());
        }
    }
}

/// Steps that undo more than they learn: no theorem, and no certificate.
#[test]
fn a_theorem_that_does_not_apply() {
    let stream = unit_rows(3, 4.0);
    let keys = Keys::new(2.0, "constant", 0.5);
    let run = Run::of(&keys.spec("auto"), &stream, 1);
    let trials = past(&run, &stream);
    let answer = certify(&parameters(keys), &trials, &[0.0; 4]);
    assert_eq!(answer.unwrap_err(), NotApplicable::TooLargeStep);
}
