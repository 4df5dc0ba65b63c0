//! Selective perceptron (Cesa-Bianchi, Gentile, Zaniboni 2006).
//!
//! The perceptron that asks for a label with probability `b/(b + |w.x|)`: the nearer to the hyperplane, the sooner.
//! A natural b is half the square of the longest row. With b large it is the perceptron.
//! Update: z uniform in [0, 1), drawn on every trial; as the perceptron, iff also `z < b/(b + |w.x|)`.
//! Cost: O(nnz) per trial, O(d) memory.
//! Bound: in expectation over z, m the mistakes of all trials: `m <= (1 + R^2/(2b)) L(U) + |U|^2 (2b + R^2)^2/(8b)`.
//! Paper: "Worst-case analysis of selective sampling for linear classification", JMLR 7, 2006; docs/theory/selective.md#selective-perceptron.

use super::{Coin, Sure};
use crate::learner::TrialRow;
use crate::online::perceptron::Perceptron;
use crate::space::{Lane, Planes};

impl<P: Planes> Sure<P> for Perceptron {
    fn asks(&self, (): &(), _w: &Lane<'_, P>, trial: TrialRow<'_>, coin: Coin) -> bool {
        coin.asks(trial.margin.abs())
    }
}
