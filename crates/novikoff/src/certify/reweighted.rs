//! The nearest point of the rows' convex hull in a p-norm with `p > 2`: Euclidean problems, one after another.
//!
//! At a point v the p-norm's square has the slope of `sum |v_j|^(p-2) w_j^2`, scaled, so that the nearest point in those weights lies where the
//! p-norm falls; a line search goes as far as it falls. Every point says how far its margin can be from the best, as in `hull.rs`.

use std::iter::zip;

use super::hull::{GoesOn, Nearest, nearest};
use super::path::{Path, length};
use super::points::Points;
use crate::dual::regulariser::{PNormRegulariser, Regulariser as _};

/// The margin is this near to the best, relative to it.
const NEAR: f64 = 1e-5;

/// Steps at most, and thirds of a line.
const STEPS: u32 = 300;
const SECTIONS: u32 = 60;

/// What is added to every weight, so that no slot is lost: at first, how much less once steps gain little, and at last.
const ADDED: f64 = 1e-2;
const SHRINK: f64 = 0.1;
const LEAST_ADDED: f64 = 1e-12;

/// Steps that gain a smaller share gain little.
const LITTLE: f64 = 1e-4;

/// A point, by the shares of all rows and by slot.
#[derive(Clone)]
struct WeightedPoint {
    shares: Vec<f64>,
    v: Vec<f64>,
}

impl WeightedPoint {
    fn new(path: &Path<'_>, pairs: &[(usize, f64)]) -> Self {
        let (mut shares, mut v) = (vec![0.0; path.aims.len()], vec![0.0; path.slots()]);
        for &(i, share) in pairs {
            shares[i] = share;
            path.row(i).add_to(share * path.aims[i].sign, &mut v);
        }
        WeightedPoint { shares, v }
    }

    fn pairs(&self) -> Vec<(usize, f64)> {
        let shares = self.shares.iter().copied().enumerate();
        shares.filter(|(_, share)| *share > 0.0).collect()
    }

    /// The point that is `share` of the way to another one.
    fn towards(&self, other: &Self, share: f64) -> Self {
        let mean = |a: &[f64], b: &[f64]| {
            let both = zip(a, b);
            both.map(|(a, b)| (1.0 - share) * a + share * b).collect()
        };
        WeightedPoint {
            shares: mean(&self.shares, &other.shares),
            v: mean(&self.v, &other.v),
        }
    }
}

/// The nearest point in the norm of exponent p, or as near as `goes_on` lets it come.
pub(super) fn nearest_in_norm(
    path: &Path<'_>,
    p: f64,
    goes_on: &mut GoesOn<'_>,
) -> Option<Nearest> {
    let by = PNormRegulariser::new(p / (p - 1.0));
    let first = nearest(&mut Points::new(path, None), goes_on)?;
    let mut at = WeightedPoint::new(path, &first.shares);
    let mut best: Option<(f64, Vec<(usize, f64)>)> = None;
    let mut added = ADDED;
    for _ in 0..STEPS {
        let size = length(&at.v, p);
        let u = by.weights(&at.v);
        let met = path.aims.iter().enumerate().filter(|(_, a)| a.weight > 0.0);
        let margins = met.map(|(i, aim)| aim.sign * path.row(i).dot(&u));
        let least = margins.fold(f64::INFINITY, f64::min);
        if least > 0.0 && best.as_ref().is_none_or(|(best, _)| least / size > *best) {
            best = Some((least / size, at.pairs()));
        }
        let is_near = least >= (1.0 - NEAR) * size * size;
        if is_near || size == 0.0 || added < LEAST_ADDED || !goes_on(0.0) {
            break;
        }
        let weight = |v: &f64| added + libm::pow(v.abs() / size, p - 2.0);
        let diagonal: Vec<f64> = at.v.iter().map(weight).collect();
        let other = nearest(&mut Points::new(path, Some(diagonal)), goes_on)?;
        let other = WeightedPoint::new(path, &other.shares);
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        let on_the_way = |share: f64| length(&at.towards(&other, share).v, p);
        for _ in 0..SECTIONS {
            let third = (high - low) / 3.0;
            if on_the_way(low + third) < on_the_way(high - third) {
                high -= third;
            } else {
                low += third;
            }
        }
        let next = at.towards(&other, f64::midpoint(low, high));
        let now = length(&next.v, p);
        if now >= size * (1.0 - LITTLE) {
            added *= SHRINK;
        }
        if now < size {
            at = next;
        }
    }
    Some(Nearest {
        shares: at.pairs(),
        separating: best.map(|(_, shares)| shares),
    })
}
