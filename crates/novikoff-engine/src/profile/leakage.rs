//! Columns of a table that predict the label: one of its features is there exactly where rows have one of the labels, or it is filled or empty there;
//! or the column alone answers nearly all rows right, or finds nearly all rows of a rare label: by a threshold of a number, by a category, a part of a
//! date or words of a text, or by the labels of other rows with the same value.

mod cells;
mod copies;
pub(super) mod families;
mod groups;
mod indicator;
mod near;
mod sample;
mod text_copies;
mod together;
mod words;

use novikoff::remark::{ColumnRemark, Looked, Remark, Rule};
use novikoff::rows::Block;
use novikoff::schema::Schema;
use novikoff::table::{Column, ColumnKind, Missing, Table};
use novikoff_data::kinds::{are_guised, is_id_name};

use crate::rows::HeldRows;
use cells::{Cell, Found, Part};
use families::{Families, Kind};
use indicator::{Indicator, LEAST, Totals};
use sample::Sample;
use text_copies::TextCopies;

/// How many columns are remarked on.
const NAMED: usize = 3;

/// Looks for columns that predict the label.
#[derive(Debug, Default)]
pub(super) struct Leakage {
    sample: Sample,
    /// Of rows with words.
    texts: TextCopies,
}

impl Leakage {
    /// Adds rows that are held.
    pub(super) fn held(&mut self, held: &HeldRows) {
        self.sample.held(held);
        if held.schema.has_words() && !self.sample.is_whole() {
            self.texts.held(held);
        }
    }

    /// Adds the next rows, and if they have words, the slots of the numbers beside these.
    pub(super) fn block(&mut self, block: Block<'_>, beside_words: Option<&[u32]>) {
        self.sample.block(block);
        if let Some(numbers) = beside_words {
            self.texts.block(block, numbers);
        }
    }

    /// Whether all rows of the data are looked at.
    pub(super) fn is_whole(&self) -> bool {
        self.sample.is_whole()
    }

    /// The rows that are looked at.
    pub(super) fn rows(&self) -> Block<'_> {
        self.sample.rows.view()
    }

    /// What is worth saying of rows of this schema: the first such columns. About this share of all rows without words is equal to an earlier one, if
    /// that is known.
    pub(super) fn remarks(&self, schema: &Schema, copies: Option<f64>) -> Vec<Remark> {
        let sample = &self.sample;
        let is_clear = !sample.is_unclear && sample.labels.len() > 1;
        let is_named = schema.names.bits().is_none();
        let Some(table) = schema.table.as_ref().filter(|_| is_clear && is_named) else {
            return Vec::new();
        };
        let families = Families::of(schema, table);
        let all: Vec<usize> = (0..sample.places.len()).collect();
        let distinct = copies::distinct(sample, schema, &families);
        // the share of a sample is off by some percent, and more if some rows come many times
        let share = |distinct: &Vec<usize>| {
            let counted = 1.0 - distinct.len() as f64 / sample.places.len() as f64;
            if sample.is_whole() {
                Some(counted)
            } else if schema.has_words() {
                self.texts.share()
            } else {
                copies
            }
        };
        let copied = distinct.as_ref().and_then(share);
        // copies would make every value predict the label
        let rows = distinct.unwrap_or(all);
        let mut labels = vec![0; sample.labels.len()];
        for &row in &rows {
            labels[sample.places[row] as usize] += 1;
        }
        let looked = Looked {
            rows: rows.len() as u64,
            is_first: !sample.is_spread,
        };
        let leaks = Leaks {
            sample,
            schema,
            table,
            families,
            totals: Totals::of(labels),
            rows,
            looked,
        };
        let mut remarks = leaks.remarks();
        if schema.has_words() {
            let rows = sample.places.len() as u64;
            remarks.extend(copies::empty_texts(sample, Looked { rows, ..looked }));
        }
        let copied = copied.and_then(copies::remark);
        let groups = if copied.is_none() {
            leaks.groups()
        } else {
            None
        };
        remarks.extend(copied.or(groups));
        remarks
    }
}

/// A remark if rows come in groups whose quantities are nearly the same: some of the rows, and the ranks of their quantities, less their mean.
pub(super) fn groups_of_quantities(
    held: &HeldRows,
    rows: &[usize],
    ranks: &[f64],
) -> Option<Remark> {
    let table = held.schema.table.as_ref()?;
    let sample = Sample::of_quantities(held, rows);
    let leaks = Leaks {
        sample: &sample,
        schema: &held.schema,
        table,
        families: Families::of(&held.schema, table),
        totals: Totals::of(vec![rows.len() as u64]),
        rows: (0..rows.len()).collect(),
        looked: Looked {
            rows: rows.len() as u64,
            is_first: false,
        },
    };
    leaks.groups_by(ranks)
}

/// The rows that are looked at, and what their features are.
struct Leaks<'a> {
    sample: &'a Sample,
    schema: &'a Schema,
    table: &'a Table,
    families: Families,
    totals: Totals,
    /// The places of the rows.
    rows: Vec<usize>,
    looked: Looked,
}

/// What one column has.
#[derive(Clone, Debug, Default)]
struct Filled {
    /// Rows in which it is filled, by label; of a column of numbers, rows in which it is empty.
    rows: Vec<u64>,
    /// The last row that was counted.
    last: Option<usize>,
}

impl Leaks<'_> {
    fn remarks(&self) -> Vec<Remark> {
        let columns = &self.table.columns;
        let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); self.families.list.len()];
        let mut filled = vec![
            Filled {
                rows: vec![0; self.totals.labels.len()],
                last: None,
            };
            columns.len()
        ];
        let rows = self.sample.rows.view();
        for &row in &self.rows {
            let label = self.sample.places[row];
            for (slot, value) in rows.row(row).iter().filter(|(_, value)| *value != 0.0) {
                let Some(place) = self.families.of_slot(slot) else {
                    continue;
                };
                let family = &self.families.list[place];
                let is_number = family.kind == Kind::Number;
                if family.kind != Kind::Words {
                    cells[place].push(Cell {
                        key: if is_number { value as f32 } else { slot as f32 },
                        label,
                        rows: 1,
                    });
                }
                let column = &columns[family.column];
                let filled = &mut filled[family.column];
                let is_gap = self.is_gap(column, family.kind, slot, value);
                let counts = self.counts_gaps(column) == is_gap;
                if counts && filled.last != Some(row) {
                    filled.last = Some(row);
                    filled.rows[label as usize] += 1;
                }
            }
        }
        let mut by_column: Vec<Vec<(Kind, usize, Vec<Cell>)>> = vec![Vec::new(); columns.len()];
        for ((place, family), cells) in self.families.list.iter().enumerate().zip(cells) {
            by_column[family.column].push((family.kind, place, cells));
        }
        let parts = columns.iter().zip(by_column).zip(filled);
        let remarks = parts.filter_map(|((column, families), filled)| {
            self.of_column(column, families, &filled.rows)
                .map(Remark::Column)
        });
        remarks.take(NAMED).collect()
    }

    /// Whether the gaps of a column are counted: a number that is 0 is not stored, and is no gap unless gaps are read as 0.
    fn counts_gaps(&self, column: &Column) -> bool {
        column.kind == ColumnKind::Number && self.table.missing != Missing::Zero
    }

    /// Whether a value stands for a missing cell.
    fn is_gap(&self, column: &Column, kind: Kind, slot: usize, value: f64) -> bool {
        match kind {
            Kind::Gap => true,
            Kind::Number => column.mean == Some(value as f32),
            Kind::Category => {
                self.table.missing == Missing::Indicator
                    && column.kind == ColumnKind::Category
                    && self
                        .schema
                        .names
                        .name(slot as u32)
                        .is_some_and(|name| name.strip_suffix("=missing") == Some(&*column.name))
            }
            Kind::Words => false,
        }
    }

    fn of_column(
        &self,
        column: &Column,
        mut families: Vec<(Kind, usize, Vec<Cell>)>,
        filled: &[u64],
    ) -> Option<ColumnRemark> {
        for (kind, _, cells) in &mut families {
            cells::sort(cells);
            if let Some((slot, label)) = self.exact(cells, *kind == Kind::Number) {
                let feature = self
                    .schema
                    .names
                    .name(slot)
                    .filter(|_| *kind != Kind::Number);
                return Some(ColumnRemark::Leakage {
                    column: column.name.clone(),
                    feature: feature.unwrap_or(&column.name).to_owned(),
                    label: self.sample.labels[label as usize].0.clone(),
                    looked: self.looked,
                });
            }
        }
        if let Some(indicator) = self.totals.indicator_or_pure(filled) {
            let is_zero = column.kind == ColumnKind::Number && self.table.missing == Missing::Zero;
            let rule = match indicator.is_rest == self.counts_gaps(column) {
                true if is_zero => Rule::IsNot(0.0),
                false if is_zero => Rule::Is(0.0),
                true => Rule::Filled,
                false => Rule::Empty,
            };
            return Some(self.tells(column, rule, indicator));
        }
        families
            .into_iter()
            .find_map(|(kind, place, cells)| match kind {
                Kind::Words => self.words(column, place),
                Kind::Gap => None,
                Kind::Number | Kind::Category if cells.is_empty() => None,
                Kind::Number | Kind::Category => self.cells(column, kind == Kind::Number, cells),
            })
    }

    fn cells(&self, column: &Column, is_number: bool, cells: Vec<Cell>) -> Option<ColumnRemark> {
        let cells = cells::complete(cells, &self.totals);
        let baseline = self.totals.most_frequent();
        let slots: Vec<u32> = cells.iter().map(|cell| cell.key as u32).collect();
        match cells::found(&cells, is_number, &self.totals)? {
            Found::Answers(answers) => Some(ColumnRemark::Tells {
                column: column.name.clone(),
                at_least: answers.at_least.map(f64::from),
                right: answers.right,
                baseline,
                looked: self.looked,
            }),
            Found::Part(part, indicator) => {
                let rule = match part {
                    Part::AtLeast(value) => Rule::AtLeast(f64::from(value)),
                    Part::Below(value) => Rule::Below(f64::from(value)),
                    Part::IsNot(key) => Rule::IsNot(f64::from(key)),
                    Part::Is(key) if is_number => Rule::Is(f64::from(key)),
                    Part::Is(0.0) => Rule::Filled,
                    Part::Is(key) => {
                        let name = self.schema.names.name(key as u32);
                        Rule::Has(name.unwrap_or_default().to_owned())
                    }
                };
                let rule = if indicator.is_rest {
                    rule.opposite()
                } else {
                    rule
                };
                Some(self.tells(column, rule, indicator))
            }
            Found::Repeated { right, values } => {
                // what is called an id is remarked on as one, and numbers in another guise as such
                let is_said = is_id_name(&column.name) || !is_number && self.are_guised(&slots);
                (!is_said).then(|| ColumnRemark::RepeatedIds {
                    column: column.name.clone(),
                    values,
                    looked: self.looked,
                    right: Some((right, baseline)),
                })
            }
        }
    }

    /// Whether most of these categories are numbers in another guise.
    fn are_guised(&self, slots: &[u32]) -> bool {
        let names = slots
            .iter()
            .filter_map(|&slot| self.schema.names.name(slot));
        let values = names.filter_map(|name| name.split_once('='));
        are_guised(&values.map(|(_, value)| value).collect::<Vec<&str>>())
    }

    fn words(&self, column: &Column, family: usize) -> Option<ColumnRemark> {
        let is_word = |slot: usize| self.families.of_slot(slot) == Some(family);
        let rows = self.sample.rows.view();
        let (words, indicator) =
            words::found(rows, &self.rows, &self.sample.places, is_word, &self.totals)?;
        let names = words.iter().filter_map(|&slot| {
            let name = self.schema.names.name(slot)?;
            let word = name.strip_prefix(&*column.name)?.strip_prefix('^')?;
            Some(word.to_owned())
        });
        Some(self.tells(column, Rule::Words(names.collect()), indicator))
    }

    fn tells(&self, column: &Column, rule: Rule, indicator: Indicator) -> ColumnRemark {
        let (label, _) = &self.sample.labels[indicator.label];
        ColumnRemark::TellsLabel {
            column: column.name.clone(),
            rule,
            label: label.clone(),
            of: self.totals.labels[indicator.label],
            with: indicator.with,
            without: indicator.without,
            looked: self.looked,
        }
    }

    /// The slot of a category that is there exactly where rows have one of the labels, and the label; of a number, that it is not 0 there.
    fn exact(&self, cells: &[Cell], is_number: bool) -> Option<(u32, u32)> {
        let mut groups = cells.chunk_by(|a, b| is_number || a.key == b.key);
        groups.find_map(|group| {
            let label = group[0].label;
            let rows = self.totals.labels[label as usize];
            let is_it = group.len() as u64 == rows
                && group.iter().all(|cell| cell.label == label)
                && rows >= LEAST
                && self.totals.rows - rows >= LEAST;
            is_it.then_some((group[0].key as u32, label))
        })
    }
}

#[cfg(test)]
mod tests;
