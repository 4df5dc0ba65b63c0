//! The programs that chores run: those that `cargo test --workspace` has built.
//!
//! Features of dependencies are chosen for all crates that are built together. `cargo build -p novikoff-cli` would choose others than the tests do, and compile
//! nearly everything a second time.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where cargo builds.
pub(crate) fn target(root: &Path) -> PathBuf {
    let elsewhere = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root.join(elsewhere.unwrap_or_else(|| PathBuf::from("target")))
}

/// Builds the programs, unless the tests have done so.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    let built = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--workspace", "--no-run"])
        .current_dir(root)
        .status();
    if built.is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err("== the programs could not be built".to_owned())
    }
}

/// Where a program is.
pub(crate) fn path(root: &Path, name: &str) -> PathBuf {
    target(root).join("debug").join(name)
}
