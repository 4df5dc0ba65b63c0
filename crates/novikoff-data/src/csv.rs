//! Tables as text: one row a record, fields separated by commas, tabs or semicolons.
//!
//! | part | what is read |
//! | --- | --- |
//! | separator | comma, tab or semicolon: whichever is most frequent outside quotes in the first record; or what a first line `sep=;` says |
//! | quotes | as RFC 4180 has them: `"` around a whole field, doubled inside it; separators and newlines may stand inside |
//! | lines | end by newline or CR newline; empty lines are no records; the last may lack its newline; a byte order mark is skipped |
//! | records | have as many fields as the first one; none is the header again |
//! | header | see below; names are unique and not empty, blanks around unquoted ones are dropped |
//! | label | kept as written, blanks at its ends dropped; commas separate several labels; a missing value is a row without labels |
//! | numbers | finite decimals, rounded to the nearest `f32`, and `true` and `false` in any case, which are 1 and 0; blanks around them are dropped; the feature is called as the column |
//! | categories | any UTF-8 text, as it is; the feature `column=text` is 1 |
//! | text | any UTF-8 text, as it is; its words are features: see `text.rs`; an empty field is a text without words, and nothing is missing |
//! | dates | ISO 8601; blanks around them are dropped; the features are `column.year`, `column.month=3`, `column.weekday=1` and `column.hour=7`, or the seconds since 1970 |
//! | missing | an empty field, `NA`, `N/A`, `NaN`, `nan`, `null`, `NULL`, `None`, `?`: what [`Missing`] says |
//!
//! **The first record is a header** if the options say so, or else if the label asked for is the name of
//! one of its fields; if one of its fields is called label, target, class or y, and its numbers count from
//! 0 or 1, or rise, or that field does not come again below; if none of its fields is a number or missing;
//! or if it has a text where the second record has a number. A table without a header has columns called
//! 1, 2, ... with the label left out, so that it equals the svmlight file of the same rows.
//!
//! **The label's column** is the one asked for: a name in the header, or a number counted from 1 in the
//! file. Otherwise it is called as in the model's table; or it is the only column called label, target,
//! class or y; or, without a header, it is the first, unless the table is to be predicted and has just
//! the model's columns. Tables to be predicted may do without one.
//!
//! **What a column holds** is decided by [`crate::kinds`], which looks at the first records as far as it makes a difference: not at all if the
//! model or the options say what all columns are, and at one record if all its values are numbers.
//!
//! A bad record may be passed over if it is certain where it ends: not if it spans lines because of a
//! stray quote, for it might hide any number of rows.

mod begin;
mod columns;
mod parse;
mod problem;
mod quick;
mod split;
mod stage;
mod value;

use std::sync::{Arc, OnceLock};

use novikoff::remark::Remark;
use novikoff::table::{Column, ColumnKind, DateForm, Missing, Table};

use crate::blocks::columns::Imputed;
use crate::error::DataError;
use crate::input::Opened;
use crate::options::ReadOptions;
pub(crate) use parse::parse_draft;
pub use problem::{CsvProblem, OtherCell};
use stage::Numbers;
pub(crate) use value::is_missing;

/// What a field is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Label,
    Number,
    Category,
    /// Text: its place among the columns of text.
    Text(usize),
    Date(DateForm),
    Ignored,
}

/// What the columns of one input are.
#[derive(Clone, Debug)]
pub(crate) struct CsvLayout {
    /// As a model keeps it.
    pub(crate) table: Table,
    delimiter: u8,
    /// The label's place among the fields.
    label: Option<usize>,
    /// The place of the field that is kept with every row.
    id: Option<usize>,
    /// The header as it is written, of a table in which it would be read as a row if it came again.
    header: Option<Box<[u8]>>,
    /// One for each field.
    roles: Vec<Role>,
    /// The columns of text.
    texts: Arc<[String]>,
    /// What a missing value is, and the number that stands for it: one per feature that is a number.
    missing: Missing,
    fills: Vec<f32>,
    /// What columns that are not there add to every row.
    imputed: Imputed,
    /// The features of the columns of numbers, once they are settled.
    settled: OnceLock<Numbers>,
}

/// Where the rows begin.
pub(crate) struct CsvStart {
    /// What the columns are.
    pub(crate) layout: CsvLayout,
    /// Bytes before the first row.
    pub(crate) skip: usize,
    /// Lines before the first row.
    pub(crate) lines: u64,
    /// What a person should know.
    pub(crate) remarks: Vec<Remark>,
}

impl CsvLayout {
    /// Looks at the first records of an input; `frozen` names are those of a model, and there will be no others.
    pub(crate) fn begin(
        opened: &mut Opened,
        options: &ReadOptions,
        frozen: bool,
    ) -> Result<CsvStart, DataError> {
        begin::begin(opened, options, frozen)
    }

    fn new(table: Table, label: Option<usize>, delimiter: u8, imputed: Imputed) -> Self {
        let mut met = 0..;
        let role = |column: &Column| match column.kind {
            ColumnKind::Number => Role::Number,
            ColumnKind::Category => Role::Category,
            ColumnKind::Text => Role::Text(met.next().unwrap_or(0)),
            ColumnKind::Date(form) => Role::Date(form),
            ColumnKind::Ignored => Role::Ignored,
        };
        let mut roles: Vec<Role> = table.columns.iter().map(role).collect();
        if let Some(at) = label {
            roles.insert(at, Role::Label);
        }
        let numbers = table.columns.iter();
        let numbers = numbers.filter(|column| column.number().is_some());
        CsvLayout {
            fills: numbers.map(|column| column.mean.unwrap_or(0.0)).collect(),
            missing: table.missing,
            texts: table.texts(),
            table,
            delimiter,
            label,
            id: None,
            header: None,
            roles,
            imputed,
            settled: OnceLock::new(),
        }
    }

    /// The column of field `k`, which is not the label.
    fn column(&self, k: usize) -> &Column {
        let before = usize::from(self.label.is_some_and(|label| label < k));
        &self.table.columns[k - before]
    }
}
