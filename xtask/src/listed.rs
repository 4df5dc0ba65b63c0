//! Every file of tests is part of a test binary: crates that build theirs as one list them by hand.

use std::fs;
use std::path::Path;

/// Fails on a file below `crates/*/tests` that neither `all.rs` nor Cargo.toml names.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let crates = fs::read_dir(root.join("crates")).map_err(|error| format!("crates: {error}"))?;
    for entry in crates {
        let folder = entry.map_err(|error| format!("crates: {error}"))?.path();
        let Ok(list) = fs::read_to_string(folder.join("tests/all.rs")) else {
            continue;
        };
        let manifest = folder.join("Cargo.toml");
        let manifest = fs::read_to_string(&manifest)
            .map_err(|error| format!("{}: {error}", manifest.display()))?;
        let tests = folder.join("tests");
        let files =
            fs::read_dir(&tests).map_err(|error| format!("{}: {error}", tests.display()))?;
        for file in files {
            let path = file
                .map_err(|error| format!("{}: {error}", tests.display()))?
                .path();
            if let Some(name) = missing(&path, &list, &manifest) {
                let all = tests.join("all.rs");
                return Err(format!(
                    "{}: no test binary has it; add `mod {name};` to {}",
                    path.display(),
                    all.display()
                ));
            }
        }
    }
    Ok(())
}

/// The module that a file or folder of tests would be, if nobody names it.
fn missing(path: &Path, list: &str, manifest: &str) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let is_module = path.extension().is_some_and(|end| end == "rs") || path.join("mod.rs").exists();
    let is_listed = list.lines().any(|line| line == format!("mod {name};"))
        || manifest.contains(&format!("\"tests/{name}.rs\""));
    (is_module && !is_listed).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::missing;

    #[test]
    fn files_that_nobody_names() {
        let (list, manifest) = ("mod certify;\n", "path = \"tests/all.rs\"");
        let of = |name: &str| missing(Path::new(name), list, manifest);
        assert_eq!(of("tests/certify.rs"), None);
        assert_eq!(of("tests/all.rs"), None);
        assert_eq!(of("tests/certif.rs").as_deref(), Some("certif"));
        assert_eq!(of("tests/data"), None, "a folder without mod.rs");
    }
}
