//! Folders of texts: one sub-folder per class, one file per text.

use std::fs;

use serde_json::{Value, json};

use crate::common::data::SplitMix64;
use crate::common::messy::note;
use crate::common::remarks::said;
use crate::common::{Room, lines};

/// Mails: spam has words of its own, and so has ham.
fn mail(class: &str, k: usize) -> String {
    let word = match class {
        "spam" => ["money", "winner", "offer"][k % 3],
        _ => ["meeting", "report", "lunch"][k % 3],
    };
    format!(
        "Subject: {word}\n\nDear \"friend\",\tthe {word} number{} \\ it is.\n",
        k % 7
    )
}

fn room() -> Room {
    let room = Room::new();
    for class in ["spam", "ham"] {
        for (folder, mails) in [("mails", 0..80), ("new", 80..100)] {
            let inner = format!("{folder}/{class}");
            fs::create_dir_all(room.path(&inner)).expect("a directory");
            for k in mails {
                room.write(&format!("{inner}/{k:03}.txt"), mail(class, k));
            }
        }
    }
    fs::create_dir(room.path("flat")).expect("a directory");
    room.write("flat/b.txt", mail("spam", 1));
    room.write("flat/a.txt", mail("ham", 2));
    room
}

/// The lines that a folder of mails is read as, in the order of names.
fn written(room: &Room, folder: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for class in ["ham", "spam"] {
        let names = fs::read_dir(room.path(&format!("{folder}/{class}"))).expect("a directory");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<_> = names.map(name).collect();
        names.sort();
        for name in names {
            let name = name.into_string().expect("a plain name");
            let text = room.text(&format!("{folder}/{class}/{name}"));
            texts.push(json!({"label": class, "text": text}).to_string());
        }
    }
    texts
}

fn without_time(mut json: Value) -> Value {
    json.as_object_mut().expect("an object").remove("seconds");
    json
}

/// The order of the project's shuffles, by its definition.
fn shuffled<T>(mut items: Vec<T>) -> Vec<T> {
    let mut state = 0_u64;
    let mut uniform = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    for i in (1..items.len()).rev() {
        items.swap(i, (uniform() * (i + 1) as f64) as usize);
    }
    items
}

#[test]
fn a_folder_is_the_json_lines_of_its_files_in_a_drawn_order() {
    let room = room();
    room.write("same.jsonl", lines(shuffled(written(&room, "mails"))));
    for words in ["-a averaged --bias 1", "-a arow --epochs 3 --shuffle 5"] {
        let folder = room.json(&format!("train mails {words} -o folder.model"));
        let same = room.json(&format!(
            "train same.jsonl --text text {words} -o same.model"
        ));
        assert_eq!(without_time(folder), without_time(same), "{words}");
        assert_eq!(
            room.bytes("folder.model"),
            room.bytes("same.model"),
            "{words}"
        );
    }
    let report = room.json("train mails -a averaged --bias 1");
    assert_eq!(report["data"]["classes"], 2);
    // in the order of names the rows would be sorted by class, and a run over them worth nothing
    assert!(report["remarks"].is_null(), "{report}");
    let sorted = room.pipe(
        "train - --text text -a averaged --bias 1 --json",
        lines(written(&room, "mails")),
    );
    assert!(sorted.stderr.contains("--shuffle"), "{}", sorted.stderr);
}

#[test]
fn every_job_takes_a_folder() {
    let room = room();
    room.run("train mails -a passive-aggressive --bias 1 -o m")
        .good();
    assert_eq!(room.json("evaluate m new")["errors"], 0);
    let compared = room.json("compare mails perceptron averaged --test new");
    assert_eq!(compared["runs"][0]["test"]["rows"], 40);
    room.run("tune mails -a arow:r=0.1|1 --folds 3").good();
    room.run("solve mails --loss hinge --lambda 1e-2 -o s")
        .good();
    assert_eq!(room.json("evaluate s new")["data"]["rows"], 40);
    room.run("convert mails mails.jsonl").good();
    let converted = room.text("mails.jsonl");
    assert_eq!(converted.lines().count(), 160);
    let row: Value = serde_json::from_str(converted.lines().next().expect("a line")).expect("JSON");
    assert!(
        row["text^number3"].is_number() || row["text^the"].is_number(),
        "{row}"
    );
    // a cache notices a text that was added
    let cached = |says: &str| {
        let done = room.run("train mails/ -a perceptron --cache -v").good();
        assert!(done.stderr.contains(says), "{}", done.stderr);
    };
    cached("there is none yet");
    cached("mails.nvk");
    room.write("mails/ham/zzz.txt", "one more report");
    cached("mails had ");
}

#[test]
fn predictions_come_in_the_order_of_names() {
    let room = room();
    room.run("train mails -a passive-aggressive --bias 1 -o m")
        .good();
    let flat = room.run("predict m flat --id path").good();
    assert_eq!(flat.stdout, "flat/a.txt\tham\nflat/b.txt\tspam\n");
    let new = room.run("predict m new").good();
    assert_eq!(new.stdout, "ham\n".repeat(20) + &"spam\n".repeat(20));
    room.run("predict m flat --id name")
        .refused(&["no field \"name\"", "--id path"]);
    // a model of another table with one column of text reads folders too
    let other = written(&room, "mails")
        .join("\n")
        .replace("\"text\"", "\"body\"");
    room.write("other.jsonl", other);
    room.run("train other.jsonl --text body -a passive-aggressive --bias 1 --shuffle 1 -o other")
        .good();
    assert_eq!(room.run("predict other flat").good().stdout, "ham\nspam\n");
    // and the names may be asked for
    room.run("train mails --text body --label kind -a averaged -o named")
        .good();
    room.write("one.jsonl", r#"{"body": "the winner of money"}"#);
    assert_eq!(room.run("predict named one.jsonl").good().stdout, "spam\n");
}

#[test]
fn texts_in_other_codes_are_counted() {
    let room = room();
    room.write("mails/ham/latin1.txt", b"lunch f\xfcr zwei");
    room.write("mails/spam/mark.txt", b"\xef\xbb\xbfmoney");
    room.write("mails/spam/empty.txt", b"");
    room.write("mails/.hidden", b"\xff");
    let report = room.json("train mails -a averaged --bias 1");
    let remarks = report["remarks"].as_array().expect("remarks");
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert_eq!(remarks[0]["kind"], "not-utf8");
    let text = remarks[0]["text"].as_str().expect("a text");
    assert!(
        text.starts_with("1 text of 163 has bytes that are not UTF-8"),
        "{text}"
    );
    assert!(text.contains("mails/ham/latin1.txt"), "{text}");
    // a packed text is the text
    let plain = room.text("mails/ham/001.txt");
    room.run("train mails -a averaged --bias 1 -o plain").good();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, plain.as_bytes()).expect("memory");
    room.write("mails/ham/001.txt", packed.finish().expect("memory"));
    room.run("train mails -a averaged --bias 1 -o packed")
        .good();
    assert_eq!(room.bytes("plain"), room.bytes("packed"));
}

#[test]
fn what_is_no_folder_of_texts_is_refused() {
    let room = room();
    for folder in ["empty", "folders/a", "mixed/a", "deep/train/spam"] {
        fs::create_dir_all(room.path(folder)).expect("a directory");
    }
    room.write("empty/.hidden", "x");
    room.write("mixed/README", "x");
    room.write("mixed/a/1", "x");
    room.write("deep/train/spam/1", "x");
    for (words, parts) in [
        (
            "empty",
            ["empty: is an empty folder", "one sub-folder per class"],
        ),
        (
            "folders",
            ["folders: has sub-folders and no file", "check the name"],
        ),
        (
            "mixed",
            [
                "mixed: has files (README) beside sub-folders (a)",
                "move the files",
            ],
        ),
        (
            "deep",
            ["deep/train/spam: is a folder inside", "name deep/train"],
        ),
        (
            "flat",
            [
                "flat: has files and no sub-folders",
                "make a sub-folder per class",
            ],
        ),
        ("mails --format csv", ["mails: is a folder", "not as csv"]),
        (
            "mails --text a,b",
            ["one column of text, not several", "--text"],
        ),
        ("mails --drop age", ["\"age\"", "text"]),
        ("mails --label text", ["cannot have the same name", "leave"]),
    ] {
        room.run(&format!("train {words} -a perceptron -o m"))
            .refused(&parts);
        assert!(!room.path("m").exists(), "{words}");
    }
    room.write("mails/ham/zero.txt", b"a\0b");
    room.run("train mails -a perceptron")
        .refused(&["mails/ham/zero.txt: byte 0x00 at place 2", "UTF-8"]);
    room.write("mails/ham/zero.txt", vec![b'a'; 70 << 20]);
    room.run("train mails -a perceptron")
        .refused(&["mails/ham/zero.txt: as a line, this text is longer than 67,108,864 bytes"]);
    // what a learner refuses is refused with the file
    room.write("mails/ham/zero.txt", "one more word");
    let limited = room.run("train mails -a perceptron --max-features 3");
    limited.refused(&["novikoff: mails/", ".txt:1: "]);
}

#[test]
fn empty_texts_are_counted_and_are_no_copies() {
    let room = Room::new();
    let mut random = SplitMix64(3);
    for class in ["spam", "ham"] {
        fs::create_dir_all(room.path(&format!("mails/{class}"))).expect("a directory");
        for k in 0..100 {
            let text = note(&mut random, "dear friend");
            room.write(&format!("mails/{class}/{k:03}.txt"), text);
        }
    }
    let remarks = |kind: &str| said(&room.json("train mails -a averaged --bias 1 -q"), kind);
    assert!(remarks("empty-texts").is_empty() && remarks("copies").is_empty());
    for k in 0..40 {
        room.write(&format!("mails/ham/empty{k}.txt"), " \n");
    }
    let empty = remarks("empty-texts");
    assert!(
        empty.len() == 1
            && empty[0].contains("40 texts in the first 240 rows have no words")
            && empty[0].contains("leave them out"),
        "{empty:?}"
    );
    assert!(remarks("copies").is_empty());
}

#[test]
fn advice_on_texts_names_no_columns() {
    let room = Room::new();
    let mut random = SplitMix64(3);
    for class in ["spam", "ham"] {
        fs::create_dir_all(room.path(&format!("noise/{class}"))).expect("a directory");
        for k in 0..100 {
            let text = note(&mut random, "");
            room.write(&format!("noise/{class}/{k:03}.txt"), text);
        }
    }
    let json = room.json("compare noise perceptron averaged --bias 1 -q");
    let said = said(&json["runs"][0], "baseline").concat();
    assert!(
        said.ends_with("check the labels and how the data is read"),
        "{json}"
    );
}
