//! Where the dual vector of a problem lives, as coordinate steps see it: by the number of the row.

use std::iter::zip;

use super::problem::Problem;
use super::regulariser::{Point, Regulariser};
use crate::parallel::{self, CHUNK};

/// The dual vector `v = sum_i c_i x_i` and its link `w = grad h(v)`.
pub(crate) trait DualSpace: Clone + Send + Sync {
    /// Whether the regulariser is the square, so that `w` is linear in `v`.
    const IS_SQUARE: bool;

    /// Whether all `x_i . w` are at hand, and kept up by every step: looking costs nothing, steps cost much.
    const MARGINS_ARE_KEPT: bool = false;

    /// `x_i . w`.
    fn margin(&self, i: usize) -> f64;

    /// The first and second derivative of `h(v + c x_i)` in `c`.
    fn along(&self, i: usize, c: f64) -> (f64, f64);

    /// `v <- v + c x_i`.
    fn add(&mut self, i: usize, c: f64);

    /// A bound of `x_i' H x_i` everywhere for each row; nothing if there is none.
    fn bounds(&self, threads: usize) -> Vec<f64>;

    /// `|x_i|^2`.
    fn norm_sq(&self, i: usize) -> f64;

    /// The constant features of all rows, if there are some whose weights may be held.
    fn constants(&self) -> Option<Vec<f64>> {
        None
    }

    /// `v = sum_i c_i x_i`, from nothing.
    fn set(&mut self, c: &[f64], threads: usize);

    /// All `x_i . w`.
    fn margins(&self, out: &mut [f64], threads: usize);

    /// `h(v)`.
    fn conjugate(&self) -> f64;

    /// `w . v`; of `v` as it was set.
    fn inner(&self) -> f64;

    /// How many parts of the rows may be worked on side by side: depends on the problem alone.
    fn parts(&self) -> usize;

    /// Becomes a copy of another, in the memory it has.
    fn copy(&mut self, other: &Self);

    /// `v <- u + share sum_k (part_k - u)`, u the vector of `before`.
    fn merge<'s>(&mut self, before: &Self, parts: impl Iterator<Item = &'s Self>, share: f64)
    where
        Self: 's;

    /// Keeps rounding away from what is kept besides `v`.
    fn refresh(&mut self);

    /// Row `i` is about to be added: where that takes more than the rows themselves, it is made ready, together with what rows that are added `soon` or
    /// `perhaps` take.
    fn prepare(
        &self,
        _i: usize,
        _soon: impl Iterator<Item = usize>,
        _perhaps: impl Iterator<Item = usize>,
    ) {
    }

    /// Whether somebody asked to stop, where single steps are dear.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Vectors that a sum of rows is made from.
const SUMS: usize = 4;

/// The space of the features.
#[derive(Clone)]
pub(crate) struct LinearSpace<'p, R: Regulariser> {
    problem: &'p Problem<'p>,
    by: R,
    point: R::Point,
}

impl<'p, R: Regulariser> LinearSpace<'p, R> {
    /// The zero vector.
    pub(crate) fn new(problem: &'p Problem<'p>, by: R) -> Self {
        let point = by.point(vec![0.0; problem.slots()]);
        LinearSpace { problem, by, point }
    }

    /// The vector `v`.
    pub(crate) fn at(problem: &'p Problem<'p>, by: R, v: Vec<f64>) -> Self {
        let point = by.point(v);
        LinearSpace { problem, by, point }
    }

    /// `v`, by slot.
    pub(crate) fn vector(&self) -> &[f64] {
        self.point.vector()
    }

    /// `w`, by slot.
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.by.weights(self.point.vector())
    }
}

impl<R: Regulariser> DualSpace for LinearSpace<'_, R> {
    const IS_SQUARE: bool = R::IS_SQUARE;

    #[inline]
    fn margin(&self, i: usize) -> f64 {
        self.point.margin(self.problem.row(i))
    }

    fn along(&self, i: usize, c: f64) -> (f64, f64) {
        self.point.along(self.problem.row(i), c)
    }

    #[inline]
    fn add(&mut self, i: usize, c: f64) {
        self.point.add(self.problem.row(i), c);
    }

    fn bounds(&self, threads: usize) -> Vec<f64> {
        let problem = self.problem;
        if R::IS_SQUARE {
            return problem.norms(threads).to_vec();
        }
        let n = problem.len();
        let bounds = parallel::map(0..n.div_ceil(CHUNK), threads, |k| {
            let rows = k * CHUNK..((k + 1) * CHUNK).min(n);
            rows.map(|i| self.by.bound(problem.row(i)))
                .collect::<Option<Vec<f64>>>()
        });
        let bounds: Option<Vec<Vec<f64>>> = bounds.into_iter().collect();
        bounds.unwrap_or_default().concat()
    }

    fn norm_sq(&self, i: usize) -> f64 {
        self.problem.row(i).norm_sq()
    }

    fn constants(&self) -> Option<Vec<f64>> {
        let problem = self.problem;
        // a feature that the first row does not have is not constant
        let first = if problem.is_empty() {
            0.0
        } else {
            problem.constant(0)
        };
        let all = || (0..problem.len()).map(|i| problem.constant(i)).collect();
        (R::IS_SQUARE && first != 0.0).then(all)
    }

    fn set(&mut self, c: &[f64], threads: usize) {
        let slots = self.problem.slots();
        let n = self.problem.len();
        // few enough vectors, whatever the number of threads
        let part = n.div_ceil(SUMS).max(1 << 14);
        let sums = parallel::map(0..n.div_ceil(part), threads, |k| {
            let mut v = vec![0.0; slots];
            for (i, &c) in c.iter().enumerate().take((k + 1) * part).skip(k * part) {
                if c != 0.0 {
                    self.problem.row(i).add_to(c, &mut v);
                }
            }
            v
        });
        let total = sums.into_iter().reduce(|mut total, part| {
            zip(&mut total, part).for_each(|(total, part)| *total += part);
            total
        });
        self.point.set(&total.unwrap_or_else(|| vec![0.0; slots]));
    }

    fn margins(&self, out: &mut [f64], threads: usize) {
        parallel::fill(out, threads, |chunk, out| {
            for (i, out) in zip(chunk * CHUNK.., out) {
                *out = self.margin(i);
            }
        });
    }

    fn conjugate(&self) -> f64 {
        self.by.conjugate(self.point.vector())
    }

    fn inner(&self) -> f64 {
        let v = self.point.vector();
        zip(self.by.weights(v), v).map(|(w, v)| w * v).sum()
    }

    fn parts(&self) -> usize {
        // rows that share their features get into each other's way
        match self.problem.values() {
            _ if !self.problem.is_sparse() => 1,
            values if values < 1 << 23 => 1,
            values if values < 1 << 26 => 2,
            values if values < 1 << 28 => 4,
            _ => 8,
        }
    }

    fn copy(&mut self, other: &Self) {
        self.point.copy(&other.point);
    }

    fn merge<'s>(&mut self, before: &Self, parts: impl Iterator<Item = &'s Self>, share: f64)
    where
        Self: 's,
    {
        let parts = parts.map(|part| &part.point);
        self.point.blend(&before.point, parts, share);
    }

    fn refresh(&mut self) {
        self.point.refresh();
    }
}
