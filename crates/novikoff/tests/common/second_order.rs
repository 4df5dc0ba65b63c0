//! The second-order perceptron as docs/theory/second-order.md#second-order-perceptron defines it, with explicit inverses.

use novikoff::learner::Hypothesis;

use super::definition::{Definition, Judgement, wrong};
use super::matrix::{
    Matrix, add_outer, apply, dot, eigen, identity, length, plus, pseudoinverse, solve,
};
use super::second::ArowRidge;

/// The parameter that is added to the diagonal.
#[derive(Clone, Copy)]
pub(crate) enum Added {
    /// a.
    Fixed(f64),
    /// `c R^2 k`; R^2 is given or the largest so far.
    Adaptive(f64, Option<f64>),
    /// Nothing: the pseudo-inverse.
    Nothing,
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
    rows: Vec<Vec<f64>>,
    largest: f64,
    /// `sum |A^-1 x|` over the updates, without a parameter: what w is left of when labels cancel.
    parts: f64,
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
            rows: Vec::new(),
            largest: 1.0,
            parts: 0.0,
        };
        new.settle();
        new.largest = 0.0;
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
        self.a = match self.added {
            Added::Fixed(a) => a,
            Added::Adaptive(c, given) => {
                c * given.unwrap_or(self.largest) * (self.rows.len() + 1) as f64
            }
            Added::Nothing => 0.0,
        };
        self.w = self.solved(self.whole(), &self.v);
        if let Added::Nothing = self.added {
            let inverse = pseudoinverse(&self.matrix);
            let parts = self.rows.iter().map(|x| length(&apply(&inverse, x)));
            self.parts = parts.sum();
        }
    }

    /// What rounding of scores is measured by: `|w| |x|`, unless w is next to nothing beside its parts.
    fn scale(&self, x: &[f64]) -> f64 {
        length(&self.w).max(self.rounding()) * length(x)
    }

    fn solved(&self, matrix: Matrix, b: &[f64]) -> Vec<f64> {
        if let Added::Nothing = self.added {
            apply(&pseudoinverse(&matrix), b)
        } else {
            solve(matrix, b)
        }
    }

    /// Whether the span of the updates does not hold x.
    fn is_new(&self, x: &[f64]) -> bool {
        if !matches!(self.added, Added::Nothing) {
            return false;
        }
        let within = apply(&self.matrix, &apply(&pseudoinverse(&self.matrix), x));
        length(&plus(x, -1.0, &within)) > 1e-6 * length(x)
    }
}

impl Definition for SecondOrder {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        if dot(x, x) > self.largest {
            self.largest = dot(x, x);
            if let Added::Adaptive(_, None) = self.added {
                self.settle();
            }
        }
        let mut with = self.whole();
        add_outer(&mut with, 1.0, x);
        let mut r = dot(&self.v, &self.solved(with, x));
        let new = self.is_new(x);
        if new {
            let scale = self.scale(x);
            assert!(
                r.abs() <= 1e-9 * scale,
                "{r} for a row off the span, {scale}"
            );
            r = 0.0;
        }
        let updates = wrong(r, y, self.tau);
        // what is reported is r where r was needed
        let margin = if updates || self.tau > 0.0 || new {
            r
        } else {
            dot(&self.w, x)
        };
        Judgement {
            margin,
            scale: self.scale(x).max(self.tau),
            updates,
            edge: (y * r - self.tau).abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            add_outer(&mut self.matrix, 1.0, x);
            self.v = plus(&self.v, y, x);
            self.rows.push(x.to_vec());
            self.settle();
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn rounding(&self) -> f64 {
        1e-5 * self.parts
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.w, x), self.scale(x))
    }
}

/// Fixed a once more, in 32 digits, for rows of any size.
pub(crate) struct SecondOrderRidge(pub(crate) ArowRidge);

impl SecondOrderRidge {
    fn scale(&self, x: &[f64]) -> f64 {
        length(&self.0.w).max(0.01 * self.0.left()) * length(x)
    }
}

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
            scale: self.scale(x),
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

    fn rounding(&self) -> f64 {
        0.01 * self.0.left()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.0.w, x), self.scale(x))
    }
}

/// The definition with the diagonal of `S S'` only.
pub(crate) struct SecondOrderDiagonal {
    a: f64,
    tau: f64,
    v: Vec<f64>,
    squares: Vec<f64>,
}

impl SecondOrderDiagonal {
    pub(crate) fn new(slots: usize, a: f64, tau: f64) -> Self {
        let (v, squares) = (vec![0.0; slots], vec![0.0; slots]);
        SecondOrderDiagonal { a, tau, v, squares }
    }

    fn scaled(&self, squares: &[f64]) -> Vec<f64> {
        let entry = |(v, s): (&f64, &f64)| v / (self.a + s);
        self.v.iter().zip(squares).map(entry).collect()
    }

    fn with(&self, x: &[f64]) -> Vec<f64> {
        let sum = |(s, x): (&f64, &f64)| s + x * x;
        self.squares.iter().zip(x).map(sum).collect()
    }
}

impl Definition for SecondOrderDiagonal {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let r = dot(&self.scaled(&self.with(x)), x);
        Judgement {
            margin: r,
            scale: (length(&self.weights()) * length(x)).max(self.tau),
            updates: wrong(r, y, self.tau),
            edge: (y * r - self.tau).abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            self.v = plus(&self.v, y, x);
            self.squares = self.with(x);
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.scaled(&self.squares)
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        let w = self.weights();
        (dot(&w, x), length(&w) * length(x))
    }
}

/// The definition with `B'B` in the place of `S S'`, where B has at most 5m rows.
pub(crate) struct SecondOrderSketch {
    a: f64,
    tau: f64,
    rank: usize,
    v: Vec<f64>,
    /// `B'B`.
    matrix: Matrix,
    /// Rows of B.
    count: usize,
    /// al.
    lost: f64,
}

impl SecondOrderSketch {
    pub(crate) fn new(slots: usize, a: f64, tau: f64, rank: usize) -> Self {
        SecondOrderSketch {
            a,
            tau,
            rank,
            v: vec![0.0; slots],
            matrix: identity(slots, 0.0),
            count: 0,
            lost: 0.0,
        }
    }

    fn solved(&self, b: &[f64]) -> Vec<f64> {
        let mut whole = self.matrix.clone();
        for (i, row) in whole.iter_mut().enumerate() {
            row[i] += self.a + self.lost;
        }
        solve(whole, b)
    }
}

impl Definition for SecondOrderSketch {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let f = dot(&self.weights(), x);
        let r = f / (1.0 + dot(&self.solved(x), x));
        let updates = wrong(r, y, self.tau);
        Judgement {
            margin: if updates || self.tau > 0.0 { r } else { f },
            scale: (length(&self.weights()) * length(x)).max(self.tau),
            updates,
            edge: (y * r - self.tau).abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if !update {
            return;
        }
        self.v = plus(&self.v, y, x);
        add_outer(&mut self.matrix, 1.0, x);
        self.count += 1;
        if self.count < 5 * self.rank {
            return;
        }
        let (values, vectors) = eigen(self.matrix.clone());
        let mut pairs: Vec<_> = values.into_iter().zip(vectors).collect();
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let next = pairs.get(self.rank).map_or(0.0, |pair| pair.0.max(0.0));
        self.matrix = identity(self.v.len(), 0.0);
        self.count = 0;
        for (value, vector) in pairs.into_iter().take(self.rank) {
            if value - next > 1e-12 * self.a {
                add_outer(&mut self.matrix, value - next, &vector);
                self.count += 1;
            }
        }
        self.lost += next / 2.0;
    }

    fn weights(&self) -> Vec<f64> {
        self.solved(&self.v)
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        let w = self.weights();
        (dot(&w, x), length(&w) * length(x))
    }
}
