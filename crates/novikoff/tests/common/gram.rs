//! Learners that need inner products only, as their definitions say: slow, plain, on all values of the kernel.
//! Written from docs/theory/perceptron.md, docs/theory/budget-shifting.md and docs/theory/selective.md, not from the code under test.

use novikoff::kernel::{Kernel, KernelShape};
use novikoff::learner::Learner;
use novikoff::random::SplitMix64;
use novikoff::spec::Spec;

use super::matrix::{Matrix, dot, solve};
use super::stream::Stream;
use super::{MEMORY, trial};

/// The values of a kernel for all pairs of rows, by its formula. Slot 0 is the constant feature.
pub(crate) fn values(kernel: Kernel, rows: &[&[f64]]) -> Matrix {
    let inner = |i: usize, j: usize| dot(&rows[i][1..], &rows[j][1..]);
    let plain = |i: usize, j: usize| {
        let shaped = match kernel.shape {
            KernelShape::Linear => inner(i, j),
            KernelShape::Poly {
                degree,
                coef0,
                gamma,
            } => (coef0 + gamma * inner(i, j)).powi(degree as i32),
            KernelShape::Gaussian { gamma } => {
                (-gamma * (inner(i, i) + inner(j, j) - 2.0 * inner(i, j))).exp()
            }
        };
        shaped + rows[i][0] * rows[j][0]
    };
    let own: Vec<f64> = (0..rows.len()).map(|i| plain(i, i)).collect();
    let value = |i: usize, j: usize| match own[i] * own[j] {
        _ if !kernel.cosine => plain(i, j),
        0.0 => 0.0,
        product => plain(i, j) / product.sqrt(),
    };
    let row = |i| (0..rows.len()).map(|j| value(i, j)).collect();
    (0..rows.len()).map(row).collect()
}

/// The kernel's values for all pairs of rows, with y.
pub(crate) struct Gram {
    pub(crate) values: Matrix,
    pub(crate) labels: Vec<f64>,
}

impl Gram {
    pub(crate) fn of(stream: &Stream, kernel: Kernel) -> Self {
        let rows = stream.plain();
        let spread: Vec<&[f64]> = rows.iter().map(|(x, _)| &x[..]).collect();
        Gram {
            values: values(kernel, &spread),
            labels: rows.iter().map(|(_, y)| *y).collect(),
        }
    }

    /// `sum c_i K(x_i, x_t)`, and what its rounding is measured against.
    fn sum(&self, terms: &[(usize, f64)], t: usize) -> (f64, f64) {
        let size = |i: usize| self.values[i][i].sqrt() * self.values[t][t].sqrt();
        let value = terms.iter().map(|&(i, c)| c * self.values[i][t]).sum();
        let scale = terms.iter().map(|&(i, c)| c.abs() * size(i)).sum();
        (value, scale)
    }

    /// `(a I + G)^-1 b` over the given rows.
    pub(crate) fn solve(&self, rows: &[usize], a: f64, b: &[f64]) -> Vec<f64> {
        let entry =
            |i: usize, j: usize| self.values[rows[i]][rows[j]] + if i == j { a } else { 0.0 };
        let all = 0..rows.len();
        let matrix = all
            .clone()
            .map(|i| all.clone().map(|j| entry(i, j)).collect());
        solve(matrix.collect(), b)
    }
}

/// What a definition says of a trial.
pub(crate) struct Judged {
    pub(crate) margin: f64,
    /// The learner may say this instead.
    pub(crate) or: f64,
    pub(crate) scale: f64,
    pub(crate) updates: bool,
    /// A decision other than the sign of the margin was too near to call.
    pub(crate) doubtful: bool,
}

impl Judged {
    fn sum((margin, scale): (f64, f64), updates: bool) -> Self {
        Judged {
            margin,
            or: margin,
            scale,
            updates,
            doubtful: false,
        }
    }
}

/// A learner, defined.
pub(crate) trait Slow {
    /// Trial t: what it says, and its update.
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged;
}

pub(crate) fn wrong(margin: f64, y: f64) -> bool {
    (margin >= 0.0) != (y > 0.0)
}

/// 9.4.
#[derive(Default)]
pub(crate) struct Forgetron {
    pub(crate) budget: usize,
    /// Rows, y and sig, oldest first.
    list: Vec<(usize, f64, f64)>,
    q: f64,
    n: f64,
}

impl Forgetron {
    pub(crate) fn new(budget: usize) -> Self {
        Forgetron {
            budget,
            ..Forgetron::default()
        }
    }

    /// How many rows are kept.
    pub(crate) fn rows(&self) -> usize {
        self.list.len()
    }

    fn terms(&self) -> Vec<(usize, f64)> {
        self.list.iter().map(|&(i, y, sig)| (i, y * sig)).collect()
    }
}

impl Slow for Forgetron {
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged {
        let (f, y) = (gram.sum(&self.terms(), t), gram.labels[t]);
        let mistake = wrong(f.0, y);
        if mistake {
            // where the budget has become smaller
            while self.list.len() > self.budget {
                self.list.remove(0);
            }
            self.n += 1.0;
            self.list.push((t, y, 1.0));
            if self.list.len() > self.budget {
                let (r, y_r, sig) = self.list[0];
                let mu = y_r * gram.sum(&self.terms(), r).0;
                let (a0, b0) = (sig * sig - 2.0 * sig * mu, 2.0 * sig);
                let c0 = self.q - 15.0 / 32.0 * self.n;
                let phi = if a0 + b0 + c0 <= 0.0 {
                    1.0
                } else {
                    -2.0 * c0 / (b0 + (b0 * b0 - 4.0 * a0 * c0).sqrt())
                };
                assert!(phi > 0.0 && phi <= 1.0 + 1e-12, "{phi}");
                self.q += (phi * sig).powi(2) + 2.0 * phi * sig - 2.0 * phi * phi * sig * mu;
                self.list.remove(0);
                for (_, _, sig) in &mut self.list {
                    *sig *= phi;
                }
            }
        }
        Judged::sum(f, mistake)
    }
}

/// 9.5.
pub(crate) struct RandomBudget {
    pub(crate) budget: usize,
    pub(crate) random: SplitMix64,
    pub(crate) list: Vec<(usize, f64)>,
}

impl Slow for RandomBudget {
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged {
        let (f, y) = (gram.sum(&self.list, t), gram.labels[t]);
        let mistake = wrong(f.0, y);
        if mistake {
            while self.list.len() > self.budget {
                self.list.remove(0);
            }
            if self.list.len() == self.budget {
                let gone = (self.random.uniform() * self.budget as f64).floor() as usize;
                self.list.remove(gone);
            }
            self.list.push((t, y));
        }
        Judged::sum(f, mistake)
    }
}

/// 9.6.
#[derive(Default)]
pub(crate) struct Projectron {
    pub(crate) eta: f64,
    pub(crate) plus: bool,
    pub(crate) list: Vec<(usize, f64)>,
}

impl Slow for Projectron {
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged {
        let (f, y) = (gram.sum(&self.list, t), gram.labels[t]);
        let (mistake, k) = (wrong(f.0, y), gram.values[t][t]);
        let mut judged = Judged::sum(f, mistake);
        let loss = 1.0 - y * f.0;
        // right after an update the loss is 0 up to rounding
        judged.doubtful = self.plus && (loss - 1e-9).abs() < 1e-11 * (1.0 + f.1);
        if !mistake && (!self.plus || loss <= 1e-9 || self.list.is_empty()) || judged.doubtful {
            return judged;
        }
        let rows: Vec<usize> = self.list.iter().map(|&(i, _)| i).collect();
        let kx: Vec<f64> = rows.iter().map(|&i| gram.values[i][t]).collect();
        let zc = gram.solve(&rows, 0.0, &kx);
        let del = (k - dot(&kx, &zc)).max(0.0).sqrt();
        judged.doubtful = (del - self.eta).abs() < 1e-6 * k.sqrt();
        let step = if mistake && (self.list.is_empty() || del > self.eta) {
            self.list.push((t, y));
            return judged;
        } else if mistake {
            1.0
        } else {
            let (px, spare) = (k - del * del, loss - del / self.eta);
            judged.updates = px > 0.0 && spare > 0.0;
            judged.doubtful = spare.abs() < 1e-6 * (1.0 + k.sqrt() / self.eta);
            if !judged.updates {
                return judged;
            }
            (loss / px).min(2.0 * spare / px).min(1.0)
        };
        for ((_, c), z) in self.list.iter_mut().zip(zc) {
            *c += y * step * z;
        }
        judged
    }
}

/// 9.7.
pub(crate) struct Shifting {
    pub(crate) lambda: f64,
    pub(crate) list: Vec<(usize, f64)>,
}

impl Slow for Shifting {
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged {
        let (f, y) = (gram.sum(&self.list, t), gram.labels[t]);
        let mistake = wrong(f.0, y);
        if mistake {
            let l = self.lambda / (self.lambda + self.list.len() as f64);
            for (_, c) in &mut self.list {
                *c *= 1.0 - l;
            }
            self.list.push((t, l * y));
        }
        Judged::sum(f, mistake)
    }
}

/// 9.1.
pub(crate) struct SelectivePerceptron {
    pub(crate) b: f64,
    pub(crate) margin: f64,
    pub(crate) random: SplitMix64,
    pub(crate) list: Vec<(usize, f64)>,
    pub(crate) queries: u64,
}

impl Slow for SelectivePerceptron {
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged {
        let (f, y) = (gram.sum(&self.list, t), gram.labels[t]);
        let (z, level) = (self.random.uniform(), self.b / (self.b + f.0.abs()));
        let asks = z < level;
        self.queries += u64::from(asks);
        let wants = wrong(f.0, y) || (self.margin > 0.0 && y * f.0 <= self.margin);
        if asks && wants {
            self.list.push((t, y));
        }
        let mut judged = Judged::sum(f, asks && wants);
        judged.doubtful = (z - level).abs() < 1e-9 || (y * f.0 - self.margin).abs() < 1e-9 * f.1;
        judged.doubtful &= self.margin > 0.0 || (z - level).abs() < 1e-9;
        judged
    }
}

/// 9.2.
pub(crate) struct SelectiveSecondOrder {
    pub(crate) a: f64,
    pub(crate) b: f64,
    pub(crate) random: SplitMix64,
    pub(crate) list: Vec<(usize, f64)>,
    pub(crate) queries: u64,
}

impl Slow for SelectiveSecondOrder {
    fn trial(&mut self, gram: &Gram, t: usize) -> Judged {
        let (y, k) = (gram.labels[t], gram.values[t][t]);
        let rows: Vec<usize> = self.list.iter().map(|&(i, _)| i).collect();
        let kx: Vec<f64> = rows.iter().map(|&i| gram.values[i][t]).collect();
        let labels: Vec<f64> = self.list.iter().map(|&(_, y)| y).collect();
        let al = gram.solve(&rows, self.a, &labels);
        let f = dot(&al, &kx);
        let quadratic = (k - dot(&kx, &gram.solve(&rows, self.a, &kx))) / self.a;
        // the row in question inside, with label 0
        let (mut within, mut target) = (rows.clone(), labels.clone());
        within.push(t);
        target.push(0.0);
        let solved = gram.solve(&within, self.a, &target);
        let r: f64 = within
            .iter()
            .zip(&solved)
            .map(|(&i, s)| s * gram.values[i][t])
            .sum();
        let sure = r.abs() + r * r / 2.0 * (1.0 + quadratic);
        let (z, level) = (self.random.uniform(), self.b / (self.b + sure));
        let asks = z < level;
        self.queries += u64::from(asks);
        let updates = asks && wrong(r, y);
        if updates {
            self.list.push((t, y));
        }
        let scale = al
            .iter()
            .zip(&rows)
            .map(|(al, &i)| al.abs() * gram.values[i][i].sqrt());
        Judged {
            margin: r,
            or: f,
            scale: k.sqrt() * scale.sum::<f64>(),
            updates,
            doubtful: (z - level).abs() < 1e-9,
        }
    }
}

/// What a comparison saw.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) trials: usize,
    pub(crate) updates: usize,
    /// Streams left at a near tie.
    pub(crate) left: usize,
    pub(crate) streams: usize,
}

/// Runs a learner beside its definition up to the first near tie at which they part.
pub(crate) fn beside(
    learner: &mut dyn Learner,
    slow: &mut dyn Slow,
    (stream, gram): (&Stream, &Gram),
    context: &str,
    tally: &mut Tally,
) {
    tally.streams += 1;
    for (t, sample) in stream.samples.iter().enumerate() {
        if gram.values[t][t] == 0.0 {
            continue;
        }
        let at = || format!("{context} on {}, trial {t}", stream.name);
        let reported = slow.trial(gram, t);
        let (margin, updated) = trial(learner, sample.row(), sample.positive)
            .unwrap_or_else(|refusal| panic!("{}: {refusal}", at()));
        if reported.doubtful {
            tally.left += 1;
            return;
        }
        let error = |want: f64| (margin - want).abs() <= 1e-9 * reported.scale;
        assert!(
            error(reported.margin) || error(reported.or),
            "{}: margin {margin}, not {} or {}",
            at(),
            reported.margin,
            reported.or
        );
        tally.trials += 1;
        tally.updates += usize::from(updated);
        if updated != reported.updates {
            assert!(
                reported.margin.abs() <= 1e-9 * reported.scale,
                "{}: updated {updated} at margin {margin}",
                at()
            );
            tally.left += 1;
            return;
        }
    }
}

/// Where a learner is run: on plain vectors, or on sums of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Space {
    Plain,
    Rows(&'static str),
}

pub(crate) const SPACES: &[Space] = &[
    Space::Plain,
    Space::Rows("linear"),
    Space::Rows("linear:cosine"),
    Space::Rows("poly:degree=2,coef0=0.5,gamma=0.3"),
    Space::Rows("gaussian:gamma=0.2"),
];

impl Space {
    pub(crate) fn kernel(self) -> Kernel {
        match self {
            Space::Plain => Kernel::LINEAR,
            Space::Rows(kernel) => Kernel::parse(kernel).unwrap(),
        }
    }

    pub(crate) fn learner(self, spec: &str) -> Box<dyn Learner> {
        let spec = Spec::parse(spec).unwrap();
        let parameters = spec.parameters(Some(10)).unwrap();
        match self {
            Space::Plain => (spec.entry().build)(&parameters, MEMORY),
            Space::Rows(_) => spec.entry().build_with.unwrap()(&parameters, self.kernel(), MEMORY),
        }
    }
}

/// A learner beside its definition in every space, on streams of the given kinds.
pub(crate) fn everywhere<S: Slow>(
    spec: &str,
    kinds: &[super::stream::Kind],
    trials: usize,
    define: impl Fn() -> S,
) {
    let seeds = || 0..super::cases(3);
    let streams = kinds
        .iter()
        .flat_map(|&kind| seeds().map(move |seed| super::stream::stream(kind, seed, trials)));
    everywhere_on(spec, streams, define);
}

/// A learner beside its definition in every space, on the given streams.
pub(crate) fn everywhere_on<S: Slow>(
    spec: &str,
    streams: impl Iterator<Item = Stream>,
    define: impl Fn() -> S,
) {
    let mut tally = Tally::default();
    for stream in streams {
        for &space in SPACES {
            let gram = Gram::of(&stream, space.kernel());
            let mut learner = space.learner(spec);
            let context = format!("{spec} in {space:?}");
            beside(
                &mut *learner,
                &mut define(),
                (&stream, &gram),
                &context,
                &mut tally,
            );
        }
    }
    assert!(tally.updates * 20 > tally.trials, "{spec}: {tally:?}");
    assert!(tally.left * 4 < tally.streams, "{spec}: {tally:?}");
}
