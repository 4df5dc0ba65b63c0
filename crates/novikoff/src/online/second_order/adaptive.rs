//! Second-order perceptron whose a grows with its mistakes: `a_k = c R^2 k`.
//!
//! k is the number of the mistake that might be made now, and w is kept for that a: it is recomputed when
//! a changes. What is kept besides is a Cholesky factor for an earlier a, at least half as large, which
//! preconditions conjugate gradients and is recomputed when a has doubled. The dual form keeps the rows of
//! the updates, the primal form pairs of features; `form=auto` changes from one to the other when the
//! mistakes outgrow the features. In the space of a kernel it is the form of [`super::adaptive_kernel`].
//! Update: with `a = c R^2 (k + 1)` after k updates, as for a fixed a. R^2 is given, or the largest `|x|^2`
//! seen so far, this row's included.
//! Cost: O(nnz) per right answer; per update some 10 solutions with the factor, dual 20 (k^2 + the kept rows'
//! nnz), primal 30 d^2; k^3/3 or d^3/6 for each doubling of a; memory O(k^2 + the kept rows' nnz) or O(d^2).
//! Bound: `m <= L(U) + sqrt((a_m |U|^2 + U'XX'U) (ln((1 + c m)/(1 + c))/c + sum ln(1 + lam/a_m)))` for a given
//! R^2; else with `sum over updates of x'A^-1 x`, each with its own A, in the place of the last factor.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 4.1; docs/theory/second-order.md#adaptive-a; T10.

use super::adaptive_primal::GrowingPairs;
use super::dual::{self, Expansion};
use super::{augmented, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Planes, Primal};
use crate::state::{State, StateError};

/// Which form is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdaptiveForm {
    /// The dual one until the mistakes outgrow the features, then the primal one.
    Auto,
    /// Rows.
    Dual,
    /// Pairs of features.
    Primal,
}

/// The adaptive algorithm.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderAdaptive {
    c: f64,
    margin: f64,
    /// R^2, if given.
    given: Option<f64>,
    form: AdaptiveForm,
    /// The largest `|x|^2` seen so far.
    largest: f64,
}

impl SecondOrderAdaptive {
    /// `c` > 0; `r2`: R^2, if it is known; tau >= 0.
    pub(crate) fn new(c: f64, r2: Option<f64>, margin: f64, form: AdaptiveForm) -> Self {
        SecondOrderAdaptive {
            c,
            margin,
            given: r2,
            form,
            largest: 0.0,
        }
    }

    /// a of the next mistake after k.
    fn a(&self, k: usize) -> f64 {
        self.c * self.given.unwrap_or(self.largest) * (k + 1) as f64
    }

    /// Notes `|x|^2` of a row that was taken.
    pub(super) fn note_square(&mut self, norm_sq: f64) {
        self.largest = self.largest.max(norm_sq);
    }

    /// One trial of one class, whatever its form keeps.
    pub(super) fn trial<P: Planes>(
        &self,
        state: &mut impl UpdateStore<P>,
        mut w: Lane<'_, P>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let k = state.len();
        let a = self.a(k);
        let mut f = trial.margin;
        if k == 0 {
            state.begin(a);
        } else if a != state.a() {
            state.settle(a, &mut w);
            f = w.inner(trial.x);
            trial.prediction.margin.set(f);
            trial.prediction.score.set(f);
        }
        if self.margin == 0.0 && !wants_update(f, y, 0.0) {
            return false;
        }
        let r = augmented(f, state.share(trial.x, a, &w));
        trial.prediction.margin.set(r);
        if !wants_update(r, y, self.margin) {
            return false;
        }
        state.add(trial.x, y.sign(), &w);
        state.settle(self.a(k + 1), &mut w);
        true
    }

    pub(super) fn save_largest(&self, out: &mut State<'_>) {
        out.put_f64("largest-row", vec![self.largest]);
    }

    pub(super) fn load_largest(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        [self.largest] = from.take_scalars("largest-row")?;
        Ok(())
    }
}

/// The factor is recomputed when a has grown by this.
pub(super) const REFACTOR: f64 = 2.0;

/// What the updates of one class left behind, in one form or another.
pub(super) trait UpdateStore<P: Planes> {
    /// How many updates.
    fn len(&self) -> usize;
    /// The a of w.
    fn a(&self) -> f64;
    /// a before the first update.
    fn begin(&mut self, a: f64);
    /// Puts w for another a in its place.
    fn settle(&mut self, a: f64, w: &mut Lane<'_, P>);
    /// `1/(1 + x'A^-1 x)`.
    fn share(&mut self, x: Row<'_>, a: f64, w: &Lane<'_, P>) -> f64;
    /// Learns a row.
    fn add(&mut self, x: Row<'_>, y: f64, w: &Lane<'_, P>);
}

/// The updates, or sums over them.
#[derive(Clone, Debug)]
enum Updates {
    /// Their rows.
    Rows(Expansion),
    /// Sums over them.
    Pairs(GrowingPairs),
}

/// One class.
#[derive(Clone, Debug)]
pub(crate) struct Growing {
    updates: Updates,
    /// Whether it changes to the primal form when it is time.
    changes: bool,
    /// The a of the factor.
    base: f64,
    /// The a of w.
    a: f64,
}

impl Growing {
    /// Changes to the primal form when it is time.
    fn change_over(&mut self) {
        if let Updates::Rows(rows) = &mut self.updates
            && rows.len() >= rows.slots()
        {
            rows.drop_factor();
            self.updates =
                Updates::Pairs(GrowingPairs::of(rows.updates(), rows.slots(), self.base));
        }
    }
}

impl UpdateStore<Primal> for Growing {
    fn len(&self) -> usize {
        match &self.updates {
            Updates::Rows(rows) => rows.len(),
            Updates::Pairs(pairs) => pairs.len(),
        }
    }

    fn a(&self) -> f64 {
        self.a
    }

    fn begin(&mut self, a: f64) {
        self.base = a;
    }

    fn settle(&mut self, a: f64, w: &mut Lane<'_, Primal>) {
        self.a = a;
        if a > REFACTOR * self.base {
            self.base = a;
            match &mut self.updates {
                Updates::Rows(rows) => rows.refactor(w, a),
                Updates::Pairs(pairs) => pairs.refactor(a),
            }
        }
        match &self.updates {
            Updates::Rows(rows) => rows.weigh_for(a, w),
            Updates::Pairs(pairs) => pairs.weigh(a, w),
        }
    }

    fn share(&mut self, x: Row<'_>, a: f64, w: &Lane<'_, Primal>) -> f64 {
        match &mut self.updates {
            Updates::Rows(rows) => {
                let known = rows.products(w, x);
                let within = rows.solve(&known, (a, w.slots()));
                let new = w.norm_sq_of(x) - linalg::dot(&known, &within);
                a / (a + new.max(0.0))
            }
            Updates::Pairs(pairs) => {
                pairs.reach(slots_of(x), self.base);
                1.0 / (1.0 + pairs.square(x, a))
            }
        }
    }

    fn add(&mut self, x: Row<'_>, y: f64, w: &Lane<'_, Primal>) {
        match &mut self.updates {
            Updates::Rows(rows) => {
                let mut known = rows.products(w, x);
                let s = rows.schur(&mut known, w.norm_sq_of(x), self.base);
                rows.border((&known, s), x, y);
            }
            Updates::Pairs(pairs) => pairs.add(x, y, self.base),
        }
        if self.changes {
            self.change_over();
        }
    }
}

impl Rule<Primal> for SecondOrderAdaptive {
    type State = Growing;

    fn start(&self, _planes: &Primal) -> Growing {
        let updates = if self.form == AdaptiveForm::Primal {
            Updates::Pairs(GrowingPairs::default())
        } else {
            Updates::Rows(Expansion::default())
        };
        Growing {
            updates,
            changes: self.form == AdaptiveForm::Auto,
            base: 0.0,
            a: 0.0,
        }
    }

    fn note(&mut self, x: Row<'_>, _id: Option<u64>) {
        self.note_square(x.norm_sq());
    }

    fn learn(
        &self,
        state: &mut Growing,
        w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        self.trial(state, w, trial, y)
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Growing, slots: usize) -> u128 {
        match &state.updates {
            Updates::Rows(rows) if state.changes && rows.len() + 1 >= rows.slots() => {
                // the next update may change over
                rows.bytes() + GrowingPairs::bytes(rows.slots())
            }
            Updates::Rows(rows) => rows.bytes(),
            Updates::Pairs(_) => GrowingPairs::bytes(slots),
        }
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        self.save_largest(out);
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        self.load_largest(from)
    }

    fn save<'a>(&self, state: &'a Growing, out: &mut State<'a>) {
        out.put_f64("added", vec![state.base, state.a]);
        match &state.updates {
            Updates::Rows(rows) => {
                out.put_u64("form", vec![0]);
                rows.save(out);
            }
            Updates::Pairs(pairs) => {
                out.put_u64("form", vec![1]);
                pairs.save(out);
            }
        }
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Growing, StateError> {
        let [base, a] = from.take_scalars("added")?;
        let [form] = from.take_counts("form")?;
        let updates = match form {
            0 => Updates::Rows(Expansion::load(planes, from)?),
            1 => Updates::Pairs(GrowingPairs::load(planes, from)?),
            other => return Err(from.bad("form", format!("{other}, not 0 (dual) or 1 (primal)"))),
        };
        Ok(Growing {
            updates,
            changes: self.form == AdaptiveForm::Auto,
            base,
            a,
        })
    }
}

impl Memory for SecondOrderAdaptive {
    fn keeps(&self) -> &'static str {
        match self.form {
            AdaptiveForm::Primal => "",
            _ => dual::KEEPS,
        }
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(match self.form {
            AdaptiveForm::Primal => super::INSTEAD,
            _ => dual::INSTEAD,
        })
    }
}
