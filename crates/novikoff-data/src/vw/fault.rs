//! What is wrong with a line, and where.

use super::VwProblem;
use crate::error::{LineProblem, Token};

/// What is wrong, and at which byte of the block.
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: LineProblem,
}

/// A bad word, and what is to be said about it.
pub(super) fn bad<P: Into<LineProblem>>(
    at: usize,
    word: &[u8],
    problem: impl FnOnce(Token) -> P,
) -> Fault {
    Fault {
        at,
        problem: problem(Token::new(word)).into(),
    }
}

/// Refuses a word, which stands at `at`, that is not text.
pub(super) fn check_text(at: usize, word: &[u8]) -> Result<(), Fault> {
    match not_text(word) {
        None => Ok(()),
        Some(i) => Err(bad(at + i, word, |token| VwProblem::NotText {
            byte: word[i],
            token,
        })),
    }
}

/// The first byte of a word that is no text: a control byte, or not UTF-8.
fn not_text(word: &[u8]) -> Option<usize> {
    let valid = word
        .utf8_chunks()
        .next()
        .map_or(0, |chunk| chunk.valid().len());
    let control = word[..valid].iter().position(u8::is_ascii_control);
    control.or((valid < word.len()).then_some(valid))
}

#[cfg(test)]
mod tests {
    use super::not_text;

    #[test]
    fn text_is_utf8_without_control_bytes() {
        assert_eq!(not_text("caf\u{e9}".as_bytes()), None);
        assert_eq!(not_text(b""), None);
        assert_eq!(not_text(b"a\xffb\x01"), Some(1));
        assert_eq!(not_text(b"a\x01\xff"), Some(1));
        assert_eq!(not_text(b"ab\x7f"), Some(2));
        assert_eq!(not_text(b"ab\xc3"), Some(2));
    }
}
