//! The pseudo-inverse of a symmetric positive semi-definite matrix.

use super::spectrum;

/// Eigenvalues up to this share of the largest count as zero.
pub(crate) const RELATIVE_RANK_TOLERANCE: f64 = 1e-10;

/// A pseudo-inverse, and what it leaves out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pseudoinverse {
    /// The lower triangle, row by row.
    pub(crate) inverse: Vec<f64>,
    /// Directions of length 1 whose eigenvalues count as zero.
    pub(crate) left_out: Vec<Vec<f64>>,
    /// The largest eigenvalue.
    pub(crate) largest: f64,
    /// The smallest one that does not count as zero.
    pub(crate) least: f64,
}

/// The pseudo-inverse of `S + ridge I`, both as lower triangles. All zeros if the eigenvalues cannot be
/// computed, which finite input does not cause.
pub(crate) fn pseudoinverse(s: &[f64], ridge: f64) -> Pseudoinverse {
    let mut of = Pseudoinverse {
        inverse: vec![0.0; s.len()],
        ..Pseudoinverse::default()
    };
    if s.is_empty() {
        return of;
    }
    let mut matrix = spectrum::symmetric(s);
    let n = matrix.nrows();
    for i in 0..n {
        matrix[(i, i)] += ridge;
    }
    let Some(eigen) = spectrum::eigen(matrix) else {
        return of;
    };
    let (vectors, values) = (eigen.eigenvectors, eigen.eigenvalues);
    of.largest = values.iter().fold(0.0, |m, &v| v.max(m));
    of.least = of.largest;
    let vectors = &vectors;
    let direction = |k: usize| (0..n).map(move |i| vectors[(i, k)]);
    for k in 0..n {
        if values[k] > RELATIVE_RANK_TOLERANCE * of.largest {
            of.least = of.least.min(values[k]);
            let half: Vec<f64> = direction(k).map(|v| v / values[k].sqrt()).collect();
            super::triangle_minus_outer(&mut of.inverse, -1.0, &half);
        } else {
            of.left_out.push(direction(k).collect());
        }
    }
    of
}
