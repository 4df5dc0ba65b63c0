//! The second-order perceptron: its forms against its definition and against each other, rows of any
//! size, and its limits.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::compare::{compare, compare_all, unchanged};
use common::definition::{Definition, Perceptron};
use common::gram::{everywhere, everywhere_on};
use common::gram_second_order::{Adaptive, Pseudoinverse};
use common::planted::awkward;
use common::second::ArowRidge;
use common::second_order::{
    Added, SecondOrder, SecondOrderDiagonal, SecondOrderRidge, SecondOrderSketch,
};
use common::stream::{KINDS, Kind, MODERATE, Sample, Stream, gaussian, stream};
use common::{cases, learner, learner_for, learner_within, run, same_trials, score, trial};
use novikoff::learner::{Hypothesis, Refusal};
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::state::Array;

const FORMS: &[&str] = &["primal", "dual", "auto"];

#[test]
fn fixed() {
    for form in FORMS {
        for (a, tau) in [(0.05, 0.0), (30.0, 0.0), (1.0, 0.3)] {
            let define = |s: &Stream| -> Box<dyn Definition> {
                Box::new(SecondOrder::new(s.slots(), Added::Fixed(a), tau))
            };
            let spec = format!("second-order:form={form},a={a},margin={tau}");
            compare_all(&spec, MODERATE, 50, define, unchanged, false);
        }
    }
}

#[test]
fn adaptive() {
    for (spec, c, r2, tau) in [
        ("c=0.1", 0.1, None, 0.0),
        ("c=0.02,r2=3", 0.02, Some(3.0), 0.0),
        ("c=1,r2=40,margin=0.05", 1.0, Some(40.0), 0.05),
        ("c=2", 2.0, None, 0.0),
    ] {
        let define = |s: &Stream| -> Box<dyn Definition> {
            Box::new(SecondOrder::new(s.slots(), Added::Adaptive(c, r2), tau))
        };
        for form in FORMS {
            let spec = format!("second-order:a=adaptive,{spec},form={form}");
            let kinds = [Kind::Dense, Kind::Sparse, Kind::Repeated, Kind::Growing];
            compare_all(&spec, &kinds, 50, define, unchanged, false);
        }
    }
}

/// Small integers in few dimensions, of full rank or not: what is in the span is beyond doubt.
fn lattice(seed: u64) -> Stream {
    let mut g = SplitMix64::new(seed);
    let (d, rank) = (3 + g.below(5), 2 + g.below(4));
    let mut whole = || g.below(5) as f64 - 2.0;
    let basis: Vec<Vec<f64>> = (0..rank)
        .map(|_| (0..d).map(|_| whole()).collect())
        .collect();
    let mut samples = Vec::new();
    while samples.len() < 80 {
        let by: Vec<f64> = (0..rank).map(|_| whole()).collect();
        let value = |j: usize| by.iter().zip(&basis).map(|(c, b)| c * b[j]).sum::<f64>() as f32;
        let value: Vec<f32> = (0..d).map(value).collect();
        if value.iter().any(|v| *v != 0.0) {
            let positive = (by[0] + by[1] > 0.5) ^ (samples.len() % 7 == 3);
            samples.push(Sample::new((1..=d as u32).collect(), value, positive));
        }
    }
    Stream::of(&format!("lattice {seed}"), d as u32, samples)
}

#[test]
fn without_a_parameter() {
    let mut new = 0;
    for seed in 0..cases(30) {
        for tau in [0.0, 0.2] {
            let stream = if seed % 3 == 0 {
                let mut stream = stream(Kind::Dense, seed, 80);
                stream.samples.truncate(80);
                stream
            } else {
                lattice(seed)
            };
            let by = SecondOrder::new(stream.slots(), Added::Nothing, tau);
            let spec = format!("second-order:a=pinv,margin={tau}");
            let tally = compare(&spec, Box::new(by), &stream, false);
            assert!(tally.updates > 2, "{}: {tally:?}", stream.name);
            new += tally.updates;
        }
    }
    assert!(new > 100);
}

#[test]
fn adaptive_in_the_space_of_a_kernel() {
    for (spec, c, r2, tau) in [
        ("c=0.1", 0.1, None, 0.0),
        ("c=0.02,r2=3", 0.02, Some(3.0), 0.0),
        ("c=1,r2=40,margin=0.05", 1.0, Some(40.0), 0.05),
        ("c=2,form=dual", 2.0, None, 0.0),
    ] {
        let define = || Adaptive {
            c,
            r2,
            tau,
            list: Vec::new(),
            largest: 0.0,
        };
        let spec = format!("second-order:a=adaptive,{spec}");
        let kinds = [Kind::Dense, Kind::Sparse, Kind::Repeated, Kind::Growing];
        everywhere(&spec, &kinds, 60, define);
    }
}

#[test]
fn without_a_parameter_in_the_space_of_a_kernel() {
    // few features, so that a polynomial's space is soon full; rows that come again, which a Gaussian's space needs
    let few = |seed| {
        let mut g = SplitMix64::new(seed);
        let d = 1 + seed as u32 % 4;
        let mut samples: Vec<Sample> = Vec::new();
        while samples.len() < 80 {
            let again = samples.len() > 20 && g.below(3) == 0;
            let mut sample = if again {
                samples[g.below(20)].clone()
            } else {
                let value: Vec<f32> = (0..d).map(|_| gaussian(&mut g) as f32).collect();
                let positive = value[0] > 0.3;
                Sample::new((1..=d).collect(), value, positive)
            };
            sample.positive ^= g.below(8) == 0;
            samples.push(sample);
        }
        Stream::of(&format!("few {seed}"), d, samples)
    };
    for tau in [0.0, 0.2] {
        for form in ["auto", "dual"] {
            let spec = format!("second-order:a=pinv,margin={tau},form={form}");
            let streams =
                (0..cases(8)).flat_map(|seed| [lattice(seed), few(seed), few(seed + 100)]);
            everywhere_on(&spec, streams, || Pseudoinverse::new(tau));
        }
    }
}

#[test]
fn diagonal() {
    for (a, tau) in [(1.0, 0.0), (0.05, 0.0), (30.0, 0.0), (1.0, 0.3)] {
        let define = |s: &Stream| -> Box<dyn Definition> {
            Box::new(SecondOrderDiagonal::new(s.slots(), a, tau))
        };
        let spec = format!("second-order:form=diagonal,a={a},margin={tau}");
        compare_all(&spec, KINDS, 400, define, unchanged, false);
    }
}

#[test]
fn sketch() {
    let kinds = &[Kind::Dense, Kind::Sparse, Kind::Growing];
    for (a, tau, rank) in [(1.0, 0.0, 2), (0.3, 0.0, 3), (2.0, 0.2, 1)] {
        let define = |s: &Stream| -> Box<dyn Definition> {
            Box::new(SecondOrderSketch::new(s.slots(), a, tau, rank))
        };
        let spec = format!("second-order:form=sketch,a={a},margin={tau},rank={rank}");
        compare_all(&spec, kinds, 120, define, unchanged, false);
    }
}

/// Until its vectors are 5m the sketch is exact; afterwards it forgets, the less the larger m is.
#[test]
fn a_sketch_is_exact_until_it_is_full() {
    for seed in 0..cases(6) {
        let stream = stream(Kind::Sparse, seed, 300);
        let exact = run(
            &mut *learner_for("second-order:form=dual", &stream),
            &stream.samples,
        );
        let updates = exact.iter().filter(|t| t.1).count();
        let spec = format!("second-order:form=sketch,rank={}", updates / 5 + 1);
        let sketch = run(&mut *learner_for(&spec, &stream), &stream.samples);
        assert!(same_trials(&exact, &sketch, 1e-9, &stream.name));
        let small = "second-order:form=sketch,rank=3";
        let mut forgets = learner_for(small, &stream);
        run(&mut *forgets, &stream.samples);
        let state = common::saved(&*forgets);
        let lost = state.arrays().find(|(name, _)| *name == "0/lost");
        assert!(
            !matches!(lost, Some((_, Array::F64(lost))) if lost[0] <= 0.0),
            "{lost:?}"
        );
    }
}

/// Rows near few directions: a sketch of that many scores as the exact form does.
#[test]
fn a_sketch_of_the_right_rank_is_nearly_exact() {
    for seed in 0..cases(4) {
        let stream = awkward(seed);
        let mut exact = learner_for("second-order:form=primal", &stream);
        let mut sketch = learner_for("second-order:form=sketch,rank=8", &stream);
        run(&mut *exact, &stream.samples);
        run(&mut *sketch, &stream.samples);
        for sample in &stream.samples {
            let [a, b] = [&exact, &sketch].map(|l| score(&**l, sample.row(), Hypothesis::Final));
            assert!((a - b).abs() < 1e-5, "{}: {a}, {b}", stream.name);
        }
    }
}

/// `a` far above the rows' squares: `A = a I`, up to its size the perceptron.
#[test]
fn a_large_a_is_the_perceptron() {
    let forms = ["primal", "dual", "auto", "diagonal", "sketch,rank=4"];
    let specs = forms.map(|form| format!("form={form},a=1e14"));
    // a = 1e14 (updates + 1): the sign is that of the perceptron too
    let adaptive = FORMS
        .iter()
        .map(|form| format!("form={form},a=adaptive,c=1,r2=1e14"));
    for spec in specs.into_iter().chain(adaptive) {
        for seed in 0..cases(6) {
            let stream = stream(Kind::Dense, seed, 300);
            let spec = format!("second-order:{spec}");
            let a = run(&mut *learner_for(&spec, &stream), &stream.samples);
            let b = run(&mut *learner_for("perceptron", &stream), &stream.samples);
            let mut factor = 1e14;
            let scaled = a.into_iter().map(|(r, updated)| {
                let margin = r * factor;
                if updated && spec.contains("adaptive") {
                    factor += 1e14;
                }
                (margin, updated)
            });
            let a: Vec<_> = scaled.collect();
            assert!(b.iter().filter(|t| t.1).count() > 2);
            same_trials(&a, &b, 1e-9, format!("{spec} on {}", stream.name));
        }
    }
}

#[test]
fn all_forms_agree_on_awkward_rows() {
    for seed in 0..cases(40) {
        let stream = awkward(seed);
        for a in [1.0, 0.02] {
            let define = || Box::new(SecondOrderRidge(ArowRidge::new(stream.slots(), a)));
            let runs: Vec<_> = FORMS
                .iter()
                .map(|form| {
                    let spec = format!("second-order:form={form},a={a}");
                    compare(&spec, define(), &stream, false);
                    run(&mut *learner_for(&spec, &stream), &stream.samples)
                })
                .collect();
            for other in &runs[1..] {
                same_trials(&runs[0], other, 1e-9, &stream.name);
            }
        }
    }
}

/// `form=auto` outgrows the features in the middle of these.
#[test]
fn all_forms_agree() {
    for &kind in MODERATE {
        for seed in 0..cases(6) {
            for (more, n) in [
                ("", 600),
                (",margin=0.1", 600),
                (",a=adaptive", 200),
                (",a=adaptive,r2=4", 200),
            ] {
                let stream = stream(kind, seed, n);
                let runs: Vec<_> = FORMS
                    .iter()
                    .map(|form| format!("second-order:form={form}{more}"))
                    .map(|spec| run(&mut *learner_for(&spec, &stream), &stream.samples))
                    .collect();
                for other in &runs[1..] {
                    same_trials(&runs[0], other, 1e-9, &stream.name);
                }
            }
        }
    }
}

/// Data of rank 3 in 20 dimensions, at every scale: no score is wrong by more than `100 condition 2^-53`
/// of `|w| |x|` allows (reliability.md 27), so no sign outside that band; and far better in fact.
#[test]
fn rows_of_low_rank_at_every_scale() {
    for (form, rough) in [("primal", 1e-11), ("dual", 1e-5), ("auto", 1e-11)] {
        for exponent in (-8..=8).step_by(2) {
            let mut worst = 0.0_f64;
            for seed in 0..cases(2) {
                let mut g = SplitMix64::new(seed);
                let basis: Vec<Vec<f64>> = (0..3)
                    .map(|_| (0..20).map(|_| gaussian(&mut g)).collect())
                    .collect();
                let size = 10_f64.powi(exponent);
                let mut learner = learner(&format!("second-order:form={form}"), 20);
                let mut by = SecondOrderRidge(ArowRidge::new(21, 1.0));
                for _ in 0..600 {
                    let c: [f64; 3] = [(); 3].map(|()| size * gaussian(&mut g));
                    let value = |j: usize| (0..3).map(|i| c[i] * basis[i][j]).sum::<f64>() as f32;
                    let positive = (c[0] + 0.3 * c[1] > 0.0) ^ (g.uniform() < 0.1);
                    let value = (0..20).map(value).collect();
                    let sample = Sample::new((1..=20).collect(), value, positive);
                    let (x, y) = (sample.dense(21), sample.y());
                    let got = score(&*learner, sample.row(), Hypothesis::Final);
                    let (want, size) = by.score(&x, Hypothesis::Final);
                    let error = (got - want).abs() / size.max(f64::MIN_POSITIVE);
                    let allowed = (100.0 * by.0.condition() * 2_f64.powi(-53)).max(1e-9);
                    let at = format!("{form} at 1e{exponent}, seed {seed}");
                    assert!(error <= allowed, "{at}: {got}, not {want}");
                    worst = worst.max(error);
                    let (_, updated) = trial(&mut *learner, sample.row(), positive).unwrap();
                    by.learn(&x, y, updated);
                }
            }
            assert!(worst <= rough, "{form} at 1e{exponent}: {worst}");
        }
    }
}

/// A million features in pairs: refused with the forms that fit; the dual form takes them.
#[test]
fn a_million_features() {
    let far = Row::sparse(&[1, 1_000_000], &[1.0, 1.0]);
    let mut primal = learner_within("second-order:form=primal", 10, 1 << 32);
    let refusal = trial(&mut *primal, far, false).unwrap_err();
    assert!(matches!(refusal, Refusal::Memory { .. }), "{refusal}");
    let remedy = refusal.remedy().to_string();
    assert!(remedy.contains("form=dual"), "{remedy}");
    assert!(remedy.contains("form=sketch"), "{remedy}");
    for form in ["dual", "auto", "diagonal", "sketch,rank=2"] {
        let mut fits = learner_within(&format!("second-order:form={form}"), 10, 1 << 26);
        assert_eq!(trial(&mut *fits, far, false), Ok((0.0, true)));
    }
}

/// Having changed to the primal form, `auto` grows by pairs, and is asked first whether they fit.
#[test]
fn auto_grows_within_its_memory() {
    let mut learner = learner_within("second-order", 3, 1 << 20);
    for t in 0..20 {
        let value = [1.0, -0.5, t as f32];
        trial(&mut *learner, Row::dense(&value), t % 2 == 0).unwrap();
    }
    let far = Row::sparse(&[1, 100_000], &[1.0, 1.0]);
    let refusal = trial(&mut *learner, far, false).unwrap_err();
    assert!(matches!(refusal, Refusal::Memory { .. }), "{refusal}");
    trial(&mut *learner, Row::sparse(&[1, 200], &[1.0, 1.0]), false).unwrap();
}

#[test]
fn perceptron_is_another_algorithm() {
    let stream = stream(Kind::Dense, 1, 300);
    let by = Perceptron::new(stream.slots(), 0.0, Hypothesis::Final, false);
    let differs = std::panic::catch_unwind(move || {
        compare("second-order", Box::new(by), &stream, false);
    });
    assert!(differs.is_err());
}
