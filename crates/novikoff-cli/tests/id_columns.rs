//! Columns that are ids, indexes or neither.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::messy::{Extra, Messy, is_silent, on_table};
use common::remarks::said;

#[test]
fn ids_that_come_several_times_are_found() {
    let seven = Messy {
        per_customer: 7,
        ..Messy::DEFAULT
    };
    let account: &Extra = &|of, _| format!("A{}", of.customer * 7919 % 1009);
    let number: &Extra = &|of, _| format!("{}", of.customer * 7919 % 10_007);
    for extra in [account, number] {
        let text = on_table(seven, extra, "--missing zero", "ids");
        let leaks = on_table(seven, extra, "--missing zero", "leakage");
        assert_eq!(text.len() + leaks.len(), 1, "{text:?} {leaks:?}");
    }
    // one is named as what it is, though it tells nothing
    let room = Room::new();
    let csv = Messy {
        per_customer: 7,
        is_noise: true,
        ..Messy::DEFAULT
    };
    for id in ["A", ""] {
        let table = csv.csv(|of, _| format!("{id}{}", of.customer * 7919 % 10_007));
        room.write("t.csv", table.replacen("extra", "customer_id", 1));
        let json = room.json("train t.csv -a averaged --missing zero -q");
        let ids = said(&json, "ids");
        assert!(
            ids.len() == 1 && ids[0].contains("column customer_id looks like an id"),
            "{id}: {ids:?}"
        );
    }
    let city: &Extra = &|of, random| format!("c{}", (of.customer + random.below(2)) % 40);
    is_silent(seven, city, "--missing zero");
}

/// As pandas writes them: `to_csv` with an index, the same read and written again, and a table of Parquet in text.
#[test]
fn the_index_of_a_table_is_left_out() {
    for name in ["", "Unnamed: 0", "__index_level_0__"] {
        let room = Room::new();
        let mut random = SplitMix64(7);
        let (mut table, mut plain) = (format!("{name},a,y\n"), "a,y\n".to_owned());
        for row in 0..400 {
            let a = random.uniform() - 0.5;
            let y = if a > 0.0 { "yes" } else { "no" };
            let _ = writeln!(table, "{},{a:.4},{y}", row * 7919 % 400);
            let _ = writeln!(plain, "{a:.4},{y}");
        }
        room.write("t.csv", &table);
        room.write("plain.csv", &plain);
        let json = room.json("train t.csv --label y -a perceptron -o t.model -q");
        let name = if name.is_empty() { "Unnamed: 0" } else { name };
        let ids = said(&json, "ids");
        assert!(
            ids.len() == 1
                && ids[0].starts_with(&format!("column {name} is the index of the table"))
                && ids[0].contains("--drop"),
            "{ids:?}"
        );
        let other = room.json("train plain.csv --label y -a perceptron -o plain.model -q");
        assert_eq!(json["mistakes"], other["mistakes"], "{name}");
        // files with the index and without it are answered by both models
        let answers = ["t", "plain"].map(|model| {
            ["t", "plain"].map(|data| {
                room.run(&format!("predict {model}.model {data}.csv -q"))
                    .good()
                    .stdout
            })
        });
        assert!(answers.iter().flatten().all(|one| *one == answers[0][0]));
        // who asks for it gets it
        if name.contains(' ') {
            assert!(ids[0].contains(&format!("--drop \"{name}\"")), "{ids:?}");
        } else {
            let asked = room.json(&format!(
                "train t.csv --label y -a perceptron --only a,{name} -q"
            ));
            assert!(
                said(&asked, "ids")
                    .iter()
                    .all(|id| !id.contains("left out"))
            );
        }
    }
}

/// `to_csv` with an index, read as it is and written with an index again.
#[test]
fn two_indexes_are_left_out() {
    let room = Room::new();
    let mut table = ",Unnamed: 0,a,y\n".to_owned();
    for row in 0..300 {
        let a = f64::from(row * 7 % 11) - 5.0;
        let _ = writeln!(
            table,
            "{row},{row},{a},{}",
            if a > 0.0 { "yes" } else { "no" }
        );
    }
    room.write("t.csv", &table);
    let json = room.json("train t.csv --label y -a perceptron -q");
    let ids = said(&json, "ids");
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(
        ids.iter()
            .all(|id| id.contains("is the index of the table"))
    );
    // `--only` has decided about them
    let json = room.json("train t.csv --label y -a perceptron --only a -q");
    assert!(said(&json, "ids").is_empty(), "{json}");
}

#[test]
fn a_column_of_hyphens_is_a_category() {
    let room = Room::new();
    let mut table = "flag,a,y\n".to_owned();
    for row in 0..300 {
        let flag = if row < 290 { "-" } else { "x" };
        let _ = writeln!(table, "{flag},{},{}", row % 5, ["no", "yes"][row % 5 / 3]);
    }
    room.write("t.csv", &table);
    let json = room.json("train t.csv --label y -a perceptron -q");
    assert_eq!(json["data"]["classes"], 2, "{json}");
}

/// A measurement with few digits repeats too, and is no id if a threshold tells as much.
#[test]
fn a_rounded_measurement_is_no_id() {
    let rounded: &Extra = &|of, random| {
        let sum: f64 = (0..4).map(|_| random.uniform() - 0.5).sum();
        format!("{:.2}", sum + if of.is_yes { 1.2 } else { 0.0 })
    };
    is_silent(Messy::DEFAULT, rounded, "--missing zero");
}

/// A measurement of three classes, which no single threshold tells apart.
#[test]
fn a_measurement_of_several_classes_is_no_id() {
    let table = |is_measured: bool| {
        let mut random = SplitMix64(6);
        let ids: Vec<usize> = (0..400).map(|_| random.below(3)).collect();
        let mut text = "size,other,label\n".to_owned();
        for _ in 0..1500 {
            let (label, size) = if is_measured {
                let label = random.below(3);
                (label, 100 * label + random.below(130))
            } else {
                let id = random.below(ids.len());
                (ids[id], id)
            };
            writeln!(text, "{size}.5,{:.4},c{label}", random.uniform()).expect("writing to memory");
        }
        text
    };
    let room = Room::new();
    let ids = |is_measured| {
        room.write("t.csv", table(is_measured));
        said(
            &room.json("train t.csv -a averaged --standardize --bias 1 -q"),
            "ids",
        )
    };
    assert!(ids(true).is_empty(), "{:?}", ids(true));
    assert_eq!(ids(false).len(), 1);
}

#[test]
fn ids_are_no_reason_to_standardise() {
    let room = Room::new();
    // a column that is to be left out, and a small number beside it
    let lines = |cell: &dyn Fn(usize) -> usize, name: &str, more: &str| {
        let mut random = SplitMix64(3);
        let mut text = String::new();
        for row in 0..600 {
            let word = ["red", "blue", "green"][random.below(3)];
            let label = ["yes", "no"][random.below(2)];
            let size = random.uniform();
            let _ = writeln!(
                text,
                r#"{{"{name}": {}, "body": "a {word} thing", {more}"y": "{label}", "size": {size:.3}}}"#,
                cell(row)
            );
        }
        room.write("t.jsonl", text);
        let json = room.json("train t.jsonl --label y --text body -a averaged --bias 1 -q");
        (
            said(&json, "ids").len(),
            said(&json, "scales").len(),
            said(&json, "baseline").concat(),
        )
    };
    let number: &dyn Fn(usize) -> usize = &|row| 300_000 + row;
    let gaps: &dyn Fn(usize) -> usize = &|row| 300_000 + row + row / 3;
    let jumps: &dyn Fn(usize) -> usize = &|row| 300_000 + row * 7919 % 100_003;
    for (cell, name) in [
        (number, "id"),
        (jumps, "ticket_id"),
        (number, "nr"),
        (gaps, "nr"),
    ] {
        let (ids, scales, _) = lines(cell, name, "");
        assert_eq!((ids, scales), (1, 0), "{name}");
    }
    // an amount, and ids beside one
    assert_eq!(lines(jumps, "amount", "").1, 1);
    assert_eq!(lines(number, "id", r#""amount": 200000.5, "#).1, 1);
}
