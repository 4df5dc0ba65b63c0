//! Second-order perceptron, the smaller of both forms.
//!
//! Starts in the dual form and changes to the primal one when the mistakes outgrow the features: from then
//! on it is the primal form that saw the same updates, and no prediction changes but by rounding. Rows very
//! large for a (`sum |x|^2 > 1e6 a`), where the dual form rounds most, make it change early if the pairs are few. Where they are
//! not and the dual form has raised its a, it stays: the theorem is about an a that never falls.
//! Update: that of the form it has.
//! Cost: that of the form it has, and O(d^3) once for the change.
//! Bound: that of both forms.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 3; docs/theory/second-order.md#dual-form.

use super::dual::{Expansion, SecondOrderDual};
use super::primal::SecondOrderPrimal;
use super::{INSTEAD, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal};
use crate::state::{State, StateError};

/// Both forms.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderAuto {
    dual: SecondOrderDual,
    primal: SecondOrderPrimal,
}

impl SecondOrderAuto {
    /// `a` > 0 and tau >= 0 as in the forms.
    pub(crate) fn new(a: f64, margin: f64) -> Self {
        SecondOrderAuto {
            dual: SecondOrderDual { a, margin },
            primal: SecondOrderPrimal { a, margin },
        }
    }

    /// a.
    pub(in crate::online) fn a(&self) -> f64 {
        self.dual.a
    }

    /// r of a row as a share of `w.x`: `1/(1 + x'A^-1 x)`.
    pub(in crate::online) fn share(
        &self,
        form: &SecondOrderForm,
        w: &Lane<'_, Primal>,
        x: Row<'_>,
    ) -> f64 {
        match form {
            SecondOrderForm::Dual(state) => self.dual.share(state, w, x),
            SecondOrderForm::Primal(u) => self.primal.share(u, x),
        }
    }
}

/// Coefficients of rows so large cancel in `w`, where the primal form loses nothing.
const CONDITION: f64 = 1e6;

/// Pairs of features that are affordable before the mistakes have paid for them.
const PAIRS: u128 = 1 << 21;

/// Whether it is time for the primal form: after `updates` updates of rows with `slots` slots whose squares have the sum `trace`, where the
/// a of the dual form, which began as `a`, is `base` now.
pub(crate) fn outgrown(updates: usize, slots: usize, trace: f64, a: f64, base: f64) -> bool {
    let delicate = trace > CONDITION * a;
    (updates >= slots && base <= a) || (delicate && few_pairs(slots))
}

/// Whether the pairs of so few features are affordable at once.
pub(crate) fn few_pairs(slots: usize) -> bool {
    linalg::triangle_len(slots) <= PAIRS
}

impl SecondOrderAuto {
    fn outgrown(&self, state: &Expansion) -> bool {
        // of the updates, not of all rows: a row that was refused must not matter
        outgrown(
            state.len(),
            state.slots(),
            state.trace(),
            self.dual.a,
            state.base(),
        )
    }
}

/// One class in one of the forms.
#[derive(Clone, Debug)]
pub(crate) enum SecondOrderForm {
    /// Fewer updates than features.
    Dual(Expansion),
    /// At least as many; U reaches as far as the rows did.
    Primal(Vec<f64>),
}

impl Rule<Primal> for SecondOrderAuto {
    type State = SecondOrderForm;

    fn start(&self, planes: &Primal) -> SecondOrderForm {
        SecondOrderForm::Dual(self.dual.start(planes))
    }

    fn learn(
        &self,
        form: &mut SecondOrderForm,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let state = match form {
            SecondOrderForm::Primal(u) => {
                self.primal.reach(u, slots_of(trial.x));
                return self.primal.learn(u, w, trial, y);
            }
            SecondOrderForm::Dual(state) => state,
        };
        let updated = self.dual.learn(state, w.again(), trial, y);
        if updated && self.outgrown(state) {
            state.drop_factor();
            *form =
                SecondOrderForm::Primal(self.primal.replay(&mut w, state.slots(), state.updates()));
        }
        updated
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, form: &SecondOrderForm, slots: usize) -> u128 {
        match form {
            SecondOrderForm::Dual(state) => state.bytes(),
            SecondOrderForm::Primal(_) => self.primal.state_bytes(slots),
        }
    }

    fn save<'a>(&self, form: &'a SecondOrderForm, out: &mut State<'a>) {
        match form {
            SecondOrderForm::Dual(state) => {
                out.put_u64("form", vec![0, state.slots() as u64]);
                state.save(out);
            }
            SecondOrderForm::Primal(u) => {
                out.put_u64("form", vec![1, linalg::triangle_order(u) as u64]);
                self.primal.save(u, out);
            }
        }
    }

    fn load(
        &self,
        planes: &Primal,
        from: &mut State<'static>,
    ) -> Result<SecondOrderForm, StateError> {
        let [form, slots] = from.take_counts("form")?;
        let slots = usize::try_from(slots).unwrap_or(usize::MAX);
        if slots > planes.slots() {
            return Err(from.bad("form", "wider than the weights"));
        }
        match form {
            0 => Ok(SecondOrderForm::Dual(self.dual.load(planes, from)?)),
            1 => Ok(SecondOrderForm::Primal(SecondOrderPrimal::take(
                slots, from,
            )?)),
            other => Err(from.bad("form", format!("{other}, not 0 (dual) or 1 (primal)"))),
        }
    }
}

impl Memory for SecondOrderAuto {
    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
