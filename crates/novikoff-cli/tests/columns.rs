//! Columns that make a result worthless although every cell can be read: what is said of them.

use std::fmt::Write as _;

use crate::common::{Done, Room, lines};

/// The texts of remarks of one kind.
fn remarks(done: &Done, kind: &str) -> Vec<String> {
    let json = done.json();
    let all = json["remarks"].as_array().into_iter().flatten();
    all.filter(|remark| remark["kind"] == kind)
        .map(|remark| remark["text"].as_str().expect("a text").to_owned())
        .collect()
}

/// A table of x and z, which predict the label y nearly, and one more column.
fn table(name: &str, cell: impl Fn(usize) -> String) -> String {
    let mut text = format!("x,z,{name},y\n");
    for row in 0..400_usize {
        let (x, z) = (row * 7 % 13, row * 5 % 11);
        let y = if x > z || row.is_multiple_of(17) {
            "yes"
        } else {
            "no"
        };
        let _ = writeln!(text, "{x},{z},{},{y}", cell(row)); // writing to a String cannot fail
    }
    text
}

/// Rows of JSON; `person` has the fields of age and start.
fn people(person: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for row in 0..400 {
        let y = ["no", "yes"][usize::from(row * 7 % 13 > row * 5 % 11)];
        let (x, person) = (row * 7 % 13, person(row));
        let _ = writeln!(text, "{{\"x\": {x}, {person}\"y\": \"{y}\"}}"); // writing to a String cannot fail
    }
    text
}

fn written(row: usize) -> String {
    let (age, year) = (30 + row % 40, 2015 + row % 9);
    format!("\"age\": {age}, \"start\": \"{year}-03-05\", ")
}

#[test]
fn fields_that_are_not_written_are_said_where_zero_is_far_from_the_mean() {
    let room = Room::new();
    let none = |row: usize| {
        if row.is_multiple_of(14) {
            String::new()
        } else {
            written(row)
        }
    };
    let null = |row: usize| match row % 14 {
        0 => "\"age\": null, \"start\": null, ".to_owned(),
        _ => written(row),
    };
    room.write("whole.jsonl", people(written));
    room.write("none.jsonl", people(none));
    room.write("null.jsonl", people(null));
    room.write("never.jsonl", people(|_| String::new()));
    let words = "--standardize --bias 1 -a averaged --shuffle 1 --json";
    let said = |data: &str, more: &str| {
        let done = room.run(&format!("train {data} {words} {more}"));
        remarks(&done.good(), "missing-scale")
    };
    assert!(said("whole.jsonl", "-o whole").is_empty());
    assert!(said("null.jsonl", "--missing mean").is_empty());
    let none = said("none.jsonl", "");
    assert_eq!(none.len(), 2, "{none:?}");
    for (text, field) in none.iter().zip(["age", "start"]) {
        let start = format!("29 of 400 rows have no field {field}, which is read as 0, ");
        assert!(text.starts_with(&start), "{text}");
        assert!(
            text.contains("--missing mean") && text.contains("null"),
            "{text}"
        );
    }
    // zeros that are meant are far from no mean
    let rare = |row: usize| {
        if row.is_multiple_of(5) {
            format!("\"clicks\": {}, ", 1 + row % 3)
        } else {
            String::new()
        }
    };
    room.write("rare.jsonl", people(rare));
    assert!(said("rare.jsonl", "").is_empty());
    let never = room.run("evaluate whole never.jsonl --json").good();
    let never = remarks(&never, "missing-scale");
    assert!(
        never[0].starts_with("400 of 400 rows have no field age"),
        "{never:?}"
    );
}

#[test]
fn a_text_that_is_missing_has_no_words() {
    let room = Room::new();
    let note = |row: usize| ["NA", "null", "good work", "", "NA value", "?"][row % 6].to_owned();
    room.write("t.csv", table("note", note));
    room.run("train t.csv --label y --text note -a averaged -o m")
        .good();
    let weights = room.run("inspect m --weights").good().stdout;
    for (word, is_there) in [
        ("na", true),
        ("value", true),
        ("null", false),
        ("work", true),
    ] {
        assert_eq!(
            weights.contains(&format!("note^{word}\t")),
            is_there,
            "{word}: {weights}"
        );
    }
    // quoted or not, and whatever stands for a missing text, the rows are those with an empty one
    let empty = |row: usize| match note(row).as_str() {
        "NA" | "null" | "?" | "" => String::new(),
        text => format!("\"{text}\""),
    };
    room.write("empty.csv", table("note", empty));
    room.run("train empty.csv --label y --text note -a averaged -o e")
        .good();
    assert_eq!(room.bytes("m"), room.bytes("e"));
}

#[test]
fn categories_that_differ_in_case_or_blanks_are_said() {
    let room = Room::new();
    let kind = |row: usize| ["motor", "Motor", "motor ", "fire"][row % 4].to_owned();
    room.write("t.csv", table("kind", kind));
    let done = room
        .run("train t.csv --label y -a averaged --bias 1 --json")
        .good();
    assert_eq!(
        remarks(&done, "categories"),
        [
            "categories of column kind that differ only in case or blanks are different features: \
          `Motor` and `motor` and `motor `; write each category in one way"
        ]
    );
    let answer = |row: usize| ["yes", "Y", "no", "no", ""][row % 5].to_owned();
    room.write("t.csv", table("sms", answer));
    let done = room
        .run("train t.csv --label y -a averaged --bias 1 --missing indicator --json")
        .good();
    assert_eq!(
        remarks(&done, "categories"),
        [
            "categories of column sms that may mean the same are different features: `Y` and `yes`; write each category in one way"
        ]
    );
    // a gas, and answers that are one each
    for words in [
        ["no", "n", "co", "so2"],
        ["yes", "no", "yes", "maybe"],
        ["y", "n", "n", "y"],
    ] {
        room.write("t.csv", table("kind", |row| words[row % 4].to_owned()));
        let done = room
            .run("train t.csv --label y -a averaged --bias 1 --json")
            .good();
        assert!(remarks(&done, "categories").is_empty(), "{words:?}");
    }
    room.write("t.csv", table("kind", |row| kind(4 * row)));
    let done = room
        .run("train t.csv --label y -a averaged --bias 1 --json")
        .good();
    assert!(remarks(&done, "categories").is_empty());
}

#[test]
fn values_far_from_all_others_are_said() {
    let room = Room::new();
    let train = "train t.csv --label y --standardize --bias 1 -a averaged --shuffle 1 --json";
    let said = |cell: &dyn Fn(usize) -> String| {
        room.write("t.csv", table("amount", cell));
        remarks(&room.run(train).good(), "outlier")
    };
    let plain = |row: usize| (100 + row * 31 % 97).to_string();
    assert!(said(&plain).is_empty());
    let slip = said(&|row| {
        if row == 350 {
            "1e30".to_owned()
        } else {
            plain(row)
        }
    });
    assert_eq!(slip.len(), 1);
    assert!(
        slip[0].starts_with("1 row has the value 1e30 in column amount, "),
        "{slip:?}"
    );
    let sentinel = said(&|row| {
        if row % 20 == 3 {
            "-999".to_owned()
        } else {
            plain(row)
        }
    });
    assert!(
        sentinel[0].starts_with("20 rows have the value -999 in column amount, "),
        "{sentinel:?}"
    );
    assert!(sentinel[0].contains("--missing mean"), "{sentinel:?}");
    // a rare feature is no slip, and neither is a long tail
    assert!(said(&|row| u8::from(row == 350).to_string()).is_empty());
    assert!(said(&|row| (row * row * row).to_string()).is_empty());
}

#[test]
fn a_copy_of_the_label_and_numbers_that_are_ids_are_said() {
    let room = Room::new();
    let train = "train t.csv --label y -a averaged --bias 1 --shuffle 1 --json";
    let label = |row: usize| row * 7 % 13 > row * 5 % 11 || row.is_multiple_of(17);
    for (cell, feature) in [
        (
            &(|row: usize| ["gone", "here"][usize::from(label(row))].to_owned())
                as &dyn Fn(usize) -> String,
            "status=",
        ),
        (
            &|row| u8::from(label(row)).to_string(),
            "status is there exactly where the label is yes",
        ),
    ] {
        room.write("t.csv", table("status", cell));
        let leaks = remarks(&room.run(train).good(), "leakage");
        assert_eq!(leaks.len(), 1);
        assert!(
            leaks[0].starts_with("column status predicts the label: in the first 400 rows "),
            "{leaks:?}"
        );
        assert!(
            leaks[0].contains(feature) && leaks[0].contains("--drop status"),
            "{leaks:?}"
        );
    }
    let near = |row: usize| u8::from(label(row) != (row % 10 == 9)).to_string();
    room.write("t.csv", table("status", near));
    assert!(remarks(&room.run(train).good(), "leakage").is_empty());
    room.write(
        "t.csv",
        table("customer_id", |row| (row * 7_919 % 10_007).to_string()),
    );
    let ids = remarks(&room.run(train).good(), "ids");
    assert!(
        ids[0].starts_with("column customer_id looks like an id: its first 400 values"),
        "{ids:?}"
    );
    room.write(
        "t.csv",
        table("amount", |row| (row * 7_919 % 10_007).to_string()),
    );
    assert!(remarks(&room.run(train).good(), "ids").is_empty());
}

#[test]
fn a_missing_column_is_said_as_it_is_read() {
    let room = Room::new();
    let start = |row: usize| match row % 10 {
        0 => "NA".to_owned(),
        row => format!("{}-01-02", 2018 + row % 9),
    };
    room.write("t.csv", table("start", start));
    room.run("train t.csv --label y --missing indicator --standardize --bias 1 -a averaged -o m")
        .good();
    let without = |text: String| {
        let cut = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            [cells[0], cells[1], cells[3]].join(",")
        };
        lines(text.lines().map(cut))
    };
    room.write("without.csv", without(table("start", start)));
    let done = room.run("evaluate m without.csv --json").good();
    let said = remarks(&done, "missing-column");
    let as_it_is = "column start is missing, which the model or an earlier input has; it is read as missing, with its mean in training, 2022";
    assert!(said[0].contains(as_it_is), "{said:?}");
    // what stands for missing cells is no value of the data
    let whole = table("start", start);
    let odd = whole.lines().enumerate().map(|(k, line)| match k {
        0 => format!("{line},new"),
        k => format!("{line},{}", ["a", "b"][k % 2]),
    });
    let odd: Vec<String> = odd.collect();
    let cut = odd.iter().map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        [cells[0], cells[1], cells[3], cells[4]].join(",")
    });
    room.write("cut.csv", lines(cut));
    room.write("odd.csv", lines(&odd));
    let count = |data: &str| {
        let done = room.run(&format!("evaluate m {data} --json")).good();
        let said = remarks(&done, "unknown-features");
        let (_, rest) = said[0].split_once("of ").expect("a count");
        let (of, _) = rest.split_once(' ').expect("a count");
        of.replace(',', "").parse::<u64>().expect("a number")
    };
    assert!(count("cut.csv") < count("odd.csv"));
}
