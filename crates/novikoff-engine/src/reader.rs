//! Rows handed out block by block, wherever they come from.

use std::sync::Arc;

use novikoff::classes::LabelError;
use novikoff::names::Names;
use novikoff::remark::Remark;
use novikoff::remedy::Complaint;
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;
use novikoff::source::Source as _;
use novikoff::table::{ColumnKind, Missing, Table};
use novikoff::text_statistics::TextStatistics;
use novikoff_data::blocks::{InputName, Reader, Skipped};
use novikoff_data::error::DataError;
use novikoff_data::gaps::Gaps;

use crate::gaps::Gapped;

/// A source of blocks that a door brings: Arrow batches, an iterator, a queue. Rows have the constant feature in slot 0 if the job has
/// one, and the slots of `names`.
pub trait BlockSource: Send {
    /// Puts the next rows into `out`, which is empty; false at the end. The error says what is wrong and where.
    fn next_rows(&mut self, out: &mut Rows) -> Result<bool, String>;

    /// The names of the features so far, where they are not their numbers.
    fn names(&self) -> Names {
        Names::new()
    }

    /// The columns, if the rows come from a table.
    fn table(&self) -> Option<Table> {
        None
    }
}

/// Rows in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryRows {
    /// The rows with labels and weights.
    pub rows: Rows,
    /// The constant feature that every row has in slot 0 already. If there is none and the job has one, the rows are copied to put it in.
    pub constant: Option<f32>,
    /// The names of the features, where they are not their numbers.
    pub names: Names,
    /// The columns, if the rows come from a table.
    pub table: Option<Table>,
    /// How many rows have each word, where words are weighted by it.
    pub text: Arc<TextStatistics>,
}

/// What a reader found out about what a model knows of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadFacts {
    pub(crate) schema: Arc<Schema>,
    /// Missing cells of tables.
    pub(crate) gaps: Gaps,
    /// What missing cells are.
    pub(crate) missing: Missing,
    /// Values of features that frozen names do not know.
    pub(crate) unknown: u64,
    /// Words of text, and those that frozen names do not know.
    pub(crate) words: (u64, u64),
    /// Columns that the model does not know.
    pub(crate) foreign: Vec<String>,
    /// Features that the model does not know, words of text left out, the most frequent first.
    pub(crate) unknown_features: Vec<String>,
    /// Features are numbers, where those of the model have names.
    pub(crate) is_unnamed: bool,
}

impl ReadFacts {
    /// The columns of a model that are not there, and how many it has, if most are missing.
    pub(crate) fn mostly_absent(&self) -> Option<(Vec<String>, usize)> {
        let gapped = Gapped {
            gaps: &self.gaps,
            schema: &self.schema,
            missing: self.missing,
            width: u32::MAX,
        };
        let is_of_model = self.schema.names.is_frozen();
        gapped.mostly_absent(&self.foreign).filter(|_| is_of_model)
    }

    /// The columns that the model learned from.
    pub(crate) fn learned_columns(&self) -> Vec<String> {
        let columns = self.schema.table.iter().flat_map(|table| &table.columns);
        let learned = columns.filter(|column| column.kind != ColumnKind::Ignored);
        let names = learned.map(|column| &column.name);
        names
            .filter(|name| !self.foreign.contains(name))
            .cloned()
            .collect()
    }

    /// Whether most columns of a model are not there.
    pub(crate) fn is_mostly_absent(&self) -> bool {
        self.mostly_absent().is_some()
    }
}

/// Hands out rows block by block, wherever they come from.
pub(crate) enum RowReader {
    /// Files and pipes.
    Files(Box<Reader>),
    /// Rows in memory.
    Memory {
        rows: LentRows,
        schema: Arc<Schema>,
        width: u32,
        /// Lent, or still to be.
        lent: Option<bool>,
        /// The features are numbers, and those of the model have names.
        unnamed: bool,
    },
    /// Any other source.
    Source(Box<Sourced>),
}

/// Rows in memory: a reader's own, or those that a door holds too.
pub(crate) enum LentRows {
    Own(Box<Rows>),
    Shared(Arc<MemoryRows>),
}

impl LentRows {
    /// Rows of a door for a job that has this constant feature.
    pub(crate) fn of(memory: &Arc<MemoryRows>, bias: Option<f32>) -> Self {
        match bias {
            Some(bias) if memory.constant.is_none() => {
                LentRows::Own(Box::new(with_constant(&memory.rows, bias)))
            }
            // how a model prepares rows puts another constant in the place of theirs
            _ => LentRows::Shared(Arc::clone(memory)),
        }
    }

    pub(crate) fn view(&self) -> Block<'_> {
        match self {
            LentRows::Own(rows) => rows.view(),
            LentRows::Shared(memory) => memory.rows.view(),
        }
    }

    /// Rows of one's own.
    pub(crate) fn into_rows(self) -> Rows {
        match self {
            LentRows::Own(rows) => *rows,
            LentRows::Shared(memory) => {
                let memory = Arc::try_unwrap(memory);
                memory.map_or_else(|memory| memory.rows.clone(), |memory| memory.rows)
            }
        }
    }
}

/// Rows with the constant feature in slot 0.
fn with_constant(rows: &Rows, bias: f32) -> Rows {
    let (block, mut out) = (rows.view(), Rows::new());
    for row in 0..block.len() {
        out.push(0, bias);
        out.copy_row(block, row);
    }
    out
}

/// A source that a door brings, and how far it was read.
pub(crate) struct Sourced {
    source: Box<dyn BlockSource>,
    /// What was known of its rows beforehand.
    schema: Arc<Schema>,
    /// The block that it lent last, if there is one.
    block: Rows,
    is_lent: bool,
    /// The highest feature so far.
    width: u32,
    /// The features are numbers, and those of the model have names.
    unnamed: bool,
}

impl Sourced {
    fn advance(&mut self) -> Result<bool, DataError> {
        self.block.clear();
        self.is_lent = false;
        let next = self.source.next_rows(&mut self.block);
        self.is_lent = next.map_err(|what| DataError::Content {
            file: "the source of rows".to_owned(),
            what: Complaint::plain(what),
        })?;
        self.width = self.width.max(self.block.width());
        Ok(self.is_lent)
    }

    fn schema(&self) -> Arc<Schema> {
        let mut schema = (*self.schema).clone();
        schema.names = reached(self.source.names(), self.width);
        schema.table = self.source.table().or(schema.table);
        Arc::new(schema)
    }
}

impl RowReader {
    pub(crate) fn memory(rows: LentRows, width: u32, mut schema: Arc<Schema>) -> Self {
        if schema.names.bits().is_none() && schema.names.highest() < width {
            Arc::make_mut(&mut schema).names.reach(width);
        }
        RowReader::Memory {
            rows,
            schema,
            width,
            lent: None,
            unnamed: false,
        }
    }

    pub(crate) fn source(source: Box<dyn BlockSource>, schema: Arc<Schema>) -> Self {
        RowReader::Source(Box::new(Sourced {
            source,
            schema,
            block: Rows::new(),
            is_lent: false,
            width: 0,
            unnamed: false,
        }))
    }

    /// The rows that were lent, if a door holds them in memory: they need no copy.
    pub(crate) fn shared(&self) -> Option<LentRows> {
        match self {
            RowReader::Memory {
                rows: LentRows::Shared(memory),
                ..
            } => Some(LentRows::Shared(Arc::clone(memory))),
            _ => None,
        }
    }

    /// Rows whose features are numbers, for a schema that may have names.
    pub(crate) fn numbered_for(mut self, names: &Names) -> Self {
        let is_number = |(slot, name): (u32, &str)| name.parse() == Ok(slot);
        let is_unnamed = !names.is_empty() && !names.iter().any(is_number);
        match &mut self {
            RowReader::Files(_) => {}
            RowReader::Memory { unnamed, .. } => *unnamed = is_unnamed,
            RowReader::Source(sourced) => sourced.unnamed = is_unnamed,
        }
        self
    }

    /// Whether features are numbers, where those of the model have names.
    fn is_unnamed(&self) -> bool {
        match self {
            RowReader::Files(_) => false,
            RowReader::Memory { unnamed, .. } => *unnamed,
            RowReader::Source(sourced) => sourced.unnamed,
        }
    }

    /// What was found out so far about what a model knows of the rows.
    pub(crate) fn facts(&self) -> ReadFacts {
        let facts = ReadFacts {
            schema: self.schema(),
            unknown: self.unknown(),
            is_unnamed: self.is_unnamed(),
            ..ReadFacts::default()
        };
        let RowReader::Files(reader) = self else {
            return facts;
        };
        ReadFacts {
            gaps: reader.gaps().clone(),
            missing: reader.missing(),
            words: reader.words(),
            foreign: reader.foreign().to_vec(),
            unknown_features: reader.unknown_features(),
            ..facts
        }
    }

    /// Moves to the next block. False at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, DataError> {
        match self {
            RowReader::Files(reader) => Ok(reader.next_block()?.is_some()),
            RowReader::Memory { rows, lent, .. } => {
                *lent = Some(lent.is_none() && !rows.view().is_empty());
                Ok(*lent == Some(true))
            }
            RowReader::Source(sourced) => sourced.advance(),
        }
    }

    /// The block that was lent last.
    pub(crate) fn current(&self) -> Option<Block<'_>> {
        self.lent().map(|(block, _)| block)
    }

    /// The block that was lent last, and the line before its first.
    pub(crate) fn lent(&self) -> Option<(Block<'_>, u64)> {
        match self {
            RowReader::Files(reader) => reader.lent(),
            RowReader::Memory {
                rows, width, lent, ..
            } => (*lent == Some(true)).then(|| {
                let block = Block {
                    width: *width,
                    ..rows.view()
                };
                (block, 0)
            }),
            RowReader::Source(sourced) => sourced.is_lent.then(|| (sourced.block.view(), 0)),
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

    /// What errors call the input of the current block; none for rows that come from no file.
    pub(crate) fn file(&self) -> Option<&InputName> {
        match self {
            RowReader::Files(reader) => Some(reader.input_name()),
            _ => None,
        }
    }

    /// `file:line: ` of a row of a block whose first line is behind `line`, or the row's number.
    pub(crate) fn place(&self, block: Block<'_>, line: u64, row: usize, first: u64) -> String {
        match self.file() {
            Some(file) => file.before_message(line + 1 + block.line(row)),
            None => format!("row {}: ", first + row as u64),
        }
    }

    /// What the rows so far are. While it is kept, the reader copies its names when the next new one comes.
    pub(crate) fn schema(&self) -> Arc<Schema> {
        match self {
            RowReader::Files(reader) => reader.schema(),
            RowReader::Memory { schema, .. } => Arc::clone(schema),
            RowReader::Source(sourced) => sourced.schema(),
        }
    }

    /// The slots of the numbers of rows that have words; none if they have no words.
    pub(crate) fn numbers_beside_words(&self) -> Option<Vec<u32>> {
        let has_words = match self {
            RowReader::Files(reader) => reader.table().is_some_and(Table::has_words),
            _ => self.table().is_some_and(|table| table.has_words()),
        };
        has_words.then(|| match self {
            RowReader::Files(reader) => reader.number_slots(),
            _ => self.schema().numbers().unwrap_or_default(),
        })
    }

    /// Whether a table was read.
    pub(crate) fn is_table(&self) -> bool {
        match self {
            RowReader::Files(reader) => reader.table().is_some(),
            _ => self.table().is_some(),
        }
    }

    /// The columns of the tables that were read, if there was one.
    pub(crate) fn table(&self) -> Option<Table> {
        match self {
            RowReader::Files(reader) => reader.table().cloned(),
            RowReader::Memory { schema, .. } => schema.table.clone(),
            RowReader::Source(sourced) => sourced.source.table(),
        }
    }

    pub(crate) fn skipped(&self) -> Skipped {
        match self {
            RowReader::Files(reader) => reader.skipped().clone(),
            _ => Skipped::default(),
        }
    }

    /// What is worth knowing of the columns of tables.
    pub(crate) fn remarks(&self) -> &[Remark] {
        match self {
            RowReader::Files(reader) => reader.remarks(),
            _ => &[],
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

    /// How many bytes are done with when this many rows of the block lent last are.
    pub(crate) fn position(&self, rows: usize, of: usize) -> u64 {
        let lent = match self {
            RowReader::Files(reader) => reader.bytes_lent(),
            _ => return 0,
        };
        let share = rows as f64 / of.max(1) as f64;
        lent.start + ((lent.end - lent.start) as f64 * share) as u64
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
