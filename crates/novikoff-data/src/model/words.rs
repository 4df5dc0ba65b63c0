//! Statistics of words in a model file: a record with the rows per column, and an array with the rows per word.

use std::sync::Arc;

use novikoff::state::State;
use novikoff::text_statistics::TextStatistics;

use crate::header_records::Records;

/// The names of a record and of an array.
pub(super) struct Place {
    record: &'static str,
    array: &'static str,
}

/// Where the counts of the rows so far are kept.
pub(super) const SO_FAR: Place = Place {
    record: "text",
    array: "text/rows-with-word",
};

/// Where the counts of the rows before a run that was saved in the middle are kept.
pub(super) const BEFORE_RUN: Place = Place {
    record: "text-before-run",
    array: "text/rows-with-word-before-run",
};

impl Place {
    /// Puts the rows per column into the records, and the rows per word into the state, which borrows them.
    pub(super) fn put<'m>(
        &self,
        text: &'m TextStatistics,
        records: &mut Records,
        state: &mut State<'m>,
    ) -> Result<(), postcard::Error> {
        if text.is_empty() {
            return Ok(());
        }
        records.put(self.record, &text.columns())?;
        state.put_u32(self.array, text.having());
        Ok(())
    }

    /// Takes them out. `highest` is the highest slot there is.
    pub(super) fn take(
        &self,
        highest: u32,
        records: &mut Records,
        state: &mut State<'static>,
    ) -> Result<Arc<TextStatistics>, String> {
        let Some(columns) = records.take::<Vec<(String, u64)>>(self.record)? else {
            return Ok(Arc::default());
        };
        let having = state
            .take_u32(self.array)
            .map_err(|error| error.to_string())?;
        if having.len() > highest as usize + 1 {
            return Err("statistics of words that do not fit their slots".to_owned());
        }
        Ok(Arc::new(TextStatistics::restore(columns, having)))
    }
}
