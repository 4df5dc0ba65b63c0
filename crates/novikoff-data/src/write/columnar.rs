//! Rows as Parquet and Arrow IPC.
