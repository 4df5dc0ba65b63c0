//! Labels that are one word of a line, as svmlight and VW text have them.

use crate::svmlight::{label_number, number_at_start};

/// The number that a word is as a label, NaN if it is none; or nothing if the word cannot be a label.
///
/// A label is a finite decimal, or any other text without colons, commas, control bytes and byte order marks that is not `?`. What is
/// meant as a number but is not finite is no label.
pub(crate) fn read(word: &[u8]) -> Option<f64> {
    if let Some(number) = label_number(word) {
        return Some(number);
    }
    let text = std::str::from_utf8(word).ok()?;
    let is_plain = |b: u8| !matches!(b, b':' | b',') && !b.is_ascii_control();
    let is_word = !text.is_empty() && text != "?" && text.bytes().all(is_plain);
    let is_word = is_word && !text.contains('\u{feff}');
    (is_word && !is_meant_as_number(text)).then_some(f64::NAN)
}

/// Whether a label can be written where blanks and these bytes end or mean something else.
pub(crate) fn can_stand(label: &[u8], taken: &[u8]) -> bool {
    read(label).is_some()
        && !label
            .iter()
            .any(|b| b" \t".contains(b) || taken.contains(b))
}

/// A number that is infinite or not one.
fn is_meant_as_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is = |word: &str| unsigned.eq_ignore_ascii_case(word);
    let decimal = number_at_start(text.as_bytes()).is_some_and(|(_, len)| len == text.len());
    decimal || ["inf", "infinity", "nan"].into_iter().any(is)
}

#[cfg(test)]
mod tests {
    use super::{can_stand, read};

    #[test]
    fn a_label_is_a_finite_number_or_a_word() {
        assert_eq!(read(b"-1.5e1"), Some(-15.0));
        for word in [
            "spam",
            "not-spam",
            "1.2.3",
            "0x10",
            "true",
            "caf\u{e9}",
            "a|b",
            "infinite",
            "-",
        ] {
            assert!(read(word.as_bytes()).is_some_and(f64::is_nan), "{word}");
        }
        for word in [
            "",
            "?",
            "a:1",
            "a,b",
            "nan",
            "-NaN",
            "inf",
            "+Infinity",
            "1e999",
            "a\u{1}",
            "\u{feff}1",
        ] {
            assert_eq!(read(word.as_bytes()), None, "{word}");
        }
        assert_eq!(read(b"a\xff"), None);
    }

    #[test]
    fn a_label_is_written_if_it_is_read_back() {
        assert!(can_stand(b"spam", b"#") && can_stand(b"a|b", b"#"));
        assert!(!can_stand(b"a|b", b"|") && !can_stand(b"not spam", b"#") && !can_stand(b"", b"#"));
    }
}
