//! The default list of a comparison: the learners of the catalogue that can take the rows, within a budget of counted work and memory.
//!
//! Work is counted in multiply-adds as each learner states them, never by a clock, so the list depends on the data alone. How many updates a
//! learner will make is estimated by those of the perceptron on the first rows.

use std::sync::Arc;

use novikoff::catalog::{CATALOG, Entry, Size};
use novikoff::kernel::Kernel;
use novikoff::model::Model;
use novikoff::spec::Spec;

use crate::Error;
use crate::events::LeftOut;
use crate::fit::stretch;
use crate::rows::HeldRows;

/// Multiply-adds that a learner of the default list may take: a few seconds of one core.
pub const WORK: f64 = 5e9;

/// Rows from which the rate of updates is estimated.
const LOOKED_AT: usize = 2000;

/// Moments of the run at which the cost of a trial is taken.
const MOMENTS: u32 = 32;

/// What the rows have that some learners do not take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Obstacles {
    /// The first row with a negative value, and the slot and value.
    pub(super) negative: Option<(usize, usize, f64)>,
    /// The first row whose weight is not 1, and the weight.
    pub(super) weight: Option<(usize, f64)>,
}

impl Obstacles {
    pub(super) fn of(held: &HeldRows) -> Self {
        let (mut found, mut first) = (Obstacles::default(), 0);
        for block in held.blocks() {
            for i in 0..block.len() {
                if found.negative.is_none() {
                    let mut values = block.row(i).iter();
                    let negative = values.find(|&(_, value)| value < 0.0);
                    found.negative = negative.map(|(slot, value)| (first + i, slot, value));
                }
                if found.weight.is_none() && block.weight(i) != 1.0 {
                    found.weight = Some((first + i, block.weight(i)));
                }
            }
            first += block.len();
        }
        found
    }
}

/// How large the runs of a comparison will be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Trials of a run.
    trials: f64,
    /// Binary problems.
    problems: f64,
    /// Values per row.
    nnz: f64,
    features: f64,
    /// Updates of the perceptron per trial and problem.
    rate: f64,
}

impl Scale {
    /// Of runs of so many epochs over the rows. `model` is a perceptron that knows nothing; it learns from the first rows.
    pub(super) fn of(mut model: Model, held: &HeldRows, epochs: u32) -> Result<Self, Error> {
        let looked_at = held.len().min(LOOKED_AT);
        let order: Vec<usize> = (0..looked_at).collect();
        stretch(&mut model, held, &order, 0, &mut ()).map_err(|stopped| held.failure(&stopped))?;
        let values: usize = held.blocks().map(|block| block.values()).sum();
        let problems = model.classes().count().max(1) as f64;
        let made = (looked_at.max(1) as f64) * problems;
        let mapped = model.preparation().features().map(f64::from);
        Ok(Scale {
            trials: held.len() as f64 * f64::from(epochs),
            problems,
            nnz: mapped.unwrap_or(values as f64 / held.len().max(1) as f64),
            features: mapped.unwrap_or(f64::from(held.width())),
            rate: (model.totals().updates as f64 / made).clamp(1.0 / made, 1.0),
        })
    }

    /// Multiply-adds of a learner's run.
    pub(super) fn work(&self, spec: &Spec, kernel: Kernel) -> Result<f64, Error> {
        let entry = spec.entry();
        let width = self.features as u32;
        let parameters = spec.parameters(Some(width.max(2)))?;
        let share = self.trials / f64::from(MOMENTS);
        let at = |moment: u32| {
            let trials = (f64::from(moment) + 0.5) * share;
            let size = Size {
                nnz: self.nnz,
                features: self.features,
                updates: self.rate * trials,
                trials,
            };
            let cost = (entry.can.cost)(&parameters, kernel, size);
            (cost.trial + self.rate * cost.update) * share
        };
        let trials: f64 = (0..MOMENTS).map(at).sum();
        // a learner that sees all rows first inverts a matrix of features
        let before = if entry.can.needs_all_rows {
            self.features.powi(3)
        } else {
            0.0
        };
        Ok(trials * self.problems + before)
    }

    /// Bytes of a number per pair of features.
    fn pairs(&self) -> f64 {
        8.0 * self.features * self.features
    }
}

/// Why a learner is not in the default list, if it is not.
pub(super) fn left_out(
    entry: &Entry,
    spec: &Spec,
    kernel: Kernel,
    scale: &Scale,
    limits: Limits,
) -> Result<Option<LeftOut>, Error> {
    let Obstacles { negative, weight } = limits.obstacles;
    if entry.can.needs_non_negative && (negative.is_some() || limits.centred) {
        return Ok(Some(LeftOut::Negative));
    }
    if let (false, Some((_, weight))) = (entry.can.weighted, weight) {
        return Ok(Some(LeftOut::Weights { weight }));
    }
    if entry.pairs && scale.pairs() > limits.memory as f64 {
        return Ok(Some(LeftOut::Memory {
            needed: scale.pairs(),
            limit: limits.memory,
        }));
    }
    let parameters = spec.parameters(Some((scale.features as u32).max(2)))?;
    if let Err(error) = spec.learner(&parameters, kernel, 0) {
        return Ok(Some(LeftOut::Unfit(Arc::new(error.into()))));
    }
    let work = scale.work(spec, kernel)?;
    Ok((work > WORK).then_some(LeftOut::Work { work, limit: WORK }))
}

/// What the learners of the default list must keep to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) obstacles: Obstacles,
    /// Features are centred, so they have both signs.
    pub(super) centred: bool,
    pub(super) memory: u128,
}

/// The learners of the catalogue, each with why it is left out, if it is.
pub(super) fn default_set(
    kernel_for: impl Fn(&Spec) -> Kernel,
    scale: &Scale,
    limits: Limits,
) -> Result<Vec<(Spec, Option<LeftOut>)>, Error> {
    let mut list = Vec::new();
    for entry in CATALOG {
        let spec = Spec::parse(entry.name)?;
        let why = left_out(entry, &spec, kernel_for(&spec), scale, limits)?;
        list.push((spec, why));
    }
    Ok(list)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn scale(rows: f64, features: f64) -> Scale {
        Scale {
            trials: rows,
            problems: 1.0,
            nnz: 10.0,
            features,
            rate: 0.1,
        }
    }

    #[test]
    fn work_is_counted_as_the_learner_states_it() {
        let spec = Spec::parse("perceptron").unwrap();
        let work = scale(1000.0, 50.0).work(&spec, Kernel::LINEAR).unwrap();
        // an inner product per trial, and a sum per update
        assert!((work - 1000.0 * (10.0 + 0.1 * 10.0)).abs() < 1e-6, "{work}");
        let twice = Scale {
            problems: 2.0,
            ..scale(1000.0, 50.0)
        };
        assert_eq!(twice.work(&spec, Kernel::LINEAR).unwrap(), 2.0 * work);
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let limits = Limits {
            obstacles: Obstacles::default(),
            centred: false,
            memory: 1 << 30,
        };
        let names = |scale: &Scale, limits: Limits| -> Vec<(&'static str, LeftOut)> {
            let list = default_set(|_| Kernel::LINEAR, scale, limits).unwrap();
            let left = list
                .into_iter()
                .filter_map(|(spec, why)| Some((spec.entry().name, why?)));
            left.collect()
        };
        assert!(names(&scale(1000.0, 50.0), limits).is_empty());
        let negative = Obstacles {
            negative: Some((3, 1, -1.0)),
            ..Obstacles::default()
        };
        let left = names(
            &scale(1000.0, 50.0),
            Limits {
                obstacles: negative,
                ..limits
            },
        );
        assert!(
            matches!(left[..], [("winnow", LeftOut::Negative)]),
            "{left:?}"
        );
        let left = names(&scale(1e7, 1e5), limits);
        let is_left = |name: &str| left.iter().any(|(other, _)| *other == name);
        assert!(is_left("max-margin") && !is_left("perceptron") && !is_left("arow"));
        assert!(
            left.iter().any(|(name, why)| {
                *name == "whitened" && matches!(why, LeftOut::Memory { .. })
            })
        );
    }
}
