//! Small dense matrices: Gaussian elimination and Jacobi's eigenvalues.

#![allow(clippy::needless_range_loop)] // elimination as it is written on paper

/// A square matrix, row by row.
pub(crate) type Matrix = Vec<Vec<f64>>;

pub(crate) fn zero(size: usize) -> Matrix {
    vec![vec![0.0; size]; size]
}

/// `A += x x'`.
pub(crate) fn add_outer(a: &mut Matrix, x: &[f64]) {
    for (row, v) in a.iter_mut().zip(x) {
        for (entry, w) in row.iter_mut().zip(x) {
            *entry += v * w;
        }
    }
}

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(v, w)| v * w).sum()
}

/// Solves `(A + a I) z = b` for a symmetric matrix whose eigenvalues are positive.
pub(crate) fn solve(matrix: &Matrix, a: f64, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let (mut m, mut z) = (matrix.clone(), b.to_vec());
    (0..n).for_each(|i| m[i][i] += a);
    for i in 0..n {
        for k in i + 1..n {
            let factor = m[k][i] / m[i][i];
            for j in i..n {
                m[k][j] -= factor * m[i][j];
            }
            z[k] -= factor * z[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| m[i][j] * z[j]).sum();
        z[i] = (z[i] - known) / m[i][i];
    }
    z
}

/// `sum ln(1 + lam/a)` over the eigenvalues of a matrix: the logarithm of the determinant of `I + A/a`, by elimination.
pub(crate) fn log_det(matrix: &Matrix, a: f64) -> f64 {
    let n = matrix.len();
    let mut m = matrix.clone();
    for row in &mut m {
        for v in row {
            *v /= a;
        }
    }
    // pivots are kept less 1, which may be small beside it
    let mut sum = 0.0;
    for i in 0..n {
        sum += libm::log1p(m[i][i]);
        for k in i + 1..n {
            let factor = m[k][i] / (1.0 + m[i][i]);
            for j in i..n {
                m[k][j] -= factor * m[i][j];
            }
        }
    }
    sum
}

/// Eigenvalues of a symmetric matrix with their vectors, by Jacobi's rotations.
pub(crate) fn eigen(matrix: &Matrix) -> Vec<(f64, Vec<f64>)> {
    let n = matrix.len();
    let mut a = matrix.clone();
    // row k of q becomes the vector of eigenvalue k
    let mut q = zero(n);
    (0..n).for_each(|i| q[i][i] = 1.0);
    for _ in 0..100 {
        let diagonal: f64 = (0..n).map(|i| a[i][i] * a[i][i]).sum();
        let off: f64 = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| a[i][j] * a[i][j])
            .sum();
        if off <= 1e-32 * diagonal {
            break;
        }
        for i in 0..n {
            for j in 0..i {
                if a[i][j] == 0.0 {
                    continue;
                }
                let theta = (a[i][i] - a[j][j]) / (2.0 * a[i][j]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut a {
                    (row[i], row[j]) = (c * row[i] + s * row[j], c * row[j] - s * row[i]);
                }
                for k in 0..n {
                    (a[i][k], a[j][k]) = (c * a[i][k] + s * a[j][k], c * a[j][k] - s * a[i][k]);
                    (q[i][k], q[j][k]) = (c * q[i][k] + s * q[j][k], c * q[j][k] - s * q[i][k]);
                }
            }
        }
    }
    let values = (0..n).map(|i| a[i][i]).collect::<Vec<_>>();
    values.into_iter().zip(q).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_solutions_and_determinants() {
        let a = vec![
            vec![4.0, 1.0, -2.0],
            vec![1.0, 3.0, 0.5],
            vec![-2.0, 0.5, 5.0],
        ];
        let pairs = eigen(&a);
        for (value, vector) in &pairs {
            for (row, v) in a.iter().zip(vector) {
                assert!((dot(row, vector) - value * v).abs() < 1e-12);
            }
        }
        let logs: f64 = pairs
            .iter()
            .map(|(value, _)| libm::log1p(value / 0.3))
            .sum();
        assert!((logs - log_det(&a, 0.3)).abs() < 1e-12);
        let z = solve(&a, 0.3, &[1.0, 2.0, 3.0]);
        for (i, row) in a.iter().enumerate() {
            assert!((dot(row, &z) + 0.3 * z[i] - (i + 1) as f64).abs() < 1e-12);
        }
    }
}
