//! What is said about bad lines.

use novikoff_data::blocks::{ReadOptions, Reader};

use super::{input, named, options, read, tell};

/// A message, and lines it is about: the column, and what stands there.
type Said = (&'static str, &'static [(&'static [u8], u64, &'static str)]);

const HEADS: &[Said] = &[
    (
        "no | in this line; rows are written label | name:value ..., as in 1 | price:0.5",
        &[
            (b"1", 1, ""),
            (b"  1 3:0.5 7:1", 3, ""),
            (b"a,b,c\n1 | a", 1, ""),
        ],
    ),
    (
        "label {} is not a finite decimal number or another word that can be a label; replace it, or write ? for none",
        &[
            (b"1, |f a", 3, ""),
            (b"nan |f a", 1, "nan"),
            (b"1e400 |f a", 1, "1e400"),
            (b"1:0.5 |f a", 1, "1:0.5"),
            (b"'x 1 |f a", 1, "'x"),
        ],
    ),
    (
        "importance {} is not a finite decimal number; write one such as 2, or ' before a tag",
        &[
            (b"1 x |f a", 3, "x"),
            (b"1 inf |f a", 3, "inf"),
            (b"1 1e400 |f a", 3, "1e400"),
            (b"1 'x 2 |f a", 3, "'x"),
        ],
    ),
    (
        "importance {} is negative; write 0 or more, or leave it out for 1",
        &[(b"1 -2 |f a", 3, "-2"), (b"1 -1e39 |f a", 3, "-1e39")],
    ),
    (
        "importance {} is beyond the range of f32, 3.4e38; scale all importances down",
        &[(b"1 1e39 |f a", 3, "1e39")],
    ),
    (
        "{} after label and importance is an initial prediction, which is not supported; remove it",
        &[
            (b"1 2 0.5 |f a", 5, "0.5"),
            (b"1 2 0.5 'tag |f a", 5, "0.5"),
        ],
    ),
    (
        "{} after label and importance is no tag; write ' before a tag, or no space after it",
        &[(b"1 2 tag |f a", 5, "tag")],
    ),
];

const SPACES: &[Said] = &[
    (
        "{} has no namespace before its colon; write |name:scale, or a space after the |",
        &[(b"1 |:2 a", 4, ":2"), (b"1 |: a", 4, ":")],
    ),
    (
        "namespace {} has no scale after its colon; write a number, or no colon",
        &[(b"1 |f: a", 4, "f")],
    ),
    (
        "scale {} is not a finite decimal number such as 0.5; namespaces are written |name or \
         |name:scale",
        &[
            (b"1 |f:x a", 6, "x"),
            (b"1 |f:2:3 a", 6, "2:3"),
            (b"1 |f:1e400 a", 6, "1e400"),
        ],
    ),
];

const FEATURES: &[Said] = &[
    (
        "{} has no name before its colon; features are written name or name:value",
        &[(b"1 |f a :2", 8, ":2"), (b"1 |f :", 6, ":")],
    ),
    (
        "feature {} has no value after its colon; write a number, or no colon for 1",
        &[(b"1 |f a: b", 6, "a"), (b"1 |f abc:", 6, "abc")],
    ),
    (
        "{} has two colons; features are written name:value, and names have no colon",
        &[(b"1 |f a:1:2 b", 9, "a:1:2"), (b"1 |f a::2 b", 8, "a::2")],
    ),
    (
        "value {} is not a finite decimal number such as -0.5 or 1e-3; remove or replace it",
        &[
            (b"1 |f a:x b", 8, "x"),
            (b"1 |f a:nan b", 8, "nan"),
            (b"1 |f a:-inf b", 8, "-inf"),
            (b"1 |f a:0x10 b", 8, "0x10"),
            (b"1 |f a:1,5 b", 8, "1,5"),
            (b"1 |f a:1- b", 8, "1-"),
            (b"1 |f a:1.2.3 b", 8, "1.2.3"),
            (b"1 |f a:1/2 b", 8, "1/2"),
            (b"1 |f a:1e b", 8, "1e"),
            (b"1 |f a_name_longer_than_can_be_packed:x b", 39, "x"),
        ],
    ),
    (
        "value {} is beyond the range of f32, 3.4e38; scale the feature down",
        &[
            (b"1 |f a:1e400 b", 8, "1e400"),
            (b"1 |f a:-3.5e38 b", 8, "-3.5e38"),
        ],
    ),
    (
        "value {} times the scale of its namespace is beyond the range of f32, 3.4e38; scale the \
         feature down",
        &[
            (b"1 |f:1e30 a:1e10 b", 13, "1e10"),
            (b"1 |f:1e60 b", 11, "1"),
        ],
    ),
];

/// A byte that is no text, in a word that is shown so.
const NOT_TEXT: &[(&[u8], u64, &str, &str)] = &[
    (b"1\r |f a", 2, "0d", "1\\x0d"),
    (b"1 \xff |f a", 3, "ff", "\\xff"),
    (b"1 2 \0 |f a", 5, "00", "\\x00"),
    (b"1 |f\x01g a", 5, "01", "f\\x01g"),
    (b"1 |\xe9 a", 4, "e9", "\\xe9"),
    (b"1 |f a\x01b c", 7, "01", "a\\x01b"),
    (b"1 |f ab\x7f c", 8, "7f", "ab\\x7f"),
    (b"1 |f ab\xff:2 c", 8, "ff", "ab\\xff:2"),
    (b"1 |f ab\xc3", 8, "c3", "ab\\xc3"),
    (b"1 |f a:2\0 c", 9, "00", "a:2\\x00"),
    (b"1 |f a:2\rb c", 9, "0d", "a:2\\x0db"),
    (b"1 |f a\r\r\n", 7, "0d", "a\\x0d"),
];

/// Checks what is said about a line: alone; and amid much text, where the hot loop is at work.
fn check(line: &[u8], said: &str) {
    let shown = String::from_utf8_lossy(line);
    let alone = read(line, options());
    assert_eq!(alone.error, Some(format!("data.vw:1:{said}")), "{shown:?}");
    assert_eq!(alone.rows, "", "{shown:?}");
    let mut text = b"1 |f a:1 b:2 c:3 d:4 e:5 f:6\n".repeat(3);
    text.extend_from_slice(line);
    text.push(b'\n');
    text.extend(b"1 |f a:1 b:2 c:3 d:4 e:5 f:6 g:7\n".repeat(10));
    let amid = read(&text, options());
    assert_eq!(amid.error, Some(format!("data.vw:4:{said}")), "{shown:?}");
    assert_eq!(amid.rows.lines().count(), 3, "{shown:?}");
}

#[test]
fn what_is_said_about_bad_lines() {
    for (message, lines) in [HEADS, SPACES, FEATURES].concat() {
        for (line, column, token) in lines {
            let said = message.replace("{}", &format!("\"{token}\""));
            check(line, &format!("{column}: {said}"));
        }
    }
    for (line, column, byte, word) in NOT_TEXT {
        let said = format!(
            "{column}: byte 0x{byte} in \"{word}\" is not plain text; names are UTF-8 without \
             control bytes"
        );
        check(line, &said);
    }
}

#[test]
fn lines_past_the_limit_are_refused() {
    let options = ReadOptions {
        max_line: 10,
        skip_bad: 5,
        ..options()
    };
    let reported = read(b"1 |f abcde\n1 |f abcdef\n1 | a\n", options);
    assert_eq!(named(&reported), "1 [1=1] f^abcde:1\n");
    assert_eq!(
        reported.error.unwrap(),
        "data.vw:2:11: this line is longer than 10 bytes; are the lines separated by newlines?"
    );
}

#[test]
fn bad_lines_are_passed_over_when_asked() {
    let text = b"1 |f a\nnan |f b\n2 3 |f c:2\n1 2 |f d e:\n1 |f a c\n|f c:z\n";
    let some = |skip_bad| {
        read(
            text,
            ReadOptions {
                skip_bad,
                ..options()
            },
        )
    };
    let reported = some(3);
    assert_eq!(reported.error, None);
    assert_eq!(
        named(&reported),
        "1 [1=1] f^a:1\n3 [2=2] x3 f^c:2\n5 [1=1] f^a:1 f^c:1\n"
    );
    assert_eq!(reported.skipped.lines, 3);
    assert_eq!(
        reported.skipped.samples[1],
        "data.vw:4:10: feature \"e\" has no value after its colon"
    );
    let reported = some(2);
    assert_eq!(reported.skipped.lines, 2);
    assert_eq!(
        reported.error.unwrap(),
        "data.vw:6:6: value \"z\" is not a finite decimal number such as -0.5 or 1e-3 (bad lines \
         passed over before it: 2); remove or replace it"
    );
}

#[test]
fn the_line_of_a_name_too_many_is_told_and_rows_before_it_are_lent() {
    let lines: Vec<String> = (1..=30).map(|k| format!("1 |f a a{k}")).collect();
    let text = lines.join("\n");
    let options = ReadOptions {
        max_features: 21,
        ..options()
    };
    for size in [1, 30, 100, 1 << 16] {
        let reader = Reader::with_block_size(input(text.as_bytes()), options.clone(), 2, size);
        let reported = tell(reader.unwrap());
        assert_eq!(named(&reported).lines().count(), 20, "pieces of {size}");
        assert_eq!(
            reported.error.unwrap(),
            "data.vw:21: a feature past the limit of 21 features; raise max_features, or use \
             hash=24 to give names hashed slots"
        );
    }
}
