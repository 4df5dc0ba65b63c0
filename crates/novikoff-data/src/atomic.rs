//! Files that are whole or not there: written under a hidden name, synced, renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use novikoff::remedy::Remedy;
use tempfile::NamedTempFile;

/// A file being written. Dropped before [`commit`](NewFile::commit), it leaves nothing behind.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    target: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The system refused.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the user can do.
        advice: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A directory, a pipe, a device.
    #[error("{}: not a regular file", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
}

impl WriteError {
    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        Remedy::clause(match self {
            WriteError::Io { advice, .. } => advice,
            WriteError::NotAFile { .. } => "name a file, it is written as a whole",
        })
    }
}

impl NewFile {
    /// Begins a file that will replace `path`, or the file a link of that name points to.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&target).is_ok_and(|m| !m.is_file()) || target.file_name().is_none() {
            return Err(WriteError::NotAFile {
                path: path.to_owned(),
            });
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let prefix = prefix(&target);
        remove_leftovers(&folder, &prefix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The umask applies, as it does to any new file; the default would be private.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder
            .tempfile_in(&folder)
            // the system's own words, without the hidden name
            .map_err(|error| io::Error::from(error.kind()))
            .map_err(|source| unchanged(path, "create a file in its directory", source))?;
        // held as long as the file is being written; where locks are unknown, leftovers stay
        let _ = file.as_file().try_lock();
        Ok(NewFile {
            path: path.to_owned(),
            target,
            folder,
            file,
        })
    }

    /// An error while writing.
    pub fn failed(&self, source: io::Error) -> WriteError {
        unchanged(&self.path, "write it", source)
    }

    /// Puts the file in its place, once it is on disk.
    pub fn commit(self) -> Result<(), WriteError> {
        let path = &self.path;
        let synced = self.file.as_file().sync_all();
        synced.map_err(|source| unchanged(path, "sync it to disk", source))?;
        let moved = self.file.persist(&self.target);
        moved.map_err(|error| unchanged(path, "move it into place", error.error))?;
        sync_folder(&self.folder).map_err(|source| WriteError::Io {
            path: path.clone(),
            doing: "sync its directory to disk",
            advice: "the new file is in place but may not survive a power cut",
            source,
        })
    }
}

/// Puts a file that was written through a buffer in its place.
pub fn publish(out: BufWriter<NewFile>) -> Result<(), WriteError> {
    match out.into_inner() {
        Ok(file) => file.commit(),
        Err(error) => {
            let (error, out) = error.into_parts();
            Err(out.get_ref().failed(error))
        }
    }
}

const SUFFIX: &str = ".tmp";

/// How the temporary files of a target begin.
fn prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // names of files have 255 bytes at most
    let name: String = name.chars().take(40).collect();
    format!(".{name}.novikoff-")
}

/// Removes what killed processes left behind of the same target: temporary files nobody has locked.
fn remove_leftovers(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name.starts_with(prefix) && name.ends_with(SUFFIX);
        if ours
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // another process may have been faster
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl io::Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Makes a rename durable, where the file system can.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some network file systems have no such call.
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

fn unchanged(path: &Path, doing: &'static str, source: io::Error) -> WriteError {
    let advice = advice(
        &source,
        "the file of that name, if there was one, is unchanged",
    );
    WriteError::Io {
        path: path.to_owned(),
        doing,
        advice,
        source,
    }
}

/// What to do about a failed call.
pub(crate) fn advice(error: &io::Error, otherwise: &'static str) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "check the path and that its directory exists",
        io::ErrorKind::PermissionDenied => "check who may read or write there",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room; the file of that name, if there was one, is unchanged"
        }
        _ => otherwise,
    }
}
