//! Labels that are quantities: results that are no better than their mean, and data that makes results worthless.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::remarks::{kinds, said, text_of};
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
    let half = number(&json["baseline"]["squared_error"]) / 2.0;
    let primal = format!(
        "\nprimal: half the mean squared error on these rows + lambda l2; always answering the mean has {half:.6}\n"
    );
    assert!(text.contains(&primal), "{text}");
    let absolute = solve.replace("squared", "absolute");
    let shown = room.run(&absolute).good().stdout;
    let primal =
        "primal: the mean absolute loss on these rows + lambda l2, and not a squared error";
    assert!(shown.contains(primal), "{shown}");
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
fn a_large_lambda_holds_back_no_free_bias() {
    let room = room();
    for lambda in ["1", "10"] {
        let solve = format!("solve t.csv --lambda {lambda} --bias free --gap 1e-6 {SQUARED}");
        let json = room.json(&solve);
        assert_eq!(kinds(&json), [""; 0], "{json}");
        let passes = number(&json["passes"]);
        assert!(passes <= 30.0, "lambda {lambda}: {passes} passes");
    }
    // the rest of the rows is not judged by an unfinished solution
    let json = room.json(&format!(
        "solve t.csv --lambda 1e-3 --bias free --method ascent --max-passes 1 --gap 1e-9 {SQUARED}"
    ));
    assert_eq!(kinds(&json), [""; 0], "{json}");
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
    assert_eq!(kinds(&room.json(&solve)), ["groups"]);
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

/// A table of houses with one more cell per row.
fn with_cell(houses: &[House], cell: impl Fn(&House) -> String) -> String {
    let mut text = "area,rooms,age,tier,price\n".to_owned();
    for house in houses {
        let (area, rooms, age, price) = house;
        let _ = writeln!(text, "{area},{rooms},{age},{},{price}", cell(house)); // writing to a String cannot fail
    }
    text
}

#[test]
fn categories_that_are_ranges_of_the_label_are_found() {
    let room = Room::new();
    let of = |cell: &dyn Fn(&House) -> String| {
        room.write("t.csv", with_cell(&houses(600, 3), cell));
        let solve = format!("solve t.csv --lambda 1e-3 --bias free --missing zero {SQUARED}");
        said(&room.json(&solve), "leakage")
    };
    let tier = |x: f64, bounds: [f64; 2]| {
        let above = bounds.iter().filter(|bound| x >= **bound).count();
        ["cheap", "middle", "dear"][above].to_owned()
    };
    let of_price = of(&|house| tier(house.3, [200.0, 300.0]));
    assert_eq!(
        of_price,
        [
            "column tier predicts the label: in 600 rows of the data its 3 values stand for ranges of it; \
          use --drop tier if it is not known before the label is"
        ]
    );
    // two ranges, the lower one without a value
    let upper = of(&|house| (if house.3 > 220.0 { "upper" } else { "" }).to_owned());
    assert_eq!(upper.len(), 1, "{upper:?}");
    // ranges of the area, which most of the price follows from
    assert_eq!(of(&|house| tier(house.0, [80.0, 120.0])), [""; 0]);
}

#[test]
fn quantities_of_the_same_things_are_remarked_on() {
    let room = Room::new();
    let of = |own: f64| {
        let mut random = SplitMix64(4);
        let mut text = "area,built,height,mood,price\n".to_owned();
        let things = houses(150, 5);
        for k in 0..1500 {
            let (area, _, age, _) = things[k * 7 % 150];
            let height = 100.0 * (area * 0.37).fract();
            let visit = 100.0 * (random.uniform() - 0.5);
            let price = 100.0 + 60.0 * (area * 1.7).fract() + own * visit;
            let mood = random.uniform();
            let _ = writeln!(text, "{area},{age},{height:.3},{mood:.4},{price:.2}"); // as above
        }
        room.write("t.csv", text);
        let solve = format!("solve t.csv --lambda 1e-3 --bias free {SQUARED}");
        said(&room.json(&solve), "groups")
    };
    let groups = of(0.05);
    assert!(
        groups.len() == 1
            && groups[0]
                .starts_with("about 100% of the rows are nearly the same as another in columns ")
            && groups[0].contains("the labels of both are nearly the same"),
        "{groups:?}"
    );
    // the same things, whose prices differ from visit to visit
    assert_eq!(of(2.0), [""; 0]);
}

#[test]
fn numbers_that_stand_for_missing_labels_are_found() {
    let room = Room::new();
    let of = |stand_in: f64, every: usize| {
        let price = |k, price| {
            if k % every == 0 {
                stand_in
            } else {
                price + 200.0
            }
        };
        room.write("t.csv", table(&houses(600, 6), price));
        let solve = format!("solve t.csv --lambda 1e-3 --bias free {SQUARED}");
        said(&room.json(&solve), "outlier")
    };
    for (stand_in, every) in [(0.0, 30), (-99.0, 10), (999.0, 10)] {
        let said = of(stand_in, every);
        let what = format!("have the label {stand_in}, ");
        assert!(said.len() == 1 && said[0].contains(&what), "{said:?}");
    }
    // a price like others, and one that is as far from them as they are from each other
    assert_eq!(of(411.5, 10), [""; 0]);
    assert_eq!(of(99.0, 300), [""; 0]);
}

#[test]
fn labels_with_commas_are_named_as_numbers() {
    let room = Room::new();
    let of = |label: &str| {
        let rows = (0..50).map(|k| format!("{},{},\"{label}\"", k % 7, k % 5));
        room.write(
            "t.csv",
            format!("a,b,price\n{}\n", rows.collect::<Vec<_>>().join("\n")),
        );
        room.run(&format!("solve t.csv --lambda 1e-3 --bias free {SQUARED}"))
    };
    of("300,391").refused(&[
        "t.csv:2: the label `300,391` has a comma between thousands, which separates labels, but a quantity is one number; write it as 300391, ",
    ]);
    of("-1,300,391.5").refused(&["write it as -1300391.5, "]);
    of("300,5").refused(&[
        "the label `300,5` has a decimal comma",
        "write it as 300.5, ",
    ]);
    of("435,000 €").refused(&[
        "the label `435,000 €` has a comma between thousands",
        "write it as 435000, ",
    ]);
    of("$435,000").refused(&["write it as 435000, "]);
    // several labels are no number
    of("red,blue").refused(&["t.csv:2: "]);
}

#[test]
fn points_between_thousands_of_the_label_are_remarked_on() {
    let room = Room::new();
    let of = |price: &dyn Fn(f64) -> String| {
        let mut text = "area,rooms,age,price\n".to_owned();
        for (area, rooms, age, own) in houses(600, 8) {
            let _ = writeln!(text, "{area},{rooms},{age},{}", price(5.0 * own)); // writing to a String cannot fail
        }
        room.write("t.csv", text);
        let solve = format!("solve t.csv --lambda 1e-3 --bias free {SQUARED}");
        said(&room.json(&solve), "number-text")
    };
    let european = |price: f64| {
        let price = price.round().abs() as u64;
        match price / 1000 {
            0 => price.to_string(),
            thousands => format!("{thousands}.{:03}", price % 1000),
        }
    };
    let remarks = of(&european);
    assert!(
        remarks.len() == 1 && remarks[0].contains("as if points separated thousands"),
        "{remarks:?}"
    );
    assert_eq!(of(&|price| price.round().to_string()), [""; 0]);
    assert_eq!(of(&|price| format!("{:.3}", price / 1000.0)), [""; 0]);
}
