//! The certificates of learners that learn from right answers too: ALMA, passive-aggressive, AROW. They hold on streams
//! whose rows are the worst for the learner at their time, and their terms are what plain arithmetic says.
//!
//! `NOVIKOFF_STREAMS=10000` runs that many streams for each learner; what was seen is printed.

#![cfg(feature = "linalg")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout)]

use crate::common;

use common::bound::{Run, comparators, dual_norm, separating};
use common::certified::{past, small, streams};
use common::matrix::{add_outer, apply, dot, identity, log_det, norm, solve};
use common::stream::Stream;
use common::{learner_for, trial};
use novikoff::certificate::alma::AlmaBound;
use novikoff::certificate::arow::Arow;
use novikoff::certificate::passive_aggressive::{PassiveAggressiveBound, Price, Variant};
use novikoff::certificate::{Certificate, PastTrial, Rival};
use novikoff::random::SplitMix64;

/// A theorem with its parameters.
enum By {
    Alma(AlmaBound),
    PassiveAggressive(PassiveAggressiveBound),
    Arow(f64),
}

impl By {
    /// A learner with random parameters.
    fn random(kind: &str, g: &mut SplitMix64) -> (String, Self) {
        let c = 10_f64.powf(4.0 * g.uniform() - 2.0);
        match kind {
            "alma" => {
                let (p, alpha) = (2.0 + 3.0 * g.below(3) as f64, 0.1 + 0.9 * g.uniform());
                (
                    format!("alma:p={p},alpha={alpha}"),
                    By::Alma(AlmaBound { p, alpha }),
                )
            }
            "arow" => (format!("arow:form=full,r={c}"), By::Arow(c)),
            word => {
                let spec = format!("passive-aggressive:variant={word},c={c}");
                let by = PassiveAggressiveBound {
                    variant: Variant::of(word),
                    c,
                    price: [Price::Sum, Price::Root][g.below(2)],
                };
                (spec, By::PassiveAggressive(by))
            }
        }
    }

    fn certify(&self, run: &Run, trials: &[PastTrial<'_>], u: &[f64]) -> Option<Certificate> {
        let mistakes: Vec<bool> = run
            .trials
            .iter()
            .map(common::bound::Past::mistake)
            .collect();
        let norms: Vec<f64> = trials.iter().map(|t| t.x.norm_sq()).collect();
        match self {
            By::Alma(by) => by.certify(trials, u).ok(),
            By::PassiveAggressive(by) => {
                Some(by.certify(trials, (&norms, &mistakes), &Rival::new(trials, u)))
            }
            By::Arow(r) => Some(Arow::new(*r, trials, &mistakes).certify(trials, u)),
        }
    }
}

/// As many rows again, each the worst of a few for the learner as it is then.
fn hard(spec: &str, seed: u64, g: &mut SplitMix64) -> Stream {
    let mut stream = small(seed);
    let mut learner = learner_for(spec, &stream);
    let pool = stream.samples.clone();
    let mut score = [0.0];
    stream.samples.clear();
    for _ in 0..3 * pool.len() {
        let mut worst = (f64::INFINITY, 0);
        for _ in 0..8 {
            let k = g.below(pool.len());
            let by = learner.hypotheses()[0];
            learner.scores(pool[k].row(), by, &mut score);
            let margin = pool[k].y() * score[0];
            if margin < worst.0 {
                worst = (margin, k);
            }
        }
        let sample = &pool[worst.1];
        trial(&mut *learner, sample.row(), sample.positive).unwrap();
        stream.samples.push(sample.clone());
    }
    stream.name = format!("hard {}", stream.name);
    stream
}

#[test]
fn hold_on_hard_streams() {
    for kind in ["alma", "pa", "1", "2", "arow"] {
        let (mut checks, mut tightest) = (0, 0.0_f64);
        for seed in 0..streams() {
            let mut g = SplitMix64::new(seed);
            let (spec, by) = By::random(kind, &mut g);
            let stream = hard(&spec, seed, &mut g);
            let run = Run::of(&spec, &stream, 1 + g.below(2));
            let trials = past(&run, &stream);
            for u in comparators(&stream, seed) {
                let Some(certificate) = by.certify(&run, &trials, &u) else {
                    continue;
                };
                checks += 1;
                assert!(certificate.holds(), "{}: {certificate:?}", run.name);
                let theorem = certificate.ingredient("theorem").unwrap();
                assert!(certificate.bound <= theorem * (1.0 + 1e-9) + 1e-9);
                tightest = tightest.max(certificate.counted as f64 / certificate.bound);
            }
        }
        println!("{kind}: {checks} checks, counted up to {tightest:.4} of the bound");
        assert!(
            checks > 100 && tightest > 0.5,
            "{kind}: {checks} {tightest}"
        );
    }
}

fn near(certificate: &Certificate, name: &str, want: f64) {
    let term = certificate.ingredient(name).unwrap();
    let near = (term - want).abs() <= 1e-7 * (1.0 + want.abs());
    assert!(near, "{name} {term}, not {want}: {certificate:?}");
}

fn near_bound(certificate: &Certificate, want: f64) {
    let (bound, slack) = (certificate.bound, 1e-7 * (1.0 + want.abs()));
    let range = want - 1e-9 * (1.0 + want.abs())..want + slack;
    assert!(range.contains(&bound), "not {want}: {certificate:?}");
}

/// Every term of PA, PA-I and PA-II by plain arithmetic.
#[test]
fn terms_of_passive_aggressive() {
    for seed in 0..90 {
        let stream = small(seed);
        let (word, c) = (["pa", "1", "2"][seed as usize % 3], 0.3);
        let spec = format!("passive-aggressive:variant={word},c={c}");
        let variant = Variant::of(word);
        let price = [Price::Sum, Price::Root][seed as usize / 3 % 2];
        let by = By::PassiveAggressive(PassiveAggressiveBound { variant, c, price });
        let run = Run::of(&spec, &stream, 2);
        let trials = past(&run, &stream);
        let squares: Vec<f64> = run.past().map(|(x, _)| dot(x, x)).collect();
        for u in comparators(&stream, seed) {
            let got = by.certify(&run, &trials, &u).unwrap();
            let each = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
                run.slacks(&u).zip(&squares).map(|(xi, s)| f(xi, *s)).sum()
            };
            let size = dot(&u, &u);
            let worth = |s: f64| match variant {
                Variant::Hard => 1.0 / s,
                Variant::Capped => f64::min(c, 1.0 / s),
                Variant::Softened => 1.0 / (s + 0.5 / c),
            };
            let price = match (variant, price) {
                (Variant::Capped, Price::Sum) => {
                    near(&got, "hinge", run.hinge(&u));
                    size + 2.0 * c * run.hinge(&u)
                }
                (Variant::Softened, Price::Sum) => {
                    let slacks = each(&|xi, _| xi * xi);
                    near(&got, "slacks", slacks);
                    size + 2.0 * c * slacks
                }
                _ => {
                    let softened = if variant == Variant::Softened {
                        0.5 / c
                    } else {
                        0.0
                    };
                    let b = each(&|xi, s| xi * xi / (s + softened));
                    near(&got, "shares", b);
                    (b.sqrt() + (size + b).sqrt()).powi(2)
                }
            };
            near(&got, "norm", size.sqrt());
            let made = run.trials.iter().zip(&squares).filter(|(t, _)| t.mistake());
            let made: f64 = made.map(|(_, s)| worth(*s)).sum();
            let least = squares
                .iter()
                .map(|s| worth(*s))
                .fold(f64::INFINITY, f64::min);
            near(&got, "worth", made);
            near(&got, "theorem", price / least);
            if run.mistakes() > 0.0 {
                near_bound(&got, run.mistakes() * price / made);
            }
        }
    }
}

/// Every term of AROW.
#[test]
fn terms_of_arow() {
    for seed in 0..60 {
        let stream = small(seed);
        let r = [0.2, 1.0, 7.0][seed as usize % 3];
        let run = Run::of(&format!("arow:form=full,r={r}"), &stream, 2);
        let trials = past(&run, &stream);
        let mut matrix = identity(stream.slots(), r);
        let (mut observed, mut right) = (0.0, 0.0);
        for ((x, updated), t) in run.past().zip(&run.trials) {
            if updated {
                add_outer(&mut matrix, 1.0, x);
                if t.mistake() {
                    observed += dot(x, &solve(matrix.clone(), x));
                } else {
                    right += 1.0;
                }
            }
        }
        let spectral = log_det(&run.correlation(), r);
        for u in comparators(&stream, seed) {
            let got = By::Arow(r).certify(&run, &trials, &u).unwrap();
            let (hinge, quadratic) = (run.hinge(&u), dot(&u, &apply(&matrix, &u)));
            near(&got, "hinge", hinge);
            near(&got, "quadratic", quadratic);
            near(&got, "observed", observed);
            near(&got, "spectral", spectral);
            near(&got, "right", right);
            let root = |factor: f64| (quadratic * (factor + right)).sqrt();
            near(&got, "theorem", hinge + root(spectral) - right);
            near_bound(&got, hinge + root(observed) - right);
        }
    }
}

/// Every term of ALMA.
#[test]
fn terms_of_alma() {
    let mut checks = 0;
    for seed in (0..90).step_by(3) {
        let stream = small(seed);
        let Some(u) = separating(&stream) else {
            continue;
        };
        let (p, alpha) = ([2.0, 3.0][seed as usize % 2], 0.7);
        let run = Run::of(&format!("alma:p={p},alpha={alpha}"), &stream, 3);
        let got = By::Alma(AlmaBound { p, alpha });
        let got = got.certify(&run, &past(&run, &stream), &u).unwrap();
        let size = dual_norm(&u, p);
        let margins = stream.plain().into_iter();
        let margins = margins.map(|(x, y)| y * dot(&u, &x) / norm(&x, p) / size);
        let g = margins.fold(f64::INFINITY, f64::min);
        near(&got, "margin", g);
        near(&got, "norm", size);
        let theorem = 2.0 * (p - 1.0) / (g * g) * (2.0 / alpha - 1.0_f64).powi(2);
        near(&got, "theorem", theorem);
        assert!(got.holds() && got.bound < theorem);
        checks += 1;
    }
    assert!(checks >= 10, "{checks}");
}
