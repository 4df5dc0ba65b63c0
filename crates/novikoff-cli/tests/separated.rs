//! `--until-separated`: passes go on until one has no mistake, whatever the rows come from and however the run was stopped.

use crate::common;

use common::Room;

const RUN: &str = "-a perceptron --until-separated";

fn rows(room: &Room, spec: &str) -> String {
    room.run(&format!("generate {spec} -o data.svm")).good();
    room.text("data.svm")
}

#[test]
fn a_file_a_pipe_and_epochs_by_hand_are_the_same() {
    let room = Room::new();
    let text = rows(&room, "separable:margin=0.02,rows=300");
    let file = room.json(&format!("train data.svm {RUN} -o file.model"));
    let piped = room.json_piped(&format!("train - {RUN} -o pipe.model"), &text);
    assert_eq!(file, piped);
    assert_eq!(file["separated"], true);
    let passes = file["epochs"].as_array().expect("epochs").len();
    assert_eq!(file["epochs"][passes - 1]["mistakes"], 0);
    assert!(passes > 2 && file["epochs"][passes - 2]["mistakes"] != 0);
    room.run(&format!(
        "train data.svm -a perceptron --epochs {passes} -o epochs.model -q"
    ))
    .good();
    assert_eq!(room.bytes("file.model"), room.bytes("epochs.model"));
    assert_eq!(room.bytes("file.model"), room.bytes("pipe.model"));
    let text = room.run(&format!("train data.svm {RUN} -q")).good().stdout;
    assert!(
        text.contains(&format!("separated  yes: epoch {passes} had no mistake")),
        "{text}"
    );
}

#[test]
fn there_is_a_limit_and_it_is_no_failure() {
    let room = Room::new();
    rows(&room, "separable:margin=0.1,noise=0.1,rows=100");
    let json = room.json(&format!("train data.svm {RUN} --epochs 5"));
    assert_eq!(json["separated"], false);
    assert_eq!(json["epochs"].as_array().map(Vec::len), Some(5));
    let json = room.json(&format!("train data.svm {RUN}"));
    assert_eq!(
        json["epochs"].as_array().map(Vec::len),
        Some(1000),
        "the default"
    );
    let text = room
        .run(&format!("train data.svm {RUN} --epochs 5 -q"))
        .good()
        .stdout;
    assert!(
        text.contains("separated  no: epoch 5, the last that was allowed, had"),
        "{text}"
    );
    // without the option nothing is said
    let json = room.json("train data.svm -a perceptron --epochs 5");
    assert_eq!(json.get("separated"), None);
    let json = room.json(&format!("train data.svm {RUN} --epochs 1"));
    assert_eq!(json["separated"], false);
}

#[test]
fn certificates_orders_and_comparisons() {
    let room = Room::new();
    rows(&room, "separable:margin=0.05,rows=200");
    let run = "certify data.svm -a romma --until-separated --json --trace t --save-comparator u";
    let done = room.run(run).good();
    room.write("cert.json", done.stdout.as_bytes());
    room.run("certify --check cert.json data.svm").good();
    let json = room.json("compare data.svm perceptron romma --until-separated --permutations 3");
    for run in json["runs"].as_array().expect("runs") {
        assert_eq!(run["separated"], true);
    }
    room.run("tune data.svm -a perceptron:margin=0|1 --until-separated")
        .refused(&["--until-separated"]);
}
