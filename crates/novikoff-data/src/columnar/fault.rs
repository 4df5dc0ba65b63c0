//! What is said when the data itself is broken.
//!
//! The crates that decode Parquet and Arrow may panic on damaged data. That is caught and becomes the
//! same error as any other damage. The panic hook of the process, which is not ours to change, can keep
//! still: it asks `panics_are_caught`.

use std::fmt::Display;

use novikoff::remedy::Complaint;

use crate::error::{DataError, catch_panics};

/// The longest reason shown, in characters.
const SHOWN: usize = 160;

/// Data that is not as its format has it.
pub(super) fn damaged(file: &str, format: &str, why: impl Display) -> DataError {
    let why = why.to_string();
    let mut line: String = why.lines().next().unwrap_or_default().to_owned();
    if let Some((end, _)) = line.char_indices().nth(SHOWN) {
        line.truncate(end);
        line.push_str("...");
    }
    let what = format!("the {format} data is damaged: {line}");
    content(
        file,
        Complaint::new(what, "copy, download or write it again"),
    )
}

/// Anything else about the input as a whole. Names of fields may be in it, and they may be anything.
pub(super) fn content(file: &str, mut what: Complaint) -> DataError {
    what.what = what.what.replace(char::is_control, "\u{fffd}");
    DataError::content(file, what)
}

/// A thread of ours died.
pub(super) fn panicked(file: &str) -> DataError {
    content(file, Complaint::plain("the thread that reads it panicked"))
}

/// Runs code of the decoding crates; a panic of theirs is damage.
pub(super) fn guarded<T>(
    file: &str,
    format: &str,
    decode: impl FnOnce() -> Result<T, DataError>,
) -> Result<T, DataError> {
    catch_panics(decode).unwrap_or_else(|| Err(damaged(file, format, "the decoder gave up on it")))
}
