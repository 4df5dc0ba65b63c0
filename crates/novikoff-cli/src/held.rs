//! Rows that are held, so that they can be visited in any order, more than once.

use novikoff::label::RawLabel;
use novikoff::model::TrialError;
use novikoff::names::Names;
use novikoff::rows::{Block, Rows};
use novikoff::run::Stopped;
use novikoff::table::Table;
use novikoff_data::blocks::{Place, Reader, Skipped};

use crate::error::Failure;

/// All rows of some data, and what is known about them.
#[derive(Default)]
pub(crate) struct Held {
    pub(crate) rows: Rows,
    /// Where a block's rows end, its file, and the line of its first row.
    places: Vec<(usize, String, u64)>,
    /// The names of the features.
    pub(crate) names: Names,
    /// The columns, if it was a table.
    pub(crate) table: Option<Table>,
    /// The lines passed over.
    pub(crate) skipped: Skipped,
}

impl Held {
    /// Adds a block, if the rows may take that much memory.
    pub(crate) fn append(&mut self, block: Block<'_>, limit: u128) -> Result<(), Failure> {
        // eight bytes a value, some sixty a row for its ends, label and line
        let values = (self.rows.values() + block.values()) as u128;
        let needed = 8 * values + 60 * (self.rows.len() + block.len()) as u128;
        if needed > limit {
            return Err(format!("the rows take more than {} MB, and this run holds them in memory; raise --max-memory, or make one pass in order", limit >> 20).into());
        }
        self.rows.append(block, 0);
        Ok(())
    }

    /// Where the first row of the block added last came from.
    pub(crate) fn note(&mut self, place: Place) {
        self.places.push((self.rows.len(), place.file, place.line));
    }

    /// Keeps what a reader found out besides the rows.
    pub(crate) fn about(&mut self, reader: &Reader) {
        self.names = reader.names().clone();
        self.table = reader.table().cloned();
        self.skipped = reader.skipped().clone();
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The highest feature number.
    pub(crate) fn width(&self) -> u32 {
        self.rows.width()
    }

    /// All rows, block by block.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        [self.rows.view()].into_iter()
    }

    /// The only block, if there is but one.
    pub(crate) fn single(&self) -> Option<Block<'_>> {
        Some(self.rows.view())
    }

    /// The block that has row `i`, and its place there.
    pub(crate) fn at(&self, i: usize) -> (Block<'_>, usize) {
        (self.rows.view(), i)
    }

    /// The labels of each row.
    pub(crate) fn labels(&self) -> impl Iterator<Item = impl Iterator<Item = RawLabel<'_>>> {
        self.blocks()
            .flat_map(|block| (0..block.len()).map(move |i| block.labels(i)))
    }

    /// `file:line: ` of a row, or its number for rows that come from no file.
    pub(crate) fn place(&self, row: usize) -> String {
        let at = self.places.partition_point(|(end, _, _)| *end <= row);
        match self.places.get(at) {
            Some((_, file, first_line)) => {
                let first = if at == 0 { 0 } else { self.places[at - 1].0 };
                let line_of = |row| {
                    let (block, i) = self.at(row);
                    block.line(i)
                };
                let line = first_line + line_of(row) - line_of(first);
                format!("{file}:{line}: ")
            }
            None => format!("row {row}: "),
        }
    }

    /// Why a run stopped, with the place.
    pub(crate) fn failure(&self, stopped: &Stopped) -> Failure {
        let text = format!("{}{}", self.place(stopped.row), stopped.error);
        match stopped.error {
            TrialError::Refused(_) => Failure::Unfit(text),
            _ => Failure::Message(text),
        }
    }
}
