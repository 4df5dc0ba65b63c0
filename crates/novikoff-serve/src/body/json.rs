//! JSON bodies, read straight into rows: nothing of a body is held twice.

use std::borrow::Cow;
use std::fmt;

use novikoff::label::RawLabel;
use novikoff::remedy::{Remedy, Setting};
use novikoff_data::json::{JsonProblem, ObjectColumns, ObjectRows};
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{BodyLimits, RowParameters};
use crate::problem::Problem;
use crate::words::{json_error, said};

/// A body that is one object.
pub struct JsonBody {
    /// Its rows.
    pub rows: NamedRows,
    /// What it says besides them.
    pub parameters: RowParameters,
}

/// Rows being read. What is wrong with a row is kept here, for errors of the JSON reader are texts.
struct Reading<'c> {
    rows: ObjectRows<'c>,
    wrong: Option<String>,
    /// A row is being read.
    in_row: bool,
    limits: BodyLimits,
    /// There is a row too many.
    too_many: bool,
}

impl<'c> Reading<'c> {
    fn new(columns: &'c ObjectColumns, options: &ReadOptions, limits: BodyLimits) -> Self {
        Reading {
            rows: ObjectRows::new(columns, options.clone()),
            wrong: None,
            in_row: false,
            limits,
            too_many: false,
        }
    }

    fn problem(&mut self, error: &serde_json::Error) -> Problem {
        if self.too_many {
            return self.limits.too_many_rows();
        }
        let problem = match self.wrong.take() {
            Some(what) => Problem::new(422, "bad row").detail(what),
            None => Problem::new(400, "bad body").detail(json_error(error)),
        };
        if self.in_row {
            problem.row(self.rows.len() as u64)
        } else {
            problem
        }
    }

    fn finish(self) -> Result<NamedRows, Problem> {
        self.rows.finish().map_err(|(row, error)| {
            let what = said(&error, Some(&error.remedy()));
            Problem::new(422, "bad row").detail(what).row(row)
        })
    }

    fn refuse<E: serde::de::Error>(&mut self, what: String) -> E {
        self.wrong = Some(what);
        E::custom("a bad row")
    }

    /// Features by name.
    fn object<E: serde::de::Error>(&mut self, text: &str) -> Result<(), E> {
        self.rows.object(text.as_bytes()).map_err(|problem| {
            let what = match &problem {
                JsonProblem::Missing { .. } => said(&problem, Some(&missing())),
                problem => said(problem, problem.remedy().as_ref()),
            };
            self.refuse(what)
        })
    }

    /// Numbers of features 1, 2 and so on, or pairs: the items of an array, which is JSON.
    fn array<E: serde::de::Error>(&mut self, text: &str) -> Result<(), E> {
        let mut place = 0_u64;
        let mut rest = text[1..text.len() - 1].trim_start();
        while let Some(first) = rest.bytes().next() {
            let end = match first {
                b'[' => rest.find(']').map_or(rest.len(), |at| at + 1),
                _ => rest.find(',').unwrap_or(rest.len()),
            };
            let (item, after) = rest.split_at(end);
            match first {
                b'[' => self.pair::<E>(item)?,
                b'-' | b'0'..=b'9' => {
                    place += 1;
                    let text = item.trim_end();
                    let value = match number(text) {
                        Some(value) if value.is_finite() => value,
                        _ => self.value::<E>(&place.to_string(), text)?,
                    };
                    if value != 0.0 {
                        let put = self.rows.dense(place, value);
                        put.map_err(|error| self.refuse::<E>(said(&error, Some(&error.remedy()))))?;
                    }
                }
                _ => {
                    return Err(E::custom(
                        "an item of features must be a number, or a pair [index, value]",
                    ));
                }
            }
            let after = after.trim_start();
            rest = after.strip_prefix(',').unwrap_or(after).trim_start();
        }
        Ok(())
    }

    /// A pair, which is an array.
    fn pair<E: serde::de::Error>(&mut self, text: &str) -> Result<(), E> {
        let wrong = || E::custom("a pair must be [index, value]");
        let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
        let (index, value) = inner.and_then(|t| t.split_once(',')).ok_or_else(wrong)?;
        let (index_text, value) = (index.trim(), value.trim());
        let index = index_text.parse().map_err(|_| wrong())?;
        number(value).ok_or_else(wrong)?;
        let value = self.value::<E>(index_text, value)?;
        let put = self.rows.index(index, value);
        put.map_err(|error| self.refuse(said(&error, Some(&error.remedy()))))
    }

    /// The value of a feature, or what is wrong with it.
    fn value<E: serde::de::Error>(&mut self, name: &str, text: &str) -> Result<f32, E> {
        match number(text) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => {
                Err(self.refuse(format!("feature {name:.80}: {text:.40} is not a number within the range of f32, 3.4e38; leave the feature out, or scale it down")))
            }
            None => Err(E::custom("a value must be a number")),
        }
    }
}

/// What to do about a value that is missing: means are known to models that are trained on files.
fn missing() -> Remedy {
    Remedy::clause("leave it out to read it as 0")
        .or(Remedy::give(Setting::Missing, "indicator").aim("to learn from its being missing"))
        .or(Remedy::give(Setting::Missing, "zero"))
}

/// One object with `rows`.
pub(super) fn body(
    bytes: &[u8],
    columns: &ObjectColumns,
    options: &ReadOptions,
    limits: BodyLimits,
) -> Result<JsonBody, Problem> {
    let mut reading = Reading::new(columns, options, limits);
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = BodySeed(&mut reading)
        .deserialize(&mut json)
        .and_then(|parameters| {
            json.end()?;
            Ok(parameters)
        });
    let parameters = read.map_err(|error| reading.problem(&error))?;
    Ok(JsonBody {
        rows: reading.finish()?,
        parameters,
    })
}

/// One row per line.
pub(super) fn lines(
    bytes: &[u8],
    columns: &ObjectColumns,
    options: &ReadOptions,
    limits: BodyLimits,
) -> Result<NamedRows, Problem> {
    let mut reading = Reading::new(columns, options, limits);
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
    reading.finish()
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

struct BodySeed<'r, 'c>(&'r mut Reading<'c>);

impl<'de> DeserializeSeed<'de> for BodySeed<'_, '_> {
    type Value = RowParameters;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<RowParameters, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for BodySeed<'_, '_> {
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

struct RowsSeed<'r, 'c>(&'r mut Reading<'c>);

impl<'de> DeserializeSeed<'de> for RowsSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(RowSeed(self.0))?.is_some() {}
        Ok(())
    }
}

struct RowSeed<'r, 'c>(&'r mut Reading<'c>);

impl<'de> DeserializeSeed<'de> for RowSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        self.0.in_row = true;
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row: an object with `features`, and with `label` to learn from")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reading = self.0;
        if reading.rows.len() >= reading.limits.rows {
            reading.too_many = true;
            return Err(A::Error::custom("too many rows"));
        }
        let (mut label, mut weight, mut has_features) = (None::<&RawValue>, None, false);
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key.0 {
                "features" if has_features => {
                    return Err(A::Error::custom("`features` comes twice"));
                }
                "features" => {
                    let features = map.next_value::<&RawValue>()?.get();
                    match features.as_bytes().first() {
                        Some(b'{') => reading.object::<A::Error>(features)?,
                        Some(b'[') => reading.array::<A::Error>(features)?,
                        _ => {
                            return Err(A::Error::custom(
                                "features must be an object, an array of numbers, or an array of [index, value] pairs",
                            ));
                        }
                    }
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
        let mut labels = Labels::None;
        if let Some(label) = label {
            labels = Labels::of(label).map_err(|what| reading.refuse::<A::Error>(what))?;
        }
        if let Some(weight) = weight.filter(|weight| weight.get() != "null") {
            let number = number(weight.get()).filter(|w| w.is_finite() && *w >= 0.0);
            let wrong = || "weight: must be a finite number >= 0".to_owned();
            let number = number.ok_or_else(|| reading.refuse::<A::Error>(wrong()))?;
            reading.rows.weight(number);
        }
        if !has_features {
            return Err(A::Error::missing_field("features"));
        }
        for label in labels.as_slice() {
            let raw = RawLabel::from(&*label.0);
            reading.rows.label(raw.number(), raw.text());
        }
        reading.rows.end_row();
        reading.in_row = false;
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

#[cfg(test)]
mod tests {
    use super::*;
    use novikoff::random::SplitMix64;

    const LIMITS: BodyLimits = BodyLimits {
        bytes: 1 << 20,
        rows: 1000,
    };

    fn values(body: &str) -> Vec<f32> {
        let read = super::body(
            body.as_bytes(),
            &ObjectColumns::default(),
            &ReadOptions::default(),
            LIMITS,
        );
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
            let read = super::body(
                body.as_bytes(),
                &ObjectColumns::default(),
                &ReadOptions::default(),
                LIMITS,
            );
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
            let read = super::body(
                body.as_bytes(),
                &ObjectColumns::default(),
                &ReadOptions::default(),
                LIMITS,
            );
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
            ("{\"a\": [1, \"b\"]}", 422),
            ("{\"a\": [[1]]}", 422),
            ("{\"a\": [{\"b\": 1}]}", 422),
            ("{\"a\": 1, \"a\": 2}", 422),
            ("{\"\": 1}", 422),
            ("{\"a\": \"\\ud800\"}", 422),
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
            let read = super::body(
                body.as_bytes(),
                &ObjectColumns::default(),
                &ReadOptions::default(),
                LIMITS,
            );
            let got = read.map(drop).map_err(|problem| problem.status());
            assert_eq!(got, Err(status), "{body}");
        }
    }
}
