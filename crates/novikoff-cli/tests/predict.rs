//! `predict` and `inspect`: labels, margins, and weights that sum to them.

use crate::common;

use common::data::Shape;
use common::slow::{Kind, dot, first_best, in_order, parse, perceptron};
use common::{Room, keys, lines};
use serde_json::json;

const LINEAR: &[&str] = &[
    "perceptron",
    "averaged",
    "p-norm",
    "balanced-winnow",
    "eg",
    "normalised-perceptron",
    "whitened",
    "alma",
    "passive-aggressive",
    "arow",
    "arow:form=full",
];

#[test]
fn labels_and_margins_are_those_of_the_definition() {
    let shape = Shape::default();
    for (text, kind) in [
        (shape.binary(), Kind::Binary("+1")),
        (shape.many(5, 20), Kind::Many),
        (shape.multi(5, 20), Kind::Multi),
    ] {
        let rows = parse(&text);
        let run = perceptron(&rows, kind, &in_order(&rows, 1));
        let room = Room::with(&text);
        room.run("train data.svm -a perceptron -o model").good();
        let margins: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| run.weights.iter().map(|w| dot(w, &row.x)).collect())
            .collect();
        let columns = margins
            .iter()
            .map(|m| m.iter().map(f64::to_string).collect::<Vec<_>>().join("\t"));
        let found = room.run("predict model data.svm --margins").good().stdout;
        assert_eq!(found, lines(columns));
        let names: Vec<&str> = run.classes.iter().map(|(name, _)| name.as_str()).collect();
        let labels = margins.iter().map(|m| match kind {
            Kind::Binary(positive) => if m[0] >= 0.0 { positive } else { "-1" }.to_owned(),
            Kind::Many => names[first_best(m)].to_owned(),
            Kind::Multi => {
                let chosen = (0..m.len()).filter(|&k| m[k] >= 0.0).map(|k| names[k]);
                chosen.collect::<Vec<_>>().join(",")
            }
        });
        let expected = lines(labels);
        assert_eq!(room.run("predict model data.svm").good().stdout, expected);
        assert_eq!(
            room.pipe("predict model -", &text).good().stdout,
            expected,
            "from a pipe"
        );
    }
}

#[test]
fn columns_are_in_class_order_and_labels_as_first_written() {
    let room = Room::with("10 1:1\n9.0 2:1\n-2 3:1\n10.0 1:1\n");
    room.run("train data.svm -a perceptron -o model").good();
    room.write("new.svm", "? 1:1\n2:1\n? 3:1\n");
    // each class learns its own feature at +, the others at -; class 10 was met twice
    let margins = room.run("predict model new.svm --margins").good().stdout;
    let rows: Vec<Vec<f64>> = margins
        .lines()
        .map(|line| {
            line.split('\t')
                .map(|m| m.parse().expect("a margin"))
                .collect()
        })
        .collect();
    let labels = room.run("predict model new.svm").good().stdout;
    let order = ["-2", "9.0", "10"];
    for (row, label) in rows.iter().zip(labels.lines()) {
        assert_eq!(order[first_best(row)], label, "{row:?}");
    }
    assert_eq!(room.json_inspect("model")["labels"], json!(order));
}

#[test]
fn rows_need_no_labels() {
    let text = Shape::default().many(4, 1);
    let room = Room::with(&text);
    room.run("train data.svm -a averaged -o model").good();
    let expected = room.run("predict model data.svm").good().stdout;
    let unlabelled = |mark: &str| {
        lines(text.lines().map(|line| match line.split_once(' ') {
            Some((_, features)) => format!("{mark}{features}"),
            None => mark.trim().to_owned(),
        }))
    };
    for mark in ["? ", "77 ", "1,2,3 "] {
        assert_eq!(
            room.pipe("predict model -", unlabelled(mark)).good().stdout,
            expected,
            "{mark}"
        );
    }
    // without any label a row must have a feature
    let bare = unlabelled("")
        .lines()
        .filter(|line| !line.is_empty())
        .count();
    let found = room.pipe("predict model -", unlabelled("")).good().stdout;
    assert_eq!(found.lines().count(), bare);
    if bare == text.lines().count() {
        assert_eq!(found, expected);
    }
    // one line per row: remarks and empty lines are none, a zero row is one
    assert_eq!(
        room.pipe("predict model -", "# x\n\n?\n? 1:1 # y\n")
            .good()
            .stdout
            .lines()
            .count(),
        2
    );
    assert_eq!(room.pipe("predict model -", "").good().stdout, "");
}

#[test]
fn one_label_against_the_rest() {
    let text = Shape::default().many(4, 1);
    let room = Room::with(&text);
    room.run("train data.svm -a perceptron --positive 2 -o model")
        .good();
    let labels = room.run("predict model data.svm").good().stdout;
    let margins = room.run("predict model data.svm --margins").good().stdout;
    for (label, margin) in labels.lines().zip(margins.lines()) {
        let margin: f64 = margin.parse().expect("one column");
        assert_eq!(label, if margin >= 0.0 { "2" } else { "rest" });
    }
    assert!(labels.contains("rest\n") && labels.contains("2\n"));
}

#[test]
fn predictions_are_as_wrong_as_the_test_says() {
    let shape = Shape {
        positive: true,
        ragged: true,
        rows: 160,
        ..Shape::default()
    };
    for (text, kind) in [
        (shape.binary(), "binary"),
        (shape.many(4, 1), "many"),
        (shape.multi(4, 1), "multi"),
    ] {
        let cut = text.match_indices('\n').nth(99).expect("100 rows").0 + 1;
        let room = Room::with(&text[..cut]);
        room.write("test.svm", &text[cut..]);
        let truth: Vec<&str> = text[cut..]
            .lines()
            .map(|line| line.split(' ').next().expect("a label"))
            .collect();
        for spec in LINEAR.iter().chain(&["voted", "winnow"]) {
            for options in ["", "--bias 1 --normalize 2 --epochs 2"] {
                let json = room.json(&format!(
                    "train data.svm -a {spec} --test test.svm -o model {options}"
                ));
                let labels = room.run("predict model test.svm").good().stdout;
                let wrong = labels
                    .lines()
                    .zip(&truth)
                    .filter(|(label, truth)| label != *truth);
                assert_eq!(
                    json["test"]["errors"],
                    wrong.count(),
                    "{spec} {kind} {options}"
                );
            }
        }
    }
}

/// The weights of `inspect --weights`: class (if several), feature, weight.
fn weights(room: &Room, words: &str) -> Vec<(String, usize, f64)> {
    let text = room.run(words).good().stdout;
    let line = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        let (class, rest) = if words.len() == 3 {
            (words[0], &words[1..])
        } else {
            ("", &words[..])
        };
        let feature = if rest[0] == "bias" {
            0
        } else {
            rest[0].parse().expect("a feature")
        };
        (
            class.to_owned(),
            feature,
            rest[1].parse().expect("a weight"),
        )
    };
    text.lines().map(line).collect()
}

#[test]
fn weights_sum_to_the_margins() {
    let shape = Shape {
        positive: true,
        ragged: true,
        ..Shape::default()
    };
    for (text, classes) in [
        (shape.binary(), vec![""]),
        (shape.many(4, 1), vec!["0", "1", "2", "3"]),
    ] {
        let rows = parse(&text);
        let room = Room::with(&text);
        for spec in LINEAR.iter().chain(&["winnow:theta=3"]) {
            for (options, normal) in [("", false), ("--normalize 2", true)] {
                if *spec == "alma" && !normal {
                    continue; // its margin is that of the row divided by its norm, always
                }
                room.run(&format!(
                    "train data.svm -a {spec} --bias 1 -o model {options}"
                ))
                .good();
                let weights = weights(&room, "inspect model --weights");
                let threshold = if spec.starts_with("winnow") { 3.0 } else { 0.0 };
                let margins = room.run("predict model data.svm --margins").good().stdout;
                for (row, line) in rows.iter().zip(margins.lines()) {
                    let x = row.clone().biased(1.0);
                    let x = if normal { x.normalised(2.0) } else { x }.x;
                    let value = |j: usize| x.iter().find(|(k, _)| *k == j).map_or(0.0, |(_, v)| *v);
                    for (class, margin) in classes.iter().zip(line.split('\t')) {
                        let own = weights.iter().filter(|(name, ..)| name == class);
                        let sum = own.map(|(_, j, w)| w * value(*j)).sum::<f64>() - threshold;
                        let margin: f64 = margin.parse().expect("a margin");
                        let near = (sum - margin).abs() < 1e-9 * (1.0 + margin.abs());
                        assert!(near, "{spec} {options}, class {class}: {sum}, not {margin}");
                    }
                }
            }
        }
    }
}

#[test]
fn weights_come_largest_first_and_of_one_class_if_asked() {
    let room = Room::with(
        &Shape {
            ragged: true,
            ..Shape::default()
        }
        .many(4, 1),
    );
    room.run("train data.svm -a averaged --bias 1 -o model")
        .good();
    let all = weights(&room, "inspect model --weights");
    for class in ["0", "1", "2", "3"] {
        let own: Vec<(usize, f64)> = all
            .iter()
            .filter(|w| w.0 == class)
            .map(|&(_, j, w)| (j, w))
            .collect();
        assert_eq!(own.len(), 10, "nine features and the bias");
        assert!(own.is_sorted_by(|a, b| a.1.abs() >= b.1.abs()));
        let one = weights(&room, &format!("inspect model --weights --class {class}.0"));
        assert!(one.iter().all(|w| w.0.is_empty()), "no class column");
        assert_eq!(one.iter().map(|&(_, j, w)| (j, w)).collect::<Vec<_>>(), own);
    }
    room.run("inspect model --weights --class 9")
        .refused(&["--class 9", "0, 1, 2, 3"]);
}

impl Room {
    pub(crate) fn json_inspect(&self, model: &str) -> serde_json::Value {
        let done = self.run(&format!("inspect {model} --json")).good();
        serde_json::from_str(&done.stdout).expect("JSON")
    }
}

#[test]
fn inspect_tells_what_train_did() {
    let room = Room::with(&Shape::default().many(4, 1));
    let trained =
        room.json("train data.svm -a p-norm:p=auto --bias 2 --normalize inf --epochs 2 -o model");
    let json = room.json_inspect("model");
    for key in ["spec", "kernel", "parameters", "mistakes", "updates"] {
        assert_eq!(json[key], trained[key], "{key}");
    }
    assert_eq!(json["task"], "one-vs-rest");
    assert_eq!(json["labels"], json!(["0", "1", "2", "3"]));
    assert_eq!(
        (&json["bias"], &json["normalize"]),
        (&json!(2.0), &json!("inf"))
    );
    assert_eq!((&json["rows"], &json["features"]), (&json!(240), &json!(9)));
    for (inspected, class) in json["classes"].as_array().expect("classes").iter().zip(0..) {
        let trained = &trained["classes"][class];
        assert_eq!(keys(inspected), ["class", "mistakes", "updates", "nonzero"]);
        for key in ["class", "mistakes", "updates"] {
            assert_eq!(inspected[key], trained[key], "{key} of {class}");
        }
    }
    let digest = json["blake3"].as_str().expect("a digest");
    assert_eq!(digest.len(), 64);
    assert!(room.run("inspect model").good().stdout.contains(digest));
}

/// The rows of a kernel model, as its trace has them. All classes appear in zero rows, before anything is learned.
#[test]
fn inspect_tells_what_kernel_models_are_made_of() {
    let room = Room::with(&("0\n1\n2\n3\n".to_owned() + &Shape::default().many(4, 1)));
    let words =
        "train data.svm -a perceptron --kernel poly:degree=2 --epochs 3 -o model --trace trace";
    room.json(words);
    // each update of a class adds 1 to the coefficient of a row, or takes 1 away; equal rows are one
    let data = room.text("data.svm");
    let rows: Vec<(&str, &str)> = data
        .lines()
        .map(|line| line.split_once(' ').unwrap_or((line, "")))
        .collect();
    let mut sizes = std::collections::BTreeMap::<(String, &str), f64>::new();
    for line in room.text("trace").lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if event["updated"] == true {
            let class = event["class"].as_str().expect("a class").to_owned();
            let (label, values) = rows[event["row"].as_u64().expect("a row") as usize];
            let step = if label == class { 1.0 } else { -1.0 };
            *sizes.entry((class, values)).or_default() += step;
        }
    }
    sizes.retain(|_, size| *size != 0.0);
    for size in sizes.values_mut() {
        *size = size.abs();
    }
    let range = |sizes: &[f64]| {
        let least = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        (
            json!(least),
            json!(sizes.iter().copied().fold(0.0, f64::max)),
        )
    };
    let json = room.json_inspect("model");
    let mut users = std::collections::BTreeMap::<&str, u64>::new();
    for (_, row) in sizes.keys() {
        *users.entry(*row).or_default() += 1;
    }
    let all: Vec<f64> = sizes.values().copied().collect();
    let (least, most) = range(&all);
    let shared = users.values().filter(|users| **users > 1).count();
    assert_eq!(
        json["support"],
        json!({"rows": users.len(), "smallest": least, "largest": most, "shared": shared})
    );
    assert!(shared > 0 && shared < users.len());
    for class in json["classes"].as_array().expect("classes") {
        assert_eq!(keys(class), ["class", "mistakes", "updates", "support"]);
        let name = class["class"].as_str().expect("a class");
        let own = sizes.iter().filter(|((class, _), _)| class == name);
        let own: Vec<f64> = own.map(|(_, size)| *size).collect();
        let (least, most) = range(&own);
        assert_eq!(
            class["support"],
            json!({"rows": own.len(), "smallest": least, "largest": most})
        );
    }
    let text = room.run("inspect model").good().stdout;
    let line = format!(
        "{} rows, {shared} of them used by more than one class; coefficients from {least} to {most} in magnitude",
        users.len()
    );
    let line = line.replace(".0 ", " ");
    assert!(text.contains(&line), "{text}\n{line}");
    assert!(text.contains("kernel      poly:degree=2"), "{text}");
    // a model of features has no such rows, and a fresh one none yet
    room.run("train data.svm -a perceptron -o plain -q").good();
    assert!(room.json_inspect("plain")["support"].is_null());
    room.write("zero.svm", "1\n-1\n");
    room.run("train zero.svm -a perceptron --kernel gaussian -o none -q --normalize 2")
        .good();
    room.run("inspect none").good();
}

#[test]
fn several_files_and_built_in_data_are_predicted() {
    let room = Room::new();
    room.run("generate digits -o digits.svm").good();
    room.run("train digits -a averaged -o model -q").good();
    let once = room.run("predict model digits").good().stdout;
    assert_eq!(once.lines().count(), 1797);
    assert_eq!(room.run("predict model digits.svm").good().stdout, once);
    let twice = room
        .run("predict model digits.svm digits.svm")
        .good()
        .stdout;
    assert_eq!(twice, once.repeat(2));
}

/// A model of rows without columns: a table of as many unnamed columns as it has features has no label among them.
#[test]
fn unnamed_columns_are_all_features_if_they_are_as_many() {
    let rows = [
        ([1.5, -2.0, 0.25], "+1"),
        ([-1.0, 2.0, 4.0], "-1"),
        ([2.5, -1.0, 1.0], "+1"),
        ([-2.0, 0.5, -3.0], "-1"),
    ];
    let cells = |x: &[f64]| x.iter().map(f64::to_string).collect::<Vec<_>>();
    let svm = rows.map(|(x, y)| format!("{y} 1:{} 2:{} 3:{}\n", x[0], x[1], x[2]));
    let room = Room::with(&svm.concat());
    room.write(
        "bare.csv",
        rows.map(|(x, _)| cells(&x).join(",") + "\n").concat(),
    );
    let labelled = rows.map(|(x, y)| format!("{y},{}\n", cells(&x).join(",")));
    room.write("labelled.csv", labelled.concat());
    room.run("train data.svm -a perceptron --epochs 5 -o model")
        .good();
    let margins = |data: &str| {
        room.run(&format!("predict model {data} --margins"))
            .good()
            .stdout
    };
    assert_eq!(margins("bare.csv"), margins("data.svm"));
    assert_eq!(margins("labelled.csv"), margins("data.svm"));
}
