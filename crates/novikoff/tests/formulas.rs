//! The theorems as formulas: the numbers of a run put in, they give the bound that was certified.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use novikoff::catalog::Theorem;
use novikoff::certificate::first_order::FirstOrder;
use novikoff::certificate::{Certificate, PastTrial, Rival, higher_order};
use novikoff::certify::{CertifiedRun, Effort, Formula, MathSymbol, Notation};
use novikoff::kernel::Kernel;
use novikoff::online::higher_order::{HigherOrder, Schedule};
use novikoff::parameter::Parameters;
use novikoff::spec::Spec;

use crate::common::SPECS;
use crate::common::certified::{label, small};
use crate::common::finished::Ended;
use crate::common::stream::Stream;

/// A stream whose rows have length 1.
fn of_length_one(mut stream: Stream) -> Stream {
    for sample in &mut stream.samples {
        let square: f32 = sample.value.iter().map(|v| v * v).sum();
        for value in &mut sample.value {
            *value /= square.sqrt();
        }
    }
    stream
}

/// Rows of zeros and ones with a label that one feature decides.
fn zeros_and_ones(mut stream: Stream) -> Stream {
    for sample in &mut stream.samples {
        for value in &mut sample.value {
            *value = f32::from(u8::from(*value > 0.0));
        }
        sample.positive = sample.value[0] > 0.0;
    }
    stream
}

/// Rows that are unit vectors.
fn unit_vectors(mut stream: Stream) -> Stream {
    for (i, sample) in stream.samples.iter_mut().enumerate() {
        let feature = i * 7 % sample.value.len();
        sample.value.fill(0.0);
        sample.value[feature] = 1.0;
    }
    stream
}

fn has_notation(symbol: &MathSymbol, others: &[&MathSymbol]) -> bool {
    others
        .iter()
        .any(|other| other.notation == symbol.notation && other != &symbol)
}

#[track_caller]
fn examine(spec: &str, answer: &CertifiedRun) {
    let formula = answer.formula.as_ref();
    let formula = formula.unwrap_or_else(|| panic!("{spec}: no formula"));
    let (found, theorem) = (formula.bound.value(), answer.certificate.theorem);
    let wrong = (found - answer.bound).abs();
    assert!(
        wrong <= 1e-6 * answer.bound.abs().max(1.0),
        "{spec}, {theorem}: the formula gives {found}, the certificate {}: {formula:?}",
        answer.bound
    );
    assert_eq!(formula.expected, answer.expected, "{spec}");
    let letter = if answer.counts_updates { "n" } else { "m" };
    assert_eq!(formula.counted.notation, Notation::Letter(letter), "{spec}");
    assert_eq!(formula.counted.value, answer.certificate.counted as f64);
    let symbols = formula.symbols();
    for symbol in &symbols {
        assert!(!symbol.meaning.is_empty(), "{spec}: {symbol:?}");
        assert!(symbol.value.is_finite(), "{spec}: {symbol:?}");
        assert!(!has_notation(symbol, &symbols), "{spec}: {symbol:?} twice");
    }
}

#[test]
fn every_theorem_has_a_formula_that_gives_the_bound() {
    let mut seen = BTreeSet::new();
    for spec in SPECS {
        for seed in 0..12 {
            let any = [small(seed), of_length_one(small(seed))];
            let any = any.into_iter().filter(|_| !spec.starts_with("winnow"));
            for stream in any.chain([zeros_and_ones(small(seed)), unit_vectors(small(seed))]) {
                let ended = Ended::of(spec, "linear", &stream);
                // one in three searches for the vector as the command does
                let effort = if seed % 3 == 0 {
                    Effort::Full
                } else {
                    Effort::Quick
                };
                let Ok(answer) = ended.certify(effort, None) else {
                    continue;
                };
                examine(spec, &answer);
                seen.insert(answer.certificate.theorem);
            }
        }
    }
    for spec in ["second-order", "perceptron", "romma", "second-order:a=pinv"] {
        let ended = Ended::of(spec, "gaussian", &small(3));
        let answer = ended.certify(Effort::Full, None).unwrap();
        examine(spec, &answer);
        seen.insert(answer.certificate.theorem);
    }
    seen.extend(of_given_vectors());
    // the theorems of all learners of the catalogue
    for spec in SPECS.iter().chain(&["second-order"]) {
        let spec = Spec::parse(spec).unwrap();
        let parameters = spec.parameters(Some(4)).unwrap();
        for kernel in [Kernel::LINEAR, Kernel::parse("gaussian").unwrap()] {
            let Ok(theorem) = spec.theorem(&parameters, kernel) else {
                continue;
            };
            for name in theorem.facts().names {
                assert!(seen.contains(name), "{name} was not tried, of {seen:?}");
            }
        }
    }
}

/// T2'' and T12 hardly ever have the smallest bound: vectors are given for them.
fn of_given_vectors() -> BTreeSet<&'static str> {
    let mut seen = BTreeSet::new();
    for seed in 0..60 {
        let stream = small(seed);
        let past = stream.samples.iter().enumerate().map(|(i, s)| PastTrial {
            x: s.row(),
            y: label(s.y()),
            updated: i % 4 == 0,
        });
        let past: Vec<PastTrial<'_>> = past.collect();
        let norms: Vec<f64> = past.iter().map(|t| t.x.norm_sq()).collect();
        for scale in [0.01, 0.3, 5.0] {
            let u: Vec<f64> = stream.planted.iter().map(|w| w * scale).collect();
            let mut check = |theorem: Theorem, certificate: &Certificate| {
                let formula = Formula::of(&theorem, &Parameters::default(), certificate, 0);
                let found = formula.expect("a formula").bound.value();
                let wrong = (found - certificate.bound).abs();
                assert!(wrong <= 1e-6 * found.max(1.0), "{found}, {certificate:?}");
                seen.insert(certificate.theorem);
            };
            let rival = Rival::new(&past, &u);
            let certificate = FirstOrder { margin: 0.0 }.certify(&past, &norms, &rival);
            check(Theorem::FirstOrder { margin: 0.0 }, &certificate);
            for margin in [0.0, 0.2] {
                let by = HigherOrder {
                    schedule: Schedule::Harmonic,
                    c: 0.4,
                    p: 2.0,
                    margin,
                };
                if let Ok(certificate) = higher_order::euclidean(&by, &past, &u) {
                    check(Theorem::HigherOrder { p: 2.0, margin }, &certificate);
                }
            }
        }
    }
    seen
}

#[test]
fn zero_rows_are_a_summand_of_their_own() {
    let mut stream = small(4);
    stream.samples[2].value.fill(0.0);
    let ended = Ended::of("perceptron", "linear", &stream);
    let answer = ended.certify(Effort::Full, None).unwrap();
    examine("perceptron", &answer);
    let formula = answer.formula.unwrap();
    let zero = formula
        .symbols()
        .into_iter()
        .find(|s| s.notation == Notation::Letter("Z"));
    assert_eq!(zero.unwrap().value, 1.0);
}
