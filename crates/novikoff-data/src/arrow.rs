//! Arrow record batches as rows, without a file: for programs that have them in memory.
//!
//! [`BatchRows`] reads columns by the rules for Parquet files in `docs/formats.md`.

pub use crate::columnar::{BatchRows, StreamBatches, StreamLimits};
