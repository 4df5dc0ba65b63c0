//! `calibrate` and `predict --probabilities`.

use crate::common;

use common::Room;
use common::data::Shape;
use serde_json::{Value, json};

fn table(text: &str) -> Vec<Vec<f64>> {
    let number = |cell: &str| cell.parse().expect("a number");
    let row = |line: &str| line.split('\t').map(number).collect();
    text.lines().map(row).collect()
}

/// Training rows and other rows, in `train.svm` and `data.svm`.
fn room(text: impl Fn(Shape) -> String) -> Room {
    let train = Shape {
        rows: 150,
        ..Shape::default()
    };
    let whole = text(Shape { rows: 400, ..train });
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let room = Room::with(&lines[150..].concat());
    room.write("train.svm", lines[..150].concat());
    room
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("an array");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

#[test]
fn the_sigmoid_of_two_labels_is_platts() {
    let room = room(Shape::binary);
    room.run("train train.svm -a averaged -o model").good();
    room.run("calibrate model data.svm -o calibrated").good();
    let labels = room.run("predict model data.svm").good().stdout;
    assert_eq!(
        room.run("predict calibrated data.svm").good().stdout,
        labels
    );
    let about = room.run("inspect calibrated --json").good().stdout;
    let about: Value = serde_json::from_str(&about).expect("JSON");
    let calibration = &about["calibration"];
    assert_eq!(calibration["method"], json!("platt"));
    assert_eq!(calibration["use"], json!("averaged"));
    assert_eq!(calibration["rows"], json!(250));
    let slope = calibration["maps"][0]["slope"].as_f64().expect("a slope");
    let offset = calibration["maps"][0]["offset"]
        .as_f64()
        .expect("an offset");
    assert!(slope < 0.0);
    // the gradient of the cross-entropy with Platt's targets is 0
    let margins = table(&room.run("predict model data.svm --margins").good().stdout);
    let text = room.text("data.svm");
    let positive: Vec<bool> = text.lines().map(|line| line.starts_with('+')).collect();
    let count = positive.iter().filter(|p| **p).count() as f64;
    let high = (count + 1.0) / (count + 2.0);
    let low = 1.0 / (positive.len() as f64 - count + 2.0);
    let chances = table(
        &room
            .run("predict calibrated data.svm --probabilities")
            .good()
            .stdout,
    );
    let (mut by_slope, mut by_offset, mut lost) = (0.0, 0.0, 0.0);
    for ((margin, positive), chance) in margins.iter().zip(&positive).zip(&chances) {
        let p = 1.0 / (1.0 + libm::exp(slope * margin[0] + offset));
        assert!((chance[1] - p).abs() < 1e-12 && (chance[0] + chance[1] - 1.0).abs() < 1e-12);
        let t = if *positive { high } else { low };
        by_slope += margin[0] * (t - p);
        by_offset += t - p;
        lost -= libm::log(chance[usize::from(*positive)]) / 250.0;
    }
    let largest = margins.iter().fold(0.0_f64, |top, m| top.max(m[0].abs()));
    assert!((by_slope / largest).abs() < 1e-5 && by_offset.abs() < 1e-5);
    let found = room.json("evaluate calibrated data.svm");
    let log_loss = found["log_loss"].as_f64().expect("a number");
    assert!((log_loss - lost).abs() < 1e-12);
    assert!(
        room.run("inspect calibrated")
            .good()
            .stdout
            .contains("P(+1) = 1/(1 + exp(")
    );
}

#[test]
fn chances_of_several_classes_sum_to_one() {
    let room = room(|shape| shape.many(4, 5));
    room.run("train train.svm -a averaged -o model").good();
    for method in ["platt", "isotonic"] {
        room.run(&format!(
            "calibrate model data.svm -o calibrated --method {method}"
        ))
        .good();
        let chances = table(
            &room
                .run("predict calibrated data.svm --probabilities")
                .good()
                .stdout,
        );
        for row in &chances {
            assert_eq!(row.len(), 4);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
        }
        let text = room.text("data.svm");
        let truth: Vec<usize> = text
            .lines()
            .map(|line| line[..1].parse().expect("a class"))
            .collect();
        let mut brier = 0.0;
        for (row, &truth) in chances.iter().zip(&truth) {
            for (k, p) in row.iter().enumerate() {
                brier += (p - f64::from(u8::from(k == truth))).powi(2) / truth_count(&text);
            }
        }
        let found = room.json("evaluate calibrated data.svm");
        let given = found["brier"].as_f64().expect("a number");
        assert!((given - brier).abs() < 1e-12, "{given} {brier}");
        let piped = room.pipe("predict calibrated - --probabilities --threads 2", &text);
        assert_eq!(table(&piped.good().stdout), chances);
    }
}

fn truth_count(text: &str) -> f64 {
    text.lines().count() as f64
}

#[test]
fn an_isotonic_map_rises_to_the_shares() {
    let room = room(|shape| shape.multi(3, 5));
    room.run("train train.svm -a perceptron --multilabel -o model")
        .good();
    room.run("calibrate model data.svm -o calibrated --method isotonic")
        .good();
    let about = room.run("inspect calibrated --json").good().stdout;
    let about: Value = serde_json::from_str(&about).expect("JSON");
    let text = room.text("data.svm");
    let chances = table(
        &room
            .run("predict calibrated data.svm --probabilities")
            .good()
            .stdout,
    );
    for (k, map) in about["calibration"]["maps"]
        .as_array()
        .expect("maps")
        .iter()
        .enumerate()
    {
        let (margins, values) = (numbers(&map["margins"]), numbers(&map["probabilities"]));
        assert!(margins.windows(2).all(|w| w[0] < w[1]));
        assert!(values.windows(2).all(|w| w[0] <= w[1]));
        // pooled means: the expected number of labels is the true one
        let name = k.to_string();
        let has = |line: &&str| {
            let labels = line.split_whitespace().next().expect("labels");
            labels.split(',').any(|l| l == name)
        };
        let count = text.lines().filter(has).count() as f64;
        let expected: f64 = chances.iter().map(|row| row[k]).sum();
        assert!((expected - count).abs() < 1e-9, "{expected} {count}");
    }
}

#[test]
fn a_resumed_model_stays_calibrated() {
    for text in [Shape::binary as fn(Shape) -> String, |shape| {
        shape.many(4, 5)
    }] {
        let room = room(text);
        let rest = text(Shape {
            rows: 700,
            seed: 9,
            ..Shape::default()
        });
        let lines: Vec<&str> = rest.split_inclusive('\n').collect();
        room.write("rest.svm", &rest);
        room.write("first.svm", lines[..300].concat());
        room.write("second.svm", lines[300..].concat());
        room.run("train train.svm -a averaged -o model").good();
        for method in ["platt", "isotonic"] {
            room.run(&format!(
                "calibrate model data.svm -o calibrated --method {method}"
            ))
            .good();
            let done = room
                .run("train rest.svm --resume calibrated -o whole")
                .good();
            assert!(
                done.stderr.contains("fitted again") && done.stderr.contains("950 rows"),
                "{}",
                done.stderr
            );
            // in two nights, by a pipe, and with checkpoints it is the same model
            room.run("train first.svm --resume calibrated -o half")
                .good();
            room.run("train second.svm --resume half -o nights").good();
            assert_eq!(room.bytes("nights"), room.bytes("whole"));
            room.pipe("train - --resume calibrated -o piped", &rest)
                .good();
            assert_eq!(room.bytes("piped"), room.bytes("whole"));
            room.run("train rest.svm --resume calibrated --checkpoint 77 -o kept")
                .good();
            assert_eq!(room.bytes("kept"), room.bytes("whole"));
            // what is learned is what it would have been without probabilities
            room.run("train rest.svm --resume model -o plain").good();
            let margins = |model: &str| {
                let words = format!("predict {model} data.svm --margins");
                room.run(&words).good().stdout
            };
            assert_eq!(margins("whole"), margins("plain"));
            let about = |model: &str| {
                let done = room.run(&format!("inspect {model} --json")).good();
                let about: Value = serde_json::from_str(&done.stdout).expect("JSON");
                about["calibration"].clone()
            };
            assert_eq!(about("whole")["rows"], json!(950));
            assert_ne!(about("whole")["maps"], about("calibrated")["maps"]);
            assert_eq!(about("plain"), Value::Null);
        }
    }
    // calibrating again, from the calibrated model, changes nothing
    let room = room(Shape::binary);
    room.run("train train.svm -a perceptron -o model").good();
    room.run("calibrate model data.svm -o calibrated").good();
    room.run("calibrate calibrated data.svm -o again").good();
    assert_eq!(room.bytes("again"), room.bytes("calibrated"));
}

#[test]
fn a_class_that_appears_later_has_a_probability() {
    let room = room(|shape| shape.many(3, 5));
    room.run("train train.svm -a averaged -o model").good();
    room.run("calibrate model data.svm -o calibrated").good();
    let mut more = room.text("data.svm");
    for _ in 0..30 {
        more.push_str("7 1:5 3:-4\n");
    }
    room.write("more.svm", &more);
    room.run("train more.svm --resume calibrated -o more")
        .good();
    let done = room.run("predict more more.svm --probabilities").good();
    for row in table(&done.stdout) {
        assert_eq!(row.len(), 4);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn what_cannot_be_calibrated() {
    let room = room(Shape::binary);
    room.run("train train.svm -a averaged -o model").good();
    let refused = |words: &str, parts: &[&str]| {
        room.run(words).refused(parts);
        assert!(!room.path("out").exists(), "{words}");
    };
    room.write("one.svm", "+1 1:1\n+1 1:2\n");
    refused(
        "calibrate model one.svm -o out",
        &["no row has the label -1", "both labels"],
    );
    room.write("third.svm", "+1 1:1\n-1 1:2\n3 1:1\n");
    refused("calibrate model third.svm -o out", &["does not know", "3"]);
    refused("calibrate model nowhere.svm -o out", &["nowhere.svm"]);
    refused("calibrate nowhere data.svm -o out", &["nowhere"]);
    refused("calibrate model data.svm", &["--output"]);
    refused(
        "calibrate model data.svm -o data.svm",
        &["data.svm", "read as data"],
    );
    refused(
        "calibrate model data.svm -o out --method beta",
        &["platt", "isotonic"],
    );
    refused(
        "calibrate model data.svm -o out --use voted",
        &["--use voted"],
    );
    room.write("empty.svm", "");
    refused("calibrate model empty.svm -o out", &["no rows"]);
    room.write("numbers.svm", "1 1:1\n2.5 1:2\n");
    room.run("solve numbers.svm --loss squared --lambda 1 -o numbers")
        .good();
    refused(
        "calibrate numbers numbers.svm -o out",
        &["predicts numbers"],
    );
    room.run("calibrate model data.svm -o calibrated --use final")
        .good();
    room.run("predict calibrated data.svm --probabilities --use averaged")
        .refused(&["--probabilities", "final"]);
    room.run("predict calibrated data.svm --probabilities --margins")
        .refused(&["--margins"]);
    // probabilities of another predictor are not measured
    let found = room.json("evaluate calibrated data.svm");
    assert!(found.get("log_loss").is_none());
    assert!(
        room.json("evaluate calibrated data.svm --use final")
            .get("log_loss")
            .is_some()
    );
}

#[test]
fn a_class_without_rows_is_possible_everywhere() {
    let room = Room::with("0 1:1\n1 2:1\n2 3:1\n");
    room.run("train data.svm -a perceptron -o model").good();
    room.write("held.svm", "0 1:1\n1 2:1\n0 1:2\n1 2:2\n");
    for method in ["platt", "isotonic"] {
        let words = format!("calibrate model held.svm -o calibrated --method {method}");
        let done = room.run(&words).good();
        assert!(
            done.stderr.contains("no row has the label 2"),
            "{}",
            done.stderr
        );
        let chances = table(
            &room
                .run("predict calibrated held.svm --probabilities")
                .good()
                .stdout,
        );
        assert!(chances.iter().all(|row| row[2] > 0.0 && row[2] < 0.5));
    }
}

#[test]
fn a_solved_model_and_one_with_a_kernel() {
    let room = room(Shape::binary);
    room.run("solve train.svm --lambda 0.01 -o solved").good();
    room.run("train train.svm -a perceptron --kernel gaussian:gamma=0.1 -o kernel")
        .good();
    for model in ["solved", "kernel"] {
        room.run(&format!("calibrate {model} data.svm -o calibrated"))
            .good();
        let found = room.json("evaluate calibrated data.svm");
        let log_loss = found["log_loss"].as_f64().expect("a number");
        assert!(log_loss < std::f64::consts::LN_2, "{model}: {log_loss}");
    }
}
