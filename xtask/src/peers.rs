//! `cargo xtask peers`: the tests in `tests/peers`, which compare what the program finds with other solvers.
//!
//! They need Python packages, which go into an environment in the folder cargo builds in, once for each list of requirements.
//! Where it cannot be made (no Python, no network) the step says so and is left out.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::read;

/// Builds the program and runs the tests on it.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let target = target(root);
    let environment = target.join("peers-venv");
    if let Err(reason) = make(root, &environment) {
        println!("== peers: skipped: {reason}");
        return Ok(());
    }
    let words = ["build", "--quiet", "-p", "novikoff-cli"];
    let built = Command::new(env!("CARGO"))
        .args(words)
        .current_dir(root)
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("== peers: the program could not be built".to_owned());
    }
    let program = target.join("debug").join("novikoff");
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let done = Command::new(python(&environment))
        .args(words)
        .arg(root.join("tests/peers"))
        .current_dir(root)
        .env("NOVIKOFF", program)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .map_err(|error| format!("cannot run pytest: {error}"))?;
    let said = String::from_utf8_lossy(&done.stdout);
    if done.status.success() {
        println!("   {}", last_line(&said));
        Ok(())
    } else {
        print!("{said}");
        eprint!("{}", String::from_utf8_lossy(&done.stderr));
        Err("== peers: FAILED".to_owned())
    }
}

/// Where cargo builds.
fn target(root: &Path) -> PathBuf {
    let elsewhere = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root.join(elsewhere.unwrap_or_else(|| PathBuf::from("target")))
}

fn python(environment: &Path) -> PathBuf {
    environment.join("bin").join("python")
}

/// Makes the environment, unless it is there and holds what is wanted.
fn make(root: &Path, environment: &Path) -> Result<(), String> {
    let requirements = root.join("tests/peers/requirements.txt");
    let (wanted, note) = (read(&requirements)?, environment.join("installed.txt"));
    if std::fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("   installing the packages of tests/peers/requirements.txt");
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
fn said(done: std::io::Result<std::process::Output>) -> Result<(), String> {
    let done = done.map_err(|error| format!("no python3: {error}"))?;
    if done.status.success() {
        return Ok(());
    }
    let all = [done.stdout, done.stderr].concat();
    Err(last_line(&String::from_utf8_lossy(&all)).to_owned())
}

fn last_line(text: &str) -> &str {
    let mut lines = text.lines().rev();
    lines
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing")
}
