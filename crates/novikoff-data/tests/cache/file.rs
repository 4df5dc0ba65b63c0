//! What is written and what is read.

use std::fs;
use std::thread;

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff::table::{Column, ColumnKind, Table};
use novikoff_data::cache::{CacheContents, CacheFile, CacheWriter};

use super::{LIMITS, about, all_of, describe, described, names, varied, write};

#[test]
fn rows_come_back_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.nvk");
    for count in [0, 1, 2, 100, 4095, 4096, 4097, 20_000] {
        let rows = varied(count, count);
        write(&path, &rows, &Names::new());
        let file = CacheFile::open(&path).unwrap();
        assert_eq!(file.rows(), count);
        assert_eq!(file.values(), rows.values() as u64);
        assert_eq!(file.width(), rows.width());
        assert_eq!(file.bytes(), path.metadata().unwrap().len());
        assert_eq!(all_of(&file).unwrap(), described(rows.view()));
        for row in (0..count).step_by(97).chain(count.checked_sub(1)) {
            let (block, place) = file.locate(row).unwrap();
            let found = describe(file.block(block).unwrap(), place);
            assert_eq!(found, describe(rows.view(), row as usize));
        }
        assert_eq!(file.locate(count), None);
    }
}

#[test]
fn a_row_may_be_as_long_as_it_likes() {
    let mut rows = Rows::new();
    for (line, length) in [3, 0, 200_000, 1, 70_000, 0].into_iter().enumerate() {
        for slot in 1..=length {
            rows.push(slot, slot as f32);
        }
        rows.end_row(line as u64);
    }
    let mut writer = CacheWriter::temporary(None).unwrap();
    writer.write(rows.view(), 0).unwrap();
    let file = writer.finish(about(&Names::new())).unwrap();
    assert!(file.blocks() > 1);
    assert_eq!(all_of(&file).unwrap(), described(rows.view()));
    assert_eq!(file.locate(5), Some((file.blocks() - 1, 0)));
}

#[test]
fn what_is_said_about_rows_comes_back() {
    let mut writer = CacheWriter::temporary(None).unwrap();
    let mut rows = Rows::new();
    rows.push_label(1.0, b"1");
    rows.push(0, 1.0); // the constant feature is no data
    rows.push(2, 3.0);
    rows.push(9, 0.0); // counts for the width
    rows.end_row(0);
    rows.push(0, 1.0);
    rows.end_row(2);
    writer.write(rows.view(), 10).unwrap();
    let names = names(&["red", "4", "blue", "2"]);
    let table = Table {
        label: Some("y".to_owned()),
        columns: ["a", "b c"]
            .map(|name| {
                Column::new(
                    name.to_owned(),
                    if name == "a" {
                        ColumnKind::Category
                    } else {
                        ColumnKind::Number
                    },
                )
            })
            .to_vec(),
        ..Table::default()
    };
    let about = CacheContents {
        names: &names,
        table: Some(&table),
        text: None,
        zero_based: true,
        origin: None,
    };
    let file = writer.finish(about).unwrap();
    assert_eq!((file.rows(), file.values(), file.width()), (2, 1, 9));
    assert_eq!(file.table(), Some(&table));
    assert!(file.zero_based() && file.origin().is_none());
    let again = file.names().unwrap();
    assert_eq!(again.highest(), names.highest());
    assert!(again.iter().eq(names.iter()));
    let block = file.block(0).unwrap();
    assert_eq!((block.line(0), block.line(1), block.width()), (10, 12, 9));
    assert_eq!(block.index, [2]);

    let mut hashed = Names::hashed(3);
    for k in 0..20 {
        hashed.assign(&k.to_string(), LIMITS).unwrap();
    }
    let writer = CacheWriter::temporary(None).unwrap();
    let file = writer.finish(super::about(&hashed)).unwrap();
    assert!(hashed.collisions() >= 12);
    assert_eq!(
        (file.bits(), file.collisions()),
        (Some(3), hashed.collisions())
    );
    assert_eq!(file.names().unwrap().bits(), Some(3));
}

#[test]
fn what_no_reader_would_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.nvk");
    fs::write(&path, "old").unwrap();
    let mut rows = Rows::new();
    rows.push(1, f32::NAN);
    rows.end_row(0);
    let mut writer = CacheWriter::create(&path).unwrap();
    writer.write(rows.view(), 0).unwrap();
    let said = writer.finish(about(&Names::new())).unwrap_err().to_string();
    assert!(
        said.contains("rows 1 and on: a value is zero or not finite"),
        "{said}"
    );
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let missing = folder.path().join("no/where");
    assert!(CacheWriter::create(&missing).is_err());
    let refused = CacheWriter::temporary(Some(&missing)).err().unwrap();
    let remedy = refused.remedy().to_string();
    assert!(remedy.contains("set TMPDIR"), "{remedy}");
}

#[test]
fn many_threads_may_ask_for_blocks() {
    let rows = varied(30_000, 9);
    let mut writer = CacheWriter::temporary(None).unwrap();
    writer.write(rows.view(), 0).unwrap();
    let file = writer.finish(about(&Names::new())).unwrap();
    let sum = || {
        (0..file.blocks())
            .map(|k| file.block(k).unwrap().len())
            .sum::<usize>()
    };
    thread::scope(|scope| {
        let sums: Vec<_> = (0..4).map(|_| scope.spawn(sum)).collect();
        for sum in sums {
            assert_eq!(sum.join().unwrap(), 30_000);
        }
    });
}
