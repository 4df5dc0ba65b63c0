//! The order of the rows in a pass: random, and different for each pass.
//!
//! Where rows are more than a cache holds, jumping about among them costs more than working on them. If they are
//! sparse as well, so that neighbours have little to do with each other, rows are visited in groups of neighbours:
//! the groups in random order, the rows of a group one after another. Elsewhere groups would cost passes.
//! Paper: docs/theory/dual.md#algorithm-1.

use super::problem::Problem;
use crate::random::SplitMix64;

/// Rows in a group, where there are groups.
const GROUP: usize = 16;

/// Problems of this many values are in the cache.
const CACHED: usize = 1 << 17;

/// How many neighbours are visited together: depends on the problem alone.
pub(crate) fn group_of(problem: &Problem<'_>) -> usize {
    if problem.is_sparse() && problem.values() > CACHED {
        GROUP
    } else {
        1
    }
}

/// The orders of passes.
pub(crate) struct PassOrders {
    /// None: rows are visited as they come.
    generator: Option<SplitMix64>,
    group: usize,
}

impl PassOrders {
    pub(crate) fn new(seed: u64, group: usize) -> Self {
        let generator = Some(SplitMix64::new(seed));
        PassOrders { generator, group }
    }

    /// The order of the data in every pass.
    pub(crate) fn of_data() -> Self {
        PassOrders {
            generator: None,
            group: 1,
        }
    }

    /// The next order of `rows`, which increase.
    pub(crate) fn next(&mut self, rows: &[u32]) -> Vec<u32> {
        let Some(generator) = &mut self.generator else {
            return rows.to_vec();
        };
        if self.group == 1 {
            let mut order = rows.to_vec();
            generator.shuffle(&mut order);
            return order;
        }
        let mut groups: Vec<&[u32]> = rows.chunks(self.group).collect();
        generator.shuffle(&mut groups);
        let mut order = Vec::with_capacity(rows.len());
        for group in groups {
            order.extend_from_slice(group);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_every_row_once() {
        for (n, group) in [(0, 32), (1, 32), (31, 32), (100, 32), (100, 1), (97, 16)] {
            let rows: Vec<u32> = (0..n).map(|i| 3 * i).collect();
            let mut orders = PassOrders::new(1, group);
            let (first, second) = (orders.next(&rows), orders.next(&rows));
            assert!(n < 3 * group as u32 || first != second);
            for mut order in [first, second] {
                order.sort_unstable();
                assert_eq!(order, rows);
            }
        }
    }

    #[test]
    fn groups_stay_together() {
        let rows: Vec<u32> = (0..320).collect();
        let order = PassOrders::new(2, 32).next(&rows);
        for group in order.chunks(32) {
            assert!(group.iter().zip(group[0]..).all(|(i, k)| *i == k));
        }
        let firsts: Vec<u32> = order.chunks(32).map(|group| group[0] / 32).collect();
        assert!(!firsts.is_sorted());
    }
}
