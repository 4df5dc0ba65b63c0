//! The commands of the book's pages: every `sh` block runs as it stands, in one folder per page, and what a `text` block below it shows is what was printed.
//!
//! Blocks of other languages are not run here: `console` is what needs an installation, a network or a server.

use crate::common;

use std::process::Command;

use common::Room;

const PAGES: &[(&str, &str)] = &[
    (
        "getting-started.md",
        include_str!("../../../docs/getting-started.md"),
    ),
    ("streams.md", include_str!("../../../docs/streams.md")),
    ("choosing.md", include_str!("../../../docs/choosing.md")),
    (
        "certificates-explained.md",
        include_str!("../../../docs/certificates-explained.md"),
    ),
    ("faq.md", include_str!("../../../docs/faq.md")),
    ("migrating.md", include_str!("../../../docs/migrating.md")),
    (
        "reproducibility.md",
        include_str!("../../../docs/reproducibility.md"),
    ),
];

/// The fenced blocks of a page with their languages.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((language, String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block has no end");
    blocks
}

/// What a block prints, on both outputs.
fn run(room: &Room, page: &str, script: &str) -> String {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_novikoff"));
    let folder = binary.parent().expect("a folder").as_os_str().to_owned();
    let mut path = folder;
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let done = Command::new("sh")
        .args(["-eu", "-c", script])
        .current_dir(room.path("."))
        .env("PATH", path)
        .env("COLUMNS", "300")
        .output()
        .expect("a shell");
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8(said).expect("text");
    assert!(done.status.success(), "{page}: {script}\n{said}");
    said
}

/// Whether a line of a page was printed. The line may end in `...`, and numbers of seconds are not compared: such lines are left out of pages.
fn was_printed(line: &str, said: &str) -> bool {
    let line = line.trim_end();
    let (start, is_cut) = match line.strip_suffix("...") {
        Some(start) => (start, true),
        None => (line, false),
    };
    said.lines().any(|printed| {
        let printed = printed.trim_end();
        if is_cut {
            printed.starts_with(start)
        } else {
            printed == start
        }
    })
}

#[test]
fn commands_of_the_pages_run_and_print_what_the_pages_show() {
    let mut shown = 0;
    for (name, page) in PAGES {
        let room = Room::new();
        let (mut said, mut count) = (String::new(), 0);
        for (language, text) in blocks(page) {
            match language {
                "sh" => {
                    said = run(&room, name, &text);
                    count += 1;
                }
                "text" => {
                    for line in text.lines().filter(|line| !line.trim().is_empty()) {
                        assert!(
                            was_printed(line, &said),
                            "{name}: `{line}` is not in\n{said}"
                        );
                        shown += 1;
                    }
                }
                _ => {}
            }
        }
        assert!(count > 0, "{name} has no block that runs");
    }
    assert!(shown > 10, "{shown} lines of output were compared");
}

#[test]
fn a_line_that_was_not_printed_is_noticed() {
    assert!(was_printed(
        "mistakes   36 ...",
        "x\nmistakes   36 (2.00%)\n"
    ));
    assert!(!was_printed("mistakes   37 ...", "mistakes   36 (2.00%)\n"));
    assert!(!was_printed("mistakes", "mistakes   36 (2.00%)\n"));
}

/// A command whose help text is not in the reference would be missed by nobody.
#[test]
fn the_reference_has_every_help_text() {
    let page = include_str!("../../../docs/reference/command.md");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden");
    let mut texts = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        if name.starts_with("help") {
            assert!(page.contains(&format!("golden/{name}\n")), "{name}");
            texts += 1;
        }
    }
    assert!(texts > 10, "{texts}");
}
