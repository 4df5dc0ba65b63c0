//! What VW text means, what is said about text that is none, and that what is written reads back.
#![allow(clippy::unwrap_used)]

mod messages;
mod streams;
mod written;

use std::borrow::Cow;
use std::fmt::Write as _;

use novikoff::label::RawLabel;
use novikoff::names::{NameLimits, Names};
use novikoff::remedy::{Library, said};
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Format, Input, ReadOptions, Reader, Skipped};
use proptest::prelude::ProptestConfig;

const LIMITS: NameLimits = NameLimits {
    slots: 1000,
    bytes: 1 << 20,
};

fn options() -> ReadOptions {
    ReadOptions {
        format: Some(Format::Vw),
        ..ReadOptions::default()
    }
}

fn input(text: &[u8]) -> Vec<Input> {
    vec![Input::Bytes {
        name: "data.vw".to_owned(),
        text: Cow::Owned(text.to_vec()),
    }]
}

/// Everything there is to know about a stream.
#[derive(Debug, PartialEq)]
struct Reported {
    /// Rows as plain text: line, labels, weight, slots and values.
    rows: String,
    names: Vec<(u32, String)>,
    error: Option<String>,
    skipped: Skipped,
    unknown: u64,
    collisions: u64,
}

fn tell(mut reader: Reader) -> Reported {
    let mut rows = String::new();
    let error = loop {
        let block = match reader.next_block() {
            Ok(None) => break None,
            Err(error) => break Some(said(&error, error.remedy().as_ref(), &Library)),
            Ok(Some(block)) => {
                let mut rows = Rows::new();
                rows.append(block, 0);
                rows
            }
        };
        for i in 0..block.len() {
            let label = |label: RawLabel| {
                let text = String::from_utf8_lossy(label.text()).into_owned();
                format!("{text}={}", label.number().unwrap_or(f64::NAN))
            };
            let labels: Vec<_> = block.labels(i).map(label).collect();
            write!(rows, "{} [{}]", reader.place(i).line, labels.join(" ")).unwrap();
            if block.weight(i) != 1.0 {
                write!(rows, " x{}", block.weight(i)).unwrap();
            }
            for (slot, value) in block.row(i).iter() {
                write!(rows, " {slot}:{value}").unwrap();
            }
            rows.push('\n');
        }
    };
    let names = reader.names();
    Reported {
        rows,
        names: names.iter().map(|(s, n)| (s, n.to_owned())).collect(),
        error,
        skipped: reader.skipped().clone(),
        unknown: reader.unknown(),
        collisions: names.collisions(),
    }
}

fn read(text: &[u8], options: ReadOptions) -> Reported {
    tell(Reader::open(input(text), options, 1).unwrap())
}

/// Rows with the names of their features.
fn named(reported: &Reported) -> String {
    let mut text = String::new();
    for row in reported.rows.lines() {
        let words = row.split(' ').map(|word| {
            let (slot, value) = word.split_once(':')?;
            let (_, name) = reported.names.iter().find(|(s, _)| s.to_string() == slot)?;
            Some(format!("{name}:{value}"))
        });
        let words: Vec<_> = words
            .zip(row.split(' '))
            .map(|(named, word)| named.unwrap_or(word.to_owned()))
            .collect();
        text += &words.join(" ");
        text.push('\n');
    }
    text
}

/// Reads all rows, and the names.
fn rows_of(text: &[u8], names: Names) -> (Rows, Names) {
    let mut reader = Reader::with_names(input(text), options(), 1, names).unwrap();
    let mut rows = Rows::new();
    while let Some(block) = reader.next_block().unwrap() {
        rows.append(block, 0);
    }
    let names = reader.names().clone();
    (rows, names)
}

fn cases(few: u32) -> ProptestConfig {
    let cases = std::env::var("NOVIKOFF_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig::with_cases(cases.unwrap_or(few))
}

#[test]
fn what_lines_mean() {
    let cases: &[(&str, &str)] = &[
        ("", ""),
        ("\n \n\t\n\r\n  \r\n", ""),
        ("1 |f a", "1 [1=1] f^a:1\n"),
        ("1 |f a\n", "1 [1=1] f^a:1\n"),
        (
            "1 |f a\r\n-1 |f a:2\r\n",
            "1 [1=1] f^a:1\n2 [-1=-1] f^a:2\n",
        ),
        ("1 |f a:2\r", "1 [1=1] f^a:2\n"),
        ("1 | a b:2", "1 [1=1] a:1 b:2\n"),
        (
            "1 | a:.5 b:-1e-2 c:+3. d:00.25",
            "1 [1=1] a:0.5 b:-0.009999999776482582 c:3 d:0.25\n",
        ),
        ("\n\n+1.50 |f a\n\n", "3 [+1.50=1.5] f^a:1\n"),
        (" \t1\t2.5\t|f\ta\t\tb:3 ", "1 [1=1] x2.5 f^a:1 f^b:3\n"),
        // tags
        ("1 2 'tag |f a", "1 [1=1] x2 f^a:1\n"),
        ("1 2 tag|f a", "1 [1=1] x2 f^a:1\n"),
        ("1 2'tag|f a", "1 [1=1] f^a:1\n"),
        ("1 'tag |f a", "1 [1=1] f^a:1\n"),
        ("1 '|f a", "1 [1=1] f^a:1\n"),
        ("1 caf\u{e9}\x01|f a", "1 [1=1] f^a:1\n"),
        ("1|f a", "1 [] f^a:1\n"),
        ("'tag |f a", "1 [] f^a:1\n"),
        // labels and importances
        ("|f a", "1 [] f^a:1\n"),
        ("? |f a", "1 [] f^a:1\n"),
        ("? 3 |f a", "1 [] x3 f^a:1\n"),
        ("1,2.5,-3 |f a", "1 [1=1 2.5=2.5 -3=-3] f^a:1\n"),
        ("1 0 |f a", "1 [1=1] x0 f^a:1\n"),
        ("1 -0 |f a", "1 [1=1] x0 f^a:1\n"),
        (
            "1 1.0 |f a\n1 .5 |f a",
            "1 [1=1] f^a:1\n2 [1=1] x0.5 f^a:1\n",
        ),
        // namespaces
        ("1 |", "1 [1=1]\n"),
        ("|", "1 []\n"),
        ("1 |f", "1 [1=1]\n"),
        ("1 ||f|g||h a|", "1 [1=1] h^a:1\n"),
        ("1 |f a|g b:2|h c", "1 [1=1] f^a:1 g^b:2 h^c:1\n"),
        ("1 |f a | b |f c", "1 [1=1] f^a:1 b:1 f^c:1\n"),
        (
            "1 |f:2 a b:3 |f a |g:-.5 c",
            "1 [1=1] f^a:3 f^b:6 g^c:-0.5\n",
        ),
        ("1 |f:2|g c", "1 [1=1] g^c:1\n"),
        (
            "1 |\u{e9}t\u{e9}:2 \u{e0}:3 \u{df}",
            "1 [1=1] \u{e9}t\u{e9}^\u{e0}:6 \u{e9}t\u{e9}^\u{df}:2\n",
        ),
        ("1 |a^b c", "1 [1=1] a^b^c:1\n"),
        // numbers
        ("1 | 7:2 3:4 10", "1 [1=1] 3:4 7:2 10:1\n"),
        ("1 | 7 red 8", "1 [1=1] 7:1 red:1 8:1\n"),
        ("1 | 0:2 007:3", "1 [1=1] 0:2 007:3\n"),
        // what comes twice, and what is nothing
        ("1 |f a a:2.5 b a", "1 [1=1] f^a:4.5 f^b:1\n"),
        ("1 |f a:0 b:2", "1 [1=1] f^b:2\n"),
        ("1 |f a:1 b:2 a:-1", "1 [1=1] f^b:2\n"),
        ("1 | a:1e-60", "1 [1=1]\n"),
    ];
    for (text, rows) in cases {
        let reported = read(text.as_bytes(), options());
        assert_eq!(reported.error, None, "{text:?}");
        assert_eq!(named(&reported), *rows, "{text:?}");
        // the same behind other lines, and before them
        let longer = format!(
            "{}\n{text}\n{}",
            "\n".repeat(80),
            "1 |x y:1 z:2\n".repeat(20)
        );
        let longer = read(longer.as_bytes(), options());
        let mut same = String::new();
        for row in named(&longer).lines().filter(|row| !row.contains("x^y")) {
            let (line, rest) = row.split_once(' ').unwrap();
            writeln!(same, "{} {rest}", line.parse::<u64>().unwrap() - 81).unwrap();
        }
        assert_eq!(same, *rows, "{text:?} among others");
    }
}

#[test]
fn the_example_of_the_manual() {
    let text = "1 1.0 |MetricFeatures:3.28 height:1.5 length:2.0 |Says black with white stripes \
                |OtherFeatures NumberOfLegs:4.0 HasStripes";
    let reported = read(text.as_bytes(), options());
    assert_eq!(
        named(&reported),
        format!(
            "1 [1=1] MetricFeatures^height:{} MetricFeatures^length:{} Says^black:1 Says^with:1 \
             Says^white:1 Says^stripes:1 OtherFeatures^NumberOfLegs:4 OtherFeatures^HasStripes:1\n",
            f64::from((1.5 * 3.28) as f32),
            f64::from((2.0 * 3.28) as f32),
        )
    );
}

#[test]
fn formats_are_told_apart_without_being_named() {
    let reported = read(b"1 |f a:2\n", ReadOptions::default());
    assert_eq!(named(&reported), "1 [1=1] f^a:2\n");
}

#[test]
fn the_constant_feature_comes_first() {
    let options = ReadOptions {
        bias: Some(0.5),
        ..options()
    };
    assert_eq!(
        read(b"1 |f a:2\n|\n", options).rows,
        "1 [1=1] 0:0.5 1:2\n2 [] 0:0.5\n"
    );
}

#[test]
fn a_model_s_names_leave_out_what_it_does_not_know() {
    let mut names = Names::new();
    for name in [
        "f^a",
        "7",
        "f^a_rather_long_name",
        "f^a_name_longer_than_can_be_packed",
    ] {
        names.assign(name, LIMITS).unwrap();
    }
    names.freeze();
    let text = "1 |f b:2 a:3 a_rather_long_name:4 a_name_longer_than_can_be_packed:5 \
                another_name_longer_than_can_be_packed |g a | 7:5 6:6 9 a\n";
    let reader = Reader::with_names(input(text.as_bytes()), options(), 1, names).unwrap();
    let reported = tell(reader);
    assert_eq!(reported.rows, "1 [1=1] 1:3 6:6 7:5 8:4 9:5\n");
    // f^b, f^another..., g^a, a, and 9: its slot is that of a name
    assert_eq!(reported.unknown, 5);
}

#[test]
fn hashed_names_have_the_slots_of_their_hashes() {
    let text = b"1 |f a:1 b:2 |g a:4 | 7:8 a_name_longer_than_can_be_packed_in_registers:16\n";
    let reader = |bits| {
        let names = Names::hashed(bits);
        tell(Reader::with_names(input(text), options(), 1, names).unwrap())
    };
    let mut names = Names::hashed(20);
    let full = [
        "f^a",
        "f^b",
        "g^a",
        "7",
        "a_name_longer_than_can_be_packed_in_registers",
    ];
    let mut values: Vec<(u32, i32)> = full
        .iter()
        .zip([1, 2, 4, 8, 16])
        .map(|(name, value)| (names.assign(name, LIMITS).unwrap(), value))
        .collect();
    values.sort_unstable();
    let words: Vec<_> = values
        .iter()
        .map(|(slot, value)| format!("{slot}:{value}"))
        .collect();
    assert_eq!(reader(20).rows, format!("1 [1=1] {}\n", words.join(" ")));
    let crowded = reader(0);
    assert_eq!(crowded.rows, "1 [1=1] 1:31\n");
    assert_eq!(crowded.collisions, 4);
}
