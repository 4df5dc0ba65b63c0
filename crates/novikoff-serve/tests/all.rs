//! The integration tests, as one binary.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::too_many_lines)]
// texts of requests are short, and are put together as they read
#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::needless_for_each
)]

mod api;
mod auto;
mod bodies;
mod campaign;
mod columns;
mod command;
mod common;
mod durability;
mod hostile;
mod http_page;
mod limits;
mod log_files;
mod readme;
mod security;
