//! Tables whose first record is no header, or is one with numbers for names, and tables that look like other formats. Beside each is one that is what it
//! looks like.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;

/// Rows of an age, whether a reminder was sent, a clinic and the label.
fn visits(count: usize, rows: impl Fn(usize, bool, &str, &str) -> String) -> String {
    let mut random = SplitMix64(3);
    let mut text = String::new();
    for _ in 0..count {
        let (age, is_sent) = (18 + random.below(60), random.below(3) > 0);
        let clinic = ["north", "south", "harbour"][random.below(3)];
        let label = ["no", "yes"][usize::from(random.below(60) + 18 > age)];
        let _ = writeln!(text, "{}", rows(age, is_sent, clinic, label));
    }
    text
}

/// How many rows are learned from, of a file and of a pipe.
fn rows(text: &str, label: &str) -> u64 {
    let room = Room::new();
    room.write("t.csv", text);
    let options = format!("--label {label} -a perceptron --bias 1 --missing zero -q");
    let file = room.json(&format!("train t.csv {options}"));
    let pipe = room.json_piped(&format!("train - {options}"), text);
    assert_eq!(file["data"]["rows"], pipe["data"]["rows"], "{text}");
    file["data"]["rows"].as_u64().expect("a count")
}

#[test]
fn a_cell_that_looks_like_the_name_of_a_label_is_a_value() {
    for (yes, no) in [
        ("y", "n"),
        ("Y", "N"),
        ("class", "none so far"),
        ("yes", "no"),
    ] {
        let text = visits(300, |age, is_sent, _, label| {
            format!("{age},{},{label}", if is_sent { yes } else { no })
        });
        let with_first = format!("58,{yes},no\n{text}");
        assert_eq!(rows(&with_first, "3"), 301, "{yes}");
    }
}

#[test]
fn names_are_a_header() {
    type Row = fn(usize, bool, &str, &str) -> String;
    let numbers: Row = |age, sent, _, label| format!("{age},{},{label}", u8::from(sent));
    // a label that is called as one of its values is
    let letters: Row = |age, sent, _, label| format!("{age},{},{}", u8::from(sent), &label[..1]);
    let texts: Row =
        |_, sent, clinic, label| format!("{clinic},{},{label}", if sent { "north" } else { "x" });
    let sentences: Row =
        |age, sent, clinic, label| format!("{clinic} at {age},{},{}", u8::from(sent), &label[..1]);
    let cases: [(&str, Row, u64); 10] = [
        ("1,2,y", letters, 300),
        ("0,1,y", letters, 300),
        ("1990,2000,y", letters, 300),
        ("x1,x2,y", letters, 300),
        ("x1,x2,y", numbers, 300),
        ("90112233,2021,y", numbers, 300),
        ("message,sent,y", sentences, 300),
        // all are texts, and one is among the values
        ("clinic,north,answer", texts, 300),
        // no names
        ("58,34,y", letters, 301),
        (
            "airport,20.5,no",
            |age, _, clinic, label| format!("{clinic},{age},{label}"),
            301,
        ),
    ];
    for (header, row, expected) in cases {
        let table = format!("{header}\n{}", visits(300, row));
        assert_eq!(rows(&table, "3"), expected, "{header}");
    }
}

#[test]
fn a_time_of_day_makes_no_svmlight_text() {
    let room = Room::new();
    let table = visits(300, |age, _, clinic, label| {
        format!("{age},2025-07-07 13:10:06,2025-07-25 15:15,{clinic},knee pain,{label}")
    });
    room.write("t.csv", &table);
    room.write(
        "names.csv",
        format!("age,from,to,clinic,reason,late\n{table}"),
    );
    room.run("train names.csv --label late -a perceptron --bias 1 -q -o m")
        .good();
    room.run("predict m t.csv")
        .refused(&["the input has no header"]);
    let json = room.json("train t.csv --label 6 -a perceptron --bias 1 --missing zero -q");
    assert_eq!(json["data"]["rows"], 300);
    // svmlight text is what it was, and its first line says so where it is wrong
    let text = "1 3:0.5 4:1,5\n-1 4:1\n";
    room.write("s.csv", text);
    room.run("train s.csv -a perceptron").refused(&[
        "s.csv:1:11: value \"1,5\" is not a finite decimal number",
        "the input was taken for svmlight text",
        "use --format csv if it is a table",
    ]);
    room.write("s.svm", text);
    room.write("later.csv", "1 3:0.5\n-1 4:1,5\n");
    for words in ["s.csv --format svmlight", "s.svm", "later.csv"] {
        let done = room.run(&format!("train {words} -a perceptron"));
        assert!(done.stderr.contains("remove or replace it"), "{words}");
        assert!(
            !done.stderr.contains("was taken for"),
            "{words}: {}",
            done.stderr
        );
    }
}

#[test]
fn columns_with_large_numbers_for_names_are_named() {
    let of = |name: &str| {
        let table = visits(300, |age, _, clinic, label| {
            format!("{clinic},{age},{label}")
        });
        format!("clinic,{name},late\n{table}")
    };
    let room = Room::new();
    room.write("t.csv", of("90112233"));
    room.write("p.csv", of("p90112233"));
    let command = |name: &str, command: &str| {
        room.run(&format!("{command} {name} --label late --max-memory 500"))
    };
    for words in [
        "train -a perceptron",
        "train",
        "train --standardize",
        "train --shuffle 1",
        "solve --lambda 0.1",
    ] {
        command("t.csv", words).refused(&[
            "90112233 ",
            "column 90112233 is feature 90112233, because its name is a whole number",
            "rename the column, for example to p90112233",
        ]);
        command("p.csv", words).good();
    }
    // svmlight text has no columns
    room.write("t.svm", "1 90112233:1\n-1 1:1\n");
    let done = room.run("train t.svm -a perceptron --max-memory 500");
    assert!(
        done.stderr.contains("renumber the features"),
        "{}",
        done.stderr
    );
}
