//! `solve --class-weight`: rows of a label count several times, as if they were repeated.

use crate::common;

use common::data::Shape;
use common::{Room, lines};
use serde_json::Value;

/// A problem with a unique solution, nearly exact.
const SOLVE: &str = "--loss squared-hinge --gap 1e-12 -q";

fn label(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// The rows, each as often as `times` says.
fn repeated(text: &str, times: impl Fn(&str) -> usize) -> String {
    let lines = text.lines().map(|line| {
        let line = line.to_owned() + "\n";
        line.repeat(times(label(&line)))
    });
    lines.collect()
}

/// The weights of every class, by what `inspect` calls them.
fn weights(room: &Room, model: &str) -> Vec<(String, f64)> {
    let shown = room.run(&format!("inspect {model} --weights")).good();
    let mut list: Vec<(String, f64)> = shown
        .stdout
        .lines()
        .map(|line| {
            let (name, weight) = line.rsplit_once('\t').expect("two columns");
            (name.to_owned(), weight.parse().expect("a number"))
        })
        .collect();
    list.sort_by(|a, b| a.0.cmp(&b.0));
    list
}

#[track_caller]
fn same_weights(room: &Room, a: &str, b: &str) {
    let (of_a, of_b) = (weights(room, a), weights(room, b));
    assert!(!of_a.is_empty());
    assert_eq!(of_a.len(), of_b.len(), "{a} and {b}");
    for ((name, a), (other, b)) in of_a.iter().zip(&of_b) {
        assert_eq!(name, other);
        assert!((a - b).abs() < 1e-6, "{name}: {a}, {b}");
    }
}

/// Solves with weights, and repeated rows; lambda is that of as many rows.
fn assert_like_repeating(text: &str, words: &str, given: &str, times: impl Fn(&str) -> usize) {
    let more = repeated(text, times);
    let (n, m) = (text.lines().count() as f64, more.lines().count() as f64);
    assert!(m > n);
    let room = Room::with(text);
    room.write("more.svm", &more);
    let (lambda, less) = (0.01, 0.01 * n / m);
    let a = room.json(&format!(
        "solve data.svm {SOLVE} {words} --lambda {lambda} --class-weight {given} -o a"
    ));
    let b = room.json(&format!(
        "solve more.svm {SOLVE} {words} --lambda {less} -o b"
    ));
    same_weights(&room, "a", "b");
    let primal = |json: &Value| json["primal"].as_f64();
    if let (Some(a), Some(b)) = (primal(&a), primal(&b)) {
        assert!((a - b * m / n).abs() < 1e-9, "{a}, {b}");
    }
    room.run(&format!(
        "solve data.svm {SOLVE} {words} --lambda {lambda} -o plain"
    ))
    .good();
    assert!(room.bytes("plain") != room.bytes("a"), "weights matter");
}

#[test]
fn a_weight_is_so_many_rows() {
    let shape = Shape::default();
    let times = |label: &str| if label == "-1" { 3 } else { 1 };
    for words in ["", "--bias free", "--bias 1", "--normalize 2"] {
        assert_like_repeating(&shape.binary(), words, "-1=3", times);
    }
    let many = shape.many(4, 1);
    let times = |label: &str| match label {
        "2" => 3,
        "0" => 2,
        _ => 1,
    };
    assert_like_repeating(&many, "", "0=2,2.0=3", times);
    // one label against the rest, whose labels still have weights of their own
    assert_like_repeating(&many, "--positive 1", "2=3,0=2", times);
}

#[test]
fn weights_of_rows_and_of_labels_multiply() {
    let room = Room::new();
    room.write(
        "both.vw",
        "1 2 | a:1 b:0.5\n-1 | a:1\n-1 3 | b:1\n1 | a:0.2 b:-1\n",
    );
    room.write(
        "rows.vw",
        "1 4 | a:1 b:0.5\n-1 | a:1\n-1 3 | b:1\n1 2 | a:0.2 b:-1\n",
    );
    let words = format!("{SOLVE} --lambda 0.1");
    room.run(&format!("solve both.vw {words} --class-weight 1=2 -o a"))
        .good();
    room.run(&format!("solve rows.vw {words} -o b")).good();
    same_weights(&room, "a", "b");
}

#[test]
fn balanced_is_n_over_classes_times_count() {
    for text in [Shape::default().binary(), Shape::default().many(4, 1)] {
        let n = text.lines().count() as f64;
        let mut labels: Vec<&str> = text.lines().map(label).collect();
        labels.sort_unstable();
        labels.dedup();
        let of = |wanted: &str| text.lines().filter(|line| label(line) == wanted).count() as f64;
        let given: Vec<String> = labels
            .iter()
            .map(|label| format!("{label}={}", n / (labels.len() as f64 * of(label))))
            .collect();
        let room = Room::with(&text);
        let solve = |weight: &str| {
            let words = format!("solve data.svm {SOLVE} --lambda 0.01 --class-weight");
            room.json(&format!("{words} {weight}"))
        };
        assert_eq!(solve("balanced"), solve(&given.join(",")));
    }
}

/// Each label is a problem of its own, and a row's weight there is that of the side it is on.
#[test]
fn of_several_labels_each_has_its_own_problem() {
    let text = Shape::default().multi(4, 1);
    let has = |line: &str, wanted: &str| label(line).split(',').any(|label| label == wanted);
    let room = Room::with(&text);
    let words = format!("{SOLVE} --lambda 0.01 --multilabel");
    let given = room.json(&format!("solve data.svm {words} --class-weight 1=3"));
    let balanced = room.json(&format!("solve data.svm {words} --class-weight balanced"));
    let classes = given["classes"].as_array().expect("classes");
    for (k, class) in classes.iter().enumerate() {
        let name = class["class"].as_str().expect("a name");
        let alone = lines(text.lines().map(|line| {
            let rest = line.split_once(' ').map_or("", |(_, rest)| rest);
            format!("{} {rest}", if has(line, name) { "+1" } else { "-1" })
        }));
        room.write("alone.svm", alone);
        let one = |weight: &str| {
            let words = format!("solve alone.svm {SOLVE} --lambda 0.01 {weight}");
            room.json(&words)["primal"].as_f64().expect("a number")
        };
        let plain = if name == "1" {
            "--class-weight +1=3"
        } else {
            ""
        };
        for (all, weight) in [(&given, plain), (&balanced, "--class-weight balanced")] {
            let primal = all["classes"][k]["primal"].as_f64().expect("a number");
            assert!((primal - one(weight)).abs() < 1e-9, "{name} {weight}");
        }
    }
}

#[test]
fn bad_weights_are_refused() {
    let room = Room::with(&Shape::default().binary());
    for (weight, parts) in [
        ("+1", ["`+1` is not LABEL=W", "or balanced"]),
        ("=2", ["`=2` is not LABEL=W", "or balanced"]),
        ("+1=", ["no number > 0", "LABEL=W"]),
        ("+1=0", ["no number > 0", "LABEL=W"]),
        ("+1=-2", ["no number > 0", "LABEL=W"]),
        ("+1=nan", ["no number > 0", "LABEL=W"]),
        ("+1=inf", ["no number > 0", "LABEL=W"]),
        ("-1=2,+1=x", ["`+1=x`", "no number > 0"]),
        ("1=2,+1=3", ["`+1=3`", "has a weight already"]),
        ("7=2", ["no row has the label `7`", "labels of the data"]),
        ("", ["`` is not LABEL=W", "or balanced"]),
    ] {
        let words = format!("solve data.svm --lambda 1 --class-weight={weight}");
        room.run(&words).refused(&parts);
    }
    room.run("solve data.svm --loss squared --lambda 1 --class-weight balanced")
        .refused(&["class weights: squared predicts numbers"]);
    room.write("heavy.vw", "1 1e30 | a:1\n-1 | b:1\n");
    room.run("solve heavy.vw --lambda 1 --class-weight 1=1e300")
        .refused(&["heavy.vw:1:", "is no longer a finite number"]);
}
