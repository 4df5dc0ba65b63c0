//! Rows that a learner keeps together with `g(x)`, their images under the gradient of half the squared
//! p-norm.

use super::dual_norm::gradient_of;
use super::stored::StoredRows;
use crate::linalg;
use crate::row::Row;
use crate::state::{State, StateError};

/// Stored rows and their images.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImagedRows {
    rows: StoredRows,
    /// The values of all images, one after the other.
    image: Vec<f64>,
}

/// `g(x)` of a row, which has values where the row has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image<'a> {
    slots: &'a [u32],
    values: &'a [f64],
}

impl<'a> Image<'a> {
    /// Values and where they are, slots strictly increasing.
    pub(crate) fn new(slots: &'a [u32], values: &'a [f64]) -> Self {
        Image { slots, values }
    }

    /// The slots, if they are adjacent.
    fn run(&self) -> Option<std::ops::Range<usize>> {
        let (&first, &last) = (self.slots.first()?, self.slots.last()?);
        let run = first as usize..last as usize + 1;
        (run.len() == self.slots.len()).then_some(run)
    }

    /// `g(x).z`; slots past the end of z count as zero.
    pub(crate) fn dot(&self, z: &[f64]) -> f64 {
        if let Some(run) = self.run() {
            return z
                .get(run.start..)
                .map_or(0.0, |z| linalg::dot(self.values, z));
        }
        let within = self.slots.partition_point(|&j| (j as usize) < z.len());
        let pairs = self.slots[..within].iter().zip(self.values);
        pairs.map(|(&j, g)| g * z[j as usize]).sum()
    }

    /// `z <- z + c g(x)`; z must reach the last slot.
    pub(crate) fn add_to(&self, c: f64, z: &mut [f64]) {
        if let Some(run) = self.run() {
            for (z, g) in z[run].iter_mut().zip(self.values) {
                *z += c * g;
            }
            return;
        }
        for (&j, g) in self.slots.iter().zip(self.values) {
            z[j as usize] += c * g;
        }
    }
}

impl ImagedRows {
    /// Keeps a row and its image.
    pub(crate) fn push(&mut self, x: Row<'_>, image: &[f64]) {
        self.rows.push(x);
        self.image.extend_from_slice(image);
    }

    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// How many values all rows have.
    pub(crate) fn values(&self) -> usize {
        self.rows.values()
    }

    /// Bytes of rows and images.
    pub(crate) fn bytes(&self) -> u128 {
        self.rows.bytes() + 8 * self.image.len() as u128
    }

    /// One more than the highest slot.
    pub(crate) fn slots(&self) -> usize {
        self.rows.slots()
    }

    /// The rows, in order.
    pub(crate) fn rows(&self) -> impl DoubleEndedIterator<Item = Row<'_>> + ExactSizeIterator {
        self.rows.rows()
    }

    /// The images, in order.
    pub(crate) fn images(&self) -> impl DoubleEndedIterator<Item = Image<'_>> + ExactSizeIterator {
        (0..self.len()).map(|i| {
            let at = self.rows.range(i);
            Image::new(&self.rows.all_slots()[at.clone()], &self.image[at])
        })
    }

    /// The values of image `i`.
    pub(crate) fn image(&self, i: usize) -> &[f64] {
        &self.image[self.rows.range(i)]
    }

    /// Adds the rows to a state; the images follow from them.
    pub(crate) fn save<'a>(&'a self, out: &mut State<'a>) {
        self.rows.save(out);
    }

    /// Takes them out again; there must be as many as `len`.
    pub(crate) fn load(from: &mut State<'static>, len: usize, p: f64) -> Result<Self, StateError> {
        let rows = StoredRows::load(from, len)?;
        let image = rows.rows().flat_map(|x| gradient_of(x, p)).collect();
        Ok(ImagedRows { rows, image })
    }
}
