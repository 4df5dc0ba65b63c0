//! `novikoff convert`: the same rows in another format.

use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use novikoff::names::Names;
use novikoff::rows::Block;
use novikoff::source::Source as _;
use novikoff::table::Table;
use novikoff_data::atomic::NewFile;
use novikoff_data::cache::{About, CacheWriter};
use novikoff_data::generate::Generator;
use novikoff_data::write::SvmlightWriter;
use novikoff_data::write::columnar::{ArrowWriter, ParquetWriter};
use novikoff_data::write::csv::CsvWriter;
use novikoff_data::write::vw::VwWriter;

use crate::args::ConvertArgs;
use crate::error::Failure;
use crate::input::{self, Data, Reading};
use crate::job;
use crate::labelled::Bare;
use crate::progress::Progress;

/// What the name of the output asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Svmlight,
    Vw,
    Csv(u8),
    Parquet,
    Arrow,
    Cache,
}

/// How the output is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Zstd,
}

const NAMES: &str = ".svm, .libsvm, .txt, .vw, .csv, .tsv, .parquet, .arrow or .nvk";

/// The format and the compression that a name asks for.
fn target(path: &str) -> Result<(Target, Packing), Failure> {
    let lower = path.to_ascii_lowercase();
    let (name, packing) = if let Some(name) = lower.strip_suffix(".gz") {
        (name, Packing::Gzip)
    } else if let Some(name) = lower.strip_suffix(".zst") {
        (name, Packing::Zstd)
    } else {
        (lower.as_str(), Packing::None)
    };
    let target = match Path::new(name).extension().and_then(|e| e.to_str()) {
        Some("svm" | "svmlight" | "libsvm" | "txt") => Target::Svmlight,
        Some("vw") => Target::Vw,
        Some("csv") => Target::Csv(b','),
        Some("tsv" | "tab") => Target::Csv(b'\t'),
        Some("parquet") => Target::Parquet,
        Some("arrow" | "ipc" | "feather") => Target::Arrow,
        Some("nvk") => Target::Cache,
        _ => {
            return Err(format!(
                "{path}: the format is told by the name of the output, which must end in {NAMES}; .gz or .zst may follow for text"
            )
            .into());
        }
    };
    let text = matches!(target, Target::Svmlight | Target::Vw | Target::Csv(_));
    if packing != Packing::None && !text {
        return Err(format!(
            "{path}: only text is compressed as a whole; leave the .gz or .zst out"
        )
        .into());
    }
    Ok((target, packing))
}

pub(crate) fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let Some((out, words)) = args.paths.split_last() else {
        return Err("give the data and the output, as in `novikoff convert in.csv out.nvk`".into());
    };
    let (target, packing) = target(out)?;
    let data = Data::named(words)?;
    let out = Path::new(out);
    job::check_writable(out)?;
    if data.reads(out) {
        return Err(format!(
            "{}: is read as data and cannot be written; give another name",
            out.display()
        )
        .into());
    }
    let mut reading = args.rows.reading(None);
    // a column that was named must be there; otherwise a table need not have a label
    reading.options.unlabelled = args.rows.label.is_none();
    let progress = Progress::new(args.rows.quiet).verbose(args.rows.verbose);
    let memory = job::memory(args.rows.max_memory);
    let job = Job {
        data: &data,
        reading: &reading,
        progress: &progress,
        out,
    };
    match target {
        Target::Cache => job.cache(),
        Target::Parquet | Target::Arrow => job.columns(target, memory),
        Target::Csv(delimiter) => job.table(delimiter, packing, memory),
        Target::Svmlight | Target::Vw => job.lines(target, packing),
    }
}

struct Job<'a> {
    data: &'a Data,
    reading: &'a Reading,
    progress: &'a Progress,
    out: &'a Path,
}

/// What is known once all rows were read.
struct Known {
    names: Names,
    table: Option<Table>,
}

impl Job<'_> {
    /// Hands on all rows, block by block; `line` is the line of the block's first, counted from 0.
    fn each(
        &self,
        mut block: impl FnMut(Block<'_>, &Names, u64) -> Result<(), Failure>,
    ) -> Result<Known, Failure> {
        let Some(mut reader) = self.data.reader(self.reading)? else {
            match self.data {
                Data::Generated(spec) => {
                    let mut generator = Generator::new(spec)?;
                    while let Ok(Some(rows)) = generator.next_block() {
                        block(rows, &Names::new(), 0)?;
                    }
                }
                _ => block(novikoff_data::digits::digits(None).view(), &Names::new(), 0)?,
            }
            return Ok(Known {
                names: Names::new(),
                table: None,
            });
        };
        self.progress.begin(reader.total_bytes(), "converting");
        while reader.next_block()?.is_some() {
            let Some(rows) = reader.current() else {
                continue;
            };
            let first = reader.place(0).line.saturating_sub(1 + rows.line(0));
            block(rows, &reader.names(), first)?;
            self.progress.at(reader.bytes_read());
        }
        self.progress.end();
        input::tell(&reader, self.progress);
        let (names, table) = (reader.names().clone(), reader.table().cloned());
        Ok(Known { names, table })
    }

    fn cache(&self) -> Result<(), Failure> {
        let mut writer = CacheWriter::create(self.out)?;
        let known = self.each(|rows, _, line| Ok(writer.write(rows, line)?))?;
        let about = About {
            names: &known.names,
            table: known.table.as_ref(),
            zero_based: self.reading.options.zero_based,
            origin: None,
        };
        Ok(writer.finish(about)?)
    }

    /// Formats that are written line by line.
    fn lines(&self, target: Target, packing: Packing) -> Result<(), Failure> {
        let mut out = Packed::create(self.out, packing)?;
        let mut named = false;
        if target == Target::Svmlight {
            let mut writer = SvmlightWriter::new(&mut out);
            self.each(|rows, names, _| {
                named |= names.iter().next().is_some();
                writer.write(rows).map_err(|error| self.failed(&error))
            })?;
        } else {
            let mut writer = VwWriter::new(&mut out);
            self.each(|rows, names, _| {
                writer
                    .write(rows, names)
                    .map_err(|error| self.failed(&error))
            })?;
        }
        if named {
            self.progress.remark("svmlight text knows features by number only: their names are not in it; .vw, .csv and .nvk keep them");
        }
        out.finish(self.out)
    }

    /// Text tables: their columns are known when all rows are.
    fn table(&self, delimiter: u8, packing: Packing, memory: u128) -> Result<(), Failure> {
        let held = self
            .data
            .load(self.reading, memory, Bare::Rows, self.progress)?;
        let mut out = Packed::create(self.out, packing)?;
        let failed = |error| self.failed(&error);
        let mut writer =
            CsvWriter::new(&mut out, delimiter, &held.names, held.width()).map_err(failed)?;
        for block in held.blocks() {
            writer.write(block).map_err(failed)?;
        }
        out.finish(self.out)
    }

    /// Binary tables: their columns, too.
    fn columns(&self, target: Target, memory: u128) -> Result<(), Failure> {
        let held = self
            .data
            .load(self.reading, memory, Bare::Rows, self.progress)?;
        let file = BufWriter::with_capacity(1 << 18, NewFile::create(self.out)?);
        let (names, width) = (&held.names, held.width());
        let failed = |error| self.failed(&error);
        let file = if target == Target::Parquet {
            let mut writer = ParquetWriter::new(file, width, names).map_err(failed)?;
            for block in held.blocks() {
                writer.write(block).map_err(failed)?;
            }
            writer.finish()
        } else {
            let mut writer = ArrowWriter::new(file, width, names).map_err(failed)?;
            for block in held.blocks() {
                writer.write(block).map_err(failed)?;
            }
            writer.finish()
        };
        crate::trace::publish(file.map_err(failed)?)
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        if error.kind() == std::io::ErrorKind::InvalidInput {
            Failure::Message(format!("{}: {error}", self.out.display()))
        } else {
            Failure::Message(format!(
                "{}: cannot write it: {error}; the file of that name, if there was one, is unchanged",
                self.out.display()
            ))
        }
    }
}

/// A new file, compressed on the way if need be.
enum Packed {
    Plain(BufWriter<NewFile>),
    Gzip(GzEncoder<BufWriter<NewFile>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<NewFile>>),
}

impl Packed {
    fn create(path: &Path, packing: Packing) -> Result<Self, Failure> {
        let file = BufWriter::with_capacity(1 << 18, NewFile::create(path)?);
        Ok(match packing {
            Packing::None => Packed::Plain(file),
            Packing::Gzip => Packed::Gzip(GzEncoder::new(file, Compression::default())),
            Packing::Zstd => Packed::Zstd(zstd::stream::write::Encoder::new(file, 0)?),
        })
    }

    fn finish(self, path: &Path) -> Result<(), Failure> {
        let failed = |error| {
            Failure::Message(format!(
                "{}: cannot write it: {error}; the file of that name, if there was one, is unchanged",
                path.display()
            ))
        };
        let file = match self {
            Packed::Plain(file) => file,
            Packed::Gzip(encoder) => encoder.finish().map_err(failed)?,
            Packed::Zstd(encoder) => encoder.finish().map_err(failed)?,
        };
        crate::trace::publish(file)
    }
}

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Packed::Plain(file) => file.write(bytes),
            Packed::Gzip(file) => file.write(bytes),
            Packed::Zstd(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Packed::Plain(file) => file.flush(),
            Packed::Gzip(file) => file.flush(),
            Packed::Zstd(file) => file.flush(),
        }
    }
}
