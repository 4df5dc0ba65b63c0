//! Learners with a matrix, as their definitions say: whitened (docs/theory/whitened.md#whitened-perceptron) and AROW (the doc of
//! `online/arow.rs`; Crammer, Kulesza, Dredze 2009).

use novikoff::learner::Hypothesis;

use super::definition::{Definition, Judgement, wrong};
use super::matrix::{Matrix, add_outer, apply, dot, identity, length, plus, pseudoinverse};
use super::twofold::Twofold;

/// `sum x x' + ridge I`.
pub(crate) fn correlation(rows: &[Vec<f64>], ridge: f64) -> Matrix {
    let mut m = identity(rows[0].len(), ridge);
    for x in rows {
        add_outer(&mut m, 1.0, x);
    }
    m
}

/// The perceptron on rows whitened by all of them; weights in the original coordinates.
pub(crate) struct Whitened {
    inverse: Matrix,
    v: Vec<f64>,
}

impl Whitened {
    pub(crate) fn new(rows: &[Vec<f64>], ridge: f64) -> Self {
        let inverse = pseudoinverse(&correlation(rows, ridge));
        Whitened {
            v: vec![0.0; inverse.len()],
            inverse,
        }
    }
}

impl Definition for Whitened {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let (margin, scale) = self.score(x, Hypothesis::Final);
        Judgement {
            margin,
            scale,
            updates: wrong(margin, y, 0.0),
            edge: margin.abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            self.v = plus(&self.v, y, x);
        }
    }

    fn weights(&self) -> Vec<f64> {
        apply(&self.inverse, &self.v)
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        let w = self.weights();
        (dot(&w, x), length(&w) * length(x))
    }
}

/// AROW with the whole matrix S.
pub(crate) struct ArowFull {
    r: f64,
    w: Vec<f64>,
    s: Matrix,
}

impl ArowFull {
    pub(crate) fn new(slots: usize, r: f64) -> Self {
        ArowFull {
            r,
            w: vec![0.0; slots],
            s: identity(slots, 1.0),
        }
    }
}

fn judge_arow(w: &[f64], x: &[f64], y: f64) -> Judgement {
    let margin = dot(w, x);
    Judgement {
        margin,
        scale: (length(w) * length(x)).max(1.0),
        updates: y * margin < 1.0,
        edge: (1.0 - y * margin).abs(),
    }
}

impl Definition for ArowFull {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        judge_arow(&self.w, x, y)
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if update {
            let sx = apply(&self.s, x);
            let beta = 1.0 / (dot(x, &sx) + self.r);
            let loss = 1.0 - y * dot(&self.w, x);
            self.w = plus(&self.w, loss * beta * y, &sx);
            add_outer(&mut self.s, -beta, &sx);
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.w, x), length(&self.w) * length(x))
    }
}

/// AROW with the diagonal of that S: `S_j <- S_j - beta (S_j x_j)^2`, written without the difference,
/// as `S_j (r + sum over i != j of S_i x_i^2) / (r + sum over all i of S_i x_i^2)`.
pub(crate) struct ArowDiagonal {
    r: f64,
    w: Vec<f64>,
    s: Vec<f64>,
}

impl ArowDiagonal {
    pub(crate) fn new(slots: usize, r: f64) -> Self {
        ArowDiagonal {
            r,
            w: vec![0.0; slots],
            s: vec![1.0; slots],
        }
    }
}

impl Definition for ArowDiagonal {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        judge_arow(&self.w, x, y)
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if !update {
            return;
        }
        let loss = 1.0 - y * dot(&self.w, x);
        let parts: Vec<f64> = self.s.iter().zip(x).map(|(s, x)| s * x * x).collect();
        let whole: f64 = parts.iter().sum::<f64>() + self.r;
        for (w, (s, x)) in self.w.iter_mut().zip(self.s.iter().zip(x)) {
            *w += loss / whole * y * s * x;
        }
        for (j, s) in self.s.iter_mut().enumerate() {
            let others: f64 = parts[..j].iter().chain(&parts[j + 1..]).sum::<f64>() + self.r;
            *s *= others / whole;
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.w, x), length(&self.w) * length(x))
    }
}

/// Full AROW once more, by orthogonal rotations in 32 digits: on the updated rows it is ridge
/// regression on y, `w = argmin r |w|^2 + sum (y - w.x)^2`. Right for rows of any size.
pub(crate) struct ArowRidge {
    /// Upper triangular, `R'R = r I + X`.
    upper: Vec<Vec<Twofold>>,
    target: Vec<Twofold>,
    pub(crate) w: Vec<f64>,
    r: f64,
    /// `sum of |x|^2`: over r, the condition of the problem is at most 1 more than that.
    trace: f64,
    updates: f64,
}

impl ArowRidge {
    pub(crate) fn new(slots: usize, r: f64) -> Self {
        let mut upper = vec![vec![Twofold::default(); slots]; slots];
        for (i, row) in upper.iter_mut().enumerate() {
            row[i] = Twofold::from(r).sqrt();
        }
        let target = vec![Twofold::default(); slots];
        ArowRidge {
            upper,
            target,
            w: vec![0.0; slots],
            r,
            trace: 0.0,
            updates: 0.0,
        }
    }

    /// An upper bound of the condition number of `r I + X`.
    pub(crate) fn condition(&self) -> f64 {
        1.0 + self.trace / self.r
    }

    /// What least squares can leave, in units of w: `(n/|X|)^(1/2)`. Rounding is measured by that, too, where
    /// labels that cancel leave a w next to nothing (Wedin 1973).
    pub(crate) fn left(&self) -> f64 {
        (self.updates / self.trace.max(f64::MIN_POSITIVE)).sqrt()
    }

    /// `x'(r I + X)^-1 x`, that is `|R'^-1 x|^2`.
    pub(crate) fn square(&self, x: &[f64]) -> f64 {
        let mut known: Vec<Twofold> = Vec::new();
        for (i, x) in x.iter().enumerate() {
            let above = self.upper.iter().zip(&known);
            let rest = above.fold(Twofold::from(*x), |rest, (row, k)| rest - row[i] * *k);
            known.push(rest / self.upper[i][i]);
        }
        let sum = |sum: Twofold, k: &Twofold| sum + *k * *k;
        known.iter().fold(Twofold::default(), sum).value()
    }

    /// `(a, b)` turned so that `b` vanishes where `(p, q)` does.
    fn turn((p, q): (Twofold, Twofold), a: &mut Twofold, b: &mut Twofold) {
        (*a, *b) = (p * *a + q * *b, p * *b - q * *a);
    }
}

impl Definition for ArowRidge {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        judge_arow(&self.w, x, y)
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if !update {
            return;
        }
        let mut row: Vec<Twofold> = x.iter().map(|v| Twofold::from(*v)).collect();
        let mut value = Twofold::from(y);
        for (i, upper) in self.upper.iter_mut().enumerate() {
            if row[i].value() != 0.0 {
                let radius = (upper[i] * upper[i] + row[i] * row[i]).sqrt();
                let by = (upper[i] / radius, row[i] / radius);
                for (u, x) in upper.iter_mut().zip(&mut row).skip(i) {
                    Self::turn(by, u, x);
                }
                Self::turn(by, &mut self.target[i], &mut value);
            }
        }
        let mut w = vec![Twofold::default(); x.len()];
        for i in (0..x.len()).rev() {
            let known = self.upper[i].iter().zip(&w).skip(i + 1);
            let rest = known.fold(self.target[i], |rest, (u, w)| rest - *u * *w);
            w[i] = rest / self.upper[i][i];
        }
        self.w = w.into_iter().map(Twofold::value).collect();
        self.trace += dot(x, x);
        self.updates += 1.0;
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.w, x), length(&self.w) * length(x))
    }
}
