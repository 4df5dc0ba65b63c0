//! Whether the features of rows have the means that a model standardises them with, and whether their values are as large as those of training.
//!
//! The distance of a feature is the mean, over the rows, of its standardised value, which is cut off at [`Shift::MOST`] standard deviations so that a
//! single odd cell does not decide. The size of a feature is that of its values other than 0 ([`Sizes`]), also where nothing is standardised: so a unit is
//! noticed that changed around a mean of 0. Where nothing is standardised, means and deviations are those that a model keeps of some of its rows
//! ([`Spreads`](novikoff::spreads::Spreads)).
//!
//! Where only some of the rows are in another unit, the mean says little, and the first rows are looked at for columns in [two units](two_units), and
//! for numbers [that stand for missing values](outliers::of_later).

use novikoff::remark::{Conversion, Remark, Shift, SizeShift, TableRemark, UnitRemark};
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;
use novikoff::sizes::Sizes;
use novikoff::standardize::Moments;

use crate::profile::{outliers, two_units};

/// Rows that are looked at.
const ROWS: u64 = 20_000;

/// Fewer rows say nothing.
const FEWEST: u64 = 30;

/// Features farther than this many standard deviations from their mean in training are named.
const FAR: f64 = 3.0;

/// A conversion of a unit is said from this many standard deviations on,
const FAR_UNIT: f64 = 1.5;

/// of this many rows,
const ROWS_OF_UNIT: f64 = 100.0;

/// where the deviation is what the conversion makes of that of training, up to this factor,
const SPREAD_ALIKE: f64 = 1.25;

/// and so is the mean, up to this share of it beyond chance, if that is no more than the next share.
const MEAN_ALIKE: f64 = 0.01;
const MEAN_KNOWN: f64 = 0.04;

/// How many features a remark names.
const NAMED: usize = 3;

/// Values larger or smaller than those of training by this factor are in another unit.
const OTHER_UNIT: f64 = 8.0;

/// Rows that are looked at for two units, and their values: more than that are not those of a table.
const ROWS_OF_UNITS: usize = 2000;
const VALUES_OF_UNITS: usize = 1 << 20;

/// Sums of the values of features.
#[derive(Debug, Default)]
pub(crate) struct Shifts {
    sizes: Sizes,
    /// Of a table, the first rows.
    first: Rows,
    rows: u64,
    /// By slot: mean and inverse deviation in training, the sum of values, and of standardised values beside those of zeros.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    mean: f64,
    scale: f64,
    sum: f64,
    squares: f64,
    distance: f64,
}

impl Slot {
    /// The standardised value, cut off.
    fn standardized(&self, value: f64) -> f64 {
        ((value - self.mean) * self.scale).clamp(-Shift::MOST, Shift::MOST)
    }

    /// The conversion of a unit that makes the mean and the deviation of training those of the rows seen, which are these standard deviations away.
    fn conversion(&self, rows: f64, deviations: f64) -> Option<Conversion> {
        if rows < ROWS_OF_UNIT || deviations < FAR_UNIT {
            return None;
        }
        let mean = self.sum / rows;
        let deviation = (self.squares / rows - mean * mean).max(0.0).sqrt();
        let back = Conversion::ALL.map(Conversion::back);
        let all = Conversion::ALL.into_iter().chain(back);
        let away = |conversion: &Conversion| (conversion.apply(self.mean) - mean).abs();
        let alike = all.filter(|conversion| {
            let expected = conversion.times / self.scale;
            (1.0 / SPREAD_ALIKE..SPREAD_ALIKE).contains(&(deviation / expected))
        });
        let nearest = alike.min_by(|a, b| away(a).total_cmp(&away(b)))?;
        let by_chance = 3.0 * deviation / rows.sqrt();
        // a smaller distance may be any change, unless it is known well
        let is_known = deviations > FAR || by_chance <= MEAN_KNOWN * mean.abs();
        (is_known && away(&nearest) <= by_chance + MEAN_ALIKE * mean.abs()).then_some(nearest)
    }
}

impl Shifts {
    /// Adds a block of rows for a model of this schema.
    pub(crate) fn block(&mut self, block: Block<'_>, schema: &Schema) {
        if schema.sizes.rows() > 0 {
            self.sizes.block(block, schema.sizes.highest());
        }
        let is_room = schema.table.is_some() && self.first.values() < VALUES_OF_UNITS;
        let wanted = ROWS_OF_UNITS.saturating_sub(self.first.len());
        let wanted = if is_room { wanted.min(block.len()) } else { 0 };
        (0..wanted).for_each(|row| self.first.copy_row(block, row));
        let moments = schema.preparation.standardize.as_deref();
        let spreads = &schema.sizes.spreads;
        if moments.is_none() && spreads.rows() == 0 {
            return;
        }
        if self.slots.is_empty() {
            let highest = match moments.map(Moments::slots) {
                Some(Some(slots)) => slots.last().copied().unwrap_or(0),
                Some(None) => moments.map_or(0, |all| all.mean().len() as u32 - 1),
                None => spreads.highest(),
            };
            let slot = |slot: u32| {
                let known = match moments {
                    Some(moments) => moments.of_slot(slot),
                    None => spreads.of_slot(slot),
                };
                let (mean, scale) = known.unwrap_or_default();
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
                slot.squares += value * value;
                slot.distance += slot.standardized(value) - slot.standardized(0.0);
            }
        }
        self.rows += rows as u64;
    }

    /// Remarks, if some features are far from their means, or others of another size.
    pub(crate) fn remarks(&self, schema: &Schema) -> Vec<Remark> {
        // of which only some rows are in another unit
        let mut remarks = two_units::of_first(&self.first, schema);
        remarks.extend(outliers::of_later(&self.first, schema, |slot| {
            let slot = self.slots.get(slot as usize)?;
            (slot.scale > 0.0).then_some((slot.mean, slot.scale))
        }));
        let in_two: Vec<&str> = remarks.iter().filter_map(in_two_units).collect();
        let mut far = self.far(schema);
        let mut sizes = self.other_sizes(schema, &far);
        far.retain(|shift| !in_two.contains(&&*shift.feature));
        sizes.retain(|size| !in_two.contains(&&*size.feature));
        if !far.is_empty() {
            let more = far.len().saturating_sub(NAMED);
            remarks.push(Remark::Table(TableRemark::Shifted {
                shifts: far.into_iter().take(NAMED).collect(),
                more,
                rows: self.rows,
            }));
        }
        if !sizes.is_empty() {
            let more = sizes.len().saturating_sub(NAMED);
            remarks.push(Remark::Table(TableRemark::Resized {
                sizes: sizes.into_iter().take(NAMED).collect(),
                more,
                rows: self.sizes.rows(),
            }));
        }
        remarks
    }

    /// The features that are far from their means, the farthest first.
    fn far(&self, schema: &Schema) -> Vec<Shift> {
        if self.rows < FEWEST {
            return Vec::new();
        }
        let rows = self.rows as f64;
        let mut far = Vec::new();
        for (k, slot) in self.slots.iter().enumerate() {
            if slot.scale <= 0.0 {
                continue;
            }
            let deviations = (slot.distance / rows + slot.standardized(0.0)).abs();
            let conversion = slot.conversion(rows, deviations);
            if deviations > FAR || conversion.is_some() {
                far.push(Shift {
                    feature: feature(schema, k),
                    mean: slot.sum / rows,
                    training: slot.mean,
                    deviations,
                    conversion,
                });
            }
        }
        far.sort_by(|a, b| b.deviations.total_cmp(&a.deviations));
        far
    }

    /// The features whose values are much larger or smaller than in training, but for those that are named already.
    fn other_sizes(&self, schema: &Schema, far: &[Shift]) -> Vec<SizeShift> {
        let slots = 1..=schema.sizes.highest();
        let sizes = slots.filter_map(|slot| {
            let (size, training) = (self.sizes.of_slot(slot)?, schema.sizes.of_slot(slot)?);
            let feature = feature(schema, slot as usize);
            let is_other = size.max(training) >= OTHER_UNIT * size.min(training);
            let is_new = far.iter().all(|shift| shift.feature != feature);
            (is_other && is_new).then_some(SizeShift {
                feature,
                size,
                training,
            })
        });
        sizes.collect()
    }
}

/// The column that a remark says to be in two units.
fn in_two_units(remark: &Remark) -> Option<&str> {
    match remark {
        Remark::Unit(UnitRemark::Two { column, .. }) => column.as_deref(),
        _ => None,
    }
}

/// The name of a feature, or its number.
fn feature(schema: &Schema, slot: usize) -> String {
    let name = schema.names.name(slot as u32).map(str::to_owned);
    name.unwrap_or_else(|| (slot - usize::from(schema.zero_based)).to_string())
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
        let said = shifts.remarks(&schema);
        said.first().map(ToString::to_string)
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
