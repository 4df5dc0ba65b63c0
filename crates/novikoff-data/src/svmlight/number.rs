//! Decimals, correctly rounded to `f32`.
//!
//! A decimal of up to 19 digits is first computed in `f64`, a few units in the last place (ulps) off.
//! That decides the `f32` unless it lies that near to the midpoint of two of them, which is rare;
//! such decimals and all unusual ones go to `fast_float2`, which is always right.

/// How many ulps an `f64` on its way to an `f32` may be off. Each rounding is worth at most one; a sum
/// of two products of digits and rounded powers takes six at most, an exponent two more.
pub(super) const SLACK: u32 = 16;
/// An `f32` has 29 bits less than an `f64`; the midpoint of two has the first of these set and no other.
pub(super) const MIDPOINT: u32 = 1 << 28;

/// `x` as an `f32`, unless the rounding hangs on its last bits. `x` must be zero or above the
/// subnormal numbers of `f32`; what is too large becomes infinite.
#[inline(always)]
pub(super) fn round(x: f64) -> Option<f32> {
    let rest = x.to_bits() as u32 & ((1 << 29) - 1);
    (rest.wrapping_sub(MIDPOINT - SLACK) >= 2 * SLACK).then_some(x as f32)
}

/// `10^k`, rounded once.
#[inline]
pub(super) fn ten_to(k: i32) -> Option<f64> {
    const MOST: i32 = 22;
    const POWERS: [f64; 2 * MOST as usize + 1] = [
        1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10,
        1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6,
        1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
        1e22,
    ];
    POWERS.get(usize::try_from(k + MOST).ok()?).copied()
}

/// A decimal taken apart: `sign? digits [. digits] [e sign? digits]`, at least one digit in front.
struct Decimal {
    negative: bool,
    /// The digits as one number, if they are not `long`.
    digits: u64,
    /// More than 19 digits count.
    long: bool,
    /// The power of ten that the last digit stands for.
    power: i64,
    /// How many bytes it takes.
    len: usize,
}

impl Decimal {
    /// The longest decimal that `text` begins with.
    fn read(text: &[u8]) -> Option<Self> {
        let digit = |at: usize| {
            text.get(at)
                .filter(|b| b.is_ascii_digit())
                .map(|b| b - b'0')
        };
        let mut at = usize::from(matches!(text.first(), Some(b'+' | b'-')));
        let (mut digits, mut counted, mut seen) = (0_u64, 0_usize, 0_usize);
        let mut run = |mut at: usize| {
            while let Some(d) = digit(at) {
                digits = digits.wrapping_mul(10).wrapping_add(u64::from(d));
                counted += usize::from(counted > 0 || d > 0); // leading zeros do not count
                seen += 1;
                at += 1;
            }
            at
        };
        at = run(at);
        let mut power = 0;
        if text.get(at) == Some(&b'.') {
            let end = run(at + 1);
            power = -i64::try_from(end - at - 1).ok()?;
            at = end;
        }
        if seen == 0 {
            return None;
        }
        if let Some(b'e' | b'E') = text.get(at) {
            let negative = text.get(at + 1) == Some(&b'-');
            let mut end = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
            digit(end)?;
            let mut exponent = 0_i64;
            while let Some(d) = digit(end) {
                exponent = exponent.saturating_mul(10).saturating_add(i64::from(d));
                end += 1;
            }
            power = power.saturating_add(if negative { -exponent } else { exponent });
            at = end;
        }
        let negative = text.first() == Some(&b'-');
        Some(Decimal {
            negative,
            digits,
            long: counted > 19,
            power,
            len: at,
        })
    }
}

/// The decimal that `text` begins with, and its length. Infinite if `f32` cannot hold it; what is too
/// small becomes zero.
pub(crate) fn value(text: &[u8]) -> Option<(f32, usize)> {
    let decimal = Decimal::read(text)?;
    let value = short(&decimal).or_else(|| fast_float2::parse(&text[..decimal.len]).ok())?;
    Some((value, decimal.len))
}

/// By way of `f64`, if the digits and the power of ten allow it: zero, or 1e-22 and more.
fn short(decimal: &Decimal) -> Option<f32> {
    if decimal.long {
        return None;
    }
    let x = decimal.digits as f64 * ten_to(i32::try_from(decimal.power).ok()?)?;
    Some(if decimal.negative {
        -round(x)?
    } else {
        round(x)?
    })
}

/// A digit, or a sign and a digit.
pub(crate) fn small(text: &[u8]) -> Option<f64> {
    match text {
        [digit @ b'0'..=b'9'] | [b'+', digit @ b'0'..=b'9'] => Some(f64::from(digit - b'0')),
        [b'-', digit @ b'0'..=b'9'] => Some(-f64::from(digit - b'0')),
        _ => None,
    }
}

/// All of `text` as a finite decimal.
pub(crate) fn label(text: &[u8]) -> Option<f64> {
    if Decimal::read(text)?.len != text.len() {
        return None;
    }
    fast_float2::parse::<f64, _>(text)
        .ok()
        .filter(|number| number.is_finite())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{label, value};

    #[test]
    fn values_are_what_str_parse_says() {
        for text in [
            "0",
            "-0",
            "1",
            "+1",
            "1.",
            ".5",
            "-.5e1",
            "16777217",
            "16777219",
            "0.1",
            "1e-45",
            "7.0e-46",
            "7.1e-46",
            "1e-400",
            "3.4028235e38",
            "3.4028236e38",
            "3.4028235677973366e38",
            "1e400",
            "1e38",
            "1e-38",
            "1.17549435e-38",
            "123456789012345678901234567890",
            "18446744073709551616",
            "0.000018446744073709551616",
            "-36893488147419103232e1",
            "0e999999",
            "0.000000000000000000000000000000000001",
            "1e99999999999999999999",
            "00000000000000000001",
            "1e-99999999999999999999",
            "9007199791611905",
            "0.30000001192092896",
            "8388609.5",
        ] {
            let (found, len) = value(text.as_bytes()).unwrap();
            assert_eq!(len, text.len(), "{text}");
            assert_eq!(
                found.to_bits(),
                text.parse::<f32>().unwrap().to_bits(),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_decimal_is_none() {
        for text in [
            "", "+", "-", ".", "e5", "-.e1", "nan", "inf", "--1", "1e", "1e+", "x",
        ] {
            assert_eq!(value(text.as_bytes()), None, "{text}");
            assert_eq!(label(text.as_bytes()), None, "{text}");
        }
        for text in ["1x", "0x10", "1.5.5", "1 ", "1e400", "1,2"] {
            assert_eq!(label(text.as_bytes()), None, "{text}");
        }
        assert_eq!(value(b"0x10"), Some((0.0, 1)));
    }

    #[test]
    fn labels_are_exact() {
        for text in [
            "1",
            "+1",
            "-1",
            "0",
            "-0",
            "12",
            "-3.25",
            "1e3",
            "0.1",
            "123456789.123456789",
        ] {
            let exact: f64 = text.parse().unwrap();
            assert_eq!(
                label(text.as_bytes()).unwrap().to_bits(),
                exact.to_bits(),
                "{text}"
            );
        }
    }
}
