//! What can be wrong in a table.

use crate::error::Token;

/// What is wrong at one place of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CsvProblem {
    /// Too few or too many fields.
    #[error(
        "this record has {}, but {expected} are expected, as in the first one; \
         put fields that contain the separator in double quotes",
        fields(*found)
    )]
    Ragged {
        /// How many fields there are.
        found: usize,
        /// How many the first record has.
        expected: usize,
    },
    /// A quote that does not end.
    #[error("the double quote here is never closed; close it, or write the field without it")]
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
    #[error("byte 0x{byte:02x} in {token} is not UTF-8; save the table as UTF-8 text")]
    NotUtf8 {
        /// The byte.
        byte: u8,
        /// The field as written.
        token: Token,
    },
    /// Something else in a column of numbers.
    #[error(
        "column {column}: {token} is not a finite decimal number such as -0.5 or 1e-3; replace it, \
         or use --categorical {column} if the column holds categories"
    )]
    NotNumber {
        /// The column's name.
        column: Token,
        /// The field as written.
        token: Token,
    },
    /// A finite number that `f32` cannot hold.
    #[error("column {column}: {token} is beyond the range of f32, 3.4e38; scale the column down")]
    ValueRange {
        /// The column's name.
        column: Token,
        /// The field as written.
        token: Token,
    },
    /// No value.
    #[error(
        "column {column}: {token} is a missing value; fill it in, or use --missing zero to read \
         missing values as 0"
    )]
    Missing {
        /// The column's name.
        column: Token,
        /// The field as written.
        token: Token,
    },
    /// One of several labels is none.
    #[error("label {token} has an empty part; write several labels as in \"a,b\", none as ?")]
    EmptyLabel {
        /// The label as written.
        token: Token,
    },
    /// A column without a name.
    #[error("column {number} of the header has no name; give every column one")]
    NoName {
        /// The column, counted from 1 in the file.
        number: usize,
    },
    /// Two columns of one name.
    #[error("column {number} has the name {name}, as column {first} has; name them differently")]
    SameName {
        /// The name.
        name: Token,
        /// The column, counted from 1 in the file.
        number: usize,
        /// The first column of that name.
        first: usize,
    },
}

fn fields(count: usize) -> String {
    match count {
        1 => "1 field".to_owned(),
        _ => format!("{count} fields"),
    }
}
