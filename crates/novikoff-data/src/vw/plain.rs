//! The hot loop: plain features one after another.
//!
//! Words are looked at eight bytes at a time, and the full name of a feature is put together in
//! registers: namespace, `^` and name are seldom more than 15 bytes, and hardly ever more than 31.
//! Anything unusual - and anything wrong - is left to the caller.

use novikoff::names::PackedName;

use super::stage::Stage;
use crate::svmlight::{BACK, WINDOW, usual_value};

/// How many bytes before a name are read: as many as may have to be replaced by a namespace.
const BEFORE: usize = 32;
/// A feature's surroundings: those bytes, name and colon, the rest of a value's window.
const SIGHT: usize = BEFORE + 32 + WINDOW - BACK;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// Which of eight bytes no plain word has - blanks and control bytes, bars and colons, and all that
/// is not ASCII: the high bit of each says so.
#[inline(always)]
fn stops(bytes: u64) -> u64 {
    // in each byte, the high bit of a sum says whether the byte was large enough
    let low = bytes & !HIGH;
    let no_blank = low + u64::from(0x80 - (b' ' + 1)) * ONES;
    let no_colon = (low ^ (u64::from(b':') * ONES)) + !HIGH;
    let no_bar = (low ^ (u64::from(b'|') * ONES)) + !HIGH;
    let past_ascii = (low + ONES) | bytes;
    (!(no_blank & no_colon & no_bar) | past_ascii) & HIGH
}

/// How long the plain word is that `text` begins with.
pub(super) fn plain_len(text: &[u8]) -> usize {
    let mut len = 0;
    let (chunks, rest) = text.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    for &chunk in chunks.iter().chain([&last]) {
        let stops = stops(u64::from_le_bytes(chunk));
        len += stops.trailing_zeros() as usize / 8;
        if stops != 0 {
            break;
        }
    }
    len
}

/// The first `n` bytes of four numbers.
static FIRST: [[u64; 4]; 32] = {
    let mut first = [[0; 4]; 32];
    let mut n = 0;
    while n < 32 {
        let mut byte = 0;
        while byte < n {
            first[n][byte / 8] |= 0xff << (8 * (byte % 8));
            byte += 1;
        }
        n += 1;
    }
    first
};

/// What the current namespace does to names and values.
pub(super) struct Namespace {
    /// What names begin with: the namespace and `^`.
    pub(super) prefix: Vec<u8>,
    /// Its first bytes as numbers.
    words: [u64; 4],
    /// What values are multiplied by.
    pub(super) scale: f64,
}

impl Namespace {
    pub(super) fn new() -> Self {
        Namespace {
            prefix: Vec::new(),
            words: [0; 4],
            scale: 1.0,
        }
    }

    /// Makes it the namespace of this name.
    pub(super) fn enter(&mut self, name: &[u8], scale: f64) {
        self.scale = scale;
        if matches!(self.prefix.split_last(), Some((_, now)) if now == name) {
            return;
        }
        self.prefix.clear();
        if !name.is_empty() {
            self.prefix.extend_from_slice(name);
            self.prefix.push(b'^');
        }
        self.words = [0; 4];
        for (k, &byte) in self.prefix.iter().take(PackedName::MOST).enumerate() {
            self.words[k / 8] |= u64::from(byte) << (8 * (k % 8));
        }
    }

    pub(super) fn scaled(&self, value: f32) -> f32 {
        (f64::from(value) * self.scale) as f32
    }
}

/// Reads features from `at` on, where no other word goes before it, until the stage is full or the
/// line ends or there is something else than a plain feature; says where that is.
#[inline(never)] // its own register allocation
pub(super) fn read(text: &[u8], at: usize, space: &Namespace, stage: &mut Stage) -> usize {
    let prefix = space.prefix.len();
    let from = at.checked_sub(BEFORE);
    let (Some(from), Some(replaced)) = (from, FIRST.get(prefix)) else {
        return at;
    };
    let mut rest = &text[from..];
    while !stage.is_full() {
        let Some(window) = rest.first_chunk::<SIGHT>() else {
            break;
        };
        let eight = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&window[at..at + 8]);
            u64::from_le_bytes(bytes)
        };
        let mut len = 0;
        let mut found = stops(eight(BEFORE));
        while found == 0 && len < 24 {
            len += 8;
            found = stops(eight(BEFORE + len));
        }
        len += found.trailing_zeros() as usize / 8;
        let full_len = prefix + len;
        if len == 0 || full_len > PackedName::MOST {
            break;
        }
        let (mut value, mut end) = (1.0, len);
        if window[BEFORE + len] == b':' {
            let Some(around) = window[BEFORE - BACK + len + 1..].first_chunk() else {
                break;
            };
            let Some((read, value_len)) = usual_value(around) else {
                break;
            };
            (value, end) = (read, len + 1 + value_len);
        }
        if space.scale != 1.0 {
            value = space.scaled(value);
            if !value.is_finite() {
                break;
            }
        }
        let after = window[BEFORE + end];
        let blank = matches!(after, b' ' | b'\t');
        if !blank && !matches!(after, b'\n' | b'|') {
            break;
        }
        let word = |k: usize| {
            let kept = FIRST[full_len][k] & !replaced[k];
            eight(BEFORE - prefix + 8 * k) & kept | space.words[k]
        };
        let words = if full_len <= PackedName::MOST_IN_TWO {
            [word(0), word(1), 0, 0]
        } else {
            [word(0), word(1), word(2), word(3)]
        };
        let Some(name) = PackedName::new(words, full_len) else {
            break;
        };
        stage.push(name, value);
        rest = &rest[end + usize::from(blank)..];
        if !blank {
            break;
        }
    }
    text.len() - rest.len() + BEFORE
}

#[cfg(test)]
mod tests {
    use novikoff::names::Names;
    use proptest::prelude::*;

    use super::{BACK, Namespace, WINDOW, plain_len, read};
    use crate::draft::Draft;
    use crate::svmlight::{usual_value, value_number};
    use crate::vw::stage::Stage;

    proptest! {
        #[test]
        fn plain_words_end_at_the_first_stop(
            mut text in prop::collection::vec(b'!'..=b'9', 0..40),
            at in 0..40_usize,
            odd in any::<[u8; 2]>(),
        ) {
            for (place, odd) in text.iter_mut().skip(at).zip(odd) {
                *place = odd;
            }
            let stops = |byte: &u8| matches!(byte, 0..=b' ' | b':' | b'|' | 0x7f..);
            let obvious = text.iter().position(stops).unwrap_or(text.len());
            prop_assert_eq!(plain_len(&text), obvious);
        }

        #[test]
        fn usual_values_are_what_they_are_with_care(
            text in prop_oneof![
                "[-+]?[0-9]{0,9}(\\.[0-9]{0,9})?(e[-+]?[0-9]{0,3})?",
                "[-+./e0-9]{0,20}",
            ],
            after in " |\n|\\||x|:",
        ) {
            let mut window = [b'7'; WINDOW];
            let end = BACK + text.len();
            window[BACK..end].copy_from_slice(text.as_bytes());
            window[end..end + after.len()].copy_from_slice(after.as_bytes());
            // what is read in part is seen by what follows
            if let Some((value, len)) = usual_value(&window).filter(|&(_, len)| len == text.len()) {
                let (expected, expected_len) = value_number(text.as_bytes()).expect("a value");
                prop_assert_eq!((value.to_bits(), len), (expected.to_bits(), expected_len));
            }
        }
    }

    #[test]
    fn the_usual_is_read_without_help() {
        let line = b"................................a:1 bc:-2.5 d e:1e-3 abcdefgh:7 f\tg:12345678|h i:1\n";
        let text = [&line[..], &[b'7'; 100]].concat();
        for space in ["", "f", "a_namespace_that_is_long"] {
            let (mut current, mut stage) = (Namespace::new(), Stage::new());
            current.enter(space.as_bytes(), 1.0);
            let end = read(&text, 32, &current, &mut stage);
            let too_long = space.len() > 20;
            let stop = if too_long {
                b"abcdefgh".as_slice()
            } else {
                b"|h"
            };
            assert!(text[end..].starts_with(stop), "{space}");
            let (names, mut draft) = (Names::new(), Draft::default());
            stage.unload(&names, &mut draft);
            draft.end_row(0);
            assert_eq!(draft.rows.values(), if too_long { 4 } else { 7 });
        }
    }
}
