//! The cache gives back what was put into it, or says that it is damaged.
#![allow(clippy::unwrap_used)]

mod by_name;
mod damage;
mod file;
mod origin;
mod stream;

use std::fs;
use std::path::Path;

use novikoff::names::{NameLimits, Names};
use novikoff::random::SplitMix64;
use novikoff::rows::{Block, Rows};
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};
use novikoff_data::cache::{CacheContents, CacheFile, CacheWriter, Origin};
use novikoff_data::error::DataError;

const LIMITS: NameLimits = NameLimits {
    slots: 1_000_000,
    bytes: 1 << 30,
};

/// Puts another file in place: somebody may still have the old one mapped, and it must not be cut.
fn replace(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

fn names(names: &[&str]) -> Names {
    let mut given = Names::new();
    for name in names {
        given.assign(name, LIMITS).unwrap();
    }
    given
}

fn about(names: &Names) -> CacheContents<'_> {
    CacheContents {
        names,
        table: None,
        text: None,
        zero_based: false,
        origin: None,
    }
}

fn write(path: &Path, rows: &Rows, names: &Names) {
    let mut writer = CacheWriter::create(path).unwrap();
    writer.write(rows.view(), 0).unwrap();
    writer.finish(about(names)).unwrap();
}

/// Everything about a row, to the last bit.
fn describe(rows: Block<'_>, i: usize) -> String {
    let labels: Vec<_> = rows
        .labels(i)
        .map(|l| (l.number().map(f64::to_bits), l.text().to_vec()))
        .collect();
    let values: Vec<_> = rows.row(i).iter().map(|(j, v)| (j, v.to_bits())).collect();
    let (weight, line) = (rows.weight(i).to_bits(), rows.line(i));
    format!("{line} {labels:?} {weight:x} {values:?}")
}

fn described(rows: Block<'_>) -> Vec<String> {
    (0..rows.len()).map(|i| describe(rows, i)).collect()
}

fn all_of(file: &CacheFile) -> Result<Vec<String>, DataError> {
    let mut all = Vec::new();
    for k in 0..file.blocks() {
        all.extend(described(file.block(k)?));
    }
    Ok(all)
}

/// Rows of every kind.
fn varied(count: u64, seed: u64) -> Rows {
    let mut random = SplitMix64::new(seed);
    let mut rows = Rows::new();
    for line in 0..count {
        for _ in 0..random.below(4) {
            match random.below(3) {
                0 => rows.push_label(-1.0, b"-1"),
                1 => rows.push_label(f64::NAN, "h\u{e9}\n,".as_bytes()),
                _ => rows.push_label(2.5, b"\xff2.5"),
            }
        }
        let mut slot = 0;
        for _ in 0..random.below(12) {
            slot += 1 + random.below(40) as u32;
            let value = f32::from_bits(random.next_u64() as u32);
            rows.push(slot, if value.is_finite() { value } else { 1e-45 });
        }
        if random.below(5) == 0 && line > count / 2 {
            rows.set_weight(random.below(3) as f32 * 0.5);
        }
        rows.end_row(3 * line);
    }
    rows
}

fn reader(path: &Path, options: ReadOptions, threads: usize) -> Reader {
    Reader::open(vec![Input::Path(path.to_owned())], options, threads).unwrap()
}

/// Every row of a reader with its line, and the highest width.
fn story(reader: &mut Reader) -> (Vec<String>, u32) {
    let (mut rows, mut width) = (Vec::new(), 0);
    while let Some(block) = reader.next_block().unwrap() {
        width = width.max(block.width());
        let described: Vec<String> = (0..block.len())
            .map(|i| {
                describe(
                    Block {
                        lines: &vec![0; block.len()],
                        ..block
                    },
                    i,
                )
            })
            .collect();
        for (i, row) in described.into_iter().enumerate() {
            rows.push(format!("{} {row}", reader.place(i).line));
        }
    }
    (rows, width)
}

fn svmlight(rows: u64) -> String {
    let mut random = SplitMix64::new(3);
    let mut text = String::from("# a remark\n");
    for row in 0..rows {
        text += ["+1", "-1", "2,3", "?"][random.below(4)];
        let mut index = 0;
        for _ in 0..random.below(20) {
            index += 1 + random.below(30);
            text += " ";
            text += &index.to_string();
            text += ":";
            text += &(random.below(1000) as f32 / 64.0).to_string();
        }
        text += ["\n", " # remark\n", "\n\n", "\r\n"][random.below(4)];
        if row == 0 {
            text += "1 700:0\n"; // nothing but a width
        }
    }
    text
}

/// Puts everything a reader reads into a cache.
fn convert(reader: &mut Reader, path: &Path, origin: Option<Origin>) {
    let mut writer = CacheWriter::create(path).unwrap();
    while reader.next_block().unwrap().is_some() {
        let (block, first_line) = reader.lent().unwrap();
        writer.write(block, first_line).unwrap();
    }
    let names = reader.names();
    let about = CacheContents {
        origin,
        ..about(&names)
    };
    writer.finish(about).unwrap();
}
