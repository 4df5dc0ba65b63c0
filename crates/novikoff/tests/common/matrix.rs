//! Plain vectors and small symmetric matrices, written for clearness.

/// `a . b`, in order.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `a + c b`.
pub(crate) fn plus(a: &[f64], c: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + c * b).collect()
}

/// `c a`.
pub(crate) fn times(c: f64, a: &[f64]) -> Vec<f64> {
    a.iter().map(|a| c * a).collect()
}

/// The p-norm, `f64::INFINITY` allowed; divides by the largest magnitude first.
pub(crate) fn norm(a: &[f64], p: f64) -> f64 {
    let top = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if top == 0.0 || p == f64::INFINITY {
        return top;
    }
    top * a
        .iter()
        .map(|v| (v.abs() / top).powf(p))
        .sum::<f64>()
        .powf(1.0 / p)
}

/// The Euclidean norm.
pub(crate) fn length(a: &[f64]) -> f64 {
    norm(a, 2.0)
}

/// A square matrix, row by row.
pub(crate) type Matrix = Vec<Vec<f64>>;

/// `c I`.
pub(crate) fn identity(n: usize, c: f64) -> Matrix {
    (0..n)
        .map(|i| (0..n).map(|j| if i == j { c } else { 0.0 }).collect())
        .collect()
}

/// `A x`.
pub(crate) fn apply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| dot(row, x)).collect()
}

/// `A <- A + c x x'`.
pub(crate) fn add_outer(a: &mut Matrix, c: f64, x: &[f64]) {
    for (row, xi) in a.iter_mut().zip(x) {
        for (entry, xj) in row.iter_mut().zip(x) {
            *entry += c * xi * xj;
        }
    }
}

/// `A^-1 b`, by elimination with row exchanges.
pub(crate) fn solve(mut a: Matrix, b: &[f64]) -> Vec<f64> {
    let n = a.len();
    let mut b = b.to_vec();
    for i in 0..n {
        let size = |&k: &usize| a[k][i].abs();
        let pivot = (i..n)
            .max_by(|k, l| size(k).total_cmp(&size(l)))
            .unwrap_or(i);
        a.swap(i, pivot);
        b.swap(i, pivot);
        let (above, below) = a.split_at_mut(i + 1);
        for (k, row) in below.iter_mut().enumerate() {
            let factor = row[i] / above[i][i];
            if factor != 0.0 {
                *row = plus(row, -factor, &above[i]);
                b[i + 1 + k] -= factor * b[i];
            }
        }
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - dot(&a[i][i + 1..], &b[i + 1..])) / a[i][i];
    }
    b
}

/// Eigenvalues and eigenvectors (one per row) of a symmetric matrix, by Jacobi's rotations.
pub(crate) fn eigen(mut a: Matrix) -> (Vec<f64>, Matrix) {
    let n = a.len();
    let mut q = identity(n, 1.0);
    let whole: f64 = a.iter().map(|row| dot(row, row)).sum();
    for _sweep in 0..60 {
        let mut off = 0.0;
        for i in 0..n {
            for j in 0..i {
                off += a[i][j] * a[i][j];
                if a[i][j] == 0.0 {
                    continue;
                }
                let half = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
                let t = half.signum() / (half.abs() + half.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for row in &mut a {
                    (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
                }
                for k in 0..n {
                    (a[i][k], a[j][k]) = (c * a[i][k] - s * a[j][k], s * a[i][k] + c * a[j][k]);
                    (q[i][k], q[j][k]) = (c * q[i][k] - s * q[j][k], s * q[i][k] + c * q[j][k]);
                }
            }
        }
        if off <= 1e-34 * whole {
            break;
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), q)
}

/// The pseudo-inverse; eigenvalues up to `1e-10` of the largest count as zero (docs/theory/whitened.md#whitened-perceptron).
pub(crate) fn pseudoinverse(a: &Matrix) -> Matrix {
    let (values, vectors) = eigen(a.clone());
    let top = values.iter().fold(0.0_f64, |m, v| m.max(*v));
    let mut inverse = identity(a.len(), 0.0);
    for (value, vector) in values.iter().zip(&vectors) {
        if *value > 1e-10 * top {
            add_outer(&mut inverse, 1.0 / value, vector);
        }
    }
    inverse
}

/// `ln det(I + A/r)`.
pub(crate) fn log_det(a: &Matrix, r: f64) -> f64 {
    eigen(a.clone())
        .0
        .iter()
        .map(|value| (value.max(0.0) / r).ln_1p())
        .sum()
}
