//! What can be wrong in a table.

use novikoff::remark::Guise;
use novikoff::remedy::{Remedy, Setting};

use super::value::{is_missing, trim};
use crate::error::Token;
use crate::gaps;
use crate::kinds::{guise, no_date, unit};

/// What is wrong at one place of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CsvProblem {
    /// Too few or too many fields.
    #[error("this record has {}, but {expected} are expected, as in the first one", fields(*found))]
    Ragged {
        /// How many fields there are.
        found: usize,
        /// How many the first record has.
        expected: usize,
    },
    /// A quote that does not end.
    #[error("the double quote here is never closed")]
    UnclosedQuote,
    /// A quote that is neither around a field nor doubled.
    #[error(
        "double quotes stand around a whole field, and are doubled inside it, as in \
         \"5\"\" pipe\"; found {token}"
    )]
    StrayQuote {
        /// The field as written.
        token: Token,
    },
    /// Bytes that are no text.
    #[error("byte 0x{byte:02x} in {token} is not UTF-8")]
    NotUtf8 {
        /// The byte.
        byte: u8,
        /// The field as written.
        token: Token,
    },
    /// Something else in a column of numbers.
    #[error("column {column}: {token} is not a finite decimal number such as -0.5 or 1e-3")]
    NotNumber {
        /// The column's name.
        column: Token,
        /// The field as written.
        token: Token,
    },
    /// Something else in a column of dates.
    #[error("column {column}: {token} is not a date such as 2024-03-05 or 2024-03-05T07:30:00Z")]
    NotDate {
        /// The column's name.
        column: Token,
        /// The field as written.
        token: Token,
    },
    /// A finite number that `f32` cannot hold.
    #[error("column {column}: {token} is beyond the range of f32, 3.4e38")]
    ValueRange {
        /// The column's name.
        column: Token,
        /// The field as written.
        token: Token,
    },
    /// No value.
    #[error("column {column}: {token} is a missing value")]
    Missing {
        /// The column's name.
        column: Token,
        /// The field as written.
        token: Token,
    },
    /// A cell that is refused, and the first ones of other columns.
    #[error("{first}, and other columns have such cells too: {}", list(others))]
    Several {
        /// What is wrong with the first.
        first: Box<CsvProblem>,
        /// The others, in their order.
        others: Vec<OtherCell>,
    },
    /// One of several labels is none.
    #[error("label {token} has an empty part")]
    EmptyLabel {
        /// The label as written.
        token: Token,
    },
    /// A column without a name.
    #[error("column {number} of the header has no name")]
    NoName {
        /// The column, counted from 1 in the file.
        number: usize,
    },
    /// The header, where a row should be.
    #[error("this record is the header again, as if another table began")]
    HeaderAgain,
    /// Two columns of one name.
    #[error("column {number} has the name {name}, as column {first} has")]
    SameName {
        /// The name.
        name: Token,
        /// The column, counted from 1 in the file.
        number: usize,
        /// The first column of that name.
        first: usize,
    },
}

/// The first cell of a column that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherCell {
    /// The column's name.
    pub column: Token,
    /// The field as written.
    pub token: Token,
    /// The line.
    pub line: u64,
    /// The byte in the line, counted from 1.
    pub at: u64,
}

fn list(cells: &[OtherCell]) -> String {
    let each = cells.iter().map(|cell| {
        let OtherCell {
            column,
            token,
            line,
            at,
        } = cell;
        format!("{line}:{at} {token} in column {column}")
    });
    each.collect::<Vec<String>>().join(", ")
}

impl CsvProblem {
    /// The column and the field, of a cell that is refused.
    pub(super) fn cell(&self) -> Option<(&Token, &Token)> {
        match self {
            CsvProblem::NotNumber { column, token }
            | CsvProblem::NotDate { column, token }
            | CsvProblem::Missing { column, token } => Some((column, token)),
            _ => None,
        }
    }

    /// Moves the lines of other cells down.
    pub(crate) fn move_down(&mut self, lines: u64) {
        if let CsvProblem::Several { others, .. } = self {
            for cell in others {
                cell.line += lines;
            }
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        let clause = match self {
            CsvProblem::HeaderAgain => "remove it",
            CsvProblem::NotNumber { column, token } | CsvProblem::NotDate { column, token }
                if column == token =>
            {
                "remove this record if it is the header again"
            }
            CsvProblem::NotNumber { token, .. }
                if guise(token.bytes()) == Some(Guise::Duration) =>
            {
                "write times as one number in one unit, 230 for 3:50 as seconds"
            }
            CsvProblem::NotNumber { token, .. } if is_number_otherwise(token.bytes()) => {
                "write numbers as 1234.5, with a point and without other signs"
            }
            CsvProblem::NotNumber { column, .. } => {
                let categories = Remedy::give(Setting::Categorical, column.to_string())
                    .aim("if the column holds categories");
                let empty = "empty the cell if the number is not known";
                return Some(Remedy::clause("replace it").or(empty).or(categories));
            }
            CsvProblem::NotDate { column, .. } => return Some(no_date(column)),
            CsvProblem::Missing { column, token } => {
                let fill = gaps::fill();
                // a word may be a category as well
                let is_word = !is_missing(trim(token.bytes()));
                let categories = Remedy::give(Setting::Categorical, column.to_string())
                    .aim("if the column holds categories");
                return Some(if is_word { fill.or(categories) } else { fill });
            }
            CsvProblem::Several { first, .. } => return first.remedy(),
            CsvProblem::StrayQuote { .. } => return None,
            CsvProblem::UnclosedQuote => "close it, or write the field without it",
            CsvProblem::Ragged { .. } => "put fields that contain the separator in double quotes",
            CsvProblem::NotUtf8 { .. } => "save the table as UTF-8 text",
            CsvProblem::ValueRange { .. } => "scale the column down",
            CsvProblem::EmptyLabel { .. } => "write several labels as in \"a,b\", none as ?",
            CsvProblem::NoName { .. } => "give every column one",
            CsvProblem::SameName { .. } => "name them differently",
        };
        Some(Remedy::clause(clause))
    }
}

/// Whether a text is a number that is not written as numbers are.
fn is_number_otherwise(text: &[u8]) -> bool {
    let has_unit = || std::str::from_utf8(text).is_ok_and(|text| unit(text).is_some());
    guise(text).is_some() || has_unit()
}

fn fields(count: usize) -> String {
    match count {
        1 => "1 field".to_owned(),
        _ => format!("{count} fields"),
    }
}
