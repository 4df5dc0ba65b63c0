//! Rows of any format as a stream of blocks, read ahead by other threads.
//!
//! Text is cut into pieces of whole lines, in order; any free thread parses pieces, and they are handed
//! out in order. The consumer works too: if the next piece is not parsed yet, it parses one rather
//! than sleep. Rows, lines, names and errors are the same for every number of threads and every size
//! of pieces. A fixed set of pieces goes round, so memory does not grow with the input and nothing is
//! allocated once they have grown to their size.

pub(crate) mod columns;
mod feed;
mod place;
mod pool;

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};

use std::thread;

use novikoff::names::Names;
use novikoff::remark::Remark;
use novikoff::rows::Block;
use novikoff::schema::Schema;
use novikoff::source::Source;
use novikoff::table::{Column, Table};

use crate::cache::CacheStream;
use crate::columnar::Columnar;
use crate::csv::CsvLayout;
use crate::draft::{Draft, UNKNOWN_NAMES};
use crate::error::{DataError, LineError, LineProblem};
use crate::gaps::Gaps;
pub use crate::input::Input;
use crate::json;
use crate::live_schema::LiveSchema;
pub use crate::live_schema::NamesGuard;
pub use crate::options::{Format, Missing, ReadOptions};
use crate::usual;
pub(crate) use feed::{Cut, Fault, Feed, Text};
pub use place::{InputName, Place};
use pool::{PATIENCE, Piece, PieceShape, Pool, Work};

/// Text of this many bytes is read at once: with its rows it stays in a core's second-level cache.
const BLOCK_SIZE: usize = 1 << 18;

/// How many bad lines are kept to be shown.
const SAMPLES: usize = 5;

/// How many new columns of an input are remarked on.
const NEW_COLUMNS: usize = 3;

/// Lines that were passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub lines: u64,
    /// What is wrong with the first ones, and with the first of each other kind.
    pub samples: Vec<String>,
}

impl Skipped {
    /// Counts a bad line, if `most` allow one more; otherwise it is an error.
    pub(crate) fn count(&mut self, error: DataError, most: u64) -> Result<(), DataError> {
        if self.lines >= most {
            return Err(self.too_many(error));
        }
        self.lines += 1;
        self.keep(error.to_string());
        Ok(())
    }

    /// Keeps what is wrong with a line. One of a new kind replaces the last of several that are alike.
    fn keep(&mut self, text: String) {
        if self.samples.len() >= SAMPLES {
            let kinds: Vec<String> = self.samples.iter().map(|text| kind(text)).collect();
            let is_repeated = |k: &usize| kinds[..*k].contains(&kinds[*k]);
            let Some(repeated) = (0..kinds.len()).rev().find(is_repeated) else {
                return;
            };
            if kinds.contains(&kind(&text)) {
                return;
            }
            self.samples.remove(repeated);
        }
        self.samples.push(text);
    }

    fn too_many(&self, last: DataError) -> DataError {
        match self.lines {
            0 => last,
            skipped => DataError::TooManyBad {
                skipped,
                last: Box::new(last),
            },
        }
    }
}

/// A message without its numbers and without what it quotes: messages about the same fault of several lines are alike in it.
fn kind(message: &str) -> String {
    let mut is_quoted = false;
    let kept = message.chars().filter(|c| {
        is_quoted ^= *c == '`';
        !is_quoted && !c.is_ascii_digit()
    });
    kept.collect()
}

/// Who makes the blocks of the current input.
enum BlockMaker {
    Text(Arc<Pool>),
    Columnar(Box<Columnar>),
    Cache(Box<CacheStream>),
}

/// The block lent out.
enum Current {
    None,
    Text(Piece),
    Columnar(Draft),
    Cache,
}

/// Reads rows from several inputs as one stream.
///
/// Dropping it stops its threads; one that waits for a pipe ends with the pipe, or with the process.
pub struct Reader {
    inputs: std::vec::IntoIter<Input>,
    options: Arc<ReadOptions>,
    /// The label was asked for, or is that of a model.
    knows_label: bool,
    threads: usize,
    block_size: usize,
    names: Arc<LiveSchema>,
    maker: Option<BlockMaker>,
    current: Current,
    /// The current input's name.
    file: InputName,
    format: Option<Format>,
    table: Option<Table>,
    total_bytes: Option<u64>,
    read: Arc<AtomicU64>,
    /// Bytes of the inputs before the block lent out, and up to its end.
    lent_bytes: Range<u64>,
    /// The bytes of the current input are not those of its lines: it is compressed, or a folder.
    is_converted: bool,
    /// The line of the current block's first line, and the line that follows it.
    first_line: u64,
    next_line: u64,
    skipped: Skipped,
    remarks: Vec<Remark>,
    unknown: u64,
    /// Names that the model does not know, with how often each was looked up.
    unknown_names: HashMap<Vec<u8>, u64>,
    gaps: Gaps,
    /// The columns of a model or of earlier inputs that the current input lacks.
    absent: Vec<String>,
    /// Columns that a model does not know.
    foreign: Vec<String>,
    /// Words, and those that a model does not know.
    words: (u64, u64),
    /// An error behind the rows lent out.
    error: Option<DataError>,
    ended: bool,
}

impl Reader {
    /// Opens the inputs; `threads` counts the caller's own. Files that are not there are noticed at
    /// once, everything else when its turn comes.
    pub fn open(
        inputs: Vec<Input>,
        options: ReadOptions,
        threads: usize,
    ) -> Result<Self, DataError> {
        Self::with_names(inputs, options, threads, Names::new())
    }

    /// Opens the inputs where some features have names already.
    pub fn with_names(
        inputs: Vec<Input>,
        options: ReadOptions,
        threads: usize,
        names: Names,
    ) -> Result<Self, DataError> {
        let mut schema = options.schema();
        schema.names = names;
        Self::with_schema(inputs, options, threads, Arc::new(schema))
    }

    /// Opens the inputs with a known schema: its names, its columns, its constant feature, and how it counts features. It is shared until
    /// a new name or column comes.
    pub fn with_schema(
        inputs: Vec<Input>,
        options: ReadOptions,
        threads: usize,
        schema: Arc<Schema>,
    ) -> Result<Self, DataError> {
        let options = options.of(&schema);
        let inputs = inputs.into_iter().map(|input| input.resolve(&options));
        let inputs = inputs.collect::<Result<Vec<Input>, DataError>>()?;
        let sizes: Result<Vec<Option<u64>>, DataError> = inputs.iter().map(Input::size).collect();
        Ok(Reader {
            total_bytes: sizes?.into_iter().sum(),
            inputs: inputs.into_iter(),
            knows_label: options.label.is_some() || options.table.is_some(),
            options: Arc::new(options),
            threads: threads.max(1),
            block_size: BLOCK_SIZE,
            names: Arc::new(LiveSchema::new(schema)),
            maker: None,
            current: Current::None,
            file: InputName::default(),
            format: None,
            table: None,
            read: Arc::default(),
            lent_bytes: 0..0,
            is_converted: false,
            first_line: 1,
            next_line: 1,
            skipped: Skipped::default(),
            remarks: Vec::new(),
            unknown: 0,
            unknown_names: HashMap::new(),
            gaps: Gaps::default(),
            absent: Vec::new(),
            foreign: Vec::new(),
            words: (0, 0),
            error: None,
            ended: false,
        })
    }

    /// Like [`open`](Self::open) with pieces of another size: for tests and measurements.
    #[doc(hidden)]
    pub fn with_block_size(
        inputs: Vec<Input>,
        options: ReadOptions,
        threads: usize,
        block_size: usize,
    ) -> Result<Self, DataError> {
        let mut reader = Self::open(inputs, options, threads)?;
        reader.block_size = block_size;
        Ok(reader)
    }

    /// Where a row of the block lent out last stands.
    pub fn place(&self, row_in_block: usize) -> Place {
        let line = match self.view() {
            Some(block) if row_in_block < block.len() => block.line(row_in_block),
            _ => 0,
        };
        self.file.place(self.first_line + line)
    }

    /// What errors call the current input and its rows.
    pub fn input_name(&self) -> &InputName {
        &self.file
    }

    /// The block lent out last, and the line its lines are counted from, itself counted from 0.
    pub fn lent(&self) -> Option<(Block<'_>, u64)> {
        Some((self.view()?, self.first_line - 1))
    }

    /// How many bytes were read so far, as they lie in the inputs.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Which bytes of the inputs the block lent out last is from, as far as that is known: blocks are read ahead, so that more bytes
    /// were read than were lent.
    pub fn bytes_lent(&self) -> Range<u64> {
        self.lent_bytes.clone()
    }

    /// How many bytes there are in all, if that is known.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }

    /// The names of the features met so far.
    pub fn names(&self) -> NamesGuard<'_> {
        self.names.read()
    }

    /// What the rows are so far: the schema that it began with, with the names and columns met since.
    pub fn schema(&self) -> Arc<Schema> {
        self.names.share()
    }

    /// The slots of the number columns of the tables read so far, rising.
    pub fn number_slots(&self) -> Vec<u32> {
        let names = self.names.read();
        let columns = self.table.iter().flat_map(|table| &table.columns);
        let numbers = columns.filter_map(Column::number);
        let slots = numbers.filter_map(|name| names.slot(name.as_bytes()));
        let mut slots: Vec<u32> = slots.collect();
        slots.sort_unstable();
        slots
    }

    /// The columns of the tables read so far, if there was one.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The column that was taken for the label by its name alone, where that name may mean something else.
    pub fn guessed_label(&self) -> Option<&str> {
        let label = self.table.as_ref()?.label.as_deref()?;
        let is_guess = !self.knows_label && self.format != Some(Format::Cache);
        (is_guess && usual::may_be_feature(label)).then_some(label)
    }

    /// The format of the input opened last.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// The lines passed over so far.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// What a person should know of the columns of the tables read so far.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Counts a row of the block lent out last as a bad line, for it has no label. An error if that is
    /// one too many.
    pub fn pass_over_row(&mut self, row_in_block: usize) -> Result<(), DataError> {
        let Place { file, line } = self.place(row_in_block);
        let column = self.table.as_ref().and_then(|table| table.label.clone());
        self.count_bad(DataError::Unlabelled { file, line, column })
    }

    /// How many values were left out so far because a model does not know their features.
    pub fn unknown(&self) -> u64 {
        self.unknown
    }

    /// Features that the model does not know, words of text left out, the most frequent first.
    pub fn unknown_features(&self) -> Vec<String> {
        let names = self.unknown_names.iter();
        let mut names: Vec<(&[u8], u64)> = names.map(|(name, n)| (name.as_slice(), *n)).collect();
        names.sort_by_key(|(name, times)| (std::cmp::Reverse(*times), *name));
        let names = names.into_iter();
        names
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            .collect()
    }

    /// The missing cells so far, those of the current block included.
    pub fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    /// What missing values of tables are.
    pub fn missing(&self) -> Missing {
        self.options.missing()
    }

    /// How many words of text were read so far, and how many of them a model does not know.
    pub fn words(&self) -> (u64, u64) {
        self.words
    }

    /// The columns of tables so far that a model does not know, if its features are frozen.
    pub fn foreign(&self) -> &[String] {
        &self.foreign
    }

    /// The block lent out last.
    pub fn current(&self) -> Option<Block<'_>> {
        self.view()
    }

    fn view(&self) -> Option<Block<'_>> {
        match (&self.current, &self.maker) {
            (Current::Text(piece), _) => Some(piece.draft.rows.view()),
            (Current::Columnar(draft), _) => Some(draft.rows.view()),
            (Current::Cache, Some(BlockMaker::Cache(stream))) => Some(stream.block()),
            _ => None,
        }
    }

    /// Does something that reads from an input. If that `waits`, another thread does it, so that a run that is asked to stop does not wait.
    fn patiently<T: Send + 'static>(
        &self,
        waits: bool,
        work: impl FnOnce() -> Result<T, DataError> + Send + 'static,
    ) -> Result<T, DataError> {
        if self.options.interrupt.is_none() || !waits {
            return work();
        }
        let failed = |source| DataError::Io {
            file: self.file.to_string(),
            source,
        };
        let (sender, receiver) = mpsc::channel();
        thread::Builder::new()
            .name("novikoff-open".to_owned())
            // if nobody waits for it any more, that is no fault
            .spawn(move || drop(sender.send(work())))
            .map_err(failed)?;
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok(done) => return done,
                Err(_) if self.is_interrupted() => return Err(DataError::Interrupted),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(failed(io::ErrorKind::BrokenPipe.into()));
                }
            }
        }
    }

    /// Opens the next input. False if there is none.
    fn open_next(&mut self) -> Result<bool, DataError> {
        let Some(input) = self.inputs.next() else {
            return Ok(false);
        };
        self.file = InputName::of(&input);
        (self.first_line, self.next_line) = (1, 1);
        let waits = input.size()?.is_none();
        let (options, read) = (Arc::clone(&self.options), Arc::clone(&self.read));
        let mut opened = self.patiently(waits, move || input.open(&options, &read))?;
        let format = opened.format;
        self.format = Some(format);
        self.is_converted = opened.compression.is_some() || self.file.folder().is_some();
        // a column is read as in earlier inputs
        if let Some(table) = &self.table {
            Arc::make_mut(&mut self.options).table = Some(table.clone());
        }
        let (options, names, threads) = (&self.options, &self.names, self.threads);
        let agrees = options.check_text_form();
        agrees.map_err(|what| DataError::content(self.file.as_str(), what))?;
        // an empty input is no text of any format
        let is_empty = opened.head.trim_ascii().is_empty();
        if let Some(format) = format.without_columns().filter(|_| !is_empty) {
            columns::check_no_columns(self.file.as_str(), format, options)?;
        }
        let (mut table, mut by_number) = (None, false);
        let text = |opened: crate::input::Opened, skip, cut, shape| {
            let waits = opened.waits;
            let feed = Feed::new(opened, skip, cut, self.block_size, options.max_line);
            let work = Work {
                shape,
                options: Arc::clone(options),
                names: Arc::clone(names),
            };
            BlockMaker::Text(Pool::start(feed, work, threads, waits))
        };
        self.maker = Some(match opened.format {
            Format::Svmlight => text(opened, 0, Cut::Lines, PieceShape::Svmlight),
            Format::Vw => text(opened, 0, Cut::Lines, PieceShape::Vw),
            Format::Csv => {
                let (own, frozen) = (Arc::clone(options), names.read().is_frozen());
                let (opened, begun) = self.patiently(waits, move || {
                    let begun = CsvLayout::begin(&mut opened, &own, frozen)?;
                    Ok((opened, begun))
                })?;
                self.remarks.extend(begun.remarks);
                table = Some(begun.layout.table.clone());
                self.next_line += begun.lines;
                self.lent_bytes.end += begun.skip as u64;
                let shape = PieceShape::Csv(Arc::new(begun.layout));
                text(opened, begun.skip, Cut::LinesOutsideQuotes, shape)
            }
            Format::Json => {
                let (own, frozen) = (self.file.options(options)?, names.read().is_frozen());
                let (opened, begun) = self.patiently(waits, move || {
                    let begun = json::JsonLayout::begin(&mut opened, &own, frozen)?;
                    Ok((opened, begun))
                })?;
                self.remarks.extend(begun.remarks);
                table = Some(begun.layout.table.clone());
                let shape = PieceShape::Json(Arc::new(begun.layout));
                text(opened, 0, Cut::Lines, shape)
            }
            Format::Parquet | Format::Arrow => {
                let own = (Arc::clone(options), Arc::clone(names));
                let open = move || Columnar::open(opened, &own.0, &own.1, threads);
                let columnar = self.patiently(waits, open)?;
                table = Some(columnar.table().clone());
                self.remarks.extend_from_slice(columnar.remarks());
                by_number = columnar.has_sparse_rows();
                BlockMaker::Columnar(Box::new(columnar))
            }
            Format::Cache => {
                let stream = CacheStream::open(opened, options, names, threads)?;
                table = stream.table().cloned();
                columns::check_cache(self.file.as_str(), options, table.as_mut())?;
                by_number = table.as_ref().is_some_and(|table| table.columns.is_empty());
                BlockMaker::Cache(Box::new(stream))
            }
        });
        if let Some(table) = table {
            let known = self.table.take().or(self.options.table.clone());
            let mut columns = known.unwrap_or_default();
            if format == Format::Cache {
                let remarks = &mut self.remarks;
                // its rows are lent as they are, so that nothing stands for a column that is not there
                let options = ReadOptions {
                    missing: (self.options.missing() != Missing::Refuse).then_some(Missing::Zero),
                    table: Some(columns.clone()),
                    ..ReadOptions::default()
                };
                columns::impute(self.file.as_str(), &options, &table, by_number, remarks)?;
            }
            self.compare_columns(&columns, &table, by_number);
            columns.extend(table);
            self.names.set_table(&columns);
            self.table = Some(columns);
        }
        Ok(true)
    }

    /// Notes which columns an input lacks, and which a model does not know.
    fn compare_columns(&mut self, known: &Table, found: &Table, by_number: bool) {
        let absent = columns::absent(known, found, by_number).into_iter();
        self.absent = absent.map(|column| column.name.clone()).collect();
        let foreign = columns::foreign(known, found).filter(|name| !self.foreign.contains(name));
        let foreign: Vec<String> = foreign.collect();
        let is_frozen = self.names.read().is_frozen();
        if self.options.table.is_some() && is_frozen {
            self.foreign.extend(foreign);
        } else if !is_frozen && !known.columns.is_empty() {
            let new = foreign.into_iter().take(NEW_COLUMNS);
            let remarks = new.map(|column| Remark::NewColumn {
                file: self.file.as_str().to_owned(),
                column,
            });
            self.remarks.extend(remarks);
        }
    }

    /// Makes the next block the current one. False at the end.
    fn advance(&mut self) -> Result<bool, DataError> {
        loop {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            let current = std::mem::replace(&mut self.current, Current::None);
            if self.maker.is_none() {
                if self.open_next()? {
                    continue;
                }
                return Ok(false);
            }
            let more = match &mut self.maker {
                None => false,
                Some(BlockMaker::Text(pool)) => {
                    let done = match current {
                        Current::Text(piece) => Some(piece),
                        _ => None,
                    };
                    let pool = Arc::clone(pool);
                    match pool.next(done) {
                        Some(piece) => {
                            self.take_piece(piece);
                            true
                        }
                        None => false,
                    }
                }
                Some(BlockMaker::Columnar(columnar)) => {
                    let spare = match current {
                        Current::Columnar(draft) => draft,
                        _ => Draft::default(),
                    };
                    match columnar.next(spare)? {
                        Some(mut draft) => {
                            self.error = self.settle(&mut draft, 0);
                            self.current = Current::Columnar(draft);
                            true
                        }
                        None => false,
                    }
                }
                Some(BlockMaker::Cache(stream)) => {
                    let more = stream.advance()?;
                    let (read, unknown) = stream.progress();
                    self.read.fetch_add(read, Ordering::Relaxed);
                    self.unknown += unknown;
                    self.current = Current::Cache;
                    if more {
                        let rows = self.view().map_or(0, |block| block.len() as u64);
                        self.gaps.block(rows, &Gaps::default(), &self.absent);
                    }
                    more
                }
            };
            if !more {
                self.stop_maker();
                let remark = self.file.folder().and_then(|folder| folder.remark());
                self.remarks.extend(remark);
                if self.is_interrupted() {
                    return Err(DataError::Interrupted);
                }
                continue;
            }
            self.note_bytes();
            if self.view().is_some_and(|block| !block.is_empty()) {
                return Ok(true);
            }
        }
    }

    /// Notes which bytes the current block is from.
    fn note_bytes(&mut self) {
        let (start, read) = (self.lent_bytes.end, self.bytes_read());
        let end = match &self.current {
            Current::Text(piece) if !self.is_converted => start + piece.text.bytes().len() as u64,
            _ => read,
        };
        self.lent_bytes = start.min(end)..end.min(read);
    }

    fn is_interrupted(&self) -> bool {
        self.options.is_interrupted()
    }

    fn stop_maker(&mut self) {
        self.current = Current::None;
        if let Some(BlockMaker::Text(pool)) = self.maker.take() {
            pool.stop();
        }
    }

    /// Makes a parsed piece the current block.
    fn take_piece(&mut self, mut piece: Piece) {
        self.first_line = self.next_line;
        self.next_line = self.first_line + piece.lines;
        let mark = if piece.text.first {
            piece.text.skipped as u64
        } else {
            0
        };
        self.error = self.settle(&mut piece.draft, mark);
        if self.error.is_none() {
            self.error = match piece.text.fault.take() {
                None => None,
                Some(Fault::Input(error)) => Some(error),
                Some(Fault::Line(error)) => Some(self.skipped.too_many(self.locate(error, mark))),
            };
        }
        self.current = Current::Text(piece);
    }

    /// Counts the bad lines of a block and gives its new names their slots. An error stands behind the
    /// rows that come before it, which are those that are left.
    fn settle(&mut self, draft: &mut Draft, mark: u64) -> Option<DataError> {
        let mut error = None;
        for bad in std::mem::take(&mut draft.bad) {
            let line = bad.line;
            if let Err(too_many) = self.pass_over(bad, mark) {
                draft.keep_before(line);
                error = Some(too_many);
                break;
            }
        }
        self.unknown += draft.unknown;
        let mut unknown_names: Vec<_> = draft.unknown_names.drain().collect();
        unknown_names.sort_unstable();
        for (name, times) in unknown_names {
            if self.unknown_names.len() < UNKNOWN_NAMES || self.unknown_names.contains_key(&name) {
                *self.unknown_names.entry(name).or_default() += times;
            }
        }
        self.words.0 += draft.words;
        self.words.1 += draft.unknown_words;
        let rows = draft.rows.len() as u64;
        self.gaps.block(rows, &draft.gaps, &self.absent);
        match draft.finish(&self.names, &self.options) {
            Err(no_slot) if no_slot.line.is_some() || error.is_none() => {
                let line = self.first_line + no_slot.line.unwrap_or(0);
                let Place { file, line } = self.file.place(line);
                let source = no_slot.source;
                Some(DataError::Names { file, line, source })
            }
            _ => error,
        }
    }

    fn pass_over(&mut self, bad: LineError, mark: u64) -> Result<(), DataError> {
        let error = self.locate(bad, mark);
        self.count_bad(error)
    }

    fn count_bad(&mut self, error: DataError) -> Result<(), DataError> {
        self.skipped.count(error, self.options.skip_bad)
    }

    fn locate(&self, error: LineError, mark: u64) -> DataError {
        let Place { file, line } = self.file.place(self.first_line + error.line);
        let mut problem = error.problem;
        if let LineProblem::Csv(problem) = &mut problem {
            problem.move_down(line);
        }
        let is_first = line == 1 && self.options.format.is_none() && is_table_name(&file);
        let detected = self.format.filter(|_| is_first && problem.may_be_table());
        let bad = DataError::Line {
            file,
            line,
            column: error.column + if error.line == 0 { mark } else { 0 },
            problem,
        };
        match detected.and_then(Format::without_columns) {
            None => bad,
            Some(format) => DataError::Taken {
                format,
                bad: Box::new(bad),
            },
        }
    }
}

/// Whether the name of a file says that it is a table as text.
fn is_table_name(file: &str) -> bool {
    let file = file.to_ascii_lowercase();
    let packed = [".gz", ".zst"]
        .iter()
        .find_map(|end| file.strip_suffix(end));
    let plain = packed.unwrap_or(&file);
    [".csv", ".tsv"].iter().any(|end| plain.ends_with(end))
}

impl Source for Reader {
    type Error = DataError;

    fn next_block(&mut self) -> Result<Option<Block<'_>>, DataError> {
        if self.ended {
            return Ok(None);
        }
        match self.advance() {
            Ok(true) => Ok(self.view()),
            Ok(false) => {
                self.ended = true;
                Ok(None)
            }
            Err(error) => {
                self.ended = true;
                self.stop_maker();
                Err(error)
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop_maker();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two torn lines were hidden behind five missing values.
    #[test]
    fn samples_of_bad_lines_are_of_several_kinds() {
        let mut skipped = Skipped::default();
        let missing = |line| format!("a.jsonl:{line}:7: `age{line}` is missing");
        for line in 1..=9 {
            skipped.keep(missing(line));
        }
        skipped.keep("a.jsonl:10:3: the line ends in the middle of an object".to_owned());
        skipped.keep(missing(11));
        let expected = [
            missing(1),
            missing(2),
            missing(3),
            missing(4),
            "a.jsonl:10:3: the line ends in the middle of an object".to_owned(),
        ];
        assert_eq!(skipped.samples, expected);
    }
}
