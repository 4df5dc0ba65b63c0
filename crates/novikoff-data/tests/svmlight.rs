//! What svmlight text means, and what is said about text that is none.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::fmt::Write as _;

use novikoff::remedy::{Library, said};
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};
use novikoff_data::svmlight::parse_block;

/// All rows, and the error that ended them.
fn read(text: &[u8], options: &ReadOptions) -> (Rows, Option<String>) {
    let text = Cow::Owned(text.to_vec());
    let input = Input::Bytes {
        name: "data.svm".to_owned(),
        text,
    };
    let mut reader = Reader::open(vec![input], options.clone(), 1).unwrap();
    let mut rows = Rows::new();
    loop {
        match reader.next_block() {
            Ok(Some(block)) => rows.append(block, 0),
            Ok(None) => return (rows, None),
            Err(error) => {
                assert!(
                    matches!(reader.next_block(), Ok(None)),
                    "an error ends the stream"
                );
                return (rows, Some(said(&error, error.remedy().as_ref(), &Library)));
            }
        }
    }
}

/// Rows as plain text: line, labels, slots and values.
fn show(rows: &Rows) -> String {
    let mut text = String::new();
    for i in 0..rows.len() {
        let labels: Vec<_> = rows
            .labels(i)
            .map(|l| {
                format!(
                    "{}={}",
                    String::from_utf8_lossy(l.text()),
                    l.number().unwrap()
                )
            })
            .collect();
        write!(text, "{} [{}]", rows.line(i), labels.join(" ")).unwrap();
        for (slot, value) in rows.row(i).iter() {
            write!(text, " {slot}:{value}").unwrap();
        }
        text.push('\n');
    }
    text
}

#[test]
fn what_lines_mean() {
    let cases: &[(&str, &str)] = &[
        ("", ""),
        ("\n \n\t\n# a remark\n  # another\n\r\n", ""),
        ("1 1:2", "0 [1=1] 1:2\n"),
        ("1 1:2\n", "0 [1=1] 1:2\n"),
        ("+1 1:2\n-1 2:3\n", "0 [+1=1] 1:2\n1 [-1=-1] 2:3\n"),
        ("1 1:2\r\n-1 2:3\r\n", "0 [1=1] 1:2\n1 [-1=-1] 2:3\n"),
        ("1 1:2\r", "0 [1=1] 1:2\n"),
        ("\n# x\n1 1:2 # 7:7\n\n2#\n", "2 [1=1] 1:2\n4 [2=2]\n"),
        ("1 1:2#3:x nan\n", "0 [1=1] 1:2\n"),
        ("1 1:2 # caf\u{e9} \0 anything\n", "0 [1=1] 1:2\n"),
        ("  1\t \t3:4  5:6\t\n", "0 [1=1] 3:4 5:6\n"),
        ("1\n", "0 [1=1]\n"),
        ("? 1:2\n", "0 [] 1:2\n"),
        ("?\n", "0 []\n"),
        ("1:2 3:4\n", "0 [] 1:2 3:4\n"),
        ("qid:3 1:2\n", "0 [] 1:2\n"),
        ("3 qid:12345678901234567890123 1:2\n", "0 [3=3] 1:2\n"),
        ("3 qid:1\n", "0 [3=3]\n"),
        ("1,2.5,-3 1:2\n", "0 [1=1 2.5=2.5 -3=-3] 1:2\n"),
        (
            "1e2 1:2\n12 1:1\n0.5 1:1\n",
            "0 [1e2=100] 1:2\n1 [12=12] 1:1\n2 [0.5=0.5] 1:1\n",
        ),
        ("1 1:0 2:-0 3:0.000 4:1e-60 5:7\n", "0 [1=1] 5:7\n"),
        ("1 00000000000000000000000003:4\n", "0 [1=1] 3:4\n"),
        (
            "1 99999999:1 100000000:2\n",
            "0 [1=1] 99999999:1 100000000:2\n",
        ),
        (
            "1 1:+5 2:.5 3:5. 4:-.5e+1 5:5E-1\n",
            "0 [1=1] 1:5 2:0.5 3:5 4:-5 5:0.5\n",
        ),
    ];
    for &(text, meaning) in cases {
        let (rows, error) = read(text.as_bytes(), &ReadOptions::default());
        assert_eq!((show(&rows).as_str(), error), (meaning, None), "{text:?}");
        // the same after many other tokens, where the hot loop is at work, and before them
        let filler = "7 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 12:12\n";
        let (mut rows, mut whole) = (Rows::new(), Rows::new());
        parse_block(text.as_bytes(), &ReadOptions::default(), &mut rows).unwrap();
        let text = format!("{filler}{text}\n{filler}{filler}");
        parse_block(text.as_bytes(), &ReadOptions::default(), &mut whole).unwrap();
        assert_eq!(whole.len(), rows.len() + 3);
        for i in 0..rows.len() {
            assert!(whole.row(i + 1).iter().eq(rows.row(i).iter()), "{text:?}");
            assert_eq!(whole.line(i + 1), rows.line(i) + 1);
        }
    }
}

#[test]
fn options_shift_bound_and_begin_rows() {
    let zero = ReadOptions {
        zero_based: true,
        ..ReadOptions::default()
    };
    let (rows, error) = read(b"1 0:5 3:6\n1 00000000:5\n", &zero);
    assert_eq!(
        (show(&rows).as_str(), error),
        ("0 [1=1] 1:5 4:6\n1 [1=1] 1:5\n", None)
    );
    assert_eq!(rows.width(), 4);

    let bias = ReadOptions {
        bias: Some(0.5),
        ..ReadOptions::default()
    };
    let (rows, error) = read(b"1 2:5\n1\n1 3:0\n", &bias);
    assert_eq!(
        show(&rows),
        "0 [1=1] 0:0.5 2:5\n1 [1=1] 0:0.5\n2 [1=1] 0:0.5\n"
    );
    assert_eq!((rows.width(), error), (3, None));

    for (zero_based, text) in [(false, "1 7:1\n1 8:1\n"), (true, "1 6:1\n1 7:1\n")] {
        let narrow = ReadOptions {
            zero_based,
            max_features: 7,
            ..ReadOptions::default()
        };
        let (rows, error) = read(text.as_bytes(), &narrow);
        assert_eq!((rows.len(), rows.width()), (1, 7));
        assert!(
            error.unwrap().contains("past the limit of 7 features"),
            "{text}"
        );
    }
    let wide = ReadOptions {
        max_features: u32::MAX,
        ..ReadOptions::default()
    };
    let (rows, error) = read(b"1 4294967294:1\n1 4294967295:1\n", &wide);
    assert_eq!((rows.len(), rows.width()), (1, u32::MAX - 1));
    assert!(
        error
            .unwrap()
            .starts_with("data.svm:2:3: index \"4294967295\" is past the limit")
    );
}

#[test]
fn explicit_zeros_and_abandoned_rows_count_rightly_for_the_width() {
    let (rows, _) = read(b"1 3:1 9:0\n1 2:1\n", &ReadOptions::default());
    assert_eq!((rows.width(), rows.values()), (9, 2));
    let (rows, error) = read(b"1 3:1\n1 2:1 50:1 x\n", &ReadOptions::default());
    assert_eq!((rows.width(), rows.len(), rows.values()), (3, 1, 1));
    assert!(error.is_some());
}

/// What is wrong with a line, and what is said about it after `data.svm:`.
const MALFORMED: &[(&[u8], &str)] = &[
    (
        b"1 0:5",
        "2:3: index 0, but svmlight counts from 1; use zero_based if this file counts from 0",
    ),
    (
        b"1 -3:5",
        "2:3: index \"-3\" is negative; renumber the features from 1",
    ),
    (
        b"1 3:5 3:6",
        "2:7: index 3 comes twice in this row; keep one of them, or their sum",
    ),
    (
        b"1 5:1 3:6",
        "2:7: index 3 after 5, but indices must increase; sort each row by index",
    ),
    (
        b"1 100000001:5",
        "2:3: index \"100000001\" is past the limit of 100000000 features; raise max_features, at most 4294967294",
    ),
    (
        b"1 2147483648:5",
        "2:3: index \"2147483648\" is past the limit of 100000000 features; raise max_features, at most 4294967294",
    ),
    (
        b"1 18446744073709551617:5",
        "2:3: index \"18446744073709551617\" is past the limit of 100000000 features; raise max_features, at most 4294967294",
    ),
    (
        b"1 1234567890123456789012345678901234567890123:5",
        "2:3: index \"1234567890123456789012345678901234567890...\" is past the limit of 100000000 features; raise max_features, at most 4294967294",
    ),
    (
        b"1 +3:5",
        "2:3: index \"+3\" is not a whole number; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 1.5:5",
        "2:3: index \"1.5\" is not a whole number; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 1.5:55",
        "2:3: index \"1.5\" is not a whole number; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 :5",
        "2:3: index \"\" is not a whole number; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 x:5",
        "2:3: index \"x\" is not a whole number; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 3:4 qid:5",
        "2:7: index \"qid\" is not a whole number; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 3",
        "2:3: \"3\" has no colon; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 2 3:5",
        "2:3: \"2\" has no colon; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 3 :5",
        "2:3: \"3\" has no colon; features are written index:value, as in 3:0.5",
    ),
    (
        b"1 3:",
        "2:3: index 3 has no value; write 3:0, or leave the feature out",
    ),
    (
        b"1 3: 4:5",
        "2:3: index 3 has no value; write 3:0, or leave the feature out",
    ),
    (
        b"1 3:#5",
        "2:3: index 3 has no value; write 3:0, or leave the feature out",
    ),
    (
        b"1 3:nan",
        "2:5: value \"nan\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:-NaN",
        "2:5: value \"-NaN\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:inf",
        "2:5: value \"inf\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:+Infinity",
        "2:5: value \"+Infinity\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:0x1p3",
        "2:5: value \"0x1p3\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:1,5",
        "2:5: value \"1,5\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:4:5",
        "2:5: value \"4:5\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:5x",
        "2:5: value \"5x\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:5e",
        "2:5: value \"5e\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:--5",
        "2:5: value \"--5\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:5-5",
        "2:5: value \"5-5\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:1.5.5",
        "2:5: value \"1.5.5\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:1/5",
        "2:5: value \"1/5\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:.",
        "2:5: value \".\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:-",
        "2:5: value \"-\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:5\r 4:5",
        "2:5: value \"5\\x0d\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
    (
        b"1 3:1e400",
        "2:5: value \"1e400\" is beyond the range of f32, 3.4e38; scale the feature down",
    ),
    (
        b"1 3:-3.4028236e38",
        "2:5: value \"-3.4028236e38\" is beyond the range of f32, 3.4e38; scale the feature down",
    ),
    (
        b"1 3:1e39",
        "2:5: value \"1e39\" is beyond the range of f32, 3.4e38; scale the feature down",
    ),
    (
        b"nan 3:5",
        "2:1: label \"nan\" is not a finite decimal number or another word that can be a label; replace it, or write ? for none",
    ),
    (
        b"1e400 3:5",
        "2:1: label \"1e400\" is not a finite decimal number or another word that can be a label; replace it, or write ? for none",
    ),
    (
        b"1,,2 3:5",
        "2:3: label \"\" is not a finite decimal number or another word that can be a label; replace it, or write ? for none",
    ),
    (
        b"1,? 3:5",
        "2:3: label \"?\" is not a finite decimal number or another word that can be a label; replace it, or write ? for none",
    ),
    (
        b"1 qid: 3:5",
        "2:3: query \"qid:\" is not qid: and an unsigned whole number, as in qid:7",
    ),
    (
        b"1 qid:-2 3:5",
        "2:3: query \"qid:-2\" is not qid: and an unsigned whole number, as in qid:7",
    ),
    (
        b"1 3:\x005",
        "2:5: byte 0x00 in \"\\x005\" is not plain text; is this an svmlight file?",
    ),
    (
        b"1\0 3:5",
        "2:2: byte 0x00 in \"1\\x00\" is not plain text; is this an svmlight file?",
    ),
    (
        b"1 3:5 4:caf\xe9",
        "2:12: byte 0xe9 in \"caf\\xe9\" is not plain text; is this an svmlight file?",
    ),
    (
        b"\xef\xbb\xbf1 3:5",
        "2:1: label \"\u{feff}1\" is not a finite decimal number or another word that can be a label; replace it, or write ? for none",
    ),
    (
        b"1 3:caf\xc3\xa9",
        "2:5: value \"caf\u{e9}\" is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
    ),
];

#[test]
fn malformed_lines_are_named() {
    for (line, message) in MALFORMED {
        let text = [b"7 1:1 2:2\n", *line, b"\n8 1:1\n"].concat();
        let (rows, error) = read(&text, &ReadOptions::default());
        assert_eq!(
            error.as_deref(),
            Some(format!("data.svm:{message}").as_str())
        );
        assert_eq!(
            show(&rows),
            "0 [7=7] 1:1 2:2\n",
            "the rows before it are kept"
        );
        // also without the newline, and far from both ends of a block
        let (_, error) = read(&text[..text.len() - 7], &ReadOptions::default());
        assert_eq!(
            error.as_deref(),
            Some(format!("data.svm:{message}").as_str())
        );
        let filler = b"7 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 12:12 13:13 14:14\n";
        let text = [filler, *line, b"\n", filler, filler].concat();
        let (rows, error) = read(&text, &ReadOptions::default());
        assert_eq!(
            error.as_deref(),
            Some(format!("data.svm:{message}").as_str())
        );
        assert_eq!(rows.len(), 1);
    }
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_start_only() {
    let (rows, error) = read(b"\xef\xbb\xbf1 3:4\n2 3:4\n", &ReadOptions::default());
    assert_eq!(
        (show(&rows).as_str(), error),
        ("0 [1=1] 3:4\n1 [2=2] 3:4\n", None)
    );
    let (_, error) = read(b"\xef\xbb\xbf1 3:x\n", &ReadOptions::default());
    assert!(
        error.unwrap().starts_with("data.svm:1:8: value"),
        "columns count all bytes"
    );
}
