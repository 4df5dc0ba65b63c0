//! The upper factor U of a positive definite matrix `S = U U'`, column by column, that shrinks with it.

use super::order;
use crate::simd::wide;

/// Partial sums of an inner product with few values, and with many.
const FEW: usize = 8;
const MANY: usize = 32;

/// A vector, for inner products with columns that get longer and longer.
struct Vector {
    index: Vec<u32>,
    value: Vec<f64>,
    /// All its values, where it has many.
    spread: Vec<f64>,
}

impl Vector {
    fn new(n: usize, x: impl Iterator<Item = (usize, f64)>) -> Self {
        let (index, value): (Vec<u32>, Vec<f64>) = x
            .take_while(|&(j, _)| j < n)
            .map(|(j, v)| (j as u32, v))
            .unzip();
        let mut spread = Vec::new();
        if 2 * index.len() > n {
            spread.resize(n, 0.0);
            for (&j, &v) in index.iter().zip(&value) {
                spread[j as usize] = v;
            }
        }
        Vector {
            index,
            value,
            spread,
        }
    }

    /// The inner product with a column, which is longer than `reached` of the values need, and how many it
    /// reaches.
    #[inline(always)]
    fn inner(&self, column: &[f64], mut reached: usize) -> (f64, usize) {
        if !self.spread.is_empty() {
            return (dense(column, &self.spread[..column.len()]), reached);
        }
        while self
            .index
            .get(reached)
            .is_some_and(|&j| (j as usize) < column.len())
        {
            reached += 1;
        }
        let sum = sparse(&self.index[..reached], &self.value[..reached], column);
        (sum, reached)
    }
}

#[inline(always)]
fn dense(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; MANY];
    let (a_blocks, a_rest) = a.as_chunks::<MANY>();
    let (b_blocks, b_rest) = b.as_chunks::<MANY>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for l in 0..MANY {
            sums[l] += a[l] * b[l];
        }
    }
    for (l, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[l] += a * b;
    }
    let mut few = [0.0; FEW];
    for l in 0..FEW {
        few[l] = (sums[l] + sums[l + 16]) + (sums[l + 8] + sums[l + 24]);
    }
    whole(few)
}

#[inline(always)]
fn sparse(index: &[u32], value: &[f64], column: &[f64]) -> f64 {
    let mut sums = [0.0; FEW];
    let (j_blocks, j_rest) = index.as_chunks::<FEW>();
    let (v_blocks, v_rest) = value.as_chunks::<FEW>();
    for (j, v) in j_blocks.iter().zip(v_blocks) {
        for l in 0..FEW {
            sums[l] += v[l] * column[j[l] as usize];
        }
    }
    for (l, (&j, &v)) in j_rest.iter().zip(v_rest).enumerate() {
        sums[l] += v * column[j as usize];
    }
    whole(sums)
}

#[inline(always)]
fn whole([a, b, c, d, e, f, g, h]: [f64; FEW]) -> f64 {
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// `S <- S - S x x' S / (x'S x + r)` on U, with r > 0, for the `(index, value)` pairs of x, in order. Puts `S x`
/// (before) in `sx` and gives `x'S x + r`. Carlson's square-root update: S stays positive definite, and nothing
/// is lost when x is much larger than r. One sweep over the triangle.
pub(crate) fn factor_shrink(
    u: &mut [f64],
    x: impl Iterator<Item = (usize, f64)>,
    r: f64,
    sx: &mut Vec<f64>,
) -> f64 {
    let n = order(u.len());
    let x = Vector::new(n, x);
    sx.clear();
    sx.resize(n, 0.0);
    wide(
        #[inline(always)]
        || shrink(u, &x, r, sx),
    )
}

#[inline(always)]
fn shrink(u: &mut [f64], x: &Vector, r: f64, sx: &mut [f64]) -> f64 {
    let (mut total, mut root) = (r, r.sqrt());
    let mut reached = 0;
    let mut rest = u;
    for j in 0..sx.len() {
        let (column, right) = rest.split_at_mut(j + 1);
        rest = right;
        let f;
        (f, reached) = x.inner(column, reached);
        if f == 0.0 {
            continue;
        }
        total += f * f;
        let before = root;
        root = total.sqrt();
        let (keep, take) = (before / root, f / (before * root));
        for (u, sx) in column.iter_mut().zip(&mut *sx) {
            let old = *u;
            *u = keep * old - take * *sx;
            *sx += old * f;
        }
    }
    total
}

/// `x'S x` for the `(index, value)` pairs of x, in order.
pub(crate) fn factor_square(u: &[f64], x: impl Iterator<Item = (usize, f64)>) -> f64 {
    let n = order(u.len());
    let x = Vector::new(n, x);
    wide(
        #[inline(always)]
        || {
            let (mut sum, mut reached, mut rest) = (0.0, 0, u);
            for j in 0..n {
                let (column, right) = rest.split_at(j + 1);
                rest = right;
                let f;
                (f, reached) = x.inner(column, reached);
                sum += f * f;
            }
            sum
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::{factor_grow, row_start};
    use super::*;

    /// Against the formula itself, on the full matrix.
    #[test]
    fn a_factor_shrinks_as_its_matrix_does() {
        let mut random = crate::random::SplitMix64::new(3);
        let n = 43;
        let mut u = Vec::new();
        factor_grow(&mut u, n);
        let at = |u: &[f64], i: usize, j: usize| if i <= j { u[row_start(j) + i] } else { 0.0 };
        let full = |u: &[f64]| -> Vec<f64> {
            let entry = |i, j| (0..n).map(|k| at(u, i, k) * at(u, j, k)).sum();
            (0..n * n).map(|ij| entry(ij / n, ij % n)).collect()
        };
        for round in 0..20 {
            // sparse and dense rows
            let part = if round % 2 == 0 { 1.0 } else { 0.2 };
            let mut value = || random.uniform() - 0.5;
            let x: Vec<f64> = (0..n).map(|_| value()).collect();
            let x: Vec<f64> = x
                .into_iter()
                .map(|v| if value().abs() < part / 2.0 { v } else { 0.0 })
                .collect();
            let s = full(&u);
            let sx: Vec<f64> = (0..n)
                .map(|i| (0..n).map(|j| s[i * n + j] * x[j]).sum())
                .collect();
            let total = 0.1 + (0..n).map(|i| x[i] * sx[i]).sum::<f64>();
            let pairs = x.iter().copied().enumerate().filter(|&(_, v)| v != 0.0);
            let square = factor_square(&u, pairs.clone());
            let mut got_sx = Vec::new();
            let got = factor_shrink(&mut u, pairs, 0.1, &mut got_sx);
            assert!((got - 0.1 - square).abs() < 1e-12);
            assert!((got - total).abs() < 1e-12);
            for (i, after) in full(&u).iter().enumerate() {
                assert!((after - (s[i] - sx[i / n] * sx[i % n] / total)).abs() < 1e-12);
                assert!((got_sx[i % n] - sx[i % n]).abs() < 1e-12);
            }
        }
    }
}
