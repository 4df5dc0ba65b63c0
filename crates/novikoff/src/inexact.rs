//! Numbers that rounding has made wrong, with how wrong they can be.

/// A number, and how far rounding can have moved it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inexact {
    /// As computed.
    pub value: f64,
    /// The number itself is at most this far from it.
    pub error: f64,
}

impl Inexact {
    /// A number that rounding has not moved.
    pub fn exact(value: f64) -> Self {
        Inexact { value, error: 0.0 }
    }
}
