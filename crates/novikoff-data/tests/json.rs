//! JSON lines: what they become, and what is said about bad ones.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::fmt::Write as _;

use novikoff::names::Names;
use novikoff_data::blocks::{Format, Input, Missing, ReadOptions, Reader};

use crate::columnar_common::{Story, bytes, story_with};

fn options() -> ReadOptions {
    ReadOptions {
        format: Some(Format::Json),
        ..ReadOptions::default()
    }
}

fn story(text: &str, options: &ReadOptions) -> Story {
    let one = story_with(bytes("j", text), options, 1, Names::new());
    let two = story_with(bytes("j", text), options, 2, Names::new());
    assert_eq!(one, two, "threads");
    one
}

fn rows(text: &str, options: &ReadOptions) -> Vec<String> {
    let story = story(text, options);
    assert_eq!(story.error, None);
    story.rows
}

#[test]
fn every_value_has_its_features() {
    let text = "\u{feff}{\"label\": \"spam\", \"n\": 1.5, \"b\": true, \"c\": \"red\", \"o\": {\"p\": {\"q\": -2}}, \"l\": [1, 0, 3]}\r\n\
                \n\
                {\"n\":0,\"c\":\"a=b\",\"label\":-1,\"7\":4}\n\
                {\"label\":[true,\"x\"],\"b\":false}\n\
                {\"label\":null}";
    assert_eq!(
        rows(text, &options()),
        [
            "1 spam | n:1.5 b:1 o.p.q:-2 c=red:1 l[0]:1 l[2]:3",
            "3 -1 | 7:4 c=a=b:1",
            "4 1,x |",
            "5  |",
        ]
    );
}

#[test]
fn a_label_is_found_or_asked_for() {
    let named = |label: &str| ReadOptions {
        label: Some(label.to_owned()),
        ..options()
    };
    let text = "{\"a\":{\"kind\":2},\"y\":1,\"x\":3}\n";
    assert_eq!(rows(text, &options()), ["1 1 | a.kind:2 x:3"]);
    assert_eq!(rows(text, &named("a.kind")), ["1 2 | y:1 x:3"]);
    let missing = story(text, &named("a.kin")).error.unwrap();
    assert_eq!(
        missing,
        "j: no field is called \"a.kin\", which was to be the label; did you mean \"a.kind\"? the fields are \"a.kind\", \"y\", \"x\"; use label=FIELD"
    );
    let unclear = story("{\"a\":1,\"b\":2}\n", &options()).error.unwrap();
    assert!(unclear.contains("which column is the label?"), "{unclear}");
}

#[test]
fn null_is_missing_and_no_field_is_zero() {
    let text = "{\"y\":1,\"a\":null,\"c\":\"u\"}\n{\"y\":2,\"a\":5,\"c\":null}\n{\"y\":1}\n";
    let said = story(text, &options()).error.unwrap();
    assert_eq!(
        said,
        "j:1:12: field \"a\": null is a missing value; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0"
    );
    let zero = ReadOptions {
        missing: Some(Missing::Zero),
        ..options()
    };
    assert_eq!(rows(text, &zero), ["1 1 | c=u:1", "2 2 | a:5", "3 1 |"]);
}

#[test]
fn bad_lines_are_told_with_their_place() {
    let first = "{\"y\":1,\"n\":1,\"c\":\"u\",\"t\":\"some words\",\"l\":[1,2]}\n";
    let text_field = ReadOptions {
        text: vec!["t".to_owned()],
        ..options()
    };
    for (line, said) in [
        (
            "{\"y\":1,\"n\":NaN}",
            "j:2:12: a value such as 0.5, \"text\", true or null must stand here, found \"NaN\"",
        ),
        (
            "{\"y\":1,\"n\":\"2\"}",
            "j:2:12: field \"n\": a number in quotes, but the field holds numbers; write it without quotes",
        ),
        (
            "{\"y\":1,\"n\":\"two\"}",
            "j:2:12: field \"n\": a string, but the field holds numbers; replace it, or use categorical=\"n\" if the field holds categories",
        ),
        (
            "{\"y\":1,\"n\":1e39}",
            "j:2:12: field \"n\": 1e39 is beyond the range",
        ),
        (
            "{\"y\":1,\"y\":2}",
            "j:2:8: the field \"y\" comes twice in this line",
        ),
        (
            "{\"a\":{\"b\":1},\"a.b\":2,\"y\":1}",
            "j:2:14: the field \"a.b\" comes twice",
        ),
        (
            "{\"y\":1,\"t\":3}",
            "j:2:12: field \"t\": a number, but the field holds text; replace it",
        ),
        (
            "{\"y\":1,\"l\":[1,\"a\"]}",
            "j:2:15: field \"l\": a string in an array",
        ),
        ("{\"y\":\"\"}", "j:2:6: label \"\" is empty"),
        (
            "{\"y\":1e999}",
            "j:2:6: label \"1e999\" is not a finite number",
        ),
        (
            "{\"y\":1",
            "j:2:7: the line ends in the middle of its object",
        ),
        (
            "1 1:2",
            "j:2:1: an object, { ... }, must stand here, found \"1\"",
        ),
    ] {
        let text = format!("{first}{line}\n{{\"y\":1}}\n");
        let result = story(&text, &text_field).error.unwrap();
        assert!(
            result.replace("\"1e39\"", "1e39").starts_with(said),
            "{result}\n{said}"
        );
        let lenient = ReadOptions {
            skip_bad: 1,
            ..text_field.clone()
        };
        let passed = story(&text, &lenient);
        assert_eq!(
            (passed.error, passed.skipped.len(), passed.rows.len()),
            (None, 1, 2),
            "{line}"
        );
    }
    let mut bad = first.as_bytes().to_vec();
    bad.extend_from_slice(b"{\"y\":1,\"c\":\"\xff\"}");
    let result = story_with(bytes("j", bad), &text_field, 1, Names::new());
    assert_eq!(
        result.error.unwrap(),
        "j:2:13: byte 0xff is not UTF-8; save it as UTF-8 text"
    );
}

#[test]
fn a_line_past_the_limit_is_an_error() {
    let short = ReadOptions {
        max_line: 30,
        ..options()
    };
    let text = format!(
        "{{\"y\":1,\"n\":1}}\n{{\"y\":1,\"n\":{}}}\n",
        "1".repeat(40)
    );
    let result = story(&text, &short).error.unwrap();
    assert!(
        result.starts_with("j:2:31: this line is longer than 30 bytes"),
        "{result}"
    );
}

#[test]
fn text_that_names_no_field_is_refused() {
    let wrong = ReadOptions {
        text: vec!["bodi".to_owned()],
        ..options()
    };
    let result = story("{\"y\":1,\"body\":\"a b\"}\n", &wrong).error.unwrap();
    assert_eq!(
        result,
        "j: no column is called \"bodi\", which was to hold text; did you mean \"body\"? the columns are \"y\", \"body\""
    );
}

#[test]
fn strings_in_arrays_are_words_as_they_are() {
    let text = "{\"y\":1,\"tags\":[\"Free Money\",\"x\",\"x\"]}\n{\"y\":-1,\"tags\":[\"x\"],\"late\":\"u\"}\n{\"y\":1,\"tags\":[]}\n";
    let result = rows(text, &options());
    let word = |of: &str| format!("tags^{of}:");
    assert!(
        result[0].contains(&word("Free Money")) && result[0].contains(&word("x")),
        "{result:?}"
    );
    assert_eq!(result[1], "2 -1 | tags^x:1 late=u:1", "a part of length 1");
    assert_eq!(result[2], "3 1 |");
}

#[test]
fn pieces_of_any_size_tell_the_same() {
    let mut text = String::new();
    for k in 0..200 {
        let (word, tag) = (k % 7, k % 3);
        writeln!(
            text,
            "{{\"y\":{},\"t\":\"w{word} both w{}\",\"tags\":[\"t{tag}\"],\"n{}\":{k}}}",
            k % 2,
            k % 11,
            k % 5
        )
        .unwrap();
    }
    let options = ReadOptions {
        text: vec!["t".to_owned()],
        ..options()
    };
    let read = |size: usize, threads: usize| {
        let input = Input::Bytes {
            name: "j".to_owned(),
            text: Cow::Owned(text.clone().into_bytes()),
        };
        let mut reader =
            Reader::with_block_size(vec![input], options.clone(), threads, size).unwrap();
        let mut result = String::new();
        while let Some(block) = novikoff::source::Source::next_block(&mut reader).unwrap() {
            for i in 0..block.len() {
                writeln!(result, "{:?}", block.row(i).iter().collect::<Vec<_>>()).unwrap();
            }
        }
        let schema = reader.schema();
        (
            result,
            (*schema.text).clone(),
            schema
                .names
                .iter()
                .map(|(s, n)| (s, n.to_owned()))
                .collect::<Vec<_>>(),
        )
    };
    let whole = read(1 << 20, 1);
    assert_eq!(whole.1.rows("t"), 200);
    assert_eq!(whole.1.rows("tags"), 200);
    for (size, threads) in [(1, 1), (100, 3), (1000, 2)] {
        assert_eq!(read(size, threads), whole, "{size} {threads}");
    }
}

#[test]
fn fields_are_what_the_columns_of_other_tables_are() {
    let mut text = String::new();
    for k in 0..2000 {
        let n = if k == 1 {
            "null".to_owned()
        } else {
            k.to_string()
        };
        let (label, day) = (k % 2, 1 + k % 28);
        writeln!(
            text,
            "{{\"y\":{label},\"id\":\"u{k}\",\"when\":\"2024-03-{day:02}\",\"n\":{n},\"l\":[1,null],\"o\":{{\"a\":1,\"b\":\"x\"}}}}"
        )
        .unwrap();
    }
    let asked = ReadOptions {
        missing: Some(Missing::Indicator),
        drop: vec!["o".to_owned()],
        ..options()
    };
    let found = rows(&text, &asked);
    let first = [
        "1 0 | when.year:2024 when.month=3:1 when.weekday=5:1 l[0]:1",
        "2 1 | when.year:2024 when.month=3:1 l[0]:1 when.weekday=6:1 n=missing:1",
        "3 0 | when.year:2024 n:2 when.month=3:1 l[0]:1 when.weekday=7:1",
    ];
    assert_eq!(found[..3], first);
    let bad = format!("{text}{{\"y\":1,\"when\":\"soon\"}}\n");
    let error = story(&bad, &asked).error.unwrap();
    assert!(
        error.starts_with("j:2001:15: field \"when\": \"soon\" is not a date"),
        "{error}"
    );
}

#[test]
fn what_is_looked_at_does_not_depend_on_the_longest_line_allowed() {
    let mut text = String::new();
    for k in 0..600 {
        writeln!(text, "{{\"y\":{},\"n\":{k}}}", k % 2).unwrap();
    }
    text.push_str("{\"y\":1,\"tags\":[\"x\"]}\n");
    let short = ReadOptions {
        max_line: 100,
        ..options()
    };
    assert_eq!(rows(&text, &short), rows(&text, &options()));
    let last = rows(&text, &short).pop().unwrap();
    assert_eq!(last, "601 1 | tags^x:1");
}
