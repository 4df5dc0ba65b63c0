//! What is done to a row before a learner sees it.

use std::sync::Arc;

use crate::map::{FeatureMap, MapBuffer};
use crate::row::Row;
use crate::rows::{Block, Rows};
use crate::standardize::{Moments, ScaledBuffer};

/// Memory for a row that was prepared.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    scaled: ScaledBuffer,
    mapped: MapBuffer,
}

/// What is done to a row before a learner sees it. The constant feature is in slot 0: readers of files put it there, and a row that comes
/// without it gets it here. Centring and scaling come next, then normalising. A map comes last: it is given the row without the constant
/// feature, which is put in front of the features that the map makes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preparation {
    /// The constant feature.
    pub bias: Option<f32>,
    /// Features are centred and scaled.
    pub standardize: Option<Arc<Moments>>,
    /// Rows are divided by their p-norm.
    pub normalize: Option<f64>,
    /// Rows become features of a kernel's space.
    pub map: Option<Arc<FeatureMap>>,
}

impl Preparation {
    /// The row as learners see it, kept in `buffer` if need be; a zero row stays zero. Rows that several learners share may have another
    /// constant feature than this one's: it is taken out, or replaced.
    pub fn apply<'a>(&self, x: Row<'a>, buffer: &'a mut RowBuffer) -> Row<'a> {
        self.with_constant(self.constant(), x, buffer)
    }

    /// A prepared row that has the constant feature only if it came with one: which rows have it is then said by whoever made them.
    pub(crate) fn apply_to_given<'a>(&self, x: Row<'a>, buffer: &'a mut RowBuffer) -> Row<'a> {
        self.with_constant(x.constant().and(self.constant()), x, buffer)
    }

    fn with_constant<'a>(
        &self,
        constant: Option<f32>,
        x: Row<'a>,
        buffer: &'a mut RowBuffer,
    ) -> Row<'a> {
        let RowBuffer { scaled, mapped } = buffer;
        let Some(map) = &self.map else {
            return self.unmapped(x, constant, scaled);
        };
        let x = self.unmapped(x, None, scaled);
        map.apply(x.without_constant(), constant, mapped)
    }

    /// The value of slot 0 in every row; nothing if rows do not have it. A constant of 0 is not stored.
    fn constant(&self) -> Option<f32> {
        self.bias.filter(|&bias| bias != 0.0)
    }

    /// Whether the row is as learners see it already.
    #[cfg_attr(not(feature = "linalg"), allow(dead_code))] // certificates ask
    pub(crate) fn leaves(&self, x: Row<'_>) -> bool {
        let first = x.iter().next().filter(|(slot, _)| *slot == 0);
        let constant = first.map(|(_, value)| value);
        self.is_bare() && constant == self.constant().map(f64::from)
    }

    /// Whether slot 0 is all that can change.
    pub(crate) fn is_bare(&self) -> bool {
        self.is_constant_only() && self.normalize.is_none()
    }

    /// Whether slot 0 and the length of a row are all that can change.
    fn is_constant_only(&self) -> bool {
        self.standardize.is_none() && self.map.is_none()
    }

    /// The row before the map, with this constant feature.
    fn unmapped<'a>(&self, x: Row<'a>, bias: Option<f32>, buffer: &'a mut ScaledBuffer) -> Row<'a> {
        let x = match (&self.standardize, x.constant(), bias) {
            (Some(moments), _, bias) => moments.apply(x, bias, buffer),
            (None, Some(_), None) => x.without_constant(),
            (None, Some(has), Some(bias)) if has != bias => {
                x.with_constant(bias, &mut buffer.value)
            }
            // rows of files have it
            (None, None, Some(bias)) => {
                x.with_new_constant(bias, &mut buffer.index, &mut buffer.value)
            }
            _ => x,
        };
        match self.normalize {
            None => x,
            Some(p) => Self::divisor(x, p).map_or(x, |norm| x.scaled(1.0 / norm)),
        }
    }

    /// What normalising divides a row by; none of a row that stays as it is.
    pub(crate) fn divisor(x: Row<'_>, p: f64) -> Option<f64> {
        Some(x.norm(p)).filter(|norm| *norm > 0.0)
    }

    /// How many features learners see, if that does not depend on the rows.
    pub fn features(&self) -> Option<u32> {
        // a map makes few
        self.map.as_ref().map(|map| map.features() as u32)
    }
}

/// How many values are copied at once.
const AT_ONCE: usize = 1 << 16;

/// Rows as the learner of a model sees them: see [`Model::prepared`](crate::Model::prepared).
#[derive(Clone, Debug)]
pub struct PreparedRows<'a> {
    /// As they were read.
    blocks: Vec<Block<'a>>,
    /// A copy, where a factor for each row does not say what was done to them.
    copied: Option<Rows>,
    /// A factor for each row; empty if all are 1.
    scale: Vec<f64>,
    preparation: Preparation,
}

impl<'a> PreparedRows<'a> {
    /// The rows of some blocks, prepared.
    #[doc(hidden)] // for jobs over several blocks
    pub fn new(blocks: Vec<Block<'a>>, preparation: &Preparation) -> Self {
        let are_copied = Self::are_copied(&blocks, preparation);
        Self::known(blocks, preparation, are_copied)
    }

    /// The same where it is known whether they [are copied](Self::are_copied).
    #[doc(hidden)] // for jobs that limit their memory
    pub fn known(blocks: Vec<Block<'a>>, preparation: &Preparation, are_copied: bool) -> Self {
        // rows are normalised before they are mapped; otherwise that is a factor
        let normalize = preparation.normalize.filter(|_| preparation.map.is_some());
        let only = Preparation {
            normalize,
            ..preparation.clone()
        };
        let mut prepared = PreparedRows {
            copied: are_copied.then(|| {
                let (mut rows, mut buffer) = (Rows::new(), RowBuffer::default());
                // some at a time, so that those with the same slots share them
                let mut some = Rows::new();
                for x in rows_of(&blocks) {
                    for (slot, value) in only.apply(x, &mut buffer).iter() {
                        some.push(slot as u32, value as f32);
                    }
                    some.end_row(0);
                    if some.values() >= AT_ONCE {
                        rows.append(some.view(), 0);
                        some.clear();
                    }
                }
                rows.append(some.view(), 0);
                rows
            }),
            blocks,
            scale: Vec::new(),
            preparation: preparation.clone(),
        };
        if let (Some(p), None) = (preparation.normalize, &preparation.map) {
            let factor = |x: Row<'_>| match x.norm(p) {
                norm if norm > 0.0 => 1.0 / norm,
                _ => 1.0,
            };
            prepared.scale = rows_of(&prepared.blocks()).map(factor).collect();
        }
        prepared
    }

    /// Whether preparing these rows takes a copy of them.
    #[doc(hidden)] // for jobs that limit their memory
    pub fn are_copied(blocks: &[Block<'_>], preparation: &Preparation) -> bool {
        let constant = preparation.constant();
        !preparation.is_constant_only() || rows_of(blocks).any(|x| x.constant() != constant)
    }

    /// The rows without their factors.
    pub(crate) fn blocks(&self) -> Vec<Block<'_>> {
        match &self.copied {
            Some(copied) => vec![copied.view()],
            None => self.blocks.clone(),
        }
    }

    /// A factor for each row; empty if all are 1.
    pub(crate) fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// What was done to them.
    pub(crate) fn preparation(&self) -> &Preparation {
        &self.preparation
    }
}

/// The rows of some blocks, in order.
fn rows_of<'a>(blocks: &[Block<'a>]) -> impl Iterator<Item = Row<'a>> {
    let blocks = blocks.iter();
    blocks.flat_map(|&block| (0..block.len()).map(move |i| block.row(i)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(preparation: &Preparation, x: Row<'_>) -> Vec<(usize, f64)> {
        preparation
            .apply(x, &mut RowBuffer::default())
            .iter()
            .collect()
    }

    #[test]
    fn a_row_that_lacks_the_constant_feature_gets_it() {
        let bias = |bias| Preparation {
            bias,
            ..Preparation::default()
        };
        let one = bias(Some(1.0));
        let dense = Row::dense(&[2.0, 4.0]);
        assert_eq!(values(&one, dense), [(0, 1.0), (1, 2.0), (2, 4.0)]);
        // it is not scaled with the features
        let half = [(0, 1.0), (1, 1.0), (2, 2.0)];
        assert_eq!(values(&one, dense.scaled(0.5)), half);
        let sparse = Row::sparse(&[3, 9], &[2.0, 4.0]);
        assert_eq!(values(&one, sparse), [(0, 1.0), (3, 2.0), (9, 4.0)]);
        let run = Row::run(5, &[2.0]);
        assert_eq!(values(&one, run), [(0, 1.0), (5, 2.0)]);
        assert_eq!(values(&one, Row::dense(&[])), [(0, 1.0)]);
        assert_eq!(values(&one, Row::run(0, &[])), [(0, 1.0)]);
        // none, and one of 0, are no feature
        for none in [None, Some(0.0)] {
            assert_eq!(values(&bias(none), sparse), [(3, 2.0), (9, 4.0)]);
            assert_eq!(values(&bias(none), Row::run(0, &[7.0, 2.0])), [(1, 2.0)]);
        }
    }

    #[test]
    fn rows_are_copied_only_where_a_factor_does_not_do() {
        let mut rows = Rows::new();
        rows.add("a", Row::run(0, &[1.0, 2.0]));
        rows.add("b", Row::run(0, &[1.0, 3.0]));
        let preparation = Preparation {
            bias: Some(1.0),
            normalize: Some(1.0),
            ..Preparation::default()
        };
        let blocks = || vec![rows.view()];
        assert!(!PreparedRows::are_copied(&blocks(), &preparation));
        let prepared = PreparedRows::new(blocks(), &preparation);
        assert_eq!(prepared.scale(), [1.0 / 3.0, 1.0 / 4.0]);
        rows.add("c", Row::dense(&[3.0]));
        let blocks = vec![rows.view()];
        assert!(PreparedRows::are_copied(&blocks, &preparation));
        let prepared = PreparedRows::new(blocks, &preparation);
        assert_eq!(prepared.scale(), [1.0 / 3.0, 1.0 / 4.0, 1.0 / 4.0]);
        assert_eq!(prepared.blocks()[0].row(2).constant(), Some(1.0));
    }
}
