//! Algorithm 2: the augmented Lagrangian, for a bias that is not regularised, and for the weight of a constant feature.
//!
//! `g` does not see the bias, so its conjugate is finite only where `v_b = (1/(lambda n)) sum_i k_i a_i s_i` is 0. In
//! place of that constraint `h` gets `s v_b + v_b^2/(2 mu)`, and the bias is `b = s + v_b/mu`. Algorithm 1 on that, then
//! `s <- b`, and so on: the proximal point method in b, which converges for every mu.
//! Update: `s += v_b/mu` after each pass, `1/mu = max(R2/10, lambda)`, R2 the mean `|x|^2`; twice the passes an update when the gap has not
//! halved in 20 updates, and after eight times as many `mu /= 4`, until `1/mu` is `max(R2, 10 lambda)`.
//! Certificate: `v_b` is never quite 0, so of the values `k_i a_i s_i` the heavier sign is scaled down until they sum
//! to 0; there D is a true bound. P is taken at the w of that point, with the best b for it.
//!
//! A constant feature that is regularised as the others are is in all rows as a bias is: each step moves its weight, and the steps of other rows
//! move it back. So its weight is *held* in the same way, by proximal steps: with the square, `h` has `v_0^2/2` for it, and the proximal
//! problem has `s v_0 (1 - rho) + rho v_0^2/2` instead, `rho < 1`; the weight is `w_0 = s + rho (v_0 - s)`, then `s <- w_0`. At the optimum
//! `w_0 = v_0`. Nothing needs to be repaired: for any `w_0`, `P - D` is the sum of the rows' gaps plus `lambda (w_0 - v_0)^2/2`.
//! Paper: Zhang 2002, Algorithm 2; docs/theory/dual.md#algorithm-2.

use std::iter::zip;

use super::loss::Loss;
use super::problem::Aim;
use crate::parallel::{self, CHUNK};

/// Updates after which the gap should have halved.
const PATIENCE: u32 = 20;

/// Passes an update, at most.
const MOST_PASSES: u32 = 8;

/// The weight of a constant feature is moved by no more than this share of what the other features of a row move.
const HELD: f64 = 0.03;

/// It moves by this part of what the losses ask for in a pass, at least: a large lambda makes plain steps short enough.
const HELD_LEAST: f64 = 0.1;

/// A smaller rho than this is lost in rounding.
const TINY: f64 = 1e-9;

/// The bias and its multiplier: a bias that is free, or the weight of a constant feature that is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free {
    /// s, the multiplier.
    multiplier: f64,
    /// What the bias has without `v`, beside what the space has.
    base: f64,
    /// `v_b`, which should become 0, or `v_0`, which should become the weight.
    pub(crate) v: f64,
    /// By how much more the bias moves with `v` than the space says: `1/mu`, or `rho - 1`. 0 if nothing is free or held.
    pub(crate) stiffness: f64,
    /// `1/mu` does not exceed this.
    stiffest: f64,
    /// Whether this is the weight of a constant feature, which the space has too.
    is_held: bool,
}

impl Free {
    /// No free bias, and no weight that is held.
    pub(crate) const OFF: Free = Free {
        multiplier: 0.0,
        base: 0.0,
        v: 0.0,
        stiffness: 0.0,
        stiffest: 0.0,
        is_held: false,
    };

    /// For rows whose squares are about `typical`, beginning with the bias `b`.
    ///
    /// An update of the multiplier is a proximal step on the losses as a function of b, whose weight is `lambda mu`: with a large lambda `1/mu` is at
    /// least lambda, so that the losses outweigh it.
    pub(crate) fn new(typical: f64, lambda: f64, b: f64) -> Self {
        let typical = if typical > 0.0 { typical } else { 1.0 };
        Free {
            multiplier: b,
            base: b,
            stiffness: (0.1 * typical).max(lambda),
            stiffest: typical.max(10.0 * lambda),
            ..Self::OFF
        }
    }

    /// A constant feature whose square is `constant` in the mean, in rows whose other squares are about `others`; off if plain steps are as good.
    /// `lambda n` is what the sum of the losses is compared with.
    pub(crate) fn held(constant: f64, others: f64, lambda_n: f64) -> Self {
        let rho = (HELD * others).max(HELD_LEAST * lambda_n) / constant;
        if !(rho > TINY && rho < 1.0) {
            return Self::OFF;
        }
        Free {
            stiffness: rho - 1.0,
            is_held: true,
            ..Self::OFF
        }
    }

    /// A bias on its way: its multiplier, `v_b` and `1/mu`.
    pub(crate) fn at(multiplier: f64, v: f64, stiffness: f64) -> Self {
        Free {
            multiplier,
            base: multiplier,
            v,
            stiffness,
            stiffest: stiffness,
            is_held: false,
        }
    }

    /// Whether a bias is free or held.
    pub(crate) fn is_on(&self) -> bool {
        self.stiffness != 0.0
    }

    /// Whether a bias is free.
    pub(crate) fn is_free(&self) -> bool {
        self.stiffness > 0.0
    }

    /// Whether the weight of a constant feature is held.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    /// b; of a weight that is held, what it is beyond that of the space.
    #[inline]
    pub(crate) fn bias(&self) -> f64 {
        self.base + self.v * self.stiffness
    }

    /// The bias that the rows saw before the multiplier was updated, beyond that of the space.
    pub(crate) fn seen(&self) -> f64 {
        if self.is_held {
            self.multiplier - self.v
        } else {
            self.multiplier
        }
    }

    /// What h has got besides.
    pub(crate) fn conjugate(&self) -> f64 {
        self.v * (self.base + 0.5 * self.v * self.stiffness)
    }

    /// What the bias adds to the gap, about: divided by lambda.
    pub(crate) fn gap(&self) -> f64 {
        if self.is_held {
            0.5 * self.bias() * self.bias()
        } else {
            (self.v * self.bias()).abs()
        }
    }

    /// The multiplier becomes the bias of the space and `bias` more.
    pub(crate) fn move_to(&mut self, bias: f64) {
        if self.is_held {
            self.multiplier = self.v + bias;
            // rho - 1 is the stiffness
            self.base = -self.stiffness * self.multiplier;
        } else {
            (self.multiplier, self.base) = (bias, bias);
        }
    }

    /// Larger steps of the bias: four times, or as far as they go. A weight whose steps are then plain is no longer held.
    fn stiffen(&mut self) {
        if !self.is_held {
            self.stiffness = (4.0 * self.stiffness).min(self.stiffest);
        } else if self.stiffness < -0.75 {
            self.stiffness = 4.0 * (self.stiffness + 1.0) - 1.0;
            self.base = -self.stiffness * self.multiplier;
        } else {
            self.release();
        }
    }

    /// A weight is no longer held: from here on steps are plain.
    pub(crate) fn release(&mut self) {
        if self.is_held {
            *self = Free::OFF;
        }
    }
}

/// What a bias of 1 adds to the inner products of rows.
#[derive(Clone, Debug)]
pub(crate) enum Constants {
    /// The same to all.
    Same(f64),
    /// To each.
    Each(Vec<f64>),
}

impl Constants {
    /// Of these values.
    pub(crate) fn of(each: Vec<f64>) -> Self {
        match each.first() {
            Some(&first) if each.iter().all(|c| *c == first) => Constants::Same(first),
            _ => Constants::Each(each),
        }
    }

    /// To row `i`.
    #[inline]
    pub(crate) fn at(&self, i: usize) -> f64 {
        match self {
            Constants::Same(constant) => *constant,
            Constants::Each(each) => each[i],
        }
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
            free.move_to(free.bias());
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
                free.stiffen();
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
    pub(crate) constants: &'b Constants,
    /// `lambda n` and the weight that the bias is added to, where that is regularised; else 0.
    pub(crate) held: (f64, f64),
    pub(crate) threads: usize,
}

impl<L: Loss> BiasSearch<'_, L> {
    /// The derivatives from the left and from the right.
    fn slopes(&self, b: f64) -> (f64, f64) {
        let chunks = self.aims.len().div_ceil(CHUNK);
        let sums = parallel::map(0..chunks, self.threads, |k| {
            let rows = k * CHUNK..((k + 1) * CHUNK).min(self.aims.len());
            let mut sum = (0.0, 0.0);
            for i in rows {
                let (aim, constant) = (&self.aims[i], self.constants.at(i));
                let times = aim.weight * aim.sign * constant;
                if times == 0.0 {
                    continue;
                }
                let t = aim.sign * (self.inner[i] + constant * b);
                let slopes = self.loss.slopes(t, aim.target);
                let (left, right) = if times > 0.0 {
                    slopes
                } else {
                    (slopes.1, slopes.0)
                };
                sum = (sum.0 + times * left, sum.1 + times * right);
            }
            sum
        });
        let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        let held = self.held.0 * (self.held.1 + b);
        sums.into_iter().fold((held, held), add)
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
