//! Dot products with many vectors at once, each added in the order of the row.

use std::iter::zip;

use super::Values;
use crate::simd::wide;

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
    let mut sums = [0.0; N];
    let mut step = |slot: usize, v: f32| {
        let at = slot * stride + k;
        let lanes: &[f64] = &w[at..at + N];
        let v = f64::from(v);
        for l in 0..N {
            sums[l] += v * lanes[l];
        }
    };
    match values {
        Values::Run { first, value } => {
            for (i, &v) in value.iter().enumerate() {
                step(first as usize + i, v);
            }
        }
        Values::Sparse { index, value } => {
            for (&j, &v) in zip(index, value) {
                step(j as usize, v);
            }
        }
    }
    for (o, s) in zip(out, sums) {
        *o = s;
    }
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
