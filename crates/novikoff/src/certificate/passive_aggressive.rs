//! Passive-aggressive learners (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, lemma 1 and theorems 2 to 5).
//!
//! Steps tau with losses l have `sum tau (2 l - tau |x|^2 - 2 xi) <= |U|^2` for every U, and a mistake has a loss of at least 1. So
//! the mistakes have `sum worth <= price`, where a mistake on x is worth
//! - PA: `1/|x|^2`, for the price `(B + sqrt(|U|^2 + B^2))^2`, `B^2 = sum xi^2/|x|^2`; on rows that U separates that is `|U|^2`;
//! - PA-I: `min(c, 1/|x|^2)`, for the price `|U|^2 + 2c L(U)`;
//! - PA-II: `1/(|x|^2 + 1/(2c))`, for the price `|U|^2 + 2c sum xi^2`.
//!
//! PA's price is from Cauchy and Schwarz: with `l/|x|` for the entries of one vector and `xi/|x|` for those of another, the lemma says
//! `|a|^2 - 2 a.b <= |U|^2`. Terms: `norm` is `|U|`, `hinge` L(U), `slacks` `sum xi^2` or `B^2`, `worth` the sum over the mistakes,
//! `least_worth` the least of all trials; `theorem` is price/least_worth, the bound the sharper `m price/worth`.

use super::{Certificate, Past, Rival, Up};
pub use crate::online::passive_aggressive::Variant;

/// The learner's losses are taken for wrong by so much, far more than rounding makes them.
const SLACK: f64 = 1e-9;

/// The run's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassiveAggressive {
    /// PA, PA-I or PA-II.
    pub variant: Variant,
    /// c of PA-I and PA-II.
    pub c: f64,
}

impl PassiveAggressive {
    /// What a mistake on a row is worth at least, given its `|x|^2`.
    pub fn worth(&self, norm_sq: f64) -> f64 {
        match self.variant {
            Variant::Hard => 1.0 / norm_sq,
            Variant::Capped => self.c.min(1.0 / norm_sq),
            Variant::Softened => 1.0 / (norm_sq + 0.5 / self.c),
        }
    }

    /// How much the loss of a trial counts, given `|x|^2`.
    pub fn weight(&self, norm_sq: f64) -> f64 {
        match self.variant {
            Variant::Hard => 1.0 / norm_sq,
            Variant::Capped | Variant::Softened => 1.0,
        }
    }

    /// The price of U, given `|U|^2` and the weighted loss: `sum xi` for PA-I, `sum xi^2` for the others.
    pub fn price(&self, norm_sq: f64, loss: f64) -> f64 {
        self.price_up(Up::new(norm_sq), Up::new(loss)).value()
    }

    fn price_up(&self, norm_sq: Up, loss: Up) -> Up {
        if self.variant == Variant::Hard {
            let root = loss.sqrt() + (norm_sq + loss).sqrt();
            root * root
        } else {
            norm_sq + Up::new(2.0 * self.c) * loss
        }
    }

    /// What the theorem says of the run's mistakes; `norms` are the `|x|^2` of the trials.
    pub fn certify(
        &self,
        trials: &[Past<'_>],
        (norms, mistakes): (&[f64], &[bool]),
        rival: &Rival,
    ) -> Certificate {
        let (loss_name, loss) = match self.variant {
            Variant::Capped => ("hinge", rival.hinge(trials)),
            Variant::Hard | Variant::Softened => {
                let slacks = rival.each_slack(trials).map(Up::new);
                let weighted = slacks.zip(norms).map(|(xi, norm_sq)| {
                    let weight = Up::new(self.weight(*norm_sq));
                    xi * xi * weight
                });
                ("slacks", weighted.sum())
            }
        };
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
        let (id, name) = match self.variant {
            Variant::Hard if loss.value() == 0.0 => ("PA", "passive-aggressive, separable rows"),
            Variant::Hard => ("PA", "passive-aggressive, squared hinge loss"),
            Variant::Capped => ("PA-I", "passive-aggressive, hinge loss"),
            Variant::Softened => ("PA-II", "passive-aggressive, squared hinge loss"),
        };
        Certificate {
            theorem: id,
            name,
            counted: n as u64,
            bound: bound.value(),
            terms: vec![
                ("norm", rival.norm().value()),
                (loss_name, loss.value()),
                ("worth", worth),
                ("least_worth", least),
                ("theorem", theorem.value()),
            ],
        }
    }
}
