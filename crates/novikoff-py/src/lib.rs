//! The Python package `novikoff`: arrays become rows, keyword arguments become options of jobs, outcomes become Python's values. Nothing is
//! computed here. The estimators are in `python/novikoff`.

// values of Python are handed to functions as values
#![allow(clippy::needless_pass_by_value)]

mod arrays;
mod catalog;
mod files;
mod local;
mod model;
mod options;
mod row_learner;
mod rows;
mod tables;
mod watch;
mod words;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command `novikoff` with these words, whose first is the name of the program. Gives its exit code; help and bad usage end the process.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| novikoff_cli::run(words))
}

/// The compiled part of the package.
#[pymodule]
#[pyo3(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<rows::PyRows>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<row_learner::PyRowLearner>()?;
    module.add_function(wrap_pyfunction!(catalog::catalog, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::solver_names, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::is_loss_of_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(files::load_file, module)?)?;
    module.add_function(wrap_pyfunction!(model::write_file, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    local::register(module)?;
    Ok(())
}
