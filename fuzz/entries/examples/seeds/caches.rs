//! Small caches of rows.

use std::fs;
use std::path::Path;

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff::table::{Column, ColumnKind, Table};
use novikoff_data::cache::{CacheContents, CacheWriter};

use crate::Outcome;
use crate::tables::{Seeds, names};

/// All rows in one block: it has room for thousands.
fn written(path: &Path, rows: &Rows, names: &Names, table: Option<&Table>) -> Outcome<Vec<u8>> {
    let mut writer = CacheWriter::create(path)?;
    writer.write(rows.view(), 0)?;
    writer.finish(CacheContents {
        names,
        table,
        text: None,
        zero_based: false,
        origin: None,
    })?;
    Ok(fs::read(path)?)
}

fn rows(weighted: bool) -> Rows {
    let mut rows = Rows::new();
    for line in 0..3 {
        rows.push_label(1.0, b"+1");
        if line == 1 {
            rows.push_label(f64::NAN, b"cat");
        }
        rows.push(1 + line as u32, 0.5);
        rows.push(4, -1.0);
        if weighted {
            rows.set_weight(0.25);
        }
        rows.end_row(2 * line);
    }
    rows
}

pub(crate) fn caches(path: &Path) -> Outcome<Seeds> {
    let none = Names::new();
    let table = Table {
        label: Some("y".to_owned()),
        columns: vec![Column::new("c".to_owned(), ColumnKind::Category)],
        ..Table::default()
    };
    let numbers = written(path, &rows(false), &none, None)?;
    let mut hashed = Names::hashed(3);
    hashed.reach(8);
    let mut named = names()?;
    named.reach(4);
    Ok(vec![
        ("cut", numbers[..numbers.len() - 64].to_vec()),
        ("numbers", numbers),
        ("no-rows", written(path, &Rows::new(), &none, None)?),
        ("weights", written(path, &rows(true), &none, None)?),
        ("hashed", written(path, &rows(false), &hashed, None)?),
        ("named", written(path, &rows(true), &named, Some(&table))?),
    ])
}
