//! How large the numbers of a table are: the geometric mean of the sizes of their values other than 0, over the first rows of training.
//!
//! A single odd value hardly moves it, and a unit that changes does. The logarithm is that of the bits of an `f32`, linear between powers of
//! two: at most 6% off, and the same on every machine.
//!
//! Where labels are quantities, slot 0, which is no feature of a table, has their sizes.

use crate::by_slot;
use crate::rows::Block;
use crate::spreads::Spreads;

/// How many rows are looked at.
pub const ROWS: u64 = 2000;

/// Fewer values than this say nothing.
const FEWEST: u64 = 30;

/// Values of one feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Values {
    /// How many are not 0, and the sum of their bits, without the sign.
    count: u64,
    bits: u64,
}

impl Values {
    fn size(self) -> Option<f64> {
        let mean = self.bits as f64 / self.count as f64;
        (self.count >= FEWEST).then(|| libm::exp2(mean / f64::from(1 << 23) - 127.0))
    }
}

/// The sizes of features over the first rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizes {
    rows: u64,
    /// By slot.
    values: Vec<Values>,
    /// Where the numbers lie, of more rows.
    pub spreads: Spreads,
}

impl Sizes {
    /// How many rows were looked at.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds the next rows of those that are looked at, up to a slot.
    pub fn block(&mut self, block: Block<'_>, highest: u32) {
        let rows = block.len().min((ROWS - self.rows.min(ROWS)) as usize);
        for row in 0..rows {
            let (_, stored) = block.row(row).stored();
            let stored = stored.take_while(|(slot, _)| *slot <= highest);
            for (slot, value) in stored.filter(|(slot, value)| *slot > 0 && *value != 0.0) {
                let values = by_slot::at(&mut self.values, slot);
                values.count += 1;
                values.bits += u64::from(value.abs().to_bits());
            }
        }
        self.rows += rows as u64;
    }

    /// Adds labels that are quantities; no more than [`ROWS`] in all if the sizes are to be kept.
    pub fn labels(&mut self, labels: impl Iterator<Item = f64>) {
        let own = by_slot::at(&mut self.values, 0);
        let sizes = labels.map(|label| (label.abs() as f32).min(f32::MAX));
        for size in sizes.filter(|size| *size > 0.0) {
            own.count += 1;
            own.bits += u64::from(size.to_bits());
        }
        self.rows = self.rows.max(own.count);
    }

    /// The size of labels that are quantities; none of too few.
    pub fn of_labels(&self) -> Option<f64> {
        self.of_slot(0)
    }

    /// The highest slot that has values.
    pub fn highest(&self) -> u32 {
        self.values.len().saturating_sub(1) as u32
    }

    /// The size of a feature; none of too few values.
    pub fn of_slot(&self, slot: u32) -> Option<f64> {
        self.values.get(slot as usize)?.size()
    }

    /// The sizes of these slots alone, which increase.
    #[must_use]
    pub fn only(&self, slots: &[u32]) -> Self {
        Sizes {
            rows: self.rows,
            values: by_slot::only(&self.values, slots),
            spreads: self.spreads.only(slots),
        }
    }

    /// What is kept of it: how many rows, and of each slot that has values how many, and the sum of their bits.
    pub fn parts(&self) -> (u64, Vec<(u32, u64, u64)>) {
        let slots = self.values.iter().enumerate();
        let slots = slots.filter(|(_, values)| values.count > 0);
        let slots = slots.map(|(slot, values)| (slot as u32, values.count, values.bits));
        (self.rows, slots.collect())
    }

    /// The sizes that were kept, of slots up to the highest; none if they can be none.
    pub fn restore((rows, slots): (u64, Vec<(u32, u64, u64)>), highest: u32) -> Option<Self> {
        let is_sound = rows <= ROWS
            && slots.iter().all(|&(_, count, bits)| {
                (1..=rows).contains(&count) && u32::try_from(bits / count).is_ok()
            });
        let slots = slots.into_iter();
        let slots = slots.map(|(slot, count, bits)| (slot, Values { count, bits }));
        Some(Sizes {
            rows,
            values: by_slot::restore(slots, highest).filter(|_| is_sound)?,
            spreads: Spreads::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ROWS, Sizes};
    use crate::random::SplitMix64;
    use crate::rows::Rows;

    fn rows(n: usize, unit: f32, odd: Option<f32>) -> Rows {
        let mut random = SplitMix64::new(7);
        let mut rows = Rows::new();
        for k in 0..n {
            // nearly normal
            let value = (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
            let value = value as f32 * unit;
            rows.push(3, odd.filter(|_| k == 5).unwrap_or(value));
            rows.end_row(0);
        }
        rows
    }

    fn size(rows: &Rows) -> f64 {
        let mut sizes = Sizes::default();
        sizes.block(rows.view(), 9);
        sizes.of_slot(3).expect("enough values")
    }

    #[test]
    fn a_unit_changes_it_and_an_odd_value_does_not() {
        let one = size(&rows(500, 1.0, None));
        // the geometric mean of a normal variable's size: exp(-(gamma + ln 2) / 2)
        assert!((one / 0.53 - 1.0).abs() < 0.15, "{one}");
        let thousand = size(&rows(500, 1000.0, None));
        assert!((thousand / one / 1000.0 - 1.0).abs() < 0.1, "{thousand}");
        let odd = size(&rows(500, 1.0, Some(1e12)));
        assert!((odd / one - 1.0).abs() < 0.1, "{odd}");
        let mut few = Sizes::default();
        few.block(rows(20, 1.0, None).view(), 9);
        assert_eq!(few.of_slot(3), None);
    }

    #[test]
    fn rows_that_come_in_runs_are_the_first_ones_all_the_same() {
        let all = rows(3000, 1.0, None);
        let mut one = Sizes::default();
        one.block(all.view(), 9);
        assert_eq!(one.rows(), ROWS);
        let mut two = Sizes::default();
        two.block(rows(700, 1.0, None).view(), 9);
        let mut two = Sizes::restore(two.parts(), 9).expect("sound");
        let mut rest = Rows::new();
        for i in 700..3000 {
            rest.copy_row(all.view(), i);
        }
        two.block(rest.view(), 9);
        assert_eq!(one, two);
        assert_eq!(one.only(&[3]), one);
        assert_eq!(Sizes::restore((2, vec![(9, 3, 1)]), 9), None);
        assert_eq!(Sizes::restore((5, vec![(10, 3, 1)]), 9), None);
    }
    #[test]
    fn labels_have_a_size_of_their_own() {
        let mut sizes = Sizes::default();
        sizes.block(rows(500, 1.0, None).view(), 9);
        let before = sizes.of_slot(3);
        sizes.labels((0..400).map(|k| if k % 4 == 0 { 0.0 } else { -250.0 }));
        let size = sizes.of_labels().expect("enough labels");
        assert!((size / 250.0 - 1.0).abs() < 0.06, "{size}");
        assert_eq!(sizes.of_slot(3), before);
        let kept = Sizes::restore(sizes.parts(), 9).expect("sound");
        assert_eq!(kept, sizes);
        let mut alone = Sizes::default();
        alone.labels((0..40).map(f64::from));
        assert_eq!(Sizes::restore(alone.parts(), 0), Some(alone));
    }
}
