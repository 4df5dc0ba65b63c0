//! Forgetron (Dekel, Shalev-Shwartz, Singer 2008), self-tuned.
//!
//! A perceptron of at most N rows: when they are more, it makes all coefficients smaller, by no more than its bound
//! can bear, and forgets the oldest row. N is the budget divided by the binary problems that are known, at least 1.
//! Update: iff `sgn(w.x) != y`: `w <- w + y x`, n the mistakes so far. If that makes N + 1 rows: with `y_r s` the
//! coefficient of the oldest, `u = y_r w.x_r` and `g(f) = f^2 (s^2 - 2 s u) + 2 f s`, the largest f <= 1 with
//! `Q + g(f) <= (15/32) n`; `w <- f w`, `Q <- Q + g(f)`, and `w <- w - f y_r s x_r`. Where a class that appeared has made N smaller, a
//! mistake first forgets the oldest rows beyond N as they are: `Q' <- Q' + g(1)`, `w <- w - y_r s x_r`.
//! Cost: O(nnz) per right answer, O(nnz + N) per mistake, with a kernel N kernel values each; the N rows in memory.
//! Bound: rows of length at most 1, sums over the mistakes: `n <= |U|^2 (1 + sum (1-f)/(1+f)) + 2 L(U) + Q + Q'`; if N never changed,
//! `N >= 83` and `|U| <= sqrt((N+1)/ln(N+1))/4`: `n <= 2 |U|^2 + 4 L(U)`.
//! Paper: "The forgetron: a kernel-based perceptron on a budget", SIAM J. Comput. 37, 2008; docs/theory/budget-shifting.md#forgetron.

use super::budget::RowBudget;
use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Planes, Terms};
use crate::state::{State, StateError};

/// The forgetron.
#[derive(Clone, Debug)]
pub(crate) struct Forgetron {
    /// Of all problems.
    pub(crate) budget: RowBudget,
}

/// What one class remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveSet {
    terms: Terms,
    /// n.
    mistakes: u64,
    /// Q: what forgetting has cost so far.
    cost: f64,
}

/// The share of the mistakes that forgetting may cost.
const SHARE: f64 = 15.0 / 32.0;

/// Margins of rows are taken for no larger, so that their products stay finite.
const LARGEST: f64 = 1e150;

/// What a mistake did beside adding its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Forgotten {
    /// f, 1 if nothing was made smaller.
    pub(crate) factor: f64,
    /// How much Q' grew: what it cost to forget rows beyond a budget that had become smaller.
    pub(crate) surplus: f64,
}

impl ActiveSet {
    /// Q.
    pub(crate) fn cost(&self) -> f64 {
        self.cost
    }

    /// `s^2 - 2 s u` and `2 s` of the oldest row; none if there is no row.
    fn oldest<P: Planes>(&self, w: &Lane<'_, P>) -> Option<(f64, f64)> {
        let (c, row) = self.terms.oldest()?;
        let size = c.abs();
        // a number even where the sum is not
        let margin = (c.signum() * w.inner(row)).clamp(-LARGEST, LARGEST);
        let margin = if margin.is_nan() { 0.0 } else { margin };
        Some((size * size - 2.0 * size * margin, 2.0 * size))
    }
}

/// The largest f <= 1 with `square f^2 + twice f <= room`, for `twice >= 0` and `room > 0`.
fn factor(square: f64, twice: f64, room: f64) -> f64 {
    if square + twice <= room {
        1.0
    } else {
        let root = (twice * twice + 4.0 * square * room).max(0.0).sqrt();
        2.0 * room / (twice + root)
    }
}

impl Forgetron {
    /// Learns a row that was mistaken, and keeps at most `limit` rows.
    pub(crate) fn step<P: Planes>(
        state: &mut ActiveSet,
        w: &mut Lane<'_, P>,
        x: Row<'_>,
        y: Label,
        limit: usize,
    ) -> Forgotten {
        let mut forgotten = Forgotten {
            factor: 1.0,
            surplus: 0.0,
        };
        while state.terms.len() > limit
            && let Some((square, twice)) = state.oldest(w)
        {
            forgotten.surplus += square + twice;
            state.terms.take(w, 0);
        }
        state.mistakes = state.mistakes.saturating_add(1);
        state.terms.push(w, y.sign(), x);
        if state.terms.len() > limit
            && let Some((square, twice)) = state.oldest(w)
        {
            let f = factor(square, twice, SHARE * state.mistakes as f64 - state.cost);
            state.cost += f * (f * square + twice);
            state.terms.scale(w, f);
            state.terms.take(w, 0);
            forgotten.factor = f;
        }
        forgotten
    }
}

impl<P: Planes> Rule<P> for Forgetron {
    type State = ActiveSet;

    fn start(&self, _planes: &P) -> ActiveSet {
        ActiveSet::default()
    }

    fn learn(
        &self,
        state: &mut ActiveSet,
        mut w: Lane<'_, P>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let updates = wants_update(trial.margin, y, 0.0);
        if updates {
            let limit = self.budget.of_problem(trial.problems);
            Self::step(state, &mut w, trial.x, y, limit);
        }
        updates
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &ActiveSet, _slots: usize) -> u128 {
        state.terms.bytes()
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        self.budget.save(out);
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        self.budget.load(from)
    }

    fn save<'a>(&self, state: &'a ActiveSet, out: &mut State<'a>) {
        out.put_u64("mistakes", vec![state.mistakes]);
        out.put_f64("cost", vec![state.cost]);
        state.terms.save(out);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<ActiveSet, StateError> {
        let [mistakes] = from.take_counts("mistakes")?;
        let [cost] = from.take_scalars("cost")?;
        let terms = Terms::load(planes, from, self.budget.most())?;
        Ok(ActiveSet {
            terms,
            mistakes,
            cost,
        })
    }
}

impl Memory for Forgetron {
    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use a smaller budget")
    }
}
