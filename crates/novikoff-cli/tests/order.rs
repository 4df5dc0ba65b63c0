//! Rows whose neighbours have much the same label: of one person, or in order of time. Beside each are rows in which the label follows from the columns.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::remarks::{said, text_of};

/// Invoices of customers, 1 to 9 each, one customer after the other. The label is the customer's, and as much of the first column as `signal` says.
fn invoices(rows: usize, seed: u64, signal: f64) -> String {
    let mut random = SplitMix64(seed);
    let mut text = "amount,days,discount,late\n".to_owned();
    let (mut left, mut is_late) = (0, false);
    for _ in 0..rows {
        if left == 0 {
            left = 1 + random.below(9);
            is_late = random.below(5) < 2;
        }
        left -= 1;
        let shift = if is_late { signal } else { 0.0 };
        let (amount, days) = (random.uniform() + shift, random.uniform());
        let label = ["no", "yes"][usize::from(is_late)];
        let discount = random.uniform();
        let _ = writeln!(text, "{amount:.4},{days:.4},{discount:.4},{label}"); // writing to a String cannot fail
    }
    text
}

const LATE: &str = "--label late --standardize --bias 1 -q";

#[test]
fn a_run_that_follows_its_neighbours_is_remarked_on() {
    let room = Room::new();
    room.write("t.csv", invoices(4000, 1, 0.0));
    for job in [
        "train t.csv",
        "train t.csv -a perceptron",
        "tune t.csv -a passive-aggressive:c=0.5|1",
    ] {
        let json = room.json(&format!("{job} {LATE}"));
        let order = text_of(&json, "order");
        assert!(
            order.starts_with("rows with the same label follow each other: ")
                && order.contains("always answering the label of the row before makes ")
                && order.contains("--shuffle 1"),
            "{job}: {json}"
        );
    }
    let compared = room.run(&format!(
        "compare t.csv perceptron passive-aggressive {LATE}"
    ));
    let stderr = compared.good().stderr;
    assert_eq!(stderr.matches("follow each other").count(), 1, "{stderr}");
    // shuffled rows show that the columns are worth nothing
    let json = room.json(&format!("train t.csv -a averaged --shuffle 1 {LATE}"));
    assert_eq!(text_of(&json, "order"), "");
    assert_ne!(text_of(&json, "baseline"), "");
    // columns that say more than the neighbours
    room.write("t.csv", invoices(4000, 1, 2.0));
    let json = room.json(&format!("train t.csv -a averaged {LATE}"));
    assert_eq!(text_of(&json, "order"), "");
}

#[test]
fn folds_of_rows_with_the_same_label_side_by_side_are_remarked_on() {
    let room = Room::new();
    room.write("t.csv", invoices(1500, 2, 0.5));
    let learners = format!("tune t.csv -a arow:r=1|2 --folds 3 {LATE}");
    let solver = format!("tune t.csv --loss hinge --lambda 1e-3,1e-2 --folds 3 {LATE}");
    for job in [&learners, &solver] {
        let json = room.json(job);
        let order = text_of(&json, "order");
        assert!(
            order.contains("folds at random have neighbours on both sides"),
            "{job}: {json}"
        );
    }
    // the same rows in another order, and sorted by label
    let table = invoices(1500, 2, 0.5);
    let (header, rows) = table.split_once('\n').expect("a header");
    let rows: Vec<&str> = rows.lines().collect();
    let mut rows: Vec<&str> = (0..1500).map(|k| rows[k * 389 % 1500]).collect();
    for sorted in [false, true] {
        if sorted {
            rows.sort_by_key(|row| row.ends_with("yes"));
        }
        room.write("t.csv", format!("{header}\n{}\n", rows.join("\n")));
        for job in [&learners, &solver] {
            let order = said(&room.json(job), "order");
            assert_eq!(order, [""; 0], "{job}");
        }
    }
}

#[test]
fn folds_of_quantities_in_time_are_remarked_on() {
    let room = Room::new();
    let day = |k: usize| {
        // up and down every 200 days
        let season = (k % 200).abs_diff(100) as f64;
        let demand = 100.0 + 0.8 * season + (k * 37 % 17) as f64;
        format!("{},{:.3},{demand:.2}", k % 7, (k as f64).sqrt())
    };
    let tune = "tune t.csv --label demand --loss squared --lambda 1e-3 --bias free --standardize --folds 3 -q";
    let of = |order: &dyn Fn(usize) -> usize| {
        let rows: Vec<String> = (0..900).map(|k| day(order(k))).collect();
        room.write(
            "t.csv",
            format!("weekday,age,demand\n{}\n", rows.join("\n")),
        );
        said(&room.json(tune), "order")
    };
    let order = of(&|k| k);
    assert!(
        order.len() == 1 && order[0].contains("in 900 rows the correlation of their ranks is 0.9"),
        "{order:?}"
    );
    assert_eq!(of(&|k| k * 389 % 900), [""; 0]);
}

/// Readings of 60 machines on 50 days, day by day. A machine keeps its state as long as `stays` says, and the label is its state; a column tells as much of it as
/// `signal` says.
fn readings(stays: f64, signal: f64) -> String {
    let mut random = SplitMix64(5);
    let mut states = [false; 60];
    let mut text = "machine,load,heat,fails\n".to_owned();
    for _ in 0..50 {
        for (machine, state) in states.iter_mut().enumerate() {
            if random.uniform() > stays {
                *state = random.below(4) == 0;
            }
            let noise = random.uniform() + random.uniform() + random.uniform();
            let heat = noise + if *state { signal } else { 0.0 };
            let label = ["no", "yes"][usize::from(*state)];
            let load = random.uniform();
            let _ = writeln!(text, "M{machine:02},{load:.4},{heat:.4},{label}");
        }
    }
    text
}

#[test]
fn things_that_keep_their_label_are_remarked_on() {
    let room = Room::new();
    let jobs = [
        "train t.csv -a arow",
        "train t.csv -a arow --epochs 2",
        "tune t.csv -a arow:r=0.1|1",
        "tune t.csv -a arow:r=0.1|1 --folds 3",
        "tune t.csv --loss logistic --lambda 1e-4,1e-3 --folds 3",
    ];
    let order = |job: &str| {
        let json = room.json(&format!("{job} --label fails --standardize --bias 1 -q"));
        text_of(&json, "order").to_owned()
    };
    room.write("t.csv", readings(0.95, 0.7));
    for job in jobs {
        let said = order(job);
        assert!(
            said.starts_with("rows with the same machine keep their label: within 60 values the label changes ")
                && said.contains(" in 3,000 rows; always answering the label of the row before with the same machine makes ")
                && said.ends_with("test on rows of another time, or with other values of machine"),
            "{job}: {said}"
        );
    }
    let compared =
        room.run("compare t.csv arow perceptron --label fails --standardize --bias 1 -q");
    let stderr = compared.good().stderr;
    assert_eq!(stderr.matches("keep their label").count(), 1, "{stderr}");
    // rows that are sorted by label have a remark of their own
    let table = readings(0.0, 0.7);
    let (header, rows) = table.split_once('\n').expect("a header");
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_by_key(|row| row.ends_with("yes"));
    room.write("t.csv", format!("{header}\n{}\n", rows.join("\n")));
    for job in jobs {
        assert_eq!(order(job), "", "sorted: {job}");
    }
    room.write("t.csv", readings(0.95, 0.7));
    // the order of the rows is none, the machines change all the time, and a column that tells more
    assert_eq!(order("train t.csv -a arow --shuffle 1"), "");
    for (stays, signal) in [(0.0, 0.7), (0.5, 0.7), (0.95, 3.0)] {
        room.write("t.csv", readings(stays, signal));
        for job in jobs {
            assert_eq!(order(job), "", "{stays} {signal} {job}");
        }
    }
}
