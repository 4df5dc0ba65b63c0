//! The best vector along a path of solutions.
//!
//! For every bound here the best U is, for some mu, the minimiser of `L(U) + (mu/2) |U|^2` in the norm of the theorem, and the bound is
//! unimodal along these (docs/theory/comparators.md#along-a-path). Any U is valid, so solutions need not be exact, and the
//! scale of each is chosen separately.

use super::multipliers::Multipliers;
use super::path::{BoundInputs, CandidateVector, Path};
use crate::dual::loss::margin::Margin;
use crate::dual::{Problem, PursuitStep};

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// One solve; of many rows, roughly.
    Quick,
    /// Along the path, until the bound is nearly the best.
    Full,
}

/// The best vector found.
pub(super) struct Best {
    pub(super) found: CandidateVector,
    pub(super) bound: f64,
    /// No vector makes the bound smaller than this.
    pub(super) least: Option<f64>,
    pub(super) solves: u32,
}

/// What is to be made small.
#[derive(Clone, Copy)]
pub(super) struct Goal<'g> {
    pub(super) bound: &'g dyn Fn(&BoundInputs) -> f64,
    /// What multipliers say about the least bound, if they say something.
    pub(super) least: Option<&'g dyn Fn(&Multipliers) -> f64>,
}

/// A bound that is `L + kappa |U|`.
#[derive(Clone, Copy)]
pub(super) struct Sum<'g> {
    pub(super) goal: Goal<'g>,
    pub(super) kappa: f64,
    /// Multipliers to begin with, one per row, from 0 to 1.
    pub(super) start: &'g [f64],
}

/// Solves at most, of small problems and of large ones.
const SOLVES: u32 = 20;
const SOLVES_OF_MANY: u32 = 12;

/// How near to the best ln mu is near enough: bounds are flat there.
const NEAR: f64 = 0.02;

/// How near the bound is to the least there is, relative to it, is near enough.
const CLOSE: f64 = 2e-4;
const CLOSE_OF_MANY: f64 = 1e-3;
/// The same where one rough solution is asked for, and found pass by pass.
const CLOSE_ROUGHLY: f64 = 0.075;

/// The longest step of ln mu.
const STRIDE: f64 = 3.0;

/// Golden sections that find a scale, and those that find that of a given vector.
const SECTIONS: u32 = 12;
const FINE_SECTIONS: u32 = 40;

/// How often a given vector is rescaled, each time by at most 4.
const RESCALES: u32 = 30;

/// The relative step of a difference.
const STEP: f64 = 1e-4;

impl<'g> Goal<'g> {
    /// A bound, and what multipliers say about the least.
    pub(super) fn new(
        bound: &'g dyn Fn(&BoundInputs) -> f64,
        least: &'g dyn Fn(&Multipliers) -> f64,
    ) -> Self {
        Goal {
            bound,
            least: Some(least),
        }
    }
}

/// The vector of the least bound along the path of a loss, from a first guess of mu on.
pub(super) fn best(
    path: &mut Path<'_>,
    loss: Margin,
    mu: f64,
    effort: Effort,
    goal: Goal<'_>,
) -> Best {
    let mut search = Search::new(path, loss, goal);
    let first = match effort {
        Effort::Quick => search.path.solve(mu, loss),
        Effort::Full => search.path.solve_guess(mu, loss),
    };
    let turn = search.look(mu, first);
    if effort == Effort::Full {
        search.closer(libm::log(mu), turn);
    }
    search.ended()
}

/// The vector of the least sum along the path of the hinge loss, from a first guess of mu on. Where passes are dear, mu moves after every pass, and no
/// solution is finished but the last.
pub(super) fn best_sum(path: &mut Path<'_>, mu: f64, effort: Effort, sum: Sum<'_>) -> Best {
    match path.pursued().filter(|_| sum.kappa > 0.0) {
        None => best(path, Margin::HINGE, mu, effort, sum.goal),
        Some(problem) => {
            let mut search = Search::new(path, Margin::HINGE, sum.goal);
            search.pursue(&problem, mu, effort, sum);
            search.ended()
        }
    }
}

/// A given vector at the scale of the least bound; others are as good as they were solved for.
pub(super) fn fit(
    path: &mut Path<'_>,
    found: &mut CandidateVector,
    bound: &dyn Fn(&BoundInputs) -> f64,
) {
    if path.is_given() {
        let goal = Goal { bound, least: None };
        let search = Search::new(path, Margin::HINGE, goal);
        search.scale_from_afar(found);
    }
}

/// What is known of a pursuit after a pass, without a look at all rows.
struct Pace {
    /// About what the bound is.
    bound: f64,
    /// How far that is at most from the least, relative to it.
    distance: f64,
    /// By how much ln mu should be larger.
    turn: f64,
}

impl Pace {
    /// After a pass for mu whose multipliers have this sum.
    fn new(step: PursuitStep, mu: f64, kappa: f64, sum: f64) -> Self {
        let norm = step.norm;
        // the loss is what the dual's value, the gap and the square leave
        let bound = sum + step.gap + norm * (kappa - mu * norm);
        let least = sum * (kappa / (mu * norm)).min(1.0);
        let turn = libm::log(kappa / norm) - libm::log(mu);
        Pace {
            bound,
            distance: 1.0 - least / bound,
            turn: if norm > 0.0 { turn } else { -STRIDE },
        }
    }
}

struct Search<'s, 'r> {
    path: &'s mut Path<'r>,
    loss: Margin,
    bound: &'s dyn Fn(&BoundInputs) -> f64,
    least: Option<&'s dyn Fn(&Multipliers) -> f64>,
    best: Option<(f64, CandidateVector)>,
    solves: u32,
}

impl<'s, 'r> Search<'s, 'r> {
    fn new(path: &'s mut Path<'r>, loss: Margin, goal: Goal<'s>) -> Self {
        Search {
            path,
            loss,
            bound: goal.bound,
            least: goal.least,
            best: None,
            solves: 0,
        }
    }

    fn ended(self) -> Best {
        let (solves, least) = (self.solves, self.least());
        let (bound, found) = self
            .best
            .unwrap_or_else(|| (f64::INFINITY, self.path.zero()));
        Best {
            found,
            bound,
            least,
            solves,
        }
    }

    /// Follows the path pass by pass, until the bound seems near enough to the least; whether it is so is then looked at, or, if only one solution is asked
    /// for, left to the certificate.
    fn pursue(&mut self, problem: &Problem<'_>, mut mu: f64, effort: Effort, sum: Sum<'_>) {
        let Sum { kappa, start, .. } = sum;
        let rows = problem.len() as f64;
        let enough = match effort {
            Effort::Quick => CLOSE_ROUGHLY,
            Effort::Full => CLOSE_OF_MANY,
        };
        let mut pursuit = self.path.pursuit(problem, mu, start.to_vec());
        // how much farther the bound is than passes see it
        let mut doubt = 1.0_f64;
        loop {
            let step = pursuit.pass();
            let goes_on = self.path.passed();
            let pace = Pace::new(step, mu, kappa, self.path.weighted_sum(pursuit.dual()));
            let seems_close = pace.distance * doubt <= enough;
            // nothing moves, or nothing that is a number
            let is_still = step.moved == 0.0 && pursuit.is_whole() || !step.norm.is_finite();
            if seems_close || is_still || !goes_on {
                self.path.pursued_to(&pursuit, mu);
                if effort == Effort::Quick {
                    let found = self.path.found_roughly(&pursuit);
                    self.solves += 1;
                    self.best = Some((pace.bound, found));
                    self.path.report(self.solves, Some(pace.distance));
                    return;
                }
                let found = self.path.found_by(&pursuit);
                self.look(mu, found);
                let distance = self.distance().unwrap_or(0.0);
                if distance <= enough || is_still || !goes_on || self.solves >= SOLVES_OF_MANY {
                    return;
                }
                doubt = (distance / pace.distance).clamp(1.1 * doubt, 100.0 * doubt);
                pursuit.restore();
            } else if step.moved == 0.0 || pace.turn.abs() > NEAR {
                pursuit.restore();
            }
            let next = mu * libm::exp((1.5 * pace.turn).clamp(-STRIDE, STRIDE));
            if next / rows > 0.0 && next.is_finite() {
                mu = next;
                pursuit.move_to(mu / rows);
            }
        }
    }

    /// No vector makes the bound smaller than this.
    fn least(&self) -> Option<f64> {
        self.least.and_then(|says| self.path.least(says))
    }

    /// How far the bound is at most from the least, relative to it.
    fn distance(&self) -> Option<f64> {
        let (bound, _) = self.best.as_ref()?;
        self.least().map(|least| (1.0 - least / bound).max(0.0))
    }

    /// Whether the bound is near enough to the least.
    fn is_close(&self, close: f64) -> bool {
        self.distance().is_some_and(|distance| distance <= close)
    }

    /// Solves for mu, given its logarithm; says how much the logarithm should be larger.
    ///
    /// Along the path a little less length costs mu |U| times as much loss. Where the bound's own price is that too, it is
    /// least.
    fn at(&mut self, log_mu: f64) -> f64 {
        let mu = libm::exp(log_mu);
        let found = self.path.solve(mu, self.loss);
        self.look(mu, found)
    }

    /// Looks at the solution for mu; says how much its logarithm should be larger.
    fn look(&mut self, mu: f64, mut found: CandidateVector) -> f64 {
        self.solves += 1;
        let shape = self.path.shape(&found, 1.0);
        let turn = self.turn(&shape, mu);
        let bound = if self.path.is_given() {
            self.scale_from_afar(&mut found)
        } else {
            self.scale(&mut found, SECTIONS)
        };
        if self.best.as_ref().is_none_or(|(best, _)| bound < *best) {
            self.best = Some((bound, found));
        }
        let distance = self.distance();
        self.path.report(self.solves, distance);
        turn
    }

    fn turn(&self, shape: &BoundInputs, mu: f64) -> f64 {
        if shape.norm <= 0.0 {
            return -STRIDE;
        }
        let here = (self.bound)(shape);
        let longer = BoundInputs {
            norm: shape.norm * (1.0 + STEP),
            ..*shape
        };
        let size = shape.hinge.max(1e-6 * shape.norm);
        let (more, step) = if self.loss == Margin::HINGE {
            let hinge = shape.hinge + STEP * size;
            (BoundInputs { hinge, ..*shape }, STEP * size)
        } else {
            let step = STEP * shape.slacks.max(1e-12);
            let slacks = shape.slacks + step;
            (BoundInputs { slacks, ..*shape }, step)
        };
        let by_norm = ((self.bound)(&longer) - here) / (STEP * shape.norm);
        let by_loss = ((self.bound)(&more) - here) / step;
        let price = by_norm / by_loss / shape.norm;
        if by_norm == 0.0 && by_loss > 0.0 {
            // length costs nothing
            -STRIDE
        } else if price > 0.0 && price.is_finite() {
            (libm::log(price) - libm::log(mu)).clamp(-STRIDE, STRIDE)
        } else {
            // too long to have a bound at all
            STRIDE
        }
    }

    /// Finds the best scale of a vector that may be far from it.
    fn scale_from_afar(&self, found: &mut CandidateVector) -> f64 {
        let mut bound = f64::INFINITY;
        for _ in 0..RESCALES {
            let nearer = self.scale(found, SECTIONS);
            if nearer >= bound {
                break;
            }
            bound = nearer;
        }
        self.scale(found, FINE_SECTIONS)
    }

    /// Finds the best scale of a vector: by golden section, for bounds are unimodal in it.
    fn scale(&self, found: &mut CandidateVector, sections: u32) -> f64 {
        let at = |s: f64| (self.bound)(&self.path.shape(found, s));
        let one = at(1.0);
        let (mut low, mut high) = (0.25_f64, 4.0_f64);
        let golden = 0.618_033_988_749_894_9;
        let (mut inner, mut outer) = (0.0, 0.0);
        let mut known = (false, false);
        for _ in 0..sections {
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

    /// Closes in on the mu that does not want to be another: it wants to be larger below it, and smaller above.
    fn closer(&mut self, mut at: f64, mut turn: f64) {
        let (close, most) = if self.path.is_large() {
            (CLOSE_OF_MANY, SOLVES_OF_MANY)
        } else {
            (CLOSE, SOLVES)
        };
        if self.path.is_large() && self.path.goes_on() {
            // the first solution is rough: on which side the best mu is, it need not know
            at += (1.5 * turn).clamp(-STRIDE, STRIDE);
            turn = self.at(at);
        }
        let (mut low, mut high) = (None, None);
        while self.solves < most && !self.is_close(close) && self.path.goes_on() {
            if turn.abs() <= NEAR {
                // it is not mu that is wrong, but the solution; if nobody can say so, it is good enough
                if self.least.is_none() || !self.path.sharpen() {
                    break;
                }
                at += turn;
                turn = self.at(at);
                continue;
            }
            if turn > 0.0 {
                low = Some((at, turn));
            } else {
                high = Some((at, turn));
            }
            at = match (low, high) {
                (Some((a, up)), Some((b, down))) => {
                    // where a line through both would end, but well within
                    let share = (up / (up - down)).clamp(0.1, 0.9);
                    a + share * (b - a)
                }
                _ => at + (1.5 * turn).clamp(-STRIDE, STRIDE),
            };
            turn = self.at(at);
        }
    }
}
