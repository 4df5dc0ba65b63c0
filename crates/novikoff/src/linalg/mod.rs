//! Dense linear algebra: a symmetric matrix as its lower triangle, row by row.
//!
//! Row `i` holds entries `(i, 0) ... (i, i)`, so a matrix grows by appending rows.

#[cfg(feature = "linalg")]
mod pseudoinverse;
#[cfg(feature = "linalg")]
pub use pseudoinverse::pseudoinverse;

/// Entries of the triangle of an n x n matrix.
pub fn triangle_len(n: usize) -> u128 {
    n as u128 * (n as u128 + 1) / 2
}

fn row_start(i: usize) -> usize {
    i * (i + 1) / 2
}

/// The order of a matrix.
pub fn triangle_order(s: &[f64]) -> usize {
    order(s.len())
}

fn order(len: usize) -> usize {
    ((8.0 * len as f64 + 1.0).sqrt() as usize).saturating_sub(1) / 2
}

/// Grows the matrix to order `n`; new rows are those of the identity.
pub fn triangle_grow(s: &mut Vec<f64>, n: usize) {
    let old = order(s.len());
    for i in old..n {
        s.resize(row_start(i + 1), 0.0);
        s[row_start(i) + i] = 1.0;
    }
}

/// Grows the matrix to order `n`; new rows are zero.
pub fn triangle_grow_zero(s: &mut Vec<f64>, n: usize) {
    s.resize(s.len().max(row_start(n)), 0.0);
}

/// `S x` for the `(index, value)` pairs of x.
pub fn triangle_times(s: &[f64], x: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
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

/// `S <- S - c z z'`.
pub fn triangle_minus_outer(s: &mut [f64], c: f64, z: &[f64]) {
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
pub fn triangle_add_outer(s: &mut [f64], x: &(impl Iterator<Item = (usize, f64)> + Clone)) {
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
        triangle_grow(&mut s, 3);
        assert_eq!(s, [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let x = [(0, 1.0), (2, 2.0)].into_iter();
        triangle_add_outer(&mut s, &x);
        assert_eq!(s, [2.0, 0.0, 1.0, 2.0, 0.0, 5.0]);
        assert_eq!(triangle_times(&s, x), [6.0, 0.0, 12.0]);
        triangle_minus_outer(&mut s, 1.0, &[1.0, 0.0, 2.0]);
        assert_eq!(s, [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        triangle_grow(&mut s, 4);
        assert_eq!(s[6..], [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn order_inverts_the_length() {
        for n in 0..5000 {
            assert_eq!(order(triangle_len(n) as usize), n);
        }
    }
}
