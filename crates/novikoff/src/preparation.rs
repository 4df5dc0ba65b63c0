//! What is done to a row before a learner sees it.

use std::sync::Arc;

use crate::map::{FeatureMap, MapBuffer};
use crate::row::Row;
use crate::standardize::{Moments, ScaledBuffer};

/// Memory for a row that was prepared.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    scaled: ScaledBuffer,
    mapped: MapBuffer,
}

/// What is done to a row before a learner sees it. The constant feature is put into slot 0 by the
/// reader; centring and scaling come next, then normalising. A map comes last: it is given the row without the constant feature, which is put
/// in front of the features that the map makes.
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
        let RowBuffer { scaled, mapped } = buffer;
        let Some(map) = &self.map else {
            return self.unmapped(x, self.bias, scaled);
        };
        let constant = x.constant().and(self.bias);
        let x = self.unmapped(x, None, scaled);
        map.apply(x.without_constant(), constant, mapped)
    }

    /// The row before the map, with this constant feature.
    fn unmapped<'a>(&self, x: Row<'a>, bias: Option<f32>, buffer: &'a mut ScaledBuffer) -> Row<'a> {
        let x = match (&self.standardize, x.constant(), bias) {
            (Some(moments), has, bias) => moments.apply(x, has.and(bias), buffer),
            (None, Some(_), None) => x.without_constant(),
            (None, Some(has), Some(bias)) if has != bias => {
                x.with_constant(bias, &mut buffer.value)
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
