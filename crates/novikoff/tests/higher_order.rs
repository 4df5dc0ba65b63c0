//! The higher-order perceptron: its forms against its definition and against each other, and its limits.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::compare::{compare, compare_all, unchanged};
use common::definition::{Definition, PNorm};
use common::higher_order::{HigherOrder, Keys};
use common::planted::awkward;
use common::stream::{KINDS, Kind, MODERATE, Sample, Stream, stream};
use common::{cases, learner_for, learner_within, run, same_trials, saved, trial};
use novikoff::label::RawLabel;
use novikoff::learner::Refusal;
use novikoff::model::Model;
use novikoff::row::Row;
use novikoff::spec::Spec;
use novikoff::state::Array;

const SQUARES: &[&str] = &["primal", "dual", "implicit", "low-rank", "auto"];
const POWERS: &[&str] = &["primal", "implicit", "low-rank", "auto"];

fn forms(p: f64) -> &'static [&'static str] {
    if p == 2.0 { SQUARES } else { POWERS }
}

const SCHEDULES: &[(&str, f64)] = &[
    ("harmonic", 0.4),
    ("harmonic", 0.95),
    ("sparse", 0.8),
    ("cap", 0.5),
    ("cap", 0.05),
    ("cap", 1.0),
    ("constant", 0.1),
];

fn define(keys: Keys) -> impl Fn(&Stream) -> Box<dyn Definition> {
    move |s: &Stream| Box::new(HigherOrder::new(s.slots(), keys))
}

fn every_schedule(p: f64) {
    for &(schedule, c) in SCHEDULES {
        for form in forms(p) {
            let keys = Keys::new(p, schedule, c);
            let unit = |s: Stream| s.unit(p);
            compare_all(&keys.spec(form), MODERATE, 60, define(keys), unit, false);
        }
    }
}

#[test]
fn euclidean() {
    every_schedule(2.0);
}

#[test]
fn cubes() {
    every_schedule(3.0);
}

#[test]
fn fourth_powers() {
    every_schedule(4.0);
}

#[test]
fn seventh_powers() {
    every_schedule(7.0);
}

#[test]
fn tenth_powers() {
    every_schedule(10.0);
}

#[test]
fn between_whole_powers() {
    every_schedule(2.7);
}

#[test]
fn with_a_margin() {
    for p in [2.0, 4.0] {
        for (schedule, c) in [("harmonic", 0.4), ("sparse", 0.4), ("cap", 0.6)] {
            let tau = 0.3;
            let keys = Keys {
                p,
                c,
                schedule,
                tau,
            };
            for form in forms(p) {
                let unit = |s: Stream| s.unit(p);
                compare_all(&keys.spec(form), MODERATE, 60, define(keys), unit, false);
            }
        }
    }
}

/// Rows of other lengths: the formulas keep `|x|_p^2`.
#[test]
fn rows_of_any_length() {
    for p in [2.0, 3.0] {
        let keys = Keys::new(p, "harmonic", 0.1);
        for form in forms(p) {
            let kinds = [Kind::Dense, Kind::Tiny, Kind::Sparse];
            let half = |mut s: Stream| {
                s.samples.iter_mut().for_each(|s| s.scale *= 0.5);
                s
            };
            compare_all(&keys.spec(form), &kinds, 60, define(keys), half, false);
            compare_all(
                &keys.spec(form),
                &[Kind::Tiny],
                60,
                define(keys),
                unchanged,
                false,
            );
        }
    }
}

/// Rows in a subspace, rows again and again, and rows that differ in the last place.
#[test]
fn awkward_rows() {
    for seed in 0..cases(20) {
        for p in [2.0, 3.0, 4.0, 10.0] {
            let stream = awkward(seed).unit(p);
            for &(schedule, c) in &[("harmonic", 0.4), ("sparse", 0.8), ("cap", 0.5)] {
                let keys = Keys::new(p, schedule, c);
                for form in forms(p) {
                    compare(&keys.spec(form), define(keys)(&stream), &stream, false);
                }
            }
        }
    }
}

/// `form=auto` outgrows the features in the middle of these.
#[test]
fn all_forms_agree() {
    for &kind in MODERATE {
        for seed in 0..cases(3) {
            for p in [2.0, 3.0, 4.0, 7.0, 10.0] {
                let stream = stream(kind, seed, 400).unit(p);
                for &(schedule, c) in SCHEDULES {
                    let keys = Keys::new(p, schedule, c);
                    let runs: Vec<_> = forms(p)
                        .iter()
                        .map(|form| {
                            run(
                                &mut *learner_for(&keys.spec(form), &stream),
                                &stream.samples,
                            )
                        })
                        .collect();
                    for other in &runs[1..] {
                        let context = format!("{} on {}", keys.spec("..."), stream.name);
                        same_trials(&runs[0], other, 1e-9, &context);
                    }
                }
            }
        }
    }
}

/// `c = 0` leaves B alone: the p-norm perceptron, on rows of any length.
#[test]
fn without_c_it_is_the_p_norm_perceptron() {
    for p in [2.0, 3.0, 4.0, 7.0, 10.0] {
        let keys = Keys::new(p, "harmonic", 0.0);
        for form in forms(p) {
            let spec = keys.spec(form);
            let define =
                |s: &Stream| -> Box<dyn Definition> { Box::new(PNorm::new(s.slots(), p, 0.0)) };
            compare_all(&spec, KINDS, 300, define, unchanged, false);
            for seed in 0..cases(6) {
                let stream = stream(Kind::Sparse, seed, 300);
                let a = run(&mut *learner_for(&spec, &stream), &stream.samples);
                let b = run(
                    &mut *learner_for(&format!("p-norm:p={p}"), &stream),
                    &stream.samples,
                );
                assert!(
                    same_trials(&a, &b, 1e-9, &spec),
                    "{spec} on {}",
                    stream.name
                );
            }
        }
    }
}

/// The sparse schedule keeps the rows of some updates only.
#[test]
fn sparse_keeps_fewer_rows() {
    let stream = stream(Kind::Sparse, 1, 300).unit(2.0);
    let kept = |schedule: &str| {
        let spec = format!("higher-order:form=dual,schedule={schedule}");
        let mut learner = learner_for(&spec, &stream);
        let updates = run(&mut *learner, &stream.samples)
            .iter()
            .filter(|t| t.1)
            .count();
        let state = saved(&*learner);
        let rho = state.arrays().find(|(name, _)| *name == "0/rho");
        match rho {
            Some((_, Array::F64(rho))) => (updates, rho.len()),
            other => panic!("{other:?}"),
        }
    };
    let (updates, rows) = kept("harmonic");
    assert_eq!(updates, rows);
    let (updates, rows) = kept("sparse");
    assert!(rows > 0 && rows * 4 < updates * 3, "{rows} of {updates}");
}

/// Rows that are zero may be mistaken and change nothing.
#[test]
fn zero_rows() {
    let stream = stream(Kind::Dense, 2, 200);
    for form in SQUARES {
        let spec = format!("higher-order:form={form}");
        let [with, without] = [true, false].map(|zeros| {
            let normalize = Spec::parse(&spec).unwrap().norm();
            let spec = Spec::parse(&spec).unwrap();
            let mut model = Model::builder(spec).normalize(normalize).build().unwrap();
            let reported = |model: &mut Model, x: Row<'_>, positive: bool| {
                let (number, text) = if positive { (1.0, "+1") } else { (-1.0, "-1") };
                let labels = [RawLabel::new(number, text.as_bytes())];
                model.learn(x, labels).unwrap().is_mistake()
            };
            let mut mistakes = Vec::new();
            for (t, sample) in stream.samples.iter().enumerate() {
                if zeros && t % 3 == 0 {
                    // a mistake, as sgn(0) = +1
                    assert!(reported(&mut model, Row::dense(&[0.0, 0.0]), false));
                }
                mistakes.push(reported(&mut model, sample.row(), sample.positive));
            }
            (mistakes, model.learner().weights(0), model.totals().updates)
        });
        assert_eq!(with, without, "{form}");
    }
}

/// A million features in pairs: refused with the forms that fit; those take them.
#[test]
fn a_million_features() {
    let mut far = Sample::new(vec![1, 1_000_000], vec![1.0, 1.0], false);
    far.divide_by_norm(2.0);
    for (spec, remedy) in [
        ("higher-order:form=primal", "form=dual"),
        ("higher-order:form=primal,p=4", "form=implicit"),
    ] {
        let mut primal = learner_within(spec, 10, 1 << 32);
        let refusal = trial(&mut *primal, far.row(), false).unwrap_err();
        assert!(matches!(refusal, Refusal::Memory { .. }), "{refusal}");
        let said = refusal.remedy().to_string();
        assert!(said.contains(remedy), "{said}");
    }
    for spec in [
        "form=dual",
        "form=auto",
        "form=implicit",
        "p=4",
        "p=4,form=low-rank",
    ] {
        let mut fits = learner_within(&format!("higher-order:{spec}"), 10, 1 << 26);
        assert_eq!(
            trial(&mut *fits, far.row(), false),
            Ok((0.0, true)),
            "{spec}"
        );
    }
}

/// Having changed to the primal form, `auto` grows by pairs, and is asked first whether they fit.
#[test]
fn auto_grows_within_its_memory() {
    for spec in ["higher-order", "higher-order:p=4"] {
        let mut learner = learner_within(spec, 3, 1 << 20);
        for t in 0..20 {
            let value = [1.0, -0.5, t as f32];
            let mut sample = Sample::new(vec![1, 2, 3], value.to_vec(), t % 2 == 0);
            sample.divide_by_norm(2.0);
            trial(&mut *learner, sample.row(), sample.positive).unwrap();
        }
        let far = Row::sparse(&[1, 50_000], &[0.6, 0.8]);
        let refusal = trial(&mut *learner, far, false).unwrap_err();
        assert!(matches!(refusal, Refusal::Memory { .. }), "{refusal}");
        trial(&mut *learner, Row::sparse(&[1, 200], &[0.6, 0.8]), false).unwrap();
    }
}

#[test]
fn the_p_norm_perceptron_is_another_algorithm() {
    let stream = stream(Kind::Dense, 1, 300).unit(2.0);
    let by = PNorm::new(stream.slots(), 2.0, 0.0);
    let differs = std::panic::catch_unwind(move || {
        compare("higher-order", Box::new(by), &stream, false);
    });
    assert!(differs.is_err());
}
