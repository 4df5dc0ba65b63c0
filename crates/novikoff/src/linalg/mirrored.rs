//! A symmetric matrix of hundreds of slots that loses squares of vectors one after the other, `S <- S - z z'`, and is asked for `S x`.
//!
//! All of it is stored, both triangles: a column lies in one piece, so the columns of a sparse x are read at the speed of memory. As in
//! [`Downdated`](super::Downdated) the vectors wait in a queue and are taken off together.

use super::row_start;
use super::waiting::{QUEUE, TILE, Waiting};
use crate::simd::wide;

/// Columns that are added up at once.
const COLUMNS: usize = 4;

/// Slots come in lots of this many.
const LOT: usize = 64;

/// The matrix; the identity past what its vectors reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mirrored {
    slots: usize,
    /// Column by column, each of [`stride`] numbers.
    columns: Vec<f64>,
    waiting: Waiting,
}

/// Numbers of a column, not a power of two: the columns of a tile are in different parts of a cache.
fn stride(slots: usize) -> usize {
    if slots == 0 {
        0
    } else {
        slots.next_multiple_of(LOT) + TILE
    }
}

/// Adds multiples of columns to `out`.
#[inline(always)]
fn add_columns(columns: &[f64], slots: &[usize], values: &[f64], out: &mut [f64]) {
    let stride = out.len();
    let (some, rest) = slots.as_chunks::<COLUMNS>();
    let (by, by_rest) = values.as_chunks::<COLUMNS>();
    for (&[p, q, r, s], by) in some.iter().zip(by) {
        let p = &columns[p * stride..][..stride];
        let q = &columns[q * stride..][..stride];
        let r = &columns[r * stride..][..stride];
        let s = &columns[s * stride..][..stride];
        for i in 0..stride {
            out[i] += (by[0] * p[i] + by[1] * q[i]) + (by[2] * r[i] + by[3] * s[i]);
        }
    }
    for (&slot, by) in rest.iter().zip(by_rest) {
        for (out, value) in out.iter_mut().zip(&columns[slot * stride..]) {
            *out += by * value;
        }
    }
}

impl Mirrored {
    /// Slots up to which S and a few vectors are affordable where its factor would be half as large.
    pub(crate) const MOST_SLOTS: usize = 2047;

    /// Slots from which on it costs less than a factor.
    pub(crate) const LEAST_SLOTS: usize = 128;

    /// How many slots.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// Bytes at `slots` slots.
    pub(crate) fn bytes(slots: usize) -> u128 {
        let stride = stride(slots) as u128;
        8 * stride * (stride + QUEUE as u128)
    }

    /// Makes room for `slots` slots; new ones are those of the identity.
    pub(crate) fn reach(&mut self, slots: usize) {
        if slots <= self.slots {
            return;
        }
        let (old, new) = (stride(self.slots), stride(slots));
        if new > old {
            let mut columns = vec![0.0; new * new];
            let all = columns.chunks_exact_mut(new);
            for (column, was) in all.zip(self.columns.chunks_exact(old.max(1))) {
                column[..old].copy_from_slice(was);
            }
            for (j, column) in columns.chunks_exact_mut(new).enumerate().skip(old) {
                column[j] = 1.0;
            }
            self.columns = columns;
        }
        self.waiting.reach(slots.div_ceil(TILE));
        self.slots = slots;
    }

    /// `S x` for the `(slot, value)` pairs of x, which it must reach.
    pub(crate) fn times(&self, x: impl Iterator<Item = (usize, f64)> + Clone) -> Vec<f64> {
        let (slots, values): (Vec<usize>, Vec<f64>) = x.clone().unzip();
        let mut out = vec![0.0; stride(self.slots)];
        wide(
            #[inline(always)]
            || add_columns(&self.columns, &slots, &values, &mut out),
        );
        let coefficients = self.waiting.with(x);
        self.waiting.take_from(&coefficients, &mut out);
        out
    }

    /// `x'S x` for the `(slot, value)` pairs of x; S is the identity past its end.
    pub(crate) fn square(&self, x: impl Iterator<Item = (usize, f64)> + Clone) -> f64 {
        let within = x.clone().filter(|&(slot, _)| slot < self.slots);
        let past = x.filter(|&(slot, _)| slot >= self.slots);
        let past: f64 = past.map(|(_, value)| value * value).sum();
        let times = self.times(within.clone());
        within.map(|(slot, value)| value * times[slot]).sum::<f64>() + past
    }

    /// `S <- S - S x x'S/(a + x'S x)` for the `(slot, value)` pairs of x, which it must reach; gives `S x` before and `a + x'S x`.
    pub(crate) fn shrink(
        &mut self,
        x: impl Iterator<Item = (usize, f64)> + Clone,
        a: f64,
    ) -> (Vec<f64>, f64) {
        let mut sx = self.times(x.clone());
        sx.truncate(self.slots);
        let within: f64 = x.map(|(slot, value)| value * sx[slot]).sum();
        let whole = a + within.max(0.0);
        let root = whole.sqrt();
        let z: Vec<f64> = sx.iter().map(|value| value / root).collect();
        self.subtract(&z);
        (sx, whole)
    }

    /// `S <- S - z z'` for a z of all slots.
    fn subtract(&mut self, z: &[f64]) {
        if self.waiting.push(z) {
            self.take_off();
        }
    }

    /// Takes all waiting vectors off.
    fn take_off(&mut self) {
        let stride = stride(self.slots);
        let columns = &mut self.columns;
        self.waiting.empty(
            #[inline(always)]
            |i, j, sums| {
                let mut tile = *sums;
                for (r, row) in tile.iter_mut().enumerate() {
                    let column = &mut columns[(i * TILE + r) * stride + j * TILE..][..TILE];
                    for (value, sum) in column.iter_mut().zip(row) {
                        *value -= *sum;
                        *sum = *value;
                    }
                }
                if i != j {
                    for c in 0..TILE {
                        let column = &mut columns[(j * TILE + c) * stride + i * TILE..][..TILE];
                        for (r, value) in column.iter_mut().enumerate() {
                            *value = tile[r][c];
                        }
                    }
                }
            },
        );
    }

    /// The upper factor U of `S = U U'`, column by column, in the place of S.
    pub(crate) fn into_factor(mut self) -> Vec<f64> {
        self.take_off();
        let (slots, stride) = (self.slots, stride(self.slots));
        let mut s = self.columns;
        wide(
            #[inline(always)]
            || {
                for j in (0..slots).rev() {
                    let (left, right) = s.split_at_mut((j + 1) * stride);
                    let column = &mut left[j * stride..][..=j];
                    for done in right.chunks_exact(stride).take(slots - j - 1) {
                        let by = done[j];
                        for (value, done) in column.iter_mut().zip(done) {
                            *value -= by * done;
                        }
                    }
                    // S is positive definite but for rounding
                    let root = column[j].max(f64::MIN_POSITIVE).sqrt();
                    for value in &mut column[..j] {
                        *value /= root;
                    }
                    column[j] = root;
                }
            },
        );
        for j in 1..slots {
            s.copy_within(j * stride..=j * stride + j, row_start(j));
        }
        s.truncate(row_start(slots));
        s.shrink_to_fit();
        s
    }

    /// Its numbers, to be kept: the lower triangle of S but for what waits, row by row, and the waiting vectors, one after the other.
    pub(crate) fn parts(&self) -> (Vec<f64>, Vec<f64>) {
        let columns = self.columns.chunks_exact(stride(self.slots).max(1));
        let triangle = columns
            .take(self.slots)
            .enumerate()
            .flat_map(|(j, column)| &column[..=j]);
        (
            triangle.copied().collect(),
            self.waiting.vectors(self.slots),
        )
    }

    /// The matrix of these numbers, if they fit together.
    pub(crate) fn of_parts(slots: usize, triangle: &[f64], waiting: &[f64]) -> Option<Self> {
        if triangle.len() != row_start(slots)
            || !waiting.len().is_multiple_of(slots.max(1))
            || waiting.len() / slots.max(1) >= QUEUE
        {
            return None;
        }
        let mut new = Mirrored::default();
        new.reach(slots);
        let stride = stride(slots);
        for i in 0..slots {
            for (j, value) in triangle[row_start(i)..=row_start(i) + i].iter().enumerate() {
                new.columns[i * stride + j] = *value;
                new.columns[j * stride + i] = *value;
            }
        }
        for z in waiting.chunks_exact(slots.max(1)) {
            new.waiting.push(z);
        }
        Some(new)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{factor_grow, factor_shrink};
    use super::*;
    use crate::random::SplitMix64;

    /// Against the factor of the same matrix, while it grows and vectors come, sparse and dense.
    #[test]
    fn it_shrinks_as_a_factor_does() {
        let mut random = SplitMix64::new(8);
        let mut s = Mirrored::default();
        let mut u = Vec::new();
        for round in 0..2 * QUEUE + 30 {
            let slots = 3 + round / 2;
            s.reach(slots);
            factor_grow(&mut u, slots);
            let part = if round.is_multiple_of(3) { 1.0 } else { 0.2 };
            let x: Vec<(usize, f64)> = (0..slots)
                .filter_map(|j| (random.uniform() < part).then_some((j, random.uniform() - 0.4)))
                .collect();
            let far = x.iter().copied().chain([(slots + 70, 2.0)]);
            let square = s.square(far) - 4.0;
            let mut want = Vec::new();
            let want_whole = factor_shrink(&mut u, x.iter().copied(), 0.3, &mut want);
            let (got, whole) = s.shrink(x.iter().copied(), 0.3);
            assert!((whole - want_whole).abs() < 1e-12, "{round}");
            assert!((square - (whole - 0.3)).abs() < 1e-12, "{round}");
            assert_eq!(got.len(), slots);
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() < 1e-12, "{round}: {got}, not {want}");
            }
            let (triangle, waiting) = s.parts();
            let again = Mirrored::of_parts(slots, &triangle, &waiting).expect("whole");
            let x = || x.iter().copied();
            assert_eq!(again.times(x()), s.times(x()));
            let factor = s.clone().into_factor();
            assert_eq!(factor.len(), u.len());
            for (got, want) in factor.iter().zip(&u) {
                assert!((got - want).abs() < 1e-12, "{round}: {got}, not {want}");
            }
            let numbers = s.columns.len() + s.waiting.parts().0.len();
            assert!(8 * numbers as u128 <= Mirrored::bytes(slots));
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_no_matrix() {
        for (triangle, waiting) in [(2, 4), (4, 4), (3, 3), (3, 2 * QUEUE)] {
            assert!(
                Mirrored::of_parts(2, &vec![0.0; triangle], &vec![0.0; waiting]).is_none(),
                "{triangle}, {waiting}"
            );
        }
        assert!(Mirrored::of_parts(2, &[1.0, 0.0, 1.0], &[0.0; 4]).is_some());
    }
}
