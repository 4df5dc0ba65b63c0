//! The program `novikoff`.

use std::process::ExitCode;

fn main() -> ExitCode {
    novikoff_cli::run(std::env::args_os().collect()).into()
}
