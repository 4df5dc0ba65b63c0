//! A lower factor `L` of a positive definite matrix, row by row, that grows with it.
//!
//! Finite input gives finite output, whatever its size.

use super::{order, row_start};
use crate::simd::wide;

/// No component of a solution is larger, so that products with rows of any size stay finite.
const LARGEST: f64 = 1e150;

/// What a sum of products may be wrong by, relative to its size and for each of its terms.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

const LANES: usize = 8;

/// Rows that rotations and solutions go through side by side: each waits for its last sum, but not for those of the others.
const ROWS: usize = 4;

/// `a . b` in eight fixed partial sums; of the shorter length.
#[inline(always)]
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
    add_lanes(sums)
}

#[inline(always)]
fn add_lanes([a, b, c, d, e, f, g, h]: [f64; LANES]) -> f64 {
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// `b <- L^-1 b`.
pub(crate) fn solve_lower(l: &[f64], b: &mut [f64]) {
    wide(
        #[inline(always)]
        || lower(l, b),
    );
}

#[inline(always)]
fn lower(l: &[f64], b: &mut [f64]) {
    let mut rest = l;
    let mut first = 0;
    while first + ROWS <= b.len() {
        let mut rows: [&[f64]; ROWS] = [&[]; ROWS];
        for (r, row) in rows.iter_mut().enumerate() {
            (*row, rest) = rest.split_at(first + r + 1);
        }
        // all rows have as many whole blocks before `first`
        let whole = first / LANES * LANES;
        let mut sums = [[0.0; LANES]; ROWS];
        let [p, q, s, t] = rows.map(|row| row[..whole].as_chunks::<LANES>().0);
        let (known, _) = b[..whole].as_chunks::<LANES>();
        for ((((b, p), q), s), t) in known.iter().zip(p).zip(q).zip(s).zip(t) {
            for l in 0..LANES {
                sums[0][l] += p[l] * b[l];
                sums[1][l] += q[l] * b[l];
                sums[2][l] += s[l] * b[l];
                sums[3][l] += t[l] * b[l];
            }
        }
        for (r, (row, mut sums)) in rows.into_iter().zip(sums).enumerate() {
            let i = first + r;
            let last = row[whole..i].iter().zip(&b[whole..i]);
            for (sum, (l, b)) in sums.iter_mut().zip(last) {
                *sum += l * b;
            }
            let value = (b[i] - add_lanes(sums)) / row[i];
            b[i] = value.clamp(-LARGEST, LARGEST);
        }
        first += ROWS;
    }
    lower_from(first, rest, b);
}

/// Row by row, from row `first` on, which is where `l` begins.
#[inline(always)]
fn lower_from(first: usize, l: &[f64], b: &mut [f64]) {
    let mut rest = l;
    for i in first..b.len() {
        let (row, below) = rest.split_at(i + 1);
        let value = (b[i] - dot(&row[..i], b)) / row[i];
        b[i] = value.clamp(-LARGEST, LARGEST);
        rest = below;
    }
}

/// `b <- L'^-1 b`.
pub(crate) fn solve_upper(l: &[f64], b: &mut [f64]) {
    wide(
        #[inline(always)]
        || upper(l, b),
    );
}

#[inline(always)]
fn upper(l: &[f64], b: &mut [f64]) {
    let mut end = b.len();
    while end >= ROWS {
        let first = end - ROWS;
        let mut values = [0.0; ROWS];
        for r in (0..ROWS).rev() {
            let row = &l[row_start(first + r)..];
            let value = (b[first + r] / row[first + r]).clamp(-LARGEST, LARGEST);
            for (b, l) in b[first..first + r].iter_mut().zip(&row[first..]) {
                *b -= value * l;
            }
            (b[first + r], values[r]) = (value, value);
        }
        let rows: [usize; ROWS] = std::array::from_fn(|r| row_start(first + r));
        let [p, q, s, t] = rows.map(|start| &l[start..start + first]);
        for ((((b, p), q), s), t) in b[..first].iter_mut().zip(p).zip(q).zip(s).zip(t) {
            *b = (((*b - values[3] * t) - values[2] * s) - values[1] * q) - values[0] * p;
        }
        end = first;
    }
    upper_below(end, l, b);
}

/// Row by row, from the one before row `end` on.
#[inline(always)]
fn upper_below(end: usize, l: &[f64], b: &mut [f64]) {
    for i in (0..end).rev() {
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

/// A rotation of two neighbouring columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotation {
    cosine: f64,
    sine: f64,
}

impl Rotation {
    #[inline(always)]
    fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let Rotation { cosine, sine } = self;
        (cosine * x + sine * y, cosine * y - sine * x)
    }
}

/// The factor of the matrix without its row and column `i`, in its place: plane rotations of the columns from `i` on,
/// which are given back for [`turn_row`].
pub(crate) fn drop_row(l: &mut Vec<f64>, i: usize) -> Vec<Rotation> {
    let n = order(l.len());
    let mut turns: Vec<Rotation> = Vec::with_capacity(n - i);
    let mut below = &mut l[row_start(i + 1)..];
    let mut first = i + 1;
    while first < n {
        let count = ROWS.min(n - first);
        let mut rows: [&mut [f64]; ROWS] = Default::default();
        for (at, row) in rows.iter_mut().take(count).enumerate() {
            let (this, rest) = below.split_at_mut(first + at + 1);
            (*row, below) = (&mut this[i..], rest);
        }
        turn_rows(&mut rows[..count], &mut turns);
        first += count;
    }
    // row k + 1 now ends one column earlier: it is row k
    let mut end = row_start(i);
    for k in i..n - 1 {
        let from = row_start(k + 1);
        l.copy_within(from..=from + k, end);
        end += k + 1;
    }
    l.truncate(end);
    turns
}

/// Takes rows of a factor, each longer by one, through the rotations so far; each then adds the rotation that makes its
/// last entry zero.
fn turn_rows(rows: &mut [&mut [f64]], turns: &mut Vec<Rotation>) {
    let known = turns.len();
    if let [a, b, c, d] = rows {
        let mut carried = [a[0], b[0], c[0], d[0]];
        let (a, b) = (&mut a[..=known], &mut b[..=known]);
        let (c, d) = (&mut c[..=known], &mut d[..=known]);
        for (k, &turn) in turns.iter().enumerate() {
            (a[k], carried[0]) = turn.apply(carried[0], a[k + 1]);
            (b[k], carried[1]) = turn.apply(carried[1], b[k + 1]);
            (c[k], carried[2]) = turn.apply(carried[2], c[k + 1]);
            (d[k], carried[3]) = turn.apply(carried[3], d[k + 1]);
        }
        (a[known], b[known], c[known], d[known]) = (carried[0], carried[1], carried[2], carried[3]);
    } else {
        for row in &mut *rows {
            turn_row(row, turns);
        }
    }
    for row in rows {
        turn_row(&mut row[known..], &turns[known..]);
        let [.., x, y] = &mut **row else {
            continue;
        };
        let size = (*x * *x + *y * *y).sqrt();
        turns.push(Rotation {
            cosine: *x / size,
            sine: *y / size,
        });
        (*x, *y) = (size, 0.0);
    }
}

/// Takes a row, from its first column that turns, through rotations.
pub(crate) fn turn_row(row: &mut [f64], turns: &[Rotation]) {
    for (k, &turn) in turns.iter().enumerate() {
        (row[k], row[k + 1]) = turn.apply(row[k], row[k + 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// Four rows side by side have the bits of one after the other.
    #[test]
    fn rows_side_by_side() {
        let mut random = SplitMix64::new(9);
        for n in 0..70 {
            let mut number = || random.uniform() - 0.5;
            let mut l: Vec<f64> = (0..row_start(n)).map(|_| number()).collect();
            (0..n).for_each(|i| l[row_start(i) + i] += 2.0);
            let b: Vec<f64> = (0..n).map(|_| number()).collect();
            let bits = |b: &[f64]| b.iter().map(|b| b.to_bits()).collect::<Vec<_>>();
            let (mut one, mut four) = (b.clone(), b.clone());
            lower_from(0, &l, &mut one);
            solve_lower(&l, &mut four);
            assert_eq!(bits(&one), bits(&four), "{n}");
            let (mut one, mut four) = (b.clone(), b);
            upper_below(n, &l, &mut one);
            solve_upper(&l, &mut four);
            assert_eq!(bits(&one), bits(&four), "{n}");
        }
    }
}
