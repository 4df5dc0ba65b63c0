//! novikoff
pub mod catalog;
pub mod classes;
pub mod label;
pub mod learner;
pub mod linalg;
pub mod model;
pub mod online;
pub mod parameter;
pub mod random;
pub mod row;
pub mod rows;
pub mod run;
pub mod source;
pub mod space;
pub mod spec;
pub mod state;
