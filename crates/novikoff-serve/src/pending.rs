//! Rows that were predicted and wait for their labels.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use novikoff_data::named_rows::NamedRows;

/// How many rows may wait, and how long.
#[derive(Clone, Copy, Debug)]
pub struct PendingLimits {
    /// Rows.
    pub rows: usize,
    /// Bytes, about.
    pub bytes: usize,
    /// Time.
    pub expiry: Duration,
}

struct PendingRow {
    since: Instant,
    rows: Arc<NamedRows>,
    row: usize,
    bytes: usize,
}

/// Rows that wait, by id. The oldest go first.
pub struct PendingRows {
    limits: PendingLimits,
    /// Different in every process, so that an id of an earlier one is never taken for another row.
    process: u64,
    next: u64,
    rows: HashMap<u64, PendingRow>,
    order: VecDeque<u64>,
    bytes: usize,
}

impl PendingRows {
    /// None yet.
    pub fn new(limits: PendingLimits, process: u64) -> Self {
        PendingRows {
            limits,
            process,
            next: 0,
            rows: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Keeps all rows of a request; gives their ids.
    pub fn keep(&mut self, rows: &Arc<NamedRows>) -> Vec<String> {
        let bytes = rows.bytes() / rows.len().max(1);
        let since = Instant::now();
        let ids = (0..rows.len()).map(|row| {
            let number = self.next;
            self.next += 1;
            self.rows.insert(
                number,
                PendingRow {
                    since,
                    rows: Arc::clone(rows),
                    row,
                    bytes,
                },
            );
            self.order.push_back(number);
            self.bytes += bytes;
            format!("{:016x}-{number}", self.process)
        });
        let ids = ids.collect();
        self.expire();
        ids
    }

    /// The row of an id.
    pub fn get(&mut self, id: &str) -> Option<(Arc<NamedRows>, usize)> {
        self.expire();
        let (process, number) = id.split_once('-')?;
        if u64::from_str_radix(process, 16) != Ok(self.process) {
            return None;
        }
        let pending = self.rows.get(&number.parse().ok()?)?;
        Some((Arc::clone(&pending.rows), pending.row))
    }

    fn expire(&mut self) {
        let PendingLimits {
            rows,
            bytes,
            expiry,
        } = self.limits;
        while let Some(oldest) = self.order.front() {
            let is_old = self
                .rows
                .get(oldest)
                .is_none_or(|row| row.since.elapsed() >= expiry);
            if !is_old && self.rows.len() <= rows && self.bytes <= bytes {
                return;
            }
            if let Some(gone) = self.rows.remove(oldest) {
                self.bytes -= gone.bytes;
            }
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use novikoff::names::Names;
    use novikoff::row::Row;
    use novikoff::rows::Rows;

    fn three() -> Arc<NamedRows> {
        let mut rows = Rows::new();
        (0..3).for_each(|_| rows.add("a", Row::dense(&[1.0, 2.0])));
        Arc::new(NamedRows::new(Names::new(), rows))
    }

    #[test]
    fn rows_wait_within_the_limits() {
        let limits = PendingLimits {
            rows: 4,
            bytes: 1 << 20,
            expiry: Duration::from_secs(60),
        };
        let mut pending = PendingRows::new(limits, 7);
        let first = pending.keep(&three());
        let second = pending.keep(&three());
        assert!(pending.get(&first[0]).is_none() && pending.get(&first[1]).is_none());
        assert_eq!(pending.get(&first[2]).map(|(_, row)| row), Some(2));
        assert_eq!(pending.get(&second[1]).map(|(_, row)| row), Some(1));
        for foreign in ["", "0", "-", "8-2", "0000000000000008-3", "x-1"] {
            assert!(pending.get(foreign).is_none(), "{foreign}");
        }
    }

    #[test]
    fn rows_expire() {
        let limits = PendingLimits {
            rows: 4,
            bytes: 1 << 20,
            expiry: Duration::ZERO,
        };
        let mut pending = PendingRows::new(limits, 7);
        let ids = pending.keep(&three());
        assert!(pending.get(&ids[2]).is_none());
        let limits = PendingLimits {
            rows: 4,
            bytes: 1,
            expiry: Duration::from_secs(60),
        };
        let mut pending = PendingRows::new(limits, 7);
        let ids = pending.keep(&three());
        assert!(pending.get(&ids[0]).is_none());
    }
}
