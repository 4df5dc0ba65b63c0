//! Learners in the space of a kernel: as their definitions say, and with the linear kernel as without.

use crate::common;

use common::gram::values;
use novikoff::kernel::Kernel;
use novikoff::learner::{Hypothesis, Learner, Linear, Trial};
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::space::{StoredRows, Support, UpcomingRows};
use novikoff::spec::Spec;

const KERNELS: &[&str] = &[
    "linear:cosine",
    "poly",
    "poly:degree=2,coef0=0.5,gamma=0.3",
    "poly:degree=4,cosine",
    "gaussian:gamma=0.5",
    "gaussian:gamma=0.1,cosine",
];

const LEARNERS: &[&str] = &[
    "perceptron",
    "perceptron:margin=0.3",
    "passive-aggressive",
    "passive-aggressive:variant=2,c=0.5",
    "romma:noise=0.5",
    "romma:aggressive,noise=0.5",
    "romma:noise=0.5,start=phi0",
    "max-margin:noise=0.5",
    "max-margin:noise=0.5,start=phi0",
    "voted",
    "second-order:a=0.7",
    "second-order:a=2,margin=0.2,form=dual",
    "second-order:a=adaptive",
    "second-order:a=adaptive,c=1,r2=2,margin=0.1,form=dual",
    "second-order:a=pinv",
    "second-order:a=pinv,margin=0.1,form=dual",
    "higher-order:c=0.4",
    "higher-order:schedule=sparse,c=0.7",
    "higher-order:schedule=cap,c=0.3,margin=0.1",
    "higher-order:schedule=constant,c=0.5",
    "averaged",
    "forgetron:budget=6",
    "random-budget:budget=6,seed=2",
    "projectron:eta=0.3",
    "shifting:lambda=1.5",
    "selective:b=0.5,seed=5",
    "selective:base=second-order,a=0.7,b=0.5",
];

fn build(spec: &str, kernel: Kernel) -> Box<dyn Learner> {
    let spec = Spec::parse(spec).expect("a spec");
    let parameters = spec.parameters(Some(10)).expect("values");
    spec.learner(&parameters, kernel, 1 << 30)
        .expect("a learner")
}

struct Stream {
    rows: Vec<(Vec<u32>, Vec<f32>)>,
    labels: Vec<f64>,
}

/// Rows of few features, some of them repeated, some with a constant feature; labels from a curve.
fn stream(seed: u64, count: usize) -> Stream {
    let mut random = SplitMix64::new(seed);
    let bias = random.below(2) == 0;
    let mut rows: Vec<(Vec<u32>, Vec<f32>)> = Vec::new();
    let mut labels = Vec::new();
    for t in 0..count {
        if t > 3 && random.below(6) == 0 {
            let old = random.below(t);
            rows.push(rows[old].clone());
            labels.push(labels[old]);
            continue;
        }
        let (mut slots, mut values) = (Vec::new(), Vec::new());
        if bias {
            slots.push(0);
            values.push(0.5);
        }
        for slot in 1..6 {
            if random.below(3) > 0 {
                slots.push(slot);
                values.push((2.0 * random.uniform() - 1.0) as f32);
            }
        }
        let norm: f32 = values.iter().map(|v| v * v).sum();
        let flip = random.below(12) == 0;
        labels.push(if (norm > 1.0) == flip { -1.0 } else { 1.0 });
        rows.push((slots, values));
    }
    Stream { rows, labels }
}

impl Stream {
    fn row(&self, t: usize) -> Row<'_> {
        Row::sparse(&self.rows[t].0, &self.rows[t].1)
    }

    /// All values of the kernel, written out.
    fn gram(&self, kernel: Kernel) -> Vec<Vec<f64>> {
        let slots = self.rows.iter().flat_map(|(slots, _)| slots);
        let wide = 1 + slots.max().map_or(0, |&slot| slot as usize);
        let spread = |t: usize| {
            let mut all = vec![0.0; wide];
            self.row(t).iter().for_each(|(slot, v)| all[slot] = v);
            all
        };
        let spread: Vec<Vec<f64>> = (0..self.rows.len()).map(spread).collect();
        let rows: Vec<&[f64]> = spread.iter().map(|x| &x[..]).collect();
        values(kernel, &rows)
    }
}

/// A definition: the margin of trial `t` (as reported), whether it updates, then its update.
trait Definition {
    fn trial(&mut self, gram: &[Vec<f64>], t: usize, y: f64) -> (f64, bool);
}

/// Coefficients of rows of the stream.
fn combine(coefficients: &[(usize, f64)], row: &[f64]) -> f64 {
    coefficients.iter().map(|&(i, c)| c * row[i]).sum()
}

fn sign(m: f64) -> f64 {
    if m >= 0.0 { 1.0 } else { -1.0 }
}

struct SlowPerceptron {
    margin: f64,
    sum: Vec<(usize, f64)>,
}

impl Definition for SlowPerceptron {
    fn trial(&mut self, gram: &[Vec<f64>], t: usize, y: f64) -> (f64, bool) {
        let m = combine(&self.sum, &gram[t]);
        let updates = sign(m) != y || (self.margin > 0.0 && y * m <= self.margin);
        if updates {
            self.sum.push((t, y));
        }
        (m, updates)
    }
}

/// `r = y'(a I + G)^-1 k`, the row in question inside G with label 0.
struct SlowSecondOrder {
    a: f64,
    margin: f64,
    kept: Vec<(usize, f64)>,
}

impl SlowSecondOrder {
    fn solve(mut m: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for k in 0..n {
            let pivot = (k..n)
                .max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs()))
                .expect("a row");
            m.swap(k, pivot);
            b.swap(k, pivot);
            for i in k + 1..n {
                let f = m[i][k] / m[k][k];
                let (above, below) = m.split_at_mut(i);
                for (m, pivot) in below[0][k..].iter_mut().zip(&above[k][k..]) {
                    *m -= f * pivot;
                }
                b[i] -= f * b[k];
            }
        }
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|j| m[k][j] * b[j]).sum();
            b[k] = (b[k] - known) / m[k][k];
        }
        b
    }
}

impl Definition for SlowSecondOrder {
    fn trial(&mut self, gram: &[Vec<f64>], t: usize, y: f64) -> (f64, bool) {
        let mut inside: Vec<(usize, f64)> = self.kept.clone();
        inside.push((t, 0.0));
        let matrix = inside
            .iter()
            .enumerate()
            .map(|(r, &(i, _))| {
                let row = inside.iter().enumerate();
                row.map(|(c, &(j, _))| gram[i][j] + if r == c { self.a } else { 0.0 })
                    .collect()
            })
            .collect();
        let k: Vec<f64> = inside.iter().map(|&(i, _)| gram[i][t]).collect();
        let solved = Self::solve(matrix, k);
        let r: f64 = solved.iter().zip(&inside).map(|(s, (_, y))| s * y).sum();
        let updates = sign(r) != y || (self.margin > 0.0 && y * r <= self.margin);
        if updates {
            self.kept.push((t, y));
        }
        (r, updates)
    }
}

/// `m = <B v, B x>`, B applied factor by factor to sums of rows.
struct SlowHigherOrder {
    schedule: &'static str,
    c: f64,
    margin: f64,
    factors: Vec<(f64, usize)>,
    sum: Vec<(usize, f64)>,
    updates: f64,
}

impl SlowHigherOrder {
    fn transformed(&self, gram: &[Vec<f64>], z: &[(usize, f64)]) -> Vec<(usize, f64)> {
        let mut z = z.to_vec();
        for &(rho, j) in self.factors.iter().rev() {
            let inner = combine(&z, &gram[j]);
            z.push((j, -rho * inner));
        }
        z
    }
}

impl Definition for SlowHigherOrder {
    fn trial(&mut self, gram: &[Vec<f64>], t: usize, y: f64) -> (f64, bool) {
        let (v, x) = (
            self.transformed(gram, &self.sum),
            self.transformed(gram, &[(t, 1.0)]),
        );
        let m: f64 = x.iter().map(|&(i, c)| c * combine(&v, &gram[i])).sum();
        let updates = sign(m) != y || (self.margin > 0.0 && y * m <= self.margin);
        if updates {
            self.updates += 1.0;
            let vx = combine(&self.sum, &gram[t]);
            let rho = match self.schedule {
                "harmonic" => self.c / self.updates,
                "cap" => (1.0 - self.c) / (1.0 + vx.abs()),
                "sparse" if y * vx >= 0.0 => self.c / self.updates,
                "sparse" => 0.0,
                _ => self.c,
            };
            self.sum.push((t, y));
            if rho > 0.0 {
                self.factors.push((rho, t));
            }
        }
        (m, updates)
    }
}

/// Compares a learner with its definition up to the first near tie. Gives how many trials that was.
fn agrees(
    learner: &mut dyn Learner,
    slow: &mut dyn Definition,
    data: &Stream,
    kernel: Kernel,
) -> usize {
    let gram = data.gram(kernel);
    let mut out = Trial::default();
    for (t, &y) in data.labels.iter().enumerate() {
        if kernel.own(kernel.facts(data.row(t))) == 0.0 {
            continue;
        }
        let (margin, updates) = slow.trial(&gram, t, y);
        let positive: &[usize] = if y > 0.0 { &[0] } else { &[] };
        learner
            .trial(data.row(t), positive, &mut out)
            .expect("finite");
        if margin.abs() < 1e-9 && margin != 0.0 {
            return t;
        }
        assert_eq!(
            out.updated[0], updates,
            "trial {t}: {margin}, {:?}",
            out.margin
        );
        // a right answer of the second-order perceptron reports w.x, which has the sign of r
        let near = (out.margin[0] - margin).abs() <= 1e-9 * (1.0 + margin.abs());
        assert!(
            near || (!updates && sign(out.margin[0]) == sign(margin)),
            "trial {t}: {} and {margin}",
            out.margin[0]
        );
    }
    data.labels.len()
}

#[test]
fn learners_are_their_definitions_in_the_space_of_a_kernel() {
    let mut trials = 0;
    for kernel in KERNELS {
        let kernel = Kernel::parse(kernel).expect("a kernel");
        for seed in 0..12 {
            let data = stream(seed, 120);
            for margin in [0.0, 0.2] {
                let mut slow = SlowPerceptron {
                    margin,
                    sum: Vec::new(),
                };
                let mut learner = build(&format!("perceptron:margin={margin}"), kernel);
                trials += agrees(&mut *learner, &mut slow, &data, kernel);
                let mut slow = SlowSecondOrder {
                    a: 0.7,
                    margin,
                    kept: Vec::new(),
                };
                let mut learner = build(&format!("second-order:a=0.7,margin={margin}"), kernel);
                trials += agrees(&mut *learner, &mut slow, &data, kernel);
                // the theorem wants rows of length 1
                let unit = Kernel {
                    cosine: true,
                    ..kernel
                };
                for (schedule, c) in [
                    ("harmonic", 0.4),
                    ("cap", 0.3),
                    ("sparse", 0.6),
                    ("constant", 0.2),
                ] {
                    let mut slow = SlowHigherOrder {
                        schedule,
                        c,
                        margin,
                        factors: Vec::new(),
                        sum: Vec::new(),
                        updates: 0.0,
                    };
                    let spec = format!("higher-order:schedule={schedule},c={c},margin={margin}");
                    let mut learner = build(&spec, unit);
                    trials += agrees(&mut *learner, &mut slow, &data, unit);
                }
            }
        }
    }
    assert!(
        trials > 60_000,
        "near ties ended the streams early: {trials}"
    );
}

#[test]
fn a_formula_over_stored_rows_is_the_score() {
    for (kernel, spec) in KERNELS
        .iter()
        .flat_map(|k| LEARNERS.iter().map(move |s| (k, s)))
    {
        let mut kernel = Kernel::parse(kernel).expect("a kernel");
        kernel.cosine |= spec.starts_with("higher-order");
        let data = stream(3, 120);
        let mut learner = build(spec, kernel);
        for t in 0..80 {
            let positive: &[usize] = if data.labels[t] > 0.0 { &[0] } else { &[] };
            let mut out = Trial::default();
            learner
                .trial(data.row(t), positive, &mut out)
                .expect("taken");
        }
        for &by in learner.hypotheses() {
            let Some(formula) = learner.linear_score(0, by) else {
                assert_eq!(by, Hypothesis::Voted, "{spec}");
                continue;
            };
            let support = learner.support().expect("rows");
            assert!(formula.weights.iter().any(|w| *w != 0.0), "{spec}");
            for t in 80..120 {
                let x = data.row(t);
                let value = |z| kernel.value(kernel.row(x), kernel.row(z));
                let terms = support.rows().zip(&formula.weights);
                let want: f64 = terms.map(|(z, w)| w * value(z)).sum();
                let mut score = [0.0];
                learner.scores(x, by, &mut score);
                let size = formula.weights.iter().map(|w| w.abs()).sum::<f64>();
                assert!(
                    (score[0] - want).abs() <= 1e-11 * size.max(1.0),
                    "{spec} {kernel} {}: {score:?}, not {want}",
                    by.name()
                );
            }
        }
    }
}

#[test]
fn the_linear_kernel_is_no_kernel() {
    for spec in LEARNERS {
        for seed in 0..8 {
            let data = stream(seed, 150);
            let mut plain = build(spec, Kernel::LINEAR);
            // the same space, but kept as rows
            let parsed = Spec::parse(spec).expect("a spec");
            let parameters = parsed.parameters(None).expect("values");
            let within = parsed.entry().build_with.expect("a kernel form");
            let mut rows = within(&parameters, Kernel::LINEAR, 1 << 30);
            let (mut a, mut b) = (Trial::default(), Trial::default());
            for learner in [&mut plain, &mut rows] {
                learner.add_lane(0).expect("room");
            }
            for (t, &y) in data.labels.iter().enumerate() {
                let x = data.row(t);
                if x.is_zero() {
                    continue;
                }
                let positive: &[usize] = if y > 0.0 { &[0] } else { &[1] };
                plain.trial(x, positive, &mut a).expect("finite");
                rows.trial(x, positive, &mut b).expect("finite");
                // passive-aggressive decides at 1 as others do at 0
                let tie = |m: &f64| (m.abs() < 1e-9 && *m != 0.0) || (m.abs() - 1.0).abs() < 1e-9;
                if a.margin.iter().any(tie) {
                    break;
                }
                assert_eq!(a.updated, b.updated, "{spec}, seed {seed}, trial {t}");
                for (a, b) in a.margin.iter().zip(&b.margin) {
                    assert!(
                        (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
                        "{spec}: {a} and {b}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_large_a_makes_the_second_order_perceptron_a_perceptron() {
    for kernel in KERNELS {
        let kernel = Kernel::parse(kernel).expect("a kernel");
        let data = stream(5, 200);
        let mut first = build("perceptron", kernel);
        let mut second = build("second-order:a=1e12", kernel);
        let (mut a, mut b) = (Trial::default(), Trial::default());
        for (t, &y) in data.labels.iter().enumerate() {
            if kernel.own(kernel.facts(data.row(t))) == 0.0 {
                continue;
            }
            let positive: &[usize] = if y > 0.0 { &[0] } else { &[] };
            first.trial(data.row(t), positive, &mut a).expect("finite");
            second.trial(data.row(t), positive, &mut b).expect("finite");
            if a.margin[0].abs() < 1e-6 {
                continue;
            }
            assert_eq!(a.updated, b.updated, "trial {t}");
        }
    }
}

#[test]
fn rows_are_stored_once_for_all_classes() {
    let kernel = Kernel::parse("gaussian").expect("a kernel");
    let rule = novikoff::online::perceptron::Perceptron { margin: 0.0 };
    let mut learner = Linear::within(Support::new(kernel), rule, 1 << 20);
    learner.add_lane(0).expect("room");
    learner.add_lane(0).expect("room");
    let mut out = Trial::default();
    let x = Row::sparse(&[1], &[1.0]);
    for _ in 0..3 {
        // three classes, all wrong the first time
        learner.trial(x, &[], &mut out).expect("finite");
    }
    let mut state = novikoff::state::State::new();
    learner.save(&mut state);
    assert_eq!(state.count("support-ends"), 1);
    assert_eq!(state.count("coefficients"), 3);
}

#[test]
fn what_has_no_kernel_form_says_what_has() {
    let kernel = Kernel::parse("gaussian").expect("a kernel");
    for (spec, why) in [
        (
            "winnow:theta=1",
            "winnow with the kernel gaussian:gamma=1: it needs the features themselves; kernels go with",
        ),
        (
            "second-order:a=adaptive,form=primal",
            "with a kernel it has the forms auto and dual only",
        ),
        (
            "second-order:a=pinv,form=primal",
            "with a kernel it has the forms auto and dual only",
        ),
        ("higher-order:p=4", "with a kernel p is 2"),
        (
            "higher-order:form=implicit",
            "with a kernel it has the forms auto and dual only",
        ),
    ] {
        let spec = Spec::parse(spec).expect("a spec");
        let parameters = spec.parameters(None).expect("values");
        let error = spec.learner(&parameters, kernel, 1 << 30).err();
        let said = error.expect("no kernel form").to_string();
        assert!(said.contains(why), "{said}");
    }
}

/// What was known ahead, in blocks of any size and by any number of threads, changes no bit.
#[test]
fn blocks_and_threads_change_nothing() {
    let stream = stream(11, 120);
    for text in ["poly:degree=3", "gaussian:gamma=0.2", "linear:cosine"] {
        let kernel = Kernel::parse(text).expect("a kernel");
        for spec in LEARNERS {
            let run = |size: usize, threads: usize| {
                let mut learner = build(spec, kernel);
                learner.add_lane(0).expect("room");
                // all, some and none fit
                learner.set_cache_bytes(size % 100 * 2000);
                let (mut out, mut reported) = (Trial::default(), Vec::new());
                for t in (0..stream.rows.len()).chain(0..stream.rows.len()) {
                    if size > 0 && t % size == 0 {
                        let mut coming = UpcomingRows::default();
                        for t in t..stream.rows.len().min(t + size) {
                            coming.rows.push(stream.row(t));
                            coming.ids.push(Some(t as u64));
                        }
                        learner.prefetch(coming, threads);
                    }
                    // every tenth is left out
                    if t % 10 == 9 {
                        continue;
                    }
                    let positive = [usize::from(stream.labels[t] < 0.0)];
                    learner
                        .trial(stream.row(t), &positive, &mut out)
                        .expect("finite");
                    reported.extend(out.margin.iter().map(|margin| margin.to_bits()));
                }
                let mut scores = vec![0.0; 2 * stream.rows.len()];
                let mut rows = StoredRows::default();
                (0..stream.rows.len()).for_each(|t| rows.push(stream.row(t)));
                let by = learner.hypotheses()[0];
                learner.scores_of(&rows, by, threads, &mut scores);
                reported.extend(scores.iter().map(|score| score.to_bits()));
                reported
            };
            let alone = run(0, 1);
            for (size, threads) in [(1, 1), (7, 2), (64, 1), (1024, 2)] {
                assert!(
                    run(size, threads) == alone,
                    "{spec}, {text}, blocks of {size}"
                );
            }
        }
    }
}

/// Votes and averages of many rows at once have the bits of one row at a time, also where the support no longer has a
/// row that voted.
#[test]
fn votes_in_blocks_are_votes_one_by_one() {
    for (seed, contrary) in [(12, false), (13, true)] {
        let stream = stream(seed, 150);
        let pairs = KERNELS
            .iter()
            .flat_map(|text| [(text, "voted"), (text, "averaged")]);
        for (text, spec) in pairs {
            let kernel = Kernel::parse(text).expect("a kernel");
            let mut learner = build(spec, kernel);
            (0..2).for_each(|_| learner.add_lane(0).expect("room"));
            let mut out = Trial::default();
            for t in (0..4).flat_map(|_| 0..stream.rows.len()) {
                out.weight = [1.0, 0.5, 2.0][t % 3];
                let positive = [usize::from(stream.labels[t] < 0.0), 2 * (t % 2)];
                // on one side and then on the other: the coefficients are 0 again, and the last answer is right
                let sides: [&[usize]; 3] = [&[], &[0, 1, 2], &[0, 1, 2]];
                let tried: &[&[usize]] = if contrary { &sides } else { &[&positive] };
                for positive in tried {
                    learner
                        .trial(stream.row(t), positive, &mut out)
                        .expect("finite");
                }
            }
            let kept = learner.support().expect("a kernel").len();
            assert_eq!(kept < 40, contrary, "{kept} rows");
            let mut rows = StoredRows::default();
            (0..stream.rows.len()).for_each(|t| rows.push(stream.row(t)));
            let all = learner.hypotheses();
            let mut of_all = vec![0.0; 3 * all.len() * rows.len()];
            learner.scores_of_each(&rows, all, 2, &mut of_all);
            for (k, &by) in all.iter().enumerate() {
                let mut one_by_one = vec![0.0; 3 * rows.len()];
                for (x, out) in rows.rows().zip(one_by_one.chunks_exact_mut(3)) {
                    learner.scores(x, by, out);
                }
                for (row, of_row) in one_by_one.chunks_exact(3).enumerate() {
                    let at = 3 * (row * all.len() + k);
                    assert_eq!(of_all[at..at + 3], *of_row, "all predictors together");
                }
                let says = one_by_one.iter().any(|score| *score != 0.0);
                assert!(says || (contrary && by == Hypothesis::Final));
                for threads in [1, 2, 5] {
                    let mut together = vec![0.0; 3 * rows.len()];
                    learner.scores_of(&rows, by, threads, &mut together);
                    let bits = |scores: &[f64]| -> Vec<u64> {
                        scores.iter().map(|score| score.to_bits()).collect()
                    };
                    assert!(
                        bits(&together) == bits(&one_by_one),
                        "{spec}, {text}, {}, {threads} threads",
                        by.name()
                    );
                }
            }
        }
    }
}
