//! `novikoff reproduce`: the list, a quick table, what is missing and what is not known.

use serde_json::Value;

use crate::common::Room;

/// The JSON object of a call that must succeed.
fn json(room: &Room, words: &str) -> Value {
    let done = room.run(&format!("{words} --json")).good();
    serde_json::from_str(&done.stdout).expect("one object")
}

#[test]
fn the_list_says_what_each_table_needs() {
    let room = Room::new();
    let list = room.run("reproduce --list").good().stdout;
    assert!(list.contains("| second-order-toy "), "{list}");
    assert!(
        list.contains("--data DIR with usps/train.svm.gz, usps/test.svm.gz"),
        "{list}"
    );
    std::fs::create_dir(room.path("usps")).expect("a directory");
    room.write("usps/train.svm.gz", "");
    let list = room.run("reproduce --list --data .").good().stdout;
    assert!(
        list.contains("there: usps/train.svm.gz; missing: usps/test.svm.gz"),
        "{list}"
    );
    let json = json(&room, "reproduce --list --data .");
    let names: Vec<&str> = json["tables"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|table| table["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names.len(), 9, "{names:?}");
}

#[test]
fn a_quick_table_is_printed_kept_and_drawn() {
    let room = Room::new();
    let done = room
        .run("reproduce block-novikoff --quick --threads 1")
        .good();
    assert!(done.stdout.contains("(R/margin)^2"), "{}", done.stdout);
    assert!(
        done.stdout
            .contains("mistakes on rows that can be separated: holds"),
        "{}",
        done.stdout
    );
    for file in [
        "table.md",
        "table.html",
        "table.json",
        "novikoff.svg",
        "novikoff.png",
    ] {
        let path = room.path("novikoff-papers/block-novikoff-quick").join(file);
        assert!(path.is_file(), "{file}");
    }
    let page = room.text("novikoff-papers/block-novikoff-quick/table.html");
    assert!(
        page.contains("novikoff reproduce block-novikoff --quick"),
        "the command"
    );
    // nothing is left to be run
    let runs = room.bytes("novikoff-papers/block-novikoff-quick/runs.jsonl");
    let json = json(&room, "reproduce block-novikoff --quick");
    assert_eq!(json["tables"][0]["claims"][0]["verdict"], "holds");
    assert_eq!(
        room.bytes("novikoff-papers/block-novikoff-quick/runs.jsonl"),
        runs
    );
}

#[test]
fn an_unknown_table_has_a_nearest_match() {
    let room = Room::new();
    let done = room.run("reproduce romma-minst --quick");
    done.refused(&[
        "no table is called romma-minst",
        "did you mean romma-mnist?",
    ]);
    room.run("reproduce all romma-mnist")
        .refused(&["all is every table"]);
    assert!(room.files().is_empty(), "nothing is written");
}

#[test]
fn missing_data_is_named() {
    let room = Room::new();
    let done = room.run("reproduce romma-mnist");
    done.refused(&[
        "romma-mnist: needs mnist/train.svm.gz, mnist/test.svm.gz, which is missing and no data directory was named",
        "--data DIR",
    ]);
    let done = room.run("reproduce romma-mnist --data nowhere");
    done.refused(&["nowhere: is no directory", "--data DIR"]);
}
