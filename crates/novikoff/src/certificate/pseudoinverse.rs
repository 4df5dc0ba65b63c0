//! The span of the updates' rows: what T11 (docs/theory/second-order.md#t11-second-order-without-a-parameter) has whatever U is.
//!
//! The factor is `r + q ln(1 + R^2 m/(q l))`, r the rank, `q = r(r + 1)/2`, l the smallest positive eigenvalue of XX' at any time,
//! which can only fall when the rank rises; or the sum over the updates (`observed`): 1 for each that brought something new,
//! else `x'(XX')^+ x`. A row that is so near to the span that the learner took it for its projection counts as that: how far `U.x`
//! can be from that of the projection is added to its error.
//!
//! Rounding: l is rounded down by more than the error of singular values, which for a kernel's values is one of their squares;
//! `x'(XX')^+ x` gets more than its error added and is at most 1.

use super::second_order::ROUNDING;
use super::{Inexact, PastTrial, Rival, Up, square_of};
use crate::linalg::{self, Spanned};
use crate::row::Row;

/// With a kernel, ranks up to which l is followed: each new rank takes the singular values of a matrix of that order.
const FOLLOWED: usize = 200;

/// How the row of an update differs from what was learned of it.
#[derive(Clone, Debug)]
pub(super) enum Stray {
    /// Not at all: it brought something new.
    New,
    /// By a vector of at most this length.
    Distance(Up),
    /// What was learned is a sum of the new rows before it, with these coefficients, but for a vector of at most this length.
    Sum(Vec<f64>, Up),
}

/// U with what rows stray added to the error of their `U.x`.
pub(super) fn strayed(rival: &Rival, trials: &[PastTrial<'_>], strays: &[Stray]) -> Rival {
    let (norm, mut strays) = (rival.norm(), strays.iter());
    let mut new: Vec<Inexact> = Vec::new();
    let more = rival.values().zip(trials).map(|(value, trial)| {
        let stray = if trial.updated { strays.next() } else { None };
        match stray {
            None => Up::default(),
            Some(Stray::New) => {
                new.push(*value);
                Up::default()
            }
            Some(Stray::Distance(distance)) => norm * *distance,
            Some(Stray::Sum(z, distance)) => {
                let unit = (z.len() + 4) as f64 * f64::EPSILON;
                let (mut sum, mut doubt) = (0.0, norm * *distance);
                for (z, Inexact { value, error }) in z.iter().zip(&new) {
                    sum += z * value;
                    doubt = doubt + Up::new(z.abs()) * Up::new(error + unit * value.abs());
                }
                doubt + Up::new((sum - value.value).abs())
            }
        }
    });
    rival.doubted(more)
}

/// The span of all updates, and how they came to it.
pub(super) struct UpdateSpan {
    /// What was observed of each update.
    pub(super) observed: Vec<Up>,
    /// How each update's row differs from what was learned of it.
    pub(super) strays: Vec<Stray>,
    rank: usize,
    /// The longest `|x|^2`.
    longest: f64,
    /// No larger than l; nothing if it was not followed.
    least: Option<f64>,
    /// No larger than the smallest singular value of R; nothing if the rank has risen since it was computed.
    low: Option<f64>,
    /// R, column by column, in an orthonormal basis.
    factor: Vec<f64>,
    /// `sum |x|^2`.
    trace: f64,
    /// How many updates there are in all.
    updates: usize,
    /// The basis is known by inner products only.
    by_products: bool,
}

impl UpdateSpan {
    fn new(updates: usize, by_products: bool) -> Self {
        UpdateSpan {
            observed: Vec::with_capacity(updates),
            strays: Vec::with_capacity(updates),
            rank: 0,
            longest: 0.0,
            least: Some(f64::INFINITY),
            low: None,
            factor: Vec::new(),
            trace: 0.0,
            updates,
            by_products,
        }
    }

    pub(super) fn of_rows(rows: &[Row<'_>]) -> Self {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut span = UpdateSpan::new(rows.len(), false);
        for x in rows {
            let mut all = vec![0.0; x.last_slot().map_or(0, |j| j as usize + 1)];
            x.add_to(1.0, &mut all);
            let (rest, mut coordinates) = linalg::outside(&basis, all);
            let size = linalg::dot(&rest, &rest).sqrt();
            let length = x.norm(2.0);
            let new = size > linalg::NEW * length;
            if new {
                basis.push(rest.into_iter().map(|r| r / size).collect());
                coordinates.push(size);
            }
            let stray = if new {
                Stray::New
            } else {
                let rounding = ROUNDING * (basis.len() + x.len()) as f64 * length;
                Stray::Distance(Up::new(size + rounding))
            };
            span.push(&coordinates, length * length, stray);
        }
        span
    }

    /// From the kernel's values for the updates, as the learner finds the span.
    pub(super) fn of_gram(gram: &[f64]) -> Self {
        let n = linalg::triangle_order(gram);
        let (mut basis, mut kept) = (Spanned::default(), Vec::new());
        let mut span = UpdateSpan::new(n, true);
        for i in 0..n {
            let row = &gram[i * (i + 1) / 2..(i + 1) * (i + 2) / 2];
            let (products, norm_sq) = (&row[..i], row[i]);
            let mut coordinates: Vec<f64> = kept.iter().map(|&j: &usize| products[j]).collect();
            let stray = if let Some(distance) = basis.place(&mut coordinates, norm_sq) {
                coordinates.push(distance);
                basis.push(&coordinates, norm_sq);
                kept.push(i);
                Stray::New
            } else {
                let mut z = coordinates.clone();
                basis.coefficients(&mut z);
                let parts = z.iter().zip(basis.lengths()).map(|(z, b)| z.abs() * b);
                let rounding = ROUNDING * (z.len() + 1) as f64 * parts.sum::<f64>();
                Stray::Sum(z, Up::new(rounding))
            };
            span.push(&coordinates, norm_sq, stray);
        }
        span
    }

    /// Takes an update in.
    fn push(&mut self, coordinates: &[f64], norm_sq: f64, stray: Stray) {
        self.longest = self.longest.max(norm_sq);
        self.trace += norm_sq;
        let mut unused = Vec::new();
        linalg::rotate_in(&mut self.factor, &mut unused, coordinates, 0.0);
        self.rank = coordinates.len();
        let new = matches!(stray, Stray::New);
        self.strays.push(stray);
        if new {
            self.low = None;
            if self.by_products && self.rank > FOLLOWED {
                self.least = None;
            } else {
                let low = self.low();
                self.least = self.least.map(|least| least.min(low));
            }
            self.observed.push(Up::new(1.0));
            return;
        }
        let mut known = coordinates.to_vec();
        linalg::solve_lower(&self.factor, &mut known);
        let term = linalg::dot(&known, &known);
        let condition = self.longest * self.updates as f64 / self.low();
        // coordinates that come from inner products are wrong by as much as these are
        let condition = if self.by_products {
            condition
        } else {
            condition.sqrt()
        };
        let error = self.rounding() * condition * term;
        let most = (Up::new(term) + Up::new(error)).min(Up::new(1.0));
        self.observed.push(most);
    }

    fn rounding(&self) -> f64 {
        ROUNDING * (self.rank + self.updates) as f64
    }

    /// No larger than the smallest positive eigenvalue of XX'.
    fn low(&mut self) -> f64 {
        let known = self.low.unwrap_or_else(|| {
            let (top, low) = linalg::singular_range(&self.factor).unwrap_or((0.0, 0.0));
            if self.by_products {
                (low * low - self.rounding() * self.trace).max(0.0)
            } else {
                let sure = (low - self.rounding() * top).max(0.0);
                sure * sure
            }
        });
        self.low = Some(known);
        known
    }

    /// The theorem's own factor, if l was followed and is more than rounding.
    pub(super) fn theorem(&self) -> Option<Up> {
        let least = self.least.filter(|least| *least > 0.0)?;
        let (rank, m) = (self.rank as f64, self.updates as f64);
        let q = rank * (rank + 1.0) / 2.0;
        let longest = square_of(self.longest);
        let below = (q.max(1.0) * least).next_down();
        let log = (longest * Up::new(m)).over(below).ln_1p();
        Some(Up::new(rank) + Up::new(q) * log)
    }
}
