//! Words of a text that predict the label: one of them, or two together.

use novikoff::rows::Block;

use super::indicator::{Indicator, LEAST, Totals};

/// How many words may predict a label together.
const TOGETHER: usize = 2;

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
    let one = by_label().filter_map(|(part, &slot)| {
        let indicator = totals.indicator(part).or_else(|| totals.pure(part));
        let indicator = indicator.filter(|indicator| !indicator.is_rest)?;
        Some((vec![slot], indicator))
    });
    let one = one.reduce(|a, b| if b.1.f1 > a.1.f1 { b } else { a });
    one.or_else(|| {
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
            together(rows, chosen, labels, label, &pure, totals)
        })
    })
}

/// Up to two of some words that predict a label together.
fn together(
    rows: Block<'_>,
    chosen: &[usize],
    labels: &[u32],
    label: usize,
    pure: &[(u64, u32)],
    totals: &Totals,
) -> Option<(Vec<u32>, Indicator)> {
    let of = totals.labels[label];
    let most: u64 = pure.iter().take(TOGETHER).map(|(rows, _)| rows).sum();
    if (most as f64) < (2.0 * F1 - 1.0) * of as f64 {
        return None;
    }
    // by row: which of the words it has
    let has = |row: usize| {
        let row = rows.row(row);
        let places = row
            .iter()
            .filter(|(_, value)| *value != 0.0)
            .map(|(slot, _)| {
                let place = pure.iter().position(|&(_, word)| word as usize == slot);
                place.map_or(0, |place| 1_u64 << place)
            });
        places.fold(0, |has, place| has | place)
    };
    let has: Vec<u64> = chosen.iter().map(|&row| has(row)).collect();
    let counts = |mask: u64| {
        let rows = has.iter().zip(chosen).filter(|(has, _)| *has & mask != 0);
        rows.fold((0_u64, 0_u64), |(with, without), (_, &row)| {
            let is_it = u64::from(labels[row] as usize == label);
            (with + is_it, without + 1 - is_it)
        })
    };
    let f1 = |(with, without): (u64, u64)| 2.0 * with as f64 / (with + without + of) as f64;
    let mut mask = 0_u64;
    for _ in 0..TOGETHER.min(pure.len()) {
        let next = (0..pure.len()).map(|place| mask | 1 << place);
        let next = next.map(|next| (f1(counts(next)), next));
        let best = next.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
        mask = best.1;
    }
    let (with, without) = counts(mask);
    let f1 = f1((with, without));
    (f1 >= F1).then(|| {
        let words = (0..pure.len()).filter(|place| mask >> place & 1 == 1);
        let words = words.map(|place| pure[place].1).collect();
        let indicator = Indicator {
            label,
            with,
            without,
            is_rest: false,
            f1,
        };
        (words, indicator)
    })
}
