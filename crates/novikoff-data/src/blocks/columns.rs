//! Whether a table has all columns that the table before it has.
//!
//! A column may come in another shape, as `convert` writes it: the categories or the places of a list as
//! columns of their own, `column=value` and `column[0]`; numbered features as sparse rows.

use std::collections::HashSet;

use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::Table;

use crate::error::{DataError, Token};

/// The columns that a column of this name may be a part of.
fn wholes(name: &str) -> impl Iterator<Item = &str> {
    let parts = [
        name.split_once('='),
        name.rsplit_once('='),
        name.rsplit_once('['),
    ];
    parts.into_iter().flatten().map(|(whole, _)| whole)
}

/// The first column of `known` that `found` lacks. Numbered features are there if they come `by_number`,
/// whatever the columns; an input without records lacks nothing.
pub(crate) fn absent<'a>(known: &'a Table, found: &Table, by_number: bool) -> Option<&'a str> {
    if *found == Table::default() {
        return None;
    }
    let names: HashSet<&str> = found.columns.iter().map(|c| c.name.as_str()).collect();
    let shapes: HashSet<&str> = names.iter().flat_map(|name| wholes(name)).collect();
    let is_number = |name: &str| name.bytes().all(|b| b.is_ascii_digit());
    let is_there = |name: &str| {
        names.contains(name)
            || shapes.contains(name)
            || wholes(name).any(|whole| names.contains(whole))
            || (by_number && is_number(name))
    };
    let columns = known.columns.iter().map(|column| column.name.as_str());
    columns.into_iter().find(|name| !is_there(name))
}

/// What is said of a column that is not there.
pub(crate) fn refuse(file: &str, column: &str) -> DataError {
    let column = Token::new(column.as_bytes());
    let what = format!("column {column} is missing, which the model or an earlier input has");
    let zero = Remedy::give(Setting::Missing, "zero").aim("to read it as 0");
    DataError::content(
        file,
        Complaint::new(what, Remedy::clause("add it").or(zero)),
    )
}

#[cfg(test)]
mod tests {
    use novikoff::table::{Column, ColumnKind, Table};

    use super::absent;

    #[test]
    fn a_column_is_there_in_any_shape() {
        let table = |names: &[&str]| {
            let column = |name: &&str| Column::new(*name, ColumnKind::Number);
            Table {
                label: Some("y".to_owned()),
                columns: names.iter().map(column).collect(),
                ..Table::default()
            }
        };
        for (known, found, by_number, expected) in [
            (&["a", "b"][..], &["b", "c", "a"][..], false, None),
            (&["a", "b"], &["a"], false, Some("b")),
            (&["y"], &["a"], false, Some("y")),
            (&["c", "e"], &["c=red", "e[0]", "e[1]"], false, None),
            (&["c=red", "c=blue", "e[1]"], &["e", "c"], false, None),
            (&["c=red", "c=blue"], &["c=red"], false, Some("c=blue")),
            (&["a=b"], &["a=b=c=d"], false, Some("a=b")),
            (&["1", "2", "x"], &["x"], true, None),
            (&["1", "2", "x"], &["1", "2"], true, Some("x")),
            (&["1", "2"], &["1"], false, Some("2")),
        ] {
            let (known, found) = (table(known), table(found));
            assert_eq!(absent(&known, &found, by_number), expected, "{known:?}");
            assert_eq!(absent(&known, &Table::default(), by_number), None);
        }
    }
}
