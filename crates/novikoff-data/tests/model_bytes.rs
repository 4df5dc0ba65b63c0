//! Models as bytes in memory, and snapshots of a model that learns, from outside.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, mpsc};
use std::thread;

use novikoff::classes::Task;
use novikoff::kernel::Kernel;
use novikoff::label::RawLabel;
use novikoff::learner::Learner;
use novikoff::model::{Model, Snapshot};
use novikoff::names::NameLimits;
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::rows::Rows;
use novikoff::spec::Spec;
use novikoff_data::model::{from_bytes, load, save, to_bytes};

const MEMORY: u128 = 1 << 24;

fn model(spec: &str, kernel: Kernel, task: Task) -> Model {
    let spec = Spec::parse(spec).unwrap();
    let builder = Model::builder(spec).kernel(kernel).task(task);
    let builder = builder.normalize(Some(2.0)).width(6).memory(MEMORY);
    builder.build().unwrap()
}

/// Models of several kinds: vectors, averages, stored vectors, matrices, rows of a kernel, classes.
fn models() -> Vec<Model> {
    let rbf = Kernel::parse("gaussian:gamma=0.5").unwrap();
    vec![
        model("perceptron", Kernel::LINEAR, Task::plus_minus()),
        model("averaged", Kernel::LINEAR, Task::OneVsRest),
        model("voted", Kernel::LINEAR, Task::plus_minus()),
        model("second-order", Kernel::LINEAR, Task::plus_minus()),
        model("perceptron", rbf, Task::OneVsRest),
    ]
}

/// Rows of six features in three classes, or two.
fn rows(binary: bool, count: usize) -> Rows {
    let mut random = SplitMix64::new(5);
    let mut rows = Rows::new();
    for line in 0..count {
        let values: [f32; 6] = std::array::from_fn(|_| (2.0 * random.uniform() - 1.0) as f32);
        let class = if values[0] > values[1] { 1 } else { -1 };
        let class = if !binary && values[2] > 0.3 { 2 } else { class };
        rows.push_label(f64::from(class), class.to_string().as_bytes());
        for (j, value) in (1..).zip(values) {
            rows.push(j, value);
        }
        rows.end_row(line as u64);
    }
    rows
}

fn learn(model: &mut Model, rows: &Rows, range: std::ops::Range<usize>) {
    for i in range {
        let _ = model.learn(rows.row(i), rows.labels(i)).unwrap();
    }
}

fn is_binary(model: &Model) -> bool {
    model.classes().is_binary()
}

/// The scores and labels of some rows.
fn answers(model: &Model, rows: &Rows) -> Vec<(Vec<u64>, String)> {
    let mut scores = Vec::new();
    (0..rows.len())
        .map(|i| {
            model.scores(rows.row(i), None, &mut scores);
            let mut label = Vec::new();
            model.predict(&scores, &mut label);
            let bits = scores.iter().map(|score| score.to_bits()).collect();
            (bits, String::from_utf8(label).unwrap())
        })
        .collect()
}

#[test]
fn models_and_learners_may_be_shared_by_threads() {
    fn shared<T: Send + Sync + ?Sized>() {}
    shared::<Model>();
    shared::<Snapshot>();
    shared::<dyn Learner>();
}

#[test]
fn bytes_are_those_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model");
    for mut model in models() {
        let rows = rows(is_binary(&model), 120);
        learn(&mut model, &rows, 0..120);
        let limits = NameLimits {
            slots: 100,
            bytes: 1 << 20,
        };
        model.names_mut().assign("colour=red", limits).unwrap();
        let digest = save(&model, &path).unwrap();
        let bytes = to_bytes(&model).unwrap();
        assert_eq!(bytes, std::fs::read(&path).unwrap());
        let loaded = from_bytes(&bytes, MEMORY).unwrap();
        assert_eq!(loaded.digest, digest);
        assert_eq!(loaded.sections, load(&path, MEMORY).unwrap().sections);
        assert_eq!(answers(&loaded.model, &rows), answers(&model, &rows));
        assert_eq!(to_bytes(&loaded.model).unwrap(), bytes);
    }
}

#[test]
fn every_changed_byte_and_every_end_is_noticed() {
    let mut model = model("averaged", Kernel::LINEAR, Task::OneVsRest);
    learn(&mut model, &rows(false, 40), 0..40);
    let bytes = to_bytes(&model).unwrap();
    for at in 0..bytes.len() {
        for mask in [1, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= mask;
            let error = from_bytes(&changed, MEMORY).err().unwrap().to_string();
            assert!(error.starts_with("<bytes>: "), "{error}");
        }
        assert!(from_bytes(&bytes[..at], MEMORY).is_err());
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(from_bytes(&longer, MEMORY).is_err());
}

#[test]
fn the_limit_of_memory_is_kept() {
    let mut model = model("perceptron", Kernel::LINEAR, Task::plus_minus());
    let x = vec![1.0; 5000];
    let label = || std::iter::once(RawLabel::new(-1.0, b"-1"));
    let _ = model.learn(Row::dense(&x), label()).unwrap();
    let bytes = to_bytes(&model).unwrap();
    let length = bytes.len() as u128;
    let error = from_bytes(&bytes, length - 1).err().unwrap();
    let remedy = error.remedy().unwrap().to_string();
    assert_eq!(remedy, "raise max_memory if you trust it");
    assert!(from_bytes(&bytes, 2 * length).is_ok());
}

#[test]
fn a_snapshot_is_the_model_that_would_be_saved() {
    for mut model in models() {
        let rows = rows(is_binary(&model), 160);
        for part in 0..4 {
            if model.learner().lookahead() > 0 {
                let coming = (0..40).map(|k| (None, rows.row(40 * part + k)));
                model.prefetch(coming);
            }
            learn(&mut model, &rows, 40 * part..40 * part + 20);
            let snapshot = model.snapshot();
            let saved = to_bytes(&model).unwrap();
            learn(&mut model, &rows, 40 * part + 20..40 * part + 40);
            let restored = from_bytes(&saved, MEMORY).unwrap().model;
            assert_eq!(answers(&snapshot, &rows), answers(&restored, &rows));
            assert_eq!(to_bytes(&snapshot).unwrap(), saved);
        }
    }
}

#[test]
fn snapshots_share_names_until_one_is_new() {
    let limits = NameLimits {
        slots: 100,
        bytes: 1 << 20,
    };
    let mut model = model("perceptron", Kernel::LINEAR, Task::plus_minus());
    model.names_mut().assign("a", limits).unwrap();
    let snapshot = model.snapshot();
    let label = || std::iter::once(RawLabel::new(-1.0, b"-1"));
    let _ = model.learn(Row::dense(&[0.0, 1.0]), label()).unwrap();
    assert!(
        Arc::ptr_eq(model.schema(), snapshot.schema()),
        "learning copies no names"
    );
    model.names_mut().assign("b", limits).unwrap();
    assert_eq!(Arc::strong_count(snapshot.schema()), 1);
    assert_eq!(snapshot.names().slot(b"a"), Some(1));
    assert_eq!(snapshot.names().slot(b"b"), None);
    assert_eq!(model.names().slot(b"b"), Some(2));
}

#[test]
fn readers_predict_from_snapshots_while_one_writer_learns() {
    for mut model in models() {
        let rows = &rows(is_binary(&model), 300);
        let (sender, receiver) = mpsc::channel::<(Snapshot, Vec<u8>)>();
        thread::scope(|scope| {
            scope.spawn(move || {
                for part in 0..10 {
                    learn(&mut model, rows, 30 * part..30 * part + 30);
                    sender
                        .send((model.snapshot(), to_bytes(&model).unwrap()))
                        .unwrap();
                }
            });
            let mut readers = Vec::new();
            for (snapshot, saved) in receiver {
                for _ in 0..2 {
                    let (snapshot, saved) = (snapshot.clone(), saved.clone());
                    readers.push(scope.spawn(move || {
                        let restored = from_bytes(&saved, MEMORY).unwrap().model;
                        assert_eq!(answers(&snapshot, rows), answers(&restored, rows));
                    }));
                }
            }
            assert_eq!(readers.len(), 20);
        });
    }
}
