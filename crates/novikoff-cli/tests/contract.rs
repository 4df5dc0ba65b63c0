//! What machines read: `--json` and `--trace` against a perceptron by definition.

use crate::common;

use common::data::{Shape, SplitMix64};
use common::slow::{Kind, in_order, parse, perceptron};
use common::{Room, counts, lines, same_lines, theorem_part};
use serde_json::{Value, json};

/// Trains a perceptron on the text and compares everything with the definition.
#[track_caller]
fn same_as_defined(text: &str, kind: Kind<'_>, options: &str, orders: &[Vec<usize>]) {
    let room = Room::with(text);
    let words = format!("train data.svm -a perceptron --trace trace {options}");
    let json = theorem_part(room.json(&words));
    let defined = perceptron(&parse(text), kind, orders);
    assert_eq!(json, defined.json(), "{words}");
    same_lines(&room.text("trace"), &lines(&defined.trace), &words);
    assert!(
        !defined.trace.is_empty(),
        "a test without mistakes shows nothing"
    );
}

fn orders(text: &str, epochs: usize) -> Vec<Vec<usize>> {
    in_order(&parse(text), epochs)
}

#[test]
fn binary_run_is_as_defined() {
    for seed in 1..=5 {
        let text = Shape {
            seed,
            ..Shape::default()
        }
        .binary();
        same_as_defined(&text, Kind::Binary("+1"), "", &orders(&text, 1));
        same_as_defined(&text, Kind::Binary("+1"), "--epochs 3", &orders(&text, 3));
    }
}

#[test]
fn many_class_run_is_as_if_all_classes_had_been_known() {
    for seed in 1..=5 {
        for every in [1, 7, 25] {
            let text = Shape {
                seed,
                ..Shape::default()
            }
            .many(5, every);
            same_as_defined(&text, Kind::Many, "", &orders(&text, 1));
            same_as_defined(&text, Kind::Many, "--epochs 2", &orders(&text, 2));
        }
    }
}

#[test]
fn classes_that_appear_in_descending_order_settle_ties_too() {
    // ties of the first rows, where all margins are 0, go to classes that appear later
    let text = "5 1:1\n5 2:1\n4 3:1\n4 1:1\n2 2:1 3:1\n-7 1:1\n1 4:1\n9 1:2 4:-1\n";
    same_as_defined(text, Kind::Many, "", &orders(text, 1));
    for seed in 1..=8 {
        let text = Shape {
            seed,
            rows: 40,
            ..Shape::default()
        }
        .text(6, |row, class, _| {
            let known = (row / 6 + 1).min(6);
            (10 - class % known).to_string()
        });
        same_as_defined(&text, Kind::Many, "", &orders(&text, 1));
        same_as_defined(&text, Kind::Many, "--epochs 2", &orders(&text, 2));
    }
}

#[test]
fn first_rows_count_against_classes_still_to_come() {
    // rows 0 and 1: all margins 0, the arg-max is class 1 and right
    let room = Room::with("1 1:1\n1 2:1\n2 3:1\n3 4:1\n");
    assert_eq!(room.counts("train data.svm -a perceptron").0, 2);
    // but wrong, had class 0 been known
    room.write("data.svm", "1 1:1\n1 2:1\n2 3:1\n0 4:1\n");
    assert_eq!(room.counts("train data.svm -a perceptron").0, 3);
}

#[test]
fn multi_label_run_counts_rows_with_any_label_wrong() {
    for seed in 1..=5 {
        for every in [1, 12, 30] {
            let text = Shape {
                seed,
                ..Shape::default()
            }
            .multi(5, every);
            same_as_defined(&text, Kind::Multi, "", &orders(&text, 1));
            same_as_defined(&text, Kind::Multi, "--epochs 2", &orders(&text, 2));
        }
    }
}

#[test]
fn shuffled_runs_follow_the_generator_and_keep_the_rows_numbers() {
    let shape = Shape::default();
    let kinds = [
        (shape.binary(), Kind::Binary("+1")),
        (shape.many(4, 20), Kind::Many),
        (shape.multi(4, 20), Kind::Multi),
    ];
    for (text, kind) in kinds {
        for seed in [0, 1, 42, u64::MAX] {
            let mut g = SplitMix64(seed);
            let orders: Vec<Vec<usize>> = (0..3).map(|_| g.order(shape.rows)).collect();
            same_as_defined(
                &text,
                kind,
                &format!("--shuffle {seed} --epochs 3"),
                &orders,
            );
        }
    }
}

#[test]
fn permutations_report_mean_and_sample_deviation() {
    let text = Shape::default().many(4, 1);
    let rows = parse(&text);
    let room = Room::with(&text);
    let json = room.json("train data.svm -a perceptron --shuffle 5 --permutations 4 --epochs 2");
    let runs: Vec<(u64, u64)> = (5..9)
        .map(|seed| {
            let mut g = SplitMix64(seed);
            let orders: Vec<Vec<usize>> = (0..2).map(|_| g.order(rows.len())).collect();
            let run = perceptron(&rows, Kind::Many, &orders);
            run.epochs
                .iter()
                .fold((0, 0), |(m, u), e| (m + e.0, u + e.1))
        })
        .collect();
    let found = json["permutations"]["runs"].as_array().expect("runs");
    assert_eq!(found.iter().map(counts).collect::<Vec<_>>(), runs);
    let seeds: Vec<&Value> = found.iter().map(|run| &run["shuffle"]).collect();
    assert_eq!(seeds, [5, 6, 7, 8]);
    for (key, values) in [
        (
            "mistakes",
            runs.iter().map(|r| r.0 as f64).collect::<Vec<_>>(),
        ),
        ("updates", runs.iter().map(|r| r.1 as f64).collect()),
    ] {
        let mean = values.iter().sum::<f64>() / 4.0;
        let sd = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 3.0).sqrt();
        assert!(sd > 0.0, "orders that differ");
        let near =
            |found: &Value, value: f64| (found.as_f64().expect("a number") - value).abs() < 1e-9;
        let spread = &json["permutations"][key];
        assert!(
            near(&spread["mean"], mean) && near(&spread["sd"], sd),
            "{spread}: {mean} {sd}"
        );
    }
    let unseeded = room.json("train data.svm -a perceptron --permutations 2");
    assert_eq!(
        unseeded["permutations"]["runs"][1]["shuffle"], 1,
        "seeds begin at 0"
    );
}

#[test]
fn spec_is_as_typed_and_parameters_are_resolved() {
    let room = Room::with(&Shape::default().binary());
    let json = room.json("train data.svm -a passive-aggressive:c=.50,variant=2");
    assert_eq!(json["spec"], "passive-aggressive:c=.50,variant=2");
    assert_eq!(json["parameters"], json!({"variant": "2", "c": 0.5}));
    let json = room.json("train data.svm -a p-norm:p=auto");
    assert_eq!(json["spec"], "p-norm:p=auto");
    let p = json["parameters"]["p"].as_f64().expect("a number");
    assert!(
        (p - 2.0 * 2.197_224_577_336_219_4).abs() < 1e-12,
        "2 ln 9, not {p}"
    );
}

#[test]
fn trace_of_a_margin_learner_has_updates_without_mistakes() {
    let room = Room::with("+1 1:1\n+1 1:1\n-1 1:-4\n-1 1:1\n");
    room.run("train data.svm -a perceptron:margin=1 --trace trace")
        .good();
    let expected = [
        r#"{"epoch":0,"row":0,"class":"+1","margin":0.0,"mistake":false,"updated":true}"#,
        r#"{"epoch":0,"row":1,"class":"+1","margin":1.0,"mistake":false,"updated":true}"#,
        r#"{"epoch":0,"row":3,"class":"+1","margin":2.0,"mistake":true,"updated":true}"#,
    ];
    assert_eq!(room.text("trace"), lines(expected));
}

#[test]
fn results_go_to_stdout_and_remarks_to_stderr() {
    let room = Room::with(
        &Shape {
            rows: 3000,
            ..Shape::default()
        }
        .binary(),
    );
    let done = room
        .run("train data.svm -a perceptron -o model --json")
        .good();
    assert_eq!(done.stdout.lines().count(), 1);
    assert!(
        done.stderr.contains("model saved in model"),
        "{}",
        done.stderr
    );
    let quiet = room
        .run("train data.svm -a perceptron -o model --json -q")
        .good();
    assert_eq!(quiet.stderr, "");
    assert_eq!(quiet.json(), done.json());
}
