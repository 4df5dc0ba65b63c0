//! How many times rows have words, before the words have values.

use serde::{Deserialize, Serialize};

/// The words of a column of text, row by row, by the slots of their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextCounts {
    /// The column.
    pub(crate) column: String,
    /// Where the words of each row end.
    ends: Vec<u32>,
    /// Slots, increasing in a row, and how many times the row has each.
    words: Vec<(u32, u32)>,
}

impl TextCounts {
    /// Of no rows.
    pub(crate) fn new(column: String) -> Self {
        TextCounts {
            column,
            ends: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Adds words to the row being built, in the order of their slots.
    pub(crate) fn extend(&mut self, words: impl Iterator<Item = (u32, u32)>) {
        self.words.extend(words);
    }

    /// Ends the row being built.
    pub(crate) fn end_row(&mut self) {
        self.ends.push(self.words.len() as u32);
    }

    /// The words of a row.
    pub(crate) fn row(&self, row: usize) -> &[(u32, u32)] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.words[start as usize..self.ends[row] as usize]
    }

    /// The words of all rows.
    pub(crate) fn words(&self) -> &[(u32, u32)] {
        &self.words
    }

    /// Whether they are those of so many rows, in order, each there at least once.
    pub(crate) fn are_of(&self, rows: usize) -> bool {
        let whole = self.ends.len() == rows
            && self.ends.is_sorted()
            && self.ends.last().map_or(0, |&end| end as usize) == self.words.len();
        let in_order = |row| self.row(row).is_sorted_by(|a, b| a.0 < b.0);
        whole && (0..rows).all(in_order) && self.words.iter().all(|&(_, times)| times > 0)
    }
}
