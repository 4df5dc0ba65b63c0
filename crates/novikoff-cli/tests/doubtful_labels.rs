//! Labels that stand for no label, and numbers that are too many to be classes.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::remarks::said;

/// A table of two numbers with these labels.
fn table(rows: usize, label: impl Fn(usize, &mut SplitMix64) -> String) -> String {
    let mut random = SplitMix64(7);
    let mut text = "a,b,label\n".to_owned();
    for row in 0..rows {
        let (a, b) = (random.uniform(), random.uniform());
        let label = label(row, &mut random);
        let _ = writeln!(text, "{a:.4},{b:.4},{label}");
    }
    text
}

fn labels(words: &[&str], job: &str) -> Vec<String> {
    let room = Room::new();
    room.write(
        "t.csv",
        table(400, |_, random| words[random.below(words.len())].to_owned()),
    );
    let said = said(&room.json(&job.replace("{0}", words[0])), "labels");
    said.into_iter()
        .filter(|text| text.contains("learned as a class"))
        .collect()
}

#[test]
fn labels_that_stand_for_none_are_remarked_on() {
    for job in [
        "train t.csv --label label -a averaged -q",
        "train t.csv --label label -a averaged --positive {0} -q",
        "compare t.csv averaged arow --label label -q",
        "tune t.csv -a averaged --folds 3 --label label -q",
        "solve t.csv --lambda 0.1 --label label -q",
    ] {
        for (words, unknown) in [
            (&["yes", "no", "unknown"][..], "unknown"),
            (&["yes", "unknown"], "unknown"),
            (&["spam", "ham", "Not available"], "Not available"),
            (&["spam", "ham", "??"], "??"),
            (&["low", "mid", "high", "Missing"], "Missing"),
        ] {
            let said = labels(words, job);
            assert!(
                said.len() == 1
                    && said[0].contains(&format!("rows have the label `{unknown}`, which is learned as a class like the others"))
                    && said[0].contains("leave these rows out"),
                "{job} {words:?}: {said:?}"
            );
        }
        for sound in [
            &["yes", "no"][..],
            &["known", "unknown"],
            &["present", "missing"],
            &["none", "mild", "severe"],
            &["+", "-"],
            &["other", "sport", "politics"],
        ] {
            let said = labels(sound, job);
            assert!(said.is_empty(), "{job} {sound:?}: {said:?}");
        }
    }
}

#[test]
fn numbers_that_are_no_classes_are_refused_before_anything_is_learned() {
    let room = Room::new();
    for rows in [1900, 3000] {
        let csv = table(rows, |_, random| format!("{}", random.below(2800)));
        room.write("t.csv", csv);
        for job in ["train t.csv", "compare t.csv", "tune t.csv -a averaged"] {
            let done = room.run(&format!("{job} --label label"));
            done.refused(&[
                "is column label the label?",
                "`novikoff solve` on all rows with the squared loss",
            ]);
            assert!(!done.stderr.contains("trials/s"), "{job}: {}", done.stderr);
        }
    }
}
