//! Validation: the errors that a model counts on the way are those of copies taken before each trial.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::labelled::{Labels, labelled, learn, model_for};
use common::{cases, every_spec};
use novikoff::kernel::Kernel;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, NotValidated};
use novikoff::rows::Rows;
use novikoff::run::Ledger;
use novikoff::spec::Spec;

const KERNELS: [&str; 2] = ["poly:degree=2", "gaussian:gamma=0.5"];

/// By the definition: what a copy of the model that was never asked to validate says of a row before it is learned.
fn is_wrong(model: &Model, by: Option<Hypothesis>, rows: &Rows, i: usize) -> bool {
    let mut scores = Vec::new();
    model.scores(rows.row(i), by, &mut scores);
    model.is_wrong(&scores, rows.view().labels(i))
}

/// Runs two models, one that validates; they learn the same, and their counts agree on every trial.
fn examine(mut model: Model, rows: &Rows, by: Option<Hypothesis>, context: &str) -> u64 {
    let mut plain = model.clone();
    model.validate(by).unwrap();
    let mut errors = 0;
    for i in 0..rows.len() {
        errors += u64::from(is_wrong(&plain.clone(), by, rows, i));
        learn(&mut plain, rows, i);
        learn(&mut model, rows, i);
        let counted = model.validation().unwrap();
        assert_eq!(
            (counted.rows, counted.errors),
            (i as u64 + 1, errors),
            "{context}: row {i}"
        );
    }
    assert_eq!(model.totals(), plain.totals(), "{context}");
    errors
}

#[test]
fn it_is_what_copies_say_before_each_trial() {
    every_spec(|text| {
        let spec = Spec::parse(text).unwrap();
        for seed in 0..cases(1) {
            for labels in Labels::ALL {
                let rows = labelled(&spec, labels, seed, 60);
                let model = model_for(&spec, (labels, &rows), Kernel::LINEAR, |b| b).unwrap();
                for &by in model.learner().hypotheses() {
                    let context = format!("{text}, {labels:?}, {}, {seed}", by.name());
                    examine(model.clone(), &rows, Some(by), &context);
                }
            }
        }
    });
}

#[test]
fn averages_that_are_kept_are_validated_too() {
    every_spec(|text| {
        let spec = Spec::parse(text).unwrap();
        if !(spec.entry().can.additive)(&spec.parameters(Some(1000)).unwrap()) {
            return;
        }
        for labels in Labels::ALL {
            let rows = labelled(&spec, labels, 5, 50);
            let of = (labels, &rows);
            let model = model_for(&spec, of, Kernel::LINEAR, |b| b.averaged(true)).unwrap();
            assert_eq!(model.learner().hypotheses()[0], Hypothesis::Averaged);
            let averaged = examine(model.clone(), &rows, None, text);
            let last = examine(model, &rows, Some(Hypothesis::Final), text);
            assert!(averaged > 0 && last > 0, "{text}, {labels:?}");
        }
    });
}

#[test]
fn rows_are_prepared_and_kernels_are_asked() {
    every_spec(|text| {
        let spec = Spec::parse(text).unwrap();
        for labels in Labels::ALL {
            let rows = labelled(&spec, labels, 11, 40);
            let prepared = |p| {
                let of = (labels, &rows);
                model_for(&spec, of, Kernel::LINEAR, |b| {
                    b.bias(Some(1.0)).normalize(p)
                })
                .unwrap()
            };
            let context = format!("{text}, {labels:?}");
            for p in [Some(2.0), Some(1.0)] {
                let model = prepared(p);
                let by = model.learner().hypotheses()[0];
                examine(model, &rows, Some(by), &context);
            }
            for kernel in KERNELS {
                let kernel = Kernel::parse(kernel).unwrap();
                let Some(model) = model_for(&spec, (labels, &rows), kernel, |b| b) else {
                    continue;
                };
                let context = format!("{context}, {kernel}");
                for &by in model.learner().hypotheses() {
                    if by == Hypothesis::Averaged {
                        let why = model.clone().validate(Some(by));
                        assert_eq!(why, Err(NotValidated::KernelAverage), "{context}");
                    } else {
                        examine(model.clone(), &rows, Some(by), &context);
                    }
                }
            }
        }
    });
}

#[test]
fn a_vote_is_counted_only_where_it_is_asked_for() {
    let spec = Spec::parse("voted").unwrap();
    let rows = labelled(&spec, Labels::Two, 1, 20);
    let of = (Labels::Two, &rows);
    let model = model_for(&spec, of, Kernel::LINEAR, |b| b).unwrap();
    assert_eq!(model.clone().validate(None), Err(NotValidated::Vote));
    examine(model, &rows, Some(Hypothesis::Voted), "voted");
}

/// The ledger has the first epoch's, however many follow, and a clone of the model counts on from the same numbers.
#[test]
fn the_first_epoch_counts() {
    let spec = Spec::parse("averaged").unwrap();
    let rows = labelled(&spec, Labels::Many, 2, 50);
    let of = (Labels::Many, &rows);
    let mut model = model_for(&spec, of, Kernel::LINEAR, |b| b).unwrap();
    let mut ledger = Ledger::begin(&mut model);
    model.validate(None).unwrap();
    let errors = examine(model.clone(), &rows, None, "averaged");
    for _ in 0..3 {
        (0..rows.len()).for_each(|i| learn(&mut model, &rows, i));
        ledger.end_epoch(&mut model);
        let counted = ledger.validation.unwrap();
        assert_eq!((counted.rows, counted.errors), (50, errors));
        assert_eq!(model.validation(), None);
    }
}
