//! Features of caches, streams and models are the same by their names.

use std::path::{Path, PathBuf};

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};

use super::{LIMITS, names, write};

/// A cache of two rows: the first has the first half of the features, the second has all.
pub(super) fn named(path: &Path, names: &Names) {
    let mut rows = Rows::new();
    let slots: Vec<u32> = (1..=names.highest()).collect();
    for slots in [&slots[..slots.len() / 2], &slots] {
        for &slot in slots {
            rows.push(slot, 10.0 + slot as f32);
        }
        rows.push_label(1.0, b"1");
        rows.set_weight(2.0);
        rows.end_row(0);
    }
    write(path, &rows, names);
}

/// The values of the last row of several inputs, what their features are called, and how many values
/// were left out.
fn read_named(paths: &[&PathBuf], names: Names) -> (Vec<(String, f64)>, u64) {
    let inputs = paths
        .iter()
        .map(|&path| Input::Path(path.clone()))
        .collect();
    let mut reader = Reader::with_names(inputs, ReadOptions::default(), 2, names).unwrap();
    let mut last = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        assert_eq!(block.weight(block.len() - 1), 2.0);
        last = block.row(block.len() - 1).iter().collect();
    }
    let names = reader.names();
    let called = |(slot, value): (usize, f64)| {
        let name = names.name(slot as u32);
        (name.map_or_else(|| slot.to_string(), str::to_owned), value)
    };
    (last.into_iter().map(called).collect(), reader.unknown())
}

#[test]
fn features_are_the_same_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (first, second, numbers) = (path("a.nvk"), path("b.nvk"), path("c.nvk"));
    let (ab, cba) = (names(&["a", "b"]), names(&["c", "b", "3", "a"]));
    named(&first, &ab);
    named(&second, &cba);
    let mut three = Names::new();
    three.reach(3);
    named(&numbers, &three);
    let is = |found: (Vec<(String, f64)>, u64), expected: &[(&str, f64)], unknown: u64| {
        let found_names: Vec<(&str, f64)> = found.0.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        assert_eq!((&found_names[..], found.1), (expected, unknown));
    };
    // adopted
    is(
        read_named(&[&second], Names::new()),
        &[("c", 11.0), ("b", 12.0), ("3", 13.0), ("a", 14.0)],
        0,
    );
    // the same names, of the stream or of a model
    is(
        read_named(&[&first, &first], Names::new()),
        &[("a", 11.0), ("b", 12.0)],
        0,
    );
    let mut frozen = cba.clone();
    frozen.freeze();
    is(
        read_named(&[&second], frozen.clone()),
        &[("c", 11.0), ("b", 12.0), ("3", 13.0), ("a", 14.0)],
        0,
    );
    // others: slots go by names, and rows are sorted
    let merged: &[(&str, f64)] = &[("a", 14.0), ("b", 12.0), ("c", 11.0), ("3", 13.0)];
    let (found, unknown) = read_named(&[&first, &second], Names::new());
    let mut sorted = found.clone();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    is(
        (sorted, unknown),
        &[("3", 13.0), ("a", 14.0), ("b", 12.0), ("c", 11.0)],
        0,
    );
    assert_eq!(found.len(), merged.len());
    // a model that knows less
    let mut frozen = ab.clone();
    frozen.freeze();
    is(
        read_named(&[&second], frozen),
        &[("a", 14.0), ("b", 12.0)],
        3,
    );
    // numbers and names
    is(
        read_named(&[&numbers, &first], Names::new()),
        &[("a", 11.0), ("b", 12.0)],
        0,
    );
    let (found, _) = read_named(&[&numbers, &first, &numbers], Names::new());
    assert_eq!(
        found,
        [("1", 11.0), ("2", 12.0), ("3", 13.0)].map(|(n, v)| (n.to_owned(), v))
    );
    let (found, _) = read_named(&[&first, &numbers], Names::new());
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|(name, _)| name != "a" && name != "b"));
}

#[test]
fn hashed_slots_meet_their_like_only() {
    let folder = tempfile::tempdir().unwrap();
    let (hashed, numbers) = (folder.path().join("h.nvk"), folder.path().join("n.nvk"));
    named(&hashed, &Names::hashed(4));
    let mut three = Names::new();
    three.reach(3);
    named(&numbers, &three);
    assert_eq!(read_named(&[&hashed], Names::new()).0.len(), 16);
    assert_eq!(read_named(&[&hashed], Names::hashed(4)).0.len(), 16);
    // numbers become hashes of their names
    let (found, unknown) = read_named(&[&numbers], Names::hashed(20));
    let mut like = Names::hashed(20);
    let mut expected: Vec<_> = ["1", "2", "3"]
        .map(|name| like.assign(name, LIMITS).unwrap())
        .into_iter()
        .zip([11.0, 12.0, 13.0])
        .map(|(slot, value)| (slot.to_string(), value))
        .collect();
    expected.sort_by_key(|(slot, _)| slot.parse::<u32>().unwrap());
    assert_eq!((found, unknown), (expected, 0));
    for names in [Names::hashed(5), names(&["a"])] {
        let inputs = vec![Input::Path(hashed.clone())];
        let mut reader = Reader::with_names(inputs, ReadOptions::default(), 1, names).unwrap();
        let said = reader.next_block().unwrap_err().to_string();
        assert!(said.contains("hashed slots of 4 bits"), "{said}");
    }
}
