//! Vowpal Wabbit's text: `[label] [importance] [tag]|namespace[:scale] name[:value] ... |namespace ...`.
//!
//! | part | what is read |
//! | --- | --- |
//! | label | one or more finite decimals separated by commas; `?`, or none at all, is a row without labels |
//! | importance | a finite decimal, 0 or more: how many times the row counts |
//! | tag | the last word before the first bar, if it begins with `'` or touches the bar; skipped unread |
//! | namespace | the word that touches a bar; its features are named `namespace^name`, those after a bare bar `name` |
//! | scale | a finite decimal that every value of the namespace is multiplied by |
//! | name | UTF-8 without blanks, bars, colons and control bytes |
//! | value | a finite decimal, rounded to the nearest `f32`; 1 if there is none. What comes twice is added up |
//! | lines | end by newline or CR newline; empty lines are no rows |
//!
//! As in VW a word that touches the bar is a tag even if it is a number: `1|f a` is a row without a
//! label, `1 |f a` has the label 1. Unlike VW, which drops what stands before the first tab of a line,
//! a tab separates words as a space does; and nothing that is wrong is read as something else.

mod fault;
mod head;
mod line;
mod plain;
mod stage;

use memchr::memchr;
use novikoff::names::Names;
use novikoff::remedy::Remedy;

use crate::draft::Draft;
use crate::error::{LineError, LineProblem, Token};
use crate::options::ReadOptions;
use crate::svmlight::first_too_long;
use fault::Fault;
use line::{Line, LineReader};

/// What is wrong at one place of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VwProblem {
    /// A line without a bar.
    #[error("no | in this line; rows are written label | name:value ..., as in 1 | price:0.5")]
    MissingBar,
    /// An importance that is no finite decimal.
    #[error("importance {token} is not a finite decimal number")]
    BadImportance {
        /// The importance as written.
        token: Token,
    },
    /// An importance below 0.
    #[error("importance {token} is negative")]
    NegativeImportance {
        /// The importance as written.
        token: Token,
    },
    /// A finite importance that `f32` cannot hold.
    #[error("importance {token} is beyond the range of f32, 3.4e38")]
    ImportanceRange {
        /// The importance as written.
        token: Token,
    },
    /// A number after the importance.
    #[error("{token} after label and importance is an initial prediction, which is not supported")]
    InitialPrediction {
        /// The number as written.
        token: Token,
    },
    /// A word after the importance that is neither a number nor a tag.
    #[error("{token} after label and importance is no tag")]
    ExtraWord {
        /// The word as written.
        token: Token,
    },
    /// A scale, but no namespace.
    #[error("{token} has no namespace before its colon")]
    EmptyNamespace {
        /// What stands after the bar.
        token: Token,
    },
    /// Nothing after the colon of a namespace.
    #[error("namespace {token} has no scale after its colon")]
    MissingScale {
        /// The namespace.
        token: Token,
    },
    /// A scale that is no finite decimal.
    #[error(
        "scale {token} is not a finite decimal number such as 0.5; namespaces are written \
         |name or |name:scale"
    )]
    BadScale {
        /// The scale as written.
        token: Token,
    },
    /// A value without a name.
    #[error("{token} has no name before its colon; features are written name or name:value")]
    EmptyName {
        /// The feature as written.
        token: Token,
    },
    /// Nothing after the colon of a feature.
    #[error("feature {token} has no value after its colon")]
    MissingValue {
        /// The name.
        token: Token,
    },
    /// A feature with a colon too many.
    #[error("{token} has two colons; features are written name:value, and names have no colon")]
    TwoColons {
        /// The feature as written.
        token: Token,
    },
    /// A value that leaves the range of `f32` by its namespace's scale.
    #[error("value {token} times the scale of its namespace is beyond the range of f32, 3.4e38")]
    ScaledRange {
        /// The value as written.
        token: Token,
    },
    /// A byte that no text has here.
    #[error(
        "byte 0x{byte:02x} in {token} is not plain text; names are UTF-8 without control bytes"
    )]
    NotText {
        /// The byte.
        byte: u8,
        /// The word it is in.
        token: Token,
    },
}

impl VwProblem {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        let clause = match self {
            VwProblem::BadImportance { .. } => "write one such as 2, or ' before a tag",
            VwProblem::NegativeImportance { .. } => "write 0 or more, or leave it out for 1",
            VwProblem::ImportanceRange { .. } => "scale all importances down",
            VwProblem::InitialPrediction { .. } => "remove it",
            VwProblem::ExtraWord { .. } => "write ' before a tag, or no space after it",
            VwProblem::EmptyNamespace { .. } => "write |name:scale, or a space after the |",
            VwProblem::MissingScale { .. } => "write a number, or no colon",
            VwProblem::MissingValue { .. } => "write a number, or no colon for 1",
            VwProblem::ScaledRange { .. } => "scale the feature down",
            VwProblem::MissingBar
            | VwProblem::BadScale { .. }
            | VwProblem::EmptyName { .. }
            | VwProblem::TwoColons { .. }
            | VwProblem::NotText { .. } => return None,
        };
        Some(Remedy::clause(clause))
    }
}

/// Adds the rows of a block of whole lines (the last may lack its newline) to `out`, passing over as
/// many bad lines as the options allow, and says how many lines there were.
pub(crate) fn parse_draft(
    text: &[u8],
    options: &ReadOptions,
    names: &Names,
    out: &mut Draft,
) -> Result<u64, LineError> {
    let too_long = first_too_long(text, options.max_line);
    let text = &text[..too_long.unwrap_or(text.len())];
    let mut lines = 0;
    let mut reader = LineReader::new(text, options, names);
    let mut start = 0;
    while start < text.len() {
        match reader.line(start, out) {
            Ok(Line { next, row }) => {
                if row {
                    out.end_row(lines);
                }
                start = next;
            }
            Err(Fault { at, problem }) => {
                let error = LineError {
                    line: lines,
                    column: (at - start + 1) as u64,
                    problem,
                };
                out.forget_names();
                out.pass_over(error, options)?;
                start = memchr(b'\n', &text[start..]).map_or(text.len(), |len| start + len + 1);
            }
        }
        lines += 1;
    }
    match too_long {
        None => Ok(lines),
        Some(_) => Err(LineError {
            line: lines,
            column: options.max_line as u64 + 1,
            problem: LineProblem::LineTooLong {
                limit: options.max_line,
            },
        }),
    }
}
