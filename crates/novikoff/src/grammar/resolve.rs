//! From words to what they name: names against a catalogue, keys against those of its entry.

use super::error::{GrammarError, Sort, nearest_match, shown};
use super::expression::{Expression, Pair};
use crate::parameter::{Key, Value};

/// The entry called `name`.
pub fn find<T>(
    sort: Sort,
    all: &'static [T],
    name_of: fn(&T) -> &'static str,
    name: &str,
) -> Result<&'static T, GrammarError> {
    let names = || all.iter().map(name_of);
    let found = all.iter().find(|entry| name_of(entry) == name);
    found.ok_or_else(|| GrammarError::Name {
        sort,
        name: shown(name),
        near: nearest_match(name, names()),
        valid: names().collect(),
    })
}

/// The values given for some keys, in the order of the keys.
pub fn resolve(
    of: &'static str,
    keys: &'static [Key],
    pairs: &[Pair],
) -> Result<Vec<Option<Value>>, GrammarError> {
    let mut values = vec![None; keys.len()];
    for pair in pairs {
        let names = || keys.iter().map(|key| key.name);
        let at = names().position(|name| name == pair.key);
        let Some((at, key)) = at.and_then(|at| keys.get(at).map(|key| (at, key))) else {
            return Err(GrammarError::Key {
                of,
                key: shown(&pair.key),
                near: nearest_match(&pair.key, names()),
                valid: names().collect(),
            });
        };
        let value = value(of, key, pair)?;
        if values[at].replace(value).is_some() {
            let key = key.name;
            return Err(GrammarError::Twice { of, key });
        }
    }
    Ok(values)
}

fn value(of: &'static str, key: &Key, pair: &Pair) -> Result<Value, GrammarError> {
    let typed = pair.value.as_deref();
    let (allowed, default) = (key.allowed(), key.default);
    let Some(typed) = typed.or(key.is_flag().then_some("on")) else {
        return Err(GrammarError::NoValue {
            of,
            key: key.name,
            allowed,
            default,
        });
    };
    key.value(typed).ok_or_else(|| GrammarError::Value {
        of,
        key: key.name,
        got: shown(typed),
        allowed,
        default,
    })
}

/// Those values, and the defaults of the other keys.
pub fn filled(keys: &[Key], values: Vec<Option<Value>>) -> Vec<Value> {
    // every default of a catalogue is allowed: tested
    let default = |key: &Key| key.value(key.default).unwrap_or(Value::Auto);
    let all = values.into_iter().zip(keys);
    all.map(|(value, key)| value.unwrap_or_else(|| default(key)))
        .collect()
}

/// An error if a spec has parts or a preparation, for what takes neither.
pub fn alone(sort: Sort, of: &'static str, typed: &Expression) -> Result<(), GrammarError> {
    if !typed.parts.is_empty() {
        let got = typed.parts.len();
        return Err(GrammarError::Parts {
            of,
            allowed: 0,
            got,
        });
    }
    if !typed.preparation.is_empty() {
        let why = format!("a {sort}");
        return Err(GrammarError::Preparation { of, why });
    }
    Ok(())
}
