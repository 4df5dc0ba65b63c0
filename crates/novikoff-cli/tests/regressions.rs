//! One test for each bug that was found after it was written.

#![allow(clippy::format_collect)] // short ones

use std::fmt::Write as _;

use crate::common;

use common::Room;

/// A resumed run counts its own trials; what earlier ones left open goes to the totals only.
#[test]
fn a_resumed_run_has_no_more_mistakes_than_rows() {
    let first = "5 1:1\n".repeat(300) + "7 2:1\n9 4:1\n";
    let room = Room::new();
    room.write("first.svm", first);
    room.write("second.svm", "1 3:1\n2 3:-1\n");
    room.run("train first.svm -a perceptron -o m -q").good();
    let run = room.json("train second.svm --resume m -q");
    assert!(run["mistakes"].as_u64() <= Some(2), "{run}");
    for class in run["classes"].as_array().expect("classes") {
        assert!(class["mistakes"].as_u64() <= Some(2), "{class}");
        assert!(class["updates"].as_u64() <= Some(2), "{class}");
    }
    let sum: u64 = ["resumed", "total"]
        .iter()
        .map(|k| run[k]["rows"].as_u64().expect(k))
        .sum();
    assert_eq!(sum, 302 + 304);
}

/// The default list leaves out what cannot read a stream instead of failing with it.
#[test]
fn compare_reads_a_stream() {
    let room = Room::new();
    let rows = "1 1:1\n-1 2:1\n1 1:2 2:1\n";
    let run = room.json_piped("compare -", rows);
    let specs: Vec<&str> = run["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|r| r["spec"].as_str().expect("spec"))
        .collect();
    assert!(
        specs.contains(&"perceptron") && !specs.contains(&"whitened"),
        "{specs:?}"
    );
}

/// However wide the first row of a stream is, its label is looked at.
#[test]
fn a_wide_first_row_of_a_stream_is_looked_at() {
    let room = Room::new();
    let wide: String = (1..=250_001).map(|j| format!(" {j}:1")).collect();
    let run = room.json_piped(
        "train - -a perceptron -q",
        &format!("3{wide}\n4 1:1\n5 2:1\n"),
    );
    assert_eq!(run["data"]["classes"], 3);
}

#[test]
fn rows_that_do_not_fit_into_memory_go_to_a_temporary_file() {
    let rows: String = (0..4000)
        .map(|i| format!("1 {}:1 {}:2\n", i + 1, i + 2))
        .collect();
    let room = Room::new();
    room.write("d.svm", rows.repeat(10).as_str());
    for words in [
        "--epochs 2",
        "--epochs 3 --shuffle 5 --bias 2",
        "--standardize",
    ] {
        let run = format!("train d.svm -a perceptron {words}");
        let spooled = room.run(&format!("{run} -o spooled --max-memory 1")).good();
        assert!(spooled.stderr.contains("in a temporary file"), "{words}");
        room.run(&format!("{run} -o held -q")).good();
        assert_eq!(room.bytes("spooled"), room.bytes("held"), "{words}");
        let piped = rows.repeat(10);
        if words != "--standardize" {
            room.pipe(
                &format!("train - -a perceptron {words} -o piped --max-memory 1 -q"),
                piped,
            )
            .good();
            assert_eq!(room.bytes("piped"), room.bytes("held"), "{words}");
        }
    }
    room.run("train d.svm -a perceptron --max-memory 1 -q")
        .good();
}

/// Rows of a table without empty cells share their slots in memory, and not in a temporary file.
#[test]
fn a_dense_table_takes_half_the_memory_and_gives_the_same_bytes() {
    let table = |rows: usize| {
        let names: Vec<String> = (1..=100).map(|j| format!("x{j}")).collect();
        let mut text = format!("label,{}\n", names.join(","));
        for i in 0..rows {
            // in some rows a number is 0, which is not kept
            let cell = |j: usize| {
                ((i * 31 + j * (17 + i % 89)) % 97 + usize::from(i % 50 > 0)).to_string()
            };
            let cells: Vec<String> = (0..100).map(cell).collect();
            let _ = writeln!(text, "{},{}", (i * 7) % 3 % 2, cells.join(","));
        }
        text
    };
    let room = Room::new();
    room.write("fits.csv", table(2000));
    room.write("large.csv", table(3000));
    let fits = room
        .run("train fits.csv -a perceptron --epochs 2 --max-memory 1 -o fits")
        .good();
    assert!(!fits.stderr.contains("in a temporary file"));
    for words in [
        "train large.csv -a perceptron --epochs 3 --shuffle 5",
        "train large.csv -a averaged --epochs 2 --normalize 2",
        "solve large.csv --loss hinge --lambda 0.01 --passes 5",
        "solve large.csv --loss logistic --lambda 0.01 --passes 5 --normalize 2",
    ] {
        let spooled = room.run(&format!("{words} -o spooled --max-memory 1"));
        assert!(spooled.stderr.contains("in a temporary file"), "{words}");
        let held = room.run(&format!("{words} -o held"));
        assert_eq!(spooled.stdout.is_empty(), held.stdout.is_empty());
        assert_eq!(room.bytes("spooled"), room.bytes("held"), "{words}");
    }
}

#[test]
fn moments_are_not_computed_past_the_memory() {
    let room = Room::new();
    room.write("d.svm", "1 1:1 100000000:2\n-1 1:2\n");
    room.run("train d.svm -a perceptron --standardize --max-memory 10")
        .refused(&["standardising needs 3814 MB", "--max-memory"]);
}

#[test]
fn a_test_row_with_several_labels_names_the_flag() {
    let room = Room::new();
    room.write("d.svm", "1 1:1\n-1 2:1\n");
    room.write("t.svm", "1,-1 1:1\n");
    room.run("train d.svm -a perceptron --test t.svm")
        .refused(&["t.svm:1: 2 labels", "--multilabel"]);
}

#[test]
fn refusals_count_features_as_the_file_does() {
    let room = Room::new();
    room.write("d.svm", "1 0:1 3:-2\n-1 1:1\n");
    room.run("train d.svm -a winnow --zero-based")
        .refused(&["feature 3 is -2"]);
    room.run("train d.svm -a winnow --zero-based --bias -1")
        .refused(&["the bias is -1"]);
}
