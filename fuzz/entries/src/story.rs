//! Everything a reader says about an input, checked as it comes and kept to be compared.

use std::borrow::Cow;

use novikoff::names::Names;
use novikoff::rows::{Block, Rows};
use novikoff::source::Source as _;
use novikoff::table::Table;
use novikoff_data::blocks::{Format, Input, ReadOptions, Reader, Skipped};
use novikoff_data::csv::CsvProblem;
use novikoff_data::error::{DataError, LineProblem};

use crate::process::prepare;

/// Pieces of text large enough for every input there is.
pub(crate) const WHOLE: usize = 1 << 13;

/// Everything a reader says.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub(crate) rows: Rows,
    /// The line of each row, counted from 1.
    lines: Vec<u64>,
    names: Vec<(u32, String)>,
    /// The highest slot given, and how many names share theirs.
    given: (u32, u64),
    table: Option<Table>,
    skipped: Skipped,
    unknown: u64,
    pub(crate) format: Option<Format>,
    /// What ended it, if not the end.
    pub(crate) error: Option<DataError>,
}

/// Reads bytes in pieces of `block_size`.
pub(crate) fn tell(data: &[u8], options: &ReadOptions, threads: usize, block_size: usize) -> Story {
    let reader = Reader::with_block_size(input(data), options.clone(), threads, block_size);
    gather(reader, options, options.max_features)
}

/// Reads bytes where some names are known.
pub(crate) fn tell_named(
    data: &[u8],
    options: &ReadOptions,
    threads: usize,
    names: Names,
) -> Story {
    // hashed slots have a limit of their own
    let limit = names.bits().map_or(options.max_features, |bits| 1 << bits);
    let reader = Reader::with_names(input(data), options.clone(), threads, names);
    gather(reader, options, limit)
}

fn input(data: &[u8]) -> Vec<Input> {
    vec![Input::Bytes {
        name: "f".to_owned(),
        text: Cow::Owned(data.to_vec()),
    }]
}

/// Reads everything; no slot may be past `limit`.
fn gather(reader: Result<Reader, DataError>, options: &ReadOptions, limit: u32) -> Story {
    prepare();
    let mut story = Story::default();
    let mut reader = match reader {
        Ok(reader) => reader,
        Err(error) => {
            story.error = Some(error);
            return story;
        }
    };
    loop {
        let before = story.rows.len();
        match reader.next_block() {
            Ok(None) => break,
            Ok(Some(block)) => {
                assert!(!block.is_empty(), "a block is never empty");
                assert!(block.width <= limit, "{}", block.width);
                story.rows.append(block, 0);
            }
            Err(error) => {
                story.error = Some(error);
                let after = reader.next_block();
                assert!(matches!(after, Ok(None)), "an error is the end");
                break;
            }
        }
        let first = reader.place(0).line - story.rows.line(before);
        let rows = before..story.rows.len();
        story.lines.extend(rows.map(|i| first + story.rows.line(i)));
    }
    let names = reader.names();
    let named = names.iter().map(|(slot, name)| (slot, name.to_owned()));
    story.names = named.collect();
    story.given = (names.highest(), names.collisions());
    drop(names);
    story.table = reader.table().cloned();
    story.skipped = reader.skipped().clone();
    story.unknown = reader.unknown();
    story.format = reader.format();
    assert!(story.skipped.lines <= options.skip_bad);
    story
}

impl Story {
    /// What readers promise of every input.
    pub(crate) fn check(&self, options: &ReadOptions) {
        let block = self.rows.view();
        let (rows, values) = (block.len(), block.values());
        assert_eq!(block.slots_of_values().len(), values);
        assert_eq!(block.ends.last().copied().unwrap_or(0), values as u64);
        assert_eq!(block.label_ends.len(), rows);
        // a cache may have been made from several inputs
        let increase = self.lines.is_sorted_by(|a, b| a < b);
        assert!(
            increase || self.format == Some(Format::Cache),
            "{:?}",
            self.lines
        );
        assert!(self.lines.first() != Some(&0));
        assert!(block.weights.is_empty() || block.weights.len() == rows);
        let weight = |w: &f32| w.is_finite() && *w >= 0.0;
        assert!(block.weights.iter().all(weight), "{:?}", block.weights);
        let value = |v: &f32| v.is_finite() && *v != 0.0;
        assert!(block.value.iter().all(value), "{:?}", block.value);
        let number = |n: &f64| !n.is_infinite();
        assert!(block.label_number.iter().all(number));
        let bias = options.bias.filter(|&b| b != 0.0);
        for row in 0..rows {
            let slots = block.slots(row);
            assert!(slots.is_sorted_by(|a, b| a < b), "{slots:?}");
            assert!(slots.last().is_none_or(|&last| last <= block.width));
            let constant = slots.first().filter(|&&slot| slot == 0);
            assert_eq!(constant.map(|_| block.values_of(row)[0]), bias);
        }
    }

    /// The error in words: always one line.
    pub(crate) fn message(&self) -> Option<String> {
        let message = self.error.as_ref()?.to_string();
        let is_line = !message.is_empty() && !message.contains(char::is_control);
        assert!(is_line, "not a line: {message:?}");
        Some(message)
    }

    /// Panics unless both say the same.
    pub(crate) fn must_be(&self, other: &Story, what: &str) {
        let agreement = match (&self.error, &other.error) {
            (Some(a), Some(b)) => same_error(a, b, what),
            (a, b) => {
                assert!(a.is_none() && b.is_none(), "{what}: {a:?}, {b:?}");
                Agreement::Whole
            }
        };
        if agreement != Agreement::Whole {
            let rows = self.rows.len().min(other.rows.len());
            if agreement == Agreement::Rows {
                assert_eq!(self.rows.len(), other.rows.len(), "{what}");
            }
            assert_eq!(self.lines[..rows], other.lines[..rows], "{what}");
            same_rows(first(&self.rows, rows), first(&other.rows, rows), what);
            return;
        }
        assert_eq!(self.lines, other.lines, "{what}");
        same_rows(self.rows.view(), other.rows.view(), what);
        assert_eq!(self.rows.width(), other.rows.width(), "{what}");
        assert_eq!(self.names, other.names, "{what}");
        assert_eq!(self.given, other.given, "{what}");
        assert_eq!(self.table, other.table, "{what}");
        assert_eq!(self.skipped, other.skipped, "{what}");
        assert_eq!(self.unknown, other.unknown, "{what}");
        assert_eq!(self.format, other.format, "{what}");
    }
}

/// The first rows, by number.
fn first(rows: &Rows, count: usize) -> Block<'_> {
    let end = |ends: &[u64], count: usize| count.checked_sub(1).map_or(0, |at| ends[at] as usize);
    let block = rows.view();
    let (values, labels) = (end(block.ends, count), end(block.label_ends, count));
    Block {
        ends: &block.ends[..count],
        index: if block.slots_at.is_empty() {
            &block.index[..values]
        } else {
            block.index
        },
        slots_at: &block.slots_at[..count.min(block.slots_at.len())],
        value: &block.value[..values],
        label_ends: &block.label_ends[..count],
        label_number: &block.label_number[..labels],
        text_ends: &block.text_ends[..labels],
        text: &block.text[..end(block.text_ends, labels)],
        ..block
    }
}

/// What stories that end in the same error have in common, however the input is cut.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    /// Everything.
    Whole,
    /// The rows before the error; names behind it may have slots already.
    Rows,
    /// The rows that both have.
    Beginning,
}

/// Panics unless errors are the same; texts are made only where they are needed.
fn same_error(a: &DataError, b: &DataError, what: &str) -> Agreement {
    use DataError::{BadCompression, Content, CutShort, Line, Names, TooManyBad};
    match (a, b) {
        // how much a decompressor gives before it finds damage depends on how much it is asked for
        (CutShort { .. } | BadCompression { .. }, _)
        | (_, CutShort { .. } | BadCompression { .. }) => Agreement::Beginning,
        // columns are decoded side by side: of several that are damaged, any may be reported
        (Content { what: a, .. }, Content { what: b, .. })
            if is_damage(&a.what) && is_damage(&b.what) =>
        {
            Agreement::Whole
        }
        (
            Names {
                line: l, source: a, ..
            },
            Names {
                line, source: b, ..
            },
        ) => {
            assert_eq!((l, a), (line, b), "{what}");
            Agreement::Rows
        }
        (
            TooManyBad {
                skipped: n,
                last: a,
            },
            TooManyBad { skipped, last: b },
        ) => {
            assert_eq!(n, skipped, "{what}");
            same_error(a, b, what);
            Agreement::Rows
        }
        (
            Line {
                line: l,
                column: c,
                problem: p,
                ..
            },
            Line {
                line,
                column,
                problem,
                ..
            },
        ) => {
            assert_eq!((l, c), (line, column), "{what}");
            assert_eq!(first_of(p), first_of(problem), "{what}");
            Agreement::Whole
        }
        _ => {
            assert_eq!(a.to_string(), b.to_string(), "{what}");
            Agreement::Whole
        }
    }
}

/// What is wrong with the first cell, of several: the others are those of the same piece of the input.
fn first_of(problem: &LineProblem) -> String {
    match problem {
        LineProblem::Csv(CsvProblem::Several { first, .. }) => first.to_string(),
        other => other.to_string(),
    }
}

fn is_damage(what: &str) -> bool {
    what.starts_with("the Parquet data is damaged: ")
}

/// Panics unless rows have the same labels, values and weights, to the bit.
pub(crate) fn same_rows(a: Block<'_>, b: Block<'_>, what: &str) {
    assert_eq!(a.ends, b.ends, "{what}");
    assert_eq!(a.slots_of_values(), b.slots_of_values(), "{what}");
    // neither zeros nor NaN: equal numbers have equal bits
    assert_eq!(a.value, b.value, "{what}");
    assert_eq!(a.label_ends, b.label_ends, "{what}");
    assert_eq!(a.label_number.len(), b.label_number.len(), "{what}");
    for (a, b) in a.label_number.iter().zip(b.label_number) {
        assert_eq!(a.to_bits(), b.to_bits(), "{what}");
    }
    assert_eq!(a.text_ends, b.text_ends, "{what}");
    assert_eq!(a.text, b.text, "{what}");
    if !a.weights.is_empty() || !b.weights.is_empty() {
        for i in 0..a.len() {
            assert_eq!(a.weight(i).to_bits(), b.weight(i).to_bits(), "{what}");
        }
    }
}
