//! Rows written as Parquet and Arrow, and read again: the same to the last bit.
#![allow(clippy::unwrap_used)]

use crate::columnar_common;

use std::io;

use columnar_common::bytes;
use novikoff::names::{NameLimits, Names};
use novikoff::random::SplitMix64;
use novikoff::rows::{Block, Rows};
use novikoff::source::Source as _;
use novikoff_data::blocks::{ReadOptions, Reader};
use novikoff_data::write::columnar::{ArrowWriter, ParquetWriter};

fn parquet(blocks: &[Block<'_>], width: u32, names: &Names) -> io::Result<Vec<u8>> {
    let mut writer = ParquetWriter::new(Vec::new(), width, names)?;
    for &block in blocks {
        writer.write(block)?;
    }
    writer.finish()
}

fn arrow(blocks: &[Block<'_>], width: u32, names: &Names) -> io::Result<Vec<u8>> {
    let mut writer = ArrowWriter::new(Vec::new(), width, names)?;
    for &block in blocks {
        writer.write(block)?;
    }
    writer.finish()
}

/// All that rows are.
fn reported(rows: Block<'_>) -> Vec<String> {
    let row = |i| {
        let labels = rows
            .labels(i)
            .map(|label| (label.number(), label.text().to_vec()));
        let labels: Vec<_> = labels.collect();
        let values = rows
            .row(i)
            .iter()
            .map(|(slot, value)| (slot, value.to_bits()));
        format!("{labels:?} {:?}", values.collect::<Vec<_>>())
    };
    (0..rows.len()).map(row).collect()
}

/// Reads what was written.
fn read(written: Vec<u8>) -> (Rows, Names) {
    let options = ReadOptions {
        label: Some("label".to_owned()),
        ..ReadOptions::default()
    };
    let mut reader = Reader::open(vec![bytes("t", written)], options, 2).unwrap();
    let mut rows = Rows::new();
    while let Some(block) = reader.next_block().unwrap() {
        rows.append(block, 0);
    }
    let names = reader.names().clone();
    (rows, names)
}

/// Whether both formats give the rows and names back.
fn check(rows: &[&Rows], width: u32, names: &Names) {
    let blocks: Vec<Block<'_>> = rows.iter().map(|rows| rows.view()).collect();
    let mut all = Rows::new();
    for &block in &blocks {
        all.append(block, 0);
    }
    for written in [
        parquet(&blocks, width, names).unwrap(),
        arrow(&blocks, width, names).unwrap(),
    ] {
        let (again, known) = read(written);
        assert_eq!(reported(again.view()), reported(all.view()));
        assert!(known.iter().eq(names.iter()));
    }
}

/// Rows of random labels and values, up to `width`.
fn random(count: usize, width: u32, labels: usize, g: &mut SplitMix64) -> Rows {
    let texts: [&[u8]; 6] = [
        b"1",
        b"-1",
        b"+1",
        b"2.50",
        b"cat",
        b"d\xc3\xa9j\xc3\xa0, vu",
    ];
    let mut rows = Rows::new();
    for line in 0..count {
        for _ in 0..g.below(labels + 1) {
            let text = texts[g.below(6)];
            let number = str::from_utf8(text).unwrap().parse().unwrap_or(f64::NAN);
            rows.push_label(number, text);
        }
        let mut slot = 0;
        loop {
            slot += 1 + g.below(1 + width as usize / 8) as u32;
            let value = f32::from_bits(g.next_u64() as u32);
            if slot > width {
                break;
            }
            rows.push(slot, if value.is_finite() { value } else { 1.5 });
        }
        rows.end_row(line as u64);
    }
    rows
}

#[test]
fn columns_and_sparse_rows_give_the_rows_back() {
    let mut g = SplitMix64::new(3);
    for (width, count) in [
        (1, 50),
        (9, 3000),
        (1000, 300),
        (1001, 300),
        (4_000_000, 500),
    ] {
        for labels in [0, 1, 3] {
            let (first, second) = (
                random(count, width, labels, &mut g),
                random(count, width, labels, &mut g),
            );
            check(&[&first, &second], width, &Names::new());
        }
    }
    check(&[], 3, &Names::new());
    check(&[&random(20, 0, 1, &mut g)], 0, &Names::new());
}

/// The rows of each batch of an Arrow file.
fn batches(written: Vec<u8>) -> Vec<usize> {
    let reader = arrow_ipc::reader::FileReader::try_new(io::Cursor::new(written), None).unwrap();
    reader.map(|batch| batch.unwrap().num_rows()).collect()
}

#[test]
fn a_block_of_any_size_is_cut_into_batches() {
    let mut g = SplitMix64::new(7);
    let rows = random(9000, 5, 1, &mut g);
    check(&[&rows], 5, &Names::new());
    let written = arrow(&[rows.view()], 5, &Names::new()).unwrap();
    assert_eq!(batches(written), [4096, 4096, 808]);
    let rows = random(9000, 1001, 2, &mut g);
    check(&[&rows], 1001, &Names::new());
    // sparse rows are cut by what they hold
    let mut rows = Rows::new();
    for (line, values) in [900_000, 900_000, 900_000, 3_000_000, 1, 1]
        .into_iter()
        .enumerate()
    {
        for slot in 1..=values {
            rows.push(slot, 1.0);
        }
        rows.end_row(line as u64);
    }
    let written = arrow(&[rows.view()], 3_000_000, &Names::new()).unwrap();
    assert_eq!(batches(written), [2, 1, 1, 2]);
}

#[test]
fn names_are_the_names_of_columns() {
    let limits = NameLimits {
        slots: 1000,
        bytes: 1 << 20,
    };
    let mut names = Names::new();
    for name in ["age", "4", "colour=red", "3", "e[0]", "y", "5", "x.y"] {
        names.assign(name, limits).unwrap();
    }
    let width = names.highest();
    let rows = random(200, width, 1, &mut SplitMix64::new(4));
    check(&[&rows], width, &names);
}

#[test]
fn the_constant_feature_is_not_data() {
    let (mut with, mut without) = (Rows::new(), Rows::new());
    with.push(0, 7.0);
    for rows in [&mut with, &mut without] {
        rows.push(2, 1.0);
        rows.end_row(0);
    }
    for width in [2, 2000] {
        let written = parquet(&[with.view()], width, &Names::new()).unwrap();
        assert_eq!(reported(read(written).0.view()), reported(without.view()));
    }
}

#[test]
fn a_feature_may_be_named_label() {
    let mut names = Names::new();
    let limits = NameLimits {
        slots: 9,
        bytes: 1 << 20,
    };
    names.assign("label", limits).unwrap();
    let mut rows = Rows::new();
    rows.push_label(1.0, b"1");
    rows.push(1, 3.0);
    rows.end_row(0);
    let written = parquet(&[rows.view()], 1, &names).unwrap();
    let options = ReadOptions {
        label: Some("label_".to_owned()),
        ..ReadOptions::default()
    };
    let mut reader = Reader::open(vec![bytes("t", written)], options, 1).unwrap();
    assert_eq!(
        reported(reader.next_block().unwrap().unwrap()),
        reported(rows.view())
    );
}

#[test]
fn what_has_no_place() {
    let refused = |rows: &[&Rows], width, names: &Names| {
        let blocks: Vec<Block<'_>> = rows.iter().map(|rows| rows.view()).collect();
        let error = parquet(&blocks, width, names).unwrap_err();
        let other = arrow(&blocks, width, names).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), other.to_string());
        error.to_string()
    };
    let row = |labels: &[&[u8]], weight: f32| {
        let mut rows = Rows::new();
        for label in labels {
            rows.push_label(f64::NAN, label);
        }
        rows.set_weight(weight);
        rows.push(3, 1.0);
        rows.end_row(0);
        rows
    };
    assert_eq!(
        refused(&[&row(&[], 2.5)], 3, &Names::new()),
        "a row has the weight 2.5, for which there is no column; write vw or .nvk, which keep weights"
    );
    assert_eq!(
        refused(
            &[&row(&[b"a"], 1.0), &row(&[b"a", b"b"], 1.0)],
            3,
            &Names::new()
        ),
        "a row with several labels, after rows with one at most; begin the data with such a row, or \
         write svmlight"
    );
    assert_eq!(
        refused(&[&row(&[b"\xff"], 1.0)], 3, &Names::new()),
        "label `\u{fffd}` is not UTF-8; rename it"
    );
    for width in [2, 2000] {
        let far = random(50, 3000, 1, &mut SplitMix64::new(5));
        let reported = refused(&[&far], width, &Names::new());
        assert!(
            reported.ends_with(&format!("where {width} was said to be the last")),
            "{reported}"
        );
    }
    let mut names = Names::new();
    let limits = NameLimits {
        slots: 9,
        bytes: 1 << 20,
    };
    names.assign("age", limits).unwrap();
    assert_eq!(
        refused(&[], 1001, &names),
        "1001 features are too many for a column each, and without columns their names, such as \
         `age`, are lost; write vw or .nvk, which keep them"
    );
}

/// A writer that is full soon.
struct Full(usize);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_as_such() {
    let rows = random(500, 20, 1, &mut SplitMix64::new(6));
    for room in [0, 100, 3000] {
        let mut writer = ParquetWriter::new(Full(room), 20, &Names::new()).unwrap();
        let error = writer.write(rows.view()).and_then(|()| writer.finish());
        assert_eq!(error.err().unwrap().kind(), io::ErrorKind::StorageFull);
        let mut writer = ArrowWriter::new(Full(room), 20, &Names::new()).unwrap();
        let error = writer.write(rows.view()).and_then(|()| writer.finish());
        assert_eq!(error.err().unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
