//! Orthonormal vectors that span what was met so far.

use super::dot;

/// A row has something new in it if more than this share of it lies outside the span.
pub(crate) const NEW: f64 = 1e-8;

/// What of x lies outside the span of orthonormal vectors, which are zero past their ends, and the
/// coordinates of x within; projected twice, for the first leaves rounding.
pub(crate) fn outside(basis: &[Vec<f64>], x: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    let mut rest = x;
    let mut coordinates = vec![0.0; basis.len()];
    for _ in 0..2 {
        let now: Vec<f64> = basis.iter().map(|q| dot(q, &rest)).collect();
        for ((q, c), all) in basis.iter().zip(now).zip(&mut coordinates) {
            rest.resize(rest.len().max(q.len()), 0.0);
            for (r, q) in rest.iter_mut().zip(q) {
                *r -= c * q;
            }
            *all += c;
        }
    }
    (rest, coordinates)
}
