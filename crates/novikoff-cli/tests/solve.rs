//! `novikoff solve`: its JSON, its models, its paths, LIBLINEAR's objectives, and what it refuses.

#![allow(clippy::unwrap_used, clippy::format_push_string, clippy::print_stderr)]

use crate::common;

use std::process::Command;

use common::{Room, keys};
use novikoff::dual::named::{LOSSES, NamedLoss};
use serde_json::Value;

/// Rows of 0s and 1s with two labels, as survey data has them.
fn survey(rows: usize) -> String {
    let mut seed: u64 = 7;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1_u64 << 31) as f64
    };
    let mut text = String::new();
    for _ in 0..rows {
        let mut score = -0.2;
        let mut values = String::new();
        for j in 1..=40 {
            if random() < 0.25 {
                score += f64::from(j % 7 - 3) * 0.2;
                values.push_str(&format!(" {j}:1"));
            }
        }
        let label = if score + 0.8 * (random() - 0.5) > 0.0 {
            "+1"
        } else {
            "-1"
        };
        text.push_str(&format!("{label}{values}\n"));
    }
    text
}

fn number(json: &Value, key: &str) -> f64 {
    json[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key} in {json}"))
}

#[test]
fn json_has_what_the_contract_says() {
    let room = Room::with(&survey(200));
    let one = room.json("solve data.svm --loss hinge --lambda 0.01 --bias free -q");
    assert_eq!(
        keys(&one),
        [
            "loss",
            "reg",
            "kernel",
            "lambda",
            "c",
            "bias",
            "data",
            "primal",
            "dual",
            "gap",
            "relative_gap",
            "method",
            "passes",
            "stop",
            "stop_reason",
            "weights",
            "intercept",
            "balance",
            "baseline"
        ]
    );
    assert_eq!(
        (one["stop"].as_str(), one["bias"].as_str()),
        (Some("converged"), Some("free"))
    );
    assert!((number(&one, "c") - 0.5).abs() < 1e-12);
    assert!(number(&one, "relative_gap") <= 1e-3);
    let relative = number(&one, "gap") / number(&one, "primal").max(number(&one, "dual"));
    assert!((number(&one, "relative_gap") - relative).abs() < 1e-12);
    let several = room.json("solve data.svm --lambda 0.1,0.001,0.01 -q");
    let lambdas: Vec<f64> = several["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| number(run, "lambda"))
        .collect();
    assert_eq!(lambdas, [0.1, 0.001, 0.01], "in the order given");
    let kernel = room.json("solve data.svm --kernel gaussian:gamma=0.1 --lambda 0.01 -q");
    assert!(kernel["support"].as_u64().is_some() && kernel.get("weights").is_none());
    let classes = room.json("solve digits --lambda 0.1 --normalize 2 --test digits -q");
    assert_eq!(classes["classes"].as_array().unwrap().len(), 10);
    assert_eq!(keys(&classes["classes"][3])[..2], ["class", "primal"]);
    assert!(number(&classes["test"], "error") < 0.15, "{classes}");
}

#[test]
fn the_gap_is_what_was_asked_for_and_other_ways_lead_to_the_same() {
    let room = Room::with(&survey(300));
    let primal = |words: &str| {
        let json = room.json(&format!(
            "solve data.svm --lambda 0.002 --gap 1e-6 -q {words}"
        ));
        assert_eq!(json["stop"], "converged", "{words}");
        number(&json, "primal")
    };
    for loss in ["hinge", "squared-hinge", "logistic", "modified-huber"] {
        let plain = primal(&format!("--loss {loss}"));
        for other in [
            "--seed 5",
            "--kernel linear:cosine --normalize 2",
            "--threads 1",
        ] {
            if other.contains("cosine") {
                let unit = primal(&format!("--loss {loss} --normalize 2"));
                let cosine = primal(&format!("--loss {loss} {other}"));
                assert!(
                    (unit - cosine).abs() < 2e-6 * unit,
                    "{loss} {unit} {cosine}"
                );
            } else {
                let again = primal(&format!("--loss {loss} {other}"));
                assert!(
                    (plain - again).abs() < 2e-6 * plain,
                    "{loss} {other}: {plain} {again}"
                );
            }
        }
    }
    let path = room.json("solve data.svm --lambda 0.1,0.01,0.002 --gap 1e-6 -q");
    let last = number(&path["runs"][2], "primal");
    assert!((last - primal("--loss hinge")).abs() < 2e-6 * last);
}

#[test]
fn threads_change_no_byte() {
    let room = Room::with(&survey(300));
    for words in [
        "solve data.svm --lambda 0.01 --bias free -q",
        "solve digits --lambda 0.01 --normalize 2 -q",
        "solve digits --lambda 0.01 --kernel gaussian:gamma=0.001 --bias free -q",
    ] {
        let of = |threads: usize| {
            let json = room.json(&format!("{words} --threads {threads} -o model"));
            (json, room.bytes("model"))
        };
        assert_eq!(of(1), of(3), "{words}");
    }
}

/// The scores of a model are the weights that `inspect` prints, times the rows, plus the intercept.
#[test]
fn models_predict_and_are_inspected() {
    let room = Room::with("+1 1:2 2:1\n-1 1:-1\n+1 1:1 3:0.5\n-1 2:-2 3:1\n-1\n");
    let json = room.json(
        "solve data.svm --loss squared-hinge --lambda 0.01 --bias free --gap 1e-9 -o model -q",
    );
    let mut weights = [0.0; 4];
    for line in room.run("inspect model --weights").good().stdout.lines() {
        let (feature, weight) = line.split_once('\t').unwrap();
        weights[feature.parse::<usize>().unwrap()] = weight.parse().unwrap();
    }
    let b = number(&json, "intercept");
    let rows = [
        [2.0, 1.0, 0.0],
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, 0.5],
        [0.0, -2.0, 1.0],
        [0.0, 0.0, 0.0],
    ];
    let margins = room.run("predict model data.svm --margins").good().stdout;
    for (row, margin) in rows.iter().zip(margins.lines()) {
        let score: f64 = row
            .iter()
            .zip(&weights[1..])
            .map(|(x, w)| x * w)
            .sum::<f64>()
            + b;
        assert!(
            (score - margin.parse::<f64>().unwrap()).abs() < 1e-12,
            "{score} {margin}"
        );
    }
    let labels = room.run("predict model data.svm").good().stdout;
    assert_eq!(labels.lines().count(), 5);
    let about = room.run("inspect model --json").good().stdout;
    let about: Value = serde_json::from_str(&about).unwrap();
    assert_eq!(about["spec"], "solved");
    assert_eq!(about["parameters"]["loss"], "squared-hinge");
    assert_eq!(about["parameters"]["lambda"], 0.01);
    assert!(
        room.run("inspect model")
            .good()
            .stdout
            .contains("loss=squared-hinge, reg=l2, lambda=0.01, bias=free")
    );
    room.run("train data.svm --resume model -q")
        .refused(&["was solved for all its rows at once", "novikoff solve"]);
    room.run("train data.svm -a solved -q")
        .refused(&["no learner is called `solved`"]);
}

#[test]
fn every_kind_of_model_is_the_one_that_was_solved() {
    let room = Room::with(&survey(150));
    room.write("vw.txt", "1 |f a b:2\n-1 2 |f b c\n1 |f a\n-1 |f c:0.5\n");
    for words in [
        "digits --lambda 0.01 --normalize 2",
        "digits --lambda 0.01 --standardize --bias free",
        "digits --lambda 0.001 --kernel poly:degree=2,cosine --bias 1",
        "data.svm --lambda 0.01 --reg entropy:signed --loss squared-hinge",
        "data.svm --lambda 0.01 --kernel gaussian:gamma=0.05 --bias free",
        "vw.txt --lambda 0.01 --bias free",
    ] {
        let data = words.split(' ').next().unwrap();
        let json = room.json(&format!("solve {words} --test {data} -o model -q"));
        let errors = json["test"]["errors"].as_u64().unwrap();
        let predicted = room.run(&format!("predict model {data}")).good().stdout;
        assert_eq!(
            predicted.lines().count() as u64,
            json["data"]["rows"].as_u64().unwrap()
        );
        if data == "data.svm" {
            let truth = survey(150);
            let wrong = truth
                .lines()
                .zip(predicted.lines())
                .filter(|(row, label)| !row.starts_with(label))
                .count();
            assert_eq!(wrong as u64, errors, "{words}");
        }
    }
}

#[test]
fn winnow_targets_move_the_threshold() {
    let room = Room::with("+1 1:1 2:1\n+1 1:1\n-1 2:1 3:1\n-1 3:1\n");
    let words = "solve data.svm --loss squared-hinge --reg entropy --theta 0.5 --alpha 0.1 --lambda 1e-4 --gap 1e-6";
    let json = room.json(&format!("{words} -o model -q"));
    assert_eq!(json["intercept"], -0.5);
    assert_eq!(
        room.run("predict model data.svm").good().stdout,
        "+1\n+1\n-1\n-1\n"
    );
}

/// Losses of numbers, but `max-entropy`, which is `squared` for distributions, and `likelihood`, whose rows have no target.
const OF_NUMBERS: &[&str] = &[
    "squared",
    "huber:delta=0.5",
    "absolute",
    "eps-insensitive:eps=0.01",
    "squared-eps-insensitive:eps=0.01",
];

/// The lists of losses beside `LOSSES`: the one above, that of docs/theory/dual.md, and those of the estimators of Python.
#[test]
fn every_loss_is_in_the_other_lists() {
    let of_classes = include_str!("../../../python/novikoff/_solver.py");
    let (_, of_classes) = of_classes
        .split_once("class DualClassifier")
        .expect("a class");
    let of_numbers = include_str!("../../../python/novikoff/_regressors.py");
    let (_, of_numbers) = of_numbers
        .split_once("class DualRegressor")
        .expect("a class");
    let documented = |class: &str, name: &str| {
        let (documentation, _) = class.split_once("    reg :").expect("parameters");
        let said = |end: &str| documentation.contains(&format!("``\"{name}{end}"));
        said("\"") || said(":")
    };
    let theory = include_str!("../../../docs/theory/dual.md");
    for entry in LOSSES {
        let in_theory = [
            format!("| `{}` |", entry.name),
            format!("| `{}:", entry.name),
        ];
        let is_there = in_theory.iter().any(|cell| theory.contains(cell));
        assert!(is_there, "docs/theory/dual.md#losses: {}", entry.name);
        let classifies = NamedLoss::parse(entry.name)
            .expect("a loss")
            .loss()
            .classifies();
        let name = entry.name;
        if classifies {
            assert!(documented(of_classes, name), "DualClassifier: {name}");
        } else if name != "likelihood" {
            assert!(documented(of_numbers, name), "DualRegressor: {name}");
            let is_tried = |spec: &&str| spec.split(':').next() == Some(name);
            assert!(
                name == "max-entropy" || OF_NUMBERS.iter().any(is_tried),
                "{name}"
            );
        }
    }
}

#[test]
fn numbers_are_predicted() {
    let mut text = String::new();
    for i in 0..40 {
        let (a, b) = (f64::from(i % 7) - 3.0, f64::from(i % 5) * 0.5);
        text.push_str(&format!("{} 1:{a} 2:{b}\n", 2.0 * a - b + 3.0));
    }
    let room = Room::with(&text);
    for loss in OF_NUMBERS {
        let words = format!(
            "solve data.svm --loss {loss} --lambda 1e-6 --bias free --gap 1e-6 --max-passes 100000 --test data.svm -o model -q"
        );
        let json = room.json(&words);
        assert!(number(&json["test"], "absolute_error") < 0.02, "{json}");
        let predicted = room.run("predict model data.svm").good().stdout;
        for (line, row) in predicted.lines().zip(text.lines()) {
            let y: f64 = row.split(' ').next().unwrap().parse().unwrap();
            assert!(
                (line.parse::<f64>().unwrap() - y).abs() < 0.05,
                "{loss}: {line} {row}"
            );
        }
        assert!(
            room.run("inspect model")
                .good()
                .stdout
                .contains("regression")
        );
    }
    room.write("words.svm", "spam 1:1\n");
    room.write("words.csv", "y,a\nspam,1\nham,2\n");
    room.run("solve words.csv --loss squared --lambda 1")
        .refused(&["words.csv:2: ", "`spam` is not a number"]);
}

/// Liblinear's weights: objective ours, `(1/n) sum f + (lambda/2)|w|^2`, at its point.
#[test]
fn objectives_are_those_of_liblinear() {
    if Command::new("liblinear-train").output().is_err() {
        eprintln!("skipped: there is no liblinear-train on this machine");
        return;
    }
    let text = survey(400);
    let room = Room::with(&text);
    let (n, features) = (400.0, 40);
    for (solver, loss) in [(3, "hinge"), (1, "squared-hinge"), (7, "logistic")] {
        for (lambda, bias) in [(0.01, -1.0), (0.001, -1.0), (0.01, 2.0)] {
            let c = 1.0 / (lambda * n);
            let trained = Command::new("liblinear-train")
                .current_dir(room.path("."))
                .args([
                    "-s",
                    &solver.to_string(),
                    "-c",
                    &c.to_string(),
                    "-e",
                    "1e-9",
                ])
                .args(["-B", &bias.to_string(), "data.svm", "theirs"])
                .output()
                .expect("liblinear-train runs");
            assert!(trained.status.success());
            let said = [trained.stdout, trained.stderr].concat();
            // it gives up after 1000 passes, and says so
            let gave_up = String::from_utf8_lossy(&said).contains("reaching max number");
            let theirs = room.text("theirs");
            let flip = if theirs.contains("label 1 -1") {
                1.0
            } else {
                -1.0
            };
            let weights = theirs.split_once("\nw").unwrap().1;
            let w: Vec<f64> = weights
                .split_whitespace()
                .map(|w| flip * w.parse::<f64>().unwrap())
                .collect();
            let mut sum = 0.0;
            for row in text.lines() {
                let mut words = row.split(' ');
                let y: f64 = words.next().unwrap().parse().unwrap();
                let mut score = if bias > 0.0 { bias * w[features] } else { 0.0 };
                for word in words {
                    let (j, x) = word.split_once(':').unwrap();
                    score += w[j.parse::<usize>().unwrap() - 1] * x.parse::<f64>().unwrap();
                }
                let t = y * score;
                sum += match solver {
                    3 => (1.0 - t).max(0.0),
                    1 => (1.0 - t).max(0.0).powi(2),
                    _ => libm_log1p_exp(-t),
                };
            }
            let theirs = sum / n + 0.5 * lambda * w.iter().map(|w| w * w).sum::<f64>();
            let bias = if bias > 0.0 { "2" } else { "off" };
            let words = format!(
                "solve data.svm --loss {loss} --lambda {lambda} --bias {bias} --gap 1e-8 --max-passes 100000 -q"
            );
            let ours = room.json(&words);
            let (primal, dual) = (number(&ours, "primal"), number(&ours, "dual"));
            assert!(
                (primal - theirs).abs() < 1e-6 * theirs || (gave_up && primal < theirs),
                "{loss} {lambda} {bias}: {primal} {theirs}"
            );
            assert!(dual <= theirs + 1e-12, "{loss}: no objective is below D");
        }
    }
}

/// `ln(1 + e^x)`.
fn libm_log1p_exp(x: f64) -> f64 {
    novikoff::dual::loss::Loss::value(&novikoff::dual::loss::Logistic, -x, 1.0)
}

#[test]
fn what_makes_no_sense_is_refused() {
    let room = Room::with(&survey(20));
    for (words, parts) in [
        ("--lambda 0", &["--lambda 0", "1/(lambda n)"][..]),
        ("--lambda nan", &["--lambda"]),
        ("--lambda 1 --gap 2", &["--gap 2", "1e-3 is usual"]),
        (
            "--lambda 1 --loss hinges",
            &["--loss", "no loss is called", "squared-hinge"],
        ),
        (
            "--lambda 1 --reg l3",
            &["--reg", "no regulariser is called", "p-norm"],
        ),
        (
            "--lambda 1 --reg elastic:eps=0",
            &["elastic: eps = 0: must be"],
        ),
        (
            "--lambda 1 --kernel gaussian --reg entropy",
            &["kernels go with l2 only"],
        ),
        (
            "--lambda 1 --kernel rbff",
            &["--kernel", "no kernel is called `rbff`"],
        ),
        ("--lambda 1 --loss likelihood --bias free", &["no optimum"]),
        ("--lambda 1 --loss max-entropy", &["--reg entropy"]),
        (
            "--lambda 1 --bias maybe",
            &["--bias maybe", "off, free or a number"],
        ),
        ("--lambda 1 --normalize 0.5", &["--normalize 0.5"]),
        ("--lambda 1,2 -o model", &["give one lambda"]),
        (
            "--lambda 1 --loss logistic --theta 1",
            &["--theta", "use one of hinge"],
        ),
        ("--lambda 1 --loss squared --positive 1", &["no classes"]),
        (
            "--lambda 1 --reg entropy:prior=nowhere",
            &["prior=nowhere", "cannot be read"],
        ),
        ("--lambda 1 -o data.svm", &["is read as data"]),
        ("--lambda 1 --max-passes 0", &["--max-passes"]),
        ("", &["--lambda"]),
    ] {
        let done = room.run(&format!("solve data.svm {words}"));
        done.refused(parts);
    }
    room.write("prior", "0.5 0.5\n0.1 x\n");
    room.run("solve data.svm --lambda 1 --reg entropy:prior=prior")
        .refused(&["prior=prior: line 2: `x` is not a number"]);
    room.write("prior", "0.5 0.5\n");
    room.run("solve data.svm --lambda 1 --reg entropy:prior=prior")
        .refused(&["has 2 numbers, but there are 40 weights"]);
    room.write("zero.svm", "1 1:1\n1\n");
    room.run("solve zero.svm --lambda 1 --loss likelihood --reg entropy")
        .refused(&["zero.svm:2: ", "its likelihood is 0"]);
    room.write("none.svm", "");
    room.run("solve none.svm --lambda 1").refused(&["no rows"]);
}

#[test]
fn unusual_pairs_run_with_a_remark() {
    let room = Room::with("+1 1:1 2:1\n+1 1:1\n-1 2:1 3:1\n-1 3:1\n");
    let done = room.run("solve data.svm --lambda 0.1 --reg entropy").good();
    assert!(done.stderr.contains("--theta"), "{}", done.stderr);
    let done = room.run("solve data.svm --lambda 0.1").good();
    assert!(
        done.stderr.contains("passes         primal"),
        "{}",
        done.stderr
    );
}
