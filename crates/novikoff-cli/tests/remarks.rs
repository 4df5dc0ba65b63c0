//! What is worthless does not look fine: the baseline, remarks with their remedies, and results that are refused.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::{Shape, SplitMix64};
use common::remarks::kinds;
use serde_json::Value;

/// Rows of two numbers; the sign of the first is the label.
fn rows(count: usize, scale: f64) -> Vec<(bool, String)> {
    let mut random = SplitMix64(9);
    let row = |_| {
        let (x, z) = (random.uniform() - 0.5, random.uniform() - 0.5);
        (x > 0.0, format!("1:{x:.4} 2:{:.4}", scale * z))
    };
    (0..count).map(row).collect()
}

fn svmlight(rows: &[(bool, String)]) -> String {
    let label = |positive: &bool| if *positive { "+1" } else { "-1" };
    common::lines(rows.iter().map(|(y, x)| format!("{} {x}", label(y))))
}

/// The definition of the baseline for labels -1 and +1.
fn baseline(text: &str) -> (String, u64) {
    let (mut counts, mut errors) = ([0, 0], 0);
    let answer = |counts: [u64; 2]| match counts {
        [0, 0] => 1,
        [negative, positive] => usize::from(positive > negative),
    };
    for line in text.lines() {
        let y = usize::from(line.starts_with("+1"));
        errors += u64::from(answer(counts) != y);
        counts[y] += 1;
    }
    (["-1", "+1"][answer(counts)].to_owned(), errors)
}

#[test]
fn every_run_reports_the_baseline() {
    let text = svmlight(&rows(300, 1.0));
    let room = Room::with(&text);
    let (label, errors) = baseline(&text);
    let expected = serde_json::json!({"label": label, "errors": errors});
    for words in [
        "train data.svm -a perceptron -q",
        "train data.svm -a perceptron --epochs 3 -q",
        "certify data.svm -a perceptron --certify quick -q",
        "train - -a perceptron -q",
    ] {
        let done = room.pipe(&format!("{words} --json"), &text);
        assert_eq!(done.good().json()["baseline"], expected, "{words}");
    }
    let compared = room.json("compare data.svm perceptron averaged -q");
    for run in compared["runs"].as_array().expect("runs") {
        assert_eq!(run["baseline"], expected);
    }
    let shown = room.run("train data.svm -a perceptron -q").good().stdout;
    let line = format!("baseline   {errors} errors (");
    assert!(shown.contains(&line), "{shown}");
    let shown = room.run("compare data.svm perceptron -q").good().stdout;
    assert!(
        shown.contains(&format!("baseline: {errors} errors (")),
        "{shown}"
    );
}

/// Labels that only a threshold tells apart: a learner without a constant feature cannot beat a constant answer.
#[test]
fn no_better_than_a_constant() {
    let mut random = SplitMix64(4);
    let mut text = String::new();
    for _ in 0..400 {
        let x = 10.0 + random.uniform();
        let label = if x > 10.7 { "+1" } else { "-1" };
        writeln!(text, "{label} 1:{x:.4}").expect("a string");
    }
    let room = Room::with(&text);
    let done = room.run("train data.svm -a perceptron -q --json").good();
    let json = done.json();
    let (errors, baseline) = (&json["validation"]["errors"], &json["baseline"]["errors"]);
    assert!(errors.as_u64() >= baseline.as_u64(), "{json}");
    assert_eq!(kinds(&json), ["baseline", "no-constant"]);
    for part in [
        "no better than the",
        "`novikoff compare DATA`",
        "use --bias 1",
    ] {
        assert_eq!(
            done.stderr.matches(part).count(),
            1,
            "{part}: {}",
            done.stderr
        );
    }
    let compared = room
        .run("compare data.svm perceptron romma -q --json")
        .good();
    for run in compared.json()["runs"].as_array().expect("runs") {
        assert!(kinds(run).contains(&"no-constant"), "{run}");
    }
    // what is said of both in the same words is said once
    assert!(
        compared.stderr.contains("use --bias 1"),
        "{}",
        compared.stderr
    );
    let json = room.json("train data.svm -a second-order --bias 10 --epochs 1 -q");
    assert!(!kinds(&json).contains(&"no-constant"), "{json}");
    let clear = svmlight(&rows(300, 0.01));
    room.write("clear.svm", clear);
    let json = room.json("train clear.svm -a perceptron -q");
    assert!(kinds(&json).is_empty(), "{json}");
}

#[test]
fn sorted_rows_and_scales_are_remarked_on_once_even_when_quiet() {
    let mut rows = rows(400, 5000.0);
    rows.sort_by_key(|(y, _)| *y);
    let room = Room::with(&svmlight(&rows));
    for words in [
        "train data.svm -a perceptron --bias 1",
        "compare data.svm perceptron averaged --bias 1",
        "certify data.svm -a perceptron --certify quick",
        "tune data.svm -a perceptron",
        "train data.svm -a perceptron --permutations 1 --shuffle 1",
        "solve data.svm --lambda 1 --max-passes 10",
    ] {
        let done = room.run(&format!("{words} -q --json")).good();
        let is_sorted = !words.contains("shuffle") && !words.starts_with("solve");
        let times_said = |part: &str| done.stderr.matches(part).count();
        assert_eq!(
            times_said("come sorted by label"),
            usize::from(is_sorted),
            "{words}"
        );
        assert_eq!(
            times_said("use --shuffle 1"),
            usize::from(is_sorted),
            "{words}"
        );
        assert_eq!(
            times_said(" times those of "),
            1,
            "{words}\n{}",
            done.stderr
        );
        let json = done.json();
        assert_eq!(kinds(&json).contains(&"sorted"), is_sorted, "{words}");
        assert!(kinds(&json).contains(&"scales"), "{words}: {json}");
    }
    let json = room.json("train data.svm -a perceptron --standardize --shuffle 1 --bias 1 -q");
    assert!(!kinds(&json).contains(&"sorted") && !kinds(&json).contains(&"scales"));
}

#[test]
fn columns_are_named() {
    let room = Room::new();
    let mut table = "income,rate,city,y\n".to_owned();
    for (k, (y, _)) in rows(150, 1.0).iter().enumerate() {
        let income = 20_000 + k * 37 % 151;
        writeln!(table, "{income},0.0{},c{},{y}", 1 + k % 9, k % 3).expect("a string");
    }
    room.write("data.csv", table);
    let done = room.run("train data.csv -a perceptron --label y -q").good();
    assert!(
        done.stderr.contains("the values of income are about ")
            && done.stderr.contains(" times those of rate, "),
        "{}",
        done.stderr
    );
}

#[test]
fn a_positive_label_that_no_row_has_is_refused() {
    let room = Room::with("2 1:1\n3 1:-1\n2 2:1\n");
    room.write("t.csv", "x,y\n1,no\n2,yes\n3,no\n");
    for words in [
        "train data.svm -a perceptron --positive 7 -o m",
        "train data.svm -a perceptron --positive 7 --epochs 2 -o m",
        "train data.svm -a perceptron --positive 7 --permutations 2",
        "compare data.svm perceptron --positive 7",
        "certify data.svm -a perceptron --positive 7",
        "tune data.svm -a perceptron --positive 7 -o m",
        "tune data.svm --loss hinge --lambda 1 --folds 2 --positive 7 -o m",
        "solve data.svm --lambda 1 --positive 7 -o m",
        "train - -a perceptron --positive 7 -o m",
    ] {
        let done = room.pipe(words, "2 1:1\n3 1:-1\n");
        done.refused(&["no row has the label 7, but rows have 2, 3", "--lenient"]);
        assert!(!room.path("m").exists(), "{words}");
        let done = room.pipe(&format!("{words} --lenient -q"), "2 1:1\n3 1:-1\n");
        assert!(done.good().stderr.contains("no row has the label 7"));
        let _ = std::fs::remove_file(room.path("m"));
    }
    let done = room.run("train t.csv -a perceptron --positive Yes");
    done.refused(&["but rows have no, yes; use --positive yes"]);
    let json = room.json("train data.svm -a perceptron --positive 7 --lenient -q");
    assert!(kinds(&json).contains(&"no-positive"));
}

#[test]
fn rows_without_a_known_feature_are_refused() {
    let room = Room::new();
    room.write("train.vw", "+1 |n a b c\n-1 |n d e\n+1 |n a\n-1 |n e f\n");
    room.write("foreign.vw", "+1 |n x y\n-1 |n z\n".repeat(30_000));
    room.write("mixed.vw", "+1 |n x y\n-1 |n z\n+1 |n a\n");
    room.write("empty.vw", "+1 |n\n-1 |n\n");
    room.run("train train.vw -a perceptron --bias 1 -o m -q")
        .good();
    for words in [
        "predict m foreign.vw",
        "evaluate m foreign.vw",
        "calibrate m foreign.vw -o c",
        "train train.vw -a perceptron --test foreign.vw",
        "train train.vw -a perceptron --permutations 2 --test foreign.vw",
        "compare train.vw perceptron --test foreign.vw",
        "solve train.vw --lambda 1 --test foreign.vw",
    ] {
        let done = room.run(words);
        done.refused(&["no row has a feature that the model knows", "--lenient"]);
        assert!(!room.path("c").exists());
        let done = room.run(&format!("{words} --lenient -q")).good();
        assert_eq!(done.stderr.matches("no row has a feature").count(), 1);
        let _ = std::fs::remove_file(room.path("c"));
    }
    let mixed = room.run("predict m mixed.vw -q").good();
    assert_eq!(mixed.stdout.lines().count(), 3);
    assert!(
        mixed
            .stderr
            .contains("3 of 4 values (75.00%) were left out")
            && mixed.stderr.contains("`novikoff inspect m`"),
        "{}",
        mixed.stderr
    );
    // rows that are empty by themselves are not foreign
    let empty = room.run("predict m empty.vw -q").good();
    assert_eq!(
        (empty.stdout.lines().count(), empty.stderr.as_str()),
        (2, "")
    );
    let json = room.json("evaluate m mixed.vw -q");
    assert_eq!(kinds(&json), ["unknown-features", "never-predicted"]);
    // a program that writes rows to a pipe may wait for each answer: they come, and the end is a failure all the same
    let piped = room.pipe("predict m -", "|n x\n|n y\n");
    assert_eq!((piped.code, piped.stdout.lines().count()), (Some(2), 2));
}

/// A model of numbered features knows those up to the highest it has met.
#[test]
fn numbers_beyond_those_of_the_model_are_unknown() {
    let room = Room::with("+1 1:1 3:1\n-1 2:1\n");
    room.write("beyond.svm", "+1 7:1\n-1 9:2\n");
    room.write("some.svm", "+1 3:1 7:1\n");
    room.run("train data.svm -a perceptron -o m -q").good();
    room.run("evaluate m beyond.svm")
        .refused(&["no row has a feature that the model knows"]);
    let done = room.run("predict m some.svm -q").good();
    assert!(done.stderr.contains("1 of 2 values (50.00%) was left out"));
    // a column of zeros that the model knows is known
    room.write("t.csv", "a,c,y\n1,u,no\n2,v,yes\n");
    room.write("zeros.csv", "a,c\n0,w\n0,w\n");
    room.run("train t.csv -a perceptron -o t -q").good();
    let done = room.run("predict t zeros.csv -q").good();
    assert_eq!(done.stdout.lines().count(), 2);
}

#[test]
fn one_is_singular() {
    let room = Room::with("+1 1:1\n");
    room.write("two.svm", "+1 1:1\n+1 x:1\n-1 1:-1\n");
    let done = room.run("train data.svm -a perceptron -o m -q").good();
    assert!(done.stdout.contains("1 row, 1 feature, 2 classes"));
    let done = room
        .run("train two.svm -a perceptron --skip-bad 1 --resume m -q")
        .good();
    assert!(
        done.stdout.contains("skipped    1 bad line, such as"),
        "{}",
        done.stdout
    );
    assert!(
        done.stdout.contains("in 3 trials (1 before this run)"),
        "{}",
        done.stdout
    );
    let done = room.run("inspect m").good();
    assert!(done.stdout.contains("\ntrials      1\n"), "{}", done.stdout);
    room.run("train data.svm -a perceptron --epochs 3 -o m -q")
        .good();
    let json: Value =
        serde_json::from_str(&room.run("inspect m --json").good().stdout).expect("JSON");
    assert_eq!((&json["trials"], &json["rows"]), (&3.into(), &3.into()));
}

#[test]
fn several_labels_per_row_have_subset_errors() {
    let room = Room::new();
    room.write("multi", Shape::default().multi(4, 50));
    let done = room
        .run("train multi -a perceptron --test multi -o m -q")
        .good();
    assert!(
        done.stdout
            .contains("of the trials; subset error: any label wrong)")
    );
    assert!(done.stdout.contains(" subset error"), "{}", done.stdout);
    let done = room.run("evaluate m multi -q").good();
    assert!(
        done.stdout
            .contains("of the rows; subset error: any label wrong)")
    );
    assert!(done.stdout.contains("| micro average (over rows) "));
    assert!(done.stdout.contains("| macro average (over labels) "));
    // one line per row, also where no label is predicted
    room.write("none", "? 1:0\n");
    let rows = room.text("multi").lines().count();
    let done = room.run("predict m multi -q").good();
    assert_eq!(done.stdout.lines().count(), rows);
}

#[test]
fn bounds_of_classes_add_up_as_printed() {
    let room = Room::new();
    room.write("many", Shape::default().many(5, 50));
    let done = room
        .run("certify many -a perceptron --certify quick -q")
        .good();
    let number = |text: &str| -> f64 { text.trim().replace(',', "").parse().expect("a number") };
    let line = done.stdout.lines().find(|line| line.starts_with("bound"));
    let (sum, parts) = line
        .and_then(|line| line.split_once("<= "))
        .and_then(|(_, rest)| rest.split_once(" = "))
        .unwrap_or_else(|| panic!("{}", done.stdout));
    let parts: f64 = parts
        .split(" + ")
        .map(|part| number(part.split(' ').next().unwrap_or_default()))
        .sum();
    let rows = done.stdout.lines().filter(|line| line.starts_with("| "));
    let classes: f64 = rows
        .skip(1)
        .map(|row| {
            let cell = row.trim_end_matches(" |").rsplit('|').next();
            number(
                cell.unwrap_or_default()
                    .split_whitespace()
                    .next()
                    .unwrap_or_default(),
            )
        })
        .sum();
    assert!((number(sum) - parts).abs() < 1e-6, "{}", done.stdout);
    assert!((number(sum) - classes).abs() < 1e-6, "{}", done.stdout);
}

#[test]
fn tables_fit_a_narrow_screen() {
    let room = Room::new();
    room.write("many", Shape::default().many(12, 50));
    room.run("train many -a perceptron -o m -q").good();
    for words in [
        "compare many perceptron averaged second-order --certify quick",
        "train many -a perceptron --certify quick",
        "evaluate m many",
        "solve many --lambda 0.1 --max-passes 20 --positive 1",
        "tune many -a perceptron:margin=0|1",
        "inspect m",
    ] {
        let mut command = room.command(words);
        command.env("COLUMNS", "50");
        let done = Room::pipe_to(command, words, "").good();
        let tables = done.stdout.lines().filter(|line| line.starts_with('|'));
        for line in tables.chain(done.stderr.lines().filter(|line| line.starts_with("  "))) {
            assert!(line.chars().count() <= 50, "{words}: {line}");
        }
        let wide = room.run(words).good();
        assert!(!wide.stdout.contains("narrow screen"), "{words}");
    }
}

/// 100 passes ended at 104 and at 142.
#[test]
fn passes_are_at_most_what_was_asked_for() {
    let room = Room::with(&svmlight(&rows(400, 50.0)));
    for passes in [1, 2, 7, 8, 10, 100] {
        for loss in ["logistic", "squared-hinge", "hinge"] {
            let words = format!(
                "solve data.svm --loss {loss} --lambda 1e-7 --gap 1e-12 --max-passes {passes} -q"
            );
            let json = room.json(&words);
            let made = json["passes"].as_u64().expect("passes");
            assert!(made <= passes, "{words}: {made}");
        }
    }
}

#[test]
fn help_of_tune_lists_what_it_takes() {
    let room = Room::with("+1 1:1\n-1 1:-1\n");
    let help = room.run("tune --help").good().stdout;
    assert!(!help.contains("--test"), "{help}");
    room.run("tune data.svm -a perceptron --test data.svm")
        .refused(&["unexpected argument '--test'"]);
}
