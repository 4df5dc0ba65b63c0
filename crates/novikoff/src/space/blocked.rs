//! Stored rows by blocks of adjacent slots, for many inner products with one vector.
//!
//! Rows whose values come in runs, as those of pictures do, fill their blocks. A block is met by wide vectors, without looking up each slot.

use super::StoredRows;
use crate::row::Row;
use crate::simd::wide;

/// Slots of a block.
const BLOCK: usize = 4;

/// Blocks whose sums are side by side.
const SIDE: usize = 4;

/// The most bytes that the blocks of a row may have for each of its values, which have 8 with their slots; other rows have no blocks.
const LARGEST: usize = 12;

/// The blocks of stored rows, where they are worth it. A sum has sixteen fixed parts: block `i` goes to the four of `i % 4`.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockedRows {
    /// Where the blocks of each row end; a row without blocks has none or is not worth it.
    ends: Vec<usize>,
    /// The first slot of each block, over [`BLOCK`].
    at: Vec<u32>,
    values: Vec<[f32; BLOCK]>,
}

impl BlockedRows {
    /// Those of rows that are stored already.
    pub(crate) fn of(rows: &StoredRows) -> Self {
        let mut blocked = BlockedRows::default();
        rows.rows().for_each(|row| blocked.push(row));
        blocked
    }

    /// The next row.
    pub(crate) fn push(&mut self, x: Row<'_>) {
        let block_of = |(j, _): (u32, f32)| j / BLOCK as u32;
        let (mut blocks, mut last) = (0, None);
        for at in x.stored().1.map(block_of) {
            blocks += usize::from(last != Some(at));
            last = Some(at);
        }
        let bytes = blocks * (size_of::<[f32; BLOCK]>() + size_of::<u32>());
        if bytes <= LARGEST * x.len() {
            last = None;
            for (j, v) in x.stored().1 {
                let at = j / BLOCK as u32;
                if last != Some(at) {
                    self.at.push(at);
                    self.values.push([0.0; BLOCK]);
                    last = Some(at);
                }
                if let Some(block) = self.values.last_mut() {
                    block[j as usize % BLOCK] = v;
                }
            }
        }
        self.ends.push(self.at.len());
    }

    /// Bytes of the blocks.
    pub(crate) fn bytes(&self) -> u128 {
        (8 * self.ends.len() + (4 + 4 * BLOCK) * self.at.len()) as u128
    }

    /// A vector of zeros for `slots` slots: whole blocks.
    pub(crate) fn zeros(slots: usize) -> Vec<f64> {
        vec![0.0; slots.next_multiple_of(BLOCK)]
    }

    fn row(&self, place: usize) -> (&[u32], &[[f32; BLOCK]]) {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        let range = start..self.ends[place];
        (&self.at[range.clone()], &self.values[range])
    }

    /// `w . x` of the row at a place of `rows`; `w` has whole blocks and reaches the row's last slot.
    pub(crate) fn dot(&self, rows: &StoredRows, place: usize, w: &[f64]) -> f64 {
        let (at, values) = self.row(place);
        if at.is_empty() {
            return rows.row(place).dot(w);
        }
        let sum = wide(
            #[inline(always)]
            || {
                let (w, _) = w.as_chunks::<BLOCK>();
                let mut sums = [[0.0; BLOCK]; SIDE];
                let (at, at_rest) = at.as_chunks::<SIDE>();
                let (values, values_rest) = values.as_chunks::<SIDE>();
                for (at, values) in at.iter().zip(values) {
                    for n in 0..SIDE {
                        let w = w[at[n] as usize];
                        for l in 0..BLOCK {
                            sums[n][l] += f64::from(values[n][l]) * w[l];
                        }
                    }
                }
                let rest = at_rest.iter().zip(values_rest);
                for (sums, (&at, values)) in sums.iter_mut().zip(rest) {
                    let w = w[at as usize];
                    for l in 0..BLOCK {
                        sums[l] += f64::from(values[l]) * w[l];
                    }
                }
                let [p, q, s, t] = sums;
                let part = |l: usize| (p[l] + q[l]) + (s[l] + t[l]);
                (part(0) + part(2)) + (part(1) + part(3))
            },
        );
        rows.scale(place) * sum
    }

    /// `w <- w + c x`, likewise; what [`Row::add_to`] does, to the bit.
    pub(crate) fn add_to(&self, rows: &StoredRows, (c, place): (f64, usize), w: &mut [f64]) {
        let (at, values) = self.row(place);
        if at.is_empty() {
            rows.row(place).add_to(c, w);
            return;
        }
        let c = c * rows.scale(place);
        wide(
            #[inline(always)]
            move || {
                let (w, _) = w.as_chunks_mut::<BLOCK>();
                for (&at, values) in at.iter().zip(values) {
                    // a copy, which nothing else can be
                    let mut sums = w[at as usize];
                    for l in 0..BLOCK {
                        sums[l] += c * f64::from(values[l]);
                    }
                    w[at as usize] = sums;
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// Sums over blocks are those over values, for rows in runs, scattered, dense and without values.
    #[test]
    fn blocks_are_rows() {
        let mut random = SplitMix64::new(2);
        let mut rows = StoredRows::default();
        for case in 0..400_usize {
            let (mut inside, slots) = (false, 1 + random.below(90) as u32);
            let mut index: Vec<u32> = Vec::new();
            for j in 0..slots {
                inside ^= random.below(6) == 0;
                if [inside, random.below(20) == 0, true, false][case % 4] {
                    index.push(j);
                }
            }
            let value: Vec<f32> = index
                .iter()
                .map(|_| random.uniform() as f32 - 0.5)
                .collect();
            let scale = [1.0, -0.3][case / 4 % 2];
            rows.push(Row::sparse(&index, &value).scaled(scale));
        }
        let mut blocked = BlockedRows::default();
        rows.rows().for_each(|row| blocked.push(row));
        let mut w = BlockedRows::zeros(91);
        for w in &mut w {
            *w = random.uniform() - 0.5;
        }
        let mut plain = w.clone();
        for (place, row) in rows.rows().enumerate() {
            let (got, want) = (blocked.dot(&rows, place, &w), row.dot(&w));
            assert!((got - want).abs() < 1e-13, "{got}, not {want}");
            blocked.add_to(&rows, (0.7, place), &mut w);
            row.add_to(0.7, &mut plain);
            assert_eq!(w, plain);
        }
        let kept = (0..400).filter(|place| !blocked.row(*place).0.is_empty());
        let kept = kept.count();
        assert!((150..300).contains(&kept), "{kept}");
        let bytes = (blocked.bytes(), 3 * rows.bytes() / 2);
        assert!(bytes.0 <= bytes.1, "{bytes:?}");
    }
}
