//! The pages of a Parquet column, with every number in them checked before memory is reserved for it.

use std::sync::Arc;

use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::disk::{Disk, Shared};
use super::thrift::{Compact, PageHeader};

/// How much of a page is read at first to find its header, and at most.
const GLANCE: u64 = 512;
const LONGEST: u64 = 16 << 20;

/// How many lengths a byte can stand for: the blocks of 2048 that some write take nine bytes at least.
const DELTA_RATIO: u64 = 256;

/// Pages of one column of one row group.
pub(super) struct Pages {
    inner: SerializedPageReader<Shared>,
    disk: Arc<Disk>,
    /// Where the next page begins, and where the last one ends.
    at: u64,
    end: u64,
    /// How many times larger than its compressed form a page can be; none if pages are not compressed.
    ratio: Option<u64>,
    /// How many bits an entry of a dictionary takes at least.
    entry: u64,
    /// Repetition and definition levels stand before the values.
    levels: [bool; 2],
}

fn broken(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// The most a byte can become, by the definition of each format.
pub(super) fn most(compression: Compression) -> Option<u64> {
    match compression {
        Compression::UNCOMPRESSED => None,
        Compression::SNAPPY => Some(32),
        Compression::LZ4 | Compression::LZ4_RAW => Some(256),
        Compression::GZIP(_) => Some(1100),
        _ => Some(1 << 15),
    }
}

impl Pages {
    pub(super) fn new(disk: &Arc<Disk>, chunk: &ColumnChunkMetaData, rows: usize) -> Result<Self> {
        let start = chunk
            .dictionary_page_offset()
            .unwrap_or(chunk.data_page_offset());
        let (Ok(at), Ok(len)) = (u64::try_from(start), u64::try_from(chunk.compressed_size()))
        else {
            return Err(broken("a column begins before the file"));
        };
        let end = at.checked_add(len).filter(|&end| end <= disk.size());
        let end = end.ok_or_else(|| broken("a column reaches past the end of the file"))?;
        let column = chunk.column_descr();
        let entry = match chunk.column_type() {
            Type::BOOLEAN => 1,
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 32,
            Type::INT64 | Type::DOUBLE => 64,
            Type::INT96 => 96,
            Type::FIXED_LEN_BYTE_ARRAY => 8 * u64::try_from(column.type_length()).unwrap_or(1),
        };
        Ok(Pages {
            inner: SerializedPageReader::new(
                Arc::new(Shared(Arc::clone(disk))),
                chunk,
                rows,
                None,
            )?,
            disk: Arc::clone(disk),
            at,
            end,
            ratio: most(chunk.compression()),
            entry,
            levels: [column.max_rep_level() > 0, column.max_def_level() > 0],
        })
    }

    /// The header at `at`, read in ever larger pieces.
    fn header(&self) -> Result<PageHeader> {
        let rest = LONGEST.min(self.end - self.at);
        let mut len = GLANCE.min(rest);
        loop {
            let bytes = self.disk.bytes(self.at, len)?;
            match PageHeader::read(&bytes) {
                Some(header) => return Ok(header),
                None if len == rest => return Err(broken("a page's header makes no sense")),
                None => len = rest.min(16 * len),
            }
        }
    }

    /// Looks at the page to come.
    fn check(&mut self) -> Result<()> {
        while self.at < self.end {
            let header = self.header()?;
            let (Ok(size), Ok(compressed), Ok(entries)) = (
                u64::try_from(header.size),
                u64::try_from(header.compressed),
                u64::try_from(header.entries),
            ) else {
                return Err(broken("a page of a negative size"));
            };
            let begin = self.at + header.len as u64;
            if compressed > self.end - begin {
                return Err(broken("a page reaches past the end of its column"));
            }
            let room = match self.ratio {
                None => compressed,
                Some(ratio) if size <= 64 + compressed * ratio => size,
                Some(_) => return Err(broken("a page larger than it can be")),
            };
            if entries.saturating_mul(self.entry) > 8 * room {
                return Err(broken("a dictionary of more entries than it has room for"));
            }
            self.at = begin + compressed;
            if header.kind != 1 {
                break; // the reader passes over pages of an index
            }
        }
        Ok(())
    }

    /// Looks at the counts in strings of a delta encoding.
    fn check_delta(&self, page: &Page) -> Result<()> {
        let sections = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => return Ok(()),
        };
        let Some(mut values) = self.values(page) else {
            return Err(broken("levels longer than their page"));
        };
        for section in 0..sections {
            if !delta_count_is_sound(values) {
                return Err(broken("more lengths than a page has room for"));
            }
            if section + 1 < sections {
                let end = delta_end(values).ok_or_else(|| broken("lengths past a page's end"))?;
                values = &values[end..];
            }
        }
        Ok(())
    }

    /// The part of a page behind its levels.
    fn values<'a>(&self, page: &'a Page) -> Option<&'a [u8]> {
        match page {
            Page::DataPage { buf, .. } => {
                let mut rest = &buf[..];
                for _ in self.levels.iter().filter(|&&present| present) {
                    let (len, after) = rest.split_first_chunk::<4>()?;
                    rest = after.get(u32::from_le_bytes(*len) as usize..)?;
                }
                Some(rest)
            }
            Page::DataPageV2 {
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => buf.get(*def_levels_byte_len as usize + *rep_levels_byte_len as usize..),
            Page::DictionaryPage { .. } => None,
        }
    }
}

/// The head of a section of the encoding `DELTA_BINARY_PACKED`: the sizes of its blocks and of their
/// parts, and how many values there are.
fn delta_head(cursor: &mut Compact) -> Option<(u64, u64, u64)> {
    let head = (cursor.varint()?, cursor.varint()?, cursor.varint()?);
    cursor.varint()?; // the first value
    Some(head)
}

fn delta_count_is_sound(bytes: &[u8]) -> bool {
    let head = delta_head(&mut Compact::new(bytes));
    head.is_some_and(|(_, _, count)| count <= 1024 + DELTA_RATIO * bytes.len() as u64)
}

/// Where a section ends.
fn delta_end(bytes: &[u8]) -> Option<usize> {
    let mut cursor = Compact::new(bytes);
    let (block, parts, count) = delta_head(&mut cursor)?;
    let part = block.checked_div(parts).filter(|&part| part > 0)?;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        cursor.varint()?; // the smallest difference
        for &width in cursor.take(usize::try_from(parts).ok()?)? {
            if left > 0 {
                let bits = part.checked_mul(u64::from(width))?;
                cursor.take(usize::try_from(bits / 8).ok()?)?;
            }
            left = left.saturating_sub(part);
        }
    }
    Some(cursor.position())
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.check()?;
        let page = self.inner.get_next_page()?;
        if let Some(page) = &page {
            self.check_delta(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        Err(broken("pages are read one after another"))
    }
}
