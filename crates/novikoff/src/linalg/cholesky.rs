//! A lower factor `L` of a positive definite matrix, row by row, that grows with it.
//!
//! Finite input gives finite output, whatever its size.

use super::{order, row_start};

/// No component of a solution is larger, so that products with rows of any size stay finite.
const LARGEST: f64 = 1e150;

/// What a sum of products may be wrong by, relative to its size and for each of its terms.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

const LANES: usize = 8;

/// `a . b` in eight fixed partial sums; of the shorter length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sums = [0.0; LANES];
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for l in 0..LANES {
            sums[l] += a[l] * b[l];
        }
    }
    for (l, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[l] += a * b;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// `b <- L^-1 b`.
pub(crate) fn solve_lower(l: &[f64], b: &mut [f64]) {
    let mut rest = l;
    for i in 0..b.len() {
        let (row, below) = rest.split_at(i + 1);
        let value = (b[i] - dot(&row[..i], b)) / row[i];
        b[i] = value.clamp(-LARGEST, LARGEST);
        rest = below;
    }
}

/// `b <- L'^-1 b`.
pub(crate) fn solve_upper(l: &[f64], b: &mut [f64]) {
    for i in (0..b.len()).rev() {
        let row = &l[row_start(i)..row_start(i) + i];
        let value = (b[i] / l[row_start(i) + i]).clamp(-LARGEST, LARGEST);
        b[i] = value;
        for (b, l) in b.iter_mut().zip(row) {
            *b -= value * l;
        }
    }
}

/// What a row of inner products `g` with those before it adds to a factor of `a I + G`: `L^-1 g` in its
/// place. Gives the Schur complement `a + norm_sq - |L^-1 g|^2`, which is at least a, and no less than
/// rounding can make of it: a factor of what is only rounding would be worthless.
pub(crate) fn schur(l: &[f64], g: &mut [f64], norm_sq: f64, a: f64) -> f64 {
    solve_lower(l, g);
    let known = dot(g, g);
    if known > norm_sq {
        // only by rounding: nothing of the row is new
        let shrink = (norm_sq / known).sqrt();
        for g in g.iter_mut() {
            *g *= shrink;
        }
    }
    let rounding = ROUNDING * (g.len() + 1) as f64 * norm_sq;
    (a + (norm_sq - known).max(0.0)).max(rounding)
}

/// The factor of `a I + G`, in the place of G's lower triangle.
pub(crate) fn cholesky(mut g: Vec<f64>, a: f64) -> Vec<f64> {
    for i in 0..order(g.len()) {
        let (l, below) = g.split_at_mut(row_start(i));
        let norm_sq = below[i];
        below[i] = schur(l, &mut below[..i], norm_sq, a).sqrt();
    }
    g
}

/// The factor of the matrix without its row and column `i`: plane rotations of the columns after it.
pub(crate) fn drop_row(l: &mut Vec<f64>, i: usize) {
    let n = order(l.len());
    for k in i..n - 1 {
        let at = row_start(k + 1) + k;
        let size = (l[at] * l[at] + l[at + 1] * l[at + 1]).sqrt();
        let (c, s) = (l[at] / size, l[at + 1] / size);
        for row in k + 1..n {
            let at = row_start(row) + k;
            let (a, b) = (l[at], l[at + 1]);
            l[at] = c * a + s * b;
            l[at + 1] = c * b - s * a;
        }
    }
    // row k + 1 now ends one column earlier: it is row k
    let mut end = row_start(i);
    for k in i..n - 1 {
        let from = row_start(k + 1);
        l.copy_within(from..=from + k, end);
        end += k + 1;
    }
    l.truncate(end);
}
