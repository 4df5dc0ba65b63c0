//! Rows with their labels and weights: what readers fill and what a run walks over.

mod shared;
mod sort;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::label::RawLabel;
use crate::row::Row;

/// Rows in compressed form, borrowed: a view of [`Rows`], or of a file mapped into memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block<'a> {
    /// Where each row's values end.
    pub ends: &'a [u64],
    /// The slots of the values, strictly increasing in a row: see [`Block::slots`].
    pub index: &'a [u32],
    /// Where each row's slots begin in `index`: rows share the slots of the row before them if they are the same. None if the slots lie
    /// beside their values.
    pub slots_at: &'a [u64],
    /// The values.
    pub value: &'a [f32],
    /// Where each row's labels end.
    pub label_ends: &'a [u64],
    /// Each label as a number, NaN if it is not one.
    pub label_number: &'a [f64],
    /// Where each label's text ends.
    pub text_ends: &'a [u64],
    /// The labels as written, one after another.
    pub text: &'a [u8],
    /// The line of each row, counted from the block's first line.
    pub lines: &'a [u64],
    /// The weight of each row; none if all are 1.
    pub weights: &'a [f32],
    /// Highest feature number, explicit zeros included.
    pub width: u32,
    /// Where each row's id ends; none if rows have no ids.
    pub id_ends: &'a [u64],
    /// The ids as written, one after another.
    pub ids: &'a [u8],
}

/// Where part `i` begins and ends, given where parts end.
fn part(ends: &[u64], i: usize) -> Range<usize> {
    let start = if i == 0 { 0 } else { ends[i - 1] };
    start as usize..ends[i] as usize
}

impl<'a> Block<'a> {
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

    /// The highest feature number of all rows, explicit zeros included.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> Row<'a> {
        let values = part(self.ends, i);
        Row::sparse(
            &self.index[self.place_of_slots(i, &values)],
            &self.value[values],
        )
    }

    /// The slots of row `i`, one for each of its values.
    #[inline]
    pub fn slots(&self, i: usize) -> &'a [u32] {
        &self.index[self.place_of_slots(i, &part(self.ends, i))]
    }

    /// The stored values of row `i`, one for each of its slots.
    #[inline]
    pub fn values_of(&self, i: usize) -> &'a [f32] {
        &self.value[part(self.ends, i)]
    }

    /// Where the slots of row `i` are, whose values are there.
    #[inline]
    fn place_of_slots(&self, i: usize, values: &Range<usize>) -> Range<usize> {
        match self.slots_at.get(i) {
            None => values.clone(),
            Some(&at) => at as usize..at as usize + values.len(),
        }
    }

    /// The raw labels of row `i`.
    pub fn labels(&self, i: usize) -> impl ExactSizeIterator<Item = RawLabel<'a>> + use<'a> {
        let (numbers, text_ends, text) = (self.label_number, self.text_ends, self.text);
        part(self.label_ends, i).map(move |k| RawLabel::new(numbers[k], &text[part(text_ends, k)]))
    }

    /// The weight of row `i`: how many times its step counts.
    #[inline]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.get(i).map_or(1.0, |&weight| f64::from(weight))
    }

    /// The line of row `i`, counted from the block's first line.
    pub fn line(&self, i: usize) -> u64 {
        self.lines[i]
    }

    /// The id of row `i`, as written, if rows have ids.
    pub fn id(&self, i: usize) -> Option<&'a [u8]> {
        (i < self.id_ends.len()).then(|| &self.ids[part(self.id_ends, i)])
    }
}

/// Sorts the values of a row by slot, adds up those of the same slot (within the range of f32), leaves zeros of such sums out, and says how
/// many are left, at the beginning.
fn sort_values(index: &mut [u32], value: &mut [f32], memory: &mut sort::SortMemory) -> usize {
    // stable, so that equal slots are added in the order of the row
    sort::by_slot(index, value, memory);
    sort::add_up(index, value)
}

/// A list of rows in compressed form, each with its raw labels, its weight and the line it came from.
///
/// Readers fill one block after another and reuse the memory; a data set held in memory is one big
/// block.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    ends: Vec<u64>,
    /// In any form, the slots of the last row are the last, and those of the row being built follow them.
    index: Vec<u32>,
    /// Empty as long as slots lie beside their values.
    slots_at: Vec<u64>,
    value: Vec<f32>,
    label_ends: Vec<u64>,
    label_number: Vec<f64>,
    text_ends: Vec<u64>,
    text: Vec<u8>,
    lines: Vec<u64>,
    /// Empty as long as all weights are 1.
    weights: Vec<f32>,
    width: u32,
    /// Empty as long as rows have no ids.
    id_ends: Vec<u64>,
    ids: Vec<u8>,
    /// The highest slot of the row being built.
    row_width: u32,
    /// The weight of the row being built, if it has one.
    row_weight: Option<f32>,
    /// Slots of the row being built do not increase.
    unordered: bool,
    /// For sorting a row.
    memory: sort::SortMemory,
}

impl Rows {
    /// No rows yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// All rows, borrowed.
    #[inline]
    pub fn view(&self) -> Block<'_> {
        Block {
            ends: &self.ends,
            index: &self.index[..self.finished_slots()],
            slots_at: &self.slots_at,
            value: &self.value[..self.finished()],
            label_ends: &self.label_ends,
            label_number: &self.label_number,
            text_ends: &self.text_ends,
            text: &self.text,
            lines: &self.lines,
            weights: &self.weights,
            width: self.width,
            id_ends: &self.id_ends,
            ids: &self.ids,
        }
    }

    /// How many values the finished rows have.
    #[inline]
    fn finished(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// How many slots they have.
    #[inline]
    fn finished_slots(&self) -> usize {
        match self.slots_at.last() {
            None => self.finished(),
            Some(&at) => at as usize + part(&self.ends, self.ends.len() - 1).len(),
        }
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.index.clear();
        self.slots_at.clear();
        self.value.clear();
        self.label_ends.clear();
        self.label_number.clear();
        self.text_ends.clear();
        self.text.clear();
        self.lines.clear();
        self.weights.clear();
        self.width = 0;
        self.id_ends.clear();
        self.ids.clear();
        self.begin_row();
    }

    fn begin_row(&mut self) {
        (self.row_width, self.row_weight, self.unordered) = (0, None, false);
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

    /// Explicit zeros count for the width no longer.
    #[doc(hidden)] // for rows that are kept without them
    pub fn forget_zeros(&mut self) {
        self.width = self.index.iter().copied().max().unwrap_or(0);
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        self.view().row(i)
    }

    /// The raw labels of row `i`.
    pub fn labels(&self, i: usize) -> impl ExactSizeIterator<Item = RawLabel<'_>> {
        self.view().labels(i)
    }

    /// The weight of row `i`: how many times its step counts.
    pub fn weight(&self, i: usize) -> f64 {
        self.view().weight(i)
    }

    /// The line of row `i`, counted from the block's first line.
    pub fn line(&self, i: usize) -> u64 {
        self.lines[i]
    }

    /// Adds a label to the row being built. `number` is NaN for a label that is no number.
    pub fn push_label(&mut self, number: f64, text: &[u8]) {
        self.label_number.push(number);
        self.text.extend_from_slice(text);
        self.text_ends.push(self.text.len() as u64);
    }

    /// Gives the row being built an id, as written. All rows have one, or none has.
    #[doc(hidden)] // for readers of files
    pub fn set_id(&mut self, id: &[u8]) {
        self.ids.extend_from_slice(id);
        self.id_ends.push(self.ids.len() as u64);
    }

    /// Gives the row being built a weight: how many times its step counts.
    pub fn set_weight(&mut self, weight: f32) {
        self.row_weight = Some(weight);
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

    /// Adds a value to the row being built; slots may come in any order and more than once, in which
    /// case [`end_row`](Self::end_row) sorts and adds up.
    #[inline]
    pub fn push_any(&mut self, slot: u32, value: f32) {
        self.unordered |= slot <= self.row_width && self.value.len() > self.finished();
        if value != 0.0 {
            self.index.push(slot);
            self.value.push(value);
        }
        self.row_width = self.row_width.max(slot);
    }

    /// Adds many values to the row being built: what [`push`](Self::push) would have kept of them, that
    /// is, no zeros. `last` is the highest slot met so far, zeros included.
    #[doc(hidden)] // for readers of files
    pub fn push_many(&mut self, index: &[u32], value: &[f32], last: u32) {
        debug_assert_eq!(index.len(), value.len());
        self.index.extend_from_slice(index);
        self.value.extend_from_slice(value);
        self.row_width = last;
    }

    /// Ends the row being built as a copy of row `i` of a block, with its labels, weight and line, behind the values that it has.
    #[doc(hidden)] // for readers of files
    pub fn copy_row(&mut self, block: Block<'_>, i: usize) {
        let index = block.slots(i);
        let last = index.last().copied().unwrap_or(self.row_width);
        self.push_many(index, block.values_of(i), last);
        for label in block.labels(i) {
            self.push_label(label.number().unwrap_or(f64::NAN), label.text());
        }
        if let Some(&weight) = block.weights.get(i) {
            self.set_weight(weight);
        }
        if let Some(id) = block.id(i) {
            self.set_id(id);
        }
        self.end_row(block.line(i));
        if !block.slots_at.is_empty() {
            self.share_slots();
        }
    }

    /// Adds a value whose slot is yet to be found: `place` is for [`renumber`](Self::renumber).
    #[doc(hidden)] // for readers of files
    pub fn push_draft(&mut self, place: u32, value: f32) {
        self.index.push(place);
        self.value.push(value);
    }

    /// Adds many values to the row being built, as [`push_any`](Self::push_any) does.
    #[doc(hidden)] // for readers of files
    pub fn push_any_many(&mut self, index: &[u32], value: &[f32]) {
        debug_assert_eq!(index.len(), value.len());
        if value.contains(&0.0) {
            for (&slot, &value) in index.iter().zip(value) {
                self.push_any(slot, value);
            }
            return;
        }
        let Some(&first) = index.first() else {
            return;
        };
        let follows = first > self.row_width || self.value.len() == self.finished();
        self.unordered |= !follows || !index.is_sorted_by(|a, b| a < b);
        self.row_width = index.iter().fold(self.row_width, |m, &slot| m.max(slot));
        self.index.extend_from_slice(index);
        self.value.extend_from_slice(value);
    }

    /// Room for `values` more values in all.
    #[doc(hidden)] // for readers of files
    pub fn reserve(&mut self, values: usize) {
        self.index.reserve(values);
        self.value.reserve(values);
    }

    /// Adds a whole row with one label, of weight 1.
    ///
    /// ```
    /// use novikoff::{Label, Row, Rows};
    ///
    /// let mut rows = Rows::new();
    /// rows.add(Label::Pos, Row::dense(&[0.5, 0.0, 2.0])); // features 1, 2 and 3
    /// rows.add("spam", Row::sparse(&[7, 90], &[1.0, 1.0]));
    /// assert_eq!((rows.len(), rows.values(), rows.width()), (2, 4, 90));
    /// ```
    pub fn add<'l>(&mut self, label: impl Into<RawLabel<'l>>, x: Row<'_>) {
        let label = label.into();
        self.push_label(label.number().unwrap_or(f64::NAN), label.text());
        for (slot, value) in x.iter() {
            self.push(slot as u32, value as f32);
        }
        self.end_row(self.len() as u64);
    }

    /// Ends the row being built.
    pub fn end_row(&mut self, line: u64) {
        if self.unordered {
            self.sort_row();
        }
        self.end_slots();
        self.ends.push(self.value.len() as u64);
        self.label_ends.push(self.label_number.len() as u64);
        self.lines.push(line);
        self.width = self.width.max(self.row_width);
        let weight = self.row_weight.unwrap_or(1.0);
        if weight != 1.0 && self.weights.is_empty() {
            self.weights.resize(self.ends.len() - 1, 1.0);
        }
        if weight != 1.0 || !self.weights.is_empty() {
            self.weights.push(weight);
        }
        self.begin_row();
    }

    /// Ends a row whose slots are yet to be found: they are left as they are, for
    /// [`renumber`](Self::renumber).
    #[doc(hidden)] // for readers of files
    pub fn end_draft_row(&mut self, line: u64) {
        self.unordered = false;
        self.end_row(line);
    }

    /// Sorts the row being built by slot and adds up what has the same slot.
    fn sort_row(&mut self) {
        let (at, start) = (self.finished_slots(), self.finished());
        let (index, value) = (&mut self.index[at..], &mut self.value[start..]);
        let kept = sort_values(index, value, &mut self.memory);
        self.index.truncate(at + kept);
        self.value.truncate(start + kept);
    }

    /// Moves values to `to`, which is not behind them, and on, sorted and added up, and says where they end.
    fn sort_into(&mut self, range: Range<usize>, to: usize) -> usize {
        let (index, value) = (
            &mut self.index[range.clone()],
            &mut self.value[range.clone()],
        );
        let kept = sort_values(index, value, &mut self.memory);
        if to != range.start {
            let kept = range.start..range.start + kept;
            self.index.copy_within(kept.clone(), to);
            self.value.copy_within(kept, to);
        }
        to + kept
    }

    /// Gives the values at `places` (increasing) their slots at last: each holds a place in `slots`.
    /// Rows that had such values are sorted, and what has the same slot is added up.
    #[doc(hidden)] // for readers of files
    pub fn renumber(&mut self, places: &[usize], slots: &[u32]) {
        self.part_slots();
        for &place in places {
            self.index[place] = slots[self.index[place] as usize];
        }
        let (mut next, mut start, mut kept) = (0, 0, 0);
        for row in 0..self.ends.len() {
            let end = self.ends[row] as usize;
            if places.get(next).is_some_and(|&place| place < end) {
                kept = self.sort_into(start..end, kept);
                while places.get(next).is_some_and(|&place| place < end) {
                    next += 1;
                }
            } else {
                if kept != start {
                    self.index.copy_within(start..end, kept);
                    self.value.copy_within(start..end, kept);
                }
                kept += end - start;
            }
            start = end;
            self.ends[row] = kept as u64;
        }
        self.index.truncate(kept);
        self.value.truncate(kept);
        self.width = slots.iter().copied().fold(self.width, u32::max);
    }

    /// Adds values to finished rows. Those of each row end in `index` and `value` where `ends` says, their slots increase, and none is 0.
    /// What has the same slot is added up.
    pub fn merge(&mut self, ends: &[u64], index: &[u32], value: &[f32]) {
        debug_assert_eq!(ends.len(), self.ends.len());
        self.part_slots();
        let (mut from, mut more) = (self.finished(), index.len());
        let mut to = from + more;
        self.index.resize(to, 0);
        self.value.resize(to, 0.0);
        let mut twice = false;
        // from the end, so that nothing is overwritten that is still to be moved
        for row in (0..ends.len()).rev() {
            let start = if row == 0 { 0 } else { self.ends[row - 1] } as usize;
            let first = if row == 0 { 0 } else { ends[row - 1] } as usize;
            self.ends[row] = to as u64;
            while more > first {
                to -= 1;
                let slot = index[more - 1];
                if from > start && self.index[from - 1] > slot {
                    from -= 1;
                    (self.index[to], self.value[to]) = (self.index[from], self.value[from]);
                } else {
                    twice |= from > start && self.index[from - 1] == slot;
                    more -= 1;
                    (self.index[to], self.value[to]) = (slot, value[more]);
                    self.width = self.width.max(slot);
                }
            }
            self.index.copy_within(start..from, to - (from - start));
            self.value.copy_within(start..from, to - (from - start));
            to -= from - start;
            from = start;
        }
        if twice {
            self.add_up();
        }
    }

    /// Adds up what has the same slot in finished rows, whose slots do not decrease.
    fn add_up(&mut self) {
        let (mut start, mut kept) = (0, 0);
        for row in 0..self.ends.len() {
            let end = self.ends[row] as usize;
            kept = self.sort_into(start..end, kept);
            start = end;
            self.ends[row] = kept as u64;
        }
        self.index.truncate(kept);
        self.value.truncate(kept);
    }

    /// Keeps the first `rows` rows only.
    #[doc(hidden)] // for readers of files
    pub fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.slots_at.truncate(rows);
        self.label_ends.truncate(rows);
        self.lines.truncate(rows);
        self.weights.truncate(rows);
        self.abandon_row();
    }

    /// Drops the row being built, if one was begun.
    pub fn abandon_row(&mut self) {
        let (slots, values) = (self.finished_slots(), self.finished());
        self.index.truncate(slots);
        self.value.truncate(values);
        let labels = self.label_ends.last().map_or(0, |&end| end as usize);
        self.label_number.truncate(labels);
        self.text_ends.truncate(labels);
        let text = self.text_ends.last().map_or(0, |&end| end as usize);
        self.text.truncate(text);
        self.id_ends.truncate(self.ends.len());
        let ids = self.id_ends.last().map_or(0, |&end| end as usize);
        self.ids.truncate(ids);
        self.begin_row();
    }

    /// Appends all rows of a block, whose lines are counted from `first_line` of ours. Where neighbours have the same slots, as in a table
    /// without empty cells, they are kept once.
    pub fn append(&mut self, other: Block<'_>, first_line: u64) {
        let (values, labels) = (self.value.len() as u64, self.label_number.len() as u64);
        let (text, ids) = (self.text.len() as u64, self.ids.len() as u64);
        let rows = self.ends.len();
        self.ids.extend_from_slice(other.ids);
        self.id_ends.extend(other.id_ends.iter().map(|e| e + ids));
        self.append_slots(other);
        self.value.extend_from_slice(other.value);
        self.ends.extend(other.ends.iter().map(|e| e + values));
        self.lines
            .extend(other.lines.iter().map(|l| l + first_line));
        self.label_number.extend_from_slice(other.label_number);
        self.text.extend_from_slice(other.text);
        self.text_ends
            .extend(other.text_ends.iter().map(|e| e + text));
        self.label_ends
            .extend(other.label_ends.iter().map(|e| e + labels));
        if !other.weights.is_empty() || !self.weights.is_empty() {
            self.weights.resize(rows, 1.0);
            self.weights.extend_from_slice(other.weights);
            self.weights.resize(self.ends.len(), 1.0);
        }
        self.width = self.width.max(other.width);
    }
}
