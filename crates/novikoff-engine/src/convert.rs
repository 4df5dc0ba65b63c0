//! Writes rows in another format.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use novikoff::names::Names;
use novikoff::rows::Block;
use novikoff::schema::Schema;
use novikoff::source::Source as _;
use novikoff::table::Table;
use novikoff_data::atomic::{NewFile, publish};
use novikoff_data::cache::{CacheContents, CacheWriter};
use novikoff_data::digits::digits;
use novikoff_data::generate::Generator;
use novikoff_data::write::SvmlightWriter;
use novikoff_data::write::columnar::{ArrowWriter, ParquetWriter};
use novikoff_data::write::csv::CsvWriter;
use novikoff_data::write::json::JsonWriter;
use novikoff_data::write::vw::VwWriter;

use crate::Error;
use crate::data::{self, Data, Reading};
use crate::events::{Context, Notice, Phase};
use crate::files::{check_writable, read_as_data};
use crate::labels::Unlabelled;
use crate::options::RowOptions;

/// Rows to be written in the format that the name of the output asks for.
#[derive(Clone, Debug)]
pub struct Convert {
    /// The rows.
    pub data: Data,
    /// Where they are written.
    pub output: PathBuf,
    /// How rows are read.
    pub rows: RowOptions,
}

impl Convert {
    /// Writes them.
    pub fn run(&self, context: Context<'_>) -> Result<(), Error> {
        let (target, packing) = target(&self.output.to_string_lossy())?;
        check_writable(&self.output)?;
        if self.data.reads(&self.output) {
            return Err(read_as_data(&self.output));
        }
        let mut reading = self.rows.reading(None, context);
        // a column that was named must be there; otherwise a table need not have a label
        reading.options.unlabelled = self.rows.read.label.is_none();
        self.data.measure(&mut reading)?;
        let (run, memory) = (
            Conversion {
                data: &self.data,
                reading: &reading,
                context,
                out: &self.output,
            },
            self.rows.memory,
        );
        match target {
            OutputFormat::Cache => run.cache(),
            OutputFormat::Parquet | OutputFormat::Arrow => run.columns(target, memory),
            OutputFormat::Csv(delimiter) => run.table(delimiter, packing, memory),
            OutputFormat::Svmlight | OutputFormat::Vw | OutputFormat::Json => {
                run.lines(target, packing)
            }
        }
    }
}

/// Writes built-in data as svmlight text: `digits`, or a generator by its spec.
pub fn generate(spec: &str, out: &mut impl Write) -> Result<(), Error> {
    let mut writer = SvmlightWriter::new(out);
    if spec == "digits" {
        return writer.write(digits(None).view()).map_err(Error::Output);
    }
    let mut generator = Generator::new(spec)?;
    while let Ok(Some(block)) = generator.next_block() {
        writer.write(block).map_err(Error::Output)?;
    }
    Ok(())
}

/// What the name of the output asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputFormat {
    Svmlight,
    Vw,
    Json,
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

const NAMES: &str = ".svm, .libsvm, .txt, .vw, .csv, .tsv, .jsonl, .parquet, .arrow or .nvk";

/// The format and the compression that a name asks for.
fn target(path: &str) -> Result<(OutputFormat, Packing), Error> {
    let lower = path.to_ascii_lowercase();
    let (name, packing) = if let Some(name) = lower.strip_suffix(".gz") {
        (name, Packing::Gzip)
    } else if let Some(name) = lower.strip_suffix(".zst") {
        (name, Packing::Zstd)
    } else {
        (lower.as_str(), Packing::None)
    };
    let target = match Path::new(name).extension().and_then(|e| e.to_str()) {
        Some("svm" | "svmlight" | "libsvm" | "txt") => OutputFormat::Svmlight,
        Some("vw") => OutputFormat::Vw,
        Some("csv") => OutputFormat::Csv(b','),
        Some("tsv" | "tab") => OutputFormat::Csv(b'\t'),
        Some("jsonl" | "ndjson" | "json") => OutputFormat::Json,
        Some("parquet") => OutputFormat::Parquet,
        Some("arrow" | "ipc" | "feather") => OutputFormat::Arrow,
        Some("nvk") => OutputFormat::Cache,
        _ => {
            return Err(Error::plain(format!(
                "{path}: the name of the output says the format, and must end in {NAMES}; .gz or .zst may follow for text"
            )));
        }
    };
    let text = !matches!(
        target,
        OutputFormat::Parquet | OutputFormat::Arrow | OutputFormat::Cache
    );
    if packing != Packing::None && !text {
        let what = format!("{path}: only text is compressed as a whole");
        return Err(Error::refused(what, "leave the .gz or .zst out"));
    }
    Ok((target, packing))
}

struct Conversion<'a> {
    data: &'a Data,
    reading: &'a Reading,
    context: Context<'a>,
    out: &'a Path,
}

/// What is known once all rows were read.
struct FinalSchema {
    schema: Arc<Schema>,
    /// The columns of the tables that were read, if there was one.
    table: Option<Table>,
}

impl Conversion<'_> {
    /// Hands on all rows, block by block; `line` is the line of the block's first, counted from 0.
    fn each(
        &self,
        mut block: impl FnMut(Block<'_>, &Names, u64) -> Result<(), Error>,
    ) -> Result<FinalSchema, Error> {
        let mut reader = self.data.reader(self.reading)?;
        self.context.begin(Phase::Converting, reader.total_bytes());
        while reader.advance()? {
            self.reading.look_up()?;
            let Some((rows, line)) = reader.lent() else {
                continue;
            };
            block(rows, &reader.schema().names, line)?;
            self.context.at(reader.bytes_read());
        }
        self.context.end();
        data::tell(&reader, self.context);
        let (schema, table) = (reader.schema(), reader.table());
        Ok(FinalSchema { schema, table })
    }

    fn cache(&self) -> Result<(), Error> {
        let mut writer = CacheWriter::create(self.out)?;
        let known = self.each(|rows, _, line| Ok(writer.write(rows, line)?))?;
        let about = CacheContents {
            names: &known.schema.names,
            table: known.table.as_ref(),
            text: Some(&known.schema.text),
            zero_based: self.reading.options.zero_based,
            origin: None,
        };
        Ok(writer.finish(about)?)
    }

    /// Formats that are written line by line.
    fn lines(&self, target: OutputFormat, packing: Packing) -> Result<(), Error> {
        let mut out = Packed::create(self.out, packing)?;
        let mut named = false;
        let failed = |error| self.failed(&error);
        match target {
            OutputFormat::Svmlight => {
                let mut writer = SvmlightWriter::new(&mut out);
                self.each(|rows, names, _| {
                    named |= names.iter().next().is_some();
                    writer.write(rows).map_err(failed)
                })?;
            }
            OutputFormat::Json => {
                let mut writer = JsonWriter::new(&mut out);
                self.each(|rows, names, _| writer.write(rows, names).map_err(failed))?;
            }
            _ => {
                let mut writer = VwWriter::new(&mut out);
                self.each(|rows, names, _| writer.write(rows, names).map_err(failed))?;
            }
        }
        if named {
            self.context.notice(Notice::NamesLost);
        }
        out.finish(self.out)
    }

    /// Text tables: their columns are known when all rows are.
    fn table(&self, delimiter: u8, packing: Packing, memory: u128) -> Result<(), Error> {
        let held = self
            .data
            .load(self.reading, memory, Unlabelled::Rows, self.context)?;
        let mut out = Packed::create(self.out, packing)?;
        let failed = |error| self.failed(&error);
        let mut writer = CsvWriter::new(&mut out, delimiter, &held.schema.names, held.width())
            .map_err(failed)?;
        for block in held.blocks() {
            writer.write(block).map_err(failed)?;
        }
        out.finish(self.out)
    }

    /// Binary tables: their columns, too.
    fn columns(&self, target: OutputFormat, memory: u128) -> Result<(), Error> {
        let held = self
            .data
            .load(self.reading, memory, Unlabelled::Rows, self.context)?;
        let file = BufWriter::with_capacity(1 << 18, NewFile::create(self.out)?);
        let (names, width) = (&held.schema.names, held.width());
        let failed = |error| self.failed(&error);
        let file = if target == OutputFormat::Parquet {
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
        Ok(publish(file.map_err(failed)?)?)
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        if error.kind() == std::io::ErrorKind::InvalidInput {
            Error::plain(format!("{}: {error}", self.out.display()))
        } else {
            Error::plain(format!(
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
    fn create(path: &Path, packing: Packing) -> Result<Self, Error> {
        let file = BufWriter::with_capacity(1 << 18, NewFile::create(path)?);
        Ok(match packing {
            Packing::None => Packed::Plain(file),
            Packing::Gzip => Packed::Gzip(GzEncoder::new(file, Compression::default())),
            Packing::Zstd => {
                let encoder = zstd::stream::write::Encoder::new(file, 0);
                Packed::Zstd(encoder.map_err(Error::Output)?)
            }
        })
    }

    fn finish(self, path: &Path) -> Result<(), Error> {
        let failed = |error| {
            Error::plain(format!(
                "{}: cannot write it: {error}; the file of that name, if there was one, is unchanged",
                path.display()
            ))
        };
        let file = match self {
            Packed::Plain(file) => file,
            Packed::Gzip(encoder) => encoder.finish().map_err(failed)?,
            Packed::Zstd(encoder) => encoder.finish().map_err(failed)?,
        };
        Ok(publish(file)?)
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
