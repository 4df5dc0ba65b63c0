//! `tune`: every figure again from `train` and `solve`.

use std::fmt::Write as _;

use crate::common;

use common::data::{Shape, SplitMix64};
use common::remarks::said;
use common::{Room, keys};
use serde_json::{Value, json};

fn shape() -> Shape {
    Shape {
        rows: 90,
        ragged: true,
        ..Shape::default()
    }
}

fn runs(found: &Value) -> &Vec<Value> {
    found["runs"].as_array().expect("runs")
}

fn mean(found: &Value, measure: &str) -> f64 {
    found[measure]["mean"].as_f64().expect("a mean")
}

/// The lines of each fold, by the definition: shuffled, put together by label in the order they appear, dealt in turn.
fn deal(text: &str, folds: usize, seed: u64, by_label: bool) -> Vec<Vec<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let label = |row: usize| lines[row].split(' ').next().expect("a label");
    let mut labels: Vec<&str> = Vec::new();
    for row in 0..lines.len() {
        if !labels.contains(&label(row)) {
            labels.push(label(row));
        }
    }
    let order = SplitMix64(seed).order(lines.len());
    let mut dealt = Vec::new();
    if by_label {
        for l in labels {
            dealt.extend(order.iter().copied().filter(|&row| label(row) == l));
        }
    } else {
        dealt = order;
    }
    let mut result = vec![Vec::new(); folds];
    for (place, row) in dealt.into_iter().enumerate() {
        result[place % folds].push(row);
    }
    result
}

/// Writes `train.svm` and `test.svm` for a fold.
fn part(room: &Room, text: &str, inside: &[usize]) {
    let (mut train, mut test) = (String::new(), String::new());
    for (row, line) in text.split_inclusive('\n').enumerate() {
        let file = if inside.contains(&row) {
            &mut test
        } else {
            &mut train
        };
        file.push_str(line);
    }
    room.write("train.svm", train);
    room.write("test.svm", test);
}

#[test]
fn one_pass_counts_the_validation_errors_of_train() {
    for (text, words) in [
        (shape().binary(), "--labels -1,+1"),
        (shape().many(4, 5), "--bias 1 --normalize 2"),
        (shape().multi(3, 5), "--multilabel"),
        (shape().many(4, 5), "--positive 2 --shuffle 3"),
    ] {
        let room = Room::with(&text);
        let grid = "-a second-order:a=0.5|4 -a passive-aggressive:c=0.01..1*3,variant=1|2";
        let found = room.json(&format!("tune data.svm {grid} {words} -o best"));
        let mut named = keys(&found);
        named.retain(|key| *key != "remarks");
        assert_eq!(
            named,
            [
                "data",
                "validation",
                "measure",
                "runs",
                "baseline",
                "best",
                "command"
            ]
        );
        assert_eq!(found["validation"], json!("progressive"));
        let specs: Vec<&str> = runs(&found)
            .iter()
            .map(|r| r["spec"].as_str().expect("spec"))
            .collect();
        assert_eq!(
            specs[..3],
            [
                "second-order:a=0.5",
                "second-order:a=4",
                "passive-aggressive:c=0.01,variant=1"
            ]
        );
        assert_eq!(specs.len(), 8);
        let mut least = (f64::INFINITY, 0);
        for (k, run) in runs(&found).iter().enumerate() {
            let train = room.json(&format!("train data.svm -a {} {words}", specs[k]));
            assert_eq!(
                run["parts"],
                json!([{"rows": 90, "errors": train["validation"]["errors"]}])
            );
            let error = train["validation"]["error"].as_f64().expect("validation");
            assert!((mean(run, "error") - error).abs() < 1e-15);
            if error < least.0 {
                least = (error, k);
            }
        }
        assert_eq!(found["best"], json!(least.1));
        // what it prints makes the model it saved
        let saved = room.bytes("best");
        let command = found["command"].as_str().expect("a command");
        room.run(command.strip_prefix("novikoff ").expect("our name"))
            .good();
        assert_eq!(room.bytes("best"), saved, "{command}");
        let piped = room.json_piped(&format!("tune - {grid} {words}"), &text);
        assert_eq!(piped["runs"], found["runs"]);
    }
}

#[test]
fn several_orders_are_those_of_train() {
    let room = Room::with(&shape().binary());
    let found = room.json("tune data.svm -a p-norm:p=2|4 --permutations 3");
    for run in runs(&found) {
        let spec = run["spec"].as_str().expect("a spec");
        let train = room.json(&format!("train data.svm -a {spec} --permutations 3"));
        let mistakes = &train["permutations"]["mistakes"];
        let expected = mistakes["mean"].as_f64().expect("a mean") / 90.0;
        assert!((mean(run, "error") - expected).abs() < 1e-12);
        let sd = run["error"]["sd"].as_f64().expect("a deviation");
        assert!((sd - mistakes["sd"].as_f64().expect("sd") / 90.0).abs() < 1e-12);
    }
}

#[test]
fn folds_are_runs_of_train_on_the_others() {
    let both = "-a averaged -a whitened:ridge=0.5|1";
    for (text, specs, words) in [
        (shape().binary(), both, "--epochs 2 --shuffle 5"),
        (shape().many(3, 1), both, "--bias 1"),
        (shape().binary(), "-a averaged", "--use final"),
    ] {
        let room = Room::with(&text);
        let found = room.json(&format!("tune data.svm {specs} {words} --folds 4 --seed 7"));
        let folds = deal(&text, 4, 7, true);
        for run in runs(&found) {
            let spec = run["spec"].as_str().expect("a spec");
            for (k, inside) in folds.iter().enumerate() {
                part(&room, &text, inside);
                let train = room.json(&format!(
                    "train train.svm -a {spec} {words} --test test.svm"
                ));
                let expected = json!({"rows": inside.len(), "errors": train["test"]["errors"]});
                assert_eq!(run["parts"][k], expected, "{spec} {words} fold {k}");
            }
        }
        let sizes: Vec<usize> = folds.iter().map(Vec::len).collect();
        assert!(sizes.iter().all(|n| (22..=23).contains(n)));
    }
}

#[test]
fn kernels_of_a_grid() {
    let text = shape().many(3, 1);
    let room = Room::with(&text);
    let found = room
        .json("tune data.svm -a perceptron -a romma --kernel gaussian:gamma=0.05|0.2 --folds 3");
    let folds = deal(&text, 3, 0, true);
    assert_eq!(runs(&found).len(), 4);
    for run in runs(&found) {
        let (spec, kernel) = (run["spec"].as_str(), run["kernel"].as_str());
        let (spec, kernel) = (spec.expect("a spec"), kernel.expect("a kernel"));
        for (k, inside) in folds.iter().enumerate() {
            part(&room, &text, inside);
            let words = format!("train train.svm -a {spec} --kernel {kernel} --test test.svm");
            assert_eq!(
                run["parts"][k]["errors"],
                room.json(&words)["test"]["errors"]
            );
        }
    }
}

#[test]
fn the_solver_on_folds_is_solve_on_the_others() {
    for (text, grid, words) in [
        (shape().binary(), "--loss squared-hinge", "--bias free"),
        (
            shape().many(3, 1),
            "--loss smoothed-hinge:gamma=0.5|1",
            "--bias 1 --normalize 2",
        ),
        (
            shape().binary(),
            "--loss squared-hinge --kernel gaussian:gamma=0.05|0.2",
            "--bias off",
        ),
    ] {
        let room = Room::with(&text);
        let words = format!("{words} --gap 1e-9 --seed 2");
        let found = room.json(&format!(
            "tune data.svm {grid} --lambda 0.01..1*2,0.1 {words} --folds 3 -o best"
        ));
        let folds = deal(&text, 3, 2, true);
        for run in runs(&found) {
            let text_of = |key: &str| run[key].as_str().expect("a word").to_owned();
            let (loss, kernel) = (text_of("loss"), text_of("kernel"));
            let lambda = run["lambda"].as_f64().expect("a lambda");
            for (k, inside) in folds.iter().enumerate() {
                part(&room, &text, inside);
                let solve = room.json(&format!(
                    "solve train.svm --loss {loss} --kernel {kernel} --lambda {lambda} {words} --test test.svm"
                ));
                let expected = json!({"rows": inside.len(), "errors": solve["test"]["errors"]});
                assert_eq!(
                    run["parts"][k], expected,
                    "{words} {loss} {kernel} {lambda} fold {k}"
                );
            }
        }
        let saved = room.bytes("best");
        let command = found["command"].as_str().expect("a command");
        room.run(command.strip_prefix("novikoff ").expect("our name"))
            .good();
        assert_eq!(room.bytes("best"), saved, "{command}");
    }
}

#[test]
fn numbers_are_tuned_by_squared_error() {
    let text = shape().many(9, 1);
    let room = Room::with(&text);
    let found = room
        .json("tune data.svm --loss squared --lambda 1e-3,10 --bias free --gap 1e-10 --folds 4");
    assert_eq!(found["measure"], json!("squared_error"));
    let folds = deal(&text, 4, 0, false);
    for run in runs(&found) {
        let lambda = run["lambda"].as_f64().expect("a lambda");
        for (k, inside) in folds.iter().enumerate() {
            part(&room, &text, inside);
            let solve = room.json(&format!("solve train.svm --loss squared --lambda {lambda} --bias free --gap 1e-10 --test test.svm"));
            let expected = solve["test"]["squared_error"].as_f64().expect("a number");
            let given =
                run["parts"][k]["squares"].as_f64().expect("a number") / inside.len() as f64;
            assert!(
                (given - expected).abs() < 1e-3 * expected,
                "{given} {expected}"
            );
        }
    }
}

#[test]
fn threads_change_no_byte() {
    let room = Room::with(&shape().many(4, 3));
    for words in [
        "-a second-order:a=1|2|4 -a averaged",
        "-a second-order:a=1|2 --folds 3 --epochs 2",
        "-a perceptron --kernel poly:degree=2|3 --folds 2",
        "--lambda 0.1|1 --folds 3",
    ] {
        let one = room.json(&format!("tune data.svm {words} -o one --threads 1"));
        let many = room.json(&format!("tune data.svm {words} -o many --threads 5"));
        assert_eq!(one["runs"], many["runs"], "{words}");
        assert_eq!(room.bytes("one"), room.bytes("many"), "{words}");
    }
}

#[test]
fn the_table_is_best_first() {
    let room = Room::with(&shape().binary());
    let done = room
        .run("tune data.svm -a passive-aggressive:c=0.001..10*9 --folds 3")
        .good();
    let errors: Vec<f64> = done
        .stdout
        .lines()
        .filter(|line| line.starts_with("| passive"))
        .map(|line| {
            line.split('|')
                .nth(2)
                .expect("a cell")
                .trim()
                .parse()
                .expect("a number")
        })
        .collect();
    assert_eq!(errors.len(), 9);
    assert!(errors.windows(2).all(|pair| pair[0] <= pair[1]));
    let last = done.stdout.lines().last().expect("a line");
    assert!(
        last.starts_with("novikoff train data.svm -a passive-aggressive:c="),
        "{last}"
    );
}

#[test]
fn what_cannot_be_tuned() {
    let room = Room::with(&shape().binary());
    room.write("empty.svm", "");
    for (words, parts) in [
        ("tune nowhere.svm -a perceptron", &["nowhere.svm"][..]),
        ("tune empty.svm -a perceptron", &["no rows"]),
        (
            "tune data.svm -a percepton:margin=1|2",
            &["percepton", "perceptron"],
        ),
        ("tune data.svm -a p-norm:p=1|2", &["p = 1", "must be"]),
        (
            "tune data.svm -a p-norm:p=2..4",
            &["2..4", "how many", "LOW..HIGH*N"],
        ),
        ("tune data.svm -a p-norm:p=0..4*3", &["above 0"]),
        ("tune data.svm -a p-norm:p=2..4+20000", &["10000"]),
        (
            "tune data.svm -a p-norm:p=2..4+200,margin=0..1+200",
            &["40000 candidates", "10000"],
        ),
        (
            "tune data.svm -a p-norm:p=2..4+5000 -a alma:alpha=0.1..0.9+5000 --kernel gaussian:gamma=1|2",
            &["20000"],
        ),
        (
            "tune data.svm -a perceptron --kernel gaussian:gamma=x|1",
            &["--kernel", "gamma"],
        ),
        (
            "tune data.svm -a winnow --kernel gaussian",
            &["winnow", "gaussian"],
        ),
        ("tune data.svm -a winnow:alpha=1.5|2", &["negative"]),
        ("tune data.svm -a perceptron --folds 1", &["--folds"]),
        (
            "tune data.svm -a perceptron --folds 91",
            &["91 folds", "90 rows"],
        ),
        (
            "tune data.svm -a perceptron --epochs 2",
            &["--epochs", "--folds"],
        ),
        (
            "tune data.svm -a perceptron --folds 3 --permutations 2",
            &["--permutations"],
        ),
        (
            "tune data.svm -a perceptron --test data.svm",
            &["unexpected argument", "--test"],
        ),
        (
            "tune data.svm -a perceptron --lambda 1",
            &["one or the other"],
        ),
        (
            "tune data.svm -a perceptron --folds 2 --use voted",
            &["--use voted"],
        ),
        ("tune data.svm -a perceptron -o data.svm", &["read as data"]),
        ("tune data.svm -a perceptron -o no/where", &["no/where"]),
        ("tune data.svm --loss hinge --folds 3", &["--lambda"]),
        ("tune data.svm --lambda 1|2", &["--folds"]),
        (
            "tune data.svm --lambda 0|2 --folds 3",
            &["--lambda 0", "> 0"],
        ),
        ("tune data.svm --lambda x --folds 3", &["--lambda x"]),
        (
            "tune data.svm --lambda 1 --folds 3 --epochs 3",
            &["--epochs"],
        ),
        ("tune data.svm --lambda 1 --folds 300", &["300 folds"]),
        (
            "tune data.svm --lambda 1 --loss hing --folds 3",
            &["--loss", "hinge"],
        ),
        (
            "tune data.svm --lambda 1 --loss hinge --reg entropy --kernel gaussian --folds 3",
            &["kernel"],
        ),
    ] {
        let done = room.run(words);
        done.refused(parts);
        let said = done
            .stderr
            .lines()
            .filter(|l| !l.starts_with("Usage") && !l.is_empty());
        assert!(said.count() <= 3, "{words}: {}", done.stderr);
    }
}

/// What `evaluate` says of a model on `test.svm`.
fn evaluated(room: &Room, key: &str) -> f64 {
    let found = room.json("evaluate model test.svm");
    let macro_f1 = key == "f1" && found.get("f1").is_none();
    let value = if macro_f1 {
        &found["macro"]["f1"]
    } else {
        &found[key]
    };
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no {key}: {found}"))
}

#[test]
fn measures_are_those_of_evaluate() {
    let near = |found: f64, expected: f64, what: &str| {
        assert!(
            (found - expected).abs() < 1e-9,
            "{what}: {found} {expected}"
        );
    };
    for (text, folds) in [(shape().binary(), 3), (shape().many(3, 1), 2)] {
        let room = Room::with(&text);
        let dealt = deal(&text, folds, 0, true);
        for (by, key) in [("auc", "auc"), ("f1", "f1"), ("ap", "average_precision")] {
            let found = room.json(&format!(
                "tune data.svm -a averaged -a arow:r=0.1|10 --by {by} --folds {folds}"
            ));
            assert_eq!(found["measure"], json!(key));
            let mut means = Vec::new();
            for run in runs(&found) {
                let spec = run["spec"].as_str().expect("a spec");
                for (k, inside) in dealt.iter().enumerate() {
                    part(&room, &text, inside);
                    room.run(&format!("train train.svm -a {spec} -o model"))
                        .good();
                    let value = run["parts"][k][key].as_f64().expect("a value");
                    near(value, evaluated(&room, key), spec);
                }
                means.push(mean(run, key));
            }
            // the largest, and of equals the first
            let most = means.iter().copied().fold(f64::MIN, f64::max);
            let first = means.iter().position(|&m| m == most);
            assert_eq!(found["best"], json!(first), "{by} {means:?}");
        }
        let found = room.json(&format!(
            "tune data.svm --loss logistic --lambda 1e-4,1e-2,1 --by log-loss --gap 1e-9 --folds {folds}"
        ));
        let mut means = Vec::new();
        for run in runs(&found) {
            let lambda = run["lambda"].as_f64().expect("a lambda");
            let mut sum = 0.0;
            for inside in &dealt {
                part(&room, &text, inside);
                room.run(&format!(
                    "solve train.svm --loss logistic --lambda {lambda} --gap 1e-9 -o model"
                ))
                .good();
                sum += evaluated(&room, "log_loss") / folds as f64;
            }
            means.push(sum);
            // each solution begins where the last ended, so they agree as far as the gap says
            let found = mean(run, "log_loss");
            assert!((found - sum).abs() < 1e-4, "{lambda}: {found} {sum}");
        }
        let least = means.iter().copied().fold(f64::MAX, f64::min);
        let first = means.iter().position(|&m| m == least);
        assert_eq!(found["best"], json!(first), "{means:?}");
        let shown = room
            .run(&format!(
                "tune data.svm -a averaged -a arow:r=0.1|10 --by auc --folds {folds}"
            ))
            .good()
            .stdout;
        let column: Vec<f64> = shown
            .lines()
            .filter(|line| line.starts_with("| averaged") || line.starts_with("| arow"))
            .map(|line| {
                line.split_whitespace()
                    .nth(3)
                    .expect("a cell")
                    .parse()
                    .expect("AUC")
            })
            .collect();
        assert!(shown.contains("AUC"), "{shown}");
        assert!(
            column.is_sorted_by(|a, b| a >= b) && column.len() == 3,
            "{shown}"
        );
    }
}

#[test]
fn measures_that_cannot_be() {
    let room = Room::with(&shape().binary());
    for (words, parts) in [
        ("-a perceptron --by auc", &["--by auc", "folds"][..]),
        (
            "-a perceptron --by log-loss --folds 3",
            &["--by log-loss", "perceptron", "margins only"],
        ),
        (
            "--loss hinge --lambda 1 --by log-loss --folds 3",
            &["--by log-loss", "hinge", "margins only"],
        ),
        (
            "--loss squared --lambda 1 --by f1 --folds 3",
            &["--by f1", "predicts numbers"],
        ),
        ("-a perceptron --by recall --folds 3", &["--by", "recall"]),
        (
            "-a perceptron --by auc --folds 90",
            &["--by auc", "one label only", "fewer folds"],
        ),
    ] {
        room.run(&format!("tune data.svm {words}")).refused(parts);
    }
}

/// Rows, one in ten with the positive label, and a feature that says so or says nothing.
#[test]
fn the_best_by_a_measure_beside_a_constant_answer() {
    let share = 0.1_f64;
    let entropy = -share * libm::log(share) - (1.0 - share) * libm::log(1.0 - share);
    for (shift, is_worthless) in [(0.0, true), (1.0, false)] {
        let mut random = SplitMix64(1);
        let mut text = String::new();
        for row in 0..500 {
            let is_positive = row % 10 == 0;
            let label = if is_positive { "+1" } else { "-1" };
            let at = if is_positive { shift } else { 0.0 };
            let (a, b) = (at + random.uniform(), random.uniform());
            let _ = writeln!(text, "{label} 1:{a:.3} 2:{b:.3}");
        }
        let room = Room::with(&text);
        for (by, key, constant) in [
            ("f1", "f1", 2.0 * share / (1.0 + share)),
            ("auc", "auc", 0.5),
            ("ap", "average_precision", share),
            ("log-loss", "log_loss", entropy),
        ] {
            let words = "tune data.svm --loss logistic --lambda 1e-4 --bias free --folds 5 --by";
            let found = room.json(&format!("{words} {by}"));
            let value = found["baseline"][key].as_f64().expect("a value");
            assert!((value - constant).abs() < 1e-12, "{by}: {value}");
            let text = said(&found, "baseline").join("");
            assert_eq!(
                text.contains("the best of the grid"),
                is_worthless,
                "{by}: {text}"
            );
            let shown = room.run(&format!("{words} {by}")).good().stdout;
            let expected = format!(" {constant:.6} of ");
            assert!(shown.contains(&expected), "{shown}");
        }
    }
}
