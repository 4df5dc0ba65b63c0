//! Whitened perceptron: decorrelate all rows first, then run the perceptron.
//!
//! What the second-order perceptron does incrementally, done with hindsight: needs all rows, without
//! labels, before the first trial.
//! Update: with `M = sum of x x'` over the data (plus `ridge` on the diagonal) and its pseudo-inverse
//! `M^+`: predict `sgn(w.x)`; on a mistake `w <- w + y M^+ x`.
//! Cost: O(nnz^2) per row and O(d^3) once beforehand, O(nnz) per prediction, O(d nnz) per update; O(d^2) memory.
//! Bound: on separable data `m <= max_t(x_t' M^+ x_t) U'MU`.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 2; docs/theory/whitened.md#whitened-perceptron; T7.

use std::sync::Arc;

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Memory, Refusal, Rule, Survey, TrialRow};
use crate::linalg;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal};
use crate::state::{State, StateError};

/// The whitened perceptron.
#[derive(Clone, Debug)]
pub(crate) struct Whitened {
    ridge: f64,
    /// While surveying `M`, afterwards its pseudo-inverse: the lower triangle.
    matrix: Arc<Vec<f64>>,
    surveyed: bool,
}

impl Whitened {
    /// `ridge` >= 0 is added to the diagonal of the correlation matrix.
    pub(crate) fn new(ridge: f64) -> Self {
        Whitened {
            ridge,
            matrix: Arc::new(Vec::new()),
            surveyed: false,
        }
    }
}

impl Rule<Primal> for Whitened {
    type State = ();

    const WEIGHTED: bool = true;

    fn start(&self, _planes: &Primal) {}

    fn learn(&self, (): &mut (), mut w: Lane<'_, Primal>, trial: TrialRow<'_>, y: Label) -> bool {
        if !wants_update(trial.margin, y, 0.0) {
            return false;
        }
        let known = linalg::triangle_order(&self.matrix);
        let step = linalg::triangle_times(&self.matrix, trial.x.before(known).iter());
        // features the survey did not meet: there the matrix is ridge I, and 0^+ = 0
        let unmet = trial.x.iter().skip_while(|&(j, _)| j < known);
        let unmet = unmet
            .filter(|_| self.ridge > 0.0)
            .map(|(j, xj)| (j, xj / self.ridge));
        let mut moved = false;
        for (j, s) in step
            .into_iter()
            .enumerate()
            .chain(unmet)
            .filter(|&(_, s)| s != 0.0)
        {
            w.set(j, w.get(j) + y.sign() * trial.weight * s);
            moved = true;
        }
        moved
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn survey(&self) -> Option<&dyn Survey> {
        Some(self)
    }

    fn survey_mut(&mut self) -> Option<&mut dyn Survey> {
        Some(self)
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        out.put_u64("surveyed", vec![u64::from(self.surveyed)]);
        out.put_f64("whitening", &self.matrix[..]);
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        let [surveyed] = from.take_counts("surveyed")?;
        let matrix = from.take_f64("whitening")?;
        let n = linalg::triangle_order(&matrix);
        if linalg::triangle_len(n) != matrix.len() as u128 {
            return Err(from.bad("whitening", "its length is that of no triangle"));
        }
        (self.matrix, self.surveyed) = (Arc::new(matrix), surveyed != 0);
        Ok(())
    }

    fn save<'a>(&self, (): &'a (), _out: &mut State<'a>) {}

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<(), StateError> {
        if linalg::triangle_order(&self.matrix) > planes.slots() {
            return Err(from.bad("whitening", "the matrix is larger than the weights"));
        }
        Ok(())
    }
}

impl Survey for Whitened {
    fn surveys(&self) -> bool {
        !self.surveyed
    }

    fn survey(&mut self, x: Row<'_>) -> Result<(), Refusal> {
        let matrix = Arc::make_mut(&mut self.matrix);
        let slots = x.last_slot().map_or(0, |j| j as usize + 1);
        linalg::triangle_grow_zero(matrix, slots);
        linalg::triangle_add_outer(matrix, &x.iter());
        Ok(())
    }

    fn surveyed(&mut self) {
        self.matrix = Arc::new(linalg::pseudoinverse(&self.matrix, self.ridge).inverse);
        self.surveyed = true;
    }
}

impl Memory for Whitened {
    /// Two matrices while the eigenvalues are computed, and their vectors; then half of one.
    fn shared_bytes(&self, slots: usize) -> u128 {
        if self.surveyed {
            self.matrix.len() as u128 * 8
        } else {
            4 * (slots as u128).pow(2) * 8
        }
    }

    fn keeps(&self) -> &'static str {
        "whitened keeps a number for each pair of features"
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use arow or p-norm")
    }
}
