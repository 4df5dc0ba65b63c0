//! From arrays to rows: dense and sparse, with labels, targets and weights.

use std::sync::Arc;

use novikoff::label::LabelName;
use novikoff::names::{NameLimits, Names};
use novikoff::rows::Rows;
use novikoff_engine::data::MemoryRows;
use novikoff_engine::distinct;
use numpy::{Element, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::arrays::{ArrayRows, Arrays, Bench, Fault, contiguous};
use crate::model::PyModel;
use crate::tables::{LabelValues, Labels, ReadWords, rows_of_table};
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

#[pymethods]
impl PyRows {
    /// Rows of an array of float32 or float64, dense or compressed sparse.
    #[staticmethod]
    fn arrays(py: Python<'_>, arrays: Arrays<'_>, beside: Beside<'_>) -> PyResult<Self> {
        let given = arrays.rows()?;
        let labelling = Labelling::new(&beside, given.len())?;
        let filled = py.detach(|| labelling.rows(&*given));
        finished(filled.map_err(|fault| refused(fault.words()))?, &beside)
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
        let labels = match label {
            Some(column) => labels_of_table(column, &beside)?,
            None => None,
        };
        let (rows, remarks) = rows_of_table(py, table, &read, labels.as_ref(), model, beside.bias)?;
        Ok(PyRows {
            rows: Arc::new(rows),
            remarks,
        })
    }

    /// The rows, equal ones as one whose weight is the sum of theirs; as they are if no two are equal and all count once. `weighted` says that
    /// classes count differently.
    fn merged(&self, py: Python<'_>, weighted: bool) -> Self {
        let merged = py.detach(|| distinct::merged(&self.rows.rows, weighted));
        let rows = match merged {
            None => Arc::clone(&self.rows),
            Some(rows) => Arc::new(MemoryRows {
                rows,
                constant: self.rows.constant,
                names: self.rows.names.clone(),
                table: self.rows.table.clone(),
                text: Arc::clone(&self.rows.text),
            }),
        };
        PyRows {
            rows,
            remarks: self.remarks.clone(),
        }
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

/// The labels or targets of a table for learning, if it has some.
fn labels_of_table(column: String, beside: &Beside<'_>) -> PyResult<Option<Labels>> {
    let values = if let Some(codes) = &beside.codes {
        let text = |&code: &i64| {
            let code = usize::try_from(code).ok();
            code.and_then(|code| beside.labels.get(code)).cloned()
        };
        let texts: Option<Vec<String>> = contiguous(codes, "y")?.iter().map(text).collect();
        let texts = texts.ok_or_else(|| refused("y: a label that is not among the classes"))?;
        LabelValues::Texts(texts)
    } else if let Some(targets) = &beside.targets {
        LabelValues::Numbers(contiguous(targets, "y")?.to_vec())
    } else {
        return Ok(None);
    };
    let weights = slice(beside.weights.as_ref(), "sample_weight", values.len())?;
    Ok(Some(Labels {
        column,
        values,
        weights: weights.map(|all| all.iter().map(|&weight| weight as f32).collect()),
    }))
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

    /// All rows of some arrays.
    fn rows(&self, given: &dyn ArrayRows) -> Result<Rows, Fault> {
        let (mut rows, mut bench) = (Rows::new(), Bench::default());
        rows.reserve(given.values() + given.len());
        for row in 0..given.len() {
            self.begin(&mut rows, row);
            given.add(row, &mut bench, &mut rows)?;
            rows.end_row(row as u64);
        }
        Ok(rows)
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
