//! Mistake bounds, evaluated: what a learner's theorem says of one finished run, given a vector U to compete
//! with.
//!
//! The theorems hold for every U; which U is good is for others to find. The hinge loss L(U) is that of
//! all trials: over the updates alone `U = 0` would have `L = m`, and the bound would say nothing.
//! Everything is rounded up ([`Up`]), so a bound is never smaller for having been computed. What a theorem divides by is rounded down,
//! `U.x` is kept apart from how wrong it can be, and `|x|^2`, a sum that comes rounded to the nearest, counts as larger by
//! `LENGTH`. Each file says what else it rounds.

// the theorems, one per file: the tests evaluate them with vectors of their own
#[doc(hidden)]
pub mod alma;
#[cfg(feature = "linalg")]
#[doc(hidden)]
pub mod arow;
#[doc(hidden)]
pub mod budget;
#[doc(hidden)]
pub mod eg;
#[doc(hidden)]
pub mod first_order;
#[doc(hidden)]
pub mod higher_order;
#[doc(hidden)]
pub mod logistic;
#[doc(hidden)]
pub mod majority;
mod not_applicable;
#[doc(hidden)]
pub mod p_norm;
#[doc(hidden)]
pub mod passive_aggressive;
#[cfg(feature = "linalg")]
mod pseudoinverse;
mod rival;
#[doc(hidden)]
pub mod romma;
#[cfg(feature = "linalg")]
#[doc(hidden)]
pub mod second_order;
#[doc(hidden)]
pub mod selective;
#[doc(hidden)]
pub mod shifting;
mod verdict;
#[doc(hidden)]
pub mod whitened;
#[doc(hidden)]
pub mod winnow;

pub use not_applicable::NotApplicable;
pub use rival::Rival;
pub use verdict::{Verdict, is_vacuous};

pub use crate::inexact::Inexact;
use crate::label::Label;
use crate::row::Row;

/// The trials whose hinge loss counts.
#[doc(hidden)] // for reports
pub const SCOPE: &str = "all trials";

/// One trial of a finished run, of a row that is not zero.
#[derive(Clone, Copy, Debug)]
pub struct PastTrial<'a> {
    /// The row.
    pub x: Row<'a>,
    /// Its label.
    pub y: Label,
    /// Whether the state moved.
    pub updated: bool,
}

/// The trials of a run, and the mistakes that it made.
#[derive(Clone, Copy, Debug)]
pub struct PastRun<'r> {
    /// In order; those on zero rows are left out.
    pub trials: &'r [PastTrial<'r>],
    /// Mistakes on them.
    pub mistakes: u64,
}

/// A bound with what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The short name of the theorem: one of docs/theory/README.md#the-theorems and of `Theorem::NAMES`.
    pub theorem: &'static str,
    /// What it is about.
    pub name: &'static str,
    /// What the theorem counts: the updates of the run, which are its mistakes unless a margin was asked for; or its
    /// mistakes, where a learner learns from less or more than those.
    pub counted: u64,
    /// The most that `counted` can be.
    pub bound: f64,
    /// The quantities that the bound is computed from, by name.
    pub ingredients: Vec<(&'static str, f64)>,
}

impl Certificate {
    /// Whether the run kept to the bound.
    pub fn holds(&self) -> bool {
        self.counted as f64 <= self.bound
    }

    /// A quantity that the bound is computed from, by its name.
    pub fn ingredient(&self, name: &str) -> Option<f64> {
        let found = self.ingredients.iter().find(|(other, _)| *other == name);
        found.map(|(_, value)| *value)
    }
}

/// What a row's `|x|_p` or its square may be wrong by, relative to its size: more than rounding makes it with a million values.
pub(crate) const LENGTH: f64 = 1e-10;

/// `|x|^2`, no smaller than it is, from what was computed.
fn square_of(norm_sq: f64) -> Up {
    Up::new(norm_sq * (1.0 + LENGTH))
}

/// A number that is not negative and no smaller than what it stands for: every operation rounds up.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Up(f64);

impl Up {
    /// From a number that is exact, or rounded to the nearest; less than zero counts as zero.
    pub fn new(value: f64) -> Self {
        if value > 0.0 {
            Up(value.next_up())
        } else if value.is_nan() {
            Up(f64::INFINITY)
        } else {
            Up(0.0)
        }
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// `sqrt`.
    #[must_use]
    pub fn sqrt(self) -> Self {
        Up::new(self.0.sqrt())
    }

    /// `ln(1 + self)`.
    #[must_use]
    pub fn ln_1p(self) -> Self {
        // libm is right to one unit in the last place
        Up::new(libm::log1p(self.0).next_up())
    }

    /// Divided by a number that is exact, or rounded down, and positive.
    #[must_use]
    pub fn over(self, by: f64) -> Self {
        let quotient = self.0 / by;
        // what is too small for a number is not nothing
        if quotient == 0.0 && self.0 > 0.0 {
            Up(f64::MIN_POSITIVE)
        } else {
            Up::new(quotient)
        }
    }

    /// The smaller of two bounds of the same number.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Up(self.0.min(other.0))
    }
}

impl std::ops::Add for Up {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Up::new(self.0 + other.0)
    }
}

impl std::ops::Mul for Up {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        // nothing times anything is nothing
        if self.0 == 0.0 || other.0 == 0.0 {
            Up(0.0)
        } else {
            let product = self.0 * other.0;
            // what is too small for a number is not nothing
            Up::new(if product == 0.0 {
                f64::MIN_POSITIVE
            } else {
                product
            })
        }
    }
}

impl std::iter::Sum for Up {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Up(0.0), |sum, next| sum + next)
    }
}

/// `U.x`, and how wrong rounding can have made it.
pub(crate) fn inner(u: &[f64], x: Row<'_>) -> Inexact {
    let (sum, size) = x.dot_and_size(u);
    let smallest = x.len() as f64 * f64::MIN_POSITIVE;
    Inexact {
        value: sum,
        error: size * (x.len() + 4) as f64 * f64::EPSILON + smallest,
    }
}

/// `xi = max(0, 1 - y U.x)` from `U.x`.
fn slack(inner: Inexact, y: Label) -> Up {
    Up::new(1.0 - y.sign() * inner.value + inner.error)
}

/// `(U.x)^2` from `U.x`.
fn square(inner: Inexact) -> Up {
    let size = Up::new(inner.value.abs()) + Up::new(inner.error);
    size * size
}

/// `L(U)` over the given trials.
#[doc(hidden)] // for tests of theorems
pub fn hinge(trials: &[PastTrial<'_>], u: &[f64]) -> Up {
    trials.iter().map(|t| slack(inner(u, t.x), t.y)).sum()
}

/// `|U|^2`.
#[doc(hidden)] // for tests of theorems
pub fn norm_sq(u: &[f64]) -> Up {
    let square = |u: &f64| Up(u.abs()) * Up(u.abs());
    u.iter().map(square).sum()
}

/// The least `y U.x` of all trials, rounded down.
fn least_margin(margins: impl Iterator<Item = (Inexact, Label)>) -> f64 {
    let surely = |(inner, y): (Inexact, Label)| (y.sign() * inner.value - inner.error).next_down();
    margins.map(surely).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_is_never_below() {
        let tenth = Up::new(0.1);
        let sum: Up = (0..10).map(|_| tenth).sum();
        assert!(sum.value() >= 1.0 && sum.value() < 1.0 + 1e-14);
        assert_eq!((Up::new(0.0) * Up::new(f64::INFINITY)).value(), 0.0);
        assert_eq!(Up::new(f64::NAN).value(), f64::INFINITY);
        assert!(Up::new(2.0).sqrt().value() * Up::new(2.0).sqrt().value() >= 2.0);
        assert!(Up::new(1.0).ln_1p().value() >= core::f64::consts::LN_2);
        assert!(Up::new(1.0).over(3.0).value() * 3.0 >= 1.0);
        // too small for a number, and not nothing
        assert!((Up::new(1e-200) * Up::new(1e-200)).value() > 0.0);
        assert!(Up::new(1e-200).over(1e200).value() > 0.0);
        assert!(norm_sq(&[1e-200]).value() > 0.0);
        assert_eq!(norm_sq(&[0.0]).value(), 0.0);
    }

    #[test]
    fn hinge_loss_is_over_all_trials() {
        let (a, b) = ([1.0, 0.0, 3.0], [-2.0]);
        let past = |x, y, updated| PastTrial { x, y, updated };
        let trials = [
            past(Row::dense(&a), Label::Neg, true),
            past(Row::dense(&b), Label::Neg, false),
        ];
        // U.x = 0.5 and -1 (slot 0 is the bias, slots past the end of U are zero)
        let loss = hinge(&trials, &[9.0, 0.5]).value();
        assert!((1.5..1.5 + 1e-13).contains(&loss), "{loss}");
        assert_eq!(hinge(&trials, &[]).value().round(), 2.0);
    }
}
