//! Higher-order perceptron, the cheapest of its forms at any time.
//!
//! p = 2: starts in the dual form and changes to the primal one when the updates with rho > 0 outgrow the
//! features. p > 2: starts in the low-rank form; keeps the rows only (implicit) once they turn out sparse, by
//! less than half of their features; changes to B itself when the updates outgrow half the features, or the
//! values of the sparse rows the pairs of features. No change moves a prediction but by rounding.
//! Update: that of the form it has.
//! Cost: that of the form it has, and once for a change what its updates would have cost in the new form.
//! Bound: that of all forms.
//! Paper: Brotto, Gentile, Vitale 2007, section 3; docs/theory/higher-order.md#forms; T12, T13.

use super::dual::{self, HigherOrderDual, HigherOrderExpansion};
use super::implicit::Factors;
use super::low_rank::LowRank;
use super::primal::{HigherOrderPrimal, Pairs};
use super::square::DenseTransform;
use super::{HigherOrder, HigherOrderWith, Transform, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal};
use crate::state::{State, StateError};

/// Both forms for p = 2.
#[derive(Clone, Debug)]
pub(crate) struct HigherOrderAuto {
    dual: HigherOrderDual,
    primal: HigherOrderPrimal,
}

impl HigherOrderAuto {
    /// c, schedule and tau; p = 2.
    pub(crate) fn new(by: HigherOrder) -> Self {
        HigherOrderAuto {
            dual: HigherOrderDual(by),
            primal: HigherOrderPrimal(by),
        }
    }
}

/// One class in one of the forms for p = 2.
#[derive(Clone, Debug)]
pub(crate) enum HigherOrderForm {
    /// Fewer updates than features.
    Dual(HigherOrderExpansion<Primal>),
    /// At least as many; A reaches as far as the rows did.
    Primal(Pairs),
}

impl Rule<Primal> for HigherOrderAuto {
    type State = HigherOrderForm;

    fn start(&self, planes: &Primal) -> HigherOrderForm {
        HigherOrderForm::Dual(self.dual.start(planes))
    }

    fn learn(
        &self,
        form: &mut HigherOrderForm,
        w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let state = match form {
            HigherOrderForm::Primal(pairs) => {
                pairs.reach(slots_of(trial.x));
                return self.primal.learn(pairs, w, trial, y);
            }
            HigherOrderForm::Dual(state) => state,
        };
        let updated = self.dual.learn(state, w, trial, y);
        // of the updates, not of all rows: a row that was refused must not matter
        if updated && state.len() >= state.slots() {
            state.drop_pairs();
            let (updates, v) = state.sum();
            let mut pairs = Pairs::new(updates, v);
            for (rho, x) in state.steps() {
                pairs.transform(rho, x);
            }
            *form = HigherOrderForm::Primal(pairs);
        }
        updated
    }

    fn reach(&self, form: &mut HigherOrderForm, slots: usize) {
        if let HigherOrderForm::Dual(state) = form {
            self.dual.reach(state, slots);
        }
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, form: &HigherOrderForm, slots: usize) -> u128 {
        match form {
            HigherOrderForm::Dual(state) => {
                self.dual.state_bytes(slots) + self.dual.kept_bytes(state, slots)
            }
            HigherOrderForm::Primal(_) => self.primal.state_bytes(slots),
        }
    }

    fn save<'a>(&self, form: &'a HigherOrderForm, out: &mut State<'a>) {
        match form {
            HigherOrderForm::Dual(state) => {
                out.put_u64("form", vec![0, state.slots() as u64]);
                self.dual.save(state, out);
            }
            HigherOrderForm::Primal(pairs) => {
                out.put_u64("form", vec![1, pairs.slots() as u64]);
                self.primal.save(pairs, out);
            }
        }
    }

    fn load(
        &self,
        planes: &Primal,
        from: &mut State<'static>,
    ) -> Result<HigherOrderForm, StateError> {
        let [form, slots] = from.take_counts("form")?;
        let slots = usize::try_from(slots).unwrap_or(usize::MAX);
        if slots > planes.slots() {
            return Err(from.bad("form", "wider than the weights"));
        }
        match form {
            0 => Ok(HigherOrderForm::Dual(self.dual.load(planes, from)?)),
            1 => Ok(HigherOrderForm::Primal(Pairs::take(slots, from)?)),
            other => Err(from.bad("form", format!("{other}, not 0 (dual) or 1 (primal)"))),
        }
    }
}

impl Memory for HigherOrderAuto {
    fn keeps(&self) -> &'static str {
        dual::KEEPS
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(dual::INSTEAD)
    }
}

/// The cheapest form for p > 2.
pub(crate) type HigherOrderCheapest = HigherOrderWith<Cheapest>;

/// B in one of the forms for p > 2.
#[derive(Clone, Debug)]
pub(crate) enum Cheapest {
    /// Few updates, dense rows.
    LowRank(LowRank),
    /// Sparse rows.
    Implicit(Factors),
    /// Many updates.
    Square(DenseTransform),
}

impl Default for Cheapest {
    fn default() -> Self {
        Cheapest::LowRank(LowRank::default())
    }
}

/// Whether the rows are sparse, by how many values they have in all.
fn sparse(factors: &Factors) -> bool {
    2 * factors.rows.values() < factors.slots * factors.rho.len()
}

impl Cheapest {
    /// Whether B itself is cheaper for `slots` slots, after `rows` more rows.
    fn outgrown(&self, slots: usize, rows: usize) -> bool {
        match self {
            Cheapest::LowRank(b) => 2 * (b.q.len() + rows) >= slots,
            Cheapest::Implicit(b) => b.rows.values() + rows * slots >= slots.saturating_mul(slots),
            Cheapest::Square(_) => false,
        }
    }

    /// B itself.
    fn square(&self) -> DenseTransform {
        let mut square = DenseTransform::default();
        let (factors, mut q) = match self {
            Cheapest::LowRank(b) => (&b.factors, Some(b.q.iter())),
            Cheapest::Implicit(b) => (b, None),
            Cheapest::Square(b) => return b.clone(),
        };
        for (i, (rho, x)) in factors.rho.iter().zip(factors.rows.rows()).enumerate() {
            let known = q.as_mut().and_then(Iterator::next).cloned();
            let bx = known.unwrap_or_else(|| square.times(x));
            square.update(*rho, x, factors.rows.image(i), bx);
        }
        square
    }
}

impl Transform for Cheapest {
    const KEEPS: &'static str =
        "it keeps every row it was mistaken on, or the pairs of features once they are fewer";
    const INSTEAD: &'static str = "use p-norm";

    fn slots(&self) -> usize {
        match self {
            Cheapest::LowRank(b) => b.slots(),
            Cheapest::Implicit(b) => b.slots(),
            Cheapest::Square(b) => b.slots(),
        }
    }

    fn times(&self, x: Row<'_>) -> Vec<f64> {
        match self {
            Cheapest::LowRank(b) => b.times(x),
            Cheapest::Implicit(b) => b.times(x),
            Cheapest::Square(b) => b.times(x),
        }
    }

    fn transposed_times(&self, z: &mut [f64]) {
        match self {
            Cheapest::LowRank(b) => b.transposed_times(z),
            Cheapest::Implicit(b) => b.transposed_times(z),
            Cheapest::Square(b) => b.transposed_times(z),
        }
    }

    fn update(&mut self, rho: f64, x: Row<'_>, image: &[f64], bx: Vec<f64>) {
        match self {
            Cheapest::LowRank(b) => b.update(rho, x, image, bx),
            Cheapest::Implicit(b) => b.update(rho, x, image, bx),
            Cheapest::Square(b) => b.update(rho, x, image, bx),
        }
        if let Cheapest::LowRank(b) = self
            && sparse(&b.factors)
        {
            *self = Cheapest::Implicit(std::mem::take(&mut b.factors));
        }
        if self.outgrown(self.slots(), 0) {
            *self = Cheapest::Square(self.square());
        }
    }

    fn bytes(&self) -> u128 {
        match self {
            Cheapest::LowRank(b) => b.bytes(),
            Cheapest::Implicit(b) => b.bytes(),
            Cheapest::Square(b) => b.bytes(),
        }
    }

    fn reach_bytes(&self, slots: usize) -> u128 {
        if let Cheapest::Square(b) = self {
            return b.reach_bytes(slots);
        }
        // the next update may need it, whether it reaches as far or not
        let changes = [slots, self.slots()]
            .into_iter()
            .find(|n| self.outgrown(*n, 1));
        changes.map_or(0, DenseTransform::bytes_of)
    }

    fn save<'a>(&'a self, out: &mut State<'a>) {
        let form = match self {
            Cheapest::LowRank(b) => {
                b.save(out);
                0
            }
            Cheapest::Implicit(b) => {
                b.save(out);
                1
            }
            Cheapest::Square(b) => {
                b.save(out);
                2
            }
        };
        out.put_u64("form", vec![form]);
    }

    fn load(from: &mut State<'static>, p: f64, slots: usize) -> Result<Self, StateError> {
        let [form] = from.take_counts("form")?;
        match form {
            0 => Ok(Cheapest::LowRank(LowRank::load(from, p, slots)?)),
            1 => Ok(Cheapest::Implicit(Factors::load(from, p, slots)?)),
            2 => Ok(Cheapest::Square(DenseTransform::load(from, p, slots)?)),
            other => Err(from.bad(
                "form",
                format!("{other}, not 0 (low-rank), 1 (implicit) or 2 (square)"),
            )),
        }
    }
}
