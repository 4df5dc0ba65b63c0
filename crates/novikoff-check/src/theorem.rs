//! All theorems by name: the learners that each is about, its function, and what that costs.

use crate::cost::{self, Size};
use crate::view::{Said, View};
use crate::{
    budget, higher_order, logistic, margin, multiplicative, passive_aggressive, perceptron,
    second_order, selective, shifting,
};

/// A theorem.
pub(crate) struct Entry {
    name: &'static str,
    /// The learners that it is about.
    pub(crate) learners: &'static [&'static str],
    /// What it says of a run.
    pub(crate) evaluate: fn(&View<'_>) -> Result<Said, String>,
    /// About how many multiplications that takes, beside those of `U.x`.
    pub(crate) cost: fn(&Size) -> f64,
}

const fn theorem(
    name: &'static str,
    learners: &'static [&'static str],
    evaluate: fn(&View<'_>) -> Result<Said, String>,
    cost: fn(&Size) -> f64,
) -> Entry {
    Entry {
        name,
        learners,
        evaluate,
        cost,
    }
}

const PERCEPTRONS: &[&str] = &["perceptron", "averaged", "voted"];
const SECOND_ORDER: &[&str] = &["second-order"];
const HIGHER_ORDER: &[&str] = &["higher-order"];
const MAXIMUM_MARGIN: &[&str] = &["romma", "max-margin"];
const PASSIVE_AGGRESSIVE: &[&str] = &["passive-aggressive"];
const SELECTIVE: &[&str] = &["selective"];

#[rustfmt::skip] // a table
const THEOREMS: &[Entry] = &[
    theorem("T1", PERCEPTRONS, perceptron::t1, cost::sums),
    theorem("T2", PERCEPTRONS, perceptron::t2, cost::sums),
    theorem("T2''", PERCEPTRONS, perceptron::t2_squared, cost::sums),
    theorem("T3", &["perceptron"], perceptron::t3, cost::sums),
    theorem("T4", &["p-norm"], multiplicative::t4, cost::sums),
    theorem("T5", &["eg", "balanced-winnow"], multiplicative::t5, cost::sums),
    theorem("T6", &["winnow"], multiplicative::t6, cost::sums),
    theorem("T7", &["whitened"], margin::t7, cost::eigenvalues),
    theorem("T8", SECOND_ORDER, |view| second_order::t8(view, false), cost::matrices),
    theorem("T9", SECOND_ORDER, |view| second_order::t8(view, true), cost::matrices),
    theorem("T10", SECOND_ORDER, second_order::t10, cost::matrices),
    theorem("T11", SECOND_ORDER, second_order::t11, cost::pseudo_inverses),
    theorem("T12", HIGHER_ORDER, higher_order::t12, cost::pairs),
    theorem("T13", HIGHER_ORDER, higher_order::t13, cost::pairs),
    theorem("T14", MAXIMUM_MARGIN, |view| margin::t14(view, false), cost::sums),
    theorem("T15", &["romma"], |view| margin::t14(view, true), cost::sums),
    theorem("T16", MAXIMUM_MARGIN, margin::t16, cost::sums),
    theorem("PA", PASSIVE_AGGRESSIVE, passive_aggressive::pa, cost::sums),
    theorem("PA-I", PASSIVE_AGGRESSIVE, passive_aggressive::pa_1, cost::sums),
    theorem("PA-I'", PASSIVE_AGGRESSIVE, passive_aggressive::pa_1_shares, cost::sums),
    theorem("PA-II", PASSIVE_AGGRESSIVE, passive_aggressive::pa_2, cost::sums),
    theorem("PA-II'", PASSIVE_AGGRESSIVE, passive_aggressive::pa_2_shares, cost::sums),
    theorem("AROW", &["arow"], second_order::arow, cost::matrices),
    theorem("LR", &["logistic"], logistic::bound, cost::bettors),
    theorem("9.1", SELECTIVE, selective::perceptron, cost::sums),
    theorem("9.2", SELECTIVE, selective::second_order, cost::matrix_of_all),
    theorem("9.3", &["alma"], margin::alma, cost::sums),
    theorem("9.4", &["forgetron"], budget::forgetron, cost::pairs),
    theorem("9.6", &["projectron"], budget::projectron, cost::sums),
    theorem("9.7", &["shifting"], shifting::shifting, cost::vectors),
];

/// The names of all theorems. That of the weighted majority, WM, is evaluated by [`MajorityRun`](crate::MajorityRun).
pub fn names() -> impl Iterator<Item = &'static str> {
    THEOREMS.iter().map(|entry| entry.name)
}

pub(crate) fn entry(name: &str) -> Result<&'static Entry, String> {
    let found = THEOREMS.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| format!("there is no theorem {name} here"))
}
