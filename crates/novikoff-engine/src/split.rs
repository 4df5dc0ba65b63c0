//! Rows divided at random into those that are learned from and those that are tested on, again and again.

use std::collections::BTreeMap;

use novikoff::label::RawLabel;
use novikoff::quantity::plural;
use novikoff::random::SplitMix64;
use novikoff::rows::Rows;
use novikoff_report::SplitFacts;

use crate::error::no_rows;
use crate::rows::HeldRows;
use crate::{Error, Remedy, Setting};

/// Divisions of the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Splits {
    /// How many, each with a seed of its own.
    pub count: u32,
    /// The share of the rows that is learned from, above 0 and below 1; the others are tested on.
    pub fraction: f64,
    /// Whether the rows of each label are divided by themselves.
    pub stratified: bool,
}

/// One division.
pub(crate) struct Split {
    /// The rows that are learned from, in the order of the data.
    pub(crate) train: Vec<usize>,
    /// The rows that are tested on, in the order of the data.
    pub(crate) test: Vec<usize>,
    /// The seed of the orders of epochs: the generator of the division continues.
    pub(crate) orders: u64,
}

impl Splits {
    /// The division of a seed: the rows are shuffled, and of all, or of those of each label, the first ones are learned from.
    pub(crate) fn split(&self, held: &HeldRows, seed: u64) -> Result<Split, Error> {
        if held.is_empty() {
            return Err(no_rows());
        }
        let mut order: Vec<usize> = (0..held.len()).collect();
        let mut generator = SplitMix64::new(seed);
        generator.shuffle(&mut order);
        let group = self.stratified.then(|| label_groups(held));
        if let Some(group) = &group {
            order.sort_by_key(|&row| group[row]);
        }
        let same = |a: &usize, b: &usize| group.as_ref().is_none_or(|of| of[*a] == of[*b]);
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for part in order.chunk_by(same) {
            let first = (self.fraction * part.len() as f64).round() as usize;
            train.extend_from_slice(&part[..first.min(part.len())]);
            test.extend_from_slice(&part[first.min(part.len())..]);
        }
        if train.is_empty() || test.is_empty() {
            let (rows, share) = (plural(held.len() as u64, "row"), self.fraction);
            let what = format!(
                "of {rows} the share {share} leaves none to {}",
                if train.is_empty() {
                    "learn from"
                } else {
                    "test on"
                }
            );
            return Err(Error::refused(what, Remedy::clause("give another share"))
                .about(Setting::Fraction, ""));
        }
        train.sort_unstable();
        test.sort_unstable();
        Ok(Split {
            train,
            test,
            orders: generator.position(),
        })
    }
}

impl Split {
    /// What a report says of it.
    pub(crate) fn facts(&self, splits: &Splits) -> SplitFacts {
        SplitFacts {
            fraction: splits.fraction,
            train: self.train.len() as u64,
            test: self.test.len() as u64,
            stratified: splits.stratified,
        }
    }

    /// A copy of the rows that are tested on.
    pub(crate) fn test_rows(&self, held: &HeldRows) -> HeldRows {
        let mut rows = Rows::new();
        for &row in &self.test {
            let (block, place) = held.at(row);
            rows.copy_row(block, place);
        }
        held.with(rows)
    }
}

/// The group of each row: rows with the same labels, however they are spelled, are one group, numbered as they appear.
pub(crate) fn label_groups(held: &HeldRows) -> Vec<usize> {
    let mut groups: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let group = |labels: &mut dyn Iterator<Item = RawLabel<'_>>| {
        let next = groups.len();
        *groups.entry(labels.flat_map(key).collect()).or_insert(next)
    };
    let mut group = group;
    held.labels().map(|mut labels| group(&mut labels)).collect()
}

/// Equal labels have equal keys, however they are spelled.
fn key(label: RawLabel<'_>) -> Vec<u8> {
    let mut key = match label.number() {
        Some(number) => (number + 0.0).to_bits().to_be_bytes().to_vec(),
        None => label.text().to_vec(),
    };
    key.push(b',');
    key
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use novikoff::row::Row;

    use super::*;

    /// Rows of the labels a and b, every fourth of them b.
    fn held(rows: usize) -> HeldRows {
        let mut all = Rows::new();
        for row in 0..rows {
            all.add(
                if row % 4 == 3 { "b" } else { "a" },
                Row::dense(&[row as f32]),
            );
        }
        HeldRows::default().with(all)
    }

    fn splits(fraction: f64, stratified: bool) -> Splits {
        Splits {
            count: 1,
            fraction,
            stratified,
        }
    }

    #[test]
    fn every_row_is_on_one_side() {
        let held = held(96);
        let mut seen = Vec::new();
        for stratified in [false, true] {
            for seed in 0..20 {
                let split = splits(60.0 / 96.0, stratified).split(&held, seed).unwrap();
                assert_eq!(split.train.len(), 60);
                let mut all = [split.train.clone(), split.test.clone()].concat();
                all.sort_unstable();
                assert_eq!(all, (0..96).collect::<Vec<_>>());
                assert!(split.train.is_sorted() && split.test.is_sorted());
                let rare = split.train.iter().filter(|row| *row % 4 == 3).count();
                assert!(!stratified || rare == 15, "{rare}");
                seen.push(rare);
                assert_eq!(split.test_rows(&held).len(), 36);
                let again = splits(60.0 / 96.0, stratified).split(&held, seed).unwrap();
                assert_eq!((again.train, again.orders), (split.train, split.orders));
            }
        }
        assert!(seen.iter().any(|rare| *rare != 15), "divided at random");
    }

    #[test]
    fn a_side_without_rows_is_an_error() {
        for (rows, fraction) in [(1, 0.5), (3, 0.01), (3, 0.99)] {
            let error = splits(fraction, false).split(&held(rows), 0).err().unwrap();
            assert!(error.to_string().contains("leaves none to"), "{error}");
        }
        let error = splits(0.5, false).split(&held(1), 0).err().unwrap();
        assert!(error.to_string().contains("of 1 row the"), "{error}");
    }

    #[test]
    fn no_rows_at_all_are_not_the_fault_of_the_share() {
        let error = splits(0.5, false).split(&held(0), 0).err().unwrap();
        assert!(error.to_string().contains("has no rows"), "{error}");
    }
}
