//! Whether the rows of a block are as readers make them. Learners rely on it.
//!
//! The loops over slots and values have no branches, so that they run several lanes at a time.

use novikoff::rows::Block;

/// Lines stay below this, so that counting on from them does not overflow.
pub(super) const MAX_LINE: u64 = 1 << 62;

/// How many neighbours are counted in a `u32`.
const RUN: usize = 1 << 16;

/// Says what is wrong with a block, if something is; no slot is below `lowest`.
pub(super) fn block(block: &Block<'_>, lowest: u32) -> Result<(), &'static str> {
    let rows = block.ends.len();
    let labels = block.label_number.len();
    require(
        block.slots_at.is_empty()
            && block.index.len() == block.value.len()
            && block.label_ends.len() == rows
            && block.lines.len() == rows
            && block.text_ends.len() == labels
            && (block.weights.is_empty() || block.weights.len() == rows),
        "its arrays differ in length",
    )?;
    require(
        are_ends(block.ends, block.value.len()),
        "its rows do not end one after another where the values end",
    )?;
    require(
        are_ends(block.label_ends, labels),
        "its rows do not end one after another where the labels end",
    )?;
    require(
        are_ends(block.text_ends, block.text.len()),
        "its labels do not end one after another where their text ends",
    )?;
    slots(block, lowest)?;
    require(
        bytemuck::cast_slice(block.value)
            .iter()
            .fold(true, |sound, &bits| sound & is_finite_and_not_zero(bits)),
        "a value is zero or not finite",
    )?;
    let number_or_none = |label: &f64| !label.is_infinite();
    require(
        block.label_number.iter().all(number_or_none),
        "a label is infinite",
    )?;
    require(
        block.lines.iter().all(|&line| line < MAX_LINE),
        "a line number is too large",
    )?;
    require(
        block.weights.iter().all(|&w| w >= 0.0 && w.is_finite()),
        "a weight is negative or not finite",
    )
}

fn require(sound: bool, what: &'static str) -> Result<(), &'static str> {
    if sound { Ok(()) } else { Err(what) }
}

/// Whether parts that end so follow one another and fill `length`.
fn are_ends(ends: &[u64], length: usize) -> bool {
    let mut sound = ends.last().copied().unwrap_or(0) == length as u64;
    for (a, b) in ends.iter().zip(ends.iter().skip(1)) {
        sound &= a <= b;
    }
    sound
}

#[inline]
fn is_finite_and_not_zero(bits: u32) -> bool {
    const INFINITE: u32 = 0x7f80_0000;
    // without its sign, from the smallest positive number to the largest
    (bits & 0x7fff_ffff).wrapping_sub(1) < INFINITE - 1
}

/// Slots strictly increase in every row, from the lowest to the width. `ends` are known to be sound.
fn slots(block: &Block<'_>, lowest: u32) -> Result<(), &'static str> {
    let index = block.index;
    // between one row and the next they may fall: nowhere else must they
    let mut falls_between_rows = 0;
    let mut within = true;
    let mut start = 0;
    for &end in block.ends {
        let end = end as usize;
        if start < end {
            within &= index[start] >= lowest && index[end - 1] <= block.width;
            falls_between_rows += u64::from(start > 0 && index[start - 1] >= index[start]);
        }
        start = end;
    }
    require(
        falls(index) == falls_between_rows,
        "the slots of a row do not increase",
    )?;
    require(within, "a slot is 0 or past the width of the block")
}

/// How often a slot is followed by one that is not higher.
fn falls(index: &[u32]) -> u64 {
    let mut falls = 0;
    let mut before = index;
    let mut after = index.get(1..).unwrap_or(&[]);
    while !after.is_empty() {
        let run = after.len().min(RUN);
        let (a, b) = (&before[..run], &after[..run]);
        let count = |sum: u32, (a, b): (&u32, &u32)| sum + u32::from(a >= b);
        falls += u64::from(a.iter().zip(b).fold(0, count));
        (before, after) = (&before[run..], &after[run..]);
    }
    falls
}

#[cfg(test)]
mod tests {
    use novikoff::rows::{Block, Rows};

    use super::{block, falls, is_finite_and_not_zero};

    #[test]
    fn values_are_told_by_their_bits() {
        let sound = [
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            1e-45,
            -1e-45,
            f32::MAX,
            f32::MIN,
        ];
        let wrong = [
            0.0,
            -0.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
        ];
        assert!(sound.iter().all(|v| is_finite_and_not_zero(v.to_bits())));
        assert!(!wrong.iter().any(|v| is_finite_and_not_zero(v.to_bits())));
        assert!(!is_finite_and_not_zero(0xff80_0001));
    }

    #[test]
    fn falls_are_counted_past_any_run() {
        for length in [0, 1, 2, 3, 65_535, 65_536, 65_537, 200_001_usize] {
            let same = vec![7; length];
            assert_eq!(falls(&same), length.saturating_sub(1) as u64);
            let up: Vec<u32> = (0..length as u32).collect();
            assert_eq!(falls(&up), 0);
        }
    }

    fn rows() -> Rows {
        let mut rows = Rows::new();
        for slots in [&[1, 5][..], &[], &[5, 6], &[], &[2]] {
            for &slot in slots {
                rows.push(slot, 1.0);
            }
            rows.push_label(1.0, b"1");
            rows.set_weight(slots.len() as f32);
            rows.end_row(0);
        }
        rows
    }

    /// Says that a block is wrong, in these words.
    fn is_wrong(wrong: Block<'_>, words: &str) {
        let said = block(&wrong, 1).expect_err(words);
        assert!(said.contains(words), "{said}: {words}");
    }

    #[test]
    fn every_fault_of_ends_has_its_words() {
        let rows = rows();
        let sound = rows.view();
        assert_eq!(block(&sound, 1), Ok(()));
        assert_eq!(block(&Block::default(), 1), Ok(()));
        let value = &sound.value[1..];
        is_wrong(Block { value, ..sound }, "differ in length");
        let weights = &sound.weights[1..];
        is_wrong(Block { weights, ..sound }, "differ in length");
        for ends in [
            &[2, 1, 4, 4, 5],
            &[2, 2, 4, 4, 4],
            &[2, 2, 4, 4, 6],
            &[9, 2, 4, 4, 5],
            &[2, 2, 4, u64::MAX, 5],
        ] {
            is_wrong(Block { ends, ..sound }, "where the values end");
        }
        let label_ends = &[1, 2, 3, 4, 4];
        is_wrong(
            Block {
                label_ends,
                ..sound
            },
            "where the labels end",
        );
        let text_ends = &[1, 3, 2, 4, 5];
        is_wrong(Block { text_ends, ..sound }, "where their text ends");
    }

    #[test]
    fn every_fault_of_numbers_has_its_words() {
        let rows = rows();
        let sound = rows.view();
        for index in [&[5, 5, 5, 6, 2], &[1, 5, 6, 6, 2], &[1, 5, 6, 5, 2]] {
            is_wrong(Block { index, ..sound }, "do not increase");
        }
        for index in [&[0, 5, 5, 6, 2], &[1, 5, 5, 7, 2], &[1, 5, 5, 6, 0]] {
            is_wrong(Block { index, ..sound }, "0 or past the width");
        }
        for odd in [0.0, -0.0, f32::NAN, f32::INFINITY] {
            let value = &[1.0, 1.0, odd, 1.0, 1.0];
            is_wrong(Block { value, ..sound }, "zero or not finite");
        }
        let label_number = &[1.0, 1.0, f64::INFINITY, 1.0, 1.0];
        is_wrong(
            Block {
                label_number,
                ..sound
            },
            "infinite",
        );
        is_wrong(
            Block {
                lines: &[0, 0, 0, 1 << 62, 0],
                ..sound
            },
            "line number",
        );
        for odd in [-1.0, f32::NAN, f32::INFINITY] {
            let weights = &[1.0, 1.0, odd, 1.0, 1.0];
            is_wrong(Block { weights, ..sound }, "weight");
        }
    }
}
