//! Margins counted in bins, so that curves of any number of rows are known up to a stated error; and probabilities of margins.

use std::iter::zip;

use novikoff_engine::partitions::{CurvePoint, MarginBins, with_sigmoids};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::model::PyModel;
use crate::words::{raised, refused};

/// Rows by margin, for one class against the rest.
#[pyclass(module = "novikoff._native", name = "Histogram")]
#[derive(Default)]
pub(crate) struct PyHistogram(MarginBins);

#[pymethods]
impl PyHistogram {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Counts rows.
    fn add(
        &mut self,
        margins: PyReadonlyArray1<'_, f64>,
        has: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let (margins, has) = (margins.as_array(), has.as_array());
        if margins.len() != has.len() {
            return Err(refused("one label per margin"));
        }
        zip(margins, has).for_each(|(margin, has)| self.0.add(*margin, *has));
        Ok(())
    }

    /// As bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Adds one that was written as bytes.
    fn merge(&mut self, bytes: &[u8]) -> PyResult<()> {
        self.0.merge(bytes).map_err(|error| raised(&error))
    }

    /// Rows without and with the label.
    #[getter]
    fn rows(&self) -> (u64, u64) {
        self.0.rows()
    }

    /// The area under the ROC curve, and how far it can be from that of the margins themselves. None if all rows have the label, or none has.
    #[getter]
    fn auc(&self) -> Option<(f64, f64)> {
        self.0.auc()
    }

    /// The least and the largest average precision that rows in these bins can have. None if no row has the label.
    #[getter]
    fn average_precision(&self) -> Option<(f64, f64)> {
        self.0.average_precision()
    }

    /// The curve: for each bin from the highest down its least margin, and the rows without and with the label at or above it.
    #[getter]
    fn curve(&self) -> Vec<CurvePoint> {
        self.0.curve()
    }
}

/// The model with probabilities: Platt's sigmoid for each class, fitted on margins of rows, one column per class, with the place of each
/// row's label among the classes.
#[pyfunction]
pub(crate) fn calibrated(
    model: &PyModel,
    margins: PyReadonlyArray2<'_, f64>,
    labels: PyReadonlyArray1<'_, i64>,
) -> PyResult<PyModel> {
    let columns = margins.as_array();
    let columns: Vec<Vec<f64>> = columns.columns().into_iter().map(|c| c.to_vec()).collect();
    let labels = labels.as_array().to_vec();
    let fitted = with_sigmoids(&model.model, &columns, &labels);
    fitted.map(PyModel::from).map_err(|error| raised(&error))
}
