//! The vector to compete with, as far as the theorems of kernel learners see it.
//!
//! Rounding: `|U|^2` is rounded up, and values are kept apart from how wrong they can be: a slack takes `y U.x` less its error, a
//! square `|U.x|` and its error.

use super::{Inexact, PastTrial, Up, inner, norm_sq, slack, square};

/// A vector U: its length, and what it says of every trial.
#[derive(Clone, Debug)]
pub struct Rival {
    norm_sq: Up,
    /// `U.x` and how wrong rounding can have made it.
    values: Vec<Inexact>,
}

impl Rival {
    /// U by slot.
    pub fn new(trials: &[PastTrial<'_>], u: &[f64]) -> Self {
        Rival {
            norm_sq: norm_sq(u),
            values: trials.iter().map(|t| inner(u, t.x)).collect(),
        }
    }

    /// U in the space of a kernel: `|U|^2` there, and `U(x)` of every trial.
    pub fn within(norm_sq: f64, values: &[f64]) -> Self {
        Self::about(
            norm_sq,
            values.iter().copied().map(Inexact::exact).collect(),
        )
    }

    /// U in the space of a kernel: `|U|^2` there, and `U(x)` of every trial with how wrong rounding can have made it.
    pub fn about(norm_sq: f64, values: Vec<Inexact>) -> Self {
        Rival {
            norm_sq: Up::new(norm_sq),
            values,
        }
    }

    /// A copy with `more` added to the error of each `U.x`.
    #[cfg(feature = "linalg")]
    pub(super) fn doubted(&self, more: impl Iterator<Item = Up>) -> Self {
        let values = self.values.iter().zip(more);
        let values = values.map(|(inner, more)| Inexact {
            error: (Up::new(inner.error) + more).value(),
            ..*inner
        });
        Rival {
            norm_sq: self.norm_sq,
            values: values.collect(),
        }
    }

    /// `|U|^2`.
    pub fn norm_sq(&self) -> Up {
        self.norm_sq
    }

    /// `|U|`.
    pub fn norm(&self) -> Up {
        self.norm_sq.sqrt()
    }

    /// `L(U)` over all trials.
    pub fn hinge(&self, trials: &[PastTrial<'_>]) -> Up {
        let values = self.values.iter().zip(trials);
        values.map(|(value, t)| slack(*value, t.y)).sum()
    }

    /// `U.x` of every trial, and how wrong rounding can have made it.
    pub fn values(&self) -> impl Iterator<Item = &Inexact> {
        self.values.iter()
    }

    /// `xi` of every trial.
    pub fn each_slack(&self, trials: &[PastTrial<'_>]) -> impl Iterator<Item = f64> {
        let values = self.values.iter().zip(trials);
        values.map(|(value, t)| slack(*value, t.y).value())
    }

    /// `sum xi^2` over all trials.
    pub fn slacks(&self, trials: &[PastTrial<'_>]) -> Up {
        let values = self.values.iter().zip(trials);
        let slacks = values.map(|(value, t)| slack(*value, t.y));
        slacks.map(|xi| xi * xi).sum()
    }

    /// `sum of (U.x)^2` over all trials.
    pub fn squares(&self) -> Up {
        self.values.iter().map(|value| square(*value)).sum()
    }
}
