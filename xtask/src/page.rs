//! `cargo xtask page`: builds the page of the service, whose files are part of the server's binary.
//!
//! The files are checked in, so that a machine without npm builds the server. `--check` says whether they are what the sources build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the sources are.
const SOURCES: &str = "crates/novikoff-serve/page";

/// What is built from.
const PARTS: [&str; 7] = [
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
    "public",
    "src",
];

/// The most bytes of the script.
const SCRIPT_BYTES: usize = 100_000;

type Files = BTreeMap<String, Vec<u8>>;

/// Writes the files that the server embeds.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    let built = build(root)?;
    let place = root.join(SOURCES).join("dist");
    let failed = |error: std::io::Error| format!("{}: {error}", place.display());
    if place.exists() {
        fs::remove_dir_all(&place).map_err(failed)?;
    }
    fs::create_dir_all(&place).map_err(failed)?;
    for (name, bytes) in &built {
        fs::write(place.join(name), bytes).map_err(failed)?;
    }
    println!("== page: {} files", built.len());
    Ok(())
}

/// Runs the tests of the page, and compares the files that are checked in with what the sources build; skipped where there is no npm.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let version = Command::new("npm").arg("--version").output();
    if !version.is_ok_and(|out| out.status.success()) {
        println!("== page: SKIPPED, there is no npm");
        return Ok(());
    }
    let built = match build(root) {
        Err(why) if why.starts_with(NOT_INSTALLED) => {
            println!("== page: SKIPPED, {why}");
            return Ok(());
        }
        other => other?,
    };
    npm(&folder(root), "test --silent")?;
    let kept = files(&root.join(SOURCES).join("dist"))?;
    let names = built.keys().chain(kept.keys());
    let mut differ: Vec<&str> = names
        .filter(|name| built.get(*name) != kept.get(*name))
        .map(String::as_str)
        .collect();
    differ.sort_unstable();
    differ.dedup();
    if !differ.is_empty() {
        let list = differ.join(", ");
        return Err(format!(
            "== page: {SOURCES}/dist is not what its sources build ({list}); run `cargo xtask page`"
        ));
    }
    let script = built.get("page.js").map_or(0, Vec::len);
    if script == 0 || script > SCRIPT_BYTES {
        return Err(format!(
            "== page: page.js has {script} bytes; it must have at most {SCRIPT_BYTES}"
        ));
    }
    println!("   dist is what the sources build; page.js has {script} bytes");
    Ok(())
}

const NOT_INSTALLED: &str = "npm could not install what the page is built with";

/// Where the page is built: in the folder of cargo, so that nothing but sources is in the tree.
fn folder(root: &Path) -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    root.join(target).join("page")
}

fn build(root: &Path) -> Result<Files, String> {
    let folder = folder(root);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let lock = crate::read(&root.join(SOURCES).join("package-lock.json"))?;
    let installed = fs::read_to_string(folder.join("installed-lock.json"));
    for part in PARTS {
        copy(&root.join(SOURCES).join(part), &folder.join(part))?;
    }
    if installed.ok().as_deref() != Some(lock.as_str()) {
        println!("== page: installing TypeScript, Vite, Preact and uPlot");
        npm(
            &folder,
            "install --no-save --ignore-scripts --no-audit --no-fund --silent",
        )
        .map_err(|why| format!("{NOT_INSTALLED}: {why}"))?;
        let noted = folder.join("installed-lock.json");
        fs::write(&noted, lock).map_err(|e| format!("{}: {e}", noted.display()))?;
    }
    npm(&folder, "run build --silent")?;
    files(&folder.join("dist"))
}

fn npm(folder: &Path, words: &str) -> Result<(), String> {
    let run = Command::new("npm")
        .args(words.split(' '))
        .current_dir(folder)
        .output();
    let out = run.map_err(|error| format!("cannot run npm: {error}"))?;
    if out.status.success() {
        return Ok(());
    }
    let said = [out.stdout, out.stderr].concat();
    Err(format!(
        "npm {words} failed\n{}",
        String::from_utf8_lossy(&said)
    ))
}

/// Copies a file, or a folder in place of what was there.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    if !from.is_dir() {
        return fs::copy(from, to).map(drop).map_err(failed);
    }
    if to.exists() {
        fs::remove_dir_all(to).map_err(failed)?;
    }
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The files of a folder by name; hidden ones are not embedded.
fn files(folder: &Path) -> Result<Files, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Files::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            found.insert(name, fs::read(entry.path()).map_err(failed)?);
        }
    }
    Ok(found)
}
