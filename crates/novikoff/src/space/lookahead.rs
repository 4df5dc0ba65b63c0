//! Rows that are known before their trials.

use super::{SharedValues, StoredRows};

/// Rows whose trials come next, and the ids of those that may come again.
#[derive(Clone, Debug, Default)]
pub struct UpcomingRows {
    /// The rows.
    pub rows: StoredRows,
    /// One id per row.
    pub ids: Vec<Option<u64>>,
}

/// Work on rows before their trials. It changes no result.
pub trait Lookahead {
    /// How many rows before their trials are worth knowing; 0 if none.
    fn lookahead(&self) -> usize {
        0
    }

    /// Rows whose trials come next, in this order; some may be left out.
    fn prefetch(&mut self, _rows: UpcomingRows, _threads: usize) {}

    /// Bytes that may hold what was computed of rows that may come again.
    fn set_cache_bytes(&mut self, _bytes: usize) {}

    /// Takes what was computed from learners that were given the same pool, and lets them have its own. They must get the same rows, block
    /// by block.
    #[doc(hidden)] // for runs of several learners
    fn share_values(&mut self, _values: &SharedValues) {}
}
