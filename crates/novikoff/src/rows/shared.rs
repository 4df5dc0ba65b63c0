//! Slots that neighbouring rows share: a table without empty cells takes four bytes a value instead of eight.

use std::borrow::Cow;

use super::{Block, Rows};

/// How many neighbours of a block are compared to learn whether its rows share slots.
const SAMPLE: usize = 16;

impl<'a> Block<'a> {
    /// The slot of each value, beside [`value`](Self::value); a copy if rows share slots.
    pub fn slots_of_values(&self) -> Cow<'a, [u32]> {
        if self.slots_at.is_empty() {
            return Cow::Borrowed(self.index);
        }
        let mut slots = Vec::with_capacity(self.value.len());
        (0..self.len()).for_each(|i| slots.extend_from_slice(self.slots(i)));
        Cow::Owned(slots)
    }

    /// Whether half of the slots, by a sample, are those of the row before, and are more than the places of slots (two each) would take.
    fn repeats_slots(&self) -> bool {
        if !self.slots_at.is_empty() {
            return true;
        }
        // odd, so that rows that take turns are met in turn
        let step = (self.len() / SAMPLE) | 1;
        let (mut rows, mut all, mut same) = (0, 0, 0);
        for i in (1..self.len()).step_by(step) {
            let (before, slots) = (self.slots(i - 1), self.slots(i));
            rows += 1;
            all += slots.len();
            same += if before == slots { slots.len() } else { 0 };
        }
        2 * same >= all && same > 2 * rows
    }
}

impl Rows {
    /// If neighbours have the same slots, they share them, and rows to come do.
    #[doc(hidden)] // for rows that are kept as they are made
    pub fn share_repeated_slots(&mut self) {
        if self.slots_at.is_empty() && self.view().repeats_slots() {
            let rows = self.clone();
            self.clear();
            self.append(rows.view(), 0);
        }
    }

    /// From here on, finished rows share slots with the row before them.
    pub(super) fn share_slots(&mut self) {
        if self.slots_at.is_empty() {
            let starts = std::iter::once(0).chain(self.ends.iter().copied());
            self.slots_at.extend(starts.take(self.ends.len()));
        }
    }

    /// Slots lie beside their values again. No row is being built.
    pub(super) fn part_slots(&mut self) {
        if !self.slots_at.is_empty() {
            self.index = self.view().slots_of_values().into_owned();
            self.slots_at.clear();
        }
    }

    /// The slots of the row being built, which ends, are those of the row before, or their own.
    #[inline]
    pub(super) fn end_slots(&mut self) {
        if self.slots_at.is_empty() {
            return;
        }
        let at = self.finished_slots();
        let before = self.slots_at.last().map_or(at, |&before| before as usize);
        let (finished, slots) = self.index.split_at(at);
        if finished[before..] == *slots {
            self.index.truncate(at);
            self.slots_at.push(before as u64);
        } else {
            self.slots_at.push(at as u64);
        }
    }

    /// Appends the slots of a block, before all else of it.
    pub(super) fn append_slots(&mut self, block: Block<'_>) {
        if self.slots_at.is_empty() && !block.repeats_slots() {
            self.index.extend_from_slice(block.index);
            return;
        }
        self.share_slots();
        let mut before = self.slots_at.last().map_or(0, |&at| at as usize);
        for i in 0..block.len() {
            let slots = block.slots(i);
            if self.index[before..] != *slots {
                before = self.index.len();
                self.index.extend_from_slice(slots);
            }
            self.slots_at.push(before as u64);
        }
    }
}
