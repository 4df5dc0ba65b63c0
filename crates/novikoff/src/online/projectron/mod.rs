//! The projectron (Orabona, Keshet, Caputo 2009): a perceptron that keeps only rows that differ, in two forms.
//!
//! [`dual`] needs inner products only; [`linear`], for plain vectors, is the cheaper of that form and another one for thousands of
//! features. What both do with a row, once they know which part of it is in the span of the rows kept, is here.

pub mod dual;
pub mod linear;

use super::perceptron::wants_update;
use crate::label::Label;

/// The projectron.
#[derive(Clone, Debug)]
pub struct Projectron {
    /// How far from the others a row may be and not be kept; > 0.
    pub eta: f64,
    /// Right answers of a margin below 1 are corrected too.
    pub plus: bool,
}

/// After an update the loss may be 0 up to rounding: so little counts as 0.
const ROUNDING: f64 = 1e-9;

/// `del^2` below this share of `|x|^2` is rounding.
pub const LEAST: f64 = 1e-10;

/// What of a row is in the span of the rows kept, and what is not.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// `|x|^2`.
    norm_sq: f64,
    /// `|h|^2`.
    inside: f64,
    /// `del^2`.
    rest: f64,
}

/// What a trial does to w.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    /// Nothing.
    Nothing,
    /// Adds a multiple of the row's projection.
    Projection(f64),
    /// Adds the row, which is kept.
    Row(f64),
}

impl Projectron {
    /// Whether a row is asked where it lies: a mistake, or a small margin in the plus form.
    fn looks(&self, margin: f64, y: Label, any: bool) -> bool {
        let tight = self.plus && 1.0 - y.sign() * margin > ROUNDING && any;
        wants_update(margin, y, 0.0) || tight
    }

    /// What to do about a row that was asked; `any`: whether there are rows kept.
    fn change(&self, margin: f64, y: Label, parts: Parts, any: bool) -> Change {
        let far = if parts.rest > LEAST * parts.norm_sq {
            parts.rest.sqrt()
        } else {
            0.0
        };
        if !wants_update(margin, y, 0.0) {
            let loss = 1.0 - y.sign() * margin;
            let (inside, spare) = (parts.inside, loss - far / self.eta);
            if !(inside > 0.0 && spare > 0.0) {
                return Change::Nothing;
            }
            let step = (loss / inside).min(2.0 * spare / inside).min(1.0);
            return Change::Projection(step * y.sign());
        }
        if far <= self.eta && any {
            Change::Projection(y.sign())
        } else {
            Change::Row(y.sign())
        }
    }
}
