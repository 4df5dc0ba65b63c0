//! What tables of text mean, and what is said about those that mean nothing.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::fmt::Write as _;

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff::table::{Column, Table};
use novikoff_data::blocks::{Format, Input, Missing, ReadOptions, Reader};

fn open(text: &[u8], options: &ReadOptions, names: Names) -> Reader {
    let input = Input::Bytes {
        name: "t.csv".to_owned(),
        text: Cow::Owned(text.to_vec()),
    };
    let options = ReadOptions {
        format: Some(Format::Csv),
        ..options.clone()
    };
    Reader::with_names(vec![input], options, 1, names).unwrap()
}

/// Rows as plain text - line, labels, features by name, values - and the error that ended them.
fn tell(reader: &mut Reader) -> String {
    let (mut rows, mut lines) = (Rows::new(), Vec::new());
    let error = loop {
        match reader.next_block() {
            Ok(Some(block)) => rows.append(block, 0),
            Ok(None) => break String::new(),
            Err(error) => break error.to_string(),
        }
        lines.extend((lines.len()..rows.len()).map(|i| reader.place(i).line));
    };
    let mut text = String::new();
    for (i, line) in lines.into_iter().enumerate() {
        let labels: Vec<_> = rows
            .labels(i)
            .map(|label| {
                let text = String::from_utf8_lossy(label.text()).into_owned();
                label
                    .number()
                    .map_or(text.clone(), |n| format!("{text}={n}"))
            })
            .collect();
        write!(text, "{line} [{}]", labels.join(" ")).unwrap();
        for (slot, value) in rows.row(i).iter() {
            let names = reader.names();
            match names.name(slot as u32) {
                Some(name) => write!(text, " {slot}.{name}:{value}").unwrap(),
                None => write!(text, " {slot}:{value}").unwrap(),
            }
        }
        text.push('\n');
    }
    text + &error
}

fn read(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    tell(&mut open(text.as_ref(), options, Names::new()))
}

fn plain() -> ReadOptions {
    ReadOptions::default()
}

fn labelled(label: &str) -> ReadOptions {
    ReadOptions {
        label: Some(label.to_owned()),
        ..plain()
    }
}

fn zero() -> ReadOptions {
    ReadOptions {
        missing: Missing::Zero,
        ..plain()
    }
}

#[test]
fn what_records_mean() {
    for (text, meaning) in [
        ("", ""),
        ("\n\r\n\n", ""),
        ("label,a\n", ""),
        ("1,2,3\n", "1 [1=1] 1:2 2:3\n"),
        ("1,2,3", "1 [1=1] 1:2 2:3\n"),
        (
            "1,2,3\r\n-1,4,5\r\n",
            "1 [1=1] 1:2 2:3\n2 [-1=-1] 1:4 2:5\n",
        ),
        ("1,2,3\r", "1 [1=1] 1:2 2:3\n"),
        ("\n\n1,2\n\r\n\n0,3\n\n", "3 [1=1] 1:2\n6 [0=0] 1:3\n"),
        ("\u{feff}1,2\n", "1 [1=1] 1:2\n"),
        ("\u{feff}label,a\n1,2\n", "2 [1=1] 1.a:2\n"),
        ("\u{feff}\"label\",a\n1,2\n", "2 [1=1] 1.a:2\n"),
        ("1\t2\t3\n", "1 [1=1] 1:2 2:3\n"),
        ("1;2;3\n", "1 [1=1] 1:2 2:3\n"),
        ("1;\"a,b,c\";2\n", "1 [1=1] 2:2 3.1=a,b,c:1\n"),
        ("a,label\n0.5,+1\n0,-1\n", "2 [+1=1] 1.a:0.5\n3 [-1=-1]\n"),
        ("1, 2 ,\t3,-.5e1, +7\n", "1 [1=1] 1:2 2:3 3:-5 4:7\n"),
        ("1,\"2\",\" 3 \"\n", "1 [1=1] 1:2 2:3\n"),
        ("1,1e-60,-0,00012\n", "1 [1=1] 3:12\n"),
        (
            "label,c\ncat,red\n\"a,b\", red \n?,\"5\"\" pipe\"\n,\"x\ny\"\n\"q\"\"\",\"\r\n\"\n",
            "2 [cat] 1.c=red:1\n3 [a b] 2.c= red :1\n4 [] 3.c=5\" pipe:1\n5 [] 4.c=x\ny:1\n7 [q\"] 5.c=\r\n:1\n",
        ),
        (
            "label,a\n 7 ,1\n\" x \",1\n\"1, 2,z\",1\n",
            "2 [7=7] 1.a:1\n3 [x] 1.a:1\n4 [1=1 2=2 z] 1.a:1\n",
        ),
        ("label\ta\nx,y\t1\n", "2 [x y] 1.a:1\n"),
        ("label,\" a \", b \n1,2,3\n", "2 [1=1] 1. a :2 2.b:3\n"),
        ("label,a=b,a\n1,2,b\n", "2 [1=1] 1.a=b:3\n"), // one feature of two columns
        ("label,3,1\n1,5,6\n", "2 [1=1] 1:6 3:5\n"),
        (
            "label,caf\u{e9}\n1,\u{fc}\n",
            "2 [1=1] 1.caf\u{e9}=\u{fc}:1\n",
        ),
        ("label\n3\n", "2 [3=3]\n"),
    ] {
        assert_eq!(read(text, &plain()), meaning, "{text:?}");
    }
}

#[test]
fn separators_are_counted_outside_quotes() {
    for (text, meaning) in [
        ("label;a;b,c\n1;2;3\n", "2 [1=1] 1.a:2 2.b,c:3\n"),
        ("label\ta;b\tc\n1\t2\t3\n", "2 [1=1] 1.a;b:2 2.c:3\n"),
        ("\"a;;;;;\",label\n1,2\n", "2 [2=2] 1.a;;;;;:1\n"),
        ("\n\nlabel;a\n1;2\n", "4 [1=1] 1.a:2\n"),
        // a tie: comma, then tab
        ("1,2;3\n", "1 [1=1] 1.1=2;3:1\n"),
        ("1\t2;3\n", "1 [1=1] 1.1=2;3:1\n"),
        // only the first record counts
        ("label,a\n1,2;3;4;5\n", "2 [1=1] 1.a=2;3;4;5:1\n"),
    ] {
        assert_eq!(read(text, &plain()), meaning, "{text:?}");
    }
}

/// The message that ends the reading of each text.
fn check(cases: &[(&str, &str)]) {
    for &(text, message) in cases {
        let told = read(text, &plain());
        assert_eq!(told.lines().last(), Some(message), "{text:?}");
    }
}

#[test]
fn what_is_no_record_has_its_message() {
    check(&[
        (
            "label,a,b\n1,2,3\n1,2\n",
            "t.csv:3:4: this record has 2 fields, but 3 are expected, as in the first one; put fields that contain the separator in double quotes",
        ),
        (
            "label,a,b\n1,2,3\n1\n",
            "t.csv:3:2: this record has 1 field, but 3 are expected, as in the first one; put fields that contain the separator in double quotes",
        ),
        (
            "1,2,3\r\n1,2,3,4,5\r\n",
            "t.csv:2:7: this record has 5 fields, but 3 are expected, as in the first one; put fields that contain the separator in double quotes",
        ),
        (
            "label,a\n1,\"x\n2,y\n",
            "t.csv:2:3: the double quote here is never closed; close it, or write the field without it",
        ),
        (
            "label,a\n\"x\ny\",\"\n2,y\n",
            "t.csv:3:4: the double quote here is never closed; close it, or write the field without it",
        ),
        (
            "label,\"a\n1,2",
            "t.csv:1:7: the double quote here is never closed; close it, or write the field without it",
        ),
        (
            "label,a\n1,x\n1,5\" pipe\n2,y\n",
            "t.csv:3:3: double quotes stand around a whole field, and are doubled inside it, as in \"5\"\" pipe\"; found \"5\\\" pipe\"",
        ),
        (
            "label,a\n1,x\n1, \"y\"\n",
            "t.csv:3:3: double quotes stand around a whole field, and are doubled inside it, as in \"5\"\" pipe\"; found \" \\\"y\\\"\"",
        ),
        (
            "label,a\n1,\"x\ny\"z\n",
            "t.csv:2:3: double quotes stand around a whole field, and are doubled inside it, as in \"5\"\" pipe\"; found \"\\\"x\\x0ay\\\"z\"",
        ),
        (
            "label,a\"b\n1,2\n",
            "t.csv:1:7: double quotes stand around a whole field, and are doubled inside it, as in \"5\"\" pipe\"; found \"a\\\"b\"",
        ),
    ]);
}

#[test]
fn what_is_no_value_has_its_message() {
    check(&[
        (
            "label,age\n1,2\n1,old\n",
            "t.csv:3:3: column \"age\": \"old\" is not a finite decimal number such as -0.5 or 1e-3; replace it, or use --categorical \"age\" if the column holds categories",
        ),
        (
            "1,2,3\n1,4,0x10\n",
            "t.csv:2:5: column \"2\": \"0x10\" is not a finite decimal number such as -0.5 or 1e-3; replace it, or use --categorical \"2\" if the column holds categories",
        ),
        (
            "label,age\n1,-inf\n",
            "t.csv:2:3: column \"age\": \"-inf\" is not a finite decimal number such as -0.5 or 1e-3; replace it, or use --categorical \"age\" if the column holds categories",
        ),
        (
            "label,age\n1,NAN\n",
            "t.csv:2:3: column \"age\": \"NAN\" is not a finite decimal number such as -0.5 or 1e-3; replace it, or use --categorical \"age\" if the column holds categories",
        ),
        (
            "label,age\n1,1\n1,1 2\n",
            "t.csv:3:3: column \"age\": \"1 2\" is not a finite decimal number such as -0.5 or 1e-3; replace it, or use --categorical \"age\" if the column holds categories",
        ),
        (
            "label,age\n1,2\n\"x\ny\",\"\n1x\"\n",
            "t.csv:4:4: column \"age\": \"\\x0a1x\" is not a finite decimal number such as -0.5 or 1e-3; replace it, or use --categorical \"age\" if the column holds categories",
        ),
        (
            "label,age\n1,2\n1,3.5e38\n",
            "t.csv:3:3: column \"age\": \"3.5e38\" is beyond the range of f32, 3.4e38; scale the column down",
        ),
        (
            "label,age\n1,-1e400\n",
            "t.csv:2:3: column \"age\": \"-1e400\" is beyond the range of f32, 3.4e38; scale the column down",
        ),
        (
            "label,age\n1,\n",
            "t.csv:2:3: column \"age\": \"\" is a missing value; fill it in, or use --missing zero to read missing values as 0",
        ),
        (
            "label,city\n1,Rome\n1, NA\n",
            "t.csv:3:3: column \"city\": \" NA\" is a missing value; fill it in, or use --missing zero to read missing values as 0",
        ),
        (
            "label,a\n\"x,,y\",1\n",
            "t.csv:2:1: label \"x,,y\" has an empty part; write several labels as in \"a,b\", none as ?",
        ),
        (
            "label,a,\n1,2,3\n",
            "t.csv:1:9: column 3 of the header has no name; give every column one",
        ),
        (
            "label, ,b\n1,2,3\n",
            "t.csv:1:7: column 2 of the header has no name; give every column one",
        ),
        (
            "label,a,\"a\"\n1,2,3\n",
            "t.csv:1:9: column 3 has the name \"a\", as column 2 has; name them differently",
        ),
    ]);
}

#[test]
fn what_is_not_text_has_its_message() {
    for (text, message) in [
        (
            &b"label,a\n1,x\n1,caf\xe9\n"[..],
            "t.csv:3:3: byte 0xe9 in \"caf\\xe9\" is not UTF-8; save the table as UTF-8 text",
        ),
        (
            b"label,a\n1,1\n1,\xff\n",
            "t.csv:3:3: byte 0xff in \"\\xff\" is not UTF-8; save the table as UTF-8 text",
        ),
        (
            b"label,a\n1,1\n\"\xc3\",1\n",
            "t.csv:3:1: byte 0xc3 in \"\\xc3\" is not UTF-8; save the table as UTF-8 text",
        ),
        (
            b"\xff\xfel\0,\0",
            "t.csv:1:1: byte 0xff in \"\\xff\\xfel\\x00\" is not UTF-8; save the table as UTF-8 text",
        ),
    ] {
        let told = read(text, &plain());
        assert_eq!(told.lines().last(), Some(message), "{text:?}");
    }
}

#[test]
fn long_records_are_refused() {
    let options = ReadOptions {
        max_line: 9,
        ..plain()
    };
    let long = |place: &str| {
        format!(
            "t.csv:{place}: this line is longer than 9 bytes; are the lines separated by newlines?"
        )
    };
    assert_eq!(
        read("label,abc\n1,3456789\n", &options),
        "2 [1=1] 1.abc:3456789\n"
    );
    assert_eq!(read("label,abcd\n1,2\n", &options), long("1:10"));
    assert_eq!(read("\n\u{feff}abel,abcd\n1,2\n", &options), long("2:10"));
    assert_eq!(read("\u{feff}label,abcd\n1,2\n", &options), long("1:13"));
    assert_eq!(
        read("label,a\n\n1,2\n1,34567890\n", &options),
        format!("3 [1=1] 1.a:2\n{}", long("4:10"))
    );
    assert_eq!(read("label,a\n\"x\n456789\",1\n", &options), long("2:10"));
    assert_eq!(
        read("\n".repeat(20), &options),
        "t.csv: 10 bytes of empty lines; is this a table?"
    );
    let little = ReadOptions {
        max_name_bytes: 200,
        ..plain()
    };
    assert_eq!(read("1,2,3\n", &little), "1 [1=1] 1:2 2:3\n");
    assert_eq!(
        read("1,2,3,4\n", &little),
        "t.csv:1: the names of 4 features take more than 0 MB; raise --max-memory, or give names hashed slots by --hash 24"
    );
}

#[test]
fn missing_values_may_be_zero() {
    let words = [
        "", " ", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?",
    ];
    for word in words {
        let text = format!("label,a,b,c\n1,2,x,3\n1,{word},y,4\n1,5,{word},\"{word}\"\n");
        assert_eq!(
            read(&text, &zero()),
            "2 [1=1] 1.a:2 2.c:3 3.b=x:1\n3 [1=1] 2.c:4 4.b=y:1\n4 [1=1] 1.a:5\n"
        );
        let told = read(&text, &plain());
        assert!(
            told.contains("column \"a\"") && told.ends_with("missing values as 0"),
            "{told}"
        );
    }
    // a first value that is missing says nothing, so the column holds numbers
    assert_eq!(
        read("label,a\n1,?\n1,2\n", &zero()),
        "2 [1=1]\n3 [1=1] 1.a:2\n"
    );
    // zeros count for the width
    let mut reader = open(b"1,2,0\n1,3,NA\n", &zero(), Names::new());
    assert_eq!(tell(&mut reader), "1 [1=1] 1:2\n2 [1=1] 1:3\n");
    assert_eq!(reader.names().highest(), 2);
}

#[test]
fn headers_are_recognised() {
    let told = |text: &str, options: &ReadOptions| {
        let told = read(text, options);
        told.split_once(' ')
            .map(|(line, _)| line.to_owned())
            .unwrap_or(told)
    };
    for (text, first_row) in [
        ("label,1,2\n3,4,5\n", "2"), // a known name
        ("1,Class,2\n3,4,5\n", "2"),
        ("1,2,y\n3,4,y\n", "2"),
        ("TARGET,b\nc,d\n", "2"),
        ("?,1,2\n3,4,5\n", "1"), // missing values are no names
        ("1,NA,2\n3,4,5\n", "t.csv:1:3:"),
        ("1,2,3\n4,5,6\n", "1"),
        ("1,x,3\n4,y,6\n", "1"),
        ("1,x,3\n4,y,6,7\n5,2,1\n", "1"), // the second record is none to judge by
    ] {
        assert_eq!(told(text, &plain()), first_row, "{text:?}");
    }
    // nothing but names; a name where the second record has a number
    assert_eq!(told("a,b\nc,d\n", &labelled("1")), "2");
    assert_eq!(told("a,b,7\n1,d,2\n", &labelled("1")), "2");
    assert_eq!(told("a,b,7\nc,d,2\n", &labelled("1")), "1");
    // the label that is asked for
    assert_eq!(told("a,7\n1,2\n", &labelled("a")), "2");
    assert_eq!(told("a,7\nb,2\n", &labelled("a")), "2");
    assert_eq!(told("7,8\n1,2\n", &labelled("2")), "1");
    // what the options say
    let says = |header| ReadOptions {
        header: Some(header),
        ..plain()
    };
    assert_eq!(told("label,x\n1,2\n", &says(false)), "1");
    assert_eq!(told("7,label\n1,2\n", &says(true)), "2");
    // bad records that may be passed over do not count
    let lenient = ReadOptions {
        skip_bad: 1,
        ..plain()
    };
    assert_eq!(read("label,c\n1\n2,x\n", &lenient), "3 [2=2] 1.c=x:1\n");
}

#[test]
fn the_label_is_found() {
    let table = |label: &str, columns: &[&str]| {
        let column = |name: &&str| Column {
            name: (*name).to_owned(),
            categorical: false,
        };
        Some(Table {
            label: Some(label.to_owned()),
            columns: columns.iter().map(column).collect(),
        })
    };
    let first = |text: &str, options: &ReadOptions| {
        let told = read(text, options);
        told.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(first("a,b\n1,2\n", &labelled("b")), "2 [2=2] 1.a:1");
    assert_eq!(first("a,b\n1,2\n", &labelled("2")), "2 [2=2] 1.a:1");
    assert_eq!(first("2,b\n1,3\n", &labelled("2")), "2 [1=1] 1.b:3");
    assert_eq!(first("1,2,3\n", &labelled("3")), "1 [3=3] 1:1 2:2");
    assert_eq!(first("a,CLASS\n1,2\n", &plain()), "2 [2=2] 1.a:1");
    // the model's
    let model = |label, unlabelled| ReadOptions {
        table: table(label, &["1", "2"]),
        unlabelled,
        ..plain()
    };
    assert_eq!(
        first("y,price,b\n1,2,3\n", &model("price", false)),
        "2 [2=2] 1.y:1 2.b:3"
    );
    assert_eq!(first("y,b\n1,2\n", &model("price", false)), "2 [1=1] 1.b:2");
    assert_eq!(first("1,2,3\n", &model("3", false)), "1 [3=3] 1:1 2:2");
    assert_eq!(first("1,2,3\n", &model("3", true)), "1 [3=3] 1:1 2:2");
    assert_eq!(first("1,2\n", &model("3", true)), "1 [] 1:1 2:2");
    assert_eq!(first("1,2\n", &model("1", false)), "1 [1=1] 1:2");
    assert_eq!(first("1,2\n", &model("label", true)), "1 [] 1:1 2:2");
    // to be predicted: none need be there
    let unlabelled = ReadOptions {
        unlabelled: true,
        ..plain()
    };
    assert_eq!(first("a,b\n1,2\n", &unlabelled), "2 [] 1.a:1 2.b:2");
    assert_eq!(first("a,y\n1,2\n", &unlabelled), "2 [2=2] 1.a:1");
    assert_eq!(first("1,2\n", &unlabelled), "1 [1=1] 1:2");
    let absent = ReadOptions {
        label: Some("price".to_owned()),
        ..unlabelled
    };
    assert_eq!(first("a,b\n1,2\n", &absent), "2 [] 1.a:1 2.b:2");

    let many: Vec<String> = (1..=12).map(|k| format!("column{k}")).collect();
    let many = many.join(",") + "\n";
    for (text, options, message) in [
        (
            "a,b\n1,2\n",
            plain(),
            "t.csv: which column is the label? use --label COLUMN, one of \"a\", \"b\"",
        ),
        (
            "class,y\n1,2\n",
            plain(),
            "t.csv: which column is the label? use --label COLUMN, one of \"class\", \"y\"",
        ),
        (
            &many,
            plain(),
            "t.csv: which column is the label? use --label COLUMN, one of \"column1\", \"column2\", \"column3\", \"column4\", \"column5\", \"column6\", \"column7\", \"column8\", \"column9\", \"column10\" and 2 more",
        ),
        (
            "price,size\n1,2\n",
            labelled("prise"),
            "t.csv: no column is called \"prise\", which was to be the label; did you mean \"price\"? the columns are \"price\", \"size\"",
        ),
        (
            "a,b\n1,2\n",
            labelled("xyz"),
            "t.csv: no column is called \"xyz\", which was to be the label; the columns are \"a\", \"b\"",
        ),
        (
            "a,b\n1,2\n",
            labelled("3"),
            "t.csv: no column is called \"3\", which was to be the label; the columns are \"a\", \"b\"",
        ),
        (
            "1,2\n3,4\n",
            labelled("price"),
            "t.csv: no column is called \"price\", which was to be the label; the table has no line of names, so use the number of a column, 1 to 2",
        ),
        (
            "1,2\n3,4\n",
            labelled("0"),
            "t.csv: no column is called \"0\", which was to be the label; the table has no line of names, so use the number of a column, 1 to 2",
        ),
    ] {
        assert_eq!(read(text, &options), message);
    }
}

#[test]
fn kinds_come_from_the_model_the_options_or_the_first_value() {
    let text = b"label,zip,city,x\n1,80331,Rome,1\n0,00118,7,0\n";
    let mut reader = open(text, &plain(), Names::new());
    assert_eq!(
        tell(&mut reader),
        "2 [1=1] 1.zip:80331 2.x:1 3.city=Rome:1\n3 [0=0] 1.zip:118 4.city=7:1\n"
    );
    let column = |name: &str, categorical| Column {
        name: name.to_owned(),
        categorical,
    };
    let table = Table {
        label: Some("label".to_owned()),
        columns: vec![
            column("zip", false),
            column("city", true),
            column("x", false),
        ],
    };
    assert_eq!(reader.table(), Some(&table));

    let categorical = |name: &str| ReadOptions {
        categorical: vec![name.to_owned()],
        ..plain()
    };
    let mut reader = open(text, &categorical("zip"), Names::new());
    assert_eq!(
        tell(&mut reader),
        "2 [1=1] 1.x:1 2.zip=80331:1 3.city=Rome:1\n3 [0=0] 4.zip=00118:1 5.city=7:1\n"
    );
    assert!(reader.table().unwrap().columns[0].categorical);
    assert_eq!(
        read(text, &categorical("zap")),
        "t.csv: no column is called \"zap\", as --categorical says; did you mean \"zip\"? the columns are \"zip\", \"city\", \"x\""
    );
    assert_eq!(read("1,2,3\n", &categorical("2")), "1 [1=1] 1:2 2.2=3:1\n");

    // the model's table decides, and what its names do not have is left out
    let model = ReadOptions {
        table: Some(Table {
            label: None,
            columns: vec![
                column("city", true),
                column("zip", true),
                column("x", false),
            ],
        }),
        unlabelled: true,
        ..plain()
    };
    let mut names = Names::new();
    let limits = novikoff::names::Limits {
        slots: 100,
        bytes: 1000,
    };
    for name in ["x", "city=Rome", "city=7", "zip=00118"] {
        names.assign(name, limits).unwrap();
    }
    names.freeze();
    let text = b"new,city,x,zip\n5,7,2,80331\n0,Oslo,3,00118\nNA,7,4,1\n";
    let model = ReadOptions {
        missing: Missing::Zero,
        ..model
    };
    let mut reader = open(text, &model, names);
    assert_eq!(
        tell(&mut reader),
        "2 [] 1.x:2 3.city=7:1\n3 [] 1.x:3 4.zip=00118:1\n4 [] 1.x:4 3.city=7:1\n"
    );
    assert_eq!(reader.unknown(), 4); // new=5, zip=80331, city=Oslo, zip=1
    let expected = Table {
        label: None,
        columns: vec![
            column("new", false),
            column("city", true),
            column("x", false),
            column("zip", true),
        ],
    };
    assert_eq!(reader.table(), Some(&expected));
}

#[test]
fn tables_without_a_header_say_what_models_keep() {
    let mut reader = open(b"1,x,2\n", &labelled("3"), Names::new());
    assert_eq!(tell(&mut reader), "1 [2=2] 1:1 2.2=x:1\n");
    let column = |name: &str, categorical| Column {
        name: name.to_owned(),
        categorical,
    };
    let table = Table {
        label: Some("3".to_owned()),
        columns: vec![column("1", false), column("2", true)],
    };
    assert_eq!(reader.table(), Some(&table));
}

#[test]
fn bad_records_are_passed_over_if_it_is_certain_where_they_end() {
    let skip = |skip_bad| ReadOptions {
        skip_bad,
        ..plain()
    };
    let text = "label,a,c\n1,2,\"x\ny\"\n1,z,w\n2,3,v\n3\n4,\"5\"6,u\n5,6,t\n";
    let mut reader = open(text.as_bytes(), &skip(3), Names::new());
    assert_eq!(
        tell(&mut reader),
        "2 [1=1] 1.a:2 2.c=x\ny:1\n5 [2=2] 1.a:3 3.c=v:1\n8 [5=5] 1.a:6 4.c=t:1\n"
    );
    let skipped = reader.skipped();
    assert_eq!(skipped.lines, 3);
    let places: Vec<_> = skipped
        .samples
        .iter()
        .map(|s| &s[..s.find(": ").unwrap()])
        .collect();
    assert_eq!(places, ["t.csv:4:3", "t.csv:6:2", "t.csv:7:3"]);
    let told = read(text, &skip(2));
    assert!(
        told.ends_with("(2 bad lines before it were passed over, as --skip-bad allows)"),
        "{told}"
    );
    // a stray quote may hide rows
    for text in ["label,c\n1,5\" x\n2,y\n3,6\" z\n", "label,c\n1,\"x\n2,y\n"] {
        let told = read(text, &skip(9));
        assert!(told.starts_with("t.csv:2:3: "), "{told}");
    }
}
