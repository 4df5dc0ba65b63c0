//! Named rows as bytes: what is counted, then numbers that there are many of, one after another, so that a body of rows costs little more than a copy.
//!
//! | part | bytes |
//! | --- | --- |
//! | counts and names | by postcard |
//! | words of columns of text | by postcard; none if there is no such column |
//! | values | 4 each |
//! | numbers of labels | 8 each, NaN for none |
//! | texts of labels | as long as the counts say |
//! | weights of rows | 4 each; none if all are 1 |
//! | features of rows | the rest: each as the difference from the one before it in its row, 7 bits per byte |

use novikoff::names::Names;
use novikoff::rows::Rows;
use serde::{Deserialize, Serialize};

use super::{NamedRows, NotRows};
use crate::text::TextCounts;

/// What is counted, and the names.
#[derive(Serialize, Deserialize)]
struct Counted<'b> {
    /// Slots, increasing, and names, where these are not their numbers.
    slots: Vec<u32>,
    #[serde(borrow)]
    names: Vec<&'b str>,
    /// How many values each row has.
    values: Vec<u32>,
    /// How many labels each row has; empty if each has one.
    labels: Vec<u32>,
    /// How long the text of each label is.
    texts: Vec<u32>,
    /// Rows have weights, or words of columns of text.
    has: u8,
}

const WEIGHTS: u8 = 1;
const TEXTS: u8 = 2;

impl NamedRows {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_behind(Vec::new())
    }

    /// As bytes, behind those that are there.
    #[must_use]
    pub fn encode_behind(&self, mut out: Vec<u8>) -> Vec<u8> {
        let rows = self.rows.view();
        let (slots, names): (Vec<u32>, Vec<&str>) = self.names.iter().unzip();
        let spelled: usize = names.iter().map(|name| name.len() + 8).sum();
        let one_each = (1..).zip(rows.label_ends).all(|(n, &end)| n == end);
        let weighted = rows.weights.iter().any(|&weight| weight != 1.0);
        let counted = Counted {
            slots,
            names,
            values: lengths(rows.ends),
            labels: if one_each {
                Vec::new()
            } else {
                lengths(rows.label_ends)
            },
            texts: lengths(rows.text_ends),
            has: WEIGHTS * u8::from(weighted) + TEXTS * u8::from(!self.texts.is_empty()),
        };
        let numbers = 6 * self.values() + 16 * self.len() + 8 * rows.label_number.len();
        // what waits in memory has little more room than it needs
        let room = numbers + rows.text.len() + spelled + 16;
        out.reserve_exact(room);
        // writing to memory cannot fail
        let mut out = postcard::to_extend(&counted, out).unwrap_or_default();
        if !self.texts.is_empty() {
            out = postcard::to_extend(&self.texts, out).unwrap_or_default();
        }
        append(&mut out, rows.value, f32::to_le_bytes);
        append(&mut out, rows.label_number, f64::to_le_bytes);
        out.extend_from_slice(rows.text);
        if weighted {
            append(&mut out, rows.weights, f32::to_le_bytes);
        }
        differences(rows.ends, &rows.slots_of_values(), &mut out);
        out
    }

    /// From bytes, which are checked.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotRows> {
        let wrong = |what| NotRows { what };
        let early = || wrong("it ends early or has other parts");
        let (counted, mut rest) =
            postcard::take_from_bytes::<Counted<'_>>(bytes).map_err(|_| early())?;
        let rows = counted.values.len();
        let total = |counts: &[u32]| counts.iter().map(|&n| n as usize).sum::<usize>();
        let labels = if counted.labels.is_empty() {
            rows
        } else {
            total(&counted.labels)
        };
        if counted.texts.len() != labels || ![0, rows].contains(&counted.labels.len()) {
            return Err(wrong("counts that do not fit together"));
        }
        let mut texts: Vec<TextCounts> = Vec::new();
        match counted.has {
            0..=WEIGHTS => {}
            TEXTS..=3 => (texts, rest) = postcard::take_from_bytes(rest).map_err(|_| early())?,
            _ => return Err(wrong("parts that this version does not know")),
        }
        if texts.is_empty() != (counted.has & TEXTS == 0) || !texts.iter().all(|t| t.are_of(rows)) {
            return Err(wrong("words that do not fit together"));
        }
        let weights = if counted.has & WEIGHTS == 0 { 0 } else { rows };
        let values = take(&mut rest, total(&counted.values), f32::from_le_bytes);
        let values = values.ok_or_else(early)?;
        let numbers = take(&mut rest, labels, f64::from_le_bytes).ok_or_else(early)?;
        let text = rest.split_at_checked(total(&counted.texts));
        let (text, after) = text.ok_or_else(early)?;
        rest = after;
        let weights = take(&mut rest, weights, f32::from_le_bytes).ok_or_else(early)?;
        let mut finite = values.iter().chain(&weights);
        if !finite.all(|value| value.is_finite()) {
            return Err(wrong("a number that is not finite"));
        }
        let index = sums(&counted.values, rest).ok_or(wrong("features out of order"))?;
        let slots = counted.slots.iter();
        let most = index.iter().chain(slots).copied().max().unwrap_or(0);
        if most == u32::MAX {
            return Err(wrong("a feature past the last"));
        }
        let names = Names::restore(counted.slots, &counted.names, most);
        let names = names.ok_or(wrong("names that no rows have"))?;
        let mut out = Rows::new();
        out.reserve(values.len());
        let (mut at, mut label_at, mut text_at) = (0, 0, 0);
        for i in 0..rows {
            let labels = counted.labels.get(i).map_or(1, |&n| n as usize);
            let own = label_at..label_at + labels;
            for (&number, &length) in numbers[own.clone()].iter().zip(&counted.texts[own]) {
                let end = text_at + length as usize;
                out.push_label(number, &text[text_at..end]);
                text_at = end;
            }
            label_at += labels;
            let end = at + counted.values[i] as usize;
            let last = index[at..end].last().copied().unwrap_or(0);
            out.push_many(&index[at..end], &values[at..end], last);
            at = end;
            out.set_weight(weights.get(i).copied().unwrap_or(1.0));
            out.end_row(i as u64);
        }
        let mut words = texts.iter().flat_map(TextCounts::words);
        if words.any(|&(slot, _)| names.name(slot).is_none()) {
            return Err(wrong("words without names"));
        }
        Ok(NamedRows {
            names,
            rows: out,
            texts,
        })
    }
}

/// How long parts are, given where they end.
fn lengths(ends: &[u64]) -> Vec<u32> {
    let mut start = 0;
    let lengths = ends.iter().map(|&end| {
        let length = end - start;
        start = end;
        length as u32
    });
    lengths.collect()
}

/// Appends the features of each row, which increase: each as the difference from the one before, 7 bits per byte, the lowest first.
fn differences(ends: &[u64], index: &[u32], out: &mut Vec<u8>) {
    out.reserve(2 * index.len());
    let mut start = 0;
    for &end in ends {
        let mut before = 0;
        for &slot in &index[start..end as usize] {
            let mut rest = slot.wrapping_sub(before);
            while rest >= 0x80 {
                out.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            out.push(rest as u8);
            before = slot;
        }
        start = end as usize;
    }
}

/// The features of rows that have this many values each. None if they do not increase, or if there are more or fewer of them.
fn sums(counts: &[u32], mut bytes: &[u8]) -> Option<Vec<u32>> {
    // a difference has a byte at least, so more values than bytes are noticed before they are made room for
    let total: usize = counts.iter().map(|&n| n as usize).sum();
    if total > bytes.len() {
        return None;
    }
    let mut out = Vec::with_capacity(total);
    for &count in counts {
        let mut slot = 0_u32;
        for _ in 0..count {
            let (&first, mut rest) = bytes.split_first()?;
            let mut difference = u32::from(first & 0x7f);
            let (mut byte, mut shift) = (first, 0);
            while byte & 0x80 != 0 {
                (byte, rest) = rest.split_first().map(|(&byte, rest)| (byte, rest))?;
                shift += 7;
                let part = u32::from(byte & 0x7f);
                // the last part must fit, and a number is written in one way only
                if shift > 28 || (shift == 28 && part > 0xf) || byte == 0 {
                    return None;
                }
                difference |= part << shift;
            }
            bytes = rest;
            if difference == 0 {
                return None;
            }
            slot = slot.checked_add(difference)?;
            out.push(slot);
        }
    }
    bytes.is_empty().then_some(out)
}

/// Appends numbers of N bytes each.
fn append<const N: usize, T: Copy>(out: &mut Vec<u8>, numbers: &[T], bytes: fn(T) -> [u8; N]) {
    let start = out.len();
    out.resize(start + N * numbers.len(), 0);
    for (to, &number) in out[start..].as_chunks_mut().0.iter_mut().zip(numbers) {
        *to = bytes(number);
    }
}

/// Takes some numbers of N bytes each.
fn take<const N: usize, T>(
    rest: &mut &[u8],
    count: usize,
    number: fn([u8; N]) -> T,
) -> Option<Vec<T>> {
    let (bytes, after) = rest.split_at_checked(count.checked_mul(N)?)?;
    *rest = after;
    let chunks = bytes.as_chunks::<N>().0.iter();
    Some(chunks.map(|&chunk| number(chunk)).collect())
}

#[cfg(test)]
mod tests {
    use super::{differences, sums};

    #[test]
    fn features_come_back() {
        let index = [1, 2, 130, 16_511, u32::MAX, 7, 5, u32::MAX - 1];
        let ends = [5, 5, 6, 8];
        let mut bytes = Vec::new();
        differences(&ends, &index, &mut bytes);
        assert_eq!(sums(&[5, 0, 1, 2], &bytes), Some(index.to_vec()));
        // fewer, more, or other values are noticed
        for counts in [&[5, 0, 1][..], &[5, 0, 1, 3], &[6, 0, 0, 2]] {
            assert_eq!(sums(counts, &bytes), None, "{counts:?}");
        }
        for cut in 0..bytes.len() {
            assert_eq!(sums(&[5, 0, 1, 2], &bytes[..cut]), None);
        }
    }

    #[test]
    fn a_number_is_written_in_one_way() {
        for bytes in [
            &[0x00][..],
            &[0x81, 0x00],
            &[0xff, 0xff, 0xff, 0xff, 0x1f],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            &[0x80],
        ] {
            assert_eq!(sums(&[1], bytes), None, "{bytes:?}");
        }
        assert_eq!(
            sums(&[1], &[0xff, 0xff, 0xff, 0xff, 0x0f]),
            Some(vec![u32::MAX])
        );
    }
}
