//! Models and rows in memory, as a door inside another program has them.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use novikoff::evaluation::ScoreUnit;
use novikoff::rows::Rows;
use novikoff::spec::Spec;
use novikoff_data::digits::digits;
use novikoff_data::model::to_bytes;
use novikoff_engine::answer::Answerer;
use novikoff_engine::data::{Data, MemoryRows};
use novikoff_engine::events::Quiet;
use novikoff_engine::fit::{Fit, Fitted};
use novikoff_engine::options::{RowOptions, RunOptions};
use novikoff_engine::weights::class_names;
use novikoff_engine::{Context, Error, Interrupt};

fn fit(rows: &Arc<MemoryRows>, spec: Option<&str>) -> Fit {
    Fit {
        data: Data::Memory(Arc::clone(rows)),
        spec: spec.map(|spec| Spec::parse(spec).unwrap()),
        resume: None,
        output: None,
        checkpoint: None,
        trace: None,
        test: None,
        run: RunOptions {
            bias: spec.map(|_| Some(1.0)),
            ..RunOptions::default()
        },
        rows: RowOptions {
            memory: 1 << 28,
            ..RowOptions::default()
        },
        certify: None,
        charts: false,
    }
}

fn run(job: &Fit) -> Fitted {
    job.run(Context::new(&Quiet, &Interrupt::default()))
        .unwrap()
}

fn memory(rows: Rows, constant: Option<f32>) -> Arc<MemoryRows> {
    Arc::new(MemoryRows {
        rows,
        constant,
        ..MemoryRows::default()
    })
}

fn part(rows: &Rows, range: std::ops::Range<usize>) -> Rows {
    let mut out = Rows::new();
    range.for_each(|row| out.copy_row(rows.view(), row));
    out
}

/// Rows that have the constant feature are lent, others are copied: the model is the same. So is that of two halves.
#[test]
fn the_constant_and_the_halves_do_not_matter() {
    let with = digits(Some(1.0));
    for spec in ["perceptron", "arow", "second-order"] {
        let plain = run(&fit(&memory(digits(None), None), Some(spec)));
        let whole = run(&fit(&memory(with.clone(), Some(1.0)), Some(spec)));
        let whole = to_bytes(whole.model.as_ref().unwrap()).unwrap();
        assert_eq!(whole, to_bytes(plain.model.as_ref().unwrap()).unwrap());
        // all classes are among the first rows
        let first = run(&fit(&memory(part(&with, 0..900), Some(1.0)), Some(spec)));
        let second = fit(&memory(part(&with, 900..with.len()), Some(1.0)), None);
        let interrupt = Interrupt::default();
        let model = first.model.unwrap();
        let both = second
            .run_from(model, Context::new(&Quiet, &interrupt))
            .unwrap()
            .model
            .unwrap();
        assert_eq!(whole, to_bytes(&both).unwrap(), "{spec}");
    }
}

/// What is asked of rows in memory is what the model says of each row by itself.
#[test]
fn answers_are_those_of_each_row() {
    let rows = memory(digits(None), None);
    let with = digits(Some(1.0));
    for spec in ["averaged", "logistic"] {
        let model = run(&fit(&rows, Some(spec))).model.unwrap();
        let interrupt = Interrupt::default();
        let answerer = |threads| Answerer {
            model: &model,
            by: None,
            threads,
            interrupt: &interrupt,
        };
        let scores = answerer(3).numbers(&rows, ScoreUnit::Margin).unwrap();
        let labels = answerer(1).labels(&rows).unwrap();
        let names = class_names(&model);
        let columns = answerer(1).columns();
        assert_eq!((columns, scores.len()), (10, 10 * with.len()));
        for (row, &place) in labels.iter().enumerate() {
            let x = with.row(row);
            assert_eq!(names[place as usize], model.classify(x));
            let mut own = Vec::new();
            model.scores(x, None, &mut own);
            let order = model.classes().order().iter();
            let own: Vec<f64> = order.map(|&class| own[class]).collect();
            assert_eq!(scores[columns * row..columns * (row + 1)], own);
        }
        let chances = answerer(1).numbers(&rows, ScoreUnit::Probability);
        match chances {
            Ok(chances) => {
                assert_eq!(spec, "logistic");
                let sum: f64 = chances[..10].iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{sum}");
            }
            Err(error) => {
                assert_eq!(spec, "averaged");
                assert!(error.to_string().ends_with("the model has margins only"));
            }
        }
    }
}

/// A request to stop ends the answers.
#[test]
fn answers_stop_when_they_are_asked_to() {
    let rows = memory(digits(None), None);
    let model = run(&fit(&rows, Some("perceptron"))).model.unwrap();
    let interrupt = Interrupt::default();
    interrupt.request();
    let answerer = Answerer {
        model: &model,
        by: None,
        threads: 1,
        interrupt: &interrupt,
    };
    assert!(matches!(answerer.labels(&rows), Err(Error::Stopped(_))));
}
