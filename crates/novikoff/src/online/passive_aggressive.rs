//! Passive-aggressive learners PA, PA-I and PA-II (Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006).
//!
//! Moves as little as possible so that the row gets margin 1, at most a step of `c` (PA-I) or softened
//! by it (PA-II).
//! Update: with `l = max(0, 1 - y w.x)`: `w <- w + tau y x` iff `l > 0`; `tau = l/|x|^2` (PA),
//! `min(c, l/|x|^2)` (PA-I), `l/(|x|^2 + 1/(2c))` (PA-II).
//! Cost: O(nnz) per trial, O(d) memory.
//! Bound: PA-I: mistakes `<= max(R^2, 1/c) (|U|^2 + 2 c L(U))`; PA-II: with rows of norm at most R,
//! `sum l^2 <= (R^2 + 1/(2c)) (|U|^2 + 2 c sum xi(U)^2)`; PA on separable rows: `sum l^2 <= R^2 |U|^2`
//! (`certificate/passive_aggressive.rs`, also for PA on any rows).
//! Paper: JMLR 7, 2006, theorems 2, 4, 5; one pass of dual coordinate ascent (docs/theory/passive-aggressive.md#passive-aggressive-updates).

use crate::label::Label;
use crate::learner::{Rule, TrialRow};
use crate::space::{Lane, Planes};
use crate::state::{State, StateError};

/// How far a step may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// PA: all the way.
    Hard,
    /// PA-I: at most c.
    #[default]
    Capped,
    /// PA-II: softened by 1/(2c).
    Softened,
}

impl Variant {
    /// By its word in a spec.
    pub fn of(word: &str) -> Self {
        match word {
            "pa" => Variant::Hard,
            "2" => Variant::Softened,
            _ => Variant::Capped,
        }
    }
}

/// A passive-aggressive learner.
#[derive(Clone, Debug)]
pub struct PassiveAggressive {
    /// PA, PA-I or PA-II.
    pub variant: Variant,
    /// Aggressiveness of PA-I and PA-II.
    pub c: f64,
}

impl<P: Planes> Rule<P> for PassiveAggressive {
    type State = ();

    fn start(&self, _planes: &P) {}

    fn learn(&self, (): &mut (), mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let loss = 1.0 - y.sign() * trial.margin;
        if loss <= 0.0 {
            return false;
        }
        let norm_sq = w.norm_sq_of(trial.x);
        let step = match self.variant {
            Variant::Hard => loss / norm_sq,
            Variant::Capped => (loss / norm_sq).min(self.c),
            Variant::Softened => loss / (norm_sq + 0.5 / self.c),
        };
        w.add(step * y.sign(), trial.x);
        true
    }

    fn save<'a>(&self, (): &'a (), _out: &mut State<'a>) {}

    fn load(&self, _planes: &P, _from: &mut State<'static>) -> Result<(), StateError> {
        Ok(())
    }
}
