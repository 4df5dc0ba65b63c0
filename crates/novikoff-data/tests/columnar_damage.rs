//! Files that are damaged, cut or made up: one clear line, soon, and in little memory.
#![allow(clippy::unwrap_used)]

use crate::columnar_common;

use std::fs;
use std::panic;
use std::thread;
use std::time::{Duration, Instant};

use columnar_common::{Story, bytes, data, story_with};
use novikoff::names::Names;
use novikoff_data::blocks::{Format, Missing, ReadOptions};
use novikoff_data::error::panics_are_caught;

/// Reads what may be anything; the decoder's panics, which become errors, are not shown.
fn read(file: &[u8], format: Format, threads: usize) -> Story {
    let options = ReadOptions {
        missing: Some(Missing::Zero),
        zero_based: true,
        unlabelled: true,
        format: Some(format),
        ..ReadOptions::default()
    };
    let begun = Instant::now();
    let story = story_with(bytes("t", file), &options, threads, Names::new());
    assert!(begun.elapsed() < Duration::from_secs(5), "read at once");
    if let Some(error) = &story.error {
        assert!(error.starts_with("t:"), "{error}");
        assert!(!error.contains('\n') && error.len() < 400, "{error}");
    }
    story
}

fn quiet<T>(run: impl FnOnce() -> T) -> T {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        if !panics_are_caught() {
            hook(about);
        }
    }));
    run()
}

/// The most memory this process has had, in megabytes, where the system reports it.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    kilobytes.unwrap_or(0) / 1024
}

const FILES: [&str; 13] = [
    "snappy.parquet",
    "gzip.parquet",
    "zstd.parquet",
    "lz4.parquet",
    "none.parquet",
    "strings-v2.parquet",
    "nested.parquet",
    "sparse.parquet",
    "spark.parquet",
    "lz4.arrow",
    "zstd.arrow",
    "nested.arrows",
    "delta.arrows",
];

fn format(name: &str) -> Format {
    if name.ends_with("parquet") {
        Format::Parquet
    } else {
        Format::Arrow
    }
}

#[test]
fn any_byte_may_be_wrong() {
    quiet(|| {
        let cases = std::env::var("NOVIKOFF_CASES").ok();
        let all = cases
            .and_then(|cases| cases.parse().ok())
            .unwrap_or(1_usize)
            > 1;
        for name in FILES {
            let whole = fs::read(data(name)).unwrap();
            for at in 0..whole.len() {
                let one = [1 << (at % 8), 255];
                let every = [1, 2, 4, 8, 16, 32, 64, 128, 127, 255];
                let masks = if all { &every[..] } else { &one[..] };
                for mask in masks {
                    let mut file = whole.clone();
                    file[at] ^= mask;
                    read(&file, format(name), 1 + at % 2);
                }
            }
        }
        assert!(peak() < 1000, "{} MB", peak());
    });
}

#[test]
fn any_end_may_be_missing() {
    quiet(|| {
        for name in FILES {
            let whole = fs::read(data(name)).unwrap();
            let rows = read(&whole, format(name), 1).rows;
            for len in 0..whole.len() {
                let story = read(&whole[..len], format(name), 1 + len % 2);
                if name.ends_with("arrows") {
                    // a stream may end after any of its batches
                    assert!(rows.starts_with(&story.rows), "{name} cut at {len}");
                } else {
                    assert_eq!(
                        (story.rows.len(), story.error.is_some()),
                        (0, true),
                        "{name} {len}"
                    );
                }
            }
        }
    });
}

#[test]
fn what_is_said() {
    let reported = |file: &[u8], format| read(file, format, 2).error.unwrap();
    let again = "copy, download or write it again";
    let parquet = fs::read(data("snappy.parquet")).unwrap();
    let arrow = fs::read(data("lz4.arrow")).unwrap();
    let stream = fs::read(data("nested.arrows")).unwrap();
    let cases: [(&[u8], _, &str); 8] = [
        (
            b"PAR1",
            Format::Parquet,
            "the Parquet data is damaged: it is too short",
        ),
        (
            b"ARROW1\0\0",
            Format::Arrow,
            "the Arrow data is damaged: it is too short",
        ),
        (
            b"",
            Format::Arrow,
            "the Arrow data is damaged: it has no schema",
        ),
        (
            &parquet[..500],
            Format::Parquet,
            "the Parquet data is damaged: its end is missing",
        ),
        (
            &arrow[..500],
            Format::Arrow,
            "the Arrow data is damaged: its end is missing",
        ),
        (
            &stream[..500],
            Format::Arrow,
            "the Arrow data is damaged: it ends in the middle of a message",
        ),
        (
            b"PAR1\xff\xff\xff\xff\xff\xff\xff\x7fPAR1",
            Format::Parquet,
            "the Parquet data is damaged: its footer is longer than the file",
        ),
        (
            b"PAR1\x49\xfc\xff\xff\xff\xff\x07\0\0\x08\0\0\0PAR1",
            Format::Parquet,
            "the Parquet data is damaged: its footer makes no sense",
        ),
    ];
    for (file, format, what) in cases {
        assert_eq!(reported(file, format), format!("t: {what}; {again}"));
    }
    let mut encrypted = parquet.clone();
    let len = encrypted.len();
    encrypted[len - 1] = b'E';
    assert_eq!(
        reported(&encrypted, Format::Parquet),
        "t: is encrypted, which is not read; decrypt it"
    );
}

#[test]
fn rows_that_are_missing_are_noticed() {
    // the footer's count of rows of the first row group, 5, becomes 6
    let mut file = fs::read(data("snappy.parquet")).unwrap();
    let count = [0x16, 10, 0x26];
    let at = file.windows(3).rposition(|bytes| bytes == count);
    let Some(at) = at else {
        panic!("the footer has changed");
    };
    file[at + 1] = 12;
    let error = read(&file, Format::Parquet, 2).error.unwrap();
    assert!(
        error.contains("do not have as many rows as its footer says"),
        "{error}"
    );
}

#[test]
fn compressed_copies_that_are_cut() {
    let plain = fs::read(data("snappy.parquet")).unwrap();
    let zstd = zstd::encode_all(&plain[..], 1).unwrap();
    let story = thread::spawn(move || {
        let options = ReadOptions::default();
        story_with(
            bytes("t", &zstd[..zstd.len() - 9]),
            &options,
            1,
            Names::new(),
        )
    });
    assert_eq!(
        story.join().unwrap().error.unwrap(),
        "t: the zstd data ends in the middle, so rows are missing; copy or download it again"
    );
}
