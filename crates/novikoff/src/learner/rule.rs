//! What one algorithm is.

use super::{Hypothesis, Memory, Refusal, Survey, TrialRow, VectorsOnly};
use crate::label::Label;
use crate::row::Row;
use crate::space::{Lane, Planes};
use crate::state::{State, StateError};

/// The score of a row, given its inner products with all rows that vectors are made of.
pub type RowScorer<'s> = Box<dyn Fn(&[f64]) -> f64 + Sync + 's>;

/// One algorithm: how its margin comes from `<w, x>` and how a trial changes the state.
///
/// `self` holds the parameters and whatever all classes share; `State` is one class's own memory
/// besides its weight vector.
pub trait Rule<P: Planes>: Clone + Send + Sync + 'static {
    /// One class's memory.
    type State: Clone + Send + Sync + 'static;

    /// The weight of a slot that no row had yet.
    const FRESH_WEIGHT: f64 = 0.0;

    /// Whether rows may have weights, which multiply the steps.
    const WEIGHTED: bool = false;

    /// Whether rows that are zero in feature space all have one margin and change nothing.
    const SKIPS_ZERO: bool = true;

    /// Whether the score of every predictor is the margin; false for rules that have a [`score`](Rule::score) of their own.
    const SCORES_BY_MARGIN: bool = true;

    /// Puts the weight vector before the first trial in place, where that is not 0: `planes` is one zero vector.
    fn begin(&mut self, _planes: &mut P) {}

    /// The state before the first trial.
    fn start(&self, planes: &P) -> Self::State;

    /// Whether the learner can take a row.
    fn admit(&self, _x: Row<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// Notes what all classes share about a row that was taken, and its id if it has one.
    fn note(&mut self, _x: Row<'_>, _id: Option<u64>) {}

    /// One number about the row that margins need, computed once for all classes.
    fn glance(&self, _x: Row<'_>) -> f64 {
        0.0
    }

    /// The online margin, given `<w, x>` and the glance.
    fn margin(&self, _state: &Self::State, inner: f64, _glance: f64) -> f64 {
        inner
    }

    /// One trial of one class; true if the state moved.
    fn learn(&self, state: &mut Self::State, w: Lane<'_, P>, trial: TrialRow<'_>, y: Label)
    -> bool;

    /// A pass over the data has ended.
    fn end_pass(&self, _state: &mut Self::State, _w: Lane<'_, P>) {}

    /// The margin of a row that is zero in feature space.
    fn zero_margin(&self) -> f64 {
        0.0
    }

    /// The predictors this learner offers; the first is the one it deploys.
    fn hypotheses(&self) -> &'static [Hypothesis] {
        &[Hypothesis::Final]
    }

    /// The score of a predictor, given `<w, x>`.
    fn score(
        &self,
        state: &Self::State,
        _planes: &P,
        inner: f64,
        x: Row<'_>,
        _by: Hypothesis,
    ) -> f64 {
        self.margin(state, inner, self.glance(x))
    }

    /// The scores of many rows by a predictor that goes by their inner products with rows and not by `w`, which is
    /// vector `k`, where the planes have all of these.
    fn tally<'s>(
        &self,
        _state: &'s Self::State,
        _planes: &'s P,
        _k: usize,
        _by: Hypothesis,
    ) -> Option<RowScorer<'s>> {
        None
    }

    /// What `w` is to be multiplied by to be the weight vector.
    fn factor(&self, _state: &Self::State) -> f64 {
        1.0
    }

    /// The weight vector of the deployed predictor where that has one, else of the last predictor, given `w`; thresholds are not in it.
    fn weights(&self, state: &Self::State, mut w: Vec<f64>) -> Vec<f64> {
        let factor = self.factor(state);
        for w in &mut w {
            *w *= factor;
        }
        w
    }

    /// The weights of a predictor by slot, or in the space of a kernel by row of the support, where its score is a sum over them and the
    /// [intercept](Rule::intercept).
    fn terms(&self, state: &Self::State, planes: &P, k: usize, by: Hypothesis) -> Option<Vec<f64>> {
        if by == Hypothesis::Voted {
            return None;
        }
        let Some(support) = planes.support() else {
            return Some(self.weights(state, planes.vector(k)));
        };
        let factor = self.factor(state);
        Some(support.coefficients(k).map(|c| factor * c).collect())
    }

    /// What is added to `w.x`.
    fn intercept(&self, _state: &Self::State) -> f64 {
        0.0
    }

    /// The margin is `w.x` over the p-norm of the row for this p.
    fn divides_by_norm(&self) -> Option<f64> {
        None
    }

    /// Makes room for `slots` slots.
    fn reach(&self, _state: &mut Self::State, _slots: usize) {}

    /// What it needs besides weight vectors.
    fn memory(&self) -> &dyn Memory {
        &VectorsOnly
    }

    /// Bytes of one class's state at `slots` slots that depend on what it has learned.
    fn kept_bytes(&self, _state: &Self::State, _slots: usize) -> u128 {
        0
    }

    /// How many votes one class's state has cast, where its [`Voted`](Hypothesis::Voted) scores count them.
    fn votes(&self, _state: &Self::State) -> u64 {
        1
    }

    /// Adds what all classes share to a state.
    fn save_shared<'a>(&'a self, _out: &mut State<'a>) {}

    /// Takes it out again.
    fn load_shared(&mut self, _from: &mut State<'static>) -> Result<(), StateError> {
        Ok(())
    }

    /// Adds one class's memory to a state.
    fn save<'a>(&self, state: &'a Self::State, out: &mut State<'a>);

    /// Takes it out again.
    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Self::State, StateError>;

    /// The rule as one that sees all rows before the first trial, if it is.
    fn survey(&self) -> Option<&dyn Survey> {
        None
    }

    /// [`survey`](Rule::survey), to be changed.
    fn survey_mut(&mut self) -> Option<&mut dyn Survey> {
        None
    }
}
