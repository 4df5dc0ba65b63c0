//! What a file has besides blocks: read from its end, believed only once it was checked.

use std::ops::Range;

use novikoff::names::MAX_BITS;
use novikoff::remedy::Complaint;
use novikoff::table::Table;
use novikoff::text_statistics::TextStatistics;

use super::dictionary::Dictionary;
use super::footer::Footer;
use super::layout::{ALIGN, BlockEntry, ENTRY};
use super::word_counts::WordCounts;
use super::{END, MAX_FOOTER, TAIL, VERSION, make_again, no_cache};
use crate::header_records;
use crate::sniff;

/// Where a file is not as it should be, and what is wrong there.
pub(super) struct Fault(pub(super) usize, pub(super) String);

/// Whether a file begins as a cache of ours that this program can read.
pub(super) fn begins_well(bytes: &[u8]) -> Result<(), Complaint> {
    let (mark, rest) = bytes[..ALIGN].split_at(sniff::CACHE.len());
    if mark != sniff::CACHE {
        return Err(no_cache());
    }
    let version = rest.first_chunk().map_or(0, |&v| u32::from_le_bytes(v));
    if version != VERSION {
        return Err(make_again(format!(
            "cache format {version}, and this program reads format {VERSION}"
        )));
    }
    if rest[4..].iter().any(|&b| b != 0) {
        return Err(make_again(
            "the cache is damaged, at byte 12: zeros are due there",
        ));
    }
    Ok(())
}

/// What a file has besides blocks.
pub(super) struct CacheParts {
    pub(super) footer: Footer<'static>,
    pub(super) table: Option<Table>,
    pub(super) directory: Vec<BlockEntry>,
    /// Where the names lie.
    pub(super) names: Range<usize>,
    /// How many rows have each word.
    pub(super) text: TextStatistics,
}

impl CacheParts {
    /// Reads a file from its end. It has a beginning and a tail.
    pub(super) fn of(bytes: &[u8]) -> Result<Self, Fault> {
        let tail = bytes.len() - TAIL;
        let start = footer_start(bytes, tail)?;
        let stored = &bytes[start..tail];
        let fault = |at: usize, what: &str| Fault(at, what.to_owned());
        let (footer, mut records) = header_records::decode::<Footer<'static>>(stored)
            .map_err(|_| fault(start, "its footer cannot be read"))?;
        let table = footer.table.as_ref();
        let table = table.map(|table| table.restore(&mut records)).transpose();
        let table = table.map_err(|what| Fault(start, what))?;
        let words = records.take::<WordCounts>(WordCounts::RECORD);
        let words = words.map_err(|what| Fault(start, what))?;
        records.all_taken().map_err(|what| Fault(start, what))?;

        let directory = usize::try_from(footer.blocks)
            .ok()
            .and_then(|blocks| blocks.checked_mul(ENTRY))
            .and_then(|length| start.checked_sub(length))
            .filter(|&at| at >= ALIGN)
            .ok_or_else(|| fault(start, "its directory has no room in the file"))?;
        let stored = &bytes[directory..start];
        if crc32fast::hash(stored) != footer.directory_crc {
            return Err(fault(directory, "its directory does not fit its checksum"));
        }
        let entries: Vec<BlockEntry> = stored
            .as_chunks()
            .0
            .iter()
            .map(BlockEntry::from_bytes)
            .collect();

        let (mut names_end, mut text) = (directory, TextStatistics::default());
        if let Some(words) = words {
            let place = words.place(directory).filter(|place| place.start >= ALIGN);
            let place =
                place.ok_or_else(|| fault(directory, "its counts of words have no room"))?;
            names_end = place.start;
            let read = words.read(&bytes[place], footer.names.highest);
            text = read.map_err(|what| fault(names_end, what))?;
        }
        let names = Dictionary::length(footer.names.count, footer.names.text)
            .and_then(|length| names_end.checked_sub(length))
            .filter(|&at| at >= ALIGN)
            .ok_or_else(|| fault(directory, "its names have no room in the file"))?;
        check_names(&bytes[names..names_end], &footer).map_err(|what| fault(names, what))?;
        check_directory(&entries, names, &footer)?;
        Ok(CacheParts {
            table,
            footer,
            directory: entries,
            names: names..names_end,
            text,
        })
    }
}

/// Where the footer begins that ends at `tail`.
fn footer_start(bytes: &[u8], tail: usize) -> Result<usize, Fault> {
    let cut = |what: &str| Fault(tail, what.to_owned());
    let stored = &bytes[tail..];
    if stored[TAIL - END.len()..] != *END {
        return Err(cut("it does not end with NVKEND"));
    }
    let number = |at: usize| {
        stored[at..]
            .first_chunk()
            .map_or(0, |&b| u64::from_le_bytes(b))
    };
    let (offset, length) = (number(0), number(8));
    let crc = stored[16..]
        .first_chunk()
        .map_or(0, |&b| u32::from_le_bytes(b));
    let start = usize::try_from(offset)
        .ok()
        .filter(|&start| start >= ALIGN && start.is_multiple_of(ALIGN));
    match start {
        Some(start) if offset.checked_add(length) == Some(tail as u64) => {
            if length > MAX_FOOTER as u64 {
                return Err(cut("its footer is too long"));
            }
            if crc32fast::hash(&bytes[start..tail]) != crc {
                return Err(cut("its footer does not fit its checksum"));
            }
            Ok(start)
        }
        _ => Err(cut("its footer is not where it should be")),
    }
}

fn check_names(bytes: &[u8], footer: &Footer<'_>) -> Result<(), &'static str> {
    let names = &footer.names;
    if crc32fast::hash(bytes) != names.crc {
        return Err("its names do not fit their checksum");
    }
    let Some(dictionary) = Dictionary::view(bytes, names.count, names.text) else {
        return Err("its names are not where they should be");
    };
    if names.highest == u32::MAX || footer.width == u32::MAX {
        return Err("it has too many features");
    }
    if let Some(bits) = names.bits
        && (bits > MAX_BITS
            || names.count > 0
            || names.highest != 1 << bits
            || footer.width > names.highest)
    {
        return Err("its slots are no hashes");
    }
    dictionary.check(names.highest)
}

/// Blocks must lie one behind the other between the head and the names, and add up.
fn check_directory(entries: &[BlockEntry], end: usize, footer: &Footer<'_>) -> Result<(), Fault> {
    let (mut at, mut rows, mut values, mut width) = (ALIGN, 0_u64, 0_u64, 0);
    for entry in entries {
        let layout = entry.layout().filter(|layout| {
            entry.offset == at as u64
                && entry.length == layout.length as u64
                && layout.length <= end - at
        });
        let next = rows.checked_add(u64::from(entry.rows));
        match (layout, next) {
            (Some(layout), Some(next))
                if entry.first_row == rows && entry.rows > 0 && entry.weighted <= 1 =>
            {
                rows = next;
                values += entry.values;
                width = width.max(entry.width);
                at += layout.length;
            }
            _ => {
                return Err(Fault(
                    at,
                    "a block is not as the directory has it".to_owned(),
                ));
            }
        }
    }
    if at != end || (rows, values, width) != (footer.rows, footer.values, footer.width) {
        return Err(Fault(at, "its blocks are not all there".to_owned()));
    }
    Ok(())
}
