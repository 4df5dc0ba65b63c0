//! Equal rows: as one, so that a row that counts twice is the row twice, to the last bit of what is solved for them; and found again.

use novikoff::row::Row;
use novikoff::rows::{Block, Rows};

/// Rows that all differ in their values or labels: equal ones are one row, whose weight is the sum of theirs. Their order depends on what
/// they hold, and not on how they came. None if no two are equal and all count once: such rows stay as they are, unless `weighted` says that
/// their classes count differently.
pub fn merged(rows: &Rows, weighted: bool) -> Option<Rows> {
    let block = rows.view();
    let mut order: Vec<(u64, usize)> = (0..block.len()).map(|row| (key(block, row), row)).collect();
    order.sort_unstable();
    let same_key = order.windows(2).any(|pair| pair[0].0 == pair[1].0);
    let weighted = weighted || !block.weights.is_empty();
    if !weighted && !same_key {
        return None;
    }
    let mut out = Rows::new();
    out.reserve(block.values());
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        // rows of the same key that are not equal are as good as impossible, and rows of their own
        let mut left: Vec<usize> = same.iter().map(|(_, row)| *row).collect();
        while let Some(&first) = left.first() {
            let (equal, others): (Vec<usize>, Vec<usize>) =
                left.iter().partition(|&&row| are_equal(block, first, row));
            let weight: f64 = equal.iter().map(|&row| block.weight(row)).sum();
            add(&mut out, block, first, weight as f32);
            left = others;
        }
    }
    (out.len() < block.len() || weighted).then_some(out)
}

fn add(out: &mut Rows, block: Block<'_>, row: usize, weight: f32) {
    let x = block.row(row);
    for (slot, value) in x.iter() {
        out.push(slot as u32, value as f32);
    }
    for label in block.labels(row) {
        out.push_label(label.number().unwrap_or(f64::NAN), label.text());
    }
    out.set_weight(weight);
    out.end_row(block.line(row));
}

/// For each of some rows the place of the first of `rows` that has the same values, whatever the constant feature; none if one of them is
/// not among them.
pub fn places_of<'w>(rows: &Rows, wanted: impl Iterator<Item = Row<'w>>) -> Option<Vec<usize>> {
    let values_key =
        |x: Row<'_>| features(x).fold(0, |key, (slot, bits)| mix(key, word(slot, bits)));
    let mut known: Vec<(u64, usize)> = (0..rows.len())
        .map(|row| (values_key(rows.row(row)), row))
        .collect();
    known.sort_unstable();
    let place = |x: Row<'_>| {
        let key = values_key(x);
        let from = known.partition_point(|(other, _)| *other < key);
        let same = known[from..].iter().take_while(|(other, _)| *other == key);
        let mut same = same.map(|(_, row)| *row);
        same.find(|&row| features(rows.row(row)).eq(features(x)))
    };
    wanted.map(place).collect()
}

/// The values of a row but for the constant feature.
fn features(x: Row<'_>) -> impl Iterator<Item = (u64, u32)> {
    values(x).filter(|(slot, _)| *slot > 0)
}

fn values(x: Row<'_>) -> impl Iterator<Item = (u64, u32)> {
    x.iter()
        .map(|(slot, value)| (slot as u64, (value as f32).to_bits()))
}

fn word(slot: u64, bits: u32) -> u64 {
    slot << 32 | u64::from(bits)
}

fn are_equal(block: Block<'_>, a: usize, b: usize) -> bool {
    let labels = |row| {
        block.labels(row).map(|label| {
            let number = label.number().unwrap_or(f64::NAN).to_bits();
            (number, label.text())
        })
    };
    values(block.row(a)).eq(values(block.row(b))) && labels(a).eq(labels(b))
}

/// A number that is the same for equal rows.
fn key(block: Block<'_>, row: usize) -> u64 {
    let mut key = 0;
    for (slot, bits) in values(block.row(row)) {
        key = mix(key, word(slot, bits));
    }
    for label in block.labels(row) {
        let number = label.number().unwrap_or(f64::NAN);
        key = mix(key, number.to_bits());
        key = label
            .text()
            .iter()
            .fold(key, |key, &byte| mix(key, u64::from(byte)));
    }
    key ^ (key >> 29)
}

/// One step of a hash: the multiplier and the shift of SplitMix64.
fn mix(key: u64, word: u64) -> u64 {
    let mixed = (key ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rows: &mut Rows, label: &str, values: &[f32], weight: f32) {
        for (slot, &value) in (1..).zip(values) {
            rows.push(slot, value);
        }
        rows.push_label(label.parse().unwrap_or(f64::NAN), label.as_bytes());
        rows.set_weight(weight);
        rows.end_row(rows.len() as u64);
    }

    /// Values, labels and weight of a row.
    type Listed = (Vec<(usize, f64)>, Vec<u8>, f64);

    fn listed(rows: &Rows) -> Vec<Listed> {
        let one = |i| {
            let text = rows.labels(i).flat_map(|label| label.text().to_vec());
            let values = rows.row(i).iter();
            (values.collect(), text.collect(), rows.weight(i))
        };
        (0..rows.len()).map(one).collect()
    }

    #[test]
    fn distinct_rows_that_count_once_are_left_alone() {
        let mut rows = Rows::new();
        rows.add("a", Row::dense(&[1.0, 2.0]));
        rows.add("b", Row::dense(&[1.0, 2.0]));
        rows.add("a", Row::dense(&[2.0, 1.0]));
        assert!(merged(&rows, false).is_none());
        assert!(merged(&Rows::new(), false).is_none());
    }

    #[test]
    fn a_weight_is_the_row_so_often_in_any_order() {
        let (mut weighted, mut repeated) = (Rows::new(), Rows::new());
        let all: [(&str, &[f32], f32); 4] = [
            ("1", &[0.5, 0.0, 3.0], 3.0),
            ("-1", &[0.5, 0.0, 3.0], 1.0),
            ("1", &[0.5], 2.0),
            ("2", &[], 1.0),
        ];
        for (label, values, weight) in all {
            row(&mut weighted, label, values, weight);
        }
        for turn in 1..=3_u8 {
            for (label, values, weight) in all.iter().rev() {
                if *weight >= f32::from(turn) {
                    row(&mut repeated, label, values, 1.0);
                }
            }
        }
        let (weighted, repeated) = (merged(&weighted, false), merged(&repeated, true));
        let (weighted, repeated) = (weighted.expect("weights"), repeated.expect("equal rows"));
        assert_eq!(listed(&weighted), listed(&repeated));
        assert_eq!(weighted.len(), 4);
        let total: f64 = listed(&weighted).iter().map(|(_, _, weight)| weight).sum();
        assert_eq!(total, 7.0);
    }

    #[test]
    fn rows_are_found_again() {
        let mut rows = Rows::new();
        for values in [[1.0, 2.0], [3.0, 0.0], [1.0, 2.0], [0.0, 0.0]] {
            rows.push(0, 1.0);
            row(&mut rows, "1", &values, 1.0);
        }
        let dense = |values: &'static [f32]| Row::dense(values);
        let wanted = [dense(&[3.0]), dense(&[]), dense(&[1.0, 2.0])];
        assert_eq!(places_of(&rows, wanted.into_iter()), Some(vec![1, 3, 0]));
        assert_eq!(places_of(&rows, [dense(&[2.0])].into_iter()), None);
    }
}
