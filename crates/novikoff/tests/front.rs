//! The first example of the crate's page is that of the README.

#![allow(clippy::unwrap_used)]

use std::path::Path;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// The first block of code that begins with this fence.
fn block(text: &str, fence: &str) -> String {
    let (_, rest) = text.split_once(&format!("{fence}\n")).unwrap();
    rest.split_once("```").unwrap().0.trim().to_owned()
}

#[test]
fn the_readme_has_the_example_of_the_crate() {
    let page = read("src/lib.rs");
    let page: Vec<&str> = page
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    // doctests run the one of the page
    let tested = block(&page.join("\n"), "```");
    assert_eq!(block(&read("../../README.md"), "```rust"), tested);
}
