//! Whole numbers that are all distinct, as ids are.

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
    /// Some number is not whole, or comes twice.
    is_broken: bool,
}

impl NumberIds {
    /// The next number; none if it is not whole.
    pub(super) fn add(&mut self, number: Option<i64>) {
        if self.is_settled() {
            return;
        }
        let is_new = |number| self.distinct.insert(FixedState::default().hash_one(number));
        self.is_broken |= !number.is_some_and(is_new);
    }

    /// Whether no later number makes a difference.
    pub(super) fn is_settled(&self) -> bool {
        self.is_broken || self.distinct.len() >= ENOUGH
    }

    /// How many numbers were seen, if there are at least `least`, all whole and distinct.
    pub(super) fn count(&self, least: usize) -> Option<usize> {
        let count = self.distinct.len();
        (!self.is_broken && count >= least).then_some(count)
    }
}
