//! Rows of a text that is in memory as a whole: what a [`Reader`](crate::blocks::Reader) makes of it, parsed where it lies, by the calling thread.

use memchr::memchr_iter;
use novikoff::names::Names;
use novikoff::remedy::Complaint;
use novikoff::rows::Rows;

use crate::blocks::columns::check_no_columns;
use crate::draft::Draft;
use crate::error::{DataError, LineError};
use crate::options::ReadOptions;
use crate::{sniff, svmlight, vw};

/// Formats of lines that need no look at their first lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFormat {
    /// svmlight text.
    Svmlight,
    /// VW text.
    Vw,
}

/// A text that is refused.
#[derive(Debug)]
pub struct RefusedText {
    /// Why, and where.
    pub error: DataError,
    /// Rows before the bad one.
    pub rows: usize,
}

/// The rows of a text, and the names of their features. Errors call the text `name`. Lines are not passed over, and a packed text is refused.
pub fn read(
    name: &str,
    text: &[u8],
    format: LineFormat,
    options: &ReadOptions,
) -> Result<(Names, Rows), RefusedText> {
    check(name, text, format, options).map_err(|error| RefusedText { error, rows: 0 })?;
    let unmarked = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mark = (text.len() - unmarked.len()) as u64;
    let (mut names, mut draft) = (Names::new(), Draft::default());
    let parsed = match format {
        LineFormat::Svmlight => {
            // a value has a colon
            draft.rows.reserve(memchr_iter(b':', unmarked).count());
            svmlight::parse_draft(unmarked, options, &names, &mut draft)
        }
        LineFormat::Vw => vw::parse_draft(unmarked, options, &names, &mut draft),
    };
    let file = || name.to_owned();
    // a name without a slot stands before the line that was found bad
    let named = draft.name_features(&mut names, options);
    let error = match (named, parsed) {
        (Ok(()), Ok(_)) => return Ok((names, draft.rows)),
        (Err(no_slot), _) => DataError::Names {
            file: file(),
            line: 1 + no_slot.line.unwrap_or(0),
            source: no_slot.source,
        },
        (
            Ok(()),
            Err(LineError {
                line,
                column,
                problem,
            }),
        ) => DataError::Line {
            file: file(),
            line: 1 + line,
            column: column + if line == 0 { mark } else { 0 },
            problem,
        },
    };
    let rows = draft.rows.len();
    Err(RefusedText { error, rows })
}

/// What a reader of files would unpack, or take for something else, is no text.
fn check(
    name: &str,
    text: &[u8],
    format: LineFormat,
    options: &ReadOptions,
) -> Result<(), DataError> {
    let content = |what: Complaint| DataError::content(name, what);
    if let Some(by) = sniff::compression(text) {
        let what = format!("is compressed by {}, and is not unpacked here", by.name());
        return Err(content(Complaint::new(what, "decompress it first")));
    }
    if let Some(what) = sniff::other_packing(text) {
        return Err(content(what));
    }
    if sniff::is_model(text) {
        let file = name.to_owned();
        return Err(DataError::IsModel { file });
    }
    options.check_text_form().map_err(content)?;
    if text.trim_ascii().is_empty() {
        return Ok(());
    }
    let words = match format {
        LineFormat::Svmlight => "svmlight text",
        LineFormat::Vw => "VW text",
    };
    check_no_columns(name, words, options)
}

#[cfg(test)]
mod tests {
    use novikoff::source::Source as _;

    use super::*;
    use crate::blocks::{Format, Input, Reader};

    /// Rows, names and error as a reader of pieces gives them.
    fn in_pieces(text: &[u8], format: Format, options: &ReadOptions) -> (String, usize) {
        let text = text.to_vec().into();
        let name = "body".to_owned();
        let options = ReadOptions {
            format: Some(format),
            ..options.clone()
        };
        let reader = Reader::with_block_size(vec![Input::Bytes { name, text }], options, 1, 40);
        let mut rows = Rows::new();
        let mut reader = match reader {
            Ok(reader) => reader,
            Err(error) => return (format!("{error:?}"), 0),
        };
        let error = loop {
            match reader.next_block() {
                Ok(Some(block)) => rows.append(block, 0),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        match error {
            Some(error) => (format!("{error:?}"), rows.len()),
            None => (described(&reader.names(), &rows), rows.len()),
        }
    }

    fn described(names: &Names, rows: &Rows) -> String {
        let block = rows.view();
        let rows: Vec<_> = (0..block.len())
            .map(|i| {
                let labels: Vec<_> = block
                    .labels(i)
                    .map(|l| (l.number(), l.text().to_vec()))
                    .collect();
                let values: Vec<_> = block.row(i).iter().collect();
                (labels, values, block.weight(i))
            })
            .collect();
        let names: Vec<_> = names.iter().collect();
        format!("{names:?} {} {rows:?}", block.width())
    }

    #[test]
    fn a_text_is_read_as_a_reader_reads_it() {
        let texts: &[&[u8]] = &[
            b"",
            b"\n# nothing\n",
            b"1 1:2 7:0.5\n-1 3:1\n\n1,2 qid:3 1:1 9:0 # x",
            b"\xef\xbb\xbf1 1:1\n-1 2:1\n",
            b"\xef\xbb\xbf1 1:1:\n",
            b"1 1:1\n-1 2:1\n1 5:1 4:1\n",
            b"1 1:1\n-1 99:1\n",
            b"1 1:nan\n",
            b"? 1:1\n",
            b"1 1:1\r\n-1 2:1\r\n",
            b"1 |a b:2 c\n-1 2.5 |x y z\n| a b\n",
            b"1 |a b:2 c\nfoo |a b:x\n",
            b"1 | 3:2 17 a b a\n1 |n 3:2 17 a b c d e f g h i j k l m n o p q r s t u v\n",
            b"1 |\xff\xfe a\n",
            b"NOVIKOFF and more",
            b"\xfd7zXZ\0 1:1",
        ];
        for max_features in [20, 100_000] {
            let options = ReadOptions {
                unlabelled: true,
                max_features,
                ..ReadOptions::default()
            };
            for text in texts {
                for (line_format, format) in [
                    (LineFormat::Svmlight, Format::Svmlight),
                    (LineFormat::Vw, Format::Vw),
                ] {
                    let whole = match read("body", text, line_format, &options) {
                        Ok((names, rows)) => (described(&names, &rows), rows.len()),
                        Err(RefusedText { error, rows }) => (format!("{error:?}"), rows),
                    };
                    let pieces = in_pieces(text, format, &options);
                    let text = String::from_utf8_lossy(text);
                    assert_eq!(whole, pieces, "{text} as {format:?}");
                }
            }
        }
    }

    #[test]
    fn packed_texts_are_refused() {
        for text in [&b"\x1f\x8b\x08"[..], b"\x28\xb5\x2f\xfd"] {
            let read = read("body", text, LineFormat::Svmlight, &ReadOptions::default());
            let error = read.expect_err("packed").error.to_string();
            assert!(error.contains("compressed"), "{error}");
        }
    }
}
