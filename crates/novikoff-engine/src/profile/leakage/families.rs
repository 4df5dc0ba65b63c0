//! Which features of rows belong together: a column of numbers or categories, a part of a date, the words of a text.

use std::collections::HashMap;

use novikoff::schema::Schema;
use novikoff::table::{ColumnKind, DateForm, Missing, Table};

/// The highest slot that is looked at: as a key of a cell it is exact.
const SLOTS: usize = 1 << 20;

/// What the features of a family are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::profile) enum Kind {
    /// One number.
    Number,
    /// Categories: a row has at most one.
    Category,
    /// The category that says that a number or a date is missing.
    Gap,
    /// Words: a row may have many.
    Words,
}

/// Features of one column that predict a label together, if they do.
#[derive(Debug)]
pub(in crate::profile) struct Family {
    /// The place of the column.
    pub(in crate::profile) column: usize,
    pub(in crate::profile) kind: Kind,
}

/// The families of a table.
#[derive(Debug, Default)]
pub(in crate::profile) struct Families {
    pub(in crate::profile) list: Vec<Family>,
    /// By slot: the place of its family.
    owners: Vec<u32>,
}

/// The owner of a slot that belongs to no family.
const NONE: u32 = u32::MAX;

impl Families {
    pub(in crate::profile) fn of(schema: &Schema, table: &Table) -> Self {
        let mut families = Families::default();
        let mut before_sign: HashMap<(char, String), u32> = HashMap::new();
        for (place, column) in table.columns.iter().enumerate() {
            if let Some(slot) = column
                .number()
                .and_then(|name| schema.names.slot(name.as_bytes()))
            {
                let family = families.add(place, Kind::Number);
                families.own(slot, family);
            }
            let is_gapped = table.missing == Missing::Indicator && column.number().is_some();
            let gap = schema
                .names
                .slot(format!("{}=missing", column.name).as_bytes());
            if let Some(slot) = gap.filter(|_| is_gapped) {
                let family = families.add(place, Kind::Gap);
                families.own(slot, family);
            }
            match column.kind {
                ColumnKind::Category => {
                    let family = families.add(place, Kind::Category);
                    before_sign.insert(('=', column.name.clone()), family);
                }
                ColumnKind::Text => {
                    let family = families.add(place, Kind::Words);
                    before_sign.insert(('^', column.name.clone()), family);
                }
                ColumnKind::Date(DateForm::Parts { .. }) => {
                    for part in ["month", "weekday", "hour"] {
                        let family = families.add(place, Kind::Category);
                        before_sign.insert(('=', format!("{}.{part}", column.name)), family);
                    }
                }
                ColumnKind::Number | ColumnKind::Date(DateForm::Seconds) | ColumnKind::Ignored => {}
            }
        }
        if !before_sign.is_empty() {
            for (slot, name) in schema.names.iter() {
                let mut signs = name.match_indices(['=', '^']);
                let family = signs.find_map(|(at, sign)| {
                    let sign = sign.chars().next()?;
                    before_sign.get(&(sign, name[..at].to_owned()))
                });
                if let Some(&family) = family {
                    families.own(slot, family);
                }
            }
        }
        families
    }

    fn add(&mut self, column: usize, kind: Kind) -> u32 {
        self.list.push(Family { column, kind });
        self.list.len() as u32 - 1
    }

    fn own(&mut self, slot: u32, family: u32) {
        let slot = slot as usize;
        if slot > 0 && slot < SLOTS {
            if self.owners.len() <= slot {
                self.owners.resize(slot + 1, NONE);
            }
            self.owners[slot] = family;
        }
    }

    /// The place of the family that a slot belongs to.
    pub(in crate::profile) fn of_slot(&self, slot: usize) -> Option<usize> {
        let owner = *self.owners.get(slot)?;
        (owner != NONE).then_some(owner as usize)
    }
}
