//! What the fuzz targets call: one function each, which takes any bytes.
//!
//! An entry panics when something is wrong with novikoff, and only then. Besides not panicking by
//! itself, the code it calls must keep its promises: rows, names and errors do not depend on how the
//! input is cut; what is accepted is finite and in order; what is written is read back the same. The
//! tests of this crate call the same functions on the corpora, and on some mutations of them.

#![allow(clippy::missing_panics_doc)] // all do, as said above

mod cache;
mod compressed;
mod container;
mod folder;
mod generator;
pub mod memory;
mod model;
mod options;
mod plain;
mod process;
mod scan;
mod service;
mod spec;
mod story;
mod text;

pub use cache::cache;
pub use compressed::compressed;
pub use container::container;
pub use generator::generator;
pub use model::{model, recipe};
pub use options::options;
pub use scan::scan;
pub use service::{body, body_arrow, log_record, log_segment};
pub use spec::spec;
pub use text::{arrow, csv, json, parquet, sniff, svmlight, vw};

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its file in `fuzz_targets`, and of its folder in `corpus`.
    pub name: &'static str,
    /// Its entry.
    pub run: fn(&[u8]),
}

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    target("arrow", arrow),
    target("body", body),
    target("body_arrow", body_arrow),
    target("cache", cache),
    target("compressed", compressed),
    target("container", container),
    target("csv", csv),
    target("generator", generator),
    target("json", json),
    target("log_record", log_record),
    target("log_segment", log_segment),
    target("model", model),
    target("options", options),
    target("parquet", parquet),
    target("scan", scan),
    target("sniff", sniff),
    target("spec", spec),
    target("svmlight", svmlight),
    target("vw", vw),
];

/// Decides what is done for some inputs only: the same for the same input, and evenly spread.
fn draw(data: &[u8]) -> u32 {
    crc32fast::hash(data)
}
