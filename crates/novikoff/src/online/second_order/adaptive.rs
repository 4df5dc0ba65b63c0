//! Second-order perceptron whose a grows with its mistakes: `a_k = c R^2 k`.
//!
//! A dual form. k is the number of the mistake that might be made now, and w is kept for that a: it is
//! computed anew when a changes. The Cholesky factor is that of an earlier a, at least half as large, and
//! preconditions conjugate gradients; it is made anew when a has doubled.
//! Update: with `a = c R^2 (k + 1)` after k updates, as the dual form. R^2 is given, or the largest `|x|^2`
//! seen so far, this row's included.
//! Cost: O(nnz) a right answer, about 20 (k^2 + the kept rows' nnz) an update, k^3/3 for each doubling of a;
//! O(k^2 + the kept rows' nnz) memory.
//! Bound: `m <= L(U) + sqrt((a_m |U|^2 + U'XX'U) (ln((1 + c m)/(1 + c))/c + sum ln(1 + lam/a_m)))` for a given
//! R^2; else with `sum over updates of x'A^-1 x`, each with its own A, in the place of the last factor.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 4.1; spec/online.md 4.2, T10.

use super::augmented;
use super::dual::{Expansion, REMEDY};
use crate::label::Label;
use crate::learner::{Rule, Seen};
use crate::linalg;
use crate::online::perceptron::wants_update;
use crate::row::Row;
use crate::space::{Hyperplane, Lane, Primal};
use crate::state::{State, StateError};

/// The adaptive form.
#[derive(Clone, Debug)]
pub struct SecondOrderAdaptive {
    c: f64,
    margin: f64,
    /// R^2, if given.
    given: Option<f64>,
    /// The largest `|x|^2` seen so far.
    largest: f64,
}

impl SecondOrderAdaptive {
    /// `c` > 0; `r2`: R^2, if it is known; tau >= 0.
    pub fn new(c: f64, r2: Option<f64>, margin: f64) -> Self {
        SecondOrderAdaptive {
            c,
            margin,
            given: r2,
            largest: 0.0,
        }
    }

    /// a of the next mistake after k.
    fn a(&self, k: usize) -> f64 {
        self.c * self.given.unwrap_or(self.largest) * (k + 1) as f64
    }
}

/// The factor is made anew when a has grown by this.
const REFACTOR: f64 = 2.0;

/// One class.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    updates: Expansion,
    /// The a of the factor.
    base: f64,
    /// The a of w.
    a: f64,
}

impl Growing {
    /// Puts w for another a in its place.
    fn settle(&mut self, a: f64, w: &mut Lane<'_, Primal>) {
        self.a = a;
        if a > REFACTOR * self.base {
            self.base = a;
            self.updates.refactor(w, a);
        }
        self.updates.weigh_for(a, w);
    }
}

impl Rule<Primal> for SecondOrderAdaptive {
    type State = Growing;

    fn start(&self, _planes: &Primal) -> Growing {
        Growing::default()
    }

    fn note(&mut self, x: Row<'_>) {
        self.largest = self.largest.max(x.norm_sq());
    }

    fn learn(
        &self,
        state: &mut Growing,
        mut w: Lane<'_, Primal>,
        seen: Seen<'_>,
        y: Label,
    ) -> bool {
        let k = state.updates.len();
        let a = self.a(k);
        let mut f = seen.margin;
        if a != state.a && k > 0 {
            state.settle(a, &mut w);
            f = w.inner(seen.x);
            seen.answer.margin.set(f);
            seen.answer.score.set(f);
        }
        if self.margin == 0.0 && !wants_update(f, y, 0.0) {
            return false;
        }
        if k == 0 {
            state.base = a;
        }
        let mut known = state.updates.products(&w, seen.x);
        let norm_sq = w.norm_sq_of(seen.x);
        let within = state.updates.solve(&known, (a, w.slots()));
        let s = a + (norm_sq - linalg::dot(&known, &within)).max(0.0);
        let r = augmented(f, a / s);
        seen.answer.margin.set(r);
        if !wants_update(r, y, self.margin) {
            return false;
        }
        let s = state.updates.schur(&mut known, norm_sq, state.base);
        state.updates.border((&known, s), seen.x, y.sign());
        state.settle(self.a(k + 1), &mut w);
        true
    }

    fn kept_bytes(&self, state: &Growing) -> u128 {
        state.updates.bytes()
    }

    fn remedy(&self) -> &'static str {
        REMEDY
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        out.put_f64("largest-row", vec![self.largest]);
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        [self.largest] = from.take_scalars("largest-row")?;
        Ok(())
    }

    fn save<'a>(&self, state: &'a Growing, out: &mut State<'a>) {
        out.put_f64("added", vec![state.base, state.a]);
        state.updates.save(out);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Growing, StateError> {
        let [base, a] = from.take_scalars("added")?;
        let updates = Expansion::load(planes, from)?;
        Ok(Growing { updates, base, a })
    }
}
