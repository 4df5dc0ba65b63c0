//! Bodies of requests, and records of logs.

use std::sync::LazyLock;

use novikoff::names::Names;
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;
use novikoff_serve::api::ModelOptions;
use novikoff_serve::body::{ContentType, RowParameters, read};
use novikoff_serve::fold::Fold;
use novikoff_serve::log::Entry;
use novikoff_serve::log::segment::{Frames, Place};
use novikoff_serve::settings::{CheckedSettings, Settings};

static SETTINGS: LazyLock<CheckedSettings> = LazyLock::new(|| {
    let settings = Settings {
        spec: "perceptron".to_owned(),
        options: ModelOptions::default(),
        memory: 16 << 20,
        max_features: 100_000,
    };
    settings.check().expect("a learner")
});

/// A body: its first byte chooses the content type.
pub fn body(data: &[u8]) {
    let Some((&kind, bytes)) = data.split_first() else {
        return;
    };
    let kind = match kind % 5 {
        0 => ContentType::Json,
        1 => ContentType::Ndjson,
        2 => ContentType::Svmlight,
        3 => ContentType::Vw,
        _ => ContentType::Arrow,
    };
    match read(kind, bytes, &SETTINGS, RowParameters::default()) {
        Err(problem) => assert!(matches!(problem.status(), 400 | 415 | 422)),
        Ok((rows, _)) => learned_alike(&rows),
    }
}

/// Rows are the same after they were in a log: the model that learns them is, to the last byte.
fn learned_alike(rows: &NamedRows) {
    let encoded = rows.encode();
    let again = NamedRows::decode(&encoded).expect("what was encoded is decoded");
    assert_eq!(again.encode(), encoded);
    let learn = |rows: &NamedRows| {
        let mut fold = Fold::new(SETTINGS.clone());
        let learned = fold.learn(rows).map(|trials| trials.predictions);
        (learned, fold.bytes().ok().flatten())
    };
    assert_eq!(learn(rows), learn(&again));
}

/// A segment of a log: with the checksums that it has. Frames that are whole stay what they are if the rest is cut off.
pub fn log(data: &[u8]) {
    if let Ok(entries) = Entry::read_all(data) {
        let mut again = Vec::new();
        for entry in &entries {
            entry.write(&mut again);
        }
        assert_eq!(again, data);
    }
    if let Ok(rows) = NamedRows::decode(data) {
        let mut names = Names::new();
        if rows.placed(&mut names, &ReadOptions::default()).is_ok() {
            let (_, unknown) = rows.known(&names, &ReadOptions::default());
            assert_eq!(unknown, 0);
        }
    }
    let _ = novikoff_serve::snapshot::parse(data);
    let Ok(place) = Place::read(data) else {
        return;
    };
    let mut frames = Frames::new(data, place);
    let ends: Vec<usize> = frames.by_ref().map(|frame| frame.end).collect();
    if let Some(&end) = ends.last() {
        let mut whole = Frames::new(&data[..end], place);
        assert_eq!((whole.by_ref().count(), whole.stop()), (ends.len(), None));
    }
}
