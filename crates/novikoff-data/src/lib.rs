//! Readers, generators and the model file: everything of novikoff that touches bytes on disk.
//!
//! No algorithm is known here by name.

pub mod arrow;
pub mod atomic;
pub mod blocks;
pub mod cache;
mod columnar;
pub mod container;
pub mod csv;
mod dates;
pub mod digits;
mod draft;
pub mod error;
pub mod folder;
pub mod gaps;
pub mod generate;
mod gzip;
mod header_records;
mod input;
pub mod interrupt;
pub mod json;
pub mod kinds;
mod live_schema;
pub mod means;
pub mod model;
pub mod named_rows;
pub mod options;
pub mod row_builder;
pub mod scan;
mod sniff;
mod stored_table;
pub mod svmlight;
mod text;
mod usual;
pub mod vw;
pub mod whole_text;
mod word_label;
pub mod write;
