//! A cache as one input of a stream.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use novikoff::remedy::Complaint;
use novikoff::rows::{Block, Rows};
use novikoff::table::Table;

use super::ahead::CheckAhead;
use super::dictionary::{self, Renaming, begin_row};
use super::file::CacheFile;
use super::fill::Fills;
use super::no_cache;
use crate::error::DataError;
use crate::input::{Opened, unreadable};
use crate::live_schema::LiveSchema;
use crate::options::ReadOptions;
use crate::sniff;

/// How often a consumer that waits for a pipe looks for a request to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// How much is copied at a time.
const PIECE: usize = 1 << 18;

/// A cache read as a stream of blocks.
pub(crate) struct CacheStream {
    file: Arc<CacheFile>,
    ahead: Arc<CheckAhead>,
    options: Arc<ReadOptions>,
    names: Arc<LiveSchema>,
    /// Slots are not those of the stream.
    renaming: Option<Renaming>,
    /// Missing cells are not what they are to be.
    fills: Option<Fills>,
    /// The next block.
    next: usize,
    /// The current block, if it cannot be lent as it lies in the file.
    copy: Option<Rows>,
    /// How far the file was read, in bytes, and how far of that was reported.
    read: (u64, u64),
    unknown: u64,
}

impl CacheStream {
    /// Maps the file and starts to check its blocks. What is no regular file, or is compressed, is
    /// first written to a temporary one.
    pub(crate) fn open(
        opened: Opened,
        options: &Arc<ReadOptions>,
        names: &Arc<LiveSchema>,
        threads: usize,
    ) -> Result<Self, DataError> {
        let counted = opened.head.len() as u64;
        let (file, counted) = match &opened.path {
            Some(path) if opened.compression.is_none() => (CacheFile::open(path)?, Some(counted)),
            _ => (spool(opened, options)?, None),
        };
        if file.has_constant() {
            let what = "is the temporary file of a run and not data";
            let what = Complaint::new(what, "give the data itself");
            return Err(DataError::content(file.name(), what));
        }
        let renaming = dictionary::settle(&file, options, names)?;
        let file = Arc::new(file);
        // what was copied was counted when it was read
        let counted = counted.unwrap_or(file.bytes());
        let fills = Fills::of(&file, options);
        let copies = renaming.is_some() || options.bias.is_some() || fills.is_some();
        Ok(CacheStream {
            ahead: CheckAhead::start(Arc::clone(&file), threads),
            file,
            options: Arc::clone(options),
            names: Arc::clone(names),
            renaming,
            fills,
            next: 0,
            copy: copies.then(Rows::new),
            read: (counted, counted),
            unknown: 0,
        })
    }

    /// The columns of the table the rows came from, if they did.
    pub(crate) fn table(&self) -> Option<&Table> {
        let filled = self.fills.as_ref().map(|fills| &fills.table);
        filled.or(self.file.table())
    }

    /// Makes the next block the current one. False at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, DataError> {
        if self.next == self.file.blocks() {
            self.read.0 = self.read.0.max(self.file.bytes());
            return Ok(false);
        }
        let block = self.next;
        self.ahead.check(block)?;
        self.next += 1;
        self.read.0 = self.read.0.max(self.file.place(block).end as u64);
        let block = self.file.view(block);
        let Some(copy) = &mut self.copy else {
            return Ok(true);
        };
        let block = match &mut self.fills {
            Some(fills) => fills.fill(block),
            None => block,
        };
        match &mut self.renaming {
            None => copy_with_constant(block, &self.options, copy),
            Some(renaming) => {
                let copied = renaming.copy(block, &self.file, &self.names, &self.options, copy);
                self.unknown += copied.map_err(|source| DataError::Names {
                    file: self.file.name().to_owned(),
                    line: block.line(0) + 1,
                    source,
                })?;
            }
        }
        Ok(true)
    }

    /// The current block.
    pub(crate) fn block(&self) -> Block<'_> {
        match (&self.copy, self.next) {
            (_, 0) => Block::default(),
            (Some(copy), _) => copy.view(),
            (None, next) => self.file.view(next - 1),
        }
    }

    /// Since this was last asked: how many bytes of the input were read, and how many values were left
    /// out because a model does not know their features.
    pub(crate) fn progress(&mut self) -> (u64, u64) {
        let read = self.read.0 - self.read.1;
        self.read.1 = self.read.0;
        (read, std::mem::take(&mut self.unknown))
    }
}

impl Drop for CacheStream {
    fn drop(&mut self) {
        self.ahead.stop();
    }
}

/// Puts the rows of a block into `out`, each with its constant feature.
fn copy_with_constant(block: Block<'_>, options: &ReadOptions, out: &mut Rows) {
    out.clear();
    for row in 0..block.len() {
        begin_row(block, row, options, out);
        let (index, value) = (block.slots(row), block.values_of(row));
        // explicit zeros may have been in any row
        let last = if row + 1 == block.len() {
            block.width
        } else {
            index.last().copied().unwrap_or(0)
        };
        out.push_many(index, value, last);
        out.end_row(block.line(row));
    }
}

/// Copies a cache that cannot be mapped where it is to a temporary file.
fn spool(opened: Opened, options: &ReadOptions) -> Result<CacheFile, DataError> {
    let name = opened.name.clone();
    if !opened.head.starts_with(sniff::CACHE) {
        return Err(DataError::content(name, no_cache()));
    }
    let file = if opened.waits {
        copy_elsewhere(opened, options)?
    } else {
        copy(opened)?
    };
    CacheFile::of(&file, name)
}

/// Copies in another thread, so that a run that is asked to stop does not wait for a pipe.
fn copy_elsewhere(opened: Opened, options: &ReadOptions) -> Result<File, DataError> {
    let name = opened.name.clone();
    let (sender, receiver) = mpsc::channel();
    let copying = thread::Builder::new()
        .name("novikoff-read".to_owned())
        // if nobody waits for it any more, that is no fault
        .spawn(move || drop(sender.send(copy(opened))));
    copying.map_err(|source| DataError::Io {
        file: name.clone(),
        source,
    })?;
    loop {
        if options.is_interrupted() {
            return Err(DataError::Interrupted);
        }
        match receiver.recv_timeout(PATIENCE) {
            Ok(copied) => return copied,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(DataError::Io {
                    file: name,
                    source: io::ErrorKind::BrokenPipe.into(),
                });
            }
        }
    }
}

fn copy(mut opened: Opened) -> Result<File, DataError> {
    let folder = std::env::temp_dir();
    let failed = |name: &str, error: &io::Error| {
        let folder = folder.display();
        let what = format!("cannot be copied to a temporary file in {folder}: {error}");
        DataError::content(
            name,
            Complaint::new(what, "set TMPDIR to a directory with room"),
        )
    };
    let mut file =
        tempfile::tempfile().map_err(|error| failed(&opened.name, &error.kind().into()))?;
    let mut piece = std::mem::take(&mut opened.head);
    loop {
        file.write_all(&piece)
            .map_err(|error| failed(&opened.name, &error))?;
        piece.resize(PIECE, 0);
        let read = loop {
            match opened.reader.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let read = read.map_err(|error| unreadable(&opened.name, opened.compression, error))?;
        if read == 0 {
            return Ok(file);
        }
        piece.truncate(read);
    }
}
