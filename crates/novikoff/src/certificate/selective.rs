//! Selective sampling, docs/theory/selective.md: bounds of the expected number of mistakes, asked for or not, over
//! the learner's coins. A single run may do better or worse than is expected of it.
//!
//! The perceptron: `(1 + R^2/(2b)) L(U) + |U|^2 (2b + R^2)^2/(8b)`, R the length of the longest row.
//!
//! The second-order perceptron: `L(U) + (b/2) U'A U + (1/(2b)) sum ln(1 + lam/a)`. Whatever the coins say, the rows of
//! the updates are some of all rows: A is `a I` and the sum of `x x'` over all trials, lam the eigenvalues of the
//! latter. Terms: `hinge` is L(U), `quadratic` `U'A U`, `spectral` the sum of logarithms.
//!
//! Rounding: R is rounded up, eigenvalues get more than their error added; 2b and 8b are exact.

use super::{Certificate, NotApplicable, PastRun, Rival, Up, square_of};
use crate::space::Planes;

/// b and margin of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectiveBound {
    /// The larger, the more it asks.
    pub b: f64,
    /// Right answers up to this margin were corrected too.
    pub margin: f64,
}

impl SelectiveBound {
    /// What is expected of the selective perceptron in a space, beside the mistakes it made.
    pub fn perceptron<P: Planes>(
        &self,
        space: &P,
        run: PastRun<'_>,
        rival: &Rival,
    ) -> Result<Certificate, NotApplicable> {
        if self.margin > 0.0 {
            return Err(NotApplicable::Margin);
        }
        let PastRun { trials, mistakes } = run;
        let longest = trials.iter().map(|t| space.norm_sq_of(t.x));
        let r2 = square_of(longest.fold(0.0, f64::max));
        let (hinge, norm_sq) = (rival.hinge(trials), rival.norm_sq());
        let factor = Up::new(1.0) + r2.over(2.0 * self.b);
        let both = Up::new(2.0 * self.b) + r2;
        let bound = factor * hinge + norm_sq * (both * both).over(8.0 * self.b);
        Ok(Certificate {
            theorem: "9.1",
            name: "selective perceptron, in expectation",
            counted: mistakes,
            bound: bound.value(),
            ingredients: vec![
                ("hinge", hinge.value()),
                ("norm", rival.norm().value()),
                ("longest", r2.sqrt().value()),
            ],
        })
    }

    /// What is expected of the selective second-order perceptron with a fixed a, beside the mistakes it made.
    #[cfg(feature = "linalg")]
    pub fn second_order(
        &self,
        a: f64,
        run: PastRun<'_>,
        rival: &Rival,
    ) -> Result<Certificate, NotApplicable> {
        let rows: Vec<_> = run.trials.iter().map(|t| t.x).collect();
        let last = rows.iter().filter_map(crate::row::Row::last_slot).max();
        let slots = last.map_or(0, |j| j as usize + 1);
        let spectral = super::second_order::UpdateMatrix::of(&rows, slots).log_det(a);
        self.second_order_of(a, spectral, run, rival)
    }

    /// What is expected of the selective second-order perceptron with a fixed a and a kernel, beside the mistakes it made; the kernel's
    /// values for all trials are `gram` (lower triangle, row by row).
    #[cfg(feature = "linalg")]
    pub fn second_order_within(
        &self,
        a: f64,
        gram: Vec<f64>,
        run: PastRun<'_>,
        rival: &Rival,
    ) -> Result<Certificate, NotApplicable> {
        let spectral = super::second_order::UpdateMatrix::Rows(gram, 0).log_det(a);
        self.second_order_of(a, spectral, run, rival)
    }

    #[cfg(feature = "linalg")]
    fn second_order_of(
        &self,
        a: f64,
        spectral: Up,
        run: PastRun<'_>,
        rival: &Rival,
    ) -> Result<Certificate, NotApplicable> {
        if self.margin > 0.0 {
            return Err(NotApplicable::Margin);
        }
        let hinge = rival.hinge(run.trials);
        let quadratic = Up::new(a) * rival.norm_sq() + rival.squares();
        let half = Up::new(self.b / 2.0) * quadratic;
        let bound = hinge + half + spectral.over(2.0 * self.b);
        Ok(Certificate {
            theorem: "9.2",
            name: "selective second-order perceptron, in expectation",
            counted: run.mistakes,
            bound: bound.value(),
            ingredients: vec![
                ("hinge", hinge.value()),
                ("quadratic", quadratic.value()),
                ("spectral", spectral.value()),
            ],
        })
    }
}
