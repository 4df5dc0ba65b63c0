//! Rows that are copies of earlier ones: they are equal, and one of their numbers, or their many words, would hardly be so by chance.

use std::collections::HashSet;

use novikoff::remark::{Remark, ResultRemark};
use novikoff::schema::Schema;

use super::families::{Families, Kind};
use super::sample::Sample;

/// Rows are said to be copies from this share on.
const SHARE: f64 = 0.1;

/// Fewer distinct rows than this say nothing.
const LEAST: usize = 100;

/// A text of this many words, on average, is equal to another only if it is a copy.
const WORDS: usize = 8;

/// A row of fewer columns than this may be equal to another by chance.
const COLUMNS: usize = 3;

/// A remark, if this share of the rows are copies of earlier ones.
pub(super) fn remark(share: f64) -> Option<Remark> {
    (share >= SHARE).then_some(Remark::Result(ResultRemark::Copies { share }))
}

/// The places of the first of all equal rows, if equal rows are copies and not alike by chance: a number alone tells nearly all of them apart, or many
/// words do.
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
        let cells = rows.row(row).iter().map(|(slot, value)| {
            let bits = if is_text { 0 } else { (value as f32).to_bits() };
            u64::from(bits) << 32 | slot as u64
        });
        if met.insert(cells.fold(0, mixed)) {
            places.push(row);
        }
    }
    if places.len() < LEAST {
        return None;
    }
    if is_text {
        return (rows.values() >= WORDS * rows.len()).then_some(places);
    }
    let mut columns: Vec<usize> = families.list.iter().map(|family| family.column).collect();
    columns.dedup();
    if columns.len() < COLUMNS {
        return None;
    }
    let mut values = vec![HashSet::new(); families.list.len()];
    for &row in &places {
        for (slot, value) in rows.row(row).iter() {
            if let Some(family) = families.of_slot(slot)
                && families.list[family].kind == Kind::Number
            {
                values[family].insert((value as f32).to_bits());
            }
        }
    }
    let most = values.iter().map(HashSet::len).max().unwrap_or(0);
    (10 * most >= 9 * places.len()).then_some(places)
}

/// A hash of numbers, with one more.
fn mixed(hash: u64, number: u64) -> u64 {
    let product = u128::from(hash ^ number ^ 0x9e37_79b9_7f4a_7c15) * 0xbf58_476d_1ce4_e5b9;
    (product as u64 ^ (product >> 64) as u64).rotate_left(23)
}
