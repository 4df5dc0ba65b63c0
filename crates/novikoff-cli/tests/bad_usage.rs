//! Bad words, models and outputs: exit code 2, a message, and nothing changed on disk.

use crate::common;

use std::io::Read as _;
use std::process::Stdio;

use common::Room;
use common::data::Shape;

const DATA: &str = "+1 1:1\n-1 2:1\n";

/// Words, and what is said of them.
const BAD_WORDS: &[(&str, &[&str])] = &[
    (
        "train d.svm -a percepton",
        &[
            "no learner is called `percepton` (did you mean `perceptron`?)",
            "averaged, voted, p-norm",
        ],
    ),
    (
        "train d.svm -a perceptron:marign=1",
        &["perceptron has no key `marign` (did you mean `margin`?); its keys are margin"],
    ),
    (
        "train d.svm -a voted:x=1",
        &["voted has no key `x`; it takes no keys"],
    ),
    (
        "train d.svm -a p-norm:p=1.5",
        &["p-norm: p = 1.5: must be >= 2 and <= 1000000, or auto; the default is 8"],
    ),
    ("train d.svm -a eg:eta=nan", &["eg: eta = nan: must be > 0"]),
    (
        "train d.svm -a perceptron:margin=-1",
        &["margin = -1: must be >= 0; the default is 0"],
    ),
    (
        "train d.svm -a passive-aggressive:variant=3",
        &["variant = 3: must be pa|1|2; the default is 1"],
    ),
    ("train d.svm -a arow:r", &["arow: `r` needs a value"]),
    ("train d.svm -a eg:eta=1,eta=2", &["`eta` is given twice"]),
    (
        "train d.svm -a perceptron --kernel gausian",
        &[
            "--kernel: no kernel is called `gausian` (did you mean `gaussian`?); the kernels are linear, poly, gaussian",
        ],
    ),
    (
        "train d.svm -a arow --kernel rbf:gamma=auto",
        &["arow with the kernel gaussian:gamma=auto: it needs the features themselves"],
    ),
    (
        "train d.svm -a second-order --kernel rbf:gamma=auto --use averaged",
        &["the learner second-order with the kernel gaussian:gamma=auto offers "],
    ),
    (
        "train d.svm -a perceptron --kernel poly:degre=2",
        &[
            "--kernel: poly has no key `degre` (did you mean `degree`?); its keys are degree, coef0, gamma, cosine",
        ],
    ),
    (
        "train d.svm -a selective(second-order",
        &["`selective(second-order`: this `(` is not closed (character 10)"],
    ),
    (
        "train d.svm -a perceptron;averaged",
        &["`;` separates specs inside parentheses"],
    ),
    (
        "train d.svm -a perceptron@bias=1@bias=2",
        &["`@` comes twice (character 18)"],
    ),
    (
        "train d.svm -a second-order:a=1|2",
        &[
            "`1|2` is a list of values, which a grid has (character ",
            "); give one value, or use `tune`",
        ],
    ),
    (
        "train d.svm -a perceptron@bias=one",
        &["perceptron: bias = one: must be off or a number"],
    ),
    (
        "train d.svm -a auto(perceptron;averagd)",
        &["no learner is called `averagd` (did you mean `averaged`?)"],
    ),
    (
        "tune d.svm -a selective(second-order:a=1..2):b=1",
        &["-a selective(second-order:a=1..2):b=1: a: `1..2`: how many values is not said"],
    ),
    (
        "train d.svm -a p-norm --kernel poly",
        &["p-norm with the kernel poly:degree=3,coef0=1,gamma=1: it needs the features themselves"],
    ),
    (
        "train d.svm -a perceptron --bias nan",
        &["--bias nan: must be off or a number"],
    ),
    (
        "train d.svm -a perceptron --bias inf",
        &["--bias inf: must be off or a number"],
    ),
    (
        "train d.svm -a perceptron --bias 1e39",
        &["--bias 1e39: must be off or a number"],
    ),
    (
        "train d.svm -a perceptron --bias on",
        &["--bias on: must be off or a number"],
    ),
    (
        "train d.svm -a perceptron --normalize 0.5",
        &["--normalize 0.5: must be off, inf or a number >= 1"],
    ),
    (
        "train d.svm -a perceptron --normalize nan",
        &["--normalize nan: must be off, inf or a number >= 1"],
    ),
    (
        "train d.svm -a perceptron --labels 1",
        &["--labels 1: must be two different labels"],
    ),
    (
        "train d.svm -a perceptron --labels 1,1.0",
        &["must be two different labels"],
    ),
    (
        "train d.svm -a perceptron --labels 1,2,3",
        &["must be two different labels"],
    ),
    (
        "train d.svm -a perceptron --labels 1,2 --positive 1",
        &["--labels", "--positive"],
    ),
    (
        "train d.svm -a perceptron --multilabel --positive 1",
        &["--multilabel", "--positive"],
    ),
    ("train d.svm -a perceptron --epochs 0", &["--epochs"]),
    (
        "train d.svm -a perceptron --permutations 0",
        &["--permutations"],
    ),
    (
        "train d.svm -a perceptron --permutations 2 -o m",
        &["--permutations", "-o"],
    ),
    (
        "train d.svm -a perceptron --permutations 2 --trace t",
        &["--permutations", "--trace"],
    ),
    (
        "train d.svm -a perceptron --use voted",
        &["--use voted: the learner perceptron offers final"],
    ),
    (
        "train d.svm -a averaged --use voted",
        &["--use voted: the learner averaged offers averaged, final"],
    ),
    (
        "train d.svm -a perceptron --use last",
        &["best", "final, averaged, voted"],
    ),
    ("train d.svm -a perceptron --nonsense", &["--nonsense"]),
    ("train -a perceptron", &["DATA"]),
    (
        "compare d.svm percepton",
        &["no learner is called `percepton`"],
    ),
    ("", &["Usage"]),
    ("learn d.svm", &["learn"]),
    (
        "train d.svm --resume missing",
        &["missing: cannot read it", "check the path"],
    ),
];

#[test]
fn wrong_words_are_refused_before_data_is_read() {
    let room = Room::new();
    for (words, parts) in BAD_WORDS {
        room.run(words).refused(parts);
        assert!(room.files().is_empty(), "{words}");
    }
}

#[test]
fn outputs_that_cannot_be_written_are_refused() {
    let room = Room::with(DATA);
    std::fs::create_dir(room.path("folder")).expect("a directory");
    let before = room.files();
    for (words, parts) in [
        (
            "train data.svm -a perceptron -o no/model",
            [
                "no/model: cannot create a file in its directory",
                "check the path",
            ],
        ),
        (
            "train data.svm -a perceptron -o folder",
            ["folder: not a regular file", "name a file"],
        ),
        (
            "train data.svm -a perceptron --trace no/trace",
            [
                "no/trace: cannot create a file in its directory",
                "check the path",
            ],
        ),
        (
            "train data.svm -a perceptron --trace folder",
            ["folder: not a regular file", "name a file"],
        ),
        (
            "generate ellipse:rows=2 -o no/file",
            [
                "no/file: cannot create a file in its directory",
                "check the path",
            ],
        ),
        (
            "generate ellipse:rows=2 -o folder",
            ["folder: not a regular file", "name a file"],
        ),
    ] {
        room.run(words).refused(&parts);
        assert_eq!(room.files(), before, "{words}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_never_replaced_by_one() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    for (option, data) in [
        ("-o", "train data.svm -a perceptron"),
        ("--trace", "train data.svm -a perceptron"),
        ("-o", "generate ellipse:rows=2"),
    ] {
        let room = Room::with(DATA);
        let made = std::process::Command::new("mkfifo")
            .arg(room.path("fifo"))
            .status();
        assert!(made.expect("mkfifo").success());
        let done = room.run(&format!("{data} {option} fifo"));
        let kind = std::fs::symlink_metadata(room.path("fifo"))
            .expect("still there")
            .file_type();
        assert!(
            kind.is_fifo(),
            "{}: a pipe (or /dev/null) was replaced by a file",
            done.words
        );
        done.refused(&["fifo: not a regular file"]);
        // through a link the file it points to is written
        room.write("target", "old");
        symlink("target", room.path("link")).expect("a link");
        room.run(&format!("{data} {option} link")).good();
        let kind = std::fs::symlink_metadata(room.path("link"))
            .expect("still there")
            .file_type();
        assert!(
            kind.is_symlink(),
            "{data} {option}: a link was replaced by a file"
        );
        assert_ne!(room.bytes("target"), b"old", "{data} {option}");
    }
}

#[test]
fn a_test_file_that_is_not_there_is_noticed_before_anything_is_saved() {
    let room = Room::with(DATA);
    room.write("model", "old");
    let before = room.files();
    for (test, part) in [
        ("missing.svm", "missing.svm: no such file"),
        (".", ".: has files and no sub-folders"),
    ] {
        for words in [
            "compare data.svm perceptron",
            "train data.svm -a perceptron -o model",
        ] {
            room.run(&format!("{words} --test {test}")).refused(&[part]);
            assert!(
                room.bytes("model") == b"old",
                "{words} --test {test}: saved all the same"
            );
            assert_eq!(room.files(), before, "{words}");
        }
    }
}

#[test]
fn a_test_needs_good_rows_with_labels() {
    let room = Room::with(DATA);
    room.write("unlabelled.svm", "+1 1:1\n? 1:1\n");
    room.write("bad.svm", "+1 1:1\n+1 1:x\n");
    for (test, part) in [
        (
            "unlabelled.svm",
            "unlabelled.svm:2: no label, but learning and testing need one on every row",
        ),
        ("bad.svm", "bad.svm:2:6: value \"x\""),
    ] {
        for words in [
            "compare data.svm perceptron",
            "train data.svm -a perceptron",
            "train data.svm -a perceptron --permutations 2",
        ] {
            room.run(&format!("{words} --test {test}")).refused(&[part]);
        }
    }
}

#[test]
fn files_that_are_no_models_are_refused() {
    let room = Room::with(DATA);
    room.write("empty", "");
    room.write("zeros", [0; 100]);
    room.write("words", "hello");
    for (model, part) in [
        ("data.svm", "not a novikoff model but svmlight text"),
        ("empty", "not a novikoff model but an empty file"),
        ("zeros", "not a novikoff model but a file of zeros"),
        ("words", "not a novikoff model but text"),
        (".", "not a regular file"),
        ("missing", "cannot read it"),
    ] {
        for words in [
            format!("predict {model} data.svm"),
            format!("inspect {model}"),
            format!("train data.svm --resume {model} -o out"),
        ] {
            room.run(&words)
                .refused(&[&format!("novikoff: {model}: "), part]);
        }
    }
    assert!(!room.files().contains(&"out".to_owned()));
}

#[test]
fn every_flipped_byte_of_a_model_is_noticed() {
    let room = Room::with("1 1:1\n2 2:1\n3 1:-1 2:0.5\n");
    room.run("train data.svm -a averaged --bias 1 -o model")
        .good();
    let model = room.bytes("model");
    assert!(model.len() > 300, "{} bytes", model.len());
    for at in 0..model.len() {
        let mut damaged = model.clone();
        damaged[at] ^= 1 << (at % 8);
        room.write("model", &damaged);
        room.run("predict model data.svm")
            .refused(&["novikoff: model: "]);
    }
}

#[test]
fn every_cut_of_a_model_is_noticed() {
    let room = Room::with(DATA);
    room.run("train data.svm -a voted -o model").good();
    let model = room.bytes("model");
    for length in 0..model.len() {
        room.write("model", &model[..length]);
        room.run("predict model data.svm")
            .refused(&["novikoff: model: "]);
    }
    room.write("model", [&model[..], b"\0"].concat());
    room.run("inspect model").refused(&["novikoff: model: "]);
    room.run("train data.svm --resume model -o model")
        .refused(&["novikoff: model: "]);
    assert_eq!(
        room.bytes("model").len(),
        model.len() + 1,
        "and it is left as it was"
    );
}

/// Starts a command, reads a little of its output, and goes away.
fn reads_a_little(room: &Room, words: &str) {
    let mut child = room
        .command(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut out = child.stdout.take().expect("a pipe");
    let mut first = [0; 10];
    out.read_exact(&mut first).expect("some output");
    drop(out);
    let done = child.wait_with_output().expect("the command ends");
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert_eq!((done.status.code(), &*stderr), (Some(0), ""), "{words}");
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let room = Room::with(
        &Shape {
            rows: 30_000,
            ..Shape::default()
        }
        .binary(),
    );
    room.run("train text:rows=2000,features=40000 -a perceptron -o model -q")
        .good();
    reads_a_little(&room, "predict model data.svm --margins -q");
    reads_a_little(&room, "generate text:rows=20000");
    reads_a_little(&room, "inspect model --weights");
    reads_a_little(&room, "compare --help");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let room = Room::with(DATA);
    room.run("train data.svm -a perceptron -o model").good();
    for words in [
        "train data.svm -a perceptron -q",
        "train data.svm -a perceptron --json",
        "compare data.svm perceptron",
        "predict model data.svm",
        "inspect model",
        "inspect model --weights",
        "generate ellipse:rows=2",
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full");
        let done = room
            .command(words)
            .stdin(Stdio::null())
            .stdout(full)
            .output()
            .expect("it runs");
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words}: {stderr}");
        assert!(
            stderr.contains("cannot write the output: No space left"),
            "{words}: {stderr}"
        );
    }
}
