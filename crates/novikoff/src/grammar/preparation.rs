//! What a spec says after `@`: how its learner gets its rows.

use super::error::GrammarError;
use super::expression::Pair;
use super::resolve::resolve;
use crate::parameter::{Key, Value};

/// Something that is off, or has a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OffOr<T> {
    /// Not done.
    Off,
    /// Done with this value.
    To(T),
}

impl<T> OffOr<T> {
    /// The value, if it is not off.
    pub fn value(self) -> Option<T> {
        match self {
            OffOr::Off => None,
            OffOr::To(value) => Some(value),
        }
    }
}

impl<T> From<Option<T>> for OffOr<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(OffOr::Off, OffOr::To)
    }
}

/// What a spec says about its rows. What it does not say is as for all learners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnPreparation {
    /// The p of the norm that rows are divided by.
    pub normalize: Option<OffOr<f64>>,
    /// The constant feature.
    pub bias: Option<OffOr<f32>>,
}

const KEYS: &[Key] = &[
    Key::text("normalize", "off", "off, inf or a number >= 1", |text| {
        normalize(text).is_some()
    }),
    Key::text("bias", "off", "off or a number", |text| {
        bias(text).is_some()
    }),
];

impl OwnPreparation {
    /// Reads what follows `@` in the spec of `of`; nothing if nothing does.
    pub(crate) fn read(of: &'static str, pairs: &[Pair]) -> Result<Option<Self>, GrammarError> {
        if pairs.is_empty() {
            return Ok(None);
        }
        let values = resolve(of, KEYS, pairs).map_err(|error| match error {
            // it may be a key of the learner itself
            GrammarError::Key {
                of,
                key,
                near,
                valid,
            } => GrammarError::PreparationKey {
                of,
                key,
                near,
                valid,
            },
            error => error,
        })?;
        let text = |k: usize| match values.get(k) {
            Some(Some(Value::Text(text))) => Some(text.as_str()),
            _ => None,
        };
        Ok(Some(OwnPreparation {
            normalize: text(0).and_then(normalize),
            bias: text(1).and_then(bias),
        }))
    }
}

/// Reads a constant feature: `off` or a number.
pub fn bias(text: &str) -> Option<OffOr<f32>> {
    if text == "off" {
        return Some(OffOr::Off);
    }
    let number = text.parse::<f32>().ok().filter(|n| n.is_finite());
    number.map(OffOr::To)
}

/// Reads the p of a norm: `off`, `inf` or a number of at least 1.
pub fn normalize(text: &str) -> Option<OffOr<f64>> {
    match text {
        "off" => Some(OffOr::Off),
        "inf" => Some(OffOr::To(f64::INFINITY)),
        _ => {
            let number = text.parse::<f64>().ok();
            let number = number.filter(|p| *p >= 1.0 && p.is_finite());
            number.map(OffOr::To)
        }
    }
}
