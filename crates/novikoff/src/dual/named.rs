//! Losses and regularisers by name, as they are typed: `name` or `name:key=value,key=value,flag`.

use std::sync::Arc;

use super::loss::{AnyLoss, Exponential, Likelihood, Logistic, Margin, Regression};
use super::regulariser::{
    Entropy, NonNegative, PNorm, PPower, Piecewise, Separable, Square, UnnormalisedEntropy,
};
use crate::parameter::{Key, Value};

/// A loss or a regulariser of the catalogue.
#[derive(Debug)]
pub struct Entry {
    /// As typed.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// Words it takes without a value.
    pub flags: &'static [&'static str],
    /// Whether it takes `prior=FILE`.
    pub prior: bool,
}

const fn entry(name: &'static str, summary: &'static str, keys: &'static [Key]) -> Entry {
    Entry {
        name,
        summary,
        keys,
        flags: &[],
        prior: false,
    }
}

const fn with_prior(
    name: &'static str,
    summary: &'static str,
    flags: &'static [&'static str],
) -> Entry {
    Entry {
        name,
        summary,
        keys: &[],
        flags,
        prior: true,
    }
}

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
pub const LOSSES: &[Entry] = &[
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
pub const REGULARISERS: &[Entry] = &[
    entry("l2", "|w|^2/2; the only one that goes with kernels", &[]),
    entry("p-norm", "half the square of the p-norm", &[P]),
    entry("p-power", "sum of |w|^p/p", &[P]),
    with_prior(
        "entropy",
        "relative entropy of weights that sum to 1; signed: both signs",
        &["signed"],
    ),
    with_prior(
        "unnormalised-entropy",
        "relative entropy of weights; signed: both signs",
        &["signed"],
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
    with_prior(
        "non-negative",
        "(w-prior)^2/2 for weights that are not negative",
        &[],
    ),
];

/// What is wrong with a typed loss or regulariser.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} `{text}`: {what}")]
pub struct NameError {
    kind: &'static str,
    text: String,
    what: String,
}

/// A typed loss or regulariser, taken apart.
#[derive(Clone, Debug, PartialEq)]
struct Words {
    entry: &'static Entry,
    values: Vec<f64>,
    flags: Vec<&'static str>,
    prior: Option<String>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Words {
    fn parse(kind: &'static str, all: &'static [Entry], text: &str) -> Result<Self, NameError> {
        let wrong = |what: String| NameError {
            kind,
            text: text.chars().take(80).collect(),
            what,
        };
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let entry = all.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|entry| entry.name).collect();
            wrong(format!(
                "there is no such {kind}; there are {}",
                names.join(", ")
            ))
        })?;
        let mut values = vec![None; entry.keys.len()];
        let (mut flags, mut prior) = (Vec::new(), None);
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let (key, typed) = part.split_once('=').unwrap_or((part, ""));
            let flag = entry.flags.iter().find(|flag| **flag == part);
            let at = entry.keys.iter().position(|k| k.name == key);
            let given = if let Some(flag) = flag {
                let given = flags.contains(flag);
                flags.push(*flag);
                given
            } else if let Some(at) = at {
                let key = &entry.keys[at];
                let Some(Value::Real(number)) = key.value(typed) else {
                    let (name, allowed, default) = (key.name, key.allowed(), key.default);
                    return Err(wrong(format!(
                        "{name} must be {allowed}, not `{typed}`; the default is {default}"
                    )));
                };
                values[at].replace(number).is_some()
            } else if entry.prior && key == "prior" && !typed.is_empty() {
                prior.replace(typed.to_owned()).is_some()
            } else {
                return Err(wrong(format!("no key `{key}`; {}", entry.takes())));
            };
            if given {
                return Err(wrong(format!("`{key}` is given twice")));
            }
        }
        let defaults = entry.keys.iter().zip(values).map(|(key, value)| {
            match (value, key.value(key.default)) {
                (Some(value), _) | (None, Some(Value::Real(value))) => value,
                _ => f64::NAN, // every default is a number: tested
            }
        });
        let values = defaults.collect();
        Ok(Words {
            entry,
            values,
            flags,
            prior,
        })
    }
}

impl Entry {
    /// What may follow the name, in words.
    fn takes(&self) -> String {
        let mut words: Vec<String> = self
            .keys
            .iter()
            .map(|key| format!("{}={}", key.name, key.default))
            .collect();
        words.extend(self.flags.iter().map(|flag| (*flag).to_owned()));
        words.extend(self.prior.then(|| "prior=FILE".to_owned()));
        if words.is_empty() {
            format!("{} takes none", self.name)
        } else {
            format!("{} takes {}", self.name, words.join(", "))
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
        let words = Words::parse("loss", LOSSES, text)?;
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
        let value = self.words.values.first().copied().unwrap_or(f64::NAN);
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
    PNorm(PNorm),
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
        let words = Words::parse("regulariser", REGULARISERS, text)?;
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
        self.words.prior.as_deref()
    }

    fn is_signed(&self) -> bool {
        self.words.flags.contains(&"signed")
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
        let value = |k: usize| self.words.values.get(k).copied().unwrap_or(f64::NAN);
        let by_slot = || self.by_slot(features, constant, prior);
        Ok(match self.name() {
            "p-norm" => AnyRegulariser::PNorm(PNorm::new(value(0))),
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
        let wrong = |what: String| NameError {
            kind: "regulariser",
            text: self.text.chars().take(80).collect(),
            what,
        };
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
            let last = if constant {
                ", the constant feature last"
            } else {
                ""
            };
            return Err(wrong(format!(
                "the prior has {} numbers, but there are {count} weights{last}",
                prior.len()
            )));
        }
        let least = if self.name() == "non-negative" {
            f64::MIN
        } else {
            f64::MIN_POSITIVE
        };
        if let Some(number) = prior.iter().find(|p| !(p.is_finite() && **p >= least)) {
            return Err(wrong(format!(
                "the prior has the number {number}, but all must be above 0"
            )));
        }
        let sum: f64 = prior.iter().sum();
        if self.name() == "entropy" && (sum - 1.0).abs() > 1e-6 {
            return Err(wrong(format!(
                "the prior sums to {sum}, but it must sum to 1"
            )));
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

/// What cannot go together, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PairError(String);

/// Whether a loss and a regulariser go together, in the space of a kernel or not; if they do though it is unusual, what
/// to know about it. `threshold` tells whether there is a bias or another threshold than 0.
pub fn check_pair(
    loss: &NamedLoss,
    by: &NamedRegulariser,
    free_bias: bool,
    kernel: bool,
    threshold: bool,
) -> Result<Option<String>, PairError> {
    let (f, g) = (loss.name(), by.name());
    if kernel && g != "l2" {
        return Err(PairError(format!(
            "{g} needs the weights of features, which a kernel does not have; kernels go with l2 only"
        )));
    }
    if f == "max-entropy" && (g != "entropy" || by.is_signed()) {
        return Err(PairError(format!(
            "max-entropy finds a distribution, which {} does not give; use --reg entropy, or --loss squared",
            by.text()
        )));
    }
    if f == "likelihood" && free_bias {
        return Err(PairError("likelihood with a free bias has no optimum: the larger the bias, the better; use --bias off".to_owned()));
    }
    let mixtures = g == "l2" || by.is_one_sided();
    if f == "likelihood" && !mixtures {
        return Ok(Some(format!(
            "likelihood is meant for weights that are not negative, as entropy has them; {g} allows others"
        )));
    }
    if loss.loss().classifies() && by.is_one_sided() && !threshold {
        return Ok(Some(format!(
            "{g} has no negative weights, so without a threshold the sign of non-negative features is always +; give --bias free, or --theta and --alpha"
        )));
    }
    Ok(None)
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
            assert!(named.words.values.iter().all(|v| v.is_finite()));
        }
        for entry in REGULARISERS {
            let typed: Vec<String> = entry
                .keys
                .iter()
                .map(|k| format!("{}={}", k.name, k.default))
                .collect();
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
        assert_eq!(by("p-norm:p=3"), AnyRegulariser::PNorm(PNorm::new(3.0)));
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
        assert!(
            loss_error("hing")
                .starts_with("loss `hing`: there is no such loss; there are hinge, squared-hinge")
        );
        assert_eq!(
            loss_error("hinge:x=1"),
            "loss `hinge:x=1`: no key `x`; hinge takes none"
        );
        assert_eq!(
            loss_error("huber:delta=0"),
            "loss `huber:delta=0`: delta must be > 0 and <= 1000000, not `0`; the default is 1"
        );
        assert_eq!(
            loss_error("huber:delta=1,delta=1"),
            "loss `huber:delta=1,delta=1`: `delta` is given twice"
        );
        assert_eq!(
            by_error("entropy:sign"),
            "regulariser `entropy:sign`: no key `sign`; entropy takes signed, prior=FILE"
        );
        assert_eq!(
            by_error("p-norm:p=1"),
            "regulariser `p-norm:p=1`: p must be >= 1.01 and <= 100, not `1`; the default is 1.5"
        );
        assert!(by_error("l2:tau=1").ends_with("l2 takes none"));
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

    #[test]
    fn pairs_that_make_no_sense_are_refused() {
        let check = |loss: &str, by: &str, free, kernel| {
            let (loss, by) = (
                NamedLoss::parse(loss).unwrap(),
                NamedRegulariser::parse(by).unwrap(),
            );
            check_pair(&loss, &by, free, kernel, free)
        };
        assert!(
            check("hinge", "entropy", false, true)
                .unwrap_err()
                .0
                .contains("kernels go with l2 only")
        );
        assert!(
            check("max-entropy", "l2", false, false)
                .unwrap_err()
                .0
                .contains("--reg entropy")
        );
        assert!(check("max-entropy", "entropy:signed", false, false).is_err());
        assert!(
            check("likelihood", "l2", true, false)
                .unwrap_err()
                .0
                .contains("no optimum")
        );
        assert!(
            check("likelihood", "elastic", false, false)
                .unwrap()
                .is_some()
        );
        assert!(
            check("hinge", "entropy", false, false)
                .unwrap()
                .unwrap()
                .contains("--theta")
        );
        assert_eq!(check("hinge", "entropy", true, false), Ok(None));
        assert_eq!(check("max-entropy", "entropy", false, false), Ok(None));
        assert_eq!(check("squared", "elastic", true, false), Ok(None));
    }
}
