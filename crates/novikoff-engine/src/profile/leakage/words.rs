//! Words of a text that predict the label: one of them, two together, or some that take turns, as the names of those who sign.

use novikoff::rows::Block;

use super::indicator::{Indicator, LEAST, Totals};

/// How many words may predict a label together,
const TOGETHER: usize = 2;

/// and how many if they take turns: hardly any row has two of them. Words of a topic come together: of news, such words find a label with an F1 of 0.83 at
/// most.
const IN_TURN: usize = 40;

/// Words take turns if the rows of each, added up, are at most this many times the rows that have one.
const TURNS: f64 = 1.05;

/// A label has at least this many rows for words that take turns.
const ROWS_IN_TURN: u64 = 100;

/// How many words that rows of one label have, and hardly any others, are tried together.
const TRIED: usize = 64;

/// Labels beyond which words are not looked at.
const LABELS: usize = 64;

/// Words that predict a label together have this F1.
const F1: f64 = 0.96;

/// The words of a column, by their slots, that predict a label in the chosen rows, and how.
pub(super) fn found(
    rows: Block<'_>,
    chosen: &[usize],
    labels: &[u32],
    is_word: impl Fn(usize) -> bool,
    totals: &Totals,
) -> Option<(Vec<u32>, Indicator)> {
    let kinds = totals.labels.len();
    if kinds > LABELS {
        return None;
    }
    let mut having: Vec<u32> = vec![0; rows.width() as usize + 1];
    let words = |row: usize| {
        let row = rows.row(row);
        let words = row
            .iter()
            .filter(|&(slot, value)| value != 0.0 && is_word(slot));
        words.map(|(slot, _)| slot)
    };
    for &row in chosen {
        words(row).for_each(|slot| having[slot] += 1);
    }
    // the places of words that enough rows have
    let mut frequent = Vec::new();
    for (slot, rows) in having.iter_mut().enumerate() {
        let is_frequent = u64::from(*rows) >= LEAST / 2;
        *rows = if is_frequent {
            frequent.len() as u32
        } else {
            u32::MAX
        };
        if is_frequent {
            frequent.push(slot as u32);
        }
    }
    let mut counts = vec![0_u64; kinds * frequent.len()];
    for &row in chosen {
        let label = labels[row];
        for slot in words(row) {
            let place = having[slot] as usize;
            if place < frequent.len() {
                counts[place * kinds + label as usize] += 1;
            }
        }
    }
    let by_label = || counts.chunks_exact(kinds.max(1)).zip(&frequent);
    let one = |predicted: fn(&Totals, &[u64]) -> Option<Indicator>| {
        let words = by_label().filter_map(|(part, &slot)| {
            let indicator = predicted(totals, part).filter(|indicator| !indicator.is_rest)?;
            Some((vec![slot], indicator))
        });
        words.reduce(|a, b| if b.1.f1 > a.1.f1 { b } else { a })
    };
    let several = || {
        let mut each = (0..kinds).filter(|&label| {
            let of = totals.labels[label];
            of >= LEAST && 2 * of <= totals.rows
        });
        each.find_map(|label| {
            let pure = by_label().filter(|(part, _)| {
                let rows: u64 = part.iter().sum();
                100 * part[label] >= 98 * rows && part[label] >= LEAST / 2
            });
            let mut pure: Vec<(u64, u32)> = pure.map(|(part, &slot)| (part[label], slot)).collect();
            pure.sort_unstable_by(|a, b| b.cmp(a));
            pure.truncate(TRIED);
            let tried = Tried::new(rows, chosen, labels, label, &pure, totals);
            tried.together().or_else(|| tried.in_turn())
        })
    };
    one(|totals, part| totals.indicator(part).or_else(|| totals.pure(part)))
        .or_else(several)
        .or_else(|| one(Totals::pure_word))
}

/// Words that rows of one label have, and hardly any others.
struct Tried<'a> {
    /// Rows with the word, and its slot; those of most rows first.
    pure: &'a [(u64, u32)],
    label: usize,
    /// How many rows have the label.
    of: u64,
    /// By row: which of the words it has, and whether it has the label.
    has: Vec<(u64, bool)>,
}

impl<'a> Tried<'a> {
    fn new(
        rows: Block<'_>,
        chosen: &[usize],
        labels: &[u32],
        label: usize,
        pure: &'a [(u64, u32)],
        totals: &Totals,
    ) -> Self {
        let mut places: Vec<(u32, usize)> = pure.iter().map(|&(_, slot)| slot).zip(0..).collect();
        places.sort_unstable();
        let has = |row: usize| {
            let words = rows.row(row).iter().filter(|(_, value)| *value != 0.0);
            words.fold(0_u64, |has, (slot, _)| {
                let found = places.binary_search_by_key(&(slot as u32), |place| place.0);
                has | found.map_or(0, |found| 1 << places[found].1)
            })
        };
        let each = chosen.iter();
        Tried {
            pure,
            label,
            of: totals.labels[label],
            has: each
                .map(|&row| (has(row), labels[row] as usize == label))
                .collect(),
        }
    }

    /// Rows that have one of these words: those of the label, and others.
    fn counts(&self, mask: u64) -> (u64, u64) {
        let rows = self.has.iter().filter(|(has, _)| *has & mask != 0);
        rows.fold((0, 0), |(with, without), &(_, is_it)| {
            (with + u64::from(is_it), without + u64::from(!is_it))
        })
    }

    fn f1(&self, mask: u64) -> f64 {
        let (with, without) = self.counts(mask);
        2.0 * with as f64 / (with + without + self.of) as f64
    }

    /// The word that makes most of these and itself, of those that are allowed.
    fn next(&self, mask: u64, is_allowed: impl Fn(u64) -> bool) -> Option<u64> {
        let next = (0..self.pure.len()).map(|place| mask | 1 << place);
        let next = next.filter(|&next| next != mask && is_allowed(next));
        let next = next.map(|next| (self.f1(next), next));
        let best = next.reduce(|a, b| if b.0 > a.0 { b } else { a });
        best.map(|(_, next)| next)
    }

    /// Up to two words.
    fn together(&self) -> Option<(Vec<u32>, Indicator)> {
        let most: u64 = self.pure.iter().take(TOGETHER).map(|(rows, _)| rows).sum();
        if (most as f64) < (2.0 * F1 - 1.0) * self.of as f64 {
            return None;
        }
        let first = self.next(0, |_| true)?;
        self.indicator(self.next(first, |_| true).unwrap_or(first))
    }

    /// Some more words, if they take turns.
    fn in_turn(&self) -> Option<(Vec<u32>, Indicator)> {
        if self.of < ROWS_IN_TURN {
            return None;
        }
        let take_turns = |mask: u64| {
            let rows = (0..self.pure.len()).filter(|place| mask >> place & 1 == 1);
            let rows: u64 = rows.map(|place| self.pure[place].0).sum();
            rows as f64 <= TURNS * self.counts(mask).0 as f64
        };
        let most: u64 = self.pure.iter().take(IN_TURN).map(|(rows, _)| rows).sum();
        if (most as f64) < (2.0 * F1 - 1.0) * self.of as f64 {
            return None;
        }
        let mut mask = 0;
        for _ in 0..IN_TURN {
            mask = self.next(mask, take_turns)?;
            if self.f1(mask) >= F1 {
                return self.indicator(mask);
            }
        }
        None
    }

    /// What these words predict, if they do.
    fn indicator(&self, mask: u64) -> Option<(Vec<u32>, Indicator)> {
        let f1 = self.f1(mask);
        let (with, without) = self.counts(mask);
        (f1 >= F1).then(|| {
            let words = (0..self.pure.len()).filter(|place| mask >> place & 1 == 1);
            let indicator = Indicator {
                label: self.label,
                with,
                without,
                is_rest: false,
                f1,
            };
            (words.map(|place| self.pure[place].1).collect(), indicator)
        })
    }
}
