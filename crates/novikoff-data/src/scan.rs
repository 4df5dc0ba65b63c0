//! A quick look over whole files: how wide they are, which labels they have.
//!
//! Of svmlight text only the first and the last word of each line are read; other formats, and text
//! whose features get hashed slots, are read as a whole. On well-formed files this says what
//! reading them would; malformed lines are passed over, for reading them will report them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use memchr::{memchr, memchr_iter};
use novikoff::label::{LabelName, RawLabel};
use novikoff::names::Names;
use novikoff::source::Source as _;

use crate::blocks::{Cut, Fault, Feed, Format, Input, ReadOptions, Reader, Text};
use crate::error::DataError;
use crate::word_label;

/// More distinct labels than this are not listed.
const MAX_LABELS: usize = 100_000;

/// Text of this many bytes is read at once.
const BLOCK_SIZE: usize = 1 << 18;

/// What a look over files found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The highest slot.
    pub width: u32,
    /// The distinct labels in order, each as first written; those of multi-label rows one by one. At
    /// most 100 000.
    pub labels: Vec<LabelName>,
}

/// Looks over regular files that are to be read as one stream, with these names and on `threads` threads.
pub fn scan<P: AsRef<Path>>(
    paths: &[P],
    options: &ReadOptions,
    names: &Names,
    threads: usize,
) -> Result<Scan, DataError> {
    let mut found = Found::default();
    for path in paths {
        let input = Input::Path(path.as_ref().to_owned()).resolve(options)?;
        if input.size()?.is_none() {
            return Err(DataError::NotRegular {
                path: path.as_ref().to_owned(),
            });
        }
        let opened = input.open(options, &Arc::default())?;
        if opened.format != Format::Svmlight || !names.is_empty() {
            return read_all(paths, options, names, threads);
        }
        let mut feed = Feed::new(opened, 0, Cut::Lines, BLOCK_SIZE, options.max_line);
        let mut text = Text::default();
        while feed.fill(&mut text) {
            found.block(text.bytes(), options);
            match text.fault.take() {
                Some(Fault::Input(error)) => return Err(error),
                Some(Fault::Line(_)) => return Ok(found.done()), // reading will stop here too
                None => {}
            }
        }
    }
    Ok(found.done())
}

/// Reads all rows, where labels and width are not known without it.
fn read_all<P: AsRef<Path>>(
    paths: &[P],
    options: &ReadOptions,
    names: &Names,
    threads: usize,
) -> Result<Scan, DataError> {
    let inputs = paths
        .iter()
        .map(|path| Input::Path(path.as_ref().to_owned()));
    let (inputs, options) = (inputs.collect(), options.clone());
    let mut reader = Reader::with_names(inputs, options, threads, names.clone())?;
    let mut found = Found::default();
    while let Some(block) = reader.next_block()? {
        for row in 0..block.len() {
            for label in block.labels(row) {
                found.labels.keep(LabelName::new(label));
            }
        }
        found.width = found.width.max(block.width());
    }
    Ok(found.done())
}

#[derive(Default)]
struct Found {
    width: u32,
    labels: Labels,
}

impl Found {
    fn done(self) -> Scan {
        Scan {
            width: self.width,
            labels: self.labels.names.into_iter().collect(),
        }
    }

    fn block(&mut self, text: &[u8], options: &ReadOptions) {
        let remarks = memchr(b'#', text).is_some();
        let mut start = 0;
        for end in memchr_iter(b'\n', text).chain([text.len()]) {
            let mut line = &text[start..end];
            start = (end + 1).min(text.len());
            if remarks && let Some(at) = memchr(b'#', line) {
                line = &line[..at];
            }
            self.line(trim(line), options);
        }
    }

    fn line(&mut self, line: &[u8], options: &ReadOptions) {
        let blank = |b: &u8| matches!(b, b' ' | b'\t');
        let len = line.iter().position(blank).unwrap_or(line.len());
        if len == 0 {
            return;
        }
        let word = &line[..len];
        if !self.labels.met(word) && word != b"?" && !word.contains(&b':') {
            for label in word.split(|&b| b == b',') {
                if !self.labels.add(label) {
                    return; // malformed
                }
            }
        }
        let mut from = line.len();
        while from > 0 && !blank(&line[from - 1]) {
            from -= 1;
        }
        if let Some(slot) = index(&line[from..]).and_then(|index| options.slot(index)) {
            self.width = self.width.max(slot);
        }
    }
}

/// Without blanks at both ends, and without the carriage return of a line's end.
fn trim(mut line: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = line {
        line = rest;
    }
    while let [rest @ .., b' ' | b'\t' | b'\r'] = line {
        line = rest;
    }
    line
}

/// The index of an `index:value` word.
fn index(word: &[u8]) -> Option<u64> {
    let mut index = 0_u64;
    for (at, &byte) in word.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                index = index.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
            }
            b':' if at > 0 => return Some(index),
            _ => return None,
        }
    }
    None
}

/// The distinct labels met, and which spellings were met last.
struct Labels {
    names: BTreeSet<LabelName>,
    /// Short spellings of labels in `names`, each at a place of its own making.
    recent: [u64; 256],
}

impl Default for Labels {
    fn default() -> Self {
        Labels {
            names: BTreeSet::new(),
            recent: [0; 256],
        }
    }
}

impl Labels {
    /// The spelling of a short label as a number, never 0, and its place in `recent`.
    fn short(label: &[u8]) -> Option<(u64, usize)> {
        let mut spelling = 0;
        for &byte in label {
            spelling = spelling << 8 | u64::from(byte);
        }
        let place = spelling.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        (label.len() <= 8 && spelling != 0).then_some((spelling, place as usize))
    }

    /// True if it is known to be one label of those in `names`.
    fn met(&self, label: &[u8]) -> bool {
        Self::short(label).is_some_and(|(spelling, place)| self.recent[place] == spelling)
    }

    /// Adds a label, unless there are too many.
    fn keep(&mut self, name: LabelName) -> bool {
        let full = self.names.len() == MAX_LABELS && !self.names.contains(&name);
        if !full {
            self.names.insert(name);
        }
        !full
    }

    /// Adds a label. False if it is none.
    fn add(&mut self, label: &[u8]) -> bool {
        let Some(number) = word_label::read(label) else {
            return false;
        };
        if !self.keep(LabelName::new(RawLabel::new(number, label))) {
            return true;
        }
        if let Some((spelling, place)) = Self::short(label) {
            self.recent[place] = spelling;
        }
        true
    }
}
