//! Eigenvalues and singular values.

use nalgebra::{DMatrix, SVD, SymmetricEigen};

/// A symmetric matrix from its lower triangle, row by row.
pub(super) fn symmetric(triangle: &[f64]) -> DMatrix<f64> {
    let n = super::order(triangle.len());
    let at = |i: usize, j: usize| triangle[super::row_start(i.max(j)) + i.min(j)];
    DMatrix::from_fn(n, n, at)
}

/// Eigenvectors and eigenvalues of a symmetric matrix, in no order; none if they cannot be computed, which finite
/// input does not cause.
pub(super) fn eigen(matrix: DMatrix<f64>) -> Option<SymmetricEigen<f64, nalgebra::Dyn>> {
    let finite = matrix.iter().all(|value| value.is_finite());
    let steps = 100 * matrix.nrows().max(1);
    finite
        .then(|| SymmetricEigen::try_new(matrix, f64::EPSILON, steps))
        .flatten()
}

/// Eigenvalues of a symmetric matrix given by its lower triangle, smallest first; none if they cannot be computed,
/// which finite input does not cause.
pub(crate) fn eigenvalues(s: &[f64]) -> Option<Vec<f64>> {
    if s.is_empty() {
        return Some(Vec::new());
    }
    let finite = s.iter().all(|value| value.is_finite());
    let values = finite.then(|| symmetric(s).symmetric_eigenvalues())?;
    let mut values = values.as_slice().to_vec();
    values.sort_by(f64::total_cmp);
    Some(values)
}

/// The largest and the smallest singular value of an upper triangular matrix, column by column.
pub(crate) fn singular_range(r: &[f64]) -> Option<(f64, f64)> {
    let n = super::order(r.len());
    let at = |i: usize, j: usize| {
        if i <= j {
            r[super::row_start(j) + i]
        } else {
            0.0
        }
    };
    if n == 0 || r.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let matrix = DMatrix::from_fn(n, n, at);
    let values = SVD::try_new(matrix, false, false, f64::EPSILON, 100 * n)?.singular_values;
    Some((values.max(), values.min()))
}
