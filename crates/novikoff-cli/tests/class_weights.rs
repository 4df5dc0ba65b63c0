//! `--class-weight` of the online learners.

use crate::common;

use common::data::Shape;
use common::{Room, counts};
use serde_json::{Value, json};

const SHAPE: Shape = Shape {
    rows: 200,
    ..Shape::DEFAULT
};

/// svmlight text as VW's, with a weight per label.
fn weighted(text: &str, weight: impl Fn(&str) -> f64) -> String {
    let line = |line: &str| {
        let (label, rest) = line.split_once(' ').unwrap_or((line, ""));
        format!("{label} {} | {rest}\n", weight(label))
    };
    text.lines().map(line).collect()
}

fn margins(room: &Room, model: &str, data: &str) -> String {
    let words = format!("predict {model} {data} --margins");
    room.run(&words).good().stdout
}

#[test]
fn the_weight_of_a_label_is_that_of_its_rows() {
    let text = SHAPE.binary();
    let room = Room::new();
    room.write("plain.vw", weighted(&text, |_| 1.0));
    let by_hand = |label: &str| if label == "+1" { 2.5 } else { 0.5 };
    room.write("by_hand.vw", weighted(&text, by_hand));
    room.write("weights.txt", "+1=2.5\n\n-1=0.5\n");
    for learner in ["perceptron", "averaged", "p-norm:p=3"] {
        let expected = room.json(&format!("train by_hand.vw -a {learner} -o by_hand"));
        let alike = room.json(&format!("train plain.vw -a {learner} -o alike"));
        for words in ["+1=2.5,-1=0.5", "@weights.txt"] {
            let words = format!("--class-weight {words} -a {learner}");
            let found = room.json(&format!("train plain.vw {words} -o model"));
            assert_eq!(counts(&found), counts(&expected), "{learner}");
            let answers = margins(&room, "model", "plain.vw");
            assert_eq!(answers, margins(&room, "by_hand", "plain.vw"), "{learner}");
            assert_ne!(answers, margins(&room, "alike", "plain.vw"), "{learner}");
        }
        assert_ne!(counts(&alike), counts(&expected));
    }
    let about = room.json_inspect("model");
    let kept = json!({"balanced": false, "labels": {"+1": 2.5, "-1": 0.5}, "rest": 1.0});
    assert_eq!(about["class_weights"], kept);
    let shown = room.run("inspect model").good().stdout;
    assert!(shown.contains("+1 2.500000, -1 0.500000"), "{shown}");
}

#[test]
fn balanced_labels_count_alike() {
    for (text, words, n) in [
        (SHAPE.binary(), "", 2.0),
        (SHAPE.many(4, 5), "", 4.0),
        (SHAPE.many(4, 5), "--positive 2", 2.0),
    ] {
        let room = Room::with(&text);
        let label = |line: &str| line.split(' ').next().expect("a label").to_owned();
        let labels: Vec<String> = text.lines().map(label).collect();
        let factor = |label: &str| {
            let same = |other: &&String| match words {
                "" => *other == label,
                _ => (*other == "2") == (label == "2"),
            };
            200.0 / (n * labels.iter().filter(same).count() as f64)
        };
        room.write("by_hand.vw", weighted(&text, factor));
        let train = format!("-a perceptron {words}");
        let balanced = room.json(&format!(
            "train data.svm {train} --class-weight balanced -o model"
        ));
        // VW's weights are rounded to f32, so their sums are too
        let by_hand = room.json(&format!("train by_hand.vw {train} -o by_hand"));
        assert_eq!(counts(&balanced), counts(&by_hand), "{words}");
        let about = room.json_inspect("model");
        assert_eq!(about["class_weights"]["balanced"], json!(true));
        for (label, w) in about["class_weights"]["labels"]
            .as_object()
            .expect("labels")
        {
            let away = w.as_f64().expect("a weight") - factor(label);
            assert!(away.abs() < 1e-12, "{label}");
        }
        // a run that holds its rows counts them itself
        let held = format!("train data.svm {train} --class-weight balanced --epochs 2 -o held");
        room.run(&held).good();
        let weights = &room.json_inspect("held")["class_weights"];
        assert_eq!(*weights, about["class_weights"]);
    }
}

/// A vote of learners, most of which do not take weights, says so; so does one over rows with weights of their own. A learner that takes them does not, and
/// errors that weights ask for are no reason for a constant feature.
#[test]
fn a_majority_names_the_learners_that_weights_leave_out() {
    let room = Room::with(&SHAPE.binary());
    let said = |words: &str| room.run(&format!("train {words} -q")).good().stderr;
    let left_out = "learners of the majority take rows of weight 1 only and were left out";
    let with = said("data.svm --class-weight 1=30");
    assert!(
        with.contains(left_out) && with.contains("-a logistic"),
        "{with}"
    );
    room.write("weighted.vw", weighted(&SHAPE.binary(), |_| 2.0));
    assert!(said("weighted.vw").contains(left_out));
    assert!(!said("data.svm").contains(left_out));
    let single = said("data.svm -a logistic --class-weight 1=30");
    assert!(
        !single.contains(left_out) && !single.contains("--bias 1"),
        "{single}"
    );
}

#[test]
fn the_weights_go_with_the_model() {
    let text = SHAPE.binary();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let room = Room::with(&text);
    room.write("first.svm", lines[..100].concat());
    room.write("second.svm", lines[100..].concat());
    let weights = "--class-weight +1=3";
    room.run(&format!("train data.svm -a averaged {weights} -o whole"))
        .good();
    room.run(&format!("train first.svm -a averaged {weights} -o half"))
        .good();
    room.run("train second.svm --resume half -o resumed").good();
    assert_eq!(room.bytes("resumed"), room.bytes("whole"));
    room.run(&format!("train second.svm --resume half {weights} -o same"))
        .good();
    assert_eq!(room.bytes("same"), room.bytes("whole"));
    room.pipe(&format!("train - -a averaged {weights} -o piped"), &text)
        .good();
    assert_eq!(room.bytes("piped"), room.bytes("whole"));
    for other in ["+1=2", "balanced", "-1=3"] {
        room.run(&format!(
            "train second.svm --resume half --class-weight {other} -o no"
        ))
        .refused(&["--class-weight", "+1=3", other]);
    }
    room.run("train first.svm -a averaged -o plain").good();
    room.run("train second.svm --resume plain --class-weight balanced -o no")
        .refused(&["--class-weight", "off", "balanced"]);
    // balanced factors are those of the first run
    room.run("train first.svm -a averaged --class-weight balanced -o half")
        .good();
    room.run("train second.svm --resume half -o resumed").good();
    let weights = |model: &str| room.json_inspect(model)["class_weights"].clone();
    assert_eq!(weights("resumed"), weights("half"));
    assert!(!room.path("no").exists());
}

#[test]
fn a_checkpoint_keeps_them() {
    let text = SHAPE.binary();
    let room = Room::with(&text);
    let words = "-a perceptron --class-weight balanced --epochs 3";
    room.run(&format!("train data.svm {words} -o whole")).good();
    room.run(&format!("train data.svm {words} --checkpoint 50 -o kept"))
        .good();
    assert_eq!(room.bytes("kept"), room.bytes("whole"));
}

#[test]
fn there_is_no_certificate_of_weighted_rows() {
    let room = Room::with(&SHAPE.binary());
    let found = room.json("certify data.svm -a perceptron --class-weight +1=2");
    assert_eq!(found["certificate"], Value::Null);
    let reason = found["reason"].as_str().expect("a reason");
    assert!(reason.contains("weights"), "{reason}");
    let done = room.run("train data.svm -a perceptron --class-weight +1=2 --require-certificate");
    assert_eq!(done.code, Some(1), "{}", done.stderr);
}

#[test]
fn comparisons_and_grids_have_them_too() {
    let room = Room::with(&SHAPE.binary());
    let alone = room.json("train data.svm -a averaged --class-weight balanced");
    let found = room.json("compare data.svm averaged perceptron --class-weight balanced");
    assert_eq!(counts(&found["runs"][0]), counts(&alone));
    // learners without a weighted form are left out of the default list
    let all = room.json("compare data.svm --class-weight +1=2");
    let specs: Vec<&str> = all["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["spec"].as_str().expect("a spec"))
        .collect();
    assert!(
        specs.contains(&"perceptron") && !specs.contains(&"romma"),
        "{specs:?}"
    );
    let words = "tune data.svm -a perceptron:margin=0|1 --class-weight balanced -o best";
    room.run(words).good();
    assert_eq!(
        room.json_inspect("best")["class_weights"]["balanced"],
        json!(true)
    );
    let grid = "tune data.svm --loss logistic --lambda 0.01,0.1 --folds 3";
    let plain = room.json(grid);
    let weighted = room.json(&format!("{grid} --class-weight +1=20"));
    assert_ne!(plain["runs"], weighted["runs"]);
}

#[test]
fn what_cannot_be_weighted() {
    let room = Room::with(&SHAPE.binary());
    let refused = |words: &str, parts: &[&str]| {
        room.run(words).refused(parts);
        assert!(!room.path("no").exists(), "{words}");
    };
    for command in ["train", "certify"] {
        refused(
            &format!("{command} data.svm -a romma --class-weight +1=2"),
            &[
                "--class-weight",
                "romma takes rows of weight 1 only",
                "perceptron",
            ],
        );
    }
    refused(
        "compare data.svm romma --class-weight +1=2",
        &["--class-weight", "romma takes rows of weight 1 only"],
    );
    refused(
        "train data.svm -a perceptron --class-weight 7=2 -o no",
        &["no row has the label `7`"],
    );
    for command in ["compare data.svm perceptron", "tune data.svm -a perceptron"] {
        refused(
            &format!("{command} --class-weight 7=2"),
            &["no row has the label `7`"],
        );
    }
    refused(
        "train data.svm -a perceptron --multilabel --class-weight +1=2",
        &["--class-weight", "several labels"],
    );
    for (bad, why) in [
        ("x", "is not LABEL=W"),
        ("=2", "is not LABEL=W"),
        ("a=0", "no number > 0"),
        ("-1=1e200", "1e100 times"),
        ("a=1,a=2", "a weight already"),
        ("@nowhere", "cannot be read"),
    ] {
        refused(
            &format!("train data.svm -a perceptron --class-weight {bad}"),
            &["--class-weight", why],
        );
    }
    let text = SHAPE.binary();
    for command in ["train -", "compare - perceptron", "tune -"] {
        let learner = if command.starts_with("compare") {
            ""
        } else {
            "-a perceptron"
        };
        room.pipe(
            &format!("{command} {learner} --class-weight balanced"),
            &text,
        )
        .refused(&["--class-weight", "files"]);
    }
}

#[test]
fn labels_that_no_row_has_are_refused_in_a_task_of_one_label_against_the_rest_too() {
    let text = SHAPE.many(4, 5);
    let room = Room::with(&text);
    let words = "train data.svm -a logistic --positive 2 --class-weight 2=3,zzz=9";
    room.run(&format!("{words} -o no"))
        .refused(&["no row has the label `zzz`", "--lenient"]);
    room.pipe(&words.replace("data.svm", "-"), &text)
        .refused(&["no row has the label `zzz`"]);
    assert!(!room.path("no").exists());
    let alone = room.json("train data.svm -a logistic --positive 2 --class-weight 2=3");
    let lenient = room.json(&format!("{words} --lenient"));
    assert_eq!(counts(&lenient), counts(&alone));
    // a label of the rest counts
    let other = room.json("train data.svm -a logistic --positive 2 --class-weight 2=3,1=9");
    assert_ne!(counts(&other), counts(&alone));
}

#[test]
fn half_of_a_stream_may_lack_a_label() {
    let text = SHAPE.many(3, 5);
    let (mut first, mut second) = (String::new(), String::new());
    for line in text.lines() {
        let half = if line.starts_with("2 ") {
            &mut second
        } else {
            &mut first
        };
        half.push_str(line);
        half.push('\n');
    }
    let room = Room::new();
    room.write("whole.svm", format!("{first}{second}"));
    room.write("first.svm", &first);
    room.write("second.svm", &second);
    let words = "-a averaged --class-weight 1=2,2=0.5 --lenient";
    room.run(&format!("train whole.svm {words} -o whole"))
        .good();
    room.run(&format!("train first.svm {words} --labels 0,1 -o no"))
        .good();
    let many = "-a averaged --class-weight 0=2,2=0.5 --lenient";
    room.pipe(&format!("train - {many} -o half"), &first).good();
    room.run("train second.svm --resume half -o resumed").good();
    room.pipe(
        &format!("train - {many} -o piped"),
        format!("{first}{second}"),
    )
    .good();
    assert_eq!(room.bytes("resumed"), room.bytes("piped"));
}
