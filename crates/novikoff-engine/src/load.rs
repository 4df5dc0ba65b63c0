//! All rows of some data, read into memory for a door that hands them out as arrays.

use novikoff::names::Names;
use novikoff::rows::Rows;

use crate::data::Data;
use crate::error::memory_or;
use crate::events::{Context, RemarkLog};
use crate::labels::Unlabelled;
use crate::options::RowOptions;
use crate::{Error, StoppedWhile};

/// Data to be read.
#[derive(Clone, Debug)]
pub struct Load {
    /// The rows.
    pub data: Data,
    /// How they are read.
    pub rows: RowOptions,
}

/// What was read.
pub struct LoadedRows {
    /// The rows, without the constant feature; feature j is in slot j, counted from 1.
    pub rows: Rows,
    /// The names of the features, where they are not their numbers.
    pub names: Names,
    /// The highest feature.
    pub width: u32,
}

impl Load {
    /// Reads it.
    pub fn run(&self, context: Context<'_>) -> Result<LoadedRows, Error> {
        let log = RemarkLog::default();
        let context = context.logging(&log);
        let mut reading = self.rows.reading(None, context);
        reading.options.unlabelled = true;
        self.data.measure(&mut reading)?;
        let memory = self.rows.memory;
        let held = self
            .data
            .load(&reading, memory, Unlabelled::Rows, context)?;
        if context.interrupt.is_requested() {
            return Err(Error::Stopped(StoppedWhile::Reading));
        }
        let (schema, width) = (std::sync::Arc::clone(&held.schema), held.width());
        let rows = held.into_memory().ok_or_else(|| {
            let limit = memory >> 20;
            let what = format!("the rows take more than the {limit} MB allowed");
            Error::refused(what, memory_or("learn from the file itself"))
        })?;
        Ok(LoadedRows {
            rows,
            names: schema.names.clone(),
            width,
        })
    }
}
