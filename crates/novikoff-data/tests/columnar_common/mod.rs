//! What the tests of Parquet and Arrow share.
// each test uses some; inputs are made where they are read
#![allow(dead_code, clippy::unwrap_used, clippy::needless_pass_by_value)]

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use novikoff::names::Names;
use novikoff::remedy::{Library, said};
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};

/// A file of `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    home.join("tests/data").join(name)
}

pub(crate) fn bytes(name: &str, bytes: impl Into<Vec<u8>>) -> Input {
    Input::Bytes {
        name: name.to_owned(),
        text: Cow::Owned(bytes.into()),
    }
}

/// Everything a reader says: `line label,label | name:value name:value`, and what ended the rows.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Story {
    pub(crate) rows: Vec<String>,
    pub(crate) error: Option<String>,
    pub(crate) skipped: Vec<String>,
    pub(crate) unknown: u64,
}

pub(crate) fn story_with(
    input: Input,
    options: &ReadOptions,
    threads: usize,
    names: Names,
) -> Story {
    let mut story = Story::default();
    let reader = Reader::with_names(vec![input], options.clone(), threads, names);
    let mut reader = reader.unwrap();
    loop {
        let block = match reader.next_block() {
            Ok(Some(block)) => block,
            Ok(None) => break,
            Err(error) => {
                story.error = Some(said(&error, error.remedy().as_ref(), &Library));
                break;
            }
        };
        let mut rows = Vec::new();
        for i in 0..block.len() {
            let labels = block.labels(i).map(|label| {
                let text = String::from_utf8(label.text().to_vec()).unwrap();
                let read = text.parse::<f64>().ok().filter(|number| number.is_finite());
                assert_eq!(label.number(), read, "{text}");
                text
            });
            let labels: Vec<String> = labels.collect();
            let values: Vec<(usize, f64)> = block.row(i).iter().collect();
            rows.push((labels.join(","), values));
        }
        for (i, (labels, values)) in rows.into_iter().enumerate() {
            let mut row = format!("{} {labels} |", reader.place(i).line);
            for (slot, value) in values {
                let name = match reader.names().name(slot as u32) {
                    Some(name) => name.to_owned(),
                    None => slot.to_string(),
                };
                write!(row, " {name}:{}", value as f32).unwrap();
            }
            story.rows.push(row);
        }
    }
    story.skipped.clone_from(&reader.skipped().samples);
    story.unknown = reader.unknown();
    story
}

#[allow(clippy::needless_pass_by_value)] // made for the call
pub(crate) fn story(input: Input, options: &ReadOptions) -> Story {
    let one = story_with(input.clone(), options, 1, Names::new());
    for threads in 2..=4 {
        let other = story_with(input.clone(), options, threads, Names::new());
        assert_eq!(other, one, "{threads} threads");
    }
    one
}

/// The rows of an input that is sound.
pub(crate) fn rows(input: Input, options: &ReadOptions) -> Vec<String> {
    let story = story(input, options);
    assert_eq!(story.error, None);
    story.rows
}

/// What is wrong with an input.
pub(crate) fn error(input: Input, options: &ReadOptions) -> String {
    story(input, options).error.unwrap()
}

/// As an Arrow stream.
pub(crate) fn stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut out = Vec::new();
    let schema = batches[0].schema();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut out, &schema).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    out
}

/// As an Arrow file.
pub(crate) fn file(batches: &[RecordBatch]) -> Vec<u8> {
    let mut out = Vec::new();
    let schema = batches[0].schema();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut out, &schema).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    out
}

/// As Parquet.
pub(crate) fn parquet(batches: &[RecordBatch]) -> Vec<u8> {
    let mut out = Vec::new();
    let schema = batches[0].schema();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut out, schema, None).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    out
}
