//! A cache opened: mapped, and believed only as far as it was checked.

use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;
use novikoff::names::Names;
use novikoff::quantity::plural;
use novikoff::remedy::Complaint;
use novikoff::rows::Block;
use novikoff::table::Table;
use novikoff::text_statistics::TextStatistics;

use super::dictionary::Dictionary;
use super::footer::Footer;
use super::layout::{ALIGN, BlockEntry};
use super::origin::Origin;
use super::parts::{CacheParts, Fault, begins_well};
use super::{FOREIGN, TAIL, check, make_again, map};
use crate::error::DataError;

/// A cache of rows. Blocks are lent without a copy; each is checked when it is first asked for.
///
/// While the file is mapped nobody may cut it short: the system would end the process. What this
/// program writes under the same name is another file.
#[derive(Debug)]
pub struct CacheFile {
    name: String,
    map: Mmap,
    footer: Footer<'static>,
    table: Option<Table>,
    directory: Vec<BlockEntry>,
    /// Where the names lie.
    names: Range<usize>,
    /// How many rows have each word.
    text: TextStatistics,
    /// For each block, that it was found sound.
    sound: Vec<AtomicBool>,
}

impl CacheFile {
    /// Opens a cache and checks everything but its blocks.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let failed = |error| DataError::io(path, error);
        let about = fs::metadata(path).map_err(failed)?;
        if about.is_dir() {
            return Err(DataError::Directory {
                path: path.to_owned(),
            });
        }
        if !about.is_file() {
            let what = "is not a regular file, and only those can be mapped into memory";
            let what = Complaint::new(what, "save it to a file first");
            return Err(DataError::content(path.display().to_string(), what));
        }
        Self::of(
            &File::open(path).map_err(failed)?,
            path.display().to_string(),
        )
    }

    /// Maps an open regular file; errors call it `name`.
    pub(super) fn of(file: &File, name: String) -> Result<Self, DataError> {
        let failed = |error| DataError::io(Path::new(&name), error);
        let length = file.metadata().map_err(failed)?.len();
        if cfg!(target_endian = "big") {
            return Err(DataError::content(name, Complaint::plain(FOREIGN)));
        }
        let Some(length) = usize::try_from(length).ok().filter(|&n| n >= ALIGN + TAIL) else {
            let what = make_again(format!(
                "a file of {} is no cache of rows",
                plural(length, "byte")
            ));
            return Err(DataError::content(name, what));
        };
        let map = map::map(file, length).map_err(failed)?;
        begins_well(&map).map_err(|what| DataError::content(&name, what))?;
        match CacheParts::of(&map) {
            Ok(parts) => Ok(CacheFile {
                sound: parts
                    .directory
                    .iter()
                    .map(|_| AtomicBool::new(false))
                    .collect(),
                table: parts.table,
                footer: parts.footer,
                directory: parts.directory,
                names: parts.names,
                text: parts.text,
                map,
                name,
            }),
            Err(fault) => Err(damaged(&name, fault)),
        }
    }

    /// What errors call it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// How many rows.
    pub fn rows(&self) -> u64 {
        self.footer.rows
    }

    /// How many values in all.
    pub fn values(&self) -> u64 {
        self.footer.values
    }

    /// The highest feature number, explicit zeros included.
    pub fn width(&self) -> u32 {
        self.footer.width
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// The names of the features.
    pub fn names(&self) -> Result<Names, DataError> {
        if let Some(bits) = self.bits() {
            return Ok(Names::hashed(bits));
        }
        let (slots, names): (Vec<u32>, Vec<String>) = self
            .dictionary()
            .iter()
            .map(|(slot, name)| (slot, name.to_owned()))
            .unzip();
        Names::restore(slots, &names, self.highest()).ok_or_else(|| {
            let what = "two features have the same name".to_owned();
            damaged(&self.name, Fault(self.names.start, what))
        })
    }

    /// The bits of a slot, if slots are hashes.
    pub fn bits(&self) -> Option<u32> {
        self.footer.names.bits
    }

    /// How many names share their hashed slot with an earlier one.
    pub fn collisions(&self) -> u64 {
        self.footer.names.collisions
    }

    /// The highest slot given.
    pub(super) fn highest(&self) -> u32 {
        self.footer.names.highest
    }

    pub(super) fn dictionary(&self) -> Dictionary<'_> {
        let names = &self.footer.names;
        // was there when the file was opened
        Dictionary::view(&self.map[self.names.clone()], names.count, names.text).unwrap_or_default()
    }

    /// The columns of the table the rows came from, if they did.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// How many rows have each word.
    pub fn text(&self) -> &TextStatistics {
        &self.text
    }

    /// Whether rows have the constant feature of a run.
    pub(super) fn has_constant(&self) -> bool {
        self.footer.constant
    }

    /// Whether svmlight text counted its features from 0.
    pub fn zero_based(&self) -> bool {
        self.footer.zero_based
    }

    /// What the rows were read from, if it was noted.
    pub fn origin(&self) -> Option<&Origin> {
        self.footer.origin.as_ref()
    }

    /// How many blocks.
    pub fn blocks(&self) -> usize {
        self.directory.len()
    }

    /// Block `k`. It is looked through when it is first asked for, by whichever thread that is.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn block(&self, k: usize) -> Result<Block<'_>, DataError> {
        self.check(k)?;
        Ok(self.view(k))
    }

    /// The block that row `row` is in, and its place there.
    pub fn locate(&self, row: u64) -> Option<(usize, usize)> {
        if row >= self.rows() {
            return None;
        }
        let block = self.directory.partition_point(|e| e.first_row <= row) - 1;
        Some((block, (row - self.directory[block].first_row) as usize))
    }

    /// Where block `k` lies in the file.
    pub(super) fn place(&self, k: usize) -> Range<usize> {
        let entry = &self.directory[k];
        entry.offset as usize..(entry.offset + entry.length) as usize
    }

    #[cfg(test)]
    pub(super) fn bytes_of_all(&self) -> &[u8] {
        &self.map
    }

    /// Whether block `k` was found sound.
    pub(super) fn is_sound(&self, k: usize) -> bool {
        self.sound[k].load(Ordering::Acquire)
    }

    /// Looks through block `k`, unless that was done.
    pub(super) fn check(&self, k: usize) -> Result<(), DataError> {
        if self.is_sound(k) {
            return Ok(());
        }
        let (entry, place) = (&self.directory[k], self.place(k));
        let bytes = &self.map[place.clone()];
        let checked = if crc32fast::hash(bytes) == entry.crc {
            match entry.layout() {
                Some(layout) if layout.gaps_are_zero(bytes) => {
                    check::block(&self.view(k), u32::from(!self.footer.constant))
                }
                _ => Err("there is something between its arrays"),
            }
        } else {
            Err("its bytes do not fit its checksum")
        };
        checked.map_err(|what| {
            let rows = entry.first_row + 1..=entry.first_row + u64::from(entry.rows);
            let what = format!("rows {} to {}: {what}", rows.start(), rows.end());
            damaged(&self.name, Fault(place.start, what))
        })?;
        self.sound[k].store(true, Ordering::Release);
        Ok(())
    }

    /// Block `k`, sound or not.
    pub(super) fn view(&self, k: usize) -> Block<'_> {
        let entry = &self.directory[k];
        let bytes = &self.map[self.place(k)];
        let layout = entry.layout();
        // fits: the file was not opened otherwise
        layout
            .and_then(|layout| layout.view(bytes, entry.width))
            .unwrap_or_default()
    }
}

fn damaged(name: &str, Fault(at, what): Fault) -> DataError {
    let what = format!("the cache is damaged or cut short, at byte {at}: {what}");
    DataError::content(name, make_again(what))
}
