//! Segments, entries and snapshots of the service.

use std::fs;
use std::path::Path;

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;
use novikoff_data::row_builder::RowBuilder;
use novikoff_serve::fold::Fold;
use novikoff_serve::log::segment::Place;
use novikoff_serve::log::{Entry, frame};
use novikoff_serve::settings::Settings;
use novikoff_serve::snapshot::{self, SnapshotHeader, validation_of};

use crate::Outcome;
use crate::tables::Seeds;

fn settings() -> Settings {
    Settings {
        spec: "perceptron".to_owned(),
        options: novikoff_serve::api::ModelOptions::default(),
        memory: 1 << 20,
        max_features: 1000,
    }
}

fn rows() -> Outcome<NamedRows> {
    let (mut names, mut rows) = (Names::new(), Rows::new());
    let mut builder = RowBuilder::new(ReadOptions::default());
    for (label, a, city) in [("yes", 1.5, "Oslo"), ("no", -0.5, "Rome")] {
        let mut row = builder.learning(&mut names);
        row.number("a", a)?;
        row.category("city", city)?;
        rows.add(label, row.finish()?);
    }
    Ok(NamedRows::new(names, rows))
}

/// What the target `log` takes: a byte for what it is, and the bytes.
pub(crate) fn logs(folder: &Path) -> Outcome<Seeds> {
    let rows = rows()?;
    let learned = |id: Option<&str>| Entry::Learned {
        id: id.map(str::to_owned),
        rows: rows.len() as u32,
        body: rows.encode(),
    };
    let created = Entry::Created {
        settings: serde_json::to_string(&settings())?,
    };
    let mut fold = Fold::new(settings().check()?);
    fold.learn(&rows).map_err(|refused| refused.detail)?;
    let model = fold.bytes()?.unwrap_or_default();
    let payload = |entries: &[Entry]| {
        let mut out = Vec::new();
        entries.iter().for_each(|entry| entry.write(&mut out));
        out
    };
    let records = [
        payload(&[created]),
        payload(&[learned(None), learned(Some("req-1"))]),
        payload(&[learned(None)]),
    ];
    let mut segment = Place::BEGINNING.write().to_vec();
    let mut previous = 0;
    for (record, index) in records.iter().zip(0..) {
        previous = frame::write(&mut segment, index, index, previous, record);
    }
    let header = SnapshotHeader {
        settings: serde_json::to_string(&settings())?,
        frame: 3,
        seq: 2,
        previous,
        ids: Vec::new(),
        course: "{}".to_owned(),
        validation: validation_of(fold.model()),
        uploaded: false,
        has_model: true,
    };
    snapshot::save(folder, &header, &model)?;
    let kept = fs::read(folder.join(snapshot::name(3)))?;
    let of = |kind: u8, bytes: &[u8]| [&[kind], bytes].concat();
    let mut zeros = segment.clone();
    zeros.extend([0; 700]);
    Ok(vec![
        ("segment", of(b'0', &segment)),
        ("segment-cut", of(b'0', &segment[..segment.len() - 5])),
        ("segment-zeros", of(b'0', &zeros)),
        ("created", of(b'1', &records[0])),
        ("learned", of(b'1', &records[1])),
        (
            "uploaded",
            of(b'1', &payload(&[learned(None), Entry::Uploaded { model }])),
        ),
        ("snapshot", of(b'2', &kept)),
    ])
}
