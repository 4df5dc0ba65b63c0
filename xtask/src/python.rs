//! `cargo xtask python`: the wheel, built and installed, and all tests of the package.
//!
//! The wheel is built with the profile of the tests: what `cargo test` compiled is used again, overflow and debug assertions are on, and a
//! release build would compile everything a second time. Where Python or its packages cannot be had the step says so and is left out.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::venv::{self, last_line, python, said, target};

const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// Builds the wheel, installs it and runs the tests.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let environment = target(root).join("python-venv");
    if let Err(reason) = venv::make(root, REQUIREMENTS, &environment) {
        println!("== python: skipped: {reason}");
        return Ok(());
    }
    let wheel = wheel(root, &environment)?;
    let install = ["-m", "pip", "install", "-q", "--disable-pip-version-check"];
    let installed = Command::new(python(&environment))
        .args(install)
        .args(["--force-reinstall", "--no-deps"])
        .arg(wheel)
        .output();
    said(installed)
        .map_err(|reason| format!("== python: the wheel cannot be installed: {reason}"))?;
    tests(root, &environment)
}

/// The wheel, made of what cargo has compiled for the tests.
fn wheel(root: &Path, environment: &Path) -> Result<PathBuf, String> {
    let folder = target(root).join("python-wheel");
    // an older wheel is not to be taken for the new one
    let _ = std::fs::remove_dir_all(&folder);
    let built = Command::new(environment.join("bin").join("maturin"))
        .args(["build", "--quiet", "--profile", "dev", "--interpreter"])
        .arg(python(environment))
        .arg("--out")
        .arg(&folder)
        .current_dir(root)
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("== python: the wheel could not be built".to_owned());
    }
    built_wheel(root)
}

/// The wheel that was made last.
pub(crate) fn built_wheel(root: &Path) -> Result<PathBuf, String> {
    let found = std::fs::read_dir(target(root).join("python-wheel")).ok();
    let found = found.and_then(|mut entries| entries.next()?.ok());
    let found = found.ok_or("== python: there is no wheel")?;
    Ok(found.path())
}

/// The wheel of the sources as they are now.
pub(crate) fn new_wheel(root: &Path) -> Result<PathBuf, String> {
    let environment = target(root).join("python-venv");
    venv::make(root, REQUIREMENTS, &environment)?;
    wheel(root, &environment)
}

fn tests(root: &Path, environment: &Path) -> Result<(), String> {
    let words = [
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
        "--doctest-modules",
        // needs packages that are not here: `cargo xtask spark` tests it
        "--ignore-glob=*/novikoff/spark/*",
        "--pyargs",
        "novikoff",
    ];
    let done = Command::new(python(environment))
        .args(words)
        .arg(root.join("python/tests"))
        .current_dir(root.join("python/tests"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .map_err(|error| format!("cannot run pytest: {error}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    if done.status.success() {
        println!("   {}", last_line(&text));
        Ok(())
    } else {
        print!("{text}");
        eprint!("{}", String::from_utf8_lossy(&done.stderr));
        Err("== python: FAILED".to_owned())
    }
}
