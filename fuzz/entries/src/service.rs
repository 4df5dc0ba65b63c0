//! The service: bodies of requests, and what its log may hold.

use std::sync::OnceLock;

use novikoff_data::blocks::{Format, ReadOptions};
use novikoff_data::json::ObjectColumns;
use novikoff_data::named_rows::NamedRows;
use novikoff_serve::body::{BodyLimits, ContentType, RowParameters, read};
use novikoff_serve::fold::Fold;
use novikoff_serve::log::entry::Entry;
use novikoff_serve::log::frame;
use novikoff_serve::log::segment::{Frames, HEADER, Place};
use novikoff_serve::problem::Problem;
use novikoff_serve::settings::{CheckedSettings, Settings};

use crate::story::{WHOLE, same_rows, tell};
use crate::{draw, process};

/// What a body may come to here.
const LIMITS: BodyLimits = BodyLimits {
    bytes: 1 << 16,
    rows: 64,
};

/// Features that a body may have.
const MAX_FEATURES: u32 = 10_000;

/// One body in this number is learned, which costs far more than reading it.
const LEARNED: u32 = 8;

fn settings() -> &'static CheckedSettings {
    static SETTINGS: OnceLock<CheckedSettings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let settings = Settings {
            spec: "perceptron".to_owned(),
            options: novikoff_serve::api::ModelOptions {
                text: vec!["t".to_owned()],
                missing: Some("indicator".to_owned()),
                ..novikoff_serve::api::ModelOptions::default()
            },
            memory: 1 << 20,
            max_features: MAX_FEATURES,
        };
        settings.check().expect("a learner")
    })
}

fn body_of(kind: ContentType, data: &[u8]) -> Result<(NamedRows, RowParameters), Problem> {
    let columns = ObjectColumns::new(settings().table.as_ref());
    let query = RowParameters::default();
    read(kind, data, settings(), &columns, query, LIMITS)
}

/// A body: the first byte chooses JSON, lines of JSON, svmlight or VW text.
pub fn body(data: &[u8]) {
    process::prepare();
    let Some((&kind, data)) = data.split_first() else {
        return;
    };
    match kind % 4 {
        0 => drop(taken(ContentType::Json, data)),
        1 => lines(data),
        2 => text(ContentType::Svmlight, Format::Svmlight, data),
        _ => text(ContentType::Vw, Format::Vw, data),
    }
}

/// An Arrow IPC stream as a body.
pub fn body_arrow(data: &[u8]) {
    process::prepare();
    drop(taken(ContentType::Arrow, data));
}

/// A body, read and looked at.
fn taken(kind: ContentType, data: &[u8]) -> Option<NamedRows> {
    match body_of(kind, data) {
        Ok((rows, parameters)) => {
            assert!(parameters.id.is_none_or(|id| (1..=256).contains(&id.len())));
            assert!(rows.len() <= LIMITS.rows);
            sound(&rows);
            if draw(data).is_multiple_of(LEARNED) {
                learned(&rows);
            }
            Some(rows)
        }
        Err(problem) => {
            assert!((400..500).contains(&problem.status()));
            None
        }
    }
}

/// Lines of JSON are the rows of one object.
fn lines(data: &[u8]) {
    let by_lines = taken(ContentType::Ndjson, data);
    let mut object = b"{\"rows\":[".to_vec();
    let rows = data.split(|&byte| byte == b'\n');
    for (k, row) in rows.filter(|row| !row.trim_ascii().is_empty()).enumerate() {
        object.extend_from_slice(if k == 0 { b"" } else { b"," });
        object.extend_from_slice(row);
    }
    object.extend_from_slice(b"]}");
    // a line may break the object in which it stands, and a row may be cut in two: what the lines are, the object is
    if let Some(by_lines) = by_lines {
        let (as_object, _) = body_of(ContentType::Json, &object).expect("the same rows");
        same(&by_lines, &as_object, "as one object");
    }
}

/// Text is read as files are.
fn text(kind: ContentType, format: Format, data: &[u8]) {
    let whole = taken(kind, data);
    let options = ReadOptions {
        format: Some(format),
        unlabelled: true,
        max_features: MAX_FEATURES,
        max_name_bytes: 1 << 20,
        ..ReadOptions::default()
    };
    let is_short = data.split(|&byte| byte == b'\n').count() <= LIMITS.rows;
    if data.len() > WHOLE || !is_short || !crate::text::is_plain(data) {
        return;
    }
    let story = tell(data, &options, 1, WHOLE);
    match whole {
        None => assert!(story.error.is_some(), "refused, and read from a file"),
        Some(rows) => {
            assert!(story.error.is_none(), "{:?}", story.error);
            same_rows(rows.view(), story.rows.view(), "as a file");
        }
    }
}

/// What holds of all rows that are accepted.
fn sound(rows: &NamedRows) {
    let block = rows.view();
    assert!(block.value.iter().all(|value| value.is_finite()));
    assert!(block.weights.iter().all(|weight| weight.is_finite()));
    for i in 0..block.len() {
        let slots: Vec<usize> = block.row(i).iter().map(|(slot, _)| slot).collect();
        assert!(slots.is_sorted_by(|a, b| a < b), "{slots:?}");
        assert!(slots.first() != Some(&0), "{slots:?}");
        let last = slots.last().copied().unwrap_or(0) as u32;
        assert!(last <= block.width && last <= MAX_FEATURES);
    }
    let encoded = rows.encode();
    let again = NamedRows::decode(&encoded).expect("what was encoded");
    same(rows, &again, "decoded");
    assert!(again.encode() == encoded, "encoded otherwise");
}

fn same(a: &NamedRows, b: &NamedRows, what: &str) {
    same_rows(a.view(), b.view(), what);
    assert_eq!(a.view().width, b.view().width, "{what}");
    for row in 0..a.len() {
        let names = |rows: &NamedRows| rows.features(row, usize::MAX).collect::<Vec<_>>();
        assert_eq!(names(a), names(b), "{what}");
    }
}

/// A model that learns rows is the model that learns them from its log.
fn learned(rows: &NamedRows) {
    let mut fold = Fold::new(settings().clone());
    let again = NamedRows::decode(&rows.encode()).expect("what was encoded");
    let mut replayed = Fold::new(settings().clone());
    match (fold.learn(rows), replayed.learn(&again)) {
        (Ok(a), Ok(b)) => assert_eq!(a.predictions, b.predictions),
        (Err(a), Err(b)) => assert_eq!(a, b),
        (a, b) => panic!("{:?}, from the log {:?}", a.err(), b.err()),
    }
    assert!(fold.bytes() == replayed.bytes(), "another model");
}

/// The payload of a record: entries, which are read and written back, and rows in them, which are learned.
pub fn log_record(data: &[u8]) {
    process::prepare();
    if let Ok(rows) = NamedRows::decode(data) {
        again(&rows);
    }
    let Ok(entries) = Entry::read_all(data) else {
        return;
    };
    let mut written = Vec::new();
    for entry in &entries {
        entry.write(&mut written);
    }
    assert!(written == data, "written back as other bytes");
    let mut fold = Fold::new(settings().clone());
    for entry in entries {
        match entry {
            Entry::Created { settings } => made(&settings),
            Entry::Uploaded { model } => {
                let _ = fold.upload(&model);
            }
            Entry::Learned { body, .. } => {
                if let Ok(rows) = NamedRows::decode(&body) {
                    again(&rows);
                    let _ = fold.learn(&rows);
                }
            }
        }
    }
    fold.bytes().expect("a model is written");
}

/// Settings are checked before a model is made, whatever they ask for.
fn made(settings: &str) {
    let Ok(mut settings) = serde_json::from_str::<Settings>(settings) else {
        return;
    };
    settings.memory = settings.memory.min(1 << 20);
    match settings.check() {
        Ok(checked) => assert!(checked.memory() <= 1 << 20),
        Err(what) => assert!(!what.is_empty()),
    }
}

/// Rows that were decoded are encoded as others that are the same.
fn again(rows: &NamedRows) {
    let block = rows.view();
    assert!(block.value.iter().all(|value| value.is_finite()));
    let encoded = rows.encode();
    let decoded = NamedRows::decode(&encoded).expect("what was encoded");
    same(rows, &decoded, "decoded");
    assert!(decoded.encode() == encoded, "encoded otherwise");
}

/// A file of the log: any bytes; and payloads in frames that are cut, or have one bit turned.
pub fn log_segment(data: &[u8]) {
    frames(data);
    let Some((head, data)) = data.split_first_chunk::<4>() else {
        return;
    };
    let place = Place {
        first: u64::from(head[0]),
        rows: 1000,
        previous: 77,
    };
    let mut bytes = place.write().to_vec();
    let (mut previous, mut index) = (place.previous, place.first);
    // a byte says how long a payload is, or which frames were on disk when it was written
    let (mut rest, mut payloads) = (data, Vec::new());
    while let Some((&length, after)) = rest.split_first() {
        let (payload, after) = after.split_at(usize::from(length).min(after.len()));
        let synced = index - u64::from(length & 1).min(index - place.first);
        previous = frame::write(&mut bytes, index, synced, previous, payload);
        payloads.push(payload);
        (rest, index) = (after, index + 1);
    }
    let (count, stopped) = frames(&bytes);
    assert!(
        !stopped && count == payloads.len(),
        "whole frames are not read"
    );
    let at = usize::from(u16::from_le_bytes([head[1], head[2]])) % bytes.len();
    // cut: what is before is read, and the tail is one that was never finished
    let cut = &bytes[..at];
    if at >= HEADER {
        prefix(cut, place, &payloads, true);
    }
    // a bit turned: no frame has another payload than it had
    let mut turned = bytes;
    turned[at] ^= 1 << (head[3] % 8);
    match Place::read(&turned) {
        Ok(read) => {
            assert_eq!(read, place, "another place");
            prefix(&turned, place, &payloads, false);
        }
        Err(stop) => assert!(at < HEADER && !stop.torn),
    }
}

/// Reads frames, which must be the first of those that were written.
fn prefix(bytes: &[u8], place: Place, payloads: &[&[u8]], cut: bool) {
    let mut frames = Frames::new(bytes, place);
    for (frame, payload) in frames.by_ref().zip(payloads) {
        assert!(frame.payload == *payload, "another payload");
    }
    assert!(frames.next().is_none(), "a frame too many");
    match frames.stop() {
        Some(stop) => assert!(stop.at < bytes.len() && (stop.torn || !cut)),
        None => assert!(cut, "a turned bit is not noticed"),
    }
}

/// Reads frames: how many there are, and whether reading stopped before the end.
fn frames(bytes: &[u8]) -> (usize, bool) {
    let Ok(place) = Place::read(bytes) else {
        return (0, true);
    };
    let mut frames = Frames::new(bytes, place);
    let mut count = 0;
    for frame in frames.by_ref() {
        assert!(frame.end <= bytes.len());
        count += 1;
    }
    (count, frames.stop().is_some())
}
