//! From arrays to rows: dense and sparse, with labels, targets and weights.

use std::sync::{Arc, Mutex, PoisonError};

use novikoff::label::LabelName;
use novikoff::model::Model;
use novikoff::names::{NameLimits, Names};
use novikoff::rows::Rows;
use novikoff_engine::data::{Data, MemoryRows};
use novikoff_engine::distinct;
use novikoff_engine::door_rows::{DoorRows, LearnedRows};
use novikoff_engine::fit::{Fit, Fitted};
use numpy::{Element, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::arrays::{ArrayRows, Arrays, contiguous};
use crate::model::PyModel;
use crate::tables::{LabelValues, Labels, ReadWords, Remarked, rows_of_table};
use crate::watch::{self, Pace};
use crate::words::{raised, refused};

/// The most bytes that the names of features take.
const NAME_BYTES: u64 = 4 << 30;

/// Rows of fewer values than this are copied at once.
const FEW: usize = 100_000;

/// Rows of the engine, made once and shared by all jobs over them; or arrays that are lent to runs until rows are made of them.
#[pyclass(frozen, module = "novikoff._native", name = "Rows")]
pub(crate) struct PyRows {
    kept: Mutex<Kept>,
    len: usize,
    values: usize,
    /// What is worth knowing of the columns of a table.
    remarks: Vec<Remarked>,
}

/// What rows are made of.
enum Kept {
    /// The arrays, and what rows have beside them.
    Given(Py<PyAny>, Py<PyAny>),
    Made(Arc<MemoryRows>),
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
    fn arrays(arrays: &Bound<'_, PyAny>, beside: &Bound<'_, PyAny>) -> PyResult<Self> {
        let given: Arrays<'_> = arrays.extract()?;
        let given = given.rows()?;
        let rows = PyRows {
            kept: Mutex::new(Kept::Given(
                arrays.clone().unbind(),
                beside.clone().unbind(),
            )),
            len: given.len(),
            values: given.values(),
            remarks: Vec::new(),
        };
        if rows.values < FEW {
            rows.hold(arrays.py())?;
        }
        Ok(rows)
    }

    /// Makes the rows, if they are still arrays: from now on nothing that is done to the arrays changes them.
    fn hold(&self, py: Python<'_>) -> PyResult<()> {
        self.made(py).map(drop)
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
        Ok(PyRows::new(Arc::new(rows), remarks))
    }

    /// The rows, equal ones as one whose weight is the sum of theirs; as they are if no two are equal and all count once. `weighted` says that
    /// classes count differently.
    fn merged(&self, py: Python<'_>, weighted: bool) -> PyResult<Self> {
        let made = self.made(py)?;
        let merged = py.detach(|| distinct::merged(&made.rows, weighted));
        let rows = match merged {
            None => made,
            Some(rows) => Arc::new(MemoryRows {
                rows,
                constant: made.constant,
                names: made.names.clone(),
                table: made.table.clone(),
                text: Arc::clone(&made.text),
            }),
        };
        Ok(PyRows::new(rows, self.remarks.clone()))
    }

    /// What is worth knowing of the columns of a table: kinds and texts.
    #[getter]
    fn remarks(&self) -> Vec<Remarked> {
        self.remarks.clone()
    }

    fn __len__(&self) -> usize {
        self.len
    }

    /// How many values are stored.
    #[getter]
    pub(crate) fn values(&self) -> usize {
        self.values
    }
}

impl PyRows {
    fn new(rows: Arc<MemoryRows>, remarks: Vec<Remarked>) -> Self {
        PyRows {
            len: rows.rows.len(),
            values: rows.rows.values(),
            kept: Mutex::new(Kept::Made(rows)),
            remarks,
        }
    }

    /// The rows, if they are made; otherwise what they are made of.
    fn kept(&self, py: Python<'_>) -> Result<Arc<MemoryRows>, (Py<PyAny>, Py<PyAny>)> {
        match &*self.kept.lock().unwrap_or_else(PoisonError::into_inner) {
            Kept::Made(rows) => Ok(Arc::clone(rows)),
            Kept::Given(arrays, beside) => Err((arrays.clone_ref(py), beside.clone_ref(py))),
        }
    }

    /// The rows, made if need be.
    pub(crate) fn made(&self, py: Python<'_>) -> PyResult<Arc<MemoryRows>> {
        let made = match self.kept(py) {
            Ok(rows) => return Ok(rows),
            // while rows are made nobody waits for the lock, who could have the interpreter
            Err(given) => lent(py, &given, |rows| {
                let held = py.detach(|| rows.held());
                held.map(Arc::new).map_err(|error| raised(&error))
            })?,
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Kept::Made(Arc::clone(&made));
        Ok(made)
    }

    /// Runs a job over the rows, from a model if one is given. Arrays are lent to it as they are.
    pub(crate) fn run(
        &self,
        py: Python<'_>,
        mut job: Fit,
        from: Option<Model>,
        pace: Pace,
    ) -> PyResult<Fitted> {
        match self.kept(py) {
            Ok(rows) => {
                job.data = Data::Memory(rows);
                watch::run(py, pace, |context| match from {
                    Some(model) => job.run_from(model, context),
                    None => job.run(context),
                })
            }
            Err(given) => lent(py, &given, |rows| {
                watch::run(py, pace, |context| job.run_lent(rows, from, context))
            }),
        }
    }
}

/// What `work` makes of arrays and what rows have beside them.
fn lent<T>(
    py: Python<'_>,
    (arrays, beside): &(Py<PyAny>, Py<PyAny>),
    work: impl FnOnce(LearnedRows<'_>) -> PyResult<T>,
) -> PyResult<T> {
    let arrays: Arrays<'_> = arrays.bind(py).extract()?;
    let beside: Beside<'_> = beside.bind(py).extract()?;
    let given = arrays.rows()?;
    let labelled = Labelled::new(&*given, &beside)?;
    let names = names_of(&beside)?;
    work(LearnedRows {
        rows: &labelled,
        constant: beside.bias,
        names: &names,
    })
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

/// Rows of arrays with their labels, ready to be put together without Python.
struct Labelled<'a> {
    given: &'a dyn ArrayRows,
    codes: Option<&'a [i64]>,
    labels: Vec<LabelName>,
    targets: Option<&'a [f64]>,
    weights: Option<&'a [f64]>,
}

impl<'a> Labelled<'a> {
    fn new(given: &'a dyn ArrayRows, beside: &'a Beside<'_>) -> PyResult<Self> {
        let rows = given.len();
        let labels = beside.labels.iter().map(|text| LabelName::typed(text));
        let labelled = Labelled {
            given,
            codes: slice(beside.codes.as_ref(), "y", rows)?,
            labels: labels.collect(),
            targets: slice(beside.targets.as_ref(), "y", rows)?,
            weights: slice(beside.weights.as_ref(), "sample_weight", rows)?,
        };
        let known = labelled.labels.len();
        let mut codes = labelled.codes.unwrap_or_default().iter();
        if codes.any(|&code| usize::try_from(code).map_or(true, |code| code >= known)) {
            return Err(refused("y: a label that is not among the classes"));
        }
        let mut weights = labelled.weights.unwrap_or_default().iter();
        if let Some(weight) = weights.find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(refused(format!(
                "sample_weight: must be finite numbers that are at least 0, got {weight}"
            )));
        }
        Ok(labelled)
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
    }
}

impl DoorRows for Labelled<'_> {
    fn len(&self) -> usize {
        self.given.len()
    }

    fn values(&self) -> usize {
        self.given.values()
    }

    fn fill(
        &self,
        rows: &mut dyn Iterator<Item = usize>,
        bias: Option<f32>,
        out: &mut Rows,
    ) -> Result<(), String> {
        self.given
            .fill(rows, bias, &|row, out| self.begin(out, row), out)
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

/// The names of the features, where they have some.
fn names_of(beside: &Beside<'_>) -> PyResult<Names> {
    let mut names = Names::new();
    for name in beside.names.iter().flatten() {
        let limits = NameLimits {
            slots: u32::MAX - 1,
            bytes: NAME_BYTES,
        };
        let slot = names.assign(name, limits);
        slot.map_err(|error| refused(format!("the names of the features: {error}")))?;
    }
    Ok(names)
}
