//! Labels that are quantities: results that are no better than their mean, and data that makes results worthless.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use serde_json::Value;

/// A house: its area, rooms and age, and its price.
type House = (f64, f64, f64, f64);

fn houses(rows: usize, seed: u64) -> Vec<House> {
    let mut random = SplitMix64(seed);
    let house = |_| {
        let area = (400.0 + 1200.0 * random.uniform()).round() / 10.0;
        let rooms = 1.0 + (5.0 * random.uniform()).floor();
        let age = (80.0 * random.uniform()).floor();
        let noise = 80.0 * (random.uniform() + random.uniform() - 1.0);
        let price = 30.0 + 2.2 * area + 9.0 * rooms - 0.8 * age + noise;
        (area, rooms, age, (10.0 * price).round() / 10.0)
    };
    (0..rows).map(house).collect()
}

/// A table of houses, each with the price that is said of it and another cell.
fn table(houses: &[House], price: impl Fn(usize, f64) -> f64) -> String {
    let mut text = "area,rooms,age,price\n".to_owned();
    for (k, (area, rooms, age, own)) in houses.iter().enumerate() {
        let _ = writeln!(text, "{area},{rooms},{age},{}", price(k, *own)); // writing to a String cannot fail
    }
    text
}

fn room() -> Room {
    let room = Room::new();
    room.write("t.csv", table(&houses(600, 1), |_, price| price));
    room.write("u.csv", table(&houses(300, 2), |_, price| price));
    room
}

const SQUARED: &str = "--label price --loss squared --standardize -q";

fn kinds(json: &Value) -> Vec<&str> {
    let list = json["remarks"].as_array().map_or(&[][..], |list| list);
    list.iter().filter_map(|r| r["kind"].as_str()).collect()
}

fn text_of<'j>(json: &'j Value, kind: &str) -> &'j str {
    let list = json["remarks"].as_array().map_or(&[][..], |list| list);
    let found = list.iter().find(|r| r["kind"] == kind);
    found.and_then(|r| r["text"].as_str()).unwrap_or_default()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn a_sound_table_has_a_baseline_and_no_remarks() {
    let room = room();
    let solve = format!("solve t.csv --lambda 1e-3 --bias free {SQUARED}");
    let json = room.json(&format!("{solve} --test u.csv -o m"));
    assert_eq!(kinds(&json), [""; 0], "{json}");
    let prices: Vec<f64> = houses(300, 2).iter().map(|house| house.3).collect();
    let mean = prices.iter().sum::<f64>() / 300.0;
    let squares = prices.iter().map(|y| (y - mean) * (y - mean));
    let variance = squares.sum::<f64>() / 300.0;
    let baseline = &json["test"]["baseline"];
    assert!((number(&baseline["mean"]) - mean).abs() < 1e-6, "{json}");
    assert!((number(&baseline["squared_error"]) - variance).abs() < 1e-6);
    assert!(number(&json["baseline"]["squared_error"]) > 0.0, "{json}");
    assert!(number(&json["test"]["squared_error"]) < 0.5 * variance);
    let text = room.run(&format!("{solve} --test u.csv")).good().stdout;
    assert!(text.contains("\nbaseline: "), "{text}");
    let said = format!(
        "test baseline: {variance:.6} mean squared error of always answering their mean ({mean:.6})"
    );
    assert!(text.contains(&said), "{text}");
    // without rows to test on, some are held out
    assert_eq!(kinds(&room.json(&solve)), [""; 0]);
    let json = room.json("evaluate m u.csv -q");
    assert_eq!(json["baseline"], *baseline);
    assert_eq!(kinds(&json), [""; 0], "{json}");
    let text = room.run("evaluate m u.csv").good().stdout;
    assert!(text.contains("mean squared error of always answering"));
    let tune = format!("tune t.csv --lambda 1e-4,1e-3,1e-2 --bias free --folds 5 {SQUARED}");
    let json = room.json(&tune);
    assert_eq!(kinds(&json), [""; 0], "{json}");
    assert!(number(&json["baseline"]["squared_error"]) > 0.0, "{json}");
    for loss in ["absolute", "huber", "eps-insensitive"] {
        let json = room.json(&format!("{solve} --test u.csv").replace("squared", loss));
        assert_eq!(kinds(&json), [""; 0], "{loss}: {json}");
    }
}

#[test]
fn answers_that_lack_a_constant_are_no_better_than_the_mean() {
    let room = room();
    let json = room.json(&format!(
        "solve t.csv --lambda 1e-3 {SQUARED} --test u.csv -o m"
    ));
    assert_eq!(kinds(&json), ["no-constant", "baseline"], "{json}");
    let said = text_of(&json, "no-constant");
    assert!(said.contains("too low on average, which is "), "{said}");
    assert!(said.ends_with("use --bias free"), "{said}");
    let said = text_of(&json, "baseline");
    assert!(said.contains("the mean squared error of the test, "));
    assert!(said.contains(" on 300 rows, is no better than "), "{said}");
    assert!(said.ends_with("use --bias free"), "{said}");
    let json = room.json("evaluate m u.csv -q");
    assert_eq!(kinds(&json), ["baseline"], "{json}");
    let json = room.json(&format!(
        "tune t.csv --lambda 1e-4,1e-3,1e-2 --folds 5 {SQUARED}"
    ));
    assert_eq!(kinds(&json), ["no-constant", "baseline"], "{json}");
    assert!(text_of(&json, "baseline").contains("of the best of the grid"));
    // a constant that is held back is too small
    let json = room.json(&format!("solve t.csv --lambda 1 --bias 1 {SQUARED}"));
    assert!(kinds(&json).contains(&"no-constant"), "{json}");
}

#[test]
fn labels_that_columns_say_nothing_of() {
    let room = room();
    let prices: Vec<f64> = houses(600, 3).iter().map(|house| house.3).collect();
    room.write("noise.csv", table(&houses(600, 1), |k, _| prices[k]));
    let solve = format!("solve noise.csv --lambda 1e-3 --bias free {SQUARED}");
    let json = room.json(&format!("{solve} --test u.csv"));
    assert_eq!(kinds(&json), ["baseline"], "{json}");
    let json = room.json(&solve);
    let said = text_of(&json, "baseline");
    assert!(said.contains("a solution of 400 rows has a mean squared error of "));
    assert!(said.contains(" on 200 rows held out, "), "{said}");
    let json = room.json(&format!(
        "tune noise.csv --lambda 1e-3 --bias free --folds 5 {SQUARED}"
    ));
    assert_eq!(kinds(&json), ["baseline"], "{json}");
}

#[test]
fn a_column_that_follows_the_label() {
    let room = Room::new();
    let houses = houses(600, 1);
    let mut text = "area,rooms,age,tax,price\n".to_owned();
    for (area, rooms, age, price) in &houses {
        let tax = (3.5 * price).round() / 100.0;
        let _ = writeln!(text, "{area},{rooms},{age},{tax},{price}"); // writing to a String cannot fail
    }
    room.write("leak.csv", text);
    let solve = format!("solve leak.csv --lambda 1e-3 --bias free {SQUARED}");
    let json = room.json(&solve);
    assert_eq!(kinds(&json), ["leakage"], "{json}");
    let said = text_of(&json, "leakage");
    assert!(said.starts_with("column tax predicts the label: in 600 rows"));
    assert!(said.contains("use --drop tax if it is not known"), "{said}");
    assert_eq!(kinds(&room.json(&format!("{solve} --drop tax"))), [""; 0]);
}

#[test]
fn labels_far_from_all_others() {
    let room = room();
    let solve = format!("solve x.csv --lambda 1e-3 --bias free {SQUARED}");
    let nines = |k: usize, price| if k % 20 == 7 { -999.0 } else { price };
    room.write("x.csv", table(&houses(600, 1), nines));
    let json = room.json(&solve);
    let said = text_of(&json, "outlier");
    assert!(said.starts_with("30 rows have the label -999, "), "{json}");
    let slip = |k: usize, price| if k == 7 { 1e7 } else { price };
    room.write("x.csv", table(&houses(600, 1), slip));
    let json = room.json(&solve);
    let said = text_of(&json, "outlier");
    assert!(said.starts_with("1 row has the label 10000000, "), "{json}");
    room.write("x.csv", table(&houses(600, 1), |_, _| 7.0));
    let json = room.json(&solve);
    assert!(text_of(&json, "labels").contains("all 600 rows have the same label, 7"));
}

#[test]
fn copies_of_rows_with_their_labels() {
    let room = Room::new();
    let mut rows = houses(600, 1);
    rows.extend_from_within(..300);
    room.write("t.csv", table(&rows, |_, price| price));
    let solve = format!("solve t.csv --lambda 1e-3 --bias free {SQUARED}");
    let json = room.json(&solve);
    assert_eq!(kinds(&json), ["copies"], "{json}");
    assert!(text_of(&json, "copies").starts_with("about 33% of the rows"));
    let tune = format!("tune t.csv --lambda 1e-3 --bias free --folds 5 {SQUARED}");
    assert_eq!(kinds(&room.json(&tune)), ["copies"]);
    // the same house is measured twice, with another price
    let again = |k: usize, price| price + if k < 600 { 0.0 } else { 3.25 };
    room.write("t.csv", table(&rows, again));
    assert_eq!(kinds(&room.json(&solve)), [""; 0]);
    // few values in few columns are equal by chance
    let mut text = "rooms,price\n".to_owned();
    for (_, rooms, _, price) in houses(600, 1) {
        let _ = writeln!(text, "{rooms},{}", (price / 20.0).round()); // writing to a String cannot fail
    }
    room.write("t.csv", text);
    assert!(!kinds(&room.json(&solve)).contains(&"copies"));
}

#[test]
fn labels_in_another_unit() {
    let room = room();
    let solve = format!("solve t.csv --lambda 1e-3 --bias free {SQUARED} -o m");
    room.run(&solve).good();
    room.write("eur.csv", table(&houses(300, 2), |_, price| 1000.0 * price));
    for words in [
        "evaluate m eur.csv -q".to_owned(),
        format!("{solve} --test eur.csv"),
    ] {
        let json = room.json(&words);
        assert_eq!(kinds(&json), ["shifted", "baseline"], "{json}");
        let said = text_of(&json, "shifted");
        assert!(said.contains("the labels are unlike those of training"));
    }
}

#[test]
fn the_edge_of_a_flat_grid_is_none() {
    let room = room();
    let tune = |lambdas: &str| {
        let words = format!("tune t.csv --lambda {lambdas} --bias free --folds 5 {SQUARED}");
        room.json(&words)
    };
    assert_eq!(kinds(&tune("1e-7,1e-6,1e-5")), [""; 0]);
    assert_eq!(kinds(&tune("1,3,10")), ["edge"]);
}

#[test]
fn many_numbers_may_be_quantities() {
    let room = room();
    let done = room.run("train t.csv --label price -q");
    done.refused(&[
        "labels in 600 rows: is column price the label?",
        "use `novikoff solve` on all rows with the squared loss, if they are quantities",
        "--label COLUMN",
    ]);
}

#[test]
fn a_model_of_unnamed_rows_knows_the_size_of_its_labels() {
    let room = Room::new();
    let write = |seed: u64, unit: f64| {
        let mut text = String::new();
        for (area, rooms, age, price) in houses(300, seed) {
            let _ = writeln!(text, "{} 1:{area} 2:{rooms} 3:{age}", unit * price); // writing to a String cannot fail
        }
        text
    };
    room.write("t.svm", write(1, 1.0));
    room.write("u.svm", write(2, 1.0));
    room.write("v.svm", write(2, 0.01));
    let solve = "solve t.svm --loss squared --lambda 1e-3 --standardize --bias free -o m -q";
    assert_eq!(kinds(&room.json(solve)), [""; 0]);
    assert_eq!(kinds(&room.json("evaluate m u.svm -q")), [""; 0]);
    let json = room.json("evaluate m v.svm -q");
    assert_eq!(kinds(&json), ["shifted", "baseline"], "{json}");
}

/// Two columns that add up to the label.
#[test]
fn an_error_of_nearly_nothing_is_too_good() {
    let room = Room::new();
    let mut random = SplitMix64(5);
    let mut text = "area,deposit,mortgage,price\n".to_owned();
    for (area, _, _, price) in houses(600, 1) {
        let deposit = (price * random.uniform()).round();
        let _ = writeln!(text, "{area},{deposit},{},{price}", price - deposit); // writing to a String cannot fail
    }
    room.write("t.csv", text);
    let json = room.json(&format!(
        "tune t.csv --lambda 1e-8,1e-7 --bias free --folds 3 {SQUARED}"
    ));
    let said = text_of(&json, "leakage");
    assert!(
        said.contains("as if the label could be computed from the columns"),
        "{json}"
    );
}

/// What a result is worth is said even under `-q`.
#[test]
fn bad_lines_and_gaps_are_said_by_all_jobs() {
    let room = room();
    let mut text = table(&houses(300, 3), |_, price| price);
    text.push_str("100,2,x,y\n");
    room.write("bad.csv", text);
    let solve = format!("solve bad.csv --lambda 1e-6 --bias free --skip-bad 5 {SQUARED} -o m");
    let said = room.run(&solve).good().stderr;
    assert!(said.contains("1 bad line"), "{said}");
    let said = room.run("evaluate m bad.csv --skip-bad 5").good().stderr;
    assert!(said.contains("1 bad line"), "{said}");
    let short = room.run("solve t.csv --label price --loss absolute --lambda 1e-6 --standardize --bias free --max-passes 2 -q");
    let said = short.good().stderr;
    assert!(said.contains("did not reach the gap"), "{said}");
}
