//! novikoff
pub mod label;
pub mod random;
pub mod row;
pub mod rows;
pub mod source;
pub mod state;
