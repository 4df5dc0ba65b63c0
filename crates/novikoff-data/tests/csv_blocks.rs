//! Tables against an obvious reader, in pieces of any size, by any number of threads.
#![allow(clippy::unwrap_used)]

use crate::csv_common;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use novikoff::remedy::{Library, said};
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Format, Input, Missing, ReadOptions, Reader};
use proptest::prelude::*;

use csv_common::same;

/// A row: its place, its labels, and its features by name with the bits of their values.
#[derive(Clone, Debug, PartialEq)]
struct Reported {
    line: u64,
    labels: Vec<String>,
    values: Vec<(String, u32)>,
}

/// Everything a reader says.
#[derive(Clone, Debug, Default, PartialEq)]
struct Story {
    rows: Vec<Reported>,
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
                story.error = Some(said(&error, error.remedy().as_ref(), &Library));
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
        story.rows.push(Reported {
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
fn plainly(table: &Written) -> Vec<Reported> {
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
        rows.push(Reported {
            line,
            labels: labels.map(str::to_owned).collect(),
            values,
        });
    }
    rows
}

fn sorted(mut rows: Vec<Reported>) -> Vec<Reported> {
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
        missing: Some(Missing::Zero),
        ..ReadOptions::default()
    }
}

/// A story whose error lists no cells of other columns, and no remedy, which depends on them: cells of the same block are listed.
fn first_cell(story: Story) -> Story {
    let error = story.error.map(|error| {
        let list = error.find(", and other columns have such cells too: ");
        let end = list.or_else(|| error.rfind("; ")).unwrap_or(error.len());
        error[..end].to_owned()
    });
    Story { error, ..story }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn tables_are_read_as_the_plain_reader_does(
        table in table(),
        size in 1_usize..600,
        threads in 1_usize..=4,
    ) {
        let reported = story(table.text.as_bytes(), &zero(), threads, size);
        prop_assert_eq!(&reported.error, &None);
        prop_assert_eq!(sorted(reported.rows), sorted(plainly(&table)));
        // slots: numbers in the order of the columns, then categories as they appear
        let first: Vec<_> = reported.names.iter().take(4).map(|(slot, name)| (*slot, name.as_str())).collect();
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
        let missing = Some(if refuse { Missing::Refuse } else { Missing::Zero });
        let options = ReadOptions { skip_bad, missing, header, unlabelled, max_line, ..zero() };
        let one = first_cell(story(&text, &options, 1, 1 << 20));
        prop_assert_eq!(first_cell(story(&text, &options, threads, size)), one);
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
                "t:4:3: column \"1\": \"x\" is not a finite decimal number such as -0.5 or 1e-3; replace it, empty the cell if the number is not known, or use categorical=\"1\" if the column holds categories",
            ),
        ),
    ] {
        for size in 1..60 {
            for threads in 1..=2 {
                let reported = story(text.as_bytes(), &options, threads, size);
                assert_eq!(
                    (reported.rows.len(), reported.error.as_deref()),
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

/// Gives a table with a stray quote a few bytes at a time.
#[test]
fn a_stray_quote_does_not_make_reading_slow() {
    let mut text = b"y,a\n1,2\n1,\"".to_vec();
    text.resize(24 << 20, b'\n');
    // each member is one read
    let mut packed = Vec::new();
    for part in text.chunks(512) {
        let mut gzip = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, part).unwrap();
        packed = gzip.finish().unwrap();
    }
    let begun = std::time::Instant::now();
    let reported = csv_common::read(packed, &ReadOptions::default());
    assert!(reported.contains("never closed"), "{reported}");
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}
