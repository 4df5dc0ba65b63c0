//! The column whose text is kept with every row.

use std::io::Write as _;

use arrow_array::Array;
use arrow_buffer::NullBuffer;

use super::batch::is_null;
use super::numbers::{Numbers, nulls};
use super::texts::Texts;

/// The ids of a batch.
pub(super) struct Ids<'a> {
    missing: Option<NullBuffer>,
    cells: Cells<'a>,
}

enum Cells<'a> {
    Numbers(Numbers<'a>),
    Texts(Texts<'a>),
}

impl<'a> Ids<'a> {
    /// None if the column is neither text nor numbers.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        let cells = match Numbers::of(array) {
            Some(numbers) => Cells::Numbers(numbers),
            None => Cells::Texts(Texts::of(array)?),
        };
        let missing = nulls(array);
        Some(Ids { missing, cells })
    }

    /// The id of a row, empty if it is missing.
    pub(super) fn text<'t>(&self, row: usize, text: &'t mut Vec<u8>) -> &'t [u8] {
        text.clear();
        if is_null(self.missing.as_ref(), row) {
            return text;
        }
        match &self.cells {
            Cells::Texts(Texts::Whole(numbers)) | Cells::Numbers(numbers) => {
                match numbers.whole(row) {
                    // writing to memory cannot fail
                    Some(whole) => drop(write!(text, "{whole}")),
                    None if numbers.is_nan(row) => {}
                    None => text.extend_from_slice(numbers.shortest(row).as_bytes()),
                }
            }
            Cells::Texts(texts) => {
                text.extend_from_slice(texts.text(row).unwrap_or_default().as_bytes());
            }
        }
        text
    }
}
