//! Rows that a model answers and that are unlike those of training: numbers that stand for missing ones, slips, and far more answers of one kind. Beside each are rows without a remark.

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
fn nines_for_missing_numbers_are_remarked_on() {
    for options in ["-a averaged --standardize", "-a arow"] {
        let room = room(options);
        let with = |every: usize, value: &str| {
            let mut rows = visits(300, 3);
            for visit in rows.iter_mut().step_by(every) {
                value.clone_into(&mut visit.size);
            }
            remarks(&room, &rows, options)
        };
        for value in ["9999", "-999"] {
            let said = with(10, value);
            let expected =
                format!("30 of the first 300 rows have the value {value} in column size, ");
            assert!(said.contains(&expected), "{said}");
            assert!(
                said.contains("empty these cells, if it stands for missing values"),
                "{said}"
            );
        }
        // twice, no nines, and not far
        for (every, value) in [(150, "9999"), (10, "9000"), (10, "40")] {
            let said = with(every, value);
            assert!(!said.contains("have the value"), "{every} {value}: {said}");
        }
    }
}

#[test]
fn a_slip_of_the_keyboard_is_remarked_on() {
    let room = room("-a averaged --standardize");
    let with = |value: &str| {
        let mut rows = visits(300, 3);
        value.clone_into(&mut rows[7].size);
        remarks(&room, &rows, "-a averaged --standardize")
    };
    let said = with("9999999");
    let expected = "1 of the first 300 rows has the value 9999999 in column size, ";
    assert!(said.contains(expected), "{said}");
    // large, and not absurd
    assert!(!with("200").contains("has the value"));
}

#[test]
fn nines_among_other_large_numbers_are_sound() {
    let room = Room::new();
    // prices, many just below a round number
    let prices = |seed| {
        let mut random = SplitMix64(seed);
        let mut text = "price,label\n".to_owned();
        for _ in 0..1000 {
            let log = 3.0 + 7.0 * random.uniform() * random.uniform();
            let price = libm::exp(log);
            let round = if random.below(3) == 0 {
                [99.0, 999.0, 9999.0][random.below(3)]
            } else {
                price
            };
            let _ = writeln!(
                text,
                "{round:.0},{}",
                ["a", "b"][usize::from(price > 100.0)]
            );
        }
        text
    };
    room.write("t.csv", prices(1));
    room.write("n.csv", prices(2));
    room.run("train t.csv -a averaged --standardize --bias 1 -q -o m")
        .good();
    let said = room.run("predict m n.csv -q").good().stderr;
    assert!(!said.contains("have the value"), "{said}");
}

#[test]
fn far_more_answers_of_one_label_are_remarked_on() {
    let options = "-a averaged --standardize";
    let room = room(options);
    let shares = |rows: &[Visit], options: &str| {
        room.write("new.csv", csv(rows));
        let said = room
            .run(&format!("predict m new.csv -q {options}"))
            .good()
            .stderr;
        said.lines()
            .find(|line| line.contains("have this label"))
            .map(str::to_owned)
    };
    let mut rows = visits(600, 4);
    for visit in rows.iter_mut().take(400) {
        visit.paid = "0".to_owned();
    }
    let said = shares(&rows, "").expect("a remark");
    assert!(
        said.contains(" of 600 rows (")
            && said.contains(" are answered yes, and of a sample of training ")
            && said
                .contains("the rows are unlike those of training, or the model does not fit them"),
        "{said}"
    );
    for options in ["--threshold 0.1", "--margins"] {
        assert_eq!(shares(&rows, options), None, "{options}");
    }
    assert_eq!(shares(&rows[..90], ""), None, "few rows");
    assert_eq!(shares(&visits(600, 5), ""), None, "rows as in training");
    let weighted = room.run(&format!("{TRAIN} {options} --class-weight balanced -o m"));
    weighted.good();
    assert_eq!(shares(&rows, ""), None, "class weights");
}

#[test]
fn equal_rows_count_once_where_shares_are_compared() {
    let room = Room::new();
    // most rows are the same and have one label, and the others differ
    let table = |seed: u64| {
        let mut random = SplitMix64(seed);
        let mut text = "a,b,label\n".to_owned();
        for _ in 0..2000 {
            let _ = if random.below(10) > 0 {
                writeln!(text, "0,0,no")
            } else {
                writeln!(
                    text,
                    "{:.4},{:.4},yes",
                    1.0 + random.uniform(),
                    random.uniform()
                )
            };
        }
        text
    };
    room.write("t.csv", table(1));
    room.write("n.csv", table(2));
    room.run("train t.csv -a averaged --bias 1 -q -o m").good();
    let said = room.run("predict m n.csv -q").good().stderr;
    assert!(!said.contains("have this label"), "{said}");
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
