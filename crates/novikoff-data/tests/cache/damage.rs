//! Files that are not what was written.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};

use novikoff::names::Names;
use novikoff::source::Source as _;
use novikoff_data::blocks::ReadOptions;
use novikoff_data::cache::CacheFile;
use novikoff_data::error::DataError;

use super::{all_of, names, reader, replace, varied, write};

#[test]
fn every_changed_bit_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.nvk");
    write(&path, &varied(12, 5), &names(&["a", "bc", "7"]));
    let sound = fs::read(&path).unwrap();
    let mut file = File::options().write(true).open(&path).unwrap();
    let mut put = |at: usize, byte: u8| {
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    };
    for (at, &byte) in sound.iter().enumerate() {
        for bit in 0..8 {
            put(at, byte ^ (1 << bit));
            let read = CacheFile::open(&path).and_then(|file| all_of(&file));
            let said = read.expect_err("noticed").to_string();
            assert!(said.starts_with(path.to_str().unwrap()), "{said}");
        }
        put(at, byte);
    }
    assert_eq!(fs::read(&path).unwrap(), sound);
}

#[test]
fn every_cut_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.nvk");
    write(&path, &varied(12, 5), &names(&["a", "bc", "7"]));
    let sound = fs::read(&path).unwrap();
    for length in 0..sound.len() {
        replace(&path, &sound[..length]);
        assert!(CacheFile::open(&path).is_err(), "{length}");
    }
    for more in [1, 28, 64, 4096] {
        let longer = [&sound[..], &vec![0; more]].concat();
        replace(&path, longer);
        assert!(CacheFile::open(&path).is_err(), "{more}");
        let before = [&vec![0; more], &sound[..]].concat();
        replace(&path, before);
        assert!(CacheFile::open(&path).is_err(), "{more}");
    }
    replace(&path, [&sound[..], &sound[..]].concat());
    assert!(CacheFile::open(&path).is_err());
}

#[test]
fn damage_is_told_by_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.nvk");
    write(&path, &varied(20_000, 5), &Names::new());
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    replace(&path, &bytes);
    // the blocks before it are read, whichever thread checks them
    for threads in 1..4 {
        let mut reader = reader(&path, ReadOptions::default(), threads);
        let mut rows = 0;
        let said = loop {
            match reader.next_block() {
                Ok(block) => rows += block.unwrap().len(),
                Err(error) => break error.to_string(),
            }
        };
        let words = format!("rows {} to ", rows + 1);
        assert!(said.contains("damaged or cut short, at byte "), "{said}");
        assert!(rows > 4000 && said.contains(&words), "{said}");
        assert!(matches!(reader.next_block(), Ok(None)));
    }
    for (content, words) in [
        (&b""[..], "of 0 bytes is no cache"),
        (&[b'x'; 500], "not a novikoff cache"),
        (b"NVKROWS\n\x07\0\0\0", "of 12 bytes is no cache"),
    ] {
        replace(&path, content);
        let said = CacheFile::open(&path).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    }
    bytes[8] = 7;
    replace(&path, &bytes);
    let said = CacheFile::open(&path).unwrap_err().to_string();
    assert!(
        said.contains("cache format 7, and this program reads format 1"),
        "{said}"
    );
    assert!(matches!(
        CacheFile::open(folder.path()),
        Err(DataError::Directory { .. })
    ));
    let missing = folder.path().join("missing");
    assert!(matches!(
        CacheFile::open(&missing),
        Err(DataError::Missing { .. })
    ));
}
