//! What tables of text mean, and what is said about those that mean nothing.
#![allow(clippy::unwrap_used)]

use crate::csv_common;

use csv_common::{open, plain, read, tell, zero};
use novikoff::names::Names;
use novikoff_data::blocks::ReadOptions;

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
        let reported = read(text, &plain());
        assert_eq!(reported.lines().last(), Some(message), "{text:?}");
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
            "t.csv:3:3: column \"age\": \"old\" is not a finite decimal number such as -0.5 or 1e-3; replace it, empty the cell if the number is not known, or use categorical=\"age\" if the column holds categories",
        ),
        (
            "1,2,3\n1,4,0x10\n",
            "t.csv:2:5: column \"2\": \"0x10\" is not a finite decimal number such as -0.5 or 1e-3; replace it, empty the cell if the number is not known, or use categorical=\"2\" if the column holds categories",
        ),
        (
            "label,age\n1,-inf\n",
            "t.csv:2:3: column \"age\": \"-inf\" is not a finite decimal number such as -0.5 or 1e-3; replace it, empty the cell if the number is not known, or use categorical=\"age\" if the column holds categories",
        ),
        (
            "label,age\n1,NAN\n",
            "t.csv:2:3: column \"age\": \"NAN\" is a missing value; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), missing=zero to read it as 0, or categorical=\"age\" if the column holds categories",
        ),
        (
            "label,age\n1,1\n1,1 2\n",
            "t.csv:3:3: column \"age\": \"1 2\" is not a finite decimal number such as -0.5 or 1e-3; replace it, empty the cell if the number is not known, or use categorical=\"age\" if the column holds categories",
        ),
        (
            "label,age\n1,2\n\"x\ny\",\"\n1x\"\n",
            "t.csv:4:4: column \"age\": \"\\x0a1x\" is not a finite decimal number such as -0.5 or 1e-3; write numbers as 1234.5, with a point and without other signs",
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
            "t.csv:2:3: column \"age\": \"\" is a missing value; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0",
        ),
        (
            "label,city\n1,Rome\n1, NA\n",
            "t.csv:3:3: column \"city\": \" NA\" is a missing value; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0",
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
        let reported = read(text, &plain());
        assert_eq!(reported.lines().last(), Some(message), "{text:?}");
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
        "t.csv:1: the names of 4 features take more than 0 MB; raise max_memory, or use hash=24 to give names hashed slots"
    );
}

#[test]
fn missing_values_may_be_zero() {
    let words = [
        "", " ", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "?",
    ];
    for word in words {
        let text = format!("label,a,b,c\n1,2,x,3\n1,{word},y,4\n1,5,{word},\"{word}\"\n");
        assert_eq!(
            read(&text, &zero()),
            "2 [1=1] 1.a:2 2.c:3 3.b=x:1\n3 [1=1] 2.c:4 4.b=y:1\n4 [1=1] 1.a:5\n"
        );
        let reported = read(&text, &plain());
        assert!(
            reported.contains("column \"a\"") && reported.ends_with("missing=zero to read it as 0"),
            "{reported}"
        );
    }
    // a label that is missing is none
    for word in words {
        let text = format!("label,a\n{word},2\nx,3\n");
        assert_eq!(read(&text, &plain()), "2 [] 1.a:2\n3 [x] 1.a:3\n", "{word}");
    }
    // a hyphen is missing among numbers, and is a category or a label elsewhere
    assert_eq!(
        read("label,a,b\n+,2,+\n-,-,-\n-,--,+\n", &zero()),
        "2 [+] 1.a:2 2.b=+:1\n3 [-] 3.b=-:1\n4 [-] 2.b=+:1\n"
    );
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
    let reported = read(text, &skip(2));
    assert!(
        reported.contains(" (bad lines passed over before it: 2)"),
        "{reported}"
    );
    // a stray quote may hide rows
    for text in ["label,c\n1,5\" x\n2,y\n3,6\" z\n", "label,c\n1,\"x\n2,y\n"] {
        let reported = read(text, &skip(9));
        assert!(reported.starts_with("t.csv:2:3: "), "{reported}");
    }
}
