//! Algorithm 2: the augmented Lagrangian, for a bias that is not regularised.
//!
//! `g` does not see the bias, so its conjugate is finite only where `v_b = (1/(lambda n)) sum_i k_i a_i s_i` is 0. In
//! place of that constraint `h` gets `s v_b + v_b^2/(2 mu)`, and the bias is `b = s + v_b/mu`. Algorithm 1 on that, then
//! `s <- b`, and so on: the proximal point method in b, which converges for every mu.
//! Update: `s += v_b/mu` after each pass, `mu = 10/R2`, R2 the mean `|x|^2`; twice the passes an update when the gap has not
//! halved in 20 updates, and after eight times as many `mu /= 4`, down to `1/R2`.
//! Certificate: `v_b` is never quite 0, so of the values `k_i a_i s_i` the heavier sign is scaled down until they sum
//! to 0; there D is a true bound. P is taken at the w of that point, with the best b for it.
//! Paper: Zhang 2002, Algorithm 2; docs/theory/dual.md#algorithm-2.

use std::iter::zip;

use super::loss::Loss;
use super::problem::Aim;
use crate::parallel::{self, CHUNK};

/// Updates after which the gap should have halved.
const PATIENCE: u32 = 20;

/// Passes an update, at most.
const MOST_PASSES: u32 = 8;

/// The bias and its multiplier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free {
    /// s, the multiplier.
    multiplier: f64,
    /// `v_b`, which should become 0.
    pub(crate) v: f64,
    /// `1/mu`; 0 if there is no free bias.
    pub(crate) stiffness: f64,
    /// `1/mu` does not exceed this.
    stiffest: f64,
}

impl Free {
    /// No free bias.
    pub(crate) const OFF: Free = Free {
        multiplier: 0.0,
        v: 0.0,
        stiffness: 0.0,
        stiffest: 0.0,
    };

    /// For rows whose squares are about `typical`, beginning with the bias `b`.
    pub(crate) fn new(typical: f64, b: f64) -> Self {
        let typical = if typical > 0.0 { typical } else { 1.0 };
        Free {
            multiplier: b,
            stiffness: 0.1 * typical,
            stiffest: typical,
            ..Self::OFF
        }
    }

    /// A bias on its way: its multiplier, `v_b` and `1/mu`.
    pub(crate) fn at(multiplier: f64, v: f64, stiffness: f64) -> Self {
        Free {
            multiplier,
            v,
            stiffness,
            stiffest: stiffness,
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.stiffness > 0.0
    }

    /// b.
    #[inline]
    pub(crate) fn bias(&self) -> f64 {
        self.multiplier + self.v * self.stiffness
    }

    /// What h has got besides.
    pub(crate) fn conjugate(&self) -> f64 {
        self.v * (self.multiplier + 0.5 * self.v * self.stiffness)
    }
}

/// When the multiplier is updated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MultiplierSchedule {
    /// Passes an update.
    inner: u32,
    /// Passes since the last update.
    since: u32,
    /// Updates since the gap had halved.
    updates: u32,
    /// The gap that should be halved.
    gap: f64,
}

impl MultiplierSchedule {
    pub(crate) fn new() -> Self {
        MultiplierSchedule {
            inner: 1,
            since: 0,
            updates: 0,
            gap: f64::INFINITY,
        }
    }

    /// After a pass.
    pub(crate) fn passed(&mut self, free: &mut Free) {
        self.since += 1;
        if free.is_on() && self.since >= self.inner {
            (self.since, self.updates) = (0, self.updates + 1);
            free.multiplier = free.bias();
        }
    }

    /// After the variables were brought near their optimum for this multiplier.
    pub(crate) fn solved(&mut self, free: &mut Free) {
        self.since = self.inner;
        self.passed(free);
    }

    /// After a certificate.
    pub(crate) fn judged(&mut self, gap: f64, free: &mut Free) {
        if gap <= 0.5 * self.gap {
            (self.gap, self.updates) = (gap, 0);
        } else if self.updates >= PATIENCE {
            self.updates = 0;
            if self.inner < MOST_PASSES {
                self.inner *= 2;
            } else {
                free.stiffness = (4.0 * free.stiffness).min(free.stiffest);
            }
        }
    }
}

/// Variables whose weighted and signed sum is 0: those of the heavier sign are scaled down.
pub(crate) fn repaired(aims: &[Aim], a: &[f64]) -> Vec<f64> {
    let signed = || zip(aims, a).map(|(aim, a)| aim.weight * aim.sign * a);
    let positive: f64 = signed().filter(|&value| value > 0.0).sum();
    let negative: f64 = -signed().filter(|&value| value < 0.0).sum::<f64>();
    balanced(aims, a, positive, negative)
}

/// Variables of a part of a problem, those of the heavier sign scaled down, given the sums of both signs over the whole problem.
pub(crate) fn balanced(aims: &[Aim], a: &[f64], positive: f64, negative: f64) -> Vec<f64> {
    let (heavier, share) = if positive > negative {
        (1.0, negative / positive)
    } else if negative > 0.0 {
        (-1.0, positive / negative)
    } else {
        (1.0, 1.0)
    };
    let scaled = zip(aims, a).map(|(aim, &a)| {
        if aim.sign * a * heavier > 0.0 {
            share * a
        } else {
            a
        }
    });
    scaled.collect()
}

/// The losses of all rows as a function of the bias; `inner` holds `x_i . w`.
pub(crate) struct BiasSearch<'b, L> {
    pub(crate) loss: L,
    pub(crate) aims: &'b [Aim],
    pub(crate) inner: &'b [f64],
    pub(crate) threads: usize,
}

impl<L: Loss> BiasSearch<'_, L> {
    /// The derivatives from the left and from the right.
    fn slopes(&self, b: f64) -> (f64, f64) {
        let chunks = self.aims.len().div_ceil(CHUNK);
        let sums = parallel::map(0..chunks, self.threads, |k| {
            let rows = k * CHUNK..((k + 1) * CHUNK).min(self.aims.len());
            let mut sum = (0.0, 0.0);
            for (aim, inner) in zip(&self.aims[rows.clone()], &self.inner[rows]) {
                let slopes = self.loss.slopes(aim.sign * (inner + b), aim.target);
                let (left, right) = if aim.sign > 0.0 {
                    slopes
                } else {
                    (-slopes.1, -slopes.0)
                };
                sum = (sum.0 + aim.weight * left, sum.1 + aim.weight * right);
            }
            sum
        });
        let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        sums.into_iter().fold((0.0, 0.0), add)
    }

    /// A bias whose losses exceed the least ones by no more than `enough`, as far as `start` is not too far away.
    pub(crate) fn best(&self, start: f64, enough: f64) -> f64 {
        let (mut low, mut high) = (None, None);
        let (mut b, mut reach) = (start, 1e-3 * (1.0 + start.abs()));
        for round in 0..200 {
            let (left, right) = self.slopes(b);
            if right < 0.0 {
                low = Some((b, right));
            } else if left > 0.0 {
                high = Some((b, left));
            } else {
                return b;
            }
            b = match (low, high) {
                (Some((from, down)), Some((to, up))) => {
                    let width = to - from;
                    let (at, steepness) = if up < -down { (to, up) } else { (from, -down) };
                    let middle = from + 0.5 * width;
                    if steepness * width <= enough || middle <= from || middle >= to {
                        return at;
                    }
                    // by the slopes, and now and then by the middle
                    let secant = from + width * down / (down - up);
                    if round % 3 == 0 { middle } else { secant }
                }
                // losses that never cease to fall: 1e3 of what matters is far enough
                (Some((from, _)), None) if reach > 1e15 => return from,
                (None, Some((to, _))) if reach > 1e15 => return to,
                (Some((from, _)), None) => from + reach,
                (None, Some((to, _))) => to - reach,
                (None, None) => return b,
            };
            reach *= 4.0;
        }
        b
    }

    /// The middle of all biases that are as good as `b`.
    pub(crate) fn middle(&self, b: f64) -> f64 {
        let (left, right) = self.slopes(b);
        let towards = |step: f64, flat: &dyn Fn((f64, f64)) -> bool| {
            let (mut inside, mut reach) = (b, step);
            while reach.abs() < 1e9 && flat(self.slopes(b + reach)) {
                inside = b + reach;
                reach *= 2.0;
            }
            let mut outside = b + reach;
            for _ in 0..60 {
                let middle = 0.5 * (inside + outside);
                if flat(self.slopes(middle)) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            inside
        };
        let unit = 1e-3 * (1.0 + b.abs());
        if left != 0.0 && right != 0.0 {
            return b;
        }
        let lowest = towards(-unit, &|slopes| slopes.1 >= 0.0);
        let highest = towards(unit, &|slopes| slopes.0 <= 0.0);
        0.5 * (lowest + highest)
    }
}
