//! Arrow IPC: the file format, and the stream format as it comes.
//!
//! A record batch is held whole while its rows are lent out, for so it is written.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::vec::IntoIter;

use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{
    Block, CompressionType, Endianness, Message, MessageHeader, root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use novikoff::remedy::Complaint;

use super::disk::Disk;
use super::fault::{content, damaged};
use super::look::Looks;
use super::pool::{Part, batch_rows};
use crate::error::DataError;
use crate::input::{Opened, unreadable};
use crate::sniff::Compression;

/// What a file begins and ends with.
pub(super) const MARK: &[u8; 6] = b"ARROW1";

/// No more memory than this is reserved before the bytes for it have come.
const TRUST: usize = 16 << 20;

/// Batches of rows.
pub(super) struct Ipc {
    file: String,
    messages: Messages,
    pub(super) schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    columns: Vec<usize>,
    /// Batches that were looked at before their turn, and what ended the look.
    ahead: VecDeque<Result<RecordBatch, DataError>>,
    /// What is left of the current batch, and how many rows are lent at once.
    rest: Option<RecordBatch>,
    rows: usize,
    /// What batches may still take, where that is limited.
    left: Option<StreamLimits>,
}

/// What the batches of a stream may come to in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// Rows.
    pub rows: u64,
    /// Bytes of buffers, once they are decompressed.
    pub bytes: u64,
    /// Batches, those of dictionaries included.
    pub batches: u64,
}

/// The record batches of an Arrow IPC stream that is in memory, within limits. What it says of itself is compared with what is there before anything is
/// made room for; still, the crate that decodes it may panic on a forged one.
pub struct StreamBatches(Ipc);

impl StreamBatches {
    /// Reads the schema. Errors call the stream `name`.
    pub fn open(name: &str, bytes: Vec<u8>, limits: StreamLimits) -> Result<Self, DataError> {
        let stream = Stream {
            reader: Box::new(Cursor::new(bytes)),
            compression: None,
        };
        let mut ipc = Ipc::of_stream(name, stream)?;
        ipc.left = Some(limits);
        Ok(StreamBatches(ipc))
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0.schema)
    }

    /// The last error was that the limits were passed.
    pub fn is_over(&self) -> bool {
        self.0.left.is_none()
    }

    /// The next batch, if there is one. An error is the end.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, DataError> {
        self.0.batch()
    }
}

/// A message and its body.
struct Piece {
    head: Vec<u8>,
    body: Buffer,
}

enum Messages {
    File { disk: Disk, blocks: IntoIter<Block> },
    Stream(Stream),
}

struct Stream {
    reader: Box<dyn Read + Send>,
    compression: Option<Compression>,
}

impl Ipc {
    pub(super) fn open_file(disk: Disk, file: &str) -> Result<Self, DataError> {
        let broken = |why: &str| damaged(file, "Arrow", why);
        let failed = |error| DataError::io(file.as_ref(), error);
        let tail = match disk.size() {
            0..18 => return Err(broken("it is too short")),
            size => disk.bytes(size - 10, 10).map_err(failed)?,
        };
        let len = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        if &tail[4..] != MARK {
            return Err(broken("its end is missing"));
        }
        if len > disk.size() - 18 {
            return Err(broken("its footer is longer than the file"));
        }
        let bytes = disk.bytes(disk.size() - 10 - len, len).map_err(failed)?;
        let footer = root_as_footer(&bytes).map_err(|error| broken(&error.to_string()))?;
        let schema = footer.schema().ok_or_else(|| broken("it has no schema"))?;
        let schema = schema_of(file, schema)?;
        let mut order: Vec<Block> = Vec::new();
        for blocks in [footer.dictionaries(), footer.recordBatches()]
            .into_iter()
            .flatten()
        {
            order.extend(blocks.iter());
        }
        let messages = Messages::File {
            disk,
            blocks: order.into_iter(),
        };
        Ok(Self::new(file, messages, schema))
    }

    pub(super) fn open_stream(opened: Opened) -> Result<Self, DataError> {
        let stream = Stream {
            reader: Box::new(Cursor::new(opened.head).chain(opened.reader)),
            compression: opened.compression,
        };
        Self::of_stream(&opened.name, stream)
    }

    fn of_stream(file: &str, mut stream: Stream) -> Result<Self, DataError> {
        let Some(piece) = stream.next(file)? else {
            return Err(damaged(file, "Arrow", "it has no schema"));
        };
        let schema = piece.message(file)?.header_as_schema();
        let schema = schema.ok_or_else(|| damaged(file, "Arrow", "it has no schema"))?;
        let schema = schema_of(file, schema)?;
        Ok(Self::new(file, Messages::Stream(stream), schema))
    }

    fn new(file: &str, messages: Messages, schema: Schema) -> Self {
        Ipc {
            file: file.to_owned(),
            messages,
            columns: (0..schema.fields().len()).collect(),
            schema: Arc::new(schema),
            dictionaries: HashMap::new(),
            ahead: VecDeque::new(),
            rest: None,
            rows: 0,
            left: None,
        }
    }

    /// Read as it comes.
    pub(super) fn is_stream(&self) -> bool {
        matches!(self.messages, Messages::Stream(_))
    }

    /// Looks at the first batches, which are kept. What is wrong with one of them is said when its turn comes.
    pub(super) fn look(&mut self, looks: &mut Looks<'_>) {
        while !looks.is_done() {
            match self.batch() {
                Ok(None) => return,
                Ok(Some(batch)) => {
                    let seen = looks.add(batch.columns(), batch.num_rows());
                    self.ahead.push_back(Ok(batch));
                    if seen.is_err() {
                        return;
                    }
                }
                Err(error) => {
                    self.ahead.push_back(Err(error));
                    return;
                }
            }
        }
    }

    /// The next record batch.
    fn batch(&mut self) -> Result<Option<RecordBatch>, DataError> {
        let file = &self.file;
        let broken = |error: ArrowError| damaged(file, "Arrow", error);
        loop {
            let piece = match &mut self.messages {
                Messages::File { disk, blocks } => match blocks.next() {
                    Some(block) => Some(Piece::at(disk, block, file)?),
                    None => None,
                },
                Messages::Stream(stream) => stream.next(file)?,
            };
            let Some(piece) = piece else {
                return Ok(None);
            };
            let message = piece.message(file)?;
            let version = message.version();
            match message.header_type() {
                MessageHeader::DictionaryBatch => {
                    let batch = message.header_as_dictionary_batch();
                    let Some((batch, data)) = batch.and_then(|batch| Some((batch, batch.data()?)))
                    else {
                        return Err(damaged(file, "Arrow", "a dictionary without its data"));
                    };
                    take(&mut self.left, piece.check(&data, file)?, file)?;
                    let known = &mut self.dictionaries;
                    read_dictionary(&piece.body, batch, &self.schema, known, &version)
                        .map_err(broken)?;
                }
                MessageHeader::RecordBatch => {
                    let Some(batch) = message.header_as_record_batch() else {
                        return Err(damaged(file, "Arrow", "a batch without its data"));
                    };
                    take(&mut self.left, piece.check(&batch, file)?, file)?;
                    let schema = Arc::clone(&self.schema);
                    let known = &self.dictionaries;
                    return read_record_batch(&piece.body, batch, schema, known, None, &version)
                        .map(Some)
                        .map_err(broken);
                }
                kind => {
                    let why = format!("a message of the kind {kind:?} among the batches");
                    return Err(damaged(file, "Arrow", why));
                }
            }
        }
    }
}

fn schema_of(file: &str, schema: arrow_ipc::Schema<'_>) -> Result<Schema, DataError> {
    if schema.endianness() != Endianness::Little {
        return Err(damaged(file, "Arrow", "it is not little-endian"));
    }
    Ok(fb_to_schema(schema))
}

impl Part for Ipc {
    fn columns(&self) -> &[usize] {
        &self.columns
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, DataError> {
        while self.rest.as_ref().is_none_or(|rest| rest.num_rows() == 0) {
            let batch = match self.ahead.pop_front() {
                Some(batch) => Some(batch?),
                None => self.batch()?,
            };
            let Some(batch) = batch else {
                return Ok(None);
            };
            let columns = batch.columns().iter();
            let bytes = columns.filter_map(|column| column.to_data().get_slice_memory_size().ok());
            self.rows = batch_rows(bytes.sum::<usize>() as u64 / 4, batch.num_rows() as u64);
            self.rest = Some(batch);
        }
        let rest = self.rest.take().map(|rest| {
            let rows = self.rows.min(rest.num_rows());
            self.rest = Some(rest.slice(rows, rest.num_rows() - rows));
            rest.slice(0, rows)
        });
        Ok(rest)
    }
}

impl Piece {
    /// A block of a file.
    fn at(disk: &Disk, block: Block, file: &str) -> Result<Self, DataError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged(file, "Arrow", error),
            _ => DataError::io(file.as_ref(), error),
        };
        let (Ok(at), Ok(head), Ok(body)) = (
            u64::try_from(block.offset()),
            u64::try_from(block.metaDataLength()),
            u64::try_from(block.bodyLength()),
        ) else {
            return Err(damaged(file, "Arrow", "a block of a negative size"));
        };
        let mut bytes = disk.bytes(at, head).map_err(failed)?;
        // older files lack the mark before the length
        let marked = bytes.starts_with(&[0xff; 4]);
        bytes.drain(..bytes.len().min(if marked { 8 } else { 4 }));
        let body = disk.bytes(at + head, body).map_err(failed)?;
        disk.count(head + body.len() as u64);
        Ok(Piece {
            head: bytes,
            body: Buffer::from_vec(body),
        })
    }

    fn message(&self, file: &str) -> Result<Message<'_>, DataError> {
        root_as_message(&self.head).map_err(|error| damaged(file, "Arrow", error))
    }

    /// Compares the sizes of buffers with what is there; says what the batch comes to.
    fn check(
        &self,
        batch: &arrow_ipc::RecordBatch<'_>,
        file: &str,
    ) -> Result<StreamLimits, DataError> {
        let ratio = batch.compression().map(|by| match by.codec() {
            CompressionType::LZ4_FRAME => 256,
            _ => 1 << 15,
        });
        // how large a buffer is, once it is decompressed; none if it cannot be so large
        let size_of = |buffer: &arrow_ipc::Buffer| -> Option<u64> {
            let at = usize::try_from(buffer.offset()).ok()?;
            let end = at.checked_add(usize::try_from(buffer.length()).ok()?)?;
            let bytes = self.body.get(at..end)?;
            let (Some(ratio), Some((size, rest))) = (ratio, bytes.split_first_chunk::<8>()) else {
                return Some(bytes.len() as u64);
            };
            let size = i64::from_le_bytes(*size);
            if size == -1 {
                return Some(rest.len() as u64); // it was not compressed
            }
            let size = u64::try_from(size).ok()?;
            (size <= 64 + ratio * rest.len() as u64).then_some(size)
        };
        let buffers = batch.buffers().into_iter().flatten();
        let sizes: Option<u64> = buffers.map(size_of).sum();
        let (Some(bytes), Ok(rows)) = (sizes, u64::try_from(batch.length())) else {
            return Err(damaged(file, "Arrow", "a buffer larger than it can be"));
        };
        Ok(StreamLimits {
            rows,
            bytes,
            batches: 1,
        })
    }
}

impl Stream {
    /// The next message, if the stream goes on.
    fn next(&mut self, file: &str) -> Result<Option<Piece>, DataError> {
        let mut word = self.bytes(4, file)?;
        if word.is_empty() {
            return Ok(None); // the end may be marked, or just be there
        }
        if word == [0xff; 4] {
            word = self.bytes(4, file)?;
        }
        let word = <[u8; 4]>::try_from(&word[..]).map_err(|_| cut(file))?;
        let len = u32::from_le_bytes(word) as usize;
        if len == 0 {
            return Ok(None);
        }
        let head = self.bytes(len, file)?;
        let mut piece = Piece {
            body: Buffer::default(),
            head,
        };
        if piece.head.len() < len {
            return Err(cut(file));
        }
        let Ok(body) = usize::try_from(piece.message(file)?.bodyLength()) else {
            return Err(damaged(file, "Arrow", "a body of a negative size"));
        };
        let bytes = self.bytes(body, file)?;
        if bytes.len() < body {
            return Err(cut(file));
        }
        piece.body = Buffer::from_vec(bytes);
        Ok(Some(piece))
    }

    /// The next `len` bytes, or fewer if the stream ends.
    fn bytes(&mut self, len: usize, file: &str) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::with_capacity(len.min(TRUST));
        let mut reader = (&mut self.reader).take(len as u64);
        match reader.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(unreadable(file, self.compression, error)),
        }
    }
}

impl StreamLimits {
    fn without(self, took: StreamLimits) -> Option<Self> {
        Some(StreamLimits {
            rows: self.rows.checked_sub(took.rows)?,
            bytes: self.bytes.checked_sub(took.bytes)?,
            batches: self.batches.checked_sub(took.batches)?,
        })
    }
}

/// Takes what a batch comes to from what is left, where that is limited.
fn take(left: &mut Option<StreamLimits>, took: StreamLimits, file: &str) -> Result<(), DataError> {
    let Some(limits) = *left else {
        return Ok(());
    };
    *left = limits.without(took);
    if left.is_some() {
        return Ok(());
    }
    let what = "has more rows, batches or bytes of columns than are allowed at once";
    let remedy = "send fewer rows at a time, in fewer and larger batches";
    Err(content(file, Complaint::new(what, remedy)))
}

fn cut(file: &str) -> DataError {
    damaged(file, "Arrow", "it ends in the middle of a message")
}
