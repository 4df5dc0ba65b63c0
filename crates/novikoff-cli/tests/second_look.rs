//! What newcomers found when they tried the command on tables of their own: labels that are ids, decisions whose positive label nobody named, and
//! probabilities that move.

use crate::common;

use std::fmt::Write as _;

use common::Room;
use common::data::SplitMix64;

/// A table of two numbers and a label that depends on them, with noise.
fn table(rows: usize, seed: u64) -> String {
    let mut random = SplitMix64(seed);
    let mut text = "a,b,outcome\n".to_owned();
    for _ in 0..rows {
        let (a, b) = (random.uniform() - 0.5, random.uniform() - 0.5);
        let is_churn = a + 0.5 * b + 0.6 * (random.uniform() - 0.5) < -0.25;
        let label = if is_churn { "churn" } else { "stay" };
        writeln!(text, "{a:.4},{b:.4},{label}").expect("room");
    }
    text
}

/// A file is one block: it is looked at before thousands of classes are learned.
#[test]
fn labels_that_are_ids_are_refused_before_anything_is_learned() {
    let room = Room::new();
    let rows = (0..5000).map(|i| format!("{},{},c{i}\n", i % 7, i % 11));
    room.write(
        "ids.csv",
        format!("a,b,customer\n{}", rows.collect::<String>()),
    );
    for learner in ["perceptron", "auto"] {
        let done = room.run(&format!(
            "train ids.csv --label customer -a {learner} --trace trace.jsonl -o m.model"
        ));
        done.refused(&["5,000", "customer"]);
        let learned = std::fs::read_to_string(room.path("trace.jsonl")).unwrap_or_default();
        assert!(learned.is_empty(), "{learner}: {}", learned.lines().count());
        assert!(!room.path("m.model").exists());
    }
    // who insists gets it
    room.run("train ids.csv --label customer -a perceptron --lenient -q")
        .good();
}

#[test]
fn decisions_name_the_label_that_they_are_for() {
    let room = Room::new();
    room.write("train.csv", table(2000, 1));
    room.write("new.csv", table(500, 2));
    room.run("train train.csv --label outcome -a logistic --bias 1 --use averaged -o m.model -q")
        .good();
    for decision in ["--cost 10:60", "--threshold 0.3"] {
        let done = room
            .run(&format!("predict m.model new.csv {decision}"))
            .good();
        assert!(
            done.stderr.contains("stay is the positive label"),
            "{}",
            done.stderr
        );
    }
    let plain = room.run("predict m.model new.csv").good();
    assert!(!plain.stderr.contains("positive label"), "{}", plain.stderr);
    let judged = room.run("evaluate m.model new.csv").good();
    assert!(judged.stdout.contains("called stay"), "{}", judged.stdout);
}

#[test]
fn probabilities_of_weights_that_move_have_a_remark() {
    let room = Room::new();
    for (name, seed) in [("train", 1), ("held", 2), ("night", 3)] {
        room.write(&format!("{name}.csv"), table(1500, seed));
    }
    for (words, is_said) in [
        ("-a logistic", true),
        ("-a logistic --use averaged", false),
        ("-a averaged", false),
        ("-a auto", false),
    ] {
        room.run(&format!(
            "train train.csv --label outcome {words} --bias 1 -o m.model -q"
        ))
        .good();
        room.run("calibrate m.model held.csv -o c.model -q").good();
        let night = room.run("train night.csv --resume c.model -o c2.model --json -q");
        let said = night.good().stdout.contains("\"moving-weights\"");
        assert_eq!(said, is_said, "{words}");
    }
}

#[test]
fn rows_without_a_label_can_be_passed_over() {
    let room = Room::new();
    room.write("gap.csv", table(50, 1) + "0.1,0.2,\n");
    room.run("train gap.csv --label outcome -a perceptron")
        .refused(&["no label", "--skip-bad N", "--label COLUMN"]);
    room.run("train gap.csv --label outcome -a perceptron --skip-bad 1 -q")
        .good();
}
