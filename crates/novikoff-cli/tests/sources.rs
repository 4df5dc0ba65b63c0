//! Where rows come from: widths, several files, zero rows, built-in data.

use crate::common;

use common::data::Shape;
use common::{Room, counts, lines};
use serde_json::{Value, json};

#[test]
fn auto_values_come_from_the_file_or_from_features() {
    let text = Shape {
        positive: true,
        ..Shape::default()
    }
    .binary();
    let room = Room::with(&text);
    for (spec, key, nine, twenty) in [
        ("winnow", "theta", 9.0, 20.0),
        ("winnow:theta=auto", "theta", 9.0, 20.0),
        ("normalised-winnow", "features", 9.0, 20.0),
        (
            "p-norm:p=auto",
            "p",
            4.394_449_154_672_439,
            5.991_464_547_107_982,
        ),
    ] {
        let value = |json: Value| json["parameters"][key].as_f64().expect("a number");
        let near =
            |found: f64, value: f64| assert!((found - value).abs() < 1e-12, "{spec}: {found}");
        near(value(room.json(&format!("train data.svm -a {spec}"))), nine);
        near(
            value(room.json(&format!("train data.svm -a {spec} --shuffle 1"))),
            nine,
        );
        near(
            value(room.json(&format!("compare data.svm {spec}"))["runs"][0].take()),
            nine,
        );
        near(
            value(room.json(&format!("train data.svm -a {spec} --features 20"))),
            twenty,
        );
        near(
            value(room.json_piped(&format!("train - -a {spec} --features 20"), &text)),
            twenty,
        );
        for words in [
            format!("train - -a {spec}"),
            format!("train - -a {spec} --epochs 2"),
            format!("compare - {spec}"),
        ] {
            room.pipe(&words, &text)
                .refused(&[&format!("{key}=auto needs"), "--features D"]);
        }
    }
    room.pipe("train - -a winnow:theta=4", &text).good();
    // at least 2
    room.write("narrow.svm", "+1 1:1\n-1 2:1\n");
    assert_eq!(
        room.json("train narrow.svm -a p-norm:p=auto")["parameters"]["p"],
        2.0
    );
    // explicit zeros count
    room.write("zeros.svm", "+1 1:1 30:0\n-1 2:1\n");
    assert_eq!(
        room.json("train zeros.svm -a winnow")["parameters"]["theta"],
        30.0
    );
    assert_eq!(
        room.json("train zeros.svm -a winnow")["data"]["features"],
        30
    );
}

#[test]
fn several_paths_are_read_as_one() {
    let text = Shape::default().many(4, 30);
    let room = Room::with(&text);
    let cut = |row: usize| text.match_indices('\n').nth(row - 1).expect("a line").0 + 1;
    room.write("a", text[..cut(10)].trim_end()); // no newline at its end
    room.write("b", "");
    room.write(
        "c",
        format!("\u{feff}{}", &text[cut(10)..cut(50)].replace('\n', "\r\n")),
    );
    room.write("d", format!("\n# a remark\n\n{}", &text[cut(50)..]));
    let whole = room.json("train data.svm -a perceptron --trace whole");
    assert_eq!(
        room.json("train a b c d -a perceptron --trace parts"),
        whole
    );
    assert_eq!(room.bytes("parts"), room.bytes("whole"));
    assert_eq!(
        room.json("train a b c d -a perceptron --epochs 1 --shuffle 3")["data"],
        whole["data"]
    );
    room.run("train a missing d -a perceptron")
        .refused(&["missing: no such file"]);
    room.write("bad", "1 1:1\n2 2:x\n");
    room.run("train a b bad -a perceptron")
        .refused(&["bad:2:5: value \"x\""]);
    room.run("train a - -a perceptron")
        .refused(&["only files can be"]);
    room.run("train a digits -a perceptron")
        .refused(&["digits", "only files can be", "./digits"]);
}

#[test]
fn zero_rows_count_and_change_nothing() {
    // a label alone, explicit zeros, and values too small for f32
    let text = "-1\n+1\n-1 1:0 5:0\n+1 1:1e-60\n-1 1:1\n-1\n";
    let room = Room::with(text);
    let json = room.json("train data.svm -a perceptron --trace trace -o model");
    assert_eq!(
        json["data"],
        json!({"rows": 6, "features": 5, "classes": 2})
    );
    assert_eq!(counts(&json), (4, 1));
    let zero = |row| {
        format!(
            r#"{{"epoch":0,"row":{row},"class":"+1","margin":0.0,"mistake":true,"updated":false}}"#
        )
    };
    let last = r#"{"epoch":0,"row":4,"class":"+1","margin":0.0,"mistake":true,"updated":true}"#;
    assert_eq!(
        room.text("trace"),
        lines([zero(0), zero(2), last.to_owned(), zero(5)])
    );
    // winnow's margin is -theta then, so its mistakes are the positive ones
    let json = room.json("train data.svm -a winnow:theta=3 --trace trace");
    assert_eq!(counts(&json), (2, 0));
    assert!(
        room.text("trace")
            .contains(r#""row":1,"class":"+1","margin":-3.0,"mistake":true,"updated":false"#)
    );
    // with a bias no row is zero
    assert_eq!(
        counts(&room.json("train data.svm -a perceptron --bias 1")).0,
        room.counts("train data.svm -a perceptron --bias 1").1
    );
}

#[test]
fn every_learner_takes_data_of_zero_rows_only() {
    let room = Room::with("-1\n+1\n-1 3:0\n");
    let learners = [
        "perceptron",
        "averaged",
        "voted",
        "p-norm",
        "balanced-winnow",
        "eg",
        "normalised-perceptron",
        "alma",
        "passive-aggressive",
        "arow",
        "arow:form=full",
        "whitened",
    ];
    for learner in learners {
        for options in ["", "--normalize 2", "--epochs 2 --standardize"] {
            let json = room.json(&format!("train data.svm -a {learner} {options}"));
            let first = &json["epochs"][0];
            assert_eq!(counts(first), (2, 0), "{learner} {options}");
        }
    }
}

#[test]
fn zero_based_files_count_from_zero() {
    let room = Room::with("+1 0:1 3:1\n-1 0:2\n");
    let json = room.json("train data.svm -a perceptron --zero-based");
    assert_eq!(json["data"]["features"], 4);
    room.write("one.svm", "+1 1:1 4:1\n-1 1:2\n");
    assert_eq!(room.json("train one.svm -a perceptron"), json);
    room.run("train data.svm -a perceptron")
        .refused(&["data.svm:1:4: index 0", "--zero-based"]);
}

#[test]
fn built_in_data_is_what_generate_writes() {
    let room = Room::new();
    for (set, file) in [
        ("digits", "digits.svm"),
        (
            "sparse-target:rows=50,n=30,relevant=5,noise=0.1",
            "sparse.svm",
        ),
        ("ellipse:rows=50,d=10", "ellipse.svm"),
        ("text:rows=200", "text.svm"),
    ] {
        room.run(&format!("generate {set} -o {file}")).good();
        assert_eq!(
            room.run(&format!("generate {set}")).good().stdout,
            room.text(file)
        );
        let built_in = room.json(&format!("train {set} -a perceptron --bias 1 --epochs 2"));
        assert_eq!(
            room.json(&format!("train {file} -a perceptron --bias 1 --epochs 2")),
            built_in
        );
    }
}
