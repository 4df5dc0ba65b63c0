//! Arrays of Python as rows: borrowed, dense or compressed sparse, and put together row by row.

use std::ops::Range;

use novikoff::row::dot_of_arrays;
use novikoff::rows::Rows;
use novikoff_engine::door_rows::DoorRows;
use numpy::ndarray::ArrayView2;
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::words::refused;

/// An array of two dimensions, or `(data, indices, indptr, features)` of a compressed sparse row array.
#[derive(FromPyObject)]
pub(crate) enum Arrays<'py> {
    #[pyo3(transparent)]
    Dense(Matrix<'py>),
    Sparse(Values<'py>, Indices<'py>, Indices<'py>, usize),
}

/// An array of two dimensions.
#[derive(FromPyObject)]
pub(crate) enum Matrix<'py> {
    #[pyo3(transparent, annotation = "float32")]
    Single(PyReadonlyArray2<'py, f32>),
    #[pyo3(transparent, annotation = "float64")]
    Double(PyReadonlyArray2<'py, f64>),
}

/// The values of a sparse array.
#[derive(FromPyObject)]
pub(crate) enum Values<'py> {
    #[pyo3(transparent, annotation = "float32")]
    Single(PyReadonlyArray1<'py, f32>),
    #[pyo3(transparent, annotation = "float64")]
    Double(PyReadonlyArray1<'py, f64>),
}

/// Positions of a sparse array.
#[derive(FromPyObject)]
pub(crate) enum Indices<'py> {
    #[pyo3(transparent, annotation = "int32")]
    Int(PyReadonlyArray1<'py, i32>),
    #[pyo3(transparent, annotation = "int64")]
    Long(PyReadonlyArray1<'py, i64>),
}

impl Arrays<'_> {
    /// The rows of the arrays.
    pub(crate) fn rows(&self) -> PyResult<Box<dyn ArrayRows + '_>> {
        Ok(match self {
            Arrays::Dense(Matrix::Single(x)) => Box::new(Dense(x.as_array())),
            Arrays::Dense(Matrix::Double(x)) => Box::new(Dense(x.as_array())),
            Arrays::Sparse(values, indices, indptr, features) => match values {
                Values::Single(data) => sparse(data, indices, indptr, *features)?,
                Values::Double(data) => sparse(data, indices, indptr, *features)?,
            },
        })
    }
}

fn sparse<'a, T: Value>(
    data: &'a PyReadonlyArray1<'_, T>,
    indices: &'a Indices<'_>,
    indptr: &'a Indices<'_>,
    features: usize,
) -> PyResult<Box<dyn ArrayRows + 'a>> {
    if features >= u32::MAX as usize {
        return Err(refused("X has more features than 2^32 - 2"));
    }
    let data = contiguous(data, "X.data")?;
    Ok(match (indices, indptr) {
        (Indices::Int(indices), Indices::Int(indptr)) => Box::new(Sparse {
            data,
            indices: contiguous(indices, "X.indices")?,
            indptr: contiguous(indptr, "X.indptr")?,
            features,
        }),
        (Indices::Long(indices), Indices::Long(indptr)) => Box::new(Sparse {
            data,
            indices: contiguous(indices, "X.indices")?,
            indptr: contiguous(indptr, "X.indptr")?,
            features,
        }),
        _ => {
            return Err(refused(
                "X.indices and X.indptr must both be int32, or both int64",
            ));
        }
    })
}

/// An array of one dimension as it lies in memory.
pub(crate) fn contiguous<'a, T: Element>(
    array: &'a PyReadonlyArray1<'_, T>,
    name: &str,
) -> PyResult<&'a [T]> {
    let slice = array.as_slice();
    slice.map_err(|_| refused(format!("{name}: must be a contiguous array")))
}

/// A number of an array.
pub(crate) trait Value: Element + Copy + Sync {
    fn single(self) -> f32;
}

impl Value for f32 {
    fn single(self) -> f32 {
        self
    }
}

impl Value for f64 {
    fn single(self) -> f32 {
        self as f32
    }
}

/// A position of a sparse array. One below 0 is above all that there can be.
pub(crate) trait Index: Element + Copy + Sync + PartialOrd {
    fn place(self) -> u64;

    /// The slot of a feature that is known to be one.
    fn slot(self) -> u32;
}

impl Index for i32 {
    fn slot(self) -> u32 {
        self.cast_unsigned().wrapping_add(1)
    }

    fn place(self) -> u64 {
        i64::from(self) as u64
    }
}

impl Index for i64 {
    fn slot(self) -> u32 {
        (self as u32).wrapping_add(1)
    }
    fn place(self) -> u64 {
        self as u64
    }
}

/// What is wrong with an array.
enum Fault {
    Shape(usize),
    Value { row: usize, feature: usize },
}

impl Fault {
    fn words(&self) -> String {
        match self {
            Fault::Shape(row) => format!(
                "row {row} of X is no row of a compressed sparse array: its indptr or indices are out of range; call X.check_format()"
            ),
            Fault::Value { row, feature } => format!(
                "X[{row}, {feature}] is not a finite number within the range of float32 (3.4e38); leave the row out, or scale the feature down"
            ),
        }
    }
}

/// Memory that rows are put together in.
#[derive(Default)]
struct Bench {
    slots: Vec<u32>,
    values: Vec<f32>,
}

/// The rows of an array.
pub(crate) trait ArrayRows: Sync {
    fn len(&self) -> usize;

    /// How many values are stored.
    fn values(&self) -> usize;

    /// Adds rows, each begun by `begin` and with this constant feature in slot 0 if there is one. Features are counted from 1.
    fn fill(
        &self,
        rows: &mut dyn Iterator<Item = usize>,
        bias: Option<f32>,
        begin: &dyn Fn(usize, &mut Rows),
        out: &mut Rows,
    ) -> Result<(), String>;

    /// As [`DoorRows::products`] has it.
    fn products(
        &self,
        rows: Range<usize>,
        constant: Option<f32>,
        w: &[f64],
        out: &mut Vec<f64>,
    ) -> bool;
}

/// Arrays whose rows are put together one by one.
trait RowByRow: Sync {
    fn count(&self) -> usize;

    fn stored(&self) -> usize;

    /// Adds the values of a row to the one that is being built.
    fn add(&self, row: usize, bench: &mut Bench, out: &mut Rows) -> Result<(), Fault>;

    /// The product of a row with a vector, unless it has to be put together for that.
    fn product(&self, _row: usize, _constant: Option<f32>, _w: &[f64]) -> Option<f64> {
        None
    }
}

impl<A: RowByRow> ArrayRows for A {
    fn len(&self) -> usize {
        self.count()
    }

    fn values(&self) -> usize {
        self.stored()
    }

    fn fill(
        &self,
        rows: &mut dyn Iterator<Item = usize>,
        bias: Option<f32>,
        begin: &dyn Fn(usize, &mut Rows),
        out: &mut Rows,
    ) -> Result<(), String> {
        let mut bench = Bench::default();
        for row in rows {
            begin(row, out);
            if let Some(bias) = bias {
                out.push(0, bias);
            }
            let added = self.add(row, &mut bench, out);
            added.map_err(|fault| fault.words())?;
            out.end_row(row as u64);
        }
        Ok(())
    }

    fn products(
        &self,
        rows: Range<usize>,
        constant: Option<f32>,
        w: &[f64],
        out: &mut Vec<f64>,
    ) -> bool {
        let begun = out.len();
        for row in rows {
            let Some(product) = self.product(row, constant, w) else {
                out.truncate(begun);
                return false;
            };
            out.push(product);
        }
        true
    }
}

/// A dense array, borrowed.
struct Dense<'a, T>(ArrayView2<'a, T>);

impl<T: Value> RowByRow for Dense<'_, T> {
    fn count(&self) -> usize {
        self.0.nrows()
    }

    fn stored(&self) -> usize {
        self.0.len()
    }

    fn add(&self, row: usize, bench: &mut Bench, out: &mut Rows) -> Result<(), Fault> {
        let Bench { slots, values } = bench;
        let given = self.0.row(row);
        if slots.len() != given.len() {
            slots.clear();
            slots.extend((1..).take(given.len()));
        }
        values.clear();
        match given.as_slice() {
            Some(given) => values.extend(given.iter().map(|value| value.single())),
            None => values.extend(given.iter().map(|value| value.single())),
        }
        if are_plain(values) {
            out.push_many(slots, values, given.len() as u32);
            return Ok(());
        }
        if !all_finite(values) {
            return Err(bad_value(row, values, |place| place));
        }
        for (&slot, &value) in slots.iter().zip(values.iter()) {
            out.push(slot, value);
        }
        Ok(())
    }
}

/// A sparse array, borrowed.
struct Sparse<'a, T, I> {
    data: &'a [T],
    indices: &'a [I],
    indptr: &'a [I],
    features: usize,
}

impl<T: Value, I: Index> RowByRow for Sparse<'_, T, I> {
    fn count(&self) -> usize {
        self.indptr.len().saturating_sub(1)
    }

    fn stored(&self) -> usize {
        self.data.len()
    }

    fn add(&self, row: usize, bench: &mut Bench, out: &mut Rows) -> Result<(), Fault> {
        let Bench { slots, values } = bench;
        let (index, data) = self.part(row).ok_or(Fault::Shape(row))?;
        slots.clear();
        slots.extend(index.iter().map(|i| i.slot()));
        values.clear();
        values.extend(data.iter().map(|value| value.single()));
        let last = index.last().map_or(0, |i| i.place());
        if self.is_ordered(index) && are_plain(values) {
            out.push_many(slots, values, last as u32 + u32::from(!slots.is_empty()));
            return Ok(());
        }
        let mut places = index.iter().map(|i| i.place());
        if places.any(|place| place >= self.features as u64) {
            return Err(Fault::Shape(row));
        }
        if !all_finite(values) {
            return Err(bad_value(row, values, |place| slots[place] as usize - 1));
        }
        out.push_any_many(slots, values);
        Ok(())
    }

    fn product(&self, row: usize, constant: Option<f32>, w: &[f64]) -> Option<f64> {
        let (index, data) = self.part(row)?;
        let last = index.last().map_or(0, |i| i.place());
        let is_empty = index.is_empty() && constant.is_none();
        // features are counted from 1 there
        let is_inside = last < (w.len() as u64).saturating_sub(1);
        if is_empty || !is_inside || !self.is_ordered(index) || !are_plain(data) {
            return None;
        }
        let values = (data, T::single);
        Some(dot_of_arrays(constant, values, (index, I::slot), w))
    }
}

impl<'a, T: Value, I: Index> Sparse<'a, T, I> {
    /// The indices and values of a row, if it is within the arrays.
    fn part(&self, row: usize) -> Option<(&'a [I], &'a [T])> {
        let place = |at: usize| usize::try_from(self.indptr[at].place()).ok();
        let range = place(row)?..place(row + 1)?;
        Some((self.indices.get(range.clone())?, self.data.get(range)?))
    }

    /// Whether the features of a row come in order, each once: then the first and the last say that all are features of the array.
    fn is_ordered(&self, index: &[I]) -> bool {
        let last = index.last().map_or(0, |i| i.place());
        let first = index.first().map_or(0, |i| i.place());
        last < self.features as u64 && first <= last && in_order(index)
    }
}

// No early end, so that these loops are done many numbers at a time.

fn all_finite(values: &[f32]) -> bool {
    values.iter().fold(true, |all, v| all & v.is_finite())
}

/// Whether all values are finite, and none is 0.
#[allow(clippy::needless_bitwise_bool)] // no early end
fn are_plain<T: Value>(values: &[T]) -> bool {
    values.iter().fold(true, |plain, v| {
        let size = (v.single().to_bits() & 0x7fff_ffff).cast_signed();
        plain & (size > 0) & (size < 0x7f80_0000)
    })
}

#[allow(clippy::needless_bitwise_bool)] // no early end
fn in_order<I: Index>(index: &[I]) -> bool {
    let pairs = index.iter().zip(index.iter().skip(1));
    pairs.fold(true, |ordered, (a, b)| ordered & (a < b))
}

/// The first value of a row that is none of the engine's.
fn bad_value(row: usize, values: &[f32], feature: impl Fn(usize) -> usize) -> Fault {
    let place = values.iter().position(|value| !value.is_finite());
    Fault::Value {
        row,
        feature: feature(place.unwrap_or_default()),
    }
}

/// Rows of arrays that a model is asked about.
pub(crate) struct Asked<'a>(pub(crate) &'a dyn ArrayRows);

impl DoorRows for Asked<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn values(&self) -> usize {
        self.0.values()
    }

    fn fill(
        &self,
        rows: &mut dyn Iterator<Item = usize>,
        bias: Option<f32>,
        out: &mut Rows,
    ) -> Result<(), String> {
        self.0.fill(rows, bias, &|_, _| {}, out)
    }

    fn products(
        &self,
        rows: Range<usize>,
        constant: Option<f32>,
        w: &[f64],
        out: &mut Vec<f64>,
    ) -> bool {
        self.0.products(rows, constant, w, out)
    }
}
