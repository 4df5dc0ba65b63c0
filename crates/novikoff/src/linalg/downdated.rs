//! A symmetric matrix that loses squares of vectors one after the other, `S <- S - z z'`, and is asked for `S x` of sparse x.
//!
//! The vectors wait, and are taken off together: one sweep over the matrix for 64 of them. What waits counts in all answers.

use super::waiting::{PANEL, TILE, Waiting};

/// Numbers of a tile.
const AREA: usize = TILE * TILE;

/// Where the vectors are that share of the slots, one costs as much here as in the factor of a matrix of as many rows.
const QUARTER: usize = 4;

/// The matrix; the identity past what its vectors reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Downdated {
    /// The lower triangle in tiles: row by row of tiles, each tile row by row; those on the diagonal are whole.
    tiles: Vec<f64>,
    waiting: Waiting,
}

/// Where tile `(i, j)` begins, for `j <= i`.
fn start(i: usize, j: usize) -> usize {
    (i * (i + 1) / 2 + j) * AREA
}

impl Downdated {
    /// Slots from which on it is worth to save the sweep for each vector.
    pub(crate) const LEAST_SLOTS: usize = 2048;

    /// Slots up to which all pairs of them are affordable where a factor of inner products would be smaller.
    pub(crate) const MOST_SLOTS: usize = 8191;

    /// Slots come in lots of this many.
    pub(crate) const GRAIN: usize = TILE;

    /// How many rows of tiles.
    fn rows(&self) -> usize {
        self.waiting.len()
    }

    /// Slots it has room for.
    pub(crate) fn order(&self) -> usize {
        self.rows() * TILE
    }

    /// Bytes at `slots` slots.
    pub(crate) fn bytes(slots: usize) -> u128 {
        let rows = slots.div_ceil(TILE) as u128;
        8 * (rows * (rows + 1) / 2 * AREA as u128 + rows * PANEL as u128)
    }

    /// Whether this many vectors of that many slots cost less here than the factor of their inner products.
    pub(crate) fn pays(slots: usize, vectors: usize) -> bool {
        (Self::LEAST_SLOTS..=Self::MOST_SLOTS).contains(&slots) && vectors >= slots / QUARTER
    }

    /// Makes room for `slots` slots; new ones are those of the identity.
    pub(crate) fn reach(&mut self, slots: usize) {
        let rows = slots.div_ceil(TILE);
        let more = start(rows, 0).saturating_sub(self.tiles.len());
        self.tiles.reserve(more);
        for i in self.rows()..rows {
            let diagonal = start(i, i);
            self.tiles.resize(start(i + 1, 0), 0.0);
            for c in 0..TILE {
                self.tiles[diagonal + c * TILE + c] = 1.0;
            }
            self.waiting.reach(i + 1);
        }
    }

    /// Puts `column` and `own`, its number on the diagonal, in the place of a slot of the identity that no vector reached.
    pub(crate) fn put(&mut self, slot: usize, column: &[f64], own: f64) {
        let (i, r) = (slot / TILE, slot % TILE);
        let values = column.iter().chain([&own]);
        for (j, &value) in values.enumerate() {
            self.tiles[start(i, j / TILE) + r * TILE + j % TILE] = value;
            if j / TILE == i {
                // tiles on the diagonal are whole
                self.tiles[start(i, i) + j % TILE * TILE + r] = value;
            }
        }
    }

    /// `S x` for the `(slot, value)` pairs of x, which it must reach.
    pub(crate) fn times(&self, x: impl Iterator<Item = (usize, f64)> + Clone) -> Vec<f64> {
        let mut out = vec![0.0; self.order()];
        let (blocks, _) = out.as_chunks_mut::<TILE>();
        for (slot, value) in x.clone() {
            let (i, r) = (slot / TILE, slot % TILE);
            let left = self.tiles[start(i, 0)..start(i + 1, 0)].as_chunks::<TILE>();
            for (out, row) in blocks.iter_mut().zip(left.0.iter().skip(r).step_by(TILE)) {
                for l in 0..TILE {
                    out[l] += value * row[l];
                }
            }
            for (below, out) in blocks.iter_mut().enumerate().skip(i + 1) {
                let tile = &self.tiles[start(below, i)..start(below, i) + AREA];
                for l in 0..TILE {
                    out[l] += value * tile[l * TILE + r];
                }
            }
        }
        let coefficients = self.waiting.with(x);
        self.waiting.take_from(&coefficients, &mut out);
        out
    }

    /// `S p`, for as many numbers as it has slots.
    pub(crate) fn apply(&self, p: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.order()];
        let (values, _) = p.as_chunks::<TILE>();
        let (blocks, _) = out.as_chunks_mut::<TILE>();
        let (mut tiles, _) = self.tiles.as_chunks::<AREA>();
        for i in 0..blocks.len() {
            let (row, below) = tiles.split_at(i + 1);
            tiles = below;
            for (j, tile) in row.iter().enumerate() {
                for r in 0..TILE {
                    for c in 0..TILE {
                        blocks[i][r] += tile[r * TILE + c] * values[j][c];
                        if j < i {
                            blocks[j][c] += tile[r * TILE + c] * values[i][r];
                        }
                    }
                }
            }
        }
        let coefficients = self.waiting.with(p.iter().copied().enumerate());
        self.waiting.take_from(&coefficients, &mut out);
        out
    }

    /// `x'S x` for the `(slot, value)` pairs of x; S is the identity past its end.
    pub(crate) fn square(&self, x: impl Iterator<Item = (usize, f64)> + Clone) -> f64 {
        let order = self.order();
        let within = x.clone().filter(|(slot, _)| *slot < order);
        let mut sum = 0.0;
        for (a, xa) in within.clone() {
            for (b, xb) in within.clone().take_while(|(b, _)| *b <= a) {
                let tile = start(a / TILE, b / TILE);
                let value = self.tiles[tile + a % TILE * TILE + b % TILE];
                sum += if a == b { 1.0 } else { 2.0 } * xa * xb * value;
            }
        }
        let waiting = self.waiting.with(within);
        let past = x.filter(|(slot, _)| *slot >= order);
        let past: f64 = past.map(|(_, value)| value * value).sum();
        sum - waiting.iter().map(|c| c * c).sum::<f64>() + past
    }

    /// `S <- S - z z'`; z must not be longer than it reaches.
    pub(crate) fn subtract(&mut self, z: &[f64]) {
        if self.waiting.push(z) {
            let tiles = &mut self.tiles;
            self.waiting.empty(
                #[inline(always)]
                |i, j, sums| {
                    let tile = &mut tiles[start(i, j)..start(i, j) + AREA];
                    for (value, sum) in tile.iter_mut().zip(sums.as_flattened()) {
                        *value -= sum;
                    }
                },
            );
        }
    }

    /// Its numbers, to be kept: the tiles, the queue, and how many wait.
    pub(crate) fn parts(&self) -> (&[f64], &[f64], usize) {
        let (queue, waiting) = self.waiting.parts();
        (&self.tiles, queue, waiting)
    }

    /// The matrix of these numbers, if they fit together.
    pub(crate) fn of_parts(tiles: Vec<f64>, queue: Vec<f64>, waiting: usize) -> Option<Self> {
        let waiting = Waiting::of_parts(queue, waiting)?;
        let whole = tiles.len() == start(waiting.len(), 0);
        whole.then_some(Downdated { tiles, waiting })
    }
}

#[cfg(test)]
mod tests {
    use super::super::waiting::QUEUE;
    use super::*;
    use crate::random::SplitMix64;

    /// Against the whole matrix, while it grows and vectors come.
    #[test]
    fn it_is_the_matrix_that_it_says() {
        let mut random = SplitMix64::new(8);
        let mut value = || random.uniform() - 0.5;
        let most = 43;
        let mut plain = vec![vec![0.0; most]; most];
        for (i, row) in plain.iter_mut().enumerate() {
            row[i] = 1.0;
        }
        let mut s = Downdated::default();
        for round in 0..2 * QUEUE + 30 {
            let slots = (3 + round / 3).min(most);
            s.reach(slots);
            assert!(s.order() >= slots);
            let z: Vec<f64> = (0..slots).map(|_| 0.2 * value()).collect();
            s.subtract(&z);
            for (i, zi) in z.iter().enumerate() {
                for (j, zj) in z.iter().enumerate() {
                    plain[i][j] -= zi * zj;
                }
            }
            let x: Vec<(usize, f64)> = (0..slots).step_by(2).map(|j| (j, value())).collect();
            let mut dense = vec![0.0; s.order()];
            for &(j, v) in &x {
                dense[j] = v;
            }
            let times = s.times(x.iter().copied());
            let applied = s.apply(&dense);
            let mut square = 0.0;
            for i in 0..slots {
                let want: f64 = x.iter().map(|&(j, v)| plain[i][j] * v).sum();
                assert!((times[i] - want).abs() < 1e-12, "{round}, {i}");
                assert!((applied[i] - want).abs() < 1e-12, "{round}, {i}");
                square += dense[i] * want;
            }
            // a slot that it does not reach
            let far = x.iter().copied().chain([(most + 9, 2.0)]);
            assert!((s.square(far) - square - 4.0).abs() < 1e-12, "{round}");
            let (tiles, queue, waiting) = s.parts();
            let kept = Downdated::of_parts(tiles.to_vec(), queue.to_vec(), waiting);
            assert_eq!(kept.expect("whole").times(x.into_iter()), times);
        }
        assert_eq!(
            Downdated::bytes(most),
            8 * (s.tiles.len() + s.waiting.parts().0.len()) as u128
        );
    }

    #[test]
    fn numbers_that_do_not_fit_are_no_matrix() {
        for (tiles, queue, waiting) in [(64, 511, 0), (63, 512, 0), (64, 512, 64), (64, 1024, 0)] {
            assert!(Downdated::of_parts(vec![0.0; tiles], vec![0.0; queue], waiting).is_none());
        }
        assert!(Downdated::of_parts(vec![0.0; 64], vec![0.0; 512], 63).is_some());
    }
}
