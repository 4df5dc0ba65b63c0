//! JSON, word by word, as RFC 8259 has it: each with its place, nothing kept.

use super::problem::JsonProblem;
use crate::error::Token;

/// What is wrong, and at which byte of the line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: JsonProblem,
}

/// A place in a line, which is UTF-8.
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a line, if it is text.
    pub(super) fn new(text: &'a [u8]) -> Result<Self, Fault> {
        match std::str::from_utf8(text) {
            Ok(_) => Ok(Cursor { text, at: 0 }),
            Err(error) => {
                let at = error.valid_up_to();
                let byte = text[at];
                let problem = JsonProblem::NotUtf8 { byte };
                Err(Fault { at, problem })
            }
        }
    }

    /// The next byte that is no blank.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// Passes the next byte if it is this one.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Passes the next byte, which must be this one.
    pub(super) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Fault> {
        if self.take(byte) {
            return Ok(());
        }
        Err(self.unexpected(expected))
    }

    /// Something else than what is expected stands here.
    pub(super) fn unexpected(&mut self, expected: &'static str) -> Fault {
        if self.peek().is_none() {
            return self.fault(JsonProblem::Unfinished);
        }
        let token = Token::new(self.word());
        self.fault(JsonProblem::Unexpected { expected, token })
    }

    pub(super) fn fault(&self, problem: JsonProblem) -> Fault {
        let at = self.at;
        Fault { at, problem }
    }

    /// What stands here, up to the next blank or sign of JSON; at least one byte.
    fn word(&self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let stops = |b: &u8| b" \t\r\n,:]}[{\"".contains(b);
        let len = rest.iter().position(stops).unwrap_or(rest.len());
        let whole_char = (1..=rest.len()).find(|&n| rest.get(n).is_none_or(|b| b & 0xc0 != 0x80));
        &rest[..len.max(whole_char.unwrap_or(0))]
    }

    /// Passes a word: `true`, `false` or `null`.
    pub(super) fn literal(&mut self, word: &'static [u8]) -> bool {
        let found = self.word() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Passes a number, and gives it as written.
    pub(super) fn number(&mut self) -> Result<&'a [u8], Fault> {
        let word = self.word();
        if !is_number(word) {
            return Err(self.unexpected("a value such as 0.5, \"text\", true or null"));
        }
        self.at += word.len();
        Ok(word)
    }

    /// Passes a string, and adds what it says to `out`.
    pub(super) fn string(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.at += 1; // its quote
        loop {
            let rest = &self.text[self.at..];
            let special = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < b' ';
            let plain = rest.iter().position(special).unwrap_or(rest.len());
            out.extend_from_slice(&rest[..plain]);
            self.at += plain;
            match rest.get(plain) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape(out)?,
                Some(_) => return Err(self.bad_string("a control character that is not escaped")),
                None => return Err(self.fault(JsonProblem::Unfinished)),
            }
        }
    }

    fn bad_string(&self, what: &'static str) -> Fault {
        self.fault(JsonProblem::BadString { what })
    }

    /// Passes a backslash and what follows it.
    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let byte = match self.text.get(self.at + 1) {
            Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode(out),
            Some(_) => return Err(self.bad_string("an escape that JSON does not have")),
            None => return Err(self.fault(JsonProblem::Unfinished)),
        };
        out.push(byte);
        self.at += 2;
        Ok(())
    }

    /// Passes a `\u` with four digits; two of them if they are halves of one character.
    fn unicode(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let lone = "half of a character";
        let first = self.four_digits(self.at)?;
        let (code, len) = match first {
            0xd800..=0xdbff => {
                if self.text.get(self.at + 6..self.at + 8) != Some(b"\\u") {
                    return Err(self.bad_string(lone));
                }
                let second = self.four_digits(self.at + 6)?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(self.bad_string(lone));
                }
                (0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), 12)
            }
            code => (code, 6),
        };
        let Some(c) = char::from_u32(code) else {
            return Err(self.bad_string(lone));
        };
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        self.at += len;
        Ok(())
    }

    /// The four digits of the `\u` at `at`.
    fn four_digits(&self, at: usize) -> Result<u32, Fault> {
        let digits = self.text.get(at + 2..at + 6).unwrap_or_default();
        let digit = |&byte: &u8| char::from(byte).to_digit(16);
        let code = digits
            .iter()
            .try_fold(0, |code, byte| Some(16 * code + digit(byte)?));
        match code {
            Some(code) if digits.len() == 4 => Ok(code),
            _ => Err(self.bad_string("an escape without its four hexadecimal digits")),
        }
    }
}

/// Whether a word is a number as JSON writes it.
pub(crate) fn is_number(word: &[u8]) -> bool {
    fn digits(word: &[u8]) -> Option<&[u8]> {
        let len = word.iter().take_while(|b| b.is_ascii_digit()).count();
        (len > 0).then(|| &word[len..])
    }
    let whole = |word: &[u8]| -> bool {
        let Some(mut rest) = digits(word) else {
            return false;
        };
        if word[0] == b'0' && rest.len() + 1 < word.len() {
            return false; // a leading zero
        }
        if let [b'.', fraction @ ..] = rest {
            let Some(after) = digits(fraction) else {
                return false;
            };
            rest = after;
        }
        match rest {
            [b'e' | b'E', b'+' | b'-', power @ ..] | [b'e' | b'E', power @ ..] => {
                digits(power).is_some_and(<[u8]>::is_empty)
            }
            rest => rest.is_empty(),
        }
    };
    whole(word.strip_prefix(b"-").unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn numbers_are_those_of_json() {
        for word in [
            "0", "-0", "1", "10", "0.5", "-1.25e10", "1E-3", "1e+3", "0e0",
        ] {
            assert!(is_number(word.as_bytes()), "{word}");
        }
        for word in [
            "",
            "-",
            "+1",
            "01",
            "-01",
            "1.",
            ".5",
            "1e",
            "1e+",
            "1.e3",
            "0x1",
            "NaN",
            "Infinity",
            "-Infinity",
            "1_0",
            "1f",
        ] {
            assert!(!is_number(word.as_bytes()), "{word}");
        }
    }
}
