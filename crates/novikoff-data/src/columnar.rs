//! Parquet and Arrow IPC.

use std::sync::{Arc, RwLock};

use novikoff::names::Names;
use novikoff::table::Table;

use crate::draft::Draft;
use crate::error::DataError;
use crate::input::Opened;
use crate::options::ReadOptions;

/// Batches of one input as rows, decoded ahead by other threads.
pub(crate) struct Columnar {
    table: Table,
}

impl Columnar {
    /// Looks at the columns.
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

    /// What the columns are.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// The next rows; `spare` is memory to use. Lines are row numbers, counted from 0 in the input.
    pub(crate) fn next(&mut self, _spare: Draft) -> Result<Option<Draft>, DataError> {
        Ok(None)
    }
}
