//! Which theorem a learner's mistakes obey, and what kind of theorem that is.

use crate::certificate::{Certificate, PastTrial, Rival};
use crate::online::passive_aggressive::Variant;
use crate::parameter::Parameters;

/// A theorem, with the values that its bound depends on. `certify` evaluates it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Theorem {
    /// Additive updates.
    FirstOrder {
        /// Right answers up to this margin were corrected too.
        margin: f64,
    },
    /// Additive updates, seen through a p-norm.
    PNorm {
        /// The norm.
        p: f64,
        /// Right answers up to this margin were corrected too.
        margin: f64,
    },
    /// Multiplicative updates, weights normalised.
    ExponentiatedGradient {
        /// The learning rate.
        eta: f64,
    },
    /// Multiplicative updates against a threshold.
    Winnow {
        /// The factor of an update.
        alpha: f64,
        /// The threshold.
        theta: f64,
    },
    /// A perceptron in a metric fixed beforehand.
    Whitened {
        /// What was added to the diagonal.
        ridge: f64,
    },
    /// Online maximum margins.
    MaximumMargin {
        /// Right answers of a margin below 1 were corrected too.
        aggressive: bool,
        /// Square of the feature that each example has of its own.
        noise: f64,
    },
    /// Passive-aggressive updates.
    PassiveAggressive {
        /// Which of them.
        variant: Variant,
    },
    /// The second-order perceptron.
    SecondOrder {
        /// What is added to the correlation matrix.
        added: Added,
        /// Right answers up to this margin were corrected too.
        margin: f64,
        /// In the space of a kernel.
        kernel: bool,
    },
    /// The higher-order perceptron.
    HigherOrder {
        /// The norm.
        p: f64,
        /// Right answers up to this margin were corrected too.
        margin: f64,
    },
    /// Approximate maximal margins.
    Alma {
        /// The norm.
        p: f64,
        /// How far from the maximum.
        alpha: f64,
    },
    /// Adaptive regularisation with a full matrix.
    Arow {
        /// Its regulariser.
        r: f64,
    },
    /// Bets on every feature.
    Logistic,
    /// A budget of rows whose weights shrink.
    Forgetron {
        /// The budget.
        budget: usize,
    },
    /// Rows projected on those that are kept.
    Projectron {
        /// How far they may be.
        eta: f64,
    },
    /// Targets that move.
    Shifting {
        /// How fast old mistakes fade.
        lambda: f64,
    },
    /// Labels asked for at random.
    Selective {
        /// Whether the learner is of the second order.
        second_order: bool,
    },
    /// A theorem that was written outside of this library.
    Own(OwnTheorem),
}

/// A theorem of a learner that was written outside of this library.
#[derive(Clone, Copy, Debug)]
pub struct OwnTheorem {
    /// What kind of theorem it is. It is given the rows themselves.
    pub facts: TheoremFacts,
    /// Its bound for the trials of a run, of rows that are not zero, and one vector to compete with.
    pub bound: BoundOf,
}

/// From the trials of a run and a vector to compete with to the bound.
pub type BoundOf = fn(&Parameters, &[PastTrial<'_>], &Rival) -> Certificate;

impl PartialEq for OwnTheorem {
    fn eq(&self, other: &Self) -> bool {
        self.facts == other.facts
    }
}

/// What is added to the correlation matrix of the second-order perceptron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// A fixed multiple of the identity.
    Fixed,
    /// One that grows.
    Adaptive,
    /// Nothing: the pseudo-inverse is taken.
    Nothing,
}

/// What kind of theorem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TheoremFacts {
    /// Its short names; a certificate has one of them.
    pub names: &'static [&'static str],
    /// The bound is of what is expected, over the learner's coins; else of every run.
    pub expected: bool,
    /// It counts updates, not mistakes.
    pub counts_updates: bool,
    /// It says something of separable rows only.
    pub needs_separable: bool,
    /// What it knows of rows.
    pub rows: RowKnowledge,
}

/// What a theorem knows of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKnowledge {
    /// `|x|^2` and `U.x` alone.
    LengthAndProduct,
    /// All their values.
    Values,
}

impl Theorem {
    /// The short names of all theorems of this library, and that of the weighted majority. Tests that go through all theorems go
    /// through these.
    pub const NAMES: &[&str] = &[
        "T1", "T2", "T2''", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "T12", "T13",
        "T14", "T15", "T16", "PA", "PA-I", "PA-I'", "PA-II", "PA-II'", "AROW", "LR", "9.1", "9.2",
        "9.3", "9.4", "9.6", "9.7", "WM",
    ];

    /// What kind of theorem it is.
    pub fn facts(&self) -> TheoremFacts {
        let sure = |names| TheoremFacts {
            names,
            expected: false,
            counts_updates: false,
            needs_separable: false,
            rows: RowKnowledge::Values,
        };
        let short = |names| TheoremFacts {
            rows: RowKnowledge::LengthAndProduct,
            ..sure(names)
        };
        match *self {
            Theorem::Own(own) => own.facts,
            Theorem::FirstOrder { margin } if margin > 0.0 => TheoremFacts {
                counts_updates: true,
                ..short(&["T3"])
            },
            Theorem::FirstOrder { .. } => short(&["T1", "T2", "T2''"]),
            Theorem::PNorm { margin, .. } => TheoremFacts {
                counts_updates: margin > 0.0,
                ..sure(&["T4"])
            },
            Theorem::ExponentiatedGradient { .. } => sure(&["T5"]),
            Theorem::Winnow { .. } => TheoremFacts {
                needs_separable: true,
                ..sure(&["T6"])
            },
            Theorem::Whitened { .. } => TheoremFacts {
                needs_separable: true,
                ..sure(&["T7"])
            },
            Theorem::MaximumMargin { aggressive, noise } => TheoremFacts {
                needs_separable: noise == 0.0,
                ..short(match (noise > 0.0, aggressive) {
                    (true, _) => &["T16"],
                    (false, true) => &["T15"],
                    (false, false) => &["T14"],
                })
            },
            Theorem::PassiveAggressive { variant } => short(match variant {
                Variant::Hard => &["PA"],
                Variant::Capped => &["PA-I", "PA-I'"],
                Variant::Softened => &["PA-II", "PA-II'"],
            }),
            Theorem::SecondOrder {
                added,
                margin,
                kernel,
            } => TheoremFacts {
                counts_updates: margin > 0.0,
                ..sure(match (kernel, added) {
                    (true, Added::Fixed) => &["T9"],
                    (false, Added::Fixed) => &["T8"],
                    (_, Added::Adaptive) => &["T10"],
                    (_, Added::Nothing) => &["T11"],
                })
            },
            Theorem::HigherOrder { p, margin } => TheoremFacts {
                counts_updates: margin > 0.0,
                ..sure(if p == 2.0 { &["T12", "T13"] } else { &["T13"] })
            },
            Theorem::Alma { .. } => TheoremFacts {
                counts_updates: true,
                needs_separable: true,
                ..sure(&["9.3"])
            },
            Theorem::Arow { .. } => sure(&["AROW"]),
            Theorem::Logistic => sure(&["LR"]),
            Theorem::Forgetron { .. } => sure(&["9.4"]),
            Theorem::Projectron { .. } => sure(&["9.6"]),
            Theorem::Shifting { .. } => sure(&["9.7"]),
            Theorem::Selective { second_order } => TheoremFacts {
                expected: true,
                ..sure(if second_order { &["9.2"] } else { &["9.1"] })
            },
        }
    }
}
