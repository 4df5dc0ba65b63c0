//! Normalised exponentiated gradient EG+- and balanced Winnow (Kivinen, Warmuth 1997; Littlestone 1989).
//!
//! Two weights per feature, one for it and one against, moved by multiplication; good when few of many
//! features matter. Balanced Winnow with `alpha = e^eta` makes the same predictions.
//! Update: `w_j = (e^(eta v_j) - e^(-eta v_j)) / sum_i (e^(eta v_i) + e^(-eta v_i))`; `v <- v + y x` iff
//! `sgn(w.x) != y`. The sum runs over the features seen so far.
//! Cost: O(nnz) per trial, O(d) memory.
//! Bound: `m <= L(U) + |U|_1 (ln(2d)/eta + (eta/2) sum over updates of |x|_inf^2)`.
//! Paper: Kivinen and Warmuth, "Exponentiated gradient versus gradient descent"; docs/theory/p-norm-winnow.md#exponentiated-gradient-and-balanced-winnow; T5.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::row::Row;
use crate::space::{Lane, Met, Primal, grow};
use crate::state::{State, StateError};

/// EG+-. The weights hold `2 sinh(eta v_j) e^-shift`.
#[derive(Clone, Debug)]
pub(crate) struct Eg {
    eta: f64,
    met: Met,
}

/// One class.
#[derive(Clone, Debug)]
pub(crate) struct Exponents {
    v: Vec<f64>,
    /// Everything is kept times `e^-shift`, so that no exponential overflows.
    shift: f64,
    /// `sum_j (2 cosh(eta v_j) - 2) e^-shift`: the sum without the features' resting value.
    excess: f64,
    /// `e^-shift`; follows from it.
    unit: f64,
    /// Magnitudes added to and taken from `excess` since it was last computed from scratch.
    churn: f64,
}

/// Exponents this far above `shift` ask for a new one.
const HEADROOM: f64 = 300.0;
/// The sum is trusted while its churn is below this multiple of it: relative error 1e-12.
const CHURN: f64 = 1e4;

impl Eg {
    /// Learning rate `eta` > 0.
    pub(crate) fn new(eta: f64) -> Self {
        Eg {
            eta,
            met: Met::default(),
        }
    }

    /// `(2 sinh(eta v) e^-shift, 2 cosh(eta v) e^-shift)`.
    fn terms(&self, v: f64, shift: f64) -> (f64, f64) {
        let exponent = self.eta * v;
        if exponent.abs() < 1.0 {
            // no difference of nearly equal numbers
            let unit = 2.0 * libm::exp(-shift);
            return (unit * libm::sinh(exponent), unit * libm::cosh(exponent));
        }
        let (up, down) = (libm::exp(exponent - shift), libm::exp(-exponent - shift));
        (up - down, up + down)
    }

    /// `sum_i (e^(eta v_i) + e^(-eta v_i)) e^-shift` over the features seen.
    fn total(&self, state: &Exponents) -> f64 {
        state.excess + 2.0 * state.unit * self.met.count() as f64
    }

    fn rebase(&self, state: &mut Exponents, w: &mut Lane<'_, Primal>) {
        state.shift = state.v.iter().fold(0.0, |m, v| (self.eta * v.abs()).max(m));
        state.unit = libm::exp(-state.shift);
        let rest = 2.0 * state.unit;
        state.excess = 0.0;
        for (j, &v) in state.v.iter().enumerate() {
            let (difference, sum) = self.terms(v, state.shift);
            w.set(j, difference);
            state.excess += sum - rest;
        }
        state.churn = state.excess;
    }
}

impl Rule<Primal> for Eg {
    type State = Exponents;

    fn start(&self, _planes: &Primal) -> Exponents {
        Exponents {
            v: Vec::new(),
            shift: 0.0,
            unit: 1.0,
            excess: 0.0,
            churn: 0.0,
        }
    }

    fn note(&mut self, x: Row<'_>, _id: Option<u64>) {
        self.met.note(x);
    }

    fn margin(&self, state: &Exponents, inner: f64, _glance: f64) -> f64 {
        let total = self.total(state);
        if total > 0.0 { inner / total } else { 0.0 }
    }

    fn learn(
        &self,
        state: &mut Exponents,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        if !wants_update(trial.margin, y, 0.0) {
            return false;
        }
        let rest = state.unit;
        let mut highest: f64 = 0.0;
        for (j, xj) in trial.x.iter() {
            state.v[j] += y.sign() * xj;
            highest = highest.max(self.eta * state.v[j].abs());
            let (difference, sum) = self.terms(state.v[j], state.shift);
            let old = w.get(j);
            // (P + Q)^2 = (P - Q)^2 + 4 P Q
            let loss = (old * old + 4.0 * rest * rest).sqrt();
            state.excess += sum - loss;
            state.churn += sum + loss;
            w.set(j, difference);
        }
        if highest > state.shift + HEADROOM || state.churn > CHURN * self.total(state) {
            self.rebase(state, &mut w);
        }
        true
    }

    fn weights(&self, state: &Exponents, mut w: Vec<f64>) -> Vec<f64> {
        let total = self.total(state);
        if total > 0.0 {
            for w in &mut w {
                *w /= total;
            }
        }
        w
    }

    fn reach(&self, state: &mut Exponents, slots: usize) {
        grow(&mut state.v, slots, 0.0);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        self.met.save(out);
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        self.met = Met::load(from)?;
        Ok(())
    }

    fn save<'a>(&self, state: &'a Exponents, out: &mut State<'a>) {
        out.put_f64("v", &state.v[..]);
        out.put_f64("sums", vec![state.shift, state.excess, state.churn]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Exponents, StateError> {
        if !self.met.fits(planes.slots()) {
            return Err(from.bad("v", "the features seen and the weights differ in length"));
        }
        let v = from.take_vector("v", planes.slots())?;
        let [shift, excess, churn] = from.take_scalars("sums")?;
        Ok(Exponents {
            v,
            shift,
            unit: libm::exp(-shift),
            excess,
            churn,
        })
    }
}

impl Memory for Eg {
    fn state_bytes(&self, slots: usize) -> u128 {
        slots as u128 * 8
    }
}
