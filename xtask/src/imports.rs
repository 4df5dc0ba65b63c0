//! Which modules of its own crate a source enters, outside of tests and comments.

use std::path::Path;

/// The names that follow `crate::` in the text of a file, lists in braces included. `super::` that leads to the root counts too.
pub(crate) fn entered(code: &str, place: &Path) -> Vec<String> {
    // as many `super::` as there are modules above the file lead to the root
    let to_root = "super::".repeat(depth(place));
    let code = code.replace(&to_root, "crate::");
    let mut names = Vec::new();
    for path in code.split("crate::").skip(1) {
        match path.strip_prefix('{') {
            Some(list) => names.extend(names_of_list(list)),
            None => names.push(first_name(path)),
        }
    }
    names
}

/// How many modules lie between a file and the root of its crate, its own included.
fn depth(place: &Path) -> usize {
    let folders = place.iter().count().saturating_sub(1);
    folders + usize::from(!place.ends_with("mod.rs"))
}

/// The first name of each path in a list, whose opening brace has been read.
fn names_of_list(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = 0;
    let mut is_first = true;
    for (at, c) in list.char_indices() {
        match c {
            '}' if open == 0 => break,
            '}' => open -= 1,
            '{' => open += 1,
            ',' if open == 0 => is_first = true,
            _ if is_first && is_name(c) => {
                names.push(first_name(&list[at..]));
                is_first = false;
            }
            _ => {}
        }
    }
    names
}

fn first_name(path: &str) -> String {
    path.chars().take_while(|c| is_name(*c)).collect()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The code of a formatted file without its comments and without items under `#[cfg(test)]`. An item ends with its first line, or with the
/// brace below its attribute.
pub(crate) fn without_tests(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let content = line.trim_start();
        if content.starts_with("//") {
            continue;
        }
        if content == "#[cfg(test)]" {
            let indent = &line[..line.len() - content.len()];
            skip_item(&mut lines, indent);
            continue;
        }
        code.push_str(line);
        code.push('\n');
    }
    code
}

fn skip_item<'t>(lines: &mut impl Iterator<Item = &'t str>, indent: &str) {
    let mut is_begun = false;
    for line in lines {
        let content = line.trim_start();
        if !is_begun && (content.starts_with("//") || content.starts_with("#[")) {
            continue;
        }
        let is_one_line = !is_begun && line.ends_with([';', ',', '}']);
        is_begun = true;
        let is_end = line
            .strip_prefix(indent)
            .is_some_and(|rest| rest.starts_with('}'));
        if is_one_line || is_end {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(code: &str, place: &str) -> Vec<String> {
        entered(&without_tests(code), Path::new(place))
    }

    #[test]
    fn paths_lists_and_supers_are_entered() {
        assert_eq!(names("use crate::row::Row;", "a/b.rs"), ["row"]);
        let list = "use crate::{\n    Error,\n    row::{Row, dot},\n    label,\n};";
        assert_eq!(names(list, "a.rs"), ["Error", "row", "label"]);
        assert_eq!(names("use super::rows::Held;", "a.rs"), ["rows"]);
        assert_eq!(names("use super::rows::Held;", "a/mod.rs"), ["rows"]);
        assert!(names("use super::rows::Held;", "a/b.rs").is_empty());
        assert_eq!(names("super::super::rows::held()", "a/b.rs"), ["rows"]);
    }

    #[test]
    fn items_of_tests_are_left_out_and_what_follows_them_is_not() {
        let code = "\
#[cfg(test)]
mod tests;
use crate::first;
#[cfg(test)]
#[allow(dead_code)]
fn helper(
    a: crate::hidden::A,
) -> bool {
    crate::hidden::f(a)
}
impl A {
    #[cfg(test)]
    fn seen(&self) {
        crate::hidden::g();
    }
    // crate::hidden
    fn f() { crate::second::f() }
}
#[cfg(test)]
mod more {
    use crate::hidden;
}
";
        assert_eq!(names(code, "a.rs"), ["first", "second"]);
    }
}
