//! Columns, words and dates that predict the label. Beside each is a sound table without remarks.

use crate::common;

use common::data::SplitMix64;
use common::messy::{Extra, Messy, MessyRow, date, day, is_silent, note, number, on_table, tells};

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
    // twenty who sign texts of one label, and twenty those of the other
    let many: &Extra = &|of, random| {
        let author = 2 * random.below(20) + usize::from(of.is_yes);
        note(random, &format!("author{author}"))
    };
    tells(Messy::DEFAULT, many, text, "words (`author");
    // who sign texts of both labels
    let both: &Extra = &|_, random| {
        let author = random.below(40);
        note(random, &format!("author{author}"))
    };
    is_silent(Messy::DEFAULT, both, text);
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
fn a_category_that_most_of_a_label_has_alone_predicts_it() {
    let category = |share: f64, pure: f64| -> Box<Extra> {
        Box::new(move |of, random| {
            let is_it = random.uniform() < share;
            let is_slip = random.uniform() >= pure;
            let other = ["a", "b", "c"][random.below(3)];
            if is_it && of.is_yes != is_slip {
                "closed"
            } else {
                other
            }
            .to_owned()
        })
    };
    let missing = "--missing zero";
    tells(
        Messy::DEFAULT,
        &*category(0.67, 1.0),
        missing,
        "extra=closed is there in",
    );
    is_silent(Messy::DEFAULT, &*category(0.53, 1.0), missing);
    is_silent(Messy::DEFAULT, &*category(0.67, 0.95), missing);
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
fn a_value_that_most_rows_of_a_label_have_alone_is_found() {
    // three of four rows with the label have it, and no others do
    let refund: &Extra = &|of, random| {
        if of.is_yes && random.below(4) > 0 {
            format!("{:.2}", 100.0 * random.uniform())
        } else {
            "0".to_owned()
        }
    };
    tells(
        Messy::DEFAULT,
        refund,
        "--missing mean",
        "it is other than 0 in ",
    );
    let status: &Extra = &|of, random| {
        let is_closed = of.is_yes && random.below(4) > 0;
        let open = ["open", "new", "active"][random.below(3)];
        (if is_closed { "closed" } else { open }).to_owned()
    };
    tells(
        Messy::DEFAULT,
        status,
        "--missing mean",
        "extra=closed is there in ",
    );
    // both labels have refunds and closed accounts
    let refund: &Extra = &|of, random| match random.below(if of.is_yes { 2 } else { 4 }) {
        0 => format!("{:.2}", 100.0 * random.uniform()),
        _ => "0".to_owned(),
    };
    is_silent(Messy::DEFAULT, refund, "--missing mean");
    let status: &Extra = &|of, random| {
        let is_closed = random.below(if of.is_yes { 2 } else { 4 }) == 0;
        (if is_closed { "closed" } else { "open" }).to_owned()
    };
    is_silent(Messy::DEFAULT, status, "--missing mean");
}

#[test]
fn a_value_that_only_the_frequent_label_has_is_found() {
    let few = Messy {
        share: 0.3,
        ..Messy::DEFAULT
    };
    // some of the rows with label no have it, and this many of the others
    let paid = |share: f64, others: f64| {
        move |of: MessyRow, random: &mut SplitMix64| {
            let is_paid = random.uniform() < if of.is_yes { others } else { share };
            let amount = 20 + random.below(60);
            (if is_paid { amount } else { 0 }).to_string()
        }
    };
    // a counter that the label raised
    let counter = |share: f64, others: f64| {
        move |of: MessyRow, random: &mut SplitMix64| {
            let is_none = random.uniform() < if of.is_yes { others } else { share };
            let count = 1 + random.below(5);
            (if is_none { 0 } else { count }).to_string()
        }
    };
    let kind = |share: f64, others: f64| {
        move |of: MessyRow, random: &mut SplitMix64| {
            let is_it = random.uniform() < if of.is_yes { others } else { share };
            let other = ["open", "new"][random.below(2)];
            (if is_it { "shown" } else { other }).to_owned()
        }
    };
    for options in ["--missing mean", "--missing mean --standardize --shuffle 1"] {
        tells(few, &paid(0.65, 0.0), options, "it is other than 0 in ");
        tells(few, &counter(0.7, 0.0), options, "it is 0 in ");
        tells(few, &kind(0.7, 0.0), options, "extra=shown is there in ");
        // fewer rows with the label, and some with the other
        for (share, others) in [(0.55, 0.0), (0.7, 0.02)] {
            is_silent(few, &paid(share, others), options);
            is_silent(few, &counter(share, others), options);
            is_silent(few, &kind(share, others), options);
        }
    }
    // chance would give few of these rows the rare label
    let rare = Messy {
        share: 0.03,
        ..Messy::DEFAULT
    };
    is_silent(rare, &paid(0.65, 0.0), "--missing mean");
}

#[test]
fn a_word_that_half_of_a_label_has_alone_is_found() {
    let footer = |share: f64, others: f64| {
        move |of: MessyRow, random: &mut SplitMix64| {
            let is_routed = random.uniform() < if of.is_yes { share } else { others };
            let own = note(random, "");
            if is_routed {
                format!("{own} desk9")
            } else {
                own
            }
        }
    };
    let options = "--missing zero --text extra";
    tells(
        Messy::DEFAULT,
        &footer(0.56, 0.0),
        options,
        "the word `desk9` is in ",
    );
    for (share, others) in [(0.44, 0.0), (0.56, 0.01)] {
        is_silent(Messy::DEFAULT, &footer(share, others), options);
    }
}
