//! `docs/algorithms.md`, gathered from the comments at the head of each learner's file.
//!
//! Each has five parts in one order: what it does, `Update:`, `Cost:`, `Bound:`, `Paper:`.

use std::fmt::Write as _;
use std::path::Path;

use crate::{links, read, sources};

const PARTS: [&str; 4] = ["Update:", "Cost:", "Bound:", "Paper:"];
const TARGET: &str = "docs/algorithms.md";

pub(crate) fn write(root: &Path) -> Result<(), String> {
    let path = root.join(TARGET);
    std::fs::write(&path, gather(root)?).map_err(|e| format!("{}: {e}", path.display()))
}

pub(crate) fn check(root: &Path) -> Result<(), String> {
    if read(&root.join(TARGET)).is_ok_and(|text| Ok(text) == gather(root)) {
        links::check(root)
    } else {
        gather(root)?;
        Err(format!(
            "{TARGET} is not up to date: run `cargo xtask docs`"
        ))
    }
}

fn gather(root: &Path) -> Result<String, String> {
    let mut out = "# Algorithms\n\n\
        Gathered from the learners' own files by `cargo xtask docs`. U is any vector, L(U) its hinge \
        loss `sum max(0, 1 - y U.x)`, m the number of mistakes, R the largest norm of a row, d the \
        number of features, nnz the non-zeros of a row.\n"
        .to_owned();
    let library = root.join("crates/novikoff/src");
    let mut files = sources(&library.join("online"))?;
    files.retain(|path| !path.ends_with("mod.rs"));
    files.push(library.join("majority/mod.rs"));
    for path in files {
        let place = path.strip_prefix(&library).unwrap_or(&path);
        let name = place.to_string_lossy().into_owned();
        let text = read(&path)?;
        let lines: Vec<&str> = text
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        let mut at = 0;
        for part in PARTS {
            let found = lines
                .iter()
                .skip(at)
                .position(|line| line.starts_with(part));
            at += found
                .ok_or_else(|| format!("{name}: no `{part}` in its place in the comment"))?
                + 1;
        }
        let (title, body) = lines
            .split_first()
            .ok_or_else(|| format!("{name}: no comment"))?;
        // writing to a String cannot fail
        let _ = writeln!(out, "\n## {}\n", title.trim_end_matches('.'));
        for line in body.iter().skip_while(|line| line.is_empty()) {
            match PARTS.iter().find(|part| line.starts_with(**part)) {
                Some(part) => {
                    let _ = writeln!(out, "\n**{part}**{}", &line[part.len()..]);
                }
                None => {
                    let _ = writeln!(out, "{line}");
                }
            }
        }
        let _ = writeln!(out, "\nSource: `crates/novikoff/src/{name}`.");
    }
    Ok(out)
}
