//! novikoff
pub mod catalog;
pub mod label;
pub mod learner;
pub mod linalg;
pub mod online;
pub mod random;
pub mod row;
pub mod rows;
pub mod source;
pub mod space;
pub mod spec;
pub mod state;
