//! Columns of a table that tell the label: one of its features is there exactly where rows have one of the labels, or the column alone answers nearly
//! all rows right, by the best threshold of a number or the most frequent label of each category.

mod sample;

use std::collections::HashMap;

use novikoff::remark::{ColumnRemark, Remark};
use novikoff::rows::Block;
use novikoff::schema::Schema;
use novikoff::table::{ColumnKind, Table};

use crate::rows::HeldRows;
use sample::Sample;

/// The highest slot that is looked at.
const SLOTS: usize = 1 << 16;

/// At least this many rows have the label, and this many have another.
const LEAST: u64 = 20;

/// A column answers rows by itself if there are at least this many of them,
const ROWS: u64 = 100;

/// and of 100 rows it answers this many,
const PERCENT: u64 = 98;

/// and the most frequent label is wrong for at least one row of this many.
const BASELINE: u64 = 10;

/// A column of more categories than this, or of fewer rows per category than the next number, is not asked for the most frequent label of each.
const LEVELS: u64 = 50;
const ROWS_PER_LEVEL: u64 = 20;

/// How many columns are remarked on.
const NAMED: usize = 3;

/// Rows of one label that have the same value in a column, or the same category.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The value, or the slot of the category: slots below 2^16 are exact.
    key: f32,
    label: u32,
    rows: u64,
}

/// How many rows a column answers, and the least value above the threshold if it is one.
#[derive(Clone, Copy, Debug)]
struct Answers {
    right: u64,
    at_least: Option<f32>,
}

/// Looks for columns that tell the label.
#[derive(Debug, Default)]
pub(super) struct Leakage {
    sample: Sample,
}

impl Leakage {
    /// Adds rows that are held.
    pub(super) fn held(&mut self, held: &HeldRows) {
        self.sample.held(held);
    }

    /// Adds the next rows.
    pub(super) fn block(&mut self, block: Block<'_>) {
        self.sample.block(block);
    }

    /// What is worth saying of rows of this schema: the first such columns.
    pub(super) fn remarks(&self, schema: &Schema) -> Vec<Remark> {
        let sample = &self.sample;
        let is_clear = !sample.is_unclear && sample.labels.len() > 1;
        let is_named = schema.names.bits().is_none();
        match schema.table.as_ref().filter(|_| is_clear && is_named) {
            Some(table) => self.of_table(schema, table),
            None => Vec::new(),
        }
    }

    fn of_table(&self, schema: &Schema, table: &Table) -> Vec<Remark> {
        let owners = owners(schema, table);
        let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); table.columns.len()];
        let rows = self.sample.rows.view();
        for (row, &label) in self.sample.places.iter().enumerate() {
            for (slot, value) in rows.row(row).iter() {
                let owner = owners.get(slot).copied().unwrap_or(NONE);
                let Some(column) = cells.get_mut(owner as usize).filter(|_| value != 0.0) else {
                    continue;
                };
                let is_number = table.columns[owner as usize].kind == ColumnKind::Number;
                column.push(Cell {
                    key: if is_number { value as f32 } else { slot as f32 },
                    label,
                    rows: 1,
                });
            }
        }
        let columns = table.columns.iter().zip(cells);
        let remarks = columns.filter_map(|(column, mut cells)| {
            if cells.is_empty() {
                return None;
            }
            cells.sort_unstable_by(|a, b| a.key.total_cmp(&b.key).then(a.label.cmp(&b.label)));
            let is_number = column.kind == ColumnKind::Number;
            let remark = if let Some((slot, label)) = self.exact(&cells, is_number) {
                let feature = schema.names.name(slot).filter(|_| !is_number);
                ColumnRemark::Leakage {
                    column: column.name.clone(),
                    feature: feature.unwrap_or(&column.name).to_owned(),
                    label: self.sample.labels[label as usize].0.clone(),
                    rows: self.rows(),
                    is_first: !self.sample.is_spread,
                }
            } else {
                let answers = self.answers(cells, is_number)?;
                ColumnRemark::Tells {
                    column: column.name.clone(),
                    at_least: answers.at_least.map(f64::from),
                    right: answers.right,
                    baseline: self.most_frequent(),
                    rows: self.rows(),
                    is_first: !self.sample.is_spread,
                }
            };
            Some(Remark::Column(remark))
        });
        remarks.take(NAMED).collect()
    }

    fn rows(&self) -> u64 {
        self.sample.places.len() as u64
    }

    fn most_frequent(&self) -> u64 {
        let counts = self.sample.labels.iter().map(|(_, rows)| *rows);
        counts.max().unwrap_or(0)
    }

    /// The slot of a category that is there exactly where rows have one of the labels, and the label; of a number, that it is not 0 there.
    fn exact(&self, cells: &[Cell], is_number: bool) -> Option<(u32, u32)> {
        let mut groups = cells.chunk_by(|a, b| is_number || a.key == b.key);
        groups.find_map(|group| {
            let label = group[0].label;
            let rows = self.sample.labels[label as usize].1;
            let is_it = group.len() as u64 == rows
                && group.iter().all(|cell| cell.label == label)
                && rows >= LEAST
                && self.rows() - rows >= LEAST;
            is_it.then_some((group[0].key as u32, label))
        })
    }

    /// How many rows the column answers, if these are nearly all.
    fn answers(&self, mut cells: Vec<Cell>, is_number: bool) -> Option<Answers> {
        let (rows, baseline) = (self.rows(), self.most_frequent());
        if rows < ROWS || BASELINE * (rows - baseline) < rows {
            return None;
        }
        // rows where the number is 0, or there is no category
        let mut rest: Vec<u64> = self.sample.labels.iter().map(|(_, rows)| *rows).collect();
        for cell in &cells {
            let rest = &mut rest[cell.label as usize];
            *rest = rest.saturating_sub(1);
        }
        let others = rest.iter().enumerate().filter(|(_, rows)| **rows > 0);
        cells.extend(others.map(|(label, &rows)| Cell {
            key: 0.0,
            label: label as u32,
            rows,
        }));
        cells.sort_by(|a, b| a.key.total_cmp(&b.key).then(a.label.cmp(&b.label)));
        let levels = by_level(&cells, rows);
        let threshold = is_number.then(|| by_threshold(&cells, rest.len()));
        let best = [threshold.flatten(), levels].into_iter().flatten();
        let best = best.reduce(|a, b| if b.right > a.right { b } else { a })?;
        (100 * best.right >= PERCENT * rows).then_some(best)
    }
}

/// The owner of a slot that belongs to no column.
const NONE: u32 = u32::MAX;

/// By slot: the place of the column that the feature belongs to, if it is one of numbers or of categories.
fn owners(schema: &Schema, table: &Table) -> Vec<u32> {
    let mut owners = Vec::new();
    let mut own = |slot: u32, column: usize| {
        let slot = slot as usize;
        if slot > 0 && slot < SLOTS {
            if owners.len() <= slot {
                owners.resize(slot + 1, NONE);
            }
            owners[slot] = column as u32;
        }
    };
    let mut categories = HashMap::new();
    for (place, column) in table.columns.iter().enumerate() {
        match column.kind {
            ColumnKind::Number => {
                if let Some(slot) = schema.names.slot(column.name.as_bytes()) {
                    own(slot, place);
                }
            }
            ColumnKind::Category => {
                categories.insert(&*column.name, place);
            }
            ColumnKind::Date(_) | ColumnKind::Text | ColumnKind::Ignored => {}
        }
    }
    if !categories.is_empty() {
        for (slot, name) in schema.names.iter() {
            let mut columns = name.match_indices('=').map(|(at, _)| &name[..at]);
            if let Some(&place) = columns.find_map(|column| categories.get(column)) {
                own(slot, place);
            }
        }
    }
    owners
}

/// The rows that are answered by the most frequent label of each value or category, if there are few of them.
fn by_level(cells: &[Cell], rows: u64) -> Option<Answers> {
    let (mut levels, mut right) = (0, 0);
    for level in cells.chunk_by(|a, b| a.key == b.key) {
        levels += 1;
        if levels > LEVELS || ROWS_PER_LEVEL * levels > rows {
            return None;
        }
        let of_label = level.chunk_by(|a, b| a.label == b.label);
        let counts = of_label.map(|cells| cells.iter().map(|cell| cell.rows).sum());
        right += counts.max().unwrap_or(0_u64);
    }
    Some(Answers {
        right,
        at_least: None,
    })
}

/// The rows that are answered by the best threshold, with the most frequent label on either side of it.
fn by_threshold(cells: &[Cell], labels: usize) -> Option<Answers> {
    // after each value from below, and from above: how many rows have the most frequent label
    let most = |values: &mut dyn Iterator<Item = &[Cell]>| {
        let (mut counts, mut most) = (vec![0; labels], 0);
        let after = |value: &[Cell]| {
            for cell in value {
                let count = &mut counts[cell.label as usize];
                *count += cell.rows;
                most = most.max(*count);
            }
            most
        };
        values.map(after).collect::<Vec<u64>>()
    };
    let values = || cells.chunk_by(|a, b| a.key == b.key);
    let below = most(&mut values());
    let above = most(&mut values().rev());
    let thresholds = values().skip(1).zip(&below).zip(above.iter().rev().skip(1));
    let answers = thresholds.map(|((value, below), above)| Answers {
        right: below + above,
        at_least: Some(value[0].key),
    });
    // the first of the best
    answers.reduce(|a, b| if b.right > a.right { b } else { a })
}

#[cfg(test)]
mod tests;
