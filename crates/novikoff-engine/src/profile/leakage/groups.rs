//! Rows that come in groups: several of the same person or thing, or texts that are nearly the same.
//!
//! Such rows have a partner among the others, which shares more of their cells than chance allows, or most of their words, or has nearly the same
//! numbers ([near](super::near)), or is equal in columns that tell groups [together](super::together). If partners have the same label,
//! rows that are held out at random are as good as learned from, and errors on them say nothing of new persons or things.

use std::collections::HashMap;

use novikoff::remark::{Remark, ResultRemark};

use super::Leaks;
use super::families::Kind;

/// Rows whose partner is looked for, at most.
const PROBED: usize = 1000;

/// A value of more rows than this finds no partner: one row in 20, within these bounds.
fn common(rows: usize) -> usize {
    (rows / 20).clamp(50, 200)
}

/// A partner shares cells, or words, that chance would find together in fewer rows than this.
const BY_CHANCE: f64 = 0.1;

/// A partner of a text has this share of the words of both,
const WORDS_SHARED: f64 = 0.5;

/// and they have at least this many.
const WORDS: usize = 8;

/// Rows are said to come in groups if at least this share has a partner,
const SHARE: f64 = 0.3;

/// this share of the partners has the same label,
const AGREE: f64 = 0.9;

/// and answering with the label of the partner makes this part of the errors of the most frequent label, at most.
const ERRORS: f64 = 0.5;

/// Quantities of partners are nearly the same if the ranks of both are this share as far apart as those of any two rows, in squares,
const APART: f64 = 0.1;

/// and those with a partner have at least this share of the variance of all ranks.
const VARIED: f64 = 0.25;

/// Fewer rows than this say nothing.
pub(super) const LEAST: usize = 100;

/// How many columns a remark names.
const NAMED: usize = 3;

/// What a row has: a number of a column, a category or a word.
type CellKey = (usize, u32);

/// The rows that have a cell.
#[derive(Default)]
struct CellRows {
    count: usize,
    /// All of them, if they are few, else none.
    few: Vec<usize>,
}

/// Rows and their partners.
pub(super) struct Partners {
    /// How many rows were looked at.
    pub(super) probed: usize,
    pub(super) pairs: Vec<(usize, usize)>,
    /// By column: how many pairs share it.
    pub(super) named: Vec<usize>,
}

impl Partners {
    pub(super) fn none(columns: usize) -> Self {
        Partners {
            probed: 0,
            pairs: Vec::new(),
            named: vec![0; columns],
        }
    }

    /// The share of the rows that have one.
    fn share(&self) -> f64 {
        self.pairs.len() as f64 / self.probed.max(1) as f64
    }

    pub(super) fn are_enough(&self) -> bool {
        self.share() >= SHARE
    }
}

impl Leaks<'_> {
    /// A remark if rows come in groups whose labels are the same.
    pub(super) fn groups(&self) -> Option<Remark> {
        let places = &self.sample.places;
        let together = || {
            let found = self.together(|a, b| f64::from(u8::from(places[a] != places[b])));
            self.groups_of(&found?, 0.0)
        };
        self.partners()
            .find_map(|found| self.groups_of(&found, AGREE))
            .or_else(together)
    }

    fn groups_of(&self, found: &Partners, at_least: f64) -> Option<Remark> {
        let mut by_label = vec![0_u64; self.totals.labels.len()];
        let mut agree = 0_u64;
        for &(row, partner) in &found.pairs {
            let label = self.sample.places[row];
            agree += u64::from(self.sample.places[partner] == label);
            by_label[label as usize] += 1;
        }
        let pairs = found.pairs.len() as u64;
        let most = by_label.iter().copied().max().unwrap_or(0);
        let right = agree as f64 / pairs as f64;
        let is_better = (pairs - agree) as f64 <= ERRORS * (pairs - most) as f64 && most < pairs;
        (right >= at_least && is_better).then(|| {
            Remark::Result(ResultRemark::Groups {
                share: found.share(),
                agree: Some(right),
                columns: self.shared(found),
            })
        })
    }

    /// A remark if rows come in groups whose quantities, given by their ranks less their mean, are nearly the same.
    pub(super) fn groups_by(&self, ranks: &[f64]) -> Option<Remark> {
        let square = |a: usize, b: usize| (ranks[a] - ranks[b]) * (ranks[a] - ranks[b]);
        self.partners()
            .find_map(|found| self.groups_by_of(&found, ranks))
            .or_else(|| self.groups_by_of(&self.together(square)?, ranks))
    }

    fn groups_by_of(&self, found: &Partners, ranks: &[f64]) -> Option<Remark> {
        let square = |x: f64| x * x;
        let all: f64 = ranks.iter().map(|&rank| square(rank)).sum();
        let variance = all / ranks.len() as f64;
        let apart = found
            .pairs
            .iter()
            .map(|&(a, b)| square(ranks[a] - ranks[b]));
        // any two rows are twice the variance apart
        let apart = apart.sum::<f64>() / (2.0 * variance * found.pairs.len() as f64);
        // and so are partners from each other, if all of them are much the same
        let own = found.pairs.iter().map(|&(row, _)| square(ranks[row]));
        let is_varied = own.sum::<f64>() >= VARIED * variance * found.pairs.len() as f64;
        (apart <= APART && is_varied).then(|| {
            Remark::Result(ResultRemark::Groups {
                share: found.share(),
                agree: None,
                columns: self.shared(found),
            })
        })
    }

    /// Rows and their partners, where enough rows have one: by what they share, then by numbers that are nearly the same.
    fn partners(&self) -> impl Iterator<Item = Partners> {
        let looked: [fn(&Self) -> Partners; 2] = [Self::pairs, Self::near];
        let is_enough = self.rows.len() >= LEAST;
        let found = looked.into_iter().filter(move |_| is_enough);
        found.map(|look| look(self)).filter(Partners::are_enough)
    }

    /// Rows and those that share cells, or words, with them.
    fn pairs(&self) -> Partners {
        let index = self.index();
        let step = self.rows.len().div_ceil(PROBED);
        let mut found = Partners::none(self.table.columns.len());
        for &row in self.rows.iter().step_by(step) {
            found.probed += 1;
            let Some((partner, shared)) = self.partner(row, &index) else {
                continue;
            };
            found.pairs.push((row, partner));
            for column in shared {
                found.named[column] += 1;
            }
        }
        found
    }

    /// The columns that most pairs share.
    fn shared(&self, found: &Partners) -> Vec<String> {
        let named = &found.named;
        let is_shared = |&k: &usize| 2 * named[k] >= found.pairs.len();
        let mut columns: Vec<usize> = (0..named.len()).filter(is_shared).collect();
        columns.sort_by_key(|&k| (std::cmp::Reverse(named[k]), k));
        let names = columns.iter().take(NAMED);
        names.map(|&k| self.table.columns[k].name.clone()).collect()
    }

    /// The cells of a row with their families.
    fn keys(&self, row: usize) -> impl Iterator<Item = (CellKey, usize)> {
        let rows = self.sample.rows.view();
        rows.row(row).iter().filter_map(|(slot, value)| {
            let family = self.families.of_slot(slot)?;
            match self.families.list[family].kind {
                Kind::Number => Some(((slot, (value as f32).to_bits()), family)),
                Kind::Category | Kind::Words => Some(((slot, 0), family)),
                Kind::Gap => None,
            }
        })
    }

    /// By cell, the rows that have it.
    fn index(&self) -> HashMap<CellKey, CellRows> {
        let mut index: HashMap<CellKey, CellRows> = HashMap::new();
        let common = common(self.rows.len());
        for &row in &self.rows {
            for (key, _) in self.keys(row) {
                let rows = index.entry(key).or_default();
                rows.count += 1;
                if rows.count <= common {
                    rows.few.push(row);
                } else {
                    rows.few.clear();
                }
            }
        }
        index
    }

    /// The row that shares most of the rare cells of a row, if it is its partner, and the columns that they share.
    fn partner(
        &self,
        row: usize,
        index: &HashMap<CellKey, CellRows>,
    ) -> Option<(usize, Vec<usize>)> {
        let mut shared: HashMap<usize, u32> = HashMap::new();
        for (key, _) in self.keys(row) {
            for &other in index.get(&key).map_or(&[][..], |rows| &rows.few) {
                if other != row {
                    *shared.entry(other).or_default() += 1;
                }
            }
        }
        // the first of those that share most
        let best = |a: (usize, u32), b: (usize, u32)| {
            let is_better = (b.1, std::cmp::Reverse(b.0)) > (a.1, std::cmp::Reverse(a.0));
            if is_better { b } else { a }
        };
        let (partner, _) = shared.into_iter().reduce(best)?;
        self.are_partners(row, partner, index)
            .map(|columns| (partner, columns))
    }

    /// The columns that two rows share, if chance would not make them share these, or if their texts are nearly the same.
    fn are_partners(
        &self,
        row: usize,
        other: usize,
        index: &HashMap<CellKey, CellRows>,
    ) -> Option<Vec<usize>> {
        let others: HashMap<CellKey, usize> = self.keys(other).collect();
        let n = self.rows.len() as f64;
        let (mut by_chance, mut texts_by_chance, mut columns) = (n, n, Vec::new());
        let is_word = |family: usize| self.families.list[family].kind == Kind::Words;
        let (mut words, mut words_shared) = (0, 0);
        for (key, family) in self.keys(row) {
            let is_shared = others.contains_key(&key);
            let share = index.get(&key).map_or(1.0, |rows| rows.count as f64 / n);
            if is_word(family) {
                words += 1;
                if is_shared {
                    words_shared += 1;
                    texts_by_chance *= share;
                }
            } else if is_shared && share * n <= common(self.rows.len()) as f64 {
                by_chance *= share;
                columns.push(self.families.list[family].column);
            }
        }
        let words_of_other = others.values().filter(|&&family| is_word(family)).count();
        let words_of_both = words + words_of_other - words_shared;
        let is_text = words >= WORDS
            && words_shared as f64 >= WORDS_SHARED * words_of_both as f64
            && texts_by_chance < BY_CHANCE;
        if is_text {
            let texts = self.families.list.iter().filter(|f| f.kind == Kind::Words);
            columns.extend(texts.map(|family| family.column));
        }
        columns.sort_unstable();
        columns.dedup();
        // parts of one date are one column
        let is_likely = columns.len() < 2 || by_chance >= BY_CHANCE;
        (is_text || !is_likely).then_some(columns)
    }
}
