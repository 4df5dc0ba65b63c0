//! Rows handed out block by block, wherever they come from.

use novikoff::classes::LabelError;
use novikoff::names::Names;
use novikoff::remedy::Complaint;
use novikoff::rows::{Block, Rows};
use novikoff::source::Source as _;
use novikoff::table::Table;
use novikoff_data::blocks::{Reader, Skipped};
use novikoff_data::error::DataError;

/// A source of blocks that a door brings: Arrow batches, an iterator, a queue. Rows have the constant feature in slot 0 if the job has
/// one, and the slots of `names`.
pub trait BlockSource: Send {
    /// The next rows, or none at the end. The error says what is wrong and where.
    fn next_block(&mut self) -> Result<Option<Block<'_>>, String>;

    /// The names of the features so far, where they are not their numbers.
    fn names(&self) -> Names {
        Names::new()
    }

    /// The columns, if the rows come from a table.
    fn table(&self) -> Option<Table> {
        None
    }
}

/// Rows in memory, without the constant feature.
#[derive(Clone, Debug, Default)]
pub struct MemoryRows {
    /// The rows with labels and weights.
    pub rows: Rows,
    /// The names of the features, where they are not their numbers.
    pub names: Names,
    /// The columns, if the rows come from a table.
    pub table: Option<Table>,
}

/// Hands out rows block by block, wherever they come from.
pub(crate) enum RowReader {
    /// Files and pipes.
    Files(Box<Reader>),
    /// Rows in memory.
    Memory {
        memory: Box<MemoryRows>,
        width: u32,
        /// Lent, or still to be.
        lent: Option<bool>,
    },
    /// Any other source; the block it lent last, whether there is one, and the highest feature so far.
    Source(Box<dyn BlockSource>, Box<Rows>, bool, u32),
}

impl RowReader {
    pub(crate) fn memory(rows: Rows, width: u32, names: Names, table: Option<Table>) -> Self {
        let names = reached(names, width);
        let memory = MemoryRows { rows, names, table };
        RowReader::Memory {
            memory: Box::new(memory),
            width,
            lent: None,
        }
    }

    pub(crate) fn source(source: Box<dyn BlockSource>) -> Self {
        RowReader::Source(source, Box::default(), false, 0)
    }

    /// Goes on to the next block. False at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, DataError> {
        match self {
            RowReader::Files(reader) => Ok(reader.next_block()?.is_some()),
            RowReader::Memory { memory, lent, .. } => {
                *lent = Some(lent.is_none() && !memory.rows.is_empty());
                Ok(*lent == Some(true))
            }
            RowReader::Source(source, block, lent, width) => {
                block.clear();
                *lent = false;
                let next = source.next_block().map_err(|what| DataError::Content {
                    file: "the source of rows".to_owned(),
                    what: Complaint::plain(what),
                })?;
                if let Some(next) = next {
                    block.append(next, 0);
                    *width = (*width).max(next.width());
                    *lent = true;
                }
                Ok(*lent)
            }
        }
    }

    /// The block that was lent last.
    pub(crate) fn current(&self) -> Option<Block<'_>> {
        self.lent().map(|(block, _)| block)
    }

    /// The same, and the line before its first.
    pub(crate) fn lent(&self) -> Option<(Block<'_>, u64)> {
        match self {
            RowReader::Files(reader) => reader.lent(),
            RowReader::Memory {
                memory,
                width,
                lent,
            } => (*lent == Some(true)).then(|| {
                let block = Block {
                    width: *width,
                    ..memory.rows.view()
                };
                (block, 0)
            }),
            RowReader::Source(_, block, lent, _) => lent.then(|| (block.view(), 0)),
        }
    }

    /// A row without a label is a bad line.
    pub(crate) fn pass_over_row(&mut self, row: usize) -> Result<(), DataError> {
        match self {
            RowReader::Files(reader) => reader.pass_over_row(row),
            _ => Err(DataError::Content {
                file: format!("row {row}"),
                what: Complaint::new(LabelError::None.to_string(), LabelError::None.remedy()),
            }),
        }
    }

    /// The file of the current block; none for rows that come from no file.
    pub(crate) fn file(&self) -> Option<String> {
        match self {
            RowReader::Files(reader) => Some(reader.place(0).file),
            _ => None,
        }
    }

    /// `file:line: ` of a row of a block whose first line is behind `line`, or the row's number.
    pub(crate) fn place(&self, block: Block<'_>, line: u64, row: usize, first: u64) -> String {
        match self.file() {
            Some(file) => format!("{file}:{}: ", line + 1 + block.line(row)),
            None => format!("row {}: ", first + row as u64),
        }
    }

    /// The names of the features so far.
    pub(crate) fn names(&self) -> Names {
        match self {
            RowReader::Files(reader) => reader.names().clone(),
            RowReader::Memory { memory, .. } => memory.names.clone(),
            RowReader::Source(source, _, _, width) => reached(source.names(), *width),
        }
    }

    /// The names, lent.
    pub(crate) fn with_names<T>(&self, look: impl FnOnce(&Names) -> T) -> T {
        match self {
            RowReader::Files(reader) => look(&reader.names()),
            RowReader::Memory { memory, .. } => look(&memory.names),
            RowReader::Source(source, _, _, width) => look(&reached(source.names(), *width)),
        }
    }

    pub(crate) fn table(&self) -> Option<Table> {
        match self {
            RowReader::Files(reader) => reader.table().cloned(),
            RowReader::Memory { memory, .. } => memory.table.clone(),
            RowReader::Source(source, ..) => source.table(),
        }
    }

    pub(crate) fn skipped(&self) -> Skipped {
        match self {
            RowReader::Files(reader) => reader.skipped().clone(),
            _ => Skipped::default(),
        }
    }

    pub(crate) fn total_bytes(&self) -> Option<u64> {
        match self {
            RowReader::Files(reader) => reader.total_bytes(),
            _ => None,
        }
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        match self {
            RowReader::Files(reader) => reader.bytes_read(),
            _ => 0,
        }
    }

    /// Values of features that frozen names do not know.
    pub(crate) fn unknown(&self) -> u64 {
        match self {
            RowReader::Files(reader) => reader.unknown(),
            _ => 0,
        }
    }
}

/// The names that a file of this width would have.
fn reached(mut names: Names, width: u32) -> Names {
    if names.bits().is_none() {
        names.reach(width);
    }
    names
}
