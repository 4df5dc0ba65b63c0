//! Bytes side by side: where the digits of a window end, and what they are worth.
//!
//! The only `unsafe` of the readers. SSE2 is part of every x86-64, so nothing is asked of the
//! machine; measured against the best safe form (eight bytes at a time in a `u64`) it reads
//! `index:value` tokens 1.5 times as fast. Other machines take the portable form, which gives the
//! same bits and is tested against this one.

/// How many bytes before the token a window shows; they are read, never looked at.
pub(crate) const BACK: usize = 16;
/// How many bytes from the token's start are searched for its end.
pub(super) const REACH: usize = 32;
/// A token's surroundings.
pub(crate) const WINDOW: usize = BACK + REACH + 8;

/// The most digits an index and a value may have here.
pub(super) const INDEX_DIGITS: usize = 8;
pub(super) const VALUE_DIGITS: usize = 15;

/// `10^(8-f)` and `10^-f`: what the first and the last eight of 16 digits are worth when `f` of them
/// follow the point. Each is rounded once.
const WORTH: [[f64; 2]; VALUE_DIGITS + 1] = [
    [1e8, 1e0],
    [1e7, 1e-1],
    [1e6, 1e-2],
    [1e5, 1e-3],
    [1e4, 1e-4],
    [1e3, 1e-5],
    [1e2, 1e-6],
    [1e1, 1e-7],
    [1e0, 1e-8],
    [1e-1, 1e-9],
    [1e-2, 1e-10],
    [1e-3, 1e-11],
    [1e-4, 1e-12],
    [1e-5, 1e-13],
    [1e-6, 1e-14],
    [1e-7, 1e-15],
];

/// Bits 0..32, one per byte from the token's start on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteClasses {
    /// Neither a digit nor one of `- . /`.
    pub(super) separators: u32,
    /// One of `- . /`, neighbours of the digits in ASCII.
    pub(super) marks: u32,
}

/// Where a token's digits are, counted from its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digits {
    /// The index is the bytes `0..index`: at most [`INDEX_DIGITS`].
    pub(super) index: usize,
    /// How many digits the value has, at most [`VALUE_DIGITS`].
    pub(super) value: usize,
    /// How many of them follow the point.
    pub(super) after_point: usize,
    /// One past the byte after the value, as if a value without a point had one at its end.
    pub(super) end: usize,
}

#[cfg(target_arch = "x86_64")]
pub(super) use sse2::{classes, convert};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use portable::{classes, convert};

/// `[from; 16]`, then `[to; 16]`: 16 bytes at `k` are `from` except for the last `k`.
const fn slide(from: u8, to: u8) -> [u8; 32] {
    let mut bytes = [from; 32];
    let mut i = 16;
    while i < 32 {
        bytes[i] = to;
        i += 1;
    }
    bytes
}

static LAST: [u8; 32] = slide(0, 0xff);

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_add_sd, _mm_and_si128, _mm_andnot_si128, _mm_cmpgt_epi8,
        _mm_cvtepi32_pd, _mm_cvtsd_f64, _mm_cvtsi128_si32, _mm_loadl_epi64, _mm_loadu_si128,
        _mm_madd_epi16, _mm_movemask_epi8, _mm_mul_pd, _mm_mullo_epi16, _mm_or_si128,
        _mm_packs_epi32, _mm_set_pd, _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32,
        _mm_shuffle_epi32, _mm_srli_epi16, _mm_subs_epu8, _mm_unpackhi_pd,
    };

    use super::{BACK, ByteClasses, Digits, LAST, WINDOW, WORTH, slide};

    /// What to take off, saturating, to keep the last `k` digits and make zeros of all else.
    static ZEROS: [u8; 32] = slide(0xff, b'0');

    #[inline(always)]
    fn sixteen(bytes: &[u8], at: usize) -> __m128i {
        let bytes: &[u8; 16] = bytes[at..].first_chunk().expect(IN_WINDOW);
        // SAFETY: the reference is to 16 readable bytes; the load asks for no alignment.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn eight(bytes: &[u8], at: usize) -> __m128i {
        let bytes: &[u8; 8] = bytes[at..].first_chunk().expect(IN_WINDOW);
        // SAFETY: the reference is to 8 readable bytes; the load asks for no alignment.
        unsafe { _mm_loadl_epi64(bytes.as_ptr().cast()) }
    }

    const IN_WINDOW: &str = "positions were checked to lie in the window";

    #[inline(always)]
    pub(in super::super) fn classes(window: &[u8; WINDOW]) -> ByteClasses {
        // SAFETY: the intrinsics need SSE2, which is part of x86-64.
        unsafe {
            // '9' becomes the highest signed byte, so that one comparison finds a range
            let up = _mm_set1_epi8(0x7f - b'9'.cast_signed());
            let a = _mm_add_epi8(sixteen(window, BACK), up);
            let b = _mm_add_epi8(sixteen(window, BACK + 16), up);
            let from = |first: u8| {
                let below = _mm_set1_epi8((first - 1).cast_signed() + (0x7f - b'9'.cast_signed()));
                let bits = |bytes| _mm_movemask_epi8(_mm_cmpgt_epi8(bytes, below)).cast_unsigned();
                bits(a) | bits(b) << 16
            };
            let (digits, words) = (from(b'0'), from(b'-'));
            ByteClasses {
                separators: !words,
                marks: words ^ digits,
            }
        }
    }

    #[inline(always)]
    pub(in super::super) fn convert(window: &[u8; WINDOW], digits: Digits) -> (u32, f64) {
        // SAFETY: the intrinsics need SSE2, which is part of x86-64.
        unsafe {
            // the digits after the point, and those before it moved up by one byte
            let after = sixteen(&LAST, digits.after_point);
            let value = _mm_or_si128(
                _mm_and_si128(after, sixteen(window, digits.end)),
                _mm_andnot_si128(after, sixteen(window, digits.end - 1)),
            );
            let pairs = |bytes, zeros| {
                let ones = _mm_subs_epu8(bytes, zeros);
                // low byte * 10 + high byte, in each 16 bits
                _mm_srli_epi16(_mm_mullo_epi16(ones, _mm_set1_epi16(0x0a01)), 8)
            };
            let fours = |pairs| _mm_madd_epi16(pairs, _mm_set1_epi32(100 + (1 << 16)));
            let value = fours(pairs(value, sixteen(&ZEROS, digits.value)));
            let index = fours(pairs(
                eight(window, BACK - 8 + digits.index),
                eight(&ZEROS, 8 + digits.index),
            ));
            let eights = _mm_madd_epi16(
                _mm_packs_epi32(value, index),
                _mm_set1_epi32(10_000 + (1 << 16)),
            );
            let index = _mm_cvtsi128_si32(_mm_shuffle_epi32(eights, 0b10)).cast_unsigned();
            let [first, last] = WORTH[digits.after_point];
            let parts = _mm_mul_pd(_mm_cvtepi32_pd(eights), _mm_set_pd(last, first));
            (
                index,
                _mm_cvtsd_f64(_mm_add_sd(parts, _mm_unpackhi_pd(parts, parts))),
            )
        }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::{BACK, ByteClasses, Digits, LAST, REACH, WINDOW, WORTH};

    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    const ZEROS: u128 = 0x3030_3030_3030_3030_3030_3030_3030_3030;

    pub(in super::super) fn classes(window: &[u8; WINDOW]) -> ByteClasses {
        let (mut digits, mut words) = (0, 0);
        let (chunks, _) = window[BACK..BACK + REACH].as_chunks::<8>();
        for (i, &chunk) in chunks.iter().enumerate() {
            let bytes = u64::from_le_bytes(chunk);
            let low = bytes & !HIGH;
            // high bit of each byte: is it at least this?
            let at_least = |first: u8| low + u64::from(0x80 - first) * ONES;
            let past = at_least(b'9' + 1) | bytes;
            let bits = |marked: u64| {
                (((marked & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
            };
            digits |= bits(at_least(b'0') & !past) << (8 * i);
            words |= bits(at_least(b'-') & !past) << (8 * i);
        }
        ByteClasses {
            separators: !words,
            marks: words ^ digits,
        }
    }

    pub(in super::super) fn convert(window: &[u8; WINDOW], digits: Digits) -> (u32, f64) {
        let after = sixteen(&LAST, digits.after_point);
        let value = sixteen(window, digits.end) & after | sixteen(window, digits.end - 1) & !after;
        let value = (value ^ ZEROS) & sixteen(&LAST, digits.value);
        let index = sixteen(window, BACK - 16 + digits.index);
        let index = (index ^ ZEROS) & sixteen(&LAST, digits.index);
        let [first, last] = WORTH[digits.after_point];
        let value =
            f64::from(eight(value as u64)) * first + f64::from(eight((value >> 64) as u64)) * last;
        (eight((index >> 64) as u64), value)
    }

    fn sixteen(bytes: &[u8], at: usize) -> u128 {
        let mut word = [0; 16];
        word.copy_from_slice(&bytes[at..at + 16]);
        u128::from_le_bytes(word)
    }

    /// Eight digits, one per byte, the first in the lowest.
    fn eight(ones: u64) -> u32 {
        let pairs = (ones.wrapping_mul(0x0a01) >> 8) & 0x00ff_00ff_00ff_00ff;
        let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_ffff_0000_ffff;
        (fours.wrapping_mul((10_000 << 32) + 1) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BACK, Digits, INDEX_DIGITS, VALUE_DIGITS, WINDOW, classes, convert, portable};

    proptest! {
        #[test]
        fn both_forms_agree_on_classes(bytes in any::<[u8; 32]>()) {
            let mut window = [0; WINDOW];
            window[BACK..BACK + 32].copy_from_slice(&bytes);
            let found = classes(&window);
            prop_assert_eq!(found, portable::classes(&window));
            for (i, byte) in bytes.into_iter().enumerate() {
                let (digit, mark) = (byte.is_ascii_digit(), b"-./".contains(&byte));
                prop_assert_eq!(found.marks >> i & 1 == 1, mark);
                prop_assert_eq!(found.separators >> i & 1 == 1, !digit && !mark);
            }
        }

        #[test]
        fn both_forms_agree_on_digits(
            index in 0_u32..100_000_000,
            value in 0_u64..1_000_000_000_000_000,
            after in 0..=VALUE_DIGITS,
            width in 1..=VALUE_DIGITS,
        ) {
            let index_text = index.to_string();
            let value_text = format!("{value:0width$}");
            let after = after.min(value_text.len());
            let (before, fraction) = value_text.split_at(value_text.len() - after);
            let text = format!("{index_text}:{before}.{fraction} ");
            let mut window = [b'7'; WINDOW];
            window[BACK..BACK + text.len()].copy_from_slice(text.as_bytes());
            let digits = Digits {
                index: index_text.len(),
                value: value_text.len(),
                after_point: after,
                end: text.len() - 1,
            };
            prop_assert!(index_text.len() <= INDEX_DIGITS);
            let (found, worth) = convert(&window, digits);
            prop_assert_eq!((found, worth), portable::convert(&window, digits));
            prop_assert_eq!(found, index);
            let exact: f64 = format!("{before}.{fraction}").parse().unwrap_or(f64::NAN);
            prop_assert!((worth - exact).abs() <= 3.0 * f64::EPSILON * exact);
        }
    }
}
