//! Which problem the labels ask for.

use crate::common;

use common::data::Shape;
use common::slow::{Kind, Run, in_order, parse, perceptron};
use common::{Room, lines, same_lines, theorem_part};

fn defined(text: &str, kind: Kind<'_>) -> Run {
    let rows = parse(text);
    perceptron(&rows, kind, &in_order(&rows, 1))
}

/// The perceptron's JSON and trace are those of this kind of problem.
#[track_caller]
fn is(room: &Room, input: Option<&str>, text: &str, kind: Kind<'_>, options: &str) {
    let source = if input.is_some() { "-" } else { "data.svm" };
    let words = format!("train {source} -a perceptron --trace trace {options}");
    let json = theorem_part(room.json_piped(&words, input.unwrap_or("")));
    let defined = defined(text, kind);
    assert_eq!(json, defined.json(), "{words}");
    same_lines(&room.text("trace"), &lines(&defined.trace), &words);
}

/// Data with these labels for two classes.
fn labelled(labels: [&'static str; 2]) -> String {
    Shape::default().text(2, |_, class, _| labels[class].to_owned())
}

#[test]
fn two_labels_in_a_file_are_binary_and_the_larger_is_positive() {
    for (labels, positive) in [
        (["0", "1"], "1"),
        (["1", "2"], "2"),
        (["2", "1"], "2"),
        (["-3", "-2.5"], "-2.5"),
        (["10", "9"], "10"),
        (["1e2", "99"], "1e2"),
        (["-1", "1"], "1"),
        (["+1", "-1"], "+1"),
        (["-1.0", "+1.0"], "+1.0"),
        (["-1", "0"], "0"),
        (["1", "0"], "1"),
    ] {
        let text = labelled(labels);
        is(&Room::with(&text), None, &text, Kind::Binary(positive), "");
    }
}

#[test]
fn a_pipe_is_binary_for_minus_and_plus_one_only() {
    let room = Room::new();
    let text = labelled(["-1", "+1"]);
    is(&room, Some(&text), &text, Kind::Binary("+1"), "");
    for labels in [["0", "1"], ["1", "2"], ["-1", "2"]] {
        let text = labelled(labels);
        is(&room, Some(&text), &text, Kind::Many, "");
    }
    // the first row does not tell yet
    let text = format!("1 1:1\n-1 2:1\n{}", labelled(["2", "3"]));
    is(&room, Some(&text), &text, Kind::Many, "");
}

#[test]
fn one_label_only() {
    let text = "1 1:1\n1 2:-1\n+1 1:-1\n";
    is(&Room::with(text), None, text, Kind::Binary("1"), "");
    let text = "-1 1:1\n-1 2:-1\n";
    is(&Room::with(text), None, text, Kind::Binary("+1"), "");
    let text = "7 1:1\n7 2:-1\n7 1:-1\n";
    is(&Room::with(text), None, text, Kind::Many, "");
}

#[test]
fn equal_numbers_are_one_label_named_as_first_written() {
    let spelled = ["1", "+1", "1.0", "1e0", "01", "10e-1"];
    let text = Shape::default().text(3, |row, class, _| match class {
        0 => spelled[row % 6].to_owned(),
        1 => ["2", "2.0", "+2"][row % 3].to_owned(),
        _ => ["-0", "0", "0.0"][row % 3].to_owned(),
    });
    is(&Room::with(&text), None, &text, Kind::Many, "");
    let text = Shape::default().text(2, |row, class, _| match class {
        0 => spelled[row % 6].to_owned(),
        _ => ["2", "2.0", "+2"][row % 3].to_owned(),
    });
    let positive = parse(&text)
        .iter()
        .find(|e| e.labels[0].contains('2'))
        .map(|e| e.labels[0].clone());
    is(
        &Room::with(&text),
        None,
        &text,
        Kind::Binary(&positive.expect("a row of class 2")),
        "",
    );
}

#[test]
fn the_positive_label_is_named_as_first_written_even_before_it_is_met() {
    let text = "-1 1:1\n-1 2:1\n-1.0 3:1\n1.00 4:-1\n+1 1:1\n-1 4:-1\n+1 1:1 2:1 3:1\n";
    is(&Room::with(text), None, text, Kind::Binary("1.00"), "");
    is(&Room::new(), Some(text), text, Kind::Binary("1.00"), "");
    is(
        &Room::with(text),
        None,
        text,
        Kind::Binary("1.00"),
        "--labels -1,+1",
    );
}

#[test]
fn labels_and_positive_make_a_pipe_binary() {
    let text = labelled(["3", "8"]);
    let room = Room::with(&text);
    is(&room, Some(&text), &text, Kind::Binary("8"), "--labels 8,3");
    is(
        &room,
        Some(&text),
        &text,
        Kind::Binary("8"),
        "--labels 3.0,8e0",
    );
    is(&room, Some(&text), &text, Kind::Binary("3"), "--positive 3");
    let text = Shape::default().many(5, 1);
    let room = Room::with(&text);
    is(&room, Some(&text), &text, Kind::Binary("3"), "--positive 3");
    is(&room, None, &text, Kind::Binary("0"), "--positive -0.0");
    is(
        &room,
        None,
        &text,
        Kind::Binary("77"),
        "--positive 77 --lenient",
    );
}

#[test]
fn a_label_outside_the_two_given_is_an_error() {
    let room = Room::with("1 1:1\n2 1:2\n\n3 2:1\n");
    for (words, input) in [
        ("train data.svm -a perceptron --labels 1,2", ""),
        ("train data.svm -a perceptron --labels 1,2 --epochs 2", ""),
        (
            "train - -a perceptron --labels 1,2",
            "1 1:1\n2 1:2\n\n3 2:1\n",
        ),
    ] {
        room.pipe(words, input)
            .refused(&[":4: label 3, but this run is binary with labels 1 and 2"]);
    }
}

#[test]
fn a_comma_in_the_first_row_makes_the_run_multi_label() {
    let text = Shape::default().multi(4, 1);
    is(&Room::with(&text), None, &text, Kind::Multi, "");
    is(&Room::new(), Some(&text), &text, Kind::Multi, "");
    let (_, later) = text.split_once('\n').expect("lines");
    let text = format!("3 1:1\n{later}");
    is(&Room::with(&text), None, &text, Kind::Multi, "--multilabel");
    is(
        &Room::new(),
        Some(&text),
        &text,
        Kind::Multi,
        "--multilabel",
    );
    // two labels, each its own problem
    let text = labelled(["-1", "+1"]);
    is(&Room::with(&text), None, &text, Kind::Multi, "--multilabel");
}

#[test]
fn a_comma_later_is_an_error_that_names_the_flag() {
    for first in ["1", "+1", "5"] {
        let text = format!("{first} 1:1\n-1 2:1\n\n1,2 1:3\n");
        let room = Room::with(&text);
        let parts = [":4: 2 labels on one row", "--multilabel"];
        room.run("train data.svm -a perceptron").refused(&parts);
        room.run("train data.svm -a perceptron --shuffle 1")
            .refused(&parts);
        room.pipe("train - -a perceptron", &text).refused(&parts);
        room.run("compare data.svm perceptron").refused(&parts);
    }
}

#[test]
fn rows_without_labels_may_be_in_multi_label_runs_only() {
    let room = Room::with("1,2 1:1\n? 1:2\n3:1\n2 1:1\n");
    let json = room.json("train data.svm -a perceptron");
    assert_eq!(json["data"]["rows"], 4);
    // row 0 has margins 0, which is right for both its labels; the others are wrong
    assert_eq!(json["mistakes"], 3, "{json}");
    let room = Room::with("1 1:1\n-1 2:1\n? 1:2\n");
    for words in [
        "train data.svm -a perceptron",
        "compare data.svm perceptron",
    ] {
        room.run(words)
            .refused(&["data.svm:3: no label", "predict"]);
    }
}

/// Rows that look binary for so long that nobody waits, then others.
fn late(first: [&str; 2], later: &str) -> String {
    let mut text = Shape {
        rows: 10_500,
        width: 3,
        ..Shape::default()
    }
    .text(2, |_, class, _| first[class].to_owned());
    text.push_str(later);
    text
}

#[test]
fn a_third_label_after_ten_thousand_rows_is_as_if_scanned() {
    let later = "3 1:1\n-1 2:1\n0 3:-1 4:2\n3 1:2\n";
    let text = late(["-1", "+1"], later);
    is(&Room::with(&text), None, &text, Kind::Many, "");
    let text = late(["7", "5"], later);
    is(&Room::with(&text), None, &text, Kind::Many, "");
    // only one label at first: two in all, and then the larger is positive
    let text = late(["1", "1"], "2 1:1\n2 2:-1\n1 3:1\n");
    is(&Room::with(&text), None, &text, Kind::Binary("2"), "");
    let text = late(["1", "1"], "0 1:1\n0 2:-1\n1 3:1\n");
    is(&Room::with(&text), None, &text, Kind::Binary("1"), "");
}

#[test]
fn a_late_third_label_leaves_no_trace_of_the_first_try() {
    let text = late(["-1", "+1"], "3 1:1\n");
    let room = Room::with(&text);
    room.run("train data.svm -a perceptron --trace trace -o model")
        .good();
    assert_eq!(room.files(), ["data.svm", "model", "trace"]);
    let other = Room::with(&text);
    other
        .run("train data.svm -a perceptron --shuffle 0 --epochs 1 -o shuffled")
        .good();
    other
        .run("train data.svm -a perceptron --trace trace -o model")
        .good();
    assert_eq!(room.bytes("model"), other.bytes("model"));
}

#[test]
fn a_pipe_cannot_go_back_so_a_late_third_label_is_an_error() {
    let text = late(["-1", "+1"], "3 1:1\n");
    let room = Room::new();
    room.pipe("train - -a perceptron", &text)
        .refused(&["<stdin>:10501: label 3", "--positive"]);
    is(
        &room,
        Some(&text),
        &text,
        Kind::Binary("+1"),
        "--positive +1",
    );
}

#[test]
fn what_a_pipe_is_does_not_depend_on_how_it_is_written() {
    // wide rows: a label other than -1 and +1 some while after the start
    let wide = (1..=100)
        .map(|j| format!("{j}:1"))
        .collect::<Vec<_>>()
        .join(" ");
    for at in [2495, 2501, 2560, 3000, 4000, 9999] {
        let mut text = lines((0..at).map(|i| format!("{} {wide}", ["-1", "+1"][i % 2])));
        text.push_str("3 1:1\n-1 2:1\n");
        let room = Room::new();
        let at_once = room.pipe("train - -a perceptron --json", &text);
        let in_memory = room.pipe("train - -a perceptron --json --epochs 2", &text);
        assert_eq!(
            at_once.code, in_memory.code,
            "label 3 in row {at}: {}",
            at_once.stderr
        );
        room.write("data.svm", &text);
        let slow = std::process::Command::new("sh")
            .arg("-c")
            .arg("dd if=data.svm bs=4000 2>/dev/null | \"$0\" train - -a perceptron --json")
            .arg(env!("CARGO_BIN_EXE_novikoff"))
            .current_dir(room.path(""))
            .output()
            .expect("a shell");
        assert_eq!(
            at_once.code,
            slow.status.code(),
            "label 3 in row {at}, in small pieces"
        );
    }
}
