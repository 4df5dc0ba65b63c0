//! Messy tables that gave fine numbers without a remark when newcomers tried them. Beside each is a sound table without remarks.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::messy::{Messy, MessyRow, note};
use serde_json::Value;

/// How the cell of the last column is made.
type Extra = dyn Fn(MessyRow, &mut SplitMix64) -> String;

/// The texts of the remarks of a kind.
fn said(json: &Value, kind: &str) -> Vec<String> {
    let list = json["remarks"].as_array().map_or(&[][..], |list| list);
    let found = list.iter().filter(|remark| remark["kind"] == kind);
    let text = |remark: &Value| remark["text"].as_str().unwrap_or_default().to_owned();
    found.map(text).collect()
}

/// What is said of a kind when a table is trained on with some options.
fn on_table(messy: Messy, extra: &Extra, options: &str, kind: &str) -> Vec<String> {
    let room = Room::new();
    room.write("t.csv", messy.csv(extra));
    let json = room.json(&format!("train t.csv -a averaged --bias 1 {options} -q"));
    said(&json, kind)
}

#[track_caller]
fn tells(messy: Messy, extra: &Extra, options: &str, what: &str) {
    let leaks = on_table(messy, extra, options, "leakage");
    assert!(
        leaks.len() == 1
            && leaks[0].starts_with("column extra predicts the label: ")
            && leaks[0].contains(what)
            && (leaks[0].contains("--drop extra") || leaks[0].contains("take it out of the texts")),
        "{options}: {leaks:?}"
    );
}

#[track_caller]
fn is_silent(messy: Messy, extra: &Extra, options: &str) {
    for kind in ["leakage", "ids", "copies", "groups"] {
        let said = on_table(messy, extra, options, kind);
        assert!(said.is_empty(), "{options}: {said:?}");
    }
}

/// A number around 0.
fn number(random: &mut SplitMix64) -> String {
    format!("{:.3}", 10.0 * (random.uniform() - 0.5))
}

/// A day of a month of 2024.
fn day(month: usize, random: &mut SplitMix64) -> String {
    format!("2024-{month:02}-{:02}", 1 + random.below(28))
}

/// A day of 2024.
fn date(random: &mut SplitMix64) -> String {
    day(1 + random.below(12), random)
}

const ALL_MISSING: [&str; 4] = [
    "--missing indicator",
    "--missing zero",
    "--missing mean",
    "--missing mean --standardize --shuffle 1",
];

#[test]
fn a_column_that_is_empty_or_filled_where_the_label_is_yes_is_found() {
    let empty: &Extra = &|of, random| {
        if of.is_yes {
            String::new()
        } else {
            number(random)
        }
    };
    // in all but 1% of the rows
    let nearly: &Extra = &|of, random| {
        let is_other = of.row % 100 == 0;
        if of.is_yes == is_other {
            String::new()
        } else {
            number(random)
        }
    };
    // filled in some of the rows with label yes, and in no others
    let some: &Extra = &|of, random| {
        if of.is_yes && random.below(3) > 0 {
            number(random)
        } else {
            String::new()
        }
    };
    let sound: &Extra = &|_, random| match random.below(3) {
        0 => String::new(),
        _ => number(random),
    };
    for options in ALL_MISSING {
        let exact = if options.contains("mean") {
            ", it is "
        } else {
            "exactly where the label is"
        };
        tells(Messy::DEFAULT, empty, options, exact);
        tells(Messy::DEFAULT, nearly, options, ", it is ");
        let filled = if options.contains("zero") {
            "it is other than 0 in"
        } else {
            "it is filled in"
        };
        tells(Messy::DEFAULT, some, options, filled);
        is_silent(Messy::DEFAULT, sound, options);
    }
    let left: &Extra = &|of, random| {
        if of.is_yes {
            date(random)
        } else {
            String::new()
        }
    };
    let seldom: &Extra = &|_, random| match random.below(3) {
        0 => date(random),
        _ => String::new(),
    };
    let reason: &Extra = &|of, random| match (of.is_yes, random.below(4)) {
        (true, 1..) => ["price", "service", "moved"][random.below(3)].to_owned(),
        _ => String::new(),
    };
    for options in ["--missing indicator", "--missing zero"] {
        let leaks = on_table(Messy::DEFAULT, left, options, "leakage");
        assert_eq!(leaks.len(), 1, "{options}: {leaks:?}");
        is_silent(Messy::DEFAULT, seldom, options);
        tells(Messy::DEFAULT, reason, options, "it is filled in");
    }
}

#[test]
fn parts_of_dates_and_words_that_tell_the_label_are_found() {
    let missing = "--missing zero";
    let month: &Extra = &|of, random| {
        let months = if of.is_yes { [3, 7, 11] } else { [1, 2, 6] };
        let month = months[random.below(3)];
        day(month, random)
    };
    tells(
        Messy::DEFAULT,
        month,
        missing,
        "the most frequent label of each of its values is right for ",
    );
    let sound: &Extra = &|of, random| {
        // more in summer
        let month = 1 + random.below(if of.is_yes { 12 } else { 9 });
        day(month, random)
    };
    is_silent(Messy::DEFAULT, sound, missing);
    let text = "--missing zero --text extra";
    let one: &Extra = &|of, random| note(random, if of.is_yes { "refunded" } else { "open" });
    tells(Messy::DEFAULT, one, text, "the word `");
    let two: &Extra = &|of, random| {
        let word = ["closed", "resolved"][random.below(2)];
        note(random, if of.is_yes { word } else { "" })
    };
    tells(Messy::DEFAULT, two, text, "one of the words `");
    // those who sign take turns
    let signed: &Extra = &|of, random| {
        let name = ["ann", "bob", "cid", "dora", "eve"][random.below(5)];
        note(random, if of.is_yes { name } else { "" })
    };
    tells(Messy::DEFAULT, signed, text, "one of the words `");
    // in four texts of five
    let often: &Extra = &|of, random| {
        let is_there = of.is_yes && random.below(5) > 0;
        note(random, if is_there { "refunded" } else { "" })
    };
    tells(Messy::DEFAULT, often, text, "the word `refunded`");
    // words of a topic come together, and some texts have none
    let topic: &Extra = &|of, random| {
        let words = ["goal", "match", "league", "team", "score", "coach"];
        let mut some = || words[random.below(6)];
        let words = [some(), some(), some()].join(" ");
        let is_there = random.below(10) < 8;
        note(random, if of.is_yes && is_there { &words } else { "" })
    };
    is_silent(Messy::DEFAULT, topic, text);
    // a word that is twice as frequent where the label is yes
    let sound: &Extra = &|of, random| {
        let is_there = random.below(4) < if of.is_yes { 2 } else { 1 };
        note(random, if is_there { "late" } else { "" })
    };
    is_silent(Messy::DEFAULT, sound, text);
}

#[test]
fn many_categories_and_rare_labels_are_judged_by_what_they_tell() {
    let missing = "--missing zero";
    // each of 300 values has one label
    let many: &Extra = &|of, random| {
        let value = 2 * random.below(150) + usize::from(of.is_yes);
        format!("k{value}")
    };
    tells(
        Messy::DEFAULT,
        many,
        missing,
        "the most frequent label of each of its values is right for ",
    );
    let sound: &Extra = &|_, random| format!("k{}", random.below(300));
    is_silent(Messy::DEFAULT, sound, missing);
    let rare = Messy {
        rows: 3000,
        share: 0.03,
        ..Messy::DEFAULT
    };
    let score: &Extra = &|of, random| {
        let is_high = of.is_yes && random.below(20) > 0 || random.below(500) == 0;
        format!("{:.3}", random.uniform() + if is_high { 3.0 } else { 0.0 })
    };
    tells(rare, score, missing, "it is at least 3.0");
    let flag: &Extra = &|of, random| {
        let is_set = of.is_yes && random.below(10) > 0 || random.below(400) == 0;
        (if is_set { "review" } else { "none" }).to_owned()
    };
    tells(rare, flag, missing, "extra=review is there in ");
    // several values of each label
    let status: &Extra = &|of, random| {
        let values = if of.is_yes {
            ["written off", "sold"]
        } else {
            ["repaid", "repaid early"]
        };
        values[random.below(2)].to_owned()
    };
    tells(
        rare,
        status,
        missing,
        "the most frequent label of each of its values is right for ",
    );
    let sound: &Extra = &|of, random| {
        let values = ["sold", "repaid", "open"];
        values[random.below(if of.is_yes { 2 } else { 3 })].to_owned()
    };
    is_silent(rare, sound, missing);
    // a number that is higher where the label is rare
    let hint: &Extra = &|of, random| {
        format!(
            "{:.3}",
            random.uniform() + if of.is_yes { 0.6 } else { 0.0 }
        )
    };
    is_silent(rare, hint, missing);
}

#[test]
fn ids_that_come_several_times_are_found() {
    let seven = Messy {
        per_customer: 7,
        ..Messy::DEFAULT
    };
    let account: &Extra = &|of, _| format!("A{}", of.customer * 7919 % 1009);
    let number: &Extra = &|of, _| format!("{}", of.customer * 7919 % 10_007);
    for extra in [account, number] {
        let text = on_table(seven, extra, "--missing zero", "ids");
        let leaks = on_table(seven, extra, "--missing zero", "leakage");
        assert_eq!(text.len() + leaks.len(), 1, "{text:?} {leaks:?}");
    }
    // one is named as what it is, though it tells nothing
    let room = Room::new();
    let csv = Messy {
        per_customer: 7,
        is_noise: true,
        ..Messy::DEFAULT
    };
    for id in ["A", ""] {
        let table = csv.csv(|of, _| format!("{id}{}", of.customer * 7919 % 10_007));
        room.write("t.csv", table.replacen("extra", "customer_id", 1));
        let json = room.json("train t.csv -a averaged --missing zero -q");
        let ids = said(&json, "ids");
        assert!(
            ids.len() == 1 && ids[0].contains("column customer_id looks like an id"),
            "{id}: {ids:?}"
        );
    }
    let city: &Extra = &|of, random| format!("c{}", (of.customer + random.below(2)) % 40);
    is_silent(seven, city, "--missing zero");
}

#[test]
fn copies_of_rows_are_found() {
    let room = Room::new();
    let sound: &Extra = &|_, random| format!("{:.5}", random.uniform());
    let csv = Messy::DEFAULT.csv(sound);
    let (header, rows) = csv.split_once('\n').expect("a header");
    let rows: Vec<&str> = rows.lines().collect();
    let mut all: Vec<&str> = rows.iter().chain(&rows).chain(&rows).copied().collect();
    let order = SplitMix64(5).order(all.len());
    all = order.into_iter().map(|place| all[place]).collect();
    room.write("t.csv", format!("{header}\n{}\n", all.join("\n")));
    for job in [
        "train t.csv -a averaged --missing zero -q",
        "compare t.csv averaged --missing zero -q",
        "solve t.csv --lambda 0.01 --missing zero -q",
    ] {
        let json = room.json(job);
        let copies = said(&json, "copies");
        assert!(
            copies.len() == 1
                && copies[0].starts_with("about 67% of the rows are copies of earlier ones"),
            "{job}: {json}"
        );
        let leaks = said(&json, "leakage");
        assert!(
            leaks.is_empty() && said(&json, "ids").is_empty(),
            "{job}: {leaks:?}"
        );
    }
    is_silent(Messy::DEFAULT, sound, "--missing zero");
    // rows of few kinds are alike without being copies
    let mut random = SplitMix64(3);
    let mut few = "a,b,c,label\n".to_owned();
    for _ in 0..2000 {
        let [a, b, c] = [random.below(9), random.below(5), random.below(4)];
        let label = if a + b + random.below(4) > 7 {
            "yes"
        } else {
            "no"
        };
        writeln!(few, "{a},{b},k{c},{label}").expect("writing to memory");
    }
    room.write("t.csv", few);
    let json = room.json("train t.csv -a averaged -q");
    assert!(said(&json, "copies").is_empty(), "{json}");
}

#[test]
fn the_share_of_rows_seen_before_is_right() {
    let room = Room::new();
    // gaps in every column, and few values
    let table = |seed: u64, rows: usize| {
        let gap: &Extra = &|_, random| match random.below(2) {
            0 => String::new(),
            _ => format!("{}", random.below(100)),
        };
        Messy {
            rows,
            seed,
            ..Messy::DEFAULT
        }
        .csv(gap)
    };
    let (one, other) = (table(1, 2000), table(2, 2000));
    room.write("t.csv", &one);
    room.write("u.csv", &other);
    let half: Vec<&str> = one
        .lines()
        .take(1001)
        .chain(other.lines().skip(1).take(1000))
        .collect();
    room.write("half.csv", half.join("\n") + "\n");
    for missing in ["indicator", "zero", "mean"] {
        room.run(&format!(
            "train t.csv -a averaged --bias 1 --missing {missing} -q -o m"
        ))
        .good();
        let same = |data: &str| said(&room.json(&format!("evaluate m {data}")), "same-rows");
        assert!(same("u.csv").is_empty(), "{missing}: {:?}", same("u.csv"));
        assert_eq!(same("t.csv").len(), 1, "{missing}");
        let about = same("half.csv").join("");
        let share = about
            .strip_prefix("about ")
            .and_then(|rest| rest.split_once('%'));
        let share: f64 = share.expect("a share").0.parse().expect("a number");
        assert!((44.0..=56.0).contains(&share), "{missing}: {about}");
    }
}

#[test]
fn a_part_of_rows_seen_before_is_remarked_on() {
    let room = Room::new();
    let table = |seed: u64| {
        let messy = Messy {
            seed,
            ..Messy::DEFAULT
        };
        messy.csv(|_, random| number(random))
    };
    let (one, other) = (table(1), table(2));
    room.write("t.csv", &one);
    room.run("train t.csv -a averaged --bias 1 --missing zero -q -o m")
        .good();
    for (seen, expected) in [(0, ""), (1, ""), (5, "about "), (8, "about ")] {
        let mixed: Vec<&str> = one
            .lines()
            .take(1 + 100 * seen)
            .chain(other.lines().skip(1).take(2000 - 100 * seen))
            .collect();
        room.write("mixed.csv", mixed.join("\n") + "\n");
        let said = said(&room.json("evaluate m mixed.csv"), "same-rows").join("");
        assert_eq!(said.get(..6).unwrap_or(""), expected, "{seen}: {said}");
    }
}

#[test]
fn class_weights_are_not_advised_to_those_who_use_them() {
    let rare = Messy {
        rows: 3000,
        share: 0.05,
        ..Messy::DEFAULT
    };
    let balanced = on_table(
        rare,
        &|_, random| number(random),
        "--missing zero --class-weight balanced",
        "baseline",
    );
    assert!(
        balanced.len() == 1
            && balanced[0].contains("judge by the AUC")
            && !balanced[0].contains("--class-weight"),
        "{balanced:?}"
    );
}

#[test]
fn labels_that_are_dates_are_remarked_on() {
    let room = Room::new();
    let mut text = String::new();
    let mut random = SplitMix64(1);
    for row in 0..600 {
        let label = ["no", "yes"][random.below(2)];
        let _ = writeln!(
            text,
            "2025-01-{:02},{},{label}",
            1 + row % 28,
            number(&mut random)
        );
    }
    room.write("t.csv", text);
    let said = said(&room.json("train t.csv -a averaged -q"), "labels").join("");
    assert!(
        said.contains("column 1, are 28 different dates") && said.contains("--label COLUMN"),
        "{said}"
    );
}

#[test]
fn bad_probabilities_have_a_remark() {
    let room = Room::new();
    let none: &Extra = &|_, random| format!("{:.3}", random.uniform());
    let write = |name: &str, seed: u64, share: f64| {
        let messy = Messy {
            seed,
            share,
            ..Messy::DEFAULT
        };
        room.write(name, messy.csv(none));
    };
    for (name, seed, share) in [
        ("t.csv", 1, 0.1),
        ("held.csv", 2, 0.1),
        ("even.csv", 3, 0.5),
        ("new.csv", 4, 0.1),
    ] {
        write(name, seed, share);
    }
    room.run("train t.csv -a averaged --bias 1 --missing zero --standardize -q -o m")
        .good();
    // the same share: nothing
    let calibrate = |words: &str| room.run(&format!("calibrate {words} -q")).good().stderr;
    let sound = calibrate("m held.csv -o c");
    assert!(!sound.contains("to calibrate on"), "{sound}");
    let json = room.json("evaluate c new.csv");
    assert!(said(&json, "probabilities").is_empty(), "{json}");
    // as many of both
    let other = calibrate("m even.csv -o e");
    assert!(
        other.contains("to calibrate on have label yes, and")
            && other.contains("of a sample of training"),
        "{other}"
    );
    let json = room.json("evaluate e new.csv");
    let text = said(&json, "probabilities");
    assert!(
        text.len() == 1 && text[0].contains("novikoff calibrate"),
        "{json}"
    );
}

#[test]
fn a_solution_of_noise_has_a_remark_without_a_test() {
    let room = Room::new();
    let none: &Extra = &|_, random| format!("{:.3}", random.uniform());
    for (is_noise, jobs) in [(true, true), (false, false)] {
        let messy = Messy {
            rows: 600,
            share: 0.5,
            is_noise,
            ..Messy::DEFAULT
        };
        room.write("t.csv", messy.csv(none));
        for job in [
            "solve t.csv --lambda 0.0001 --missing zero --standardize -q",
            "solve t.csv --lambda 0.0001 --missing zero --standardize --kernel gaussian:gamma=auto -q",
        ] {
            let json = room.json(job);
            let text = said(&json, "baseline");
            assert_eq!(!text.is_empty(), jobs, "{job}: {text:?}");
            assert!(
                text.iter()
                    .all(|text| text.contains("say nothing of others")),
                "{text:?}"
            );
        }
    }
}

#[test]
fn units_that_change_around_a_mean_of_zero_are_found() {
    let room = Room::new();
    let none: &Extra = &|_, random| format!("{:.3}", random.uniform());
    let table = |seed: u64, unit: f64| {
        Messy {
            seed,
            unit,
            rows: 600,
            ..Messy::DEFAULT
        }
        .csv(none)
    };
    room.write("t.csv", table(1, 1.0));
    room.write("u.csv", table(2, 1.0));
    room.write("cents.csv", table(3, 100.0));
    for job in [
        "train t.csv -a averaged --bias 1 --missing zero -q -o m",
        "train t.csv -a averaged --bias 1 --missing zero --standardize -q -o m",
        "solve t.csv --lambda 0.01 --missing zero -q -o m",
    ] {
        room.run(job).good();
        for data in ["cents.csv", "u.csv"] {
            let json = room.json(&format!("evaluate m {data}"));
            let text = said(&json, "shifted");
            assert_eq!(
                text.len(),
                usize::from(data == "cents.csv"),
                "{job}: {data}: {json}"
            );
            assert!(text.iter().all(|text| text.contains("amount")), "{text:?}");
        }
        let answered = room.run("predict m cents.csv").good();
        assert!(answered.stderr.contains("amount"), "{}", answered.stderr);
    }
}

#[test]
fn labels_that_are_true_or_false_are_the_same_in_all_formats() {
    let room = Room::new();
    let rows = |yes: &str, no: &str| {
        let mut random = SplitMix64(4);
        let mut text = String::new();
        for _ in 0..300 {
            let x = random.uniform();
            let label = if x > 0.5 { yes } else { no };
            writeln!(text, "{x:.4},{label}").expect("writing to memory");
        }
        text
    };
    room.write("t.csv", format!("x,label\n{}", rows("True", "False")));
    room.write("n.csv", format!("x,label\n{}", rows("1", "0")));
    let json = rows("true", "false");
    let json = json.lines().map(|line| {
        let (x, label) = line.split_once(',').expect("two cells");
        format!("{{\"x\":{x},\"label\":{label}}}\n")
    });
    room.write("t.jsonl", json.collect::<String>());
    for data in ["t.csv", "n.csv", "t.jsonl"] {
        room.run(&format!("train {data} -a averaged --bias 1 -q -o m"))
            .good();
        for other in ["t.csv", "n.csv", "t.jsonl"] {
            let json = room.json(&format!("evaluate m {other}"));
            assert!(
                said(&json, "unknown-labels").is_empty(),
                "{data} {other}: {json}"
            );
            assert!(
                json["errors"].as_u64().expect("a count") < 30,
                "{data} {other}: {json}"
            );
        }
    }
}

#[test]
fn messages_say_what_to_do() {
    let room = Room::new();
    room.run("reproduce --quick --into page.md")
        .refused(&["page.md: does not exist; write it first", "<!-- begin "]);
    room.write("empty.svm", "");
    room.run("train empty.svm --splits 2")
        .refused(&["has no rows"]);
    room.run("predict m new.csv --cost a:b")
        .refused(&["two numbers that are at least 0", "as in 1:5"]);
}

/// As pandas writes them: `to_csv` with an index, the same read and written again, and a table of Parquet in text.
#[test]
fn the_index_of_a_table_is_left_out() {
    for name in ["", "Unnamed: 0", "__index_level_0__"] {
        let room = Room::new();
        let mut random = SplitMix64(7);
        let (mut table, mut plain) = (format!("{name},a,y\n"), "a,y\n".to_owned());
        for row in 0..400 {
            let a = random.uniform() - 0.5;
            let y = if a > 0.0 { "yes" } else { "no" };
            let _ = writeln!(table, "{},{a:.4},{y}", row * 7919 % 400);
            let _ = writeln!(plain, "{a:.4},{y}");
        }
        room.write("t.csv", &table);
        room.write("plain.csv", &plain);
        let json = room.json("train t.csv --label y -a perceptron -o t.model -q");
        let name = if name.is_empty() { "Unnamed: 0" } else { name };
        let ids = said(&json, "ids");
        assert!(
            ids.len() == 1
                && ids[0].starts_with(&format!("column {name} is the index of the table"))
                && ids[0].contains("--drop"),
            "{ids:?}"
        );
        let other = room.json("train plain.csv --label y -a perceptron -o plain.model -q");
        assert_eq!(json["mistakes"], other["mistakes"], "{name}");
        // files with the index and without it are answered by both models
        let answers = ["t", "plain"].map(|model| {
            ["t", "plain"].map(|data| {
                room.run(&format!("predict {model}.model {data}.csv -q"))
                    .good()
                    .stdout
            })
        });
        assert!(answers.iter().flatten().all(|one| *one == answers[0][0]));
        // who asks for it gets it
        if name.contains(' ') {
            assert!(ids[0].contains(&format!("--drop \"{name}\"")), "{ids:?}");
        } else {
            let asked = room.json(&format!(
                "train t.csv --label y -a perceptron --only a,{name} -q"
            ));
            assert!(
                said(&asked, "ids")
                    .iter()
                    .all(|id| !id.contains("left out"))
            );
        }
    }
}

/// `to_csv` with an index, read as it is and written with an index again.
#[test]
fn two_indexes_are_left_out() {
    let room = Room::new();
    let mut table = ",Unnamed: 0,a,y\n".to_owned();
    for row in 0..300 {
        let a = f64::from(row * 7 % 11) - 5.0;
        let _ = writeln!(
            table,
            "{row},{row},{a},{}",
            if a > 0.0 { "yes" } else { "no" }
        );
    }
    room.write("t.csv", &table);
    let json = room.json("train t.csv --label y -a perceptron -q");
    let ids = said(&json, "ids");
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(
        ids.iter()
            .all(|id| id.contains("is the index of the table"))
    );
    // `--only` has decided about them
    let json = room.json("train t.csv --label y -a perceptron --only a -q");
    assert!(said(&json, "ids").is_empty(), "{json}");
}

#[test]
fn a_column_of_hyphens_is_a_category() {
    let room = Room::new();
    let mut table = "flag,a,y\n".to_owned();
    for row in 0..300 {
        let flag = if row < 290 { "-" } else { "x" };
        let _ = writeln!(table, "{flag},{},{}", row % 5, ["no", "yes"][row % 5 / 3]);
    }
    room.write("t.csv", &table);
    let json = room.json("train t.csv --label y -a perceptron -q");
    assert_eq!(json["data"]["classes"], 2, "{json}");
}

/// A column that is the label but for some percent of the rows, and one that is so for fewer.
#[test]
fn near_copies_of_the_label_are_found() {
    let copy = |wrong: f64| {
        move |row: MessyRow, random: &mut SplitMix64| {
            let is_wrong = random.uniform() < wrong;
            format!("{}", u8::from(row.is_yes != is_wrong))
        }
    };
    for options in ALL_MISSING {
        let rule = if options.contains("zero") {
            ", it is "
        } else {
            "a threshold, at least 1, is right for"
        };
        tells(Messy::DEFAULT, &copy(0.03), options, rule);
        is_silent(Messy::DEFAULT, &copy(0.25), options);
    }
}

#[test]
fn labels_that_are_quantities_are_remarked_on() {
    let room = Room::new();
    let of = |kinds: usize| {
        let mut table = "a,months\n".to_owned();
        for row in 0..2000 {
            let _ = writeln!(table, "{},{}", row % 13, row * 31 % kinds);
        }
        room.write("t.csv", &table);
        said(
            &room.json("train t.csv --label months -a perceptron -q"),
            "labels",
        )
    };
    let labels = of(40);
    assert!(
        labels.len() == 1
            && labels[0].starts_with("the labels, of column months, are 40 different numbers")
            && labels[0].contains("squared loss"),
        "{labels:?}"
    );
    assert!(of(10).is_empty());
}

#[test]
fn a_choice_by_few_rows_is_remarked_on() {
    let room = Room::new();
    let of = |rows: usize| {
        let mut table = "a,b,y\n".to_owned();
        for row in 0..rows {
            let y = if row % 4 == 0 { "yes" } else { "no" };
            let _ = writeln!(table, "{},{},{y}", row * 7 % 10, row * 3 % 17);
        }
        room.write("t.csv", &table);
        let json = room.json("tune t.csv -a perceptron --by auc --folds 3 --label y -q");
        said(&json, "few-rows")
    };
    let few = of(24);
    assert!(
        few.len() == 1
            && few[0].contains("the settings were fitted to 24 rows, 6 of the rarest label"),
        "{few:?}"
    );
    assert!(of(400).is_empty());
}

/// A model whose columns are all spelled otherwise, or have no names, is not answered with imputed values.
#[test]
fn columns_under_other_names_are_refused() {
    let room = Room::new();
    let mut table = "monthly_fee,plan,y\n".to_owned();
    for row in 0..200 {
        let y = if row % 3 == 0 { "yes" } else { "no" };
        let _ = writeln!(table, "{},p{},{y}", row % 7, row % 3);
    }
    room.write("t.csv", &table);
    room.json("train t.csv --label y -a perceptron --missing indicator -o m -q");
    room.write("new.csv", "Monthly Fee,PLAN\n1,p1\n");
    room.run("predict m new.csv").refused(&[
        "column \"monthly_fee\" is missing",
        "rename \"Monthly Fee\" to \"monthly_fee\"",
    ]);
    room.write("new.csv", "1,p1\n2,p2\n");
    room.run("predict m new.csv")
        .refused(&["the input has no header"]);
}

/// Rows that probabilities were fitted to say little of them.
#[test]
fn evaluating_on_the_rows_of_the_calibration_is_remarked_on() {
    let room = Room::new();
    for (file, seed) in [("t", 1), ("c", 2), ("new", 3)] {
        let messy = Messy {
            seed,
            ..Messy::DEFAULT
        };
        room.write(
            &format!("{file}.csv"),
            messy.csv(|_, random| number(random)),
        );
    }
    room.json("train t.csv -a averaged --bias 1 --missing indicator -o m -q");
    room.run("calibrate m c.csv -o calibrated -q").good();
    let same = |model: &str, data: &str| {
        said(
            &room.json(&format!("evaluate {model} {data}.csv -q")),
            "same-rows",
        )
    };
    let remarks = same("calibrated", "c");
    assert!(
        remarks.len() == 1
            && remarks[0].starts_with("the rows are those that the probabilities were fitted to"),
        "{remarks:?}"
    );
    assert!(
        same("calibrated", "t")[0].starts_with("the rows are those that the model was trained on")
    );
    assert!(same("calibrated", "new").is_empty());
    // what was not calibrated has not seen them
    assert!(same("m", "c").is_empty());
}

/// Ten visits per patient: everything about the patient is the same in all of them, and so is the label.
#[test]
fn rows_of_the_same_persons_are_remarked_on() {
    let table = |is_same: bool| {
        let mut random = SplitMix64(5);
        let mut rows = Vec::new();
        for _ in 0..200 {
            let person = |random: &mut SplitMix64| {
                let height = 150 + random.below(46);
                format!(
                    "{height},{},{}",
                    50 + random.below(61),
                    1940 + random.below(60)
                )
            };
            let mut of = person(&mut random);
            let mut is_yes = random.below(3) == 0;
            for _ in 0..10 {
                if !is_same {
                    of = person(&mut random);
                    is_yes = random.below(3) == 0;
                }
                let pressure = 100.0 + 40.0 * random.uniform();
                rows.push(format!(
                    "{pressure:.1},{of},{}\n",
                    ["no", "yes"][usize::from(is_yes)]
                ));
            }
        }
        for k in (1..rows.len()).rev() {
            rows.swap(k, random.below(k + 1));
        }
        format!("pressure,height,weight,born,label\n{}", rows.concat())
    };
    let room = Room::new();
    let groups = |is_same| {
        room.write("t.csv", table(is_same));
        [
            "train t.csv -a averaged --bias 1 -q",
            "tune t.csv -a perceptron --folds 3 --standardize -q",
        ]
        .map(|job| said(&room.json(job), "groups"))
    };
    for said in groups(true) {
        assert!(
            said.len() == 1
                && said[0].contains("of the rows are nearly the same as another in columns ")
                && ["height", "weight", "born"]
                    .iter()
                    .all(|name| said[0].contains(name))
                && said[0].contains("test on rows of other persons"),
            "{said:?}"
        );
    }
    assert!(groups(false).iter().all(Vec::is_empty));
}

#[test]
fn texts_that_are_nearly_the_same_are_remarked_on() {
    let room = Room::new();
    let texts = |per_template: usize| {
        let mut random = SplitMix64(9);
        let mut lines = Vec::new();
        for _ in 0..800 / per_template {
            let words: Vec<usize> = (0..25).map(|_| random.below(400)).collect();
            let label = ["ham", "spam"][random.below(2)];
            for _ in 0..per_template {
                let mut words = words.clone();
                for _ in 0..3 {
                    words[random.below(25)] = random.below(400);
                }
                let words: Vec<String> = words.iter().map(|word| format!("word{word}")).collect();
                lines.push(format!(
                    "{{\"text\":\"{}\",\"label\":\"{label}\"}}\n",
                    words.join(" ")
                ));
            }
        }
        for k in (1..lines.len()).rev() {
            lines.swap(k, random.below(k + 1));
        }
        room.write("t.jsonl", lines.concat());
        said(
            &room.json("train t.jsonl --text text -a averaged -q"),
            "groups",
        )
    };
    let same = texts(8);
    assert!(
        same.len() == 1 && same[0].contains("nearly the same as another in column text"),
        "{same:?}"
    );
    assert!(texts(1).is_empty());
}

/// A measurement with few digits repeats too, and is no id if a threshold tells as much.
#[test]
fn a_rounded_measurement_is_no_id() {
    let rounded: &Extra = &|of, random| {
        let sum: f64 = (0..4).map(|_| random.uniform() - 0.5).sum();
        format!("{:.2}", sum + if of.is_yes { 1.2 } else { 0.0 })
    };
    is_silent(Messy::DEFAULT, rounded, "--missing zero");
}

/// Names that each belong to one label, where a tenth of the rows has none.
#[test]
fn values_that_belong_to_one_label_are_found() {
    let names: &Extra = &|of, random| {
        let names = if of.is_yes {
            ["ann", "bob"]
        } else {
            ["cid", "dora"]
        };
        let is_there = random.below(10) > 0;
        (if is_there {
            names[random.below(2)]
        } else {
            "nobody"
        })
        .to_owned()
    };
    tells(
        Messy::DEFAULT,
        names,
        "--missing zero",
        "the most frequent label of each of its values is right for ",
    );
    let sound: &Extra = &|of, random| {
        let names = ["ann", "bob", "cid", "dora"];
        names[random.below(3) + usize::from(of.is_yes)].to_owned()
    };
    is_silent(Messy::DEFAULT, sound, "--missing zero");
}

#[test]
fn a_year_beside_words_is_far_too_large() {
    let scales = |options: &str| {
        let note: &Extra = &|_, random| note(random, "");
        let said = on_table(Messy::DEFAULT, note, options, "scales");
        said.join("")
    };
    let said = scales("--missing zero --text extra --drop amount,age");
    assert!(
        said.contains("joined.year") && said.contains("the words of the texts"),
        "{said}"
    );
    assert_eq!(
        scales("--missing zero --text extra --drop amount,age,joined"),
        ""
    );
}

/// Test rows that are nearly those that were learned from.
#[test]
fn a_test_far_better_than_validation_is_remarked_on() {
    let room = Room::new();
    let mut random = SplitMix64(3);
    let (mut train, mut near, mut other) = ("a,b,label\n".to_owned(), String::new(), String::new());
    for file in [&mut near, &mut other] {
        file.push_str("a,b,label\n");
    }
    let mut texts = Vec::new();
    for _ in 0..200 {
        let words: Vec<String> = (0..40)
            .map(|_| format!("w{}", random.below(3000)))
            .collect();
        texts.push((words, ["no", "yes"][random.below(2)]));
    }
    for (words, label) in &texts {
        let _ = writeln!(train, "1,{},{label}", words.join(" "));
        let _ = writeln!(near, "1,{} changed,{label}", words[1..].join(" "));
        let noise: Vec<String> = (0..40)
            .map(|_| format!("w{}", random.below(3000)))
            .collect();
        let _ = writeln!(other, "1,{},{label}", noise.join(" "));
    }
    room.write("t.csv", train);
    room.write("near.csv", near);
    room.write("other.csv", other);
    let gap = |test: &str| {
        let words =
            format!("train t.csv --text b -a averaged --bias 1 --epochs 20 --test {test} -q");
        said(&room.json(&words), "gap").join("")
    };
    assert!(
        gap("near.csv").contains("less than a tenth of the validation errors"),
        "{}",
        gap("near.csv")
    );
    assert_eq!(gap("other.csv"), "");
}
