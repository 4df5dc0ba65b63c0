//! The project's own chores: `cargo xtask test`, `cargo xtask docs`, `cargo xtask rooms`,
//! `cargo xtask fuzz`, `cargo xtask peers`, `cargo xtask python`, `cargo xtask spark`, `cargo xtask page`, `cargo xtask picture`, `cargo xtask browser`, `cargo xtask campaign`, `cargo xtask release`, `cargo xtask site`.

#![allow(clippy::print_stdout, clippy::print_stderr)] // chores talk to people

mod browser;
mod cited_tests;
mod docs;
mod flags;
mod fuzz;
mod imports;
mod links;
mod listed;
mod page;
mod peers;
mod programs;
mod python;
mod room_map;
mod rooms;
mod site;
mod spark;
mod venv;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask TASK

  test      everything that must hold: format, lints, rooms, docs, tests, a look at a report
  browser   reports and the page of the service in a real browser: part of test, skipped where there is none
  campaign  rounding over long streams, as in docs/numerics.md (NOVIKOFF_UPDATES: how long)
            serve [--kills N] [--cuts N] [--calls N] [--operations N] [--slow N] [--minutes M]: the service killed, cut off, failed and soaked; goes on where it was stopped
  docs      write docs/algorithms.md from the learners' own comments (--check: compare it, follow all links, and look for the tests that pages name)
  page      build the page of the service (--check: compare what is checked in with what the sources build; skipped without npm)
  peers     solutions beside those of scikit-learn and cvxpy, in a Python environment of its own
  picture   write docs/images/report.png, a screenshot of a real report
  python    the Python package: its wheel built, installed and tested, in a Python environment of its own
  spark     the Python package on a Spark cluster of processes of this machine: part of test, skipped where there is no Java or pyspark
  fuzz      run the fuzz targets: [TARGET] [--seconds N] [--asan] [--record]
  release   --dry-run: crates, wheel, list of dependencies, licences and checksums of a release; nothing is uploaded
  site      the book, built into target/site; a warning is an error
  rooms     check that imports follow the arrows of ARCHITECTURE.md, its map names every module, and flags stay in the command
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["test"] => test(),
        ["browser"] => browser::check(&root()),
        ["campaign"] => campaign(),
        ["campaign", "serve", ref words @ ..] => campaign_serve(words),
        ["docs"] => docs::write(&root()),
        ["docs", "--check"] => docs::check(&root()),
        ["fuzz", ref words @ ..] => fuzz::run(&root(), words),
        ["page"] => page::write(&root()),
        ["page", "--check"] => page::check(&root()),
        ["peers"] => peers::check(&root()),
        ["picture"] => browser::picture(&root()),
        ["python"] => python::check(&root()).map(drop),
        ["release", ref words @ ..] => release(words),
        ["rooms"] => rooms::check(&root()),
        ["site"] => site::build(&root()),
        ["spark"] => spark::check(&root(), None),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> PathBuf {
    // xtask lives directly below the root
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
        .to_owned()
}

fn test() -> Result<(), String> {
    cargo("formatting", &["fmt", "--all", "--check"])?;
    announce("rooms");
    rooms::check(&root())?;
    listed::check(&root())?;
    announce("docs");
    docs::check(&root())?;
    cargo(
        "lints",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    )?;
    cargo(
        "library alone",
        &[
            "clippy",
            "-p",
            "novikoff",
            "--no-default-features",
            "--",
            "-D",
            "warnings",
        ],
    )?;
    cargo("pages", &["doc", "--workspace", "--no-deps"])?;
    cargo("tests", &["test", "--workspace"])?;
    announce("release: versions, order of crates, licences");
    if Command::new("python3").arg("--version").output().is_ok() {
        release(&["--dry-run", "--no-build"])?;
    } else {
        println!("== release: skipped, there is no python3");
    }
    announce("site: the book, every link and anchor");
    site::build(&root())?;
    announce("peers: optima beside those of scikit-learn and cvxpy");
    peers::check(&root())?;
    announce("python: the wheel, installed, and its tests");
    let wheel = python::check(&root())?;
    announce("spark: the wheel on a cluster of processes");
    spark::check(&root(), wheel)?;
    announce("page: what is checked in is what the sources build");
    page::check(&root())?;
    announce("browser: reports and the service in Chromium");
    browser::check(&root())?;
    if Command::new("cargo-deny").arg("--version").output().is_ok() {
        // advisories need a database that an offline machine cannot fetch
        cargo(
            "dependencies",
            &["deny", "check", "bans", "licenses", "sources"],
        )?;
    } else {
        println!("== dependencies: skipped, cargo-deny is not installed");
    }
    println!("== all passed");
    Ok(())
}

fn campaign() -> Result<(), String> {
    let test = ["test", "-p", "novikoff", "--test", "all", "--"];
    let whole = ["the_whole_campaign", "--ignored", "--nocapture"];
    cargo("campaign", &[&test[..], &whole[..]].concat())
}

/// The long tests of the service. What was reached is kept below `target/tmp`, so that a campaign that was stopped goes on.
fn campaign_serve(words: &[&str]) -> Result<(), String> {
    const NUMBERS: [&str; 6] = ["kills", "cuts", "calls", "operations", "slow", "minutes"];
    let usual = [200, 50, 200, 10_000, 1000, 10];
    let mut numbers: Vec<u64> = if words.is_empty() {
        usual.to_vec()
    } else {
        vec![0; NUMBERS.len()]
    };
    for pair in words.chunks(2) {
        let wrong = || {
            format!(
                "campaign serve: {}: must be --kills N, --cuts N, --calls N, --operations N, --slow N or --minutes M",
                pair.join(" ")
            )
        };
        let place = pair[0]
            .strip_prefix("--")
            .and_then(|name| NUMBERS.iter().position(|own| *own == name));
        let number = pair.get(1).and_then(|text| text.parse().ok());
        let (place, number) = place.zip(number).ok_or_else(wrong)?;
        numbers[place] = number;
    }
    announce(&format!("campaign serve: {NUMBERS:?} {numbers:?}"));
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "test",
        "-p",
        "novikoff-serve",
        "--release",
        "--test",
        "all",
        "--",
    ]);
    command.args(["the_whole_campaign", "--ignored", "--nocapture"]);
    for (name, number) in NUMBERS.iter().zip(&numbers) {
        command.env(
            format!("NOVIKOFF_{}", name.to_uppercase()),
            number.to_string(),
        );
    }
    let status = command.current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("== campaign serve: FAILED".to_owned()),
        Err(error) => Err(format!("cannot run cargo: {error}")),
    }
}

/// All of a release but the uploads: `xtask/release.py`.
fn release(words: &[&str]) -> Result<(), String> {
    let status = Command::new("python3")
        .arg(root().join("xtask/release.py"))
        .args(words)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .status()
        .map_err(|error| format!("cannot run python3: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("== release: FAILED".to_owned())
    }
}

fn announce(what: &str) {
    println!("== {what}");
}

fn cargo(what: &str, words: &[&str]) -> Result<(), String> {
    announce(&format!("{what}: cargo {}", words.join(" ")));
    let status = Command::new(env!("CARGO"))
        .args(words)
        .env("RUSTDOCFLAGS", "-D warnings")
        .current_dir(root())
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("== {what}: FAILED"))
    }
}

/// All Rust files below a folder, sorted.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    files(folder, "rs")
}

/// Whether that is the name of a Rust file.
fn is_source(path: impl AsRef<Path>) -> bool {
    path.as_ref().extension().is_some_and(|end| end == "rs")
}

/// All files below a folder that have an extension, sorted.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry
            .map_err(|e| format!("{}: {e}", folder.display()))?
            .path();
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
