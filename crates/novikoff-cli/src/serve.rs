//! `novikoff serve` and `novikoff log`: the program `novikoff-serve` does it, so that the command builds without a server.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Failure;

/// The program.
const PROGRAM: &str = "novikoff-serve";

/// Runs the program with these words, in place of this process where the system has that.
pub(crate) fn forward(job: &str, words: &[OsString]) -> Result<(), Failure> {
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent).map(program_in);
    let program = beside.filter(|path| path.is_file()).or_else(on_path);
    let Some(program) = program else {
        return Err(Failure::Message(format!(
            "{job} needs the program {PROGRAM}, which is neither beside this one nor on the PATH; \
             `cargo install --path crates/novikoff-serve` installs it"
        )));
    };
    let mut command = Command::new(&program);
    command.arg(job).args(words);
    run(command).map_err(|error| Failure::Message(format!("{}: {error}", program.display())))
}

fn program_in(folder: &Path) -> PathBuf {
    folder.join(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX))
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let programs = std::env::split_paths(&path).map(|folder| program_in(&folder));
    programs.into_iter().find(|program| program.is_file())
}

#[cfg(unix)]
fn run(mut command: Command) -> Result<(), std::io::Error> {
    use std::os::unix::process::CommandExt as _;
    // returns only if it could not be done
    Err(command.exec())
}

#[cfg(not(unix))]
#[allow(clippy::exit)] // the exit code is that of the program
fn run(mut command: Command) -> Result<(), std::io::Error> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(2))
}
