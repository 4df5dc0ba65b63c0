//! Machines without AVX-512: tokens are read one at a time.

use super::tokens::{Slots, Stage, TokenEnd};

/// Nothing has to be known of the separators.
pub(crate) struct Places;

impl Places {
    pub(crate) fn new() -> Self {
        Places
    }
}

/// There is no such loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {}

impl Wide {
    pub(crate) fn detect(_: &[u8]) -> Option<Self> {
        None
    }

    pub(super) fn read(
        self,
        _: &[u8],
        _: usize,
        _: &mut Places,
        _: Slots,
        _: &mut Stage,
    ) -> (TokenEnd, usize) {
        match self {}
    }

    pub(crate) fn read_numbered(
        self,
        _: &[u8],
        _: usize,
        _: &mut Places,
        _: &mut Stage,
    ) -> (TokenEnd, usize) {
        match self {}
    }
}
