//! What all partitions share in a round: one vector per class, and its free bias.

use novikoff::dual::local::FreeBias;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::bytes::{Reader, Writer};

/// The shared vectors.
#[pyclass(frozen, module = "novikoff._native", name = "Point")]
pub(crate) struct PyPoint {
    /// By class, by slot.
    pub(super) vectors: Vec<Vec<f64>>,
    /// By class; none without a free bias.
    pub(super) bias: Vec<FreeBias>,
}

#[pymethods]
impl PyPoint {
    /// As bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut out = Writer::default();
        out.count(self.vectors.len());
        out.count(self.bias.len());
        for vector in &self.vectors {
            out.vector(vector);
        }
        for bias in &self.bias {
            out.number(bias.multiplier);
            out.number(bias.rho);
            out.number(bias.v);
        }
        PyBytes::new(py, &out.0)
    }

    /// Of such bytes.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Self::read(bytes)
    }

    /// The vector of a class, by slot; slot 0 is the constant feature.
    fn vector<'py>(&self, py: Python<'py>, class: usize) -> Option<Bound<'py, PyArray1<f64>>> {
        let vector = self.vectors.get(class)?;
        Some(PyArray1::from_slice(py, vector))
    }

    /// The bias of each class; 0 without a free one.
    #[getter]
    pub(super) fn intercepts(&self) -> Vec<f64> {
        let of = |class: usize| self.bias.get(class).map_or(0.0, FreeBias::b);
        (0..self.vectors.len()).map(of).collect()
    }

    /// The point with the vectors of the classes that are said from another one, and its biases.
    fn with_classes(&self, from: &PyPoint, classes: Vec<bool>) -> PyPoint {
        let takes = |class: usize| classes.get(class).copied().unwrap_or(false);
        let vectors = self.vectors.iter().zip(&from.vectors).enumerate();
        let vectors =
            vectors.map(|(k, (own, other))| if takes(k) { other.clone() } else { own.clone() });
        let biases = self.bias.iter().zip(&from.bias).enumerate();
        let bias = biases.map(|(k, (own, other))| if takes(k) { *other } else { *own });
        PyPoint {
            vectors: vectors.collect(),
            bias: bias.collect(),
        }
    }
}

impl PyPoint {
    pub(super) fn read(bytes: &[u8]) -> PyResult<Self> {
        let mut from = Reader::new("a shared vector", bytes);
        let (classes, biases) = (from.count(16)?, from.count(24)?);
        let mut vectors = Vec::with_capacity(classes);
        for _ in 0..classes {
            let mut vector = Vec::new();
            from.add_vector(&mut vector)?;
            vectors.push(vector);
        }
        let mut bias = Vec::with_capacity(biases);
        for _ in 0..biases {
            bias.push(FreeBias {
                multiplier: from.number()?,
                rho: from.number()?,
                v: from.number()?,
            });
        }
        from.end()?;
        Ok(PyPoint { vectors, bias })
    }
}
