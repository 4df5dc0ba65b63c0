//! What a record says, before it is certain that all of it can be read; and how it becomes a row.

use std::io::Write as _;
use std::iter::zip;

use novikoff::names::Names;
use novikoff::table::{Column, DateForm, Missing};

use super::value::labels;
use super::{CsvLayout, Role};
use crate::dates::Moment;
use crate::draft::{Draft, Feature};
use crate::options::ReadOptions;
use crate::svmlight::label_number;
use crate::text::Tokeniser;

/// The features of the columns of numbers.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    features: Vec<Feature>,
    /// Their slots, if all have one and they increase.
    slots: Option<Vec<u32>>,
    /// What columns that are not there add to every row.
    imputed: Vec<(Feature, f32)>,
}

impl Numbers {
    pub(super) fn find(layout: &CsvLayout, names: &Names, out: &mut Draft) -> Self {
        let columns = layout.table.columns.iter();
        let features: Vec<Feature> = columns
            .filter_map(Column::number)
            .map(|name| out.find(names, name.as_bytes()))
            .collect();
        let imputed = layout.imputed.iter();
        let imputed = imputed.map(|(name, value)| (out.find(names, name.as_bytes()), *value));
        let slots = features.iter().map(|feature| match feature {
            Feature::Slot(slot) => Some(*slot),
            _ => None,
        });
        let slots: Option<Vec<u32>> = slots.collect();
        Numbers {
            imputed: imputed.collect(),
            slots: slots.filter(|slots| slots.is_sorted_by(|a, b| a < b)),
            features,
        }
    }

    /// What is known of them will not change.
    pub(super) fn is_settled(&self) -> bool {
        let new = |feature: &Feature| matches!(feature, Feature::New(_));
        let imputed = self.imputed.iter().map(|(feature, _)| feature);
        !self.features.iter().chain(imputed).any(new)
    }
}

/// What a record says.
#[derive(Debug)]
pub(super) struct Stage {
    /// One for each feature that is a number, and how many of this record's there are so far.
    values: Vec<f32>,
    filled: usize,
    /// The label's field.
    label: Vec<u8>,
    /// The field that is kept with the row.
    id: Option<Vec<u8>>,
    /// The names of categories one after another, and where each ends.
    names: Vec<u8>,
    ends: Vec<usize>,
    /// Fields of text one after another; which column each is of, and where it ends.
    text: Vec<u8>,
    texts: Vec<(usize, usize)>,
    /// The fields that are missing.
    missing: Vec<usize>,
}

impl Stage {
    pub(super) fn new(layout: &CsvLayout) -> Self {
        Stage {
            values: vec![0.0; layout.fills.len()],
            filled: 0,
            label: Vec::new(),
            id: layout.id.map(|_| Vec::new()),
            names: Vec::new(),
            ends: Vec::new(),
            text: Vec::new(),
            texts: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Begins a record; its numbers take the place of the old ones.
    pub(super) fn clear(&mut self) {
        self.filled = 0;
        self.label.clear();
        self.names.clear();
        self.ends.clear();
        self.text.clear();
        self.texts.clear();
        self.missing.clear();
    }

    /// Keeps the label's field.
    pub(super) fn set_label(&mut self, field: &[u8]) {
        self.label.extend_from_slice(field);
    }

    /// Keeps the field that goes with the row.
    #[cold]
    pub(super) fn set_id(&mut self, field: &[u8]) {
        if let Some(id) = &mut self.id {
            id.clear();
            id.extend_from_slice(field);
        }
    }

    /// Keeps a number.
    #[inline]
    pub(super) fn push_number(&mut self, value: f32) {
        // there are as many as the layout has
        self.values[self.filled] = value;
        self.filled += 1;
    }

    /// Keeps a category.
    pub(super) fn push_category(&mut self, column: &Column, value: &[u8]) {
        self.names.extend_from_slice(column.name.as_bytes());
        self.names.push(b'=');
        self.names.extend_from_slice(value);
        self.ends.push(self.names.len());
    }

    /// Keeps a field of text, which is UTF-8, of a column counted among those of text.
    pub(super) fn push_text(&mut self, column: usize, field: &[u8]) {
        self.text.extend_from_slice(field);
        self.texts.push((column, self.text.len()));
    }

    /// Keeps a text that is missing, of the column at place `k`: it has no words.
    pub(super) fn push_missing_text(&mut self, column: usize, k: usize) {
        self.missing.push(k);
        self.push_text(column, b"");
    }

    /// Keeps a date.
    pub(super) fn push_date(&mut self, column: &Column, form: DateForm, moment: Moment) {
        let DateForm::Parts { hours } = form else {
            self.push_number(moment.seconds());
            return;
        };
        let parts = moment.parts();
        self.push_number(parts.year as f32);
        for (name, part) in parts.categories(hours) {
            self.names.extend_from_slice(column.name.as_bytes());
            // writing to memory cannot fail
            let _ = write!(self.names, ".{name}={part}");
            self.ends.push(self.names.len());
        }
    }

    /// Keeps what stands for a missing value. False if nothing does.
    pub(super) fn push_missing(&mut self, layout: &CsvLayout, k: usize, role: Role) -> bool {
        self.missing.push(k);
        if matches!(role, Role::Number | Role::Date(_)) {
            self.push_number(layout.fills[self.filled]);
        }
        if layout.missing == Missing::Indicator {
            self.push_category(layout.column(k), b"missing");
        }
        layout.missing != Missing::Refuse
    }

    /// The names of categories.
    fn categories(&self) -> impl Iterator<Item = &[u8]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        zip(starts, &self.ends).map(|(start, &end)| &self.names[start..end])
    }
}

/// Takes rows.
pub(super) struct Sink<'a> {
    options: &'a ReadOptions,
    names: &'a Names,
    numbers: &'a Numbers,
    /// Slots and values of a row without its zeros.
    slots: Vec<u32>,
    values: Vec<f32>,
    /// The categories of a row.
    features: Vec<Feature>,
    layout: &'a CsvLayout,
    words: Tokeniser,
}

impl<'a> Sink<'a> {
    pub(super) fn new(
        layout: &'a CsvLayout,
        options: &'a ReadOptions,
        names: &'a Names,
        numbers: &'a Numbers,
    ) -> Self {
        Sink {
            options,
            names,
            numbers,
            slots: vec![0; numbers.features.len()],
            values: vec![0.0; numbers.features.len()],
            features: Vec::new(),
            layout,
            words: Tokeniser::default(),
        }
    }

    /// Adds a row.
    pub(super) fn add(&mut self, stage: &Stage, line: u64, out: &mut Draft) {
        for label in labels(&stage.label) {
            let number = label_number(label).unwrap_or(f64::NAN);
            out.rows.push_label(number, label);
        }
        if let Some(id) = &stage.id {
            out.rows.set_id(id);
        }
        out.begin_row(self.options);
        if let Some(slots) = &self.numbers.slots {
            self.add_numbers(slots, &stage.values, out);
        } else {
            for (&feature, &value) in zip(&self.numbers.features, &stage.values) {
                if value != 0.0 || feature != Feature::Unknown {
                    out.push(feature, value);
                }
            }
        }
        for name in stage.categories() {
            self.features.push(out.find(self.names, name));
        }
        // all are 1, so their order makes no difference, and a row in order need not be sorted
        self.features.sort_unstable_by_key(|feature| match feature {
            Feature::Slot(slot) => *slot,
            Feature::New(_) | Feature::Unknown => u32::MAX,
        });
        for feature in self.features.drain(..) {
            out.push(feature, 1.0);
        }
        for &k in &stage.missing {
            out.gaps.add(&self.layout.column(k).name);
        }
        for &(feature, value) in &self.numbers.imputed {
            out.push(feature, value);
        }
        let mut start = 0;
        for &(column, end) in &stage.texts {
            // was found to be UTF-8 when it was kept
            let text = std::str::from_utf8(&stage.text[start..end]).unwrap_or_default();
            start = end;
            let name = &self.layout.texts[column];
            let lengths = self.layout.table.text.ngrams;
            let word = |word: &[u8]| out.push_word(self.names, word);
            self.words.each(name, text, lengths, word);
            out.end_text(column);
        }
        out.end_row(line);
    }

    /// Adds numbers whose slots increase.
    fn add_numbers(&mut self, slots: &[u32], values: &[f32], out: &mut Draft) {
        let Some(&last) = slots.last() else {
            return;
        };
        if values.iter().all(|&value| value != 0.0) {
            out.rows.push_many(slots, values, last);
            return;
        }
        let mut kept = 0;
        for (&slot, &value) in zip(slots, values) {
            (self.slots[kept], self.values[kept]) = (slot, value);
            kept += usize::from(value != 0.0);
        }
        out.rows
            .push_many(&self.slots[..kept], &self.values[..kept], last);
    }
}
