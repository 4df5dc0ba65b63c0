//! Files that several threads read at any place.
//!
//! Parquet and the Arrow file format have their contents at the end. What is not a plain file (a pipe,
//! compressed data, memory) is copied to an unnamed temporary file first.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use novikoff::remedy::Complaint;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::fault;
use crate::error::DataError;
use crate::input::{Opened, unreadable};
use crate::options::ReadOptions;

/// A page's header is read in pieces of this many bytes.
const HEADER: usize = 1 << 10;

/// Pieces of memory that are kept for the pages to come.
const SPARE: usize = 8;
/// The largest of them, in bytes.
const LARGEST: usize = 4 << 20;

/// How often a thread that waits for a pipe looks for a request to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// A file that is read at given places.
pub(super) struct Disk {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: Mutex<File>,
    len: u64,
    /// Memory that pages were in.
    spare: Mutex<Vec<Vec<u8>>>,
    /// Counts what is read, unless it was counted when it was copied.
    read: Option<Arc<AtomicU64>>,
}

impl Disk {
    /// The input itself, or a copy of it.
    pub(super) fn open(opened: Opened, options: &ReadOptions) -> Result<Self, DataError> {
        let name = opened.name.clone();
        let failed = |error| DataError::io(name.as_ref(), error);
        match &opened.path {
            Some(path) if opened.compression.is_none() => {
                let file = File::open(path).map_err(failed)?;
                // what was read to recognise it is read again
                opened
                    .read
                    .fetch_sub(opened.head.len() as u64, Ordering::Relaxed);
                Self::new(file, Some(opened.read)).map_err(failed)
            }
            _ => Self::new(spool(opened, options)?, None).map_err(failed),
        }
    }

    fn new(file: File, read: Option<Arc<AtomicU64>>) -> io::Result<Self> {
        let len = file.metadata()?.len();
        #[cfg(not(unix))]
        let file = Mutex::new(file);
        Ok(Disk {
            file,
            len,
            spare: Mutex::default(),
            read,
        })
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes there are.
    pub(super) fn size(&self) -> u64 {
        self.len
    }

    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buffer, at)
    }

    #[cfg(not(unix))]
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        use std::io::Seek as _;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(io::SeekFrom::Start(at))?;
        file.read(buffer)
    }

    /// These bytes, all of them.
    pub(super) fn bytes(&self, at: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_into(&mut bytes, at, len)?;
        bytes.truncate(len as usize);
        Ok(bytes)
    }

    /// Leaves bytes at the beginning of `bytes`, which grows if need be.
    fn read_into(&self, bytes: &mut Vec<u8>, at: u64, len: u64) -> io::Result<()> {
        if at.checked_add(len).is_none_or(|end| end > self.len) {
            let what = format!(
                "{len} bytes from byte {at} on, in a file of {} bytes",
                self.len
            );
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
        }
        let len = len as usize;
        if bytes.len() < len {
            bytes.resize(len, 0);
        }
        let mut filled = 0;
        while filled < len {
            match self.read_at(&mut bytes[filled..len], at + filled as u64) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Counts bytes of data that were read.
    pub(super) fn count(&self, len: u64) {
        if let Some(read) = &self.read {
            // a number for progress bars: nothing is ordered by it
            read.fetch_add(len, Ordering::Relaxed);
        }
    }
}

impl Length for Disk {
    fn len(&self) -> u64 {
        self.len
    }
}

/// A place in a file, for the parser of headers.
pub(super) struct At {
    disk: Arc<Disk>,
    at: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.disk.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// What Parquet's reader asks for bytes.
#[derive(Clone)]
pub(super) struct Shared(pub(super) Arc<Disk>);

impl Length for Shared {
    fn len(&self) -> u64 {
        self.0.len
    }
}

impl ChunkReader for Shared {
    type T = BufReader<At>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let disk = Arc::clone(&self.0);
        Ok(BufReader::with_capacity(HEADER, At { disk, at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut lent = Lent {
            bytes: self.0.spare().pop().unwrap_or_default(),
            len: length,
            disk: Arc::clone(&self.0),
        };
        self.0.read_into(&mut lent.bytes, start, length as u64)?;
        self.0.count(length as u64);
        Ok(Bytes::from_owner(lent))
    }
}

/// Memory for a page that goes back to the others when the page is done with.
struct Lent {
    bytes: Vec<u8>,
    len: usize,
    disk: Arc<Disk>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut spare = self.disk.spare();
        if spare.len() < SPARE && self.bytes.len() <= LARGEST {
            spare.push(std::mem::take(&mut self.bytes));
        }
    }
}

/// Copies an input to a temporary file. A request to stop does not wait for
/// a pipe himself.
fn spool(opened: Opened, options: &ReadOptions) -> Result<File, DataError> {
    if !opened.waits {
        return copy(opened);
    }
    let name = opened.name.clone();
    let (send, receive) = mpsc::channel();
    let copier = move || {
        // the receiver is gone after a request to stop
        let _ = send.send(copy(opened));
    };
    let started = thread::Builder::new()
        .name("novikoff-spool".to_owned())
        .spawn(copier);
    started.map_err(|source| DataError::Io {
        file: name.clone(),
        source,
    })?;
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(copied) => return copied,
            Err(RecvTimeoutError::Timeout) => {
                if options.is_interrupted() {
                    return Err(DataError::Interrupted);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(fault::panicked(&name)),
        }
    }
}

fn copy(opened: Opened) -> Result<File, DataError> {
    let no_room = |source: io::Error| {
        let what = format!(
            "cannot be kept in a temporary file, as this format is not read from a pipe or \
             compressed: {source}"
        );
        let what = Complaint::new(what, "set TMPDIR to a directory with room");
        DataError::content(&opened.name, what)
    };
    let mut file = tempfile::tempfile().map_err(no_room)?;
    let mut reader = Cursor::new(&opened.head).chain(opened.reader);
    let mut piece = vec![0; 1 << 16];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(file),
            Ok(read) => io::Write::write_all(&mut file, &piece[..read]).map_err(no_room)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(&opened.name, opened.compression, error)),
        }
    }
}
