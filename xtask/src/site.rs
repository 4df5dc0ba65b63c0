//! `cargo xtask site`: the book, built from the pages of the repository, with warnings as errors: links, anchors and pages that no list has.
//!
//! It needs Python packages: where those cannot be had the step says so and is left out.

use std::path::Path;
use std::process::Command;

use crate::programs::target;
use crate::venv::{self, python};

const REQUIREMENTS: &str = "docs/site/requirements.txt";

/// Builds the book into `target/site`.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    let environment = target(root).join("site-venv");
    if let Err(reason) = venv::make(root, REQUIREMENTS, &environment) {
        println!("== site: skipped: {reason}");
        return Ok(());
    }
    let site = target(root).join("site");
    let done = Command::new(python(&environment))
        .args(["-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-j", "2"])
        .args(["-b", "html", "-c"])
        .arg(root.join("docs/site"))
        .arg("-d")
        .arg(target(root).join("site-doctrees"))
        .arg(root)
        .arg(&site)
        .current_dir(root)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .map_err(|error| format!("cannot run sphinx: {error}"))?;
    if done.status.success() {
        let page = site.join("docs").join("index.html");
        println!("   {}", page.display());
        return Ok(());
    }
    eprint!("{}", String::from_utf8_lossy(&done.stderr));
    Err("== site: FAILED".to_owned())
}
