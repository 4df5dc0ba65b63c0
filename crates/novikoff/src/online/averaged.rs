//! Averaged perceptron (Freund, Schapire 1999).
//!
//! Learns as the perceptron does and deploys the average of its weight vectors, each counted once for
//! every trial it survived.
//! Update: as the perceptron; with s the number of the trial, `a <- a + s y x`; then
//! `T wbar = (T + 1) w - a` after T trials.
//! Rows that are zero change nothing and are not counted. With a kernel `a` is a sum of rows, as w is.
//! Cost: O(nnz) per trial and prediction, O(d) memory; with a kernel a prediction costs two trials.
//! Bound: the mistakes are the perceptron's.
//! Paper: Freund and Schapire, "Large margin classification using the perceptron algorithm"; docs/theory/perceptron.md#averaged-perceptron.

use std::iter::zip;

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Hypothesis, Memory, RowScorer, Rule, TrialRow, VectorsOnly};
use crate::row::Row;
use crate::space::{Lane, Planes, Primal};
use crate::state::{State, StateError};

/// The averaged perceptron.
#[derive(Clone, Debug, Default)]
pub(crate) struct Averaged;

/// The lazy sum of one class.
#[derive(Clone, Debug)]
pub(crate) struct LazySum<P> {
    /// `a`: the sum of s y x over the updates, s the trial's number.
    sum: P,
    /// T: trials so far.
    trials: u64,
}

impl<P: Planes> Rule<P> for Averaged {
    type State = LazySum<P>;

    const WEIGHTED: bool = true;

    const SCORES_BY_MARGIN: bool = false;

    fn start(&self, planes: &P) -> Self::State {
        LazySum {
            sum: planes.single(),
            trials: 0,
        }
    }

    fn learn(
        &self,
        state: &mut Self::State,
        mut w: Lane<'_, P>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        state.trials = state.trials.saturating_add(1);
        let updates = wants_update(trial.margin, y, 0.0);
        if updates {
            let step = y.sign() * trial.weight;
            w.add(step, trial.x);
            state.sum.add(0, step * state.trials as f64, trial.x);
        }
        updates
    }

    fn hypotheses(&self) -> &'static [Hypothesis] {
        &[Hypothesis::Averaged, Hypothesis::Final]
    }

    fn score(
        &self,
        state: &Self::State,
        _planes: &P,
        inner: f64,
        x: Row<'_>,
        by: Hypothesis,
    ) -> f64 {
        let trials = state.trials as f64;
        if by == Hypothesis::Final || state.trials == 0 {
            inner
        } else {
            ((trials + 1.0) * inner - state.sum.inner(0, x)) / trials
        }
    }

    fn tally<'s>(
        &self,
        state: &'s Self::State,
        planes: &'s P,
        k: usize,
        by: Hypothesis,
    ) -> Option<RowScorer<'s>> {
        if by == Hypothesis::Final || state.trials == 0 {
            return None;
        }
        let (of_w, of_sum) = (planes.support()?, state.sum.support()?);
        let places = of_w.places(of_sum.rows())?;
        let w: Vec<f64> = of_w.coefficients(k).collect();
        let a: Vec<f64> = of_sum.coefficients(0).collect();
        let trials = state.trials as f64;
        Some(Box::new(move |values| {
            let inner: f64 = zip(&w, values).map(|(c, value)| c * value).sum();
            let terms = zip(&a, &places);
            let sum: f64 = terms.map(|(c, &i)| c * values[i as usize]).sum();
            ((trials + 1.0) * inner - sum) / trials
        }))
    }

    fn weights(&self, state: &Self::State, mut w: Vec<f64>) -> Vec<f64> {
        let trials = state.trials.max(1) as f64;
        for (w, a) in w.iter_mut().zip(state.sum.vector(0)) {
            *w = ((trials + 1.0) * *w - a) / trials;
        }
        w
    }

    fn terms(&self, state: &Self::State, planes: &P, k: usize, by: Hypothesis) -> Option<Vec<f64>> {
        let average = by == Hypothesis::Averaged && state.trials > 0;
        let Some(of_w) = planes.support() else {
            let w = planes.vector(k);
            return Some(if average { self.weights(state, w) } else { w });
        };
        let mut w: Vec<f64> = of_w.coefficients(k).collect();
        if average {
            let (of_sum, trials) = (state.sum.support()?, state.trials as f64);
            for w in &mut w {
                *w *= (trials + 1.0) / trials;
            }
            let places = of_w.places(of_sum.rows())?;
            for (a, place) in zip(of_sum.coefficients(0), places) {
                w[place as usize] -= a / trials;
            }
        }
        Some(w)
    }

    fn reach(&self, state: &mut Self::State, slots: usize) {
        state.sum.reach(slots, 0.0);
    }

    fn memory(&self) -> &dyn Memory {
        if P::GROWS { &VectorsOnly } else { self }
    }

    fn kept_bytes(&self, state: &Self::State, _slots: usize) -> u128 {
        if P::GROWS {
            state.sum.bytes_at(0, 1)
        } else {
            0
        }
    }

    fn save<'a>(&self, state: &'a Self::State, out: &mut State<'a>) {
        out.put_u64("trials", vec![state.trials]);
        state.sum.save(out);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Self::State, StateError> {
        let [trials] = from.take_counts("trials")?;
        let sum = planes.load_like(from, 1)?;
        if sum.slots() == planes.slots() {
            Ok(LazySum { sum, trials })
        } else {
            Err(from.bad("weights", "the sum and the weights differ in length"))
        }
    }
}

impl Memory for Averaged {
    fn state_bytes(&self, slots: usize) -> u128 {
        Primal::bytes(slots, 1)
    }
}
