//! A learner with a theorem of its own, written outside of the library: a rule, an entry, a definition, a case.
//!
//! The unit perceptron moves by `y x/|x|`. With `z = x/|x|` its m mistakes obey `m <= sum over all trials of max(0, 1 - y U.z) + |U| sqrt(m)`.

#![allow(clippy::unwrap_used)]
#![cfg(feature = "linalg")]

use crate::common;

use common::certified::small;
use novikoff::catalog::{
    CATALOG, Capabilities, Entry, OwnTheorem, RowKnowledge, Theorem, TheoremFacts,
};
use novikoff::certificate::{Certificate, Inexact, PastTrial, Rival, Up};
use novikoff::certify::{Diary, Effort, Finished, certify};
use novikoff::dual::{Aim, Problem};
use novikoff::label::Label;
use novikoff::learner::{Linear, Rule, TrialRow};
use novikoff::model::Model;
use novikoff::parameter::Parameters;
use novikoff::rows::Rows;
use novikoff::run;
use novikoff::space::{Lane, Primal};
use novikoff::spec::Spec;
use novikoff::state::{State, StateError};
use novikoff_testkit::Subject;

// step 1: its rule

#[derive(Clone)]
struct UnitPerceptron;

impl Rule<Primal> for UnitPerceptron {
    type State = ();

    fn start(&self, _planes: &Primal) {}

    fn learn(
        &self,
        _state: &mut (),
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let wrong = Label::of(trial.margin) != y;
        if wrong {
            w.add(y.sign() / trial.x.norm(2.0), trial.x);
        }
        wrong
    }

    fn save<'a>(&self, _state: &'a (), _out: &mut State<'a>) {}

    fn load(&self, _planes: &Primal, _from: &mut State<'static>) -> Result<(), StateError> {
        Ok(())
    }
}

// step 2: its entry, with its theorem

const FACTS: TheoremFacts = TheoremFacts {
    names: &["unit"],
    expected: false,
    counts_updates: false,
    needs_separable: false,
    rows: RowKnowledge::Values,
};

fn bound(_parameters: &Parameters, past: &[PastTrial<'_>], u: &Rival) -> Certificate {
    let updates = past.iter().filter(|t| t.updated).count();
    let slacks = past
        .iter()
        .zip(u.values())
        .map(|(t, Inexact { value, error })| {
            let norm = t.x.norm(2.0);
            let most = 1.0 - (t.y.sign() * value - error) / norm;
            Up::new(most * (1.0 + 1e-12))
        });
    let hinge: Up = slacks.sum();
    let norm = u.norm_sq().sqrt() * Up::new(updates as f64).sqrt();
    Certificate {
        theorem: "unit",
        name: "unit perceptron",
        counted: updates as u64,
        bound: (hinge + norm).value(),
        ingredients: vec![("hinge", hinge.value()), ("norm", norm.value())],
    }
}

const LARGER: &[Entry] = &[Entry {
    name: "unit-perceptron",
    summary: "perceptron whose steps have length 1",
    keys: &[],
    pairs: false,
    build: |_, memory| Box::new(Linear::new(UnitPerceptron, memory)),
    build_with: None,
    can: Capabilities {
        theorem: Some(|_, _| {
            Ok(Theorem::Own(OwnTheorem {
                facts: FACTS,
                bound,
            }))
        }),
        ..Capabilities::PLAIN
    },
}];

fn model(width: u32) -> Model {
    let spec = Spec::parse_in(LARGER, "unit-perceptron").unwrap();
    Model::builder(spec).width(width).build().unwrap()
}

// step 3: its definition, and its theorem on random streams

#[test]
fn it_equals_its_definition_and_obeys_its_theorem() {
    let mut certified = 0;
    for seed in 0..60 {
        let stream = small(seed);
        let (mut rows, mut aims) = (Rows::new(), Vec::new());
        for s in &stream.samples {
            for (&j, &v) in s.index.iter().zip(&s.value) {
                rows.push(j, v);
            }
            let text: &[u8] = if s.positive { b"+1" } else { b"-1" };
            rows.push_label(s.y(), text);
            rows.end_row(0);
            aims.push(Aim::label(Label::of(s.y())));
        }
        let mut model = model(stream.width);
        let mut diary = Diary::default();
        for epoch in 0..2 {
            let all = 0..rows.len();
            run::block(
                &mut model,
                rows.view(),
                all,
                run::Position { epoch, first: 0 },
                &mut diary,
            )
            .unwrap();
        }
        // slow and obvious
        let (mut w, mut moved) = (vec![0.0; stream.width as usize + 1], false);
        for (t, s) in stream.samples.iter().chain(&stream.samples).enumerate() {
            let x = s.dense(w.len());
            let margin: f64 = w.iter().zip(&x).map(|(w, x)| w * x).sum();
            let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
            let wrong = (margin >= 0.0) != s.positive;
            if margin.abs() <= 1e-9 * norm && moved {
                break; // a near tie
            }
            assert_eq!(diary.pages[0].mistakes.get(t), wrong, "{} {t}", stream.name);
            moved |= wrong;
            if wrong {
                w.iter_mut()
                    .zip(&x)
                    .for_each(|(w, x)| *w += s.y() * x / norm);
            }
        }
        let problem = Problem::new(rows.view(), Vec::new(), aims);
        let run = Finished::of(&model, &problem, &diary, 0).unwrap();
        let answer = certify(&run, Effort::Full).unwrap();
        let mistakes = diary.pages[0].mistakes.count();
        assert_eq!(
            (answer.certificate.theorem, answer.counted),
            ("unit", mistakes)
        );
        assert!(
            mistakes as f64 <= answer.bound,
            "{}: {answer:?}",
            stream.name
        );
        assert!(answer.bound <= diary.order.len() as f64 * (1.0 + 1e-9));
        certified += u32::from(answer.bound < diary.order.len() as f64 - 0.5);
    }
    assert!(certified > 20, "{certified} bounds say something");
}

#[test]
fn it_keeps_the_contract_of_all_learners() {
    novikoff_testkit::examine(&Subject::parse_in(LARGER, "unit-perceptron").unwrap());
}

// step 4: a case worked by hand

#[test]
fn three_rows_by_hand() {
    let mut model = model(2);
    let mut rows = Rows::new();
    // (3, 4) with -1: w = 0, so the answer is +1 and wrong: w = -(0.6, 0.8); (5, 0) with +1: -3, wrong: w = (0.4, -0.8)
    // (0, 1) with -1: -0.8, right
    for (values, label) in [([3.0, 4.0], "-1"), ([5.0, 0.0], "+1"), ([0.0, 1.0], "-1")] {
        rows.push(1, values[0]);
        rows.push(2, values[1]);
        rows.push_label(label.parse().unwrap(), label.as_bytes());
        rows.end_row(0);
    }
    run::block(
        &mut model,
        rows.view(),
        0..3,
        run::Position::default(),
        &mut Diary::default(),
    )
    .unwrap();
    assert_eq!((model.totals().mistakes, model.totals().updates), (2, 2));
    let w = model.learner().weights(0);
    assert!(
        (w[1] - 0.4).abs() < 1e-12 && (w[2] + 0.8).abs() < 1e-12,
        "{w:?}"
    );
    // the name is unknown where only the library's own learners are
    assert!(Spec::parse("unit-perceptron").is_err());
    assert!(CATALOG.iter().all(|entry| entry.name != "unit-perceptron"));
}
