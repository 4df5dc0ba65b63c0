//! A row while its values are put together.

use novikoff::names::Names;
use novikoff::remedy::Complaint;

use super::features::Finder;
use super::plan::Leaf;
use crate::draft::{Draft, Feature};
use crate::error::{LineError, LineProblem, Token};
use crate::gaps;
use crate::options::{Missing, ReadOptions};
use crate::text::Tokeniser;

/// What is said of a missing value.
pub(super) fn missing() -> Complaint {
    Complaint::new("the value is missing", gaps::fill())
}

/// Memory that is kept from row to row and from batch to batch.
#[derive(Default)]
pub(super) struct Spare {
    pub(super) text: Vec<u8>,
    pub(super) tail: Vec<(Feature, f32)>,
    pub(super) index: Vec<u32>,
    pub(super) value: Vec<f32>,
    words: Tokeniser,
}

/// Where rows are added, and the one being built.
pub(super) struct Maker<'a> {
    pub(super) options: &'a ReadOptions,
    pub(super) finder: Finder<'a>,
    pub(super) draft: &'a mut Draft,
    /// Values without a place yet, in the order of the columns.
    pub(super) tail: Vec<(Feature, f32)>,
    /// The highest slot that has its place.
    top: u32,
    /// Slots and values of a list.
    pub(super) index: Vec<u32>,
    pub(super) value: Vec<f32>,
    words: Tokeniser,
}

/// A value that makes its row a bad one.
pub(super) struct Bad {
    /// The column, counted from 0, and its name.
    pub(super) column: usize,
    pub(super) name: String,
    pub(super) what: Complaint,
}

/// The slot of a feature that has one.
pub(super) fn slot(feature: Feature) -> Option<u32> {
    match feature {
        Feature::Slot(slot) => Some(slot),
        _ => None,
    }
}

impl Bad {
    pub(super) fn new(leaf: &Leaf, what: Complaint) -> Self {
        Bad {
            column: leaf.path[0],
            name: leaf.name.clone(),
            what,
        }
    }

    pub(super) fn at(self, line: u64) -> LineError {
        LineError {
            line,
            column: self.column as u64 + 1,
            problem: LineProblem::Cell {
                column: Token::new(self.name.as_bytes()),
                what: self.what,
            },
        }
    }
}

impl<'a> Maker<'a> {
    pub(super) fn new(
        options: &'a ReadOptions,
        names: &'a Names,
        draft: &'a mut Draft,
        spare: Spare,
    ) -> Self {
        Maker {
            options,
            finder: Finder {
                names,
                text: spare.text,
            },
            draft,
            tail: spare.tail,
            top: 0,
            index: spare.index,
            value: spare.value,
            words: spare.words,
        }
    }

    pub(super) fn into_spare(self) -> Spare {
        Spare {
            text: self.finder.text,
            tail: self.tail,
            index: self.index,
            value: self.value,
            words: self.words,
        }
    }

    /// Begins a row with its constant feature, if there is one.
    pub(super) fn begin(&mut self) {
        self.draft.begin_row(self.options);
        self.tail.clear();
        self.top = 0;
    }

    /// Adds what stands for a missing value of a column, if anything may.
    pub(super) fn missing(&mut self, column: &str) -> Result<(), Complaint> {
        self.allow_missing()?;
        self.stand_in(column);
        Ok(())
    }

    /// An error if values must not be missing.
    pub(super) fn allow_missing(&self) -> Result<(), Complaint> {
        match self.options.missing() {
            Missing::Refuse => Err(missing()),
            _ => Ok(()),
        }
    }

    /// Counts a missing value of a column, and adds the category `column=missing` if it stands for it.
    pub(super) fn stand_in(&mut self, column: &str) {
        self.draft.gaps.add(column);
        if self.options.missing() != Missing::Indicator {
            return;
        }
        let feature = self.finder.missing(column, self.draft);
        self.tail.push((feature, 1.0));
    }

    /// Adds the words of a column of text.
    pub(super) fn text(&mut self, column: usize, name: &str, text: &str, lengths: (u8, u8)) {
        let (names, draft) = (self.finder.names, &mut *self.draft);
        let word = |word: &[u8]| draft.push_word(names, word);
        self.words.each(name, text, lengths, word);
        self.draft.end_text(column);
    }

    /// Adds values whose slots increase, and leaves zeros out.
    pub(super) fn run(&mut self, slots: &[u32], values: &[f32]) {
        let (Some(&first), Some(&last)) = (slots.first(), slots.last()) else {
            return;
        };
        if !self.tail.is_empty() || first <= self.top {
            let cells = slots.iter().zip(values);
            self.tail
                .extend(cells.map(|(&slot, &value)| (Feature::Slot(slot), value)));
            return;
        }
        self.top = last;
        if all(values, |v| v != 0.0) {
            self.draft.rows.push_many(slots, values, last);
            return;
        }
        for (&slot, &value) in slots.iter().zip(values) {
            self.draft.rows.push(slot, value);
        }
    }

    /// Gives the values in the tail their places.
    pub(super) fn end(&mut self) {
        let slots = self.tail.iter().map(|&(feature, _)| slot(feature));
        if !slots.clone().is_sorted() && slots.clone().all(|slot| slot.is_some()) {
            // stable: what has the same slot is added up in the order of the columns
            self.tail.sort_by_key(|&(feature, _)| slot(feature));
        }
        for &(feature, value) in &self.tail {
            self.draft.push(feature, value);
        }
    }
}

/// Whether all values are so; looks at all of them, for that is fast.
#[inline]
pub(super) fn all(values: &[f32], is_so: impl Fn(f32) -> bool) -> bool {
    let mut bad = 0;
    for &v in values {
        bad |= u32::from(!is_so(v));
    }
    bad == 0
}

/// What is not a number is another one.
pub(super) fn no_nan<'a>(values: impl Iterator<Item = &'a mut f32>, fill: f32) {
    for value in values.filter(|value| value.is_nan()) {
        *value = fill;
    }
}
