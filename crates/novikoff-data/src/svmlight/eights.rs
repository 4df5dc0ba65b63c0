//! The hot loop of machines with AVX-512: eight `index:value` tokens at a time.
//!
//! Where tokens begin and end is known beforehand ([`Places`]), so that reading one does not wait for
//! the one before it. A token is usual if its index has at most eight digits and its value at most
//! [`VALUE_BYTES`] bytes: digits, a point that is not the last byte or none, a minus sign in front or
//! none. Other values are read one by one. Everything else that is unusual - and everything that is
//! wrong - is left to the caller.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, __m512d, __m512i, _mm_and_si128, _mm_cmpneq_epi8_mask, _mm_cvtsi128_si64,
    _mm_extract_epi64, _mm_loadu_si128, _mm_or_si128, _mm_set_epi8, _mm_set_epi64x, _mm_set1_epi8,
    _mm_set1_epi16, _mm_setzero_si128, _mm_shuffle_epi8, _mm_subs_epu16, _mm_test_epi8_mask,
    _mm_test_epi16_mask, _mm256_add_epi32, _mm256_alignr_epi32, _mm256_castps_si256,
    _mm256_cmpgt_epu32_mask, _mm256_cmple_epu32_mask, _mm256_mask_or_epi32, _mm256_set1_epi32,
    _mm256_storeu_si256, _mm256_testn_epi32_mask, _mm512_add_epi8, _mm512_add_epi64,
    _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_castpd_si512, _mm512_castsi128_si512,
    _mm512_castsi512_si256, _mm512_cmpeq_epi8_mask, _mm512_cmpgt_epu8_mask,
    _mm512_cmpgt_epu32_mask, _mm512_cmplt_epu8_mask, _mm512_cmplt_epu64_mask, _mm512_cvtepi64_pd,
    _mm512_cvtepu16_epi64, _mm512_cvtpd_ps, _mm512_inserti32x4, _mm512_loadu_pd,
    _mm512_loadu_si512, _mm512_lzcnt_epi64, _mm512_madd_epi16, _mm512_maddubs_epi16,
    _mm512_mask_alignr_epi8, _mm512_mask_cmpeq_epi8_mask, _mm512_maskz_compress_epi64,
    _mm512_maskz_mov_epi8, _mm512_maskz_sub_epi8, _mm512_mul_epu32, _mm512_mul_pd,
    _mm512_packus_epi32, _mm512_permutex2var_pd, _mm512_set_epi64, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_shuffle_epi8, _mm512_srli_epi64, _mm512_sub_epi32, _mm512_sub_epi64,
};
use std::cell::Cell;

use super::number::{MIDPOINT, SLACK};
pub(crate) use super::places::Places;
use super::places::SIGHT;
use super::plain::number;
use super::shapes::{self, Shaped};
use super::tokens::{Slots, Stage, TokenEnd};

/// How many tokens are read at a time.
const EIGHT: usize = 8;
/// The bytes before a separator that are read: a value and what stands before it.
pub(super) const BEFORE: usize = 16;
/// The most bytes of a usual value.
const VALUE_BYTES: u32 = 15;

/// What these loops ask of the machine was found in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide(());

impl Wide {
    /// If the machine has what is asked for, and the text is not too long.
    pub(crate) fn detect(text: &[u8]) -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("popcnt");
        (has_all && i32::try_from(text.len()).is_ok()).then_some(Wide(()))
    }

    /// Reads tokens from `at` on, where one begins, until the line ends; says why it stopped and where: behind the newline, or where a
    /// token begins. The places must be those of this text.
    #[inline(always)]
    #[allow(clippy::unused_self)] // it says what the machine has
    pub(super) fn read(
        self,
        text: &[u8],
        at: usize,
        places: &mut Places,
        slots: Slots,
        stage: &mut Stage,
    ) -> (TokenEnd, usize) {
        // SAFETY: the machine has all that the function asks for, or there would be no `self`.
        unsafe {
            if places.shaped() {
                tokens::<false, true>(text, at, places, slots, stage)
            } else {
                tokens::<false, false>(text, at, places, slots, stage)
            }
        }
    }

    /// Reads tokens likewise, whatever the order of their numbers. Numbers that begin with 0, and values that are 0, are left to the
    /// caller.
    #[inline(always)]
    #[allow(clippy::unused_self)] // as above
    pub(crate) fn read_numbered(
        self,
        text: &[u8],
        at: usize,
        places: &mut Places,
        stage: &mut Stage,
    ) -> (TokenEnd, usize) {
        let all = Slots {
            shift: 0,
            limit: u32::MAX,
        };
        // SAFETY: the machine has all that the function asks for, or there would be no `self`.
        unsafe {
            if places.shaped() {
                tokens::<true, true>(text, at, places, all, stage)
            } else {
                tokens::<true, false>(text, at, places, all, stage)
            }
        }
    }
}

/// `10^-k`, rounded once.
static TENTHS: [f64; 16] = [
    1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
    1e-15,
];

/// Eight tokens.
struct Eight {
    slots: __m256i,
    /// The bits of `f32`.
    values: __m256i,
    doubts: Doubts,
}

/// What is not usual about eight tokens; 0 is nothing.
struct Doubts {
    /// Bytes of indices, eight a token, that are no digits or, of any slots, a 0 in front.
    index: u64,
    /// Bytes of values, sixteen a token, that are neither digits nor a sign in front nor a point before the last byte: even tokens, odd ones.
    even: u64,
    odd: u64,
    /// Lengths of index, value, index, value and so on.
    lengths: u16,
    /// Values with two points: sixteen bits a token, even ones before odd ones.
    points: __m128i,
    /// Slots that are not allowed.
    slots: u8,
    /// Values whose rounding hangs on their last bits.
    near: u8,
    /// Values that are 0.
    zero: u8,
}

impl Doubts {
    /// Nothing is unusual about any of the eight.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn none(&self) -> bool {
        let points = _mm_test_epi16_mask(self.points, self.points);
        let tokens = points | self.slots | self.near | self.zero;
        let all = self.index | self.even | self.odd | u64::from(self.lengths) | u64::from(tokens);
        all == 0
    }

    /// Tokens whose index is unusual or not allowed, and those whose value is unusual: a bit each.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,ssse3")]
    fn tokens(&self) -> (u8, u8) {
        let long = |from: u32| {
            let bits = u32::from(self.lengths) >> from & 0x5555;
            let bits = (bits | bits >> 1) & 0x3333;
            let bits = (bits | bits >> 2) & 0x0f0f;
            (bits | bits >> 4) as u8
        };
        let index = _mm_set_epi64x(0, self.index.cast_signed());
        let index = _mm_test_epi8_mask(index, index) as u8;
        let bytes = _mm_or_si128(sixteen_bits(self.even, self.odd), self.points);
        let bytes = in_order(bytes);
        let value = _mm_test_epi16_mask(bytes, bytes);
        (index | long(0) | self.slots, value | long(1) | self.near)
    }
}

/// What [`Wide::read`] and [`Wide::read_numbered`] do. Values of all shapes are read at once if they are `SHAPED`; it makes no other difference.
#[inline(never)] // its own register allocation
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt"
)]
fn tokens<const ANY: bool, const SHAPED: bool>(
    text: &[u8],
    at: usize,
    places: &mut Places,
    slots: Slots,
    stage: &mut Stage,
) -> (TokenEnd, usize) {
    let before = at.checked_sub(1);
    if !before.is_some_and(|before| places.seek(text, before)) {
        return (TokenEnd::Odd, at);
    }
    let mut last = _mm256_set1_epi32(stage.last.cast_signed());
    loop {
        let (at, kind, shaped) = places.ahead(text);
        let Some((index, value)) = stage.eight() else {
            return (TokenEnd::Full, at[0] as usize + 1);
        };
        // colons and blanks in turn, then a newline
        let in_turn = _mm_set1_epi16(i16::from_le_bytes(*b": "));
        let others = _mm_cmpneq_epi8_mask(sixteen(&kind[1..]), in_turn);
        let Some(eight) = convert::<ANY, SHAPED>(text, at, slots, last, shaped) else {
            return (TokenEnd::Odd, at[0] as usize + 1);
        };
        put(index, eight.slots);
        put(value, eight.values);
        last = eight.slots;
        if others == 0 && eight.doubts.none() {
            places.skip(2 * EIGHT);
            stage.keep_all();
            continue;
        }
        // a branch rather than a count: what comes next must not wait for these
        if others == 0
            && mend::<SHAPED>(text, at, value, &eight.doubts, EIGHT, shaped) == EIGHT
            && !value.contains(&0.0)
        {
            places.skip(2 * EIGHT);
            stage.keep_all();
            continue;
        }
        let usual = (u32::from(others) | 1 << 16).trailing_zeros() as usize;
        let ends_line = usual % 2 == 1 && kind[1 + usual] == b'\n';
        let there = usual / 2 + usize::from(ends_line);
        let mut read = mend::<SHAPED>(text, at, value, &eight.doubts, there, shaped);
        if ANY {
            let zero = value[..read].iter().position(|&value| value == 0.0);
            read = zero.unwrap_or(read);
        }
        let end = at[2 * read] as usize + 1;
        stage.keep(read);
        places.skip(2 * read);
        if read < EIGHT || ends_line {
            let all = read == there && ends_line;
            return (if all { TokenEnd::Line } else { TokenEnd::Odd }, end);
        }
    }
}

/// Reads the unusual values of the tokens that are `there`, one by one, and says how many tokens from the first on are read then.
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt"
)]
fn mend<const SHAPED: bool>(
    text: &[u8],
    at: &[u32; SIGHT],
    values: &mut [f32; EIGHT],
    doubts: &Doubts,
    there: usize,
    shaped: &Cell<bool>,
) -> usize {
    let (index, value) = doubts.tokens();
    let all = (index.trailing_zeros() as usize).min(there);
    let mut left = u32::from(value) & ((1 << all) - 1);
    if left != 0
        && !SHAPED
        && let Some(all) = shapes::values(text, at)
    {
        put(values, all.values);
        left &= u32::from(all.bad);
        shaped.set(all.needed);
    }
    while left != 0 {
        let token = left.trailing_zeros() as usize;
        let (colon, end) = (at[2 * token + 1] as usize, at[2 * token + 2] as usize);
        match number(text, colon + 1) {
            Some((value, stop)) if stop == end => values[token] = value,
            _ => return token,
        }
        left &= left - 1;
    }
    all
}

/// The eight tokens behind the first separator, in places that are those of this text; none if they are too near to its beginning.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt"
)]
#[allow(clippy::too_many_lines)] // one calculation
fn convert<const ANY: bool, const SHAPED: bool>(
    text: &[u8],
    at: &[u32; SIGHT],
    slots: Slots,
    last: __m256i,
    shaped: &Cell<bool>,
) -> Option<Eight> {
    // ends of index, value, index, value and so on
    let ends = sixteen_places(&at[1..]);
    let first = _mm512_set1_epi32(BEFORE as i32);
    let most = u32::try_from(text.len()).ok()?.checked_sub(BEFORE as u32)?;
    let most = _mm512_set1_epi32(most.cast_signed());
    if _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(ends, first), most) != 0 {
        return None;
    }
    // SAFETY: `at[place]` can be read. It is read as volatile so that it comes from memory, not out of the vector `ends`, which takes longer.
    let end = |place: usize| unsafe { std::ptr::read_volatile(&raw const at[place]) } as usize;
    let before = |place: usize| {
        // SAFETY: the end is one of `ends`, and these were just found to be from `BEFORE` to the length of the text. So the bytes before
        // it are of the text. The load asks for no alignment.
        unsafe { _mm_loadu_si128(text.as_ptr().add(end(place) - BEFORE).cast()) }
    };
    let eight_before = |place: usize| {
        // SAFETY: as above; they are fewer.
        unsafe {
            text.as_ptr()
                .add(end(place) - 8)
                .cast::<i64>()
                .read_unaligned()
        }
    };
    let four = |token: usize| {
        let bytes = _mm512_castsi128_si512(before(2 * token + 2));
        let bytes = _mm512_inserti32x4::<1>(bytes, before(2 * token + 6));
        let bytes = _mm512_inserti32x4::<2>(bytes, before(2 * token + 10));
        _mm512_inserti32x4::<3>(bytes, before(2 * token + 14))
    };
    let one = _mm512_set1_epi32(1);
    let lengths = _mm512_sub_epi32(_mm512_sub_epi32(ends, sixteen_places(&at[..16])), one);
    // 0 is too long
    let most = _mm512_set1_epi64(i64::from(VALUE_BYTES - 1) << 32 | 7);
    let too_long = _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(lengths, one), most);
    // of each byte: the length of what it may belong to
    let spread = |from: __m128i| _mm512_shuffle_epi8(lengths, _mm512_broadcast_i32x4(from));
    let nine = _mm512_set1_epi8(9);

    let known = if SHAPED {
        shapes::values(text, at)
    } else {
        None
    };
    let values = if let Some(Shaped {
        values,
        bad,
        needed,
    }) = known
    {
        shaped.set(needed);
        Values {
            bits: values,
            even: 0,
            odd: 0,
            points: _mm_setzero_si128(),
            near: bad,
        }
    } else {
        // even tokens and odd ones: sixteen bytes each, a value at their end
        let lengths = (spread(_mm_set1_epi8(4)), spread(_mm_set1_epi8(12)));
        Values::of((four(0), four(1)), lengths)
    };
    // what is too long is not so for all shapes
    let too_long = if known.is_some() {
        too_long & 0x5555
    } else {
        too_long
    };

    let index = _mm512_set_epi64(
        eight_before(15),
        eight_before(13),
        eight_before(11),
        eight_before(9),
        eight_before(7),
        eight_before(5),
        eight_before(3),
        eight_before(1),
    );
    let index_length = spread(_mm_set_epi64x(0x0808_0808_0808_0808, 0));
    let from_end = _mm512_set1_epi64(0x0001_0203_0405_0607);
    let inside = _mm512_cmplt_epu8_mask(from_end, index_length);
    let digits = _mm512_maskz_sub_epi8(inside, index, _mm512_set1_epi8(b'0'.cast_signed()));
    let mut index_doubts = _mm512_cmpgt_epu8_mask(digits, nine);
    if ANY {
        let first = _mm512_add_epi8(from_end, _mm512_set1_epi8(1));
        let first = _mm512_cmpeq_epi8_mask(first, index_length);
        index_doubts |= _mm512_mask_cmpeq_epi8_mask(first, digits, _mm512_setzero_si512());
    }
    let fours = fours(digits);
    let eights = _mm512_madd_epi16(
        _mm512_packus_epi32(fours, fours),
        _mm512_set1_epi32(10_000 + (1 << 16)),
    );
    // of each sixteen bytes the first eight
    let index = _mm512_castsi512_si256(_mm512_maskz_compress_epi64(0x55, eights));
    let slot = _mm256_add_epi32(index, _mm256_set1_epi32(slots.shift.cast_signed()));
    let refused = if ANY {
        0
    } else {
        // each against the one before it
        let before = _mm256_alignr_epi32::<7>(slot, last);
        let limit = _mm256_set1_epi32(slots.limit.cast_signed());
        _mm256_cmple_epu32_mask(slot, before) | _mm256_cmpgt_epu32_mask(slot, limit)
    };
    Some(Eight {
        slots: slot,
        values: values.bits,
        doubts: Doubts {
            index: index_doubts,
            even: values.even,
            odd: values.odd,
            lengths: too_long,
            points: values.points,
            slots: refused,
            near: values.near,
            zero: _mm256_testn_epi32_mask(values.bits, _mm256_set1_epi32(i32::MAX)),
        },
    })
}

/// Eight values, and what is not usual about them, as in [`Doubts`].
struct Values {
    bits: __m256i,
    even: u64,
    odd: u64,
    points: __m128i,
    near: u8,
}

impl Values {
    /// Of even tokens and odd ones: sixteen bytes each, and of each byte the length of what it may belong to.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    fn of(bytes: (__m512i, __m512i), lengths: (__m512i, __m512i)) -> Self {
        let mut even = Marked::of(bytes.0, lengths.0);
        let mut odd = Marked::of(bytes.1, lengths.1);
        let mut negative = 0;
        if even.others | odd.others != 0 {
            let signs = sixteen_bits(even.take_signs(lengths.0), odd.take_signs(lengths.1));
            let signs = in_order(signs);
            negative = _mm_test_epi16_mask(signs, signs);
        }
        let Whole {
            digits,
            points,
            two_points,
        } = whole(&even, &odd);
        // 48 and the digits after the point; 64 if there is no point
        let after_point = _mm512_lzcnt_epi64(_mm512_cvtepu16_epi64(in_order(points)));
        let (low, high) = tenths();
        let worth = _mm512_permutex2var_pd(low, after_point, high);
        let value = _mm512_mul_pd(_mm512_cvtepi64_pd(digits), worth);
        let near = near_midpoint(value);
        let value = _mm256_castps_si256(_mm512_cvtpd_ps(value));
        Values {
            bits: _mm256_mask_or_epi32(value, negative, value, _mm256_set1_epi32(i32::MIN)),
            even: even.doubts(),
            odd: odd.doubts(),
            points: two_points,
            near,
        }
    }
}

/// Four values, at the ends of sixteen bytes each. A bit is a byte.
pub(super) struct Marked {
    /// Digits as numbers; bytes that belong to no value are 0.
    digits: __m512i,
    pub(super) points: u64,
    /// Neither digits nor points.
    pub(super) others: u64,
}

impl Marked {
    /// Of values of these lengths; each byte has the length of its value.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn of(bytes: __m512i, lengths: __m512i) -> Self {
        let inside = _mm512_cmplt_epu8_mask(from_end(), lengths);
        let zero = _mm512_set1_epi8(b'0'.cast_signed());
        let digits = _mm512_maskz_sub_epi8(inside, bytes, zero);
        let marks = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
        let point = _mm512_set1_epi8(b'.'.wrapping_sub(b'0').cast_signed());
        let points = _mm512_cmpeq_epi8_mask(digits, point);
        Marked {
            digits,
            points,
            others: marks ^ points,
        }
    }

    /// Makes zeros of minus signs in front, and says where they were.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn take_signs(&mut self, lengths: __m512i) -> u64 {
        let one = _mm512_set1_epi8(1);
        let first = _mm512_add_epi8(from_end(), one);
        let first = _mm512_mask_cmpeq_epi8_mask(self.others & !LAST, first, lengths);
        let minus = _mm512_set1_epi8(b'-'.wrapping_sub(b'0').cast_signed());
        let signs = _mm512_mask_cmpeq_epi8_mask(first, self.digits, minus);
        self.digits = _mm512_maskz_mov_epi8(!signs, self.digits);
        self.others ^= signs;
        signs
    }

    /// Bytes that no usual value has there.
    #[inline(always)]
    fn doubts(&self) -> u64 {
        self.others | self.points & LAST
    }

    /// The digits, those `moved` one byte further, by fours.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn fours(&self, moved: u64) -> __m512i {
        let zero = _mm512_setzero_si512();
        let digits = _mm512_mask_alignr_epi8::<15>(self.digits, moved, self.digits, zero);
        fours(digits)
    }
}

/// The last byte of each sixteen.
pub(super) const LAST: u64 = 0x8000_8000_8000_8000;

/// How far each of sixteen bytes is from the last.
#[inline]
#[target_feature(enable = "avx512f")]
fn from_end() -> __m512i {
    _mm512_broadcast_i32x4(_mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f))
}

/// Eight numbers.
pub(super) struct Whole {
    /// The digits, points left out.
    pub(super) digits: __m512i,
    /// Where points are: sixteen bits a value, even ones before odd ones.
    pub(super) points: __m128i,
    /// Points of values that have two, likewise.
    pub(super) two_points: __m128i,
}

/// The digits of eight values as numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn whole(even: &Marked, odd: &Marked) -> Whole {
    let points = sixteen_bits(even.points, odd.points);
    let below = _mm_subs_epu16(points, _mm_set1_epi16(1));
    // what stands before the point moves up by one byte
    let moved = _mm_or_si128(points, below);
    let even = even.fours(_mm_cvtsi128_si64(moved).cast_unsigned());
    let odd = odd.fours(_mm_extract_epi64::<1>(moved).cast_unsigned());
    let halves = _mm512_madd_epi16(
        _mm512_packus_epi32(even, odd),
        _mm512_set1_epi32(10_000 + (1 << 16)),
    );
    let whole = _mm512_add_epi64(
        _mm512_mul_epu32(halves, _mm512_set1_epi64(100_000_000)),
        _mm512_srli_epi64::<32>(halves),
    );
    Whole {
        digits: whole,
        points,
        two_points: _mm_and_si128(points, below),
    }
}

/// The values whose rounding to `f32` hangs on their last bits: a bit each.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn near_midpoint(values: __m512d) -> u8 {
    let bits = _mm512_castpd_si512(values);
    let rest = _mm512_and_si512(bits, _mm512_set1_epi64((1 << 29) - 1));
    _mm512_cmplt_epu64_mask(
        _mm512_sub_epi64(rest, _mm512_set1_epi64(i64::from(MIDPOINT - SLACK))),
        _mm512_set1_epi64(i64::from(2 * SLACK)),
    )
}

/// Numbers of four digits each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn fours(digits: __m512i) -> __m512i {
    let pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 + (1 << 8)));
    _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 + (1 << 16)))
}

/// Sixteen bits for each token: even ones, then odd ones.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn sixteen_bits(even: u64, odd: u64) -> __m128i {
    _mm_set_epi64x(odd.cast_signed(), even.cast_signed())
}

/// The same in the order of the tokens.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn in_order(bits: __m128i) -> __m128i {
    let from = _mm_set_epi8(15, 14, 7, 6, 13, 12, 5, 4, 11, 10, 3, 2, 9, 8, 1, 0);
    _mm_shuffle_epi8(bits, from)
}

/// [`TENTHS`] as two vectors.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn tenths() -> (__m512d, __m512d) {
    (eight(&TENTHS[..8]), eight(&TENTHS[8..]))
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn eight(numbers: &[f64]) -> __m512d {
    let numbers: &[f64; 8] = numbers.first_chunk().expect("there are eight");
    // SAFETY: the reference is to eight readable numbers; the load asks for no alignment.
    unsafe { _mm512_loadu_pd(numbers.as_ptr()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn sixteen(bytes: &[u8]) -> __m128i {
    let bytes: &[u8; 16] = bytes.first_chunk().expect(SIXTEEN);
    // SAFETY: the reference is to 16 readable bytes; the load asks for no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn sixteen_places(at: &[u32]) -> __m512i {
    let at: &[u32; 16] = at.first_chunk().expect(SIXTEEN);
    // SAFETY: the reference is to 16 readable numbers; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(at.as_ptr().cast()) }
}

const SIXTEEN: &str = "there are sixteen";

#[inline]
#[target_feature(enable = "avx")]
pub(super) fn put<T: Number>(to: &mut [T; EIGHT], numbers: __m256i) {
    // SAFETY: the reference is to eight numbers of four bytes that may be written, and any bits are such numbers, as `Number` says; the store asks for no
    // alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), numbers) }
}

/// A number of four bytes.
///
/// # Safety
/// Any four bytes are a value of the type.
pub(super) unsafe trait Number {}
// SAFETY: any bits are a whole number,
unsafe impl Number for u32 {}
// SAFETY: and any bits are a number or none.
unsafe impl Number for f32 {}
