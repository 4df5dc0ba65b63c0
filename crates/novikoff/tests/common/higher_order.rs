//! The higher-order perceptron as docs/theory/higher-order.md#higher-order-perceptron defines it, with the matrix B written out.

use novikoff::learner::Hypothesis;

use super::definition::{Definition, Judgement, dual, link, wrong};
use super::matrix::{Matrix, apply, dot, identity, norm, plus};

/// p, c, the schedule's name and tau.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    pub(crate) p: f64,
    pub(crate) c: f64,
    pub(crate) schedule: &'static str,
    pub(crate) tau: f64,
}

impl Keys {
    /// Without a margin.
    pub(crate) const fn new(p: f64, schedule: &'static str, c: f64) -> Self {
        Keys {
            p,
            c,
            schedule,
            tau: 0.0,
        }
    }

    pub(crate) fn spec(&self, form: &str) -> String {
        let Keys {
            p,
            c,
            schedule,
            tau,
        } = self;
        format!("higher-order:p={p},c={c},schedule={schedule},margin={tau},form={form}")
    }
}

/// `w = B'g(Bv)`; `B <- B (I - rho x g(x)')`.
pub(crate) struct HigherOrder {
    keys: Keys,
    b: Matrix,
    v: Vec<f64>,
    w: Vec<f64>,
    k: f64,
    /// The largest `|v|_p` so far: w is next to nothing where labels cancel or B has shrunk.
    size: f64,
}

impl HigherOrder {
    pub(crate) fn new(slots: usize, keys: Keys) -> Self {
        HigherOrder {
            keys,
            b: identity(slots, 1.0),
            v: vec![0.0; slots],
            w: vec![0.0; slots],
            k: 1.0,
            size: 0.0,
        }
    }

    pub(crate) fn b(&self) -> &Matrix {
        &self.b
    }

    /// rho_k for a row of label y, and r_k.
    pub(crate) fn rho(&self, x: &[f64], y: f64) -> (f64, f64) {
        let Keys { p, c, schedule, .. } = self.keys;
        let vx = dot(&link(x, p), &self.v);
        let rho = match schedule {
            "harmonic" => c / self.k,
            "sparse" if y * vx >= 0.0 => c / self.k,
            "sparse" => 0.0,
            "cap" => (1.0 - c) / (1.0 + vx.abs()),
            _ => c,
        };
        (rho, 1.0 - rho * y * vx - rho * norm(x, p).powi(2))
    }

    fn scale(&self, x: &[f64]) -> f64 {
        let size = norm(&self.w, dual(self.keys.p)).max(1e-5 * self.size);
        size * norm(x, self.keys.p)
    }
}

impl Definition for HigherOrder {
    fn judge(&mut self, x: &[f64], y: f64) -> Judgement {
        let margin = dot(&self.w, x);
        Judgement {
            margin,
            scale: self.scale(x).max(self.keys.tau),
            updates: wrong(margin, y, self.keys.tau),
            edge: (y * margin - self.keys.tau).abs(),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if !update {
            return;
        }
        let p = self.keys.p;
        let (rho, _) = self.rho(x, y);
        let (bx, gx) = (apply(&self.b, x), link(x, p));
        self.v = plus(&self.v, y, x);
        for (row, bx) in self.b.iter_mut().zip(bx) {
            *row = plus(row, -rho * bx, &gx);
        }
        self.k += 1.0;
        let z = link(&apply(&self.b, &self.v), p);
        self.w = vec![0.0; x.len()];
        for (row, z) in self.b.iter().zip(z) {
            self.w = plus(&self.w, z, row);
        }
        self.size = self.size.max(norm(&self.v, p));
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn rounding(&self) -> f64 {
        1e-5 * self.size
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        (dot(&self.w, x), self.scale(x))
    }
}
