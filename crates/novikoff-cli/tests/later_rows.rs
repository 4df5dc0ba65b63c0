//! Rows that a model answers and that are unlike those of training: columns that are not filled in, numbers that stand for missing ones, and far more
//! answers of one kind. Beside each are rows without a remark.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;

/// A payment, a rare fine, a size and a place, and the label that depends on the payment and the size.
#[derive(Clone)]
struct Visit {
    paid: String,
    fine: String,
    size: String,
    place: &'static str,
    label: &'static str,
}

fn visits(count: usize, seed: u64) -> Vec<Visit> {
    let mut random = SplitMix64(seed);
    let visit = |_| {
        let (late, size) = (random.below(5) == 0, 15.0 + 20.0 * random.uniform());
        let paid = if late || random.below(5) == 0 {
            0
        } else {
            20 + random.below(40)
        };
        let place = ["north", "south", "harbour"][random.below(3)];
        Visit {
            paid: paid.to_string(),
            fine: (20 * usize::from(random.below(10) == 0)).to_string(),
            size: format!("{size:.1}"),
            place,
            label: ["no", "yes"][usize::from(late && random.below(8) > 0)],
        }
    };
    (0..count).map(visit).collect()
}

fn csv(visits: &[Visit]) -> String {
    let mut text = "paid,fine,size,place,late\n".to_owned();
    for v in visits {
        let _ = writeln!(
            text,
            "{},{},{},{},{}",
            v.paid, v.fine, v.size, v.place, v.label
        );
    }
    text
}

const TRAIN: &str = "train train.csv --label late --bias 1 -q --missing indicator";

/// A room with the model `m` of 2,000 rows.
fn room(options: &str) -> Room {
    let room = Room::new();
    room.write("train.csv", csv(&visits(2000, 1)));
    room.run(&format!("{TRAIN} {options} -o m")).good();
    room
}

/// Remarks on rows that are answered; they are those of the same rows as a test.
fn remarks(room: &Room, rows: &[Visit], options: &str) -> String {
    room.write("new.csv", csv(rows));
    let predicted = room.run("predict m new.csv -q").good().stderr;
    let tested = format!("{TRAIN} {options} --test new.csv");
    for words in ["evaluate m new.csv -q", &tested] {
        let stderr = room.run(words).good().stderr;
        let is_of_rows = |line: &&str| {
            ["is 0 in all", "have the value"]
                .iter()
                .any(|part| line.contains(part))
        };
        for line in predicted.lines().filter(is_of_rows) {
            assert!(stderr.contains(line), "{words}: {line}\n{stderr}");
        }
    }
    predicted
}

#[test]
fn rows_without_a_label_say_which_column_it_was_to_be_in() {
    let room = Room::new();
    let rows = |label: &str| {
        format!("{{\"x\": 1, \"{label}\": \"a\"}}\n{{\"x\": -1, \"{label}\": \"b\"}}\n")
    };
    room.write("t.jsonl", rows("team"));
    room.write("n.jsonl", rows("group"));
    room.run("train t.jsonl --label team -a perceptron -q -o m")
        .good();
    room.run("evaluate m n.jsonl").refused(&[
        "n.jsonl:1: no label in column \"team\", but learning and testing need one on every row",
    ]);
}
