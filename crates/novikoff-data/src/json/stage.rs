//! What a line says, before it is certain that all of it can be read; and how it becomes a row.

use std::hash::BuildHasher as _;
use std::io::Write as _;
use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use novikoff::names::Names;
use novikoff::table::DateForm;

use super::problem::{JsonProblem, NUMBER_IN_QUOTES};
use super::walk::{Scalar, Visit};
use super::{JsonLayout, Role, is_number};
use crate::dates;
use crate::draft::Draft;
use crate::error::Token;
use crate::gaps::NumberSums;
use crate::options::{Missing, ReadOptions};
use crate::svmlight::{label_number, number_at_start};
use crate::text::Tokeniser;

/// What a line says.
pub(super) struct Stage<'a> {
    layout: &'a JsonLayout,
    missing: Missing,
    /// The paths of fields, one after another, and where they are by their hashes.
    paths: Vec<u8>,
    seen: HashTable<(usize, usize)>,
    hasher: RandomState,
    /// What the field being read is.
    role: Option<Role>,
    /// What the first item of its array is.
    items: Option<Items>,
    /// Names of features, texts and labels, one after another.
    text: Vec<u8>,
    labels: Vec<(f64, Range<usize>)>,
    /// The text that is kept with the row.
    id: Range<usize>,
    /// Features by their names, and their values.
    values: Vec<(Range<usize>, f32)>,
    /// Texts, or words as they are, with the places of their fields among those of text.
    texts: Vec<(usize, Range<usize>)>,
    words: Vec<(usize, Range<usize>)>,
    /// The names of fields that are missing.
    gaps: Vec<Range<usize>>,
    /// The places of the columns that are there, be they null.
    written: Vec<usize>,
    /// The place of the column being read, if it has one, and the numbers of columns.
    place: Option<usize>,
    numbers: Vec<(usize, f32)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Items {
    Numbers,
    Texts,
}

impl<'a> Stage<'a> {
    pub(super) fn new(layout: &'a JsonLayout, missing: Missing) -> Self {
        Stage {
            layout,
            missing,
            paths: Vec::new(),
            seen: HashTable::new(),
            hasher: RandomState::default(),
            role: None,
            items: None,
            text: Vec::new(),
            labels: Vec::new(),
            id: 0..0,
            values: Vec::new(),
            texts: Vec::new(),
            words: Vec::new(),
            gaps: Vec::new(),
            written: Vec::new(),
            place: None,
            numbers: Vec::new(),
        }
    }

    /// Begins a line.
    pub(super) fn clear(&mut self) {
        self.paths.clear();
        self.seen.clear();
        self.text.clear();
        self.labels.clear();
        self.id = 0..0;
        self.values.clear();
        self.texts.clear();
        self.words.clear();
        self.gaps.clear();
        self.written.clear();
        self.numbers.clear();
    }

    /// Keeps some text, and says where it is.
    fn keep(&mut self, parts: &[&[u8]]) -> Range<usize> {
        let start = self.text.len();
        for part in parts {
            self.text.extend_from_slice(part);
        }
        start..self.text.len()
    }

    fn label(&mut self, value: Scalar<'_>) -> Result<(), JsonProblem> {
        let bad = |text: &[u8], what| JsonProblem::BadLabel {
            token: Token::new(text),
            what,
        };
        let (number, text): (f64, &[u8]) = match value {
            Scalar::Null => return Ok(()),
            Scalar::Truth(true) => (1.0, b"1"),
            Scalar::Truth(false) => (0.0, b"0"),
            Scalar::Number(text) => match label_number(text) {
                Some(number) => (number, text),
                None => return Err(bad(text, "is not a finite number")),
            },
            Scalar::Text("") => return Err(bad(b"", "is empty")),
            Scalar::Text(text) => {
                let text = text.as_bytes();
                (label_number(text).unwrap_or(f64::NAN), text)
            }
        };
        let place = self.keep(&[text]);
        self.labels.push((number, place));
        Ok(())
    }

    /// A feature that is 1: the field, a mark, and the value.
    fn push_one(&mut self, path: &str, mark: u8, value: Scalar<'_>) {
        let value = match value {
            Scalar::Text(text) => text.as_bytes(),
            Scalar::Number(number) => number,
            Scalar::Truth(true) => b"true",
            Scalar::Truth(false) => b"false",
            Scalar::Null => return,
        };
        let name = self.keep(&[path.as_bytes(), &[mark], value]);
        self.values.push((name, 1.0));
    }

    fn push_number(
        &mut self,
        path: &str,
        item: Option<usize>,
        value: Scalar<'_>,
    ) -> Result<(), JsonProblem> {
        let field = || Token::new(path.as_bytes());
        let number = match value {
            Scalar::Truth(truth) => f32::from(truth),
            Scalar::Number(text) => match number_at_start(text) {
                Some((number, _)) if number.is_finite() => number,
                _ => {
                    let (field, token) = (field(), Token::new(text));
                    return Err(JsonProblem::Range { field, token });
                }
            },
            Scalar::Null => return Ok(()),
            Scalar::Text(text) => {
                let quoted = is_number(text.trim_ascii().as_bytes());
                return Err(JsonProblem::WrongType {
                    field: field(),
                    found: if quoted {
                        NUMBER_IN_QUOTES
                    } else {
                        value.name()
                    },
                    expected: "the field holds numbers",
                });
            }
        };
        let mut name = self.keep(&[path.as_bytes()]);
        if let Some(item) = item {
            // writing to memory cannot fail
            let _ = write!(self.text, "[{item}]");
            name.end = self.text.len();
        } else {
            self.numbers.extend(self.place.map(|place| (place, number)));
        }
        self.values.push((name, number));
        Ok(())
    }

    /// What stands for a value that is missing.
    fn push_missing(&mut self, path: &str) {
        let gap = self.keep(&[path.as_bytes()]);
        self.gaps.push(gap);
        let column = self.layout.table.column(path);
        let mean = column.and_then(|column| Some((column.number()?, column.mean?)));
        if let Some((name, mean)) = mean {
            let name = self.keep(&[name.as_bytes()]);
            self.values.push((name, mean));
        }
        if self.missing == Missing::Indicator {
            self.push_one(path, b'=', Scalar::Text("missing"));
        }
    }

    fn push_date(&mut self, path: &str, form: DateForm, text: &str) -> Result<(), JsonProblem> {
        let Some((moment, _)) = dates::parse(text.trim_ascii().as_bytes()) else {
            return Err(JsonProblem::NotDate {
                field: Token::new(path.as_bytes()),
                token: Token::new(text.as_bytes()),
            });
        };
        let DateForm::Parts { hours } = form else {
            let name = self.keep(&[path.as_bytes()]);
            let seconds = moment.seconds();
            self.values.push((name, seconds));
            self.numbers
                .extend(self.place.map(|place| (place, seconds)));
            return Ok(());
        };
        let parts = moment.parts();
        let name = self.keep(&[path.as_bytes(), b".year"]);
        let year = parts.year as f32;
        self.values.push((name, year));
        self.numbers.extend(self.place.map(|place| (place, year)));
        for (part, value) in parts.categories(hours) {
            let start = self.text.len();
            // writing to memory cannot fail
            let _ = write!(self.text, "{path}.{part}={value}");
            self.values.push((start..self.text.len(), 1.0));
        }
        Ok(())
    }

    /// The items of an array are all of one type.
    fn check_item(&mut self, path: &str, value: Scalar<'_>) -> Result<(), JsonProblem> {
        let is = match value {
            Scalar::Null => return Ok(()),
            Scalar::Text(_) => Items::Texts,
            _ => Items::Numbers,
        };
        if *self.items.get_or_insert(is) == is {
            return Ok(());
        }
        Err(JsonProblem::BadItem {
            field: Token::new(path.as_bytes()),
            found: value.name(),
        })
    }

    /// Adds the values and the words to the row being built.
    pub(super) fn fill(&self, names: &Names, tokeniser: &mut Tokeniser, out: &mut Draft) {
        for (place, value) in &self.values {
            let feature = out.find(names, &self.text[place.clone()]);
            out.push(feature, *value);
        }
        for place in &self.gaps {
            // paths are UTF-8
            let path = std::str::from_utf8(&self.text[place.clone()]).unwrap_or_default();
            out.gaps.add(path);
        }
        // in the order of the table, whatever that of the line
        for (column, name) in self.layout.texts.iter().enumerate() {
            let of = |(of, _): &&(usize, Range<usize>)| *of == column;
            for (_, place) in self.texts.iter().filter(of) {
                // strings are UTF-8
                let text = std::str::from_utf8(&self.text[place.clone()]).unwrap_or_default();
                let word = |word: &[u8]| out.push_word(names, word);
                tokeniser.each(name, text, self.layout.table.text.ngrams, word);
            }
            for (_, place) in self.words.iter().filter(of) {
                let word = tokeniser.one(name, &self.text[place.clone()]);
                out.push_word(names, word);
            }
            out.end_text(column);
        }
    }
}

impl Visit for Stage<'_> {
    fn field(&mut self, path: &str) -> Result<(), JsonProblem> {
        let hash = self.hasher.hash_one(path.as_bytes());
        let paths = &self.paths;
        let of = |&(start, end): &(usize, usize)| &paths[start..end];
        if self
            .seen
            .find(hash, |at| of(at) == path.as_bytes())
            .is_some()
        {
            let name = Token::new(path.as_bytes());
            return Err(JsonProblem::Twice { name });
        }
        let start = self.paths.len();
        self.paths.extend_from_slice(path.as_bytes());
        let (paths, hasher) = (&self.paths, &self.hasher);
        let of = |&(start, end): &(usize, usize)| hasher.hash_one(&paths[start..end]);
        self.seen.insert_unique(hash, (start, paths.len()), of);
        let known = self.layout.role(path);
        self.role = known.map(|(role, _)| role);
        self.place = known.map(|(_, place)| place);
        self.written.extend(self.place);
        self.items = None;
        Ok(())
    }

    fn value(
        &mut self,
        path: &str,
        item: Option<usize>,
        value: Scalar<'_>,
    ) -> Result<(), JsonProblem> {
        if item.is_none() && self.layout.id.as_deref() == Some(path) {
            self.id = match value {
                Scalar::Text(text) => self.keep(&[text.as_bytes()]),
                Scalar::Number(number) => self.keep(&[number]),
                Scalar::Truth(true) => self.keep(&[b"true"]),
                Scalar::Truth(false) => self.keep(&[b"false"]),
                Scalar::Null => 0..0,
            };
        }
        if item.is_some() && self.role != Some(Role::Label) {
            self.check_item(path, value)?;
        }
        let role = match self.role {
            Some(role) => role,
            None if matches!(value, Scalar::Text(_)) => {
                let mark = if item.is_some() { b'^' } else { b'=' };
                self.push_one(path, mark, value);
                return Ok(());
            }
            None => Role::Number,
        };
        match (role, value) {
            (Role::Label, value) => self.label(value),
            (Role::Ignored, _) => Ok(()),
            (_, Scalar::Null) if self.missing == Missing::Refuse => {
                let field = Token::new(path.as_bytes());
                Err(JsonProblem::Missing { field })
            }
            (Role::Text(_), Scalar::Null) => Ok(()),
            // an item of an array is zero
            (_, Scalar::Null) if item.is_some() => Ok(()),
            (_, Scalar::Null) => {
                self.push_missing(path);
                Ok(())
            }
            (Role::Date(form), Scalar::Text(text)) => self.push_date(path, form, text),
            (Role::Date(_), value) => Err(JsonProblem::WrongType {
                field: Token::new(path.as_bytes()),
                found: value.name(),
                expected: "the field holds dates",
            }),
            (Role::Number, value) => self.push_number(path, item, value),
            (Role::Category, value) => {
                self.push_one(path, b'=', value);
                Ok(())
            }
            (Role::Text(column), Scalar::Text(text)) => {
                let place = self.keep(&[text.as_bytes()]);
                let kept = if item.is_some() {
                    &mut self.words
                } else {
                    &mut self.texts
                };
                kept.push((column, place));
                Ok(())
            }
            (Role::Text(_), value) => Err(JsonProblem::WrongType {
                field: Token::new(path.as_bytes()),
                found: value.name(),
                expected: "the field holds text",
            }),
        }
    }
}

/// Takes rows.
pub(super) struct Sink<'a> {
    layout: &'a JsonLayout,
    options: &'a ReadOptions,
    names: &'a Names,
    words: Tokeniser,
    /// Rows, and those that have each column of the table.
    rows: u64,
    written: Vec<u64>,
    /// The numbers of each column.
    numbers: Vec<NumberSums>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(layout: &'a JsonLayout, options: &'a ReadOptions, names: &'a Names) -> Self {
        Sink {
            layout,
            options,
            names,
            words: Tokeniser::default(),
            rows: 0,
            written: vec![0; layout.table.columns.len()],
            numbers: vec![NumberSums::default(); layout.table.columns.len()],
        }
    }

    /// Adds a row.
    pub(super) fn add(&mut self, stage: &Stage<'_>, line: u64, out: &mut Draft) {
        for (number, place) in &stage.labels {
            out.rows.push_label(*number, &stage.text[place.clone()]);
        }
        if self.layout.id.is_some() {
            out.rows.set_id(&stage.text[stage.id.clone()]);
        }
        self.rows += 1;
        for &place in &stage.written {
            if let Some(rows) = self.written.get_mut(place) {
                *rows += 1;
            }
        }
        for &(place, number) in &stage.numbers {
            if let Some(sums) = self.numbers.get_mut(place) {
                sums.add(number);
            }
        }
        out.begin_row(self.options);
        stage.fill(self.names, &mut self.words, out);
        out.end_row(line);
    }

    /// Counts the rows that lack fields of numbers, and what the numbers are.
    pub(super) fn finish(self, out: &mut Draft) {
        let counted = self.written.into_iter().zip(self.numbers);
        for (column, (written, numbers)) in self.layout.table.columns.iter().zip(counted) {
            if column.number().is_some() {
                out.gaps
                    .add_field(&column.name, self.rows - written, numbers);
            }
        }
    }
}
