//! Models of novikoff as ONNX graphs, for programs that have a runtime of ONNX and not this library.
//!
//! [`export`] writes a model whose scores are sums over features, or over stored rows and a kernel, or the vote of several such learners, with
//! what is done to rows before them and to margins after them. The graph is given one matrix, `features`: a row per row of data, a column per feature in the order of the model's
//! slots. It gives out `label`, `margins` and, where the model has them, `probabilities`; of a regression `value`.
//!
//! ```
//! use novikoff::{Label, Model, Row, learners::Perceptron};
//! use novikoff_onnx::{Options, export};
//!
//! let mut model = Model::builder(Perceptron::default()).build()?;
//! let _ = model.learn(Row::dense(&[1.0, 0.5]), [Label::Neg])?;
//! let bytes = export(&model, &Options::default()).expect("a linear model");
//! assert!(bytes.len() > 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A graph of core operators computes with float64 on values rounded to float32, as the library does. One of `ai.onnx.ml` operators computes
//! with float32, which is what their attributes hold.

mod answers;
mod graph;
mod kernel;
mod majority;
mod map;
mod messages;
mod rows;
mod scores;

use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::ColumnKind;
use prost::Message as _;

use graph::{Graph, ML_DOMAIN, Number};
use messages::{ModelProto, OperatorSetIdProto, StringStringEntryProto};

/// The operators of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operators {
    /// Those of ONNX itself, which compute with float64.
    #[default]
    Core,
    /// `LinearRegressor` and `SVMRegressor` of `ai.onnx.ml` for the sums, with float32.
    Ml,
}

/// The type of the matrix that a graph is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputType {
    /// 64 bits.
    #[default]
    Float64,
    /// 32 bits.
    Float32,
}

/// What is exported, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The operators of the graph.
    pub operators: Operators,
    /// The type of its input.
    pub input: InputType,
    /// The predictor; the model's own if none.
    pub by: Option<Hypothesis>,
    /// How many columns the matrix has at least; those that the model has not met change nothing.
    pub columns: usize,
}

/// ONNX 1.12: read by all runtimes from 2022 on.
const IR_VERSION: i64 = 8;
const OPSET: i64 = 17;
const ML_OPSET: i64 = 3;

/// The bytes of an ONNX file, or why there is none.
pub fn export(model: &Model, options: &Options) -> Result<Vec<u8>, Complaint> {
    check_features(model)?;
    let by = options.by.unwrap_or(model.learner().hypotheses()[0]);
    let parts = scores::parts(model, by)?;
    let columns = scores::columns(model, &parts).max(options.columns);
    if columns == 0 {
        return Err(scores::untaught("has met no feature yet"));
    }
    let number = match options.operators {
        Operators::Core => Number::Float64,
        Operators::Ml => Number::Float32,
    };
    let given = match options.input {
        InputType::Float64 => Number::Float64,
        InputType::Float32 => Number::Float32,
    };
    let mut graph = Graph::new(number);
    let input = graph.input("features", given, columns);
    let rows = rows::prepared(&mut graph, &input, given, columns, model.preparation())?;
    let mut margins = Vec::new();
    for part in &parts {
        let own = scores::margins(&mut graph, model, &rows, part, options.operators)?;
        margins.push(match number {
            Number::Float32 => graph.cast(&own, Number::Float64.code()),
            Number::Float64 => own,
        });
    }
    graph.go_on_with(Number::Float64);
    let margins = match &margins[..] {
        [one] if by == Hypothesis::Best || parts[0].voter.is_none() => one.clone(),
        all => {
            let voters = parts.iter().filter_map(|part| part.voter.as_ref());
            majority::decided(&mut graph, model, &voters.zip(all).collect::<Vec<_>>())?
        }
    };
    let has_probabilities = model.has_probabilities(Some(by));
    answers::answers(&mut graph, model, &margins, has_probabilities, number)?;
    let metadata_props = metadata(model, columns);
    let texts = metadata_props.iter().map(|entry| entry.value.len() as u128);
    graph.reserve(texts.sum())?;
    let mut opset_import = vec![operators("", OPSET)];
    if graph.uses_ml() {
        opset_import.push(operators(ML_DOMAIN, ML_OPSET));
    }
    let file = ModelProto {
        ir_version: IR_VERSION,
        producer_name: "novikoff".to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        doc_string: format!("{}, the {} predictor", model.spec().text(), by.name()),
        graph: Some(graph.finish()),
        opset_import,
        metadata_props,
    };
    Ok(file.encode_to_vec())
}

/// A column per feature is possible only where features have places of their own and values that others can compute.
fn check_features(model: &Model) -> Result<(), Complaint> {
    if model.names().bits().is_some() {
        let what =
            "the model's features are hashed slots, which have no names that a matrix could have";
        return Err(Complaint::new(what, Remedy::leave_out(&[Setting::Hash])));
    }
    let columns = model.table().map_or(&[][..], |table| &table.columns);
    let texts = columns.iter().filter(|c| c.kind == ColumnKind::Text);
    let texts: Vec<&str> = texts.map(|column| column.name.as_str()).collect();
    if !texts.is_empty() {
        let what = format!(
            "the words of text columns ({}) are split and weighted by the reader of rows, which is no part of a graph",
            texts.join(", ")
        );
        return Err(Complaint::new(
            what,
            "train on columns of numbers and categories",
        ));
    }
    Ok(())
}

fn operators(domain: &str, version: i64) -> OperatorSetIdProto {
    OperatorSetIdProto {
        domain: domain.to_owned(),
        version,
    }
}

/// What a person or a program has to know of the input and the output.
fn metadata(model: &Model, columns: usize) -> Vec<StringStringEntryProto> {
    let names = model.names();
    let mut entries = vec![
        ("spec", model.spec().text().to_owned()),
        ("kernel", model.kernel().to_string()),
        ("labels", json(&answers::labels(model))),
    ];
    let from = 1 - usize::from(model.is_zero_based());
    if names.iter().next().is_some() {
        let name = |slot: usize| match names.name(slot as u32) {
            Some(name) => name.to_owned(),
            None => (slot - 1 + from).to_string(),
        };
        let all: Vec<String> = (1..=columns).map(name).collect();
        entries.push(("feature_names", json(&all)));
    } else {
        entries.push(("first_feature", from.to_string()));
    }
    let entry = |(key, value): (&str, String)| StringStringEntryProto {
        key: key.to_owned(),
        value,
    };
    entries.into_iter().map(entry).collect()
}

fn json<T: Into<serde_json::Value> + Clone>(list: &[T]) -> String {
    serde_json::Value::from(list).to_string()
}
