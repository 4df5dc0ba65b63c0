//! Models that earlier versions wrote: they load, answer and learn on as they did then.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use novikoff::model::Model;
use novikoff::run::{self, Ledger};
use novikoff::source::Source as _;
use novikoff::state::{Array, State};
use novikoff_data::blocks::{Input, ReadOptions, Reader};
use novikoff_data::model::{load, save};

const MEMORY: u128 = 1 << 30;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models")
}

/// Name, rows, command.
fn list() -> Vec<[String; 3]> {
    let text = std::fs::read_to_string(folder().join("models.tsv")).unwrap();
    let fields = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    text.lines()
        .map(|line| fields(line).try_into().unwrap())
        .collect()
}

/// Reads the rows as the command reads them for a model.
fn reader(model: &Model, rows: &str, learns: bool) -> Reader {
    let schema = if learns {
        Arc::clone(model.schema())
    } else {
        Arc::new(model.schema().frozen())
    };
    let inputs = vec![Input::Path(folder().join(rows))];
    Reader::with_schema(inputs, ReadOptions::default(), 1, schema).unwrap()
}

/// The margins of all rows, in the order of the classes.
fn margins(model: &Model, rows: &str) -> Vec<Vec<f64>> {
    let mut reader = reader(model, rows, false);
    let mut all = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        let rows = (0..block.len()).map(|i| block.row(i));
        model.scores_of(rows, None, |_, scores| {
            let order = model.classes().order().iter();
            all.push(order.map(|&class| scores[class]).collect());
        });
    }
    all
}

fn learn_on(model: &mut Model, rows: &str) {
    let mut reader = reader(model, rows, true);
    let mut ledger = Ledger::begin(model);
    model.number_rows_from(None);
    let mut first = 0;
    while let Some(block) = reader.next_block().unwrap() {
        let len = block.len();
        let position = run::Position { epoch: 0, first };
        run::block(model, block, 0..len, position, &mut ()).unwrap();
        first += len as u64;
    }
    ledger.end_epoch(model);
    model.adopt(reader.schema());
}

/// Numbers may differ by rounding where a matrix product is involved, and nowhere else.
fn is_near(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

fn arrays(state: &State<'_>) -> Vec<(String, Vec<f64>)> {
    let numbers = |array: &Array<'_>| match array {
        Array::F64(data) => data.to_vec(),
        Array::U64(data) => data.iter().map(|&v| v as f64).collect(),
        Array::F32(data) => data.iter().map(|&v| f64::from(v)).collect(),
        Array::U32(data) => data.iter().map(|&v| f64::from(v)).collect(),
    };
    let all = state
        .arrays()
        .map(|(name, array)| (name.to_owned(), numbers(array)));
    all.collect()
}

fn state(model: &Model) -> Vec<(String, Vec<f64>)> {
    let mut state = State::new();
    model.learner().save(&mut state);
    arrays(&state)
}

#[test]
fn every_model_answers_as_it_did() {
    let list = list();
    assert!(list.len() >= 130, "{} models", list.len());
    for [name, rows, command] in &list {
        let model = load(&folder().join(format!("{name}.model")), MEMORY)
            .unwrap()
            .model;
        let text = std::fs::read_to_string(folder().join(format!("{name}.margins"))).unwrap();
        let numbers = |line: &str| {
            line.split('\t')
                .map(|n| n.parse().unwrap())
                .collect::<Vec<f64>>()
        };
        let then: Vec<Vec<f64>> = text.lines().map(numbers).collect();
        let now = margins(&model, rows);
        assert_eq!(now.len(), then.len(), "{name}: {command}");
        for (now, then) in now.iter().flatten().zip(then.iter().flatten()) {
            assert!(is_near(*now, *then), "{name}: {now}, not {then}: {command}");
        }
    }
}

#[test]
fn every_model_learns_on_as_it_did() {
    let mut learned = 0;
    for [name, rows, command] in &list() {
        let after = folder().join(format!("{name}.after"));
        if !after.exists() {
            continue;
        }
        learned += 1;
        let mut model = load(&folder().join(format!("{name}.model")), MEMORY)
            .unwrap()
            .model;
        learn_on(&mut model, rows);
        let then = load(&after, MEMORY).unwrap().model;
        assert_eq!(model.totals(), then.totals(), "{name}: {command}");
        let (now, then) = (state(&model), state(&then));
        let names = |s: &[(String, Vec<f64>)]| {
            s.iter()
                .map(|(n, v)| (n.clone(), v.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&now), names(&then), "{name}: {command}");
        for ((array, now), (_, then)) in now.iter().zip(&then) {
            for (now, then) in now.iter().zip(then) {
                assert!(
                    is_near(*now, *then),
                    "{name}/{array}: {now}, not {then}: {command}"
                );
            }
        }
    }
    assert!(learned >= 115, "{learned} models");
}

/// A model that was loaded and saved again is the same model.
#[test]
fn every_model_is_saved_as_it_was_loaded() {
    let here = tempfile::tempdir().unwrap();
    for [name, ..] in &list() {
        let loaded = load(&folder().join(format!("{name}.model")), MEMORY).unwrap();
        if loaded.unfinished.is_some() {
            continue;
        }
        let path = here.path().join("again.model");
        save(&loaded.model, &path).unwrap();
        let again = load(&path, MEMORY).unwrap().model;
        assert_eq!(state(&again), state(&loaded.model), "{name}");
        assert_eq!(again.totals(), loaded.model.totals(), "{name}");
    }
}
