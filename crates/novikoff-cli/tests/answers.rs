//! Answers that are worth nothing say so: labels that a model does not know, results that chance explains, labels that are ids, runs that are
//! stopped, and what is learned and not saved.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common;

use common::data::SplitMix64;
use common::remarks::{kinds, text_of};
use common::{Done, Room, signal};
use serde_json::Value;

/// Rows of a table with a number, a category and a label. About one in eight is positive; the number tells it, the more so the larger `signal`.
fn claims(rows: usize, seed: u64, signal: f64, labels: [&str; 2]) -> String {
    let mut random = SplitMix64(seed);
    let mut text = "amount,age,kind,fraud\n".to_owned();
    for _ in 0..rows {
        let normal = |random: &mut SplitMix64| (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let is_fraud = random.uniform() < 0.12;
        let amount = normal(&mut random) + if is_fraud { signal } else { 0.0 };
        let age = normal(&mut random);
        let kind = ["motor", "home", "travel"][random.below(3)];
        let label = labels[usize::from(is_fraud)];
        let _ = writeln!(text, "{amount:.4},{age:.4},{kind},{label}");
    }
    text
}

const TRAIN: &str = "train train.csv --label fraud --bias 1 -a averaged --epochs 3 --shuffle 1 -q";

/// A room with rows to train on, rows to test on, and the model `m` of them.
fn room(signal: f64) -> Room {
    let room = Room::new();
    room.write("train.csv", claims(3000, 1, signal, ["no", "yes"]));
    room.write("test.csv", claims(2000, 2, signal, ["no", "yes"]));
    room.run(&format!("{TRAIN} -o m")).good();
    room
}

#[test]
fn labels_that_are_spelled_otherwise_are_refused() {
    let room = room(3.0);
    room.write("spelled.csv", claims(400, 3, 3.0, ["No", "Yes"]));
    let parts = [
        "no row has a label that the model knows: rows have No (",
        "the model knows no, yes",
        "write no for No, yes for Yes",
        "--lenient",
    ];
    let refused = |done: &Done| {
        assert_eq!(done.code, Some(2), "{}\n{}", done.words, done.stderr);
        for part in parts {
            assert!(
                done.stderr.contains(part),
                "{}\n{}",
                done.words,
                done.stderr
            );
        }
        assert!(!done.stderr.contains("shuffle"), "{}", done.stderr);
    };
    refused(&room.run("evaluate m spelled.csv -q"));
    refused(&room.run(&format!("{TRAIN} --test spelled.csv")));
    let compare = "compare train.csv averaged arow --label fraud --bias 1 --test spelled.csv -q";
    refused(&room.run(compare));
    let solve =
        "solve train.csv --label fraud --loss hinge --lambda 1e-3 --bias 1 --test spelled.csv -q";
    refused(&room.run(solve));
    let json = room.json("evaluate m spelled.csv --lenient -q");
    assert!(kinds(&json).contains(&"unknown-labels"), "{json}");
    // the most frequent label is the one that most rows have
    assert_eq!(json["baseline"]["label"], "No", "{json}");
    let json = room.json(&format!("{TRAIN} --test spelled.csv --lenient"));
    assert_eq!(json["test"]["baseline"]["label"], "No", "{json}");
    assert!(!kinds(&json).contains(&"gap"), "{json}");
}

#[test]
fn one_label_of_several_that_is_spelled_otherwise_is_named() {
    let room = Room::new();
    let rows = |labels: [&str; 3]| {
        let mut random = SplitMix64(5);
        let mut text = "a,b,c,team\n".to_owned();
        for _ in 0..600 {
            let class = random.below(3);
            let mut cells = ["0"; 3];
            cells[class] = "1";
            let _ = writeln!(text, "{},{}", cells.join(","), labels[class]);
        }
        text
    };
    room.write("t.csv", rows(["billing", "network", "sales"]));
    room.write("s.csv", rows(["Billing", "network", "sales"]));
    room.run("train t.csv --label team -a perceptron --bias 1 -o m -q")
        .good();
    let json = room.json("evaluate m s.csv -q");
    let text = text_of(&json, "unknown-labels");
    assert!(
        text.contains("in 600 rows, and count as errors: Billing ("),
        "{json}"
    );
    assert!(text.contains("write billing for Billing"), "{json}");
    let test = room.json("train t.csv --label team -a perceptron --bias 1 --test s.csv -q");
    assert_eq!(text_of(&test, "unknown-labels"), text, "{test}");
}

#[test]
fn a_model_that_beats_the_baseline_row_by_row_is_better() {
    // few rows are positive, and few of them are found: two counts of errors are nearly the same
    let mut differs = 0;
    for step in 8..19 {
        let room = room(0.1 * f64::from(step));
        let json = room.json("evaluate m test.csv -q");
        let count = |value: &Value| value.as_f64().expect("a count");
        let (errors, baseline) = (count(&json["errors"]), count(&json["baseline"]["errors"]));
        let counts = &json["confusion"]["counts"];
        let (better, worse) = (count(&counts[1][1]), count(&counts[0][1]));
        let is_better = better - worse > 2.0 * (better + worse).sqrt();
        let said = kinds(&json).contains(&"baseline");
        assert_eq!(
            said, !is_better,
            "{better} better, {worse} worse, {errors} errors"
        );
        let test = room.json(&format!("{TRAIN} --test test.csv"));
        assert_eq!(
            kinds(&test).contains(&"baseline"),
            said,
            "{better} better, {worse} worse"
        );
        let two_deviations = 2.0 * (baseline * (1.0 - baseline / 2000.0)).sqrt();
        differs += usize::from(is_better && errors >= baseline - two_deviations);
    }
    assert!(differs > 0, "two counts would say the same of all");
}

#[test]
fn no_better_than_the_baseline_says_what_to_look_at() {
    let room = room(0.0);
    let json = room.json("evaluate m test.csv -q");
    let text = text_of(&json, "baseline");
    for part in [
        "AUC",
        "--class-weight balanced",
        "--threshold",
        "tune --folds 5 --by auc",
    ] {
        assert!(text.contains(part), "no {part} in: {text}");
    }
    let done = room.run(TRAIN).good();
    assert!(done.stderr.contains("no better than"), "{}", done.stderr);
    assert!(done.stderr.contains("AUC"), "{}", done.stderr);
    let json = room.json("tune train.csv -a perceptron -a averaged --label fraud --bias 1 -q");
    assert!(text_of(&json, "baseline").contains("AUC"), "{json}");
}

#[test]
fn labels_that_are_ids_are_refused_before_anything_is_learned() {
    let room = Room::new();
    let mut random = SplitMix64(9);
    let rows = (0..3000).map(|k| format!("c{k},{:.6},{:.6}\n", random.uniform(), random.uniform()));
    room.write("t.csv", format!("claim,a,b\n{}", rows.collect::<String>()));
    for words in [
        "train t.csv -a perceptron --label claim -o m",
        "train t.csv -a perceptron --label claim --epochs 2 -o m",
        "train t.csv -a perceptron --label a -o m",
        "compare t.csv --label claim",
        "tune t.csv -a perceptron --label claim",
        "solve t.csv --loss hinge --lambda 0.01 --label claim -o m",
    ] {
        let done = room.run(words);
        done.refused(&[
            " labels in ",
            "the label?",
            "use --label COLUMN",
            "--lenient",
        ]);
        assert!(!room.path("m").exists(), "{words}");
    }
    let lenient = room
        .run("train t.csv -a perceptron --label claim --lenient -q")
        .good();
    assert!(
        lenient.stderr.contains("3,000 labels in 3,000 rows"),
        "{}",
        lenient.stderr
    );
}

#[test]
fn what_is_learned_and_not_saved_is_said() {
    let room = room(3.0);
    let done = room.run("train test.csv --resume m -q").good();
    let said = "what is learned is not saved, and m stays as it is; use -o m";
    assert!(done.stderr.contains(said), "{}", done.stderr);
    let done = room.run("train test.csv --resume m -o n -q").good();
    assert!(!done.stderr.contains("not saved"), "{}", done.stderr);
}

#[test]
fn the_label_of_the_model_is_named_where_it_is_missing() {
    let room = room(3.0);
    let without: Vec<String> = claims(100, 4, 3.0, ["no", "yes"])
        .lines()
        .map(|line| {
            line.rsplit_once(',')
                .map_or("", |(rest, _)| rest)
                .to_owned()
        })
        .collect();
    room.write("without.csv", without.join("\n"));
    for words in [
        "evaluate m without.csv",
        "train without.csv --resume m -o n",
        "calibrate m without.csv -o n",
    ] {
        room.run(words)
            .refused(&["there is no column fraud, which is the label of the model"]);
    }
}

#[test]
fn an_unknown_category_is_named() {
    let room = room(3.0);
    let mut text = claims(200, 4, 3.0, ["no", "yes"]);
    text = text.replacen("motor", "cyber", 20);
    room.write("new.csv", text);
    let json = room.json("evaluate m new.csv -q");
    let said = text_of(&json, "unknown-features");
    assert!(said.contains("such as kind=cyber"), "{json}");
}

/// Interrupts a command after some time, and longer until what it leaves is what is wanted; how long it went on after the signal.
#[cfg(unix)]
fn interrupted(room: &Room, words: &str, is_it: impl Fn(&Done) -> bool) -> (Done, Duration) {
    let mut after = Duration::from_millis(500);
    loop {
        let mut command = room.command(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("starts");
        std::thread::sleep(after);
        let sent = Instant::now();
        signal(&child, "INT");
        let done = Done::of(words, child.wait_with_output().expect("waits"));
        if is_it(&done) {
            return (done, sent.elapsed());
        }
        // it came too early: before the rows were read, or before the command listened
        let is_early = done.code.is_none() || done.stderr.contains("novikoff: stopped ");
        assert!(
            is_early && after < Duration::from_secs(40),
            "{}",
            done.stderr
        );
        after *= 2;
    }
}

#[cfg(unix)]
#[test]
fn a_kernel_solve_stops_when_asked() {
    let room = Room::new();
    room.write("big.csv", claims(12_000, 1, 0.5, ["no", "yes"]));
    let words = "solve big.csv --label fraud --loss hinge --lambda 1e-6 --gap 1e-9 --kernel gaussian:gamma=auto --standardize -o k";
    let is_it = |done: &Done| done.stderr.contains("stopped while solving");
    let (done, waited) = interrupted(&room, words, is_it);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    assert!(!room.path("k").exists());
}

#[cfg(unix)]
#[test]
fn a_grid_that_is_stopped_shows_what_is_done() {
    let room = Room::new();
    room.write("big.csv", claims(20_000, 1, 0.5, ["no", "yes"]));
    // the first takes no time, the others take minutes
    let words =
        "tune big.csv --label fraud -a perceptron -a max-margin:noise=1|10|100 --threads 1 -o best";
    let is_it = |done: &Done| !done.stdout.is_empty();
    let (done, waited) = interrupted(&room, words, is_it);
    assert_eq!(done.code, Some(2), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("perceptron"), "{}", done.stdout);
    let said = " of 4 candidates are done, and nothing is saved";
    assert!(done.stderr.contains(said), "{}", done.stderr);
    assert!(waited < Duration::from_secs(20), "{waited:?}");
    assert!(!room.path("best").exists());
}
