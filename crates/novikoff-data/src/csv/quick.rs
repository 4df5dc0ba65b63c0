//! Records of usual shape, read in one go.
//!
//! Everything that is wrong, and the little that is unusual, is left to the caller, who reads the
//! record with care.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::parse::Done;
use super::split::Fields;
use super::stage::Stage;
use super::value::{BadNumber, is_missing, labels, number, trim};
use super::{CsvLayout, Role};
use crate::dates;
use crate::svmlight::plain_number;

/// Reads the record at `start` into the stage; `fields` takes the quotes of a field apart.
pub(super) fn read(
    text: &[u8],
    start: usize,
    layout: &CsvLayout,
    fields: &mut Fields,
    stage: &mut Stage,
) -> Option<Done> {
    stage.clear();
    let (mut at, mut lines) = (start, 1);
    let last = layout.roles.len().checked_sub(1)?;
    for (k, &role) in layout.roles.iter().enumerate() {
        if layout.id == Some(k) && role == Role::Number {
            stage.set_id(&text[Cell::find(text, at, layout.delimiter)?.place]);
        }
        let end = if role == Role::Number {
            match plain_number(text, at) {
                Some((value, end)) if is_end(text, end, layout.delimiter) => {
                    stage.push_number(value);
                    end
                }
                _ => any_number(text, at, layout, k, stage)?,
            }
        } else {
            let cell = Cell::find(text, at, layout.delimiter)?;
            lines += cell.newlines;
            let field = if cell.doubled {
                fields.split(&text[at..cell.end], 1).ok()?;
                fields.get(0)
            } else {
                &text[cell.place]
            };
            if layout.id == Some(k) {
                stage.set_id(field);
            }
            if role != Role::Ignored {
                keep(field, layout, k, role, stage)?;
            }
            cell.end
        };
        if k == last {
            let next = line_end(text, end)?;
            return Some(Done { next, lines });
        }
        if text.get(end) != Some(&layout.delimiter) {
            return None;
        }
        at = end + 1;
    }
    None
}

/// Keeps a field that is neither a number nor ignored.
#[inline]
fn keep(field: &[u8], layout: &CsvLayout, k: usize, role: Role, stage: &mut Stage) -> Option<()> {
    std::str::from_utf8(field).ok()?;
    if role == Role::Label {
        if labels(field).any(<[u8]>::is_empty) {
            return None;
        }
        stage.set_label(field);
    } else if let Role::Text(text) = role {
        if is_missing(trim(field)) {
            stage.push_missing_text(text, k);
        } else {
            stage.push_text(text, field);
        }
    } else if is_missing(trim(field)) {
        return stage.push_missing(layout, k, role).then_some(());
    } else if let Role::Date(form) = role {
        let (moment, _) = dates::parse(trim(field))?;
        stage.push_date(layout.column(k), form, moment);
    } else {
        stage.push_category(layout.column(k), field);
    }
    Some(())
}

/// Whether a field may end here.
#[inline(always)]
fn is_end(text: &[u8], at: usize, delimiter: u8) -> bool {
    text.get(at)
        .is_some_and(|&byte| byte == delimiter || byte == b'\n' || byte == b'\r')
}

/// Where the next line begins, if this one ends here.
pub(super) fn line_end(text: &[u8], at: usize) -> Option<usize> {
    match text[at..] {
        [] => Some(at),
        [b'\n', ..] | [b'\r'] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    }
}

/// Keeps a number of any shape, or what stands for a missing one, and says where its field ends.
#[cold]
fn any_number(
    text: &[u8],
    at: usize,
    layout: &CsvLayout,
    k: usize,
    stage: &mut Stage,
) -> Option<usize> {
    let cell = Cell::find(text, at, layout.delimiter)?;
    if cell.newlines > 0 {
        return None; // they would have to be counted
    }
    match number(&text[cell.place]) {
        Ok(value) => stage.push_number(value),
        Err(BadNumber::Missing) if stage.push_missing(layout, k, Role::Number) => {}
        Err(_) => return None,
    }
    Some(cell.end)
}

/// A field.
struct Cell {
    /// Its text.
    place: Range<usize>,
    /// Where it ends, with its quotes.
    end: usize,
    /// There are doubled quotes in it.
    doubled: bool,
    /// Newlines in it.
    newlines: u64,
}

impl Cell {
    /// The field at `at`, unless its quotes are wrong.
    #[inline]
    fn find(text: &[u8], at: usize, delimiter: u8) -> Option<Self> {
        let rest = &text[at..];
        if rest.starts_with(b"\"") {
            return Self::find_quoted(text, at);
        }
        let stops = |&byte: &u8| byte == delimiter || byte == b'\n' || byte == b'"';
        let mut len = rest.iter().position(stops).unwrap_or(rest.len());
        match rest.get(len) {
            Some(b'"') => return None,
            Some(b'\n') | None if rest[..len].ends_with(b"\r") => len -= 1,
            _ => {}
        }
        Some(Cell {
            place: at..at + len,
            end: at + len,
            doubled: false,
            newlines: 0,
        })
    }

    fn find_quoted(text: &[u8], at: usize) -> Option<Self> {
        let (start, mut doubled) = (at + 1, false);
        let mut quote = start + memchr(b'"', &text[start..])?;
        while text.get(quote + 1) == Some(&b'"') {
            doubled = true;
            quote += 2;
            quote += memchr(b'"', &text[quote..])?;
        }
        Some(Cell {
            place: start..quote,
            end: quote + 1,
            doubled,
            newlines: memchr_iter(b'\n', &text[start..quote]).count() as u64,
        })
    }
}
