//! What theorems speak about: finished runs, comparators, hinge losses.

use novikoff::random::SplitMix64;

use super::matrix::{Matrix, add_outer, dot, eigen, identity, length, norm, times};
use super::stream::{Stream, gaussian};
use super::{learner_for, trial};

/// One trial of a finished run.
pub(crate) struct Past {
    row: usize,
    pub(crate) y: f64,
    pub(crate) margin: f64,
    pub(crate) updated: bool,
}

impl Past {
    pub(crate) fn mistake(&self) -> bool {
        (if self.margin >= 0.0 { 1.0 } else { -1.0 }) != self.y
    }
}

/// A finished run.
pub(crate) struct Run {
    pub(crate) name: String,
    /// The rows of one epoch, with y.
    rows: Vec<(Vec<f64>, f64)>,
    pub(crate) trials: Vec<Past>,
}

impl Run {
    /// Runs `epochs` epochs.
    pub(crate) fn of(spec: &str, stream: &Stream, epochs: usize) -> Self {
        let mut learner = learner_for(spec, stream);
        let mut trials = Vec::new();
        for _ in 0..epochs {
            for (row, sample) in stream.samples.iter().enumerate() {
                let (margin, updated) =
                    trial(&mut *learner, sample.row(), sample.positive).unwrap();
                trials.push(Past {
                    row,
                    y: sample.y(),
                    margin,
                    updated,
                });
            }
        }
        Run {
            name: format!("{spec} on {}", stream.name),
            rows: stream.plain(),
            trials,
        }
    }

    pub(crate) fn mistakes(&self) -> f64 {
        self.trials.iter().filter(|t| t.mistake()).count() as f64
    }

    pub(crate) fn updates(&self) -> f64 {
        self.trials.iter().filter(|t| t.updated).count() as f64
    }

    /// The rows of all trials, and whether there was an update.
    pub(crate) fn past(&self) -> impl Iterator<Item = (&[f64], bool)> {
        let past = |t: &Past| (t.row, t.updated);
        let past = self.trials.iter().map(past);
        past.map(|(row, updated)| (&self.rows[row].0[..], updated))
    }

    /// The rows of the updates, in order.
    fn updated(&self) -> impl Iterator<Item = &[f64]> {
        self.trials
            .iter()
            .filter(|t| t.updated)
            .map(|t| &self.rows[t.row].0[..])
    }

    /// The sum of `f(x)` over the updates.
    pub(crate) fn over_updates(&self, f: impl Fn(&[f64]) -> f64) -> f64 {
        self.updated().map(f).sum()
    }

    /// The largest `f(x)` of all trials.
    pub(crate) fn largest(&self, f: impl Fn(&[f64]) -> f64) -> f64 {
        self.rows.iter().map(|(x, _)| f(x)).fold(0.0, f64::max)
    }

    /// `xi_t(U) = max(0, 1 - y_t U.x_t)` of all trials.
    pub(crate) fn slacks(&self, u: &[f64]) -> impl Iterator<Item = f64> {
        let slack = |(x, y): &(Vec<f64>, f64)| (1.0 - y * dot(u, x)).max(0.0);
        let once: Vec<f64> = self.rows.iter().map(slack).collect();
        self.trials.iter().map(move |t| once[t.row])
    }

    /// `L(U)`: over all trials of the run.
    pub(crate) fn hinge(&self, u: &[f64]) -> f64 {
        self.slacks(u).sum()
    }

    /// `max(0, 1 - y m)` of the learner's own margins.
    pub(crate) fn losses(&self) -> impl Iterator<Item = f64> {
        self.trials.iter().map(|t| (1.0 - t.y * t.margin).max(0.0))
    }

    /// The rank of the updated rows, and the smallest positive eigenvalue of `sum of x x'` at any time.
    pub(crate) fn spectrum(&self) -> (f64, f64) {
        let mut sum = identity(self.rows[0].0.len(), 0.0);
        let (mut rank, mut least) = (0.0, f64::INFINITY);
        for x in self.updated() {
            add_outer(&mut sum, 1.0, x);
            let values = eigen(sum.clone()).0;
            let top = values.iter().fold(0.0_f64, |m, v| m.max(*v));
            let positive = values.iter().filter(|v| **v > 1e-10 * top);
            rank = positive.clone().count() as f64;
            least = positive.fold(least, |m, v| m.min(*v));
        }
        (rank, least)
    }

    /// `sum of x x'` over the updates.
    pub(crate) fn correlation(&self) -> Matrix {
        let mut sum = identity(self.rows[0].0.len(), 0.0);
        self.updated().for_each(|x| add_outer(&mut sum, 1.0, x));
        sum
    }
}

/// `E(L, b)`: the solution of `m <= L + b sqrt(m)`.
pub(crate) fn solved(hinge: f64, b: f64) -> f64 {
    f64::midpoint(b, (b * b + 4.0 * hinge).sqrt()).powi(2)
}

/// The planted hyperplane at margin 1 over all rows, if it separates them.
pub(crate) fn separating(stream: &Stream) -> Option<Vec<f64>> {
    let margins = stream
        .plain()
        .into_iter()
        .map(|(x, y)| y * dot(&stream.planted, &x));
    let least = margins.fold(f64::INFINITY, f64::min);
    (least > 0.0).then(|| times(1.0 / least, &stream.planted))
}

/// Vectors to compete with: the planted one, the mean of the rows and random ones, in several lengths.
pub(crate) fn comparators(stream: &Stream, seed: u64) -> Vec<Vec<f64>> {
    let mut g = SplitMix64::new(seed ^ 0xC0_4A);
    let mut mean = vec![0.0; stream.slots()];
    let mut size = 0.0;
    for (x, y) in stream.plain() {
        mean = super::matrix::plus(&mean, y, &x);
        size += length(&x) / stream.samples.len() as f64;
    }
    let random = (0..stream.slots()).map(|_| gaussian(&mut g)).collect();
    let one = {
        let mut one = vec![0.0; stream.slots()];
        let at = g.below(stream.slots());
        one[at] = if mean[at] >= 0.0 { 1.0 } else { -1.0 };
        one
    };
    let mut all = Vec::new();
    for direction in [stream.planted.clone(), mean, random, one] {
        let unit = times(1.0 / length(&direction).max(f64::MIN_POSITIVE), &direction);
        all.extend([0.1, 0.5, 1.0, 3.0, 20.0].map(|c| times(c / size, &unit)));
    }
    all.extend(separating(stream));
    all
}

/// Counts against bounds, and how near they came.
#[derive(Default)]
pub(crate) struct Checks {
    checked: usize,
    pub(crate) tightest: f64,
}

impl Checks {
    /// `count <= bound`, up to rounding.
    pub(crate) fn check(&mut self, run: &Run, theorem: &str, count: f64, bound: f64) {
        assert!(
            count <= bound * (1.0 + 1e-9),
            "{theorem}: {count} > {bound}: {}",
            run.name
        );
        self.checked += 1;
        if bound > 0.0 {
            self.tightest = self.tightest.max(count / bound);
        }
    }

    /// That something was checked and that a bound smaller by `1/share` would have been broken.
    pub(crate) fn came_within(&self, share: f64) {
        assert!(self.checked >= 10, "only {} checks", self.checked);
        assert!(
            self.tightest >= share,
            "never nearer than {} to the bound",
            self.tightest
        );
    }
}

/// The q-norm of the comparator's side.
pub(crate) fn dual_norm(u: &[f64], p: f64) -> f64 {
    norm(u, p / (p - 1.0))
}
