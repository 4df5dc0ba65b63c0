//! `compare`: which learners run, in which order, what is left out, and what a signal leaves.

use crate::common;

#[cfg(unix)]
use std::process::Stdio;
#[cfg(unix)]
use std::thread::sleep;
#[cfg(unix)]
use std::time::Duration;

use common::data::Shape;
use common::{Room, keys};
use serde_json::{Value, json};

#[test]
fn runs_are_printed_in_the_order_given() {
    let room = Room::with(&Shape::default().many(4, 1));
    let json =
        room.json("compare data.svm voted perceptron perceptron:margin=1 averaged --epochs 2");
    assert_eq!(keys(&json), ["data", "runs"]);
    assert_eq!(
        json["data"],
        json!({"rows": 120, "features": 9, "classes": 4})
    );
    let runs = json["runs"].as_array().expect("runs");
    let specs: Vec<&Value> = runs.iter().map(|run| &run["spec"]).collect();
    assert_eq!(
        specs,
        ["voted", "perceptron", "perceptron:margin=1", "averaged"]
    );
    for run in runs {
        let spec = run["spec"].as_str().expect("a spec");
        assert_eq!(
            *run,
            room.json(&format!("train data.svm -a {spec} --epochs 2"))
        );
    }
}

#[test]
fn only_what_cannot_run_is_left_out() {
    let room = Room::with(
        &Shape {
            positive: true,
            ..Shape::default()
        }
        .binary(),
    );
    let names = |json: &Value| -> Vec<String> {
        let runs = json["runs"].as_array().expect("runs");
        runs.iter()
            .map(|run| run["spec"].as_str().expect("a spec").to_owned())
            .collect()
    };
    let all = names(&room.json("compare data.svm"));
    assert_eq!(
        all,
        [
            "perceptron",
            "averaged",
            "voted",
            "p-norm",
            "winnow",
            "balanced-winnow",
            "eg",
            "normalised-winnow",
            "normalised-perceptron",
            "whitened",
            "second-order",
            "higher-order",
            "alma",
            "passive-aggressive",
            "romma",
            "max-margin",
            "arow",
            "logistic",
            "forgetron",
            "random-budget",
            "projectron",
            "shifting",
            "selective",
            "auto",
        ]
    );
    room.write("data.svm", Shape::default().binary());
    let done = room.run("compare data.svm --json").good();
    assert!(
        done.stderr.contains("leaving out winnow"),
        "{}",
        done.stderr
    );
    assert!(!names(&done.json()).contains(&"winnow".to_owned()));
    let said = "leaving out winnow: it takes no negative values";
    assert!(done.stderr.contains(said), "{}", done.stderr);
    assert_eq!(done.json()["left_out"][0]["spec"], "winnow");
}

#[test]
fn what_is_beyond_the_budget_is_left_out_before_it_runs() {
    // a number for each pair of 60,000 features takes 29 GB
    let room = Room::with(&("1 1:1\n-1 2:1\n".repeat(50) + "1 60000:1\n"));
    let done = room.run("compare data.svm --json --max-memory 1000").good();
    let json = done.json();
    assert_eq!(json["left_out"][0]["spec"], "whitened");
    let said = "leaving out whitened: it keeps a number for each pair of features, which takes 27,465 MB, \
                and the limit is 1,000 MB; name it to run it all the same";
    assert!(done.stderr.contains(said), "{}", done.stderr);
    let runs = json["runs"].as_array().expect("runs");
    assert!(runs.iter().any(|run| run["spec"] == "perceptron"));
    assert!(runs.iter().all(|run| run["spec"] != "whitened"));
}

#[test]
fn what_cannot_run_is_refused_before_anything_is_read() {
    let room = Room::with("+1 1:1\n-1 1:x\n");
    // the data is bad, but the learner is refused first
    for (words, part) in [
        ("compare data.svm perceptron p-norm --kernel poly", "p-norm"),
        ("compare - perceptron whitened", "whitened needs all rows"),
        ("compare data.svm perceptron arow --use voted", "voted"),
    ] {
        room.run(words).refused(&[part]);
    }
    room.write("data.svm", "+1 1:1\n-1 2:-1\n");
    room.run("compare data.svm perceptron winnow")
        .refused(&["data.svm:2: ", "winnow takes no negative values"]);
}

#[test]
fn the_table_ends_with_what_to_type_next() {
    let room = Room::with(&Shape::default().binary());
    let words = "compare data.svm perceptron arow --bias 1 --epochs 2 --threads 1";
    let done = room.run(words).good();
    let last = done.stdout.lines().last().expect("a line");
    let best = done.stdout.lines().nth(4).expect("the best");
    let best = best.split_whitespace().nth(1).expect("its name");
    assert_eq!(
        last,
        format!(
            "next: novikoff train data.svm --epochs 2 --bias 1 --threads 1 -a {best} -o my.model"
        )
    );
    let next = last.strip_prefix("next: novikoff ").expect("a command");
    room.run(next).good();
    // one run over all rows in the place of several splits
    let splits = "compare data.svm perceptron --splits 3 --fraction 0.5 --stratified";
    let done = room.run(splits).good();
    let last = done.stdout.lines().last().expect("a line");
    assert_eq!(
        last,
        "next: novikoff train data.svm -a perceptron -o my.model"
    );
}

/// The signal comes sooner or later until it comes between the end of the first learner and that of the second, which takes far longer.
#[cfg(unix)]
#[test]
fn a_signal_ends_with_the_learners_that_are_done() {
    let shape = Shape {
        rows: 1500,
        width: 300,
        ..Shape::default()
    };
    let room = Room::with(&shape.binary());
    let run = "data.svm --epochs 40";
    let line = format!("compare {run} perceptron arow:form=full --threads 1 --json -q");
    let mut waited = Duration::from_millis(200);
    loop {
        let mut command = room.command(&line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("starts");
        sleep(waited);
        common::signal(&child, "INT");
        let done = common::Done::of(&line, child.wait_with_output().expect("waits"));
        if done.stdout.is_empty() {
            // it came before the first learner was done, before the rows were read, or before the command listened
            let is_early = done.code.is_none() || done.stderr.starts_with("novikoff: stopped ");
            assert!(is_early, "{waited:?}\n{}", done.stderr);
            assert!(waited < Duration::from_secs(30), "{}", done.stderr);
            waited *= 2;
            continue;
        }
        assert_eq!(done.code, Some(2), "{waited:?}\n{}", done.stderr);
        let said = "novikoff: stopped: 1 of 2 learners are done\n";
        assert!(done.stderr.ends_with(said), "{waited:?}\n{}", done.stderr);
        let whole = room.json(&format!("train {run} -a perceptron"));
        assert_eq!(done.json()["runs"], json!([whole]));
        break;
    }
}
