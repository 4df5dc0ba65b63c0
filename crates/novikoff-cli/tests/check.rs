//! `certify --check`: certificates of all theorems agree with what is recomputed, and forged ones do not.

// a table of forgeries is long; how many certificates agreed is worth knowing; formulas are written with std's powf
#![allow(
    clippy::too_many_lines,
    clippy::print_stdout,
    clippy::disallowed_methods
)]

use crate::{check_formulas, common};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use common::Room;
use common::data::SplitMix64;
use novikoff::catalog::Theorem;
use serde_json::{Value, json};

/// Learners and options, so that every theorem comes up.
const RUNS: &[&str] = &[
    "perceptron",
    "perceptron --bias 1",
    "perceptron:margin=0.5 --shuffle 7",
    "averaged --normalize 2",
    "voted --kernel poly:degree=2",
    "perceptron --kernel gaussian:gamma=0.5 --bias 2",
    "perceptron:margin=0.3 --kernel poly:degree=3,cosine",
    "p-norm --standardize",
    "p-norm:p=3,margin=0.2",
    "eg",
    "eg:eta=1 --normalize inf",
    "balanced-winnow --shuffle 1",
    "winnow",
    "winnow:alpha=1.25,theta=3",
    "whitened",
    "whitened:ridge=1 --bias 0.5",
    "second-order",
    "second-order:a=10,margin=0.1 --shuffle 3",
    "second-order:a=adaptive",
    "second-order:a=adaptive,r2=100,c=0.3",
    "second-order:a=pinv",
    "second-order:a=1e9",
    "second-order:a=auto --normalize 2",
    "selective:b=auto",
    "perceptron --kernel gaussian:gamma=auto",
    "second-order:a=adaptive --kernel poly:degree=2",
    "second-order:a=pinv --kernel gaussian:gamma=0.5",
    "second-order:a=pinv,margin=0.05 --kernel poly:degree=2",
    "perceptron@bias=2,normalize=2",
    "selective(second-order:a=2):b=3",
    "second-order --kernel gaussian:gamma=0.5",
    "second-order:a=3,margin=0.1 --kernel poly:degree=2",
    "higher-order",
    "higher-order:p=4",
    "higher-order:schedule=cap,c=0.5,margin=0.1",
    "higher-order:schedule=sparse,c=0.8",
    "romma",
    "romma:aggressive --shuffle 5",
    "romma:noise=2",
    "romma:aggressive,noise=0.5 --kernel gaussian:gamma=0.5",
    "romma --kernel gaussian:gamma=2",
    "max-margin",
    "max-margin:noise=1 --kernel poly:degree=2",
    "forgetron:budget=3 --normalize 2",
    "forgetron --kernel gaussian:gamma=0.5",
    "projectron:eta=0.05 --normalize 2",
    "projectron:plus --kernel poly:degree=2,cosine",
    "shifting --normalize 2",
    "shifting:lambda=1 --normalize 2 --bias 1",
    "alma",
    "alma:p=5,alpha=1",
    "passive-aggressive:variant=pa",
    "passive-aggressive:variant=pa --kernel gaussian:gamma=0.5",
    "passive-aggressive",
    "passive-aggressive:c=20 --kernel poly:degree=2",
    "passive-aggressive:variant=2",
    "passive-aggressive:variant=2,c=0.1 --kernel gaussian:gamma=2",
    "arow:form=full",
    "arow:form=full,r=0.1 --normalize 2",
    "logistic",
    "logistic --bias 1 --shuffle 2",
    "selective:b=0.5",
    "selective --kernel poly:degree=2",
    "selective:base=second-order",
];

/// Every theorem that such runs end in.
const THEOREMS: &[&str] = &[
    "T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "T13", "T14", "T15", "T16",
    "9.1", "9.2", "9.3", "9.4", "9.6", "9.7", "PA", "PA-I", "PA-I'", "PA-II", "PA-II'", "AROW",
    "LR",
];

/// Theorems that hardly ever have the smallest bound; `check_formulas.rs` has them.
const SELDOM_SMALLEST: &[&str] = &["T2''", "T12"];

/// `auto.rs` has the theorem of the weighted majority.
#[test]
fn every_theorem_is_listed() {
    let all = Theorem::NAMES.iter().copied().filter(|name| *name != "WM");
    let all: BTreeSet<&str> = all.collect();
    let listed = THEOREMS.iter().chain(SELDOM_SMALLEST).copied();
    assert_eq!(all, listed.collect::<BTreeSet<&str>>());
    let checked: BTreeSet<&str> = novikoff_check::names().collect();
    assert_eq!(all, checked);
    for name in SELDOM_SMALLEST {
        let mut examined = check_formulas::FIRST_ORDER.iter();
        let is_examined =
            examined.any(|other| other == name) || check_formulas::HIGHER_ORDER.contains(name);
        assert!(is_examined, "check_formulas.rs has no case of {name}");
    }
}

/// The names in the cells of a page's tables: a cell lists names with commas, each may be a link, and `T8 to T11` are all between.
fn theorems_of(page: &str) -> BTreeSet<String> {
    let cells = page.lines().filter(|line| line.starts_with('|'));
    let cells = cells.flat_map(|line| line.split('|').map(str::trim));
    let parts = cells.flat_map(|cell| cell.split([',', ';']));
    let mut found = BTreeSet::new();
    for part in parts {
        let part = part.trim().trim_start_matches('[');
        let part = part.split([']', '(']).next().unwrap_or_default().trim();
        let number = |name: &str| name.trim().strip_prefix('T')?.parse::<u32>().ok();
        match part.split_once(" to ") {
            Some((first, last)) => {
                if let (Some(first), Some(last)) = (number(first), number(last)) {
                    found.extend((first..=last).map(|n| format!("T{n}")));
                }
            }
            None => {
                // `T8, with a kernel T9`, `aggressive ROMMA T15`
                found.extend(part.split(' ').map(str::to_owned));
            }
        }
    }
    found
}

/// Pages that list all theorems; T6, T7, T14, T15, 9.3 and WM find U without the solver.
#[test]
fn every_theorem_is_on_its_pages() {
    let without = ["T6", "T7", "T14", "T15", "9.3", "WM"];
    for (page, text, left_out) in [
        (
            "certificates.md",
            include_str!("../../../docs/certificates.md"),
            &[][..],
        ),
        (
            "theory/README.md",
            include_str!("../../../docs/theory/README.md"),
            &[],
        ),
        (
            "theory/comparators.md",
            include_str!("../../../docs/theory/comparators.md"),
            &without,
        ),
    ] {
        let listed = theorems_of(text);
        for name in Theorem::NAMES {
            let is_listed = listed.contains(*name) || left_out.contains(name);
            assert!(is_listed, "docs/{page} has no row of {name}");
        }
    }
}

/// How many times each run is tried, each time on other rows.
fn rounds() -> usize {
    let asked = std::env::var("NOVIKOFF_CASES").ok();
    4 * asked.and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// Rows: separated, with wrong labels, with zero rows, or of one label alone; now and then one that came before. Of zeros and ones for
/// Winnow.
fn rows(random: &mut SplitMix64, kind: usize, boolean: bool) -> String {
    let features = 2 + random.below(4);
    let count = 8 + random.below(16);
    let mut target: Vec<f64> = (0..features).map(|_| random.uniform() - 0.5).collect();
    let length = target.iter().map(|w| w * w).sum::<f64>().sqrt();
    for w in &mut target {
        *w /= length;
    }
    let mut lines: Vec<String> = Vec::new();
    while lines.len() < count {
        if kind != 1 && lines.len() > 2 && random.below(8) == 0 {
            let again = lines[random.below(lines.len())].clone();
            lines.push(again);
            continue;
        }
        let value = |random: &mut SplitMix64| {
            if boolean {
                f64::from(u8::from(random.below(3) == 0))
            } else {
                ((random.uniform() - 0.5) * 400.0).round() / 100.0
            }
        };
        let mut x: Vec<f64> = (0..features).map(|_| value(random)).collect();
        if kind == 2 && random.below(10) == 0 {
            x = vec![0.0; features];
        }
        let score: f64 = if boolean {
            // a disjunction of the first two
            x[0] + x[1] - 0.5
        } else {
            x.iter().zip(&target).map(|(x, w)| x * w).sum()
        };
        if kind == 0 && !boolean && score.abs() < 0.1 {
            continue;
        }
        let is_wrong = kind > 0 && random.below(7) == 0 && !boolean;
        let label = if (score > 0.0) == is_wrong {
            "-1"
        } else {
            "+1"
        };
        let mut line = label.to_owned();
        for (j, v) in x.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            write!(line, " {}:{v}", j + 1).expect("room");
        }
        lines.push(line);
    }
    common::lines(lines)
}

/// Certifies a run and leaves cert.json, trace.jsonl and u.model in the room; the certificate, if there is one.
fn certified(room: &Room, words: &str) -> Option<Value> {
    let done = room.run(&format!(
        "certify data.svm -a {words} --json -q --trace trace.jsonl --save-comparator u.model"
    ));
    let done = done.good();
    room.write("cert.json", &done.stdout);
    let json: Value = serde_json::from_str(&done.stdout).expect("JSON");
    (!json["certificate"].is_null()).then_some(json)
}

#[test]
fn certificates_of_all_theorems_agree() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut refused = 0;
    for round in 0..rounds() {
        for (number, words) in RUNS.iter().enumerate() {
            let mut random = SplitMix64((round * RUNS.len() + number) as u64);
            let mut text = rows(&mut random, round % 4, words.starts_with("winnow"));
            if number == 0 && round % 4 == 0 {
                // far apart: T1
                text = "-1 1:-20 2:0.5\n+1 1:20 2:1\n+1 1:19\n-1 1:-22 2:-1\n".to_owned();
            }
            let room = Room::with(&text);
            let words = format!("{words} --epochs {}", 1 + random.below(3));
            let Some(json) = certified(&room, &words) else {
                refused += 1;
                continue;
            };
            let checked = room.run("certify --check cert.json data.svm");
            let report = format!("{words}\n{text}\n{}{}", checked.stdout, checked.stderr);
            assert_eq!(checked.code, Some(0), "{report}");
            assert!(checked.stdout.ends_with(": agrees\n"), "{report}");
            assert_eq!(checked.stderr, "", "{report}");
            let theorem = json["certificate"]["theorem"].as_str().expect("a theorem");
            *seen.entry(theorem.to_owned()).or_default() += 1;
            // the vector is given back: its bound is no larger, but for the preference for vectors that separate the rows
            if number % 3 == round % 3 {
                let words = format!("certify data.svm -a {words} --comparator u.model -q");
                let again = room.json(&words);
                let bound = |json: &Value| json["certificate"]["bound"].as_f64();
                let (first, second) = (bound(&json).expect("a bound"), bound(&again));
                let second = second.unwrap_or_else(|| panic!("{words}\n{text}\n{again}"));
                assert!(second <= first * (1.0 + 2e-6), "{report}{first} {second}");
            }
        }
    }
    let all: u32 = seen.values().sum();
    println!("{all} certificates agree, {refused} runs have none: {seen:?}");
    for theorem in THEOREMS {
        assert!(
            seen.contains_key(*theorem),
            "{theorem} never came up: {seen:?}"
        );
    }
}

#[test]
fn several_classes_agree() {
    let text =
        "10 1:1\n20 2:1\n10 1:2 2:0.1\n20 1:0.2 2:1\n30 3:1\n10 1:1 3:0.1\n30 2:0.3 3:2\n20 2:2\n";
    let multi = "1,2 1:1\n2 2:1\n1 1:2 2:0.1\n2,3 1:0.2 2:1\n3 3:1\n1 1:1 3:0.1\n";
    for (text, flags) in [(text, ""), (multi, " --multilabel")] {
        for learner in [
            "perceptron",
            "second-order:a=2 --shuffle 3",
            "romma:noise=1",
        ] {
            let room = Room::with(text);
            let json = certified(&room, &format!("{learner}{flags} --epochs 2"));
            assert!(json.is_some(), "{learner}");
            let words = format!("certify --check cert.json data.svm{flags}");
            let done = room.run(&words).good();
            assert_eq!(
                done.stdout.matches(": agrees\n").count(),
                3,
                "{}",
                done.stdout
            );
            let honest = json.expect("a certificate");
            let forge = |code: i32, forge: &dyn Fn(&mut Value)| {
                let mut forged = honest.clone();
                forge(&mut forged);
                room.write("cert.json", forged.to_string());
                assert_eq!(room.run(&words).code, Some(code), "{learner}: {forged}");
            };
            // the mistakes of the arg-max are those of the run
            let mistakes = honest["mistakes"].as_u64().expect("mistakes");
            forge(1, &|json| {
                json["mistakes"] = json!(mistakes - 1);
                json["certificate"]["mistakes"] = json!(mistakes - 1);
            });
            forge(1, &|json| json["epochs"][1]["mistakes"] = json!(99));
            forge(1, &|json| json["certificate"]["theorem"] = json!("T99"));
            forge(1, &|json| {
                json["certificate"]["comparator"]["norm"] = json!(0.001);
            });
            forge(1, &|json| {
                json["certificate"]["comparator"]["hinge"] = json!(0.001);
            });
            // an easy class in the place of a hard one
            forge(2, &|json| {
                let easy = json["classes"][0].clone();
                json["classes"][1] = easy;
            });
        }
    }
}

/// Rows with a few wrong labels.
const NOISY: &str = "\
+1 1:2 2:0.5\n-1 1:-1 2:1\n+1 1:1.5 2:-1\n-1 1:-2 2:-0.5\n+1 1:0.3 2:2\n-1 1:-0.2 2:-2\n+1 1:1 2:1\n-1 1:-1.5\n-1 1:1 2:0.3\n";

#[test]
fn forged_certificates_are_detected() {
    for learner in [
        "perceptron --epochs 2",
        "second-order:a=2 --epochs 2",
        "romma:noise=2 --epochs 2",
        "perceptron --kernel poly:degree=2 --epochs 2",
    ] {
        let room = Room::with(NOISY);
        let honest = certified(&room, learner).expect("a certificate");
        let check = || room.run("certify --check cert.json data.svm");
        check().good();
        let mut forgeries = 0;
        let mut is_detected = |what: &str| {
            let done = check();
            let said = format!("{learner}: {what}\n{}{}", done.stdout, done.stderr);
            assert_eq!(done.code, Some(1), "{said}");
            assert!(done.stdout.contains("differs"), "{said}");
            forgeries += 1;
        };
        // the certificate itself
        let forge = |forged: &dyn Fn(&mut Value)| {
            let mut json = honest.clone();
            forged(&mut json);
            room.write("cert.json", json.to_string());
        };
        let times = |value: &mut Value, by: f64| {
            *value = json!(value.as_f64().expect("a number") * by);
        };
        forge(&|json| times(&mut json["certificate"]["bound"], 0.99));
        is_detected("the bound lowered");
        forge(&|json| times(&mut json["certificate"]["bound"], 1.01));
        is_detected("the bound raised");
        forge(&|json| {
            times(&mut json["certificate"]["bound"], 0.99);
            for part in ["terms", "ingredients"] {
                let all = json["certificate"][part].as_object_mut().expect("terms");
                all.values_mut().for_each(|value| times(value, 0.99));
            }
        });
        is_detected("the bound and its terms lowered");
        forge(&|json| {
            let fewer = json!(json["mistakes"].as_u64().expect("a count") - 1);
            json["certificate"]["mistakes"] = fewer.clone();
            json["mistakes"] = fewer;
        });
        is_detected("a mistake less");
        forge(&|json| {
            let fewer = json!(json["updates"].as_u64().expect("a count") - 1);
            json["updates"] = fewer;
        });
        is_detected("an update less");
        forge(&|json| times(&mut json["certificate"]["comparator"]["hinge"], 0.99));
        is_detected("the loss of U lowered");
        forge(&|json| times(&mut json["certificate"]["comparator"]["norm"], 0.99));
        is_detected("the length of U lowered");
        for theorem in ["T4", "T14", "AROW", "T99"] {
            forge(&|json| json["certificate"]["theorem"] = json!(theorem));
            is_detected("another theorem");
        }
        forge(&|json| json["certificate"]["holds"] = json!(false));
        is_detected("it does not hold");
        forge(&|json| json["certificate"]["counts"] = json!("updates"));
        assert_ne!(check().code, Some(0), "{learner}: counts");
        forge(&|json| json["options"]["epochs"] = json!(1));
        is_detected("an epoch less");
        forge(&|json| json["options"]["epochs"] = json!(3));
        is_detected("an epoch more");
        forge(&|json| json["options"]["shuffle"] = json!(1));
        // a perceptron's certificate does not depend on the order of its trials
        assert!(matches!(check().code, Some(0 | 1)), "{learner}: shuffled");
        forge(&|json| json["data"]["rows"] = json!(10));
        is_detected("a row more");
        forge(&|json| json["data"]["features"] = json!(3));
        is_detected("a feature more");
        let key = match learner.split([':', ' ']).next() {
            Some("second-order") => "a",
            Some("romma") => "noise",
            _ => "margin",
        };
        forge(&|json| json["parameters"][key] = json!(0.25));
        is_detected("another parameter");
        forge(&|json| {
            let name = learner.split([':', ' ']).next().expect("a name");
            json["spec"] = json!(format!("{name}:{key}=0.25"));
            json["parameters"][key] = json!(0.25);
        });
        is_detected("another spec");
        forge(&|json| json["options"]["bias"] = json!(1.0));
        is_detected("another bias");
        forge(&|json| json["options"]["normalize"] = json!(2));
        is_detected("another norm");

        // the trace
        room.write("cert.json", honest.to_string());
        let trace = room.text("trace.jsonl");
        let lines: Vec<&str> = trace.lines().collect();
        room.write("trace.jsonl", common::lines(&lines[1..]));
        is_detected("a line of the trace removed");
        room.write("trace.jsonl", format!("{trace}{}\n", lines[0]));
        is_detected("a line of the trace twice");
        let flip = |from: &str, to: &str| {
            let forged = lines[0].replace(from, to);
            assert_ne!(forged, lines[0]);
            let all = std::iter::once(forged.as_str()).chain(lines[1..].iter().copied());
            room.write("trace.jsonl", common::lines(all));
        };
        flip("\"updated\":true", "\"updated\":false");
        is_detected("an update denied");
        flip("\"mistake\":true", "\"mistake\":false");
        is_detected("a mistake denied");
        flip("\"class\":\"+1\"", "\"class\":\"-1\"");
        is_detected("another class");
        room.write("trace.jsonl", &trace);

        // the data
        for (from, to) in [
            ("-1 1:-1 2:1\n", "-1 1:-1 2:3\n"),
            ("-1 1:1 2:0.3\n", "+1 1:1 2:0.3\n"),
            ("-1 1:1 2:0.3\n", ""),
        ] {
            room.write("data.svm", NOISY.replace(from, to));
            is_detected("other data");
        }
        room.write("data.svm", NOISY);

        // U
        let u = room.bytes("u.model");
        let kernel = if learner.contains("poly") {
            "poly:degree=2"
        } else {
            "linear"
        };
        room.run(&format!(
            "solve data.svm --lambda 5 --kernel {kernel} -o u.model"
        ))
        .good();
        is_detected("another U");
        room.write("u.model", u);
        check().good();
        assert!(forgeries > 20);
    }
}

/// Without the trace the run is repeated, and without U it is looked for again.
#[test]
fn what_is_missing_is_found_again() {
    let room = Room::with(NOISY);
    certified(&room, "perceptron --epochs 2 --shuffle 4 --bias 1").expect("a certificate");
    let check = |words: &str| room.run(&format!("certify --check cert.json data.svm {words}"));
    let all = check("").good();
    assert_eq!(all.stderr, "");
    for name in ["trace.jsonl", "u.model"] {
        std::fs::rename(room.path(name), room.path("away")).expect("a file");
        let done = check("").good();
        assert_eq!(done.stdout, all.stdout);
        assert!(done.stderr.contains("repeated"), "{}", done.stderr);
        let flag = if name == "u.model" {
            "comparator"
        } else {
            "trace"
        };
        let done = check(&format!("--{flag} away")).good();
        assert_eq!(
            (done.stdout, done.stderr),
            (all.stdout.clone(), String::new())
        );
        std::fs::rename(room.path("away"), room.path(name)).expect("a file");
    }
    let json: Value = serde_json::from_str(&check("--json").good().stdout).expect("JSON");
    assert_eq!(json["agrees"], true);
    assert_eq!(json["classes"][0]["class"], "+1");
    // a vector that was given is not looked for
    room.run("solve data.svm --lambda 0.1 --bias 1 -o w.model")
        .good();
    let words = "certify data.svm -a perceptron --bias 1 --comparator w.model --json -q";
    room.write("cert.json", room.run(words).good().stdout);
    check("").refused(&["--save-comparator"]);
    let words = format!("{words} --save-comparator v.model");
    room.write("cert.json", room.run(&words).good().stdout);
    check("").good();
    // what cannot be checked
    room.write("cert.json", "{\"certificate\":null,\"reason\":\"none\"}");
    check("").refused(&["holds no certificate: none"]);
    room.write("cert.json", "[1]");
    check("").refused(&["cert.json", "options"]);
    room.write("cert.json", "nonsense");
    check("").refused(&["cert.json", "no JSON"]);
    check("--epochs 2").refused(&["--epochs", "leave"]);
}

/// A comparator is a model as others are.
#[test]
fn a_saved_comparator_is_a_model() {
    let room = Room::with(NOISY);
    for words in [
        "perceptron --bias 1",
        "romma:noise=1 --kernel poly:degree=2",
    ] {
        let json = certified(&room, words).expect("a certificate");
        let comparator = &json["certificate"]["comparator"];
        assert_eq!(
            (&comparator["class"], &comparator["file"]),
            (&json!("+1"), &json!("u.model"))
        );
        assert!(
            room.run("inspect u.model")
                .good()
                .stdout
                .contains("comparator")
        );
        // its margins are U.x, so that they have its hinge loss
        let margins = room.run("predict u.model data.svm --margins").good().stdout;
        let xi = |(margin, row): (&str, &str)| {
            let y = if row.starts_with('+') { 1.0 } else { -1.0 };
            let margin: f64 = margin.parse().expect("a margin");
            (1.0 - y * margin).max(0.0)
        };
        let hinge: f64 = margins.lines().zip(NOISY.lines()).map(xi).sum();
        let claimed = comparator["hinge"].as_f64().expect("a loss");
        assert!(
            (hinge - claimed).abs() <= 1e-6,
            "{words}: {hinge} {claimed}"
        );
        room.run("evaluate u.model data.svm").good();
        let bound = |json: &Value| json["certificate"]["bound"].as_f64().expect("a bound");
        let again = room.json(&format!("train data.svm -a {words} --comparator u.model"));
        assert!(bound(&again) <= bound(&json) * (1.0 + 1e-9), "{words}");
        assert!(bound(&again) >= bound(&json) * 0.99, "{words}");
        room.run("train data.svm --resume u.model")
            .refused(&["u.model"]);
    }
}

/// The length that is printed is that of the vector that is saved, in the norm of the theorem.
#[test]
fn the_length_is_what_it_says() {
    let room = Room::with(NOISY);
    let weights = |room: &Room| -> Vec<f64> {
        let text = room.run("inspect u.model --weights").good().stdout;
        let weight = |line: &str| line.split('\t').nth(1)?.parse().ok();
        text.lines().filter_map(weight).collect()
    };
    for (words, q) in [
        ("perceptron", 2.0),
        ("second-order:a=10", 2.0),
        ("second-order:a=adaptive", 2.0),
        ("arow:form=full", 2.0),
        ("romma:noise=2", 2.0),
        ("whitened --bias 1", 2.0),
        ("p-norm:p=4", 4.0 / 3.0),
        ("eg", 1.0),
    ] {
        let Some(json) = certified(&room, words) else {
            continue;
        };
        let sum: f64 = weights(&room).iter().map(|w| w.abs().powf(q)).sum();
        let (length, norm) = (
            sum.powf(1.0 / q),
            &json["certificate"]["comparator"]["norm"],
        );
        let norm = norm.as_f64().expect("a norm");
        assert!(
            (length - norm).abs() <= 1e-6 * norm,
            "{words}: {length} {norm}"
        );
    }
}

/// A free intercept is the weight of the run's constant feature, or refused.
#[test]
fn intercepts_are_used_or_refused() {
    let room = Room::with(NOISY);
    room.run("solve data.svm --lambda 0.02 --bias free -o free.model")
        .good();
    room.run("train data.svm -a perceptron --comparator free.model")
        .refused(&["free.model", "intercept", "--bias 1"]);
    let bound = |words: &str| {
        let json = room.json(&format!("train data.svm -a perceptron {words}"));
        json["certificate"]["bound"]
            .as_f64()
            .unwrap_or_else(|| panic!("{json}"))
    };
    // U.x + b by the intercept, whatever the constant is
    let run = room.json(
        "train data.svm -a perceptron --bias 2 --comparator free.model --save-comparator v.model",
    );
    assert_eq!(run["certificate"]["holds"], true);
    let margins = |model: &str| -> Vec<f64> {
        let words = format!("predict {model} data.svm --margins");
        let text = room.run(&words).good().stdout;
        text.lines().map(|m| m.parse().expect("a margin")).collect()
    };
    let (free, saved) = (margins("free.model"), margins("v.model"));
    let scale = saved[0] / free[0];
    for (a, b) in free.iter().zip(&saved) {
        assert!(
            (scale * a - b).abs() <= 1e-6 * b.abs().max(1e-3),
            "{free:?} {saved:?}"
        );
    }
    // a constant feature of another size is the same vector at another scale of its slot
    room.run("solve data.svm --lambda 0.02 --bias 1 -o one.model")
        .good();
    assert!(bound("--bias 1 --comparator one.model") > 0.0);
    room.run("train data.svm -a perceptron --comparator one.model")
        .refused(&["one.model", "constant feature"]);
    // in the space of a kernel there is no such weight
    room.run("solve data.svm --lambda 0.02 --bias free --kernel poly -o k.model")
        .good();
    room.run("train data.svm -a perceptron --kernel poly --bias 1 --comparator k.model")
        .refused(&["k.model", "intercept"]);
    room.run("train data.svm -a perceptron --kernel gaussian --comparator one.model")
        .refused(&["one.model", "kernel"]);
}

/// Rows with weights are outside of the theorems, whatever a certificate says of them.
#[test]
fn weighted_rows_are_seen() {
    let room = Room::with(NOISY);
    certified(&room, "perceptron").expect("a certificate");
    let line = |row: &str| {
        let (label, values) = row.split_once(' ').expect("values");
        format!("{label} | {values}")
    };
    let vw = common::lines(NOISY.lines().map(line));
    room.write("plain.vw", &vw);
    let agreed = room.run("certify --check cert.json plain.vw");
    assert_eq!(agreed.code, Some(0), "{}{}", agreed.stdout, agreed.stderr);
    room.write("weighted.vw", vw.replacen("+1 |", "+1 3 |", 1));
    let refused = room.run("certify --check cert.json weighted.vw");
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(
        refused.stdout.contains("weights other than 1"),
        "{}",
        refused.stdout
    );
}
