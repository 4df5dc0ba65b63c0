//! A sample of the rows that a model has learned from, which tells whether other rows are among them.
//!
//! Each row has a fingerprint: a hash of its length, of up to 8 of its slots and values, and of sums over all of them. The model keeps the 256
//! lowest, each with the number of rows that have it. They depend on the set of rows alone, and not on their order, or on how they came in runs.
//! Of other rows, those whose fingerprint is at most the highest that is kept are a random sample; the share of them that is kept is about the
//! share of all that was learned from, less those that are alike by chance.
//! The values of words change while a text is read, so a second fingerprint has the slots alone. It says nothing of rows without words.
//! Cost: O(values) per row, a few instructions per value. Memory: 6 kB.

use std::iter::zip;

use crate::row::Row;

/// Fingerprints that are kept.
const KEPT: usize = 256;

/// Slots and values of a row that are hashed one by one, at most.
const PLACES: usize = 8;

/// Rows of a sample that say something about all.
const LEAST: usize = 8;

/// Rows of a sample that are looked at; more say little more.
const MOST: usize = 2000;

/// The share of learned rows from which on it is worth saying. A sample of so few rows is off by some percent.
const SHARE: f64 = 0.45;

/// The share from which on it is worth saying if chance makes hardly any rows alike.
const BEYOND_CHANCE: f64 = 0.15;

/// Rows of which more than this share are like others say nothing.
const ALIKE: f64 = 0.5;

/// The fingerprints of a row: with its values, and of its slots alone.
#[derive(Clone, Copy)]
struct Fingerprints {
    whole: u64,
    slots: u64,
}

impl Fingerprints {
    /// Of a row as read; whether it has a constant feature depends on who reads it.
    fn of(x: Row<'_>) -> Self {
        let x = x.without_constant();
        let len = x.len();
        let (slot_sum, value_sum) = x.sums();
        let start = folded(len as u64 ^ PLACE, VALUES) ^ u64::from(slot_sum);
        let (mut slots, mut whole) = (start, start ^ u64::from(value_sum) << 32);
        let mut key = 0_u64;
        // sums of products that do not wait for each other
        let mut add = |(slot, value): (u32, f32)| {
            key = key.wrapping_add(PLACE);
            let both = u64::from(slot) | u64::from(value.to_bits()) << 32;
            slots = slots.wrapping_add(folded(u64::from(slot) ^ key, SLOTS));
            whole = whole.wrapping_add(folded(both ^ key, VALUES));
        };
        if len <= PLACES {
            x.stored().1.for_each(add);
        } else {
            (0..PLACES).for_each(|k| add(x.stored_at(k * len / PLACES)));
        }
        Fingerprints {
            whole: folded(whole, SLOTS),
            slots: folded(slots, VALUES),
        }
    }
}

/// Odd numbers without a pattern.
const PLACE: u64 = 0x9e37_79b9_7f4a_7c15;
const SLOTS: u64 = 0xbf58_476d_1ce4_e5b9;
const VALUES: u64 = 0x94d0_49bb_1331_11eb;

/// Both halves of a product of 128 bits, one over the other: every bit of the number is in it.
fn folded(number: u64, by: u64) -> u64 {
    let product = u128::from(number ^ (by >> 1)) * u128::from(by);
    product as u64 ^ (product >> 64) as u64
}

/// A number of a set, and how often it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    number: u64,
    times: u64,
    /// How often with the positive of two labels.
    positive: u64,
}

/// The lowest numbers of a set, rising.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lowest(Vec<Counted>);

impl Lowest {
    fn is_full(&self) -> bool {
        self.0.len() >= KEPT
    }

    /// Whether a number is at most the highest that is kept, or would be kept if it came.
    fn reaches(&self, number: u64) -> bool {
        !self.is_full() || self.0.last().is_some_and(|last| number <= last.number)
    }

    fn find(&self, number: u64) -> Result<usize, usize> {
        self.0.binary_search_by_key(&number, |kept| kept.number)
    }

    fn add(&mut self, number: u64, is_positive: bool) {
        if !self.reaches(number) {
            return;
        }
        match self.find(number) {
            Ok(place) => {
                self.0[place].times += 1;
                self.0[place].positive += u64::from(is_positive);
            }
            Err(place) => {
                self.0.truncate(KEPT - 1);
                let new = Counted {
                    number,
                    times: 1,
                    positive: u64::from(is_positive),
                };
                self.0.insert(place, new);
            }
        }
    }

    /// How many rows have the numbers.
    fn rows(&self) -> u64 {
        self.0.iter().map(|kept| kept.times).sum()
    }

    /// The share of rows that are like another row. Rows that were all learned from as often as each other, in several runs, are no more alike for it.
    fn alike(&self) -> f64 {
        let least = self.0.iter().map(|kept| kept.times).min().unwrap_or(0);
        let alike = self.0.iter().filter(|kept| kept.times > least);
        let alike: u64 = alike.map(|kept| kept.times).sum();
        alike as f64 / self.rows().max(1) as f64
    }

    /// How often rows came is not kept: it makes no difference in how many runs that was, and whether they were the same rows.
    fn parts(&self) -> LowestParts {
        let kept = || self.0.iter();
        [
            kept().map(|kept| kept.number).collect(),
            kept().map(|_| 1).collect(),
            kept().map(|kept| kept.positive.min(1)).collect(),
        ]
    }

    fn restore([numbers, times, positive]: LowestParts) -> Option<Self> {
        let is_sound = numbers.len() <= KEPT
            && numbers.is_sorted_by(|a, b| a < b)
            && numbers.len() == times.len()
            && numbers.len() == positive.len()
            && times.iter().all(|times| (1..1 << 53).contains(times))
            && zip(&positive, &times).all(|(positive, times)| positive <= times);
        let kept = zip(numbers, zip(times, positive));
        let kept = kept.map(|(number, (times, positive))| Counted {
            number,
            times,
            positive,
        });
        is_sound.then(|| Lowest(kept.collect()))
    }
}

/// What is kept of the lowest numbers: they, how often each came, and how often with the positive label.
type LowestParts = [Vec<u64>; 3];

/// What is kept of a sample.
pub(super) type SampleParts = [LowestParts; 2];

/// A sample of the rows that a model has learned from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowSample {
    whole: Lowest,
    slots: Lowest,
}

impl RowSample {
    /// Adds a row as read, and whether it has the positive of two labels.
    pub fn add(&mut self, x: Row<'_>, is_positive: bool) {
        let row = Fingerprints::of(x);
        self.whole.add(row.whole, is_positive);
        self.slots.add(row.slots, is_positive);
    }

    /// Of the rows of the sample, how many have the positive of two labels, and how many there are.
    pub fn positive(&self) -> (u64, u64) {
        let positive = self.whole.0.iter().map(|kept| kept.positive).sum();
        (positive, self.whole.rows())
    }

    /// [`positive`](Self::positive) where rows that are equal count once, as they do in a sample that was kept.
    pub fn positive_kinds(&self) -> (u64, u64) {
        let positive = self.whole.0.iter().map(|kept| kept.positive.min(1)).sum();
        (positive, self.whole.0.len() as u64)
    }

    /// True if no row was added.
    pub fn is_empty(&self) -> bool {
        self.whole.0.is_empty()
    }

    /// About the share of the rows, which have no words, that are equal to an earlier one; none of too few rows.
    pub fn copies(&self) -> Option<f64> {
        let (rows, distinct) = (self.whole.rows(), self.whole.0.len());
        (distinct >= LEAST).then(|| 1.0 - distinct as f64 / rows as f64)
    }

    /// What is kept of it: fingerprints, how many rows have each, and how many of these the positive label; with values and of slots alone.
    pub fn parts(&self) -> SampleParts {
        [self.whole.parts(), self.slots.parts()]
    }

    /// The sample that was kept; none if it can be no sample.
    pub fn restore([whole, slots]: SampleParts) -> Option<Self> {
        Some(RowSample {
            whole: Lowest::restore(whole)?,
            slots: Lowest::restore(slots)?,
        })
    }
}

/// Rows of other data that fall into a sample.
#[derive(Clone, Debug)]
struct Met {
    sample: Lowest,
    /// Distinct ones, rising.
    distinct: Vec<u64>,
    rows: usize,
    /// Distinct ones that are kept in the sample.
    kept: usize,
    /// Rows that fall into the sample and others, as long as they are counted.
    all: usize,
}

impl Met {
    fn new(sample: &Lowest) -> Self {
        Met {
            sample: sample.clone(),
            distinct: Vec::new(),
            rows: 0,
            kept: 0,
            all: 0,
        }
    }

    fn add(&mut self, number: u64) {
        if self.rows >= MOST {
            return;
        }
        self.all += 1;
        if !self.sample.reaches(number) {
            return;
        }
        self.rows += 1;
        if let Err(place) = self.distinct.binary_search(&number) {
            self.distinct.insert(place, number);
            self.kept += usize::from(self.sample.find(number).is_ok());
        }
    }

    /// The share of rows that are kept, if there are enough and they are of many kinds: rows of few kinds are alike without being the same. Kinds
    /// that many rows have count once, and what chance alone makes alike is taken off.
    fn share(&self) -> Option<f64> {
        let kinds = self.distinct.len();
        let alike = self.sample.alike();
        let is_telling = kinds >= LEAST && 2 * kinds >= self.rows && alike <= ALIKE;
        is_telling.then(|| {
            let share = self.kept as f64 / kinds as f64;
            ((share - alike) / (1.0 - alike)).max(0.0)
        })
    }
}

impl Met {
    /// The share of rows that chance alone makes equal to rows of the sample, at most: rows that are equal to each other, and one more, tell how
    /// often that is, and the model may have learned from many more rows than these.
    fn by_chance(&self) -> f64 {
        let last = self.sample.0.last().map_or(1, |last| last.number.max(1));
        let kept = self.sample.0.len() as f64;
        let learned = if self.sample.is_full() {
            kept * (u64::MAX as f64 / last as f64)
        } else {
            kept
        };
        let alike = (self.rows - self.distinct.len() + 1) as f64 / self.rows.max(1) as f64;
        2.0 * alike * learned / self.all.max(1) as f64
    }

    /// Whether a share of rows is worth saying.
    fn is_worth_saying(&self, share: f64) -> bool {
        let by_chance = self.by_chance();
        let beyond = share - by_chance;
        (share >= SHARE && by_chance < 1.0) || (self.kept >= LEAST && beyond >= BEYOND_CHANCE)
    }
}

/// Counts how many of some rows a model has learned from.
#[derive(Clone, Debug)]
pub struct RowsAgain {
    met: Met,
    is_text: bool,
}

impl RowsAgain {
    /// Of rows that are compared with a sample. The same words in the same places are the same text.
    pub fn new(sample: &RowSample, is_text: bool) -> Self {
        RowsAgain {
            met: Met::new(if is_text {
                &sample.slots
            } else {
                &sample.whole
            }),
            is_text,
        }
    }

    /// Adds a row as read.
    pub fn row(&mut self, x: Row<'_>) {
        let row = Fingerprints::of(x);
        self.met
            .add(if self.is_text { row.slots } else { row.whole });
    }

    /// About the share of the rows that the model has learned from, if that is at least about half of them, or clearly more than chance makes alike.
    pub fn share(&self) -> Option<f64> {
        let share = self.met.share();
        share.filter(|&share| self.met.is_worth_saying(share))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::random::SplitMix64;

    fn rows(seed: u64, rows: usize, width: usize) -> Vec<Vec<f32>> {
        let mut random = SplitMix64::new(seed);
        let row = |_| (0..width).map(|_| random.uniform() as f32).collect();
        (0..rows).map(row).collect()
    }

    fn sample(rows: &[Vec<f32>]) -> RowSample {
        let mut sample = RowSample::default();
        for row in rows {
            sample.add(Row::dense(row), false);
        }
        sample
    }

    fn share(sample: &RowSample, rows: &[Vec<f32>]) -> Option<f64> {
        let mut again = RowsAgain::new(sample, false);
        for row in rows {
            again.row(Row::dense(row));
        }
        again.share()
    }

    #[test]
    fn the_lowest_of_a_set() {
        let mut random = SplitMix64::new(3);
        for n in [0, 1, KEPT, 500] {
            let all: Vec<u64> = (0..n).map(|_| random.next_u64() % 400).collect();
            let mut lowest = Lowest::default();
            all.iter()
                .chain(&all)
                .for_each(|&number| lowest.add(number, false));
            let mut set: BTreeMap<u64, u64> = BTreeMap::new();
            for k in all {
                *set.entry(k).or_default() += 2;
            }
            let set = set.into_iter().take(KEPT);
            let set = set.map(|(number, times)| Counted {
                number,
                times,
                positive: 0,
            });
            assert_eq!(lowest.0, set.collect::<Vec<_>>());
        }
    }

    #[test]
    fn rows_that_were_learned_from_are_found_and_others_are_not() {
        for (n, width) in [(20, 3), (64, 40), (5000, 3), (5000, 40)] {
            let learned = rows(1, n, width);
            let sample = sample(&learned);
            assert_eq!(share(&sample, &learned), Some(1.0), "{n} {width}");
            assert_eq!(share(&sample, &rows(2, n, width)), None, "{n} {width}");
            let mut mixed = rows(3, n / 4, width);
            mixed.extend_from_slice(&learned);
            let found = share(&sample, &mixed).expect("most were learned from");
            assert!((found - 0.8).abs() < 0.12, "{found}");
        }
        assert_eq!(share(&RowSample::default(), &rows(1, 500, 3)), None);
    }

    #[test]
    fn the_order_and_the_runs_do_not_matter() {
        let mut learned = rows(7, 1000, 5);
        let one = sample(&learned);
        SplitMix64::new(1).shuffle(&mut learned);
        assert_eq!(sample(&learned), one);
        let parts = sample(&learned[..400]).parts();
        let mut on = RowSample::restore(parts).expect("sound");
        learned[400..]
            .iter()
            .for_each(|row| on.add(Row::dense(row), false));
        // how often rows came is not kept
        assert_eq!(on.parts(), one.parts());
    }

    #[test]
    fn rows_of_few_kinds_are_alike_and_say_nothing() {
        let mut random = SplitMix64::new(9);
        let mut few = |n: usize| -> Vec<Vec<f32>> {
            let row = |_| (0..4).map(|_| random.below(2) as f32).collect();
            (0..n).map(row).collect()
        };
        let (learned, others) = (few(1000), few(300));
        assert_eq!(share(&sample(&learned), &others), None);
    }

    #[test]
    fn texts_are_the_same_though_the_values_of_words_changed() {
        let mut random = SplitMix64::new(11);
        let mut text =
            |_| -> BTreeSet<u32> { (0..30).map(|_| 1 + random.below(5000) as u32).collect() };
        let texts: Vec<BTreeSet<u32>> = (0..3000).map(&mut text).collect();
        let others: Vec<BTreeSet<u32>> = (0..3000).map(&mut text).collect();
        let row = |words: &BTreeSet<u32>, value: f32, see: &mut dyn FnMut(Row<'_>)| {
            let index: Vec<u32> = words.iter().copied().collect();
            see(Row::sparse(&index, &vec![value; index.len()]));
        };
        let mut sample = RowSample::default();
        for words in &texts {
            row(words, 0.5, &mut |x| sample.add(x, false));
        }
        let found = |texts: &[BTreeSet<u32>]| {
            let mut again = RowsAgain::new(&sample, true);
            for words in texts {
                row(words, 0.25, &mut |x| again.row(x));
            }
            again.share()
        };
        assert_eq!((found(&texts), found(&others)), (Some(1.0), None));
    }

    #[test]
    fn what_can_be_no_sample_is_refused() {
        let refused = |numbers: Vec<u64>, times: Vec<u64>| {
            let none = || [vec![], vec![], vec![]];
            let positive = vec![0; times.len()];
            RowSample::restore([[numbers, times, positive], none()]).is_none()
        };
        assert!(!refused(vec![1, 2], vec![1, 9]));
        assert!(refused(vec![2, 1], vec![1, 1]));
        assert!(refused(vec![1, 1], vec![1, 1]));
        assert!(refused(vec![1, 2], vec![1]));
        assert!(refused(vec![1, 2], vec![1, 0]));
        assert!(refused((0..=KEPT as u64).collect(), vec![1; KEPT + 1]));
    }

    /// A row of one number and of 20 categories, most of them the same in many rows.
    fn wide(seed: u64, n: usize) -> Vec<(Vec<u32>, Vec<f32>)> {
        let mut random = SplitMix64::new(seed);
        let mut row = |_| {
            let slots = (0..20).map(|c| 2 + 4 * c + u32::from(random.below(8) == 0));
            let index: Vec<u32> = slots.chain([100]).collect();
            let mut value = vec![1.0; 20];
            value.push(random.uniform() as f32);
            (index, value)
        };
        (0..n).map(&mut row).collect()
    }

    #[test]
    fn every_value_of_a_row_counts() {
        let mut sample = RowSample::default();
        for (index, value) in wide(1, 3000) {
            sample.add(Row::sparse(&index, &value), false);
        }
        let share = |rows: &[(Vec<u32>, Vec<f32>)]| {
            let mut again = RowsAgain::new(&sample, false);
            for (index, value) in rows {
                again.row(Row::sparse(index, value));
            }
            again.share()
        };
        assert_eq!(share(&wide(2, 3000)), None);
        let mut half = wide(3, 3000);
        half.extend(wide(1, 3000));
        let found = share(&half).expect("half of them");
        assert!((found - 0.5).abs() < 0.06, "{found}");
    }

    #[test]
    fn rows_that_are_alike_by_chance_are_taken_off() {
        let coarse = |seed, n| {
            let mut list = rows(seed, n, 3);
            let values = list.iter_mut().flatten();
            values.for_each(|value| *value = (*value * 14.0).floor());
            list
        };
        // 2,744 kinds: a third of other rows is like one that was learned from
        let learned = sample(&coarse(1, 1200));
        assert_eq!(share(&learned, &coarse(2, 900)), None);
        let mut half = coarse(3, 900);
        half.extend_from_slice(&coarse(1, 900));
        let found = share(&learned, &half).expect("half of them");
        assert!((found - 0.5).abs() < 0.1, "{found}");
    }
}
