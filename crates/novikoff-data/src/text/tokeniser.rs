//! Text cut into words.

use memchr::memmem;

use super::characters::is_word;

/// Finds the words of texts; its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct Tokeniser {
    /// Words in lower case, each with a space behind it.
    text: Vec<u8>,
    /// Where each begins and ends.
    spans: Vec<(usize, usize)>,
    /// The name of a feature: its column and a mark, then the words.
    name: Vec<u8>,
}

/// Which bytes are word characters by themselves.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        plain[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    plain
};

impl Tokeniser {
    /// Calls `feature` with the name of each n-gram of a text, one-word names first, each length in the order of the text.
    pub(crate) fn each(
        &mut self,
        column: &str,
        text: &str,
        (least, most): (u8, u8),
        mut feature: impl FnMut(&[u8]),
    ) {
        self.cut(text);
        self.begin(column);
        let prefix = self.name.len();
        for length in usize::from(least)..=usize::from(most) {
            for run in self.spans.windows(length) {
                let (start, end) = (run[0].0, run[length - 1].1);
                self.name.truncate(prefix);
                self.name.extend_from_slice(&self.text[start..end]);
                feature(&self.name);
            }
        }
    }

    /// The name of the feature of a word that is taken as it is.
    pub(crate) fn one(&mut self, column: &str, word: &[u8]) -> &[u8] {
        self.begin(column);
        self.name.extend_from_slice(word);
        &self.name
    }

    fn begin(&mut self, column: &str) {
        self.name.clear();
        self.name.extend_from_slice(column.as_bytes());
        self.name.push(b'^');
    }

    /// Finds the words of a text.
    fn cut(&mut self, text: &str) {
        // a capital sigma at the end of a word has a lower case of its own, which depends on what stands around it
        let is_ascii = text.is_ascii();
        if !is_ascii && memmem::find(text.as_bytes(), "\u{3a3}".as_bytes()).is_some() {
            self.cut_plain(&text.to_lowercase());
        } else {
            self.cut_plain(text);
        }
    }

    fn cut_plain(&mut self, text: &str) {
        self.text.clear();
        self.spans.clear();
        let bytes = text.as_bytes();
        let (mut at, mut start, mut chars) = (0, 0, 0);
        while at < bytes.len() {
            let rest = &bytes[at..];
            let plain = rest.iter().position(|&byte| !PLAIN[usize::from(byte)]);
            let plain = plain.unwrap_or(rest.len());
            if plain > 0 {
                let from = self.text.len();
                self.text.extend_from_slice(&rest[..plain]);
                self.text[from..].make_ascii_lowercase();
                chars += plain;
                at += plain;
            }
            match text[at..].chars().next() {
                None => {}
                Some(c) if c.is_ascii() => {
                    start = self.end_word(start, &mut chars);
                    at += 1;
                }
                Some(c) => {
                    for lower in c.to_lowercase() {
                        if is_word(lower) {
                            let mut utf8 = [0; 4];
                            let utf8 = lower.encode_utf8(&mut utf8);
                            self.text.extend_from_slice(utf8.as_bytes());
                            chars += 1;
                        } else {
                            start = self.end_word(start, &mut chars);
                        }
                    }
                    at += c.len_utf8();
                }
            }
        }
        self.end_word(start, &mut chars);
    }

    /// Ends the word that begins at `start`, and says where the next one does.
    fn end_word(&mut self, start: usize, chars: &mut usize) -> usize {
        if *chars >= 2 {
            self.spans.push((start, self.text.len()));
            self.text.push(b' ');
        } else {
            self.text.truncate(start);
        }
        *chars = 0;
        self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Tokeniser, is_word};

    fn words(text: &str, lengths: (u8, u8)) -> Vec<String> {
        let mut found = Vec::new();
        Tokeniser::default().each("c", text, lengths, |name| {
            found.push(String::from_utf8_lossy(name).into_owned());
        });
        found
    }

    #[test]
    fn words_are_runs_of_two_or_more_word_characters() {
        for (text, expected) in [
            ("", &[][..]),
            ("a b c", &[]),
            ("Free MONEY now!!", &["c^free", "c^money", "c^now"]),
            (
                "don't re-use x1_y 42",
                &["c^don", "c^re", "c^use", "c^x1_y", "c^42"],
            ),
            ("na\u{ef}ve \u{c9}COLE", &["c^na\u{ef}ve", "c^\u{e9}cole"]),
            ("\u{c9} \u{c9}t", &["c^\u{e9}t"]),
            ("\u{4e2d}\u{6587}\u{3002}\u{6587}", &["c^\u{4e2d}\u{6587}"]),
            // lower case of a dotted capital i is i and a combining dot, which is part of no word
            ("\u{130}stanbul", &["c^stanbul"]),
            (
                "\u{39f}\u{394}\u{39f}\u{3a3} \u{3a3}\u{391}",
                &["c^\u{3bf}\u{3b4}\u{3bf}\u{3c2}", "c^\u{3c3}\u{3b1}"],
            ),
            // vowel signs are combining marks
            ("\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}", &[]),
            ("x\u{301}yz", &["c^yz"]),
        ] {
            assert_eq!(words(text, (1, 1)), expected, "{text}");
        }
    }

    #[test]
    fn ngrams_are_joined_by_one_space() {
        assert_eq!(
            words("Buy, a  cheap\tPILL", (1, 2)),
            ["c^buy", "c^cheap", "c^pill", "c^buy cheap", "c^cheap pill"]
        );
        assert_eq!(words("buy cheap pill", (3, 3)), ["c^buy cheap pill"]);
        assert!(words("buy cheap pill", (4, 5)).is_empty());
    }

    proptest! {
        #[test]
        fn words_are_those_of_the_definition(text in "[a-cA-C0-9_ .,'\u{e0}-\u{f0}\u{c0}-\u{d0}\u{300}-\u{310}\u{3a0}-\u{3b0}\u{130}]{0,40}") {
            let lower = text.to_lowercase();
            let runs = lower.split(|c| !is_word(c));
            let expected: Vec<String> = runs
                .filter(|run| run.chars().count() >= 2)
                .map(|run| format!("c^{run}"))
                .collect();
            prop_assert_eq!(words(&text, (1, 1)), expected);
        }
    }
}
