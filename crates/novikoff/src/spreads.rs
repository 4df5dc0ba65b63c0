//! Where the numbers of a table lie: their means and deviations in training, kept also where nothing is standardised, so that a unit is noticed that
//! changed.
//!
//! They are those of the first rows, and of one in some rows after these: rows may come in the order of time, and the first ones say little of the others.

use crate::by_slot;
use crate::rows::Block;

/// All of the first rows are looked at,
const FIRST: u64 = 2000;

/// and one row in this number after them.
const EVERY: u64 = 16;

/// Fewer rows than this say nothing.
const FEWEST: u64 = 100;

/// The sums of the values of a feature, and of their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    sum: f64,
    squares: f64,
}

/// Means and deviations of features in some of the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spreads {
    /// How many rows there were, and how many were looked at.
    seen: u64,
    rows: u64,
    /// By slot.
    slots: Vec<Sums>,
}

impl Spreads {
    /// How many rows were looked at.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The highest slot that has values.
    pub fn highest(&self) -> u32 {
        self.slots.len().saturating_sub(1) as u32
    }

    /// Adds the next rows, up to a slot.
    pub fn block(&mut self, block: Block<'_>, highest: u32) {
        for row in 0..block.len() {
            self.seen += 1;
            if self.seen > FIRST && !self.seen.is_multiple_of(EVERY) {
                continue;
            }
            self.rows += 1;
            let (_, stored) = block.row(row).stored();
            for (slot, value) in stored.take_while(|(slot, _)| *slot <= highest) {
                let value = f64::from(value);
                let sums = by_slot::at(&mut self.slots, slot);
                sums.sum += value;
                sums.squares += value * value;
            }
        }
    }

    /// The mean of a feature and the inverse of its deviation; none of too few rows, or of values that do not vary.
    pub fn of_slot(&self, slot: u32) -> Option<(f64, f64)> {
        let sums = self.slots.get(slot as usize)?;
        let rows = self.rows.max(1) as f64;
        let mean = sums.sum / rows;
        let variance = sums.squares / rows - mean * mean;
        let varies = variance > 1e-9 * mean * mean && variance.is_finite();
        (self.rows >= FEWEST && varies).then(|| (mean, 1.0 / variance.sqrt()))
    }

    /// Those of these slots alone, which increase.
    #[must_use]
    pub fn only(&self, slots: &[u32]) -> Self {
        Spreads {
            slots: by_slot::only(&self.slots, slots),
            ..*self
        }
    }

    /// What is kept of it: how many rows there were, how many were looked at, and of each slot that has values their sum and that of their squares.
    pub fn parts(&self) -> (u64, u64, Vec<(u32, f64, f64)>) {
        let slots = self.slots.iter().enumerate();
        let slots = slots.filter(|(_, sums)| sums.squares > 0.0);
        let slots = slots.map(|(slot, sums)| (slot as u32, sums.sum, sums.squares));
        (self.seen, self.rows, slots.collect())
    }

    /// What was kept, of slots up to the highest; none if it can be none.
    pub fn restore(
        (seen, rows, slots): (u64, u64, Vec<(u32, f64, f64)>),
        highest: u32,
    ) -> Option<Self> {
        let is_sound = rows <= seen
            && slots
                .iter()
                .all(|(_, sum, squares)| sum.is_finite() && squares.is_finite() && *squares > 0.0);
        let slots = slots.into_iter();
        let slots = slots.map(|(slot, sum, squares)| (slot, Sums { sum, squares }));
        let slots = by_slot::restore(slots, highest).filter(|_| is_sound)?;
        Some(Spreads { seen, rows, slots })
    }
}

#[cfg(test)]
mod tests {
    use super::Spreads;
    use crate::rows::Rows;

    fn rows(values: impl Iterator<Item = f32>) -> Rows {
        let mut rows = Rows::new();
        for value in values {
            rows.push(2, value);
            rows.end_row(0);
        }
        rows
    }

    #[test]
    fn mean_and_deviation() {
        let all = rows((0..400).map(|k| [60.0, 80.0][k % 2]));
        let mut spreads = Spreads::default();
        spreads.block(all.view(), 9);
        assert_eq!(spreads.of_slot(2), Some((70.0, 0.1)));
        assert_eq!((spreads.of_slot(1), spreads.of_slot(3)), (None, None));
        assert_eq!(spreads.only(&[2]), spreads);
        assert_eq!(Spreads::restore(spreads.parts(), 9), Some(spreads.clone()));
        assert_eq!(Spreads::restore(spreads.parts(), 1), None);
        let mut few = Spreads::default();
        few.block(rows((0..99).map(|k| k as f32)).view(), 9);
        assert_eq!(few.of_slot(2), None);
        let mut constant = Spreads::default();
        constant.block(rows((0..200).map(|_| 7.3)).view(), 9);
        assert_eq!(constant.of_slot(2), None);
    }

    #[test]
    fn later_rows_count_too() {
        // a year that rises, and blocks of any length
        let all = rows((0..100_000).map(|k| 2000.0 + k as f32 / 5000.0));
        let mut one = Spreads::default();
        one.block(all.view(), 9);
        let (mean, scale) = one.of_slot(2).expect("enough rows");
        assert!(mean > 2005.0 && 1.0 / scale > 5.0, "{mean} {scale}");
        let (mut two, mut at) = (Spreads::default(), 0);
        for length in [1, 1999, 500, 97_500] {
            let part = rows((at..at + length).map(|k| 2000.0 + k as f32 / 5000.0));
            two.block(part.view(), 9);
            at += length;
        }
        assert_eq!(one, two);
    }
}
