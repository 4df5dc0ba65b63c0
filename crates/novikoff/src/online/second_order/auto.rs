//! Second-order perceptron, the cheapest of its exact forms at any time.
//!
//! Starts in the dual form and changes to the primal one when the mistakes outgrow the features: from then
//! on it is the primal form that saw the same updates, and no prediction changes but by rounding. Rows very
//! large for a (`sum |x|^2 > 1e6 a`), where the dual form rounds most, make it change early if the pairs are few. Where they are
//! not and the dual form has raised its a, it stays: the theorem is about an a that never falls.
//! Thousands of features (2,048 and more) and rows of `|x|^2 <= 1e4 a`: it keeps the inverse from the time when the mistakes are a quarter of
//! the features (of at most 8,191), or as many as the features that do not stand apart. It goes back to the other forms for a longer row, or if
//! more than 8,191 features have joined that are more than the mistakes.
//! Update: that of the form it has.
//! Cost: that of the form it has, and O(d^3) once for the change.
//! Bound: that of both forms.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 3; docs/theory/second-order.md#dual-form.

use super::dual::{Expansion, SecondOrderDual};
use super::inverse::{Inverse, SecondOrderInverse};
use super::primal::{PrimalState, SecondOrderPrimal};
use super::{INSTEAD, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg::{self, Downdated, Parting};
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal};
use crate::state::{State, StateError};

/// All forms.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderAuto {
    dual: SecondOrderDual,
    primal: SecondOrderPrimal,
    inverse: SecondOrderInverse,
}

impl SecondOrderAuto {
    /// `a` > 0 and tau >= 0 as in the forms.
    pub(crate) fn new(a: f64, margin: f64) -> Self {
        SecondOrderAuto {
            dual: SecondOrderDual { a, margin },
            primal: SecondOrderPrimal { a, margin },
            inverse: SecondOrderInverse { a, margin },
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
            SecondOrderForm::Dual(dual) => self.dual.share(&dual.state, w, x),
            SecondOrderForm::Primal(state) => self.primal.share(state, x),
            SecondOrderForm::Inverse(state) => self.inverse.share(state, x),
        }
    }
}

/// Coefficients of rows so large cancel in `w`, where the primal form loses nothing.
const CONDITION: f64 = 1e6;

/// Pairs of features that are affordable before the mistakes have paid for them.
const PAIRS: u128 = 1 << 21;

/// After this many updates, and whenever they have doubled, it is asked how many features stand apart.
const FIRST_LOOK: usize = 256;

/// Rows of a larger `|x|^2/a` cost the inverse too many digits.
const LONG: f64 = 1e4;

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

    /// Whether the inverse pays after `updates` updates, and the bytes it then takes.
    fn suits_inverse(&self, state: &Expansion, updates: usize) -> Option<u128> {
        if state.slots() < Downdated::LEAST_SLOTS || state.longest() > LONG * self.dual.a {
            return None;
        }
        if Downdated::pays(state.slots(), updates) {
            return Some(Inverse::most_bytes(state.kept(), state.slots()));
        }
        // looking costs as much as all rows have values
        if updates < FIRST_LOOK || !updates.is_power_of_two() {
            return None;
        }
        let parting = Parting::of(state.kept().slots_of_each());
        let pays = parting.joined() <= updates;
        pays.then(|| Inverse::bytes_with(state.kept(), parting.bytes()))
    }

    /// The dual form after an update.
    fn in_dual(&self, state: Expansion) -> SecondOrderForm {
        let inverse = self.suits_inverse(&state, state.len() + 1);
        SecondOrderForm::Dual(InDual { state, inverse })
    }

    /// From the inverse to the form that there would be without it.
    fn leave_inverse(&self, state: Inverse, w: &mut Lane<'_, Primal>) -> SecondOrderForm {
        let state = Expansion::of(state.updates(), w, self.dual.a);
        if self.outgrown(&state) {
            self.to_primal(state, w)
        } else {
            self.in_dual(state)
        }
    }

    fn to_primal(&self, mut state: Expansion, w: &mut Lane<'_, Primal>) -> SecondOrderForm {
        state.drop_factor();
        SecondOrderForm::Primal(self.primal.replay(w, state.slots(), state.updates()))
    }
}

/// The dual form, before its next update.
#[derive(Clone, Debug, Default)]
pub(crate) struct InDual {
    state: Expansion,
    /// Bytes of the inverse, if that update may change over to it: known from the last update on, for every trial asks.
    inverse: Option<u128>,
}

/// One class in one of the forms.
#[derive(Clone, Debug)]
pub(crate) enum SecondOrderForm {
    /// Fewer updates than features.
    Dual(InDual),
    /// At least as many; it reaches as far as the rows did.
    Primal(PrimalState),
    /// Thousands of features.
    Inverse(Inverse),
}

impl Rule<Primal> for SecondOrderAuto {
    type State = SecondOrderForm;

    fn start(&self, planes: &Primal) -> SecondOrderForm {
        SecondOrderForm::Dual(InDual {
            state: self.dual.start(planes),
            inverse: None,
        })
    }

    fn learn(
        &self,
        form: &mut SecondOrderForm,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        if let SecondOrderForm::Inverse(state) = form
            && (trial.x.norm_sq() > LONG * self.dual.a || state.outreached(trial.x.len()))
            && (self.dual.margin > 0.0 || wants_update(trial.margin, y, 0.0))
        {
            *form = self.leave_inverse(std::mem::take(state), &mut w);
        }
        let state = match form {
            SecondOrderForm::Primal(state) => {
                self.primal.reach(state, slots_of(trial.x));
                return self.primal.learn(state, w, trial, y);
            }
            SecondOrderForm::Inverse(state) => return self.inverse.learn(state, w, trial, y),
            SecondOrderForm::Dual(dual) => &mut dual.state,
        };
        if !self.dual.learn(state, w.again(), trial, y) {
            return false;
        }
        let state = std::mem::take(state);
        *form = if self.outgrown(&state) {
            self.to_primal(state, &mut w)
        } else if self.suits_inverse(&state, state.len()).is_some() {
            let (rows, labels) = state.into_updates();
            SecondOrderForm::Inverse(self.inverse.replay(rows, labels))
        } else {
            self.in_dual(state)
        };
        true
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, form: &SecondOrderForm, slots: usize) -> u128 {
        match form {
            SecondOrderForm::Dual(dual) => dual.state.bytes() + dual.inverse.unwrap_or(0),
            SecondOrderForm::Primal(_) => self.primal.state_bytes(slots),
            SecondOrderForm::Inverse(state) => self.inverse.kept_bytes(state, slots),
        }
    }

    fn save<'a>(&self, form: &'a SecondOrderForm, out: &mut State<'a>) {
        match form {
            SecondOrderForm::Dual(InDual { state, .. }) => {
                out.put_u64("form", vec![0, state.slots() as u64]);
                state.save(out);
            }
            SecondOrderForm::Primal(state) => {
                out.put_u64("form", vec![1, state.slots() as u64]);
                self.primal.save(state, out);
            }
            SecondOrderForm::Inverse(state) => {
                out.put_u64("form", vec![2, 0]);
                self.inverse.save(state, out);
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
            0 => Ok(self.in_dual(self.dual.load(planes, from)?)),
            1 => Ok(SecondOrderForm::Primal(SecondOrderPrimal::take(
                slots, from,
            )?)),
            2 => Ok(SecondOrderForm::Inverse(self.inverse.load(planes, from)?)),
            other => Err(from.bad(
                "form",
                format!("{other}, not 0 (dual), 1 (primal) or 2 (inverse)"),
            )),
        }
    }
}

impl Memory for SecondOrderAuto {
    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
