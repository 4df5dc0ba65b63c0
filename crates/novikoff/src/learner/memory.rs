//! Memory that a rule needs besides its weight vectors.

use crate::remedy::{Remedy, Setting};

/// The needs of a rule that follow from its parameters. Those that follow from what it has learned are
/// [`Rule::kept_bytes`](super::Rule::kept_bytes).
pub trait Memory {
    /// Bytes of one class's state at `slots` slots.
    fn state_bytes(&self, _slots: usize) -> u128 {
        0
    }

    /// Bytes of what all classes share at `slots` slots.
    fn shared_bytes(&self, _slots: usize) -> u128 {
        0
    }

    /// What it keeps, where that is more than a vector, for the message that memory is short; may be empty.
    fn keeps(&self) -> &'static str {
        ""
    }

    /// What to do when memory does not suffice.
    fn remedy(&self) -> Remedy {
        Remedy::raise(Setting::MaxMemory).or("renumber the features")
    }
}

/// The needs of a rule that has weight vectors and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct VectorsOnly;

impl Memory for VectorsOnly {}
