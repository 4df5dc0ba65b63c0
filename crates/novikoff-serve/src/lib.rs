//! The service of novikoff: answers and learns over HTTP, and loses no acknowledged label.
//!
//! A request to learn waits in the queue of its model ([`handle`]). The one thread that changes the model ([`writer`]) takes all that wait as one group and learns
//! them ([`live`], [`fold`]). Another thread ([`commit`]) writes what was learned to the log as one record ([`log`]), waits for the disk and answers, while the next
//! group is learned. The model is the fold of its log
//! ([`replay`]); a snapshot on disk ([`snapshot`]) only saves time. Readers have a model that no longer changes, and no handler ([`routes`]) touches a learner.

pub mod api;
pub mod app;
pub mod args;
pub mod auth;
pub mod body;
pub mod body_bytes;
pub mod certificate;
pub mod commit;
pub mod course;
pub mod fold;
pub mod handle;
pub mod live;
pub mod log;
pub mod log_command;
pub mod origin;
pub mod pending;
pub mod problem;
pub mod registry;
pub mod remarks;
pub mod replay;
pub mod request_ids;
pub mod retention;
pub mod routes;
pub mod run;
pub mod server;
pub mod settings;
pub mod snapshot;
pub mod status;
pub mod tls;
mod words;
pub mod writer;
