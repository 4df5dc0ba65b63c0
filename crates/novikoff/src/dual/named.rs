//! Losses and regularisers by name, as they are typed: `name` or `name:key=value,key=value,flag`.

use std::sync::Arc;

use super::loss::{AnyLoss, Exponential, Likelihood, Logistic, Margin, Regression};
use super::regulariser::{
    Entropy, NonNegative, PNormRegulariser, PPower, Piecewise, Separable, Square,
    UnnormalisedEntropy,
};
use crate::grammar::{self, Expression, GrammarError, Sort};
use crate::parameter::{Key, Value};
use crate::remedy::Remedy;

/// A loss or a regulariser of the catalogue.
#[derive(Debug)]
pub struct NamedEntry {
    /// As typed.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

const fn entry(name: &'static str, summary: &'static str, keys: &'static [Key]) -> NamedEntry {
    NamedEntry {
        name,
        summary,
        keys,
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
const TAU: Key = Key::real("tau", "1", "where the two parts meet")
    .above(0.0)
    .to(1e6);
const RIDGE: Key = Key::real("eps", "0.1", "weight of the square beside it")
    .from(1e-9)
    .to(1e6);

/// All losses.
pub const LOSSES: &[NamedEntry] = &[
    entry("hinge", "max(0, 1-t): the support vector machine", &[]),
    entry("squared-hinge", "max(0, 1-t)^2", &[]),
    entry(
        "smoothed-hinge",
        "hinge with a parabola at its corner",
        &[Key::real("gamma", "1", "how wide the parabola is")
            .above(0.0)
            .to(1e6)],
    ),
    entry("modified-huber", "a parabola, from t = -1 down a line", &[]),
    entry("logistic", "ln(1 + e^-t)", &[]),
    entry("exponential", "e^-t", &[]),
    entry("squared", "(t-y)^2/2", &[]),
    entry(
        "huber",
        "a parabola near the target, lines beyond",
        &[Key::real("delta", "1", "how far the parabola reaches")
            .above(0.0)
            .to(1e6)],
    ),
    entry("absolute", "|t-y|", &[]),
    entry("eps-insensitive", "max(0, |t-y|-eps)", &[EPS]),
    entry("squared-eps-insensitive", "max(0, |t-y|-eps)^2/2", &[EPS]),
    entry(
        "max-entropy",
        "squared, for a distribution of given means; with entropy",
        &[],
    ),
    entry("likelihood", "-ln t, for mixtures of densities", &[]),
];

/// All regularisers.
pub const REGULARISERS: &[NamedEntry] = &[
    entry("l2", "|w|^2/2; the only one that goes with kernels", &[]),
    entry("p-norm", "half the square of the p-norm", &[P]),
    entry("p-power", "sum of |w|^p/p", &[P]),
    entry(
        "entropy",
        "relative entropy of weights that sum to 1; signed: both signs",
        &[SIGNED, PRIOR],
    ),
    entry(
        "unnormalised-entropy",
        "relative entropy of weights; signed: both signs",
        &[SIGNED, PRIOR],
    ),
    entry(
        "elastic",
        "tau |w| + eps w^2/2: sparse weights",
        &[TAU, RIDGE],
    ),
    entry(
        "l1-substitute",
        "Huber's function and a weak square: near the 1-norm",
        &[
            Key::real("delta", "0.1", "slope of the link below tau")
                .above(0.0)
                .to(1e6),
            RIDGE,
            TAU,
        ],
    ),
    entry("bounded", "w^2/2 for weights of at most tau", &[TAU]),
    entry(
        "non-negative",
        "(w-prior)^2/2 for weights that are not negative",
        &[PRIOR],
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

/// A typed loss or regulariser, taken apart.
#[derive(Clone, Debug, PartialEq)]
struct Words {
    entry: &'static NamedEntry,
    values: Vec<Value>,
}

impl PartialEq for NamedEntry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Words {
    fn parse(sort: Sort, all: &'static [NamedEntry], text: &str) -> Result<Self, NameError> {
        let typed = Expression::parse(text).map_err(GrammarError::from)?;
        let entry = grammar::find(sort, all, |entry| entry.name, &typed.name)?;
        grammar::alone(sort, entry.name, &typed)?;
        let values = grammar::resolve(entry.name, entry.keys, &typed.pairs)?;
        let values = grammar::filled(entry.keys, values);
        Ok(Words { entry, values })
    }

    /// The value of key `k` if that is a number, else NaN.
    fn real(&self, k: usize) -> f64 {
        match self.values.get(k) {
            Some(Value::Real(number)) => *number,
            _ => f64::NAN,
        }
    }
}

/// A loss as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedLoss {
    text: String,
    words: Words,
}

impl NamedLoss {
    /// Reads a loss.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let words = Words::parse(Sort::Loss, LOSSES, text)?;
        Ok(NamedLoss {
            text: text.to_owned(),
            words,
        })
    }

    /// As typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.words.entry.name
    }

    /// The loss itself.
    pub fn loss(&self) -> AnyLoss {
        let value = self.words.real(0);
        match self.name() {
            "hinge" => AnyLoss::Margin(Margin::HINGE),
            "squared-hinge" => AnyLoss::Margin(Margin::SQUARED_HINGE),
            "smoothed-hinge" => AnyLoss::Margin(Margin::smoothed_hinge(value)),
            "modified-huber" => AnyLoss::Margin(Margin::MODIFIED_HUBER),
            "logistic" => AnyLoss::Logistic(Logistic),
            "exponential" => AnyLoss::Exponential(Exponential),
            "huber" => AnyLoss::Regression(Regression::huber(value)),
            "absolute" => AnyLoss::Regression(Regression::ABSOLUTE),
            "eps-insensitive" => AnyLoss::Regression(Regression::insensitive(value)),
            "squared-eps-insensitive" => {
                AnyLoss::Regression(Regression::squared_insensitive(value))
            }
            "likelihood" => AnyLoss::Likelihood(Likelihood),
            _ => AnyLoss::Regression(Regression::SQUARED),
        }
    }
}

/// A regulariser as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRegulariser {
    text: String,
    words: Words,
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

impl NamedRegulariser {
    /// Reads a regulariser.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let words = Words::parse(Sort::Regulariser, REGULARISERS, text)?;
        Ok(NamedRegulariser {
            text: text.to_owned(),
            words,
        })
    }

    /// As typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.words.entry.name
    }

    /// Where its prior is, if one was given.
    pub fn prior(&self) -> Option<&str> {
        self.words.values.iter().find_map(|value| match value {
            Value::Text(path) => Some(path.as_str()),
            _ => None,
        })
    }

    pub(super) fn is_signed(&self) -> bool {
        self.words.values.first() == Some(&Value::Word("on"))
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
        let value = |k: usize| self.words.real(k);
        let by_slot = || self.by_slot(features, constant, prior);
        Ok(match self.name() {
            "p-norm" => AnyRegulariser::PNorm(PNormRegulariser::new(value(0))),
            "p-power" => AnyRegulariser::PPower(Separable(PPower::new(value(0)))),
            "entropy" => AnyRegulariser::Entropy(Entropy::new(by_slot()?, self.is_signed())),
            "unnormalised-entropy" => {
                let entropy = UnnormalisedEntropy::new(by_slot()?, self.is_signed());
                AnyRegulariser::UnnormalisedEntropy(Separable(entropy))
            }
            "elastic" => {
                let elastic = Piecewise::elastic(value(0), value(1));
                AnyRegulariser::Piecewise(Separable(elastic))
            }
            "l1-substitute" => {
                let substitute = Piecewise::l1_substitute(value(0), value(1), value(2));
                AnyRegulariser::Piecewise(Separable(substitute))
            }
            "bounded" => AnyRegulariser::Piecewise(Separable(Piecewise::bounded(value(0)))),
            "non-negative" => AnyRegulariser::NonNegative(Separable(NonNegative::new(by_slot()?))),
            _ => AnyRegulariser::Square(Square),
        })
    }

    /// The prior by slot.
    fn by_slot(
        &self,
        features: usize,
        constant: bool,
        prior: Option<&[f64]>,
    ) -> Result<Arc<[f64]>, NameError> {
        let text = || grammar::shown(&self.text);
        let count = features + usize::from(constant);
        let Some(prior) = prior else {
            let each = match self.name() {
                "non-negative" => 0.0,
                _ => 1.0 / count.max(1) as f64,
            };
            let mut by_slot = vec![each; features + 1];
            by_slot[0] = if constant { each } else { 0.0 };
            return Ok(by_slot.into());
        };
        if prior.len() != count {
            return Err(NameError::PriorLength {
                text: text(),
                got: prior.len(),
                weights: count,
                constant,
            });
        }
        let least = if self.name() == "non-negative" {
            f64::MIN
        } else {
            f64::MIN_POSITIVE
        };
        if let Some(&number) = prior.iter().find(|p| !(p.is_finite() && **p >= least)) {
            let text = text();
            return Err(NameError::PriorNumber { text, number });
        }
        let sum: f64 = prior.iter().sum();
        if self.name() == "entropy" && (sum - 1.0).abs() > 1e-6 {
            let text = text();
            return Err(NameError::PriorSum { text, sum });
        }
        let unit = if self.name() == "entropy" { sum } else { 1.0 };
        let mut by_slot = vec![0.0; features + 1];
        for (slot, p) in by_slot[1..].iter_mut().zip(prior) {
            *slot = p / unit;
        }
        if constant {
            by_slot[0] = prior[features] / unit;
        }
        Ok(by_slot.into())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

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
            let is_number = |k: usize| named.words.real(k).is_finite();
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
