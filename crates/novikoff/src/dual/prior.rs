//! Priors of regularisers: a number for each weight.

use std::sync::Arc;

use super::named::NameError;
use crate::grammar;

/// What the numbers of a prior may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PriorKind {
    /// Any numbers; all are 0 if none are given.
    Any,
    /// Numbers above 0; all are alike if none are given.
    Positive,
    /// Numbers above 0 that sum to 1.
    Distribution,
}

/// The prior of a regulariser as given, and the weights that it is for.
#[derive(Clone, Copy, Debug)]
pub struct Prior<'p> {
    /// The regulariser, as typed.
    pub(super) regulariser: &'p str,
    /// Weights of slots from 1.
    pub(super) features: usize,
    /// Whether slot 0 has a weight.
    pub(super) constant: bool,
    /// A number for each weight, the constant feature last; `None` if none are given.
    pub(super) numbers: Option<&'p [f64]>,
}

impl Prior<'_> {
    /// The numbers by slot.
    pub(super) fn by_slot(&self, kind: PriorKind) -> Result<Arc<[f64]>, NameError> {
        let text = || grammar::shown(self.regulariser);
        let (features, constant) = (self.features, self.constant);
        let count = features + usize::from(constant);
        let Some(numbers) = self.numbers else {
            let each = match kind {
                PriorKind::Any => 0.0,
                PriorKind::Positive | PriorKind::Distribution => 1.0 / count.max(1) as f64,
            };
            let mut by_slot = vec![each; features + 1];
            by_slot[0] = if constant { each } else { 0.0 };
            return Ok(by_slot.into());
        };
        if numbers.len() != count {
            return Err(NameError::PriorLength {
                text: text(),
                got: numbers.len(),
                weights: count,
                constant,
            });
        }
        let least = match kind {
            PriorKind::Any => f64::MIN,
            PriorKind::Positive | PriorKind::Distribution => f64::MIN_POSITIVE,
        };
        if let Some(&number) = numbers.iter().find(|p| !(p.is_finite() && **p >= least)) {
            let text = text();
            return Err(NameError::PriorNumber { text, number });
        }
        let mut unit = 1.0;
        if kind == PriorKind::Distribution {
            let sum: f64 = numbers.iter().sum();
            if (sum - 1.0).abs() > 1e-6 {
                let text = text();
                return Err(NameError::PriorSum { text, sum });
            }
            unit = sum;
        }
        let mut by_slot = vec![0.0; features + 1];
        for (slot, p) in by_slot[1..].iter_mut().zip(numbers) {
            *slot = p / unit;
        }
        if constant {
            by_slot[0] = numbers[features] / unit;
        }
        Ok(by_slot.into())
    }
}
