//! The second-order perceptron as spec/online.md 4 defines it, with explicit inverses.

use novikoff::learner::Hypothesis;

use super::definition::{Definition, Judgement, wrong};
use super::matrix::{Matrix, add_outer, dot, identity, length, plus, solve};
use super::second::ArowRidge;

/// The parameter that is added to the diagonal.
#[derive(Clone, Copy)]
pub(crate) enum Added {
    /// a.
    Fixed(f64),
}

/// `r = v'(a I + S S')^-1 x`, S = [X x].
pub(crate) struct SecondOrder {
    added: Added,
    tau: f64,
    /// `X X'`.
    matrix: Matrix,
    v: Vec<f64>,
    /// Of the trial being judged, and of the next mistake.
    a: f64,
    w: Vec<f64>,
}

impl SecondOrder {
    pub(crate) fn new(slots: usize, added: Added, tau: f64) -> Self {
        let mut new = SecondOrder {
            added,
            tau,
            matrix: identity(slots, 0.0),
            v: vec![0.0; slots],
            a: 0.0,
            w: vec![0.0; slots],
        };
        new.settle();
        new
    }

    /// `a I + X X'`.
    fn whole(&self) -> Matrix {
        let mut whole = self.matrix.clone();
        for (i, row) in whole.iter_mut().enumerate() {
            row[i] += self.a;
        }
        whole
    }

    fn settle(&mut self) {
        let Added::Fixed(a) = self.added;
        self.a = a;
        self.w = solve(self.whole(), &self.v);
    }
}

impl Definition for SecondOrder {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let mut with = self.whole();
        add_outer(&mut with, 1.0, x);
        let r = dot(&self.v, &solve(with, x));
        let updates = wrong(r, y, self.tau);
        // what is reported is r where r was needed
        let margin = if updates || self.tau > 0.0 {
            r
        } else {
            dot(&self.w, x)
        };
        Judgement {
            margin,
            scale: (length(&self.w) * length(x)).max(self.tau),
            updates,
            edge: (y * r - self.tau).abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            add_outer(&mut self.matrix, 1.0, x);
            self.v = plus(&self.v, y, x);
            self.settle();
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.w, x), length(&self.w) * length(x))
    }
}

/// Fixed a once more, in 32 digits, for rows of any size.
pub(crate) struct SecondOrderRidge(pub(crate) ArowRidge);

impl Definition for SecondOrderRidge {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let f = dot(&self.0.w, x);
        let updates = wrong(f, y, 0.0);
        Judgement {
            margin: if updates {
                f / (1.0 + self.0.square(x))
            } else {
                f
            },
            scale: length(&self.0.w) * length(x),
            updates,
            edge: f.abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        self.0.learn(x, y, update);
    }

    fn weights(&self) -> Vec<f64> {
        self.0.w.clone()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.0.w, x), length(&self.0.w) * length(x))
    }
}
