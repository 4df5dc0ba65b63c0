//! Jobs of novikoff as values: options in, outcome out.
//!
//! A *job* ([`fit::Fit`], [`compare::Compare`], [`sweep::Sweep`], [`solve::Solve`], [`tune::TuneLearners`], [`tune::TuneSolver`], [`evaluate::Evaluate`],
//! [`calibrate::Calibrate`], [`predict::Predict`], [`convert::Convert`], [`export::Export`], [`check::Check`], [`load::Load`], [`reproduce::Reproduce`]) names its [`data::Data`] - files, a pipe, a built-in set, rows in memory, or any iterator of blocks - and checked
//! options. It runs in a [`Context`]: a listener is sent typed [`events`](events::Event), and an [`Interrupt`] token asks it to
//! stop. It answers with a typed outcome, or with an [`Error`] that carries facts and the kind of its remedy.
//!
//! [`answer::Answerer`] is no job: it answers for rows in memory with a model in memory, as often as it is asked. [`partitions`] is none either: the work of one
//! partition of rows that are in several places, and what a driver makes of the answers.
//!
//! Nothing here prints, reads a command line or ends the process. A door turns its own words into jobs and outcomes into words. The command
//! (`novikoff-cli`), the Python package (`novikoff-py`) and the service (`novikoff-serve`) are doors.

pub mod answer;
pub mod calibrate;
pub mod certify;
pub mod check;
pub mod checkpoint;
pub mod class_weight;
pub mod compare;
pub mod convert;
mod counted_work;
pub mod data;
pub mod distinct;
pub mod door_rows;
mod error;
pub mod evaluate;
pub mod events;
pub mod export;
mod familiar;
pub mod files;
mod first_rows;
pub mod fit;
mod gaps;
mod kernel_values;
mod labels;
pub mod load;
mod matrix_updates;
mod memory;
mod open_model;
pub mod options;
mod parallel;
pub mod partitions;
mod picture;
mod positive;
pub mod predict;
mod prepared;
mod profile;
mod reader;
mod remarks;
pub mod reproduce;
pub mod row_learner;
mod row_settings;
pub mod row_text;
mod rows;
mod shifts;
pub mod solve;
pub mod split;
pub mod sweep;
mod testing;
pub mod trace;
pub mod tune;
pub mod weights;
mod worth;

pub use error::{Error, FilesOnly, SettingValue, StoppedWhile};
pub use events::Context;
pub use memory::{free_memory, memory_for};
pub use novikoff::remedy::{Remedy, Setting};
pub use novikoff_data::interrupt::Interrupt;
