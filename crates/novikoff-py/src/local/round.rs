//! One round of one partition: its blocks in their order, each with its dual variables.

use novikoff_engine::partitions::{PartitionRound, Point, Work};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::problem::ProblemWords;
use crate::words::raised;

/// What is asked of the partitions.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct WorkWords {
    passes: u32,
    seed: u64,
    momentum: Vec<f64>,
    active: Vec<bool>,
    sums: bool,
    shares: bool,
    balance: Option<Vec<(f64, f64)>>,
    fixed: Option<Vec<f64>>,
    candidates: Vec<Vec<f64>>,
}

impl From<WorkWords> for Work {
    fn from(words: WorkWords) -> Self {
        Work {
            passes: words.passes,
            seed: words.seed,
            momentum: words.momentum,
            active: words.active,
            sums: words.sums,
            shares: words.shares,
            balance: words.balance,
            fixed: words.fixed,
            candidates: words.candidates,
        }
    }
}

/// One round of one partition.
#[pyclass(module = "novikoff._native", name = "LocalRound")]
pub(crate) struct PyLocalRound(PartitionRound);

#[pymethods]
impl PyLocalRound {
    #[new]
    fn new(problem: ProblemWords, point: &[u8], work: WorkWords, partition: u64) -> PyResult<Self> {
        let point = Point::from_bytes(point).map_err(|error| raised(&error))?;
        let round = PartitionRound::new(problem.problem()?, point, work.into(), partition);
        round.map(PyLocalRound).map_err(|error| raised(&error))
    }

    /// Works on the next block. `state` holds its dual variables; none: they begin. Gives its variables after the passes.
    #[pyo3(signature = (rows, state=None))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        rows: &[u8],
        state: Option<&[u8]>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let next = py.detach(|| self.0.step(rows, state));
        let next = next.map_err(|error| raised(&error))?;
        Ok(PyBytes::new(py, &next))
    }

    /// What all blocks answer.
    fn answer<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.answer().to_bytes())
    }
}
