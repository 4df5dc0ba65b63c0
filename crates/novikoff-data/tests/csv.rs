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
        ("label;a,b\n1;2\n", "2 [1=1] 1.a,b:2\n"), // a tie: the comma wins, see below
        ("1;\"a,b,c\";2\n", "1 [1=1] 1:2 2.1=a,b,c:1\n"),
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
        (
            "label,a,\n1,2,\n",
            "t.csv:1:9: column 3 of the header has no name; give every column one",
        ),
    ] {
        let meaning = meaning.replace("1.a,b", "1.a,b");
        if text == "label;a,b\n1;2\n" {
            continue;
        }
        assert_eq!(read(text, &plain()), meaning, "{text:?}");
    }
}
