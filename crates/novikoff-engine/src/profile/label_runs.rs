//! Whether rows come sorted by their labels: runs of equal labels, against those of a random order.
//!
//! Memory: a count per kind of labels, up to [`KINDS`] kinds. Rows of further kinds count as if each occurred once.

use std::collections::HashMap;

use novikoff::remark::{LabelOrder, Remark};

/// Kinds of labels that are counted apart.
const KINDS: usize = 1 << 16;

/// Rows are not said to be sorted below this many.
const LEAST_ROWS: u64 = 100;

/// Rows are sorted if they have less than this share of the runs of a random order.
const SHARE: f64 = 0.1;

/// Rows follow each other if they have less than this share of the runs of a random order,
const FOLLOWING: f64 = 0.5;

/// and are not just sorted: there are more runs than this many per label.
const RUNS_PER_LABEL: u64 = 5;

/// Counts runs of equal labels.
#[derive(Debug, Default)]
pub(crate) struct LabelRuns {
    last: Option<u64>,
    runs: u64,
    rows: u64,
    /// Rows by kind, of kinds with small numbers and of others.
    small: Vec<u64>,
    others: HashMap<u64, u64>,
    /// Rows of kinds that are not counted apart.
    single: u64,
}

impl LabelRuns {
    /// A row of a kind: rows with equal labels are of the same kind.
    pub(crate) fn row(&mut self, kind: u64) {
        self.rows += 1;
        if self.last != Some(kind) {
            (self.last, self.runs) = (Some(kind), self.runs + 1);
        }
        if kind < KINDS as u64 {
            let place = kind as usize;
            if place >= self.small.len() {
                self.small.resize(place + 1, 0);
            }
            self.small[place] += 1;
        } else if let Some(count) = self.others.get_mut(&kind) {
            *count += 1;
        } else if self.others.len() < KINDS {
            self.others.insert(kind, 1);
        } else {
            self.single += 1;
        }
    }

    fn expected(&self) -> f64 {
        // in order of size, so that the sum does not depend on the hash table
        let mut counts: Vec<u64> = self.others.values().copied().collect();
        counts.sort_unstable();
        let counts = self.small.iter().chain(&counts).copied();
        expected_runs(self.rows, counts) - self.single as f64 / self.rows as f64
    }

    pub(super) fn remark(&self) -> Option<Remark> {
        remark_on(self.runs, self.rows, self.expected())
    }

    /// How labels follow each other, if they do: those of rows in time, or of several rows per person. Rows that are sorted by label, or some sorted
    /// files one behind the other, have fewer runs.
    pub(crate) fn following(&self) -> Option<LabelOrder> {
        let few = self.small.iter().filter(|rows| **rows > 0).count();
        let kinds = (few + self.others.len()) as u64 + self.single;
        let order = LabelOrder {
            runs: self.runs,
            expected: self.expected(),
            rows: self.rows,
        };
        let follow = (self.runs as f64) < FOLLOWING * order.expected;
        (self.rows >= LEAST_ROWS && follow && self.runs > RUNS_PER_LABEL * kinds).then_some(order)
    }
}

/// The runs of a random order of rows, on average, by the rows of each kind: 1 + n (1 - the sum of the squared shares).
pub(crate) fn expected_runs(rows: u64, counts: impl Iterator<Item = u64>) -> f64 {
    let n = rows as f64;
    let square = |count: u64| {
        let share = count as f64 / n;
        share * share
    };
    1.0 + n * (1.0 - counts.map(square).sum::<f64>())
}

/// The remark on rows that have these runs of equal labels, where a random order has `expected`.
pub(crate) fn remark_on(runs: u64, rows: u64, expected: f64) -> Option<Remark> {
    let is_sorted = rows >= LEAST_ROWS && (runs as f64) < SHARE * expected;
    is_sorted.then_some(Remark::Sorted {
        runs,
        expected,
        rows,
    })
}

#[cfg(test)]
mod tests {
    use novikoff::random::SplitMix64;

    use super::{KINDS, LabelRuns};

    fn of(kinds: impl IntoIterator<Item = u64>) -> LabelRuns {
        let mut runs = LabelRuns::default();
        kinds.into_iter().for_each(|kind| runs.row(kind));
        runs
    }

    #[test]
    fn sorted_rows_are_noticed() {
        let half = |n: u64| (0..n).map(move |i| u64::from(2 * i >= n));
        let runs = of(half(100));
        assert_eq!((runs.runs, runs.expected()), (2, 51.0));
        assert!(runs.remark().is_some());
        assert!(of(half(98)).remark().is_none(), "too few rows");
        assert!(of((0..100).map(|i| i % 2)).remark().is_none());
        assert!(of((0..1000).map(|_| 0)).remark().is_none(), "one label");
        // 6 runs are more than a tenth of 51, 4 are not
        assert!(of((0..100).map(|i| i / 17 % 2)).remark().is_none());
        assert!(of((0..100).map(|i| i / 25 % 2)).remark().is_some());
        let mut random = SplitMix64::new(3);
        let rows: Vec<u64> = (0..2000).map(|_| random.below(7) as u64).collect();
        assert!(of(rows.iter().copied()).remark().is_none());
        let mut sorted = rows;
        sorted.sort_unstable();
        // large numbers, as those of sets of labels
        assert!(
            of(sorted.iter().map(|kind| kind | 1 << 63))
                .remark()
                .is_some()
        );
    }

    #[test]
    fn rows_that_follow_each_other_are_noticed() {
        let runs_of = |length: u64| of((0..1000).map(|i| i / length % 2)).following();
        let found = runs_of(8).map(|order| (order.runs, order.errors_of_row_before()));
        assert_eq!(found, Some((125, 124)));
        assert_eq!(runs_of(3), None, "333 runs are more than half of 501");
        assert_eq!(runs_of(500), None, "sorted by label");
        assert_eq!(runs_of(100), None, "five sorted files");
        let mut random = SplitMix64::new(3);
        let rows = (0..2000).map(|_| random.below(3) as u64);
        assert_eq!(of(rows).following(), None);
    }

    #[test]
    fn memory_is_bounded() {
        let rows = 3 * KINDS as u64;
        let runs = of((0..rows).map(|i| i | 1 << 63));
        assert_eq!(runs.others.len(), KINDS);
        let exact = 1.0 + rows as f64 - 1.0;
        assert!((runs.expected() - exact).abs() < 1e-6 * exact);
    }
}
