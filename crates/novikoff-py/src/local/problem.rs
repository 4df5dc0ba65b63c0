//! A problem whose rows are in several partitions: what the driver knows of it, and what it makes of their answers.

use novikoff::dual::GapCertificate;
use novikoff::dual::local::FreeBias;
use novikoff::dual::loss::{AnyLoss, Loss as _};
use novikoff::dual::named::{NamedLoss, NamedRegulariser};
use novikoff::dual::pair::check_pair;
use novikoff::remedy::said;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::answer::PyAnswer;
use super::point::PyPoint;
use crate::words::{PythonDoor, refused};

/// A problem in words.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct ProblemWords {
    pub(super) loss: String,
    pub(super) lambda_: f64,
    /// The labels in their order; of two, the negative one first. None if numbers are to be predicted.
    pub(super) labels: Vec<String>,
    /// What the rows of each label count; empty if all count 1.
    pub(super) class_weight: Vec<f64>,
    /// The rows of all partitions.
    pub(super) rows: u64,
    /// Slots of a vector.
    slots: usize,
    /// Partitions that have rows.
    pub(super) partitions: u64,
    /// The sum of all `|x|^2`.
    norm_sq: f64,
    /// The largest weight times value of a row.
    largest: f64,
    /// The constant feature.
    pub(super) constant: Option<f32>,
    pub(super) free_bias: bool,
}

/// A problem whose rows are in several partitions.
#[pyclass(frozen, module = "novikoff._native", name = "LocalProblem")]
pub(crate) struct PyLocalProblem {
    pub(super) words: ProblemWords,
    pub(super) loss: AnyLoss,
}

#[pymethods]
impl PyLocalProblem {
    #[new]
    pub(super) fn new(words: ProblemWords) -> PyResult<Self> {
        let loss = checked(&words)?;
        Ok(PyLocalProblem { words, loss })
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
        let named = named_loss(loss)?;
        let square = NamedRegulariser::parse("l2");
        let square = square.map_err(|error| refused(error.to_string()))?;
        check_pair(&named, &square, free_bias, false, free_bias || constant).map_err(|error| {
            let facts = format!("loss={loss:?}: {error}");
            refused(said(&facts, error.remedy().as_ref(), &PythonDoor))
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
    pub(super) fn problems(&self) -> usize {
        match self.words.labels.len() {
            0..=2 => 1,
            labels => labels,
        }
    }

    /// Where dual variables begin.
    #[getter]
    pub(super) fn start(&self) -> f64 {
        let (start, size) = (self.loss.start(), self.words.largest);
        // so near to 0 that v stays within 1
        if size > 0.0 {
            start.min(self.words.lambda_ / size)
        } else {
            start
        }
    }

    /// The point of variables that are all 0: right where they begin with 0.
    fn origin(&self) -> PyPoint {
        let bias = FreeBias {
            multiplier: 0.0,
            rho: 0.1 * self.mean_norm_sq(),
            v: 0.0,
        };
        let biases = if self.words.free_bias {
            self.problems()
        } else {
            0
        };
        PyPoint {
            vectors: vec![vec![0.0; self.words.slots]; self.problems()],
            bias: vec![bias; biases],
        }
    }

    /// The point after a round: the sum of the shares, and the next multipliers. Classes that were not asked stay where they are.
    #[pyo3(signature = (point, answer, fixed=false))]
    fn next(&self, point: &PyPoint, answer: &PyAnswer, fixed: bool) -> PyPoint {
        let lambda_n = self.lambda_n();
        let answers = (0..point.vectors.len()).map(|class| answer.classes.get(class)?.as_ref());
        let answers: Vec<_> = answers.collect();
        let vectors = point.vectors.iter().zip(&answers).map(|(own, answer)| {
            let mut vector = answer.map_or_else(|| own.clone(), |answer| answer.share.clone());
            vector.resize(self.words.slots, 0.0);
            vector
        });
        let bias = point.bias.iter().zip(&answers).map(|(bias, answer)| {
            let Some(answer) = answer else { return *bias };
            let mut next = FreeBias {
                v: (answer.positive - answer.negative) / lambda_n,
                ..*bias
            };
            if !fixed {
                // the proximal point method in b
                next.multiplier = next.b();
            }
            next
        });
        PyPoint {
            vectors: vectors.collect(),
            bias: bias.collect(),
        }
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
        let all = PyList::empty(py);
        let intercepts = intercepts.unwrap_or_else(|| point.intercepts());
        for (class, vector) in point.vectors.iter().enumerate() {
            let found = answer.classes.get(class).and_then(Option::as_ref);
            let (n, lambda) = (self.words.rows as usize, self.words.lambda_);
            let b = intercepts.get(class).copied().unwrap_or(0.0);
            match found {
                None => all.append(py.None())?,
                Some(found) => {
                    let certificate = found.sums.certificate(n, lambda, vector, b);
                    let about = dict(py, &certificate)?;
                    about.set_item("reached", certificate.reaches(gap))?;
                    all.append(about)?;
                }
            }
        }
        Ok(all)
    }
}

impl PyLocalProblem {
    pub(super) fn lambda_n(&self) -> f64 {
        self.words.lambda_ * self.words.rows as f64
    }

    pub(super) fn mean_norm_sq(&self) -> f64 {
        let mean = self.words.norm_sq / self.words.rows.max(1) as f64;
        if mean > 0.0 { mean } else { 1.0 }
    }
}

fn named_loss(text: &str) -> PyResult<NamedLoss> {
    NamedLoss::parse(text).map_err(|error| {
        let facts = format!("loss: {error}");
        refused(said(&facts, error.remedy().as_ref(), &PythonDoor))
    })
}

fn checked(words: &ProblemWords) -> PyResult<AnyLoss> {
    let loss = named_loss(&words.loss)?.loss();
    if loss.classifies() == words.labels.is_empty() {
        return Err(refused(
            "labels are for losses of classes, and every such loss needs them",
        ));
    }
    if !words.class_weight.is_empty() && words.class_weight.len() != words.labels.len() {
        return Err(refused("classWeight: one weight per label"));
    }
    if words.rows == 0 || words.slots == 0 || words.partitions == 0 {
        return Err(refused("there are no rows"));
    }
    Ok(loss)
}

/// A certificate as Python has it.
fn dict<'py>(py: Python<'py>, certificate: &GapCertificate) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("primal", certificate.primal)?;
    all.set_item("dual", certificate.dual)?;
    all.set_item("gap", certificate.gap)?;
    all.set_item("relative_gap", certificate.relative_gap())?;
    all.set_item("loss", certificate.loss)?;
    all.set_item("support", certificate.support)?;
    all.set_item("intercept", certificate.intercept)?;
    Ok(all)
}
