//! Passive-aggressive learners (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, lemma 1 and theorems 2 to 5).
//!
//! Steps tau with losses l have `sum tau (2 l - tau |x|^2 - 2 xi) <= |U|^2` for every U, and a mistake has a loss of at least 1. So
//! the mistakes have `sum worth <= price`, where a mistake on x is worth `1/|x|^2` (PA), `min(c, 1/|x|^2)` (PA-I) or
//! `1/(|x|^2 + 1/(2c))` (PA-II). There are two prices:
//! - the theorems' own: `|U|^2 + 2c L(U)` for PA-I, `|U|^2 + 2c sum xi^2` for PA-II;
//! - `(B + sqrt(|U|^2 + B^2))^2`, `B^2 = sum xi^2/|x|^2`, for PA-II `sum xi^2/(|x|^2 + 1/(2c))`. On rows that U separates it is `|U|^2`.
//!   It does not grow with c, and is the only one of PA.
//!
//! The second is by Cauchy and Schwarz: `tau <= l/|x|^2` (for PA-II `tau = l/(|x|^2 + 1/(2c))`), so `W = sum tau l` has `sum tau xi <= sqrt(W) B`, and the
//! lemma says `W - 2 sqrt(W) B <= |U|^2`. Terms: `norm` is `|U|`, `hinge` L(U), `slacks` `sum xi^2`, `shares` `B^2`, `worth` the sum over the
//! mistakes, `least_worth` the least of all trials; `theorem` is price/least_worth, the bound the sharper `m price/worth`.
//!
//! Rounding: worths, by which the price is divided, are rounded down by 2e-9, more than the learner's losses and `|x|^2` are wrong;
//! the weights of losses are rounded up.

use super::{Certificate, LENGTH, PastTrial, Rival, Up};
pub use crate::online::passive_aggressive::Variant;

/// By how much the learner's losses are taken to be wrong: far more than rounding makes them.
const SLACK: f64 = 1e-9;

/// What U costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// `|U|^2` and 2c times a loss.
    Sum,
    /// `(B + sqrt(|U|^2 + B^2))^2`.
    Root,
}

impl Price {
    /// All of them.
    pub const ALL: [Price; 2] = [Price::Sum, Price::Root];
}

/// The run's parameters, and a price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassiveAggressiveBound {
    /// PA, PA-I or PA-II.
    pub variant: Variant,
    /// c of PA-I and PA-II.
    pub c: f64,
    /// For PA it is always the root.
    pub price: Price,
}

impl PassiveAggressiveBound {
    /// What a mistake on a row is worth at least, given its `|x|^2`.
    pub fn worth(&self, norm_sq: f64) -> f64 {
        match self.variant {
            Variant::Hard => 1.0 / norm_sq,
            Variant::Capped => self.c.min(1.0 / norm_sq),
            Variant::Softened => 1.0 / (norm_sq + 0.5 / self.c),
        }
    }

    /// The price that is asked: PA has no c, so its price is the root.
    fn asked(&self) -> Price {
        match self.variant {
            Variant::Hard => Price::Root,
            Variant::Capped | Variant::Softened => self.price,
        }
    }

    /// Whether the price has the squares of the hinge losses.
    pub fn is_squared(&self) -> bool {
        match self.asked() {
            Price::Sum => self.variant == Variant::Softened,
            Price::Root => true,
        }
    }

    /// How much the loss of a trial counts, given `|x|^2`.
    pub fn weight(&self, norm_sq: f64) -> f64 {
        match (self.asked(), self.variant) {
            (Price::Sum, _) => 1.0,
            (Price::Root, Variant::Softened) => self.worth(norm_sq),
            (Price::Root, Variant::Hard | Variant::Capped) => 1.0 / norm_sq,
        }
    }

    /// The price of U, given `|U|^2` and the weighted loss.
    pub fn price(&self, norm_sq: f64, loss: f64) -> f64 {
        self.price_up(Up::new(norm_sq), Up::new(loss)).value()
    }

    fn price_up(&self, norm_sq: Up, loss: Up) -> Up {
        match self.asked() {
            Price::Sum => norm_sq + Up::new(2.0 * self.c) * loss,
            Price::Root => {
                let root = loss.sqrt() + (norm_sq + loss).sqrt();
                root * root
            }
        }
    }

    /// Its loss by name, over all trials.
    fn loss(&self, trials: &[PastTrial<'_>], norms: &[f64], rival: &Rival) -> (&'static str, Up) {
        if !self.is_squared() {
            return ("hinge", rival.hinge(trials));
        }
        let slacks = rival.each_slack(trials).map(Up::new).zip(norms);
        let weight = |norm_sq: f64| Up::new(self.weight(norm_sq) * (1.0 + LENGTH));
        let weighted = slacks.map(|(xi, norm_sq)| xi * xi * weight(*norm_sq));
        let name = match self.asked() {
            Price::Sum => "slacks",
            Price::Root => "shares",
        };
        (name, weighted.sum())
    }

    fn name(&self, is_separable: bool) -> (&'static str, &'static str) {
        let theorem = match (self.variant, self.asked()) {
            (Variant::Hard, _) => "PA",
            (Variant::Capped, Price::Sum) => "PA-I",
            (Variant::Capped, Price::Root) => "PA-I'",
            (Variant::Softened, Price::Sum) => "PA-II",
            (Variant::Softened, Price::Root) => "PA-II'",
        };
        let name = match (is_separable, self.is_squared()) {
            (true, _) => "passive-aggressive, separable rows",
            (false, false) => "passive-aggressive, hinge loss",
            (false, true) => "passive-aggressive, squared hinge loss",
        };
        (theorem, name)
    }

    /// What the theorem says of the run's mistakes; `norms` are the `|x|^2` of the trials.
    pub fn certify(
        &self,
        trials: &[PastTrial<'_>],
        (norms, mistakes): (&[f64], &[bool]),
        rival: &Rival,
    ) -> Certificate {
        let (loss_name, loss) = self.loss(trials, norms, rival);
        let price = self.price_up(rival.norm_sq(), loss);
        let made = norms.iter().zip(mistakes).filter(|(_, mistake)| **mistake);
        let worth: Vec<f64> = made.map(|(norm_sq, _)| self.worth(*norm_sq)).collect();
        let n = worth.len() as f64;
        // no larger than they are
        let sure = (1.0 - SLACK) * (1.0 - SLACK);
        let worth = worth.iter().sum::<f64>() * (sure - 4.0 * (n + 4.0) * f64::EPSILON);
        let least = norms.iter().map(|norm_sq| self.worth(*norm_sq));
        let least = least.fold(f64::INFINITY, f64::min) * (sure - 16.0 * f64::EPSILON);
        let theorem = price.over(least);
        let bound = if n > 0.0 {
            (Up::new(n) * price).over(worth)
        } else {
            theorem
        };
        let (id, name) = self.name(loss.value() == 0.0);
        Certificate {
            theorem: id,
            name,
            counted: n as u64,
            bound: bound.value(),
            ingredients: vec![
                ("norm", rival.norm().value()),
                (loss_name, loss.value()),
                ("worth", worth),
                ("least_worth", least),
                ("theorem", theorem.value()),
            ],
        }
    }
}
