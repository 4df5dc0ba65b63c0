//! Exponentiated gradient, and balanced Winnow, whose eta is `ln alpha`: T5 (docs/theory/p-norm-winnow.md#t5-exponentiated-gradient).
//!
//! `m <= L(U) + |U|_1 (ln(2d)/eta + (eta/2) sum |x|_inf^2)`, the sum over the updates, d the features of the run. Terms: `hinge`
//! is L(U), `norm` `|U|_1`, `start` `ln(2d)/eta`, `squares` the sum; `theorem`, where there is one, is what could be
//! known beforehand.
//!
//! Rounding: the logarithm is right to one unit in the last place and rounded up, `|x|_inf` is one product; the denominator of
//! `theorem` is rounded down.

use super::{Certificate, PastTrial, Up, hinge};

/// The run's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EgBound {
    /// eta.
    pub eta: f64,
}

impl EgBound {
    /// `ln(2d)/eta`.
    pub fn start(&self, slots: usize) -> f64 {
        let d = 2.0 * slots.max(1) as f64;
        Up::new(libm::log(d).next_up()).over(self.eta).value()
    }

    /// What the theorem says of the run, given U by slot; `slots` slots had a value.
    pub fn certify(&self, trials: &[PastTrial<'_>], slots: usize, u: &[f64]) -> Certificate {
        let square = |t: &PastTrial<'_>| Up::new(t.x.norm_inf()) * Up::new(t.x.norm_inf());
        let updates = trials.iter().filter(|t| t.updated);
        let squares: Up = updates.clone().map(square).sum();
        let longest = trials.iter().map(square);
        let longest = longest.fold(Up::default(), |top, r| if r > top { r } else { top });
        let norm: Up = u.iter().map(|u| Up::new(u.abs())).sum();
        let start = Up::new(self.start(slots));
        let hinge = hinge(trials, u);
        let half = Up::new(self.eta / 2.0);
        let bound = hinge + norm * (start + half * squares);
        let mut ingredients = vec![
            ("hinge", hinge.value()),
            ("norm", norm.value()),
            ("start", start.value()),
            ("squares", squares.value()),
        ];
        let below = 1.0 - (norm * half * longest).value();
        if below > 0.0 {
            let theorem = (hinge + norm * start).over(below.next_down());
            ingredients.push(("theorem", theorem.value()));
        }
        Certificate {
            theorem: "T5",
            name: "exponentiated gradient",
            counted: updates.count() as u64,
            bound: bound.value(),
            ingredients,
        }
    }
}
