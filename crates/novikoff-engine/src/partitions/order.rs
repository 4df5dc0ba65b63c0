//! Whether the rows of partitions come sorted by label: an online learner visits them in their order.

use std::collections::BTreeMap;

use novikoff::remark::Remark;

use super::packed::BlockFacts;
use crate::profile::label_runs::{expected_runs, remark_on};

/// Rows that come sorted by label.
#[derive(Clone, Debug, PartialEq)]
pub enum SortedRows {
    /// Those of some partitions.
    Inside {
        /// The first of these partitions.
        partition: u64,
        /// How many there are.
        partitions: usize,
        /// On the first.
        remark: Remark,
    },
    /// No partition is sorted, but all partitions together are: most of them have rows of one label only.
    Across {
        /// On the rows of all partitions, one partition after the other.
        remark: Remark,
    },
}

/// How labels follow one another.
#[derive(Default)]
struct Order<'f> {
    counts: BTreeMap<&'f str, u64>,
    runs: u64,
    last: Option<&'f str>,
}

impl<'f> Order<'f> {
    fn add(&mut self, block: &'f BlockFacts) {
        for (label, count) in &block.labels {
            *self.counts.entry(label).or_default() += count;
        }
        let text = |place: u32| block.labels.get(place as usize).map(|(text, _)| &**text);
        if let Some((first, last)) = block.ends {
            // a run may go on from block to block
            let goes_on = self.last.is_some() && self.last == text(first);
            self.runs += block.runs - u64::from(goes_on);
            self.last = text(last);
        }
    }

    fn remark(&self) -> Option<Remark> {
        let rows = self.counts.values().sum();
        let expected = expected_runs(rows, self.counts.values().copied());
        remark_on(self.runs, rows, expected)
    }
}

/// Whether rows come sorted by label, by the facts of the blocks of all partitions, in their order.
pub fn sorted_rows(blocks: &[(u64, BlockFacts)]) -> Option<SortedRows> {
    let mut partitions: BTreeMap<u64, Order<'_>> = BTreeMap::new();
    let mut all = Order::default();
    for (partition, block) in blocks {
        partitions.entry(*partition).or_default().add(block);
        all.add(block);
    }
    let found = partitions.iter();
    let found = found.filter_map(|(&partition, order)| Some((partition, order.remark()?)));
    let mut found: Vec<(u64, Remark)> = found.collect();
    if found.is_empty() {
        return all.remark().map(|remark| SortedRows::Across { remark });
    }
    let count = found.len();
    let (partition, remark) = found.swap_remove(0);
    Some(SortedRows::Inside {
        partition,
        partitions: count,
        remark,
    })
}
