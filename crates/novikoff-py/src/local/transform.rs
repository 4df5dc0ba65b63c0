//! What a model answers to the rows of a batch.

use std::sync::Arc;

use novikoff::evaluation::ScoreUnit;
use novikoff_engine::Interrupt;
use novikoff_engine::answer::Answerer;
use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use super::pack::FeatureWords;
use crate::model::PyModel;
use crate::words::raised;

/// Margins, labels as places among the classes, and probabilities if they are wanted.
type Answers<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<i64>>,
    Option<Bound<'py, PyArray2<f64>>>,
);

/// The answers to the rows of a batch; `place` begins the message of a bad row.
#[pyfunction]
pub(crate) fn answers<'py>(
    py: Python<'py>,
    model: &PyModel,
    batch: PyRecordBatch,
    features: FeatureWords,
    probabilities: bool,
    place: &str,
) -> PyResult<Answers<'py>> {
    let table = model.model.table().is_some().then_some(model);
    let (mut rows, _) = features.rows(py, batch.into_inner(), table, place, 0)?;
    rows.names = model.model.names().clone();
    let rows = Arc::new(rows);
    let interrupt = Interrupt::default();
    let answerer = Answerer {
        model: &model.model,
        by: None,
        threads: 1,
        interrupt: &interrupt,
    };
    let (count, columns) = (rows.rows.len(), answerer.columns());
    let numbers = |unit: ScoreUnit| {
        let numbers = answerer
            .numbers(&rows, unit)
            .map_err(|error| raised(&error))?;
        PyArray1::from_vec(py, numbers).reshape([count, columns])
    };
    let margins = numbers(ScoreUnit::Margin)?;
    let chances = probabilities
        .then(|| numbers(ScoreUnit::Probability))
        .transpose()?;
    let labels = answerer.labels(&rows).map_err(|error| raised(&error))?;
    Ok((margins, PyArray1::from_vec(py, labels), chances))
}
