//! Regularisers with their conjugates, and dual vectors on the move.
//!
//! `g(w)` is what is added to the losses, `h(v) = sup_w (w.v - g(w))` its conjugate; the link is
//! `w = grad h(v)`, where `g(w) + h(v) = w.v`. A [`Point`] holds `v` and whatever makes `x.w` cost no more than
//! the non-zeros of `x`.
//! Paper: docs/theory/dual.md#regularisers and docs/theory/dual.md#a-step-costs-as-much-as-its-row.

mod entropy;
pub mod p_norm;
pub mod separable;
pub mod square;

pub use entropy::Entropy;
pub use p_norm::PNormRegulariser;
pub use separable::{NonNegative, PPower, Piecewise, Separable, UnnormalisedEntropy};
pub use square::Square;

use crate::row::Row;

/// A convex function of the weights with a differentiable conjugate.
pub trait Regulariser: Clone + Send + Sync {
    /// Dual vectors of this regulariser.
    type Point: Point;

    /// Whether this is the square, whose link is linear.
    const IS_SQUARE: bool = false;

    /// `g(w)`; infinite outside its domain.
    fn value(&self, w: &[f64]) -> f64;

    /// `h(v)`.
    fn conjugate(&self, v: &[f64]) -> f64;

    /// `w = grad h(v)`.
    fn weights(&self, v: &[f64]) -> Vec<f64>;

    /// A bound of `x' H x` for the second derivatives H of h everywhere, if there is one.
    fn bound(&self, x: Row<'_>) -> Option<f64>;

    /// A point to move.
    fn point(&self, v: Vec<f64>) -> Self::Point;
}

/// A dual vector `v` and its link.
pub trait Point: Clone + Send + Sync {
    /// `v`.
    fn vector(&self) -> &[f64];

    /// `x . grad h(v)`.
    fn margin(&self, x: Row<'_>) -> f64;

    /// The first and second derivative of `h(v + c x)` in `c`.
    fn along(&self, x: Row<'_>, c: f64) -> (f64, f64);

    /// `v <- v + c x`.
    fn add(&mut self, x: Row<'_>, c: f64);

    /// Another `v`; what is kept besides is recomputed.
    fn set(&mut self, v: &[f64]);

    /// Becomes a copy of another point, in the memory it has.
    fn copy(&mut self, other: &Self);

    /// `v <- u + share sum_k (part_k - u)`, u the vector of `before`.
    fn blend<'s>(&mut self, before: &Self, parts: impl Iterator<Item = &'s Self>, share: f64)
    where
        Self: 's,
    {
        let before = before.vector();
        let mut v = before.to_vec();
        for part in parts {
            for ((v, part), before) in v.iter_mut().zip(part.vector()).zip(before) {
                *v += share * (part - before);
            }
        }
        self.set(&v);
    }

    /// Recomputes what is kept besides `v`.
    fn refresh(&mut self);
}

/// `sgn(v) |v|^e`.
fn signed_power(v: f64, e: f64) -> f64 {
    crate::row::power(v.abs(), e).copysign(v)
}

#[cfg(test)]
mod tests;
