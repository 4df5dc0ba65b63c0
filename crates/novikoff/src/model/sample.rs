//! A sample of the rows that a model has learned from, which tells whether other rows are among them.
//!
//! Each row has a fingerprint: a hash of its length and of up to 8 of its slots and values. The model keeps the 64 lowest. They depend on the
//! set of rows alone, and not on their order, or on how they came in runs. Of other rows, those whose fingerprint is at most the highest that
//! is kept are a random sample; the share of them that is kept is about the share of all that was learned from.
//! The values of words change while a text is read, so a second fingerprint has the slots alone.
//! Cost: O(1) per row. Memory: 1 kB.

use crate::row::Row;

/// Fingerprints that are kept.
const KEPT: usize = 64;

/// Slots and values of a row that its fingerprint has at most.
const PLACES: usize = 8;

/// Rows of a sample that say something about all.
const LEAST: usize = 8;

/// Rows of a sample that are looked at; more say little more.
const MOST: usize = 2000;

/// The share of learned rows from which on it is worth saying.
const SHARE: f64 = 0.5;

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
        let start = folded(len as u64 ^ PLACE, VALUES);
        let (mut slots, mut whole) = (start, start);
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

/// The lowest numbers of a set, rising.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lowest(Vec<u64>);

impl Lowest {
    fn is_full(&self) -> bool {
        self.0.len() >= KEPT
    }

    /// Whether a number is at most the highest that is kept, or would be kept if it came.
    fn reaches(&self, number: u64) -> bool {
        !self.is_full() || self.0.last().is_some_and(|&last| number <= last)
    }

    fn add(&mut self, number: u64) {
        if !self.reaches(number) {
            return;
        }
        if let Err(place) = self.0.binary_search(&number) {
            self.0.truncate(KEPT - 1);
            self.0.reserve_exact(KEPT - self.0.len());
            self.0.insert(place, number);
        }
    }
}

/// A sample of the rows that a model has learned from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowSample {
    whole: Lowest,
    slots: Lowest,
}

impl RowSample {
    /// Adds a row as read.
    pub fn add(&mut self, x: Row<'_>) {
        let row = Fingerprints::of(x);
        self.whole.add(row.whole);
        self.slots.add(row.slots);
    }

    /// True if no row was added.
    pub fn is_empty(&self) -> bool {
        self.whole.0.is_empty()
    }

    /// What is kept of it.
    pub fn parts(&self) -> [&[u64]; 2] {
        [&self.whole.0, &self.slots.0]
    }

    /// The sample that was kept; none if it can be no sample.
    pub fn restore([whole, slots]: [Vec<u64>; 2]) -> Option<Self> {
        let is_sound = |list: &[u64]| list.len() <= KEPT && list.is_sorted_by(|a, b| a < b);
        (is_sound(&whole) && is_sound(&slots)).then_some(RowSample {
            whole: Lowest(whole),
            slots: Lowest(slots),
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
    /// Those that are kept in the sample.
    kept: usize,
}

impl Met {
    fn new(sample: &Lowest) -> Self {
        Met {
            sample: sample.clone(),
            distinct: Vec::new(),
            rows: 0,
            kept: 0,
        }
    }

    fn add(&mut self, number: u64) {
        if !self.sample.reaches(number) || self.rows >= MOST {
            return;
        }
        self.rows += 1;
        self.kept += usize::from(self.sample.0.binary_search(&number).is_ok());
        if let Err(place) = self.distinct.binary_search(&number) {
            self.distinct.insert(place, number);
        }
    }

    /// The share of rows that are kept, if there are enough and at least this share of them is distinct: rows of few kinds are alike without
    /// being the same.
    fn share(&self, distinct: f64) -> Option<f64> {
        let is_telling =
            self.rows >= LEAST && self.distinct.len() as f64 >= distinct * self.rows as f64;
        is_telling.then(|| self.kept as f64 / self.rows as f64)
    }
}

/// Counts how many of some rows a model has learned from.
#[derive(Clone, Debug)]
pub struct RowsAgain {
    whole: Met,
    slots: Met,
}

impl RowsAgain {
    /// Of rows that are compared with a sample.
    pub fn new(sample: &RowSample) -> Self {
        RowsAgain {
            whole: Met::new(&sample.whole),
            slots: Met::new(&sample.slots),
        }
    }

    /// Adds a row as read.
    pub fn row(&mut self, x: Row<'_>) {
        let row = Fingerprints::of(x);
        self.whole.add(row.whole);
        self.slots.add(row.slots);
    }

    /// About the share of the rows that the model has learned from, if that is at least half of them.
    pub fn share(&self) -> Option<f64> {
        let whole = self.whole.share(0.5);
        // the same words in the same places are the same text, where texts differ
        let slots = self.slots.share(0.9);
        let shares = whole.into_iter().chain(slots);
        shares
            .max_by(f64::total_cmp)
            .filter(|&share| share >= SHARE)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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
            sample.add(Row::dense(row));
        }
        sample
    }

    fn share(sample: &RowSample, rows: &[Vec<f32>]) -> Option<f64> {
        let mut again = RowsAgain::new(sample);
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
                .for_each(|&number| lowest.add(number));
            let set: BTreeSet<u64> = all.into_iter().collect();
            assert_eq!(lowest.0, set.into_iter().take(KEPT).collect::<Vec<_>>());
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
        let [whole, slots] = sample(&learned[..400]).parts().map(<[u64]>::to_vec);
        let mut on = RowSample::restore([whole, slots]).expect("sound");
        learned[300..]
            .iter()
            .for_each(|row| on.add(Row::dense(row)));
        assert_eq!(on, one);
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
            row(words, 0.5, &mut |x| sample.add(x));
        }
        let found = |texts: &[BTreeSet<u32>]| {
            let mut again = RowsAgain::new(&sample);
            for words in texts {
                row(words, 0.25, &mut |x| again.row(x));
            }
            again.share()
        };
        assert_eq!((found(&texts), found(&others)), (Some(1.0), None));
    }

    #[test]
    fn what_can_be_no_sample_is_refused() {
        assert_eq!(RowSample::restore([vec![2, 1], vec![]]), None);
        assert_eq!(RowSample::restore([vec![1, 1], vec![]]), None);
        assert_eq!(
            RowSample::restore([vec![], (0..=KEPT as u64).collect()]),
            None
        );
    }
}
