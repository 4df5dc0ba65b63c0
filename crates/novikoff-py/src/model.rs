//! A model of Python: it learns, answers and is kept; every method is a job of the engine.

use std::path::PathBuf;
use std::sync::Arc;

use novikoff::calibration::CalibrationMethod;
use novikoff::certify::Effort;
use novikoff::dual::named::{NamedLoss, NamedRegulariser};
use novikoff::evaluation::ScoreUnit;
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::parameter::Parameter;
use novikoff::remedy::said;
use novikoff::spec::Spec;
use novikoff::table::{ColumnKind, DateForm};
use novikoff_engine::answer::Answerer;
use novikoff_engine::calibrate::Calibrate;
use novikoff_engine::certify::CertifyOptions;
use novikoff_engine::data::Data;
use novikoff_engine::distinct;
use novikoff_engine::export;
use novikoff_engine::fit::{Fit, Fitted};
use novikoff_engine::options::RowOptions;
use novikoff_engine::predict::{Answers, Decision, Predict};
use novikoff_engine::solve::{Solve, SolveSteps};
use novikoff_engine::weights::class_names;
use novikoff_engine::{Error, Interrupt, memory_for};
use novikoff_report::{run_json, solves_json};
use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{Arrays, Asked};
use crate::options::{RunWords, threads};
use crate::rows::PyRows;
use crate::tables::ReadWords;
use crate::watch::{self, Pace, ROWS, Watcher};
use crate::words::{PythonDoor, path, raised, refused};

/// A model that has learned. It never changes: learning more makes another one.
#[pyclass(frozen, module = "novikoff._native", name = "Model")]
pub(crate) struct PyModel {
    pub(crate) model: Arc<Model>,
}

impl From<Model> for PyModel {
    fn from(model: Model) -> Self {
        PyModel {
            model: Arc::new(model),
        }
    }
}

/// Rows that a model is asked about: made before, or arrays that are put together part by part.
#[derive(FromPyObject)]
enum Question<'py> {
    #[pyo3(transparent)]
    Made(PyRef<'py, PyRows>),
    #[pyo3(transparent)]
    Arrays(Arrays<'py>),
}

/// Values, features, ends and coefficients of stored rows.
type SupportArrays<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray2<f64>>,
);

/// The job of one run over rows.
fn fit_job(data: Data, spec: Option<Spec>, words: &RunWords) -> Fit {
    Fit {
        data,
        spec,
        resume: None,
        output: None,
        checkpoint: None,
        trace: None,
        test: None,
        run: words.more(),
        rows: words.rows(),
        certify: None,
        charts: false,
    }
}

/// The spec of a learner.
pub(crate) fn learner(text: &str) -> PyResult<Spec> {
    Spec::parse(text).map_err(|error| raised(&error.into()))
}

/// A model and the report of its run, as JSON.
fn outcome(fitted: Fitted, door: PythonDoor) -> PyResult<(PyModel, String)> {
    let Fitted { mut report, model } = fitted;
    report.word(&door);
    let model = model.ok_or_else(|| refused("the run has no model"))?;
    Ok((model.into(), run_json(&report).to_string()))
}

/// What is to be certified, and how hard is looked.
pub(crate) fn certify_options(effort: &str) -> PyResult<CertifyOptions> {
    let effort = match effort {
        "quick" => Effort::Quick,
        "full" => Effort::Full,
        other => {
            return Err(refused(format!(
                "effort={other:?}: must be \"quick\" or \"full\""
            )));
        }
    };
    Ok(CertifyOptions {
        effort,
        comparator: None,
        save: None,
        spool: memory_for(None),
    })
}

/// The words of a problem of the solver, beside those of a run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct SolveWords {
    loss: String,
    reg: String,
    lambda_: f64,
    free_bias: bool,
    theta: Option<f64>,
    alpha: Option<f64>,
    gap: f64,
    max_passes: u32,
    seed: u64,
}

#[pymethods]
impl PyModel {
    /// Learns a model from rows. Gives it with the report of the run, as JSON.
    #[staticmethod]
    #[pyo3(signature = (spec, rows, options, effort=None))]
    fn fit(
        py: Python<'_>,
        spec: &str,
        rows: &PyRows,
        options: RunWords,
        effort: Option<&str>,
    ) -> PyResult<(Self, String)> {
        let data = Data::Memory(Arc::default());
        let mut job = fit_job(data, Some(learner(spec)?), &options);
        job.run = options.run()?;
        job.certify = effort.map(certify_options).transpose()?;
        let pace = match effort {
            Some(_) => Pace::Long,
            None => pace(rows, job.run.epochs()),
        };
        outcome(rows.run(py, job, None, pace)?, PythonDoor::Rows)
    }

    /// The model after one more run over rows. Gives it with the report of the run, as JSON.
    fn more(&self, py: Python<'_>, rows: &PyRows, options: RunWords) -> PyResult<(Self, String)> {
        let job = fit_job(Data::Memory(Arc::default()), None, &options);
        let pace = pace(rows, job.run.epochs());
        let from = (*self.model).clone();
        outcome(rows.run(py, job, Some(from), pace)?, PythonDoor::Rows)
    }

    /// Learns a model from files, or one that is given on from there. Gives it with the report of the run, as JSON.
    #[staticmethod]
    #[pyo3(signature = (spec, paths, read, options, model=None, progress=None))]
    fn fit_file(
        py: Python<'_>,
        spec: &str,
        paths: Vec<PathBuf>,
        read: ReadWords,
        options: RunWords,
        model: Option<&PyModel>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Self, String)> {
        let mut job = fit_job(Data::Files(paths), None, &options);
        job.rows.read = read.options()?;
        if model.is_none() {
            job.spec = Some(learner(spec)?);
            job.run = options.run()?;
            // files say what their labels are, and how many features they have
            (job.run.task, job.run.features) = (None, None);
        }
        let fitted = watch::run_files(py, progress.as_ref(), |context| match model {
            Some(model) => job.run_from((*model.model).clone(), context),
            None => job.run(context),
        })?;
        outcome(fitted, PythonDoor::Files)
    }

    /// The labels that the model gives the rows of files.
    #[pyo3(signature = (paths, read, threads=None, progress=None))]
    fn predict_file(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        read: ReadWords,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<String>> {
        let rows = RowOptions {
            read: read.options()?,
            threads: crate::options::threads(threads),
            lenient: true,
            ..RowOptions::default()
        };
        let job = Predict {
            model: PathBuf::from("the model in memory"),
            data: Data::Files(paths),
            by: None,
            decision: Decision::Own,
            values: None,
            id: None,
            rows,
        };
        watch::run_files(py, progress.as_ref(), |context| {
            let mut answers = TextAnswers::default();
            job.run_with(&self.model, context, &mut answers)?;
            Ok(answers.0)
        })
    }

    /// Solves a problem for all rows at once. Gives the model, the report as JSON, and what to say if the gap was not reached.
    #[staticmethod]
    fn solve(
        py: Python<'_>,
        rows: &PyRows,
        options: RunWords,
        problem: SolveWords,
    ) -> PyResult<(Self, String, Option<String>)> {
        let mut run = options.run()?;
        if problem.free_bias {
            run.bias = Some(None);
        }
        let class_weight = std::mem::take(&mut run.class_weight);
        let job = Solve {
            data: Data::Memory(rows.made(py)?),
            test: None,
            loss: named("loss", NamedLoss::parse(&problem.loss))?,
            reg: named("reg", NamedRegulariser::parse(&problem.reg))?,
            lambdas: vec![problem.lambda_],
            free_bias: problem.free_bias,
            run,
            theta: problem.theta,
            alpha: problem.alpha,
            class_weight,
            gap: problem.gap,
            max_passes: problem.max_passes,
            steps: SolveSteps::default(),
            seed: problem.seed,
            output: None,
            rows: options.rows(),
        };
        let (watcher, interrupt) = (Watcher::default(), Interrupt::default());
        let solved = watch::watched(py, Pace::Long, ROWS, &watcher, &interrupt, |context| {
            job.run(context)
        })?;
        let mut reports = solved.reports;
        for report in &mut reports {
            let noted = report.remarks.iter_mut();
            noted.for_each(|noted| noted.word(&PythonDoor::Rows));
        }
        let model = solved
            .model
            .ok_or_else(|| refused("the problem has no model"))?;
        Ok((
            model.into(),
            solves_json(&reports).to_string(),
            watcher.short(),
        ))
    }

    /// The model with probabilities, fitted on rows that it was not trained on, by `"platt"` or `"isotonic"`.
    fn calibrate(&self, py: Python<'_>, rows: &PyRows, method: &str) -> PyResult<Self> {
        let method = match method {
            "platt" => CalibrationMethod::Platt,
            "isotonic" => CalibrationMethod::Isotonic,
            other => {
                let what = format!("method={other:?}: must be \"platt\" or \"isotonic\"");
                return Err(refused(what));
            }
        };
        let job = Calibrate {
            model: PathBuf::from("the model in memory"),
            data: Data::Memory(rows.made(py)?),
            method,
            by: None,
            output: PathBuf::new(),
            rows: RowOptions {
                threads: threads(None),
                lenient: true,
                ..RowOptions::default()
            },
        };
        let calibrated = watch::run(py, Pace::Long, |context| {
            job.run_on((*self.model).clone(), context)
        })?;
        Ok(calibrated.model.into())
    }

    /// The margins of rows, or the numbers predicted: one row per row, and one column per class in the order of `classes`; one column where
    /// there are two labels.
    #[pyo3(signature = (rows, threads=None, probabilities=false))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        rows: Question<'py>,
        threads: Option<usize>,
        probabilities: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let unit = if probabilities {
            ScoreUnit::Probability
        } else {
            ScoreUnit::Margin
        };
        let columns = self.model.classes().list().len();
        let numbers = match rows {
            Question::Made(rows) => {
                let (values, rows) = (rows.values(), rows.made(py)?);
                self.answer(py, values, threads, |by| by.numbers(&rows, unit))?
            }
            Question::Arrays(arrays) => {
                let rows = arrays.rows()?;
                self.answer(py, rows.values(), threads, |by| {
                    by.numbers_of(&Asked(&*rows), unit)
                })?
            }
        };
        let rows = numbers.len() / columns.max(1);
        PyArray1::from_vec(py, numbers).reshape([rows, columns])
    }

    /// The label of each row, as its place in `classes`.
    #[pyo3(signature = (rows, threads=None))]
    fn labels<'py>(
        &self,
        py: Python<'py>,
        rows: Question<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let places = match rows {
            Question::Made(rows) => {
                let (values, rows) = (rows.values(), rows.made(py)?);
                self.answer(py, values, threads, |by| by.labels(&rows))?
            }
            Question::Arrays(arrays) => {
                let rows = arrays.rows()?;
                self.answer(py, rows.values(), threads, |by| {
                    by.labels_of(&Asked(&*rows))
                })?
            }
        };
        Ok(PyArray1::from_vec(py, places))
    }

    /// The labels in their order; of two, the negative one first.
    #[getter]
    fn classes(&self) -> Vec<String> {
        class_names(&self.model)
    }

    /// The weights by class and slot; slot 0 is the constant feature. None in the space of a kernel or behind a map.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let (model, classes) = (&self.model, self.model.classes());
        if model.learner().support().is_some() || model.map().is_some() {
            return Ok(None);
        }
        let slots = model.width() as usize + 1;
        let mut all = Vec::new();
        for &class in classes.order() {
            let mut weights = model.learner().weights(model.lane(class));
            weights.resize(slots, 0.0);
            all.append(&mut weights);
        }
        let shape = [classes.order().len(), slots];
        PyArray1::from_vec(py, all).reshape(shape).map(Some)
    }

    /// In the space of a kernel, the rows that the weights are made of, as prepared: values, features, where each row ends, and one row of
    /// coefficients per class.
    fn support<'py>(&self, py: Python<'py>) -> PyResult<Option<SupportArrays<'py>>> {
        let model = &self.model;
        let Some(support) = model.learner().support() else {
            return Ok(None);
        };
        let (mut data, mut features, mut ends) = (Vec::new(), Vec::new(), vec![0]);
        for row in support.rows() {
            // slot 0 is the constant feature
            for (slot, value) in row.iter().filter(|(slot, _)| *slot > 0) {
                data.push(value);
                features.push(slot as i64 - 1);
            }
            ends.push(data.len() as i64);
        }
        let mut coefficients = Vec::new();
        for &class in model.classes().order() {
            coefficients.extend(support.coefficients(model.lane(class)));
        }
        let shape = [model.classes().order().len(), support.len()];
        Ok(Some((
            PyArray1::from_vec(py, data),
            PyArray1::from_vec(py, features),
            PyArray1::from_vec(py, ends),
            PyArray1::from_vec(py, coefficients).reshape(shape)?,
        )))
    }

    /// For each row that the weights are made of, the place of the first of some rows that is equal to it; None if one of them is not there.
    fn support_places<'py>(
        &self,
        py: Python<'py>,
        rows: &PyRows,
    ) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
        let rows = rows.made(py)?;
        let found = py.detach(|| {
            let support = self.model.learner().support()?;
            let places = distinct::places_of(&rows.rows, support.rows())?;
            Some(places.into_iter().map(|place| place as i64).collect())
        });
        Ok(found.map(|places: Vec<i64>| PyArray1::from_vec(py, places)))
    }

    /// How the experts of a majority stood over time: their `specs`, and per moment the `trials` and mistakes of the `majority` so far, and of
    /// each expert `mistakes` and `weights`. None if the learner is not made of several.
    fn experts<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(panel) = self.model.learner().panel() else {
            return Ok(None);
        };
        let (about, course) = (PyDict::new(py), &panel.course);
        let specs = panel.experts.iter().map(|expert| expert.spec.as_str());
        about.set_item("specs", specs.collect::<Vec<_>>())?;
        let trials = course.iter().map(|moment| moment.trials);
        about.set_item("trials", trials.collect::<Vec<_>>())?;
        let majority = course.iter().map(|moment| moment.majority);
        about.set_item("majority", majority.collect::<Vec<_>>())?;
        let mistakes = course.iter().map(|moment| moment.mistakes.as_slice());
        about.set_item("mistakes", mistakes.collect::<Vec<_>>())?;
        let weights = course.iter().map(|moment| moment.weights.as_slice());
        about.set_item("weights", weights.collect::<Vec<_>>())?;
        Ok(Some(about))
    }

    /// How many rows the weights are made of, where they are sums of stored rows.
    #[getter]
    fn stored(&self) -> Option<usize> {
        self.model.learner().stored()
    }

    /// The constant feature of its rows.
    #[getter]
    fn bias(&self) -> Option<f32> {
        self.model.preparation().bias
    }

    /// Whether it learned from a table.
    #[getter]
    fn is_table(&self) -> bool {
        self.model.table().is_some()
    }

    /// Whether its features have names.
    #[getter]
    fn is_named(&self) -> bool {
        !self.model.names().is_empty()
    }

    /// Whether it answers with probabilities.
    #[getter]
    fn has_probabilities(&self) -> bool {
        self.model.has_probabilities(None)
    }

    /// What it is: spec, kernel, counts, and what is done to rows before they are learned.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (model, about) = (&self.model, PyDict::new(py));
        about.set_item("spec", model.spec().to_string())?;
        about.set_item("kernel", model.kernel().to_string())?;
        about.set_item("features", model.width())?;
        about.set_item("binary", model.classes().is_binary())?;
        let totals = model.totals();
        about.set_item("trials", totals.trials)?;
        about.set_item("mistakes", totals.mistakes)?;
        about.set_item("updates", totals.updates)?;
        let prepared = model.preparation();
        about.set_item("standardize", prepared.standardize.is_some())?;
        about.set_item("normalize", prepared.normalize)?;
        about.set_item("map", model.map().map(ToString::to_string))?;
        about.set_item("average", self.is_averaged())?;
        let weights = model.class_weights().map(|weights| {
            let list = weights.list().iter();
            let list = list.map(|(label, weight)| (label.name().to_owned(), *weight));
            (weights.are_balanced(), list.collect::<Vec<_>>())
        });
        about.set_item("class_weight", weights)?;
        let solved = PyDict::new(py);
        if !model.spec().learns() {
            for (name, value) in model.parameters().iter() {
                match value {
                    Parameter::Real(number) => solved.set_item(name, number)?,
                    Parameter::Word(word) => solved.set_item(name, word)?,
                }
            }
        }
        about.set_item("solved", solved)?;
        Ok(about)
    }

    /// How the table that it learned from was read: `columns` and their kinds, `missing`, `ngrams`, `tfidf`, and whether dates are `seconds`.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(table) = self.model.table() else {
            return Ok(None);
        };
        let about = PyDict::new(py);
        let columns = table.columns.iter();
        let columns = columns.map(|column| (column.name.as_str(), column.kind.name()));
        about.set_item("columns", columns.collect::<Vec<_>>())?;
        about.set_item("missing", table.missing.name())?;
        about.set_item("ngrams", table.text.ngrams)?;
        about.set_item("tfidf", table.text.tfidf)?;
        let seconds = ColumnKind::Date(DateForm::Seconds);
        let seconds = table.columns.iter().any(|column| column.kind == seconds);
        about.set_item("seconds", seconds)?;
        Ok(Some(about))
    }

    /// The names of its features, where they have some.
    #[getter]
    fn names(&self) -> Option<Vec<Option<String>>> {
        let names = self.model.names();
        let name = |slot| names.name(slot).map(str::to_owned);
        let slots = 1..=self.model.width();
        (!names.is_empty()).then(|| slots.map(name).collect())
    }

    /// The bytes of an ONNX file of the model: `operators` is `"core"` or `"ml"`, `input` is `"float64"` or `"float32"`, `use_` names a predictor.
    #[pyo3(signature = (operators, input, use_=None, columns=0))]
    fn to_onnx<'py>(
        &self,
        py: Python<'py>,
        operators: &str,
        input: &str,
        use_: Option<&str>,
        columns: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let options = onnx_options(operators, input, use_, columns)?;
        let bytes = py.detach(|| export::bytes(&self.model, &options));
        let bytes = bytes.map_err(|error| raised(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The model file as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| novikoff_data::model::to_bytes(&self.model));
        let bytes = bytes.map_err(|error| raised(&Error::from(error)))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The model of such bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let memory = memory_for(None);
        let loaded = py.detach(|| novikoff_data::model::from_bytes(bytes, memory));
        let mut model = loaded.map_err(|error| raised(&Error::from(error)))?.model;
        model.set_threads(threads(None));
        Ok(model.into())
    }

    /// Writes the model file: it is whole or as it was.
    fn save(&self, py: Python<'_>, file: &Bound<'_, PyAny>) -> PyResult<()> {
        let file = path(file)?;
        let saved = py.detach(|| novikoff_data::model::save(&self.model, &file));
        saved.map(drop).map_err(|error| raised(&Error::from(error)))
    }

    /// The model of a file.
    #[staticmethod]
    fn load(py: Python<'_>, file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (file, memory) = (path(file)?, memory_for(None));
        let loaded = py.detach(|| novikoff_data::model::load(&file, memory));
        let loaded = loaded.map_err(|error| raised(&Error::from(error)))?;
        let mut model = loaded.model;
        model.set_threads(threads(None));
        Ok(model.into())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let class = py.get_type::<PyModel>();
        Ok((class.getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }
}

impl PyModel {
    /// Whether the average of its weights predicts, and its learner would not do that by itself.
    fn is_averaged(&self) -> bool {
        let (spec, averaged) = (self.model.spec(), Hypothesis::Averaged);
        let usual = || spec.hypotheses(self.model.kernel(), Hypothesis::Final);
        self.model.learner().hypotheses().first() == Some(&averaged)
            && spec.learns()
            && usual().is_ok_and(|usual| !usual.contains(&averaged))
    }

    /// Asks the model about rows.
    fn answer<T: Send>(
        &self,
        py: Python<'_>,
        values: usize,
        given: Option<usize>,
        ask: impl FnOnce(Answerer<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let stored = self.model.learner().stored().unwrap_or(1).max(1);
        let pace = Pace::of(values.saturating_mul(stored));
        watch::run(py, pace, |context| {
            ask(Answerer {
                model: &self.model,
                by: None,
                threads: threads(given),
                interrupt: context.interrupt,
            })
        })
    }
}

/// How a model becomes an ONNX file.
fn onnx_options(
    operators: &str,
    input: &str,
    use_: Option<&str>,
    columns: usize,
) -> PyResult<export::Options> {
    let wrong = |name: &str, got: &str, allowed: &str| {
        Err(refused(format!("{name}={got:?}: must be {allowed}")))
    };
    let operators = match operators {
        "core" => export::Operators::Core,
        "ml" => export::Operators::Ml,
        other => return wrong("ops", other, "\"core\" or \"ml\""),
    };
    let input = match input {
        "float64" => export::InputType::Float64,
        "float32" => export::InputType::Float32,
        other => return wrong("input", other, "\"float64\" or \"float32\""),
    };
    let all = [
        Hypothesis::Final,
        Hypothesis::Averaged,
        Hypothesis::Voted,
        Hypothesis::Best,
    ];
    let by = match use_ {
        None => None,
        Some(name) => {
            let Some(by) = all.into_iter().find(|by| by.name() == name) else {
                let allowed = "None, \"final\", \"averaged\", \"voted\" or \"best\"";
                return wrong("use", name, allowed);
            };
            Some(by)
        }
    };
    Ok(export::Options {
        operators,
        input,
        by,
        columns,
    })
}

/// Writes bytes to a file: it is whole or as it was.
#[pyfunction]
pub(crate) fn write_file(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    bytes: &Bound<'_, PyBytes>,
) -> PyResult<()> {
    let (file, bytes) = (path(file)?, bytes.as_bytes());
    let written = py.detach(|| export::write(bytes, &file));
    written.map_err(|error| raised(&error))
}

/// The labels of rows, as they are answered.
#[derive(Default)]
struct TextAnswers(Vec<String>);

impl Answers for TextAnswers {
    fn begin(&mut self, _columns: &[String]) {}

    fn text(&mut self, text: &[u8]) {
        self.0.push(String::from_utf8_lossy(text).into_owned());
    }

    fn number(&mut self, _number: f64) {}

    fn end_row(&mut self) {}

    fn end_block(&mut self, _settled: bool) -> Result<(), Error> {
        Ok(())
    }
}

/// How long a run over rows may take.
fn pace(rows: &PyRows, epochs: u32) -> Pace {
    let work = rows.values().saturating_mul(epochs as usize);
    // what a learner costs per value is not known here: few values are quick with any
    Pace::of(work.saturating_mul(4))
}

/// A loss or a regulariser by its name.
fn named<T>(what: &str, read: Result<T, novikoff::dual::named::NameError>) -> PyResult<T> {
    read.map_err(|error| {
        let facts = format!("{what}: {error}");
        refused(said(&facts, error.remedy().as_ref(), &PythonDoor::Rows))
    })
}
