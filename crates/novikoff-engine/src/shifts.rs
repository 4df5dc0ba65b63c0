//! Whether the features of rows have the means that a model standardises them with.
//!
//! The distance of a feature is the mean, over the rows, of its standardised value, which is cut off at 10 standard deviations so that a single
//! odd cell does not decide.

use novikoff::remark::{Remark, Shift, TableRemark};
use novikoff::rows::Block;
use novikoff::schema::Schema;

/// Rows that are looked at.
const ROWS: u64 = 20_000;

/// Fewer rows say nothing.
const FEWEST: u64 = 30;

/// Features farther than this many standard deviations from their mean in training are named.
const FAR: f64 = 3.0;

/// One cell counts at most this many standard deviations.
const MOST: f64 = 10.0;

/// How many features a remark names.
const NAMED: usize = 3;

/// Sums of the values of standardised features.
#[derive(Debug, Default)]
pub(crate) struct Shifts {
    rows: u64,
    /// By slot: mean and inverse deviation in training, the sum of values, and of standardised values beside those of zeros.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    mean: f64,
    scale: f64,
    sum: f64,
    distance: f64,
}

impl Slot {
    /// The standardised value, cut off.
    fn standardized(&self, value: f64) -> f64 {
        ((value - self.mean) * self.scale).clamp(-MOST, MOST)
    }
}

impl Shifts {
    /// Adds a block of rows for a model of this schema.
    pub(crate) fn block(&mut self, block: Block<'_>, schema: &Schema) {
        let Some(moments) = schema.preparation.standardize.as_deref() else {
            return;
        };
        if self.slots.is_empty() {
            let highest = match moments.slots() {
                Some(slots) => slots.last().map_or(0, |&slot| slot as usize),
                None => moments.mean().len() - 1,
            };
            let slot = |slot: usize| {
                let (mean, scale) = moments.of_slot(slot as u32).unwrap_or_default();
                Slot {
                    mean,
                    scale,
                    ..Slot::default()
                }
            };
            self.slots = (0..=highest).map(slot).collect();
        }
        let rows = block.len().min(ROWS.saturating_sub(self.rows) as usize);
        for x in (0..rows).map(|row| block.row(row)) {
            for (slot, value) in x.iter() {
                let Some(slot) = self.slots.get_mut(slot) else {
                    break;
                };
                slot.sum += value;
                slot.distance += slot.standardized(value) - slot.standardized(0.0);
            }
        }
        self.rows += rows as u64;
    }

    /// A remark, if some features are far from their means.
    pub(crate) fn remark(&self, schema: &Schema) -> Option<Remark> {
        if self.rows < FEWEST {
            return None;
        }
        let rows = self.rows as f64;
        let mut far = Vec::new();
        for (k, slot) in self.slots.iter().enumerate() {
            let deviations = (slot.distance / rows + slot.standardized(0.0)).abs();
            if slot.scale > 0.0 && deviations > FAR {
                let name = schema.names.name(k as u32).map(str::to_owned);
                far.push(Shift {
                    feature: name
                        .unwrap_or_else(|| (k - usize::from(schema.zero_based)).to_string()),
                    mean: slot.sum / rows,
                    training: slot.mean,
                    deviations,
                });
            }
        }
        if far.is_empty() {
            return None;
        }
        far.sort_by(|a, b| b.deviations.total_cmp(&a.deviations));
        let more = far.len().saturating_sub(NAMED);
        far.truncate(NAMED);
        Some(Remark::Table(TableRemark::Shifted {
            shifts: far,
            more,
            rows: self.rows,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use novikoff::preparation::Preparation;
    use novikoff::rows::Rows;
    use novikoff::schema::Schema;
    use novikoff::standardize::Moments;

    use super::Shifts;

    fn rows(values: impl Iterator<Item = f32>) -> Rows {
        let mut rows = Rows::new();
        for value in values {
            rows.push(1, value);
            rows.push(2, 1.0);
            rows.end_row(0);
        }
        rows
    }

    fn said(seen: &Rows) -> Option<String> {
        let training = rows((0..100).map(|i| 2000.0 + (i % 10) as f32 * 100.0));
        let moments = Moments::of(|| [training.view()].into_iter(), None);
        let schema = Schema::prepared(Preparation {
            standardize: Some(Arc::new(moments)),
            ..Preparation::default()
        });
        let mut shifts = Shifts::default();
        shifts.block(seen.view(), &schema);
        shifts.remark(&schema).map(|remark| remark.to_string())
    }

    #[test]
    fn other_units_are_noticed_and_odd_cells_are_not() {
        let thousands = rows((0..40).map(|i| 2.0 + (i % 10) as f32 / 10.0));
        let said_of = said(&thousands).expect("a remark");
        assert!(
            said_of.contains("over 40 rows the mean of 1 is 2.45"),
            "{said_of}"
        );
        assert_eq!(said(&rows((0..20).map(|_| 2.0))), None, "too few rows");
        let odd = rows((0..40).map(|i| if i == 7 { 1e9 } else { 2400.0 }));
        assert_eq!(said(&odd), None);
    }
}
