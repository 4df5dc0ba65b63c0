//! Models: header and arrays as the file holds them, without what only guards the bytes.
//!
//! A mutated model file is refused for its checksums, and mutated lengths ruin all that follows. So
//! this target takes the parts of a model between separators, and the entry makes the file:
//! `header SEPARATOR name 0 type numbers SEPARATOR name 0 type numbers ...`.

use std::fs;
use std::path::Path;

use novikoff::label::RawLabel;
use novikoff::model::Model;
use novikoff::row::Row;
use novikoff::state::{Array, State};
use novikoff_data::container::{from_bytes, to_bytes};
use novikoff_data::model::{load, save};

use crate::folder::in_folder;

/// Stands between the parts of a model.
const SEPARATOR: &[u8] = b"\xfe==\xfe";

/// What a model may take.
const MEMORY: u128 = 1 << 24;

/// A model from its parts: what loads predicts, learns, and is saved and loaded the same.
pub fn model(data: &[u8]) {
    let Some(file) = assemble(data) else {
        return;
    };
    in_folder(|folder| in_file(&folder.join("model"), &file));
}

fn in_file(path: &Path, file: &[u8]) {
    fs::write(path, file).expect("room for a model");
    let mut model = match load(path, MEMORY) {
        Ok(loaded) => loaded.model,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    saved_and_loaded(&model, path);
    learn(&mut model);
    saved_and_loaded(&model, path);
}

/// The file of a model's parts; none if an array's name is no text.
fn assemble(data: &[u8]) -> Option<Vec<u8>> {
    let mut parts = split(data).into_iter();
    let header = parts.next()?;
    let mut state = State::new();
    for part in parts {
        let end = part.iter().position(|&b| b == 0)?;
        let name = str::from_utf8(&part[..end]).ok()?;
        let (&kind, numbers) = part[end + 1..].split_first()?;
        let (long, short) = (numbers.as_chunks().0, numbers.as_chunks().0);
        let array = match kind % 4 {
            0 => Array::F64(long.iter().map(|&b| f64::from_le_bytes(b)).collect()),
            1 => Array::U64(long.iter().map(|&b| u64::from_le_bytes(b)).collect()),
            2 => Array::F32(short.iter().map(|&b| f32::from_le_bytes(b)).collect()),
            _ => Array::U32(short.iter().map(|&b| u32::from_le_bytes(b)).collect()),
        };
        state.insert(name.to_owned(), array);
    }
    to_bytes(header, &state).ok()
}

fn split(mut data: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let found = |data: &[u8]| data.windows(4).position(|w| w == SEPARATOR);
    while let Some(at) = found(data) {
        parts.push(&data[..at]);
        data = &data[at + SEPARATOR.len()..];
    }
    parts.push(data);
    parts
}

/// The parts of a model file, as [`model`] takes them: for making seeds.
pub fn recipe(file: &[u8]) -> Option<Vec<u8>> {
    let loaded = from_bytes(file).ok()?;
    let mut parts = loaded.header;
    for (name, array) in loaded.state.arrays() {
        parts.extend(SEPARATOR);
        parts.extend(name.as_bytes());
        parts.push(0);
        match array {
            Array::F64(a) => put(&mut parts, 0, a.iter().map(|n| n.to_le_bytes())),
            Array::U64(a) => put(&mut parts, 1, a.iter().map(|n| n.to_le_bytes())),
            Array::F32(a) => put(&mut parts, 2, a.iter().map(|n| n.to_le_bytes())),
            Array::U32(a) => put(&mut parts, 3, a.iter().map(|n| n.to_le_bytes())),
        }
    }
    Some(parts)
}

fn put<const N: usize>(parts: &mut Vec<u8>, kind: u8, numbers: impl Iterator<Item = [u8; N]>) {
    parts.push(kind);
    parts.extend(numbers.flatten());
}

/// Slots and values of rows to try models on.
const ROWS: &[(&[u32], &[f32])] = &[
    (&[], &[]),
    (&[1], &[1.0]),
    (&[1, 2, 7], &[0.5, -1.0, 2.0]),
    (&[0, 1, 2, 3], &[1.0, 0.25, 0.5, 1e-30]),
    (&[2, 5], &[1e30, 1.0]),
    (&[3, 4_294_967_294], &[1.0, 1.0]),
];

const LABELS: [(f64, &[u8]); 4] = [
    (1.0, b"1"),
    (-1.0, b"-1"),
    (f64::NAN, b"cat"),
    (3.0, b"3.0"),
];

/// Some trials; a row may be refused.
fn learn(model: &mut Model) {
    for (k, &(index, value)) in ROWS.iter().cycle().take(2 * ROWS.len()).enumerate() {
        let (number, text) = LABELS[k * 5 / 3 % LABELS.len()];
        let labels = [RawLabel::new(number, text)];
        let tried = model.learn(Row::sparse(index, value), labels);
        if let Ok(outcome) = tried {
            outcome.events().for_each(drop);
        }
    }
}

/// The bits of all scores on some rows, and the labels predicted.
fn scores(model: &Model) -> (Vec<u64>, Vec<u8>) {
    let (mut bits, mut labels, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for &(index, value) in ROWS {
        for &by in model.learner().hypotheses() {
            model.scores(Row::sparse(index, value), Some(by), &mut scores);
            bits.extend(scores.iter().map(|s| s.to_bits()));
            model.predict(&scores, &mut labels);
            let truth = RawLabel::new(LABELS[0].0, LABELS[0].1);
            labels.push(u8::from(model.is_wrong(&scores, [truth].into_iter())));
        }
    }
    (bits, labels)
}

/// What is saved loads, is the same model, and is saved as the same bytes.
fn saved_and_loaded(model: &Model, path: &Path) {
    let saved = |model: &Model| {
        save(model, path).expect("room for a model");
        fs::read(path).expect("it was saved")
    };
    let file = saved(model);
    let again = match load(path, MEMORY) {
        Ok(loaded) => loaded.model,
        // numbers that no run leads to may lead out of all numbers
        Err(error) if error.to_string().contains("not all are finite") => return,
        Err(error) => panic!("saved, but not loaded: {error}"),
    };
    assert_eq!(scores(model), scores(&again), "loaded, but not the same");
    assert!(saved(&again) == file, "saved again as other bytes");
}
