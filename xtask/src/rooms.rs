//! Imports follow one direction: each room of the library may enter only those listed with it.

use std::path::Path;

use crate::{read, sources};

/// A room and the rooms it may enter.
const ROOMS: &[(&str, &[&str])] = &[
    ("random", &[]),
    ("state", &[]),
    ("label", &[]),
    ("simd", &[]),
    ("linalg", &["simd"]),
    ("row", &["simd"]),
    ("kernel", &["row", "simd"]),
    ("parameter", &[]),
    ("names", &[]),
    ("table", &[]),
    ("rows", &["label", "row"]),
    ("source", &["rows"]),
    ("space", &["kernel", "linalg", "row", "simd", "state"]),
    ("learner", &["label", "row", "space", "state"]),
    (
        "online",
        &[
            "label", "learner", "linalg", "random", "row", "space", "state",
        ],
    ),
    (
        "dual",
        &[
            "kernel",
            "label",
            "learner",
            "parameter",
            "random",
            "row",
            "rows",
            "simd",
            "space",
            "state",
        ],
    ),
    (
        "certificate",
        &["label", "linalg", "online", "row", "space"],
    ),
    (
        "certify",
        &[
            "catalog",
            "certificate",
            "dual",
            "kernel",
            "label",
            "linalg",
            "model",
            "online",
            "parameter",
            "row",
            "rows",
            "run",
            "space",
            "spec",
        ],
    ),
    (
        "catalog",
        &["dual", "kernel", "learner", "online", "parameter", "space"],
    ),
    ("spec", &["catalog", "kernel", "learner", "parameter"]),
    ("classes", &["label"]),
    ("calibration", &["learner", "state"]),
    ("standardize", &["row", "rows"]),
    (
        "model",
        &[
            "calibration",
            "classes",
            "kernel",
            "label",
            "learner",
            "names",
            "parameter",
            "row",
            "space",
            "spec",
            "standardize",
            "table",
        ],
    ),
    ("run", &["classes", "model", "random", "rows"]),
    (
        "evaluation",
        &["classes", "label", "learner", "model", "rows"],
    ),
];

/// A crate and the crates of ours it may use.
const CRATES: &[(&str, &[&str])] = &[
    ("novikoff", &[]),
    ("novikoff-data", &["novikoff"]),
    ("novikoff-report", &["novikoff"]),
    // shares no code with what finds certificates
    ("novikoff-check", &[]),
    (
        "novikoff-cli",
        &[
            "novikoff",
            "novikoff-check",
            "novikoff-data",
            "novikoff-report",
        ],
    ),
];

/// What the library never does: files, clocks, printing, threads' shared state.
const ABSENT: &[&str] = &[
    "std::fs",
    "std::io",
    "std::time",
    "std::net",
    "std::env",
    "static mut",
    "println!",
];

pub(crate) fn check(root: &Path) -> Result<(), String> {
    let mut wrong = Vec::new();
    let src = root.join("crates/novikoff/src");
    for path in sources(&src)? {
        let place = path.strip_prefix(&src).unwrap_or(&path);
        let first = place
            .iter()
            .next()
            .map(|p| p.to_string_lossy().into_owned());
        let room = first.unwrap_or_default().trim_end_matches(".rs").to_owned();
        if room == "lib" {
            continue;
        }
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!(
                "{}: no such room in xtask/src/rooms.rs",
                place.display()
            ));
            continue;
        };
        let text = read(&path)?;
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for entered in code.split("crate::").skip(1) {
            let name: String = entered
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if name != room && !allowed.contains(&name.as_str()) {
                wrong.push(format!("{}: {room} may not enter {name}", place.display()));
            }
        }
        for word in ABSENT.iter().filter(|word| code.contains(**word)) {
            wrong.push(format!(
                "{}: the library does without {word}",
                place.display()
            ));
        }
    }
    for (name, allowed) in CRATES {
        let text = read(&root.join("crates").join(name).join("Cargo.toml"))?;
        let needs = text.split("[dependencies]").nth(1).unwrap_or_default();
        let needs = needs.split("\n[").next().unwrap_or_default();
        for (used, _) in CRATES {
            let uses = needs
                .lines()
                .any(|line| line.split([' ', '.', '=']).next() == Some(used));
            if uses && !allowed.contains(used) {
                wrong.push(format!("crate {name} may not use {used}"));
            }
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}
