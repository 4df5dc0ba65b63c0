//! Numbers in two units, units that changed after training, and words for numbers that are not known. Beside each is a sound table without remarks.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::messy::Messy;
use common::remarks::said;

/// A number around 0, nearly normal.
fn normal(random: &mut SplitMix64) -> f64 {
    (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
}

/// What is said of a kind of a table whose last column is made by the test.
fn remarks(kind: &str, options: &str, extra: impl Fn(&mut SplitMix64) -> String) -> Vec<String> {
    let room = Room::new();
    room.write("t.csv", Messy::DEFAULT.csv(|_, random| extra(random)));
    let json = room.json(&format!("train t.csv -a averaged --bias 1 {options} -q"));
    said(&json, kind)
}

/// What is said of units where a share of the rows has a weight in grams, and the others in kilograms.
fn weights(share: f64, spread: f64, options: &str) -> Vec<String> {
    remarks("units", options, |random| {
        let weight = libm::exp(spread * normal(random));
        if random.below(12) == 0 {
            String::new()
        } else if random.uniform() < share {
            format!("{:.0}", 1000.0 * weight)
        } else {
            format!("{weight:.3}")
        }
    })
}

#[test]
fn two_units_in_a_column_are_remarked_on() {
    for options in [
        "--missing mean",
        "--missing zero --shuffle 1",
        "--missing mean --standardize",
        "--missing indicator --standardize",
    ] {
        let mixed = weights(0.25, 0.6, options);
        assert!(
            mixed.len() == 1
                && mixed[0]
                    .starts_with("column extra looks like numbers in two units: of its values in ")
                && mixed[0].contains("as if these were grams and the others kilograms")
                && mixed[0].ends_with("or use --drop extra"),
            "{options}: {mixed:?}"
        );
    }
    // one unit, a few slips, and no gap between both
    for (share, spread) in [(0.0, 0.6), (0.02, 0.6), (0.25, 1.6)] {
        let sound = weights(share, spread, "--missing mean");
        assert!(sound.is_empty(), "{share} {spread}: {sound:?}");
    }
}

#[test]
fn two_kinds_of_things_are_no_units() {
    let of = |extra: &dyn Fn(&mut SplitMix64) -> String| remarks("units", "--missing mean", extra);
    // cheap and dear things, a machine that is on or off, codes of two lengths, counts
    let market = of(&|random| {
        let log = [4.5, 9.6][random.below(2)] + 0.4 * normal(random);
        format!("{:.2}", libm::exp(log))
    });
    let machine = of(&|random| match random.below(2) {
        0 => format!("{:.2}", 230.0 + 2.0 * normal(random)),
        _ => format!("{:.3}", 0.23 + 0.05 * random.uniform()),
    });
    let codes = of(&|random| {
        let unit = [10, 10_000][random.below(2)];
        (unit + random.below(9 * unit)).to_string()
    });
    let counts = of(&|random| [1, 2, 3, 1000, 2000][random.below(5)].to_string());
    for sound in [market, machine, codes, counts] {
        assert!(sound.is_empty(), "{sound:?}");
    }
}

#[test]
fn labels_in_two_units_are_remarked_on() {
    let room = Room::new();
    let write = |share: f64| {
        let mut random = SplitMix64(3);
        let mut text = "a,b,y\n".to_owned();
        for _ in 0..600 {
            let (a, b) = (normal(&mut random), normal(&mut random));
            let y = libm::exp(0.3 * a + 0.2 * b + 0.1 * normal(&mut random));
            let times = if random.uniform() < share {
                1000.0
            } else {
                1.0
            };
            let _ = writeln!(text, "{a:.4},{b:.4},{:.3}", times * y);
        }
        room.write("t.csv", text);
        let solve = "solve t.csv --loss squared --lambda 0.01 --bias free -q";
        said(&room.json(solve), "units")
    };
    let mixed = write(0.3);
    assert!(
        mixed.len() == 1 && mixed[0].starts_with("the labels look like numbers in two units: "),
        "{mixed:?}"
    );
    assert!(write(0.0).is_empty());
}

/// People: their weights and temperatures, each converted.
fn people(
    rows: usize,
    seed: u64,
    weight: impl Fn(f64) -> f64,
    warm: impl Fn(f64) -> f64,
) -> String {
    let mut random = SplitMix64(seed);
    let mut text = "weight,outside,n,label\n".to_owned();
    for _ in 0..rows {
        let (kilograms, celsius) = (
            72.0 + 11.0 * normal(&mut random),
            15.0 + 8.0 * normal(&mut random),
        );
        let label = ["no", "yes"][usize::from(kilograms + 8.0 * normal(&mut random) > 72.0)];
        let n = random.below(10);
        let _ = writeln!(
            text,
            "{:.1},{:.1},{n},{label}",
            weight(kilograms),
            warm(celsius)
        );
    }
    text
}

#[test]
fn a_unit_that_changed_is_named() {
    let room = Room::new();
    let same = |x: f64| x;
    room.write("t.csv", people(1500, 1, same, same));
    room.write("same.csv", people(400, 2, same, same));
    room.write("heavier.csv", people(400, 3, |x| 1.05 * x, |x| x + 4.0));
    room.write(
        "pounds.csv",
        people(400, 4, |x| 2.2046 * x, |x| 1.8 * x + 32.0),
    );
    for standardize in ["", " --standardize"] {
        room.run(&format!(
            "train t.csv -a averaged --bias 1{standardize} -q -o m"
        ))
        .good();
        let shifted =
            |name: &str| said(&room.json(&format!("evaluate m {name}")), "shifted").join("");
        let changed = shifted("pounds.csv");
        assert!(
            changed.contains("the mean of weight is 1")
                && changed.contains("as if it were in pounds instead of kilograms")
                && changed.contains("that of outside is 5")
                && changed
                    .contains("as if it were in degrees Fahrenheit instead of degrees Celsius"),
            "{standardize}: {changed}"
        );
        for sound in ["same.csv", "heavier.csv"] {
            let sound = shifted(sound);
            assert!(sound.is_empty(), "{standardize}: {sound}");
        }
        let predict = room.run("predict m pounds.csv -q").good().stderr;
        assert!(predict.contains("pounds instead of kilograms"), "{predict}");
    }
    let test = room
        .run("train t.csv -a averaged --bias 1 --test pounds.csv -q")
        .good();
    assert!(
        test.stderr.contains("pounds instead of kilograms"),
        "{}",
        test.stderr
    );
}

#[test]
fn durations_are_remarked_on() {
    let of =
        |extra: &dyn Fn(&mut SplitMix64) -> String| remarks("number-text", "--missing mean", extra);
    let minutes = of(&|random| format!("{}:{:02}", random.below(9), random.below(60)));
    assert_eq!(
        minutes,
        [
            "column extra holds durations or times of day, so each value is a category; write them as one number in one unit, \
          230 or 3.8333 for 3:50 as seconds or minutes"
        ]
    );
    let hours = of(&|random| {
        format!(
            "{}:{:02}:{:02}",
            random.below(30),
            random.below(60),
            random.below(60)
        )
    });
    let words = of(&|random| format!("{}h {}m", 1 + random.below(5), random.below(60)));
    for found in [hours, words] {
        assert!(
            found.len() == 1 && found[0].contains("durations"),
            "{found:?}"
        );
    }
    // scores, a few opening times, and numbers
    for sound in [
        of(&|random| format!("{}:{}", random.below(6), random.below(6))),
        of(&|random| format!("{:02}:00", 6 + random.below(5))),
        of(&|random| random.below(90).to_string()),
    ] {
        assert!(sound.is_empty(), "{sound:?}");
    }
}

#[test]
fn words_stand_for_numbers_and_dates_that_are_not_known() {
    let room = Room::new();
    let table = |gap: &str| {
        let mut text = "x,day,tier,label\n".to_owned();
        for k in 0..300 {
            let x = if k % 9 == 4 {
                gap.to_owned()
            } else {
                format!("{}.5", k * 7 % 40)
            };
            let day = if k % 11 == 5 {
                gap.to_owned()
            } else {
                format!("2024-03-{:02}", 1 + k % 28)
            };
            let tier = ["none", "gold", "Unknown"][k % 3];
            let _ = writeln!(
                text,
                "{x},{day},{tier},{}",
                ["no", "yes"][usize::from(k * 7 % 40 > 18)]
            );
        }
        text
    };
    let train = "train t.csv -a averaged --bias 1 --missing mean -q -o m";
    let json = |gap: &str| {
        room.write("t.csv", table(gap));
        let mut json = room.json(train);
        json["seconds"] = 0.into();
        json.to_string()
    };
    let empty = json("");
    for gap in [
        "unknown",
        "Missing",
        "none",
        "N/A ",
        "not available",
        "n.a.",
        "-",
        ".",
    ] {
        assert_eq!(json(gap), empty, "{gap}");
    }
    let columns = room.run("inspect m").good().stdout;
    assert!(columns.contains("tier"), "{columns}");
    // refused, with the categories as a way out
    room.run("train t.csv -a averaged -q")
        .refused(&["t.csv:6:1: column \"x\": \".\" is a missing value"]);
    room.write("t.csv", table("unknown"));
    room.run("train t.csv -a averaged -q")
        .refused(&["--categorical \"x\" if the column holds categories"]);
    // another word is none of them
    room.write("t.csv", table("ask Bob"));
    room.run(train)
        .refused(&["\"ask Bob\" is not a finite decimal number"]);
}

/// A table whose label is a sum of two columns, with slips.
fn sums(rows: usize, seed: u64, slips: f64) -> String {
    let mut random = SplitMix64(seed);
    let mut text = "a,b,c,label\n".to_owned();
    for _ in 0..rows {
        let mut cells: Vec<f64> = (0..3).map(|_| random.uniform() - 0.5).collect();
        cells[0] += 0.1_f64.copysign(cells[0] + cells[1]);
        let is_slip = random.uniform() < slips;
        let label = ["no", "yes"][usize::from((cells[0] + cells[1] > 0.0) != is_slip)];
        let _ = writeln!(
            text,
            "{:.3},{:.3},{:.3},{label}",
            cells[0], cells[1], cells[2]
        );
    }
    text
}

#[test]
fn a_test_without_errors_is_remarked_on() {
    let room = Room::new();
    let expected = "there is no error on 250 test rows, where always answering the most frequent label is wrong for ";
    for (slips, is_said) in [(0.0, true), (0.03, false)] {
        room.write("t.csv", sums(3000, 1, slips));
        room.write("u.csv", sums(250, 2, slips));
        room.write("few.csv", sums(190, 3, slips));
        let solve = "solve t.csv --loss hinge --lambda 1e-5 --bias 1 --max-passes 1000 -q --test ";
        let of = |test: &str| said(&room.json(&format!("{solve}{test}")), "leakage");
        let found = of("u.csv");
        assert_eq!(found.len(), usize::from(is_said), "{found:?}");
        assert!(
            found.iter().all(|text| text.starts_with(expected)),
            "{found:?}"
        );
        assert!(of("few.csv").is_empty());
    }
}

#[test]
fn bad_cells_of_all_columns_are_listed() {
    let room = Room::new();
    let table = |cells: &[(usize, usize, &str)]| {
        let mut text = "a,b,c,day,label\n".to_owned();
        for row in 2..400 {
            let mut fields = [1.5, 2.5, 3.5]
                .map(|x| (x * row as f64).to_string())
                .to_vec();
            fields.push("2024-03-05".to_owned());
            for &(at, column, cell) in cells {
                if at == row {
                    cell.clone_into(&mut fields[column]);
                }
            }
            let _ = writeln!(text, "{},{}", fields.join(","), ["no", "yes"][row % 2]);
        }
        text
    };
    let cells = [
        (40, 1, ""),
        (41, 1, ""),
        (50, 3, "NA"),
        (60, 0, "twelve"),
        (60, 2, "?"),
    ];
    room.write("t.csv", table(&cells));
    let train = "train t.csv -a averaged -q";
    room.run(train).refused(&[
        "t.csv:40:4: column \"b\": \"\" is a missing value, and other columns have such cells too: \
         50:12 \"NA\" in column \"day\", 60:1 \"twelve\" in column \"a\", 60:12 \"?\" in column \"c\"; fill it in",
    ]);
    // missing cells are allowed
    room.run(&format!("{train} --missing mean")).refused(&[
        "t.csv:60:1: column \"a\": \"twelve\" is not a finite decimal number such as -0.5 or 1e-3; replace it",
    ]);
    room.write("t.csv", table(&cells[..2]));
    room.run(train)
        .refused(&["t.csv:40:4: column \"b\": \"\" is a missing value; fill it in"]);
}

/// A quarter of the new rows is in grams, where training was in kilograms.
#[test]
fn new_rows_that_are_partly_in_another_unit_are_remarked_on() {
    let room = Room::new();
    let parcels = |seed: u64, share: f64| {
        let messy = Messy {
            seed,
            ..Messy::DEFAULT
        };
        messy.csv(|_, random| {
            let weight = libm::exp(0.6 * normal(random));
            if random.uniform() < share {
                format!("{:.0}", 1000.0 * weight)
            } else {
                format!("{weight:.3}")
            }
        })
    };
    room.write("t.csv", parcels(1, 0.0));
    room.write("partly.csv", parcels(2, 0.25));
    room.write("sound.csv", parcels(3, 0.0));
    for standardize in ["", " --standardize"] {
        let train = format!("train t.csv -a averaged --bias 1 --missing mean{standardize} -q");
        room.run(&format!("{train} -o m")).good();
        for (job, is_partly) in [
            ("evaluate m partly.csv".to_owned(), true),
            ("evaluate m sound.csv".to_owned(), false),
            (format!("{train} --test partly.csv"), true),
            (format!("{train} --test sound.csv"), false),
        ] {
            let said = said(&room.json(&job), "units");
            let is_said = said.len() == 1
                && said[0].starts_with("column extra looks like numbers in two units")
                && said[0].contains("as if these were grams and the others kilograms");
            assert!(is_said == is_partly && said.len() < 2, "{job}: {said:?}");
        }
        let predict = room.run("predict m partly.csv -q").good().stderr;
        assert!(
            predict.contains("grams and the others kilograms"),
            "{predict}"
        );
    }
}
