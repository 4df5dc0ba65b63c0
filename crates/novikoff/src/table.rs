//! The columns of a table: what a model must know to read another table the same way.

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
