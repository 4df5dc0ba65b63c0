//! JSON bodies, read straight into rows: nothing of a body is held twice.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;
use novikoff_data::row_builder::{RowBuilder, RowError, RowInProgress};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::RowParameters;
use crate::problem::Problem;
use crate::words::said;

/// A body that is one object.
pub struct JsonBody {
    /// Its rows.
    pub rows: NamedRows,
    /// What it says besides them.
    pub parameters: RowParameters,
}

/// Rows being read. What is wrong with a row is kept here, for errors of the JSON reader are texts.
struct Reading {
    builder: RowBuilder,
    names: Names,
    rows: Rows,
    wrong: RefCell<Option<String>>,
    /// A row is being read.
    in_row: bool,
}

impl Reading {
    fn new(options: &ReadOptions) -> Self {
        Reading {
            builder: RowBuilder::new(options.clone()),
            names: Names::new(),
            rows: Rows::new(),
            wrong: RefCell::new(None),
            in_row: false,
        }
    }

    fn problem(&self, error: &serde_json::Error) -> Problem {
        let problem = match self.wrong.borrow_mut().take() {
            Some(what) => Problem::new(422, "bad row").detail(what),
            None => Problem::new(400, "bad body")
                .detail(format!("not the JSON that is expected: {error}")),
        };
        if self.in_row {
            problem.row(self.rows.len() as u64)
        } else {
            problem
        }
    }
}

/// One object with `rows`.
pub(super) fn body(bytes: &[u8], options: &ReadOptions) -> Result<JsonBody, Problem> {
    let mut reading = Reading::new(options);
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = BodySeed(&mut reading)
        .deserialize(&mut json)
        .and_then(|parameters| {
            json.end()?;
            Ok(parameters)
        });
    let parameters = read.map_err(|error| reading.problem(&error))?;
    Ok(JsonBody {
        rows: NamedRows::new(reading.names, reading.rows),
        parameters,
    })
}

/// One row per line.
pub(super) fn lines(bytes: &[u8], options: &ReadOptions) -> Result<NamedRows, Problem> {
    let mut reading = Reading::new(options);
    for line in bytes.split(|&b| b == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row = reading.rows.len() as u64;
        let mut json = serde_json::Deserializer::from_slice(line);
        let read = RowSeed(&mut reading)
            .deserialize(&mut json)
            .and_then(|()| json.end());
        read.map_err(|error| reading.problem(&error).row(row))?;
    }
    Ok(NamedRows::new(reading.names, reading.rows))
}

/// The labels of a value: a string, a number, or an array of them.
pub fn label_of(value: &serde_json::Value) -> Result<Vec<String>, String> {
    let one = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => Ok(text.clone()),
        serde_json::Value::Number(number) => Ok(number.to_string()),
        serde_json::Value::Bool(truth) => Ok(truth.to_string()),
        _ => Err("a label must be a string or a number".to_owned()),
    };
    match value {
        serde_json::Value::Array(list) => list.iter().map(one).collect(),
        serde_json::Value::Null => Ok(Vec::new()),
        value => Ok(vec![one(value)?]),
    }
}

struct BodySeed<'r>(&'r mut Reading);

impl<'de> DeserializeSeed<'de> for BodySeed<'_> {
    type Value = RowParameters;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<RowParameters, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for BodySeed<'_> {
    type Value = RowParameters;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `rows`, an array of rows")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RowParameters, A::Error> {
        let (mut parameters, mut has_rows) = (RowParameters::default(), false);
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "rows" if !has_rows => {
                    map.next_value_seed(RowsSeed(self.0))?;
                    has_rows = true;
                }
                "id" => parameters.id = map.next_value()?,
                "min_seq" => parameters.min_seq = map.next_value()?,
                "cost" => parameters.cost = map.next_value()?,
                "feedback" => parameters.feedback = map.next_value()?,
                "rows" => return Err(A::Error::custom("`rows` comes twice")),
                other => {
                    let what = format!(
                        "unknown key `{other:.40}`, expected rows, id, min_seq, cost or feedback"
                    );
                    return Err(A::Error::custom(what));
                }
            }
        }
        if has_rows {
            Ok(parameters)
        } else {
            Err(A::Error::missing_field("rows"))
        }
    }
}

struct RowsSeed<'r>(&'r mut Reading);

impl<'de> DeserializeSeed<'de> for RowsSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(RowSeed(self.0))?.is_some() {}
        Ok(())
    }
}

struct RowSeed<'r>(&'r mut Reading);

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        self.0.in_row = true;
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row: an object with `features`, and with `label` to learn from")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Reading {
            builder,
            names,
            rows,
            wrong,
            in_row,
        } = self.0;
        let mut row = builder.learning(names);
        let (mut label, mut weight, mut has_features) = (serde_json::Value::Null, None, false);
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "features" if has_features => {
                    return Err(A::Error::custom("`features` comes twice"));
                }
                "features" => {
                    map.next_value_seed(FeaturesSeed {
                        row: &mut row,
                        wrong,
                    })?;
                    has_features = true;
                }
                "label" => label = map.next_value()?,
                "weight" => weight = map.next_value::<Option<f32>>()?,
                other => {
                    let what = format!(
                        "unknown key `{other:.40}` of a row, expected features, label or weight"
                    );
                    return Err(A::Error::custom(what));
                }
            }
        }
        let refuse = |what: String| {
            *wrong.borrow_mut() = Some(what);
            A::Error::custom("a bad row")
        };
        let labels = label_of(&label).map_err(refuse)?;
        if weight.is_some_and(|weight| !(weight.is_finite() && weight >= 0.0)) {
            return Err(refuse("weight: must be a finite number >= 0".to_owned()));
        }
        if !has_features {
            return Err(A::Error::missing_field("features"));
        }
        let x = row
            .finish()
            .map_err(|error| refuse(said(&error, Some(&error.remedy()))))?;
        for label in &labels {
            let raw = novikoff::label::RawLabel::from(label.as_str());
            rows.push_label(raw.number().unwrap_or(f64::NAN), raw.text());
        }
        for (slot, value) in x.iter() {
            rows.push_any(slot as u32, value as f32);
        }
        if let Some(weight) = weight {
            rows.set_weight(weight);
        }
        rows.end_row(rows.len() as u64);
        *in_row = false;
        Ok(())
    }
}

struct FeaturesSeed<'r, 'b, 'n> {
    row: &'r mut RowInProgress<'b, 'n>,
    wrong: &'r RefCell<Option<String>>,
}

impl FeaturesSeed<'_, '_, '_> {
    fn put<E: serde::de::Error>(
        &mut self,
        put: impl FnOnce(&mut Self) -> Result<(), RowError>,
    ) -> Result<(), E> {
        put(self).map_err(|error| self.refuse(said(&error, Some(&error.remedy()))))
    }

    fn refuse<E: serde::de::Error>(&self, what: String) -> E {
        *self.wrong.borrow_mut() = Some(what);
        E::custom("a bad row")
    }
}

impl<'de> DeserializeSeed<'de> for FeaturesSeed<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FeaturesSeed<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("features: an object, an array of numbers, or an array of [index, value] pairs")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let name = name.into_owned();
            match map.next_value::<FeatureValue<'de>>()? {
                FeatureValue::Number(value) => self.put(|seed| seed.row.number(&name, value))?,
                FeatureValue::Text(text) => self.put(|seed| seed.row.category(&name, &text))?,
                FeatureValue::Words(words) => {
                    for word in words {
                        self.put(|seed| seed.row.word(&name, &word))?;
                    }
                }
                FeatureValue::Null => {
                    return Err(self.refuse(format!(
                        "feature {name:.80} is null; leave it out where it is not known"
                    )));
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(item) = list.next_element::<Item>()? {
            match item {
                Item::Value(value) => {
                    place += 1;
                    if value != 0.0 {
                        self.put(|seed| seed.row.dense(place, value))?;
                    }
                }
                Item::Pair(index, value) => self.put(|seed| seed.row.index(index, value))?,
            }
        }
        Ok(())
    }
}

/// A value of a feature by name.
enum FeatureValue<'de> {
    Number(f64),
    Text(Cow<'de, str>),
    Words(Vec<String>),
    Null,
}

impl<'de> serde::Deserialize<'de> for FeatureValue<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = FeatureValue<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a string, true, false or an array of strings")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
                Ok(FeatureValue::Number(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(FeatureValue::Number(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
                Ok(FeatureValue::Number(value as f64))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(FeatureValue::Number(f64::from(u8::from(value))))
            }

            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(FeatureValue::Text(Cow::Borrowed(value)))
            }

            fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
                Ok(FeatureValue::Text(Cow::Owned(value.to_owned())))
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(FeatureValue::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = list.next_element()? {
                    words.push(word);
                }
                Ok(FeatureValue::Words(words))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Err(A::Error::custom(
                    "an object within features; name its parts, as in \"a.b\": 1",
                ))
            }
        }
        json.deserialize_any(Any)
    }
}

/// An item of features that are an array.
enum Item {
    Value(f64),
    Pair(u64, f64),
}

impl<'de> serde::Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Item;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a pair [index, value]")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Item, E> {
                Ok(Item::Value(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Item, E> {
                Ok(Item::Value(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Item, E> {
                Ok(Item::Value(value as f64))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Item, A::Error> {
                let short = || A::Error::custom("a pair must be [index, value]");
                let index = list.next_element()?.ok_or_else(short)?;
                let value = list.next_element()?.ok_or_else(short)?;
                match list.next_element::<IgnoredAny>()? {
                    None => Ok(Item::Pair(index, value)),
                    Some(_) => Err(short()),
                }
            }
        }
        json.deserialize_any(Any)
    }
}
