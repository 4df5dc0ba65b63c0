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
    let done = room.run("reproduce --list --data nowhere");
    done.refused(&["nowhere: is no directory", "--data DIR"]);
    room.run("reproduce --list romma-mnist")
        .refused(&["--list"]);
}

/// A table is put into a text, between its marks, as often as it is run; what stands around it stays.
#[test]
fn a_table_is_put_into_a_text() {
    let room = Room::new();
    let words = "reproduce block-novikoff --quick -q --repetitions 1 --into notes.md";
    room.run(words).refused(&["notes.md"]);
    room.write("notes.md", "# Notes\n");
    room.run(words).refused(&[
        "notes.md: has no line <!-- begin block-novikoff -->",
        "write it",
    ]);
    let nothing_was_run = !room.path("novikoff-papers").exists();
    assert!(nothing_was_run, "the text is looked at first");
    room.write(
        "notes.md",
        "# Notes\n\n<!-- begin block-novikoff -->\nold\n<!-- end block-novikoff -->\n\nBy hand.\n",
    );
    room.run(words).good();
    let once = room.text("notes.md");
    assert!(once.starts_with("# Notes\n\n<!-- begin"), "{once}");
    assert!(once.ends_with("-->\n\nBy hand.\n"), "{once}");
    assert!(!once.contains("\nold\n"), "{once}");
    for part in [
        "novikoff reproduce block-novikoff --quick --repetitions 1\n",
        "| **holds** ",
        "of one core",
    ] {
        assert!(once.contains(part), "{part}: {once}");
    }
    room.run(words).good();
    assert_eq!(
        room.text("notes.md"),
        once,
        "what is known is not run again"
    );
}

/// Results that cannot be read are named, and run again; those that can be read are not.
#[test]
fn damaged_results_are_run_again() {
    let room = Room::new();
    let words = "reproduce block-novikoff --quick --repetitions 1 --json";
    let whole = room.run(words).good().stdout;
    let path = "novikoff-papers/block-novikoff-quick/runs.jsonl";
    let runs = room.text(path);
    let mut lines: Vec<&str> = runs.lines().collect();
    lines[1] = "{\"run\": \"half a li";
    room.write(path, format!("{}\n", lines.join("\n")));
    let done = room.run(words).good();
    assert!(
        done.stderr.contains("runs.jsonl: 1 line cannot be read"),
        "{}",
        done.stderr
    );
    let values = |text: &str| -> Value {
        let mut json: Value = serde_json::from_str(text).expect("one object");
        json["tables"][0]["seconds"].take();
        json
    };
    assert_eq!(values(&done.stdout), values(&whole));
    assert_eq!(room.text(path).lines().count(), lines.len() + 1);
}
