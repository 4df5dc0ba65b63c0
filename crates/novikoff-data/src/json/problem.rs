//! What can be wrong in JSON lines.

use novikoff::remedy::{Remedy, Setting};

use super::DEEPEST;
use crate::error::Token;
use crate::gaps;
use crate::kinds::no_date;

/// What a string is called that is a number.
pub(super) const NUMBER_IN_QUOTES: &str = "a number in quotes";

/// What is wrong at one place of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonProblem {
    /// Something else than what must stand there.
    #[error("{expected} must stand here, found {token}")]
    Unexpected {
        /// What is allowed.
        expected: &'static str,
        /// What stands there.
        token: Token,
    },
    /// The line ends in the middle.
    #[error("the line ends in the middle of its object; JSON lines have one whole object per line")]
    Unfinished,
    /// Bytes that are no text.
    #[error("byte 0x{byte:02x} is not UTF-8")]
    NotUtf8 {
        /// The byte.
        byte: u8,
    },
    /// A string that is not written as JSON has it.
    #[error("{what} in a string")]
    BadString {
        /// What is wrong.
        what: &'static str,
    },
    /// A name that is empty.
    #[error("a field has an empty name")]
    NoName,
    /// A name that came before.
    #[error("the field {name} comes twice in this line")]
    Twice {
        /// The name.
        name: Token,
    },
    /// Objects in objects in objects.
    #[error("objects are nested more than {DEEPEST} deep")]
    TooDeep,
    /// A value of another type than the field has.
    #[error("field {field}: {found}, but {expected}")]
    WrongType {
        /// The field's name.
        field: Token,
        /// What it is.
        found: &'static str,
        /// What the field holds.
        expected: &'static str,
    },
    /// An array that holds something else than numbers or strings, or both.
    #[error("field {field}: {found} in an array; arrays hold numbers or strings, and not both")]
    BadItem {
        /// The field's name.
        field: Token,
        /// What it is.
        found: &'static str,
    },
    /// Something else in a field of dates.
    #[error("field {field}: {token} is not a date such as 2024-03-05 or 2024-03-05T07:30:00Z")]
    NotDate {
        /// The field's name.
        field: Token,
        /// The value as written.
        token: Token,
    },
    /// A finite number that `f32` cannot hold.
    #[error("field {field}: {token} is beyond the range of f32, 3.4e38")]
    Range {
        /// The field's name.
        field: Token,
        /// The number as written.
        token: Token,
    },
    /// No value.
    #[error("field {field}: null is a missing value")]
    Missing {
        /// The field's name.
        field: Token,
    },
    /// A label that is none.
    #[error("label {token} {what}")]
    BadLabel {
        /// The label as written.
        token: Token,
        /// Why.
        what: &'static str,
    },
}

impl JsonProblem {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        let clause = match self {
            JsonProblem::Missing { .. } => return Some(gaps::fill()),
            JsonProblem::WrongType { field, found, .. } if *found == "a string" => {
                let categories = Remedy::give(Setting::Categorical, field.to_string())
                    .aim("if the field holds categories");
                return Some(Remedy::clause("replace it").or(categories));
            }
            JsonProblem::WrongType { found, .. } if *found == NUMBER_IN_QUOTES => {
                "write it without quotes"
            }
            JsonProblem::NotDate { field, .. } => return Some(no_date(field)),
            JsonProblem::Unexpected { .. } | JsonProblem::BadString { .. } => return None,
            JsonProblem::Unfinished => "write each object on one line",
            JsonProblem::NotUtf8 { .. } => "save it as UTF-8 text",
            JsonProblem::NoName => "name it",
            JsonProblem::Twice { .. } => "name them differently, or keep one of them",
            JsonProblem::TooDeep => "flatten them",
            JsonProblem::WrongType { .. } | JsonProblem::BadItem { .. } => "replace it",
            JsonProblem::Range { .. } => "scale the field down",
            JsonProblem::BadLabel { .. } => "write a string, a number or null for none",
        };
        Some(Remedy::clause(clause))
    }
}
