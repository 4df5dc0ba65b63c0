//! The service: learns while it serves, and loses no acknowledged label.
pub mod api;
pub mod fold;
pub mod live;
pub mod log;
pub mod settings;
mod words;
