//! What a certificate in JSON claims.

use std::path::Path;

use novikoff::parameter::{Parameter, Parameters};
use novikoff_check::Claim;
use serde_json::Value;

use novikoff::grammar;
use novikoff::kernel::Kernel;

use super::majority::{ClaimedExpert, experts_of};
use crate::Error;
use crate::error::give_certificate;
use crate::options::RunOptions;
use crate::rows::HeldRows;

/// The theorem of a weighted majority.
const MAJORITY: &str = "WM";

/// A certified run, as it was printed.
pub(super) struct Claimed {
    pub(super) spec: String,
    pub(super) kernel: String,
    pub(super) epochs: u32,
    pub(super) shuffle: Option<u64>,
    bias: Option<f64>,
    /// A number, or `inf`.
    normalize: Option<String>,
    standardize: bool,
    /// How the rows were read.
    pub(super) rows: Option<Vec<(String, String)>>,
    /// The map of the rows, if there was one.
    map: Option<String>,
    /// Where the trace is, if there is one.
    pub(super) trace: Option<String>,
    /// Where U is, if it was saved.
    pub(super) file: Option<String>,
    /// U was given, and not looked for.
    pub(super) is_given: bool,
    /// The binary problems; one if there are two labels.
    pub(super) classes: Vec<ClaimedClass>,
    pub(super) is_binary: bool,
    /// Of the whole run: mistakes, the sum of the updates, and the certificate.
    pub(super) mistakes: u64,
    pub(super) updates: u64,
    pub(super) whole: Claim,
    parameters: Value,
    data: Value,
    /// Of a majority: its experts.
    pub(super) experts: Vec<ClaimedExpert>,
    /// Of a majority: the bound through an expert.
    pub(super) composed: Option<ClaimedComposed>,
    /// Mistakes and updates of the whole run, epoch by epoch.
    pub(super) by_epoch: Vec<(u64, u64)>,
}

/// Names and values of what was asked of the rows; certificates of before have none.
fn row_settings(rows: &Value) -> Option<Vec<(String, String)>> {
    let settings = rows.as_object()?.iter();
    let setting =
        |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    Some(settings.filter_map(setting).collect())
}

/// One binary problem.
pub(super) struct ClaimedClass {
    pub(super) name: String,
    pub(super) mistakes: u64,
    pub(super) updates: u64,
    pub(super) claim: Claim,
}

impl Claimed {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let shown = path.display();
        let text = std::fs::read(path);
        let text =
            text.map_err(|error| Error::plain(format!("{shown}: cannot read it: {error}")))?;
        let json: Value = serde_json::from_slice(&text).map_err(|error| {
            Error::refused(format!("{shown}: is no JSON: {error}"), give_certificate())
        })?;
        if let Some(reason) = json["reason"]
            .as_str()
            .filter(|_| json["certificate"].is_null())
        {
            let what = format!("{shown}: holds no certificate: {reason}");
            return Err(Error::plain(what));
        }
        Self::of(&json)
            .map_err(|what| Error::refused(format!("{shown}: {what}"), give_certificate()))
    }

    fn of(json: &Value) -> Result<Self, String> {
        let options = &json["options"];
        if !options.is_object() {
            return Err("has no \"options\" of a certified run".to_owned());
        }
        let epochs = count(options, "epochs")?;
        let whole = claim(&json["certificate"])?;
        let mut classes = Vec::new();
        let list = json["classes"].as_array();
        let is_majority = whole.theorem == MAJORITY;
        let list_of = list.into_iter().flatten();
        // a majority that answers with one label has one certificate
        for class in list_of.filter(|class| !is_majority || class["certificate"].is_object()) {
            classes.push(ClaimedClass {
                name: word(class, "class")?,
                mistakes: count(class, "mistakes")?,
                updates: count(class, "updates")?,
                claim: claim(&class["certificate"])?,
            });
        }
        for (k, class) in classes.iter().enumerate() {
            let mut before = classes[..k].iter();
            if before.any(|other: &ClaimedClass| other.name == class.name) {
                return Err(format!("lists the class {} twice", class.name));
            }
        }
        if list.is_none() {
            let name = if is_majority {
                "all".to_owned()
            } else {
                word(&json["certificate"]["comparator"], "class")?
            };
            classes.push(ClaimedClass {
                name,
                mistakes: count(json, "mistakes")?,
                updates: count(json, "updates")?,
                claim: whole.clone(),
            });
        }
        let by_epoch = json["epochs"].as_array().into_iter().flatten();
        let by_epoch =
            by_epoch.map(|e| Ok::<_, String>((count(e, "mistakes")?, count(e, "updates")?)));
        Ok(Claimed {
            spec: word(json, "spec")?,
            kernel: word(json, "kernel")?,
            epochs: u32::try_from(epochs)
                .ok()
                .filter(|epochs| *epochs > 0)
                .ok_or("\"epochs\" is out of range")?,
            shuffle: options["shuffle"].as_u64(),
            bias: options["bias"].as_f64(),
            normalize: match &options["normalize"] {
                Value::Null => None,
                Value::String(word) => Some(word.clone()),
                number => Some(number.to_string()),
            },
            standardize: options["standardize"] == true,
            rows: row_settings(&options["rows"]),
            map: json["map"].as_str().map(str::to_owned),
            trace: json["trace"].as_str().map(str::to_owned),
            file: json["certificate"]["comparator"]["file"]
                .as_str()
                .map(str::to_owned),
            is_given: json["certificate"]["comparator"]["origin"] != "solved",
            is_binary: list.is_none(),
            classes,
            mistakes: count(json, "mistakes")?,
            updates: count(json, "updates")?,
            whole,
            parameters: json["parameters"].clone(),
            data: json["data"].clone(),
            experts: experts_of(&json["experts"]),
            composed: composed(&json["certificate"])?,
            by_epoch: by_epoch.collect::<Result<_, _>>()?,
        })
    }

    /// What is claimed of an expert of a majority alone: the trials are those of the run, and its vector is not saved.
    pub(super) fn of_expert(&self, composed: &ClaimedComposed, names: Vec<String>) -> Claimed {
        let class = |name: String| ClaimedClass {
            name,
            mistakes: 0,
            updates: 0,
            claim: composed.claim.clone(),
        };
        Claimed {
            spec: composed.spec.clone(),
            kernel: self.kernel.clone(),
            epochs: self.epochs,
            shuffle: self.shuffle,
            bias: None,
            normalize: None,
            standardize: self.standardize,
            rows: None,
            map: None,
            trace: None,
            file: None,
            is_given: false,
            classes: names.into_iter().map(class).collect(),
            is_binary: self.is_binary,
            mistakes: 0,
            updates: 0,
            whole: composed.claim.clone(),
            parameters: Value::Null,
            data: Value::Null,
            experts: Vec::new(),
            composed: None,
            by_epoch: Vec::new(),
        }
    }

    /// Whether it is the certificate of a majority.
    pub(super) fn is_of_majority(&self) -> bool {
        self.whole.theorem == MAJORITY
    }

    /// beta of a majority, if it is fixed.
    pub(super) fn beta(&self) -> Option<f64> {
        self.parameters["beta"].as_f64()
    }

    /// The part of a weight that a majority shares.
    pub(super) fn share(&self) -> f64 {
        self.parameters["share"].as_f64().unwrap_or(0.0)
    }

    /// The options of the run.
    pub(super) fn set(&self, run: &mut RunOptions) -> Result<(), Error> {
        let wrong =
            |what: &str| Error::refused(format!("{what} is out of range"), give_certificate());
        run.epochs = Some(self.epochs);
        run.shuffle = self.shuffle;
        let kernel = Kernel::parse(&self.kernel);
        let kernel = kernel.map_err(|error| Error::plain(error.to_string()))?;
        run.kernel = Some(kernel.into());
        run.bias = Some(self.bias.map(|bias| bias as f32));
        // what a learner is normalised by on its own is among the options
        let normalize = self.normalize.as_deref().unwrap_or("off");
        let normalize = grammar::normalize(normalize).ok_or_else(|| wrong("\"normalize\""))?;
        run.normalize = Some(normalize.value());
        run.standardize = self.standardize;
        if let Some(map) = &self.map {
            return Err(Error::refused(
                format!("the certificate is about rows mapped by {map}, and a check has no map"),
                "check the certificate of a run without a map",
            ));
        }
        Ok(())
    }

    /// Rows and features must be those of the data.
    pub(super) fn about_data(&self, held: &HeldRows) -> Vec<String> {
        let is = [
            ("rows", held.len() as u64),
            ("features", u64::from(held.width())),
        ];
        let differs = is.iter().filter(|(name, is)| self.data[name] != *is);
        let mut all: Vec<String> = differs
            .map(|(name, is)| format!("{name}: claimed {}, the data has {is}", self.data[name]))
            .collect();
        if self.by_epoch.len() != self.epochs as usize {
            let (claimed, listed) = (self.epochs, self.by_epoch.len());
            all.push(format!(
                "epochs: claimed {claimed}, and {listed} are listed"
            ));
        }
        all
    }

    /// The parameters must be those of the spec.
    pub(super) fn about_parameters(&self, parameters: &Parameters) -> Vec<String> {
        let mut all = Vec::new();
        for (name, is) in parameters.iter() {
            let claimed = &self.parameters[name];
            let (same, is) = match is {
                Parameter::Real(number) => {
                    let near = |v: f64| (v - number).abs() <= 1e-12 * number.abs();
                    (claimed.as_f64().is_some_and(near), number.to_string())
                }
                Parameter::Word(word) => (*claimed == **word, word.clone()),
            };
            if !same {
                all.push(format!("{name}: claimed {claimed}, the spec says {is}"));
            }
        }
        all
    }

    /// Of several classes, the certificate is the sum.
    pub(super) fn about_sums(&self, bounds: &[f64]) -> Vec<String> {
        if self.is_binary {
            return Vec::new();
        }
        let mut all = Vec::new();
        let mut compare = |what: &str, claimed: f64, is: f64| {
            if (claimed - is).abs() > 1e-9 * is.abs().max(1.0) {
                all.push(format!("{what}: claimed {claimed}, the classes have {is}"));
            }
        };
        let bound: f64 = bounds.iter().sum();
        compare("sum of the bounds", self.whole.bound, bound);
        for (name, value) in &self.whole.terms {
            let terms = self.classes.iter().flat_map(|class| &class.claim.terms);
            let terms = terms.filter(|(other, _)| other == name);
            let sum = terms.map(|(_, value)| value).sum();
            compare(&format!("sum of the terms {name}"), *value, sum);
        }
        let norms = self.classes.iter().map(|class| class.claim.norm);
        compare("largest norm", self.whole.norm, norms.fold(0.0, f64::max));
        let losses = self.classes.iter().map(|class| class.claim.hinge);
        if let (Some(claimed), Some(sum)) = (self.whole.hinge, losses.sum::<Option<f64>>()) {
            compare("sum of the hinge losses", claimed, sum);
        }
        let mut theorems: Vec<&str> = self.whole.theorem.split(", ").collect();
        let mut own: Vec<&str> = self.classes.iter().map(|c| &*c.claim.theorem).collect();
        theorems.sort_unstable();
        own.sort_unstable();
        own.dedup();
        if theorems != own {
            let (claimed, own) = (&self.whole.theorem, own.join(", "));
            all.push(format!(
                "theorem: claimed {claimed}, the classes have {own}"
            ));
        }
        if self.whole.expected != self.classes.iter().any(|class| class.claim.expected) {
            all.push("expected: the classes say otherwise".to_owned());
        }
        let is_kept = self.whole.mistakes as f64 <= self.whole.bound;
        let holds = (is_kept || !self.whole.expected).then_some(is_kept);
        if self.whole.holds != holds {
            all.push(format!(
                "holds: claimed {:?}, recomputed {holds:?}",
                self.whole.holds
            ));
        }
        if self.whole.mistakes != self.mistakes {
            let (claimed, run) = (self.whole.mistakes, self.mistakes);
            all.push(format!("mistakes: claimed {claimed}, the run has {run}"));
        }
        all
    }
}

/// The bound of a majority through an expert.
pub(super) struct ClaimedComposed {
    pub(super) bound: f64,
    /// The expert.
    pub(super) spec: String,
    /// The class of its vector, if there is one.
    pub(super) class: Option<String>,
    /// Its certificate.
    pub(super) claim: Claim,
}

fn composed(certificate: &Value) -> Result<Option<ClaimedComposed>, String> {
    let (bound, expert) = (&certificate["composed"], &certificate["expert"]);
    if bound.is_null() && expert.is_null() {
        return Ok(None);
    }
    Ok(Some(ClaimedComposed {
        bound: number(certificate, "composed")?,
        spec: word(expert, "spec")?,
        class: expert["comparator"]["class"].as_str().map(str::to_owned),
        claim: claim(expert)?,
    }))
}

fn count(json: &Value, key: &str) -> Result<u64, String> {
    json[key].as_u64().ok_or_else(|| missing(key))
}

fn word(json: &Value, key: &str) -> Result<String, String> {
    let word = json[key].as_str().ok_or_else(|| missing(key))?;
    Ok(word.to_owned())
}

fn number(json: &Value, key: &str) -> Result<f64, String> {
    json[key].as_f64().ok_or_else(|| missing(key))
}

fn missing(key: &str) -> String {
    format!("has no \"{key}\" where a certified run has one")
}

fn claim(json: &Value) -> Result<Claim, String> {
    let numbers = |list: &Value| -> Vec<(String, f64)> {
        let pairs = list.as_object().into_iter().flatten();
        let pairs = pairs.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)));
        pairs.collect()
    };
    let counts_updates = json["counts"] == "updates";
    let mistakes = count(json, "mistakes")?;
    let theorem = word(json, "theorem")?;
    Ok(Claim {
        norm: if theorem == MAJORITY {
            0.0
        } else {
            number(&json["comparator"], "norm")?
        },
        theorem,
        counts_updates,
        expected: json["expected"] == true,
        mistakes,
        counted: if counts_updates {
            count(json, "updates")?
        } else {
            mistakes
        },
        bound: number(json, "bound")?,
        holds: json["holds"].as_bool(),
        terms: numbers(&json["terms"]),
        ingredients: numbers(&json["ingredients"]),
        hinge: json["comparator"]["hinge"].as_f64(),
    })
}
