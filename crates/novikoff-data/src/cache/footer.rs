//! What a cache says about its rows as a whole.

use serde::{Deserialize, Serialize};

use super::origin::Origin;
use crate::stored_table::StoredTable;

/// The end of a file, in postcard.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Footer<'a> {
    pub(super) rows: u64,
    pub(super) values: u64,
    /// The highest feature, explicit zeros included.
    pub(super) width: u32,
    /// How many blocks there are, and the CRC-32 of their directory.
    pub(super) blocks: u64,
    pub(super) directory_crc: u32,
    pub(super) names: CachedNames,
    /// Rows have the constant feature of a run in slot 0: temporary files only.
    pub(super) constant: bool,
    /// svmlight text counted its features from 0.
    pub(super) zero_based: bool,
    pub(super) table: Option<StoredTable<'a>>,
    pub(super) origin: Option<Origin>,
}

/// What there is about names besides the names.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct CachedNames {
    /// How many, the bytes they have, and the CRC-32 of their arrays.
    pub(super) count: u64,
    pub(super) text: u64,
    pub(super) crc: u32,
    /// The highest slot given.
    pub(super) highest: u32,
    /// The bits of a slot, if slots are hashes.
    pub(super) bits: Option<u32>,
    /// How many names share their slot with an earlier one.
    pub(super) collisions: u64,
}
