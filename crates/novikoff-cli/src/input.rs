//! Data: from the words of the command line to rows, streamed or held in memory.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use novikoff::classes::{LabelError, Task};
use novikoff::label::{LabelName, RawLabel};
use novikoff::model::TrialError;
use novikoff::names::Names;
use novikoff::run::Stopped;
use novikoff::source::Source as _;
use novikoff_data::atomic::WriteError;
use novikoff_data::blocks::{Input, ReadOptions, Reader};
use novikoff_data::cache::{About, CacheFile, CacheWriter, Origin, beside};
use novikoff_data::digits::digits;
use novikoff_data::error::DataError;
use novikoff_data::generate::{Generator, is_generator};
use novikoff_data::scan::{Scan, scan};

use crate::error::Failure;
pub(crate) use crate::held::Held;
use crate::job;
use crate::labelled::Bare;
use crate::progress::Progress;

/// How many rows, or values, of a stream are looked at to tell what its labels are.
const GLANCE_ROWS: usize = 10_000;
const GLANCE_VALUES: usize = 250_000;

/// How rows are read.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) options: ReadOptions,
    /// The features known beforehand.
    pub(crate) names: Names,
    pub(crate) threads: usize,
}

impl Reading {
    /// An error once the run was told to stop.
    pub(crate) fn look_up(&self) -> Result<(), DataError> {
        match self.options.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) != 0 => Err(DataError::Interrupted),
            _ => Ok(()),
        }
    }
}

/// Where the rows come from.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Files(Vec<PathBuf>),
    Stdin,
    Digits,
    Generated(String),
}

impl Data {
    /// What the words mean; several paths are read as one.
    pub(crate) fn named(words: &[String]) -> Result<Self, Failure> {
        let built_in = |word: &str| word == "digits" || is_generator(word);
        match words {
            [word] if word == "-" => Ok(Data::Stdin),
            [word] if word == "digits" => Ok(Data::Digits),
            [word] if is_generator(word) => {
                Generator::new(word)?;
                Ok(Data::Generated(word.clone()))
            }
            words => match words.iter().find(|word| *word == "-" || built_in(word)) {
                Some(word) => Err(format!(
                    "{word}: several inputs are read as one, but only files can be; write ./{word} for a file of that name"
                )
                .into()),
                None => Ok(Data::Files(words.iter().map(PathBuf::from).collect())),
            },
        }
    }

    /// Whether the rows come from somewhere that cannot be read twice.
    pub(crate) fn is_stream(&self) -> bool {
        match self {
            Data::Stdin => true,
            // what is there but no regular file: a pipe
            Data::Files(paths) => paths
                .iter()
                .any(|path| path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())),
            Data::Digits | Data::Generated(_) => false,
        }
    }

    /// Fails at once if the data is not there.
    pub(crate) fn check(&self, reading: &Reading) -> Result<(), Failure> {
        self.reader(reading).map(drop)
    }

    /// The inputs' names, with their sizes where they have one.
    pub(crate) fn inputs(&self) -> Vec<(String, Option<u64>)> {
        match self {
            Data::Files(paths) => {
                let size = |path: &PathBuf| {
                    let about = path.metadata().ok().filter(std::fs::Metadata::is_file);
                    about.map(|about| about.len())
                };
                let named = |path: &PathBuf| (path.display().to_string(), size(path));
                paths.iter().map(named).collect()
            }
            Data::Stdin => vec![("-".to_owned(), None)],
            Data::Digits => vec![("digits".to_owned(), None)],
            Data::Generated(spec) => vec![(spec.clone(), None)],
        }
    }

    /// Whether a path is one of those read.
    pub(crate) fn reads(&self, path: &Path) -> bool {
        let same = |other: &PathBuf| job::is_same_file(path, other);
        matches!(self, Data::Files(paths) if paths.iter().any(same))
    }

    /// A reader of the rows, unless they are built in.
    pub(crate) fn reader(&self, reading: &Reading) -> Result<Option<Reader>, Failure> {
        let inputs = match self {
            Data::Files(paths) => paths.iter().cloned().map(Input::Path).collect(),
            Data::Stdin => vec![Input::Stdin],
            Data::Digits | Data::Generated(_) => return Ok(None),
        };
        let (options, names) = (reading.options.clone(), reading.names.clone());
        let reader = Reader::with_names(inputs, options, reading.threads, names)?;
        Ok(Some(reader))
    }

    /// The cache beside the files, made anew if they or the way they are read have changed; what
    /// cannot be cached is left as it is.
    pub(crate) fn cached(
        self,
        reading: &mut Reading,
        fresh: Names,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let Data::Files(paths) = &self else {
            return Ok(self);
        };
        let Some(origin) = Origin::of(paths, &reading.options, fresh.bits())? else {
            progress.remark("--cache: a pipe is not cached");
            return Ok(self);
        };
        let path = beside(paths);
        let stale = if path.exists() {
            if !begins_as_cache(&path) {
                return Err(format!("{}: is no cache of rows, so it is not replaced; move it elsewhere, or leave --cache out", path.display()).into());
            }
            match CacheFile::open(&path) {
                Ok(file) => match file.origin() {
                    Some(then) => then.changed(&origin),
                    None => return Err(format!("{}: is a cache that `convert` made, so it is not replaced; rename it, or read it instead", path.display()).into()),
                },
                Err(error) => Some(error.to_string()),
            }
        } else {
            Some("there is none yet".to_owned())
        };
        if let Some(why) = stale {
            progress.remark(&format!("making the cache {}: {why}", path.display()));
            let options = ReadOptions {
                bias: None,
                ..reading.options.clone()
            };
            let building = Reading {
                options,
                names: fresh,
                threads: reading.threads,
            };
            match self.write_cache(&building, &path, origin, progress) {
                Ok(()) => {}
                Err(Unwritten::Data(failure)) => return Err(failure),
                Err(Unwritten::Cache(error)) => {
                    progress.end();
                    progress.remark(&format!("the run goes on without a cache: {error}"));
                    return Ok(self);
                }
            }
        } else {
            progress.detail(|| format!("using the cache {}", path.display()));
        }
        reading.options.format = None;
        Ok(Data::Files(vec![path]))
    }

    fn write_cache(
        &self,
        reading: &Reading,
        path: &Path,
        origin: Origin,
        progress: &Progress,
    ) -> Result<(), Unwritten> {
        let Some(mut reader) = self.reader(reading)? else {
            return Ok(());
        };
        let mut writer = CacheWriter::create(path).map_err(Unwritten::Cache)?;
        progress.begin(reader.total_bytes(), "caching");
        while reader.next_block()?.is_some() {
            reading.look_up()?;
            if let Some(rows) = reader.current() {
                let first = reader.place(0).line.saturating_sub(1 + rows.line(0));
                writer.write(rows, first).map_err(Unwritten::Cache)?;
            }
            progress.at(reader.bytes_read());
        }
        progress.end();
        tell(&reader, progress);
        let (names, table) = (reader.names().clone(), reader.table().cloned());
        let about = About {
            names: &names,
            table: table.as_ref(),
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
        bare: Bare,
        progress: &Progress,
    ) -> Result<Held, Failure> {
        let mut held = Held::default();
        if let Some(mut reader) = self.reader(reading)? {
            progress.begin(reader.total_bytes(), "reading");
            while reader.next_block()?.is_some() {
                reading.look_up()?;
                held.take(&mut reader, bare, limit)?;
                progress.at(reader.bytes_read());
            }
            progress.end();
            describe(&reader, progress);
            held.about(&reader);
            let held = held.finish()?;
            if held.is_spooled() {
                let limit = limit >> 20;
                progress.remark(&format!("the rows take more than {limit} MB, so they are in a temporary file; --max-memory would hold more"));
            }
            return Ok(held);
        }
        match self {
            Data::Generated(spec) => {
                let mut generator = Generator::new(spec)?.with_bias(reading.options.bias);
                while let Ok(Some(block)) = generator.next_block() {
                    reading.look_up()?;
                    held.append(block, limit)?;
                }
            }
            _ => held.append(digits(reading.options.bias).view(), limit)?,
        }
        held.finish()
    }

    /// What the labels of the data ask for, given its first rows (all of them if `complete`).
    pub(crate) fn task(
        &self,
        first: &Held,
        complete: bool,
        reading: &Reading,
    ) -> Result<Task, Failure> {
        if first.begins_with_several_labels() {
            return Ok(Task::MultiLabel);
        }
        let rows = if self.is_stream() {
            glance(first)
        } else {
            first.len()
        };
        let is_sign = |label: RawLabel<'_>| matches!(label.number(), Some(-1.0 | 1.0));
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
            if !names.iter().any(|name| name.is(label)) {
                names.push(LabelName::new(label));
                if names.len() > 2 {
                    break;
                }
            }
        }
        Ok(two_or_more(names))
    }

    /// What the labels of files ask for, after a look at all of them.
    pub(crate) fn scanned_task(&self, reading: &Reading) -> Result<Task, Failure> {
        Ok(match self {
            Data::Files(paths) => {
                let labels = look_over(paths, reading)?.labels;
                let is_sign = |label: &LabelName| matches!(label.number(), Some(-1.0 | 1.0));
                if labels.iter().all(is_sign) {
                    Task::plus_minus()
                } else {
                    two_or_more(labels)
                }
            }
            _ => Task::OneVsRest,
        })
    }

    /// The highest feature number, where it can be known before the rows are read.
    pub(crate) fn scanned_width(&self, reading: &Reading) -> Result<Option<u32>, Failure> {
        Ok(match self {
            Data::Files(paths) => Some(look_over(paths, reading)?.width),
            _ => None,
        })
    }
}

fn look_over(paths: &[PathBuf], reading: &Reading) -> Result<Scan, Failure> {
    let (options, names) = (&reading.options, &reading.names);
    Ok(scan(paths, options, names, reading.threads)?)
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
    Data(Failure),
    /// The cache cannot be written, though the data may be sound.
    Cache(WriteError),
}

impl<E: Into<Failure>> From<E> for Unwritten {
    fn from(error: E) -> Self {
        Unwritten::Data(error.into())
    }
}

fn two_or_more(names: Vec<LabelName>) -> Task {
    match <[LabelName; 2]>::try_from(names) {
        Ok([a, b]) => Task::pair(a, b),
        Err(_) => Task::OneVsRest,
    }
}

/// How many rows are looked at.
fn glance(held: &Held) -> usize {
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
pub(crate) fn seen_enough(held: &Held) -> bool {
    held.len() >= GLANCE_ROWS || held.values() >= GLANCE_VALUES
}

/// What is worth saying about data that was read.
pub(crate) fn tell(reader: &Reader, progress: &Progress) {
    let skipped = reader.skipped();
    if skipped.lines > 0 {
        progress.remark(&format!(
            "{} bad lines were passed over, such as",
            skipped.lines
        ));
        for sample in &skipped.samples {
            progress.remark(&format!("  {sample}"));
        }
    }
    describe(reader, progress);
}

/// What the data was taken for, for who asks.
pub(crate) fn describe(reader: &Reader, progress: &Progress) {
    progress.detail(|| {
        let format = reader.format().map_or("nothing", |format| format.name());
        let bytes = novikoff_report::count(reader.bytes_read());
        format!("read {bytes} bytes, the last input as {format}")
    });
    if let Some(table) = reader.table() {
        progress.detail(|| {
            let label = table.label.as_deref().unwrap_or("none");
            let kind = |column: &novikoff::table::Column| {
                let kind = if column.categorical {
                    "categories"
                } else {
                    "numbers"
                };
                format!("{} ({kind})", column.name)
            };
            let columns: Vec<String> = table.columns.iter().take(20).map(kind).collect();
            let more = if table.columns.len() > 20 {
                ", ..."
            } else {
                ""
            };
            format!("label: {label}; columns: {}{more}", columns.join(", "))
        });
    }
}

/// Whether a run stopped because a binary problem met a third label.
pub(crate) fn is_third_label(stopped: &Stopped) -> bool {
    matches!(stopped.error, TrialError::Label(LabelError::Third { .. }))
}
