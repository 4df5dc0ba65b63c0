//! Least squares by plane rotations, row by row, and singular values by the same means.

use super::{dot, row_start};

/// Adds the equation `c.w = y` to the triangular system `R w = q` of a least squares problem, R column by
/// column; where c is longer, R first grows by columns of zeros. No diagonal entry stays zero.
pub(crate) fn rotate_in(r: &mut Vec<f64>, q: &mut Vec<f64>, c: &[f64], mut y: f64) {
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

/// Columns whose cosine is no more are orthogonal.
const ORTHOGONAL: f64 = 16.0 * f64::EPSILON;

/// Of a matrix M given by its columns, the squares of the singular values, largest first, each with its left
/// singular vector times that value: the eigenvalues of `MM'`. Hestenes' rotations of pairs of columns.
pub(crate) fn singular(mut columns: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    let mut squares: Vec<f64> = columns.iter().map(|c| dot(c, c)).collect();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for i in 1..columns.len() {
            for j in 0..i {
                let (left, right) = columns.split_at_mut(i);
                let (p, q) = (&mut left[j], &mut right[0]);
                let off = dot(p, q);
                // negated, so that NaN ends it too
                let large = off.abs() > ORTHOGONAL * (squares[i] * squares[j]).sqrt();
                if !large {
                    continue;
                }
                turned = true;
                let half = (squares[i] - squares[j]) / (2.0 * off);
                let t = 1.0_f64.copysign(half) / (half.abs() + libm::hypot(half, 1.0));
                let cos = 1.0 / libm::hypot(t, 1.0);
                let sin = t * cos;
                for (p, q) in p.iter_mut().zip(q.iter_mut()) {
                    (*p, *q) = (cos * *p - sin * *q, sin * *p + cos * *q);
                }
                squares[j] = dot(p, p);
                squares[i] = dot(q, q);
            }
        }
        if !turned {
            break;
        }
    }
    let mut pairs: Vec<(f64, Vec<f64>)> = squares.into_iter().zip(columns).collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::solve_upper;

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
    fn singular_vectors_are_eigenvectors() {
        let columns = vec![
            vec![4.0, 1.0, -2.0],
            vec![1.0, 3.0, 0.5],
            vec![-2.0, 0.5, 1.0],
            vec![3.0, 4.0, -1.5],
        ];
        let product = |v: &[f64]| {
            let mut out = vec![0.0; 3];
            for c in &columns {
                let part = dot(c, v);
                out.iter_mut().zip(c).for_each(|(o, c)| *o += part * c);
            }
            out
        };
        let pairs = singular(columns.clone());
        assert!(pairs.is_sorted_by(|a, b| a.0 >= b.0));
        assert!(pairs[3].0 < 1e-28);
        for (value, vector) in &pairs[..3] {
            assert!((dot(vector, vector) - value).abs() < 1e-13 * value);
            for (got, v) in product(vector).iter().zip(vector) {
                assert!((got - value * v).abs() < 1e-12);
            }
        }
    }
}
