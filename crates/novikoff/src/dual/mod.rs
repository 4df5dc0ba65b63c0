//! Batch solution of regularised linear problems through their dual, to a certified gap.

pub mod loss;
pub mod regulariser;
