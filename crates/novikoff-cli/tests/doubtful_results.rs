//! Labels and results that deserve a remark. Beside each is a sound table without remarks.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::messy::{Extra, Messy, note, number, on_table};
use common::remarks::said;

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

#[test]
fn probabilities_of_a_weighted_solution_are_remarked_on() {
    let rare = Messy {
        rows: 3000,
        share: 0.1,
        ..Messy::DEFAULT
    };
    let room = Room::new();
    room.write("t.csv", rare.csv(|_, random| number(random)));
    let solve =
        "solve t.csv --loss logistic --lambda 1e-4 --standardize --bias free --missing zero";
    room.run(&format!("{solve} -o plain -q")).good();
    let weighted = format!("{solve} --class-weight balanced -o weighted -q");
    room.run(&weighted).good();
    for options in ["--probabilities", "--cost 1:4"] {
        let plain = room
            .run(&format!("predict plain t.csv {options} -q"))
            .good();
        assert!(
            !plain.stderr.contains("weights of classes"),
            "{}",
            plain.stderr
        );
        let said = room.run(&format!("predict weighted t.csv {options} -q"));
        let said = said.good().stderr;
        assert!(
            said.contains("trained with weights of classes")
                && said.contains("novikoff calibrate weighted"),
            "{said}"
        );
    }
    // and the weights are not advised again
    let json = room.json("evaluate weighted t.csv -q");
    let baseline = said(&json, "baseline");
    assert!(
        baseline.len() == 1
            && baseline[0].contains("judge by the AUC")
            && !baseline[0].contains("balanced"),
        "{baseline:?}"
    );
    room.run("inspect weighted").good();
}

#[test]
fn exchanged_labels_are_remarked_on() {
    let room = Room::new();
    let csv = Messy::DEFAULT.csv(|_, random| number(random));
    room.write("t.csv", &csv);
    let exchanged = csv.replace(",yes\n", ",?\n").replace(",no\n", ",yes\n");
    room.write("exchanged.csv", exchanged.replace(",?\n", ",no\n"));
    room.run("train t.csv -a averaged --bias 1 --missing zero --standardize -o m -q")
        .good();
    let reversed = said(&room.json("evaluate m exchanged.csv -q"), "reversed");
    assert!(
        reversed.len() == 1 && reversed[0].contains("as if the two labels were exchanged"),
        "{reversed:?}"
    );
    assert!(said(&room.json("evaluate m t.csv -q"), "reversed").is_empty());
}

/// One label has no rarer one.
#[test]
fn rows_of_one_label_get_advice_that_fits() {
    let room = Room::new();
    let csv = Messy::DEFAULT.csv(|_, random| number(random));
    room.write("t.csv", &csv);
    let one: Vec<&str> = csv.lines().filter(|line| !line.ends_with(",yes")).collect();
    room.write("one.csv", one.join("\n") + "\n");
    room.run("train t.csv -a averaged --bias 1 --missing zero -o m -q")
        .good();
    let baseline = said(&room.json("evaluate m one.csv -q"), "baseline");
    assert!(
        baseline.iter().all(|said| !said.contains("balanced")),
        "{baseline:?}"
    );
    let trained = room
        .run("train one.csv -a averaged --missing zero -q")
        .good();
    assert!(
        trained.stderr.contains("add rows of another label"),
        "{}",
        trained.stderr
    );
}
