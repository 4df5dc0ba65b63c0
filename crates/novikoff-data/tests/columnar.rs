//! Parquet and Arrow, as others write them and as we read them.
#![allow(clippy::unwrap_used)]

use crate::columnar_common;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::slice::from_ref;
use std::sync::Arc;

use arrow_array::types::{Float64Type, Int8Type};
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int32Array,
    Int64Array, ListArray, NullArray, RecordBatch, StringArray,
};
use columnar_common::{bytes, data, error, file, parquet, rows, story, story_with, stream};
use novikoff::names::Names;
use novikoff::random::SplitMix64;
use novikoff::source::Source as _;
use novikoff::table::{Column, ColumnKind, Table};
use novikoff_data::blocks::{Input, Missing, ReadOptions, Reader};

fn path(name: &str) -> Input {
    Input::Path(data(name))
}

fn zero() -> ReadOptions {
    ReadOptions {
        missing: Some(Missing::Zero),
        ..ReadOptions::default()
    }
}

const FEW: [&str; 4] = [
    "yes | x:0.5 colour=red:1",
    "no | x:0.25 colour=green:1",
    "no | colour=red:1",
    " | x:-1 colour=blue:1",
];

#[test]
fn every_compression_gives_the_same_rows() {
    let expected: Vec<String> = (0..12)
        .map(|i| format!("{} {}", i + 1, FEW[i % 4]))
        .collect();
    for name in [
        "none.parquet",
        "snappy.parquet",
        "gzip.parquet",
        "zstd.parquet",
        "lz4.parquet",
        "lz4.arrow",
        "zstd.arrow",
    ] {
        assert_eq!(
            rows(path(name), &ReadOptions::default()),
            expected,
            "{name}"
        );
    }
    let reported = error(path("brotli.parquet"), &ReadOptions::default());
    let reported = reported.split_once("parquet: ").unwrap().1;
    assert_eq!(
        reported,
        "column \"label\" is compressed by Brotli, which is not read; write it with snappy, zstd, \
         gzip, lz4 or none"
    );
}

#[test]
fn memory_pipes_and_compressed_copies_are_read_like_files() {
    for name in ["numbers.parquet", "lz4.arrow", "nested.arrows"] {
        let read = rows(path(name), &ReadOptions::default());
        let plain = fs::read(data(name)).unwrap();
        assert_eq!(
            rows(bytes(name, plain.clone()), &ReadOptions::default()),
            read
        );
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&plain).unwrap();
        let gzip = gzip.finish().unwrap();
        assert_eq!(rows(bytes(name, gzip), &ReadOptions::default()), read);
        let zstd = zstd::encode_all(&plain[..], 1).unwrap();
        assert_eq!(rows(bytes(name, zstd), &ReadOptions::default()), read);
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_like_a_file() {
    for name in ["numbers.parquet", "nested.arrows"] {
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let (to, plain) = (pipe.clone(), fs::read(data(name)).unwrap());
        let writer = std::thread::spawn(move || fs::write(to, plain));
        let story = story_with(Input::Path(pipe), &ReadOptions::default(), 2, Names::new());
        assert_eq!(story.rows, rows(path(name), &ReadOptions::default()));
        writer.join().unwrap().unwrap();
    }
}

#[test]
fn every_kind_of_number() {
    assert_eq!(
        rows(path("numbers.parquet"), &ReadOptions::default()),
        [
            "1 1 | u8:255 u16:65535 u32:4294967300 u64:18446744000000000000 i8:-128 i16:-32768 \
             i32:-2147483600 i64:-9223372000000000000 f16:0.5 f32:0.1 f64:0.1 bool:1 d9:12.34 \
             d38:16777216 d76:1000000000000000000000000000000",
            "2 -1 |",
            "3  | u8:7 u16:7 u32:7 u64:7 i8:7 i16:7 i32:7 i64:7 f16:-7 f32:-7 f64:-7 bool:1 \
             d9:-7.5 d38:-7.5 d76:-7.5",
        ]
    );
    let options = ReadOptions {
        categorical: vec!["i8".to_owned(), "bool".to_owned()],
        ..ReadOptions::default()
    };
    let read = rows(path("numbers.parquet"), &options);
    assert!(read[0].ends_with("i8=-128:1 bool=true:1"), "{}", read[0]);
    assert_eq!(read[1], "2 -1 | i8=0:1 bool=false:1");
}

#[test]
fn strings_in_every_encoding() {
    let words = ["a", "", "abc", "abcd", "\u{e9}t\u{e9}", "abcd"];
    let row = |(i, word)| {
        let columns = ["plain", "length", "prefix", "large", "view"];
        let values = columns.map(|column| format!(" {column}={word}:1"));
        format!("{} {word} |{}", i + 1, values.concat())
    };
    let expected: Vec<String> = words.into_iter().enumerate().map(row).collect();
    for name in ["strings-v1.parquet", "strings-v2.parquet"] {
        assert_eq!(
            rows(path(name), &ReadOptions::default()),
            expected,
            "{name}"
        );
    }
}

#[test]
fn lists_and_structs() {
    for name in ["nested.parquet", "nested.arrows"] {
        assert_eq!(
            rows(path(name), &ReadOptions::default()),
            [
                "1 a,b | struct.n:1 struct.in.b:1 list[0]:1.5 list[2]:2 large[0]:1 fixed[0]:1 \
                 fixed[1]:2 struct.s=u:1 struct.l[0]:0.5",
                "2  | struct.n:2 large[0]:2 fixed[0]:3 large[1]:3 struct.s=v:1",
                "3 c | struct.n:3 struct.in.b:1 list[0]:4 fixed[0]:5 fixed[1]:6 struct.s=u:1 \
                 struct.l[0]:0.25 struct.l[1]:8",
            ]
        );
    }
}

#[test]
fn sparse_rows() {
    let zero_based = ReadOptions {
        zero_based: true,
        ..ReadOptions::default()
    };
    let read = rows(path("sparse.parquet"), &ReadOptions::default());
    assert_eq!(read, ["1 1 | 1:0.5 5000:-2", "2 0 |", "3 1 | 3:2 9:1"]);
    let read = rows(path("sparse.parquet"), &zero_based);
    assert_eq!(read, ["1 1 | 2:0.5 5001:-2", "2 0 |", "3 1 | 4:2 10:1"]);
    let read = rows(path("spark.parquet"), &zero_based);
    assert_eq!(read, ["1 1 | 1:0.5 6:-2", "2 0 | 1:1 3:3"]);
    let reported = error(path("spark.parquet"), &ReadOptions::default());
    assert!(
        reported.ends_with(
            "spark.parquet:1:2: column \"features\": index 0, but features are counted from 1; use \
             zero_based if these are counted from 0"
        ),
        "{reported}"
    );
    // where names are known, numbers are names
    let mut names = Names::new();
    let limits = novikoff::names::NameLimits {
        slots: 100,
        bytes: 1 << 20,
    };
    names.assign("red", limits).unwrap();
    let story = story_with(path("sparse.parquet"), &ReadOptions::default(), 2, names);
    assert_eq!(story.rows[2], "3 1 | 3:2 9:1");
    assert_eq!(story.rows[0], "1 1 | 1:0.5 5000:-2"); // slots 2 and 5000
}

#[test]
fn nulls() {
    assert_eq!(
        rows(path("nulls.parquet"), &zero()),
        [
            "1 a | number:1 struct.n:1 text=x:1 list[0]:1",
            "2  | text=y:1 key=k:1",
            "3 b | number:3 list[0]:2 key=k:1",
        ]
    );
    let reported = story(
        path("nulls.parquet"),
        &ReadOptions {
            skip_bad: 2,
            ..ReadOptions::default()
        },
    );
    let at = |reported: &str| reported.split_once("nulls.parquet:").unwrap().1.to_owned();
    let say = "the value is missing";
    assert_eq!(reported.rows.len(), 0);
    assert_eq!(
        at(&reported.skipped[0]),
        format!("1:4: column \"key\": {say}")
    );
    assert_eq!(
        at(&reported.skipped[1]),
        format!("2:2: column \"number\": {say}")
    );
    assert_eq!(
        at(&reported.error.unwrap()),
        format!(
            "3:6: column \"struct.n\": {say} (bad lines passed over before it: 2); fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0",
        )
    );
}

#[test]
fn dictionaries_that_grow_or_are_replaced() {
    for name in ["delta.arrows", "replaced.arrows"] {
        let colours = ["red", "green", "red", "red", "green", "blue", "red"];
        let row = |(i, colour)| format!("{} 1 | colour={colour}:1", i + 1);
        let expected: Vec<String> = colours.into_iter().enumerate().map(row).collect();
        assert_eq!(
            rows(path(name), &ReadOptions::default()),
            expected,
            "{name}"
        );
    }
}

fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

fn whole(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

#[test]
fn the_label_is_found() {
    let with = |names: [&str; 3]| {
        let columns = [whole(&[1]), whole(&[2]), whole(&[3])];
        bytes(
            "t",
            stream(&[table(names.into_iter().zip(columns).collect())]),
        )
    };
    let asked = |label: &str| ReadOptions {
        label: Some(label.to_owned()),
        ..ReadOptions::default()
    };
    assert_eq!(
        rows(with(["a", "Class", "b"]), &ReadOptions::default()),
        ["1 2 | a:1 b:3"]
    );
    assert_eq!(rows(with(["y", "a", "b"]), &asked("b")), ["1 3 | y:1 a:2"]);
    assert_eq!(rows(with(["a", "b", "c"]), &asked("2")), ["1 2 | a:1 c:3"]);
    assert_eq!(rows(with(["3", "b", "c"]), &asked("3")), ["1 1 | b:2 c:3"]);
    assert_eq!(
        rows(with(["Y", "label", "b"]), &ReadOptions::default()),
        ["1 2 | Y:1 b:3"]
    );
    assert_eq!(
        error(with(["target", "Y", "b"]), &ReadOptions::default()),
        "t: which column is the label? use label=COLUMN, one of \"target\", \"Y\", \"b\""
    );
    for wrong in ["d", "0", "4"] {
        assert_eq!(
            error(with(["a", "b", "c"]), &asked(wrong)),
            format!(
                "t: there is no column \"{wrong}\" to be the label; the columns are \"a\", \
                 \"b\", \"c\"; use label=COLUMN with a name, or with a number counted from 1"
            )
        );
    }
    let many: Vec<String> = (0..12).map(|k| format!("c{k}")).collect();
    let many = many
        .iter()
        .map(|name| (name.as_str(), whole(&[1])))
        .collect();
    assert_eq!(
        error(bytes("t", stream(&[table(many)])), &ReadOptions::default()),
        "t: which column is the label? use label=COLUMN, one of \"c0\", \"c1\", \
         \"c2\", \"c3\", \"c4\", \"c5\", \"c6\", \"c7\", \"c8\", 2 more and \"c11\""
    );
    // to predict, a label is not needed; what a model takes for a feature is none
    let predict = |label: Option<&str>| ReadOptions {
        unlabelled: true,
        label: label.map(str::to_owned),
        ..ReadOptions::default()
    };
    assert_eq!(
        rows(with(["a", "b", "c"]), &predict(None)),
        ["1  | a:1 b:2 c:3"]
    );
    assert_eq!(
        rows(with(["a", "b", "c"]), &predict(Some("d"))),
        ["1  | a:1 b:2 c:3"]
    );
    let trained = ReadOptions {
        table: Some(Table {
            label: Some("won".to_owned()),
            columns: vec![
                Column::new("y".to_owned(), ColumnKind::Number),
                Column::new("k".to_owned(), ColumnKind::Category),
            ],
            ..Table::default()
        }),
        ..ReadOptions::default()
    };
    assert_eq!(rows(with(["y", "k", "won"]), &trained), ["1 3 | y:1 k=2:1"]);
    assert_eq!(
        rows(with(["y", "k", "z"]), &trained),
        ["1  | y:1 z:3 k=2:1"]
    );
}

#[test]
fn labels_of_every_kind() {
    let reported = |label: ArrayRef| {
        let reported = story(bytes("t", stream(&[table(vec![("y", label)])])), &zero());
        assert_eq!(reported.error, None);
        let labels = reported
            .rows
            .iter()
            .map(|row| row.split(' ').nth(1).unwrap().to_owned());
        labels.collect::<Vec<String>>()
    };
    let none = Float64Array::from(vec![f64::NAN, 1.0]);
    assert_eq!(reported(Arc::new(none)), ["", "1"]);
    assert_eq!(reported(Arc::new(NullArray::new(2))), ["", ""]);
    let floats = vec![Some(1.0), Some(-0.0), None, Some(0.1), Some(-2.5e20)];
    let expected = ["1", "0", "", "0.1", "-250000000000000000000"];
    assert_eq!(
        reported(Arc::new(Float64Array::from(floats.clone()))),
        expected
    );
    let single = floats
        .into_iter()
        .map(|v| v.map(|v| v as f32))
        .collect::<Vec<_>>();
    assert_eq!(reported(Arc::new(Float32Array::from(single)))[3], "0.1");
    assert_eq!(
        reported(whole(&[12, -3, i64::MAX])),
        ["12", "-3", "9223372036854775807"]
    );
    assert_eq!(
        reported(Arc::new(BooleanArray::from(vec![true, false]))),
        ["1", "0"]
    );
    assert_eq!(
        reported(Arc::new(StringArray::from(vec!["+1", "x"]))),
        ["+1", "x"]
    );
    let keyed: DictionaryArray<Int8Type> = vec![Some("b"), None, Some("b")].into_iter().collect();
    assert_eq!(reported(Arc::new(keyed)), ["b", "", "b"]);
    let bad = table(vec![(
        "y",
        Arc::new(Float64Array::from(vec![1.0, f64::INFINITY])),
    )]);
    assert_eq!(
        error(bytes("t", stream(&[bad])), &ReadOptions::default()),
        "t:2:1: column \"y\": the label inf is not a finite number; remove or replace it"
    );
}

#[test]
fn nan_and_columns_of_nothing_are_missing_values() {
    let table = table(vec![
        ("label", Arc::new(Int8Array::from(vec![1, 2, 3]))),
        ("x", Arc::new(Float64Array::from(vec![1.0, f64::NAN, 3.0]))),
        ("none", Arc::new(NullArray::new(3))),
        ("k", Arc::new(NullArray::new(3))),
    ]);
    let missing = "the value is missing; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0";
    for written in [
        stream(from_ref(&table)),
        file(from_ref(&table)),
        parquet(&[table]),
    ] {
        let mut options = zero();
        options.categorical = vec!["k".to_owned()];
        let reported = story(bytes("t", written.clone()), &options);
        assert_eq!(reported.error, None);
        assert_eq!(reported.rows, ["1 1 | x:1", "2 2 |", "3 3 | x:3"]);
        let refused = error(bytes("t", written), &ReadOptions::default());
        assert_eq!(refused, format!("t:1:3: column \"none\": {missing}"));
    }
    let lists = vec![Some(vec![Some(1.0), Some(f64::NAN)])];
    let lists = ListArray::from_iter_primitive::<Float64Type, _, _>(lists);
    let written = stream(&[self::table(vec![
        ("label", Arc::new(Int8Array::from(vec![1]))),
        ("e", Arc::new(lists)),
    ])]);
    assert_eq!(rows(bytes("t", written), &zero()), ["1 1 | e[0]:1"]);
}

#[test]
fn a_model_that_does_not_know_a_column() {
    let mut names = Names::new();
    let limits = novikoff::names::NameLimits {
        slots: 100,
        bytes: 1 << 20,
    };
    for name in ["b", "k=u"] {
        names.assign(name, limits).unwrap();
    }
    names.freeze();
    let batch = table(vec![
        ("y", whole(&[1, 0])),
        ("a", Arc::new(Int32Array::from(vec![Some(5), None]))),
        ("b", whole(&[6, 7])),
        ("k", Arc::new(StringArray::from(vec!["u", "v"]))),
    ]);
    let reported = story_with(
        bytes("t", file(&[batch])),
        &ReadOptions::default(),
        2,
        names,
    );
    assert_eq!(reported.error, None, "what is left out may be missing");
    assert_eq!(reported.rows, ["1 1 | b:6 k=u:1", "2 0 | b:7"]);
    assert_eq!(reported.unknown, 2);
}

/// Columns of every kind, in several batches, and the rows they are.
fn random(batches: usize, rows: usize, g: &mut SplitMix64) -> (Vec<RecordBatch>, Vec<String>) {
    let words: Vec<String> = (0..400).map(|k| format!("w{k}")).collect();
    let dictionary = Arc::new(StringArray::from(words.clone()));
    let (mut tables, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..batches {
        let numbers: Vec<f32> = (0..rows).map(|_| g.below(9) as f32 - 4.0).collect();
        let halves: Vec<Option<f64>> = (0..rows)
            .map(|_| (g.below(4) > 0).then(|| g.below(9) as f64 / 2.0))
            .collect();
        let keys: Vec<i32> = (0..rows).map(|_| g.below(400) as i32).collect();
        let texts: Vec<&str> = (0..rows).map(|_| &*words[g.below(5)]).collect();
        let keyed = DictionaryArray::new(Int32Array::from(keys.clone()), dictionary.clone());
        for i in 0..rows {
            let mut row = format!("{} {} |", expected.len() + 1, texts[i]);
            for (name, value) in [("n", numbers[i]), ("h", halves[i].unwrap_or(0.0) as f32)] {
                if value != 0.0 {
                    write!(row, " {name}:{value}").unwrap();
                }
            }
            expected.push(format!("{row} k=w{}:1", keys[i]));
        }
        tables.push(table(vec![
            ("k", Arc::new(keyed)),
            ("label", Arc::new(StringArray::from(texts))),
            ("n", Arc::new(Float32Array::from(numbers))),
            ("h", Arc::new(Float64Array::from(halves))),
        ]));
    }
    (tables, expected)
}

#[test]
fn many_batches_are_the_same_for_all_threads() {
    let mut g = SplitMix64::new(7);
    for (batches, count) in [(1, 30_000), (40, 700), (3, 9000), (300, 1)] {
        let (tables, expected) = random(batches, count, &mut g);
        // the distinct values of few rows look like ids
        let options = ReadOptions {
            categorical: vec!["k".to_owned()],
            ..zero()
        };
        for written in [parquet(&tables), file(&tables), stream(&tables)] {
            assert_eq!(rows(bytes("t", written), &options), expected);
        }
    }
}

#[test]
fn hashed_slots_are_the_same_for_all_threads() {
    let (tables, _) = random(20, 900, &mut SplitMix64::new(8));
    let written = parquet(&tables);
    let read = |threads| {
        story_with(
            bytes("t", written.clone()),
            &zero(),
            threads,
            Names::hashed(4),
        )
    };
    let one = read(1);
    assert_eq!((one.rows.len(), one.error.as_ref()), (18_000, None));
    for threads in 2..=4 {
        assert_eq!(read(threads), one);
    }
}

#[test]
fn a_reader_can_be_dropped_at_any_time() {
    let (tables, _) = random(30, 900, &mut SplitMix64::new(9));
    let written = parquet(&tables);
    for blocks in 0..8 {
        let input = bytes("t", written.clone());
        let mut reader = Reader::open(vec![input], zero(), 3).unwrap();
        for _ in 0..blocks {
            reader.next_block().unwrap();
        }
    }
}

#[test]
fn bytes_are_counted_once() {
    for name in ["numbers.parquet", "lz4.arrow", "nested.arrows"] {
        let mut reader = Reader::open(vec![path(name)], ReadOptions::default(), 2).unwrap();
        while reader.next_block().unwrap().is_some() {}
        let (read, total) = (reader.bytes_read(), reader.total_bytes().unwrap());
        assert!(read > 0 && read <= total, "{name}: {read} of {total}");
    }
}

#[test]
fn the_table_is_told() {
    let mut reader = Reader::open(vec![path("nested.parquet")], ReadOptions::default(), 1).unwrap();
    while reader.next_block().unwrap().is_some() {}
    let table = reader.table().unwrap();
    let columns = table.columns.iter().map(|column| {
        let kind = if column.kind == ColumnKind::Category {
            "="
        } else {
            ""
        };
        format!("{}{kind}", column.name)
    });
    let columns: Vec<String> = columns.collect();
    assert_eq!(table.label.as_deref(), Some("class"));
    let expected = [
        "list",
        "large",
        "fixed",
        "struct.n",
        "struct.s=",
        "struct.l",
        "struct.in.b",
    ];
    assert_eq!(columns, expected);
}

#[test]
fn a_column_goes_with_its_rows() {
    let strings: ArrayRef = Arc::new(StringArray::from(vec![Some("a\tb"), None, Some("c")]));
    let keyed: DictionaryArray<Int8Type> =
        vec![Some("u"), Some("v"), Some("u")].into_iter().collect();
    let keyed: ArrayRef = Arc::new(keyed);
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX, -1, 0]));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.5, f64::NAN, 1e-7]));
    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
    let x: ArrayRef = Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0]));
    let batch = RecordBatch::try_from_iter([
        ("s", strings),
        ("k", keyed),
        ("w", whole),
        ("f", floats),
        ("b", flags),
        ("x", x),
    ])
    .unwrap();
    let ids = |name: &str, bytes_of: &dyn Fn(&[RecordBatch]) -> Vec<u8>| -> Vec<String> {
        let options = ReadOptions {
            id: Some(name.to_owned()),
            unlabelled: true,
            only: vec!["x".to_owned()],
            ..zero()
        };
        let input = bytes("table", bytes_of(from_ref(&batch)));
        let mut reader = Reader::open(vec![input], options, 2).unwrap();
        let block = reader.next_block().unwrap().unwrap();
        let id = |row| String::from_utf8(block.id(row).unwrap().to_vec()).unwrap();
        (0..block.len()).map(id).collect()
    };
    let most = i64::MAX.to_string();
    for (name, expected) in [
        ("s", ["a\tb", "", "c"]),
        ("k", ["u", "v", "u"]),
        ("w", [most.as_str(), "-1", "0"]),
        ("f", ["0.5", "", "0.0000001"]),
        ("b", ["1", "0", "1"]),
        ("x", ["1", "2", "3"]),
        ("6", ["1", "2", "3"]),
    ] {
        assert_eq!(ids(name, &|b| stream(b)), expected, "{name}");
        assert_eq!(ids(name, &|b| file(b)), expected, "{name}");
        assert_eq!(ids(name, &|b| parquet(b)), expected, "{name}");
    }
    let asked = |name: &str| ReadOptions {
        id: Some(name.to_owned()),
        unlabelled: true,
        ..zero()
    };
    let said = error(bytes("table", stream(from_ref(&batch))), &asked("z"));
    assert!(
        said.contains("no column") && said.contains("the id"),
        "{said}"
    );
}
