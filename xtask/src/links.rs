//! Links of the pages, tests that they name, and mentions of the theory in comments: each leads to a file and, where it names one, to a heading
//! or a test. The index of `docs` lists all its pages, and the paths of CONTRIBUTING.md are there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cited_tests::CitedTest;
use crate::{files, read, sources};

/// Pages beside those of `docs`.
const PAGES: [&str; 5] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "papers/README.md",
];

/// What comments of the source mention, from the root.
const THEORY: &str = "docs/theory/";

/// The page whose code spans are paths from the root, where they begin with a folder of it.
const RECIPES: &str = "CONTRIBUTING.md";

/// The page that lists all pages of its folder.
const INDEX: &str = "docs/README.md";

pub(crate) fn check(root: &Path) -> Result<(), String> {
    let mut broken = Vec::new();
    let mut pages: Vec<PathBuf> = PAGES.iter().map(|page| root.join(page)).collect();
    pages.extend(files(&root.join("docs"), "md")?);
    for page in &pages {
        let text = read(page)?;
        for (line, words) in prose(&text) {
            for test in CitedTest::of(words) {
                if let Some(what) = test.missing(root)? {
                    broken.push(message(root, page, line, &test.to_string(), &what));
                }
            }
            for link in targets(&without_code(words)) {
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let folder = page.parent().unwrap_or(root);
                let target = if path.is_empty() {
                    page.clone()
                } else {
                    folder.join(path)
                };
                if let Some(what) = missing(&target, anchor)? {
                    broken.push(message(root, page, line, link, &what));
                }
            }
        }
    }
    let recipes = read(&root.join(RECIPES))?;
    for (line, words) in prose(&recipes) {
        for path in paths(words) {
            if !root.join(path).exists() {
                let what = "there is no such file or folder";
                broken.push(message(root, &root.join(RECIPES), line, path, what));
            }
        }
    }
    let index = read(&root.join(INDEX))?;
    let listed: Vec<&str> = index.lines().flat_map(targets).collect();
    for page in files(&root.join("docs"), "md")? {
        let name = page.strip_prefix(root.join("docs")).unwrap_or(&page);
        let name = name.to_string_lossy();
        // a folder has a page that lists its own
        let is_own = !name.contains('/') && name != "README.md";
        if is_own && !listed.contains(&&*name) {
            broken.push(format!("{INDEX}: no line for {name}"));
        }
    }
    for source in sources(&root.join("crates"))? {
        let text = read(&source)?;
        for (k, line) in text.lines().enumerate() {
            for link in mentions(line) {
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                if let Some(what) = missing(&root.join(path), anchor)? {
                    broken.push(message(root, &source, k + 1, link, &what));
                }
            }
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(broken.join("\n"))
    }
}

fn message(root: &Path, file: &Path, line: usize, link: &str, what: &str) -> String {
    let file = file.strip_prefix(root).unwrap_or(file);
    format!("{}:{line}: `{link}`: {what}", file.display())
}

/// What is missing where a link leads, if something is.
fn missing(target: &Path, anchor: &str) -> Result<Option<String>, String> {
    if !target.exists() {
        return Ok(Some("there is no such file".to_owned()));
    }
    if anchor.is_empty() || anchors(&read(target)?).iter().any(|known| known == anchor) {
        return Ok(None);
    }
    Ok(Some(format!("the file has no heading #{anchor}")))
}

/// The lines outside of code blocks, numbered from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let (mut lines, mut is_code) = (Vec::new(), false);
    for (k, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((k + 1, line));
        }
    }
    lines
}

/// A line without its code spans; links around them stay.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// Where the links of a line lead within the repository.
fn targets(line: &str) -> Vec<&str> {
    let links = line.split("](").skip(1);
    let links = links.filter_map(|rest| rest.split([')', ' ']).next());
    let is_ours = |link: &&str| !link.contains("://") && !link.starts_with("mailto:");
    links.filter(is_ours).collect()
}

/// The code spans of a line that are paths from the root: they begin with a folder of it. Of `FILE.rs::name` the file.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    const FOLDERS: [&str; 8] = [
        "bench/",
        "crates/",
        "docs/",
        "fuzz/",
        "python/",
        "testdata/",
        "tests/",
        "xtask/",
    ];
    let spans = line.split('`').skip(1).step_by(2);
    let spans = spans.filter_map(|span| span.split(['#', ':']).next());
    spans.filter(|span| {
        let is_path = FOLDERS.iter().any(|folder| span.starts_with(folder));
        is_path && !span.contains([' ', '*', '<'])
    })
}

/// The pages of the theory that a line of source mentions.
fn mentions(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./#".contains(c);
    line.match_indices(THEORY).map(move |(at, _)| {
        let rest = &line[at..];
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        // a sentence may end here
        rest[..end].trim_end_matches('.')
    })
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(page: &str) -> Vec<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for (_, line) in prose(page) {
        let level = line.chars().take_while(|c| *c == '#').count();
        let title = line[level..].strip_prefix(' ');
        let Some(title) = title.filter(|_| (1..=6).contains(&level)) else {
            continue;
        };
        let slug = slug_of(title);
        let before = times.entry(slug.clone()).or_default();
        all.push(match *before {
            0 => slug,
            k => format!("{slug}-{k}"),
        });
        *before += 1;
    }
    all
}

/// Lower case, without punctuation, spaces as hyphens.
fn slug_of(title: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let lower = title.trim().to_lowercase();
    let kept = lower.chars().filter(is_kept);
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        let page = "# T8: second-order, fixed a\n```\n# code\n```\n## T2''\n## T2'\n#no\n### `p = 2` x_y\n";
        let expected = ["t8-second-order-fixed-a", "t2", "t2-1", "p--2-x_y"];
        assert_eq!(anchors(page), expected);
    }

    #[test]
    fn paths_are_found() {
        let line = "`crates/a/src/b.rs::name` in `docs/c.md#d`, `cargo test`, `crates/*/x`, `LOSSES`, `tests/peers`";
        let expected = ["crates/a/src/b.rs", "docs/c.md", "tests/peers"];
        assert_eq!(paths(line).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn links_are_found() {
        let line = without_code("[`a`](b.md#c \"d\") `[x](y)` [e](https://f) [g](#h)");
        assert_eq!(targets(&line), ["b.md#c", "#h"]);
        let line =
            "//! Paper: docs/theory/romma.md#t14-maximum-margin. See docs/theory/dual.md, too";
        let expected = [
            "docs/theory/romma.md#t14-maximum-margin",
            "docs/theory/dual.md",
        ];
        assert_eq!(mentions(line).collect::<Vec<_>>(), expected);
    }
}
