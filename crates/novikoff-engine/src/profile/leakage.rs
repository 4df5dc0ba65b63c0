//! A column of a table that tells the label: one of its features is there exactly where rows have one of the labels.

use std::collections::HashMap;

use novikoff::remark::{ColumnRemark, Remark};
use novikoff::rows::Block;
use novikoff::schema::Schema;
use novikoff::table::ColumnKind;

use crate::rows::HeldRows;

/// How many rows are looked at.
const ROWS: u64 = 2000;

/// The highest slot that is looked at.
const SLOTS: usize = 1 << 16;

/// At least this many rows have the label, and this many have another.
const LEAST: u64 = 20;

/// Rows that have a feature.
#[derive(Clone, Copy, Debug, Default)]
struct Presence {
    rows: u64,
    /// The place of the label that they all have; none if they have several.
    label: Option<usize>,
}

/// Where features are, and which labels rows have there, over the first rows.
#[derive(Debug, Default)]
pub(super) struct Leakage {
    rows: u64,
    /// Some row has no label, or several.
    is_unclear: bool,
    /// The labels met, and how many rows have each.
    labels: Vec<(String, u64)>,
    places: HashMap<Vec<u8>, usize>,
    /// By slot.
    features: Vec<Presence>,
}

impl Leakage {
    /// Adds rows that are held.
    pub(super) fn held(&mut self, held: &HeldRows) {
        for block in held.blocks() {
            if self.rows == ROWS {
                break;
            }
            self.block(block);
        }
    }

    /// Adds the next rows.
    pub(super) fn block(&mut self, block: Block<'_>) {
        for row in 0..block.len() {
            if self.rows == ROWS || self.is_unclear {
                return;
            }
            self.rows += 1;
            let mut labels = block.labels(row);
            let (Some(label), None) = (labels.next(), labels.next()) else {
                self.is_unclear = true;
                return;
            };
            // labels that differ in case or blanks are meant to be one
            let text = label.text().trim_ascii().to_ascii_lowercase();
            let place = if let Some(&place) = self.places.get(&text) {
                place
            } else {
                let name = String::from_utf8_lossy(label.text()).into_owned();
                self.labels.push((name, 0));
                let place = self.labels.len() - 1;
                self.places.insert(text, place);
                place
            };
            self.labels[place].1 += 1;
            for (slot, value) in block.row(row).iter() {
                if slot == 0 || slot >= SLOTS || value == 0.0 {
                    continue;
                }
                if self.features.len() <= slot {
                    self.features.resize(slot + 1, Presence::default());
                }
                let presence = &mut self.features[slot];
                presence.label = match presence.label {
                    _ if presence.rows == 0 => Some(place),
                    label => label.filter(|&label| label == place),
                };
                presence.rows += 1;
            }
        }
    }

    /// What is worth saying of rows of this schema: the first such feature.
    pub(super) fn remark(&self, schema: &Schema) -> Option<Remark> {
        let table = schema.table.as_ref().filter(|_| !self.is_unclear)?;
        let tells = |presence: &Presence| {
            let (label, rows) = &self.labels[presence.label?];
            let others = self.rows - rows;
            let is_it = presence.rows == *rows && *rows >= LEAST && others >= LEAST;
            is_it.then(|| label.clone())
        };
        self.features
            .iter()
            .enumerate()
            .find_map(|(slot, presence)| {
                let label = tells(presence)?;
                let feature = schema.names.name(slot as u32)?;
                let mut columns = table.columns.iter();
                let column = columns.find(|column| match column.kind {
                    ColumnKind::Number => column.name == feature,
                    ColumnKind::Category => {
                        let rest = feature.strip_prefix(&*column.name);
                        rest.is_some_and(|rest| rest.starts_with('='))
                    }
                    ColumnKind::Date(_) | ColumnKind::Text | ColumnKind::Ignored => false,
                })?;
                Some(Remark::Column(ColumnRemark::Leakage {
                    column: column.name.clone(),
                    feature: feature.to_owned(),
                    label,
                    rows: self.rows,
                }))
            })
    }
}

#[cfg(test)]
mod tests {
    use novikoff::label::RawLabel;
    use novikoff::names::{NameLimits, Names};
    use novikoff::rows::Rows;
    use novikoff::schema::Schema;
    use novikoff::table::{Column, ColumnKind, Table};

    use super::Leakage;

    /// Feature 1 of `c=x` is where the label is yes, unless the row is the odd one; feature 2 is `n`, everywhere.
    fn said(rows: usize, odd: Option<usize>) -> Option<String> {
        let mut list = Rows::new();
        for k in 0..rows {
            let label = if k % 3 == 0 { "yes" } else { "no" };
            let label = RawLabel::from(label);
            list.push_label(label.number().unwrap_or(f64::NAN), label.text());
            if (k % 3 == 0) != (Some(k) == odd) {
                list.push(1, 1.0);
            }
            list.push(2, k as f32 + 1.0);
            list.end_row(0);
        }
        let (mut names, mut schema) = (Names::new(), Schema::default());
        let limits = NameLimits {
            slots: 10,
            bytes: 1 << 20,
        };
        for name in ["c=x", "n"] {
            names.assign(name, limits).expect("room");
        }
        schema.names = names;
        schema.table = Some(Table {
            columns: vec![
                Column::new("c", ColumnKind::Category),
                Column::new("n", ColumnKind::Number),
            ],
            ..Table::default()
        });
        let mut leakage = Leakage::default();
        leakage.block(list.view());
        leakage.remark(&schema).map(|remark| remark.to_string())
    }

    #[test]
    fn a_feature_that_is_the_label_is_found() {
        assert_eq!(
            said(90, None).expect("a remark"),
            "column c tells the label: in the first 90 rows c=x is there exactly where the label is yes"
        );
        assert_eq!(said(90, Some(30)), None, "one row has the label without it");
        assert_eq!(said(90, Some(31)), None, "one row has it without the label");
        assert_eq!(said(48, None), None, "too few rows");
    }
}
