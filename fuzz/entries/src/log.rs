//! What the service has on disk: segments of logs, the entries of their records, snapshots.
//!
//! A mutated segment is refused for its checksums, so entries are also taken as they are, and the entry point frames them.

use std::fs;

use novikoff_data::named_rows::NamedRows;
use novikoff_serve::fold::Fold;
use novikoff_serve::log::read::{ReadError, read};
use novikoff_serve::log::segment::{Frames, HEADER, Place};
use novikoff_serve::log::{Entry, frame, segment_name};
use novikoff_serve::replay::{State, replay};
use novikoff_serve::snapshot;

use crate::draw;
use crate::folder::in_folder;
use crate::process::prepare;
use crate::request::settings;

/// Request ids that are remembered.
const IDS: usize = 8;

/// A file of the service: `0` a segment, `1` entries, `2` a snapshot.
pub fn log(data: &[u8]) {
    prepare();
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    match kind.wrapping_sub(b'0') % 3 {
        0 => segment(rest),
        1 => entries(rest),
        _ => {
            if let Ok((header, model)) = snapshot::parse(rest) {
                let _ = snapshot::restore(&header, &model);
            }
        }
    }
}

/// Whole frames before a fault are read, and are written back as the same bytes.
fn segment(bytes: &[u8]) {
    if let Ok(place) = Place::read(bytes) {
        let mut again = place.write().to_vec();
        let mut frames = Frames::new(bytes, place);
        for frame in frames.by_ref() {
            let header = frame::header(&bytes[again.len()..]).expect("the header of a frame");
            let (index, previous) = (frame.index, frame.previous);
            frame::write(&mut again, index, header.synced, previous, frame.payload);
            assert_eq!(again.len(), frame.end);
        }
        assert!(bytes.starts_with(&again), "written back as other bytes");
        match frames.stop() {
            None => assert_eq!(again.len(), bytes.len()),
            Some(stop) => assert_eq!(
                (stop.at, stop.lost),
                (again.len(), bytes.len() - again.len())
            ),
        }
    }
    if draw(bytes).is_multiple_of(16) {
        folder(bytes);
    }
}

/// The file in a folder of a model: found to be whole, torn or damaged, and then replayed.
fn folder(bytes: &[u8]) {
    in_folder(|folder| {
        let path = folder.join(segment_name(0));
        fs::write(&path, bytes).expect("room for a log");
        let found = read::<ReadError>(folder, 0, |_| Ok(()));
        let replayed = replay(folder, IDS);
        if let (Err(error), Ok(_)) = (&found, &replayed) {
            panic!("a log that cannot be read was replayed: {error}");
        }
        if let Ok(found) = found {
            assert!(found.end.length as usize <= bytes.len());
        }
        fs::remove_file(path).expect("it was there");
    });
}

/// Entries are applied or refused, and come back from a frame; a cut or a flipped bit is noticed.
fn entries(payload: &[u8]) {
    let Ok(entries) = Entry::read_all(payload) else {
        return;
    };
    let mut again = Vec::new();
    entries.iter().for_each(|entry| entry.write(&mut again));
    assert!(again == payload, "entries written back as other bytes");
    let mut bytes = Place::BEGINNING.write().to_vec();
    frame::write(&mut bytes, 0, 0, 0, payload);
    let frames = |bytes: &[u8]| Frames::new(bytes, Place::BEGINNING).count();
    assert_eq!(frames(&bytes), 1);
    let at = HEADER + draw(payload) as usize % (bytes.len() - HEADER);
    assert_eq!(frames(&bytes[..at]), 0, "cut at {at}");
    bytes[at] ^= 1 << (draw(payload) >> 29);
    assert_eq!(frames(&bytes), 0, "flipped at {at}");
    let spec = if draw(payload).is_multiple_of(8) {
        "auto"
    } else {
        "perceptron"
    };
    let mut state = State::new(Fold::new(settings(spec, "{}")), IDS);
    for entry in &entries {
        let before = state.seq;
        match state.apply(entry) {
            Ok(()) => {
                let rows = match entry {
                    Entry::Learned { body, .. } => NamedRows::decode(body).map_or(0, |r| r.len()),
                    Entry::Created { .. } | Entry::Uploaded { .. } => 0,
                };
                assert_eq!(state.seq, before + rows as u64);
            }
            // what a log has that cannot be applied ends the replay
            Err(what) => {
                assert!(!what.is_empty());
                return;
            }
        }
    }
}
