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

use novikoff::remedy::{Remedy, Setting};
use novikoff::state::State;

use crate::atomic::{NewFile, WriteError, advice};

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
pub(crate) const IN_MEMORY: &str = "<bytes>";
/// How much is read, hashed or converted at a time.
const PIECE: usize = 64 << 10;

/// What can go wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// The system refused.
    #[error("{}: cannot {doing}: {source}", path.display())]
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
    #[error("{}: not a regular file", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// Too large to load.
    #[error("{}: {bytes} bytes, but a model may take {limit} bytes", path.display())]
    TooLarge {
        /// The model file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The caller's limit.
        limit: u64,
    },
    /// The first bytes are not ours.
    #[error("{}: not a novikoff model but {found}", path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        found: &'static str,
        /// What the user can do.
        remedy: Remedy,
    },
    /// Intact, but of a later program.
    #[error("{}: model format {version}, and this program reads up to {VERSION}", path.display())]
    Newer {
        /// The model file.
        path: PathBuf,
        /// Its format version.
        version: u32,
    },
    /// The digest does not fit: bytes were changed, lost or added.
    #[error("{}: damaged or cut short, at byte {at}: {what}", path.display())]
    Damaged {
        /// The model file.
        path: PathBuf,
        /// Where the damage was noticed.
        at: u64,
        /// What was noticed.
        what: String,
    },
    /// The digest fits but the content cannot be.
    #[error("{}: intact but not a valid model, at byte {at}: {what}", path.display())]
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

impl ContainerError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        let clause = match self {
            ContainerError::TooLarge { .. } => {
                return Some(Remedy::raise(Setting::MaxMemory).aim("if you trust it"));
            }
            ContainerError::NotAModel { remedy, .. } => return Some(remedy.clone()),
            ContainerError::NameTooLong { .. } => return None,
            ContainerError::Io { advice, .. } => advice,
            ContainerError::NotAFile { .. } => {
                "name a file, models are written and read as a whole"
            }
            ContainerError::Newer { .. } => "upgrade novikoff",
            ContainerError::Damaged { .. } => "restore it from a copy or train again",
            ContainerError::Invalid { .. } => "the program that wrote it is at fault",
        };
        Some(Remedy::clause(clause))
    }
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
    pub kind: ArrayKind,
    /// How many numbers.
    pub count: u64,
    /// CRC-32 of their bytes.
    pub crc: u32,
}

/// The type of a section's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ArrayKind {
    /// Weights, matrices, scalars.
    F64 = 0,
    /// Counts.
    U64 = 1,
    /// Values of stored rows.
    F32 = 2,
    /// Slots of stored rows.
    U32 = 3,
}

impl ArrayKind {
    fn of(code: u8) -> Option<ArrayKind> {
        [
            ArrayKind::F64,
            ArrayKind::U64,
            ArrayKind::F32,
            ArrayKind::U32,
        ]
        .into_iter()
        .find(|&k| k as u8 == code)
    }

    /// Bytes of one number.
    pub fn size(self) -> u64 {
        match self {
            ArrayKind::F64 | ArrayKind::U64 => 8,
            ArrayKind::F32 | ArrayKind::U32 => 4,
        }
    }

    /// `f64`, `u64`, `f32` or `u32`.
    pub fn name(self) -> &'static str {
        match self {
            ArrayKind::F64 => "f64",
            ArrayKind::U64 => "u64",
            ArrayKind::F32 => "f32",
            ArrayKind::U32 => "u32",
        }
    }
}

/// Replaces `path` by a model file in one step, and returns its digest once it is on disk.
///
/// The bytes go to a hidden `.novikoff-*.tmp` beside it, which is synced and renamed. On failure the
/// old file is as it was and the temporary one is gone (a killed process may leave it behind).
pub fn save(path: &Path, header: &[u8], state: &State<'_>) -> Result<Digest, ContainerError> {
    check_names(state)?;
    let mut file = NewFile::create(path)?;
    let digest = encode::write(&mut file, header, state).map_err(|e| file.failed(e))?;
    file.commit()?;
    Ok(digest)
}

impl From<WriteError> for ContainerError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io {
                path,
                doing,
                advice,
                source,
            } => ContainerError::Io {
                path,
                doing,
                advice,
                source,
            },
            WriteError::NotAFile { path } => ContainerError::NotAFile { path },
        }
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

/// Reads what [`to_bytes`] gave, up to [`DEFAULT_LIMIT`] bytes; errors name the file `<bytes>`.
pub fn from_bytes(bytes: &[u8]) -> Result<Loaded, ContainerError> {
    from_bytes_within(bytes, DEFAULT_LIMIT)
}

/// Reads what [`to_bytes`] gave, up to `limit` bytes.
pub fn from_bytes_within(bytes: &[u8], limit: u64) -> Result<Loaded, ContainerError> {
    let path = Path::new(IN_MEMORY);
    let length = bytes.len() as u64;
    if length > limit {
        return Err(ContainerError::TooLarge {
            path: path.to_owned(),
            bytes: length,
            limit,
        });
    }
    decode::read(path, &mut Cursor::new(bytes), length)
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
