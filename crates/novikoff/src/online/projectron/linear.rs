//! Projectron for plain vectors, the cheaper of two forms at any time.
//!
//! Starts in the form of `dual`, which goes through the factor of all rows kept for every update. Where the rows kept are
//! half of some thousands of features (2,048 to 8,191) it changes to the matrix N that takes from a vector what is in the span
//! of the rows kept: `N x` costs only the columns of x. No change moves a prediction but by rounding. A row that is to be kept
//! although all but `1e-6 |x|^2` of it is in the span would cost N too many digits: it goes back to the other form, as it does for a
//! row of more features.
//! Update: with `n = N x`, starting at `N = I`: `del^2 = x.n`, `|h|^2 = x.x - del^2`, and the projection of x is `x - n`; a row
//! that is kept makes `N <- N - n n'/del^2`.
//! Cost: that of the form it has; with N: O(nnz) per right answer (as an update if plus and its margin is below 1), O(d nnz) per
//! update, O(d^2) per row kept, 64 of them at a time; O(d^2 + the kept rows' nnz) memory.
//! Bound: that of the other form.
//! Paper: "Bounded kernel-based online learning", JMLR 10, 2009; docs/theory/budget-shifting.md#projectron.

use super::dual::Basis;
use super::{Change, Parts, Projectron};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg::Downdated;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal, StoredRows};
use crate::state::{State, StateError};

/// The projectron on plain vectors.
#[derive(Clone, Debug)]
pub struct ProjectronLinear(pub Projectron);

/// A row is kept by N if at least this share of its `|x|^2` is outside the span.
const OUTSIDE: f64 = 1e-6;

/// What one class has kept, in one of the forms.
#[derive(Clone, Debug)]
pub enum Span {
    /// The factor of the inner products.
    Rows(Basis),
    /// N.
    Outside(Outside),
}

/// The rows kept and N.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    rows: StoredRows,
    n: Downdated,
}

fn slots_of(x: Row<'_>) -> usize {
    x.last_slot().map_or(0, |j| j as usize + 1)
}

impl Outside {
    /// The form's state for these rows.
    fn of(rows: StoredRows) -> Self {
        let mut n = Downdated::default();
        for x in rows.rows() {
            n.reach(slots_of(x));
            let outside = n.times(x.iter());
            let rest = x.dot(&outside);
            keep(&mut n, outside, rest);
        }
        Outside { rows, n }
    }
}

/// `N <- N - n n'/rest`.
fn keep(n: &mut Downdated, mut outside: Vec<f64>, rest: f64) {
    let root = rest.sqrt();
    for value in &mut outside {
        *value /= root;
    }
    n.subtract(&outside);
}

impl ProjectronLinear {
    /// One trial with N; none if that would cost it too many digits, or too much memory.
    fn learn_outside(
        &self,
        state: &mut Outside,
        w: &mut Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> Option<bool> {
        if !self.0.looks(trial.margin, y, true) {
            return Some(false);
        }
        let x = trial.x;
        if slots_of(x) > Downdated::MOST_SLOTS {
            return None;
        }
        state.n.reach(slots_of(x));
        let outside = state.n.times(x.iter());
        let norm_sq = x.norm_sq();
        let rest = x.dot(&outside).clamp(0.0, norm_sq);
        let parts = Parts {
            norm_sq,
            inside: norm_sq - rest,
            rest,
        };
        let change = self.0.change(trial.margin, y, parts, true);
        match change {
            Change::Nothing => {}
            Change::Projection(c) => {
                w.add(c, x);
                for (j, value) in outside.iter().enumerate().take(w.slots()) {
                    w.set(j, w.get(j) - c * value);
                }
            }
            Change::Row(_) if rest <= OUTSIDE * norm_sq => return None,
            Change::Row(c) => {
                w.add(c, x);
                state.rows.push(x);
                keep(&mut state.n, outside, rest);
            }
        }
        Some(change != Change::Nothing)
    }
}

/// Whether `kept` rows like those of a basis are better kept with N. The change costs as much as keeping them all once, so it waits
/// for twice the rows that would pay from the start: where fewer are ever kept, most updates are projections.
fn suits_outside(basis: &Basis, kept: usize) -> bool {
    Downdated::pays(basis.slots, kept / 2) && basis.apart > OUTSIDE
}

impl Rule<Primal> for ProjectronLinear {
    type State = Span;

    fn start(&self, _planes: &Primal) -> Span {
        Span::Rows(Basis::default())
    }

    fn learn(
        &self,
        state: &mut Span,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        if let Span::Outside(outside) = state {
            if let Some(updated) = self.learn_outside(outside, &mut w, trial, y) {
                return updated;
            }
            *state = Span::Rows(Basis::in_space(std::mem::take(&mut outside.rows), &w));
        }
        let Span::Rows(basis) = state else {
            return false;
        };
        let kept = basis.rows.len();
        let updated = self.0.learn(basis, w, trial, y);
        if basis.rows.len() > kept && suits_outside(basis, basis.rows.len()) {
            let rows = std::mem::take(&mut basis.rows);
            *state = Span::Outside(Outside::of(rows));
        }
        updated
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Span, slots: usize) -> u128 {
        match state {
            Span::Rows(basis) => {
                let soon = suits_outside(basis, basis.rows.len() + 1);
                let pairs = Downdated::bytes(basis.slots);
                let more = if soon { pairs } else { 0 };
                Rule::<Primal>::kept_bytes(&self.0, basis, slots) + more
            }
            Span::Outside(outside) => {
                // past that it is not kept
                let slots = slots.min(Downdated::MOST_SLOTS);
                outside.rows.bytes() + Downdated::bytes(slots)
            }
        }
    }

    fn save<'a>(&self, state: &'a Span, out: &mut State<'a>) {
        match state {
            Span::Rows(basis) => Rule::<Primal>::save(&self.0, basis, out),
            Span::Outside(outside) => {
                let (tiles, queue, waiting) = outside.n.parts();
                out.put_f64("outside", tiles);
                out.put_f64("outside-queue", queue);
                out.put_u64("outside-waiting", vec![waiting as u64]);
                out.put_u64("kept", vec![outside.rows.len() as u64]);
                outside.rows.save(out);
            }
        }
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Span, StateError> {
        if from.count("outside") == 0 {
            return Ok(Span::Rows(self.0.load(planes, from)?));
        }
        let (tiles, queue) = (from.take_f64("outside")?, from.take_f64("outside-queue")?);
        let [waiting] = from.take_counts("outside-waiting")?;
        let [kept] = from.take_counts("kept")?;
        let [waiting, kept] = [waiting, kept].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let rows = StoredRows::load(from, kept)?;
        let n = Downdated::of_parts(tiles, queue, waiting)
            .filter(|n| rows.slots() <= n.order().min(planes.slots()));
        match n {
            Some(n) => Ok(Span::Outside(Outside { rows, n })),
            None => Err(from.bad("outside", "it does not fit the rows")),
        }
    }
}

impl Memory for ProjectronLinear {
    fn remedy(&self) -> Remedy {
        self.0.remedy()
    }
}
