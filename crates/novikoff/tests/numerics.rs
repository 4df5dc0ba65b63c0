//! Rounding of the second-order perceptron over long streams, at every scale and condition, beside a
//! reference of 32 digits: `cargo xtask campaign` runs the whole, the tests a small part.
//!
//! **The band.** `w = A^-1 v` with `A = a I + XX'` minimises `a |w|^2 + sum (y - w.x)^2`: least squares. A
//! backward-stable method gives the exact solution for other rows, each wrong by a few units in its last
//! place. Rows wrong by E change w by `A^-1 (E r - X E'w)` to first order, r what is left of the y, so w is wrong by
//! at most `C u |A^-1| (|A| |w| + |X| rho)`: u = 2^-53, `|X|^2 = sum |x|^2`, and `rho^2 = n - v.w` the minimum.
//! Scores are then wrong by at most that times `|x|`. C = 100 here, as in reliability.md 27, which has the
//! first term only: `100 condition 2^-53 |w| |x|`; the second counts where labels cancel in w. Signs outside the
//! band must be right, everything must be finite. The dual form has a band of its own: the condition is that of `a I + G`, which is
//! `|A|/a` as G is singular here, and where it takes a larger a the difference counts.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout)]

use crate::common;

use common::matrix::{Matrix, eigen, length};
use common::stream::gaussian;
use common::twofold::Twofold;
use common::{learner, score, trial};
use novikoff::learner::Hypothesis;
use novikoff::random::SplitMix64;
use novikoff::row::Row;

const UNIT: f64 = f64::EPSILON / 2.0;
const BAND: f64 = 100.0;
const FEATURES: usize = 6;
const PROBES: usize = 40;

/// The rows of the updates, summed in 32 digits: their products are exact in f64.
struct Reference {
    matrix: Vec<Vec<Twofold>>,
    v: Vec<Twofold>,
    updates: f64,
}

/// What the reference says at one moment.
struct Truth {
    w: Vec<Twofold>,
    /// `|A|` and `|A^-1|`.
    norm: f64,
    inverse: f64,
    /// `|X| rho`.
    left: f64,
    /// How wrong w may be for other reasons, relative to its size.
    allowed: f64,
}

impl Truth {
    /// The dual form solves with `a I + G`, G singular, and takes a for at least 4e-9 of `|x|^2`.
    fn limit(&mut self, a: f64, longest: f64) {
        let least = 4e-9 * longest;
        self.allowed = (least - a).max(0.0) * self.inverse;
        self.inverse = 1.0 / a.max(1e-9 * longest);
    }
}

impl Reference {
    fn new() -> Self {
        Reference {
            matrix: vec![vec![Twofold::default(); FEATURES]; FEATURES],
            v: vec![Twofold::default(); FEATURES],
            updates: 0.0,
        }
    }

    fn add(&mut self, x: &[f32], y: f64) {
        let x: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
        for (i, xi) in x.iter().enumerate() {
            for (entry, xj) in self.matrix[i].iter_mut().zip(&x).take(i + 1) {
                *entry = *entry + Twofold::from(xi * xj);
            }
            self.v[i] = self.v[i] + Twofold::from(y * xi);
        }
        self.updates += 1.0;
    }

    /// L of `a I + XX' = L L'`.
    fn factor(&self, a: f64) -> Vec<Vec<Twofold>> {
        let mut l = vec![vec![Twofold::default(); FEATURES]; FEATURES];
        for i in 0..FEATURES {
            for j in 0..=i {
                let known = l[i].iter().zip(&l[j]).take(j);
                let start = if i == j { a } else { 0.0 };
                let start = self.matrix[i][j] + Twofold::from(start);
                let rest = known.fold(start, |rest, (p, q)| rest - *p * *q);
                l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
            }
        }
        l
    }

    fn truth(&self, a: f64) -> Truth {
        let l = self.factor(a);
        let w = solve(&l, &self.v);
        let unit = |i| {
            let mut e = vec![Twofold::default(); FEATURES];
            e[i] = Twofold::from(1.0);
            e
        };
        let inverse: Matrix = (0..FEATURES)
            .map(|i| values(&solve(&l, &unit(i))))
            .collect();
        let entry = |i: usize, j: usize| {
            let added = if i == j { a } else { 0.0 };
            self.matrix[i.max(j)][i.min(j)].value() + added
        };
        let row = |i| (0..FEATURES).map(|j| entry(i, j)).collect();
        let matrix: Matrix = (0..FEATURES).map(row).collect();
        let top = |m: Matrix| eigen(m).0.into_iter().fold(0.0, f64::max);
        let reported = inner(&self.v, &w);
        let trace: f64 = (0..FEATURES).map(|i| self.matrix[i][i].value()).sum();
        let rho = (Twofold::from(self.updates) - reported)
            .value()
            .max(0.0)
            .sqrt();
        Truth {
            w,
            norm: top(matrix),
            inverse: top(inverse),
            left: rho * trace.sqrt(),
            allowed: 0.0,
        }
    }
}

fn values(v: &[Twofold]) -> Vec<f64> {
    v.iter().map(|v| v.value()).collect()
}

fn inner(a: &[Twofold], b: &[Twofold]) -> Twofold {
    let sum = |sum: Twofold, (a, b): (&Twofold, &Twofold)| sum + *a * *b;
    a.iter().zip(b).fold(Twofold::default(), sum)
}

/// `(L L')^-1 b`.
fn solve(l: &[Vec<Twofold>], b: &[Twofold]) -> Vec<Twofold> {
    let mut x = b.to_vec();
    for i in 0..x.len() {
        let rest = inner(&l[i][..i], &x[..i]);
        x[i] = (x[i] - rest) / l[i][i];
    }
    for i in (0..x.len()).rev() {
        x[i] = x[i] / l[i][i];
        for j in 0..i {
            x[j] = x[j] - l[i][j] * x[i];
        }
    }
    x
}

/// One stream: the learner, the size of its rows, and how they lie.
struct Cell {
    spec: &'static str,
    scale: f64,
    /// The largest and the smallest of their directions, as a ratio; of few directions if infinite.
    spread: f64,
    updates: u64,
    checkpoints: u64,
}

#[derive(Default)]
struct Outcome {
    probes: u64,
    wrong: u64,
    /// Wrong signs outside the band.
    outside: u64,
    /// The largest condition number.
    condition: f64,
    /// The worst error in hundredths of the band.
    worst: f64,
    /// The worst error over `|w| |x|`.
    relative: f64,
}

impl Cell {
    /// Rows in directions that are not those of the features.
    fn directions(&self, g: &mut SplitMix64) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = Vec::new();
        while all.len() < FEATURES {
            let mut v: Vec<f64> = (0..FEATURES).map(|_| gaussian(g)).collect();
            for q in &all {
                let c: f64 = q.iter().zip(&v).map(|(q, v)| q * v).sum();
                v.iter_mut().zip(q).for_each(|(v, q)| *v -= c * q);
            }
            let size = length(&v);
            all.push(v.into_iter().map(|v| v / size).collect());
        }
        for (i, direction) in all.iter_mut().enumerate() {
            let size = if self.spread.is_infinite() {
                f64::from(u8::from(i < 3))
            } else {
                self.spread.powf(-(i as f64) / (FEATURES - 1) as f64)
            };
            for v in direction.iter_mut() {
                *v *= self.scale * size;
            }
        }
        all
    }

    fn run(&self, seed: u64) -> Outcome {
        let mut g = SplitMix64::new(seed);
        let directions = self.directions(&mut g);
        let draw = |g: &mut SplitMix64| {
            let by: Vec<f64> = directions.iter().map(|_| gaussian(g)).collect();
            let value = |j: usize| {
                by.iter()
                    .zip(&directions)
                    .map(|(c, d)| c * d[j])
                    .sum::<f64>()
            };
            let row: Vec<f32> = (0..FEATURES).map(|j| value(j) as f32).collect();
            (row, by[0] + by[1] > 0.0)
        };
        let mut learner = learner(self.spec, FEATURES as u32);
        let mut reference = Reference::new();
        let mut outcome = Outcome::default();
        let mut longest = 0.0_f64;
        let (mut updates, mut next) = (0, 1);
        while updates < self.updates {
            let (row, right) = draw(&mut g);
            let x = Row::dense(&row);
            longest = longest.max(x.norm_sq());
            // half of the labels contradict the learner, so that it never stops learning
            let positive = if g.uniform() < 0.5 {
                score(&*learner, x, Hypothesis::Final) < 0.0
            } else {
                right
            };
            let (margin, updated) = trial(&mut *learner, x, positive).unwrap();
            assert!(margin.is_finite());
            if !updated {
                continue;
            }
            updates += 1;
            reference.add(&row, if positive { 1.0 } else { -1.0 });
            if updates >= next {
                // dense at first, where sizes change most
                next = (updates + 1)
                    .max(updates * 9 / 8)
                    .min(updates + self.updates.div_ceil(self.checkpoints));
                let a = if self.spec.contains("adaptive") {
                    0.1 * longest * (updates + 1) as f64
                } else {
                    1.0
                };
                let probes: Vec<Vec<f32>> = (0..PROBES).map(|_| draw(&mut g).0).collect();
                // a row no longer than those so far, or w would have to change
                let known = probes
                    .into_iter()
                    .filter(|p| Row::dense(p).norm_sq() <= longest);
                let scored =
                    known.map(|p| (score(&*learner, Row::dense(&p), Hypothesis::Final), p));
                let mut truth = reference.truth(a);
                if self.spec == "second-order:form=dual" {
                    truth.limit(a, longest);
                }
                outcome.probe(&truth, scored);
            }
        }
        outcome
    }
}

impl Outcome {
    fn probe(&mut self, truth: &Truth, scored: impl Iterator<Item = (f64, Vec<f32>)>) {
        let condition = truth.norm * truth.inverse;
        self.condition = self.condition.max(condition);
        let size = length(&values(&truth.w));
        for (got, row) in scored {
            let x: Vec<Twofold> = row.iter().map(|x| Twofold::from(f64::from(*x))).collect();
            let long = length(&values(&x));
            let want = inner(&truth.w, &x);
            let error = (Twofold::from(got) - want).value().abs();
            let rounding = UNIT * truth.inverse * (truth.norm * size + truth.left);
            let band = (rounding + truth.allowed / BAND * size) * long;
            assert!(got.is_finite());
            self.probes += 1;
            let wrong = (got >= 0.0) != (want.value() >= 0.0);
            self.wrong += u64::from(wrong);
            self.outside += u64::from(wrong && want.value().abs() > BAND * band);
            self.worst = self.worst.max(error / band);
            self.relative = self.relative.max(error / (size * long));
        }
    }
}

fn campaign(updates: u64, checkpoints: u64, scales: &[f64]) -> u64 {
    println!(
        "| learner | updates | scale | spread | condition | probes | wrong signs | outside the band | error, of the band | error, of w x |"
    );
    println!("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    let mut outside = 0;
    for (spec, most) in [
        ("second-order:form=primal", updates),
        ("second-order", updates),
        ("second-order:form=dual", (updates / 2).min(1000)),
        ("second-order:a=adaptive", updates),
        ("second-order:a=adaptive,form=dual", (updates / 4).min(500)),
    ] {
        for &scale in scales {
            for spread in [1.0, 1e3, 1e6, f64::INFINITY] {
                let cell = Cell {
                    spec,
                    scale,
                    spread,
                    updates: most,
                    checkpoints,
                };
                let seen = cell.run(7);
                println!(
                    "| {spec} | {most} | {scale:.0e} | {} | {:.0e} | {} | {} | {} | {:.1e} | {:.0e} |",
                    if spread.is_finite() {
                        format!("{spread:.0e}")
                    } else {
                        "rank 3".to_owned()
                    },
                    seen.condition,
                    seen.probes,
                    seen.wrong,
                    seen.outside,
                    seen.worst / BAND,
                    seen.relative,
                );
                outside += seen.outside;
            }
        }
    }
    outside
}

#[test]
fn a_small_campaign() {
    assert_eq!(campaign(1200, 20, &[1e-8, 1.0, 1e4, 1e8]), 0);
}

/// `NOVIKOFF_UPDATES`, if not a million.
#[test]
#[ignore = "minutes; cargo xtask campaign"]
fn the_whole_campaign() {
    let text = std::env::var("NOVIKOFF_UPDATES").ok();
    let updates = text.and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let scales = [1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6, 1e8];
    assert_eq!(campaign(updates, 300, &scales), 0);
}
