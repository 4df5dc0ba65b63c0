//! `--use averaged`: the average is kept by the run, saved with the model, and deployed; and `validation` in reports.

use crate::common;

use common::Room;
use common::data::Shape;
use novikoff::catalog::CATALOG;
use novikoff::spec::Spec;
use serde_json::{Value, json};

fn shape() -> Shape {
    Shape {
        rows: 150,
        ragged: true,
        ..Shape::default()
    }
}

/// Learners that keep an average, by what the catalogue says of them.
fn additive() -> impl Iterator<Item = &'static str> {
    let is_so = |name: &&'static str| {
        let spec = Spec::parse(name).expect("a name");
        let parameters = spec.parameters(Some(9)).expect("values");
        (spec.entry().can.additive)(&parameters)
    };
    CATALOG.iter().map(|entry| entry.name).filter(is_so)
}

/// Trained with the average, a model deploys it everywhere; the final weights remain.
#[test]
fn the_average_is_what_is_deployed() {
    let mut differ = 0;
    for text in [shape().binary(), shape().many(4, 40), shape().multi(4, 40)] {
        let room = Room::with(&text);
        for spec in additive() {
            let words = format!("train data.svm -a {spec} --use averaged --test data.svm -o m");
            let report = room.json(&words);
            let out = |words: &str| room.run(words).good().stdout;
            let [plain, averaged, last] = ["", "--use averaged", "--use final"]
                .map(|by| out(&format!("predict m data.svm --margins {by}")));
            assert_eq!(plain, averaged, "{spec}");
            let errors = &room.json("evaluate m data.svm")["errors"];
            assert_eq!(*errors, report["test"]["errors"], "{spec}");
            // the rule itself learns as it would without
            let without = room.json(&format!("train data.svm -a {spec} -o without"));
            assert_eq!(without["mistakes"], report["mistakes"], "{spec}");
            let final_there = out("predict without data.svm --margins --use final");
            assert_eq!(final_there, last, "{spec}");
            differ += usize::from(plain != last);
            assert_eq!(report["validation"]["rows"], 150, "{spec}");
        }
    }
    assert!(differ > 30, "{differ}");
}

#[test]
fn inspect_shows_the_deployed_weights() {
    // w after each trial: -1, 1, 1, 1
    let room = Room::with("-1 1:1\n-1 1:-2\n-1 1:-1\n-1 1:-1\n");
    room.run("train data.svm -a perceptron --use averaged -o m")
        .good();
    assert_eq!(room.run("inspect m --weights").good().stdout, "1\t0.5\n");
    room.run("train data.svm -a perceptron -o m").good();
    assert_eq!(room.run("inspect m --weights").good().stdout, "1\t1\n");
}

#[test]
fn half_a_stream_and_the_other_half_are_the_whole() {
    let text = shape().many(5, 30);
    let cut = text.match_indices('\n').nth(69).map_or(0, |(at, _)| at + 1);
    let (first, second) = text.split_at(cut);
    let room = Room::with(&text);
    room.write("first.svm", first);
    room.write("second.svm", second);
    for spec in additive().filter(|spec| *spec != "normalised-perceptron") {
        room.run(&format!("train data.svm -a {spec} --use averaged -o whole"))
            .good();
        room.run(&format!("train first.svm -a {spec} --use averaged -o half"))
            .good();
        for by in ["", "--use averaged"] {
            let words = format!("train second.svm --resume half -o joined {by}");
            let resumed = room.json(&words);
            assert!(room.bytes("joined") == room.bytes("whole"), "{spec} {by}");
            assert_eq!(resumed["validation"]["rows"], 80, "{spec}");
        }
    }
}

#[test]
fn what_cannot_be_averaged_says_so() {
    let room = Room::with(&shape().binary());
    // nothing is read
    let offers =
        "--use averaged: the learner winnow offers final; use one of perceptron, averaged, voted, ";
    for words in [
        "train nowhere.svm -a winnow --use averaged",
        "certify nowhere.svm -a winnow --use averaged",
        "compare nowhere.svm perceptron winnow --use averaged",
        "tune nowhere.svm -a winnow --folds 2 --use averaged",
    ] {
        room.run(words).refused(&[offers]);
    }
    room.run("train nowhere.svm -a perceptron --kernel gaussian --use averaged")
        .refused(&[
            "perceptron with the kernel gaussian",
            "use one of averaged, voted",
        ]);
    for kernel in ["averaged", "voted"] {
        room.run(&format!(
            "train data.svm -a {kernel} --kernel gaussian --use averaged"
        ))
        .good();
    }
    room.run("train data.svm -a perceptron -o m").good();
    let again = "--use averaged: the learner perceptron offers final; use --use averaged when it is trained from its first row";
    for words in [
        "predict m data.svm --use averaged",
        "evaluate m data.svm --use averaged",
        "train data.svm --resume m --use averaged -o m2",
    ] {
        room.run(words).refused(&[again]);
    }
    room.run("train data.svm -a alma:p=3 --use averaged")
        .refused(&["alma offers final"]);
    room.run("tune data.svm -a passive-aggressive:c=0.1|1 --folds 3 --use averaged -o best")
        .good();
    room.run("predict best data.svm --use averaged").good();
}

/// The number of validation errors, or the reason why there are none.
fn validation(report: &Value) -> Result<u64, String> {
    if let Some(errors) = report["validation"]["errors"].as_u64() {
        assert_eq!(report.get("validation_reason"), None);
        return Ok(errors);
    }
    assert_eq!(report["validation"], Value::Null);
    let reason = report["validation_reason"].as_str();
    Err(reason.expect("a reason").to_owned())
}

#[test]
fn validation_is_in_every_report() {
    let room = Room::with(&shape().many(4, 30));
    let of = |words: &str| validation(&room.json(words));
    let plain = room.json("train data.svm -a perceptron");
    let errors = plain["validation"]["errors"].as_u64().expect("counted");
    assert_eq!(
        plain["validation"],
        json!({"rows": 150, "errors": errors, "error": errors as f64 / 150.0})
    );
    // one epoch, the first order, however many there are
    assert_eq!(of("train data.svm -a perceptron --epochs 3"), Ok(errors));
    assert!(of("certify data.svm -a perceptron --normalize 2").is_ok());
    assert_eq!(
        of("train data.svm -a perceptron --permutations 3 --shuffle 4"),
        of("train data.svm -a perceptron --shuffle 4")
    );
    let averaged = of("train data.svm -a averaged");
    assert_eq!(averaged, of("train data.svm -a perceptron --use averaged"));
    assert_ne!(averaged, Ok(errors));
    assert_eq!(of("train data.svm -a averaged --use final"), Ok(errors));
    let vote = of("train data.svm -a voted").expect_err("too dear");
    assert!(vote.ends_with("use --use voted"), "{vote}");
    assert!(of("train data.svm -a voted --use voted").is_ok());
    assert!(of("train data.svm -a averaged --kernel gaussian").is_err());
    assert_eq!(
        of("train data.svm -a voted --use final --kernel gaussian"),
        of("train data.svm -a perceptron --kernel gaussian")
    );
    let text = room.run("train data.svm -a averaged").good().stdout;
    let counted = averaged.expect("counted");
    assert!(
        text.contains(&format!("validation {counted} errors on 150 rows (")),
        "{text}"
    );
}

/// The learners of a table, best first.
fn ranking(room: &Room, words: &str) -> Vec<String> {
    let text = room.run(words).good().stdout;
    // below the line under the headings
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("|--"))
        .skip(1);
    rows.filter_map(|line| Some(line.split('|').nth(1)?.trim().to_owned()))
        .collect()
}

#[test]
fn a_comparison_ranks_by_test_then_validation() {
    let room = Room::with(&shape().many(4, 30));
    room.write("test.svm", Shape { seed: 2, ..shape() }.many(4, 30));
    let specs = "perceptron averaged voted arow second-order romma eg";
    for (options, by) in [("", "validation"), ("--test test.svm", "test")] {
        let words = format!("compare data.svm {specs} {options}");
        let report = room.json(&words);
        let runs = report["runs"].as_array().expect("runs");
        let key = |run: &Value| {
            let online = || run["mistakes"].as_f64().map(|mistakes| mistakes / 150.0);
            run[by]["error"].as_f64().or_else(online).expect("a number")
        };
        let error = |spec: &String| {
            let run = runs.iter().find(|run| run["spec"] == **spec);
            key(run.expect("a run"))
        };
        let order = ranking(&room, &words);
        assert_eq!(order.len(), 7, "{order:?}");
        assert!(order.iter().map(error).is_sorted(), "{order:?}");
        assert!(order.iter().map(error).collect::<Vec<_>>()[0] < error(&order[6]));
    }
}
