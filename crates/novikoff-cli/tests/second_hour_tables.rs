//! Tables that look sound and are not: columns that predict the label, numbers with a word among them, dates in several forms. Each has beside it a sound
//! table, which gets no remark.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use serde_json::Value;

/// How the cell of a column is made: of the number of the row, of its label, and at random.
type Cells = dyn Fn(usize, bool, &mut SplitMix64) -> String;

/// The texts of the remarks of a kind.
fn remarks(json: &Value, kind: &str) -> Vec<String> {
    let list = json["remarks"].as_array().map_or(&[][..], |list| list);
    let found = list.iter().filter(|remark| remark["kind"] == kind);
    let text = |remark: &Value| remark["text"].as_str().unwrap_or_default().to_owned();
    found.map(text).collect()
}

/// A table of two numbers, which say something about the label, and of one more column. The cell of that column is made of the number of the row,
/// whether its label is yes, and random numbers.
fn table(rows: usize, cell: impl Fn(usize, bool, &mut SplitMix64) -> String) -> String {
    let mut random = SplitMix64(7);
    let mut text = "a,b,c,label\n".to_owned();
    for row in 0..rows {
        let (a, b) = (random.uniform() - 0.5, 50.0 + 20.0 * random.uniform());
        let is_yes = a + 0.05 * (b - 60.0) + random.uniform() > 0.9;
        let (cell, label) = (
            cell(row, is_yes, &mut random),
            ["no", "yes"][usize::from(is_yes)],
        );
        let _ = writeln!(text, "{a:.4},{b:.3},{cell},{label}");
    }
    text
}

/// The same table, sorted by label.
fn sorted(text: &str) -> String {
    let (header, rows) = text.split_once('\n').expect("a header");
    let (yes, no): (Vec<&str>, Vec<&str>) = rows.lines().partition(|row| row.ends_with(",yes"));
    let rows = no.into_iter().chain(yes);
    format!("{header}\n{}\n", rows.collect::<Vec<&str>>().join("\n"))
}

const JOBS: [&str; 5] = [
    "train t.csv -a averaged -q",
    "train t.csv -a averaged --shuffle 1 -q",
    "compare t.csv averaged --shuffle 1 -q",
    "solve t.csv --lambda 0.01 -q",
    "tune t.csv -a averaged --shuffle 1 -q",
];

#[test]
fn a_column_that_is_the_label_is_found_in_rows_that_come_sorted() {
    let room = Room::new();
    let status = |_: usize, is_yes: bool, _: &mut SplitMix64| {
        (if is_yes { "closed" } else { "open" }).to_owned()
    };
    // more rows of the first label than are looked at
    room.write("t.csv", sorted(&table(6000, status)));
    for job in JOBS {
        let leaks = remarks(&room.json(job), "leakage");
        assert_eq!(leaks.len(), 1, "{job}: {leaks:?}");
        assert!(
            leaks[0].starts_with("column c predicts the label: in ")
                && leaks[0].contains(" is there exactly where the label is ")
                && leaks[0].contains("--drop c"),
            "{job}: {leaks:?}"
        );
    }
    let text = room.text("t.csv");
    let piped = room.json_piped("train - -a averaged -q", &text);
    assert_eq!(remarks(&piped, "leakage").len(), 1, "{piped}");
    // a column that has nothing to do with the label
    let other = |_: usize, _: bool, random: &mut SplitMix64| format!("k{}", random.below(4));
    room.write("t.csv", sorted(&table(6000, other)));
    for job in JOBS {
        let json = room.json(job);
        assert!(remarks(&json, "leakage").is_empty(), "{job}: {json}");
    }
}

#[test]
fn a_column_that_alone_answers_nearly_all_rows_is_found() {
    let room = Room::new();
    let train = "train t.csv -a averaged --bias 1 --standardize -q";
    // a number above one half where the label is yes
    let score = |_: usize, is_yes: bool, random: &mut SplitMix64| {
        format!(
            "{:.4}",
            0.5 * random.uniform() + if is_yes { 0.5001 } else { 0.0 }
        )
    };
    room.write("t.csv", table(1000, score));
    for job in ["train t.csv -a averaged -q", train, JOBS[3]] {
        let leaks = remarks(&room.json(job), "leakage");
        assert_eq!(leaks.len(), 1, "{job}: {leaks:?}");
        assert!(
            leaks[0].starts_with("column c predicts the label: a threshold, at least 0.5")
                && leaks[0].contains("is right for 1,000 of the first 1,000 rows (100.00%)"),
            "{job}: {leaks:?}"
        );
    }
    // a category that is the label in all but 1%, and in all but 8% of the rows
    let status = |odd: usize| {
        move |row: usize, is_yes: bool, _: &mut SplitMix64| {
            let is_closed = is_yes != (row % 100 < odd);
            (if is_closed { "closed" } else { "open" }).to_owned()
        }
    };
    room.write("t.csv", table(1000, status(1)));
    let leaks = remarks(&room.json(train), "leakage");
    assert!(
        leaks[0].starts_with(
            "column c predicts the label: the most frequent label of each of its values is right for 990 of the first 1,000 rows (99.00%)"
        ),
        "{leaks:?}"
    );
    room.write("t.csv", table(1000, status(8)));
    let json = room.json(train);
    assert!(remarks(&json, "leakage").is_empty(), "{json}");
    // a number that says much about the label, and not all
    let hint = |_: usize, is_yes: bool, random: &mut SplitMix64| {
        format!("{:.4}", random.uniform() + if is_yes { 0.5 } else { 0.0 })
    };
    room.write("t.csv", table(1000, hint));
    let json = room.json(train);
    assert!(remarks(&json, "leakage").is_empty(), "{json}");
}

#[test]
fn a_row_number_with_gaps_is_found() {
    let room = Room::new();
    let number = |row: usize, _: bool, _: &mut SplitMix64| (row + 1).to_string();
    room.write("t.csv", sorted(&table(3000, number)));
    let ids = remarks(&room.json("train t.csv -a averaged -q"), "ids");
    assert!(
        ids.len() == 1
            && ids[0].starts_with("column c looks like a row number, with gaps: its first "),
        "{ids:?}"
    );
    // an amount
    let amount = |_: usize, _: bool, random: &mut SplitMix64| random.below(5000).to_string();
    room.write("t.csv", table(3000, amount));
    let json = room.json("train t.csv -a averaged -q");
    assert!(remarks(&json, "ids").is_empty(), "{json}");
}

#[test]
fn a_word_among_numbers_makes_no_categories() {
    let room = Room::new();
    let number = |random: &mut SplitMix64| format!("{:.3}", 100.0 * random.uniform());
    // one word in the first row is the error that it is in any other row; a hyphen and a word for what is not known are gaps
    let what = "not a finite decimal number";
    let gap = "is a missing value";
    for (word, what) in [("broken", what), ("Unknown", gap), ("-", gap)] {
        for bad in [0, 700] {
            let text = table(1500, |row, _, random| {
                if row == bad {
                    word.to_owned()
                } else {
                    number(random)
                }
            });
            room.write("t.csv", &text);
            let place = format!("t.csv:{}:", bad + 2);
            room.run("train t.csv -a averaged -q")
                .refused(&[&*place, "column \"c\"", word, what]);
        }
    }
    let json = room.json("train t.csv -a averaged --categorical c -q");
    assert!(remarks(&json, "number-text").is_empty(), "{json}");
    // many words: the column is left out, and the words are named
    let some = |row: usize, _: bool, random: &mut SplitMix64| match row % 10 {
        0 | 3 | 7 => "pending".to_owned(),
        _ => number(random),
    };
    room.write("t.csv", table(1500, some));
    let json = room.json("train t.csv -a averaged -q");
    let said = remarks(&json, "number-text");
    assert!(
        said.len() == 1
            && said[0].starts_with(
                "column c holds numbers and other values: 1,050 of its first 1,500 values are numbers, and others are `pending`, so it is left out"
            )
            && said[0].contains("--categorical c"),
        "{json}"
    );
    // JSON lines
    let mut lines = "{\"x\":\"unknown\",\"label\":\"yes\"}\n".to_owned();
    for row in 0..300 {
        let label = ["no", "yes"][row % 2];
        let _ = writeln!(lines, "{{\"x\":{row}.5,\"label\":\"{label}\"}}");
    }
    room.write("t.jsonl", lines);
    room.run("train t.jsonl -a averaged -q")
        .refused(&["t.jsonl:1:", "field \"x\""]);
    // names of categories, some of them numbers
    let floor = |row: usize, _: bool, _: &mut SplitMix64| match row % 4 {
        0 => "ground".to_owned(),
        floor => floor.to_string(),
    };
    room.write("t.csv", table(1500, floor));
    let json = room.json("train t.csv -a averaged -q");
    assert!(remarks(&json, "number-text").is_empty(), "{json}");
}

/// A day of 2024, as year, month and day.
fn day(random: &mut SplitMix64) -> (usize, usize, usize) {
    (2024, 1 + random.below(12), 1 + random.below(28))
}

#[test]
fn dates_that_are_not_read_as_dates_are_named() {
    let room = Room::new();
    let train = "train t.csv -a averaged -q";
    for slashes in [3, 7] {
        let text = table(1000, |row, _, random| {
            let (year, month, day) = day(random);
            match row % 10 {
                k if k < slashes => format!("{day:02}/{month:02}/{year}"),
                _ => format!("{year}-{month:02}-{day:02}"),
            }
        });
        room.write("t.csv", text);
        let said = remarks(&room.json(train), "number-text");
        assert!(
            said.len() == 1
                && said[0].starts_with("column c holds dates in several forms: ")
                && said[0].contains("written as `2024-")
                && said[0].contains("/2024`")
                && said[0].contains("2024-03-05"),
            "{said:?}"
        );
    }
    let numbers = |_: usize, _: bool, random: &mut SplitMix64| {
        let (year, month, day) = day(random);
        format!("{year}{month:02}{day:02}")
    };
    room.write("t.csv", table(1000, numbers));
    for job in [train, "train t.csv -a averaged --standardize -q"] {
        let said = remarks(&room.json(job), "number-text");
        assert!(
            said.len() == 1
                && said[0].starts_with(
                    "column c holds dates as numbers: its first 200 values are dates such as 2024"
                )
                && said[0].contains("write them as 2024-"),
            "{job}: {said:?}"
        );
    }
    // dates as they are read, and numbers of eight digits that are no dates
    let sound: [&Cells; 2] = [
        &|_, _, random| {
            let (year, month, day) = day(random);
            format!("{year}-{month:02}-{day:02}")
        },
        &|_, _, random| (20_240_000 + random.below(5000)).to_string(),
    ];
    for cell in sound {
        room.write("t.csv", table(1000, cell));
        let json = room.json(train);
        assert!(remarks(&json, "number-text").is_empty(), "{json}");
    }
}
