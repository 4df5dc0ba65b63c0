//! What the catalogue says of its learners, and catalogues that have other learners.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::SPECS;
use std::collections::BTreeSet;

use novikoff::catalog::{CATALOG, Capabilities, Cost, Entry, Size, SpecParts, Theorem};
use novikoff::kernel::Kernel;
use novikoff::learner::{Learner, Refusal, Trial};
use novikoff::parameter::Key;
use novikoff::row::Row;
use novikoff::spec::Spec;

const SMALL: Size = Size {
    nnz: 10.0,
    features: 100.0,
    updates: 20.0,
    trials: 50.0,
};

fn cost(text: &str, kernel: &str, size: Size) -> Cost {
    let spec = Spec::parse(text).unwrap();
    let parameters = spec.parameters(Some(100)).unwrap();
    let kernel = Kernel::parse(kernel).unwrap();
    (spec.entry().can.cost)(&parameters, kernel, size)
}

/// The names of all theorems are those of `Theorem::facts`; that of the weighted majority is no learner's own.
#[test]
fn every_theorem_is_named() {
    let mut named = BTreeSet::from(["WM"]);
    let defaults = CATALOG.iter().map(|entry| entry.name);
    for text in SPECS.iter().copied().chain(defaults) {
        let spec = Spec::parse(text).unwrap();
        let parameters = spec.parameters(Some(4)).unwrap();
        for kernel in ["linear", "gaussian:gamma=1"] {
            let kernel = Kernel::parse(kernel).unwrap();
            if let Ok(theorem) = spec.theorem(&parameters, kernel) {
                named.extend(theorem.facts().names);
            }
        }
    }
    let listed: BTreeSet<&str> = Theorem::NAMES.iter().copied().collect();
    assert_eq!(named, listed);
}

#[test]
fn costs_are_those_of_the_formulas() {
    for (text, kernel, trial, update) in [
        ("perceptron", "linear", 10.0, 10.0),
        ("averaged", "linear", 10.0, 20.0),
        ("perceptron", "linear:cosine", 200.0, 1.0),
        ("perceptron", "gaussian", 20.0 * 33.0, 1.0),
        ("perceptron", "poly:degree=4", 20.0 * 16.0, 1.0),
        ("p-norm", "linear", 10.0, 210.0),
        ("p-norm:p=2", "linear", 10.0, 20.0),
        ("second-order:form=primal", "linear", 10.0, 11_000.0),
        (
            "second-order:form=primal,margin=1",
            "linear",
            1010.0,
            11_000.0,
        ),
        ("second-order:form=dual", "linear", 10.0, 600.0),
        ("second-order", "linear", 10.0, 600.0),
        ("second-order:margin=1", "linear", 610.0, 600.0),
        ("second-order", "linear:cosine", 200.0, 400.0),
        ("second-order:form=diagonal", "linear", 20.0, 20.0),
        (
            "second-order:form=sketch,rank=4",
            "linear",
            40.0,
            40.0 + 16.0 + 104.0,
        ),
        ("second-order:a=pinv", "linear", 2010.0, 2400.0),
        ("second-order:a=adaptive", "linear", 10.0, 12_000.0),
        ("higher-order", "linear", 10.0, 600.0),
        ("higher-order:p=4", "linear", 10.0, 300.0),
        ("higher-order:form=primal", "linear", 10.0, 1100.0),
        ("arow:form=full", "linear", 10.0, 11_000.0),
        ("max-margin", "linear", 10.0, 2300.0),
        ("forgetron:budget=7", "linear", 10.0, 27.0),
        ("forgetron:budget=7", "linear:cosine", 70.0, 9.0),
        ("projectron", "linear", 10.0, 600.0),
        ("selective", "linear", 10.0, 10.0),
        (
            "selective(second-order:form=primal)",
            "linear",
            1010.0,
            11_000.0,
        ),
    ] {
        let want = Cost { trial, update };
        assert_eq!(cost(text, kernel, SMALL), want, "{text} {kernel}");
    }
    // the cheapest form changes when the updates are many
    let many = Size {
        updates: 1000.0,
        ..SMALL
    };
    let auto = cost("second-order", "linear", many);
    assert_eq!(auto, cost("second-order:form=primal", "linear", many));
}

#[test]
fn no_learner_is_free_and_larger_trials_cost_no_less() {
    let larger = [
        Size { nnz: 11.0, ..SMALL },
        Size {
            features: 110.0,
            ..SMALL
        },
        Size {
            updates: 22.0,
            ..SMALL
        },
        Size {
            trials: 55.0,
            ..SMALL
        },
    ];
    for entry in CATALOG {
        for kernel in ["linear", "gaussian"] {
            if kernel != "linear" && entry.build_with.is_none() {
                continue;
            }
            let small = cost(entry.name, kernel, SMALL);
            assert!(small.trial >= 10.0 && small.update > 0.0, "{}", entry.name);
            for size in larger {
                let large = cost(entry.name, kernel, size);
                let more = large.trial >= small.trial && large.update >= small.update;
                assert!(more, "{} {size:?}", entry.name);
            }
        }
    }
}

/// Whether a learner refuses rows with negative values.
fn refuses_negative(learner: &mut dyn Learner) -> bool {
    if learner.surveys() {
        learner.survey(Row::dense(&[0.0, -1.0])).unwrap();
        learner.surveyed();
    }
    let refused = learner.trial(Row::dense(&[0.0, -1.0]), &[0], &mut Trial::default());
    assert!(matches!(refused, Ok(()) | Err(Refusal::Negative { .. })));
    refused.is_err()
}

#[test]
fn what_is_said_of_learners_is_what_they_do() {
    for text in SPECS {
        let spec = Spec::parse(text).unwrap();
        let parameters = spec.parameters(Some(10)).unwrap();
        let entry = spec.entry();
        let mut learner = (entry.build)(&parameters, 1 << 30);
        assert_eq!(learner.is_weighted(), entry.can.weighted, "{text}");
        assert_eq!(learner.surveys(), entry.can.needs_all_rows, "{text}");
        assert!(!(entry.can.needs_all_rows && entry.can.obeys_half_stream_law));
        assert_eq!(
            learner.zero_margin() != 0.0,
            entry.can.has_threshold,
            "{text}"
        );
        assert_eq!(
            refuses_negative(&mut *learner),
            entry.can.needs_non_negative,
            "{text}"
        );
        if let Ok(theorem) = spec.theorem(&parameters, Kernel::LINEAR) {
            assert!(!theorem.facts().names.is_empty(), "{text}");
        }
    }
}

/// A learner from elsewhere, and one that has learners in parentheses.
const LARGER: &[Entry] = &[
    Entry {
        name: "twofold",
        summary: "for this test",
        keys: &[Key::real("share", "0", "of a test").from(0.0)],
        pairs: false,
        build: |p, memory| (CATALOG[0].build)(p, memory),
        build_with: None,
        can: Capabilities {
            parts: SpecParts::Learners,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "plain",
        summary: "for this test",
        keys: &[],
        pairs: false,
        build: |p, memory| (CATALOG[0].build)(p, memory),
        build_with: None,
        can: Capabilities::PLAIN,
    },
];

#[test]
fn a_catalogue_may_have_other_learners() {
    let text = "twofold(plain; twofold(plain@bias=1; plain):share=1):share=2";
    let spec = Spec::parse_in(LARGER, text).unwrap();
    assert_eq!(spec.parts().len(), 2);
    assert_eq!(
        spec.parts()[1].to_string(),
        "twofold(plain@bias=1; plain):share=1"
    );
    assert!(spec.parts()[1].parts()[0].preparation().is_some());
    assert!(spec.same(&Spec::parse_in(LARGER, text).unwrap()));
    let other = "twofold(plain; twofold(plain; plain):share=1):share=2";
    assert!(!spec.same(&Spec::parse_in(LARGER, other).unwrap()));
    let shorter = Spec::parse_in(LARGER, "twofold(plain):share=2").unwrap();
    assert!(!spec.same(&shorter) && !shorter.same(&spec));
    let said = Spec::parse_in(LARGER, "perceptron")
        .unwrap_err()
        .to_string();
    assert_eq!(
        said,
        "no learner is called `perceptron`; the learners are twofold, plain"
    );
    let said = Spec::parse("plain").unwrap_err().to_string();
    assert!(said.contains("the learners are perceptron"), "{said}");
}
