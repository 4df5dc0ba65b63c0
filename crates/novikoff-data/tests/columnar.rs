//! Parquet and Arrow as others write them.
#![allow(clippy::unwrap_used)]

mod columnar_common;

use columnar_common::*;
use novikoff_data::blocks::{Input, Missing, ReadOptions};

#[test]
fn show() {
    let d = ReadOptions::default();
    let z = ReadOptions {
        missing: Missing::Zero,
        zero_based: true,
        ..ReadOptions::default()
    };
    let mut names: Vec<_> = std::fs::read_dir(data(""))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for n in names {
        if n.ends_with("py") || n.ends_with("md") {
            continue;
        }
        println!("{n}: {:#?}", story(Input::Path(data(&n)), &d));
        println!("{n} zero: {:#?}", story(Input::Path(data(&n)), &z));
    }
}
