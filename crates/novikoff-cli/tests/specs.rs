//! Specs with learners in parentheses and with rows of their own.

use crate::common;

use std::fmt::Write as _;

use common::Room;
use serde_json::Value;

/// What a run did, without its spec and its time.
fn deeds(room: &Room, words: &str) -> Value {
    let mut report = room.json(words);
    let object = report.as_object_mut().expect("an object");
    object.remove("spec");
    object.remove("seconds");
    report
}

fn rows() -> String {
    let mut text = String::new();
    for i in 0..60 {
        let (a, b) = ((i * 7) % 11, (i * 5) % 13);
        let label = if 2 * a > b + 3 { "+1" } else { "-1" };
        // writing to a String cannot fail
        let _ = writeln!(text, "{label} 1:{a} 2:{b} 3:{}", i % 3);
    }
    text
}

#[test]
fn a_base_in_parentheses_is_the_key_base() {
    let room = Room::with(&rows());
    let new = "train data.svm -a selective(second-order:a=0.5):b=30,seed=3 -o new";
    let old = "train data.svm -a selective:base=second-order,a=0.5,b=30,seed=3 -o old";
    let (a, b) = (deeds(&room, new), deeds(&room, old));
    assert_eq!(a, b);
    assert!(a["updates"].as_u64() > Some(3), "{a}");
    let margins = |model: &str| {
        room.run(&format!("predict {model} data.svm --margins"))
            .good()
            .stdout
    };
    assert_eq!(margins("new"), margins("old"));
    // the other spelling resumes either
    room.run(
        "train data.svm -a selective:base=second-order,a=0.5,b=30,seed=3 --resume new -o on -q",
    )
    .good();
}

#[test]
fn a_spec_prepares_its_rows() {
    let room = Room::with(&rows());
    for (with, as_if) in [
        ("perceptron@bias=2", "perceptron --bias 2"),
        ("perceptron@bias=2 --bias 3", "perceptron --bias 2"),
        ("perceptron@bias=off --bias 3", "perceptron"),
        ("perceptron@normalize=2", "perceptron --normalize 2"),
        (
            "perceptron:margin=0.1@normalize=inf,bias=1 --normalize 2",
            "perceptron:margin=0.1 --normalize inf --bias 1",
        ),
        ("higher-order@normalize=off", "higher-order --normalize off"),
        (
            "higher-order@normalize=off --kernel poly:degree=2",
            "higher-order --normalize off --kernel poly:degree=2",
        ),
    ] {
        for command in ["train", "certify"] {
            let [with, as_if] =
                [with, as_if].map(|words| deeds(&room, &format!("{command} data.svm -a {words}")));
            assert_eq!(with, as_if, "{command}");
        }
    }
    let plain = deeds(&room, "train data.svm -a perceptron");
    assert_ne!(plain, deeds(&room, "train data.svm -a perceptron@bias=2"));
}

#[test]
fn a_prepared_model_goes_on_and_predicts() {
    let room = Room::with(&rows());
    room.run("train data.svm -a perceptron@bias=2,normalize=2 -o m -q")
        .good();
    room.run("train data.svm -a perceptron --bias 2 --normalize 2 -o n -q")
        .good();
    let margins = |model: &str| {
        room.run(&format!("predict {model} data.svm --margins"))
            .good()
            .stdout
    };
    assert_eq!(margins("m"), margins("n"));
    for words in ["", "-a perceptron@normalize=2,bias=2", "--bias 7"] {
        room.run(&format!("train data.svm --resume m -o on -q {words}"))
            .good();
    }
    room.run("train data.svm -a perceptron --resume m -o on -q")
        .refused(&["trained with -a perceptron@bias=2,normalize=2, not perceptron"]);
    let inspected = room.run("inspect m").good().stdout;
    assert!(
        inspected.contains("perceptron@bias=2,normalize=2"),
        "{inspected}"
    );
}

#[test]
fn compared_learners_have_their_own_rows() {
    let room = Room::with(&rows());
    let words = "compare data.svm perceptron@normalize=2,bias=1 romma@bias=0.5 averaged voted@bias=off --bias 1";
    let report = room.json(words);
    let runs = report["runs"].as_array().expect("runs");
    for (run, alone) in runs.iter().zip([
        "perceptron --normalize 2 --bias 1",
        "romma --bias 0.5",
        "averaged --bias 1",
        "voted",
    ]) {
        let alone = room.json(&format!("train data.svm -a {alone}"));
        assert_eq!(run["mistakes"], alone["mistakes"]);
    }
    assert_eq!(runs.len(), 4);
}

#[test]
fn grids_go_into_parentheses() {
    let room = Room::with(&rows());
    let report = room.json("tune data.svm -a selective(second-order:a=0.1|1):b=1..100*3");
    let tried = report["runs"].as_array();
    let specs: Vec<&str> = tried
        .unwrap_or_else(|| panic!("{report}"))
        .iter()
        .map(|one| one["spec"].as_str().expect("a spec"))
        .collect();
    assert_eq!(specs.len(), 6);
    assert_eq!(specs[0], "selective(second-order:a=0.1):b=1");
    assert_eq!(specs[5], "selective(second-order:a=1):b=100");
    let command = report["command"].as_str().expect("a command");
    assert!(
        command.contains("-a 'selective(second-order:a="),
        "{command}"
    );
    let both = room.json("tune data.svm -a perceptron@normalize=off|2");
    assert_eq!(both["runs"].as_array().map(Vec::len), Some(2));
}
