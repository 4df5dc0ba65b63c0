//! Algorithm 1: dual coordinate ascent (dual Gauss-Seidel).
//!
//! Maximises `D(a) = -(1/n) sum_i k_i c_i(a_i) - lambda h(v)`, `v = (1/(lambda n)) sum_i k_i a_i z_i`, `z_i = s_i x_i`, k the weights of the
//! rows, one variable at a time in a fresh random order each pass.
//! Update: `a_i` <- the minimum of `c_i(a') + (a' - a_i) t_i + (b_i/2)(a' - a_i)^2`, `t_i = z_i.w`, `b_i = k_i B(x_i)/(lambda n)`, where B bounds the
//! curvature of h; the exact minimum along the line where there is no bound. D never falls.
//! Cost: O(nnz) per step, nothing is allocated; rows that are sure to stay where they are are left out (shrinking)
//! until the others are solved.
//! In the space of a kernel all margins are at hand and steps are dear: there a pass looks at all rows several times and makes
//! only the steps that gain most.
//! Two cores: large sparse problems are cut in two parts a round, which begin from the same v and are
//! added up (CoCoA+); how many parts there are belongs to the problem, never to the machine. If the sum of
//! the changes would lower D, their mean is taken, which cannot, and from then on the parts hold back more.
//! Bound: `O((n + R^2/(lambda gamma)) log(1/eps))` steps to a gap of eps if c is gamma-strongly convex, `O(n + A^2 R^2/(lambda eps))` if
//! `|a| <= A`.
//! Paper: Zhang 2002, Algorithm 1; docs/theory/dual.md#algorithm-1.

use std::borrow::Cow;
use std::iter::zip;

use super::lagrangian::{Constants, Free};
use super::line;
use super::loss::Loss;
use super::order::PassOrders;
use super::problem::Aim;
use super::space::DualSpace;
use crate::parallel;

/// How often the parts of a pass are brought together.
const ROUNDS: usize = 8;

/// Where looking costs nothing, a pass looks at all rows this many times,
const LOOKS: usize = 10;

/// and only steps whose gain is at least this share of the largest one that was seen are made.
const LEAST_SHARE: f64 = 0.2;

/// The variables of a problem on their way up.
pub(crate) struct Ascent<'p, L, S> {
    pub(crate) space: S,
    /// The variables, weights not included.
    pub(crate) a: Vec<f64>,
    /// The bias, if it is free, or the weight of a constant feature, if it is held.
    pub(crate) free: Free,
    pub(crate) lambda: f64,
    pub(crate) threads: usize,
    walk: Walk<'p, L>,
    /// The rows still moving, in order.
    active: Vec<u32>,
    orders: PassOrders,
    parts: Option<PassParts<S>>,
}

/// Copies of the space for parts that are worked on side by side.
struct PassParts<S> {
    each: Vec<(S, Free)>,
    /// The space before a round.
    before: S,
    /// h there, the bias included; NaN if it is not known.
    h: f64,
}

/// What the steps of a pass need to know.
pub(super) struct Walk<'p, L> {
    loss: L,
    aims: &'p [Aim],
    /// `1/(lambda n)`.
    unit: f64,
    /// `B(x_i)`; empty if there is no bound.
    bounds: Cow<'p, [f64]>,
    /// What a bias of 1 adds to rows.
    constants: Constants,
    shrinks: bool,
    limits: SlopeLimits,
    /// By how much parts hold back, from 1 to their number.
    caution: f64,
    /// Whether it matters by how much the conjugates fall.
    weighs: bool,
    /// Whether losses and gaps are summed on the way.
    watches: bool,
    /// Steps that gain less are left for later.
    least: f64,
}

/// Slopes beyond these show that a variable will stay at its end: the largest of last pass.
#[derive(Clone, Copy)]
struct SlopeLimits {
    low: f64,
    high: f64,
}

const NO_LIMITS: SlopeLimits = SlopeLimits {
    low: f64::NEG_INFINITY,
    high: f64::INFINITY,
};

/// What a pass, or a part of one, saw on its way.
#[derive(Clone, Copy)]
pub(crate) struct PassSummary {
    /// Sum of the rows' gaps, each as it was when it was visited.
    pub(crate) gap: f64,
    /// Sum of the rows' losses, likewise.
    pub(crate) loss: f64,
    /// The largest change of a variable, relative to its size.
    pub(crate) moved: f64,
    /// By how much the conjugates fell.
    fall: f64,
    /// The largest gain of a step, made or not; known where looking costs nothing.
    gain: f64,
    slopes: SlopeLimits,
}

const NOTHING: PassSummary = PassSummary {
    gap: 0.0,
    loss: 0.0,
    moved: 0.0,
    fall: 0.0,
    gain: 0.0,
    slopes: SlopeLimits {
        low: 0.0,
        high: 0.0,
    },
};

impl PassSummary {
    fn and(self, other: PassSummary) -> PassSummary {
        PassSummary {
            gap: self.gap + other.gap,
            loss: self.loss + other.loss,
            moved: self.moved.max(other.moved),
            fall: self.fall + other.fall,
            gain: self.gain.max(other.gain),
            slopes: SlopeLimits {
                low: self.slopes.low.min(other.slopes.low),
                high: self.slopes.high.max(other.slopes.high),
            },
        }
    }
}

/// How an ascent goes.
#[derive(Clone, Copy)]
pub(crate) struct AscentOptions {
    pub(crate) lambda: f64,
    pub(crate) free: bool,
    /// Where a free bias begins.
    pub(crate) bias: f64,
    /// Whether the weight of a constant feature may be held.
    pub(crate) holds: bool,
    /// The seed of the orders; none: rows are visited in the order of the data.
    pub(crate) seed: Option<u64>,
    /// How many neighbours are visited together.
    pub(crate) group: usize,
    pub(crate) shrinks: bool,
    pub(crate) threads: usize,
    /// How many parts are worked on side by side, if not as many as the space asks for.
    pub(crate) parts: Option<usize>,
}

impl<'p, L: Loss, S: DualSpace> Ascent<'p, L, S> {
    /// Begins with the variables `a`, in a space whose vector does not matter.
    pub(crate) fn new(
        loss: L,
        aims: &'p [Aim],
        space: S,
        a: Vec<f64>,
        options: AscentOptions,
    ) -> Self {
        let n = aims.len();
        let bounds = space.bounds(options.threads);
        let sizes = (0..n).map(|i| bounds.get(i).map_or_else(|| space.norm_sq(i), |b| *b));
        let typical = sizes.sum::<f64>() / n as f64;
        let mut constants = Constants::Same(1.0);
        let mut free = if options.free {
            Free::new(typical, options.lambda, options.bias)
        } else {
            Free::OFF
        };
        if options.holds
            && !options.free
            && let Some(each) = space.constants()
        {
            let square = each.iter().map(|c| c * c).sum::<f64>() / n as f64;
            free = Free::held(square, typical - square, options.lambda * n as f64);
            constants = Constants::of(each);
        }
        let count = options.parts.unwrap_or_else(|| space.parts()).min(n);
        let parts = (count > 1).then(|| PassParts {
            each: vec![(space.clone(), Free::OFF); count],
            before: space.clone(),
            h: f64::NAN,
        });
        // as daring as the sum of what the parts do mostly allows
        let caution = 1.0 + 0.25 * (count.max(1) - 1) as f64;
        let mut ascent = Ascent {
            space,
            a,
            free,
            lambda: options.lambda,
            threads: options.threads,
            walk: Walk {
                loss,
                aims,
                unit: 1.0 / (options.lambda * n as f64),
                bounds: Cow::Owned(bounds),
                constants,
                shrinks: options.shrinks,
                limits: NO_LIMITS,
                caution,
                weighs: parts.is_some(),
                watches: true,
                // the first look only looks
                least: if S::MARGINS_ARE_KEPT {
                    f64::INFINITY
                } else {
                    0.0
                },
            },
            active: Vec::new(),
            orders: match options.seed {
                Some(seed) => PassOrders::new(seed, options.group),
                None => PassOrders::of_data(),
            },
            parts,
        };
        ascent.restore();
        ascent.rebuild();
        if ascent.free.is_held() {
            // the weight that the variables ask for
            ascent.free.move_to(0.0);
        }
        ascent
    }

    pub(crate) fn loss(&self) -> L {
        self.walk.loss
    }

    pub(crate) fn aims(&self) -> &'p [Aim] {
        self.walk.aims
    }

    /// What a bias of 1 adds to rows.
    pub(crate) fn constants(&self) -> &Constants {
        &self.walk.constants
    }

    /// What `v` of the bias has of rows with these coefficients.
    pub(crate) fn bias_of(&self, c: &[f64]) -> f64 {
        match &self.walk.constants {
            Constants::Same(constant) => constant * c.iter().sum::<f64>(),
            Constants::Each(each) => zip(each, c).map(|(constant, c)| constant * c).sum(),
        }
    }

    /// All rows move again.
    pub(crate) fn restore(&mut self) {
        self.active.clear();
        self.active.extend(moving(self.walk.aims));
        self.walk.limits = NO_LIMITS;
    }

    /// Whether all rows move.
    pub(crate) fn is_whole(&self) -> bool {
        self.active.len() == moving(self.walk.aims).count()
    }

    /// What row `i` with variable `a` is multiplied by in v.
    pub(crate) fn coefficient(&self, i: usize, a: f64) -> f64 {
        let aim = &self.walk.aims[i];
        self.walk.unit * aim.weight * aim.sign * a
    }

    /// `|w|^2/2`, where that is the regulariser, else 0: with the rounding of the steps so far.
    pub(crate) fn regularisation(&self) -> f64 {
        if S::MARGINS_ARE_KEPT {
            let all = self.a.iter().enumerate().filter(|(_, a)| **a != 0.0);
            let terms = all.map(|(i, &a)| self.coefficient(i, a) * self.space.margin(i));
            0.5 * terms.sum::<f64>()
        } else if S::IS_SQUARE {
            self.space.conjugate()
        } else {
            0.0
        }
    }

    /// v from the variables, without the rounding of many steps.
    pub(crate) fn rebuild(&mut self) {
        let all = self.a.iter().enumerate();
        let c: Vec<f64> = all.map(|(i, &a)| self.coefficient(i, a)).collect();
        self.space.set(&c, self.threads);
        self.free.v = self.bias_of(&c);
    }

    /// Moves to another lambda, and says by what v is to be multiplied.
    #[cfg(feature = "linalg")]
    pub(crate) fn move_to(&mut self, lambda: f64) -> f64 {
        let share = self.lambda / lambda;
        self.lambda = lambda;
        self.walk.unit = 1.0 / (lambda * self.a.len() as f64);
        share
    }

    /// One pass over the rows that move.
    pub(crate) fn pass(&mut self) -> PassSummary {
        self.space.refresh();
        let order = self.orders.next(&self.active);
        let mut a: Vec<f64> = order.iter().map(|&i| self.a[i as usize]).collect();
        let mut stays = vec![true; order.len()];
        let seen = if let Some(mut parts) = self.parts.take() {
            // the variables may have been moved, and the multiplier too
            parts.h = f64::NAN;
            let length = order.len().div_ceil(ROUNDS).max(1);
            let rounds = zip(order.chunks(length), a.chunks_mut(length));
            let seen = zip(rounds, stays.chunks_mut(length))
                .map(|((order, a), stays)| self.round(&mut parts, order, a, stays))
                .fold(NOTHING, PassSummary::and);
            self.parts = Some(parts);
            seen
        } else {
            let (space, free) = (&mut self.space, &mut self.free);
            let mut seen = self.walk.stretch(space, free, &order, &mut a, &mut stays);
            if S::MARGINS_ARE_KEPT {
                for _ in 1..LOOKS {
                    let moved = seen.moved;
                    self.walk.least = LEAST_SHARE * seen.gain;
                    stays.fill(true);
                    seen = self.walk.stretch(space, free, &order, &mut a, &mut stays);
                    seen.moved = seen.moved.max(moved);
                }
                self.walk.least = LEAST_SHARE * seen.gain;
            }
            seen
        };
        for (&i, &a) in zip(&order, &a) {
            self.a[i as usize] = a;
        }
        if stays.contains(&false) {
            let mut gone: Vec<u32> = zip(order, stays)
                .filter_map(|(i, stays)| (!stays).then_some(i))
                .collect();
            gone.sort_unstable();
            let mut gone = gone.into_iter().peekable();
            self.active.retain(|i| gone.next_if_eq(i).is_none());
        }
        let SlopeLimits { low, high } = seen.slopes;
        self.walk.limits = SlopeLimits {
            low: if low < 0.0 { low } else { f64::NEG_INFINITY },
            high: if high > 0.0 { high } else { f64::INFINITY },
        };
        seen
    }

    /// One round: each part from the same v, then all together.
    fn round(
        &mut self,
        parts: &mut PassParts<S>,
        order: &[u32],
        a: &mut [f64],
        stays: &mut [bool],
    ) -> PassSummary {
        let a_before = a.to_vec();
        let length = order.len().div_ceil(parts.each.len()).max(1);
        let pieces = zip(order.chunks(length), a.chunks_mut(length));
        let pieces = zip(pieces, stays.chunks_mut(length));
        let work: Vec<_> = zip(&mut parts.each, pieces).collect();
        let count = work.len();
        let seen = parallel::map(work, self.threads, |(part, ((order, a), stays))| {
            part.0.copy(&self.space);
            part.1 = self.free;
            self.walk.stretch(&mut part.0, &mut part.1, order, a, stays)
        });
        let seen = seen.into_iter().fold(NOTHING, PassSummary::and);
        let each = &parts.each[..count];
        let caution = self.walk.caution;
        let free_before = self.free;
        let is_safe = caution >= parts.each.len() as f64;
        if parts.h.is_nan() && !is_safe {
            parts.h = self.space.conjugate() + self.free.conjugate();
        }
        std::mem::swap(&mut self.space, &mut parts.before);
        let before = (&parts.before, free_before);
        self.merge(before, each, 1.0 / caution);
        if is_safe {
            return seen;
        }
        let h = self.space.conjugate() + self.free.conjugate();
        let n = self.a.len() as f64;
        if seen.fall / n >= self.lambda * (h - parts.h) {
            parts.h = h;
        } else {
            // the mean of what the parts did cannot lower D
            let share = 1.0 / count as f64;
            self.merge(before, each, share / caution);
            for (a, before) in zip(a, a_before) {
                *a = before + share * (*a - before);
            }
            self.walk.caution = (2.0 * caution).min(parts.each.len() as f64);
            parts.h = f64::NAN;
        }
        seen
    }

    fn merge(&mut self, (space, free): (&S, Free), parts: &[(S, Free)], share: f64) {
        self.free = free;
        for part in parts {
            self.free.v += share * (part.1.v - free.v);
        }
        let spaces = parts.iter().map(|part| &part.0);
        self.space.merge(space, spaces, share);
    }
}

/// The rows that count.
pub(super) fn moving(aims: &[Aim]) -> impl Iterator<Item = u32> {
    let all = zip(0.., aims);
    all.filter(|(_, aim)| aim.weight > 0.0).map(|(i, _)| i)
}

impl<'p, L: Loss> Walk<'p, L> {
    /// The steps of one part of a problem: every row whose bound is in `bounds` moves, and v moves by `sigma` times the row's share. Losses and gaps are
    /// not summed.
    pub(super) fn of_part(
        loss: L,
        aims: &'p [Aim],
        unit: f64,
        bounds: &'p [f64],
        sigma: f64,
    ) -> Self {
        Walk {
            loss,
            aims,
            unit,
            bounds: Cow::Borrowed(bounds),
            constants: Constants::Same(1.0),
            shrinks: false,
            limits: NO_LIMITS,
            caution: sigma,
            weighs: false,
            watches: false,
            least: 0.0,
        }
    }

    /// Steps for rows in the order given; `a` holds their variables.
    pub(super) fn stretch<S: DualSpace>(
        &self,
        space: &mut S,
        free: &mut Free,
        order: &[u32],
        a: &mut [f64],
        stays: &mut [bool],
    ) -> PassSummary {
        let mut seen = NOTHING;
        // owned or borrowed: asked once
        let bounds = &*self.bounds;
        let (a, stays) = (&mut a[..order.len()], &mut stays[..order.len()]);
        for (k, &i) in order.iter().enumerate() {
            let i = i as usize;
            let Aim {
                sign,
                target,
                weight,
            } = self.aims[i];
            let constant = self.constants.at(i);
            let t = sign * (space.margin(i) + constant * free.bias());
            if self.watches {
                let f = self.loss.value(t, target);
                seen.loss += weight * f;
                seen.gap += weight * (f + self.loss.conjugate(a[k], target) + a[k] * t).max(0.0);
            }
            // how steeply D rises
            let mut slope = 0.0_f64;
            if L::HAS_ENDS {
                let (low, high) = self.loss.conjugate_slopes(a[k], target);
                let (low, high) = (low + t, high + t);
                if high < 0.0 {
                    seen.slopes.low = seen.slopes.low.min(high);
                    slope = -high;
                } else if low > 0.0 {
                    seen.slopes.high = seen.slopes.high.max(low);
                    slope = low;
                } else {
                    // the variable is where it should be, and perhaps sure to stay there
                    let sure = low < self.limits.low && high > self.limits.high;
                    stays[k] = !(self.shrinks && sure);
                    continue;
                }
            }
            let pace = self.caution * weight * self.unit;
            let next = if let Some(bound) = bounds.get(i) {
                let b = pace * (bound + constant * constant * free.stiffness);
                self.loss.step(a[k], t, b, target)
            } else {
                let start = a[k];
                line::minimum(&self.loss, start, target, |a| {
                    let c = pace * sign * (a - start);
                    let (slope, curvature) = space.along(i, c);
                    // the bias of such a space is free
                    let bias = free.bias() + c * free.stiffness;
                    (sign * (slope + bias), pace * (curvature + free.stiffness))
                })
            };
            let step = next - a[k];
            if S::MARGINS_ARE_KEPT {
                let gain = gain(weight, step, slope, pace * (bounds[i] + free.stiffness));
                seen.gain = seen.gain.max(gain);
                if gain < self.least {
                    continue;
                }
            }
            if step != 0.0 {
                if self.weighs {
                    let (before, after) = (
                        self.loss.conjugate(a[k], target),
                        self.loss.conjugate(next, target),
                    );
                    seen.fall += weight * (before - after);
                }
                seen.moved = seen.moved.max(step.abs() / next.abs().max(a[k].abs()));
                if S::MARGINS_ARE_KEPT {
                    if space.is_stopped() {
                        break;
                    }
                    let gains = |least: f64| {
                        let (space, rest) = (&*space, zip(&order[k + 1..], &a[k + 1..]));
                        let gains = rest
                            .map(|(&j, &a)| (j as usize, self.gain(space, free, j as usize, a)));
                        gains
                            .filter_map(move |(j, gain)| (gain > 0.0 && gain >= least).then_some(j))
                    };
                    space.prepare(i, gains(self.least), gains(0.0));
                }
                a[k] = next;
                space.add(i, pace * sign * step);
                free.v += pace * sign * step * constant;
            }
        }
        seen
    }

    /// What the step of a row would gain, at least, where curvature is bounded.
    fn gain<S: DualSpace>(&self, space: &S, free: &Free, i: usize, a: f64) -> f64 {
        let Aim {
            sign,
            target,
            weight,
        } = self.aims[i];
        let t = sign * (space.margin(i) + free.bias());
        let mut slope = 0.0_f64;
        if L::HAS_ENDS {
            let (low, high) = self.loss.conjugate_slopes(a, target);
            slope = (low + t).max(-(high + t));
            if slope <= 0.0 {
                return 0.0;
            }
        }
        let b = self.caution * weight * self.unit * (self.bounds[i] + free.stiffness);
        gain(weight, self.loss.step(a, t, b, target) - a, slope, b)
    }
}

/// What a step gains along a slope: at least b/2 times its square, more where it was cut short.
fn gain(weight: f64, step: f64, slope: f64, b: f64) -> f64 {
    let curved = 0.5 * b * step.abs();
    weight * step.abs() * curved.max(slope - curved)
}
