//! Tests that pages name as `FILE.rs::name`: each file exists and has a test of that name.
//!
//! By the convention of docs/theory/README.md `src/` and `tests/` are those of `crates/novikoff`; other files are named from the root. A file
//! that uses `contract!` has the tests that this macro makes of the checks of `novikoff-testkit`.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::{is_source, read, sources};

/// Stands for any file where the convention is explained.
const ANY_FILE: &str = "FILE.rs";

/// A test as a page names it.
#[derive(Debug, PartialEq)]
pub(crate) struct CitedTest<'p> {
    file: &'p str,
    name: &'p str,
}

impl<'p> CitedTest<'p> {
    /// The tests that a line of a page names, in code spans.
    pub(crate) fn of(line: &'p str) -> Vec<Self> {
        let spans = line.split('`').skip(1).step_by(2);
        let cited = spans.filter_map(|span| span.split_once("::"));
        let cited = cited.filter(|(file, _)| is_source(file) && !file.contains(' '));
        let cited = cited.filter(|(file, _)| *file != ANY_FILE);
        cited.map(|(file, name)| CitedTest { file, name }).collect()
    }

    /// What is wrong with it, if something is.
    pub(crate) fn missing(&self, root: &Path) -> Result<Option<String>, String> {
        let path = self.path(root);
        if !path.exists() {
            return Ok(Some("there is no such file".to_owned()));
        }
        let text = read(&path)?;
        let mut is_there = defines(&text, self.name);
        if !is_there && text.contains("contract!(") {
            for source in sources(&root.join("crates/novikoff-testkit/src"))? {
                is_there |= defines(&read(&source)?, self.name);
            }
        }
        Ok((!is_there).then(|| "the file has no such test".to_owned()))
    }

    fn path(&self, root: &Path) -> PathBuf {
        let is_library = self.file.starts_with("src/") || self.file.starts_with("tests/");
        let folder = if is_library { "crates/novikoff" } else { "" };
        root.join(folder).join(self.file)
    }
}

impl fmt::Display for CitedTest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.file, self.name)
    }
}

/// Whether a source has a function of that name.
fn defines(source: &str, name: &str) -> bool {
    source.contains(&format!("fn {name}(")) || source.contains(&format!("fn {name}<"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_code_spans() {
        let line = "Test: `tests/dual/mod.rs::golden_optima`, not tests/a.rs::b, `Type::method`, `FILE.rs::name`; `crates/x/tests/y.rs::z`.";
        let cited = |file, name| CitedTest { file, name };
        let expected = [
            cited("tests/dual/mod.rs", "golden_optima"),
            cited("crates/x/tests/y.rs", "z"),
        ];
        assert_eq!(CitedTest::of(line), expected);
        let root = Path::new("root");
        let path = expected[0].path(root);
        assert_eq!(path, root.join("crates/novikoff/tests/dual/mod.rs"));
        assert_eq!(expected[1].path(root), root.join("crates/x/tests/y.rs"));
        assert!(defines("    fn golden(a: f64) {", "golden"));
        assert!(!defines("    fn golden_optima() {", "golden"));
    }
}
