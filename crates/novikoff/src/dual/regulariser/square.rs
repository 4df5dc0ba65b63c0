//! The square `|w|^2/2`: `h(v) = |v|^2/2`, `w = v`.
//!
//! Bound: `x.x`, attained, so that steps are exact.
//! Paper: docs/theory/dual.md#regularisers; kernels are in `dual/kernel.rs`.

use std::iter::zip;

use super::{Point, Regulariser};
use crate::row::Row;

/// Partial sums of a square: additions need not wait for each other.
const LANES: usize = 8;

/// `|w|^2/2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Square;

impl Regulariser for Square {
    type Point = Plain;

    const IS_SQUARE: bool = true;

    fn value(&self, w: &[f64]) -> f64 {
        let (blocks, rest) = w.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for block in blocks {
            zip(&mut sums, block).for_each(|(sum, w)| *sum += w * w);
        }
        zip(&mut sums, rest).for_each(|(sum, w)| *sum += w * w);
        0.5 * sums.iter().sum::<f64>()
    }

    fn conjugate(&self, v: &[f64]) -> f64 {
        self.value(v)
    }

    fn weights(&self, v: &[f64]) -> Vec<f64> {
        v.to_vec()
    }

    fn bound(&self, x: Row<'_>) -> Option<f64> {
        Some(x.norm_sq())
    }

    fn point(&self, v: Vec<f64>) -> Plain {
        Plain { v }
    }
}

/// A vector that is its own link.
#[derive(Clone, Debug)]
pub struct Plain {
    v: Vec<f64>,
}

impl Point for Plain {
    fn vector(&self) -> &[f64] {
        &self.v
    }

    #[inline]
    fn margin(&self, x: Row<'_>) -> f64 {
        x.dot(&self.v)
    }

    fn along(&self, x: Row<'_>, c: f64) -> (f64, f64) {
        let curvature = x.norm_sq();
        (x.dot(&self.v) + c * curvature, curvature)
    }

    #[inline]
    fn add(&mut self, x: Row<'_>, c: f64) {
        x.add_to(c, &mut self.v);
    }

    fn set(&mut self, v: &[f64]) {
        self.v.copy_from_slice(v);
    }

    fn copy(&mut self, other: &Self) {
        self.v.copy_from_slice(&other.v);
    }

    fn blend<'s>(&mut self, before: &Self, parts: impl Iterator<Item = &'s Self>, share: f64)
    where
        Self: 's,
    {
        // of the usual two parts in one go
        let parts: Vec<&[f64]> = parts.map(|part| &part.v[..]).collect();
        let to = zip(&mut self.v, &before.v);
        if let [one, two] = parts[..] {
            for ((v, before), (one, two)) in zip(to, zip(one, two)) {
                *v = before + share * ((one - before) + (two - before));
            }
            return;
        }
        let count = parts.len() as f64;
        for (j, (v, before)) in to.enumerate() {
            let sum: f64 = parts.iter().map(|part| part[j]).sum();
            *v = before + share * (sum - count * before);
        }
    }

    fn refresh(&mut self) {}
}
