//! Imports follow one direction: each room of the library may enter only those listed with it.

use std::path::Path;

use crate::{imports, read, sources};

/// A room and the rooms it may enter.
const ROOMS: &[(&str, &[&str])] = &[
    ("random", &[]),
    ("state", &[]),
    ("label", &[]),
    ("simd", &[]),
    ("linalg", &["simd"]),
    ("row", &["simd"]),
    ("parameter", &[]),
    ("parallel", &[]),
    ("inexact", &[]),
    ("cost", &[]),
    ("remedy", &[]),
    ("quantity", &[]),
    ("remark", &["quantity", "remedy", "table"]),
    ("grammar", &["parameter", "remedy"]),
    ("kernel", &["grammar", "parameter", "row", "simd"]),
    ("names", &["remedy"]),
    ("table", &[]),
    ("text_statistics", &[]),
    ("rows", &["label", "row"]),
    ("source", &["rows"]),
    (
        "space",
        &["kernel", "linalg", "parallel", "row", "simd", "state"],
    ),
    ("learner", &["label", "remedy", "row", "space", "state"]),
    (
        "online",
        &[
            "kernel", "label", "learner", "linalg", "random", "remedy", "row", "space", "state",
        ],
    ),
    (
        "dual",
        &[
            "grammar",
            "inexact",
            "kernel",
            "label",
            "learner",
            "linalg",
            "parallel",
            "parameter",
            "preparation",
            "random",
            "remedy",
            "row",
            "rows",
            "simd",
            "space",
            "state",
        ],
    ),
    (
        "certificate",
        &[
            "inexact", "label", "learner", "linalg", "majority", "online", "remedy", "row", "space",
        ],
    ),
    (
        "certify",
        &[
            "catalog",
            "certificate",
            "dual",
            "inexact",
            "kernel",
            "label",
            "linalg",
            "model",
            "online",
            "parameter",
            "remedy",
            "row",
            "rows",
            "run",
            "space",
            "spec",
        ],
    ),
    (
        "majority",
        &[
            "cost",
            "kernel",
            "learner",
            "parameter",
            "preparation",
            "row",
            "state",
        ],
    ),
    (
        "catalog",
        &[
            "certificate",
            "cost",
            "dual",
            "grammar",
            "kernel",
            "learner",
            "majority",
            "online",
            "parameter",
            "preparation",
            "remedy",
            "space",
        ],
    ),
    (
        "spec",
        &[
            "catalog",
            "grammar",
            "kernel",
            "learner",
            "parameter",
            "remedy",
        ],
    ),
    ("learners", &["spec"]),
    ("classes", &["label", "learner", "remedy"]),
    ("class_weights", &["label"]),
    ("calibration", &["learner", "state"]),
    ("standardize", &["row", "rows"]),
    (
        "map",
        &[
            "grammar",
            "kernel",
            "linalg",
            "parameter",
            "random",
            "row",
            "simd",
            "space",
            "state",
        ],
    ),
    ("preparation", &["map", "row", "rows", "standardize"]),
    (
        "resolve",
        &[
            "catalog",
            "grammar",
            "kernel",
            "map",
            "parameter",
            "preparation",
            "row",
            "rows",
            "space",
            "spec",
        ],
    ),
    ("by_slot", &[]),
    ("spreads", &["by_slot", "rows"]),
    ("sizes", &["by_slot", "rows", "spreads"]),
    (
        "schema",
        &["names", "preparation", "sizes", "table", "text_statistics"],
    ),
    (
        "model",
        &[
            "calibration",
            "class_weights",
            "classes",
            "grammar",
            "kernel",
            "label",
            "learner",
            "map",
            "names",
            "parameter",
            "preparation",
            "remedy",
            "resolve",
            "row",
            "rows",
            "schema",
            "sizes",
            "space",
            "spec",
            "table",
        ],
    ),
    ("run", &["classes", "model", "random", "rows"]),
    (
        "evaluation",
        &[
            "classes", "label", "learner", "model", "random", "remark", "rows",
        ],
    ),
];

/// A crate and the crates of ours it may use.
const CRATES: &[(&str, &[&str])] = &[
    ("novikoff", &[]),
    ("novikoff-testkit", &["novikoff"]),
    ("novikoff-data", &["novikoff"]),
    ("novikoff-report", &["novikoff"]),
    ("novikoff-onnx", &["novikoff"]),
    // shares no code with what finds certificates
    ("novikoff-check", &[]),
    (
        "novikoff-engine",
        &[
            "novikoff",
            "novikoff-check",
            "novikoff-data",
            "novikoff-onnx",
            "novikoff-report",
        ],
    ),
    (
        "novikoff-py",
        &[
            "novikoff",
            "novikoff-cli",
            "novikoff-data",
            "novikoff-engine",
            "novikoff-report",
        ],
    ),
    (
        "novikoff-cli",
        &[
            "novikoff",
            "novikoff-data",
            "novikoff-engine",
            "novikoff-report",
        ],
    ),
    (
        "novikoff-serve",
        &[
            "novikoff",
            "novikoff-data",
            "novikoff-engine",
            "novikoff-report",
        ],
    ),
];

/// A module of the engine and the modules it may enter. What all may enter: [`ENGINE_COMMON`].
const ENGINE: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("events", &[]),
    ("files", &[]),
    ("memory", &[]),
    ("parallel", &[]),
    ("weights", &[]),
    ("gaps", &[]),
    ("reader", &["gaps"]),
    ("kernel_values", &[]),
    ("labels", &["reader"]),
    ("rows", &["labels", "reader"]),
    ("profile", &["kernel_values", "rows"]),
    ("shifts", &["profile"]),
    ("first_rows", &["rows"]),
    ("familiar", &["gaps", "reader", "rows", "shifts"]),
    ("positive", &["rows"]),
    ("worth", &["labels", "positive", "profile", "rows"]),
    ("partitions", &["profile"]),
    ("counted_work", &[]),
    ("remarks", &["counted_work", "profile", "worth"]),
    ("data", &["familiar", "files", "labels", "reader", "rows"]),
    ("class_weight", &["data", "labels", "rows"]),
    (
        "options",
        &["class_weight", "data", "memory", "profile", "rows", "split"],
    ),
    ("load", &["data", "labels", "options"]),
    ("door_rows", &["reader"]),
    ("answer", &["data", "door_rows", "options", "reader"]),
    ("distinct", &[]),
    ("row_learner", &["data", "options", "rows"]),
    ("row_settings", &["options"]),
    ("row_text", &["options"]),
    ("open_model", &["options"]),
    ("prepared", &["rows"]),
    ("matrix_updates", &[]),
    ("split", &["rows"]),
    ("testing", &["rows"]),
    ("trace", &[]),
    ("picture", &["rows", "weights"]),
    ("checkpoint", &["picture", "trace"]),
    ("certify", &["labels", "parallel", "prepared", "rows"]),
    (
        "check",
        &[
            "certify",
            "data",
            "first_rows",
            "fit",
            "labels",
            "options",
            "row_settings",
            "rows",
            "trace",
        ],
    ),
    (
        "fit",
        &[
            "certify",
            "checkpoint",
            "class_weight",
            "data",
            "door_rows",
            "familiar",
            "files",
            "first_rows",
            "labels",
            "matrix_updates",
            "options",
            "picture",
            "positive",
            "profile",
            "reader",
            "remarks",
            "row_settings",
            "rows",
            "split",
            "testing",
            "trace",
            "worth",
        ],
    ),
    (
        "compare",
        &[
            "certify",
            "counted_work",
            "data",
            "familiar",
            "first_rows",
            "fit",
            "labels",
            "options",
            "parallel",
            "positive",
            "profile",
            "remarks",
            "rows",
            "testing",
            "worth",
        ],
    ),
    ("sweep", &["certify", "compare", "data"]),
    (
        "reproduce",
        &[
            "class_weight",
            "compare",
            "data",
            "load",
            "matrix_updates",
            "options",
            "parallel",
            "solve",
            "sweep",
        ],
    ),
    (
        "solve",
        &[
            "class_weight",
            "data",
            "familiar",
            "files",
            "first_rows",
            "kernel_values",
            "labels",
            "options",
            "parallel",
            "positive",
            "prepared",
            "profile",
            "rows",
            "testing",
            "worth",
        ],
    ),
    (
        "tune",
        &[
            "data",
            "familiar",
            "files",
            "first_rows",
            "fit",
            "kernel_values",
            "labels",
            "options",
            "parallel",
            "positive",
            "prepared",
            "profile",
            "rows",
            "solve",
            "split",
            "testing",
            "worth",
        ],
    ),
    (
        "evaluate",
        &[
            "data",
            "familiar",
            "labels",
            "open_model",
            "options",
            "positive",
            "testing",
            "worth",
        ],
    ),
    (
        "calibrate",
        &[
            "data",
            "evaluate",
            "files",
            "open_model",
            "options",
            "worth",
        ],
    ),
    (
        "predict",
        &["data", "familiar", "open_model", "options", "worth"],
    ),
    ("convert", &["data", "files", "labels", "options"]),
    ("export", &["files", "options"]),
];

/// What every module of the engine may enter.
const ENGINE_COMMON: &[&str] = &[
    "error",
    "events",
    "About",
    "Context",
    "Error",
    "FilesOnly",
    "Interrupt",
    "Remedy",
    "Setting",
    "StoppedWhile",
    "memory_for",
];

/// What the engine never does: words of flags, printing, the end of the process, state that all jobs share.
const ENGINE_ABSENT: &[&str] = &[
    "println!",
    "stdout(",
    "stderr(",
    "process::exit",
    "std::env::args",
    "static mut",
    "clap",
];

/// The crates that turn words into jobs.
const DOORS: &[&str] = &["novikoff-cli", "novikoff-py"];

/// What doors never do: loops over rows, and learning.
const DOOR_ABSENT: &[&str] = &[".next_block(", "run::block(", ".learn(", "Ledger"];

/// What the routes of the service never do: handlers do not touch a learner.
const ROUTES_ABSENT: &[&str] = &["run::block(", ".learn(", "Ledger", "std::fs", "Fold"];

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
    check_modules(root, "novikoff", ROOMS, &[], ABSENT, &mut wrong)?;
    check_modules(
        root,
        "novikoff-engine",
        ENGINE,
        ENGINE_COMMON,
        ENGINE_ABSENT,
        &mut wrong,
    )?;
    check_crates(root, &mut wrong)?;
    crate::room_map::check(root, &mut wrong)?;
    crate::flags::check(root, &mut wrong)?;
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// Imports of one crate follow its arrows, and what is absent is absent.
fn check_modules(
    root: &Path,
    name: &str,
    rooms: &[(&str, &[&str])],
    common: &[&str],
    absent: &[&str],
    wrong: &mut Vec<String>,
) -> Result<(), String> {
    let src = root.join("crates").join(name).join("src");
    for path in sources(&src)? {
        let place = path.strip_prefix(&src).unwrap_or(&path);
        let first = place
            .iter()
            .next()
            .map(|p| p.to_string_lossy().into_owned());
        let room = first.unwrap_or_default().trim_end_matches(".rs").to_owned();
        // tests may enter any room
        if room == "lib" || place.ends_with("tests.rs") {
            continue;
        }
        let Some((_, allowed)) = rooms.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!(
                "{}: no such room in xtask/src/rooms.rs",
                place.display()
            ));
            continue;
        };
        let text = read(&path)?;
        let code = imports::without_tests(&text);
        for module in imports::entered(&code, place) {
            let module = module.as_str();
            if module != room && !allowed.contains(&module) && !common.contains(&module) {
                wrong.push(format!(
                    "{}: {room} may not enter {module}",
                    place.display()
                ));
            }
        }
        for word in absent.iter().filter(|word| code.contains(**word)) {
            wrong.push(format!("{}: {name} does without {word}", place.display()));
        }
    }
    Ok(())
}

/// Crates use those below them, and the doors hold no loop over rows.
fn check_crates(root: &Path, wrong: &mut Vec<String>) -> Result<(), String> {
    for door in DOORS {
        let src = root.join("crates").join(door).join("src");
        for path in sources(&src)? {
            let text = read(&path)?;
            for word in DOOR_ABSENT.iter().filter(|word| text.contains(**word)) {
                let place = path.strip_prefix(&src).unwrap_or(&path).display();
                wrong.push(format!("{door}: {place}: a door does without {word}"));
            }
        }
    }
    let src = root.join("crates/novikoff-serve/src/routes");
    for path in sources(&src)? {
        let text = read(&path)?;
        for word in ROUTES_ABSENT.iter().filter(|word| text.contains(**word)) {
            let place = path.strip_prefix(&src).unwrap_or(&path);
            wrong.push(format!(
                "{}: routes of the service do without {word}",
                place.display()
            ));
        }
    }
    let folders = std::fs::read_dir(root.join("crates")).map_err(|e| format!("crates: {e}"))?;
    for folder in folders.flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        let is_crate = folder.path().join("Cargo.toml").exists();
        if is_crate && !CRATES.iter().any(|(known, _)| *known == name) {
            wrong.push(format!(
                "crate {name}: CRATES of xtask/src/rooms.rs does not list it"
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes away what enters nothing that is left; what remains goes round in circles.
    fn circles(list: &[(&'static str, &[&'static str])]) -> Vec<&'static str> {
        let mut left = list.to_vec();
        loop {
            let names: Vec<&str> = left.iter().map(|(name, _)| *name).collect();
            let before = left.len();
            left.retain(|(_, entered)| entered.iter().any(|room| names.contains(room)));
            if left.len() == before {
                return left.iter().map(|(name, _)| *name).collect();
            }
        }
    }

    #[test]
    fn arrows_point_one_way() {
        for list in [ROOMS, ENGINE, CRATES] {
            assert_eq!(circles(list), [""; 0]);
        }
        assert_eq!(
            circles(&[("a", &["b"]), ("b", &["a"]), ("c", &[])]),
            ["a", "b"]
        );
    }
}
