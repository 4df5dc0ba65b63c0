//! Rows that come in groups and share no rare value: measurements of the same person or thing, which are nearly the same, or texts of few different words.
//!
//! By ranks, so that neither units nor outliers matter, the distances of a row to its nearest rows grow slowly: of rows in m dimensions, one of the
//! first J is R times as far as the one before it with a probability of at most `1/(R^m - 1)`. In groups, the first row outside of the group is far. The
//! distance of texts is Jaccard's: the share of the words of both that only one has.

use super::Leaks;
use super::families::Kind;
use super::groups::Partners;

/// Rows whose nearest rows are looked for, at most, spread over all.
const PROBED: usize = 400;

/// Columns that are compared, at most, and at least: with fewer, distances may jump by chance.
const COLUMNS: (usize, usize) = (4, 16);

/// A column counts if it has this many values, and this share of the rows.
const VALUES: usize = 50;
const DISTINCT: f64 = 0.1;

/// Rows of a group, but for the row itself, at most.
const GROUP: usize = 20;

/// Texts are compared if they have this many words on average, and at most this number of texts.
const WORDS: usize = 8;
const TEXTS: usize = 2000;

/// A row is in a group if a row is this many times as far as the one before it.
const JUMP: f32 = 3.0;

impl Leaks<'_> {
    /// Rows and the nearest ones of their groups.
    pub(super) fn near(&self) -> Partners {
        let mut found = Partners::none(self.table.columns.len());
        let points = self.points();
        let Some(columns) = points.first().map(Vec::len) else {
            self.near_texts(&mut found);
            return found;
        };
        let mut distances: Vec<(f32, usize)> = Vec::new();
        let step = self.rows.len().div_ceil(PROBED);
        for probe in (0..self.rows.len()).step_by(step) {
            let from = &points[probe];
            distances.clear();
            distances.extend(points.iter().enumerate().filter(|(k, _)| *k != probe).map(
                |(k, to)| {
                    let square = |c: usize| (from[c] - to[c]) * (from[c] - to[c]);
                    ((0..columns).map(square).sum::<f32>(), k)
                },
            ));
            found.probed += 1;
            if let Some(nearest) = in_group(&mut distances, JUMP * JUMP) {
                found.pairs.push((self.rows[probe], self.rows[nearest]));
            }
        }
        found
    }

    /// Texts and the nearest ones of their groups.
    fn near_texts(&self, found: &mut Partners) {
        let is_word = |slot: &usize| {
            let family = self.families.of_slot(*slot);
            family.is_some_and(|family| self.families.list[family].kind == Kind::Words)
        };
        let rows = self.sample.rows.view();
        let words = |row: usize| rows.row(row).iter().map(|(slot, _)| slot).filter(is_word);
        let texts = &self.rows[..self.rows.len().min(TEXTS)];
        let lengths: Vec<usize> = texts.iter().map(|&row| words(row).count()).collect();
        if lengths.iter().sum::<usize>() < WORDS * texts.len() {
            return;
        }
        let slots = 1 + texts
            .iter()
            .filter_map(|&row| words(row).last())
            .max()
            .unwrap_or(0);
        let mut has = vec![false; slots];
        let mut distances: Vec<(f32, usize)> = Vec::new();
        for probe in (0..texts.len()).step_by(texts.len().div_ceil(PROBED)) {
            words(texts[probe]).for_each(|slot| has[slot] = true);
            distances.clear();
            distances.extend((0..texts.len()).filter(|&k| k != probe).map(|k| {
                let shared = words(texts[k]).filter(|&slot| has[slot]).count();
                let both = lengths[probe] + lengths[k] - shared;
                (1.0 - shared as f32 / both.max(1) as f32, k)
            }));
            words(texts[probe]).for_each(|slot| has[slot] = false);
            found.probed += 1;
            if let Some(nearest) = in_group(&mut distances, JUMP) {
                found.pairs.push((texts[probe], texts[nearest]));
            }
        }
    }

    /// By row, the ranks of its numbers in the columns that have many values; none if these are few.
    fn points(&self) -> Vec<Vec<f32>> {
        let n = self.rows.len();
        let rows = self.sample.rows.view();
        let mut numbers = vec![vec![0.0; n]; self.families.list.len()];
        for (k, &row) in self.rows.iter().enumerate() {
            for (slot, value) in rows.row(row).iter() {
                if let Some(family) = self.families.of_slot(slot) {
                    numbers[family][k] = value;
                }
            }
        }
        let families = self.families.list.iter().zip(numbers);
        let ranked = families
            .filter(|(family, _)| family.kind == Kind::Number)
            .filter_map(|(_, numbers)| ranks(&numbers));
        let columns: Vec<Vec<f32>> = ranked.take(COLUMNS.1).collect();
        if columns.len() < COLUMNS.0 {
            return Vec::new();
        }
        let point = |k| columns.iter().map(|column| column[k]).collect();
        (0..n).map(point).collect()
    }
}

/// The nearest row, if the row is in a group: one of the nearest distances is `jump` times the one before it.
fn in_group(distances: &mut [(f32, usize)], jump: f32) -> Option<usize> {
    if distances.len() <= GROUP + 1 {
        return None;
    }
    let by_distance = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let (nearest, ..) = distances.select_nth_unstable_by(GROUP + 1, by_distance);
    nearest.sort_unstable_by(by_distance);
    // rows that are equal are copies, and those are counted elsewhere
    let is_apart = nearest[0].0 > 0.0;
    let jumps = |pair: &[(f32, usize)]| pair[1].0 >= jump * pair[0].0;
    (is_apart && nearest.windows(2).any(jumps)).then_some(nearest[0].1)
}

/// The ranks of numbers, from 0 to 1, with those that are equal in the middle of their ranks; none if there are few numbers.
fn ranks(numbers: &[f64]) -> Option<Vec<f32>> {
    let n = numbers.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(a.cmp(&b)));
    let (mut ranks, mut begun, mut distinct) = (vec![0.0; n], 0, 0);
    for equal in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let middle = (begun as f64 + equal.len() as f64 / 2.0) / n as f64;
        for &row in equal {
            ranks[row] = middle as f32;
        }
        begun += equal.len();
        distinct += 1;
    }
    (distinct >= VALUES && distinct as f64 >= DISTINCT * n as f64).then_some(ranks)
}

#[cfg(test)]
mod tests {
    use novikoff::random::SplitMix64;

    use super::{GROUP, in_group, ranks};

    #[test]
    fn ranks_of_equal_numbers_are_equal() {
        let numbers: Vec<f64> = (0..100).map(|k| f64::from(99 - k / 2 * 2)).collect();
        let ranks = ranks(&numbers).expect("50 values");
        assert_eq!((ranks[0], ranks[1], ranks[98]), (0.99, 0.99, 0.01));
        assert!(super::ranks(&numbers[..98]).is_none());
    }

    #[test]
    fn a_jump_behind_few_rows_is_a_group() {
        let mut random = SplitMix64::new(3);
        let mut of = |close: usize| {
            let far = (0..100).map(|k| (1.0 + random.uniform() as f32, k));
            let mut all: Vec<(f32, usize)> = far.collect();
            for (distance, k) in &mut all[..close] {
                *distance = 0.01 + 0.001 * *k as f32;
            }
            all.reverse();
            in_group(&mut all, 9.0)
        };
        assert_eq!(of(0), None);
        assert_eq!(of(1), Some(0));
        assert_eq!(of(5), Some(0));
        assert_eq!(of(60), None);
        let equal = (0..100).map(|k| (if k < 5 { 0.0 } else { 1.0 }, k));
        assert_eq!(in_group(&mut equal.collect::<Vec<_>>(), 9.0), None);
        assert_eq!(in_group(&mut vec![(1.0, 0); GROUP + 1], 9.0), None);
    }
}
