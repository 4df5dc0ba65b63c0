//! One number by itself, as the hot loop of features reads values.

use super::lanes::{BACK, Digits, REACH, VALUE_DIGITS, WINDOW, classes, convert};
use super::number::round;
use super::tokens::{convert_long, exponent};

/// The decimal at `at`, if it is of a usual shape and far enough from both ends of the text, and where
/// it ends. What it is followed by is for the caller to judge.
#[inline(always)]
pub(crate) fn number(text: &[u8], at: usize) -> Option<(f32, usize)> {
    let window = text.get(at.checked_sub(BACK)?..)?.first_chunk::<WINDOW>()?;
    let byte = |i: usize| window[BACK + i];
    let found = classes(window);
    // a separator past the window's reach stands for those not seen
    let ends = u64::from(found.separators) | 1 << REACH;
    let mut end = ends.trailing_zeros() as usize;
    let marks = u64::from(found.marks) & (ends & ends.wrapping_neg()).wrapping_sub(1);
    let sign = marks & 1;
    let marks = marks ^ sign;
    let point = (marks | ends).trailing_zeros() as usize; // the end if there is none
    let last_digit = end - usize::from(marks != 0);
    let after_point = last_digit.wrapping_sub(point);
    let digits = last_digit.wrapping_sub(sign as usize);
    let odd = digits.wrapping_sub(1) >= 2 * VALUE_DIGITS
        || end == REACH
        || marks & marks.wrapping_sub(1) != 0 // two marks after the sign
        || matches!(byte(0), b'.' | b'/') // the sign is none
        || matches!(byte(point), b'-' | b'/'); // the point is none
    if odd {
        return None;
    }
    let places = Digits {
        index: 0,
        value: digits,
        after_point,
        end: last_digit + 1,
    };
    let (_, mut value) = if digits <= VALUE_DIGITS {
        convert(window, places)
    } else {
        convert_long(window, places)?
    };
    if matches!(byte(end), b'e' | b'E') {
        let (ten, after) = exponent(window, end + 1)?;
        value *= ten;
        end = after;
        // not for `round`, or a longer exponent
        if value < f64::from(f32::MIN_POSITIVE) || byte(end).is_ascii_digit() {
            return None;
        }
    }
    let value = round(value)?;
    Some((
        f32::from_bits(value.to_bits() | (sign as u32) << 31),
        at + end,
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::number::value;
    use super::{BACK, WINDOW, number};

    fn embedded(word: &str) -> Option<(f32, usize)> {
        let text = format!("{}{word},{}", "7".repeat(BACK), "8".repeat(WINDOW));
        number(text.as_bytes(), BACK).map(|(value, end)| (value, end - BACK))
    }

    #[test]
    fn usual_shapes_are_read() {
        for word in [
            "0",
            "-0",
            "1",
            "-1",
            "5.",
            "0.5",
            "-12.345678",
            "123456789012345",
            "1e5",
            "2.5e-07",
            "0.12345678901234567",
            "1.000000000000000000e+00",
            "-1.234500000000000000e-01",
        ] {
            let exact: f32 = word.parse().expect("a number");
            let (found, end) = embedded(word).expect(word);
            assert_eq!(
                (found.to_bits(), end),
                (exact.to_bits(), word.len()),
                "{word}"
            );
        }
        assert_eq!(number(b"1,2,3", 0), None); // too near to the ends
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn what_is_read_is_right(
            word in prop_oneof![
                "-?[0-9]{1,3}(\\.[0-9]{0,8})?",
                "[-+]?[0-9]{0,18}\\.?[0-9]{0,20}([eE][-+]?[0-9]{0,3})?",
                "[-+./0-9eE]{0,12}",
                "[-+./0-9eE]{20,40}",
            ],
        ) {
            if let Some((found, end)) = embedded(&word) {
                let (exact, len) = value(word.as_bytes()).expect("a number");
                prop_assert_eq!((found.to_bits(), end), (exact.to_bits(), len));
            }
        }
    }
}
