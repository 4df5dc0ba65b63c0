//! ROMMA, the relaxed online maximum margin algorithm (Li, Long 1999), and its aggressive form.
//!
//! w is the shortest vector that satisfies the newest constraint `y w.x >= 1` and one half-space, `w.w' >= |w'|^2`
//! with w' the vector before, that stands for all older constraints. The aggressive form corrects right answers of
//! a margin below 1 too, and cycled over separable rows it approaches the maximum margin. Noise control (`noise`,
//! lam) gives every example a feature `sqrt(lam)` of its own, known by the example's id and zero in new rows: use it
//! where labels may be wrong, for without it `|w|` grows exponentially. In the space of a kernel w may begin at phi(0)
//! (`start=phi0`), the row without values, so that the first update finds a constant in w; K(0, 0) and K(0, x) take part as those of any w.
//! Update: iff `sgn(w.x) != y` (aggressive: iff `y w.x < 1 - 1e-9`): the first time, and in the aggressive form when
//! `y w.x >= |w|^2 |x|^2`, `w = y x/|x|^2`; else `w <- c w + d x` with `r = |x|^2 - (w.x)^2/|w|^2`, `d = (y - w.x)/r`,
//! `c = 1 - d w.x/|w|^2`. A row that is parallel to w (`r <= 1e-12 |x|^2`) contradicts it: left out, and counted.
//! Cost: O(nnz) per trial and update, O(d) memory; O(d) now and then: where rounding may have spoilt `|w|^2`, for a row
//! nearly parallel to w, and for a w begun again. With noise and rows that come again, a number for each of them that
//! was learned from.
//! Bound: for U with `y U.x >= 1` always: `sum over mistakes of 1/|x|^2 <= |w|^2 <= |U|^2`, so `m <= R^2 |U|^2`;
//! aggressive: at most `R^2 |U|^2/del^2` trials have `y w.x < 1 - del`. With noise, any U: `m <= (R^2 + lam)(|U|^2 + (1/lam)
//! sum xi(U)^2)`, the sum over the examples, however often they come. From phi(0): not evaluated.
//! Paper: Li and Long, "The relaxed online maximum margin algorithm", Machine Learning 46, 2002; docs/theory/romma.md#romma; T14-T16.

use std::collections::BTreeMap;

use crate::label::Label;
use crate::learner::{Rule, TrialRow};
use crate::row::Row;
use crate::space::{Lane, Planes};
use crate::state::{State, StateError};

/// ROMMA.
#[derive(Clone, Debug)]
pub(crate) struct Romma {
    /// Right answers of a margin below 1 are corrected too.
    pub(crate) aggressive: bool,
    /// lam: the square of the feature that every example has for itself.
    pub(crate) noise: f64,
    /// Where w begins.
    pub(crate) start: Start,
}

/// Where w begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Start {
    /// At 0.
    #[default]
    Zero,
    /// At phi(0), the row without values in the space of the kernel; without a kernel that is 0 too.
    PhiOfZero,
}

impl Start {
    /// The start of a word of a spec.
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "phi0" => Start::PhiOfZero,
            _ => Start::Zero,
        }
    }

    /// K(0, 0), if w begins at phi(0) and that is not 0.
    pub(crate) fn norm_sq<P: Planes>(self, planes: &P) -> Option<f64> {
        let norm_sq = match self {
            Start::Zero => 0.0,
            Start::PhiOfZero => planes.norm_sq_of(Row::EMPTY),
        };
        (norm_sq > 0.0).then_some(norm_sq)
    }
}

/// After an update the margin is 1 up to rounding: that much below counts as 1.
const ROUNDING: f64 = 1e-9;

/// A row is parallel to w if no more than this share of its `|x|^2` is not along w.
const PARALLEL: f64 = 1e-12;

/// A difference of squares that leaves less than this share of them is computed from the coordinates.
const CANCELLED: f64 = 1e-2;

/// `|w|^2` is recomputed when its error may be this share of it.
const SPOILT: f64 = 1e-11;

/// The share of what is added up that an update may lose.
const LOST: f64 = 8.0 * f64::EPSILON;

/// An update that would make `|w|^2` larger is left out: inner products with rows of any size stay finite.
const LARGEST: f64 = 1e300;

/// What one class keeps besides w.
#[derive(Clone, Debug, Default)]
pub(crate) struct Length {
    /// `|w|^2`, own features included; 0 before the first update.
    ww: f64,
    /// How far off that may be: an update `c w + d x` makes an error `c^2` times as large, and rounds.
    error: f64,
    /// Updates left out: contradictions.
    skipped: u64,
    own: Own,
}

impl Romma {
    fn wants_update(&self, y: f64, inner: f64) -> bool {
        if self.aggressive {
            y * inner < 1.0 - ROUNDING
        } else {
            (inner >= 0.0) != (y > 0.0)
        }
    }

    /// `|w|^2` itself.
    fn measure<P: Planes>(&self, state: &mut Length, w: &Lane<'_, P>) {
        state.ww = w.norm_sq() + self.noise * state.own.norm_sq();
        state.error = LOST * state.ww;
    }

    /// r: what of `|x|^2` is not along w.
    fn apart<P: Planes>(
        &self,
        state: &mut Length,
        w: &Lane<'_, P>,
        (inner, xx): (f64, f64),
        trial: TrialRow<'_>,
    ) -> f64 {
        let rest = xx - inner * (inner / state.ww);
        if rest >= CANCELLED * xx || !P::COORDINATES {
            return rest;
        }
        self.measure(state, w);
        let along = inner / state.ww;
        w.distance_sq(along, trial.x) + self.noise * state.own.distance_sq(along, trial.id)
    }

    /// `w = y x/|x|^2`. False if that is no vector of numbers.
    fn begin<P: Planes>(
        &self,
        state: &mut Length,
        w: &mut Lane<'_, P>,
        (y, xx): (f64, f64),
        trial: TrialRow<'_>,
    ) -> bool {
        let ww = 1.0 / xx;
        if !(ww > 0.0 && ww <= LARGEST) {
            return false;
        }
        w.scale(0.0);
        w.add(y / xx, trial.x);
        if self.noise > 0.0 {
            state.own = Own::default();
            state.own.add(trial.id, y / xx);
        }
        (state.ww, state.error) = (ww, LOST * ww);
        true
    }

    /// `w <- c w + d x`. False if the row contradicts w.
    fn step<P: Planes>(
        &self,
        state: &mut Length,
        w: &mut Lane<'_, P>,
        (y, inner, xx): (f64, f64, f64),
        trial: TrialRow<'_>,
    ) -> bool {
        let rest = self.apart(state, w, (inner, xx), trial);
        let missing = y - inner;
        let ww = state.ww + missing * missing / rest;
        // NaN is refused too
        if !(rest > PARALLEL * xx && ww <= LARGEST) {
            return false;
        }
        let d = missing / rest;
        let c = 1.0 - d * (inner / state.ww);
        w.scale(c);
        w.add(d, trial.x);
        if self.noise > 0.0 {
            state.own.scale(c);
            state.own.add(trial.id, d);
        }
        let (of_w, of_x) = (c * c * state.ww, d * d * xx);
        // with 2 c d w.x: no more than twice both
        state.error = c * c * state.error + LOST * 2.0 * (of_w + of_x);
        state.ww = ww;
        if state.error > SPOILT * ww {
            self.measure(state, w);
        }
        true
    }
}

impl<P: Planes> Rule<P> for Romma {
    type State = Length;

    fn begin(&mut self, planes: &mut P) {
        if self.start.norm_sq(planes).is_some() {
            planes.add(0, 1.0, Row::EMPTY);
        }
    }

    fn start(&self, planes: &P) -> Length {
        let ww = self.start.norm_sq(planes).unwrap_or(0.0);
        Length {
            ww,
            error: LOST * ww,
            ..Length::default()
        }
    }

    fn learn(&self, state: &mut Length, mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let (y, mut inner) = (y.sign(), trial.margin);
        if self.noise > 0.0 {
            inner += self.noise * state.own.of(trial.id);
            trial.prediction.margin.set(inner);
            trial.prediction.score.set(inner);
        }
        if !self.wants_update(y, inner) {
            return false;
        }
        let xx = w.norm_sq_of(trial.x) + self.noise;
        let slack = self.aggressive && y * inner >= state.ww * xx;
        let moved = if state.ww == 0.0 || slack {
            self.begin(state, &mut w, (y, xx), trial)
        } else {
            self.step(state, &mut w, (y, inner, xx), trial)
        };
        state.skipped = state.skipped.saturating_add(u64::from(!moved));
        moved
    }

    fn kept_bytes(&self, state: &Length, _slots: usize) -> u128 {
        state.own.bytes()
    }

    fn save<'a>(&self, state: &'a Length, out: &mut State<'a>) {
        out.put_f64("length", vec![state.ww, state.error]);
        out.put_u64("skipped", vec![state.skipped]);
        if self.noise > 0.0 {
            state.own.save(out);
        }
    }

    fn load(&self, _planes: &P, from: &mut State<'static>) -> Result<Length, StateError> {
        let [ww, error] = from.take_scalars("length")?;
        let [skipped] = from.take_counts("skipped")?;
        let own = if self.noise > 0.0 {
            Own::load(from)?
        } else {
            Own::default()
        };
        Ok(Length {
            ww,
            error,
            skipped,
            own,
        })
    }
}

/// The part of w in the examples' own features, over `sqrt(lam)`.
#[derive(Clone, Debug)]
struct Own {
    /// What all numbers are still to be multiplied by.
    factor: f64,
    /// The sum of their squares, those of examples that do not come again included.
    squares: f64,
    coefficients: BTreeMap<u64, f64>,
}

impl Default for Own {
    fn default() -> Self {
        Own {
            factor: 1.0,
            squares: 0.0,
            coefficients: BTreeMap::new(),
        }
    }
}

impl Own {
    /// The coefficient of one example.
    fn of(&self, id: Option<u64>) -> f64 {
        let known = id.and_then(|id| self.coefficients.get(&id));
        known.map_or(0.0, |c| self.factor * c)
    }

    fn norm_sq(&self) -> f64 {
        self.factor * self.factor * self.squares
    }

    /// `|e - c w|^2`, e the feature of one example.
    fn distance_sq(&self, c: f64, id: Option<u64>) -> f64 {
        let own = self.of(id);
        let others = (self.norm_sq() - own * own).max(0.0);
        (1.0 - c * own) * (1.0 - c * own) + c * c * others
    }

    fn scale(&mut self, c: f64) {
        self.factor *= c;
        if !(1e-100..=1e100).contains(&self.factor.abs()) {
            for value in self.coefficients.values_mut() {
                *value *= self.factor;
            }
            self.squares *= self.factor * self.factor;
            self.factor = 1.0;
        }
    }

    fn add(&mut self, id: Option<u64>, c: f64) {
        let c = c / self.factor;
        let mut new = 0.0;
        let own = id.map_or(&mut new, |id| self.coefficients.entry(id).or_default());
        // all that an example ever gets has the sign of its label: nothing cancels
        self.squares += c * (c + 2.0 * *own);
        *own += c;
    }

    /// About what the map takes.
    fn bytes(&self) -> u128 {
        32 * self.coefficients.len() as u128
    }

    fn save<'a>(&'a self, out: &mut State<'a>) {
        let (ids, values): (Vec<u64>, Vec<f64>) = self.coefficients.iter().unzip();
        out.put_f64("own", vec![self.factor, self.squares]);
        out.put_u64("own-ids", ids);
        out.put_f64("own-values", values);
    }

    fn load(from: &mut State<'static>) -> Result<Self, StateError> {
        let [factor, squares] = from.take_scalars("own")?;
        let ids = from.take_u64("own-ids")?;
        let values = from.take_vector("own-values", ids.len())?;
        if !ids.is_sorted_by(|a, b| a < b) {
            return Err(from.bad("own-ids", "they do not increase"));
        }
        Ok(Own {
            factor,
            squares,
            coefficients: ids.into_iter().zip(values).collect(),
        })
    }
}
