//! The model file: a header and named arrays of numbers, checked to the last bit.
//!
//! All integers are little-endian, nothing is compressed, no field depends on machine or language:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `NOVIKOFF` |
//! | 4 | format version, `u32`: 1 |
//! | 8 | length of the header, `u64` |
//! | n | the header: bytes that this file format does not interpret |
//! | 4 | CRC-32 (IEEE, as gzip has it) of the header's bytes |
//! | 4 | number of sections, `u32` |
//! | | the sections, names strictly increasing in byte order |
//! | 32 | BLAKE3 of all bytes before it |
//!
//! and each section is
//!
//! | bytes | what |
//! | --- | --- |
//! | 2 | length of the name, `u16` |
//! | n | the name, UTF-8 |
//! | 1 | type: 0 `f64`, 1 `u64`, 2 `f32`, 3 `u32` |
//! | 8 | how many numbers, `u64` |
//! | 0-7 | zeros, until the offset in the file is a multiple of 8 |
//! | n | the numbers |
//! | 4 | CRC-32 of the numbers' bytes |
//!
//! One content has one form: whatever loads is written back as the same bytes. Every version, ours
//! and later ones, begins with the first two fields and ends with the digest.
//!
//! The digest decides whether a file is intact and is checked before anything is believed; the
//! CRCs only tell which part of a damaged file it was. Still, an intact file may have been made by
//! anybody: every length is compared with what is left of the file before it is used.

use std::fs::{self, File};
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};

use novikoff::state::State;

mod decode;
mod describe;
mod encode;

/// The BLAKE3 digest a model file ends with: the name of its content.
pub use blake3::Hash as Digest;

const MAGIC: &[u8; 8] = b"NOVIKOFF";
/// The newest format this program writes and reads.
pub const VERSION: u32 = 1;
/// Files larger than this are refused unless the caller says otherwise: 16 GiB.
pub const DEFAULT_LIMIT: u64 = 16 << 30;
const DIGEST: u64 = 32;
/// What messages call bytes that are not a file.
const IN_MEMORY: &str = "<bytes>";
/// How much is read, hashed or converted at a time.
const PIECE: usize = 64 << 10;

/// What can go wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// The system refused.
    #[error("{}: cannot {doing}: {source}; {advice}", path.display())]
    Io {
        /// The model file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the user can do.
        advice: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A directory, a pipe, a device.
    #[error("{}: not a regular file; name a file, models are written and read as a whole", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// Too large to load.
    #[error("{}: {bytes} bytes, but models over {limit} bytes are refused; raise the limit if it is yours", path.display())]
    TooLarge {
        /// The model file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The caller's limit.
        limit: u64,
    },
    /// The first bytes are not ours.
    #[error("{}: not a novikoff model but {found}; {advice}", path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        found: &'static str,
        /// What the user can do.
        advice: &'static str,
    },
    /// Intact, but of a later program.
    #[error("{}: model format {version}, and this program reads up to {VERSION}; upgrade novikoff", path.display())]
    Newer {
        /// The model file.
        path: PathBuf,
        /// Its format version.
        version: u32,
    },
    /// The digest does not fit: bytes were changed, lost or added.
    #[error("{}: damaged or cut short, at byte {at}: {what}; restore it from a copy or train again", path.display())]
    Damaged {
        /// The model file.
        path: PathBuf,
        /// Where the damage was noticed.
        at: u64,
        /// What was noticed.
        what: String,
    },
    /// The digest fits but the content cannot be.
    #[error("{}: intact but not a valid model, at byte {at}: {what}; the program that wrote it is at fault", path.display())]
    Invalid {
        /// The model file.
        path: PathBuf,
        /// Where in the file.
        at: u64,
        /// What is wrong.
        what: String,
    },
    /// The state has something the format has no room for.
    #[error("array name `{}...` of {length} bytes; at most 65535 can be stored", name.chars().take(40).collect::<String>())]
    NameTooLong {
        /// The array's name.
        name: String,
        /// Its length.
        length: usize,
    },
}

/// A model file read back.
#[derive(Debug)]
pub struct Loaded {
    /// The header as it was given to [`save`].
    pub header: Vec<u8>,
    /// The arrays.
    pub state: State<'static>,
    /// The digest of the file.
    pub digest: Digest,
    /// What each section was, in the order of the file.
    pub sections: Vec<SectionInfo>,
}

/// One section as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionInfo {
    /// The array's full name.
    pub name: String,
    /// Type of its numbers.
    pub kind: Kind,
    /// How many numbers.
    pub count: u64,
    /// CRC-32 of their bytes.
    pub crc: u32,
}

/// The type of a section's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Weights, matrices, scalars.
    F64 = 0,
    /// Counts.
    U64 = 1,
    /// Values of stored rows.
    F32 = 2,
    /// Slots of stored rows.
    U32 = 3,
}

impl Kind {
    fn of(code: u8) -> Option<Kind> {
        [Kind::F64, Kind::U64, Kind::F32, Kind::U32]
            .into_iter()
            .find(|&k| k as u8 == code)
    }

    /// Bytes of one number.
    pub fn size(self) -> u64 {
        match self {
            Kind::F64 | Kind::U64 => 8,
            Kind::F32 | Kind::U32 => 4,
        }
    }

    /// `f64`, `u64`, `f32` or `u32`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::F64 => "f64",
            Kind::U64 => "u64",
            Kind::F32 => "f32",
            Kind::U32 => "u32",
        }
    }
}

/// Replaces `path` by a model file in one step, and returns its digest once it is on disk.
///
/// The bytes go to a hidden `.novikoff-*.tmp` beside it, which is synced and renamed. On failure the
/// old file is as it was and the temporary one is gone (a killed process may leave it behind).
pub fn save(path: &Path, header: &[u8], state: &State<'_>) -> Result<Digest, ContainerError> {
    let failed = |doing| {
        move |source: io::Error| ContainerError::Io {
            path: path.to_owned(),
            doing,
            advice: advice(
                &source,
                "the file of that name, if there was one, is unchanged",
            ),
            source,
        }
    };
    check_names(state)?;
    // Through a link the file it points to is replaced, as a plain write would do.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|m| !m.is_file()) || target.file_name().is_none() {
        return Err(ContainerError::NotAFile {
            path: path.to_owned(),
        });
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".novikoff-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask applies, as it does to any new file; the default would be private.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder
        .tempfile_in(folder)
        .map_err(failed("create a file in its directory"))?;
    let digest = encode::write(file.as_file_mut(), header, state).map_err(failed("write it"))?;
    file.as_file()
        .sync_all()
        .map_err(failed("sync it to disk"))?;
    file.persist(&target)
        .map_err(|e| failed("move it into place")(e.error))?;
    sync_folder(folder).map_err(|source| ContainerError::Io {
        path: path.to_owned(),
        doing: "sync its directory to disk",
        advice: "the new file is in place but may not survive a power cut",
        source,
    })?;
    Ok(digest)
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

/// The bytes [`save`] would write.
pub fn to_bytes(header: &[u8], state: &State<'_>) -> Result<Vec<u8>, ContainerError> {
    check_names(state)?;
    let mut bytes = Vec::new();
    encode::write(&mut bytes, header, state).map_err(|e| unreadable(Path::new(IN_MEMORY), e))?;
    Ok(bytes)
}

/// Reads a model file of up to [`DEFAULT_LIMIT`] bytes.
pub fn load(path: &Path) -> Result<Loaded, ContainerError> {
    load_within(path, DEFAULT_LIMIT)
}

/// Reads a model file of up to `limit` bytes.
pub fn load_within(path: &Path, limit: u64) -> Result<Loaded, ContainerError> {
    let failed = |source| unreadable(path, source);
    // Asked before opening: a pipe would block.
    let meta = fs::metadata(path).map_err(failed)?;
    if !meta.is_file() {
        return Err(ContainerError::NotAFile {
            path: path.to_owned(),
        });
    }
    let mut file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    if bytes > limit {
        return Err(ContainerError::TooLarge {
            path: path.to_owned(),
            bytes,
            limit,
        });
    }
    decode::read(path, &mut file, bytes)
}

/// Reads what [`to_bytes`] gave; errors name the file `<bytes>`.
pub fn from_bytes(bytes: &[u8]) -> Result<Loaded, ContainerError> {
    decode::read(
        Path::new("<bytes>"),
        &mut Cursor::new(bytes),
        bytes.len() as u64,
    )
}

fn unreadable(path: &Path, source: io::Error) -> ContainerError {
    let advice = advice(&source, "check the path and the disk");
    ContainerError::Io {
        path: path.to_owned(),
        doing: "read it",
        advice,
        source,
    }
}

fn advice(error: &io::Error, otherwise: &'static str) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "check the path and that its directory exists",
        io::ErrorKind::PermissionDenied => "check who may read or write there",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room; the file of that name, if there was one, is unchanged"
        }
        _ => otherwise,
    }
}

fn check_names(state: &State<'_>) -> Result<(), ContainerError> {
    match state
        .arrays()
        .find(|(name, _)| name.len() > usize::from(u16::MAX))
    {
        Some((name, _)) => Err(ContainerError::NameTooLong {
            name: name.to_owned(),
            length: name.len(),
        }),
        None => Ok(()),
    }
}
