//! From a point to a model: what the command, the Python package and the service read.

use novikoff::names::{NameLimits, Names};
use novikoff_data::arrow::BatchRows;
use novikoff_engine::partitions;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use super::problem::{ProblemWords, PyPoint};
use crate::model::PyModel;
use crate::tables::ReadWords;
use crate::words::{raised, refused};

/// What names of features may take.
const LIMITS: NameLimits = NameLimits {
    slots: u32::MAX - 1,
    bytes: 4 << 30,
};

/// Labels in their order: numbers by value, then other labels by their bytes. Each is there once.
#[pyfunction]
pub(crate) fn label_order(labels: Vec<String>) -> Vec<String> {
    partitions::label_order(&labels)
}

/// A model that knows nothing but how named columns become rows: by the first rows, and by the names of features given beforehand.
#[pyfunction]
#[pyo3(signature = (first, read, names, hash_bits=None, bias=None))]
pub(crate) fn table_schema(
    first: PyRecordBatch,
    read: ReadWords,
    names: Vec<String>,
    hash_bits: Option<u32>,
    bias: Option<f32>,
) -> PyResult<PyModel> {
    let mut known = hash_bits.map_or_else(Names::new, Names::hashed);
    for name in &names {
        let slot = known.assign(name, LIMITS);
        slot.map_err(|error| refused(format!("the names of the features: {error}")))?;
    }
    let mut options = read.options()?;
    (options.bias, options.unlabelled) = (bias, true);
    let batch = first.into_inner();
    let mut rows = BatchRows::new(batch.schema_ref(), options, known)
        .map_err(|error| raised(&error.into()))?;
    rows.push(&batch).map_err(|error| raised(&error.into()))?;
    let mut schema = partitions::plain_schema(bias);
    schema.names = rows.names().clone();
    schema.table = Some(rows.table().clone());
    schema.width = schema.names.highest();
    let model = partitions::columns_model(schema);
    model.map(PyModel::from).map_err(|error| raised(&error))
}

/// The model of a point. `columns` knows the named columns, if there are any.
#[pyfunction]
#[pyo3(signature = (problem, point, intercepts, features, columns=None))]
pub(crate) fn solved_model(
    problem: ProblemWords,
    point: &PyPoint,
    intercepts: Vec<f64>,
    features: u32,
    columns: Option<&PyModel>,
) -> PyResult<PyModel> {
    let problem = problem.problem()?;
    let columns = columns.map(|columns| &**columns.model.schema());
    let model = partitions::solved_model(&problem, &point.0, &intercepts, features, columns);
    model.map(PyModel::from).map_err(|error| raised(&error))
}
