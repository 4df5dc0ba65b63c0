//! JSON bodies, read straight into rows: nothing of a body is held twice.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use novikoff::label::RawLabel;
use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;
use novikoff_data::row_builder::{RowBuilder, RowError, RowInProgress};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{BodyLimits, RowParameters};
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
    limits: BodyLimits,
    /// There is a row too many.
    too_many: bool,
}

impl Reading {
    fn new(options: &ReadOptions, limits: BodyLimits) -> Self {
        Reading {
            builder: RowBuilder::new(options.clone()),
            names: Names::new(),
            rows: Rows::new(),
            wrong: RefCell::new(None),
            in_row: false,
            limits,
            too_many: false,
        }
    }

    fn problem(&self, error: &serde_json::Error) -> Problem {
        if self.too_many {
            return self.limits.too_many_rows();
        }
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
pub(super) fn body(
    bytes: &[u8],
    options: &ReadOptions,
    limits: BodyLimits,
) -> Result<JsonBody, Problem> {
    let mut reading = Reading::new(options, limits);
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
pub(super) fn lines(
    bytes: &[u8],
    options: &ReadOptions,
    limits: BodyLimits,
) -> Result<NamedRows, Problem> {
    let mut reading = Reading::new(options, limits);
    for line in bytes.split(|&b| b == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row = reading.rows.len() as u64;
        let mut json = serde_json::Deserializer::from_slice(line);
        let read = RowSeed(&mut reading)
            .deserialize(&mut json)
            .and_then(|()| json.end());
        read.map_err(|error| {
            let problem = reading.problem(&error);
            if reading.too_many {
                problem
            } else {
                problem.row(row)
            }
        })?;
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
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key.0 {
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
            limits,
            too_many,
        } = self.0;
        if rows.len() >= limits.rows {
            *too_many = true;
            return Err(A::Error::custom("too many rows"));
        }
        let mut row = builder.learning(names);
        let (mut label, mut weight, mut has_features) = (None::<&RawValue>, None, false);
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key.0 {
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
                "label" => label = Some(map.next_value()?),
                "weight" => weight = Some(map.next_value::<&RawValue>()?),
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
        let mut labels = Labels::None;
        if let Some(label) = label {
            labels = Labels::of(label).map_err(refuse)?;
        }
        let weight = weight.filter(|weight| weight.get() != "null");
        let weight = weight.map(|weight| {
            let number = number(weight.get()).filter(|w| w.is_finite() && *w >= 0.0);
            number.ok_or_else(|| refuse("weight: must be a finite number >= 0".to_owned()))
        });
        let weight = weight.transpose()?;
        if !has_features {
            return Err(A::Error::missing_field("features"));
        }
        let x = row
            .finish()
            .map_err(|error| refuse(said(&error, Some(&error.remedy()))))?;
        for label in labels.as_slice() {
            let raw = RawLabel::from(&*label.0);
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

/// A string of JSON, borrowed where it has no escapes.
struct Text<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        json.deserialize_str(Any)
    }
}

/// A number of JSON as the nearest `f32`: by its digits, for the nearest `f64` may lie beside it.
fn number(text: &str) -> Option<f32> {
    let is_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    // what is a number of JSON is one of Rust
    text.parse().ok().filter(|_| is_number)
}

/// The labels of a row.
enum Labels<'de> {
    None,
    One([Text<'de>; 1]),
    Several(Vec<Text<'de>>),
}

impl<'de> Labels<'de> {
    /// A string, a number as it is written, true, false, or an array of them.
    fn of(json: &'de RawValue) -> Result<Self, String> {
        let one = |json: &'de RawValue| match json.get().as_bytes().first() {
            Some(b'"') => serde_json::from_str(json.get()).map_err(|error| error.to_string()),
            Some(b'{' | b'[' | b'n') => Err("a label must be a string or a number".to_owned()),
            _ => Ok(Text(Cow::Borrowed(json.get()))),
        };
        match json.get().as_bytes().first() {
            Some(b'n') => Ok(Labels::None),
            Some(b'[') => {
                let list: Result<Vec<&RawValue>, _> = serde_json::from_str(json.get());
                let list = list.map_err(|error| error.to_string())?;
                let list: Result<Vec<Text<'de>>, String> = list.into_iter().map(one).collect();
                Ok(Labels::Several(list?))
            }
            _ => Ok(Labels::One([one(json)?])),
        }
    }

    fn as_slice(&self) -> &[Text<'de>] {
        match self {
            Labels::None => &[],
            Labels::One(one) => one,
            Labels::Several(list) => list,
        }
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

    /// The value of a feature, or what is wrong with it.
    fn value<E: serde::de::Error>(&self, name: &str, text: &str) -> Result<f64, E> {
        match number(text) {
            Some(value) if value.is_finite() => Ok(f64::from(value)),
            Some(_) => {
                Err(self.refuse(format!("feature {name:.80}: {text:.40} is not a number within the range of f32, 3.4e38; leave the feature out, or scale it down")))
            }
            None => Err(E::custom("a value must be a number")),
        }
    }

    /// A feature by name.
    fn named<E: serde::de::Error>(&mut self, name: &str, json: &RawValue) -> Result<(), E> {
        let text = json.get();
        match text.as_bytes().first() {
            Some(b'"') => {
                let Text(value) = serde_json::from_str(text).map_err(E::custom)?;
                self.put(|seed| seed.row.category(name, &value))
            }
            Some(b'[') => {
                let words: Result<Vec<Text<'_>>, _> = serde_json::from_str(text);
                let words = words.map_err(|_| {
                    E::custom(format!(
                        "feature {name:.80}: an array of a feature must hold strings"
                    ))
                })?;
                for Text(word) in words {
                    self.put(|seed| seed.row.word(name, &word))?;
                }
                Ok(())
            }
            Some(b'{') => Err(E::custom(
                "an object within features; name its parts, as in \"a.b\": 1",
            )),
            Some(b'n') => Err(self.refuse(format!(
                "feature {name:.80} is null; leave it out where it is not known"
            ))),
            Some(b't') => self.put(|seed| seed.row.number(name, 1.0)),
            Some(b'f') => self.put(|seed| seed.row.number(name, 0.0)),
            _ => {
                let value = self.value(name, text)?;
                self.put(|seed| seed.row.number(name, value))
            }
        }
    }

    /// A pair, which is an array.
    fn pair<E: serde::de::Error>(&mut self, text: &str) -> Result<(), E> {
        let wrong = || E::custom("a pair must be [index, value]");
        let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
        let (index, value) = inner.and_then(|t| t.split_once(',')).ok_or_else(wrong)?;
        let (index_text, value) = (index.trim(), value.trim());
        let index = index_text.parse().map_err(|_| wrong())?;
        number(value).ok_or_else(wrong)?;
        let value = self.value(index_text, value)?;
        self.put(|seed| seed.row.index(index, value))
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
        while let Some(Text(name)) = map.next_key()? {
            self.named(&name, map.next_value()?)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(item) = list.next_element::<&'de RawValue>()? {
            let text = item.get();
            match text.as_bytes().first() {
                Some(b'[') => self.pair(text)?,
                Some(b'-' | b'0'..=b'9') => {
                    place += 1;
                    let value = match number(text) {
                        Some(value) if value.is_finite() => f64::from(value),
                        _ => self.value(&place.to_string(), text)?,
                    };
                    if value != 0.0 {
                        self.put(|seed| seed.row.dense(place, value))?;
                    }
                }
                _ => {
                    return Err(A::Error::custom(
                        "an item of features must be a number, or a pair [index, value]",
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use novikoff::random::SplitMix64;

    const LIMITS: BodyLimits = BodyLimits {
        bytes: 1 << 20,
        rows: 1000,
    };

    fn values(body: &str) -> Vec<f32> {
        let read = super::body(body.as_bytes(), &ReadOptions::default(), LIMITS);
        let rows = read
            .unwrap_or_else(|problem| panic!("{body}: {problem:?}"))
            .rows;
        let row = rows.view().row(0);
        row.iter().map(|(_, value)| value as f32).collect()
    }

    /// Numbers beside which the nearest `f64` lies, so that rounding twice goes wrong, and others.
    fn numbers() -> Vec<String> {
        let mut random = SplitMix64::new(3);
        let mut list: Vec<String> = [
            "16777217",
            "16777217.0000000001",
            "1.00000005960464477539062500000000001",
            "1.000000059604644775390625",
            "8388609.5000000000000001",
            "9007199791611905",
            "9007199791611904.9",
            "1e-45",
            "7.006492321624085e-46",
            "7.0064923216240853e-46",
            "7.0064923216240854e-46",
            "1.1754943157898258e-38",
            "3.4028235e38",
            "3.4028235677973362e38",
            "0.1",
            "5e-324",
            "123456789012345678901234567890",
        ]
        .map(str::to_owned)
        .to_vec();
        for _ in 0..2000 {
            // half way between two f32, and a little beside it
            let low = f32::from_bits(random.below(0x7f00_0000) as u32);
            let high = f32::from_bits(low.to_bits() + 1);
            let middle = f64::midpoint(f64::from(low), f64::from(high));
            for digits in [9, 16, 17, 25, 60] {
                list.push(format!("{middle:.digits$e}"));
            }
            let exact = format!("{middle:.120e}");
            let (digits, exponent) = exact.split_once('e').expect("an exponent");
            list.push(format!("{digits}1e{exponent}"));
        }
        list
    }

    #[test]
    fn values_are_rounded_once() {
        for text in numbers() {
            let expected: f32 = text.parse().expect("a number");
            let expected = if expected == 0.0 {
                vec![]
            } else {
                vec![expected]
            };
            for sign in ["", "-"] {
                let signed: Vec<f32> = match sign {
                    "" => expected.clone(),
                    _ => expected.iter().map(|v| -v).collect(),
                };
                for features in [
                    format!("{{\"a\": {sign}{text}}}"),
                    format!("[{sign}{text} ]"),
                    format!("[[3, {sign}{text}]]"),
                ] {
                    let body = format!("{{\"rows\":[{{\"features\":{features}}}]}}");
                    assert_eq!(values(&body), signed, "{body}");
                }
            }
            let body = format!("{{\"rows\":[{{\"features\":{{}},\"weight\":{text}}}]}}");
            let read = super::body(body.as_bytes(), &ReadOptions::default(), LIMITS);
            let rows = read
                .unwrap_or_else(|problem| panic!("{body}: {problem:?}"))
                .rows;
            let weight = text.parse::<f32>().expect("a number");
            assert_eq!(rows.view().weight(0), f64::from(weight), "{body}");
        }
    }

    #[test]
    fn labels_are_as_they_are_written() {
        for (label, expected) in [
            ("\"yes\"", vec!["yes"]),
            ("\"a\\\"b\"", vec!["a\"b"]),
            ("1", vec!["1"]),
            ("-1.50", vec!["-1.50"]),
            ("1e2", vec!["1e2"]),
            ("true", vec!["true"]),
            ("null", vec![]),
            ("[]", vec![]),
            ("[\"a\", 2]", vec!["a", "2"]),
        ] {
            let body = format!("{{\"rows\":[{{\"features\":{{}},\"label\":{label}}}]}}");
            let read = super::body(body.as_bytes(), &ReadOptions::default(), LIMITS);
            let rows = read
                .unwrap_or_else(|problem| panic!("{body}: {problem:?}"))
                .rows;
            let labels: Vec<String> = rows
                .view()
                .labels(0)
                .map(|label| String::from_utf8_lossy(label.text()).into_owned())
                .collect();
            assert_eq!(labels, expected, "{body}");
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for (features, status) in [
            ("{\"a\": 1e39}", 422),
            ("{\"a\": -4e38}", 422),
            ("{\"a\": null}", 422),
            ("{\"a\": [1]}", 400),
            ("{\"a\": {\"b\": 1}}", 400),
            ("{\"a\": 01}", 400),
            ("{\"a\": NaN}", 400),
            ("[1, \"a\"]", 400),
            ("[1e39]", 422),
            ("[null]", 400),
            ("[[1]]", 400),
            ("[[1, 2, 3]]", 400),
            ("[[1, [2]]]", 400),
            ("[[1.5, 2]]", 400),
            ("[[-1, 2]]", 400),
            ("[[1, \"2\"]]", 400),
            ("[[0, 1]]", 422),
            ("[[1, 1e39]]", 422),
            ("1", 400),
            ("null", 400),
        ] {
            let body = format!("{{\"rows\":[{{\"features\":{features}}}]}}");
            let read = super::body(body.as_bytes(), &ReadOptions::default(), LIMITS);
            let got = read.map(drop).map_err(|problem| problem.status());
            assert_eq!(got, Err(status), "{body}");
        }
    }
}
