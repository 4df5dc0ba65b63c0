//! The pseudo-inverse of a symmetric positive semi-definite matrix.

use faer::{Mat, Side};

/// Eigenvalues up to this share of the largest count as zero.
const RELATIVE_RANK_TOLERANCE: f64 = 1e-10;

/// The pseudo-inverse of `S + ridge I`, both as lower triangles. All zeros if the eigenvalues cannot be
/// computed, which finite input does not cause.
pub fn pseudoinverse(s: &[f64], ridge: f64) -> Vec<f64> {
    let n = super::order(s.len());
    let at = |i: usize, j: usize| s[super::row_start(i.max(j)) + i.min(j)];
    let matrix = Mat::from_fn(n, n, |i, j| at(i, j) + if i == j { ridge } else { 0.0 });
    let mut inverse = vec![0.0; s.len()];
    if n == 0 {
        return inverse;
    }
    let Ok(eigen) = matrix.self_adjoint_eigen(Side::Lower) else {
        return inverse;
    };
    let (vectors, values) = (eigen.U(), eigen.S().column_vector());
    let largest = values.iter().fold(0.0, |m, &v: &f64| v.max(m));
    let kept = (0..n).filter(|&k| values[k] > RELATIVE_RANK_TOLERANCE * largest);
    let half: Vec<Vec<f64>> = kept
        .map(|k| (0..n).map(|i| vectors[(i, k)] / values[k].sqrt()).collect())
        .collect();
    for column in half {
        super::triangle_minus_outer(&mut inverse, -1.0, &column);
    }
    inverse
}
