//! Second-order perceptron without a parameter: a = 0 and the pseudo-inverse.
//!
//! Keeps an orthonormal basis Q of the span of the updates' rows X and, in its coordinates, the triangular
//! least squares system that gives `w = (XX')^+ v`, by plane rotations. A row with something new in it has
//! `r = 0` exactly, whatever `w.x` is: new means that more than 1e-8 of it lies outside the span.
//! Update: with `f = w.x` and `P = (XX')^+`, `r = 0` for a new row, else `r = f/(1 + x'Px)`; iff
//! `sgn(r) != y`, or `tau > 0` and `y r <= tau`: w becomes the shortest vector that minimises
//! `sum (y - w.x)^2` over the updates. During a run the arg-max over several classes is that of r; deployed scores are
//! `w.x` for all rows.
//! Cost: O(d rank) per trial, but O(nnz) per right answer of a binary run once the basis spans all its features; O(d rank +
//! rank^2) per update and as much memory.
//! Bound: `m <= L(U) + sqrt(U'XX'U (r + q ln(1 + R^2 m/(q l))))`, r the rank of X, `q = r(r + 1)/2`, l the
//! smallest positive eigenvalue of XX' at any time.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 4.2; docs/theory/second-order.md#pseudo-inverse; T11.

use super::{augmented, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal};
use crate::state::{State, StateError};

/// The form without a parameter.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderPseudoinverse {
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub(crate) margin: f64,
}

/// The span of one class's updates, and least squares in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    /// Q: orthonormal vectors, zero past their ends.
    basis: Vec<Vec<f64>>,
    /// R, column by column.
    factor: Vec<f64>,
    /// q of `R w = q`.
    target: Vec<f64>,
    /// Slots where some vector of the basis is not zero.
    touched: Vec<bool>,
    /// How many they are.
    features: usize,
}

impl Span {
    fn extend(&mut self, vector: Vec<f64>) {
        if self.touched.len() < vector.len() {
            self.touched.resize(vector.len(), false);
        }
        for (touched, v) in self.touched.iter_mut().zip(&vector) {
            if *v != 0.0 && !*touched {
                *touched = true;
                self.features += 1;
            }
        }
        self.basis.push(vector);
    }

    /// Whether the span is that of its features and x has no other.
    fn surely_holds(&self, x: Row<'_>) -> bool {
        let touches = |j: usize| self.touched.get(j).copied().unwrap_or(false);
        self.features == self.basis.len() && x.iter().all(|(j, v)| v == 0.0 || touches(j))
    }

    /// `Q'x`.
    fn coordinates(&self, x: Row<'_>) -> Vec<f64> {
        self.basis.iter().map(|q| x.dot(q)).collect()
    }

    /// What of x lies outside the span, and `Q'x`.
    fn outside(&self, x: Row<'_>) -> (Vec<f64>, Vec<f64>) {
        let mut all = vec![0.0; slots_of(x)];
        x.add_to(1.0, &mut all);
        linalg::outside(&self.basis, all)
    }

    /// Learns a row of the given coordinates, and puts `w` in its place.
    fn learn(&mut self, coordinates: &[f64], y: f64, w: &mut Lane<'_, Primal>) {
        linalg::rotate_in(&mut self.factor, &mut self.target, coordinates, y);
        let mut within = self.target.clone();
        linalg::solve_upper(&self.factor, &mut within);
        let mut sum = vec![0.0; w.slots()];
        for (q, c) in self.basis.iter().zip(&within) {
            for (sum, q) in sum.iter_mut().zip(q) {
                *sum += c * q;
            }
        }
        for (j, sum) in sum.into_iter().enumerate() {
            w.set(j, sum);
        }
    }
}

impl Rule<Primal> for SecondOrderPseudoinverse {
    type State = Span;

    fn start(&self, _planes: &Primal) -> Span {
        Span::default()
    }

    fn learn(
        &self,
        span: &mut Span,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let f = trial.margin;
        let quiet = self.margin == 0.0 && !wants_update(f, y, 0.0);
        // among several classes r is compared, and not w.x: where a row is new to a class, w.x may be anything
        let compared = trial.prediction.several;
        let held = span.surely_holds(trial.x);
        if held && quiet && !compared {
            return false;
        }
        let (rest, mut coordinates) = if held {
            (Vec::new(), span.coordinates(trial.x))
        } else {
            span.outside(trial.x)
        };
        let size = linalg::dot(&rest, &rest).sqrt();
        if size > linalg::NEW * trial.x.norm(2.0) {
            trial.prediction.margin.set(0.0);
            trial.prediction.score.set(0.0);
            if !wants_update(0.0, y, self.margin) {
                return false;
            }
            span.extend(rest.into_iter().map(|r| r / size).collect());
            coordinates.push(size);
        } else {
            if quiet && !compared {
                return false;
            }
            let mut known = coordinates.clone();
            linalg::solve_lower(&span.factor, &mut known);
            let r = augmented(f, 1.0 / (1.0 + linalg::dot(&known, &known)));
            trial.prediction.score.set(r);
            if quiet {
                return false;
            }
            trial.prediction.margin.set(r);
            if !wants_update(r, y, self.margin) {
                return false;
            }
        }
        span.learn(&coordinates, y.sign(), &mut w);
        true
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, span: &Span, _slots: usize) -> u128 {
        let basis: usize = span.basis.iter().map(Vec::len).sum();
        8 * (basis + span.factor.len() + 2 * span.target.len()) as u128 + span.touched.len() as u128
    }

    fn save<'a>(&self, span: &'a Span, out: &mut State<'a>) {
        let ends = span.basis.iter().scan(0, |end, q| {
            *end += q.len() as u64;
            Some(*end)
        });
        out.put_u64("basis-ends", ends.collect::<Vec<_>>());
        out.put_f64("basis", span.basis.concat());
        out.put_f64("factor", &span.factor[..]);
        out.put_f64("target", &span.target[..]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Span, StateError> {
        let basis = super::take_vectors(from, ("basis-ends", "basis"), planes.slots())?;
        let rank = basis.len();
        let mut span = Span {
            factor: from.take_vector("factor", linalg::triangle_len(rank) as usize)?,
            target: from.take_vector("target", rank)?,
            ..Span::default()
        };
        for vector in basis {
            span.extend(vector);
        }
        Ok(span)
    }
}

impl Memory for SecondOrderPseudoinverse {
    fn keeps(&self) -> &'static str {
        "it keeps a vector for each new direction"
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use second-order:form=diagonal or sketch")
    }
}
