//! What a record says, before it is certain that all of it can be read; and how it becomes a row.

use std::iter::zip;
use std::ops::Range;

use novikoff::names::Names;

use super::Layout;
use super::value::labels;
use crate::draft::{Draft, Feature};
use crate::options::ReadOptions;
use crate::svmlight::label_number;

/// The features of the columns of numbers.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    features: Vec<Feature>,
    /// Their slots, if all have one and they increase.
    slots: Option<Vec<u32>>,
}

impl Numbers {
    pub(super) fn find(layout: &Layout, names: &Names, out: &mut Draft) -> Self {
        let columns = layout.table.columns.iter();
        let features: Vec<Feature> = columns
            .filter(|column| !column.categorical)
            .map(|column| out.find(names, column.name.as_bytes()))
            .collect();
        let slots = features.iter().map(|feature| match feature {
            Feature::Slot(slot) => Some(*slot),
            _ => None,
        });
        let slots: Option<Vec<u32>> = slots.collect();
        Numbers {
            slots: slots.filter(|slots| slots.is_sorted_by(|a, b| a < b)),
            features,
        }
    }

    /// What is known of them will not change.
    pub(super) fn is_settled(&self) -> bool {
        let new = |feature: &Feature| matches!(feature, Feature::New(_));
        !self.features.iter().any(new)
    }
}

/// What a record says.
#[derive(Debug)]
pub(super) struct Stage {
    /// One for each column of numbers.
    pub(super) values: Vec<f32>,
    /// Fields of categories that are not missing, and where their text is.
    pub(super) categories: Vec<(usize, Range<usize>)>,
    /// Where the label's text is.
    pub(super) label: Range<usize>,
}

impl Stage {
    pub(super) fn new(layout: &Layout) -> Self {
        Stage {
            values: vec![0.0; layout.numbers],
            categories: Vec::new(),
            label: 0..0,
        }
    }
}

/// Takes rows.
pub(super) struct Sink<'a> {
    layout: &'a Layout,
    options: &'a ReadOptions,
    names: &'a Names,
    numbers: &'a Numbers,
    /// Slots and values of a row without its zeros.
    slots: Vec<u32>,
    values: Vec<f32>,
    /// The name of a category, and the categories of a row.
    name: Vec<u8>,
    features: Vec<Feature>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(
        layout: &'a Layout,
        options: &'a ReadOptions,
        names: &'a Names,
        numbers: &'a Numbers,
    ) -> Self {
        Sink {
            layout,
            options,
            names,
            numbers,
            slots: vec![0; layout.numbers],
            values: vec![0.0; layout.numbers],
            name: Vec::new(),
            features: Vec::new(),
        }
    }

    /// Adds a row. Places of the stage are in `text`.
    pub(super) fn add(&mut self, stage: &Stage, text: &[u8], line: u64, out: &mut Draft) {
        for label in labels(&text[stage.label.clone()]) {
            out.rows
                .push_label(label_number(label).unwrap_or(f64::NAN), label);
        }
        out.begin_row(self.options);
        match &self.numbers.slots {
            Some(slots) => self.add_numbers(slots, &stage.values, out),
            None => {
                for (&feature, &value) in zip(&self.numbers.features, &stage.values) {
                    if value != 0.0 || feature != Feature::Unknown {
                        out.push(feature, value);
                    }
                }
            }
        }
        for (field, place) in &stage.categories {
            self.name.clear();
            let column = self.layout.column(*field).name.as_bytes();
            self.name.extend_from_slice(column);
            self.name.push(b'=');
            self.name.extend_from_slice(&text[place.clone()]);
            self.features.push(out.find(self.names, &self.name));
        }
        // all are 1, so their order makes no difference, and a row in order need not be sorted
        self.features.sort_unstable_by_key(|feature| match feature {
            Feature::Slot(slot) => *slot,
            Feature::New(_) | Feature::Unknown => u32::MAX,
        });
        for feature in self.features.drain(..) {
            out.push(feature, 1.0);
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
