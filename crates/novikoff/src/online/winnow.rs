//! Winnow (Littlestone 1988, Winnow2): multiplicative updates on non-negative features.
//!
//! Weights start at 1 and are multiplied up when a positive row was missed, down when a negative one
//! was taken.
//! Update: predict `sgn(w.x - theta)`; on a mistake `w_j <- w_j alpha^(y x_j)`.
//! Cost: O(nnz) per trial, O(d) memory; `ln w` is kept, so nothing overflows.
//! Bound: if `mu >= 0`, `mu.x >= 1` on positive and `<= 1 - del` on negative rows in `[0,1]^d` and
//! `alpha = 1 + del/2`: `m <= 8d/(del^2 theta) + (5/del + 14 ln(theta)/del^2) sum mu`.
//! Paper: Littlestone, "Learning quickly when irrelevant attributes abound"; docs/theory/p-norm-winnow.md#winnow; T6.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Hypothesis, Memory, Refusal, Rule, TrialRow};
use crate::row::Row;
use crate::space::{Lane, Primal, grow};
use crate::state::{State, StateError};

/// Winnow.
#[derive(Clone, Debug)]
pub(crate) struct Winnow {
    /// The factor of an update, > 1.
    pub(crate) alpha: f64,
    /// The threshold, > 0.
    pub(crate) theta: f64,
}

/// `ln w` up to which weights are distinct in a score: `e^575` times any f32 stays finite.
const HIGHEST_LOG: f64 = 575.0;

impl Rule<Primal> for Winnow {
    /// `ln w`.
    type State = Vec<f64>;

    const FRESH_WEIGHT: f64 = 1.0;

    const SCORES_BY_MARGIN: bool = false;

    fn start(&self, _planes: &Primal) -> Vec<f64> {
        Vec::new()
    }

    fn admit(&self, x: Row<'_>) -> Result<(), Refusal> {
        match x.iter().find(|&(_, v)| v < 0.0) {
            Some((0, value)) => Err(Refusal::NegativeBias { value }),
            Some((feature, value)) => Err(Refusal::Negative { feature, value }),
            None => Ok(()),
        }
    }

    fn margin(&self, _state: &Vec<f64>, inner: f64, _glance: f64) -> f64 {
        inner - self.theta
    }

    fn score(
        &self,
        _state: &Vec<f64>,
        planes: &Primal,
        inner: f64,
        x: Row<'_>,
        _by: Hypothesis,
    ) -> f64 {
        // features not seen yet weigh 1
        let unseen: f64 = x
            .iter()
            .filter(|&(j, _)| j >= planes.slots())
            .map(|(_, v)| v)
            .sum();
        inner + unseen - self.theta
    }

    fn learn(
        &self,
        log_w: &mut Vec<f64>,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let updates = wants_update(trial.margin, y, 0.0);
        if updates {
            let step = y.sign() * libm::log(self.alpha);
            for (j, xj) in trial.x.iter() {
                log_w[j] += step * xj;
                w.set(j, libm::exp(log_w[j].min(HIGHEST_LOG)));
            }
        }
        updates
    }

    fn zero_margin(&self) -> f64 {
        -self.theta
    }

    fn intercept(&self, _state: &Vec<f64>) -> f64 {
        -self.theta
    }

    fn reach(&self, log_w: &mut Vec<f64>, slots: usize) {
        grow(log_w, slots, 0.0);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, log_w: &'a Vec<f64>, out: &mut State<'a>) {
        out.put_f64("log-weights", &log_w[..]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Vec<f64>, StateError> {
        from.take_vector("log-weights", planes.slots())
    }
}

impl Memory for Winnow {
    fn state_bytes(&self, slots: usize) -> u128 {
        slots as u128 * 8
    }
}
