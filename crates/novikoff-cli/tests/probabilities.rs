//! Probabilities without `calibrate`, and what `evaluate` says of probabilities.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::{Shape, SplitMix64};
use common::remarks::said;
use serde_json::{Value, json};

fn table(text: &str) -> Vec<Vec<f64>> {
    let number = |cell: &str| cell.parse().expect("a number");
    let row = |line: &str| line.split('\t').map(number).collect();
    text.lines().map(row).collect()
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-z))
}

fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found}"));
    assert!((found - expected).abs() < 1e-12, "{found} != {expected}");
}

const SHAPE: Shape = Shape {
    rows: 300,
    ..Shape::DEFAULT
};

#[test]
fn losses_with_a_link_have_probabilities_at_once() {
    let room = Room::with(&SHAPE.binary());
    for (loss, factor) in [("logistic", 1.0), ("exponential", 2.0)] {
        let solve = format!("solve data.svm --loss {loss} --lambda 0.01 --bias 1 -o model");
        room.run(&solve).good();
        let margins = table(&room.run("predict model data.svm --margins").good().stdout);
        let done = room.run("predict model data.svm --probabilities").good();
        for (margin, chance) in margins.iter().zip(table(&done.stdout)) {
            let p = sigmoid(factor * margin[0]);
            assert!((chance[1] - p).abs() < 1e-12 && (chance[0] + p - 1.0).abs() < 1e-12);
        }
        let about = room.json_inspect("model");
        let native = json!({"source": "native", "log_odds": factor});
        assert_eq!(about["probabilities"], native);
        assert_eq!(about["calibration"], Value::Null);
        let shown = room.run("inspect model").good().stdout;
        assert!(shown.contains("native, 1/(1 + exp(-"), "{shown}");
        // maps that are fitted come first
        room.run("calibrate model data.svm -o calibrated").good();
        let source = &room.json_inspect("calibrated")["probabilities"];
        assert_eq!(*source, json!({"source": "calibrated"}));
    }
    for loss in ["hinge", "squared-hinge", "modified-huber"] {
        let solve = format!("solve data.svm --loss {loss} --lambda 0.01 -o model");
        room.run(&solve).good();
        room.run("predict model data.svm --probabilities")
            .refused(&[
                "--probabilities",
                "margins only",
                "novikoff calibrate model",
            ]);
        assert_eq!(room.json_inspect("model")["probabilities"], Value::Null);
        assert!(
            room.json("evaluate model data.svm")
                .get("log_loss")
                .is_none()
        );
    }
}

#[test]
fn native_probabilities_of_several_classes_are_shares() {
    let text = SHAPE.many(4, 5);
    let room = Room::with(&text);
    room.run("solve data.svm --loss logistic --lambda 0.01 -o model")
        .good();
    let margins = table(&room.run("predict model data.svm --margins").good().stdout);
    let done = room.run("predict model data.svm --probabilities").good();
    let chances = table(&done.stdout);
    let mut lost = 0.0;
    let mut brier = 0.0;
    for ((margins, chances), line) in margins.iter().zip(&chances).zip(text.lines()) {
        let sum: f64 = margins.iter().map(|&m| sigmoid(m)).sum();
        let truth: usize = line[..1].parse().expect("a class");
        for (k, (margin, chance)) in margins.iter().zip(chances).enumerate() {
            assert!((chance - sigmoid(*margin) / sum).abs() < 1e-12);
            brier += (chance - f64::from(u8::from(k == truth))).powi(2) / 300.0;
        }
        lost -= libm::log(chances[truth]) / 300.0;
    }
    let found = room.json("evaluate model data.svm");
    near(&found["log_loss"], lost);
    near(&found["brier"], brier);
    // several labels per row: each by itself
    let room = Room::with(&SHAPE.multi(3, 5));
    room.run("solve data.svm --multilabel --loss logistic --lambda 0.01 -o model")
        .good();
    let margins = table(&room.run("predict model data.svm --margins").good().stdout);
    let done = room.run("predict model data.svm --probabilities").good();
    for (margins, chances) in margins.iter().zip(table(&done.stdout)) {
        for (margin, chance) in margins.iter().zip(chances) {
            assert!((chance - sigmoid(*margin)).abs() < 1e-12);
        }
    }
}

/// The measures of probabilities of two labels, by their definitions.
#[test]
fn evaluate_ranks_and_counts_by_probability() {
    let text = SHAPE.binary();
    let room = Room::with(&text);
    room.run("solve data.svm --loss logistic --lambda 0.01 --bias 1 -o model")
        .good();
    let done = room.run("predict model data.svm --probabilities").good();
    let chances: Vec<f64> = table(&done.stdout).iter().map(|row| row[1]).collect();
    let truth: Vec<bool> = text.lines().map(|line| line.starts_with('+')).collect();
    let found = room.json("evaluate model data.svm --curves curves.csv");
    assert_eq!(found["unit"], json!("probability"));
    let (mut right, mut pairs) = (0.0, 0.0);
    for (p, _) in chances.iter().zip(&truth).filter(|(_, is_so)| **is_so) {
        for (q, _) in chances.iter().zip(&truth).filter(|(_, is_so)| !**is_so) {
            pairs += 1.0;
            right += if p > q {
                1.0
            } else if p == q {
                0.5
            } else {
                0.0
            };
        }
    }
    near(&found["auc"], right / pairs);
    // the mean over the positives of the precision at their probability
    let positives = truth.iter().filter(|t| **t).count() as f64;
    let precision_at = |at: f64| {
        let called = chances.iter().zip(&truth).filter(|(p, _)| **p >= at);
        let (mut all, mut hit) = (0.0, 0.0);
        for (_, is_so) in called {
            all += 1.0;
            hit += f64::from(u8::from(*is_so));
        }
        hit / all
    };
    let mean: f64 = chances
        .iter()
        .zip(&truth)
        .filter(|(_, is_so)| **is_so)
        .map(|(p, _)| precision_at(*p) / positives)
        .sum();
    near(&found["average_precision"], mean);
    let bins = found["reliability"]["bins"].as_array().expect("bins");
    let mut error = 0.0;
    for (k, bin) in bins.iter().enumerate() {
        let inside = |p: f64| ((p * 10.0) as usize).min(9) == k;
        let rows: Vec<usize> = (0..300).filter(|&i| inside(chances[i])).collect();
        assert_eq!(bin["count"], json!(rows.len()));
        if rows.is_empty() {
            assert_eq!(
                (&bin["predicted"], &bin["observed"]),
                (&Value::Null, &Value::Null)
            );
            continue;
        }
        let n = rows.len() as f64;
        let predicted = rows.iter().map(|&i| chances[i]).sum::<f64>() / n;
        let observed = rows.iter().filter(|&&i| truth[i]).count() as f64 / n;
        near(&bin["predicted"], predicted);
        near(&bin["observed"], observed);
        error += n / 300.0 * (predicted - observed).abs();
    }
    near(&found["reliability"]["calibration_error"], error);
    // thresholds are probabilities
    let csv = room.text("curves.csv");
    assert!(csv.starts_with("class,probability,false_positive_rate,recall,precision\n"));
    let cells: Vec<f64> = csv
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .nth(1)
                .expect("a threshold")
                .parse()
                .expect("a number")
        })
        .collect();
    assert!(cells.iter().all(|p| (0.0..=1.0).contains(p)));
    let shown = room.run("evaluate model data.svm").good().stdout;
    for part in [
        "probability at least",
        "mean forecast",
        "came true",
        "calibrated",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    room.run("train data.svm -a perceptron -o margins").good();
    let shown = room.run("evaluate margins data.svm").good().stdout;
    assert!(
        shown.contains("margin at least") && !shown.contains("came true"),
        "{shown}"
    );
}

/// Solutions that a large lambda holds back are right, and not sure of it.
#[test]
fn forecasts_that_come_true_far_more_often_have_a_remark() {
    for classes in [2, 4] {
        let room = Room::new();
        for (name, seed) in [("t.svm", 1), ("held.svm", 2), ("new.svm", 3)] {
            let mut random = SplitMix64(seed);
            let mut text = String::new();
            for row in 0..1200 {
                let class = row % classes;
                let _ = write!(text, "{class}");
                for k in 0..classes {
                    let is_own = if k == class { 1.0 } else { 0.0 };
                    let _ = write!(text, " {}:{:.3}", k + 1, is_own + 1.6 * random.uniform());
                }
                text.push('\n');
            }
            room.write(name, text);
        }
        let remark = |model: &str| {
            let found = room.json(&format!("evaluate {model} new.svm"));
            said(&found, "probabilities").join("")
        };
        let solve = |lambda: &str| {
            let words = "solve t.svm --loss logistic --bias free --lambda";
            room.run(&format!("{words} {lambda} -o m -q")).good();
        };
        solve("1");
        let text = remark("m");
        let what = if classes == 2 {
            "the mean probability of 1 is 0."
        } else {
            "the mean probability of the predicted label is 0.2"
        };
        assert!(
            text.contains(what) && text.contains("novikoff calibrate m"),
            "{classes}: {text}"
        );
        assert_eq!(text.contains("where it is between 0."), classes == 2);
        room.run("calibrate m held.svm -o c -q").good();
        assert_eq!(remark("c"), "");
        solve("1e-4");
        assert_eq!(remark("m"), "");
    }
}
