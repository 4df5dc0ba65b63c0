//! JSON lines: one object per line.
//!
//! | value of a field | features |
//! | --- | --- |
//! | number, `true`, `false` (1 and 0) | `field`, rounded to the nearest `f32` |
//! | string | `field=value` is 1; or its words, if the field is text |
//! | object | those of its fields, called `field.inner` |
//! | array of numbers | `field[0]`, `field[1]`, ... |
//! | array of strings | the words `field^string`, each string a word as it is, weighted as those of text are |
//! | `null` | a missing value: an error, or no feature by [`Missing`](crate::options::Missing) |
//!
//! A field that is not there is zero. Numbers are finite decimals as JSON has them; NaN and Infinity are not JSON. A name comes once per
//! line. Objects are at most 64 deep. Blank lines are no rows.
//!
//! **The label** is the field asked for, or the one called as in the model's table, or the only field called label, target, class or y:
//! a string, a number or a boolean (1 and 0); or an array of these, which is several labels. `null`, an empty array or no field is a row
//! without labels.
//!
//! **What a field is** is decided by the model's table, the options and the first rows as for all tables ([`kinds`](crate::kinds)). A
//! value of another type is an error, except that categories may be written as numbers or booleans. Strings of a field that the first
//! rows do not have are categories, and its arrays of strings are words that are not weighted.

mod begin;
mod cursor;
mod kinds;
mod objects;
mod problem;
mod stage;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use memchr::memchr_iter;
use novikoff::names::Names;
use novikoff::remark::Remark;
use novikoff::table::{ColumnKind, DateForm, Table};

use crate::draft::Draft;
use crate::error::{DataError, LineError, LineProblem};
use crate::input::Opened;
use crate::options::ReadOptions;
pub(crate) use cursor::is_number;
pub use objects::{ObjectColumns, ObjectRows};
pub use problem::JsonProblem;
use stage::{Sink, Stage};
use walk::walk;

/// How deep objects may be nested.
const DEEPEST: usize = 64;

/// What the fields of one input are.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonLayout {
    /// As a model keeps it.
    pub(crate) table: Table,
    /// The field that is kept with every row.
    id: Option<String>,
    /// What each field is, and its place among the columns of the table; past them for the label.
    roles: HashMap<String, (Role, usize)>,
    /// Fields that are single numbers: their names get slots before the first row.
    numbers: Vec<String>,
    /// The fields of text.
    texts: Arc<[String]>,
}

/// What was found out of an input by its first rows.
#[derive(Debug, Default)]
pub(crate) struct JsonStart {
    pub(crate) layout: JsonLayout,
    /// What a person should know.
    pub(crate) remarks: Vec<Remark>,
}

/// What the values of a field are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Label,
    Number,
    Category,
    Date(DateForm),
    /// Its place among the fields of text.
    Text(usize),
    Ignored,
}

impl JsonLayout {
    /// Looks at the first rows of an input.
    pub(crate) fn begin(
        opened: &mut Opened,
        options: &ReadOptions,
        frozen: bool,
    ) -> Result<JsonStart, DataError> {
        begin::begin(opened, options, frozen)
    }

    /// The fields of a table; `numbers` are those that are single numbers.
    fn new(table: Table, numbers: Vec<String>) -> Self {
        let mut texts = 0..;
        let mut roles: HashMap<String, (Role, usize)> = HashMap::new();
        for (place, column) in table.columns.iter().enumerate() {
            let role = match column.kind {
                ColumnKind::Number => Role::Number,
                ColumnKind::Category => Role::Category,
                ColumnKind::Date(form) => Role::Date(form),
                ColumnKind::Text => Role::Text(texts.next().unwrap_or(0)),
                ColumnKind::Ignored => Role::Ignored,
            };
            roles.insert(column.name.clone(), (role, place));
        }
        if let Some(label) = &table.label {
            roles.insert(label.clone(), (Role::Label, usize::MAX));
        }
        JsonLayout {
            texts: table.texts(),
            table,
            id: None,
            roles,
            numbers,
        }
    }

    /// What a field is, and its place; none if the first rows do not have it.
    fn role(&self, path: &str) -> Option<(Role, usize)> {
        self.roles.get(path).copied()
    }
}

/// Adds the rows of a block of whole lines to `out`, and says how many lines there were.
pub(crate) fn parse_draft(
    text: &[u8],
    layout: &JsonLayout,
    options: &ReadOptions,
    names: &Names,
    out: &mut Draft,
) -> Result<u64, LineError> {
    for name in &layout.numbers {
        out.find(names, name.as_bytes());
    }
    out.begin_text(&layout.texts, layout.table.text);
    let mut stage = Stage::new(layout, options.missing());
    let mut sink = Sink::new(layout, options, names);
    let (mut start, mut line) = (0, 0);
    while start < text.len() {
        let end = memchr_iter(b'\n', &text[start..]).next();
        let end = end.map_or(text.len(), |len| start + len);
        let object = &text[start..end];
        if object.len() > options.max_line {
            return Err(LineError {
                line,
                column: options.max_line as u64 + 1,
                problem: LineProblem::LineTooLong {
                    limit: options.max_line,
                },
            });
        }
        if !object.trim_ascii().is_empty() {
            stage.clear();
            match walk(object, &mut stage) {
                Ok(()) => sink.add(&stage, line, out),
                Err(fault) => {
                    let error = LineError {
                        line,
                        column: fault.at as u64 + 1,
                        problem: fault.problem.into(),
                    };
                    out.pass_over(error, options)?;
                }
            }
        }
        (start, line) = (end + 1, line + 1);
    }
    sink.finish(out);
    Ok(line)
}
