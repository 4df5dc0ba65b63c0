//! How many rows with words are copies of earlier ones, estimated for all rows of the data.
//!
//! The values of words change while a text is read, so texts are equal if they have the same words; numbers beside them must be equal too. The rows
//! whose hashes are lowest are a random sample of all distinct rows, and how often each came tells the share of copies. Empty texts are no
//! copies of each other.

use std::collections::BTreeMap;

use novikoff::rows::Block;

use super::copies::{self, mixed};
use crate::rows::HeldRows;

/// Distinct rows that are kept.
const KEPT: usize = 256;

/// Fewer than this say nothing.
const LEAST: usize = 8;

/// A sample of the rows, with how often each came, by the hash of what it holds.
#[derive(Debug, Default)]
pub(super) struct TextCopies {
    lowest: BTreeMap<u64, u64>,
}

impl TextCopies {
    pub(super) fn held(&mut self, held: &HeldRows) {
        let numbers = held.schema.numbers().unwrap_or_default();
        for block in held.blocks() {
            self.block(block, &numbers);
        }
    }

    /// Adds rows; the slots of their numbers rise.
    pub(super) fn block(&mut self, block: Block<'_>, numbers: &[u32]) {
        let is_empty = |row: &usize| copies::is_empty(block, *row);
        for row in (0..block.len()).filter(|row| !is_empty(row)) {
            let cells = block.row(row).iter().map(|(slot, value)| {
                let is_number = numbers.binary_search(&(slot as u32)).is_ok();
                let bits = if is_number {
                    (value as f32).to_bits()
                } else {
                    0
                };
                u64::from(bits) << 32 | slot as u64
            });
            self.add(cells.fold(0, mixed));
        }
    }

    fn add(&mut self, hash: u64) {
        let last = self.lowest.last_key_value().map_or(0, |(last, _)| *last);
        if self.lowest.len() >= KEPT && hash > last {
            return;
        }
        *self.lowest.entry(hash).or_default() += 1;
        if self.lowest.len() > KEPT {
            self.lowest.pop_last();
        }
    }

    /// About the share of all rows that are equal to an earlier one; none of too few rows.
    pub(super) fn share(&self) -> Option<f64> {
        let (rows, distinct) = (self.lowest.values().sum::<u64>(), self.lowest.len());
        (distinct >= LEAST).then(|| 1.0 - distinct as f64 / rows as f64)
    }
}
