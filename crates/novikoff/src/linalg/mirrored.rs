//! A symmetric matrix of hundreds of slots that loses squares of vectors one after the other, `S <- S - z z'`, and is asked for `S x`.
//!
//! All of it is stored, both triangles: a column lies in one piece, so the columns of a sparse x are read at the speed of memory. As in
//! [`Downdated`](super::Downdated) the vectors wait in a queue and are taken off together. Slots have places in the order in which vectors
//! had them; those that no vector had, as the pixels of a margin, have none, and cost nothing.

use super::row_start;
use super::waiting::{QUEUE, TILE, Waiting};
use crate::simd::widest;

/// Columns that are added up at once.
const COLUMNS: usize = 4;

/// Places come in lots of this many.
const LOT: usize = 64;

/// The place of a slot that no vector had.
const NOWHERE: u32 = u32::MAX;

/// The matrix; the identity past what its vectors reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mirrored {
    /// The place of each slot.
    places: Vec<u32>,
    /// The slot of each place.
    slots: Vec<u32>,
    /// Column by column, each of `stride` numbers; the identity past the places.
    columns: Vec<f64>,
    stride: usize,
    waiting: Waiting,
}

/// Numbers of a column, not a power of two: the columns of a tile are in different parts of a cache.
fn stride(places: usize) -> usize {
    if places == 0 {
        0
    } else {
        places.next_multiple_of(LOT) + TILE
    }
}

/// Adds multiples of columns to `out`.
#[inline(always)]
fn add_columns(columns: &[f64], stride: usize, x: &[(usize, f64)], out: &mut [f64]) {
    let long = out.len();
    let column = |place: usize| &columns[place * stride..][..long];
    let (some, rest) = x.as_chunks::<COLUMNS>();
    for x in some {
        let [p, q, r, s] = x.map(|(place, _)| column(place));
        let by = x.map(|(_, by)| by);
        for i in 0..long {
            out[i] += (by[0] * p[i] + by[1] * q[i]) + (by[2] * r[i] + by[3] * s[i]);
        }
    }
    for &(place, by) in rest {
        for (out, value) in out.iter_mut().zip(column(place)) {
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
        self.places.len()
    }

    /// Bytes at `slots` slots, at most.
    pub(crate) fn bytes(slots: usize) -> u128 {
        let stride = stride(slots) as u128;
        8 * (stride * (stride + QUEUE as u128) + slots as u128)
    }

    /// Makes room for `slots` slots; new ones are those of the identity.
    pub(crate) fn reach(&mut self, slots: usize) {
        let slots = slots.max(self.slots());
        self.places.resize(slots, NOWHERE);
    }

    /// The place of a slot, which it must reach; a slot that has none gets one.
    fn place(&mut self, slot: usize) -> usize {
        if self.places[slot] == NOWHERE {
            self.places[slot] = self.slots.len() as u32;
            self.slots.push(slot as u32);
        }
        self.places[slot] as usize
    }

    /// Makes room for all places.
    fn grow(&mut self) {
        let places = self.slots.len();
        let old = self.stride;
        if stride(places) > old {
            let new = stride((places + places / 2).min(self.slots()));
            let mut columns = vec![0.0; new * new];
            let all = columns.chunks_exact_mut(new);
            for (column, was) in all.zip(self.columns.chunks_exact(old.max(1))) {
                column[..old].copy_from_slice(was);
            }
            for (j, column) in columns.chunks_exact_mut(new).enumerate().skip(old) {
                column[j] = 1.0;
            }
            (self.columns, self.stride) = (columns, new);
        }
        self.waiting.reach(places.div_ceil(TILE));
    }

    /// `S x` for the `(place, value)` pairs of x, by places; the place after the last has the identity's column.
    fn times(&self, x: &[(usize, f64)]) -> Vec<f64> {
        let mut out = vec![0.0; self.slots.len().next_multiple_of(TILE)];
        let reached = x.iter().filter(|(place, _)| *place < self.slots.len());
        let with = self.waiting.with(reached.copied());
        widest(
            #[inline(always)]
            |_| add_columns(&self.columns, self.stride, x, &mut out),
        );
        self.waiting.take_from(&with, &mut out);
        out
    }

    /// `x'S x` for the `(slot, value)` pairs of x; S is the identity where no vector was.
    pub(crate) fn square(&self, x: impl Iterator<Item = (usize, f64)> + Clone) -> f64 {
        let of = |slot: usize| self.places.get(slot).map(|place| *place as usize);
        let beyond = self.slots.len();
        // a slot without a place has the column of the next place, which is the identity's
        let within = x
            .clone()
            .filter_map(|(slot, value)| Some((of(slot)?.min(beyond), value)));
        let placed: Vec<(usize, f64)> = within.collect();
        let past = x.filter(|&(slot, _)| of(slot).is_none());
        let past: f64 = past.map(|(_, value)| value * value).sum();
        let times = self.times(&placed);
        let own = |&(place, value): &(usize, f64)| {
            value * if place < beyond { times[place] } else { value }
        };
        placed.iter().map(own).sum::<f64>() + past
    }

    /// `S <- S - S x x'S/(a + x'S x)` for the `(slot, value)` pairs of x, which it must reach; gives `S x` before and `a + x'S x`.
    pub(crate) fn shrink(
        &mut self,
        x: impl Iterator<Item = (usize, f64)> + Clone,
        a: f64,
    ) -> (Vec<f64>, f64) {
        let x: Vec<(usize, f64)> = x.map(|(slot, value)| (self.place(slot), value)).collect();
        self.grow();
        let mut times = self.times(&x);
        let within: f64 = x.iter().map(|&(place, value)| value * times[place]).sum();
        let whole = a + within.max(0.0);
        let mut sx = vec![0.0; self.slots()];
        for (slot, value) in self.slots.iter().zip(&times) {
            sx[*slot as usize] = *value;
        }
        let root = whole.sqrt();
        for value in &mut times {
            *value /= root;
        }
        self.subtract(&times);
        (sx, whole)
    }

    /// `S <- S - z z'` for a z of all places.
    fn subtract(&mut self, z: &[f64]) {
        if self.waiting.push(z) {
            self.take_off();
        }
    }

    /// Takes all waiting vectors off.
    fn take_off(&mut self) {
        let stride = self.stride;
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

    /// The upper factor U of `S = U U'`, column by column.
    pub(crate) fn into_factor(mut self) -> Vec<f64> {
        self.take_off();
        let slots = self.slots();
        let mut s = self.triangle();
        drop(self);
        widest(
            #[inline(always)]
            |_| {
                for j in (0..slots).rev() {
                    let (left, mut right) = s.split_at_mut(row_start(j + 1));
                    let column = &mut left[row_start(j)..];
                    for k in j + 1..slots {
                        let (done, more) = right.split_at_mut(k + 1);
                        let by = done[j];
                        for (value, done) in column.iter_mut().zip(done) {
                            *value -= by * *done;
                        }
                        right = more;
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
        s
    }

    /// The lower triangle of S but for what waits, row by row.
    fn triangle(&self) -> Vec<f64> {
        let mut triangle = vec![0.0; row_start(self.slots())];
        for (i, place) in self.places.iter().enumerate() {
            let row = &mut triangle[row_start(i)..][..=i];
            if *place == NOWHERE {
                row[i] = 1.0;
                continue;
            }
            let column = &self.columns[*place as usize * self.stride..][..self.stride];
            for (value, place) in row.iter_mut().zip(&self.places) {
                if *place != NOWHERE {
                    *value = column[*place as usize];
                }
            }
        }
        triangle
    }

    /// Its numbers, to be kept: the lower triangle of S but for what waits, row by row, and the waiting vectors, one after the other.
    pub(crate) fn parts(&self) -> (Vec<f64>, Vec<f64>) {
        let placed = self.waiting.vectors(self.slots.len());
        let slots = self.slots();
        let mut vectors = vec![0.0; self.waiting.count() * slots];
        let all = vectors.chunks_exact_mut(slots.max(1));
        for (vector, placed) in all.zip(placed.chunks_exact(self.slots.len().max(1))) {
            for (slot, value) in self.slots.iter().zip(placed) {
                vector[*slot as usize] = *value;
            }
        }
        (self.triangle(), vectors)
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
        let vectors = || waiting.chunks_exact(slots.max(1));
        let row = |i: usize| &triangle[row_start(i)..][..=i];
        for i in 0..slots {
            let others = row(i)[..i].iter().chain((i + 1..slots).map(|k| &row(k)[i]));
            let was = row(i)[i] != 1.0 || vectors().any(|z| z[i] != 0.0);
            if was || others.into_iter().any(|value| *value != 0.0) {
                new.place(i);
            }
        }
        new.grow();
        let stride = new.stride;
        for (i, at) in new
            .places
            .iter()
            .enumerate()
            .filter(|(_, at)| **at != NOWHERE)
        {
            for (value, place) in row(i).iter().zip(&new.places) {
                if *place != NOWHERE {
                    new.columns[*at as usize * stride + *place as usize] = *value;
                    new.columns[*place as usize * stride + *at as usize] = *value;
                }
            }
        }
        for z in vectors() {
            let z: Vec<f64> = new.slots.iter().map(|slot| z[*slot as usize]).collect();
            new.waiting.push(&z);
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
            assert_eq!(again.square(x()).to_bits(), s.square(x()).to_bits());
            let factor = s.clone().into_factor();
            assert_eq!(factor.len(), u.len());
            for (got, want) in factor.iter().zip(&u) {
                assert!((got - want).abs() < 1e-12, "{round}: {got}, not {want}");
            }
            let numbers = s.columns.len() + s.waiting.parts().0.len();
            assert!(8 * numbers as u128 <= Mirrored::bytes(slots));
        }
    }

    /// A slot costs something from its first vector on, and the order of places leaves no trace.
    #[test]
    fn slots_without_vectors_have_no_place() {
        let mut random = SplitMix64::new(9);
        let slots = 3 * LOT;
        let mut one = Mirrored::default();
        one.reach(slots);
        let mut two = one.clone();
        for round in 0..2 * QUEUE + 9 {
            // from the last slots to the first
            let from = (2 * QUEUE - round.min(2 * QUEUE)) / 2;
            let x: Vec<(usize, f64)> = (from..slots)
                .filter_map(|j| (random.uniform() < 0.1).then_some((j, random.uniform() - 0.4)))
                .filter(|(j, _)| j % 7 != 3)
                .collect();
            let x = || x.iter().copied();
            let (got, whole) = one.shrink(x(), 1.0);
            assert_eq!((got, whole), two.shrink(x(), 1.0), "{round}");
            if round % 30 == 20 {
                let (triangle, waiting) = two.parts();
                two = Mirrored::of_parts(slots, &triangle, &waiting).expect("whole");
                assert_ne!(one.slots, two.slots);
                assert_eq!(one.parts(), two.parts());
            }
        }
        assert!(one.slots.iter().all(|slot| slot % 7 != 3));
        assert_eq!(one.into_factor(), two.into_factor());
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
