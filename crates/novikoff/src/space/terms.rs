//! A vector as a sum of few rows, `w = sum of c_i x_i`, kept term by term, so that a term can be taken out again.
//!
//! Where w is a plain vector, adding and taking out rounds: a large term that is gone leaves more behind than
//! small ones weigh. So what came and went is counted, and when it is too much, w is summed up again.

use std::collections::VecDeque;

use super::support::same;
use super::{Lane, Planes, StoredRows};
use crate::row::Row;
use crate::state::{State, StateError};

/// The terms, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    list: VecDeque<Term>,
    /// How many values all rows have.
    values: usize,
    /// The lengths that came and went since w was last summed up: bounds its rounding error.
    churn: f64,
}

#[derive(Clone, Debug)]
struct Term {
    slots: Box<[u32]>,
    values: Box<[f32]>,
    scale: f64,
    /// `|x|`.
    length: f64,
    coefficient: f64,
}

/// w is trusted while the churn is below this multiple of its terms' lengths: relative error 1e-12.
const CHURN: f64 = 1e4;

impl Term {
    fn new(coefficient: f64, x: Row<'_>, norm_sq: f64) -> Self {
        let (scale, values) = x.stored();
        let (slots, values): (Vec<u32>, Vec<f32>) = values.unzip();
        Term {
            slots: slots.into(),
            values: values.into(),
            scale,
            // a kernel's values may be infinite
            length: norm_sq.sqrt().min(f64::MAX),
            coefficient,
        }
    }

    fn row(&self) -> Row<'_> {
        Row::sparse(&self.slots, &self.values).scaled(self.scale)
    }

    /// `|c x|`.
    fn size(&self) -> f64 {
        self.coefficient.abs() * self.length
    }
}

impl Terms {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Coefficient and row of the oldest.
    pub(crate) fn oldest(&self) -> Option<(f64, Row<'_>)> {
        self.list.front().map(|t| (t.coefficient, t.row()))
    }

    /// Bytes of all terms.
    pub(crate) fn bytes(&self) -> u128 {
        (8 * self.values + size_of::<Term>() * self.list.len()) as u128
    }

    /// `w <- w + c x`: a term more.
    pub(crate) fn push<P: Planes>(&mut self, w: &mut Lane<'_, P>, c: f64, x: Row<'_>) {
        let term = Term::new(c, x, w.norm_sq_of(x));
        w.add(c, x);
        self.values += x.len();
        self.churn += term.size();
        self.list.push_back(term);
    }

    /// `w <- c w`.
    pub(crate) fn scale<P: Planes>(&mut self, w: &mut Lane<'_, P>, c: f64) {
        w.scale(c);
        for term in &mut self.list {
            term.coefficient *= c;
        }
        self.churn *= c.abs();
    }

    /// Takes term `i` out, from the oldest, 0, on.
    pub(crate) fn take<P: Planes>(&mut self, w: &mut Lane<'_, P>, i: usize) {
        let Some(gone) = self.list.remove(i) else {
            return;
        };
        let twins = self.list.iter().filter(|t| same(t.row(), gone.row()));
        let left: f64 = twins.map(|t| t.coefficient).sum();
        w.remove(gone.coefficient + left, gone.row());
        if left != 0.0 {
            w.add(left, gone.row());
        }
        self.values -= gone.values.len();
        self.churn += gone.size();
        let size: f64 = self.list.iter().map(Term::size).sum();
        if self.churn > CHURN * size {
            w.scale(0.0);
            for term in &self.list {
                w.add(term.coefficient, term.row());
            }
            self.churn = size;
        }
    }

    /// Adds the terms to a state.
    pub(crate) fn save(&self, out: &mut State<'_>) {
        let mut rows = StoredRows::default();
        self.list.iter().for_each(|t| rows.push(t.row()));
        rows.put(out);
        let coefficients = self.list.iter().map(|t| t.coefficient);
        out.put_f64("terms", coefficients.collect::<Vec<_>>());
        out.put_f64("churn", vec![self.churn]);
    }

    /// Takes at most `most` terms out of a state.
    pub(crate) fn load<P: Planes>(
        planes: &P,
        from: &mut State<'static>,
        most: usize,
    ) -> Result<Self, StateError> {
        let coefficients = from.take_f64("terms")?;
        let [churn] = from.take_scalars("churn")?;
        let rows = StoredRows::load(from, coefficients.len())?;
        if coefficients.len() > most {
            return Err(from.bad("terms", format!("more than {most}")));
        }
        if rows.slots() > planes.slots() {
            return Err(from.bad("row-slots", "the stored rows are wider than the weights"));
        }
        let terms = coefficients.into_iter().zip(rows.rows());
        let list = terms.map(|(c, x)| Term::new(c, x, planes.norm_sq_of(x)));
        Ok(Terms {
            list: list.collect(),
            values: rows.values(),
            churn,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Primal;

    #[test]
    fn what_is_gone_leaves_nothing_behind() {
        let (large, small) = ([1e20, 3.0, 0.1], [0.1, 0.2, 0.3]);
        let mut planes = Primal::default();
        planes.reach(4, 0.0);
        let mut terms = Terms::default();
        let mut w = Lane::new(&mut planes, 0);
        for x in [&small, &large, &small] {
            terms.push(&mut w, -1.0, Row::dense(x));
        }
        terms.scale(&mut w, 0.5);
        terms.take(&mut w, 1);
        let twice = small.map(|v| -f64::from(v));
        assert_eq!(planes.vector(0)[1..], twice);
        // a twin stays whole
        let mut w = Lane::new(&mut planes, 0);
        terms.take(&mut w, 0);
        assert_eq!(planes.vector(0)[1..], twice.map(|v| v / 2.0));
        assert_eq!(terms.oldest().map(|(c, _)| c), Some(-0.5));
    }
}
