//! The catalogue of learners, for the estimators that are made of it.

use novikoff::catalog::{CATALOG, Entry, SpecParts};
use novikoff::dual::named::{LOSSES, NamedLoss, REGULARISERS};
use novikoff::parameter::Key;
use novikoff::spec::Spec;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// All learners: name, summary, keys, and what each can do.
#[pyfunction]
pub(crate) fn catalog(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for entry in CATALOG {
        all.append(learner(py, entry)?)?;
    }
    Ok(all)
}

fn learner<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let about = PyDict::new(py);
    about.set_item("name", entry.name)?;
    about.set_item("summary", entry.summary)?;
    about.set_item("keys", keys(py, entry.keys)?)?;
    about.set_item("weighted", entry.can.weighted)?;
    about.set_item("probabilities", entry.can.probabilities)?;
    about.set_item("non_negative", entry.can.needs_non_negative)?;
    about.set_item("needs_all_rows", entry.can.needs_all_rows)?;
    about.set_item("threshold", entry.can.has_threshold)?;
    about.set_item("kernel", entry.build_with.is_some())?;
    let parts = match entry.can.parts {
        SpecParts::None => "none",
        SpecParts::Base(_) => "base",
        SpecParts::Learners => "learners",
    };
    about.set_item("parts", parts)?;
    let usual = Spec::parse(entry.name).and_then(|spec| spec.parameters(Some(2)));
    let additive = usual.is_ok_and(|parameters| (entry.can.additive)(&parameters));
    about.set_item("additive", additive)?;
    Ok(about)
}

fn keys<'py>(py: Python<'py>, keys: &[Key]) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    for key in keys {
        let about = PyDict::new(py);
        about.set_item("name", key.name)?;
        about.set_item("default", key.default)?;
        about.set_item("meaning", key.meaning)?;
        about.set_item("allowed", key.allowed())?;
        about.set_item("flag", key.is_flag())?;
        all.append(about)?;
    }
    Ok(all)
}

/// Names, each with what it is.
type Summaries = Vec<(&'static str, &'static str)>;

/// The names of losses and of regularisers, each with what it is.
#[pyfunction]
pub(crate) fn solver_names() -> (Summaries, Summaries) {
    let losses = LOSSES.iter().map(|entry| (entry.name, entry.summary));
    let regularisers = REGULARISERS.iter().map(|entry| (entry.name, entry.summary));
    (losses.collect(), regularisers.collect())
}

/// Whether a loss is one of numbers to be predicted, not of labels. One that cannot be read is not: the solver has words for it.
#[pyfunction]
pub(crate) fn is_loss_of_numbers(loss: &str) -> bool {
    NamedLoss::parse(loss).is_ok_and(|named| !named.loss().classifies())
}
