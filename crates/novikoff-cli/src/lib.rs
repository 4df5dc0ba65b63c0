//! The `novikoff` command: words in, results out. [`run`] is the whole of it, for the program and for the Python package that brings it along.

mod args;
mod calibrate;
mod certify;
mod check;
mod compare;
mod convert;
mod error;
mod evaluate;
mod export;
mod generate;
mod help;
mod inspect;
mod interrupt;
mod job;
mod notices;
mod predict;
mod progress;
mod publish;
mod remark;
mod reproduce;
mod screen;
mod serve;
mod shell;
mod solve;
mod train;
mod tune;
mod words;

use std::ffi::OsString;
use std::io::Write as _;
use std::panic;

use clap::Parser as _;

use args::{Cli, Command};
use error::Failure;

/// Runs the command of these words, whose first is the name of the program, and gives its exit code. Help and bad usage end the process.
pub fn run(words: Vec<OsString>) -> u8 {
    let words = shell::begin(words);
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        // a decoder gave up on a damaged file: the reader says so itself
        if !novikoff_data::error::panics_are_caught() {
            report(panic);
        }
    }));
    let result = match Cli::parse_from(words).command {
        Command::Train(args) => train::train(&args),
        Command::Predict(args) => predict::predict(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Tune(args) => tune::tune(&args),
        Command::Evaluate(args) => evaluate::evaluate(&args),
        Command::Calibrate(args) => calibrate::calibrate(&args),
        Command::Solve(args) => solve::solve(&args),
        Command::Certify(args) => certify::certify(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Generate(args) => generate::generate(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Export(args) => export::export(&args),
        Command::Reproduce(args) => reproduce::reproduce(&args),
        Command::Serve(args) => serve::forward("serve", &args.words),
        Command::Log(args) => serve::forward("log", &args.words),
        Command::Completions(args) => shell::completions(&args),
        Command::Man => shell::man(),
    };
    match result {
        Ok(()) | Err(Failure::BrokenPipe) => 0,
        Err(failure) => {
            // a closed stderr is no reason to do anything else
            let _ = writeln!(std::io::stderr(), "novikoff: {failure}");
            if matches!(failure, Failure::Check(_)) {
                1
            } else {
                2
            }
        }
    }
}
