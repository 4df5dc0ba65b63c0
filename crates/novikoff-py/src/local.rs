//! Partitions of a problem that is in several places, for `novikoff.spark`: rows packed into bytes, local passes over them, and what the
//! driver adds up. Spark moves the bytes; every number is computed here or in the library, in an order that depends on the partitions alone.

mod answer;
mod bytes;
mod histogram;
mod mixing;
mod pack;
mod packed;
mod point;
mod problem;
mod round;
mod search;
mod solved;
mod transform;

use pyo3::prelude::*;

/// Adds the classes and functions of this module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<pack::PyPacker>()?;
    module.add_class::<problem::PyLocalProblem>()?;
    module.add_class::<point::PyPoint>()?;
    module.add_class::<round::PyLocalRound>()?;
    module.add_class::<answer::PyAnswer>()?;
    module.add_class::<search::PyBiasSearch>()?;
    module.add_class::<mixing::PyMixer>()?;
    module.add_class::<histogram::PyHistogram>()?;
    module.add_function(wrap_pyfunction!(histogram::calibrated, module)?)?;
    module.add_function(wrap_pyfunction!(mixing::local_learner, module)?)?;
    module.add_function(wrap_pyfunction!(solved::label_order, module)?)?;
    module.add_function(wrap_pyfunction!(solved::table_schema, module)?)?;
    module.add_function(wrap_pyfunction!(solved::solved_model, module)?)?;
    module.add_function(wrap_pyfunction!(transform::answers, module)?)?;
    Ok(())
}
