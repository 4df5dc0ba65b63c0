//! Regularisers that are sums over the weights, `g(w) = sum_j g_j(w_j)`: a [`Coordinate`] says what one coordinate
//! needs, the rest is here.
//!
//! A point keeps `w` and recomputes what a row's coordinates need.
//! Paper: docs/theory/dual.md#regularisers.

pub mod non_negative;
mod p_power;
pub mod piecewise;
mod unnormalised_entropy;

pub use non_negative::NonNegative;
pub use p_power::PPower;
pub use piecewise::Piecewise;
pub use unnormalised_entropy::UnnormalisedEntropy;

use super::{Point, Regulariser};
use crate::row::Row;

/// One weight's share.
pub trait Coordinate: Clone + Send + Sync {
    /// `g_j(w)`.
    fn value(&self, j: usize, w: f64) -> f64;

    /// `h_j(v)`.
    fn conjugate(&self, j: usize, v: f64) -> f64;

    /// `h_j'(v)`.
    fn weight(&self, j: usize, v: f64) -> f64;

    /// `h_j''(v)`, from the right where it jumps.
    fn curvature(&self, j: usize, v: f64) -> f64;

    /// A bound of all `h_j''`, if there is one.
    fn steepest(&self) -> Option<f64>;
}

/// A sum of coordinates' shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Separable<C>(pub C);

impl<C: Coordinate> Regulariser for Separable<C> {
    type Point = LinkedVector<C>;

    fn value(&self, w: &[f64]) -> f64 {
        let shares = w.iter().enumerate().map(|(j, &w)| self.0.value(j, w));
        shares.sum()
    }

    fn conjugate(&self, v: &[f64]) -> f64 {
        let shares = v.iter().enumerate().map(|(j, &v)| self.0.conjugate(j, v));
        shares.sum()
    }

    fn weights(&self, v: &[f64]) -> Vec<f64> {
        let weights = v.iter().enumerate().map(|(j, &v)| self.0.weight(j, v));
        weights.collect()
    }

    fn bound(&self, x: Row<'_>) -> Option<f64> {
        self.0.steepest().map(|steepest| steepest * x.norm_sq())
    }

    fn point(&self, v: Vec<f64>) -> LinkedVector<C> {
        let w = self.weights(&v);
        let by = self.0.clone();
        LinkedVector { by, v, w }
    }
}

/// A vector and its link.
#[derive(Clone, Debug)]
pub struct LinkedVector<C> {
    by: C,
    v: Vec<f64>,
    w: Vec<f64>,
}

impl<C: Coordinate> Point for LinkedVector<C> {
    fn vector(&self) -> &[f64] {
        &self.v
    }

    fn margin(&self, x: Row<'_>) -> f64 {
        x.dot(&self.w)
    }

    fn along(&self, x: Row<'_>, c: f64) -> (f64, f64) {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (j, x) in x.iter() {
            let v = self.v[j] + c * x;
            slope += x * self.by.weight(j, v);
            curvature += x * x * self.by.curvature(j, v);
        }
        (slope, curvature)
    }

    fn add(&mut self, x: Row<'_>, c: f64) {
        for (j, x) in x.iter() {
            self.v[j] += c * x;
            self.w[j] = self.by.weight(j, self.v[j]);
        }
    }

    fn set(&mut self, v: &[f64]) {
        self.v.copy_from_slice(v);
        self.refresh();
    }

    fn copy(&mut self, other: &Self) {
        self.v.copy_from_slice(&other.v);
        self.w.copy_from_slice(&other.w);
    }

    fn refresh(&mut self) {
        for (j, (w, &v)) in self.w.iter_mut().zip(&self.v).enumerate() {
            *w = self.by.weight(j, v);
        }
    }
}
