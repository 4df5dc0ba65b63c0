//! What one field says: a number, a missing value, labels.

use crate::svmlight::number_at_start;

/// Why a field of a column of numbers has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadNumber {
    Missing,
    NotNumber,
    Range,
}

/// Without blanks at both ends.
pub(super) fn trim(mut field: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = field {
        field = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = field {
        field = rest;
    }
    field
}

/// Whether a field has no value.
pub(crate) fn is_missing(field: &[u8]) -> bool {
    matches!(
        field,
        b"" | b"?"
            | b"NA"
            | b"N/A"
            | b"n/a"
            | b"#N/A"
            | b"<NA>"
            | b"NaN"
            | b"nan"
            | b"null"
            | b"NULL"
            | b"None"
    )
}

/// What stands for a missing number or date beside what is missing everywhere, in any case. Elsewhere these are categories or labels, as `-` is beside
/// `+`, and `none` beside `some`.
const GAPS: [&str; 21] = [
    "-",
    "--",
    "---",
    "\u{2013}",
    "\u{2014}",
    ".",
    "na",
    "n/a",
    "n.a.",
    "#n/a",
    "<na>",
    "nan",
    "null",
    "(null)",
    "\\n",
    "nil",
    "none",
    "missing",
    "unknown",
    "not available",
    "not applicable",
];

/// Whether a field of a column of numbers or dates is missing.
pub(super) fn is_gap(field: &[u8]) -> bool {
    let is_word = |word: &&str| field.eq_ignore_ascii_case(word.as_bytes());
    is_missing(field) || GAPS.iter().any(is_word)
}

/// `true` or `false`, in any case.
fn truth(field: &[u8]) -> Option<bool> {
    if field.eq_ignore_ascii_case(b"true") {
        Some(true)
    } else {
        field.eq_ignore_ascii_case(b"false").then_some(false)
    }
}

/// A field as a number; true is 1 and false is 0.
pub(super) fn number(field: &[u8]) -> Result<f32, BadNumber> {
    let field = trim(field);
    match number_at_start(field) {
        Some((value, len)) if len == field.len() => {
            if value.is_finite() {
                Ok(value)
            } else {
                Err(BadNumber::Range)
            }
        }
        _ if is_gap(field) => Err(BadNumber::Missing),
        _ => truth(field).map(f32::from).ok_or(BadNumber::NotNumber),
    }
}

/// Whether a field is meant as a number, be it one that is refused: too large, infinite, not a number.
/// `true` and `false` count as numbers.
pub(super) fn is_numeric(field: &[u8]) -> bool {
    let field = trim(field);
    if number_at_start(field).is_some_and(|(_, len)| len == field.len()) {
        return true;
    }
    let unsigned = match field {
        [b'+' | b'-', rest @ ..] => rest,
        _ => field,
    };
    let words = ["inf", "infinity", "nan"];
    let is = |word: &str| unsigned.eq_ignore_ascii_case(word.as_bytes());
    truth(field).is_some() || words.into_iter().any(is)
}

/// The labels in a field: none if it is a missing value, one, or several separated by commas.
pub(super) fn labels(field: &[u8]) -> impl Iterator<Item = &[u8]> {
    let field = trim(field);
    let some = !is_missing(field);
    field.split(|&b| b == b',').map(trim).filter(move |_| some)
}

/// The first byte that is not UTF-8, and where it is.
pub(super) fn not_utf8(field: &[u8]) -> Option<(usize, u8)> {
    let valid = std::str::from_utf8(field).err()?.valid_up_to();
    Some((valid, field[valid]))
}

#[cfg(test)]
mod tests {
    use super::{BadNumber, is_numeric, labels, number};

    #[test]
    fn numbers_are_finite_decimals() {
        for (field, expected) in [
            ("1", Ok(1.0)),
            (" -2.5e1\t", Ok(-25.0)),
            ("+.5", Ok(0.5)),
            ("1e-60", Ok(0.0)),
            ("true", Ok(1.0)),
            (" TRUE ", Ok(1.0)),
            ("False", Ok(0.0)),
            ("truest", Err(BadNumber::NotNumber)),
            ("+true", Err(BadNumber::NotNumber)),
            ("3.5e38", Err(BadNumber::Range)),
            ("-1e400", Err(BadNumber::Range)),
            ("", Err(BadNumber::Missing)),
            (" NA ", Err(BadNumber::Missing)),
            ("None", Err(BadNumber::Missing)),
            ("na", Err(BadNumber::Missing)),
            ("NAN", Err(BadNumber::Missing)),
            ("Unknown", Err(BadNumber::Missing)),
            ("not available", Err(BadNumber::Missing)),
            (" \u{2014} ", Err(BadNumber::Missing)),
            ("\\N", Err(BadNumber::Missing)),
            (".", Err(BadNumber::Missing)),
            ("unknowns", Err(BadNumber::NotNumber)),
            ("inf", Err(BadNumber::NotNumber)),
            ("0x10", Err(BadNumber::NotNumber)),
            ("1,5", Err(BadNumber::NotNumber)),
            ("1 2", Err(BadNumber::NotNumber)),
            ("1\r", Err(BadNumber::NotNumber)),
        ] {
            assert_eq!(number(field.as_bytes()), expected, "{field}");
        }
    }

    #[test]
    fn what_is_meant_as_a_number_is_one() {
        for field in [
            "1",
            " 2.5 ",
            "1e999",
            "inf",
            "-Infinity",
            "NAN",
            "+inf",
            "True",
        ] {
            assert!(is_numeric(field.as_bytes()), "{field}");
        }
        for field in ["", "?", "red", "-true", "1x", "0x10", "2024-01-02", "info"] {
            assert!(!is_numeric(field.as_bytes()), "{field}");
        }
    }

    #[test]
    fn labels_are_separated_by_commas() {
        for (field, expected) in [
            ("", &[][..]),
            (" ? ", &[]),
            ("NA", &[]),
            ("n/a", &[]),
            (" NaN ", &[]),
            ("nano", &["nano"]),
            (" 1 ", &["1"]),
            ("a, b,c", &["a", "b", "c"]),
            ("a,", &["a", ""]),
        ] {
            let found: Vec<_> = labels(field.as_bytes())
                .map(String::from_utf8_lossy)
                .collect();
            assert_eq!(found, expected, "{field}");
        }
    }
}
