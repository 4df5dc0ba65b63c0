//! Golden outputs in `testdata/golden`. `NOVIKOFF_BLESS=1 cargo test --workspace --test all -- golden`
//! rewrites them; read the difference before keeping it.

use crate::common;

use std::path::{Path, PathBuf};

use common::{Done, Room, lines};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name)
}

/// Compares with `testdata/golden/NAME`, or writes it.
#[track_caller]
fn golden(name: &str, found: &str) {
    let path = testdata("golden").join(name);
    if std::env::var_os("NOVIKOFF_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, found).expect("a golden file is written");
        return;
    }
    let expected = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; NOVIKOFF_BLESS=1 writes it", path.display()));
    assert!(
        expected == found,
        "{name} differs (NOVIKOFF_BLESS=1 rewrites it)\n--- expected\n{expected}\n--- found\n{found}"
    );
}

/// Command, exit code, stdout and stderr of a run, times replaced by a mark.
fn shown(done: &Done) -> String {
    let mut text = vec![format!(
        "$ novikoff {}\n{}",
        done.words,
        timeless(&done.stdout)
    )];
    if !done.stderr.is_empty() {
        text.push(format!("-- stderr\n{}", timeless(&done.stderr)));
    }
    if done.code != Some(0) {
        text.push(format!("-- exit {:?}\n", done.code));
    }
    text.concat()
}

/// Seconds and speeds replaced by a mark.
fn timeless(text: &str) -> String {
    let is_seconds = |cell: &str| {
        cell.split_once('.')
            .is_some_and(|(_, digits)| digits.len() == 3)
            && cell.parse::<f64>().is_ok()
    };
    lines(text.lines().map(|line| {
        if line.starts_with("time ") {
            return "time       <seconds>".to_owned();
        }
        if let Some((start, speed)) = line.rsplit_once("% ")
            && speed.trim().chars().all(|c| c.is_ascii_digit() || c == ',')
        {
            return format!("{start}% <rows/s>");
        }
        match line.trim_end_matches('|').rsplit_once('|') {
            Some((start, last)) if is_seconds(last.trim()) => format!("{start}| <time>  |"),
            _ => line.to_owned(),
        }
    }))
}

#[test]
fn help_texts() {
    let room = Room::new();
    let help = shown(&room.run("--help").good());
    golden("help.txt", &help);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = listed
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        // the help of these is that of another program
        .filter(|command| !["help", "serve", "log"].contains(command))
        .collect();
    assert!(
        commands.contains(&"train") && commands.contains(&"certify"),
        "{commands:?}"
    );
    for command in commands {
        golden(
            &format!("help-{command}.txt"),
            &shown(&room.run(&format!("{command} --help")).good()),
        );
    }
}

#[test]
fn compare_digits() {
    // how much progress is shown depends on the time it takes
    let done = Done {
        stderr: String::new(),
        ..Room::new().run("compare digits").good()
    };
    golden("compare-digits.txt", &shown(&done));
}

#[test]
fn train_digits() {
    golden(
        "train-digits.txt",
        &shown(&Room::new().run("train digits -a perceptron").good()),
    );
    let words = "train digits -a averaged --epochs 2 --shuffle 1 --test digits -q";
    golden(
        "train-digits-test.txt",
        &shown(&Room::new().run(words).good()),
    );
    let words = "train digits -a perceptron --permutations 3 --positive 7";
    golden(
        "train-digits-permutations.txt",
        &shown(&Room::new().run(words).good()),
    );
}

#[test]
fn solve_digits() {
    let words =
        "solve digits --lambda 1,0.1 --normalize 2 --bias free --positive 7 --test digits -q";
    golden("solve-digits.txt", &shown(&Room::new().run(words).good()));
}

/// A room with the small files of `testdata`.
fn small() -> Room {
    let room = Room::new();
    for name in ["binary.svm", "classes.svm", "multilabel.svm"] {
        let text = std::fs::read(testdata(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        room.write(name, text);
    }
    room
}

#[test]
fn small_runs_and_their_models() {
    let room = small();
    let mut text = String::new();
    for words in [
        "train binary.svm -a perceptron --trace trace -o binary",
        "train classes.svm -a averaged --epochs 2 --bias 1 -o classes",
        "train multilabel.svm -a passive-aggressive:c=0.5 --normalize 2 -o multilabel",
        "train classes.svm -a perceptron --kernel gaussian:gamma=0.5 --epochs 2 -o kernel",
        "inspect binary",
        "inspect classes",
        "inspect multilabel",
        "inspect kernel",
        "inspect binary --json",
        "inspect kernel --json",
        "inspect binary --weights",
        "inspect classes --weights",
        "predict classes classes.svm",
        "predict multilabel multilabel.svm",
        "predict classes classes.svm --margins",
        "train binary.svm --resume binary --test binary.svm",
    ] {
        text.push_str(&shown(&room.run(words).good()));
        text.push('\n');
    }
    text.push_str("$ cat trace\n");
    text.push_str(&room.text("trace"));
    golden("small.txt", &text);
}

/// Certificates of every verdict: one that holds, one of updates, one in expectation, none, and a vacuous one.
#[test]
fn certificates() {
    let room = small();
    room.write("noise.svm", "+1 1:1\n-1 1:1\n-1 1:1\n+1 1:1\n");
    let mut text = String::new();
    for words in [
        "certify binary.svm -a perceptron",
        "certify binary.svm -a perceptron:margin=1",
        "certify binary.svm -a selective",
        "certify binary.svm -a random-budget",
        "certify noise.svm -a perceptron",
        "certify noise.svm -a romma",
        "certify classes.svm -a perceptron",
        "compare noise.svm perceptron averaged selective romma --certify",
    ] {
        text.push_str(&shown(&room.run(words).good()));
        text.push('\n');
    }
    golden("certificates.txt", &text);
}

#[test]
fn errors() {
    let room = small();
    room.write("bad.svm", "+1 1:1\n+1 1:1 2:nan\n");
    let mut text = String::new();
    for words in [
        "",
        "train bad.svm -a perceptron",
        "train missing.svm -a perceptron",
        "train binary.svm -a percepton",
        "train binary.svm -a p-norm:p=1",
        "train binary.svm -a p-norm:q=1",
        "train binary.svm -a winnow",
        "train multilabel.svm -a perceptron --positive 1",
        "predict binary.svm binary.svm",
        "train - -a winnow",
        "train binary.svm -a perceptron --epochs 0",
    ] {
        let done = room.run(words);
        assert_eq!(done.code, Some(2), "{words}");
        text.push_str(&shown(&done));
        text.push('\n');
    }
    golden("errors.txt", &text);
}

/// Bad data of every kind, with the words of its command after the file.
const BAD: &[(&str, &[u8], &str)] = &[
    ("nan.svm", b"+1 1:nan\n", ""),
    ("infinite.svm", b"+1 1:-inf\n", ""),
    ("overflow.svm", b"+1 1:1e39\n", ""),
    ("label.svm", b"nan 1:1\n", ""),
    ("no-label.svm", b"+1 1:1\n1:2\n", ""),
    ("negative.svm", b"+1 -3:1\n", ""),
    ("zero.svm", b"+1 0:1\n", ""),
    ("twice.svm", b"+1 1:1 1:2\n", ""),
    ("decreasing.svm", b"+1 7:1 5:1\n", ""),
    ("large.svm", b"+1 4294967296:1\n", ""),
    ("features.svm", b"+1 9:1\n", "--max-features 8"),
    ("memory.svm", b"+1 90000000:1\n", "--max-memory 16"),
    ("word.svm", b"+1 one:1\n", ""),
    ("no-colon.svm", b"+1 1\n", ""),
    ("no-value.svm", b"+1 1:\n", ""),
    ("bytes.svm", b"+1 1:\xff\xfe\n", ""),
    ("skipped.svm", b"+1 1:x\n+1 1:y\n+1 1:1\n", "--skip-bad 1"),
    ("empty", b"", ""),
    ("nan.vw", b"1 |f a:nan\n", ""),
    ("overflow.vw", b"1 |f a:1e39\n", ""),
    ("label.vw", b"nan |f a\n", ""),
    ("no-label.vw", b"1 |f a\n|f b\n", ""),
    ("importance.vw", b"1 -2 |f a\n", ""),
    ("colons.vw", b"1 |f a:1:2\n", ""),
    ("bytes.vw", b"1 |f \xff\n", ""),
    ("names.vw", b"1 |f a b c\n", "--max-features 2"),
    ("nan.csv", b"y,a\n1,nan\n", "--missing refuse"),
    ("infinite.csv", b"y,a\n1,inf\n", ""),
    ("overflow.csv", b"y,a\n1,1e39\n", ""),
    ("missing.csv", b"y,a,b\n1,,2\n", ""),
    ("word.csv", b"y,a\n1,2\n1,red\n", ""),
    ("no-label.csv", b"a,b\n1,2\n", ""),
    ("wrong-label.csv", b"price,a\n1,2\n", "--label prize"),
    ("ragged.csv", b"y,a,b\n1,2,3\n1,2\n", ""),
    ("long.csv", b"y,a,b\n1,2,3\n1,2,3,4\n", ""),
    ("quote.csv", b"y,a\n1,\"2\n", ""),
    ("bytes.csv", b"y,a\n1,red\n1,\xff\n", ""),
    ("same-name.csv", b"y,a,a\n1,2,3\n", ""),
    (
        "cut.svm.gz",
        b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xd3\x36\x54\x30\xb4\x32\xe4\xd2\x35",
        "",
    ),
    (
        "damaged.svm.gz",
        b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xd3\x36\x54\x30\xb4\x32\xe4\xd2\x35\x54\x30\x02\x52\0\x44\x86\x5d\x5b\x0e\0\0\0",
        "",
    ),
    ("cut.zst", b"\x28\xb5\x2f\xfd\x04\x58\x39", ""),
    ("cut.parquet", b"PAR1\x15\x04\x15\x10", ""),
    ("damaged.parquet", b"PAR1\xff\xff\xff\x08\0\0\0PAR1", ""),
    ("cut.arrow", b"ARROW1\0\0\xff\xff\xff\xff", ""),
    ("cut.nvk", b"NVKROWS\n", ""),
];

#[test]
fn bad_data() {
    let room = Room::new();
    std::fs::create_dir(room.path("folder")).expect("a directory");
    room.write("line.svm", vec![b'1'; 100 << 20]);
    let mut said = Vec::new();
    let mut refused = |data: &str, words: &str| {
        let done = room.run(&format!("train {data} -a perceptron -o model -q {words}"));
        done.refused(&["novikoff: "]);
        assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
        let space = if words.is_empty() { "" } else { " " };
        said.push(format!("{data}{space}{words}\n    {}", done.stderr));
    };
    for (name, bytes, words) in BAD {
        room.write(name, bytes);
        refused(name, words);
    }
    refused("line.svm", "");
    refused("folder", "");
    refused("nowhere.svm", "");
    assert!(!room.path("model").exists());
    golden("bad-data.txt", &said.concat());
}
