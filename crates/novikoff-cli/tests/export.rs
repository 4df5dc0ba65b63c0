//! `export`: what is written, and what is refused. `tests/peers/test_onnx.py` runs the graphs.

use crate::common;

use common::data::Shape;
use common::{Room, lines};

fn room() -> Room {
    Room::with(&Shape::default().binary())
}

/// Whether a file has these bytes somewhere.
fn has(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

#[test]
fn a_graph_has_its_inputs_outputs_and_metadata() {
    let room = room();
    room.run("train data.svm -a averaged --bias 1 -o model")
        .good();
    let done = room.run("export model -o model.onnx").good();
    let bytes = room.bytes("model.onnx");
    let size = bytes.len();
    assert_eq!(done.stdout, "");
    assert_eq!(
        done.stderr,
        format!("exported to model.onnx, {size} bytes\n")
    );
    for word in [
        "features",
        "label",
        "margins",
        "MatMul",
        "first_feature",
        "[\"-1\",\"+1\"]",
    ] {
        assert!(has(&bytes, word), "{word}");
    }
    assert!(!has(&bytes, "probabilities") && !has(&bytes, "ai.onnx.ml"));
    // ir_version 8, by the first field of the message
    assert_eq!(bytes[..2], [8, 8]);
    assert_eq!(room.run("export model -o model.onnx -q").good().stderr, "");
    assert_eq!(room.bytes("model.onnx"), bytes, "the same bytes");
}

#[test]
fn operators_and_predictors_are_chosen() {
    let room = room();
    room.run("train data.svm -a voted -o model -q").good();
    room.run("export model --use final -o final.onnx -q").good();
    room.run("export model --use averaged -o averaged.onnx -q")
        .good();
    assert_ne!(room.bytes("final.onnx"), room.bytes("averaged.onnx"));
    room.run("export model --use final --ops ml -o ml.onnx -q")
        .good();
    let ml = room.bytes("ml.onnx");
    assert!(has(&ml, "ai.onnx.ml") && has(&ml, "LinearRegressor"));
    room.run("calibrate model data.svm --use averaged -o calibrated -q")
        .good();
    room.run("export calibrated --use averaged -o chances.onnx -q")
        .good();
    assert!(has(&room.bytes("chances.onnx"), "probabilities"));
    room.run("export calibrated --use final -o margins.onnx -q")
        .good();
    assert!(!has(&room.bytes("margins.onnx"), "probabilities"));
}

#[test]
fn what_is_no_sum_is_refused() {
    let room = room();
    room.run("train data.svm -a voted -o voted -q").good();
    room.run("export voted -o voted.onnx").refused(&[
        "voted: the voted predictor of voted is no sum over features or stored rows; use --use averaged",
    ]);
    room.run("train data.svm -a perceptron -o model -q").good();
    room.run("export model --use voted -o x.onnx")
        .refused(&["--use voted: the learner perceptron offers final"]);
    room.run("train data.svm -a perceptron --hash 8 -o hashed -q")
        .good();
    room.run("export hashed -o x.onnx").refused(&[
        "hashed: the model's features are hashed slots",
        "leave --hash out",
    ]);
    let texts =
        "{\"subject\":\"buy now\",\"y\":\"spam\"}\n{\"subject\":\"see you\",\"y\":\"ham\"}\n";
    room.write("texts.jsonl", texts);
    room.run("train texts.jsonl --label y --text subject -a perceptron -o text -q")
        .good();
    room.run("export text -o x.onnx").refused(&[
        "text: the words of text columns (subject) are split and weighted by the reader of rows",
        "train on columns of numbers and categories",
    ]);
    let written = room.files();
    assert!(
        !written.iter().any(|name| name.contains("onnx")),
        "{written:?}"
    );
}

#[test]
fn models_that_know_nothing_are_refused() {
    let room = Room::with("+1 1:0\n+1 1:0\n");
    room.run("train data.svm -a perceptron --kernel gaussian -o model -q")
        .good();
    room.run("export model -o x.onnx").refused(&[
        "model: the model has no rows to compare with: it has learned nothing yet; train it first",
    ]);
    room.write("empty.svm", "+1\n-1\n");
    room.run("train empty.svm -a perceptron -o nothing -q")
        .good();
    room.run("export nothing -o x.onnx")
        .refused(&["nothing: the model has met no feature yet; train it first"]);
}

#[test]
fn a_file_of_two_gigabytes_is_refused_before_it_is_made() {
    let room = Room::new();
    // fifty rows of a hundred million columns each would be stored as a dense matrix
    let rows =
        (1..=50).map(|i| format!("{}1 {i}:1 100000000:1", if i % 2 == 0 { '+' } else { '-' }));
    let rows = lines(rows);
    room.write("wide.svm", rows);
    room.run("train wide.svm -a perceptron --kernel poly -o wide -q")
        .good();
    room.run("export wide -o x.onnx")
        .refused(&["wide: the file would take", "an ONNX file has at most 2 GB"]);
    assert_eq!(room.files(), ["wide", "wide.svm"]);
}

#[test]
fn files_are_whole_or_not_there() {
    let room = room();
    room.run("train data.svm -a perceptron -o model -q").good();
    let before = room.bytes("model");
    room.run("export model -o model")
        .refused(&["model: is the model, which the export would replace; give another name"]);
    assert_eq!(room.bytes("model"), before);
    room.run("export nowhere -o x.onnx").refused(&["nowhere"]);
    room.run("export model -o nowhere/x.onnx")
        .refused(&["nowhere/x.onnx: cannot create a file in its directory"]);
    room.run("export data.svm -o x.onnx").refused(&["data.svm"]);
    room.write("broken", &before[..before.len() - 3]);
    room.run("export broken -o x.onnx").refused(&["broken"]);
    assert_eq!(room.files(), ["broken", "data.svm", "model"]);
}
