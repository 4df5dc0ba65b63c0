//! Selective second-order perceptron (Cesa-Bianchi, Gentile, Zaniboni 2006).
//!
//! The second-order perceptron with a fixed a that asks for a label the sooner, the smaller its margin r is. Its
//! forms are those of the learner underneath.
//! Update: z uniform in [0, 1), drawn on every trial; as the second-order perceptron, iff also
//! `z < b/(b + |r| + (r^2/2)(1 + x'A^-1 x))`, whose last term is `|r| |w.x|/2`.
//! Cost: as the form with a margin asked for; O(nnz) per right answer where `a/(a + |x|^2) <= r/(w.x) <= 1` decides.
//! Bound: in expectation over z, A that of all trials, m the mistakes of all trials:
//! `m <= L(U) + (b/2) U'A U + (1/(2b)) sum ln(1 + lam/a)`, lam the eigenvalues of `A - a I`.
//! Paper: "Worst-case analysis of selective sampling for linear classification", JMLR 7, 2006; docs/theory/selective.md#selective-second-order-perceptron.

use super::{Coin, Sure};
use crate::learner::TrialRow;
use crate::online::second_order::augmented;
use crate::online::second_order::auto::{SecondOrderAuto, SecondOrderForm};
use crate::online::second_order::dual::{Expansion, SecondOrderDual};
use crate::online::second_order::primal::{PrimalState, SecondOrderPrimal};
use crate::space::{Lane, Planes, Primal};

/// Whether to ask, where r is a share of `f = w.x` that is at least `least`.
fn asks(trial: TrialRow<'_>, coin: Coin, least: f64, share: impl FnOnce() -> f64) -> bool {
    let f = trial.margin;
    let asks = |r: f64| coin.asks(r.abs() + r.abs() * f.abs() / 2.0);
    if asks(f) {
        return true;
    }
    if !asks(f * least) {
        return false;
    }
    let r = augmented(f, share());
    trial.prediction.margin.set(r);
    asks(r)
}

impl<P: Planes> Sure<P> for SecondOrderDual {
    fn asks(&self, state: &Expansion, w: &Lane<'_, P>, trial: TrialRow<'_>, coin: Coin) -> bool {
        let least = self.a / (self.a + w.norm_sq_of(trial.x));
        asks(trial, coin, least, || self.share(state, w, trial.x))
    }
}

impl Sure<Primal> for SecondOrderPrimal {
    fn asks(
        &self,
        state: &PrimalState,
        w: &Lane<'_, Primal>,
        trial: TrialRow<'_>,
        coin: Coin,
    ) -> bool {
        let least = self.a / (self.a + w.norm_sq_of(trial.x));
        asks(trial, coin, least, || self.share(state, trial.x))
    }
}

impl Sure<Primal> for SecondOrderAuto {
    fn asks(
        &self,
        form: &SecondOrderForm,
        w: &Lane<'_, Primal>,
        trial: TrialRow<'_>,
        coin: Coin,
    ) -> bool {
        let least = self.a() / (self.a() + w.norm_sq_of(trial.x));
        asks(trial, coin, least, || self.share(form, w, trial.x))
    }
}
