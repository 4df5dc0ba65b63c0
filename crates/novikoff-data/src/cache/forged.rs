//! Files whose checksums are right and whose content is not.
#![allow(clippy::unwrap_used)]

use std::io::{Seek as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use novikoff::names::{NameLimits, Names};
use novikoff::random::SplitMix64;
use novikoff::remedy::{Hint, Remedy};
use novikoff::rows::Rows;
use novikoff::table::{Column, ColumnKind, Table};

use super::dictionary::Dictionary;
use super::footer::Footer;
use super::layout::{BlockEntry, ENTRY};
use super::{CacheContents, CacheFile, CacheWriter, END, TAIL};
use crate::error::DataError;

/// A file taken apart.
struct Forged {
    /// The head and the blocks.
    front: Vec<u8>,
    names: Vec<u8>,
    directory: Vec<BlockEntry>,
    footer: Footer<'static>,
}

/// Three blocks: the rows of the first and second are many, those of the third have weights.
fn sound() -> Forged {
    let mut writer = CacheWriter::temporary(None).unwrap();
    let mut rows = Rows::new();
    for line in 0..9000 {
        rows.push_label(1.0, b"+1");
        if line % 3 == 0 {
            rows.push_label(f64::NAN, b"cat");
        }
        if line % 2 == 0 {
            rows.push(1 + line as u32 % 5, 0.5);
        }
        rows.push(7, -1.0);
        if line > 8500 {
            rows.set_weight(0.25);
        }
        rows.end_row(line);
    }
    writer.write(rows.view(), 0).unwrap();
    let mut names = Names::new();
    let limits = NameLimits {
        slots: 100,
        bytes: 1 << 20,
    };
    for name in ["red", "2", "blau", "gr\u{fc}n"] {
        names.assign(name, limits).unwrap();
    }
    names.reach(7);
    let table = Table {
        label: Some("y".to_owned()),
        columns: vec![Column::new("colour", ColumnKind::Category)],
        ..Table::default()
    };
    let about = CacheContents {
        names: &names,
        table: Some(&table),
        text: None,
        zero_based: false,
        origin: None,
    };
    let file = writer.finish(about).unwrap();
    assert_eq!((file.blocks(), file.rows()), (3, 9000));
    let bytes = file.bytes_of_all().to_vec();
    let tail = bytes.len() - TAIL;
    let start = u64::from_le_bytes(*bytes[tail..].first_chunk().unwrap()) as usize;
    let footer: Footer<'static> = postcard::from_bytes(&bytes[start..tail]).unwrap();
    let directory = start - 3 * ENTRY;
    let names = Dictionary::length(footer.names.count, footer.names.text).unwrap();
    Forged {
        front: bytes[..directory - names].to_vec(),
        names: bytes[directory - names..directory].to_vec(),
        directory: bytes[directory..start]
            .as_chunks()
            .0
            .iter()
            .map(BlockEntry::from_bytes)
            .collect(),
        footer,
    }
}

impl Forged {
    /// Puts it together with right checksums, and opens it and all its blocks.
    fn open(mut self) -> Result<CacheFile, DataError> {
        for entry in &mut self.directory {
            let (start, length) = (entry.offset as usize, entry.length as usize);
            let end = start.saturating_add(length);
            if let Some(bytes) = self.front.get(start..end) {
                entry.crc = crc32fast::hash(bytes);
            }
        }
        let directory: Vec<u8> = self.directory.iter().flat_map(|e| e.to_bytes()).collect();
        self.footer.directory_crc = crc32fast::hash(&directory);
        self.footer.names.crc = crc32fast::hash(&self.names);
        let footer = postcard::to_stdvec(&self.footer).unwrap();
        let mut bytes = [self.front, self.names, directory].concat();
        let start = bytes.len() as u64;
        bytes.extend_from_slice(&footer);
        bytes.extend_from_slice(&start.to_le_bytes());
        bytes.extend_from_slice(&(footer.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&footer).to_le_bytes());
        bytes.extend_from_slice(END);
        open(&bytes)
    }
}

/// Opens bytes as a file, and all its blocks.
fn open(bytes: &[u8]) -> Result<CacheFile, DataError> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    let file = CacheFile::of(&file, "forged".to_owned())?;
    for k in 0..file.blocks() {
        let block = file.block(k)?;
        for row in 0..block.len() {
            assert!(
                block
                    .row(row)
                    .last_slot()
                    .is_none_or(|slot| slot <= block.width())
            );
            assert!(
                block
                    .labels(row)
                    .all(|label| label.text().len() <= block.text.len())
            );
        }
    }
    file.names()?;
    Ok(file)
}

/// Says that a forgery is refused, in these words.
fn is_refused(words: &str, forge: impl FnOnce(&mut Forged)) {
    let mut forged = sound();
    forge(&mut forged);
    let opened = catch_unwind(AssertUnwindSafe(|| forged.open()));
    let said = opened.expect(words).expect_err(words);
    assert!(said.to_string().contains(words), "{said}: {words}");
    assert_eq!(said.remedy(), Some(Remedy::hint(Hint::MakeCache)), "{said}");
}

#[test]
fn a_file_put_together_again_is_sound() {
    let file = sound().open().unwrap();
    assert_eq!((file.rows(), file.width()), (9000, 7));
    let names = file.names().unwrap();
    assert_eq!(
        (names.name(1), names.name(2), names.name(3)),
        (Some("red"), None, Some("blau"))
    );
}

/// Changes the bytes of a block's array: those of `sound` lie in the order of the format.
fn patch(forged: &mut Forged, block: usize, array: usize, at: usize, bytes: &[u8]) {
    let entry = &forged.directory[block];
    let rows = entry.rows as usize;
    let (values, labels) = (entry.values as usize, entry.labels as usize);
    let weights = 4 * rows * entry.weighted as usize;
    let lengths = [
        8 * rows,
        8 * rows,
        8 * rows,
        8 * labels,
        8 * labels,
        weights,
        4 * values,
        4 * values,
    ];
    let before = lengths[..array].iter().map(|n| n.next_multiple_of(64));
    let start = entry.offset as usize + before.sum::<usize>() + at;
    forged.front[start..start + bytes.len()].copy_from_slice(bytes);
}

#[test]
fn blocks_that_no_reader_makes_are_refused() {
    let far = &(1_u64 << 40).to_le_bytes();
    let zero = &0_u32.to_le_bytes();
    let nan = &f32::NAN.to_le_bytes();
    is_refused("where the values end", |f| patch(f, 0, 0, 8, far));
    is_refused("where the values end", |f| patch(f, 1, 0, 8 * 4095, far));
    is_refused("where the labels end", |f| patch(f, 0, 1, 0, far));
    is_refused("line number", |f| {
        patch(f, 0, 2, 80, &u64::MAX.to_le_bytes());
    });
    is_refused("infinite", |f| {
        patch(f, 2, 3, 8, &f64::INFINITY.to_le_bytes());
    });
    is_refused("where their text ends", |f| patch(f, 0, 4, 16, far));
    is_refused("weight", |f| patch(f, 2, 5, 4, &(-1_f32).to_le_bytes()));
    is_refused("weight", |f| patch(f, 2, 5, 0, nan));
    is_refused("0 or past the width", |f| patch(f, 0, 6, 0, zero));
    is_refused("do not increase", |f| patch(f, 0, 6, 4, zero));
    is_refused("0 or past the width", |f| {
        patch(f, 1, 6, 4, &8_u32.to_le_bytes());
    });
    is_refused("zero or not finite", |f| patch(f, 2, 7, 12, zero));
    is_refused("zero or not finite", |f| patch(f, 1, 7, 0, nan));
    // behind the text of the last block
    is_refused("between its arrays", |f| *f.front.last_mut().unwrap() = 1);
    is_refused("rows 4097 to 8192: ", |f| patch(f, 1, 7, 0, nan));
}

#[test]
fn directories_that_do_not_fit_are_refused() {
    let odd = [
        0,
        1,
        2,
        63,
        64,
        4095,
        1 << 31,
        u64::from(u32::MAX),
        1 << 62,
        u64::MAX - 1,
        u64::MAX,
    ];
    for block in 0..3 {
        for odd in odd {
            // some other number than is there
            let set = |field: &mut u64| *field = if *field == odd { odd ^ 1 } else { odd };
            let short = |field: &mut u32| {
                let odd = odd as u32;
                *field = if *field == odd { odd ^ 1 } else { odd };
            };
            let words = "as the directory has it";
            is_refused(words, |f| set(&mut f.directory[block].first_row));
            is_refused(words, |f| set(&mut f.directory[block].offset));
            is_refused(words, |f| set(&mut f.directory[block].length));
            is_refused(words, |f| set(&mut f.directory[block].labels));
            is_refused("forged: ", |f| set(&mut f.directory[block].values));
            is_refused("forged: ", |f| set(&mut f.directory[block].text));
            is_refused("forged: ", |f| short(&mut f.directory[block].rows));
            is_refused("forged: ", |f| short(&mut f.directory[block].width));
            is_refused("forged: ", |f| short(&mut f.directory[block].weighted));
        }
    }
    is_refused("not all there", |f| {
        f.directory.truncate(2);
        f.footer.blocks = 2;
    });
    is_refused("as the directory has it", |f| f.directory.swap(0, 1));
    is_refused("as the directory has it", |f| {
        f.directory[1] = f.directory[0];
    });
    is_refused("not all there", |f| f.front.extend([0; 64]));
    is_refused("as the directory has it", |f| {
        let empty = BlockEntry {
            offset: 64,
            ..BlockEntry::default()
        };
        f.directory.insert(0, empty);
        f.footer.blocks = 4;
    });
}

#[test]
fn footers_that_do_not_fit_are_refused() {
    for odd in [
        0,
        1,
        2,
        1 << 20,
        1 << 62,
        u64::MAX / 64,
        u64::MAX / 64 + 1,
        u64::MAX,
    ] {
        is_refused("not all there", |f| f.footer.rows = odd);
        is_refused("not all there", |f| f.footer.values = odd);
        is_refused("forged: ", |f| f.footer.blocks = odd);
        is_refused("forged: ", |f| f.footer.names.count = odd);
        is_refused("forged: ", |f| f.footer.names.text = odd);
    }
    is_refused("not all there", |f| f.footer.width = 8);
    is_refused("too many features", |f| f.footer.width = u32::MAX);
    is_refused("too many features", |f| f.footer.names.highest = u32::MAX);
    is_refused("from 1 to the highest", |f| f.footer.names.highest = 3);
    is_refused("no hashes", |f| f.footer.names.bits = Some(4));
    let hashed = |bits: u32, highest: u32| {
        move |f: &mut Forged| {
            (f.footer.names.count, f.footer.names.text) = (0, 0);
            f.names.clear();
            (f.footer.names.bits, f.footer.names.highest) = (Some(bits), highest);
        }
    };
    is_refused("no hashes", hashed(2, 4));
    is_refused("no hashes", hashed(31, 1 << 31));
    is_refused("no hashes", hashed(u32::MAX, 7));
    is_refused("no hashes", hashed(4, 7));
    let mut forged = sound();
    hashed(4, 16)(&mut forged);
    assert_eq!(forged.open().unwrap().bits(), Some(4));
}

#[test]
fn names_that_do_not_fit_are_refused() {
    // three slots, three ends, the text
    is_refused("from 1 to the highest", |f| f.names[0] = 0);
    is_refused("from 1 to the highest", |f| f.names[4] = 9);
    is_refused("from 1 to the highest", |f| f.names[0] = 3);
    is_refused("not UTF-8, or not there", |f| f.names[64] = 200);
    is_refused("not UTF-8, or not there", |f| f.names[71] = 1);
    is_refused("not UTF-8, or not there", |f| f.names[64 + 8] = 1);
    is_refused("not UTF-8, or not there", |f| f.names[64 + 16] -= 2);
    is_refused("behind the names", |f| f.names[64 + 16] -= 1);
    is_refused("not UTF-8, or not there", |f| f.names[128] = 0xff);
    is_refused("the same name", |f| {
        f.names[64 + 8] = 6;
        f.names[128..134].copy_from_slice(b"redred");
    });
}

#[test]
fn whatever_a_block_has_it_is_checked() {
    let mut random = SplitMix64::new(7);
    let cases = std::env::var("NOVIKOFF_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    let mut refused = 0;
    let cases = cases.unwrap_or(300);
    for _ in 0..cases {
        let mut forged = sound();
        for _ in 0..=random.below(3) {
            let at = 64 + random.below(forged.front.len() - 64);
            forged.front[at] = random.next_u64() as u8;
        }
        refused += u32::from(forged.open().is_err());
    }
    assert!(refused > cases / 8, "{refused} of {cases}");
}
