//! Tables as users have them: ids, dates, missing values, columns of very different scales.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Done, Room};

/// A row of the churn table, by its columns.
fn cell(column: &str, k: usize) -> String {
    let noise = k.wrapping_mul(2_654_435_761) >> 7;
    let missing = |nth: usize, value: String| {
        if k % nth == nth - 1 {
            String::new()
        } else {
            value
        }
    };
    let months = noise % 48;
    match column {
        "customer_id" => format!("C-{:05}", 7 * k + 3),
        "signup" => format!(
            "{}-{:02}-{:02}",
            2018 + months / 12,
            1 + months % 12,
            1 + noise % 28
        ),
        "age" => missing(9, (18 + noise % 60).to_string()),
        "income" => missing(13, (20_000 + 37 * (noise % 2000)).to_string()),
        "rate" => format!("0.00{}", 1 + noise % 9),
        "plan" => missing(8, ["basic", "plus", "pro"][noise % 3].to_owned()),
        "country" => "NL".to_owned(),
        "version" => "7".to_owned(),
        "churned" => {
            let churned = noise.is_multiple_of(3) || (months < 12 && noise % 60 < 20);
            if churned { "yes" } else { "no" }.to_owned()
        }
        other => panic!("no column {other}"),
    }
}

const COLUMNS: &str = "customer_id,signup,age,income,rate,plan,country,version,churned";

fn table(columns: &str, rows: std::ops::Range<usize>) -> String {
    let names: Vec<&str> = columns.split(',').collect();
    let mut text = format!("{columns}\n");
    for k in rows {
        let cells: Vec<String> = names.iter().map(|name| cell(name, k)).collect();
        writeln!(text, "{}", cells.join(",")).expect("memory");
    }
    text
}

fn room() -> Room {
    let room = Room::new();
    room.write("churn.csv", table(COLUMNS, 0..2500));
    room
}

const TRAIN: &str = "train churn.csv --label churned -a perceptron --positive yes";

fn remarks(json: &Value, kind: &str) -> Vec<String> {
    let all = json["remarks"].as_array().map_or(&[][..], |list| list);
    let of_kind = all.iter().filter(|remark| remark["kind"] == kind);
    let text = |remark: &Value| remark["text"].as_str().expect("a text").to_owned();
    of_kind.map(text).collect()
}

/// What `inspect` says a column is.
fn kind(room: &Room, model: &str, column: &str) -> String {
    let json = inspected(room, model);
    let columns = json["table"]["columns"].as_array().expect("columns");
    let found = columns.iter().find(|c| c["name"] == column);
    let kind = &found.unwrap_or_else(|| panic!("no {column} in {json}"))["kind"];
    kind.as_str().expect("a kind").to_owned()
}

fn inspected(room: &Room, model: &str) -> Value {
    let done = room.run(&format!("inspect {model} --json")).good();
    serde_json::from_str(&done.stdout).expect("JSON")
}

#[test]
fn an_id_is_left_out_with_a_remark_that_quiet_does_not_hide() {
    let room = room();
    let words = format!("{TRAIN} --missing zero -o m.nvk");
    let done = room.run(&format!("{words} --json -q")).good();
    let said = "column customer_id is left out: 2,000 distinct values in the first 2,000 rows look like ids";
    assert_eq!(done.stderr.matches(said).count(), 1, "{}", done.stderr);
    let result = remarks(&done.json(), "ids");
    assert_eq!(result.len(), 1, "{result:?}");
    for part in [
        said,
        "--text customer_id",
        "--categorical customer_id",
        "--drop customer_id",
    ] {
        assert!(result[0].contains(part), "{result:?}");
    }
    for (column, expected) in [
        ("customer_id", "ignored"),
        ("signup", "date"),
        ("age", "number"),
        ("plan", "category"),
        ("country", "category"),
    ] {
        assert_eq!(kind(&room, "m.nvk", column), expected, "{column}");
    }
    let dropped = room.json(&format!("{TRAIN} --missing zero --drop customer_id"));
    assert_eq!(remarks(&dropped, "ids"), [""; 0]);
    let id = room.json(&words);
    assert_eq!(dropped["mistakes"], id["mistakes"]);
    let named = room.json(&format!("{TRAIN} --missing zero --categorical customer_id"));
    assert_eq!(
        named["data"]["features"].as_u64(),
        id["data"]["features"].as_u64().map(|n| n + 2500)
    );
}

#[test]
fn files_pipes_threads_and_caches_give_the_same_model() {
    let room = room();
    let text = room.text("churn.csv");
    for options in [
        "--missing zero",
        "--missing indicator --dates seconds --drop rate,country",
    ] {
        room.run(&format!("{TRAIN} {options} --threads 1 -o one.nvk"))
            .good();
        room.run(&format!("{TRAIN} {options} --threads 2 -o two.nvk"))
            .good();
        let pipe = TRAIN.replace("churn.csv", "-");
        room.pipe(&format!("{pipe} {options} -o pipe.nvk"), &text)
            .good();
        for first in ["first", "second"] {
            room.run(&format!("{TRAIN} {options} --cache -o {first}.nvk"))
                .good();
        }
        let one = room.bytes("one.nvk");
        for other in ["two.nvk", "pipe.nvk", "first.nvk", "second.nvk"] {
            assert_eq!(room.bytes(other), one, "{other} {options}");
        }
    }
    // a cache that was made with other options is made again
    let done = room
        .run(&format!("{TRAIN} --missing indicator --cache"))
        .good();
    assert!(done.stderr.contains("making the cache"), "{}", done.stderr);
    room.run("convert churn.csv churn.nvk --label churned --missing zero")
        .good();
    let words = TRAIN.replace("churn.csv", "churn.nvk");
    room.run(&format!("{words} --drop rate")).refused(&[
        "churn.nvk: the cache was made with",
        "rate",
        "--drop",
    ]);
}

#[test]
fn half_a_stream_and_the_other_half_are_the_whole() {
    let room = room();
    let text = room.text("churn.csv");
    let (header, rows) = text.split_once('\n').expect("a header");
    let lines: Vec<&str> = rows.lines().collect();
    for (name, lines) in [("a.csv", &lines[..2100]), ("b.csv", &lines[2100..])] {
        room.write(name, format!("{header}\n{}\n", lines.join("\n")));
    }
    room.run(&format!("{TRAIN} --missing indicator -o whole.nvk"))
        .good();
    let first = TRAIN.replace("churn.csv", "a.csv");
    room.run(&format!("{first} --missing indicator -o half.nvk"))
        .good();
    // nothing is asked for twice
    room.run("train b.csv --resume half.nvk -o half.nvk").good();
    assert_eq!(room.bytes("half.nvk"), room.bytes("whole.nvk"));
}

#[test]
fn a_model_predicts_permuted_and_extra_columns_without_flags() {
    let room = room();
    let other = "plan,extra,rate,age,version,income,country,signup,customer_id";
    let rows = 0..400;
    let mut permuted = String::new();
    let names: Vec<&str> = other.split(',').collect();
    writeln!(permuted, "{other}").expect("memory");
    for k in rows.clone() {
        let cells = names.iter().map(|name| match *name {
            "extra" => "9".to_owned(),
            name => cell(name, k),
        });
        writeln!(permuted, "{}", cells.collect::<Vec<_>>().join(",")).expect("memory");
    }
    room.write("new.csv", permuted);
    room.write("old.csv", table(COLUMNS, rows));
    for missing in ["zero", "mean", "indicator"] {
        let words = format!("{TRAIN} --missing {missing} --dates seconds --standardize -o m.nvk");
        room.run(&words).good();
        let expected = room.run("predict m.nvk old.csv --margins").good().stdout;
        let done = room.run("predict m.nvk new.csv --margins").good();
        assert_eq!(done.stdout, expected, "{missing}");
        assert_eq!(inspected(&room, "m.nvk")["table"]["missing"], missing);
    }
}

#[test]
fn a_missing_column_is_refused_or_imputed() {
    let room = room();
    let without = |column: &str| {
        let names: Vec<&str> = COLUMNS.split(',').filter(|&name| name != column).collect();
        table(&names.join(","), 0..300)
    };
    room.write("no-age.csv", without("age"));
    room.write("no-id.csv", without("customer_id"));
    room.run(&format!("{TRAIN} --drop age,income,plan -o refuse.nvk"))
        .good();
    room.write("no-rate.csv", without("rate"));
    room.run("predict refuse.nvk no-rate.csv")
        .refused(&["no-rate.csv: column \"rate\" is missing", "--missing zero"]);
    room.run("predict refuse.nvk no-age.csv").good();
    for (missing, read_as) in [
        ("zero", "0"),
        ("mean", "its mean"),
        ("indicator", "missing"),
    ] {
        room.run(&format!("{TRAIN} --missing {missing} -o m.nvk"))
            .good();
        let done = room.run("predict m.nvk no-age.csv -q --margins").good();
        let said = format!(
            "no-age.csv: column age is missing, which the model or an earlier input has; it is read as {read_as}"
        );
        assert_eq!(
            done.stderr.matches(&said).count(),
            1,
            "{missing}: {}",
            done.stderr
        );
        // an empty cell is as good as no column
        let text = table(COLUMNS, 0..300);
        let emptied = text.lines().enumerate().map(|(k, line)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if k > 0 {
                cells[2] = "";
            }
            cells.join(",")
        });
        room.write("empty.csv", emptied.collect::<Vec<_>>().join("\n"));
        let empty = room.run("predict m.nvk empty.csv -q --margins").good();
        assert_eq!(done.stdout, empty.stdout, "{missing}");
        let done = room.run("predict m.nvk no-id.csv -q").good();
        assert!(!done.stderr.contains("missing"), "{}", done.stderr);
    }
}

#[test]
fn means_are_those_of_the_rows_and_need_files() {
    let room = Room::new();
    room.write(
        "t.csv",
        "y,a,d\n1,1,2020-01-01\n-1,,2022-01-01\n1,5,\n-1,NA,2024-01-01\n",
    );
    room.run("train t.csv -a perceptron --missing mean -o m.nvk")
        .good();
    let json = inspected(&room, "m.nvk");
    let columns = &json["table"]["columns"];
    assert_eq!(
        (&columns[0]["mean"], &columns[1]["mean"]),
        (&3.0.into(), &2022.0.into())
    );
    room.run("convert t.csv t.vw --missing mean").good();
    let vw = room.text("t.vw");
    let second = vw.lines().nth(1).expect("a row");
    assert!(second.contains("a:3"), "{vw}");
    let third = vw.lines().nth(2).expect("a row");
    assert!(
        third.contains("d.year:2022") && !third.contains("month"),
        "{vw}"
    );
    room.pipe(
        "train - --format csv -a perceptron --missing mean",
        room.text("t.csv"),
    )
    .refused(&["--missing", "files only"]);
}

#[test]
fn what_contradicts_the_model_is_refused() {
    let room = room();
    room.run(&format!("{TRAIN} --missing zero --drop rate -o m.nvk"))
        .good();
    let predict = |flags: &str| -> Done { room.run(&format!("predict m.nvk churn.csv {flags}")) };
    for same in [
        "--missing zero",
        "--drop rate",
        "--drop customer_id",
        "--categorical plan",
        "--dates parts",
        "--only signup,age,income,plan,country,version",
    ] {
        predict(same).good();
    }
    for (flags, part) in [
        (
            "--missing mean",
            "m.nvk: the model was trained with --missing zero, not mean",
        ),
        ("--missing refuse", "--missing zero, not refuse"),
        ("--drop age", "column \"age\" as number"),
        ("--categorical age", "column \"age\" as number"),
        ("--text plan", "column \"plan\" as category"),
        ("--dates seconds", "--dates parts, not seconds"),
        ("--only age", "--only"),
    ] {
        predict(flags).refused(&["m.nvk", part]);
        let resume = format!("train churn.csv --resume m.nvk -o n.nvk {flags}");
        room.run(&resume).refused(&["m.nvk", part]);
        room.run(&format!("evaluate m.nvk churn.csv {flags}"))
            .refused(&["m.nvk", part]);
    }
}

#[test]
fn standardising_scales_numbers_and_leaves_categories() {
    let room = room();
    let words = format!("{TRAIN} --missing zero --standardize -o m.nvk");
    let scaled = room.json(&words);
    assert_eq!(remarks(&scaled, "scales"), [""; 0]);
    let plain = room.json(&format!("{TRAIN} --missing zero"));
    assert_eq!(remarks(&plain, "scales").len(), 1, "income and rate");
    // age, income, rate, version and the year
    let json = inspected(&room, "m.nvk");
    let arrays = json["arrays"].as_array().expect("arrays");
    let slots = arrays
        .iter()
        .find(|array| array["name"] == "standardize/slots");
    assert_eq!(slots.expect("slots")["count"], 5);
    let text = room.run("inspect m.nvk").good().stdout;
    assert!(
        text.contains("numbers") && text.contains("ignored     customer_id"),
        "{text}"
    );
}

#[test]
fn a_run_that_was_stopped_goes_on_with_the_same_columns() {
    let room = room();
    let words = format!("{TRAIN} --missing mean --dates seconds --drop rate --epochs 2");
    room.run(&format!("{words} -o whole.nvk")).good();
    let other = words.replace("--drop rate", "--drop version");
    room.run(&format!("{words} --checkpoint 2500 -o part.nvk"))
        .good();
    assert_eq!(room.bytes("part.nvk"), room.bytes("whole.nvk"));
    room.run(&format!("{other} --resume part.nvk -o x.nvk"))
        .refused(&["part.nvk", "version"]);
}

#[test]
fn a_converted_table_has_the_features_as_columns() {
    let room = Room::new();
    room.write("t.csv", "y,id,d,k\n1,7,2024-03-05,a\n-1,8,2023-12-31,b\n");
    for target in ["u.csv", "u.parquet"] {
        room.run(&format!("convert t.csv {target} --drop id"))
            .good();
        room.run(&format!("train {target} -a perceptron -o m.nvk"))
            .good();
        let converted = room
            .run(&format!("predict m.nvk {target} --margins"))
            .good();
        let original = room.run("predict m.nvk t.csv --margins").good();
        assert_eq!(original.stdout, converted.stdout, "{target}");
    }
    let text = room.text("u.csv");
    let header = text.lines().next().expect("a header");
    let names = "d.year,d.month=3,d.weekday=2,k=a,d.month=12,d.weekday=7,k=b";
    let [mut found, mut expected] =
        [header, names].map(|names| names.split(',').collect::<Vec<_>>());
    found.retain(|&name| name != "label" && name != "y");
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{text}");
}
