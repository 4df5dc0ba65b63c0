//! A model that is given one row at a time, as a dict of features: what `novikoff.river` is made of.

use std::ptr::null_mut;

use novikoff::classes::Task;
use novikoff::label::{LabelName, RawLabel};
use novikoff::model::Model;
use novikoff_data::row_builder::RowInProgress;
use novikoff_engine::row_learner::{NameOrder, RowLabel, RowLearner};
use novikoff_engine::{Error, memory_for};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::model::{PyModel, learner};
use crate::options::{RunWords, threads};
use crate::words::{raised, refused};

/// An error of Python, or one of the engine in its words.
struct Failure(PyErr);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure(raised(&error))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

/// A learner of rows that come one by one.
#[pyclass(module = "novikoff._native", name = "RowLearner")]
pub(crate) struct PyRowLearner {
    learner: RowLearner,
    spec: String,
    options: Py<PyDict>,
    labels: Labels,
    /// The labels as Python has them, in the order of the engine's.
    by_class: Vec<Py<PyAny>>,
    probabilities: Vec<f64>,
    keys: Keys,
}

/// The keys of the row before, in their order, with the slots of their features: rows of a stream mostly have the same.
#[derive(Default)]
struct Keys {
    known: Vec<(Py<PyAny>, u32)>,
    /// A name being put together.
    text: String,
}

impl Keys {
    /// The slot of the key at a place of a dict, if its name has one.
    fn slot(&mut self, place: usize, key: &Bound<'_, PyAny>, learner: &RowLearner) -> Option<u32> {
        if let Some((known, slot)) = self.known.get(place)
            && known.is(key)
        {
            return Some(*slot);
        }
        let name = key.cast::<PyString>().ok()?;
        let slot = learner.slot(name.to_str().ok()?.as_bytes())?;
        let found = (key.clone().unbind(), slot);
        let count = self.known.len();
        match self.known.get_mut(place) {
            Some(known) => *known = found,
            None if place == count => self.known.push(found),
            // the keys before it are not known
            None => {}
        }
        Some(slot)
    }

    /// The slot of a category, if it has one.
    fn category(
        &mut self,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyString>,
        learner: &RowLearner,
    ) -> Option<u32> {
        self.text.clear();
        self.text
            .push_str(key.cast::<PyString>().ok()?.to_str().ok()?);
        self.text.push('=');
        self.text.push_str(value.to_str().ok()?);
        learner.slot(self.text.as_bytes())
    }
}

/// The labels met, found by Python's own equality.
struct Labels {
    places: Py<PyDict>,
    known: Vec<(Py<PyAny>, LabelName)>,
}

impl Labels {
    fn new(py: Python<'_>) -> Self {
        Labels {
            places: PyDict::new(py).unbind(),
            known: Vec::new(),
        }
    }

    /// The place of a label, a new one if need be.
    fn place(&mut self, label: &Bound<'_, PyAny>) -> PyResult<usize> {
        // most labels are the same objects again
        let mut few = self.known.iter().take(8);
        if let Some(place) = few.position(|(known, _)| known.is(label)) {
            return Ok(place);
        }
        let py = label.py();
        let places = self.places.bind(py);
        if let Some(place) = places.get_item(label)? {
            return place.extract();
        }
        let text = text_of(label)?;
        let name = LabelName::typed(&text);
        if self.known.iter().any(|(_, other)| *other == name) {
            return Err(refused(format!(
                "y={text}: another label has the same text, so a model could not tell them apart"
            )));
        }
        let place = self.known.len();
        places.set_item(label, place)?;
        self.known.push((label.clone().unbind(), name));
        Ok(place)
    }
}

/// A label as the command would read it from a file: numbers without a fraction have none.
fn text_of(label: &Bound<'_, PyAny>) -> PyResult<String> {
    if label.is_none() {
        return Err(refused("y=None: a row to learn from needs a label"));
    }
    if let Ok(number) = label.cast::<PyFloat>() {
        let number = number.value();
        if !number.is_finite() {
            return Err(refused(format!("y={number}: must be a finite number")));
        }
        return Ok(number.to_string());
    }
    Ok(label.str()?.to_str()?.to_owned())
}

/// Whether a label is one of Python's or numpy's truth values.
fn is_truth(label: &Bound<'_, PyAny>) -> PyResult<bool> {
    if label.is_instance_of::<PyBool>() {
        return Ok(true);
    }
    let name = label.get_type().name()?;
    Ok(matches!(name.to_str()?, "bool" | "bool_"))
}

#[pymethods]
impl PyRowLearner {
    /// A learner before its first row.
    #[new]
    fn new(py: Python<'_>, spec: String, options: Bound<'_, PyDict>) -> PyResult<Self> {
        let words: RunWords = options.extract()?;
        let mut run = words.run()?;
        // the first row says what its labels are
        run.task = None;
        let made = RowLearner::new(learner(&spec)?, run, words.rows().memory);
        Ok(PyRowLearner {
            learner: made.map_err(|error| raised(&error))?,
            spec,
            options: options.unbind(),
            labels: Labels::new(py),
            by_class: Vec::new(),
            probabilities: Vec::new(),
            keys: Keys::default(),
        })
    }

    /// The learner that was kept: its model file, if there was a row, and its labels.
    #[staticmethod]
    fn restored(
        py: Python<'_>,
        spec: String,
        options: Bound<'_, PyDict>,
        bytes: Option<&[u8]>,
        labels: Bound<'_, PyList>,
    ) -> PyResult<Self> {
        let mut restored = Self::new(py, spec, options)?;
        for label in labels {
            restored.labels.place(&label)?;
        }
        if let Some(bytes) = bytes {
            let loaded = novikoff_data::model::from_bytes(bytes, memory_for(None));
            let mut model = loaded.map_err(|error| raised(&error.into()))?.model;
            model.set_threads(threads(None));
            restored.learner.go_on(model);
        }
        restored.arrange(py)?;
        Ok(restored)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let labels = self.labels.known.iter().map(|(label, _)| label);
        let parts = (
            self.spec.clone(),
            self.options.clone_ref(py),
            self.to_bytes(py)?,
            PyList::new(py, labels)?,
        );
        Ok((py.get_type::<Self>().getattr("restored")?, parts))
    }

    /// The model file as bytes; none before the first row.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Some(model) = self.learner.model() else {
            return Ok(None);
        };
        let bytes = novikoff_data::model::to_bytes(model);
        let bytes = bytes.map_err(|error| raised(&Error::from(error)))?;
        Ok(Some(PyBytes::new(py, &bytes)))
    }

    /// A copy of the model; none before the first row.
    fn model(&self) -> Option<PyModel> {
        self.learner.model().cloned().map(PyModel::from)
    }

    /// Learns a row. Gives whether the model was mistaken about it.
    #[pyo3(signature = (x, y, w=1.0))]
    fn learn_row(&mut self, x: &Bound<'_, PyDict>, y: &Bound<'_, PyAny>, w: f64) -> PyResult<bool> {
        if !(w.is_finite() && w >= 0.0) {
            return Err(refused(format!(
                "w={w}: must be a finite number that is at least 0"
            )));
        }
        if self.learner.model().is_none() {
            // what refused rows brought is forgotten
            self.labels = Labels::new(x.py());
            self.begin(y)?;
        }
        let place = self.labels.place(y)?;
        if w == 0.0 {
            // a row that does not count
            return Ok(false);
        }
        let (_, name) = &self.labels.known[place];
        let number = name.number().unwrap_or(f64::NAN);
        let of = RowLabel {
            label: RawLabel::new(number, name.name().as_bytes()),
            weight: w,
        };
        let learned = if fill_known(&mut self.learner, &mut self.keys, x, true) {
            self.learner.learn_known(of).map_err(Failure::from)
        } else {
            self.learner
                .learn_row::<Failure>(of, |row, order| match order {
                    NameOrder::Any => fill(row, x),
                    NameOrder::Sorted => fill_sorted(row, x),
                })
        };
        // a row that is refused may have brought its class all the same
        if self.learner.label_count() != self.by_class.len() {
            self.arrange(x.py())?;
        }
        Ok(learned?)
    }

    /// The label of a row; None before the first row was learned. River may give more arguments, which say nothing here.
    #[pyo3(signature = (x, **_more))]
    fn predict_row(
        &mut self,
        x: &Bound<'_, PyDict>,
        _more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        self.ask(x)?;
        let chosen = self.learner.chosen();
        let label = chosen.and_then(|place| self.by_class.get(place));
        Ok(label.map(|label| label.clone_ref(x.py())))
    }

    /// The probability of each label, as a dict that is empty before the first row was learned; None if the model has none.
    fn chances_of_row<'py>(
        &mut self,
        x: &Bound<'py, PyDict>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (py, chances) = (x.py(), PyDict::new(x.py()));
        self.ask(x)?;
        if self.learner.model().is_none() {
            return Ok(Some(chances));
        }
        if !self.learner.probabilities(&mut self.probabilities) {
            return Ok(None);
        }
        for (label, chance) in self.by_class.iter().zip(&self.probabilities) {
            chances.set_item(label.bind(py), *chance)?;
        }
        Ok(Some(chances))
    }

    /// Trials, mistakes and updates so far.
    #[getter]
    fn counts(&self) -> (u64, u64, u64) {
        let totals = self.learner.model().map(Model::totals);
        let totals = totals.unwrap_or_default();
        (totals.trials, totals.mistakes, totals.updates)
    }

    /// The labels met so far.
    #[getter]
    fn labels(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let known = self.labels.known.iter();
        known.map(|(label, _)| label.clone_ref(py)).collect()
    }
}

/// What makes a learner again, and from what.
type Reduced<'py> = (
    Bound<'py, PyAny>,
    (
        String,
        Py<PyDict>,
        Option<Bound<'py, PyBytes>>,
        Bound<'py, PyList>,
    ),
);

impl PyRowLearner {
    /// The first label says what is learned: truth values, and -1 and 1, are one problem, whose other label is known at once.
    fn begin(&mut self, label: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = label.py();
        if is_truth(label)? {
            for truth in [false, true] {
                self.labels.place(PyBool::new(py, truth).as_any())?;
            }
            self.learner.set_task(Task::Binary {
                negative: Some(LabelName::typed("False")),
                positive: LabelName::typed("True"),
            });
            return Ok(());
        }
        let name = LabelName::typed(&text_of(label)?);
        if !label.is_instance_of::<PyString>() && matches!(name.number(), Some(-1.0 | 1.0)) {
            self.labels.place(label)?;
            self.labels.place(&label.neg()?)?;
            self.learner.set_task(Task::plus_minus());
        } else {
            self.learner.set_task(Task::OneVsRest);
        }
        Ok(())
    }

    /// Asks for the scores of a row.
    fn ask(&mut self, x: &Bound<'_, PyDict>) -> PyResult<()> {
        if fill_known(&mut self.learner, &mut self.keys, x, false) {
            self.learner.score_known();
        } else {
            self.learner.scores::<Failure>(|row| fill(row, x))?;
        }
        Ok(())
    }

    /// Puts the labels of Python into the order of the engine's.
    fn arrange(&mut self, py: Python<'_>) -> PyResult<()> {
        let mut by_class = Vec::new();
        for text in self.learner.labels() {
            let name = LabelName::typed(text);
            let mut known = self.labels.known.iter();
            let found = known.find(|(_, other)| *other == name);
            let (label, _) = found.ok_or_else(|| {
                PyValueError::new_err(format!("the label {text} of the model is not known"))
            })?;
            by_class.push(label.clone_ref(py));
        }
        self.by_class = by_class;
        Ok(())
    }
}

/// The features of a dict by their slots, the fast way. False if a name or a value asks for the other: a new name, where one learns, or a value
/// that is no plain number or text, or is out of range.
fn fill_known(
    learner: &mut RowLearner,
    keys: &mut Keys,
    x: &Bound<'_, PyDict>,
    learns: bool,
) -> bool {
    if learner.begin_known().is_none() {
        return false;
    }
    let mut place = 0;
    each_item(x, |key, value| {
        let (slot, number) = if let Ok(number) = value.cast::<PyFloat>() {
            (keys.slot(place, key, learner), number.value())
        } else if let Ok(text) = value.cast_exact::<PyString>() {
            (keys.category(key, text, learner), 1.0)
        } else if value.is_exact_instance_of::<PyInt>() || value.is_exact_instance_of::<PyBool>() {
            match value.extract::<f64>() {
                Ok(number) => (keys.slot(place, key, learner), number),
                Err(_) => return false,
            }
        } else {
            return false;
        };
        place += 1;
        match slot {
            Some(slot) => learner.known_mut().push(slot, number),
            // what is not known is left out where one asks
            None => !learns && key.is_instance_of::<PyString>() && (number as f32).is_finite(),
        }
    })
}

/// Visits the keys and values of a dict until `visit` is false, without counting references to them. `visit` must run no code of Python.
#[allow(unsafe_code)]
fn each_item<'py>(
    x: &Bound<'py, PyDict>,
    mut visit: impl FnMut(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> bool,
) -> bool {
    let (mut place, mut key, mut value) = (0, null_mut(), null_mut());
    loop {
        // SAFETY: the thread has the interpreter, and nothing changes the dict between two steps, for `visit` runs no code of Python.
        let has_next =
            unsafe { ffi::PyDict_Next(x.as_ptr(), &raw mut place, &raw mut key, &raw mut value) };
        if has_next == 0 {
            return true;
        }
        // SAFETY: the dict has lent a key and a value, and holds them while they are looked at.
        let (key, value) = unsafe {
            (
                Borrowed::from_ptr(x.py(), key),
                Borrowed::from_ptr(x.py(), value),
            )
        };
        if !visit(&key, &value) {
            return false;
        }
    }
}

/// The features of a dict: numbers as they are, texts as categories `name=text`.
fn fill(row: &mut RowInProgress<'_, '_>, x: &Bound<'_, PyDict>) -> Result<(), Failure> {
    for (name, value) in x {
        match name.cast::<PyString>() {
            Ok(name) => put(row, name.to_str()?, &value)?,
            Err(_) => put(row, name.str()?.to_str()?, &value)?,
        }
    }
    Ok(())
}

/// The same, in the order of the names: new ones get their slots in it.
fn fill_sorted(row: &mut RowInProgress<'_, '_>, x: &Bound<'_, PyDict>) -> Result<(), Failure> {
    let mut all = Vec::with_capacity(x.len());
    for (name, value) in x {
        let name = name.str()?.to_str()?.to_owned();
        all.push((name, value));
    }
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (name, value) in &all {
        put(row, name, value)?;
    }
    Ok(())
}

fn put(
    row: &mut RowInProgress<'_, '_>,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> Result<(), Failure> {
    let done = if let Ok(number) = value.cast::<PyFloat>() {
        row.number(name, number.value())
    } else if let Ok(text) = value.cast::<PyString>() {
        row.category(name, text.to_str()?)
    } else {
        match value.extract::<f64>() {
            Ok(number) => row.number(name, number),
            Err(_) => return Err(Failure(not_a_feature(name, value))),
        }
    };
    done.map_err(|error| {
        let facts = format!("x[{name:?}]: {error}");
        let remedy = error.remedy();
        Failure(refused(novikoff::remedy::said(
            &facts,
            Some(&remedy),
            &crate::words::PythonDoor::Rows,
        )))
    })
}

fn not_a_feature(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    if value.is_none() {
        return refused(format!(
            "x[{name:?}] is None: must be a number or a text; leave the feature out"
        ));
    }
    let kind = value
        .get_type()
        .name()
        .map_or_else(|_| "unknown".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "x[{name:?}] is of the type {kind}: must be a number or a text"
    ))
}
