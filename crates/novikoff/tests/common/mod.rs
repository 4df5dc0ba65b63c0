//! What the tests share: learners by spec, random streams, states compared bit by bit.

// every test binary uses its own part of this room; definitions take std's exp, ln and powf, so as
// not to share those of the code under test
#![allow(
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::needless_range_loop
)]

pub(crate) mod bound;
pub(crate) mod certified;
pub(crate) mod compare;
pub(crate) mod definition;
#[cfg(feature = "linalg")]
pub(crate) mod finished;
pub(crate) mod gram;
pub(crate) mod gram_second_order;
pub(crate) mod higher_order;
pub(crate) mod labelled;
pub(crate) mod logistic;
pub(crate) mod majority;
pub(crate) mod matrix;
pub(crate) mod multiplicative;
pub(crate) mod planted;
pub(crate) mod quadratic;
pub(crate) mod second;
pub(crate) mod second_order;
pub(crate) mod twofold;

use novikoff::catalog::{CATALOG, Capabilities};
use novikoff::learner::Learner;
use novikoff::spec::Spec;
use novikoff_testkit::{OneClass, Peculiar, Score, Subject};

use self::stream::{Kind, Stream};

pub(crate) use novikoff_testkit::harness::{
    MEMORY, assert_finite, assert_same_state, cases, run, same_trials, saved, score, state_bits,
    survey, trial, visit,
};
pub(crate) use novikoff_testkit::stream;

/// One spec of every catalogue entry, and the variants that run other code.
pub(crate) const SPECS: &[&str] = &[
    "perceptron",
    "perceptron:margin=0.5",
    "averaged",
    "voted",
    "p-norm",
    "p-norm:p=2",
    "p-norm:p=3.5",
    "p-norm:p=auto",
    "p-norm:margin=0.5",
    "winnow",
    "winnow:alpha=2,theta=3",
    "balanced-winnow",
    "eg",
    "eg:eta=2",
    "normalised-winnow",
    "normalised-winnow:eta=0.5,theta=-0.3",
    "normalised-perceptron",
    "normalised-perceptron:eta=3",
    #[cfg(feature = "linalg")]
    "whitened",
    #[cfg(feature = "linalg")]
    "whitened:ridge=0.5",
    "second-order",
    "second-order:a=0.3,margin=0.2",
    "second-order:form=primal",
    "second-order:form=primal,margin=0.2",
    "second-order:form=dual",
    "second-order:form=dual,margin=0.2",
    "second-order:a=adaptive",
    "second-order:a=adaptive,c=1,r2=40,margin=0.05",
    "second-order:a=adaptive,form=primal",
    "second-order:a=adaptive,form=primal,c=1,r2=40,margin=0.05",
    "second-order:a=adaptive,form=dual",
    "second-order:a=pinv",
    "second-order:a=pinv,margin=0.1",
    "second-order:a=pinv,form=dual",
    "second-order:form=diagonal",
    "second-order:form=diagonal,margin=0.2",
    "second-order:form=sketch,rank=4",
    "second-order:form=sketch,rank=2,margin=0.1",
    "higher-order",
    "higher-order:c=0.8,margin=0.2",
    "higher-order:form=primal,schedule=constant,c=0.1",
    "higher-order:form=dual",
    "higher-order:form=dual,schedule=sparse,c=0.8,margin=0.1",
    "higher-order:form=implicit,schedule=cap,c=0.7",
    "higher-order:form=low-rank",
    "higher-order:p=4",
    "higher-order:p=3.5,c=0",
    "higher-order:p=4,form=primal",
    "higher-order:p=4,form=implicit,schedule=sparse,margin=0.1",
    "higher-order:p=7,form=low-rank,c=0.2",
    "alma",
    "alma:p=4,alpha=0.5",
    "passive-aggressive:variant=pa",
    "passive-aggressive",
    "passive-aggressive:variant=2",
    "romma",
    "romma:noise=0.5",
    "romma:aggressive",
    "romma:aggressive,noise=2",
    "romma:start=phi0",
    "max-margin",
    "max-margin:noise=0.5",
    "max-margin:start=phi0",
    "arow",
    "arow:form=full",
    "logistic",
    "forgetron",
    "forgetron:budget=7",
    "random-budget",
    "random-budget:budget=7,seed=3",
    "projectron",
    "projectron:eta=1.5",
    "projectron:plus,eta=0.5",
    "shifting",
    "shifting:lambda=1",
    "selective",
    "selective:b=5,seed=9,margin=0.5",
    "selective:base=second-order",
    "selective:base=second-order,form=primal,a=0.5,b=0.2",
    "selective:base=second-order,form=dual,margin=0.2",
    "auto(perceptron; passive-aggressive@normalize=2,bias=1)",
    "auto(perceptron; passive-aggressive@normalize=2,bias=1):beta=0.5,share=0.01",
    "auto(logistic@bias=1; perceptron:margin=0.5@bias=1):cost=3",
];

/// Examines every spec and names all that fail; their messages are printed above.
pub(crate) fn every_spec(examine: impl Fn(&'static str) + std::panic::RefUnwindSafe) {
    let fails = |spec: &&&'static str| std::panic::catch_unwind(|| examine(spec)).is_err();
    let failed: Vec<_> = SPECS.iter().filter(fails).collect();
    assert!(failed.is_empty(), "broken by {failed:?}");
}

/// A learner of the catalogue, with what is peculiar to it.
pub(crate) fn subject(spec: &str) -> Subject {
    let subject = Subject::parse_in(CATALOG, spec).unwrap();
    subject.with(peculiar(spec))
}

/// Every spec of [`SPECS`].
pub(crate) fn subjects() -> Vec<Subject> {
    SPECS.iter().map(|spec| subject(spec)).collect()
}

fn peculiar(spec: &str) -> Peculiar {
    let is = |name: &str| spec.split(':').next() == Some(name);
    let slow = ["form=dual", "form=implicit", "form=low-rank", "max-margin"];
    Peculiar {
        score: match spec {
            "voted" => Score::Other,
            _ if spec.starts_with("auto") => Score::Other,
            "alma:p=4,alpha=0.5" => Score::OverNorm(4.0),
            _ if is("alma") => Score::OverNorm(2.0),
            _ => Score::Linear,
        },
        fresh_weight: if is("winnow") { 1.0 } else { 0.0 },
        one_class: match spec {
            _ if spec.starts_with("second-order:form=diagonal") => OneClass::LearnedByMargin,
            // positive weights that sum to 1 cannot turn every row away
            _ if is("normalised-winnow") => OneClass::PositiveOnly,
            _ => OneClass::Learned,
        },
        has_exact_sums: is("perceptron") || is("averaged") || is("voted"),
        is_slow: slow.iter().any(|form| spec.contains(form)),
        // that of auto is its cost
        shares_budget: is("forgetron") || is("random-budget") || spec.starts_with("auto"),
        // models written before budgets were shared do not have the last
        free_arrays: if is("forgetron") || is("random-budget") {
            &["weights", "budget-of-model"]
        } else if spec.starts_with("auto") {
            &["expert/0/learner/weights", "expert/1/learner/weights"]
        } else if has_free_arrays(spec) {
            &["weights", "whitening"]
        } else {
            &[]
        },
    }
}

/// The length of `weights` alone says how many features a learner without other vectors has, and the surveyed matrix may be
/// smaller than that. So it is for those that keep rows, or as many pairs as their updates had.
fn has_free_arrays(spec: &str) -> bool {
    let spec = format!("{spec}, ");
    let free = [
        "perceptron",
        "normalised-perceptron",
        "passive-aggressive",
        "romma",
        "max-margin",
        "voted",
        "whitened",
        "second-order, ",
        "second-order:a=",
        "second-order:form=dual",
        "higher-order, ",
        "higher-order:c=",
        "forgetron",
        "random-budget",
        "projectron",
        "shifting",
        "selective, ",
        "selective:b=",
        "selective:base=second-order, ",
        "selective:base=second-order,form=dual",
    ];
    free.iter().any(|free| spec.starts_with(free))
}

/// A learner for `width` features that may use `memory` bytes.
pub(crate) fn learner_within(spec: &str, width: u32, memory: u128) -> Box<dyn Learner> {
    subject(spec).learner_within(width, memory)
}

/// A learner for `width` features.
pub(crate) fn learner(spec: &str, width: u32) -> Box<dyn Learner> {
    subject(spec).learner(width)
}

/// A learner that has surveyed the stream if it wants to.
pub(crate) fn learner_for(spec: &str, stream: &Stream) -> Box<dyn Learner> {
    subject(spec).learner_for(stream)
}

/// A learner loaded from another one's state, with nothing left over.
pub(crate) fn reloaded(spec: &str, width: u32, from: &dyn Learner) -> Box<dyn Learner> {
    subject(spec).reloaded(width, from)
}

/// A stream that a learner takes.
pub(crate) fn stream_for(spec: &str, kind: Kind, seed: u64, n: usize) -> Stream {
    subject(spec).stream(kind, seed, n)
}

/// What the catalogue says of a learner.
pub(crate) fn abilities(spec: &str) -> Capabilities {
    Spec::parse(spec).unwrap().entry().can
}

/// The norm by which a learner wants its rows divided.
pub(crate) fn norm_for(spec: &str) -> Option<f64> {
    Spec::parse(spec).unwrap().norm()
}
