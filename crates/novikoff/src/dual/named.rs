//! Losses and regularisers by name, as they are typed: `name` or `name:key=value,key=value,flag`.

use super::loss::{AnyLoss, Exponential, Likelihood, Logistic, Margin, Regression};
use super::prior::{Prior, PriorKind};
use super::regulariser::{
    Entropy, NonNegative, PNormRegulariser, PPower, Piecewise, Separable, Square,
    UnnormalisedEntropy,
};
use crate::grammar::{self, Expression, GrammarError, Sort};
use crate::parameter::{Key, Value};
use crate::remedy::Remedy;

/// A loss or a regulariser of the catalogue; `B` builds it.
#[doc(hidden)] // shown as LossEntry and RegulariserEntry
#[derive(Debug)]
pub struct NamedEntry<B: 'static> {
    /// As typed.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    build: B,
}

/// A loss from the values of its keys.
type BuildLoss = fn(&KeyValues) -> AnyLoss;

/// A regulariser from the values of its keys and a prior.
type BuildRegulariser = fn(&KeyValues, &Prior<'_>) -> Result<AnyRegulariser, NameError>;

/// A loss of the catalogue.
pub type LossEntry = NamedEntry<BuildLoss>;

/// A regulariser of the catalogue.
pub type RegulariserEntry = NamedEntry<BuildRegulariser>;

const fn entry<B>(
    name: &'static str,
    summary: &'static str,
    keys: &'static [Key],
    build: B,
) -> NamedEntry<B> {
    NamedEntry {
        name,
        summary,
        keys,
        build,
    }
}

const SIGNED: Key = Key::flag("signed", "weights of both signs");
const PRIOR: Key = Key::text(
    "prior",
    "",
    "a file with a number for each weight, the constant feature last; without it all are alike",
    |path| !path.is_empty(),
);
const EPS: Key = Key::real("eps", "0.1", "distances up to this cost nothing")
    .from(0.0)
    .to(1e6);
const P: Key = Key::real("p", "1.5", "the norm").from(1.01).to(100.0);
const KINK: Key = Key::real("tau", "1", "where the two parts meet")
    .above(0.0)
    .to(1e6);
const ABSOLUTE: Key = Key::real("tau", "1", "weight of |w|").above(0.0).to(1e6);
const LARGEST: Key = Key::real("tau", "1", "the largest magnitude of a weight")
    .above(0.0)
    .to(1e6);
const RIDGE: Key = Key::real("eps", "0.1", "weight of the square beside it")
    .from(1e-9)
    .to(1e6);

/// All losses.
pub const LOSSES: &[LossEntry] = &[
    entry(
        "hinge",
        "max(0, 1-t): the support vector machine",
        &[],
        |_| AnyLoss::Margin(Margin::HINGE),
    ),
    entry("squared-hinge", "max(0, 1-t)^2", &[], |_| {
        AnyLoss::Margin(Margin::SQUARED_HINGE)
    }),
    entry(
        "smoothed-hinge",
        "hinge with a parabola at its corner",
        &[Key::real("gamma", "1", "how wide the parabola is")
            .above(0.0)
            .to(1e6)],
        |key| AnyLoss::Margin(Margin::smoothed_hinge(key.real(0))),
    ),
    entry(
        "modified-huber",
        "a parabola, from t = -1 down a line",
        &[],
        |_| AnyLoss::Margin(Margin::MODIFIED_HUBER),
    ),
    entry("logistic", "ln(1 + e^-t)", &[], |_| {
        AnyLoss::Logistic(Logistic)
    }),
    entry("exponential", "e^-t", &[], |_| {
        AnyLoss::Exponential(Exponential)
    }),
    entry("squared", "(t-y)^2/2", &[], |_| {
        AnyLoss::Regression(Regression::SQUARED)
    }),
    entry(
        "huber",
        "a parabola near the target, lines beyond",
        &[Key::real("delta", "1", "how far the parabola reaches")
            .above(0.0)
            .to(1e6)],
        |key| AnyLoss::Regression(Regression::huber(key.real(0))),
    ),
    entry("absolute", "|t-y|", &[], |_| {
        AnyLoss::Regression(Regression::ABSOLUTE)
    }),
    entry("eps-insensitive", "max(0, |t-y|-eps)", &[EPS], |key| {
        AnyLoss::Regression(Regression::insensitive(key.real(0)))
    }),
    entry(
        "squared-eps-insensitive",
        "max(0, |t-y|-eps)^2/2",
        &[EPS],
        |key| AnyLoss::Regression(Regression::squared_insensitive(key.real(0))),
    ),
    entry(
        "max-entropy",
        "squared, for a distribution of given means; with entropy",
        &[],
        |_| AnyLoss::Regression(Regression::SQUARED),
    ),
    entry(
        "likelihood",
        "-ln t, for mixtures of densities",
        &[],
        |_| AnyLoss::Likelihood(Likelihood),
    ),
];

/// All regularisers.
pub const REGULARISERS: &[RegulariserEntry] = &[
    entry(
        "l2",
        "|w|^2/2; the only one that goes with kernels",
        &[],
        |_, _| Ok(AnyRegulariser::Square(Square)),
    ),
    entry("p-norm", "half the square of the p-norm", &[P], |key, _| {
        let norm = PNormRegulariser::new(key.real(0));
        Ok(AnyRegulariser::PNorm(norm))
    }),
    entry("p-power", "sum of |w|^p/p", &[P], |key, _| {
        let power = PPower::new(key.real(0));
        Ok(AnyRegulariser::PPower(Separable(power)))
    }),
    entry(
        "entropy",
        "relative entropy of weights that sum to 1; signed: both signs",
        &[SIGNED, PRIOR],
        |key, prior| {
            let entropy = Entropy::new(prior.by_slot(PriorKind::Distribution)?, key.is_on(0));
            Ok(AnyRegulariser::Entropy(entropy))
        },
    ),
    entry(
        "unnormalised-entropy",
        "relative entropy of weights; signed: both signs",
        &[SIGNED, PRIOR],
        |key, prior| {
            let prior = prior.by_slot(PriorKind::Positive)?;
            let entropy = UnnormalisedEntropy::new(prior, key.is_on(0));
            Ok(AnyRegulariser::UnnormalisedEntropy(Separable(entropy)))
        },
    ),
    entry(
        "elastic",
        "tau |w| + eps w^2/2: sparse weights",
        &[ABSOLUTE, RIDGE],
        |key, _| {
            let elastic = Piecewise::elastic(key.real(0), key.real(1));
            Ok(AnyRegulariser::Piecewise(Separable(elastic)))
        },
    ),
    entry(
        "l1-substitute",
        "Huber's function and a weak square: near the 1-norm",
        &[
            Key::real("delta", "0.1", "slope of the link below tau")
                .above(0.0)
                .to(1e6),
            RIDGE,
            KINK,
        ],
        |key, _| {
            let substitute = Piecewise::l1_substitute(key.real(0), key.real(1), key.real(2));
            Ok(AnyRegulariser::Piecewise(Separable(substitute)))
        },
    ),
    entry(
        "bounded",
        "w^2/2 for weights of at most tau",
        &[LARGEST],
        |key, _| {
            let bounded = Piecewise::bounded(key.real(0));
            Ok(AnyRegulariser::Piecewise(Separable(bounded)))
        },
    ),
    entry(
        "non-negative",
        "(w-prior)^2/2 for weights that are not negative",
        &[PRIOR],
        |_, prior| {
            let square = NonNegative::new(prior.by_slot(PriorKind::Any)?);
            Ok(AnyRegulariser::NonNegative(Separable(square)))
        },
    ),
];

/// What is wrong with a typed loss or regulariser.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Nothing is called that, or has such keys or values.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// The prior has another length than the weights.
    #[error("regulariser `{text}`: the prior has {got} numbers, but there are {weights} weights{}", last(*.constant))]
    PriorLength {
        /// The regulariser.
        text: String,
        /// Numbers of the prior.
        got: usize,
        /// Weights of the problem.
        weights: usize,
        /// Whether one of them is of the constant feature.
        constant: bool,
    },
    /// A number of the prior cannot be.
    #[error("regulariser `{text}`: the prior has the number {number}, but all must be above 0")]
    PriorNumber {
        /// The regulariser.
        text: String,
        /// The number.
        number: f64,
    },
    /// The prior is no distribution.
    #[error("regulariser `{text}`: the prior sums to {sum}, but it must sum to 1")]
    PriorSum {
        /// The regulariser.
        text: String,
        /// What it sums to.
        sum: f64,
    },
}

impl NameError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            NameError::Grammar(error) => error.remedy(),
            _ => None,
        }
    }
}

fn last(constant: bool) -> &'static str {
    if constant {
        ", the constant feature last"
    } else {
        ""
    }
}

/// The values of an entry's keys, in the order of its keys.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct KeyValues(Vec<Value>);

impl KeyValues {
    /// The value of key `k` if that is a number, else NaN.
    fn real(&self, k: usize) -> f64 {
        match self.0.get(k) {
            Some(Value::Real(number)) => *number,
            _ => f64::NAN,
        }
    }

    /// Whether key `k` is a flag that is given.
    fn is_on(&self, k: usize) -> bool {
        self.0.get(k) == Some(&Value::Word("on"))
    }
}

/// An entry with the values of its keys.
#[derive(Clone, Debug, PartialEq)]
struct Typed<B: 'static> {
    entry: &'static NamedEntry<B>,
    values: KeyValues,
}

impl<B> PartialEq for NamedEntry<B> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<B> Typed<B> {
    fn parse(sort: Sort, all: &'static [NamedEntry<B>], text: &str) -> Result<Self, NameError> {
        let typed = Expression::parse(text).map_err(GrammarError::from)?;
        let entry = grammar::find(sort, all, |entry| entry.name, &typed.name)?;
        grammar::alone(sort, entry.name, &typed)?;
        let values = grammar::resolve(entry.name, entry.keys, &typed.pairs)?;
        let values = KeyValues(grammar::filled(entry.keys, values));
        Ok(Typed { entry, values })
    }
}

/// A loss as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedLoss {
    text: String,
    typed: Typed<BuildLoss>,
}

impl NamedLoss {
    /// Reads a loss.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let typed = Typed::parse(Sort::Loss, LOSSES, text)?;
        Ok(NamedLoss {
            text: text.to_owned(),
            typed,
        })
    }

    /// As typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.typed.entry.name
    }

    /// The loss itself.
    pub fn loss(&self) -> AnyLoss {
        (self.typed.entry.build)(&self.typed.values)
    }
}

/// A regulariser as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRegulariser {
    text: String,
    typed: Typed<BuildRegulariser>,
}

/// Any regulariser of the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyRegulariser {
    /// `l2`.
    Square(Square),
    /// `p-norm`.
    PNorm(PNormRegulariser),
    /// `p-power`.
    PPower(Separable<PPower>),
    /// `entropy`.
    Entropy(Entropy),
    /// `unnormalised-entropy`.
    UnnormalisedEntropy(Separable<UnnormalisedEntropy>),
    /// `elastic`, `l1-substitute`, `bounded`.
    Piecewise(Separable<Piecewise>),
    /// `non-negative`.
    NonNegative(Separable<NonNegative>),
}

macro_rules! each_regulariser {
    ($any:expr, $by:ident => $value:expr) => {
        match $any {
            AnyRegulariser::Square($by) => $value,
            AnyRegulariser::PNorm($by) => $value,
            AnyRegulariser::PPower($by) => $value,
            AnyRegulariser::Entropy($by) => $value,
            AnyRegulariser::UnnormalisedEntropy($by) => $value,
            AnyRegulariser::Piecewise($by) => $value,
            AnyRegulariser::NonNegative($by) => $value,
        }
    };
}
pub(super) use each_regulariser;

impl NamedRegulariser {
    /// Reads a regulariser.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let typed = Typed::parse(Sort::Regulariser, REGULARISERS, text)?;
        Ok(NamedRegulariser {
            text: text.to_owned(),
            typed,
        })
    }

    /// As typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.typed.entry.name
    }

    /// Where its prior is, if one was given.
    pub fn prior(&self) -> Option<&str> {
        self.typed.values.0.iter().find_map(|value| match value {
            Value::Text(path) => Some(path.as_str()),
            _ => None,
        })
    }

    pub(super) fn is_signed(&self) -> bool {
        self.typed.values.is_on(0)
    }

    /// Whether it is the square.
    pub fn is_square(&self) -> bool {
        self.name() == "l2"
    }

    /// Whether weights cannot be negative.
    pub fn is_one_sided(&self) -> bool {
        let entropic = matches!(self.name(), "entropy" | "unnormalised-entropy");
        self.name() == "non-negative" || entropic && !self.is_signed()
    }

    /// The regulariser for weights of slots 1 to `features`, and slot 0 if there is a constant feature. `prior` has a
    /// number for each of them, in that order but the constant feature last; else all weights are alike.
    pub fn build(
        &self,
        features: usize,
        constant: bool,
        prior: Option<&[f64]>,
    ) -> Result<AnyRegulariser, NameError> {
        let prior = Prior {
            regulariser: &self.text,
            features,
            constant,
            numbers: prior,
        };
        (self.typed.entry.build)(&self.typed.values, &prior)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::*;
    use crate::dual::regulariser::Regulariser;

    fn loss_error(text: &str) -> String {
        NamedLoss::parse(text).unwrap_err().to_string()
    }

    fn by_error(text: &str) -> String {
        NamedRegulariser::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn every_entry_builds_from_its_name_and_its_defaults() {
        for entry in LOSSES {
            let typed: Vec<String> = entry
                .keys
                .iter()
                .map(|k| format!("{}={}", k.name, k.default))
                .collect();
            let named = NamedLoss::parse(entry.name).unwrap();
            let full = NamedLoss::parse(&format!("{}:{}", entry.name, typed.join(","))).unwrap();
            assert_eq!(named.loss(), full.loss(), "{}", entry.name);
            let is_number = |k: usize| named.typed.values.real(k).is_finite();
            assert!((0..entry.keys.len()).all(is_number), "{}", entry.name);
        }
        for entry in REGULARISERS {
            let keys = entry.keys.iter().filter(|key| !key.default.is_empty());
            let typed: Vec<String> = keys.map(|k| format!("{}={}", k.name, k.default)).collect();
            let named = NamedRegulariser::parse(entry.name).unwrap();
            let full =
                NamedRegulariser::parse(&format!("{}:{}", entry.name, typed.join(","))).unwrap();
            assert_eq!(
                named.build(3, false, None),
                full.build(3, false, None),
                "{}",
                entry.name
            );
        }
    }

    /// An entry that was copied with its constructor would be another one by a second name.
    #[test]
    fn entries_differ() {
        for (k, entry) in LOSSES.iter().enumerate() {
            let loss = |name| NamedLoss::parse(name).unwrap().loss();
            for other in &LOSSES[..k] {
                let pair = (other.name, entry.name);
                let is_same = loss(other.name) == loss(entry.name);
                assert_eq!(is_same, pair == ("squared", "max-entropy"), "{pair:?}");
            }
        }
        for (k, entry) in REGULARISERS.iter().enumerate() {
            let by = |name| NamedRegulariser::parse(name).unwrap();
            let built = |name| by(name).build(3, false, None).unwrap();
            for other in &REGULARISERS[..k] {
                let pair = (other.name, entry.name);
                assert_ne!(built(other.name), built(entry.name), "{pair:?}");
            }
        }
    }

    #[test]
    fn one_sided_regularisers_are_those_whose_weights_are_never_negative() {
        for entry in REGULARISERS {
            for flag in ["", ":signed"] {
                let text = format!("{}{flag}", entry.name);
                let Ok(by) = NamedRegulariser::parse(&text) else {
                    assert_eq!(flag, ":signed", "{text}");
                    continue;
                };
                let weights = each_regulariser!(by.build(2, false, None).unwrap(), by => by.weights(&[0.0, -2.0, 0.5]));
                let is_negative = weights.iter().any(|w| *w < 0.0);
                assert_eq!(by.is_one_sided(), !is_negative, "{text}: {weights:?}");
            }
        }
    }

    #[test]
    fn words_mean_what_they_say() {
        let loss = |text: &str| NamedLoss::parse(text).unwrap().loss();
        assert_eq!(
            loss("huber:delta=0.5"),
            AnyLoss::Regression(Regression::huber(0.5))
        );
        assert_eq!(
            loss("smoothed-hinge:gamma=2"),
            AnyLoss::Margin(Margin::smoothed_hinge(2.0))
        );
        let by = |text: &str| {
            NamedRegulariser::parse(text)
                .unwrap()
                .build(2, true, None)
                .unwrap()
        };
        assert_eq!(
            by("p-norm:p=3"),
            AnyRegulariser::PNorm(PNormRegulariser::new(3.0))
        );
        let third = 1.0 / 3.0;
        let prior: Arc<[f64]> = vec![third; 3].into();
        assert_eq!(
            by("entropy:signed"),
            AnyRegulariser::Entropy(Entropy::new(prior, true))
        );
        let elastic = Piecewise::elastic(2.0, 0.5);
        assert_eq!(
            by("elastic:eps=0.5,tau=2"),
            AnyRegulariser::Piecewise(Separable(elastic))
        );
    }

    #[test]
    fn wrong_words_are_told_what_is_right() {
        assert!(loss_error("hing").starts_with(
            "no loss is called `hing` (did you mean `hinge`?); the losses are hinge, squared-hinge"
        ));
        assert_eq!(
            loss_error("hinge:x=1"),
            "hinge has no key `x`; it takes no keys"
        );
        assert_eq!(
            loss_error("huber:delta=0"),
            "huber: delta = 0: must be > 0 and <= 1000000; the default is 1"
        );
        assert_eq!(
            loss_error("huber:delta=1,delta=1"),
            "huber: `delta` is given twice"
        );
        assert_eq!(
            loss_error("huber(hinge)"),
            "huber takes no spec in parentheses, and there is 1"
        );
        assert_eq!(
            loss_error("huber:delta=(1)"),
            "`huber:delta=(1)`: parentheses come right after the name, as in selective(second-order:a=1):b=2 (character 13)"
        );
        assert!(by_error("elastik").starts_with(
            "no regulariser is called `elastik` (did you mean `elastic`?); the regularisers are l2, p-norm"
        ));
        assert_eq!(
            by_error("entropy:sign"),
            "entropy has no key `sign` (did you mean `signed`?); its keys are signed, prior"
        );
        assert_eq!(
            by_error("entropy:prior="),
            "entropy: prior = : must be a file with a number for each weight, the constant feature last; without it all are alike"
        );
        assert_eq!(
            by_error("p-norm:p=1"),
            "p-norm: p = 1: must be >= 1.01 and <= 100; the default is 1.5"
        );
        assert_eq!(by_error("p-norm:p=2,p=2"), "p-norm: `p` is given twice");
        assert_eq!(
            by_error("l2@bias=1"),
            "l2: `@` is for a learner that gets the rows itself, not for a regulariser"
        );
        assert!(by_error("l2:tau=1").ends_with("it takes no keys"));
    }

    #[test]
    fn priors_are_checked() {
        let by = NamedRegulariser::parse("entropy:prior=p.txt").unwrap();
        assert_eq!(by.prior(), Some("p.txt"));
        let text = |prior: &[f64]| by.build(2, false, Some(prior)).unwrap_err().to_string();
        assert!(text(&[1.0]).contains("has 1 numbers, but there are 2 weights"));
        assert!(text(&[0.5, 0.4]).contains("sums to 0.9"));
        assert!(text(&[1.0, 0.0]).contains("must be above 0"));
        assert!(text(&[f64::NAN, 1.0]).contains("NaN"));
        let prior: Arc<[f64]> = vec![0.2, 0.3, 0.5].into();
        assert_eq!(
            by.build(2, true, Some(&[0.3, 0.5, 0.2])).unwrap(),
            AnyRegulariser::Entropy(Entropy::new(prior, false))
        );
    }
}
