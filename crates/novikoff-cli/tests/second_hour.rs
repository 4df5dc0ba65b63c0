//! What a second try by new users found: tables as they are exported, JSON lines without some keys, kernels of a grid, answers that are all the same,
//! and words that were not helpful.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use serde_json::Value;

/// The texts of the remarks of a kind.
fn remarks(json: &Value, kind: &str) -> Vec<String> {
    let list = json["remarks"].as_array().map_or(&[][..], |list| list);
    let found = list.iter().filter(|remark| remark["kind"] == kind);
    let text = |remark: &Value| remark["text"].as_str().unwrap_or_default().to_owned();
    found.map(text).collect()
}

/// Customers with the number of the row, an id that a few have twice, an age of -999 for some, and a column that is filled in afterwards.
fn customers(rows: usize) -> String {
    let mut random = SplitMix64(5);
    let mut text = "row,account_id,age,calls,refunded,churned\n".to_owned();
    for row in 1..=rows {
        let calls = random.below(9);
        let churns = calls as f64 + 4.0 * (random.uniform() - 0.5) > 4.5;
        let label = match (churns, row % 3) {
            (true, 0) => "Yes",
            (true, _) => "yes",
            (false, _) => "no",
        };
        let age = match row % 20 {
            7 => -999.0,
            _ => 30.0 + (20.0 * random.uniform()).round(),
        };
        // every fiftieth customer has come before
        let account = 7_000_000 + 37 * ((row - row / 50) * 7919 % 100_003);
        let refunded = usize::from(churns);
        let _ = writeln!(text, "{row},{account},{age},{calls},{refunded},{label}");
    }
    text
}

#[test]
fn an_exported_table_says_what_is_wrong_with_it_in_one_pass() {
    let room = Room::new();
    room.write("c.csv", customers(1500));
    room.run("convert c.csv c.parquet --label churned -q")
        .good();
    room.run("convert c.csv c.arrow --label churned -q").good();
    for data in ["c.csv --label churned", "c.parquet", "c.arrow"] {
        let json = room.json(&format!("train {data} -a averaged -q"));
        let ids = remarks(&json, "ids");
        assert_eq!(ids.len(), 2, "{data}: {ids:?}");
        assert!(
            ids[0].starts_with("column row looks like a row number"),
            "{data}: {ids:?}"
        );
        assert!(
            ids[1].starts_with(
                "column account_id looks like an id: its first 500 values are whole, 49"
            ),
            "{data}: {ids:?}"
        );
        let far = remarks(&json, "outlier");
        assert!(
            far[0].starts_with("75 of the first 1,500 rows have the value -999 in column age"),
            "{data}: {far:?}"
        );
        let leak = remarks(&json, "leakage");
        assert!(
            leak[0].starts_with("column refunded predicts the label"),
            "{data}: {leak:?}"
        );
    }
    let solved = room.json("solve c.csv --label churned --lambda 0.01 --standardize -q");
    for kind in ["leakage", "outlier", "labels"] {
        assert_eq!(remarks(&solved, kind).len(), 1, "{kind}: {solved}");
    }
    assert_eq!(solved["baseline"]["label"], "no");
}

#[test]
fn the_columns_that_the_first_rows_decided_about_are_parameters() {
    let room = Room::new();
    let mut text = "id,when,a,note,y\n".to_owned();
    for row in 0..300 {
        let _ = writeln!(
            text,
            "c-{row},2024-01-{:02},{},n{row},{}",
            1 + row % 28,
            row % 7,
            row % 2
        );
    }
    room.write("t.csv", text);
    let json = room.json("train t.csv --label y -a perceptron -q --drop note -o m");
    assert_eq!(json["parameters"]["ids"], "id");
    assert_eq!(json["parameters"]["dates"], "when");
    let json = room.json("train t.csv --resume m -o m -q");
    assert_eq!(json["parameters"]["ids"], Value::Null, "decided before");
    room.run("convert t.csv t.nvk --label y --drop note -q")
        .good();
    let json = room.json("train t.nvk -a perceptron -q");
    assert_eq!(json["parameters"]["ids"], Value::Null, "decided before");
}

#[test]
fn keys_that_some_lines_lack_are_said_without_standardising_too() {
    let room = Room::new();
    let mut random = SplitMix64(3);
    let mut text = String::new();
    for row in 0..600 {
        let (age, clicks) = (40 + random.below(10), random.below(4));
        let label = ["ham", "spam"][usize::from(clicks > 1)];
        let age = if row % 5 == 0 {
            String::new()
        } else {
            format!("\"age\":{age},")
        };
        let _ = writeln!(text, "{{{age}\"clicks\":{clicks},\"label\":\"{label}\"}}");
    }
    room.write("t.jsonl", &text);
    let expected = "120 of 600 rows have no field age, which is read as 0, ";
    for words in [
        "train t.jsonl --label label -a averaged -q",
        "train t.jsonl --label label -a averaged --standardize -q",
        "compare t.jsonl averaged --label label -q",
        "solve t.jsonl --label label --lambda 0.1 -q",
        "tune t.jsonl --label label -a averaged -q",
    ] {
        let json = room.json(words);
        let said = remarks(&json, "missing-scale");
        assert_eq!(said.len(), 1, "{words}: {json}");
        assert!(said[0].starts_with(expected), "{words}: {said:?}");
    }
    let piped = room.json_piped("train - --label label -a averaged -q", &text);
    assert_eq!(remarks(&piped, "missing-scale").len(), 1, "{piped}");
    // a field that most lines lack is a rare one, and zeros are what it is
    let rare = text.replace("\"clicks\":0,", "\"clicks\":0,\"vip\":7,");
    room.write("r.jsonl", rare.replace("\"age\"", "\"height\""));
    let json = room.json("train r.jsonl --label label -a averaged -q");
    assert!(
        !remarks(&json, "missing-scale")
            .iter()
            .any(|text| text.contains("vip")),
        "{json}"
    );
}

#[test]
fn the_kernel_of_the_best_candidate_is_looked_at() {
    let room = Room::new();
    let mut random = SplitMix64(8);
    let mut text = String::new();
    for row in 0..300 {
        let pixels: Vec<String> = (1..20)
            .map(|k| format!("{k}:{}", random.below(256)))
            .collect();
        let _ = writeln!(text, "{} {}", row % 3, pixels.join(" "));
    }
    room.write("p.svm", text);
    for words in [
        "tune p.svm -a perceptron --kernel gaussian:gamma=1|2 -q",
        "tune p.svm --loss hinge --lambda 0.1 --kernel gaussian:gamma=1 --folds 2 -q",
    ] {
        let json = room.json(words);
        let said = remarks(&json, "kernel-values");
        assert!(
            said[0].contains("is nearly 0 for 100.00% of the pairs"),
            "{words}: {said:?}"
        );
    }
}

#[test]
fn maps_are_tuned_as_other_specs_are() {
    let room = Room::new();
    let mut random = SplitMix64(2);
    let mut text = String::new();
    for _ in 0..400 {
        let (x, z) = (2.0 * random.uniform() - 1.0, 2.0 * random.uniform() - 1.0);
        let label = if x * x + z * z > 0.6 { "+1" } else { "-1" };
        let _ = writeln!(text, "{label} 1:{x:.3} 2:{z:.3}");
    }
    room.write("t.svm", text);
    let json =
        room.json("tune t.svm -a passive-aggressive --map rff:dim=16|64,gamma=0.5..2*2 -q -o m");
    let tried = json["runs"].as_array().expect("a list");
    let maps: Vec<&str> = tried.iter().filter_map(|one| one["map"].as_str()).collect();
    assert_eq!(
        maps,
        [
            "rff:dim=16,gamma=0.5,seed=0",
            "rff:dim=16,gamma=2,seed=0",
            "rff:dim=64,gamma=0.5,seed=0",
            "rff:dim=64,gamma=2,seed=0"
        ]
    );
    let command = json["command"].as_str().expect("a command");
    assert!(command.contains("--map rff:dim="), "{command}");
    // the saved model is that of the command
    let words = command.replace("novikoff ", "").replace("-o m", "-o n -q");
    room.run(&words).good();
    assert_eq!(room.bytes("m"), room.bytes("n"));
    let json =
        room.json("tune t.svm --loss hinge --lambda 0.001|0.1 --map rff:dim=16|64 --folds 3 -q");
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(4), "{json}");
    room.run("tune t.svm -a perceptron --map rff:dim=16..x")
        .refused(&["--map"]);
}

#[test]
fn one_answer_for_all_rows_is_said() {
    let room = Room::new();
    let rows = |n: usize| "-1 1:1 2:3\n".repeat(n);
    room.write("t.svm", format!("{}+1 2:-9\n+1 2:-9\n", rows(20)));
    room.write("u.svm", rows(150));
    room.write("few.svm", rows(99));
    room.run("train t.svm -a perceptron --epochs 3 -q -o m")
        .good();
    let done = room.run("predict m u.svm -q").good();
    assert!(
        done.stderr.starts_with("all 150 rows are answered -1; "),
        "{}",
        done.stderr
    );
    assert_eq!(room.run("predict m few.svm -q").good().stderr, "");
    assert_eq!(room.run("predict m u.svm --margins -q").good().stderr, "");
}

#[test]
fn words_that_name_what_is_wrong() {
    let room = Room::new();
    room.write("t.csv", "a,y\n1,No\n2,yes\n3,No\n4,yes\n");
    room.run("train t.csv --label y -a perceptron -q -o m")
        .good();
    room.run("predict m t.csv --threshold nan")
        .refused(&["--threshold NaN: a threshold is a number"]);
    let done = room.run("train t.csv --label y -a perceptron --labels no,yes");
    done.refused(&["is No the label no?"]);
    assert!(!done.stderr.contains("the same label"), "{}", done.stderr);
    room.write("l.jsonl", "{\"t\":[\"a\"],\"x\":1}\n{\"t\":[],\"x\":2}\n");
    room.run("train l.jsonl --label t -a perceptron")
        .refused(&["no label", "--multilabel"]);
    room.pipe(
        "train - --label y -a perceptron --class-weight balanced",
        "a,y\n1,No\n",
    )
    .refused(&["--class-weight balanced needs all rows"]);
    for words in [
        "train t.csv --label y -a perceptron --class-weight Yes=3",
        "compare t.csv perceptron --label y --class-weight Yes=3",
        "tune t.csv --label y -a perceptron --class-weight Yes=3",
        "solve t.csv --label y --lambda 0.1 --class-weight Yes=3",
    ] {
        room.run(words)
            .refused(&["class weights: no row has the label `Yes`"]);
        let done = room.run(&format!("{words} --lenient")).good();
        assert!(
            done.stderr
                .contains("class weights: no row has the label `Yes`"),
            "{words}: {}",
            done.stderr
        );
    }
}

#[test]
fn several_labels_have_a_baseline_when_they_are_evaluated() {
    let room = Room::new();
    room.write(
        "t.svm",
        "a,b 1:1\na 1:2\na,b 2:1\na 2:2\nb 1:1 2:-1\n".repeat(10),
    );
    room.run("train t.svm --multilabel -a perceptron -q -o m")
        .good();
    room.write("u.svm", "a 1:1\na 2:3\na,b 1:4\n".repeat(5));
    let json = room.json("evaluate m u.svm -q");
    // nothing is answered first; then a, which is on all rows
    assert_eq!(json["baseline"]["label"], "a");
    assert_eq!(json["baseline"]["errors"], 6);
}

#[test]
fn the_page_has_the_theorem_of_the_majority_as_a_formula() {
    let room = Room::new();
    let words = "certify digits --positive 3 -q --report page.html";
    room.run(words).good();
    let page = room.text("page.html");
    for part in [
        "<math",
        "For every expert i:",
        "mistakes of the best expert",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let text = room.run("certify digits --positive 3 -q").good().stdout;
    let composed = text.lines().find(|line| line.starts_with("composed"));
    let composed = composed.expect("a bound through an expert");
    assert!(composed.contains(" mistakes by T"), "{composed}");
}
