//! Bytes to state, believing nothing.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use novikoff::quantity::plural;
use novikoff::state::{Array, State};

use super::describe::describe;
use super::encode::padding;
use super::{
    ArrayKind, ContainerError, DIGEST, Digest, Loaded, MAGIC, PIECE, SectionInfo, VERSION,
    unreadable,
};

/// Why a content is not accepted.
enum Fault {
    Io(io::Error),
    At(u64, String),
}

impl From<io::Error> for Fault {
    fn from(e: io::Error) -> Self {
        Fault::Io(e)
    }
}

/// Reads a model of `len` bytes; `path` is for messages.
pub(super) fn read<R: Read + Seek>(
    path: &Path,
    input: &mut R,
    len: u64,
) -> Result<Loaded, ContainerError> {
    let failed = |source| unreadable(path, source);
    let damaged = |at, what: &str| ContainerError::Damaged {
        path: path.to_owned(),
        at,
        what: what.into(),
    };
    let mut head = Vec::new();
    input
        .by_ref()
        .take(4096)
        .read_to_end(&mut head)
        .map_err(failed)?;
    if !head.starts_with(MAGIC) {
        if !head.is_empty() && MAGIC.starts_with(&head) {
            return Err(damaged(len, "the file ends in its first field"));
        }
        let (found, remedy) = describe(&head);
        return Err(ContainerError::NotAModel {
            path: path.to_owned(),
            found,
            remedy,
        });
    }
    let Some((version, _)) = head[MAGIC.len()..].split_first_chunk::<4>() else {
        return Err(damaged(len, "the file ends in its version"));
    };
    let version = u32::from_le_bytes(*version);
    let Some(end) = len.checked_sub(DIGEST).filter(|&end| end >= 12) else {
        return Err(damaged(len, "the file ends before a digest"));
    };

    input.seek(SeekFrom::Start(0)).map_err(failed)?;
    let (digest, intact) = check_digest(input, end).map_err(failed)?;
    if version > VERSION && intact {
        return Err(ContainerError::Newer {
            path: path.to_owned(),
            version,
        });
    }
    input.seek(SeekFrom::Start(12)).map_err(failed)?;
    let content = Parser { input, at: 12, end }.content();
    match content {
        Err(Fault::Io(e)) => Err(failed(e)),
        _ if version != VERSION => Err(damaged(8, &format!("format version {version}"))),
        Ok((header, state, sections)) if intact => Ok(Loaded {
            header,
            state,
            digest,
            sections,
        }),
        Ok(_) => Err(damaged(
            end,
            "all data fits its checksums, but not the digest of the file",
        )),
        Err(Fault::At(at, what)) if intact => Err(ContainerError::Invalid {
            path: path.to_owned(),
            at,
            what,
        }),
        Err(Fault::At(at, what)) => Err(damaged(at, &what)),
    }
}

/// The digest of the first `end` bytes, and whether it is the one that follows them.
fn check_digest(input: &mut impl Read, end: u64) -> io::Result<(Digest, bool)> {
    let mut hash = blake3::Hasher::new();
    let mut piece = vec![0; PIECE];
    let mut left = end;
    while left > 0 {
        let part = &mut piece[..left.min(PIECE as u64) as usize];
        input.read_exact(part)?;
        hash.update(part);
        left -= part.len() as u64;
    }
    let mut stored = [0; DIGEST as usize];
    input.read_exact(&mut stored)?;
    let digest = hash.finalize();
    Ok((digest, digest == stored))
}

/// Reads fields between `at` and `end`, the offset of the digest.
struct Parser<'a, R> {
    input: &'a mut R,
    at: u64,
    end: u64,
}

type Content = (Vec<u8>, State<'static>, Vec<SectionInfo>);

impl<R: Read> Parser<'_, R> {
    fn content(mut self) -> Result<Content, Fault> {
        let length = u64::from_le_bytes(self.field("the header's length")?);
        let header = self.bytes(length, "the header")?;
        self.check_crc(crc32fast::hash(&header), "the header")?;
        let count = u32::from_le_bytes(self.field("the number of sections")?);
        let mut state = State::new();
        let mut sections: Vec<SectionInfo> = Vec::new();
        for _ in 0..count {
            let (info, array) = self.section(sections.last().map(|s| s.name.as_str()))?;
            state.insert(info.name.clone(), array);
            sections.push(info);
        }
        match self.end - self.at {
            0 => Ok((header, state, sections)),
            left => Err(self.fault(format!("{} after the last section", plural(left, "byte")))),
        }
    }

    fn section(&mut self, previous: Option<&str>) -> Result<(SectionInfo, Array<'static>), Fault> {
        let start = self.at;
        let length = u16::from_le_bytes(self.field("a section's name")?);
        let name = String::from_utf8(self.bytes(length.into(), "a section's name")?)
            .map_err(|_| Fault::At(start, "a section's name is not UTF-8".to_owned()))?;
        if previous.is_some_and(|p| p >= name.as_str()) {
            return Err(Fault::At(
                start,
                format!("section `{name}` is out of order"),
            ));
        }
        let [code] = self.field("a section's type")?;
        let kind = ArrayKind::of(code)
            .ok_or_else(|| self.fault(format!("section `{name}` has unknown type {code}")))?;
        let count = u64::from_le_bytes(self.field("a section's length")?);
        let pad = padding(self.at);
        if self.bytes(pad as u64, "padding")?.iter().any(|&b| b != 0) {
            return Err(self.fault(format!("the padding of section `{name}` is not zero")));
        }
        let what = format!("section `{name}`");
        let (array, crc) = match kind {
            ArrayKind::F64 => self.numbers(count, &what, f64::from_le_bytes, Array::F64)?,
            ArrayKind::U64 => self.numbers(count, &what, u64::from_le_bytes, Array::U64)?,
            ArrayKind::F32 => self.numbers(count, &what, f32::from_le_bytes, Array::F32)?,
            ArrayKind::U32 => self.numbers(count, &what, u32::from_le_bytes, Array::U32)?,
        };
        self.check_crc(crc, &what)?;
        Ok((
            SectionInfo {
                name,
                kind,
                count,
                crc,
            },
            array,
        ))
    }

    fn fault(&self, what: String) -> Fault {
        Fault::At(self.at, what)
    }

    /// Counts `length` bytes as read, if there are as many.
    fn advance(&mut self, length: Option<u64>, what: &str) -> Result<(), Fault> {
        let left = self.end - self.at;
        match length {
            Some(length) if length <= left => {
                self.at += length;
                Ok(())
            }
            _ => Err(self.fault(format!("{what} runs past the end of the file"))),
        }
    }

    fn field<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Fault> {
        self.advance(Some(N as u64), what)?;
        let mut field = [0; N];
        self.input.read_exact(&mut field)?;
        Ok(field)
    }

    fn bytes(&mut self, length: u64, what: &str) -> Result<Vec<u8>, Fault> {
        self.advance(Some(length), what)?;
        let mut bytes = room(length)?;
        bytes.resize(length as usize, 0);
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads `count` numbers; also gives the CRC of their bytes.
    fn numbers<T: Clone + 'static, const N: usize>(
        &mut self,
        count: u64,
        what: &str,
        decode: impl Fn([u8; N]) -> T,
        array: impl Fn(Cow<'static, [T]>) -> Array<'static>,
    ) -> Result<(Array<'static>, u32), Fault> {
        self.advance(count.checked_mul(N as u64), what)?;
        let mut numbers: Vec<T> = room(count)?;
        let mut crc = crc32fast::Hasher::new();
        let mut piece = vec![0; PIECE.min(count as usize * N)];
        while (numbers.len() as u64) < count {
            let left = count as usize - numbers.len();
            let part = &mut piece[..left.min(PIECE / N) * N];
            self.input.read_exact(part)?;
            crc.update(part);
            numbers.extend(part.as_chunks::<N>().0.iter().map(|&b| decode(b)));
        }
        Ok((array(numbers.into()), crc.finalize()))
    }

    fn check_crc(&mut self, crc: u32, what: &str) -> Result<(), Fault> {
        let at = self.at;
        if crc == u32::from_le_bytes(self.field(what)?) {
            return Ok(());
        }
        Err(Fault::At(
            at,
            format!("the bytes before it do not fit the checksum of {what}"),
        ))
    }
}

/// Memory for `count` numbers, which the file is known to have.
fn room<T>(count: u64) -> Result<Vec<T>, Fault> {
    let mut numbers = Vec::new();
    let enough = usize::try_from(count).is_ok_and(|n| numbers.try_reserve_exact(n).is_ok());
    if enough {
        Ok(numbers)
    } else {
        Err(Fault::Io(io::ErrorKind::OutOfMemory.into()))
    }
}
