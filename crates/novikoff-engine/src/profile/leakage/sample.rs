//! The rows that are looked at to find columns that predict the label.
//!
//! Of a stream these are the first rows. If the first rows come sorted by label, or nearly all have the same label, some rows of the labels that they
//! lack follow, from wherever these are met. Of rows that are held it is a sample that is spread over all of them.

use std::collections::HashMap;

use novikoff::label::RawLabel;
use novikoff::random::SplitMix64;
use novikoff::rows::{Block, Rows};

use super::LEAST;
use crate::rows::HeldRows;

/// How many of the first rows of a stream are looked at.
const FIRST: usize = 2000;

/// How many rows of a stream are looked at in all, if the first rows are not enough,
const MOST: usize = 6000;

/// and how many rows of a label that the first rows lack.
const PER_LABEL: u64 = 500;

/// How many rows are looked at of those that are held.
const SPREAD: usize = 10_000;

/// More values than these are not kept: those are not the rows of a table with few columns.
const VALUES: usize = 1 << 20;

/// The rows that are looked at, with their labels.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // none of these facts follows from the others
pub(in crate::profile) struct Sample {
    pub(super) rows: Rows,
    /// By row: the place of its label.
    pub(super) places: Vec<u32>,
    /// The labels met, and how many rows of the sample have each.
    pub(super) labels: Vec<(String, u64)>,
    by_text: HashMap<Vec<u8>, u32>,
    /// Some row has no label, or several.
    pub(super) is_unclear: bool,
    /// The rows are not the first of the data.
    pub(super) is_spread: bool,
    /// The first rows were met, and all rows that are wanted.
    is_past_first: bool,
    is_done: bool,
    runs: u64,
    /// The text of a label that enough rows have.
    enough: Vec<u8>,
}

impl Sample {
    /// Whether these are all rows of the data.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_spread && !self.is_past_first
    }

    /// Takes a sample of rows that are held.
    pub(super) fn held(&mut self, held: &HeldRows) {
        if held.schema.table.is_none() || held.is_empty() {
            return;
        }
        let rows = held.len();
        let values: usize = held.blocks().map(|block| block.values()).sum();
        let fit = (VALUES as f64 / values.max(1) as f64 * rows as f64) as usize;
        let wanted = rows.min(SPREAD).min(fit.max(1));
        self.is_spread = wanted < rows;
        let mut random = SplitMix64::new(0);
        // one row of each of as many stretches as rows are wanted
        for k in 0..wanted {
            let (from, to) = (k * rows / wanted, (k + 1) * rows / wanted);
            let (block, place) = held.at(from + random.below(to - from));
            let Some(label) = only_label(block, place) else {
                self.is_unclear = true;
                return;
            };
            let label = self.place(label);
            self.add(block, place, label);
        }
        self.is_done = true;
    }

    /// Some rows whose labels are quantities, which are no labels here.
    pub(in crate::profile) fn of_quantities(held: &HeldRows, rows: &[usize]) -> Self {
        let mut sample = Sample {
            labels: vec![(String::new(), 0)],
            ..Sample::default()
        };
        for &row in rows {
            let (block, place) = held.at(row);
            sample.add(block, place, 0);
        }
        sample
    }

    /// Looks at the next rows of a stream.
    pub(super) fn block(&mut self, block: Block<'_>) {
        for row in 0..block.len() {
            if self.is_done || self.is_unclear {
                return;
            }
            let Some(label) = only_label(block, row) else {
                self.is_unclear = !self.is_past_first;
                continue;
            };
            if self.is_past_first {
                self.next(block, row, label);
            } else {
                self.first(block, row, label);
            }
        }
    }

    /// One of the first rows of a stream.
    fn first(&mut self, block: Block<'_>, row: usize, label: RawLabel<'_>) {
        let place = self.place(label);
        self.runs += u64::from(self.places.last() != Some(&place));
        self.add(block, row, place);
        if self.rows.len() == FIRST || self.rows.values() >= VALUES {
            self.is_past_first = true;
            self.is_done = self.is_mixed();
        }
    }

    /// A later row of a stream.
    fn next(&mut self, block: Block<'_>, row: usize, label: RawLabel<'_>) {
        if label.text() == self.enough {
            return;
        }
        let text = label.text();
        let place = self.place(label);
        if self.labels[place as usize].1 >= PER_LABEL {
            self.enough.clear();
            self.enough.extend_from_slice(text);
            return;
        }
        self.add(block, row, place);
        self.is_spread = true;
        self.is_done = self.rows.len() >= MOST || self.rows.values() >= 2 * VALUES;
    }

    fn add(&mut self, block: Block<'_>, row: usize, place: u32) {
        self.rows.copy_row(block, row);
        self.places.push(place);
        self.labels[place as usize].1 += 1;
    }

    /// The place of a label. Labels that differ in case or blanks are meant to be one.
    fn place(&mut self, label: RawLabel<'_>) -> u32 {
        let text = label.text().trim_ascii().to_ascii_lowercase();
        if let Some(&place) = self.by_text.get(&text) {
            return place;
        }
        let place = self.labels.len() as u32;
        let name = String::from_utf8_lossy(label.text()).into_owned();
        self.labels.push((name, 0));
        self.by_text.insert(text, place);
        place
    }

    /// Whether the first rows say enough of those that follow: several labels have enough rows, and they do not come sorted.
    fn is_mixed(&self) -> bool {
        let several = self.labels.iter().filter(|(_, rows)| *rows >= LEAST);
        let n = self.rows.len() as f64;
        let square = |(_, rows): &(String, u64)| (*rows as f64 / n) * (*rows as f64 / n);
        let expected = 1.0 + n * (1.0 - self.labels.iter().map(square).sum::<f64>());
        several.count() > 1 && 10.0 * self.runs as f64 >= expected
    }
}

/// The label of a row that has one and no other.
fn only_label(block: Block<'_>, row: usize) -> Option<RawLabel<'_>> {
    let mut labels = block.labels(row);
    let first = labels.next();
    first.filter(|_| labels.next().is_none())
}

#[cfg(test)]
mod tests {
    use novikoff::label::RawLabel;
    use novikoff::rows::Rows;

    use super::{FIRST, MOST, PER_LABEL, Sample};

    fn of(labels: impl IntoIterator<Item = usize>) -> Sample {
        let mut rows = Rows::new();
        for label in labels {
            let text = format!("c{label}");
            rows.push_label(f64::NAN, RawLabel::from(text.as_str()).text());
            rows.push(1, 1.0);
            rows.end_row(0);
        }
        let mut sample = Sample::default();
        sample.block(rows.view());
        sample
    }

    fn counts(sample: &Sample) -> Vec<u64> {
        sample.labels.iter().map(|(_, rows)| *rows).collect()
    }

    #[test]
    fn the_first_rows_are_enough_unless_they_come_sorted() {
        let mixed = of((0..5000).map(|k| k % 2));
        assert!(mixed.is_done && !mixed.is_spread);
        assert_eq!(counts(&mixed), [1000, 1000]);
        // the second label begins after the first rows
        let sorted = of((0..5000).map(|k| k / 3000));
        assert!(sorted.is_spread);
        assert_eq!(counts(&sorted), [FIRST as u64, PER_LABEL]);
        // a third label begins there
        let sorted = of((0..5000).map(|k| k / 1000 % 3));
        assert_eq!(counts(&sorted), [1000, 1000, PER_LABEL]);
        let rare = of((0..9000).map(|k| usize::from(k % 1000 == 7)));
        // two of the rare ones are among the first rows
        assert_eq!(counts(&rare), [FIRST as u64 - 2, 9]);
        let many = of(0..9000);
        assert_eq!((many.rows.len(), many.is_done), (MOST, true));
    }
}
