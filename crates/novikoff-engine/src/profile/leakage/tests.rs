//! Which columns are said to predict the label.

use novikoff::label::RawLabel;
use novikoff::names::{NameLimits, Names};
use novikoff::rows::Rows;
use novikoff::schema::Schema;
use novikoff::table::{Column, ColumnKind, Table};

use super::Leakage;

/// Rows of a column of categories `c`, with `c=x` and `c=y` in slots 1 and 2, and a column of numbers `n` in slot 3.
fn said(rows: impl IntoIterator<Item = (&'static str, Option<u32>, f32)>) -> Vec<String> {
    let mut list = Rows::new();
    for (label, category, number) in rows {
        let label = RawLabel::from(label);
        list.push_label(label.number().unwrap_or(f64::NAN), label.text());
        if let Some(slot) = category {
            list.push(slot, 1.0);
        }
        list.push(3, number);
        list.end_row(0);
    }
    let (mut names, mut schema) = (Names::new(), Schema::default());
    let limits = NameLimits {
        slots: 10,
        bytes: 1 << 20,
    };
    for name in ["c=x", "c=y", "n"] {
        names.assign(name, limits).expect("room");
    }
    schema.names = names;
    schema.table = Some(Table {
        columns: vec![
            Column::new("c", ColumnKind::Category),
            Column::new("n", ColumnKind::Number),
        ],
        ..Table::default()
    });
    let mut leakage = Leakage::default();
    leakage.block(list.view(), None);
    let remarks = leakage.remarks(&schema, None);
    remarks.iter().map(ToString::to_string).collect()
}

/// A number that has nothing to do with the label of the row.
fn other(k: usize) -> f32 {
    (k * 7919 % 997) as f32 + 1.0
}

fn label(k: usize) -> &'static str {
    if k.is_multiple_of(3) { "yes" } else { "no" }
}

#[test]
fn a_feature_that_is_the_label_is_found() {
    let of = |rows: usize, odd: Option<usize>| {
        said((0..rows).map(|k| {
            let is_there = (label(k) == "yes") != (Some(k) == odd);
            (label(k), is_there.then_some(1), other(k))
        }))
    };
    assert_eq!(
        of(90, None),
        [
            "column c predicts the label: in the first 90 rows c=x is there exactly where the label is yes"
        ]
    );
    assert!(
        of(90, Some(30)).is_empty(),
        "a row has the label without it"
    );
    assert!(
        of(90, Some(31)).is_empty(),
        "a row has it without the label"
    );
    assert!(of(48, None).is_empty(), "too few rows");
}

#[test]
fn a_column_that_answers_nearly_all_rows_is_found() {
    // one row in `odd` has the other category
    let categories = |rows: usize, odd: usize| {
        said((0..rows).map(|k| {
            let is_yes = (label(k) == "yes") != (k % odd == 1);
            (label(k), Some(if is_yes { 1 } else { 2 }), other(k))
        }))
    };
    assert_eq!(
        categories(300, 20),
        [
            "column c predicts the label: the most frequent label of each of its values is right for 285 of the first 300 rows (95.00%), \
             and the most frequent label of all for 200"
        ]
    );
    assert!(categories(300, 19).is_empty(), "16 are wrong");
    assert!(categories(99, 98).is_empty(), "too few rows");
    let numbers = |rows: usize, odd: usize| {
        said((0..rows).map(|k| {
            let is_yes = (label(k) == "yes") != (k % odd == 1);
            (label(k), None, if is_yes { 2000.0 } else { 0.0 } + other(k))
        }))
    };
    let found = numbers(300, 20);
    assert!(
        found[0].starts_with("column n predicts the label: a threshold, at least 200")
            && found[0].contains(" is right for 285 of the first 300 rows (95.00%)"),
        "{found:?}"
    );
    assert!(numbers(300, 19).is_empty());
    // three classes by number
    let classes = said((0..300).map(|k| (["a", "b", "c"][k % 3], None, (k % 3) as f32)));
    assert!(
        classes[0].contains("the most frequent label of each of its values is right for 300"),
        "{classes:?}"
    );
}

#[test]
fn a_rare_label_is_judged_by_what_is_found_of_it() {
    // one row in so many is yes, and of these all but some have a high number
    let rare = |share: usize, low: usize| {
        said((0..1000_usize).map(|k| {
            let is_yes = k.is_multiple_of(share);
            let is_low = (k / share).is_multiple_of(low);
            let number = if (is_yes && !is_low) || k == 7 {
                5000.0
            } else {
                0.0
            } + other(k);
            (if is_yes { "yes" } else { "no" }, None, number)
        }))
    };
    let found = rare(20, 10);
    assert!(
        found.len() == 1
            && found[0].starts_with(
                "column n predicts the label: of the first 1,000 rows, it is at least "
            )
            && found[0].ends_with(" in 45 of the 50 with label yes and in 1 of the 950 others"),
        "{found:?}"
    );
    assert!(rare(20, 3).is_empty(), "a third is missed");
    assert!(rare(60, 100).is_empty(), "too few rows have it");
}

#[test]
fn rows_that_come_sorted_are_judged_by_those_that_follow() {
    let sorted = said((0..6000).map(|k| {
        let is_yes = k >= 4500;
        (
            if is_yes { "yes" } else { "no" },
            Some(if is_yes { 1 } else { 2 }),
            other(k),
        )
    }));
    assert_eq!(
        sorted,
        [
            "column c predicts the label: in 2,500 rows of the data c=x is there exactly where the label is yes"
        ]
    );
}
