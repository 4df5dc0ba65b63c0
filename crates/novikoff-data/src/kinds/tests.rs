//! What columns are taken for, by what is asked for and by their values.

use novikoff::remark::Remark;
use novikoff::remedy::{Library, said};
use novikoff::table::{Column, ColumnKind, DateForm, Missing, Table};

use super::{ColumnLook, FIRST_ROWS, Policy, Value, contradiction, is_id_name};
use crate::options::{Dates, ReadOptions};

fn look<'a>(values: impl IntoIterator<Item = Value<'a>>) -> ColumnLook {
    let mut look = ColumnLook::default();
    values.into_iter().for_each(|value| look.add(value));
    look
}

fn texts(values: &[&'static str]) -> ColumnLook {
    look(values.iter().map(|text| Value::Text(text.as_bytes())))
}

fn kind(options: &ReadOptions, look: &ColumnLook) -> ColumnKind {
    Policy::new(options, false)
        .decide("c", look)
        .expect("nothing is refused")
}

#[test]
fn the_first_value_says_whether_a_column_is_numbers() {
    let plain = ReadOptions::default();
    let word = Value::Text(b"a");
    for (values, expected) in [
        (vec![], ColumnKind::Number),
        (vec![Value::Missing], ColumnKind::Number),
        (
            vec![Value::Missing, Value::Number(None), word],
            ColumnKind::Number,
        ),
        (
            vec![Value::Missing, word, Value::Number(None)],
            ColumnKind::Category,
        ),
    ] {
        assert_eq!(kind(&plain, &look(values.clone())), expected, "{values:?}");
    }
}

#[test]
fn a_column_of_nothing_but_dates_is_dates() {
    let options = |dates| ReadOptions {
        dates,
        ..ReadOptions::default()
    };
    let days = texts(&["2024-01-02", "2024-02-29"]);
    let parts = |hours| ColumnKind::Date(DateForm::Parts { hours });
    assert_eq!(kind(&options(None), &days), parts(false));
    let times = texts(&["2024-01-02", "2024-02-29T07:00"]);
    assert_eq!(kind(&options(Some(Dates::Parts)), &times), parts(true));
    let seconds = ColumnKind::Date(DateForm::Seconds);
    assert_eq!(kind(&options(Some(Dates::Seconds)), &times), seconds);
    let mixed = texts(&["2024-01-02", "2023-02-29"]);
    assert_eq!(kind(&options(None), &mixed), ColumnKind::Category);
    let number = look([Value::Text(b"2024-01-02"), Value::Number(None)]);
    assert_eq!(kind(&options(None), &number), ColumnKind::Category);
    let refuse = options(Some(Dates::Refuse));
    let refused = Policy::new(&refuse, false).decide("c", &days);
    let refused = refused.expect_err("dates are refused");
    let text = said(&refused, refused.remedy.as_ref(), &Library);
    assert!(
        text.contains("\"c\" holds dates") && text.contains("drop"),
        "{text}"
    );
}

#[test]
fn ids_are_left_out_unless_they_are_named() {
    let ids: Vec<String> = (0..FIRST_ROWS).map(|k| format!("id{k}")).collect();
    let of = |distinct: usize, rows: usize| {
        let value = |k: usize| Value::Text(ids[k % distinct].as_bytes());
        look((0..rows).map(value).chain([Value::Missing]))
    };
    let plain = ReadOptions::default();
    for (distinct, rows, expected) in [
        (99, 100, ColumnKind::Category),
        (100, 100, ColumnKind::Ignored),
        (100, 199, ColumnKind::Ignored),
        (100, 200, ColumnKind::Category),
        (2000, 2000, ColumnKind::Ignored),
        (1000, 2000, ColumnKind::Category),
    ] {
        let mut policy = Policy::new(&plain, false);
        let decided = policy.decide("c", &of(distinct, rows));
        assert_eq!(decided, Ok(expected), "{distinct} of {rows}");
        let remark = Remark::Ids {
            column: "c".to_owned(),
            distinct: distinct as u64,
            rows: rows as u64 + 1,
        };
        let is_id = expected == ColumnKind::Ignored;
        assert_eq!(policy.remarks.contains(&remark), is_id);
    }
    let named = |set: fn(&mut ReadOptions, Vec<String>)| {
        let mut options = ReadOptions::default();
        set(&mut options, vec!["c".to_owned()]);
        kind(&options, &of(100, 100))
    };
    assert_eq!(named(|o, c| o.categorical = c), ColumnKind::Category);
    assert_eq!(named(|o, c| o.text = c), ColumnKind::Text);
    assert_eq!(named(|o, c| o.drop = c), ColumnKind::Ignored);
    let frozen = Policy::new(&plain, true).decide("c", &of(100, 100));
    assert_eq!(
        frozen,
        Ok(ColumnKind::Category),
        "a model's names are not ids"
    );
}

#[test]
fn what_looks_like_something_else_gets_a_remark() {
    let plain = ReadOptions::default();
    let decided = |look: &ColumnLook| {
        let mut policy = Policy::new(&plain, false);
        let kind = policy.decide("c", look).expect("nothing is refused");
        let kinds: Vec<&str> = policy.remarks.iter().map(Remark::kind).collect();
        (kind, kinds)
    };
    let of = |count: usize, text: &dyn Fn(usize) -> String| {
        let texts: Vec<String> = (0..count).map(text).collect();
        look(texts.iter().map(|text| Value::Text(text.as_bytes())))
    };
    let category = |kind| (ColumnKind::Category, vec![kind]);
    let commas = of(200, &|k| format!("{},5", k % 50));
    assert_eq!(decided(&commas), category("number-text"));
    let distinct = of(200, &|k| format!("{k}%"));
    let left_out = (ColumnKind::Ignored, vec!["number-text"]);
    assert_eq!(decided(&distinct), left_out);
    let some = of(200, &|k| match k % 10 {
        0 => "unknown".to_owned(),
        k => format!("{k}%"),
    });
    assert_eq!(
        decided(&some),
        (ColumnKind::Category, vec![]),
        "a tenth is none"
    );
    let sentences = of(200, &|k| format!("the parcel {} came late", k % 60));
    assert_eq!(decided(&sentences), category("text-column"));
    let few = of(200, &|k| format!("Bachelor of {}", k % 15));
    assert_eq!(decided(&few), (ColumnKind::Category, vec![]));
    let rows = |count: i64| look((0..count).map(|k| Value::Number(Some(1000 + k))));
    assert_eq!(decided(&rows(99)), (ColumnKind::Number, vec![]));
    assert_eq!(decided(&rows(100)), (ColumnKind::Number, vec!["ids"]));
    let text = [Value::Text(b"x")];
    let broken = look((0..100).map(|k| Value::Number(Some(k))).chain(text));
    assert_eq!(decided(&broken), (ColumnKind::Number, vec![]));
    let frozen = Policy::new(&plain, true).decide("c", &commas);
    assert_eq!(frozen, Ok(ColumnKind::Category));
}

/// What is said of a column of 200 texts.
fn said_of(name: &str, text: &dyn Fn(usize) -> String) -> Vec<String> {
    let plain = ReadOptions::default();
    let texts: Vec<String> = (0..200).map(text).collect();
    let mut policy = Policy::new(&plain, false);
    let look = look(texts.iter().map(|text| Value::Text(text.as_bytes())));
    let kind = policy.decide(name, &look).expect("nothing is refused");
    assert_ne!(kind, ColumnKind::Number, "texts are not converted");
    policy.remarks.iter().map(ToString::to_string).collect()
}

#[test]
fn numbers_with_units_are_no_categories() {
    let only = |text: &dyn Fn(usize) -> String| {
        let said = said_of("c", text);
        assert!(said.len() == 1, "{said:?}");
        said[0].clone()
    };
    assert_eq!(
        only(&|k| format!("{} yrs", 20 + k % 50)),
        "column c holds numbers with the unit `yrs`, so each value is a category"
    );
    assert_eq!(
        only(&|k| format!("{k}.25°C")),
        "column c holds numbers with the unit `°C`, so it is left out"
    );
    let two = |k: usize| format!("{} {}", k % 60, ["C", "F"][k % 2]);
    assert!(only(&two).contains("the units `C` and `F`"));
    let some_plain = |k: usize| match k % 3 {
        0 => format!("{k}"),
        _ => format!("{k} kg"),
    };
    let texts: Vec<String> = (1..200).map(some_plain).collect();
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let values = texts.iter().map(|text| {
        if number(text) {
            Value::number(text.as_bytes())
        } else {
            Value::Text(text.as_bytes())
        }
    });
    let (plain, look) = (ReadOptions::default(), look(values));
    let mut policy = Policy::new(&plain, false);
    assert_eq!(policy.decide("c", &look), Ok(ColumnKind::Ignored));
    assert!(policy.remarks[0].to_string().contains("the unit `kg`"));
    let silent: [(&str, &dyn Fn(usize) -> String); 6] = [
        ("few values", &|k| format!("{} doors", 2 + k % 8)),
        ("flats", &|k| format!("{} rooms flat", 1 + k % 12)),
        ("sizes", &|k| ["S", "M", "L", "XL", "2XL"][k % 5].to_owned()),
        ("codes", &|k| format!("A{}", k % 40)),
        ("seats", &|k| format!("{}{}", k % 20, ["A", "B"][k % 2])),
        ("houses", &|k| {
            format!("{} {}", k % 20, ["Oak", "Elm", "Ash"][k % 3])
        }),
    ];
    for (name, text) in silent {
        let said = said_of("c", text);
        assert!(!said.iter().any(|s| s.contains("unit")), "{name}: {said:?}");
    }
}

#[test]
fn strings_that_are_numbers_are_no_categories() {
    let said = said_of("c", &|k| format!("{}.5", k % 60));
    assert_eq!(
        said,
        [
            "column c holds numbers as strings: 200 of its first 200 values are strings such as \"0.5\", so each value is a category"
        ]
    );
    let whole = |k: usize| format!("{}", 1000 + 37 * k);
    assert!(said_of("amount", &whole)[0].contains("numbers as strings"));
    let ids = said_of("customer_id", &whole);
    assert!(ids[0].contains("look like ids"), "{ids:?}");
    let silent: [&dyn Fn(usize) -> String; 3] = [
        &|k| format!("{}", k % 19),
        &|k| format!("{:05}", 9_990 + k % 60),
        &|k| format!("+{}", 49_300 + k % 60),
    ];
    for text in silent {
        assert!(said_of("c", text).is_empty());
    }
    // some are numbers, and some strings
    let texts: Vec<String> = (0..200).map(|k| format!("{k}.25")).collect();
    let values = texts.iter().enumerate().map(|(k, text)| match k % 3 {
        0 => Value::Text(text.as_bytes()),
        _ => Value::number(text.as_bytes()),
    });
    let (plain, look) = (ReadOptions::default(), look(values));
    let mut policy = Policy::new(&plain, false);
    assert_eq!(policy.decide("c", &look), Ok(ColumnKind::Ignored));
    let said = policy.remarks[0].to_string();
    assert!(
        said.contains("67 of its first 200 values are strings"),
        "{said}"
    );
}

#[test]
fn one_decimal_comma_tells_of_the_others() {
    let decimal = said_of("c", &|k| format!("{},446", k % 30));
    assert!(decimal[0].contains("a decimal comma"), "{decimal:?}");
    let thousands = said_of("c", &|k| format!("{},446", 1 + k % 30));
    assert!(thousands[0].contains("thousands"), "{thousands:?}");
    let certain = said_of("c", &|k| match k {
        0 => "0,446".to_owned(),
        1 => "1,234,567".to_owned(),
        k => format!("{},446", k % 30),
    });
    assert!(certain[0].contains("thousands"), "{certain:?}");
}

#[test]
fn months_with_names_are_dates() {
    let months = ["Jan", "May", "Dec"];
    let named = |k: usize| format!("{:02} {} 2025", 1 + k % 28, months[k % 3]);
    let digits = |k: usize| format!("{:02}/{:02}/2025", 1 + k % 28, 1 + k % 12);
    let mixed = |k: usize| {
        if k.is_multiple_of(2) {
            named(k)
        } else {
            digits(k)
        }
    };
    let long = |k: usize| format!("December {:02}, 2025", 1 + k % 28);
    let forms: [&dyn Fn(usize) -> String; 3] = [&named, &mixed, &long];
    for text in forms {
        assert_eq!(
            said_of("c", text),
            [
                "column c holds dates that are not written as year-month-day, so each value is a category"
            ]
        );
    }
    let with_iso = |k: usize| match k % 2 {
        0 => format!("2025-03-{:02}", 1 + k % 28),
        _ => named(k),
    };
    assert!(said_of("c", &with_iso)[0].contains("dates in several forms"));
    let rooms = |k: usize| format!("{} {} {}", 1 + k % 28, months[k % 3], k % 3);
    assert!(!said_of("c", &rooms).iter().any(|s| s.contains("dates")));
}

#[test]
fn a_word_in_front_of_numbers_makes_no_categories() {
    let plain = ReadOptions::default();
    // this number of words, then numbers, and how many of them are distinct
    let decided = |word: &str, words: usize, numbers: usize, distinct: usize| {
        let numbers: Vec<String> = (0..numbers)
            .map(|k| format!("{}.5", k % distinct))
            .collect();
        let words = (0..words).map(|_| Value::Text(word.as_bytes()));
        let numbers = numbers.iter().map(|text| Value::number(text.as_bytes()));
        let mut policy = Policy::new(&plain, false);
        let kind = policy.decide("c", &look(words.chain(numbers)));
        let said: Vec<String> = policy.remarks.iter().map(ToString::to_string).collect();
        (kind.expect("nothing is refused"), said.join("; "))
    };
    let number = (ColumnKind::Number, String::new());
    assert_eq!(decided("unknown", 1, 200, 200), number);
    assert_eq!(decided("unknown", 10, 190, 20), number);
    let (kind, said) = decided("unknown", 11, 189, 189);
    assert_eq!(kind, ColumnKind::Ignored);
    assert_eq!(
        said,
        "column c holds numbers and other values: 189 of its first 200 values are numbers, and others are `unknown`, so it is left out"
    );
    let (kind, said) = decided("unknown", 80, 120, 40);
    assert_eq!(kind, ColumnKind::Category);
    assert!(said.ends_with("so each value is a category"), "{said}");
    let (kind, said) = decided("1,234", 80, 120, 40);
    assert_eq!(kind, ColumnKind::Category);
    assert!(said.contains("thousands separators"), "{said}");
    // names of categories
    let category = (ColumnKind::Category, String::new());
    assert_eq!(decided("ground", 80, 120, 19), category);
    assert_eq!(decided("ground", 100, 100, 40), category);
    let (kind, said) = decided("ground", 10, 190, 19);
    assert_eq!(kind, ColumnKind::Category);
    assert!(said.contains("others are `ground`"), "{said}");
}

#[test]
fn what_the_model_says_comes_first_and_drops_before_names() {
    let mut options = ReadOptions {
        drop: vec!["c".to_owned()],
        categorical: vec!["c".to_owned()],
        ..ReadOptions::default()
    };
    let numbers = look([Value::Number(None)]);
    assert_eq!(kind(&options, &numbers), ColumnKind::Ignored);
    options.drop.clear();
    options.only = vec!["d".to_owned()];
    assert_eq!(kind(&options, &numbers), ColumnKind::Ignored);
    options.table = Some(Table {
        columns: vec![Column::new("c", ColumnKind::Number)],
        ..Table::default()
    });
    assert_eq!(kind(&options, &texts(&["a"])), ColumnKind::Number);
}

#[test]
fn names_that_are_nowhere_are_errors() {
    let check = |options: ReadOptions| {
        let policy = Policy::new(&options, false);
        let checked = policy.check_names(&["colour", "size", "s.a"], Some("y"));
        checked.map_err(|error| said(&error, error.remedy.as_ref(), &Library))
    };
    let drop = |name: &str| ReadOptions {
        drop: vec![name.to_owned()],
        ..ReadOptions::default()
    };
    assert_eq!(check(drop("size")), Ok(()));
    assert_eq!(check(drop("s")), Ok(()), "a struct");
    let unknown = check(drop("color")).expect_err("no such column");
    let expected =
        "no column is called \"color\", which was to be left out; did you mean \"colour\"?";
    assert!(unknown.starts_with(expected), "{unknown}");
    let label = check(drop("y")).expect_err("the label");
    assert!(label.contains("\"y\" is the label"), "{label}");
    let known = ReadOptions {
        table: Some(Table {
            columns: vec![Column::new("old", ColumnKind::Ignored)],
            ..Table::default()
        }),
        ..drop("old")
    };
    assert_eq!(check(known), Ok(()), "the model knows it");
}

#[test]
fn contradictions_with_a_table_are_found() {
    let date = ColumnKind::Date(DateForm::Parts { hours: false });
    let table = Table {
        columns: vec![
            Column::new("n", ColumnKind::Number),
            Column::new("k", ColumnKind::Category),
            Column::new("d", date),
            Column::new("i", ColumnKind::Ignored),
        ],
        missing: Missing::Mean,
        ..Table::default()
    };
    let asked = |set: &dyn Fn(&mut ReadOptions)| {
        let mut options = ReadOptions::default();
        set(&mut options);
        contradiction(&options, &table).map(|(setting, ..)| setting.name())
    };
    let names = |names: &str| names.split(',').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(asked(&|_| {}), None);
    assert_eq!(asked(&|o| o.missing = Some(Missing::Mean)), None);
    assert_eq!(asked(&|o| o.missing = Some(Missing::Zero)), Some("missing"));
    assert_eq!(asked(&|o| o.drop = names("i,other")), None);
    assert_eq!(asked(&|o| o.drop = names("n")), Some("drop"));
    assert_eq!(asked(&|o| o.only = names("n,k,d")), None);
    assert_eq!(asked(&|o| o.only = names("n,k")), Some("only"));
    assert_eq!(asked(&|o| o.only = names("n,k,d,i")), Some("only"));
    assert_eq!(asked(&|o| o.categorical = names("k")), None);
    assert_eq!(asked(&|o| o.categorical = names("n")), Some("categorical"));
    assert_eq!(asked(&|o| o.text = names("k")), Some("text"));
    assert_eq!(asked(&|o| o.dates = Some(Dates::Parts)), None);
    assert_eq!(asked(&|o| o.dates = Some(Dates::Seconds)), Some("dates"));
    assert_eq!(asked(&|o| o.dates = Some(Dates::Refuse)), Some("dates"));
}

#[test]
fn distinct_whole_numbers_are_ids_if_their_column_says_so() {
    let plain = ReadOptions::default();
    let kinds = |name: &str, numbers: &mut dyn Iterator<Item = Option<i64>>| {
        let mut policy = Policy::new(&plain, false);
        let look = look(numbers.map(Value::Number));
        assert_eq!(policy.decide(name, &look), Ok(ColumnKind::Number));
        policy.remarks.iter().map(Remark::kind).collect::<Vec<_>>()
    };
    let drawn = |k: i64| Some(k * 7_919 % 10_007);
    assert_eq!(kinds("customer_id", &mut (0..100).map(drawn)), ["ids"]);
    assert!(
        kinds("customer_id", &mut (0..99).map(drawn)).is_empty(),
        "too few"
    );
    assert!(kinds("amount", &mut (0..200).map(drawn)).is_empty());
    let twice = |again: i64| (0..200).chain(0..again).map(drawn);
    assert_eq!(
        kinds("customer_id", &mut twice(1)),
        ["ids"],
        "one has come before"
    );
    assert_eq!(kinds("customer_id", &mut twice(10)), ["ids"]);
    assert_eq!(
        kinds("customer_id", &mut twice(11)),
        ["ids"],
        "a few rows per customer"
    );
    let half = (0..200).map(drawn).chain([None]);
    assert!(kinds("customer_id", &mut half.into_iter()).is_empty());
    for (name, expected) in [
        ("id", true),
        ("ID", true),
        ("claim-id", true),
        ("customerId", true),
        ("userID", true),
        ("user.id", true),
        ("paid", false),
        ("humid", false),
        ("VOID", false),
        ("idle_days", false),
    ] {
        assert_eq!(is_id_name(name), expected, "{name}");
    }
}
