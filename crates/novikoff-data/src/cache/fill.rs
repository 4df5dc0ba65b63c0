//! Missing cells of a cache that was made with indicators: its rows have 0 and the category `column=missing` there. Where numbers are
//! centred, the mean of the column belongs in the place of the 0.

use std::borrow::Cow;
use std::collections::HashMap;

use novikoff::rows::{Block, Rows};
use novikoff::table::{Missing, Table};

use super::dictionary::begin_row;
use super::file::CacheFile;
use crate::options::ReadOptions;

/// What stands for the missing cells of a file.
pub(super) struct Fills {
    /// By the slot of `column=missing`: the slot of the number, and its mean.
    by_slot: HashMap<u32, (u32, f32)>,
    /// The columns with their means.
    pub(super) table: Table,
    /// How rows are read before the constant feature comes.
    plain: ReadOptions,
    rows: Rows,
}

impl Fills {
    /// None if the rows are as they should be. The means are those of a model, or were measured.
    pub(super) fn of(file: &CacheFile, options: &ReadOptions) -> Option<Self> {
        let mut table = file.table()?.clone();
        let is_open = table.columns.iter().all(|column| column.mean.is_none());
        if table.missing != Missing::Indicator || !is_open {
            return None;
        }
        let known = |name: &str| options.table.as_ref()?.column(name)?.mean;
        let measured = |name: &str| options.means.as_ref()?.get(name).copied();
        let dictionary = file.dictionary();
        let slots: HashMap<&str, u32> =
            dictionary.iter().map(|(slot, name)| (name, slot)).collect();
        let mut by_slot = HashMap::new();
        for column in &mut table.columns {
            let mean = known(&column.name).or_else(|| measured(&column.name));
            let number = column.number().map(Cow::into_owned);
            let Some((number, mean)) = number.zip(mean) else {
                continue;
            };
            let missing = slots.get(format!("{}=missing", column.name).as_str());
            if let (Some(&number), Some(&missing)) = (slots.get(number.as_str()), missing) {
                by_slot.insert(missing, (number, mean));
            }
            column.mean = Some(mean);
        }
        let is_any = table.columns.iter().any(|column| column.mean.is_some());
        is_any.then(|| Fills {
            by_slot,
            table,
            plain: ReadOptions {
                bias: None,
                ..options.clone()
            },
            rows: Rows::new(),
        })
    }

    /// The rows of a block with the means in their places.
    pub(super) fn fill(&mut self, block: Block<'_>) -> Block<'_> {
        let out = &mut self.rows;
        out.clear();
        for row in 0..block.len() {
            begin_row(block, row, &self.plain, out);
            for (&slot, &value) in block.slots(row).iter().zip(block.values_of(row)) {
                out.push_any(slot, value);
                if let Some(&(number, mean)) = self.by_slot.get(&slot) {
                    out.push_any(number, mean);
                }
            }
            out.end_row(block.line(row));
        }
        out.view()
    }
}
