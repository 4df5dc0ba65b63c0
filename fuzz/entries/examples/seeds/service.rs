//! What the log of the service holds.

use novikoff::names::{NameLimits, Names};
use novikoff::rows::Rows;
use novikoff_data::named_rows::NamedRows;
use novikoff_serve::log::entry::Entry;
use novikoff_serve::log::frame;
use novikoff_serve::log::segment::Place;

type Seeds = Vec<(&'static str, Vec<u8>)>;

const SETTINGS: &str = r#"{"spec":"perceptron","options":{"labels":["ham","spam"]},"memory":1048576,"max_features":10000}"#;

/// Three rows: by number, or by name.
fn rows(named: bool) -> NamedRows {
    let (mut names, mut rows) = (Names::new(), Rows::new());
    if named {
        let limits = NameLimits {
            slots: 100,
            bytes: 1000,
        };
        for name in ["w1", "city=Oslo", "t^a"] {
            let _ = names.assign(name, limits);
        }
    }
    for (k, (number, label)) in [(1.0, "1"), (-1.0, "-1"), (f64::NAN, "spam")]
        .into_iter()
        .enumerate()
    {
        rows.push_label(number, label.as_bytes());
        rows.push(1 + k as u32, 0.5);
        rows.push(if named { 3 } else { 1000 } + k as u32, 2.0);
        rows.set_weight(1.0 + k as f32);
        rows.end_row(k as u64);
    }
    NamedRows::new(names, rows)
}

fn entries() -> Vec<Entry> {
    let learned = |named: bool, id: Option<&str>| Entry::Learned {
        id: id.map(str::to_owned),
        rows: 3,
        body: rows(named).encode(),
    };
    let settings = SETTINGS.to_owned();
    vec![
        Entry::Created { settings },
        learned(false, None),
        learned(true, Some("req-17")),
    ]
}

/// Payloads of records, and rows by themselves.
pub(super) fn records() -> Seeds {
    let written = |entries: &[Entry]| {
        let mut out = Vec::new();
        for entry in entries {
            entry.write(&mut out);
        }
        out
    };
    let all = entries();
    vec![
        ("created", written(&all[..1])),
        ("learned", written(&all[1..2])),
        ("learned-by-id", written(&all[2..])),
        ("group", written(&all)),
        ("rows", rows(false).encode()),
        ("named-rows", rows(true).encode()),
    ]
}

/// Files of a log, and payloads that the entry puts into frames.
pub(super) fn segments() -> Seeds {
    let place = Place::BEGINNING;
    let mut file = place.write().to_vec();
    let mut previous = place.previous;
    for (index, entry) in (0..).zip(entries()) {
        let mut payload = Vec::new();
        entry.write(&mut payload);
        previous = frame::write(&mut file, index, index, previous, &payload);
    }
    let cut = file[..file.len() - 20].to_vec();
    let mut zeros = cut.clone();
    zeros.resize(cut.len() + 600, 0);
    vec![
        ("file", file),
        ("cut", cut),
        ("zeros", zeros),
        ("header", place.write().to_vec()),
        (
            "payloads",
            b"\x03\x28\x00\x05\x04abcd\x00\x03xyz\x05\x00\x00\x00\x00\x00".to_vec(),
        ),
        ("one", b"\x00\x02\x00\x01\x01a".to_vec()),
    ]
}
