//! AROW with a full matrix (Crammer, Kulesza and Dredze 2009, theorem 1).
//!
//! Of the updates, m are mistakes and n right answers of a margin below 1; X has the rows of all. Then `w = A^-1 v` with
//! `A = r I + XX'` and `v = sum y x`, so `m + n - L(U) <= U.v <= sqrt(U'AU) sqrt(v'A^-1 v)`, and an update with the margin t
//! makes `v'A^-1 v` larger by `(2 t - t^2 + q)/(1 + q)`, `q = x'A^-1 x` before it: at most `x'A^-1 x` after it for a mistake, and 1 for a right
//! answer. So `m <= L(U) + sqrt(U'AU (factor + n)) - n`, where the factor is the sum of `x'A^-1 x` over the mistakes, each with the matrix just
//! after it (`observed`), or the theorem's own, larger `ln det(A/r)` (`spectral`). Terms: `hinge` is L(U), `quadratic` `U'AU`, `right` n;
//! `theorem` is the bound with the theorem's factor.
//!
//! Rounding: as in [`super::second_order`]; n is exact.

use super::second_order::{UpdateMatrix, updates};
use super::{Certificate, PastTrial, Rival, Up, square};

/// What a bound has whatever U is.
#[derive(Clone, Debug)]
pub struct Arow {
    r: f64,
    spectral: Up,
    /// Over the mistakes until each update.
    observed: Vec<Up>,
    mistakes: u64,
    right: u64,
}

impl Arow {
    /// Of a run with r; whether each of its trials was a mistake.
    pub fn new(r: f64, trials: &[PastTrial<'_>], mistakes: &[bool]) -> Self {
        let (rows, slots) = updates(trials);
        let matrix = UpdateMatrix::of(&rows, slots);
        let terms = matrix.observed(&rows, &vec![r; rows.len()]);
        let updated = trials.iter().zip(mistakes).filter(|(t, _)| t.updated);
        let mut sum = Up::default();
        let mut made = 0;
        let observed = updated.zip(terms).map(|((_, mistake), term)| {
            if *mistake {
                sum = sum + term;
                made += 1;
            }
            sum
        });
        let observed: Vec<Up> = observed.collect();
        Arow {
            r,
            spectral: matrix.log_det(r),
            mistakes: made,
            right: observed.len() as u64 - made,
            observed,
        }
    }

    /// n, the right answers that were learned from.
    pub fn right(&self) -> u64 {
        self.right
    }

    /// The smaller of the factors.
    pub fn least(&self) -> f64 {
        self.last().min(self.spectral).value()
    }

    /// The factor until each update.
    pub fn series(&self) -> Vec<f64> {
        let least = |q: &Up| q.min(self.spectral).value();
        self.observed.iter().map(least).collect()
    }

    fn last(&self) -> Up {
        self.observed.last().copied().unwrap_or_default()
    }

    /// What the theorem says, given U by slot; the trials are those of the run.
    pub fn certify(&self, trials: &[PastTrial<'_>], u: &[f64]) -> Certificate {
        self.against(trials, &Rival::new(trials, u))
    }

    /// What the theorem says, given what U says of the trials.
    pub(crate) fn against(&self, trials: &[PastTrial<'_>], rival: &Rival) -> Certificate {
        let values = rival.values().zip(trials).filter(|(_, t)| t.updated);
        let squares = values.map(|(value, _)| square(*value)).sum();
        let quadratic = Up::new(self.r) * rival.norm_sq() + squares;
        let (hinge, n) = (rival.hinge(trials), self.right as f64);
        let bound = |factor: Up| {
            let sum = hinge + (quadratic * (factor + Up::new(n))).sqrt();
            Up::new(sum.value() - n)
        };
        Certificate {
            theorem: "AROW",
            name: "AROW, full form",
            counted: self.mistakes,
            bound: bound(self.last().min(self.spectral)).value(),
            ingredients: vec![
                ("hinge", hinge.value()),
                ("quadratic", quadratic.value()),
                ("observed", self.last().value()),
                ("spectral", self.spectral.value()),
                ("right", n),
                ("theorem", bound(self.spectral).value()),
            ],
        }
    }
}
