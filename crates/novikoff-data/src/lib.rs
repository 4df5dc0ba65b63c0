//! Readers, generators and the model file: everything of novikoff that touches bytes on disk.
//!
//! No algorithm is known here by name.

pub mod atomic;
pub mod blocks;
pub mod container;
pub mod digits;
pub mod error;
pub mod generate;
pub mod model;
pub mod scan;
pub mod svmlight;
pub mod write;
