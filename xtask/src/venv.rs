//! Python environments of the chores. Each is in the folder that cargo builds in, and is made once for each list of requirements.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::read;

/// The interpreter of an environment.
pub(crate) fn python(environment: &Path) -> PathBuf {
    environment.join("bin").join("python")
}

/// Makes the environment, unless it is there and holds what is wanted.
pub(crate) fn make(root: &Path, list: &str, environment: &Path) -> Result<(), String> {
    let requirements = root.join(list);
    let (wanted, note) = (read(&requirements)?, environment.join("installed.txt"));
    if std::fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("   installing the packages of {list}");
    let made = Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(environment)
        .output();
    said(made)?;
    let pip = ["-m", "pip", "install", "-q", "--disable-pip-version-check"];
    let installed = Command::new(python(environment))
        .args(pip)
        .args(["--retries", "1", "-r"])
        .arg(&requirements)
        .output();
    said(installed)?;
    std::fs::write(&note, wanted).map_err(|error| format!("{}: {error}", note.display()))
}

/// Nothing, or why a step of the preparation failed.
pub(crate) fn said(done: std::io::Result<std::process::Output>) -> Result<(), String> {
    let done = done.map_err(|error| format!("no python3: {error}"))?;
    if done.status.success() {
        return Ok(());
    }
    let all = [done.stdout, done.stderr].concat();
    Err(last_line(&String::from_utf8_lossy(&all)).to_owned())
}

/// The last line of a text that says something.
pub(crate) fn last_line(text: &str) -> &str {
    let mut lines = text.lines().rev();
    lines
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing")
}
