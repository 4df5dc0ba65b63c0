//! A stream of svmlight text as blocks of rows, read ahead by other threads.
//!
//! The text is cut into blocks of whole lines, in order; blocks are parsed by whoever is free, and
//! handed out in order. The consumer works too: if the next block is not parsed yet, it parses one
//! rather than sleep. Rows, lines and errors are the same for every number of threads and every
//! size of blocks. A fixed set of blocks goes round, so memory does not grow with the input and
//! nothing is allocated once they have grown to their size.

mod feed;
mod pool;

use std::sync::Arc;

use novikoff::rows::Rows;
use novikoff::source::Source;

use crate::error::DataError;
pub use crate::svmlight::ReadOptions;
pub use feed::Input;
pub(crate) use feed::{Fault, Feed, Text};
use pool::{Block, Pool};

/// Text of this many bytes is read at once: with its rows it stays in a core's second-level cache.
const BLOCK_SIZE: usize = 1 << 18;

/// Where a row stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The input's name.
    pub file: String,
    /// The line, counted from 1 in its file.
    pub line: u64,
}

/// Reads svmlight text from several inputs as one stream of rows.
///
/// Dropping it stops its threads; one that waits for a pipe ends with the pipe, or with the process.
pub struct Reader {
    pool: Arc<Pool>,
    names: Vec<String>,
    total_bytes: Option<u64>,
    bytes_read: u64,
    /// The block lent out.
    current: Option<Block>,
    /// The line of its first line.
    first_line: u64,
    /// The line that follows it.
    next_line: u64,
    /// An error behind the rows lent out.
    error: Option<DataError>,
    ended: bool,
}

impl Reader {
    /// Opens the inputs; `threads` counts the caller's own. Files that are not there are noticed at
    /// once, everything else when its turn comes.
    pub fn open(
        inputs: Vec<Input>,
        options: ReadOptions,
        threads: usize,
    ) -> Result<Self, DataError> {
        Self::with_block_size(inputs, options, threads, BLOCK_SIZE)
    }

    /// Like [`open`](Self::open) with blocks of another size: for tests and measurements.
    #[doc(hidden)]
    pub fn with_block_size(
        inputs: Vec<Input>,
        options: ReadOptions,
        threads: usize,
        block_size: usize,
    ) -> Result<Self, DataError> {
        let names = inputs.iter().map(Input::name).collect();
        let sizes: Result<Vec<Option<u64>>, DataError> = inputs.iter().map(Input::size).collect();
        let total_bytes: Option<u64> = sizes?.into_iter().sum();
        let feed = Feed::new(inputs, block_size, options.max_line);
        // what has no size may keep a reader waiting
        let pool = Pool::start(feed, options, threads.max(1), total_bytes.is_none());
        Ok(Reader {
            pool,
            names,
            total_bytes,
            bytes_read: 0,
            current: None,
            first_line: 1,
            next_line: 1,
            error: None,
            ended: false,
        })
    }

    /// Where a row of the block lent out last stands.
    pub fn place(&self, row_in_block: usize) -> Place {
        match &self.current {
            Some(block) => Place {
                file: self.names[block.text.input].clone(),
                line: self.first_line + block.rows.line(row_in_block),
            },
            None => Place {
                file: self.names.first().cloned().unwrap_or_default(),
                line: 1,
            },
        }
    }

    /// How many bytes the blocks lent out so far took.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// How many bytes there are in all, if that is known.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }

    /// Makes the next block the current one. False at the end.
    fn advance(&mut self) -> Result<bool, DataError> {
        loop {
            if let Some(error) = self.error.take() {
                self.ended = true;
                return Err(error);
            }
            if self.ended {
                return Ok(false);
            }
            let Some(mut block) = self.pool.next(self.current.take()) else {
                self.ended = true;
                return Ok(false);
            };
            self.bytes_read += block.text.size();
            self.first_line = if block.text.first { 1 } else { self.next_line };
            self.next_line = self.first_line + block.lines;
            if let Some(fault) = block.text.fault.take() {
                self.error = Some(self.locate(fault, &block));
            }
            let empty = block.rows.is_empty();
            self.current = Some(block);
            if !empty {
                return Ok(true);
            }
        }
    }

    fn locate(&self, fault: Fault, block: &Block) -> DataError {
        match fault {
            Fault::Input(error) => error,
            Fault::Line(error) => {
                let mark = if error.line == 0 {
                    block.text.skipped as u64
                } else {
                    0
                };
                DataError::Line {
                    file: self.names[block.text.input].clone(),
                    line: self.first_line + error.line,
                    column: error.column + mark,
                    problem: error.problem,
                }
            }
        }
    }
}

impl Source for Reader {
    type Error = DataError;

    fn next_block(&mut self) -> Result<Option<&Rows>, DataError> {
        Ok(if self.advance()? {
            self.current.as_ref().map(|block| &block.rows)
        } else {
            None
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.pool.stop();
    }
}
