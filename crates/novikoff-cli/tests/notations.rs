//! Numbers, dates and headers that were written in other ways than those the readers know, and were learned from as something else. Beside each is a
//! sound table without remarks.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::messy::{Messy, MessyRow};
use common::remarks::said;

/// What is said of the column `extra` of a table, which is made from a random number from 0 to 59.
fn number_text(extra: impl Fn(usize) -> String) -> Vec<String> {
    let room = Room::new();
    let csv = Messy::DEFAULT.csv(|_, random| extra(random.below(60)));
    room.write("t.csv", csv);
    let train = "train t.csv -a averaged --bias 1 --missing mean -q";
    said(&room.json(train), "number-text")
}

#[test]
fn numbers_with_units_are_remarked_on() {
    let years = number_text(|k| format!("{} yrs", 18 + k));
    let expected = "column extra holds numbers with the unit `yrs`, so each value is a category; write the numbers alone, ";
    assert!(
        years.len() == 1
            && years[0].starts_with(expected)
            && years[0].contains(r"as `sed -E 's|([0-9]) yrs\b|\1|g'` does for a table of text")
            && years[0].ends_with("or --drop extra"),
        "{years:?}"
    );
    for sound in [
        number_text(|k| format!("{k}.5")),
        number_text(|k| format!("{} doors", 2 + k % 4)),
        number_text(|k| format!("A{k}")),
    ] {
        assert!(sound.is_empty(), "{sound:?}");
    }
}

#[test]
fn the_remedy_for_units_works() {
    let room = Room::new();
    let csv = Messy::DEFAULT.csv(|_, random| format!("{} yrs", 18 + random.below(60)));
    room.write("t.csv", &csv);
    let sed = std::process::Command::new("sed")
        .args(["-E", r"s|([0-9]) yrs\b|\1|g"])
        .arg(room.path("t.csv"))
        .output();
    let Ok(plain) = sed else {
        return; // there is no sed
    };
    room.write("plain.csv", plain.stdout);
    let json = room.json("train plain.csv -a averaged --bias 1 --missing mean -q");
    assert!(said(&json, "number-text").is_empty(), "{json}");
}

#[test]
fn months_with_names_are_remarked_on() {
    let named = number_text(|k| format!("{:02} Jan {}", 1 + k % 28, 2020 + k % 5));
    let expected = "column extra holds dates that are not written as year-month-day, so each value is a category; write them as 2024-03-05";
    assert_eq!(named, [expected]);
    let long = number_text(|k| format!("\"January {:02}, 2025\"", 1 + k % 28));
    assert_eq!(long, [expected]);
    let iso = number_text(|k| format!("2025-01-{:02}", 1 + k % 28));
    assert!(iso.is_empty(), "{iso:?}");
}

#[test]
fn months_of_years_are_remarked_on() {
    let months = number_text(|n| format!("{}-{:02}", 2019 + n / 12, 1 + n % 12));
    assert!(
        months.len() == 1 && months[0].contains("column extra holds dates"),
        "{months:?}"
    );
    // seasons that go from one year to the next
    let seasons = number_text(|n| format!("{}-{:02}", 1950 + n, (1951 + n) % 100));
    assert_eq!(seasons, [""; 0]);
}

#[test]
fn a_decimal_comma_is_no_thousands_separator() {
    let decimal = number_text(|k| format!("\"{},{:03}\"", k % 3, 7 * k));
    assert!(
        decimal.len() == 1 && decimal[0].contains("numbers with a decimal comma"),
        "{decimal:?}"
    );
    let thousands = number_text(|k| format!("\"{},{:03}\"", 1 + k % 3, 7 * k));
    assert!(
        thousands.len() == 1 && thousands[0].contains("thousands separators"),
        "{thousands:?}"
    );
}

/// JSON lines whose field `income` is written as asked, and whose field `zip` is a string.
fn lines(income: impl Fn(usize, f64) -> String) -> String {
    let mut random = SplitMix64(5);
    let mut text = String::new();
    for k in 0..600 {
        let value = (1e6 * random.uniform()).round() / 100.0;
        let label = ["no", "yes"][usize::from(value > 6000.0 || random.below(4) == 0)];
        let (income, zip) = (income(k, value), format!("{:05}", 40 * random.below(400)));
        let _ = writeln!(
            text,
            "{{\"income\": {income}, \"zip\": \"{zip}\", \"label\": \"{label}\"}}"
        );
    }
    text
}

#[test]
fn numbers_in_quotes_are_remarked_on() {
    let room = Room::new();
    let of = |text: String| {
        room.write("t.jsonl", text);
        said(
            &room.json("train t.jsonl -a averaged --standardize -q"),
            "number-text",
        )
    };
    let quoted = of(lines(|_, value| format!("\"{value}\"")));
    assert!(
        quoted.len() == 1
            && quoted[0].starts_with(
                "column income holds numbers as strings: 600 of its first 600 values are strings such as \""
            )
            && quoted[0].contains("as `jq -c '(.income | strings) |= tonumber'` does for JSON lines"),
        "{quoted:?}"
    );
    let mixed = |k: usize, value: f64| match k % 3 {
        0 => format!("\"{value}\""),
        _ => value.to_string(),
    };
    let mixed = of(lines(mixed));
    assert!(
        mixed.len() == 1 && mixed[0].contains("200 of its first 600 values are strings"),
        "{mixed:?}"
    );
    let sound = of(lines(|_, value| value.to_string()));
    assert!(sound.is_empty(), "{sound:?}");
    // a string behind numbers
    let late = |k: usize, value: f64| match k {
        599 => format!("\"{value}\""),
        _ => value.to_string(),
    };
    room.write("t.jsonl", lines(late));
    room.run("train t.jsonl -a averaged").refused(&[
        "t.jsonl:600:",
        "a number in quotes, but the field holds numbers; write it without quotes",
    ]);
}

#[test]
fn what_stands_above_a_table_is_skipped_or_named() {
    let room = Room::new();
    let csv = Messy::DEFAULT.csv(|_, random| format!("{}", random.below(60)));
    let train = "train t.csv -a averaged --bias 1 --missing mean";
    room.write("t.csv", &csv);
    let plain = room.json(train);
    room.write("t.csv", format!("sep=;\n{}", csv.replace(',', ";")));
    let named = room.json(train);
    assert_eq!(named["mistakes"], plain["mistakes"]);
    assert_eq!(named["data"]["rows"], 2000);
    room.write("t.csv", "sep=;\n");
    room.run(train).refused(&["the data has no rows"]);
    for title in ["Loan export 2025,,,,,\n", "Loan export 2025\n\n"] {
        room.write("t.csv", format!("{title}{csv}"));
        let line = 1 + title.lines().count();
        let remedy = format!("remove what stands before line {line}, as `tail -n +{line}` does");
        for options in ["", " --label label"] {
            room.run(&format!("{train}{options}")).refused(&[
                "t.csv: the first line has 1 field, and line ",
                "those after it have 6, so it looks like a title; ",
                &remedy,
            ]);
        }
    }
}

#[test]
fn a_header_within_a_table_of_categories_is_refused() {
    let room = Room::new();
    let mut random = SplitMix64(3);
    let mut month = || {
        let mut text = "q1,q2,buys\n".to_owned();
        for _ in 0..200 {
            let mut of = |words: [&'static str; 3]| words[random.below(3)];
            let (a, b) = (of(["agree", "neutral", "disagree"]), of(["f", "m", "d"]));
            let _ = writeln!(text, "{a},{b},{}", of(["yes", "no", "no"]));
        }
        text
    };
    let (first, second) = (month(), month());
    let train = "train t.csv --label buys -a averaged";
    room.write("t.csv", format!("{first}{second}"));
    room.run(train).refused(&[
        "t.csv:202:1: this record is the header again, as if another table began; remove it",
    ]);
    let rows = second.split_once('\n').map_or("", |(_, rows)| rows);
    room.write("t.csv", format!("{first}{rows}"));
    assert_eq!(room.json(train)["data"]["rows"], 400);
}

#[test]
fn the_column_of_a_text_model_is_named() {
    let room = Room::new();
    let mut lines = String::new();
    for k in 0..60 {
        let (word, label) = [("money", "spam"), ("meeting", "ham")][k % 2];
        let _ = writeln!(
            lines,
            "{{\"body\": \"{word} today\", \"label\": \"{label}\"}}"
        );
    }
    room.write("t.jsonl", &lines);
    room.run("train t.jsonl --text body -a averaged -o m.model")
        .good();
    room.write("other.csv", "ticket,message\n1,money today\n");
    room.run("predict m.model other.csv").refused(&[
        "column \"body\" is missing, which the model or an earlier input has; the input has \"ticket\", \"message\"; \
         rename the column that is meant to \"body\", or add it",
    ]);
    room.write("other.jsonl", "{\"id\": 7, \"message\": \"money today\"}\n");
    room.run("predict m.model other.jsonl").refused(&[
        "no row has a feature that the model knows; it knows no columns id, message; its only column is body; ",
    ]);
    room.write("sound.csv", "ticket,body\n1,money today\n");
    room.run("predict m.model sound.csv --lenient").good();
}

#[test]
fn remarks_print_numbers_that_can_be_found() {
    let room = Room::new();
    let train = "train t.csv -a averaged --bias 1 --missing mean -q";
    let with = |cell: fn(usize) -> String| {
        let csv = Messy::DEFAULT.csv(|of, _| cell(of.row));
        room.write("t.csv", csv);
        room.json(train)
    };
    let rounded = with(|row| match row {
        700 => "99999999".to_owned(),
        row => (row % 17).to_string(),
    });
    let outlier = said(&rounded, "outlier");
    assert!(
        outlier.len() == 1
            && outlier[0].contains(
                "the value 100000000 (a number from 99999996 to 100000004 in the data) in column extra"
            ),
        "{outlier:?}"
    );
    let scales = said(&with(|row| (row % 17).to_string()), "scales");
    assert!(
        scales.iter().all(
            |said| !said.contains("joined.year") || said.contains("joined.year are about 2023")
        ),
        "{scales:?}"
    );
    assert_eq!(scales.len(), 1, "the years are large: {scales:?}");
}

#[test]
fn a_shift_beyond_what_is_counted_is_more_than_that() {
    let room = Room::new();
    let shifted = |by: usize| {
        let csv = Messy::DEFAULT.csv(|_, random| format!("{}", by + random.below(10)));
        room.write("later.csv", csv);
        let evaluate = "evaluate m.model later.csv -q";
        said(&room.json(evaluate), "shifted")
    };
    let csv = Messy::DEFAULT.csv(|_, random| format!("{}", random.below(10)));
    room.write("t.csv", csv);
    room.run("train t.csv -a averaged --standardize --missing mean -o m.model")
        .good();
    let far = shifted(1000);
    assert!(
        far.len() == 1 && far[0].contains("which is more than 10 standard deviations from 4."),
        "{far:?}"
    );
    let near = shifted(15);
    assert!(
        near.len() == 1 && near[0].contains("which is 5.") && !near[0].contains("more than"),
        "{near:?}"
    );
    assert!(shifted(0).is_empty());
}

/// Durations of customers who come several times: the column predicts the label, as ids do, and the remedy is another notation.
#[test]
fn durations_are_not_called_ids() {
    let messy = Messy {
        per_customer: 10,
        ..Messy::DEFAULT
    };
    let room = Room::new();
    // one row in four is another customer's
    let customer = |of: MessyRow, random: &mut SplitMix64| {
        let is_other = random.below(4) == 0;
        if is_other {
            random.below(200)
        } else {
            of.customer
        }
    };
    room.write(
        "t.csv",
        messy.csv(|of, random| {
            let customer = customer(of, random);
            format!("{}:{:02}", customer % 97, customer * 7 % 60)
        }),
    );
    let json = room.json("train t.csv -a averaged --bias 1 --missing mean --shuffle 1 -q");
    assert_eq!(said(&json, "number-text").len(), 1, "{json}");
    assert_eq!(said(&json, "ids"), Vec::<String>::new(), "{json}");
    // and codes are
    room.write(
        "t.csv",
        messy.csv(|of, random| format!("k{}x", customer(of, random))),
    );
    let json = room.json("train t.csv -a averaged --bias 1 --missing mean --shuffle 1 -q");
    assert_eq!(said(&json, "ids").len(), 1, "{json}");
}
