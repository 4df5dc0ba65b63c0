//! Tables against an obvious reader, in pieces of any size, by any number of threads, and back.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use novikoff::names::{Limits, Names};
use novikoff::rows::{Block, Rows};
use novikoff::source::Source as _;
use novikoff_data::blocks::{Format, Input, Missing, ReadOptions, Reader};
use novikoff_data::write::csv::CsvWriter;
use proptest::prelude::*;

/// A row: its place, its labels, and its features by name with the bits of their values.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    line: u64,
    labels: Vec<String>,
    values: Vec<(String, u32)>,
}

/// Everything a reader says.
#[derive(Clone, Debug, Default, PartialEq)]
struct Story {
    rows: Vec<Told>,
    error: Option<String>,
    skipped: Vec<String>,
    names: Vec<(u32, String)>,
    highest: u32,
}

fn bytes(text: impl Into<Vec<u8>>) -> Input {
    Input::Bytes {
        name: "t".to_owned(),
        text: Cow::Owned(text.into()),
    }
}

fn story(text: &[u8], options: &ReadOptions, threads: usize, block_size: usize) -> Story {
    let options = ReadOptions {
        format: Some(Format::Csv),
        ..options.clone()
    };
    let mut reader =
        Reader::with_block_size(vec![bytes(text)], options, threads, block_size).unwrap();
    let mut rows = Rows::new();
    let mut lines = Vec::new();
    let mut story = Story::default();
    loop {
        let len = match reader.next_block() {
            Ok(Some(block)) => {
                rows.append(block, 0);
                block.len()
            }
            Ok(None) => break,
            Err(error) => {
                story.error = Some(error.to_string());
                break;
            }
        };
        lines.extend((0..len).map(|i| reader.place(i).line));
    }
    let names = reader.names();
    for (i, line) in lines.into_iter().enumerate() {
        let text = |label: &[u8]| String::from_utf8(label.to_vec()).unwrap();
        let name = |slot: usize| match names.name(slot as u32) {
            Some(name) => name.to_owned(),
            None => slot.to_string(),
        };
        story.rows.push(Told {
            line,
            labels: rows.labels(i).map(|label| text(label.text())).collect(),
            values: rows
                .row(i)
                .iter()
                .map(|(slot, value)| (name(slot), (value as f32).to_bits()))
                .collect(),
        });
    }
    story.skipped.clone_from(&reader.skipped().samples);
    story.names = names.iter().map(|(s, n)| (s, n.to_owned())).collect();
    story.highest = names.highest();
    story
}

/// A table as it is written, and where its records begin.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    delimiter: u8,
    lines: Vec<u64>,
}

/// How a field is written: in quotes if it must be, or if it may be.
fn quoted(field: &str, delimiter: char, always: bool) -> String {
    let odd = |c: char| c == delimiter || "\"\r\n".contains(c);
    if always || field.contains(odd) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

fn table() -> impl Strategy<Value = Written> {
    let number = prop_oneof![
        "-?[0-9]{1,3}(\\.[0-9]{0,9})?",
        " ?[-+]?[0-9]{1,2}\\.[0-9]{1,20}(e-?[0-9]|e-[0-9]{2})? ?",
        Just("0".to_owned()),
        Just(String::new()),
        Just("NA".to_owned()),
    ];
    let category = prop_oneof![
        4 => "[a-c]",
        1 => "[a-z\"; ,\t\u{e9}\r\n]{1,5}",
        1 => Just("?".to_owned()),
    ];
    let label = prop_oneof![
        "[-+]?[01]",
        "[a-c]",
        Just("a,b".to_owned()),
        Just(String::new())
    ];
    let record = (
        label,
        prop::collection::vec(number, 3),
        prop::collection::vec(category, 2),
        prop::collection::vec(any::<bool>(), 6),
        prop::bool::weighted(0.1),
    );
    (
        prop::collection::vec(record, 0..25),
        prop_oneof![Just(','), Just('\t'), Just(';')],
        any::<bool>(),
        prop::bool::weighted(0.7),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(records, delimiter, crlf, newline, mark)| {
            let end = if crlf { "\r\n" } else { "\n" };
            let (mut lines, mut at) = (Vec::new(), 3);
            let header = ["n1", "c1", "label", "n2", "c2", "3"].join(&delimiter.to_string());
            let mut text = if mark {
                "\u{feff}".to_owned()
            } else {
                String::new()
            };
            text += &(header.clone() + end);
            // a first record that says what the columns are
            text += &(["1", "x", "1", "2", "y", "3"].join(&delimiter.to_string()) + end);
            lines.push(2);
            for (label, numbers, categories, quotes, empty) in records {
                if empty {
                    text += end;
                    at += 1;
                }
                let fields = [
                    &numbers[0],
                    &categories[0],
                    &label,
                    &numbers[1],
                    &categories[1],
                    &numbers[2],
                ];
                let fields = fields.iter().zip(quotes);
                let fields = fields.map(|(field, always)| quoted(field, delimiter, always));
                let record = fields.collect::<Vec<_>>().join(&delimiter.to_string()) + end;
                lines.push(at);
                at += record.matches('\n').count() as u64;
                text += &record;
            }
            if !newline {
                text.truncate(text.len() - end.len());
            }
            Written {
                text,
                delimiter: delimiter as u8,
                lines,
            }
        })
}

/// Rows by the `csv` crate and the plainest of readings; missing values are zero.
fn plainly(table: &Written) -> Vec<Told> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(table.delimiter)
        .from_reader(table.text.as_bytes());
    let mut rows = Vec::new();
    for (record, &line) in reader.records().zip(&table.lines) {
        let record = record.unwrap();
        let mut values = Vec::new();
        for (k, name) in [(0, "n1"), (3, "n2"), (5, "3")] {
            let value: f32 = record[k].trim().parse().unwrap_or(0.0);
            if value != 0.0 {
                values.push((name.to_owned(), value.to_bits()));
            }
        }
        for (k, name) in [(1, "c1"), (4, "c2")] {
            let text = &record[k];
            if !["", "?"].contains(&text.trim_matches([' ', '\t'])) {
                values.push((format!("{name}={text}"), 1.0_f32.to_bits()));
            }
        }
        let labels = record[2].split(',').filter(|label| !label.is_empty());
        rows.push(Told {
            line,
            labels: labels.map(str::to_owned).collect(),
            values,
        });
    }
    rows
}

fn sorted(mut rows: Vec<Told>) -> Vec<Told> {
    for row in &mut rows {
        row.values.sort();
    }
    rows
}

fn cases() -> u32 {
    std::env::var("NOVIKOFF_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(400)
}

fn zero() -> ReadOptions {
    ReadOptions {
        missing: Missing::Zero,
        ..ReadOptions::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn tables_are_read_as_the_plain_reader_does(
        table in table(),
        size in 1_usize..600,
        threads in 1_usize..=4,
    ) {
        let told = story(table.text.as_bytes(), &zero(), threads, size);
        prop_assert_eq!(&told.error, &None);
        prop_assert_eq!(sorted(told.rows), sorted(plainly(&table)));
        // slots: numbers in the order of the columns, then categories as they appear
        let first: Vec<_> = told.names.iter().take(4).map(|(slot, name)| (*slot, name.as_str())).collect();
        prop_assert_eq!(first, [(1, "n1"), (2, "n2"), (4, "c1=x"), (5, "c2=y")]);
    }

    #[test]
    fn damaged_tables_never_panic_and_tell_the_same(
        table in table(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..6, any::<u8>()), 0..6),
        size in 1_usize..400,
        threads in 1_usize..=4,
        skip_bad in prop_oneof![Just(0_u64), Just(1_u64 << 40)],
        refuse in any::<bool>(),
        header in prop_oneof![4 => Just(None), 1 => any::<bool>().prop_map(Some)],
        unlabelled in any::<bool>(),
        max_line in prop_oneof![4 => Just(64 << 20), 1 => 30_usize..200],
    ) {
        let mut text = table.text.into_bytes();
        for (place, how, byte) in edits {
            let at = place.index(text.len() + 1);
            match how {
                0 => text.truncate(at),
                1 => text.insert(at, byte),
                2 => text.insert(at, b"\",;\t\n\r 0.-"[usize::from(byte) % 10]),
                3 if at < text.len() => text[at] ^= 1 << (byte % 8),
                4 if at < text.len() => drop(text.remove(at)),
                _ => {
                    let from = usize::from(byte).min(text.len());
                    let piece = text[from..(from + 20).min(text.len())].to_vec();
                    text.splice(at..at, piece);
                }
            }
        }
        let missing = if refuse { Missing::Refuse } else { Missing::Zero };
        let options = ReadOptions { skip_bad, missing, header, unlabelled, max_line, ..zero() };
        let one = story(&text, &options, 1, 1 << 20);
        prop_assert_eq!(story(&text, &options, threads, size), one);
    }

    #[test]
    fn numbers_without_a_header_are_the_svmlight_file_of_the_same_rows(
        rows in prop::collection::vec(
            ("[-+]?[0-9]", prop::collection::vec("-?[0-9]{1,2}(\\.[0-9]{1,7})?|0", 4)),
            1..30,
        ),
        delimiter in prop_oneof![Just(","), Just("\t"), Just(";")],
        size in 1_usize..300,
        threads in 1_usize..=3,
    ) {
        let (mut table, mut svmlight) = (String::new(), String::new());
        for (label, values) in &rows {
            writeln!(table, "{label}{delimiter}{}", values.join(delimiter)).unwrap();
            let features: Vec<_> = (1..).zip(values).map(|(j, v): (u32, _)| format!("{j}:{v}")).collect();
            writeln!(svmlight, "{label} {}", features.join(" ")).unwrap();
        }
        let read = |text: String| {
            let inputs = vec![bytes(text)];
            let options = ReadOptions { bias: Some(1.0), ..ReadOptions::default() };
            let mut reader = Reader::with_block_size(inputs, options, threads, size).unwrap();
            let mut rows = Rows::new();
            while let Some(block) = reader.next_block().unwrap() {
                rows.append(block, 0);
            }
            assert!(reader.names().is_empty());
            rows
        };
        prop_assert!(same(read(table).view(), read(svmlight).view()));
    }

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
        let limits = Limits { slots: 7, bytes: 1 << 20 };
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
        let inputs = vec![bytes(writer.into_inner())];
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

/// The same labels and values, to the last bit.
fn same(a: Block<'_>, b: Block<'_>) -> bool {
    let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let numbers = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    (a.ends, a.index, bits(a.value)) == (b.ends, b.index, bits(b.value))
        && (a.label_ends, a.text_ends, a.text) == (b.label_ends, b.text_ends, b.text)
        && numbers(a.label_number) == numbers(b.label_number)
}

#[test]
fn a_few_tables_tell_the_same_in_pieces_of_every_size() {
    let texts: [&[u8]; 8] = [
        b"label,a,c\n1,0.5,x\n0,0,\"y\nz\"\n\n-1,123.25,\"5\"\" pipe\"\r\n1,1,x",
        b"\xef\xbb\xbfa;label\r\n1.5;x\r\n;y\r\n\"2\";\"x,y\"\r\n",
        b"1,2,3\n4,5,6\n7,x,9\n1,2,3\n",
        b"1\t2\n\n\n3\t4\t5\n",
        b"label,c\n1,a\n2,b\n3,\"c\nd\ne\n",
        b"label,c\n1,a\n2,b\"c\n3,d\n4,\"e\n\"\n",
        b"label,a\n1,2\n1,\xff\n",
        b"label,123456789,1,2,3\n1,0.15570000,0.259693,-0.16878,0.0714818\n-1,0,0,0,0\n0.5,1e-3,.5,5.,+7\n",
    ];
    for text in texts {
        for skip_bad in [0, 1000] {
            let options = ReadOptions { skip_bad, ..zero() };
            let one = story(text, &options, 1, 1 << 20);
            for size in 1..=text.len() + 1 {
                for threads in 1..=4 {
                    let other = story(text, &options, threads, size);
                    assert_eq!(other, one, "pieces of {size}, {threads} threads");
                }
            }
        }
    }
}

#[test]
fn long_records_end_the_stream_wherever_they_are_cut() {
    let options = ReadOptions {
        max_line: 12,
        ..zero()
    };
    for (text, rows, error) in [
        ("label,a\n1,2\n1,3456789012\n1,2\n", 3, None),
        (
            "label,a\n1,2\n1,34567890123\n1,2\n",
            1,
            Some("t:3:13: this line is longer than 12 bytes; are the lines separated by newlines?"),
        ),
        (
            "label,a\n1,2\n\"x\n456789012\",3\n1,2\n",
            1,
            Some("t:3:13: this line is longer than 12 bytes; are the lines separated by newlines?"),
        ),
        (
            "label,a\n1,2\n1,\"567890123456\n",
            1,
            Some("t:3:13: this line is longer than 12 bytes; are the lines separated by newlines?"),
        ),
        (
            "1,2\n\n\n1,x\n1,34567890123\n",
            1,
            Some(
                "t:4:3: column \"1\": \"x\" is not a finite decimal number such as -0.5 or 1e-3; replace it, or use --categorical \"1\" if the column holds categories",
            ),
        ),
    ] {
        for size in 1..60 {
            for threads in 1..=2 {
                let told = story(text.as_bytes(), &options, threads, size);
                assert_eq!(
                    (told.rows.len(), told.error.as_deref()),
                    (rows, error),
                    "{text:?} {size}"
                );
            }
        }
    }
}

#[test]
fn rows_of_a_pipe_come_as_soon_as_their_record_is_complete() {
    use std::os::fd::AsRawFd as _;
    for threads in 1..=3 {
        let (source, mut sink) = std::io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", source.as_raw_fd());
        let (got, wait_for_row) = mpsc::channel();
        let writer = thread::spawn(move || {
            for i in 0..30 {
                sink.write_all(format!("{i},1,\"2").as_bytes()).unwrap();
                if i % 10 == 0 {
                    thread::sleep(Duration::from_millis(2)); // half a record is no row
                }
                sink.write_all(b"\"\n").unwrap();
                assert_eq!(wait_for_row.recv_timeout(Duration::from_secs(20)), Ok(i));
            }
        });
        let input = Input::Path(path.into());
        let mut reader = Reader::open(vec![input], ReadOptions::default(), threads).unwrap();
        let mut seen = 0;
        while let Some(rows) = reader.next_block().unwrap() {
            for i in 0..rows.len() {
                let label = rows.labels(i).next().unwrap();
                assert_eq!(label.number(), Some(f64::from(seen)));
                got.send(seen).unwrap();
                seen += 1;
            }
        }
        assert_eq!(seen, 30);
        writer.join().unwrap();
        drop(source);
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
                "label `{label}` cannot stand in a table of text: it is empty, `?`, or has a comma or a blank at its end; choose another format"
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
    let limits = Limits {
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
    let limits = Limits {
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
