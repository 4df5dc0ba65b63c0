//! Learner specs: `name[(SPEC; ...)][:key=value,flag,...][@normalize=N,bias=B]`, read against the catalogue.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::catalog::{
    AUTO, CATALOG, COMPARATOR, DEFAULT_EXPERTS, EXPERTS, Entry, MOST_EXPERTS, NoTheorem, SOLVED,
    SpecParts, Theorem, names_of, written,
};
use crate::grammar::{self, Expression, GrammarError, OffOr, OwnPreparation, Sort};
use crate::kernel::Kernel;
use crate::learner::{Hypothesis, Learner};
use crate::parameter::{Auto, Parameter, Parameters, RowLengths, Value, ValueKind};
use crate::remedy::{Remedy, Setting};

/// A learner's name and the values of all its keys, checked against the [catalogue](crate::catalog::CATALOG).
///
/// A spec comes from its text, from one of [`learners`](crate::learners), or from the catalogue of somebody else
/// ([`parse_in`](Spec::parse_in)).
///
/// ```
/// use novikoff::{Spec, learners::Romma};
///
/// let spec = Spec::parse("romma:noise=1,aggressive")?;
/// assert!(spec.same(&Romma::aggressive().noise(1.0).try_into()?));
///
/// let error = Spec::parse("romma:nose=1").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "romma has no key `nose` (did you mean `noise`?); its keys are aggressive, noise, start"
/// );
/// # Ok::<(), novikoff::SpecError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spec {
    text: String,
    catalog: &'static [Entry],
    entry: &'static Entry,
    values: Vec<Value>,
    parts: Vec<Spec>,
    /// The parts are those of the catalogue, for none were typed.
    has_default_parts: bool,
    preparation: Option<OwnPreparation>,
}

/// How learners in parentheses get their rows where their specs say nothing about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartDefaults {
    /// The p of the norm that rows are divided by, none for not at all; if nobody has said anything, what the learner wants.
    pub normalize: Option<Option<f64>>,
    /// The constant feature.
    pub bias: Option<f32>,
}

/// What can be wrong with a spec.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// No learner answers to it.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// Two values exclude each other.
    #[error("{learner}: {what}")]
    Clash {
        /// The learner.
        learner: &'static str,
        /// Which.
        what: &'static str,
    },
    /// The learner does not go with the kernel.
    #[error("{learner} with the kernel {kernel}: {why}")]
    Kernel {
        /// The learner.
        learner: &'static str,
        /// The kernel.
        kernel: String,
        /// Why not, and what does.
        why: String,
    },
    /// The learner has no average.
    #[error("{learner} keeps no average of its weights")]
    NoAverage {
        /// The learner.
        learner: &'static str,
        /// Learners that do.
        others: Vec<&'static str>,
    },
    /// `auto` needs the number of features.
    #[error("{learner}: {key}=auto needs the number of features, which a stream does not tell")]
    Width {
        /// The learner.
        learner: &'static str,
        /// The key.
        key: &'static str,
    },
    /// `auto` needs rows to look at.
    #[error("{of}: {key}=auto needs a look at the first rows, and there are none yet")]
    Rows {
        /// The learner, the kernel or the map.
        of: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A map in front of a learner that has a kernel.
    #[error(
        "the map {map} with the kernel {kernel}: a map makes features for learners without a kernel"
    )]
    MapAndKernel {
        /// The map.
        map: String,
        /// The kernel.
        kernel: String,
    },
}

impl SpecError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            SpecError::Grammar(error) => error.remedy(),
            SpecError::Width { key, .. } => {
                let number = Remedy::clause(format!("{key}=NUMBER"));
                let features = Remedy::give(Setting::Features, "D");
                Some(features.or(number).or("a file"))
            }
            SpecError::Rows { key, .. } => Some(Remedy::clause(format!("give {key}=NUMBER"))),
            SpecError::MapAndKernel { .. } => {
                Some(Remedy::leave_out(&[Setting::Kernel]).or(Remedy::leave_out(&[Setting::Map])))
            }
            SpecError::NoAverage { others, .. } => {
                Some(Remedy::clause(format!("use one of {}", others.join(", "))))
            }
            SpecError::Clash { .. } | SpecError::Kernel { .. } => None,
        }
    }
}

/// Resolves the value of a key by the lengths of the first rows.
type LengthRule<'a> = dyn Fn(&'static str, fn(&RowLengths) -> f64) -> Result<f64, SpecError> + 'a;

impl Spec {
    /// Reads a spec of the catalogue.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        Self::parse_in(CATALOG, text)
    }

    /// Reads a spec of a catalogue that has other learners.
    pub fn parse_in(catalog: &'static [Entry], text: &str) -> Result<Self, SpecError> {
        let typed = Expression::parse(text).map_err(GrammarError::from)?;
        Self::of(catalog, &typed, text.to_owned())
    }

    fn of(catalog: &'static [Entry], typed: &Expression, text: String) -> Result<Self, SpecError> {
        let entry = grammar::find(Sort::Learner, catalog, |entry| entry.name, &typed.name)?;
        let learner = entry.name;
        let parts: Result<Vec<Spec>, SpecError> = typed
            .parts
            .iter()
            .map(|part| Self::of(catalog, part, part.to_string()))
            .collect();
        let (parts, pairs) = match entry.can.parts {
            SpecParts::Learners => (experts(entry, catalog, parts?)?, typed.pairs.clone()),
            SpecParts::Base(key) if typed.parts.len() < 2 => {
                (Vec::new(), with_base(entry, key, &parts?, typed)?)
            }
            SpecParts::Base(_) => return Err(too_many(entry, 1, typed)),
            SpecParts::None if typed.parts.is_empty() => (Vec::new(), typed.pairs.clone()),
            SpecParts::None => return Err(too_many(entry, 0, typed)),
        };
        let values = grammar::resolve(learner, entry.keys, &pairs)?;
        let spec = Spec {
            text,
            catalog,
            entry,
            values: grammar::filled(entry.keys, values),
            has_default_parts: typed.parts.is_empty() && !parts.is_empty(),
            parts,
            preparation: OwnPreparation::read(learner, &typed.preparation)?,
        };
        let any_width = spec.parameters(Some(1))?;
        match (entry.can.clash)(&any_width) {
            Some(what) => Err(SpecError::Clash { learner, what }),
            None => Ok(spec),
        }
    }

    /// Of a model that `solve` made.
    #[doc(hidden)] // for readers and writers of model files
    pub fn solved() -> Self {
        Spec {
            text: SOLVED.name.to_owned(),
            catalog: CATALOG,
            entry: &SOLVED,
            values: Vec::new(),
            parts: Vec::new(),
            has_default_parts: false,
            preparation: None,
        }
    }

    /// Of a model that holds the vector of a certificate.
    #[doc(hidden)] // for readers and writers of model files
    pub fn comparator() -> Self {
        Spec {
            text: COMPARATOR.name.to_owned(),
            catalog: CATALOG,
            entry: &COMPARATOR,
            values: Vec::new(),
            parts: Vec::new(),
            has_default_parts: false,
            preparation: None,
        }
    }

    /// Reads the spec of a model.
    #[doc(hidden)] // for readers and writers of model files
    pub fn stored(text: &str) -> Result<Self, SpecError> {
        if text == SOLVED.name {
            Ok(Self::solved())
        } else if text == COMPARATOR.name {
            Ok(Self::comparator())
        } else {
            Self::parse(text)
        }
    }

    /// Whether rows can be learned from, one after another.
    pub fn learns(&self) -> bool {
        ![SOLVED.name, COMPARATOR.name].contains(&self.entry.name)
    }

    /// As typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The learner's name.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Its place in the catalogue.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The p of the norm by which the learner wants its rows divided, if it wants that.
    pub fn norm(&self) -> Option<f64> {
        (self.entry.can.norm)(&self.parameters(Some(1)).ok()?)
    }

    /// What it says after `@` about its rows, if it says something.
    pub fn preparation(&self) -> Option<OwnPreparation> {
        self.preparation
    }

    /// The learners in parentheses that have keys of their own. The base of a learner is no such part: its keys are those
    /// of the whole.
    pub fn parts(&self) -> &[Spec] {
        &self.parts
    }

    /// How its learners in parentheses get their rows: what it says after `@` comes before what was asked for elsewhere.
    pub fn part_defaults(&self, asked: PartDefaults) -> PartDefaults {
        let said = self.preparation;
        PartDefaults {
            normalize: said
                .and_then(|s| s.normalize)
                .map(OffOr::value)
                .or(asked.normalize),
            bias: said.and_then(|s| s.bias).map_or(asked.bias, OffOr::value),
        }
    }

    /// What a learner in parentheses says of its rows, or what all do.
    pub(crate) fn part_preparation(&self, part: &Spec, asked: PartDefaults) -> OwnPreparation {
        let (said, all) = (part.preparation, self.part_defaults(asked));
        OwnPreparation {
            normalize: said
                .and_then(|s| s.normalize)
                .or(all.normalize.map(OffOr::from)),
            bias: said.and_then(|s| s.bias).or(Some(OffOr::from(all.bias))),
        }
    }

    /// The constant feature that rows are read with for all learners in parentheses: theirs if they agree, else 1, in whose place each puts its
    /// own.
    pub fn shared_bias(&self, asked: PartDefaults) -> Option<f32> {
        let bias = |part| {
            self.part_preparation(part, asked)
                .bias
                .and_then(OffOr::value)
        };
        let mut all = self.parts.iter().map(bias);
        let first = all.next().flatten();
        if all.all(|bias| bias == first) {
            first
        } else {
            Some(1.0)
        }
    }

    /// The theorem that mistakes of this learner obey, or why there is none.
    pub fn theorem(&self, parameters: &Parameters, kernel: Kernel) -> Result<Theorem, NoTheorem> {
        self.entry.theorem(parameters, kernel)
    }

    /// The learners of its catalogue that take weighted rows.
    #[doc(hidden)] // for jobs
    pub fn weighted(&self) -> Vec<&'static str> {
        names_of(self.catalog, |entry| entry.can.weighted)
    }

    /// The learners of its catalogue that offer a predictor with this kernel.
    #[doc(hidden)] // for jobs
    pub fn offering(&self, wanted: Hypothesis, kernel: Kernel) -> Vec<&'static str> {
        let offers = |entry: &&'static Entry| {
            let spec = Spec::parse_in(self.catalog, entry.name);
            let offered = spec.and_then(|spec| spec.hypotheses(kernel, wanted));
            offered.is_ok_and(|offered| offered.contains(&wanted))
        };
        let all = self.catalog.iter().filter(offers);
        all.map(|entry| entry.name).collect()
    }

    /// The predictors of a new learner that is asked for one of them; the first is the one it deploys.
    pub fn hypotheses(
        &self,
        kernel: Kernel,
        wanted: Hypothesis,
    ) -> Result<&'static [Hypothesis], SpecError> {
        // many features: p=auto is not the 2 that it is for few
        let parameters = self.parameters(Some(1000))?;
        let mut learner = self.learner(&parameters, kernel, 0)?;
        if wanted == Hypothesis::Averaged {
            self.keep_average(&mut *learner, &parameters);
        }
        Ok(learner.hypotheses())
    }

    /// Makes a new learner keep the average of its weight vectors, unless it does that by itself. False if it cannot.
    fn keep_average(&self, learner: &mut dyn Learner, parameters: &Parameters) -> bool {
        let offered = learner.hypotheses();
        offered[0] == Hypothesis::Averaged
            || ((self.entry.can.additive)(parameters) && learner.keep_average())
            || offered.contains(&Hypothesis::Averaged)
    }

    /// The learner that keeps the average of its weight vectors, and deploys it where that is more than it does by itself.
    pub fn averaged_learner(
        &self,
        parameters: &Parameters,
        kernel: Kernel,
        memory: u128,
    ) -> Result<Box<dyn Learner>, SpecError> {
        let mut learner = self.learner(parameters, kernel, memory)?;
        if self.keep_average(&mut *learner, parameters) {
            return Ok(learner);
        }
        Err(SpecError::NoAverage {
            learner: self.entry.name,
            others: self.offering(Hypothesis::Averaged, kernel),
        })
    }

    /// True if the same learner with the same values on rows prepared in the same way.
    pub fn same(&self, other: &Spec) -> bool {
        self.entry.name == other.entry.name
            && self.values == other.values
            && self.preparation == other.preparation
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(a, b)| a.same(b))
    }

    /// True if a value is `auto` and a function of the number of features, of its own or of a learner in parentheses.
    #[doc(hidden)] // for jobs
    pub fn needs_width(&self) -> bool {
        let own = self.autos().any(|(_, auto)| matches!(auto, Auto::Width(_)));
        own || self.parts.iter().any(Spec::needs_width)
    }

    /// True if a value is `auto` and a function of the lengths of the first rows, of its own or of a learner in parentheses.
    #[doc(hidden)] // for jobs
    pub fn needs_lengths(&self) -> bool {
        let own = self
            .autos()
            .any(|(_, auto)| matches!(auto, Auto::Lengths(_)));
        own || self.parts.iter().any(Spec::needs_lengths)
    }

    /// The names of all its parameters, in order.
    #[doc(hidden)] // for readers of model files
    pub fn parameter_names(&self) -> impl Iterator<Item = &'static str> {
        let experts = (!self.parts.is_empty()).then_some(EXPERTS);
        let keys = self.entry.keys.iter().map(|key| key.name);
        keys.chain(experts)
    }

    /// Whether a text may be the parameter that holds its experts: the same learners, without `auto` values.
    #[doc(hidden)] // for readers of model files
    pub fn are_its_experts(&self, text: &str) -> bool {
        let Ok(other) = Spec::parse_in(self.catalog, &format!("{}({text})", self.entry.name))
        else {
            return false;
        };
        let mut names = self.parts.iter().map(Spec::name);
        let fits = other
            .parts
            .iter()
            .all(|part| names.any(|name| name == part.name()));
        let whole = self.has_default_parts || other.parts.len() == self.parts.len();
        fits && whole && !other.needs_width() && !other.needs_lengths()
    }

    /// The learners in parentheses that take part where rows are in the space of a kernel: all that were typed, and those of the default
    /// set that have a form with a kernel.
    pub(crate) fn parts_with(&self, kernel: Kernel) -> impl Iterator<Item = &Spec> {
        let filters = self.has_default_parts && kernel != Kernel::LINEAR;
        self.parts.iter().filter(move |part| {
            let parameters = part.parameters(Some(1));
            let no_kernel = parameters.map(|p| (part.entry.can.no_kernel)(&p).is_some());
            !filters || (part.entry.build_with.is_some() && no_kernel == Ok(false))
        })
    }

    /// The text of a learner in parentheses with its values, and with what is done to its rows.
    pub(crate) fn written(&self, parameters: &Parameters, said: Option<OwnPreparation>) -> String {
        written(self.entry, parameters, said)
    }

    /// The parameters with the experts that fit the kernel, where nobody has chosen them for it yet.
    fn fitting(&self, parameters: &Parameters, kernel: Kernel) -> Result<Parameters, SpecError> {
        let mut own = parameters.clone();
        if self.has_default_parts && kernel != Kernel::LINEAR {
            let typed = self.parts_with(kernel);
            let typed = typed.map(|part| {
                let parameters = part.parameters(Some(1000))?;
                Ok(part.written(&parameters, part.preparation))
            });
            let typed: Result<Vec<String>, SpecError> = typed.collect();
            let stored: Vec<&str> = parameters.word(EXPERTS).split("; ").collect();
            if stored.len() == self.parts.len() {
                own.put_word(EXPERTS, typed?.join("; "));
            }
        }
        Ok(own)
    }

    /// The keys whose values are `auto`, and what they are functions of.
    fn autos(&self) -> impl Iterator<Item = (&'static str, Auto)> {
        let keys = self.entry.keys.iter().zip(&self.values);
        keys.filter_map(|(key, value)| match (key.kind, value) {
            (ValueKind::Real { auto, .. }, Value::Auto) => Some((key.name, auto?)),
            _ => None,
        })
    }

    /// The learner itself, which may take `memory` bytes.
    pub fn learner(
        &self,
        parameters: &Parameters,
        kernel: Kernel,
        memory: u128,
    ) -> Result<Box<dyn Learner>, SpecError> {
        if kernel == Kernel::LINEAR {
            return Ok((self.entry.build)(parameters, memory));
        }
        let parameters = &self.fitting(parameters, kernel)?;
        let why = match (
            (self.entry.can.no_kernel)(parameters),
            self.entry.build_with,
        ) {
            (None, Some(build)) => return Ok(build(parameters, kernel, memory)),
            (Some(why), Some(_)) => why.to_owned(),
            (_, None) => {
                let others = names_of(self.catalog, |entry| entry.build_with.is_some());
                let others = others.join(", ");
                format!("it needs the features themselves; kernels go with {others}")
            }
        };
        Err(SpecError::Kernel {
            learner: self.entry.name,
            kernel: kernel.to_string(),
            why,
        })
    }

    /// All values, `auto` replaced by what it means for `width` features. A value that is a function of the first rows is NaN: those were not
    /// looked at.
    pub fn parameters(&self, width: Option<u32>) -> Result<Parameters, SpecError> {
        self.values_for(width, &|_, _| Ok(f64::NAN))
    }

    /// All values, `auto` replaced by what it means for `width` features and for first rows of these lengths, in the learner's space.
    #[doc(hidden)] // for jobs
    pub fn resolved(
        &self,
        width: Option<u32>,
        lengths: Option<&RowLengths>,
    ) -> Result<Parameters, SpecError> {
        let of = self.entry.name;
        self.values_for(width, &|key, auto| match lengths {
            Some(lengths) => Ok(auto(lengths)),
            None => Err(SpecError::Rows { of, key }),
        })
    }

    fn values_for(
        &self,
        width: Option<u32>,
        by_lengths: &LengthRule<'_>,
    ) -> Result<Parameters, SpecError> {
        let mut all = self.own_values_for(width, by_lengths)?;
        if !self.parts.is_empty() {
            // what is done to their rows is known when the rows are
            let parts = self.parts.iter().map(|part| {
                let parameters = part.parameters(width)?;
                Ok(part.written(&parameters, part.preparation))
            });
            let parts: Result<Vec<String>, SpecError> = parts.collect();
            all.put_word(EXPERTS, parts?.join("; "));
        }
        Ok(all)
    }

    fn own_values_for(
        &self,
        width: Option<u32>,
        by_lengths: &LengthRule<'_>,
    ) -> Result<Parameters, SpecError> {
        let mut list = Vec::new();
        for (key, value) in self.entry.keys.iter().zip(&self.values) {
            let parameter = match value {
                Value::Real(number) => Parameter::Real(*number),
                Value::Count(number) => Parameter::Real(*number as f64),
                Value::Word(word) => Parameter::Word((*word).to_owned()),
                Value::Text(text) => Parameter::Word(text.clone()),
                Value::Auto => match (key.kind, width) {
                    (
                        ValueKind::Real {
                            auto: Some(Auto::Width(of)),
                            ..
                        },
                        Some(width),
                    ) => Parameter::Real(of(f64::from(width))),
                    (
                        ValueKind::Real {
                            auto: Some(Auto::Lengths(of)),
                            ..
                        },
                        _,
                    ) => {
                        let number = by_lengths(key.name, of)?;
                        Parameter::Real(if number.is_nan() {
                            number
                        } else {
                            key.or_default(number)
                        })
                    }
                    _ => {
                        return Err(SpecError::Width {
                            learner: self.entry.name,
                            key: key.name,
                        });
                    }
                },
            };
            list.push((key.name.to_owned(), parameter));
        }
        Ok(Parameters::from_list(list))
    }
}

/// The learners in parentheses, or those of the default set of `auto`.
fn experts(
    entry: &'static Entry,
    catalog: &'static [Entry],
    typed: Vec<Spec>,
) -> Result<Vec<Spec>, SpecError> {
    if typed.len() > MOST_EXPERTS {
        return Err(SpecError::Clash {
            learner: entry.name,
            what: "64 learners in parentheses at most",
        });
    }
    if !typed.is_empty() || entry.name != AUTO {
        return Ok(typed);
    }
    let default = DEFAULT_EXPERTS.split("; ");
    default
        .map(|text| Spec::parse_in(catalog, text.trim()))
        .collect()
}

fn too_many(entry: &'static Entry, allowed: usize, typed: &Expression) -> SpecError {
    let error = GrammarError::Parts {
        of: entry.name,
        allowed,
        got: typed.parts.len(),
    };
    error.into()
}

/// The pairs of a spec with a learner in parentheses, as if it were the value of `key` and its keys those of the whole.
fn with_base(
    entry: &'static Entry,
    key: &str,
    parts: &[Spec],
    typed: &Expression,
) -> Result<Vec<grammar::Pair>, SpecError> {
    let (Some(part), Some(base)) = (typed.parts.first(), parts.first()) else {
        return Ok(typed.pairs.clone());
    };
    if !part.preparation.is_empty() {
        let why = format!("the base of {}", entry.name);
        let of = base.name();
        return Err(GrammarError::Preparation { of, why }.into());
    }
    let name = grammar::Pair {
        key: key.to_owned(),
        value: Some(part.name.clone()),
        at: 0,
    };
    // what the base takes and the whole does not, such as a form that cannot ask
    let shared = |name: &str| entry.keys.iter().any(|key| key.name == name);
    if let Some(pair) = part.pairs.iter().find(|pair| !shared(&pair.key)) {
        let keys = base.entry.keys.iter().map(|key| key.name);
        let error = GrammarError::Key {
            of: entry.name,
            key: pair.key.clone(),
            near: None,
            valid: keys.filter(|name| shared(name)).collect(),
        };
        return Err(error.into());
    }
    let base = std::iter::once(&name).chain(&part.pairs);
    Ok(base.chain(&typed.pairs).cloned().collect())
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Self::parse(text)
    }
}

impl TryFrom<&str> for Spec {
    type Error = SpecError;

    fn try_from(text: &str) -> Result<Self, SpecError> {
        Self::parse(text)
    }
}

/// A [`Spec`] becomes one without fail.
impl From<Infallible> for SpecError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn message(text: &str) -> String {
        Spec::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_allowed_and_every_entry_builds() {
        for entry in CATALOG {
            for key in entry.keys {
                assert!(
                    key.value(key.default).is_some(),
                    "{} {}",
                    entry.name,
                    key.name
                );
            }
            let parameters = Spec::parse(entry.name)
                .unwrap()
                .parameters(Some(10))
                .unwrap();
            assert_eq!((entry.build)(&parameters, 1 << 30).lanes(), 1);
        }
    }

    #[test]
    fn a_spec_has_all_values() {
        let p = Spec::parse("p-norm:p=auto")
            .unwrap()
            .parameters(Some(1000))
            .unwrap();
        assert!((p.real("p") - 13.815_510_557_964_274).abs() < 1e-12);
        assert_eq!(p.real("margin"), 0.0);
        let pa = Spec::parse("passive-aggressive:variant=2,c=0.5").unwrap();
        assert_eq!(pa.parameters(None).unwrap().word("variant"), "2");
        assert!(pa.same(&Spec::parse("passive-aggressive:c=.5,variant=2").unwrap()));
        assert!(!pa.same(&Spec::parse("passive-aggressive").unwrap()));
        assert_eq!(pa.norm(), None);
        let unit = Spec::parse("higher-order:p=4,schedule=cap,c=1").unwrap();
        assert_eq!(unit.norm(), Some(4.0));
    }

    #[test]
    fn a_base_in_parentheses_is_the_key_base() {
        for (new, old) in [
            (
                "selective(second-order:a=0.5,form=dual):b=2",
                "selective:base=second-order,a=0.5,form=dual,b=2",
            ),
            ("selective(perceptron:margin=1)", "selective:margin=1"),
            ("selective(second-order)", "selective:base=second-order"),
            (
                "selective(second-order):margin=0.1",
                "selective:base=second-order,margin=0.1",
            ),
        ] {
            let [new, old] = [new, old].map(|text| Spec::parse(text).unwrap());
            assert!(new.same(&old), "{new} and {old}");
            assert_eq!(new.parameters(None), old.parameters(None));
            let text = new.to_string();
            assert!(Spec::parse(&text).unwrap().same(&new), "{text}");
        }
        for (text, want) in [
            (
                "selective(winnow)",
                "selective: base = winnow: must be perceptron|second-order; the default is perceptron",
            ),
            (
                "selective(second-ordr)",
                "no learner is called `second-ordr` (did you mean `second-order`?); the learners are ",
            ),
            (
                "selective(second-order:rank=3)",
                "selective has no key `rank`; its keys are a, margin, form",
            ),
            (
                "selective(second-order:a=adaptive)",
                "selective: a = adaptive: must be > 0, or auto; the default is 1",
            ),
            (
                "selective(second-order:a=1):a=2",
                "selective: `a` is given twice",
            ),
            (
                "selective(perceptron):base=perceptron",
                "selective: `base` is given twice",
            ),
            (
                "selective(perceptron; second-order)",
                "selective takes one spec in parentheses, and there are 2",
            ),
            (
                "selective(perceptron@bias=1)",
                "perceptron: `@` is for a learner that gets the rows itself, not for the base of selective",
            ),
            (
                "perceptron(averaged)",
                "perceptron takes no spec in parentheses, and there is 1",
            ),
            (
                "auto(perceptron; auto)",
                "auto: the learners in parentheses have no experts of their own; name those here",
            ),
            (
                "auto(perceptron; averagd)",
                "no learner is called `averagd` (did you mean `averaged`?)",
            ),
            (
                "auto(perceptron:marign=1)",
                "perceptron has no key `marign` (did you mean `margin`?)",
            ),
            (
                "auto:bta=0.5",
                "auto has no key `bta` (did you mean `beta`?)",
            ),
            ("auto:share=0.1", "auto: share goes with a fixed beta only"),
            (
                "auto(perceptron):beta=0.5,share=0.1",
                "auto: share needs two experts at least",
            ),
        ] {
            let said = message(text);
            assert!(said.starts_with(want), "{text}: {said}");
        }
    }

    #[test]
    fn rows_are_prepared_as_the_spec_says() {
        use crate::grammar::OffOr;
        let said = |text| Spec::parse(text).unwrap().preparation();
        assert_eq!(said("perceptron"), None);
        let both = said("perceptron:margin=1@normalize=2,bias=0.1").unwrap();
        assert_eq!(both.normalize, Some(OffOr::To(2.0)));
        assert_eq!(both.bias, Some(OffOr::To(0.1_f32)));
        let off = said("higher-order@normalize=off").unwrap();
        assert_eq!((off.normalize, off.bias), (Some(OffOr::Off), None));
        let infinite = said("perceptron@normalize=inf").unwrap().normalize.unwrap();
        assert_eq!(infinite.value(), Some(f64::INFINITY));
        let [a, b, c] = ["perceptron@bias=1", "perceptron@bias=1.0", "perceptron"]
            .map(|text| Spec::parse(text).unwrap());
        assert!(a.same(&b) && !a.same(&c));
        for (text, want) in [
            (
                "perceptron@bias=x",
                "perceptron: bias = x: must be off or a number; the default is off",
            ),
            (
                "perceptron@normalize=0.5",
                "perceptron: normalize = 0.5: must be off, inf or a number >= 1; the default is off",
            ),
            (
                "perceptron@normalise=2",
                "perceptron: after `@` only normalize and bias are allowed, not `normalise` (did you mean `normalize`?)",
            ),
            (
                "perceptron@margin=1",
                "perceptron: after `@` only normalize and bias are allowed, not `margin`",
            ),
            (
                "perceptron@bias=1,bias=1",
                "perceptron: `bias` is given twice",
            ),
            (
                "perceptron@bias",
                "perceptron: `bias` needs a value, as in bias=off; allowed: off or a number",
            ),
        ] {
            assert_eq!(message(text), want);
        }
    }

    #[test]
    fn values_that_the_first_rows_say() {
        let lengths = RowLengths {
            mean_square: 40.0,
            longest_square: 100.0,
        };
        for (text, key, want) in [
            ("second-order:a=auto", "a", 4.0),
            ("selective:b=auto", "b", 50.0),
            ("selective(second-order:a=auto):b=2", "a", 4.0),
            ("selective:base=second-order,b=auto", "b", 50.0),
            ("projectron:eta=auto", "eta", 40.0_f64.sqrt() / 10.0),
        ] {
            let spec = Spec::parse(text).unwrap();
            assert!(spec.needs_lengths() && !spec.needs_width(), "{text}");
            let parameters = spec.resolved(None, Some(&lengths)).unwrap();
            assert_eq!(parameters.real(key), want, "{text}");
            // rows of length 0 say nothing
            let of_nothing = spec.resolved(None, Some(&RowLengths::default())).unwrap();
            let default = Spec::parse(spec.name()).unwrap();
            let default = default.parameters(None).unwrap();
            assert_eq!(of_nothing.real(key), default.real(key), "{text}");
            assert!(spec.parameters(None).unwrap().real(key).is_nan());
            let error = spec.resolved(None, None).unwrap_err();
            let name = spec.name();
            assert_eq!(
                error.to_string(),
                format!(
                    "{name}: {key}=auto needs a look at the first rows, and there are none yet"
                )
            );
        }
        assert!(!Spec::parse("p-norm:p=auto").unwrap().needs_lengths());
    }

    #[test]
    fn a_flag_is_on_or_off() {
        let on = |text| {
            let parameters = Spec::parse(text).unwrap().parameters(None).unwrap();
            parameters.is_on("aggressive")
        };
        assert!(on("romma:aggressive") && on("romma:noise=1,aggressive=on"));
        assert!(!on("romma") && !on("romma:aggressive=off,noise=1"));
    }

    #[test]
    fn wrong_specs_say_what_is_right() {
        assert!(message("percepton").starts_with(
            "no learner is called `percepton` (did you mean `perceptron`?); the learners are perceptron, averaged"
        ));
        assert_eq!(
            message("perceptron:marign=1"),
            "perceptron has no key `marign` (did you mean `margin`?); its keys are margin"
        );
        assert_eq!(message("voted:x"), "voted has no key `x`; it takes no keys");
        assert_eq!(
            message("p-norm:p=1"),
            "p-norm: p = 1: must be >= 2 and <= 1000000, or auto; the default is 8"
        );
        assert_eq!(
            message("eg:eta=nan"),
            "eg: eta = nan: must be > 0 and <= 1000000; the default is 0.1"
        );
        assert_eq!(
            message("eg:eta"),
            "eg: `eta` needs a value, as in eta=0.1; allowed: > 0 and <= 1000000"
        );
        assert_eq!(message("eg:eta=1,eta=2"), "eg: `eta` is given twice");
        assert_eq!(
            message("second-order:a=pinv,form=sketch"),
            "second-order: a=pinv has the forms auto, primal and dual only"
        );
        assert_eq!(
            message("second-order:rank=2.5"),
            "second-order: rank = 2.5: must be a whole number >= 1 and <= 10000; the default is 32"
        );
        assert_eq!(
            message("second-order:a=automatic"),
            "second-order: a = automatic: must be > 0, or adaptive, or pinv, or auto; the default is 1"
        );
        assert_eq!(
            message("selective:a=auto"),
            "selective: a and form go with base=second-order only"
        );
        assert_eq!(
            message("higher-order:c=1"),
            "higher-order: c = 1 goes with schedule=cap only; other schedules need c < 1"
        );
        assert_eq!(
            message("higher-order:schedule=cap,c=0"),
            "higher-order: schedule=cap needs c > 0"
        );
        assert_eq!(
            message("higher-order:form=dual,p=3"),
            "higher-order: form=dual is for p = 2 only; use auto, implicit, low-rank or primal"
        );
        assert_eq!(
            message("romma:agressive"),
            "romma has no key `agressive` (did you mean `aggressive`?); its keys are aggressive, noise, start"
        );
        assert_eq!(
            message("romma:aggressive=yes"),
            "romma: aggressive = yes: must be on|off; the default is off"
        );
        assert_eq!(
            message("romma:aggressive,aggressive"),
            "romma: `aggressive` is given twice"
        );
        assert_eq!(
            message("max-margin:noise=-1"),
            "max-margin: noise = -1: must be >= 0; the default is 0"
        );
        assert_eq!(
            message("romma:noise"),
            "romma: `noise` needs a value, as in noise=0; allowed: >= 0"
        );
        let winnow = Spec::parse("winnow").unwrap().parameters(None).unwrap_err();
        assert_eq!(
            winnow.to_string(),
            "winnow: theta=auto needs the number of features, which a stream does not tell"
        );
        assert_eq!(
            winnow.remedy().unwrap().to_string(),
            "use features=D, theta=NUMBER, or a file"
        );
    }
}
