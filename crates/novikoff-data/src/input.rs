//! Inputs: opened, decompressed, and recognised by their first bytes.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use novikoff::remedy::{Complaint, Remedy, Setting};

use crate::error::DataError;
use crate::folder::{Folder, FolderText};
use crate::gzip::Gzip;
use crate::options::{Format, ReadOptions};
use crate::sniff::{self, Compression};

/// Where data comes from.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, pipe or device of this name.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// A folder of texts.
    Folder(Arc<Folder>),
    /// Data in memory.
    Bytes {
        /// What errors call it.
        name: String,
        /// The data.
        text: Cow<'static, [u8]>,
    },
}

impl Input {
    /// What errors call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Stdin => "<stdin>".to_owned(),
            Input::Folder(folder) => folder.name(),
            Input::Bytes { name, .. } => name.clone(),
        }
    }

    /// A path of a directory as the folder that is there.
    pub(crate) fn resolve(self, options: &ReadOptions) -> Result<Self, DataError> {
        match self {
            Input::Path(path) if path.is_dir() => {
                let folder = Folder::list(&path, options)?;
                Ok(Input::Folder(Arc::new(folder)))
            }
            other => Ok(other),
        }
    }

    /// How many bytes there are, if that can be known; never for what may keep a reader waiting.
    pub(crate) fn size(&self) -> Result<Option<u64>, DataError> {
        match self {
            Input::Path(path) => {
                let about = path
                    .metadata()
                    .map_err(|error| DataError::io(path, error))?;
                if about.is_dir() {
                    return Err(DataError::Directory { path: path.clone() });
                }
                Ok(about.is_file().then_some(about.len()))
            }
            Input::Stdin => Ok(None),
            Input::Folder(folder) => Ok(Some(folder.bytes())),
            Input::Bytes { text, .. } => Ok(Some(text.len() as u64)),
        }
    }

    /// Its bytes; `read` counts them.
    fn raw(
        self,
        options: &ReadOptions,
        read: &Arc<AtomicU64>,
    ) -> Result<Box<dyn Read + Send>, DataError> {
        let read = Arc::clone(read);
        let reader: Box<dyn Read + Send> = match self {
            Input::Path(path) => {
                Box::new(File::open(&path).map_err(|error| DataError::io(&path, error))?)
            }
            Input::Stdin => stdin(),
            Input::Folder(folder) => {
                let names = folder.field_names(options)?;
                return Ok(Box::new(FolderText::new(
                    folder,
                    names,
                    options.max_line,
                    read,
                )));
            }
            Input::Bytes { text, .. } => Box::new(Cursor::new(text)),
        };
        Ok(Box::new(Counted { reader, read }))
    }

    /// Opens it and finds out what it is. `read` counts the bytes that are read, as they lie there.
    pub(crate) fn open(
        self,
        options: &ReadOptions,
        read: &Arc<AtomicU64>,
    ) -> Result<Opened, DataError> {
        let name = self.name();
        let waits = self.size()?.is_none();
        let path = match &self {
            Input::Path(path) if !waits => Some(path.clone()),
            _ => None,
        };
        let mut opened = Opened {
            name,
            path,
            waits,
            format: Format::Svmlight,
            compression: None,
            head: Vec::new(),
            reader: self.raw(options, read)?,
            read: Arc::clone(read),
            ended: false,
        };
        opened.begin(options)?;
        Ok(opened)
    }
}

/// An input that was opened and recognised.
pub(crate) struct Opened {
    /// What errors call it.
    pub(crate) name: String,
    /// The file, if it is a regular one.
    pub(crate) path: Option<PathBuf>,
    /// A read may wait for a long time.
    pub(crate) waits: bool,
    /// What it holds, once decompressed.
    pub(crate) format: Format,
    /// What it was compressed by.
    pub(crate) compression: Option<Compression>,
    /// The first bytes, which `reader` gives no more.
    pub(crate) head: Vec<u8>,
    /// The rest, decompressed.
    pub(crate) reader: Box<dyn Read + Send>,
    /// Counts the bytes that are read.
    pub(crate) read: Arc<AtomicU64>,
    /// `reader` has no more.
    pub(crate) ended: bool,
}

/// How far the beginning of an input is looked at to recognise it.
const GLANCE: usize = 64 << 10;

impl Opened {
    fn begin(&mut self, options: &ReadOptions) -> Result<(), DataError> {
        self.read_until(|head| head.len() >= 4)?;
        self.compression = sniff::compression(&self.head);
        if let Some(compression) = self.compression {
            let head = std::mem::take(&mut self.head);
            let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
            let raw = BufReader::with_capacity(GLANCE, Cursor::new(head).chain(rest));
            self.reader = match compression {
                Compression::Gzip => Box::new(Gzip::new(raw)),
                Compression::Zstd => {
                    let decoder = zstd::stream::read::Decoder::with_buffer(raw);
                    Box::new(decoder.map_err(|error| self.failed(error))?)
                }
            };
            self.ended = false;
        }
        let recognised = |head: &[u8]| head.len() >= GLANCE || sniff::has_line(head);
        self.read_until(recognised)?;
        if let Some(what) = sniff::other_packing(&self.head) {
            return Err(self.content(what));
        }
        if options.format.is_none() && sniff::is_json_array(&self.head) {
            let format = Remedy::give(Setting::Format, "").aim("to say what it is");
            return Err(self.content(Complaint::new(
                "looks like a JSON array, and of JSON only lines are read",
                Remedy::clause("write one object per line").or(format),
            )));
        }
        if sniff::is_model(&self.head) {
            return Err(DataError::IsModel {
                file: self.name.clone(),
            });
        }
        self.format = options.format.unwrap_or_else(|| sniff::format(&self.head));
        Ok(())
    }

    /// Reads until the head is long enough, or to the end of the input.
    pub(crate) fn read_until(&mut self, enough: impl Fn(&[u8]) -> bool) -> Result<(), DataError> {
        while !self.ended && !enough(&self.head) {
            self.read_more(GLANCE)?;
        }
        Ok(())
    }

    /// Adds what one read gives to the head.
    pub(crate) fn read_more(&mut self, room: usize) -> Result<(), DataError> {
        let filled = self.head.len();
        self.head.resize(filled + room, 0);
        let read = loop {
            match self.reader.read(&mut self.head[filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.head
            .truncate(filled + read.as_ref().copied().unwrap_or(0));
        match read {
            Ok(read) => self.ended |= read == 0,
            Err(error) => return Err(self.failed(error)),
        }
        Ok(())
    }

    fn content(&self, what: Complaint) -> DataError {
        DataError::content(&self.name, what)
    }

    fn failed(&self, error: io::Error) -> DataError {
        unreadable(&self.name, self.compression, error)
    }
}

/// Why an input could not be read on.
pub(crate) fn unreadable(
    name: &str,
    compression: Option<Compression>,
    source: io::Error,
) -> DataError {
    let source = match source.downcast::<DataError>() {
        Ok(error) => return error,
        Err(source) => source,
    };
    match compression {
        Some(by) if source.kind() == io::ErrorKind::UnexpectedEof => DataError::CutShort {
            file: name.to_owned(),
            by: by.name(),
        },
        Some(by) if source.raw_os_error().is_none() => DataError::BadCompression {
            file: name.to_owned(),
            by: by.name(),
            source,
        },
        _ => DataError::io(Path::new(name), source),
    }
}

/// Counts what is read.
struct Counted {
    reader: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        // a number for progress bars: nothing is ordered by it
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Standard input without the buffer of `std`, whose lock a waiting reader would keep.
#[cfg(unix)]
fn stdin() -> Box<dyn Read + Send> {
    use std::os::fd::AsFd as _;
    match io::stdin().as_fd().try_clone_to_owned() {
        Ok(handle) => Box::new(File::from(handle)),
        Err(_) => Box::new(io::stdin()),
    }
}

#[cfg(not(unix))]
fn stdin() -> Box<dyn Read + Send> {
    Box::new(io::stdin())
}
