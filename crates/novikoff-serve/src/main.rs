//! The binary `novikoff-serve`, which `novikoff serve` and `novikoff log` run.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use novikoff_serve::args::{Cli, Command, with_config};
use novikoff_serve::{log_command, run};

fn main() -> ExitCode {
    let words: Result<Vec<String>, _> = std::env::args_os().map(OsString::into_string).collect();
    let words = words.map_err(|word| format!("{}: an argument must be UTF-8", word.display()));
    let words = match words.and_then(with_config) {
        Ok(words) => words,
        Err(what) => return refused(&what, 2),
    };
    match Cli::parse_from(words).command {
        Command::Serve(args) => match run::run(&args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(run::Ended::NotStarted(what)) => refused(&what, 2),
            Err(run::Ended::Failed(what)) => refused(&what, 1),
        },
        Command::Log(command) => match log_command::run(&command) {
            Ok(said) => {
                let written = std::io::stdout().write_all(said.text.as_bytes());
                match written {
                    Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                        refused(&error.to_string(), 2)
                    }
                    _ if said.is_sound => ExitCode::SUCCESS,
                    _ => ExitCode::from(1),
                }
            }
            Err(what) => refused(&what, 2),
        },
    }
}

fn refused(what: &str, code: u8) -> ExitCode {
    // a closed stderr is no reason to do anything else
    let _ = writeln!(std::io::stderr(), "novikoff-serve: {what}");
    ExitCode::from(code)
}
