//! Words of the command stay in the command: no flag in a text of the crates below the doors.

use std::path::Path;

use crate::{read, sources};

/// The crates that every door uses.
const CRATES: &[&str] = &[
    "novikoff",
    "novikoff-data",
    "novikoff-engine",
    "novikoff-onnx",
    "novikoff-report",
];

/// The page has style sheets in its texts, where `--` begins a variable.
const STYLE: &str = "crates/novikoff-report/src/html";

/// Checkpoints keep the options of their rows in the spelling of their first version.
const STORED: &str = "crates/novikoff-engine/src/row_text.rs";

/// Says where a text outside the tests has a flag or a command in it.
pub(crate) fn check(root: &Path, wrong: &mut Vec<String>) -> Result<(), String> {
    for name in CRATES {
        let files = sources(&root.join("crates").join(name).join("src"))?;
        let mut texts = Vec::new();
        for path in files {
            let text = read(&path)?;
            texts.push((path, text));
        }
        let tests: Vec<String> = texts
            .iter()
            .flat_map(|(_, text)| test_files(text))
            .collect();
        for (path, text) in &texts {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            if path.starts_with(root.join(STYLE))
                || *path == root.join(STORED)
                || tests.iter().any(|test| *test == stem)
            {
                continue;
            }
            let place = path.strip_prefix(root).unwrap_or(path).display();
            for (line, literal) in literals(without_tests(text)) {
                if let Some(word) = word_of_command(&literal) {
                    wrong.push(format!(
                        "{place}:{line}: `{word}` is a word of the command; give the error a Remedy, which doors word"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// The files that a source includes for its tests.
fn test_files(text: &str) -> Vec<String> {
    let after = text.split("#[cfg(test)]\nmod ").skip(1);
    let names = after.filter_map(|rest| rest.split_once(';'));
    let names = names.filter(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// A source without the tests at its end.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
}

/// The first flag or command in a text.
fn word_of_command(text: &str) -> Option<&str> {
    let until_blank = |at: usize| text[at..].split([' ', '"', ';', ',']).next();
    let flags = text.match_indices("--").map(|(at, _)| at);
    let mut flags = flags.filter(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + 2..].chars().next();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '-')
            && after.is_some_and(|c| c.is_ascii_lowercase())
    });
    let command = || text.find("`novikoff ");
    flags.next().or_else(command).and_then(until_blank)
}

/// The string literals of a source, with the lines they begin in.
fn literals(text: &str) -> Vec<(usize, String)> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let (length, literal) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if let Some(hashes) = raw_string(text, at) {
            let end = format!("\"{}", "#".repeat(hashes));
            let open = hashes + 2;
            let close = rest[open..].find(&end).map_or(rest.len(), |n| open + n);
            let length = (close + end.len()).min(rest.len());
            (length, Some(&rest[open..close]))
        } else if rest.starts_with('"') {
            let close = closing_quote(rest);
            (close + 1, Some(&rest[1..close]))
        } else if rest.starts_with("'\"'")
            || rest.starts_with("'\\\"'")
            || rest.starts_with("'\\''")
        {
            (rest[1..].find('\'').map_or(1, |n| n + 2).max(3), None)
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), None)
        };
        if let Some(literal) = literal {
            let line = 1 + text[..at].matches('\n').count();
            found.push((line, literal.to_owned()));
        }
        at += length.min(rest.len());
    }
    found
}

/// How many hashes a raw string has that begins here.
fn raw_string(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let rest = text[at..].strip_prefix('r')?;
    let hashes = rest.chars().take_while(|c| *c == '#').count();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// Where the literal that begins with the first quote ends.
fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(usize, String)> {
        let literals = literals(without_tests(text)).into_iter();
        literals
            .filter_map(|(line, text)| Some((line, word_of_command(&text)?.to_owned())))
            .collect()
    }

    #[test]
    fn a_flag_in_a_text_is_found() {
        let found = |line, word: &str| vec![(line, word.to_owned())];
        assert_eq!(
            said("let a = \"raise --max-memory\";"),
            found(1, "--max-memory")
        );
        assert_eq!(
            said("// a comment\nconst A: &str =\n    \"a \\\" b; \\\n     use --hash 24\";"),
            found(3, "--hash")
        );
        assert_eq!(said("let a = r#\"say \"--use\"\"#;"), found(1, "--use"));
        assert_eq!(
            said("if c == '\"' { \"--a\" } else { '\"' }"),
            found(1, "--a")
        );
        assert_eq!(
            said("let a = \"make it with `novikoff convert`\";"),
            found(1, "`novikoff")
        );
    }

    #[test]
    fn what_is_no_text_may_have_flags() {
        for text in [
            "/// In `--max-memory`.\nfn f() {}",
            "let a = 3; // \"--use\"",
            "let a = b - -c; let d = \"a -- b\";",
            "let a = \"1--2\"; let b = \"-1\";",
            "fn f() {}\n#[cfg(test)]\nmod tests {\n    const A: &str = \"--use\";\n}",
        ] {
            assert_eq!(said(text), [], "{text}");
        }
    }

    #[test]
    fn files_of_tests_are_known() {
        let text = "mod a;\n#[cfg(test)]\nmod forged;\nmod b;\n#[cfg(test)]\nmod tests {\n}";
        assert_eq!(test_files(text), ["forged"]);
    }
}
