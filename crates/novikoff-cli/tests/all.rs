//! All tests of the crate in one binary: a cold build links once. Files that need a process of their own are named in Cargo.toml.

mod bad_input;
mod bad_usage;
mod calibrate;
mod certify;
mod check;
mod check_formulas;
mod checkpoints;
mod common;
mod contract;
mod evaluate;
mod formats;
mod golden;
mod labels;
mod noise;
mod options;
mod pages;
mod predict;
mod regressions;
mod same_bytes;
mod solve;
mod solve_weights;
mod solve_winnow;
mod sources;
mod specs;
mod tables;
mod tune;
