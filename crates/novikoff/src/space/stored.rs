//! Rows that a learner keeps.

use crate::row::Row;
use crate::state::{State, StateError};

/// Stored rows, scale included.
#[derive(Clone, Debug, Default)]
pub struct StoredRows {
    ends: Vec<u64>,
    index: Vec<u32>,
    value: Vec<f32>,
    scale: Vec<f64>,
}

#[doc(hidden)] // for learners and their states
impl StoredRows {
    /// Keeps a row.
    pub fn push(&mut self, x: Row<'_>) {
        let (scale, values) = x.stored();
        for (j, v) in values {
            self.index.push(j);
            self.value.push(v);
        }
        self.ends.push(self.value.len() as u64);
        self.scale.push(scale);
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of the rows.
    pub fn bytes(&self) -> u128 {
        8 * self.value.len() as u128 + 16 * self.ends.len() as u128
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = Row<'_>> + ExactSizeIterator + Clone {
        (0..self.ends.len()).map(|i| {
            let at = self.range(i);
            Row::sparse(&self.index[at.clone()], &self.value[at]).scaled(self.scale[i])
        })
    }

    /// How many values all rows have.
    pub fn values(&self) -> usize {
        self.value.len()
    }

    /// Where the slots and values of row `i` are among all.
    pub(super) fn range(&self, i: usize) -> std::ops::Range<usize> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        start..self.ends[i] as usize
    }

    /// The slots of each row.
    pub(crate) fn slots_of_each(&self) -> impl Iterator<Item = &[u32]> + Clone {
        (0..self.ends.len()).map(|i| &self.index[self.range(i)])
    }

    /// The slots of all rows, one row after the other.
    pub(super) fn all_slots(&self) -> &[u32] {
        &self.index
    }

    /// What the values of row `i` are to be multiplied by.
    pub(crate) fn scale(&self, i: usize) -> f64 {
        self.scale[i]
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        let end = self.ends[i] as usize;
        Row::sparse(&self.index[start..end], &self.value[start..end]).scaled(self.scale[i])
    }

    /// Adds the rows to a state.
    pub fn save<'a>(&'a self, out: &mut State<'a>) {
        self.save_as("row", out);
    }

    /// Adds the rows to a state that has other rows too, under `name`.
    pub fn save_as<'a>(&'a self, name: &str, out: &mut State<'a>) {
        out.put_u64(&format!("{name}-ends"), &self.ends[..]);
        out.put_u32(&format!("{name}-slots"), &self.index[..]);
        out.put_f32(&format!("{name}-values"), &self.value[..]);
        out.put_f64(&format!("{name}-scales"), &self.scale[..]);
    }

    /// Adds rows to a state that were gathered for it.
    pub fn put(self, out: &mut State<'_>) {
        out.put_u64("row-ends", self.ends);
        out.put_u32("row-slots", self.index);
        out.put_f32("row-values", self.value);
        out.put_f64("row-scales", self.scale);
    }

    /// Takes them out again; there must be as many as `len`.
    pub fn load(from: &mut State<'static>, len: usize) -> Result<Self, StateError> {
        Self::load_as("row", from, len)
    }

    /// Takes out the rows that were saved under `name`; there must be as many as `len`.
    pub fn load_as(name: &str, from: &mut State<'static>, len: usize) -> Result<Self, StateError> {
        let rows = StoredRows {
            ends: from.take_u64(&format!("{name}-ends"))?,
            index: from.take_u32(&format!("{name}-slots"))?,
            value: from.take_f32(&format!("{name}-values"))?,
            scale: from.take_f64(&format!("{name}-scales"))?,
        };
        let whole = rows.ends.is_sorted()
            && rows.ends.last().copied().unwrap_or(0) == rows.value.len() as u64
            && rows.index.len() == rows.value.len()
            && rows.scale.len() == len
            && rows.ends.len() == len;
        if whole && rows.slots_increase() {
            Ok(rows)
        } else {
            Err(from.bad(
                &format!("{name}-ends"),
                "the stored rows do not fit together",
            ))
        }
    }

    /// One more than the highest slot.
    pub fn slots(&self) -> usize {
        let last = self.rows().filter_map(|row| row.last_slot()).max();
        last.map_or(0, |slot| slot as usize + 1)
    }

    fn slots_increase(&self) -> bool {
        let mut start = 0;
        self.ends.iter().all(|&end| {
            let slots = &self.index[start..end as usize];
            start = end as usize;
            slots.is_sorted_by(|a, b| a < b)
        })
    }
}
