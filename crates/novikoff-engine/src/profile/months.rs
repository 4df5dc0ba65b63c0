//! Columns of dates that span less than a year. Each month is a category, so what is learned of it is learned of a part of one year: later rows have months
//! that training never met, or the same months of another year.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use novikoff::remark::{Remark, TableRemark};
use novikoff::rows::Block;
use novikoff::schema::Schema;
use novikoff::table::{ColumnKind, DateForm};

use crate::rows::HeldRows;

/// After the first rows, only what may be a year in them is looked at.
const FIRST: u64 = 2000;

/// What may be a year.
const YEARS: RangeInclusive<f32> = 1000.0..=3000.0;

/// The highest slot that is looked at.
const SLOTS: usize = 1 << 12;

/// The most months in a row that are less than a year.
const MONTHS: i64 = 11;

/// The least and the greatest value of each feature that may be a year, 0 left out.
#[derive(Debug, Default)]
pub(super) struct Extremes {
    rows: u64,
    slots: Vec<Option<(f32, f32)>>,
    /// Behind the last slot that may be a year, once the first rows were looked at.
    end: Option<usize>,
}

impl Extremes {
    pub(super) fn of(held: &HeldRows) -> Self {
        let mut extremes = Extremes::default();
        held.blocks().for_each(|block| extremes.block(block));
        extremes
    }

    /// Adds the next rows.
    pub(super) fn block(&mut self, block: Block<'_>) {
        for row in 0..block.len() {
            self.rows += 1;
            if self.rows == FIRST + 1 {
                self.leave_years();
            }
            let (is_first, end) = (self.end.is_none(), self.end.unwrap_or(SLOTS));
            if end == 0 {
                continue;
            }
            let (_, stored) = block.row(row).stored();
            let stored = stored.take_while(|(slot, _)| (*slot as usize) < end);
            for (slot, value) in stored.filter(|(_, value)| *value != 0.0) {
                let slot = slot as usize;
                if slot >= self.slots.len() {
                    self.slots.resize(slot + 1, None);
                }
                match &mut self.slots[slot] {
                    Some((least, most)) => (*least, *most) = (least.min(value), most.max(value)),
                    none if is_first => *none = Some((value, value)),
                    None => {}
                }
            }
        }
    }

    /// Forgets what cannot be years.
    fn leave_years(&mut self) {
        for slot in &mut self.slots {
            *slot = slot.filter(|(least, most)| YEARS.contains(least) && YEARS.contains(most));
        }
        let last = self.slots.iter().rposition(Option::is_some);
        self.end = Some(last.map_or(0, |last| last + 1));
    }

    /// The years that a column of dates has, from the first to the last.
    fn years(&self, slot: u32) -> Option<(i64, i64)> {
        let (least, most) = (*self.slots.get(slot as usize)?)?;
        Some((least.floor() as i64, most.ceil() as i64))
    }
}

/// The months of a column of dates, by their slots.
struct Months {
    year: usize,
    slots: Vec<(usize, i64)>,
}

impl Months {
    fn of(column: &str, schema: &Schema) -> Option<Self> {
        let slot = |name: String| Some(schema.names.slot(name.as_bytes())? as usize);
        let months =
            (1..=12).filter_map(|month| Some((slot(format!("{column}.month={month}"))?, month)));
        Some(Months {
            year: slot(format!("{column}.year"))?,
            slots: months.collect(),
        })
    }

    /// Whether rows have all of these months, none of them in two years, and not most of a year apart.
    fn follow(&self, blocks: &[Block<'_>]) -> bool {
        let rows = blocks
            .iter()
            .flat_map(|block| (0..block.len()).map(|row| block.row(row)));
        let met = rows.filter_map(|row| {
            let (mut year, mut month) = (None, None);
            for (slot, value) in row.iter() {
                if slot == self.year {
                    year = Some(value as i64);
                } else if month.is_none() {
                    month = self.slots.iter().find(|own| own.0 == slot).map(|own| own.1);
                }
            }
            Some(12 * year? + month?)
        });
        let met: BTreeSet<i64> = met.collect();
        let span = met
            .last()
            .zip(met.first())
            .map(|(last, first)| last - first + 1);
        met.len() == self.slots.len() && span.is_some_and(|span| span <= MONTHS)
    }
}

/// A remark on columns of dates that span less than a year; `blocks` are rows of the whole data, if it is at hand.
pub(super) fn remark(schema: &Schema, extremes: &Extremes, blocks: &[Block<'_>]) -> Option<Remark> {
    let table = schema
        .table
        .as_ref()
        .filter(|_| schema.names.bits().is_none())?;
    let dates = table
        .columns
        .iter()
        .filter(|column| matches!(column.kind, ColumnKind::Date(DateForm::Parts { .. })));
    let columns = dates.filter_map(|column| {
        let months = Months::of(&column.name, schema)?;
        let met = months.slots.len() as i64;
        let (first, last) = extremes.years(months.year as u32)?;
        let is_short = first == last || last == first + 1 && months.follow(blocks);
        ((2..=MONTHS).contains(&met) && is_short).then(|| (column.name.clone(), met as u64))
    });
    let columns: Vec<(String, u64)> = columns.collect();
    (!columns.is_empty()).then_some(Remark::Table(TableRemark::PartOfYear { columns }))
}
