//! Partitions of a problem that is in several places, for `novikoff.spark`: the engine's `partitions` as Python has them. Spark moves the bytes.

mod histogram;
mod mixing;
mod pack;
mod problem;
mod remarks;
mod round;
mod solved;
mod transform;

use pyo3::prelude::*;

/// Adds the classes and functions of this module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<pack::PyPacker>()?;
    module.add_class::<problem::PyLocalProblem>()?;
    module.add_class::<problem::PyPoint>()?;
    module.add_class::<round::PyLocalRound>()?;
    module.add_class::<problem::PyAnswer>()?;
    module.add_class::<problem::PyBiasSearch>()?;
    module.add_class::<mixing::PyMixer>()?;
    module.add_class::<histogram::PyHistogram>()?;
    module.add_function(wrap_pyfunction!(histogram::calibrated, module)?)?;
    module.add_function(wrap_pyfunction!(mixing::local_learner, module)?)?;
    module.add_function(wrap_pyfunction!(remarks::sorted_remark, module)?)?;
    module.add_function(wrap_pyfunction!(remarks::baseline_remark, module)?)?;
    module.add_function(wrap_pyfunction!(solved::label_order, module)?)?;
    module.add_function(wrap_pyfunction!(solved::table_schema, module)?)?;
    module.add_function(wrap_pyfunction!(solved::solved_model, module)?)?;
    module.add_function(wrap_pyfunction!(transform::answers, module)?)?;
    Ok(())
}
