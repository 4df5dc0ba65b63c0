//! The log of a model: append-only files of frames, each with its length, its number and a checksum that is chained to the frame before.
//!
//! An append is acknowledged after [`Log::commit`]. A write that finds no room changes nothing and may be tried again; after a sync that failed,
//! nobody knows what the disk has, so nothing is acknowledged any more.

pub mod entry;
pub mod file;
pub mod frame;
pub mod read;
pub mod segment;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use entry::Entry;
use file::{LogDisk, LogFile, RealDisk, is_full};
use segment::Place;

/// When the disk must have a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Before it is acknowledged.
    Always,
    /// This long after it was acknowledged, at the latest.
    Interval(Duration),
    /// When the system likes.
    Never,
}

impl Sync {
    /// Its name in flags and replies.
    pub fn name(self) -> &'static str {
        match self {
            Sync::Always => "always",
            Sync::Interval(_) => "interval",
            Sync::Never => "never",
        }
    }
}

/// Why nothing was appended.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// No room. Nothing has changed, and it may be tried again.
    #[error(
        "{path}: no room to write {bytes} bytes: {source}; free some space, learning goes on by itself then"
    )]
    Full {
        /// The file.
        path: String,
        /// How many bytes.
        bytes: usize,
        /// What the system said.
        source: io::Error,
    },
    /// Nobody knows what the disk has. The process must end and read the log again.
    #[error(
        "{path}: cannot {doing}: {source}; nothing is acknowledged any more, restart the server to read back what the disk has"
    )]
    Failed {
        /// The file.
        path: String,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// It has failed before.
    #[error("the log has failed before; restart the server")]
    Dead,
}

impl LogError {
    /// Whether it may be tried again.
    pub fn is_full(&self) -> bool {
        matches!(self, LogError::Full { .. })
    }
}

/// Where the end of a log is.
#[derive(Clone, Debug)]
pub struct End {
    /// The last segment; none if there is no segment.
    pub segment: Option<PathBuf>,
    /// Its length.
    pub length: u64,
    /// Where the next frame stands.
    pub next: Place,
}

/// A log open for appending.
pub struct Log {
    folder: PathBuf,
    disk: Box<dyn LogDisk>,
    file: Option<Box<dyn LogFile>>,
    path: PathBuf,
    length: u64,
    next: Place,
    /// Frames known to be on disk.
    synced: u64,
    last_sync: Instant,
    policy: Sync,
    /// A segment that is this long is ended.
    segment_bytes: u64,
    dead: bool,
}

/// The name of a segment.
pub fn segment_name(first: u64) -> String {
    format!("{first:020}.log")
}

impl Log {
    /// A log that goes on at its end.
    pub fn open(
        folder: &Path,
        end: End,
        policy: Sync,
        segment_bytes: u64,
    ) -> Result<Self, LogError> {
        Self::on(Box::new(RealDisk), folder, end, policy, segment_bytes)
    }

    /// A log on another disk.
    pub fn on(
        disk: Box<dyn LogDisk>,
        folder: &Path,
        end: End,
        policy: Sync,
        segment_bytes: u64,
    ) -> Result<Self, LogError> {
        let mut log = Log {
            folder: folder.to_owned(),
            disk,
            file: None,
            path: end.segment.clone().unwrap_or_else(|| folder.to_owned()),
            length: end.length,
            next: end.next,
            synced: end.next.first,
            last_sync: Instant::now(),
            policy,
            segment_bytes,
            dead: false,
        };
        if let Some(path) = end.segment {
            let file = log.disk.open(&path);
            let mut file = file.map_err(|source| log.failed("open it", source))?;
            // a tail that was never finished goes, before anything is written behind it
            let cut = file.truncate(end.length).and_then(|()| file.sync());
            cut.map_err(|source| log.failed("cut off what was never finished", source))?;
            log.file = Some(file);
        }
        Ok(log)
    }

    fn failed(&self, doing: &'static str, source: io::Error) -> LogError {
        let path = self.path.display().to_string();
        if is_full(&source) && doing == "create a segment" {
            return LogError::Full {
                path,
                bytes: segment::HEADER,
                source,
            };
        }
        LogError::Failed {
            path,
            doing,
            source,
        }
    }

    /// Where the next frame stands.
    pub fn next(&self) -> Place {
        self.next
    }

    /// The file that is written to, and its length.
    pub fn position(&self) -> (&Path, u64) {
        (&self.path, self.length)
    }

    /// Appends a frame with a payload of entries that add some rows. It is acknowledged by [`commit`](Self::commit).
    pub fn append(&mut self, payload: &[u8], rows: u64) -> Result<(), LogError> {
        let mut bytes = Vec::with_capacity(frame::size(payload.len()));
        frame::begin(&mut bytes);
        bytes.extend_from_slice(payload);
        self.append_frame(&mut bytes, rows)
    }

    /// As [`append`](Self::append); the payload stands behind room for its header, as [`frame::begin`] makes it.
    pub fn append_frame(&mut self, bytes: &mut Vec<u8>, rows: u64) -> Result<(), LogError> {
        if self.dead {
            return Err(LogError::Dead);
        }
        if self.file.is_none() || self.length >= self.segment_bytes {
            self.begin_segment()?;
        }
        let next = self.next;
        let checksum = frame::finish(bytes, 0, next.first, self.synced, next.previous);
        let Some(file) = &mut self.file else {
            return Err(LogError::Dead);
        };
        if let Err(source) = file.append(bytes) {
            let undone = file.truncate(self.length);
            let path = self.path.display().to_string();
            if undone.is_ok() && is_full(&source) {
                let bytes = bytes.len();
                return Err(LogError::Full {
                    path,
                    bytes,
                    source,
                });
            }
            self.dead = true;
            return Err(LogError::Failed {
                path,
                doing: "write to it",
                source,
            });
        }
        self.length += bytes.len() as u64;
        self.next = Place {
            first: next.first + 1,
            rows: next.rows + rows,
            previous: checksum,
        };
        Ok(())
    }

    /// A frame is acknowledged after this.
    pub fn commit(&mut self) -> Result<(), LogError> {
        match self.policy {
            Sync::Always => self.sync(),
            Sync::Interval(time) if self.last_sync.elapsed() >= time => self.sync(),
            Sync::Interval(_) | Sync::Never => Ok(()),
        }
    }

    /// How long until a sync is due, if one is.
    pub fn sync_due(&self) -> Option<Duration> {
        match self.policy {
            Sync::Interval(time) if self.synced < self.next.first => {
                Some(time.saturating_sub(self.last_sync.elapsed()))
            }
            _ => None,
        }
    }

    /// Returns when the disk has every frame.
    pub fn sync(&mut self) -> Result<(), LogError> {
        if self.dead {
            return Err(LogError::Dead);
        }
        let synced = self.file.as_mut().map_or(Ok(()), |file| file.sync());
        if let Err(source) = synced {
            // the kernel may have dropped the pages: another sync would succeed and mean nothing
            self.dead = true;
            let (path, doing) = (self.path.display().to_string(), "sync it to disk");
            return Err(LogError::Failed {
                path,
                doing,
                source,
            });
        }
        self.synced = self.next.first;
        self.last_sync = Instant::now();
        Ok(())
    }

    /// Ends the segment, which then is on disk as a whole, and begins another.
    fn begin_segment(&mut self) -> Result<(), LogError> {
        self.sync()?;
        let path = self.folder.join(segment_name(self.next.first));
        let created = self.disk.create(&path, &self.next.write());
        let file = created.map_err(|source| self.failed("create a segment", source));
        let file = match file {
            Ok(file) => file,
            Err(error) => {
                self.dead |= !error.is_full();
                return Err(error);
            }
        };
        (self.file, self.path) = (Some(file), path);
        self.length = segment::HEADER as u64;
        Ok(())
    }
}
