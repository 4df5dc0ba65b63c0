//! Our own binary cache of rows.

use std::sync::{Arc, RwLock};

use novikoff::names::Names;
use novikoff::rows::Block;
use novikoff::table::Table;

use crate::error::DataError;
use crate::input::Opened;
use crate::options::ReadOptions;

/// A cache read as a stream of blocks.
pub(crate) struct CacheStream {
    table: Option<Table>,
}

impl CacheStream {
    /// Maps the file and starts to check its blocks.
    pub(crate) fn open(
        opened: Opened,
        _options: &Arc<ReadOptions>,
        _names: &Arc<RwLock<Names>>,
        _threads: usize,
    ) -> Result<Self, DataError> {
        Err(DataError::Content {
            file: opened.name,
            what: "this version does not read this format".to_owned(),
        })
    }

    /// The columns of the table the rows came from, if they did.
    pub(crate) fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// Makes the next block the current one. False at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, DataError> {
        Ok(false)
    }

    /// The current block.
    pub(crate) fn block(&self) -> Block<'_> {
        Block::default()
    }
}
