//! Which record is the header, which column the label, and what the columns hold.
#![allow(clippy::unwrap_used)]

use crate::csv_common;

use std::borrow::Cow;

use csv_common::{labelled, open, plain, read, tell, zero};
use novikoff::names::{NameLimits, Names};
use novikoff::table::{Column, ColumnKind, Table};
use novikoff_data::blocks::{Input, Missing, ReadOptions, Reader};

fn column(name: &str, categorical: bool) -> Column {
    let kind = if categorical {
        ColumnKind::Category
    } else {
        ColumnKind::Number
    };
    Column::new(name, kind)
}

#[test]
fn headers_are_recognised() {
    let reported = |text: &str, options: &ReadOptions| {
        let reported = read(text, options);
        reported
            .split_once(' ')
            .map(|(line, _)| line.to_owned())
            .unwrap_or(reported)
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
        assert_eq!(reported(text, &plain()), first_row, "{text:?}");
    }
    // nothing but names; a name where the second record has a number
    assert_eq!(reported("a,b\nc,d\n", &labelled("1")), "2");
    assert_eq!(reported("a,b,7\n1,d,2\n", &labelled("1")), "2");
    assert_eq!(reported("a,b,7\nc,d,2\n", &labelled("1")), "1");
    // the label that is asked for
    assert_eq!(reported("a,7\n1,2\n", &labelled("a")), "2");
    assert_eq!(reported("a,7\nb,2\n", &labelled("a")), "2");
    assert_eq!(reported("7,8\n1,2\n", &labelled("2")), "1");
    // what the options say
    let says = |header| ReadOptions {
        header: Some(header),
        ..plain()
    };
    assert_eq!(reported("label,x\n1,2\n", &says(false)), "1");
    assert_eq!(reported("7,label\n1,2\n", &says(true)), "2");
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
        let column = |name: &&str| Column::new((*name).to_owned(), ColumnKind::Number);
        Some(Table {
            label: Some(label.to_owned()),
            columns: columns.iter().map(column).collect(),
            ..Table::default()
        })
    };
    let first = |text: &str, options: &ReadOptions| {
        let reported = read(text, options);
        reported.lines().next().unwrap_or_default().to_owned()
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
        ..zero()
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
    let of_arrays = ReadOptions {
        unnamed_features: Some(2),
        ..unlabelled.clone()
    };
    assert_eq!(first("1,2\n", &of_arrays), "1 [] 1:1 2:2");
    assert_eq!(first("1,2,3\n", &of_arrays), "1 [1=1] 1:2 2:3");
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
            "t.csv: which column is the label? use label=COLUMN, one of \"a\", \"b\"",
        ),
        (
            "class,y\n1,2\n",
            plain(),
            "t.csv: which column is the label? use label=COLUMN, one of \"class\", \"y\"",
        ),
        (
            &many,
            plain(),
            "t.csv: which column is the label? use label=COLUMN, one of \"column1\", \"column2\", \"column3\", \"column4\", \"column5\", \"column6\", \"column7\", \"column8\", \"column9\", 2 more and \"column12\"",
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
    let table = Table {
        label: Some("label".to_owned()),
        columns: vec![
            column("zip", false),
            column("city", true),
            column("x", false),
        ],
        ..Table::default()
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
    assert!(reader.table().unwrap().columns[0].kind == ColumnKind::Category);
    assert_eq!(
        read(text, &categorical("zap")),
        "t.csv: no column is called \"zap\", which was to hold categories; did you mean \"zip\"? the columns are \"zip\", \"city\", \"x\""
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
            ..Table::default()
        }),
        unlabelled: true,
        ..plain()
    };
    let mut names = Names::new();
    let limits = NameLimits {
        slots: 100,
        bytes: 1000,
    };
    for name in ["x", "city=Rome", "city=7", "zip=00118"] {
        names.assign(name, limits).unwrap();
    }
    names.freeze();
    let text = b"new,city,x,zip\n5,7,2,80331\n0,Oslo,3,00118\nNA,7,4,1\n";
    let model = ReadOptions {
        missing: Some(Missing::Zero),
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
            column("city", true),
            column("zip", true),
            column("x", false),
            column("new", false),
        ],
        missing: Missing::Zero,
        ..Table::default()
    };
    assert_eq!(reader.table(), Some(&expected));
}

#[test]
fn tables_without_a_header_say_what_models_keep() {
    let mut reader = open(b"1,x,2\n", &labelled("3"), Names::new());
    assert_eq!(tell(&mut reader), "1 [2=2] 1:1 2.2=x:1\n");
    let table = Table {
        label: Some("3".to_owned()),
        columns: vec![column("1", false), column("2", true)],
        ..Table::default()
    };
    assert_eq!(reader.table(), Some(&table));
}

#[test]
fn a_column_that_is_spelled_otherwise_or_has_no_name_is_said_to_be() {
    let read_after = |second: &'static str| {
        let inputs = ["label,Tenure\n1,2\n", second].map(|text| Input::Bytes {
            name: "t".to_owned(),
            text: Cow::Borrowed(text.as_bytes()),
        });
        tell(&mut Reader::open(inputs.to_vec(), plain(), 1).unwrap())
    };
    let missing =
        "t: column \"Tenure\" is missing, which the model or an earlier input has; the input has";
    let case = read_after("label,tenure\n1,2\n");
    assert!(
        case.ends_with(&format!(
            "{missing} \"tenure\", and names must be the same to the letter; rename \"tenure\" to \"Tenure\""
        )),
        "{case}"
    );
    let numbers = read_after("1,2\n");
    assert!(
        numbers.ends_with(&format!(
            "{missing} no header; put the names of the columns first"
        )),
        "{numbers}"
    );
}

#[test]
fn tables_read_as_one_stream_share_columns_by_name() {
    let input = |name: &str, text: &'static str| Input::Bytes {
        name: name.to_owned(),
        text: Cow::Borrowed(text.as_bytes()),
    };
    let inputs = vec![
        input("a", "label,p,c\n1,2,x\n"),
        input("b", "c;q;label;p\ny;3;0;4\nx;0;\"1\";5\n"),
        input("c", "p\tlabel\n6\t7\nz\t8\n"),
    ];
    let mut reader = Reader::open(inputs.clone(), plain(), 2).unwrap();
    assert_eq!(
        tell(&mut reader),
        "2 [1=1] 1.p:2 2.c=x:1\n2 [0=0] 1.p:4 3.q:3 4.c=y:1\n3 [1=1] 1.p:5 2.c=x:1\n\
         c: column \"c\" is missing, which the model or an earlier input has; add it, or use \
         missing=zero to read it as 0, or as its mean if the model standardises it"
    );
    let mut reader = Reader::open(inputs, zero(), 2).unwrap();
    assert_eq!(
        tell(&mut reader),
        "2 [1=1] 1.p:2 2.c=x:1\n2 [0=0] 1.p:4 3.q:3 4.c=y:1\n3 [1=1] 1.p:5 2.c=x:1\n2 [7=7] 1.p:6\n\
         c:3:1: column \"p\": \"z\" is not a finite decimal number such as -0.5 or 1e-3; replace it, empty the cell if the number is not known, \
         or use categorical=\"p\" if the column holds categories"
    );
}

#[test]
fn true_and_false_are_numbers_unless_they_are_categories() {
    let text = "y,a,b\n1,true,2\n0,FALSE,3\n1,1,True\n";
    assert_eq!(
        read(text, &plain()),
        "2 [1=1] 1.a:1 2.b:2\n3 [0=0] 2.b:3\n4 [1=1] 1.a:1 2.b:1\n"
    );
    let categorical = ReadOptions {
        categorical: vec!["a".to_owned()],
        ..plain()
    };
    assert_eq!(
        read("y,a\n1,true\n0,false\n", &categorical),
        "2 [1=1] 1.a=true:1\n3 [0=0] 2.a=false:1\n"
    );
    // they are values, not names; as labels they keep their text, and are 1 and 0
    assert_eq!(
        read("true,false,2\nfalse,true,3\n", &plain()),
        "1 [true=1] 2:2\n2 [false=0] 1:1 2:3\n"
    );
}

#[test]
fn a_first_line_may_name_the_separator() {
    let rows = read("label;x;z\na;1,5;2\n", &plain());
    for first in ["sep=;\n", "SEP=;\r\n", "\"sep=;\"\n", "\u{feff}sep=;\n"] {
        let named = format!("{first}label;x;z\na;1,5;2\n");
        // all lines come one later
        assert_eq!(
            read(&named, &plain()),
            rows.replacen("2 [", "3 [", 1),
            "{first:?}"
        );
    }
    for separator in [",", ";", "|", "\t"] {
        let text = format!("sep={separator}\n1{separator}2\n3{separator}4\n");
        let told = read(&text, &plain());
        assert!(
            told.starts_with("2 [1=1]") && told.contains("3 [3=3]"),
            "{told}"
        );
    }
    // nothing else is a separator
    let told = read("sep=a\n1\n", &labelled("1"));
    assert!(!told.contains("t.csv:"), "{told}");
}

#[test]
fn a_title_above_a_table_is_named() {
    let table = "label,x,z\na,1,2\nb,3,4\na,5,6\n";
    for (title, found, line) in [
        ("Loans of 2025\n", "1 field", 2),
        ("Loans of 2025,,\n", "1 field", 2),
        ("Loans of 2025\nall of them\n\n", "1 field", 4),
    ] {
        let told = read(format!("{title}{table}"), &plain());
        let expected = format!(
            "t.csv: the first line has {found}, and line {line} and those after it have 3, so it looks like a title; \
             remove what stands before line {line}, as `tail -n +{line}` does"
        );
        assert_eq!(told.trim(), expected, "{title:?}");
    }
    let semicolons = read(
        format!("Loans of 2025\n{}", table.replace(',', ";")),
        &plain(),
    );
    assert!(semicolons.contains("looks like a title"), "{semicolons}");
    for sound in [
        table,
        // one column of texts
        "label\na; b; c\nb\na; b\n",
        // the first row of a table without names has gaps
        "b,,\na,1,2\na,3,4\n",
        // a record that is too short is not above the table
        "label,x,z\na,1,2\nb\n",
    ] {
        let told = read(sound, &zero());
        assert!(!told.contains("looks like a title"), "{sound:?}: {told}");
    }
}

#[test]
fn a_header_that_comes_again_is_no_row() {
    let again = |text: &str| read(text, &plain());
    let categories = "label,colour\nyes,red\nno,blue\n";
    let told = again(&format!("{categories}{categories}"));
    assert!(
        told.ends_with(
            "t.csv:4:1: this record is the header again, as if another table began; remove it"
        ),
        "{told}"
    );
    let crlf = categories.replace('\n', "\r\n");
    assert!(again(&format!("{categories}\u{feff}{crlf}")).contains("t.csv:4:1: this record"));
    // in a table of numbers it is none of them
    let numbers = "label,x\nyes,1\nno,2\n";
    let told = again(&format!("{numbers}{numbers}"));
    assert!(
        told.contains("t.csv:4:7: column \"x\": \"x\" is not a finite")
            && told.ends_with("remove this record if it is the header again"),
        "{told}"
    );
    let lenient = ReadOptions {
        skip_bad: 1,
        ..plain()
    };
    let told = read(format!("{categories}{categories}"), &lenient);
    assert!(told.contains("5 [yes]") && !told.contains("4 ["), "{told}");
    // a part of it is a row as any other
    let sound = format!("{categories}label,colour2\nlabel,red\n");
    assert!(!again(&sound).contains("t.csv:"), "{}", again(&sound));
}
