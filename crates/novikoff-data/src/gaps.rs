//! Missing cells of tables, counted per column.

use std::collections::BTreeMap;

use novikoff::remedy::{Remedy, Setting};

/// How many cells of each column are missing in the rows read so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gaps {
    rows: u64,
    cells: BTreeMap<String, u64>,
    absent: BTreeMap<String, u64>,
    /// Rows of JSON without the field of a number or a date, and the numbers of the others.
    fields: BTreeMap<String, (u64, NumberSums)>,
}

/// How many numbers there are, their sum and the sum of their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NumberSums {
    count: u64,
    sum: f64,
    squares: f64,
}

impl NumberSums {
    pub(crate) fn add(&mut self, number: f32) {
        let number = f64::from(number);
        self.count += 1;
        self.sum += number;
        self.squares += number * number;
    }

    /// Standard deviations between 0 and the mean; none if all numbers are the same.
    fn deviations_of_zero(&self) -> Option<f64> {
        let count = self.count.max(1) as f64;
        let mean = self.sum / count;
        let variance = self.squares / count - mean * mean;
        let is_spread = variance > 1e-9 * mean * mean;
        is_spread.then(|| mean.abs() / variance.sqrt())
    }
}

impl Gaps {
    /// Counts a missing cell.
    pub(crate) fn add(&mut self, column: &str) {
        count(&mut self.cells, column, 1);
    }

    /// Counts rows that do not have the field of a column, and the numbers of those that have it.
    pub(crate) fn add_field(&mut self, column: &str, unwritten: u64, numbers: NumberSums) {
        match self.fields.get_mut(column) {
            Some((rows, sums)) => {
                *rows += unwritten;
                sums.count += numbers.count;
                sums.sum += numbers.sum;
                sums.squares += numbers.squares;
            }
            None => {
                self.fields.insert(column.to_owned(), (unwritten, numbers));
            }
        }
    }

    /// Counts what a block has, whose rows lack some columns.
    pub(crate) fn block(&mut self, rows: u64, cells: &Gaps, absent: &[String]) {
        self.rows += rows;
        for (column, cells) in &cells.cells {
            count(&mut self.cells, column, *cells);
        }
        for (column, (rows, numbers)) in &cells.fields {
            self.add_field(column, *rows, *numbers);
        }
        for column in absent {
            count(&mut self.absent, column, rows);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.cells.clear();
        self.absent.clear();
        self.fields.clear();
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
        let fields = self.fields.iter().filter(|(_, (rows, _))| *rows > 0);
        fields.map(|(column, (rows, _))| (&**column, *rows))
    }

    /// Standard deviations between 0 and the mean of the numbers in a field of JSON that most rows have, if they differ.
    pub fn deviations_of_zero(&self, column: &str) -> Option<f64> {
        let (unwritten, numbers) = self.fields.get(column)?;
        let is_usual = 2 * unwritten <= self.rows;
        numbers.deviations_of_zero().filter(|_| is_usual)
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
        .or(give("mean").aim("to read it as the mean of its column (files, in training)"))
        .or(give("indicator").aim("to learn from its being missing (in training)"))
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
