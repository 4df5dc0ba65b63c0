//! The features that have occurred in rows: what a sum over all features so far runs over.

use crate::row::Row;
use crate::state::{State, StateError};

/// Which slots have occurred with a value other than 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Met {
    /// One bit per slot.
    bits: Vec<u64>,
    /// How many are set.
    count: u64,
}

impl Met {
    /// How many slots have occurred.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Whether slot 0, the constant feature, has.
    pub(crate) fn has_constant(&self) -> bool {
        self.bits.first().is_some_and(|word| word & 1 == 1)
    }

    /// Marks the features of a row.
    pub(crate) fn note(&mut self, x: Row<'_>) {
        let words = x.last_slot().map_or(0, |j| j as usize / 64 + 1);
        if words > self.bits.len() {
            self.bits.resize(words, 0);
        }
        for (j, v) in x.iter() {
            let fresh = v != 0.0 && self.bits[j / 64] >> (j % 64) & 1 == 0;
            if fresh {
                self.bits[j / 64] |= 1 << (j % 64);
                self.count += 1;
            }
        }
    }

    /// Whether it is about rows that reach to `slots` slots.
    pub(crate) fn fits(&self, slots: usize) -> bool {
        self.bits.len() == slots.div_ceil(64)
    }

    pub(crate) fn save<'a>(&'a self, out: &mut State<'a>) {
        out.put_u64("seen", &self.bits[..]);
    }

    pub(crate) fn load(from: &mut State<'static>) -> Result<Self, StateError> {
        let bits = from.take_u64("seen")?;
        let count = bits.iter().map(|word| u64::from(word.count_ones())).sum();
        Ok(Met { bits, count })
    }
}
