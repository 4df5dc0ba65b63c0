//! The span of vectors that are known by their inner products only.

use super::{dot, solve_lower, solve_upper};

/// What a sum of products may be wrong by, relative to its size and for each of its terms.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Independent vectors: their lengths, and the Cholesky factor L of their inner products, row by row. Coordinates are those of
/// the orthonormal basis whose vectors are `B L'^-1`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spanned {
    factor: Vec<f64>,
    lengths: Vec<f64>,
}

impl Spanned {
    /// From the factor and as many lengths.
    pub(crate) fn new(factor: Vec<f64>, lengths: Vec<f64>) -> Self {
        Spanned { factor, lengths }
    }

    /// The factor.
    pub(crate) fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// The lengths of the vectors.
    pub(crate) fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// How many vectors.
    pub(crate) fn rank(&self) -> usize {
        self.lengths.len()
    }

    /// How many numbers this keeps.
    pub(crate) fn len(&self) -> usize {
        self.factor.len() + self.lengths.len()
    }

    /// Turns the inner products of a vector into its coordinates; gives its distance from the span if that is more than
    /// rounding. The square of the distance is a difference of numbers near `|x|^2`, wrong by what rounding of the inner products
    /// makes of `|x - sum z_i b_i|^2`.
    pub(crate) fn place(&self, products: &mut [f64], norm_sq: f64) -> Option<f64> {
        solve_lower(&self.factor, products);
        let left = norm_sq - dot(products, products);
        let mut z = products.to_vec();
        self.coefficients(&mut z);
        let parts = z.iter().zip(&self.lengths).map(|(z, b)| z.abs() * b);
        let size = norm_sq.sqrt() + parts.sum::<f64>();
        let rounding = ROUNDING * (self.rank() + 1) as f64 * size * size;
        (left > rounding).then(|| left.sqrt())
    }

    /// Takes a new vector in, given its coordinates, its distance the last of them.
    pub(crate) fn push(&mut self, coordinates: &[f64], norm_sq: f64) {
        self.factor.extend_from_slice(coordinates);
        self.lengths.push(norm_sq.sqrt());
    }

    /// Turns coordinates into coefficients of the vectors.
    pub(crate) fn coefficients(&self, coordinates: &mut [f64]) {
        solve_upper(&self.factor, coordinates);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_new_by_more_than_rounding() {
        let rows: [[f64; 3]; 4] = [
            [1.0, 2.0, 0.0],
            [0.1, 0.3, 0.0],
            [3.0, -1.0, 0.0],
            [1.0, 1.0, 1e-5],
        ];
        let mut span = Spanned::default();
        let mut kept: Vec<[f64; 3]> = Vec::new();
        for (i, x) in rows.iter().enumerate() {
            let mut coordinates: Vec<f64> = kept.iter().map(|b| dot(b, x)).collect();
            let place = span.place(&mut coordinates, dot(x, x));
            // the third is a sum of the first two
            assert_eq!(place.is_some(), i != 2, "{i}: {place:?}");
            let length = dot(&coordinates, &coordinates) + place.map_or(0.0, |d| d * d);
            assert!((length - dot(x, x)).abs() < 1e-12);
            if let Some(distance) = place {
                coordinates.push(distance);
                span.push(&coordinates, dot(x, x));
                kept.push(*x);
            } else {
                span.coefficients(&mut coordinates);
                for j in 0..3 {
                    let sum: f64 = kept.iter().zip(&coordinates).map(|(b, z)| z * b[j]).sum();
                    assert!((sum - x[j]).abs() < 1e-11);
                }
            }
        }
        assert_eq!((span.rank(), span.len()), (3, 9));
        assert!((span.factor()[5] - 1e-5).abs() < 1e-9);
    }
}
