//! Rows as tables of text, and back.
#![allow(clippy::unwrap_used)]

use crate::csv_common;

use std::borrow::Cow;

use csv_common::same;
use novikoff::names::{NameLimits, Names};
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Format, Input, ReadOptions, Reader};
use novikoff_data::write::csv::CsvWriter;
use proptest::prelude::*;

fn cases() -> u32 {
    std::env::var("NOVIKOFF_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn what_is_written_is_read_back(
        rows in prop::collection::vec(
            (
                prop_oneof![
                    Just(vec![]),
                    prop::collection::vec("[a-z\";:\n\u{e9} ]{0,3}[a-z0-9]", 1..3).prop_map(|labels| {
                        labels.iter().map(|label| label.trim().to_owned()).collect()
                    }),
                    "[-+]?[0-9]{1,3}(\\.[0-9])?".prop_map(|label| vec![label]),
                ],
                prop::collection::btree_map(1_u32..8, any::<f32>(), 0..8),
            ),
            0..12,
        ),
        odd in prop::collection::btree_set("[a-z \",;\t\n\u{e9}0-9=]{1,6}", 7),
        delimiter in prop_oneof![Just(b','), Just(b'\t'), Just(b';')],
        size in 1_usize..300,
    ) {
        let mut names = Names::new();
        let limits = NameLimits { slots: 7, bytes: 1 << 20 };
        for name in odd {
            prop_assume!(!["label", "target", "class", "y"].contains(&name.as_str()));
            prop_assume!(name.bytes().any(|b| !b.is_ascii_digit())); // those have slots of their own
            prop_assume!(names.assign(&name, limits).is_ok());
        }
        let mut written = Rows::new();
        for (labels, values) in rows {
            for label in labels {
                let number = label.parse::<f64>().ok().filter(|n| n.is_finite());
                written.push_label(number.unwrap_or(f64::NAN), label.as_bytes());
            }
            written.push(0, 7.0);
            for (slot, value) in values {
                written.push(slot, if value.is_finite() { value } else { 0.5 });
            }
            written.end_row(0);
        }
        let mut writer = CsvWriter::new(Vec::new(), delimiter, &names, 7).unwrap();
        writer.write(written.view()).unwrap();
        let options = ReadOptions { bias: Some(7.0), format: Some(Format::Csv), ..ReadOptions::default() };
        let text = Cow::Owned(writer.into_inner());
        let inputs = vec![Input::Bytes { name: "t".to_owned(), text }];
        let mut reader = Reader::with_block_size(inputs, options, 2, size).unwrap();
        let mut read = Rows::new();
        while let Some(block) = reader.next_block().unwrap() {
            read.append(block, 0);
        }
        prop_assert!(same(read.view(), written.view()), "{:?} {:?}", read, written);
        let of = |names: &Names| names.iter().map(|(s, n)| (s, n.to_owned())).collect::<Vec<_>>();
        if !read.is_empty() {
            prop_assert_eq!(of(&reader.names()), of(&names));
        }
    }
}

#[test]
fn what_a_table_cannot_hold_is_refused() {
    let refused = |rows: &Rows| {
        let mut writer = CsvWriter::new(Vec::new(), b',', &Names::new(), 2).unwrap();
        let error = writer.write(rows.view()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        error.to_string()
    };
    let mut weighted = Rows::new();
    weighted.set_weight(2.5);
    weighted.end_row(0);
    assert_eq!(
        refused(&weighted),
        "a row of weight 2.5, but tables have no weights; choose vw or nvk"
    );
    let mut wide = Rows::new();
    wide.push(3, 1.0);
    wide.end_row(0);
    assert_eq!(
        refused(&wide),
        "feature 3 of a row is past the 2 columns of the table"
    );
    for label in ["", "?", "a,b", " a", "a\t"] {
        let mut rows = Rows::new();
        rows.push_label(f64::NAN, label.as_bytes());
        rows.end_row(0);
        assert_eq!(
            refused(&rows),
            format!(
                "label `{label}` cannot stand in a table of text: it is a missing value, or has a comma or a blank at its end; choose another format"
            )
        );
    }
    let new = |names: &Names, width| {
        let error = CsvWriter::new(Vec::new(), b',', names, width).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        error.to_string()
    };
    assert_eq!(
        new(&Names::new(), 100_001),
        "a table of 100001 columns; text may have 100000, so choose parquet or svmlight"
    );
    let mut names = Names::new();
    let limits = NameLimits {
        slots: 9,
        bytes: 1 << 20,
    };
    names.assign("label", limits).unwrap();
    assert_eq!(
        new(&names, 1),
        "a feature is called `label`, which no column of a table with labels may be; choose another format"
    );
}

#[test]
fn rows_are_written_dense_and_quoted_where_need_be() {
    let mut names = Names::new();
    let limits = NameLimits {
        slots: 9,
        bytes: 1 << 20,
    };
    for name in ["a b", "c;d", "3", " e"] {
        names.assign(name, limits).unwrap();
    }
    let mut rows = Rows::new();
    rows.push_label(1.0, b"+1");
    rows.push(0, 5.0);
    rows.push(1, -0.5);
    rows.push(4, 1e-20);
    rows.end_row(0);
    rows.end_row(1);
    rows.push_label(f64::NAN, b"x\"y");
    rows.push_label(2.0, b"2");
    rows.push(3, 7.0);
    rows.end_row(2);
    let mut writer = CsvWriter::new(Vec::new(), b'\t', &names, 5).unwrap();
    writer.write(rows.view()).unwrap();
    assert_eq!(
        String::from_utf8(writer.into_inner()).unwrap(),
        "label\ta b\t\"c;d\"\t3\t\" e\"\t5\n+1\t-0.5\t0\t0\t1e-20\t0\n\t0\t0\t0\t0\t0\n\"x\"\"y,2\"\t0\t0\t7\t0\t0\n"
    );
}
