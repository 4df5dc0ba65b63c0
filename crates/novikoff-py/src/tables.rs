//! Tables as rows: anything with the Arrow `PyCapsule` interface, by the rules by which the command reads Parquet.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema};
use novikoff::names::Names;
use novikoff::remark::{Remark, TableRemark};
use novikoff::remedy::said;
use novikoff::rows::Rows;
use novikoff::table::{ColumnKind, Table, TextForm};
use novikoff_data::arrow::BatchRows;
use novikoff_data::blocks::{Format, Missing, ReadOptions};
use novikoff_data::options::Dates;
use novikoff_engine::data::MemoryRows;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::model::PyModel;
use crate::words::{PythonDoor, raised_of_table, refused};

/// How the columns of a table, or the lines of a file, are read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadWords {
    pub(crate) format: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) categorical: Vec<String>,
    pub(crate) text: Vec<String>,
    pub(crate) drop: Vec<String>,
    pub(crate) only: Vec<String>,
    pub(crate) missing: Option<String>,
    pub(crate) dates: Option<String>,
    pub(crate) ngrams: Option<(u8, u8)>,
    pub(crate) tfidf: Option<bool>,
    pub(crate) header: Option<bool>,
    pub(crate) skip_bad: u64,
    pub(crate) zero_based: bool,
    pub(crate) max_features: u32,
}

impl ReadWords {
    pub(crate) fn options(&self) -> PyResult<ReadOptions> {
        let usual = TextForm::default();
        let is_said = self.ngrams.is_some() || self.tfidf.is_some();
        let text_form = is_said.then(|| TextForm {
            ngrams: self.ngrams.unwrap_or(usual.ngrams),
            tfidf: self.tfidf.unwrap_or(usual.tfidf),
        });
        let formats = Format::ALL.map(|format| (format.name(), format));
        Ok(ReadOptions {
            format: choice("format", self.format.as_deref(), &formats)?,
            label: self.label.clone(),
            categorical: self.categorical.clone(),
            text: self.text.clone(),
            drop: self.drop.clone(),
            only: self.only.clone(),
            missing: choice(
                "missing",
                self.missing.as_deref(),
                &[
                    ("zero", Missing::Zero),
                    ("mean", Missing::Mean),
                    ("indicator", Missing::Indicator),
                    ("refuse", Missing::Refuse),
                ],
            )?,
            dates: choice(
                "dates",
                self.dates.as_deref(),
                &[
                    ("parts", Dates::Parts),
                    ("seconds", Dates::Seconds),
                    ("refuse", Dates::Refuse),
                ],
            )?,
            text_form,
            header: self.header,
            skip_bad: self.skip_bad,
            zero_based: self.zero_based,
            max_features: self.max_features,
            ..ReadOptions::default()
        })
    }
}

/// One of several words.
fn choice<T: Copy>(name: &str, word: Option<&str>, all: &[(&str, T)]) -> PyResult<Option<T>> {
    let Some(word) = word else { return Ok(None) };
    let found = all.iter().find(|(known, _)| *known == word);
    let found = found.ok_or_else(|| {
        let known: Vec<String> = all.iter().map(|(known, _)| format!("{known:?}")).collect();
        refused(format!(
            "{name}={word:?}: must be one of {}",
            known.join(", ")
        ))
    })?;
    Ok(Some(found.1))
}

/// One label per row, or one number to be predicted.
pub(crate) enum LabelValues {
    Texts(Vec<String>),
    Numbers(Vec<f64>),
}

impl LabelValues {
    pub(crate) fn len(&self) -> usize {
        match self {
            LabelValues::Texts(texts) => texts.len(),
            LabelValues::Numbers(numbers) => numbers.len(),
        }
    }

    fn kind(&self) -> DataType {
        match self {
            LabelValues::Texts(_) => DataType::Utf8,
            LabelValues::Numbers(_) => DataType::Float64,
        }
    }

    /// Those of some rows, as a column.
    fn column(&self, rows: Range<usize>) -> Option<ArrayRef> {
        Some(match self {
            LabelValues::Texts(texts) => Arc::new(StringArray::from_iter_values(texts.get(rows)?)),
            LabelValues::Numbers(numbers) => Arc::new(Float64Array::from_iter_values(
                numbers.get(rows)?.iter().copied(),
            )),
        })
    }
}

/// What comes with a table for learning.
pub(crate) struct Labels {
    /// The column that the labels become.
    pub(crate) column: String,
    pub(crate) values: LabelValues,
    pub(crate) weights: Option<Vec<f32>>,
}

/// What is worth knowing of rows: its kind and its text.
pub(crate) type Remarked = (&'static str, String);

/// The rows of a table, and what is worth knowing of its columns.
pub(crate) fn rows_of_table(
    py: Python<'_>,
    table: AnyRecordBatch,
    words: &ReadWords,
    labels: Option<&Labels>,
    model: Option<&PyModel>,
    bias: Option<f32>,
) -> PyResult<(MemoryRows, Vec<Remarked>)> {
    let mut options = words.options()?;
    options.bias = bias;
    let mut names = Names::new();
    let mut text = Arc::default();
    if let Some(model) = model {
        let schema = model.model.schema();
        let schema = if labels.is_some() {
            (**schema).clone()
        } else {
            schema.frozen()
        };
        options = options.of(&schema);
        names = schema.names.clone();
        text = Arc::clone(&schema.text);
    }
    match labels {
        Some(labels) => options.label = Some(labels.column.clone()),
        None => options.unlabelled = true,
    }
    let reader = table.into_reader()?;
    py.detach(|| {
        let schema = with_label(&reader.schema(), labels);
        let begun =
            BatchRows::new(&schema, options, names).map_err(|error| raised_of_table(error, 0))?;
        let mut begun = begun.with_text(text);
        let mut rows = Rows::new();
        for batch in reader {
            let batch = batch.map_err(|error| arrow(&error))?;
            let first = rows.len();
            let batch = labelled(&batch, &schema, labels, first)?;
            let count = batch.num_rows();
            let block = begun
                .push(&batch)
                .map_err(|error| raised_of_table(error, first))?;
            if block.len() != count {
                return Err(refused(
                    "rows of a table cannot be passed over; leave skip_bad out",
                ));
            }
            match labels.and_then(|labels| labels.weights.as_ref()) {
                None => rows.append(block, first as u64),
                Some(weights) => {
                    for row in 0..count {
                        rows.set_weight(weights[first + row]);
                        rows.copy_row(block, row);
                    }
                }
            }
        }
        if labels.is_some_and(|labels| labels.values.len() != rows.len()) {
            return Err(refused(format!("y: there are {} rows in X", rows.len())));
        }
        let mut remarks: Vec<Remark> = begun.remarks().to_vec();
        if let Some(known) = model.and_then(|model| model.model.table()) {
            // a model that learns on learns new columns too
            let foreign = match labels {
                Some(_) => Vec::new(),
                None => foreign(known, &schema),
            };
            let unknown = begun.unknown();
            check_columns(known, &mut remarks, &foreign, labels.is_some())?;
            if unknown > 0 && !foreign.is_empty() {
                remarks.push(Remark::UnknownFeatures {
                    values: unknown,
                    of: unknown + rows.values() as u64,
                    none: false,
                    features: Vec::new(),
                    columns: foreign,
                    known: Vec::new(),
                    model: None,
                });
            }
        }
        let remarks = remarks.iter().map(in_words).collect();
        let memory = MemoryRows {
            rows,
            constant: bias,
            names: begun.names().clone(),
            table: Some(begun.table().clone()),
            text: Arc::clone(begun.text()),
        };
        Ok((memory, remarks))
    })
}

/// A remark as Python says it.
fn in_words(remark: &Remark) -> Remarked {
    let text = said(remark, Some(&remark.remedy()), &PythonDoor::Rows);
    (remark.kind(), text)
}

/// The columns of a table that the one a model learned from did not have.
fn foreign(known: &Table, schema: &ArrowSchema) -> Vec<String> {
    let names = schema.fields().iter().map(|field| field.name());
    let names = names.filter(|name| known.column(name).is_none());
    names.cloned().collect()
}

/// An error if a model is asked about a table that lacks most columns that it learned from, as the command has it, or all. Otherwise the remarks
/// name those that are missing.
fn check_columns(
    known: &Table,
    remarks: &mut [Remark],
    foreign: &[String],
    is_for_learning: bool,
) -> PyResult<()> {
    let mut missing = Vec::new();
    for remark in remarks {
        if let Remark::MissingColumn { file, column, .. } = remark {
            "X".clone_into(file);
            missing.push(column.clone());
        }
    }
    let learned = known.columns.iter();
    let of = learned.filter(|column| column.kind != ColumnKind::Ignored);
    let (n, of) = (missing.len(), of.count());
    let is_other = n == of || (n >= 3 && 2 * n > of);
    if n == 0 || is_for_learning || !is_other {
        return Ok(());
    }
    let remark = Remark::Table(TableRemark::MissingColumns {
        missing,
        of,
        foreign: foreign.to_vec(),
        model: None,
    });
    Err(refused(format!("X: {}", in_words(&remark).1)))
}

fn arrow(error: &ArrowError) -> PyErr {
    refused(format!("X: {error}"))
}

/// The columns of a table, and the label's behind them.
fn with_label(schema: &ArrowSchema, labels: Option<&Labels>) -> ArrowSchema {
    let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
    if let Some(labels) = labels {
        let kind = labels.values.kind();
        fields.push(Arc::new(Field::new(&labels.column, kind, false)));
    }
    ArrowSchema::new(fields)
}

/// A batch with the labels of its rows, whose first has this number.
fn labelled(
    batch: &RecordBatch,
    schema: &ArrowSchema,
    labels: Option<&Labels>,
    first: usize,
) -> PyResult<RecordBatch> {
    let mut columns = batch.columns().to_vec();
    if let Some(labels) = labels {
        let part = labels.values.column(first..first + batch.num_rows());
        columns.push(part.ok_or_else(|| refused("y: has fewer entries than X has rows"))?);
    }
    RecordBatch::try_new(Arc::new(schema.clone()), columns).map_err(|error| arrow(&error))
}
