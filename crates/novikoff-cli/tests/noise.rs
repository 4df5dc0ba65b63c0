//! Noise control knows examples by the numbers of their rows: as if every row had a feature of its own.

use crate::common;

use common::data::{Shape, SplitMix64};
use common::{Room, lines};
use serde_json::Value;

const ROWS: usize = 100;

/// The rows, each with a feature 1 of its own, from feature `first` on.
fn with_own_features(text: &str, first: usize) -> String {
    let rows = text.lines().enumerate();
    lines(rows.map(|(row, line)| format!("{line} {}:1", first + row)))
}

fn room() -> Room {
    let shape = Shape {
        rows: ROWS,
        ragged: true,
        ..Shape::default()
    };
    let room = Room::new();
    for (name, text) in [("binary", shape.binary()), ("many", shape.many(4, 10))] {
        room.write(name, &text);
        room.write(&format!("{name}-own"), with_own_features(&text, 100));
        room.write(
            &format!("{name}-later"),
            with_own_features(&text, 100 + ROWS),
        );
    }
    room
}

fn epochs(json: &Value) -> &Value {
    assert!(json["updates"].as_u64() > Some(20), "{json}");
    &json["epochs"]
}

#[test]
fn rows_keep_their_ids_in_every_epoch() {
    let room = room();
    for learner in ["romma", "romma:aggressive", "max-margin"] {
        let joint = if learner.contains(':') { "," } else { ":" };
        let noise = format!("{learner}{joint}noise=1");
        for data in ["binary", "many"] {
            for order in ["", "--shuffle 5"] {
                let words = |data: &str, spec: &str| format!("{data} -a {spec} --epochs 3 {order}");
                let own = room.json(&format!("train {}", words(&format!("{data}-own"), learner)));
                let by_id = room.json(&format!("train {}", words(data, &noise)));
                assert_eq!(epochs(&own), epochs(&by_id), "{learner} {data} {order}");
                let piped = format!("train {}", words("-", &noise));
                let piped = room.json_piped(&piped, &room.text(data));
                assert_eq!(epochs(&piped), epochs(&by_id), "{learner} {data} {order}");
                let compared = room.json(&format!("compare {data} {noise} --epochs 3 {order}"));
                let run = &compared["runs"][0];
                assert_eq!(epochs(run), epochs(&by_id), "{learner} {data} {order}");
            }
        }
    }
}

#[test]
fn ids_run_on_when_a_model_learns_more() {
    let room = room();
    for learner in ["romma:aggressive", "max-margin"] {
        let joint = if learner.contains(':') { "," } else { ":" };
        for (first, more) in [
            ("--epochs 2", "--epochs 2 --shuffle 3"),
            ("", ""),
            ("", "--epochs 2"),
        ] {
            for (spec, name, later) in [
                (learner.to_owned(), "binary-own", "binary-later"),
                (format!("{learner}{joint}noise=1"), "binary", "binary"),
            ] {
                room.run(&format!("train {name} -a {spec} -o {name}.m {first}"))
                    .good();
                let json = room.json(&format!("train {later} --resume {name}.m {more}"));
                room.write(&format!("{name}.json"), json["epochs"].to_string());
            }
            let (own, by_id) = (room.text("binary-own.json"), room.text("binary.json"));
            assert_eq!(own, by_id, "{learner} {first}, then {more}");
        }
    }
}

/// New rows have no such feature: a row that was learned from is predicted by the others.
#[test]
fn predictions_know_no_ids() {
    let room = Room::with("1 1:1\n-1 2:1\n");
    room.run("train data.svm -a romma:aggressive,noise=1 --epochs 5 -o m")
        .good();
    let margins = room.run("predict m data.svm --margins").good().stdout;
    let margins: Vec<f64> = margins
        .lines()
        .map(|m| m.parse().expect("a margin"))
        .collect();
    // min w^2 + own^2 with w + own >= 1
    assert!(
        (margins[0] - 0.5).abs() < 1e-9 && (margins[1] + 0.5).abs() < 1e-9,
        "{margins:?}"
    );
}

#[test]
fn noise_control_is_advised_where_it_is_quick() {
    let room = Room::new();
    for (rows, spec) in [(600, "max-margin:noise=1"), (9000, "romma:noise=1")] {
        let mut random = SplitMix64(3);
        let row = |_| {
            let cells: Vec<f64> = (0..5).map(|_| random.uniform() - 0.5).collect();
            let noise = 2.0 * (random.uniform() - 0.5);
            let label = ["-1", "+1"][usize::from(cells[0] + cells[1] + noise > 0.0)];
            let cells = cells
                .iter()
                .zip(1..)
                .map(|(cell, k)| format!("{k}:{cell:.3}"));
            format!("{label} {}", cells.collect::<Vec<String>>().join(" "))
        };
        room.write("t", lines((0..rows).map(row)));
        let json = room.json("compare t max-margin --bias 1 -q");
        let remarks = json["runs"][0]["remarks"].to_string();
        assert!(remarks.contains(&format!("try {spec}, or")), "{remarks}");
    }
}
