//! Whether things that rows come from, each with a category, keep their label for some time: machines by day, customers by month. Neighbours of such rows
//! may be of different things, so runs of equal labels say nothing of it.
//!
//! Memory: 24 bytes per category, of up to [`SLOTS`] features.

use novikoff::remark::ThingOrder;
use novikoff::row::Row;
use novikoff::schema::Schema;
use novikoff::table::ColumnKind;

use super::leakage::families::{Families, Kind};

/// The highest slot that is looked at.
const SLOTS: usize = 1 << 16;

/// Rows of more values than this are not those of a table with few columns.
const VALUES: usize = 256;

/// A column has at least this many categories,
const CATEGORIES: u64 = 10;

/// and this many rows per category.
const ROWS: u64 = 5;

/// Things keep their label if that of their row before is wrong less than this many times as often as that of their first row.
const KEPT: f64 = 0.5;

/// The rows of one category.
#[derive(Clone, Copy, Debug, Default)]
struct Thing {
    /// The kinds of the labels of the first row and of the last.
    first: u32,
    last: u32,
    rows: u32,
    /// Rows whose label is not that of the row before, and not that of the first row.
    changes: u32,
    away: u32,
    /// The most frequent label so far was wrong for the first row.
    is_wrong: bool,
}

/// The rows of all categories, by slot.
#[derive(Debug, Default)]
pub(crate) struct Panels {
    rows: u64,
    things: Vec<Thing>,
}

impl Panels {
    /// A row whose label is of a kind; whether the most frequent label so far was wrong for it.
    pub(crate) fn row(&mut self, row: Row<'_>, kind: u64, is_wrong: bool) {
        self.rows += 1;
        if row.len() > VALUES {
            return;
        }
        let (_, stored) = row.stored();
        let kind = (kind ^ kind >> 32) as u32;
        let present =
            stored.filter(|(slot, value)| *value == 1.0 && (1..SLOTS as u32).contains(slot));
        for (slot, _) in present {
            let slot = slot as usize;
            if slot >= self.things.len() {
                self.things.resize(slot + 1, Thing::default());
            }
            let thing = &mut self.things[slot];
            if thing.rows == 0 {
                (thing.first, thing.is_wrong) = (kind, is_wrong);
            } else {
                thing.changes += u32::from(kind != thing.last);
                thing.away += u32::from(kind != thing.first);
            }
            thing.last = kind;
            thing.rows = thing.rows.saturating_add(1);
        }
    }

    /// The column of categories whose things keep their label best, if some do.
    pub(crate) fn kept(&self, schema: &Schema) -> Option<ThingOrder> {
        let table = schema
            .table
            .as_ref()
            .filter(|_| schema.names.bits().is_none())?;
        let families = Families::of(schema, table);
        let mut orders: Vec<(ThingOrder, u64)> = families
            .list
            .iter()
            .map(|family| {
                let column = table.columns[family.column].name.clone();
                (
                    ThingOrder {
                        column,
                        things: 0,
                        changes: 0,
                        errors: 0,
                        rows: 0,
                    },
                    0,
                )
            })
            .collect();
        for (slot, thing) in self
            .things
            .iter()
            .enumerate()
            .filter(|(_, thing)| thing.rows > 0)
        {
            let Some(place) = families.of_slot(slot) else {
                continue;
            };
            let (order, away) = &mut orders[place];
            order.things += 1;
            order.rows += u64::from(thing.rows);
            order.changes += u64::from(thing.changes);
            order.errors += u64::from(thing.changes) + u64::from(thing.is_wrong);
            *away += u64::from(thing.away);
        }
        let kept = orders
            .into_iter()
            .zip(&families.list)
            .filter(|((order, away), family)| {
                let is_column = table.columns[family.column].kind == ColumnKind::Category;
                is_column
                    && family.kind == Kind::Category
                    && order.rows == self.rows
                    && order.things >= CATEGORIES
                    && order.rows >= ROWS * order.things
                    && (order.changes as f64) < KEPT * *away as f64
            });
        kept.map(|((order, _), _)| order)
            .min_by_key(|order| order.errors)
    }
}
