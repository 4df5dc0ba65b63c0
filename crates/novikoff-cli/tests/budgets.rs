//! A budget counts the rows of the whole model.

use std::fmt::Write as _;

use crate::common;

use common::{Room, inspected};

fn rows_by_class(room: &Room, model: &str) -> Vec<u64> {
    let about = inspected(room, model);
    let classes = about["classes"].as_array().expect("classes");
    let rows = classes
        .iter()
        .map(|class| class["support"]["rows"].as_u64());
    rows.map(|rows| rows.expect("rows")).collect()
}

#[test]
fn ten_classes_share_a_budget() {
    let room = Room::new();
    for learner in ["forgetron", "random-budget"] {
        let kernel = "--kernel gaussian:gamma=auto";
        room.run(&format!(
            "train digits -a {learner}:budget=100 {kernel} -o m -q"
        ))
        .good();
        let rows = rows_by_class(&room, "m");
        assert_eq!(rows.len(), 10);
        assert!(rows.iter().all(|rows| *rows <= 10), "{learner}: {rows:?}");
        room.run(&format!(
            "train digits -a {learner}:budget=100 {kernel} --positive 3 -o m -q"
        ))
        .good();
        let rows = inspected(&room, "m")["support"]["rows"].as_u64();
        assert!(
            rows.is_some_and(|rows| rows > 10 && rows <= 100),
            "{learner}: {rows:?}"
        );
    }
}

/// A problem that has more rows than its part, for classes appeared, forgets at its own next mistake; what that cost is in the certificate.
#[test]
fn certificates_use_what_was_measured() {
    let mut text = String::new();
    for row in 0..400 {
        let class = (row * 5 + row / 7) % (1 + row / 60).min(4);
        let (x, z) = (
            f64::from(row * 37 % 101) / 101.0,
            f64::from(row * 53 % 97) / 97.0,
        );
        let third = f64::from(class) / 5.0;
        writeln!(text, "{class} 1:{x:.3} 2:{z:.3} 3:{third:.3}").expect("a String");
    }
    let room = Room::with(&text);
    for words in [
        "forgetron:budget=8 --kernel gaussian:gamma=2",
        "forgetron:budget=8 --normalize 2",
        "forgetron:budget=3 --kernel gaussian:gamma=2 --epochs 2",
    ] {
        let run = room.json(&format!(
            "certify data.svm -a {words} --trace t --save-comparator u -q"
        ));
        for class in run["classes"].as_array().expect("classes") {
            assert_eq!(class["certificate"]["holds"], true, "{words}: {class}");
        }
        room.write("cert.json", run.to_string());
        room.run("certify --check cert.json data.svm").good();
    }
}
