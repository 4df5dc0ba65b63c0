//! Columns of categories that stand for ranges of a label that is a quantity, such as `cheap`, `middle` and `dear` beside a price.
//!
//! Of ranks, categories that are ranges of the label leave the sum of the cubes of their shares of the rows as variance within them, times that of all
//! ranks, and no categories leave less. Other columns leave far more of it, however well they predict the label.

use std::collections::BTreeMap;

use novikoff::remark::{LabelRemark, Looked, Remark};

use super::leakage::families::{Families, Kind};
use crate::rows::HeldRows;

/// Categories are ranges of the label if they explain this share of what ranges of their sizes explain,
const EXPLAINED: f64 = 0.95;

/// which is at least this share of the variance,
const LEAST: f64 = 0.5;

/// and have this many rows each, on average: else chance explains some of it.
const ROWS_EACH: usize = 20;

/// How many columns are remarked on.
const NAMED: usize = 3;

/// What is known of the rows of one category.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    rows: f64,
    /// The sum of their ranks.
    sum: f64,
}

/// Remarks on such columns: some of the rows, and the ranks of their labels, less their mean.
pub(super) fn remarks(held: &HeldRows, rows: &[usize], ranks: &[f64]) -> Vec<Remark> {
    let Some(table) = &held.schema.table else {
        return Vec::new();
    };
    let families = Families::of(&held.schema, table);
    let mut groups: Vec<BTreeMap<usize, Group>> = vec![BTreeMap::new(); families.list.len()];
    for (&row, &rank) in rows.iter().zip(ranks) {
        let (block, place) = held.at(row);
        for (slot, _) in block.row(place).iter().filter(|(_, value)| *value != 0.0) {
            let family = families.of_slot(slot);
            let family = family.filter(|&place| families.list[place].kind == Kind::Category);
            if let Some(family) = family {
                let group = groups[family].entry(slot).or_default();
                group.rows += 1.0;
                group.sum += rank;
            }
        }
    }
    let found = families.list.iter().zip(groups).filter(|(_, groups)| {
        let groups: Vec<Group> = groups.values().copied().collect();
        are_bands(&groups, ranks.len() as f64)
    });
    let remarks = found.map(|(family, groups)| {
        Remark::Label(LabelRemark::Bands {
            column: table.columns[family.column].name.clone(),
            values: groups.len() as u64,
            looked: Looked {
                rows: rows.len() as u64,
                is_first: false,
            },
        })
    });
    remarks.take(NAMED).collect()
}

/// Whether categories are ranges: their rows, of `n` in all. Rows without a category are one more.
fn are_bands(groups: &[Group], n: f64) -> bool {
    let filled: f64 = groups.iter().map(|group| group.rows).sum();
    let others = Group {
        rows: n - filled,
        sum: -groups.iter().map(|group| group.sum).sum::<f64>(),
    };
    let all = groups.iter().copied().chain([others]);
    let all: Vec<Group> = all.filter(|group| group.rows > 0.0).collect();
    if all.len() < 2 || (all.len() * ROWS_EACH) as f64 > n {
        return false;
    }
    let between: f64 = all
        .iter()
        .map(|group| group.sum * group.sum / group.rows)
        .sum();
    let cubes: f64 = all.iter().map(|group| (group.rows / n).powi(3)).sum();
    let by_ranges = 1.0 - cubes;
    // ranks that all differ have this sum of squares; equal ones have less
    let squares = n * n * n / 12.0;
    by_ranges >= LEAST && between >= EXPLAINED * by_ranges * squares
}

#[cfg(test)]
mod tests {
    use super::{Group, are_bands};

    fn of(groups: &[(f64, f64)], n: f64) -> bool {
        let groups = groups.iter().map(|&(rows, mean)| Group {
            rows,
            sum: rows * mean,
        });
        let groups: Vec<Group> = groups.collect();
        are_bands(&groups, n)
    }

    #[test]
    fn ranges_of_ranks_are_bands() {
        // 300 ranks from -150 to 150 in three ranges
        assert!(of(&[(100.0, -100.0), (100.0, 0.0), (100.0, 100.0)], 300.0));
        // the rows without a category are the middle range
        assert!(of(&[(100.0, -100.0), (100.0, 100.0)], 300.0));
        // ranges that overlap by half
        assert!(!of(&[(100.0, -70.0), (100.0, 0.0), (100.0, 70.0)], 300.0));
        // two labels, half of the rows each, and categories that are right in 94 of 100
        assert!(!of(&[(150.0, -66.0), (150.0, 66.0)], 300.0));
        // one category for nearly all rows
        assert!(!of(&[(20.0, -140.0), (280.0, 10.0)], 300.0));
        // too few rows per category
        let few: Vec<(f64, f64)> = (0..30)
            .map(|k| (10.0, f64::from(k) * 10.0 - 145.0))
            .collect();
        assert!(!of(&few, 300.0));
    }
}
