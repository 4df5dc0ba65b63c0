//! `evaluate`: every figure again from what `predict` prints.

use crate::common;

use common::data::Shape;
use common::{Room, keys};
use serde_json::{Value, json};

/// The labels of each row of svmlight text.
fn truths(text: &str) -> Vec<Vec<String>> {
    let labels = |line: &str| {
        let first = line.split_whitespace().next().expect("a label");
        first.split(',').map(str::to_owned).collect()
    };
    text.lines().map(labels).collect()
}

fn table(text: &str) -> Vec<Vec<f64>> {
    let number = |cell: &str| cell.parse().expect("a number");
    let row = |line: &str| line.split('\t').map(number).collect();
    text.lines().map(row).collect()
}

fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found}"));
    assert!((found - expected).abs() < 1e-12, "{found} != {expected}");
}

/// Precision, recall and F1 of a label by counting.
fn measures(label: &str, truth: &[Vec<String>], predicted: &[Vec<String>]) -> [f64; 3] {
    let has = |row: &Vec<String>| row.iter().any(|l| l == label);
    let both = truth.iter().zip(predicted);
    let hits = both.filter(|(t, p)| has(t) && has(p)).count() as f64;
    let of = |rows: &[Vec<String>]| rows.iter().filter(|row| has(row)).count() as f64;
    let share = |a: f64, b: f64| if b == 0.0 { 0.0 } else { a / b };
    let (precision, recall) = (share(hits, of(predicted)), share(hits, of(truth)));
    [
        precision,
        recall,
        share(2.0 * precision * recall, precision + recall),
    ]
}

/// The share of pairs that are in the right order.
fn auc(scores: &[f64], is_so: &[bool]) -> f64 {
    let (mut right, mut pairs) = (0.0, 0.0);
    for (i, _) in is_so.iter().enumerate().filter(|(_, so)| **so) {
        for (j, _) in is_so.iter().enumerate().filter(|(_, so)| !**so) {
            pairs += 1.0;
            right += match scores[i].total_cmp(&scores[j]) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    right / pairs
}

#[test]
fn figures_are_those_of_the_predictions() {
    let shape = Shape {
        rows: 200,
        ..Shape::default()
    };
    for (text, names, words) in [
        (shape.binary(), vec!["-1", "+1"], ""),
        (shape.many(4, 5), vec!["0", "1", "2", "3"], ""),
        (shape.multi(4, 5), vec!["0", "1", "2", "3"], "--multilabel"),
    ] {
        let room = Room::with(&text);
        room.run(&format!("train data.svm -a averaged -o model {words}"))
            .good();
        let truth = truths(&text);
        let predicted = room.run("predict model data.svm").good().stdout;
        let labels = |line: &str| line.split(',').map(str::to_owned).collect();
        let predicted: Vec<Vec<String>> = predicted.lines().map(labels).collect();
        let mut margins = table(&room.run("predict model data.svm --margins").good().stdout);
        if names.len() == 2 {
            for row in &mut margins {
                row.insert(0, -row[0]);
            }
        }
        let found = room.json("evaluate model data.svm");
        let wrong = truth.iter().zip(&predicted).filter(|(t, p)| t != p).count();
        assert_eq!(found["errors"], json!(wrong), "{words}");
        near(&found["error"], wrong as f64 / 200.0);
        let mut mean = [0.0; 3];
        for (k, name) in names.iter().enumerate() {
            let class = &found["classes"][k];
            assert_eq!(class["class"], json!(name));
            let expected = measures(name, &truth, &predicted);
            for (key, (value, sum)) in ["precision", "recall", "f1"]
                .iter()
                .zip(expected.iter().zip(&mut mean))
            {
                near(&class[*key], *value);
                *sum += value / names.len() as f64;
            }
            let scores: Vec<f64> = margins.iter().map(|row| row[k]).collect();
            let is_so: Vec<bool> = truth.iter().map(|t| t.iter().any(|l| l == name)).collect();
            near(&class["auc"], auc(&scores, &is_so));
        }
        for (key, value) in ["precision", "recall", "f1"].iter().zip(mean) {
            near(&found["macro"][*key], value);
        }
        if names.len() > 2 {
            for key in ["auc", "average_precision"] {
                let of = |class: &Value| class[key].as_f64().expect("a number");
                let classes = found["classes"].as_array().expect("classes");
                near(&found[key], classes.iter().map(of).sum::<f64>() / 4.0);
            }
        }
        if words.is_empty() {
            near(&found["micro"]["f1"], 1.0 - wrong as f64 / 200.0);
            for (i, truth_name) in names.iter().enumerate() {
                for (j, other) in names.iter().enumerate() {
                    let both = truth.iter().zip(&predicted);
                    let count = both.filter(|(t, p)| t[0] == *truth_name && p[0] == *other);
                    assert_eq!(found["confusion"]["counts"][i][j], json!(count.count()));
                }
            }
        } else {
            assert!(found.get("confusion").is_none());
        }
        let same = room.json_piped("evaluate model - --threads 3", &text);
        assert_eq!(same, found, "from a pipe");
    }
}

#[test]
fn the_keys_of_two_labels() {
    let room = Room::with("-1 1:-2\n-1 1:1\n+1 1:2\n+1 1:3\n");
    room.write("train.svm", "+1 1:1\n-1 1:-1\n");
    room.run("train train.svm -a perceptron -o model").good();
    let found = room.json("evaluate model data.svm --curves curves.json");
    assert_eq!(
        keys(&found),
        [
            "spec",
            "kernel",
            "use",
            "data",
            "errors",
            "error",
            "positive",
            "precision",
            "recall",
            "f1",
            "break_even",
            "average_precision",
            "auc",
            "roc",
            "pr",
            "baseline",
            "unit",
            "micro",
            "macro",
            "classes",
            "confusion"
        ]
    );
    assert_eq!(found["errors"], json!(1));
    assert_eq!(found["positive"], json!("+1"));
    assert_eq!(found["auc"], json!(1.0));
    assert_eq!(found["roc"][0]["threshold"], Value::Null);
    assert_eq!(found["roc"].as_array().expect("points").len(), 5);
    assert_eq!(
        found["pr"][2],
        json!({"threshold": 1.0, "recall": 1.0, "precision": 2.0 / 3.0})
    );
    assert_eq!(found["confusion"]["counts"], json!([[1, 1], [0, 2]]));
    let curves: Value = serde_json::from_str(&room.text("curves.json")).expect("JSON");
    assert_eq!(curves["classes"][0]["roc"], found["roc"]);
    assert_eq!(curves["unit"], json!("margin"));
    room.run("evaluate model data.svm --curves curves.csv")
        .good();
    let csv = room.text("curves.csv");
    let mut lines = csv.lines();
    let names = "class,margin,false_positive_rate,recall,precision";
    assert_eq!(lines.next(), Some(names));
    assert_eq!(lines.next(), Some("+1,3,0,0.5,1"));
    assert_eq!(lines.count(), 3);
}

#[test]
fn labels_the_model_does_not_know_are_errors() {
    let room = Room::new();
    room.write("classes.svm", "0 1:1\n1 2:1\n2 3:1\n0 1:2\n");
    room.run("train classes.svm -a perceptron -o classes")
        .good();
    room.write("new.svm", "0 1:1\n7 1:1\n8 2:1\n7 3:1\n");
    let done = room.run("evaluate classes new.svm --json").good();
    assert!(done.stderr.contains("3 times"), "{}", done.stderr);
    assert!(done.stderr.contains("7 (2), 8 (1)"), "{}", done.stderr);
    let found = done.json();
    assert_eq!(found["errors"], json!(3));
    assert_eq!(found["unknown"], json!({"count": 3, "labels": ["7", "8"]}));
    let labels = found["confusion"]["labels"].as_array().expect("labels");
    assert_eq!(labels.last(), Some(&json!("(unknown)")));
    assert_eq!(found["confusion"]["counts"][3], json!([1, 1, 1, 0]));
    // one label against the rest knows them all
    room.run("train classes.svm -a perceptron --positive 1 -o one")
        .good();
    let found = room.json("evaluate one new.svm");
    assert_eq!(found["classes"][0]["class"], json!("rest"));
    assert!(found.get("unknown").is_none());
}

#[test]
fn numbers() {
    let room = Room::with("1 1:1\n3 1:2\n2 1:1\n");
    room.run("solve data.svm --loss squared --lambda 1e-6 -o model")
        .good();
    let predicted = table(&room.run("predict model data.svm").good().stdout);
    let truth = [1.0, 3.0, 2.0];
    let away = |k: usize| predicted[k][0] - truth[k];
    let found = room.json("evaluate model data.svm");
    near(
        &found["squared_error"],
        (0..3).map(|k| away(k) * away(k)).sum::<f64>() / 3.0,
    );
    near(
        &found["absolute_error"],
        (0..3).map(|k| away(k).abs()).sum::<f64>() / 3.0,
    );
    room.write("words.svm", "1 1:1\nred 1:1\n");
    room.run("evaluate model words.svm")
        .refused(&["words.svm:2:", "red"]);
    room.run("evaluate model data.svm --curves c.csv")
        .refused(&["--curves", "numbers"]);
}

#[test]
fn what_cannot_be_measured() {
    let room = Room::with("+1 1:1\n-1 1:-1\n");
    room.run("train data.svm -a perceptron -o model").good();
    room.run("evaluate nowhere data.svm").refused(&["nowhere"]);
    room.run("evaluate data.svm data.svm")
        .refused(&["data.svm"]);
    room.run("evaluate model nowhere.svm")
        .refused(&["nowhere.svm"]);
    room.run("evaluate model data.svm --use voted")
        .refused(&["--use voted", "final"]);
    room.run("evaluate model data.svm --curves c.png")
        .refused(&["--curves c.png", ".csv or .json"]);
    room.run("evaluate model data.svm --curves no/where.csv")
        .refused(&["no/where.csv"]);
    room.write("empty.svm", "");
    room.run("evaluate model empty.svm").refused(&["no rows"]);
    room.write("bare.svm", "+1 1:1\n? 1:1\n");
    room.run("evaluate model bare.svm")
        .refused(&["bare.svm:2:", "label"]);
    room.run("evaluate model bare.svm --skip-bad 1").good();
    room.write("several.svm", "+1 1:1\n+1,-1 1:1\n");
    room.run("evaluate model several.svm")
        .refused(&["several.svm:2:", "2 labels"]);
    room.write("third.svm", "+1 1:1\n3 1:1\n");
    let found = room.json("evaluate model third.svm");
    assert_eq!(found["errors"], json!(1));
}

#[test]
fn without_room_for_scores_there_are_no_curves() {
    let shape = Shape {
        rows: 30_000,
        width: 2,
        ..Shape::default()
    };
    let room = Room::with(&shape.binary());
    room.run("train data.svm -a perceptron -o model -q").good();
    let done = room
        .run("evaluate model data.svm --json --max-memory 1")
        .good();
    assert!(done.stderr.contains("--max-memory"), "{}", done.stderr);
    let (found, whole) = (done.json(), room.json("evaluate model data.svm"));
    assert!(found.get("roc").is_none());
    assert_eq!(found["confusion"], whole["confusion"]);
    assert!(whole["roc"].as_array().expect("points").len() <= 200);
}

/// Probabilities of rows that the model is sure of are all 1, but their margins differ.
#[test]
fn rows_are_ranked_alike_by_margins_and_by_probabilities_that_are_rounded_to_one() {
    for (classes, count) in [("two classes", 2), ("three classes", 3)] {
        let shape = Shape {
            rows: 300,
            ..Shape::DEFAULT
        };
        let text = if count == 2 {
            shape.binary()
        } else {
            shape.many(3, 5)
        };
        let room = Room::with(&text);
        let words = "solve data.svm --loss logistic --lambda 1e-3 -o calm";
        room.run(words).good();
        // the same rows a thousand times as long have margins a thousand times as large
        let long: String = text
            .lines()
            .map(|line| {
                let mut words = line.split(' ');
                let mut row = words.next().unwrap_or_default().to_owned();
                for word in words.filter(|word| !word.is_empty()) {
                    let (index, value) = word.split_once(':').expect("a pair");
                    let value: f64 = value.parse().expect("a number");
                    let word = format!(" {index}:{}", 1000.0 * value);
                    row.push_str(&word);
                }
                row + "\n"
            })
            .collect();
        room.write("long.svm", long);
        let found = room.json("evaluate calm long.svm");
        let truth = truths(&text);
        let margins = table(&room.run("predict calm long.svm --margins").good().stdout);
        let sure = table(
            &room
                .run("predict calm long.svm --probabilities")
                .good()
                .stdout,
        );
        let certain = sure.iter().flatten().filter(|p| **p == 1.0).count();
        assert!(certain > 100, "{classes}: {certain} probabilities are 1");
        if count == 2 {
            let scores: Vec<f64> = margins.iter().map(|row| row[0]).collect();
            let is_so: Vec<bool> = truth.iter().map(|labels| labels[0] == "+1").collect();
            near(&found["auc"], auc(&scores, &is_so));
        }
    }
}
