//! Shifting perceptron (Cavallanti, Cesa-Bianchi, Gentile 2007).
//!
//! For targets that move: old mistakes count for less and less. With lam = 1 its predictions are the perceptron's, with lam > 1 what was learned long ago
//! fades polynomially.
//! Update: iff `sgn(w.x) != y`, at mistake k = 0, 1, ...: with `l = lam/(lam + k)`, `w <- (1 - l) w + l y x`.
//! Cost: O(nnz) per trial, O(d) memory.
//! Bound: rows of length 1, U_k what mistake k is compared with, `c_k = l_k (1 - l_{k+1}) ... (1 - l_{m-1})`, which sum to
//! 1, and `b_k = (1 - l_k) ... (1 - l_{m-1})`: `1 <= sum c_k xi_k(U_k) + |U_{m-1}| |w_m| + sum b_k |U_k - U_{k-1}| |w_k|` with
//! `|w_m|^2 <= sum c_k^2`; for lam = 1 and one U it is the perceptron's, over m.
//! Paper: "Tracking the best hyperplane with a simple budget perceptron", Machine Learning 69, 2007;
//! docs/theory/budget-shifting.md#shifting-perceptron.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Rule, TrialRow};
use crate::row::Row;
use crate::space::{Lane, Planes};
use crate::state::{State, StateError};

/// The shifting perceptron.
#[derive(Clone, Debug)]
pub struct Shifting {
    /// lam: the larger, the sooner old mistakes fade; > 0.
    pub lambda: f64,
}

impl Shifting {
    /// `1 - l` and `l` of mistake k, from 0 on.
    pub fn shares(&self, k: u64) -> (f64, f64) {
        let all = self.lambda + k as f64;
        (k as f64 / all, self.lambda / all)
    }

    /// Learns mistake k.
    pub fn step<P: Planes>(&self, k: u64, w: &mut Lane<'_, P>, x: Row<'_>, y: Label) {
        let (old, new) = self.shares(k);
        // the first finds w = 0
        if k > 0 {
            w.scale(old);
        }
        w.add(new * y.sign(), x);
    }
}

impl<P: Planes> Rule<P> for Shifting {
    /// How many mistakes.
    type State = u64;

    fn start(&self, _planes: &P) -> u64 {
        0
    }

    fn learn(&self, mistakes: &mut u64, mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let updates = wants_update(trial.margin, y, 0.0);
        if updates {
            self.step(*mistakes, &mut w, trial.x, y);
            *mistakes = mistakes.saturating_add(1);
        }
        updates
    }

    fn save<'a>(&self, mistakes: &'a u64, out: &mut State<'a>) {
        out.put_u64("mistakes", vec![*mistakes]);
    }

    fn load(&self, _planes: &P, from: &mut State<'static>) -> Result<u64, StateError> {
        let [mistakes] = from.take_counts("mistakes")?;
        Ok(mistakes)
    }
}
