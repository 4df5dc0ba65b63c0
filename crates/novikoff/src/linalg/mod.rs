//! Dense linear algebra: a symmetric matrix as its lower triangle, row by row.
//!
//! Row `i` holds entries `(i, 0) ... (i, i)`, so a matrix grows by appending rows.

mod apart;
mod basis;
mod cholesky;
mod conjugate;
mod downdated;
mod factor;
mod mirrored;
#[cfg(feature = "linalg")]
mod pseudoinverse;
mod rotations;
mod spanned;
#[cfg(feature = "linalg")]
mod spectrum;
mod waiting;
pub(crate) use apart::{ApartInverse, ApartParts, Parting};
pub(crate) use basis::{NEW, outside};
pub(crate) use cholesky::{cholesky, dot, drop_row, schur, solve_lower, solve_upper, turn_row};
pub(crate) use conjugate::solve_near;
pub(crate) use downdated::Downdated;
pub(crate) use factor::{factor_shrink, factor_square};
pub(crate) use mirrored::Mirrored;
#[cfg(feature = "linalg")]
pub(crate) use pseudoinverse::{RELATIVE_RANK_TOLERANCE, pseudoinverse};
pub(crate) use rotations::{rotate_in, singular};
pub(crate) use spanned::Spanned;
#[cfg(feature = "linalg")]
pub(crate) use spectrum::{eigenvalues, singular_range};

/// Entries of the triangle of an n x n matrix.
pub(crate) fn triangle_len(n: usize) -> u128 {
    n as u128 * (n as u128 + 1) / 2
}

fn row_start(i: usize) -> usize {
    i * (i + 1) / 2
}

/// The order of a matrix.
pub(crate) fn triangle_order(s: &[f64]) -> usize {
    order(s.len())
}

fn order(len: usize) -> usize {
    ((8.0 * len as f64 + 1.0).sqrt() as usize).saturating_sub(1) / 2
}

/// Grows an upper factor, column by column, to order `n`; new columns are those of the identity.
pub(crate) fn factor_grow(s: &mut Vec<f64>, n: usize) {
    let old = order(s.len());
    for i in old..n {
        s.resize(row_start(i + 1), 0.0);
        s[row_start(i) + i] = 1.0;
    }
}

/// Grows the matrix to order `n`; new rows are zero.
pub(crate) fn triangle_grow_zero(s: &mut Vec<f64>, n: usize) {
    s.resize(s.len().max(row_start(n)), 0.0);
}

/// `S x` for the `(index, value)` pairs of x.
#[cfg(any(test, feature = "linalg"))]
pub(crate) fn triangle_times(s: &[f64], x: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
    let n = order(s.len());
    let mut out = vec![0.0; n];
    for (j, xj) in x {
        for (o, s) in out.iter_mut().zip(&s[row_start(j)..=row_start(j) + j]) {
            *o += xj * s;
        }
        for (i, o) in out.iter_mut().enumerate().skip(j + 1) {
            *o += xj * s[row_start(i) + j];
        }
    }
    out
}

/// `out <- S p`, in one sweep over the triangle.
pub(crate) fn triangle_apply(s: &[f64], p: &[f64], out: &mut [f64]) {
    let mut rest = s;
    for (i, pi) in p.iter().enumerate() {
        let (row, below) = rest.split_at(i + 1);
        for (out, s) in out[..i].iter_mut().zip(row) {
            *out += pi * s;
        }
        out[i] = dot(row, p);
        rest = below;
    }
}

/// `S <- S - c z z'`.
#[cfg(any(test, feature = "linalg"))]
pub(crate) fn triangle_minus_outer(s: &mut [f64], c: f64, z: &[f64]) {
    let mut rest = s;
    for (i, &zi) in z.iter().enumerate() {
        let (row, below) = rest.split_at_mut(i + 1);
        let czi = c * zi;
        for (s, zj) in row.iter_mut().zip(z) {
            *s -= czi * zj;
        }
        rest = below;
    }
}

/// `S <- S + x x'` for the `(index, value)` pairs of x, in order; `S` must reach the last of them.
pub(crate) fn triangle_add_outer(s: &mut [f64], x: &(impl Iterator<Item = (usize, f64)> + Clone)) {
    for (i, xi) in x.clone() {
        let row = row_start(i);
        for (j, xj) in x.clone().take_while(|&(j, _)| j <= i) {
            s[row + j] += xi * xj;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangle_is_a_symmetric_matrix() {
        let mut s = Vec::new();
        factor_grow(&mut s, 3);
        assert_eq!(s, [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let x = [(0, 1.0), (2, 2.0)].into_iter();
        triangle_add_outer(&mut s, &x);
        assert_eq!(s, [2.0, 0.0, 1.0, 2.0, 0.0, 5.0]);
        assert_eq!(triangle_times(&s, x), [6.0, 0.0, 12.0]);
        let mut out = [7.0; 3];
        triangle_apply(&s, &[1.0, 3.0, 2.0], &mut out);
        assert_eq!(out, [6.0, 3.0, 12.0]);
        triangle_minus_outer(&mut s, 1.0, &[1.0, 0.0, 2.0]);
        assert_eq!(s, [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        factor_grow(&mut s, 4);
        assert_eq!(s[6..], [0.0, 0.0, 0.0, 1.0]);
    }

    /// A factor without one row is that of the matrix without its row and column.
    #[test]
    fn a_factor_loses_a_row() {
        let mut random = crate::random::SplitMix64::new(5);
        let n = 11;
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|_| (0..n).map(|_| random.uniform() - 0.5).collect())
            .collect();
        let gram = |left: &[usize]| -> Vec<f64> {
            let row = |i: usize| (0..=i).map(move |j| (left[i], left[j]));
            let all = (0..left.len()).flat_map(row);
            all.map(|(i, j)| dot(&rows[i], &rows[j])).collect()
        };
        let all: Vec<usize> = (0..n).collect();
        for gone in 0..n {
            let mut factor = cholesky(gram(&all), 0.0);
            // the last row of a longer factor turns with the others
            let mut last = factor[row_start(n - 1)..].to_vec();
            let turns = drop_row(&mut factor, gone);
            turn_row(&mut last[gone..], &turns);
            if gone < n - 1 {
                let kept = &factor[row_start(n - 2)..];
                assert!(kept.iter().zip(&last).all(|(a, b)| (a - b).abs() < 1e-12));
                assert!(last[n - 1].abs() < 1e-12);
            }
            let left: Vec<usize> = (0..n).filter(|i| *i != gone).collect();
            let want = cholesky(gram(&left), 0.0);
            assert_eq!(factor.len(), want.len());
            for (got, want) in factor.iter().zip(&want) {
                assert!((got - want).abs() < 1e-12, "{gone}: {got}, not {want}");
            }
        }
    }

    #[test]
    fn order_inverts_the_length() {
        for n in 0..5000 {
            assert_eq!(order(triangle_len(n) as usize), n);
        }
    }
}
