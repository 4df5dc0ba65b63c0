//! The columns of a table: what a model must know to read another table the same way.

use std::collections::HashSet;

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, or its number counted from 1.
    pub name: String,
    /// Its values are categories: the feature `name=value` is 1. Otherwise they are numbers.
    pub categorical: bool,
}

/// The columns of a table (CSV, Parquet, Arrow) with the label aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The name of the label's column, or its number counted from 1.
    pub label: Option<String>,
    /// The other columns, in order.
    pub columns: Vec<Column>,
}

impl Table {
    /// Adds what another table has: its label, and its columns that are new.
    pub fn extend(&mut self, next: Table) {
        let known: HashSet<String> = self.columns.iter().map(|c| c.name.clone()).collect();
        let new = next.columns.into_iter();
        self.columns
            .extend(new.filter(|c| !known.contains(&c.name)));
        self.label = next.label.or(self.label.take());
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Table};

    fn table(label: Option<&str>, columns: &[(&str, bool)]) -> Table {
        let column = |&(name, categorical): &(&str, bool)| Column {
            name: name.to_owned(),
            categorical,
        };
        Table {
            label: label.map(str::to_owned),
            columns: columns.iter().map(column).collect(),
        }
    }

    #[test]
    fn a_column_stays_what_it_was_first() {
        let mut both = table(Some("y"), &[("a", true), ("b", false)]);
        both.extend(table(None, &[("c", true), ("a", false)]));
        let expected = table(Some("y"), &[("a", true), ("b", false), ("c", true)]);
        assert_eq!(both, expected);
    }
}
