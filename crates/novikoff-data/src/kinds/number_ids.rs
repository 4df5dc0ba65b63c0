//! Whole numbers that are nearly all distinct, as ids are: some may have come twice.

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

    /// How many numbers were seen, and how many distinct ones, if there are at least `least`, all whole and 19 of 20 distinct.
    pub(super) fn count(&self, least: usize) -> Option<(usize, usize)> {
        let (numbers, distinct) = (self.numbers, self.distinct.len());
        let are_ids = !self.is_broken && numbers >= least && 20 * distinct >= 19 * numbers;
        are_ids.then_some((numbers, distinct))
    }
}
