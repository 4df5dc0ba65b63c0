//! The map of rooms in ARCHITECTURE.md: every module of a crate stands in it, and every file and folder in it exists.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{is_source, read, sources};

const PAGE: &str = "ARCHITECTURE.md";

/// The roots of crates, which need no line.
const ROOTS: [&str; 2] = ["lib", "main"];

pub(crate) fn check(root: &Path, wrong: &mut Vec<String>) -> Result<(), String> {
    let page = read(&root.join(PAGE))?;
    let map = page.split("```").nth(1).unwrap_or_default();
    for section in sections(map) {
        if !section.name.starts_with("crates/") {
            continue;
        }
        let src = root.join(section.name).join("src");
        let paths = below(&src)?;
        let words = named(&section.text);
        for module in modules(&src)? {
            let is_named = words.iter().any(|word| first_part(word) == module);
            if !is_named {
                let name = section.name;
                wrong.push(format!(
                    "{name}/src: {PAGE} does not name the module {module}"
                ));
            }
        }
        for word in &words {
            let exists = paths.iter().any(|path| path.ends_with(word));
            if !exists {
                let name = section.name;
                wrong.push(format!(
                    "{PAGE}: {name} has no file or folder `{word}` in its sources"
                ));
            }
        }
    }
    Ok(())
}

/// The lines of one crate or folder.
struct Section<'m> {
    /// Its path, from the root.
    name: &'m str,
    /// What is said of it and of what it holds.
    text: String,
}

/// A line that is not indented begins a section; its first word is the path.
fn sections(map: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for line in map.lines() {
        match (sections.last_mut(), line.starts_with(' ')) {
            (Some(section), true) => {
                section.text.push_str(line);
                section.text.push('\n');
            }
            (_, false) if !line.is_empty() => {
                let (name, text) = line.split_once(' ').unwrap_or((line, ""));
                let text = format!("{text}\n");
                sections.push(Section { name, text });
            }
            _ => {}
        }
    }
    sections
}

/// The files and folders that a text names: words that end in `.rs` or in a slash.
fn named(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_./".contains(c);
    let words = text.split(|c: char| !is_part(c));
    let words = words.map(|word| word.trim_end_matches('.'));
    let is_folder = |word: &str| word.ends_with('/') && word.len() > 1;
    let is_path = |word: &&str| is_source(word) || is_folder(word);
    let words = words.filter(is_path);
    words.map(|word| word.trim_end_matches('/')).collect()
}

fn first_part(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or_default();
    first.trim_end_matches(".rs")
}

/// The modules directly below a folder of sources, each once.
fn modules(src: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(src).map_err(|error| format!("{}: {error}", src.display()))?;
    let mut modules = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| format!("{}: {error}", src.display()))?
            .path();
        let is_module = path.is_dir() || is_source(&path);
        let name = path.file_stem().and_then(|name| name.to_str());
        modules.extend(name.filter(|_| is_module).map(str::to_owned));
    }
    modules.retain(|module| !ROOTS.contains(&module.as_str()));
    modules.sort();
    modules.dedup();
    Ok(modules)
}

/// All sources below a folder, and the folders they are in.
fn below(src: &Path) -> Result<Vec<PathBuf>, String> {
    let mut paths = sources(src)?;
    let folders: Vec<PathBuf> = paths.iter().filter_map(|path| parent(path)).collect();
    paths.extend(folders);
    Ok(paths)
}

fn parent(path: &Path) -> Option<PathBuf> {
    path.parent().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_name_files_and_folders() {
        let map = "\ncrates/a      what a is\n  b/  c.rs   text; d.rs: more, see e/f.rs.\nxtask  chores\n";
        let all = sections(map);
        let names: Vec<&str> = all.iter().map(|section| section.name).collect();
        assert_eq!(names, ["crates/a", "xtask"]);
        let words = named(&all[0].text);
        assert_eq!(words, ["b", "c.rs", "d.rs", "e/f.rs"]);
        assert_eq!(first_part("e/f.rs"), "e");
        assert_eq!(first_part("c.rs"), "c");
    }
}
