//! Whether a feature is a thousand times as large as another: the root mean square of its values that are not 0, over the first rows.
//!
//! Zeros are left out, so that a rare 0/1 feature is as large as a frequent one. Of tables only number columns are compared, but for ids and row numbers,
//! which are to be left out; of other data all features, if most of them have a value in most rows.

use novikoff::remark::{Remark, Scale};
use novikoff::rows::Block;
use novikoff::schema::Schema;
use novikoff_data::kinds::is_id_name;

use crate::rows::HeldRows;

/// How many rows are looked at.
const ROWS: usize = 2000;

/// The highest slot that is looked at.
const SLOTS: usize = 1 << 16;

/// Features that differ by this factor are remarked on.
const FACTOR: f64 = 1000.0;

/// Fewer values than this are not called row numbers.
const ROW_NUMBERS: u32 = 100;

/// Values of one feature.
#[derive(Clone, Copy, Debug, Default)]
struct Values {
    squares: f64,
    count: u32,
    first: f64,
    last: f64,
    /// Whole values that are larger than the last, and smaller.
    rises: u32,
    falls: u32,
}

impl Values {
    fn add(&mut self, value: f64) {
        self.squares += value * value;
        self.count += 1;
        if self.count == 1 {
            self.first = value;
        } else if value.fract() == 0.0 {
            self.rises += u32::from(value > self.last);
            self.falls += u32::from(value < self.last);
        }
        self.last = value;
    }

    /// Whether these look like row numbers: whole, of many rows, rising or falling all the way, and at least half of those between are there.
    fn are_row_numbers(&self) -> bool {
        let steps = self.count.saturating_sub(1);
        self.count >= ROW_NUMBERS
            && self.rises.max(self.falls) == steps
            && (self.last - self.first).abs() < 2.0 * f64::from(self.count)
    }
}

/// The sizes of features over the first rows.
#[derive(Debug, Default)]
pub(crate) struct Scales {
    rows: usize,
    /// By slot.
    values: Vec<Values>,
    /// All values, of whatever slot, but for the constant feature.
    count: u64,
    width: u32,
}

impl Scales {
    /// Adds the next rows.
    pub(crate) fn block(&mut self, block: Block<'_>) {
        for row in 0..block.len().min(ROWS - self.rows) {
            self.rows += 1;
            for (slot, value) in block.row(row).iter().filter(|(slot, _)| *slot > 0) {
                self.count += 1;
                self.width = self.width.max(slot as u32);
                if slot >= SLOTS || value == 0.0 {
                    continue;
                }
                if slot >= self.values.len() {
                    self.values.resize(slot + 1, Values::default());
                }
                self.values[slot].add(value);
            }
        }
    }

    /// The first of rows that are held.
    pub(crate) fn of(held: &HeldRows) -> Self {
        let mut scales = Scales::default();
        scales.held(held);
        scales
    }

    pub(super) fn held(&mut self, held: &HeldRows) {
        for block in held.blocks() {
            if self.rows == ROWS {
                break;
            }
            self.block(block);
        }
    }

    /// The features that are compared, by slot.
    fn compared(&self, schema: &Schema) -> Vec<usize> {
        match schema.numbers() {
            Some(slots) => {
                let slots = slots.into_iter().map(|slot| slot as usize);
                slots.filter(|&slot| !self.is_id(slot, schema)).collect()
            }
            _ if 2 * self.count < self.rows as u64 * u64::from(self.width) => Vec::new(),
            _ => (1..self.values.len()).collect(),
        }
    }

    /// Whether a number of a table looks like an id or a row number.
    fn is_id(&self, slot: usize, schema: &Schema) -> bool {
        let is_number = self.values.get(slot).is_some_and(Values::are_row_numbers);
        is_number || schema.names.name(slot as u32).is_some_and(is_id_name)
    }

    /// Whether there are features whose size says something.
    pub(crate) fn compares(&self, schema: &Schema) -> bool {
        !self.compared(schema).is_empty()
    }

    pub(crate) fn remark(&self, schema: &Schema) -> Option<Remark> {
        let mut least: Option<(usize, f64)> = None;
        let mut most: Option<(usize, f64)> = None;
        for slot in self.compared(schema) {
            let Some(values) = self.values.get(slot).filter(|values| values.count > 0) else {
                continue;
            };
            let size = (values.squares / f64::from(values.count)).sqrt();
            if least.is_none_or(|(_, other)| size < other) {
                least = Some((slot, size));
            }
            if most.is_none_or(|(_, other)| size > other) {
                most = Some((slot, size));
            }
        }
        // the words of a text are at most 1
        if schema.has_words() && least.is_some_and(|(_, least)| least > 1.0) {
            least = Some((0, 1.0));
        }
        let ((small, least), (large, most)) = (least?, most?);
        let scale = |slot: usize, size| Scale {
            feature: match schema.names.name(slot as u32) {
                None if slot == 0 => "the words of the texts".to_owned(),
                Some(name) => name.to_owned(),
                None => format!("feature {}", slot - usize::from(schema.zero_based)),
            },
            size,
        };
        (most >= FACTOR * least).then(|| Remark::Scales {
            large: scale(large, most),
            small: scale(small, least),
        })
    }
}

#[cfg(test)]
mod tests {
    use novikoff::remark::Remark;
    use novikoff::rows::Rows;
    use novikoff::schema::Schema;

    use super::Scales;

    fn remark(rows: &[&[f32]]) -> Option<Remark> {
        let mut list = Rows::new();
        for row in rows {
            list.push(0, 1e9); // the constant feature is no feature of the data
            for (slot, &value) in (1..).zip(*row) {
                if value != 0.0 {
                    list.push(slot, value);
                }
            }
            list.end_row(0);
        }
        let mut scales = Scales::default();
        scales.block(list.view());
        scales.remark(&Schema::default())
    }

    #[test]
    fn a_thousand_times() {
        let Some(Remark::Scales { large, small }) = remark(&[&[3.0, -4004.0], &[-4.0, 3003.0]])
        else {
            panic!("there is one");
        };
        assert_eq!(
            (large.feature.as_str(), small.feature.as_str()),
            ("feature 2", "feature 1")
        );
        assert!((large.size / small.size - 1001.0).abs() < 1e-9);
        assert!(remark(&[&[3.0, -4000.0], &[-4.0, 2999.0]]).is_none());
    }

    #[test]
    fn zeros_say_nothing_of_a_size() {
        // 1 in one of many rows, beside 50 in all
        let mut rows: Vec<&[f32]> = vec![&[0.0, 50.0]; 999];
        rows.push(&[1.0, 50.0]);
        assert!(remark(&rows).is_none());
    }

    #[test]
    fn sparse_rows_are_not_compared() {
        let rows: [&[f32]; 2] = [&[0.0, 0.0, 0.0, 1e6], &[1.0, 0.0, 0.0, 0.0]];
        assert!(remark(&rows).is_none());
    }
}
