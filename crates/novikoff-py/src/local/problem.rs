//! A problem whose rows are in several partitions, on the driver: the problem, its points, the answers of partitions and the search for a bias.

use novikoff::dual::GapCertificate;
use novikoff::dual::loss::AnyLoss;
use novikoff::dual::named::{NamedLoss, NamedRegulariser};
use novikoff::dual::pair::check_pair;
use novikoff::remedy::said;
use novikoff_engine::partitions::{Answer, BiasSearch, PartitionedProblem, Point, ProblemFacts};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::words::{PythonDoor, raised, refused};

/// A problem in words.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct ProblemWords {
    loss: String,
    lambda_: f64,
    labels: Vec<String>,
    class_weight: Vec<f64>,
    rows: u64,
    slots: usize,
    partitions: u64,
    norm_sq: f64,
    largest: f64,
    constant: Option<f32>,
    free_bias: bool,
}

impl ProblemWords {
    pub(super) fn problem(self) -> PyResult<PartitionedProblem> {
        let facts = ProblemFacts {
            loss: self.loss,
            lambda: self.lambda_,
            labels: self.labels,
            class_weight: self.class_weight,
            rows: self.rows,
            slots: self.slots,
            partitions: self.partitions,
            norm_sq: self.norm_sq,
            largest: self.largest,
            constant: self.constant,
            free_bias: self.free_bias,
        };
        PartitionedProblem::new(facts).map_err(|error| raised(&error))
    }
}

/// A problem whose rows are in several partitions.
#[pyclass(frozen, module = "novikoff._native", name = "LocalProblem")]
pub(crate) struct PyLocalProblem(PartitionedProblem);

#[pymethods]
impl PyLocalProblem {
    #[new]
    fn new(words: ProblemWords) -> PyResult<Self> {
        words.problem().map(PyLocalProblem)
    }

    /// Checks what can be checked before a row is read, and says whether the loss predicts numbers.
    #[staticmethod]
    fn predicts_numbers(
        loss: &str,
        lambda_: f64,
        free_bias: bool,
        constant: bool,
    ) -> PyResult<bool> {
        if !(lambda_.is_finite() && lambda_ > 0.0) {
            return Err(refused(format!(
                "regParam={lambda_}: must be a number above 0; 1e-4 is usual"
            )));
        }
        let named = NamedLoss::parse(loss).map_err(|error| {
            let facts = format!("loss: {error}");
            refused(said(&facts, error.remedy().as_ref(), &PythonDoor::Rows))
        })?;
        let square = NamedRegulariser::parse("l2");
        let square = square.map_err(|error| refused(error.to_string()))?;
        check_pair(&named, &square, free_bias, false, free_bias || constant).map_err(|error| {
            let facts = format!("loss={loss:?}: {error}");
            refused(said(&facts, error.remedy().as_ref(), &PythonDoor::Rows))
        })?;
        if matches!(named.loss(), AnyLoss::Likelihood(_)) {
            return Err(refused(
                "loss=\"likelihood\": mixtures of densities are solved on one machine; use novikoff.DualSolver",
            ));
        }
        Ok(!named.loss().classifies())
    }

    /// How many problems there are: one, or one per label if there are more than two.
    #[getter]
    fn problems(&self) -> usize {
        self.0.problems()
    }

    /// Where dual variables begin.
    #[getter]
    fn start(&self) -> f64 {
        self.0.start()
    }

    /// The point of variables that are all 0: right where they begin with 0.
    fn origin(&self) -> PyPoint {
        PyPoint(self.0.origin())
    }

    /// The point after a round: the sum of the shares, and the next multipliers. Classes that were not asked stay where they are.
    #[pyo3(signature = (point, answer, fixed=false))]
    fn next(&self, point: &PyPoint, answer: &PyAnswer, fixed: bool) -> PyPoint {
        PyPoint(self.0.next(&point.0, &answer.0, fixed))
    }

    /// The certificate of each class that was asked: its primal and dual value, their gap, whether that is as small as `gap`, and the rest. The
    /// answer is about the variables whose sum of rows the point is.
    #[pyo3(signature = (point, answer, gap, intercepts=None))]
    fn certificates<'py>(
        &self,
        py: Python<'py>,
        point: &PyPoint,
        answer: &PyAnswer,
        gap: f64,
        intercepts: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let intercepts = intercepts.unwrap_or_else(|| point.0.intercepts());
        let found = self.0.certificates(&point.0, &answer.0, &intercepts);
        let all = PyList::empty(py);
        for certificate in found {
            match certificate {
                None => all.append(py.None())?,
                Some(certificate) => all.append(dict(py, &certificate, gap)?)?,
            }
        }
        Ok(all)
    }
}

/// A certificate as Python has it.
fn dict<'py>(
    py: Python<'py>,
    certificate: &GapCertificate,
    gap: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("primal", certificate.primal)?;
    all.set_item("dual", certificate.dual)?;
    all.set_item("gap", certificate.gap)?;
    all.set_item("relative_gap", certificate.relative_gap())?;
    all.set_item("loss", certificate.loss)?;
    all.set_item("support", certificate.support)?;
    all.set_item("intercept", certificate.intercept)?;
    all.set_item("reached", certificate.reaches(gap))?;
    Ok(all)
}

/// What all partitions share in a round.
#[pyclass(frozen, module = "novikoff._native", name = "Point")]
pub(crate) struct PyPoint(pub(super) Point);

#[pymethods]
impl PyPoint {
    /// As bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Of such bytes.
    #[staticmethod]
    pub(super) fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let point = Point::from_bytes(bytes);
        point.map(PyPoint).map_err(|error| raised(&error))
    }

    /// The vector of a class, by slot; slot 0 is the constant feature.
    fn vector<'py>(&self, py: Python<'py>, class: usize) -> Option<Bound<'py, PyArray1<f64>>> {
        let vector = self.0.vectors.get(class)?;
        Some(PyArray1::from_slice(py, vector))
    }

    /// The bias of each class; 0 without a free one.
    #[getter]
    fn intercepts(&self) -> Vec<f64> {
        self.0.intercepts()
    }

    /// The point with the vectors and biases of the classes that are said from another one.
    fn with_classes(&self, from: &PyPoint, classes: Vec<bool>) -> PyPoint {
        PyPoint(self.0.with_classes(&from.0, &classes))
    }
}

/// What partitions answer.
#[pyclass(frozen, module = "novikoff._native", name = "LocalAnswer")]
pub(crate) struct PyAnswer(pub(super) Answer);

#[pymethods]
impl PyAnswer {
    /// The sum of the answers of partitions, in the order given. A tree of such sums must have one shape for the same partitions.
    #[staticmethod]
    fn sum(answers: Vec<Bound<'_, PyBytes>>) -> PyResult<Self> {
        let sum = Answer::sum(answers.iter().map(PyBytesMethods::as_bytes));
        sum.map(PyAnswer).map_err(|error| raised(&error))
    }

    /// As bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// For each class the sums of the positive and of minus the negative `k_i a_i s_i` that the round ended with.
    #[getter]
    fn signed(&self) -> Vec<(f64, f64)> {
        self.0.signed()
    }
}

/// Candidates for the bias of each class.
#[pyclass(module = "novikoff._native", name = "BiasSearch")]
pub(crate) struct PyBiasSearch(BiasSearch);

#[pymethods]
impl PyBiasSearch {
    /// Around the biases of a point.
    #[new]
    fn new(point: &PyPoint) -> Self {
        PyBiasSearch(BiasSearch::around(&point.0))
    }

    /// The candidates of each class.
    #[getter]
    fn candidates(&self) -> Vec<Vec<f64>> {
        self.0.candidates()
    }

    /// The best bias of each class so far.
    #[getter]
    fn best(&self) -> Vec<f64> {
        self.0.best().to_vec()
    }

    /// Narrows the candidates by the sums of all partitions. True once no class that was asked could gain more than `enough` by another
    /// bias, as a mean over the rows.
    fn narrow(
        &mut self,
        problem: &PyLocalProblem,
        answer: &PyAnswer,
        enough: f64,
    ) -> PyResult<bool> {
        let narrowed = self.0.narrow(&problem.0, &answer.0, enough);
        narrowed.map_err(|error| raised(&error))
    }
}
