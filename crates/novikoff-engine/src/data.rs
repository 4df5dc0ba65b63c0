//! Where the rows of a job come from: files, a pipe, a built-in set, rows in memory, or any source of blocks.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use novikoff::classes::Task;
use novikoff::label::{LabelName, RawLabel};
use novikoff::names::Names;
use novikoff::remark::Remark;
use novikoff::remedy::Complaint;
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;
use novikoff::source::Source as _;
use novikoff::table::Missing;
use novikoff_data::atomic::WriteError;
use novikoff_data::blocks::{Input, ReadOptions, Reader, Skipped};
use novikoff_data::cache::{CacheContents, CacheFile, CacheWriter, Origin, beside};
use novikoff_data::digits::digits;
use novikoff_data::error::DataError;
use novikoff_data::folder;
use novikoff_data::generate::{Generator, is_generator};
use novikoff_data::means::means;
use novikoff_data::scan::{Scan, scan};

use crate::error::FilesOnly;
use crate::events::{Context, Notice, Phase};
use crate::familiar::Familiar;
pub use crate::reader::{BlockSource, MemoryRows};

use crate::files::is_same_file;
use crate::labels::{Unlabelled, task_of};
use crate::reader::{LentRows, RowReader};
use crate::rows::HeldRows;
use crate::{Error, Remedy, Setting};

/// How many rows, or values, of a stream are looked at to tell what its labels are.
const GLANCE_ROWS: usize = 10_000;
const GLANCE_VALUES: usize = 250_000;

/// A source that can be read once.
#[derive(Clone)]
pub struct OnceSource(Arc<Mutex<Option<Box<dyn BlockSource>>>>);

impl std::fmt::Debug for OnceSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Once")
    }
}

/// How rows are read.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// What they say of the rows themselves is what the schema says.
    pub(crate) options: ReadOptions,
    /// What is known of the rows beforehand.
    pub(crate) schema: Arc<Schema>,
    pub(crate) threads: usize,
}

impl Reading {
    pub(crate) fn new(options: ReadOptions, schema: Arc<Schema>, threads: usize) -> Self {
        Reading {
            options: options.of(&schema),
            schema,
            threads,
        }
    }

    /// Reads other rows, which have this schema.
    pub(crate) fn of(&self, schema: Arc<Schema>) -> Self {
        Self::new(self.options.clone(), schema, self.threads)
    }

    /// An error once the job was asked to stop.
    pub(crate) fn look_up(&self) -> Result<(), DataError> {
        match &self.options.interrupt {
            Some(interrupt) if interrupt.is_requested() => Err(DataError::Interrupted),
            _ => Ok(()),
        }
    }
}

/// Where the rows come from.
#[derive(Clone, Debug)]
pub enum Data {
    /// Files, read as one.
    Files(Vec<PathBuf>),
    /// Standard input.
    Stdin,
    /// The built-in digits.
    Digits,
    /// A built-in generator, by its spec.
    Generated(String),
    /// Rows in memory.
    Memory(Arc<MemoryRows>),
    /// A source of blocks that comes once.
    Once(OnceSource),
}

impl Data {
    /// What the words mean; several paths are read as one.
    pub fn named(words: &[String]) -> Result<Self, Error> {
        let built_in = |word: &str| word == "digits" || is_generator(word);
        match words {
            [word] if word == "-" => Ok(Data::Stdin),
            [word] if word == "digits" => Ok(Data::Digits),
            [word] if is_generator(word) => {
                Generator::new(word)?;
                Ok(Data::Generated(word.clone()))
            }
            words => match words.iter().find(|word| *word == "-" || built_in(word)) {
                Some(word) => Err(Error::refused(
                    format!("{word}: several inputs are read as one, but only files can be"),
                    Remedy::clause(format!("write ./{word} for a file of that name")),
                )),
                None => Ok(Data::Files(words.iter().map(PathBuf::from).collect())),
            },
        }
    }

    /// Whether the rows come from somewhere that cannot be read twice.
    pub fn is_stream(&self) -> bool {
        match self {
            Data::Stdin | Data::Once(_) => true,
            // what is there but no regular file: a pipe
            Data::Files(paths) => paths
                .iter()
                .any(|path| path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())),
            Data::Digits | Data::Generated(_) | Data::Memory(_) => false,
        }
    }

    /// A source of blocks that comes once.
    pub fn once(source: Box<dyn BlockSource>) -> Self {
        Data::Once(OnceSource(Arc::new(Mutex::new(Some(source)))))
    }

    /// Fails at once if the data is not there.
    pub(crate) fn check(&self, reading: &Reading) -> Result<(), Error> {
        match self {
            Data::Files(_) | Data::Stdin => self.reader(reading).map(drop),
            _ => Ok(()),
        }
    }

    /// Whether these are files, and those of some other data.
    pub(crate) fn is_same(&self, other: &Data) -> bool {
        let (Data::Files(own), Data::Files(others)) = (self, other) else {
            return false;
        };
        let real = |paths: &[PathBuf]| -> Option<Vec<PathBuf>> {
            let real = paths.iter().map(|path| path.canonicalize().ok());
            real.collect()
        };
        !own.is_empty() && real(own).is_some_and(|own| Some(own) == real(others))
    }

    /// The inputs' names, with their sizes where they have one.
    pub(crate) fn inputs(&self) -> Vec<(String, Option<u64>)> {
        match self {
            Data::Files(paths) => {
                let size = |path: &PathBuf| {
                    let about = path.metadata().ok()?;
                    if about.is_dir() {
                        return folder::bytes(path);
                    }
                    about.is_file().then_some(about.len())
                };
                let named = |path: &PathBuf| (path.display().to_string(), size(path));
                paths.iter().map(named).collect()
            }
            Data::Stdin => vec![("-".to_owned(), None)],
            Data::Digits => vec![("digits".to_owned(), None)],
            Data::Generated(spec) => vec![(spec.clone(), None)],
            Data::Memory(_) => vec![("rows in memory".to_owned(), None)],
            Data::Once(_) => vec![("a source of rows".to_owned(), None)],
        }
    }

    /// Whether a path is one of those read.
    pub fn reads(&self, path: &Path) -> bool {
        let same = |other: &PathBuf| is_same_file(path, other);
        matches!(self, Data::Files(paths) if paths.iter().any(same))
    }

    /// The means of columns, if they stand for missing values and are not known yet: a pass over the rows before all others.
    pub(crate) fn measure(&self, reading: &mut Reading) -> Result<(), Error> {
        let options = &reading.options;
        let is_known = options.table.is_some() || options.means.is_some();
        let needs_means = || options.needs_means() || (options.centred && self.has_indicators());
        if is_known || !needs_means() {
            return Ok(());
        }
        if self.is_stream() {
            // missing cells are read as means that standardising needs
            let is_centred = options.centred && options.missing() != Missing::Mean;
            let what = FilesOnly::Setting(if is_centred {
                Setting::Standardize
            } else {
                Setting::Missing
            });
            return Err(Error::FilesOnly { what });
        }
        if let Data::Files(paths) = self {
            let inputs = paths.iter().cloned().map(Input::Path).collect();
            let means = means(inputs, options, reading.threads)?;
            reading.options.means = Some(Arc::new(means));
        }
        Ok(())
    }

    /// Whether a file is a cache.
    pub(crate) fn has_cache(&self) -> bool {
        matches!(self, Data::Files(paths) if paths.iter().any(|path| begins_as_cache(path)))
    }

    /// Whether a file is a cache whose missing cells are 0, with an indicator.
    fn has_indicators(&self) -> bool {
        let Data::Files(paths) = self else {
            return false;
        };
        paths
            .iter()
            .filter(|path| begins_as_cache(path))
            .any(|path| {
                let cache = CacheFile::open(path).ok();
                let missing = cache.and_then(|cache| Some(cache.table()?.missing));
                missing == Some(Missing::Indicator)
            })
    }

    /// A reader of the rows.
    pub(crate) fn reader(&self, reading: &Reading) -> Result<RowReader, Error> {
        let inputs = match self {
            Data::Files(paths) => paths.iter().cloned().map(Input::Path).collect(),
            Data::Stdin => vec![Input::Stdin],
            Data::Digits => {
                let rows = digits(reading.options.bias);
                let width = rows.width();
                let mut schema = (*reading.schema).clone();
                (schema.names, schema.table) = (Names::new(), None);
                let rows = LentRows::Own(Box::new(rows));
                let reader = RowReader::memory(rows, width, Arc::new(schema));
                return Ok(reader.numbered_for(&reading.schema.names));
            }
            Data::Generated(spec) => {
                let generator = Generator::new(spec)?.with_bias(reading.options.bias);
                let schema = Arc::clone(&reading.schema);
                let reader = RowReader::source(Box::new(Generated(generator)), schema);
                return Ok(reader.numbered_for(&reading.schema.names));
            }
            Data::Memory(memory) => {
                check_places(&memory.names, reading)?;
                let rows = LentRows::of(memory, reading.options.bias);
                let mut schema = (*reading.schema).clone();
                (schema.names, schema.table) = (memory.names.clone(), memory.table.clone());
                schema.text = Arc::clone(&memory.text);
                let width = memory.rows.width();
                return Ok(RowReader::memory(rows, width, Arc::new(schema)));
            }
            Data::Once(once) => {
                let mut source = once.0.lock().unwrap_or_else(PoisonError::into_inner);
                let source = source.take();
                let source = source.ok_or_else(|| {
                    Error::plain("the source of rows was read before, and it comes once")
                })?;
                return Ok(RowReader::source(source, Arc::clone(&reading.schema)));
            }
        };
        let (options, schema) = (reading.options.clone(), Arc::clone(&reading.schema));
        let reader = Reader::with_schema(inputs, options, reading.threads, schema)?;
        Ok(RowReader::Files(Box::new(reader)))
    }

    /// The cache beside the files, made again if they or the way they are read have changed; what
    /// cannot be cached is left as it is.
    pub(crate) fn cached(
        self,
        reading: &mut Reading,
        fresh: Names,
        context: Context<'_>,
    ) -> Result<Self, Error> {
        let Data::Files(paths) = &self else {
            return Ok(self);
        };
        let Some(origin) = Origin::of(paths, &reading.options, fresh.bits())? else {
            context.notice(Notice::PipeNotCached);
            return Ok(self);
        };
        if !reading.schema.text.is_empty() {
            let what = "the values of words depend on the rows that the model has met before, and a cache is made without a model";
            let without = Remedy::leave_out(&[Setting::Cache]);
            return Err(Error::refused(what, without).about(Setting::Cache, ""));
        }
        let path = beside(paths);
        let stale = if path.exists() {
            if !begins_as_cache(&path) {
                let what = format!(
                    "{}: is no cache of rows, so it is not replaced",
                    path.display()
                );
                let without = Remedy::leave_out(&[Setting::Cache]);
                return Err(Error::refused(
                    what,
                    Remedy::clause("move it elsewhere").or(without),
                ));
            }
            match CacheFile::open(&path) {
                Ok(file) => {
                    let Some(then) = file.origin() else {
                        let what = format!(
                            "{}: is a cache that `convert` made, so it is not replaced",
                            path.display()
                        );
                        let read = Remedy::clause("rename it").or("read it instead");
                        return Err(Error::refused(what, read));
                    };
                    then.changed(&origin).map(Complaint::plain)
                }
                Err(error) => Some(Error::from(error).complaint()),
            }
        } else {
            Some(Complaint::plain("there is none yet"))
        };
        if let Some(why) = stale {
            let path_of_cache = path.clone();
            context.notice(Notice::MakingCache {
                path: path_of_cache,
                why,
            });
            let mut schema = (*reading.schema).clone();
            (schema.names, schema.preparation.bias) = (fresh, None);
            schema.text = Arc::default();
            let mut building = reading.of(Arc::new(schema));
            self.measure(&mut building)?;
            match self.write_cache(&building, &path, origin, context) {
                Ok(()) => {}
                Err(Unwritten::Data(failure)) => return Err(failure),
                Err(Unwritten::Cache(error)) => {
                    context.end();
                    context.notice(Notice::WithoutCache {
                        why: Complaint::new(error.to_string(), error.remedy()),
                    });
                    return Ok(self);
                }
            }
        } else {
            context.notice(Notice::UsingCache { path: path.clone() });
        }
        reading.options.format = None;
        // what stands for missing values is in the cache
        reading.options.means.get_or_insert_default();
        Ok(Data::Files(vec![path]))
    }

    fn write_cache(
        &self,
        reading: &Reading,
        path: &Path,
        origin: Origin,
        context: Context<'_>,
    ) -> Result<(), Unwritten> {
        let mut reader = self.reader(reading)?;
        let mut writer = CacheWriter::create(path).map_err(Unwritten::Cache)?;
        context.begin(Phase::Caching, reader.total_bytes());
        while reader.advance()? {
            reading.look_up()?;
            if let Some((rows, line)) = reader.lent() {
                writer.write(rows, line).map_err(Unwritten::Cache)?;
            }
            context.at(reader.bytes_read());
        }
        context.end();
        tell(&reader, context);
        let (schema, table) = (reader.schema(), reader.table());
        let about = CacheContents {
            names: &schema.names,
            table: table.as_ref(),
            text: Some(&schema.text),
            zero_based: reading.options.zero_based,
            origin: Some(origin),
        };
        writer.finish(about).map_err(Unwritten::Cache)
    }

    /// All rows, held.
    pub(crate) fn load(
        &self,
        reading: &Reading,
        limit: u128,
        unlabelled: Unlabelled,
        context: Context<'_>,
    ) -> Result<HeldRows, Error> {
        self.load_watched(reading, limit, unlabelled, context, |_| {})
            .map(|(held, _)| held)
    }

    /// All rows, held for models that know some features. An error if no row has one of them, unless the job is lenient.
    pub(crate) fn load_known(
        &self,
        reading: &Reading,
        limit: u128,
        known: &Known,
        context: Context<'_>,
    ) -> Result<HeldRows, Error> {
        let reading = reading.of(Arc::clone(&known.schema));
        let mut familiar = Familiar::default();
        let watch = |block: Block<'_>| familiar.block(block, &reading.schema, known.width);
        let loaded = self.load_watched(&reading, limit, known.unlabelled, context, watch);
        let (held, reader) = loaded?;
        familiar.finish(&reader, known.model.clone(), known.lenient, context)?;
        Ok(held)
    }

    fn load_watched(
        &self,
        reading: &Reading,
        limit: u128,
        unlabelled: Unlabelled,
        context: Context<'_>,
        mut watch: impl FnMut(Block<'_>),
    ) -> Result<(HeldRows, RowReader), Error> {
        let mut held = HeldRows::default();
        let mut reader = self.reader(reading)?;
        context.begin(Phase::Reading, reader.total_bytes());
        while reader.advance()? {
            reading.look_up()?;
            if let Some(block) = reader.current() {
                watch(block);
            }
            held.take(&mut reader, unlabelled, limit)?;
            context.at(reader.bytes_read());
        }
        context.end();
        describe(&reader, context);
        held.about(&reader);
        let held = held.finish()?;
        if held.is_spooled() {
            let limit = limit >> 20;
            context.notice(Notice::RowsSpooled { limit });
        }
        Ok((held, reader))
    }

    /// What the labels of the data ask for, given its first rows (all of them if `complete`).
    pub(crate) fn task(
        &self,
        first: &HeldRows,
        complete: bool,
        reading: &Reading,
    ) -> Result<Task, Error> {
        if first.begins_with_several_labels() {
            return Ok(Task::MultiLabel);
        }
        let rows = if self.is_stream() {
            glance(first)
        } else {
            first.len()
        };
        if first
            .labels()
            .take(rows)
            .all(|mut labels| labels.all(is_sign))
        {
            return Ok(Task::plus_minus());
        }
        if self.is_stream() {
            return Ok(Task::OneVsRest);
        }
        if !complete {
            return self.scanned_task(reading);
        }
        let mut names: Vec<LabelName> = Vec::new();
        for label in first.labels().flatten() {
            note(&mut names, label);
        }
        Ok(task_of(names))
    }

    /// What the labels of data that can be read again ask for, after a look at all of them.
    pub(crate) fn scanned_task(&self, reading: &Reading) -> Result<Task, Error> {
        if self.is_stream() {
            return Ok(Task::OneVsRest);
        }
        Ok(task_of(self.look_over(reading)?.labels))
    }

    /// The highest feature number, where it can be known before the rows are read.
    pub(crate) fn scanned_width(&self, reading: &Reading) -> Result<Option<u32>, Error> {
        if self.is_stream() {
            return Ok(None);
        }
        Ok(Some(self.look_over(reading)?.width))
    }

    fn look_over(&self, reading: &Reading) -> Result<Scan, Error> {
        if let Data::Files(paths) = self {
            let (options, names) = (&reading.options, &reading.schema.names);
            return Ok(scan(paths, options, names, reading.threads)?);
        }
        let (mut labels, mut width) = (Vec::new(), 0);
        let mut reader = self.reader(reading)?;
        while reader.advance()? {
            reading.look_up()?;
            if let Some(block) = reader.current() {
                width = width.max(block.width());
                for label in (0..block.len()).flat_map(|i| block.labels(i)) {
                    note(&mut labels, label);
                }
            }
        }
        Ok(Scan { labels, width })
    }
}

/// What models know of rows that they are tested on.
pub(crate) struct Known {
    /// Its names are frozen.
    pub(crate) schema: Arc<Schema>,
    /// The highest feature.
    pub(crate) width: u32,
    /// What rows without a label are.
    pub(crate) unlabelled: Unlabelled,
    /// The model's file, if it has one.
    pub(crate) model: Option<String>,
    pub(crate) lenient: bool,
}

impl Known {
    /// What learners know that learn from rows that are held.
    pub(crate) fn by_learners_of(held: &HeldRows, task: &Task, lenient: bool) -> Self {
        Known {
            schema: Arc::new(held.schema.frozen()),
            width: held.width(),
            unlabelled: Unlabelled::of(Some(task)),
            model: None,
            lenient,
        }
    }
}

/// Whether a label is -1 or +1.
pub(crate) fn is_sign(label: RawLabel<'_>) -> bool {
    matches!(label.number(), Some(-1.0 | 1.0))
}

/// Three labels are as good as many.
fn note(names: &mut Vec<LabelName>, label: RawLabel<'_>) {
    if names.len() < 3 && !names.iter().any(|name| name.is(label)) {
        names.push(LabelName::new(label));
    }
}

/// Whether a file begins as caches do.
fn begins_as_cache(path: &Path) -> bool {
    let mut mark = [0; 7];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut mark));
    read.is_ok() && &mark == b"NVKROWS"
}

/// Why there is no cache.
enum Unwritten {
    /// The data cannot be read.
    Data(Error),
    /// The cache cannot be written, though the data may be sound.
    Cache(WriteError),
}

impl<E: Into<Error>> From<E> for Unwritten {
    fn from(error: E) -> Self {
        Unwritten::Data(error.into())
    }
}

/// How many rows are looked at.
fn glance(held: &HeldRows) -> usize {
    let mut values = 0;
    let rows = held
        .blocks()
        .flat_map(|block| (0..block.len()).map(move |i| block.row(i)));
    let enough = |x: &novikoff::row::Row<'_>| {
        values += x.len();
        values < GLANCE_VALUES
    };
    // the row that makes it enough is looked at too
    let before = rows.take(GLANCE_ROWS).take_while(enough).count();
    (before + 1).min(held.len()).min(GLANCE_ROWS)
}

/// Whether enough rows of a stream have been seen to tell what its labels are.
pub(crate) fn seen_enough(held: &HeldRows) -> bool {
    held.len() >= GLANCE_ROWS || held.values() >= GLANCE_VALUES
}

/// What is worth saying about data that was read.
pub(crate) fn tell(reader: &RowReader, context: Context<'_>) {
    tell_skipped(reader.skipped(), context);
    describe(reader, context);
}

/// How many bad lines were passed over, if there were some.
pub(crate) fn tell_skipped(skipped: Skipped, context: Context<'_>) {
    let Skipped { lines, samples } = skipped;
    if lines > 0 {
        context.notice(Notice::BadLines { lines, samples });
    }
}

/// What is worth saying of its columns, and what the data was taken for, for who asks.
pub(crate) fn describe(reader: &RowReader, context: Context<'_>) {
    // where most columns are missing, one remark or one error says so for all
    let is_said = reader.facts().is_mostly_absent();
    for remark in reader.remarks() {
        if !(is_said && matches!(remark, Remark::MissingColumn { .. })) {
            context.remark(remark);
        }
    }
    let RowReader::Files(reader) = reader else {
        return;
    };
    if let Some(column) = reader.guessed_label() {
        let column = column.to_owned();
        context.notice(Notice::GuessedLabel { column });
    }
    if !context.listener.wants_details() {
        return;
    }
    let (bytes, format) = (reader.bytes_read(), reader.format());
    context.notice(Notice::ReadAs { bytes, format });
    if let Some(table) = reader.table() {
        let columns = table.columns.iter();
        context.notice(Notice::Columns {
            label: table.label.clone(),
            columns: columns.map(|c| (c.name.clone(), c.kind)).collect(),
        });
    }
}

/// Rows in memory number their features as the model does.
pub(crate) fn check_places(names: &Names, reading: &Reading) -> Result<(), Error> {
    if fits(names, &reading.schema.names) {
        return Ok(());
    }
    Err(Error::refused(
        "the features of the rows in memory do not have the places that the model gives their names",
        "number them as the model does",
    ))
}

/// Whether features have the slots that other names give them; names that are new there must follow the others.
fn fits(names: &Names, known: &Names) -> bool {
    let is_fresh = known.iter().next().is_none() && known.highest() == 0;
    let mut slots = 1..=names.highest();
    is_fresh
        || names.iter().next().is_none() && known.iter().next().is_none()
        || slots.all(|slot| match names.name(slot) {
            Some(name) => match known.slot(name.as_bytes()) {
                Some(there) => there == slot,
                None => slot > known.highest(),
            },
            None => known.name(slot).is_none(),
        })
}

/// A built-in generator as a source like any other.
struct Generated(Generator);

impl BlockSource for Generated {
    fn next_rows(&mut self, out: &mut Rows) -> Result<bool, String> {
        let Ok(next) = self.0.next_block();
        if let Some(block) = next {
            out.append(block, 0);
        }
        Ok(next.is_some())
    }
}
