//! The perceptron: T1 to T3 (docs/theory/perceptron.md), in any space.
//!
//! For n updates, with rows X of the updates: `n <= L(U) + |U| sqrt(sum |x|^2 + 2 beta n)` (T2, T3 with a margin beta), which on
//! rows that U separates is Block and Novikoff's `n <= |U| sqrt(sum |x|^2) <= (R |U|)^2` (T1). Without a margin also
//! Freund and Schapire's `(R |U| + sqrt(sum xi^2))^2`; the bound takes the smaller. Terms: `hinge` is L(U), `norm` `|U|`,
//! `squares` the sum over the updates, `longest` R, `slacks` `sum xi^2`, `theorem` is T1 or E(L, R |U|), with what could be
//! known beforehand.
//!
//! Rounding: sums and R are of `|x|^2` rounded up; all else is [`Up`].

use super::higher_order::solved;
use super::{Certificate, PastTrial, Rival, Up, square_of};

/// The run's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstOrder {
    /// beta.
    pub margin: f64,
}

impl FirstOrder {
    /// What the theorems say of the run; `norms` are the `|x|^2` of the trials.
    pub fn certify(&self, trials: &[PastTrial<'_>], norms: &[f64], rival: &Rival) -> Certificate {
        let updates = trials.iter().zip(norms).filter(|(t, _)| t.updated);
        let n = updates.clone().count() as f64;
        let squares: Up = updates.map(|(_, norm_sq)| square_of(*norm_sq)).sum();
        let longest = square_of(norms.iter().copied().fold(0.0, f64::max));
        let more = Up::new(2.0 * self.margin);
        let (hinge, norm) = (rival.hinge(trials), rival.norm());
        let sum = hinge + norm * (squares + more * Up::new(n)).sqrt();
        let beforehand = solved(hinge, norm * (longest + more).sqrt());
        let slacks = rival.slacks(trials);
        let root = longest.sqrt() * norm + slacks.sqrt();
        let squared = root * root;
        let (theorem, name, bound) = if self.margin > 0.0 {
            ("T3", "perceptron with a margin", sum)
        } else if hinge.value() == 0.0 {
            ("T1", "perceptron, separable rows", sum.min(squared))
        } else if squared < sum {
            ("T2''", "perceptron, squared hinge loss", squared)
        } else {
            ("T2", "perceptron, hinge loss", sum)
        };
        Certificate {
            theorem,
            name,
            counted: n as u64,
            bound: bound.value(),
            ingredients: vec![
                ("hinge", hinge.value()),
                ("norm", norm.value()),
                ("squares", squares.value()),
                ("longest", longest.sqrt().value()),
                ("slacks", slacks.value()),
                ("theorem", beforehand.value()),
            ],
        }
    }
}
