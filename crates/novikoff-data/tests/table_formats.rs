//! One table as CSV, JSON lines, Parquet, Arrow and batches in memory: the same features with the same values, whatever its columns hold.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Date32Array, Date64Array, Float64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, TimestampSecondArray,
};
use novikoff::names::Names;
use novikoff::remark::{Remark, StandIn};
use novikoff::source::Source as _;
use novikoff::table::{ColumnKind, DateForm, Table};
use novikoff_data::arrow::BatchRows;
use novikoff_data::blocks::{Input, Missing, ReadOptions, Reader};
use novikoff_data::options::{Dates, Format};

use crate::columnar_common::{bytes, file, parquet, story, stream};

const ROWS: i64 = 300;

/// 2024-02-28T22:30:00Z, and two and a half hours more per row.
const FIRST: i64 = 1_709_159_400;
const STEP: i64 = 9000;

/// A value of row `k`: missing in every `nth` row.
fn gap<T>(k: i64, nth: i64, value: T) -> Option<T> {
    (k % nth != nth - 1).then_some(value)
}

fn amount(k: i64) -> Option<f64> {
    gap(k, 7, (k % 11) as f64 / 4.0 - 1.0)
}

fn colour(k: i64) -> Option<&'static str> {
    gap(k, 5, ["red", "green", "blue"][k as usize % 3])
}

fn seconds(k: i64) -> Option<i64> {
    gap(k, 6, FIRST + k * STEP)
}

/// By another way than the reader's: days are counted up from the first one.
fn written(seconds: i64) -> String {
    let (mut days, rest) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let length = |year: i64| 365 + i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let mut month = 1;
    for of_month in [
        31,
        length(year) - 337,
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ] {
        if days < of_month {
            break;
        }
        (days, month) = (days - of_month, month + 1);
    }
    let (hour, minute) = (rest / 3600, rest / 60 % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}", days + 1)
}

fn csv() -> String {
    let mut text = "id,label,amount,colour,day,at,same\n".to_owned();
    let missing = || "NA".to_owned();
    for k in 0..ROWS {
        let day = seconds(k).map_or_else(missing, |s| written(s)[..10].to_owned());
        let at = seconds(k).map_or_else(missing, written);
        let amount = amount(k).map_or_else(String::new, |v| v.to_string());
        let colour = colour(k).unwrap_or("?");
        writeln!(text, "id-{k},{},{amount},{colour},{day},{at},7", k % 2).unwrap();
    }
    text
}

fn json_lines() -> String {
    let quoted = |word: String| format!("\"{word}\"");
    let null = || "null".to_owned();
    let mut text = String::new();
    for k in 0..ROWS {
        let day = seconds(k).map_or_else(null, |s| quoted(written(s)[..10].to_owned()));
        let at = seconds(k).map_or_else(null, |s| quoted(written(s)));
        let amount = amount(k).map_or_else(null, |v| v.to_string());
        let colour = colour(k).map_or_else(null, |word| quoted(word.to_owned()));
        writeln!(
            text,
            r#"{{"id":"id-{k}","label":{},"amount":{amount},"colour":{colour},"day":{day},"at":{at},"same":7}}"#,
            k % 2
        )
        .unwrap();
    }
    text
}

/// How the dates are stored.
#[derive(Clone, Copy, Debug)]
enum Stored {
    Strings,
    Days,
    Millis,
}

fn batches(stored: Stored) -> Vec<RecordBatch> {
    let batch = |range: std::ops::Range<i64>| {
        let all = || range.clone();
        let strings = |days: bool| -> ArrayRef {
            let text = |s| {
                let whole = written(s);
                if days { whole[..10].to_owned() } else { whole }
            };
            let texts: StringArray = all().map(|k| seconds(k).map(text)).collect();
            Arc::new(texts)
        };
        let day: ArrayRef = match stored {
            Stored::Strings => strings(true),
            Stored::Days => {
                let days = all().map(|k| seconds(k).map(|s| (s / 86_400) as i32));
                Arc::new(days.collect::<Date32Array>())
            }
            Stored::Millis => {
                let days = all().map(|k| seconds(k).map(|s| s / 86_400 * 86_400_000));
                Arc::new(days.collect::<Date64Array>())
            }
        };
        let at: ArrayRef = match stored {
            Stored::Strings => strings(false),
            Stored::Days => {
                let at: TimestampSecondArray = all().map(seconds).collect();
                Arc::new(at)
            }
            Stored::Millis => {
                let at = all().map(|k| seconds(k).map(|s| s * 1_000_000));
                let at: TimestampMicrosecondArray = at.collect();
                Arc::new(at.with_timezone("+02:00"))
            }
        };
        let ids: StringArray = all().map(|k| Some(format!("id-{k}"))).collect();
        let labels: StringArray = all().map(|k| Some((k % 2).to_string())).collect();
        let amounts: Float64Array = all().map(amount).collect();
        let colours: StringArray = all().map(colour).collect();
        let same = Float64Array::from_iter_values(all().map(|_| 7.0));
        let columns: [(&str, ArrayRef); 7] = [
            ("id", Arc::new(ids)),
            ("label", Arc::new(labels)),
            ("amount", Arc::new(amounts)),
            ("colour", Arc::new(colours)),
            ("day", day),
            ("at", at),
            ("same", Arc::new(same)),
        ];
        // the same schema for all: every column may have nulls
        RecordBatch::try_from_iter_with_nullable(columns.map(|(n, c)| (n, c, true))).unwrap()
    };
    vec![batch(0..120), batch(120..ROWS)]
}

/// Rows as `label | features in the order of their names`.
fn sorted(rows: Vec<String>) -> Vec<String> {
    let row = |row: String| {
        let (label, features) = row.split_once(" |").unwrap();
        let label = label.split_once(' ').unwrap().1;
        let mut features: Vec<&str> = features.split_whitespace().collect();
        features.sort_unstable();
        format!("{label} | {}", features.join(" "))
    };
    rows.into_iter().map(row).collect()
}

fn rows(input: Input, options: &ReadOptions) -> Vec<String> {
    let result = story(input, options);
    assert_eq!(result.error, None);
    sorted(result.rows)
}

/// What a table was taken for.
fn taken(input: Input, options: &ReadOptions) -> (Table, Vec<Remark>) {
    let mut reader = Reader::open(vec![input], options.clone(), 1).unwrap();
    reader.next_block().unwrap();
    (reader.table().unwrap().clone(), reader.remarks().to_vec())
}

fn pushed(stored: Stored, options: &ReadOptions) -> (Vec<String>, Table) {
    let batches = batches(stored);
    let schema = batches[0].schema();
    let mut rows = BatchRows::new(&schema, options.clone(), Names::new()).unwrap();
    let mut result = Vec::new();
    for batch in &batches {
        let block = rows.push(batch).unwrap();
        let values: Vec<(String, Vec<(usize, f64)>)> = (0..block.len())
            .map(|i| {
                let label = block.labels(i).next().unwrap();
                let label = String::from_utf8_lossy(label.text()).into_owned();
                (label, block.row(i).iter().collect())
            })
            .collect();
        for (label, values) in values {
            let name = |slot: usize| rows.names().name(slot as u32).unwrap().to_owned();
            let mut features: Vec<String> = values
                .into_iter()
                .map(|(slot, v)| format!("{}:{}", name(slot), v as f32))
                .collect();
            features.sort_unstable();
            result.push(format!("{label} | {}", features.join(" ")));
        }
    }
    (result, rows.table().clone())
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn all_options() -> Vec<ReadOptions> {
    let with = |missing| ReadOptions {
        missing: Some(missing),
        ..ReadOptions::default()
    };
    let means = [("amount", 0.25), ("day", 2024.5), ("at", 1.5e9)];
    let means: HashMap<String, f32> = means.map(|(n, m)| (n.to_owned(), m)).into();
    vec![
        with(Missing::Zero),
        with(Missing::Indicator),
        ReadOptions {
            means: Some(Arc::new(means)),
            ..with(Missing::Mean)
        },
        ReadOptions {
            dates: Some(Dates::Seconds),
            drop: names(&["colour"]),
            ..with(Missing::Indicator)
        },
        ReadOptions {
            only: names(&["amount", "at", "label"]),
            categorical: names(&["id"]),
            ..with(Missing::Zero)
        },
        ReadOptions {
            categorical: names(&["id"]),
            drop: names(&["day", "at"]),
            ..with(Missing::Zero)
        },
    ]
}

/// The table in a format, in all its forms; none if the format is not of tables.
fn inputs(format: Format, stored: Stored) -> Vec<Input> {
    let batches = batches(stored);
    match format {
        Format::Csv => vec![bytes("t.csv", csv())],
        Format::Json => vec![bytes("t.jsonl", json_lines())],
        Format::Parquet => vec![bytes("t.parquet", parquet(&batches))],
        Format::Arrow => vec![
            bytes("t.arrow", file(&batches)),
            bytes("t.arrows", stream(&batches)),
        ],
        Format::Svmlight | Format::Vw | Format::Cache => Vec::new(),
    }
}

#[test]
fn all_formats_give_the_same_features() {
    for options in all_options() {
        let text = bytes("t.csv", csv());
        let expected = rows(text.clone(), &options);
        let (table, remarks) = taken(text, &options);
        for stored in [Stored::Strings, Stored::Days, Stored::Millis] {
            for input in Format::ALL.into_iter().flat_map(|f| inputs(f, stored)) {
                let found = rows(input.clone(), &options);
                assert_eq!(found, expected, "{stored:?} {options:?}");
                assert_eq!(taken(input, &options), (table.clone(), remarks.clone()));
            }
            let (found, pushed) = pushed(stored, &options);
            assert_eq!(found, expected, "{stored:?} {options:?}");
            // of batches the first is looked at, and it has all that makes a difference
            assert_eq!(pushed, table);
        }
    }
}

#[test]
fn dates_and_missing_values_are_features_as_documented() {
    let row = |options: &ReadOptions, k: usize| rows(bytes("t.csv", csv()), options)[k].clone();
    let options = all_options();
    assert_eq!(
        row(&options[0], 1),
        "1 | amount:-0.75 at.hour=1:1 at.month=2:1 at.weekday=4:1 at.year:2024 colour=green:1 day.month=2:1 day.weekday=4:1 day.year:2024 same:7"
    );
    assert_eq!(row(&options[0], 29), "1 | amount:0.75 same:7");
    assert_eq!(
        row(&options[1], 29),
        "1 | amount:0.75 at=missing:1 colour=missing:1 day=missing:1 same:7"
    );
    assert_eq!(
        row(&options[2], 29),
        "1 | amount:0.75 at.year:1500000000 day.year:2024.5 same:7"
    );
    assert_eq!(
        row(&options[3], 0),
        format!(
            "0 | amount:-1 at:{} day:{} same:7",
            FIRST as f32, 1_709_078_400_i64 as f32
        )
    );
    assert_eq!(
        row(&options[4], 6),
        "0 | at.hour=13:1 at.month=2:1 at.weekday=4:1 at.year:2024"
    );
    let (table, remarks) = taken(bytes("t.csv", csv()), &options[0]);
    let kinds: Vec<ColumnKind> = table.columns.iter().map(|column| column.kind).collect();
    let parts = |hours| ColumnKind::Date(DateForm::Parts { hours });
    assert_eq!(
        kinds,
        [
            ColumnKind::Ignored,
            ColumnKind::Number,
            ColumnKind::Category,
            parts(false),
            parts(true),
            ColumnKind::Number
        ]
    );
    assert_eq!(
        remarks,
        [Remark::Ids {
            column: "id".to_owned(),
            distinct: 300,
            rows: 300
        }]
    );
}

#[test]
fn a_model_reads_another_table_as_its_own() {
    for options in all_options().into_iter().take(3) {
        let (table, _) = taken(bytes("t.csv", csv()), &options);
        let model = ReadOptions {
            table: Some(table),
            ..ReadOptions::default()
        };
        let expected = rows(bytes("t.csv", csv()), &options);
        assert_eq!(rows(bytes("t.csv", csv()), &model), expected);
        // without two columns, with another, in another order; dates that a look would take for categories
        let text =
            "more,amount,label,colour,at,same\nx,0.5,1,red,2024-01-01T05:00Z,7\nx,0.5,1,,NA,7\n";
        let result = rows(bytes("u.csv", text), &model);
        let day = match options.missing() {
            Missing::Zero => "",
            Missing::Mean => " day.year:2024.5",
            _ => " day=missing:1",
        };
        assert_eq!(
            result[0],
            format!(
                "1 | amount:0.5 at.hour=5:1 at.month=1:1 at.weekday=1:1 at.year:2024 colour=red:1{day} more=x:1 same:7"
            )
        );
        let (_, remarks) = taken(bytes("u.csv", text), &model);
        let remark = Remark::MissingColumn {
            file: "u.csv".to_owned(),
            column: "day".to_owned(),
            read_as: match options.missing() {
                Missing::Mean => StandIn::Mean(2024.5),
                Missing::Indicator => StandIn::Indicator,
                _ => StandIn::Zero,
            },
        };
        let new = Remark::NewColumn {
            file: "u.csv".to_owned(),
            column: "more".to_owned(),
        };
        assert_eq!(
            remarks,
            [remark, new],
            "an id that is missing makes no difference"
        );
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let error = |input: Input, options: &ReadOptions| story(input, options).error.unwrap();
    let plain = ReadOptions::default();
    let refuse = ReadOptions {
        dates: Some(Dates::Refuse),
        ..plain.clone()
    };
    let batches = batches(Stored::Days);
    for input in [bytes("t.csv", csv()), bytes("t.arrow", file(&batches))] {
        let result = error(input.clone(), &refuse);
        assert!(
            result.contains("column \"day\" holds dates") && result.contains("drop"),
            "{result}"
        );
        let result = error(input.clone(), &plain);
        assert!(result.contains("column \"colour\""), "{result}");
        let unknown = ReadOptions {
            only: names(&["amout"]),
            ..plain.clone()
        };
        let result = error(input.clone(), &unknown);
        assert!(result.contains("did you mean \"amount\"?"), "{result}");
        let label = ReadOptions {
            drop: names(&["label"]),
            ..plain.clone()
        };
        let result = error(input, &label);
        assert!(result.contains("\"label\" is the label"), "{result}");
    }
    let mut text = "y,d\n".to_owned();
    for day in 1..=31 {
        writeln!(text, "1,2024-01-{day:02}").unwrap();
    }
    // more rows than are looked at
    let many = text.replace("y,d\n", "");
    text.push_str(&many.repeat(70));
    text.push_str("1,2024-02-30\n");
    let result = error(bytes("t.csv", text), &plain);
    assert!(
        result.starts_with("t.csv:2203:3: column \"d\": \"2024-02-30\" is not a date"),
        "{result}"
    );
}
