//! The file that a log is written to, behind a trait, so that tests can make any call fail.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// What a log does to its file.
pub trait LogFile: Send {
    /// Writes at the end.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Cuts it back to a length.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    /// Returns when the disk has everything.
    fn sync(&mut self) -> io::Result<()>;
}

impl LogFile for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Makes files of logs.
pub trait LogDisk: Send {
    /// A new file with these bytes, on disk with its name in the directory.
    fn create(&self, path: &Path, beginning: &[u8]) -> io::Result<Box<dyn LogFile>>;
    /// A file that is there.
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>>;
}

/// The file system.
#[derive(Clone, Copy, Debug)]
pub struct RealDisk;

impl LogDisk for RealDisk {
    fn create(&self, path: &Path, beginning: &[u8]) -> io::Result<Box<dyn LogFile>> {
        let mut file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(path)?;
        let written = file.write_all(beginning).and_then(|()| file.sync_all());
        if let Err(error) = written.and_then(|()| sync_folder(path)) {
            // a file without a beginning is passed over when the log is opened
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(Box::new(file))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(OpenOptions::new().append(true).open(path)?))
    }
}

/// Syncs the directory of a file: names are on disk only then.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Whether an error says that there is no room: something that may be otherwise later.
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
