//! A look at the first rows of columns: of strings to decide what they hold, of numbers to tell row numbers and ids.

use arrow_array::ArrayRef;

use super::batch::{Mismatch, is_null, reach};
use super::numbers::Numbers;
use super::plan::{Leaf, Plan};
use super::texts::Texts;
use crate::kinds::{ColumnLook, FIRST_ROWS, Value};

/// How many columns of numbers are looked at: what numbers rows stands in front.
const WATCHED: usize = 32;

/// What was seen of some columns.
pub(super) struct Looks<'p> {
    /// The columns, and their places among all.
    leaves: Vec<(usize, &'p Leaf)>,
    seen: Vec<ColumnLook>,
    rows: usize,
}

impl<'p> Looks<'p> {
    /// Of the columns that are open.
    pub(super) fn new(plan: &'p Plan) -> Self {
        Self::of(plan, |leaf| leaf.open)
    }

    /// Of the columns that are open, and of the first ones of numbers.
    pub(super) fn with_numbers(plan: &'p Plan) -> Self {
        let mut watched = 0;
        Self::of(plan, |leaf| {
            watched += usize::from(leaf.is_watched);
            leaf.open || (leaf.is_watched && watched <= WATCHED)
        })
    }

    fn of(plan: &'p Plan, mut wants: impl FnMut(&Leaf) -> bool) -> Self {
        let leaves = plan.leaves.iter().enumerate();
        let leaves: Vec<(usize, &Leaf)> = leaves.filter(|(_, leaf)| wants(leaf)).collect();
        Looks {
            seen: vec![ColumnLook::default(); leaves.len()],
            leaves,
            rows: 0,
        }
    }

    /// The columns that are looked at.
    pub(super) fn columns(&self) -> Vec<usize> {
        let leaves = self.leaves.iter();
        let mut columns: Vec<usize> = leaves.map(|(_, leaf)| leaf.path[0]).collect();
        columns.dedup();
        columns
    }

    /// Whether enough was seen.
    pub(super) fn is_done(&self) -> bool {
        self.leaves.is_empty() || self.rows >= FIRST_ROWS
    }

    /// Looks at the next rows.
    pub(super) fn add(&mut self, columns: &[ArrayRef], rows: usize) -> Result<(), Mismatch> {
        let rows = rows.min(FIRST_ROWS - self.rows);
        for ((_, leaf), look) in self.leaves.iter().zip(&mut self.seen) {
            let (array, nulls) = reach(columns, leaf)?;
            let is_there = |i: &usize| !is_null(nulls.as_ref(), *i);
            if leaf.is_watched {
                let numbers = Numbers::of(array).ok_or(Mismatch)?;
                for i in 0..rows {
                    let value = Some(i).filter(is_there).map(|i| numbers.whole_value(i));
                    look.add(value.map_or(Value::Missing, Value::Number));
                }
                continue;
            }
            let texts = Texts::of(array).ok_or(Mismatch)?;
            for i in 0..rows {
                // a null in a dictionary's key has a place there all the same
                let text = Some(i).filter(is_there).and_then(|i| texts.text(i));
                look.add(text.map_or(Value::Missing, |text| Value::Text(text.as_bytes())));
            }
        }
        self.rows += rows;
        Ok(())
    }

    /// What was seen, with the places of the columns.
    pub(super) fn finish(self) -> Vec<(usize, ColumnLook)> {
        let places = self.leaves.iter().map(|(place, _)| *place);
        places.zip(self.seen).collect()
    }
}
