//! The keys of `--json` are those of the tables in docs/reports.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::common;

use common::Room;
use common::data::Shape;

/// The tables of the page, by the anchors of their headings.
type Tables = BTreeMap<String, Table>;

/// A table: the keys of one object, each with the table of what it holds, if that is an object or a list of objects.
type Table = BTreeMap<String, Option<String>>;

/// Commands that print all keys together, and the table of what they print.
const COMMANDS: &[(&str, &str)] = &[
    (
        "train",
        "train data.svm -a perceptron --map rff:dim=10,gamma=1 --test data.svm",
    ),
    (
        "train",
        "train data.svm -a perceptron --until-separated --epochs 3",
    ),
    ("train", "train data.svm -a auto --certify"),
    ("train", "train data.svm -a auto:cost=1"),
    ("train", "train data.svm -a voted"),
    (
        "train",
        "train bad.svm -a perceptron --skip-bad 3 --hash 10 -o model",
    ),
    ("train", "train data.svm -a perceptron -o model2"),
    ("train", "train data.svm --resume model2 -o model"),
    (
        "train",
        "train data.svm -a perceptron --permutations 2 --test data.svm",
    ),
    (
        "train",
        "train many.svm -a voted --kernel rbf:gamma=1 --epochs 2 --permutations 2 --test many.svm --test-every-epoch",
    ),
    (
        "train",
        "train data.svm -a auto --permutations 2 --test data.svm --test-every-epoch",
    ),
    (
        "train",
        "train many.svm -a higher-order:schedule=sparse --splits 2 --stratified --epochs 2",
    ),
    ("train", "train data.svm -a normalised-perceptron --certify"),
    ("train", "train data.svm -a selective --certify"),
    (
        "train",
        "train many.svm -a perceptron --certify --trace trace --save-comparator u",
    ),
    ("train", "train many.svm -a normalised-perceptron --certify"),
    (
        "train",
        "train easy.svm -a romma --certify --save-comparator u",
    ),
    ("train", "train easy.svm -a alma --certify"),
    ("train", "train noise.svm -a perceptron --certify"),
    (
        "certify---check",
        "certify --check certificate.json easy.svm",
    ),
    ("compare", "compare scales.svm"),
    (
        "solve",
        "solve data.svm --loss hinge --lambda 0.1,0.2 --test data.svm",
    ),
    (
        "solve",
        "solve data.svm --loss logistic --kernel rbf --lambda 0.1 -o probable",
    ),
    (
        "solve",
        "solve data.svm --loss hinge --map rff:dim=10 --lambda 0.1",
    ),
    ("solve", "solve scales.svm --loss hinge --lambda 0.1"),
    (
        "solve",
        "solve many.svm --loss hinge --lambda 0.1 --bias free --passes 5",
    ),
    (
        "solve",
        "solve data.svm --loss hinge --lambda 0.1 --bias free --order file",
    ),
    ("solve", "solve many.svm --loss hinge --lambda 0.1"),
    (
        "solve",
        "solve many.svm --loss hinge --kernel rbf:gamma=1 --lambda 0.1",
    ),
    (
        "solve",
        "solve data.svm --loss squared --lambda 0.1 --test data.svm -o numbers",
    ),
    ("evaluate", "evaluate model2 data.svm"),
    ("evaluate", "evaluate probable data.svm"),
    ("evaluate", "evaluate numbers data.svm"),
    ("evaluate", "evaluate model2 bad.svm --skip-bad 3"),
    ("evaluate", "evaluate model2 many.svm"),
    ("tune", "tune data.svm -a perceptron:margin=0|1"),
    ("tune", "tune scales.svm -a perceptron:margin=0|1 --folds 3"),
    ("tune", "tune data.svm -a logistic --folds 3 --by log-loss"),
    ("tune", "tune data.svm -a perceptron --folds 3 --by f1"),
    ("tune", "tune data.svm -a perceptron --folds 3 --by auc"),
    ("tune", "tune data.svm -a perceptron --folds 3 --by ap"),
    (
        "tune",
        "tune data.svm --loss hinge --lambda 0.1,0.2 --folds 3",
    ),
    (
        "tune",
        "tune data.svm --loss squared --lambda 0.1 --folds 3",
    ),
    ("reproduce", "reproduce block-novikoff --quick"),
    ("reproduce", "reproduce block-novikoff --repetitions 1"),
    ("inspect", "inspect model2"),
    (
        "train",
        "train table.csv --label y --missing mean -a logistic -o of_table",
    ),
    ("inspect", "inspect of_table"),
    ("train", "train data.svm -a auto -o of_auto"),
    ("inspect", "inspect of_auto"),
    (
        "train",
        "train data.svm -a perceptron --kernel rbf --class-weight balanced -o of_kernel",
    ),
    ("inspect", "inspect of_kernel"),
    ("inspect", "inspect isotonic"),
    ("inspect", "inspect platt"),
    ("inspect", "inspect unfinished"),
    (
        "tune",
        "tune data.svm -a perceptron --map rff:dim=8|16,gamma=1",
    ),
];

/// Every command whose help has `--json` is asked; the help of every command is a golden text.
#[test]
fn every_command_with_json_is_asked() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden");
    let mut commands = Vec::new();
    for file in std::fs::read_dir(golden).expect("golden texts") {
        let path = file.expect("a file").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = || std::fs::read_to_string(&path).expect("text");
        if let Some(command) = name.strip_prefix("help-") {
            let has = |line: &str| line.trim_start().starts_with("--json");
            if text().lines().any(has) {
                commands.push(command.to_owned());
            }
        }
    }
    assert!(commands.len() > 5, "{commands:?}");
    for command in commands {
        let is_asked = COMMANDS
            .iter()
            .any(|(_, words)| words.split(' ').next() == Some(command.as_str()));
        assert!(is_asked, "no command of this test is `{command}`");
    }
}

#[test]
fn every_key_of_the_json_is_in_its_table() {
    let page = include_str!("../../../docs/reports.md");
    let tables = tables(page);
    let shape = Shape::default();
    let data = shape.binary();
    let room = Room::with(&data);
    room.write("bad.svm", format!("{data}+1 what\n"));
    room.write("many.svm", shape.many(3, 1));
    room.write(
        "easy.svm",
        "+1 1:1\n-1 1:-1 2:0.5\n+1 1:2 2:1\n-1 1:-2\n".repeat(20),
    );
    room.write(
        "noise.svm",
        "+1 1:1\n-1 1:1\n-1 1:1 2:1\n+1 1:1 2:1\n".repeat(20),
    );
    room.write("scales.svm", "+1 1:1000000 2:1\n-1 1:-3 2:1\n".repeat(40));
    room.write(
        "table.csv",
        format!(
            "y,size,colour,when\n{}",
            "yes,1,red,2024-01-02\nno,,blue,2024-03-04\n".repeat(20)
        ),
    );
    for words in [
        "train data.svm -a perceptron -o plain",
        "calibrate plain data.svm --method platt -o platt",
        "calibrate plain data.svm --method isotonic -o isotonic",
    ] {
        room.run(words).good();
    }
    let checkpoint = include_bytes!("../../../testdata/models/unfinished.model");
    room.write("unfinished", checkpoint);
    let mut seen = BTreeSet::new();
    for (table, words) in COMMANDS {
        let done = room.run(&format!("{words} --json")).good();
        let json: Value = serde_json::from_str(&done.stdout).expect("an object");
        if words.contains("-a romma") {
            room.write("certificate.json", &done.stdout);
        }
        look_up(&json, table, &tables, &mut seen, words);
    }
    for (name, table) in &tables {
        for key in table.keys() {
            let is_seen = seen.contains(&(name.clone(), key.clone()));
            assert!(is_seen, "no command of this test prints `{key}` of {name}");
        }
    }
}

/// Every key of an object, or of each object of a list, has its line.
fn look_up(
    value: &Value,
    name: &str,
    tables: &Tables,
    seen: &mut BTreeSet<(String, String)>,
    words: &str,
) {
    match value {
        Value::Array(list) => {
            for value in list {
                look_up(value, name, tables, seen, words);
            }
        }
        Value::Object(object) => {
            let table = tables.get(name);
            let table = table.unwrap_or_else(|| panic!("no table has the anchor {name}"));
            for (key, value) in object {
                let held = table.get(key);
                let held =
                    held.unwrap_or_else(|| panic!("{words}: {name} has no line for `{key}`"));
                seen.insert((name.to_owned(), key.clone()));
                if let Some(held) = held {
                    look_up(value, held, tables, seen, words);
                }
            }
        }
        Value::Null => {}
        value => panic!("{words}: {name} is an object, not {value}"),
    }
}

/// A table stands below its heading; a value with a link is an object, or a list of objects.
fn tables(page: &str) -> Tables {
    let mut tables = Tables::new();
    for section in page.split("\n### ").skip(1) {
        let section = section.split("\n## ").next().unwrap_or_default();
        let (heading, text) = section.split_once('\n').unwrap_or_default();
        let lines = text.lines().filter(|line| line.starts_with("| `"));
        let table = lines.map(line_of_table).collect();
        tables.insert(anchor(heading), table);
    }
    tables
}

fn line_of_table(line: &str) -> (String, Option<String>) {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let key = cells[1].trim_matches('`').to_owned();
    let link = cells[2]
        .split_once("](#")
        .and_then(|(_, link)| link.split_once(')'));
    (key, link.map(|(anchor, _)| anchor.to_owned()))
}

fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-');
    let words: String = heading.to_lowercase().chars().filter(kept).collect();
    words.replace(' ', "-")
}
