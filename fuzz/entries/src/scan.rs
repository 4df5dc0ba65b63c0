//! The quick look over a file: it says what reading the file would.

use std::collections::BTreeSet;
use std::fs;

use novikoff::label::LabelName;
use novikoff::names::Names;
use novikoff_data::blocks::{Format, ReadOptions};
use novikoff_data::scan::scan as look;

use crate::draw;
use crate::folder::in_folder;
use crate::process::prepare;
use crate::story::{WHOLE, tell};

/// Text in a file.
pub fn scan(data: &[u8]) {
    prepare();
    let options = ReadOptions {
        // looking over other formats is reading them, by several threads: seldom
        format: (!draw(data).is_multiple_of(64)).then_some(Format::Svmlight),
        ..ReadOptions::default()
    };
    let found = in_folder(|folder| {
        let path = folder.join("f");
        fs::write(&path, data).expect("room for a file");
        look(&[&path], &options, &Names::new(), 2)
    });
    let story = tell(data, &options, 1, WHOLE);
    if story.error.is_some() {
        return; // malformed lines are passed over
    }
    let found = match found {
        Ok(found) => found,
        Err(error) => panic!("it is well-formed: {error}"),
    };
    let rows = &story.rows;
    assert_eq!(found.width, rows.width());
    let mut labels = BTreeSet::new();
    for label in (0..rows.len()).flat_map(|i| rows.labels(i)) {
        let label = LabelName::new(label);
        if !labels.contains(&label) {
            labels.insert(label); // as first written
        }
    }
    let names = |label: &LabelName| (label.name().to_owned(), label.number().map(f64::to_bits));
    let expected: Vec<_> = labels.iter().map(names).collect();
    assert_eq!(found.labels.iter().map(names).collect::<Vec<_>>(), expected);
}
