//! Learner specs: `name` or `name:key=value,key=value,flag`, one grammar everywhere.

use std::fmt;

use crate::catalog::{CATALOG, Entry, SOLVED, clash, no_kernel, norm};
use crate::kernel::Kernel;
use crate::learner::Learner;
use crate::parameter::{Key, Kind, Parameter, Parameters, Value};

/// A learner's name and the values of all its keys.
#[derive(Clone, Debug)]
pub struct Spec {
    text: String,
    entry: &'static Entry,
    values: Vec<Value>,
}

/// What can be wrong with a spec.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// No such learner.
    #[error("no learner is called `{name}`{}; the learners are {}", nearest(*.near), .valid.join(", "))]
    Name {
        /// As typed.
        name: String,
        /// The nearest name.
        near: Option<&'static str>,
        /// All names.
        valid: Vec<&'static str>,
    },
    /// The learner has no such key.
    #[error("{learner} has no key `{key}`{}; {}", nearest(*.near), keys(.valid))]
    Key {
        /// The learner.
        learner: &'static str,
        /// As typed.
        key: String,
        /// The nearest key.
        near: Option<&'static str>,
        /// All its keys.
        valid: Vec<&'static str>,
    },
    /// A key stands alone.
    #[error("{learner}: `{key}` needs a value, as in {key}={default}; allowed: {allowed}")]
    NoValue {
        /// The learner.
        learner: &'static str,
        /// The key.
        key: &'static str,
        /// What is allowed.
        allowed: String,
        /// The default.
        default: &'static str,
    },
    /// A key occurs twice.
    #[error("{learner}: `{key}` is given twice")]
    Twice {
        /// The learner.
        learner: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A value is not allowed.
    #[error("{learner}: {key} = {got}: must be {allowed}; the default is {default}")]
    Value {
        /// The learner.
        learner: &'static str,
        /// The key.
        key: &'static str,
        /// As typed.
        got: String,
        /// What is allowed.
        allowed: String,
        /// The default.
        default: &'static str,
    },
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
        why: &'static str,
    },
    /// `auto` needs the number of features.
    #[error(
        "{learner}: {key}=auto needs the number of features, which a stream does not tell; \
         give --features D, or {key}=NUMBER, or a file"
    )]
    Width {
        /// The learner.
        learner: &'static str,
        /// The key.
        key: &'static str,
    },
}

fn nearest(near: Option<&'static str>) -> String {
    near.map_or_else(String::new, |n| format!(" (did you mean `{n}`?)"))
}

fn keys(valid: &[&'static str]) -> String {
    if valid.is_empty() {
        "it takes no keys".to_owned()
    } else {
        format!("its keys are {}", valid.join(", "))
    }
}

/// The candidate most like `typed`, if any is like it at all.
pub fn nearest_match<'a>(
    typed: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    candidates
        .map(|c| (strsim::jaro_winkler(&typed, c), c))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, c)| c)
}

impl Spec {
    /// Reads a spec.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let entry = CATALOG
            .iter()
            .find(|e| e.name == name)
            .ok_or_else(|| SpecError::Name {
                name: name.to_owned(),
                near: nearest_match(name, CATALOG.iter().map(|e| e.name)),
                valid: CATALOG.iter().map(|e| e.name).collect(),
            })?;
        let learner = entry.name;
        let mut values = vec![None; entry.keys.len()];
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let (key, typed) = match part.split_once('=') {
                Some((key, typed)) => (key, Some(typed)),
                None => (part, None),
            };
            let at = entry
                .keys
                .iter()
                .position(|k| k.name == key)
                .ok_or_else(|| SpecError::Key {
                    learner,
                    key: key.to_owned(),
                    near: nearest_match(key, entry.keys.iter().map(|k| k.name)),
                    valid: entry.keys.iter().map(|k| k.name).collect(),
                })?;
            let key = &entry.keys[at];
            let (allowed, default) = (key.allowed(), key.default);
            let Some(typed) = typed.or(key.is_flag().then_some("on")) else {
                return Err(SpecError::NoValue {
                    learner,
                    key: key.name,
                    allowed,
                    default,
                });
            };
            if values[at].is_some() {
                return Err(SpecError::Twice {
                    learner,
                    key: key.name,
                });
            }
            let got = typed.to_owned();
            let bad = SpecError::Value {
                learner,
                key: key.name,
                got,
                allowed,
                default,
            };
            values[at] = Some(key.value(typed).ok_or(bad)?);
        }
        // every default of the catalogue is allowed: tested
        let default = |key: &Key| key.value(key.default).unwrap_or(Value::Auto);
        let values = values
            .into_iter()
            .zip(entry.keys)
            .map(|(v, key)| v.unwrap_or_else(|| default(key)));
        let spec = Spec {
            text: text.to_owned(),
            entry,
            values: values.collect(),
        };
        let any_width = spec.parameters(Some(1))?;
        match clash(learner, &any_width) {
            Some(what) => Err(SpecError::Clash { learner, what }),
            None => Ok(spec),
        }
    }

    /// Of a model that `solve` made.
    pub fn solved() -> Self {
        Spec {
            text: SOLVED.name.to_owned(),
            entry: &SOLVED,
            values: Vec::new(),
        }
    }

    /// Reads the spec of a model.
    pub fn stored(text: &str) -> Result<Self, SpecError> {
        if text == SOLVED.name {
            Ok(Self::solved())
        } else {
            Self::parse(text)
        }
    }

    /// Whether rows can be learned from, one after another.
    pub fn learns(&self) -> bool {
        self.entry.name != SOLVED.name
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
        norm(self.entry.name, &self.parameters(Some(1)).ok()?)
    }

    /// True if the same learner with the same values.
    pub fn same(&self, other: &Spec) -> bool {
        self.entry.name == other.entry.name && self.values == other.values
    }

    /// True if a value is `auto`, so that the number of features is needed.
    pub fn needs_width(&self) -> bool {
        self.values.contains(&Value::Auto)
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
        match (no_kernel(self.entry, parameters), self.entry.build_with) {
            (None, Some(build)) => Ok(build(parameters, kernel, memory)),
            (why, _) => Err(SpecError::Kernel {
                learner: self.entry.name,
                kernel: kernel.to_string(),
                why: why.unwrap_or("it has no kernel form"),
            }),
        }
    }

    /// All values, `auto` replaced by what it means for `width` features.
    pub fn parameters(&self, width: Option<u32>) -> Result<Parameters, SpecError> {
        let mut list = Vec::new();
        for (key, value) in self.entry.keys.iter().zip(&self.values) {
            let parameter = match (*value, key.kind, width) {
                (Value::Real(number), _, _) => Parameter::Real(number),
                (Value::Word(word), _, _) => Parameter::Word(word.to_owned()),
                (
                    Value::Auto,
                    Kind::Real {
                        auto: Some(auto), ..
                    },
                    Some(d),
                ) => Parameter::Real(auto(f64::from(d))),
                _ => {
                    return Err(SpecError::Width {
                        learner: self.entry.name,
                        key: key.name,
                    });
                }
            };
            list.push((key.name.to_owned(), parameter));
        }
        Ok(Parameters::from_list(list))
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
            message("second-order:a=auto"),
            "second-order: a = auto: must be > 0, or adaptive, or pinv; the default is 1"
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
            "romma has no key `agressive` (did you mean `aggressive`?); its keys are aggressive, noise"
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
        assert!(winnow.to_string().contains("--features D"));
    }
}
