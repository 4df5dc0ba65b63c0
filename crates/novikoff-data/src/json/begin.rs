//! The first rows of an input.

use memchr::memchr;
use novikoff::remedy::Complaint;

use super::kinds::Fields;
use super::walk::walk;
use super::{JsonLayout, JsonStart};
use crate::error::{DataError, Token};
use crate::input::Opened;
use crate::kinds::{FIRST_BYTES, Policy};
use crate::options::ReadOptions;

/// Input is read in pieces of this size.
const PIECE: usize = 64 << 10;

/// Looks at the first rows of an input. What is wrong with them is said when they are read.
pub(super) fn begin(
    opened: &mut Opened,
    options: &ReadOptions,
    frozen: bool,
) -> Result<JsonStart, DataError> {
    let enough = Policy::new(options, frozen).rows();
    let (mut fields, mut rows, mut bad) = (Fields::default(), 0, 0);
    let (mut start, mut searched) = (0, 0);
    while rows < enough && start < FIRST_BYTES && bad <= options.skip_bad {
        let newline = memchr(b'\n', &opened.head[searched..]);
        let end = match newline {
            Some(len) => searched + len,
            None if opened.ended || opened.head.len() - start > options.max_line => {
                opened.head.len()
            }
            None => {
                searched = opened.head.len();
                opened.read_more(PIECE)?;
                continue;
            }
        };
        let line = &opened.head[start..end];
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if !line.trim_ascii().is_empty() {
            match walk(line, &mut fields) {
                Ok(()) => rows += 1,
                Err(_) => bad += 1,
            }
        }
        if newline.is_none() {
            break;
        }
        (start, searched) = (end + 1, end + 1);
    }
    if fields.is_empty() {
        return Ok(JsonStart::default());
    }
    if let Some(id) = options.id.as_ref().filter(|id| !fields.has(id)) {
        let wanted = Token::new(id.as_bytes());
        let what = format!("no field of the first rows is called {wanted}, which was to be the id");
        return Err(DataError::content(&opened.name, Complaint::plain(what)));
    }
    let kinds = fields.kinds(options, frozen);
    let kinds = kinds.map_err(|what| DataError::content(&opened.name, what))?;
    Ok(JsonStart {
        layout: JsonLayout {
            id: options.id.clone(),
            ..JsonLayout::new(kinds.table, kinds.numbers)
        },
        remarks: kinds.remarks,
    })
}
