//! The default list of a comparison: the learners of the catalogue that can take the rows, within a budget of counted work and memory.
//!
//! Work is counted in multiply-adds as each learner states them, never by a clock, so the list depends on the data alone. How many updates a
//! learner will make is estimated by those of the perceptron on the first rows, and by how many more it makes itself on the first few.

use std::sync::Arc;

use novikoff::catalog::{CATALOG, Entry};
use novikoff::kernel::KernelSpec;
use novikoff::model::Model;
use novikoff::spec::Spec;

use crate::Error;
use crate::counted_work::{Scale, WORK};
use crate::events::LeftOut;
use crate::fit::stretch;
use crate::options::unseeing_learner;
use crate::rows::HeldRows;

/// Rows from which the rate of updates is estimated.
const LOOKED_AT: usize = 2000;

/// Rows on which a learner is tried itself.
const TRIED_ON: usize = 200;

/// A learner is not expected to make more updates than the perceptron by more than this factor.
const MOST_UPDATES: f64 = 10.0;

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

/// Updates that a model makes on the first rows.
fn updates(model: &mut Model, held: &HeldRows, rows: usize) -> Result<f64, Error> {
    let order: Vec<usize> = (0..held.len().min(rows)).collect();
    stretch(model, held, &order, 0, &mut ()).map_err(|stopped| held.failure(&stopped))?;
    Ok(model.totals().updates as f64)
}

impl Scale {
    /// The size of runs of `epochs` epochs over the rows. `model` is a perceptron that knows nothing; it learns from the first rows.
    pub(super) fn of(mut model: Model, held: &HeldRows, epochs: u32) -> Result<Self, Error> {
        let looked_at = held.len().min(LOOKED_AT);
        let first_updates = updates(&mut model.clone(), held, TRIED_ON)?;
        updates(&mut model, held, looked_at)?;
        let values: usize = held.blocks().map(|block| block.values()).sum();
        let problems = model.classes().count().max(1) as f64;
        let made = (looked_at.max(1) as f64) * problems;
        let mapped = model.preparation().features().map(f64::from);
        Ok(Scale {
            trials: held.len() as f64 * f64::from(epochs),
            rows: held.len() as f64,
            first_updates,
            problems,
            nnz: mapped.unwrap_or(values as f64 / held.len().max(1) as f64),
            features: mapped.unwrap_or(f64::from(held.width())),
            rate: (model.totals().updates as f64 / made).clamp(1.0 / made, 1.0),
        })
    }

    /// How many updates a learner makes per update of the perceptron, or a few more. `model` knows nothing, and learns from the first rows
    /// unless it has to see all of them first.
    pub(super) fn updates_of(&self, mut model: Model, held: &HeldRows) -> f64 {
        if model.learner().surveys() {
            return 1.0;
        }
        // a learner that refuses a row is left out, or says so itself
        let made = updates(&mut model, held, TRIED_ON).unwrap_or(0.0);
        (made / self.first_updates.max(1.0)).clamp(1.0, MOST_UPDATES)
    }
}

/// Why a learner is not in the default list, if it is not.
pub(super) fn left_out(
    entry: &Entry,
    spec: &Spec,
    kernel: KernelSpec,
    scale: &Scale,
    limits: Limits,
    more: impl Fn(&Spec) -> Result<f64, Error>,
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
    if let Err(error) = unseeing_learner(spec, &parameters, kernel) {
        return Ok(Some(LeftOut::Unfit(Arc::new(error.into()))));
    }
    let kernel = kernel.value();
    let mut work = scale.work(spec, kernel, 1.0)?;
    if work <= WORK {
        work = scale.work(spec, kernel, more(spec)?)?;
    }
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

/// The learners of the catalogue, each with why it is left out, if it is. `more` gives how many updates a learner makes per update of the
/// perceptron.
pub(super) fn default_set(
    kernel_for: impl Fn(&Spec) -> KernelSpec,
    scale: &Scale,
    limits: Limits,
    more: impl Fn(&Spec) -> Result<f64, Error>,
) -> Result<Vec<(Spec, Option<LeftOut>)>, Error> {
    let mut list = Vec::new();
    for entry in CATALOG {
        let spec = Spec::parse(entry.name)?;
        let why = left_out(entry, &spec, kernel_for(&spec), scale, limits, &more)?;
        list.push((spec, why));
    }
    Ok(list)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use novikoff::kernel::Kernel;

    use super::*;

    fn scale(rows: f64, features: f64) -> Scale {
        Scale {
            trials: rows,
            problems: 1.0,
            rows,
            nnz: 10.0,
            features,
            rate: 0.1,
            first_updates: 20.0,
        }
    }

    #[test]
    fn work_is_counted_as_the_learner_states_it() {
        let spec = Spec::parse("perceptron").unwrap();
        let work = |scale: Scale, more| scale.work(&spec, Kernel::LINEAR, more).unwrap();
        let once = work(scale(1000.0, 50.0), 1.0);
        // an inner product per trial, and a sum per update
        assert!((once - 1000.0 * (10.0 + 0.1 * 10.0)).abs() < 1e-6, "{once}");
        let more = work(scale(1000.0, 50.0), 3.0);
        assert!((more - 1000.0 * (10.0 + 0.3 * 10.0)).abs() < 1e-6, "{more}");
        let twice = Scale {
            problems: 2.0,
            ..scale(1000.0, 50.0)
        };
        assert_eq!(work(twice, 1.0), 2.0 * once);
    }

    /// Counted on tables and texts whose runs took 0.2 s and 6.6 s on one core: the limit lies between them.
    #[test]
    fn the_maximum_margin_is_sought_where_that_is_quick() {
        let spec = Spec::parse("max-margin").unwrap();
        let work = |scale: Scale, more| scale.work(&spec, Kernel::LINEAR, more).unwrap();
        for epochs in [1.0, 5.0] {
            let table = Scale {
                trials: 20_000.0 * epochs,
                rows: 20_000.0,
                nnz: 20.0,
                rate: 0.2,
                ..scale(0.0, 87.0)
            };
            assert!(work(table, 1.0) < WORK, "{}", work(table, 1.0));
            let texts = Scale {
                trials: 2_200.0 * epochs,
                rows: 2_200.0,
                problems: 4.0,
                nnz: 26.0,
                rate: 0.23,
                ..scale(0.0, 3_796.0)
            };
            assert!(work(texts, 2.3) > WORK, "{}", work(texts, 2.3));
            let few = Scale {
                trials: 800.0 * epochs,
                rows: 800.0,
                ..texts
            };
            assert!(work(few, 2.3) < WORK, "{}", work(few, 2.3));
        }
    }

    /// With a kernel every label of a noisy table is held: a run over 2,640 rows took nine minutes of one core.
    #[test]
    fn the_maximum_margin_of_noise_is_not_sought_with_a_kernel() {
        let spec = Spec::parse("max-margin").unwrap();
        let kernel = Kernel::parse("gaussian:gamma=0.1").unwrap();
        let work = |rows: f64, rate: f64| {
            let table = Scale {
                trials: rows,
                rows,
                nnz: 14.0,
                rate,
                ..scale(0.0, 14.0)
            };
            table.work(&spec, kernel, 1.3).unwrap()
        };
        assert!(work(2640.0, 0.3) > WORK, "{}", work(2640.0, 0.3));
        assert!(work(2640.0, 0.03) < WORK, "{}", work(2640.0, 0.03));
        assert!(work(600.0, 0.3) < WORK, "{}", work(600.0, 0.3));
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let limits = Limits {
            obstacles: Obstacles::default(),
            centred: false,
            memory: 1 << 30,
        };
        let names = |scale: &Scale, limits: Limits| -> Vec<(&'static str, LeftOut)> {
            let list = default_set(|_| Kernel::LINEAR.into(), scale, limits, |_| Ok(1.0)).unwrap();
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
