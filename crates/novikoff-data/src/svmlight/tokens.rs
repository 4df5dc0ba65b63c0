//! The hot loop: `index:value` tokens one after another, all usual shapes by the same instructions.
//!
//! A look at 32 bytes tells where the token's colon, sign, point and end are; everything is then
//! computed from these positions without a branch on the shape, so that mixed data (signs, integers
//! among decimals, short and long ones) is as fast as uniform data. Anything unusual - and anything
//! wrong - is left to the caller, who reads that one token with care.

use super::lanes::{BACK, Digits, INDEX_DIGITS, VALUE_DIGITS, WINDOW, classes, convert};
use super::number::{round, ten_to};

/// How many values are gathered before they move to the rows.
const ROOM: usize = 128;

/// Values read but not yet moved to the rows.
pub(crate) struct Stage {
    pub(crate) len: usize,
    /// The last slot of the row so far; 0 if there is none.
    pub(super) last: u32,
    index: [u32; ROOM],
    value: [f32; ROOM],
}

impl Stage {
    /// How many values it has room for.
    pub(crate) const ROOM: usize = ROOM;

    pub(crate) fn new() -> Self {
        Stage {
            len: 0,
            last: 0,
            index: [0; ROOM],
            value: [0.0; ROOM],
        }
    }

    /// Adds a value; zeros are left out. There must be room.
    pub(super) fn push(&mut self, slot: u32, value: f32) {
        self.last = slot;
        self.index[self.len] = slot;
        self.value[self.len] = value;
        self.len += usize::from(value != 0.0);
    }

    /// Room for eight values and their slots, if there is that much.
    #[inline(always)]
    pub(super) fn eight(&mut self) -> Option<(&mut [u32; 8], &mut [f32; 8])> {
        let index = self.index.get_mut(self.len..)?.first_chunk_mut()?;
        Some((index, self.value.get_mut(self.len..)?.first_chunk_mut()?))
    }

    /// Keeps these eight, which are all other than 0.
    #[inline(always)]
    pub(super) fn keep_all(&mut self) {
        self.last = self.index[self.len + 7];
        self.len += 8;
    }

    /// Keeps the first of these eight; zeros are left out.
    #[inline(always)]
    pub(super) fn keep(&mut self, count: usize) {
        let Some((index, value)) = self.eight() else {
            return;
        };
        let Some(&last) = index[..count].last() else {
            return;
        };
        let mut kept = count;
        if value[..count].contains(&0.0) {
            kept = 0;
            for k in 0..count {
                (index[kept], value[kept]) = (index[k], value[k]);
                kept += usize::from(value[k] != 0.0);
            }
        }
        self.last = last;
        self.len += kept;
    }

    pub(super) fn is_full(&self) -> bool {
        self.len == ROOM
    }

    pub(crate) fn values(&self) -> (&[u32], &[f32]) {
        (&self.index[..self.len], &self.value[..self.len])
    }
}

/// Why the loop stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenEnd {
    /// The line is complete.
    Line,
    /// The stage is full.
    Full,
    /// The next token is not for this loop.
    Odd,
}

/// Which slots are allowed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    /// What makes a slot of an index.
    pub(super) shift: u32,
    /// The highest slot allowed.
    pub(super) limit: u32,
}

/// Reads tokens from `BACK` bytes into `text` on, and moves `text` past what was read.
///
/// Values of more than [`VALUE_DIGITS`] digits, exponents, tabs and carriage returns are read only if
/// asked for by `ALL`: what they need pushes the constants of the usual ones out of registers.
#[inline(never)] // its own register allocation: inlined, half of its state is spilled
pub(super) fn read<const ALL: bool>(text: &mut &[u8], slots: Slots, stage: &mut Stage) -> TokenEnd {
    tokens::<ALL, false>(text, slots, stage)
}

/// Reads tokens from `BACK` bytes into `text` on, whatever the order of their numbers, and moves `text` past what was read. Numbers that
/// begin with 0, values that are 0, and what [`read`] reads only if asked for, are left to the caller.
#[inline(never)]
pub(crate) fn read_numbered(text: &mut &[u8], stage: &mut Stage) -> TokenEnd {
    let all = Slots {
        shift: 0,
        limit: u32::MAX,
    };
    tokens::<false, true>(text, all, stage)
}

#[inline(always)]
fn tokens<const ALL: bool, const ANY: bool>(
    text: &mut &[u8],
    slots: Slots,
    stage: &mut Stage,
) -> TokenEnd {
    let mut rest = *text;
    let (mut len, mut last) = (stage.len, stage.last);
    let stop = loop {
        if len >= ROOM {
            break TokenEnd::Full;
        }
        let Some(window) = rest.first_chunk::<WINDOW>() else {
            break TokenEnd::Odd;
        };
        let at = |i: usize| window[BACK + i];
        let found = classes(window);
        // a separator past the window's reach stands for those not seen
        let beyond = 1_u64 << 32;
        let ends = u64::from(found.separators) | beyond;
        let colon = ends.trailing_zeros() as usize;
        let ends = ends & (ends - 1) | beyond;
        let mut end = ends.trailing_zeros() as usize;
        let marks = u64::from(found.marks) & (ends - 1);
        let sign = marks >> (colon + 1) & 1;
        let marks = marks & marks.wrapping_sub(sign);
        let point = (marks | ends).trailing_zeros() as usize; // the end if there is none
        let last_digit = end - usize::from(marks != 0);
        let after_point = last_digit.wrapping_sub(point);
        let digits = last_digit.wrapping_sub(colon + 1 + sign as usize);
        let odd = colon.wrapping_sub(1) >= INDEX_DIGITS
            || digits == 0
            || after_point > digits // a mark in the index
            || marks & marks.wrapping_sub(1) != 0 // two marks after the sign
            || at(colon) != b':'
            || matches!(at(colon + 1), b'.' | b'/') // the sign is none
            || matches!(at(point), b'-' | b'/'); // the point is none
        if odd {
            break TokenEnd::Odd;
        }
        let places = Digits {
            index: colon,
            value: digits,
            after_point,
            end: last_digit + 1,
        };
        let (index, mut value) = if digits <= VALUE_DIGITS {
            convert(window, places)
        } else if ALL && let Some(long) = convert_long(window, places) {
            long
        } else {
            break TokenEnd::Odd;
        };
        if ALL && matches!(at(end), b'e' | b'E') {
            let Some((ten, after)) = exponent(window, end + 1) else {
                break TokenEnd::Odd;
            };
            value *= ten;
            end = after;
        }
        let slot = index + slots.shift;
        let refused = if ANY {
            at(0) == b'0'
        } else {
            slot <= last || slot > slots.limit
        };
        if refused {
            break TokenEnd::Odd;
        }
        let Some(value) = round(value) else {
            break TokenEnd::Odd;
        };
        let bits = value.to_bits();
        if ANY && bits == 0 {
            break TokenEnd::Odd;
        }
        stage.index[len] = slot;
        stage.value[len] = f32::from_bits(bits | (sign as u32) << 31);
        let after = at(end);
        let crlf = ALL && after == b'\r' && window.get(BACK + end + 1) == Some(&b'\n');
        let blank = after == b' ' || ALL && after == b'\t';
        if !blank && after != b'\n' && !crlf {
            break TokenEnd::Odd;
        }
        len += usize::from(bits != 0);
        last = slot;
        rest = &rest[end + 1 + usize::from(crlf)..];
        if !blank {
            break TokenEnd::Line;
        }
    };
    *text = rest;
    (stage.len, stage.last) = (len, last);
    stop
}

/// The value that begins `BACK` bytes into the window, if it is a usual one, and how long it is. What
/// follows it is not looked at.
#[inline(always)]
pub(crate) fn value(window: &[u8; WINDOW]) -> Option<(f32, usize)> {
    let at = |i: usize| window[BACK + i];
    let found = classes(window);
    let ends = u64::from(found.separators) | 1 << 32;
    let mut end = ends.trailing_zeros() as usize;
    let marks = u64::from(found.marks) & (ends - 1);
    let sign = marks & 1;
    let marks = marks & !1;
    let point = (marks | ends).trailing_zeros() as usize; // the end if there is none
    let last_digit = end - usize::from(marks != 0);
    let digits = last_digit.wrapping_sub(sign as usize);
    let odd = digits.wrapping_sub(1) >= VALUE_DIGITS
        || marks & marks.wrapping_sub(1) != 0 // two marks after the sign
        || matches!(at(0), b'.' | b'/') // the sign is none
        || matches!(at(point), b'-' | b'/'); // the point is none
    if odd {
        return None;
    }
    let places = Digits {
        index: 0,
        value: digits,
        after_point: last_digit - point,
        end: last_digit + 1,
    };
    let (_, mut value) = convert(window, places);
    if matches!(at(end), b'e' | b'E') {
        let (ten, after) = exponent(window, end + 1)?;
        (value, end) = (value * ten, after);
    }
    Some((
        f32::from_bits(round(value)?.to_bits() | (sign as u32) << 31),
        end,
    ))
}

/// Like `convert` for more digits, if all those past the limit follow the point.
#[inline(always)] // a call in the loop would take all vector registers
pub(super) fn convert_long(window: &[u8; WINDOW], all: Digits) -> Option<(u32, f64)> {
    let after_point = all.after_point.checked_sub(VALUE_DIGITS)?;
    let value = all.value - VALUE_DIGITS;
    if value > VALUE_DIGITS {
        return None;
    }
    let first = Digits {
        value,
        after_point,
        end: all.end - VALUE_DIGITS,
        ..all
    };
    let last = Digits {
        value: VALUE_DIGITS,
        after_point: VALUE_DIGITS,
        ..all
    };
    let (index, first) = convert(window, first);
    let (_, last) = convert(window, last);
    Some((index, first + last * ten_to(-(after_point as i32))?))
}

/// `10^x` for the one or two digits of the exponent `x` at `start`, and where they end.
#[inline(always)] // as `convert_long`
pub(super) fn exponent(window: &[u8; WINDOW], start: usize) -> Option<(f64, usize)> {
    let at = |i: usize| window.get(BACK + i).copied().unwrap_or(0);
    let digit = |i: usize| {
        Some(at(i).wrapping_sub(b'0'))
            .filter(|&d| d < 10)
            .map(i32::from)
    };
    let signed = matches!(at(start), b'-' | b'+');
    let first = start + usize::from(signed);
    let (mut x, mut end) = (digit(first)?, first + 1);
    if let Some(second) = digit(end) {
        x = 10 * x + second;
        end += 1;
    }
    let x = if at(start) == b'-' { -x } else { x };
    (BACK + end < WINDOW).then_some((ten_to(x)?, end))
}
