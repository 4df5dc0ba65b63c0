//! Which features the values of a column are, found once and kept.
//!
//! A name that has a slot keeps it for ever, so what was found for one batch holds for all that follow.

use std::io::Write as _;

use arrow_array::{Array, ArrayRef, cast::AsArray as _};
use novikoff::names::Names;

use super::numbers::Numbers;
use super::row::Maker;
use super::texts::{Strings, Texts};
use crate::draft::{Draft, Feature};

/// Not found yet.
const OPEN: u32 = 0;
/// Not known to the model.
const UNKNOWN: u32 = u32::MAX;

/// What was found for one column.
#[derive(Default)]
pub(super) struct Memo {
    /// The slot of each entry of the dictionary, or of each place of a list.
    slots: Vec<u32>,
    /// The dictionary, kept so that nothing else can be where it lies in memory.
    dictionary: Option<ArrayRef>,
    /// How many of the slots, from the first on, are known and increase.
    rising: usize,
}

/// Where names are looked up.
pub(super) struct Finder<'a> {
    pub(super) names: &'a Names,
    pub(super) text: Vec<u8>,
}

impl Finder<'_> {
    /// The feature whose name is being written in `text`.
    fn find(&self, draft: &mut Draft) -> Feature {
        draft.find(self.names, &self.text)
    }

    /// The feature of a number, as a name.
    pub(super) fn number(&mut self, number: u32, draft: &mut Draft) -> Feature {
        self.text.clear();
        // writing to memory cannot fail
        let _ = write!(self.text, "{number}");
        self.find(draft)
    }

    /// The feature `name=missing`.
    pub(super) fn missing(&mut self, name: &str, draft: &mut Draft) -> Feature {
        self.begin(name, b'=');
        self.text.extend_from_slice(b"missing");
        self.find(draft)
    }

    /// The feature `name.part=value`, of a date.
    pub(super) fn part(&mut self, name: &str, part: &str, value: u8, draft: &mut Draft) -> Feature {
        self.begin(name, b'.');
        // writing to memory cannot fail
        let _ = write!(self.text, "{part}={value}");
        self.find(draft)
    }

    fn begin(&mut self, name: &str, mark: u8) {
        self.text.clear();
        self.text.extend_from_slice(name.as_bytes());
        self.text.push(mark);
    }
}

impl Memo {
    /// Begins a batch: forgets a dictionary that is not the same any more.
    pub(super) fn begin(&mut self, array: &dyn Array) {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return;
        };
        let values = dictionary.values();
        let same = Strings::of(values)
            .zip(self.dictionary.as_ref())
            .is_some_and(|(strings, kept)| strings.is(kept));
        if !same {
            self.slots.clear();
            self.slots.resize(values.len(), OPEN);
            self.dictionary = Some(values.clone());
        }
    }

    /// The feature `name=value` of row `i`; none if the value is missing.
    pub(super) fn category(
        &mut self,
        name: &str,
        texts: &Texts<'_>,
        i: usize,
        maker: &mut Maker<'_>,
    ) -> Option<Feature> {
        let (finder, draft) = (&mut maker.finder, &mut *maker.draft);
        let (key, value) = match texts {
            Texts::Keyed(keys, strings) => {
                let key = keys.get(i);
                match self.slots[key] {
                    OPEN => (Some(key), strings.get(key)?),
                    UNKNOWN => return Some(Feature::Unknown),
                    slot => return Some(Feature::Slot(slot)),
                }
            }
            Texts::Plain(strings) => (None, strings.get(i)?),
            Texts::Whole(Numbers::Bool(array)) => {
                finder.begin(name, b'=');
                let value: &[u8] = if array.value(i) { b"true" } else { b"false" };
                finder.text.extend_from_slice(value);
                return Some(finder.find(draft));
            }
            Texts::Whole(numbers) => {
                finder.begin(name, b'=');
                // writing to memory cannot fail
                let _ = write!(finder.text, "{}", numbers.whole(i)?);
                return Some(finder.find(draft));
            }
        };
        finder.begin(name, b'=');
        finder.text.extend_from_slice(value.as_bytes());
        let feature = finder.find(draft);
        if let Some(key) = key {
            self.keep(key, feature);
        }
        Some(feature)
    }

    /// The feature `name[k]`.
    pub(super) fn item(
        &mut self,
        name: &str,
        k: usize,
        finder: &mut Finder<'_>,
        draft: &mut Draft,
    ) -> Feature {
        match self.slots.get(k) {
            None | Some(&OPEN) => {}
            Some(&UNKNOWN) => return Feature::Unknown,
            Some(&slot) => return Feature::Slot(slot),
        }
        finder.begin(name, b'[');
        // writing to memory cannot fail
        let _ = write!(finder.text, "{k}]");
        let feature = finder.find(draft);
        if self.slots.len() <= k {
            self.slots.resize(k + 1, OPEN);
        }
        self.keep(k, feature);
        feature
    }

    /// The slots of the first `len` places of a list, if they are known and increase.
    pub(super) fn rising(&mut self, len: usize) -> Option<&[u32]> {
        while self.rising < len {
            let before = self.rising.checked_sub(1).map_or(0, |k| self.slots[k]);
            match self.slots.get(self.rising) {
                Some(&slot) if slot > before && slot < UNKNOWN => self.rising += 1,
                _ => return None,
            }
        }
        Some(&self.slots[..len])
    }

    fn keep(&mut self, k: usize, feature: Feature) {
        self.slots[k] = match feature {
            Feature::Slot(slot) => slot,
            Feature::Unknown => UNKNOWN,
            Feature::New(_) => OPEN,
        };
    }
}
