//! The first rows of some data, in its order, which values that are `auto` are resolved by before the first trial.

use novikoff::resolve::LOOKED_AT;
use novikoff::rows::{Block, Rows};

use crate::rows::HeldRows;

/// The first rows of rows that are held; at least as many as are looked at, if there are that many.
pub(crate) enum FirstRows<'h> {
    /// In memory.
    Held(Block<'h>),
    /// Copied out of a file.
    Copied(Box<Rows>),
}

impl<'h> FirstRows<'h> {
    pub(crate) fn of(held: &'h HeldRows) -> Self {
        if let Some(block) = held.single() {
            return FirstRows::Held(block);
        }
        let mut rows = Rows::new();
        for row in 0..held.len().min(LOOKED_AT) {
            let (block, place) = held.at(row);
            rows.copy_row(block, place);
        }
        FirstRows::Copied(Box::new(rows))
    }

    pub(crate) fn view(&self) -> Block<'_> {
        match self {
            FirstRows::Held(block) => *block,
            FirstRows::Copied(rows) => rows.view(),
        }
    }
}
