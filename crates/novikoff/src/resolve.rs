//! Values that are `auto`, resolved once by a look at the first rows, and never changed.
//!
//! The rows are looked at as the learner gets them: after its own preparation. `gamma=auto` of a kernel is 1 over their mean squared distance;
//! the keys of learners are functions of their lengths in the kernel's space. A map is resolved first, by the rows before it.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::catalog::EXPERTS;
use crate::grammar::OffOr;
use crate::kernel::{Kernel, KernelSpec};
use crate::map::{FeatureMap, MapSpec};
use crate::parameter::{Parameters, RowLengths};
use crate::preparation::{Preparation, RowBuffer};
use crate::row::Row;
use crate::rows::Block;
use crate::space::StoredRows;
use crate::spec::{PartDefaults, Spec, SpecError};

/// How many rows are looked at.
pub const LOOKED_AT: usize = 2000;

/// A learner whose values may be `auto`.
#[derive(Clone, Copy, Debug)]
pub struct Unresolved<'u> {
    /// The learner.
    pub spec: &'u Spec,
    /// Its kernel.
    pub kernel: KernelSpec,
    /// How many features there are, if that is known.
    pub width: Option<u32>,
    /// What is done to its rows before they are mapped, or all that is done.
    pub preparation: &'u Preparation,
    /// The map of its rows, if there is one; then the preparation has none.
    pub map: Option<MapSpec>,
    /// How many bytes the map may take to remember what it has drawn.
    pub memory: u128,
    /// How learners in parentheses get their rows where they say nothing about it.
    pub parts: PartDefaults,
}

/// A learner's values without `auto`.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The values of its keys.
    pub parameters: Parameters,
    /// Its kernel.
    pub kernel: Kernel,
    /// What is done to its rows, the map included.
    pub preparation: Preparation,
}

impl Unresolved<'_> {
    /// Whether rows must be looked at.
    pub fn needs_rows(&self) -> bool {
        let map = self.map.is_some_and(|map| map.needs_rows());
        self.spec.needs_lengths() || self.kernel.needs_rows() || map
    }

    /// The values, given rows as they are read; at most [`LOOKED_AT`] of them are looked at. An error if there is `auto` that needs rows and
    /// none are given.
    pub fn resolve(&self, first: Option<Block<'_>>) -> Result<Resolved, SpecError> {
        let mut preparation = self.preparation.clone();
        if let Some(map) = self.map {
            if self.kernel != Kernel::LINEAR.into() {
                return Err(SpecError::MapAndKernel {
                    map: map.to_string(),
                    kernel: self.kernel.to_string(),
                });
            }
            let map = resolved_map(&map, first, &preparation, self.memory)?;
            preparation.map = Some(Arc::new(map));
        }
        let width = preparation.features().or(self.width);
        let looked_at = first.filter(|_| self.needs_rows());
        let rows = looked_at.map(|first| SampledRows {
            first,
            preparation: &preparation,
        });
        let kernel = match rows {
            Some(rows) => rows.resolve(self.kernel),
            None => self.kernel,
        };
        let kernel = kernel.fixed().ok_or(SpecError::Rows {
            of: "gaussian",
            key: "gamma",
        })?;
        let lengths = rows.filter(|_| self.spec.needs_lengths());
        let lengths = lengths.map(|rows| rows.lengths(kernel));
        let mut parameters = self.spec.resolved(width, lengths.as_ref())?;
        if !self.spec.parts().is_empty() {
            let experts = self.experts(width, rows, kernel)?;
            parameters.put_word(EXPERTS, experts);
        }
        Ok(Resolved {
            parameters,
            kernel,
            preparation,
        })
    }

    /// The learners in parentheses with their values, each by the rows as it gets them.
    fn experts(
        &self,
        width: Option<u32>,
        rows: Option<SampledRows<'_>>,
        kernel: Kernel,
    ) -> Result<String, SpecError> {
        // a norm that was asked for is that of the rows before the map
        let asked = PartDefaults {
            normalize: self.parts.normalize.filter(|_| self.map.is_none()),
            ..self.parts
        };
        let mut all = Vec::new();
        for part in self.spec.parts_with(kernel) {
            let said = self.spec.part_preparation(part, asked);
            let wanted = part.norm().filter(|_| kernel == Kernel::LINEAR);
            let own = Preparation {
                bias: said.bias.and_then(OffOr::value),
                normalize: said.normalize.map_or(wanted, OffOr::value),
                ..Preparation::default()
            };
            let lengths = rows.filter(|_| part.needs_lengths());
            let lengths = lengths.map(|rows| rows.lengths_after(&own, kernel));
            let parameters = part.resolved(width, lengths.as_ref())?;
            all.push(part.written(&parameters, Some(said)));
        }
        Ok(all.join("; "))
    }
}

/// The map of rows as they are read; at most [`LOOKED_AT`] of them are looked at. `preparation` is what is done to them before.
pub fn resolved_map(
    map: &MapSpec,
    first: Option<Block<'_>>,
    preparation: &Preparation,
    memory: u128,
) -> Result<FeatureMap, SpecError> {
    let (mut rows, mut distance) = (StoredRows::default(), f64::NAN);
    match first {
        Some(first) if map.needs_rows() => {
            let before = SampledRows { first, preparation };
            before.each(|x| rows.push(x.without_constant()));
            distance = before.mean_squared_distance();
        }
        None if map.needs_rows() => {
            let (of, key) = (map.name(), "gamma");
            return Err(SpecError::Rows { of, key });
        }
        _ => {}
    }
    Ok(map.resolve(&rows, distance, memory))
}

/// The first rows of a stream, as a learner gets them.
#[derive(Clone, Copy, Debug)]
pub struct SampledRows<'r> {
    /// As they are read.
    pub first: Block<'r>,
    /// What is done to them.
    pub preparation: &'r Preparation,
}

impl SampledRows<'_> {
    /// How many are looked at.
    pub fn len(&self) -> usize {
        self.first.len().min(LOOKED_AT)
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows all of them, in order.
    pub fn each(&self, mut show: impl FnMut(Row<'_>)) {
        let mut buffer = RowBuffer::default();
        for i in 0..self.len() {
            show(self.preparation.apply(self.first.row(i), &mut buffer));
        }
    }

    /// The kernel whose gamma is that of these rows, if it is `auto`.
    pub fn resolve(&self, kernel: KernelSpec) -> KernelSpec {
        if kernel.needs_rows() {
            kernel.resolved(self.mean_squared_distance())
        } else {
            kernel
        }
    }

    /// Their lengths in the space of a kernel.
    pub fn lengths(&self, kernel: Kernel) -> RowLengths {
        let mut squares = Vec::with_capacity(self.len());
        self.each(|x| squares.push(kernel.own(kernel.facts(x))));
        RowLengths::of(squares.into_iter())
    }

    /// Their lengths in the space of a kernel, after a further preparation.
    fn lengths_after(&self, own: &Preparation, kernel: Kernel) -> RowLengths {
        let (mut squares, mut buffer) = (Vec::with_capacity(self.len()), RowBuffer::default());
        self.each(|x| {
            let x = own.apply(x, &mut buffer);
            squares.push(kernel.own(kernel.facts(x)));
        });
        RowLengths::of(squares.into_iter())
    }

    /// The mean of `|x - z|^2` over all ordered pairs of them, a row with itself included: twice the sum of the variances of the features.
    /// The constant feature is in none.
    pub fn mean_squared_distance(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let n = self.len() as f64;
        let mut places: HashMap<usize, usize, FixedState> = HashMap::default();
        let (mut mean, mut present): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        self.each(|x| {
            for (slot, value) in x.without_constant().iter() {
                let place = *places.entry(slot).or_insert(mean.len());
                if place == mean.len() {
                    mean.push(0.0);
                    present.push(0.0);
                }
                mean[place] += value / n;
                present[place] += 1.0;
            }
        });
        let mut squares = vec![0.0; mean.len()];
        self.each(|x| {
            for (slot, value) in x.without_constant().iter() {
                let place = places[&slot];
                squares[place] += (value - mean[place]) * (value - mean[place]);
            }
        });
        let absent = present.iter().zip(&mean).map(|(p, m)| (n - p) * m * m);
        let sum: f64 = squares.iter().zip(absent).map(|(s, a)| s + a).sum();
        2.0 * sum / n
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::label::Label;
    use crate::random::SplitMix64;
    use crate::rows::Rows;

    fn random_rows(count: usize, features: usize) -> Rows {
        let (mut rows, mut random) = (Rows::new(), SplitMix64::new(5));
        for _ in 0..count {
            let x: Vec<f32> = (0..features)
                .map(|_| match random.uniform() {
                    u if u < 0.4 => 0.0,
                    u => (u * 20.0) as f32 + 1000.0,
                })
                .collect();
            let index: Vec<u32> = (1..=features as u32)
                .filter(|&j| x[j as usize - 1] != 0.0)
                .collect();
            let value: Vec<f32> = x.into_iter().filter(|v| *v != 0.0).collect();
            rows.add(Label::Pos, Row::sparse(&index, &value));
        }
        rows
    }

    /// By its definition.
    fn slow_mean_squared_distance(rows: &[Vec<f64>]) -> f64 {
        let mut sum = 0.0;
        for x in rows {
            for z in rows {
                sum += x.iter().zip(z).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            }
        }
        sum / (rows.len() * rows.len()) as f64
    }

    #[test]
    fn the_mean_squared_distance_is_that_of_all_pairs() {
        let preparation = Preparation {
            normalize: Some(2.0),
            ..Preparation::default()
        };
        for preparation in [Preparation::default(), preparation] {
            let rows = random_rows(60, 9);
            let prepared = SampledRows {
                first: rows.view(),
                preparation: &preparation,
            };
            let mut dense = Vec::new();
            prepared.each(|x| {
                let mut values = vec![0.0; 10];
                x.iter().for_each(|(j, v)| values[j] = v);
                dense.push(values);
            });
            let (fast, slow) = (
                prepared.mean_squared_distance(),
                slow_mean_squared_distance(&dense),
            );
            assert!((fast - slow).abs() <= 1e-12 * slow, "{fast} {slow}");
        }
    }

    #[test]
    fn the_constant_feature_is_in_no_distance_and_in_all_lengths() {
        let mut rows = Rows::new();
        for x in [[2.0, 3.0], [2.0, 5.0]] {
            rows.add(Label::Pos, Row::run(0, &x));
        }
        let preparation = Preparation {
            bias: Some(2.0),
            ..Preparation::default()
        };
        let unresolved = Unresolved {
            spec: &Spec::parse("second-order:a=auto").unwrap(),
            kernel: KernelSpec::parse("gaussian:gamma=auto").unwrap(),
            width: None,
            preparation: &preparation,
            map: None,
            memory: 0,
            parts: PartDefaults::default(),
        };
        // distances 0, 2, 2 and 0; in the kernel's space rows have the square 1, and the constant feature adds 4
        let resolved = unresolved.resolve(Some(rows.view())).unwrap();
        assert_eq!(resolved.kernel.to_string(), "gaussian:gamma=0.5");
        assert_eq!(resolved.parameters.real("a"), 0.5);
        let linear = Unresolved {
            kernel: Kernel::LINEAR.into(),
            ..unresolved
        };
        let resolved = linear.resolve(Some(rows.view())).unwrap();
        assert_eq!(
            resolved.parameters.real("a"),
            f64::midpoint(13.0, 29.0) / 10.0
        );
        assert!(linear.resolve(None).is_err() && unresolved.resolve(None).is_err());
    }

    #[test]
    fn rows_beyond_those_looked_at_change_nothing() {
        let (few, many) = (random_rows(LOOKED_AT, 3), random_rows(LOOKED_AT + 500, 3));
        let unresolved = Unresolved {
            spec: &Spec::parse("selective:b=auto").unwrap(),
            kernel: KernelSpec::parse("rbf:gamma=auto").unwrap(),
            width: None,
            preparation: &Preparation::default(),
            map: None,
            memory: 0,
            parts: PartDefaults::default(),
        };
        let of = |rows: &Rows| unresolved.resolve(Some(rows.view())).unwrap();
        assert_eq!(of(&few), of(&many));
    }
}
