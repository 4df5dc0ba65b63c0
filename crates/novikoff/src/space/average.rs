//! The average of weight vectors over trials, kept at the cost of the updates.
//!
//! With `w = s v` (the factor s is lazy, and a rule may have a factor of its own), the sum of the vectors after each trial so far is
//! `A v + r`, where A is the sum of the factors. A trial adds its factor to A; an update `v <- v + c x` makes `r <- r - A c x`. So a
//! trial costs O(1) per vector, and an update as much again as without the average.

use super::primal::grow;

/// `A v` and r cancel where factors shrink. Where A is this many times what trials of the present factor would have made it, A v moves
/// to r: at most three digits of sixteen are lost, and the cost of all slots is paid once per thousandfold shrinking.
const CANCELLED: f64 = 1e3;

/// What is kept of several vectors beside themselves. Numbers of slots are stored as the vectors are: slot `j` of vector `k` is at
/// `j * stride + k`.
#[derive(Clone, Debug, Default)]
pub(super) struct Average {
    /// r.
    pub(super) rest: Vec<f64>,
    /// A of each vector.
    pub(super) factors: Vec<f64>,
    /// Trials so far, those of all vectors.
    pub(super) trials: u64,
}

impl Average {
    /// No trial yet, of `lanes` vectors in `len` numbers.
    pub(super) fn new(len: usize, lanes: usize) -> Self {
        Average {
            rest: vec![0.0; len],
            factors: vec![0.0; lanes],
            trials: 0,
        }
    }

    /// Makes room for `len` numbers.
    pub(super) fn reach(&mut self, len: usize) {
        grow(&mut self.rest, len, 0.0);
    }

    /// Moves `A v` of vector `k` to r, so that v may be replaced; `w` holds all v.
    pub(super) fn settle(&mut self, w: &[f64], stride: usize, k: usize) {
        let times = std::mem::take(&mut self.factors[k]);
        if times != 0.0 {
            let (rest, v) = (self.rest.iter_mut().skip(k), w.iter().skip(k));
            for (rest, v) in rest.step_by(stride).zip(v.step_by(stride)) {
                *rest += times * v;
            }
        }
    }

    /// A trial has ended, after which vector `k` is `factor(k)` times its v.
    pub(super) fn end_trial(&mut self, w: &[f64], stride: usize, factor: impl Fn(usize) -> f64) {
        self.trials = self.trials.saturating_add(1);
        let trials = self.trials as f64;
        for k in 0..self.factors.len() {
            let factor = factor(k);
            self.factors[k] += factor;
            if self.factors[k].abs() > CANCELLED * trials * factor.abs() {
                self.settle(w, stride, k);
            }
        }
    }

    /// What `<v, x>` is to be multiplied by, and what the sum with `<r, x>` is to be divided by.
    pub(super) fn times(&self, k: usize) -> (f64, f64) {
        (self.factors[k], self.trials as f64)
    }
}
