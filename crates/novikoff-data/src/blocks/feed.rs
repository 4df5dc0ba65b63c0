//! Bytes from files, pipes and memory, cut into blocks of whole lines.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use memchr::memrchr;

use crate::error::{DataError, Problem};
use crate::svmlight::LineError;

/// Where text comes from.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, pipe or device of this name.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Text in memory.
    Bytes {
        /// What errors call it.
        name: String,
        /// The text.
        text: Cow<'static, [u8]>,
    },
}

impl Input {
    /// What errors call it.
    pub(super) fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Stdin => "<stdin>".to_owned(),
            Input::Bytes { name, .. } => name.clone(),
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
            Input::Bytes { text, .. } => Ok(Some(text.len() as u64)),
        }
    }

    fn open(self) -> Result<Box<dyn Read + Send>, DataError> {
        Ok(match self {
            Input::Path(path) => {
                Box::new(File::open(&path).map_err(|error| DataError::io(&path, error))?)
            }
            Input::Stdin => stdin(),
            Input::Bytes { text, .. } => Box::new(Cursor::new(text)),
        })
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

/// Why a block is the last.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The line with this number in the block.
    Line(LineError),
    /// The input as a whole.
    Input(DataError),
}

/// Whole lines of one input.
#[derive(Debug, Default)]
pub(crate) struct Text {
    buffer: Vec<u8>,
    len: usize,
    /// Bytes at the start that are not text: the byte order mark of a file.
    pub(crate) skipped: usize,
    /// Which input it is from.
    pub(crate) input: usize,
    /// It begins its input.
    pub(crate) first: bool,
    /// What ended the stream here, after these lines.
    pub(crate) fault: Option<Fault>,
}

impl Text {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.skipped..self.len]
    }

    /// How many bytes were read for it.
    pub(crate) fn size(&self) -> u64 {
        self.len as u64
    }
}

/// The inputs, one after another.
pub(crate) struct Feed {
    inputs: std::vec::IntoIter<Input>,
    current: Option<Open>,
    /// How many inputs were opened.
    opened: usize,
    /// The beginning of a line whose end was not read yet.
    tail: Vec<u8>,
    block_size: usize,
    max_line: usize,
}

struct Open {
    name: String,
    reader: Box<dyn Read + Send>,
    /// Nothing of it was handed over yet.
    fresh: bool,
}

impl Feed {
    pub(crate) fn new(inputs: Vec<Input>, block_size: usize, max_line: usize) -> Self {
        Feed {
            inputs: inputs.into_iter(),
            current: None,
            opened: 0,
            tail: Vec::new(),
            block_size: block_size.max(1),
            max_line,
        }
    }

    /// Fills `text` with the next lines: what one `read` gives, or more if that is no whole line.
    /// False at the end. After a fault there is nothing more.
    pub(crate) fn fill(&mut self, text: &mut Text) -> bool {
        loop {
            (text.len, text.skipped, text.fault) = (0, 0, None);
            if self.current.is_none() {
                let Some(input) = self.inputs.next() else {
                    return false;
                };
                self.opened += 1;
                let name = input.name();
                match input.open() {
                    Ok(reader) => {
                        self.current = Some(Open {
                            name,
                            reader,
                            fresh: true,
                        });
                    }
                    Err(error) => {
                        (text.input, text.first) = (self.opened - 1, true);
                        self.stop(text, Fault::Input(error));
                        return true;
                    }
                }
            }
            text.input = self.opened - 1;
            text.first = self.current.as_ref().is_some_and(|open| open.fresh);
            if let Err(fault) = self.lines(text) {
                self.stop(text, fault);
                return true;
            }
            if text.len > 0 {
                return true;
            }
        }
    }

    fn stop(&mut self, text: &mut Text, fault: Fault) {
        text.len = text.skipped;
        text.fault = Some(fault);
        self.current = None;
        self.inputs = Vec::new().into_iter();
    }

    /// Reads up to and including some line's end, or to the end of the input.
    fn lines(&mut self, text: &mut Text) -> Result<(), Fault> {
        let Some(open) = &mut self.current else {
            return Ok(());
        };
        let mut filled = self.tail.len();
        grow(&mut text.buffer, filled);
        text.buffer[..filled].copy_from_slice(&self.tail);
        self.tail.clear();
        loop {
            // a line longer than a block is read in ever larger pieces
            let room = self.block_size.max(2 * filled).max(filled + 1);
            grow(&mut text.buffer, room);
            let read = match open.reader.read(&mut text.buffer[filled..room]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(Fault::Input(DataError::io(Path::new(&open.name), error)));
                }
                Ok(read) => read,
            };
            let new = &text.buffer[filled..filled + read];
            let newline = memrchr(b'\n', new).map(|at| filled + at + 1);
            filled += read;
            if open.fresh {
                let start = &text.buffer[..filled];
                if let Some((by, tool)) = compression(start) {
                    let file = open.name.clone();
                    return Err(Fault::Input(DataError::Compressed { file, by, tool }));
                }
                text.skipped = if start.starts_with(b"\xef\xbb\xbf") {
                    3
                } else {
                    0
                };
            }
            if read == 0 {
                text.len = filled;
                self.current = None;
                return Ok(());
            }
            if let Some(end) = newline {
                self.tail.extend_from_slice(&text.buffer[end..filled]);
                text.len = end;
                open.fresh = false;
                return Ok(());
            }
            if filled - text.skipped > self.max_line {
                return Err(Fault::Line(LineError {
                    line: 0,
                    column: self.max_line as u64 + 1,
                    problem: Problem::LineTooLong {
                        limit: self.max_line,
                    },
                }));
            }
        }
    }
}

/// At least `size` bytes; those past the old ones are zero.
fn grow(buffer: &mut Vec<u8>, size: usize) {
    if buffer.len() < size {
        buffer.resize(size, 0);
    }
}

/// Who compressed a file that begins so, and who undoes it.
fn compression(start: &[u8]) -> Option<(&'static str, &'static str)> {
    if start.starts_with(b"\x1f\x8b") {
        Some(("gzip", "zcat"))
    } else if start.starts_with(b"\x28\xb5\x2f\xfd") {
        Some(("zstd", "zstdcat"))
    } else {
        None
    }
}
