//! `predict --threshold`, `--cost`, `--top`, `--print-header` and `--id`.

use crate::common;

use common::Room;
use common::data::Shape;

const SHAPE: Shape = Shape {
    rows: 120,
    ..Shape::DEFAULT
};

/// A room with `margins`, a model without probabilities, and `chances`, one with them.
fn room(text: &str, words: &str) -> Room {
    let room = Room::with(text);
    room.run(&format!("train data.svm -a averaged {words} -o margins"))
        .good();
    room.run(&format!(
        "solve data.svm --loss logistic --lambda 0.01 {words} -o chances"
    ))
    .good();
    room
}

fn printed(room: &Room, words: &str) -> String {
    room.run(&format!("predict {words}")).good().stdout
}

fn cells(text: &str) -> Vec<Vec<String>> {
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().map(row).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("a number")
}

#[test]
fn a_threshold_is_of_the_probability_if_there_is_one() {
    let room = room(&SHAPE.binary(), "");
    for (model, values, at) in [
        ("chances", "probabilities", 0.7),
        ("margins", "margins", -0.5),
    ] {
        let all = printed(&room, &format!("{model} data.svm --{values}"));
        let expected: Vec<&str> = cells(&all)
            .iter()
            .map(|row| {
                if number(&row[row.len() - 1]) >= at {
                    "+1"
                } else {
                    "-1"
                }
            })
            .collect();
        let found = printed(&room, &format!("{model} data.svm --threshold {at}"));
        assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{model}");
        assert!(expected.contains(&"+1") && expected.contains(&"-1"));
        // the label comes first, the numbers follow
        let both = printed(
            &room,
            &format!("{model} data.svm --threshold {at} --{values}"),
        );
        for ((row, label), values) in cells(&both).iter().zip(&expected).zip(cells(&all)) {
            assert_eq!((&row[0], &row[1..]), (&(*label).to_owned(), &values[..]));
        }
    }
    // the margin at the threshold is above it
    room.write("zero.svm", "? 1:0\n");
    let at = printed(&room, "margins zero.svm --threshold 0 --lenient");
    assert_eq!(at, "+1\n");
    room.run("predict chances data.svm --threshold 1.5")
        .refused(&["--threshold 1.5", "from 0 to 1"]);
    room.run("predict chances data.svm --threshold x")
        .refused(&["--threshold", "x"]);
}

#[test]
fn costs_are_a_threshold_of_the_probability() {
    let room = room(&SHAPE.binary(), "");
    for (cost, at) in [
        ("1:1", "0.5"),
        ("1:3", "0.25"),
        ("3:1", "0.75"),
        ("0:1", "0"),
        ("2:0", "1"),
    ] {
        let found = printed(&room, &format!("chances data.svm --cost {cost}"));
        assert_eq!(
            found,
            printed(&room, &format!("chances data.svm --threshold {at}")),
            "{cost}"
        );
    }
    room.run("predict margins data.svm --cost 1:5").refused(&[
        "--cost",
        "margins only",
        "novikoff calibrate margins",
    ]);
    for bad in ["1", "1:", "0:0", "-1:2", "nan:1", "1:inf", "1:2:3"] {
        room.run(&format!("predict chances data.svm --cost={bad}"))
            .refused(&["--cost", "as in 1:5"]);
    }
    room.run("predict chances data.svm --cost 1:2 --threshold 0.5")
        .refused(&["--cost", "--threshold"]);
}

#[test]
fn several_labels_per_row_are_decided_one_by_one() {
    let room = room(&SHAPE.multi(3, 5), "--multilabel");
    let chances = cells(&printed(&room, "chances data.svm --probabilities"));
    let expected: Vec<String> = chances
        .iter()
        .map(|row| {
            let chosen = (0..3).filter(|&k| number(&row[k]) >= 0.2);
            chosen.map(|k| k.to_string()).collect::<Vec<_>>().join(",")
        })
        .collect();
    for words in ["--threshold 0.2", "--cost 1:4"] {
        let found = printed(&room, &format!("chances data.svm {words}"));
        assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{words}");
    }
}

#[test]
fn the_best_labels_come_first() {
    let room = room(&SHAPE.many(4, 5), "");
    for (model, values) in [("chances", "probabilities"), ("margins", "margins")] {
        let all = cells(&printed(&room, &format!("{model} data.svm --{values}")));
        let top = cells(&printed(&room, &format!("{model} data.svm --top 2")));
        let both = cells(&printed(
            &room,
            &format!("{model} data.svm --top 2 --{values}"),
        ));
        for ((all, top), both) in all.iter().zip(&top).zip(&both) {
            let mut order: Vec<usize> = (0..4).collect();
            order.sort_by(|&a, &b| number(&all[b]).total_cmp(&number(&all[a])));
            let names: Vec<String> = order.iter().take(2).map(usize::to_string).collect();
            assert_eq!(*top, names);
            assert_eq!([&both[0], &both[2]], [&names[0], &names[1]]);
            assert_eq!([&both[1], &both[3]], [&all[order[0]], &all[order[1]]]);
        }
    }
    let first = printed(&room, "margins data.svm --top 1");
    assert_eq!(first, printed(&room, "margins data.svm"));
    // no more than there are
    let all = cells(&printed(&room, "margins data.svm --top 9"));
    assert!(all.iter().all(|row| row.len() == 4));
    room.run("predict chances data.svm --threshold 0.5")
        .refused(&["--threshold", "one of several labels", "--top K"]);
    room.run("predict chances data.svm --cost 1:2")
        .refused(&["--cost", "one of several labels"]);
    room.run("predict chances data.svm --top 0")
        .refused(&["--top", "1 or more"]);
}

#[test]
fn what_there_is_nothing_to_decide_about() {
    let room = room(&SHAPE.binary(), "");
    room.run("predict chances data.svm --top 2")
        .refused(&["--top", "two labels"]);
    room.run("solve data.svm --loss squared --lambda 0.1 -o numbers")
        .good();
    for words in ["--top 1", "--threshold 1", "--cost 1:1"] {
        let flag = words.split(' ').next().expect("a flag");
        room.run(&format!("predict numbers data.svm {words}"))
            .refused(&[flag, "predicts numbers"]);
    }
    room.run("predict numbers data.svm --probabilities")
        .refused(&["--probabilities"]);
}

#[test]
fn columns_have_names() {
    let binary = room(&SHAPE.binary(), "");
    let many = room(&SHAPE.many(3, 5), "");
    for (room, words, expected) in [
        (&binary, "chances data.svm", "label"),
        (&binary, "chances data.svm --margins", "margin:+1"),
        (
            &binary,
            "chances data.svm --probabilities",
            "probability:-1\tprobability:+1",
        ),
        (
            &binary,
            "chances data.svm --cost 1:2 --margins",
            "label\tmargin:+1",
        ),
        (
            &many,
            "chances data.svm --probabilities",
            "probability:0\tprobability:1\tprobability:2",
        ),
        (&many, "margins data.svm --top 2", "label1\tlabel2"),
        (
            &many,
            "margins data.svm --top 2 --margins",
            "label1\tmargin1\tlabel2\tmargin2",
        ),
    ] {
        let found = printed(room, &format!("{words} --print-header"));
        assert_eq!(found.lines().next(), Some(expected), "{words}");
        let (_, rest) = found.split_once('\n').expect("lines");
        assert_eq!(rest, printed(room, words));
    }
}

const TABLE: &str = "customer,spent,plan,left\n\
    c-1,10.5,basic,yes\n\
    \"c,2\",90,gold,no\n\
    \"c\t\"\"3\",12,basic,yes\n\
    c-4,85,gold,no\n";

#[test]
fn ids_come_before_the_answers() {
    let room = Room::new();
    room.write("data.csv", TABLE);
    room.write(
        "without.csv",
        TABLE
            .replace(",yes", "")
            .replace(",no", "")
            .replace(",left", ""),
    );
    room.write("data.tsv", "customer\tspent\tplan\nc-1\t10.5\tbasic\n");
    room.run("train data.csv --label left --drop customer -a perceptron --epochs 9 -o model")
        .good();
    let labels = printed(&room, "model data.csv");
    let ids = ["c-1", "c,2", "\"c\t\"\"3\"", "c-4"];
    let expected: String = ids
        .iter()
        .zip(labels.lines())
        .map(|(id, label)| format!("{id}\t{label}\n"))
        .collect();
    assert_eq!(printed(&room, "model data.csv --id customer"), expected);
    assert_eq!(printed(&room, "model without.csv --id customer"), expected);
    assert_eq!(printed(&room, "model without.csv --id 1"), expected);
    assert_eq!(
        room.pipe("predict model - --id customer", TABLE)
            .good()
            .stdout,
        expected
    );
    assert_eq!(printed(&room, "model data.tsv --id customer"), "c-1\tyes\n");
    let header = printed(&room, "model data.csv --id customer --print-header");
    assert_eq!(header, format!("customer\tlabel\n{expected}"));
    // a number, a category and the label pass through as written, and are what they were
    let spent = printed(&room, "model data.csv --id spent");
    assert_eq!(spent.lines().next(), Some("10.5\tyes"));
    let plan = printed(&room, "model data.csv --id plan");
    assert_eq!(plan.lines().nth(1), Some("gold\tno"));
    let label = printed(&room, "model data.csv --id left");
    assert_eq!(label.lines().nth(1), Some("no\tno"));
    // an id that the model has never seen is no feature
    room.write("new.csv", TABLE.replace("customer", "account"));
    let done = room.run("predict model new.csv --id account").good();
    assert_eq!(done.stdout, expected);
    assert!(!done.stderr.contains("account"), "{}", done.stderr);
    room.run("predict model data.csv --id custmer")
        .refused(&["data.csv", "custmer", "the id", "customer"]);
    room.write("data.svm", "1 1:1\n");
    room.run("predict model data.svm --id customer --lenient")
        .refused(&["--id customer", "no table"]);
}

#[test]
fn ids_of_other_formats() {
    let room = Room::new();
    room.write(
        "data.jsonl",
        "{\"id\":17,\"x\":{\"y\":1.5},\"label\":\"a\"}\n\
         {\"x\":{\"y\":-2},\"label\":\"b\",\"id\":\"n\\u00e9\"}\n\
         {\"x\":{\"y\":-2},\"label\":\"b\"}\n",
    );
    room.run("train data.jsonl --drop id -a perceptron --epochs 9 -o model")
        .good();
    let found = printed(&room, "model data.jsonl --id id");
    assert_eq!(found, "17\ta\nn\u{e9}\tb\n\tb\n");
    let found = printed(&room, "model data.jsonl --id x.y");
    assert_eq!(found.lines().next(), Some("1.5\ta"));
    room.run("predict model data.jsonl --id name")
        .refused(&["data.jsonl", "name", "the id"]);
    // many rows, on several threads, with lines that are passed over
    let mut table = "id,x,label\n".to_owned();
    let mut expected = Vec::new();
    for k in 0..30_000 {
        let bad = k % 7_000 == 3;
        let x = if bad {
            "bad".to_owned()
        } else {
            (k % 11 - 5).to_string()
        };
        table.push_str(&format!(
            "row {k},{x},{}\n",
            if k % 11 > 4 { "a" } else { "b" }
        ));
        if !bad {
            expected.push(format!("row {k}"));
        }
    }
    room.write("many.csv", &table);
    room.run("train many.csv --drop id --skip-bad 9 -a perceptron -o model -q")
        .good();
    for threads in [1, 3] {
        let words = format!("model many.csv --id id --skip-bad 9 --threads {threads} -q");
        let found = printed(&room, &words);
        let ids: Vec<&str> = found
            .lines()
            .map(|line| line.split('\t').next().expect("an id"))
            .collect();
        assert_eq!(ids, expected);
    }
    for name in ["many.parquet", "many.arrow"] {
        room.run(&format!(
            "convert many.csv {name} --skip-bad 9 --drop id --label label -q"
        ))
        .good();
        let words = format!("model {name} --id x -q");
        let found = printed(&room, &words);
        assert_eq!(found.lines().count(), expected.len());
        assert!(
            found.starts_with("-5\t"),
            "{name}: {:?}",
            found.lines().next()
        );
    }
}
