//! Second-order perceptron without a parameter, dual form: for kernels.
//!
//! Keeps the rows B of the updates that brought something new, which span those of all updates, and the Cholesky
//! factor L of their inner products: `L^-1 (b.x)` are the coordinates of x in an orthonormal basis of the span. In these
//! it keeps the triangular least squares system of all updates, by plane rotations. A new row has `r = 0` exactly.
//! Inner products have 16 digits, and squares of distances that are differences of them keep half: a row is new iff its
//! squared distance from the span is more than rounding can make of it, `16 eps (k + 1) (|x| + sum |z_i| |b_i|)^2` for k rows
//! kept and `sum z_i b_i` the row's projection. That is a distance of at least `2e-7 |x|`, where the primal form takes 1e-8. A row
//! that is nearer counts as its projection.
//! Update: that of the primal form; `w = sum al_i b_i` is the shortest vector that minimises `sum (y - w.x)^2`.
//! Cost: k kernel values, or the kept rows' nnz, and k^2 per trial; O(k^2 + the kept rows' nnz) memory. k is the rank of
//! the updates; with a Gaussian kernel all rows are new but those that come again.
//! Bound: that of the primal form, l the smallest positive eigenvalue of the updates' inner products.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 4.2; docs/theory/second-order.md#pseudo-inverse; T11.

use super::augmented;
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg::{self, Spanned};
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Planes, StoredRows};
use crate::state::{State, StateError};

/// The form without a parameter that needs inner products only.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderPseudoinverseDual {
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub(crate) margin: f64,
}

/// The span of one class's updates, and least squares in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowSpan {
    /// B.
    rows: StoredRows,
    /// L, with the lengths of B.
    span: Spanned,
    /// R, column by column.
    factor: Vec<f64>,
    /// q of `R w = q`.
    target: Vec<f64>,
}

impl RowSpan {
    /// Learns a row of the given coordinates, and puts `w` in its place.
    fn learn<P: Planes>(&mut self, coordinates: &[f64], y: f64, w: &mut Lane<'_, P>) {
        linalg::rotate_in(&mut self.factor, &mut self.target, coordinates, y);
        let mut within = self.target.clone();
        linalg::solve_upper(&self.factor, &mut within);
        self.span.coefficients(&mut within);
        w.scale(0.0);
        for (al, row) in within.iter().zip(self.rows.rows()) {
            w.add(*al, row);
        }
    }

    fn add<P: Planes>(&mut self, x: Row<'_>, coordinates: &[f64], w: &Lane<'_, P>) {
        self.rows.push(x);
        self.span.push(coordinates, w.norm_sq_of(x));
    }
}

impl<P: Planes> Rule<P> for SecondOrderPseudoinverseDual {
    type State = RowSpan;

    fn start(&self, _planes: &P) -> RowSpan {
        RowSpan::default()
    }

    fn learn(
        &self,
        state: &mut RowSpan,
        mut w: Lane<'_, P>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let f = trial.margin;
        let quiet = self.margin == 0.0 && !wants_update(f, y, 0.0);
        // among several classes r is compared, and not w.x: where a row is new to a class, w.x may be anything
        let compared = trial.prediction.several;
        let mut coordinates: Vec<f64> = w.between(state.rows.rows(), trial.x).collect();
        let new = state.span.place(&mut coordinates, w.norm_sq_of(trial.x));
        if let Some(distance) = new {
            trial.prediction.margin.set(0.0);
            trial.prediction.score.set(0.0);
            if !wants_update(0.0, y, self.margin) {
                return false;
            }
            coordinates.push(distance);
            state.add(trial.x, &coordinates, &w);
        } else {
            if quiet && !compared {
                return false;
            }
            let mut known = coordinates.clone();
            linalg::solve_lower(&state.factor, &mut known);
            let r = augmented(f, 1.0 / (1.0 + linalg::dot(&known, &known)));
            trial.prediction.score.set(r);
            if quiet {
                return false;
            }
            trial.prediction.margin.set(r);
            if !wants_update(r, y, self.margin) {
                return false;
            }
        }
        state.learn(&coordinates, y.sign(), &mut w);
        true
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &RowSpan, _slots: usize) -> u128 {
        let numbers = state.span.len() + state.factor.len() + 2 * state.target.len();
        state.rows.bytes() + 8 * numbers as u128
    }

    fn save<'a>(&self, state: &'a RowSpan, out: &mut State<'a>) {
        out.put_f64("basis-factor", state.span.factor());
        out.put_f64("basis-lengths", state.span.lengths());
        out.put_f64("factor", &state.factor[..]);
        out.put_f64("target", &state.target[..]);
        state.rows.save(out);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<RowSpan, StateError> {
        let target = from.take_f64("target")?;
        let rank = target.len();
        let triangle = linalg::triangle_len(rank) as usize;
        let span = Spanned::new(
            from.take_vector("basis-factor", triangle)?,
            from.take_vector("basis-lengths", rank)?,
        );
        let factor = from.take_vector("factor", triangle)?;
        let rows = StoredRows::load(from, rank)?;
        if rows.slots() > planes.slots() {
            return Err(from.bad("row-slots", "the stored rows are wider than the weights"));
        }
        Ok(RowSpan {
            rows,
            span,
            factor,
            target,
        })
    }
}

impl Memory for SecondOrderPseudoinverseDual {
    fn keeps(&self) -> &'static str {
        "it keeps every row with something new that it was mistaken on"
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(
            "use a = a number or adaptive with fewer mistakes, projectron, which keeps fewer rows",
        )
    }
}
