//! Least squares by plane rotations, row by row, and eigenvalues by the same means.

use super::row_start;

/// Adds the equation `c.w = y` to the triangular system `R w = q` of a least squares problem, R column by
/// column; where c is longer, R first grows by columns of zeros. No diagonal entry stays zero.
pub fn rotate_in(r: &mut Vec<f64>, q: &mut Vec<f64>, c: &[f64], mut y: f64) {
    r.resize(row_start(c.len()), 0.0);
    q.resize(c.len(), 0.0);
    let mut turns: Vec<(f64, f64)> = Vec::with_capacity(c.len());
    for (j, &cj) in c.iter().enumerate() {
        let column = &mut r[row_start(j)..=row_start(j) + j];
        let mut left = cj;
        for (r, &(cos, sin)) in column.iter_mut().zip(&turns) {
            (*r, left) = (cos * *r + sin * left, cos * left - sin * *r);
        }
        let radius = libm::hypot(column[j], left).max(f64::MIN_POSITIVE);
        let (cos, sin) = (column[j] / radius, left / radius);
        column[j] = radius;
        (q[j], y) = (cos * q[j] + sin * y, cos * y - sin * q[j]);
        turns.push((cos, sin));
    }
}

/// Sweeps over all pairs at most; quadratic convergence needs far fewer.
const SWEEPS: usize = 30;

/// Eigenvalues of a symmetric matrix, largest first, each with its unit eigenvector: Jacobi's rotations.
pub fn eigen(mut a: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    let n = a.len();
    let unit = |i| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(unit).collect();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for i in 0..n {
            for j in 0..i {
                let off = a[i][j];
                // negated, so that NaN ends it too
                let large =
                    off.abs() > f64::EPSILON * 0.25 * (a[i][i].abs() * a[j][j].abs()).sqrt();
                if !large {
                    continue;
                }
                turned = true;
                let half = (a[j][j] - a[i][i]) / (2.0 * off);
                let t = 1.0_f64.copysign(half) / (half.abs() + libm::hypot(half, 1.0));
                let cos = 1.0 / libm::hypot(t, 1.0);
                let sin = t * cos;
                for row in &mut a {
                    (row[i], row[j]) = (cos * row[i] - sin * row[j], sin * row[i] + cos * row[j]);
                }
                turn(&mut a, (i, j), (cos, sin));
                turn(&mut vectors, (i, j), (cos, sin));
            }
        }
        if !turned {
            break;
        }
    }
    let values = a.iter().enumerate().map(|(i, row)| row[i]);
    let mut pairs: Vec<(f64, Vec<f64>)> = values.zip(vectors).collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs
}

/// Turns rows i and j, j < i.
fn turn(rows: &mut [Vec<f64>], (i, j): (usize, usize), (cos, sin): (f64, f64)) {
    let (above, below) = rows.split_at_mut(i);
    for (p, q) in below[0].iter_mut().zip(&mut above[j]) {
        (*p, *q) = (cos * *p - sin * *q, sin * *p + cos * *q);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{dot, solve_upper};

    #[test]
    fn rotated_rows_are_least_squares() {
        let rows = [
            [1.0, 0.0, 2.0],
            [0.0, 3.0, 1.0],
            [1.0, 1.0, 1.0],
            [2.0, -1.0, 0.5],
        ];
        let right = [1.0, -1.0, 1.0, -1.0];
        let (mut r, mut q) = (Vec::new(), Vec::new());
        for (row, y) in rows.iter().zip(right) {
            rotate_in(&mut r, &mut q, row, y);
        }
        let mut w = q;
        solve_upper(&r, &mut w);
        // the residual is orthogonal to every column
        for j in 0..3 {
            let slope = |(row, y): (&[f64; 3], f64)| row[j] * (y - dot(row, &w));
            let sum: f64 = rows.iter().zip(right).map(slope).sum();
            assert!(sum.abs() < 1e-14, "{sum}");
        }
    }

    #[test]
    fn eigenvectors_stay_in_place() {
        let a = vec![
            vec![4.0, 1.0, -2.0],
            vec![1.0, 3.0, 0.5],
            vec![-2.0, 0.5, 1.0],
        ];
        let pairs = eigen(a.clone());
        assert!(pairs.is_sorted_by(|a, b| a.0 >= b.0));
        for (value, vector) in pairs {
            for (row, v) in a.iter().zip(&vector) {
                assert!((dot(row, &vector) - value * v).abs() < 1e-14);
            }
        }
    }
}
