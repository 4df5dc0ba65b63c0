//! What is seen of a column in the first rows.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use novikoff::remark::{ColumnRemark, Guise};

use super::day_numbers::DayNumbers;
use super::number_ids::{NumberIds, repeat_like_ids};
use super::steps::Steps;
use super::{DISTINCT, guise};
use crate::dates;
use crate::svmlight::number_at_start;

/// A text of this many words is a sentence.
const SENTENCE: usize = 3;

/// Sentences of at least this many distinct values are no names of categories.
const DISTINCT_SENTENCES: usize = 20;

/// Distinct numbers, at least this many, are no names of categories.
const DISTINCT_NUMBERS: usize = 20;

/// Distinct numbers with units, at least this many, are no names of categories.
const DISTINCT_UNITED: usize = 10;

/// How many units are counted, and how many of them a column may have.
const UNITS: usize = 8;
const UNITS_OF_COLUMN: usize = 2;

/// How many texts a remark shows, and how many characters of each.
const SHOWN: usize = 3;
const SHOWN_CHARACTERS: usize = 40;

/// A text as a remark shows it.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.into_owned(),
    }
}

/// A value that is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Missing,
    /// A hyphen: missing in a column of numbers or dates, else a category.
    Hyphen,
    /// A whole number, if it is one.
    Number(Option<i64>),
    /// A number as it is written.
    Written(&'a [u8]),
    Text(&'a [u8]),
}

impl<'a> Value<'a> {
    /// A number as it is written.
    pub(crate) fn number(text: &'a [u8]) -> Self {
        Value::Written(text)
    }
}

/// A whole number, if that is written.
fn whole(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Whether a string is a number.
fn is_number_string(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    number_at_start(text).is_some_and(|(_, len)| len == text.len())
}

/// Whether a string of a number is a code, as `0123` and `+4930` are.
fn is_code(text: &[u8]) -> bool {
    matches!(text.trim_ascii(), [b'0', b'0'..=b'9', ..] | [b'+', ..])
}

/// Numbers with a unit.
#[derive(Clone, Debug, Default)]
struct Units {
    /// How many values are such numbers, and those that have a blank or a degree sign before the letters.
    values: usize,
    apart: usize,
    /// The first units, and how many values have each.
    counts: Vec<(Box<str>, usize)>,
    /// The first value, and its number.
    first: Option<(String, String)>,
}

impl Units {
    fn add(&mut self, text: &str) {
        let Some((number, unit)) = guise::unit(text) else {
            return;
        };
        self.values += 1;
        let is_apart = text.contains(' ') || unit.starts_with('°');
        self.apart += usize::from(is_apart);
        self.first
            .get_or_insert_with(|| (text.to_owned(), number.to_owned()));
        let known = self.counts.iter_mut().find(|(known, _)| **known == *unit);
        if let Some((_, count)) = known {
            *count += 1;
        } else if self.counts.len() < UNITS {
            self.counts.push((unit.into(), 1));
        }
    }

    /// The units of nearly all of these values, the most frequent first: one, or two that no code has.
    fn most(&self) -> Option<Vec<String>> {
        let mut counts = self.counts.clone();
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let most = if self.apart == self.values {
            UNITS_OF_COLUMN
        } else {
            1
        };
        let mut covered = 0;
        for (k, (_, count)) in counts.iter().take(most).enumerate() {
            covered += count;
            if 20 * covered >= 19 * self.values {
                let units = counts.iter().take(k + 1);
                return Some(units.map(|(unit, _)| unit.to_string()).collect());
            }
        }
        None
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
    /// Values that are a hyphen.
    hyphens: usize,
    /// Some value is no date; some value is one with a time.
    not_date: bool,
    pub(super) has_time: bool,
    /// Hashes of the values, of a column that does not begin with a number.
    pub(super) distinct: HashSet<u64, FixedState>,
    /// How many of them are numbers.
    distinct_numbers: usize,
    /// The first texts that differ.
    texts: Vec<Box<[u8]>>,
    /// Values that are dates, the first of them, and the first text that is none.
    dates: usize,
    first_date: Option<Box<[u8]>>,
    first_other: Option<Box<[u8]>>,
    /// Values that are numbers, or numbers and dates in another guise, by guise.
    plain: usize,
    guises: [usize; Guise::ALL.len()],
    /// Numbers that may have a decimal comma or thousands: `1,234`.
    ambiguous: usize,
    units: Units,
    /// Strings that are numbers, the first of them, and how many are codes.
    strings: usize,
    first_string: Option<Box<[u8]>>,
    codes: usize,
    /// Values of several words.
    sentences: usize,
    pub(super) steps: Steps,
    pub(super) ids: NumberIds,
    pub(super) days: DayNumbers,
}

impl ColumnLook {
    /// Looks at one more value.
    pub(crate) fn add(&mut self, value: Value<'_>) {
        self.rows += 1;
        if self.is_finished() {
            return;
        }
        match value {
            Value::Missing | Value::Hyphen => {
                self.hyphens += usize::from(matches!(value, Value::Hyphen));
                if self.is_number {
                    self.steps.add(None);
                }
                return;
            }
            Value::Number(whole) => self.number(whole),
            Value::Written(text) => {
                self.number(whole(text));
                if !self.is_number {
                    let is_new = self.distinct.insert(FixedState::default().hash_one(text));
                    self.distinct_numbers += usize::from(is_new);
                }
            }
            // what is wrong with it is said when it is read
            Value::Text(_) if self.is_number => self.steps.add(None),
            Value::Text(text) => {
                if let Some((_, has_time)) = dates::parse(text) {
                    self.has_time |= has_time;
                    self.dates += 1;
                    self.first_date.get_or_insert_with(|| text.into());
                } else {
                    self.not_date = true;
                    self.first_other.get_or_insert_with(|| text.into());
                }
                // a fixed seed: the same decision in every run
                let is_new = self.distinct.insert(FixedState::default().hash_one(text));
                if is_number_string(text) {
                    self.strings += 1;
                    self.codes += usize::from(is_code(text));
                    self.first_string.get_or_insert_with(|| text.into());
                } else if is_new && self.texts.len() < SHOWN {
                    self.texts.push(text.into());
                }
                if let Some(guise) = guise::guise(text) {
                    self.guises[guise as usize] += 1;
                    let is_thousands = guise == Guise::Thousands;
                    let is_ambiguous = is_thousands && guise::may_be_decimal(text);
                    self.ambiguous += usize::from(is_ambiguous);
                } else if let Ok(text) = std::str::from_utf8(text) {
                    self.units.add(text);
                }
                let words = text.split(u8::is_ascii_whitespace);
                let words = words.filter(|word| !word.is_empty()).take(SENTENCE);
                self.sentences += usize::from(words.count() == SENTENCE);
            }
        }
        self.values += 1;
    }

    fn number(&mut self, whole: Option<i64>) {
        self.is_number |= self.values == 0;
        self.not_date = true;
        self.plain += 1;
        self.steps.add(whole);
        self.ids.add(whole);
        self.days.add(whole);
    }

    /// Whether there are hyphens, and nothing else.
    pub(super) fn are_hyphens(&self) -> bool {
        self.values == 0 && self.hyphens > 0
    }

    /// Whether nothing that follows makes a difference to what the column holds.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_number
    }

    /// Whether nothing that follows makes a difference, not even to remarks.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_number && self.steps.is_settled() && self.ids.is_settled() && self.days.is_settled()
    }

    /// The guise of nearly all values, if they are numbers or dates in one.
    pub(super) fn guise(&self) -> Option<Guise> {
        let most = Guise::ALL
            .into_iter()
            .max_by_key(|&guise| self.guises[guise as usize]);
        let of = |guise: Guise| self.guises[guise as usize];
        // one that has a decimal comma for certain tells of the others
        let are_decimal = of(Guise::Thousands) == self.ambiguous && of(Guise::DecimalComma) > 0;
        let most = match most {
            Some(Guise::Thousands) if are_decimal => Some(Guise::DecimalComma),
            most => most,
        };
        // a few times of day are names of categories
        let is_many = most != Some(Guise::Duration) || self.distinct.len() >= DISTINCT_UNITED;
        most.filter(|_| is_many && self.are_otherwise_numbers(self.guises.iter().sum()))
    }

    /// Whether nearly all values are numbers, with these ones that are written in another way: most of what is no number is one of them.
    fn are_otherwise_numbers(&self, others: usize) -> bool {
        let explains = |values: usize| 2 * others > values;
        20 * (others + self.plain) >= 19 * self.values
            && (explains(self.values)
                || self.are_mostly_numbers() && explains(self.values - self.plain))
    }

    /// What is worth saying of a column of numbers with units, too many to be names of categories.
    pub(super) fn units(&self, column: String, left_out: bool) -> Option<ColumnRemark> {
        let is_united =
            self.distinct.len() >= DISTINCT_UNITED && self.are_otherwise_numbers(self.units.values);
        let units = self.units.most().filter(|_| is_united)?;
        Some(ColumnRemark::Units {
            column,
            units,
            value: self.units.first.clone()?,
            left_out,
        })
    }

    /// What is worth saying of a column of strings that are numbers, too many to be names of categories.
    pub(super) fn number_strings(&self, column: String, left_out: bool) -> Option<ColumnRemark> {
        let are_numbers = self.codes == 0 && 20 * (self.strings + self.plain) >= 19 * self.values;
        let string = self.first_string.as_ref()?;
        (are_numbers && self.distinct.len() >= DISTINCT_NUMBERS).then(|| {
            ColumnRemark::NumberStrings {
                column,
                strings: self.strings as u64,
                values: self.values as u64,
                string: shown(string),
                left_out,
            }
        })
    }

    /// Whether nearly all values are numbers, and too many distinct ones to be names of categories, although the first is none.
    pub(super) fn are_nearly_numbers(&self) -> bool {
        20 * self.plain >= 19 * self.values && self.distinct_numbers >= DISTINCT_NUMBERS
    }

    /// Whether more than half of the values are numbers, so that the others are perhaps none by mistake: nearly all are, or there are too many
    /// distinct ones to be names of categories.
    pub(super) fn are_mostly_numbers(&self) -> bool {
        let are_many = self.distinct_numbers >= DISTINCT_NUMBERS;
        2 * self.plain > self.values && (are_many || 20 * self.plain >= 19 * self.values)
    }

    /// Whether there are texts that are no numbers.
    pub(super) fn has_words(&self) -> bool {
        !self.texts.is_empty()
    }

    /// What is worth saying of a column in which numbers and other values are.
    pub(super) fn some_numbers(&self, column: String, left_out: bool) -> ColumnRemark {
        ColumnRemark::SomeNumbers {
            column,
            numbers: self.plain as u64,
            values: self.values as u64,
            others: self.texts.iter().map(|text| shown(text)).collect(),
            left_out,
        }
    }

    /// What is worth saying of a column of dates that are not all written in the same way.
    pub(super) fn mixed_dates(&self, column: String, left_out: bool) -> Option<ColumnRemark> {
        let (date, other) = (self.first_date.as_ref()?, self.first_other.as_ref()?);
        let all = self.dates + self.guises[Guise::Date as usize];
        (20 * all >= 19 * self.values).then(|| ColumnRemark::MixedDates {
            column,
            dates: self.dates as u64,
            values: self.values as u64,
            date: shown(date),
            other: shown(other),
            left_out,
        })
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

    /// Whether there are many distinct values with few rows each.
    pub(super) fn repeat_like_ids(&self) -> bool {
        repeat_like_ids(self.values, self.distinct.len())
    }

    pub(super) fn are_ids(&self) -> bool {
        let distinct = self.distinct.len();
        distinct >= DISTINCT && 2 * distinct > self.values
    }
}
