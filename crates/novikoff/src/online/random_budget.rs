//! Randomised budget perceptron (Cavallanti, Cesa-Bianchi, Gentile 2007).
//!
//! A perceptron of at most N rows: when it has as many, a mistake first drops one of them, drawn at random. N is the budget divided by the
//! binary problems that are known, at least 1.
//! Update: iff `sgn(w.x) != y`: the oldest rows beyond N go, if a class that appeared has made N smaller; if N rows are kept then,
//! `w <- w - y_i x_i` for the i-th oldest, i uniform in 0 .. N and drawn only then; `w <- w + y x`.
//! Cost: O(nnz) per right answer, O(nnz + N) per mistake, with a kernel N kernel values each; the N rows in memory.
//! Bound: in expectation of the order of the perceptron's for U up to a length of the order of sqrt(N); with a
//! budget no smaller than the mistakes it is the perceptron.
//! Paper: "Tracking the best hyperplane with a simple budget perceptron", Machine Learning 69, 2007;
//! docs/theory/budget-shifting.md#random-budget-perceptron.

use super::budget::RowBudget;
use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::random::SplitMix64;
use crate::remedy::Remedy;
use crate::space::{Lane, Planes, Terms};
use crate::state::{State, StateError};

/// The randomised budget perceptron.
#[derive(Clone, Debug)]
pub(crate) struct RandomBudget {
    /// Of all problems.
    pub(crate) budget: RowBudget,
    /// Of the draws.
    pub(crate) seed: u64,
}

/// The rows of one class.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    terms: Terms,
    random: SplitMix64,
}

impl<P: Planes> Rule<P> for RandomBudget {
    type State = Drawn;

    fn start(&self, _planes: &P) -> Drawn {
        Drawn {
            terms: Terms::default(),
            random: SplitMix64::new(self.seed),
        }
    }

    fn learn(&self, state: &mut Drawn, mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let updates = wants_update(trial.margin, y, 0.0);
        if updates {
            let limit = self.budget.of_problem(trial.problems);
            while state.terms.len() > limit {
                state.terms.take(&mut w, 0);
            }
            let full = state.terms.len() == limit;
            state.terms.push(&mut w, y.sign(), trial.x);
            if full {
                let gone = state.random.below(limit);
                state.terms.take(&mut w, gone);
            }
        }
        updates
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Drawn, _slots: usize) -> u128 {
        state.terms.bytes()
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        self.budget.save(out);
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        self.budget.load(from)
    }

    fn save<'a>(&self, state: &'a Drawn, out: &mut State<'a>) {
        out.put_u64("random", vec![state.random.position()]);
        state.terms.save(out);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Drawn, StateError> {
        let [random] = from.take_counts("random")?;
        Ok(Drawn {
            terms: Terms::load(planes, from, self.budget.most())?,
            random: SplitMix64::new(random),
        })
    }
}

impl Memory for RandomBudget {
    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use a smaller budget")
    }
}
