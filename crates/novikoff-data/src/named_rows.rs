//! Rows that carry the names of their features: for logs and queues, where rows wait for the model that learns from them.
//!
//! The slots of such rows are their own. [`NamedRows::placed`] gives them the slots of a model, new ones if need be, and
//! [`NamedRows::known`] leaves out what the model does not know. Rows are encoded with their names, so that what was kept is complete in itself.
//!
//! Words of columns of text are counts here. They get their values from the model that they are placed for, which counts the rows that have each.

mod encoding;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use novikoff::label::RawLabel;
use novikoff::names::{Names, NamesError};
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;
use novikoff::text_statistics::TextStatistics;

use crate::options::ReadOptions;
use crate::text::{Counted, TextCounts, weigh_counts};

/// Rows with the names of their features, without a constant feature.
#[derive(Clone, Debug, Default)]
pub struct NamedRows {
    names: Names,
    /// Without the words of columns of text.
    rows: Rows,
    /// Those words, by columns.
    texts: Vec<TextCounts>,
}

/// Bytes that are no rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not rows of a log: {what}")]
pub struct NotRows {
    what: &'static str,
}

impl NamedRows {
    /// Rows whose slots are those of `names`. Explicit zeros are not kept, so they count neither now nor when the rows are read again.
    pub fn new(names: Names, mut rows: Rows) -> Self {
        rows.forget_zeros();
        NamedRows {
            names,
            rows,
            texts: Vec::new(),
        }
    }

    /// With the words of columns of text, whose names are among those of the rows.
    pub(crate) fn with_texts(self, texts: Vec<TextCounts>) -> Self {
        NamedRows { texts, ..self }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many values there are in all.
    pub fn values(&self) -> usize {
        let words = self.texts.iter().map(|text| text.words().len());
        self.rows.values() + words.sum::<usize>()
    }

    /// The rows, in slots of their own, without the words of columns of text.
    pub fn view(&self) -> Block<'_> {
        self.rows.view()
    }

    /// Memory that the rows take, about.
    pub fn bytes(&self) -> usize {
        let labels = (0..self.len()).map(|i| {
            self.rows
                .labels(i)
                .map(|l| 24 + l.text().len())
                .sum::<usize>()
        });
        self.names.bytes() as usize + 8 * self.values() + 40 * self.len() + labels.sum::<usize>()
    }

    /// One of the rows, with other labels.
    #[must_use]
    pub fn row_with<'l>(&self, row: usize, labels: impl Iterator<Item = RawLabel<'l>>) -> Self {
        let (mut rows, mut names) = (Rows::new(), Names::new());
        for label in labels {
            rows.push_label(label.number().unwrap_or(f64::NAN), label.text());
        }
        rows.set_weight(self.rows.weight(row) as f32);
        let limits = ReadOptions::default().limits();
        let mut own_slot = |slot: u32| {
            // names that have a slot among more rows have one among fewer
            let own = self
                .names
                .name(slot)
                .and_then(|name| names.assign(name, limits).ok());
            own.unwrap_or_else(|| {
                names.reach(slot);
                slot
            })
        };
        for (slot, value) in self.rows.row(row).iter() {
            rows.push_any(own_slot(slot as u32), value as f32);
        }
        rows.end_row(0);
        let texts = self.texts.iter().map(|text| {
            let mut one = TextCounts::new(text.column.clone());
            let words = text.row(row).iter();
            let words = words.map(|&(slot, times)| (own_slot(slot), times));
            let mut words: Vec<(u32, u32)> = words.collect();
            words.sort_unstable();
            one.extend(words.into_iter());
            one.end_row();
            one
        });
        let texts = texts.collect();
        NamedRows { names, rows, texts }
    }

    /// The features of a row by name, the first `most` of them; words of columns of text with how many times the row has them.
    pub fn features(&self, row: usize, most: usize) -> impl Iterator<Item = (String, f64)> + '_ {
        let values = self.rows.row(row);
        let values = values.iter().take(most);
        let values: Vec<(u32, f64)> = values.map(|(slot, v)| (slot as u32, v)).collect();
        let words = self.texts.iter().flat_map(move |text| text.row(row));
        let words = words.map(|&(slot, times)| (slot, f64::from(times)));
        let list = values.into_iter().chain(words).take(most);
        list.map(|(slot, value)| (self.name(slot), value))
    }

    fn name(&self, slot: u32) -> String {
        let name = self.names.name(slot);
        name.map_or_else(|| slot.to_string(), str::to_owned)
    }

    /// The rows in the slots of a model, with its constant feature. New features get slots, in the order in which they were met, and words are
    /// counted.
    pub fn placed(
        &self,
        schema: &mut Schema,
        options: &ReadOptions,
    ) -> Result<Cow<'_, Rows>, NamesError> {
        let names = &mut schema.names;
        let mut limits = options.limits();
        if self.names.is_empty() && names.is_empty() {
            let width = self.rows.width();
            if width > limits.slots {
                let limit = limits.slots;
                return Err(NamesError::TooMany { limit });
            }
            names.reach(width);
            let rows = self.with_numbers(options.bias);
            return Ok(self.counted(rows, schema, |_| None));
        }
        let mut text = String::new();
        let mut slots = Vec::new();
        let own = self.slots();
        for &slot in &own {
            let name = self
                .names
                .name(slot)
                .unwrap_or_else(|| spelled(slot, options, &mut text));
            if !self.texts.is_empty() {
                let statistics = TextStatistics::bytes(names.highest());
                limits.bytes = options.max_name_bytes.saturating_sub(statistics);
            }
            slots.push(names.assign(name, limits)?);
        }
        names.reach(slots.iter().copied().max().unwrap_or(0));
        let slot_of = |slot| find(&own, &slots, slot);
        let placed = Cow::Owned(self.with_slots(options.bias, slot_of));
        Ok(self.counted(placed, schema, slot_of))
    }

    /// Rows with the values of their words, which are counted.
    fn counted<'r>(
        &self,
        mut rows: Cow<'r, Rows>,
        schema: &mut Schema,
        slot_of: impl FnMut(u32) -> Option<u32>,
    ) -> Cow<'r, Rows> {
        if !self.texts.is_empty() {
            let form = schema.text_form();
            let counted = if form.tfidf {
                Counted::Learning(Arc::make_mut(&mut schema.text))
            } else {
                Counted::Frozen(&schema.text)
            };
            weigh_counts(&self.texts, form, rows.to_mut(), slot_of, counted);
        }
        rows
    }

    /// The rows where features are known by their numbers.
    fn with_numbers(&self, bias: Option<f32>) -> Cow<'_, Rows> {
        match bias {
            None => Cow::Borrowed(&self.rows),
            bias => Cow::Owned(self.with_slots(bias, Some)),
        }
    }

    /// The rows in the slots of a model, with its constant feature, and how many values were left out because it does not know their features.
    pub fn known(&self, schema: &Schema, options: &ReadOptions) -> (Cow<'_, Rows>, u64) {
        let names = &schema.names;
        if self.names.is_empty() && names.is_empty() {
            return (self.with_numbers(options.bias), 0);
        }
        let mut unknown = 0;
        let mut text = String::new();
        let own = self.slots();
        let slots = own.iter().map(|&slot| {
            let name = self
                .names
                .name(slot)
                .unwrap_or_else(|| spelled(slot, options, &mut text));
            names.slot_when_frozen(name.as_bytes()).unwrap_or(0)
        });
        let slots: Vec<u32> = slots.collect();
        let slot_of = |slot| find(&own, &slots, slot).filter(|&slot| slot > 0);
        let mut rows = self.with_slots(options.bias, |slot| {
            let known = slot_of(slot);
            unknown += u64::from(known.is_none());
            known
        });
        if !self.texts.is_empty() {
            let counted = Counted::Frozen(&schema.text);
            unknown += weigh_counts(&self.texts, schema.text_form(), &mut rows, slot_of, counted);
        }
        (Cow::Owned(rows), unknown)
    }

    /// The slots of all names and of all values, increasing.
    fn slots(&self) -> Vec<u32> {
        let used = self.rows.view().index.iter().copied();
        let mut slots: Vec<u32> = self
            .names
            .iter()
            .map(|(slot, _)| slot)
            .chain(used)
            .collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    fn with_slots(&self, bias: Option<f32>, mut slot_of: impl FnMut(u32) -> Option<u32>) -> Rows {
        let mut rows = Rows::new();
        rows.reserve(self.values() + self.len() * usize::from(bias.is_some()));
        for i in 0..self.len() {
            for label in self.rows.labels(i) {
                rows.push_label(label.number().unwrap_or(f64::NAN), label.text());
            }
            if let Some(bias) = bias {
                rows.push(0, bias);
            }
            for (slot, value) in self.rows.row(i).iter() {
                if let Some(slot) = slot_of(slot as u32) {
                    rows.push_any(slot, value as f32);
                }
            }
            rows.set_weight(self.rows.weight(i) as f32);
            rows.end_row(i as u64);
        }
        rows
    }
}

/// How a feature's number is written.
fn spelled<'t>(slot: u32, options: &ReadOptions, text: &'t mut String) -> &'t str {
    text.clear();
    // writing to a String cannot fail
    let _ = write!(text, "{}", slot - u32::from(options.zero_based && slot > 0));
    text
}

fn find(own: &[u32], slots: &[u32], slot: u32) -> Option<u32> {
    // names alone, met in order: the usual case
    let guess = (slot as usize).wrapping_sub(1);
    if own.get(guess) == Some(&slot) {
        return Some(slots[guess]);
    }
    own.binary_search(&slot).ok().map(|at| slots[at])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::row_builder::RowBuilder;
    use novikoff::row::Row;

    fn rows(list: &[&[(&str, f64)]]) -> NamedRows {
        let (mut names, mut rows) = (Names::new(), Rows::new());
        let mut builder = RowBuilder::new(ReadOptions::default());
        for features in list {
            let mut row = builder.learning(&mut names);
            for (name, value) in *features {
                row.number(name, *value).unwrap();
            }
            rows.add("yes", row.finish().unwrap());
        }
        NamedRows::new(names, rows)
    }

    fn values(row: Row<'_>) -> Vec<(usize, f64)> {
        row.iter().collect()
    }

    #[test]
    fn names_get_the_slots_of_a_model_in_order() {
        let mut names = Schema::default();
        let options = ReadOptions {
            bias: Some(1.0),
            ..ReadOptions::default()
        };
        let first = rows(&[&[("b", 1.0), ("a", 2.0)], &[("c", 3.0)]]);
        let placed = first.placed(&mut names, &options).unwrap();
        assert_eq!(values(placed.row(0)), [(0, 1.0), (1, 1.0), (2, 2.0)]);
        let second = rows(&[&[("d", 4.0), ("a", 5.0)]]);
        let placed = second.placed(&mut names, &options).unwrap();
        assert_eq!(values(placed.row(0)), [(0, 1.0), (2, 5.0), (4, 4.0)]);
        let asked = rows(&[&[("e", 1.0), ("c", 7.0)]]);
        let (known, unknown) = asked.known(&names, &options);
        assert_eq!(
            (values(known.row(0)), unknown),
            (vec![(0, 1.0), (3, 7.0)], 1)
        );
    }

    #[test]
    fn numbers_stay_where_they_are_until_there_are_names() {
        let options = ReadOptions::default();
        let numbers = rows(&[&[("3", 1.0), ("7", 2.0)]]);
        let mut names = Schema::default();
        assert_eq!(
            values(numbers.placed(&mut names, &options).unwrap().row(0)),
            [(3, 1.0), (7, 2.0)]
        );
        rows(&[&[("a", 1.0)]]).placed(&mut names, &options).unwrap();
        assert_eq!(names.names.slot(b"a"), Some(8));
        let later = rows(&[&[("7", 1.0), ("9", 2.0)]]);
        assert_eq!(
            values(later.placed(&mut names, &options).unwrap().row(0)),
            [(7, 1.0), (9, 2.0)]
        );
    }

    #[test]
    fn what_was_encoded_comes_back() {
        let mut named = rows(&[&[("b", 1.5), ("12", -2.0)], &[], &[("b", 3.0)]]);
        named.rows.push_label(-1.0, b"-1");
        named.rows.push_label(f64::NAN, b"x");
        named.rows.set_weight(2.5);
        named.rows.push(4, 1.0);
        named.rows.end_row(3);
        let back = NamedRows::decode(&named.encode()).unwrap();
        assert_eq!(back.encode(), named.encode());
        assert_eq!(back.rows.weight(3), 2.5);
        assert_eq!(
            back.rows
                .labels(3)
                .map(|l| l.text().to_vec())
                .collect::<Vec<_>>(),
            [b"-1".to_vec(), b"x".to_vec()]
        );
        assert_eq!(
            back.features(0, 9).collect::<Vec<_>>(),
            named.features(0, 9).collect::<Vec<_>>()
        );
        let one = named.row_with(2, std::iter::once(RawLabel::from("no")));
        assert_eq!(
            one.features(0, 9).collect::<Vec<_>>(),
            [("b".to_owned(), 3.0)]
        );
    }

    #[test]
    fn no_bytes_make_bad_rows() {
        let bytes = rows(&[&[("b", 1.5), ("12", -2.0)], &[("c", 3.0)]]).encode();
        for at in 0..bytes.len() {
            assert!(NamedRows::decode(&bytes[..at]).is_err());
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                // what is accepted is sound
                if let Ok(rows) = NamedRows::decode(&other) {
                    let _ = rows.placed(&mut Schema::default(), &ReadOptions::default());
                }
            }
        }
    }
}
