//! A look at the first rows of columns of strings, to decide what they hold.

use arrow_array::ArrayRef;

use super::batch::{Mismatch, is_null, reach};
use super::plan::{Leaf, Plan};
use super::texts::Texts;
use crate::kinds::{ColumnLook, FIRST_ROWS, Value};

/// What was seen of the columns that are open.
pub(super) struct Looks<'p> {
    leaves: Vec<&'p Leaf>,
    seen: Vec<ColumnLook>,
    rows: usize,
}

impl<'p> Looks<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let leaves: Vec<&Leaf> = plan.leaves.iter().filter(|leaf| leaf.open).collect();
        Looks {
            seen: vec![ColumnLook::default(); leaves.len()],
            leaves,
            rows: 0,
        }
    }

    /// The columns that are looked at.
    pub(super) fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.leaves.iter().map(|leaf| leaf.path[0]).collect();
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
        for (leaf, look) in self.leaves.iter().zip(&mut self.seen) {
            let (array, nulls) = reach(columns, leaf)?;
            let texts = Texts::of(array).ok_or(Mismatch)?;
            for i in 0..rows {
                // a null in a dictionary's key has a place there all the same
                let text = texts.text(i).filter(|_| !is_null(nulls.as_ref(), i));
                look.add(text.map_or(Value::Missing, |text| Value::Text(text.as_bytes())));
            }
        }
        self.rows += rows;
        Ok(())
    }

    /// What was seen, in the order of the columns.
    pub(super) fn finish(self) -> Vec<ColumnLook> {
        self.seen
    }
}
