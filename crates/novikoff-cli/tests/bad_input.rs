//! Bad data: exit code 2, a message that says where and what, and nothing changed on disk.

use crate::common;

use common::Room;
use common::data::{Shape, SplitMix64};

/// A line, and what is said of it after `data.svm:3:`.
const BAD_LINES: &[(&[u8], &str)] = &[
    (
        b"+1 1:nan",
        "6: value \"nan\" is not a finite decimal number",
    ),
    (
        b"+1 1:inf",
        "6: value \"inf\" is not a finite decimal number",
    ),
    (
        b"+1 2:0.5 3:-Infinity",
        "12: value \"-Infinity\" is not a finite decimal number",
    ),
    (
        b"nan 1:1",
        "1: label \"nan\" is not a finite decimal number",
    ),
    (
        b"inf 1:1",
        "1: label \"inf\" is not a finite decimal number",
    ),
    (
        b"1e400 1:1",
        "1: label \"1e400\" is not a finite decimal number",
    ),
    (
        b"+1 1:1e400",
        "6: value \"1e400\" is beyond the range of f32",
    ),
    (
        b"+1 1:1 2:-3.5e38",
        "10: value \"-3.5e38\" is beyond the range of f32",
    ),
    (
        b"+1 2147483648:1",
        "4: index \"2147483648\" is past the limit of 100000000 features; raise --max-features, at most 4294967294",
    ),
    (
        b"+1 9223372036854775808:1",
        "4: index \"9223372036854775808\" is past the limit of 100000000 features",
    ),
    (
        b"+1 99999999999999999999999:1",
        "4: index \"99999999999999999999999\" is past the limit of 100000000 features",
    ),
    (
        b"+1 1000000000:1",
        "4: index \"1000000000\" is past the limit of 100000000 features",
    ),
    (
        b"+1 100000001:1",
        "4: index \"100000001\" is past the limit of 100000000 features",
    ),
    (b"+1 1:1 1:2", "8: index 1 comes twice in this row"),
    (
        b"+1 3:1 7:1 5:2",
        "12: index 5 after 7, but indices must increase",
    ),
    (b"+1 -3:1", "4: index \"-3\" is negative"),
    (
        b"+1 0:1",
        "4: index 0, but svmlight counts from 1; use --zero-based if this file counts from 0",
    ),
    (
        b"\xef\xbb\xbf+1 1:1",
        "1: label \"\u{feff}+1\" is not a finite decimal number",
    ),
    (
        b"1,? 1:1",
        "3: label \"?\" is not a finite decimal number or another word that can be a label; replace it, or write ? for none",
    ),
    (
        b"+1 1:",
        "4: index 1 has no value; write 1:0, or leave the feature out",
    ),
    (b"+1 1", "4: \"1\" has no colon"),
    (b"+1 :1", "4: index \"\" is not a whole number"),
    (b"+1 1.5:1", "4: index \"1.5\" is not a whole number"),
    (b"+1 one:1", "4: index \"one\" is not a whole number"),
    (b"+1 1:1\xff", "byte 0xff in \"1\\xff\" is not plain text"),
    (b"+1 1:\x001", "byte 0x00 in"),
    (b"\xc3\x28 1:1", "1: "),
    (
        b"+1 1:1,5",
        "6: value \"1,5\" is not a finite decimal number",
    ),
    (
        b"+1 1:0x1p3",
        "6: value \"0x1p3\" is not a finite decimal number",
    ),
    (
        b"+1 1:0x10",
        "6: value \"0x10\" is not a finite decimal number",
    ),
    (
        b"+1 1:1_000",
        "6: value \"1_000\" is not a finite decimal number",
    ),
    (b"+1 1:1e", "6: value \"1e\" is not a finite decimal number"),
    (
        b"+1 1:--1",
        "6: value \"--1\" is not a finite decimal number",
    ),
    (
        b"+1 1:1:2",
        "6: value \"1:2\" is not a finite decimal number",
    ),
    (b"+1 qid:x 1:1", "4: query \"qid:x\" is not qid:"),
    (b"+1 1:1 qid:7", "8: index \"qid\" is not a whole number"),
    (b"1, 1:1", "3: label \"\" is not a finite decimal number"),
    (b",1 1:1", "1: label \"\" is not a finite decimal number"),
    (
        b"? 1:1",
        " no label, but learning and testing need one on every row; use --skip-bad N to pass over such rows, --label COLUMN if the label is elsewhere, --multilabel if rows may have any number of labels, or use predict for rows without labels",
    ),
    (
        b"1:1",
        " no label, but learning and testing need one on every row; use --skip-bad N to pass over such rows, --label COLUMN if the label is elsewhere, --multilabel if rows may have any number of labels, or use predict for rows without labels",
    ),
];

/// Good rows with one bad line among them: line 3, after an empty one.
fn with_line(line: &[u8]) -> Vec<u8> {
    let mut text = b"+1 1:1\n\n".to_vec();
    text.extend_from_slice(line);
    text.extend_from_slice(b"\n-1 2:1 3:0.25\n+1 1:1\n");
    text
}

#[test]
fn malformed_lines_are_refused_with_their_place() {
    let room = Room::new();
    room.write("model", "old");
    room.write("trace", "old");
    for (line, message) in BAD_LINES {
        let text = with_line(line);
        room.write("data.svm", &text);
        let shown = String::from_utf8_lossy(line);
        let words = "train data.svm -a perceptron -o model --trace trace";
        let done = room.run(words);
        done.refused(&["novikoff: data.svm:3:", message]);
        assert_eq!(done.stderr.lines().count(), 1, "{shown}: {}", done.stderr);
        for options in ["--epochs 2", "--shuffle 1", "--threads 1"] {
            let same = room.run(&format!("{words} {options}"));
            same.refused(&[]);
            assert_eq!(same.stderr, done.stderr, "{shown} {options}");
        }
        let piped = room.pipe("train - -a perceptron -o model --trace trace", &text);
        assert_eq!(
            piped.stderr,
            done.stderr.replace("data.svm", "<stdin>"),
            "{shown}"
        );
        assert_eq!(
            room.run("compare data.svm perceptron").stderr,
            done.stderr,
            "{shown}"
        );
        assert_eq!(
            (room.text("model"), room.text("trace")),
            ("old".into(), "old".into()),
            "{shown}"
        );
        assert_eq!(
            room.files(),
            ["data.svm", "model", "trace"],
            "{shown}: temporary files"
        );
    }
}

#[test]
fn predict_refuses_the_same_lines_but_for_missing_labels() {
    let room = Room::with("+1 1:1\n-1 2:1\n");
    room.run("train data.svm -a perceptron -o model").good();
    for (line, message) in BAD_LINES {
        room.write("new.svm", with_line(line));
        let done = room.run("predict model new.svm");
        if message.contains("no label") {
            assert_eq!(done.good().stdout.lines().count(), 4);
        } else {
            assert_eq!(done.code, Some(2), "{}", String::from_utf8_lossy(line));
            assert!(done.stderr.contains("new.svm:3:"), "{}", done.stderr);
            assert!(done.stderr.contains(message), "{}", done.stderr);
        }
    }
}

#[test]
fn unusual_lines_that_are_fine() {
    let plain = Room::with("+1 1:1 3:0.5\n-1 2:1\n").json("train data.svm -a perceptron");
    for text in [
        "+1 1:1 3:0.5\r\n-1 2:1\r\n",
        "\u{feff}+1 1:1 3:0.5\n-1 2:1",
        "# a remark: +1 0:nan\n+1 1:1 3:0.5 # nan:nan\n\n   \n-1 2:1#x\n#",
        "+1 qid:7 1:1 3:0.5\n-1 qid:18446744073709551616 2:1\n",
        "  +1\t1:1  3:.5 \t\n-1 2:1. \n",
        "+1 1:+1 2:0 3:5e-1\n-1 002:1E0\n",
        "+1 1:1.00000000000000000000000000001 3:0.5000000000\n-1 2:1\n",
    ] {
        assert_eq!(
            Room::with(text).json("train data.svm -a perceptron"),
            plain,
            "{text:?}"
        );
    }
}

#[test]
fn indices_up_to_the_limit_are_fine_and_one_more_is_not() {
    let room = Room::with("+1 7:1\n-1 8:1\n");
    room.run("train data.svm -a perceptron --max-features 8")
        .good();
    let refused =
        ["data.svm:2:4: index \"8\" is past the limit of 7 features; raise --max-features"];
    room.run("train data.svm -a perceptron --max-features 7")
        .refused(&refused);
    room.run("train data.svm -a perceptron --max-features 7 --zero-based")
        .refused(&["index \"7\""]);
    room.run("train data.svm -a winnow --max-features 7")
        .refused(&refused);
    room.write("data.svm", "+1 4294967295:1\n");
    room.run("train data.svm -a perceptron --max-features 4294967295 --max-memory 1")
        .refused(&["index \"4294967295\" is past the limit of 4294967294 features"]);
    room.run("train data.svm -a perceptron --max-features 4294967296")
        .refused(&["--max-features"]);
}

#[test]
fn memory_is_bounded_whatever_a_file_says() {
    let room = Room::with("+1 1:1\n-1 10000000:1\n");
    let parts = [
        "data.svm:2: 10000000 features need",
        "the limit is 1 MB",
        "--max-memory",
    ];
    room.run("train data.svm -a perceptron --max-memory 1 -o model")
        .refused(&parts);
    room.run("train data.svm -a perceptron --max-memory 1 --epochs 2")
        .refused(&parts);
    room.run("compare data.svm perceptron --max-memory 1 --threads 1")
        .refused(&parts);
    room.run("train data.svm -a arow:form=full")
        .refused(&["10000000 features need", "MB"]);
    room.run("train data.svm -a whitened")
        .refused(&["10000000 features need", "MB"]);
    assert_eq!(room.files(), ["data.svm"]);
}

#[test]
fn memory_is_bounded_whatever_a_model_says() {
    let room = Room::with("+1 1:1\n-1 1000000:1\n");
    room.run("train data.svm -a perceptron -o model").good();
    for words in [
        "predict model data.svm",
        "inspect model",
        "train data.svm --resume model",
    ] {
        room.run(&format!("{words} --max-memory 8")).good();
        room.run(&format!("{words} --max-memory 1"))
            .refused(&["model", "--max-memory"]);
    }
}

#[test]
fn winnow_takes_no_negative_values() {
    let room = Room::with("+1 1:1\n-1 2:1 3:-0.5\n");
    let parts = [
        "data.svm:2: feature 3 is -0.5, but winnow takes no negative values; use balanced-winnow or eg",
    ];
    room.run("train data.svm -a winnow -o model")
        .refused(&parts);
    room.run("train data.svm -a winnow --shuffle 1")
        .refused(&parts);
    room.run("compare data.svm perceptron winnow")
        .refused(&parts);
    room.write("data.svm", "+1 1:1\n");
    room.run("train data.svm -a winnow --bias -1")
        .refused(&["winnow takes no negative values"]);
    assert_eq!(room.files(), ["data.svm"]);
}

#[test]
fn data_without_rows_is_refused() {
    let room = Room::new();
    for text in ["", "\n\n", "# nothing\n", "\u{feff}"] {
        room.write("data.svm", text);
        let message = ["no rows"];
        room.run("train data.svm -a perceptron -o model")
            .refused(&message);
        room.run("train data.svm -a winnow --epochs 2")
            .refused(&message);
        room.run("train data.svm -a perceptron --permutations 2")
            .refused(&message);
        room.pipe("train - -a perceptron", text).refused(&message);
        room.run("compare data.svm perceptron").refused(&message);
        assert_eq!(room.files(), ["data.svm"]);
    }
}

#[test]
fn compare_says_what_is_wrong_with_the_data_once() {
    // without names, too, the data is to blame and not eleven learners
    let room = Room::with("");
    let done = room.run("compare data.svm");
    done.refused(&["no rows"]);
    assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    room.write("data.svm", "+1 1:1\n? 1:1\n");
    let done = room.run("compare data.svm");
    done.refused(&["novikoff: data.svm:2: no label"]);
    assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
}

#[test]
fn places_that_are_no_data_are_refused() {
    let room = Room::with("+1 1:1\n");
    room.write("packed", b"\x1f\x8b\x08\0\0\0");
    room.write("packed2", b"\x28\xb5\x2f\xfd\0\0");
    for (data, parts) in [
        (
            "missing.svm",
            [
                "novikoff: missing.svm: no such file",
                "use - to read from a pipe",
            ],
        ),
        (
            ".",
            [
                "novikoff: .: has files and no sub-folders",
                "name the files, if they are tables",
            ],
        ),
        (
            "packed",
            ["packed: the gzip data ends in the middle", "again"],
        ),
        (
            "packed2",
            ["packed2: the zstd data ends in the middle", "again"],
        ),
        ("sparse-target:rows=0", ["rows", "from 1"]),
        ("text:colour=red", ["colour", "rows"]),
    ] {
        room.run(&format!("train {data} -a perceptron -o model"))
            .refused(&parts);
        room.run(&format!("compare {data} perceptron"))
            .refused(&parts);
    }
    room.run("generate nothing")
        .refused(&["nothing", "sparse-target"]);
    assert_eq!(room.files(), ["data.svm", "packed", "packed2"]);
}

#[test]
fn whatever_the_bytes_are_nothing_panics() {
    let good = Shape {
        rows: 12,
        ..Shape::default()
    }
    .multi(3, 3)
    .into_bytes();
    let spice = b"\0\n\r #:,?-+.e0919nanqid\xff\xef\xbb\xbf\t";
    let mut g = SplitMix64(4);
    let room = Room::new();
    let mut refused = 0;
    for _ in 0..150 {
        let mut text = good.clone();
        for _ in 0..=g.below(3) {
            let at = g.below(text.len());
            match g.below(3) {
                0 => text[at] = spice[g.below(spice.len())],
                1 => text.insert(at, spice[g.below(spice.len())]),
                _ => text.truncate(at.max(1)),
            }
        }
        room.write("data.svm", &text);
        let shown = String::from_utf8_lossy(&text);
        let from_file = room.run("train data.svm -a arow --json");
        let from_pipe = room.pipe("train - -a arow --json", &text);
        match from_file.code {
            Some(0) => assert_eq!(from_file.json(), from_pipe.good().json(), "{shown}"),
            Some(2) => {
                refused += 1;
                assert_eq!(
                    from_pipe.stderr,
                    from_file.stderr.replace("data.svm", "<stdin>"),
                    "{shown}"
                );
            }
            other => panic!("{other:?}: {shown}\n{}", from_file.stderr),
        }
    }
    assert!((30..140).contains(&refused), "{refused} of 150 refused");
}
