//! What a new user does in the first hour with a table: no worthless result goes without a remark, and what is printed can be typed.

#![allow(clippy::format_collect)] // small tables

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::remarks::kinds;
use serde_json::Value;

/// One customer.
#[derive(Clone)]
struct Customer {
    balance: String,
    age: f64,
    colour: &'static str,
    label: &'static str,
}

/// Customers with a balance of about 2e9; a fifth of them are `yes`.
fn customers(count: usize, seed: u64) -> Vec<Customer> {
    let mut random = SplitMix64(seed);
    let customer = |_| {
        // a sum of uniform numbers is nearly normal
        let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let (z, a, noise) = (normal(), normal(), normal());
        Customer {
            balance: format!("{:.0}", 2e9 + 5e8 * z),
            age: (40.0 + 10.0 * a).round(),
            colour: ["red", "green", "blue"][(random.uniform() * 3.0) as usize],
            label: if z + 0.5 * a + 0.2 * noise > 0.9 {
                "yes"
            } else {
                "no"
            },
        }
    };
    (0..count).map(customer).collect()
}

fn csv(customers: &[Customer]) -> String {
    let mut text = "balance,age,colour,churned\n".to_owned();
    for c in customers {
        let _ = writeln!(text, "{},{},{},{}", c.balance, c.age, c.colour, c.label);
    }
    text
}

const TRAIN: &str = "train train.csv --label churned -a averaged --bias 1 --shuffle 1 -q";

/// A room with rows to train on, rows to test on, and the model `m` of them.
fn room(options: &str) -> Room {
    let room = Room::new();
    room.write("train.csv", csv(&customers(2000, 1)));
    room.write("test.csv", csv(&customers(500, 2)));
    room.run(&format!("{TRAIN} --standardize {options} -o m"))
        .good();
    room
}

fn errors(json: &Value) -> u64 {
    json["errors"].as_u64().expect("errors")
}

#[test]
fn a_missing_cell_beside_its_indicator_is_the_mean() {
    let mut test = customers(500, 2);
    for customer in test.iter_mut().take(50) {
        customer.balance.clear();
    }
    let whole = room("--missing indicator");
    whole.write("gaps.csv", csv(&test));
    let before = errors(&whole.json("evaluate m test.csv -q"));
    let json = whole.json("evaluate m gaps.csv -q");
    assert_eq!(kinds(&json), ["missing-cells"], "{json}");
    let text = json["remarks"][0]["text"].as_str().expect("a text");
    let expected = "50 cells of column balance are missing, and no row that the model was trained on has a missing cell there; \
                    they are read as its mean in training, ";
    assert!(text.starts_with(expected), "{text}");
    // without their balance one in five of those rows is wrong, and not nearly all
    let after = errors(&json);
    assert!(after <= before + 15, "{before} errors, then {after}");
    let mean = room("--missing mean");
    mean.write("gaps.csv", csv(&test));
    assert_eq!(errors(&mean.json("evaluate m gaps.csv -q")), after);

    let zero = room("--missing zero");
    zero.write("gaps.csv", csv(&test));
    let done = zero.run("predict m gaps.csv -q").good();
    let far = "50 missing cells of column balance are read as 0, which is 3.9 standard deviations";
    assert!(done.stderr.contains(far), "{}", done.stderr);
    assert!(done.stderr.contains("--missing mean"), "{}", done.stderr);
}

#[test]
fn gaps_in_training_are_read_as_the_mean_in_every_format() {
    let mut train = customers(1000, 3);
    for customer in train.iter_mut().step_by(10) {
        customer.balance.clear();
    }
    let room = Room::new();
    room.write("t.csv", csv(&train));
    room.run("convert t.csv t.jsonl --label churned --missing zero --to json -q");
    let words = "--label churned -a averaged --standardize --bias 1 -q";
    let json = room.json(&format!("train t.csv {words} --missing indicator -o m"));
    assert!(kinds(&json).is_empty(), "{json}");
    let validation = |json: &Value| json["validation"]["errors"].as_u64().expect("a count");
    let mean = room.json(&format!("train t.csv {words} --missing mean"));
    let (indicated, filled) = (validation(&json), validation(&mean));
    assert!(indicated <= filled + 20, "{indicated} and {filled}");
    // a run that is resumed on the same rows fills them the same way
    room.run("train t.csv --resume m -o again -q").good();
    let cached = room.json(&format!(
        "train t.csv {words} --missing indicator --cache -o c"
    ));
    assert_eq!(validation(&cached), indicated);
    assert_eq!(room.bytes("c"), room.bytes("m"), "by way of a cache");
    // a cache that was made without a word of standardising has zeros there, and the indicator
    room.run("convert t.csv own.nvk --label churned --missing indicator -q")
        .good();
    let own = room.json(&format!("train own.nvk {words} -o o"));
    assert!(kinds(&own).is_empty(), "{own}");
    assert_eq!(validation(&own), indicated);
    for data in ["t.csv", "own.nvk"] {
        let margins = |model: &str| {
            let words = format!("predict {model} {data} --margins -q");
            room.run(&words).good().stdout
        };
        assert_eq!(margins("o"), margins("m"), "{data}");
    }
    // without standardising the cell is 0
    let plain = "--label churned -a averaged --bias 1 -q";
    let zero = room.json(&format!("train t.csv {plain} --missing indicator"));
    let own = room.json(&format!("train own.nvk {plain}"));
    assert_eq!(own["mistakes"], zero["mistakes"]);
}

#[test]
fn a_column_that_is_missing_is_its_mean() {
    let room = room("--missing zero");
    let without: String = csv(&customers(500, 2))
        .lines()
        .map(|line| line.split_once(',').map_or("", |(_, rest)| rest).to_owned() + "\n")
        .collect();
    room.write("without.csv", without);
    let done = room.run("predict m without.csv -q").good();
    let said = "column balance is missing, which the model or an earlier input has; it is read as its mean in training, 1.9";
    let other = said.replace("1.9", "2");
    let is_said = done.stderr.contains(said) || done.stderr.contains(&other);
    assert!(is_said, "{}", done.stderr);
    let yes = done.stdout.lines().filter(|line| *line == "yes").count();
    assert!(yes < 100, "{yes} of 500 rows are yes");
}

#[test]
fn a_missing_cell_names_three_ways_out() {
    let room = Room::new();
    room.write("t.csv", "a,b,y\n1,2,no\n,3,yes\n");
    let done = room.run("train t.csv --label y -a perceptron");
    let ways = "fill it in, use --missing mean to read it as the mean of its column (files, in training), --missing indicator \
                to learn from its being missing (in training), or --missing zero to read it as 0";
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains(ways), "{}", done.stderr);
}

#[test]
fn no_better_than_chance_is_said_everywhere() {
    let room = Room::new();
    let coin = |seed| {
        let mut random = SplitMix64(seed);
        let mut all = customers(2000, seed);
        for customer in &mut all {
            customer.label = if random.uniform() < 0.5 { "yes" } else { "no" };
        }
        csv(&all)
    };
    room.write("coin.csv", coin(5));
    room.write("other.csv", coin(6));
    let words = "coin.csv --label churned --standardize --bias 1 -q";
    let said = |json: &Value| kinds(json).contains(&"baseline");
    let json = room.json(&format!("train {words} -a averaged -o m"));
    assert!(said(&json), "{json}");
    let json = room.json("evaluate m other.csv -q");
    assert!(said(&json), "{json}");
    let most = json["classes"].as_array().expect("classes").iter();
    let most = most
        .map(|class| class["rows"].as_u64().expect("rows"))
        .max();
    assert_eq!(
        json["baseline"]["errors"].as_u64(),
        most.map(|most| 2000 - most)
    );
    let json = room.json(&format!("train {words} -a averaged --test other.csv"));
    assert!(said(&json), "{json}");
    assert_eq!(
        json["test"]["baseline"]["errors"].as_u64(),
        most.map(|most| 2000 - most)
    );
    let text = json["remarks"].to_string();
    assert!(text.contains("test errors on 2,000 rows"), "{text}");
    let json = room.json(&format!("tune {words} -a passive-aggressive:c=0.1|1"));
    assert!(said(&json) && json["baseline"]["errors"].is_u64(), "{json}");
    let json = room.json(&format!("solve {words} --lambda 0.01 --test other.csv"));
    assert!(
        said(&json) && json["test"]["baseline"]["label"].is_string(),
        "{json}"
    );
    let json = room.json(&format!(
        "compare {words} perceptron averaged --test other.csv"
    ));
    assert!(said(&json["runs"][0]), "{json}");
}

#[test]
fn good_results_are_left_alone() {
    let room = room("");
    let json = room.json("evaluate m test.csv -q");
    assert!(kinds(&json).is_empty(), "{json}");
    let json = room.json(&format!("{TRAIN} --standardize --test test.csv"));
    assert!(kinds(&json).is_empty(), "{json}");
    let shown = room.run("evaluate m test.csv -q").good().stdout;
    assert!(
        shown.contains("of always answering their most frequent label (no)"),
        "{shown}"
    );
}

#[test]
fn a_test_far_above_validation_is_said() {
    let room = Room::new();
    // sorted by label: validation sees runs of equal labels, and the last label wins
    let mut train = customers(2000, 1);
    train.sort_by_key(|customer| customer.label);
    room.write("train.csv", csv(&train));
    room.write("test.csv", csv(&customers(500, 2)));
    let json =
        room.json("train train.csv --label churned -a perceptron --bias 1 --test test.csv -q");
    let kinds = kinds(&json);
    assert!(
        kinds.contains(&"gap") && kinds.contains(&"sorted"),
        "{json}"
    );
}

#[test]
fn a_label_that_is_never_predicted_is_said() {
    let room = room("");
    let rare = "balance,age,colour,churned\n".to_owned()
        + &"0,0,red,no\n".repeat(400)
        + &"0,0,red,yes\n".repeat(40);
    room.write("rare.csv", rare);
    let json = room.json("evaluate m rare.csv -q");
    let text = json["remarks"].to_string();
    let said = text.contains("every row is answered no, though 40 rows have the label yes");
    assert!(said && kinds(&json).contains(&"never-predicted"), "{json}");
    let yes = "balance,age,colour,churned\n".to_owned() + &"2e9,40,red,Yes\n".repeat(40);
    room.write("case.csv", yes);
    let done = room.run("evaluate m case.csv");
    done.refused(&["rows have Yes (40)", "write yes for Yes"]);
}

#[test]
fn other_units_are_said() {
    let room = room("");
    let mut test = customers(500, 2);
    for customer in &mut test {
        let balance: f64 = customer.balance.parse().expect("a number");
        customer.balance = format!("{}", balance / 1e6);
    }
    room.write("millions.csv", csv(&test));
    let done = room.run("predict m millions.csv -q").good();
    assert!(
        done.stderr.contains("the mean of balance is"),
        "{}",
        done.stderr
    );
    let json = room.json("evaluate m millions.csv -q");
    assert!(kinds(&json).contains(&"shifted"), "{json}");
    let json = room.json("train millions.csv --resume m -o m2 -q");
    assert!(kinds(&json).contains(&"shifted"), "{json}");
}

#[test]
fn rows_that_a_model_knows_nothing_of_are_refused() {
    let room = room("--missing indicator");
    let foreign = "kind,size,churned\n".to_owned() + &"a,1,no\nb,2,yes\n".repeat(50);
    room.write("foreign.csv", &foreign);
    for words in [
        "predict m foreign.csv",
        "evaluate m foreign.csv",
        "train foreign.csv --resume m -o m2",
        "predict m digits",
        "evaluate m digits",
    ] {
        let done = room.run(&format!("{words} -q"));
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{words}");
        let none = "no row has a feature that the model knows";
        assert!(done.stderr.contains(none), "{}", done.stderr);
        let lenient = room.run(&format!("{words} -q --lenient"));
        assert_eq!(lenient.code, Some(0), "{}", lenient.stderr);
    }
    assert!(
        room.files().contains(&"m2".to_owned()),
        "the lenient one is saved"
    );
    let piped = room.pipe("train - --resume m -o m3 -q", &foreign);
    assert_eq!(piped.code, Some(2), "{}", piped.stderr);
    assert!(!room.files().contains(&"m3".to_owned()));
    // a row of zeros is a row of known features
    room.write("zeros.csv", "balance,age,colour\n0,0,\n");
    room.run("predict m zeros.csv -q").good();
}

#[test]
fn the_command_that_tune_prints_makes_the_model_it_saved() {
    let room = room("");
    let shared = "tune train.csv --label churned --bias 1 --standardize -q";
    for words in [
        "-a passive-aggressive:c=0.1|1 --shuffle 1 --permutations 2",
        "-a perceptron -a passive-aggressive --use averaged",
        "-a averaged -a perceptron --folds 3 --epochs 2 --shuffle 4",
        "-a perceptron --use averaged --folds 2",
    ] {
        let json = room.json(&format!("{shared} {words} -o best"));
        let saved = room.bytes("best");
        std::fs::remove_file(room.path("best")).expect("the model is there");
        let command = json["command"].as_str().expect("a command").to_owned();
        let command = command.strip_prefix("novikoff ").expect("ours");
        room.run(&format!("{command} -q")).good();
        assert_eq!(room.bytes("best"), saved, "{command}");
    }
}

#[test]
fn tune_judges_by_validation() {
    let room = room("");
    let json = room
        .json("tune train.csv --label churned --bias 1 --standardize -q -a averaged -a perceptron");
    for run in json["runs"].as_array().expect("runs") {
        let spec = run["spec"].as_str().expect("a spec");
        let words = format!("train train.csv --label churned --bias 1 --standardize -q -a {spec}");
        let trained = room.json(&words);
        assert_eq!(
            run["parts"][0]["errors"], trained["validation"]["errors"],
            "{spec}"
        );
    }
    assert_eq!(json["best"], 0, "the average is better: {json}");
}

#[test]
fn what_is_next_heeds_what_was_said() {
    let room = Room::new();
    let mut train = customers(500, 1);
    train.sort_by_key(|customer| customer.label);
    room.write("train.csv", csv(&train));
    let done = room
        .run("compare train.csv perceptron averaged --label churned --bias 1 -q")
        .good();
    let next = done.stdout.lines().find(|line| line.starts_with("next: "));
    assert!(
        next.is_some_and(|next| next.ends_with(" --shuffle 1")),
        "{}",
        done.stdout
    );
    let json = room.json("tune train.csv -a perceptron --label churned --bias 1 -q");
    let command = json["command"].as_str().expect("a command");
    assert!(command.contains(" --shuffle 1"), "{command}");
}

#[test]
fn compare_says_what_its_test_rows_did() {
    let room = room("");
    let words = "compare train.csv perceptron averaged --label churned --bias 1 --standardize --shuffle 1 -q";
    let with = room.run(&format!("{words} --test test.csv")).good().stdout;
    assert!(
        with.contains("these rows have chosen the learner"),
        "{with}"
    );
    let without = room.run(words).good().stdout;
    assert!(!without.contains("these rows"), "{without}");
}

#[test]
fn labels_that_look_like_none_are_said() {
    let room = Room::new();
    let ids: String = (0..400).map(|k| format!("{k},{},c{k}\n", k % 7)).collect();
    room.write("ids.csv", format!("a,b,id\n{ids}"));
    let json = room.json("train ids.csv --label id -a perceptron --lenient -q");
    assert!(kinds(&json).contains(&"labels"), "{json}");
    let text = json["remarks"].to_string();
    assert!(
        text.contains("400 labels in 400 rows: is column id the label?"),
        "{text}"
    );
    let shown = room
        .run("train ids.csv --label id -a perceptron --lenient -q")
        .good()
        .stdout;
    assert!(
        shown.contains("and 370 more classes; the JSON report has all"),
        "{shown}"
    );
    assert!(shown.lines().count() < 60, "{shown}");
    let one: String = (0..50).map(|k| format!("{k},{},NO\n", k % 7)).collect();
    room.write("one.csv", format!("a,b,country\n{one}"));
    let json = room.json("train one.csv --label country -a perceptron -q");
    assert_eq!(kinds(&json), ["labels"], "{json}");
    let text = json["remarks"].to_string();
    assert!(
        text.contains("all 50 rows have the same label, NO"),
        "{text}"
    );
}

#[test]
fn one_remark_for_several_learners() {
    let room = Room::new();
    room.write("train.csv", csv(&customers(600, 1)));
    let words =
        "compare train.csv perceptron averaged passive-aggressive romma arow --label churned -q";
    let done = room.run(words).good();
    let of_baseline = done
        .stderr
        .lines()
        .filter(|line| line.contains("no better than"))
        .count();
    assert_eq!(of_baseline, 1, "{}", done.stderr);
    assert!(!done.stderr.contains("novikoff compare"), "{}", done.stderr);
}

#[test]
fn new_words_are_no_remark_and_new_columns_have_names() {
    let room = Room::new();
    let mut random = SplitMix64(7);
    let mut line = |y: &str, words: &str| {
        format!(
            "{{\"y\":\"{y}\",\"t\":\"{words} w{}\"}}\n",
            (random.uniform() * 900.0) as u32
        )
    };
    let train: String = (0..300)
        .map(|k| {
            if k % 2 == 0 {
                line("ham", "hello friend")
            } else {
                line("spam", "buy pills now")
            }
        })
        .collect();
    let test: String = (0..100)
        .map(|k| {
            if k % 2 == 0 {
                line("ham", "hello friend")
            } else {
                line("spam", "buy pills now")
            }
        })
        .collect();
    room.write("train.jsonl", train);
    room.write("test.jsonl", &test);
    room.run("train train.jsonl --label y --text t -a averaged --bias 1 --shuffle 1 -o m -q")
        .good();
    let json = room.json("evaluate m test.jsonl -q");
    assert!(kinds(&json).is_empty(), "{json}");
    room.write("wide.jsonl", test.replace("{\"y\"", "{\"extra\":1,\"y\""));
    let json = room.json("evaluate m wide.jsonl -q");
    assert_eq!(kinds(&json), ["unknown-features"], "{json}");
    assert!(
        json["remarks"]
            .to_string()
            .contains("it knows no column extra"),
        "{json}"
    );
    let new = "{\"y\":\"ham\",\"t\":\"all other words here friend\"}\n".repeat(10);
    room.write("new.jsonl", new);
    let json = room.json("evaluate m new.jsonl -q");
    assert!(
        kinds(&json).contains(&"unknown-features"),
        "most words are new: {json}"
    );
}

#[test]
fn a_certificate_says_how_its_rows_are_read() {
    let room = Room::new();
    let mut train = customers(60, 1);
    train[3].balance.clear();
    room.write("train.csv", csv(&train));
    let words = "certify train.csv --label churned --missing zero --drop colour --standardize --bias 1 -a perceptron -q";
    let done = room.run(&format!("{words} --json")).good();
    room.write("cert.json", &done.stdout);
    let checked = room.run("certify --check cert.json train.csv -q");
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    let other = room.run("certify --check cert.json train.csv --label age -q");
    assert_eq!(other.code, Some(2));
    let said = "the certificate is of rows read with label churned, not age";
    assert!(other.stderr.contains(said), "{}", other.stderr);
}

#[test]
fn few_rows_to_calibrate_on_are_said() {
    let room = room("");
    let few = csv(&customers(60, 2));
    room.write("few.csv", few);
    let done = room
        .run("calibrate m few.csv --method isotonic -o c -q")
        .good();
    assert!(
        done.stderr
            .contains("the probabilities were fitted to 60 rows"),
        "{}",
        done.stderr
    );
}

#[test]
fn standardising_is_not_advised_for_text() {
    let room = Room::new();
    let mut random = SplitMix64(11);
    let lines: String = (0..300)
        .map(|_| {
            let y = if random.uniform() < 0.5 {
                "ham"
            } else {
                "spam"
            };
            format!(
                "{{\"y\":\"{y}\",\"t\":\"w{}\"}}\n",
                (random.uniform() * 9.0) as u32
            )
        })
        .collect();
    room.write("t.jsonl", lines);
    let json = room.json("train t.jsonl --label y --text t -a perceptron --bias 1 -q");
    let text = json["remarks"].to_string();
    assert!(
        text.contains("novikoff compare") && !text.contains("--standardize"),
        "{text}"
    );
}

#[test]
fn the_best_at_the_edge_of_a_grid_is_said() {
    let room = room("");
    let grid = "1e-9|1e-8|1e-7";
    let json = room.json(&format!(
        "tune train.csv --label churned --bias 1 --standardize -q -a passive-aggressive:c={grid} --folds 3"
    ));
    let has_edge = kinds(&json).contains(&"edge");
    let best = json["best"].as_u64().expect("a number");
    let runs = json["runs"].as_array().expect("runs");
    let mean = |k: usize| runs[k]["error"]["mean"].as_f64().expect("a mean");
    let is_alone = (0..3).all(|k| k == best as usize || mean(k) > mean(best as usize));
    assert_eq!(has_edge, best != 1 && is_alone, "{json}");
}

#[test]
fn rows_that_a_learner_refuses_are_said() {
    let room = room("");
    let words =
        "train train.csv --label churned --bias 1 --standardize --shuffle 1 -a max-margin -q";
    let json = room.json(words);
    assert!(kinds(&json).contains(&"refused"), "{json}");
}
