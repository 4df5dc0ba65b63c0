//! The columns of a table: what a model must know to read another table the same way.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers: the feature is called as the column.
    #[default]
    Number,
    /// Categories: the feature `column=value` is 1.
    Category,
    /// Text: the features `column^word` hold the words.
    Text,
    /// Dates and times.
    Date(DateForm),
    /// Nothing is learned from it: it was dropped, or is an id.
    Ignored,
}

impl ColumnKind {
    /// Its name in messages and reports.
    pub fn name(self) -> &'static str {
        match self {
            ColumnKind::Number => "number",
            ColumnKind::Category => "category",
            ColumnKind::Text => "text",
            ColumnKind::Date(_) => "date",
            ColumnKind::Ignored => "ignored",
        }
    }
}

/// What features a date becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateForm {
    /// The number `column.year` and the categories `column.month`, `column.weekday` and, if there are times, `column.hour`.
    Parts {
        /// Some value has a time of day.
        hours: bool,
    },
    /// Seconds since 1970-01-01T00:00:00Z: a number called as the column.
    Seconds,
}

/// What a missing value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// An error.
    #[default]
    Refuse,
    /// Zero; a missing category is none of the categories.
    Zero,
    /// The mean of the column over the rows it was trained on; a missing category is none of the categories.
    Mean,
    /// Zero, and the category `column=missing`.
    Indicator,
}

impl Missing {
    /// Its name in commands and messages.
    pub fn name(self) -> &'static str {
        match self {
            Missing::Refuse => "refuse",
            Missing::Zero => "zero",
            Missing::Mean => "mean",
            Missing::Indicator => "indicator",
        }
    }
}

/// How text becomes features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextForm {
    /// The least and the most words of an n-gram.
    pub ngrams: (u8, u8),
    /// Counts are multiplied by the inverse document frequency.
    pub tfidf: bool,
}

impl Default for TextForm {
    fn default() -> Self {
        TextForm {
            ngrams: (1, 1),
            tfidf: true,
        }
    }
}

/// One column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its name, or its number counted from 1.
    pub name: String,
    /// What its values are.
    pub kind: ColumnKind,
    /// What stands for a missing number, where that is a mean.
    pub mean: Option<f32>,
}

impl Column {
    /// A column of a kind.
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Self {
        Column {
            name: name.into(),
            kind,
            mean: None,
        }
    }

    /// The name of its feature that is a number, if it has one: the column's own, or `column.year` of a date in parts.
    pub fn number(&self) -> Option<Cow<'_, str>> {
        match self.kind {
            ColumnKind::Number | ColumnKind::Date(DateForm::Seconds) => {
                Some(Cow::Borrowed(&*self.name))
            }
            ColumnKind::Date(DateForm::Parts { .. }) => {
                Some(Cow::Owned(format!("{}.year", self.name)))
            }
            ColumnKind::Category | ColumnKind::Text | ColumnKind::Ignored => None,
        }
    }
}

/// The columns of a table (CSV, Parquet, Arrow, JSON lines) with the label aside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The name of the label's column, or its number counted from 1.
    pub label: Option<String>,
    /// The other columns, in order.
    pub columns: Vec<Column>,
    /// What missing values are.
    pub missing: Missing,
    /// How text becomes features.
    pub text: TextForm,
}

impl Table {
    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Whether some column is text.
    pub fn has_words(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| column.kind == ColumnKind::Text)
    }

    /// The names of the columns of text, in order.
    pub fn texts(&self) -> Arc<[String]> {
        let texts = self.columns.iter().filter(|c| c.kind == ColumnKind::Text);
        texts.map(|column| column.name.clone()).collect()
    }

    /// Adds what another table has: its label, its columns that are new, what missing values are, and how text becomes features if no
    /// column was text before. A table without columns says nothing.
    pub fn extend(&mut self, next: Table) {
        if next == Table::default() {
            return;
        }
        self.missing = next.missing;
        let known: HashSet<String> = self.columns.iter().map(|c| c.name.clone()).collect();
        let new = next.columns.into_iter();
        if self.columns.iter().all(|c| c.kind != ColumnKind::Text) {
            self.text = next.text;
        }
        self.columns
            .extend(new.filter(|c| !known.contains(&c.name)));
        self.label = next.label.or(self.label.take());
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, ColumnKind, Table};

    fn table(label: Option<&str>, columns: &[(&str, ColumnKind)]) -> Table {
        let column = |&(name, kind): &(&str, ColumnKind)| Column::new(name, kind);
        Table {
            label: label.map(str::to_owned),
            columns: columns.iter().map(column).collect(),
            ..Table::default()
        }
    }

    #[test]
    fn a_column_stays_what_it_was_first() {
        use ColumnKind::{Category, Number};
        let mut both = table(Some("y"), &[("a", Category), ("b", Number)]);
        both.extend(table(None, &[("c", Category), ("a", Number)]));
        let expected = table(
            Some("y"),
            &[("a", Category), ("b", Number), ("c", Category)],
        );
        assert_eq!(both, expected);
    }
}
