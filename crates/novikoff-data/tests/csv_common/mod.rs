//! Reading tables for tests.
#![allow(clippy::unwrap_used, dead_code)] // not every test needs all of it

use std::borrow::Cow;
use std::fmt::Write as _;

use novikoff::names::Names;
use novikoff::remedy::{Library, said};
use novikoff::rows::{Block, Rows};
use novikoff::source::Source as _;
use novikoff_data::blocks::{Format, Input, Missing, ReadOptions, Reader};

pub(crate) fn open(text: &[u8], options: &ReadOptions, names: Names) -> Reader {
    let input = Input::Bytes {
        name: "t.csv".to_owned(),
        text: Cow::Owned(text.to_vec()),
    };
    let options = ReadOptions {
        format: Some(Format::Csv),
        ..options.clone()
    };
    Reader::with_names(vec![input], options, 1, names).unwrap()
}

/// Rows as plain text - line, labels, features by name, values - and the error that ended them.
pub(crate) fn tell(reader: &mut Reader) -> String {
    let (mut rows, mut lines) = (Rows::new(), Vec::new());
    let error = loop {
        match reader.next_block() {
            Ok(Some(block)) => rows.append(block, 0),
            Ok(None) => break String::new(),
            Err(error) => break said(&error, error.remedy().as_ref(), &Library),
        }
        lines.extend((0..rows.len() - lines.len()).map(|i| reader.place(i).line));
    };
    let mut text = String::new();
    for (i, line) in lines.into_iter().enumerate() {
        let labels: Vec<_> = rows
            .labels(i)
            .map(|label| {
                let text = String::from_utf8_lossy(label.text()).into_owned();
                label
                    .number()
                    .map_or(text.clone(), |n| format!("{text}={n}"))
            })
            .collect();
        write!(text, "{line} [{}]", labels.join(" ")).unwrap();
        for (slot, value) in rows.row(i).iter() {
            let names = reader.names();
            match names.name(slot as u32) {
                Some(name) => write!(text, " {slot}.{name}:{value}").unwrap(),
                None => write!(text, " {slot}:{value}").unwrap(),
            }
        }
        text.push('\n');
    }
    text + &error
}

pub(crate) fn read(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    tell(&mut open(text.as_ref(), options, Names::new()))
}

pub(crate) fn plain() -> ReadOptions {
    ReadOptions::default()
}

pub(crate) fn labelled(label: &str) -> ReadOptions {
    ReadOptions {
        label: Some(label.to_owned()),
        ..plain()
    }
}

pub(crate) fn zero() -> ReadOptions {
    ReadOptions {
        missing: Some(Missing::Zero),
        ..plain()
    }
}

/// Whether two blocks have the same labels and values, to the last bit.
pub(crate) fn same(a: Block<'_>, b: Block<'_>) -> bool {
    let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let numbers = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    (a.ends, a.slots_of_values(), bits(a.value)) == (b.ends, b.slots_of_values(), bits(b.value))
        && (a.label_ends, a.text_ends, a.text) == (b.label_ends, b.text_ends, b.text)
        && numbers(a.label_number) == numbers(b.label_number)
}
