//! All tests of the crate in one binary: a cold build links once. Files that need a process of their own are named in Cargo.toml.

mod batch_rows;
mod cache;
mod calibrated;
mod columnar;
mod columnar_common;
mod columnar_damage;
mod columnar_messages;
mod columnar_write;
mod container;
mod csv;
mod csv_blocks;
mod csv_columns;
mod csv_common;
mod csv_write;
mod experiments;
mod generate;
mod json;
mod model_bytes;
mod old_models;
mod svmlight;
mod svmlight_blocks;
mod svmlight_numbers;
mod svmlight_threads;
mod table_formats;
mod vw;
