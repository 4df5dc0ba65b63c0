//! ROMMA and the ideal maximum margin algorithm: their steps are the quadratic programs they stand for, with and
//! without noise control, on plain vectors and as sums of rows.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::matrix::{dot, length, plus, times};
use common::quadratic::{shortest, two_constraints};
use common::stream::{KINDS, Kind, MODERATE, Sample, Stream, gaussian, stream};
use common::{
    MEMORY, assert_finite, assert_same_state, cases, learner, reloaded, saved, trial, visit,
};
use novikoff::kernel::Kernel;
use novikoff::learner::{Learner, Refusal, Trial};
use novikoff::model::Model;
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::rows::Rows;
use novikoff::run::{self, Ledger};
use novikoff::spec::Spec;
use novikoff::state::Array;

/// The weights by slot, as many as there are in the stream.
fn weights(learner: &dyn Learner, slots: usize) -> Vec<f64> {
    let mut w = learner.weights(0);
    w.resize(slots, 0.0);
    w
}

/// What the state says of itself.
fn counted(learner: &dyn Learner, name: &str) -> u64 {
    let state = saved(learner);
    let mut arrays = state.arrays();
    match arrays.find(|(n, _)| *n == format!("0/{name}")) {
        Some((_, Array::U64(data))) => data[0],
        _ => panic!("no {name}"),
    }
}

fn numbers(learner: &dyn Learner, name: &str) -> Vec<f64> {
    let state = saved(learner);
    let mut arrays = state.arrays();
    match arrays.find(|(n, _)| *n == format!("0/{name}")) {
        Some((_, Array::F64(data))) => data.to_vec(),
        _ => panic!("no {name}"),
    }
}

fn one_feature(sample: &mut Sample) {
    sample.index.truncate(1);
    sample.index[0] = 1;
    sample.value.truncate(1);
    sample.value[0] *= sample.value[0].abs();
}

#[test]
fn a_step_is_the_quadratic_program_of_two_constraints() {
    for aggressive in [false, true] {
        let spec = if aggressive {
            "romma:aggressive"
        } else {
            "romma"
        };
        let (mut steps, mut skipped, mut restarts) = (0, 0, 0);
        for &kind in KINDS {
            for seed in 0..cases(6) {
                let mut stream = stream(kind, seed, 300);
                if kind == Kind::Integer {
                    // all rows are parallel
                    stream.samples.iter_mut().for_each(one_feature);
                }
                let mut learner = learner(spec, stream.width);
                for (t, sample) in stream.samples.iter().enumerate() {
                    let at = || format!("{spec} on {}, trial {t}", stream.name);
                    let before = weights(&*learner, stream.slots());
                    let (x, y) = (sample.dense(stream.slots()), sample.y());
                    let (margin, updated) =
                        trial(&mut *learner, sample.row(), sample.positive).unwrap();
                    let asked = if aggressive {
                        y * margin < 1.0 - 1e-9
                    } else {
                        (margin >= 0.0) != sample.positive
                    };
                    let after = weights(&*learner, stream.slots());
                    if !updated {
                        assert_eq!(before, after, "{}", at());
                        assert!(
                            !asked || two_constraints(&before, &x, y).is_none(),
                            "{}",
                            at()
                        );
                        skipped += usize::from(asked);
                        continue;
                    }
                    assert!(asked, "{}", at());
                    // rows all but parallel to w: the program is ill-conditioned
                    let Some(want) = two_constraints(&before, &x, y) else {
                        continue;
                    };
                    let condition = length(&want) * length(&x);
                    let error = length(&plus(&after, -1.0, &want)) / length(&want);
                    assert!(
                        error <= 1e-9 + 1e-15 * condition * condition.min(1e9),
                        "{}: {after:?}, not {want:?}: {error}",
                        at()
                    );
                    steps += 1;
                    let first = dot(&before, &before) == 0.0;
                    let alone = times(y / dot(&x, &x), &x);
                    restarts += usize::from(!first && alone == want);
                }
            }
        }
        assert!(steps > 3000, "{spec}: only {steps} steps");
        assert!(skipped > 0, "{spec}: no contradiction");
        assert_eq!(restarts > 5, aggressive, "{spec}: {restarts}");
    }
}

/// A row next to w, of the other label: what is left of it is small, and still has all its digits.
#[test]
fn a_row_nearly_parallel_to_w() {
    for spec in ["romma", "romma:aggressive"] {
        for (small, skipped) in [(1e-2_f32, 0), (1e-4, 0), (3e-6, 0), (1e-7, 1), (0.0, 1)] {
            let mut learner = learner(spec, 2);
            trial(&mut *learner, Row::dense(&[-1.0, 0.0]), false).unwrap();
            trial(&mut *learner, Row::dense(&[1.0, small]), false).unwrap();
            assert_eq!(counted(&*learner, "skipped"), skipped, "{spec}");
            // w1 = 1 and w1 + small w2 = -1
            let want = if skipped > 0 {
                0.0
            } else {
                -2.0 / f64::from(small)
            };
            let w = &learner.weights(0)[1..];
            let error = (w[0] - 1.0).abs() / (1.0 - want) + (w[1] - want).abs() / (1.0 - want);
            // w is c w + d x, and c and d are 2/small^2
            assert!(
                error * f64::from(small) < 1e-15,
                "{spec}: {w:?}, not 1 and {want}"
            );
        }
    }
}

/// Rows with a feature `sqrt(lam)` of their own after all others.
fn with_own_features(stream: &Stream, root: f32) -> Vec<Sample> {
    let own = |(i, s): (usize, &Sample)| {
        let mut s = s.clone();
        s.index.push(stream.width + 1 + i as u32);
        // the row is scaled, its own feature is not
        s.value
            .iter_mut()
            .for_each(|v| *v = (s.scale * f64::from(*v)) as f32);
        s.scale = 1.0;
        s.value.push(root);
        s
    };
    stream.samples.iter().enumerate().map(own).collect()
}

/// Some epochs, each in an order of its own.
fn shuffled(seed: u64, rows: usize, epochs: usize) -> Vec<usize> {
    let mut g = SplitMix64::new(seed);
    let mut all = Vec::new();
    for _ in 0..epochs {
        let mut order: Vec<usize> = (0..rows).collect();
        g.shuffle(&mut order);
        all.extend(order);
    }
    all
}

/// Noise control is a feature `sqrt(lam)` of its own for every example, over several epochs in any order.
#[test]
fn noise_is_a_feature_of_its_own() {
    for (name, epochs) in [("romma", 4), ("romma:aggressive", 4), ("max-margin", 3)] {
        let (mut trials, mut again) = (0, 0);
        for (lam, root) in [(0.25, 0.5), (1.0, 1.0), (16.0, 4.0)] {
            for &kind in &[Kind::Dense, Kind::Sparse, Kind::Integer, Kind::Repeated] {
                for seed in 0..cases(3) {
                    let mut stream = stream(kind, seed, 60);
                    stream.samples.iter_mut().for_each(|s| s.scale = 1.0);
                    if kind == Kind::Integer {
                        // parallel but for their own features, and of very different lengths
                        stream.samples.iter_mut().for_each(one_feature);
                    }
                    let extended = with_own_features(&stream, root);
                    let joint = if name.contains(':') { "," } else { ":" };
                    let mut a = learner(&format!("{name}{joint}noise={lam}"), stream.width);
                    let mut b = learner(name, stream.width + 60);
                    let (mut largest, mut parted) = (1.0_f64, false);
                    for i in shuffled(seed, 60, epochs) {
                        let at = format!("{name}, noise {lam}, on {}, row {i}", stream.name);
                        let (x, y) = (&stream.samples[i], stream.samples[i].positive);
                        let (m, updated) = visit(&mut *a, x.id, x.row(), y).unwrap();
                        let (want, wanted) = trial(&mut *b, extended[i].row(), y).unwrap();
                        largest = largest.max(want.abs());
                        assert!((m - want).abs() <= 1e-9 * largest, "{at}: {m}, not {want}");
                        let edge = want.abs().min((want.abs() - 1.0).abs());
                        assert!(updated == wanted || edge < 2e-9 * largest, "{at}: {want}");
                        if updated != wanted {
                            parted = true;
                            break;
                        }
                        trials += 1;
                        again += usize::from(updated && trials > 60);
                    }
                    if parted {
                        continue;
                    }
                    // new rows have no such feature
                    let (w, wide) = (a.weights(0), b.weights(0));
                    let top = w.iter().fold(1e-3, |m: f64, w| m.max(w.abs()));
                    for (w, wide) in w.iter().zip(&wide) {
                        assert!((w - wide).abs() <= 1e-8 * top, "{name}: {w}, not {wide}");
                    }
                }
            }
        }
        assert!(trials > 5000 && again > 500, "{name}: {trials}, {again}");
    }
}

/// A row that is equal to another is another example; the same example is known by its id.
#[test]
fn examples_are_known_by_their_ids() {
    for spec in ["romma:aggressive,noise=1", "max-margin:noise=1"] {
        let x = Row::dense(&[1.0]);
        let mut learner = learner(spec, 1);
        assert_eq!(visit(&mut *learner, Some(7), x, true), Ok((0.0, true)));
        // w = 1/2, and 1/2 in its own feature
        let (margin, updated) = visit(&mut *learner, Some(7), x, true).unwrap();
        assert!((margin - 1.0).abs() < 1e-15 && !updated, "{spec}");
        let (margin, updated) = visit(&mut *learner, Some(8), x, true).unwrap();
        assert!((margin - 0.5).abs() < 1e-15 && updated, "{spec}");
        let [first, second, third] =
            [Some(7), Some(8), None].map(|id| visit(&mut *learner, id, x, true).unwrap());
        assert!(
            (first.0 - 1.0).abs() < 1e-15 && (second.0 - 1.0).abs() < 1e-15,
            "{spec}"
        );
        assert!((third.0 - 2.0 / 3.0).abs() < 1e-15 && third.1, "{spec}");
    }
}

/// Ids are the numbers of the rows of a run, whatever their order, and run on in the next run.
#[test]
fn ids_are_row_numbers_and_run_on() {
    let mut rows = Rows::new();
    let mut g = SplitMix64::new(4);
    for _ in 0..30 {
        let x: Vec<f32> = (0..3).map(|_| gaussian(&mut g) as f32).collect();
        let label = if x[0] > 0.0 || g.below(5) == 0 {
            "+1"
        } else {
            "-1"
        };
        rows.push_label(label.parse().unwrap(), label.as_bytes());
        rows.push_many(&[1, 2, 3], &x, 3);
        rows.end_row(0);
    }
    let positive = |i| rows.labels(i).next().unwrap().number() == Some(1.0);
    let model = |spec| {
        let builder = Model::builder(Spec::parse(spec).unwrap()).width(3);
        builder.memory(MEMORY).build().unwrap()
    };
    let spec = "romma:aggressive,noise=1";
    let (mut by_runs, mut by_ids) = (model(spec), learner(spec, 3));
    for run in 0..3_u64 {
        let _ledger = Ledger::begin(&mut by_runs);
        for epoch in 0..2 {
            let order = shuffled(run * 10 + epoch, 30, 1);
            let order = order.iter().copied();
            let at = run::Position {
                epoch: epoch as u32,
                first: 0,
            };
            run::block(&mut by_runs, rows.view(), order.clone(), at, &mut ()).unwrap();
            for i in order {
                // numbers of a run that no other has
                let id = Some(1000 * run + i as u64);
                visit(&mut *by_ids, id, rows.row(i), positive(i)).unwrap();
            }
        }
        let (a, b) = (by_runs.learner().weights(0), by_ids.weights(0));
        assert_eq!(a, b, "run {run}");
    }
    // one row that does not come again, as calls by themselves have it
    let (mut alone, mut anonymous) = (model(spec), learner(spec, 3));
    for i in (0..30).chain(0..30) {
        let _ = alone.learn(rows.row(i), rows.labels(i)).unwrap();
        trial(&mut *anonymous, rows.row(i), positive(i)).unwrap();
    }
    assert_eq!(alone.learner().weights(0), anonymous.weights(0));
    assert_ne!(alone.learner().weights(0), by_runs.learner().weights(0));
}

/// Only rows that come again need a place in memory.
#[test]
fn rows_that_do_not_come_again_take_no_memory() {
    let stream = stream(Kind::Dense, 2, 400);
    let ids = |with_ids: bool| {
        let mut learner = learner("romma:aggressive,noise=1", stream.width);
        for s in &stream.samples {
            let id = s.id.filter(|_| with_ids);
            visit(&mut *learner, id, s.row(), s.positive).unwrap();
        }
        (learner.weights(0), saved(&*learner).count("0/own-ids"))
    };
    let ((w, none), (same, many)) = (ids(false), ids(true));
    assert_eq!(w, same, "the first visit is the same");
    assert_eq!(none, 0);
    assert!(many > 100, "{many}");
}

/// Saved between two epochs, examples are still known.
#[test]
fn ids_are_saved() {
    for spec in [
        "romma:noise=1",
        "romma:aggressive,noise=1",
        "max-margin:noise=1",
    ] {
        let stream = stream(Kind::Dense, 4, 60);
        let mut whole = learner(spec, stream.width);
        let mut parts = learner(spec, stream.width);
        let mut again = 0;
        for (t, i) in shuffled(9, 60, 4).into_iter().enumerate() {
            let s = &stream.samples[i];
            let want = visit(&mut *whole, s.id, s.row(), s.positive).unwrap();
            let got = visit(&mut *parts, s.id, s.row(), s.positive).unwrap();
            assert_eq!(got, want, "{spec}, trial {t}");
            again += usize::from(t >= 60 && want.1);
            if t % 50 == 49 {
                parts = reloaded(spec, stream.width, &*parts);
            }
        }
        assert!(again > 5 || spec.starts_with("max-margin"), "{spec}");
        assert_same_state(&*parts, &*whole, spec);
    }
}

/// The linear kernel keeps rows instead of w, and decides alike.
#[test]
fn sums_of_rows_are_vectors() {
    for spec in [
        "romma",
        "romma:aggressive",
        "romma:noise=0.5",
        "romma:aggressive,noise=2",
        "max-margin",
        "max-margin:noise=0.3",
    ] {
        let mut updates = 0;
        for &kind in MODERATE {
            for seed in 0..cases(6) {
                // without noise control labels must be right
                let seed = if spec.contains("noise") {
                    seed
                } else {
                    3 * seed
                };
                let stream = stream(kind, seed, 80);
                let parsed = Spec::parse(spec).unwrap();
                let parameters = parsed.parameters(None).unwrap();
                let within = parsed.entry().build_with.unwrap();
                let mut rows = within(&parameters, Kernel::LINEAR, MEMORY);
                let mut plain = learner(spec, stream.width);
                let mut largest = 1.0_f64;
                for i in shuffled(seed, 80, 3) {
                    let s = &stream.samples[i];
                    let a = visit(&mut *plain, s.id, s.row(), s.positive).unwrap();
                    let b = visit(&mut *rows, s.id, s.row(), s.positive).unwrap();
                    let at = format!("{spec} on {}, row {i}: {a:?}, {b:?}", stream.name);
                    largest = largest.max(a.0.abs());
                    assert!((a.0 - b.0).abs() <= 1e-8 * largest, "{at}");
                    if a.1 != b.1 {
                        let edge = a.0.abs().min((a.0.abs() - 1.0).abs());
                        assert!(edge <= 1e-8 * largest, "{at}");
                        break;
                    }
                    updates += usize::from(a.1);
                }
            }
        }
        assert!(updates > 300, "{spec}: {updates}");
    }
}

/// ROMMA on coefficients of examples: `w.x = sum of beta_j K'(x_j, x)`, `|w|^2 = sum of beta_i beta_j K'(x_i, x_j)`,
/// `K'(i, j) = K(x_i, x_j) + lam [i = j]`.
struct Slow {
    aggressive: bool,
    /// K'.
    gram: Vec<Vec<f64>>,
    beta: Vec<f64>,
}

impl Slow {
    fn inner(&self, i: usize) -> f64 {
        dot(&self.beta, &self.gram[i])
    }

    fn norm_sq(&self) -> f64 {
        let row = |(i, beta): (usize, &f64)| beta * self.inner(i);
        self.beta.iter().enumerate().map(row).sum()
    }

    /// The margin, and whether there is an update.
    fn judge(&self, i: usize, y: f64) -> (f64, bool) {
        let m = self.inner(i);
        let wrong = (m >= 0.0) != (y > 0.0);
        (
            m,
            if self.aggressive {
                y * m < 1.0 - 1e-9
            } else {
                wrong
            },
        )
    }

    fn learn(&mut self, i: usize, y: f64) {
        let (ww, wx, xx) = (self.norm_sq(), self.inner(i), self.gram[i][i]);
        if ww == 0.0 || (self.aggressive && y * wx >= ww * xx) {
            self.beta.fill(0.0);
            self.beta[i] = y / xx;
        } else {
            let den = ww * xx - wx * wx;
            self.beta = times((ww * xx - y * wx) / den, &self.beta);
            self.beta[i] += ww * (y - wx) / den;
        }
    }
}

/// K by plain arithmetic.
fn value(name: &str, x: &[f64], z: &[f64]) -> f64 {
    let gap = plus(x, -1.0, z);
    match name {
        "poly:degree=2" => (1.0 + dot(x, z)).powi(2),
        "poly:degree=1,coef0=4" => 4.0 + dot(x, z),
        _ => libm::exp(-0.2 * dot(&gap, &gap)),
    }
}

#[test]
fn with_a_kernel_it_is_its_definition() {
    let mut updates = 0;
    for name in [
        "poly:degree=2",
        "gaussian:gamma=0.2",
        "poly:degree=1,coef0=4",
    ] {
        for (aggressive, lam) in [(false, 0.0), (true, 0.0), (false, 0.7), (true, 0.7)] {
            for seed in 0..cases(12) {
                let (seed, start) = (seed / 2, ["zero", "phi0"][seed as usize % 2]);
                // without noise control labels must be right
                let stream = stream(Kind::Dense, if lam == 0.0 { 3 * seed } else { seed }, 50);
                let mut rows = stream.plain();
                // the row without values is no example
                rows.push((vec![0.0; rows[0].0.len()], 1.0));
                let k = |i: usize, j: usize| {
                    value(name, &rows[i].0, &rows[j].0) + if i == j && i < 50 { lam } else { 0.0 }
                };
                let mut slow = Slow {
                    aggressive,
                    gram: (0..51)
                        .map(|i| (0..51).map(|j| k(i, j)).collect())
                        .collect(),
                    beta: vec![0.0; 51],
                };
                slow.beta[50] = if start == "phi0" { 1.0 } else { 0.0 };
                let flag = if aggressive { "aggressive," } else { "" };
                let spec = Spec::parse(&format!("romma:{flag}noise={lam},start={start}")).unwrap();
                let parameters = spec.parameters(None).unwrap();
                let mut learner = spec
                    .learner(&parameters, Kernel::parse(name).unwrap(), MEMORY)
                    .unwrap();
                for i in shuffled(seed, 50, 3) {
                    let (s, y) = (&stream.samples[i], rows[i].1);
                    let (want, wanted) = slow.judge(i, y);
                    let (m, updated) = visit(&mut *learner, s.id, s.row(), s.positive).unwrap();
                    let at = format!("{spec}, {name}, {}, row {i}", stream.name);
                    let size = 1.0 + slow.norm_sq().sqrt() * slow.gram[i][i].sqrt();
                    assert!((m - want).abs() <= 1e-8 * size, "{at}: {m}, not {want}");
                    if updated != wanted {
                        let edge = want.abs().min((want.abs() - 1.0).abs());
                        assert!(edge < 1e-8 * size, "{at}: {want}");
                    }
                    if updated {
                        slow.learn(i, y);
                        updates += 1;
                    }
                }
            }
        }
    }
    assert!(updates > 1000, "{updates}");
}

/// Cycled over separable rows, the aggressive form approaches the hard-margin SVM.
#[test]
fn aggressive_romma_approaches_the_svm() {
    for seed in 0..cases(8) {
        let stream = stream(Kind::Dense, 3 * seed, 40);
        let rows: Vec<Vec<f64>> = stream.plain().iter().map(|(x, y)| times(*y, x)).collect();
        let Some(svm) = shortest(&rows, f64::INFINITY) else {
            continue;
        };
        let mut learner = learner("romma:aggressive", stream.width);
        let mut angles = Vec::new();
        for epoch in 0..1000 {
            for s in &stream.samples {
                trial(&mut *learner, s.row(), s.positive).unwrap();
            }
            let w = weights(&*learner, stream.slots());
            assert!(length(&w) <= length(&svm) * (1.0 + 1e-9), "{}", stream.name);
            let least = rows
                .iter()
                .map(|z| dot(&w, z))
                .fold(f64::INFINITY, f64::min);
            let sure = novikoff::certificate::romma::Convergence::of(
                dot(&w, &w),
                rows.iter().map(|z| dot(&w, z)),
            );
            assert_eq!(sure.is_some(), least > 0.0);
            if let Some(sure) = sure {
                let name = &stream.name;
                let apart = plus(&times(1.0 / (1.0 - sure.del), &w), -1.0, &svm);
                let best = least / length(&w) * length(&svm);
                assert!(best >= 1.0 - sure.del - 1e-9, "{name}: {best}");
                assert!(sure.least <= length(&svm) * (1.0 + 1e-9), "{name}");
                assert!(sure.most >= length(&svm) * (1.0 - 1e-9), "{name}");
                assert!(
                    length(&apart) <= sure.distance * (1.0 + 1e-9) + 1e-9,
                    "{name}"
                );
            }
            if [0, 9, 99, 999].contains(&epoch) {
                let cosine = dot(&w, &svm) / (length(&w) * length(&svm));
                angles.push(libm::acos(cosine.min(1.0)));
            }
        }
        let name = &stream.name;
        assert!(
            angles.is_sorted_by(|a, b| *b <= a.max(1e-4)),
            "{name}: {angles:?}"
        );
        assert!(angles[3] < 0.1 * angles[0] + 1e-4, "{name}: {angles:?}");
        assert!(angles[3] < 0.01, "{name}: {angles:?}");
    }
}

/// The ideal algorithm's w is the SVM of all rows so far, at every moment.
#[test]
fn max_margin_is_the_svm_of_all_rows_so_far() {
    let mut compared = 0;
    for &kind in &[
        Kind::Dense,
        Kind::Sparse,
        Kind::Integer,
        Kind::Binary,
        Kind::Repeated,
    ] {
        for seed in 0..cases(4) {
            // separable
            let stream = stream(kind, 3 * seed, 40);
            let mut learner = learner("max-margin", stream.width);
            let mut asked: Vec<Vec<f64>> = Vec::new();
            for sample in &stream.samples {
                let (_, updated) = trial(&mut *learner, sample.row(), sample.positive).unwrap();
                asked.push(times(sample.y(), &sample.dense(stream.slots())));
                if !updated {
                    continue;
                }
                let Some(want) = shortest(&asked, f64::INFINITY) else {
                    break;
                };
                let got = weights(&*learner, stream.slots());
                let error = length(&plus(&got, -1.0, &want)) / length(&want);
                assert!(error < 1e-8, "{}: {got:?}, not {want:?}", stream.name);
                compared += 1;
            }
            assert_eq!(counted(&*learner, "refused"), 0, "{}", stream.name);
        }
    }
    assert!(compared > 200, "{compared}");
}

/// From phi(0) there is one constraint more, `w.phi(0) >= K(0, 0)`, which may become slack. The kernel r^2 + x.z is the inner product of rows
/// with the feature r.
#[test]
fn max_margin_from_phi0_has_one_constraint_more() {
    let (mut compared, mut slack) = (0, 0);
    for (text, root) in [
        ("poly:degree=1,coef0=4", 2.0),
        ("poly:degree=1,coef0=0.0625", 0.25),
    ] {
        for &kind in &[Kind::Dense, Kind::Sparse, Kind::Binary] {
            for seed in 0..cases(4) {
                let stream = stream(kind, 3 * seed, 40);
                for spec in ["max-margin:start=phi0", "max-margin:start=zero"] {
                    let seen = follows_the_svm(spec, Kernel::parse(text).unwrap(), root, &stream);
                    (compared, slack) = (compared + seen.0, slack + seen.1);
                }
            }
        }
    }
    assert!(compared > 1000 && slack > 20, "{compared}, {slack}");
}

/// Every margin is that of the shortest vector for the rows before; how many were compared, and how often phi(0) did not hold it.
fn follows_the_svm(spec: &str, kernel: Kernel, root: f64, stream: &Stream) -> (usize, usize) {
    let from_phi0 = spec.ends_with("phi0");
    let parsed = Spec::parse(spec).unwrap();
    let parameters = parsed.parameters(None).unwrap();
    let fresh = || parsed.learner(&parameters, kernel, MEMORY).unwrap();
    let mut learner = fresh();
    let last = stream.slots();
    // w.phi(0) >= K(0, 0), that is, w.phi(0)/K(0, 0) >= 1
    let mut origin = vec![0.0; last + 1];
    origin[last] = 1.0 / root;
    let mut asked = if from_phi0 { vec![origin] } else { Vec::new() };
    let (mut compared, mut slack) = (0, 0);
    for (t, sample) in stream.samples.iter().enumerate() {
        let want = match asked.len() {
            0 => vec![0.0; last + 1],
            _ => match shortest(&asked, f64::INFINITY) {
                Some(want) => want,
                None => break,
            },
        };
        let (margin, _) = trial(&mut *learner, sample.row(), sample.positive).unwrap();
        let mut x = sample.dense(last);
        x.push(root);
        let at = format!("{spec}, {kernel}, {}, {t}", stream.name);
        let size = 1.0 + length(&want) * length(&x);
        let expected = dot(&want, &x);
        assert!(
            (margin - expected).abs() <= 1e-7 * size,
            "{at}: {margin}, not {expected}"
        );
        asked.push(times(sample.y(), &x));
        compared += 1;
        slack += usize::from(from_phi0 && want[last] > root * (1.0 + 1e-6));
        if t % 10 == 9 {
            let mut again = fresh();
            again.load(1, &mut saved(&*learner)).unwrap();
            learner = again;
        }
    }
    assert_eq!(counted(&*learner, "refused"), 0, "{spec}, {}", stream.name);
    (compared, slack)
}

/// Without a kernel phi(0) is 0: both starts are the same learner.
#[test]
fn phi0_is_zero_without_a_kernel() {
    for name in ["romma", "max-margin"] {
        let stream = stream(Kind::Dense, 5, 100);
        let [mut a, mut b] = ["zero", "phi0"]
            .map(|start| learner(&format!("{name}:noise=1,start={start}"), stream.width));
        for s in &stream.samples {
            let [a, b] = [&mut a, &mut b].map(|l| visit(&mut **l, s.id, s.row(), s.positive));
            assert_eq!(a.unwrap(), b.unwrap(), "{name}");
        }
        assert_eq!(a.weights(0), b.weights(0), "{name}");
    }
}

/// When a row was last looked at, and how far it can wait, is not saved: a learner that looks at all rows again learns the same.
#[test]
fn max_margin_looks_at_rows_in_time() {
    let mut refused = 0;
    for spec in ["max-margin", "max-margin:noise=0.2"] {
        for &kind in &[
            Kind::Dense,
            Kind::Growing,
            Kind::Sparse,
            Kind::Binary,
            Kind::Repeated,
        ] {
            for seed in 0..cases(3) {
                let stream = stream(kind, seed, 150);
                let (mut whole, mut again) =
                    (learner(spec, stream.width), learner(spec, stream.width));
                for (t, sample) in stream.samples.iter().enumerate() {
                    let [a, b] = [&mut whole, &mut again].map(|learner| {
                        visit(
                            &mut **learner,
                            Some(t as u64),
                            sample.row(),
                            sample.positive,
                        )
                    });
                    assert_eq!(a.unwrap(), b.unwrap(), "{}, {t}", stream.name);
                    if t % 7 == 3 {
                        again = reloaded(spec, stream.width, &*again);
                    }
                }
                assert_same_state(&*whole, &*again, &stream.name);
                refused += counted(&*whole, "refused");
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

/// What cannot be satisfied together with the rows before is refused, and only that.
#[test]
fn max_margin_refuses_what_is_impossible() {
    let mut refused = 0;
    for seed in 0..cases(15) {
        let mut g = SplitMix64::new(seed);
        let mut learner = learner("max-margin", 3);
        // small integers: U* has at most three rows of margin 1, and determinants of integers are at least 1
        let mut kept: Vec<Vec<f64>> = Vec::new();
        for _ in 0..25 {
            let x: Vec<f32> = (0..3).map(|_| g.below(7) as f32 - 3.0).collect();
            if x.iter().all(|x| *x == 0.0) {
                continue;
            }
            let positive = g.below(2) == 0;
            let before = counted(&*learner, "refused");
            trial(&mut *learner, Row::dense(&x), positive).unwrap();
            let sign = if positive { 1.0 } else { -1.0 };
            let x: Vec<f64> = x.iter().map(|x| sign * f64::from(*x)).collect();
            let with: Vec<Vec<f64>> = kept.iter().cloned().chain([x]).collect();
            if counted(&*learner, "refused") > before {
                assert!(shortest(&with, 1e4).is_none(), "seed {seed}: {with:?}");
                refused += 1;
            } else {
                kept = with;
                let w = weights(&*learner, 4);
                let least = kept
                    .iter()
                    .map(|z| dot(&w[1..], z))
                    .fold(f64::INFINITY, f64::min);
                assert!(least > 1.0 - 1e-6, "seed {seed}: {least}");
            }
        }
    }
    assert!(refused > 50, "{refused}");
}

/// Whatever was refused, the rows that were not have margin 1.
#[test]
fn max_margin_keeps_its_word() {
    let (mut refused, mut kept_rows) = (0, 0);
    for &kind in &[Kind::Dense, Kind::Growing, Kind::Sparse, Kind::Binary] {
        for seed in 0..cases(4) {
            let stream = stream(kind, seed, 120);
            let mut learner = learner("max-margin", stream.width);
            let mut kept: Vec<Vec<f64>> = Vec::new();
            for sample in &stream.samples {
                let before = counted(&*learner, "refused");
                trial(&mut *learner, sample.row(), sample.positive).unwrap();
                if counted(&*learner, "refused") == before {
                    kept.push(times(sample.y(), &sample.dense(stream.slots())));
                }
            }
            let w = weights(&*learner, stream.slots());
            for z in &kept {
                let rounding = 1e-12 * length(&w) * length(z);
                let margin = dot(&w, z);
                assert!(margin > 1.0 - 1e-6 - rounding, "{}: {margin}", stream.name);
            }
            refused += counted(&*learner, "refused");
            kept_rows += kept.len();
        }
    }
    assert!(refused > 100 && kept_rows > 500, "{refused}, {kept_rows}");
}

/// On wrong labels and without noise control `|w|` grows without end: to the edge of the numbers, not past it.
#[test]
fn without_noise_control_w_grows_but_stays_a_number() {
    for spec in ["romma", "romma:aggressive"] {
        let mut g = SplitMix64::new(11);
        let mut learner = learner(spec, 10);
        let mut draw = || {
            let x: Vec<f32> = (1..=10).map(|_| gaussian(&mut g) as f32).collect();
            Sample::new((1..=10).collect(), x, g.below(2) == 0)
        };
        let (mut updates, mut at_the_edge) = (0, 0);
        for _ in 0..60_000 {
            let s = draw();
            let (margin, updated) = trial(&mut *learner, s.row(), s.positive).unwrap();
            assert!(margin.is_finite());
            updates += usize::from(updated);
            at_the_edge += usize::from(!updated && (margin >= 0.0) != s.positive);
        }
        let size = length(&learner.weights(0));
        assert!(
            updates > 3000 && size > 1e100 && size < 1e151,
            "{spec}: {size}"
        );
        assert_eq!(counted(&*learner, "skipped") > 0, at_the_edge > 0, "{spec}");
        assert!(at_the_edge > 1000, "{spec}: {at_the_edge}");
        let far = Sample::new(vec![1, 2], vec![f32::MAX, -f32::MAX], true);
        match trial(&mut *learner, far.row(), true) {
            Ok((margin, _)) => assert!(margin.is_finite()),
            Err(refusal) => assert_eq!(refusal, Refusal::NotFinite),
        }
        assert_finite(&*learner, &[draw()], spec);
    }
}

/// `|w|^2` is followed from update to update; it stays that of w, in both spaces, while w grows by many orders.
#[test]
fn the_length_is_that_of_w() {
    for (spec, seed) in [
        ("romma", 1),
        ("romma:aggressive", 2),
        ("romma", 3),
        ("romma:aggressive", 4),
    ] {
        let mut g = SplitMix64::new(seed);
        let parsed = Spec::parse(spec).unwrap();
        let parameters = parsed.parameters(None).unwrap();
        let within = parsed.entry().build_with.unwrap();
        let mut rows = within(&parameters, Kernel::LINEAR, MEMORY);
        let mut plain = learner(spec, 10);
        // wrong labels: some, or half of them
        let wrong = if seed < 3 { 0.05 } else { 0.5 };
        let (mut updates, mut worst) = ([0; 2], [0.0_f64; 2]);
        for t in 0..3000 {
            let x: Vec<f32> = (1..=10).map(|_| gaussian(&mut g) as f32).collect();
            let positive = (x[0] > 0.1 * x[1]) != (g.uniform() < wrong);
            for (k, learner) in [&mut plain, &mut rows].into_iter().enumerate() {
                let (_, updated) = trial(&mut **learner, Row::dense(&x), positive).unwrap();
                updates[k] += usize::from(updated);
                if updated && (t % 10 == 0 || t < 100) {
                    let w = match learner.support() {
                        None => learner.weights(0),
                        Some(sum) => {
                            let mut w = vec![0.0; 11];
                            for (x, c) in sum.rows().zip(sum.coefficients(0)) {
                                x.add_to(c, &mut w);
                            }
                            w
                        }
                    };
                    let (reported, is) = (numbers(&**learner, "length")[0], dot(&w, &w));
                    worst[k] = worst[k].max((reported - is).abs() / is);
                }
            }
        }
        assert!(updates.iter().all(|n| *n > 100), "{spec}: {updates:?}");
        assert!(worst[0] < 1e-10, "{spec}: {worst:?}");
        // sums of rows that depend on each other cancel, in the end wholly, and measured again they are no better
        assert!(worst[1] < 1e-3 || wrong > 0.1, "{spec}: {worst:?}");
    }
}

/// Noise control keeps w short on the same rows.
#[test]
fn noise_control_keeps_w_short() {
    for spec in ["romma:noise=1", "romma:aggressive,noise=1"] {
        let mut g = SplitMix64::new(11);
        let mut learner = learner(spec, 10);
        for _ in 0..20_000 {
            let x: Vec<f32> = (1..=10).map(|_| gaussian(&mut g) as f32).collect();
            trial(&mut *learner, Row::dense(&x), g.below(2) == 0).unwrap();
        }
        assert!(length(&learner.weights(0)) < 150.0, "{spec}");
    }
}

/// Whatever lam and whatever rows: numbers.
#[test]
fn noise_of_any_size() {
    for name in ["romma:", "romma:aggressive,", "max-margin:"] {
        for noise in [1e-300, 1e-30, 1e30, 1e300, f64::MAX] {
            let mut g = SplitMix64::new(1);
            let mut learner = learner(&format!("{name}noise={noise}"), 3);
            for t in 0..200 {
                let size = [f32::MAX, 1e18, 1.0, 1e-18, 1e-45][g.below(5)];
                let x: Vec<f32> = (0..3).map(|_| size * (g.below(3) as f32 - 1.0)).collect();
                if x.iter().all(|x| *x == 0.0) {
                    continue;
                }
                match visit(&mut *learner, Some(t % 40), Row::dense(&x), g.below(2) == 0) {
                    Ok((margin, _)) => assert!(margin.is_finite(), "{name}noise={noise}"),
                    Err(refusal) => assert_eq!(refusal, Refusal::NotFinite),
                }
                assert!(
                    learner.weights(0).iter().all(|w| w.is_finite()),
                    "{name}noise={noise}"
                );
            }
        }
    }
}

/// Several classes: each has its own coefficients of the examples.
#[test]
fn classes_do_not_share_noise() {
    for spec in ["romma:aggressive,noise=1", "max-margin:noise=1"] {
        let stream = stream(Kind::Dense, 5, 50);
        let mut both = learner(spec, stream.width);
        both.add_lane(0).unwrap();
        let mut alone = [learner(spec, stream.width), learner(spec, stream.width)];
        let mut out = Trial::default();
        for i in shuffled(1, 50, 3) {
            let s = &stream.samples[i];
            let second = i % 3 == 0;
            let mut positive: Vec<usize> = Vec::new();
            positive.extend(s.positive.then_some(0));
            positive.extend(second.then_some(1));
            out.id = s.id;
            both.trial(s.row(), &positive, &mut out).unwrap();
            let one = [s.positive, second].into_iter().zip(&mut alone);
            for (k, (y, learner)) in one.enumerate() {
                let (margin, updated) = visit(&mut **learner, s.id, s.row(), y).unwrap();
                assert!(
                    (out.margin[k] - margin).abs() < 1e-9 * (1.0 + margin.abs()),
                    "{spec}"
                );
                assert_eq!(out.updated[k], updated, "{spec}");
            }
        }
    }
}
