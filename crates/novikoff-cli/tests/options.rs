//! Options of a run: how rows are prepared and how the outcome is tested.

use crate::common;

use common::data::Shape;
use common::slow::{Example, Kind, dot, first_best, in_order, parse, perceptron};
use common::{Room, lines};
use serde_json::{Value, json};

/// Trains with options and compares counts and margins with the definition on prepared rows.
#[track_caller]
fn prepared(text: &str, kind: Kind<'_>, options: &str, prepare: impl Fn(Example) -> Example) {
    let room = Room::with(text);
    let rows: Vec<Example> = parse(text).into_iter().map(prepare).collect();
    let defined = perceptron(&rows, kind, &in_order(&rows, 2));
    let words = format!("train data.svm -a perceptron --epochs 2 --trace trace {options}");
    let json = room.json(&words);
    assert_eq!(json["epochs"], defined.json()["epochs"], "{words}");
    assert_eq!(json["classes"], defined.json()["classes"], "{words}");
    let trace = room.text("trace");
    assert_eq!(trace.lines().count(), defined.trace.len(), "{words}");
    for (found, line) in trace.lines().zip(&defined.trace) {
        let found: Value = serde_json::from_str(found).expect("JSON");
        let margin = found["margin"].as_f64().expect("a margin");
        let scale = line.margin.abs().max(1.0);
        assert!(
            (margin - line.margin).abs() < 1e-9 * scale,
            "{words}: {found}, not {line}"
        );
        assert_eq!(
            (&found["row"], &found["class"]),
            (&json!(line.row), &json!(line.class))
        );
    }
}

fn both(options: &str, prepare: impl Fn(Example) -> Example) {
    let shape = Shape {
        ragged: true,
        ..Shape::default()
    };
    prepared(&shape.binary(), Kind::Binary("+1"), options, &prepare);
    prepared(&shape.many(4, 10), Kind::Many, options, &prepare);
}

#[test]
fn bias_appends_a_constant_feature() {
    both("--bias 1", |row| row.biased(1.0));
    both("--bias -2.5", |row| row.biased(-2.5));
    both("--bias 0", |row| row.biased(0.0));
    both("--bias off", |row| row);
}

#[test]
fn rows_are_divided_by_their_norm() {
    both("--normalize 1", |row| row.normalised(1.0));
    both("--normalize 2", |row| row.normalised(2.0));
    both("--normalize 3.5", |row| row.normalised(3.5));
    both("--normalize inf", |row| row.normalised(f64::INFINITY));
    both("--normalize off", |row| row);
}

#[test]
fn the_bias_is_appended_before_normalising() {
    both("--bias 3 --normalize 1", |row| {
        row.biased(3.0).normalised(1.0)
    });
    both("--bias 3 --normalize inf", |row| {
        row.biased(3.0).normalised(f64::INFINITY)
    });
}

/// The higher-order perceptron divides rows by their p-norm unless --normalize says otherwise.
#[test]
fn a_learner_with_a_norm_of_its_own() {
    let shape = Shape::default();
    for text in [shape.binary(), shape.many(4, 10)] {
        let room = Room::with(&text);
        let model = |spec: &str, options: &str| {
            room.run(&format!("train data.svm -a {spec} -o model {options}"))
                .good();
            room.bytes("model")
        };
        for (spec, own) in [("higher-order", 2), ("higher-order:p=4", 4)] {
            let unset = model(spec, "--bias 1");
            assert!(unset == model(spec, &format!("--bias 1 --normalize {own}")));
            assert!(unset != model(spec, "--bias 1 --normalize 3"));
            assert!(unset != model(spec, "--bias 1 --normalize off"));
        }
        let of = |json: &Value, i: usize| json["runs"][i]["mistakes"].clone();
        let both = room.json("compare data.svm perceptron higher-order");
        let unit = room.json("compare data.svm perceptron higher-order --normalize 2");
        let off = room.json("compare data.svm perceptron --normalize off");
        assert_eq!(of(&both, 0), of(&off, 0));
        assert_eq!(of(&both, 1), of(&unit, 1));
    }
    let room = Room::with(&shape.binary());
    room.run("train data.svm -a higher-order -o model").good();
    let reported = room.run("inspect model --json").good().stdout;
    assert!(reported.contains("\"normalize\":2.0"), "{reported}");
    room.run("train data.svm --resume model").good();
    room.run("train data.svm --resume model --normalize off")
        .refused(&["trained with --normalize 2, not off"]);
}

/// Rows centred and scaled to variance 1 (of the population), values kept as f32.
fn standardised(rows: &[Example], width: usize) -> Vec<Example> {
    let n = rows.len() as f64;
    let value = |row: &Example, j: usize| row.x.iter().find(|(k, _)| *k == j).map_or(0.0, |x| x.1);
    let mut out: Vec<Example> = rows.to_vec();
    for row in &mut out {
        row.x.clear();
    }
    for j in 1..=width {
        let mean = rows.iter().map(|row| value(row, j)).sum::<f64>() / n;
        let variance = rows
            .iter()
            .map(|row| (value(row, j) - mean).powi(2))
            .sum::<f64>()
            / n;
        for (row, out) in rows.iter().zip(&mut out) {
            let centred = value(row, j) - mean;
            out.x.push((
                j,
                if variance > 0.0 {
                    centred / variance.sqrt()
                } else {
                    0.0
                },
            ));
        }
    }
    out
}

#[test]
fn standardize_centres_and_scales_and_is_kept_in_the_model() {
    // feature 9 never varies
    let text: String = lines(
        Shape {
            ragged: true,
            ..Shape::default()
        }
        .binary()
        .lines()
        .map(|line| match line.rsplit_once(" 9:") {
            Some((start, _)) => format!("{start} 9:5"),
            None => format!("{line} 9:5"),
        }),
    );
    let rows = parse(&text);
    let room = Room::with(&text);
    for (options, bias) in [("", None), ("--bias 2", Some(2.0))] {
        let mut prepared = standardised(&rows, 9);
        if let Some(bias) = bias {
            prepared = prepared.into_iter().map(|row| row.biased(bias)).collect();
        }
        let defined = perceptron(&prepared, Kind::Binary("+1"), &in_order(&rows, 1));
        let json = room.json(&format!(
            "train data.svm -a perceptron --standardize -o model {options}"
        ));
        assert_eq!(json["epochs"], defined.json()["epochs"], "{options}");
        let margins = room.run("predict model data.svm --margins").good().stdout;
        for (found, row) in margins.lines().zip(&prepared) {
            let (found, margin) = (
                found.parse::<f64>().expect("a number"),
                dot(&defined.weights[0], &row.x),
            );
            assert!((found - margin).abs() < 1e-4, "{found}, not {margin}");
        }
    }
}

#[test]
fn what_needs_all_rows_first_reads_files_only() {
    let text = Shape::default().binary();
    let room = Room::with(&text);
    for (flag, what) in [
        ("--standardize", "--standardize needs"),
        ("", "whitened needs"),
    ] {
        let spec = if flag.is_empty() {
            "whitened"
        } else {
            "perceptron"
        };
        room.run(&format!("train data.svm -a {spec} {flag}")).good();
        for words in ["train - -a", "train - --shuffle 3 -a", "compare -"] {
            let done = room.pipe(&format!("{words} {spec} {flag}"), &text);
            done.refused(&[what, "files only"]);
        }
    }
}

#[test]
fn permutations_of_what_needs_all_rows_first_read_files_only() {
    let text = Shape::default().binary();
    let room = Room::with(&text);
    for spec in ["whitened", "perceptron --standardize"] {
        room.run(&format!("train data.svm --permutations 2 -a {spec}"))
            .good();
        let done = room.pipe(&format!("train - --permutations 2 -a {spec}"), &text);
        done.refused(&["files only"]);
    }
}

#[test]
fn test_counts_errors_of_the_final_weights() {
    let text = Shape {
        rows: 200,
        ..Shape::default()
    }
    .many(4, 1);
    let (train, test) = text.split_at(text.match_indices('\n').nth(149).expect("150 rows").0 + 1);
    // a class that was never trained on is always wrong, and so is its row
    let test = format!("{test}77 1:1\n");
    let room = Room::with(train);
    room.write("test.svm", &test);
    let rows = parse(train);
    let run = perceptron(&rows, Kind::Many, &in_order(&rows, 1));
    let wrong = parse(&test).into_iter().filter(|row| {
        let margins: Vec<f64> = run.weights.iter().map(|w| dot(w, &row.x)).collect();
        run.classes[first_best(&margins)].0 != row.labels[0]
    });
    let errors = wrong.count();
    let json = room.json("train data.svm -a perceptron --test test.svm");
    assert_eq!(
        json["test"],
        json!({"rows": 51, "errors": errors, "error": errors as f64 / 51.0, "baseline": {"label": "0", "errors": 34}})
    );
    let compared = room.json("compare data.svm perceptron --test test.svm");
    assert_eq!(compared["runs"][0]["test"], json["test"]);
    let shuffled = room.json("train data.svm -a perceptron --permutations 3 --test test.svm");
    let one = room.json("train data.svm -a perceptron --shuffle 2 --test test.svm");
    let third = &shuffled["permutations"]["runs"][2]["test"];
    assert_eq!(third["rows"], one["test"]["rows"]);
    assert_eq!(third["errors"], one["test"]["errors"]);
    assert!(shuffled["permutations"]["test_error"]["mean"].is_f64());
}

#[test]
fn binary_and_multi_label_tests() {
    let room = Room::with("+1 1:1\n-1 2:1\n");
    // w = -x2: margins -1, 0, -1, 0
    room.write("test.svm", "-1 2:1\n1.0 1:1\n+1 2:1\n-1 3:1\n");
    let json = room.json("train data.svm -a perceptron --test test.svm");
    assert_eq!(
        json["test"],
        json!({"rows": 4, "errors": 2, "error": 0.5, "baseline": {"label": "-1", "errors": 2}})
    );
    room.write("multi.svm", "1,2 1:1\n1 2:1\n");
    // w1 = 0, w2 = -x2: predicted {1,2}, {1}, {1}, {1}, {1,2}
    room.write("test.svm", "2,1 1:1\n1 2:1\n2 2:1\n1,3 2:1\n? 1:1\n");
    let json = room.json("train multi.svm -a perceptron --test test.svm");
    // several labels per row: the baseline answers each row by those before it
    assert_eq!(
        json["test"],
        json!({"rows": 5, "errors": 3, "error": 0.6, "baseline": {"label": "1", "errors": 5}})
    );
}

#[test]
fn use_chooses_the_predictor() {
    // votes: 1 for 0, 3 for -x1 + ..., and the final weights alone are different
    let text =
        "+1 1:1\n-1 1:1\n-1 1:1\n-1 1:1\n+1 1:0.25\n+1 1:0.25\n+1 1:0.25\n+1 1:0.25\n+1 1:0.25\n";
    let room = Room::with(text);
    // v: 0 (1 trial), -1 (3), -.75, -.5, -.25, 0 (1 each), 0 (1)
    room.write("test.svm", "+1 1:1\n");
    for (learner, by, errors) in [
        ("averaged", "final", 0),
        ("averaged", "averaged", 1),
        ("voted", "final", 0),
        ("voted", "averaged", 1),
        ("voted", "voted", 1),
        ("perceptron", "final", 0),
    ] {
        // the second is the first, by sums of rows
        for kernel in ["linear", "poly:degree=1,coef0=0"] {
            let json = room.json(&format!(
                "train data.svm -a {learner} --kernel {kernel} --test test.svm --use {by} -o m"
            ));
            let what = format!("{learner} {by} {kernel}");
            assert_eq!(json["test"]["errors"], errors, "{what}");
            let label = room
                .run(&format!("predict m test.svm --use {by}"))
                .good()
                .stdout;
            assert_eq!(label, ["+1\n", "-1\n"][errors], "{what}");
        }
    }
    assert_eq!(
        room.json("train data.svm -a averaged --test test.svm")["test"]["errors"],
        1
    );
    assert_eq!(
        room.json("train data.svm -a voted --test test.svm")["test"]["errors"],
        1
    );
    room.run("train data.svm -a perceptron -o m").good();
    for words in [
        "train data.svm -a perceptron --use voted",
        "train data.svm -a averaged --use voted",
        "compare data.svm winnow --use averaged",
        "predict m data.svm --use voted",
    ] {
        room.run(words).refused(&["--use"]);
    }
}
