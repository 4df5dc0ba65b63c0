//! Models are the same bytes from a file and a pipe, with any number of threads, in one run or in two.

use crate::common;

use common::Room;
use common::data::Shape;
use novikoff::catalog::{CATALOG, Capabilities};
use novikoff::spec::Spec;

/// Every learner of the catalogue that does not need all rows first, and the variants that run other code. Winnow is
/// given the width, for half a file may be narrower; so is normalised Winnow.
const SPECS: &[&str] = &[
    "perceptron",
    "perceptron:margin=0.5",
    "averaged",
    "voted",
    "p-norm",
    "p-norm:p=2,margin=1",
    "winnow:theta=5",
    "balanced-winnow",
    "eg",
    "normalised-winnow:features=12",
    "normalised-winnow:eta=0.5,theta=0.3,features=40",
    "normalised-perceptron",
    "second-order",
    "second-order:form=primal,a=0.5",
    "second-order:form=dual,margin=0.1",
    "second-order:a=adaptive",
    "second-order:a=adaptive,form=primal",
    "second-order:a=adaptive,form=dual,margin=0.1",
    "second-order:a=pinv",
    "second-order:a=pinv,form=dual",
    "second-order:form=diagonal",
    "second-order:form=sketch,rank=3",
    "higher-order",
    "higher-order:form=primal,schedule=constant,c=0.2",
    "higher-order:form=dual,schedule=sparse,margin=0.1",
    "higher-order:form=implicit,schedule=cap",
    "higher-order:form=low-rank",
    "higher-order:p=4",
    "higher-order:p=4,form=primal",
    "alma",
    "alma:p=3,alpha=0.5",
    "passive-aggressive",
    "passive-aggressive:variant=pa",
    "passive-aggressive:variant=2,c=0.1",
    "romma",
    "romma:noise=0.5",
    "romma:aggressive",
    "romma:aggressive,noise=2",
    "romma:start=phi0",
    "max-margin",
    "max-margin:noise=0.5",
    "max-margin:start=phi0",
    "arow",
    "arow:form=full,r=0.5",
    "logistic",
    "logistic@bias=1",
    "forgetron:budget=4",
    "random-budget:budget=4,seed=2",
    "projectron:eta=0.3",
    "projectron:plus",
    "shifting",
    "selective",
    "selective:base=second-order,b=0.1,seed=3",
    "selective(second-order:a=0.5):b=0.1,seed=3@normalize=2,bias=1",
    "auto",
    "auto(perceptron;passive-aggressive@normalize=2,bias=1;romma)",
    "auto(averaged;perceptron:margin=1@bias=1;romma:aggressive):beta=0.7,share=0.02,cost=5",
];

/// What the catalogue says of a learner.
fn abilities(spec: &str) -> Capabilities {
    Spec::parse(spec).expect(spec).entry().can
}

#[test]
fn every_learner_is_examined() {
    let name = |spec: &&str| Spec::parse(spec).expect(spec).name();
    for entry in CATALOG {
        let listed = SPECS.iter().any(|spec| name(spec) == entry.name);
        assert!(listed || entry.can.needs_all_rows, "{}", entry.name);
        let listed = KERNEL_SPECS.iter().any(|spec| name(spec) == entry.name);
        assert_eq!(listed, entry.build_with.is_some(), "{}", entry.name);
    }
}

#[derive(Clone, Copy, Debug)]
enum Labels {
    Binary,
    Many,
    Multi,
}

const KINDS: [Labels; 3] = [Labels::Binary, Labels::Many, Labels::Multi];

/// Non-negative values, so that all learners can run. New classes appear to the end.
fn data(labels: Labels, rows: usize, ragged: bool) -> String {
    let shape = Shape {
        rows,
        positive: true,
        ragged,
        ..Shape::default()
    };
    match labels {
        Labels::Binary => shape.binary(),
        Labels::Many => shape.many(7, rows / 7),
        Labels::Multi => shape.multi(7, rows / 6),
    }
}

/// Trains from a file and from a pipe and compares all that is written; the model's bytes.
fn one_model(room: &Room, spec: &str, options: &str, what: &str) -> Vec<u8> {
    let text = room.text("data.svm");
    let words =
        |data, name| format!("train {data} -a {spec} -o {name} --trace {name}.trace {options}");
    let from_file = room.json(&words("data.svm", "file"));
    let from_pipe = room.json_piped(&words("-", "pipe"), &text);
    assert_eq!(from_file, from_pipe, "{spec} {options} {what}");
    assert!(
        room.bytes("file") == room.bytes("pipe"),
        "models differ: {spec} {options} {what}"
    );
    let traces = (room.bytes("file.trace"), room.bytes("pipe.trace"));
    assert!(
        traces.0 == traces.1,
        "traces differ: {spec} {options} {what}"
    );
    assert!(
        !traces.0.is_empty(),
        "{spec} {what}: a run without mistakes shows nothing"
    );
    room.bytes("file")
}

#[test]
fn files_and_pipes_give_the_same() {
    for labels in KINDS {
        let room = Room::with(&data(labels, 150, true));
        for spec in SPECS {
            one_model(&room, spec, "", &format!("{labels:?}"));
        }
        one_model(
            &room,
            "averaged",
            "--epochs 3 --shuffle 7 --bias 1",
            "shuffled",
        );
        one_model(&room, "arow", "--normalize 2 --bias 0.5", "normalised");
        for spec in ["romma:aggressive,noise=1", "max-margin:noise=1"] {
            one_model(&room, spec, "--epochs 3 --shuffle 7", "by id");
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for labels in KINDS {
        // several blocks of text
        let room = Room::with(&data(labels, 12_000, true));
        let size = room.bytes("data.svm").len();
        assert!(size > 3 << 18, "{size} bytes are too few");
        let one = one_model(&room, "averaged", "--threads 1", "");
        for threads in [2, 4] {
            let more = one_model(&room, "averaged", &format!("--threads {threads}"), "");
            assert!(one == more, "{threads} threads, {labels:?}");
        }
        let shuffled = |n| {
            let model = one_model(
                &room,
                "perceptron",
                &format!("--shuffle 1 --threads {n}"),
                "",
            );
            let margins = room
                .run(&format!("predict file data.svm --margins --threads {n}"))
                .good();
            (model, margins.stdout)
        };
        assert!(shuffled(1) == shuffled(2), "shuffled, {labels:?}");
        assert!(shuffled(1) == shuffled(4), "shuffled, {labels:?}");
    }
}

#[test]
fn comparisons_do_not_depend_on_threads_either() {
    let room = Room::with(&data(Labels::Many, 3000, true));
    let all = |options: &str| room.json(&format!("compare data.svm --permutations 2 {options}"));
    let one = all("--threads 1");
    let runs = one["runs"].as_array().map_or(0, Vec::len);
    assert!(runs > 10, "{runs} learners are compared");
    assert_eq!(one, all("--threads 2"));
    assert_eq!(one, all("--threads 4"));
    let text = room.text("data.svm");
    let words = "compare - perceptron eg arow";
    assert_eq!(
        room.json_piped(words, &text),
        room.json("compare data.svm perceptron eg arow")
    );
}

/// Cuts the text after some rows.
fn halves(text: &str, rows: usize) -> (&str, &str) {
    text.split_at(
        text.match_indices('\n')
            .nth(rows - 1)
            .expect("enough rows")
            .0
            + 1,
    )
}

/// Half a stream, saved, and the other half, against the whole: the models' bytes.
#[track_caller]
fn half_stream_law(labels: Labels, specs: &[&str], cuts: &[usize], options: &str) {
    let text = data(labels, 120, true);
    let room = Room::with(&text);
    let obeys = |spec: &&&str| abilities(spec).obeys_half_stream_law;
    for spec in specs.iter().filter(obeys) {
        let whole = room.json(&format!("train data.svm -a {spec} -o whole {options}"));
        for &cut in cuts {
            let (first, second) = halves(&text, cut);
            let words = format!("train - -a {spec} -o half -q {options}");
            room.pipe(&words, first).good();
            room.write("second.svm", second);
            let words = "train second.svm --resume half -o joined --json";
            let resumed = room.run(words).good().json();
            let what = format!("{spec} {options} {labels:?} cut after {cut}");
            assert!(room.bytes("joined") == room.bytes("whole"), "{what}");
            assert_eq!(resumed["total"]["mistakes"], whole["mistakes"], "{what}");
            assert_eq!(resumed["total"]["updates"], whole["updates"], "{what}");
            assert_eq!(resumed["total"]["rows"], 120, "{what}");
            assert_eq!(resumed["resumed"]["rows"], cut, "{what}");
        }
    }
}

#[test]
fn half_a_stream_and_the_other_half_are_the_whole_binary() {
    half_stream_law(Labels::Binary, SPECS, &[60], "");
    half_stream_law(
        Labels::Binary,
        &["averaged", "voted", "arow"],
        &[1, 119],
        "",
    );
    half_stream_law(Labels::Binary, SPECS, &[40], "--bias 1 --normalize 2");
}

#[test]
fn half_a_stream_and_the_other_half_are_the_whole_many_classes() {
    half_stream_law(Labels::Many, SPECS, &[60], "");
    half_stream_law(
        Labels::Many,
        &["averaged", "voted", "arow", "winnow:theta=5"],
        &[1, 20, 119],
        "",
    );
    half_stream_law(
        Labels::Many,
        &["averaged", "eg"],
        &[40],
        "--bias 1 --normalize 3",
    );
}

#[test]
fn half_a_stream_and_the_other_half_are_the_whole_multi_label() {
    half_stream_law(Labels::Multi, SPECS, &[60], "");
    half_stream_law(
        Labels::Multi,
        &["averaged", "voted", "arow", "alma"],
        &[1, 20, 119],
        "",
    );
    half_stream_law(
        Labels::Multi,
        &["averaged", "eg"],
        &[40],
        "--bias -1 --normalize inf",
    );
}

/// Passes end with epochs, in one run or in several.
#[test]
fn two_epochs_are_one_and_then_another() {
    for labels in KINDS {
        let room = Room::with(&data(labels, 120, true));
        for options in ["", "--bias 1", "--kernel poly:degree=2"] {
            let words = format!("train data.svm -a normalised-perceptron {options}");
            let both = room.json(&format!("{words} --epochs 2 -o both"));
            room.run(&format!("{words} -o once -q")).good();
            let second = room.json("train data.svm --resume once -o twice");
            assert_eq!(second["epochs"][0], both["epochs"][1], "{labels:?}");
            assert!(room.bytes("both") == room.bytes("twice"), "{labels:?}");
        }
    }
}

#[test]
fn ties_left_open_by_the_first_half_are_settled_in_the_second() {
    // exact values: many ties, classes in descending order
    let text = Shape {
        rows: 60,
        positive: true,
        width: 3,
        ..Shape::default()
    }
    .text(6, |row, class, _| {
        (9 - class % (row / 8 + 1).min(6)).to_string()
    });
    let room = Room::with(&text);
    let whole = room.json("train data.svm -a perceptron -o whole");
    for cut in 1..60 {
        let (first, second) = halves(&text, cut);
        room.pipe("train - -a perceptron -o half -q", first).good();
        let resumed = room.json_piped("train - --resume half -o joined", second);
        assert!(
            room.bytes("joined") == room.bytes("whole"),
            "cut after {cut}"
        );
        assert_eq!(
            resumed["total"]["mistakes"], whole["mistakes"],
            "cut after {cut}"
        );
    }
}

#[test]
fn standardised_models_go_on_with_their_own_moments() {
    let room = Room::with(&data(Labels::Binary, 80, true));
    room.run("train data.svm -a perceptron --standardize -o m")
        .good();
    let once = room.json("train data.svm --resume m -o again");
    let twice = room.json("train data.svm -a perceptron --standardize --epochs 2");
    assert_eq!(once["epochs"][0], twice["epochs"][1]);
}

#[test]
fn resuming_with_other_settings_is_refused() {
    let room = Room::with(&data(Labels::Binary, 50, false));
    let make = |name: &str, options: &str| {
        room.run(&format!("train data.svm -a p-norm:p=4 -o {name} {options}"))
            .good();
    };
    make("plain", "");
    make("biased", "--bias 1");
    make("normal", "--normalize 2");
    make("standard", "--standardize");
    let before: Vec<Vec<u8>> = room.files().iter().map(|name| room.bytes(name)).collect();
    for (model, options, parts) in [
        (
            "plain",
            "-a perceptron",
            ["-a p-norm:p=4", "not perceptron"],
        ),
        ("plain", "-a p-norm", ["-a p-norm:p=4", "not p-norm;"]),
        (
            "plain",
            "-a p-norm:p=auto",
            ["-a p-norm:p=4", "not p-norm:p=auto"],
        ),
        ("plain", "--bias 1", ["--bias off", "not 1"]),
        ("biased", "--bias 2", ["--bias 1", "not 2"]),
        ("plain", "--normalize 2", ["--normalize off", "not 2"]),
        ("normal", "--normalize inf", ["--normalize 2", "not inf"]),
        ("plain", "--standardize", ["--standardize off", "not on"]),
        (
            "plain",
            "--kernel gaussian",
            ["--kernel linear", "not gaussian:gamma=1"],
        ),
    ] {
        let done = room.run(&format!(
            "train data.svm --resume {model} -o {model} {options}"
        ));
        done.refused(&parts);
    }
    for (model, options) in [
        ("plain", "-a p-norm:margin=0,p=4.0"),
        ("biased", "--bias 1.0"),
        ("normal", "--normalize 2.0"),
        ("standard", "--standardize"),
        ("plain", "--bias off --normalize off --kernel linear"),
    ] {
        room.run(&format!("train data.svm --resume {model} {options}"))
            .good();
    }
    let after: Vec<Vec<u8>> = room.files().iter().map(|name| room.bytes(name)).collect();
    assert!(before == after, "a refused run changes no file");
}

#[test]
fn off_is_another_setting_too() {
    let room = Room::with(&data(Labels::Binary, 50, false));
    room.run("train data.svm -a perceptron -o biased --bias 1")
        .good();
    room.run("train data.svm -a perceptron -o normal --normalize 2")
        .good();
    room.run("train data.svm --resume biased --bias off")
        .refused(&["--bias 1, not off"]);
    room.run("train data.svm --resume normal --normalize off")
        .refused(&["--normalize 2, not off"]);
}

#[test]
fn resuming_meets_labels_as_the_model_knows_them() {
    let room = Room::with("1.0 1:1\n-1 2:1\n");
    room.run("train data.svm -a perceptron -o m").good();
    room.write("more.svm", "+1 1:-1\n-1.0 1:1\n");
    room.run("train more.svm --resume m -o m --trace trace")
        .good();
    assert!(
        room.text("trace").contains(r#""class":"1.0""#),
        "named as first written"
    );
    assert_eq!(
        room.run("predict m data.svm").good().stdout.lines().next(),
        Some("-1")
    );
    room.write("more.svm", "3 1:1\n");
    let model = room.bytes("m");
    room.run("train more.svm --resume m -o m")
        .refused(&["more.svm:1: label 3", "-1 and 1.0"]);
    assert_eq!(room.bytes("m"), model);
}

/// Learners that go with kernels.
const KERNEL_SPECS: &[&str] = &[
    "perceptron",
    "averaged",
    "voted",
    "normalised-perceptron",
    "passive-aggressive",
    "romma",
    "romma:aggressive,noise=1",
    "max-margin",
    "max-margin:noise=1",
    "second-order",
    "second-order:a=0.5,margin=0.1",
    "second-order:a=adaptive",
    "second-order:a=adaptive,r2=3,margin=0.1",
    "second-order:a=pinv",
    "second-order:a=pinv,margin=0.1",
    "higher-order",
    "higher-order:schedule=sparse,margin=0.1",
    "forgetron:budget=4",
    "random-budget:budget=4,seed=2",
    "projectron:eta=0.3",
    "projectron:plus",
    "auto(perceptron;passive-aggressive@normalize=2;second-order)",
    "shifting",
    "selective",
    "selective:base=second-order,b=0.1,seed=3",
    "selective(second-order:a=0.5):b=0.1,seed=3@normalize=2,bias=1",
    "auto(perceptron;passive-aggressive@normalize=2,bias=1;romma)",
    "auto(averaged;perceptron:margin=1@bias=1;romma:aggressive):beta=0.7,share=0.02,cost=5",
];

#[test]
fn kernel_learners_obey_the_half_stream_law() {
    half_stream_law(
        Labels::Binary,
        KERNEL_SPECS,
        &[40],
        "--kernel gaussian --bias 1",
    );
    half_stream_law(
        Labels::Many,
        KERNEL_SPECS,
        &[40],
        "--kernel poly:degree=2,cosine",
    );
}
