//! What a person meets in the first hour: tables that hold something else than they seem to, formats that are taken for others, and
//! commands that take long.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Done, Room, lines};

/// A table of two informative columns and one more; the label is y.
fn table(name: &str, cell: impl Fn(usize) -> String) -> String {
    let mut text = format!("x,z,{name},y\n");
    for row in 0..300 {
        let (x, z) = (row * 7 % 13, row * 5 % 11);
        let y = if x > z { "yes" } else { "no" };
        let _ = writeln!(text, "{x},{z},{},{y}", cell(row)); // writing to a String cannot fail
    }
    text
}

/// The texts of remarks of one kind.
fn remarks(done: &Done, kind: &str) -> Vec<String> {
    let json = done.json();
    let all = json["remarks"].as_array().into_iter().flatten();
    all.filter(|remark| remark["kind"] == kind)
        .map(|remark| remark["text"].as_str().expect("a text").to_owned())
        .collect()
}

const TRAIN: &str = "train t.csv -a averaged --label y --shuffle 1 --json";

#[test]
fn numbers_and_dates_in_another_guise_are_noticed() {
    let quoted = |text: String| format!("\"{text}\"");
    for (cell, says) in [
        (
            &(|k: usize| format!("{}.5%", k % 40)) as &dyn Fn(usize) -> String,
            "numbers with a percent sign, so each value is a category; write them as 1234.5",
        ),
        (
            &|k| quoted(format!("{},5", k % 40)),
            "numbers with a decimal comma, so each",
        ),
        (
            &|k| quoted(format!("{},000", 1 + k % 40)),
            "numbers with thousands separators",
        ),
        (
            &|k| format!("${}", k % 40),
            "numbers with the sign of a currency",
        ),
        (
            &|k| format!("{:02}.03.2024", 1 + k % 28),
            "dates that are not written as year-month-day, so each value is a category; write them as 2024-03-05",
        ),
        (
            &|k| format!("{k}%"),
            "numbers with a percent sign, and is left out",
        ),
    ] {
        let room = Room::new();
        room.write("t.csv", table("c", cell));
        let done = room.run(TRAIN).good();
        let found = remarks(&done, "number-text");
        assert!(
            found.len() == 1 && found[0].starts_with(&format!("column c holds {says}")),
            "{says}: {found:?}"
        );
        assert!(done.stderr.contains(&found[0]), "{}", done.stderr);
    }
    // a number first, and then one in a guise: an error with the remedy
    let room = Room::new();
    let first = |k: usize| {
        if k == 0 {
            "4".to_owned()
        } else {
            "\"4,5\"".to_owned()
        }
    };
    room.write("t.csv", table("c", first));
    room.run(TRAIN)
        .refused(&["\"4,5\" is not a finite decimal number", "with a point"]);
}

#[test]
fn sentences_and_row_numbers_are_noticed() {
    let room = Room::new();
    room.write(
        "t.csv",
        table("c", |k| format!("the parcel {} came late", k % 90)),
    );
    let done = room.run(TRAIN).good();
    let found = remarks(&done, "text-column");
    assert!(
        found.len() == 1 && found[0].contains("use --text c to learn from their words"),
        "{found:?}"
    );
    let done = room.run(&format!("{TRAIN} --text c")).good();
    assert!(remarks(&done, "text-column").is_empty());

    room.write("t.csv", table("c", |k| (1000 + 3 * k).to_string()));
    let done = room.run(TRAIN).good();
    let found = remarks(&done, "ids");
    assert!(
        found.len() == 1
            && found[0].starts_with("column c looks like a row number: it rises by 3 per row")
            && found[0].ends_with("use --drop c"),
        "{found:?}"
    );
    let done = room.run(&format!("{TRAIN} --drop c")).good();
    assert!(remarks(&done, "ids").is_empty());
    // the same rows as JSON lines
    let rows = (0..300).map(|k| format!(r#"{{"c": {k}, "x": {}, "y": {}}}"#, k % 7, k % 2));
    room.write("t.jsonl", lines(rows));
    let done = room
        .run("train t.jsonl -a averaged --label y --json --shuffle 1")
        .good();
    assert_eq!(remarks(&done, "ids").len(), 1);
}

#[test]
fn labels_that_differ_in_case_are_noticed() {
    let room = Room::new();
    let text = table("c", |k| (k % 7).to_string());
    let mixed: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(k, line)| match k % 3 {
            0 if k > 0 => line.replace("yes", "YES").replace("no", "No"),
            _ => line.to_owned(),
        })
        .collect();
    room.write("t.csv", lines(mixed));
    for words in [
        TRAIN,
        "compare t.csv perceptron averaged --label y --json",
        "train t.csv -a averaged --label y --json --permutations 2",
        "tune t.csv -a averaged --label y --json",
        "solve t.csv --label y --loss hinge --reg l2 --lambda 0.1 --json",
    ] {
        let done = room.run(words).good();
        let text = "labels that differ only in case or blanks are different classes: `No` and `no`, `YES` and `yes`; write each label in one way";
        assert!(done.stderr.contains(text), "{words}\n{}", done.stderr);
        assert!(done.stdout.contains("\"labels\""), "{words}");
    }
}

#[test]
fn bars_separate_the_fields_of_a_table() {
    let room = Room::new();
    let text = table("c", |k| (k % 7).to_string());
    room.write("comma.csv", &text);
    room.write("bar.csv", text.replace(',', "|"));
    let run = |file: &str| room.json(&format!("train {file} -a averaged --label y"));
    assert_eq!(run("bar.csv"), run("comma.csv"));
    // VW text stays what it is
    room.write("rows.vw", "1 |f a b\n-1 |f c\n1 tag|f a\n");
    let data = &room.json("train rows.vw -a perceptron")["data"];
    assert_eq!(data["rows"], 3);
    assert_eq!(data["features"], 3);
}

#[test]
fn columns_are_not_asked_of_what_has_none() {
    let room = Room::new();
    room.write("rows.svm", "1 1:1\n-1 2:1\n");
    room.write("rows.vw", "1 |f a b\n-1 |f c\n");
    room.write("t.csv", table("c", |k| (k % 7).to_string()));
    room.run("convert t.csv t.nvk --label y").good();
    room.run("convert rows.svm rows.nvk").good();
    for (words, parts) in [
        (
            "rows.svm --label y",
            ["svmlight text, which has no columns", "leave --label out"],
        ),
        (
            "rows.vw --label y",
            ["VW text, which has no columns", "--format csv"],
        ),
        ("rows.svm --drop a", ["no column \"a\"", "leave --drop out"]),
        (
            "rows.nvk --label y",
            ["which has no columns", "leave --label out"],
        ),
        (
            "t.nvk --label z",
            ["made with the label \"y\", not \"z\"", "leave --label out"],
        ),
    ] {
        room.run(&format!("train {words} -a perceptron"))
            .refused(&parts);
    }
    room.run("train t.nvk --label y -a perceptron").good();
    room.run("train t.csv --label y --text c --categorical c -a perceptron")
        .refused(&["\"c\" was to hold both text and categories"]);
}

#[test]
fn lines_that_are_prose_get_a_recipe() {
    let room = Room::new();
    std::fs::create_dir(room.path("mails")).expect("a directory");
    room.write(
        "mails/a.txt",
        "Subject: your order\nDear friend, it is late.\n",
    );
    let recipe = "one JSON object per line, as in {\"label\": \"spam\", \"text\": \"Dear friend, ...\"}, and run `novikoff train texts.jsonl --text text`";
    room.run("train mails/a.txt -a perceptron")
        .refused(&[recipe]);
    // the recipe works
    let row = |k: usize| {
        let (label, word) = [("spam", "money"), ("ham", "meeting")][k % 2];
        format!(r#"{{"label": "{label}", "text": "Dear friend, the {word} {k}"}}"#)
    };
    room.write("texts.jsonl", lines((0..50).map(row)));
    let json = room.json("train texts.jsonl --text text -a perceptron");
    assert_eq!(json["data"]["classes"], 2);
}

#[test]
fn nothing_to_predict_is_said() {
    let room = Room::new();
    room.write("t.csv", table("c", |k| (k % 7).to_string()));
    room.run("train t.csv --label y -a averaged -o m").good();
    for empty in ["", "x,z,c,y\n"] {
        room.write("empty.csv", empty);
        let done = room.run("predict m empty.csv -q").good();
        assert_eq!(done.stdout, "");
        assert!(
            done.stderr.contains("the data has no rows"),
            "{empty:?}: {}",
            done.stderr
        );
    }
}

#[test]
fn tests_have_a_time_of_their_own() {
    let room = Room::new();
    room.write("t.csv", table("c", |k| (k % 7).to_string()));
    let train = "train t.csv --label y -a voted --json";
    for (words, has_test) in [
        (train.to_owned(), false),
        (format!("{train} --test t.csv"), true),
        (format!("{train} --test t.csv --permutations 2"), true),
        (
            "compare t.csv voted --label y --json --test t.csv".to_owned(),
            true,
        ),
    ] {
        let done = room.run(&words).good();
        let found = done.stdout.contains("\"test_seconds\":");
        assert_eq!(found, has_test, "{words}\n{}", done.stdout);
    }
}

/// Runs a command to which rows come slowly, and gives its lines on stderr with the seconds after which each came.
fn slowly(room: &Room, words: &str, rows: &[String], pause: Duration) -> Vec<(f64, String)> {
    let mut command = room.command(words);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stderr = child.stderr.take().expect("a pipe");
    let begun = Instant::now();
    let heard = std::thread::scope(|scope| {
        scope.spawn(move || {
            for row in rows {
                stdin.write_all(row.as_bytes()).expect("it reads");
                std::thread::sleep(pause);
            }
        });
        let (mut heard, mut text, mut buffer) = (Vec::new(), String::new(), [0; 4096]);
        while let Ok(read @ 1..) = stderr.read(&mut buffer) {
            text.push_str(&String::from_utf8_lossy(&buffer[..read]));
            while let Some((line, rest)) = text.split_once('\n') {
                heard.push((begun.elapsed().as_secs_f64(), line.to_owned()));
                text = rest.to_owned();
            }
        }
        heard
    });
    assert!(child.wait().expect("it ends").success(), "{heard:?}");
    heard
}

#[test]
fn a_slow_pipe_is_no_silence_and_rows_are_learned_as_they_come() {
    let room = Room::new();
    // labels of words: nothing has to be waited for
    let row = |k: usize| format!("{} {}:1\n", ["a", "b"][k % 2], 1 + k % 7);
    let pieces = |count: usize| -> Vec<String> {
        let piece = |k: usize| (0..count).map(|i| row(count * k + i)).collect();
        (0..24).map(piece).collect()
    };
    let pause = Duration::from_millis(150);
    let heard = slowly(&room, "train - -a perceptron", &pieces(10), pause);
    let progress = |(_, line): &&(f64, String)| line.starts_with("learning: ");
    let first = heard.iter().find(progress).expect("a line of progress");
    assert!(first.0 < 3.4, "{heard:?}");
    // the table of trials begins with a thousand, which have come after 1.5 s of 3.6
    let heard = slowly(&room, "train - -a perceptron", &pieces(100), pause);
    let thousand = heard.iter().find(|(_, line)| line.contains("1,000"));
    assert!(thousand.is_some_and(|(at, _)| *at < 3.2), "{heard:?}");
    let quiet = slowly(&room, "train - -a perceptron -q", &pieces(10), pause);
    let is_progress = |(_, line): &(f64, String)| line.contains("after");
    assert!(!quiet.iter().any(is_progress), "{quiet:?}");
}

#[test]
fn the_first_rows_are_waited_for_with_a_word() {
    let room = Room::new();
    let rows: Vec<String> = (0..20)
        .map(|k| format!("{} 1:1\n", 2 * (k % 2) - 1))
        .collect();
    let pause = Duration::from_millis(180);
    let heard = slowly(&room, "train - -a perceptron", &rows, pause);
    let looking = |(_, line): &(f64, String)| line.starts_with("looking at the first rows: ");
    assert!(heard.iter().any(looking), "{heard:?}");
}
