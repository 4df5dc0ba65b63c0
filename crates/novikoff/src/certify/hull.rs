//! The point of the rows' convex hull that is nearest to 0: Wolfe's method.
//!
//! Rows are taken times their labels. The length of any point of the hull is at least the largest margin a vector of length 1 can have, and
//! at the nearest point they are equal, so that each point says how far its own margin can be from the best.
//! A step takes in the row of least margin and goes to the nearest point of the plane through the rows it has; rows whose share would fall
//! below 0 on the way leave.
//! Cost: one look at all rows per step, and the square of the number of rows it has. The number of steps is finite, in practice a few
//! times the number of rows that matter.
//! Paper: Wolfe, Finding the nearest point in a polytope, 1976; docs/theory/comparators.md#maximum-margins-by-the-nearest-point.

use std::iter::zip;

use super::points::Points;
use crate::linalg;

/// The margin is this near to the best, relative to it: far nearer than rounding lets bounds show.
const NEAR: f64 = 1e-7;

/// A hull that comes this near to 0, relative to its longest row, holds 0: no vector has a margin that rounding leaves.
const NOTHING: f64 = 1e-11;

/// A row with a smaller share that is new adds no dimension.
const NEW: f64 = 1e-13;

/// Called with how many multiplications a step took; answers whether to continue.
pub(super) type GoesOn<'g> = dyn FnMut(f64) -> bool + 'g;

/// A point of the hull: rows and their shares, which sum to 1.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    pub(super) shares: Vec<(usize, f64)>,
    /// The shares whose vector had the largest margin, if one was above 0: the last point need not be that one.
    pub(super) separating: Option<Vec<(usize, f64)>>,
}

/// The nearest point, or as near as `goes_on` lets it come.
pub(super) fn nearest(points: &mut Points<'_, '_>, goes_on: &mut GoesOn<'_>) -> Option<Nearest> {
    let mut active = ActivePoints::begin(points)?;
    let longest = points.longest_square();
    let mut best: Option<(f64, Vec<(usize, f64)>)> = None;
    loop {
        let margins = points.margins(&active.shares);
        let k = active.shares.len() as f64;
        let work = points.work() + 3.0 * k * k;
        let own = zip(points.rows(), &active.shares);
        let square: f64 = own.map(|(&i, share)| share * margins[i]).sum();
        let least = points.least(&margins);
        let Some((next, least)) = least else {
            break;
        };
        let margin = least / square.sqrt();
        if least > 0.0 && best.as_ref().is_none_or(|(best, _)| margin > *best) {
            best = Some((margin, active.point(points)));
        }
        let is_near = least >= (1.0 - NEAR) * square;
        let is_zero = square <= NOTHING * NOTHING * longest;
        if is_near || is_zero || points.rows().contains(&next) || !goes_on(work) {
            break;
        }
        if !active.take(points, next) {
            break;
        }
    }
    Some(Nearest {
        shares: active.point(points),
        separating: best.map(|(_, shares)| shares),
    })
}

/// The rows that span the point, with the factor of their inner products plus `unit` everywhere.
struct ActivePoints {
    shares: Vec<f64>,
    factor: Vec<f64>,
    unit: f64,
}

impl ActivePoints {
    /// The shortest row.
    fn begin(points: &mut Points<'_, '_>) -> Option<Self> {
        let unit = points.longest_square();
        let first = points.shortest()?;
        let mut active = ActivePoints {
            shares: Vec::new(),
            factor: Vec::new(),
            unit,
        };
        active.grow(points, first).then(|| {
            active.shares = vec![1.0];
            active
        })
    }

    fn point(&self, points: &Points<'_, '_>) -> Vec<(usize, f64)> {
        let rows = points.rows().iter().copied();
        zip(rows, self.shares.iter().copied()).collect()
    }

    /// Adds a row to the factor; false if it is in the plane already.
    fn grow(&mut self, points: &mut Points<'_, '_>, row: usize) -> bool {
        let mut products = points.push(row);
        for product in &mut products {
            *product += self.unit;
        }
        let Some(own) = products.pop() else {
            return false;
        };
        linalg::solve_lower(&self.factor, &mut products);
        let new = own - linalg::dot(&products, &products);
        if new.is_nan() || new <= NEW * own {
            points.remove(points.rows().len() - 1);
            return false;
        }
        self.factor.extend(products);
        self.factor.push(new.sqrt());
        true
    }

    /// Takes a row in and goes to the nearest point of the plane, dropping rows on the way. False if nothing came of it.
    fn take(&mut self, points: &mut Points<'_, '_>, row: usize) -> bool {
        if !self.grow(points, row) {
            return false;
        }
        self.shares.push(0.0);
        loop {
            let wanted = self.middle();
            if wanted.iter().any(|w| !w.is_finite()) {
                return false;
            }
            if wanted.iter().all(|w| *w > 0.0) {
                self.shares = wanted;
                return true;
            }
            // as far as the first share allows
            let way = zip(&self.shares, &wanted).filter(|(_, w)| **w <= 0.0);
            let step = way.map(|(s, w)| s / (s - w)).fold(1.0, f64::min);
            for (share, wanted) in zip(&mut self.shares, &wanted) {
                *share += step * (wanted - *share);
            }
            let least = self.shares.iter().copied().fold(f64::INFINITY, f64::min);
            let gone = self.shares.iter().position(|share| *share <= least);
            let Some(gone) = gone else {
                return false;
            };
            let is_new = gone + 1 == self.shares.len() && points.rows()[gone] == row;
            self.shares.remove(gone);
            linalg::drop_row(&mut self.factor, gone);
            points.remove(gone);
            if is_new || self.shares.is_empty() {
                return false;
            }
        }
    }

    /// The shares of the nearest point of the plane; they may be below 0.
    fn middle(&self) -> Vec<f64> {
        let mut shares = vec![1.0; self.shares.len()];
        linalg::solve_lower(&self.factor, &mut shares);
        linalg::solve_upper(&self.factor, &mut shares);
        let sum: f64 = shares.iter().sum();
        for share in &mut shares {
            *share /= sum;
        }
        shares
    }
}
