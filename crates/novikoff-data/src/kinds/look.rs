//! What is seen of a column in the first rows.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use novikoff::remark::Guise;

use super::number_ids::NumberIds;
use super::steps::Steps;
use super::{DISTINCT, guise};
use crate::dates;

/// A text of this many words is a sentence.
const SENTENCE: usize = 3;

/// Sentences of at least this many distinct values are no names of categories.
const DISTINCT_SENTENCES: usize = 20;

/// A value that is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Missing,
    /// A whole number, if it is one.
    Number(Option<i64>),
    Text(&'a [u8]),
}

impl Value<'_> {
    /// A number as it is written.
    pub(crate) fn number(text: &[u8]) -> Self {
        let text = std::str::from_utf8(text);
        Value::Number(text.ok().and_then(|text| text.parse().ok()))
    }
}

/// What was seen of one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnLook {
    pub(super) rows: usize,
    /// Those that are not missing.
    pub(super) values: usize,
    /// The first value is a number.
    pub(super) is_number: bool,
    /// Some value is no date; some value is one with a time.
    not_date: bool,
    pub(super) has_time: bool,
    /// Hashes of the values.
    pub(super) distinct: HashSet<u64, FixedState>,
    /// Values that are numbers, or numbers and dates in another guise, by guise.
    plain: usize,
    guises: [usize; Guise::ALL.len()],
    /// Values of several words.
    sentences: usize,
    pub(super) steps: Steps,
    pub(super) ids: NumberIds,
}

impl ColumnLook {
    /// Looks at one more value.
    pub(crate) fn add(&mut self, value: Value<'_>) {
        self.rows += 1;
        if self.is_finished() {
            return;
        }
        match value {
            Value::Missing => {
                if self.is_number {
                    self.steps.add(None);
                }
                return;
            }
            Value::Number(whole) => {
                self.is_number |= self.values == 0;
                self.not_date = true;
                self.plain += 1;
                self.steps.add(whole);
                self.ids.add(whole);
            }
            // what is wrong with it is said when it is read
            Value::Text(_) if self.is_number => self.steps.add(None),
            Value::Text(text) => {
                match dates::parse(text) {
                    Some((_, has_time)) => self.has_time |= has_time,
                    None => self.not_date = true,
                }
                // a fixed seed: the same decision in every run
                self.distinct.insert(FixedState::default().hash_one(text));
                if let Some(guise) = guise(text) {
                    self.guises[guise as usize] += 1;
                }
                let words = text.split(u8::is_ascii_whitespace);
                let words = words.filter(|word| !word.is_empty()).take(SENTENCE);
                self.sentences += usize::from(words.count() == SENTENCE);
            }
        }
        self.values += 1;
    }

    /// Whether nothing that follows makes a difference to what the column holds.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_number
    }

    /// Whether nothing that follows makes a difference, not even to remarks.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_number && self.steps.is_broken() && self.ids.is_settled()
    }

    /// The guise of nearly all values, if they are numbers or dates in one.
    pub(super) fn guise(&self) -> Option<Guise> {
        let guised: usize = self.guises.iter().sum();
        let is_guised = 20 * (guised + self.plain) >= 19 * self.values && 2 * guised > self.values;
        let most = Guise::ALL
            .into_iter()
            .max_by_key(|&guise| self.guises[guise as usize]);
        most.filter(|_| is_guised)
    }

    /// Whether at least half of the values are sentences, too many to be names of categories.
    pub(super) fn are_sentences(&self) -> bool {
        let distinct = self.distinct.len();
        2 * self.sentences >= self.values
            && distinct >= DISTINCT_SENTENCES
            && 10 * distinct >= self.values
    }

    pub(super) fn are_dates(&self) -> bool {
        self.values > 0 && !self.is_number && !self.not_date
    }

    pub(super) fn are_ids(&self) -> bool {
        let distinct = self.distinct.len();
        distinct >= DISTINCT && 2 * distinct > self.values
    }
}
