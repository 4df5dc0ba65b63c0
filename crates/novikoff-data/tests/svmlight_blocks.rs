//! Rows, lines and errors do not depend on how a stream is cut, nor on who parses it.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use novikoff::names::Names;
use novikoff::remedy::{Library, said};
use novikoff::rows::{Block, Rows};
use novikoff::source::Source as _;
use novikoff_data::blocks::{Format, Input, ReadOptions, Reader};
use novikoff_data::error::DataError;
use proptest::prelude::*;

/// Everything a reader says: rows with their places, then what ended them.
#[derive(Debug, Default, PartialEq)]
struct Story {
    rows: Vec<String>,
    error: Option<String>,
}

/// Facts and remedy in one line, as a person without a door reads them.
fn reported(error: &DataError) -> String {
    said(error, error.remedy().as_ref(), &Library)
}

fn describe(rows: Block<'_>, i: usize) -> String {
    let labels: Vec<_> = rows
        .labels(i)
        .map(|l| (l.number(), l.text().to_vec()))
        .collect();
    let values: Vec<_> = rows.row(i).iter().collect();
    format!("{labels:?} {values:?}")
}

fn story(inputs: Vec<Input>, options: &ReadOptions, threads: usize, block_size: usize) -> Story {
    let mut story = Story::default();
    let mut reader = match Reader::with_block_size(inputs, options.clone(), threads, block_size) {
        Ok(reader) => reader,
        Err(error) => {
            return Story {
                error: Some(reported(&error)),
                ..story
            };
        }
    };
    loop {
        let described: Vec<String> = match reader.next_block() {
            Ok(Some(rows)) => (0..rows.len()).map(|i| describe(rows, i)).collect(),
            Ok(None) => {
                if let Some(total) = reader.total_bytes() {
                    assert_eq!(reader.bytes_read(), total);
                }
                return story;
            }
            Err(error) => {
                story.error = Some(reported(&error));
                assert!(matches!(reader.next_block(), Ok(None)));
                return story;
            }
        };
        assert!(!described.is_empty(), "a block is never empty");
        for (i, row) in described.into_iter().enumerate() {
            let place = reader.place(i);
            story
                .rows
                .push(format!("{}:{} {row}", place.file, place.line));
        }
    }
}

fn bytes(name: &str, text: impl Into<Vec<u8>>) -> Input {
    Input::Bytes {
        name: name.to_owned(),
        text: Cow::Owned(text.into()),
    }
}

const TEXTS: &[&[u8]] = &[
    b"1 1:2 3:4\n-1 2:0.25 7:1e-3 # remark\n\n# all remark\n1 1:1 2:2 3:3 4:4 5:5 6:6\n",
    b"\xef\xbb\xbf1 1:2\r\n\r\n2,3 5:6\r\n? 1:1\r\n7:8 9:10",
    b"",
    b"\n\n\n",
    b"# nothing\n",
    b"1 10:0.1557 20:0.259693 31:0.168784 40:0.0714818 51:0.187728 60:-0.2253434 100:0.01253\n2\n",
    b"1 1:2\n2 1:3\n3 1:x\n4 1:5\n",
    b"1 1:2",
];

#[test]
fn blocks_of_any_size_and_any_threads_tell_the_same() {
    let options = ReadOptions {
        bias: Some(1.0),
        ..ReadOptions::default()
    };
    let mut streams: Vec<Vec<&[u8]>> = TEXTS.iter().map(|text| vec![*text]).collect();
    streams.push(vec![
        TEXTS[0], TEXTS[1], TEXTS[2], TEXTS[4], TEXTS[5], TEXTS[7],
    ]);
    streams.push(vec![TEXTS[7], TEXTS[1], TEXTS[6], TEXTS[0]]);
    for texts in streams {
        let inputs: Vec<Input> = texts
            .iter()
            .enumerate()
            .map(|(i, text)| bytes(&format!("f{i}"), *text))
            .collect();
        let one = story(inputs.clone(), &options, 1, 1 << 20);
        for size in 1..200 {
            for threads in 1..=3 {
                let other = story(inputs.clone(), &options, threads, size);
                assert_eq!(other, one, "blocks of {size}, {threads} threads");
            }
        }
    }
}

#[test]
fn places_restart_with_each_file() {
    let inputs = vec![bytes("a", "1 1:1\n\n2 1:1"), bytes("b", "\n3 1:1\n4 0:1\n")];
    let reported = story(inputs, &ReadOptions::default(), 2, 4);
    let places: Vec<_> = reported
        .rows
        .iter()
        .map(|row| row.split(' ').next().unwrap())
        .collect();
    assert_eq!(places, ["a:1", "a:3", "b:2"]);
    assert!(reported.error.unwrap().starts_with("b:3:3: index 0"));
}

#[test]
fn long_lines_end_the_stream_wherever_they_are_cut() {
    let options = ReadOptions {
        max_line: 17,
        ..ReadOptions::default()
    };
    for (text, rows, error) in [
        ("1 1:1\n1 2:1 3:1 4:1 5:1\n1 1:1\n", 3, None), // exactly 17
        (
            "1 1:1\n1 2:1 3:1 4:1 5:12\n1 1:1\n",
            1,
            Some("f:2:18: this line is longer than 17 bytes; are the lines separated by newlines?"),
        ),
        (
            "1 1:1\n# 45678901234567890123",
            1,
            Some("f:2:18: this line is longer than 17 bytes; are the lines separated by newlines?"),
        ),
        (
            "1 1:1\n1 x 45678901234567890123\n",
            1,
            Some("f:2:18: this line is longer than 17 bytes; are the lines separated by newlines?"),
        ),
        (
            "1 x\n1 2:1 3:1 4:1 5:12 6:1\n",
            0,
            Some("f:1:3: \"x\" has no colon; features are written index:value, as in 3:0.5"),
        ),
        ("\u{feff}1 2:1 3:1 4:1 5:1\n", 1, None),
        (
            "\u{feff}1 2:1 3:1 4:1 5:12\n",
            0,
            Some("f:1:21: this line is longer than 17 bytes; are the lines separated by newlines?"),
        ),
    ] {
        for size in [1, 2, 3, 5, 7, 10, 16, 17, 18, 19, 20, 22, 25, 30, 100, 1000] {
            for threads in 1..=2 {
                let reported = story(vec![bytes("f", text)], &options, threads, size);
                assert_eq!(
                    (reported.rows.len(), reported.error.as_deref()),
                    (rows, error),
                    "{text:?} {size}"
                );
            }
        }
    }
}

/// A valid file of some rows.
fn valid_file() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "-?[0-9]{1,3}(\\.[0-9]{1,9})?",
        "[0-9]\\.[0-9]{1,4}e-?[0-9]",
        Just("1".to_owned())
    ];
    let row = (
        prop_oneof![
            "[-+]?[0-9]{1,2}",
            "[0-9],[0-9](,[0-9])?",
            Just("?".to_owned())
        ],
        prop::option::weighted(0.1, "qid:[0-9]{1,4}"),
        prop::collection::btree_map(1_u32..100_000, value, 0..40),
        prop_oneof![8 => Just(""), 1 => Just(" "), 1 => Just(" # a remark"), 1 => Just("\r")],
    );
    let line = row.prop_map(|(label, query, features, end)| {
        let mut line = label;
        for word in query
            .into_iter()
            .chain(features.iter().map(|(j, v)| format!("{j}:{v}")))
        {
            line.push(' ');
            line.push_str(&word);
        }
        line + end
    });
    let line = prop_oneof![9 => line, 1 => Just(String::new()), 1 => Just("# remark".to_owned())];
    (prop::collection::vec(line, 0..20), any::<bool>()).prop_map(|(lines, newline)| {
        let mut text = lines.join("\n");
        if newline {
            text.push('\n');
        }
        text
    })
}

fn cases() -> u32 {
    std::env::var("NOVIKOFF_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn valid_files_are_read_and_scanned_alike(texts in prop::collection::vec(valid_file(), 1..3)) {
        let directory = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..texts.len()).map(|i| directory.path().join(i.to_string())).collect();
        for (path, text) in paths.iter().zip(&texts) {
            fs::write(path, text).unwrap();
        }
        // a line of labels alone could be a table
        let options = ReadOptions { format: Some(Format::Svmlight), ..ReadOptions::default() };
        let inputs = paths.iter().cloned().map(Input::Path).collect();
        let mut reader = Reader::open(inputs, options.clone(), 1).unwrap();
        let mut all = Rows::new();
        while let Some(block) = reader.next_block().unwrap() {
            all.append(block, 0);
        }
        let scanned = novikoff_data::scan::scan(&paths, &options, &Names::new(), 1).unwrap();
        prop_assert_eq!(scanned.width, all.width());
        let mut names: Vec<novikoff::label::LabelName> = Vec::new();
        for label in (0..all.len()).flat_map(|i| all.labels(i)) {
            if !names.iter().any(|name| name.is(label)) {
                names.push(novikoff::label::LabelName::new(label));
            }
        }
        names.sort();
        let spell = |names: &[novikoff::label::LabelName]| -> Vec<String> {
            names.iter().map(|name| name.name().to_owned()).collect()
        };
        prop_assert_eq!(spell(&scanned.labels), spell(&names));
    }

    #[test]
    fn damaged_files_never_panic_and_tell_the_same(
        text in valid_file(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..6, any::<u8>()), 0..8),
        size in 1_usize..300,
        threads in 1_usize..4,
        zero_based in any::<bool>(),
        max_features in prop_oneof![Just(100_000_000), Just(u32::MAX), 1_u32..50_000],
        max_line in prop_oneof![4 => Just(64 << 20), 1 => 5_usize..200],
    ) {
        let mut text = text.into_bytes();
        for (place, how, byte) in edits {
            let at = place.index(text.len() + 1);
            match how {
                0 => text.truncate(at),
                1 => text.insert(at, byte),
                2 => text.insert(at, b" :.-e#\n\r\t0,+"[usize::from(byte) % 12]),
                3 if at < text.len() => text[at] ^= 1 << (byte % 8),
                4 if at < text.len() => drop(text.remove(at)),
                _ => {
                    let from = usize::from(byte).min(text.len());
                    let piece = text[from..(from + 20).min(text.len())].to_vec();
                    text.splice(at..at, piece);
                }
            }
        }
        let options = ReadOptions { zero_based, max_features, max_line, ..ReadOptions::default() };
        let one = story(vec![bytes("f", text.clone())], &options, 1, 1 << 20);
        prop_assert_eq!(story(vec![bytes("f", text.clone())], &options, threads, size), one);
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), &text).unwrap();
        drop(novikoff_data::scan::scan(&[file.path()], &options, &Names::new(), 1)); // anything but a panic
    }
}

#[test]
fn what_is_no_text_file_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let here = |name: &str| directory.path().join(name);
    let error_of = |path: PathBuf| {
        let scanned =
            novikoff_data::scan::scan(&[&path], &ReadOptions::default(), &Names::new(), 1);
        let mut scanned = reported(&scanned.unwrap_err());
        let reported = story(vec![Input::Path(path)], &ReadOptions::default(), 2, 1000)
            .error
            .unwrap();
        for text in [&mut scanned, &mut reported.clone()] {
            *text = text.replace(&format!("{}/", directory.path().display()), "");
        }
        let reported = reported.replace(&format!("{}/", directory.path().display()), "");
        assert_eq!(reported, scanned);
        reported
    };
    assert_eq!(
        error_of(here("absent.svm")),
        "absent.svm: no such file; check the name, or use - to read from a pipe"
    );
    fs::create_dir(here("folder")).unwrap();
    assert_eq!(
        error_of(here("folder")),
        "folder: is an empty folder; a folder of texts has one sub-folder per class, and text files in each; check the name"
    );
    fs::write(here("a.gz"), b"\x1f\x8b\x08\0\0\n").unwrap();
    assert_eq!(
        error_of(here("a.gz")),
        "a.gz: the gzip data ends in the middle, so rows are missing; copy or download it again"
    );
    fs::write(here("a.zst"), b"\x28\xb5\x2f\xfd\0\0").unwrap();
    assert_eq!(
        error_of(here("a.zst")),
        "a.zst: the zstd data ends in the middle, so rows are missing; copy or download it again"
    );
    let reported = story(
        vec![Input::Path("/proc/self/mem".into())],
        &ReadOptions::default(),
        1,
        1000,
    );
    assert!(
        reported
            .error
            .unwrap()
            .starts_with("/proc/self/mem: cannot be read: ")
    );
}

#[test]
fn files_may_shrink_or_vanish_while_they_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (
        directory.path().join("first"),
        directory.path().join("second"),
    );
    for threads in 1..=3 {
        fs::write(&first, "1 1:1 2:2 3:3\n".repeat(50_000)).unwrap();
        fs::write(&second, "1 1:1\n").unwrap();
        let inputs = vec![Input::Path(first.clone()), Input::Path(second.clone())];
        let mut reader =
            Reader::with_block_size(inputs, ReadOptions::default(), threads, 1000).unwrap();
        assert!(reader.next_block().unwrap().is_some());
        fs::OpenOptions::new()
            .write(true)
            .open(&first)
            .unwrap()
            .set_len(20_005)
            .unwrap();
        fs::remove_file(&second).unwrap();
        let error = loop {
            match reader.next_block() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the second file is gone"),
                Err(error) => break reported(&error),
            }
        };
        // the cut may fall inside a line, or just behind one
        assert!(
            error.contains("first:") || error.contains("second: no such file"),
            "{error}"
        );
    }
}

#[test]
fn a_line_without_end_is_given_up() {
    let options = ReadOptions {
        max_line: 1 << 20,
        ..ReadOptions::default()
    };
    let reported = story(vec![Input::Path("/dev/zero".into())], &options, 2, 1 << 16);
    assert_eq!(
        reported.error.unwrap(),
        "/dev/zero:1:1048577: this line is longer than 1048576 bytes; are the lines separated by newlines?"
    );
}

/// The path by which a process opens its own pipe again.
fn pipe_path(pipe: &impl std::os::fd::AsRawFd) -> PathBuf {
    format!("/proc/self/fd/{}", pipe.as_raw_fd()).into()
}

#[test]
fn rows_of_a_pipe_come_as_soon_as_their_line_is_complete() {
    for threads in 1..=3 {
        let (source, mut sink) = std::io::pipe().unwrap();
        let path = pipe_path(&source);
        let (got, wait_for_row) = mpsc::channel();
        let writer = thread::spawn(move || {
            for i in 0..50 {
                let (begin, end) = (format!("{i} 1:1 2"), ":0.5\n");
                sink.write_all(begin.as_bytes()).unwrap();
                if i % 10 == 0 {
                    thread::sleep(Duration::from_millis(2)); // half a line is no row
                }
                sink.write_all(end.as_bytes()).unwrap();
                assert_eq!(wait_for_row.recv_timeout(Duration::from_secs(20)), Ok(i));
            }
        });
        let mut reader =
            Reader::open(vec![Input::Path(path)], ReadOptions::default(), threads).unwrap();
        assert_eq!(reader.total_bytes(), None);
        let mut seen = 0;
        while let Some(rows) = reader.next_block().unwrap() {
            for i in 0..rows.len() {
                assert_eq!(
                    rows.labels(i).next().unwrap().number(),
                    Some(f64::from(seen))
                );
                got.send(seen).unwrap();
                seen += 1;
            }
        }
        assert_eq!(seen, 50);
        writer.join().unwrap();
        drop(source);
    }
}

#[test]
fn a_fast_pipe_is_read_whole() {
    for threads in 1..=3 {
        let (source, mut sink) = std::io::pipe().unwrap();
        let path = pipe_path(&source);
        let text = "1 1:0.5 22:0.25 333:-1 4444:7e-1\n".repeat(100_000);
        let writer = thread::spawn(move || sink.write_all(text.as_bytes()).unwrap());
        let mut reader =
            Reader::open(vec![Input::Path(path)], ReadOptions::default(), threads).unwrap();
        let (mut rows, mut values) = (0, 0);
        while let Some(block) = reader.next_block().unwrap() {
            rows += block.len();
            values += block.values();
        }
        assert_eq!((rows, values), (100_000, 400_000));
        writer.join().unwrap();
        drop(source);
    }
}

#[test]
fn dropping_a_reader_never_waits() {
    for threads in 1..=3 {
        // on a pipe that is idle, and in the middle of a file
        let (source, mut sink) = std::io::pipe().unwrap();
        sink.write_all(b"1 1:1\n").unwrap();
        let path = pipe_path(&source);
        let mut reader =
            Reader::open(vec![Input::Path(path)], ReadOptions::default(), threads).unwrap();
        assert_eq!(reader.next_block().unwrap().unwrap().len(), 1);
        let begun = Instant::now();
        drop(reader);
        assert!(begun.elapsed() < Duration::from_secs(5));
        drop((source, sink));

        let text = "1 1:1 2:2 3:3\n".repeat(50_000);
        let mut reader = Reader::with_block_size(
            vec![bytes("f", text)],
            ReadOptions::default(),
            threads,
            1000,
        )
        .unwrap();
        assert!(reader.next_block().unwrap().is_some());
        let begun = Instant::now();
        drop(reader);
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn rows_before_the_bad_line_too_many_are_lent() {
    let text: String = (1..=60)
        .map(|k| match k {
            7 | 20 | 21 | 50 => "1 x:1\n".to_owned(),
            _ => format!("1 {k}:1\n"),
        })
        .collect();
    for (skip_bad, rows, line) in [(0, 6, 7), (1, 18, 20), (2, 18, 21), (3, 46, 50)] {
        let options = ReadOptions {
            skip_bad,
            ..ReadOptions::default()
        };
        for threads in [1, 2] {
            for size in [1, 16, 50, 200, 1 << 16] {
                let reported = story(vec![bytes("t", text.clone())], &options, threads, size);
                assert_eq!(reported.rows.len(), rows, "{skip_bad}, pieces of {size}");
                let error = reported.error.expect("a bad line too many");
                assert!(error.starts_with(&format!("t:{line}:3: ")), "{error}");
            }
        }
    }
}

#[test]
fn a_scan_knows_hashed_slots() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("f");
    for text in ["1 3:1 90000:2\n-1 7:1\n", "1 |w red blue\n-1 |w green\n"] {
        fs::write(&path, text).unwrap();
        let names = Names::hashed(5);
        let options = ReadOptions::default();
        let input = vec![Input::Path(path.clone())];
        let mut reader = Reader::with_names(input, options.clone(), 1, names.clone()).unwrap();
        let width = reader.next_block().unwrap().unwrap().width();
        let scanned = novikoff_data::scan::scan(&[&path], &options, &names, 1).unwrap();
        assert_eq!(scanned.width, width, "{text}");
        assert_eq!(scanned.labels.len(), 2);
    }
}

#[test]
fn what_is_not_read_is_named() {
    for (head, reported) in [
        (
            &b"\xfd7zXZ\0\x01\n"[..],
            "f: is compressed by xz, which is not read; decompress it first",
        ),
        (
            b"BZh91AY&SY\n",
            "f: is compressed by bzip2, which is not read; decompress it first",
        ),
        (
            b"\x04\x22\x4d\x18\n",
            "f: is compressed by lz4, which is not read; decompress it first",
        ),
        (
            b"PK\x03\x04\n",
            "f: is a zip archive, which is not read; unpack it first",
        ),
        (
            b"7z\xbc\xaf\x27\x1c\n",
            "f: is a 7z archive, which is not read; unpack it first",
        ),
        (
            b"[{\"label\": 1}]\n",
            "f: looks like a JSON array, and of JSON only lines are read; write one object per line, or use \
             format to say what it is",
        ),
    ] {
        let reported_now = story(
            vec![bytes("f", head.to_vec())],
            &ReadOptions::default(),
            2,
            1000,
        );
        assert_eq!(reported_now.error.as_deref(), Some(reported));
    }
}
