//! Missing cells of tables, counted per column.

use std::collections::BTreeMap;

use novikoff::remedy::{Remedy, Setting};

/// How many cells of each column are missing in the rows read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    rows: u64,
    cells: BTreeMap<String, u64>,
    absent: BTreeMap<String, u64>,
    /// Rows of JSON without the field of a number or a date.
    unwritten: BTreeMap<String, u64>,
}

impl Gaps {
    /// Counts a missing cell.
    pub(crate) fn add(&mut self, column: &str) {
        count(&mut self.cells, column, 1);
    }

    /// Counts rows that do not have the field of a column.
    pub(crate) fn add_unwritten(&mut self, column: &str, rows: u64) {
        count(&mut self.unwritten, column, rows);
    }

    /// Counts what a block has, whose rows lack some columns.
    pub(crate) fn block(&mut self, rows: u64, cells: &Gaps, absent: &[String]) {
        self.rows += rows;
        for (column, cells) in &cells.cells {
            count(&mut self.cells, column, *cells);
        }
        for (column, rows) in &cells.unwritten {
            count(&mut self.unwritten, column, *rows);
        }
        for column in absent {
            count(&mut self.absent, column, rows);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.cells.clear();
        self.absent.clear();
        self.unwritten.clear();
    }

    /// Rows read.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Columns with missing cells in tables that have the column, in order, and how many.
    pub fn cells(&self) -> impl Iterator<Item = (&str, u64)> {
        self.cells.iter().map(|(column, cells)| (&**column, *cells))
    }

    /// Columns that some tables lack, in order, and how many rows those tables have.
    pub fn absent(&self) -> impl Iterator<Item = (&str, u64)> {
        self.absent.iter().map(|(column, rows)| (&**column, *rows))
    }

    /// Fields of numbers and dates that rows of JSON lack, in order, and how many rows.
    pub fn unwritten(&self) -> impl Iterator<Item = (&str, u64)> {
        self.unwritten
            .iter()
            .map(|(column, rows)| (&**column, *rows))
    }

    /// Whether a row has a value in a column.
    pub fn has(&self, column: &str) -> bool {
        let of = |counts: &BTreeMap<String, u64>| counts.get(column).copied().unwrap_or(0);
        of(&self.cells) + of(&self.absent) < self.rows
    }
}

/// What to do about a missing cell where those are refused.
pub(crate) fn fill() -> Remedy {
    let give = |value| Remedy::give(Setting::Missing, value);
    Remedy::clause("fill it in")
        .or(give("mean").aim("to read it as the mean of its column (files)"))
        .or(give("indicator").aim("to learn from its being missing"))
        .or(give("zero").aim("to read it as 0"))
}

fn count(counts: &mut BTreeMap<String, u64>, column: &str, more: u64) {
    match counts.get_mut(column) {
        Some(count) => *count += more,
        None => {
            counts.insert(column.to_owned(), more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Gaps;

    #[test]
    fn cells_and_columns_are_counted_apart() {
        let (mut all, mut first) = (Gaps::default(), Gaps::default());
        first.add("age");
        first.add("age");
        all.block(2, &first, &["city".to_owned()]);
        assert!(!all.has("age") && !all.has("city") && all.has("income"));
        all.block(3, &Gaps::default(), &[]);
        assert!(all.has("age") && all.has("city"));
        assert_eq!(all.cells().collect::<Vec<_>>(), [("age", 2)]);
        assert_eq!(all.absent().collect::<Vec<_>>(), [("city", 2)]);
    }
}
