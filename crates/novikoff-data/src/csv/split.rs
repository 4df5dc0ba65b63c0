//! Records and their fields.
//!
//! A record ends at the first newline that has an even number of double quotes before it, so where it
//! ends does not depend on what is wrong inside.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use memchr::{memchr, memchr_iter, memchr2_iter};

use super::problem::CsvProblem;
use crate::error::Token;

/// Finds where records end in text that may still grow.
#[derive(Debug)]
pub(super) struct Ends {
    /// Everything before was looked at.
    at: usize,
    /// Inside double quotes.
    pub(super) quoted: bool,
}

impl Ends {
    /// Records from `at` on.
    pub(super) fn new(at: usize) -> Self {
        Ends { at, quoted: false }
    }

    /// The newline that ends the record, unless the text ends first.
    pub(super) fn next(&mut self, text: &[u8]) -> Option<usize> {
        let from = self.at;
        for found in memchr2_iter(b'"', b'\n', &text[from..]) {
            if text[from + found] == b'"' {
                self.quoted = !self.quoted;
            } else if !self.quoted {
                self.at = from + found + 1;
                return Some(from + found);
            }
        }
        self.at = text.len();
        None
    }
}

/// A record without the carriage return that may end it.
pub(super) fn without_cr(record: &[u8]) -> &[u8] {
    record.strip_suffix(b"\r").unwrap_or(record)
}

/// The fields of one record after another.
#[derive(Debug)]
pub(super) struct Fields {
    reader: Reader,
    /// Fields without their quotes, one after another, and room.
    text: Vec<u8>,
    /// Where each ends there, and where it begins in the record.
    ends: Vec<usize>,
    starts: Vec<usize>,
    /// How many there are, those included that are not kept.
    pub(super) count: usize,
}

/// A field, in the record, whose quotes are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadQuotes {
    pub(super) start: usize,
    end: usize,
    /// The record ends inside quotes.
    unclosed: bool,
}

impl BadQuotes {
    pub(super) fn problem(&self, record: &[u8]) -> CsvProblem {
        if self.unclosed {
            return CsvProblem::UnclosedQuote;
        }
        let token = Token::new(&record[self.start..self.end]);
        CsvProblem::StrayQuote { token }
    }
}

impl Fields {
    pub(super) fn new(delimiter: u8) -> Self {
        let reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .terminator(Terminator::Any(b'\n'))
            .build();
        let mut fields = Fields {
            reader,
            text: Vec::new(),
            ends: Vec::new(),
            starts: Vec::new(),
            count: 0,
        };
        fields.restart();
        fields
    }

    /// Makes the reader ready for a record.
    fn restart(&mut self) {
        self.reader.reset();
        // it takes what it reads first for the start of a file, where it drops a byte order mark
        self.reader.read_field(b"\n", &mut [0]);
    }

    /// Splits a record that is not empty. No more than `most` fields are kept; all are counted.
    pub(super) fn split(&mut self, record: &[u8], most: usize) -> Result<(), BadQuotes> {
        self.ends.clear();
        self.starts.clear();
        self.count = 0;
        if self.text.len() < record.len() + 2 {
            self.text.resize(record.len() + 2, 0);
        }
        let (mut at, mut out) = (0, 0);
        loop {
            let (start, from) = (at, out);
            let is_last = loop {
                let rest = &record[at..];
                let input = if rest.is_empty() { b"\n" } else { rest };
                let (result, read, written) = self.reader.read_field(input, &mut self.text[out..]);
                out += written;
                at += read;
                match result {
                    ReadFieldResult::Field { record_end } => break record_end,
                    ReadFieldResult::InputEmpty if !rest.is_empty() => {}
                    _ => {
                        // the newline that was to end it is inside quotes
                        self.restart();
                        return Err(BadQuotes {
                            start,
                            end: record.len(),
                            unclosed: true,
                        });
                    }
                }
            };
            let end = at - 1; // before the delimiter, or the newline we added
            if !is_well_quoted(&record[start..end], &self.text[from..out]) {
                self.restart();
                return Err(BadQuotes {
                    start,
                    end,
                    unclosed: false,
                });
            }
            self.count += 1;
            if self.count <= most {
                self.starts.push(start);
                self.ends.push(out);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// How many are kept.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Field `k` without its quotes.
    pub(super) fn get(&self, k: usize) -> &[u8] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.text[start..self.ends[k]]
    }

    /// Where field `k` begins in the record.
    pub(super) fn start(&self, k: usize) -> usize {
        self.starts[k]
    }
}

/// Whether a field that was read as `text` is written by the rules: the quotes of one that has any stand
/// around it, and are doubled inside.
fn is_well_quoted(written: &[u8], text: &[u8]) -> bool {
    if memchr(b'"', written).is_none() {
        return true;
    }
    let doubled = memchr_iter(b'"', text).count();
    written.starts_with(b"\"")
        && written.ends_with(b"\"")
        && written.len() == text.len() + doubled + 2
}

#[cfg(test)]
mod tests {
    use super::{BadQuotes, Ends, Fields};

    #[test]
    fn records_end_outside_quotes_however_the_text_grows() {
        let text = b"a,\"b\nc\"\"\n\",d\ne\n\n\"f";
        for step in 1..text.len() {
            let (mut ends, mut found) = (Ends::new(0), Vec::new());
            for len in (0..text.len()).step_by(step).chain([text.len()]) {
                while let Some(end) = ends.next(&text[..len]) {
                    found.push(end);
                }
            }
            assert_eq!((found, ends.quoted), (vec![12, 14, 15], true));
        }
    }

    fn split(record: &str) -> Result<Vec<String>, BadQuotes> {
        let mut fields = Fields::new(b',');
        fields.split(record.as_bytes(), 10)?;
        let text = |k| String::from_utf8_lossy(fields.get(k)).into_owned();
        Ok((0..fields.len()).map(text).collect())
    }

    #[test]
    fn fields_lose_their_quotes() {
        for (record, expected) in [
            ("a", &["a"][..]),
            ("a,b,", &["a", "b", ""]),
            (",", &["", ""]),
            ("\"\"", &[""]),
            ("\"\"\"\"", &["\""]),
            (
                "\"a,b\",\"c\nd\",\"5\"\" pipe\"",
                &["a,b", "c\nd", "5\" pipe"],
            ),
            ("\u{feff}a,\r,b\r", &["\u{feff}a", "\r", "b\r"]),
        ] {
            assert_eq!(
                split(record).as_deref(),
                Ok(&expected.iter().map(ToString::to_string).collect::<Vec<_>>()[..]),
                "{record:?}"
            );
        }
        for (record, start, end, unclosed) in [
            ("a\"b", 0, 3, false),
            ("a,5\" pipe,c", 2, 9, false),
            ("a, \"b\",c", 2, 6, false),
            ("a,\"b\"c,d", 2, 6, false),
            ("a,\"b\"c\",d", 2, 7, false),
            ("\"a\" ,b", 0, 4, false),
            ("a,\"", 2, 3, true),
            ("a,\"b,c", 2, 6, true),
            ("a,\"\"\"", 2, 5, true),
            ("\"a\"\"", 0, 4, true),
        ] {
            let bad = BadQuotes {
                start,
                end,
                unclosed,
            };
            assert_eq!(split(record), Err(bad), "{record:?}");
        }
    }

    #[test]
    fn a_bad_record_does_not_harm_the_next() {
        let mut fields = Fields::new(b';');
        for bad in ["a;\"b", "\"b\"c;d;e", "\"", "x\"y\";1"] {
            assert!(fields.split(bad.as_bytes(), 9).is_err());
            fields.split(b"\xef\xbb\xbfa;\"b\";c", 2).expect("sound");
            assert_eq!((fields.count, fields.len()), (3, 2));
            assert_eq!(
                (fields.get(0), fields.get(1)),
                (&b"\xef\xbb\xbfa"[..], &b"b"[..])
            );
            assert_eq!((fields.start(0), fields.start(1)), (0, 5));
        }
    }
}
