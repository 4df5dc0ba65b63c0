//! The best vector along a path of solutions.
//!
//! For every bound here the best U is, for some mu, the minimiser of `L(U) + (mu/2) |U|^2` in the norm of the theorem, and the bound is
//! unimodal along these (spec/online.md 7, spec/dual.md 9). Any U is valid, so solutions need not be exact, and the
//! scale of each is chosen anew.

use super::path::{Found, Path, Shape};
use crate::dual::loss::margin::Margin;

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// One solve.
    Quick,
    /// Along the path, until the bound is nearly the best.
    Full,
}

/// The best vector found.
pub(super) struct Best {
    pub(super) found: Found,
    pub(super) bound: f64,
    pub(super) solves: u32,
}

/// Steps along the path while looking for where it turns, and ratio of one.
const STEPS: u32 = 14;
const RATIO: f64 = 4.0;

/// Solves once it is known between which two it turns.
const CLOSER: u32 = 7;

/// A step along the path that improves the bound by less than this share is the last.
const ENOUGH: f64 = 5e-4;

/// The vector of the least bound along the path of a loss, from a first guess of mu on.
pub(super) fn best(
    path: &mut Path<'_>,
    loss: Margin,
    mu: f64,
    effort: Effort,
    bound: &dyn Fn(&Shape) -> f64,
) -> Best {
    let mut search = Search {
        path,
        loss,
        bound,
        best: None,
        solves: 0,
    };
    let middle = search.at(mu);
    if effort == Effort::Full {
        search.closer(mu, middle);
    }
    let solves = search.solves;
    match search.best {
        Some((bound, found)) => Best {
            found,
            bound,
            solves,
        },
        None => Best {
            found: search.path.zero(),
            bound: f64::INFINITY,
            solves,
        },
    }
}

struct Search<'s, 'r> {
    path: &'s mut Path<'r>,
    loss: Margin,
    bound: &'s dyn Fn(&Shape) -> f64,
    best: Option<(f64, Found)>,
    solves: u32,
}

impl Search<'_, '_> {
    /// The bound of the solution for mu, at its best scale.
    fn at(&mut self, mu: f64) -> f64 {
        let mut found = self.path.solve(mu, self.loss);
        self.solves += 1;
        let bound = self.scale(&mut found);
        if self.best.as_ref().is_none_or(|(best, _)| bound < *best) {
            self.best = Some((bound, found));
        }
        bound
    }

    /// Finds the best scale of a vector: by golden section, for bounds are unimodal in it.
    fn scale(&self, found: &mut Found) -> f64 {
        let at = |s: f64| (self.bound)(&self.path.shape(found, s));
        let one = at(1.0);
        let (mut low, mut high) = (0.25_f64, 4.0_f64);
        let golden = 0.618_033_988_749_894_9;
        let (mut inner, mut outer) = (0.0, 0.0);
        let mut known = (false, false);
        for _ in 0..12 {
            let (a, b) = (
                low * libm::pow(high / low, 1.0 - golden),
                low * libm::pow(high / low, golden),
            );
            if !known.0 {
                inner = at(a);
            }
            if !known.1 {
                outer = at(b);
            }
            if inner <= outer {
                (high, outer, known) = (b, inner, (false, true));
            } else {
                (low, inner, known) = (a, outer, (true, false));
            }
        }
        let s = (low * high).sqrt();
        let scaled = at(s);
        if scaled < one {
            found.scale(s);
            scaled
        } else {
            one
        }
    }

    /// Goes downhill from a first mu, then closes in.
    fn closer(&mut self, mu: f64, middle: f64) {
        let (mut at, mut here) = (mu, middle);
        // the bound a step to the left and to the right
        let mut left = self.at(mu / RATIO);
        let mut right = if left < here {
            here
        } else {
            self.at(mu * RATIO)
        };
        for _ in 0..STEPS {
            if left < here {
                (at, right, here) = (at / RATIO, here, left);
                left = self.at(at / RATIO);
                if left.is_finite() && here - left < ENOUGH * here && left <= here {
                    break;
                }
            } else if right < here {
                (at, left, here) = (at * RATIO, here, right);
                right = self.at(at * RATIO);
            } else {
                break;
            }
        }
        // the turn is within a step of `at`
        let (mut low, mut high) = (at / RATIO, at * RATIO);
        for _ in 0..CLOSER {
            // the wider side
            let probe = if at / low > high / at {
                (low * at).sqrt()
            } else {
                (at * high).sqrt()
            };
            let there = self.at(probe);
            let gain = here - there;
            match (there < here, probe < at) {
                (true, true) => (high, at, here) = (at, probe, there),
                (true, false) => (low, at, here) = (at, probe, there),
                (false, true) => low = probe,
                (false, false) => high = probe,
            }
            if high / low < 1.3 || (gain >= 0.0 && gain < ENOUGH * here && high / low < 2.5) {
                break;
            }
        }
    }
}
