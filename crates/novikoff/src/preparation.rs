//! What is done to a row before a learner sees it.

use std::sync::Arc;

use crate::row::Row;
use crate::standardize::Moments;
pub use crate::standardize::RowBuffer;

/// What is done to a row before a learner sees it. The constant feature is put into slot 0 by the
/// reader; centring and scaling come next, normalising last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preparation {
    /// The constant feature.
    pub bias: Option<f32>,
    /// Features are centred and scaled.
    pub standardize: Option<Arc<Moments>>,
    /// Rows are divided by their p-norm.
    pub normalize: Option<f64>,
}

impl Preparation {
    /// The row as learners see it, kept in `buffer` if need be; a zero row stays zero. Rows that several learners share may have another
    /// constant feature than this one's: it is taken out, or replaced.
    pub fn apply<'a>(&self, x: Row<'a>, buffer: &'a mut RowBuffer) -> Row<'a> {
        let x = match (&self.standardize, x.constant(), self.bias) {
            (Some(moments), has, bias) => moments.apply(x, has.and(bias), buffer),
            (None, Some(_), None) => x.without_constant(),
            (None, Some(has), Some(bias)) if has != bias => {
                x.with_constant(bias, &mut buffer.value)
            }
            _ => x,
        };
        match self.normalize {
            None => x,
            Some(p) => {
                let norm = x.norm(p);
                if norm > 0.0 { x.scaled(1.0 / norm) } else { x }
            }
        }
    }
}
