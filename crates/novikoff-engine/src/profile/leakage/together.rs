//! Rows that come in groups of the same person or thing, whom several columns tell together and none alone: the day of a contract, the plan, the country.
//!
//! For pairs of rows it is counted in which columns both are equal. A set of columns tells groups if many more pairs are equal in all of them than chance
//! allows, few rows are equal to each other, and their labels are nearly the same, while rows that differ in one of these columns have labels like any
//! others. So kinds of things, whose labels follow from their columns, are no groups: one that differs in a single column has much the same label.

use std::collections::HashMap;

use novikoff::table::{Column, ColumnKind};

use super::Leaks;
use super::copies::mixed;
use super::families::Kind;
use super::groups::{LEAST, Partners};

/// Rows that are compared with all others, at most, spread over all.
const PROBED: usize = 300;

/// Columns whose sets are tried, at most, of those that are looked at.
const COLUMNS: usize = 12;
const LOOKED_AT: usize = 32;

/// A column may tell groups if it is filled in this share of the rows, this share of those has a value of several rows, and two rows are equal with at
/// most this probability.
const FILLED: f64 = 0.5;
const REPEATED: f64 = 0.8;
const ALIKE: f64 = 0.7;

/// A row is equal to as many others as this on average, at least and at most.
const EQUAL: (f64, f64) = (0.3, 30.0);

/// Of the pairs that are equal, chance makes this share at most.
const BY_CHANCE: f64 = 0.4;

/// The labels of pairs that are not equal by chance differ this much, at most, as a part of how much any two differ,
const DIFFER: f64 = 0.25;

/// and those of rows that differ in one of the columns at least this much, if there are as many such pairs as the second number. This holds too if they
/// are equal in more columns, where this share of all pairs is.
const DIFFER_BESIDE: f64 = 0.6;
const PAIRS_BESIDE: f64 = 100.0;
const SHARE_BESIDE: f64 = 1.0 / 600.0;

/// A number differs from another as little as can be if there are this many numbers between them, at most, or this share of all.
const NEAR: f64 = 2.0;
const NEAR_SHARE: f64 = 0.05;

/// How many sets of columns are tried on all rows.
const TRIED: usize = 3;

/// A value of a row in a column; [`EMPTY`] if there is none.
type Value = u32;
const EMPTY: Value = u32::MAX;

/// A column that may tell groups.
struct Candidate {
    /// Its place in the table.
    place: usize,
    /// By row.
    values: Vec<Value>,
    /// The probability that two rows are equal.
    alike: f64,
    /// Of numbers: by row, the place of the number among all, in steps that are near.
    steps: Option<Vec<f64>>,
}

/// What is summed over pairs of rows: how many, and how much their labels differ.
#[derive(Clone, Copy, Debug, Default)]
struct Pairs {
    count: f64,
    differ: f64,
}

impl Pairs {
    fn add(&mut self, differ: f64) {
        self.count += 1.0;
        self.differ += differ;
    }

    fn mean(self) -> f64 {
        self.differ / self.count.max(1.0)
    }
}

/// Sums over pairs, by set of columns.
struct Sets {
    all: Pairs,
    /// Pairs that are equal in all columns of the set.
    equal: Vec<Pairs>,
    /// By column: those that differ there, if it is one of numbers by little.
    beside: Vec<Vec<Pairs>>,
    /// By column: how much labels differ in the one of these sets, of those with more columns, where they do least.
    least: Vec<Vec<f64>>,
}

impl Leaks<'_> {
    /// Rows and others that are equal in columns that tell groups together. `differ` says how much the labels of two rows differ.
    pub(super) fn together(&self, differ: impl Fn(usize, usize) -> f64) -> Option<Partners> {
        let candidates = self.candidates();
        if candidates.len() < 2 || self.rows.len() < LEAST {
            return None;
        }
        let sets = self.sets(&candidates, differ);
        let probed = self.rows.len().div_ceil(self.step()) as f64;
        let all = 1..1_usize << candidates.len();
        let mut found: Vec<(usize, f64)> = all
            .filter_map(|set| Some((set, sets.grouped(set, &candidates, probed)?)))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let tried = found.into_iter().take(TRIED);
        let mut partners = tried.map(|(set, _)| self.equal_in(&columns_of(&candidates, set)));
        partners.find(Partners::are_enough)
    }

    fn step(&self) -> usize {
        self.rows.len().div_ceil(PROBED)
    }

    /// The columns that may tell groups, those first that go together with others.
    fn candidates(&self) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = self
            .values()
            .into_iter()
            .enumerate()
            .filter_map(|(place, values)| candidate(place, values))
            .take(LOOKED_AT)
            .collect();
        self.put_steps(&mut candidates);
        if candidates.len() > COLUMNS {
            let ties = self.ties(&candidates);
            let mut order: Vec<usize> = (0..candidates.len()).collect();
            order.sort_by(|&a, &b| ties[b].total_cmp(&ties[a]).then(a.cmp(&b)));
            let kept = &order[..COLUMNS];
            let mut place = 0..;
            candidates.retain(|_| place.next().is_some_and(|k| kept.contains(&k)));
        }
        candidates
    }

    /// By column of the table and row, the values.
    fn values(&self) -> Vec<Vec<Value>> {
        let columns = &self.table.columns;
        let rows = self.sample.rows.view();
        let mut met: HashMap<(usize, u64), Value> = HashMap::new();
        let mut values = vec![Vec::with_capacity(self.rows.len()); columns.len()];
        for &row in &self.rows {
            // zeros are not stored: a number that is not there is one, unless it is said to be missing
            let first = |column: &Column| (column.kind == ColumnKind::Number).then_some(0);
            let mut hashes: Vec<Option<u64>> = columns.iter().map(first).collect();
            for (slot, value) in rows.row(row).iter() {
                let Some(family) = self.families.of_slot(slot) else {
                    continue;
                };
                let family = &self.families.list[family];
                let column = &columns[family.column];
                let is_gap = self.is_gap(column, family.kind, slot, value);
                let hash = &mut hashes[family.column];
                *hash = match family.kind {
                    Kind::Words => None,
                    _ if is_gap => None,
                    Kind::Number => {
                        let bits = u64::from((value as f32).to_bits());
                        Some(mixed(hash.unwrap_or(0), bits))
                    }
                    Kind::Category | Kind::Gap => Some(mixed(hash.unwrap_or(0), slot as u64 + 1)),
                };
            }
            for (place, (hash, values)) in hashes.into_iter().zip(&mut values).enumerate() {
                let next = met.len() as Value;
                let value = hash.map(|hash| *met.entry((place, hash)).or_insert(next));
                values.push(value.unwrap_or(EMPTY));
            }
        }
        values
    }

    /// Where the numbers of candidates are among all of the column.
    fn put_steps(&self, candidates: &mut [Candidate]) {
        let mut numbers = vec![vec![0.0; self.rows.len()]; self.table.columns.len()];
        let rows = self.sample.rows.view();
        for (k, &row) in self.rows.iter().enumerate() {
            for (slot, value) in rows.row(row).iter() {
                let family = self.families.of_slot(slot);
                let family = family.map(|place| &self.families.list[place]);
                if let Some(family) = family.filter(|family| family.kind == Kind::Number) {
                    numbers[family.column][k] = value;
                }
            }
        }
        for candidate in candidates {
            if self.table.columns[candidate.place].kind == ColumnKind::Number {
                candidate.steps = Some(steps(&numbers[candidate.place]));
            }
        }
    }

    /// By candidate, how much more often than by chance rows that are equal in it are equal in another one too.
    fn ties(&self, candidates: &[Candidate]) -> Vec<f64> {
        let n = self.rows.len();
        let step = n.div_ceil(PROBED);
        let mut both = vec![vec![0.0; candidates.len()]; candidates.len()];
        let mut pairs = 0.0;
        for a in (0..n).step_by(step) {
            for b in (0..n).step_by(step).filter(|b| *b != a) {
                pairs += 1.0;
                let equal: Vec<usize> = (0..candidates.len())
                    .filter(|&c| candidates[c].are_equal(a, b))
                    .collect();
                for &c in &equal {
                    for &d in &equal {
                        both[c][d] += 1.0;
                    }
                }
            }
        }
        let tie = |c: usize, d: usize| {
            let by_chance = pairs * candidates[c].alike * candidates[d].alike;
            (both[c][d] / by_chance - 1.0).clamp(0.0, 4.0)
        };
        let others = |c: usize| (0..candidates.len()).filter(move |&d| d != c);
        (0..candidates.len())
            .map(|c| others(c).map(|d| tie(c, d)).sum())
            .collect()
    }

    fn sets(&self, candidates: &[Candidate], differ: impl Fn(usize, usize) -> f64) -> Sets {
        let n = self.rows.len();
        let size = 1 << candidates.len();
        let mut sets = Sets {
            all: Pairs::default(),
            equal: vec![Pairs::default(); size],
            beside: vec![vec![Pairs::default(); size]; candidates.len()],
            least: Vec::new(),
        };
        for a in (0..n).step_by(self.step()) {
            for b in (0..n).filter(|b| *b != a) {
                let mut equal = 0;
                for (c, candidate) in candidates.iter().enumerate() {
                    equal |= usize::from(candidate.are_equal(a, b)) << c;
                }
                let differ = differ(self.rows[a], self.rows[b]);
                sets.all.add(differ);
                if equal == 0 {
                    continue;
                }
                sets.equal[equal].add(differ);
                for (candidate, beside) in candidates.iter().zip(&mut sets.beside) {
                    if candidate.are_beside(a, b) {
                        beside[equal].add(differ);
                    }
                }
            }
        }
        // pairs that are equal in a set are so in each part of it
        for sums in sets.beside.iter_mut().chain([&mut sets.equal]) {
            for column in 0..candidates.len() {
                for set in (0..size).filter(|set| set & (1 << column) == 0) {
                    let more = sums[set | 1 << column];
                    sums[set].count += more.count;
                    sums[set].differ += more.differ;
                }
            }
        }
        let enough = SHARE_BESIDE * sets.all.count;
        let mean = |pairs: &Pairs| {
            if pairs.count >= enough {
                pairs.mean()
            } else {
                f64::INFINITY
            }
        };
        for beside in &sets.beside {
            let mut least: Vec<f64> = beside.iter().map(mean).collect();
            for column in 0..candidates.len() {
                for set in (0..size).filter(|set| set & (1 << column) == 0) {
                    least[set] = least[set].min(least[set | 1 << column]);
                }
            }
            sets.least.push(least);
        }
        sets
    }

    /// Rows and the next one that is equal in these columns.
    fn equal_in(&self, columns: &[&Candidate]) -> Partners {
        let mut found = Partners::none(self.table.columns.len());
        let key = |row: usize| {
            let values = columns.iter().map(|column| column.values[row]);
            let is_whole = values.clone().all(|value| value != EMPTY);
            is_whole.then(|| values.collect::<Vec<Value>>())
        };
        let mut by_key: HashMap<Vec<Value>, Vec<usize>> = HashMap::new();
        for row in 0..self.rows.len() {
            if let Some(key) = key(row) {
                by_key.entry(key).or_default().push(row);
            }
        }
        for row in (0..self.rows.len()).step_by(self.step()) {
            found.probed += 1;
            let equal = key(row).and_then(|key| by_key.get(&key));
            let Some(equal) = equal.filter(|equal| equal.len() > 1) else {
                continue;
            };
            let place = equal.partition_point(|other| *other <= row) % equal.len();
            found.pairs.push((self.rows[row], self.rows[equal[place]]));
        }
        for column in columns {
            found.named[column.place] = found.pairs.len();
        }
        found
    }
}

impl Candidate {
    fn is_empty(&self, row: usize) -> bool {
        self.values[row] == EMPTY
    }

    fn are_equal(&self, a: usize, b: usize) -> bool {
        self.values[a] == self.values[b] && !self.is_empty(a)
    }

    fn are_beside(&self, a: usize, b: usize) -> bool {
        let differ = self.values[a] != self.values[b] && !self.is_empty(a) && !self.is_empty(b);
        let near = |steps: &Vec<f64>| (steps[a] - steps[b]).abs() <= 1.0;
        differ && self.steps.as_ref().is_none_or(near)
    }
}

/// A column, if it may tell groups.
fn candidate(place: usize, values: Vec<Value>) -> Option<Candidate> {
    let n = values.len() as f64;
    let mut counts: HashMap<Value, u64> = HashMap::new();
    for &value in values.iter().filter(|value| **value != EMPTY) {
        *counts.entry(value).or_default() += 1;
    }
    let filled = counts.values().sum::<u64>() as f64;
    let repeated = counts.values().filter(|rows| **rows > 1).sum::<u64>() as f64;
    // whole numbers: the sum does not depend on the order of the table
    let pairs: u64 = counts.values().map(|rows| rows * (rows - 1)).sum();
    let alike = pairs as f64 / (n * (n - 1.0));
    let is_one =
        filled >= FILLED * n && repeated >= REPEATED * filled && alike > 0.0 && alike <= ALIKE;
    is_one.then_some(Candidate {
        place,
        values,
        alike,
        steps: None,
    })
}

/// The places of numbers among those that differ, in steps that are near.
fn steps(numbers: &[f64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    let step = f64::max(NEAR, NEAR_SHARE * sorted.len() as f64);
    let place = |number: &f64| sorted.partition_point(|other| other < number) as f64 / step;
    numbers.iter().map(place).collect()
}

fn columns_of(candidates: &[Candidate], set: usize) -> Vec<&Candidate> {
    let columns = candidates.iter().enumerate();
    let columns = columns.filter(|(k, _)| set & (1 << k) != 0);
    columns.map(|(_, column)| column).collect()
}

impl Sets {
    /// If a set of columns tells groups: how many pairs are equal in it, but for those by chance.
    fn grouped(&self, set: usize, candidates: &[Candidate], probed: f64) -> Option<f64> {
        let equal = self.equal[set];
        let columns = columns_of(candidates, set);
        if columns.len() < 2 || !(EQUAL.0 * probed..=EQUAL.1 * probed).contains(&equal.count) {
            return None;
        }
        let alike = columns.iter().map(|column| column.alike);
        let by_chance = self.all.count * alike.product::<f64>() / equal.count;
        let any = self.all.mean();
        let own = (equal.mean() - by_chance * any) / (1.0 - by_chance);
        if by_chance > BY_CHANCE || own > DIFFER * any {
            return None;
        }
        let mut looked = 0;
        for column in (0..candidates.len()).filter(|column| set & (1 << column) != 0) {
            let others = set & !(1 << column);
            let beside = self.beside[column][others];
            if beside.count < PAIRS_BESIDE {
                continue;
            }
            looked += 1;
            if beside.mean().min(self.least[column][others]) < DIFFER_BESIDE * any {
                return None;
            }
        }
        (looked > 1).then_some((1.0 - by_chance) * equal.count)
    }
}
