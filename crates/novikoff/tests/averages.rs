//! The average of the weights over all trials, against its definition: the mean of the weight vectors after each trial.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::labelled::{Labels, labelled, learn, model_for};
use common::{SPECS, cases, every_spec, saved, state_bits};
use novikoff::catalog::CATALOG;
use novikoff::classes::Task;
use novikoff::kernel::Kernel;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, PartsError};
use novikoff::rows::Rows;
use novikoff::spec::{Spec, SpecError};
use novikoff::state::State;

/// Whether a learner keeps an average without a kernel.
fn is_additive(spec: &Spec) -> bool {
    (spec.entry().can.additive)(&spec.parameters(Some(1000)).unwrap())
}

/// The definition. The model learns without an average; the weight vectors after each trial are added up.
struct Slow {
    model: Model,
    /// One per lane.
    sums: Vec<Vec<f64>>,
    trials: u64,
    /// The longest vector so far, slot by slot: what rounding is compared with.
    size: f64,
}

impl Slow {
    fn new(model: Model) -> Self {
        let sums = vec![Vec::new(); model.learner().lanes()];
        Slow {
            model,
            sums,
            trials: 0,
            size: 0.0,
        }
    }

    fn learn(&mut self, rows: &Rows, i: usize) {
        learn(&mut self.model, rows, i);
        let learner = self.model.learner();
        // a class that appears was the background until then
        let background = self.sums[0].clone();
        self.sums.resize(learner.lanes(), background);
        if rows.row(i).is_zero() || rows.view().weight(i) == 0.0 {
            return;
        }
        self.trials += 1;
        for (k, sum) in self.sums.iter_mut().enumerate() {
            let weights = learner.weights(k);
            sum.resize(weights.len(), 0.0);
            for (sum, w) in sum.iter_mut().zip(weights) {
                *sum += w;
                self.size = self.size.max(w.abs());
            }
        }
    }

    /// Fails if the averages of a model are others.
    fn check(&self, model: &Model, tolerance: f64, context: &str) {
        let allowed = tolerance * self.size;
        assert_eq!(model.totals(), self.model.totals(), "{context}");
        for (k, sum) in self.sums.iter().enumerate() {
            let got = model.learner().weights(k);
            // a row that is no trial may have made room
            assert!(got.len() >= sum.len(), "{context}");
            let sums = sum.iter().chain(std::iter::repeat(&0.0));
            for (j, (got, sum)) in got.iter().zip(sums).enumerate() {
                let want = if self.trials == 0 {
                    0.0
                } else {
                    sum / self.trials as f64
                };
                let off = (got - want).abs();
                assert!(
                    off <= allowed,
                    "{context}, lane {k}, slot {j}: {got}, not {want}"
                );
            }
        }
    }

    /// Fails if scores are not those of the averages, up to the norm that alma divides by.
    fn check_scores(&self, model: &Model, rows: &Rows, tolerance: f64, context: &str) {
        let divides = model.spec().name() == "alma";
        let mut scores = vec![0.0; model.learner().lanes()];
        for i in (0..rows.len()).filter(|&i| !rows.row(i).is_zero()) {
            let x = rows.row(i);
            model.learner().scores(x, Hypothesis::Averaged, &mut scores);
            let norm = if divides { x.norm(2.0) } else { 1.0 };
            for (k, &got) in scores.iter().enumerate() {
                let want = x.dot(&model.learner().weights(k)) / norm;
                let allowed = tolerance * self.size * x.norm(1.0).max(1.0);
                assert!(
                    (got - want).abs() <= allowed,
                    "{context}, row {i}: {got}, not {want}"
                );
            }
        }
    }
}

fn averaged(spec: &Spec, labels: Labels, rows: &Rows) -> Model {
    model_for(spec, (labels, rows), Kernel::LINEAR, |b| b.averaged(true)).unwrap()
}

#[test]
fn every_additive_learner_keeps_the_mean_of_its_vectors() {
    every_spec(|text| {
        let spec = Spec::parse(text).unwrap();
        if !is_additive(&spec) || spec.name() == "averaged" {
            return;
        }
        for seed in 0..cases(1) {
            for labels in Labels::ALL {
                let rows = labelled(&spec, labels, seed, 60);
                let context = format!("{text}, {labels:?}, {seed}");
                let plain = model_for(&spec, (labels, &rows), Kernel::LINEAR, |b| b).unwrap();
                let (mut slow, mut fast) = (Slow::new(plain), averaged(&spec, labels, &rows));
                for epoch in 0..2 {
                    for i in 0..rows.len() {
                        slow.learn(&rows, i);
                        learn(&mut fast, &rows, i);
                        slow.check(&fast, 1e-9, &format!("{context}, epoch {epoch}, row {i}"));
                    }
                    slow.model.end_pass();
                    fast.end_pass();
                }
                slow.check_scores(&fast, &rows, 1e-9, &context);
                assert!(slow.size > 0.0, "{context}: nothing was learned");
            }
        }
    });
}

/// Factors that shrink by many orders of magnitude: what is lost by cancellation stays small.
#[test]
fn vectors_that_fade_lose_no_digits() {
    for text in [
        "shifting:lambda=3",
        "shifting:lambda=40",
        "shifting:lambda=1000000",
        "alma:alpha=0.1",
        "forgetron:budget=2",
        "romma:aggressive",
    ] {
        let spec = Spec::parse(text).unwrap();
        let rows = labelled(&spec, Labels::Many, 3, 1500);
        let of = (Labels::Many, &rows);
        let plain = model_for(&spec, of, Kernel::LINEAR, |b| b).unwrap();
        let (mut slow, mut fast) = (Slow::new(plain), averaged(&spec, Labels::Many, &rows));
        for i in 0..rows.len() {
            slow.learn(&rows, i);
            learn(&mut fast, &rows, i);
        }
        slow.check(&fast, 1e-9, text);
    }
}

#[test]
fn the_perceptron_with_its_average_is_the_averaged_perceptron() {
    let [one, two] = ["perceptron", "averaged"].map(|text| Spec::parse(text).unwrap());
    for labels in Labels::ALL {
        let rows = labelled(&one, labels, 8, 200);
        let mut a = averaged(&one, labels, &rows);
        // it needs not be asked, and may be
        let mut b = averaged(&two, labels, &rows);
        for i in 0..rows.len() {
            let [mut of_a, mut of_b] = [Vec::new(), Vec::new()];
            a.scores(rows.row(i), None, &mut of_a);
            b.scores(rows.row(i), None, &mut of_b);
            for (a, b) in of_a.iter().zip(&of_b) {
                assert!(
                    (a - b).abs() <= 1e-12 * a.abs().max(1.0),
                    "row {i}: {a}, {b}"
                );
            }
            learn(&mut a, &rows, i);
            learn(&mut b, &rows, i);
        }
        assert_eq!(a.totals(), b.totals());
    }
}

/// Saved and loaded after every row: the same bits as never stopped, with classes that appear and several epochs.
#[test]
fn an_average_survives_saving() {
    every_spec(|text| {
        let spec = Spec::parse(text).unwrap();
        if !is_additive(&spec) {
            return;
        }
        let rows = labelled(&spec, Labels::Many, 4, 40);
        let (mut whole, mut parts) = (
            averaged(&spec, Labels::Many, &rows),
            averaged(&spec, Labels::Many, &rows),
        );
        for i in (0..rows.len()).chain(0..rows.len()) {
            learn(&mut whole, &rows, i);
            learn(&mut parts, &rows, i);
            let mut state = saved(parts.learner());
            let parameters = spec.parameters(Some(rows.width())).unwrap();
            let mut learner = spec.learner(&parameters, Kernel::LINEAR, 1 << 30).unwrap();
            learner.load(parts.learner().lanes(), &mut state).unwrap();
            assert_eq!(state.left(), None);
            assert_eq!(learner.hypotheses(), whole.learner().hypotheses(), "{text}");
            assert_eq!(state_bits(&*learner), state_bits(whole.learner()), "{text}");
        }
    });
}

/// A learner that is not additive refuses, and names those that are not.
#[test]
fn others_refuse_and_name_those_that_offer_it() {
    let offered = Spec::parse("winnow")
        .unwrap()
        .offering(Hypothesis::Averaged, Kernel::LINEAR);
    for entry in CATALOG {
        let spec = Spec::parse(entry.name).unwrap();
        let built = Model::builder(spec.clone()).width(5).averaged(true).build();
        assert_eq!(built.is_ok(), is_additive(&spec), "{}", entry.name);
        assert_eq!(
            built.is_ok(),
            offered.contains(&entry.name),
            "{}",
            entry.name
        );
        if let Err(error) = built {
            let SpecError::NoAverage { learner, others } = error else {
                panic!("{error}");
            };
            assert_eq!((learner, &others), (entry.name, &offered));
        }
    }
    let kernel = Kernel::parse("gaussian").unwrap();
    let offered = Spec::parse("perceptron")
        .unwrap()
        .offering(Hypothesis::Averaged, kernel);
    assert_eq!(offered, ["averaged", "voted"]);
    let perceptron = Spec::parse("perceptron").unwrap();
    let built = Model::builder(perceptron)
        .kernel(kernel)
        .averaged(true)
        .build();
    assert!(built.is_err());
}

/// The arrays of an average in the state of a learner that keeps none, or that do not fit: an error.
#[test]
fn an_average_that_cannot_be_is_refused() {
    for text in SPECS {
        let spec = Spec::parse(text).unwrap();
        // a majority has no vector to average
        if is_additive(&spec) || !spec.parts().is_empty() {
            continue;
        }
        let mut model = Model::builder(spec.clone()).width(5).build().unwrap();
        let parameters = model.parameters().clone();
        let mut learner = spec.learner(&parameters, Kernel::LINEAR, 1 << 30).unwrap();
        assert!(learner.keep_average());
        model.reach(5);
        let parts = novikoff::model::ModelParts {
            spec,
            parameters,
            kernel: Kernel::LINEAR,
            auto_gamma: false,
            schema: model.schema().clone(),
            learner,
            classes: novikoff::classes::Classes::new(Task::plus_minus()),
            totals: model.totals(),
            calibration: None,
            settled_earlier: 0,
            learned: novikoff::model::RowSample::default(),
        };
        assert_eq!(
            Model::from_parts(parts).err(),
            Some(PartsError::Average),
            "{text}"
        );
    }
    let spec = Spec::parse("perceptron").unwrap();
    let rows = labelled(&spec, Labels::Two, 1, 20);
    let mut model = averaged(&spec, Labels::Two, &rows);
    (0..rows.len()).for_each(|i| learn(&mut model, &rows, i));
    let changed = |name: &str, change: fn(&mut Vec<f64>)| {
        let mut state = State::new();
        for (have, array) in saved(model.learner()).arrays() {
            match array {
                novikoff::state::Array::F64(data) if have == name => {
                    let mut data = data.to_vec();
                    change(&mut data);
                    state.put_f64(name, data);
                }
                array => state.insert(have.to_owned(), array.clone()),
            }
        }
        let parameters = model.parameters();
        let mut learner = spec.learner(parameters, Kernel::LINEAR, 1 << 30).unwrap();
        learner.load(1, &mut state.into_owned())
    };
    assert!(changed("none", |_| ()).is_ok());
    assert!(changed("average-sums", |data| data.push(1.0)).is_err());
    assert!(changed("average-factors", |data| data.push(1.0)).is_err());
    assert!(changed("average-factors", |data| data[0] = f64::NAN).is_err());
    assert!(changed("factors", |data| data[0] = 0.0).is_err());
}

/// The average is as long as the weights, and memory is asked for both before either is there.
#[test]
fn an_average_counts_as_memory() {
    let spec = Spec::parse("perceptron").unwrap();
    let of = |averaged: bool, memory: u128| {
        let builder = Model::builder(spec.clone())
            .memory(memory)
            .averaged(averaged);
        let mut model = builder.build().unwrap();
        let mut rows = Rows::new();
        rows.push(1000, 1.0);
        rows.push_label(-1.0, b"-1");
        rows.end_row(0);
        model
            .learn(rows.view().row(0), rows.view().labels(0))
            .is_ok()
    };
    assert!(of(false, 8 * 1001));
    assert!(!of(true, 8 * 1001));
    assert!(of(true, 16 * 1001));
}
