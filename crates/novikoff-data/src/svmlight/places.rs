//! Where the separators of a text are, so that the tokens between them can be read many at a time.
//!
//! The text is searched 64 bytes at a time, up to some thousand bytes ahead of the tokens. Separators are
//! blanks, colons and newlines; what stands between them is not looked at here.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m512i, _mm512_add_epi32, _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask,
    _mm512_cvtepu8_epi32, _mm512_extracti32x4_epi32, _mm512_loadu_si512,
    _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8, _mm512_set1_epi8, _mm512_set1_epi32,
    _mm512_storeu_si512,
};
use std::cell::Cell;

use super::eights::BEFORE;

/// How many bytes of text are searched at a time.
const STEP: usize = 32 * 64;
/// The separators that are looked at together.
pub(super) const SIGHT: usize = 17;
/// Room for what is left of earlier steps, for a step that consists of separators, and for whole
/// vectors behind it.
const ROOM: usize = SIGHT + STEP + 64;

/// The separators of one text, in order: those near the token that is read.
pub(crate) struct Places {
    /// Where each is.
    at: [u32; ROOM],
    /// Which byte each is; none behind the last of the text.
    kind: [u8; ROOM],
    len: usize,
    /// The one that the next token follows.
    next: usize,
    /// The text before this has been searched.
    searched: usize,
    /// The values read last were not all of the shapes that are read first.
    shaped: Cell<bool>,
}

/// 0 to 63.
static COUNT: [u8; 64] = {
    let mut count = [0; 64];
    let mut i = 0;
    while i < 64 {
        count[i] = i as u8;
        i += 1;
    }
    count
};

impl Places {
    pub(crate) fn new() -> Self {
        Places {
            at: [BEFORE as u32; ROOM],
            kind: [0; ROOM],
            len: 0,
            next: 0,
            searched: 0,
            shaped: Cell::new(false),
        }
    }

    /// Moves on to the separator at `place`; false if there is none.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(super) fn seek(&mut self, text: &[u8], place: usize) -> bool {
        if place > self.searched {
            // what lies before is read, by other means
            (self.len, self.next, self.searched) = (0, 0, place);
        }
        loop {
            while self.next < self.len && (self.at[self.next] as usize) < place {
                self.next += 1;
            }
            if self.next < self.len {
                return self.at[self.next] as usize == place;
            }
            if self.searched >= text.len() {
                return false;
            }
            self.search(text);
        }
    }

    /// The separators from the next one on, and where to note whether values have other shapes than those that are read first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(super) fn ahead(&mut self, text: &[u8]) -> (&[u32; SIGHT], &[u8; SIGHT], &Cell<bool>) {
        while self.len - self.next < SIGHT && self.searched < text.len() {
            self.search(text);
        }
        let at = self.at[self.next..].first_chunk();
        let kind = self.kind[self.next..].first_chunk();
        (at.expect(IN_ROOM), kind.expect(IN_ROOM), &self.shaped)
    }

    /// Whether values have other shapes than those that are read first.
    pub(super) fn shaped(&self) -> bool {
        self.shaped.get()
    }

    /// Moves on by some separators, which were seen ahead.
    #[inline(always)]
    pub(super) fn skip(&mut self, separators: usize) {
        self.next += separators;
    }

    /// Searches some more of the text.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    fn search(&mut self, text: &[u8]) {
        self.at.copy_within(self.next..self.len, 0);
        self.kind.copy_within(self.next..self.len, 0);
        let mut len = self.len - self.next;
        let end = text.len().min(self.searched + STEP);
        let count = sixty_four(&COUNT);
        let [blank, colon, newline] =
            [b' ', b':', b'\n'].map(|byte| _mm512_set1_epi8(byte.cast_signed()));
        for (k, bytes) in text[self.searched..end].chunks(64).enumerate() {
            let bytes = sixty_four(bytes);
            let found = _mm512_cmpeq_epi8_mask(bytes, blank)
                | _mm512_cmpeq_epi8_mask(bytes, colon)
                | _mm512_cmpeq_epi8_mask(bytes, newline);
            let new = found.count_ones() as usize;
            put_bytes(
                &mut self.kind[len..],
                _mm512_maskz_compress_epi8(found, bytes),
            );
            let offsets = _mm512_maskz_compress_epi8(found, count);
            let base = _mm512_set1_epi32((self.searched + 64 * k) as i32);
            let mut put = |part: usize, offsets: __m128i| {
                let places = _mm512_add_epi32(_mm512_cvtepu8_epi32(offsets), base);
                put_places(&mut self.at[len + 16 * part..], places);
            };
            put(0, _mm512_castsi512_si128(offsets));
            if new > 16 {
                put(1, _mm512_extracti32x4_epi32(offsets, 1));
                if new > 32 {
                    put(2, _mm512_extracti32x4_epi32(offsets, 2));
                    put(3, _mm512_extracti32x4_epi32(offsets, 3));
                }
            }
            len += new;
        }
        (self.len, self.next, self.searched) = (len, 0, end);
        if end == text.len() {
            self.kind[len..len + SIGHT].fill(0);
        }
    }
}

const IN_ROOM: &str = "there is room behind the last separator";

/// The first 64 bytes; zeros where there are fewer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sixty_four(bytes: &[u8]) -> __m512i {
    if let Some(bytes) = bytes.first_chunk::<64>() {
        // SAFETY: the reference is to 64 readable bytes; the load asks for no alignment.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    } else {
        let there = (1_u64 << bytes.len()) - 1;
        // SAFETY: only the bytes of the slice, fewer than 64, are read.
        unsafe { _mm512_maskz_loadu_epi8(there, bytes.as_ptr().cast()) }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn put_bytes(to: &mut [u8], bytes: __m512i) {
    let to: &mut [u8; 64] = to.first_chunk_mut().expect(IN_ROOM);
    // SAFETY: the reference is to 64 bytes that may be written; the store asks for no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn put_places(to: &mut [u32], places: __m512i) {
    let to: &mut [u32; 16] = to.first_chunk_mut().expect(IN_ROOM);
    // SAFETY: the reference is to 16 numbers that may be written; the store asks for no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), places) }
}
