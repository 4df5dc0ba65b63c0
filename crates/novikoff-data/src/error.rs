//! Why data could not be read: where, what, what is allowed, what to do - in one line.

use std::cell::Cell;
use std::fmt::{self, Write as _};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use novikoff::classes::LabelError;
use novikoff::remedy::{Complaint, Hint, Remedy, Setting};

/// What stops a reader.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A line that cannot be read.
    #[error("{file}:{line}:{column}: {problem}")]
    Line {
        /// The input's name.
        file: String,
        /// The line, counted from 1 in its file.
        line: u64,
        /// The byte in the line, counted from 1.
        column: u64,
        /// What is wrong there.
        problem: LineProblem,
    },
    /// A row of a batch in memory that cannot be read.
    #[error("batch {batch}, row {row}{}", in_row(problem))]
    Batch {
        /// The batch, counted from 1.
        batch: u64,
        /// The row, counted from 1 in its batch.
        row: u64,
        /// What is wrong there.
        problem: LineProblem,
    },
    /// There is no such file.
    #[error("{}: no such file", path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// A directory where a file was expected.
    #[error("{}: is a directory, not a file", path.display())]
    Directory {
        /// The path as given.
        path: PathBuf,
    },
    /// A pipe or device where a file was expected that can be read twice.
    #[error("{}: is not a regular file, but it has to be read twice", path.display())]
    NotRegular {
        /// The path as given.
        path: PathBuf,
    },
    /// A compressed file that ends too early.
    #[error("{file}: the {by} data ends in the middle, so rows are missing")]
    CutShort {
        /// The input's name.
        file: String,
        /// What compressed it.
        by: &'static str,
    },
    /// A compressed file that is damaged, or has something else behind it.
    #[error("{file}: the {by} data is damaged: {source}")]
    BadCompression {
        /// The input's name.
        file: String,
        /// What compressed it.
        by: &'static str,
        /// What the decompressor said.
        source: io::Error,
    },
    /// A model where data was expected.
    #[error("{file}: is a novikoff model, not data")]
    IsModel {
        /// The input's name.
        file: String,
    },
    /// A file that is not what it was taken for.
    #[error("{file}: {what}")]
    Content {
        /// The input's name.
        file: String,
        /// What is wrong, what is allowed and what to do.
        what: Complaint,
    },
    /// Names of features past a limit.
    #[error("{file}:{line}: {source}")]
    Names {
        /// The input's name.
        file: String,
        /// The line, or the row of a binary format, counted from 1.
        line: u64,
        /// Which limit.
        source: novikoff::names::NamesError,
    },
    /// A row without a label where one is needed.
    #[error("{file}:{line}: {}", no_label(column.as_deref()))]
    Unlabelled {
        /// The input's name.
        file: String,
        /// The line, or the row of a binary format, counted from 1.
        line: u64,
        /// The column of a table where it should be.
        column: Option<String>,
    },
    /// A bad first line: the format of the input was detected by it.
    #[error("{bad}; the input was taken for {format}")]
    Taken {
        /// What it was taken for.
        format: &'static str,
        /// What is wrong with the line.
        bad: Box<DataError>,
    },
    /// More bad lines than are tolerated.
    #[error("{last} (bad lines passed over before it: {skipped})")]
    TooManyBad {
        /// How many were passed over.
        skipped: u64,
        /// The one too many.
        last: Box<DataError>,
    },
    /// The run was asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The system refused to open or read.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// The input's name.
        file: String,
        /// The system's reason.
        source: io::Error,
    },
}

impl DataError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        let clause = |text: &'static str| Some(Remedy::clause(text));
        match self {
            DataError::Line { problem, .. } | DataError::Batch { problem, .. } => problem.remedy(),
            DataError::Missing { .. } => {
                Some(Remedy::clause("check the name").or("use - to read from a pipe"))
            }
            DataError::Directory { .. } => clause("name a file in it"),
            DataError::NotRegular { .. } => clause("save it to a file first"),
            DataError::CutShort { .. } | DataError::BadCompression { .. } => {
                clause("copy or download it again")
            }
            DataError::IsModel { file } => Some(Remedy::hint(Hint::Inspect { file: file.clone() })),
            DataError::Content { what, .. } => what.remedy.clone(),
            DataError::Names { source, .. } => Some(source.remedy()),
            DataError::Unlabelled { .. } => Some(LabelError::None.remedy()),
            DataError::Taken { bad, .. } => {
                let table = Remedy::give(Setting::Format, "csv").aim("if it is a table");
                Some(match bad.remedy() {
                    Some(remedy) => remedy.or(table),
                    None => table,
                })
            }
            DataError::TooManyBad { last, .. } => last.remedy(),
            DataError::Interrupted => None,
            DataError::Io { .. } => clause("check the file, its permissions and its disk"),
        }
    }

    /// Something about an input as a whole.
    pub(crate) fn content(file: impl Into<String>, what: Complaint) -> Self {
        DataError::Content {
            file: file.into(),
            what,
        }
    }

    /// A failed call on the file at `path`.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => DataError::Missing { path },
            io::ErrorKind::IsADirectory => DataError::Directory { path },
            _ => DataError::Io {
                file: path.display().to_string(),
                source,
            },
        }
    }
}

/// What is wrong with a row without a label, which should be in a column.
fn no_label(column: Option<&str>) -> String {
    let fact = LabelError::None.to_string();
    match (column, fact.strip_prefix("no label")) {
        (Some(column), Some(rest)) => {
            let column = Token::new(column.as_bytes());
            format!("no label in column {column}{rest}")
        }
        _ => fact,
    }
}

/// A problem behind its row: a cell's column is part of the place.
fn in_row(problem: &LineProblem) -> String {
    match problem {
        LineProblem::Cell { .. } => format!(", {problem}"),
        _ => format!(": {problem}"),
    }
}

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// True while this thread decodes what may be damaged by code that may panic on it: the panic becomes
/// an error, and a panic hook has nothing to say.
pub fn panics_are_caught() -> bool {
    CAUGHT.get()
}

/// Runs code that may panic; none if it did.
pub fn catch_panics<T>(run: impl FnOnce() -> T) -> Option<T> {
    let before = CAUGHT.replace(true);
    // what `run` had in hand is not used again
    let result = catch_unwind(AssertUnwindSafe(run));
    CAUGHT.set(before);
    result.ok()
}

/// A bad line of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The line, counted from 0 in the block.
    pub line: u64,
    /// The byte in the line, counted from 1.
    pub column: u64,
    /// What is wrong there.
    pub problem: LineProblem,
}

/// What is wrong at one place of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// Index 0 in a file that counts from 1.
    #[error("index 0, but svmlight counts from 1")]
    ZeroIndex,
    /// An index below 0.
    #[error("index {token} is negative")]
    NegativeIndex {
        /// The index as written.
        token: Token,
    },
    /// An index twice in a row.
    #[error("index {index} comes twice in this row")]
    DuplicateIndex {
        /// The index.
        index: u64,
    },
    /// An index lower than the one before it.
    #[error("index {index} after {before}, but indices must increase")]
    DecreasingIndex {
        /// The index.
        index: u64,
        /// The one before it.
        before: u64,
    },
    /// An index past the limit.
    #[error("index {token} is past the limit of {limit} features")]
    IndexPastLimit {
        /// The index as written.
        token: Token,
        /// How many features are allowed.
        limit: u32,
    },
    /// An index that is no whole number.
    #[error("index {token} is not a whole number; features are written index:value, as in 3:0.5")]
    BadIndex {
        /// The index as written.
        token: Token,
    },
    /// A feature without its colon.
    #[error("{token} has no colon; features are written index:value, as in 3:0.5")]
    MissingColon {
        /// What stands there.
        token: Token,
    },
    /// Nothing after the colon.
    #[error("index {index} has no value")]
    MissingValue {
        /// The index.
        index: u64,
    },
    /// A value that is no finite decimal.
    #[error("value {token} is not a finite decimal number such as -0.5 or 1e-3")]
    BadValue {
        /// The value as written.
        token: Token,
    },
    /// A finite value that `f32` cannot hold.
    #[error("value {token} is beyond the range of f32, 3.4e38")]
    ValueRange {
        /// The value as written.
        token: Token,
    },
    /// A word that cannot be a label.
    #[error("label {token} is not a finite decimal number or another word that can be a label")]
    BadLabel {
        /// The label as written.
        token: Token,
    },
    /// A query id that is no number.
    #[error("query {token} is not qid: and an unsigned whole number, as in qid:7")]
    BadQuery {
        /// The query as written.
        token: Token,
    },
    /// A byte that no text has here.
    #[error("byte 0x{byte:02x} in {token} is not plain text; is this an svmlight file?")]
    NotText {
        /// The byte.
        byte: u8,
        /// The word it is in.
        token: Token,
    },
    /// In VW text.
    #[error(transparent)]
    Vw(#[from] crate::vw::VwProblem),
    /// In a table.
    #[error(transparent)]
    Csv(#[from] crate::csv::CsvProblem),
    /// In JSON lines.
    #[error(transparent)]
    Json(#[from] crate::json::JsonProblem),
    /// In a column of Parquet or Arrow.
    #[error("column {column}: {what}")]
    Cell {
        /// The column's name.
        column: Token,
        /// What is wrong with its value, and what to do.
        what: Complaint,
    },
    /// A name that cannot have a slot.
    #[error(transparent)]
    Names(#[from] novikoff::names::NamesError),
    /// A line past the limit.
    #[error("this line is longer than {limit} bytes; are the lines separated by newlines?")]
    LineTooLong {
        /// The longest line allowed.
        limit: usize,
    },
}

impl LineProblem {
    /// Whether a line that is none of svmlight text may be one of a table.
    pub(crate) fn may_be_table(&self) -> bool {
        matches!(
            self,
            LineProblem::BadIndex { .. }
                | LineProblem::MissingColon { .. }
                | LineProblem::BadValue { .. }
                | LineProblem::BadLabel { .. }
                | LineProblem::Vw(_)
        )
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        let clause = |text: &'static str| Some(Remedy::clause(text));
        match self {
            LineProblem::ZeroIndex => {
                Some(Remedy::give(Setting::ZeroBased, "").aim("if this file counts from 0"))
            }
            LineProblem::NegativeIndex { .. } => clause("renumber the features from 1"),
            LineProblem::DuplicateIndex { .. } => clause("keep one of them, or their sum"),
            LineProblem::DecreasingIndex { .. } => clause("sort each row by index"),
            LineProblem::IndexPastLimit { .. } => Some(more_features()),
            LineProblem::MissingValue { index } => {
                Some(Remedy::clause(format!("write {index}:0")).or("leave the feature out"))
            }
            LineProblem::BadValue { .. } => clause("remove or replace it"),
            LineProblem::ValueRange { .. } => clause("scale the feature down"),
            LineProblem::BadLabel { .. } => clause("replace it, or write ? for none"),
            LineProblem::Vw(problem) => problem.remedy(),
            LineProblem::Csv(problem) => problem.remedy(),
            LineProblem::Json(problem) => problem.remedy(),
            LineProblem::Cell { what, .. } => what.remedy.clone(),
            LineProblem::Names(error) => Some(error.remedy()),
            LineProblem::BadIndex { token } | LineProblem::MissingColon { token }
                if is_prose(token.bytes()) =>
            {
                Some(texts_as_json().aim("if these lines are texts"))
            }
            LineProblem::BadIndex { .. }
            | LineProblem::MissingColon { .. }
            | LineProblem::BadQuery { .. }
            | LineProblem::NotText { .. }
            | LineProblem::LineTooLong { .. } => None,
        }
    }
}

/// How texts are read that come in files of their own, or one per line.
fn texts_as_json() -> Remedy {
    Remedy::hint(Hint::WriteTexts)
}

/// Whether a word is one of a text: letters, and perhaps signs behind them.
fn is_prose(word: &[u8]) -> bool {
    if word == b"qid" {
        return false;
    }
    let text = String::from_utf8_lossy(word);
    let letters = text.trim_end_matches(|c: char| c.is_ascii_punctuation());
    letters.chars().count() > 1 && letters.chars().all(char::is_alphabetic)
}

/// What to do about a feature past the limit.
pub(crate) fn more_features() -> Remedy {
    let most = u32::MAX - 1;
    Remedy::raise(Setting::MaxFeatures).aim(format!(", at most {most}"))
}

/// A word of the input, fit to be shown: quoted, cut, control bytes escaped.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Box<[u8]>);

/// How much of a bad word is shown.
const SHOWN: usize = 40;

impl Token {
    /// Keeps no more of the word than is shown.
    pub(crate) fn new(word: &[u8]) -> Self {
        Token(word[..word.len().min(4 * (SHOWN + 1))].into())
    }
}

impl Token {
    /// The word, or its beginning.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = String::new();
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '"' => shown.push_str("\\\""),
                    ' '.. if !c.is_control() => shown.push(c),
                    _ => write!(shown, "\\x{:02x}", u32::from(c))?,
                }
            }
            for byte in chunk.invalid() {
                write!(shown, "\\x{byte:02x}")?;
            }
        }
        match shown.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "\"{}...\"", &shown[..end]),
            None => write!(f, "\"{shown}\""),
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn tokens_are_quoted_cut_and_escaped() {
        let shown = |bytes: &[u8]| Token::new(bytes).to_string();
        assert_eq!(shown(b"abc"), "\"abc\"");
        assert_eq!(
            shown(b"a\0\x1b\"\xff\xc3\xa9"),
            "\"a\\x00\\x1b\\\"\\xff\u{e9}\""
        );
        assert_eq!(shown(&[b'9'; 40]), format!("\"{}\"", "9".repeat(40)));
        assert_eq!(shown(&[b'9'; 5000]), format!("\"{}...\"", "9".repeat(40)));
    }
}
