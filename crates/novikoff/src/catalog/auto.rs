//! The experts of `auto`: which they are unless a spec names others, their text, and how they become a majority.

use super::{CATALOG, Entry, SpecParts};
use crate::grammar::{self, Expression, OffOr, OwnPreparation, Sort};
use crate::kernel::Kernel;
use crate::learner::Learner;
use crate::majority::{Majority, NewExpert, Rates};
use crate::parameter::{Parameter, Parameters, Value};
use crate::preparation::Preparation;

/// Its name.
pub const AUTO: &str = "auto";

/// The parameter that holds the experts with all their values, as specs separated by `; `.
pub const EXPERTS: &str = "experts";

/// The experts of `auto`, chosen by bench/record/2026-11-17-auto.md.
pub const DEFAULT_EXPERTS: &str = "perceptron@normalize=2,bias=1; \
     passive-aggressive@normalize=2,bias=1; \
     arow@bias=1; \
     arow@normalize=2,bias=1; \
     arow:r=0.1@normalize=2,bias=1; \
     second-order:a=0.1@normalize=2,bias=1; \
     logistic@normalize=2,bias=1";

/// The learners of that set, each over a grid of its own.
pub const EXPERT_GRIDS: &[&str] = &[
    "perceptron:margin=0|0.1|1@normalize=2,bias=1",
    "passive-aggressive:c=0.01|0.1|1@normalize=2,bias=1",
    "arow:r=0.1|1|10@bias=1",
    "arow:r=0.01|0.1|1@normalize=2,bias=1",
    "second-order:a=0.01|0.1|1@normalize=2,bias=1",
    "logistic@normalize=off|2,bias=1",
];

/// The most experts of one majority.
pub const MOST_EXPERTS: usize = 64;

/// The text of an expert: its name, what differs from its defaults, and what is done to its rows.
pub fn written(entry: &Entry, parameters: &Parameters, said: Option<OwnPreparation>) -> String {
    let mut pairs = Vec::new();
    for key in entry.keys {
        let value = match parameters.iter().find(|(name, _)| *name == key.name) {
            // not resolved yet
            Some((_, Parameter::Real(number))) if number.is_nan() => "auto".to_owned(),
            Some((_, Parameter::Real(number))) => number.to_string(),
            Some((_, Parameter::Word(word))) => word.clone(),
            None => continue,
        };
        if key.is_flag() && value == "on" {
            pairs.push(key.name.to_owned());
        } else if key.value(&value) != key.value(key.default) {
            pairs.push(format!("{}={value}", key.name));
        }
    }
    let keys = if pairs.is_empty() {
        String::new()
    } else {
        format!(":{}", pairs.join(","))
    };
    let mut after = Vec::new();
    match said.and_then(|said| said.normalize) {
        Some(OffOr::To(p)) => after.push(format!("normalize={p}")),
        // a learner that wants its rows divided by a norm may be given others
        Some(OffOr::Off) if (entry.can.norm)(parameters).is_some() => {
            after.push("normalize=off".to_owned());
        }
        _ => {}
    }
    if let Some(OffOr::To(bias)) = said.and_then(|said| said.bias) {
        after.push(format!("bias={bias}"));
    }
    let after = if after.is_empty() {
        String::new()
    } else {
        format!("@{}", after.join(","))
    };
    format!("{}{keys}{after}", entry.name)
}

/// An expert taken out of the text of all.
struct WrittenExpert {
    spec: String,
    entry: &'static Entry,
    parameters: Parameters,
    said: Option<OwnPreparation>,
}

/// The experts of some parameters. Their text was written by [`written`], or checked when the model was read; what is no expert is
/// left out.
fn experts(p: &Parameters) -> Vec<WrittenExpert> {
    let text = format!("auto({})", p.word(EXPERTS));
    let parts = Expression::parse(&text).map(|whole| whole.parts);
    let expert = |part: &Expression| {
        let entry = grammar::find(Sort::Learner, CATALOG, |entry| entry.name, &part.name).ok()?;
        let values = grammar::resolve(entry.name, entry.keys, &part.pairs).ok()?;
        let values = grammar::filled(entry.keys, values);
        let parameter = |value: &Value| match value {
            Value::Real(number) => Parameter::Real(*number),
            Value::Count(number) => Parameter::Real(*number as f64),
            Value::Word(word) => Parameter::Word((*word).to_owned()),
            Value::Text(text) => Parameter::Word(text.clone()),
            Value::Auto => Parameter::Real(f64::NAN),
        };
        let list = entry.keys.iter().zip(&values);
        let list = list.map(|(key, value)| (key.name.to_owned(), parameter(value)));
        Some(WrittenExpert {
            spec: part.to_string(),
            entry,
            parameters: Parameters::from_list(list.collect()),
            said: OwnPreparation::read(entry.name, &part.preparation).ok()?,
        })
    };
    parts
        .unwrap_or_default()
        .iter()
        .filter_map(expert)
        .collect()
}

/// Why the experts cannot be in the space of a kernel, if one cannot.
pub(super) fn no_kernel(p: &Parameters) -> Option<&'static str> {
    let cannot = |expert: &WrittenExpert| {
        expert.entry.build_with.is_none()
            || (expert.entry.can.no_kernel)(&expert.parameters).is_some()
    };
    let any = experts(p).iter().any(cannot);
    any.then_some("one of its experts has no form with a kernel")
}

/// What cannot go together.
pub(super) fn clash(p: &Parameters) -> Option<&'static str> {
    let nested = |expert: &WrittenExpert| expert.entry.can.parts == SpecParts::Learners;
    if experts(p).iter().any(nested) {
        return Some("the learners in parentheses have no experts of their own; name those here");
    }
    if p.real("share") > 0.0 && p.word("beta") == "auto" {
        return Some("share goes with a fixed beta only, as in beta=0.5,share=0.01");
    }
    if p.real("share") > 0.0 && experts(p).len() < 2 {
        return Some("share needs two experts at least");
    }
    None
}

pub(super) fn build(p: &Parameters, kernel: Kernel, memory: u128) -> Box<dyn Learner> {
    let experts = experts(p);
    let each = memory / experts.len().max(1) as u128;
    let is_linear = kernel == Kernel::LINEAR;
    let joined = experts.into_iter().filter_map(|expert| {
        let WrittenExpert {
            spec,
            entry,
            parameters,
            said,
        } = expert;
        let normalize = said.and_then(|said| said.normalize);
        let wanted = (entry.can.norm)(&parameters);
        let mut own = kernel;
        // as alone: with a kernel, rows of length 1 are those of its space
        own.cosine |= !is_linear && normalize.is_none() && wanted.is_some();
        let learner = match entry.build_with {
            _ if is_linear => (entry.build)(&parameters, each),
            Some(build) => build(&parameters, own, each),
            None => return None,
        };
        let preparation = Preparation {
            bias: said.and_then(|said| said.bias?.value()),
            normalize: match normalize {
                Some(normalize) => normalize.value(),
                None => wanted.filter(|_| is_linear),
            },
            ..Preparation::default()
        };
        Some(NewExpert {
            spec,
            name: entry.name,
            learner,
            preparation,
            cost_of: entry.can.cost,
            parameters,
            kernel: own,
        })
    });
    let rates = Rates {
        fixed: Some(-libm::log(p.real("beta"))).filter(|eta| !eta.is_nan()),
        share: p.real("share"),
    };
    let perceptron = super::cost::one_vector;
    Box::new(Majority::new(
        joined.collect(),
        rates,
        p.real("cost"),
        (perceptron, kernel),
    ))
}
