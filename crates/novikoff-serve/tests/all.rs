//! The integration tests, as one binary.

mod api;
mod bodies;
mod campaign;
mod common;
mod durability;
mod limits;
mod log_files;
mod readme;
mod security;
