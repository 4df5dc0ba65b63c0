//! Normalised Winnow, a baseline of the dual paper's experiment: positive weights that sum to 1.
//!
//! All features begin with the same weight. Mistakes move weight to the features that speak for the right answer;
//! values may be negative.
//! Update: `w_j = 1/d`; predict `sgn(w.x - theta)`; on a mistake `w_j <- w_j e^(eta y x_j)`, then `w <- w / sum w`.
//! d is the number of features given, or of those that occurred if there are more; `--bias` is one more.
//! Cost: O(nnz) per trial, O(d) memory; `ln w` is kept, and weights beyond `e^575` times the first are equal.
//! Bound: none here.
//! Paper: Zhang, "On the dual formulation of regularized linear systems with convex risks"; docs/theory/p-norm-winnow.md#normalised-winnow.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Hypothesis, Memory, Rule, TrialRow};
use crate::row::Row;
use crate::space::{Lane, Met, Primal, grow};
use crate::state::{State, StateError};

/// Winnow with weights that sum to 1. The vector holds the weights times a sum that is kept beside it.
#[derive(Clone, Debug)]
pub(crate) struct NormalisedWinnow {
    eta: f64,
    theta: f64,
    /// d, the constant feature left out.
    features: u64,
    met: Met,
}

/// One class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights {
    /// `ln w`, up to what all have in common; 0 before the first update.
    log_w: Vec<f64>,
    /// How many are not 0.
    moved: u64,
    /// The sum of those weights.
    sum: f64,
    /// Magnitudes added to and taken from `sum` since it was last computed from scratch.
    churn: f64,
}

/// `ln w` up to which weights are distinct: `e^575` times any f32 stays finite.
const HIGHEST_LOG: f64 = 575.0;
/// The sum is trusted while its churn is below this multiple of it: relative error 1e-12.
const CHURN: f64 = 1e4;

fn weight(log_w: f64) -> f64 {
    libm::exp(log_w.clamp(-HIGHEST_LOG, HIGHEST_LOG))
}

impl NormalisedWinnow {
    /// Learning rate `eta` > 0, threshold `theta`, number of `features`.
    pub(crate) fn new(eta: f64, theta: f64, features: u64) -> Self {
        NormalisedWinnow {
            eta,
            theta,
            features,
            met: Met::default(),
        }
    }

    /// The sum of all weights as they are kept: those not moved yet are 1.
    fn total(&self, state: &Weights) -> f64 {
        let announced = self.features + u64::from(self.met.has_constant());
        let all = announced.max(self.met.count());
        state.sum + all.saturating_sub(state.moved) as f64
    }
}

impl Rule<Primal> for NormalisedWinnow {
    type State = Weights;

    const FRESH_WEIGHT: f64 = 1.0;

    const SCORES_BY_MARGIN: bool = false;

    fn start(&self, _planes: &Primal) -> Weights {
        Weights::default()
    }

    fn note(&mut self, x: Row<'_>, _id: Option<u64>) {
        self.met.note(x);
    }

    fn margin(&self, state: &Weights, inner: f64, _glance: f64) -> f64 {
        inner / self.total(state) - self.theta
    }

    fn score(
        &self,
        state: &Weights,
        planes: &Primal,
        inner: f64,
        x: Row<'_>,
        _by: Hypothesis,
    ) -> f64 {
        // features that were given and did not occur have the weight they began with
        let announced = |&(j, _): &(usize, f64)| j >= planes.slots() && j as u64 <= self.features;
        let unseen: f64 = x.iter().filter(announced).map(|(_, v)| v).sum();
        self.margin(state, inner + unseen, 0.0)
    }

    fn learn(
        &self,
        state: &mut Weights,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        if !wants_update(trial.margin, y, 0.0) {
            return false;
        }
        let step = y.sign() * self.eta;
        for (j, xj) in trial.x.iter() {
            let log_w = &mut state.log_w[j];
            if *log_w != 0.0 {
                state.moved -= 1;
                state.sum -= w.get(j);
                state.churn += w.get(j);
            }
            *log_w += step * xj;
            w.set(j, weight(*log_w));
            if *log_w != 0.0 {
                state.moved += 1;
                state.sum += w.get(j);
                state.churn += w.get(j);
            }
        }
        if state.churn > CHURN * self.total(state) {
            let moved = (0..state.log_w.len()).filter(|&j| state.log_w[j] != 0.0);
            state.sum = moved.map(|j| w.get(j)).sum();
            state.churn = state.sum;
        }
        true
    }

    fn weights(&self, state: &Weights, mut w: Vec<f64>) -> Vec<f64> {
        let total = self.total(state);
        for w in &mut w {
            *w /= total;
        }
        if let Some(constant) = w.first_mut().filter(|_| !self.met.has_constant()) {
            *constant = 0.0;
        }
        w
    }

    fn zero_margin(&self) -> f64 {
        -self.theta
    }

    fn intercept(&self, _state: &Weights) -> f64 {
        -self.theta
    }

    fn reach(&self, state: &mut Weights, slots: usize) {
        grow(&mut state.log_w, slots, 0.0);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        self.met.save(out);
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        self.met = Met::load(from)?;
        Ok(())
    }

    fn save<'a>(&self, state: &'a Weights, out: &mut State<'a>) {
        out.put_f64("log-weights", &state.log_w[..]);
        out.put_f64("sums", vec![state.sum, state.churn]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Weights, StateError> {
        if !self.met.fits(planes.slots()) {
            let what = "the features seen and the weights differ in length";
            return Err(from.bad("log-weights", what));
        }
        let log_w = from.take_vector("log-weights", planes.slots())?;
        let [sum, churn] = from.take_scalars("sums")?;
        let moved = log_w.iter().filter(|l| **l != 0.0).count() as u64;
        Ok(Weights {
            log_w,
            moved,
            sum,
            churn,
        })
    }
}

impl Memory for NormalisedWinnow {
    fn state_bytes(&self, slots: usize) -> u128 {
        slots as u128 * 8
    }
}
