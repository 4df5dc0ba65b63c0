//! The values of a line, one after another, each with the path of its field.

use super::DEEPEST;
use super::cursor::{Cursor, Fault};
use super::problem::JsonProblem;
use crate::error::Token;

/// A value that is neither an object nor an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar<'a> {
    /// As written.
    Number(&'a [u8]),
    /// Without its quotes and escapes.
    Text(&'a str),
    Truth(bool),
    Null,
}

impl Scalar<'_> {
    /// What it is called in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Scalar::Number(_) => "a number",
            Scalar::Text(_) => "a string",
            Scalar::Truth(_) => "true or false",
            Scalar::Null => "null",
        }
    }
}

/// Takes the values of a line.
pub(super) trait Visit {
    /// A field begins; its path is that of the objects that it is in, and its name.
    fn field(&mut self, path: &str) -> Result<(), JsonProblem>;

    /// Its value; or, if it is an array, one after another, with their places.
    fn value(
        &mut self,
        path: &str,
        item: Option<usize>,
        value: Scalar<'_>,
    ) -> Result<(), JsonProblem>;
}

/// Visits the values of a line, which must be one object.
pub(super) fn walk(line: &[u8], visitor: &mut impl Visit) -> Result<(), Fault> {
    let mut walker = Walker {
        cursor: Cursor::new(line)?,
        visitor,
        path: Vec::new(),
        text: Vec::new(),
    };
    walker.cursor.expect(b'{', "an object, { ... },")?;
    walker.object(1)?;
    if walker.cursor.peek().is_some() {
        return Err(walker.cursor.unexpected("the end of the line"));
    }
    Ok(())
}

struct Walker<'a, V> {
    cursor: Cursor<'a>,
    visitor: &'a mut V,
    /// The path of the field being read.
    path: Vec<u8>,
    /// A string being read.
    text: Vec<u8>,
}

/// Strings are UTF-8, for lines and escapes are.
fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("?")
}

impl<V: Visit> Walker<'_, V> {
    /// The fields of an object behind its brace.
    fn object(&mut self, depth: usize) -> Result<(), Fault> {
        let outer = self.path.len();
        if self.cursor.take(b'}') {
            return Ok(());
        }
        loop {
            if self.cursor.peek() != Some(b'"') {
                return Err(self
                    .cursor
                    .unexpected("the name of a field in double quotes"));
            }
            let at = self.cursor.at;
            let fault = |problem| Fault { at, problem };
            if outer > 0 {
                self.path.push(b'.');
            }
            let start = self.path.len();
            self.cursor.string(&mut self.path)?;
            if self.path.len() == start {
                return Err(fault(JsonProblem::NoName));
            }
            self.visitor.field(utf8(&self.path)).map_err(fault)?;
            self.cursor.expect(b':', "a colon")?;
            self.any(depth)?;
            self.path.truncate(outer);
            if self.cursor.take(b'}') {
                return Ok(());
            }
            self.cursor.expect(b',', "a comma or }")?;
        }
    }

    /// The value of a field.
    fn any(&mut self, depth: usize) -> Result<(), Fault> {
        match self.cursor.peek() {
            Some(b'{') if depth == DEEPEST => Err(self.cursor.fault(JsonProblem::TooDeep)),
            Some(b'{') => {
                self.cursor.at += 1;
                self.object(depth + 1)
            }
            Some(b'[') => {
                self.cursor.at += 1;
                self.array()
            }
            _ => self.scalar(None),
        }
    }

    /// The values of an array behind its bracket.
    fn array(&mut self) -> Result<(), Fault> {
        if self.cursor.take(b']') {
            return Ok(());
        }
        for item in 0.. {
            let found = match self.cursor.peek() {
                Some(b'{') => Some("an object"),
                Some(b'[') => Some("an array"),
                _ => None,
            };
            if let Some(found) = found {
                let field = Token::new(&self.path);
                return Err(self.cursor.fault(JsonProblem::BadItem { field, found }));
            }
            self.scalar(Some(item))?;
            if self.cursor.take(b']') {
                break;
            }
            self.cursor.expect(b',', "a comma or ]")?;
        }
        Ok(())
    }

    fn scalar(&mut self, item: Option<usize>) -> Result<(), Fault> {
        let next = self.cursor.peek();
        let at = self.cursor.at;
        let value = if next == Some(b'"') {
            self.text.clear();
            self.cursor.string(&mut self.text)?;
            Scalar::Text(utf8(&self.text))
        } else if self.cursor.literal(b"true") {
            Scalar::Truth(true)
        } else if self.cursor.literal(b"false") {
            Scalar::Truth(false)
        } else if self.cursor.literal(b"null") {
            Scalar::Null
        } else if next.is_none() {
            return Err(self.cursor.fault(JsonProblem::Unfinished));
        } else {
            Scalar::Number(self.cursor.number()?)
        };
        let visited = self.visitor.value(utf8(&self.path), item, value);
        visited.map_err(|problem| Fault { at, problem })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{JsonProblem, Scalar, Visit, walk};

    /// Notes what it is shown.
    #[derive(Default)]
    struct Notes(Vec<String>);

    impl Visit for Notes {
        fn field(&mut self, _: &str) -> Result<(), JsonProblem> {
            Ok(())
        }

        fn value(
            &mut self,
            path: &str,
            item: Option<usize>,
            value: Scalar<'_>,
        ) -> Result<(), JsonProblem> {
            let item = item.map_or(String::new(), |k| format!("[{k}]"));
            let value = match value {
                Scalar::Number(number) => String::from_utf8_lossy(number).into_owned(),
                Scalar::Text(text) => format!("{text:?}"),
                Scalar::Truth(truth) => truth.to_string(),
                Scalar::Null => "null".to_owned(),
            };
            self.0.push(format!("{path}{item}: {value}"));
            Ok(())
        }
    }

    fn notes(line: &str) -> Result<Vec<String>, (usize, String)> {
        let mut notes = Notes::default();
        match walk(line.as_bytes(), &mut notes) {
            Ok(()) => Ok(notes.0),
            Err(fault) => Err((fault.at + 1, fault.problem.to_string())),
        }
    }

    #[test]
    fn values_come_with_their_paths() {
        let line = r#" {"a": 1.50, "b":{"c":"x\n\u00e9\ud83d\ude00","d":{}} , "e":[1,null,-2e3],"f":[],"g":true,"h":null} "#;
        let expected = [
            "a: 1.50",
            "b.c: \"x\\n\u{e9}\u{1f600}\"",
            "e[0]: 1",
            "e[1]: null",
            "e[2]: -2e3",
            "g: true",
            "h: null",
        ];
        assert_eq!(notes(line).as_deref(), Ok(&expected.map(str::to_owned)[..]));
        assert_eq!(notes("{}"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (line, column, says) in [
            ("[1]", 1, "an object"),
            ("{\"a\":NaN}", 6, "found \"NaN\""),
            ("{\"a\":-Infinity}", 6, "found \"-Infinity\""),
            ("{\"a\":01}", 6, "found \"01\""),
            ("{\"a\":1", 7, "the line ends"),
            ("{\"a\":", 6, "the line ends"),
            ("{\"a\":\"b", 8, "the line ends"),
            ("{\"a\" 1}", 6, "a colon"),
            ("{\"a\":1 \"b\":2}", 8, "a comma or }"),
            ("{\"a\":1,}", 8, "the name of a field"),
            ("{a:1}", 2, "the name of a field"),
            ("{\"\":1}", 2, "an empty name"),
            ("{\"a\":1} x", 9, "the end of the line"),
            ("{\"a\":[1,[2]]}", 9, "an array in an array"),
            ("{\"a\":\"\\q\"}", 7, "an escape that JSON does not have"),
            ("{\"a\":\"\\ud800x\"}", 7, "half of a character"),
            ("{\"a\":\"\\u12g4\"}", 7, "four hexadecimal digits"),
            ("{\"a\":\"\u{1}\"}", 7, "a control character"),
        ] {
            let (at, problem) = notes(line).expect_err(line);
            assert_eq!(at, column, "{line}: {problem}");
            assert!(problem.contains(says), "{line}: {problem}");
        }
        let mut deep = "{\"a\":".repeat(64);
        deep.push_str(&"}".repeat(64));
        assert!(notes(&deep.replace(":}", ":1}")).is_ok());
        let deeper = format!("{{\"a\":{}", deep.replace(":}", ":1}")) + "}";
        let (at, problem) = notes(&deeper).expect_err("too deep");
        assert_eq!((at, problem.contains("64 deep")), (5 * 64 + 1, true));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn what_is_json_is_what_others_say(
            words in prop::collection::vec(
                prop_oneof![
                    4 => Just("\"a\":".to_owned()),
                    4 => Just(",".to_owned()),
                    2 => "[{}\\[\\]:, ]",
                    2 => "-?[0-9]{1,2}(\\.[0-9]{0,2})?([eE][+-]?[0-9]{0,1})?",
                    2 => "\"(\\\\[\"\\\\/bfnrtux]|\\\\u[0-9a-fD8]{4}|[a-z\u{e9}\u{1}]){0,3}\"",
                    1 => "true|false|null|nul|NaN",
                ],
                0..10,
            ),
        ) {
            let line = format!("{{{}}}", words.concat());
            let ours = notes(&line);
            let theirs = serde_json::from_str::<serde_json::Value>(&line);
            // numbers past the range of f64, empty names, and what arrays hold are our own matter
            let own = ["array", "empty name", "deep"];
            match (ours, theirs) {
                (Ok(_), Ok(_)) | (Err(_), Err(_)) => {}
                (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("out of range"), "{line}: {error}"),
                (Err((_, problem)), Ok(_)) => prop_assert!(own.iter().any(|own| problem.contains(own)), "{line}: {problem}"),
            }
        }
    }
}
