//! `cargo xtask python`: the wheel, built and installed, and all tests of the package.
//!
//! The wheel is built with the profile of the tests and the features of the workspace: what `cargo test` compiled is used again, overflow and
//! debug assertions are on, and a release build would compile everything a second time. Where Python or its packages cannot be had the step says so and is left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::programs::target;
use crate::venv::{self, last_line, python};

const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// Builds the wheel, installs it and runs the tests. Gives the wheel, unless the step was left out.
pub(crate) fn check(root: &Path) -> Result<Option<PathBuf>, String> {
    check_features(root)?;
    let environment = match environment(root) {
        Ok(environment) => environment,
        Err(reason) => {
            println!("== python: skipped: {reason}");
            return Ok(None);
        }
    };
    let wheel = wheel(root, &environment)?;
    venv::install("python", &environment, &wheel)?;
    tests(root, &environment)?;
    Ok(Some(wheel))
}

/// The environment that wheels are built in, or why it cannot be had.
pub(crate) fn environment(root: &Path) -> Result<PathBuf, String> {
    let environment = target(root).join("python-venv");
    venv::make(root, REQUIREMENTS, &environment)?;
    Ok(environment)
}

/// Dependencies of the wheel have the features that they have in the workspace; those that have others are compiled twice, with all that uses
/// them.
fn check_features(root: &Path) -> Result<(), String> {
    let all = features(root, &["--workspace"])?;
    let own = features(root, &["-p", "novikoff-py"])?;
    let other: Vec<&str> = own.difference(&all).map(String::as_str).collect();
    if other.is_empty() {
        return Ok(());
    }
    Err(format!(
        "== python: these dependencies of the wheel have other features in the workspace, so that they and all that uses them are compiled twice:\n{}\n\
         give crates/novikoff-py/Cargo.toml the features that `cargo tree --workspace -e features -i NAME` shows",
        other.join("\n")
    ))
}

/// Packages with their versions and features.
fn features(root: &Path, which: &[&str]) -> Result<BTreeSet<String>, String> {
    let words = [
        "tree",
        "--quiet",
        "--prefix",
        "none",
        "-e",
        "normal,build",
        "-f",
        "{p} {f}",
    ];
    let listed = Command::new(env!("CARGO"))
        .args(words)
        .args(which)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !listed.status.success() {
        let said = String::from_utf8_lossy(&listed.stderr);
        return Err(format!("== python: cargo tree: {}", last_line(&said)));
    }
    let text = String::from_utf8_lossy(&listed.stdout);
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)"));
    Ok(lines.map(str::to_owned).collect())
}

/// The wheel, made of what cargo has compiled for the tests.
pub(crate) fn wheel(root: &Path, environment: &Path) -> Result<PathBuf, String> {
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
    let found = std::fs::read_dir(&folder).ok();
    let found = found.and_then(|mut entries| entries.next()?.ok());
    let found = found.ok_or("== python: there is no wheel")?;
    Ok(found.path())
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
        // novikoff.spark needs pyspark, which is not among the packages of this environment
        "--doctest-ignore-import-errors",
        // needs packages that are not here: `cargo xtask spark` tests it
        "--ignore-glob=*/novikoff/spark/*",
        "--pyargs",
        "novikoff",
    ];
    let folder = root.join("python/tests");
    let mut command = Command::new(python(environment));
    command.args(words).arg(&folder).current_dir(&folder);
    venv::tested("python", &mut command)
}
