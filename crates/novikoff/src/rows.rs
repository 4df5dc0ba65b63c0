//! Owned rows with their labels: what readers fill and what a run walks over.

use crate::label::RawLabel;
use crate::row::Row;

/// A list of rows in compressed form, each with its raw labels and the line it came from.
///
/// Readers fill one block after another and reuse the memory; a data set held in memory is one big
/// block.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Where each row's values end.
    ends: Vec<usize>,
    index: Vec<u32>,
    value: Vec<f32>,
    labels: Labels,
    /// Line of each row, counted from the block's first line.
    lines: Vec<u64>,
    /// Highest feature number of the finished rows, explicit zeros included.
    width: u32,
    /// The same of the row being built.
    row_width: u32,
}

/// Raw labels of many rows: none, one or several a row.
#[derive(Clone, Debug, Default)]
struct Labels {
    row_ends: Vec<usize>,
    /// The label as a number, NaN if it is not one.
    number: Vec<f64>,
    text: Vec<u8>,
    text_ends: Vec<usize>,
}

impl Rows {
    /// No rows yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.index.clear();
        self.value.clear();
        self.lines.clear();
        self.labels.row_ends.clear();
        self.labels.number.clear();
        self.labels.text.clear();
        self.labels.text_ends.clear();
        self.width = 0;
        self.row_width = 0;
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many values are stored in all.
    pub fn values(&self) -> usize {
        self.value.len()
    }

    /// The highest feature number of all finished rows, explicit zeros included.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        let end = self.ends[i];
        Row::sparse(&self.index[start..end], &self.value[start..end])
    }

    /// The raw labels of row `i`.
    pub fn labels(&self, i: usize) -> impl ExactSizeIterator<Item = RawLabel<'_>> {
        let l = &self.labels;
        let start = if i == 0 { 0 } else { l.row_ends[i - 1] };
        (start..l.row_ends[i]).map(move |k| {
            let from = if k == 0 { 0 } else { l.text_ends[k - 1] };
            RawLabel::new(l.number[k], &l.text[from..l.text_ends[k]])
        })
    }

    /// The line of row `i`, counted from the block's first line.
    pub fn line(&self, i: usize) -> u64 {
        self.lines[i]
    }

    /// Adds a label to the row being built. `number` is NaN for a label that is no number.
    pub fn push_label(&mut self, number: f64, text: &[u8]) {
        self.labels.number.push(number);
        self.labels.text.extend_from_slice(text);
        self.labels.text_ends.push(self.labels.text.len());
    }

    /// Adds a value to the row being built; slots must come in strictly increasing order. Zeros are
    /// left out, but count for the width.
    #[inline]
    pub fn push(&mut self, slot: u32, value: f32) {
        if value != 0.0 {
            self.index.push(slot);
            self.value.push(value);
        }
        self.row_width = slot;
    }

    /// Adds many values to the row being built: what [`push`](Self::push) would have kept of them, that
    /// is, no zeros. `last` is the highest slot met so far, zeros included.
    pub fn push_many(&mut self, index: &[u32], value: &[f32], last: u32) {
        debug_assert_eq!(index.len(), value.len());
        self.index.extend_from_slice(index);
        self.value.extend_from_slice(value);
        self.row_width = last;
    }

    /// Room for `values` more values in all.
    pub fn reserve(&mut self, values: usize) {
        self.index.reserve(values);
        self.value.reserve(values);
    }

    /// Ends the row being built.
    pub fn end_row(&mut self, line: u64) {
        self.ends.push(self.value.len());
        self.labels.row_ends.push(self.labels.number.len());
        self.lines.push(line);
        self.width = self.width.max(self.row_width);
        self.row_width = 0;
    }

    /// Drops the row being built, if one was begun.
    pub fn abandon_row(&mut self) {
        let values = self.ends.last().copied().unwrap_or(0);
        self.index.truncate(values);
        self.value.truncate(values);
        let labels = self.labels.row_ends.last().copied().unwrap_or(0);
        self.labels.number.truncate(labels);
        self.labels.text_ends.truncate(labels);
        let text = self.labels.text_ends.last().copied().unwrap_or(0);
        self.labels.text.truncate(text);
        self.row_width = 0;
    }

    /// Appends all rows of `other`, whose lines are counted from `first_line` of ours.
    pub fn append(&mut self, other: &Rows, first_line: u64) {
        let (values, labels) = (self.value.len(), self.labels.number.len());
        let text = self.labels.text.len();
        self.index.extend_from_slice(&other.index);
        self.value.extend_from_slice(&other.value);
        self.ends.extend(other.ends.iter().map(|e| e + values));
        self.lines
            .extend(other.lines.iter().map(|l| l + first_line));
        self.labels.number.extend_from_slice(&other.labels.number);
        self.labels.text.extend_from_slice(&other.labels.text);
        self.labels
            .text_ends
            .extend(other.labels.text_ends.iter().map(|e| e + text));
        self.labels
            .row_ends
            .extend(other.labels.row_ends.iter().map(|e| e + labels));
        self.width = self.width.max(other.width);
    }
}
