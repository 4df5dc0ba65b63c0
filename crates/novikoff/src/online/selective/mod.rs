//! Selective sampling: learners that ask for the label of a row only when they are not sure.
//!
//! The rule is that of the learner underneath, for the rows whose labels were asked for. One coin is thrown on every
//! trial: the label is asked for with probability `b/(b + sureness)`. Mistakes are counted on all trials, asked for
//! or not. How sure a learner is, and what that is worth, is in [`perceptron`] and [`second_order`].

pub(crate) mod perceptron;
pub(crate) mod second_order;

use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::random::SplitMix64;
use crate::space::{Lane, Planes};
use crate::state::{State, StateError};

/// A learner that asks only when it is not sure.
#[derive(Clone, Debug)]
pub(crate) struct Selective<R> {
    /// The learner underneath.
    pub(crate) base: R,
    /// The larger, the more it asks; > 0.
    pub(crate) b: f64,
    /// Of the coins.
    pub(crate) seed: u64,
}

/// One class.
#[derive(Clone, Debug)]
pub(crate) struct Asking<S> {
    base: S,
    random: SplitMix64,
    /// Labels asked for so far.
    queries: u64,
}

/// The coin of one trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coin {
    z: f64,
    b: f64,
}

impl Coin {
    /// Whether it says to ask one who is so sure: `z < b/(b + sureness)`.
    pub(crate) fn asks(&self, sureness: f64) -> bool {
        self.z < 1.0 / (1.0 + sureness / self.b)
    }
}

/// A learner that takes any row, predicts by the sign of `w.x`, and knows how sure it is.
pub(crate) trait Sure<P: Planes>: Rule<P> {
    /// Whether the coin says to ask for the row's label.
    fn asks(&self, state: &Self::State, w: &Lane<'_, P>, trial: TrialRow<'_>, coin: Coin) -> bool;
}

impl<P: Planes, R: Sure<P>> Rule<P> for Selective<R> {
    type State = Asking<R::State>;

    fn start(&self, planes: &P) -> Self::State {
        Asking {
            base: self.base.start(planes),
            random: SplitMix64::new(self.seed),
            queries: 0,
        }
    }

    fn learn(
        &self,
        state: &mut Self::State,
        w: Lane<'_, P>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let (z, b) = (state.random.uniform(), self.b);
        let asks = self.base.asks(&state.base, &w, trial, Coin { z, b });
        state.queries = state.queries.saturating_add(u64::from(asks));
        asks && self.base.learn(&mut state.base, w, trial, y)
    }

    fn reach(&self, state: &mut Self::State, slots: usize) {
        self.base.reach(&mut state.base, slots);
    }

    fn memory(&self) -> &dyn Memory {
        self.base.memory()
    }

    fn kept_bytes(&self, state: &Self::State, slots: usize) -> u128 {
        self.base.kept_bytes(&state.base, slots)
    }

    fn save<'a>(&self, state: &'a Self::State, out: &mut State<'a>) {
        out.put_u64("coins", vec![state.random.position(), state.queries]);
        self.base.save(&state.base, out);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Self::State, StateError> {
        let [position, queries] = from.take_counts("coins")?;
        Ok(Asking {
            base: self.base.load(planes, from)?,
            random: SplitMix64::new(position),
            queries,
        })
    }
}
