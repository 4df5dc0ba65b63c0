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

/// Installs a wheel of ours in place of an older one. `step` is what messages begin with.
pub(crate) fn install(step: &str, environment: &Path, wheel: &Path) -> Result<(), String> {
    let installed = Command::new(python(environment))
        .args(["-m", "pip", "install", "-q", "--disable-pip-version-check"])
        .args(["--force-reinstall", "--no-deps"])
        .arg(wheel)
        .output();
    said(installed).map_err(|reason| format!("== {step}: the wheel cannot be installed: {reason}"))
}

/// Runs pytest. Says its last line, or all of it if a test fails.
pub(crate) fn tested(step: &str, pytest: &mut Command) -> Result<(), String> {
    let done = pytest.env("PYTHONDONTWRITEBYTECODE", "1").output();
    let done = done.map_err(|error| format!("== {step}: cannot run pytest: {error}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    if done.status.success() {
        println!("   {}", last_line(&text));
        return Ok(());
    }
    print!("{text}");
    eprint!("{}", String::from_utf8_lossy(&done.stderr));
    Err(format!("== {step}: FAILED"))
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
