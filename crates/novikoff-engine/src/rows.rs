//! Rows that are held, so that they can be visited in any order, more than once.

use std::fs::File;
use std::sync::Arc;

use novikoff::label::{LabelName, RawLabel};
use novikoff::learner::Refusal;
use novikoff::model::{RowSample, TrialError};
use novikoff::names::Names;
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::rows::{Block, Rows};
use novikoff::run::Stopped;
use novikoff::schema::Schema;
use novikoff_data::blocks::{InputName, Skipped};
use novikoff_data::cache::{CacheContents, CacheFile, CacheWriter};

use crate::Error;
use crate::labels::{FilteredBlock, LabelCounts, Unlabelled, labelled};
use crate::reader::{LentRows, ReadFacts, RowReader};

/// Where the rows are.
enum Store {
    Memory(Box<Rows>),
    /// Those of a door, which holds them too.
    Shared(LentRows),
    /// On their way to a temporary file.
    Writing(Box<CacheWriter<File>>, usize),
    /// In a temporary file, mapped; every block was looked through.
    Spooled(Box<CacheFile>),
}

/// All rows of some data, and what is known about them.
pub(crate) struct HeldRows {
    store: Store,
    /// Where a block's rows end, its file, and the line of its first row.
    places: Vec<(usize, InputName, u64)>,
    /// What the rows are.
    pub(crate) schema: Arc<Schema>,
    /// The lines passed over.
    pub(crate) skipped: Skipped,
    /// What the reader found out about what a model knows of them.
    pub(crate) facts: ReadFacts,
    /// Whether the first row that was read has several labels.
    several: Option<bool>,
}

impl Default for HeldRows {
    fn default() -> Self {
        HeldRows {
            store: Store::Memory(Box::default()),
            places: Vec::new(),
            schema: Arc::default(),
            skipped: Skipped::default(),
            facts: ReadFacts::default(),
            several: None,
        }
    }
}

impl HeldRows {
    /// Adds the block a reader lent last, and where its first row came from.
    pub(crate) fn take(
        &mut self,
        reader: &mut RowReader,
        unlabelled: Unlabelled,
        limit: u128,
    ) -> Result<(), Error> {
        let first = reader.current().map_or(0, |block| block.labels(0).len());
        let several = *self.several.get_or_insert(first > 1);
        let kept = match unlabelled {
            Unlabelled::Rows => None,
            Unlabelled::ByFirstRow if several => None,
            Unlabelled::ByFirstRow | Unlabelled::Bad => labelled(reader),
        };
        let Some((lent, line)) = reader.lent() else {
            return Ok(());
        };
        let block = kept.as_ref().map_or(lent, FilteredBlock::view);
        let whole = kept.is_none() && self.is_empty();
        if let Some(rows) = reader.shared().filter(|_| whole) {
            self.store = Store::Shared(rows);
        } else {
            self.append(block, limit)?;
        }
        if let Some(file) = reader.file().filter(|_| !block.is_empty()) {
            let line = line + 1 + block.line(0);
            self.places.push((self.len(), file.clone(), line));
        }
        match kept.and_then(|kept| kept.error) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Whether the first row that was read has several labels.
    pub(crate) fn begins_with_several_labels(&self) -> bool {
        let first = |block: Block<'_>| block.labels(0).len() > 1;
        let row = || self.blocks().find(|block| !block.is_empty());
        self.several.unwrap_or_else(|| row().is_some_and(first))
    }

    /// Adds a block; if the rows then take more memory than `limit`, they go to a temporary file.
    pub(crate) fn append(&mut self, block: Block<'_>, limit: u128) -> Result<(), Error> {
        match &mut self.store {
            Store::Memory(rows) => {
                rows.append(block, 0);
                if bytes_of(rows.view()) > limit {
                    let mut writer = CacheWriter::temporary(None)?.with_constant();
                    writer.write(rows.view(), 0)?;
                    self.store = Store::Writing(Box::new(writer), rows.len());
                }
            }
            Store::Writing(_, _) if block.is_empty() => {}
            Store::Writing(writer, rows) => {
                writer.write(block, 0)?;
                *rows += block.len();
            }
            Store::Shared(_) | Store::Spooled(_) => {
                return Err(Error::plain("rows were added to others that are whole"));
            }
        }
        Ok(())
    }

    /// Other rows of the same kind, in memory.
    pub(crate) fn with(&self, rows: Rows) -> Self {
        HeldRows {
            store: Store::Memory(Box::new(rows)),
            schema: Arc::clone(&self.schema),
            ..HeldRows::default()
        }
    }

    /// All rows were added.
    pub(crate) fn finish(self) -> Result<Self, Error> {
        let store = match self.store {
            Store::Writing(writer, _) => {
                let names = Names::new();
                let file = writer.finish(CacheContents {
                    names: &names,
                    table: None,
                    text: None,
                    zero_based: false,
                    origin: None,
                })?;
                // from here on blocks are known to be sound
                (0..file.blocks()).try_for_each(|k| file.block(k).map(drop))?;
                Store::Spooled(Box::new(file))
            }
            store => store,
        };
        Ok(HeldRows { store, ..self })
    }

    /// The rows themselves, if they are in memory.
    pub(crate) fn into_memory(self) -> Option<Rows> {
        match self.store {
            Store::Memory(rows) => Some(*rows),
            Store::Shared(rows) => Some(rows.into_rows()),
            _ => None,
        }
    }

    /// Whether the rows are in a temporary file.
    pub(crate) fn is_spooled(&self) -> bool {
        matches!(self.store, Store::Spooled(_))
    }

    /// A sample of them.
    pub(crate) fn sample(&self) -> RowSample {
        let mut sample = RowSample::default();
        for block in self.blocks() {
            (0..block.len()).for_each(|row| sample.add(block.row(row), false));
        }
        sample
    }

    /// The column that holds the labels, if they have one.
    pub(crate) fn label_column(&self) -> Option<String> {
        self.schema.table.as_ref()?.label.clone()
    }

    /// Keeps what a reader found out besides the rows.
    pub(crate) fn about(&mut self, reader: &RowReader) {
        self.schema = reader.schema();
        self.skipped = reader.skipped();
        self.facts = reader.facts();
    }

    pub(crate) fn len(&self) -> usize {
        match &self.store {
            Store::Memory(rows) => rows.len(),
            Store::Shared(rows) => rows.view().len(),
            Store::Writing(_, rows) => *rows,
            Store::Spooled(file) => file.rows() as usize,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the rows that are in memory.
    pub(crate) fn bytes(&self) -> u128 {
        self.single().map_or(0, bytes_of)
    }

    /// How many values there are in memory.
    pub(crate) fn values(&self) -> usize {
        self.single().map_or(usize::MAX, |rows| rows.values())
    }

    /// The highest feature number.
    pub(crate) fn width(&self) -> u32 {
        match &self.store {
            Store::Memory(rows) => rows.width(),
            Store::Shared(rows) => rows.view().width(),
            Store::Writing(..) => 0,
            Store::Spooled(file) => file.width(),
        }
    }

    /// All rows, block by block.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let blocks = match &self.store {
            Store::Memory(_) | Store::Shared(_) => 1,
            Store::Writing(..) => 0,
            Store::Spooled(file) => file.blocks(),
        };
        (0..blocks).map(|k| self.block(k))
    }

    fn block(&self, k: usize) -> Block<'_> {
        match &self.store {
            Store::Memory(rows) => rows.view(),
            Store::Shared(rows) => rows.view(),
            Store::Writing(..) => Block::default(),
            // was looked through when it was written
            Store::Spooled(file) => file.block(k).unwrap_or_default(),
        }
    }

    /// The only block, if all rows are in memory.
    pub(crate) fn single(&self) -> Option<Block<'_>> {
        match &self.store {
            Store::Memory(rows) => Some(rows.view()),
            Store::Shared(rows) => Some(rows.view()),
            _ => None,
        }
    }

    /// The block that has row `i`, and its place there.
    pub(crate) fn at(&self, i: usize) -> (Block<'_>, usize) {
        match &self.store {
            Store::Spooled(file) => match file.locate(i as u64) {
                Some((block, row)) => (self.block(block), row),
                None => (Block::default(), i),
            },
            _ => (self.block(0), i),
        }
    }

    /// The labels of each row.
    pub(crate) fn labels(&self) -> impl Iterator<Item = impl Iterator<Item = RawLabel<'_>>> {
        self.blocks()
            .flat_map(|block| (0..block.len()).map(move |i| block.labels(i)))
    }

    /// How many rows have each label.
    pub(crate) fn label_counts(&self) -> Vec<(LabelName, u64)> {
        let mut counts = LabelCounts::default();
        self.labels().flatten().for_each(|label| counts.add(label));
        counts.list
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
                file.before_message(line)
            }
            None => format!("row {row}: "),
        }
    }

    /// Why a run stopped, with the place.
    pub(crate) fn failure(&self, stopped: &Stopped) -> Error {
        refused(&self.place(stopped.row), &stopped.error, &self.schema)
    }
}

/// Four bytes per value and per slot, some sixty per row for its ends, label and line, and eight for the place of slots that are shared.
fn bytes_of(rows: Block<'_>) -> u128 {
    let (values, slots) = (rows.value.len() as u128, rows.index.len() as u128);
    4 * (values + slots) + 60 * rows.len() as u128 + 8 * rows.slots_at.len() as u128
}

/// A row that a learner did not take, with its place; rows have a schema.
pub(crate) fn refused(place: &str, error: &TrialError, schema: &Schema) -> Error {
    let why = Complaint::new(format!("{place}{error}"), error.remedy());
    match error {
        TrialError::Refused(Refusal::Memory { features, .. }) => {
            Error::Unfit(numbered_column(why, *features, schema))
        }
        TrialError::Refused(_) => Error::Unfit(why),
        _ => why.into(),
    }
}

/// The complaint about features that do not fit into memory, where most of them are there because the name of a column is a number.
pub(crate) fn numbered_column(why: Complaint, features: usize, schema: &Schema) -> Complaint {
    let columns = schema.table.iter().flat_map(|table| &table.columns);
    let numbers = columns
        .clone()
        .filter_map(|column| column.name.parse().ok());
    let last = numbers.filter(|&number: &usize| number <= features).max();
    // a table without names has columns by number too
    let is_far = |&number: &usize| 2 * number > features && number > 2 * columns.clone().count();
    let Some(column) = last.filter(is_far) else {
        return why;
    };
    let what = format!(
        "{}; column {column} is feature {column}, because its name is a whole number",
        why.what
    );
    let rename = Remedy::clause(format!("rename the column, for example to p{column}"));
    Complaint::new(what, rename.or(Remedy::raise(Setting::MaxMemory)))
}
