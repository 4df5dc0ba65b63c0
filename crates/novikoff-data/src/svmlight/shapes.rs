//! Eight values of any usual shape, where the loop of [`eights`](super::eights) meets some that it does not
//! know: with exponents, and with up to 30 bytes before these.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _CMP_GT_OQ, _CMP_LT_OQ, _mm_cmpeq_epi8_mask, _mm_loadu_si128,
    _mm_or_si128, _mm_set_epi8, _mm_set1_epi8, _mm_set1_epi16, _mm_test_epi16_mask,
    _mm256_add_epi8, _mm256_add_epi32, _mm256_and_si256, _mm256_castps_si256, _mm256_cmpeq_epi8,
    _mm256_cmpeq_epi32_mask, _mm256_cmpgt_epu32_mask, _mm256_lzcnt_epi32, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_mask_add_epi32, _mm256_mask_or_epi32, _mm256_maskz_mov_epi32,
    _mm256_min_epu32, _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_srlv_epi32, _mm256_sub_epi8, _mm256_sub_epi32,
    _mm256_test_epi32_mask, _mm256_testn_epi32_mask, _mm512_castsi128_si512,
    _mm512_castsi256_si512, _mm512_castsi512_si256, _mm512_cmp_pd_mask, _mm512_cmpgt_epu32_mask,
    _mm512_cvtepi64_epi32, _mm512_cvtepi64_pd, _mm512_cvtepu16_epi64, _mm512_cvtepu32_epi64,
    _mm512_cvtpd_ps, _mm512_fmadd_pd, _mm512_inserti32x4, _mm512_lzcnt_epi64, _mm512_mask_blend_pd,
    _mm512_mask_mul_pd, _mm512_mul_pd, _mm512_permutex2var_epi32, _mm512_permutex2var_pd,
    _mm512_permutexvar_epi8, _mm512_set_epi32, _mm512_set_epi64, _mm512_set1_epi32, _mm512_set1_pd,
    _mm512_setzero_pd, _mm512_srli_epi64, _mm512_sub_epi32,
};

use super::eights::{
    BEFORE, Marked, eight, in_order, near_midpoint, put, sixteen_bits, sixteen_places, tenths,
    whole,
};
use super::places::SIGHT;

/// The bytes before a separator that are read.
const BEFORE_LONG: usize = 48;
/// The bytes behind a colon that are read, those behind a value included.
const BEHIND: usize = 8;
/// Digits of a long value are read in two parts. The last part has this many bytes.
const PART: u32 = 15;

/// The highest power of ten that an exponent may be here.
const MOST: i32 = 15;

/// `10^k`.
static TENS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// Eight values.
#[derive(Clone, Copy)]
pub(super) struct Shaped {
    /// The bits of `f32`.
    pub(super) values: __m256i,
    /// Those that are not usual: a bit each.
    pub(super) bad: u8,
    /// Some have an exponent or are long.
    pub(super) needed: bool,
}

/// The values of the eight tokens behind the first separator; none if they are too near to the beginning or the end of the text.
#[inline(never)] // it must take no registers of the hot loop
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt"
)]
pub(super) fn values(text: &[u8], at: &[u32; SIGHT]) -> Option<Shaped> {
    let both = sixteen_places(&at[1..]);
    let first = _mm512_set1_epi32(BEFORE_LONG as i32);
    let room = text.len().checked_sub(BEFORE_LONG + BEHIND)?;
    let room = _mm512_set1_epi32(i32::try_from(room).ok()?);
    if _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(both, first), room) != 0 {
        return None;
    }
    let number = _mm256_set1_epi32;
    let colons = _mm512_cvtepi64_epi32(both);
    let ends = _mm512_cvtepi64_epi32(_mm512_srli_epi64::<32>(both));
    // SAFETY: `at[place]` can be read; as volatile, so that it comes from memory and not out of a vector, which takes longer.
    let place = |place: usize| unsafe { std::ptr::read_volatile(&raw const at[place]) } as usize;
    let four = |from: &dyn Fn(usize) -> usize, token: usize| {
        // SAFETY: the 16 bytes are of the text, as is said where `from` is given. The load asks for no alignment.
        let before = |token| unsafe { _mm_loadu_si128(text.as_ptr().add(from(token)).cast()) };
        let bytes = _mm512_castsi128_si512(before(token));
        let bytes = _mm512_inserti32x4::<1>(bytes, before(token + 2));
        let bytes = _mm512_inserti32x4::<2>(bytes, before(token + 4));
        _mm512_inserti32x4::<3>(bytes, before(token + 6))
    };
    // ends are `BEFORE_LONG` bytes behind the beginning
    let before_end = |token: usize| place(2 * token + 2) - BEFORE;
    let (even, odd) = (four(&before_end, 0), four(&before_end, 1));
    // the last four bytes of each
    let last_four = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 31, 15, 27, 11, 23, 7, 19, 3);
    let tails = _mm512_castsi512_si256(_mm512_permutex2var_epi32(even, last_four, odd));
    let Exponents {
        power,
        minus,
        bytes,
        there: exponents,
        bad: bad_exponent,
    } = Exponents::of(tails);

    // SAFETY: colons are `BEHIND` bytes before the end of the text.
    let sign = |token: usize| unsafe { *text.as_ptr().add(place(2 * token + 1) + 1) }.cast_signed();
    let signs = _mm_set_epi8(
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        sign(7),
        sign(6),
        sign(5),
        sign(4),
        sign(3),
        sign(2),
        sign(1),
        sign(0),
    );
    let negative = _mm_cmpeq_epi8_mask(signs, _mm_set1_epi8(b'-'.cast_signed())) as u8;
    let starts = _mm256_add_epi32(colons, number(1));
    let starts = _mm256_mask_add_epi32(starts, negative, starts, number(1));
    let ends = _mm256_sub_epi32(ends, bytes);
    let lengths = _mm256_sub_epi32(ends, starts);
    let longest = number(2 * PART as i32 - 1);
    let bad_length = _mm256_cmpgt_epu32_mask(_mm256_sub_epi32(lengths, number(1)), longest);
    let last_length = _mm256_min_epu32(lengths, number(PART as i32));
    let mut places = [0_u32; 8];
    put(&mut places, ends);
    // ends are at most 4 bytes before those of the tokens, which are `BEFORE_LONG` bytes behind the beginning
    let before_end = |token: usize| places[token] as usize - BEFORE;
    let last = Part::of(four(&before_end, 0), four(&before_end, 1), last_length);
    let last_point = _mm_test_epi16_mask(last.points, last.points);
    let zeros = |points: __m128i| _mm512_lzcnt_epi64(_mm512_cvtepu16_epi64(points));
    let (low, high) = tenths();
    // 48 and the digits after the point; 64 if there is no point
    let mut worth = _mm512_permutex2var_pd(low, zeros(last.points), high);
    let mut digits = _mm512_cvtepi64_pd(last.whole);
    // a point that is the last byte
    let last_byte = _mm_test_epi16_mask(last.points, _mm_set1_epi16(i16::MIN));
    let mut bad_bytes = last.bad | last_byte;
    let is_long = _mm256_cmpgt_epu32_mask(lengths, number(PART as i32)) != 0;
    if is_long {
        let first_length = _mm256_sub_epi32(lengths, last_length);
        let before_part = |token: usize| places[token] as usize - PART as usize - BEFORE;
        let first = Part::of(four(&before_part, 0), four(&before_part, 1), first_length);
        let first_point = _mm_test_epi16_mask(first.points, first.points);
        let places = _mm512_mask_blend_pd(last_point, _mm512_set1_pd(1e15), _mm512_set1_pd(1e14));
        digits = _mm512_fmadd_pd(_mm512_cvtepi64_pd(first.whole), places, digits);
        let first_worth = _mm512_permutex2var_pd(low, zeros(first.points), high);
        worth = _mm512_mask_mul_pd(worth, first_point, first_worth, _mm512_set1_pd(1e-15));
        bad_bytes |= first.bad | last_point & first_point;
    }
    let tens = _mm512_permutex2var_pd(eight(&TENS[..8]), power, eight(&TENS[8..]));
    let tenth = _mm512_permutex2var_pd(low, power, high);
    let power = _mm512_mask_blend_pd(minus, tens, tenth);
    let value = _mm512_mul_pd(_mm512_mul_pd(digits, worth), power);
    let large = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(value, _mm512_set1_pd(f64::from(f32::MAX)));
    let small = _mm512_set1_pd(f64::from(f32::MIN_POSITIVE));
    let small = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(value, small)
        & _mm512_cmp_pd_mask::<_CMP_GT_OQ>(value, _mm512_setzero_pd());
    let bad_range = large | small | near_midpoint(value);
    let value = _mm256_castps_si256(_mm512_cvtpd_ps(value));
    let value = _mm256_mask_or_epi32(value, negative, value, number(i32::MIN));
    Some(Shaped {
        values: value,
        bad: bad_exponent | bad_length | bad_bytes | bad_range,
        needed: is_long || exponents != 0,
    })
}

/// The exponents of eight values.
struct Exponents {
    /// The power of ten, less its sign; 0 if there is none.
    power: __m512i,
    /// Powers below 0: a bit each.
    minus: u8,
    /// How many bytes it takes, `e` included; 0 if there is none.
    bytes: __m256i,
    /// Those that are there: a bit each.
    there: u8,
    /// Those that are not usual: a bit each.
    bad: u8,
}

impl Exponents {
    /// Of the last four bytes of each value.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    fn of(tail: __m256i) -> Self {
        let number = _mm256_set1_epi32;
        let byte = |byte: u8| _mm256_set1_epi8(byte.cast_signed());
        let lower = _mm256_or_si256(tail, byte(b'e' ^ b'E'));
        let e = _mm256_cmpeq_epi8(lower, byte(b'e'));
        let there = _mm256_test_epi32_mask(e, e);
        // bits behind the last e; 32 if there is none
        let behind = _mm256_lzcnt_epi32(e);
        let bytes = _mm256_add_epi32(_mm256_srli_epi32::<3>(behind), number(1));
        let through = _mm256_sub_epi32(number(32), behind);
        let sign = _mm256_and_si256(_mm256_srlv_epi32(tail, through), number(0xff));
        let minus = _mm256_cmpeq_epi32_mask(sign, number(i32::from(b'-')));
        let plus = _mm256_cmpeq_epi32_mask(sign, number(i32::from(b'+')));
        let through = _mm256_mask_add_epi32(through, minus | plus, through, number(8));
        let kept = _mm256_sllv_epi32(number(-1), through);
        let digits = _mm256_and_si256(_mm256_sub_epi8(tail, byte(b'0')), kept);
        // high bits of bytes above 9
        let above = _mm256_or_si256(_mm256_add_epi8(digits, byte(0x7f - 9)), digits);
        let bad = _mm256_test_epi32_mask(above, byte(0x80)) | _mm256_testn_epi32_mask(kept, kept);
        let pairs = _mm256_maddubs_epi16(digits, number(i32::from_le_bytes([0, 100, 10, 1])));
        let power = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
        let bad = bad | _mm256_cmpgt_epu32_mask(power, number(MOST));
        Exponents {
            power: _mm512_cvtepu32_epi64(_mm256_maskz_mov_epi32(there, power)),
            minus: minus & there,
            bytes: _mm256_maskz_mov_epi32(there, bytes),
            there,
            bad: bad & there,
        }
    }
}

/// Up to fifteen bytes of each of eight values.
struct Part {
    /// The digits as one number each.
    whole: __m512i,
    /// Where points are: sixteen bits a value.
    points: __m128i,
    /// Those with unusual bytes: a bit each.
    bad: u8,
}

impl Part {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi")]
    fn of(even: __m512i, odd: __m512i, lengths: __m256i) -> Self {
        // of each byte: the length of what it may belong to
        let spread = |from: i64| {
            const ONES: i64 = 0x0101_0101_0101_0101;
            let [a, b, c, d] = [0, 8, 16, 24].map(|lane| (lane + from) * ONES);
            let from = _mm512_set_epi64(d, d, c, c, b, b, a, a);
            _mm512_permutexvar_epi8(from, _mm512_castsi256_si512(lengths))
        };
        let even = Marked::of(even, spread(0));
        let odd = Marked::of(odd, spread(4));
        let digits = whole(&even, &odd);
        let others = _mm_or_si128(sixteen_bits(even.others, odd.others), digits.two_points);
        let others = in_order(others);
        Part {
            whole: digits.digits,
            points: in_order(digits.points),
            bad: _mm_test_epi16_mask(others, others),
        }
    }
}
