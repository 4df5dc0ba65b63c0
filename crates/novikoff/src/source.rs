//! Where rows come from.

use crate::rows::Block;

/// Lends rows, one block at a time, in the order of the stream.
pub trait Source {
    /// What can go wrong while reading.
    type Error;

    /// The next block of rows, or none at the end. A block is never empty.
    fn next_block(&mut self) -> Result<Option<Block<'_>>, Self::Error>;
}
