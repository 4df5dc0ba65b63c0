//! Dot products with many vectors at once, each added in the order of the row.

use std::iter::zip;

use super::{LANES, Values};
use crate::simd::wide;

/// The partial sums of `w . x` for several vectors of one length, in one visit of the values, which must lie inside the vectors.
pub(super) fn dot_each<const N: usize>(values: Values<'_>, w: [&[f64]; N]) -> [[f64; LANES]; N] {
    wide(
        #[inline(always)]
        || plain_dot_each(values, w),
    )
}

#[inline(always)]
fn plain_dot_each<const N: usize>(values: Values<'_>, w: [&[f64]; N]) -> [[f64; LANES]; N] {
    let mut sums = [[0.0; LANES]; N];
    match values {
        Values::Run { value: [], .. } => {}
        Values::Run { first, value } => {
            let w = w.map(|w| &w[first as usize..first as usize + value.len()]);
            let whole = value.len() / LANES * LANES;
            for at in (0..whole).step_by(LANES) {
                let v: [f64; LANES] = std::array::from_fn(|l| f64::from(value[at + l]));
                for n in 0..N {
                    let w = &w[n][at..at + LANES];
                    for l in 0..LANES {
                        sums[n][l] += v[l] * w[l];
                    }
                }
            }
            for at in whole..value.len() {
                for n in 0..N {
                    sums[n][at - whole] += f64::from(value[at]) * w[n][at];
                }
            }
        }
        Values::Sparse { index, value } => {
            // slots are looked up once for all vectors
            let slots = w.first().map_or(0, |w| w.len());
            let w = w.map(|w| &w[..slots]);
            let (blocks, rest) = value.as_chunks::<LANES>();
            let (j_blocks, j_rest) = index.as_chunks::<LANES>();
            for (v, j) in zip(blocks, j_blocks) {
                for l in 0..LANES {
                    let (v, j) = (f64::from(v[l]), j[l] as usize);
                    for n in 0..N {
                        sums[n][l] += v * w[n][j];
                    }
                }
            }
            for (l, (&v, &j)) in zip(rest, j_rest).enumerate() {
                for n in 0..N {
                    sums[n][l] += f64::from(v) * w[n][j as usize];
                }
            }
        }
    }
    sums
}

/// [`dots`] with several sets of vectors of one size, in one visit of the values.
pub(super) fn dots_each<const N: usize>(
    values: Values<'_>,
    w: [&[f64]; N],
    (stride, lanes): (usize, usize),
    (at, out): ([usize; N], &mut [f64]),
) {
    wide(
        #[inline(always)]
        || {
            let mut k = 0;
            while k < lanes {
                let width = if stride >= k + 8 { 8 } else { 1 };
                let to = at.map(|at| at + k);
                let room = width.min(lanes - k);
                if width == 8 {
                    block_each::<8, N>(values, w, (stride, k), (to, room, out));
                } else {
                    block_each::<1, N>(values, w, (stride, k), (to, room, out));
                }
                k += width;
            }
        },
    );
}

/// Adds a value times the numbers at one place of each set. A function, for a closure would not be compiled for wide vectors.
#[inline(always)]
fn add_lines<const L: usize, const N: usize>(
    sums: &mut [[f64; L]; N],
    v: f32,
    w: [&[f64]; N],
    at: usize,
) {
    let v = f64::from(v);
    for n in 0..N {
        let lanes: &[f64] = &w[n][at..at + L];
        for l in 0..L {
            sums[n][l] += v * lanes[l];
        }
    }
}

/// `L` adjacent vectors of each of `N` sets.
#[inline(always)]
fn block_each<const L: usize, const N: usize>(
    values: Values<'_>,
    w: [&[f64]; N],
    (stride, k): (usize, usize),
    (to, room, out): ([usize; N], usize, &mut [f64]),
) {
    let mut sums = [[0.0; L]; N];
    let len = w.first().map_or(0, |w| w.len());
    let w = w.map(|w| &w[..len]);
    match values {
        Values::Run { first, value } => {
            for (i, &v) in value.iter().enumerate() {
                add_lines(&mut sums, v, w, (first as usize + i) * stride + k);
            }
        }
        Values::Sparse { index, value } => {
            for (&j, &v) in zip(index, value) {
                add_lines(&mut sums, v, w, j as usize * stride + k);
            }
        }
    }
    for (to, sums) in zip(to, sums) {
        out[to..to + room].copy_from_slice(&sums[..room]);
    }
}

/// `out[k] = sum over the row of value * w[slot * stride + k]`.
pub(super) fn dots(values: Values<'_>, w: &[f64], stride: usize, out: &mut [f64]) {
    wide(
        #[inline(always)]
        || plain_dots(values, w, stride, out),
    );
}

#[inline(always)]
fn plain_dots(values: Values<'_>, w: &[f64], stride: usize, out: &mut [f64]) {
    let mut k = 0;
    while k + 16 <= stride && k + 8 < out.len() {
        block::<16>(values, w, stride, k, &mut out[k..]);
        k += 16;
    }
    while k + 8 <= stride && k < out.len() {
        block::<8>(values, w, stride, k, &mut out[k..]);
        k += 8;
    }
    while k < out.len() {
        block::<1>(values, w, stride, k, &mut out[k..]);
        k += 1;
    }
}

#[inline(always)]
fn block<const N: usize>(values: Values<'_>, w: &[f64], stride: usize, k: usize, out: &mut [f64]) {
    let room = out.len().min(N);
    block_each::<N, 1>(values, [w], (stride, k), ([0], room, out));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_plain_agree_to_the_bit() {
        let mut random = crate::random::SplitMix64::new(1);
        for (slots, stride, lanes) in [
            (50, 8, 3),
            (50, 16, 11),
            (9, 64, 64),
            (7, 128, 100),
            (5, 3, 3),
        ] {
            let w: Vec<f64> = (0..slots * stride)
                .map(|_| random.uniform() - 0.5)
                .collect();
            let index: Vec<u32> = (0..slots as u32).filter(|j| j % 3 != 1).collect();
            let value: Vec<f32> = index
                .iter()
                .map(|_| random.uniform() as f32 - 0.5)
                .collect();
            let values = Values::Sparse {
                index: &index,
                value: &value,
            };
            let (mut wide, mut plain) = (vec![0.0; lanes], vec![0.0; lanes]);
            dots(values, &w, stride, &mut wide);
            plain_dots(values, &w, stride, &mut plain);
            assert_eq!(wide, plain);
            for (k, sum) in wide.iter().enumerate() {
                let expected = zip(&index, &value).fold(0.0, |s, (&j, &v)| {
                    s + f64::from(v) * w[j as usize * stride + k]
                });
                assert_eq!(*sum, expected);
            }
        }
    }
}
