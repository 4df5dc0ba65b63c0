//! Learners that see all rows before the first trial.

use super::Refusal;
use crate::row::Row;

/// A look at all rows, without labels, before the first trial.
pub trait Survey {
    /// Whether rows must be seen before the first trial.
    fn surveys(&self) -> bool;

    /// Sees one row.
    fn survey(&mut self, x: Row<'_>) -> Result<(), Refusal>;

    /// All rows were seen.
    fn surveyed(&mut self);
}
