//! The column of labels.

use std::io::Write as _;

use arrow_array::Array;
use arrow_buffer::NullBuffer;
use novikoff::remedy::Complaint;
use novikoff::rows::Rows;

use super::lists::Lists;
use super::numbers::{Numbers, nulls};
use super::texts::Texts;
use crate::svmlight::label_number;

/// The labels of a batch.
pub(super) struct Labels<'a> {
    /// Rows without labels.
    missing: Option<NullBuffer>,
    /// The lists labels are in, if they are.
    lists: Option<Lists<'a>>,
    /// Labels that are none.
    none: Option<NullBuffer>,
    cells: Cells<'a>,
}

enum Cells<'a> {
    Numbers(Numbers<'a>),
    Texts(Texts<'a>),
}

impl<'a> Labels<'a> {
    /// None if the column cannot hold labels.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        let (lists, items) = match Lists::of(array) {
            Some((lists, items)) => (Some(lists), &**items),
            None => (None, array),
        };
        let cells = match Numbers::of(items) {
            Some(numbers) => Cells::Numbers(numbers),
            None => Cells::Texts(Texts::of(items)?),
        };
        Some(Labels {
            missing: nulls(array),
            lists,
            none: nulls(items),
            cells,
        })
    }

    /// Adds the labels of a row, or says what is wrong with them.
    pub(super) fn push(
        &self,
        row: usize,
        text: &mut Vec<u8>,
        rows: &mut Rows,
    ) -> Result<(), Complaint> {
        if self
            .missing
            .as_ref()
            .is_some_and(|nulls| nulls.is_null(row))
        {
            return Ok(());
        }
        let range = match &self.lists {
            Some(lists) => lists.range(row),
            None => row..row + 1,
        };
        for i in range {
            if self.none.as_ref().is_none_or(|nulls| nulls.is_valid(i)) {
                self.push_one(i, text, rows)?;
            }
        }
        Ok(())
    }

    fn push_one(&self, i: usize, text: &mut Vec<u8>, rows: &mut Rows) -> Result<(), Complaint> {
        let numbers = match &self.cells {
            Cells::Texts(Texts::Plain(strings)) => {
                push_text(strings.get(i), rows);
                return Ok(());
            }
            Cells::Texts(Texts::Keyed(keys, strings)) => {
                push_text(strings.get(keys.get(i)), rows);
                return Ok(());
            }
            Cells::Texts(Texts::Whole(numbers)) | Cells::Numbers(numbers) => numbers,
        };
        if numbers.is_nan(i) {
            return Ok(());
        }
        text.clear();
        let number = match numbers.whole(i) {
            Some(digit @ 0..=9) => {
                text.push(b'0' + digit as u8);
                f64::from(digit as u8)
            }
            Some(whole) => {
                // writing to memory cannot fail
                let _ = write!(text, "{whole}");
                whole as f64
            }
            None => {
                text.extend_from_slice(numbers.shortest(i).as_bytes());
                label_number(text).ok_or_else(|| {
                    let found = String::from_utf8_lossy(text);
                    let what = format!("the label {found} is not a finite number");
                    Complaint::new(what, "remove or replace it")
                })?
            }
        };
        rows.push_label(number, text);
        Ok(())
    }
}

fn push_text(text: Option<&str>, rows: &mut Rows) {
    if let Some(text) = text {
        let text = text.as_bytes();
        rows.push_label(label_number(text).unwrap_or(f64::NAN), text);
    }
}
