//! Whole numbers that are nearly all distinct, as ids are, or of which few rows have the same: an id may come several times.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

/// This many numbers are looked at.
const ENOUGH: usize = 500;

/// What was seen of the first numbers of a column.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberIds {
    /// Hashes of the numbers.
    distinct: HashSet<u64, FixedState>,
    numbers: usize,
    /// Some number is not whole.
    is_broken: bool,
}

impl NumberIds {
    /// The next number; none if it is not whole.
    pub(super) fn add(&mut self, number: Option<i64>) {
        if self.is_settled() {
            return;
        }
        self.numbers += 1;
        match number {
            Some(number) => {
                self.distinct.insert(FixedState::default().hash_one(number));
            }
            None => self.is_broken = true,
        }
    }

    /// Whether no later number makes a difference.
    pub(super) fn is_settled(&self) -> bool {
        self.is_broken || self.numbers >= ENOUGH
    }

    /// How many numbers were seen, and how many distinct ones, if there are at least `least`, all whole, and 19 of 20 are distinct or few rows have
    /// the same.
    pub(super) fn count(&self, least: usize) -> Option<(usize, usize)> {
        let (numbers, distinct) = (self.numbers, self.distinct.len());
        let are_ids = !self.is_broken
            && numbers >= least
            && (20 * distinct >= 19 * numbers || repeat_like_ids(numbers, distinct));
        are_ids.then_some((numbers, distinct))
    }
}

/// Ids that come several times: at least this many distinct ones,
const REPEATED: usize = 50;

/// and on average in at most this many rows.
const ROWS_PER_ID: usize = 20;

/// Whether so many distinct values of some rows look like ids that come several times.
pub(super) fn repeat_like_ids(rows: usize, distinct: usize) -> bool {
    distinct >= REPEATED && ROWS_PER_ID * distinct >= rows
}
