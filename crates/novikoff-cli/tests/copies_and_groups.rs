//! Rows that are copies of others, that come in groups, or that were learned from before. Beside each is a sound table without remarks.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::messy::{Extra, Messy, is_silent, note, number};
use common::remarks::said;

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

/// Ten measurements per machine: no two share a number, and those of the same machine are nearly the same, as is their label, or their quantity.
#[test]
fn measurements_of_the_same_machines_are_remarked_on() {
    let table = |rows_of_a_machine: usize, is_quantity: bool| {
        let mut random = SplitMix64(8);
        let mut rows = Vec::new();
        for _ in 0..1200 / rows_of_a_machine {
            let center: Vec<f64> = (0..8).map(|_| random.uniform()).collect();
            let (is_yes, size) = (random.below(3) == 0, 100.0 * random.uniform());
            for _ in 0..rows_of_a_machine {
                let near = center
                    .iter()
                    .map(|value| format!("{:.6},", value + 0.02 * random.uniform()));
                let near: String = near.collect();
                let label = if is_quantity {
                    format!("{:.4}", size + random.uniform())
                } else {
                    ["no", "yes"][usize::from(is_yes)].to_owned()
                };
                rows.push(near + &label);
            }
        }
        for k in (1..rows.len()).rev() {
            rows.swap(k, random.below(k + 1));
        }
        format!("a,b,c,d,e,f,g,h,label\n{}\n", rows.join("\n"))
    };
    let room = Room::new();
    let groups = |rows_of_a_machine, is_quantity, jobs: &[&str]| -> Vec<Vec<String>> {
        room.write("t.csv", table(rows_of_a_machine, is_quantity));
        let said = jobs.iter().map(|job| said(&room.json(job), "groups"));
        said.collect()
    };
    let of_labels = [
        "train t.csv -a averaged --bias 1 -q",
        "tune t.csv -a perceptron --folds 3 --standardize -q",
        "solve t.csv --lambda 0.01 --standardize --bias free -q",
    ];
    let of_quantities = ["solve t.csv --loss squared --lambda 0.01 --standardize --bias free -q"];
    for (jobs, is_quantity) in [(&of_labels[..], false), (&of_quantities, true)] {
        for said in groups(10, is_quantity, jobs) {
            assert!(
                said.len() == 1
                    && said[0]
                        .starts_with("about 100% of the rows are nearly the same as another, and ")
                    && said[0].contains("test on rows of other persons"),
                "{said:?}"
            );
        }
        // every machine once
        let alone = groups(1, is_quantity, jobs);
        assert!(alone.iter().all(Vec::is_empty), "{alone:?}");
    }
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

/// Rows of machines: one of 40 notes, numbers of their own, and a label.
fn machines(rows: usize) -> Vec<String> {
    let mut random = SplitMix64(3);
    let notes: Vec<String> = (0..40).map(|_| note(&mut random, "checked")).collect();
    let row = |_| {
        let (heat, load) = (random.uniform(), random.uniform());
        let label = ["no", "yes"][usize::from(heat + load + random.uniform() > 1.7)];
        let note = &notes[random.below(40)];
        format!("{note},{heat:.5},{load:.5},{label}")
    };
    (0..rows).map(row).collect()
}

#[test]
fn rows_with_the_same_text_and_other_numbers_are_no_copies() {
    let room = Room::new();
    let of = |rows: &[String], job: &str| {
        let table = format!("note,heat,load,label\n{}\n", rows.join("\n"));
        room.write("t.csv", table);
        let text = "--text note -q";
        said(&room.json(&format!("{job} {text}")), "copies")
    };
    let (train, solve) = ("train t.csv -a averaged", "solve t.csv --lambda 0.01");
    let rows = machines(5000);
    assert_eq!(of(&rows, train), [""; 0]);
    let many = machines(12_000);
    assert_eq!(of(&many, solve), [""; 0]);
    // the same rows twice, one time behind the other
    for (mut rows, job) in [(rows, train), (many, solve)] {
        rows.extend_from_within(..);
        let copies = of(&rows, job);
        assert!(
            copies.len() == 1 && copies[0].starts_with("about 50% of the rows are copies"),
            "{job}: {copies:?}"
        );
    }
}

#[test]
fn quantities_with_the_same_text_and_other_numbers_are_no_copies() {
    let room = Room::new();
    let of = |rows: &[String]| {
        let mut table = "note,heat,load,label,cost\n".to_owned();
        for row in rows {
            let _ = writeln!(table, "{row},{}", row.len() % 7); // writing to a String cannot fail
        }
        room.write("t.csv", table);
        let solve = "solve t.csv --label cost --drop label --text note --loss squared --lambda 1e-3 --bias free -q";
        said(&room.json(solve), "copies")
    };
    let mut rows = machines(3000);
    assert_eq!(of(&rows), [""; 0]);
    rows.extend_from_within(..1000);
    assert_eq!(of(&rows).len(), 1);
}

/// Mails of a thread quote the same text, and every word is in many of them.
#[test]
fn texts_of_few_different_words_in_groups_are_remarked_on() {
    let texts = |of_a_thread: usize| {
        let mut random = SplitMix64(4);
        let mut text = "body,label\n".to_owned();
        for _ in 0..600 / of_a_thread {
            let words = |random: &mut SplitMix64, count: usize| {
                let words: Vec<String> = (0..count)
                    .map(|_| format!("w{}", random.below(160)))
                    .collect();
                words.join(" ")
            };
            let quoted = words(&mut random, 60);
            let label = ["no", "yes"][random.below(2)];
            for _ in 0..of_a_thread {
                let own = words(&mut random, 4);
                writeln!(text, "{own} {quoted},{label}").expect("writing to memory");
            }
        }
        text
    };
    let room = Room::new();
    let groups = |of_a_thread| {
        room.write("t.csv", texts(of_a_thread));
        let json = room.json("train t.csv -a averaged --text body --bias 1 --shuffle 1 -q");
        said(&json, "groups")
    };
    let found = groups(6);
    assert!(
        found.len() == 1 && found[0].contains("of the rows are nearly the same as another"),
        "{found:?}"
    );
    assert!(groups(1).is_empty());
}
