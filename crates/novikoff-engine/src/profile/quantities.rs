//! What is worth saying of rows whose labels are quantities: a column that predicts them, rows that are copies, labels far from all others.
//!
//! A column predicts the label if the squared correlation of their ranks is nearly 1: then one rises or falls with the other, whatever their units, and a
//! single odd value does not decide. Rows are copies if all their features and their labels are equal, and hardly so by chance.

use novikoff::remark::{LabelRemark, Looked, OrderRemark, Remark, ResultRemark};
use novikoff::schema::Schema;

use super::months::Extremes;
use super::{Scales, bands, categories, leakage, months, outliers, two_units};
use crate::rows::HeldRows;

/// A squared correlation of ranks from which on a column predicts the label,
const CORRELATION: f64 = 0.98;

/// of at least this many rows.
const LEAST: usize = 100;

/// How many columns are remarked on.
const NAMED: usize = 3;

/// How many rows are looked at to find such columns, spread over all rows,
const SPREAD: usize = 10_000;

/// and how many values.
const VALUES: usize = 1 << 20;

/// Rows are said to be copies from this share on.
const COPIES: f64 = 0.1;

/// Equal rows are copies if chance, with columns that have nothing to do with each other, makes fewer pairs equal than this share of them.
const BY_CHANCE: f64 = 1e-3;

/// What is worth saying of rows with these labels.
pub(crate) fn remarks(held: &HeldRows, labels: &[f64], is_standardized: bool) -> Vec<Remark> {
    let schema = &held.schema;
    let scales = (!is_standardized).then(|| Scales::of(held).remark(schema));
    let mut remarks: Vec<Remark> = scales.flatten().into_iter().collect();
    if let [first, .., _] = labels
        && labels.iter().all(|label| label == first)
    {
        remarks.push(Remark::Label(LabelRemark::One {
            label: first.to_string(),
            rows: labels.len() as u64,
        }));
        return remarks;
    }
    if let Some(columns) = Columns::of(held, labels) {
        remarks.extend(columns.followed(schema));
        remarks.extend(bands::remarks(held, &columns.rows, &columns.ranks));
        let groups = || leakage::groups_of_quantities(held, &columns.rows, &columns.ranks);
        remarks.extend(columns.copies(held, labels).or_else(groups));
    }
    remarks.extend(categories::remarks(schema));
    let blocks: Vec<_> = held.blocks().collect();
    remarks.extend(months::remark(schema, &Extremes::of(held), &blocks));
    remarks.extend(outliers::remarks(held));
    remarks.extend(thousands(labels));
    remarks.extend(outliers::of_labels(labels));
    remarks.extend(two_units::remarks(held));
    remarks.extend(two_units::of_labels(labels));
    remarks
}

/// Labels with three decimals, and whole ones, are at least this many each.
const OF_THOUSANDS: usize = 20;

/// A remark if labels are written with points between thousands, as 1074 is in `1.074`: whole numbers below 1000 are as they are, and all others have three
/// decimals and are smaller on average. Numbers that are measured to three decimals are hardly ever whole.
fn thousands(labels: &[f64]) -> Option<Remark> {
    let is_whole = |y: &f64| y.fract() == 0.0;
    let (whole, others): (Vec<f64>, Vec<f64>) = labels.iter().partition(|y| is_whole(y));
    let decimals = |y: f64, times: f64| (y * times - (y * times).round()).abs() < 1e-6 * times;
    let are_thousands = others
        .iter()
        .all(|&y| decimals(y, 1000.0) && (1.0..1000.0).contains(&y));
    // one in ten ends in 0
    let shorter = others.iter().filter(|&&y| decimals(y, 100.0)).count();
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let mut distinct = whole.clone();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    // a ceiling is one number, and a small one may be
    let is_found = distinct.len() >= OF_THOUSANDS
        && distinct.last().is_some_and(|&most| most >= 100.0)
        && others.len() >= OF_THOUSANDS
        && are_thousands
        && 5 * shorter <= others.len()
        && whole.iter().all(|y| (0.0..1000.0).contains(y))
        && mean(&whole) > mean(&others);
    is_found.then(|| {
        Remark::Label(LabelRemark::Thousands {
            with_point: others.len() as u64,
            example: others[0],
            whole: whole.len() as u64,
        })
    })
}

/// Quantities of neighbours are nearly the same from this correlation of their ranks on,
const OF_NEIGHBOURS: f64 = 0.7;

/// and not for being sorted: they turn from rising to falling, or back, at this share of the rows.
const TURNS: f64 = 0.1;

/// A remark if quantities of rows that follow each other are nearly the same.
pub(crate) fn neighbours(labels: &[f64]) -> Option<OrderRemark> {
    if labels.len() < LEAST {
        return None;
    }
    let (ranks, all) = ranks(labels);
    let products: f64 = ranks.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let correlation = products / all.squares;
    let turns = labels
        .windows(3)
        .filter(|y| (y[1] - y[0]) * (y[2] - y[1]) < 0.0);
    let is_sorted = (turns.count() as f64) < TURNS * labels.len() as f64;
    (correlation >= OF_NEIGHBOURS && !is_sorted).then_some(OrderRemark::FoldsOfQuantities {
        correlation,
        rows: labels.len() as u64,
    })
}

/// The columns of numbers in some of the rows.
struct Columns {
    /// The rows,
    rows: Vec<usize>,
    /// and the ranks of their labels, less their mean.
    ranks: Vec<f64>,
    slots: Vec<u32>,
    /// By column: its values other than 0, each with the rank of the label of its row, less the mean rank.
    values: Vec<Vec<(f32, f64)>>,
    /// The sum of the squares of these ranks, and the share of the pairs of rows whose labels are equal.
    label: Ranked,
    looked: Looked,
}

/// What ranks come to.
#[derive(Clone, Copy, Debug, Default)]
struct Ranked {
    /// The sum of the squares of the ranks, less their mean.
    squares: f64,
    /// The sum of their products with those of the labels.
    products: f64,
    /// The share of the pairs of rows that have the same value.
    alike: f64,
}

impl Columns {
    /// None of rows that are no table, or too few.
    fn of(held: &HeldRows, labels: &[f64]) -> Option<Self> {
        let is_table = held.schema.table.is_some() && held.schema.names.bits().is_none();
        let slots = held.schema.numbers().filter(|_| is_table)?;
        let width = slots.last().map_or(0, |&slot| slot as usize + 1);
        let mut places = vec![None; width];
        for (place, &slot) in slots.iter().enumerate() {
            places[slot as usize] = Some(place);
        }
        let rows = held.len();
        let all: usize = held.blocks().map(|block| block.values()).sum();
        let fit = (VALUES as f64 / all.max(1) as f64 * rows as f64) as usize;
        let wanted = rows.min(SPREAD).min(fit);
        if wanted < LEAST {
            return None;
        }
        let looked_at: Vec<usize> = (0..wanted).map(|k| k * rows / wanted).collect();
        let some: Vec<f64> = looked_at.iter().map(|&row| labels[row]).collect();
        let (ranks, label) = ranks(&some);
        let mut values = vec![Vec::new(); slots.len()];
        for (&row, &rank) in looked_at.iter().zip(&ranks) {
            let (block, place) = held.at(row);
            for (slot, value) in block.row(place).iter().filter(|(_, value)| *value != 0.0) {
                if let Some(column) = places.get(slot).copied().flatten() {
                    values[column].push((value as f32, rank));
                }
            }
        }
        for column in &mut values {
            column.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        }
        Some(Columns {
            rows: looked_at,
            ranks,
            slots,
            values,
            label,
            looked: Looked {
                rows: wanted as u64,
                is_first: false,
            },
        })
    }

    fn ranked(&self, column: usize) -> Ranked {
        ranked(&self.values[column], self.looked.rows as f64)
    }

    /// The columns that predict the label.
    fn followed(&self, schema: &Schema) -> Vec<Remark> {
        let mut remarks = Vec::new();
        for (column, &slot) in self.slots.iter().enumerate() {
            let Ranked {
                squares, products, ..
            } = self.ranked(column);
            let correlation = products * products / (squares * self.label.squares);
            if correlation >= CORRELATION
                && let Some(column) = schema.names.name(slot)
            {
                remarks.push(Remark::Label(LabelRemark::Follow {
                    column: column.to_owned(),
                    correlation,
                    looked: self.looked,
                }));
            }
        }
        remarks.truncate(NAMED);
        remarks
    }

    /// A remark if many rows are copies of earlier ones.
    fn copies(&self, held: &HeldRows, labels: &[f64]) -> Option<Remark> {
        // the values of words change while a text is read
        let is_text = held.schema.has_words();
        let mut rows = Vec::with_capacity(labels.len());
        for (row, label) in labels.iter().enumerate() {
            let (block, place) = held.at(row);
            let cells = block.row(place).iter().map(|(slot, value)| {
                let counts = !is_text || self.slots.binary_search(&(slot as u32)).is_ok();
                let bits = if counts { (value as f32).to_bits() } else { 0 };
                u64::from(bits) << 32 | slot as u64
            });
            rows.push(cells.fold(label.to_bits(), mixed));
        }
        rows.sort_unstable();
        rows.dedup();
        let (all, distinct) = (labels.len() as f64, rows.len() as f64);
        let copies = all - distinct;
        let alike = (0..self.slots.len()).map(|column| self.ranked(column).alike);
        let by_chance = 0.5 * distinct * distinct * self.label.alike * alike.product::<f64>();
        let are_copies = rows.len() >= LEAST && by_chance <= BY_CHANCE * copies;
        (are_copies && copies >= COPIES * all).then_some(Remark::Result(ResultRemark::Copies {
            share: copies / all,
        }))
    }
}

/// The ranks of labels, less their mean; equal ones share theirs.
fn ranks(labels: &[f64]) -> (Vec<f64>, Ranked) {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_unstable_by(|&a, &b| labels[a].total_cmp(&labels[b]));
    let n = labels.len() as f64;
    let (mut ranks, mut all, mut before) = (vec![0.0; labels.len()], Ranked::default(), 0.0);
    for group in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
        let size = group.len() as f64;
        let rank = before + 0.5 * size - 0.5 * n;
        for &row in group {
            ranks[row] = rank;
        }
        all.squares += size * rank * rank;
        all.alike += size * size / (n * n);
        before += size;
    }
    (ranks, all)
}

/// What the ranks of a column come to that has these values, which rise, and 0 in the other rows.
fn ranked(values: &[(f32, f64)], n: f64) -> Ranked {
    let same = |values: &[(f32, f64)]| -> Vec<(f64, f64)> {
        let groups = values.chunk_by(|a, b| a.0 == b.0);
        let groups = groups.map(|group| {
            let labels = group.iter().map(|(_, rank)| rank);
            (group.len() as f64, labels.sum::<f64>())
        });
        groups.collect()
    };
    let (below, above) = values.split_at(values.partition_point(|(value, _)| *value < 0.0));
    let labels: f64 = values.iter().map(|(_, rank)| rank).sum();
    // the ranks of all labels add up to 0
    let zeros = (n - values.len() as f64, -labels);
    let groups = same(below).into_iter().chain([zeros]).chain(same(above));
    let (mut all, mut before) = (Ranked::default(), 0.0);
    for (size, labels) in groups {
        let rank = before + 0.5 * size - 0.5 * n;
        all.squares += size * rank * rank;
        all.products += rank * labels;
        all.alike += size * size / (n * n);
        before += size;
    }
    all
}

/// A hash of numbers, with one more.
fn mixed(hash: u64, number: u64) -> u64 {
    let product = u128::from(hash ^ number ^ 0x9e37_79b9_7f4a_7c15) * 0xbf58_476d_1ce4_e5b9;
    (product as u64 ^ (product >> 64) as u64).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::{neighbours, ranked, ranks, thousands};

    #[test]
    fn points_between_thousands() {
        let number = |k: u32| f64::from(600 + k * 37 % 900);
        let written = |y: f64| if y >= 1000.0 { y / 1000.0 } else { y };
        let labels: Vec<f64> = (0..300).map(|k| written(number(k))).collect();
        let remark = thousands(&labels).expect("a remark");
        assert!(
            remark
                .to_string()
                .contains("as if points separated thousands")
        );
        // as they are meant, measured to three decimals, and prices
        let all = |of: &dyn Fn(u32) -> f64| (0..300).map(of).collect::<Vec<f64>>();
        assert!(thousands(&all(&number)).is_none());
        assert!(thousands(&all(&|k| number(k) / 1000.0)).is_none());
        assert!(thousands(&all(&|k| f64::from(k * 37 % 900) / 4.0)).is_none());
        // grades have a ceiling
        let grade = |k: u32| (f64::from(2001 + k * 37 % 2400) / 1000.0).min(4.0);
        assert!(thousands(&all(&grade)).is_none());
    }

    #[test]
    fn quantities_of_neighbours() {
        let wave = |k: u32| 10.0 * libm::sin(f64::from(k) / 9.0) + f64::from(k * 37 % 11) / 5.0;
        let labels: Vec<f64> = (0..400).map(wave).collect();
        assert!(neighbours(&labels).is_some());
        assert!(neighbours(&labels[..99]).is_none(), "too few");
        let mut sorted = labels.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(neighbours(&sorted).is_none(), "sorted by label");
        let mixed: Vec<f64> = (0..400).map(|k| labels[k * 149 % 400]).collect();
        assert!(neighbours(&mixed).is_none());
        assert!(neighbours(&[3.0; 200]).is_none());
    }

    #[test]
    fn ranks_that_rise_together_have_correlation_1() {
        let labels: Vec<f64> = (0..200).map(|k| f64::from(k * 37 % 200) - 60.0).collect();
        let (centred, label) = ranks(&labels);
        assert!(centred.iter().sum::<f64>().abs() < 1e-9);
        let correlation = |of: &dyn Fn(f64) -> f64| {
            let values = labels.iter().map(|&y| of(y) as f32).zip(centred.iter());
            let values = values.filter(|(value, _)| *value != 0.0);
            let mut values: Vec<(f32, f64)> = values.map(|(x, &rank)| (x, rank)).collect();
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            let column = ranked(&values, 200.0);
            column.products * column.products / (column.squares * label.squares)
        };
        assert!((correlation(&|y| 0.035 * y) - 1.0).abs() < 1e-12);
        assert!((correlation(&|y| -y * y * y) - 1.0).abs() < 1e-12);
        // zeros are values too: 60 labels are below 0
        let halves = correlation(&|y| f64::from(y >= 0.0));
        assert!((0.5..0.9).contains(&halves), "{halves}");
        assert!(correlation(&|y| libm::sin(y * 1.7)) < 0.1);
        assert!((label.alike - 1.0 / 200.0).abs() < 1e-12);
    }
}
