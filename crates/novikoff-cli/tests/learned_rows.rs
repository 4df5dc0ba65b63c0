//! Rows that should be new and were learned from: in `evaluate`, `calibrate`, `--test` and `--resume`, by their content.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;

/// A table with numbers, a category and a date; `yes` on about half of the rows.
fn table(rows: usize, seed: u64) -> String {
    let mut random = SplitMix64(seed);
    let mut text = "a,b,city,when,y\n".to_owned();
    for _ in 0..rows {
        let (a, b) = (random.uniform() - 0.5, 1000.0 * random.uniform());
        let city = ["Oslo", "Rome"][random.below(2)];
        let day = 1 + random.below(28);
        let label = if a + 0.3 * (random.uniform() - 0.5) > 0.0 {
            "yes"
        } else {
            "no"
        };
        let _ = writeln!(text, "{a:.4},{b:.1},{city},2024-03-{day:02},{label}");
    }
    text
}

/// Texts of few words, as JSON lines.
fn texts(rows: usize, seed: u64) -> String {
    let mut random = SplitMix64(seed);
    let mut text = String::new();
    for _ in 0..rows {
        let label = ["sky", "sea"][random.below(2)];
        let words: Vec<String> = (0..12).map(|_| format!("w{}", random.below(400))).collect();
        let _ = writeln!(
            text,
            "{{\"t\":\"{} {label}\",\"label\":\"{label}\"}}",
            words.join(" ")
        );
    }
    text
}

fn room() -> Room {
    let room = Room::new();
    room.write("t.csv", table(1200, 1));
    room.write("u.csv", table(400, 2));
    room
}

/// What is said of rows that were learned from.
fn said(stderr: &str) -> Option<String> {
    let mut lines = stderr.lines();
    let line =
        lines.find(|line| line.contains("was trained on") || line.contains("learned from"))?;
    Some(line.to_owned())
}

#[test]
fn a_model_that_is_measured_on_its_own_rows_says_so() {
    let room = room();
    for train in [
        "train t.csv --label y -a averaged --bias 1 -q -o m",
        "train t.csv --label y -a averaged --bias 1 --standardize --epochs 3 --shuffle 1 -q -o m",
        "train t.csv --label y -q --use best -o m",
        "solve t.csv --label y --lambda 0.01 -q -o m",
    ] {
        room.run(train).good();
        let done = room.run("evaluate m t.csv").good();
        let line = said(&done.stderr).expect(train);
        assert_eq!(
            line,
            "the rows are those that the model was trained on, so their errors say little of others; evaluate on rows that are held out",
            "{train}"
        );
        let json = room.json("evaluate m t.csv");
        let kinds = json["remarks"].as_array().expect("a list").iter();
        assert!(
            kinds.clone().any(|remark| remark["kind"] == "same-rows"),
            "{json}"
        );
        let other = room.run("evaluate m u.csv").good();
        assert_eq!(said(&other.stderr), None, "{train}");
    }
}

#[test]
fn the_rows_are_known_in_other_files_and_orders() {
    let room = room();
    room.pipe(
        "train - --label y -a averaged --bias 1 -q -o m",
        table(1200, 1),
    )
    .good();
    // in another format, in reverse, and among others
    room.run("convert t.csv t.nvk --label y -q").good();
    let mut lines: Vec<String> = table(1200, 1).lines().map(str::to_owned).collect();
    let header = lines.remove(0);
    lines.reverse();
    lines.extend(table(400, 2).lines().skip(1).map(str::to_owned));
    room.write("r.csv", format!("{header}\n{}\n", lines.join("\n")));
    let done = room.run("evaluate m t.nvk").good();
    assert!(said(&done.stderr).is_some(), "{}", done.stderr);
    let done = room.run("evaluate m r.csv").good();
    let line = said(&done.stderr).expect("three of four were learned from");
    assert!(line.starts_with("about "), "{line}");
    // a model that learned on knows the rows of both runs
    room.run("train u.csv --resume m -o m -q").good();
    for data in ["t.csv", "u.csv"] {
        let done = room.run(&format!("evaluate m {data}")).good();
        assert!(said(&done.stderr).is_some(), "{data}: {}", done.stderr);
    }
}

#[test]
fn calibrating_testing_and_learning_on_the_same_rows_is_said() {
    let room = room();
    let train = "train t.csv --label y -a averaged --bias 1 -q -o m";
    room.run(train).good();
    let done = room.run("calibrate m t.csv -o c").good();
    let line = said(&done.stderr).expect("the same rows");
    assert!(
        line.ends_with("calibrate on rows that are held out"),
        "{line}"
    );
    let done = room.run("calibrate m u.csv -o c").good();
    assert_eq!(said(&done.stderr), None);
    for words in [
        "train t.csv --resume m -o n",
        "train t.csv --resume m -o n --epochs 2",
    ] {
        let done = room.run(words).good();
        let line = said(&done.stderr).expect(words);
        assert!(line.contains("has learned from before"), "{line}");
        assert!(line.ends_with("or use --epochs N in a run from the beginning, to learn from the same rows several times"), "{line}");
    }
    let done = room.run("train u.csv --resume m -o n").good();
    assert_eq!(said(&done.stderr), None);
    room.write("copy.csv", table(1200, 1));
    for words in [
        "train t.csv --label y -a averaged --test copy.csv",
        "train t.csv --label y -a averaged --permutations 2 --test copy.csv",
        "compare t.csv perceptron --label y --test copy.csv",
        "solve t.csv --label y --lambda 0.1 --test copy.csv",
    ] {
        let done = room.run(words).good();
        assert!(
            done.stderr
                .contains("the test rows are those that were learned from"),
            "{words}: {}",
            done.stderr
        );
        let done = room.run(&words.replace("copy.csv", "u.csv")).good();
        assert!(
            !done.stderr.contains("learned from"),
            "{words}: {}",
            done.stderr
        );
    }
}

#[test]
fn texts_are_known_though_the_values_of_their_words_have_changed() {
    let room = Room::new();
    room.write("t.jsonl", texts(600, 3));
    room.write("u.jsonl", texts(300, 4));
    room.run("train t.jsonl --text t -a passive-aggressive --bias 1 -q -o m")
        .good();
    let done = room.run("evaluate m t.jsonl").good();
    assert!(said(&done.stderr).is_some(), "{}", done.stderr);
    let done = room.run("evaluate m u.jsonl").good();
    assert_eq!(said(&done.stderr), None);
}

#[test]
fn rows_of_few_kinds_are_alike_and_nothing_is_said() {
    let room = Room::new();
    let rows = |seed: u64| {
        let mut random = SplitMix64(seed);
        let mut text = "a,b,y\n".to_owned();
        for _ in 0..400 {
            let (a, b) = (random.below(3), random.below(4));
            let _ = writeln!(text, "k{a},k{b},{}", ["no", "yes"][usize::from(a > 1)]);
        }
        text
    };
    room.write("t.csv", rows(1));
    room.write("u.csv", rows(2));
    room.run("train t.csv --label y -a perceptron --bias 1 -q -o m")
        .good();
    let done = room.run("evaluate m u.csv").good();
    assert_eq!(said(&done.stderr), None);
}
