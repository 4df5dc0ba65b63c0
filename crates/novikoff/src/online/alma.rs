//! ALMA_p, the approximate maximal margin algorithm (Gentile 2001).
//!
//! A p-norm perceptron on rows of p-norm 1, with a shrinking margin requirement and step, kept inside
//! the unit ball: it approaches the maximum margin to within a factor `1 - alpha`.
//! Update: `xh = x/|x|_p`; iff `y g(th).xh <= (1-alpha) B sqrt((p-1)/k)`: `th <- th + C/sqrt((p-1)k) y xh`,
//! `th <- th / max(1, |th|_p)`, `k <- k + 1`, with `B = sqrt(8)/alpha`, `C = sqrt(2)`, k starting at 1.
//! Margins are those of the row divided by its norm.
//! Cost: O(nnz) per trial (lazy scaling), O(d) memory.
//! Bound: with g* the best margin of a unit q-norm vector on the xh,
//! updates `<= (2(p-1)/g*^2)(2/alpha - 1)^2` (`certificate/alma.rs`; the paper adds `8/alpha - 4`).
//! Paper: Gentile, "A new approximate maximal margin classification algorithm", JMLR 2, 2001; docs/theory/p-norm-winnow.md#alma.

use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::row::Row;
use crate::space::{DualNorm, Lane, Primal};
use crate::state::{State, StateError};

/// ALMA_p. The weights hold the image of `th` up to a factor.
#[derive(Clone, Debug)]
pub(crate) struct Alma {
    /// The norm, p >= 2.
    pub(crate) p: f64,
    /// How far from the maximum margin one is content to stay.
    pub(crate) alpha: f64,
}

/// A smaller factor is multiplied into v: v grows as the factor shrinks, and both are finite numbers.
const SMALLEST_SHRINK: f64 = 1e-100;

/// One class: `th = shrink * v`.
#[derive(Clone, Debug)]
pub(crate) struct Ball {
    v: DualNorm,
    shrink: f64,
    /// Number of the next update, from 1.
    k: u64,
}

impl Rule<Primal> for Alma {
    type State = Ball;

    fn start(&self, _planes: &Primal) -> Ball {
        Ball {
            v: DualNorm::zero(),
            shrink: 1.0,
            k: 1,
        }
    }

    /// `|x|_p`.
    fn glance(&self, x: Row<'_>) -> f64 {
        x.norm(self.p)
    }

    fn margin(&self, state: &Ball, inner: f64, norm: f64) -> f64 {
        if norm == 0.0 {
            0.0
        } else {
            inner * (state.v.factor() * state.shrink / norm)
        }
    }

    fn learn(
        &self,
        state: &mut Ball,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let k = state.k as f64;
        let wanted =
            (1.0 - self.alpha) * (8.0_f64.sqrt() / self.alpha) * ((self.p - 1.0) / k).sqrt();
        if y.sign() * trial.margin > wanted {
            return false;
        }
        let step = (2.0 / ((self.p - 1.0) * k)).sqrt() / (state.shrink * trial.glance);
        state.v.add(self.p, step * y.sign(), trial.x, &mut w);
        let norm = state.shrink * state.v.norm(self.p);
        if norm > 1.0 {
            state.shrink /= norm;
        }
        if state.shrink < SMALLEST_SHRINK {
            state.v.scale(self.p, state.shrink);
            state.shrink = 1.0;
        }
        state.k = state.k.saturating_add(1);
        true
    }

    fn factor(&self, state: &Ball) -> f64 {
        state.v.factor() * state.shrink
    }

    fn divides_by_norm(&self) -> Option<f64> {
        Some(self.p)
    }

    fn reach(&self, state: &mut Ball, slots: usize) {
        state.v.reach(slots);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, state: &'a Ball, out: &mut State<'a>) {
        out.put_u64("updates", vec![state.k]);
        out.put_f64("shrink", vec![state.shrink]);
        state.v.save(out);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Ball, StateError> {
        let [k] = from.take_counts("updates")?;
        let [shrink] = from.take_scalars("shrink")?;
        if shrink <= 0.0 {
            return Err(from.bad("shrink", "it must be above 0"));
        }
        let v = DualNorm::load(from, planes.slots(), self.p)?;
        Ok(Ball { v, shrink, k })
    }
}

impl Memory for Alma {
    fn state_bytes(&self, slots: usize) -> u128 {
        slots as u128 * 8
    }
}
