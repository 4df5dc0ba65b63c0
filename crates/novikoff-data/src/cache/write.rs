//! Writing a cache, in one pass.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use novikoff::names::Names;
use novikoff::rows::{Block, Rows};
use novikoff::table::Table;
use novikoff::text_statistics::TextStatistics;

use super::dictionary::Dictionary;
use super::file::CacheFile;
use super::footer::{CachedNames, Footer};
use super::layout::{ALIGN, BlockEntry};
use super::origin::Origin;
use super::word_counts::WordCounts;
use super::{END, FOREIGN, MAX_FOOTER, VERSION, check};
use crate::atomic::{NewFile, WriteError, advice};
use crate::error::DataError;
use crate::header_records::{self, Records};
use crate::sniff;
use crate::stored_table::StoredTable;

/// The most rows of a block.
const BLOCK_ROWS: usize = 4096;

/// A block of this many bytes takes no more rows: it should stay in a core's second-level cache
/// from being checked to being learned from.
const BLOCK_BYTES: usize = 256 << 10;

/// Bytes are handed to the system in pieces of this size: it then keeps them in large pages, which are
/// quickly mapped.
const PIECE: usize = 2 << 20;

/// Writes rows into a cache: a [`NewFile`], or a [`File`] without a name.
pub struct CacheWriter<W> {
    out: W,
    /// What errors say.
    path: PathBuf,
    doing: &'static str,
    otherwise: &'static str,
    /// Where the next byte goes.
    at: u64,
    /// The last bytes, which were not handed on yet.
    bytes: Vec<u8>,
    /// The rows of the next block.
    rows: Rows,
    directory: Vec<BlockEntry>,
    /// How many rows, values and features were written.
    counts: (u64, u64, u32),
    /// The constant feature is kept.
    constant: bool,
}

/// What there is to say about rows once all were seen.
#[derive(Clone, Debug)]
pub struct CacheContents<'a> {
    /// The names of their features.
    pub names: &'a Names,
    /// The columns of the table they came from, if they did.
    pub table: Option<&'a Table>,
    /// How many rows have each word, if there is text.
    pub text: Option<&'a TextStatistics>,
    /// svmlight text counted its features from 0.
    pub zero_based: bool,
    /// What they were read from, for a cache that is kept beside it.
    pub origin: Option<Origin>,
}

impl CacheWriter<NewFile> {
    /// Begins a cache that will be at `path`, or replace what is there, once it is finished.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let out = NewFile::create(path)?;
        let otherwise = "the file of that name, if there was one, is unchanged";
        Self::begin(out, path.to_owned(), "write it", otherwise)
    }

    /// Writes the rest, and puts the file in its place.
    pub fn finish(mut self, about: CacheContents<'_>) -> Result<(), WriteError> {
        self.end(about)?;
        self.out.commit()
    }
}

impl CacheWriter<File> {
    /// Begins a cache that is gone when it is closed: in `folder`, or where the system keeps temporary
    /// files (`TMPDIR`).
    pub fn temporary(folder: Option<&Path>) -> Result<Self, WriteError> {
        let folder = folder.map_or_else(std::env::temp_dir, Path::to_owned);
        let doing = "write a temporary file there";
        let otherwise = "set TMPDIR to a directory with room";
        let out = tempfile::tempfile_in(&folder).map_err(|source| WriteError::Io {
            path: folder.clone(),
            doing,
            advice: otherwise,
            // the system's own words, without the hidden name
            source: source.kind().into(),
        })?;
        Self::begin(out, folder, doing, otherwise)
    }

    /// Keeps the constant feature (slot 0) of rows, for the run that has it.
    #[must_use]
    pub fn with_constant(self) -> Self {
        CacheWriter {
            constant: true,
            ..self
        }
    }

    /// Writes the rest, and opens what was written.
    pub fn finish(mut self, about: CacheContents<'_>) -> Result<CacheFile, WriteError> {
        self.end(about)?;
        let opened = CacheFile::of(&self.out, "<temporary file>".to_owned());
        opened.map_err(|error| match error {
            DataError::Io { source, .. } => self.failed(source),
            other => self.failed(io::Error::other(other)),
        })
    }
}

impl<W: Write> CacheWriter<W> {
    fn begin(
        out: W,
        path: PathBuf,
        doing: &'static str,
        otherwise: &'static str,
    ) -> Result<Self, WriteError> {
        let mut writer = CacheWriter {
            out,
            path,
            doing,
            otherwise,
            at: 0,
            bytes: Vec::new(),
            rows: Rows::new(),
            directory: Vec::new(),
            counts: (0, 0, 0),
            constant: false,
        };
        if cfg!(target_endian = "big") {
            return Err(writer.failed(io::Error::new(io::ErrorKind::Unsupported, FOREIGN)));
        }
        let mut head = [0; ALIGN];
        head[..8].copy_from_slice(sniff::CACHE);
        head[8..12].copy_from_slice(&VERSION.to_le_bytes());
        writer.put(&head)?;
        Ok(writer)
    }

    fn failed(&self, source: io::Error) -> WriteError {
        WriteError::Io {
            path: self.path.clone(),
            doing: self.doing,
            advice: advice(&source, self.otherwise),
            source,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.bytes.extend_from_slice(bytes);
        self.at += bytes.len() as u64;
        self.hand_on(PIECE)
    }

    /// Hands on the bytes that fill whole pieces of this size.
    fn hand_on(&mut self, piece: usize) -> Result<(), WriteError> {
        let whole = self.bytes.len() / piece * piece;
        if whole > 0 {
            let written = self.out.write_all(&self.bytes[..whole]);
            written.map_err(|source| self.failed(source))?;
            self.bytes.drain(..whole);
        }
        Ok(())
    }

    /// Writes all rows of a block, whose lines are counted from `first_line` of their input, counted
    /// from 0. The constant feature (slot 0) is not written, for it is an option of the run and not
    /// data.
    pub fn write(&mut self, rows: Block<'_>, first_line: u64) -> Result<(), WriteError> {
        for row in 0..rows.len() {
            for label in rows.labels(row) {
                self.rows
                    .push_label(label.number().unwrap_or(f64::NAN), label.text());
            }
            if let Some(&weight) = rows.weights.get(row) {
                self.rows.set_weight(weight);
            }
            let (index, value) = (rows.slots(row), rows.values_of(row));
            let constant = usize::from(index.first() == Some(&0) && !self.constant);
            // explicit zeros may have been in any row
            let last = if row + 1 == rows.len() {
                rows.width
            } else {
                index.last().copied().unwrap_or(0)
            };
            self.rows
                .push_many(&index[constant..], &value[constant..], last);
            self.rows.end_row(rows.line(row).saturating_add(first_line));
            if self.rows.len() == BLOCK_ROWS || size(&self.rows.view()) >= BLOCK_BYTES {
                self.end_block()?;
            }
        }
        Ok(())
    }

    /// Writes the rows so far as a block.
    fn end_block(&mut self) -> Result<(), WriteError> {
        let block = self.rows.view();
        if block.is_empty() {
            return Ok(());
        }
        let invalid = |what: &str| {
            let what = format!("rows {} and on: {what}", self.counts.0 + 1);
            Err(self.failed(io::Error::new(io::ErrorKind::InvalidInput, what)))
        };
        if let Err(what) = check::block(&block, u32::from(!self.constant)) {
            return invalid(what);
        }
        let entry = BlockEntry::of(&block);
        let Some(layout) = entry.layout() else {
            return invalid("too many values");
        };
        let begun = self.bytes.len();
        layout.write(&block, &mut self.bytes);
        self.directory.push(BlockEntry {
            first_row: self.counts.0,
            offset: self.at,
            length: layout.length as u64,
            crc: crc32fast::hash(&self.bytes[begun..]),
            ..entry
        });
        self.counts.0 += u64::from(entry.rows);
        self.counts.1 += entry.values;
        self.counts.2 = self.counts.2.max(entry.width);
        self.rows.clear();
        self.at += layout.length as u64;
        self.hand_on(PIECE)
    }

    /// Writes what comes behind the blocks.
    fn end(&mut self, about: CacheContents<'_>) -> Result<(), WriteError> {
        self.end_block()?;
        let (names, count, text) = Dictionary::write(about.names);
        self.put(&names)?;
        let (words, text_record) = about.text.map(WordCounts::write).unwrap_or_default();
        self.put(&words)?;
        let directory: Vec<u8> = self.directory.iter().flat_map(|e| e.to_bytes()).collect();
        self.put(&directory)?;
        let (rows, values, width) = self.counts;
        let footer = Footer {
            rows,
            values,
            width,
            blocks: self.directory.len() as u64,
            directory_crc: crc32fast::hash(&directory),
            names: CachedNames {
                count,
                text,
                crc: crc32fast::hash(&names),
                highest: about.names.highest(),
                bits: about.names.bits(),
                collisions: about.names.collisions(),
            },
            constant: self.constant,
            zero_based: about.zero_based,
            table: about.table.map(StoredTable::of),
            origin: about.origin,
        };
        let footer = encode(&footer, about.table, text_record.as_ref())
            .map_err(|e| self.failed(io::Error::other(e)))?;
        if footer.len() > MAX_FOOTER {
            let what = "the names of the columns take more than 16 MB";
            return Err(self.failed(io::Error::new(io::ErrorKind::InvalidInput, what)));
        }
        let offset = self.at;
        self.put(&footer)?;
        self.put(&offset.to_le_bytes())?;
        self.put(&(footer.len() as u64).to_le_bytes())?;
        self.put(&crc32fast::hash(&footer).to_le_bytes())?;
        self.put(END)?;
        self.hand_on(1)?;
        let flushed = self.out.flush();
        flushed.map_err(|source| self.failed(source))
    }
}

/// The footer as bytes, with what its table is besides.
fn encode(
    footer: &Footer<'_>,
    table: Option<&Table>,
    words: Option<&WordCounts>,
) -> Result<Vec<u8>, postcard::Error> {
    let mut records = Records::default();
    if let Some(words) = words {
        records.put(WordCounts::RECORD, words)?;
    }
    if let Some(table) = table {
        StoredTable::put_rest(table, &mut records)?;
    }
    header_records::encode(footer, &records)
}

/// Bytes of a block, about.
fn size(block: &Block<'_>) -> usize {
    8 * block.values() + 24 * block.len() + 16 * block.label_number.len() + block.text.len()
}
