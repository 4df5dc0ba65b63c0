//! The p-norm perceptron: T4 (docs/theory/p-norm-winnow.md#t4-p-norm-perceptron).
//!
//! `n <= L(U) + |U|_q sqrt((p-1) sum |x|_p^2 + 2 beta n)` for n updates, `1/p + 1/q = 1`. Terms: `hinge` is L(U), `norm`
//! `|U|_q`, `squares` the sum over the updates, `longest` the largest `|x|_p`; `theorem` is what could be known
//! beforehand, E(L, b) with `b = |U|_q sqrt((p-1) R^2 + 2 beta)`.
//!
//! Rounding: `|U|_q` and `|x|_p` get more than the error of powers and roots added; all else is [`Up`].

use super::higher_order::{norm, solved};
use super::{Certificate, LENGTH, PastTrial, Up, hinge};

/// The run's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PNormBound {
    /// p.
    pub p: f64,
    /// beta.
    pub margin: f64,
}

impl PNormBound {
    /// What the theorem says of the run, given U by slot.
    pub fn certify(&self, trials: &[PastTrial<'_>], u: &[f64]) -> Certificate {
        let norm_of = |t: &PastTrial<'_>| Up::new(t.x.norm(self.p) * (1.0 + LENGTH));
        let updates = trials.iter().filter(|t| t.updated);
        let n = updates.clone().count() as f64;
        let squares: Up = updates.map(|t| norm_of(t) * norm_of(t)).sum();
        let longest = trials.iter().map(norm_of);
        let longest = longest.fold(Up::default(), |top, r| if r > top { r } else { top });
        let (times, more) = (Up::new(self.p - 1.0), Up::new(2.0 * self.margin));
        let norm = norm(u, self.p / (self.p - 1.0));
        let hinge = hinge(trials, u);
        let bound = hinge + norm * (times * squares + more * Up::new(n)).sqrt();
        let b = norm * (times * longest * longest + more).sqrt();
        Certificate {
            theorem: "T4",
            name: "p-norm perceptron",
            counted: n as u64,
            bound: bound.value(),
            ingredients: vec![
                ("hinge", hinge.value()),
                ("norm", norm.value()),
                ("squares", squares.value()),
                ("longest", longest.value()),
                ("theorem", solved(hinge, b).value()),
            ],
        }
    }
}
