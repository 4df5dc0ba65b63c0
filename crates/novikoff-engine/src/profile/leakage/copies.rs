//! Rows that are copies of earlier ones: they are equal, and their columns, or their many words, would hardly be so by chance.

use std::collections::{HashMap, HashSet};

use novikoff::remark::{Looked, Remark, ResultRemark, TableRemark};
use novikoff::rows::Block;
use novikoff::schema::Schema;

use super::families::{Families, Kind};
use super::sample::Sample;

/// Rows are said to be copies from this share on.
const SHARE: f64 = 0.1;

/// Fewer distinct rows than this say nothing.
const LEAST: usize = 100;

/// A text of this many words, on average, is equal to another only if it is a copy.
const WORDS: usize = 8;

/// Texts are said to be empty if as many are, and this share.
const EMPTY: usize = 5;
const EMPTY_SHARE: f64 = 0.02;

/// Equal rows are copies if chance, with columns that have nothing to do with each other, makes fewer pairs equal than this share of them. Columns that go
/// together make more.
const BY_CHANCE: f64 = 1e-3;

/// A remark, if this share of the rows are copies of earlier ones.
pub(super) fn remark(share: f64) -> Option<Remark> {
    (share >= SHARE).then_some(Remark::Result(ResultRemark::Copies { share }))
}

/// Whether a row has no features but the constant, as an empty text.
pub(super) fn is_empty(rows: Block<'_>, row: usize) -> bool {
    rows.row(row).iter().all(|(slot, _)| slot == 0)
}

/// A remark, if there are many empty texts among these rows.
pub(super) fn empty_texts(sample: &Sample, looked: Looked) -> Option<Remark> {
    let rows = sample.rows.view();
    let empty = (0..rows.len()).filter(|&row| is_empty(rows, row)).count();
    let is_many = empty >= EMPTY && empty as f64 >= EMPTY_SHARE * rows.len() as f64;
    is_many.then_some(Remark::Table(TableRemark::EmptyTexts {
        texts: empty as u64,
        looked,
    }))
}

/// The places of the first of all equal rows, if equal rows are copies and not alike by chance.
pub(super) fn distinct(
    sample: &Sample,
    schema: &Schema,
    families: &Families,
) -> Option<Vec<usize>> {
    let rows = sample.rows.view();
    let (mut met, mut places) = (HashSet::new(), Vec::new());
    let is_text = schema.has_words();
    for row in 0..rows.len() {
        // the values of words change while a text is read
        let is_number = |slot| {
            let family = families.of_slot(slot);
            family.is_some_and(|family| families.list[family].kind == Kind::Number)
        };
        let cells = rows.row(row).iter().map(|(slot, value)| {
            let counts = !is_text || is_number(slot);
            let bits = if counts { (value as f32).to_bits() } else { 0 };
            u64::from(bits) << 32 | slot as u64
        });
        let is_first = met.insert(cells.fold(0, mixed));
        if is_first || is_text && is_empty(rows, row) {
            places.push(row);
        }
    }
    if places.len() < LEAST {
        return None;
    }
    if is_text {
        return (rows.values() >= WORDS * rows.len()).then_some(places);
    }
    let copies = (rows.len() - places.len()) as f64;
    let pairs = 0.5 * (places.len() as f64) * (places.len() as f64);
    let by_chance = pairs * alike_by_chance(sample, families, &places);
    (by_chance <= BY_CHANCE * copies).then_some(places)
}

/// The probability that two of these rows are equal, if their columns have nothing to do with each other.
fn alike_by_chance(sample: &Sample, families: &Families, places: &[usize]) -> f64 {
    let rows = sample.rows.view();
    let mut counts: Vec<HashMap<u64, u64>> = vec![HashMap::new(); families.list.len()];
    for &row in places {
        for (slot, value) in rows.row(row).iter() {
            if let Some(family) = families.of_slot(slot) {
                let key = match families.list[family].kind {
                    Kind::Number => u64::from((value as f32).to_bits()),
                    _ => slot as u64,
                };
                *counts[family].entry(key).or_default() += 1;
            }
        }
    }
    let all = places.len() as f64;
    let alike = |counts: &HashMap<u64, u64>| {
        let mut rows: Vec<u64> = counts.values().copied().collect();
        // the sum does not depend on the order of the table
        rows.sort_unstable();
        let absent = all - rows.iter().sum::<u64>() as f64;
        let squares = rows.iter().map(|&rows| rows as f64 * rows as f64);
        (squares.sum::<f64>() + absent * absent) / (all * all)
    };
    counts.iter().map(alike).product()
}

/// A hash of numbers, with one more.
pub(super) fn mixed(hash: u64, number: u64) -> u64 {
    let product = u128::from(hash ^ number ^ 0x9e37_79b9_7f4a_7c15) * 0xbf58_476d_1ce4_e5b9;
    (product as u64 ^ (product >> 64) as u64).rotate_left(23)
}
