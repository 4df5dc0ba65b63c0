//! The entries on their corpora, on inputs that once failed, and on some mutations of them.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use novikoff::random::SplitMix64;
use novikoff_fuzz_entries::memory::Limited;
use novikoff_fuzz_entries::{TARGETS, Target};

#[global_allocator]
static ALLOCATOR: Limited = Limited;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Names and contents of the files in a folder, in order; none if it is not there.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Runs an entry, and shows the input if it fails.
fn run(target: &Target, data: &[u8]) {
    let ran = catch_unwind(AssertUnwindSafe(|| (target.run)(data)));
    let shown = data.escape_ascii();
    assert!(ran.is_ok(), "{} fails on b\"{shown}\"", target.name);
}

#[test]
fn every_target_has_its_files() {
    let names: BTreeSet<String> = TARGETS.iter().map(|t| t.name.to_owned()).collect();
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    let mut folders = Vec::new();
    for folder in ["corpus", "regressions"] {
        folders.extend(fs::read_dir(fuzz().join(folder)).unwrap());
    }
    for folder in folders {
        let folder = folder.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&folder), "no target is called {folder}");
    }
    let sources: BTreeSet<String> = files(&fuzz().join("fuzz_targets"))
        .into_iter()
        .map(|(name, _)| name.trim_end_matches(".rs").to_owned())
        .collect();
    assert_eq!(sources, names);
    for name in &names {
        let seeds = files(&fuzz().join("corpus").join(name));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for (seed, bytes) in seeds {
            assert!(bytes.len() <= 3072, "{name}/{seed} is large for a seed");
        }
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}

/// Words that matter to one format or another.
const WORDS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b"#",
    b":",
    b",",
    b";",
    b"|",
    b"\"",
    b"=",
    b"'",
    b"^",
    b"-",
    b"+",
    b".",
    b"?",
    b"0",
    b"1",
    b"9",
    b"1e39",
    b"1e-46",
    b"nan",
    b"inf",
    b"NA",
    b"qid:",
    b"4294967295",
    b"18446744073709551616",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"0.1",
    b"-0",
    b"3.4028236e38",
    b"auto",
    b"\xff\xff\xff\xff",
    b"\x80",
    b"\x7f",
];

/// A mutation of one of the inputs, now and then with a part of another.
fn mutation(inputs: &[Vec<u8>], random: &mut SplitMix64) -> Vec<u8> {
    let mut data = inputs[random.below(inputs.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(data.len() + 1);
        let end = (at + 1 + random.below(12)).min(data.len());
        match random.below(7) {
            0 if at < data.len() => data[at] ^= 1 << random.below(8),
            1 if at < data.len() => data[at] = random.next_u64() as u8,
            2 => drop(data.drain(at..end)),
            3 => {
                let part = data[at..end].to_vec();
                let to = random.below(data.len() + 1);
                data.splice(to..to, part);
            }
            4 => {
                let other = &inputs[random.below(inputs.len())];
                let from = random.below(other.len() + 1);
                data.truncate(at);
                data.extend(&other[from..]);
            }
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                let replaced = at..if random.below(2) == 0 { at } else { end };
                data.splice(replaced, word.iter().copied());
            }
        }
    }
    data.truncate(4096);
    data
}

/// How many mutations a target gets: `NOVIKOFF_CASES`, or as many as are quickly done.
fn cases(default: usize) -> usize {
    let given = std::env::var("NOVIKOFF_CASES").ok();
    given.map_or(default, |cases| cases.parse().unwrap())
}

fn examine(name: &str, mutations: usize) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let mut inputs = Vec::new();
    for folder in ["corpus", "regressions"] {
        for (_, data) in files(&fuzz().join(folder).join(name)) {
            run(target, &data);
            inputs.push(data);
        }
    }
    let mut random = SplitMix64::new(name.len() as u64);
    for _ in 0..cases(mutations) {
        run(target, &mutation(&inputs, &mut random));
    }
}

macro_rules! examine {
    ($($target:ident: $mutations:expr,)*) => {
        $(#[test]
        fn $target() {
            examine(stringify!($target), $mutations);
        })*

        #[test]
        fn every_target_is_examined() {
            let examined = [$(stringify!($target)),*];
            assert!(TARGETS.iter().map(|t| t.name).eq(examined));
        }
    };
}

examine! {
    arrow: 3000,
    body: 10_000,
    body_arrow: 3000,
    cache: 3000,
    compressed: 3000,
    container: 10_000,
    csv: 10_000,
    generator: 2000,
    json: 3000,
    log_record: 10_000,
    log_segment: 3000,
    model: 3000,
    options: 10_000,
    parquet: 3000,
    scan: 3000,
    sniff: 10_000,
    spec: 10_000,
    svmlight: 10_000,
    vw: 10_000,
}
