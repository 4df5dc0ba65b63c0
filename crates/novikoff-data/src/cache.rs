//! Our own binary cache of rows: memory-mapped, checked, as fast as memory.
//!
//! All integers are little-endian, nothing is compressed, and a file is written in one pass:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `NVKROWS` and a newline |
//! | 4 | format version, `u32`: 1 |
//! | 52 | zeros |
//! | | the blocks of rows, in order, one right behind the other |
//! | | the names of features: slots `u32`, where each name ends `u64`, the names in UTF-8 |
//! | | of rows with text: how many rows have each word, `u32` per slot from 0 on |
//! | 64 per block | the directory, see below |
//! | n | the footer, see below |
//! | 8, 8, 4 | offset and length of the footer, `u64`; its CRC-32 (IEEE, as gzip has it) |
//! | 8 | a newline, `NVKEND` and a newline |
//!
//! A block, and so the names, are arrays. Each begins at a multiple of 64 in the file; zeros fill the
//! gaps, also behind the last. The arrays of a block are those of [`novikoff::rows::Block`], in this
//! order:
//!
//! | array | type | how many |
//! | --- | --- | --- |
//! | where the values of each row end | `u64` | rows |
//! | where the labels of each row end | `u64` | rows |
//! | the line of each row in its input, counted from 0 | `u64` | rows |
//! | labels as numbers, NaN for what is none | `f64` | labels |
//! | where the text of each label ends | `u64` | labels |
//! | weights | `f32` | rows, or none if all are 1 |
//! | slots, increasing in a row, without the constant feature | `u32` | values |
//! | values, finite and not 0 | `f32` | values |
//! | labels as written | bytes | as many as their text has |
//!
//! and each entry of the directory is
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | number of the first row, `u64` |
//! | 8, 8 | offset and length of the block, `u64` |
//! | 8, 8, 8 | how many values, labels, bytes of labels, `u64` |
//! | 4 | how many rows, `u32`: not 0 |
//! | 4 | the highest feature, explicit zeros included, `u32` |
//! | 4 | CRC-32 of the block's bytes |
//! | 4 | 1 if there are weights, 0 if not, `u32` |
//!
//! The footer has, in this order, in postcard's variable-length integers:
//!
//! | what | type |
//! | --- | --- |
//! | how many rows, how many values | `u64`, `u64` |
//! | the highest feature, explicit zeros included | `u32` |
//! | how many blocks, CRC-32 of the directory | `u64`, `u32` |
//! | how many names, the bytes of their text, CRC-32 of their arrays | `u64`, `u64`, `u32` |
//! | the highest slot given; the bits of a slot, if slots are hashes; names that share a slot | `u32`, optional `u32`, `u64` |
//! | whether rows have the constant feature of a run in slot 0, as those of temporary files do | `bool` |
//! | whether svmlight text counted its features from 0 | `bool` |
//! | the table the rows came from: the label's column; names of the others, and whether they are categories | optional: optional text, list of (text, `bool`) |
//! | what the rows were read from, for a cache that is kept beside it: see [`Origin`] | optional |
//!
//! Behind it come named records, if there is something to put there: `table`, what else the table is; `text`, the columns of text with
//! the rows of each, and how many slots the counts of words have, with their CRC-32.
//!
//! The CRCs decide whether a file is intact. Still, an intact file may have been made by anybody:
//! every length is compared with the file's before it is used, and the rows of a block are looked
//! through, once, before the first of them is lent out.

mod ahead;
mod check;
mod dictionary;
mod file;
mod fill;
mod footer;
#[cfg(test)]
mod forged;
mod layout;
mod map;
mod origin;
mod parts;
mod stream;
mod word_counts;
mod write;

use novikoff::remedy::{Complaint, Hint, Remedy, Setting};

pub use file::CacheFile;
pub use origin::{Origin, beside};
pub(crate) use stream::CacheStream;
pub use write::{CacheContents, CacheWriter};

/// The newest format this program writes and reads.
pub const VERSION: u32 = 1;

/// What a file ends with.
const END: &[u8; 8] = b"\nNVKEND\n";

/// What stands behind the footer: its offset, its length, its CRC, the mark.
const TAIL: usize = 28;

/// The longest footer: columns of a table and names of input files are all that can be long in it.
const MAX_FOOTER: usize = 16 << 20;

/// The complaint about a file that is not as it should be.
fn make_again(what: impl Into<String>) -> Complaint {
    Complaint::new(what, Remedy::hint(Hint::MakeCache))
}

/// The complaint about a file that does not begin as a cache does.
fn no_cache() -> Complaint {
    let what = "not a novikoff cache of rows, which begins with NVKROWS";
    let remedy = Remedy::leave_out(&[Setting::Format]).aim("to have it recognised");
    Complaint::new(what, remedy)
}

/// Arrays are used as they lie in the file.
const FOREIGN: &str =
    "this machine is big-endian, and caches are little-endian; use another format";
