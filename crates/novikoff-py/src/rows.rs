//! From arrays to rows: dense and sparse, with labels, targets and weights.

use std::sync::Arc;

use novikoff::label::LabelName;
use novikoff::names::{NameLimits, Names};
use novikoff::rows::Rows;
use novikoff_engine::data::MemoryRows;
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::model::PyModel;
use crate::tables::{Labels, ReadWords, rows_of_table};
use crate::words::refused;

/// The most bytes that the names of features take.
const NAME_BYTES: u64 = 4 << 30;

/// Rows of the engine, made once of arrays and shared by all jobs over them.
#[pyclass(frozen, module = "novikoff._native", name = "Rows")]
pub(crate) struct PyRows {
    pub(crate) rows: Arc<MemoryRows>,
    /// What is worth knowing of the columns of a table.
    remarks: Vec<String>,
}

/// What rows have beside their values.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Beside<'py> {
    /// For each row, the place of its label in `labels`.
    codes: Option<PyReadonlyArray1<'py, i64>>,
    /// The labels as text.
    labels: Vec<String>,
    /// The numbers to be predicted.
    targets: Option<PyReadonlyArray1<'py, f64>>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    /// The constant feature.
    bias: Option<f32>,
    /// The names of the features.
    names: Option<Vec<String>>,
}

/// A number of an array.
pub(crate) trait Value: Element + Copy {
    fn single(self) -> f32;
}

impl Value for f32 {
    fn single(self) -> f32 {
        self
    }
}

impl Value for f64 {
    fn single(self) -> f32 {
        self as f32
    }
}

/// A position of a sparse array.
pub(crate) trait Index: Element + Copy {
    fn place(self) -> Option<usize>;
}

impl Index for i32 {
    fn place(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
}

impl Index for i64 {
    fn place(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
}

#[pymethods]
impl PyRows {
    /// Rows of a two-dimensional array of float32 or float64.
    #[staticmethod]
    fn dense(py: Python<'_>, x: &Bound<'_, PyAny>, beside: Beside<'_>) -> PyResult<Self> {
        if let Ok(x) = x.extract::<PyReadonlyArray2<'_, f32>>() {
            return of_dense(py, &x, &beside);
        }
        if let Ok(x) = x.extract::<PyReadonlyArray2<'_, f64>>() {
            return of_dense(py, &x, &beside);
        }
        Err(PyTypeError::new_err(
            "X must be a two-dimensional array of float32 or float64",
        ))
    }

    /// Rows of a compressed sparse row array of float32 or float64, whose indices are int32 or int64.
    #[staticmethod]
    fn csr(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        indptr: &Bound<'_, PyAny>,
        features: usize,
        beside: Beside<'_>,
    ) -> PyResult<Self> {
        if let Ok(data) = data.extract::<PyReadonlyArray1<'_, f32>>() {
            return of_csr(py, &data, indices, indptr, features, &beside);
        }
        if let Ok(data) = data.extract::<PyReadonlyArray1<'_, f64>>() {
            return of_csr(py, &data, indices, indptr, features, &beside);
        }
        Err(PyTypeError::new_err(
            "the values of X must be float32 or float64",
        ))
    }

    /// Rows of a table: anything with the Arrow `PyCapsule` interface. For learning, `beside` has the labels, and `label` names their column;
    /// for a model that learned from a table, its columns are read as they were.
    #[staticmethod]
    #[pyo3(signature = (table, read, beside, label=None, model=None))]
    fn table(
        py: Python<'_>,
        table: AnyRecordBatch,
        read: ReadWords,
        beside: Beside<'_>,
        label: Option<String>,
        model: Option<&PyModel>,
    ) -> PyResult<Self> {
        let labels = match (label, &beside.codes) {
            (Some(column), Some(codes)) => {
                let codes = contiguous(codes, "y")?.iter();
                let text = |&code: &i64| {
                    usize::try_from(code)
                        .ok()
                        .and_then(|code| beside.labels.get(code))
                };
                let texts: Option<Vec<String>> = codes.map(|code| text(code).cloned()).collect();
                let texts =
                    texts.ok_or_else(|| refused("y: a label that is not among the classes"))?;
                let weights = slice(beside.weights.as_ref(), "sample_weight", texts.len())?;
                Some(Labels {
                    column,
                    texts,
                    weights: weights.map(|all| all.iter().map(|&weight| weight as f32).collect()),
                })
            }
            _ => None,
        };
        let (rows, remarks) = rows_of_table(py, table, &read, labels.as_ref(), model, beside.bias)?;
        Ok(PyRows {
            rows: Arc::new(rows),
            remarks,
        })
    }

    /// What is worth knowing of the columns of a table.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn __len__(&self) -> usize {
        self.rows.rows.len()
    }

    /// How many values are stored.
    #[getter]
    fn values(&self) -> usize {
        self.rows.rows.values()
    }
}

/// The parts of a row that are not its values, ready to be put in without Python.
struct Labelling<'a> {
    codes: Option<&'a [i64]>,
    labels: Vec<LabelName>,
    targets: Option<&'a [f64]>,
    weights: Option<&'a [f64]>,
    bias: Option<f32>,
}

impl<'a> Labelling<'a> {
    fn new(beside: &'a Beside<'_>, rows: usize) -> PyResult<Self> {
        let labels = beside.labels.iter().map(|text| LabelName::typed(text));
        let labelling = Labelling {
            codes: slice(beside.codes.as_ref(), "y", rows)?,
            labels: labels.collect(),
            targets: slice(beside.targets.as_ref(), "y", rows)?,
            weights: slice(beside.weights.as_ref(), "sample_weight", rows)?,
            bias: beside.bias,
        };
        let known = labelling.labels.len();
        let mut codes = labelling.codes.unwrap_or_default().iter();
        if codes.any(|&code| usize::try_from(code).map_or(true, |code| code >= known)) {
            return Err(refused("y: a label that is not among the classes"));
        }
        let mut weights = labelling.weights.unwrap_or_default().iter();
        if let Some(weight) = weights.find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(refused(format!(
                "sample_weight: must be finite numbers that are at least 0, got {weight}"
            )));
        }
        Ok(labelling)
    }

    /// Begins row `row`.
    fn begin(&self, rows: &mut Rows, row: usize) {
        if let Some(codes) = self.codes {
            let label = &self.labels[codes[row] as usize];
            rows.push_label(label.number().unwrap_or(f64::NAN), label.name().as_bytes());
        }
        if let Some(targets) = self.targets {
            rows.push_label(targets[row], b"");
        }
        if let Some(weights) = self.weights {
            rows.set_weight(weights[row] as f32);
        }
        if let Some(bias) = self.bias {
            rows.push(0, bias);
        }
    }
}

fn slice<'a, T: Element>(
    array: Option<&'a PyReadonlyArray1<'_, T>>,
    name: &str,
    rows: usize,
) -> PyResult<Option<&'a [T]>> {
    let Some(array) = array else { return Ok(None) };
    let slice = contiguous(array, name)?;
    if slice.len() != rows {
        let len = slice.len();
        return Err(refused(format!("{name} has {len} entries for {rows} rows")));
    }
    Ok(Some(slice))
}

fn contiguous<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>, name: &str) -> PyResult<&'a [T]> {
    let slice = array.as_slice();
    slice.map_err(|_| refused(format!("{name}: must be a contiguous array")))
}

/// A value that is none of the engine's.
fn bad_value(row: usize, feature: usize) -> PyErr {
    refused(format!(
        "X[{row}, {feature}] is not a finite number within the range of float32 (3.4e38); leave the row out, or scale the feature down"
    ))
}

fn of_dense<T: Value>(
    py: Python<'_>,
    x: &PyReadonlyArray2<'_, T>,
    beside: &Beside<'_>,
) -> PyResult<PyRows> {
    let x = x.as_array();
    let labelling = Labelling::new(beside, x.nrows())?;
    let filled = py.detach(|| {
        let mut rows = Rows::new();
        for (i, values) in x.rows().into_iter().enumerate() {
            labelling.begin(&mut rows, i);
            for (slot, value) in (1..).zip(values) {
                let value = value.single();
                if !value.is_finite() {
                    return Err((i, slot as usize - 1));
                }
                rows.push(slot, value);
            }
            rows.end_row(i as u64);
        }
        Ok(rows)
    });
    let rows = filled.map_err(|(row, feature)| bad_value(row, feature))?;
    finished(rows, beside)
}

fn of_csr<T: Value>(
    py: Python<'_>,
    data: &PyReadonlyArray1<'_, T>,
    indices: &Bound<'_, PyAny>,
    indptr: &Bound<'_, PyAny>,
    features: usize,
    beside: &Beside<'_>,
) -> PyResult<PyRows> {
    let wrong = || PyTypeError::new_err("the indices of X must be int32 or int64");
    if let Ok(indices) = indices.extract::<PyReadonlyArray1<'_, i32>>() {
        let indptr = indptr.extract().map_err(|_| wrong())?;
        return of_indexed::<T, i32>(py, data, &indices, &indptr, features, beside);
    }
    let indices = indices.extract().map_err(|_| wrong())?;
    let indptr = indptr.extract().map_err(|_| wrong())?;
    of_indexed::<T, i64>(py, data, &indices, &indptr, features, beside)
}

fn of_indexed<T: Value, I: Index>(
    py: Python<'_>,
    data: &PyReadonlyArray1<'_, T>,
    indices: &PyReadonlyArray1<'_, I>,
    indptr: &PyReadonlyArray1<'_, I>,
    features: usize,
    beside: &Beside<'_>,
) -> PyResult<PyRows> {
    let (data, indices) = (
        contiguous(data, "X.data")?,
        contiguous(indices, "X.indices")?,
    );
    let indptr = contiguous(indptr, "X.indptr")?;
    let count = indptr.len().saturating_sub(1);
    let labelling = Labelling::new(beside, count)?;
    if features >= u32::MAX as usize {
        return Err(refused("X has more features than 2^32 - 2"));
    }
    let sparse = Sparse {
        data,
        indices,
        indptr,
        features,
    };
    let filled = py.detach(|| sparse.rows(&labelling));
    finished(filled.map_err(Fault::raised)?, beside)
}

/// A sparse array, borrowed.
struct Sparse<'a, T, I> {
    data: &'a [T],
    indices: &'a [I],
    indptr: &'a [I],
    features: usize,
}

/// What is wrong with a sparse array.
enum Fault {
    Shape(usize),
    Value { row: usize, feature: usize },
}

impl Fault {
    fn raised(self) -> PyErr {
        match self {
            Fault::Shape(row) => refused(format!(
                "row {row} of X is no row of a compressed sparse array: its indptr or indices are out of range; call X.check_format()"
            )),
            Fault::Value { row, feature } => bad_value(row, feature),
        }
    }
}

impl<T: Value, I: Index> Sparse<'_, T, I> {
    fn rows(&self, labelling: &Labelling<'_>) -> Result<Rows, Fault> {
        let mut rows = Rows::new();
        let count = self.indptr.len().saturating_sub(1);
        rows.reserve(self.data.len() + count);
        let (mut slots, mut values) = (Vec::new(), Vec::new());
        for row in 0..count {
            let range = self.indptr[row].place().zip(self.indptr[row + 1].place());
            let range = range.map(|(start, end)| start..end);
            let part = range.and_then(|range| {
                let index = self.indices.get(range.clone())?;
                Some((index, self.data.get(range)?))
            });
            let (index, data) = part.ok_or(Fault::Shape(row))?;
            slots.clear();
            values.clear();
            for (&feature, &value) in index.iter().zip(data) {
                let feature = feature.place().filter(|&feature| feature < self.features);
                let feature = feature.ok_or(Fault::Shape(row))?;
                let value = value.single();
                if !value.is_finite() {
                    return Err(Fault::Value { row, feature });
                }
                // features are counted from 1: slot 0 is the constant feature
                slots.push(feature as u32 + 1);
                values.push(value);
            }
            labelling.begin(&mut rows, row);
            rows.push_any_many(&slots, &values);
            rows.end_row(row as u64);
        }
        Ok(rows)
    }
}

fn finished(rows: Rows, beside: &Beside<'_>) -> PyResult<PyRows> {
    let mut names = Names::new();
    for name in beside.names.iter().flatten() {
        let limits = NameLimits {
            slots: u32::MAX - 1,
            bytes: NAME_BYTES,
        };
        let slot = names.assign(name, limits);
        slot.map_err(|error| refused(format!("the names of the features: {error}")))?;
    }
    let memory = MemoryRows {
        rows,
        constant: beside.bias,
        names,
        ..MemoryRows::default()
    };
    Ok(PyRows {
        rows: Arc::new(memory),
        remarks: Vec::new(),
    })
}
