//! Iterative parameter mixing: passes of partitions, and what the driver makes of them.

use novikoff::model::Model;
use novikoff_engine::partitions::{self, MixBy, MixingBound, Pass};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::problem::PyPoint;
use crate::model::{PyModel, learner};
use crate::words::{raised, refused};

/// A learner that has seen no row and knows all labels. Refused if its weights are not all that it is: the mean of two such learners would be none.
#[pyfunction]
#[pyo3(signature = (spec, labels, features, bias=None, columns=None))]
pub(crate) fn local_learner(
    spec: &str,
    labels: Vec<String>,
    features: u32,
    bias: Option<f32>,
    columns: Option<&PyModel>,
) -> PyResult<PyModel> {
    let columns = columns.map(|columns| &**columns.model.schema());
    let model = partitions::mixable(learner(spec)?, &labels, features, bias, columns);
    model.map(PyModel::from).map_err(|error| raised(&error))
}

/// One pass of one partition, or what the passes of several came to.
#[pyclass(module = "novikoff._native", name = "Mixer")]
pub(crate) struct PyMixer(Pass);

#[pymethods]
impl PyMixer {
    /// A pass that begins from a model.
    #[new]
    fn new(model: &PyModel) -> Self {
        PyMixer(Pass::from(&model.model))
    }

    /// Tries the rows of a packed block.
    fn walk(&mut self, rows: &[u8]) -> PyResult<()> {
        self.0.walk(rows).map_err(|error| raised(&error))
    }

    /// The weights that the pass ended with, and its counts.
    fn answer<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.answer())
    }

    /// The model that the answers of all partitions, in their order, are mixed into, and what the epoch came to: the weight of each
    /// partition, the weighted mistakes, and the weighted sum of `|x|^2` over them.
    #[staticmethod]
    fn mix<'py>(
        py: Python<'py>,
        model: &PyModel,
        answers: Vec<Bound<'py, PyBytes>>,
        by: &str,
    ) -> PyResult<(PyModel, Bound<'py, PyDict>)> {
        let by = match by {
            "uniform" => MixBy::Uniform,
            "mistakes" => MixBy::Mistakes,
            other => {
                return Err(refused(format!(
                    "mixing={other:?}: must be \"uniform\" or \"mistakes\""
                )));
            }
        };
        let answers: Vec<&[u8]> = answers.iter().map(PyBytesMethods::as_bytes).collect();
        let mixed = partitions::mixed(&model.model, &answers, by);
        let mixed = mixed.map_err(|error| raised(&error))?;
        let about = PyDict::new(py);
        about.set_item("weighted_mistakes", mixed.weighted_mistakes)?;
        about.set_item("weighted_norm_sq", mixed.weighted_norm_sq)?;
        about.set_item("trials", mixed.trials)?;
        about.set_item("mistakes", mixed.mistakes)?;
        about.set_item("mu", mixed.mu)?;
        Ok((mixed.model.into(), about))
    }

    /// The model whose weights are the mean of those of several, which have the same classes.
    #[staticmethod]
    fn mean(models: Vec<PyRef<'_, PyModel>>) -> PyResult<PyModel> {
        let models: Vec<&Model> = models.iter().map(|model| &*model.model).collect();
        let mean = partitions::mean(&models);
        mean.map(PyModel::from).map_err(|error| raised(&error))
    }

    /// The bound `hinge + |U| sqrt(X)` of the weighted mistakes, for the U of a point: `loss` is the mean over `rows` rows of weight times hinge
    /// loss, and X the weighted sum of `|x|^2` over the mistakes. Each term is no less than its exact value.
    #[staticmethod]
    fn bound<'py>(
        py: Python<'py>,
        point: &PyPoint,
        loss: f64,
        rows: u64,
        mistakes: f64,
        norm_sq: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let u = point.0.vectors.first().map_or(&[][..], Vec::as_slice);
        let found = MixingBound::of(u, loss, rows, mistakes, norm_sq);
        let about = PyDict::new(py);
        about.set_item("theorem", "iterative parameter mixing")?;
        about.set_item("weighted_mistakes", mistakes)?;
        about.set_item("bound", found.bound())?;
        about.set_item("hinge", found.hinge)?;
        about.set_item("spread", found.spread)?;
        about.set_item("length", found.length)?;
        Ok(about)
    }

    /// The labels of a packed block, each with the number of its rows that a model answers right.
    #[staticmethod]
    fn right_answers(model: &PyModel, rows: &[u8]) -> PyResult<Vec<(String, u64)>> {
        let right = partitions::right_answers(&model.model, rows);
        right.map_err(|error| raised(&error))
    }

    /// Goes through a block again as the passes that began from these did, and gives the rows on which some pass erred, packed, each with
    /// the sum of the passes' weights as its own; none if there are none.
    #[staticmethod]
    fn mistaken<'py>(
        py: Python<'py>,
        mut passes: Vec<PyRefMut<'_, PyMixer>>,
        mu: Vec<f64>,
        rows: &[u8],
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let weighted = passes.iter_mut().zip(mu);
        let mut weighted: Vec<_> = weighted.map(|(pass, mu)| (&mut pass.0, mu)).collect();
        let kept = partitions::mistaken(&mut weighted, rows);
        let kept = kept.map_err(|error| raised(&error))?;
        Ok(kept.map(|bytes| PyBytes::new(py, &bytes)))
    }
}
