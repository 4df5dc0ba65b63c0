//! Arrow record batches as rows, without a file: for programs that have them in memory.
//!
//! [`BatchRows`] reads columns as `--data FILE.parquet` does; `docs/formats.md` has the rules.

pub use crate::columnar::BatchRows;
