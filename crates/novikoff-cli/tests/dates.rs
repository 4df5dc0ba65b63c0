//! Dates that span less than a year. Beside each are dates without a remark.

use crate::common;

use common::Room;
use common::messy::{Extra, Messy, date, day, on_table};
use common::remarks::{said, text_of};

/// What is said of dates where the column `extra` is made by the test.
fn dates(rows: usize, extra: &Extra, options: &str) -> Vec<String> {
    let messy = Messy {
        rows,
        ..Messy::DEFAULT
    };
    on_table(messy, extra, options, "dates")
}

const OPTIONS: [&str; 3] = [
    "--missing zero",
    "--missing mean --standardize",
    "--missing indicator --standardize --shuffle 1",
];

#[test]
fn dates_of_a_part_of_a_year_are_remarked_on() {
    let two: &Extra = &|_, random| day(3 + random.below(2), random);
    let eleven: &Extra = &|_, random| day(1 + random.below(11), random);
    let gaps: &Extra = &|of, random| match of.row % 9 {
        0 => String::new(),
        _ => day(3 + random.below(4), random),
    };
    for options in OPTIONS {
        for (extra, months) in [(two, 2), (eleven, 11), (gaps, 4)] {
            let said = dates(1500, extra, options);
            assert!(
                said.len() == 1
                    && said[0].starts_with("dates that span less than a year: ")
                    && said[0].contains(&format!(": extra ({months} months); "))
                    && said[0].ends_with("use --dates seconds, or --drop extra"),
                "{options}: {said:?}"
            );
        }
        let one: &Extra = &|_, random| day(7, random);
        let all: &Extra = &|_, random| date(random);
        for extra in [one, all] {
            let said = dates(1500, extra, options);
            assert!(said.is_empty(), "{options}: {said:?}");
        }
        for remedy in ["--dates seconds", "--drop extra"] {
            let said = dates(1500, two, &format!("{options} {remedy}"));
            assert!(said.is_empty(), "{options} {remedy}: {said:?}");
        }
    }
}

#[test]
fn a_winter_is_less_than_a_year_and_two_winters_are_more() {
    let winters = |years: usize| {
        move |of: common::messy::MessyRow, random: &mut common::data::SplitMix64| {
            let year = 2022 + of.row % years;
            match random.below(4) {
                0 => format!("{year}-11-{:02}", 1 + random.below(28)),
                1 => format!("{year}-12-{:02}", 1 + random.below(28)),
                2 => format!("{}-01-{:02}", year + 1, 1 + random.below(28)),
                _ => format!("{}-02-{:02}", year + 1, 1 + random.below(28)),
            }
        }
    };
    for options in OPTIONS {
        let said = dates(1500, &winters(1), options);
        assert!(
            said.len() == 1 && said[0].contains("extra (4 months)"),
            "{options}: {said:?}"
        );
        let said = dates(1500, &winters(2), options);
        assert!(said.is_empty(), "{options}: {said:?}");
    }
}

#[test]
fn later_rows_of_a_stream_count_too() {
    // four months, one after the other; and the summers of five years
    let months: &Extra = &|of, random| day(2 + of.row / 1250, random);
    let summers: &Extra = &|of, random| {
        let year = 2018 + of.row / 1000;
        format!(
            "{year}-0{}-{:02}",
            6 + random.below(3),
            1 + random.below(28)
        )
    };
    for options in OPTIONS {
        let said = dates(5000, months, options);
        assert!(
            said.len() == 1 && said[0].contains("extra (4 months)"),
            "{options}: {said:?}"
        );
        let said = dates(5000, summers, options);
        assert!(said.is_empty(), "{options}: {said:?}");
    }
}

#[test]
fn every_job_that_learns_says_it_and_one_that_learns_on_does_not() {
    let room = Room::new();
    room.write(
        "t.csv",
        Messy::DEFAULT.csv(|_, random| day(3 + random.below(4), random)),
    );
    let columns = "--missing mean --standardize -q";
    for job in [
        "certify t.csv -a perceptron --bias 1",
        "compare t.csv perceptron averaged --bias 1",
        "tune t.csv -a arow:r=1|2 --bias 1 --folds 3",
        "tune t.csv --lambda 1e-3,1e-2 --bias free --folds 3",
        "solve t.csv --lambda 1e-3 --bias free",
        "solve t.csv --label amount --loss squared --lambda 1e-3 --bias free",
    ] {
        let json = room.json(&format!("{job} {columns}"));
        assert_eq!(said(&json, "dates").len(), 1, "{job}: {json}");
    }
    room.run(&format!("train t.csv -a averaged --bias 1 {columns} -o m"))
        .good();
    let json = room.json("train t.csv --resume m -o m -q");
    assert_eq!(text_of(&json, "dates"), "");
}
