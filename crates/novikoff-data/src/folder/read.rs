//! The texts of a folder as JSON lines.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr;
use novikoff::quantity::count;
use novikoff::remedy::{Complaint, Remedy};

use super::{FieldNames, Folder};
use crate::error::DataError;
use crate::gzip::Gzip;
use crate::input::unreadable;
use crate::sniff::{Compression, compression};
use crate::write::json::put_string;

/// Gives the lines of a folder, file by file.
pub(crate) struct FolderText {
    folder: Arc<Folder>,
    names: FieldNames,
    /// The longest line allowed.
    limit: usize,
    /// Counts the bytes of files that are read.
    read: Arc<AtomicU64>,
    /// The file to be read next.
    next: usize,
    line: Vec<u8>,
    /// How much of the line was given.
    given: usize,
    /// Why there are no more lines.
    error: Option<DataError>,
}

impl FolderText {
    pub(crate) fn new(
        folder: Arc<Folder>,
        names: FieldNames,
        limit: usize,
        read: Arc<AtomicU64>,
    ) -> Self {
        FolderText {
            folder,
            names,
            limit,
            read,
            next: 0,
            line: Vec::new(),
            given: 0,
            error: None,
        }
    }

    /// Makes the line of the next file. False if there is none.
    fn next_line(&mut self) -> Result<bool, DataError> {
        self.line.clear();
        self.given = 0;
        let place = self.next;
        if place == self.folder.files.len() {
            return Ok(false);
        }
        self.next += 1;
        let number = self.next as u64;
        let path = self.folder.file(number);
        let content = self.content(&path)?;
        let text = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content);
        if let Some(at) = memchr(0, text) {
            let what = format!("byte 0x00 at place {} is not text", count(at as u64 + 1));
            let remedy = Remedy::clause("write the text as UTF-8").or("move the file elsewhere");
            return Err(content_of(&path, what, remedy));
        }
        let text = String::from_utf8_lossy(text);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.folder.note_replaced(number);
        }
        let label = self.folder.class(place);
        let label = label.map(|label| (self.names.label.as_str(), label.to_owned()));
        let text = Some((self.names.text.as_str(), text.into_owned()));
        let id = self.names.id.map(|id| (id, path.display().to_string()));
        for (name, value) in [label, text, id].into_iter().flatten() {
            self.line
                .push(if self.line.is_empty() { b'{' } else { b',' });
            put_string(&mut self.line, name);
            self.line.push(b':');
            put_string(&mut self.line, &value);
        }
        self.line.extend_from_slice(b"}\n");
        if self.line.len() > self.limit {
            return Err(self.too_long(&path));
        }
        Ok(true)
    }

    /// The bytes of a file, decompressed.
    fn content(&self, path: &Path) -> Result<Vec<u8>, DataError> {
        let most = self.limit as u64 + 1;
        let file = File::open(path).map_err(|error| DataError::io(path, error))?;
        let mut content = Vec::new();
        let read = file.take(most).read_to_end(&mut content);
        read.map_err(|error| DataError::io(path, error))?;
        self.read.fetch_add(content.len() as u64, Ordering::Relaxed);
        if let Some(by) = compression(&content) {
            let failed = |error| unreadable(&path.display().to_string(), Some(by), error);
            let packed = BufReader::new(Cursor::new(std::mem::take(&mut content)));
            let unpacked = match by {
                Compression::Gzip => Gzip::new(packed).take(most).read_to_end(&mut content),
                Compression::Zstd => zstd::stream::read::Decoder::with_buffer(packed)
                    .and_then(|decoder| decoder.take(most).read_to_end(&mut content)),
            };
            unpacked.map_err(failed)?;
        }
        if content.len() > self.limit {
            return Err(self.too_long(path));
        }
        Ok(content)
    }

    fn too_long(&self, path: &Path) -> DataError {
        let what = format!(
            "as a line, this text is longer than {} bytes",
            count(self.limit as u64)
        );
        let remedy = Remedy::clause("split it into several files").or("move it elsewhere");
        content_of(path, what, remedy)
    }
}

fn content_of(path: &Path, what: String, remedy: Remedy) -> DataError {
    DataError::content(path.display().to_string(), Complaint::new(what, remedy))
}

impl Read for FolderText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() && self.error.is_none() {
            if self.given == self.line.len() {
                match self.next_line() {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        self.error = Some(error);
                        self.line.clear();
                        break;
                    }
                }
            }
            let there = &self.line[self.given..];
            let len = there.len().min(buffer.len() - filled);
            buffer[filled..filled + len].copy_from_slice(&there[..len]);
            (filled, self.given) = (filled + len, self.given + len);
        }
        match self.error.take() {
            // lines that are there come first
            Some(error) if filled > 0 => self.error = Some(error),
            Some(error) => {
                self.next = self.folder.files.len();
                return Err(io::Error::other(error));
            }
            None => {}
        }
        Ok(filled)
    }
}
