//! From batches of Arrow to packed rows.

use std::collections::HashMap;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type, Int8Type, Int32Type};
use arrow_array::{
    Array, Float64Array, Int8Array, Int32Array, LargeStringArray, ListArray, RecordBatch,
    StringArray,
};
use novikoff::rows::Rows;
use novikoff_engine::data::MemoryRows;
use novikoff_engine::partitions::{Truth, pack};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;

use crate::model::PyModel;
use crate::tables::{ReadWords, rows_of_table};
use crate::words::refused;

/// More labels than this are numbers that were meant to be predicted.
const LABELS: usize = 100_000;

/// Where the values of rows are in a batch.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct FeatureWords {
    /// The column of vectors or arrays; none if all columns but label and weight are features by their names.
    column: Option<String>,
    /// How named columns are read.
    read: ReadWords,
    /// The constant feature.
    bias: Option<f32>,
}

impl FeatureWords {
    /// The rows of a batch, without labels. `model` knows the named columns; `place` begins the message of a bad row.
    pub(super) fn rows(
        &self,
        py: Python<'_>,
        batch: RecordBatch,
        model: Option<&PyModel>,
        place: &str,
        first: u64,
    ) -> PyResult<(MemoryRows, u32)> {
        let Some(mut values) = self.values(&batch)? else {
            let batch = AnyRecordBatch::RecordBatch(PyRecordBatch::new(batch.clone()));
            let (rows, _) = rows_of_table(py, batch, &self.read, None, model, self.bias)
                .map_err(|error| at_place(py, place, &error))?;
            let width = rows.rows.width();
            return Ok((rows, width));
        };
        let (mut rows, mut width) = (Rows::new(), 0);
        for row in 0..batch.num_rows() {
            let known = values
                .add_row(row, &mut rows, self.bias)
                .map_err(|why| refused(format!("{place}row {}: {why}", first + row as u64)))?;
            width = width.max(known);
            rows.end_row(row as u64);
        }
        let rows = MemoryRows {
            rows,
            constant: self.bias,
            ..MemoryRows::default()
        };
        Ok((rows, width))
    }

    /// The column of vectors or arrays; none for named columns.
    fn values<'a>(&'a self, batch: &'a RecordBatch) -> PyResult<Option<ColumnValues<'a>>> {
        let Some(name) = &self.column else {
            return Ok(None);
        };
        let column = column(batch, name)?;
        let values = Values::of(column).ok_or_else(|| {
            refused(format!(
                "featuresCol={name:?}: must be a column of vectors or of arrays of numbers, got {}",
                column.data_type()
            ))
        })?;
        Ok(Some(ColumnValues {
            name,
            values,
            numbers: Vec::new(),
            slots: Vec::new(),
        }))
    }
}

/// A column of vectors or arrays, with memory that is used again.
struct ColumnValues<'a> {
    name: &'a str,
    values: Values<'a>,
    numbers: Vec<f32>,
    slots: Vec<u32>,
}

impl ColumnValues<'_> {
    /// Adds the values of a row to the row being built, and says how many features it has; or why it cannot.
    fn add_row(&mut self, row: usize, rows: &mut Rows, bias: Option<f32>) -> Result<u32, String> {
        if let Some(bias) = bias {
            rows.push(0, bias);
        }
        let (numbers, slots) = (&mut self.numbers, &mut self.slots);
        let known = self.values.add_row(row, rows, numbers, slots);
        known.map_err(|why| format!("featuresCol={:?}: {why}", self.name))
    }
}

/// The same error, and where it was.
fn at_place(py: Python<'_>, place: &str, error: &PyErr) -> PyErr {
    refused(format!("{place}{}", error.value(py)))
}

/// A column of rows.
enum Values<'a> {
    /// Vectors of pyspark.ml: dense and sparse ones.
    Vectors {
        column: &'a dyn Array,
        kind: &'a Int8Array,
        size: &'a Int32Array,
        indices: &'a ListArray,
        values: &'a ListArray,
    },
    /// Arrays of numbers.
    Lists(&'a ListArray),
}

impl<'a> Values<'a> {
    fn of(column: &'a dyn Array) -> Option<Self> {
        if let Some(list) = column.as_list_opt::<i32>() {
            let items = list.values();
            let is_number = items.as_primitive_opt::<Float64Type>().is_some()
                || items.as_primitive_opt::<Float32Type>().is_some();
            return is_number.then_some(Values::Lists(list));
        }
        let fields = column.as_struct_opt()?;
        let values = fields.column_by_name("values")?.as_list_opt::<i32>()?;
        let indices = fields.column_by_name("indices")?.as_list_opt::<i32>()?;
        values.values().as_primitive_opt::<Float64Type>()?;
        indices.values().as_primitive_opt::<Int32Type>()?;
        Some(Values::Vectors {
            column,
            kind: fields
                .column_by_name("type")?
                .as_primitive_opt::<Int8Type>()?,
            size: fields
                .column_by_name("size")?
                .as_primitive_opt::<Int32Type>()?,
            indices,
            values,
        })
    }

    fn add_row(
        &self,
        row: usize,
        rows: &mut Rows,
        spare: &mut Vec<f32>,
        slots: &mut Vec<u32>,
    ) -> Result<u32, String> {
        match self {
            Values::Lists(list) => {
                present(*list, row)?;
                singles(list, row, spare)?;
                Ok(dense(rows, spare))
            }
            Values::Vectors {
                column,
                kind,
                size,
                indices,
                values,
            } => {
                present(*column, row)?;
                singles(values, row, spare)?;
                if kind.value(row) == 1 {
                    return Ok(dense(rows, spare));
                }
                let size = size.value(row);
                let places = part(indices, row);
                let places = &indices.values().as_primitive::<Int32Type>().values()[places];
                if places.len() != spare.len() {
                    return Err(
                        "a sparse vector with another number of indices than of values".to_owned(),
                    );
                }
                if let Some(place) = places.iter().find(|&&place| place < 0 || place >= size) {
                    return Err(format!("index {place} of a sparse vector of size {size}"));
                }
                slots.clear();
                // features are counted from 1: slot 0 is the constant feature
                slots.extend(places.iter().map(|&place| place as u32 + 1));
                rows.push_any_many(slots, spare);
                Ok(size as u32)
            }
        }
    }
}

fn present(column: &dyn Array, row: usize) -> Result<(), String> {
    if column.is_null(row) {
        Err("null; leave out the rows without features, as df.dropna() does".to_owned())
    } else {
        Ok(())
    }
}

fn part(list: &ListArray, row: usize) -> std::ops::Range<usize> {
    let ends = list.value_offsets();
    ends[row] as usize..ends[row + 1] as usize
}

/// The numbers of a list, each within the range of f32.
fn singles(list: &ListArray, row: usize, out: &mut Vec<f32>) -> Result<(), String> {
    out.clear();
    let (items, range) = (list.values(), part(list, row));
    let has_null = items.null_count() > 0 && range.clone().any(|at| items.is_null(at));
    if has_null {
        return Err("an item is null; fill or leave out such rows".to_owned());
    }
    if let Some(values) = items.as_primitive_opt::<Float64Type>() {
        out.extend(values.values()[range].iter().map(|&x| x as f32));
    } else if let Some(values) = items.as_primitive_opt::<Float32Type>() {
        out.extend_from_slice(&values.values()[range]);
    }
    match out.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => Err(format!(
            "value {at} is not a finite number within the range of float32 (3.4e38); leave the row out, or scale the feature down"
        )),
    }
}

fn dense(rows: &mut Rows, values: &[f32]) -> u32 {
    for (slot, &value) in (1..).zip(values) {
        rows.push(slot, value);
    }
    values.len() as u32
}

/// A column of labels.
enum Labels<'a> {
    Numbers(&'a Float64Array),
    Texts(&'a StringArray),
    LongTexts(&'a LargeStringArray),
}

impl<'a> Labels<'a> {
    fn of(column: &'a dyn Array) -> Option<Self> {
        if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
            return Some(Labels::Numbers(numbers));
        }
        if let Some(texts) = column.as_string_opt::<i32>() {
            return Some(Labels::Texts(texts));
        }
        column.as_string_opt::<i64>().map(Labels::LongTexts)
    }

    fn text(&self, row: usize) -> String {
        match self {
            Labels::Numbers(numbers) => (numbers.value(row) + 0.0).to_string(),
            Labels::Texts(texts) => texts.value(row).to_owned(),
            Labels::LongTexts(texts) => texts.value(row).to_owned(),
        }
    }

    fn number(&self, row: usize) -> Option<f64> {
        match self {
            Labels::Numbers(numbers) => Some(numbers.value(row)).filter(|x| x.is_finite()),
            Labels::Texts(_) | Labels::LongTexts(_) => None,
        }
    }
}

/// What a packer is given.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PackWords {
    features: FeatureWords,
    label: String,
    weight: Option<String>,
    /// Labels are numbers to be predicted.
    targets: bool,
    /// A block ends when it has this many bytes.
    block_bytes: usize,
}

/// Packs the batches of one partition into blocks.
#[pyclass(module = "novikoff._native", name = "Packer")]
pub(crate) struct PyPacker {
    words: PackWords,
    model: Option<Py<PyModel>>,
    /// What messages begin with.
    place: String,
    open: Open,
    /// Rows so far.
    done: u64,
}

/// A block that is being filled.
#[derive(Default)]
struct Open {
    rows: Rows,
    width: u32,
    labels: HashMap<String, u32>,
    names: Vec<String>,
    codes: Vec<u32>,
    targets: Vec<f64>,
}

impl Open {
    fn bytes(&self) -> usize {
        8 * self.rows.values() + 20 * self.rows.len()
    }

    fn add_label(&mut self, text: String) -> Result<(), String> {
        let next = self.names.len() as u32;
        let code = match self.labels.get(&text) {
            Some(&code) => code,
            None if self.names.len() >= LABELS => {
                return Err(format!(
                    "more than {LABELS} different labels; to predict numbers choose a loss of numbers, such as loss=\"squared\""
                ));
            }
            None => {
                self.names.push(text.clone());
                self.labels.insert(text, next);
                next
            }
        };
        self.codes.push(code);
        Ok(())
    }
}

#[pymethods]
impl PyPacker {
    /// For the rows of partition `partition`; `model` knows the named columns.
    #[new]
    #[pyo3(signature = (words, partition, model=None))]
    fn new(words: PackWords, partition: u64, model: Option<Py<PyModel>>) -> Self {
        PyPacker {
            words,
            model,
            place: format!("partition {partition}, "),
            open: Open::default(),
            done: 0,
        }
    }

    /// Adds the rows of a batch. Gives the block that became full, if one did.
    fn add<'py>(
        &mut self,
        py: Python<'py>,
        batch: PyRecordBatch,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let batch = batch.into_inner();
        let (label, weight) = (self.words.label.clone(), self.words.weight.clone());
        let labels = column(&batch, &label)?;
        let labels = Labels::of(labels).ok_or_else(|| {
            refused(format!(
                "labelCol: must hold numbers, booleans or strings, got {}",
                labels.data_type()
            ))
        })?;
        let nulls = column(&batch, &label)?;
        let weights = weight
            .as_ref()
            .map(|name| column(&batch, name))
            .transpose()?;
        let weights = weights.and_then(|column| column.as_primitive_opt::<Float64Type>());
        let beside = [Some(&label), weight.as_ref()];
        let keep: Vec<usize> = (0..batch.num_columns())
            .filter(|&at| !beside.contains(&Some(batch.schema_ref().field(at).name())))
            .collect();
        let features = batch
            .project(&keep)
            .map_err(|error| refused(error.to_string()))?;
        let mut vectors = self.words.features.values(&features)?;
        let (table, mut width) = if vectors.is_none() {
            let model = self.model.as_ref().map(|model| model.borrow(py));
            let (words, place, batch) = (&self.words.features, &self.place, features.clone());
            words.rows(py, batch, model.as_deref(), place, self.done)?
        } else {
            Default::default()
        };
        let bias = self.words.features.bias;
        for row in 0..batch.num_rows() {
            let number = self.done + row as u64;
            let bad = |why: String| refused(format!("{}row {number}: {why}", self.place));
            if nulls.is_null(row) {
                return Err(bad(
                    "labelCol: null; leave out the rows without a label".to_owned()
                ));
            }
            let finite = labels.number(row);
            if matches!(labels, Labels::Numbers(_)) && finite.is_none() {
                return Err(bad("labelCol: not a finite number".to_owned()));
            }
            if self.words.targets {
                let target = finite.ok_or_else(|| bad(format!(
                    "labelCol: {:?} is not a number, which this loss predicts; use a loss of classes, such as loss=\"hinge\"",
                    labels.text(row)
                )))?;
                self.open.targets.push(target);
            } else {
                self.open
                    .add_label(labels.text(row))
                    .map_err(|why| bad(format!("labelCol: {why}")))?;
            }
            if let Some(weights) = weights {
                let weight = weights.value(row) as f32;
                if weights.is_null(row) || !(weight.is_finite() && weight >= 0.0) {
                    return Err(bad(
                        "weightCol: must be a finite number that is at least 0".to_owned()
                    ));
                }
                self.open.rows.set_weight(weight);
            }
            // vectors go straight into the block
            if let Some(vectors) = &mut vectors {
                let known = vectors.add_row(row, &mut self.open.rows, bias);
                width = width.max(known.map_err(bad)?);
                self.open.rows.end_row(0);
            } else {
                self.open.rows.copy_row(table.rows.view(), row);
            }
        }
        self.open.width = self.open.width.max(width);
        self.done += batch.num_rows() as u64;
        if self.open.bytes() >= self.words.block_bytes {
            return Ok(self.close(py));
        }
        Ok(None)
    }

    /// The last block, if there is one.
    fn finish<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.close(py)
    }
}

impl PyPacker {
    fn close<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let open = std::mem::take(&mut self.open);
        if open.rows.is_empty() {
            return None;
        }
        let truth = if self.words.targets {
            Truth::Numbers(open.targets)
        } else {
            Truth::Labels(open.names, open.codes)
        };
        let (bytes, _) = pack(&open.rows, open.width, &truth);
        Some(PyBytes::new(py, &bytes))
    }
}

fn column<'b>(batch: &'b RecordBatch, name: &str) -> PyResult<&'b dyn Array> {
    let found = batch.column_by_name(name);
    let found = found.ok_or_else(|| refused(format!("there is no column {name:?}")))?;
    Ok(&**found)
}
