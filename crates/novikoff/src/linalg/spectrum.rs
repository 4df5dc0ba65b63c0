//! Eigenvalues and singular values.

use faer::{Mat, Side};

/// Eigenvalues of a symmetric matrix, smallest first; none if they cannot be computed, which finite input
/// does not cause.
pub fn eigenvalues(s: &[f64]) -> Option<Vec<f64>> {
    let n = super::order(s.len());
    let at = |i: usize, j: usize| s[super::row_start(i.max(j)) + i.min(j)];
    let matrix = Mat::from_fn(n, n, at);
    if n == 0 {
        return Some(Vec::new());
    }
    matrix.self_adjoint_eigenvalues(Side::Lower).ok()
}

/// The largest and the smallest singular value of an upper triangular matrix, column by column.
pub fn singular_range(r: &[f64]) -> Option<(f64, f64)> {
    let n = super::order(r.len());
    let at = |i: usize, j: usize| {
        if i <= j {
            r[super::row_start(j) + i]
        } else {
            0.0
        }
    };
    let values = Mat::from_fn(n, n, at).singular_values().ok()?;
    Some((*values.first()?, *values.last()?))
}
