//! `cargo xtask peers`: the tests in `tests/peers`, which compare what the program finds with other solvers.
//!
//! They need Python packages: where those cannot be had (no Python, no network) the step says so and is left out.

use std::path::Path;
use std::process::Command;

use crate::venv::{self, last_line, python, target};

/// Builds the program and runs the tests on it.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let target = target(root);
    let environment = target.join("peers-venv");
    if let Err(reason) = venv::make(root, "tests/peers/requirements.txt", &environment) {
        println!("== peers: skipped: {reason}");
        return Ok(());
    }
    // with the features of the workspace: what `cargo test` compiled is used again
    let words = ["build", "--quiet", "--workspace", "--bin", "novikoff"];
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
